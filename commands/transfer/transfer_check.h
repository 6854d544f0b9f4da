/*
 * Between reading and writing: do the records fit the table's key?
 *
 * What DynamoDB would refuse is refused here, with the place in the file, before anything is
 * written. Records with equal keys become one: the last one stays, facets are merged.
 */
#ifndef CMD_TRANSFER_CHECK_H
#define CMD_TRANSFER_CHECK_H

#include "commands/transfer/transfer.h"

/* Checks the records against table->schema; those refused are dropped and noted. Sets the table's
 * counts. */
void transfer_check(struct transfer *transfer, struct transfer_table *table);
/* The file's name as a table's: "battle-royale-items" of "data/battle-royale-items.jsonl", letters
 * that tables do not have replaced. In the transfer's arena. */
pk_slice transfer_table_name(struct transfer *transfer, pk_slice text);

#endif
