#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"

/* The candidates for the word before '|', in their order. */
static void complete(struct command_fixture *fx, const char *input, struct pk_buf *out)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_completion completion = {.line = pk_slice_cstr(input), .arena = &arena};

    completion.cursor = strcspn(input, "|");
    completion.line.len = completion.cursor;
    completion.start = completion.cursor;
    while (completion.start > 0 && strchr(" (,;", input[completion.start - 1]) == NULL)
        completion.start--;
    cmd_complete(&fx->context, &completion);
    pk_buf_clear(out);
    for (size_t i = 0; i < completion.count; i++)
        pk_buf_printf(out, "%s%.*s", i == 0 ? "" : " ", PK_FMT(completion.candidates[i]));
    pk_buf_add_byte(out, '\0');
    pk_arena_release(&arena);
}

Test(complete, candidates)
{
    static const struct {
        const char *input;
        const char *candidates; /* all of them; with a trailing '…': how they begin */
    } rows[] = {
        {"que|", "query"},
        {"SEL|", "SELECT"},
        {"get a; sca|", "scan"},
        {"use |", "Tab dashboard"},
        {"use da|", "dashboard"},
        {"get X Y from |", "Tab dashboard"},
        {"query x on |", ""},
        {"query x from Tab on |", "by_g"},
        {"describe |", "Tab dashboard"},
        {"get |", "USER#999 USER#123"},
        {"get USER#1|", "USER#123"},
        {"get USER#123 O|", "ORDER#1001 ORDER#1002 on"},
        {"query USER#123 PAY|", "PAYMENT#5"},
        {"query USER#123 wh|", "where"},
        {"query USER#123 where t|", "total"},
        {"scan where total > 1 and na|", "name"},
        {"scan select PK, to|", "total"},
        {"scan where begins_with(S|", "SK status size("},
        {"edit USER#123 PROFILE set na|", "name"},
        {"SELECT * FROM da|", "dashboard"},
        {"SELECT * FROM dashboard WH|", "WHERE"},
        {"SELECT * FROM dashboard WHERE to|", "total"},
        {"help qu|", "query"},
        {"set foo|", "footer.time"},
        {"count sc|", "scan"},
        {"traffic sto|", "stop"},
        {"traffic start a op=p|", "op=put"},
        {"traffic start a op=put ra|", "rate="},
        {"traffic stop |", ""},
        {"nonsense a|", ""},
        {"version a|", ""},
    };
    struct command_fixture fx;
    struct pk_buf out = PK_BUF_INIT;

    command_open(&fx);
    command_seed(&fx);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        complete(&fx, rows[i].input, &out);
        cr_expect_str_eq(out.data, rows[i].candidates, "%s\n  gives %s\n  not   %s", rows[i].input,
                         out.data, rows[i].candidates);
    }
    pk_buf_release(&out);
    command_close(&fx);
}

Test(complete, keys_that_need_quotes_get_them)
{
    struct command_fixture fx;
    struct pk_buf out = PK_BUF_INIT;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "put 'with blank' 'a..b' {x: 1}");
    complete(&fx, "get 'w|", &out);
    cr_expect_str_eq(out.data, "'with blank'");
    command_must(&fx, "put 'with blank' 'a..b' {'t`u': 1}");
    complete(&fx, "scan where `t|", &out);
    cr_expect_str_eq(out.data, "`t``u`");
    complete(&fx, "get x |", &out);
    cr_expect(strstr(out.data, "from") != NULL);
    pk_buf_release(&out);
    command_close(&fx);
}
