/*
 * Answers panels of other processes (socket_address.h) from a thread of its own, as long as this
 * process holds the store.
 *
 * Only those of our own operations are served that look, and those that turn a traffic's knobs:
 * nothing that touches what is stored. The socket can be reached by its owner alone (0600).
 *
 * A panel that is stopped or slow costs one answer of memory: nothing here waits for it, and it is
 * not read from until it has taken its answer. There are at most SH_SOCKET_CLIENTS of them; the
 * next one takes the place of one that has been silent for half a minute, or is refused.
 */
#ifndef SH_PANEL_SOCKET_SERVER_H
#define SH_PANEL_SOCKET_SERVER_H

#include "commands/backend.h"

enum { SH_SOCKET_CLIENTS = 8 };

struct sh_socket_server;

/* Listens in the directory, which the caller has locked: a socket that is there was left behind and
 * is replaced. The backend must outlive the server. PK_E_IO: there are no panels then, and that is
 * all. */
PK_MUST_CHECK enum pk_code sh_socket_server_start(struct cmd_backend *backend, const char *dir,
                                                  struct sh_socket_server **server,
                                                  struct pk_error *err);
/* Closes all connections and removes the socket. NULL is accepted. */
void sh_socket_server_stop(struct sh_socket_server *server);

/* True when panels may ask for that operation. */
bool sh_socket_serves(pk_slice operation);

#endif
