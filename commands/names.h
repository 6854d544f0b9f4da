/*
 * Names that do not exist: attributes no item has, tables nobody made. What was probably meant.
 * Attributes are known from the schema and a bounded sample of the embedded engine; nothing of it
 * reads items on an endpoint, where reads cost money.
 */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include "commands/request.h"

/* After a read that found nothing: a name in `where` that no item of the sample has, with what to
 * say about it (arena). */
struct cmd_unknown {
    struct pk_span span; /* len 0: there is none */
    pk_slice text;
};
void cmd_find_unknown(struct cmd_context *context, const struct cmd_request *request,
                      struct pk_arena *arena, struct cmd_unknown *unknown);
/* True when the attribute is a key, or some item of a sample has it; also when that cannot be known
 * (an endpoint, an empty table). *nearest is a similar name that exists, data NULL when there is
 * none. */
bool cmd_attribute_known(struct cmd_context *context, const struct pk_table *table, pk_slice name,
                         struct pk_arena *arena, pk_slice *nearest);

/* The hint of an error about a table that is not there: the one of a similar name. False, and no
 * hint, when there is none. */
bool cmd_hint_near_table(struct cmd_context *context, pk_slice name, struct pk_error *err);
/* The same with what lists the tables for want of a similar name. */
void cmd_hint_tables(struct cmd_context *context, pk_slice name, struct pk_error *err);

#endif
