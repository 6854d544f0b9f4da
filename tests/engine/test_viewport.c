/* The rows around a key: windows, paging both ways, searching, counting, what reads went over. */
#include <criterion/criterion.h>

#include "engine/looking.h"
#include "engine/ops/core.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/value_text.h"

/* A call in words: "from" is a map in the notation of value_text.h, NULL for none. */
struct asked {
    const char *table, *index, *from, *search;
    bool backward, whole;
    uint64_t limit, per_collection;
};

static enum pk_code ask(struct engine_fixture *fx, const struct asked *asked,
                        struct pk_viewport *viewport)
{
    const struct pk_viewport_request request = {
        .table = pk_slice_cstr(asked->table == NULL ? "T" : asked->table),
        .index = asked->index == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(asked->index),
        .from = asked->from == NULL ? pk_value_missing() : engine_value(fx, asked->from),
        .search = asked->search == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(asked->search),
        .backward = asked->backward,
        .whole = asked->whole,
        .limit = asked->limit,
        .per_collection = asked->per_collection,
    };

    pk_error_release(&fx->err);
    return pk_engine_viewport(fx->engine, &fx->call, &request, viewport, &fx->err);
}

static void add_value(struct pk_buf *out, pk_value value)
{
    struct pk_arena arena = PK_ARENA_INIT;

    if (pk_value_kind(value) == PK_STRING)
        pk_buf_add(out, pk_value_bytes(value));
    else
        pk_buf_add_cstr(out, value_text_print(&arena, value));
    pk_arena_release(&arena);
}

static void add_group(struct pk_buf *out, const struct pk_key_attr *attrs, size_t count,
                      pk_value key)
{
    for (size_t i = 0; i < count; i++) {
        pk_buf_add_cstr(out, i > 0 ? "+" : "");
        add_value(out, pk_value_get(key, attrs[i].name));
    }
}

/* "a[3/45]: 1 2+ 3- …; b[10000/…+]: 1 · next b:2 · previous a:1": items and bytes of collections, +
 * for more; sort keys with + for returned and - for filtered. */
static const char *picture(struct engine_fixture *fx, const struct pk_viewport *viewport)
{
    static const char *const marks[] = {"", "+", "-"};
    const struct pk_key_schema *schema = &viewport->schema;
    struct pk_buf out = PK_BUF_INIT;
    const char *text;

    for (size_t i = 0; i < viewport->count; i++) {
        const struct pk_viewport_collection *one = &viewport->collections[i];

        pk_buf_add_cstr(&out, i > 0 ? "; " : "");
        add_group(&out, schema->hash, schema->hash_count, one->hash);
        pk_buf_printf(&out, "[%llu/%llu%s]:", (unsigned long long)one->items,
                      (unsigned long long)one->bytes, one->more ? "+" : "");
        for (size_t k = 0; k < one->row_count; k++) {
            pk_buf_add_byte(&out, ' ');
            add_group(&out, schema->range, schema->range_count, one->rows[k].key);
            pk_buf_add_cstr(&out, marks[one->rows[k].read]);
        }
    }
    for (int i = 0; i < 2; i++) {
        pk_value key = i == 0 ? viewport->next : viewport->previous;

        if (pk_value_kind(key) == PK_MISSING)
            continue;
        pk_buf_add_cstr(&out, i == 0 ? " · next " : " · previous ");
        add_group(&out, schema->hash, schema->hash_count, key);
        pk_buf_add_byte(&out, ':');
        add_group(&out, schema->range, schema->range_count, key);
    }
    text = pk_arena_dup(&fx->arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return text;
}

static void put_rows(struct engine_fixture *fx)
{
    static const char *const items[] = {
        "{p: 'Bee', s: 1, v: 'x'}", "{p: 'Bee', s: 2, v: 'yy'}",
        "{p: 'Bee', s: 10}",        "{p: 'c', s: 5, v: 'x'}",
        "{p: 'a', s: -1}",          "{p: 'a', s: 0}",
        "{p: 'a', s: 7}",           "{p: 'a', s: 8}",
    };

    engine_table(fx, "T p:S s:N; gsi G v:S s:N keys; lsi L v:S all");
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
        cr_assert_eq(engine_put(fx, "T", items[i]), PK_OK, "%s", engine_message(fx));
}

/* Tokens order the collections: c, a, Bee. */
static const struct {
    struct asked asked;
    const char *picture;
} windows[] = {
    {{.limit = 10}, "c[1/7]: 5; a[4/20]: -1 0 7 8; Bee[3/26]: 1 2 10"},
    {{.limit = 3}, "c[1/7]: 5; a[4/20]: -1 0 · next a:7"},
    {{.limit = 3, .from = "{p: 'a', s: 7}"},
     "a[4/20]: 7 8; Bee[3/26]: 1 · next Bee:2 · previous a:7"},
    {{.limit = 3, .from = "{p: 'a', s: 7}", .backward = true},
     "c[1/7]: 5; a[4/20]: -1 0 · next a:7"},
    {{.limit = 2, .from = "{p: 'a', s: 7}", .backward = true},
     "a[4/20]: -1 0 · next a:7 · previous a:-1"},
    {{.limit = 2, .from = "{p: 'a', s: 3}"}, "a[4/20]: 7 8 · next Bee:1 · previous a:7"},
    {{.limit = 2, .from = "{p: 'a'}"}, "a[4/20]: -1 0 · next a:7 · previous a:-1"},
    {{.limit = 2, .from = "{p: 'a'}", .backward = true}, "c[1/7]: 5 · next a:-1"},
    {{.limit = 2, .from = "{p: 'c'}", .backward = true}, " · next c:5"},
    {{.limit = 2, .backward = true}, "Bee[3/26]: 2 10 · previous Bee:2"},
    {{.limit = 9, .from = "{p: 'Bee', s: 11}"}, ""},
    {{.limit = 9, .per_collection = 1}, "c[1/7]: 5; a[4/20]: -1; Bee[3/26]: 1"},
    {{.limit = 2, .per_collection = 1}, "c[1/7]: 5; a[4/20]: -1 · next Bee:1"},
    {{.limit = 9, .per_collection = 3}, "c[1/7]: 5; a[4/20]: -1 0 7; Bee[3/26]: 1 2 10"},
    {{.limit = 2, .per_collection = 1, .from = "{p: 'Bee'}", .backward = true},
     "c[1/7]: 5; a[4/20]: -1 · next Bee:1"},
    {{.limit = 3, .per_collection = 2, .backward = true}, "Bee[3/26]: 1 2 · previous Bee:1"},
    {{.limit = 4, .per_collection = 2, .backward = true},
     "a[4/20]: -1 0; Bee[3/26]: 1 2 · previous a:-1"},
    {{.limit = 9, .search = "A"}, "a[4/20]: -1 0 7 8; Bee[3/26]: 1 2 10 · previous a:-1"},
    {{.limit = 1, .search = "C"}, "c[1/7]: 5 · next a:-1"},
    {{.limit = 1, .search = "C", .from = "{p: 'a'}"}, ""},
    {{.limit = 1, .search = "a", .from = "{p: 'a', s: 7}"},
     "a[4/20]: -1 · next a:0 · previous a:-1"},
    {{.limit = 1, .search = "c", .from = "{p: 'Bee', s: 2}", .backward = true},
     "c[1/7]: 5 · next a:-1"},
    {{.limit = 1, .search = "bE", .from = "{p: 'Bee', s: 2}", .backward = true},
     "Bee[3/26]: 1 · next Bee:2 · previous Bee:1"},
    {{.limit = 1, .search = "nobody"}, ""},
    {{.limit = 9, .index = "G"}, "x[2/16]: 1 5; yy[1/10]: 2"},
    {{.limit = 9, .index = "G", .from = "{v: 'x', s: 5, p: 'c'}"},
     "x[2/16]: 5; yy[1/10]: 2 · previous x:5"},
    {{.limit = 9, .index = "G", .from = "{v: 'yy'}", .backward = true}, "x[2/16]: 1 5 · next yy:2"},
    {{.limit = 9, .index = "G", .search = "YY"}, "yy[1/10]: 2 · previous yy:2"},
    {{.limit = 9, .index = "L"}, "c[1/7]: x; Bee[2/19]: x yy"},
};

Test(viewport, windows)
{
    struct engine_fixture fx;

    engine_open(&fx);
    put_rows(&fx);
    for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
        struct pk_viewport viewport;

        cr_assert_eq(ask(&fx, &windows[i].asked, &viewport), PK_OK, "row %zu: %s", i,
                     engine_message(&fx));
        cr_expect_str_eq(picture(&fx, &viewport), windows[i].picture, "row %zu: %s", i,
                         picture(&fx, &viewport));
    }
    engine_close(&fx);
}

static const struct {
    struct asked asked;
    enum pk_code code;
    const char *message;
} refused[] = {
    {{.limit = 1, .table = "U"}, PK_E_NOT_FOUND, "Requested resource not found"},
    {{.limit = 1, .index = "X"}, PK_E_VALIDATION, "The table does not have the specified index: X"},
    {{.limit = 1, .from = "{s: 1}"},
     PK_E_VALIDATION,
     "The provided key element does not match the schema"},
    {{.limit = 1, .from = "{p: 1}"},
     PK_E_VALIDATION,
     "The provided key element does not match the schema"},
    {{.limit = 1, .from = "{p: 'a', x: 1}"},
     PK_E_VALIDATION,
     "The provided key element does not match the schema"},
};

Test(viewport, refused)
{
    struct engine_fixture fx;

    engine_open(&fx);
    put_rows(&fx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct pk_viewport viewport;

        cr_expect_eq(ask(&fx, &refused[i].asked, &viewport), refused[i].code, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), refused[i].message, "row %zu", i);
    }
    engine_close(&fx);
}

/* Page by page to the end, and back from there: the same pages. */
static void page_through(struct engine_fixture *fx, const char *index, uint64_t limit)
{
    struct pk_viewport_request request = {.table = PK_LIT("T"),
                                          .index = index == NULL ? (pk_slice){NULL, 0}
                                                                 : pk_slice_cstr(index),
                                          .from = pk_value_missing(),
                                          .limit = limit};
    const char *pages[64];
    size_t count = 0;
    struct pk_viewport viewport;

    for (;;) {
        cr_assert_eq(pk_engine_viewport(fx->engine, &fx->call, &request, &viewport, &fx->err),
                     PK_OK);
        pages[count++] = picture(fx, &viewport);
        cr_assert_lt(count, 64);
        if (pk_value_kind(viewport.next) == PK_MISSING)
            break;
        request.from = viewport.next;
    }
    cr_assert_gt(count, 1);
    request.backward = true;
    while (count-- > 1) {
        cr_assert_neq(pk_value_kind(viewport.previous), PK_MISSING);
        request.from = viewport.previous;
        cr_assert_eq(pk_engine_viewport(fx->engine, &fx->call, &request, &viewport, &fx->err),
                     PK_OK);
        cr_expect_str_eq(picture(fx, &viewport), pages[count - 1]);
    }
    cr_expect_eq(pk_value_kind(viewport.previous), PK_MISSING);
}

Test(viewport, there_and_back)
{
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S s:N; gsi G v:S keys");
    for (int i = 0; i < 60; i++)
        engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', s: %d, v: 'v%d'}", i % 13, i, i % 7));
    for (uint64_t limit = 1; limit < 60; limit = limit * 2 + 1) {
        page_through(&fx, NULL, limit);
        page_through(&fx, "G", limit);
    }
    engine_close(&fx);
}

static void put_many(struct engine_fixture *fx, uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < from + count; i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_call call = {.arena = &arena};
        struct pk_member *members = PK_NEW_ARRAY(&arena, struct pk_member, 2);
        struct pk_write write = {.kind = PK_WRITE_PUT, .table = PK_LIT("T")};
        struct pk_write_result result;

        members[0] = (struct pk_member){
            PK_LIT("p"), pk_value_string(pk_arena_printf(&arena, "COLLECTION#%u", i))};
        members[1] = (struct pk_member){PK_LIT("s"), pk_value_int(&arena, i)};
        write.item = pk_value_map(members, 2);
        cr_assert_eq(pk_engine_write(fx->engine, &call, &write, &result, &fx->err), PK_OK);
        pk_arena_release(&arena);
    }
}

/* What a call reads does not depend on how many collections there are. */
Test(viewport, many_cost_like_few)
{
    static const struct asked calls[] = {
        {.limit = 8},
        {.limit = 8, .from = "{p: 'COLLECTION#3'}"},
        {.limit = 2, .from = "{p: 'COLLECTION#3'}", .backward = true},
        {.limit = 8, .per_collection = 1},
    };
    uint64_t few[4];
    struct engine_fixture fx;

    engine_open(&fx);
    engine_table(&fx, "T p:S s:N");
    put_many(&fx, 0, 40);
    for (size_t i = 0; i < 4; i++) {
        struct pk_viewport viewport;

        cr_assert_eq(ask(&fx, &calls[i], &viewport), PK_OK);
        few[i] = viewport.rows_read;
        cr_expect_leq(few[i], 16);
    }
    put_many(&fx, 40, 20000);
    for (size_t i = 0; i < 4; i++) {
        struct pk_viewport viewport;

        cr_assert_eq(ask(&fx, &calls[i], &viewport), PK_OK);
        cr_expect_eq(viewport.rows_read, few[i], "call %zu: %llu rows", i,
                     (unsigned long long)viewport.rows_read);
    }
    engine_close(&fx);
}

/* A search looks at a bounded number of collections a call, and goes on from where it stopped. */
Test(viewport, search_goes_on)
{
    for (int backward = 0; backward < 2; backward++) {
        struct pk_viewport_request request = {.table = PK_LIT("T"),
                                              .from = pk_value_missing(),
                                              .search = PK_LIT("collection#7777"),
                                              .backward = backward == 1,
                                              .limit = 1};
        struct pk_viewport viewport;
        struct engine_fixture fx;
        int calls = 0;

        engine_open(&fx);
        engine_table(&fx, "T p:S s:N");
        put_many(&fx, 0, 9000);
        do {
            cr_assert_eq(pk_engine_viewport(fx.engine, &fx.call, &request, &viewport, &fx.err),
                         PK_OK);
            cr_expect_leq(viewport.rows_read, 2 * PK_VIEWPORT_SEARCH_MAX + 10);
            request.from = backward == 1 ? viewport.previous : viewport.next;
            cr_assert_lt(++calls, 6);
        } while (viewport.count == 0 && pk_value_kind(request.from) != PK_MISSING);
        cr_assert_eq(viewport.count, 1);
        cr_expect_str_eq(value_text_print(&fx.arena, viewport.collections[0].hash),
                         "{p:'COLLECTION#7777'}");
        engine_close(&fx);
    }
}

/* A large collection is counted up to a bound, and so are all of a call. */
Test(viewport, counting_is_bounded)
{
    const struct asked first = {.limit = 2, .from = "{p: 'big0', s: 5000}"};
    const struct asked all = {.limit = 9, .per_collection = 1};
    struct engine_fixture fx;
    struct pk_viewport viewport;
    uint64_t counted = 0;

    engine_open(&fx);
    engine_table(&fx, "T p:S s:N");
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 10050; i++)
            engine_put(&fx, "T", engine_format(&fx, "{p: 'big%d', s: %d}", c, i));
        engine_reset(&fx);
    }
    cr_assert_eq(ask(&fx, &first, &viewport), PK_OK);
    cr_expect_eq(viewport.collections[0].items, PK_VIEWPORT_COUNT_MAX);
    cr_expect(viewport.collections[0].more);
    cr_expect_leq(viewport.rows_read, PK_VIEWPORT_COUNT_MAX + 10);
    cr_assert_eq(ask(&fx, &all, &viewport), PK_OK);
    cr_assert_eq(viewport.count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect(viewport.collections[i].more);
        counted += viewport.collections[i].items;
    }
    cr_expect_eq(counted, PK_VIEWPORT_COUNT_CALL_MAX + 1);
    cr_expect_leq(viewport.rows_read, PK_VIEWPORT_COUNT_CALL_MAX + 60);
    engine_close(&fx);
}

/* What is shown of an item is short; asked for whole it comes whole. */
Test(viewport, large_item)
{
    const struct asked window = {.limit = 5};
    const struct asked whole = {.limit = 5, .whole = true};
    struct engine_fixture fx;
    struct pk_viewport viewport;
    const struct pk_viewport_row *row;

    engine_open(&fx);
    engine_table(&fx, "T p:S");
    engine_put(&fx, "T",
               engine_format(&fx, "{p: 'a', b: 1, c: %s, d: 2}", engine_text(&fx, 409000)));
    engine_put(&fx, "T", "{p: 'b', x: 'ä', y: [1]}");
    cr_assert_eq(ask(&fx, &window, &viewport), PK_OK);
    cr_assert_eq(viewport.count, 2);
    for (size_t i = 0; i < 2; i++) {
        row = &viewport.collections[i].rows[0];
        if (pk_slice_equal(pk_value_bytes(pk_value_get(row->key, PK_LIT("p"))), PK_LIT("b"))) {
            cr_expect_str_eq(value_text_print(&fx.arena, pk_view_decode(&fx.arena, row->item)),
                             "{x:'ä',y:[1]}");
            cr_expect_null(row->cut.data);
            continue;
        }
        cr_expect_leq(row->item.len, PK_VIEWPORT_ITEM_MAX + 20);
        cr_expect_eq(pk_view_count(row->item), 2);
        cr_expect(pk_slice_is(row->cut, "c"));
        cr_expect_eq(row->bytes, 409000 + 1 + 2 + 3 + 3);
    }
    cr_assert_eq(ask(&fx, &whole, &viewport), PK_OK);
    cr_assert_eq(viewport.count, 1);
    cr_expect_eq(viewport.collections[0].row_count, 1);
    cr_expect_neq(pk_value_kind(viewport.next), PK_MISSING);
    row = &viewport.collections[0].rows[0];
    cr_expect_eq(pk_view_item_size(row->item), row->bytes);
    engine_close(&fx);
}

/* How reads went over rows, noted while a viewport is open. */
static const struct {
    struct read_text read;
    const char *table, *index; /* pictures after it */
} reads[] = {
    {{.from = "T", .key = "p = :p", .values = "{p: 'a'}"},
     "c[1/7]: 5; a[4/20]: -1+ 0+ 7+ 8+; Bee[3/26]: 1 2 10",
     "x[2/16]: 1 5; yy[1/10]: 2"},
    {{.from = "T", .filter = "s > :n", .values = "{n: 4}"},
     "c[1/7]: 5+; a[4/20]: -1- 0- 7+ 8+; Bee[3/26]: 1- 2- 10+",
     "x[2/16]: 1 5; yy[1/10]: 2"},
    {{.from = "T", .limit = 2}, "c[1/7]: 5+; a[4/20]: -1+ 0 7 8; Bee[3/26]: 1 2 10", NULL},
    {{.from = "T", .limit = 1, .start = "{p: 'a', s: -1}"},
     "c[1/7]: 5+; a[4/20]: -1+ 0+ 7 8; Bee[3/26]: 1 2 10",
     NULL},
};

Test(viewport, how_reads_went)
{
    const struct asked table = {.limit = 20};
    const struct asked index = {.limit = 20, .index = "G"};
    struct engine_fixture fx;
    struct pk_viewport viewport;

    engine_open(&fx);
    put_rows(&fx);
    /* Nobody looks: nothing is noted. */
    cr_assert_eq(engine_get(&fx, "T", "{p: 'Bee', s: 2}"), PK_OK);
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_expect_str_eq(picture(&fx, &viewport), "c[1/7]: 5; a[4/20]: -1 0 7 8; Bee[3/26]: 1 2 10");
    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
        cr_assert_eq(engine_read(&fx, &reads[i].read), PK_OK, "row %zu: %s", i,
                     engine_message(&fx));
        cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
        cr_expect_str_eq(picture(&fx, &viewport), reads[i].table, "row %zu: %s", i,
                         picture(&fx, &viewport));
        if (reads[i].index == NULL)
            continue;
        cr_assert_eq(ask(&fx, &index, &viewport), PK_OK);
        cr_expect_str_eq(picture(&fx, &viewport), reads[i].index, "row %zu", i);
    }
    cr_assert_eq(engine_get(&fx, "T", "{p: 'Bee', s: 2}"), PK_OK);
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_expect_str_eq(picture(&fx, &viewport), "c[1/7]: 5; a[4/20]: -1 0 7 8; Bee[3/26]: 1 2+ 10");
    engine_close(&fx);
}

/* A read of an index lights its rows and puts out the table's. */
Test(viewport, reads_of_an_index)
{
    const struct asked table = {.limit = 20};
    const struct asked index = {.limit = 20, .index = "G"};
    const struct read_text read = {
        .from = "T.G", .key = "v = :v and s > :n", .values = "{v: 'x', n: 2}"};
    struct engine_fixture fx;
    struct pk_viewport viewport;

    engine_open(&fx);
    put_rows(&fx);
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_assert_eq(engine_get(&fx, "T", "{p: 'Bee', s: 2}"), PK_OK);
    cr_assert_eq(engine_read(&fx, &read), PK_OK, "%s", engine_message(&fx));
    cr_assert_eq(ask(&fx, &index, &viewport), PK_OK);
    cr_expect_str_eq(picture(&fx, &viewport), "x[2/16]: 1 5+; yy[1/10]: 2");
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_expect_str_eq(picture(&fx, &viewport), "c[1/7]: 5; a[4/20]: -1 0 7 8; Bee[3/26]: 1 2 10");
    engine_close(&fx);
}

/* The notes go with the lease. */
Test(viewport, lease_of_reads)
{
    const struct asked table = {.limit = 20};
    struct engine_fixture fx;
    struct pk_viewport viewport;

    engine_open(&fx);
    put_rows(&fx);
    cr_expect_not(pk_lease_is_taken(&fx.engine->read_notes.lease));
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_expect(pk_lease_is_taken(&fx.engine->read_notes.lease));
    cr_assert_eq(engine_get(&fx, "T", "{p: 'Bee', s: 2}"), PK_OK);
    (void)pk_engine_tick(fx.engine, FIXTURE_NOW_MS);
    cr_expect(pk_lease_is_taken(&fx.engine->read_notes.lease));
    atomic_store(&fx.engine->read_notes.lease.until_us, 1);
    (void)pk_engine_tick(fx.engine, FIXTURE_NOW_MS);
    cr_expect_not(pk_lease_is_taken(&fx.engine->read_notes.lease));
    cr_expect_null(fx.engine->read_notes.notes[0].rows);
    cr_assert_eq(ask(&fx, &table, &viewport), PK_OK);
    cr_expect_str_eq(picture(&fx, &viewport), "c[1/7]: 5; a[4/20]: -1 0 7 8; Bee[3/26]: 1 2 10");
    engine_close(&fx);
}

/* More rows than are noted, more tables than there are places. */
Test(viewport, notes_are_bounded)
{
    struct pk_read_notes notes;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_reading reading = {.wanted = true};
    struct pk_rows_seen seen;

    pk_read_notes_init(&notes);
    for (uint32_t i = 0; i < PK_READ_NOTE_ROWS + 10; i++)
        pk_reading_add(&reading, &arena, pk_slice_of((const char *)&i, sizeof(i)), i % 2 == 0);
    cr_expect_eq(reading.count, PK_READ_NOTE_ROWS);
    for (uint32_t id = 1; id <= PK_READ_NOTE_TABLES + 1; id++) {
        pk_read_notes_put(&notes, id, id, &reading);
        reading.goes_on = true;
        pk_read_notes_put(&notes, id, id, &reading);
    }
    pk_read_notes_get(&notes, 1, 1, &arena, &seen);
    cr_expect_eq(seen.count, 0);
    pk_read_notes_get(&notes, 2, 2, &arena, &seen);
    cr_expect_eq(seen.count, PK_READ_NOTE_ROWS);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(pk_rows_seen_find(&seen, pk_slice_of((const char *)&i, sizeof(i))),
                     i % 2 == 0 ? PK_ROW_RETURNED : PK_ROW_FILTERED);
    pk_arena_release(&arena);
    pk_read_notes_release(&notes);
}
