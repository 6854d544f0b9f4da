/*
 * A look back: the last changes of a table as its change log has them, for those who begin to
 * follow its changes (looking.h). A table whose changes nobody durable reads has no log, and
 * nothing to look back on.
 */
#ifndef PK_OPS_TAIL_BACK_H
#define PK_OPS_TAIL_BACK_H

#include "engine/looking.h"

/* Hands out the newest request->back records of the table, ascending by sequence, whatever shard
 * they are in; those out of retention are left out. Cost: a seek for each of them at most. PK_E_IO,
 * PK_E_CORRUPT, or what the callback returns. */
PK_MUST_CHECK enum pk_code pk_tail_back(struct pk_engine *engine, struct pk_call *call,
                                        const struct pk_tail_request *request,
                                        struct pk_error *err);

#endif
