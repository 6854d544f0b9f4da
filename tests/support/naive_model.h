/*
 * A table as a plain list of items, for comparing: no keys, no indexes, no pages, nothing shared
 * with the engine but values and expressions.
 */
#ifndef TESTS_NAIVE_MODEL_H
#define TESTS_NAIVE_MODEL_H

#include "engine/schema.h"

struct naive_item {
    pk_value key; /* M */
    pk_value item;
};

struct naive_model {
    struct pk_arena arena; /* everything put into the model is copied here */
    struct naive_item *items;
    size_t count;
    size_t cap;
};

void naive_release(struct naive_model *model);
/* The item with that key, PK_MISSING when there is none. */
pk_value naive_get(const struct naive_model *model, pk_value key);
/* PK_MISSING removes it. */
void naive_set(struct naive_model *model, pk_value key, pk_value item);
/* Items that have all attributes of the index's key with their types and whose hash attribute equals
 * `hash` (PK_MISSING: any); as many as out has room for. Returns how many there are. */
size_t naive_select(const struct naive_model *model, const struct pk_key_schema *key, pk_value hash,
                    pk_value *out, size_t room);

#endif
