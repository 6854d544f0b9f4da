/* Tags (operations.md §9). Answers that depend on nothing are rows of the operation table (api.c).
 */
#include "commands/api/api.h"
#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/api_tags.h"
#include "commands/api/json_out.h"

/* ---- tags --------------------------------------------------------------------------------- */

/* The table that ResourceArn names; a reference. */
static enum pk_code find_resource(struct api_call *call, const struct cJSON *request, pk_slice *arn,
                                  struct pk_table **table, struct pk_error *err)
{
    pk_slice name;

    *arn = api_get_text(call->call.arena, request, "ResourceArn");
    if (arn->data == NULL)
        return pk_fail(err, PK_E_VALIDATION, "Invalid TableArn");
    name = api_table_of(*arn);
    if (name.data == arn->data || name.len == 0 || memchr(name.data, '/', name.len) != NULL)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid TableArn: Invalid ResourceArn provided as input %.*s",
                       PK_FMT(*arn));
    *table = pk_engine_table(call->engine, name);
    if (*table == NULL)
        return pk_fail(err, PK_E_NOT_FOUND,
                       "Requested resource not found: ResourcArn: %.*s not found", PK_FMT(*arn));
    return PK_OK;
}

enum pk_code api_tag_resource(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    const struct cJSON *list = api_json_member(request, "Tags");
    const struct pk_tag *tags = NULL;
    struct pk_table *table = NULL;
    size_t count = 0;
    pk_slice arn;
    enum pk_code rc = find_resource(call, request, &arn, &table, err);

    (void)out;
    if (rc == PK_OK && api_json_count(list) == 0)
        rc = pk_fail(err, PK_E_VALIDATION, "Atleast one Tag needs to be provided as Input.");
    if (rc == PK_OK)
        rc = api_tags_read(call->call.arena, list, &tags, &count, err);
    if (rc == PK_OK)
        rc = pk_engine_tag(call->engine, table->name, tags, count, err);
    pk_table_unref(table);
    return rc;
}

enum pk_code api_untag_resource(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *list = api_json_member(request, "TagKeys");
    pk_slice *keys = PK_NEW_ARRAY(arena, pk_slice, api_json_count(list));
    struct pk_table *table = NULL;
    size_t n = 0;
    pk_slice arn;
    enum pk_code rc = find_resource(call, request, &arn, &table, err);

    (void)out;
    if (rc == PK_E_NOT_FOUND)
        rc = pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
    if (rc == PK_OK && api_json_count(list) == 0)
        rc = pk_fail(err, PK_E_VALIDATION, "Atleast one Tag Key needs to be provided as Input.");
    for (const struct cJSON *node = api_json_first(list); node != NULL; node = api_json_next(node))
        keys[n++] = api_json_text(arena, node);
    if (rc == PK_OK)
        rc = pk_engine_untag(call->engine, table->name, keys, n, err);
    pk_table_unref(table);
    return rc;
}

enum pk_code api_list_tags_of_resource(struct api_call *call, const struct cJSON *request,
                                       struct pk_buf *out, struct pk_error *err)
{
    struct pk_table *table = NULL;
    pk_slice arn;
    enum pk_code rc = find_resource(call, request, &arn, &table, err);

    if (rc != PK_OK)
        return rc;
    json_out_member(out, "Tags");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < table->tag_count; i++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "Key", table->tags[i].key);
        json_out_member_text(out, "Value", table->tags[i].value);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
    pk_table_unref(table);
    return PK_OK;
}
