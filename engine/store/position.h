/*
 * Positions: where in a table or index something is, as bytes whose order is the order of its rows.
 * A row's is its token and the codes of its key values (key_code.h): its key without space and id
 * (layout.h). A border between partitions is one as well: a token alone, or one that goes on to lie
 * inside an item collection, or even between two items of it. Empty: the very beginning.
 */
#ifndef PK_STORE_POSITION_H
#define PK_STORE_POSITION_H

#include <stdint.h>

#include "engine/base/buf.h"

enum { PK_TOKEN_LEN = 8 }; /* bytes, big endian; on disk, do not change */

void pk_token_store(uint64_t token, char out[PK_TOKEN_LEN]);
/* The token that the position begins with; bytes that are not there count as 0. */
uint64_t pk_position_token(pk_slice position);
/* What stands behind the token: a part of the position. */
pk_slice pk_position_codes(pk_slice position);

#endif
