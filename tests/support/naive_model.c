/* Linear searches everywhere: slow and plain. */
#include "tests/support/naive_model.h"

#include <stdlib.h>

void naive_release(struct naive_model *model)
{
    pk_arena_release(&model->arena);
    free(model->items);
    *model = (struct naive_model){.items = NULL};
}

static size_t find(const struct naive_model *model, pk_value key)
{
    size_t at = 0;

    while (at < model->count && !pk_value_equal(model->items[at].key, key))
        at++;
    return at;
}

pk_value naive_get(const struct naive_model *model, pk_value key)
{
    size_t at = find(model, key);

    return at < model->count ? model->items[at].item : pk_value_missing();
}

void naive_set(struct naive_model *model, pk_value key, pk_value item)
{
    size_t at = find(model, key);

    if (pk_value_kind(item) == PK_MISSING) {
        if (at < model->count)
            model->items[at] = model->items[--model->count];
        return;
    }
    if (at == model->count) {
        if (model->count == model->cap) {
            model->cap = model->cap == 0 ? 64 : 2 * model->cap;
            model->items = pk_realloc(model->items, model->cap, sizeof(*model->items));
        }
        model->items[at].key = pk_value_dup(&model->arena, key);
        model->count++;
    }
    model->items[at].item = pk_value_dup(&model->arena, item);
}

static bool has_all(const struct pk_key_attr *attrs, size_t count, pk_value item)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_value_kind(pk_value_get(item, attrs[i].name)) != attrs[i].type)
            return false;
    }
    return true;
}

size_t naive_select(const struct naive_model *model, const struct pk_key_schema *key, pk_value hash,
                    pk_value *out, size_t room)
{
    size_t n = 0;

    for (size_t i = 0; i < model->count; i++) {
        pk_value item = model->items[i].item;

        if (!has_all(key->hash, key->hash_count, item) ||
            !has_all(key->range, key->range_count, item))
            continue;
        if (pk_value_kind(hash) != PK_MISSING &&
            !pk_value_equal(pk_value_get(item, key->hash[0].name), hash))
            continue;
        if (n < room)
            out[n] = item;
        n++;
    }
    return n;
}
