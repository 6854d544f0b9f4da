/* The program on bad days, as a command line sees it: descriptors, stores, signals, exit codes. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "tests/support/temp_dir.h"

TestSuite(program);

static struct temp_dir home;

static void program_find(void)
{
    const char *config = getenv("CONFIG");
    char path[256];
    char *full;

    snprintf(path, sizeof(path), "build/%s/pksk", config == NULL ? "release" : config);
    full = realpath(access(path, X_OK) == 0 ? path : "./pksk", NULL);
    cr_assert_not_null(full, "%s", path);
    setenv("PKSK", full, 1);
    free(full);
}

static void enter_home(void)
{
    program_find();
    temp_dir_make(&home);
    cr_assert_eq(chdir(home.path), 0);
    setenv("HOME", home.path, 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
}

/* Runs a line of sh; its exit code, and what it wrote to both streams. */
static int run(const char *line, struct pk_buf *out)
{
    struct pk_buf command = PK_BUF_INIT;
    FILE *pipe;
    size_t got;

    pk_buf_printf(&command, "exec 2>&1 </dev/null; pksk() { \"$PKSK\" -q --no-init \"$@\"; }\n%s",
                  line);
    pipe = popen(command.data, "r");
    cr_assert_not_null(pipe);
    pk_buf_clear(out);
    while ((got = fread(pk_buf_reserve(out, 4096), 1, 4096, pipe)) > 0)
        out->len += got;
    *pk_buf_reserve(out, 1) = '\0';
    pk_buf_release(&command);

    int status = pclose(pipe);

    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct row {
    const char *line;
    int status;
    const char *shown;
};

static void check(const struct row *rows, size_t count)
{
    struct pk_buf out = PK_BUF_INIT;

    enter_home();
    for (size_t i = 0; i < count; i++) {
        int status = run(rows[i].line, &out);

        cr_expect_eq(status, rows[i].status, "%s: exit %d", rows[i].line, status);
        cr_expect_str_eq(out.data, rows[i].shown, "%s:\n%s\ninstead of\n%s", rows[i].line, out.data,
                         rows[i].shown);
    }
    pk_buf_release(&out);
    temp_dir_remove(&home);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

#define NO_SPACE "cannot write standard output: No space left on device\n"

Test(program, descriptors)
{
    static const struct row rows[] = {
        {"pksk -c mode s >&-", 1,
         "StorageError: cannot write standard output: Bad file descriptor\n"},
        {"pksk s <&-", 1, "StorageError: cannot read 'standard input': Bad file descriptor\n"},
        {"pksk -c mode s 2>&-", 0, "table\n"},
        {"pksk -c mode s <&-", 0, "table\n"},
        {"pksk -c mode s <&- >&- 2>&-", 1, ""},
        {"pksk -c check s", 0, "tables 0, items 0, index entries 0, 0 B read: no faults\n"},
        {"cat s/PKSK.LOCK", 0, "pksk 1\n"},
        {"pksk -c mode s >/dev/full", 1, "StorageError: " NO_SPACE},
        {"pksk --version >/dev/full", 1, "pksk: " NO_SPACE},
        {"pksk --help >/dev/full", 1, "pksk: " NO_SPACE},
    };

    check(rows, COUNT(rows));
}

/* What was confirmed before the limit is there, and a command that is run has the signal again. */
Test(program, a_limit_to_file_sizes)
{
    static const struct row rows[] = {
        {"pksk -c 'create table Tab (k S)' s >out 2>out", 0, ""},
        {"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
         "    echo \"put k$i {v: '$(printf %020000d 0)'} into Tab\"\n"
         "done >w",
         0, ""},
        {"(ulimit -f 128; pksk --keep-going -f w s >out 2>err; echo $?)\n"
         "grep -c WCU err; sed -n 's,s/[0-9]*.log,LOG,; s/^StorageError/&/p' err | sort -u",
         0,
         "1\n3\nStorageError: cannot write to store 's': IO error: LOG: File too large; it can be "
         "read, but takes no more writes until it is reopened\n"},
        {"pksk -c check s", 0, "tables 1, items 3, index entries 0, 58.6 KB read: no faults\n"},
        {"pksk -c '\\! ulimit -f 0; echo x >file; echo more' s", 1,
         "UsageError: the command ended with status 153\n"},
    };

    check(rows, COUNT(rows));
}

Test(program, exit_codes)
{
    static const struct row rows[] = {
        {"pksk --frob", 2, "pksk: no option '--frob'\ntry pksk --help\n"},
        {"pksk --mode nonsense", 2,
         "pksk: no mode 'nonsense': table, line, json, jsonl, csv or markdown\n"
         "try pksk --help\n"},
        {"pksk \"$(printf -- '--\\033[31m\\377')\"", 2,
         "pksk: no option '--\\e[31m\\xff'\ntry pksk --help\n"},
        {"echo x >file; pksk -c tables file", 3,
         "StorageError: cannot open store 'file': Not a directory\n"},
        {"mkdir full; touch full/file; pksk -c tables full", 3,
         "StorageError: directory 'full' is not empty and holds no store (no file PKSK.LOCK)\n"},
        {"ls full", 0, "file\n"},
        {"pksk -c tables deep/er/store", 3,
         "StorageError: cannot make store directory 'deep/er/store': No such file or directory\n"
         "  hint: only the last part of a path is made; the others must be there\n"},
        {"ls", 0, "file\nfull\n"},
        {"truncate -s 40M zeros; pksk -f zeros s", 1,
         "UsageError: a statement of more than 32 MB, which begins in zeros line 1\n"},
        {"pksk -f none s", 1, "StorageError: cannot open 'none': No such file or directory\n"},
        {"printf 'mode\\n\\nmode x\\n' | pksk s", 1,
         "table\n"
         "UsageError: no mode 'x': table, line, json, jsonl, csv or markdown\n"
         "  mode x\n"
         "       ^\n"
         " stopped at standard input line 3\n"},
    };

    check(rows, COUNT(rows));
}
