/* Which backend statements go to: the embedded engine, or an endpoint. */
#ifndef SH_CONNECT_H
#define SH_CONNECT_H

#include "shell/shell.h"

/* (job) Connects to the endpoint; the one before is let go, the store stays open. On failure
 * nothing changes. The shell's context may be one that was not made yet. */
PK_MUST_CHECK enum pk_code sh_connect(struct sh *sh, const struct sh_aws_request *request,
                                      struct pk_error *err);
/* (job) Goes back to the embedded engine, whose store is opened if it is not. */
PK_MUST_CHECK enum pk_code sh_connect_local(struct sh *sh, struct pk_error *err);
/* "http://localhost:8000, another pksk", "store ~/x". */
/* Frees what was asked for. */
void sh_connect_forget(struct sh *sh);
void sh_connect_describe(const struct sh *sh, struct pk_buf *out);

/* connect [URL] [region R] [profile P] | connect local */
extern const struct cmd_entry sh_connect_entry;

#endif
