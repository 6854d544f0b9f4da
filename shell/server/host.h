/*
 * The Host of a request. A page of any site can have its own name point to 127.0.0.1 (DNS
 * rebinding) and so reach what listens there; its requests then carry that name. So only names
 * that are ours are served. A literal address cannot be such a name.
 */
#ifndef SH_SERVER_HOST_H
#define SH_SERVER_HOST_H

#include "engine/base/slice.h"

/* True for localhost, *.localhost and literal addresses, with or without a port. */
bool sh_host_is_local(pk_slice host);
/* True when the host, with or without a port, is that name, in any case. */
bool sh_host_is(pk_slice host, const char *name);

#endif
