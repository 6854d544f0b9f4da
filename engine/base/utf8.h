/* UTF-8: validation, code points, lengths. Surrogates, overlong forms and values above U+10FFFF
 * are invalid. */
#ifndef PK_BASE_UTF8_H
#define PK_BASE_UTF8_H

#include <stdint.h>

#include "engine/base/buf.h"

bool pk_utf8_valid(pk_slice text);
/* Reads one code point off the front; false (and nothing taken) at the end or when invalid. */
bool pk_utf8_take(pk_slice *text, uint32_t *code_point);
void pk_utf8_add(struct pk_buf *out, uint32_t code_point);
/* Number of UTF-16 code units: what DynamoDB's size() counts for a string (expressions.md §4). */
size_t pk_utf8_utf16_length(pk_slice text);

#endif
