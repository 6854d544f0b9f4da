/*
 * CreateTable, UpdateTable, DescribeTable, DeleteTable, ListTables.
 *
 * Requests become specs one to one; every check beyond the constraint list is the engine's. A table
 * is ready when its reply is sent, yet the reply says CREATING, UPDATING or DELETING as AWS does.
 */
#include "commands/api/api_table.h"

#include "commands/api/api_check.h"
#include "commands/api/api_describe.h"
#include "commands/api/api_json.h"
#include "commands/api/api_tags.h"
#include "commands/api/json_out.h"

enum { LIST_MAX = 100 };

/* ---- parts of a specification ------------------------------------------------------------- */

static const struct pk_key_attr *read_definitions(struct pk_arena *arena,
                                                  const struct cJSON *request, size_t *count)
{
    const struct cJSON *list = api_json_member(request, "AttributeDefinitions");
    struct pk_key_attr *attributes;
    size_t n = 0;

    *count = api_json_count(list);
    attributes = PK_NEW_ARRAY(arena, struct pk_key_attr, *count);
    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node), n++) {
        attributes[n].name = api_get_text(arena, node, "AttributeName");
        attributes[n].type = pk_kind_from_tag(api_get_text(arena, node, "AttributeType"));
    }
    return attributes;
}

static const struct pk_key_element *read_keys(struct pk_arena *arena, const struct cJSON *object,
                                              size_t *count)
{
    const struct cJSON *list = api_json_member(object, "KeySchema");
    struct pk_key_element *keys;
    size_t n = 0;

    *count = api_json_count(list);
    keys = PK_NEW_ARRAY(arena, struct pk_key_element, *count);
    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node), n++) {
        keys[n].name = api_get_text(arena, node, "AttributeName");
        keys[n].range = api_get_is(node, "KeyType", "RANGE");
    }
    return keys;
}

bool api_read_throughput(const struct cJSON *object, const char *name, struct pk_throughput *out)
{
    const struct cJSON *node = api_json_member(object, name);

    (void)api_get_int(node, "ReadCapacityUnits", &out->read);
    (void)api_get_int(node, "WriteCapacityUnits", &out->write);
    return node != NULL;
}

bool api_read_max(const struct cJSON *object, const char *name, struct pk_max_throughput *out)
{
    const struct cJSON *node = api_json_member(object, name);

    *out = (struct pk_max_throughput){-1, -1};
    (void)api_get_int(node, "MaxReadRequestUnits", &out->read);
    (void)api_get_int(node, "MaxWriteRequestUnits", &out->write);
    return node != NULL;
}

static void read_warm(const struct cJSON *object, int64_t *read, int64_t *write)
{
    const struct cJSON *node = api_json_member(object, "WarmThroughput");

    (void)api_get_int(node, "ReadUnitsPerSecond", read);
    (void)api_get_int(node, "WriteUnitsPerSecond", write);
}

static void read_projection(struct pk_arena *arena, const struct cJSON *object,
                            struct pk_index_spec *out)
{
    const struct cJSON *node = api_json_member(object, "Projection");
    const struct cJSON *list = api_json_member(node, "NonKeyAttributes");
    pk_slice *include = PK_NEW_ARRAY(arena, pk_slice, api_json_count(list));
    pk_slice type = api_get_text(arena, node, "ProjectionType");

    out->projection_given = node != NULL;
    out->projection_type_given = type.data != NULL;
    if (pk_slice_is(type, "KEYS_ONLY"))
        out->projection = PK_PROJECT_KEYS_ONLY;
    else if (pk_slice_is(type, "INCLUDE"))
        out->projection = PK_PROJECT_INCLUDE;
    else
        out->projection = PK_PROJECT_ALL;
    out->include_given = list != NULL;
    for (const struct cJSON *name = api_json_first(list); name != NULL; name = api_json_next(name))
        include[out->include_count++] = api_json_text(arena, name);
    out->include = include;
}

static void read_index(struct pk_arena *arena, const struct cJSON *node, struct pk_index_spec *out)
{
    out->name = api_get_text(arena, node, "IndexName");
    out->keys = read_keys(arena, node, &out->key_count);
    read_projection(arena, node, out);
    out->throughput_given = api_read_throughput(node, "ProvisionedThroughput", &out->throughput);
    (void)api_read_max(node, "OnDemandThroughput", &out->max);
}

const struct pk_index_spec *api_read_indexes(struct pk_arena *arena, const struct cJSON *list,
                                             bool local, size_t *count)
{
    struct pk_index_spec *specs;
    size_t n = 0;

    *count = api_json_count(list);
    specs = PK_NEW_ARRAY(arena, struct pk_index_spec, *count);
    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node), n++) {
        specs[n].local = local;
        read_index(arena, node, &specs[n]);
    }
    return specs;
}

/* ---- streams ------------------------------------------------------------------------------ */

static enum pk_code read_stream(const struct cJSON *request, enum pk_stream_view *out,
                                struct pk_error *err)
{
    const struct cJSON *node = api_json_member(request, "StreamSpecification");
    bool enabled = api_get_bool(node, "StreamEnabled");

    *out = PK_STREAM_OFF;
    if (node == NULL)
        return PK_OK;
    if (enabled != (api_json_member(node, "StreamViewType") != NULL))
        return pk_fail(err, PK_E_VALIDATION,
                       enabled ? "One or more parameter values were invalid: StreamViewType must "
                                 "be specified when StreamEnabled is true"
                               : "One or more parameter values were invalid: StreamViewType must "
                                 "not be specified when StreamEnabled is false");
    if (!enabled)
        return PK_OK;
    if (api_get_is(node, "StreamViewType", "KEYS_ONLY"))
        *out = PK_STREAM_KEYS_ONLY;
    else if (api_get_is(node, "StreamViewType", "NEW_IMAGE"))
        *out = PK_STREAM_NEW_IMAGE;
    else if (api_get_is(node, "StreamViewType", "OLD_IMAGE"))
        *out = PK_STREAM_OLD_IMAGE;
    else
        *out = PK_STREAM_NEW_AND_OLD;
    return PK_OK;
}

/* ---- replicas ----------------------------------------------------------------------------- */

/* There is one region, and no second store that could hold a copy. */
static enum pk_code check_replicas(const struct cJSON *request, struct pk_error *err)
{
    const struct cJSON *list = api_json_member(request, "ReplicaUpdates");

    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node)) {
        if (api_get_is(api_json_member(node, "Create"), "RegionName", "us-east-1") ||
            api_get_is(api_json_member(node, "Delete"), "RegionName", "us-east-1"))
            return pk_fail(err, PK_E_VALIDATION,
                           "Cannot add or delete the local region through ReplicaUpdates. Use "
                           "CreateTable, DeleteTable, or UpdateTable as required.");
    }
    if (api_json_count(list) == 0)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION, "ReplicaUpdates: this store has no other region");
}

/* ---- table class -------------------------------------------------------------------------- */

/* Not in the constraint list: the text has no name of a member. */
static enum pk_code check_class(const struct cJSON *request, struct pk_error *err)
{
    if (api_json_member(request, "TableClass") == NULL ||
        api_get_is(request, "TableClass", "STANDARD") ||
        api_get_is(request, "TableClass", "STANDARD_INFREQUENT_ACCESS"))
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   "Invalid table-class parameter provided. Please try again with a valid "
                   "table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

/* ---- operations --------------------------------------------------------------------------- */

/* {"TableDescription":{…}}; takes the caller's reference. */
static enum pk_code describe(struct api_call *call, struct pk_buf *out, const char *member,
                             struct pk_table *table, const char *status)
{
    json_out_member(out, member);
    api_describe(out, call, table, status);
    pk_table_unref(table);
    return PK_OK;
}

enum pk_code api_create_table(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *locals = api_json_member(request, "LocalSecondaryIndexes");
    const struct cJSON *globals = api_json_member(request, "GlobalSecondaryIndexes");
    struct pk_table_spec spec = {
        .name = api_get_table(arena, request, "TableName"),
        .locals_given = locals != NULL,
        .globals_given = globals != NULL,
        .billing =
            api_get_is(request, "BillingMode", "PAY_PER_REQUEST") ? PK_ON_DEMAND : PK_PROVISIONED,
        .deletion_protection = api_get_bool(request, "DeletionProtectionEnabled"),
        .class_given = api_json_member(request, "TableClass") != NULL,
        .infrequent_access = api_get_is(request, "TableClass", "STANDARD_INFREQUENT_ACCESS"),
    };
    struct pk_table *table = NULL;
    enum pk_code rc = check_class(request, err);

    if (rc == PK_OK)
        rc = read_stream(request, &spec.stream, err);
    if (rc != PK_OK)
        return rc;
    spec.keys = read_keys(arena, request, &spec.key_count);
    spec.attributes = read_definitions(arena, request, &spec.attribute_count);
    spec.locals = api_read_indexes(arena, locals, true, &spec.local_count);
    spec.globals = api_read_indexes(arena, globals, false, &spec.global_count);
    spec.throughput_given = api_read_throughput(request, "ProvisionedThroughput", &spec.throughput);
    (void)api_read_max(request, "OnDemandThroughput", &spec.max);
    read_warm(request, &spec.warm_read, &spec.warm_write);
    rc = api_tags_read(arena, api_json_member(request, "Tags"), &spec.tags, &spec.tag_count, err);
    if (rc == PK_OK)
        rc = pk_engine_create_table(call->engine, &spec, &table, err);
    return rc == PK_OK ? describe(call, out, "TableDescription", table, "CREATING") : rc;
}

/* One entry of GlobalSecondaryIndexUpdates. */
static enum pk_code read_index_change(struct pk_arena *arena, const struct cJSON *node,
                                      struct pk_index_change *out, struct pk_error *err)
{
    const struct cJSON *create = api_json_member(node, "Create");
    const struct cJSON *update = api_json_member(node, "Update");
    const struct cJSON *deletion = api_json_member(node, "Delete");

    if ((create != NULL) + (update != NULL) + (deletion != NULL) > 1)
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values were invalid: Only one of "
                       "GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                       "GlobalSecondaryIndexUpdate.Delete may be specified");
    out->kind = PK_INDEX_NOTHING;
    if (create != NULL)
        out->kind = PK_INDEX_CREATE;
    else if (update != NULL)
        out->kind = PK_INDEX_UPDATE;
    else if (deletion != NULL)
        out->kind = PK_INDEX_DELETE;
    read_index(arena, create != NULL ? create : update != NULL ? update : deletion, &out->spec);
    return PK_OK;
}

enum pk_code api_update_table(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *list = api_json_member(request, "GlobalSecondaryIndexUpdates");
    struct pk_table_change change = {
        .name = api_get_table(arena, request, "TableName"),
        .billing_given = api_json_member(request, "BillingMode") != NULL,
        .billing =
            api_get_is(request, "BillingMode", "PAY_PER_REQUEST") ? PK_ON_DEMAND : PK_PROVISIONED,
        .protection_given = api_json_member(request, "DeletionProtectionEnabled") != NULL,
        .deletion_protection = api_get_bool(request, "DeletionProtectionEnabled"),
        .class_given = api_json_member(request, "TableClass") != NULL,
        .infrequent_access = api_get_is(request, "TableClass", "STANDARD_INFREQUENT_ACCESS"),
        .encryption_given = api_json_member(request, "SSESpecification") != NULL,
    };
    struct pk_table *table = NULL;
    enum pk_code rc = check_replicas(request, err);

    if (rc == PK_OK)
        rc = check_class(request, err);
    if (rc == PK_OK)
        rc = read_stream(request, &change.stream, err);
    if (rc != PK_OK)
        return rc;
    change.stream_given = api_json_member(request, "StreamSpecification") != NULL;
    change.attributes = read_definitions(arena, request, &change.attribute_count);
    change.throughput_given =
        api_read_throughput(request, "ProvisionedThroughput", &change.throughput);
    change.max_given = api_read_max(request, "OnDemandThroughput", &change.max);
    read_warm(request, &change.warm_read, &change.warm_write);
    change.indexes = PK_NEW_ARRAY(arena, struct pk_index_change, api_json_count(list));
    for (const struct cJSON *node = api_json_first(list); node != NULL && rc == PK_OK;
         node = api_json_next(node))
        rc = read_index_change(arena, node, &change.indexes[change.index_count++], err);
    if (rc == PK_OK)
        rc = pk_engine_update_table(call->engine, &change, &table, err);
    return rc == PK_OK ? describe(call, out, "TableDescription", table, "UPDATING") : rc;
}

enum pk_code api_describe_table(struct api_call *call, const struct cJSON *request,
                                struct pk_buf *out, struct pk_error *err)
{
    pk_slice name = api_get_table(call->call.arena, request, "TableName");
    struct pk_table *table = pk_engine_table(call->engine, name);

    if (table == NULL)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found: Table: %.*s not found",
                       PK_FMT(name));
    return describe(call, out, "Table", table, api_passing_status(table));
}

enum pk_code api_delete_table(struct api_call *call, const struct cJSON *request,
                              struct pk_buf *out, struct pk_error *err)
{
    struct pk_table *table = NULL;
    enum pk_code rc = pk_engine_delete_table(
        call->engine, api_get_table(call->call.arena, request, "TableName"), &table, err);

    if (rc != PK_OK)
        return rc;
    json_out_member(out, "TableDescription");
    api_describe_deleted(out, call, table);
    pk_table_unref(table);
    return PK_OK;
}

enum pk_code api_list_tables(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    pk_slice names[LIST_MAX];
    int64_t limit = LIST_MAX;
    bool more = false;
    size_t count;

    (void)err;
    (void)api_get_int(request, "Limit", &limit);
    count = pk_engine_list_tables(call->engine, &call->call,
                                  api_get_text(arena, request, "ExclusiveStartTableName"),
                                  (size_t)limit, names, &more);
    json_out_member(out, "TableNames");
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_element(out);
        json_out_string(out, names[i]);
    }
    pk_buf_add_byte(out, ']');
    if (more && count > 0)
        json_out_member_text(out, "LastEvaluatedTableName", names[count - 1]);
    return PK_OK;
}
