/*
 * The backend on an endpoint: DynamoDB itself, what speaks as it does, or another pksk.
 *
 * Opening sends one request, ListTables, which tells whether the endpoint answers, takes the
 * signature, and knows our own operations. Every call sends again what fails and may be sent again
 * (retry.h), checks the checksum, and reads the facts that another pksk sends beside its answers.
 */
#ifndef SH_CLIENT_REMOTE_H
#define SH_CLIENT_REMOTE_H

#include "commands/cmd.h"
#include "shell/client/aws_profile.h"

/* Takes the account, also on failure. Pauses before a repetition are shown through progress, which
 * may be empty. PK_E_UNREACHABLE or the endpoint's own error. *cancel may be NULL. */
PK_MUST_CHECK enum pk_code sh_remote_open_take(struct sh_aws_account *account,
                                               struct cmd_progress progress,
                                               const atomic_bool *cancel,
                                               struct cmd_backend **backend, struct pk_error *err);

#endif
