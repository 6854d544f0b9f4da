/* alter table: one change a statement, each an UpdateTable, TagResource or UntagResource. */
#include "commands/args.h"
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wire.h"

struct alter {
    struct cmd_context *context;
    struct cmd_words words;
    pk_slice table;
    const char *operation;
    cJSON *request; /* owned */
    pk_slice note;  /* what was done, after "table NAME: " */
    pk_slice index; /* that is added or dropped */
    struct cmd_result *result;
};

static enum pk_code describe(struct alter *alter, cJSON **answer, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", alter->table);
    rc = cmd_call(alter->context, "DescribeTable", request, answer, NULL, err);
    cJSON_Delete(request);
    return rc;
}

/* ---- the actions ----------------------------------------------------------------------------- */

static void set_units(cJSON *owner, int64_t read, int64_t write)
{
    cJSON *units = cmd_wire_object(owner, "ProvisionedThroughput");

    cmd_wire_set_int(units, "ReadCapacityUnits", read);
    cmd_wire_set_int(units, "WriteCapacityUnits", write);
}

static void add_index_units(cJSON *updates, pk_slice index, int64_t read, int64_t write)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON *update = cmd_wire_object(entry, "Update");

    cmd_wire_set_text(update, "IndexName", index);
    set_units(update, read, write);
    cJSON_AddItemToArray(updates, entry);
}

/* A table that leaves on demand needs throughput for each gsi as well: they get the table's. */
static enum pk_code provision_indexes(struct alter *alter, int64_t read, int64_t write,
                                      struct pk_error *err)
{
    const struct pk_table *table;
    cJSON *updates;
    enum pk_code rc = cmd_schema_get(alter->context, alter->table, &table, err);

    if (rc != PK_OK || table->billing == PK_PROVISIONED || table->index_count == table->local_count)
        return rc;
    updates = cJSON_CreateArray();
    for (size_t i = table->local_count; i < table->index_count; i++)
        add_index_units(updates, table->indexes[i].name, read, write);
    cmd_wire_set(alter->request, "GlobalSecondaryIndexUpdates", updates);
    return PK_OK;
}

static enum pk_code alter_provisioned(struct alter *alter, struct pk_error *err)
{
    int64_t read, write;
    enum pk_code rc = cmd_ddl_units(&alter->words, &read, &write, err);

    if (rc != PK_OK)
        return rc;
    cmd_wire_set_text(alter->request, "BillingMode", PK_LIT("PROVISIONED"));
    set_units(alter->request, read, write);
    alter->note = pk_arena_printf(&alter->result->arena, "provisioned, %lld RCU and %lld WCU",
                                  (long long)read, (long long)write);
    return provision_indexes(alter, read, write, err);
}

static enum pk_code alter_on_demand(struct alter *alter, struct pk_error *err)
{
    if (!cmd_words_is(&alter->words, "demand"))
        return pk_fail_at(err, PK_E_USAGE, alter->words.token.span, "expected 'demand' after 'on'");
    cmd_wire_set_text(alter->request, "BillingMode", PK_LIT("PAY_PER_REQUEST"));
    alter->note = PK_LIT("on demand");
    return cmd_words_next(&alter->words, err);
}

static enum pk_code alter_protect(struct alter *alter, struct pk_error *err)
{
    bool on = cmd_words_is(&alter->words, "on");

    if (!on && !cmd_words_is(&alter->words, "off"))
        return pk_fail_at(err, PK_E_USAGE, alter->words.token.span,
                          "expected on or off after 'protect'");
    cmd_wire_set_bool(alter->request, "DeletionProtectionEnabled", on);
    alter->note = on ? PK_LIT("protected against drop") : PK_LIT("no longer protected");
    return cmd_words_next(&alter->words, err);
}

/* TagResource and UntagResource name a table by its ARN. */
static enum pk_code use_arn(struct alter *alter, const char *operation, struct pk_error *err)
{
    cJSON *answer = NULL;
    const cJSON *table;
    enum pk_code rc = describe(alter, &answer, err);

    if (rc != PK_OK)
        return rc;
    table = cJSON_GetObjectItemCaseSensitive(answer, "Table");
    cJSON_Delete(alter->request);
    alter->request = cJSON_CreateObject();
    alter->operation = operation;
    cmd_wire_set_text(alter->request, "ResourceArn", cmd_wire_text(table, "TableArn"));
    cJSON_Delete(answer);
    return PK_OK;
}

static enum pk_code skip_punct(struct alter *alter, const char *punct, bool *found,
                               struct pk_error *err)
{
    *found = cmd_token_is(&alter->words.token, punct);
    return *found ? cmd_words_next(&alter->words, err) : PK_OK;
}

/* tag k = v {, k = v} */
static enum pk_code alter_tag(struct alter *alter, struct pk_error *err)
{
    cJSON *tags = cJSON_CreateArray();
    bool more = true;
    enum pk_code rc = use_arn(alter, "TagResource", err);

    while (rc == PK_OK && more) {
        pk_slice key, value = {NULL, 0};
        bool equals = false;

        rc = cmd_words_take(&alter->words, "the tag's name", &key, err);
        if (rc == PK_OK)
            rc = skip_punct(alter, "=", &equals, err);
        if (rc == PK_OK && !equals)
            rc = pk_fail_at(err, PK_E_USAGE, alter->words.token.span,
                            "expected '=' and the tag's value");
        if (rc == PK_OK)
            rc = cmd_words_take(&alter->words, "the tag's value", &value, err);
        if (rc == PK_OK) {
            cJSON *tag = cJSON_CreateObject();

            cmd_wire_set_text(tag, "Key", key);
            cmd_wire_set_text(tag, "Value", value);
            cJSON_AddItemToArray(tags, tag);
            rc = skip_punct(alter, ",", &more, err);
        }
    }
    cmd_wire_set(alter->request, "Tags", tags);
    alter->note = PK_LIT("tagged");
    return rc;
}

/* untag k {, k} */
static enum pk_code alter_untag(struct alter *alter, struct pk_error *err)
{
    cJSON *keys = cJSON_CreateArray();
    bool more = true;
    enum pk_code rc = use_arn(alter, "UntagResource", err);

    while (rc == PK_OK && more) {
        pk_slice key;

        rc = cmd_words_take(&alter->words, "the tag's name", &key, err);
        if (rc == PK_OK) {
            pk_slice text = pk_arena_dup(&alter->result->arena, key);

            cJSON_AddItemToArray(keys, cJSON_CreateString(text.data));
            rc = skip_punct(alter, ",", &more, err);
        }
    }
    cmd_wire_set(alter->request, "TagKeys", keys);
    alter->note = PK_LIT("untagged");
    return rc;
}

/* ---- auto scaling ---------------------------------------------------------------------------- */

/* [gsi NAME] */
static enum pk_code take_gsi(struct alter *alter, struct pk_error *err)
{
    enum pk_code rc;

    if (!alter->context->backend->extensions)
        return cmd_fail_foreign(alter->context, "autoscale", err);
    cJSON_Delete(alter->request);
    alter->request = cJSON_CreateObject();
    alter->operation = "Pksk.AutoScale";
    cmd_wire_set_text(alter->request, "TableName", alter->table);
    if (!cmd_words_is(&alter->words, "gsi"))
        return PK_OK;
    rc = cmd_words_next(&alter->words, err);
    if (rc == PK_OK)
        rc = cmd_words_take(&alter->words, "the index's name", &alter->index, err);
    if (rc == PK_OK)
        cmd_wire_set_text(alter->request, "IndexName", alter->index);
    return rc;
}

/* "70", "70%" or "0.7". */
static enum pk_code take_target(struct cmd_words *words, int64_t *percent, struct pk_error *err)
{
    struct pk_span span = words->token.span;
    pk_slice text;
    enum pk_code rc = cmd_words_take(words, "the target: 20 to 90 percent", &text, err);

    if (rc != PK_OK)
        return rc;
    if (text.len > 1 && text.data[text.len - 1] == '%')
        text.len--;
    else if (text.len > 2 && memcmp(text.data, "0.", 2) == 0)
        text = text.len == 3 ? pk_arena_printf(words->lexer.arena, "%c0", text.data[2])
                             : pk_slice_skip(text, 2);
    if (!cmd_parse_count(text, PK_SCALING_TARGET_MOST, percent) ||
        *percent < PK_SCALING_TARGET_LEAST)
        return pk_fail_at(err, PK_E_USAGE, span, "expected the target: %d to %d percent",
                          PK_SCALING_TARGET_LEAST, PK_SCALING_TARGET_MOST);
    return PK_OK;
}

/* min max target */
static enum pk_code take_scaling(struct alter *alter, const char *member, struct pk_error *err)
{
    struct pk_span span;
    struct pk_scaling scaling = {0};
    cJSON *target;
    enum pk_code rc = cmd_words_next(&alter->words, err);

    span = alter->words.token.span;
    if (rc == PK_OK)
        rc = cmd_ddl_units(&alter->words, &scaling.min, &scaling.max, err);
    if (rc == PK_OK && scaling.min > scaling.max)
        rc = pk_fail_at(err, PK_E_USAGE, span, "the minimum is above the maximum");
    if (rc == PK_OK)
        rc = take_target(&alter->words, &scaling.target_percent, err);
    if (rc != PK_OK)
        return rc;
    target = cmd_wire_object(alter->request, member);
    cmd_wire_set_int(target, "Min", scaling.min);
    cmd_wire_set_int(target, "Max", scaling.max);
    cmd_wire_set_int(target, "Target", scaling.target_percent);
    alter->note = pk_arena_printf(
        &alter->result->arena, "%.*s%s%s %lld to %lld at %lld%%", PK_FMT(alter->note),
        alter->note.len == 0 ? "auto scaling, " : ", ", strcmp(member, "Read") == 0 ? "RCU" : "WCU",
        (long long)scaling.min, (long long)scaling.max, (long long)scaling.target_percent);
    return PK_OK;
}

/* autoscale [gsi NAME] [R min max target] [W min max target] */
static enum pk_code alter_autoscale(struct alter *alter, struct pk_error *err)
{
    enum pk_code rc = take_gsi(alter, err);

    if (rc == PK_OK && cmd_words_is(&alter->words, "R"))
        rc = take_scaling(alter, "Read", err);
    if (rc == PK_OK && cmd_words_is(&alter->words, "W"))
        rc = take_scaling(alter, "Write", err);
    if (rc == PK_OK && alter->note.len == 0) {
        pk_fail_at(err, PK_E_USAGE, alter->words.token.span,
                   "expected R or W with minimum, maximum and target");
        pk_error_hint(err, "autoscale R 5 100 70 W 5 100 70; drop autoscale ends it");
        return PK_E_USAGE;
    }
    return rc;
}

static enum pk_code drop_autoscale(struct alter *alter, struct pk_error *err)
{
    enum pk_code rc = cmd_words_next(&alter->words, err);

    if (rc == PK_OK)
        rc = take_gsi(alter, err);
    if (rc != PK_OK)
        return rc;
    cmd_wire_set_bool(alter->request, "Off", true);
    alter->note = PK_LIT("auto scaling is off; the throughput stays as it is");
    return PK_OK;
}

/* ---- indexes --------------------------------------------------------------------------------- */

static enum pk_code add_index(struct alter *alter, struct pk_error *err)
{
    const struct pk_table *table = NULL;
    struct pk_table with;
    enum pk_code rc = cmd_schema_get(alter->context, alter->table, &table, err);

    if (rc != PK_OK)
        return rc;
    with = *table;
    rc = cmd_ddl_parse_gsi(&alter->words, &alter->result->arena, &with, err);
    if (rc != PK_OK)
        return rc;
    cJSON_Delete(alter->request);
    alter->request = cmd_ddl_gsi_request(&with);
    alter->index = with.indexes[with.index_count - 1].name;
    alter->note = pk_arena_printf(&alter->result->arena,
                                  "gsi %.*s is being made; 'indexes' shows how far it is",
                                  PK_FMT(with.indexes[with.index_count - 1].name));
    return PK_OK;
}

static enum pk_code drop_index(struct alter *alter, struct pk_error *err)
{
    cJSON *updates, *entry;
    pk_slice name;
    enum pk_code rc = cmd_words_next(&alter->words, err);

    if (rc == PK_OK)
        rc = cmd_words_take(&alter->words, "the index's name", &name, err);
    if (rc != PK_OK)
        return rc;
    updates = cJSON_CreateArray();
    entry = cJSON_CreateObject();
    alter->index = name;
    cmd_wire_set_text(cmd_wire_object(entry, "Delete"), "IndexName", name);
    cJSON_AddItemToArray(updates, entry);
    cmd_wire_set(alter->request, "GlobalSecondaryIndexUpdates", updates);
    alter->note = pk_arena_printf(&alter->result->arena, "gsi %.*s dropped", PK_FMT(name));
    return PK_OK;
}

/* gsi NAME provisioned R W */
static enum pk_code provision_index(struct alter *alter, struct pk_error *err)
{
    int64_t read, write;
    cJSON *updates;
    enum pk_code rc = cmd_words_take(&alter->words, "the index's name", &alter->index, err);

    if (rc == PK_OK && !cmd_words_is(&alter->words, "provisioned")) {
        pk_fail_at(err, PK_E_USAGE, alter->words.token.span,
                   "expected 'provisioned' and the index's read and write units");
        return PK_E_USAGE;
    }
    if (rc == PK_OK)
        rc = cmd_words_next(&alter->words, err);
    if (rc == PK_OK)
        rc = cmd_ddl_units(&alter->words, &read, &write, err);
    if (rc != PK_OK)
        return rc;
    updates = cJSON_CreateArray();
    add_index_units(updates, alter->index, read, write);
    cmd_wire_set(alter->request, "GlobalSecondaryIndexUpdates", updates);
    alter->note = pk_arena_printf(&alter->result->arena, "gsi %.*s: %lld RCU and %lld WCU",
                                  PK_FMT(alter->index), (long long)read, (long long)write);
    return PK_OK;
}

static enum pk_code alter_index(struct alter *alter, bool add, struct pk_error *err)
{
    if (!add && cmd_words_is(&alter->words, "autoscale"))
        return drop_autoscale(alter, err);
    if (!cmd_words_is(&alter->words, "gsi")) {
        pk_fail_at(err, PK_E_USAGE, alter->words.token.span, "expected 'gsi' after '%s'",
                   add ? "add" : "drop");
        pk_error_hint(err, "an lsi is made with its table and goes with it");
        return PK_E_USAGE;
    }
    return add ? add_index(alter, err) : drop_index(alter, err);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static enum pk_code parse_action(struct alter *alter, struct pk_error *err)
{
    static const struct {
        const char *word;
        enum pk_code (*parse)(struct alter *alter, struct pk_error *err);
    } actions[] = {
        {"provisioned", alter_provisioned}, {"on", alter_on_demand}, {"autoscale", alter_autoscale},
        {"protect", alter_protect},         {"tag", alter_tag},      {"untag", alter_untag},
        {"gsi", provision_index},
    };
    struct pk_span span = alter->words.token.span;
    bool add = cmd_words_is(&alter->words, "add");
    enum pk_code rc;

    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
        if (!cmd_words_is(&alter->words, actions[i].word))
            continue;
        rc = cmd_words_next(&alter->words, err);
        return rc != PK_OK ? rc : actions[i].parse(alter, err);
    }
    if (add || cmd_words_is(&alter->words, "drop")) {
        rc = cmd_words_next(&alter->words, err);
        return rc != PK_OK ? rc : alter_index(alter, add, err);
    }
    pk_fail_at(err, PK_E_USAGE, span, "expected a change of the table");
    pk_error_hint(err,
                  "changes: add gsi …, drop gsi NAME, gsi NAME provisioned R W, provisioned R W, "
                  "on demand, autoscale …, "
                  "drop autoscale, protect on|off, tag k=v, untag k");
    return PK_E_USAGE;
}

static enum pk_code alter_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct alter alter = {.context = context, .operation = "UpdateTable", .result = result};
    cJSON *answer = NULL;
    enum pk_code rc = cmd_words_init(&alter.words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = cmd_words_take(&alter.words, "the table's name", &alter.table, err);
    if (rc != PK_OK)
        return rc;
    alter.request = cJSON_CreateObject();
    cmd_wire_set_text(alter.request, "TableName", alter.table);
    rc = parse_action(&alter, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&alter.words, err);
    if (rc == PK_OK)
        rc = cmd_call(context, alter.operation, alter.request, &answer, NULL, err);
    cJSON_Delete(alter.request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    if (rc != PK_OK && rc != PK_E_CANCELLED) {
        cmd_point_at(err, statement->text, alter.index);
        cmd_point_at(err, statement->text, alter.table);
    }
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s: %.*s", PK_FMT(alter.table),
                        PK_FMT(alter.note));
    return rc;
}

const struct cmd_entry cmd_alter_entry = {
    .name = "alter table",
    .group = CMD_GROUP_TABLES,
    .usage = "NAME add gsi … | drop gsi NAME | [gsi NAME] provisioned R W | on demand | "
             "[drop] autoscale … | protect on|off | tag k=v | untag k",
    .summary = "change a table's indexes, capacity, protection or tags",
    .detail =
        "  alter table shop add gsi by_status (status S, date S) projection keys;\n"
        "The new index is filled from the items there are while writes go on; it answers once "
        "it is ACTIVE.\n"
        "A gsi of a table that becomes provisioned gets the table's R and W; later it has its "
        "own:\n"
        "  alter table shop gsi by_status provisioned 10 100;\n"
        "autoscale [gsi NAME] R min max target W min max target; follows the load with the\n"
        "throughput, in provisioned mode: target is the share in use it aims at, 20 to 90 percent.",
    .flags = CMD_DDL | CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = alter_run,
};
