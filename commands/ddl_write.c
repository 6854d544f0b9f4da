/* Table definitions as requests and as text; see ddl.h. */
#include <string.h>

#include "commands/ddl.h"
#include "commands/wire.h"

/* ---- views of streams ------------------------------------------------------------------------ */

static const struct {
    const char *word;
    enum pk_stream_view view;
} views[] = {
    {"keys_only", PK_STREAM_KEYS_ONLY},
    {"new_image", PK_STREAM_NEW_IMAGE},
    {"old_image", PK_STREAM_OLD_IMAGE},
    {"new_and_old", PK_STREAM_NEW_AND_OLD},
};

/* ---- the request ----------------------------------------------------------------------------- */

static void add_key_element(cJSON *list, pk_slice name, const char *type)
{
    cJSON *element = cJSON_CreateObject();

    cmd_wire_set_text(element, "AttributeName", name);
    cmd_wire_set_text(element, "KeyType", pk_slice_cstr(type));
    cJSON_AddItemToArray(list, element);
}

static cJSON *key_request(const struct pk_key_schema *key)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < key->hash_count; i++)
        add_key_element(list, key->hash[i].name, "HASH");
    for (size_t i = 0; i < key->range_count; i++)
        add_key_element(list, key->range[i].name, "RANGE");
    return list;
}

static cJSON *attributes_request(const struct pk_table *table)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < table->attribute_count; i++) {
        cJSON *attribute = cJSON_CreateObject();

        cmd_wire_set_text(attribute, "AttributeName", table->attributes[i].name);
        cmd_wire_set_text(attribute, "AttributeType",
                          pk_slice_cstr(pk_kind_tag(table->attributes[i].type)));
        cJSON_AddItemToArray(list, attribute);
    }
    return list;
}

static void add_units(cJSON *owner, const struct pk_throughput *throughput,
                      const struct pk_max_throughput *max)
{
    if (throughput->read > 0) {
        cJSON *given = cmd_wire_object(owner, "ProvisionedThroughput");

        cmd_wire_set_int(given, "ReadCapacityUnits", throughput->read);
        cmd_wire_set_int(given, "WriteCapacityUnits", throughput->write);
    }
    if (max->read > 0)
        cmd_wire_set_int(cmd_wire_object(owner, "OnDemandThroughput"), "MaxReadRequestUnits",
                         max->read);
    if (max->write > 0)
        cmd_wire_set_int(cmd_wire_object(owner, "OnDemandThroughput"), "MaxWriteRequestUnits",
                         max->write);
}

static void add_projection(cJSON *owner, const struct pk_index *index)
{
    cJSON *projection = cmd_wire_object(owner, "Projection");
    cJSON *list;

    cmd_wire_set_text(projection, "ProjectionType",
                      pk_slice_cstr(pk_projection_name(index->projection)));
    if (index->projection != PK_PROJECT_INCLUDE)
        return;
    list = cJSON_CreateArray();
    for (size_t i = 0; i < index->include_count; i++) {
        cJSON *holder = cJSON_CreateObject();

        /* through a member, because cJSON's own constructors want a C string */
        cmd_wire_set_text(holder, "name", index->include[i]);
        cJSON_AddItemToArray(list, cJSON_DetachItemFromObjectCaseSensitive(holder, "name"));
        cJSON_Delete(holder);
    }
    cmd_wire_set(projection, "NonKeyAttributes", list);
}

static cJSON *index_request(const struct pk_index *index)
{
    cJSON *node = cJSON_CreateObject();

    cmd_wire_set_text(node, "IndexName", index->name);
    cmd_wire_set(node, "KeySchema", key_request(&index->key));
    add_projection(node, index);
    if (!index->local)
        add_units(node, &index->throughput, &index->max);
    return node;
}

static void add_indexes(cJSON *request, const struct pk_table *table, bool local)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (index->local != local)
            continue;
        cJSON_AddItemToArray(list, index_request(index));
    }
    if (cJSON_GetArraySize(list) > 0)
        cmd_wire_set(request, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes", list);
    else
        cJSON_Delete(list);
}

bool cmd_ddl_read_view(pk_slice word, enum pk_stream_view *view)
{
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
        if (!cmd_word_is(word, views[i].word) &&
            !cmd_word_is(word, pk_stream_view_name(views[i].view)))
            continue;
        *view = views[i].view;
        return true;
    }
    return false;
}

static const char *view_word(enum pk_stream_view view)
{
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
        if (views[i].view == view)
            return views[i].word;
    }
    return NULL;
}

struct cJSON *cmd_ddl_gsi_request(const struct pk_table *table)
{
    const struct pk_index *index = &table->indexes[table->index_count - 1];
    cJSON *request = cJSON_CreateObject();
    cJSON *updates = cJSON_CreateArray();
    cJSON *entry = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", table->name);
    cmd_wire_set(request, "AttributeDefinitions", attributes_request(table));
    cmd_wire_set(entry, "Create", index_request(index));
    cJSON_AddItemToArray(updates, entry);
    cmd_wire_set(request, "GlobalSecondaryIndexUpdates", updates);
    return request;
}

struct cJSON *cmd_ddl_request(const struct pk_table *table)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", table->name);
    cmd_wire_set(request, "AttributeDefinitions", attributes_request(table));
    cmd_wire_set(request, "KeySchema", key_request(&table->key));
    add_indexes(request, table, true);
    add_indexes(request, table, false);
    cmd_wire_set_text(
        request, "BillingMode",
        pk_slice_cstr(table->billing == PK_ON_DEMAND ? "PAY_PER_REQUEST" : "PROVISIONED"));
    add_units(request, &table->throughput, &table->max);
    if (table->stream != PK_STREAM_OFF) {
        cJSON *stream = cmd_wire_object(request, "StreamSpecification");

        cmd_wire_set_bool(stream, "StreamEnabled", true);
        cmd_wire_set_text(stream, "StreamViewType",
                          pk_slice_cstr(pk_stream_view_name(table->stream)));
    }
    if (table->deletion_protection)
        cmd_wire_set_bool(request, "DeletionProtectionEnabled", true);
    return request;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* A bareword that cannot be taken for anything else. */
static bool is_plain(pk_slice name)
{
    static const char inner[] = "_.#$@:-";

    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!letter && (c == '\0' || strchr(inner, c) == NULL || (i == 0 && c != '_')))
            return false;
    }
    return name.len > 0 && !cmd_word_is(name, "if");
}

void cmd_ddl_print_name(struct pk_buf *out, pk_slice name)
{
    if (is_plain(name)) {
        pk_buf_add(out, name);
        return;
    }
    cmd_quote_name(out, name);
}

static void print_side(struct pk_buf *out, const struct pk_key_attr *attributes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pk_buf_add_cstr(out, i == 0 ? "" : " + ");
        cmd_ddl_print_name(out, attributes[i].name);
        pk_buf_printf(out, " %s", pk_kind_tag(attributes[i].type));
    }
}

static void print_key(struct pk_buf *out, const struct pk_key_schema *key, bool local)
{
    pk_buf_add_cstr(out, " (");
    if (!local)
        print_side(out, key->hash, key->hash_count);
    if (key->range_count > 0 && !local)
        pk_buf_add_cstr(out, ", ");
    print_side(out, key->range, key->range_count);
    pk_buf_add_byte(out, ')');
}

static void print_units(struct pk_buf *out, const char *word, int64_t read, int64_t write)
{
    pk_buf_printf(out, " %s %lld %lld", word, (long long)read, (long long)write);
}

/* "gsi by_name (name S, SK S) projection keys" */
static void print_index(struct pk_buf *out, const struct pk_table *table,
                        const struct pk_index *index)
{
    pk_buf_add_cstr(out, index->local ? "lsi " : "gsi ");
    cmd_ddl_print_name(out, index->name);
    print_key(out, &index->key, index->local);
    if (index->projection == PK_PROJECT_KEYS_ONLY)
        pk_buf_add_cstr(out, " projection keys");
    if (index->projection == PK_PROJECT_INCLUDE) {
        for (size_t i = 0; i < index->include_count; i++) {
            pk_buf_add_cstr(out, i == 0 ? " projection include (" : ", ");
            cmd_ddl_print_name(out, index->include[i]);
        }
        pk_buf_add_byte(out, ')');
    }
    if (!index->local && table->billing == PK_PROVISIONED)
        print_units(out, "provisioned", index->throughput.read, index->throughput.write);
    if (!index->local && index->max.read > 0 && index->max.write > 0)
        print_units(out, "max", index->max.read, index->max.write);
}

void cmd_ddl_print(struct pk_buf *out, const struct pk_table *table)
{
    pk_buf_add_cstr(out, "create table ");
    cmd_ddl_print_name(out, table->name);
    print_key(out, &table->key, false);
    if (table->billing == PK_PROVISIONED)
        print_units(out, "provisioned", table->throughput.read, table->throughput.write);
    else
        pk_buf_add_cstr(out, " on demand");
    if (table->max.read > 0 && table->max.write > 0)
        print_units(out, "max", table->max.read, table->max.write);
    if (table->stream != PK_STREAM_OFF)
        pk_buf_printf(out, " stream %s", view_word(table->stream));
    if (table->ttl_attribute.data != NULL) {
        pk_buf_add_cstr(out, " ttl ");
        cmd_ddl_print_name(out, table->ttl_attribute);
    }
    if (table->deletion_protection)
        pk_buf_add_cstr(out, " protect");
    for (size_t i = 0; i < table->index_count; i++) {
        pk_buf_add_cstr(out, "\n  ");
        print_index(out, table, &table->indexes[i]);
    }
}
