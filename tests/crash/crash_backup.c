/*
 * kill -9 while backups are made and tables restored from them, beside a thread that moves amounts
 * between items, two in a transaction. A child acknowledges on a pipe each backup that was
 * AVAILABLE and each one it is about to delete. After each kill another child opens the store and
 * shows that
 *   - the engine's check finds nothing, before and after the background work is done,
 *   - every acknowledged backup is there, AVAILABLE, and no other state is to be seen,
 *   - every table that was being restored comes to its end,
 *   - each backup, and each restored table, has all items, and their sum is what it always is.
 *
 *   crash_backup ROUNDS [SEED]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/backup.h"
#include "engine/base/rng.h"
#include "engine/ops/core.h"
#include "engine/table/descriptor.h"
#include "tests/support/engine_fixture.h"

enum {
    KEYS = 5000, /* more than is copied before a call returns */
    AMOUNT = 100,
    KEPT_MAX = 3 /* backups; then the oldest is deleted */
};

/* What a child tells: the id of a backup, below 0 when it is about to be deleted. */
typedef int64_t message;

static PK_NORETURN void die(const struct engine_fixture *fx, const char *what)
{
    fprintf(stderr, "crash_backup: %s: %s\n", what, engine_message(fx));
    _exit(1);
}

static void open_at(struct engine_fixture *fx, const char *dir)
{
    const struct pk_engine_options options = {.dir = dir};
    struct pk_engine *engine = NULL;
    struct pk_error err = PK_ERROR_INIT;

    if (pk_engine_open(&options, &engine, &err) != PK_OK) {
        fprintf(stderr, "crash_backup: open: %s\n", err.message);
        _exit(1);
    }
    engine_share(fx, engine);
}

/* ---- the children that are killed ------------------------------------------------------------ */

static void fill(struct engine_fixture *fx)
{
    engine_table(fx, "T p:S r:N; lsi l x:N keys; gsi g g:S all");
    for (int i = 0; i < KEYS; i++) {
        if (engine_put(fx, "T",
                       engine_format(fx, "{p: 'k%d', r: %d, g: 'G%d', x: %d}", i % 9, i, i % 5,
                                     AMOUNT)) != PK_OK)
            die(fx, "put");
        if (i % 500 == 0)
            engine_reset(fx);
    }
}

static void *move(void *context)
{
    struct engine_fixture fx;
    struct pk_rng rng;

    pk_rng_seed(&rng, (uint64_t)getpid());
    engine_share(&fx, context);
    for (;;) {
        struct pk_write writes[2];
        struct pk_transact_write transaction = {.writes = writes, .count = 2};
        struct pk_transact_write_result result;
        int first = (int)pk_rng_below(&rng, KEYS);
        int second = (first + 1 + (int)pk_rng_below(&rng, KEYS - 1)) % KEYS;

        for (int k = 0; k < 2; k++) {
            int key = k == 0 ? first : second;

            writes[k] = engine_write_of(
                &fx,
                &(struct write_text){.kind = PK_WRITE_UPDATE,
                                     .table = "T",
                                     .item = engine_format(&fx, "{p: 'k%d', r: %d}", key % 9, key),
                                     .update = "ADD x :x",
                                     .values = k == 0 ? "{x: 1}" : "{x: -1}"});
        }
        if (pk_engine_transact_write(fx.engine, &fx.call, &transaction, &result, &fx.err) != PK_OK)
            die(&fx, "move");
        engine_reset(&fx);
    }
    return NULL;
}

static void tell(int out, message what)
{
    if (write(out, &what, sizeof(what)) != (ssize_t)sizeof(what))
        _exit(1);
}

static struct pk_backup_name name_of(const struct pk_backup *backup)
{
    return (struct pk_backup_name){backup->table->name, backup->label};
}

/* False while it is CREATING. */
static bool is_available(struct engine_fixture *fx, const struct pk_backup_name *name)
{
    struct pk_backup backup;
    bool available;

    if (pk_engine_backup(fx->engine, &fx->call, name, &backup, &fx->err) != PK_OK)
        die(fx, "describe");
    available = backup.status == PK_BACKUP_AVAILABLE;
    pk_backup_release(&backup);
    return available;
}

static void make_backup(struct engine_fixture *fx, int out, struct pk_backup *backup)
{
    struct pk_backup_name name;

    if (pk_engine_create_backup(fx->engine, &fx->call, PK_LIT("T"), PK_LIT("moving"), backup,
                                &fx->err) != PK_OK)
        die(fx, "create");
    name = name_of(backup);
    while (!is_available(fx, &name))
        usleep(500);
    tell(out, backup->id);
}

/* Makes a table of it, and drops the one of the round before. */
static void restore(struct engine_fixture *fx, const struct pk_backup *backup, int round)
{
    const struct pk_restore_request request = {
        .backup = name_of(backup), .target = pk_slice_cstr(round % 2 == 0 ? "even" : "odd")};
    pk_slice before = pk_slice_cstr(round % 2 == 0 ? "odd" : "even");
    struct pk_table *table = NULL;
    enum pk_code rc = pk_engine_restore_backup(fx->engine, &fx->call, &request, &table, &fx->err);

    if (rc != PK_OK && rc != PK_E_TABLE_EXISTS && rc != PK_E_TABLE_IN_USE)
        die(fx, "restore");
    pk_table_unref(table);
    table = NULL;
    pk_error_release(&fx->err);
    rc = pk_engine_delete_table(fx->engine, before, &table, &fx->err);
    if (rc != PK_OK && rc != PK_E_NOT_FOUND && rc != PK_E_IN_USE)
        die(fx, "drop");
    pk_table_unref(table);
    pk_error_release(&fx->err);
}

static void delete_oldest(struct engine_fixture *fx, int out)
{
    struct pk_backup *list = NULL;
    struct pk_backup gone;
    size_t count = 0;

    if (pk_engine_list_backups(fx->engine, &fx->call, &list, &count, &fx->err) != PK_OK)
        die(fx, "list");
    if (count > KEPT_MAX) {
        struct pk_backup_name name = name_of(&list[0]);
        enum pk_code rc;

        tell(out, -(message)list[0].id);
        rc = pk_engine_delete_backup(fx->engine, &fx->call, &name, &gone, &fx->err);
        if (rc == PK_OK)
            pk_backup_release(&gone);
        else if (rc != PK_E_BACKUP_IN_USE)
            die(fx, "delete");
        pk_error_release(&fx->err);
    }
    pk_backup_release_all(list, count);
}

static PK_NORETURN void child_work(const char *dir, int out)
{
    struct engine_fixture fx;
    pthread_t thread;

    open_at(&fx, dir);
    if (pthread_create(&thread, NULL, move, fx.engine) != 0)
        die(&fx, "thread");
    for (int round = 0;; round++) {
        struct pk_backup backup;

        make_backup(&fx, out, &backup);
        restore(&fx, &backup, round);
        pk_backup_release(&backup);
        delete_oldest(&fx, out);
        engine_reset(&fx);
    }
}

/* ---- the children that verify ---------------------------------------------------------------- */

static void say_fault(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "crash_backup: check: %s\n", text);
}

static void check(struct engine_fixture *fx)
{
    const struct pk_check_report report = {say_fault, NULL};
    struct pk_check_result result;

    if (pk_engine_check(fx->engine, &fx->call, report, &result, &fx->err) != PK_OK)
        die(fx, "check");
    if (result.faults > 0)
        _exit(2);
}

struct sum {
    int64_t items;
    int64_t amount;
};

static bool add_item(struct sum *sum, pk_view item)
{
    pk_slice code = pk_view_bytes(pk_view_member(item, PK_LIT("x")));
    struct pk_num num;
    int64_t amount = 0;

    if (!pk_num_decode(&code, &num) || !pk_num_to_int(&num, &amount))
        return false;
    sum->items++;
    sum->amount += amount;
    return true;
}

static void expect_whole(const char *what, const struct sum *sum)
{
    if (sum->items == KEYS && sum->amount == (int64_t)KEYS * AMOUNT)
        return;
    fprintf(stderr, "crash_backup: %s has %lld items, sum %lld\n", what, (long long)sum->items,
            (long long)sum->amount);
    _exit(3);
}

/* Rows of a table, or of a backup, one by one. */
static void expect_rows(struct engine_fixture *fx, enum pk_space space, uint32_t id,
                        const char *what)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct sum sum = {0, 0};
    struct pk_iter *iter;

    pk_layout_id(&prefix, space, id);
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        pk_view item;

        if (!pk_record_open(pk_iter_value(iter), &item, NULL) || !add_item(&sum, item))
            die(fx, what);
    }
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    expect_whole(what, &sum);
}

static void expect_backups(struct engine_fixture *fx, int out)
{
    struct pk_backup *list = NULL;
    size_t count = 0;

    if (pk_engine_list_backups(fx->engine, &fx->call, &list, &count, &fx->err) != PK_OK)
        die(fx, "list");
    for (size_t i = 0; i < count; i++) {
        if (list[i].status != PK_BACKUP_AVAILABLE || list[i].items != KEYS) {
            fprintf(stderr, "crash_backup: half a backup is to be seen\n");
            _exit(3);
        }
        expect_rows(fx, PK_SPACE_BACKUP, list[i].id, "a backup");
        tell(out, list[i].id);
    }
    pk_backup_release_all(list, count);
}

static void expect_table(struct engine_fixture *fx, const char *name)
{
    struct pk_table *table = pk_engine_table(fx->engine, pk_slice_cstr(name));

    if (table == NULL)
        return;
    if (table->status != PK_STATUS_ACTIVE || table->restore.copying != 0) {
        fprintf(stderr, "crash_backup: table %s is not ACTIVE\n", name);
        _exit(3);
    }
    expect_rows(fx, PK_SPACE_TABLE, table->id, name);
    for (size_t i = 0; i < table->index_count; i++) {
        if (pk_counters_index(pk_table_counters(table), table->indexes[i].id).items != KEYS)
            die(fx, "an index lacks entries");
    }
    pk_table_unref(table);
}

static PK_NORETURN void child_verify(const char *dir, int out)
{
    struct engine_fixture fx;

    open_at(&fx, dir);
    check(&fx);
    expect_backups(&fx, out);
    while (pk_engine_tick(fx.engine, pk_clock_now(pk_engine_clock(fx.engine))))
        ;
    expect_table(&fx, "T");
    expect_table(&fx, "even");
    expect_table(&fx, "odd");
    check(&fx);
    pk_engine_close(fx.engine);
    _exit(0);
}

static PK_NORETURN void child_fill(const char *dir, int out)
{
    struct engine_fixture fx;

    (void)out;
    open_at(&fx, dir);
    fill(&fx);
    pk_engine_close(fx.engine);
    _exit(0);
}

/* ---- the parent ------------------------------------------------------------------------------ */

enum { IDS_MAX = 4096 };

/* Backups that must be there, by id. */
struct ids {
    message list[IDS_MAX];
    size_t count;
};

static void add_id(struct ids *ids, message id)
{
    if (ids->count < IDS_MAX)
        ids->list[ids->count++] = id;
}

static void remove_id(struct ids *ids, message id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->list[i] == id)
            ids->list[i--] = ids->list[--ids->count];
    }
}

static bool has_id(const struct ids *ids, message id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->list[i] == id)
            return true;
    }
    return false;
}

typedef void child(const char *dir, int out);

/* Runs a child, and kills it after that time (0: lets it end). What it told goes into `told`: an id
 * below 0 takes its opposite out. The exit status, or -1. */
static int run(const char *dir, child *what, unsigned delay_us, struct ids *told)
{
    int fds[2], status = 0;
    message id;
    pid_t pid;

    if (pipe(fds) != 0)
        exit(1);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        what(dir, fds[1]);
    }
    close(fds[1]);
    if (delay_us > 0) {
        usleep(delay_us);
        kill(pid, SIGKILL);
    }
    while (read(fds[0], &id, sizeof(id)) == (ssize_t)sizeof(id)) {
        if (id > 0)
            add_id(told, id);
        else
            remove_id(told, -id);
    }
    close(fds[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Those that were acknowledged, and not about to be deleted, are found. */
static bool verify(const char *dir, const struct ids *wanted)
{
    static struct ids found;
    bool fine;

    found.count = 0;
    fine = run(dir, child_verify, 0, &found) == 0;
    for (size_t i = 0; i < wanted->count && fine; i++) {
        fine = has_id(&found, wanted->list[i]);
        if (!fine)
            fprintf(stderr, "crash_backup: backup %lld is lost\n", (long long)wanted->list[i]);
    }
    return fine;
}

int main(int argc, char **argv)
{
    static struct ids backups;
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
    uint64_t seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)(unsigned)getpid();
    char dir[] = "/tmp/pksk-crash-XXXXXX", command[64];
    struct pk_rng rng;
    size_t made = 0;

    if (mkdtemp(dir) == NULL || run(dir, child_fill, 0, &backups) != 0)
        return 1;
    pk_rng_seed(&rng, seed);
    for (unsigned long round = 1; round <= rounds; round++) {
        unsigned delay = 50000 + (unsigned)pk_rng_below(&rng, 500000);

        (void)run(dir, child_work, delay, &backups);
        made += backups.count;
        if (!verify(dir, &backups)) {
            fprintf(stderr, "crash_backup: round %lu of seed %llu failed; store kept in %s\n",
                    round, (unsigned long long)seed, dir);
            return 1;
        }
    }
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    if (system(command) != 0)
        return 1;
    printf("crash_backup: %lu kills, %zu backups looked for, seed %llu\n", rounds, made,
           (unsigned long long)seed);
    return 0;
}
