/*
 * kill -9 while partitions are split, with a stream and a GSI that follow the table. Writers give
 * items the next value and say so through a pipe once the write has returned; another thread splits
 * table and index without a pause, and the ticker counts the children. After each kill another
 * child opens the store and shows that
 *   - the check finds nothing: rows, index, log and figures agree, every record lies in the shard
 *     of its partition, and the open shards are the partitions,
 *   - no acknowledged write is lost,
 *   - the stream, parents before children, tells of each item all of its values in order, and of
 * the last one that it has,
 *   - when it is closed cleanly and opened again nothing has changed.
 *
 *   crash_split ROUNDS [SEED]
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/rng.h"
#include "engine/ops/core.h"
#include "tests/support/log_fixture.h"
#include "tests/support/split_fixture.h"

enum {
    WRITERS = 3,
    SORTS = 400,
    ITEMS = WRITERS * SORTS,
    STORE_ROUNDS = 10 /* then a new store: the stream keeps all records */
};

/* A write that has returned. */
struct ack {
    uint32_t item;
    uint32_t value;
};

static PK_NORETURN void die(struct engine_fixture *fx, const char *what)
{
    fprintf(stderr, "crash_split: %s: %s\n", what, engine_message(fx));
    _exit(2);
}

static struct pk_engine *open_at(const char *dir, bool ticker)
{
    const struct pk_engine_options options = {.dir = dir, .no_ticker = !ticker};
    struct pk_engine *engine = NULL;
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &engine, &err) != PK_OK) {
        fprintf(stderr, "crash_split: open: %s\n", err.message);
        _exit(2);
    }
    return engine;
}

static const char *key_of(struct engine_fixture *fx, unsigned item)
{
    return engine_format(fx, "{p: 'k%u', r: %u}", item % 5, item);
}

static int64_t number_of(pk_view item, const char *name)
{
    pk_slice code = pk_view_bytes(pk_view_member(item, pk_slice_cstr(name)));
    struct pk_num num;
    int64_t number = 0;

    if (!pk_num_decode(&code, &num) || !pk_num_to_int(&num, &number))
        _exit(2);
    return number;
}

/* 0: it was never written. */
static int64_t value_of(struct engine_fixture *fx, unsigned item)
{
    if (engine_get(fx, "T", key_of(fx, item)) != PK_OK)
        die(fx, "get");
    return fx->get.item.len == 0 ? 0 : number_of(fx->get.item, "v");
}

/* Writing --------------------------------------------------------------------------------------*/

struct worker {
    struct pk_engine *engine;
    unsigned number;
    uint64_t seed;
    int out;
};

static void *writer_main(void *context)
{
    const struct worker *worker = context;
    struct engine_fixture fx;
    struct pk_rng rng;
    static int64_t values[ITEMS]; /* each of one thread */

    pk_rng_seed(&rng, worker->seed);
    engine_share(&fx, worker->engine);
    for (unsigned i = 0; i < SORTS; i++)
        values[worker->number * SORTS + i] = value_of(&fx, worker->number * SORTS + i);
    for (;;) {
        struct ack ack = {.item = worker->number * SORTS + (unsigned)pk_rng_below(&rng, SORTS)};

        ack.value = (uint32_t)++values[ack.item];
        if (engine_update(&fx, "T", key_of(&fx, ack.item), "SET v = :v, g = :g",
                          engine_format(&fx, "{v: %u, g: 'G%u'}", ack.value, ack.value % 4)) !=
            PK_OK)
            die(&fx, "write");
        if (write(worker->out, &ack, sizeof(ack)) != sizeof(ack))
            _exit(2);
        engine_reset(&fx);
    }
}

static void split_once(struct engine_fixture *fx, struct pk_rng *rng)
{
    unsigned item = (unsigned)pk_rng_below(rng, ITEMS);
    bool index = pk_rng_below(rng, 3) == 0;
    const char *of = index ? "T.by_g" : "T";
    const char *key = index ? engine_format(fx, "{g: 'G%d', p: 'k%u', r: %u}",
                                            (int)pk_rng_below(rng, 4), item % 5, item)
                            : key_of(fx, item);
    pk_slice position = split_position(fx, of, key);

    if (split_before(fx, of, &position, 1) != PK_OK)
        die(fx, "split");
    engine_reset(fx);
}

static void prepare(struct engine_fixture *fx)
{
    struct pk_table_spec spec =
        engine_spec(fx, "T p:S r:N provisioned=5/5; gsi by_g g:S all provisioned=1/1");
    struct pk_table *table = pk_engine_table(fx->engine, PK_LIT("T"));

    spec.stream = PK_STREAM_NEW_AND_OLD;
    if (table == NULL && pk_engine_create_table(fx->engine, &spec, &table, &fx->err) != PK_OK)
        die(fx, "create");
    pk_table_unref(table);
}

static PK_NORETURN void child_write(const char *dir, uint64_t seed, int out)
{
    struct pk_engine *engine = open_at(dir, true);
    const struct ack ready = {.item = ITEMS};
    struct worker workers[WRITERS];
    struct engine_fixture fx;
    struct pk_rng rng;

    engine_share(&fx, engine);
    prepare(&fx);
    for (unsigned i = 0; i < WRITERS; i++) {
        pthread_t thread;

        workers[i] = (struct worker){engine, i, seed + i, out};
        if (pthread_create(&thread, NULL, writer_main, &workers[i]) != 0)
            _exit(2);
    }
    pk_rng_seed(&rng, seed + WRITERS);
    if (write(out, &ready, sizeof(ready)) != sizeof(ready))
        _exit(2);
    for (;;)
        split_once(&fx, &rng);
}

/* Verifying ------------------------------------------------------------------------------------*/

static void print_fault(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "crash_split: check: %s\n", text);
}

static void check_clean(struct engine_fixture *fx)
{
    struct pk_check_result result;

    if (pk_engine_check(fx->engine, &fx->call, (struct pk_check_report){print_fault, NULL}, &result,
                        &fx->err) != PK_OK)
        die(fx, "check");
    if (result.faults > 0)
        _exit(2);
}

static enum pk_code replay_one(void *context, const struct pk_stream_record *record,
                               struct pk_error *err)
{
    int64_t *last = context;
    int64_t item = number_of(record->after, "r");
    int64_t value = number_of(record->after, "v");

    (void)err;
    if (value != last[item] + 1) {
        fprintf(stderr, "crash_split: item %lld: the stream has %lld after %lld\n", (long long)item,
                (long long)value, (long long)last[item]);
        _exit(2);
    }
    last[item] = value;
    return PK_OK;
}

static void check_values(struct engine_fixture *fx, const uint32_t acked[ITEMS])
{
    static int64_t last[ITEMS];
    const struct pk_records_request to = {.record = replay_one, .context = last};

    (void)split_read_stream(fx, "T", &to);
    for (unsigned item = 0; item < ITEMS; item++) {
        int64_t value = value_of(fx, item);

        if (value < acked[item] || value != last[item]) {
            fprintf(stderr,
                    "crash_split: item %u: %lld is stored, %u was acknowledged, the stream ends "
                    "with %lld\n",
                    item, (long long)value, acked[item], (long long)last[item]);
            _exit(2);
        }
    }
}

static PK_NORETURN void child_verify(const char *dir, const uint32_t acked[ITEMS], int out)
{
    struct engine_fixture fx;
    struct pk_table *table;
    uint32_t counts[2];
    const char *before;

    engine_share(&fx, open_at(dir, false));
    check_clean(&fx);
    check_values(&fx, acked);
    log_settle(&fx);
    check_clean(&fx);
    before = engine_format(&fx, "%s / %s", split_text(&fx, "T"), split_text(&fx, "T.by_g"));
    pk_engine_close(fx.engine);
    fx.engine = open_at(dir, false);
    if (strcmp(before,
               engine_format(&fx, "%s / %s", split_text(&fx, "T"), split_text(&fx, "T.by_g"))) != 0)
        die(&fx, "the partitions have changed by closing");
    table = pk_engine_table(fx.engine, PK_LIT("T"));
    counts[0] = table->partitions.count;
    counts[1] = table->indexes[0].partitions.count;
    pk_table_unref(table);
    pk_engine_close(fx.engine);
    if (write(out, counts, sizeof(counts)) != sizeof(counts))
        _exit(2);
    _exit(0);
}

/* The parent -----------------------------------------------------------------------------------*/

/* Takes what has been acknowledged until the pipe is empty for that long, or at its end. */
static bool take_acks(int in, uint32_t acked[ITEMS], int64_t until_ms, bool *ready)
{
    for (;;) {
        struct pollfd poll_in = {.fd = in, .events = POLLIN};
        int64_t left = until_ms - pk_clock_real_ms();
        struct ack ack;

        if (left < 0 || poll(&poll_in, 1, (int)left) == 0)
            return true;
        if (read(in, &ack, sizeof(ack)) != sizeof(ack))
            return false;
        if (ack.item == ITEMS) {
            *ready = true;
            return true;
        }
        acked[ack.item] = ack.value;
    }
}

static pid_t begin(const char *dir, uint64_t seed, const uint32_t *acked, int *in)
{
    int fds[2];
    pid_t pid;

    if (pipe(fds) != 0)
        exit(1);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        if (acked == NULL)
            child_write(dir, seed, fds[1]);
        child_verify(dir, acked, fds[1]);
    }
    close(fds[1]);
    *in = fds[0];
    return pid;
}

static void kill_one(const char *dir, uint64_t seed, int64_t delay_ms, uint32_t acked[ITEMS])
{
    bool ready = false;
    int in = -1;
    pid_t pid = begin(dir, seed, NULL, &in);

    while (!ready) {
        if (!take_acks(in, acked, pk_clock_real_ms() + 1000, &ready)) {
            fprintf(stderr, "crash_split: the writers failed\n");
            exit(1);
        }
    }
    if (!take_acks(in, acked, pk_clock_real_ms() + delay_ms, &ready)) {
        fprintf(stderr, "crash_split: the writers failed\n");
        exit(1);
    }
    kill(pid, SIGKILL);
    (void)take_acks(in, acked, INT64_MAX / 2, &ready); /* to the end */
    close(in);
    waitpid(pid, NULL, 0);
}

static bool verify(const char *dir, const uint32_t acked[ITEMS], uint32_t counts[2])
{
    int status = 0;
    int in = -1;
    pid_t pid = begin(dir, 0, acked, &in);
    bool told = read(in, counts, 2 * sizeof(*counts)) == (ssize_t)(2 * sizeof(*counts));

    close(in);
    waitpid(pid, &status, 0);
    return told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
    uint64_t seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)(unsigned)getpid();
    static uint32_t acked[ITEMS];
    uint32_t counts[2] = {1, 1};
    unsigned long splits = 0;
    char dir[] = "/tmp/pksk-crash-XXXXXX";
    struct pk_rng rng;

    if (mkdtemp(dir) == NULL)
        return 1;
    pk_rng_seed(&rng, seed);
    for (unsigned long round = 0; round < rounds; round++) {
        if (round % STORE_ROUNDS == 0) {
            splits += counts[0] + counts[1] - 2;
            memset(acked, 0, sizeof(acked));
            remove_dir(dir);
        }
        kill_one(dir, seed + round * 100, (int64_t)pk_rng_below(&rng, 150), acked);
        if (!verify(dir, acked, counts)) {
            fprintf(stderr,
                    "crash_split: seed %" PRIu64 ", round %lu: see above; the store is %s\n", seed,
                    round, dir);
            return 1;
        }
    }
    splits += counts[0] + counts[1] - 2;
    remove_dir(dir);
    printf("crash_split: seed %" PRIu64 ": %lu kills, %lu splits\n", seed, rounds, splits);
    return 0;
}
