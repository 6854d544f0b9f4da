/* One index of a table is created or deleted at a time. */
#include "engine/ops/ddl_index.h"

#include "engine/ops/ddl.h"
#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"
#include "engine/table/table_spec.h"

#define PREFIX "One or more parameter values were invalid: "

/* Checks ---------------------------------------------------------------------------------------*/

static const char *tag_of(const struct pk_key_attr *attrs, size_t count, pk_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(attrs[i].name, name))
            return pk_kind_tag(attrs[i].type);
    }
    return NULL;
}

/* What the attribute is in the new index, or else in the table and its indexes. */
static const char *kind_of(const struct pk_table *table, const struct pk_index_spec *spec,
                           pk_slice name)
{
    bool hash = tag_of(table->key.hash, table->key.hash_count, name) != NULL;

    for (size_t i = 0; i < spec->key_count; i++) {
        if (pk_slice_equal(spec->keys[i].name, name))
            return spec->keys[i].range ? "RANGE" : "HASH";
    }
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_key_schema *key = &table->indexes[i].key;

        hash = hash || tag_of(key->hash, key->hash_count, name) != NULL;
    }
    return hash ? "HASH" : "RANGE";
}

/* An attribute may not get another type than it has, whether the new index uses it or not. */
static enum pk_code check_redefined(const struct pk_table *table,
                                    const struct pk_table_change *change,
                                    const struct pk_index_spec *spec, struct pk_error *err)
{
    for (size_t i = 0; i < change->attribute_count; i++) {
        pk_slice name = change->attributes[i].name;
        const char *kind = kind_of(table, spec, name);
        const char *old = tag_of(table->attributes, table->attribute_count, name);
        const char *new = pk_kind_tag(change->attributes[i].type);

        if (old != NULL && *old != *new)
            return pk_fail(err, PK_E_VALIDATION,
                           PREFIX "Attributes cannot be redefined. Please check that your "
                                  "attribute has the same type as previously defined. Existing "
                                  "schema: Schema:[SchemaElement: key{%.*s:%s:%s}] New schema: "
                                  "Schema:[SchemaElement: key{%.*s:%s:%s}]",
                           PK_FMT(name), old, kind, PK_FMT(name), new, kind);
    }
    return PK_OK;
}

/* An index other than `but` that is being created or deleted. */
static enum pk_code check_alone(const struct pk_table *table, const struct pk_index *but,
                                struct pk_error *err)
{
    for (size_t i = table->local_count; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (index != but &&
            (index->status == PK_STATUS_CREATING || index->status == PK_STATUS_DELETING))
            return pk_fail(err, PK_E_LIMIT_EXCEEDED,
                           "Subscriber limit exceeded: Only 1 online index can be created or "
                           "deleted simultaneously per table");
    }
    return PK_OK;
}

static enum pk_code check_counts(const struct pk_table *table, const struct pk_index_spec *spec,
                                 struct pk_error *err)
{
    size_t included = spec->include_count;

    if (table->index_count - table->local_count >= PK_GSI_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                       PK_GSI_MAX);
    for (size_t i = 0; i < table->index_count; i++)
        included += table->indexes[i].include_count;
    if (included > PK_PROJECTED_MAX)
        return pk_fail(err, PK_E_VALIDATION,
                       PREFIX "Number of projected NonKeyAttributes exceeds the per-table limit "
                              "of %d",
                       PK_PROJECTED_MAX);
    return PK_OK;
}

static enum pk_code check_create(const struct pk_table *table, const struct pk_table_change *change,
                                 const struct pk_index_spec *spec, struct pk_error *err)
{
    enum pk_code rc;

    if (pk_table_index(table, spec->name) != NULL)
        return pk_fail(err, PK_E_VALIDATION,
                       "Attempting to create an index which already exists: %.*s",
                       PK_FMT(spec->name));
    rc = pk_index_spec_check_keys(spec, change->attributes, change->attribute_count, err);
    if (rc == PK_OK)
        rc = check_redefined(table, change, spec, err);
    if (rc == PK_OK)
        rc = pk_index_spec_check_projection(spec, err);
    if (rc == PK_OK)
        rc = pk_index_spec_check_throughput(spec, table->billing, err);
    if (rc == PK_OK)
        rc = check_alone(table, NULL, err);
    if (rc == PK_OK)
        rc = check_counts(table, spec, err);
    return rc;
}

/* Creating -------------------------------------------------------------------------------------*/

/* Definitions the new index needs and the table has not; what else was given is ignored. */
static void add_attributes(struct pk_table *table, const struct pk_key_attr *attrs, size_t count)
{
    struct pk_arena *arena = pk_table_arena(table);
    struct pk_key_attr *all =
        PK_NEW_ARRAY(arena, struct pk_key_attr, table->attribute_count + count);
    size_t n = table->attribute_count;

    for (size_t i = 0; i < n; i++)
        all[i] = table->attributes[i];
    for (size_t i = 0; i < count; i++) {
        if (tag_of(all, n, attrs[i].name) == NULL)
            all[n++] = attrs[i];
    }
    table->attributes = all;
    table->attribute_count = n;
}

enum pk_code pk_ddl_create_index(const struct pk_engine *engine, struct pk_table *table,
                                 const struct pk_table_change *change,
                                 const struct pk_index_spec *spec, struct pk_error *err)
{
    struct pk_arena *arena = pk_table_arena(table);
    struct pk_index *indexes;
    struct pk_index *index;
    enum pk_code rc = check_create(table, change, spec, err);

    if (rc != PK_OK)
        return rc;
    indexes = PK_NEW_ARRAY(arena, struct pk_index, table->index_count + 1);
    for (size_t i = 0; i < table->index_count; i++)
        indexes[i] = table->indexes[i];
    index = &indexes[table->index_count];
    pk_index_spec_build(spec, change->attributes, change->attribute_count, arena, index);
    index->status = PK_STATUS_CREATING;
    pk_partitions_even(&index->partitions, pk_ddl_partitions(engine, table, &index->throughput),
                       arena);
    table->indexes = indexes;
    table->index_count++;
    add_attributes(table, index->key.hash, index->key.hash_count);
    add_attributes(table, index->key.range, index->key.range_count);
    return PK_OK;
}

/* Deleting -------------------------------------------------------------------------------------*/

enum pk_code pk_ddl_delete_index(struct pk_table *table, pk_slice name, struct pk_error *err)
{
    struct pk_index *index = NULL;
    enum pk_code rc;

    for (size_t i = table->local_count; i < table->index_count; i++) {
        if (pk_slice_equal(table->indexes[i].name, name))
            index = &table->indexes[i];
    }
    if (index == NULL)
        return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
    rc = check_alone(table, index->status == PK_STATUS_CREATING ? index : NULL, err);
    if (rc != PK_OK)
        return rc;
    /* While resources are allocated it cannot be deleted (indexes.md §10). */
    if (index->status == PK_STATUS_CREATING && !index->backfilling)
        return pk_fail(err, PK_E_IN_USE,
                       "Attempt to change a resource which is still in use: Table is being "
                       "updated: %.*s",
                       PK_FMT(table->name));
    index->status = PK_STATUS_DELETING;
    index->backfilling = false;
    return PK_OK;
}

static bool is_used(const struct pk_table *table, pk_slice name)
{
    if (pk_key_schema_has(&table->key, name))
        return true;
    for (size_t i = 0; i < table->index_count; i++) {
        if (pk_key_schema_has(&table->indexes[i].key, name))
            return true;
    }
    return false;
}

void pk_ddl_remove_index(struct pk_table *table, uint32_t index_id)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id != index_id)
            table->indexes[kept++] = table->indexes[i];
    }
    table->index_count = kept;
    kept = 0;
    for (size_t i = 0; i < table->attribute_count; i++) {
        if (is_used(table, table->attributes[i].name))
            table->attributes[kept++] = table->attributes[i];
    }
    table->attribute_count = kept;
}
