/* stream shards: who reads, and how far it has come. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

#include "commands/wire.h"
#include "tests/support/command_fixture.h"

/* Calls the operation; the member of the answer, in the arena. */
static pk_slice call(struct command_fixture *fx, struct pk_arena *arena, const char *operation,
                     const char *request, const char *member)
{
    cJSON *body = cJSON_Parse(request);
    cJSON *answer = NULL;
    struct pk_error err = PK_ERROR_INIT;
    pk_slice text;

    cr_assert_eq(cmd_call(&fx->context, operation, body, &answer, NULL, &err), PK_OK, "%s: %s",
                 operation, err.message);
    text = pk_arena_dup(arena, cmd_wire_text(answer, member));
    cJSON_Delete(answer);
    cJSON_Delete(body);
    return text;
}

static pk_slice read_once(struct command_fixture *fx, struct pk_arena *arena, pk_slice iterator)
{
    pk_slice request =
        pk_arena_printf(arena, "{\"ShardIterator\":\"%.*s\",\"Limit\":2}", PK_FMT(iterator));

    return call(fx, arena, "GetRecords", pk_arena_dup(arena, request).data, "NextShardIterator");
}

static void expect_readers(struct command_fixture *fx, const char *rows)
{
    const char *text = command_run(fx, "stream shards shop");
    const char *readers = strstr(text, "reader | ");

    cr_assert_eq(fx->code, PK_OK);
    cr_assert_eq(readers != NULL, rows != NULL, "%s", text);
    if (readers != NULL)
        cr_assert_eq(strncmp(strchr(readers, '\n') + 1, rows, strlen(rows)), 0, "%s", text);
}

Test(reader_grid, readers_of_a_stream)
{
    struct command_fixture fx;
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice first;

    command_open(&fx);
    command_must(&fx, "clock pause");
    command_must(&fx, "clock set 2100-01-01T12:00:00Z");
    command_must(&fx, "create table shop (PK S) stream keys_only");
    for (int i = 0; i < 5; i++)
        command_must(&fx, i % 2 == 0 ? "put USER#1 {n: 1}" : "del USER#1");
    expect_readers(&fx, NULL);
    first = call(&fx, &arena, "GetShardIterator",
                 "{\"StreamArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/shop/stream/"
                 "2100-01-01T12:00:00.000\",\"ShardId\":\"shardId-00000004102488000000-00000003\","
                 "\"ShardIteratorType\":\"TRIM_HORIZON\"}",
                 "ShardIterator");
    (void)read_once(&fx, &arena, first);
    command_must(&fx, "clock advance 3s");
    expect_readers(&fx, "1 | 2 | 100000000000000000002 | 2 | 3 | 3 s | just now\n");
    (void)read_once(&fx, &arena, read_once(&fx, &arena, first));
    (void)read_once(&fx, &arena, read_once(&fx, &arena, read_once(&fx, &arena, first)));
    expect_readers(&fx, "1 | 2 | 100000000000000000005 | 11 | 0 |  | just now\n");
    command_must(&fx, "stream tail shop from start for 0"); /* says that it ends */
    expect_readers(&fx, "1 | 2 | 100000000000000000005 | 11 | 0 |  | just now\nnote: ");
    command_close(&fx);
    pk_arena_release(&arena);
}
