/*
 * Applying an update to an item (expressions.md §8, "Semantics").
 *
 * Every right-hand side sees the item as it was. The targets of one update never overlap
 * (pk_expr_check_update), so all actions are applied in one walk over the old item, which yields
 * the new one; what is not touched is shared with it.
 */
#ifndef PK_EXPR_UPDATE_H
#define PK_EXPR_UPDATE_H

#include "engine/expr.h"

/* The item after the update, as a tree in the arena; it may point into old_item's bytes and into
 * the update's literals. A missing old_item starts from the key. *new_item is PK_MISSING when the
 * item was absent and the update only removes: nothing is created then.
 *
 * Fails with DynamoDB's messages for absent attributes, wrong types, invalid paths and numbers out
 * of range. Not checked here: key attributes (below), index keys, size and depth of the result. */
PK_MUST_CHECK enum pk_code pk_expr_apply_update(const struct pk_update *update,
                                                struct pk_arena *arena, pk_value key,
                                                pk_view old_item, pk_value *new_item,
                                                struct pk_error *err);

/* Fails when a target is, or lies under, one of the key attributes. */
PK_MUST_CHECK enum pk_code pk_expr_check_update_keys(const struct pk_update *update,
                                                     const pk_slice *key_names, size_t count,
                                                     struct pk_error *err);

#endif
