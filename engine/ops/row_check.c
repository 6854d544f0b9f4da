/* See the header. */
#include "engine/ops/row_check.h"

#include "engine/table/index.h"

bool pk_row_has_key(const struct pk_table *table, pk_view item)
{
    const struct pk_key_schema *key = &table->key;

    return pk_view_kind(pk_view_member(item, key->hash[0].name)) == key->hash[0].type &&
           (key->range_count == 0 ||
            pk_view_kind(pk_view_member(item, key->range[0].name)) == key->range[0].type);
}

static bool sits_under_own_key(const struct pk_table *table, pk_slice key, pk_view item)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf own = PK_BUF_INIT;
    struct pk_item_key item_key = pk_index_item_key(table, item, &arena);
    bool same;

    pk_layout_row(&own, table->id, &item_key);
    same = pk_slice_equal(pk_buf_slice(&own), key);
    pk_buf_release(&own);
    pk_arena_release(&arena);
    return same;
}

const char *pk_row_fault(const struct pk_table *table, pk_slice key, pk_slice record, pk_view *item,
                         uint64_t *size)
{
    size_t recorded = 0;

    if (!pk_record_open(record, item, &recorded))
        return "is no record";
    if (!pk_view_check(*item) || pk_view_kind(*item) != PK_MAP)
        return "does not decode";
    if (pk_view_item_size(*item) != recorded)
        return "has another size than recorded";
    if (!pk_row_has_key(table, *item))
        return "lacks its key";
    if (!sits_under_own_key(table, key, *item))
        return "is stored under the key of another";
    *size = recorded;
    return NULL;
}

const struct pk_table *pk_row_owner(struct pk_table *const *tables, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (tables[i]->id == id)
            return tables[i];
        for (size_t k = 0; k < tables[i]->index_count; k++) {
            if (tables[i]->indexes[k].id == id)
                return tables[i];
        }
    }
    return NULL;
}

bool pk_row_next_id(const struct pk_snap *snap, enum pk_space space, uint32_t *id, enum pk_code *rc,
                    struct pk_error *err)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_range range;
    struct pk_iter *iter;
    bool found = false;

    if (*id == UINT32_MAX)
        return false;
    pk_layout_space(&prefix, space);
    pk_layout_id(&lower, space, *id + 1);
    range = pk_range_prefix(pk_buf_slice(&prefix), &upper);
    range.lower = pk_buf_slice(&lower);
    iter = pk_iter_new(snap, range, PK_ITER_BULK);
    pk_iter_seek_first(iter);
    if (pk_iter_valid(iter)) {
        pk_slice rest = pk_slice_skip(pk_iter_key(iter), 1);

        found = pk_take_u32be(&rest, id);
    }
    *rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    pk_buf_release(&lower);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return found && *rc == PK_OK;
}
