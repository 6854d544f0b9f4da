/*
 * Text that may be shown. Item text is data: control characters, escape sequences and characters
 * that reorder the line are shown escaped and never sent to the terminal.
 *
 * Escapes: \n \r \t \e, \x07 for other controls and for bytes that are not UTF-8, \u009b for
 * controls above ASCII and for direction marks. A backslash stays single: it is shown, not parsed.
 */
#ifndef SH_RENDER_TEXT_SAFE_H
#define SH_RENDER_TEXT_SAFE_H

#include "engine/base/buf.h"

enum sh_text_lines {
    SH_TEXT_ONE_LINE, /* newline and tab are escaped too */
    SH_TEXT_LINES     /* newline and tab stay */
};

/* Appends the text, made safe. */
void sh_text_safe(struct pk_buf *out, pk_slice text, enum sh_text_lines lines);
/* True for characters that sh_text_safe escapes even where newline and tab may stay. */
bool sh_text_unsafe(uint32_t code_point);
/* Columns that safe one-line text takes. Needs a UTF-8 LC_CTYPE for other than ASCII. */
size_t sh_text_width(pk_slice safe);
/* Appends the longest beginning that fits the columns, with "…" where something was cut off.
 * Returns the columns used. */
size_t sh_text_fit(struct pk_buf *out, pk_slice safe, size_t columns);
void sh_text_pad(struct pk_buf *out, size_t columns);

#endif
