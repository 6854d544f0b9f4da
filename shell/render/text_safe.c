/* Escaping and measuring text; see text_safe.h. */
#include "shell/render/text_safe.h"

#include <wchar.h>

#include "engine/base/utf8.h"

bool sh_text_unsafe(uint32_t c)
{
    if (c < 0x20)
        return c != '\n' && c != '\t';
    if (c >= 0x7f && c < 0xa0)
        return true;
    /* line and paragraph separators, direction marks and overrides, byte order mark */
    return c == 0x2028 || c == 0x2029 || c == 0x200e || c == 0x200f || c == 0x061c ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void add_escape(struct pk_buf *out, uint32_t c)
{
    if (c == '\n')
        pk_buf_add_cstr(out, "\\n");
    else if (c == '\r')
        pk_buf_add_cstr(out, "\\r");
    else if (c == '\t')
        pk_buf_add_cstr(out, "\\t");
    else if (c == 0x1b)
        pk_buf_add_cstr(out, "\\e");
    else if (c < 0x80)
        pk_buf_printf(out, "\\x%02x", (unsigned)c);
    else
        pk_buf_printf(out, "\\u%04x", (unsigned)c);
}

void sh_text_safe(struct pk_buf *out, pk_slice text, enum sh_text_lines lines)
{
    while (text.len > 0) {
        pk_slice before = text;
        uint32_t c = 0;

        if (!pk_utf8_take(&text, &c)) {
            pk_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.data[0]);
            text = pk_slice_skip(text, 1);
            continue;
        }
        if (sh_text_unsafe(c) || (lines == SH_TEXT_ONE_LINE && c < 0x20))
            add_escape(out, c);
        else
            pk_buf_add(out, pk_slice_of(before.data, before.len - text.len));
    }
}

/* wcwidth, except that what it does not know counts one column, as terminals draw it. */
static size_t columns_of(uint32_t c)
{
    if (c < 0x7f)
        return 1;

    int width = wcwidth((wchar_t)c);

    return width < 0 ? 1 : (size_t)width;
}

/* Takes one character off the front; a byte that is not UTF-8 counts as one column. */
static size_t take_columns(pk_slice *text)
{
    uint32_t c = 0;

    if (pk_utf8_take(text, &c))
        return columns_of(c);
    *text = pk_slice_skip(*text, 1);
    return 1;
}

size_t sh_text_width(pk_slice safe)
{
    size_t columns = 0;

    while (safe.len > 0)
        columns += take_columns(&safe);
    return columns;
}

size_t sh_text_fit(struct pk_buf *out, pk_slice safe, size_t columns)
{
    pk_slice rest = safe;
    size_t used = 0;      /* columns of what was walked over */
    size_t kept = 0;      /* bytes that still leave a column for the ellipsis … */
    size_t kept_used = 0; /* … and their columns */

    while (rest.len > 0) {
        used += take_columns(&rest);
        if (used > columns)
            break;
        if (used < columns) {
            kept = safe.len - rest.len;
            kept_used = used;
        }
    }
    if (used <= columns) {
        pk_buf_add(out, safe);
        return used;
    }
    if (columns == 0)
        return 0;
    pk_buf_add(out, pk_slice_of(safe.data, kept));
    pk_buf_add_cstr(out, "…");
    return kept_used + 1;
}

void sh_text_pad(struct pk_buf *out, size_t columns)
{
    while (columns-- > 0)
        pk_buf_add_byte(out, ' ');
}
