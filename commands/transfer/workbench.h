/*
 * NoSQL Workbench models (spec: nosql-workbench-format.md §1): what reading and writing share.
 *
 * What a table itself cannot hold (facets, descriptions, saved queries, members we do not know)
 * travels beside it as its attachment, JSON text:
 *   {"model": the model with this table only, its items reduced to their keys in the facets and
 *             left out elsewhere,
 *    "digest": of the items as they were imported, so that a change shows}
 */
#ifndef CMD_TRANSFER_WORKBENCH_H
#define CMD_TRANSFER_WORKBENCH_H

#include "commands/transfer/transfer_export.h"

/* Writes the export's table as (one table of) a model. */
PK_MUST_CHECK enum pk_code workbench_write(struct transfer_export *export, struct pk_error *err);

static inline pk_value workbench_member(pk_value map, const char *name)
{
    return pk_value_get(map, pk_slice_cstr(name));
}

/* A member's text; data NULL when it is no string. */
static inline pk_slice workbench_text(pk_value map, const char *name)
{
    pk_value value = workbench_member(map, name);

    return pk_value_kind(value) == PK_STRING ? pk_value_bytes(value) : (pk_slice){NULL, 0};
}

#endif
