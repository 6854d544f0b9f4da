#include "commands/transfer/transfer_check.h"

#include "engine/base/map.h"

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_table_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

pk_slice transfer_table_name(struct transfer *transfer, pk_slice text)
{
    const char *slash = text.len == 0 ? NULL : memrchr(text.data, '/', text.len);
    char name[256];
    size_t len = 0;

    if (slash != NULL)
        text = pk_slice_skip(text, (size_t)(slash - text.data) + 1);
    for (size_t i = 0; i < text.len && len + 1 < sizeof(name); i++) {
        if (text.data[i] == '.' && i > 0)
            break;
        name[len++] = is_table_byte(text.data[i]) ? text.data[i] : '_';
    }
    while (len < 3)
        name[len++] = '_';
    return pk_arena_dup(&transfer->arena, pk_slice_of(name, len));
}

/* ---- records --------------------------------------------------------------------------------- */

/* One table's records being checked. */
struct checker {
    struct transfer *transfer;
    struct transfer_table *table;
    const struct pk_table *schema;
    struct pk_map kept; /* encoded key to the record that stays */
    size_t first_repeat;
};

/* "table 'T', {'PK': 'a', 'SK': 'b'}": which record is meant. In scratch. */
static pk_slice describe(struct checker *checker, const struct transfer_record *record)
{
    struct pk_arena *arena = &checker->transfer->scratch;
    const struct pk_key_schema *key = &checker->schema->key;
    struct pk_member_vec vec = {0};
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    for (int i = 0; i < key->hash_count + key->range_count; i++) {
        pk_slice name = i == 0 ? key->hash[0].name : key->range[0].name;
        pk_view view = pk_view_member(record->view, name);

        if (view.len != 0)
            pk_member_vec_add(&vec, arena, name, pk_view_decode(arena, view));
    }
    pk_buf_printf(&out, "table '%.*s', key ", PK_FMT(checker->table->target));
    cmd_value_text(&out, pk_value_map(vec.data, vec.len));
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

static bool refuse(struct checker *checker, const struct transfer_record *record,
                   const char *format, ...) PK_PRINTF(3, 4);

/* Always false. */
static bool refuse(struct checker *checker, const struct transfer_record *record,
                   const char *format, ...)
{
    pk_slice what;
    va_list args;

    va_start(args, format);
    what = pk_arena_vprintf(&checker->transfer->scratch, format, args);
    va_end(args);
    transfer_refuse(checker->transfer, record->pos, "%.*s: %.*s", PK_FMT(describe(checker, record)),
                    PK_FMT(what));
    return false;
}

static bool check_key(struct checker *checker, const struct transfer_record *record,
                      const struct pk_key_attr *attribute, size_t max)
{
    pk_view view = pk_view_member(record->view, attribute->name);
    enum pk_kind kind = pk_view_kind(view);
    size_t len = pk_view_bytes(view).len;

    if (kind == PK_MISSING)
        return refuse(checker, record, "key attribute '%.*s' is missing", PK_FMT(attribute->name));
    if (kind != attribute->type)
        return refuse(checker, record, "key attribute '%.*s' is of type %s, the table's is %s",
                      PK_FMT(attribute->name), pk_kind_tag(kind), pk_kind_tag(attribute->type));
    if (kind != PK_NUMBER && len == 0)
        return refuse(checker, record, "key attribute '%.*s' is empty", PK_FMT(attribute->name));
    if (kind != PK_NUMBER && len > max)
        return refuse(checker, record, "key attribute '%.*s' has %zu bytes, at most %zu fit",
                      PK_FMT(attribute->name), len, max);
    return true;
}

/* An item without the attribute is simply not in the index. */
static bool check_index_key(struct checker *checker, const struct transfer_record *record,
                            const struct pk_index *index, const struct pk_key_attr *attribute)
{
    pk_view view = pk_view_member(record->view, attribute->name);
    enum pk_kind kind = pk_view_kind(view);
    size_t len = pk_view_bytes(view).len;

    if (kind == PK_MISSING)
        return true;
    if (kind != attribute->type)
        return refuse(checker, record,
                      "attribute '%.*s' is of type %s, as a key of index '%.*s' it is %s",
                      PK_FMT(attribute->name), pk_kind_tag(kind), PK_FMT(index->name),
                      pk_kind_tag(attribute->type));
    if (kind != PK_NUMBER && (len == 0 || len > PK_HASH_KEY_MAX))
        return refuse(checker, record,
                      "attribute '%.*s' has %zu bytes, as a key of index '%.*s' it has 1 to %d",
                      PK_FMT(attribute->name), len, PK_FMT(index->name), PK_HASH_KEY_MAX);
    return true;
}

static bool check_index_keys(struct checker *checker, const struct transfer_record *record)
{
    for (size_t i = 0; i < checker->schema->index_count; i++) {
        const struct pk_index *index = &checker->schema->indexes[i];

        for (size_t k = 0; k < index->key.hash_count; k++) {
            if (!check_index_key(checker, record, index, &index->key.hash[k]))
                return false;
        }
        for (size_t k = 0; k < index->key.range_count; k++) {
            if (!check_index_key(checker, record, index, &index->key.range[k]))
                return false;
        }
    }
    return true;
}

/* The first name in the tree that no attribute may have; data NULL when all are well. */
static pk_slice find_bad_name(pk_value value)
{
    pk_slice bad = {NULL, 0};

    if (pk_value_kind(value) == PK_LIST) {
        for (uint32_t i = 0; i < value.len && bad.data == NULL; i++)
            bad = find_bad_name(value.u.items[i]);
    } else if (pk_value_kind(value) == PK_MAP) {
        for (uint32_t i = 0; i < value.len && bad.data == NULL; i++) {
            const struct pk_member *member = &value.u.members[i];

            if (member->name.len == 0)
                return (pk_slice){"", 0};
            bad = member->name.len > PK_NAME_MAX ? member->name : find_bad_name(member->value);
        }
    }
    return bad;
}

static bool check_limits(struct checker *checker, const struct transfer_record *record)
{
    pk_value item = pk_view_decode(&checker->transfer->scratch, record->view);
    size_t size = pk_view_item_size(record->view);
    size_t depth = pk_value_depth(item);
    pk_slice bad = find_bad_name(item);

    if (bad.data != NULL && bad.len == 0)
        return refuse(checker, record, "an attribute's name is empty");
    if (bad.data != NULL)
        return refuse(checker, record, "an attribute's name has %zu bytes, at most %d fit", bad.len,
                      PK_NAME_MAX);
    if (size > PK_ITEM_MAX)
        return refuse(checker, record, "the item has %zu bytes, at most %d fit", size, PK_ITEM_MAX);
    if (depth > PK_NESTING_MAX + 1) /* the item itself is a level */
        return refuse(checker, record, "values are nested deeper than %d levels", PK_NESTING_MAX);
    return true;
}

static bool check_record(struct checker *checker, const struct transfer_record *record)
{
    const struct pk_key_schema *key = &checker->schema->key;

    if (!check_key(checker, record, &key->hash[0], PK_HASH_KEY_MAX))
        return false;
    if (key->range_count > 0 && !check_key(checker, record, &key->range[0], PK_RANGE_KEY_MAX))
        return false;
    if (record->remove)
        return true;
    return check_index_keys(checker, record) && check_limits(checker, record);
}

/* ---- records with equal keys ----------------------------------------------------------------- */

/* The encoded key, in scratch. */
static pk_slice key_of(struct checker *checker, const struct transfer_record *record)
{
    const struct pk_key_schema *key = &checker->schema->key;
    pk_view hash = pk_view_member(record->view, key->hash[0].name);
    struct pk_buf out = PK_BUF_INIT;
    pk_slice bytes;

    pk_buf_add(&out, hash);
    if (key->range_count > 0)
        pk_buf_add(&out, pk_view_member(record->view, key->range[0].name));
    bytes = pk_arena_dup(&checker->transfer->scratch, pk_buf_slice(&out));
    pk_buf_release(&out);
    return bytes;
}

/* Two facets show parts of one item: attributes that only one has are taken, those of both must
 * agree. */
static void merge_facets(struct checker *checker, struct transfer_record *kept,
                         const struct transfer_record *record)
{
    struct pk_arena *arena = &checker->transfer->scratch;
    pk_value item = pk_view_decode(arena, kept->view);
    struct pk_view_iter iter;
    pk_slice name;
    pk_view value;

    pk_view_iter_init(&iter, record->view);
    while (pk_view_iter_next(&iter, &name, &value)) {
        pk_view before = pk_view_member(kept->view, name);

        if (before.len != 0 && !pk_view_equal(before, value)) {
            (void)refuse(checker, record,
                         "attribute '%.*s' is not what it is in another facet, in line %zu",
                         PK_FMT(name), transfer_file_line(&checker->transfer->file, kept->pos));
            return;
        }
        item = pk_value_with(arena, item, name, pk_view_decode(arena, value));
    }
    kept->view = pk_view_of(&checker->transfer->arena, item);
}

/* True when the record is a new one; else it took the place of the earlier one with its key. */
static bool keep(struct checker *checker, struct transfer_record *record,
                 struct transfer_record *place)
{
    pk_slice key = key_of(checker, record);
    struct transfer_record *kept = pk_map_get(&checker->kept, key);

    if (kept == NULL) {
        *place = *record;
        (void)pk_map_put(&checker->kept, key, place);
        return true;
    }
    if (record->facet && kept->facet) {
        merge_facets(checker, kept, record);
        return false;
    }
    if (checker->table->repeated++ == 0)
        checker->first_repeat = record->pos;
    *kept = *record;
    return false;
}

static void count(struct transfer_table *table)
{
    table->puts = table->deletes = 0;
    table->bytes = table->digest = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->records[i].remove) {
            table->deletes++;
            continue;
        }
        table->puts++;
        table->bytes += pk_view_item_size(table->records[i].view);
        table->digest += transfer_digest(table->records[i].view);
    }
}

void transfer_check(struct transfer *transfer, struct transfer_table *table)
{
    struct checker checker = {
        .transfer = transfer,
        .table = table,
        .schema = cmd_schema_table(table->schema),
    };
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++) {
        struct transfer_record *record = &table->records[i];

        if (check_record(&checker, record) && keep(&checker, record, &table->records[kept]))
            kept++;
        pk_arena_clear(&transfer->scratch);
    }
    table->count = kept;
    count(table);
    if (table->repeated > 0)
        transfer_note(
            transfer,
            "table '%.*s': keys that come again: %zu (the first in line %zu); of each the "
            "last record stays",
            PK_FMT(table->target), table->repeated,
            transfer_file_line(&transfer->file, checker.first_repeat));
    pk_map_release(&checker.kept);
}
