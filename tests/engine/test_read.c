/* Query and scan: ranges, pages, start keys, segments, what filters and projections may mention. */
#include <criterion/criterion.h>

#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

#define P        "One or more parameter values were invalid: "
#define INVALID  "The provided starting key is invalid"
#define MISMATCH "The provided key element does not match the schema"

static void fill(struct engine_fixture *fx)
{
    engine_open(fx);
    engine_table(fx, "H a:S; gsi g c:S keys");
    engine_table(fx, "T p:S r:N; lsi l c:S include=x; gsi g1 g:S h:N all; gsi g2 g:S keys");
    for (int i = 0; i < 6; i++)
        engine_put(fx, "T",
                   engine_format(fx, "{p: 'k', r: %d, c: 'c%d', g: 'G', h: %d, x: %d}", i - 2,
                                 9 - i, i / 2, i));
    engine_put(fx, "T", "{p: 'ka', r: 0}");
    engine_put(fx, "H", "{a: 'only'}");
}

/* The values of attribute r, in order. */
static const char *ranges(struct engine_fixture *fx)
{
    struct pk_buf list = PK_BUF_INIT;
    pk_slice copy;

    for (const char *at = engine_items(fx); (at = strstr(at, ",r:")) != NULL; at += 3)
        pk_buf_printf(&list, "%s%.*s", list.len > 0 ? " " : "", (int)strcspn(at + 3, ",}"), at + 3);
    copy = pk_arena_dup(&fx->arena, pk_buf_slice(&list));
    pk_buf_release(&list);
    return copy.data;
}

Test(read, ranges)
{
    static const struct row {
        const char *from, *key, *values;
        bool backward;
        const char *want;
    } rows[] = {
        {"T", "p = :k", "{k: 'k'}", false, "-2 -1 0 1 2 3"},
        {"T", "p = :k", "{k: 'k'}", true, "3 2 1 0 -1 -2"},
        {"T", "p = :k AND r = :v", "{k: 'k', v: 1}", false, "1"},
        {"T", "p = :k AND r < :v", "{k: 'k', v: 1}", false, "-2 -1 0"},
        {"T", "p = :k AND r <= :v", "{k: 'k', v: 1}", false, "-2 -1 0 1"},
        {"T", "p = :k AND r > :v", "{k: 'k', v: 1}", false, "2 3"},
        {"T", "p = :k AND r > :v", "{k: 'k', v: 0.5}", false, "1 2 3"},
        {"T", "p = :k AND r >= :v", "{k: 'k', v: 1}", true, "3 2 1"},
        {"T", "p = :k AND r BETWEEN :v AND :w", "{k: 'k', v: -1, w: 1}", false, "-1 0 1"},
        {"T", "p = :k", "{k: 'none'}", false, ""},
        {"T.l", "p = :k", "{k: 'k'}", false, "3 2 1 0 -1 -2"},
        {"T.l", "p = :k AND begins_with(c, :v)", "{k: 'k', v: 'c5'}", false, "2"},
        {"T.l", "p = :k AND c > :v", "{k: 'k', v: 'c5'}", false, "1 0 -1 -2"},
        {"T.g1", "g = :k", "{k: 'G'}", false, "-2 -1 0 1 2 3"},
        {"T.g1", "g = :k AND h = :v", "{k: 'G', v: 1}", true, "1 0"},
        {"T.g1", "g = :k AND h < :v", "{k: 'G', v: 1}", false, "-2 -1"},
    };
    struct engine_fixture fx;

    fill(&fx);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(engine_read(&fx, &(struct read_text){.from = rows[i].from,
                                                          .key = rows[i].key,
                                                          .values = rows[i].values,
                                                          .backward = rows[i].backward}),
                     PK_OK, "row %zu: %s", i, engine_message(&fx));
        cr_expect_str_eq(ranges(&fx), rows[i].want, "row %zu", i);
    }
    engine_close(&fx);
}

/* Reads everything in pages of `limit`, in both directions, and must see what one page sees. */
static void walk(struct engine_fixture *fx, const char *from, const char *key, bool backward)
{
    struct read_text all = {.from = from, .key = key, .values = "{k: 'k'}", .backward = backward};
    const char *whole;

    if (strncmp(from, "T.g", 3) == 0)
        all.values = "{k: 'G'}";
    if (key == NULL)
        all.values = NULL;
    cr_assert_eq(engine_read(fx, &all), PK_OK, "%s", engine_message(fx));
    whole = engine_format(fx, "%s", engine_items(fx));
    for (uint64_t limit = 1; limit < 4; limit++) {
        struct read_text page = all;
        const char *sum = "";

        page.limit = limit;
        do {
            cr_assert_eq(engine_read(fx, &page), PK_OK, "%s", engine_message(fx));
            cr_assert_leq(fx->read.scanned, limit);
            sum = engine_format(fx, "%s%s", sum, engine_items(fx));
            page.start = value_text_print(&fx->arena, fx->read.last_key);
        } while (pk_value_kind(fx->read.last_key) != PK_MISSING);
        cr_expect_str_eq(sum, whole, "%s by %d", from, (int)limit);
    }
}

Test(read, pages)
{
    struct engine_fixture fx;

    fill(&fx);
    for (int backward = 0; backward < 2; backward++) {
        walk(&fx, "T", "p = :k", backward == 1);
        walk(&fx, "T.l", "p = :k", backward == 1);
        walk(&fx, "T.g1", "g = :k", backward == 1);
        walk(&fx, "T.g2", "g = :k", backward == 1);
    }
    walk(&fx, "T", NULL, false);
    walk(&fx, "T.l", NULL, false);
    walk(&fx, "T.g1", NULL, false);
    /* A limit equal to the number of matches still answers with a key; the next page is empty. */
    cr_assert_eq(engine_read(&fx,
                             &(struct read_text){
                                 .from = "T", .key = "p = :k", .values = "{k: 'k'}", .limit = 6}),
                 PK_OK);
    cr_expect_str_eq(value_text_print(&fx.arena, fx.read.last_key), "{p:'k',r:3}");
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                      .key = "p = :k",
                                                      .values = "{k: 'k'}",
                                                      .limit = 6,
                                                      .start = "{p: 'k', r: 3}"}),
                 PK_OK);
    cr_expect_eq(fx.read.scanned, 0);
    cr_expect_eq(pk_value_kind(fx.read.last_key), PK_MISSING);
    cr_expect_eq(engine_read_cost(&fx), 500);
    engine_close(&fx);
}

Test(read, last_key_members)
{
    static const struct row {
        const char *from, *want;
    } rows[] = {
        {"T", "{p:'k',r:-2}"},
        {"T.l", "{c:'c4',p:'k',r:3}"},
        {"T.g1", "{g:'G',h:0,p:'k',r:-2}"},
        {"T.g2", "{g:'G',p:'k',r:-2}"},
    };
    struct engine_fixture fx;

    fill(&fx);
    engine_delete(&fx, "T", "{p: 'ka', r: 0}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(engine_read(&fx, &(struct read_text){.from = rows[i].from, .limit = 1}),
                     PK_OK);
        cr_expect_str_eq(value_text_print(&fx.arena, fx.read.last_key), rows[i].want, "%s",
                         rows[i].from);
    }
    engine_close(&fx);
}

/* operations.md §6, ExclusiveStartKey. The start key need not exist. */
static const struct start {
    const char *from, *key, *values, *start, *want;
} starts[] = {
    {"T", "p = :k", "{k: 'k'}", "{p: 'k', r: 0.5}", ""},
    {"T", "p = :k", "{k: 'k'}", "{p: 'k'}", INVALID},
    {"T", "p = :k", "{k: 'k'}", "{p: 'k', r: 1, x: 1}", INVALID},
    {"T", "p = :k", "{k: 'k'}", "{p: 'k', r: '1'}", INVALID ": " MISMATCH},
    {"T", "p = :k", "{k: 'k'}", "{p: 'z', r: 1}",
     "The provided starting key is outside query boundaries based on provided conditions"},
    {"T", "p = :k AND r > :v", "{k: 'k', v: 3}", "{p: 'k', r: 2}",
     "The provided starting key does not match the range key predicate"},
    {"T", "p = :k AND r > :v", "{k: 'k', v: 1}", "{p: 'z', r: 2}",
     "The query can return at most one row and cannot be restarted"},
    {"T", "p = :k AND r = :v", "{k: 'k', v: 1}", "{p: 'k', r: 1}", ""},
    {"H", "a = :k", "{k: 'only'}", "{a: 'only'}", ""},
    {"T.l", "p = :k", "{k: 'k'}", "{p: 'k', r: 1}", INVALID},
    {"T.l", "p = :k", "{k: 'k'}", "{p: 'k', r: 1, c: 1}", MISMATCH},
    {"T.g1", "g = :k", "{k: 'G'}", "{g: 'G', h: 1, p: 'k', r: 'x'}", INVALID ": " MISMATCH},
    {"T.g1", "g = :k", "{k: 'G'}", "{g: 'X', h: 1, p: 'k', r: 1}",
     "The provided starting key is outside query boundaries based on provided conditions"},
    {"T", NULL, NULL, "{p: 'k'}", INVALID ": " MISMATCH},
    {"T", NULL, NULL, "{p: 'k', r: 'x'}", INVALID ": " MISMATCH},
    {"T.g1", NULL, NULL, "{g: 'G', h: 1}", INVALID},
    {"T", NULL, NULL, "{p: '', r: 1}",
     INVALID ": One or more parameter values are not valid. The AttributeValue for a key "
             "attribute cannot contain an empty string value. Key: p"},
};

Test(read, start_keys)
{
    struct engine_fixture fx;

    fill(&fx);
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        enum pk_code rc = engine_read(&fx, &(struct read_text){.from = starts[i].from,
                                                               .key = starts[i].key,
                                                               .values = starts[i].values,
                                                               .start = starts[i].start});

        cr_expect_eq(rc, *starts[i].want == '\0' ? PK_OK : PK_E_VALIDATION, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), starts[i].want, "row %zu", i);
    }
    /* A page that reaches its Limit has a key, also where one row is all there can be. */
    cr_assert_eq(
        engine_read(
            &fx,
            &(struct read_text){.from = "H", .key = "a = :k", .values = "{k: 'only'}", .limit = 1}),
        PK_OK);
    cr_expect_eq(pk_value_kind(fx.read.last_key), PK_MAP);
    engine_close(&fx);
}

/* What an expression may mention. */
static const struct mention {
    const char *from, *key, *filter, *projection;
    enum pk_select select;
    bool consistent;
    const char *want;
} mentions[] = {
    {"nope", "p = :k", NULL, NULL, PK_SELECT_DEFAULT, false, "Requested resource not found"},
    {"T.nope", "p = :k", NULL, NULL, PK_SELECT_DEFAULT, false,
     "The table does not have the specified index: nope"},
    {"T.g1", "g = :k", NULL, NULL, PK_SELECT_DEFAULT, true,
     "Consistent reads are not supported on global secondary indexes"},
    {"T.l", "p = :k", NULL, NULL, PK_SELECT_DEFAULT, true, ""},
    {"T", "p = :k", "r = :k", NULL, PK_SELECT_DEFAULT, false,
     "Filter Expression can only contain non-primary key attributes: Primary key attribute: r"},
    {"T", "p = :k", "x = :k OR NOT p = :k", NULL, PK_SELECT_DEFAULT, false,
     "Filter Expression can only contain non-primary key attributes: Primary key attribute: p"},
    {"T.g1", "g = :k", "h = :k", NULL, PK_SELECT_DEFAULT, false,
     "Filter Expression can only contain non-primary key attributes: Primary key attribute: h"},
    {"T.g1", "g = :k", "p = :k AND size(r) < :k", NULL, PK_SELECT_DEFAULT, false, ""},
    {"T", "p = :k", "g.x = :k", NULL, PK_SELECT_DEFAULT, false,
     "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
     "IndexKey: g"},
    {"T", NULL, "r[0] = :k", NULL, PK_SELECT_DEFAULT, false,
     "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
     "Key: r"},
    {"T", NULL, "r = :k", NULL, PK_SELECT_DEFAULT, false, ""},
    {"T", "p = :k", NULL, "x, p.q", PK_SELECT_DEFAULT, false,
     "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
     "Key: p"},
    {"T.g2", "g = :k", NULL, NULL, PK_SELECT_ALL, false,
     P "Select type ALL_ATTRIBUTES is not supported for global secondary index g2 because its "
       "projection type is not ALL"},
    {"T.g1", "g = :k", NULL, NULL, PK_SELECT_ALL, false, ""},
    {"T.g2", "g = :k", NULL, "p, y.z, x, y.q", PK_SELECT_DEFAULT, false,
     P "Global secondary index g2 does not project [y, x]"},
    {"T.g2", "g = :k", "x = :k", NULL, PK_SELECT_DEFAULT, false,
     P "Secondary index g2 does not project one or more filter attributes: [x]"},
    {"T.l", "p = :k", "y = :k AND x = :k", NULL, PK_SELECT_DEFAULT, false,
     P "Secondary index l does not project one or more filter attributes: [y]"},
    {"T.l", "p = :k", NULL, "y", PK_SELECT_DEFAULT, false, ""},
};

Test(read, mentions)
{
    struct engine_fixture fx;

    fill(&fx);
    for (size_t i = 0; i < sizeof(mentions) / sizeof(mentions[0]); i++) {
        const struct mention *row = &mentions[i];
        enum pk_code rc = engine_read(&fx, &(struct read_text){.from = row->from,
                                                               .key = row->key,
                                                               .filter = row->filter,
                                                               .projection = row->projection,
                                                               .select = row->select,
                                                               .consistent = row->consistent,
                                                               .values = "{k: 'k'}"});

        cr_expect_eq(rc == PK_OK, *row->want == '\0', "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), row->want, "row %zu", i);
    }
    engine_close(&fx);
}

Test(read, filter_and_count)
{
    struct engine_fixture fx;

    fill(&fx);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                      .key = "p = :k",
                                                      .filter = "x >= :v",
                                                      .values = "{k: 'k', v: 3}",
                                                      .limit = 5}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 2);
    cr_expect_eq(fx.read.scanned, 5);
    cr_expect_str_eq(ranges(&fx), "1 2");
    cr_expect_eq(fx.read.facts.items_read, 5);
    cr_expect_eq(fx.read.facts.items_returned, 2);
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                      .filter = "x >= :v",
                                                      .values = "{v: 3}",
                                                      .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 3);
    cr_expect_eq(fx.read.scanned, 7);
    cr_expect_str_eq(engine_items(&fx), "");
    cr_expect_eq(fx.read.facts.items_returned, 0);
    engine_close(&fx);
}

/* The page rule: 1,024 items of 1,025 B end a page after the one that crosses the megabyte
 * (partitions-capacity.md §11.2). */
Test(read, page_of_a_megabyte)
{
    struct engine_fixture fx;
    const char *text;

    engine_open(&fx);
    engine_table(&fx, "T p:S r:N");
    text = engine_text(&fx, 1025 - 8); /* p 1 k 1, r 1 and 4, v 1 */
    for (int i = 1; i <= 1030; i++) {
        const char *item = engine_format(&fx, "{p: 'k', r: %d.5, v: %s}", 1010 + i, text);

        cr_assert_eq(engine_put(&fx, "T", item), PK_OK);
    }
    for (int scan = 0; scan < 2; scan++) {
        struct read_text read = {.from = "T", .select = PK_SELECT_COUNT};

        if (scan == 0) {
            read.key = "p = :k";
            read.values = "{k: 'k'}";
        }
        cr_assert_eq(engine_read(&fx, &read), PK_OK);
        cr_expect_eq(fx.read.scanned, 1024);
        cr_expect_eq(fx.read.facts.bytes, 1049600);
        cr_expect_eq(engine_read_cost(&fx), 128500);
        cr_expect_str_eq(value_text_print(&fx.arena, fx.read.last_key), "{p:'k',r:2034.5}");
    }
    engine_close(&fx);
}

/* Each item is in exactly one segment; a start key of another segment is refused. */
Test(read, segments)
{
    struct engine_fixture fx;
    uint64_t sum = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    for (int i = 0; i < 300; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'USER#%d'}", i));
    for (uint32_t i = 0; i < 7; i++) {
        cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                          .select = PK_SELECT_COUNT,
                                                          .segment = i,
                                                          .total_segments = 7}),
                     PK_OK);
        cr_expect_gt(fx.read.count, 20);
        sum += fx.read.count;
    }
    cr_expect_eq(sum, 300);
    /* USER#123 lies in the first of two halves. */
    cr_expect_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                      .segment = 1,
                                                      .total_segments = 2,
                                                      .start = "{p: 'USER#123'}"}),
                 PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     INVALID ": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                             "correct Segment. TotalSegments: 2 Segment: 1");
    cr_expect_eq(engine_read(&fx, &(struct read_text){.from = "T",
                                                      .segment = 0,
                                                      .total_segments = 2,
                                                      .start = "{p: 'USER#123'}"}),
                 PK_OK);
    engine_close(&fx);
}

Test(read, facts)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    engine_put(&fx, "T", "{p: 'USER#123'}");
    engine_put(&fx, "T", "{p: 'USER#999'}");
    engine_read(&fx, &(struct read_text){.from = "T"});
    cr_expect_eq(fx.read.facts.partition, 0);
    cr_expect_eq(fx.read.facts.partitions_touched, 4);
    engine_read(&fx, &(struct read_text){.from = "T", .limit = 2});
    cr_expect_eq(fx.read.facts.partitions_touched, 2, "stopped in the second");
    engine_read(&fx, &(struct read_text){.from = "T", .segment = 1, .total_segments = 2});
    cr_expect_eq(fx.read.facts.partition, 2);
    cr_expect_eq(fx.read.facts.partitions_touched, 2);
    engine_read(&fx,
                &(struct read_text){.from = "T", .key = "p = :k", .values = "{k: 'USER#123'}"});
    cr_expect_eq(fx.read.facts.partition, 1);
    cr_expect_eq(fx.read.facts.partitions_touched, 1);
    cr_expect_eq(fx.read.facts.partition_count, 4);
    engine_close(&fx);
}

Test(read, cancelled)
{
    struct engine_fixture fx;
    atomic_bool cancel = true;

    fill(&fx);
    fx.call.cancel = &cancel;
    cr_expect_eq(engine_read(&fx, &(struct read_text){.from = "T"}), PK_E_CANCELLED);
    fx.call.cancel = NULL;
    engine_close(&fx);
}
