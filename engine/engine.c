/*
 * The engine's life: open, tick, close. What it does for its callers is in ops/.
 *
 * Which lock guards what, and in which order they are taken (top before bottom):
 *
 *   advance_lock    one change of the clock at a time; held over the ticks of an advance
 *   tick_lock       one tick at a time, the actor's calls among it; guards the actor. What a caller
 *                   of the engine locks for its actor comes below it, and is not held over a call
 *   catalog.ddl     one definition of a table changes at a time, or the settings that new ones are
 *                   made by; held over the commit
 *   table_log.apply one change of an index' rows at a time, of each table; held over the commit
 *   tokens.lock     tokens of running transactions; held over the sweep of expired ones
 *   recount.lock    the recount's position; held over one slice of it
 *   split_counts.lock  which splits are being counted, and how far; held over one slice of it
 *   latches         an item from reading it to committing it: PK and SK, on tables with an LSI the
 *                   PK; several in stripe order
 *   catalog.lock    the map of descriptors: to look up and reference, or to swap
 *   inflight.lock   keys of running transactions; held for a moment
 *   backups.lock    which backups are being copied; held for a moment
 *   log.lock        sequences of a table's change log; held for a moment
 *   capacity.lock   the buckets, heat and partitions of a table and its GSIs; of several tables in
 *                   the order of their ids; held for a moment
 *   sim_lock        the settings of the simulation; held for a moment
 *   tail.lock       the latest changes, for viewers; held for a moment
 *   read_notes.lock how reads went over rows, for viewers; held for a moment
 *   stream_readers.lock  how far readers of streams have come, for viewers; held for a moment
 *   clock.lock      inside pk_clock
 *   the store's own
 *
 * Under a latch nothing above it is taken and nothing waits: writers look their descriptor up
 * before, and under the latch only ask an atomic whether it is stale. (A split commits and
 * publishes its descriptor under all of them.) Reads take no lock but catalog.lock for a moment:
 * they work on a snapshot, and ask the same atomic after taking it, so that they never see a table
 * whose rows are being deleted. Counters are atomics. A read of a GSI may first bring it forward:
 * that takes `apply`, and waits for writers that hold latches.
 *
 * A definition changes so: commit, publish, mark the old descriptor stale, pass through every latch
 * once. After that nobody writes by the old one. A split of partitions waits for its writers before
 * it commits instead (ops/split.h).
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/ops/backup.h"
#include "engine/ops/capacity_keep.h"
#include "engine/ops/core.h"
#include "engine/ops/rebuild.h"
#include "engine/ops/sim_settings.h"
#include "engine/ops/table_log.h"
#include "engine/ops/timer.h"

enum { TICK_MS = 100 }; /* between two ticks with nothing left to do */

/* Opening --------------------------------------------------------------------------------------*/

static struct pk_engine *engine_new(const struct pk_engine_options *options)
{
    struct pk_engine *engine = pk_calloc(1, sizeof(*engine));

    engine->options = *options;
    if (engine->options.seed == 0)
        engine->options.seed = 1;
    if (options->dir != NULL)
        engine->dir = pk_memdup_cstr(options->dir, strlen(options->dir));
    engine->options.dir = engine->dir;
    engine->durability = options->durable ? PK_COMMIT_SYNC : PK_COMMIT_FAST;
    engine->partition_limits = pk_partition_limits_aws();
    engine->collection_bytes_max = UINT64_C(10) << 30;
    pk_clock_init(&engine->clock);
    pk_catalog_init(&engine->catalog);
    pk_latches_init(&engine->latches);
    pk_inflight_init(&engine->inflight);
    pk_tokens_init(&engine->tokens);
    pk_recount_init(&engine->recount);
    pk_split_counts_init(&engine->split_counts);
    pk_backup_jobs_init(&engine->backups);
    pthread_mutex_init(&engine->sim_lock, NULL);
    pk_tail_init(&engine->tail);
    pk_read_notes_init(&engine->read_notes);
    pk_stream_readers_init(&engine->stream_readers);
    pthread_mutex_init(&engine->advance_lock, NULL);
    pthread_mutex_init(&engine->tick_lock, NULL);
    pthread_mutex_init(&engine->ticker_lock, NULL);
    pthread_cond_init(&engine->ticker_wake, NULL);
    return engine;
}

static void engine_free(struct pk_engine *engine)
{
    pthread_cond_destroy(&engine->ticker_wake);
    pthread_mutex_destroy(&engine->ticker_lock);
    pthread_mutex_destroy(&engine->tick_lock);
    pthread_mutex_destroy(&engine->advance_lock);
    pthread_mutex_destroy(&engine->sim_lock);
    pk_stream_readers_release(&engine->stream_readers);
    pk_read_notes_release(&engine->read_notes);
    pk_tail_release(&engine->tail);
    pk_backup_jobs_release(&engine->backups);
    pk_split_counts_release(&engine->split_counts);
    pk_recount_release(&engine->recount);
    pk_tokens_release(&engine->tokens);
    pk_inflight_release(&engine->inflight);
    pk_latches_release(&engine->latches);
    pk_catalog_release(&engine->catalog);
    pk_clock_release(&engine->clock);
    free(engine->dir);
    free(engine);
}

static enum pk_code open_store(const struct pk_engine_options *options, struct pk_store **store,
                               struct pk_error *err)
{
    struct pk_store_options how = {
        .cache_bytes = options->cache_bytes,
        .in_memory = options->memory,
        .durable = options->durable,
    };

    return pk_store_open(options->dir, &how, store, err);
}

/* Loads what the store holds. */
static enum pk_code start(struct pk_engine *engine, struct pk_error *err)
{
    enum pk_code rc = pk_catalog_load(&engine->catalog, engine->store, err);

    if (rc == PK_OK)
        rc = pk_sim_settings_load(engine, err);
    if (rc == PK_OK)
        rc = pk_table_log_open_all(engine, err);
    if (rc == PK_OK)
        rc = pk_capacity_load(engine, err);
    if (rc == PK_OK)
        rc = pk_backup_open_all(engine, err);
    if (rc == PK_OK)
        rc = pk_recount_open(&engine->recount, &engine->catalog, engine->store, err);
    return rc;
}

/* The ticker -----------------------------------------------------------------------------------*/

/* Sleeps until the next tick; true when the engine is closing. */
static bool ticker_sleep(struct pk_engine *engine)
{
    struct timespec until;
    bool stop;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&engine->ticker_lock);
    if (!engine->stop)
        pthread_cond_timedwait(&engine->ticker_wake, &engine->ticker_lock, &until);
    stop = engine->stop;
    pthread_mutex_unlock(&engine->ticker_lock);
    return stop;
}

static bool ticker_stops(struct pk_engine *engine)
{
    bool stop;

    pthread_mutex_lock(&engine->ticker_lock);
    stop = engine->stop;
    pthread_mutex_unlock(&engine->ticker_lock);
    return stop;
}

static void *ticker_main(void *context)
{
    struct pk_engine *engine = context;

    while (!ticker_sleep(engine)) {
        while (pk_engine_tick(engine, pk_clock_now(&engine->clock)) && !ticker_stops(engine))
            ;
    }
    return NULL;
}

static void ticker_start(struct pk_engine *engine)
{
    engine->stop = false;
    if (engine->options.no_ticker)
        return;
    if (pthread_create(&engine->ticker, NULL, ticker_main, engine) != 0)
        pk_bug("the ticker thread does not start");
    engine->ticking = true;
}

static void ticker_stop(struct pk_engine *engine)
{
    if (!engine->ticking)
        return;
    pthread_mutex_lock(&engine->ticker_lock);
    engine->stop = true;
    pthread_cond_signal(&engine->ticker_wake);
    pthread_mutex_unlock(&engine->ticker_lock);
    pthread_join(engine->ticker, NULL);
    engine->ticking = false;
}

bool pk_engine_tick(struct pk_engine *engine, int64_t now_ms)
{
    bool more;

    pk_tail_tick(&engine->tail);
    pk_read_notes_tick(&engine->read_notes);
    pk_stream_readers_tick(&engine->stream_readers, pk_clock_real_us());
    /* Background work on a store that takes no writes would only fail again and again. */
    if (engine->store == NULL || pk_store_is_stuck(engine->store))
        return false;
    pthread_mutex_lock(&engine->tick_lock);
    more = pk_timers_run(engine, now_ms);
    pthread_mutex_unlock(&engine->tick_lock);
    return more;
}

/* Life -----------------------------------------------------------------------------------------*/

enum pk_code pk_engine_attach(struct pk_store *store_take, const struct pk_engine_options *options,
                              struct pk_engine **engine, struct pk_error *err)
{
    struct pk_engine *made = engine_new(options);
    enum pk_code rc;

    made->store = store_take;
    rc = pk_timer_load_clock(made, err);
    if (rc == PK_OK)
        rc = start(made, err);
    if (rc != PK_OK) {
        pk_recount_abandon(&made->recount);
        pk_store_close(made->store);
        engine_free(made);
        return rc;
    }
    ticker_start(made);
    *engine = made;
    return PK_OK;
}

enum pk_code pk_engine_open(const struct pk_engine_options *options, struct pk_engine **engine,
                            struct pk_error *err)
{
    struct pk_store *store = NULL;
    enum pk_code rc = open_store(options, &store, err);

    if (rc != PK_OK)
        return rc;
    return pk_engine_attach(store, options, engine, err);
}

/* Saves the counters and closes the store. A store that takes no writes is left as after a crash:
 * the next opening counts. */
static void shut(struct pk_engine *engine)
{
    struct pk_error err = PK_ERROR_INIT;

    pk_backup_jobs_clear(&engine->backups);
    /* Figures that are still moving are not saved: the next opening counts. */
    if (pk_store_is_stuck(engine->store) || pk_split_counts_any(&engine->split_counts) ||
        pk_recount_close(&engine->recount, &engine->catalog, engine->store, &err) != PK_OK)
        pk_recount_abandon(&engine->recount);
    pk_split_counts_abandon(&engine->split_counts);
    /* It may be lost: it is no more than what people have seen. */
    pk_error_release(&err);
    if (!pk_store_is_stuck(engine->store) && pk_capacity_save(engine, &err) != PK_OK)
        pk_error_release(&err);
    pk_error_release(&err);
    pk_store_close(engine->store);
    engine->store = NULL;
}

void pk_engine_close(struct pk_engine *engine)
{
    if (engine == NULL)
        return;
    ticker_stop(engine);
    if (engine->store != NULL)
        shut(engine);
    engine_free(engine);
}

enum pk_code pk_engine_reopen(struct pk_engine *engine, struct pk_error *err)
{
    enum pk_code rc;

    if (engine->options.memory || engine->dir == NULL)
        return pk_fail(err, PK_E_USAGE, "a store in memory cannot be opened again");
    ticker_stop(engine);
    if (engine->store != NULL)
        shut(engine);
    rc = open_store(&engine->options, &engine->store, err);
    if (rc != PK_OK)
        return rc;
    rc = start(engine, err);
    if (rc == PK_OK) {
        ticker_start(engine);
        return PK_OK;
    }
    pk_recount_abandon(&engine->recount);
    pk_store_close(engine->store);
    engine->store = NULL;
    return rc;
}

struct pk_clock *pk_engine_clock(struct pk_engine *engine)
{
    return &engine->clock;
}

const char *pk_engine_dir(const struct pk_engine *engine)
{
    return engine->dir != NULL ? engine->dir : pk_store_path(engine->store);
}

bool pk_engine_is_memory(const struct pk_engine *engine)
{
    return engine->options.memory;
}

void pk_engine_set_url(struct pk_engine *engine, const char *url)
{
    pk_store_set_url(engine->store, url);
}

/* Repair ---------------------------------------------------------------------------------------*/

static void repair_line(void *state, const char *line)
{
    pk_fault_note(state, "%s", line);
}

enum pk_code pk_engine_repair(const char *dir, struct pk_check_report report,
                              struct pk_check_result *result, struct pk_error *err)
{
    const struct pk_engine_options options = {.dir = dir, .no_ticker = true};
    const struct pk_store_options how = {.must_exist = true};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_call call = {.arena = &arena};
    struct pk_faults lost = {.report = report};
    struct pk_store *store = NULL;
    struct pk_engine *engine = NULL;
    enum pk_code rc = pk_store_repair(dir, repair_line, &lost, err);

    *result = (struct pk_check_result){0};
    if (rc == PK_OK)
        rc = pk_store_open(dir, &how, &store, err);
    if (rc == PK_OK)
        rc = pk_engine_attach(store, &options, &engine, err);
    if (rc == PK_OK)
        rc = pk_rebuild(engine, &lost, err);
    pk_fault_finish(&lost);
    if (rc == PK_OK)
        rc = pk_engine_check(engine, &call, report, result, err);
    pk_engine_close(engine);
    pk_arena_release(&arena);
    return rc;
}
