/*
 * What would avoid a Scan: the get or query that the filter nearly is, a query on an index that is
 * there, or the index to make. Each as a ready statement; what must be filled in stands in <>.
 */
#include "commands/ddl.h"
#include "commands/explain/explain_plan.h"
#include "commands/wire.h"

enum { ADVICE_MAX = 4 };

struct adviser {
    const struct explain_plan *plan;
    struct pk_arena *arena;
    struct explain_terms terms;
    struct explain_advice *list;
    size_t count;
};

/* ---- key values as the shell reads them ------------------------------------------------------ */

/* The language decides: the word alone as a command's second word must be no clause. */
static bool is_language_word(pk_slice word)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error ignored = PK_ERROR_INIT;
    struct cmd_statement statement = {pk_arena_printf(&arena, "x %.*s", PK_FMT(word)), 0};
    struct cmd_args_spec spec = {.command = "x", .key_first = true};
    struct cmd_args args;
    bool found = cmd_args_parse(&statement, &spec, &args, &ignored) != PK_OK ||
                 cmd_word_is(word, "between") || cmd_word_is(word, "begins_with");

    pk_error_release(&ignored);
    pk_arena_release(&arena);
    return found;
}

static bool is_bareword(pk_slice text)
{
    static const char inner[] = "_#.:@/-+$";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!letter && (c == '\0' || i == 0 || strchr(inner, c) == NULL))
            return false;
    }
    return text.len > 0 && memmem(text.data, text.len, "..", 2) == NULL && !is_language_word(text);
}

static void add_value(struct pk_buf *out, pk_view view, struct pk_arena *arena)
{
    pk_value value = pk_view_decode(arena, view);

    if (pk_value_kind(value) == PK_STRING && is_bareword(pk_value_bytes(value)))
        pk_buf_add(out, pk_value_bytes(value));
    else
        cmd_value_text(out, value);
}

/* " PROFILE", " ORDER#*", " a..b", " > 5": the sort key's part of a query. False when the range
 * form cannot say it. */
static bool add_range(struct pk_buf *out, const struct pk_node *term, struct pk_arena *arena)
{
    pk_view first = term->count > 1 ? term->args[1]->value : PK_VIEW_MISSING;

    pk_buf_add_byte(out, ' ');
    if (term->op == PK_OP_EQ || term->op == PK_OP_BEGINS_WITH || term->op == PK_OP_BETWEEN) {
        add_value(out, first, arena);
        if (term->op == PK_OP_BEGINS_WITH)
            pk_buf_add_byte(out, '*');
        if (term->op == PK_OP_BETWEEN) {
            pk_buf_add_cstr(out, "..");
            add_value(out, term->args[2]->value, arena);
        }
        return true;
    }
    if (term->op != PK_OP_LT && term->op != PK_OP_LE && term->op != PK_OP_GT &&
        term->op != PK_OP_GE)
        return false;
    pk_buf_printf(out, "%s ", pk_op_name(term->op));
    add_value(out, first, arena);
    return true;
}

/* ---- what the filter says -------------------------------------------------------------------- */

static bool is_range(enum pk_op op)
{
    return op == PK_OP_LT || op == PK_OP_LE || op == PK_OP_GT || op == PK_OP_GE ||
           op == PK_OP_BETWEEN || op == PK_OP_BEGINS_WITH;
}

/* The type of the literal that the attribute is compared with, if it can be a key's. */
static enum pk_kind key_type(const struct pk_node *term)
{
    enum pk_kind kind = term->count > 1 && term->args[1]->op == PK_OP_VALUE
                            ? pk_view_kind(term->args[1]->value)
                            : PK_MISSING;

    return kind == PK_STRING || kind == PK_NUMBER || kind == PK_BINARY ? kind : PK_MISSING;
}

/* The first term about the attribute that could be a key condition; equality before the rest. */
static const struct pk_node *term_on(const struct adviser *adviser, pk_slice name)
{
    const struct pk_node *found = NULL;

    for (size_t i = 0; i < adviser->terms.count; i++) {
        const struct pk_node *term = adviser->terms.list[i];

        if (!pk_slice_equal(explain_attribute(term), name) || key_type(term) == PK_MISSING)
            continue;
        if (term->op == PK_OP_EQ)
            return term;
        if (found == NULL && is_range(term->op))
            found = term;
    }
    return found;
}

static const struct pk_node *equality_on(const struct adviser *adviser, pk_slice name)
{
    const struct pk_node *term = term_on(adviser, name);

    return term != NULL && term->op == PK_OP_EQ ? term : NULL;
}

static void advise(struct adviser *adviser, pk_slice label, struct pk_buf *statement,
                   pk_slice remark)
{
    struct explain_advice *advice = &adviser->list[adviser->count];

    if (adviser->count < ADVICE_MAX) {
        advice->label = label;
        advice->statement = pk_arena_dup(adviser->arena, pk_buf_slice(statement));
        advice->remark = remark;
        adviser->count++;
    }
    pk_buf_release(statement);
}

/* ---- the key of what is read ----------------------------------------------------------------- */

/* With the partition key known: get when the filter fixes the sort key, else a query. */
static void advise_key(struct adviser *adviser)
{
    const struct cmd_target *target = &adviser->plan->target;
    const struct pk_key_schema *key = cmd_target_key(target);
    struct pk_buf out = PK_BUF_INIT;
    const struct pk_node *hash, *range = NULL;
    pk_slice name = key->hash[0].name;
    bool whole;

    if (key->hash_count != 1 || key->range_count > 1)
        return;
    hash = equality_on(adviser, name);
    if (key->range_count == 1)
        range = term_on(adviser, key->range[0].name);
    whole = target->index == NULL &&
            (key->range_count == 0 || (range != NULL && range->op == PK_OP_EQ));
    pk_buf_add_cstr(&out, whole ? "get " : "query ");
    if (hash != NULL)
        add_value(&out, hash->args[1]->value, adviser->arena);
    else
        pk_buf_printf(&out, "<%.*s>", PK_FMT(name));
    if (range != NULL)
        (void)add_range(&out, range, adviser->arena);
    if (target->index != NULL)
        pk_buf_printf(&out, " on %.*s", PK_FMT(target->index->name));
    advise(adviser,
           pk_arena_printf(adviser->arena,
                           hash != NULL ? "%.*s is known:" : "with %.*s known:", PK_FMT(name)),
           &out, whole ? PK_LIT("GetItem, 1 partition") : PK_LIT("Query, 1 partition"));
}

/* ---- an index that is there ------------------------------------------------------------------ */

static bool serves(const struct adviser *adviser, const struct pk_index *index)
{
    for (size_t i = 0; i < index->key.hash_count; i++) {
        if (equality_on(adviser, index->key.hash[i].name) == NULL)
            return false;
    }
    return !index->local && index != adviser->plan->target.index;
}

static void advise_index(struct adviser *adviser, const struct pk_index *index)
{
    const struct pk_key_schema *key = &index->key;
    const struct pk_node *hash = equality_on(adviser, key->hash[0].name);
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add_cstr(&out, "query ");
    if (hash != NULL && key->hash_count == 1 && key->range_count <= 1) {
        const struct pk_node *range =
            key->range_count == 1 ? term_on(adviser, key->range[0].name) : NULL;

        add_value(&out, hash->args[1]->value, adviser->arena);
        if (range != NULL)
            (void)add_range(&out, range, adviser->arena);
    } else {
        for (size_t i = 0; i < key->hash_count; i++) {
            const struct pk_node *term = equality_on(adviser, key->hash[i].name);

            if (term == NULL)
                continue;
            pk_buf_add_cstr(&out, i == 0 ? "" : " and ");
            explain_name(&out, key->hash[i].name);
            pk_buf_add_cstr(&out, " = ");
            cmd_value_text(&out, pk_view_decode(adviser->arena, term->args[1]->value));
        }
    }
    pk_buf_printf(&out, " on %.*s", PK_FMT(index->name));
    advise(adviser, pk_arena_printf(adviser->arena, "by %.*s:", PK_FMT(key->hash[0].name)), &out,
           PK_LIT("Query on the index"));
}

/* ---- an index to make ------------------------------------------------------------------------ */

static bool is_table_key(const struct adviser *adviser, pk_slice name)
{
    const struct pk_key_schema *key = &adviser->plan->target.table->key;

    return pk_slice_equal(name, key->hash[0].name) ||
           (key->range_count > 0 && pk_slice_equal(name, key->range[0].name));
}

/* "by_name", with the letters that index names may have; another number while it is taken. */
static pk_slice index_name(const struct adviser *adviser, pk_slice attribute)
{
    pk_slice name = pk_arena_printf(adviser->arena, "by_%.*s", PK_FMT(attribute));
    char *letters = pk_arena_alloc(adviser->arena, name.len);
    pk_slice candidate = {letters, name.len};

    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.';

        letters[i] = legal ? c : '_';
    }
    for (int n = 2; pk_table_index(adviser->plan->target.table, candidate) != NULL; n++)
        candidate = pk_arena_printf(adviser->arena, "%.*s%d", (int)name.len, letters, n);
    return candidate;
}

static void add_key_part(struct pk_buf *out, const struct pk_node *term)
{
    cmd_ddl_print_name(out, explain_attribute(term));
    pk_buf_printf(out, " %s", pk_kind_tag(key_type(term)));
}

/* The term that picks the partition key: equality on an attribute that is no key yet. */
static const struct pk_node *new_hash(const struct adviser *adviser)
{
    for (size_t i = 0; i < adviser->terms.count; i++) {
        const struct pk_node *term = adviser->terms.list[i];
        pk_slice name = explain_attribute(term);

        if (term->op == PK_OP_EQ && name.data != NULL && key_type(term) != PK_MISSING &&
            !is_table_key(adviser, name))
            return term;
    }
    return NULL;
}

/* The term for the sort key: a range before an equality, and none on the partition key. */
static const struct pk_node *new_range(const struct adviser *adviser, const struct pk_node *hash)
{
    const struct pk_node *found = NULL;

    for (size_t i = 0; i < adviser->terms.count; i++) {
        const struct pk_node *term = adviser->terms.list[i];
        pk_slice name = explain_attribute(term);

        if (name.data == NULL || key_type(term) == PK_MISSING ||
            (hash != NULL && pk_slice_equal(name, explain_attribute(hash))))
            continue;
        if (is_range(term->op))
            return term;
        if (found == NULL && hash != NULL && term->op == PK_OP_EQ)
            found = term;
    }
    return found;
}

static void advise_new(struct adviser *adviser)
{
    const struct pk_node *hash = new_hash(adviser);
    const struct pk_node *range = new_range(adviser, hash);
    struct pk_buf out = PK_BUF_INIT;
    pk_slice name;

    if (hash == NULL && (range == NULL || is_table_key(adviser, explain_attribute(range))))
        return;
    name = explain_attribute(hash != NULL ? hash : range);
    pk_buf_add_cstr(&out, "alter table ");
    cmd_ddl_print_name(&out, adviser->plan->target.table->name);
    pk_buf_printf(&out, " add gsi %.*s (", PK_FMT(index_name(adviser, name)));
    if (hash != NULL)
        add_key_part(&out, hash);
    else
        pk_buf_add_cstr(&out, "<A> S");
    if (range != NULL) {
        pk_buf_add_cstr(&out, ", ");
        add_key_part(&out, range);
    }
    pk_buf_add_cstr(&out, ");");
    advise(adviser, pk_arena_printf(adviser->arena, "by %.*s:", PK_FMT(name)), &out,
           hash != NULL ? PK_LIT("Query on the index")
                        : PK_LIT("Query on the index; A: what is known for sure"));
}

size_t explain_instead(const struct explain_plan *plan, struct explain_advice **out)
{
    struct adviser adviser = {.plan = plan, .arena = plan->native.arena};
    const struct pk_table *table = plan->target.table;
    bool served = false;

    if (plan->write || strcmp(plan->native.operation, "Scan") != 0 || plan->native.filter == NULL)
        return 0;
    explain_terms_of(plan->native.filter, adviser.arena, &adviser.terms);
    adviser.list = PK_NEW_ARRAY(adviser.arena, struct explain_advice, ADVICE_MAX);
    advise_key(&adviser);
    for (size_t i = 0; i < table->index_count; i++) {
        if (!serves(&adviser, &table->indexes[i]))
            continue;
        served = true;
        advise_index(&adviser, &table->indexes[i]);
    }
    if (!served && equality_on(&adviser, table->key.hash[0].name) == NULL)
        advise_new(&adviser);
    *out = adviser.list;
    return adviser.count;
}
