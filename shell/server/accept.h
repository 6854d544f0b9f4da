/* Which coding of an answer a client prefers: the Accept-Encoding header, as DynamoDB reads it. */
#ifndef SH_SERVER_ACCEPT_H
#define SH_SERVER_ACCEPT_H

#include "shell/server/gzip.h"

/* The coding for an answer to a request with that header; false when there is none it accepts.
 *
 * The highest weight wins, then the order of the header, then gzip. "*" stands for what is not
 * named, and comes after what is; "identity" is no choice. An entry's weight is its first "q"; one
 * above 1 or that is no number counts as 1, a negative one as 0. Of two entries of a coding the
 * heavier counts. */
bool sh_accept_coding(pk_slice header, enum sh_coding *coding);

#endif
