/* Admission in the operations: partitions-capacity.md §6 and §10.5, indexes.md §9. A second's
 * requests arrive in its first millisecond; heat splits are off, buckets are full at the start. */
#include <criterion/criterion.h>

#include "engine/snapshot.h"
#include "tests/support/engine_fixture.h"

TestSuite(throttle);

enum { SECOND = 1000 };

struct world {
    struct engine_fixture fx;
    struct pk_sim_settings sim;
};

static void apply(struct world *world)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_set_settings(world->fx.engine, &world->sim, &err), PK_OK, "%s",
                 err.message);
}

static void open_world(struct world *world, struct pk_sim_settings sim, uint64_t throttle)
{
    engine_open(&world->fx);
    world->sim = sim;
    world->sim.throttle = throttle;
    world->sim.split_heat = 0;
    world->sim.gsi_lag_ms = world->sim.gsi_lag_jitter_ms = 0;
    apply(world);
}

static void open_aws(struct world *world)
{
    open_world(world, pk_sim_settings_aws(), PK_THROTTLING_ENFORCE);
}

static void open_workshop(struct world *world)
{
    open_world(world, pk_sim_settings_workshop(), PK_THROTTLING_ENFORCE);
}

static void next_second(struct world *world)
{
    struct pk_clock *clock = pk_engine_clock(world->fx.engine);
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(
        pk_engine_advance(world->fx.engine, &world->fx.call, pk_clock_now(clock) + SECOND, &err),
        PK_OK, "%s", err.message);
}

static void look(struct world *world, const char *table, struct pk_snapshot *snapshot)
{
    const struct pk_snapshot_request request = {
        .table = pk_slice_cstr(table), .history = 10, .limit = 1000};
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_snapshot(world->fx.engine, &world->fx.call, &request, snapshot, &err),
                 PK_OK, "%s", err.message);
}

/* Offers so many reads of one key; returns how many were admitted. */
static int64_t read_many(struct world *world, pk_value key, bool strong, int64_t count)
{
    const struct pk_get get = {.table = PK_LIT("T"), .key = key, .consistent = strong};
    int64_t admitted = 0;

    for (int64_t i = 0; i < count; i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_call call = {.arena = &arena};
        struct pk_error err = PK_ERROR_INIT;
        struct pk_get_result result;
        enum pk_code rc = pk_engine_get(world->fx.engine, &call, &get, &result, &err);

        admitted += rc == PK_OK;
        if (rc != PK_OK)
            cr_assert_eq(rc, PK_E_THROTTLED, "%s", err.message);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
    return admitted;
}

/* The reasons of the last error: "TableReadKeyRangeThroughputExceeded T/I". */
static const char *reasons(struct world *world)
{
    const struct pk_error *err = &world->fx.err;
    const char *text = "";

    for (size_t i = 0; i < err->throttling_count; i++) {
        const struct pk_throttling_reason *one = &err->throttling[i];

        text = engine_format(&world->fx, "%s%s%s%s%s %s%s%s", text, i == 0 ? "" : ", ",
                             one->index == NULL ? "Table" : "Index", one->write ? "Write" : "Read",
                             one->name, one->table, one->index == NULL ? "" : "/",
                             one->index == NULL ? "" : one->index);
    }
    return text;
}

/* ---- one hot key ----------------------------------------------------------------------------- */

/* The lesson: 100,000 strong reads a second of USER#1 at 4 partitions; 1 in 33 is admitted. */
Test(throttle, a_hot_key_stops_at_one_partition)
{
    static const struct {
        bool strong;
        int64_t offered, admitted;
    } rows[] = {{true, 100000, 3000}, {false, 100000, 6000}};

    for (size_t r = 0; r < 2; r++) {
        struct world world;
        struct pk_snapshot snapshot;

        open_aws(&world);
        engine_table(&world.fx, "T PK:S");
        cr_assert_eq(engine_put(&world.fx, "T", "{PK: 'USER#1'}"), PK_OK);
        next_second(&world);
        for (int second = 0; second < 3; second++) {
            int64_t admitted = read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"),
                                         rows[r].strong, rows[r].offered);

            cr_expect_eq(admitted, rows[r].admitted, "row %zu second %d: %lld", r, second,
                         (long long)admitted);
            cr_expect_eq(engine_get(&world.fx, "T", "{PK: 'USER#123'}"), PK_OK, "another one");
            next_second(&world);
        }
        look(&world, "T", &snapshot);
        cr_assert_eq(snapshot.count, 4);
        for (size_t i = 0; i < 4; i++) {
            const struct pk_partition_look *partition = &snapshot.partitions[i];

            cr_expect_eq(partition->read.throttled[PK_LIMIT_KEY_RANGE],
                         i == 2 ? (uint64_t)(3 * (rows[r].offered - rows[r].admitted)) : 0,
                         "row %zu partition %zu", r, i);
            cr_expect_eq(partition->read.consumed_milli, i == 2 ? 3000000 : i == 1 ? 1000 : 0);
            cr_expect_eq(partition->read.admitted, i == 2   ? (uint64_t)rows[r].admitted
                                                   : i == 1 ? 1U
                                                            : 0U);
        }
        cr_expect_eq(snapshot.partitions[2].hottest_count, 1);
        cr_expect_eq(snapshot.partitions[2].hottest[0].milli, 1000);
        pk_snapshot_release(&snapshot);
        engine_close(&world.fx);
    }
}

/* What engineers measured: 9,000 eventual reads, 4,500 units, of a partition; strong ones still
 * 3,000, and the bill is what it was. */
Test(throttle, reads_spread_over_the_replicas)
{
    static const struct {
        bool strong;
        int64_t admitted, milli;
    } rows[] = {{true, 3000, 3000000}, {false, 9000, 4500000}};

    for (size_t r = 0; r < 2; r++) {
        struct world world;
        struct pk_snapshot snapshot;

        open_aws(&world);
        world.sim.read_spread = 1;
        apply(&world);
        engine_table(&world.fx, "T PK:S");
        for (int second = 0; second < 2; second++) {
            int64_t admitted =
                read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"), rows[r].strong, 20000);

            cr_expect_eq(admitted, rows[r].admitted, "row %zu second %d: %lld", r, second,
                         (long long)admitted);
            next_second(&world);
        }
        look(&world, "T", &snapshot);
        cr_expect_eq(snapshot.partitions[2].read.consumed_milli, rows[r].milli);
        pk_snapshot_release(&snapshot);
        engine_close(&world.fx);
    }
}

Test(throttle, observe_counts_what_enforce_refuses)
{
    struct world world;
    struct pk_snapshot snapshot;

    open_world(&world, pk_sim_settings_workshop(), PK_THROTTLING_OBSERVE);
    engine_table(&world.fx, "T PK:S");
    for (int second = 0; second < 2; second++) {
        cr_expect_eq(read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"), true, 100), 100);
        next_second(&world);
        look(&world, "T", &snapshot);
        cr_expect_eq(snapshot.partitions[2].read.consumed_milli, 30000);
        cr_expect_eq(snapshot.partitions[2].read.throttled[PK_LIMIT_KEY_RANGE],
                     (uint64_t)(70 * (second + 1)));
        cr_expect_eq(snapshot.partitions[2].read.refused, 70);
        pk_snapshot_release(&snapshot);
    }
    engine_close(&world.fx);
}

Test(throttle, off_counts_nothing)
{
    struct world world;
    struct pk_snapshot snapshot;

    open_world(&world, pk_sim_settings_workshop(), PK_THROTTLING_OFF);
    engine_table(&world.fx, "T PK:S");
    cr_expect_eq(read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"), true, 100), 100);
    next_second(&world);
    look(&world, "T", &snapshot);
    cr_expect_eq(snapshot.partitions[2].read.consumed_milli, 0);
    cr_expect_eq(snapshot.partitions[2].read.throttled[PK_LIMIT_KEY_RANGE], 0);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

Test(throttle, exceptions_and_reasons)
{
    static const struct row {
        const char *table;
        bool write;
        enum pk_code code;
        uint32_t partition;
        const char *reasons, *message;
    } rows[] = {
        {"T PK:S", false, PK_E_THROTTLED, 2, "TableReadKeyRangeThroughputExceeded T",
         "Throughput exceeds the current capacity of your table or index. DynamoDB is "
         "automatically scaling your table or index so please try again shortly. If exceptions "
         "persist, check if you have a hot key."},
        {"T PK:S", true, PK_E_THROTTLED, 2, "TableWriteKeyRangeThroughputExceeded T",
         "Throughput exceeds the current capacity of your table or index. DynamoDB is "
         "automatically scaling your table or index so please try again shortly. If exceptions "
         "persist, check if you have a hot key."},
        {"T PK:S provisioned=100/100", false, PK_E_THROUGHPUT_EXCEEDED, 10,
         "TableReadKeyRangeThroughputExceeded T",
         "The level of configured provisioned throughput for the table was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API."},
        {"T PK:S provisioned=1/1", false, PK_E_THROUGHPUT_EXCEEDED, 0,
         "TableReadProvisionedThroughputExceeded T",
         "The level of configured provisioned throughput for the table was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API."},
        {"T PK:S provisioned=1/1", true, PK_E_THROUGHPUT_EXCEEDED, 0,
         "TableWriteProvisionedThroughputExceeded T",
         "The level of configured provisioned throughput for the table was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API."},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct world world;
        enum pk_code rc = PK_OK;

        open_workshop(&world);
        engine_table(&world.fx, rows[r].table);
        for (int i = 0; i < 100 && rc == PK_OK; i++)
            rc = rows[r].write ? engine_put(&world.fx, "T", "{PK: 'USER#1'}")
                               : engine_get(&world.fx, "T", "{PK: 'USER#1'}");
        cr_expect_eq(rc, rows[r].code, "row %zu", r);
        cr_expect_str_eq(engine_message(&world.fx), rows[r].message, "row %zu", r);
        cr_expect_str_eq(reasons(&world), rows[r].reasons, "row %zu", r);
        cr_expect_eq(world.fx.err.throttling[0].partition, rows[r].partition, "row %zu", r);
        engine_close(&world.fx);
    }
}

Test(throttle, max_on_demand_and_the_accounts_quota)
{
    static const struct {
        int64_t max, quota;
        const char *reasons, *message;
        int64_t admitted;
    } rows[] = {
        {5, 400, "TableReadMaxOnDemandThroughputExceeded T",
         "Throughput exceeds the maximum OnDemandThroughput configured on table or index", 5},
        {-1, 7, "TableReadAccountLimitExceeded T",
         "Throughput exceeds the current throughput limit for your account", 7},
    };

    for (size_t r = 0; r < 2; r++) {
        struct world world;
        struct pk_table_spec spec;
        struct pk_table *table = NULL;
        int64_t admitted = 0;

        open_workshop(&world);
        world.sim.quota_read = (uint64_t)rows[r].quota;
        apply(&world);
        spec = engine_spec(&world.fx, "T PK:S");
        spec.max.read = rows[r].max;
        cr_assert_eq(pk_engine_create_table(world.fx.engine, &spec, &table, &world.fx.err), PK_OK);
        pk_table_unref(table);
        for (int i = 0; i < 100; i++) {
            const char *key = engine_format(&world.fx, "{PK: 'USER#%d'}", i);

            if (engine_get(&world.fx, "T", key) == PK_OK)
                admitted++;
        }
        cr_expect_eq(admitted, rows[r].admitted, "row %zu: %lld", r, (long long)admitted);
        cr_expect_eq(world.fx.err.code, PK_E_THROTTLED);
        cr_expect_str_eq(engine_message(&world.fx), rows[r].message);
        cr_expect_str_eq(reasons(&world), rows[r].reasons);
        engine_close(&world.fx);
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* A write dearer than its bucket is admitted when that is full, and leaves a debt. */
Test(throttle, a_large_item_into_a_small_table)
{
    struct world world;
    int seconds = 0;

    open_aws(&world);
    world.sim.burst_seconds = 0;
    apply(&world);
    engine_table(&world.fx, "T PK:S provisioned=1/1");
    cr_expect_eq(
        engine_put(&world.fx, "T",
                   engine_format(&world.fx, "{PK: 'a', V: %s}", engine_text(&world.fx, 20000))),
        PK_OK);
    cr_expect_eq(engine_write_cost(&world.fx), 20000);
    while (engine_put(&world.fx, "T", "{PK: 'b'}") != PK_OK) {
        next_second(&world);
        seconds++;
    }
    cr_expect_eq(seconds, 20, "%d", seconds);
    engine_close(&world.fx);
}

/* A read is admitted by its least charge and pays the rest afterwards. */
Test(throttle, a_read_pays_the_rest_afterwards)
{
    struct world world;
    struct pk_snapshot snapshot;
    int seconds = 0;

    open_workshop(&world);
    engine_table(&world.fx, "T PK:S");
    world.sim.throttle = PK_THROTTLING_OFF;
    apply(&world);
    cr_assert_eq(engine_put(&world.fx, "T",
                            engine_format(&world.fx, "{PK: 'USER#1', V: %s}",
                                          engine_text(&world.fx, 400000))),
                 PK_OK);
    world.sim.throttle = PK_THROTTLING_ENFORCE;
    apply(&world);
    cr_expect_eq(read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"), true, 1), 1);
    look(&world, "T", &snapshot);
    cr_expect_eq(snapshot.partitions[2].read.level_milli, 30000 - 98000, "%lld",
                 (long long)snapshot.partitions[2].read.level_milli);
    pk_snapshot_release(&snapshot);
    while (read_many(&world, engine_value(&world.fx, "{PK: 'USER#1'}"), true, 1) == 0) {
        next_second(&world);
        seconds++;
    }
    cr_expect_eq(seconds, 3, "%d", seconds);
    engine_close(&world.fx);
}

/* A condition that fails costs what the write would have. */
Test(throttle, a_failed_condition_pays)
{
    struct world world;

    open_workshop(&world);
    engine_table(&world.fx, "T PK:S");
    for (int i = 0; i < 10; i++) {
        struct write_text text = {.kind = PK_WRITE_PUT,
                                  .table = "T",
                                  .item = "{PK: 'USER#1'}",
                                  .condition = "attribute_exists(PK)"};

        cr_expect_eq(engine_write(&world.fx, &text), PK_E_CONDITION_FAILED, "%d", i);
    }
    cr_expect_eq(engine_put(&world.fx, "T", "{PK: 'USER#1'}"), PK_E_THROTTLED);
    engine_close(&world.fx);
}

/* A scan is admitted by the first partition and paid by each. */
Test(throttle, a_scan_is_paid_by_all_partitions)
{
    struct world world;
    struct read_text scan = {.from = "T", .consistent = true};
    struct pk_snapshot snapshot;
    int64_t sum = 0;

    open_aws(&world);
    engine_table(&world.fx, "T PK:S");
    for (int i = 0; i < 40; i++)
        cr_assert_eq(engine_put(&world.fx, "T",
                                engine_format(&world.fx, "{PK: 'USER#%d', V: %s}", i,
                                              engine_text(&world.fx, 4000))),
                     PK_OK);
    cr_assert_eq(engine_read(&world.fx, &scan), PK_OK);
    cr_expect_eq(engine_read_cost(&world.fx), 40000);
    next_second(&world);
    look(&world, "T", &snapshot);
    for (size_t i = 0; i < snapshot.count; i++) {
        int64_t milli = snapshot.partitions[i].read.consumed_milli;

        /* by bytes, which the lengths of the keys make a little uneven */
        cr_expect_eq((milli + 500) / 1000, (int64_t)snapshot.partitions[i].counts.items,
                     "partition %zu: %lld of %d items", i, (long long)milli,
                     (int)snapshot.partitions[i].counts.items);
        sum += milli;
    }
    cr_expect_eq(sum, 40000);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);
}

/* ---- batches and transactions ---------------------------------------------------------------- */

static void drain(struct world *world, const char *key)
{
    while (engine_put(&world->fx, "T", engine_format(&world->fx, "{PK: '%s'}", key)) == PK_OK)
        ;
}

Test(throttle, batches_leave_throttled_items_unprocessed)
{
    struct world world;
    struct pk_write writes[2];
    struct pk_get gets[2];
    struct pk_batch_write_result written;
    struct pk_batch_get_result read;

    open_workshop(&world);
    engine_table(&world.fx, "T PK:S");
    drain(&world, "USER#1");
    for (int i = 0; i < 2; i++) {
        const char *item = i == 0 ? "{PK: 'USER#1'}" : "{PK: 'USER#123'}";

        writes[i] = (struct pk_write){
            .kind = PK_WRITE_PUT, .table = PK_LIT("T"), .item = engine_value(&world.fx, item)};
        gets[i] = (struct pk_get){.table = PK_LIT("T"), .key = engine_value(&world.fx, item)};
    }
    cr_assert_eq(
        pk_engine_batch_write(world.fx.engine, &world.fx.call, writes, 2, &written, &world.fx.err),
        PK_OK);
    cr_expect(written.unprocessed[0]);
    cr_expect_not(written.unprocessed[1]);
    cr_expect_eq(
        pk_engine_batch_write(world.fx.engine, &world.fx.call, writes, 1, &written, &world.fx.err),
        PK_E_THROTTLED);
    cr_expect_str_eq(reasons(&world), "TableWriteKeyRangeThroughputExceeded T");
    (void)read_many(&world, gets[0].key, true, 100);
    cr_assert_eq(
        pk_engine_batch_get(world.fx.engine, &world.fx.call, gets, 2, &read, &world.fx.err), PK_OK);
    cr_expect(read.entries[0].unprocessed);
    cr_expect_not(read.entries[1].unprocessed);
    cr_expect_gt(read.entries[1].item.len, 0);
    cr_expect_eq(
        pk_engine_batch_get(world.fx.engine, &world.fx.call, gets, 1, &read, &world.fx.err),
        PK_E_THROTTLED);
    engine_close(&world.fx);
}

Test(throttle, transactions_are_cancelled_at_the_items_place)
{
    struct world world;
    struct pk_write writes[2];
    struct pk_get gets[2];
    struct pk_transact_write_result written;
    struct pk_transact_get_result read;
    struct pk_snapshot snapshot;

    open_workshop(&world);
    engine_table(&world.fx, "T PK:S");
    drain(&world, "USER#1");
    for (int i = 0; i < 2; i++) {
        const char *item = i == 1 ? "{PK: 'USER#1'}" : "{PK: 'USER#123'}";

        writes[i] = (struct pk_write){
            .kind = PK_WRITE_PUT, .table = PK_LIT("T"), .item = engine_value(&world.fx, item)};
        gets[i] = (struct pk_get){.table = PK_LIT("T"), .key = engine_value(&world.fx, item)};
    }
    cr_expect_eq(pk_engine_transact_write(world.fx.engine, &world.fx.call,
                                          &(struct pk_transact_write){.writes = writes, .count = 2},
                                          &written, &world.fx.err),
                 PK_E_TXN_CANCELED);
    cr_expect_str_eq(world.fx.err.reasons[0].code, "None");
    cr_expect_str_eq(world.fx.err.reasons[1].code, "ThrottlingError");
    (void)read_many(&world, gets[1].key, true, 100);
    cr_expect_eq(
        pk_engine_transact_get(world.fx.engine, &world.fx.call, gets, 2, &read, &world.fx.err),
        PK_E_TXN_CANCELED);
    cr_expect_str_eq(world.fx.err.reasons[1].code, "ThrottlingError");
    /* the other item's partition was given back what it had lent */
    look(&world, "T", &snapshot);
    cr_expect_eq(snapshot.partitions[1].write.level_milli, 10000);
    cr_expect_eq(snapshot.partitions[1].read.level_milli, 30000);
    pk_snapshot_release(&snapshot);
    cr_expect_eq(engine_get(&world.fx, "T", "{PK: 'USER#123'}"), PK_OK);
    cr_expect_str_eq(engine_item(&world.fx), "MISSING");
    engine_close(&world.fx);
}

/* ---- back-pressure (indexes.md, strict) ------------------------------------------------------ */

struct pressure {
    const char *table, *indexed; /* indexed: a format of the number, or NULL */
    uint64_t initial;            /* ondemand.initial_wcu */
    int accepted;
    enum pk_code code;
    const char *reasons;
};

/* Offers 50 puts of 1 KB in one second, spread evenly over the table's partitions. */
static void press(const struct pressure *row, size_t r)
{
    struct world world;
    int accepted = 0, sent = 0, in_partition[10] = {0};
    enum pk_code code = PK_OK;
    const char *why = "";

    open_workshop(&world);
    world.sim.on_demand_write = row->initial;
    world.sim.partition_read = 1000;
    world.sim.burst_seconds = 0;
    if (row->initial == 0) {
        world.sim = pk_sim_settings_aws();
        world.sim.throttle = PK_THROTTLING_ENFORCE;
        world.sim.split_heat = 0;
        world.sim.burst_seconds = 0;
    }
    apply(&world);
    engine_table(&world.fx, row->table);
    for (int n = 0; sent < 50; n++) {
        struct pk_place place;
        const char *index = "";
        pk_value key = engine_value(&world.fx, engine_format(&world.fx, "{PK: 'K#%d'}", n));
        enum pk_code rc;

        cr_assert_eq(pk_engine_where(world.fx.engine, &world.fx.call,
                                     &(struct pk_where){PK_LIT("T"), (pk_slice){NULL, 0}, key},
                                     &place, &world.fx.err),
                     PK_OK);
        if (place.partition_count == 10 && in_partition[place.partition]++ >= 5)
            continue;
        if (row->indexed != NULL)
            index = engine_format(&world.fx, ", G1: '%s%d'", row->indexed,
                                  row->code == PK_E_THROTTLED ? 0 : sent);
        rc = engine_put(&world.fx, "T",
                        engine_format(&world.fx, "{PK: 'K#%d', D: %s%s}", n,
                                      engine_text(&world.fx, 900), index));
        sent++;
        accepted += rc == PK_OK;
        if (rc != PK_OK) {
            code = rc;
            why = reasons(&world);
        }
    }
    cr_expect_eq(accepted, row->accepted, "row %zu: %d", r, accepted);
    cr_expect_eq(code, row->code, "row %zu", r);
    cr_expect_str_eq(why, row->reasons, "row %zu", r);
    engine_close(&world.fx);
}

Test(throttle, strict_back_pressure)
{
    static const struct pressure rows[] = {
        {"T PK:S provisioned=100/100; gsi G1 G1:S keys provisioned=10/10", "g", 0, 10,
         PK_E_THROUGHPUT_EXCEEDED, "IndexWriteProvisionedThroughputExceeded T/G1"},
        {"T PK:S provisioned=100/100; gsi G1 G1:S keys provisioned=10/10", NULL, 0, 50, PK_OK, ""},
        {"T PK:S; gsi G1 G1:S keys", "STATUS#ACTIVE#", 100, 10, PK_E_THROTTLED,
         "IndexWriteKeyRangeThroughputExceeded T/G1"},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        press(&rows[r], r);
}

/* An entry that moves asks two partitions of the index, and the table's cost stays its own. */
Test(throttle, an_entry_that_moves_pays_twice)
{
    struct world world;
    struct pk_snapshot snapshot;

    open_aws(&world);
    world.sim.burst_seconds = 0;
    apply(&world);
    engine_table(&world.fx, "T PK:S provisioned=100/100; gsi G1 G1:S keys provisioned=10/10");
    cr_assert_eq(engine_put(&world.fx, "T", "{PK: 'a', G1: 'x'}"), PK_OK);
    cr_assert_eq(engine_put(&world.fx, "T", "{PK: 'a', G1: 'y'}"), PK_OK);
    look(&world, "T", &snapshot);
    cr_expect_eq(snapshot.indexes[0].write.level_milli, 7000);
    cr_expect_eq(snapshot.write.level_milli, 98000);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);
}

/* ---- back-pressure, queued ------------------------------------------------------------------- */

/* Table 100, GSI 10, a queue of 20, no lag, 50 puts a second: 30 in the first (10 are applied at
 * once), then 10 a second; the lag settles at 2 s. */
Test(throttle, queued_back_pressure)
{
    struct world world;
    struct pk_snapshot snapshot;
    int n = 0;

    open_aws(&world);
    world.sim.burst_seconds = 0;
    world.sim.gsi_queue = 1;
    world.sim.gsi_queue_units = 20;
    apply(&world);
    engine_table(&world.fx, "T PK:S provisioned=100/100; gsi G1 G1:S keys provisioned=10/10");
    for (int second = 0; second < 5; second++) {
        struct read_text scan = {.from = "T.G1"};
        int accepted = 0;

        for (int i = 0; i < 50; i++, n++)
            accepted +=
                engine_put(&world.fx, "T",
                           engine_format(&world.fx, "{PK: 'K#%d', G1: 'g%d'}", n, n)) == PK_OK;
        cr_expect_eq(accepted, second == 0 ? 30 : 10, "second %d: %d", second, accepted);
        cr_expect_eq(world.fx.err.code, PK_E_THROUGHPUT_EXCEEDED);
        cr_expect_str_eq(reasons(&world), "IndexWriteProvisionedThroughputExceeded T/G1");
        cr_assert_eq(engine_read(&world.fx, &scan), PK_OK);
        cr_expect_eq(world.fx.read.count, (uint64_t)(10 * (second + 1)), "second %d: %d", second,
                     (int)world.fx.read.count);
        look(&world, "T", &snapshot);
        cr_expect_eq(snapshot.indexes[0].queue_milli, 20000);
        cr_expect_eq(snapshot.indexes[0].queue_limit_milli, 20000);
        cr_expect_eq(snapshot.indexes[0].lag.waiting, 20);
        /* the next of them goes when it is two seconds old */
        cr_expect_eq(snapshot.indexes[0].lag.oldest_ms, second == 0 ? 0 : SECOND, "second %d: %d",
                     second, (int)snapshot.indexes[0].lag.oldest_ms);
        pk_snapshot_release(&snapshot);
        next_second(&world);
    }
    /* nothing that was accepted is lost */
    for (int i = 0; i < 10; i++)
        next_second(&world);
    look(&world, "T", &snapshot);
    cr_expect_eq(snapshot.indexes[0].counts.items, 70);
    cr_expect_eq(snapshot.indexes[0].queue_milli, 0);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);
}

/* Observed, a queue delays nothing and counts the same. */
Test(throttle, an_observed_queue_delays_nothing)
{
    struct world world;
    struct read_text scan = {.from = "T.G1"};

    open_world(&world, pk_sim_settings_aws(), PK_THROTTLING_OBSERVE);
    world.sim.burst_seconds = 0;
    world.sim.gsi_queue = 1;
    world.sim.gsi_queue_units = 20;
    apply(&world);
    engine_table(&world.fx, "T PK:S provisioned=100/100; gsi G1 G1:S keys provisioned=10/10");
    for (int i = 0; i < 50; i++)
        cr_expect_eq(
            engine_put(&world.fx, "T", engine_format(&world.fx, "{PK: 'K#%d', G1: 'g%d'}", i, i)),
            PK_OK);
    cr_assert_eq(engine_read(&world.fx, &scan), PK_OK);
    cr_expect_eq(world.fx.read.count, 50);
    engine_close(&world.fx);
}
