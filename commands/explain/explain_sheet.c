#include "commands/explain/explain_sheet.h"

enum { LABEL_WIDTH = 10, VALUE_WIDTH = 36 /* a longer value moves only its own remark */ };

void explain_sheet_add(struct explain_sheet *sheet, const char *label, pk_slice value,
                       pk_slice remark)
{
    if (sheet->count == sheet->cap) {
        size_t cap = sheet->cap == 0 ? 16 : sheet->cap * 2;
        struct explain_line *lines = PK_NEW_ARRAY(sheet->arena, struct explain_line, cap);

        if (sheet->count > 0)
            memcpy(lines, sheet->lines, sheet->count * sizeof(*lines));
        sheet->lines = lines;
        sheet->cap = cap;
    }
    sheet->lines[sheet->count++] = (struct explain_line){label, value, remark};
}

/* Code points; enough for aligning what is nearly always ASCII. */
static size_t width_of(pk_slice text)
{
    size_t width = 0;

    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return width;
}

static void pad(struct pk_buf *out, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        pk_buf_add_byte(out, ' ');
}

void explain_sheet_show(const struct explain_sheet *sheet, struct cmd_result *result)
{
    struct pk_buf out = PK_BUF_INIT;
    size_t widest = 0;

    for (size_t i = 0; i < sheet->count; i++) {
        size_t width = width_of(sheet->lines[i].value);

        if (width > widest && width <= VALUE_WIDTH && sheet->lines[i].remark.len > 0)
            widest = width;
    }
    for (size_t i = 0; i < sheet->count; i++) {
        const struct explain_line *line = &sheet->lines[i];

        pk_buf_printf(&out, "%s %-*s ", i == 0 ? "" : "\n", LABEL_WIDTH, line->label);
        pk_buf_add(&out, line->value);
        if (line->remark.len == 0)
            continue;
        pad(&out, width_of(line->value), widest);
        pk_buf_add_cstr(&out, "   ");
        pk_buf_add(&out, line->remark);
    }
    cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", (int)out.len, out.data);
    pk_buf_release(&out);
}
