/* The order of paths that projections and updates walk an item by. */
#include "engine/expr/expr_paths.h"

int pk__step_compare(const struct pk_path_step *a, const struct pk_path_step *b)
{
    if (pk__step_is_index(a) != pk__step_is_index(b))
        return pk__step_is_index(a) ? -1 : 1;
    if (!pk__step_is_index(a))
        return pk_slice_compare(a->name, b->name);
    return a->index < b->index ? -1 : a->index > b->index;
}

int pk__path_compare(const struct pk_path *a, const struct pk_path *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = pk__step_compare(&a->steps[i], &b->steps[i]);

        if (order != 0)
            return order;
    }
    return a->count < b->count ? -1 : a->count > b->count;
}
