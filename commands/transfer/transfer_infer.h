/* The key of a table that no file defines: stated with `key`, or of a shape that is known. */
#ifndef CMD_TRANSFER_INFER_H
#define CMD_TRANSFER_INFER_H

#include "commands/transfer/transfer.h"

/* Gives a table without a schema one: from `key`, else of a known shape. PK_E_USAGE that says what
 * to add. */
PK_MUST_CHECK enum pk_code transfer_infer(struct transfer *transfer, struct transfer_table *table,
                                          struct pk_error *err);

#endif
