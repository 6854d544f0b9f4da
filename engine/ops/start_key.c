/* The messages are those of the table "Fault" in operations.md §6. */
#include "engine/ops/start_key.h"

#include "engine/ops/item_key.h"
#include "engine/store/key_code.h"

#define INVALID  "The provided starting key is invalid"
#define MISMATCH "The provided key element does not match the schema"

static const struct pk_key_attr *key_attr(const struct pk_key_schema *key, size_t i)
{
    return i < key->hash_count ? &key->hash[i] : &key->range[i - key->hash_count];
}

static size_t key_count(const struct pk_key_schema *key)
{
    return (size_t)key->hash_count + key->range_count;
}

/* Checking -------------------------------------------------------------------------------------*/

/* Exactly the attributes of both keys. */
static bool has_names(const struct pk_read_plan *plan, pk_value start)
{
    const struct pk_key_schema *table = &plan->table->key;
    size_t count = key_count(table);

    for (size_t i = 0; i < key_count(table); i++) {
        if (pk_value_kind(pk_value_get(start, key_attr(table, i)->name)) == PK_MISSING)
            return false;
    }
    for (size_t i = 0; plan->index != NULL && i < key_count(plan->key); i++) {
        pk_slice name = key_attr(plan->key, i)->name;

        if (pk_value_kind(pk_value_get(start, name)) == PK_MISSING)
            return false;
        if (!pk_key_schema_has(table, name))
            count++;
    }
    return start.len == count;
}

static enum pk_code check_values(const struct pk_key_schema *key, pk_value start,
                                 struct pk_error *err)
{
    for (size_t i = 0; i < key_count(key); i++) {
        const struct pk_key_attr *attr = key_attr(key, i);

        if (pk_item_key_check(attr, i >= key->hash_count, pk_value_get(start, attr->name), err) !=
            PK_KEY_FINE)
            return err->code;
    }
    return PK_OK;
}

enum pk_code pk_start_key_check(const struct pk_read_plan *plan, pk_value start, bool scan,
                                struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    if (!has_names(plan, start))
        return pk_fail(err, PK_E_VALIDATION,
                       scan && plan->index == NULL ? INVALID ": " MISMATCH : INVALID);
    if (plan->index != NULL)
        rc = check_values(plan->key, start, err);
    if (rc != PK_OK)
        return rc;
    rc = check_values(&plan->table->key, start, err);
    if (rc != PK_OK)
        pk_error_prefix(err, INVALID ": ");
    return rc;
}

/* Whether a value satisfies the one bounded condition of a range. */
static bool in_bounds(const struct pk_key_range *range, pk_value value)
{
    int first = 0;
    int second = 0;

    if (range->op == PK_OP_BEGINS_WITH)
        return pk_value_kind(value) == pk_value_kind(range->values[0]) &&
               pk_slice_starts(pk_value_bytes(value), pk_value_bytes(range->values[0]));
    if (!pk_value_compare(value, range->values[0], &first))
        return false;
    if (range->op == PK_OP_BETWEEN && !pk_value_compare(value, range->values[1], &second))
        return false;
    if (range->op == PK_OP_LT)
        return first < 0;
    if (range->op == PK_OP_LE)
        return first <= 0;
    if (range->op == PK_OP_GT)
        return first > 0;
    if (range->op == PK_OP_GE)
        return first >= 0;
    return first >= 0 && second <= 0;
}

static bool in_range(const struct pk_read_plan *plan, pk_value start,
                     const struct pk_key_range *range)
{
    for (size_t i = 0; i < range->equal_count; i++) {
        if (!pk_value_equal(pk_value_get(start, plan->key->range[i].name), range->equal[i]))
            return false;
    }
    if (!range->bounded)
        return true;
    return in_bounds(range, pk_value_get(start, plan->key->range[range->equal_count].name));
}

enum pk_code pk_start_key_check_range(const struct pk_read_plan *plan, pk_value start,
                                      const struct pk_key_range *range, struct pk_error *err)
{
    bool same_hash = true;
    bool ranged = range->equal_count > 0 || range->bounded;

    for (size_t i = 0; i < plan->key->hash_count; i++) {
        if (!pk_value_equal(pk_value_get(start, plan->key->hash[i].name), range->hash[i]))
            same_hash = false;
    }
    if (ranged && !in_range(plan, start, range))
        return pk_fail(err, PK_E_VALIDATION,
                       "The provided starting key does not match the range key predicate");
    if (same_hash)
        return PK_OK;
    return pk_fail(err, PK_E_VALIDATION,
                   ranged ? "The query can return at most one row and cannot be restarted"
                          : "The provided starting key is outside query boundaries based on "
                            "provided conditions");
}

/* Positions ------------------------------------------------------------------------------------*/

static void take_group(const struct pk_key_attr *attrs, size_t count, pk_value start,
                       pk_value *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = pk_value_get(start, attrs[i].name);
}

uint64_t pk_start_key_token(const struct pk_read_plan *plan, pk_value start)
{
    pk_value hash[PK_KEY_PARTS_MAX];

    take_group(plan->key->hash, plan->key->hash_count, start, hash);
    return pk_key_token_many(hash, plan->key->hash_count);
}

pk_slice pk_start_key_row(const struct pk_read_plan *plan, pk_value start, struct pk_arena *arena)
{
    const struct pk_key_schema *table = &plan->table->key;
    struct pk_item_key item = {pk_value_get(start, table->hash[0].name), pk_value_missing()};
    pk_value hash[PK_KEY_PARTS_MAX];
    pk_value range[PK_KEY_PARTS_MAX];
    struct pk_gsi_key values = {hash, plan->key->hash_count, range, plan->key->range_count};
    struct pk_buf key = PK_BUF_INIT;
    pk_slice copy;

    if (table->range_count > 0)
        item.sk = pk_value_get(start, table->range[0].name);
    take_group(plan->key->hash, plan->key->hash_count, start, hash);
    take_group(plan->key->range, plan->key->range_count, start, range);
    if (plan->index == NULL)
        pk_layout_row(&key, plan->table->id, &item);
    else if (plan->index->local)
        pk_layout_lsi(&key, plan->index->id, &item, range[0]);
    else
        pk_layout_gsi(&key, plan->index->id, &values, &item);
    copy = pk_arena_dup(arena, pk_buf_slice(&key));
    pk_buf_release(&key);
    return copy;
}

static void add_members(struct pk_member_vec *members, struct pk_arena *arena,
                        const struct pk_key_schema *key, pk_view entry)
{
    for (size_t i = 0; i < key_count(key); i++) {
        pk_slice name = pk_arena_dup(arena, key_attr(key, i)->name);
        pk_view value = pk_view_member(entry, name);

        pk_member_vec_add(members, arena, name, pk_view_decode(arena, pk_arena_dup(arena, value)));
    }
}

pk_value pk_start_key_of(const struct pk_read_plan *plan, pk_view entry, struct pk_arena *arena)
{
    struct pk_member_vec members = {0};

    if (plan->index != NULL)
        add_members(&members, arena, plan->key, entry);
    add_members(&members, arena, &plan->table->key, entry);
    return pk_value_map(members.data, members.len);
}
