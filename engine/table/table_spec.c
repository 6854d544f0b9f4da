/* The checks run in the order in which DynamoDB reports them; each function is one group of
 * operations.md §8. "P" there is PREFIX here. */
#include "engine/table/table_spec.h"

#include <inttypes.h>

#include "engine/base/buf.h"
#include "engine/table/descriptor.h"

#define PREFIX "One or more parameter values were invalid: "

/* Names as "[a, b]" for messages. */
static pk_slice list_keys(struct pk_buf *out, const struct pk_key_element *keys, size_t count)
{
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            pk_buf_add_cstr(out, ", ");
        pk_buf_add(out, keys[i].name);
    }
    pk_buf_add_byte(out, ']');
    return pk_buf_slice(out);
}

static pk_slice list_attributes(struct pk_buf *out, const struct pk_key_attr *attrs, size_t count)
{
    pk_buf_add_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            pk_buf_add_cstr(out, ", ");
        pk_buf_add(out, attrs[i].name);
    }
    pk_buf_add_byte(out, ']');
    return pk_buf_slice(out);
}

static bool is_defined(const struct pk_key_attr *attrs, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(attrs[i].name, name))
            return true;
    }
    return false;
}

static bool names_key(const struct pk_key_element *keys, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(keys[i].name, name))
            return true;
    }
    return false;
}

/* Check 3 --------------------------------------------------------------------------------------*/

enum pk_code pk_throughput_check(const struct pk_throughput *throughput, pk_slice index,
                                 struct pk_error *err)
{
    const char *what =
        throughput->read > PK_THROUGHPUT_MAX ? "ReadCapacityUnits" : "WriteCapacityUnits";
    int64_t value = throughput->read > PK_THROUGHPUT_MAX ? throughput->read : throughput->write;

    if (value <= PK_THROUGHPUT_MAX)
        return PK_OK;
    if (index.data == NULL)
        return pk_fail(err, PK_E_VALIDATION, "Given value %" PRId64 " for %s is out of bounds",
                       value, what);
    return pk_fail(err, PK_E_VALIDATION,
                   "Given value %" PRId64 " for %s is out of bounds for index %.*s", value, what,
                   PK_FMT(index));
}

static enum pk_code check_billing(const struct pk_table_spec *spec, struct pk_error *err)
{
    if (spec->billing == PK_ON_DEMAND && spec->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                              "when BillingMode is PAY_PER_REQUEST");
    if (spec->billing == PK_PROVISIONED && !spec->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ReadCapacityUnits and WriteCapacityUnits must both be specified "
                              "when BillingMode is PROVISIONED");
    if (spec->throughput_given)
        return pk_throughput_check(&spec->throughput, (pk_slice){NULL, 0}, err);
    return PK_OK;
}

/* Checks 4 and 5 -------------------------------------------------------------------------------*/

static enum pk_code check_definitions(const struct pk_table_spec *spec, struct pk_error *err)
{
    for (size_t i = 0; i < spec->attribute_count; i++) {
        if (is_defined(spec->attributes, i, spec->attributes[i].name))
            return pk_fail(err, PK_E_VALIDATION,
                           PREFIX "Duplicate AttributeName in AttributeDefinitions: %.*s",
                           PK_FMT(spec->attributes[i].name));
    }
    return PK_OK;
}

static enum pk_code check_defined(const struct pk_key_element *keys, size_t count,
                                  const struct pk_key_attr *attrs, size_t attr_count,
                                  struct pk_error *err)
{
    struct pk_buf key_list = PK_BUF_INIT;
    struct pk_buf attr_list = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        if (is_defined(attrs, attr_count, keys[i].name))
            continue;
        list_keys(&key_list, keys, count);
        list_attributes(&attr_list, attrs, attr_count);
        rc = pk_fail(err, PK_E_VALIDATION,
                     PREFIX "Some index key attributes are not defined in AttributeDefinitions. "
                            "Keys: %s, AttributeDefinitions: %s",
                     key_list.data, attr_list.data);
    }
    pk_buf_release(&key_list);
    pk_buf_release(&attr_list);
    return rc;
}

/* The key of a table or an LSI: HASH, then at most one RANGE. */
static enum pk_code check_pair(const struct pk_key_element *keys, size_t count,
                               struct pk_error *err)
{
    if (count == 2 && pk_slice_equal(keys[0].name, keys[1].name))
        return pk_fail(err, PK_E_VALIDATION,
                       "Both the Hash Key and the Range Key element in the KeySchema have the "
                       "same name");
    if (count == 0 || keys[0].range)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    if (count > 1 && !keys[1].range)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    if (count > 2)
        return pk_fail(err, PK_E_VALIDATION, "Invalid KeySchema: more than two KeySchemaElements");
    return PK_OK;
}

/* The key of a GSI: 1 to 4 HASH, then 0 to 4 RANGE, all distinct (data-model.md §9). */
static enum pk_code check_multi(const struct pk_index_spec *spec, struct pk_error *err)
{
    const struct pk_key_element *keys = spec->keys;
    size_t hashes = 0;
    size_t ranges = 0;

    if (spec->key_count == 2 && keys[1].range && pk_slice_equal(keys[0].name, keys[1].name))
        return check_pair(keys, 2, err);
    if (spec->key_count == 0 || keys[0].range)
        return check_pair(keys, spec->key_count, err);
    for (size_t i = 0; i < spec->key_count; i++) {
        if (names_key(keys, i, keys[i].name))
            return pk_fail(err, PK_E_VALIDATION,
                           "Invalid KeySchema: duplicate attribute %.*s for index: %.*s",
                           PK_FMT(keys[i].name), PK_FMT(spec->name));
        if (!keys[i].range && ranges > 0)
            return pk_fail(err, PK_E_VALIDATION,
                           "Invalid KeySchema: HASH elements must precede RANGE elements for "
                           "index: %.*s",
                           PK_FMT(spec->name));
        if (keys[i].range)
            ranges++;
        else
            hashes++;
    }
    if (hashes > PK_KEY_PARTS_MAX || ranges > PK_KEY_PARTS_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid KeySchema: at most 4 HASH and 4 RANGE elements are allowed for "
                       "index: %.*s",
                       PK_FMT(spec->name));
    return PK_OK;
}

enum pk_code pk_index_spec_check_keys(const struct pk_index_spec *spec,
                                      const struct pk_key_attr *attributes, size_t attribute_count,
                                      struct pk_error *err)
{
    enum pk_code rc = check_defined(spec->keys, spec->key_count, attributes, attribute_count, err);

    if (rc != PK_OK)
        return rc;
    return spec->local ? check_pair(spec->keys, spec->key_count, err) : check_multi(spec, err);
}

static enum pk_code check_key(const struct pk_table_spec *spec, struct pk_error *err)
{
    enum pk_code rc = check_definitions(spec, err);

    if (rc != PK_OK)
        return rc;
    if (spec->key_count > spec->attribute_count)
        return pk_fail(err, PK_E_VALIDATION,
                       "Invalid KeySchema: Some index key attribute have no definition");
    rc = check_defined(spec->keys, spec->key_count, spec->attributes, spec->attribute_count, err);
    if (rc != PK_OK)
        return rc;
    return check_pair(spec->keys, spec->key_count, err);
}

/* Check 6 --------------------------------------------------------------------------------------*/

static bool used_by_index(const struct pk_index_spec *indexes, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (names_key(indexes[i].keys, indexes[i].key_count, name))
            return true;
    }
    return false;
}

static bool is_used(const struct pk_table_spec *spec, pk_slice name)
{
    return names_key(spec->keys, spec->key_count, name) ||
           used_by_index(spec->locals, spec->local_count, name) ||
           used_by_index(spec->globals, spec->global_count, name);
}

static enum pk_code check_unused(const struct pk_table_spec *spec, struct pk_error *err)
{
    struct pk_buf all = PK_BUF_INIT;
    struct pk_buf used = PK_BUF_INIT;
    bool unused = false;
    enum pk_code rc = PK_OK;

    if (spec->local_count + spec->global_count == 0) {
        if (spec->attribute_count == spec->key_count)
            return PK_OK;
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Number of attributes in KeySchema does not exactly match number of "
                              "attributes defined in AttributeDefinitions");
    }
    for (size_t i = 0; i < spec->attribute_count; i++) {
        if (!is_used(spec, spec->attributes[i].name)) {
            unused = true;
            continue;
        }
        if (used.len > 0)
            pk_buf_add_cstr(&used, ", ");
        pk_buf_add(&used, spec->attributes[i].name);
    }
    if (unused) {
        list_attributes(&all, spec->attributes, spec->attribute_count);
        rc = pk_fail(err, PK_E_VALIDATION,
                     PREFIX "Some AttributeDefinitions are not used. AttributeDefinitions: %s, "
                            "keys used: [%s]",
                     all.data, used.len > 0 ? used.data : "");
    }
    pk_buf_release(&all);
    pk_buf_release(&used);
    return rc;
}

/* Checks 7 and 8 -------------------------------------------------------------------------------*/

enum pk_code pk_index_spec_check_projection(const struct pk_index_spec *spec, struct pk_error *err)
{
    const char *name = pk_projection_name(spec->projection);

    if (!spec->projection_given || !spec->projection_type_given)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "Unknown ProjectionType: null");
    if (spec->projection != PK_PROJECT_INCLUDE && spec->include_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProjectionType is %s, but NonKeyAttributes is specified", name);
    if (spec->projection == PK_PROJECT_INCLUDE && !spec->include_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProjectionType is %s, but NonKeyAttributes is not specified", name);
    for (size_t i = 0; i < spec->include_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (pk_slice_equal(spec->include[i], spec->include[k]))
                return pk_fail(err, PK_E_VALIDATION,
                               PREFIX "Duplicate value in NonKeyAttributes: %.*s for index: %.*s",
                               PK_FMT(spec->include[i]), PK_FMT(spec->name));
        }
    }
    return PK_OK;
}

/* Index names share one namespace: LSIs come first. */
static enum pk_code check_name(const struct pk_table_spec *spec, const struct pk_index_spec *index,
                               struct pk_error *err)
{
    const struct pk_index_spec *groups[] = {spec->locals, spec->globals};
    const size_t counts[] = {spec->local_count, spec->global_count};

    for (size_t g = 0; g < 2; g++) {
        for (size_t i = 0; i < counts[g]; i++) {
            if (&groups[g][i] == index)
                return PK_OK;
            if (pk_slice_equal(groups[g][i].name, index->name))
                return pk_fail(err, PK_E_VALIDATION, PREFIX "Duplicate index name: %.*s",
                               PK_FMT(index->name));
        }
    }
    return PK_OK;
}

static enum pk_code check_local_key(const struct pk_table_spec *spec,
                                    const struct pk_index_spec *index, struct pk_error *err)
{
    if (index->key_count < 2)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Index KeySchema does not have a range key for index: %.*s",
                       PK_FMT(index->name));
    if (!pk_slice_equal(index->keys[0].name, spec->keys[0].name))
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Index KeySchema does not have the same leading hash key as table "
                              "KeySchema for index: %.*s. index hash key: %.*s, table hash key: "
                              "%.*s",
                       PK_FMT(index->name), PK_FMT(index->keys[0].name),
                       PK_FMT(spec->keys[0].name));
    return PK_OK;
}

enum pk_code pk_index_spec_check_throughput(const struct pk_index_spec *index,
                                            enum pk_billing billing, struct pk_error *err)
{
    if (billing == PK_ON_DEMAND && index->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProvisionedThroughput should not be specified for index: %.*s when "
                              "BillingMode is PAY_PER_REQUEST",
                       PK_FMT(index->name));
    if (billing == PK_PROVISIONED && !index->throughput_given)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "ProvisionedThroughput must be specified for index: %.*s",
                       PK_FMT(index->name));
    if (index->throughput_given)
        return pk_throughput_check(&index->throughput, index->name, err);
    return PK_OK;
}

static enum pk_code check_index(const struct pk_table_spec *spec, const struct pk_index_spec *index,
                                struct pk_error *err)
{
    enum pk_code rc = pk_index_spec_check_keys(index, spec->attributes, spec->attribute_count, err);

    if (rc == PK_OK && index->local)
        rc = check_local_key(spec, index, err);
    if (rc == PK_OK)
        rc = pk_index_spec_check_projection(index, err);
    if (rc == PK_OK && !index->local)
        rc = pk_index_spec_check_throughput(index, spec->billing, err);
    if (rc == PK_OK)
        rc = check_name(spec, index, err);
    return rc;
}

static enum pk_code check_locals(const struct pk_table_spec *spec, struct pk_error *err)
{
    if (spec->locals_given && spec->local_count == 0)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "List of LocalSecondaryIndexes is empty");
    if (spec->local_count > 0 && spec->key_count < 2)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Table KeySchema does not have a range key, which is required when "
                              "specifying a LocalSecondaryIndex");
    for (size_t i = 0; i < spec->local_count; i++) {
        enum pk_code rc = check_index(spec, &spec->locals[i], err);

        if (rc != PK_OK)
            return rc;
    }
    if (spec->local_count > PK_LSI_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
                       PK_LSI_MAX);
    return PK_OK;
}

static enum pk_code check_globals(const struct pk_table_spec *spec, struct pk_error *err)
{
    if (spec->globals_given && spec->global_count == 0)
        return pk_fail(err, PK_E_VALIDATION, PREFIX "List of GlobalSecondaryIndexes is empty");
    for (size_t i = 0; i < spec->global_count; i++) {
        enum pk_code rc = check_index(spec, &spec->globals[i], err);

        if (rc != PK_OK)
            return rc;
    }
    if (spec->global_count > PK_GSI_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                       PK_GSI_MAX);
    return PK_OK;
}

/* The same name in two indexes counts twice (data-model.md §9). */
static enum pk_code check_included(const struct pk_table_spec *spec, struct pk_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < spec->local_count; i++)
        count += spec->locals[i].include_count;
    for (size_t i = 0; i < spec->global_count; i++)
        count += spec->globals[i].include_count;
    if (count > PK_PROJECTED_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Number of projected NonKeyAttributes exceeds the per-table limit "
                              "of %d",
                       PK_PROJECTED_MAX);
    return PK_OK;
}

enum pk_code pk_table_spec_check(const struct pk_table_spec *spec, struct pk_error *err)
{
    enum pk_code rc = check_billing(spec, err);

    if (rc == PK_OK)
        rc = check_key(spec, err);
    if (rc == PK_OK)
        rc = check_locals(spec, err);
    if (rc == PK_OK)
        rc = check_globals(spec, err);
    if (rc == PK_OK)
        rc = check_included(spec, err);
    if (rc == PK_OK)
        rc = check_unused(spec, err);
    return rc;
}

/* Building -------------------------------------------------------------------------------------*/

/* The attributes' definitions, and where what is built goes. */
struct building {
    const struct pk_key_attr *attributes;
    size_t attribute_count;
    struct pk_arena *arena;
};

static void build_key(const struct building *with, const struct pk_key_element *keys, size_t count,
                      struct pk_key_schema *out)
{
    for (size_t i = 0; i < count; i++) {
        struct pk_key_attr *attr =
            keys[i].range ? &out->range[out->range_count++] : &out->hash[out->hash_count++];

        attr->name = pk_arena_dup(with->arena, keys[i].name);
        for (size_t k = 0; k < with->attribute_count; k++) {
            if (pk_slice_equal(with->attributes[k].name, keys[i].name))
                attr->type = with->attributes[k].type;
        }
    }
}

void pk_index_spec_build(const struct pk_index_spec *from, const struct pk_key_attr *attributes,
                         size_t attribute_count, struct pk_arena *arena, struct pk_index *to)
{
    const struct building with = {attributes, attribute_count, arena};

    to->name = pk_arena_dup(arena, from->name);
    to->local = from->local;
    build_key(&with, from->keys, from->key_count, &to->key);
    to->projection = from->projection;
    to->include = PK_NEW_ARRAY(arena, pk_slice, from->include_count);
    to->include_count = from->include_count;
    for (size_t i = 0; i < from->include_count; i++)
        to->include[i] = pk_arena_dup(arena, from->include[i]);
    to->status = PK_STATUS_ACTIVE;
    if (from->throughput_given)
        to->throughput = from->throughput;
    to->max = from->max;
}

static void build_indexes(struct pk_table *table, const struct pk_table_spec *spec)
{
    struct pk_arena *arena = pk_table_arena(table);

    table->index_count = spec->local_count + spec->global_count;
    table->local_count = spec->local_count;
    table->indexes = PK_NEW_ARRAY(arena, struct pk_index, table->index_count);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index_spec *from =
            i < spec->local_count ? &spec->locals[i] : &spec->globals[i - spec->local_count];

        pk_index_spec_build(from, spec->attributes, spec->attribute_count, arena,
                            &table->indexes[i]);
    }
}

struct pk_table *pk_table_spec_build(const struct pk_table_spec *spec)
{
    struct pk_table *table = pk_table_new();
    struct pk_arena *arena = pk_table_arena(table);
    const struct building with = {spec->attributes, spec->attribute_count, arena};

    table->name = pk_arena_dup(arena, spec->name);
    table->status = PK_STATUS_ACTIVE;
    build_key(&with, spec->keys, spec->key_count, &table->key);
    table->attribute_count = spec->attribute_count;
    table->attributes = PK_NEW_ARRAY(arena, struct pk_key_attr, spec->attribute_count);
    for (size_t i = 0; i < spec->attribute_count; i++) {
        table->attributes[i].name = pk_arena_dup(arena, spec->attributes[i].name);
        table->attributes[i].type = spec->attributes[i].type;
    }
    build_indexes(table, spec);
    table->billing = spec->billing;
    if (spec->throughput_given)
        table->throughput = spec->throughput;
    table->max = spec->max;
    table->warm_read = spec->warm_read;
    table->warm_write = spec->warm_write;
    table->stream = spec->stream;
    table->deletion_protection = spec->deletion_protection;
    table->infrequent_access = spec->infrequent_access;
    table->class_given = spec->class_given;
    pk_table_set_tags(table, spec->tags, spec->tag_count);
    return table;
}
