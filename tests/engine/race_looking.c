/*
 * Races of those who look: writers, transactions, readers and a table that comes and goes, while
 * viewers follow the latest changes and page through rows, and their lease runs out again and
 * again; run under ThreadSanitizer.
 *
 * Each writer counts its item up by one a write, so who follows the changes sees every number of an
 * item in order, without a gap unless something was lost. An item that a viewport shows is whole.
 *
 *   race_looking [SECONDS] [SEED]       4 seconds by default
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/looking.h"
#include "engine/ops/core.h"
#include "tests/support/race.h"

enum { WRITERS = 3, FOLLOWERS = 2, PAGERS = 2, READERS = 1, SECONDS = 4 };

struct race {
    atomic_uint_least64_t writes, records, lost, pages, reads, leases;
};

/* Writers --------------------------------------------------------------------------------------*/

static void write_once(struct race_worker *worker, int n)
{
    struct engine_fixture *fx = &worker->fx;
    struct pk_write writes[2];
    struct pk_transact_write request = {.writes = writes, .count = 2};
    struct pk_transact_write_result result;
    const char *item = engine_format(fx, "{p: 'w%u', s: 0, n: %d, g: 'G%d'}", worker->number, n,
                                     (int)pk_rng_below(&worker->rng, 3));

    if (n % 7 != 0) {
        if (engine_put(fx, "Items", item) != PK_OK)
            race_fail(worker, "put");
        return;
    }
    writes[0] = engine_write_of(
        fx, &(struct write_text){.kind = PK_WRITE_PUT, .table = "Items", .item = item});
    writes[1] = engine_write_of(
        fx, &(struct write_text){
                .kind = PK_WRITE_PUT,
                .table = "Items",
                .item = engine_format(fx, "{p: 'w%u', s: %d}", worker->number, n % 50 + 1)});
    pk_error_release(&fx->err);
    if (pk_engine_transact_write(fx->engine, &fx->call, &request, &result, &fx->err) != PK_OK)
        race_fail(worker, "transaction");
}

static void *writer_main(void *context)
{
    struct race_worker *worker = context;

    for (int n = 1; !race_is_over(worker); n++) {
        write_once(worker, n);
        atomic_fetch_add(&worker->race->writes, 1);
        engine_reset(&worker->fx);
    }
    return NULL;
}

/* A table that comes and goes, with records of it in the ring. */
static void *definer_main(void *context)
{
    struct race_worker *worker = context;

    while (!race_is_over(worker)) {
        struct pk_table *table = NULL;

        engine_table(&worker->fx, "Gone p:S; gsi G v:S keys");
        (void)engine_put(&worker->fx, "Gone", "{p: 'x', v: 'y'}");
        if (pk_engine_delete_table(worker->fx.engine, PK_LIT("Gone"), &table, &worker->fx.err) !=
            PK_OK)
            race_fail(worker, "drop");
        pk_table_unref(table);
        (void)pk_engine_tick(worker->fx.engine, FIXTURE_NOW_MS);
        engine_reset(&worker->fx);
    }
    return NULL;
}

/* The lease runs out, as if nobody had looked for half a minute: `leases` is odd meanwhile. */
static void *ender_main(void *context)
{
    struct race_worker *worker = context;
    const struct timespec pause = {0, 20000000};

    while (!race_is_over(worker)) {
        nanosleep(&pause, NULL);
        atomic_fetch_add(&worker->race->leases, 1);
        atomic_store(&worker->fx.engine->tail.lease.until_us, 1);
        atomic_store(&worker->fx.engine->read_notes.lease.until_us, 1);
        (void)pk_engine_tick(worker->fx.engine, FIXTURE_NOW_MS);
        atomic_fetch_add(&worker->race->leases, 1);
    }
    return NULL;
}

/* Readers --------------------------------------------------------------------------------------*/

static void *reader_main(void *context)
{
    struct race_worker *worker = context;
    struct engine_fixture *fx = &worker->fx;

    while (!race_is_over(worker)) {
        const struct read_text scan = {.from = "Items", .filter = "n > :n", .values = "{n: 5}"};
        const struct read_text query = {.from = "Items.G", .key = "g = :g", .values = "{g: 'G1'}"};

        if (engine_read(fx, &scan) != PK_OK || engine_read(fx, &query) != PK_OK ||
            engine_get(fx, "Items", "{p: 'w0', s: 0}") != PK_OK)
            race_fail(worker, "read");
        atomic_fetch_add(&worker->race->reads, 3);
        engine_reset(fx);
    }
    return NULL;
}

/* Those who look -------------------------------------------------------------------------------*/

struct follower {
    struct race_worker *worker;
    uint64_t last;
    int64_t seen[WRITERS]; /* the number that each writer's item had last; 0: not known */
    bool gap;
};

static int64_t number_of(pk_view item, const char *name)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_value value = pk_view_decode(&arena, pk_view_member(item, pk_slice_cstr(name)));
    int64_t number = 0;

    if (pk_value_kind(value) == PK_NUMBER) {
        struct pk_num num = pk_value_num(value);
        char text[PK_NUM_TEXT_MAX + 1];

        text[pk_num_format(&num, text)] = '\0';
        number = strtoll(text, NULL, 10);
    }
    pk_arena_release(&arena);
    return number;
}

static enum pk_code follow(void *context, const struct pk_tail_record *record, struct pk_error *err)
{
    struct follower *follower = context;
    pk_slice hash = pk_view_bytes(pk_view_member(record->after, PK_LIT("p")));
    int64_t n = number_of(record->after, "n");
    size_t writer;

    (void)err;
    if (record->number <= follower->last)
        race_fail(follower->worker, "a record comes twice");
    follower->last = record->number;
    if (!pk_slice_is(record->table, "Items") || n == 0)
        return PK_OK;
    writer = (size_t)(hash.data[1] - '0');
    if (follower->seen[writer] != 0 && n != follower->seen[writer] + 1)
        follower->gap = true;
    if (record->before.len > 0 && number_of(record->before, "n") != n - 1)
        race_fail(follower->worker, "the images do not follow each other");
    follower->seen[writer] = n;
    return PK_OK;
}

static void forget(struct follower *follower)
{
    memset(follower->seen, 0, sizeof(follower->seen));
    follower->gap = false;
}

/* What happens while no lease is held is never seen, and is not lost either. */
static void follow_on(struct follower *follower)
{
    struct race_worker *worker = follower->worker;
    const struct pk_tail_request request = {
        .after = follower->last, .limit = 200, .record = follow, .context = follower};
    uint64_t leases = atomic_load(&worker->race->leases);
    struct pk_tail_result result;

    if (pk_engine_tail(worker->fx.engine, &worker->fx.call, &request, &result, &worker->fx.err) !=
        PK_OK)
        race_fail(worker, "tail");
    if (leases % 2 == 0 && atomic_load(&worker->race->leases) == leases && result.lost == 0) {
        if (follower->gap)
            race_fail(worker, "a change is missing");
    } else {
        forget(follower);
    }
    follower->last = result.last;
    atomic_fetch_add(&worker->race->lost, result.lost);
}

static void *follower_main(void *context)
{
    struct race_worker *worker = context;
    struct follower follower = {.worker = worker};
    const struct timespec pause = {0, 1000000};
    uint64_t leases = 0;

    while (!race_is_over(worker)) {
        uint64_t now = atomic_load(&worker->race->leases);

        if (now != leases)
            forget(&follower);
        leases = now;
        follow_on(&follower);
        atomic_fetch_add(&worker->race->records, 1);
        nanosleep(&pause, NULL);
        engine_reset(&worker->fx);
    }
    return NULL;
}

static void *pager_main(void *context)
{
    struct race_worker *worker = context;
    static const char *const indexes[] = {NULL, "G"};
    pk_value from = pk_value_missing();

    for (unsigned i = 0; !race_is_over(worker); i++) {
        const char *index = indexes[i / 8 % 2];
        const struct pk_viewport_request request = {
            .table = PK_LIT("Items"),
            .index = index == NULL ? (pk_slice){NULL, 0} : pk_slice_cstr(index),
            .from = i % 8 == 0 ? pk_value_missing() : from,
            .backward = i % 3 == 1,
            .search = i % 5 == 2 ? PK_LIT("1") : (pk_slice){NULL, 0},
            .limit = 1 + pk_rng_below(&worker->rng, 20),
            .per_collection = pk_rng_below(&worker->rng, 3),
        };
        struct pk_viewport viewport;

        if (pk_engine_viewport(worker->fx.engine, &worker->fx.call, &request, &viewport,
                               &worker->fx.err) != PK_OK)
            race_fail(worker, "viewport");
        for (size_t k = 0; k < viewport.count; k++) {
            if (viewport.collections[k].items < viewport.collections[k].row_count)
                race_fail(worker, "a collection has less items than rows");
        }
        from = viewport.next;
        atomic_fetch_add(&worker->race->pages, 1);
        if (i % 8 == 7)
            engine_reset(&worker->fx);
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------*/

static void start_all(struct race_frame *frame)
{
    for (unsigned i = 0; i < WRITERS; i++)
        race_start(frame, writer_main);
    for (unsigned i = 0; i < FOLLOWERS; i++)
        race_start(frame, follower_main);
    for (unsigned i = 0; i < PAGERS; i++)
        race_start(frame, pager_main);
    for (unsigned i = 0; i < READERS; i++)
        race_start(frame, reader_main);
    race_start(frame, definer_main);
    race_start(frame, ender_main);
}

int main(int argc, char **argv)
{
    struct race_frame frame = race_begin("race_looking", SECONDS, argc, argv);
    struct race race = {0};
    struct engine_fixture fx;

    engine_open(&fx);
    frame.race = &race;
    frame.engine = fx.engine;
    engine_table(&fx, "Items p:S s:N; gsi G g:S keys");
    start_all(&frame);
    race_wait(&frame);
    printf("race_looking: %" PRIuLEAST64 " writes, %" PRIuLEAST64 " looks at changes (%" PRIuLEAST64
           " lost), %" PRIuLEAST64 " pages, %" PRIuLEAST64 " reads, %" PRIuLEAST64 " leases\n",
           atomic_load(&race.writes), atomic_load(&race.records), atomic_load(&race.lost),
           atomic_load(&race.pages), atomic_load(&race.reads), atomic_load(&race.leases) / 2);
    engine_close(&fx);
    return 0;
}
