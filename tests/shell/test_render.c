/* Every mode on the same results: goldens. */
#include <criterion/criterion.h>

#include <locale.h>

#include "shell/render/render.h"

TestSuite(render);

static pk_value number(struct pk_arena *arena, const char *text)
{
    struct pk_num num;

    cr_assert_eq(pk_num_parse(pk_slice_cstr(text), &num), PK_NUM_OK);
    return pk_value_number(arena, &num);
}

static pk_value string(const char *text)
{
    return pk_value_string(pk_slice_cstr(text));
}

/* An item from pairs of name and value; name NULL ends. */
static pk_value item(struct pk_arena *arena, const struct pk_member *members, size_t n)
{
    struct pk_member *copy = PK_NEW_ARRAY(arena, struct pk_member, n);

    memcpy(copy, members, n * sizeof(*copy));
    return pk_value_map(copy, n);
}

#define ITEM(arena, ...)                                                                           \
    item((arena), (const struct pk_member[]){__VA_ARGS__},                                         \
         sizeof((const struct pk_member[]){__VA_ARGS__}) / sizeof(struct pk_member))

static pk_value tags(struct pk_arena *arena)
{
    pk_value *members = PK_NEW_ARRAY(arena, pk_value, 2);

    members[0] = string("new");
    members[1] = string("a|b");
    return pk_value_set(PK_STRING_SET, members, 2, NULL);
}

/* The dashboard of screens.md and what a hostile item may hold. */
static struct cmd_items *dashboard(struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    struct cmd_items *items = cmd_result_items(result);

    items->keys = PK_NEW_ARRAY(arena, pk_slice, 2);
    items->keys[0] = PK_LIT("PK");
    items->keys[1] = PK_LIT("SK");
    items->key_count = 2;
    items->rows = PK_NEW_ARRAY(arena, pk_value, 4);
    items->rows[0] =
        ITEM(arena, {PK_LIT("PK"), string("USER#123")}, {PK_LIT("SK"), string("ORDER#1001")},
             {PK_LIT("total"), number(arena, "45")});
    items->rows[1] =
        ITEM(arena, {PK_LIT("PK"), string("USER#123")}, {PK_LIT("SK"), string("ORDER#1002")},
             {PK_LIT("total"), number(arena, "12.5")}, {PK_LIT("tags"), tags(arena)});
    items->rows[2] = ITEM(
        arena, {PK_LIT("PK"), string("USER#123")}, {PK_LIT("SK"), string("PROFILE")},
        {PK_LIT("name"), string("日本 \"x\", y\n\033[2J")}, {PK_LIT("total"), pk_value_null()});
    items->rows[3] = ITEM(arena, {PK_LIT("PK"), string("USER#123")}, {PK_LIT("SK"), string("Z")},
                          {PK_LIT("name"), string("Al")}, {PK_LIT("ok"), pk_value_bool(true)});
    items->count = 4;
    return items;
}

static void add_grid(struct cmd_result *result)
{
    static const char *const columns[] = {"table", "items", ""};
    static const enum cmd_align aligns[] = {CMD_LEFT, CMD_RIGHT, CMD_LEFT};
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, 3);
    const pk_slice first[] = {PK_LIT("Music"), PK_LIT("1,234"), PK_LIT("on demand")};
    const pk_slice second[] = {PK_LIT("Orders"), PK_LIT("7"), {NULL, 0}};

    cmd_grid_row(result, grid, first);
    cmd_grid_row(result, grid, second);
}

static void expect_text(const char *what, const struct pk_buf *out, const char *expected)
{
    cr_expect(pk_slice_is(pk_buf_slice(out), expected), "%s:\n%s\ninstead of\n%s", what,
              out->data == NULL ? "" : out->data, expected);
}

static void render_all(struct sh_render *render, enum cmd_mode mode,
                       const struct cmd_result *result)
{
    for (const struct cmd_block *block = result->first; block != NULL; block = block->next)
        sh_render_block(render, mode, block);
}

static const struct golden {
    enum cmd_mode mode;
    const char *items;
    const char *grid;
} GOLDENS[] = {
    {CMD_MODE_TABLE,
     " PK        SK          total  name                ok    tags\n"
     " USER#123  ORDER#1001     45\n"
     " USER#123  ORDER#1002   12.5                            <<'a|b', 'new'>>\n"
     " USER#123  PROFILE      null  日本 \"x\", y\\n\\e[2J\n"
     " USER#123  Z                  Al                  true\n",
     " table   items\n"
     " Music   1,234  on demand\n"
     " Orders      7\n"},
    {CMD_MODE_LINE,
     " PK     USER#123\n SK     ORDER#1001\n total  45\n"
     "\n PK     USER#123\n SK     ORDER#1002\n tags   <<'a|b', 'new'>>\n total  12.5\n"
     "\n PK     USER#123\n SK     PROFILE\n name   日本 \"x\", y\\n\\e[2J\n total  null\n"
     "\n PK    USER#123\n SK    Z\n name  Al\n ok    true\n",
     " table  Music\n items  1,234\n        on demand\n"
     "\n table  Orders\n items  7\n"},
    {CMD_MODE_JSON,
     "[\n"
     "  {\"PK\": \"USER#123\", \"SK\": \"ORDER#1001\", \"total\": 45},\n"
     "  {\"PK\": \"USER#123\", \"SK\": \"ORDER#1002\", \"tags\": [\"a|b\", \"new\"], \"total\": "
     "12.5},\n"
     "  {\"PK\": \"USER#123\", \"SK\": \"PROFILE\", \"name\": \"日本 \\\"x\\\", y\\n\\u001b[2J\", "
     "\"total\": null},\n"
     "  {\"PK\": \"USER#123\", \"SK\": \"Z\", \"name\": \"Al\", \"ok\": true}\n"
     "]\n",
     "[\n"
     "  {\"table\": \"Music\", \"items\": \"1,234\", \"column3\": \"on demand\"},\n"
     "  {\"table\": \"Orders\", \"items\": \"7\", \"column3\": null}\n"
     "]\n"},
    {CMD_MODE_JSONL,
     "{\"PK\": \"USER#123\", \"SK\": \"ORDER#1001\", \"total\": 45}\n"
     "{\"PK\": \"USER#123\", \"SK\": \"ORDER#1002\", \"tags\": [\"a|b\", \"new\"], \"total\": "
     "12.5}\n"
     "{\"PK\": \"USER#123\", \"SK\": \"PROFILE\", \"name\": \"日本 \\\"x\\\", y\\n\\u001b[2J\", "
     "\"total\": null}\n"
     "{\"PK\": \"USER#123\", \"SK\": \"Z\", \"name\": \"Al\", \"ok\": true}\n",
     "{\"table\": \"Music\", \"items\": \"1,234\", \"column3\": \"on demand\"}\n"
     "{\"table\": \"Orders\", \"items\": \"7\", \"column3\": null}\n"},
    {CMD_MODE_CSV,
     "PK,SK,total,name,ok,tags\r\n"
     "USER#123,ORDER#1001,45,,,\r\n"
     "USER#123,ORDER#1002,12.5,,,\"[\"\"a|b\"\", \"\"new\"\"]\"\r\n"
     "USER#123,PROFILE,null,\"日本 \"\"x\"\", y\n\033[2J\",,\r\n"
     "USER#123,Z,,Al,true,\r\n",
     "table,items,column3\r\n"
     "Music,\"1,234\",on demand\r\n"
     "Orders,7,\r\n"},
    {CMD_MODE_MARKDOWN,
     "| PK | SK | total | name | ok | tags |\n"
     "|---|---|---:|---|---|---|\n"
     "| USER#123 | ORDER#1001 | 45 | | | |\n"
     "| USER#123 | ORDER#1002 | 12.5 | | | <<'a\\|b', 'new'>> |\n"
     "| USER#123 | PROFILE | null | 日本 \"x\", y\\n\\e[2J | | |\n"
     "| USER#123 | Z | | Al | true | |\n",
     "| table | items | |\n"
     "|---|---:|---|\n"
     "| Music | 1,234 | on demand |\n"
     "| Orders | 7 | |\n"},
};

Test(render, goldens)
{
    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < sizeof(GOLDENS) / sizeof(GOLDENS[0]); i++) {
        struct cmd_result items;
        struct cmd_result grid;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_render render = {.out = &out};

        cmd_result_init(&items);
        cmd_result_init(&grid);
        dashboard(&items);
        add_grid(&grid);
        render_all(&render, GOLDENS[i].mode, &items);
        expect_text(cmd_mode_name(GOLDENS[i].mode), &out, GOLDENS[i].items);
        pk_buf_clear(&out);
        render_all(&render, GOLDENS[i].mode, &grid);
        expect_text(cmd_mode_name(GOLDENS[i].mode), &out, GOLDENS[i].grid);
        pk_buf_release(&out);
        cmd_result_release(&items);
        cmd_result_release(&grid);
    }
}

Test(render, nothing_found)
{
    static const struct {
        enum cmd_mode mode;
        const char *expected;
    } rows[] = {
        {CMD_MODE_TABLE, ""}, {CMD_MODE_LINE, ""},      {CMD_MODE_JSON, "[]\n"},
        {CMD_MODE_JSONL, ""}, {CMD_MODE_CSV, "PK\r\n"}, {CMD_MODE_MARKDOWN, ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cmd_result result;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_render render = {.out = &out};

        cmd_result_init(&result);

        struct cmd_items *items = cmd_result_items(&result);

        items->keys = PK_NEW_ARRAY(&result.arena, pk_slice, 1);
        items->keys[0] = PK_LIT("PK");
        items->key_count = 1;
        pk_buf_add_cstr(&out, "");
        render_all(&render, rows[i].mode, &result);
        expect_text(cmd_mode_name(rows[i].mode), &out, rows[i].expected);
        pk_buf_release(&out);
        cmd_result_release(&result);
    }
}

/* Of a grid one column may give way, so that what follows it is seen. */
Test(render, a_column_that_is_cut)
{
    static const struct {
        size_t width;
        const char *expected;
    } rows[] = {
        {0, " #  statement                     reason\n"
            " 1  edit alice set balance = 100  None\n"},
        {38, " #  statement                   reason\n"
             " 1  edit alice set balance = …  None\n"},
        {20, " #  statement             reason\n"
             " 1  edit alice set bala…  None\n"},
    };
    static const char *const columns[] = {"#", "statement", "reason"};

    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const pk_slice cells[] = {PK_LIT("1"), PK_LIT("edit alice set balance = 100"),
                                  PK_LIT("None")};
        struct cmd_result result;
        struct cmd_grid *grid;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_render render = {.out = &out, .width = rows[i].width, .terminal = true};

        cmd_result_init(&result);
        grid = cmd_result_grid(&result, columns, NULL, 3);
        cmd_grid_row(&result, grid, cells);
        cmd_grid_cut(grid, 1);
        render_all(&render, CMD_MODE_TABLE, &result);
        expect_text("grid", &out, rows[i].expected);
        pk_buf_release(&out);
        cmd_result_release(&result);
    }
}

/* At a terminal nothing is wider than it, CSV included no control character gets through. */
Test(render, terminal_width)
{
    static const struct {
        size_t width;
        const char *expected;
    } rows[] = {
        {60, " PK        SK          total  name         ok    tags\n"
             " USER#123  ORDER#1001     45\n"
             " USER#123  ORDER#1002   12.5                     <<'a|b', '…\n"
             " USER#123  PROFILE      null  日本 \"x\", …\n"
             " USER#123  Z                  Al           true\n"},
        {40, " PK      SK      total  name    ok    t…\n"
             " USER#…  ORDER…     45\n"
             " USER#…  ORDER…   12.5                <…\n"
             " USER#…  PROFI…   null  日本 …\n"
             " USER#…  Z              Al      true\n"},
        {10, " PK      …\n USER#…  …\n USER#…  …\n USER#…  …\n USER#…  Z\n"},
        {2, " …\n …\n …\n …\n …\n"},
    };

    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cmd_result result;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_render render = {.out = &out, .width = rows[i].width, .terminal = true};

        cmd_result_init(&result);
        dashboard(&result);
        render_all(&render, CMD_MODE_TABLE, &result);
        expect_text("table", &out, rows[i].expected);
        pk_buf_release(&out);
        cmd_result_release(&result);
    }
}

Test(render, csv_at_a_terminal_is_safe)
{
    struct cmd_result result;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_render render = {.out = &out, .terminal = true};

    cmd_result_init(&result);
    dashboard(&result);
    render_all(&render, CMD_MODE_CSV, &result);
    cr_expect_null(strchr(out.data, '\033'));
    cr_expect_null(strchr(out.data, '\r'));
    cr_expect_not_null(strstr(out.data, "\"日本 \"\"x\"\", y\\n\\e[2J\""));
    pk_buf_release(&out);
    cmd_result_release(&result);
}

Test(render, numbers_keep_their_digits)
{
    static const char *const numbers[] = {"12345678901234567890123456789012345678",
                                          "0.00000000000000000000000000000000000001", "-0.1",
                                          "100000000000000000000000000000000000000000"};
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct pk_buf out = PK_BUF_INIT;

        sh_json_value(&out, number(&arena, numbers[i]));
        expect_text("json", &out, numbers[i]);
        pk_buf_clear(&out);
        sh_render_cell(&out, number(&arena, numbers[i]));
        expect_text("cell", &out, numbers[i]);
        pk_buf_release(&out);
    }
    pk_arena_release(&arena);
}

Test(render, chatter_and_colour)
{
    static const struct {
        enum cmd_block_kind kind;
        bool color;
        const char *expected;
    } rows[] = {
        {CMD_BLOCK_TEXT, false, "one\\e\ntwo\n"},
        {CMD_BLOCK_FOOTER, false, " one\\e\n two\n"},
        {CMD_BLOCK_NOTE, false, " one\\e\n two\n"},
        {CMD_BLOCK_FOOTER, true, "\033[2m one\\e\033[0m\n\033[2m two\033[0m\n"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cmd_result result;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_render render = {.out = &out, .color = rows[i].color};

        cmd_result_init(&result);
        cmd_result_text(&result, rows[i].kind, "one\033\ntwo");
        render_all(&render, CMD_MODE_JSON, &result);
        expect_text("chatter", &out, rows[i].expected);
        pk_buf_release(&out);
        cmd_result_release(&result);
    }
}

Test(render, keys_are_bold)
{
    struct cmd_result result;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_render render = {.out = &out, .color = true, .terminal = true};

    cmd_result_init(&result);

    struct cmd_items *items = dashboard(&result);

    items->count = 1;
    render_all(&render, CMD_MODE_TABLE, &result);
    expect_text("bold", &out,
                " PK        SK          total\n"
                " \033[1mUSER#123\033[0m  \033[1mORDER#1001\033[0m     45\n");
    pk_buf_release(&out);
    cmd_result_release(&result);
}
