/* The backend of a panel in another process than the store: asks through the socket in the store's
 * directory (socket_address.h). */
#ifndef SH_PANEL_SOCKET_CLIENT_H
#define SH_PANEL_SOCKET_CLIENT_H

#include "commands/backend.h"

/* Connects. PK_E_UNREACHABLE: nobody holds the store, or not with a socket; then every call fails
 * with it, too, once the connection is lost. The answer is trusted no more than an endpoint's. */
PK_MUST_CHECK enum pk_code sh_socket_client_open(const char *dir, struct cmd_backend **backend,
                                                 struct pk_error *err);

#endif
