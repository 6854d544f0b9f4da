/*
 * Keys as bytes: enc(), which keeps DynamoDB's order under memcmp, and token(), the simulated
 * partition hash.
 *
 * On-disk grammar (do not change; docs/storage-format.md):
 *   enc(S) = 'S' escaped          escaped: every 00 becomes 00 FF; 00 01 ends
 *   enc(B) = 'B' escaped
 *   enc(N) = 'N' number code      num.h; it ends itself
 *   token  = 8 bytes, big endian
 *
 * Every code is self-delimiting and no code is a prefix of another of its type, so composite keys
 * compare component by component (data-model.md §4). Codes of different types also never meet: an
 * attribute that is part of a key has one type.
 */
#ifndef PK_STORE_KEY_CODE_H
#define PK_STORE_KEY_CODE_H

#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/item.h"
#include "engine/value.h"

/* Appends enc(value). Another kind than S, N, B is our mistake. */
void pk_key_append_value(struct pk_buf *key, pk_value value);
/* The same from the stored form. */
void pk_key_append_view(struct pk_buf *key, pk_view value);
/* Appends what enc() of every S (or B) beginning with value begins with: enc() without its end.
 * So pk_range_prefix() of the result holds exactly begins_with(value). Not for N. */
void pk_key_append_begin(struct pk_buf *key, pk_value value);
void pk_key_append_token(struct pk_buf *key, uint64_t token);

/* Reads an enc() off the front of *in; strings without NUL and numbers point into *in's bytes,
 * others are made in the arena. False when malformed (*in unchanged). */
bool pk_key_take_value(pk_slice *in, struct pk_arena *arena, pk_value *out);
/* Takes the bytes of one enc() without decoding. False when malformed (*in unchanged). */
bool pk_key_take_code(pk_slice *in, pk_slice *code);

/* token() of a partition key value (partitions-capacity.md §10.2). */
uint64_t pk_key_token(pk_value value);
/* token() of an index partition key: as above for one value, for several the first 8 bytes of the
 * MD5 over their enc()s, one after the other. */
uint64_t pk_key_token_many(const pk_value *values, size_t count);

#endif
