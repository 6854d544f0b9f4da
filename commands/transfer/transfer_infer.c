#include "commands/transfer/transfer_infer.h"

#include "commands/transfer/transfer_define.h"

/* Tables that the developer guide's samples made well known; an empty table name: any table whose
 * items all have the attributes. */
static const struct {
    const char *table, *hash, *range;
} known[] = {
    {"ProductCatalog", "Id", NULL},
    {"Forum", "Name", NULL},
    {"Thread", "ForumName", "Subject"},
    {"Reply", "Id", "ReplyDateTime"},
    {"Movies", "year", "title"},
    {"Music", "Artist", "SongTitle"},
    {"", "PK", "SK"},
    {"", "pk", "sk"},
    {"", "Pk", "Sk"},
};

static const struct transfer_record *first_put(const struct transfer_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (!table->records[i].remove)
            return &table->records[i];
    }
    return NULL;
}

static bool is_key_kind(enum pk_kind kind)
{
    return kind == PK_STRING || kind == PK_NUMBER || kind == PK_BINARY;
}

/* The attribute with its stated type, else that of the first item that has it. */
static struct pk_key_attr attribute_of(const struct transfer *transfer,
                                       const struct transfer_table *table, pk_slice name)
{
    const struct transfer_type *stated = transfer_type_of(transfer->options, name);
    struct pk_key_attr attribute = {.name = name, .type = PK_MISSING};

    if (stated != NULL && !stated->json)
        attribute.type = stated->kind;
    for (size_t i = 0; i < table->count && attribute.type == PK_MISSING; i++)
        attribute.type = pk_view_kind(pk_view_member(table->records[i].view, name));
    return attribute;
}

static bool all_have(const struct transfer_table *table, const struct pk_key_attr *attribute)
{
    for (size_t i = 0; i < table->count; i++) {
        if (pk_view_kind(pk_view_member(table->records[i].view, attribute->name)) !=
            attribute->type)
            return false;
    }
    return is_key_kind(attribute->type);
}

static bool find_known(const struct transfer *transfer, const struct transfer_table *table,
                       struct pk_key_schema *key)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        pk_slice named = pk_slice_cstr(known[i].table);

        if (named.len > 0 && !transfer_has_word(known[i].table, table->name))
            continue;
        key->hash[0] = attribute_of(transfer, table, pk_slice_cstr(known[i].hash));
        key->hash_count = 1;
        key->range_count = 0;
        if (known[i].range != NULL) {
            key->range[0] = attribute_of(transfer, table, pk_slice_cstr(known[i].range));
            key->range_count = 1;
        }
        if (all_have(table, &key->hash[0]) &&
            (key->range_count == 0 || all_have(table, &key->range[0])))
            return true;
    }
    return false;
}

/* Up to six attribute names of the first item, for the message. */
static pk_slice attribute_names(struct transfer *transfer, const struct transfer_record *record)
{
    struct pk_buf out = PK_BUF_INIT;
    struct pk_view_iter iter;
    pk_slice name, text;
    pk_view value;
    size_t count = 0;

    pk_view_iter_init(&iter, record->view);
    while (pk_view_iter_next(&iter, &name, &value)) {
        if (!is_key_kind(pk_view_kind(value)))
            continue;
        if (count++ == 6) {
            pk_buf_add_cstr(&out, ", …");
            break;
        }
        pk_buf_printf(&out, "%s%.*s", count == 1 ? "" : ", ", PK_FMT(name));
    }
    text = pk_arena_dup(&transfer->arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* A stated key that no item has, or that is of a type no key has. */
static enum pk_code fail_stated(struct transfer *transfer, const struct transfer_table *table,
                                const struct pk_key_attr *attribute, struct pk_error *err)
{
    const struct transfer_record *record = first_put(table);

    for (size_t i = 0; i < table->count; i++) {
        const struct transfer_record *has = &table->records[i];

        if (pk_view_kind(pk_view_member(has->view, attribute->name)) == attribute->type &&
            attribute->type != PK_MISSING)
            return pk_fail(err, PK_E_USAGE, "%s:%zu: '%.*s' is of type %s, a key is S, N or B",
                           transfer->file.name, transfer_file_line(&transfer->file, has->pos),
                           PK_FMT(attribute->name), pk_kind_tag(attribute->type));
    }
    if (attribute->type != PK_MISSING)
        return pk_fail(err, PK_E_USAGE, "%s: '%.*s' is of type %s, a key is S, N or B",
                       transfer->file.name, PK_FMT(attribute->name), pk_kind_tag(attribute->type));
    pk_fail(err, PK_E_USAGE, "%s: no item has the key attribute '%.*s'", transfer->file.name,
            PK_FMT(attribute->name));
    if (record != NULL)
        pk_error_hint(err, "the first item has: %.*s", PK_FMT(attribute_names(transfer, record)));
    return PK_E_USAGE;
}

static enum pk_code take_stated(struct transfer *transfer, const struct transfer_table *table,
                                struct pk_key_schema *key, struct pk_error *err)
{
    const struct transfer_options *options = transfer->options;

    for (size_t i = 0; i < options->key_count; i++) {
        struct pk_key_attr attribute = attribute_of(transfer, table, options->key[i]);

        if (!is_key_kind(attribute.type))
            return fail_stated(transfer, table, &attribute, err);
        if (i == 0)
            key->hash[key->hash_count++] = attribute;
        else
            key->range[key->range_count++] = attribute;
    }
    return PK_OK;
}

enum pk_code transfer_infer(struct transfer *transfer, struct transfer_table *table,
                            struct pk_error *err)
{
    const struct transfer_record *record = first_put(table);
    struct pk_key_schema key = {0};
    pk_slice names;

    if (transfer->options->key_count > 0) {
        enum pk_code rc = take_stated(transfer, table, &key, err);

        if (rc != PK_OK)
            return rc;
    } else if (record == NULL || !find_known(transfer, table, &key)) {
        pk_fail(err, PK_E_USAGE, "%s does not say what the table's key is", transfer->file.name);
        names = record == NULL ? PK_LIT("") : attribute_names(transfer, record);
        if (names.len > 0)
            pk_error_hint(err, "add `key a` or `key a,b`, of: %.*s", PK_FMT(names));
        else if (record != NULL)
            pk_error_hint(err, "its first item has no string, number or binary to be a key");
        else
            pk_error_hint(err, "create the table first, then import into it");
        return PK_E_USAGE;
    }
    transfer_define(table, transfer_create_new(&key));
    return PK_OK;
}
