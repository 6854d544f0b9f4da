/*
 * Races: eight threads write, transact, read and redefine at once; run under ThreadSanitizer.
 *
 * Accounts hold money that transactions move about, so the sum over a scan (one snapshot) is always
 * the same, and so is a TransactGet's view of a pair. Each thread also has items of its own, which
 * it compares with a naive model after every write. Meanwhile tables are made, tagged, filled and
 * dropped, an index is created and deleted, lag is set, ticks run, and the check must always be
 * clean.
 *
 *   race_engine [SECONDS] [SEED]       10 seconds by default
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "tests/support/log_fixture.h"
#include "tests/support/naive_model.h"
#include "tests/support/race.h"
#include "tests/support/value_text.h"

enum { WRITERS = 4, MOVERS = 2, ACCOUNTS = 24, MONEY = 100, OWN_KEYS = 20 };

struct race {
    atomic_uint_least64_t writes, moves, conflicts, reads, definitions, indexes;
};

/* Frees what one round made. */
static void end_round(struct race_worker *worker)
{
    engine_reset(&worker->fx);
}

/* Writers: items of their own ------------------------------------------------------------------*/

static void compare_own(struct race_worker *worker, const struct naive_model *model,
                        const char *key)
{
    pk_value want = naive_get(model, engine_value(&worker->fx, key));

    if (engine_get(&worker->fx, "Items", key) != PK_OK)
        race_fail(worker, "get");
    if (strcmp(engine_item(&worker->fx), value_text_print(&worker->fx.arena, want)) != 0)
        race_fail(worker, "an item is not as its only writer left it");
}

/* All writers share item collections and the keys of the index. */
static void write_own(struct race_worker *worker, struct naive_model *model)
{
    struct engine_fixture *fx = &worker->fx;
    const char *key =
        engine_format(fx, "{p: 'k%d', r: %d}", (int)pk_rng_below(&worker->rng, 3),
                      (int)(worker->number * 1000 + pk_rng_below(&worker->rng, OWN_KEYS)));
    enum pk_code rc;

    if (pk_rng_below(&worker->rng, 4) == 0) {
        rc = engine_delete(fx, "Items", key);
        naive_set(model, engine_value(fx, key), pk_value_missing());
    } else {
        const char *item =
            engine_format(fx, "%.*s, a: 'A%d', g: 'G%d', n: %d}", (int)strlen(key) - 1, key,
                          (int)pk_rng_below(&worker->rng, 3), (int)pk_rng_below(&worker->rng, 3),
                          (int)pk_rng_below(&worker->rng, 1000));

        rc = engine_put(fx, "Items", item);
        naive_set(model, engine_value(fx, key), engine_value(fx, item));
    }
    if (rc != PK_OK)
        race_fail(worker, "write");
    atomic_fetch_add(&worker->race->writes, 1);
    compare_own(worker, model, key);
}

static void *writer_main(void *context)
{
    struct race_worker *worker = context;
    struct naive_model model = {.items = NULL};

    while (!race_is_over(worker)) {
        write_own(worker, &model);
        end_round(worker);
    }
    naive_release(&model);
    return NULL;
}

/* Movers: money between accounts ---------------------------------------------------------------*/

static void move_once(struct race_worker *worker)
{
    struct engine_fixture *fx = &worker->fx;
    int from = (int)pk_rng_below(&worker->rng, ACCOUNTS);
    int to = (from + 1 + (int)pk_rng_below(&worker->rng, ACCOUNTS - 1)) % ACCOUNTS;
    struct pk_write writes[2];
    struct pk_transact_write request = {.writes = writes, .count = 2};
    struct pk_transact_write_result result;
    enum pk_code rc;

    writes[0] =
        engine_write_of(fx, &(struct write_text){.kind = PK_WRITE_UPDATE,
                                                 .table = "Accounts",
                                                 .item = engine_format(fx, "{id: 'a%d'}", from),
                                                 .update = "SET money = money - :n",
                                                 .condition = "money >= :n",
                                                 .values = "{n: 3}"});
    writes[1] =
        engine_write_of(fx, &(struct write_text){.kind = PK_WRITE_UPDATE,
                                                 .table = "Accounts",
                                                 .item = engine_format(fx, "{id: 'a%d'}", to),
                                                 .update = "SET money = money + :n",
                                                 .values = "{n: 3}"});
    pk_error_release(&fx->err);
    rc = pk_engine_transact_write(fx->engine, &fx->call, &request, &result, &fx->err);
    if (rc == PK_E_TXN_CANCELED)
        atomic_fetch_add(&worker->race->conflicts, 1);
    else if (rc != PK_OK)
        race_fail(worker, "transaction");
    atomic_fetch_add(&worker->race->moves, 1);
}

static void *mover_main(void *context)
{
    struct race_worker *worker = context;

    while (!race_is_over(worker)) {
        move_once(worker);
        end_round(worker);
    }
    return NULL;
}

/* Reader: sums over one snapshot ---------------------------------------------------------------*/

static enum pk_code add_money(void *context, pk_view item, struct pk_error *err)
{
    pk_slice code = pk_view_bytes(pk_view_member(item, PK_LIT("money")));
    struct pk_num num;
    int64_t money = 0;

    (void)err;
    if (pk_num_decode(&code, &num) && pk_num_to_int(&num, &money))
        *(int64_t *)context += money;
    return PK_OK;
}

static void sum_once(struct race_worker *worker)
{
    struct engine_fixture *fx = &worker->fx;
    int64_t sum = 0;
    struct pk_read read = {.table = PK_LIT("Accounts"), .sink = {add_money, &sum}};

    pk_error_release(&fx->err);
    if (pk_engine_scan(fx->engine, &fx->call, &read, &fx->read, &fx->err) != PK_OK)
        race_fail(worker, "scan");
    if (sum != ACCOUNTS * MONEY)
        race_fail(worker, "the sum of all accounts has changed");
    atomic_fetch_add(&worker->race->reads, 1);
}

static void query_once(struct race_worker *worker)
{
    struct engine_fixture *fx = &worker->fx;
    bool index = pk_rng_below(&worker->rng, 2) == 0;

    if (engine_read(fx, &(struct read_text){.from = index ? "Items.g" : "Items.l",
                                            .key = index ? "g = :k" : "p = :k",
                                            .values = index ? "{k: 'G1'}" : "{k: 'k1'}",
                                            .projection = index ? NULL : "n"}) != PK_OK)
        race_fail(worker, "query");
    atomic_fetch_add(&worker->race->reads, 1);
}

static void *reader_main(void *context)
{
    struct race_worker *worker = context;

    while (!race_is_over(worker)) {
        sum_once(worker);
        query_once(worker);
        end_round(worker);
    }
    return NULL;
}

/* Definer: tables come and go, ticks and checks run --------------------------------------------*/

static void define_once(struct race_worker *worker, unsigned round)
{
    struct engine_fixture *fx = &worker->fx;
    const struct pk_tag tag = {PK_LIT("round"), PK_LIT("x")};
    struct pk_table *table = NULL;

    engine_table(fx, "Passing p:S; gsi g a:S all");
    for (int i = 0; i < 20; i++) {
        if (engine_put(fx, "Passing", engine_format(fx, "{p: 'k%d', a: 'A'}", i)) != PK_OK)
            race_fail(worker, "put into a passing table");
    }
    /* Redefines the tables that the others write. */
    if (pk_engine_tag(fx->engine, PK_LIT("Items"), &tag, 1, &fx->err) != PK_OK ||
        pk_engine_tag(fx->engine, PK_LIT("Accounts"), &tag, 1, &fx->err) != PK_OK)
        race_fail(worker, "tag");
    if (pk_engine_delete_table(fx->engine, PK_LIT("Passing"), &table, &fx->err) != PK_OK)
        race_fail(worker, "drop");
    pk_table_unref(table);
    pk_engine_tick(fx->engine, pk_clock_now(pk_engine_clock(fx->engine)));
    if (round % 8 == 0)
        engine_assert_clean(fx);
    atomic_fetch_add(&worker->race->definitions, 1);
}

/* An index of the table that all writers write is created, read and deleted. */
static void move_index(struct race_worker *worker)
{
    struct engine_fixture *fx = &worker->fx;
    const char *status = log_index_status(fx, "Items", "late");
    enum pk_code rc = PK_OK;

    if (strcmp(status, "") == 0)
        rc = log_create_index(fx, "Items", "gsi late n:N g:S include=a");
    else if (strcmp(status, "ACTIVE") == 0)
        rc = engine_read(fx, &(struct read_text){.from = "Items.late", .select = PK_SELECT_COUNT});
    if (rc == PK_OK && strcmp(status, "ACTIVE") == 0)
        rc = log_delete_index(fx, "Items", "late");
    if (rc != PK_OK)
        race_fail(worker, "an index that comes and goes");
    /* Lag comes and goes, too. */
    if (pk_rng_below(&worker->rng, 4) == 0)
        log_set_lag(fx, pk_rng_below(&worker->rng, 2) * 20, pk_rng_below(&worker->rng, 2) * 10);
    atomic_fetch_add(&worker->race->indexes, 1);
}

static void *definer_main(void *context)
{
    struct race_worker *worker = context;

    for (unsigned round = 0; !race_is_over(worker); round++) {
        define_once(worker, round);
        move_index(worker);
        end_round(worker);
    }
    return NULL;
}

/* The race -------------------------------------------------------------------------------------*/

static void prepare(struct engine_fixture *fx)
{
    engine_table(fx, "Items p:S r:N; lsi l a:S keys; gsi g g:S n:N all");
    engine_table(fx, "Accounts id:S");
    for (int i = 0; i < ACCOUNTS; i++) {
        if (engine_put(fx, "Accounts",
                       engine_format(fx, "{id: 'a%d', money: %d}", i, (int)MONEY)) != PK_OK)
            abort();
    }
}

static void start_all(struct race_frame *frame)
{
    for (unsigned i = 0; i < WRITERS; i++)
        race_start(frame, writer_main);
    for (unsigned i = 0; i < MOVERS; i++)
        race_start(frame, mover_main);
    race_start(frame, reader_main);
    race_start(frame, definer_main);
}

int main(int argc, char **argv)
{
    struct race_frame frame = race_begin("race_engine", 10, argc, argv);
    struct race race = {0};
    struct engine_fixture fx;

    engine_open(&fx);
    pk_clock_resume(pk_engine_clock(fx.engine));
    prepare(&fx);
    frame.race = &race;
    frame.engine = fx.engine;
    start_all(&frame);
    race_wait(&frame);
    engine_close(&fx);
    printf("race_engine: seed %" PRIu64 ": %" PRIu64 " writes, %" PRIu64 " moves (%" PRIu64
           " cancelled), %" PRIu64 " reads, %" PRIu64 " definitions, %" PRIu64
           " steps of an index\n",
           frame.seed, atomic_load(&race.writes), atomic_load(&race.moves),
           atomic_load(&race.conflicts), atomic_load(&race.reads), atomic_load(&race.definitions),
           atomic_load(&race.indexes));
    return 0;
}
