/* Standard base64 with padding (RFC 4648 §4). */
#ifndef PK_BASE_BASE64_H
#define PK_BASE_BASE64_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

void pk_base64_encode(struct pk_buf *out, pk_slice bytes);

enum pk_base64_status { PK_BASE64_OK, PK_BASE64_LENGTH, PK_BASE64_INVALID };
/* Decodes into the arena. LENGTH: not a multiple of four; INVALID: anything else wrong. */
enum pk_base64_status pk_base64_decode(struct pk_arena *arena, pk_slice text, pk_slice *bytes);

#endif
