/* The history file: one entry a line, whatever was typed; shared, private, bounded. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/history.h"

TestSuite(history);

struct place {
    char dir[64];
    char path[96];
};

static struct place make_place(void)
{
    struct place place = {.dir = "/tmp/pksk-history-XXXXXX"};

    cr_assert_not_null(mkdtemp(place.dir));
    snprintf(place.path, sizeof(place.path), "%s/state/history", place.dir);
    return place;
}

static void remove_place(const struct place *place)
{
    char state[96];

    snprintf(state, sizeof(state), "%s/state", place->dir);
    unlink(place->path);
    rmdir(state);
    cr_expect_eq(rmdir(place->dir), 0);
}

static void expect_file(const char *path, const char *expected)
{
    char text[512] = "";
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(text, expected, "%s", text);
}

static bool add(struct sh_history *history, const char *text, size_t limit)
{
    bool added = false;

    cr_expect_eq(sh_history_add(history, pk_slice_cstr(text), limit, &added), 0);
    return added;
}

Test(history, keeps_what_was_typed)
{
    struct place place = make_place();
    struct sh_history history;
    struct pk_buf copy = PK_BUF_INIT;
    struct stat about;

    sh_history_init(&history, place.path);
    cr_expect_eq(sh_history_load(&history, 10), 0);
    cr_expect(add(&history, "SELECT *\nFROM \"x\\n\";", 10));
    cr_expect(!add(&history, "SELECT *\nFROM \"x\\n\";", 10)); /* a repetition */
    cr_expect(!add(&history, "", 10));
    cr_expect(add(&history, "tables", 10));
    expect_file(place.path, "SELECT *\\nFROM \"x\\\\n\";\ntables\n");
    cr_assert_eq(stat(place.path, &about), 0);
    cr_expect_eq(about.st_mode & 0777, 0600);
    sh_history_release(&history);

    sh_history_init(&history, place.path);
    cr_expect_eq(sh_history_load(&history, 10), 0);
    cr_assert_eq(sh_history_copy(&history, 0, &copy), 2);
    cr_expect_str_eq(copy.data, "SELECT *\nFROM \"x\\n\";");
    cr_expect_str_eq(copy.data + strlen(copy.data) + 1, "tables");
    pk_buf_release(&copy);
    sh_history_release(&history);
    remove_place(&place);
}

Test(history, is_bounded)
{
    struct place place = make_place();
    struct sh_history history;
    struct pk_buf copy = PK_BUF_INIT;

    sh_history_init(&history, place.path);
    for (int i = 0; i < 10; i++) {
        char text[16];

        snprintf(text, sizeof(text), "get %d", i);
        cr_expect(add(&history, text, 3));
    }
    cr_expect_eq(sh_history_count(&history), 3);
    sh_history_release(&history);

    /* loading keeps the last ones, and cuts a file of more than twice the limit */
    sh_history_init(&history, place.path);
    cr_expect_eq(sh_history_load(&history, 3), 0);
    cr_assert_eq(sh_history_copy(&history, 1, &copy), 2);
    cr_expect_str_eq(copy.data, "get 8");
    expect_file(place.path, "get 7\nget 8\nget 9\n");
    pk_buf_release(&copy);
    sh_history_release(&history);
    remove_place(&place);
}

Test(history, without_a_file)
{
    struct sh_history history;
    bool added = false;

    sh_history_init(&history, NULL);
    cr_expect_eq(sh_history_load(&history, 10), 0);
    cr_expect(add(&history, "x", 10));
    cr_expect(!add(&history, "y", 0));
    cr_expect_eq(sh_history_count(&history), 1);
    sh_history_release(&history);

    sh_history_init(&history, "/proc/nowhere/history");
    cr_expect_neq(sh_history_add(&history, PK_LIT("x"), 10, &added), 0);
    cr_expect(added);
    cr_expect_eq(sh_history_count(&history), 1);
    sh_history_release(&history);
}
