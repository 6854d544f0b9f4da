/* Entries are built on the stored form: an item's members are in name order, so a projection is
 * one walk that keeps some of them, and two entries are equal exactly when their bytes are. */
#include "engine/table/index.h"

#define PREFIX    "One or more parameter values were invalid: "
#define NOT_VALID "One or more parameter values are not valid. "

/* Keys -----------------------------------------------------------------------------------------*/

static size_t scalar_size(pk_view value)
{
    return pk_view_kind(value) == PK_NUMBER ? 0 : pk_view_bytes(value).len;
}

static bool is_empty(pk_view value)
{
    return pk_view_kind(value) != PK_NUMBER && pk_view_bytes(value).len == 0;
}

struct pk_item_key pk_index_item_key(const struct pk_table *table, pk_view item,
                                     struct pk_arena *arena)
{
    struct pk_item_key key = {pk_value_missing(), pk_value_missing()};

    key.pk = pk_view_decode(arena, pk_view_member(item, table->key.hash[0].name));
    if (table->key.range_count > 0)
        key.sk = pk_view_decode(arena, pk_view_member(item, table->key.range[0].name));
    return key;
}

/* Reads one group of an index key out of the item; false when the item is not in the index. */
static bool take_group(const struct pk_key_attr *attrs, size_t count, pk_view item,
                       struct pk_arena *arena, pk_value *values)
{
    for (size_t i = 0; i < count; i++) {
        pk_view value = pk_view_member(item, attrs[i].name);

        if (pk_view_kind(value) != attrs[i].type || is_empty(value))
            return false;
        values[i] = pk_view_decode(arena, value);
    }
    return true;
}

static bool hash_fits(const struct pk_key_schema *key, pk_view item)
{
    for (size_t i = 0; i < key->hash_count; i++) {
        if (scalar_size(pk_view_member(item, key->hash[i].name)) > PK_HASH_KEY_MAX)
            return false;
    }
    return true;
}

/* DynamoDB limits the sum of all range key values. */
static bool range_fits(const struct pk_key_schema *key, pk_view item)
{
    size_t sum = 0;

    for (size_t i = 0; i < key->range_count; i++)
        sum += scalar_size(pk_view_member(item, key->range[i].name));
    return sum <= PK_RANGE_KEY_MAX;
}

/* Entries --------------------------------------------------------------------------------------*/

/* The members of the item that the index carries, as a stored map. */
static pk_view project(const struct pk_table *table, const struct pk_index *index, pk_view item,
                       struct pk_arena *arena)
{
    struct pk_member_vec kept = {0};
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    if (index->projection == PK_PROJECT_ALL)
        return item;
    pk_view_iter_init(&iter, item);
    while (pk_view_iter_next(&iter, &name, &value)) {
        if (pk_index_projects(table, index, name))
            pk_member_vec_add(&kept, arena, name, pk_view_decode(arena, value));
    }
    return pk_view_of(arena, pk_value_map(kept.data, kept.len));
}

static pk_slice entry_key(const struct pk_index *index, const struct pk_item_key *item,
                          const struct pk_gsi_key *values, struct pk_arena *arena)
{
    struct pk_buf key = PK_BUF_INIT;
    pk_slice copy;

    if (index->local)
        pk_layout_lsi(&key, index->id, item, values->range[0]);
    else
        pk_layout_gsi(&key, index->id, values, item);
    copy = pk_arena_dup(arena, pk_buf_slice(&key));
    pk_buf_release(&key);
    return copy;
}

bool pk_index_entry_of(const struct pk_table *table, const struct pk_index *index, pk_view item,
                       struct pk_arena *arena, struct pk_index_entry *out)
{
    pk_value hash[PK_KEY_PARTS_MAX];
    pk_value range[PK_KEY_PARTS_MAX];
    struct pk_gsi_key values = {hash, index->key.hash_count, range, index->key.range_count};
    struct pk_item_key item_key;

    *out = (struct pk_index_entry){0};
    if (item.len == 0 || !take_group(index->key.hash, index->key.hash_count, item, arena, hash) ||
        !take_group(index->key.range, index->key.range_count, item, arena, range) ||
        !hash_fits(&index->key, item) || !range_fits(&index->key, item))
        return false;
    item_key = pk_index_item_key(table, item, arena);
    out->key = entry_key(index, &item_key, &values, arena);
    out->item = project(table, index, item, arena);
    out->size = pk_view_item_size(out->item);
    return true;
}

/* Changes --------------------------------------------------------------------------------------*/

static uint64_t write_units(uint64_t size)
{
    return size <= 1024 ? 1 : (size + 1023) / 1024;
}

/* The table of indexes.md §5. */
static uint64_t effect_units(const struct pk_index_effect *effect)
{
    uint64_t before = write_units(effect->before.size);
    uint64_t after = write_units(effect->after.size);

    if (effect->before.key.data == NULL)
        return after;
    if (effect->after.key.data == NULL)
        return before;
    if (!pk_slice_equal(effect->before.key, effect->after.key))
        return before + after;
    return before > after ? before : after;
}

static bool changes_nothing(const struct pk_index_effect *effect)
{
    if (effect->before.key.data == NULL && effect->after.key.data == NULL)
        return true;
    return pk_slice_equal(effect->before.key, effect->after.key) &&
           pk_slice_equal(effect->before.item, effect->after.item);
}

void pk_index_plan_one(const struct pk_table *table, const struct pk_index *index, pk_view before,
                       pk_view after, struct pk_arena *arena, struct pk_index_effect *out)
{
    *out = (struct pk_index_effect){.index = index};
    if (index->status == PK_STATUS_DELETING)
        return;
    pk_index_entry_of(table, index, before, arena, &out->before);
    pk_index_entry_of(table, index, after, arena, &out->after);
    out->units = changes_nothing(out) ? 0 : effect_units(out);
}

void pk_index_plan(const struct pk_table *table, pk_view before, pk_view after,
                   struct pk_arena *arena, struct pk_index_effect *out)
{
    for (size_t i = 0; i < table->index_count; i++)
        pk_index_plan_one(table, &table->indexes[i], before, after, arena, &out[i]);
}

void pk_index_stage(const struct pk_index_effect *effect, struct pk_batch *batch)
{
    if (effect->units == 0)
        return;
    if (effect->before.key.data != NULL && !pk_slice_equal(effect->before.key, effect->after.key))
        pk_batch_delete(batch, effect->before.key);
    if (effect->after.key.data != NULL)
        pk_record_put(batch, effect->after.key, effect->after.size, effect->after.item);
}

/* Faults ---------------------------------------------------------------------------------------*/

static enum pk_index_fault fail_type(const struct pk_index *index, const struct pk_key_attr *attr,
                                     pk_view value, enum pk_index_source source,
                                     struct pk_error *err)
{
    if (source == PK_INDEX_FROM_EXPRESSION)
        (void)pk_fail(err, PK_E_VALIDATION,
                      "The update expression attempted to update the secondary index key to "
                      "unsupported type");
    else
        (void)pk_fail(err, PK_E_VALIDATION,
                      PREFIX "Type mismatch for Index Key %.*s Expected: %s Actual: %s IndexName: "
                             "%.*s",
                      PK_FMT(attr->name), pk_kind_tag(attr->type), pk_kind_tag(pk_view_kind(value)),
                      PK_FMT(index->name));
    return PK_INDEX_WRONG_TYPE;
}

static enum pk_index_fault fail_empty(const struct pk_index *index, const struct pk_key_attr *attr,
                                      enum pk_index_source source, struct pk_error *err)
{
    const char *what = attr->type == PK_BINARY ? "binary" : "string";

    if (source == PK_INDEX_FROM_EXPRESSION)
        (void)pk_fail(err, PK_E_VALIDATION,
                      NOT_VALID "The update expression attempted to update a secondary index key "
                                "to a value that is not supported. The AttributeValue for a key "
                                "attribute cannot contain an empty %s value.",
                      what);
    else
        (void)pk_fail(err, PK_E_VALIDATION,
                      NOT_VALID "A value specified for a secondary index key is not supported. "
                                "The AttributeValue for a key attribute cannot contain an empty "
                                "%s value. IndexName: %.*s, IndexKey: %.*s",
                      what, PK_FMT(index->name), PK_FMT(attr->name));
    return PK_INDEX_EMPTY;
}

static enum pk_index_fault fail_long(bool range, enum pk_index_source source, struct pk_error *err)
{
    if (source == PK_INDEX_FROM_EXPRESSION)
        (void)pk_fail(err, PK_E_VALIDATION,
                      "The update expression attempted to update the secondary index key beyond "
                      "allowed size limits");
    else if (range)
        (void)pk_fail(err, PK_E_VALIDATION,
                      PREFIX "Aggregated size of all range keys has exceeded the size limit of "
                             "%d bytes",
                      PK_RANGE_KEY_MAX);
    else
        (void)pk_fail(err, PK_E_VALIDATION,
                      PREFIX "Size of hashkey has exceeded the maximum size limit of%d bytes",
                      PK_HASH_KEY_MAX);
    return PK_INDEX_TOO_LONG;
}

/* What is being checked. */
struct checking {
    const struct pk_index *index;
    pk_view before;
    pk_view after;
    enum pk_index_source source;
};

/* One group of the index's key attributes. */
static enum pk_index_fault check_group(const struct checking *of, const struct pk_key_attr *attrs,
                                       size_t count, struct pk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        pk_view value = pk_view_member(of->after, attrs[i].name);

        if (value.len == 0 || pk_slice_equal(value, pk_view_member(of->before, attrs[i].name)))
            continue;
        if (pk_view_kind(value) != attrs[i].type)
            return fail_type(of->index, &attrs[i], value, of->source, err);
        if (is_empty(value))
            return fail_empty(of->index, &attrs[i], of->source, err);
    }
    return PK_INDEX_FINE;
}

static enum pk_index_fault check_index(const struct checking *of, struct pk_error *err)
{
    const struct pk_key_schema *key = &of->index->key;
    enum pk_index_fault fault = check_group(of, key->hash, key->hash_count, err);

    if (fault == PK_INDEX_FINE)
        fault = check_group(of, key->range, key->range_count, err);
    if (fault != PK_INDEX_FINE)
        return fault;
    if (!hash_fits(key, of->after) && hash_fits(key, of->before))
        return fail_long(false, of->source, err);
    if (!range_fits(key, of->after) && range_fits(key, of->before))
        return fail_long(true, of->source, err);
    return PK_INDEX_FINE;
}

enum pk_index_fault pk_index_check(const struct pk_table *table, pk_view before, pk_view after,
                                   enum pk_index_source source, struct pk_error *err)
{
    for (size_t i = 0; i < table->index_count; i++) {
        struct checking of = {&table->indexes[i], before, after, source};
        enum pk_index_fault fault = PK_INDEX_FINE;

        if (of.index->status != PK_STATUS_DELETING)
            fault = check_index(&of, err);
        if (fault != PK_INDEX_FINE)
            return fault;
    }
    return PK_INDEX_FINE;
}
