/*
 * Sorted paths. Several paths into one item are followed in one walk: sorted, the paths that go
 * through one member or element stand together, in the order in which the item has them.
 */
#ifndef PK_EXPR_PATHS_H
#define PK_EXPR_PATHS_H

#include "engine/item.h"

static inline bool pk__step_is_index(const struct pk_path_step *step)
{
    return step->name.data == NULL;
}

/* Indexes by number before names by bytes. */
int pk__step_compare(const struct pk_path_step *a, const struct pk_path_step *b);
/* Step by step; a prefix sorts before what it begins. */
int pk__path_compare(const struct pk_path *a, const struct pk_path *b);

#endif
