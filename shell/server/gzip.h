/* The two content codings DynamoDB speaks, gzip and deflate (operations.md §1). */
#ifndef SH_SERVER_GZIP_H
#define SH_SERVER_GZIP_H

#include "engine/base/buf.h"

enum sh_coding { SH_CODING_GZIP, SH_CODING_DEFLATE };

/* Appends what `in` was before it was coded. False when it is no whole stream of that coding (gzip:
 * or several, one after the other), or would be longer than max bytes; *too_long tells which. */
bool sh_coding_decode(struct pk_buf *out, enum sh_coding coding, pk_slice in, size_t max,
                      bool *too_long);
/* Appends `in`, coded. */
void sh_coding_encode(struct pk_buf *out, enum sh_coding coding, pk_slice in);

#endif
