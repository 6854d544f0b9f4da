/* The simulated clock, and background work that is due on the way. */
#include <criterion/criterion.h>

#include "engine/ops/core.h"
#include "engine/ops/timer.h"
#include "tests/support/log_fixture.h"
#include "tests/support/temp_dir.h"

Test(timer, the_clock_survives)
{
    struct engine_fixture fx;
    struct temp_dir dir;
    int64_t day = INT64_C(86400000);
    int64_t start;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    engine_table(&fx, "T p:S");
    start = pk_clock_now(&fx.engine->clock);
    cr_assert_eq(pk_engine_clock_pause(fx.engine, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + day, &fx.err), PK_OK);
    cr_expect_eq(pk_engine_advance(fx.engine, &fx.call, start, &fx.err), PK_E_USAGE);
    cr_expect_str_eq(engine_message(&fx),
                     "the clock goes forward only, and to the end of the year 9999 at most");
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_eq(pk_clock_now(&fx.engine->clock), start + day, "paused: it stands");
    cr_assert_eq(pk_engine_clock_resume(fx.engine, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_clock_speed(fx.engine, 60, &fx.err), PK_OK);
    pk_error_release(&fx.err);
    cr_expect_eq(pk_engine_clock_speed(fx.engine, 0, &fx.err), PK_E_USAGE);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_geq(pk_clock_now(&fx.engine->clock), start + day);
    cr_expect_eq(pk_clock_save(&fx.engine->clock).speed, 60);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

/* A lesson's data may be of another year: while no table was made, nothing knows a time. */
Test(timer, a_store_without_tables_is_set_back)
{
    const int64_t then = INT64_C(1700318160000);
    struct pk_table *table = NULL;
    struct engine_fixture fx;
    struct temp_dir dir;

    temp_dir_make(&dir);
    engine_open_dir(&fx, dir.path);
    cr_assert_eq(pk_engine_clock_pause(fx.engine, &fx.err), PK_OK);
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, then, &fx.err), PK_OK);
    cr_expect_eq(pk_clock_now(&fx.engine->clock), then);
    engine_close(&fx);
    engine_open_dir(&fx, dir.path);
    cr_expect_eq(pk_clock_now(&fx.engine->clock), then, "paused: it stands");
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, then - 1, &fx.err), PK_OK);
    engine_table(&fx, "T p:S");
    cr_expect_eq(pk_engine_advance(fx.engine, &fx.call, then - 2, &fx.err), PK_E_USAGE);
    pk_error_release(&fx.err);
    cr_assert_eq(pk_engine_delete_table(fx.engine, PK_LIT("T"), &table, &fx.err), PK_OK);
    cr_expect_eq(pk_engine_advance(fx.engine, &fx.call, then - 2, &fx.err), PK_E_USAGE,
                 "what a table leaves behind has times");
    pk_table_unref(table);
    cr_expect_eq(pk_clock_now(&fx.engine->clock), then - 1);
    engine_close(&fx);
    temp_dir_remove(&dir);
}

Test(timer, speed)
{
    struct pk_clock clock;
    struct pk_clock_state state;

    pk_clock_init(&clock);
    pk_clock_set_speed(&clock, 1000);
    state = pk_clock_save(&clock);
    /* An hour of the wall clock ago. */
    state.base_real_ms -= 3600000;
    pk_clock_restore(&clock, &state);
    cr_expect_geq(pk_clock_now(&clock), state.base_ms + INT64_C(3600000) * 1000);
    cr_expect_lt(pk_clock_now(&clock), state.base_ms + INT64_C(3700000) * 1000);
    /* Set back: it stands until the wall clock has caught up. */
    state.now_ms = state.base_ms + 7;
    state.base_real_ms = pk_clock_real_ms() + 3600000;
    pk_clock_restore(&clock, &state);
    cr_expect_eq(pk_clock_now(&clock), state.base_ms + 7);
    pk_clock_release(&clock);
}

/* Each due time is stopped at, in order, and nothing else is. */
Test(timer, advance_goes_from_due_time_to_due_time)
{
    struct engine_fixture fx;
    int64_t start;
    int64_t due = 0;

    engine_open(&fx);
    engine_throttle_off(&fx);
    start = pk_clock_now(&fx.engine->clock);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    log_set_lag(&fx, 1000, 0);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(engine_put(&fx, "T", engine_format(&fx, "{p: 'k%d', a: 'A'}", i)), PK_OK);
        cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
        cr_expect_eq(due, start + (i < 4 ? 1000 : 1300), "put %d: %d", i, (int)(due - start));
        cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + 300 * (i + 1), &fx.err), PK_OK);
    }
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + INT64_C(30) * 86400000, &fx.err),
                 PK_OK);
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_expect_eq(due, INT64_MAX, "nothing waits");
    cr_assert_eq(engine_read(&fx, &(struct read_text){.from = "T.g", .select = PK_SELECT_COUNT}),
                 PK_OK);
    cr_expect_eq(fx.read.count, 5);
    engine_close(&fx);
}

/* ---- the actor ------------------------------------------------------------------------------- */

/* Writes an item each `every` milliseconds, and notes when. */
struct beat {
    struct engine_fixture *fx; /* one of its own: the call comes from inside an advance */
    int64_t start_ms, next_ms, every_ms, last_ms;
    struct pk_buf seen;
};

static int64_t beat_due(void *context)
{
    const struct beat *beat = context;

    return beat->next_ms <= beat->last_ms ? beat->next_ms : INT64_MAX;
}

static void beat_run(void *context, int64_t now_ms)
{
    struct beat *beat = context;

    if (beat_due(beat) > now_ms)
        return;
    cr_assert_eq(engine_put(beat->fx, "T", engine_format(beat->fx, "{p: 'k', a: 'A'}")), PK_OK);
    cr_assert_eq(
        engine_read(beat->fx, &(struct read_text){.from = "T.g", .select = PK_SELECT_COUNT}),
        PK_OK);
    pk_buf_printf(&beat->seen, "%lld:%llu ", (long long)(now_ms - beat->start_ms),
                  (unsigned long long)beat->fx->read.count);
    beat->next_ms += beat->every_ms;
}

/* An index that lags 250 ms: the work that is due between two beats is seen by the second. */
Test(timer, an_actor_and_background_work_take_turns)
{
    struct engine_fixture fx, inner;
    struct beat beat = {.fx = &inner, .every_ms = 100};
    const struct pk_actor actor = {beat_due, beat_run, &beat};
    int64_t start;

    engine_open(&fx);
    start = pk_clock_now(&fx.engine->clock);
    engine_share(&inner, fx.engine);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    log_set_lag(&fx, 250, 0);
    beat.start_ms = start;
    beat.next_ms = start + 100;
    beat.last_ms = start + 500;
    pk_engine_set_actor(fx.engine, &actor);
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + 150, &fx.err), PK_OK);
    cr_expect_str_eq(beat.seen.data, "100:0 ");
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + 1000, &fx.err), PK_OK);
    cr_expect_str_eq(beat.seen.data, "100:0 200:0 300:0 400:1 500:1 ");
    cr_expect_eq(pk_clock_now(&fx.engine->clock), start + 1000);
    beat.last_ms = start + 2000;
    pk_engine_set_actor(fx.engine, NULL);
    cr_assert_eq(pk_engine_advance(fx.engine, &fx.call, start + 2000, &fx.err), PK_OK);
    cr_expect_str_eq(beat.seen.data, "100:0 200:0 300:0 400:1 500:1 ", "it was taken away");
    pk_buf_release(&beat.seen);
    engine_unshare(&inner);
    engine_close(&fx);
}

/* Work that cannot be done at its time keeps nobody else waiting. */
Test(timer, what_is_stuck_is_passed)
{
    struct engine_fixture fx;
    int64_t due = 0;

    engine_open(&fx);
    engine_throttle_off(&fx);
    engine_table(&fx, "T p:S; gsi g a:S keys");
    log_set_lag(&fx, 1000, 0);
    cr_assert_eq(engine_put(&fx, "T", "{p: 'k', a: 'A'}"), PK_OK);
    cr_assert_eq(pk_timers_next_due(fx.engine, INT64_MIN, &due, &fx.err), PK_OK);
    cr_assert_neq(due, INT64_MAX);
    cr_assert_eq(pk_timers_next_due(fx.engine, due, &due, &fx.err), PK_OK);
    cr_expect_eq(due, INT64_MAX);
    engine_close(&fx);
}
