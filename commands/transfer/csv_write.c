/*
 * A table as CSV: its items are looked at twice, first for the columns and what is in them, then to
 * be written. The report ends with the words that an import needs to give every value back.
 */
#include "commands/transfer/csv.h"

#include "commands/language/lex.h"
#include "commands/transfer/csv_cell.h"

/* A column of the table being written, and what reading it back would make of it. */
struct out_column {
    pk_slice name;
    unsigned kinds; /* a bit for each kind */
    bool numbers;   /* every string is a canonical number */
    bool awkward;   /* a string is empty */
    bool nul;       /* a string holds a NUL byte, which a text file cannot */
};

struct csv_writer {
    struct transfer_export *export;
    struct out_column *columns;
    size_t count, cap;
};

static struct out_column *out_column(struct csv_writer *writer, pk_slice name)
{
    struct pk_arena *arena = &writer->export->arena;

    for (size_t i = 0; i < writer->count; i++) {
        if (pk_slice_equal(writer->columns[i].name, name))
            return &writer->columns[i];
    }
    if (writer->count == writer->cap) {
        struct out_column *grown;

        writer->cap = writer->cap == 0 ? 32 : 2 * writer->cap;
        grown = PK_NEW_ARRAY(arena, struct out_column, writer->cap);
        if (writer->count > 0)
            memcpy(grown, writer->columns, writer->count * sizeof(*grown));
        writer->columns = grown;
    }
    writer->columns[writer->count] =
        (struct out_column){.name = pk_arena_dup(arena, name), .numbers = true};
    return &writer->columns[writer->count++];
}

static void note_value(struct out_column *column, pk_view value)
{
    pk_slice bytes = pk_view_bytes(value);

    column->kinds |= 1u << pk_view_kind(value);
    if (pk_view_kind(value) != PK_STRING)
        return;
    if (bytes.len == 0)
        column->awkward = true;
    else if (memchr(bytes.data, '\0', bytes.len) != NULL)
        column->nul = true;
    if (column->numbers)
        column->numbers = csv_is_canonical_number(bytes);
}

/* A first look at every item: keys first, then attributes as they come. */
static enum pk_code collect(struct csv_writer *writer, struct pk_error *err)
{
    const struct pk_key_schema *key = &writer->export->table->key;
    pk_view item;
    enum pk_code rc;

    (void)out_column(writer, key->hash[0].name);
    if (key->range_count > 0)
        (void)out_column(writer, key->range[0].name);
    while ((rc = transfer_export_next(writer->export, &item, err)) == PK_OK && item.len != 0) {
        struct pk_view_iter iter;
        pk_slice name;
        pk_view value;

        pk_view_iter_init(&iter, item);
        while (pk_view_iter_next(&iter, &name, &value))
            note_value(out_column(writer, name), value);
        if (writer->count > CSV_COLUMNS_MAX)
            return pk_fail(err, PK_E_USAGE, "the items have more than %d attributes",
                           CSV_COLUMNS_MAX);
    }
    return rc;
}

static struct csv_kind kind_of(const struct out_column *column)
{
    if (column->kinds == 0)
        return (struct csv_kind){PK_STRING, false};
    if ((column->kinds & (column->kinds - 1)) != 0 || column->nul)
        return (struct csv_kind){PK_MISSING, true};
    return (struct csv_kind){(enum pk_kind)__builtin_ctz(column->kinds), false};
}

/* True when an import without `types` would not give the column's values back. */
static bool needs_type(const struct csv_writer *writer, const struct out_column *column)
{
    const struct pk_key_schema *key = &writer->export->table->key;
    struct csv_kind kind = kind_of(column);
    bool in_key = pk_key_schema_has(key, column->name);

    if (kind.json || (kind.kind != PK_STRING && kind.kind != PK_NUMBER))
        return true;
    if (kind.kind == PK_NUMBER)
        return in_key;
    return column->kinds != 0 && (column->awkward || (column->numbers && !in_key));
}

static void add_name(struct pk_buf *out, pk_slice name)
{
    bool plain = name.len > 0;

    for (size_t i = 0; i < name.len && plain; i++)
        plain = !cmd_ends_word(name, i) && strchr(":`*\\", name.data[i]) == NULL;
    if (plain)
        pk_buf_add(out, name);
    else
        cmd_quote_name(out, name);
}

/* The import that gives the table back. */
static void hint_types(struct csv_writer *writer)
{
    const struct pk_key_schema *key = &writer->export->table->key;
    struct pk_buf out = PK_BUF_INIT;
    size_t stated = 0;

    pk_buf_add_cstr(&out, "key ");
    add_name(&out, key->hash[0].name);
    if (key->range_count > 0) {
        pk_buf_add_byte(&out, ',');
        add_name(&out, key->range[0].name);
    }
    for (size_t i = 0; i < writer->count; i++) {
        struct csv_kind kind = kind_of(&writer->columns[i]);

        if (!needs_type(writer, &writer->columns[i]))
            continue;
        pk_buf_add_cstr(&out, stated++ == 0 ? " types " : ",");
        add_name(&out, writer->columns[i].name);
        pk_buf_printf(&out, ":%s", kind.json ? "JSON" : pk_kind_tag(kind.kind));
    }
    transfer_export_hint(writer->export, "to import it with the same types add: %.*s", (int)out.len,
                         out.data);
    pk_buf_release(&out);
}

static void write_heading(struct csv_writer *writer)
{
    struct pk_buf *out = &writer->export->out;

    for (size_t i = 0; i < writer->count; i++) {
        if (i > 0)
            pk_buf_add_byte(out, ',');
        csv_text_write(out, writer->columns[i].name);
    }
    pk_buf_add_cstr(out, "\r\n");
}

/* False when the item has what the first look did not find: somebody writes to the table. */
static bool write_row(struct csv_writer *writer, pk_view item)
{
    struct pk_buf *out = &writer->export->out;
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value map = pk_view_decode(&arena, item);
    size_t left = map.len;

    for (size_t i = 0; i < writer->count; i++) {
        const struct out_column *column = &writer->columns[i];
        pk_value value = pk_value_get(map, column->name);

        if (i > 0)
            pk_buf_add_byte(out, ',');
        csv_cell_write(out, kind_of(column), value);
        left -= (column->kinds & (1u << pk_value_kind(value))) != 0;
    }
    pk_buf_add_cstr(out, "\r\n");
    pk_arena_release(&arena);
    return left == 0;
}

enum pk_code csv_write(struct transfer_export *export, struct pk_error *err)
{
    struct csv_writer writer = {.export = export};
    pk_view item;
    enum pk_code rc = collect(&writer, err);

    if (rc != PK_OK)
        return rc;
    write_heading(&writer);
    transfer_export_rewind(export);
    while ((rc = transfer_export_next(export, &item, err)) == PK_OK && item.len != 0) {
        if (!write_row(&writer, item))
            return pk_fail(err, PK_E_USAGE, "table '%.*s' changed while it was exported",
                           PK_FMT(export->name));
        rc = transfer_export_flush(export, err);
        if (rc != PK_OK)
            return rc;
    }
    hint_types(&writer);
    return rc;
}
