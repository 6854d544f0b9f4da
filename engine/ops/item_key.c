/* Faults are looked for attribute by attribute, the hash attribute first. */
#include "engine/ops/item_key.h"

#define PREFIX "One or more parameter values were invalid: "

static enum pk_key_fault fail_mismatch(struct pk_error *err)
{
    (void)pk_fail(err, PK_E_VALIDATION, "The provided key element does not match the schema");
    return PK_KEY_MISMATCH;
}

static enum pk_key_fault check_content(const struct pk_key_attr *attr, bool range, pk_value value,
                                       struct pk_error *err)
{
    if (attr->type == PK_NUMBER)
        return PK_KEY_FINE;
    if (value.len == 0) {
        (void)pk_fail(err, PK_E_VALIDATION,
                      "One or more parameter values are not valid. The AttributeValue for a key "
                      "attribute cannot contain an empty %s value. Key: %.*s",
                      attr->type == PK_BINARY ? "binary" : "string", PK_FMT(attr->name));
        return PK_KEY_EMPTY;
    }
    if (range && value.len > PK_RANGE_KEY_MAX) {
        (void)pk_fail(err, PK_E_VALIDATION,
                      PREFIX "Aggregated size of all range keys has exceeded the size limit of %d "
                             "bytes",
                      PK_RANGE_KEY_MAX);
        return PK_KEY_TOO_LONG;
    }
    /* sic: no blank before the number */
    if (!range && value.len > PK_HASH_KEY_MAX) {
        (void)pk_fail(err, PK_E_VALIDATION,
                      PREFIX "Size of hashkey has exceeded the maximum size limit of%d bytes",
                      PK_HASH_KEY_MAX);
        return PK_KEY_TOO_LONG;
    }
    return PK_KEY_FINE;
}

enum pk_key_fault pk_item_key_check(const struct pk_key_attr *attr, bool range, pk_value value,
                                    struct pk_error *err)
{
    if (pk_value_kind(value) != attr->type)
        return fail_mismatch(err);
    return check_content(attr, range, value, err);
}

static enum pk_key_fault check_type(const struct pk_key_attr *attr, pk_value value,
                                    enum pk_key_source source, struct pk_error *err)
{
    if (pk_value_kind(value) == attr->type)
        return PK_KEY_FINE;
    if (source != PK_KEY_OF_PUT)
        return fail_mismatch(err);
    if (pk_value_kind(value) == PK_MISSING)
        (void)pk_fail(err, PK_E_VALIDATION, PREFIX "Missing the key %.*s in the item",
                      PK_FMT(attr->name));
    else
        (void)pk_fail(
            err, PK_E_VALIDATION, PREFIX "Type mismatch for key %.*s expected: %s actual: %s",
            PK_FMT(attr->name), pk_kind_tag(attr->type), pk_kind_tag(pk_value_kind(value)));
    return PK_KEY_MISMATCH;
}

enum pk_key_fault pk_item_key_take(const struct pk_table *table, pk_value from,
                                   enum pk_key_source source, struct pk_item_key *key,
                                   struct pk_error *err)
{
    const struct pk_key_attr *hash = &table->key.hash[0];
    const struct pk_key_attr *range = table->key.range_count > 0 ? &table->key.range[0] : NULL;
    enum pk_key_fault fault;

    if (source == PK_KEY_OF_REQUEST && from.len != (range == NULL ? 1U : 2U))
        return fail_mismatch(err);
    key->pk = pk_value_get(from, hash->name);
    key->sk = range == NULL ? pk_value_missing() : pk_value_get(from, range->name);
    fault = check_type(hash, key->pk, source, err);
    if (fault == PK_KEY_FINE && range != NULL)
        fault = check_type(range, key->sk, source, err);
    if (fault == PK_KEY_FINE)
        fault = check_content(hash, false, key->pk, err);
    if (fault == PK_KEY_FINE && range != NULL)
        fault = check_content(range, true, key->sk, err);
    return fault;
}

pk_slice pk_item_key_row(const struct pk_table *table, const struct pk_item_key *key,
                         struct pk_arena *arena)
{
    struct pk_buf bytes = PK_BUF_INIT;
    pk_slice row;

    pk_layout_row(&bytes, table->id, key);
    row = pk_arena_dup(arena, pk_buf_slice(&bytes));
    pk_buf_release(&bytes);
    return row;
}

pk_slice pk_item_key_latch(const struct pk_table *table, const struct pk_item_key *key,
                           pk_slice row, struct pk_arena *arena)
{
    struct pk_buf bytes = PK_BUF_INIT;
    pk_slice collection;

    if (table->local_count == 0)
        return row;
    pk_layout_collection(&bytes, PK_SPACE_TABLE, table->id, key->pk);
    collection = pk_arena_dup(arena, pk_buf_slice(&bytes));
    pk_buf_release(&bytes);
    return collection;
}
