/*
 * The commands on a foreign endpoint: one that has DynamoDB's operations and none of ours, answers
 * without facts, costs money, and takes its time. It is our engine behind a backend that takes all
 * the rest away.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/schema.h"
#include "tests/support/command_fixture.h"
#include "tests/support/fake_backend.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

struct foreign {
    struct cmd_backend base;
    struct cmd_backend *inner;
    unsigned own;       /* of our own operations, which must not come here */
    unsigned scans;     /* paid reads of a table */
    unsigned describes; /* DescribeTable since the last CreateTable */
    unsigned pending;   /* so many more DescribeTable say CREATING */
    unsigned leaves;    /* so many more BatchWriteItem leave their last request unprocessed */
    unsigned throttled; /* what the next answer says of itself */
    bool refuses;       /* every second UpdateItem is too much */
    unsigned updates;
};

static void replace_body(struct cmd_response *response, const char *from, const char *to)
{
    struct pk_buf out = PK_BUF_INIT;
    const char *found = strstr(response->body.data, from);

    if (found == NULL)
        return;
    pk_buf_add(&out, pk_slice_of(response->body.data, (size_t)(found - response->body.data)));
    pk_buf_add_cstr(&out, to);
    pk_buf_add_cstr(&out, found + strlen(from));
    pk_buf_release(&response->body);
    response->body = out;
}

/* The last request of a batch, as it was written, comes back. */
static void leave_last(struct foreign *foreign, pk_slice request, struct cmd_response *response)
{
    static const char last[] = "{\"PutRequest\"";
    char *text = pk_memdup_cstr(request.data, request.len);
    char *at = NULL;
    struct pk_buf kept = PK_BUF_INIT;

    for (char *next = strstr(text, last); next != NULL; next = strstr(next + 1, last))
        at = next;
    cr_assert_not_null(at);
    pk_buf_printf(&kept, "{\"UnprocessedItems\":{\"Tab\":[%.*s]}}",
                  (int)(strstr(at, "}]") + 1 - at), at);
    pk_buf_release(&response->body);
    response->body = kept;
    response->throttled = 1;
    foreign->leaves--;
    free(text);
}

static void refuse(struct cmd_response *response)
{
    pk_buf_clear(&response->body);
    pk_buf_add_cstr(&response->body,
                    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#"
                    "ProvisionedThroughputExceededException\",\"message\":\"too much\","
                    "\"ThrottlingReasons\":[{\"reason\":"
                    "\"IndexWriteProvisionedThroughputExceeded\",\"resource\":"
                    "\"arn:aws:dynamodb:eu-west-1:1:table/dashboard/index/by_name\"}]}");
    response->code = PK_E_THROUGHPUT_EXCEEDED;
    response->http = 400;
}

static void foreign_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                         const atomic_bool *cancel, struct cmd_response *response)
{
    struct foreign *foreign = (struct foreign *)(void *)backend;

    foreign->own += pk_slice_starts(operation, PK_LIT("Pksk."));
    foreign->scans += pk_slice_is(operation, "Scan");
    foreign->inner->ops->call(foreign->inner, operation, request, cancel, response);
    response->has_facts = false;
    response->facts = (struct pk_facts){.partition = 0};
    response->has_span = false;
    free(response->hint);
    response->hint = NULL;
    response->throttled = foreign->throttled;
    response->retries = foreign->throttled;
    foreign->throttled = 0;
    if (pk_slice_is(operation, "DescribeTable") && foreign->pending > 0) {
        foreign->pending--;
        replace_body(response, "\"TableStatus\":\"ACTIVE\"", "\"TableStatus\":\"CREATING\"");
    }
    foreign->describes += pk_slice_is(operation, "DescribeTable");
    if (pk_slice_is(operation, "BatchWriteItem") && foreign->leaves > 0)
        leave_last(foreign, request, response);
    if (pk_slice_is(operation, "UpdateItem") && foreign->refuses && ++foreign->updates % 2 == 0)
        refuse(response);
}

static void foreign_free(struct cmd_backend *backend)
{
    (void)backend;
}

static const struct cmd_backend_ops foreign_ops = {.call = foreign_call, .free = foreign_free};

/* Everything is made by the engine's own backend, then the foreign one stands before it. */
static void open_foreign(struct command_fixture *fx, struct foreign *foreign)
{
    command_open(fx);
    command_seed(fx);
    *foreign = (struct foreign){
        .base = {.ops = &foreign_ops, .endpoint = "https://db.example", .costs_money = true},
        .inner = fx->context.backend};
    fx->context.backend = &foreign->base;
    fx->context.engine = NULL;
    cmd_schema_drop(&fx->context);
}

static void close_foreign(struct command_fixture *fx, struct foreign *foreign)
{
    cr_expect_eq(foreign->own, 0U);
    fx->context.backend = foreign->inner;
    command_close(fx);
}

static void check_rows(const struct command_row *rows, size_t count)
{
    struct command_fixture fx;
    struct foreign foreign;

    open_foreign(&fx, &foreign);
    for (size_t i = 0; i < count; i++) {
        const char *text = command_run(&fx, rows[i].statement);

        cr_expect_str_eq(text, rows[i].text, "%s\n--- answers\n%s--- not\n%s", rows[i].statement,
                         text, rows[i].text);
    }
    close_foreign(&fx, &foreign);
}

#define REFUSED(what)                                                                              \
    "UsageError: '" what "' asks operations of pksk's own, which https://db.example does not "     \
    "have\n"
#define GO_LOCAL "  hint: connect local goes back to the embedded engine\n"

Test(foreign, what_looks_inside_is_refused)
{
    static const struct command_row rows[] = {
        {"where USER#123", REFUSED("where") GO_LOCAL},
        {"describe key USER#123", REFUSED("where") GO_LOCAL},
        {"collections", REFUSED("collections") GO_LOCAL},
        {"partitions", REFUSED("partitions") GO_LOCAL},
        {"heat save x.svg", REFUSED("heat") GO_LOCAL},
        {"check", REFUSED("check") GO_LOCAL},
        {"clock", REFUSED("clock") GO_LOCAL},
        {"clock advance 1h", REFUSED("clock") "  at 'advance 1h'\n" GO_LOCAL},
        {"lag", REFUSED("lag") GO_LOCAL},
        {"lag gsi 2s", REFUSED("lag.gsi") "  at 'gsi 2s'\n" GO_LOCAL},
        {"set lag.gsi", REFUSED("lag.gsi") GO_LOCAL},
        {"set partition.bytes 64 KB", REFUSED("partition.bytes") "  at '64 KB'\n" GO_LOCAL},
    };

    check_rows(rows, COUNT(rows));
}

Test(foreign, a_trace_says_what_it_cannot_know)
{
    static const struct command_row rows[] = {
        {"trace on", "note: trace is on: each request's path is shown before its result\n"},
        {"get USER#123 PROFILE",
         "note: GetItem dashboard → router https://db.example → token, partition and admission are "
         "not told → 0.5 RCU\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 1 item · GetItem · 0.5 RCU eventual\n"},
    };

    check_rows(rows, COUNT(rows));
}

Test(foreign, the_rest_works_and_says_less)
{
    static const struct command_row rows[] = {
        {"get USER#123 PROFILE", "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
                                 "footer: 1 item · GetItem · 0.5 RCU eventual\n"},
        {"query USER#123 ORDER#* where totl > 20",
         "footer: 0 items of 2 read · Query · 0.5 RCU eventual\n"},
        {"put USER#1 PROFILE {name: Zoe} if attribute_not_exists(PK)", "footer: put · 1 WCU\n"},
        {"put USER#1 PROFILE {name: Zoe} if attribute_not_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_not_exists(PK)'\n"
         "  hint: the stored item has PK = 'USER#1'\n"
         "footer: cost 1 WCU all the same\n"},
        {"edit USER#404 PROFILE set a = 1 if attribute_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_exists(PK)'\n"
         "  hint: no stored item came back\n"
         "footer: cost 1 WCU all the same\n"},
        {"SELECT SK FROM dashboard WHERE PK = 'USER#999'",
         "{'SK': 'ORDER#55'}\n"
         "{'SK': 'PROFILE'}\n"
         "footer: 2 items · Query · 0.5 RCU eventual\n"},
        {"indexes Tab", "index | kind | state | key | items | size | waiting | lag\n"
                        "by_g | GSI | ACTIVE | G (S) | 0 | 0 B |  | \n"},
        {"explain query USER#123",
         " operation  Query       one value of PK, in the order of SK\n"
         " key        PK = 'USER#123'\n"
         " reads      not known   no statistics, or they are being counted\n"},
        {"explain as cli get USER#123 PROFILE",
         "aws dynamodb get-item \\\n"
         "    --endpoint-url https://db.example \\\n"
         "    --table-name dashboard \\\n"
         "    --key '{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PROFILE\"}}'\n"},
        {"use Nope", "ResourceNotFoundException: Requested resource not found: Table: Nope not "
                     "found\n"
                     "  at 'Nope'\n"
                     "  hint: tables lists the tables there are\n"},
        {"drop table Tab", "UsageError: table 'Tab' holds any number of items, its endpoint's "
                           "count may be hours old; it was not dropped\n"
                           "  at 'Tab'\n"
                           "  hint: pksk --yes drops it without asking\n"},
    };

    check_rows(rows, COUNT(rows));
}

/* ---- throttling ------------------------------------------------------------------------------ */

Test(foreign, throttles_stand_in_the_footer)
{
    struct command_fixture fx;
    struct foreign foreign;

    open_foreign(&fx, &foreign);
    command_must(&fx, "get USER#123 PROFILE"); /* the schema is known from here on */
    foreign.throttled = 1;
    cr_expect_str_eq(command_run(&fx, "get USER#123 PROFILE"),
                     "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
                     "footer: 1 item · GetItem · 0.5 RCU eventual · throttled 1 time\n");
    foreign.throttled = 2;
    cr_expect_str_eq(command_run(&fx, "put USER#2 PROFILE {}"),
                     "footer: put · 1 WCU · throttled 2 times\n");
    close_foreign(&fx, &foreign);
}

/* On an endpoint that costs money a schema is asked for once, until it may be another. */
Test(foreign, schemas_are_kept)
{
    struct command_fixture fx;
    struct foreign foreign;

    open_foreign(&fx, &foreign);
    for (int i = 0; i < 3; i++)
        command_must(&fx, "get USER#123 PROFILE");
    cr_expect_eq(foreign.describes, 1U);
    (void)command_run(&fx, "get x from Nope");
    command_must(&fx, "get USER#123 PROFILE");
    cr_expect_eq(foreign.describes, 3U);
    close_foreign(&fx, &foreign);
}

/* ---- import ---------------------------------------------------------------------------------- */

enum { ROWS = 60 };

static void write_rows(char *path, size_t size)
{
    FILE *file;
    int fd;

    snprintf(path, size, "/tmp/pksk-foreign-XXXXXX.csv");
    fd = mkstemps(path, 4);
    cr_assert_geq(fd, 0);
    file = fdopen(fd, "w");
    cr_assert_not_null(file);
    fputs("PK,N\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "k%02d,%d\n", i, i);
    cr_assert_eq(fclose(file), 0);
}

static void expect_text(const char *text, const char *format, const char *path)
{
    struct pk_buf expected = PK_BUF_INIT;
    const char *at = strstr(format, "FILE");

    pk_buf_printf(&expected, "%.*s%s%s", (int)(at - format), format, path, at + 4);
    cr_expect_str_eq(text, expected.data);
    pk_buf_release(&expected);
}

Test(foreign, an_import_asks_first)
{
    struct command_fixture fx;
    struct foreign foreign;
    char path[64], statement[128];

    write_rows(path, sizeof(path));
    open_foreign(&fx, &foreign);
    snprintf(statement, sizeof(statement), "import %s as New key PK", path);
    expect_text(command_run(&fx, statement),
                "UsageError: an import into https://db.example may cost money; nothing was "
                "imported\n"
                "  at 'FILE'\n"
                "  hint: pksk --yes imports without asking\n",
                path);
    cr_expect_eq(foreign.scans, 0U);
    command_must(&fx, "put k 1 {} into Tab");
    snprintf(statement, sizeof(statement), "import %s into Tab", path);
    expect_text(command_run(&fx, statement),
                "UsageError: table 'Tab' has items; nothing was imported\n"
                "  at 'FILE'\n"
                "  hint: pksk --yes imports without asking\n",
                path);
    cr_expect_eq(foreign.scans, 1U);
    close_foreign(&fx, &foreign);
    unlink(path);
}

/* A table that takes its time, and a batch of which something is left. */
Test(foreign, an_import_waits_and_sends_again)
{
    struct command_fixture fx;
    struct foreign foreign;
    char path[64], statement[128];

    write_rows(path, sizeof(path));
    open_foreign(&fx, &foreign);
    fx.context.yes = true;
    foreign.leaves = 2;
    snprintf(statement, sizeof(statement), "import %s into Tab types N:N", path);
    cr_expect_str_eq(command_run(&fx, statement), "note: table Tab: 60 items, 479 B\n");
    cr_expect_eq(foreign.leaves, 0U);
    cr_expect_str_eq(command_run(&fx, "count scan from Tab"),
                     "60\n"
                     "footer: 60 items counted · Scan · 0.5 RCU eventual\n"
                     "A Scan pays for what it reads, not for what it returns. With PK known: query "
                     "<PK>\n");
    foreign.pending = 3;
    foreign.describes = 0;
    command_must(&fx, "create table Later (PK S)");
    cr_expect_eq(foreign.pending, 0U);
    cr_expect_eq(foreign.describes, 4U);
    close_foreign(&fx, &foreign);
    unlink(path);
}

/* ---- traffic --------------------------------------------------------------------------------- */

Test(foreign, traffic_is_asked_for)
{
    static const struct command_row rows[] = {
        {"traffic start a op=get keys=k table=dashboard",
         "UsageError: traffic to https://db.example may cost money; nothing was sent\n"
         "  hint: pksk --yes sends it without asking\n"},
        {"traffic fill keys=k table=dashboard",
         "UsageError: traffic to https://db.example may cost money; nothing was sent\n"
         "  hint: pksk --yes sends it without asking\n"},
    };

    check_rows(rows, COUNT(rows));
}

/* Reasons and units come from the answers alone. One thread, so that every second is refused. */
Test(foreign, traffic_is_counted_by_the_answers)
{
    struct command_fixture fx;
    struct foreign foreign;
    const char *text;

    open_foreign(&fx, &foreign);
    fx.context.yes = true;
    foreign.leaves = 1;
    cr_expect_str_eq(
        command_run(&fx, "traffic fill keys=k sk=1 table=Tab"),
        "footer: 1 item into Tab \xC2\xB7 BatchWriteItem, 2 requests \xC2\xB7 1 WCU\n");
    foreign.refuses = true;
    command_must(&fx, "traffic start a op=edit keys=k rate=2/s for=3s table=dashboard");
    for (text = ""; strstr(text, "ended") == NULL; usleep(20000))
        text = command_run(&fx, "traffic");
    cr_expect_str_eq(
        command_run(&fx, "traffic stop a"),
        "note: a: edit on dashboard, 2/s, keys=k, uniform, seed 1, for 3 s\n"
        "requests | 6 | \nok | 3 | \nthrottled | 3 | 50.0 % of the requests\n"
        " | 3 | IndexWriteProvisionedThroughputExceeded of index by_name\nunits | 3 | WCU\n");
    cr_expect_eq(foreign.updates, 6U, "none was sent again");
    close_foreign(&fx, &foreign);
}

/* What an endpoint sends may be anything: a value that is none is not taken for one. */
Test(foreign, malformed_items_of_an_answer)
{
    static const struct fake_answer answers[] = {
        {"PutItem",
         "{\"__type\":\"x#ConditionalCheckFailedException\",\"message\":\"The conditional request "
         "failed\",\"Item\":{\"PK\":{\"S\":\"a\"},\"v\":{\"N\":\"abc\"}}}",
         PK_E_CONDITION_FAILED,
         {0}},
        {"TransactWriteItems",
         "{\"__type\":\"x#TransactionCanceledException\",\"Message\":\"cancelled\","
         "\"CancellationReasons\":[{\"Code\":\"ConditionalCheckFailed\",\"Message\":\"no\","
         "\"Item\":"
         "{\"l\":{\"L\":[{\"B\":\"?\"}]}}}]}",
         PK_E_TXN_CANCELED,
         {0}},
        {"Scan",
         "{\"Count\":1,\"ScannedCount\":1,\"Items\":[{\"PK\":{\"S\":\"a\"},\"s\":{\"NS\":[1]}}]}",
         PK_OK,
         {0}},
    };
    struct command_fixture fx;
    struct cmd_backend *inner;
    struct fake_backend fake;

    command_open(&fx);
    command_must(&fx, "create table Tab (PK S)");
    inner = fx.context.backend;
    fake_init(&fake, inner, answers, COUNT(answers));
    fx.context.backend = &fake.base;
    cr_expect_str_eq(command_run(&fx, "put a {v: 1} into Tab if v = 2"),
                     "ConditionalCheckFailedException: The conditional request failed\n"
                     "  at 'v = 2'\n  hint: there is no such item\n"
                     "footer: cost 1 WCU all the same\n");
    command_must(&fx, "begin");
    command_must(&fx, "put a {v: 1} into Tab if v = 2");
    cr_expect_str_eq(
        command_run(&fx, "commit"),
        "TransactionCanceledException: cancelled\n# | statement | reason\n"
        "1 | put a {v: 1} into Tab if v = 2 | ConditionalCheckFailed: there is no such item\n"
        "footer: cancelled, and its write units are used up\n");
    command_must(&fx, "scan from Tab");
    cr_expect_str_eq(command_run(&fx, "export Tab /dev/null format jsonl"),
                     "InternalServerError: the endpoint sent an item that cannot be read\n"
                     "  at '/dev/null'\n");
    fx.context.backend = inner;
    fake_release(&fake);
    command_close(&fx);
}
