/* create, alter, drop and show create: what the text means, and what the tables look like. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "commands/ddl.h"
#include "commands/wire.h"
#include "tests/support/session.h"

/* The request of a definition, or "message @start+len" and the hint. */
static void parse(const char *text, struct pk_buf *out)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_statement statement = {pk_slice_cstr(text), 0};
    struct cmd_ddl_create create;

    pk_buf_clear(out);
    if (cmd_ddl_parse(&statement, &arena, &create, &err) == PK_OK) {
        cJSON *request = cmd_ddl_request(&create.table);

        cmd_wire_print(out, request);
        cJSON_Delete(request);
    } else {
        pk_buf_printf(out, "%s @%u+%u", err.message, err.span.start, err.span.len);
        if (err.hint != NULL)
            pk_buf_printf(out, " (%s)", err.hint);
    }
    pk_error_release(&err);
    pk_arena_release(&arena);
}

#define T_PK                                                                                       \
    "\"TableName\":\"T\",\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":"   \
    "\"S\"}"
#define PK_HASH "{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"}"

static const struct {
    const char *text;
    const char *request;
} definitions[] = {
    {"T (PK S)", "{" T_PK "],\"KeySchema\":[" PK_HASH "],\"BillingMode\":\"PAY_PER_REQUEST\"}"},
    {"T (PK string hash, SK number range) on demand max 7 9 stream new_and_old protect",
     "{" T_PK ",{\"AttributeName\":\"SK\",\"AttributeType\":\"N\"}],\"KeySchema\":[" PK_HASH
     ",{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],\"BillingMode\":\"PAY_PER_REQUEST\","
     "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":7,\"MaxWriteRequestUnits\":9},"
     "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"},"
     "\"DeletionProtectionEnabled\":true}"},
    /* the words turn the order round */
    {"IF NOT EXISTS T (SK B RANGE, PK S HASH) PROVISIONED 5 6",
     "{\"TableName\":\"T\",\"AttributeDefinitions\":[{\"AttributeName\":\"SK\",\"AttributeType\":"
     "\"B\"},{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"}],\"KeySchema\":[" PK_HASH
     ",{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],\"BillingMode\":\"PROVISIONED\","
     "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6}}"},
    /* names in all their spellings; an index' own options; keys of several attributes */
    {"T (PK S) gsi g1 (`a b` S+B#1 N, 'c' S) projection include (x, `y z`)",
     "{" T_PK ",{\"AttributeName\":\"a b\",\"AttributeType\":\"S\"},{\"AttributeName\":\"B#1\","
     "\"AttributeType\":\"N\"},{\"AttributeName\":\"c\",\"AttributeType\":\"S\"}],\"KeySchema\":"
     "[" PK_HASH "],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"g1\",\"KeySchema\":[{"
     "\"AttributeName\":\"a b\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"B#1\",\"KeyType\":"
     "\"HASH\"},{\"AttributeName\":\"c\",\"KeyType\":\"RANGE\"}],\"Projection\":{"
     "\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\",\"y z\"]}}],"
     "\"BillingMode\":\"PAY_PER_REQUEST\"}"},
    /* an index without throughput gets the table's, wherever the table's stands */
    {"T (PK S) gsi g1 (PK S) projection keys provisioned 1 2 gsi g2 (PK S)\nprovisioned 3 4\n"
     "provisioned 8 9",
     "{" T_PK "],\"KeySchema\":[" PK_HASH "],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"g1\","
     "\"KeySchema\":[" PK_HASH "],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"},"
     "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1,\"WriteCapacityUnits\":2}},{"
     "\"IndexName\":\"g2\",\"KeySchema\":[" PK_HASH "],\"Projection\":{\"ProjectionType\":\"ALL\"}"
     ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":3,\"WriteCapacityUnits\":4}}],"
     "\"BillingMode\":\"PROVISIONED\",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":8,"
     "\"WriteCapacityUnits\":9}}"},
    {"T (PK S) gsi g1 (PK S) protect provisioned 8 9",
     "{" T_PK "],\"KeySchema\":[" PK_HASH "],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"g1\","
     "\"KeySchema\":[" PK_HASH "],\"Projection\":{\"ProjectionType\":\"ALL\"},"
     "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":8,\"WriteCapacityUnits\":9}}],"
     "\"BillingMode\":\"PROVISIONED\",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":8,"
     "\"WriteCapacityUnits\":9},\"DeletionProtectionEnabled\":true}"},
    {"T (PK S, SK S) lsi l1 (x N)",
     "{" T_PK ",{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"},{\"AttributeName\":\"x\","
     "\"AttributeType\":\"N\"}],\"KeySchema\":[" PK_HASH ",{\"AttributeName\":\"SK\",\"KeyType\":"
     "\"RANGE\"}],\"LocalSecondaryIndexes\":[{\"IndexName\":\"l1\",\"KeySchema\":[" PK_HASH
     ",{\"AttributeName\":\"x\",\"KeyType\":\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}"
     "}],\"BillingMode\":\"PAY_PER_REQUEST\"}"},
    /* faults, each with its place */
    {"", "expected the table's name @0+0"},
    {"if exists T", "expected 'if not exists', found 'exists' @3+6"},
    {"T",
     "expected '(' and the key's attributes @1+0 (create table NAME (PK type [, SK type]) …;)"},
    {"T (PK)", "expected the attribute's type, found ')' @5+1 (a key attribute is S (string), N "
               "(number) or B (binary))"},
    {"T (PK varchar)", "expected the attribute's type, found 'varchar' @6+7 (a key attribute is S "
                       "(string), N (number) or B (binary))"},
    {"T (PK S, SK S, name S)", "expected ')', found ',' @13+1 (only key attributes are declared; "
                               "items have any others they like)"},
    {"T (PK S range)", "the key has no hash attribute: the partition key comes first @3+2"},
    {"T (PK S hash, SK S hash)",
     "the key has two hash attributes: the second is its sort key @14+2"},
    {"T (a S + b S)", "only the key of a gsi may join several attributes by '+' @2+1"},
    {"T (PK S) gsi g (a S + b S + c S + d S + e S)",
     "a key has at most 4 attributes on a side @40+1"},
    {"T (PK S) gsi g (PK N)", "attribute 'PK' is N here and S further up @16+2"},
    {"T (PK S) lsi l (PK S, b S)", "an lsi names one attribute, its sort key @15+1 (its partition "
                                   "key is the table's; an index with its own is a gsi)"},
    {"T (PK S) provisioned 5", "expected a whole number from 1 to 1000000000000 @22+0"},
    {"T (PK S) provisioned 0 1", "expected a whole number from 1 to 1000000000000 @21+1"},
    {"T (PK S) on fire", "expected 'demand', found 'fire' @12+4"},
    {"T (PK S) on demand provisioned 1 1",
     "how the table's capacity is billed is there twice @19+11"},
    {"T (PK S) gsi g (PK S) projection some", "expected all, keys or include (…), found 'some' "
                                              "@33+4"},
    {"T (PK S) stream all",
     "expected keys_only, new_image, old_image or new_and_old, found 'all' @16+3"},
    {"T (PK S) ttl", "expected the attribute that says when an item expires @12+0"},
    {"T (PK S) ttl a ttl b", "the time to live is there twice @15+3"},
    {"T (PK S) fast",
     "expected a clause of the table or ';', found 'fast' @9+4 (clauses: on "
     "demand, provisioned R W, max R W, stream VIEW, ttl ATTR, protect, gsi NAME (…), "
     "lsi NAME (…))"},
};

Test(ddl, definitions)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
        parse(definitions[i].text, &out);
        cr_expect_str_eq(out.data, definitions[i].request, "%s\n  gives    %s\n  expected %s",
                         definitions[i].text, out.data, definitions[i].request);
    }
    pk_buf_release(&out);
}

/* What show create prints is what made the table, and makes the same table again. */
static const char *const round_trips[] = {
    "create table Plain (PK S) on demand;",
    "create table Both (PK S, SK N) provisioned 5 6 protect;",
    "create table Full (PK S, SK N) on demand max 100 50 stream keys_only\n"
    "  lsi byDate (date B) projection keys\n"
    "  gsi GSI1 (`a b` S + `it``s` N, SK N + date B) projection include (x, `y z`) max 7 9\n"
    "  gsi GSI2 (SK N);",
    "create table Provisioned (PK B) provisioned 1 2\n"
    "  gsi GSI1 (a S) projection keys provisioned 3 4;",
    "create table Tagged (PK S) on demand;\n"
    "alter table Tagged tag 'a' = 'b';\n"
    "alter table Tagged tag 'team' = 'two words';",
};

/* Statements of a text, one at a time. */
static void run_all(struct session *session, const char *text)
{
    struct cmd_split split;
    pk_slice rest = pk_slice_cstr(text);

    while (cmd_split_next(&session->context, rest, true, &split) == CMD_SPLIT_COMPLETE) {
        char *statement = pk_memdup_cstr(split.body.data, split.body.len);
        const char *answer = session_run(session, statement);

        cr_assert(strncmp(answer, "table ", 6) == 0, "%s\n  %s", statement, answer);
        free(statement);
        rest = pk_slice_skip(rest, split.end);
    }
}

Test(ddl, round_trips)
{
    for (size_t i = 0; i < sizeof(round_trips) / sizeof(*round_trips); i++) {
        struct session session;
        char show[64];
        const char *name = round_trips[i] + strlen("create table ");

        snprintf(show, sizeof(show), "show create table %.*s", (int)strcspn(name, " "), name);
        cr_assert(session_open(&session));
        run_all(&session, round_trips[i]);
        cr_expect_str_eq(session_run(&session, show), round_trips[i], "%s gives\n%s", show,
                         session.last);
        session_close(&session);
    }
}

enum { QUESTION_MAX = 80 };

static bool say_no(void *context, const char *question, bool *asked)
{
    *asked = true;
    snprintf(context, QUESTION_MAX, "%s", question);
    return false;
}

static const struct {
    const char *statement;
    const char *answer;
} session_lines[] = {
    {"create table Music (Artist S, Song S) gsi byYear (Year N)",
     "table Music created · Artist (S), Song (S) · on demand · 1 index"},
    {"create table Music (Artist S)", "ResourceInUseException: Table already exists: Music @13+5"},
    {"create table if not exists Music (Artist S)",
     "table Music exists already; it was not changed"},
    {"create table ab (PK S)",
     "ValidationException: 1 validation error detected: Value 'ab' at 'tableName' failed to "
     "satisfy constraint: Member must have length greater than or equal to 3 @13+2"},
    {"create table Abc (PK S, SK S) lsi one (x S) gsi two (y S) gsi z (y S)",
     "ValidationException: 1 validation error detected: Value 'z' at "
     "'globalSecondaryIndexes.2.member.indexName' failed to satisfy constraint: Member must have "
     "length greater than or equal to 3 @62+1"},
    {"alter table Music drop gsi z",
     "ValidationException: 1 validation error detected: Value 'z' at "
     "'globalSecondaryIndexUpdates.1.member.delete.indexName' failed to satisfy constraint: Member "
     "must have length greater than or equal to 3 @27+1"},
    {"alter table Music provisioned 5 6", "table Music: provisioned, 5 RCU and 6 WCU"},
    {"show create table", "create table Music (Artist S, Song S) provisioned 5 6\n"
                          "  gsi byYear (Year N) provisioned 5 6;"},
    {"alter table Music on demand", "table Music: on demand"},
    {"alter table Music protect on", "table Music: protected against drop"},
    {"drop table Music",
     "ValidationException: Resource cannot be deleted as it is currently protected against "
     "deletion. Disable deletion protection first. @11+5\nhint: alter table Music protect off;"},
    {"alter table Music protect off", "table Music: no longer protected"},
    {"alter table Music protect maybe", "UsageError: expected on or off after 'protect' @26+5"},
    {"alter table Music tag a=1, b = 'x y'", "table Music: tagged"},
    {"alter table Music untag a, nothing", "table Music: untagged"},
    {"show create Music",
     "create table Music (Artist S, Song S) on demand\n  gsi byYear (Year N);\n"
     "alter table Music tag 'b' = 'x y';"},
    {"alter table Music tag a", "UsageError: expected '=' and the tag's value @23+0"},
    {"alter table Nope on demand",
     "ResourceNotFoundException: Requested resource not found: Table: Nope not found @12+4"},
    {"alter table Music autoscale 1 9 target 70 1 9 target 70",
     "UsageError: expected R or W with minimum, maximum and target @28+1\nhint: autoscale R 5 "
     "100 70 W 5 100 70; drop autoscale ends it"},
    {"alter table Music add lsi x (a S)", "UsageError: expected 'gsi' after 'add' @22+3\n"
                                          "hint: an lsi is made with its table and goes with it"},
    {"alter table Music grow", "UsageError: expected a change of the table @18+4\n"
                               "hint: changes: add gsi …, drop gsi NAME, gsi NAME "
                               "provisioned R W, provisioned R W, on demand, autoscale …, drop "
                               "autoscale, protect on|off, tag "
                               "k=v, untag k"},
    {"show create table Nope",
     "ResourceNotFoundException: Requested resource not found: Table: Nope not found @18+4"},
    {"drop table if exists Nope", "there is no table Nope"},
    {"drop table Nope",
     "ResourceNotFoundException: Requested resource not found: Table: Nope not found @11+4\n"
     "hint: tables lists the tables there are"},
    {"drop table if Music", "UsageError: expected 'if exists' @14+5"},
    {"put A B {Year: 1}", "put · partition 0 of 4 · 18 B · 2 WCU (table 1, byYear 1)"},
    {"drop table Music", "UsageError: table 'Music' holds 1 item; it was not dropped @11+5\n"
                         "hint: pksk --yes drops it without asking"},
};

Test(ddl, statements)
{
    struct session session;
    char question[QUESTION_MAX] = "";

    cr_assert(session_open(&session));
    for (size_t i = 0; i < sizeof(session_lines) / sizeof(*session_lines); i++) {
        const char *answer = session_run(&session, session_lines[i].statement);

        cr_expect_str_eq(answer, session_lines[i].answer, "%s\n  gives    %s\n  expected %s",
                         session_lines[i].statement, answer, session_lines[i].answer);
    }
    session.context.asker = (struct cmd_asker){say_no, question};
    cr_expect_str_eq(session_run(&session, "drop table Music"), "table Music was not dropped");
    cr_expect_str_eq(question, "table Music holds 1 item; drop it?");
    cr_expect_str_eq(session.context.table, "Music");
    session.context.yes = true;
    cr_expect_str_eq(session_run(&session, "drop table Music"), "table Music dropped");
    cr_expect_null(session.context.table);
    session_close(&session);
}
