/* What changed in an item, as a line of text: "total 45 → 50 · status – → 'paid'". */
#ifndef CMD_CHANGES_H
#define CMD_CHANGES_H

#include "engine/base/buf.h"
#include "engine/value.h"

/* Appends the attributes in which the maps differ, in the order of their names, each after
 * `between` but the first after `first`. Those of which skip is true are left out. Long values are
 * cut. */
struct cmd_changes {
    pk_value before, after; /* maps; of an absent item an empty one */
    bool (*skip)(const void *context, pk_slice name);
    const void *context;
    const char *first;
};
void cmd_changes_add(struct pk_buf *out, const struct cmd_changes *changes);

#endif
