/* Opening, refusing to open, the lock, the format version, damage and repair. */
#include "engine/store/store.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "engine/store/layout.h"
#include "engine/store/store_dir.h"
#include "engine/store/store_lock.h"
#include "engine/store/table_file.h"

static const struct pk_store_options PLAIN = {0};

/* A fresh directory of this test process; the caller removes it with remove_base(). */
static char base[64];

static void make_base(void)
{
    strcpy(base, "/tmp/pksk-test-XXXXXX");
    cr_assert_neq(mkdtemp(base), NULL);
}

static void remove_base(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", base);
    cr_assert_eq(system(command), 0);
}

/* base/name; valid until the next call but three. */
static const char *in_base(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_neq(file, NULL, "%s", path);
    fputs(text, file);
    fclose(file);
}

static const char *read_file(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = 0;

    if (file != NULL) {
        length = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    return text;
}

static struct pk_store *open_store(const char *path)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store = NULL;

    cr_assert_eq(pk_store_open(path, &PLAIN, &store, &err), PK_OK, "%s", err.message);
    return store;
}

/* The message with which opening fails with the code; valid until the next call. */
static const char *open_error(const char *path, const struct pk_store_options *options,
                              enum pk_code code)
{
    static struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store = NULL;

    cr_expect_eq(pk_store_open(path, options, &store, &err), code, "%s", err.message);
    cr_expect_eq(store, NULL);
    return err.message == NULL ? "(opened)" : err.message;
}

static void put(struct pk_store *store, pk_slice key, pk_slice value)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_store_put(store, key, value, &err), PK_OK, "%s", err.message);
}

/* Names, sizes and contents of all files of a directory, as one number. */
static uint64_t fingerprint(const char *dir)
{
    struct dirent **names = NULL;
    int count = scandir(dir, &names, NULL, alphasort);
    uint64_t sum = (uint64_t)count;

    for (int i = 0; i < count; i++) {
        char path[512];
        pk_slice name = pk_slice_cstr(names[i]->d_name);

        snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
        sum = sum * 31 + pk_hash_fast(name) + pk_hash_fast(pk_slice_cstr(read_file(path)));
        free(names[i]);
    }
    free(names);
    return sum;
}

/* Directories ----------------------------------------------------------------------------------*/

Test(store_open, makes_directories_and_keeps_rows)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf value = PK_BUF_INIT;
    struct pk_store *store;
    struct stat info;
    bool found;

    make_base();
    store = open_store(in_base("store"));
    put(store, PK_LIT("k"), PK_LIT("v"));
    cr_expect_str_eq(pk_store_path(store), in_base("store"));
    pk_store_close(store);
    cr_assert_eq(stat(in_base("store"), &info), 0);
    cr_expect_eq(info.st_mode & 0777, 0700);

    store = open_store(in_base("store"));
    cr_assert_eq(pk_store_get(store, PK_LIT("k"), &value, &found, &err), PK_OK);
    cr_expect(found && pk_slice_is(pk_buf_slice(&value), "v"));
    cr_assert_eq(pk_store_get(store, PK_LIT("mf"), &value, &found, &err), PK_OK);
    cr_expect(found && pk_slice_is(pk_buf_slice(&value), "\1"), "the format version");
    pk_store_close(store);
    pk_buf_release(&value);
    remove_base();
}

Test(store_open, refuses_what_is_no_store_and_leaves_it_alone)
{
    struct pk_store_options existing = {.must_exist = true};
    char expected[512];
    uint64_t before;

    make_base();
    mkdir(in_base("docs"), 0700);
    write_file(in_base("docs/letter.txt"), "dear");
    write_file(in_base("docs/CURRENT"), "MANIFEST-000001\n");
    write_file(in_base("file"), "text");
    before = fingerprint(in_base("docs"));
    snprintf(expected, sizeof(expected),
             "directory '%s/docs' is not empty and holds no store (no file PKSK.LOCK)", base);
    cr_expect_str_eq(open_error(in_base("docs"), &PLAIN, PK_E_IO), expected);
    cr_expect_eq(fingerprint(in_base("docs")), before);
    snprintf(expected, sizeof(expected), "cannot open store '%s/file': Not a directory", base);
    cr_expect_str_eq(open_error(in_base("file"), &PLAIN, PK_E_IO), expected);
    snprintf(expected, sizeof(expected), "no store in '%s/none'", base);
    cr_expect_str_eq(open_error(in_base("none"), &existing, PK_E_IO), expected);
    cr_expect_neq(access(in_base("none"), F_OK), 0);
    cr_expect_str_eq(open_error("", &PLAIN, PK_E_USAGE), "the store's directory has an empty name");
    cr_expect_str_eq(open_error("/proc/pksk", &PLAIN, PK_E_IO),
                     "cannot make store directory '/proc/pksk': No such file or directory");
    snprintf(expected, sizeof(expected),
             "cannot make store directory '%s/deep/er/store': No such file or directory", base);
    cr_expect_str_eq(open_error(in_base("deep/er/store"), &PLAIN, PK_E_IO), expected);
    cr_expect_neq(access(in_base("deep"), F_OK), 0);
    remove_base();
}

Test(store_open, memory_is_private_and_removed)
{
    struct pk_store_options memory = {.in_memory = true};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *one = NULL, *two = NULL;
    char path[256];
    struct stat info;

    make_base();
    setenv("TMPDIR", base, 1);
    mkdir(in_base("pksk-memory-killed"), 0700); /* what a killed process leaves */
    write_file(in_base("pksk-memory-killed/PKSK.LOCK"), "pksk 1\npid 1\n");
    write_file(in_base("pksk-memory-killed/000003.log"), "");
    mkdir(in_base("pksk-memory-new"), 0700); /* another one that is just being made */
    cr_assert_eq(pk_store_open("ignored", &memory, &one, &err), PK_OK, "%s", err.message);
    cr_assert_eq(pk_store_open("ignored", &memory, &two, &err), PK_OK, "%s", err.message);
    cr_expect_neq(access(in_base("pksk-memory-killed"), F_OK), 0);
    cr_expect_eq(access(in_base("pksk-memory-new"), F_OK), 0);
    snprintf(path, sizeof(path), "%s", pk_store_path(one));
    cr_assert_eq(stat(path, &info), 0);
    cr_expect_eq(info.st_mode & 0777, 0700);
    cr_expect_str_neq(path, pk_store_path(two));
    pk_store_close(one);
    cr_expect_neq(access(path, F_OK), 0);
    pk_store_close(two);
    remove_base();
}

/* The lock -------------------------------------------------------------------------------------*/

Test(store_open, one_process_opens_once)
{
    struct pk_store *store;
    char expected[512];

    make_base();
    store = open_store(in_base("s"));
    snprintf(expected, sizeof(expected), "store '%s/s' is in use by process %ld", base,
             (long)getpid());
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_LOCKED), expected);
    snprintf(expected, sizeof(expected), "store '%s/./s/' is in use by process %ld", base,
             (long)getpid());
    cr_expect_str_eq(open_error(in_base("./s/"), &PLAIN, PK_E_LOCKED), expected);
    pk_store_set_url(store, "http://127.0.0.1:8000");
    snprintf(expected, sizeof(expected),
             "store '%s/s' is in use by process %ld serving http://127.0.0.1:8000", base,
             (long)getpid());
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_LOCKED), expected);
    pk_store_set_url(store, NULL);
    snprintf(expected, sizeof(expected), "pksk 1\npid %ld\n", (long)getpid());
    cr_expect_str_eq(read_file(in_base("s/PKSK.LOCK")), expected);
    pk_store_close(store);
    cr_expect_str_eq(read_file(in_base("s/PKSK.LOCK")), "pksk 1\n");
    pk_store_close(open_store(in_base("s")));
    remove_base();
}

/* The child only takes the lock: LevelDB does not survive a fork. */
Test(store_open, another_process_is_named)
{
    int ready[2], finish[2];
    char expected[512], byte = 0;
    pid_t child;

    make_base();
    mkdir(in_base("s"), 0700);
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(finish), 0);
    child = fork();
    if (child == 0) {
        struct pk_error err = PK_ERROR_INIT;
        struct pk_store_lock *lock = NULL;

        close(finish[1]);
        if (pk_store_lock_take(in_base("s"), 1, &lock, &err) != PK_OK)
            _exit(1);
        pk_store_lock_set_url(lock, "http://127.0.0.1:9000");
        if (write(ready[1], &byte, 1) != 1 || read(finish[0], &byte, 1) != 0)
            _exit(1);
        _exit(0); /* without giving the lock up: as if killed */
    }
    close(finish[0]);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    snprintf(expected, sizeof(expected),
             "store '%s/s' is in use by process %ld serving http://127.0.0.1:9000", base,
             (long)child);
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_LOCKED), expected);
    close(finish[1]);
    waitpid(child, NULL, 0);
    pk_store_close(open_store(in_base("s")));
    remove_base();
}

/* Format ---------------------------------------------------------------------------------------*/

Test(store_open, newer_format_is_refused_unchanged)
{
    struct pk_store *store;
    char expected[512];
    uint64_t before;

    make_base();
    snprintf(expected, sizeof(expected),
             "store '%s/s' has format 2 of a newer pksk, this one knows format 1", base);
    store = open_store(in_base("s"));
    put(store, PK_LIT("mf"), PK_LIT("\2"));
    pk_store_close(store);
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_STORE_VERSION), expected);

    write_file(in_base("s/PKSK.LOCK"), "pksk 2\n");
    before = fingerprint(in_base("s"));
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_STORE_VERSION), expected);
    cr_expect_eq(fingerprint(in_base("s")), before, "seen before LevelDB touched anything");
    write_file(in_base("s/PKSK.LOCK"), "pksk 99999999999999999999\n");
    before = fingerprint(in_base("s"));
    (void)open_error(in_base("s"), &PLAIN, PK_E_STORE_VERSION);
    cr_expect_eq(fingerprint(in_base("s")), before, "a number that does not fit is newer, too");
    remove_base();
}

Test(store_open, missing_or_malformed_format)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_store *store;
    char expected[512];

    make_base();
    store = open_store(in_base("s"));
    pk_batch_put(&batch, PK_LIT("k"), PK_LIT("v"));
    pk_batch_delete(&batch, PK_LIT("mf"));
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    pk_batch_release(&batch);
    pk_store_close(store);
    pk_store_close(open_store(in_base("s"))); /* the lock file knows it */

    store = open_store(in_base("s"));
    pk_batch_delete(&batch, PK_LIT("mf"));
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    pk_batch_release(&batch);
    pk_store_close(store);
    write_file(in_base("s/PKSK.LOCK"), "");
    snprintf(expected, sizeof(expected), "store '%s/s' has rows but no format version", base);
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), expected);

    write_file(in_base("s/PKSK.LOCK"), "pksk 1\n");
    store = open_store(in_base("s"));
    put(store, PK_LIT("mf"), PK_LIT("\1\1"));
    pk_store_close(store);
    snprintf(expected, sizeof(expected), "store '%s/s' has a malformed format version", base);
    cr_expect_str_eq(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), expected);
    remove_base();
}

/* Damage ---------------------------------------------------------------------------------------*/

enum { ROWS = 3000 };

/* Table rows of table 7, all of them overwritten once; in table files when asked. */
static void make_rows(const char *path, bool in_tables)
{
    struct pk_store *store = open_store(path);
    struct pk_error err = PK_ERROR_INIT;

    for (int version = 1; version <= 2; version++) {
        struct pk_batch batch = PK_BATCH_INIT;

        for (unsigned i = 0; i < ROWS; i++) {
            struct pk_buf key = PK_BUF_INIT;
            char value[64];

            snprintf(value, sizeof(value), "%d %u some text that is long enough", version, i);
            pk_layout_token(&key, PK_SPACE_TABLE, 7, i);
            pk_batch_put(&batch, pk_buf_slice(&key), pk_slice_cstr(value));
            pk_buf_release(&key);
        }
        cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
        pk_batch_release(&batch);
        if (in_tables)
            pk_store_compact(store, pk_range_all());
    }
    pk_store_close(store);
}

/* Rows of make_rows that are there, in their latest version. */
static unsigned count_rows(const char *path)
{
    struct pk_store *store = open_store(path);
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf value = PK_BUF_INIT;
    unsigned count = 0;

    for (unsigned i = 0; i < ROWS; i++) {
        struct pk_buf key = PK_BUF_INIT;
        bool found;

        pk_layout_token(&key, PK_SPACE_TABLE, 7, i);
        cr_assert_eq(pk_store_get(store, pk_buf_slice(&key), &value, &found, &err), PK_OK, "%s",
                     err.message);
        if (found) {
            cr_expect_eq(value.data[0], '2', "row %u is stale", i);
            count++;
        }
        pk_buf_release(&key);
    }
    pk_buf_release(&value);
    pk_store_close(store);
    return count;
}

/* The only file of the directory with this ending. */
static const char *only_file(const char *dir, const char *ending)
{
    static char path[512];
    struct dirent **names = NULL;
    int count = scandir(dir, &names, NULL, alphasort), found = 0;

    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        size_t length = strlen(name);

        if (length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0) {
            snprintf(path, sizeof(path), "%s/%s", dir, name);
            found++;
        }
        free(names[i]);
    }
    free(names);
    cr_assert_eq(found, 1, "%d files *%s", found, ending);
    return path;
}

static void flip_byte(const char *path, off_t at)
{
    int fd = open(path, O_RDWR);
    char byte;

    cr_assert_eq(pread(fd, &byte, 1, at), 1);
    byte = (char)(byte ^ 0x40);
    cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void keep_line(void *state, const char *line)
{
    pk_buf_printf(state, "%s\n", line);
}

static void repair(const char *path, struct pk_buf *report)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_store_repair(path, keep_line, report, &err), PK_OK, "%s", err.message);
}

Test(store_open, damaged_table_is_named_and_repaired)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf report = PK_BUF_INIT;
    struct pk_verified seen;
    struct pk_store *store;
    char name[64], expected[256];
    unsigned rows;

    make_base();
    make_rows(in_base("s"), true);
    snprintf(name, sizeof(name), "%s", strrchr(only_file(in_base("s"), ".ldb"), '/') + 1);
    flip_byte(only_file(in_base("s"), ".ldb"), 10000);

    store = open_store(in_base("s"));
    cr_assert_eq(pk_store_verify(store, pk_range_all(), &seen, &err), PK_E_CORRUPT);
    snprintf(expected, sizeof(expected), "table file %s: 1 of ", name);
    cr_expect(strstr(err.message, expected) == err.message, "%s", err.message);
    cr_expect_neq(strstr(err.message, " blocks damaged, with rows of table 7: cannot read store"),
                  NULL, "%s", err.message);
    cr_expect_neq(strstr(err.message, "Corruption: block checksum mismatch"), NULL, "%s",
                  err.message);
    cr_expect_neq(strstr(err.hint, "pksk repair"), NULL);
    cr_expect_gt(seen.rows, ROWS * 9 / 10);
    cr_expect_lt(seen.rows, ROWS);
    pk_error_release(&err);
    pk_store_close(store);

    repair(in_base("s"), &report);
    cr_expect_neq(strstr(report.data, "blocks damaged, with rows of table 7\n"), NULL, "%s",
                  report.data);
    cr_expect_neq(strstr(report.data, "entries repaired"), NULL, "%s", report.data);
    rows = count_rows(in_base("s"));
    cr_expect_eq(rows, seen.rows - 1, "all that could be read, less the format version");
    snprintf(expected, sizeof(expected), "s/lost/%s", name);
    cr_expect_eq(access(in_base(expected), F_OK), 0, "the original is kept");
    pk_buf_clear(&report);
    repair(in_base("s"), &report);
    cr_expect_eq(report.len, 0, "nothing to tell the second time: %s", report.data);
    pk_buf_release(&report);
    remove_base();
}

Test(store_open, lost_files_of_leveldb)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf report = PK_BUF_INIT;
    char command[256];

    make_base();
    for (int in_tables = 0; in_tables <= 1; in_tables++) {
        make_rows(in_base("s"), in_tables != 0);
        unlink(in_base("s/CURRENT"));
        cr_expect_neq(
            strstr(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), "has lost its file CURRENT"),
            NULL);
        repair(in_base("s"), &report);
        cr_expect_eq(count_rows(in_base("s")), ROWS, "tables %d", in_tables);

        snprintf(command, sizeof(command), "rm %s/s/MANIFEST-*", base);
        cr_assert_eq(system(command), 0);
        cr_expect_neq(strstr(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), "Corruption: CURRENT"),
                      NULL);
        repair(in_base("s"), &report);
        cr_expect_eq(count_rows(in_base("s")), ROWS, "tables %d", in_tables);
        snprintf(command, sizeof(command), "rm -r %s/s", base);
        cr_assert_eq(system(command), 0);
    }
    cr_expect_eq(pk_store_repair(base, NULL, NULL, &err), PK_E_IO);
    cr_expect_neq(strstr(err.message, "no store in"), NULL, "%s", err.message);
    pk_error_release(&err);
    pk_buf_release(&report);
    remove_base();
}

/* LevelDB would make a new database there, and then delete the tables it does not know. */
Test(store_open, current_that_leads_nowhere_is_lost)
{
    struct pk_buf report = PK_BUF_INIT;

    make_base();
    make_rows(in_base("s"), true);
    unlink(in_base("s/CURRENT"));
    cr_assert_eq(symlink("CURRENT", in_base("s/CURRENT")), 0);
    cr_expect_neq(
        strstr(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), "has lost its file CURRENT"), NULL);
    unlink(in_base("s/CURRENT"));
    repair(in_base("s"), &report);
    cr_expect_eq(count_rows(in_base("s")), ROWS);
    pk_buf_release(&report);
    remove_base();
}

Test(store_open, a_table_file_cut_short_is_corruption)
{
    const char *table;
    struct stat info;

    make_base();
    make_rows(in_base("s"), true);
    table = only_file(in_base("s"), ".ldb");
    cr_assert_eq(stat(table, &info), 0);
    cr_assert_eq(truncate(table, info.st_size / 2), 0);
    cr_expect_neq(strstr(open_error(in_base("s"), &PLAIN, PK_E_CORRUPT), ".ldb: Invalid argument"),
                  NULL);
    remove_base();
}

Test(store_open, a_table_file_that_is_gone_is_named)
{
    struct pk_buf report = PK_BUF_INIT;
    char name[64];

    make_base();
    make_rows(in_base("s"), true);
    snprintf(name, sizeof(name), "%s", strrchr(only_file(in_base("s"), ".ldb"), '/') + 1);
    unlink(only_file(in_base("s"), ".ldb"));
    repair(in_base("s"), &report);
    cr_expect_neq(strstr(report.data == NULL ? "" : report.data, name), NULL, "%s", report.data);
    pk_buf_release(&report);
    remove_base();
}

/* What stands behind the end of a table file is nothing to LevelDB, but its repair would look for
 * the table's index there. */
Test(store_open, repair_leaves_a_whole_store_alone)
{
    struct pk_buf report = PK_BUF_INIT;
    FILE *table;

    make_base();
    make_rows(in_base("s"), true);
    table = fopen(only_file(in_base("s"), ".ldb"), "a");
    cr_assert_not_null(table);
    fputs("nothing of ours", table);
    fclose(table);
    repair(in_base("s"), &report);
    cr_expect_eq(report.len, 0, "%s", report.data);
    cr_expect_eq(count_rows(in_base("s")), ROWS);
    pk_buf_release(&report);
    remove_base();
}

Test(store_open, repair_needs_the_lock)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store;

    make_base();
    store = open_store(in_base("s"));
    cr_expect_eq(pk_store_repair(in_base("s"), NULL, NULL, &err), PK_E_LOCKED);
    pk_error_release(&err);
    put(store, PK_LIT("k"), PK_LIT("v"));
    pk_store_close(store);
    remove_base();
}

/* A killed process leaves a log that ends anywhere: opening must take what is whole. */
Test(store_open, log_cut_anywhere_opens)
{
    struct pk_store *store;
    char whole[512], command[768];
    struct stat info;

    make_base();
    store = open_store(in_base("s"));
    for (unsigned i = 0; i < 40; i++) {
        char key[8], value[2000];

        memset(value, 'v', sizeof(value));
        snprintf(key, sizeof(key), "k%02u", i);
        put(store, pk_slice_cstr(key), pk_slice_of(value, sizeof(value)));
    }
    snprintf(command, sizeof(command), "cp -r %s/s %s/whole", base, base); /* as if killed here */
    cr_assert_eq(system(command), 0);
    pk_store_close(store);
    snprintf(whole, sizeof(whole), "%s", only_file(in_base("whole"), ".log"));
    cr_assert_eq(stat(whole, &info), 0);
    for (off_t cut = 0; cut <= info.st_size; cut += 1237) {
        struct pk_error err = PK_ERROR_INIT;
        struct pk_verified seen;

        snprintf(command, sizeof(command), "rm -rf %s/s && cp -r %s/whole %s/s", base, base, base);
        cr_assert_eq(system(command), 0);
        cr_assert_eq(truncate(only_file(in_base("s"), ".log"), cut), 0);
        store = open_store(in_base("s"));
        cr_assert_eq(pk_store_verify(store, pk_range_all(), &seen, &err), PK_OK);
        cr_expect_geq(seen.rows, (uint64_t)cut / 2050, "cut at %ld", (long)cut);
        cr_expect_leq(seen.rows, (uint64_t)cut / 2000 + 1, "cut at %ld", (long)cut);
        pk_store_close(store);
    }
    remove_base();
}

Test(store_open, table_file_check_survives_any_damage)
{
    struct pk_buf line = PK_BUF_INIT;
    const char *path, *name;
    struct stat info;

    make_base();
    make_rows(in_base("s"), true);
    path = only_file(in_base("s"), ".ldb");
    name = strrchr(path, '/') + 1;
    cr_assert_eq(stat(path, &info), 0);
    cr_expect(pk_table_file_check(in_base("s"), name, &line));
    cr_expect_eq(line.len, 0);
    cr_expect(pk_table_file_check(in_base("s"), "999999.ldb", &line), "gone meanwhile");
    for (off_t at = info.st_size - 1; at >= 0; at -= at > info.st_size - 1500 ? 1 : 499) {
        bool is_padding = at >= info.st_size - 48 && at < info.st_size - 8;

        flip_byte(path, at);
        cr_expect(is_padding || !pk_table_file_check(in_base("s"), name, &line), "byte %ld",
                  (long)at);
        if (is_padding)
            pk_table_file_check(in_base("s"), name, &line);
        flip_byte(path, at);
    }
    cr_expect(pk_table_file_check(in_base("s"), name, &line));
    pk_buf_clear(&line);
    cr_assert_eq(truncate(path, 20), 0);
    cr_expect_not(pk_table_file_check(in_base("s"), name, &line));
    cr_expect_neq(strstr(line.data, "its index is damaged, all of its rows are hidden"), NULL);
    pk_buf_release(&line);
    remove_base();
}
