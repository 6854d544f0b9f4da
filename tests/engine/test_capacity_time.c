/* What time does to capacity in an engine: heat splits, growth, auto scaling, splits for size and
 * throughput (partitions-capacity.md §3.2, §3.3, §11.5 to §11.7). */
#include <criterion/criterion.h>

#include "engine/snapshot.h"
#include "tests/support/engine_fixture.h"
#include "tests/support/temp_dir.h"

TestSuite(capacity_time);

enum { SECOND = 1000, MINUTE = 60 * SECOND };

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

static void open_world(struct world *world, struct pk_sim_settings sim)
{
    engine_open(&world->fx);
    world->sim = sim;
    world->sim.throttle = PK_THROTTLING_ENFORCE;
    apply(world);
}

static void pass(struct world *world, int64_t ms)
{
    struct pk_error err = PK_ERROR_INIT;
    int64_t to_ms = pk_clock_now(pk_engine_clock(world->fx.engine)) + ms;

    cr_assert_eq(pk_engine_advance(world->fx.engine, &world->fx.call, to_ms, &err), PK_OK, "%s",
                 err.message);
}

static void look(struct world *world, struct pk_snapshot *snapshot)
{
    const struct pk_snapshot_request request = {.table = PK_LIT("T"), .limit = 1000};
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_snapshot(world->fx.engine, &world->fx.call, &request, snapshot, &err),
                 PK_OK, "%s", err.message);
}

static size_t partitions(struct world *world)
{
    struct pk_snapshot snapshot;
    size_t count;

    look(world, &snapshot);
    count = snapshot.partition_count;
    pk_snapshot_release(&snapshot);
    return count;
}

/* One write of 1 WCU; true when it was admitted. */
static bool write_item(struct world *world, const char *item)
{
    enum pk_code rc = engine_put(&world->fx, "T", item);

    if (rc != PK_OK && rc != PK_E_THROTTLED && rc != PK_E_THROUGHPUT_EXCEEDED)
        cr_assert_fail("%s: %s", item, engine_message(&world->fx));
    return rc == PK_OK;
}

/* ---- heat (§11.5): one partition, 10 WCU, window 5 s, split 2 s, cooldown 5 s ---------------- */

/* Four keys in the order of their tokens. */
static void keys_by_token(struct world *world, const char *keys[4])
{
    uint64_t tokens[4];

    for (int i = 0; i < 4; i++) {
        struct pk_place place;
        const char *key = engine_format(&world->fx, "%c", 'a' + i);
        int at = i;

        cr_assert_eq(
            pk_engine_where(
                world->fx.engine, &world->fx.call,
                &(struct pk_where){
                    PK_LIT("T"), (pk_slice){NULL, 0},
                    engine_value(&world->fx, engine_format(&world->fx, "{PK: '%s'}", key))},
                &place, &world->fx.err),
            PK_OK);
        for (; at > 0 && tokens[at - 1] > place.token; at--) {
            tokens[at] = tokens[at - 1];
            keys[at] = keys[at - 1];
        }
        tokens[at] = place.token;
        keys[at] = key;
    }
}

static void open_heat(struct world *world, const char *table)
{
    struct pk_sim_settings sim = pk_sim_settings_workshop();

    /* one partition, and a table bucket that does not limit */
    sim.on_demand_write = 10;
    sim.on_demand_read = 30;
    sim.metric_period_ms = 3600 * SECOND;
    sim.partition_bytes = UINT64_C(1) << 40;
    sim.collection_bytes = UINT64_C(1) << 40;
    open_world(world, sim);
    engine_table(&world->fx, table);
    cr_assert_eq(partitions(world), 1);
}

struct load {
    int writes[4]; /* of the keys by token, a second */
};

static int offer(struct world *world, const char *keys[4], const struct load *load, bool by_turns)
{
    int admitted = 0, left[4];

    for (int i = 0; i < 4; i++)
        left[i] = load->writes[i];
    for (int any = 1; any > 0;) {
        any = 0;
        for (int i = 0; i < 4; i++) {
            for (int n = by_turns && left[i] > 0 ? 1 : left[i]; n > 0; n--, left[i]--, any++)
                admitted +=
                    write_item(world, engine_format(&world->fx, "{PK: '%s', SK: 's'}", keys[i]));
        }
    }
    return admitted;
}

static const char *refusal_of(struct world *world, const char *key)
{
    struct pk_place place;
    struct pk_snapshot snapshot;
    const char *refusal;

    cr_assert_eq(
        pk_engine_where(
            world->fx.engine, &world->fx.call,
            &(struct pk_where){
                PK_LIT("T"), (pk_slice){NULL, 0},
                engine_value(&world->fx, engine_format(&world->fx, "{PK: '%s', SK: 's'}", key))},
            &place, &world->fx.err),
        PK_OK);
    look(world, &snapshot);
    refusal = snapshot.partitions[place.partition].refusal;
    pk_snapshot_release(&snapshot);
    return refusal;
}

Test(capacity_time, heat_splits_at_the_median)
{
    static const struct row {
        struct load load;
        int before, after;      /* admitted a second, until t=6 and from t=7 */
        const char *refusal[2]; /* of the hottest key, at t=7 and t=13 */
    } rows[] = {
        {{{5, 5, 5, 5}}, 10, 20, {"", ""}},
        {{{20, 0, 0, 0}}, 10, 10, {"SINGLE_ITEM", "SINGLE_ITEM"}},
        {{{9, 2, 2, 2}}, 10, 15, {"", "SINGLE_ITEM"}},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct world world;
        const char *keys[4];

        open_heat(&world, "T PK:S SK:S");
        keys_by_token(&world, keys);
        for (int t = 0; t < 14; t++) {
            int admitted = offer(&world, keys, &rows[r].load, true);

            cr_expect_eq(admitted, t < 7 ? rows[r].before : rows[r].after, "row %zu t=%d: %d", r, t,
                         admitted);
            if (t == 7 || t == 13)
                cr_expect_str_eq(refusal_of(&world, keys[0]), rows[r].refusal[t == 13],
                                 "row %zu t=%d", r, t);
            pass(&world, SECOND);
        }
        engine_close(&world.fx);
    }
}

/* A hot item in the middle is alone after two splits. */
Test(capacity_time, heat_isolates_an_item)
{
    struct world world;
    const char *keys[4];
    const struct load load = {{1, 18, 1, 0}};

    open_heat(&world, "T PK:S SK:S");
    keys_by_token(&world, keys);
    for (int t = 0; t < 20; t++) {
        /* B first in each second */
        const char *order[4] = {keys[1], keys[0], keys[2], keys[3]};
        const struct load first = {{load.writes[1], load.writes[0], load.writes[2], 0}};
        int admitted = offer(&world, order, &first, false);

        cr_expect_eq(admitted, t < 7 ? 10 : t < 14 ? 11 : 12, "t=%d: %d", t, admitted);
        pass(&world, SECOND);
    }
    cr_expect_eq(partitions(&world), 3);
    cr_expect_str_eq(refusal_of(&world, keys[1]), "SINGLE_ITEM");
    engine_close(&world.fx);
}

static unsigned reversed(unsigned n)
{
    unsigned out = 0;

    for (int i = 0; i < 16; i++, n >>= 1)
        out = out << 1 | (n & 1);
    return out;
}

Test(capacity_time, heat_within_one_collection)
{
    static const struct row {
        const char *table;
        int kind; /* 0: rising, 1: falling, 2: bit-reversed */
        int after;
        const char *refusal;
    } rows[] = {
        {"T PK:S SK:S", 0, 10, "MONOTONIC"},
        {"T PK:S SK:S", 1, 10, "MONOTONIC"},
        {"T PK:S SK:S", 2, 20, ""},
        {"T PK:S SK:S; lsi L A:S keys", 2, 10, "LSI_COLLECTION"},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct world world;
        unsigned n = 0;

        open_heat(&world, rows[r].table);
        for (int t = 0; t < 10; t++) {
            int admitted = 0;

            for (int i = 0; i < 20; i++, n++) {
                unsigned sk = rows[r].kind == 0 ? n : rows[r].kind == 1 ? 60000 - n : reversed(n);

                admitted +=
                    write_item(&world, engine_format(&world.fx, "{PK: 'p', SK: '%05u'}", sk));
            }
            cr_expect_eq(admitted, t < 7 ? 10 : rows[r].after, "row %zu t=%d: %d", r, t, admitted);
            pass(&world, SECOND);
        }
        if (rows[r].after == 10)
            cr_expect_str_eq(refusal_of(&world, "p"), rows[r].refusal, "row %zu", r);
        cr_expect_eq(partitions(&world), rows[r].after == 20 ? 2 : 1, "row %zu", r);
        engine_close(&world.fx);
    }
}

/* ---- on demand (§11.7) ----------------------------------------------------------------------- */

/* Heat splits off, an even load of 100 units for a warm 40: 40 a second, then 80, then 100. */
Test(capacity_time, an_on_demand_table_grows)
{
    struct world world;
    struct pk_snapshot snapshot;
    struct pk_sim_settings sim = pk_sim_settings_workshop();
    int first[3] = {-1, -1, -1};

    sim.split_heat = 0;
    sim.on_demand_growth_ms = 30 * SECOND;
    sim.metric_period_ms = SECOND;
    open_world(&world, sim);
    engine_table(&world.fx, "T PK:S");
    for (int t = 0; t < 70; t++) {
        int admitted = 0;

        /* many keys, so that the partitions are loaded evenly: more than each can take */
        for (int i = 0; i < 400; i++)
            admitted += write_item(&world, engine_format(&world.fx, "{PK: 'k%d'}", i));
        for (int level = 0; level < 3; level++) {
            if (admitted == 40 << level && first[level] < 0)
                first[level] = t;
        }
        engine_reset(&world.fx);
        pass(&world, SECOND);
    }
    cr_expect_eq(first[0], 0, "%d", first[0]);
    cr_expect_eq(first[1], 30, "%d", first[1]);
    cr_expect_eq(first[2], 60, "%d", first[2]);
    look(&world, &snapshot);
    cr_expect_eq(snapshot.partition_count, 16);
    cr_expect_eq(snapshot.write.warm, 160);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);
}

/* ---- provisioned ----------------------------------------------------------------------------- */

static int64_t provisioned(struct world *world)
{
    struct pk_table *table = pk_engine_table(world->fx.engine, PK_LIT("T"));
    int64_t write = table->throughput.write;

    pk_table_unref(table);
    return write;
}

static void provision(struct world *world, int64_t write)
{
    const struct pk_table_change change = {.name = PK_LIT("T"),
                                           .throughput_given = true,
                                           .throughput = {.read = 1, .write = write},
                                           .max = {-1, -1}};
    struct pk_table *table = NULL;

    cr_assert_eq(pk_engine_update_table(world->fx.engine, &change, &table, &world->fx.err), PK_OK,
                 "%s", engine_message(&world->fx));
    pk_table_unref(table);
}

/* 4 x 800, 4 x 900, 8 x 750, 8 x 625 (§3.2): partitions split in two and never merge. */
Test(capacity_time, more_throughput_splits_all)
{
    static const struct {
        int64_t write;
        size_t partitions;
    } rows[] = {{3200, 4}, {3600, 4}, {6000, 8}, {5000, 8}};
    struct world world;

    open_world(&world, pk_sim_settings_aws());
    engine_table(&world.fx, "T PK:S provisioned=1/3200");
    for (size_t r = 0; r < 4; r++) {
        if (r > 0)
            provision(&world, rows[r].write);
        cr_expect_eq(partitions(&world), rows[r].partitions, "row %zu: %zu", r, partitions(&world));
    }
    engine_close(&world.fx);
}

/* Target 70 % between 10 and 100: 9 of 10 units for two periods make it 13, and 15 idle ones 10. */
Test(capacity_time, auto_scaling_follows_the_load)
{
    struct world world;
    struct pk_sim_settings sim = pk_sim_settings_workshop();
    const struct pk_scaling scaling = {.min = 10, .max = 100, .target_percent = 70};
    struct pk_table *table = NULL;

    sim.split_heat = 0;
    open_world(&world, sim);
    engine_table(&world.fx, "T PK:S provisioned=1/10");
    cr_assert_eq(pk_engine_set_autoscale(
                     world.fx.engine,
                     &(struct pk_autoscale_change){.table = PK_LIT("T"), .write = &scaling}, &table,
                     &world.fx.err),
                 PK_OK, "%s", engine_message(&world.fx));
    pk_table_unref(table);
    for (int t = 0; t < 2; t++) {
        cr_expect_eq(provisioned(&world), 10, "t=%d", t);
        for (int i = 0; i < 9; i++)
            cr_expect(write_item(&world, engine_format(&world.fx, "{PK: 'k%d'}", i)));
        pass(&world, SECOND);
    }
    cr_expect_eq(provisioned(&world), 13, "%d", (int)provisioned(&world));
    pass(&world, 14 * SECOND);
    cr_expect_eq(provisioned(&world), 13, "%d", (int)provisioned(&world));
    pass(&world, SECOND);
    cr_expect_eq(provisioned(&world), 10, "%d", (int)provisioned(&world));
    engine_close(&world.fx);
}

/* ---- size (§3.3) ----------------------------------------------------------------------------- */

/* Items of 1 KB, each in a collection of its own, or all in one. */
static void fill(struct world *world, bool one, int from, int count)
{
    for (int i = from; i < from + count; i++)
        cr_assert_eq(engine_put(&world->fx, "T",
                                engine_format(&world->fx, "{PK: 'k%d', SK: 's%d', V: %s}",
                                              one ? 0 : i, i, engine_text(&world->fx, 1000))),
                     PK_OK, "%s", engine_message(&world->fx));
}

Test(capacity_time, a_full_partition_splits_in_half)
{
    static const struct row {
        const char *table;
        bool one, splits;
        const char *refusal;
    } rows[] = {
        {"T PK:S SK:S", false, true, ""},
        {"T PK:S SK:S", true, true, ""},
        {"T PK:S SK:S; lsi L A:S keys", false, true, ""},
        {"T PK:S SK:S; lsi L A:S keys", true, false, "LSI_COLLECTION"},
    };

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct world world;
        struct pk_snapshot snapshot;

        open_heat(&world, rows[r].table);
        world.sim.throttle = PK_THROTTLING_OBSERVE;
        world.sim.partition_bytes = 64 << 10;
        world.sim.split_heat = 0;
        apply(&world);
        fill(&world, rows[r].one, 0, 60);
        pass(&world, 10 * SECOND);
        cr_expect_eq(partitions(&world), 1, "row %zu", r);
        fill(&world, rows[r].one, 60, 10);
        pass(&world, SECOND);
        look(&world, &snapshot);
        cr_expect_eq(snapshot.partitions[0].splitting, rows[r].splits, "row %zu", r);
        cr_expect_str_eq(snapshot.partitions[0].refusal, rows[r].refusal, "row %zu", r);
        pk_snapshot_release(&snapshot);
        pass(&world, 2 * SECOND);
        look(&world, &snapshot);
        cr_expect_eq(snapshot.partition_count, rows[r].splits ? 2 : 1, "row %zu", r);
        if (rows[r].splits) {
            cr_expect_eq(snapshot.partitions[0].counts.items, 35, "row %zu: %d", r,
                         (int)snapshot.partitions[0].counts.items);
            cr_expect_eq(snapshot.partitions[1].counts.items, 35);
            cr_expect_str_eq(snapshot.splits[0].cause, "SIZE");
        }
        pk_snapshot_release(&snapshot);
        engine_close(&world.fx);
    }
}

/* ---- a restart ------------------------------------------------------------------------------- */

/* Refusals and a split that is under way outlive a clean close; the split then ends in its time. */
Test(capacity_time, a_restart_keeps_what_was_seen)
{
    struct world world;
    struct temp_dir dir;
    struct pk_snapshot snapshot;
    uint64_t refused;

    temp_dir_make(&dir);
    engine_open_dir(&world.fx, dir.path);
    world.sim = pk_sim_settings_workshop();
    world.sim.on_demand_write = 10;
    world.sim.on_demand_read = 30;
    apply(&world);
    engine_table(&world.fx, "T PK:S");
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < 30; i++)
            (void)write_item(&world, engine_format(&world.fx, "{PK: 'k%d'}", i * 7 % 30));
        pass(&world, SECOND);
    }
    look(&world, &snapshot);
    cr_assert(snapshot.partitions[0].splitting);
    refused = snapshot.partitions[0].write.throttled[PK_LIMIT_KEY_RANGE];
    cr_expect_gt(refused, 0);
    pk_snapshot_release(&snapshot);
    engine_close(&world.fx);

    engine_open_dir(&world.fx, dir.path);
    look(&world, &snapshot);
    cr_expect(snapshot.partitions[0].splitting);
    cr_expect_eq(snapshot.partitions[0].write.throttled[PK_LIMIT_KEY_RANGE], refused);
    pk_snapshot_release(&snapshot);
    pass(&world, 2 * SECOND);
    cr_expect_eq(partitions(&world), 2);
    engine_close(&world.fx);
    engine_open_dir(&world.fx, dir.path);
    cr_expect_eq(partitions(&world), 2);
    engine_close(&world.fx);
    temp_dir_remove(&dir);
}

/* ---- tunables -------------------------------------------------------------------------------- */

/* A full burst at the start: 20 of 20 for 30 s, then the 10 that are provisioned (§11.4). */
Test(capacity_time, a_burst_at_the_start)
{
    struct world world;
    struct pk_sim_settings sim = pk_sim_settings_aws();

    sim.split_heat = 0;
    sim.burst_seconds = 30;
    sim.burst_initial = 1000;
    open_world(&world, sim);
    engine_table(&world.fx, "T PK:S provisioned=1/10");
    for (int t = 0; t < 33; t++) {
        int admitted = 0;

        for (int i = 0; i < 20; i++)
            admitted += write_item(&world, engine_format(&world.fx, "{PK: 'k%d'}", i));
        cr_expect_eq(admitted, t < 30 ? 20 : 10, "t=%d: %d", t, admitted);
        pass(&world, SECOND);
    }
    engine_close(&world.fx);
}

Test(capacity_time, the_rule_of_partition_counts)
{
    static const struct {
        const char *table;
        uint64_t rule;
        size_t count;
    } rows[] = {
        {"T PK:S provisioned=3000/1000", PK_COUNT_BY_MODE, 2},
        {"T PK:S provisioned=3000/1000", PK_COUNT_MAX, 1},
        {"T PK:S", PK_COUNT_BY_MODE, 4},
        {"T PK:S", PK_COUNT_SUM, 8},
    };

    for (size_t r = 0; r < 4; r++) {
        struct world world;
        struct pk_sim_settings sim = pk_sim_settings_aws();

        sim.partition_rule = rows[r].rule;
        open_world(&world, sim);
        engine_table(&world.fx, rows[r].table);
        cr_expect_eq(partitions(&world), rows[r].count, "row %zu: %zu", r, partitions(&world));
        engine_close(&world.fx);
    }
}

/* As until 2023: an item of a provisioned table with a stream is not isolated. */
Test(capacity_time, a_stream_blocks_isolation)
{
    for (uint64_t block = 0; block < 2; block++) {
        struct world world;
        const char *keys[4];
        const struct load load = {{1, 18, 1, 0}};
        struct pk_sim_settings sim = pk_sim_settings_workshop();
        struct pk_table_spec spec;
        struct pk_table *table = NULL;

        sim.split_stream_block = block;
        sim.partition_write = 10;
        sim.partition_rule = PK_COUNT_MAX;
        open_world(&world, sim);
        spec = engine_spec(&world.fx, "T PK:S SK:S provisioned=1/10");
        spec.stream = PK_STREAM_KEYS_ONLY;
        cr_assert_eq(pk_engine_create_table(world.fx.engine, &spec, &table, &world.fx.err), PK_OK);
        pk_table_unref(table);
        cr_assert_eq(partitions(&world), 1);
        keys_by_token(&world, keys);
        for (int t = 0; t < 8; t++) {
            (void)offer(&world, keys, &load, true);
            pass(&world, SECOND);
        }
        cr_expect_eq(partitions(&world), block ? 1 : 2, "%d", (int)block);
        engine_close(&world.fx);
    }
}
