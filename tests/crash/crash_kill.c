/*
 * kill -9 under load. A child opens the store and writes; it acknowledges each operation on a pipe
 * once the engine has answered. The parent kills it at a random moment, lets another child open the
 * store, run the engine's check and report every row, and compares: all acknowledged operations are
 * there, and the one that was in flight is there wholly or not at all (a batch: any part of it).
 *
 * The parent never opens LevelDB: its background thread would not survive fork().
 *
 *   crash_kill ROUNDS [SEED]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/rng.h"
#include "engine/engine.h"

enum { KEYS = 400, COLLECTIONS = 20, TOUCH_MAX = 8 };

enum kind { OP_PUT, OP_UPDATE, OP_DELETE, OP_TRANSACT, OP_BATCH };

/* What operation number n does; a function of the seed and n alone. 0 as a value: no item. */
struct op {
    enum kind kind;
    size_t count;
    uint32_t keys[TOUCH_MAX];
    uint64_t value;
};

static struct op op_make(uint64_t seed, uint64_t n)
{
    struct pk_rng rng;
    struct op op = {.value = n};
    uint64_t dice;

    pk_rng_seed(&rng, seed * 1000003 + n);
    dice = pk_rng_below(&rng, 100);
    op.kind = dice < 50   ? OP_PUT
              : dice < 65 ? OP_UPDATE
              : dice < 75 ? OP_DELETE
              : dice < 90 ? OP_TRANSACT
                          : OP_BATCH;
    op.count = op.kind == OP_TRANSACT ? 3 : op.kind == OP_BATCH ? TOUCH_MAX : 1;
    for (size_t i = 0; i < op.count; i++) /* distinct keys: a stride that divides nothing */
        op.keys[i] =
            (uint32_t)((pk_rng_below(&rng, KEYS / TOUCH_MAX) + i * (KEYS / TOUCH_MAX)) % KEYS);
    if (op.kind == OP_DELETE)
        op.value = 0;
    return op;
}

static void die(const char *what, const struct pk_error *err)
{
    fprintf(stderr, "crash: %s: %s\n", what, err->message == NULL ? "?" : err->message);
    _exit(1);
}

/* ---- the children --------------------------------------------------------------------------- */

static struct pk_engine *open_store(const char *dir)
{
    const struct pk_engine_options options = {.dir = dir};
    struct pk_engine *engine = NULL;
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &engine, &err) != PK_OK)
        die("open", &err);
    return engine;
}

static void create_table(struct pk_engine *engine)
{
    const struct pk_key_element keys[] = {{PK_LIT("PK"), false}, {PK_LIT("SK"), true}};
    const struct pk_key_element by_value[] = {{PK_LIT("group"), false}, {PK_LIT("value"), true}};
    const struct pk_key_element local[] = {{PK_LIT("PK"), false}, {PK_LIT("value"), true}};
    const struct pk_key_attr attributes[] = {{PK_LIT("PK"), PK_STRING},
                                             {PK_LIT("SK"), PK_STRING},
                                             {PK_LIT("group"), PK_STRING},
                                             {PK_LIT("value"), PK_NUMBER}};
    const struct pk_index_spec gsi = {.name = PK_LIT("by_group"),
                                      .keys = by_value,
                                      .key_count = 2,
                                      .projection_given = true,
                                      .projection_type_given = true,
                                      .projection = PK_PROJECT_ALL,
                                      .max = {-1, -1}};
    const struct pk_index_spec lsi = {.name = PK_LIT("by_value"),
                                      .local = true,
                                      .keys = local,
                                      .key_count = 2,
                                      .projection_given = true,
                                      .projection_type_given = true,
                                      .projection = PK_PROJECT_KEYS_ONLY,
                                      .max = {-1, -1}};
    const struct pk_table_spec spec = {.name = PK_LIT("crash"),
                                       .keys = keys,
                                       .key_count = 2,
                                       .attributes = attributes,
                                       .attribute_count = 4,
                                       .locals = &lsi,
                                       .local_count = 1,
                                       .locals_given = true,
                                       .globals = &gsi,
                                       .global_count = 1,
                                       .globals_given = true,
                                       .billing = PK_ON_DEMAND,
                                       .max = {-1, -1}};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_table *table = pk_engine_table(engine, PK_LIT("crash"));

    if (table == NULL && pk_engine_create_table(engine, &spec, &table, &err) != PK_OK)
        die("create table", &err);
    pk_table_unref(table);
}

static pk_value key_value(struct pk_arena *arena, uint32_t key)
{
    struct pk_member *members = PK_NEW_ARRAY(arena, struct pk_member, 2);

    members[0].name = PK_LIT("PK");
    members[0].value = pk_value_string(pk_arena_printf(arena, "C#%u", key % COLLECTIONS));
    members[1].name = PK_LIT("SK");
    members[1].value = pk_value_string(pk_arena_printf(arena, "K#%06u", key));
    return pk_value_map(members, 2);
}

static pk_value item_value(struct pk_arena *arena, uint32_t key, uint64_t value)
{
    pk_value item = key_value(arena, key);

    item = pk_value_with(arena, item, PK_LIT("value"), pk_value_int(arena, (int64_t)value));
    return pk_value_with(arena, item, PK_LIT("group"),
                         pk_value_string(pk_arena_printf(arena, "G#%u", (unsigned)(value % 7))));
}

/* SET value = :n, group = :g */
static const struct pk_update *update_of(struct pk_arena *arena, uint64_t value)
{
    struct pk_update *update = PK_NEW(arena, struct pk_update);
    pk_value item = item_value(arena, 0, value);
    const pk_slice names[] = {PK_LIT("value"), PK_LIT("group")};

    update->actions = PK_NEW_ARRAY(arena, struct pk_action, 2);
    update->count = 2;
    for (size_t i = 0; i < 2; i++) {
        update->actions[i].kind = PK_ACTION_SET;
        update->actions[i].path = pk_path_name(arena, names[i]);
        update->actions[i].value =
            pk_node_value(arena, pk_view_of(arena, pk_value_get(item, names[i])));
    }
    return update;
}

static struct pk_write write_of(struct pk_arena *arena, const struct op *op, size_t i)
{
    struct pk_write write = {.kind = PK_WRITE_PUT, .table = PK_LIT("crash")};

    if (op->kind == OP_UPDATE) {
        write.kind = PK_WRITE_UPDATE;
        write.update = update_of(arena, op->value);
    } else if (op->kind == OP_DELETE) {
        write.kind = PK_WRITE_DELETE;
    }
    write.item = write.kind == PK_WRITE_PUT ? item_value(arena, op->keys[i], op->value)
                                            : key_value(arena, op->keys[i]);
    return write;
}

static void run_op(struct pk_engine *engine, struct pk_arena *arena, const struct op *op)
{
    struct pk_call call = {.arena = arena};
    struct pk_write writes[TOUCH_MAX];
    struct pk_write_result one;
    struct pk_batch_write_result batch;
    struct pk_transact_write transact = {.writes = writes, .count = op->count};
    struct pk_transact_write_result transacted;
    struct pk_error err = PK_ERROR_INIT;
    enum pk_code rc;

    for (size_t i = 0; i < op->count; i++)
        writes[i] = write_of(arena, op, i);
    if (op->kind == OP_TRANSACT)
        rc = pk_engine_transact_write(engine, &call, &transact, &transacted, &err);
    else if (op->kind == OP_BATCH)
        rc = pk_engine_batch_write(engine, &call, writes, op->count, &batch, &err);
    else
        rc = pk_engine_write(engine, &call, &writes[0], &one, &err);
    if (rc != PK_OK)
        die("write", &err);
}

static void child_write(const char *dir, uint64_t seed, uint64_t from, int out)
{
    struct pk_engine *engine = open_store(dir);
    struct pk_arena arena = PK_ARENA_INIT;

    create_table(engine);
    for (uint64_t n = from;; n++) {
        struct op op = op_make(seed, n);

        run_op(engine, &arena, &op);
        pk_arena_clear(&arena);
        if (write(out, &n, sizeof n) != (ssize_t)sizeof n)
            _exit(1);
    }
}

struct row {
    uint32_t key;
    uint64_t value;
};

static enum pk_code report_row(void *context, pk_view item, struct pk_error *err)
{
    int out = *(int *)context;
    pk_slice sk = pk_view_bytes(pk_view_member(item, PK_LIT("SK")));
    pk_slice code = pk_view_bytes(pk_view_member(item, PK_LIT("value")));
    struct pk_num num;
    int64_t value = 0;
    struct row row = {.key = 0};

    if (sk.len != 8 || !pk_num_decode(&code, &num) || !pk_num_to_int(&num, &value))
        return pk_fail(err, PK_E_CORRUPT, "a row that was never written");
    for (size_t i = 2; i < 8; i++)
        row.key = row.key * 10 + (uint32_t)(sk.data[i] - '0');
    row.value = (uint64_t)value;
    return write(out, &row, sizeof row) == (ssize_t)sizeof row ? PK_OK
                                                               : pk_fail(err, PK_E_IO, "pipe");
}

static void print_fault(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "crash: check: %s\n", text);
}

static void child_verify(const char *dir, int out)
{
    struct pk_engine *engine = open_store(dir);
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_call call = {.arena = &arena};
    struct pk_read read = {.table = PK_LIT("crash"), .sink = {report_row, &out}};
    struct pk_read_result page;
    struct pk_check_result check;
    struct pk_error err = PK_ERROR_INIT;

    create_table(engine); /* the first kill may have come before it */
    if (pk_engine_check(engine, &call, (struct pk_check_report){print_fault, NULL}, &check, &err) !=
        PK_OK)
        die("check", &err);
    if (check.faults != 0)
        _exit(2);
    do {
        if (pk_engine_scan(engine, &call, &read, &page, &err) != PK_OK)
            die("scan", &err);
        read.start_key = page.last_key;
    } while (pk_value_kind(page.last_key) != PK_MISSING);
    pk_engine_close(engine);
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

static void apply(uint64_t *state, const struct op *op)
{
    for (size_t i = 0; i < op->count; i++)
        state[op->keys[i]] = op->value;
}

/* Is `seen` the acknowledged state, give or take the operation in flight? Takes it over if so. */
static bool accept(uint64_t *state, const uint64_t *seen, const struct op *flight)
{
    size_t moved = 0;

    for (uint32_t key = 0; key < KEYS; key++) {
        bool touched = false;

        for (size_t i = 0; i < flight->count; i++)
            touched |= flight->keys[i] == key;
        if (seen[key] == state[key])
            continue;
        if (!touched || seen[key] != flight->value) {
            fprintf(stderr, "crash: key %u has %llu, expected %llu\n", key,
                    (unsigned long long)seen[key], (unsigned long long)state[key]);
            return false;
        }
        moved++;
    }
    if (flight->kind == OP_TRANSACT && moved != 0 && moved != flight->count) {
        fprintf(stderr, "crash: a transaction was applied in part (%zu of %zu)\n", moved,
                flight->count);
        return false;
    }
    memcpy(state, seen, KEYS * sizeof *state);
    return true;
}

static uint64_t kill_one(const char *dir, uint64_t seed, uint64_t next, unsigned delay_us)
{
    uint64_t acked = next - 1, n;
    int fds[2];
    pid_t pid;

    if (pipe(fds) != 0)
        exit(1);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_write(dir, seed, next, fds[1]);
    }
    close(fds[1]);
    usleep(delay_us);
    kill(pid, SIGKILL);
    while (read(fds[0], &n, sizeof n) == (ssize_t)sizeof n)
        acked = n;
    close(fds[0]);
    waitpid(pid, NULL, 0);
    return acked;
}

static bool verify(const char *dir, uint64_t *seen)
{
    struct row row;
    int fds[2], status;
    pid_t pid;

    memset(seen, 0, KEYS * sizeof *seen);
    if (pipe(fds) != 0)
        exit(1);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_verify(dir, fds[1]);
    }
    close(fds[1]);
    while (read(fds[0], &row, sizeof row) == (ssize_t)sizeof row) {
        if (row.key < KEYS)
            seen[row.key] = row.value;
    }
    close(fds[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
    uint64_t seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)(unsigned)getpid();
    uint64_t state[KEYS] = {0}, seen[KEYS], next = 1;
    char dir[] = "/tmp/pksk-crash-XXXXXX", command[64];
    struct pk_rng rng;

    if (mkdtemp(dir) == NULL)
        return 1;
    pk_rng_seed(&rng, seed);
    printf("crash: %lu kills, seed %llu\n", rounds, (unsigned long long)seed);
    for (unsigned long round = 1; round <= rounds; round++) {
        unsigned delay = 20000 + (unsigned)pk_rng_below(&rng, 300000);
        uint64_t acked = kill_one(dir, seed, next, delay);
        struct op flight = op_make(seed, acked + 1);

        for (uint64_t n = next; n <= acked; n++) {
            struct op op = op_make(seed, n);

            apply(state, &op);
        }
        if (!verify(dir, seen) || !accept(state, seen, &flight)) {
            fprintf(stderr, "crash: round %lu of seed %llu failed; store kept in %s\n", round,
                    (unsigned long long)seed, dir);
            printf("%lu passed, 1 failed\n", round - 1);
            return 1;
        }
        next = acked + 2; /* the one in flight is settled, whichever way it went */
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0)
        return 1;
    printf("crash: %llu operations acknowledged\n%lu passed, 0 failed\n", (unsigned long long)next,
           rounds);
    return 0;
}
