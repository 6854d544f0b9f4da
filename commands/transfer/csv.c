/*
 * CSV (RFC 4180). Columns are named by the first row (`header`) or by `columns`; their types are
 * stated (`types a:S,b:N`) or found out safely: a column is N only when every value in it is a
 * number as we would write it and it is no key of type S. So 007 and digits in a key stay text.
 *
 * An empty field leaves the attribute out; a field "" in a column stated as S is an empty string.
 */
#include "commands/transfer/transfer.h"

#include "commands/lex.h"
#include "commands/transfer/csv_cell.h"
#include "commands/transfer/json_scan.h"
#include "commands/transfer/mapping.h"
#include "commands/transfer/transfer_export.h"

enum { COLUMNS_MAX = 10000 };

static bool detect(pk_slice text, pk_slice extension)
{
    size_t line = strcspn(text.data, "\r\n");
    size_t start = json_scan_blanks(text, 0);

    if (text.data[start] == '{' || text.data[start] == '[')
        return false;
    return transfer_has_word("csv", extension) || memchr(text.data, ',', line) != NULL;
}

/* ---- columns --------------------------------------------------------------------------------- */

struct column {
    pk_slice name;
    struct csv_kind kind;
    bool stated;  /* the type is not to be found out */
    bool numbers; /* every value so far is a canonical number */
    bool used;    /* there is a value */
};

struct csv_reader {
    struct transfer *transfer;
    struct transfer_table *table;
    struct column *columns;
    pk_slice *names; /* the columns' */
    size_t count;
    size_t start; /* the first row of data */
};

static enum pk_code next_row(struct csv_reader *reader, size_t *pos, struct csv_field **fields,
                             size_t *count, struct pk_error *err)
{
    struct transfer *transfer = reader->transfer;
    enum pk_code rc = csv_row(&transfer->scratch, transfer->file.text, pos, fields, count, err);

    return rc == PK_OK ? PK_OK : transfer_file_place(&transfer->file, err);
}

static bool has_field(const struct csv_field *fields, size_t count, pk_slice text)
{
    for (size_t i = 0; i < count; i++) {
        if (pk_slice_equal(fields[i].text, text))
            return true;
    }
    return false;
}

/* Without a word about it the first row names the columns exactly when the key is among them. */
static bool is_heading(const struct csv_reader *reader, const struct csv_field *fields,
                       size_t count)
{
    const struct transfer_options *options = reader->transfer->options;
    const struct pk_table *target = reader->transfer->target;

    for (size_t i = 0; i < options->key_count; i++) {
        if (!has_field(fields, count, options->key[i]))
            return false;
    }
    if (options->key_count > 0 || target == NULL)
        return options->key_count > 0;
    return has_field(fields, count, target->key.hash[0].name) &&
           (target->key.range_count == 0 || has_field(fields, count, target->key.range[0].name));
}

static enum pk_code name_columns(struct csv_reader *reader, const pk_slice *names, size_t count,
                                 struct pk_error *err)
{
    const char *file = reader->transfer->file.name;

    if (count > COLUMNS_MAX)
        return pk_fail(err, PK_E_USAGE, "%s: %zu columns, at most %d can be read", file, count,
                       COLUMNS_MAX);
    reader->columns = PK_NEW_ARRAY(&reader->transfer->arena, struct column, count);
    reader->names = PK_NEW_ARRAY(&reader->transfer->arena, pk_slice, count);
    reader->count = count;
    for (size_t i = 0; i < count; i++) {
        if (names[i].len == 0)
            return pk_fail(err, PK_E_USAGE, "%s: column %zu has no name", file, i + 1);
        for (size_t k = 0; k < i; k++) {
            if (pk_slice_equal(names[k], names[i]))
                return pk_fail(err, PK_E_USAGE, "%s: columns %zu and %zu are both named '%.*s'",
                               file, k + 1, i + 1, PK_FMT(names[i]));
        }
        reader->names[i] = pk_arena_dup(&reader->transfer->arena, names[i]);
        reader->columns[i] = (struct column){.name = reader->names[i], .numbers = true};
    }
    return PK_OK;
}

static enum pk_code take_heading(struct csv_reader *reader, struct pk_error *err)
{
    struct csv_field *fields;
    pk_slice *names;
    size_t count, pos = 0;
    enum pk_code rc = next_row(reader, &pos, &fields, &count, err);

    if (rc != PK_OK)
        return rc;
    if (!reader->transfer->options->header && !is_heading(reader, fields, count)) {
        pk_fail(err, PK_E_USAGE, "%s: it is not said what the columns are called",
                reader->transfer->file.name);
        pk_error_hint(err, "add `header` when the first row names them, else `columns a,b,…`");
        return PK_E_USAGE;
    }
    names = PK_NEW_ARRAY(&reader->transfer->scratch, pk_slice, count);
    for (size_t i = 0; i < count; i++)
        names[i] = fields[i].text;
    reader->start = pos;
    return name_columns(reader, names, count, err);
}

static enum pk_code find_columns(struct csv_reader *reader, struct pk_error *err)
{
    const struct transfer_options *options = reader->transfer->options;
    const pk_slice *names = options->columns;
    size_t count = options->column_count;
    size_t pos = 0;
    struct csv_field *fields;
    enum pk_code rc;

    if (count == 0 && options->map != NULL)
        names = transfer_map_columns(options->map, &count);
    if (count == 0)
        return take_heading(reader, err);
    rc = name_columns(reader, names, count, err);
    if (rc == PK_OK && options->header) {
        rc = next_row(reader, &pos, &fields, &count, err);
        reader->start = pos;
    }
    return rc;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_key(const struct transfer_options *options, pk_slice name)
{
    return (options->key_count > 0 && pk_slice_equal(options->key[0], name)) ||
           (options->key_count > 1 && pk_slice_equal(options->key[1], name));
}

static void state_types(struct csv_reader *reader)
{
    const struct transfer_options *options = reader->transfer->options;
    const struct pk_table *target = reader->transfer->target;

    for (size_t i = 0; i < reader->count; i++) {
        struct column *column = &reader->columns[i];
        const struct transfer_type *type = transfer_type_of(options, column->name);
        enum pk_kind defined =
            target == NULL ? PK_MISSING : pk_table_attribute_type(target, column->name);

        column->kind.kind = PK_STRING;
        column->stated = type != NULL || defined != PK_MISSING || is_key(options, column->name);
        if (type != NULL)
            column->kind = (struct csv_kind){type->kind, type->json};
        else if (defined != PK_MISSING)
            column->kind.kind = defined;
    }
}

static enum pk_code check_count(struct csv_reader *reader, size_t pos, size_t count,
                                struct pk_error *err)
{
    if (count <= reader->count)
        return PK_OK;
    return pk_fail(err, PK_E_USAGE, "%s:%zu: %zu fields, there are %zu columns",
                   reader->transfer->file.name, transfer_file_line(&reader->transfer->file, pos),
                   count, reader->count);
}

/* Reads every row once, so that mistakes show and types are known before a value is made. */
static enum pk_code find_types(struct csv_reader *reader, struct pk_error *err)
{
    pk_slice text = reader->transfer->file.text;

    for (size_t pos = reader->start; pos < text.len;) {
        size_t row = pos, count;
        struct csv_field *fields;
        enum pk_code rc = next_row(reader, &pos, &fields, &count, err);

        if (rc == PK_OK)
            rc = check_count(reader, row, count, err);
        if (rc != PK_OK)
            return rc;
        for (size_t i = 0; i < count; i++) {
            struct column *column = &reader->columns[i];

            if (fields[i].text.len == 0 || !column->numbers)
                continue;
            column->used = true;
            column->numbers = csv_is_canonical_number(fields[i].text);
        }
        pk_arena_clear(&reader->transfer->scratch);
    }
    for (size_t i = 0; i < reader->count; i++) {
        struct column *column = &reader->columns[i];

        if (!column->stated && column->used && column->numbers)
            column->kind.kind = PK_NUMBER;
    }
    return PK_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_blank_line(const struct csv_field *fields, size_t count)
{
    return count == 1 && fields[0].text.len == 0 && !fields[0].quoted;
}

/* The row's typed attributes; false when a field does not fit its type: the row is refused. */
static bool make_item(struct csv_reader *reader, const struct csv_field *fields, size_t count,
                      struct transfer_row *row)
{
    struct pk_arena *arena = &reader->transfer->scratch;
    struct pk_member_vec texts = {0}, item = {0};

    for (size_t i = 0; i < count; i++) {
        const struct column *column = &reader->columns[i];
        bool is_string = column->kind.kind == PK_STRING && !column->kind.json;
        struct pk_error err = PK_ERROR_INIT;
        pk_value value;
        enum pk_code rc;

        if (fields[i].text.len == 0 && !(fields[i].quoted && column->stated && is_string))
            continue;
        pk_member_vec_add(&texts, arena, column->name, pk_value_string(fields[i].text));
        if (reader->transfer->options->map != NULL)
            continue;
        rc = csv_cell_read(arena, column->kind, fields[i].text, &value, &err);
        if (rc != PK_OK) {
            transfer_refuse(reader->transfer, row->pos, "column '%.*s': %s", PK_FMT(column->name),
                            err.message);
            pk_error_release(&err);
            return false;
        }
        pk_member_vec_add(&item, arena, column->name, value);
    }
    row->texts = pk_value_map(texts.data, texts.len);
    row->item = pk_value_map(item.data, item.len);
    return true;
}

static enum pk_code read_rows(struct csv_reader *reader, struct pk_error *err)
{
    struct transfer *transfer = reader->transfer;
    uint64_t number = 0;

    for (size_t pos = reader->start; pos < transfer->file.text.len;) {
        struct transfer_row row = {.number = number, .pos = pos};
        struct csv_field *fields;
        size_t count;
        enum pk_code rc = next_row(reader, &pos, &fields, &count, err);

        if (rc != PK_OK)
            return rc;
        if (!is_blank_line(fields, count)) {
            if (make_item(reader, fields, count, &row))
                transfer_row_add(transfer, reader->table, &row);
            number++;
        }
        pk_arena_clear(&transfer->scratch);
    }
    return PK_OK;
}

static enum pk_code read_file(struct transfer *transfer, struct pk_error *err)
{
    struct csv_reader reader = {
        .transfer = transfer,
        .table = transfer_table_get(transfer, PK_LIT("")),
    };
    enum pk_code rc = find_columns(&reader, err);

    if (rc == PK_OK)
        rc = transfer_check_columns(transfer, reader.names, reader.count, err);
    if (rc != PK_OK)
        return rc;
    if (transfer->options->map != NULL)
        transfer_map_define(transfer->options->map, reader.table);
    state_types(&reader);
    rc = find_types(&reader, err);
    return rc == PK_OK ? read_rows(&reader, err) : rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

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
        if (writer->count > COLUMNS_MAX)
            return pk_fail(err, PK_E_USAGE, "the items have more than %d attributes", COLUMNS_MAX);
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
        pk_buf_printf(out, "`%.*s`", PK_FMT(name));
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

static void write_row(struct csv_writer *writer, pk_view item)
{
    struct pk_buf *out = &writer->export->out;
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value map = pk_view_decode(&arena, item);

    for (size_t i = 0; i < writer->count; i++) {
        if (i > 0)
            pk_buf_add_byte(out, ',');
        csv_cell_write(out, kind_of(&writer->columns[i]),
                       pk_value_get(map, writer->columns[i].name));
    }
    pk_buf_add_cstr(out, "\r\n");
    pk_arena_release(&arena);
}

static enum pk_code write_file(struct transfer_export *export, struct pk_error *err)
{
    struct csv_writer writer = {.export = export};
    pk_view item;
    enum pk_code rc = collect(&writer, err);

    if (rc != PK_OK)
        return rc;
    write_heading(&writer);
    transfer_export_rewind(export);
    while ((rc = transfer_export_next(export, &item, err)) == PK_OK && item.len != 0) {
        write_row(&writer, item);
        rc = transfer_export_flush(export, err);
        if (rc != PK_OK)
            return rc;
    }
    hint_types(&writer);
    return rc;
}

const struct transfer_format transfer_csv = {
    .name = "csv",
    .also = NULL,
    .extensions = "csv",
    .detect = detect,
    .read = read_file,
    .write = write_file,
};
