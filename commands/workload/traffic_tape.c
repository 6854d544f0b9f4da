#include "commands/workload/traffic_tape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/api/json_out.h"
#include "commands/args.h"
#include "commands/wire.h"
#include "engine/item.h"

#define HEAD "pksk traffic "
enum { VERSION = 1 };

/* ---- writing --------------------------------------------------------------------------------- */

void traffic_tape_write_head(struct pk_buf *out)
{
    pk_buf_printf(out, HEAD "%d\n", VERSION);
}

void traffic_tape_write(const struct traffic_plan *plan, const struct traffic_request *request,
                        int64_t at_ms, struct pk_buf *out)
{
    pk_buf_printf(out, "%lld %s %llu %s {", (long long)at_ms, traffic_op_name(request->op),
                  (unsigned long long)traffic_plan_size(plan, request),
                  traffic_plan_strong(plan, request) ? "strong" : "eventual");
    traffic_plan_attributes(plan, request, out);
    pk_buf_add_cstr(out, "}\n");
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct traffic_tape *tape;
    const struct pk_table *table;
    size_t line;
    struct pk_error *err;
};

static enum pk_code bad_line(const struct reader *reader, const char *what)
{
    return pk_fail(reader->err, PK_E_USAGE, "line %zu: %s", reader->line, what);
}

/* The text up to the next blank, which is taken, too. */
static pk_slice take_word(pk_slice *rest)
{
    const char *blank = rest->len == 0 ? NULL : memchr(rest->data, ' ', rest->len);
    size_t len = blank == NULL ? rest->len : (size_t)(blank - rest->data);
    pk_slice word = pk_slice_of(rest->data, len);

    *rest = pk_slice_skip(*rest, blank == NULL ? len : len + 1);
    return word;
}

static bool read_count(pk_slice text, int64_t max, int64_t *number)
{
    *number = 0;
    return pk_slice_is(text, "0") || cmd_parse_count(text, max, number);
}

static struct pk_span end_span(const struct pk_buf *text, size_t start)
{
    return (struct pk_span){(uint32_t)start, (uint32_t)(text->len - start)};
}

/* "PK, SK" of the line's members. */
static void list_members(const cJSON *item, struct pk_buf *out)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, item)
        pk_buf_printf(out, "%s%s", out->len == 0 ? "" : ", ", node->string);
    pk_buf_add_cstr(out, "");
}

static enum pk_code missing_key(const struct reader *reader, const cJSON *item,
                                const struct pk_key_attr *attr, bool other_type)
{
    struct pk_buf list = PK_BUF_INIT;

    list_members(item, &list);
    if (other_type)
        pk_fail(reader->err, PK_E_USAGE,
                "line %zu: %.*s of table %.*s has another type than on "
                "the tape",
                reader->line, PK_FMT(attr->name), PK_FMT(reader->table->name));
    else
        pk_fail(reader->err, PK_E_USAGE,
                "line %zu: table %.*s is keyed by %.*s, which the recorded request does not have; "
                "it has %s",
                reader->line, PK_FMT(reader->table->name), PK_FMT(attr->name), list.data);
    pk_buf_release(&list);
    return PK_E_USAGE;
}

static const char *type_member(enum pk_kind type)
{
    return type == PK_NUMBER ? "N" : type == PK_BINARY ? "B" : "S";
}

/* The member of the key attribute, in the type the table has it in. */
static enum pk_code find_member(const struct reader *reader, const cJSON *item,
                                const struct pk_key_attr *attr, const cJSON **value)
{
    char *name = pk_memdup_cstr(attr->name.data, attr->name.len);

    *value = cJSON_GetObjectItemCaseSensitive(item, name);
    free(name);
    if (*value == NULL)
        return missing_key(reader, item, attr, false);
    if (cmd_wire_text(*value, type_member(attr->type)).data == NULL)
        return missing_key(reader, item, attr, true);
    return PK_OK;
}

static void write_member(struct pk_buf *text, const cJSON *node)
{
    json_out_member(text, node->string);
    cmd_wire_print(text, node);
}

/* A member begins with a comma unless it is the first of its object; this makes it that. */
static size_t begin_members(struct pk_buf *text)
{
    pk_buf_add_byte(text, '{');
    return text->len;
}

static enum pk_code take_key(const struct reader *reader, const cJSON *item,
                             struct traffic_tape_entry *entry)
{
    const struct pk_key_schema *key = &reader->table->key;
    struct pk_buf *text = &reader->tape->text;
    const cJSON *hash = NULL, *range = NULL;
    size_t start;
    enum pk_code rc = find_member(reader, item, &key->hash[0], &hash);

    if (rc == PK_OK && key->range_count > 0)
        rc = find_member(reader, item, &key->range[0], &range);
    if (rc != PK_OK)
        return rc;
    start = text->len;
    cmd_wire_print(text, hash);
    entry->hash = end_span(text, start);
    start = begin_members(text);
    write_member(text, hash);
    if (range != NULL)
        write_member(text, range);
    entry->key = end_span(text, start);
    start = begin_members(text);
    for (const cJSON *node = item->child; node != NULL; node = node->next)
        if (node != hash && node != range)
            write_member(text, node);
    entry->rest = end_span(text, start);
    return PK_OK;
}

static enum pk_code take_item(const struct reader *reader, pk_slice json,
                              struct traffic_tape_entry *entry)
{
    struct pk_arena arena = PK_ARENA_INIT;
    cJSON *item = cmd_wire_parse(json);
    pk_value map = item == NULL ? pk_value_missing() : cmd_wire_read_item(&arena, item);
    enum pk_code rc;

    if (pk_value_kind(map) != PK_MAP || !cmd_wire_is_whole(map))
        rc = bad_line(reader, "the request's attributes are no typed JSON");
    else
        rc = take_key(reader, item, entry);
    if (rc == PK_OK)
        entry->bytes = (uint32_t)pk_view_item_size(pk_view_of(&arena, map));
    cJSON_Delete(item);
    pk_arena_release(&arena);
    return rc;
}

static enum pk_code take_line(const struct reader *reader, pk_slice line)
{
    struct traffic_tape *tape = reader->tape;
    struct traffic_tape_entry entry = {.at_ms = 0};
    pk_slice consistency;
    int64_t size = 0;

    if (!read_count(take_word(&line), PK_CLOCK_MAX_MS, &entry.at_ms))
        return bad_line(reader, "it does not begin with a time in milliseconds");
    if (!traffic_op_parse(take_word(&line), &entry.op))
        return bad_line(reader, "its operation is not get, put, edit or query");
    if (!read_count(take_word(&line), TRAFFIC_SIZE_MAX, &size))
        return bad_line(reader, "its size is no number of bytes up to 409600");
    consistency = take_word(&line);
    entry.strong = pk_slice_is(consistency, "strong");
    if (!entry.strong && !pk_slice_is(consistency, "eventual"))
        return bad_line(reader, "expected strong or eventual");
    if (tape->count == TRAFFIC_TAPE_MAX)
        return bad_line(reader, "a replay takes up to 1000000 requests");
    entry.size = (uint32_t)size;
    if (tape->count > 0 && tape->entries[tape->count - 1].at_ms > entry.at_ms)
        entry.at_ms = tape->entries[tape->count - 1].at_ms;
    if ((tape->count & (tape->count + 1)) == 0 || tape->entries == NULL)
        tape->entries = pk_realloc(tape->entries, 2 * tape->count + 2, sizeof(*tape->entries));
    tape->entries[tape->count++] = entry;
    return take_item(reader, line, &tape->entries[tape->count - 1]);
}

static enum pk_code take_head(const struct reader *reader, pk_slice line)
{
    int64_t version;
    pk_slice number = pk_slice_skip(line, sizeof(HEAD) - 1);

    if (!pk_slice_starts(line, PK_LIT(HEAD)) || !cmd_parse_count(number, INT32_MAX, &version))
        return pk_fail(reader->err, PK_E_USAGE,
                       "it is no recorded traffic: the first line is not '" HEAD "1'");
    if (version > VERSION)
        return pk_fail(reader->err, PK_E_USAGE, "it was recorded by a later pksk");
    return PK_OK;
}

static enum pk_code take_lines(struct reader *reader, pk_slice text)
{
    enum pk_code rc = PK_OK;

    while (text.len > 0 && rc == PK_OK) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.data);
        pk_slice line = pk_slice_of(text.data, len);

        if (line.len > 0 && line.data[line.len - 1] == '\r')
            line.len--;
        reader->line++;
        if (reader->line == 1)
            rc = take_head(reader, line);
        else if (line.len > 0)
            rc = take_line(reader, line);
        text = pk_slice_skip(text, end == NULL ? len : len + 1);
    }
    if (rc == PK_OK && reader->tape->count == 0)
        rc = pk_fail(reader->err, PK_E_USAGE, "it holds no request");
    return rc;
}

static enum pk_code read_file(const char *path, struct pk_buf *text, struct pk_error *err)
{
    FILE *file = fopen(path, "re");
    size_t got = 1;
    int failure;

    if (file == NULL)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    while (got > 0 && text->len <= TRAFFIC_TAPE_BYTES_MAX) {
        got = fread(pk_buf_reserve(text, 1 << 16), 1, 1 << 16, file);
        text->len += got;
    }
    failure = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (failure != 0)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(failure));
    if (text->len > TRAFFIC_TAPE_BYTES_MAX)
        return pk_fail(err, PK_E_USAGE, "it is larger than %d MB", TRAFFIC_TAPE_BYTES_MAX >> 20);
    return PK_OK;
}

enum pk_code traffic_tape_load(struct traffic_tape *tape, const char *path,
                               const struct pk_table *table, struct pk_error *err)
{
    struct reader reader = {.tape = tape, .table = table, .err = err};
    struct pk_buf text = PK_BUF_INIT;
    enum pk_code rc;

    *tape = (struct traffic_tape){.count = 0};
    rc = read_file(path, &text, err);
    if (rc == PK_OK)
        rc = take_lines(&reader, pk_buf_slice(&text));
    pk_buf_release(&text);
    if (rc != PK_OK)
        traffic_tape_release(tape);
    return rc;
}

void traffic_tape_release(struct traffic_tape *tape)
{
    free(tape->entries);
    pk_buf_release(&tape->text);
    *tape = (struct traffic_tape){.count = 0};
}
