/* create table: DDL text to CreateTable. */
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wait.h"
#include "commands/wire.h"

static bool already_there(const struct pk_error *err)
{
    /* a foreign endpoint may say no more than the type */
    return err->code == PK_E_IN_USE && err->message != NULL &&
           (err->message[0] == '\0' ||
            pk_slice_starts(pk_slice_cstr(err->message), PK_LIT("Table already exists")));
}

/* "2 indexes", after the key and the billing. */
static void note_created(struct cmd_context *context, const struct pk_table *table,
                         struct cmd_result *result)
{
    pk_slice key = cmd_key_text(&table->key, &result->arena);
    pk_slice indexes = {"", 0};

    if (table->index_count > 0)
        indexes = pk_arena_printf(&result->arena, " · %zu index%s", table->index_count,
                                  table->index_count == 1 ? "" : "es");
    cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s created · %.*s · %s%.*s",
                    PK_FMT(table->name), PK_FMT(key),
                    table->billing == PK_ON_DEMAND ? "on demand" : "provisioned", PK_FMT(indexes));
    if (cmd_current_table(context) == NULL)
        cmd_set_table(context, table->name);
}

/* CreateTable knows no time to live: that is an operation of its own. */
static enum pk_code enable_ttl(struct cmd_context *context, const struct pk_table *table,
                               struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *given = cmd_wire_object(request, "TimeToLiveSpecification");
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", table->name);
    cmd_wire_set_text(given, "AttributeName", table->ttl_attribute);
    cmd_wire_set_bool(given, "Enabled", true);
    rc = cmd_call(context, "UpdateTimeToLive", request, &answer, NULL, err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code create_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct cmd_ddl_create create;
    cJSON *request, *answer = NULL;
    enum pk_code rc = cmd_ddl_parse(statement, &result->arena, &create, err);

    if (rc != PK_OK)
        return rc;
    request = cmd_ddl_request(&create.table);
    rc = cmd_call(context, "CreateTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    if (rc == PK_OK)
        rc = cmd_wait_table(context, create.table.name, CMD_WAIT_ACTIVE, err);
    if (rc == PK_OK) {
        note_created(context, &create.table, result);
        if (create.table.ttl_attribute.data != NULL)
            rc = enable_ttl(context, &create.table, err);
    } else if (already_there(err) && create.if_not_exists) {
        pk_error_release(err);
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s exists already; it was not changed",
                        PK_FMT(create.table.name));
        rc = PK_OK;
    } else if (rc != PK_E_CANCELLED) {
        cmd_ddl_place(&create, statement->text, err);
    }
    return rc;
}

const struct cmd_entry cmd_create_entry = {
    .name = "create table",
    .group = CMD_GROUP_TABLES,
    .usage = "[if not exists] NAME (PK type [hash] [, SK type [range]]) [on demand | provisioned R "
             "W] [max R W] [stream VIEW] [ttl ATTR] [protect] {gsi … | lsi …}",
    .summary = "make a table, with its indexes",
    .detail = "  gsi NAME (A type [+ B type …] [, S type [+ …]]) [projection all | keys | include "
              "(a, b)] [provisioned R W]\n"
              "  lsi NAME (SK2 type) [projection …]\n"
              "A type is S, N or B (string, number, binary). Without 'provisioned' the table is on "
              "demand.\n"
              "A gsi of a provisioned table gets the table's R and W unless it names its own.\n"
              "VIEW is keys_only, new_image, old_image or new_and_old.\n"
              "ATTR is the attribute that says when an item expires: seconds since 1970.\n"
              "The new table becomes the current one if none is.",
    .flags = CMD_DDL | CMD_NO_TXN,
    .run = create_run,
};
