/* The change log by itself: sequences, records, positions, trimming. */
#include <criterion/criterion.h>

#include "engine/log/change_log.h"
#include "engine/log/cursor.h"
#include "tests/support/temp_dir.h"
#include "tests/support/value_text.h"

static struct pk_store *open_store(void)
{
    const struct pk_store_options how = {.in_memory = true};
    struct pk_store *store = NULL;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_store_open(NULL, &how, &store, &err), PK_OK, "%s", err.message);
    return store;
}

Test(change_log, sequences)
{
    struct pk_log log;
    uint64_t a, b, c;

    pk_log_init(&log, 7, 1);
    cr_expect_eq(pk_log_safe(&log), 1);
    a = pk_log_draw(&log, 0);
    b = pk_log_draw(&log, 2);
    c = pk_log_draw(&log, 0);
    cr_expect(a == 1 && b == 2 && c == 3);
    cr_expect_eq(pk_log_safe(&log), 1);
    pk_log_settle(&log, b);
    cr_expect_eq(pk_log_safe(&log), 1, "the first is in flight");
    pk_log_settle(&log, a);
    cr_expect_eq(pk_log_safe(&log), 3);
    pk_log_wait(&log, 3);
    pk_log_settle(&log, c);
    cr_expect_eq(pk_log_safe(&log), 4);
    cr_expect_eq(pk_log_shards(&log), 3);
    cr_expect_eq(pk_log_span(&log, 0).last, 3);
    cr_expect_eq(pk_log_span(&log, 1).last, 0);
    cr_expect_eq(pk_log_span(&log, 9).last, 0);
    pk_log_raise(&log, 2);
    cr_expect_eq(pk_log_next(&log), 4, "never lower");
    pk_log_raise(&log, 100);
    cr_expect_eq(pk_log_draw(&log, 0), 100);
    pk_log_settle(&log, 100);
    pk_log_release(&log);
}

Test(change_log, records_read_back)
{
    static const struct {
        const char *before, *after;
        enum pk_event event;
        enum pk_cause cause;
    } rows[] = {
        {NULL, "{p: 'k'}", PK_EVENT_INSERT, PK_CAUSE_USER},
        {"{p: 'k'}", "{p: 'k', x: 12345678901234567890}", PK_EVENT_MODIFY, PK_CAUSE_TRANSACTION},
        {"{p: 'k', x: [1, {y: true}]}", NULL, PK_EVENT_REMOVE, PK_CAUSE_TTL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_batch batch = PK_BATCH_INIT;
        struct pk_batch_op op;
        size_t cursor = 0;
        struct pk_change back;
        struct pk_change change = {
            .sequence = 1000 + i,
            .shard = (uint32_t)i,
            .cause = rows[i].cause,
            .time_ms = 1786625445123,
            .before =
                rows[i].before == NULL ? PK_VIEW_MISSING : value_text_view(&arena, rows[i].before),
            .after =
                rows[i].after == NULL ? PK_VIEW_MISSING : value_text_view(&arena, rows[i].after),
            .before_size = 10 * i,
            .after_size = 400000,
        };

        change.event = pk_change_event(change.before, change.after);
        cr_expect_eq(change.event, rows[i].event);
        pk_change_stage(&batch, 5, &change);
        cr_assert(pk_batch_next(&batch, &cursor, &op));
        cr_assert(pk_change_open(op.key, op.value, &back), "row %zu", i);
        cr_expect_eq(back.sequence, change.sequence);
        cr_expect_eq(back.shard, change.shard);
        cr_expect_eq(back.event, change.event);
        cr_expect_eq(back.cause, change.cause);
        cr_expect_eq(back.time_ms, change.time_ms);
        cr_expect_eq(back.before_size, change.before_size);
        cr_expect_eq(back.after_size, change.after_size);
        cr_expect(pk_slice_equal(back.before, change.before));
        cr_expect(pk_slice_equal(back.after, change.after));
        /* Cut short anywhere it is no record, nor with a byte too many. */
        for (size_t len = 0; len < op.value.len; len++)
            cr_expect_not(pk_change_open(op.key, pk_slice_of(op.value.data, len), &back),
                          "row %zu, %zu bytes", i, len);
        pk_batch_release(&batch);
        pk_arena_release(&arena);
    }
}

static void put_record(struct pk_log *log, struct pk_store *store, uint32_t shard)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_change change = {.shard = shard,
                               .event = PK_EVENT_INSERT,
                               .cause = PK_CAUSE_USER,
                               .after = value_text_view(&arena, "{p: 'k'}")};

    change.sequence = pk_log_draw(log, shard);
    pk_change_stage(&batch, log->table_id, &change);
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    pk_log_settle(log, change.sequence);
    pk_batch_release(&batch);
    pk_arena_release(&arena);
}

Test(change_log, opens_where_it_ended)
{
    struct pk_store *store = open_store();
    struct pk_error err = PK_ERROR_INIT;
    struct pk_log log;
    size_t deleted = 0;

    pk_log_init(&log, 7, 1);
    for (uint32_t i = 0; i < 30; i++)
        put_record(&log, store, i % 2 == 0 ? 1 : 70);
    cr_assert_eq(pk_log_trim(&log, store, &(struct pk_log_cut){1, 31, 100}, &deleted, &err), PK_OK);
    cr_expect_eq(deleted, 15);
    cr_assert_eq(pk_log_trim(&log, store, &(struct pk_log_cut){70, 21, 4}, &deleted, &err), PK_OK);
    cr_expect_eq(deleted, 4, "no more than asked for");
    cr_expect_eq(pk_log_span(&log, 70).first, 10);
    pk_log_release(&log);

    pk_log_init(&log, 7, 1);
    cr_assert_eq(pk_log_open(&log, store, &err), PK_OK);
    cr_expect_eq(pk_log_next(&log), 31);
    cr_expect_eq(pk_log_span(&log, 1).last, 0, "nothing is left");
    cr_expect_eq(pk_log_span(&log, 70).first, 10);
    cr_expect_eq(pk_log_span(&log, 70).last, 30);
    cr_assert_eq(pk_log_trim(&log, store, &(struct pk_log_cut){70, 31, 100}, &deleted, &err),
                 PK_OK);
    cr_expect_eq(deleted, 11);
    pk_log_release(&log);

    pk_log_init(&log, 7, 1);
    cr_assert_eq(pk_log_open(&log, store, &err), PK_OK);
    cr_expect_eq(pk_log_next(&log), 31, "the mark survives the records");
    pk_log_release(&log);
    pk_store_close(store);
}

Test(change_log, positions)
{
    struct pk_store *store = open_store();
    struct pk_cursor cursor = {.table_id = 7, .reader = 9};
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_error err = PK_ERROR_INIT;

    pk_cursor_stage_begin(&cursor, 50, &batch);
    pk_cursor_stage(&cursor, 3, 70, &batch);
    pk_cursor_stage(&cursor, 0, 60, &batch);
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    cr_assert_eq(pk_cursor_load(&cursor, pk_store_live(store), &err), PK_OK);
    cr_expect_eq(pk_cursor_get(&cursor, 0), 60);
    cr_expect_eq(pk_cursor_get(&cursor, 1), 50);
    cr_expect_eq(pk_cursor_get(&cursor, 3), 70);
    cr_expect_eq(pk_cursor_get(&cursor, 1000), 50);
    cr_expect_eq(pk_cursor_max(&cursor), 70);
    pk_batch_clear(&batch);
    pk_cursor_stage_drop(&cursor, &batch);
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    cr_assert_eq(pk_cursor_load(&cursor, pk_store_live(store), &err), PK_OK);
    cr_expect_eq(pk_cursor_max(&cursor), 0);
    pk_cursor_release(&cursor);
    pk_batch_release(&batch);
    pk_store_close(store);
}
