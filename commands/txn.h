/*
 * A transaction of the shell: what stands between begin and commit. Nothing is sent before commit,
 * so the first line decides the kind, and a line of another kind is refused where it stands.
 */
#ifndef CMD_TXN_H
#define CMD_TXN_H

#include "commands/request.h"

enum cmd_txn_kind {
    CMD_TXN_EMPTY,
    CMD_TXN_PARTIQL, /* ExecuteTransaction */
    CMD_TXN_WRITES,  /* TransactWriteItems: put edit del check */
    CMD_TXN_GETS     /* TransactGetItems */
};

enum { CMD_TXN_ACTIONS_MAX = 100 }; /* operations.md §7 */

struct cmd_transaction {
    enum cmd_txn_kind kind;
    struct pk_arena arena;
    struct cJSON *actions; /* an array, in the order typed */
    pk_slice statements[CMD_TXN_ACTIONS_MAX];
    struct cmd_expression conditions[CMD_TXN_ACTIONS_MAX]; /* names they mention, for failures */
    size_t count;
    pk_slice token; /* data NULL: none */
    pk_slice *keys; /* of the first table read: its key attributes */
    size_t key_count;
};

void cmd_txn_free(struct cmd_transaction *txn);
/* Adds a data request (which stays the caller's). PK_E_USAGE when the kinds mix. */
PK_MUST_CHECK enum pk_code cmd_txn_add(struct cmd_context *context, struct cmd_request *request,
                                       struct cmd_result *result, struct pk_error *err);
/* Adds a PartiQL statement. */
PK_MUST_CHECK enum pk_code cmd_txn_add_statement(struct cmd_context *context, pk_slice text,
                                                 struct cmd_result *result, struct pk_error *err);

#endif
