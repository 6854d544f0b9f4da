/* Carets, hints and reasons; see render_diag.h. */
#include "shell/render/render_diag.h"

#include "engine/item.h"
#include "shell/render/render.h"
#include "shell/render/text_safe.h"

enum {
    INDENT = 2,
    WIDTH = 100,    /* of a source line when there is no terminal */
    NARROWEST = 20, /* below that a window would show nothing */
    BEFORE = 24,    /* columns kept left of the caret when a line is cut */
    MESSAGE = 1000  /* bytes of a message: some quote the whole statement */
};

/* One line of the source, made safe, and the columns the carets stand under. */
struct excerpt {
    struct pk_buf text;
    size_t caret;
    size_t carets;
};

static bool has_span(struct pk_span span, pk_slice source)
{
    if (span.len == 0 && span.start == 0)
        return false;
    return source.len > 0 && span.start <= source.len;
}

/* The line that holds the offset; *start is its first byte. A span that begins behind the last
 * character of a line (something is missing there) belongs to that line. */
static pk_slice line_at(pk_slice source, size_t offset, size_t *start)
{
    size_t end = offset;

    *start = offset;
    while (*start > 0 && source.data[*start - 1] != '\n')
        (*start)--;
    while (end < source.len && source.data[end] != '\n')
        end++;
    return pk_slice_of(source.data + *start, end - *start);
}

/* Where nothing but blanks stand at or behind the offset, the place is right behind the text. */
static size_t last_text(pk_slice source, size_t offset)
{
    if (offset < source.len)
        return offset;
    while (offset > 0 && strchr(" \t\r\n", source.data[offset - 1]) != NULL)
        offset--;
    return offset;
}

/* Appends safe text; a tab is one blank here, so that carets stay aligned. */
static size_t add_safe(struct pk_buf *out, pk_slice text)
{
    size_t before = out->len;

    for (size_t from = 0; from <= text.len;) {
        const char *tab = from < text.len ? memchr(text.data + from, '\t', text.len - from) : NULL;
        size_t to = tab == NULL ? text.len : (size_t)(tab - text.data);

        if (to > from)
            sh_text_safe(out, pk_slice_of(text.data + from, to - from), SH_TEXT_ONE_LINE);
        if (tab != NULL)
            pk_buf_add_byte(out, ' ');
        from = to + 1;
    }
    return sh_text_width(pk_slice_of(out->data + before, out->len - before));
}

static void take_excerpt(struct excerpt *excerpt, pk_slice source, struct pk_span span)
{
    size_t line_start = 0;
    size_t offset = span.len == 0 ? last_text(source, span.start) : span.start;
    pk_slice line = line_at(source, offset, &line_start);
    size_t first = offset - line_start;
    size_t len = span.len;

    if (line.len > 0 && line.data[line.len - 1] == '\r')
        line.len--;
    if (first > line.len)
        first = line.len;
    if (len > line.len - first)
        len = line.len - first;
    while (first > 0 && line.len > 0 && strchr(" \t", line.data[0]) != NULL) {
        line = pk_slice_skip(line, 1);
        first--;
    }
    pk_buf_add_cstr(&excerpt->text, "");
    excerpt->caret = first == 0 ? 0 : add_safe(&excerpt->text, pk_slice_of(line.data, first));
    excerpt->carets = len == 0 ? 0 : add_safe(&excerpt->text, pk_slice_of(line.data + first, len));
    if (excerpt->carets == 0)
        excerpt->carets = 1;
    line = pk_slice_skip(line, first + len);
    if (line.len > 0)
        add_safe(&excerpt->text, line);
}

/* Drops columns from the front of safe text; returns how many went. */
static size_t drop_columns(pk_slice *text, size_t columns)
{
    size_t dropped = 0;

    while (text->len > 0 && dropped < columns) {
        size_t len = 1;

        while (len < text->len && ((unsigned char)text->data[len] & 0xc0) == 0x80)
            len++;
        dropped += sh_text_width(pk_slice_of(text->data, len));
        *text = pk_slice_skip(*text, len);
    }
    return dropped;
}

static void add_carets(struct pk_buf *out, size_t column, size_t count)
{
    sh_text_pad(out, INDENT + column);
    while (count-- > 0)
        pk_buf_add_byte(out, '^');
}

/* The source line, at most `width` columns of it around the carets, and the carets. */
static void add_excerpt(struct pk_buf *out, struct excerpt *excerpt, size_t width)
{
    pk_slice text = pk_buf_slice(&excerpt->text);
    size_t caret = excerpt->caret;
    size_t carets = excerpt->carets;

    sh_text_pad(out, INDENT);
    if (sh_text_width(text) > width && caret + carets > width) {
        size_t wanted = carets + 4 < width ? width - carets - 4 : 0;
        size_t before = wanted < BEFORE ? wanted : BEFORE;

        if (caret > before) {
            caret -= drop_columns(&text, caret - before);
            pk_buf_add_cstr(out, "…");
            caret++;
            width--;
        }
    }
    if (caret + carets > width)
        carets = width > caret ? width - caret : 1;
    sh_text_fit(out, text, width);
    pk_buf_add_byte(out, '\n');
    add_carets(out, caret, carets);
}

static void add_source(struct pk_buf *out, const struct sh_diag *diag, struct pk_span span)
{
    struct excerpt excerpt = {.text = PK_BUF_INIT};
    size_t width = diag->width == 0 ? WIDTH : diag->width;

    take_excerpt(&excerpt, diag->source, span);
    add_excerpt(out, &excerpt, width > NARROWEST ? width - INDENT : NARROWEST);
    pk_buf_release(&excerpt.text);
}

static void add_text(struct pk_buf *out, const char *text)
{
    sh_text_safe(out, pk_slice_cstr(text), SH_TEXT_LINES);
}

/* ": message". Some of DynamoDB's end in a blank or are empty. A long one (some quote the whole
 * statement) loses its middle, between characters. */
static void add_message(struct pk_buf *out, const char *message)
{
    size_t len = message == NULL ? 0 : strlen(message);
    size_t head = MESSAGE / 2;

    while (len > 0 && message[len - 1] == ' ')
        len--;
    if (len == 0)
        return;
    pk_buf_add_cstr(out, ": ");
    if (len > MESSAGE) {
        while (head > 0 && ((unsigned char)message[head] & 0xc0) == 0x80)
            head--;
        sh_text_safe(out, pk_slice_of(message, head), SH_TEXT_LINES);
        pk_buf_add_cstr(out, " … ");
        message += len - MESSAGE / 2;
        len = MESSAGE / 2;
        while (((unsigned char)message[0] & 0xc0) == 0x80) {
            message++;
            len--;
        }
    }
    sh_text_safe(out, pk_slice_of(message, len), SH_TEXT_LINES);
}

static void add_hint(struct pk_buf *out, const struct sh_diag *diag, pk_slice hint)
{
    sh_style_begin(out, diag->color, SH_STYLE_HINT);
    pk_buf_add_cstr(out, "  hint: ");
    sh_text_safe(out, hint, SH_TEXT_LINES);
    sh_style_end(out, diag->color);
    pk_buf_add_byte(out, '\n');
}

static void add_item(struct pk_buf *out, const char *lead, pk_slice stored)
{
    struct pk_arena arena = PK_ARENA_INIT;

    pk_buf_add_cstr(out, lead);
    sh_render_cell(out, pk_view_decode(&arena, stored));
    pk_buf_add_byte(out, '\n');
    pk_arena_release(&arena);
}

/* The actions that made a transaction fail, numbered from 1. */
static void add_reasons(struct pk_buf *out, const struct pk_error *err)
{
    for (size_t i = 0; i < err->reason_count; i++) {
        const struct pk_cancel_reason *reason = &err->reasons[i];

        if (reason->code == NULL || strcmp(reason->code, "None") == 0)
            continue;
        pk_buf_printf(out, "  action %zu  %s", i + 1, reason->code);
        if (reason->message != NULL) {
            pk_buf_add_cstr(out, "  ");
            add_text(out, reason->message);
        }
        pk_buf_add_byte(out, '\n');
        if (reason->item != NULL)
            add_item(out, "    the stored item is ", pk_slice_of(reason->item, reason->item_len));
    }
}

/* What a failed condition met, or what was expected, says something about the marked text and so
 * stands beside it. Other hints say what to do. */
static bool is_fact(const struct pk_error *err)
{
    if (err->hint == NULL)
        return false;
    return err->code == PK_E_CONDITION_FAILED || strncmp(err->hint, "expected ", 9) == 0;
}

void sh_diag_render(struct pk_buf *out, const struct sh_diag *diag, const struct pk_error *err)
{
    bool beside = is_fact(err);
    bool source = has_span(err->span, diag->source);

    sh_style_begin(out, diag->color, SH_STYLE_ERROR);
    sh_text_safe(out, pk_slice_cstr(pk_error_name(err)), SH_TEXT_ONE_LINE);
    sh_style_end(out, diag->color);
    add_message(out, err->message);
    pk_buf_add_byte(out, '\n');
    if (source) {
        add_source(out, diag, err->span);
        if (beside) {
            pk_buf_add_cstr(out, "  ");
            add_text(out, err->hint);
        }
        pk_buf_add_byte(out, '\n');
    }
    if (!diag->no_reasons)
        add_reasons(out, err);
    if (beside && !source) {
        pk_buf_add_cstr(out, "  ");
        add_text(out, err->hint);
        pk_buf_add_byte(out, '\n');
    } else if (err->hint != NULL && !beside) {
        add_hint(out, diag, pk_slice_cstr(err->hint));
    } else if (err->hint == NULL && err->item != NULL) {
        add_item(out, "  the stored item is ", pk_slice_of(err->item, err->item_len));
    }
}

void sh_diag_hint(struct pk_buf *out, const struct sh_diag *diag, struct pk_span span,
                  pk_slice hint)
{
    if (has_span(span, diag->source)) {
        add_source(out, diag, span);
        pk_buf_add_byte(out, '\n');
    }
    add_hint(out, diag, hint);
}
