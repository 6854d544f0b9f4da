/* All paths of an expression are walked with a visitor; depth is bounded by the parsers. */
#include "engine/ops/read_check.h"

#define PREFIX "One or more parameter values were invalid: "

/* Called with each path; false stops the walk. */
struct visitor {
    bool (*path)(void *context, const struct pk_path *path);
    void *context;
};

static bool walk(const struct pk_node *node, const struct visitor *visitor)
{
    if (node == NULL)
        return true;
    if (node->op == PK_OP_PATH)
        return visitor->path(visitor->context, node->path);
    for (size_t i = 0; i < node->count; i++) {
        if (!walk(node->args[i], visitor))
            return false;
    }
    return true;
}

static bool walk_projection(const struct pk_projection *projection, const struct visitor *visitor)
{
    for (size_t i = 0; projection != NULL && i < projection->count; i++) {
        if (!visitor->path(visitor->context, projection->paths[i]))
            return false;
    }
    return true;
}

/* Mentions -------------------------------------------------------------------------------------*/

/* Whether a name is mentioned, or only in paths that lead into it. */
struct mention {
    pk_slice name;
    bool only_nested;
};

static bool is_other(void *context, const struct pk_path *path)
{
    const struct mention *wanted = context;

    if (wanted->only_nested && path->count == 1)
        return true;
    return !pk_slice_equal(path->steps[0].name, wanted->name);
}

static bool leads_into(pk_slice name, const struct pk_node *condition,
                       const struct pk_projection *projection)
{
    struct mention wanted = {name, true};
    struct visitor visitor = {is_other, &wanted};

    return !walk(condition, &visitor) || !walk_projection(projection, &visitor);
}

static const struct pk_key_attr *key_attr(const struct pk_key_schema *key, size_t i)
{
    return i < key->hash_count ? &key->hash[i] : &key->range[i - key->hash_count];
}

static enum pk_code check_scalars(const struct pk_key_schema *key, const char *kind,
                                  const struct pk_node *condition,
                                  const struct pk_projection *projection, struct pk_error *err)
{
    for (size_t i = 0; i < (size_t)key->hash_count + key->range_count; i++) {
        pk_slice name = key_attr(key, i)->name;

        if (leads_into(name, condition, projection))
            return pk_fail(err, PK_E_VALIDATION,
                           "Key attributes must be scalars; list random access '[]' and map "
                           "lookup '.' are not allowed: %s: %.*s",
                           kind, PK_FMT(name));
    }
    return PK_OK;
}

enum pk_code pk_check_scalar_keys(const struct pk_table *table, const struct pk_node *condition,
                                  const struct pk_projection *projection, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    if (condition == NULL && projection == NULL)
        return PK_OK;
    rc = check_scalars(&table->key, "Key", condition, projection, err);
    for (size_t i = 0; i < table->index_count && rc == PK_OK; i++)
        rc = check_scalars(&table->indexes[i].key, "IndexKey", condition, projection, err);
    return rc;
}

enum pk_code pk_check_filter_keys(const struct pk_read *request, const struct pk_key_schema *key,
                                  struct pk_error *err)
{
    for (size_t i = 0; i < (size_t)key->hash_count + key->range_count; i++) {
        struct mention wanted = {key_attr(key, i)->name, false};
        struct visitor visitor = {is_other, &wanted};

        if (!walk(request->filter, &visitor))
            return pk_fail(err, PK_E_VALIDATION,
                           "%s can only contain non-primary key attributes: Primary key "
                           "attribute: %.*s",
                           request->legacy_filter ? "QueryFilter" : "Filter Expression",
                           PK_FMT(wanted.name));
    }
    return PK_OK;
}

/* Projections ----------------------------------------------------------------------------------*/

/* Collects the names an index does not carry, each once, as "[a, b". */
struct missing {
    const struct pk_table *table;
    const struct pk_index *index;
    struct pk_arena seen_arena;
    struct pk_value_vec seen;
    struct pk_buf *names;
};

static bool note_missing(void *context, const struct pk_path *path)
{
    struct missing *missing = context;
    pk_slice name = path->steps[0].name;

    if (pk_index_projects(missing->table, missing->index, name))
        return true;
    for (size_t i = 0; i < missing->seen.len; i++) {
        if (pk_slice_equal(pk_value_bytes(missing->seen.data[i]), name))
            return true;
    }
    pk_value_vec_add(&missing->seen, &missing->seen_arena, pk_value_string(name));
    pk_buf_add_cstr(missing->names, missing->names->len == 0 ? "[" : ", ");
    pk_buf_add(missing->names, name);
    return true;
}

static void finish_missing(struct missing *missing)
{
    if (missing->names->len > 0)
        pk_buf_add_byte(missing->names, ']');
    pk_arena_release(&missing->seen_arena);
}

void pk_check_unprojected(const struct pk_table *table, const struct pk_index *index,
                          const struct pk_projection *projection, struct pk_buf *names)
{
    struct missing missing = {.table = table, .index = index, .names = names};
    struct visitor visitor = {note_missing, &missing};

    walk_projection(projection, &visitor);
    finish_missing(&missing);
}

enum pk_code pk_check_filter_projected(const struct pk_table *table, const struct pk_index *index,
                                       const struct pk_node *filter, struct pk_error *err)
{
    struct pk_buf names = PK_BUF_INIT;
    struct missing missing = {.table = table, .index = index, .names = &names};
    struct visitor visitor = {note_missing, &missing};
    enum pk_code rc = PK_OK;

    walk(filter, &visitor);
    finish_missing(&missing);
    if (names.len > 0)
        rc = pk_fail(err, PK_E_VALIDATION,
                     PREFIX "Secondary index %.*s does not project one or more filter attributes: "
                            "%s",
                     PK_FMT(index->name), names.data);
    pk_buf_release(&names);
    return rc;
}
