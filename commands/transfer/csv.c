/*
 * CSV (RFC 4180). Columns are named by the first row (`header`) or by `columns`; their types are
 * stated (`types a:S,b:N`) or found out safely: a column is N only when every value in it is a
 * number as we would write it and it is no key of type S. So 007 and digits in a key stay text.
 *
 * An empty field leaves the attribute out; a field "" in a column stated as S is an empty string.
 */
#include "commands/transfer/csv.h"

#include "commands/transfer/csv_cell.h"
#include "commands/transfer/json_scan.h"
#include "commands/transfer/mapping.h"

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

    if (count > CSV_COLUMNS_MAX)
        return pk_fail(err, PK_E_USAGE, "%s: %zu columns, at most %d can be read", file, count,
                       CSV_COLUMNS_MAX);
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

const struct transfer_format transfer_csv = {
    .name = "csv",
    .also = NULL,
    .extensions = "csv",
    .detect = detect,
    .read = read_file,
    .write = csv_write,
};
