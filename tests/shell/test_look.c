/*
 * The commands that look inside, as people see them: rendered from made-up answers, compared with
 * tests/shell/look/NAME.txt. UPDATE=1 rewrites the files.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/render/render.h"
#include "tests/support/command_fixture.h"
#include "tests/support/fake_backend.h"
#include "tests/support/look_fixture.h"
#include "tests/support/temp_dir.h"

/* 120 s of one partition and 3 s of another; text that is markup, and no UTF-8. */
#define TEN(x) x "," x "," x "," x "," x "," x "," x "," x "," x "," x
#define HUNDRED(x)                                                                                 \
    TEN(x)                                                                                         \
    "," TEN(x) "," TEN(x) "," TEN(x) "," TEN(x) "," TEN(x) "," TEN(x) "," TEN(x) "," TEN(          \
        x) "," TEN(x)
#define LOOK_LONG                                                                                                     \
    "{\"Time\":" LOOK_NOW ",\"Throttle\":\"enforce\",\"TableName\":\"dash<&>board\","                                 \
    "\"PartitionCount\":2,\"Partitions\":[{\"Number\":0,\"LastToken\":\"7fffffffffffffff\","                          \
    "\"Read\":{\"Limit\":3000,\"Admitted\":9},\"Write\":{\"Limit\":1000},"                                            \
    "\"Hottest\":[{\"Key\":{\"PK\":{\"S\":\"<b>&\\u001b[31m\"}},\"Share\":1000}],"                                    \
    "\"History\":{\"Read\":[" TEN("10000") "," TEN("900000") "," HUNDRED(                                             \
        "1600000") "],\"Write\":[" TEN("0") "," TEN("0") "," HUNDRED("900000") "],\"Refused\":"                       \
                                                                               "[" TEN("0") "," TEN("0") "," HUNDRED( \
                                                                                   "0") "]}},"                        \
                                                                                        "{\"Numbe"                    \
                                                                                        "r\":1,"                      \
                                                                                        "\"FirstT"                    \
                                                                                        "oken\":"                     \
                                                                                        "\"800000"                    \
                                                                                        "00000000"                    \
                                                                                        "00\","                       \
                                                                                        "\"LastTo"                    \
                                                                                        "ken\":"                      \
                                                                                        "\"ffffff"                    \
                                                                                        "ffffffff"                    \
                                                                                        "ff\","                       \
                                                                                        "\"FirstK"                    \
                                                                                        "ey\":\"<"                    \
                                                                                        "x> "                         \
                                                                                        "\xff\","                     \
                                                                                        "\"Read\""                    \
                                                                                        ":{"                          \
                                                                                        "\"Limit"                     \
                                                                                        "\":3000}"                    \
                                                                                        ","                           \
                                                                                        "\"Hottes"                    \
                                                                                        "t\":[{"                      \
                                                                                        "\"Key\":"                    \
                                                                                        "{\"PK\":"                    \
                                                                                        "{\"S\":"                     \
                                                                                        "\"k\"}},"                    \
                                                                                        "\"Share"                     \
                                                                                        "\":4}],"                     \
                                                                                        "\"Histor"                    \
                                                                                        "y\":{"                       \
                                                                                        "\"Read\""                    \
                                                                                        ":[1,"                        \
                                                                                        "3000000,"                    \
                                                                                        "9000000]"                    \
                                                                                        ",\"Write"                    \
                                                                                        "\":[0,0,"                    \
                                                                                        "0],"                         \
                                                                                        "\"Refuse"                    \
                                                                                        "d\":[0,"                     \
                                                                                        "0,7]}}]}"

static const struct look {
    const char *name;
    const char *snapshot;
    const char *statement;
    enum cmd_mode mode;
    size_t width;
    bool ascii;
} looks[] = {
    {"partitions-hot", LOOK_HOT("enforce"), "partitions", CMD_MODE_TABLE, 110, false},
    {"partitions-observe", LOOK_HOT("observe"), "partitions", CMD_MODE_TABLE, 0, false},
    {"partitions-80", LOOK_HOT("enforce"), "partitions", CMD_MODE_TABLE, 80, false},
    {"partitions-ascii", LOOK_HOT("off"), "partitions", CMD_MODE_TABLE, 110, true},
    {"partitions-json", LOOK_HOT("enforce"), "partitions", CMD_MODE_JSON, 0, false},
    {"partitions-csv", LOOK_HOT("enforce"), "partitions", CMD_MODE_CSV, 0, false},
    {"partitions-markdown", LOOK_HOT("enforce"), "partitions", CMD_MODE_MARKDOWN, 0, false},
    {"partitions-line", LOOK_PROVISIONED, "partitions", CMD_MODE_LINE, 0, false},
    {"partitions-provisioned", LOOK_PROVISIONED, "partitions", CMD_MODE_TABLE, 0, false},
    {"heat-hot", LOOK_HOT("enforce"), "heat", CMD_MODE_TABLE, 110, false},
    {"heat-observe-ascii", LOOK_HOT("observe"), "heat dashboard", CMD_MODE_TABLE, 0, true},
    {"heat-narrow", LOOK_LONG, "heat", CMD_MODE_TABLE, 50, false},
    {"heat-line", LOOK_LONG, "heat", CMD_MODE_LINE, 80, true},
    {"heat-csv", LOOK_HOT("enforce"), "heat", CMD_MODE_CSV, 0, false},
    {"heat-json", LOOK_HOT("enforce"), "heat", CMD_MODE_JSONL, 0, false},
    {"heat-empty", "{\"Partitions\":[{}]}", "heat", CMD_MODE_TABLE, 80, false},
    {"cost-month", LOOK_HOT("enforce"), "cost per month", CMD_MODE_TABLE, 0, false},
    {"cost-month-csv", LOOK_HOT("enforce"), "cost per month", CMD_MODE_CSV, 0, false},
    {"cost-month-idle", "{\"PartitionCount\":4}", "cost per month", CMD_MODE_TABLE, 0, false},
    {"partitions-empty", "{}", "partitions", CMD_MODE_TABLE, 80, false},
};

static void render(struct pk_buf *out, const struct look *look, const struct cmd_result *result)
{
    struct sh_render render = {
        .out = out, .width = look->width, .terminal = look->width > 0, .ascii = look->ascii};

    for (const struct cmd_block *block = result->first; block != NULL; block = block->next)
        sh_render_block(&render, look->mode, block);
}

/* What people see of it. */
static void run(struct pk_buf *out, const struct look *look)
{
    struct fake_answer answer = {"Pksk.Snapshot", look->snapshot, PK_OK, {0}};
    struct command_fixture fx;
    struct fake_backend fake;
    struct cmd_result result;
    struct pk_error err = PK_ERROR_INIT;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "use dashboard");
    fake_init(&fake, fx.context.backend, &answer, 1);
    fx.context.backend = &fake.base;
    cmd_result_init(&result);
    cr_expect_eq(cmd_execute(&fx.context, pk_slice_cstr(look->statement), &result, &err), PK_OK,
                 "%s: %s", look->name, err.message);
    render(out, look, &result);
    fx.context.backend = fake.inner;
    cmd_result_release(&result);
    pk_error_release(&err);
    fake_release(&fake);
    command_close(&fx);
}

static void read_golden(struct pk_buf *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    char block[4096];
    size_t n;

    if (file == NULL)
        return;
    while ((n = fread(block, 1, sizeof(block), file)) > 0)
        pk_buf_add(out, pk_slice_of(block, n));
    fclose(file);
}

static void compare(const char *name, const struct pk_buf *made)
{
    const char *update = getenv("UPDATE");
    struct pk_buf there = PK_BUF_INIT;
    char path[128];

    snprintf(path, sizeof(path), "tests/shell/look/%s.txt", name);
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE *file = fopen(path, "wb");

        cr_assert_not_null(file, "%s", path);
        fwrite(made->data, 1, made->len, file);
        fclose(file);
    }
    read_golden(&there, path);
    cr_expect(pk_slice_equal(pk_buf_slice(made), pk_buf_slice(&there)),
              "%s is not what is shown:\n%.*s", path, (int)made->len, made->data);
    pk_buf_release(&there);
}

static const struct drawing_case {
    const char *name, *snapshot;
} drawing_cases[] = {
    {"heat-svg-hot", LOOK_HOT("enforce")},
    {"heat-svg-long", LOOK_LONG},
    {"heat-svg-empty", "{\"Partitions\":[{}]}"},
};

Test(look, drawings_are_as_they_were)
{
    struct temp_dir dir;
    char statement[160], path[128];

    temp_dir_make(&dir);
    snprintf(path, sizeof(path), "%s/heat.svg", dir.path);
    snprintf(statement, sizeof(statement), "heat save '%s'", path);
    for (size_t i = 0; i < sizeof(drawing_cases) / sizeof(drawing_cases[0]); i++) {
        struct look look = {.name = drawing_cases[i].name,
                            .snapshot = drawing_cases[i].snapshot,
                            .statement = statement};
        struct pk_buf said = PK_BUF_INIT, made = PK_BUF_INIT;

        run(&said, &look);
        cr_expect_eq(strstr(said.data, "is replaced") != NULL, i > 0, "%s", said.data);
        read_golden(&made, path);
        compare(look.name, &made);
        pk_buf_release(&said);
        pk_buf_release(&made);
    }
    temp_dir_remove(&dir);
}

Test(look, screens_are_as_they_were)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        struct pk_buf made = PK_BUF_INIT;

        run(&made, &looks[i]);
        compare(looks[i].name, &made);
        pk_buf_release(&made);
    }
}

static const struct bar_case {
    unsigned thousandths;
    size_t width;
    bool ascii;
    const char *bar;
} bar_cases[] = {
    {0, 4, false, "\xC2\xB7   "},
    {1, 4, false, "\xE2\x96\x8F   "},
    {500, 4, false, "\xE2\x96\x88\xE2\x96\x88  "},
    {530, 4, false, "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x8F "},
    {999, 2, false, "\xE2\x96\x88\xE2\x96\x89"},
    {1000, 2, false, "\xE2\x96\x88\xE2\x96\x88"},
    {5000, 2, false, "\xE2\x96\x88\xE2\x96\x88"},
    {0, 4, true, ".   "},
    {1, 4, true, "+   "},
    {500, 4, true, "##  "},
    {620, 4, true, "##+ "},
    {999, 4, true, "###+"},
    {1000, 4, true, "####"},
    {1000, 0, true, ""},
};

Test(look, bars)
{
    for (size_t i = 0; i < sizeof(bar_cases) / sizeof(bar_cases[0]); i++) {
        const struct bar_case *row = &bar_cases[i];
        struct pk_buf out = PK_BUF_INIT;

        sh_bar(&out, row->thousandths, row->width, row->ascii);
        cr_expect(pk_slice_is(pk_buf_slice(&out), row->bar), "%u of %zu: '%.*s'", row->thousandths,
                  row->width, (int)out.len, out.data);
        pk_buf_release(&out);
    }
}

Test(look, bars_of_a_grid_keep_their_cells)
{
    static const char *const columns[] = {"a", "b"};
    static const uint64_t parts[5][2] = {
        {0, 10}, {1, 10}, {UINT64_MAX - 1, UINT64_MAX}, {7, 0}, {12, 10}};
    static const uint16_t bars[5] = {1, 101, 1000, 1, 1001};
    struct cmd_result result;
    struct cmd_grid *grid;

    cmd_result_init(&result);
    grid = cmd_result_grid(&result, columns, NULL, 2);
    for (size_t i = 0; i < 5; i++) {
        pk_slice cells[2] = {PK_LIT("x"), PK_LIT("y")};

        cmd_grid_row(&result, grid, cells);
        cmd_grid_bar(&result, grid, 1, parts[i][0], parts[i][1]);
    }
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(grid->bars[2 * i], 0, "%zu", i);
        cr_expect_eq(grid->bars[2 * i + 1], bars[i], "%zu: %u", i, grid->bars[2 * i + 1]);
    }
    cmd_result_release(&result);
}
