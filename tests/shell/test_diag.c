/* Carets under the right columns, also of long, wide and many lines. */
#include <criterion/criterion.h>

#include <locale.h>

#include "engine/item.h"
#include "shell/render/render_diag.h"

TestSuite(diag);

static const struct row {
    const char *source;
    struct pk_span span;
    size_t width;
    enum pk_code code;
    const char *hint;
    const char *expected;
} ROWS[] = {
    {"", {0, 0}, 0, PK_E_VALIDATION, NULL, "ValidationException: msg\n"},
    {"UPDATE Music SET Plays = Plays + WHERE A='x'",
     {33, 5},
     0,
     PK_E_VALIDATION,
     NULL,
     "ValidationException: msg\n"
     "  UPDATE Music SET Plays = Plays + WHERE A='x'\n"
     "                                   ^^^^^\n"},
    {"get",
     {3, 0},
     0,
     PK_E_USAGE,
     "name a key",
     "UsageError: msg\n"
     "  get\n"
     "     ^\n"
     "  hint: name a key\n"},
    {"get  \n",
     {6, 0},
     0,
     PK_E_USAGE,
     NULL,
     "UsageError: msg\n"
     "  get  \n"
     "     ^\n"},
    {"get a", {0, 0}, 0, PK_E_USAGE, "try b", "UsageError: msg\n  hint: try b\n"},
    /* the second line of three; its indentation goes; a span that runs on stops at its end */
    {"SELECT *\r\n   FROM\tnowhere\r\nWHERE a = 1",
     {18, 20},
     0,
     PK_E_NOT_FOUND,
     NULL,
     "ResourceNotFoundException: msg\n"
     "  FROM nowhere\n"
     "       ^^^^^^^\n"},
    /* wide and escaped characters before and under the carets */
    {"put 日本 \033x {a}",
     {11, 3},
     0,
     PK_E_USAGE,
     NULL,
     "UsageError: msg\n"
     "  put 日本 \\ex {a}\n"
     "           ^^^^\n"},
    /* a long line is shown around the place */
    {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff",
     {45, 2},
     40,
     PK_E_USAGE,
     NULL,
     "UsageError: msg\n"
     "  …cccccccccddddddddddeeeeeeeeeefffffff…\n"
     "                           ^^\n"},
    /* what a failed condition met stands beside the carets */
    {"put A {} if attribute_not_exists(PK)",
     {12, 24},
     0,
     PK_E_CONDITION_FAILED,
     "the stored item has PK = 'A'",
     "ConditionalCheckFailedException: msg\n"
     "  put A {} if attribute_not_exists(PK)\n"
     "              ^^^^^^^^^^^^^^^^^^^^^^^^  the stored item has PK = 'A'\n"},
    {"put A {} if x = 1",
     {0, 0},
     0,
     PK_E_CONDITION_FAILED,
     "the stored item has x = 2",
     "ConditionalCheckFailedException: msg\n"
     "  the stored item has x = 2\n"},
    /* and so does what was expected there */
    {"SELECT = FROM t",
     {7, 1},
     0,
     PK_E_VALIDATION,
     "expected a value",
     "ValidationException: msg\n"
     "  SELECT = FROM t\n"
     "         ^  expected a value\n"},
    /* a span outside of the source is none of it */
    {"get", {9, 2}, 0, PK_E_USAGE, NULL, "UsageError: msg\n"},
};

Test(diag, carets)
{
    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const struct row *row = &ROWS[i];
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        struct sh_diag diag = {.source = pk_slice_cstr(row->source), .width = row->width};

        pk_fail_at(&err, row->code, row->span, "msg");
        if (row->hint != NULL)
            pk_error_hint(&err, "%s", row->hint);
        sh_diag_render(&out, &diag, &err);
        cr_expect_str_eq(out.data, row->expected, "row %zu:\n%s\ninstead of\n%s", i, out.data,
                         row->expected);
        pk_buf_release(&out);
        pk_error_release(&err);
    }
}

Test(diag, message_is_made_safe)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.width = 0};

    pk_fail(&err, PK_E_VALIDATION, "no such thing: \033]0;x\007");
    sh_diag_render(&out, &diag, &err);
    cr_expect_str_eq(out.data, "ValidationException: no such thing: \\e]0;x\\x07\n");
    pk_buf_release(&out);
    pk_error_release(&err);
}

Test(diag, empty_message)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.width = 0};

    pk_fail(&err, PK_E_UNKNOWN_OPERATION, "%s", "");
    sh_diag_render(&out, &diag, &err);
    pk_fail(&err, PK_E_VALIDATION, "ends in a blank: ");
    sh_diag_render(&out, &diag, &err);
    cr_expect_str_eq(out.data,
                     "UnknownOperationException\nValidationException: ends in a blank:\n");
    pk_buf_release(&out);
    pk_error_release(&err);
}

Test(diag, long_message_loses_its_middle)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.width = 0};
    char message[3001];

    for (size_t i = 0; i < 1000; i++)
        memcpy(message + 3 * i, "日", 3);
    message[3000] = '\0';
    pk_fail(&err, PK_E_VALIDATION, "a%s", message);
    sh_diag_render(&out, &diag, &err);
    cr_expect_not_null(strstr(out.data, "日日 … 日日"));
    cr_expect_null(strstr(out.data, "\\x"), "cut inside of a character");
    cr_expect(out.len < 1100, "%zu bytes", out.len);
    pk_buf_release(&out);
    pk_error_release(&err);
}

/* A line of megabytes is cut in one pass over it: anything slower would not end here. */
Test(diag, endless_line)
{
    enum { LEN = 4 << 20 };
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    char *line = pk_malloc(LEN);
    struct sh_diag diag = {.source = {line, LEN}, .width = 40};

    memset(line, 'x', LEN);
    pk_fail_at(&err, PK_E_USAGE, (struct pk_span){LEN - 2, 1}, "wrong");
    sh_diag_render(&out, &diag, &err);
    cr_expect_str_eq(out.data, "UsageError: wrong\n"
                               "  …xxxxxxxxxxxxxxxxxxxxxxxxxx\n"
                               "                           ^\n");
    pk_buf_release(&out);
    pk_error_release(&err);
    free(line);
}

Test(diag, reasons_of_a_transaction)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.width = 0};

    pk_fail(&err, PK_E_TXN_CANCELED, "cancelled");
    err.reasons = pk_calloc(3, sizeof(*err.reasons));
    err.reason_count = 3;
    err.reasons[0].code = "None";
    err.reasons[1].code = "ConditionalCheckFailed";
    err.reasons[1].message = pk_memdup_cstr("it failed", 9);
    err.reasons[2].code = "TransactionConflict";
    sh_diag_render(&out, &diag, &err);
    cr_expect_str_eq(out.data, "TransactionCanceledException: cancelled\n"
                               "  action 2  ConditionalCheckFailed  it failed\n"
                               "  action 3  TransactionConflict\n");
    pk_buf_release(&out);
    pk_error_release(&err);
}

Test(diag, stored_item_without_a_hint)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.width = 0};
    struct pk_member *members = PK_NEW_ARRAY(&arena, struct pk_member, 1);

    members[0] = (struct pk_member){PK_LIT("PK"), pk_value_string(PK_LIT("A"))};
    pk_fail(&err, PK_E_CONDITION_FAILED, "failed");
    pk_error_set_item(&err, pk_view_of(&arena, pk_value_map(members, 1)));
    sh_diag_render(&out, &diag, &err);
    cr_expect_str_eq(out.data, "ConditionalCheckFailedException: failed\n"
                               "  the stored item is {'PK': 'A'}\n");
    pk_buf_release(&out);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

Test(diag, hint_of_a_statement_that_succeeded)
{
    struct pk_buf out = PK_BUF_INIT;
    struct sh_diag diag = {.source = PK_LIT("a \"b\" c"), .color = true};

    sh_diag_hint(&out, &diag, (struct pk_span){2, 3}, PK_LIT("quotes"));
    cr_expect_str_eq(out.data, "  a \"b\" c\n"
                               "    ^^^\n"
                               "\033[33m  hint: quotes\033[0m\n");
    pk_buf_release(&out);
}
