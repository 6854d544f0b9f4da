/* Prompt and line; see typed.h. */
#include "shell/panel/typed.h"

#include "engine/base/utf8.h"
#include "shell/panel/flow.h"
#include "shell/render/text_safe.h"

void sh_typed_release(struct sh_typed *typed)
{
    pk_buf_release(&typed->text);
}

/* readline puts what takes no columns between \001 and \002. */
static void add_prompt(struct pk_buf *out, const char *prompt)
{
    for (; *prompt != '\0'; prompt++) {
        const char *end = *prompt == '\001' ? strchr(prompt, '\002') : NULL;

        if (end != NULL)
            prompt = end;
        else if ((unsigned char)*prompt >= 0x20)
            pk_buf_add_byte(out, (unsigned char)*prompt);
    }
}

static void add_character(struct pk_buf *out, pk_slice *text)
{
    pk_slice rest = *text;
    uint32_t code = 0;
    bool valid = pk_utf8_take(&rest, &code);
    size_t len = valid ? text->len - rest.len : 1;

    if (valid && (code < 0x20 || code == 0x7f)) {
        pk_buf_add_byte(out, '^');
        pk_buf_add_byte(out, (unsigned char)(code ^ 0x40));
    } else {
        sh_text_safe(out, pk_slice_of(text->data, len), SH_TEXT_ONE_LINE);
    }
    *text = pk_slice_skip(*text, len);
}

static struct sh_flow flow_of(const struct sh_typed *typed)
{
    return (struct sh_flow){.columns = typed->columns, .ascii = typed->ascii, .mark = typed->point};
}

void sh_typed_set(struct sh_typed *typed, const struct sh_line_view *view, int columns, bool ascii)
{

    pk_slice rest = view->text;

    pk_buf_clear(&typed->text);
    add_prompt(&typed->text, view->prompt);
    while (rest.len > 0) {
        if (view->text.len - rest.len == view->point)
            typed->point = typed->text.len;
        add_character(&typed->text, &rest);
    }
    if (view->point >= view->text.len)
        typed->point = typed->text.len;
    typed->columns = columns < 1 ? 1 : columns;
    typed->ascii = ascii;

    struct sh_flow flow = flow_of(typed);
    int rows = sh_flow(&flow, pk_buf_slice(&typed->text));

    typed->rows = flow.mark_row >= rows ? flow.mark_row + 1 : rows;
    typed->row = flow.mark_row;
    typed->column = flow.mark_column;
}

void sh_typed_draw(const struct sh_typed *typed, const struct sh_area *area, int *y, int *x)
{
    struct sh_flow flow = flow_of(typed);

    if (typed->row >= area->height)
        flow.skip = typed->row - area->height + 1;
    flow.area = area;
    sh_flow(&flow, pk_buf_slice(&typed->text));
    *y = typed->row - flow.skip;
    *x = typed->column;
}
