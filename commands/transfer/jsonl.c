/*
 * Plain JSON (spec §5): lines, an array, or a sequence of objects, marshalled: string S, number N
 * (as it is written), true and false BOOL, null NULL, array L, object M.
 *
 * Plain JSON has no sets and no binaries: writing makes arrays and base64 text of them and says so.
 */
#include "commands/transfer/transfer.h"

#include "commands/transfer/json_scan.h"
#include "commands/transfer/mapping.h"
#include "commands/transfer/transfer_export.h"

static bool detect(pk_slice text, pk_slice extension)
{
    size_t pos = json_scan_blanks(text, 0);

    (void)extension;
    return pos < text.len && (text.data[pos] == '{' || text.data[pos] == '[');
}

/* ---- reading --------------------------------------------------------------------------------- */

struct json_rows {
    struct transfer *transfer;
    struct transfer_table *table;
    uint64_t number;  /* of the next row */
    pk_slice *wanted; /* columns of the templates that no row has had yet */
    size_t wanted_count;
    bool templates;
};

/* A column is there, be it empty. */
static void have_column(struct json_rows *rows, pk_slice name)
{
    for (size_t i = 0; i < rows->wanted_count; i++) {
        if (pk_slice_equal(rows->wanted[i], name))
            rows->wanted[i--] = rows->wanted[--rows->wanted_count];
    }
}

/* The members as text, for templates: what has no text is an empty column. Those of an object in
 * it are info.rating. */
static void add_texts(struct json_rows *rows, struct pk_member_vec *vec, pk_slice before,
                      pk_value item)
{
    struct pk_arena *arena = &rows->transfer->scratch;

    for (uint32_t i = 0; i < item.len; i++) {
        const struct pk_member *member = &item.u.members[i];
        enum pk_kind kind = pk_value_kind(member->value);
        pk_value text = member->value;
        pk_slice name = member->name;

        if (before.len > 0)
            name = pk_arena_printf(arena, "%.*s.%.*s", PK_FMT(before), PK_FMT(name));
        if (kind == PK_MAP) {
            add_texts(rows, vec, name, member->value);
            continue;
        }
        if (kind == PK_NUMBER || kind == PK_BOOL) {
            struct pk_buf out = PK_BUF_INIT;

            transfer_plain_json(&out, member->value);
            text = pk_value_string(pk_arena_dup(arena, pk_buf_slice(&out)));
            pk_buf_release(&out);
        }
        have_column(rows, name);
        if (pk_value_kind(text) == PK_STRING)
            pk_member_vec_add(vec, arena, name, text);
    }
}

/* The object at *pos as a row. */
static enum pk_code read_row(struct json_rows *rows, size_t *pos, struct pk_error *err)
{
    struct transfer *transfer = rows->transfer;
    struct transfer_row row = {.number = rows->number++, .pos = *pos};
    struct pk_member_vec texts = {0};
    enum pk_code rc = transfer_parse(transfer, &transfer->scratch, pos, &row.item, err);

    if (rc != PK_OK)
        return rc;
    if (pk_value_kind(row.item) != PK_MAP) {
        pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)row.pos, 1},
                   "expected an object, found a value of type %s",
                   pk_kind_tag(pk_value_kind(row.item)));
        return transfer_file_place(&transfer->file, err);
    }
    if (rows->templates)
        add_texts(rows, &texts, PK_LIT(""), row.item);
    row.texts = pk_value_map(texts.data, texts.len);
    transfer_row_add(transfer, rows->table, &row);
    pk_arena_clear(&transfer->scratch);
    return PK_OK;
}

static enum pk_code expected(struct transfer *transfer, size_t pos, const char *what,
                             struct pk_error *err)
{
    pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)pos, 1}, "expected %s", what);
    return transfer_file_place(&transfer->file, err);
}

/* From the opening bracket on, element by element, so that a large array is never whole in memory.
 */
static enum pk_code read_array(struct json_rows *rows, size_t *pos, struct pk_error *err)
{
    pk_slice text = rows->transfer->file.text;

    *pos = json_scan_blanks(text, *pos + 1);
    if (*pos < text.len && text.data[*pos] == ']') {
        *pos += 1;
        return PK_OK;
    }
    for (;;) {
        enum pk_code rc = read_row(rows, pos, err);

        if (rc != PK_OK)
            return rc;
        *pos = json_scan_blanks(text, *pos);
        if (*pos < text.len && text.data[*pos] == ']') {
            *pos += 1;
            return PK_OK;
        }
        if (*pos >= text.len || text.data[*pos] != ',')
            return expected(rows->transfer, *pos, "',' or ']'", err);
        *pos = json_scan_blanks(text, *pos + 1);
    }
}

static enum pk_code read_rows(struct json_rows *rows, struct pk_error *err)
{
    pk_slice text = rows->transfer->file.text;
    size_t pos = json_scan_blanks(text, 0);

    while (pos < text.len) {
        enum pk_code rc =
            text.data[pos] == '[' ? read_array(rows, &pos, err) : read_row(rows, &pos, err);

        if (rc != PK_OK)
            return rc;
        pos = json_scan_blanks(text, pos);
    }
    if (rows->number > 0 && rows->wanted_count > 0)
        return transfer_no_column(rows->transfer, rows->wanted[0], err);
    return PK_OK;
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    const struct transfer_options *options = transfer->options;
    struct pk_arena arena = PK_ARENA_INIT;
    struct json_rows rows = {
        .transfer = transfer,
        .table = transfer_table_get(transfer, PK_LIT("")),
        .templates = options->set_count > 0 || options->map != NULL,
    };
    enum pk_code rc;

    if (options->map != NULL)
        transfer_map_define(options->map, rows.table);
    rows.wanted = transfer_columns_used(transfer, &arena, &rows.wanted_count);
    rc = read_rows(&rows, err);
    pk_arena_release(&arena);
    return rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum pk_code write_file(struct transfer_export *export, struct pk_error *err)
{
    pk_view view;
    uint64_t changed = 0;
    enum pk_code rc;

    while ((rc = transfer_export_next(export, &view, err)) == PK_OK && view.len != 0) {
        struct pk_arena arena = PK_ARENA_INIT;
        pk_value item = pk_view_decode(&arena, view);

        changed += !transfer_is_plain(item);
        transfer_plain_json(&export->out, item);
        pk_buf_add_byte(&export->out, '\n');
        pk_arena_release(&arena);
        rc = transfer_export_flush(export, err);
        if (rc != PK_OK)
            return rc;
    }
    if (changed > 0) {
        transfer_export_note(export,
                             "plain JSON has no sets and no binaries: in %llu of the items they "
                             "became arrays and base64 text",
                             (unsigned long long)changed);
        transfer_export_hint(export, "`format dynamodb` keeps every type");
    }
    return rc;
}

const struct transfer_format transfer_jsonl = {
    .name = "jsonl",
    .also = "json ndjson",
    .extensions = "jsonl ndjson",
    .detect = detect,
    .read = read_file,
    .write = write_file,
};
