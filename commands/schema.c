#include "commands/schema.h"

#include <stdlib.h>

#include "commands/args.h"
#include "commands/names.h"
#include "commands/wire.h"
#include "engine/base/map.h"

struct cmd_schema {
    struct pk_arena arena; /* holds all that the table points to */
    struct pk_table table;
};

struct cmd_schema_cache {
    struct pk_map tables; /* name to struct cmd_schema */
};

/* ---- reading a TableDescription -------------------------------------------------------------- */

static pk_slice text_of(struct cmd_schema *schema, const cJSON *node, const char *name)
{
    return pk_arena_dup(&schema->arena, cmd_wire_text(node, name));
}

static const cJSON *array_of(const cJSON *node, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(node, name);
}

static void read_attributes(struct cmd_schema *schema, const cJSON *list)
{
    struct pk_table *table = &schema->table;
    int count = cJSON_GetArraySize(list);
    const cJSON *node;

    table->attributes = PK_NEW_ARRAY(&schema->arena, struct pk_key_attr, (size_t)count);
    cJSON_ArrayForEach(node, list)
    {
        struct pk_key_attr *attribute = &table->attributes[table->attribute_count++];

        attribute->name = text_of(schema, node, "AttributeName");
        attribute->type = pk_kind_from_tag(cmd_wire_text(node, "AttributeType"));
    }
}

static void read_key(struct cmd_schema *schema, const cJSON *list, struct pk_key_schema *key)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, list)
    {
        struct pk_key_attr attribute = {.name = text_of(schema, node, "AttributeName")};

        attribute.type = pk_table_attribute_type(&schema->table, attribute.name);
        if (pk_slice_is(cmd_wire_text(node, "KeyType"), "RANGE")) {
            if (key->range_count < PK_KEY_PARTS_MAX)
                key->range[key->range_count++] = attribute;
        } else if (key->hash_count < PK_KEY_PARTS_MAX) {
            key->hash[key->hash_count++] = attribute;
        }
    }
}

static void read_projection(struct cmd_schema *schema, const cJSON *projection,
                            struct pk_index *index)
{
    const cJSON *list = array_of(projection, "NonKeyAttributes");
    pk_slice type = cmd_wire_text(projection, "ProjectionType");
    const cJSON *node;

    index->projection = pk_slice_is(type, "KEYS_ONLY") ? PK_PROJECT_KEYS_ONLY
                        : pk_slice_is(type, "INCLUDE") ? PK_PROJECT_INCLUDE
                                                       : PK_PROJECT_ALL;
    if (list == NULL)
        return;
    index->include = PK_NEW_ARRAY(&schema->arena, pk_slice, (size_t)cJSON_GetArraySize(list));
    cJSON_ArrayForEach(node, list)
    {
        if (cJSON_IsString(node))
            index->include[index->include_count++] =
                pk_arena_dup(&schema->arena, pk_slice_cstr(node->valuestring));
    }
}

static enum pk_status read_status(pk_slice text)
{
    if (pk_slice_is(text, "CREATING"))
        return PK_STATUS_CREATING;
    if (pk_slice_is(text, "UPDATING"))
        return PK_STATUS_UPDATING;
    return pk_slice_is(text, "DELETING") ? PK_STATUS_DELETING : PK_STATUS_ACTIVE;
}

static void read_throughput(const cJSON *node, struct pk_throughput *throughput,
                            struct pk_max_throughput *max)
{
    const cJSON *given = array_of(node, "ProvisionedThroughput");
    const cJSON *ceiling = array_of(node, "OnDemandThroughput");

    throughput->read = cmd_wire_int(given, "ReadCapacityUnits", 0);
    throughput->write = cmd_wire_int(given, "WriteCapacityUnits", 0);
    max->read = cmd_wire_int(ceiling, "MaxReadRequestUnits", -1);
    max->write = cmd_wire_int(ceiling, "MaxWriteRequestUnits", -1);
}

static void read_index(struct cmd_schema *schema, const cJSON *node, bool local)
{
    struct pk_index *index = &schema->table.indexes[schema->table.index_count++];

    index->name = text_of(schema, node, "IndexName");
    index->local = local;
    index->status = read_status(cmd_wire_text(node, "IndexStatus"));
    read_key(schema, array_of(node, "KeySchema"), &index->key);
    read_projection(schema, array_of(node, "Projection"), index);
    read_throughput(node, &index->throughput, &index->max);
}

static void read_indexes(struct cmd_schema *schema, const cJSON *description)
{
    const cJSON *locals = array_of(description, "LocalSecondaryIndexes");
    const cJSON *globals = array_of(description, "GlobalSecondaryIndexes");
    int count = cJSON_GetArraySize(locals) + cJSON_GetArraySize(globals);
    const cJSON *node;

    schema->table.indexes = PK_NEW_ARRAY(&schema->arena, struct pk_index, (size_t)count);
    cJSON_ArrayForEach(node, locals) read_index(schema, node, true);
    schema->table.local_count = schema->table.index_count;
    cJSON_ArrayForEach(node, globals) read_index(schema, node, false);
}

static enum pk_stream_view read_stream(const cJSON *stream)
{
    pk_slice view = cmd_wire_text(stream, "StreamViewType");

    if (!cmd_wire_bool(stream, "StreamEnabled"))
        return PK_STREAM_OFF;
    if (pk_slice_is(view, "KEYS_ONLY"))
        return PK_STREAM_KEYS_ONLY;
    if (pk_slice_is(view, "NEW_IMAGE"))
        return PK_STREAM_NEW_IMAGE;
    return pk_slice_is(view, "OLD_IMAGE") ? PK_STREAM_OLD_IMAGE : PK_STREAM_NEW_AND_OLD;
}

struct cmd_schema *cmd_schema_read(const struct cJSON *description)
{
    struct cmd_schema *schema = pk_calloc(1, sizeof(*schema));
    struct pk_table *table = &schema->table;
    const cJSON *billing = array_of(description, "BillingModeSummary");

    table->name = text_of(schema, description, "TableName");
    table->uuid = text_of(schema, description, "TableId");
    table->status = read_status(cmd_wire_text(description, "TableStatus"));
    table->created_ms = cmd_wire_milli(description, "CreationDateTime");
    table->billing = pk_slice_is(cmd_wire_text(billing, "BillingMode"), "PAY_PER_REQUEST")
                         ? PK_ON_DEMAND
                         : PK_PROVISIONED;
    table->deletion_protection = cmd_wire_bool(description, "DeletionProtectionEnabled");
    table->class_given = array_of(description, "TableClassSummary") != NULL;
    table->infrequent_access =
        pk_slice_is(cmd_wire_text(array_of(description, "TableClassSummary"), "TableClass"),
                    "STANDARD_INFREQUENT_ACCESS");
    table->stream = read_stream(array_of(description, "StreamSpecification"));
    read_throughput(description, &table->throughput, &table->max);
    read_attributes(schema, array_of(description, "AttributeDefinitions"));
    read_key(schema, array_of(description, "KeySchema"), &table->key);
    read_indexes(schema, description);
    return schema;
}

const struct pk_table *cmd_schema_table(const struct cmd_schema *schema)
{
    return &schema->table;
}

void cmd_schema_free(struct cmd_schema *schema)
{
    if (schema == NULL)
        return;
    pk_arena_release(&schema->arena);
    free(schema);
}

/* ---- the cache ------------------------------------------------------------------------------- */

void cmd_schema_drop(struct cmd_context *context)
{
    size_t cursor = 0;
    pk_slice name;
    void *schema;

    if (context->schemas == NULL)
        return;
    while (pk_map_next(&context->schemas->tables, &cursor, &name, &schema))
        cmd_schema_free(schema);
    pk_map_release(&context->schemas->tables);
    free(context->schemas);
    context->schemas = NULL;
}

static enum pk_code describe(struct cmd_context *context, pk_slice name, cJSON **answer,
                             struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(context, "DescribeTable", request, answer, NULL, err);
    cJSON_Delete(request);
    return rc;
}

enum pk_code cmd_schema_get(struct cmd_context *context, pk_slice name,
                            const struct pk_table **table, struct pk_error *err)
{
    struct cmd_schema *schema;
    cJSON *answer = NULL;
    enum pk_code rc;

    if (context->schemas == NULL)
        context->schemas = pk_calloc(1, sizeof(*context->schemas));
    schema = pk_map_get(&context->schemas->tables, name);
    if (schema == NULL) {
        rc = describe(context, name, &answer, err);
        if (rc != PK_OK)
            return rc;
        schema = cmd_schema_read(cJSON_GetObjectItemCaseSensitive(answer, "Table"));
        cJSON_Delete(answer);
        if (schema->table.key.hash_count == 0) {
            cmd_schema_free(schema);
            return pk_fail(err, PK_E_INTERNAL, "the endpoint describes table '%.*s' without a key",
                           PK_FMT(name));
        }
        (void)pk_map_put(&context->schemas->tables, name, schema);
    }
    *table = &schema->table;
    return PK_OK;
}

/* ---- the current table ----------------------------------------------------------------------- */

void cmd_set_table(struct cmd_context *context, pk_slice name)
{
    char *copy = name.data == NULL ? NULL : pk_memdup_cstr(name.data, name.len);

    free(context->table);
    context->table = copy;
}

/* The only table's name into the context; nothing when there are none or several. */
static void find_only_table(struct cmd_context *context)
{
    struct pk_error err = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;

    cmd_wire_set_int(request, "Limit", 2);
    if (cmd_call(context, "ListTables", request, &answer, NULL, &err) == PK_OK) {
        const cJSON *names = array_of(answer, "TableNames");

        if (cJSON_GetArraySize(names) == 1 && cJSON_IsString(names->child))
            cmd_set_table(context, pk_slice_cstr(names->child->valuestring));
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    pk_error_release(&err);
}

bool cmd_count_tables(struct cmd_context *context, size_t *count, bool *more)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    bool known = cmd_call(context, "ListTables", request, &answer, NULL, &ignored) == PK_OK;

    if (known) {
        *count = (size_t)cJSON_GetArraySize(array_of(answer, "TableNames"));
        *more = cmd_wire_text(answer, "LastEvaluatedTableName").len > 0;
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    pk_error_release(&ignored);
    return known;
}

const char *cmd_current_table(struct cmd_context *context)
{
    if (context->table == NULL)
        find_only_table(context);
    return context->table;
}

enum pk_code cmd_need_table(struct cmd_context *context, pk_slice *name, struct pk_error *err)
{
    *name = pk_slice_cstr(cmd_current_table(context));
    if (name->data != NULL)
        return PK_OK;
    pk_fail(err, PK_E_USAGE, "no table is current");
    pk_error_hint(err, "use TABLE makes one current, tables lists them, create table makes one");
    return PK_E_USAGE;
}

enum pk_code cmd_read_table(struct cmd_context *context, const struct cmd_statement *statement,
                            struct pk_arena *arena, pk_slice *name, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    if (rc == PK_OK && cmd_words_at_end(&words))
        return cmd_need_table(context, name, err);
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "the table's name", name, err);
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* ---- targets --------------------------------------------------------------------------------- */

const struct pk_key_schema *cmd_target_key(const struct cmd_target *target)
{
    return target->index != NULL ? &target->index->key : &target->table->key;
}

/* TABLE.INDEX, tried at each dot since both names may hold dots. */
static bool find_dotted(struct cmd_context *context, pk_slice name, struct cmd_target *target)
{
    for (size_t i = 1; i + 1 < name.len; i++) {
        struct pk_error ignored = PK_ERROR_INIT;
        const struct pk_table *table = NULL;

        if (name.data[i] != '.')
            continue;
        if (cmd_schema_get(context, pk_slice_of(name.data, i), &table, &ignored) == PK_OK)
            target->index = pk_table_index(table, pk_slice_skip(name, i + 1));
        pk_error_release(&ignored);
        if (target->index != NULL) {
            target->table = table;
            return true;
        }
    }
    return false;
}

static enum pk_code no_such_index(const struct pk_table *table, pk_slice name, struct pk_error *err)
{
    struct pk_buf names = PK_BUF_INIT;

    for (size_t i = 0; i < table->index_count; i++)
        pk_buf_printf(&names, "%s%.*s", i == 0 ? "" : ", ", PK_FMT(table->indexes[i].name));
    pk_fail(err, PK_E_USAGE, "table '%.*s' has no index '%.*s'", PK_FMT(table->name), PK_FMT(name));
    if (names.len > 0)
        pk_error_hint(err, "its indexes: %.*s", (int)names.len, names.data);
    else
        pk_error_hint(err, "it has no indexes");
    pk_buf_release(&names);
    return PK_E_USAGE;
}

enum pk_code cmd_find_index(struct cmd_context *context, pk_slice table, pk_slice name,
                            struct cmd_target *target, struct pk_error *err)
{
    pk_slice current = table;
    const struct pk_table *schema = NULL;
    enum pk_code rc;

    *target = (struct cmd_target){NULL, NULL};
    if (current.data == NULL)
        current = pk_slice_cstr(cmd_current_table(context));
    if (current.data != NULL) {
        rc = cmd_schema_get(context, current, &schema, err);
        if (rc != PK_OK)
            return rc;
        target->table = schema;
        target->index = pk_table_index(schema, name);
    }
    if (target->index != NULL || (table.data == NULL && find_dotted(context, name, target)))
        return PK_OK;
    if (schema != NULL)
        return no_such_index(schema, name, err);
    pk_fail(err, PK_E_USAGE, "no index '%.*s': no table is current", PK_FMT(name));
    pk_error_hint(err, "an index of another table is written TABLE.INDEX");
    return PK_E_USAGE;
}

enum pk_code cmd_find_target(struct cmd_context *context, pk_slice name, struct cmd_target *target,
                             struct pk_error *err)
{
    struct pk_error none = PK_ERROR_INIT;
    enum pk_code rc;

    *target = (struct cmd_target){NULL, NULL};
    rc = cmd_schema_get(context, name, &target->table, &none);
    if (rc == PK_OK)
        return PK_OK;
    if (cmd_find_index(context, (pk_slice){NULL, 0}, name, target, err) == PK_OK) {
        pk_error_release(&none);
        return PK_OK;
    }
    if (rc != PK_E_NOT_FOUND && rc != PK_E_VALIDATION) {
        pk_error_move(err, &none);
        return rc;
    }
    pk_error_release(&none);
    pk_fail(err, PK_E_USAGE, "there is no table or index '%.*s'", PK_FMT(name));
    if (!cmd_hint_near_table(context, name, err))
        pk_error_hint(err, "tables lists the tables, describe TABLE the indexes of one");
    return PK_E_USAGE;
}

enum pk_code cmd_words_target(struct cmd_context *context, struct cmd_words *words,
                              struct cmd_target *target, struct pk_error *err)
{
    struct pk_span span = words->token.span;
    pk_slice name;
    enum pk_code rc;

    if (cmd_words_at_end(words)) {
        rc = cmd_need_table(context, &name, err);
        return rc == PK_OK ? cmd_find_target(context, name, target, err) : rc;
    }
    rc = cmd_words_take(words, "the name of a table or index", &name, err);
    if (rc == PK_OK)
        rc = cmd_find_target(context, name, target, err);
    if (rc != PK_OK && err->span.len == 0)
        err->span = span;
    return rc;
}

pk_slice cmd_key_text(const struct pk_key_schema *key, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    for (size_t i = 0; i < key->hash_count; i++)
        pk_buf_printf(&out, "%s%.*s (%s)", i == 0 ? "" : " + ", PK_FMT(key->hash[i].name),
                      pk_kind_tag(key->hash[i].type));
    for (size_t i = 0; i < key->range_count; i++)
        pk_buf_printf(&out, "%s%.*s (%s)", i == 0 ? ", " : " + ", PK_FMT(key->range[i].name),
                      pk_kind_tag(key->range[i].type));
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* ---- samples --------------------------------------------------------------------------------- */

static cJSON *sample_request(pk_slice table, pk_value hash_key, size_t limit)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", table);
    cmd_wire_set_int(request, "Limit", (int64_t)limit);
    if (pk_value_kind(hash_key) != PK_MISSING)
        cmd_wire_set(request, "HashKey", cmd_wire_value(hash_key));
    return request;
}

void cmd_sample_items(struct cmd_context *context, pk_slice table, pk_value hash_key, size_t limit,
                      struct pk_arena *arena, struct cmd_sample *sample)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request;
    cJSON *answer = NULL;

    *sample = (struct cmd_sample){NULL, 0};
    if (!context->backend->extensions ||
        (context->backend->hurried && context->backend->costs_money))
        return;
    request = sample_request(table, hash_key, limit);
    if (cmd_call(context, "Pksk.Sample", request, &answer, NULL, &ignored) == PK_OK) {
        const cJSON *items = array_of(answer, "Items");
        const cJSON *node;

        sample->items = PK_NEW_ARRAY(arena, pk_value, (size_t)cJSON_GetArraySize(items));
        cJSON_ArrayForEach(node, items) sample->items[sample->count++] =
            cmd_wire_read_item(arena, node);
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    pk_error_release(&ignored);
}
