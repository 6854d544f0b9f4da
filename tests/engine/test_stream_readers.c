/* Where readers of streams stand: who is a reader, how far behind it is, and when it is forgotten.
 */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "engine/snapshot.h"
#include "tests/support/engine_fixture.h"

/* ---- the list -------------------------------------------------------------------------------- */

static struct pk_stream_reading reading(uint64_t id, uint32_t table, uint64_t begun, uint64_t next)
{
    return (struct pk_stream_reading){.reader = {.id = id,
                                                 .table_id = table,
                                                 .label_ms = 5,
                                                 .shard = 1,
                                                 .next = next,
                                                 .read_to = next,
                                                 .records = next - begun,
                                                 .heard_us = 1000},
                                      .begun = begun};
}

static void note(struct pk_stream_readers *readers, struct pk_stream_reading reading)
{
    pk_stream_readers_note(readers, &reading);
}

/* "number:next:records " of each reader of the table; in the arena. */
static const char *list(struct pk_stream_readers *readers, struct pk_arena *arena, uint32_t table)
{
    struct pk_stream_reader *all = NULL;
    size_t count = pk_stream_readers_get(readers, arena, table, &all);
    struct pk_buf text = PK_BUF_INIT;
    const char *kept;

    for (size_t i = 0; i < count; i++)
        pk_buf_printf(&text, "%u:%llu:%llu ", all[i].number, (unsigned long long)all[i].next,
                      (unsigned long long)all[i].records);
    kept = pk_arena_dup(arena, count == 0 ? PK_LIT("") : pk_buf_slice(&text)).data;
    pk_buf_release(&text);
    return kept;
}

Test(stream_readers, a_chain_of_iterators_is_a_reader)
{
    struct pk_stream_readers readers;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_stream_reading other_shard;
    uint64_t a, b;

    pk_stream_readers_init(&readers);
    a = pk_stream_readers_id(&readers, false);
    b = pk_stream_readers_id(&readers, false);
    cr_assert_lt(a, b);
    note(&readers, reading(a, 1, 1, 4));
    note(&readers, reading(b, 1, 1, 2));
    note(&readers, reading(a, 1, 4, 9));
    cr_assert_str_eq(list(&readers, &arena, 1), "1:9:8 2:2:1 ");
    note(&readers, reading(a, 2, 1, 3)); /* the id alone is not the reader */
    other_shard = reading(a, 1, 1, 6);
    other_shard.reader.shard = 2;
    note(&readers, other_shard);
    cr_assert_str_eq(list(&readers, &arena, 1), "1:9:8 2:2:1 3:6:5 ");
    cr_assert_str_eq(list(&readers, &arena, 2), "1:3:2 ");
    pk_stream_readers_leave(&readers, a, 1);
    cr_assert_str_eq(list(&readers, &arena, 1), "2:2:1 3:6:5 ");
    pk_arena_release(&arena);
    pk_stream_readers_release(&readers);
}

Test(stream_readers, the_end_of_a_shard_is_the_end_of_its_readers)
{
    struct pk_stream_readers readers;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_stream_reading last;
    uint64_t a;

    pk_stream_readers_init(&readers);
    a = pk_stream_readers_id(&readers, false);
    note(&readers, reading(a, 1, 1, 4));
    last = reading(a, 1, 4, 9);
    last.ended = true;
    note(&readers, last);
    cr_assert_str_eq(list(&readers, &arena, 1), "");
    note(&readers, last); /* and one that reads all with one call never was one */
    cr_assert_str_eq(list(&readers, &arena, 1), "");
    pk_arena_release(&arena);
    pk_stream_readers_release(&readers);
}

/* A consumer that begins at its sequence number anew for each call stays one reader; two of them
 * that stand at the same place are two, from the second call of the older on. */
Test(stream_readers, one_that_resumes_takes_the_place_of_the_older)
{
    struct pk_stream_readers readers;
    struct pk_arena arena = PK_ARENA_INIT;
    uint64_t ids[4];

    pk_stream_readers_init(&readers);
    for (size_t i = 0; i < 4; i++)
        ids[i] = pk_stream_readers_id(&readers, true);
    note(&readers, reading(ids[0], 1, 1, 4));
    note(&readers, reading(ids[1], 1, 4, 4));
    note(&readers, reading(ids[2], 1, 4, 7));
    cr_assert_str_eq(list(&readers, &arena, 1), "1:7:6 ");
    note(&readers, reading(ids[3], 1, 4, 5)); /* where nobody stopped */
    cr_assert_str_eq(list(&readers, &arena, 1), "1:7:6 2:5:1 ");
    note(&readers, reading(ids[0], 1, 5, 5)); /* older than the one that stopped there */
    cr_assert_str_eq(list(&readers, &arena, 1), "1:7:6 2:5:1 3:5:0 ");
    note(&readers, reading(pk_stream_readers_id(&readers, false), 1, 7, 7)); /* LATEST */
    cr_assert_str_eq(list(&readers, &arena, 1), "1:7:6 2:5:1 3:5:0 4:7:0 ");
    pk_arena_release(&arena);
    pk_stream_readers_release(&readers);
}

Test(stream_readers, too_many_push_out_the_quietest)
{
    struct pk_stream_readers readers;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_stream_reader *all = NULL;
    struct pk_stream_reading one;

    pk_stream_readers_init(&readers);
    for (uint32_t i = 0; i < PK_STREAM_READERS_MAX + 10; i++) {
        one = reading(pk_stream_readers_id(&readers, false), 1, 1, 2);
        one.reader.heard_us = 1000 + i;
        note(&readers, one);
    }
    cr_assert_eq(pk_stream_readers_get(&readers, &arena, 1, &all), PK_STREAM_READERS_MAX);
    cr_assert_eq(all[0].number, 11U);
    for (uint32_t table = 2; table < 2000; table++) {
        one = reading(pk_stream_readers_id(&readers, false), table, 1, 2);
        one.reader.heard_us = 2000 + table;
        note(&readers, one);
    }
    cr_assert_eq(readers.count, PK_STREAM_READERS_ALL);
    cr_assert_str_eq(list(&readers, &arena, 1), "");
    cr_assert_str_eq(list(&readers, &arena, 1999), "1:2:1 ");
    pk_arena_release(&arena);
    pk_stream_readers_release(&readers);
}

Test(stream_readers, who_is_quiet_for_long_is_forgotten)
{
    struct pk_stream_readers readers;
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_stream_reading later;

    pk_stream_readers_init(&readers);
    note(&readers, reading(pk_stream_readers_id(&readers, false), 1, 1, 2));
    later = reading(pk_stream_readers_id(&readers, false), 1, 1, 3);
    later.reader.heard_us = 1001;
    note(&readers, later);
    pk_stream_readers_tick(&readers, 1000 + PK_STREAM_READER_GONE_US - 1);
    cr_assert_str_eq(list(&readers, &arena, 1), "1:2:1 2:3:2 ");
    pk_stream_readers_tick(&readers, 1000 + PK_STREAM_READER_GONE_US);
    cr_assert_str_eq(list(&readers, &arena, 1), "2:3:2 ");
    pk_arena_release(&arena);
    pk_stream_readers_release(&readers);
}

/* ---- in an engine ---------------------------------------------------------------------------- */

static enum pk_code skip(void *context, const struct pk_stream_record *record, struct pk_error *err)
{
    (void)context;
    (void)record;
    (void)err;
    return PK_OK;
}

static struct pk_table *make_table(struct engine_fixture *fx)
{
    struct pk_table_spec spec = engine_spec(fx, "T p:S");
    struct pk_table *table = NULL;

    spec.stream = PK_STREAM_NEW_IMAGE;
    cr_assert_eq(pk_engine_create_table(fx->engine, &spec, &table, &fx->err), PK_OK, "%s",
                 engine_message(fx));
    return table;
}

/* An iterator on the shard that has item 'a'. */
static pk_slice begin(struct engine_fixture *fx, enum pk_stream_start start)
{
    struct pk_stream_name *streams = NULL;
    struct pk_stream_info info = {0};
    struct pk_place place;
    struct pk_iterator_request request = {.start = start};
    pk_slice text = {NULL, 0};
    size_t count = 0;

    pk_engine_list_streams(fx->engine, &fx->call, PK_LIT("T"), &streams, &count);
    cr_assert_eq(count, 1U);
    cr_assert_eq(pk_engine_describe_stream(fx->engine, &fx->call, &streams[0], &info, &fx->err),
                 PK_OK);
    cr_assert_eq(pk_engine_where(fx->engine, &fx->call,
                                 &(struct pk_where){PK_LIT("T"), (pk_slice){NULL, 0},
                                                    engine_value(fx, "{p:'a'}")},
                                 &place, &fx->err),
                 PK_OK);
    request.stream = streams[0];
    request.shard_id = info.shards[place.partition].id;
    cr_assert_eq(pk_engine_shard_iterator(fx->engine, &fx->call, &request, &text, &fx->err), PK_OK);
    return text;
}

static void take(struct engine_fixture *fx, pk_slice *at, uint64_t limit)
{
    struct pk_records_request request = {.iterator = *at, .limit = limit, .record = skip};

    cr_assert_eq(pk_engine_stream_records(fx->engine, &fx->call, &request, at, &fx->err), PK_OK,
                 "%s", engine_message(fx));
}

/* "number sequence records waiting[+] oldest" of each reader, a line each. */
static const char *look(struct engine_fixture *fx)
{
    const struct pk_snapshot_request request = {.table = PK_LIT("T"), .limit = 1};
    struct pk_snapshot snapshot;
    struct pk_buf text = PK_BUF_INIT;
    const char *kept;

    cr_assert_eq(pk_engine_snapshot(fx->engine, &fx->call, &request, &snapshot, &fx->err), PK_OK);
    for (size_t i = 0; i < snapshot.reader_count; i++) {
        const struct pk_reader_look *reader = &snapshot.readers[i];

        pk_buf_printf(&text, "%u %s %llu %llu%s %lld\n", reader->number,
                      reader->sequence.data == NULL ? "–" : "at",
                      (unsigned long long)reader->records, (unsigned long long)reader->waiting,
                      reader->more ? "+" : "", (long long)reader->oldest_ms);
    }
    pk_snapshot_release(&snapshot);
    kept = pk_arena_dup(&fx->arena, text.len == 0 ? PK_LIT("") : pk_buf_slice(&text)).data;
    pk_buf_release(&text);
    return kept;
}

static void advance(struct engine_fixture *fx, int64_t ms)
{
    int64_t to_ms = pk_clock_now(pk_engine_clock(fx->engine)) + ms;

    cr_assert_eq(pk_engine_advance(fx->engine, &fx->call, to_ms, &fx->err), PK_OK);
}

static void write_items(struct engine_fixture *fx, int count)
{
    static int serial;

    for (int i = 0; i < count; i++)
        cr_assert_eq(engine_put(fx, "T", engine_format(fx, "{p:'a',n:%d}", ++serial)), PK_OK);
}

Test(stream_readers, how_far_behind)
{
    struct engine_fixture fx;
    struct pk_table *table;
    pk_slice first, second;

    engine_open(&fx);
    table = make_table(&fx);
    cr_assert_str_eq(look(&fx), "");
    write_items(&fx, 5);
    first = begin(&fx, PK_STREAM_TRIM_HORIZON);
    second = begin(&fx, PK_STREAM_LATEST);
    cr_assert_str_eq(look(&fx), "", "an iterator that nobody used is no reader");
    take(&fx, &first, 2);
    take(&fx, &second, 100);
    cr_assert_str_eq(look(&fx), "1 at 2 3 0\n2 – 0 0 0\n");
    advance(&fx, 3000);
    write_items(&fx, 1);
    advance(&fx, 1000);
    cr_assert_str_eq(look(&fx), "1 at 2 4 4000\n2 – 0 1 1000\n");
    take(&fx, &first, 3);
    cr_assert_str_eq(look(&fx), "1 at 5 1 1000\n2 – 0 1 1000\n");
    take(&fx, &second, 100);
    take(&fx, &first, 100);
    cr_assert_str_eq(look(&fx), "1 at 6 0 0\n2 at 1 0 0\n");
    pk_engine_stream_leave(fx.engine, &fx.call, first);
    pk_engine_stream_leave(fx.engine, &fx.call, PK_LIT("nothing"));
    cr_assert_str_eq(look(&fx), "2 at 1 0 0\n");
    pk_table_unref(table);
    engine_close(&fx);
}

/* A look counts a thousand records and the next one goes on, also when the reader moves. */
Test(stream_readers, who_is_far_behind_is_counted_in_some_looks)
{
    struct engine_fixture fx;
    struct pk_table *table;
    pk_slice at;

    engine_open(&fx);
    table = make_table(&fx);
    write_items(&fx, 2600);
    at = begin(&fx, PK_STREAM_TRIM_HORIZON);
    take(&fx, &at, 100);
    cr_assert_str_eq(look(&fx), "1 at 100 1000+ 0\n");
    take(&fx, &at, 50);
    cr_assert_str_eq(look(&fx), "1 at 150 1950+ 0\n");
    cr_assert_str_eq(look(&fx), "1 at 150 2450 0\n");
    write_items(&fx, 3);
    take(&fx, &at, 1000);
    cr_assert_str_eq(look(&fx), "1 at 1150 1453 0\n");
    pk_table_unref(table);
    engine_close(&fx);
}
