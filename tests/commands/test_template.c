/* Key templates: what they expand to, and what is no template. */
#include <criterion/criterion.h>

#include "commands/transfer/template.h"

/* ---- generated keys -------------------------------------------------------------------------- */

static const struct key_case {
    const char *template;
    uint64_t count;
    const char *keys; /* the first four, joined by blanks */
} keys[] = {
    {"USER#1", 1, "USER#1"},
    {"USER#{1..300}", 300, "USER#1 USER#2 USER#3 USER#4"},
    {"{00..09}", 10, "00 01 02 03"},
    {"{8..11}", 4, "8 9 10 11"},
    {"{098..100}", 3, "098 099 100"},
    {"{-1..1}", 3, "-1 0 1"},
    {"{a,b,c}", 3, "a b c"},
    {"{a,}x", 2, "ax x"},
    {"USER#{1,1000..1299}", 301, "USER#1 USER#1000 USER#1001 USER#1002"},
    {"{08..09,x,1..2}", 5, "08 09 x 1"},
    {"{a..b,c}", 2, "a..b c"},
    {"{1..2}#{a,b}", 4, "1#a 1#b 2#a 2#b"},
    {"{{x}", 1, "{x}"},
    {"", 1, ""},
    {"{0..999999999}{0..999999999}{0..999999999}", UINT64_MAX, "000 001 002 003"},
};

Test(template, keys)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        const struct cmd_template *template;

        cr_assert_eq(cmd_template_parse(&arena, pk_slice_cstr(keys[i].template), CMD_TEMPLATE_KEYS,
                                        &template, &err),
                     PK_OK, "%s: %s", keys[i].template, err.message);
        cr_expect_eq(cmd_template_count(template), keys[i].count, "%s", keys[i].template);
        for (uint64_t n = 0; n < 4 && n < keys[i].count; n++) {
            if (n > 0)
                pk_buf_add_byte(&out, ' ');
            cmd_template_nth(template, n, &out);
        }
        cr_expect_str_eq(out.data == NULL ? "" : out.data, keys[i].keys, "%s gives %s",
                         keys[i].template, out.data);
        pk_buf_release(&out);
        pk_arena_release(&arena);
    }
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static const struct mistake {
    const char *template;
    const char *message;
    uint32_t start, len;
} mistakes[] = {
    {"a{1..3", "{ is never closed", 1, 1},
    {"a{x}", "'{x}' is no list of a template", 1, 3},
    {"a{}", "'{}' is no list of a template", 1, 2},
    {"{3..1}", "'{3..1}' is no list of a template", 0, 6},
    {"{1..a}", "'{1..a}' is no list of a template", 0, 6},
    {"{1..9999999999999999999}", "'{1..9999999999999999999}' is no list of a template", 0, 24},
};

Test(template, mistakes)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        const struct cmd_template *template;

        cr_assert_eq(cmd_template_parse(&arena, pk_slice_cstr(mistakes[i].template),
                                        CMD_TEMPLATE_KEYS, &template, &err),
                     PK_E_USAGE, "%s", mistakes[i].template);
        cr_expect_str_eq(err.message, mistakes[i].message);
        cr_expect_eq(err.span.start, mistakes[i].start, "%s", mistakes[i].template);
        cr_expect_eq(err.span.len, mistakes[i].len, "%s", mistakes[i].template);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Columns: id is 23, name is Ann, none is empty, a%b is odd. */
static pk_slice column(const void *context, pk_slice name)
{
    (void)context;
    if (pk_slice_is(name, "id"))
        return PK_LIT("23");
    if (pk_slice_is(name, "name"))
        return PK_LIT("Ann");
    if (pk_slice_is(name, "a%b"))
        return PK_LIT("odd");
    return (pk_slice){NULL, 0};
}

static const struct row_case {
    const char *template;
    const char *text; /* NULL: empty */
} rows[] = {
    {"e#{id}", "e#23"},    {"{name}/{id}", "Ann/23"},
    {"{none}", NULL},      {"x{none}y", NULL},
    {"{name?yes}", "yes"}, {"{name?}x", "x"},
    {"{none?yes}", NULL},  {"shard#{id%10+1}", "shard#4"},
    {"{id%10}", "3"},      {"{a%b}", "odd"},
    {"{r,g,b}", "b"}, /* the third row */
    {"{1..2}", "1"},       {"plain", "plain"},
};

Test(template, rows)
{
    struct cmd_template_row row = {.column = column, .number = 2};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        const struct cmd_template *template;
        bool empty;

        cr_assert_eq(cmd_template_parse(&arena, pk_slice_cstr(rows[i].template), CMD_TEMPLATE_ROWS,
                                        &template, &err),
                     PK_OK, "%s", rows[i].template);
        cr_assert_eq(cmd_template_fill(template, &row, &out, &empty, &err), PK_OK);
        cr_expect_eq(empty, rows[i].text == NULL, "%s", rows[i].template);
        if (rows[i].text != NULL)
            cr_expect_str_eq(out.data, rows[i].text, "%s gives %s", rows[i].template, out.data);
        pk_buf_release(&out);
        pk_arena_release(&arena);
    }
}

Test(template, arithmetic_needs_a_number)
{
    struct cmd_template_row row = {.column = column};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    const struct cmd_template *template;
    bool empty;

    cr_assert_eq(
        cmd_template_parse(&arena, PK_LIT("{name%10}"), CMD_TEMPLATE_ROWS, &template, &err), PK_OK);
    cr_expect(pk_slice_is(cmd_template_column(template, 0), "name"));
    cr_expect_null(cmd_template_column(template, 1).data);
    cr_expect_eq(cmd_template_fill(template, &row, &out, &empty, &err), PK_E_USAGE);
    cr_expect_str_eq(err.message, "column 'name' is 'Ann': % needs a whole number");
    pk_error_release(&err);
    pk_buf_release(&out);
    pk_arena_release(&arena);
}
