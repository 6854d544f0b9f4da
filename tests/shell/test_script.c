/* Feeding statements in pieces: marks, line ends, errors, and what a script leaves behind. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell/script.h"
#include "shell/show.h"

TestSuite(script);

struct fixture {
    struct sh sh;
    int fd;
};

static void open_shell(struct fixture *fixture, bool keep_going)
{
    struct sh_options options = {.memory = true, .keep_going = keep_going};
    struct sh_output output;
    struct pk_error err = PK_ERROR_INIT;

    fixture->fd = memfd_create("output", MFD_CLOEXEC);
    sh_output_init(&output, fixture->fd, fixture->fd);
    cr_assert_eq(sh_open(&fixture->sh, &options, output, &err), PK_OK, "%s", err.message);
}

static void close_shell(struct fixture *fixture)
{
    sh_close(&fixture->sh);
    close(fixture->fd);
}

static void expect_output(const struct fixture *fixture, const char *what, const char *expected)
{
    char text[2048] = "";

    cr_assert(pread(fixture->fd, text, sizeof(text) - 1, 0) >= 0);
    cr_expect_str_eq(text, expected, "%s:\n%s\ninstead of\n%s", what, text, expected);
}

#define NO_MODE                                                                                    \
    "UsageError: no mode 'x': table, line, json, jsonl, csv or markdown\n"                         \
    "  mode x\n"                                                                                   \
    "       ^\n"

static const struct row {
    const char *text;
    bool keep_going;
    int status;
    const char *expected;
} ROWS[] = {
    {"", false, 0, ""},
    {"\n\n;;\n-- nothing\n", false, 0, ""},
    {"mode", false, 0, "table\n"},
    {"mode /* of showing */\n/* nothing */", false, 0, "table\n"},
    {"mode\n\n/* mode csv\nmode\n", false, 1,
     "table\nUsageError: a comment that begins with /* is never closed\n"
     " stopped at file line 3\n"},
    {"mode\nmode /* csv\nmode\n", false, 1,
     "table\nUsageError: a comment that begins with /* is never closed\n"
     " stopped at file line 2\n"},
    {"mode line; mode", false, 0, "line\n"},
    {"\xef\xbb\xbfmode\r\nmode csv\r\nmode\r\n", false, 0, "table\ncsv\n"},
    {"mode x\nmode\n", false, 1, NO_MODE " stopped at file line 1\n"},
    {"\n-- a comment\nmode;\n\nmode x\nmode\n", false, 1,
     "table\n" NO_MODE " stopped at file line 5\n"},
    {"mode x\nmode\n", true, 1, NO_MODE "table\n"},
    {"mode\nquit\nmode x\n", false, 0, "table\n"},
    {"\\x\nmode\n\\x\nmode\n", false, 0, " mode line\nline\n mode table\ntable\n"},
    {"\\i /nowhere/file\n", false, 1,
     "StorageError: cannot open '/nowhere/file': No such file or directory\n"
     "  \\i /nowhere/file\n"
     "     ^^^^^^^^^^^^^\n"
     " stopped at file line 1\n"},
    {"watch 0 times 3 mode\n", false, 0, "table\ntable\ntable\n"},
    {"watch 0 times 3 mode x\n", false, 1,
     "UsageError: no mode 'x': table, line, json, jsonl, csv or markdown\n"
     "  watch 0 times 3 mode x\n"
     "                       ^\n"
     " stopped at file line 1\n"},
    {"watch 0 times 1 watch 0 times 1 watch 0 times 1 watch 0 times 1 "
     "watch 0 times 1 watch 0 times 1 watch 0 times 1 watch 0 times 1 "
     "watch 0 times 1 watch 0 times 1 watch 0 times 1 watch 0 times 1 "
     "watch 0 times 1 watch 0 times 1 watch 0 times 1 watch 0 times 1 "
     "watch 0 times 1 mode\n",
     false, 1,
     "UsageError: watch of watch: more than 16 deep\n"
     "  …1 watch 0 times 1 watch 0 times 1 mode\n"
     "                           ^^^^^^^^^^^^^^\n"
     " stopped at file line 1\n"},
};

/* The whole text at once, then byte by byte: what arrives when must not matter. */
Test(script, rows_whole_and_in_pieces)
{
    for (size_t i = 0; i < 2 * sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct row *row = &ROWS[i / 2];
        struct fixture fixture;
        struct sh_script script;
        size_t len = strlen(row->text);
        size_t piece = i % 2 == 0 ? len : 1;

        open_shell(&fixture, row->keep_going);
        sh_script_init(&script, &fixture.sh, "file");
        for (size_t at = 0; at < len; at += piece)
            sh_script_feed(&script, pk_slice_of(row->text + at, piece));
        cr_expect_eq(sh_script_end(&script), row->status, "row %zu", i / 2);
        cr_expect_eq(fixture.sh.status, row->status, "row %zu", i / 2);
        expect_output(&fixture, row->text, row->expected);
        sh_script_release(&script);
        close_shell(&fixture);
    }
}

Test(script, output_goes_to_a_file_and_back)
{
    char path[] = "/tmp/pksk-output-XXXXXX";
    char text[256];
    char content[64] = "";
    int fd = mkstemp(path);
    struct fixture fixture;

    cr_assert(fd >= 0);
    open_shell(&fixture, false);
    snprintf(text, sizeof(text), "output %s\nmode\noutput -\nmode line\nmode\n", path);
    cr_expect_eq(sh_script_text(&fixture.sh, pk_slice_cstr(text), NULL), 0);
    expect_output(&fixture, "standard output", "line\n");
    cr_assert(read(fd, content, sizeof(content) - 1) >= 0);
    cr_expect_str_eq(content, "table\n");
    close_shell(&fixture);
    close(fd);
    unlink(path);
}

Test(script, full_disk_is_the_statements_failure)
{
    struct fixture fixture;

    open_shell(&fixture, false);
    cr_expect_eq(sh_script_text(&fixture.sh, PK_LIT("output /dev/full\nmode\nmode\n"), "file"), 1);
    expect_output(&fixture, "full",
                  "StorageError: cannot write /dev/full: No space left on device\n"
                  " stopped at file line 2\n");
    close_shell(&fixture);
}

Test(script, an_interrupt_runs_no_half_statement)
{
    struct fixture fixture;
    struct sh_script script;

    open_shell(&fixture, false);
    sh_script_init(&script, &fixture.sh, "file");
    sh_script_feed(&script, PK_LIT("mode\nmode line"));
    atomic_store(&fixture.sh.cancel, true);
    cr_expect_eq(sh_script_end(&script), 0);
    expect_output(&fixture, "interrupted", "table\n");
    cr_expect_eq(fixture.sh.settings.mode, CMD_MODE_TABLE);
    sh_script_release(&script);
    close_shell(&fixture);
}

/* What has no end is given up at a limit, with or without line ends. */
Test(script, endless_statements)
{
    static const struct {
        const char *start;
        char filler;
        const char *shown;
    } rows[] = {
        {"mode\n", 'x',
         "table\nUsageError: a statement of more than 32 MB, which begins in line 2\n"},
        {"put a {x: '", '\n',
         "UsageError: a statement of more than 32 MB, which begins in line 1\n"},
    };
    enum { PIECE = 1 << 20 };
    char *piece = pk_malloc(PIECE);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture fixture;
        struct sh_script script;

        open_shell(&fixture, false);
        sh_script_init(&script, &fixture.sh, NULL);
        sh_script_feed(&script, pk_slice_cstr(rows[i].start));
        memset(piece, rows[i].filler, PIECE);
        for (size_t fed = 0; fed < 64 && !script.stopped; fed++)
            sh_script_feed(&script, pk_slice_of(piece, PIECE));
        cr_expect(script.text.len < (34 << 20), "row %zu: %zu bytes", i, script.text.len);
        cr_expect_eq(sh_script_end(&script), 1);
        expect_output(&fixture, rows[i].start, rows[i].shown);
        sh_script_release(&script);
        close_shell(&fixture);
    }
    free(piece);
}

Test(script, a_file_that_reads_itself)
{
    char path[] = "/tmp/pksk-self-XXXXXX";
    char text[64];
    int fd = mkstemp(path);
    int status = 0;
    struct fixture fixture;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert(fd >= 0);
    snprintf(text, sizeof(text), "read %s\n", path);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    open_shell(&fixture, false);
    cr_expect_eq(sh_script_file(&fixture.sh, path, &status, &err), PK_OK);
    cr_expect_eq(status, 1);
    close_shell(&fixture);
    close(fd);
    unlink(path);
}
