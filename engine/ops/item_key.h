/*
 * Primary keys in requests: checked against the schema (data-model.md §5, operations.md §5), and
 * turned into the bytes a row is found by.
 */
#ifndef PK_OPS_ITEM_KEY_H
#define PK_OPS_ITEM_KEY_H

#include "engine/schema.h"
#include "engine/store/layout.h"

/* Whose words a fault is reported in. */
enum pk_key_source {
    PK_KEY_OF_PUT,       /* the item of a put: "Missing the key …", "Type mismatch for key …" */
    PK_KEY_OF_BATCH_PUT, /* the item of a put in a batch: the words of a key */
    PK_KEY_OF_REQUEST    /* a Key: exactly the key attributes */
};

enum pk_key_fault {
    PK_KEY_FINE = 0,
    PK_KEY_MISMATCH, /* attributes missing, too many, or of the wrong type */
    PK_KEY_EMPTY,    /* an empty string or binary */
    PK_KEY_TOO_LONG
};

/* Reads the primary key out of an item or a key, which is a map. Fills err on a fault. The values
 * point into the map. */
enum pk_key_fault pk_item_key_take(const struct pk_table *table, pk_value from,
                                   enum pk_key_source source, struct pk_item_key *key,
                                   struct pk_error *err);
/* One value of a key attribute: type, emptiness, size, in the words of a Key. */
enum pk_key_fault pk_item_key_check(const struct pk_key_attr *attr, bool range, pk_value value,
                                    struct pk_error *err);

/* The row's key bytes, in the arena. */
pk_slice pk_item_key_row(const struct pk_table *table, const struct pk_item_key *key,
                         struct pk_arena *arena);
/* What is latched for that key: the row, or on a table with an LSI its item collection. */
pk_slice pk_item_key_latch(const struct pk_table *table, const struct pk_item_key *key,
                           pk_slice row, struct pk_arena *arena);

#endif
