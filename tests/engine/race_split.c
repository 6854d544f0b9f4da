/*
 * Races of splits; run under ThreadSanitizer.
 *
 * Writers give each item of their own the next value, one thread splits the table and its GSI
 * wherever it likes, others read across the borders, build another GSI, tick and check. In the end
 * the stream, read parents before children, must tell of each item all of its values in order, the
 * items hold the last ones, and bytes and items of every partition equal a recount.
 *
 *   race_split [SECONDS] [SEED]       5 seconds by default
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "tests/support/log_fixture.h"
#include "tests/support/race.h"
#include "tests/support/split_fixture.h"

enum { WRITERS = 4, SORTS = 30, ITEMS = WRITERS * SORTS };

struct race {
    uint64_t seed;         /* for messages */
    int64_t values[ITEMS]; /* each written by one thread */
    atomic_uint_least64_t writes, splits, reads, ticks;
};

static const char *key_of(struct engine_fixture *fx, unsigned item)
{
    return engine_format(fx, "{p: 'k%u', r: %u}", item % 3, item);
}

static void *writer_main(void *context)
{
    struct race_worker *worker = context;
    struct engine_fixture *fx = &worker->fx;
    int64_t *values = worker->race->values;

    while (!race_is_over(worker)) {
        unsigned item = worker->number * SORTS + (unsigned)pk_rng_below(&worker->rng, SORTS);
        const char *next = engine_format(fx, "{v: %lld, g: 'G%lld'}", (long long)values[item] + 1,
                                         (long long)values[item] % 3);

        if (engine_update(fx, "T", key_of(fx, item), "SET v = :v, g = :g", next) != PK_OK)
            race_fail(worker, "write");
        values[item]++;
        atomic_fetch_add(&worker->race->writes, 1);
        engine_reset(fx);
    }
    return NULL;
}

static void *splitter_main(void *context)
{
    struct race_worker *worker = context;
    struct engine_fixture *fx = &worker->fx;

    while (!race_is_over(worker)) {
        unsigned item = (unsigned)pk_rng_below(&worker->rng, ITEMS);
        bool index = pk_rng_below(&worker->rng, 3) == 0;
        const char *key = engine_format(fx, "{g: 'G%d', p: 'k%u', r: %u}",
                                        (int)pk_rng_below(&worker->rng, 3), item % 3, item);
        pk_slice position =
            split_position(fx, index ? "T.by_g" : "T", index ? key : key_of(fx, item));

        if (split_before(fx, index ? "T.by_g" : "T", &position, 1) != PK_OK)
            race_fail(worker, "split");
        atomic_fetch_add(&worker->race->splits, 1);
        engine_reset(fx);
    }
    return NULL;
}

static void *reader_main(void *context)
{
    struct race_worker *worker = context;
    struct engine_fixture *fx = &worker->fx;

    while (!race_is_over(worker)) {
        bool index = pk_rng_below(&worker->rng, 2) == 0;

        if (engine_read(fx, &(struct read_text){.from = index ? "T.by_g" : "T",
                                                .key = index ? "g = :k" : "p = :k",
                                                .values = index ? "{k: 'G1'}" : "{k: 'k1'}"}) !=
            PK_OK)
            race_fail(worker, "query");
        if (fx->read.facts.partition + fx->read.facts.partitions_touched >
            fx->read.facts.partition_count)
            race_fail(worker, "more partitions than there are");
        (void)split_text(fx, "T");
        atomic_fetch_add(&worker->race->reads, 1);
        engine_reset(fx);
    }
    return NULL;
}

/* Another index is built, and goes, while the table it copies is split. */
static void move_index(struct race_worker *worker)
{
    struct engine_fixture *fx = &worker->fx;
    const char *status = log_index_status(fx, "T", "late");
    enum pk_code rc = PK_OK;

    if (strcmp(status, "") == 0)
        rc = log_create_index(fx, "T", "gsi late v:N all provisioned=1/1");
    else if (strcmp(status, "ACTIVE") == 0)
        rc = log_delete_index(fx, "T", "late");
    if (rc != PK_OK)
        race_fail(worker, "an index that comes and goes");
}

static void *ticker_main(void *context)
{
    struct race_worker *worker = context;

    for (unsigned round = 0; !race_is_over(worker); round++) {
        log_tick(&worker->fx);
        if (round % 50 == 0)
            engine_assert_clean(&worker->fx);
        if (round % 40 == 39)
            move_index(worker);
        if (round % 20 == 0)
            log_set_lag(&worker->fx, pk_rng_below(&worker->rng, 2) * 20,
                        pk_rng_below(&worker->rng, 2) * 30);
        atomic_fetch_add(&worker->race->ticks, 1);
        engine_reset(&worker->fx);
    }
    return NULL;
}

/* Afterwards -----------------------------------------------------------------------------------*/

struct replay {
    struct race *race;
    int64_t last[ITEMS];
};

static int64_t number_of(pk_view item, const char *name)
{
    pk_slice code = pk_view_bytes(pk_view_member(item, pk_slice_cstr(name)));
    struct pk_num num;
    int64_t number = 0;

    if (!pk_num_decode(&code, &num) || !pk_num_to_int(&num, &number))
        abort();
    return number;
}

static enum pk_code replay_one(void *context, const struct pk_stream_record *record,
                               struct pk_error *err)
{
    struct replay *replay = context;
    int64_t item = number_of(record->after, "r");
    int64_t value = number_of(record->after, "v");

    (void)err;
    if (value != replay->last[item] + 1) {
        fprintf(stderr, "race_split: seed %" PRIu64 ": item %lld: %lld after %lld\n",
                replay->race->seed, (long long)item, (long long)value,
                (long long)replay->last[item]);
        abort();
    }
    replay->last[item] = value;
    return PK_OK;
}

static void verify(struct race *race, struct engine_fixture *fx)
{
    struct replay replay = {.race = race};
    const struct pk_records_request to = {.record = replay_one, .context = &replay};
    size_t records = split_read_stream(fx, "T", &to);

    if (records != atomic_load(&race->writes) ||
        memcmp(replay.last, race->values, sizeof(replay.last)) != 0) {
        fprintf(stderr, "race_split: seed %" PRIu64 ": %zu records of %" PRIu64 " writes\n",
                race->seed, records, atomic_load(&race->writes));
        abort();
    }
    for (unsigned item = 0; item < ITEMS; item++) {
        if (engine_get(fx, "T", key_of(fx, item)) != PK_OK)
            abort();
        if (race->values[item] > 0 && number_of(fx->get.item, "v") != race->values[item])
            abort();
    }
}

/* The race -------------------------------------------------------------------------------------*/

static void start_all(struct race_frame *frame)
{
    for (unsigned i = 0; i < WRITERS; i++)
        race_start(frame, writer_main);
    race_start(frame, splitter_main);
    race_start(frame, reader_main);
    race_start(frame, ticker_main);
}

static void prepare(struct engine_fixture *fx)
{
    struct pk_table_spec spec =
        engine_spec(fx, "T p:S r:N provisioned=5/5; gsi by_g g:S all provisioned=1/1");
    struct pk_table *table = NULL;

    spec.stream = PK_STREAM_NEW_AND_OLD;
    if (pk_engine_create_table(fx->engine, &spec, &table, &fx->err) != PK_OK)
        abort();
    pk_table_unref(table);
}

int main(int argc, char **argv)
{
    struct race_frame frame = race_begin("race_split", 5, argc, argv);
    struct race race = {.seed = frame.seed};
    struct engine_fixture fx;

    engine_open(&fx);
    pk_clock_resume(pk_engine_clock(fx.engine));
    prepare(&fx);
    frame.race = &race;
    frame.engine = fx.engine;
    start_all(&frame);
    race_wait(&frame);
    log_set_lag(&fx, 0, 0);
    verify(&race, &fx);
    log_settle(&fx);
    engine_close(&fx);
    printf("race_split: seed %" PRIu64 ": %" PRIu64 " writes, %" PRIu64 " splits, %" PRIu64
           " reads, %" PRIu64 " ticks\n",
           race.seed, atomic_load(&race.writes), atomic_load(&race.splits),
           atomic_load(&race.reads), atomic_load(&race.ticks));
    return 0;
}
