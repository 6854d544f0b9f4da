#include "commands/stream_lines.h"

#include <stdlib.h>

#include "commands/changes.h"
#include "commands/time_text.h"
#include "commands/transfer/template.h"
#include "commands/wire.h"

/* Keys of a template: more of them would be no filter that a person means. */
enum { KEYS_MAX = 100000 };

/* ---- the filter ------------------------------------------------------------------------------ */

static int compare_slices(const void *a, const void *b)
{
    const pk_slice *first = a;
    const pk_slice *second = b;

    return pk_slice_compare(*first, *second);
}

enum pk_code cmd_stream_lines_init(struct cmd_stream_lines *lines, const struct pk_key_schema *key,
                                   pk_slice keys, struct pk_arena *arena, struct pk_error *err)
{
    const struct cmd_template *template = NULL;
    struct pk_buf text = PK_BUF_INIT;
    uint64_t count;
    enum pk_code rc;

    *lines = (struct cmd_stream_lines){.key = key};
    if (keys.data == NULL)
        return PK_OK;
    rc = cmd_template_parse(arena, keys, CMD_TEMPLATE_KEYS, &template, err);
    if (rc != PK_OK)
        return rc;
    count = cmd_template_count(template);
    if (count > KEYS_MAX)
        return pk_fail(err, PK_E_USAGE, "the template names more than %d keys", KEYS_MAX);
    lines->only_count = (size_t)count;
    lines->only = PK_NEW_ARRAY(arena, pk_slice, lines->only_count);
    for (size_t i = 0; i < lines->only_count; i++) {
        pk_buf_clear(&text);
        cmd_template_nth(template, i, &text);
        lines->only[i] = pk_arena_dup(arena, pk_buf_slice(&text));
    }
    pk_buf_release(&text);
    qsort(lines->only, lines->only_count, sizeof(pk_slice), compare_slices);
    return PK_OK;
}

void cmd_stream_lines_release(struct cmd_stream_lines *lines)
{
    free(lines->lines);
    pk_arena_release(&lines->arena);
}

static bool is_wanted(const struct cmd_stream_lines *lines, pk_slice hash)
{
    return lines->only == NULL ||
           bsearch(&hash, lines->only, lines->only_count, sizeof(pk_slice), compare_slices) != NULL;
}

/* ---- one record ------------------------------------------------------------------------------ */

/* A key's value: a string without its quotes. */
static void add_key_value(struct pk_buf *out, pk_value value)
{
    if (pk_value_kind(value) == PK_STRING)
        pk_buf_add(out, pk_value_bytes(value));
    else
        cmd_value_text(out, value);
}

static bool is_key(const void *context, pk_slice name)
{
    return pk_key_schema_has(context, name);
}

static pk_value read_image(struct pk_arena *arena, const cJSON *change, const char *name)
{
    pk_value image = cmd_wire_read_item(arena, cJSON_GetObjectItemCaseSensitive(change, name));

    return pk_value_kind(image) == PK_MAP ? image : pk_value_map(NULL, 0);
}

/* A view that has one image only tells nothing about the other: then there is no difference to
 * show, but of an item that came or went. */
static void add_images(const struct cmd_stream_lines *lines, struct pk_buf *out,
                       struct pk_arena *arena, const cJSON *change, pk_slice event)
{
    pk_slice view = cmd_wire_text(change, "StreamViewType");
    const struct cmd_changes changes = {
        .before = read_image(arena, change, "OldImage"),
        .after = read_image(arena, change, "NewImage"),
        .skip = is_key,
        .context = lines->key,
        .first = "   ",
    };

    if (pk_slice_is(view, "NEW_AND_OLD_IMAGES") ||
        (pk_slice_is(view, "NEW_IMAGE") && pk_slice_is(event, "INSERT")) ||
        (pk_slice_is(view, "OLD_IMAGE") && pk_slice_is(event, "REMOVE")))
        cmd_changes_add(out, &changes);
}

static void add_time(struct pk_buf *out, const cJSON *change, bool millis)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(change, "ApproximateCreationDateTime");
    int64_t time_ms = cJSON_IsNumber(node) ? (int64_t)(node->valuedouble * 1000 + 0.5) : 0;

    pk_buf_printf(out, " %s", cmd_time_of_day(time_ms).text);
    if (millis)
        pk_buf_printf(out, ".%03d", (int)(time_ms % 1000));
}

static void add_line(struct cmd_stream_lines *lines, pk_slice sequence, pk_slice text)
{
    if (lines->count == lines->cap) {
        lines->cap = 2 * lines->cap + 64;
        lines->lines = pk_realloc(lines->lines, lines->cap, sizeof(*lines->lines));
    }
    lines->lines[lines->count++] = (struct cmd_stream_line){pk_arena_dup(&lines->arena, sequence),
                                                            pk_arena_dup(&lines->arena, text)};
}

bool cmd_stream_lines_add(struct cmd_stream_lines *lines, const cJSON *record, size_t shard)
{
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(record, "dynamodb");
    pk_slice event = cmd_wire_text(record, "eventName");
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value keys = read_image(&arena, change, "Keys");
    struct pk_buf hash = PK_BUF_INIT;
    struct pk_buf text = PK_BUF_INIT;
    bool wanted;

    add_key_value(&hash, pk_value_get(keys, lines->key->hash[0].name));
    wanted = is_wanted(lines, pk_buf_slice(&hash));
    if (wanted) {
        add_time(&text, change, lines->millis);
        pk_buf_printf(&text, "  %.*s  %.*s", PK_FMT(event), PK_FMT(pk_buf_slice(&hash)));
        if (lines->key->range_count > 0) {
            pk_buf_add_byte(&text, ' ');
            add_key_value(&text, pk_value_get(keys, lines->key->range[0].name));
        }
        pk_buf_printf(&text, "   shard %zu", shard);
        if (cJSON_GetObjectItemCaseSensitive(record, "userIdentity") != NULL)
            pk_buf_add_cstr(&text, "   by TTL");
        add_images(lines, &text, &arena, change, event);
        add_line(lines, cmd_wire_text(change, "SequenceNumber"), pk_buf_slice(&text));
    }
    pk_buf_release(&text);
    pk_buf_release(&hash);
    pk_arena_release(&arena);
    return wanted;
}

static int compare_lines(const void *a, const void *b)
{
    const struct cmd_stream_line *first = a;
    const struct cmd_stream_line *second = b;

    return pk_slice_compare(first->sequence, second->sequence);
}

void cmd_stream_lines_flush(struct cmd_stream_lines *lines, struct cmd_result *result,
                            const struct cmd_emitter *emitter)
{
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_result part;

    if (lines->count == 0)
        return;
    qsort(lines->lines, lines->count, sizeof(*lines->lines), compare_lines);
    for (size_t i = 0; i < lines->count; i++) {
        pk_buf_add_cstr(&text, i == 0 ? "" : "\n");
        pk_buf_add(&text, lines->lines[i].text);
    }
    if (emitter->show == NULL) {
        cmd_result_text(result, CMD_BLOCK_TEXT, "%.*s", PK_FMT(pk_buf_slice(&text)));
    } else {
        cmd_result_init(&part);
        cmd_result_text(&part, CMD_BLOCK_TEXT, "%.*s", PK_FMT(pk_buf_slice(&text)));
        emitter->show(emitter->context, &part);
        cmd_result_release(&part);
    }
    pk_buf_release(&text);
    lines->count = 0;
    pk_arena_release(&lines->arena);
}
