/* ttl on, off and status. */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wire.h"

/* DescribeTimeToLive's description; *answer is the caller's. */
static enum pk_code describe(struct cmd_context *context, pk_slice table, cJSON **answer,
                             struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", table);
    rc = cmd_call(context, "DescribeTimeToLive", request, answer, NULL, err);
    cJSON_Delete(request);
    return rc;
}

static const cJSON *description_of(const cJSON *answer)
{
    return cJSON_GetObjectItemCaseSensitive(answer, "TimeToLiveDescription");
}

static enum pk_code update(struct cmd_context *context, pk_slice table, pk_slice attribute,
                           bool enabled, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *given = cmd_wire_object(request, "TimeToLiveSpecification");
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", table);
    cmd_wire_set_text(given, "AttributeName", attribute);
    cmd_wire_set_bool(given, "Enabled", enabled);
    rc = cmd_call(context, "UpdateTimeToLive", request, &answer, NULL, err);
    if (rc == PK_E_VALIDATION && err->hint == NULL &&
        strstr(err->message, "multiple times") != NULL)
        pk_error_hint(err, "a change takes up to an hour on AWS; here: clock advance 1h");
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    return rc;
}

static enum pk_code ttl_on(struct cmd_context *context, pk_slice table, struct cmd_words *words,
                           struct cmd_result *result, struct pk_error *err)
{
    pk_slice attribute;
    enum pk_code rc =
        cmd_words_take(words, "the attribute that says when an item expires", &attribute, err);

    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc == PK_OK)
        rc = update(context, table, attribute, true, err);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "table %.*s: items expire at %.*s, a number of seconds since 1970",
                        PK_FMT(table), PK_FMT(attribute));
    return rc;
}

static enum pk_code ttl_off(struct cmd_context *context, pk_slice table, struct cmd_words *words,
                            struct cmd_result *result, struct pk_error *err)
{
    cJSON *answer = NULL;
    pk_slice attribute = {NULL, 0};
    enum pk_code rc = cmd_words_done(words, err);

    if (rc == PK_OK)
        rc = describe(context, table, &answer, err);
    if (rc == PK_OK) {
        attribute = cmd_wire_text(description_of(answer), "AttributeName");
        /* Without one the answer is that it is off already, whatever the name. */
        rc = update(context, table, attribute.data == NULL ? PK_LIT("ttl") : attribute, false, err);
    }
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s: items do not expire", PK_FMT(table));
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code ttl_status(struct cmd_context *context, pk_slice table, struct cmd_words *words,
                               struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[] = {"table", "TTL", "attribute"};
    cJSON *answer = NULL;
    enum pk_code rc = cmd_words_done(words, err);

    if (rc == PK_OK)
        rc = describe(context, table, &answer, err);
    if (rc == PK_OK) {
        struct pk_arena *arena = &result->arena;
        const cJSON *node = description_of(answer);
        pk_slice cells[3] = {pk_arena_dup(arena, table),
                             pk_arena_dup(arena, cmd_wire_text(node, "TimeToLiveStatus")),
                             pk_arena_dup(arena, cmd_wire_text(node, "AttributeName"))};

        cmd_grid_row(result, cmd_result_grid(result, columns, NULL, 3), cells);
    }
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code ttl_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    pk_slice table = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);
    bool on, off;

    if (rc != PK_OK)
        return rc;
    on = cmd_words_is(&words, "on");
    off = cmd_words_is(&words, "off");
    if (!cmd_words_at_end(&words)) {
        if (!on && !off && !cmd_words_is(&words, "status"))
            return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected on, off or status");
        rc = cmd_words_next(&words, err);
    }
    if (rc == PK_OK && (on || off || !cmd_words_at_end(&words)))
        rc = cmd_words_take(&words, "the table's name", &table, err);
    if (rc == PK_OK && table.data == NULL)
        rc = cmd_need_table(context, &table, err);
    if (rc != PK_OK)
        return rc;
    rc = (on ? ttl_on : off ? ttl_off : ttl_status)(context, table, &words, result, err);
    if (rc != PK_OK && rc != PK_E_CANCELLED)
        cmd_point_at(err, statement->text, table);
    return rc;
}

const struct cmd_entry cmd_ttl_entry = {
    .name = "ttl",
    .group = CMD_GROUP_TABLES,
    .usage = "on TABLE ATTR | off TABLE | status [TABLE]",
    .summary = "time to live: expired items are deleted in the background",
    .detail = "  ttl on sessions expires_at     a number: seconds since 1970\n"
              "Expired items stay readable until they are deleted: 48 hours later, unless 'set "
              "ttl.delay' says otherwise. Deleting them costs nothing.\n"
              "  clock advance 48h              does not wait for it",
    .flags = CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = ttl_run,
};
