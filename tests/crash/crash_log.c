/*
 * kill -9 while a table is written whose change log has readers: two global indexes, a local one, a
 * stream, and every fifth time an index that is just being created. The lag is drawn anew for each
 * child. After each kill another child opens the store and shows that
 *   - the engine's check finds nothing,
 *   - once everything was applied, each index holds exactly the projection of the table,
 *   - replaying the log from its beginning onto an empty map gives the table.
 *
 *   crash_log ROUNDS [SEED]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/rng.h"
#include "engine/ops/core.h"
#include "engine/ops/table_log.h"
#include "engine/store/layout.h"
#include "engine/table/index.h"
#include "tests/support/log_fixture.h"

enum {
    KEYS = 4000,       /* enough for a backfill to take a while */
    STORE_ROUNDS = 20, /* then a new store: the stream keeps all records */
    BACKFILLED = 3     /* exit code of a child that found an index being created */
};

static PK_NORETURN void die(struct engine_fixture *fx, const char *what)
{
    fprintf(stderr, "crash_log: %s: %s\n", what, engine_message(fx));
    _exit(1);
}

static void open_at(struct engine_fixture *fx, const char *dir, bool ticker)
{
    const struct pk_engine_options options = {.dir = dir, .no_ticker = !ticker};
    struct pk_engine *engine = NULL;
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &engine, &err) != PK_OK) {
        fprintf(stderr, "crash_log: open: %s\n", err.message);
        _exit(1);
    }
    engine_share(fx, engine);
}

/* Writing --------------------------------------------------------------------------------------*/

static const char *key_text(struct engine_fixture *fx, uint64_t n)
{
    return engine_format(fx, "{p: 'C%d', r: %d}", (int)(n % 50), (int)n);
}

static void write_one(struct engine_fixture *fx, struct pk_rng *rng)
{
    uint64_t n = pk_rng_below(rng, KEYS);
    uint64_t dice = pk_rng_below(rng, 10);
    int group = (int)pk_rng_below(rng, 5);
    enum pk_code rc;

    if (dice < 2)
        rc = engine_delete(fx, "T", key_text(fx, n));
    else if (dice < 5)
        rc = engine_update(fx, "T", key_text(fx, n), "SET g = :g, x = :x",
                           engine_format(fx, "{g: 'G%d', x: %d}", group, (int)(n % 97)));
    else if (dice < 6)
        rc = engine_update(fx, "T", key_text(fx, n), "REMOVE g", NULL);
    else
        rc = engine_put(fx, "T",
                        engine_format(fx, "{p: 'C%d', r: %d, a: 'A%d', g: 'G%d', h: %d, x: %d}",
                                      (int)(n % 50), (int)n, group, group,
                                      (int)pk_rng_below(rng, 100), (int)pk_rng_below(rng, 1000)));
    if (rc != PK_OK)
        die(fx, "write");
}

static void transact(struct engine_fixture *fx, struct pk_rng *rng)
{
    uint64_t first = pk_rng_below(rng, KEYS / 2);
    struct pk_write writes[2];
    struct pk_transact_write request = {.writes = writes, .count = 2};
    struct pk_transact_write_result result;

    for (size_t i = 0; i < 2; i++)
        writes[i] = engine_write_of(
            fx, &(struct write_text){
                    .kind = PK_WRITE_UPDATE,
                    .table = "T",
                    .item = key_text(fx, first + i * (KEYS / 2)),
                    .update = "SET g = :g",
                    .values = engine_format(fx, "{g: 'G%d'}", (int)pk_rng_below(rng, 5))});
    pk_error_release(&fx->err);
    if (pk_engine_transact_write(fx->engine, &fx->call, &request, &result, &fx->err) != PK_OK)
        die(fx, "transaction");
}

static void enable_stream(struct engine_fixture *fx)
{
    struct pk_table *table = NULL;

    if (pk_engine_update_table(fx->engine,
                               &(struct pk_table_change){.name = PK_LIT("T"),
                                                         .stream_given = true,
                                                         .stream = PK_STREAM_NEW_AND_OLD},
                               &table, &fx->err) != PK_OK)
        die(fx, "stream");
    pk_table_unref(table);
}

static void prepare(struct engine_fixture *fx, struct pk_rng *rng)
{
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("T"));

    if (table == NULL) {
        engine_table(fx, "T p:S r:N; lsi l a:S keys; gsi one g:S h:N all; gsi two h:N keys");
        enable_stream(fx);
        for (uint64_t n = 0; n < KEYS; n++) {
            if (engine_put(fx, "T",
                           engine_format(fx, "{p: 'C%d', r: %d, a: 'A', g: 'G%d', h: %d}",
                                         (int)(n % 50), (int)n, (int)(n % 5), (int)(n % 100))) !=
                PK_OK)
                die(fx, "fill");
        }
    }
    pk_table_unref(table);
    log_set_lag(fx, pk_rng_below(rng, 3) * 20, pk_rng_below(rng, 2) * 30);
}

/* Every fifth child creates the third index, or deletes it so that the next one can. */
static void redefine(struct engine_fixture *fx)
{
    const char *status = log_index_status(fx, "T", "late");
    enum pk_code rc = PK_OK;

    if (strcmp(status, "") == 0)
        rc = log_create_index(fx, "T", "gsi late g:S x:N include=a");
    else if (strcmp(status, "ACTIVE") == 0)
        rc = log_delete_index(fx, "T", "late");
    if (rc != PK_OK)
        die(fx, "index");
}

static void child_write(const char *dir, uint64_t seed, bool index, int out)
{
    struct engine_fixture fx;
    struct pk_rng rng;

    pk_rng_seed(&rng, seed);
    open_at(&fx, dir, true);
    prepare(&fx, &rng);
    if (index && strcmp(log_index_status(&fx, "T", "late"), "ACTIVE") == 0) {
        redefine(&fx);
        while (strcmp(log_index_status(&fx, "T", "late"), "") != 0)
            log_tick(&fx);
    }
    if (index)
        redefine(&fx);
    if (write(out, "r", 1) != 1)
        _exit(1);
    for (uint64_t n = 0;; n++) {
        if (n % 10 == 9)
            transact(&fx, &rng);
        else
            write_one(&fx, &rng);
        /* Ticks are few, so that a backfill is met at each of its steps. */
        if (index && n % 50 == 0)
            log_tick(&fx);
        engine_reset(&fx);
    }
}

/* Verifying ------------------------------------------------------------------------------------*/

static void print_fault(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "crash_log: check: %s\n", text);
}

static void check_clean(struct engine_fixture *fx, const char *when)
{
    struct pk_check_result result;

    if (pk_engine_check(fx->engine, &fx->call, (struct pk_check_report){print_fault, NULL}, &result,
                        &fx->err) != PK_OK)
        die(fx, "check");
    if (result.faults == 0)
        return;
    fprintf(stderr, "crash_log: %s\n", when);
    _exit(2);
}

/* Puts every row with the prefix into the map: key to an arena copy of its item. */
static void read_rows(struct engine_fixture *fx, enum pk_space space, uint32_t id,
                      struct pk_map *rows)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;

    pk_layout_id(&prefix, space, id);
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        pk_slice *item = PK_NEW(&fx->arena, pk_slice);

        if (!pk_record_open(pk_iter_value(iter), item, NULL))
            _exit(2);
        *item = pk_arena_dup(&fx->arena, *item);
        pk_map_put(rows, pk_arena_dup(&fx->arena, pk_iter_key(iter)), item);
    }
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
}

static void compare_index(struct engine_fixture *fx, const struct pk_table *table,
                          const struct pk_index *index, const struct pk_map *items)
{
    struct pk_map entries = PK_MAP_INIT;
    size_t cursor = 0;
    size_t wanted = 0;
    pk_slice key;
    void *item = NULL;

    read_rows(fx, index->local ? PK_SPACE_LSI : PK_SPACE_GSI, index->id, &entries);
    while (pk_map_next(items, &cursor, &key, &item)) {
        struct pk_index_entry entry;
        const pk_slice *found;

        if (!pk_index_entry_of(table, index, *(pk_slice *)item, &fx->arena, &entry))
            continue;
        wanted++;
        found = pk_map_get(&entries, entry.key);
        if (found != NULL && pk_slice_equal(*found, entry.item))
            continue;
        fprintf(stderr, "crash_log: index '%.*s' %s\n", PK_FMT(index->name),
                found == NULL ? "lacks an entry" : "has an old entry");
        _exit(2);
    }
    if (entries.used != wanted) {
        fprintf(stderr, "crash_log: index '%.*s' has %zu entries, %zu items are in it\n",
                PK_FMT(index->name), entries.used, wanted);
        _exit(2);
    }
    pk_map_release(&entries);
}

static void replay_one(struct engine_fixture *fx, const struct pk_table *table,
                       const struct pk_change *change, struct pk_map *items)
{
    struct pk_item_key key = pk_index_item_key(
        table, change->after.len > 0 ? change->after : change->before, &fx->arena);
    struct pk_buf row = PK_BUF_INIT;
    const pk_slice *old;
    pk_slice *now = PK_NEW(&fx->arena, pk_slice);

    pk_layout_row(&row, table->id, &key);
    old = pk_map_get(items, pk_buf_slice(&row));
    if (!pk_slice_equal(old == NULL ? (pk_slice){NULL, 0} : *old, change->before)) {
        fprintf(stderr, "crash_log: the old image of record %llu is not the item before it\n",
                (unsigned long long)change->sequence);
        _exit(2);
    }
    *now = pk_arena_dup(&fx->arena, change->after);
    if (change->after.len > 0)
        pk_map_put(items, pk_arena_dup(&fx->arena, pk_buf_slice(&row)), now);
    else
        pk_map_remove(items, pk_buf_slice(&row));
    pk_buf_release(&row);
}

/* Shard by shard, from the beginning. */
static void compare_replay(struct engine_fixture *fx, const struct pk_table *table,
                           const struct pk_map *items)
{
    struct pk_map replayed = PK_MAP_INIT;
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    size_t cursor = 0;
    pk_slice key;
    void *item = NULL;

    pk_layout_id(&prefix, PK_SPACE_CHANGE, table->id);
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        struct pk_change change;

        if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change))
            _exit(2);
        replay_one(fx, table, &change, &replayed);
    }
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    while (pk_map_next(items, &cursor, &key, &item)) {
        const pk_slice *found = pk_map_get(&replayed, key);

        if (found == NULL || !pk_slice_equal(*found, *(pk_slice *)item)) {
            fprintf(stderr, "crash_log: the replayed log lacks an item, or has an old one\n");
            _exit(2);
        }
    }
    if (replayed.used != items->used) {
        fprintf(stderr, "crash_log: the replayed log has %zu items, the table %zu\n", replayed.used,
                items->used);
        _exit(2);
    }
    pk_map_release(&replayed);
}

static PK_NORETURN void child_verify(const char *dir)
{
    struct engine_fixture fx;
    struct pk_map items = PK_MAP_INIT;
    struct pk_table *table;
    bool building;

    open_at(&fx, dir, false);
    building = strcmp(log_index_status(&fx, "T", "late"), "BACKFILLING") == 0;
    check_clean(&fx, "as it was left");
    log_set_lag(&fx, 0, 0);
    log_settle(&fx);
    check_clean(&fx, "after all was applied");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    read_rows(&fx, PK_SPACE_TABLE, table->id, &items);
    for (size_t i = 0; i < table->index_count; i++)
        compare_index(&fx, table, &table->indexes[i], &items);
    compare_replay(&fx, table, &items);
    pk_map_release(&items);
    pk_table_unref(table);
    pk_engine_close(fx.engine);
    _exit(building ? BACKFILLED : 0);
}

/* The parent -----------------------------------------------------------------------------------*/

static void kill_one(const char *dir, uint64_t seed, bool index, unsigned delay_us)
{
    int fds[2];
    char ready = 0;
    pid_t pid;

    if (pipe(fds) != 0)
        exit(1);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_write(dir, seed, index, fds[1]);
    }
    close(fds[1]);
    if (read(fds[0], &ready, 1) != 1) {
        fprintf(stderr, "crash_log: the writer failed\n");
        exit(1);
    }
    usleep(delay_us);
    kill(pid, SIGKILL);
    close(fds[0]);
    waitpid(pid, NULL, 0);
}

static int verify(const char *dir)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        child_verify(dir);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void remove_dir(const char *dir)
{
    char command[80];

    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)(unsigned)getpid();
    unsigned long backfills = 0;
    char dir[] = "/tmp/pksk-crash-XXXXXX";
    struct pk_rng rng;

    if (mkdtemp(dir) == NULL)
        return 1;
    pk_rng_seed(&rng, seed);
    for (unsigned long round = 0; round < rounds; round++) {
        bool index = round % 5 == 2;
        unsigned delay =
            index ? (unsigned)pk_rng_below(&rng, 20000) : (unsigned)pk_rng_below(&rng, 100000);
        int code;

        if (round % STORE_ROUNDS == 0)
            remove_dir(dir);
        kill_one(dir, seed * 1000003 + round, index, delay);
        code = verify(dir);
        backfills += code == BACKFILLED;
        if (code != 0 && code != BACKFILLED) {
            fprintf(stderr, "crash_log: round %lu of seed %llu failed; store kept in %s\n", round,
                    (unsigned long long)seed, dir);
            printf("%lu passed, 1 failed\n", round);
            return 1;
        }
    }
    remove_dir(dir);
    printf("crash_log: seed %llu: %lu kills, %lu of them during a backfill\n%lu passed, 0 failed\n",
           (unsigned long long)seed, rounds, backfills, rounds);
    return 0;
}
