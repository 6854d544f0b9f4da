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

/* The members as text, for templates: what has no text is an empty column. */
static pk_value texts_of(struct pk_arena *arena, pk_value item)
{
    struct pk_member_vec vec = {0};

    for (uint32_t i = 0; i < item.len; i++) {
        const struct pk_member *member = &item.u.members[i];
        enum pk_kind kind = pk_value_kind(member->value);
        pk_value text = member->value;

        if (kind == PK_NUMBER || kind == PK_BOOL) {
            struct pk_buf out = PK_BUF_INIT;

            transfer_plain_json(&out, member->value);
            text = pk_value_string(pk_arena_dup(arena, pk_buf_slice(&out)));
            pk_buf_release(&out);
        }
        if (pk_value_kind(text) == PK_STRING)
            pk_member_vec_add(&vec, arena, member->name, text);
    }
    return pk_value_map(vec.data, vec.len);
}

/* The object at *pos as a row. */
static enum pk_code read_row(struct transfer *transfer, struct transfer_table *table, size_t *pos,
                             uint64_t number, struct pk_error *err)
{
    struct transfer_row row = {.number = number, .pos = *pos};
    enum pk_code rc = transfer_parse(transfer, &transfer->scratch, pos, &row.item, err);

    if (rc != PK_OK)
        return rc;
    if (pk_value_kind(row.item) != PK_MAP) {
        pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)row.pos, 1},
                   "expected an object, found a value of type %s",
                   pk_kind_tag(pk_value_kind(row.item)));
        return transfer_file_place(&transfer->file, err);
    }
    row.texts = texts_of(&transfer->scratch, row.item);
    transfer_row_add(transfer, table, &row);
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
static enum pk_code read_array(struct transfer *transfer, struct transfer_table *table, size_t *pos,
                               struct pk_error *err)
{
    pk_slice text = transfer->file.text;
    uint64_t number = 0;

    *pos = json_scan_blanks(text, *pos + 1);
    if (*pos < text.len && text.data[*pos] == ']') {
        *pos += 1;
        return PK_OK;
    }
    for (;;) {
        enum pk_code rc = read_row(transfer, table, pos, number++, err);

        if (rc != PK_OK)
            return rc;
        *pos = json_scan_blanks(text, *pos);
        if (*pos < text.len && text.data[*pos] == ']') {
            *pos += 1;
            return PK_OK;
        }
        if (*pos >= text.len || text.data[*pos] != ',')
            return expected(transfer, *pos, "',' or ']'", err);
        *pos = json_scan_blanks(text, *pos + 1);
    }
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    struct transfer_table *table = transfer_table_get(transfer, PK_LIT(""));
    pk_slice text = transfer->file.text;
    size_t pos = json_scan_blanks(text, 0);
    uint64_t number = 0;

    if (transfer->options->map != NULL)
        transfer_map_define(transfer->options->map, table);
    while (pos < text.len) {
        enum pk_code rc = text.data[pos] == '[' ? read_array(transfer, table, &pos, err)
                                                : read_row(transfer, table, &pos, number++, err);

        if (rc != PK_OK)
            return rc;
        pos = json_scan_blanks(text, pos);
    }
    return PK_OK;
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
