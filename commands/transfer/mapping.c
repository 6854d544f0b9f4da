/*
 * A mapping file is JSON:
 *
 *   {"columns": ["id", "name", …],                      names of the columns, if the file has none
 *    "key": ["PK", "SK"],                               of type S; "PK:N" for others
 *    "indexes": {"GSI_1": ["GSI_1_PK", "GSI_1_SK"]},
 *    "items": [{"PK": "e#{id}", "SK": "root", "age": {"N": "{age}"}, …}, …]}
 *
 * An item's values are templates (template.h), typed as in DynamoDB JSON where they are no strings.
 * A template with an empty column leaves its attribute out; an item without its key is no item.
 */
#include "commands/transfer/mapping.h"

#include <stdio.h>

#include "commands/literal.h"
#include "commands/transfer/transfer_define.h"

struct transfer_map {
    pk_slice *columns;
    size_t column_count;
    struct pk_key_schema key; /* hash_count 0: not stated */
    pk_value indexes;         /* map of name to list of texts, or missing */
    pk_value items;           /* list of maps */
};

/* ---- reading the file ------------------------------------------------------------------------ */

struct map_reader {
    const char *name;
    struct pk_arena *arena;
    struct transfer_map *map;
    struct pk_error *err;
};

static enum pk_code fail(struct map_reader *reader, const char *what)
{
    return pk_fail(reader->err, PK_E_USAGE, "%s: %s", reader->name, what);
}

/* "PK" or "PK:N". */
static bool read_key_part(pk_value text, struct pk_key_attr *attribute)
{
    pk_slice name = pk_value_bytes(text);

    if (pk_value_kind(text) != PK_STRING || name.len == 0)
        return false;
    attribute->type = PK_STRING;
    if (name.len > 2 && name.data[name.len - 2] == ':') {
        enum pk_kind kind = pk_kind_from_tag(pk_slice_skip(name, name.len - 1));

        if (kind != PK_MISSING) {
            attribute->type = kind;
            name.len -= 2;
        }
    }
    attribute->name = name;
    return true;
}

static bool read_key(pk_value list, struct pk_key_schema *key)
{
    if (pk_value_kind(list) != PK_LIST || list.len < 1 || list.len > 2)
        return false;
    *key = (struct pk_key_schema){.hash_count = 1, .range_count = (uint8_t)(list.len - 1)};
    return read_key_part(list.u.items[0], &key->hash[0]) &&
           (list.len == 1 || read_key_part(list.u.items[1], &key->range[0]));
}

static enum pk_code read_columns(struct map_reader *reader, pk_value list)
{
    struct transfer_map *map = reader->map;

    if (pk_value_kind(list) == PK_MISSING)
        return PK_OK;
    if (pk_value_kind(list) != PK_LIST)
        return fail(reader, "\"columns\" is a list of names");
    map->columns = PK_NEW_ARRAY(reader->arena, pk_slice, list.len);
    for (uint32_t i = 0; i < list.len; i++) {
        if (pk_value_kind(list.u.items[i]) != PK_STRING)
            return fail(reader, "\"columns\" is a list of names");
        map->columns[map->column_count++] = pk_value_bytes(list.u.items[i]);
    }
    return PK_OK;
}

static enum pk_code read_indexes(struct map_reader *reader, pk_value indexes)
{
    reader->map->indexes = indexes;
    if (pk_value_kind(indexes) == PK_MISSING)
        return PK_OK;
    if (pk_value_kind(indexes) != PK_MAP || reader->map->key.hash_count == 0)
        return fail(reader, "\"indexes\" is a map of keys, and needs \"key\"");
    for (uint32_t i = 0; i < indexes.len; i++) {
        struct pk_key_schema key;

        if (!read_key(indexes.u.members[i].value, &key))
            return pk_fail(reader->err, PK_E_USAGE,
                           "%s: the key of index '%.*s' is a list of one or two attributes",
                           reader->name, PK_FMT(indexes.u.members[i].name));
    }
    return PK_OK;
}

/* Every string in the value must be a template. */
static enum pk_code check_templates(struct map_reader *reader, pk_value value)
{
    const struct cmd_template *ignored;
    enum pk_code rc = PK_OK;

    if (pk_value_kind(value) == PK_STRING)
        rc = cmd_template_parse(reader->arena, pk_value_bytes(value), CMD_TEMPLATE_ROWS, &ignored,
                                reader->err);
    if (pk_value_kind(value) == PK_LIST) {
        for (uint32_t i = 0; i < value.len && rc == PK_OK; i++)
            rc = check_templates(reader, value.u.items[i]);
    }
    if (pk_value_kind(value) == PK_MAP) {
        for (uint32_t i = 0; i < value.len && rc == PK_OK; i++)
            rc = check_templates(reader, value.u.members[i].value);
    }
    return rc;
}

static enum pk_code read_items(struct map_reader *reader, pk_value items)
{
    enum pk_code rc = PK_OK;

    if (pk_value_kind(items) != PK_LIST || items.len == 0)
        return fail(reader, "\"items\" is a list of the items that a row becomes");
    for (uint32_t i = 0; i < items.len && rc == PK_OK; i++) {
        if (pk_value_kind(items.u.items[i]) != PK_MAP || items.u.items[i].len == 0)
            return fail(reader, "\"items\" holds maps of attributes");
        rc = check_templates(reader, items.u.items[i]);
    }
    if (rc != PK_OK) {
        char prefix[512];

        (void)snprintf(prefix, sizeof(prefix), "%.400s: ", reader->name);
        pk_error_prefix(reader->err, prefix);
        reader->err->span = (struct pk_span){0, 0};
    }
    reader->map->items = items;
    return rc;
}

static enum pk_code read_members(struct map_reader *reader, pk_value root)
{
    pk_value key = pk_value_get(root, PK_LIT("key"));
    enum pk_code rc;

    for (uint32_t i = 0; i < root.len; i++) {
        if (!transfer_has_word("columns key indexes items", root.u.members[i].name))
            return pk_fail(reader->err, PK_E_USAGE,
                           "%s: a mapping has columns, key, indexes and items, not '%.*s'",
                           reader->name, PK_FMT(root.u.members[i].name));
    }
    if (pk_value_kind(key) != PK_MISSING && !read_key(key, &reader->map->key))
        return fail(reader, "\"key\" is a list of one or two attributes, \"a\" or \"a:N\"");
    rc = read_columns(reader, pk_value_get(root, PK_LIT("columns")));
    if (rc == PK_OK)
        rc = read_indexes(reader, pk_value_get(root, PK_LIT("indexes")));
    if (rc == PK_OK)
        rc = read_items(reader, pk_value_get(root, PK_LIT("items")));
    return rc;
}

static enum pk_code read_file(struct transfer_file *file, struct pk_arena *arena,
                              const struct transfer_map **map, struct pk_error *err)
{
    struct cmd_literal literal = {
        .source = pk_arena_dup(arena, file->text),
        .mode = CMD_LITERAL_JSON,
        .arena = arena,
    };
    struct map_reader reader = {
        .name = file->name,
        .arena = arena,
        .map = PK_NEW(arena, struct transfer_map),
        .err = err,
    };
    pk_value root = pk_value_missing();
    size_t pos = 0;
    enum pk_code rc = cmd_literal_parse(&literal, &pos, &root, err);

    if (rc != PK_OK)
        return transfer_file_place(file, err);
    if (pk_value_kind(root) != PK_MAP || cmd_skip_blanks(literal.source, pos) < literal.source.len)
        return fail(&reader, "a mapping is one JSON object");
    *map = reader.map;
    return read_members(&reader, root);
}

enum pk_code transfer_map_load(const char *path, struct pk_arena *arena,
                               const struct transfer_map **map, struct pk_error *err)
{
    struct transfer_file file;
    enum pk_code rc = transfer_file_load(&file, path, err);

    if (rc == PK_OK)
        rc = read_file(&file, arena, map, err);
    transfer_file_release(&file);
    return rc;
}

const pk_slice *transfer_map_columns(const struct transfer_map *map, size_t *count)
{
    *count = map->column_count;
    return map->columns;
}

void transfer_map_define(const struct transfer_map *map, struct transfer_table *table)
{
    struct cJSON *create;

    if (map->key.hash_count == 0)
        return;
    create = transfer_create_new(&map->key);
    for (uint32_t i = 0; i < map->indexes.len; i++) {
        struct pk_key_schema key;

        if (read_key(map->indexes.u.members[i].value, &key))
            (void)transfer_create_gsi(create, map->indexes.u.members[i].name, &key);
    }
    transfer_define(table, create);
}

/* ---- filling templates ----------------------------------------------------------------------- */

/* One row being turned into items. */
struct filler {
    struct transfer *transfer;
    const struct transfer_row *row;
    struct cmd_template_row columns;
    bool refused;
};

static pk_slice column_text(const void *context, pk_slice name)
{
    const struct transfer_row *row = context;
    pk_value value = pk_value_get(row->texts, name);

    return pk_value_kind(value) == PK_STRING ? pk_value_bytes(value) : (pk_slice){NULL, 0};
}

static void filler_init(struct filler *filler, struct transfer *transfer,
                        const struct transfer_row *row)
{
    *filler = (struct filler){
        .transfer = transfer,
        .row = row,
        .columns = {.column = column_text, .context = row, .number = row->number},
    };
}

/* The template's text as a string; missing when a column in it is empty. */
static pk_value fill_text(struct filler *filler, const struct cmd_template *template)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    pk_value value = pk_value_missing();
    bool empty;

    if (cmd_template_fill(template, &filler->columns, &out, &empty, &err) != PK_OK) {
        transfer_refuse(filler->transfer, filler->row->pos, "%s", err.message);
        filler->refused = true;
    } else if (!empty) {
        value = pk_value_string(pk_arena_dup(&filler->transfer->scratch, pk_buf_slice(&out)));
    }
    pk_error_release(&err);
    pk_buf_release(&out);
    return value;
}

static pk_value fill_value(struct filler *filler, pk_value value);

static pk_value fill_map(struct filler *filler, pk_value map)
{
    struct pk_arena *arena = &filler->transfer->scratch;
    struct pk_member_vec vec = {0};

    for (uint32_t i = 0; i < map.len; i++) {
        pk_value value = fill_value(filler, map.u.members[i].value);

        if (pk_value_kind(value) != PK_MISSING)
            pk_member_vec_add(&vec, arena, map.u.members[i].name, value);
    }
    return pk_value_map(vec.data, vec.len);
}

static pk_value fill_list(struct filler *filler, pk_value list)
{
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; i < list.len; i++) {
        pk_value value = fill_value(filler, list.u.items[i]);

        if (pk_value_kind(value) != PK_MISSING)
            pk_value_vec_add(&vec, &filler->transfer->scratch, value);
    }
    return pk_value_list(vec.data, vec.len);
}

/* DynamoDB JSON whose texts were templates: {"N": "{age}"}. Missing when nothing is left in it. */
static pk_value fill_typed(struct filler *filler, pk_value typed)
{
    pk_value filled = fill_map(filler, typed);
    pk_value value = pk_value_missing();
    struct pk_error err = PK_ERROR_INIT;

    if (filled.len == 0 ||
        (pk_value_kind(filled.u.members[0].value) == PK_LIST &&
         filled.u.members[0].value.len == 0 && !pk_slice_is(filled.u.members[0].name, "L")))
        return value;
    if (cmd_literal_from_typed(&filler->transfer->scratch, filled, &value, &err) != PK_OK) {
        transfer_refuse(filler->transfer, filler->row->pos, "%s", err.message);
        filler->refused = true;
    }
    pk_error_release(&err);
    return value;
}

static pk_value fill_value(struct filler *filler, pk_value value)
{
    const struct cmd_template *template;
    struct pk_error err = PK_ERROR_INIT;

    if (cmd_literal_is_typed(value))
        return fill_typed(filler, value);
    if (pk_value_kind(value) == PK_MAP)
        return fill_map(filler, value);
    if (pk_value_kind(value) == PK_LIST)
        return fill_list(filler, value);
    if (pk_value_kind(value) != PK_STRING)
        return value;
    /* the templates were checked when the mapping was read */
    if (cmd_template_parse(&filler->transfer->scratch, pk_value_bytes(value), CMD_TEMPLATE_ROWS,
                           &template, &err) != PK_OK)
        pk_bug("a mapping's template was not checked: %s", err.message);
    return fill_text(filler, template);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_key(const struct transfer_map *map, const struct transfer *transfer, pk_value item)
{
    const struct pk_key_schema *key = &map->key;

    if (key->hash_count == 0 && transfer->target != NULL)
        key = &transfer->target->key;
    if (key->hash_count > 0 && pk_value_kind(pk_value_get(item, key->hash[0].name)) == PK_MISSING)
        return false;
    return key->range_count == 0 ||
           pk_value_kind(pk_value_get(item, key->range[0].name)) != PK_MISSING;
}

static void add_mapped(struct filler *filler, struct transfer_table *table)
{
    const struct transfer_map *map = filler->transfer->options->map;

    for (uint32_t i = 0; i < map->items.len; i++) {
        pk_value item;

        filler->refused = false;
        item = fill_map(filler, map->items.u.items[i]);
        if (!filler->refused && has_key(map, filler->transfer, item))
            transfer_put(filler->transfer, table, item, filler->row->pos);
    }
}

/* The text of `set` in the type stated for the attribute. */
static pk_value typed_text(struct filler *filler, pk_slice name, pk_value text)
{
    const struct transfer_type *type = transfer_type_of(filler->transfer->options, name);
    struct pk_error err = PK_ERROR_INIT;
    pk_value value = text;

    if (type != NULL && type->kind == PK_NUMBER && pk_value_kind(text) == PK_STRING &&
        cmd_literal_number(&filler->transfer->scratch, pk_value_bytes(text), (struct pk_span){0, 0},
                           &value, &err) != PK_OK) {
        transfer_refuse(filler->transfer, filler->row->pos, "attribute '%.*s': %s", PK_FMT(name),
                        err.message);
        filler->refused = true;
    }
    pk_error_release(&err);
    return value;
}

void transfer_row_add(struct transfer *transfer, struct transfer_table *table,
                      const struct transfer_row *row)
{
    const struct transfer_options *options = transfer->options;
    pk_value item = row->item;
    struct filler filler;

    filler_init(&filler, transfer, row);
    if (options->map != NULL) {
        add_mapped(&filler, table);
        return;
    }
    for (size_t i = 0; i < options->set_count; i++) {
        const struct transfer_set *set = &options->sets[i];
        pk_value value = typed_text(&filler, set->name, fill_text(&filler, set->text));

        if (pk_value_kind(value) != PK_MISSING)
            item = pk_value_with(&transfer->scratch, item, set->name, value);
    }
    if (!filler.refused)
        transfer_put(transfer, table, item, row->pos);
}

/* ---- columns --------------------------------------------------------------------------------- */

struct column_list {
    struct pk_arena *arena;
    pk_slice *names;
    size_t count, cap;
};

static void list_name(struct column_list *list, pk_slice name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (pk_slice_equal(list->names[i], name))
            return;
    }
    if (list->count == list->cap) {
        size_t cap = list->cap * 2 + 8;
        pk_slice *names = PK_NEW_ARRAY(list->arena, pk_slice, cap);

        if (list->count > 0)
            memcpy(names, list->names, list->count * sizeof(*names));
        list->names = names;
        list->cap = cap;
    }
    list->names[list->count++] = pk_arena_dup(list->arena, name);
}

static void list_template(struct column_list *list, const struct cmd_template *template)
{
    pk_slice name;

    for (size_t i = 0; (name = cmd_template_column(template, i)).data != NULL; i++)
        list_name(list, name);
}

/* The mapping's texts are templates: they were checked when it was read. */
static void list_value(struct column_list *list, pk_value value)
{
    struct pk_error ignored = PK_ERROR_INIT;
    const struct cmd_template *template;

    if (pk_value_kind(value) == PK_STRING &&
        cmd_template_parse(list->arena, pk_value_bytes(value), CMD_TEMPLATE_ROWS, &template,
                           &ignored) == PK_OK)
        list_template(list, template);
    pk_error_release(&ignored);
    for (uint32_t i = 0; i < value.len && pk_value_kind(value) == PK_LIST; i++)
        list_value(list, value.u.items[i]);
    for (uint32_t i = 0; i < value.len && pk_value_kind(value) == PK_MAP; i++)
        list_value(list, value.u.members[i].value);
}

pk_slice *transfer_columns_used(const struct transfer *transfer, struct pk_arena *arena,
                                size_t *count)
{
    const struct transfer_options *options = transfer->options;
    struct column_list list = {.arena = arena};

    for (size_t i = 0; i < options->set_count; i++)
        list_template(&list, options->sets[i].text);
    if (options->map != NULL)
        list_value(&list, options->map->items);
    *count = list.count;
    return list.names;
}

enum pk_code transfer_no_column(const struct transfer *transfer, pk_slice name,
                                struct pk_error *err)
{
    return pk_fail(err, PK_E_USAGE,
                   "%s: a template names column '%.*s', which the file does not have",
                   transfer->file.name, PK_FMT(name));
}

enum pk_code transfer_check_columns(const struct transfer *transfer, const pk_slice *columns,
                                    size_t count, struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    size_t used_count;
    const pk_slice *used = transfer_columns_used(transfer, &arena, &used_count);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < used_count && rc == PK_OK; i++) {
        size_t at = 0;

        while (at < count && !pk_slice_equal(columns[at], used[i]))
            at++;
        if (at == count)
            rc = transfer_no_column(transfer, used[i], err);
    }
    pk_arena_release(&arena);
    return rc;
}
