/*
 * show create table: the DDL that makes the table again, from DescribeTable. What the language
 * cannot say stands below it as a comment, with the API's name for it, so that nothing is lost
 * silently.
 */
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/wire.h"

/* Tags are no part of a definition: one alter for each. */
static void print_tags(struct cmd_context *context, pk_slice table, pk_slice arn,
                       struct pk_buf *out)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *tag;

    cmd_wire_set_text(request, "ResourceArn", arn);
    if (cmd_call(context, "ListTagsOfResource", request, &answer, NULL, &ignored) == PK_OK) {
        cJSON_ArrayForEach(tag, cJSON_GetObjectItemCaseSensitive(answer, "Tags"))
        {
            pk_buf_add_cstr(out, "\nalter table ");
            cmd_ddl_print_name(out, table);
            pk_buf_add_cstr(out, " tag ");
            cmd_quote(out, cmd_wire_text(tag, "Key"));
            pk_buf_add_cstr(out, " = ");
            cmd_quote(out, cmd_wire_text(tag, "Value"));
            pk_buf_add_byte(out, ';');
        }
    }
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
}

/* The attribute that says when an item expires, copied; data NULL: none. */
static pk_slice ask_ttl(struct cmd_context *context, pk_slice table, struct pk_arena *arena)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    pk_slice attribute = {NULL, 0};

    cmd_wire_set_text(request, "TableName", table);
    if (cmd_call(context, "DescribeTimeToLive", request, &answer, NULL, &ignored) == PK_OK)
        attribute = cmd_wire_text(cJSON_GetObjectItemCaseSensitive(answer, "TimeToLiveDescription"),
                                  "AttributeName");
    if (attribute.data != NULL)
        attribute = pk_arena_dup(arena, attribute);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
    return attribute;
}

static bool half_given(const struct pk_max_throughput *max)
{
    return (max->read > 0) != (max->write > 0);
}

static void print_rest(const struct pk_table *table, struct pk_buf *out)
{
    bool half = half_given(&table->max);

    for (size_t i = 0; i < table->index_count; i++)
        half = half || half_given(&table->indexes[i].max);
    if (table->infrequent_access)
        pk_buf_add_cstr(out, "\n-- TableClass STANDARD_INFREQUENT_ACCESS: set it by "
                             "api UpdateTable");
    if (half)
        pk_buf_add_cstr(out, "\n-- an OnDemandThroughput with one of its two members: set it by "
                             "api UpdateTable");
}

static enum pk_code show_create_run(struct cmd_context *context,
                                    const struct cmd_statement *statement,
                                    struct cmd_result *result, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_schema *schema;
    struct pk_table shown;
    cJSON *request, *answer = NULL;
    const cJSON *description;
    pk_slice name;
    enum pk_code rc = cmd_read_table(context, statement, &result->arena, &name, err);

    if (rc != PK_OK)
        return rc;
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    if (rc != PK_OK) {
        err->span = (struct pk_span){(uint32_t)statement->args, (uint32_t)name.len};
        return rc;
    }
    description = cJSON_GetObjectItemCaseSensitive(answer, "Table");
    schema = cmd_schema_read(description);
    shown = *cmd_schema_table(schema);
    shown.ttl_attribute = ask_ttl(context, name, &result->arena);
    cmd_ddl_print(&text, &shown);
    pk_buf_add_byte(&text, ';');
    print_tags(context, name, cmd_wire_text(description, "TableArn"), &text);
    print_rest(cmd_schema_table(schema), &text);
    cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", (int)text.len, text.data);
    cmd_schema_free(schema);
    cJSON_Delete(answer);
    pk_buf_release(&text);
    return PK_OK;
}

const struct cmd_entry cmd_show_create_entry = {
    .name = "show create table",
    .alias = "show_create .schema",
    .group = CMD_GROUP_TABLES,
    .usage = "[NAME]",
    .summary = "print the statement that makes the table again",
    .flags = CMD_READONLY,
    .complete = cmd_complete_table,
    .run = show_create_run,
};
