#include "commands/transfer/template.h"

#include "commands/language/lex.h"
#include "engine/num.h"

enum { TEXT_MAX = 4096 }; /* bounds the parts, which are written recursively */

enum part_kind { PART_TEXT, PART_LIST, PART_COLUMN };

/* Whole numbers, both ends inclusive. */
struct range {
    int64_t from, to;
    int width; /* 0: no leading zeros */
};

struct element {
    bool is_range;
    struct range range;
    pk_slice text; /* no range */
};

struct part {
    enum part_kind kind;
    pk_slice text; /* TEXT; COLUMN: its name */
    /* LIST */
    struct element *elements;
    size_t element_count;
    /* COLUMN */
    int64_t modulo; /* 0: the text as it is */
    int64_t add;
    bool has_then;
    pk_slice then; /* stands for the column when it is not empty */
    struct part *next;
};

struct cmd_template {
    struct part *first;
};

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct pk_arena *arena;
    pk_slice text;
    enum cmd_template_use use;
    struct cmd_template *template;
    struct part *last;
};

static struct part *add_part(struct reader *reader, enum part_kind kind)
{
    struct part *part = PK_NEW(reader->arena, struct part);

    part->kind = kind;
    if (reader->last == NULL)
        reader->template->first = part;
    else
        reader->last->next = part;
    reader->last = part;
    return part;
}

/* A decimal whole number of at most 18 digits that fills the text. */
static bool read_int(pk_slice text, int64_t *out)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    int64_t value = 0;

    if (negative)
        text = pk_slice_skip(text, 1);
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *out = negative ? -value : value;
    return true;
}

static bool find(pk_slice text, const char *what, size_t *pos)
{
    const char *hit = text.len == 0 ? NULL : memmem(text.data, text.len, what, strlen(what));

    if (hit == NULL)
        return false;
    *pos = (size_t)(hit - text.data);
    return true;
}

/* 1..300, 00..09: the width is kept when either end is written with leading zeros. */
static bool read_range(pk_slice text, struct range *range)
{
    size_t dots;
    pk_slice low, high;

    if (!find(text, "..", &dots))
        return false;
    low = pk_slice_of(text.data, dots);
    high = pk_slice_skip(text, dots + 2);
    if (!read_int(low, &range->from) || !read_int(high, &range->to) || range->to < range->from)
        return false;
    range->width = 0;
    if ((low.len > 1 && low.data[0] == '0') || (high.len > 1 && high.data[0] == '0'))
        range->width = (int)(low.len > high.len ? low.len : high.len);
    return true;
}

static void add_element(struct part *list, pk_slice text)
{
    struct element *element = &list->elements[list->element_count++];

    element->text = text;
    element->is_range = read_range(text, &element->range);
}

/* a,b,c or 1..300 or 1,1000..1299 */
static bool read_list(struct reader *reader, pk_slice body)
{
    struct range alone;
    size_t count = 1;
    struct part *part;

    for (size_t i = 0; i < body.len; i++)
        count += body.data[i] == ',';
    if (count == 1 && !read_range(body, &alone))
        return false;
    part = add_part(reader, PART_LIST);
    part->elements = PK_NEW_ARRAY(reader->arena, struct element, count);
    for (size_t comma; find(body, ",", &comma); body = pk_slice_skip(body, comma + 1))
        add_element(part, pk_slice_of(body.data, comma));
    add_element(part, body);
    return true;
}

/* N or N+K after the '%'. */
static bool read_modulo(pk_slice text, struct part *part)
{
    size_t plus;

    if (!find(text, "+", &plus))
        return read_int(text, &part->modulo) && part->modulo > 0;
    return read_int(pk_slice_of(text.data, plus), &part->modulo) && part->modulo > 0 &&
           read_int(pk_slice_skip(text, plus + 1), &part->add);
}

static bool read_column(struct reader *reader, pk_slice body)
{
    struct part *part;
    size_t at;

    if (reader->use != CMD_TEMPLATE_ROWS || body.len == 0)
        return false;
    part = add_part(reader, PART_COLUMN);
    part->text = body;
    if (find(body, "?", &at)) {
        part->has_then = true;
        part->text = pk_slice_of(body.data, at);
        part->then = pk_slice_skip(body, at + 1);
        return part->text.len != 0;
    }
    if (find(body, "%", &at)) {
        struct part arithmetic = {0};

        if (read_modulo(pk_slice_skip(body, at + 1), &arithmetic)) {
            part->text = pk_slice_of(body.data, at);
            part->modulo = arithmetic.modulo;
            part->add = arithmetic.add;
        }
    }
    return true;
}

static enum pk_code read_braces(struct reader *reader, size_t *pos, struct pk_error *err)
{
    pk_slice rest = pk_slice_skip(reader->text, *pos + 1);
    struct pk_span span = {(uint32_t)*pos, 1};
    pk_slice body;
    size_t len;

    if (!find(rest, "}", &len))
        return pk_fail_at(err, PK_E_USAGE, span, "{ is never closed");
    body = pk_slice_of(rest.data, len);
    span.len = (uint32_t)len + 2;
    *pos += len + 2;
    if (read_list(reader, body) || read_column(reader, body))
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, span, "'{%.*s}' is no list of a template", PK_FMT(body));
    pk_error_hint(err, "a list is written {1..300}, {00..09}, {a,b,c} or {1,1000..1299}");
    return PK_E_USAGE;
}

enum pk_code cmd_template_parse(struct pk_arena *arena, pk_slice text, enum cmd_template_use use,
                                const struct cmd_template **out, struct pk_error *err)
{
    struct cmd_template *template = PK_NEW(arena, struct cmd_template);
    struct reader reader = {.arena = arena, .text = text, .use = use, .template = template};

    if (text.len > TEXT_MAX)
        return pk_fail_at(err, PK_E_USAGE, (struct pk_span){0, (uint32_t)text.len},
                          "a template has at most %d bytes", TEXT_MAX);
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        enum pk_code rc;

        while (pos < text.len && text.data[pos] != '{')
            pos++;
        if (pos > start)
            add_part(&reader, PART_TEXT)->text = pk_slice_of(text.data + start, pos - start);
        if (pos == text.len)
            break;
        if (pk_slice_starts(pk_slice_skip(text, pos), PK_LIT("{{"))) {
            add_part(&reader, PART_TEXT)->text = pk_slice_of(text.data + pos, 1);
            pos += 2;
            continue;
        }
        rc = read_braces(&reader, &pos, err);
        if (rc != PK_OK)
            return rc;
    }
    *out = template;
    return PK_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint64_t element_size(const struct element *element)
{
    return element->is_range ? (uint64_t)(element->range.to - element->range.from) + 1 : 1;
}

/* Elements of a list; 1 for everything else. */
static uint64_t part_count(const struct part *part)
{
    uint64_t count = 0;

    if (part->kind != PART_LIST)
        return 1;
    for (size_t i = 0; i < part->element_count; i++) {
        if (__builtin_add_overflow(count, element_size(&part->elements[i]), &count))
            return UINT64_MAX;
    }
    return count;
}

size_t cmd_template_end(pk_slice text, size_t start)
{
    size_t depth = 0, end = start;

    while (end < text.len && (depth > 0 || cmd_blank_length(text, end) == 0)) {
        depth += text.data[end] == '{';
        depth -= text.data[end] == '}' && depth > 0;
        end++;
    }
    return end;
}

uint64_t cmd_template_count(const struct cmd_template *template)
{
    uint64_t count = 1;

    for (const struct part *part = template->first; part != NULL; part = part->next) {
        if (__builtin_mul_overflow(count, part_count(part), &count))
            return UINT64_MAX;
    }
    return count;
}

/* n below the part's count. */
static void add_nth(const struct part *part, uint64_t n, struct pk_buf *out)
{
    const struct element *element = part->elements;

    if (part->kind != PART_LIST) {
        pk_buf_add(out, part->text);
        return;
    }
    for (; n >= element_size(element); element++)
        n -= element_size(element);
    if (element->is_range)
        pk_buf_printf(out, "%0*lld", element->range.width,
                      (long long)element->range.from + (long long)n);
    else
        pk_buf_add(out, element->text);
}

/* The lists are the digits of n, the last one the lowest. */
static uint64_t add_from(const struct part *part, uint64_t n, struct pk_buf *out)
{
    struct pk_buf tail = PK_BUF_INIT;
    uint64_t count;

    if (part == NULL)
        return n;
    count = part_count(part);
    n = add_from(part->next, n, &tail);
    add_nth(part, n % count, out);
    pk_buf_add(out, pk_buf_slice(&tail));
    pk_buf_release(&tail);
    return n / count;
}

void cmd_template_nth(const struct cmd_template *template, uint64_t n, struct pk_buf *out)
{
    (void)add_from(template->first, n, out);
}

static enum pk_code add_column(const struct part *part, const struct cmd_template_row *row,
                               struct pk_buf *out, bool *empty, struct pk_error *err)
{
    pk_slice text = row->column(row->context, part->text);
    int64_t number;

    if (text.len == 0) {
        *empty = true;
        return PK_OK;
    }
    if (part->has_then) {
        pk_buf_add(out, part->then);
        return PK_OK;
    }
    if (part->modulo == 0) {
        pk_buf_add(out, text);
        return PK_OK;
    }
    if (!read_int(text, &number))
        return pk_fail(err, PK_E_USAGE, "column '%.*s' is '%.*s': %% needs a whole number",
                       PK_FMT(part->text), PK_FMT(text));
    number %= part->modulo;
    if (number < 0)
        number += part->modulo;
    pk_buf_printf(out, "%lld", (long long)(number + part->add));
    return PK_OK;
}

enum pk_code cmd_template_fill(const struct cmd_template *template,
                               const struct cmd_template_row *row, struct pk_buf *out, bool *empty,
                               struct pk_error *err)
{
    *empty = false;
    for (const struct part *part = template->first; part != NULL; part = part->next) {
        enum pk_code rc = PK_OK;

        if (part->kind == PART_COLUMN)
            rc = add_column(part, row, out, empty, err);
        else
            add_nth(part, row->number % part_count(part), out);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

pk_slice cmd_template_column(const struct cmd_template *template, size_t i)
{
    for (const struct part *part = template->first; part != NULL; part = part->next) {
        if (part->kind == PART_COLUMN && i-- == 0)
            return part->text;
    }
    return (pk_slice){NULL, 0};
}
