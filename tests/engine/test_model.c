/*
 * Random operations on the engine and on a naive model: after each the same answer, and at the end
 * the same content, in the table and in each index. A failure prints its seed; PKSK_SEED repeats
 * it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/base/rng.h"
#include "engine/expr/expr_update.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/naive_model.h"
#include "tests/support/value_text.h"

#define TABLE                                                                                      \
    "T p:S r:N; lsi l a:S include=x; lsi la b:N all; gsi g a:S b:N keys; gsi m x:N+a:S b:N all"

enum { OPERATIONS = 3000, ITEMS_MAX = 256, CHECK_EVERY = 500 };

struct run {
    struct engine_fixture fx;
    struct naive_model model;
    struct pk_rng rng;
    uint64_t seed;
    struct pk_table *table;
};

static uint64_t below(struct run *run, uint64_t n)
{
    return pk_rng_below(&run->rng, n);
}

static const char *random_key(struct run *run)
{
    return engine_format(&run->fx, "p: 'k%d', r: %d", (int)below(run, 4), (int)below(run, 12) - 4);
}

/* Index attributes come and go, and are sometimes of a type that the index refuses. */
static const char *random_item(struct run *run)
{
    const char *text = random_key(run);

    if (below(run, 3) > 0)
        text = engine_format(&run->fx, "%s, a: '%c'", text, (char)('A' + below(run, 3)));
    if (below(run, 3) > 0)
        text = engine_format(&run->fx, "%s, b: %d", text, (int)below(run, 5));
    if (below(run, 3) > 0)
        text = engine_format(&run->fx, "%s, x: %d", text, (int)below(run, 3));
    if (below(run, 20) == 0)
        text = engine_format(&run->fx, "%s, b: 'wrong'", text);
    if (below(run, 4) == 0)
        text = engine_format(&run->fx, "%s, y: [%d, {z: <<1, %d>>}]", text, (int)below(run, 9),
                             2 + (int)below(run, 9));
    return engine_format(&run->fx, "{%s}", text);
}

static const char *const conditions[] = {
    NULL, NULL, "attribute_not_exists(p)", "attribute_exists(a)", "b > :one", "NOT x = :one"};
static const char *const updates[] = {
    "SET b = :one",  "SET a = :text REMOVE y",          "ADD x :one",
    "REMOVE a, b",   "SET y = if_not_exists(y, :list)", "SET y[1] = x",
    "SET b = :text", "ADD b :one SET x = :one",
};
#define VALUES "{one: 1, text: 'B', list: [1]}"

static struct write_text random_write(struct run *run)
{
    struct write_text write = {.table = "T", .values = VALUES};

    write.condition = conditions[below(run, sizeof(conditions) / sizeof(conditions[0]))];
    switch (below(run, 4)) {
    case 0:
    case 1:
        write.kind = PK_WRITE_PUT;
        write.item = random_item(run);
        break;
    case 2:
        write.kind = PK_WRITE_UPDATE;
        write.update = updates[below(run, sizeof(updates) / sizeof(updates[0]))];
        write.item = engine_format(&run->fx, "{%s}", random_key(run));
        break;
    default:
        write.kind = PK_WRITE_DELETE;
        write.item = engine_format(&run->fx, "{%s}", random_key(run));
        break;
    }
    return write;
}

/* The model ------------------------------------------------------------------------------------*/

static pk_value key_of(struct run *run, pk_value item)
{
    struct pk_member *members = PK_NEW_ARRAY(&run->fx.arena, struct pk_member, 2);

    members[0] = (struct pk_member){PK_LIT("p"), pk_value_get(item, PK_LIT("p"))};
    members[1] = (struct pk_member){PK_LIT("r"), pk_value_get(item, PK_LIT("r"))};
    return pk_value_map(members, 2);
}

/* An index key attribute of another type than S (a) or N (b, x). */
static bool breaks_index(pk_value item)
{
    static const struct {
        const char *name;
        enum pk_kind kind;
    } attrs[] = {{"a", PK_STRING}, {"b", PK_NUMBER}, {"x", PK_NUMBER}};

    for (size_t i = 0; i < 3; i++) {
        enum pk_kind kind = pk_value_kind(pk_value_get(item, pk_slice_cstr(attrs[i].name)));

        if (kind != PK_MISSING && kind != attrs[i].kind)
            return true;
    }
    return false;
}

/* What the write makes of the item; the code it must answer with. */
static enum pk_code apply(struct run *run, const struct pk_write *write, pk_value *item)
{
    struct pk_arena *arena = &run->fx.arena;
    pk_value key = key_of(run, write->item);
    pk_value old = naive_get(&run->model, key);
    pk_view view = pk_view_of(arena, old);
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc = PK_OK;

    *item = write->item;
    /* A put's item is checked before its condition. */
    if (write->kind == PK_WRITE_PUT && breaks_index(*item))
        return PK_E_VALIDATION;
    if (write->condition != NULL && !pk_expr_test(write->condition, view))
        return PK_E_CONDITION_FAILED;
    if (write->kind == PK_WRITE_DELETE)
        *item = pk_value_missing();
    if (write->kind == PK_WRITE_UPDATE)
        rc = pk_expr_apply_update(write->update, arena, key, view, item, &err);
    pk_error_release(&err);
    if (rc == PK_OK && pk_value_kind(*item) == PK_MAP && breaks_index(*item))
        return PK_E_VALIDATION;
    return rc;
}

static void write_once(struct run *run, int step)
{
    struct write_text text = random_write(run);
    struct pk_write write = engine_write_of(&run->fx, &text);
    pk_value item;
    enum pk_code want = apply(run, &write, &item);
    enum pk_code got =
        pk_engine_write(run->fx.engine, &run->fx.call, &write, &run->fx.write, &run->fx.err);

    cr_assert_eq(got, want, "seed %llu, step %d: %s: %s", (unsigned long long)run->seed, step,
                 text.item, engine_message(&run->fx));
    pk_error_release(&run->fx.err);
    if (want == PK_OK)
        naive_set(&run->model, key_of(run, write.item), item);
}

/* Up to three writes on different keys, all or nothing. */
static void transact_once(struct run *run, int step)
{
    struct pk_write writes[3];
    struct pk_transact_write request = {.writes = writes};
    struct pk_transact_write_result result;
    pk_value items[3];
    bool ok = true;
    enum pk_code got;

    while (request.count < 3) {
        struct write_text text = random_write(run);
        struct pk_write write = engine_write_of(&run->fx, &text);
        bool repeated = false;

        for (size_t i = 0; i < request.count; i++)
            repeated =
                repeated || pk_value_equal(key_of(run, writes[i].item), key_of(run, write.item));
        if (repeated)
            break;
        ok = apply(run, &write, &items[request.count]) == PK_OK && ok;
        writes[request.count++] = write;
    }
    got = pk_engine_transact_write(run->fx.engine, &run->fx.call, &request, &result, &run->fx.err);
    cr_assert_eq(got, ok ? PK_OK : PK_E_TXN_CANCELED, "seed %llu, step %d: %s",
                 (unsigned long long)run->seed, step, engine_message(&run->fx));
    pk_error_release(&run->fx.err);
    for (size_t i = 0; i < request.count && ok; i++)
        naive_set(&run->model, key_of(run, writes[i].item), items[i]);
}

/* Comparing ------------------------------------------------------------------------------------*/

static void get_once(struct run *run, int step)
{
    const char *key = engine_format(&run->fx, "{%s}", random_key(run));
    pk_value want = naive_get(&run->model, engine_value(&run->fx, key));

    cr_assert_eq(engine_get(&run->fx, "T", key), PK_OK);
    cr_assert_str_eq(engine_item(&run->fx), value_text_print(&run->fx.arena, want),
                     "seed %llu, step %d: %s", (unsigned long long)run->seed, step, key);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines in byte order. */
static const char *sorted(struct engine_fixture *fx, const char *text)
{
    const char *lines[ITEMS_MAX];
    size_t n = 0;
    const char *all = "";

    while (*text != '\0' && n < ITEMS_MAX) {
        size_t len = strcspn(text, "\n");

        lines[n++] = engine_format(fx, "%.*s", (int)len, text);
        text += len + 1;
    }
    qsort(lines, n, sizeof(lines[0]), compare_texts);
    for (size_t i = 0; i < n; i++)
        all = engine_format(fx, "%s%s\n", all, lines[i]);
    return all;
}

static const char *project(struct run *run, const struct pk_index *index, pk_value item)
{
    struct pk_member_vec members = {0};

    for (uint32_t i = 0; i < item.len; i++) {
        if (pk_index_projects(run->table, index, item.u.members[i].name))
            pk_member_vec_add(&members, &run->fx.arena, item.u.members[i].name,
                              item.u.members[i].value);
    }
    return value_text_print(&run->fx.arena, pk_value_map(members.data, members.len));
}

/* Everything in the table or index, scanned in pages, against the model. */
static void compare_all(struct run *run, const struct pk_index *index)
{
    const struct pk_key_schema *key = index == NULL ? &run->table->key : &index->key;
    struct read_text read = {
        .from = index == NULL ? "T" : engine_format(&run->fx, "T.%.*s", PK_FMT(index->name)),
        .limit = 7};
    pk_value items[ITEMS_MAX];
    size_t count = naive_select(&run->model, key, pk_value_missing(), items, ITEMS_MAX);
    const char *want = "";
    const char *got = "";

    for (size_t i = 0; i < count; i++)
        want = engine_format(&run->fx, "%s%s\n", want,
                             index == NULL ? value_text_print(&run->fx.arena, items[i])
                                           : project(run, index, items[i]));
    do {
        cr_assert_eq(engine_read(&run->fx, &read), PK_OK, "%s", engine_message(&run->fx));
        got = engine_format(&run->fx, "%s%s", got, engine_items(&run->fx));
        read.start = value_text_print(&run->fx.arena, run->fx.read.last_key);
    } while (pk_value_kind(run->fx.read.last_key) != PK_MISSING);
    cr_assert_str_eq(sorted(&run->fx, got), sorted(&run->fx, want), "seed %llu: %s",
                     (unsigned long long)run->seed, read.from);
}

static void compare(struct run *run)
{
    compare_all(run, NULL);
    for (size_t i = 0; i < run->table->index_count; i++)
        compare_all(run, &run->table->indexes[i]);
    engine_assert_clean(&run->fx);
}

static uint64_t pick_seed(void)
{
    const char *given = getenv("PKSK_SEED");

    return given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
}

Test(model, random_operations)
{
    struct run run = {.seed = pick_seed()};

    fprintf(stderr, "seed %llu\n", (unsigned long long)run.seed);
    pk_rng_seed(&run.rng, run.seed);
    engine_open(&run.fx);
    engine_table(&run.fx, TABLE);
    run.table = pk_engine_table(run.fx.engine, PK_LIT("T"));
    cr_assert_not_null(run.table);
    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t what = below(&run, 10);

        if (what < 6)
            write_once(&run, i);
        else if (what < 8)
            transact_once(&run, i);
        else
            get_once(&run, i);
        if (i % CHECK_EVERY == CHECK_EVERY - 1)
            compare(&run);
    }
    compare(&run);
    pk_table_unref(run.table);
    naive_release(&run.model);
    engine_close(&run.fx);
}
