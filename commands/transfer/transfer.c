#include "commands/transfer/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "commands/api/json_out.h"
#include "commands/literal.h"
#include "commands/transfer/json_scan.h"
#include "commands/wire.h"
#include "engine/base/base64.h"
#include "engine/base/hash.h"

/* ---- formats --------------------------------------------------------------------------------- */

/* In the order in which they are asked whether a file is theirs: the particular ones first. */
static const struct transfer_format *const formats[] = {
    &transfer_workbench, &transfer_cloudformation, &transfer_dynamodb_json,
    &transfer_csv,       &transfer_jsonl,
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

bool transfer_has_word(const char *words, pk_slice word)
{
    while (words != NULL && *words != '\0') {
        size_t len = strcspn(words, " ");

        if (len == word.len && strncasecmp(words, word.data, len) == 0)
            return true;
        words += len;
        words += strspn(words, " ");
    }
    return false;
}

const struct transfer_format *transfer_format_find(pk_slice name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (transfer_has_word(formats[i]->name, name) || transfer_has_word(formats[i]->also, name))
            return formats[i];
    }
    return NULL;
}

static pk_slice last_extension(pk_slice file)
{
    for (size_t i = file.len; i > 0 && file.data[i - 1] != '/'; i--) {
        if (file.data[i - 1] == '.')
            return pk_slice_skip(file, i);
    }
    return (pk_slice){"", 0};
}

pk_slice transfer_extension(pk_slice file)
{
    pk_slice extension = last_extension(file);

    if (transfer_has_word("gz", extension))
        return last_extension(pk_slice_of(file.data, file.len - 3));
    return extension;
}

const struct transfer_format *transfer_format_for_file(pk_slice file)
{
    pk_slice extension = transfer_extension(file);

    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i]->write != NULL && transfer_has_word(formats[i]->extensions, extension))
            return formats[i];
    }
    return &transfer_dynamodb_json;
}

const struct transfer_format *transfer_format_detect(pk_slice file, pk_slice text)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i]->detect(text, transfer_extension(file)))
            return formats[i];
    }
    return NULL;
}

const struct transfer_type *transfer_type_of(const struct transfer_options *options, pk_slice name)
{
    for (size_t i = 0; i < options->type_count; i++) {
        if (pk_slice_equal(options->types[i].name, name))
            return &options->types[i];
    }
    return NULL;
}

/* ---- the transfer ---------------------------------------------------------------------------- */

void transfer_init(struct transfer *transfer, const struct transfer_options *options)
{
    *transfer = (struct transfer){.options = options};
}

void transfer_release(struct transfer *transfer)
{
    for (struct transfer_table *table = transfer->first; table != NULL; table = table->next) {
        cJSON_Delete(table->create);
        cmd_schema_free(table->schema);
        free(table->records);
    }
    transfer_file_release(&transfer->file);
    pk_arena_release(&transfer->scratch);
    pk_arena_release(&transfer->arena);
    *transfer = (struct transfer){0};
}

struct transfer_table *transfer_table_get(struct transfer *transfer, pk_slice name)
{
    struct transfer_table *table = transfer->first;

    while (table != NULL && !pk_slice_equal(table->name, name))
        table = table->next;
    if (table != NULL)
        return table;
    table = PK_NEW(&transfer->arena, struct transfer_table);
    table->name = pk_arena_dup(&transfer->arena, name);
    if (transfer->last == NULL)
        transfer->first = table;
    else
        transfer->last->next = table;
    transfer->last = table;
    return table;
}

void transfer_define(struct transfer_table *table, struct cJSON *create)
{
    cJSON_Delete(table->create);
    cmd_schema_free(table->schema);
    table->create = create;
    table->schema = cmd_schema_read(create);
}

static struct transfer_record *add_record(struct transfer *transfer, struct transfer_table *table,
                                          pk_value value, size_t pos)
{
    struct transfer_record *record;

    if (table->count == table->cap) {
        table->cap = table->cap == 0 ? 64 : 2 * table->cap;
        table->records = pk_realloc(table->records, table->cap, sizeof(*table->records));
    }
    record = &table->records[table->count++];
    *record = (struct transfer_record){.view = pk_view_of(&transfer->arena, value), .pos = pos};
    return record;
}

void transfer_put(struct transfer *transfer, struct transfer_table *table, pk_value item,
                  size_t pos)
{
    add_record(transfer, table, item, pos);
}

void transfer_delete(struct transfer *transfer, struct transfer_table *table, pk_value key,
                     size_t pos)
{
    add_record(transfer, table, key, pos)->remove = true;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void add_line(struct transfer *transfer, struct transfer_lines *lines, pk_slice place,
                     const char *format, va_list args) PK_PRINTF(4, 0);

static void add_line(struct transfer *transfer, struct transfer_lines *lines, pk_slice place,
                     const char *format, va_list args)
{
    struct pk_buf text = PK_BUF_INIT;

    if (lines->count < TRANSFER_LINES_MAX) {
        pk_buf_add(&text, place);
        pk_buf_vprintf(&text, format, args);
        lines->text[lines->count] = pk_arena_dup(&transfer->arena, pk_buf_slice(&text));
        pk_buf_release(&text);
    }
    lines->count++;
}

/* "FILE:LINE: " */
static pk_slice place_of(struct transfer *transfer, size_t pos)
{
    return pk_arena_printf(&transfer->arena, "%s:%zu: ", transfer->file.name,
                           transfer_file_line(&transfer->file, pos));
}

static bool is_full(const struct transfer_lines *lines)
{
    return lines->count >= TRANSFER_LINES_MAX;
}

void transfer_refuse(struct transfer *transfer, size_t pos, const char *format, ...)
{
    struct transfer_lines *lines = &transfer->refusals;
    va_list args;

    va_start(args, format);
    add_line(transfer, lines, is_full(lines) ? PK_LIT("") : place_of(transfer, pos), format, args);
    va_end(args);
}

PK_PRINTF(3, 4)
static void note_repair(struct transfer *transfer, size_t pos, const char *format, ...)
{
    struct transfer_lines *lines = &transfer->repairs;
    va_list args;

    va_start(args, format);
    add_line(transfer, lines, is_full(lines) ? PK_LIT("") : place_of(transfer, pos), format, args);
    va_end(args);
}

void transfer_note(struct transfer *transfer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(transfer, &transfer->notes, PK_LIT(""), format, args);
    va_end(args);
}

void transfer_hint(struct transfer *transfer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(transfer, &transfer->hints, PK_LIT(""), format, args);
    va_end(args);
}

/* ---- reading JSON ---------------------------------------------------------------------------- */

/* A value takes many times the memory of its text, so what is too long is refused before it is
 * read: in a large file an item is looked at once more. */
static enum pk_code check_length(struct transfer *transfer, const struct pk_arena *arena,
                                 size_t pos, struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    size_t most = arena == &transfer->scratch ? TRANSFER_ITEM_MAX : TRANSFER_DOCUMENT_MAX;

    if (text.len - pos <= most ||
        json_scan_value(pk_slice_of(text.data, pos + most), pos) < pos + most)
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)pos, 1},
               "a value of more than %zu MB begins here", most >> 20);
    return transfer_file_place(&transfer->file, err);
}

enum pk_code transfer_parse(struct transfer *transfer, struct pk_arena *arena, size_t *pos,
                            pk_value *value, struct pk_error *err)
{
    struct cmd_literal literal = {
        .source = transfer->file.text,
        .mode = CMD_LITERAL_JSON,
        .arena = arena,
    };
    enum pk_code rc = check_length(transfer, arena, *pos, err);

    if (rc != PK_OK)
        return rc;
    rc = cmd_literal_parse(&literal, pos, value, err);
    return rc == PK_OK ? PK_OK : transfer_file_place(&transfer->file, err);
}

/* One item being read from DynamoDB JSON that may need repair. */
struct mender {
    struct transfer *transfer;
    size_t pos;
    struct pk_buf path; /* "table 'x', Details.size" */
    bool refused;
};

static void mend_note(struct mender *mender, const char *what)
{
    if (mender->transfer->options->strict) {
        transfer_refuse(mender->transfer, mender->pos, "%.*s: %s", (int)mender->path.len,
                        mender->path.data, what);
        mender->refused = true;
        return;
    }
    note_repair(mender->transfer, mender->pos, "%.*s: %s", (int)mender->path.len, mender->path.data,
                what);
}

static pk_value mend_value(struct mender *mender, pk_value typed);

static pk_value mend_map(struct mender *mender, pk_value map)
{
    struct pk_arena *arena = &mender->transfer->scratch;
    struct pk_member_vec vec = {0};

    for (uint32_t i = 0; i < map.len; i++) {
        const struct pk_member *member = &map.u.members[i];
        size_t len = mender->path.len;

        pk_buf_printf(&mender->path, "%s%.*s",
                      len > 0 && mender->path.data[len - 1] == ' ' ? "" : ".",
                      PK_FMT(member->name));
        pk_member_vec_add(&vec, arena, member->name, mend_value(mender, member->value));
        mender->path.len = len;
    }
    return pk_value_map(vec.data, vec.len);
}

static pk_value mend_list(struct mender *mender, pk_value list)
{
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; i < list.len; i++) {
        size_t len = mender->path.len;

        pk_buf_printf(&mender->path, "[%u]", i);
        pk_value_vec_add(&vec, &mender->transfer->scratch, mend_value(mender, list.u.items[i]));
        mender->path.len = len;
    }
    return pk_value_list(vec.data, vec.len);
}

/* {"M": {"M": {…}}} whose strict reading fails. */
static bool is_wrapped_twice(pk_value inner)
{
    return pk_value_kind(inner) == PK_MAP && inner.len == 1 &&
           pk_slice_is(inner.u.members[0].name, "M") &&
           pk_value_kind(inner.u.members[0].value) == PK_MAP;
}

static pk_value mend_value(struct mender *mender, pk_value typed)
{
    struct pk_error err = PK_ERROR_INIT;
    pk_value out = typed;
    pk_value inner;

    if (!cmd_literal_is_typed(typed)) {
        mend_note(mender, "plain JSON, marshalled");
        return typed;
    }
    if (cmd_literal_from_typed(&mender->transfer->scratch, typed, &out, &err) == PK_OK)
        return out;
    inner = typed.u.members[0].value;
    if (is_wrapped_twice(inner)) {
        mend_note(mender, "a map wrapped twice, unwrapped");
        out = mend_map(mender, inner.u.members[0].value);
    } else if (pk_slice_is(typed.u.members[0].name, "M") && pk_value_kind(inner) == PK_MAP) {
        out = mend_map(mender, inner);
    } else if (pk_slice_is(typed.u.members[0].name, "L") && pk_value_kind(inner) == PK_LIST) {
        out = mend_list(mender, inner);
    } else {
        transfer_refuse(mender->transfer, mender->pos, "%.*s: %s", (int)mender->path.len,
                        mender->path.data, err.message);
        mender->refused = true;
    }
    pk_error_release(&err);
    return out;
}

bool transfer_typed_item(struct transfer *transfer, pk_value typed, size_t pos, pk_slice where,
                         pk_value *item)
{
    struct pk_error err = PK_ERROR_INIT;
    struct mender mender = {.transfer = transfer, .pos = pos};

    if (pk_value_kind(typed) != PK_MAP) {
        where.len -= strlen("attribute "); /* what it ends with */
        transfer_refuse(transfer, pos, "%.*sthe item is no object", PK_FMT(where));
        return false;
    }
    if (cmd_literal_item_from_typed(&transfer->scratch, typed, item, &err) == PK_OK)
        return true;
    pk_error_release(&err);
    pk_buf_add(&mender.path, where);
    *item = mend_map(&mender, typed);
    pk_buf_release(&mender.path);
    return !mender.refused;
}

uint64_t transfer_digest(pk_view item)
{
    return pk_hash_md5_64('\0', item);
}

/* ---- JSON of plain values -------------------------------------------------------------------- */

bool transfer_is_plain(pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_BINARY:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
        return false;
    case PK_LIST:
        for (uint32_t i = 0; i < value.len; i++) {
            if (!transfer_is_plain(value.u.items[i]))
                return false;
        }
        return true;
    case PK_MAP:
        for (uint32_t i = 0; i < value.len; i++) {
            if (!transfer_is_plain(value.u.members[i].value))
                return false;
        }
        return true;
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
    case PK_STRING:
        return true;
    }
    return true;
}

static void plain_scalar(struct pk_buf *out, pk_value value)
{
    struct pk_buf text = PK_BUF_INIT;
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;

    switch (pk_value_kind(value)) {
    case PK_BOOL:
        json_out_bool(out, value.boolean != 0);
        break;
    case PK_NUMBER:
        num = pk_value_num(value);
        pk_buf_add(out, pk_slice_of(digits, pk_num_format(&num, digits)));
        break;
    case PK_STRING:
        json_out_string(out, pk_value_bytes(value));
        break;
    case PK_BINARY:
        pk_base64_encode(&text, pk_value_bytes(value));
        json_out_string(out, pk_buf_slice(&text));
        pk_buf_release(&text);
        break;
    case PK_MISSING:
    case PK_NULL:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        pk_buf_add_cstr(out, "null");
        break;
    }
}

void transfer_plain_json(struct pk_buf *out, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
        pk_buf_add_byte(out, '[');
        for (uint32_t i = 0; i < value.len; i++) {
            json_out_element(out);
            transfer_plain_json(out, value.u.items[i]);
        }
        pk_buf_add_byte(out, ']');
        break;
    case PK_MAP:
        pk_buf_add_byte(out, '{');
        for (uint32_t i = 0; i < value.len; i++) {
            json_out_member_slice(out, value.u.members[i].name);
            transfer_plain_json(out, value.u.members[i].value);
        }
        pk_buf_add_byte(out, '}');
        break;
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_NUMBER:
    case PK_STRING:
    case PK_BINARY:
        plain_scalar(out, value);
        break;
    }
}

struct cJSON *transfer_cjson(pk_value plain)
{
    struct pk_buf text = PK_BUF_INIT;
    struct cJSON *tree;

    transfer_plain_json(&text, plain);
    tree = cmd_wire_parse(pk_buf_slice(&text));
    pk_buf_release(&text);
    if (tree == NULL)
        pk_bug("our own JSON is not JSON");
    return tree;
}
