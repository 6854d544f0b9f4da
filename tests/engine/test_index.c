/* What writes do to indexes and what that costs: the vectors of indexes.md, sparse entries,
 * projections, multi-attribute keys, bad values for index keys. */
#include <criterion/criterion.h>

#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

#define P  "One or more parameter values were invalid: "
#define NV "One or more parameter values are not valid. "

/* One step of the maintenance vector: units of the table and of GSI1 with each projection. */
static const struct step {
    const char *what;
    const char *update; /* of :v; NULL: put of the whole item, "": delete */
    const char *value;  /* of :v; NULL: letters */
    size_t letters;
    int64_t table, keys_only, all;
} steps[] = {
    {"put (new)", NULL, NULL, 0, 1, 1, 1},
    {"put the same again", NULL, NULL, 0, 1, 0, 0},
    {"update D only", "SET D = :v", NULL, 999, 1, 0, 1},
    {"update G1 x to y", "SET G1 = :v", "{v: 'y'}", 0, 1, 2, 2},
    {"remove G1", "REMOVE G1", "{}", 0, 1, 1, 1},
    {"update D, not in index", "SET D = :v", NULL, 1000, 1, 0, 0},
    {"set G1 = z", "SET G1 = :v", "{v: 'z'}", 0, 1, 1, 1},
    {"delete", "", NULL, 0, 1, 1, 1},
};

static enum pk_code run_step(struct engine_fixture *fx, const struct step *step)
{
    const char *key = "{PK: 'U#1', SK: 'A'}";
    const char *value = step->value;

    if (step->update == NULL)
        return engine_put(
            fx, "T",
            engine_format(fx, "{PK: 'U#1', SK: 'A', G1: 'x', D: %s}", engine_text(fx, 1000)));
    if (*step->update == '\0')
        return engine_delete(fx, "T", key);
    if (value == NULL)
        value = engine_format(fx, "{v: %s}", engine_text(fx, step->letters));
    return engine_update(fx, "T", key, step->update, value);
}

static void run_steps(const char *definition, bool all)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, definition);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct step *step = &steps[i];

        cr_assert_eq(run_step(&fx, step), PK_OK, "%s: %s", step->what, engine_message(&fx));
        cr_expect_eq(fx.write.cost.table_milli, step->table * 1000, "%s", step->what);
        cr_expect_eq(engine_index_cost(&fx.write.cost, "GSI1"),
                     (all ? step->all : step->keys_only) * 1000, "%s", step->what);
    }
    engine_close(&fx);
}

Test(index, maintenance_keys_only)
{
    run_steps("T PK:S SK:S; gsi GSI1 G1:S keys", false);
}

Test(index, maintenance_all)
{
    run_steps("T PK:S SK:S; gsi GSI1 G1:S all", true);
}

Test(index, large_entry_moves)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T PK:S; gsi GSI1 G1:S all");
    engine_put(&fx, "T", engine_format(&fx, "{PK: 'k', G1: 'x', D: %s}", engine_text(&fx, 2500)));
    cr_assert_eq(engine_update(&fx, "T", "{PK: 'k'}", "SET G1 = :y", "{y: 'y'}"), PK_OK);
    cr_expect_eq(fx.write.cost.table_milli, 3000);
    cr_expect_eq(engine_index_cost(&fx.write.cost, "GSI1"), 6000);
    engine_close(&fx);
}

Test(index, amplification)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T PK:S; gsi g1 a:S all; gsi g2 b:S all; gsi g3 c:S all; gsi g4 d:S all; "
                      "gsi g5 e:S all");
    cr_assert_eq(engine_put(&fx, "T", "{PK: 'k', a: '1', b: '1', c: '1', d: '1', e: '1'}"), PK_OK);
    cr_expect_eq(engine_write_cost(&fx), 6000);
    cr_assert_eq(engine_put(&fx, "T", "{PK: 'k', a: '2', b: '2', c: '2', d: '2', e: '2'}"), PK_OK);
    cr_expect_eq(engine_write_cost(&fx), 11000);
    engine_close(&fx);
}

/* operations.md §3: put with one LSI and one GSI 3 units, moving the GSI key 4. */
Test(index, consumed_capacity_example)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:S; lsi ls1 a:S all; gsi gs1 b:S all");
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', r: '1', a: '1', b: '1'}"), PK_OK);
    cr_expect_eq(engine_write_cost(&fx), 3000);
    cr_assert_eq(engine_update(&fx, "T", "{p: 'k', r: '1'}", "SET b = :v", "{v: '2'}"), PK_OK);
    cr_expect_eq(fx.write.cost.table_milli, 1000);
    cr_expect_eq(engine_index_cost(&fx.write.cost, "ls1"), 1000);
    cr_expect_eq(engine_index_cost(&fx.write.cost, "gs1"), 2000);
    engine_close(&fx);
}

Test(index, sparse_and_projected)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; lsi l a:S include=x; gsi k g:S keys; gsi all g:S h:N all");
    engine_put(&fx, "T", "{p: 'k', r: 1, a: 'A', g: 'G', h: 5, x: 1, y: 2}");
    engine_put(&fx, "T", "{p: 'k', r: 2, g: 'G', x: 1, y: 2}");
    engine_put(&fx, "T", "{p: 'k', r: 3, a: 'B', x: 1, y: 2}");
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.l"}), PK_OK);
    cr_expect_str_eq(engine_items(&fx), "{a:'A',p:'k',r:1,x:1}\n{a:'B',p:'k',r:3,x:1}\n");
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.k"}), PK_OK);
    cr_expect_str_eq(engine_items(&fx), "{g:'G',p:'k',r:1}\n{g:'G',p:'k',r:2}\n");
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.all"}), PK_OK);
    cr_expect_str_eq(engine_items(&fx), "{a:'A',g:'G',h:5,p:'k',r:1,x:1,y:2}\n");
    engine_close(&fx);
}

/* The worked example of data-model.md §9. */
Test(index, multi_attribute_keys)
{
    static const struct row {
        const char *key;
        bool backward;
        uint64_t limit;
        const char *want; /* the items' names, or a message */
    } queries[] = {
        {"h = :o", false, 0, "p5 p4 p3 p2 p1"},
        {"h = :o AND a = :T", false, 0, "p4 p3 p2 p1"},
        {"h = :o AND a = :T", true, 0, "p1 p2 p3 p4"},
        {"b = :live AND h = :o AND a = :T", false, 0, "p3 p2 p1"},
        {"h = :o AND a = :T AND b < :live", false, 0, "p4"},
        {"h = :o AND a = :T AND b = :live AND c > :a", false, 0, "p1"},
        {"h = :o AND a = :T AND b = :live AND c = :a AND begins_with(d, :r)", false, 0, "p3 p2"},
        {"h = :o AND a = :T", false, 2, "p4 p3"},
    };
    static const char *const items[] = {
        "{PK: 'p1', h: 'o1', a: 'T', b: 'live', c: 'b', d: 'r1'}",
        "{PK: 'p2', h: 'o1', a: 'T', b: 'live', c: 'a', d: 'r2'}",
        "{PK: 'p3', h: 'o1', a: 'T', b: 'live', c: 'a', d: 'r1'}",
        "{PK: 'p4', h: 'o1', a: 'T', b: 'draft', c: 'c', d: 'r1'}",
        "{PK: 'p5', h: 'o1', a: 'F', b: 'live', c: 'a', d: 'r0'}",
        "{PK: 'p6', h: 'o1', a: 'T', b: 'live', d: 'r1'}",
    };
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T PK:S; gsi m h:S a:S+b:S+c:S+d:S all");
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        cr_assert_eq(engine_put(&fx, "T", items[i]), PK_OK);
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        struct pk_buf names = PK_BUF_INIT;
        const char *at;
        enum pk_code rc = engine_read(
            &fx, &(struct read_text){.from = "T.m",
                                     .key = queries[i].key,
                                     .values = "{o: 'o1', T: 'T', live: 'live', a: 'a', r: 'r'}",
                                     .backward = queries[i].backward,
                                     .limit = queries[i].limit});

        cr_assert_eq(rc, PK_OK, "%s: %s", queries[i].key, engine_message(&fx));
        for (at = engine_items(&fx); (at = strstr(at, "PK:'")) != NULL; at++) {
            pk_buf_add_cstr(&names, names.len > 0 ? " " : "");
            pk_buf_add(&names, pk_slice_of(at + 4, 2));
        }
        cr_expect_str_eq(names.data, queries[i].want, "%s", queries[i].key);
        pk_buf_release(&names);
    }
    cr_expect_str_eq(value_text_print(&fx.arena, fx.read.last_key),
                     "{PK:'p3',a:'T',b:'live',c:'a',d:'r1',h:'o1'}");
    engine_close(&fx);
}

/* Values that no index key can have, and what is said about them. */
static const struct bad {
    const char *put;    /* attributes of a put, or NULL */
    const char *update; /* an update and its values */
    const char *values;
    const char *want;
} bads[] = {
    {"c: 1", NULL, NULL, P "Type mismatch for Index Key c Expected: S Actual: N IndexName: index1"},
    {"c: ''", NULL, NULL,
     NV "A value specified for a secondary index key is not supported. The AttributeValue for a "
        "key attribute cannot contain an empty string value. IndexName: index1, IndexKey: c"},
    {"n: 'x'", NULL, NULL, P "Type mismatch for Index Key n Expected: N Actual: S IndexName: gs2"},
    {"b: x''", NULL, NULL,
     NV "A value specified for a secondary index key is not supported. The AttributeValue for a "
        "key attribute cannot contain an empty binary value. IndexName: gs2, IndexKey: b"},
    {NULL, "SET c = :v", "{v: 1}",
     "The update expression attempted to update the secondary index key to unsupported type"},
    {NULL, "SET c = :v", "{v: ''}",
     NV "The update expression attempted to update a secondary index key to a value that is not "
        "supported. The AttributeValue for a key attribute cannot contain an empty string value."},
    {NULL, "SET c.x = :v", "{v: 1}",
     "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
     "IndexKey: c"},
    {NULL, "SET p = :v", "{v: '1'}",
     P "Cannot update attribute p. This attribute is part of the key"},
};

Test(index, bad_values)
{
    struct engine_fixture fx;
    const char *long_text;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N; lsi index1 c:S keys; gsi gs2 n:N b:B all");
    for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
        enum pk_code rc;

        if (bads[i].put != NULL)
            rc = engine_put(&fx, "T", engine_format(&fx, "{p: 'k', r: 1, %s}", bads[i].put));
        else
            rc = engine_update(&fx, "T", "{p: 'k', r: 1}", bads[i].update, bads[i].values);
        cr_expect_eq(rc, PK_E_VALIDATION, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), bads[i].want, "row %zu", i);
    }
    long_text = engine_text(&fx, 1025);
    cr_expect_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k', r: 1, c: %s}", long_text)),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx), P "Aggregated size of all range keys has exceeded the "
                                            "size limit of 1024 bytes");
    cr_expect_eq(engine_update(&fx, "T", "{p: 'k', r: 1}", "SET c = :v",
                               engine_format(&fx, "{v: %s}", long_text)),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx), "The update expression attempted to update the secondary "
                                          "index key beyond allowed size limits");
    cr_expect_eq(engine_put(&fx, "T", "{p: 'k', r: 1, c: 'fine', n: 1}"), PK_OK);
    engine_close(&fx);
}

/* indexes.md §7: 59 items of 1,000 B with an LSI entry of 100 B fit into 64 KB, the 60th does
 * not. */
Test(index, collection_limit)
{
    struct engine_fixture fx;
    struct pk_read_result *read = &fx.read;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:S; lsi l a:S include=x");
    engine_set_collection_limit(&fx, 65536);
    for (int i = 0; i < 60; i++) {
        /* p 2 + r 3 + a 2 + x 93 = 100; the rest makes 1,000 */
        const char *item = engine_format(&fx, "{p: 'k', r: '%02d', a: 'A', x: %s, z: %s}", i,
                                         engine_text(&fx, 92), engine_text(&fx, 899));
        enum pk_code rc = engine_put(&fx, "T", item);

        cr_assert_eq(rc, i < 59 ? PK_OK : PK_E_COLLECTION_SIZE, "item %d: %s", i,
                     engine_message(&fx));
        if (i == 58)
            cr_expect_eq(fx.write.collection_bytes, 64900);
        if (i == 59)
            cr_expect_str_eq(engine_message(&fx), "Collection size exceeded.");
    }
    cr_expect_eq(engine_put(&fx, "T", "{p: 'other', r: '1', a: 'A'}"), PK_OK);
    cr_expect_eq(engine_delete(&fx, "T", "{p: 'k', r: '00'}"), PK_OK);
    cr_expect_eq(engine_put(&fx, "T",
                            engine_format(&fx, "{p: 'k', r: '59', a: 'A', x: %s, z: %s}",
                                          engine_text(&fx, 92), engine_text(&fx, 899))),
                 PK_OK);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.l",
                                                      .key = "p = :p",
                                                      .values = "{p: 'k'}",
                                                      .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(read->count, 59);
    engine_close(&fx);
}

/* Reading: 8 entries of 2,000 B are 2 RCU; an LSI that fetches 4 items 5 or 2.5 (indexes.md §6). */
Test(index, read_costs)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:S; lsi l a:S include=x; gsi g g:S all");
    for (int i = 0; i < 8; i++) /* 2 + 2 + 2 + 1994 */
        engine_put(
            &fx, "T",
            engine_format(&fx, "{p: 'k', r: '%d', g: 'G', z: %s}", i, engine_text(&fx, 1993)));
    cr_assert_eq(
        engine_read(&fx, &(struct read_text){.from = "T.g", .key = "g = :g", .values = "{g: 'G'}"}),
        PK_OK);
    cr_expect_eq(fx.read.facts.bytes, 16000);
    cr_expect_eq(engine_read_cost(&fx), 2000);
    cr_expect_eq(engine_index_cost(&fx.read.cost, "g"), 2000);
    cr_expect_eq(fx.read.cost.table_milli, 0);
    cr_assert_eq(
        engine_read(&fx,
                    &(struct read_text){.from = "T.g", .key = "g = :g", .values = "{g: 'none'}"}),
        PK_OK);
    cr_expect_eq(engine_read_cost(&fx), 500);

    for (int i = 0; i < 4; i++) /* entry 2 + 2 + 2 + 194 = 200, item 300 */
        engine_put(&fx, "T",
                   engine_format(&fx, "{p: 'm', r: '%d', a: 'A', x: %s, y: %s}", i,
                                 engine_text(&fx, 193), engine_text(&fx, 99)));
    for (int strong = 0; strong < 2; strong++) {
        cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.l",
                                                          .key = "p = :p",
                                                          .values = "{p: 'm'}",
                                                          .projection = "r, y",
                                                          .consistent = strong == 1}),
                     PK_OK);
        cr_expect_eq(fx.read.facts.bytes, 2000);
        cr_expect_eq(engine_read_cost(&fx), strong == 1 ? 5000 : 2500);
        cr_expect_eq(engine_index_cost(&fx.read.cost, "l"), strong == 1 ? 1000 : 500);
    }
    engine_close(&fx);
}
