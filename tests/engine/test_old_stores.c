/*
 * Stores that earlier versions wrote, one directory for each format in tests/fixtures: a copy must
 * open, be upgraded, pass the check and hold what was put into it. A fixture is never made again;
 * tests/fixtures/store-vN.pksk is what it was made from.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "tests/support/split_fixture.h"
#include "tests/support/temp_dir.h"

static const char *const v1_files[] = {"CURRENT", "MANIFEST-000002", "000003.log", "PKSK.LOCK"};

static void copy_file(const char *from_dir, const char *to_dir, const char *name)
{
    char from[128], to[128], bytes[65536];
    FILE *in, *out;
    size_t len;

    snprintf(from, sizeof(from), "%s/%s", from_dir, name);
    snprintf(to, sizeof(to), "%s/%s", to_dir, name);
    in = fopen(from, "rb");
    out = fopen(to, "wb");
    cr_assert(in != NULL && out != NULL, "%s", from);
    len = fread(bytes, 1, sizeof(bytes), in);
    cr_assert(len > 0 && len < sizeof(bytes), "%s", from);
    cr_assert_eq(fwrite(bytes, 1, len, out), len);
    cr_assert_eq(fclose(out), 0);
    (void)fclose(in);
}

static const struct read_case {
    struct read_text read;
    const char *items;
} v1_reads[] = {
    {{.from = "Music", .key = "Artist = :a", .values = "{a: 'Acme'}"},
     "{Artist:'Acme',Genre:'Rock',Plays:1,Song:'Blue',Year:1999,expires:1900000000}\n"
     "{Artist:'Acme',Genre:'Rock',Nested:{l:[1,true,null,x'000102'],m:{}},Song:'Green',"
     "Tags:<<'a','b'>>,Year:-5}\n"},
    {{.from = "Music.by_year", .key = "Artist = :a", .values = "{a: 'Acme'}"},
     "{Artist:'Acme',Song:'Green',Year:-5}\n{Artist:'Acme',Song:'Blue',Year:1999}\n"},
    {{.from = "Music.by_genre", .key = "Genre = :g", .values = "{g: 'Rock'}"},
     "{Artist:'Acme',Genre:'Rock',Song:'Green',Year:-5}\n"
     "{Artist:'Acme',Genre:'Rock',Plays:1,Song:'Blue',Year:1999}\n"},
    {{.from = "Plain"}, "{id:42,v:'x'}\n"},
};

Test(old_stores, version_1)
{
    struct temp_dir dir;
    struct engine_fixture fx;

    temp_dir_make(&dir);
    for (size_t i = 0; i < sizeof(v1_files) / sizeof(*v1_files); i++)
        copy_file("tests/fixtures/store-v1", dir.path, v1_files[i]);
    engine_open_dir(&fx, dir.path);
    for (size_t i = 0; i < sizeof(v1_reads) / sizeof(*v1_reads); i++) {
        cr_assert_eq(engine_read(&fx, &v1_reads[i].read), PK_OK, "%s", engine_message(&fx));
        cr_expect_str_eq(engine_items(&fx), v1_reads[i].items, "read %zu", i);
    }
    cr_assert_eq(engine_get(&fx, "Music", "{Artist: 'Beta', Song: '日本'}"), PK_OK);
    cr_expect_str_eq(
        engine_item(&fx),
        engine_format(&fx, "{Artist:'Beta',Genre:'Jazz',Ns:<<1,2,3>>,Small:0.%0129d1,Song:'日本'}",
                      0));
    engine_assert_clean(&fx);
    /* What knew only the number of its partitions can be split, and is read back. */
    cr_expect_str_eq(split_text(&fx, "Music"), "0<0:0 1<1:2 2<2:1 3<3:0");
    split_one(&fx, "Music", "{Artist: 'Acme'}");
    split_one(&fx, "Music.by_genre", "{Genre: 'Rock', Year: 0}");
    cr_assert_eq(engine_put(&fx, "Music", "{Artist: 'Acme', Song: 'Red', Genre: 'Rock'}"), PK_OK);
    engine_close(&fx); /* asserts a clean check */
    engine_open_dir(&fx, dir.path);
    cr_expect_str_eq(split_text(&fx, "Music"), "0<0:0 4<1:0 5<1:3 2<2:1 3<3:0");
    cr_expect_str_eq(split_text(&fx, "Music.by_genre"), "0<0:0 1<1:0 4<2:1 5<2:1 3<3:0");
    engine_close(&fx);
    temp_dir_remove(&dir);
}
