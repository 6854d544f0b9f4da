/*
 * Table definitions that come as JSON trees: requests, descriptions, CloudFormation properties.
 */
#ifndef CMD_TRANSFER_TABLE_JSON_H
#define CMD_TRANSFER_TABLE_JSON_H

#include "commands/transfer/transfer.h"

/* Adds the table that a CreateTable request or a TableDescription defines: members that CreateTable
 * does not take are left out (spec §3). False when it has no KeySchema or no TableName. */
bool table_json_define(struct transfer *transfer, pk_value description);

/* A whole number from a plain number or its text; `other` when it is neither. */
int64_t table_json_int(pk_value value, int64_t other);

#endif
