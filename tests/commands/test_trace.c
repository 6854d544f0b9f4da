/* What a trace says of answers: verdicts, reasons, indexes, and answers that are no answers. */
#include <criterion/criterion.h>

#include "commands/trace.h"
#include "tests/support/command_fixture.h"
#include "tests/support/fake_backend.h"

#define PATH " dashboard → router → token 6fecfbdc08fd7241 (simulated hash of USER#123)"
#define THROTTLED                                                                                  \
    "{\"__type\":\"x#ThrottlingException\",\"message\":\"too much\","                              \
    "\"ThrottlingReasons\":[{\"reason\":\"TableReadKeyRangeThroughputExceeded\","                  \
    "\"resource\":\"arn:aws:dynamodb:ddblocal:000000000000:table/dashboard\"}]}"

static const struct trace_case {
    struct fake_answer answer;
    const char *statement;
    const char *trace; /* its line, before the rest of the result */
} cases[] = {
    {{"GetItem",
      "{}",
      PK_OK,
      {.partition = 1,
       .partitions_touched = 1,
       .partition_count = 4,
       .verdict = PK_VERDICT_ADMITTED}},
     "get USER#123 PROFILE",
     "note: GetItem" PATH " → partition 1 of 4, any replica → admitted\n"},
    {{"GetItem",
      "{\"ConsumedCapacity\":{\"TableName\":\"dashboard\",\"CapacityUnits\":2.5}}",
      PK_OK,
      {.partition = 1,
       .partitions_touched = 1,
       .partition_count = 4,
       .bytes = 20000,
       .verdict = PK_VERDICT_WOULD_REFUSE,
       .limit = PK_LIMIT_KEY_RANGE}},
     "get USER#123 PROFILE strong",
     "note: GetItem" PATH " → partition 1 of 4, its leader → would be refused by KeyRange → "
     "20,000 B read → 2.5 RCU\n"},
    {{"PutItem",
      "{}",
      PK_OK,
      {.partition = 1,
       .partitions_touched = 1,
       .partition_count = 4,
       .verdict = PK_VERDICT_WOULD_REFUSE,
       .limit = PK_LIMIT_PROVISIONED,
       .limit_index = 99}},
     "put USER#123 PROFILE {}",
     "note: PutItem" PATH " → partition 1 of 4, its leader → would be refused by Provisioned\n"},
    {{"GetItem", THROTTLED, PK_E_THROTTLED, {0}},
     "get USER#123 PROFILE",
     "note: GetItem" PATH " → refused by TableReadKeyRangeThroughputExceeded (table/dashboard) → "
     "ThrottlingException\n"},
    {{"GetItem", "[1,", PK_OK, {0}},
     "get USER#123 PROFILE",
     "note: GetItem" PATH " → admission not asked\n"},
    {{"GetItem",
      "{\"ConsumedCapacity\":[7,{\"Table\":[],\"GlobalSecondaryIndexes\":{\"x\":7}}]}",
      PK_OK,
      {0}},
     "get USER#123 PROFILE",
     "note: GetItem" PATH " → admission not asked → 0 RCU → index x 0 RCU\n"},
};

Test(trace, says_what_became_of_a_request)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct command_fixture fx;
        struct fake_backend fake;
        const char *text;

        command_open(&fx);
        command_seed(&fx);
        command_must(&fx, "use dashboard");
        command_must(&fx, "trace on");
        fake_init(&fake, fx.context.backend, &cases[i].answer, 1);
        fx.context.backend = &fake.base;
        text = command_run(&fx, cases[i].statement);
        cr_expect_not_null(strstr(text, cases[i].trace), "%zu: %s--- not\n%s", i, text,
                           cases[i].trace);
        fx.context.backend = fake.inner;
        fake_release(&fake);
        command_close(&fx);
    }
}

Test(trace, is_bounded)
{
    struct cmd_context context;
    struct fake_backend fake;
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct cmd_result result;

    fake_init(&fake, NULL, NULL, 0);
    cmd_context_init(&context, &fake.base, NULL);
    cmd_result_init(&result);
    cmd_trace_set(&context, true);
    for (int i = 0; i < 1000; i++)
        cmd_trace_add_text(&context, "Scan", PK_LIT("{\"TableName\":\"t\"}"), &response);
    cmd_trace_add_text(&context, "ListTables", PK_LIT("{}"), &response);
    cmd_trace_add_text(&context, "Scan", PK_LIT("{\"Tabl"), &response);
    cmd_trace_show(&context, &result);
    cr_assert_not_null(result.first);
    cr_assert_eq(result.first, result.last);
    cr_expect(memmem(result.first->text.data, result.first->text.len, "\nand 900 requests more",
                     22) != NULL);
    cmd_trace_show(&context, &result);
    cr_expect_eq(result.first, result.last);
    cmd_result_release(&result);
    cmd_context_release(&context);
    fake_release(&fake);
}
