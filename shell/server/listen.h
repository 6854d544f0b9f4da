/* The socket an endpoint listens on, and how many connections the process may have. */
#ifndef SH_SERVER_LISTEN_H
#define SH_SERVER_LISTEN_H

#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/error.h"

/* Opens a listening socket (the caller's to close) on the host, a name or an address, and the port,
 * 0 for any that is free. *url (appended) is how it is reached. PK_E_IO with the reason. */
PK_MUST_CHECK enum pk_code sh_listen(const char *host, uint16_t port, int *fd, struct pk_buf *url,
                                     struct pk_error *err);
/* Raises the process's limit of open files to the hard one; returns how many connections that
 * leaves room for. */
unsigned sh_connection_limit(void);

#endif
