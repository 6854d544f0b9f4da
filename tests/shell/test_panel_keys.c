/* Keys of the views, against a store of collections that answers what the views ask for. */
#include <criterion/criterion.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "tests/support/panel_fixture.h"

static void setup(void)
{
    cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
}

TestSuite(panel_keys, .init = setup);

/* ---- a store --------------------------------------------------------------------------------- */

enum { ROWS_EACH = 3, HEIGHT = 12, WIDTH = 80 };

struct world {
    size_t collections;
    struct panel_fixture fixture;
    struct pk_arena answer;
    struct sh_views *views;
    struct sh_canvas canvas;
    size_t rows_given; /* of the last answer */
    bool item_gone;
    uint64_t last_read; /* 0: nothing was read */
    size_t read_from;   /* row */
};

static void world_open(struct world *world, enum sh_view_id id, size_t collections)
{
    *world = (struct world){.collections = collections,
                            .answer = PK_ARENA_INIT,
                            .views = sh_views_new(),
                            .canvas = SH_CANVAS_INIT};
    panel_fixture_hot(&world->fixture);
    world->fixture.frame.focus = true;
    sh_views_show(world->views, id);
}

static void world_close(struct world *world)
{
    sh_views_free(world->views);
    sh_canvas_release(&world->canvas);
    pk_arena_release(&world->answer);
    panel_fixture_release(&world->fixture);
}

/* Row i is the (i % 3)rd of collection i / 3. */
static pk_slice key_of(struct world *world, size_t i)
{
    return pk_arena_printf(&world->answer, "{\"row\":%zu}", i);
}

static size_t row_of(pk_slice key, size_t otherwise)
{
    return key.len == 0 ? otherwise : (size_t)strtoul(key.data + 7, NULL, 10);
}

static pk_slice hash_of(struct world *world, size_t collection)
{
    return pk_arena_printf(&world->answer, "USER#%05zu", collection);
}

static void add_row(struct world *world, struct cmd_viewport *viewport, size_t i)
{
    size_t collection = i / ROWS_EACH;
    struct cmd_viewport_collection *last =
        viewport->count == 0 ? NULL : &viewport->collections[viewport->count - 1];
    pk_slice hash = hash_of(world, collection);
    struct cmd_viewport_row row = {.key = key_of(world, i),
                                   .sort = pk_arena_printf(&world->answer, "ORDER#%zu", i % 3),
                                   .bytes = 10 + i % 7,
                                   .item = PK_LIT("total 1")};

    if (last == NULL || !pk_slice_equal(last->hash, hash)) {
        last = &viewport->collections[viewport->count++];
        *last = (struct cmd_viewport_collection){.hash = hash, .items = ROWS_EACH, .bytes = 36};
        last->rows = PK_NEW_ARRAY(&world->answer, struct cmd_viewport_row, ROWS_EACH);
    }
    last->rows[last->row_count++] = row;
}

/* The first row of the first collection from there on whose key contains the text; SIZE_MAX. */
static size_t search(struct world *world, size_t from, pk_slice text)
{
    for (size_t i = from; i < world->collections * ROWS_EACH; i++)
        if (memmem(hash_of(world, i / ROWS_EACH).data, 10, text.data, text.len) != NULL)
            return i;
    return SIZE_MAX;
}

/* Answers as looking.h has it. */
static void answer(struct world *world, const struct sh_needs *needs)
{
    struct cmd_viewport *viewport = &world->fixture.viewport;
    size_t all = world->collections * ROWS_EACH;
    size_t from = row_of(needs->rows.from, needs->rows.backward ? all : 0);
    size_t end = from + needs->rows.limit < all ? from + needs->rows.limit : all;

    if (needs->rows.backward) {
        end = from;
        from = from > needs->rows.limit ? from - needs->rows.limit : 0;
    }
    if (needs->rows.search.len > 0) {
        from = search(world, from, needs->rows.search);
        end = from == SIZE_MAX                 ? SIZE_MAX
              : from + needs->rows.limit < all ? from + needs->rows.limit
                                               : all;
    }
    *viewport = (struct cmd_viewport){0};
    viewport->collections =
        PK_NEW_ARRAY(&world->answer, struct cmd_viewport_collection, needs->rows.limit + 1);
    for (size_t i = from; i < end; i++)
        add_row(world, viewport, i);
    world->rows_given = end - from;
    if (end < all)
        viewport->next = key_of(world, end);
    if (from > 0 && from < all)
        viewport->previous = key_of(world, from);
    viewport->last_read = world->last_read;
    if (world->last_read > 0)
        viewport->read_from = key_of(world, world->read_from);
    world->fixture.frame.viewport_ticket = needs->ticket;
}

static void answer_item(struct world *world, const struct sh_needs *needs)
{
    world->fixture.frame.item = NULL;
    if (needs->item.len == 0)
        return;
    world->fixture.item = (struct sh_item){
        .key = pk_arena_dup(&world->answer, needs->item),
        .text = pk_arena_printf(&world->answer, "key  %.*s\ntotal  45\n", PK_FMT(needs->item)),
        .found = !world->item_gone};
    world->fixture.frame.item = &world->fixture.item;
}

static void draw(struct world *world)
{
    sh_canvas_reset(&world->canvas, &world->fixture.frame.look, HEIGHT, WIDTH);
    sh_views_draw(world->views, &world->canvas, &world->fixture.frame);
}

/* Feeds and draws until nothing new is asked for. */
static void settle(struct world *world)
{
    for (int i = 0; i < 10; i++) {
        struct sh_needs needs;

        pk_arena_clear(&world->answer);
        sh_views_needs(world->views, &needs);
        answer(world, &needs);
        answer_item(world, &needs);
        draw(world);
    }
}

static bool press(struct world *world, enum sh_key_name name)
{
    return sh_views_key(world->views, &(struct sh_key){name, 0});
}

static void type(struct world *world, const char *text)
{
    for (; *text != '\0'; text++)
        cr_assert(sh_views_key(world->views, &(struct sh_key){SH_KEY_CHAR, (uint32_t)*text}));
}

/* A row of the screen as text. */
static const char *row_text(struct world *world, int y)
{
    struct pk_buf text = PK_BUF_INIT;

    for (int x = 0; x < world->canvas.width; x++)
        pk_buf_add_cstr(&text, sh_canvas_at(&world->canvas, y, x)->text);

    pk_slice kept = pk_arena_dup(&world->answer, pk_buf_slice(&text));

    pk_buf_release(&text);
    return kept.data;
}

static int cursor_row(const struct world *world)
{
    for (int y = 0; y < world->canvas.height; y++)
        if (sh_canvas_at(&world->canvas, y, 0)->ink == SH_INK_CURSOR)
            return y;
    return -1;
}

static void expect_row(struct world *world, int y, const char *part)
{
    const char *text = row_text(world, y);

    cr_expect_not_null(strstr(text, part), "row %d is '%s', without '%s'", y, text, part);
}

static void expect_cursor(struct world *world, const char *part)
{
    int y = cursor_row(world);

    cr_assert_geq(y, 0, "no cursor, expected '%s'", part);
    expect_row(world, y, part);
}

/* ---- collections ----------------------------------------------------------------------------- */

Test(panel_keys, collections_scroll_to_both_ends)
{
    struct world world;

    world_open(&world, SH_VIEW_COLLECTIONS, 10000);
    settle(&world);
    expect_cursor(&world, "USER#00000");
    cr_expect_leq(world.rows_given, 60u, "a large table is asked for a few rows only");
    cr_assert(press(&world, SH_KEY_END));
    settle(&world);
    expect_cursor(&world, "ORDER#2");
    cr_expect_eq(cursor_row(&world), HEIGHT - 1);
    expect_row(&world, HEIGHT - 4, "USER#09999");
    cr_assert(press(&world, SH_KEY_UP));
    cr_assert(press(&world, SH_KEY_UP));
    cr_assert(press(&world, SH_KEY_UP));
    settle(&world);
    expect_cursor(&world, "USER#09999");
    cr_assert(press(&world, SH_KEY_HOME));
    settle(&world);
    expect_cursor(&world, "USER#00000");
    cr_expect_eq(cursor_row(&world), 2);
    world_close(&world);
}

/* Random keys: the line under the cursor is the one that a list of all lines has there. */
Test(panel_keys, collections_cursor_is_where_a_plain_list_has_it)
{
    static const struct {
        enum sh_key_name key;
        long by;
    } moves[] = {{SH_KEY_DOWN, 1},
                 {SH_KEY_UP, -1},
                 {SH_KEY_PAGE_DOWN, HEIGHT - 3},
                 {SH_KEY_PAGE_UP, 3 - HEIGHT},
                 {SH_KEY_HOME, -1000000},
                 {SH_KEY_END, 1000000}};
    const long lines = 400 * (ROWS_EACH + 1);

    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct world world;
        struct pk_rng rng;
        long at = 0;

        pk_rng_seed(&rng, seed);
        world_open(&world, SH_VIEW_COLLECTIONS, 400);
        settle(&world);
        for (int step = 0; step < 400; step++) {
            size_t n = pk_rng_below(&rng, step % 50 == 49 ? 6 : 4);
            char expected[40];

            cr_assert(press(&world, moves[n].key));
            at += moves[n].by;
            at = at < 0 ? 0 : at >= lines ? lines - 1 : at;
            settle(&world);
            snprintf(expected, sizeof(expected), at % 4 == 0 ? "USER#%05ld" : "ORDER#%ld",
                     at % 4 == 0 ? at / 4 : at % 4 - 1);
            expect_cursor(&world, expected);
            /* and its collection is the right one, when its own line is in sight */
            if (at % 4 != 0 && cursor_row(&world) - at % 4 >= 2) {
                snprintf(expected, sizeof(expected), "USER#%05ld", at / 4);
                expect_row(&world, cursor_row(&world) - (int)(at % 4), expected);
            }
        }
        world_close(&world);
    }
}

Test(panel_keys, collections_search)
{
    struct world world;

    world_open(&world, SH_VIEW_COLLECTIONS, 1000);
    settle(&world);
    type(&world, "/");
    cr_assert(sh_views_typing(world.views));
    type(&world, "0077x");
    cr_assert(press(&world, SH_KEY_BACKSPACE));
    settle(&world);
    expect_row(&world, HEIGHT - 1, "/0077");
    cr_assert(press(&world, SH_KEY_ENTER));
    cr_assert_not(sh_views_typing(world.views));
    settle(&world);
    expect_cursor(&world, "USER#00077");
    type(&world, "n");
    settle(&world);
    expect_cursor(&world, "USER#00770");
    for (int i = 0; i < 9; i++) {
        type(&world, "n");
        settle(&world);
    }
    expect_cursor(&world, "USER#00779");
    type(&world, "n");
    settle(&world);
    expect_cursor(&world, "USER#00077");
    expect_row(&world, HEIGHT - 1, "found from the first key on");
    type(&world, "/nowhere");
    cr_assert(press(&world, SH_KEY_ENTER));
    settle(&world);
    expect_cursor(&world, "USER#00077");
    expect_row(&world, HEIGHT - 1, "not found");
    cr_assert(press(&world, SH_KEY_ESCAPE), "leaves the search first");
    settle(&world);
    cr_expect_not(press(&world, SH_KEY_ESCAPE), "then the view");
    world_close(&world);
}

Test(panel_keys, collections_open_an_item)
{
    struct world world;

    world_open(&world, SH_VIEW_COLLECTIONS, 10);
    settle(&world);
    for (int i = 0; i < 2; i++)
        cr_assert(press(&world, SH_KEY_DOWN));
    settle(&world);
    expect_cursor(&world, "ORDER#1");
    cr_assert(press(&world, SH_KEY_ENTER));
    settle(&world);
    expect_row(&world, 1, "USER#00000 ORDER#1 · 11 B");
    expect_row(&world, 2, "key  {\"row\":1}");
    expect_row(&world, 3, "total  45");
    world.item_gone = true;
    settle(&world);
    expect_row(&world, 5, "the item is gone");
    cr_assert(press(&world, SH_KEY_ESCAPE));
    settle(&world);
    expect_cursor(&world, "ORDER#1");
    type(&world, "c");
    settle(&world);
    expect_cursor(&world, "USER#00000");
    expect_row(&world, 3, "USER#00001");
    world_close(&world);
}

Test(panel_keys, collections_growth_and_a_new_table)
{
    struct world world;

    world_open(&world, SH_VIEW_COLLECTIONS, 4);
    settle(&world);
    expect_row(&world, 2, "USER#00000  3  36 B");
    cr_expect_null(strstr(row_text(&world, 2), "+"));
    world.fixture.viewport.collections[0].items = 5;
    world.fixture.viewport.collections[1].items = 1;
    draw(&world);
    expect_row(&world, 2, "+2");
    expect_row(&world, 6, "-2");
    cr_assert(press(&world, SH_KEY_DOWN));
    draw(&world);
    world.fixture.snapshot.table = PK_LIT("other");
    world.fixture.viewport.collections[0].items = 7;
    draw(&world);
    expect_row(&world, 0, "other");
    cr_expect_null(strstr(row_text(&world, 2), "+"), "growth begins anew with another table");
    settle(&world);
    expect_cursor(&world, "USER#00000");
    world_close(&world);
}

/* A collection that comes between others is new: all of it has grown. */
Test(panel_keys, collections_a_new_one_is_growth)
{
    struct world world;
    struct cmd_viewport_collection collections[3];

    world_open(&world, SH_VIEW_COLLECTIONS, 2);
    settle(&world);
    memcpy(collections, world.fixture.viewport.collections, 2 * sizeof(*collections));
    collections[2] = collections[1];
    collections[1].hash = PK_LIT("USER#between");
    world.fixture.viewport.collections = collections;
    world.fixture.viewport.count = 3;
    draw(&world);
    expect_row(&world, 6, "USER#between");
    expect_row(&world, 6, "+3");
    cr_expect_null(strstr(row_text(&world, 10), "+"));
    world_close(&world);
}

/* The window goes where the last read began, when that is not in sight. */
Test(panel_keys, collections_follow_what_is_read)
{
    struct world world;

    world_open(&world, SH_VIEW_COLLECTIONS, 1000);
    world.fixture.frame.focus = false;
    world.last_read = 41; /* before the view opened */
    world.read_from = 1500;
    settle(&world);
    expect_row(&world, 2, "USER#00000");
    world.last_read++;
    settle(&world);
    expect_row(&world, 2, "USER#00500");
    world.last_read++;
    world.read_from = 1501; /* in sight: nothing moves */
    settle(&world);
    expect_row(&world, 2, "USER#00500");
    world.last_read++;
    world.read_from = 2401; /* inside a collection, whose line stays on top */
    settle(&world);
    expect_row(&world, 2, "USER#00800");
    expect_row(&world, 3, "ORDER#1");
    world.last_read += 1000; /* traffic */
    world.read_from = 30;
    settle(&world);
    expect_row(&world, 2, "USER#00800");
    settle(&world);
    settle(&world);
    world.last_read++;
    settle(&world);
    expect_row(&world, 2, "USER#00010");
    world.fixture.frame.focus = true;
    cr_assert(press(&world, SH_KEY_DOWN)); /* who moves the cursor is left alone */
    settle(&world);
    world.last_read++;
    world.read_from = 1500;
    settle(&world);
    expect_cursor(&world, "ORDER#0");
    expect_row(&world, 2, "USER#00010");
    world.fixture.frame.focus = false;
    settle(&world);
    world.last_read++;
    settle(&world);
    expect_row(&world, 2, "USER#00500");
    world_close(&world);
}

/* ---- an item of 400 KB ----------------------------------------------------------------------- */

Test(panel_keys, large_item)
{
    struct world world;
    struct pk_buf text = PK_BUF_INIT;

    for (int i = 0; i < 4000; i++)
        pk_buf_printf(&text, "attribute%04d  '%0*d'\n", i, 80, i);
    world_open(&world, SH_VIEW_COLLECTIONS, 1);
    settle(&world);
    cr_assert(press(&world, SH_KEY_ENTER));
    settle(&world);
    world.fixture.item.text = pk_buf_slice(&text);
    draw(&world);
    expect_row(&world, 1, "line 1 of 8000");
    expect_row(&world, 2, "attribute0000  '000");
    cr_assert(press(&world, SH_KEY_END));
    draw(&world);
    expect_row(&world, HEIGHT - 1, "3999'");
    expect_row(&world, 1, "line 7991 of 8000");
    cr_assert(press(&world, SH_KEY_PAGE_UP));
    draw(&world);
    expect_row(&world, 1, "line 7982 of 8000");
    cr_assert(press(&world, SH_KEY_HOME));
    draw(&world);
    expect_row(&world, 1, "line 1 of 8000");
    pk_buf_release(&text);
    world_close(&world);
}

/* ---- heat, stream, indexes, split ------------------------------------------------------------ */

Test(panel_keys, heat_scrolls)
{
    struct panel_fixture many;
    struct world world;
    struct sh_needs needs;

    world_open(&world, SH_VIEW_HEAT, 1);
    panel_fixture_many(&many, 10000, 0, 256);
    many.frame.focus = true;
    panel_fixture_release(&world.fixture);
    world.fixture = many;
    world.fixture.frame.snapshot = &world.fixture.snapshot;
    world.fixture.frame.viewport = &world.fixture.viewport;
    draw(&world);
    sh_views_needs(world.views, &needs);
    cr_expect_eq(needs.first, 0u);
    cr_expect_eq(needs.history, 300u);
    cr_assert(press(&world, SH_KEY_END));
    draw(&world);
    expect_row(&world, HEIGHT - 1, "9999…");
    sh_views_needs(world.views, &needs);
    cr_expect_eq(needs.first, 9995u - 128u);
    cr_assert(press(&world, SH_KEY_UP));
    draw(&world);
    expect_row(&world, HEIGHT - 1, "9998…");
    cr_assert(press(&world, SH_KEY_HOME));
    cr_assert(press(&world, SH_KEY_PAGE_DOWN));
    draw(&world);
    expect_row(&world, HEIGHT - 1, " 9 ");
    cr_expect_not(press(&world, SH_KEY_ENTER));
    cr_expect_not(press(&world, SH_KEY_ESCAPE));
    world_close(&world);
}

static void add_records(struct world *world, struct cmd_tail_record *records, uint64_t first,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        records[i] = (struct cmd_tail_record){
            .number = first + i,
            .event = PK_LIT("INSERT"),
            .cause = PK_LIT("USER"),
            .key = pk_arena_printf(&world->fixture.arena, "KEY#%zu", (size_t)first + i)};
    world->fixture.frame.records = records;
    world->fixture.frame.record_count = count;
}

Test(panel_keys, stream_follows_pauses_and_scrolls_back)
{
    struct cmd_tail_record records[300];
    struct world world;

    world_open(&world, SH_VIEW_STREAM, 1);
    world.fixture.snapshot.index_count = world.fixture.snapshot.reader_count = 0;
    add_records(&world, records, 1, 300);
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#300 ");
    cr_assert(press(&world, SH_KEY_UP));
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#299 ");
    expect_row(&world, 1, "paused · 1 newer");
    add_records(&world, records, 201, 300); /* overlaps */
    world.fixture.frame.records_lost = 7;
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#299 ");
    expect_row(&world, 1, "paused · 201 newer · 7 not seen");
    cr_assert(press(&world, SH_KEY_HOME));
    draw(&world);
    expect_row(&world, 2, "KEY#1 ");
    cr_assert(press(&world, SH_KEY_PAGE_DOWN));
    draw(&world);
    expect_row(&world, 2, "KEY#5 ");
    cr_assert(press(&world, SH_KEY_END));
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#500 ");
    expect_row(&world, 1, "500 records");
    type(&world, "p");
    add_records(&world, records, 501, 10);
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#500 ");
    type(&world, "p");
    draw(&world);
    expect_row(&world, HEIGHT - 2, "KEY#510 ");
    cr_expect_not(press(&world, SH_KEY_ESCAPE));
    world_close(&world);
}

/* More than is kept while paused: what was looked at is gone, the oldest is shown. */
Test(panel_keys, stream_ring_runs_over)
{
    struct cmd_tail_record records[300];
    struct world world;

    world_open(&world, SH_VIEW_STREAM, 1);
    world.fixture.snapshot.index_count = world.fixture.snapshot.reader_count = 0;
    for (uint64_t first = 1; first < 3000; first += 300) {
        add_records(&world, records, first, 300);
        draw(&world);
    }
    expect_row(&world, 1, "2000 records");
    cr_assert(press(&world, SH_KEY_HOME));
    draw(&world);
    expect_row(&world, 2, "KEY#1001 ");
    add_records(&world, records, 1, 5); /* another store: numbers begin anew */
    draw(&world);
    cr_assert(press(&world, SH_KEY_END));
    draw(&world);
    expect_row(&world, 1, "5 records");
    world_close(&world);
}

Test(panel_keys, indexes_scroll_beside_the_base)
{
    struct world world;

    world_open(&world, SH_VIEW_INDEXES, 1);
    draw(&world);
    expect_row(&world, 2, "dashboard             by_total              by_name");
    cr_assert(press(&world, SH_KEY_RIGHT));
    draw(&world);
    expect_row(&world, 2, "dashboard             by_name               by_date");
    cr_assert(press(&world, SH_KEY_RIGHT));
    draw(&world);
    expect_row(&world, 2, "by_date");
    cr_assert(press(&world, SH_KEY_HOME));
    draw(&world);
    expect_row(&world, 2, "by_total");
    cr_expect_not(press(&world, SH_KEY_UP));
    world_close(&world);
}

Test(panel_keys, split_gives_keys_to_one_part)
{
    struct world world;

    world_open(&world, SH_VIEW_SPLIT, 10);
    settle(&world);
    expect_row(&world, 1, "› heat");
    cr_assert(press(&world, SH_KEY_TAB));
    settle(&world);
    expect_row(&world, 6, "› collections");
    expect_cursor(&world, "USER#00000");
    cr_assert(press(&world, SH_KEY_DOWN));
    settle(&world);
    expect_cursor(&world, "ORDER#0");
    cr_assert(press(&world, SH_KEY_TAB));
    settle(&world);
    expect_row(&world, 6, "› stream");
    type(&world, "p");
    cr_assert(press(&world, SH_KEY_TAB));
    settle(&world);
    expect_row(&world, 1, "› heat");
    expect_row(&world, 6, "paused");
    world_close(&world);
}

Test(panel_keys, names_and_function_keys)
{
    enum sh_view_id id = SH_VIEW_HEAT;

    for (int i = 0; i < SH_VIEWS; i++) {
        cr_assert(sh_view_named(pk_slice_cstr(sh_view_name((enum sh_view_id)i)), &id));
        cr_expect_eq((int)id, i);
        cr_expect_eq(sh_view_function_key(id), 2 + i);
    }
    cr_expect_not(sh_view_named(PK_LIT("heats"), &id));
}

/* Any keys, in any view, at any size, while the table grows and shrinks: always sound cells. */
Test(panel_keys, any_keys_at_any_size)
{
    static const uint32_t codes[] = {'/', 'n', 'c', 'p', 'x', '7', 0x65e5};

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct world world;
        struct pk_rng rng;

        pk_rng_seed(&rng, seed);
        world_open(&world, SH_VIEW_SPLIT, 50);
        for (int step = 0; step < 1500; step++) {
            struct sh_key key = {(enum sh_key_name)pk_rng_below(&rng, SH_KEY_ESCAPE + 1),
                                 codes[pk_rng_below(&rng, 7)]};
            struct sh_needs needs;

            if (step % 20 == 0)
                sh_views_show(world.views, (enum sh_view_id)pk_rng_below(&rng, SH_VIEWS));
            if (step % 30 == 0)
                world.collections = pk_rng_below(&rng, 80);
            if (step % 7 == 0) { /* answers come late, and not to every request */
                pk_arena_clear(&world.answer);
                sh_views_needs(world.views, &needs);
                answer(&world, &needs);
                answer_item(&world, &needs);
            }
            (void)sh_views_key(world.views, &key);
            world.fixture.snapshot.time_ms += 300;
            world.fixture.frame.focus = pk_rng_below(&rng, 2) == 0;
            world.fixture.frame.look.utf8 = pk_rng_below(&rng, 2) == 0;
            sh_canvas_reset(&world.canvas, &world.fixture.frame.look, (int)pk_rng_below(&rng, 40),
                            (int)pk_rng_below(&rng, 130));
            sh_views_draw(world.views, &world.canvas, &world.fixture.frame);
            for (int i = 0; i < world.canvas.height * world.canvas.width; i++) {
                const struct sh_cell *cell = &world.canvas.cells[i];

                cr_assert(cell->width <= 2 && cell->ink < SH_INKS, "seed %d step %d", (int)seed,
                          step);
                cr_assert((unsigned char)cell->text[0] >= 0x20 || cell->width == 0);
            }
        }
        world_close(&world);
    }
}
