/* When you add a kind of background work, add its row to sources[]. */
#include "engine/ops/timer.h"

#include "engine/ops/backfill.h"
#include "engine/ops/backup.h"
#include "engine/ops/capacity.h"
#include "engine/ops/propagate.h"
#include "engine/ops/restore.h"
#include "engine/ops/stream_ddl.h"
#include "engine/ops/table_state.h"
#include "engine/ops/trim.h"
#include "engine/ops/ttl.h"

/* What one tick does of each kind, so that a tick stays short. */
enum {
    TICK_COUNTED = 20000, /* rows counted after an unclean close */
    TICK_RECORDS = 5000,  /* change records applied to an index, or trimmed */
    TICK_ITEMS = 2000,    /* items copied into an index that is built */
    TICK_COPIED = 2000,   /* items copied into a backup, or out of it */
    TICK_COPIED_BYTES = 4 << 20,
    TICK_EXPIRED = 2000, /* items deleted because they expired */
    TICK_ROWS = 2000     /* rows of dropped tables deleted */
};

/* Sources --------------------------------------------------------------------------------------*/

static enum pk_code run_recount(struct pk_engine *engine, int64_t now_ms, bool *more,
                                struct pk_error *err)
{
    (void)now_ms;
    return pk_recount_step(&engine->recount, TICK_COUNTED, more, err);
}

static enum pk_code run_split_counts(struct pk_engine *engine, int64_t now_ms, bool *more,
                                     struct pk_error *err)
{
    (void)now_ms;
    return pk_split_counts_step(&engine->split_counts, TICK_COUNTED, more, err);
}

static enum pk_code run_expiry(struct pk_engine *engine, int64_t now_ms, bool *more,
                               struct pk_error *err)
{
    return pk_ttl_tick(engine, now_ms, TICK_EXPIRED, more, err);
}

static enum pk_code run_propagation(struct pk_engine *engine, int64_t now_ms, bool *more,
                                    struct pk_error *err)
{
    return pk_propagate_tick(engine, now_ms, TICK_RECORDS, more, err);
}

static enum pk_code run_backfill(struct pk_engine *engine, int64_t now_ms, bool *more,
                                 struct pk_error *err)
{
    (void)now_ms;
    return pk_backfill_tick(engine, TICK_ITEMS, more, err);
}

static enum pk_code tables_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    (void)err;
    *due_ms = pk_table_state_next_due(engine);
    return PK_OK;
}

static enum pk_code run_tables(struct pk_engine *engine, int64_t now_ms, bool *more,
                               struct pk_error *err)
{
    (void)more;
    return pk_table_state_tick(engine, now_ms, err);
}

static enum pk_code run_backups(struct pk_engine *engine, int64_t now_ms, bool *more,
                                struct pk_error *err)
{
    (void)now_ms;
    return pk_backup_tick(engine, (struct pk_copy_budget){TICK_COPIED, TICK_COPIED_BYTES}, more,
                          err);
}

static enum pk_code run_restores(struct pk_engine *engine, int64_t now_ms, bool *more,
                                 struct pk_error *err)
{
    (void)now_ms;
    return pk_restore_tick(engine, (struct pk_copy_budget){TICK_COPIED, TICK_COPIED_BYTES}, more,
                           err);
}

static enum pk_code run_trim(struct pk_engine *engine, int64_t now_ms, bool *more,
                             struct pk_error *err)
{
    (void)now_ms;
    return pk_trim_tick(engine, TICK_RECORDS, more, err);
}

static enum pk_code streams_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    (void)err;
    *due_ms = pk_stream_next_due(engine);
    return PK_OK;
}

static enum pk_code run_streams(struct pk_engine *engine, int64_t now_ms, bool *more,
                                struct pk_error *err)
{
    (void)more;
    return pk_stream_tick(engine, now_ms, err);
}

static enum pk_code run_sweep(struct pk_engine *engine, int64_t now_ms, bool *more,
                              struct pk_error *err)
{
    (void)now_ms;
    return pk_catalog_sweep(&engine->catalog, engine->store, TICK_ROWS, more, err);
}

static enum pk_code run_tokens(struct pk_engine *engine, int64_t now_ms, bool *more,
                               struct pk_error *err)
{
    (void)more;
    return pk_tokens_sweep(&engine->tokens, engine->store, now_ms, err);
}

/* The actor is asked under tick_lock, so that it is not taken away meanwhile. */
static enum pk_code actor_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    (void)err;
    pthread_mutex_lock(&engine->tick_lock);
    if (engine->actor.run != NULL)
        *due_ms = engine->actor.next_due(engine->actor.context);
    pthread_mutex_unlock(&engine->tick_lock);
    return PK_OK;
}

static enum pk_code run_actor(struct pk_engine *engine, int64_t now_ms, bool *more,
                              struct pk_error *err)
{
    (void)more;
    (void)err;
    if (engine->actor.run != NULL)
        engine->actor.run(engine->actor.context, now_ms);
    return PK_OK;
}

static enum pk_code capacity_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    (void)err;
    *due_ms = pk_capacity_next_due(engine);
    return PK_OK;
}

struct source {
    const char *name;
    /* When the next of it is due, INT64_MAX: none waits. NULL: it waits for no time. */
    enum pk_code (*next_due)(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err);
    /* Does a slice of what is due at now_ms; *more: another call would go on. */
    enum pk_code (*run)(struct pk_engine *engine, int64_t now_ms, bool *more, struct pk_error *err);
};

/* In the order in which a tick runs them, ended by a row whose name is NULL. */
static const struct source sources[] = {
    {"recount", NULL, run_recount},
    {"counts of splits", NULL, run_split_counts},
    {"expiry", pk_ttl_next_due, run_expiry},
    {"propagation", pk_propagate_next_due, run_propagation},
    {"backups", NULL, run_backups},
    {"restores", NULL, run_restores},
    {"table states", tables_due, run_tables},
    {"index creation", NULL, run_backfill},
    {"log trimming", NULL, run_trim},
    {"streams", streams_due, run_streams},
    {"dropped tables", NULL, run_sweep},
    {"idempotency tokens", NULL, run_tokens},
    {"capacity", capacity_due, pk_capacity_tick},
    {"traffic", actor_due, run_actor},
    {NULL, NULL, NULL},
};

bool pk_timers_run(struct pk_engine *engine, int64_t now_ms)
{
    bool any = false;

    for (const struct source *source = sources; source->name != NULL; source++) {
        struct pk_error err = PK_ERROR_INIT;
        bool more = false;

        /* A full disk shows up at the next write. */
        if (source->run(engine, now_ms, &more, &err) == PK_OK)
            any = any || more;
        pk_error_release(&err);
    }
    return any;
}

enum pk_code pk_timers_next_due(struct pk_engine *engine, int64_t after_ms, int64_t *due_ms,
                                struct pk_error *err)
{
    *due_ms = INT64_MAX;
    for (const struct source *source = sources; source->name != NULL; source++) {
        int64_t due = INT64_MAX;
        enum pk_code rc = PK_OK;

        if (source->next_due != NULL)
            rc = source->next_due(engine, &due, err);
        if (rc != PK_OK)
            return rc;
        if (due > after_ms && due < *due_ms)
            *due_ms = due;
    }
    return PK_OK;
}

void pk_engine_set_actor(struct pk_engine *engine, const struct pk_actor *actor)
{
    pthread_mutex_lock(&engine->tick_lock);
    engine->actor = actor == NULL ? (struct pk_actor){NULL, NULL, NULL} : *actor;
    pthread_mutex_unlock(&engine->tick_lock);
}

/* The stored clock -----------------------------------------------------------------------------*/

/* On disk (do not change): version byte 1, paused byte, speed(4), base(8), base real(8), now(8). */
enum { CLOCK_VERSION = 1 };

static void clock_key(struct pk_buf *key)
{
    pk_layout_meta(key, PK_META_CLOCK, (pk_slice){NULL, 0});
}

static enum pk_code save_clock(struct pk_engine *engine, struct pk_error *err)
{
    const struct pk_clock_state state = pk_clock_save(&engine->clock);
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    enum pk_code rc;

    clock_key(&key);
    pk_buf_add_byte(&value, CLOCK_VERSION);
    pk_buf_add_byte(&value, state.paused ? 1 : 0);
    pk_buf_add_u32be(&value, state.speed);
    pk_buf_add_u64be(&value, (uint64_t)state.base_ms);
    pk_buf_add_u64be(&value, (uint64_t)state.base_real_ms);
    pk_buf_add_u64be(&value, (uint64_t)state.now_ms);
    rc = pk_store_put(engine->store, pk_buf_slice(&key), pk_buf_slice(&value), err);
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

static bool take_clock(pk_slice value, struct pk_clock_state *state)
{
    unsigned char version = 0;
    unsigned char paused = 0;
    uint64_t times[3] = {0, 0, 0};

    if (!pk_take_byte(&value, &version) || version != CLOCK_VERSION ||
        !pk_take_byte(&value, &paused) || !pk_take_u32be(&value, &state->speed) ||
        state->speed == 0 || state->speed > PK_CLOCK_SPEED_MAX)
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (!pk_take_u64be(&value, &times[i]) || times[i] > (uint64_t)PK_CLOCK_MAX_MS)
            return false;
    }
    state->paused = paused != 0;
    state->base_ms = (int64_t)times[0];
    state->base_real_ms = (int64_t)times[1];
    state->now_ms = (int64_t)times[2];
    return value.len == 0;
}

enum pk_code pk_timer_load_clock(struct pk_engine *engine, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    struct pk_clock_state state;
    bool found = false;
    enum pk_code rc;

    clock_key(&key);
    rc = pk_store_get(engine->store, pk_buf_slice(&key), &value, &found, err);
    if (rc == PK_OK && found) {
        if (take_clock(pk_buf_slice(&value), &state))
            pk_clock_restore(&engine->clock, &state);
        else
            rc = pk_fail(err, PK_E_CORRUPT, "the stored clock cannot be read");
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

/* Changing the clock ---------------------------------------------------------------------------*/

enum pk_code pk_engine_clock_pause(struct pk_engine *engine, struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->advance_lock);
    pk_clock_pause(&engine->clock);
    rc = save_clock(engine, err);
    pthread_mutex_unlock(&engine->advance_lock);
    return rc;
}

enum pk_code pk_engine_clock_resume(struct pk_engine *engine, struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->advance_lock);
    pk_clock_resume(&engine->clock);
    rc = save_clock(engine, err);
    pthread_mutex_unlock(&engine->advance_lock);
    return rc;
}

enum pk_code pk_engine_clock_speed(struct pk_engine *engine, uint32_t speed, struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    if (speed == 0 || speed > PK_CLOCK_SPEED_MAX)
        return pk_fail(err, PK_E_USAGE, "the clock's speed is a number from 1 to %d",
                       PK_CLOCK_SPEED_MAX);
    pthread_mutex_lock(&engine->advance_lock);
    pk_clock_set_speed(&engine->clock, speed);
    rc = save_clock(engine, err);
    pthread_mutex_unlock(&engine->advance_lock);
    return rc;
}

static enum pk_code run_due(struct pk_engine *engine, struct pk_call *call, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && pk_engine_tick(engine, pk_clock_now(&engine->clock)))
        rc = pk_call_check(call, err);
    return rc;
}

/* Goes from one due time to the next. What is still due after its time was worked at cannot be done
 * now, and is tried again whenever something else is due. */
static enum pk_code pass_timers(struct pk_engine *engine, struct pk_call *call, int64_t to_ms,
                                struct pk_error *err)
{
    int64_t done_ms = INT64_MIN;

    for (;;) {
        int64_t due_ms = INT64_MAX;
        enum pk_code rc = run_due(engine, call, err);

        if (rc == PK_OK)
            rc = pk_call_check(call, err);
        if (rc == PK_OK)
            rc = pk_timers_next_due(engine, done_ms, &due_ms, err);
        if (rc != PK_OK)
            return rc;
        if (due_ms > to_ms)
            return PK_OK;
        done_ms = due_ms;
        /* A running clock may be past it. */
        (void)pk_clock_set(&engine->clock, due_ms);
    }
}

/* Nothing in a store that has never had a table knows a time. */
static bool set_back(struct pk_engine *engine, int64_t to_ms)
{
    bool done;

    pthread_mutex_lock(&engine->catalog.ddl);
    done = pk_catalog_is_unused(&engine->catalog) && pk_clock_reset(&engine->clock, to_ms);
    pthread_mutex_unlock(&engine->catalog.ddl);
    return done;
}

static enum pk_code fail_backward(struct pk_error *err)
{
    pk_fail(err, PK_E_USAGE,
            "the clock goes forward only, and to the end of the year 9999 at most");
    pk_error_hint(err, "it can be set back before the first table of a store is made, as in "
                       "'pksk --memory'");
    return PK_E_USAGE;
}

enum pk_code pk_engine_advance(struct pk_engine *engine, struct pk_call *call, int64_t to_ms,
                               struct pk_error *err)
{
    struct pk_error unsaved = PK_ERROR_INIT;
    enum pk_code saved;
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    pthread_mutex_lock(&engine->advance_lock);
    if ((to_ms < pk_clock_now(&engine->clock) && !set_back(engine, to_ms)) ||
        to_ms > PK_CLOCK_MAX_MS)
        rc = fail_backward(err);
    if (rc == PK_OK)
        rc = pass_timers(engine, call, to_ms, err);
    if (rc == PK_OK) {
        (void)pk_clock_set(&engine->clock, to_ms);
        rc = run_due(engine, call, err);
    }
    saved = save_clock(engine, &unsaved);
    if (rc == PK_OK && saved != PK_OK) {
        pk_error_move(err, &unsaved);
        rc = saved;
    }
    pk_error_release(&unsaved);
    pthread_mutex_unlock(&engine->advance_lock);
    return rc;
}
