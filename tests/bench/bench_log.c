/*
 * What the change log costs and how fast its readers are.
 *
 *   put        PutItem on a table with 0, 1, 2 and 5 GSIs, without and with a stream: until the
 *              reply, and until the indexes have followed and the log is trimmed. Against a plain
 *              put, and against LevelDB writing the same rows (item and entries) in one batch.
 *   backfill   an index of a table with items
 *   lag        writers at full speed while the ticker propagates: how far an index falls behind,
 *              and how long it takes to catch up
 *
 * What counts are the ratios of CPU times. BENCH_SECONDS scales the work (default 3; CI uses 1).
 */
#include <leveldb/c.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/ops/core.h"
#include "engine/ops/table_log.h"
#include "tests/support/log_fixture.h"

enum { PUTS_PER_SECOND = 8000, BODY = 200, GROUPS = 1000, WRITERS = 2, INDEXES_MAX = 5 };

static double now_us(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static PK_NORETURN void die(struct engine_fixture *fx, const char *what)
{
    fprintf(stderr, "bench_log: %s: %s\n", what, engine_message(fx));
    exit(1);
}

static pk_value item_of(struct pk_arena *arena, size_t n, pk_slice body)
{
    struct pk_member *item = PK_NEW_ARRAY(arena, struct pk_member, 7);

    for (size_t i = 0; i < INDEXES_MAX; i++) {
        item[i].name = pk_arena_printf(arena, "g%zu", i);
        item[i].value =
            pk_value_string(pk_arena_printf(arena, "GROUP#%06zu", n * (i + 3) % GROUPS));
    }
    item[5].name = PK_LIT("body");
    item[5].value = pk_value_string(body);
    item[6].name = PK_LIT("p");
    item[6].value = pk_value_string(pk_arena_printf(arena, "USER#%08zu", n * 7919 % 10000019));
    return pk_value_map(item, 7);
}

static pk_slice make_body(struct pk_arena *arena)
{
    char *body = pk_arena_alloc(arena, BODY);

    for (size_t i = 0; i < BODY; i++)
        body[i] = (char)('a' + (i * i + i / 3) % 26);
    return pk_slice_of(body, BODY);
}

static void put_many(struct engine_fixture *fx, size_t from, size_t to)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_arena keep = PK_ARENA_INIT;
    pk_slice body = make_body(&keep);

    for (size_t i = from; i < to; i++) {
        struct pk_call call = {.arena = &arena};
        struct pk_write write = {.kind = PK_WRITE_PUT, .table = PK_LIT("T")};
        struct pk_write_result result;

        write.item = item_of(&arena, i, body);
        if (pk_engine_write(fx->engine, &call, &write, &result, &fx->err) != PK_OK)
            die(fx, "put");
        pk_arena_clear(&arena);
    }
    pk_arena_release(&arena);
    pk_arena_release(&keep);
}

static void make_table(struct engine_fixture *fx, size_t indexes, bool stream)
{
    struct pk_buf text = PK_BUF_INIT;
    struct pk_table *table = NULL;

    pk_buf_add_cstr(&text, "T p:S");
    for (size_t i = 0; i < indexes; i++)
        pk_buf_printf(&text, "; gsi i%zu g%zu:S all", i, i);
    engine_table(fx, text.data);
    pk_buf_release(&text);
    if (!stream)
        return;
    if (pk_engine_update_table(fx->engine,
                               &(struct pk_table_change){.name = PK_LIT("T"),
                                                         .stream_given = true,
                                                         .stream = PK_STREAM_NEW_AND_OLD},
                               &table, &fx->err) != PK_OK)
        die(fx, "stream");
    pk_table_unref(table);
}

/* Raw LevelDB ----------------------------------------------------------------------------------*/

static double raw_puts(size_t puts, size_t indexes)
{
    char dir[] = "/tmp/pksk-bench-XXXXXX";
    char value[BODY + 110];
    char *error = NULL;
    leveldb_options_t *options = leveldb_options_create();
    leveldb_writeoptions_t *how = leveldb_writeoptions_create();
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    leveldb_t *db;
    double begin;

    if (mkdtemp(dir) == NULL)
        exit(1);
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (char)('a' + (i * i + i / 3) % 26);
    leveldb_options_set_create_if_missing(options, 1);
    leveldb_options_set_filter_policy(options, leveldb_filterpolicy_create_bloom(10));
    leveldb_options_set_write_buffer_size(options, 16u << 20);
    db = leveldb_open(options, dir, &error);
    begin = now_us(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < puts && error == NULL; i++) {
        char key[64];

        leveldb_writebatch_clear(batch);
        for (size_t k = 0; k <= indexes; k++) {
            int len = snprintf(key, sizeof key, "%zu%08zx_GROUP#%06zu__USER#%08zu", k,
                               (i * 2654435761u + k) & 0xffffffffu, i * (k + 3) % GROUPS, i);

            leveldb_writebatch_put(batch, key, (size_t)len, value, sizeof value);
        }
        leveldb_write(db, how, batch, &error);
    }
    begin = now_us(CLOCK_PROCESS_CPUTIME_ID) - begin;
    if (error != NULL) {
        fprintf(stderr, "bench_log: leveldb: %s\n", error);
        exit(1);
    }
    leveldb_close(db);
    leveldb_destroy_db(options, dir, &error);
    rmdir(dir);
    leveldb_writebatch_destroy(batch);
    leveldb_writeoptions_destroy(how);
    leveldb_options_destroy(options);
    return begin / (double)puts;
}

/* Puts -----------------------------------------------------------------------------------------*/

static void bench_puts(size_t puts)
{
    static const size_t counts[] = {0, 1, 2, 5};
    double plain = 0;

    printf("%zu puts of %d bytes; us of CPU each\n"
           "  GSIs stream      put  to plain   and followed  to plain    raw rows  to raw\n",
           puts, BODY + 110);
    for (size_t i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); i++) {
        size_t indexes = counts[i / 2];
        bool stream = i % 2 == 1;
        struct engine_fixture fx;
        double begin, replied, followed, raw;

        engine_open(&fx);
        make_table(&fx, indexes, stream);
        begin = now_us(CLOCK_PROCESS_CPUTIME_ID);
        put_many(&fx, 0, puts);
        replied = (now_us(CLOCK_PROCESS_CPUTIME_ID) - begin) / (double)puts;
        log_settle(&fx);
        followed = (now_us(CLOCK_PROCESS_CPUTIME_ID) - begin) / (double)puts;
        if (indexes == 0 && !stream) {
            plain = replied;
            if (log_records(&fx, "T") != 0)
                die(&fx, "a table that nobody reads has records");
        }
        raw = raw_puts(puts, indexes);
        printf("  %4zu %-6s %8.2f    %6.2f       %8.2f    %6.2f    %8.2f  %6.2f\n", indexes,
               stream ? "yes" : "no", replied, replied / plain, followed, followed / plain, raw,
               followed / raw);
        engine_close_unchecked(&fx);
    }
}

/* Backfill -------------------------------------------------------------------------------------*/

static void bench_backfill(size_t items)
{
    struct engine_fixture fx;
    double begin;

    engine_open(&fx);
    make_table(&fx, 0, false);
    put_many(&fx, 0, items);
    if (log_create_index(&fx, "T", "gsi late g0:S all") != PK_OK)
        die(&fx, "create index");
    begin = now_us(CLOCK_MONOTONIC);
    log_settle(&fx);
    begin = now_us(CLOCK_MONOTONIC) - begin;
    printf("backfill: %zu items in %.0f ms, %.0f rows/s\n", items, begin / 1e3,
           (double)items / begin * 1e6);
    engine_close(&fx);
}

/* Lag ------------------------------------------------------------------------------------------*/

struct writer {
    struct pk_engine *engine;
    size_t from, to;
    pthread_t thread;
};

static void *write_main(void *context)
{
    struct writer *writer = context;
    struct engine_fixture fx;

    engine_share(&fx, writer->engine);
    put_many(&fx, writer->from, writer->to);
    engine_unshare(&fx);
    return NULL;
}

/* Sequences drawn and not applied. */
static uint64_t behind(struct engine_fixture *fx)
{
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("T"));
    struct pk_table_log *log = pk_table_log(table);
    uint64_t least = pk_log_next(&log->log);
    uint64_t next = least;

    pthread_mutex_lock(&log->apply);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_cursor *cursor = &pk_table_log_reader(log, table->indexes[i].id)->cursor;

        if (pk_cursor_max(cursor) < least)
            least = pk_cursor_max(cursor);
    }
    pthread_mutex_unlock(&log->apply);
    pk_table_unref(table);
    return next - least;
}

static void bench_lag(size_t puts, size_t indexes)
{
    const struct pk_engine_options options = {.memory = true};
    struct engine_fixture fx;
    struct writer writers[WRITERS];
    struct pk_engine *engine = NULL;
    struct pk_error err = PK_ERROR_INIT;
    uint64_t most = 0;
    double begin, wrote, followed;

    if (pk_engine_open(&options, &engine, &err) != PK_OK)
        exit(1);
    engine_share(&fx, engine);
    make_table(&fx, indexes, false);
    log_set_lag(&fx, 1, 0); /* reads leave it to the ticker */
    begin = now_us(CLOCK_MONOTONIC);
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){
            .engine = engine, .from = i * puts / WRITERS, .to = (i + 1) * puts / WRITERS};
        if (pthread_create(&writers[i].thread, NULL, write_main, &writers[i]) != 0)
            exit(1);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        while (pthread_tryjoin_np(writers[i].thread, NULL) != 0) {
            uint64_t now = behind(&fx);

            most = now > most ? now : most;
            usleep(2000);
        }
    }
    wrote = now_us(CLOCK_MONOTONIC) - begin;
    while (behind(&fx) > 1)
        usleep(2000);
    followed = now_us(CLOCK_MONOTONIC) - begin;
    printf("lag: %d writers, %zu GSIs: %.0f puts/s, at most %llu records behind, caught up %.0f ms "
           "after the last put\n",
           WRITERS, indexes, (double)puts / wrote * 1e6, (unsigned long long)most,
           (followed - wrote) / 1e3);
    pk_engine_close(engine);
    engine_unshare(&fx);
}

int main(void)
{
    const char *text = getenv("BENCH_SECONDS");
    double seconds = text == NULL ? 3 : atof(text);
    size_t puts;

    if (seconds < 0.1)
        seconds = 0.1;
    puts = (size_t)(seconds * PUTS_PER_SECOND);
    bench_puts(puts);
    bench_backfill(puts * 4);
    bench_lag(puts * 2, 1);
    bench_lag(puts * 2, 5);
    return 0;
}
