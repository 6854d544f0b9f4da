/* Placeholders of a request, and expressions built piece by piece with the way back to the source.
 */
#include "commands/language/rewrite.h"

#include "commands/wire.h"

/* ---- placeholders ---------------------------------------------------------------------------- */

enum { READABLE_MAX = 64 }; /* longer names become #n1, … */

void cmd_rewriter_init(struct cmd_rewriter *rewriter, pk_slice source, struct pk_arena *arena)
{
    *rewriter = (struct cmd_rewriter){.source = source, .arena = arena};
}

static void grow(struct pk_arena *arena, struct cmd_placeholder **list, size_t count, size_t *cap)
{
    struct cmd_placeholder *grown;

    if (count < *cap)
        return;
    *cap = *cap == 0 ? 8 : *cap * 2;
    grown = PK_NEW_ARRAY(arena, struct cmd_placeholder, *cap);
    if (count > 0)
        memcpy(grown, *list, count * sizeof(*grown));
    *list = grown;
}

static bool key_taken(const struct cmd_rewriter *rewriter, pk_slice key)
{
    for (size_t i = 0; i < rewriter->name_count; i++) {
        if (pk_slice_equal(rewriter->names[i].key, key))
            return true;
    }
    return false;
}

/* #total for total, so that what explain prints can be read; #n1 where the name will not do. */
static pk_slice name_key(struct cmd_rewriter *rewriter, pk_slice name)
{
    pk_slice key = {NULL, 0};

    if (cmd_is_name(name) && name.len <= READABLE_MAX)
        key = pk_arena_printf(rewriter->arena, "#%.*s", PK_FMT(name));
    for (size_t n = rewriter->name_count + 1; key.data == NULL || key_taken(rewriter, key); n++)
        key = pk_arena_printf(rewriter->arena, "#n%zu", n);
    return key;
}

pk_slice cmd_rewriter_name(struct cmd_rewriter *rewriter, pk_slice name)
{
    struct cmd_placeholder *added;

    for (size_t i = 0; i < rewriter->name_count; i++) {
        if (pk_slice_equal(rewriter->names[i].name, name))
            return rewriter->names[i].key;
    }
    grow(rewriter->arena, &rewriter->names, rewriter->name_count, &rewriter->name_cap);
    added = &rewriter->names[rewriter->name_count];
    added->key = name_key(rewriter, name);
    added->name = name;
    rewriter->name_count++;
    return added->key;
}

pk_slice cmd_rewriter_value(struct cmd_rewriter *rewriter, pk_value value)
{
    struct cmd_placeholder *added;

    grow(rewriter->arena, &rewriter->values, rewriter->value_count, &rewriter->value_cap);
    added = &rewriter->values[rewriter->value_count++];
    added->key = pk_arena_printf(rewriter->arena, ":v%zu", rewriter->value_count);
    added->value = value;
    return added->key;
}

void cmd_rewriter_attach(const struct cmd_rewriter *rewriter, struct cJSON *request)
{
    for (size_t i = 0; i < rewriter->name_count; i++) {
        cJSON *names = cmd_wire_object(request, "ExpressionAttributeNames");

        cmd_wire_set_text(names, rewriter->names[i].key.data, rewriter->names[i].name);
    }
    for (size_t i = 0; i < rewriter->value_count; i++) {
        cJSON *values = cmd_wire_object(request, "ExpressionAttributeValues");

        cmd_wire_set(values, rewriter->values[i].key.data,
                     cmd_wire_value(rewriter->values[i].value));
    }
}

/* ---- building -------------------------------------------------------------------------------- */

void cmd_expression_add(struct cmd_expression_builder *builder, struct pk_arena *arena,
                        pk_slice text, struct pk_span source)
{
    uint32_t start = (uint32_t)builder->text.len;

    pk_buf_add(&builder->text, text);
    if (source.len == 0)
        return;
    if (builder->piece_count == builder->piece_cap) {
        size_t cap = builder->piece_count == 0 ? 8 : builder->piece_count * 2;
        struct cmd_piece *more = PK_NEW_ARRAY(arena, struct cmd_piece, cap);

        if (builder->piece_count > 0)
            memcpy(more, builder->pieces, builder->piece_count * sizeof(*more));
        builder->pieces = more;
        builder->piece_cap = cap;
    }
    builder->pieces[builder->piece_count++] =
        (struct cmd_piece){start, (uint32_t)builder->text.len, source};
}

void cmd_expression_finish(struct cmd_expression_builder *builder, struct pk_arena *arena,
                           struct cmd_expression *out)
{
    *out = (struct cmd_expression){
        .text = pk_arena_dup(arena, pk_buf_slice(&builder->text)),
        .pieces = builder->pieces,
        .piece_count = builder->piece_count,
        .mentions = builder->mentions,
        .mention_count = builder->mention_count,
        .alternatives = builder->alternatives,
    };
    pk_buf_release(&builder->text);
}

struct pk_span cmd_expression_source(const struct cmd_expression *expression, struct pk_span span)
{
    uint32_t end = span.start + (span.len == 0 ? 1 : span.len);
    uint32_t first = UINT32_MAX, last = 0;

    if (expression->piece_count > 0 && span.start >= expression->text.len) {
        struct pk_span source = expression->pieces[expression->piece_count - 1].source;

        return (struct pk_span){source.start + source.len, 1}; /* something is missing there */
    }
    for (size_t i = 0; i < expression->piece_count; i++) {
        const struct cmd_piece *piece = &expression->pieces[i];

        if (piece->end <= span.start || piece->start >= end)
            continue;
        if (piece->source.start < first)
            first = piece->source.start;
        if (piece->source.start + piece->source.len > last)
            last = piece->source.start + piece->source.len;
    }
    if (first >= last)
        return (struct pk_span){0, 0};
    return (struct pk_span){first, last - first};
}
