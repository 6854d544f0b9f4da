/*
 * Where panels of other processes ask: a Unix socket in the directory of the store, which whoever
 * holds the store listens on.
 *
 * A socket's path has room for 107 bytes. Longer ones go by a descriptor of the directory,
 * /proc/self/fd/N/panel.sock, so no thread changes its working directory.
 *
 * One line asks, one line answers, both JSON without line breaks:
 *   {"Operation":"Pksk.Tail","Request":{…}}
 *   {"Status":200,"Answer":{…}}               Status and Answer as HTTP has them
 */
#ifndef SH_PANEL_SOCKET_ADDRESS_H
#define SH_PANEL_SOCKET_ADDRESS_H

#include <sys/socket.h>
#include <sys/un.h>

#include "engine/error.h"

#define SH_SOCKET_NAME "panel.sock"

enum { SH_SOCKET_LINE_MAX = 64 * 1024 /* bytes of a line that asks */ };

struct sh_socket_address {
    struct sockaddr_un name;
    socklen_t length;
    int dir_fd; /* what a long path goes by, open as long as the address is used; -1: none */
};
/* PK_E_IO when there is no such directory. */
PK_MUST_CHECK enum pk_code sh_socket_address_init(struct sh_socket_address *address,
                                                  const char *dir, struct pk_error *err);
void sh_socket_address_release(struct sh_socket_address *address);

#endif
