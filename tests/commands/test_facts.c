#include <criterion/criterion.h>
#include <stdlib.h>

#include "commands/facts.h"

#define NUMBERS                                                                                    \
    "\"Partition\":3,\"Touched\":1,\"Partitions\":4,\"Bytes\":118,\"Read\":2,\"Returned\":1"

static struct cmd_response sample(const char *hint)
{
    struct cmd_response response = CMD_RESPONSE_INIT;

    response.has_facts = true;
    response.facts = (struct pk_facts){.partition = 3,
                                       .partitions_touched = 1,
                                       .partition_count = 4,
                                       .bytes = 118,
                                       .items_read = 2,
                                       .items_returned = 1};
    if (hint != NULL)
        response.hint = pk_memdup_cstr(hint, strlen(hint));
    return response;
}

static void check_line(const struct cmd_response *response, const char *expected)
{
    struct pk_buf out = PK_BUF_INIT;
    struct cmd_response back = CMD_RESPONSE_INIT;

    cmd_facts_write(&out, response);
    cr_expect_str_eq(out.data, expected);
    cr_assert(cmd_facts_read(pk_buf_slice(&out), &back), "%s", out.data);
    cr_expect(back.has_facts);
    cr_expect_eq(back.facts.partition, 3U);
    cr_expect_eq(back.facts.partitions_touched, 1U);
    cr_expect_eq(back.facts.partition_count, 4U);
    cr_expect_eq(back.facts.bytes, 118U);
    cr_expect_eq(back.facts.items_read, 2U);
    cr_expect_eq(back.facts.items_returned, 1U);
    cr_expect_eq(back.has_span, response->has_span);
    cr_expect_eq(back.span.start, response->span.start);
    cr_expect_eq(back.span.len, response->span.len);
    cr_expect_eq(back.use, response->use);
    if (response->hint == NULL)
        cr_expect_null(back.hint);
    else
        cr_expect_str_eq(back.hint, response->hint);
    cmd_response_release(&back);
    pk_buf_release(&out);
}

Test(facts, what_is_written_is_read)
{
    struct cmd_response plain = sample(NULL);
    struct cmd_response placed = sample(NULL);
    struct cmd_response hinted = sample("say \"\xC3\xBC\" or \\\n\xF0\x9F\x98\x80");

    placed.has_span = true;
    placed.span = (struct pk_span){7, 4294967288U};
    placed.use = PK_EXPR_PROJECTION;
    check_line(&plain, "{" NUMBERS "}");
    check_line(&placed, "{" NUMBERS ",\"Span\":[7,4294967288],\"Use\":\"ProjectionExpression\"}");
    check_line(&hinted,
               "{" NUMBERS ",\"Hint\":\"say \\\"\\u00fc\\\" or \\\\\\u000a\\ud83d\\ude00\"}");
    cmd_response_release(&plain);
    cmd_response_release(&placed);
    cmd_response_release(&hinted);
}

static const struct verdict_case {
    enum pk_verdict verdict;
    enum pk_limit limit;
    uint32_t index;
    const char *line;
} verdict_cases[] = {
    {PK_VERDICT_ADMITTED, PK_LIMIT_NONE, 0, "{" NUMBERS ",\"Verdict\":\"ADMITTED\"}"},
    {PK_VERDICT_WOULD_REFUSE, PK_LIMIT_KEY_RANGE, 0,
     "{" NUMBERS ",\"Verdict\":\"WOULD_REFUSE\",\"Limit\":\"KeyRange\"}"},
    {PK_VERDICT_REFUSED, PK_LIMIT_ACCOUNT, 2,
     "{" NUMBERS ",\"Verdict\":\"REFUSED\",\"Limit\":\"Account\",\"LimitIndex\":2}"},
};

Test(facts, verdicts_travel)
{
    for (size_t i = 0; i < sizeof(verdict_cases) / sizeof(verdict_cases[0]); i++) {
        const struct verdict_case *row = &verdict_cases[i];
        struct cmd_response response = sample(NULL);
        struct cmd_response back = CMD_RESPONSE_INIT;

        response.facts.verdict = row->verdict;
        response.facts.limit = row->limit;
        response.facts.limit_index = row->index;
        check_line(&response, row->line);
        cr_assert(cmd_facts_read(pk_slice_cstr(row->line), &back));
        cr_expect_eq(back.facts.verdict, row->verdict);
        cr_expect_eq(back.facts.limit, row->limit);
        cr_expect_eq(back.facts.limit_index, row->index);
        cmd_response_release(&back);
    }
}

Test(facts, the_worse_verdict_stays)
{
    struct pk_facts sum = {.verdict = PK_VERDICT_WOULD_REFUSE, .limit = PK_LIMIT_ACCOUNT};
    const struct pk_facts better = {.verdict = PK_VERDICT_ADMITTED};
    const struct pk_facts worse = {
        .verdict = PK_VERDICT_REFUSED, .limit = PK_LIMIT_PROVISIONED, .limit_index = 1};

    pk_facts_add_verdict(&sum, &better);
    cr_expect_eq(sum.limit, PK_LIMIT_ACCOUNT);
    pk_facts_add_verdict(&sum, &worse);
    cr_expect_eq(sum.verdict, PK_VERDICT_REFUSED);
    cr_expect_eq(sum.limit, PK_LIMIT_PROVISIONED);
    cr_expect_eq(sum.limit_index, 1U);
}

Test(facts, a_long_hint_is_cut_at_a_character)
{
    struct pk_buf hint = PK_BUF_INIT, out = PK_BUF_INIT;
    struct cmd_response response, back = CMD_RESPONSE_INIT;

    for (int i = 0; i < 1000; i++)
        pk_buf_add_cstr(&hint, "\xF0\x9F\x98\x80");
    response = sample(hint.data);
    pk_buf_add_cstr(&out, "before");
    cmd_facts_write(&out, &response);
    cr_expect_leq(out.len - 6, (size_t)CMD_FACTS_MAX);
    cr_expect_gt(out.len - 6, (size_t)CMD_FACTS_MAX - 12);
    for (size_t i = 0; i < out.len; i++)
        cr_assert(out.data[i] >= 0x20 && out.data[i] < 0x7f);
    cr_assert(cmd_facts_read(pk_slice_skip(pk_buf_slice(&out), 6), &back));
    cr_expect_eq(strlen(back.hint) % 4, 0U);
    cr_expect_eq(strncmp(back.hint, hint.data, strlen(back.hint)), 0);
    cmd_response_release(&response);
    cmd_response_release(&back);
    pk_buf_release(&hint);
    pk_buf_release(&out);
}

Test(facts, a_hint_that_is_no_text_ends_where_it_is_none)
{
    struct cmd_response response = sample("ab\xFFgone");
    struct pk_buf out = PK_BUF_INIT;

    cmd_facts_write(&out, &response);
    cr_expect_str_eq(out.data, "{" NUMBERS ",\"Hint\":\"ab\"}");
    cmd_response_release(&response);
    pk_buf_release(&out);
}

Test(facts, unknown_members_are_passed_over)
{
    struct cmd_response back = CMD_RESPONSE_INIT;

    cr_expect(cmd_facts_read(PK_LIT("{" NUMBERS ",\"Later\":[{}]}"), &back));
    cr_expect_eq(back.facts.bytes, 118U);
    cmd_response_release(&back);
}

Test(facts, malformed_lines_change_nothing)
{
    static const char *const rows[] = {
        "",
        "1",
        "[]",
        "null",
        "{}",
        "{" NUMBERS,
        "{" NUMBERS "} {}",
        "{" NUMBERS ",\"Read\":2}",
        "{\"Partition\":3,\"Touched\":1,\"Partitions\":4,\"Bytes\":118,\"Read\":2}",
        "{\"Partition\":-3,\"Touched\":1,\"Partitions\":4,\"Bytes\":1,\"Read\":2,\"Returned\":1}",
        "{\"Partition\":4294967296,\"Touched\":1,\"Partitions\":4,\"Bytes\":1,\"Read\":2,"
        "\"Returned\":1}",
        "{\"Partition\":\"3\",\"Touched\":1,\"Partitions\":4,\"Bytes\":1,\"Read\":2,"
        "\"Returned\":1}",
        "{\"Partition\":3,\"Touched\":1,\"Partitions\":4,\"Bytes\":null,\"Read\":2,"
        "\"Returned\":1}",
        "{" NUMBERS ",\"Span\":[1]}",
        "{" NUMBERS ",\"Span\":[1,2]}",
        "{" NUMBERS ",\"Span\":[1,2,3],\"Use\":\"FilterExpression\"}",
        "{" NUMBERS ",\"Span\":[1,-2],\"Use\":\"FilterExpression\"}",
        "{" NUMBERS ",\"Span\":[4294967295,1],\"Use\":\"FilterExpression\"}",
        "{" NUMBERS ",\"Span\":{\"a\":1,\"b\":2},\"Use\":\"FilterExpression\"}",
        "{" NUMBERS ",\"Span\":[1,2],\"Use\":\"Filter\"}",
        "{" NUMBERS ",\"Span\":[1,2],\"Use\":1}",
        "{" NUMBERS ",\"Use\":\"FilterExpression\"}",
        "{" NUMBERS ",\"Verdict\":\"\"}",
        "{" NUMBERS ",\"Verdict\":\"ADMIT\"}",
        "{" NUMBERS ",\"Verdict\":1}",
        "{" NUMBERS ",\"Limit\":\"KeyRange\"}",
        "{" NUMBERS ",\"LimitIndex\":1}",
        "{" NUMBERS ",\"Verdict\":\"REFUSED\",\"Limit\":\"Keys\"}",
        "{" NUMBERS ",\"Verdict\":\"REFUSED\",\"LimitIndex\":-1}",
        "{" NUMBERS ",\"Hint\":1}",
        "{" NUMBERS ",\"Hint\":\"\"}",
        "{" NUMBERS ",\"Hint\":\"a\\u0000b\"}",
        "{" NUMBERS ",\"Hint\":\"\xFF\"}",
    };
    struct cmd_response kept = sample("kept");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_not(cmd_facts_read(pk_slice_cstr(rows[i]), &kept), "%s", rows[i]);
        cr_expect_eq(kept.facts.bytes, 118U);
        cr_expect_not(kept.has_span);
        cr_expect_str_eq(kept.hint, "kept");
    }
    cmd_response_release(&kept);
}

Test(facts, a_line_that_is_too_long_is_not_read)
{
    struct pk_buf line = PK_BUF_INIT;
    struct cmd_response back = CMD_RESPONSE_INIT;

    pk_buf_add_cstr(&line, "{" NUMBERS);
    while (line.len < CMD_FACTS_MAX - 1)
        pk_buf_add_byte(&line, ' ');
    pk_buf_add_byte(&line, '}');
    cr_expect(cmd_facts_read(pk_buf_slice(&line), &back));
    line.data[line.len - 1] = ' ';
    pk_buf_add_byte(&line, '}');
    cr_expect_not(cmd_facts_read(pk_buf_slice(&line), &back));
    cmd_response_release(&back);
    pk_buf_release(&line);
}
