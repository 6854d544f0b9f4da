/* What a store does while it is open: batches, commits, snapshots, iterators, deletes; the same on
 * LevelDB and on the faulty store; failures that stick. */
#include "engine/store/store.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/base/rng.h"
#include "engine/store/store_dir.h"

static const struct pk_store_options MEMORY = {.in_memory = true};

static struct pk_store *open_memory(void)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store = NULL;

    cr_assert_eq(pk_store_open("", &MEMORY, &store, &err), PK_OK, "%s", err.message);
    return store;
}

static void put(struct pk_store *store, const char *key, const char *value)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_store_put(store, pk_slice_cstr(key), pk_slice_cstr(value), &err), PK_OK, "%s",
                 err.message);
}

/* "(none)" when there is no such row; valid until the next call. */
static const char *get(const struct pk_snap *snap, const char *key)
{
    static struct pk_buf value = PK_BUF_INIT;
    struct pk_error err = PK_ERROR_INIT;
    bool found;

    cr_assert_eq(pk_snap_get(snap, pk_slice_cstr(key), &value, &found, &err), PK_OK, "%s",
                 err.message);
    if (!found)
        return "(none)";
    return value.len == 0 ? "" : value.data;
}

/* The keys of a range, separated by blanks; backwards when asked. Valid until the next call. */
static const char *keys(const struct pk_snap *snap, const char *lower, const char *upper,
                        bool is_backward)
{
    static struct pk_buf list = PK_BUF_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_range range = {pk_slice_cstr(lower), pk_slice_cstr(upper)};
    struct pk_iter *iter = pk_iter_new(snap, range, PK_ITER_QUERY);

    pk_buf_clear(&list);
    pk_buf_add_cstr(&list, "");
    if (is_backward)
        pk_iter_seek_last(iter);
    else
        pk_iter_seek_first(iter);
    while (pk_iter_valid(iter)) {
        pk_buf_printf(&list, "%s%.*s", list.len == 0 ? "" : " ", PK_FMT(pk_iter_key(iter)));
        if (is_backward)
            pk_iter_prev(iter);
        else
            pk_iter_next(iter);
    }
    cr_assert_eq(pk_iter_status(iter, &err), PK_OK);
    pk_iter_free(iter);
    return list.len == 0 ? "" : list.data;
}

/* Ranges and batches ---------------------------------------------------------------------------*/

Test(store, successor_and_prefix_range)
{
    const struct {
        pk_slice prefix, upper;
    } rows[] = {
        {PK_LIT("a"), PK_LIT("b")},       {PK_LIT("a\xff"), PK_LIT("b")},
        {PK_LIT("a\0"), PK_LIT("a\1")},   {PK_LIT("\x7f\xff\xff"), PK_LIT("\x80")},
        {PK_LIT("\xff\xff"), PK_LIT("")}, {PK_LIT(""), PK_LIT("")},
    };
    struct pk_buf scratch = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_range range = pk_range_prefix(rows[i].prefix, &scratch);

        cr_expect(pk_slice_equal(range.lower, rows[i].prefix), "row %zu", i);
        cr_expect(pk_slice_equal(range.upper, rows[i].upper), "row %zu", i);
    }
    pk_buf_release(&scratch);
}

Test(store, batch_keeps_its_operations)
{
    struct pk_batch batch = PK_BATCH_INIT, more = PK_BATCH_INIT;
    struct pk_batch_op op;
    size_t cursor = 0;

    pk_batch_put(&batch, PK_LIT("k\0"), PK_LIT("v"));
    pk_batch_delete(&batch, PK_LIT("gone"));
    pk_batch_put_two(&more, PK_LIT("two"), PK_LIT("head"), PK_LIT("tail"));
    pk_batch_put(&more, PK_LIT("empty"), PK_LIT(""));
    pk_batch_add(&batch, &more);
    cr_assert_eq(batch.count, 4);
    cr_assert(pk_batch_next(&batch, &cursor, &op));
    cr_assert(!op.is_delete && pk_slice_equal(op.key, PK_LIT("k\0")) && pk_slice_is(op.value, "v"));
    cr_assert(pk_batch_next(&batch, &cursor, &op));
    cr_assert(op.is_delete && pk_slice_is(op.key, "gone") && op.value.len == 0);
    cr_assert(pk_batch_next(&batch, &cursor, &op));
    cr_assert(!op.is_delete && pk_slice_is(op.key, "two") && pk_slice_is(op.value, "headtail"));
    cr_assert(pk_batch_next(&batch, &cursor, &op));
    cr_assert(pk_slice_is(op.key, "empty") && op.value.len == 0);
    cr_assert_not(pk_batch_next(&batch, &cursor, &op));
    pk_batch_clear(&batch);
    cursor = 0;
    cr_assert_eq(batch.count, 0);
    cr_assert_not(pk_batch_next(&batch, &cursor, &op));
    pk_batch_release(&batch);
    pk_batch_release(&more);
}

/* Commits and reads ----------------------------------------------------------------------------*/

static void check_basics(struct pk_store *store)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct pk_snap *live = pk_store_live(store);

    pk_batch_put(&batch, PK_LIT("a"), PK_LIT("1"));
    pk_batch_put(&batch, PK_LIT("b"), PK_LIT("2"));
    pk_batch_put(&batch, PK_LIT("b"), PK_LIT("3"));
    pk_batch_put(&batch, PK_LIT("c"), PK_LIT(""));
    pk_batch_put(&batch, PK_LIT("d"), PK_LIT("4"));
    pk_batch_delete(&batch, PK_LIT("d"));
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_SYNC, &err), PK_OK);
    cr_expect_str_eq(get(live, "a"), "1");
    cr_expect_str_eq(get(live, "b"), "3", "the last of a batch holds");
    cr_expect_str_eq(get(live, "c"), "", "an empty value is not a missing one");
    cr_expect_str_eq(get(live, "d"), "(none)");
    cr_expect_str_eq(get(live, ""), "(none)");
    pk_batch_clear(&batch);
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK, "empty batch");
    pk_batch_release(&batch);
}

static void check_snapshot(struct pk_store *store)
{
    struct pk_snap *snap;
    struct pk_iter *iter;

    put(store, "k1", "old");
    put(store, "k2", "old");
    snap = pk_snap_new(store);
    iter = pk_iter_new(pk_store_live(store), pk_range_all(), PK_ITER_BULK);
    put(store, "k1", "new");
    put(store, "k3", "new");
    cr_expect_str_eq(get(snap, "k1"), "old");
    cr_expect_str_eq(get(snap, "k3"), "(none)");
    cr_expect_str_eq(keys(snap, "k", "l", false), "k1 k2");
    cr_expect_str_eq(get(pk_store_live(store), "k1"), "new");
    cr_expect_str_eq(keys(pk_store_live(store), "k", "l", false), "k1 k2 k3");
    pk_iter_seek(iter, PK_LIT("k1"));
    cr_expect(pk_slice_is(pk_iter_value(iter), "old"), "an iterator keeps its state");
    pk_iter_free(iter);
    pk_snap_free(snap);
}

static void check_bounds(struct pk_store *store)
{
    const struct pk_snap *live = pk_store_live(store);
    static const struct {
        const char *lower, *upper, *forward, *backward;
    } ROWS[] = {
        {"", "", "a b ba bb c", "c bb ba b a"},
        {"b", "c", "b ba bb", "bb ba b"},
        {"", "b", "a", "a"},
        {"bb", "", "bb c", "c bb"},
        {"b", "b", "", ""},
        {"d", "", "", ""},
        {"c", "a", "", ""},
        {"aa", "b", "", ""},
    };

    put(store, "a", "");
    put(store, "b", "");
    put(store, "ba", "");
    put(store, "bb", "");
    put(store, "c", "");
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        cr_expect_str_eq(keys(live, ROWS[i].lower, ROWS[i].upper, false), ROWS[i].forward,
                         "row %zu", i);
        cr_expect_str_eq(keys(live, ROWS[i].lower, ROWS[i].upper, true), ROWS[i].backward,
                         "row %zu", i);
    }
}

static void expect_at(struct pk_iter *iter, const char *key, const char *what)
{
    if (key == NULL)
        cr_expect_not(pk_iter_valid(iter), "%s", what);
    else
        cr_expect(pk_iter_valid(iter) && pk_slice_is(pk_iter_key(iter), key), "%s", what);
}

/* Over the rows of check_bounds, within b <= key < c. */
static void check_seeks(struct pk_store *store)
{
    static const struct {
        const char *key, *at, *for_prev;
    } ROWS[] = {
        {"", "b", NULL},    {"a", "b", NULL},   {"b", "b", "b"},   {"b0", "ba", "b"},
        {"ba", "ba", "ba"}, {"bz", NULL, "bb"}, {"c", NULL, "bb"}, {"z", NULL, "bb"},
    };
    struct pk_iter *iter = pk_iter_new(pk_store_live(store),
                                       (struct pk_range){PK_LIT("b"), PK_LIT("c")}, PK_ITER_QUERY);

    expect_at(iter, NULL, "before a seek");
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        pk_iter_seek(iter, pk_slice_cstr(ROWS[i].key));
        expect_at(iter, ROWS[i].at, ROWS[i].key);
        pk_iter_seek_for_prev(iter, pk_slice_cstr(ROWS[i].key));
        expect_at(iter, ROWS[i].for_prev, ROWS[i].key);
    }
    pk_iter_seek(iter, PK_LIT("ba"));
    pk_iter_next(iter);
    pk_iter_prev(iter);
    expect_at(iter, "ba", "there and back");
    pk_iter_free(iter);
}

static void check_all(struct pk_store *store)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_store_delete_range(store, pk_range_all(), &err), PK_OK);
    check_bounds(store);
    check_seeks(store);
    check_basics(store);
    check_snapshot(store);
    pk_store_close(store);
}

Test(store, leveldb)
{
    check_all(open_memory());
}

Test(store, fault_without_a_plan)
{
    check_all(pk_store_fault_new(open_memory()));
}

/* Random writes and walks against a sorted array, across flushes to table files. */
enum { MODEL_KEYS = 64 };

static void check_model_walk(struct pk_store *store, const uint64_t *model, struct pk_rng *rng)
{
    uint64_t from = pk_rng_below(rng, MODEL_KEYS), to = pk_rng_below(rng, MODEL_KEYS + 1);
    char lower[8], upper[8];
    struct pk_iter *iter;
    uint64_t at = from;

    snprintf(lower, sizeof(lower), "%03u", (unsigned)from);
    snprintf(upper, sizeof(upper), "%03u", (unsigned)to);
    iter =
        pk_iter_new(pk_store_live(store),
                    (struct pk_range){pk_slice_cstr(lower), pk_slice_cstr(upper)}, PK_ITER_QUERY);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        while (at < to && model[at] == 0)
            at++;
        cr_assert_lt(at, to);
        cr_assert_eq(strtoull(pk_iter_key(iter).data, NULL, 10) % 1000, at);
        cr_assert_eq(*pk_iter_value(iter).data, (char)model[at]);
        at++;
    }
    while (at < to && model[at] == 0)
        at++;
    cr_assert_geq(at, to);
    pk_iter_free(iter);
}

Test(store, random_writes_match_a_model)
{
    struct pk_store *store = open_memory();
    struct pk_error err = PK_ERROR_INIT;
    uint64_t model[MODEL_KEYS] = {0}, seed = (uint64_t)time(NULL);
    size_t deleted;
    struct pk_rng rng;

    cr_log_info("seed %llu", (unsigned long long)seed);
    pk_rng_seed(&rng, seed);
    cr_assert_eq(pk_store_delete_some(store, pk_range_all(), SIZE_MAX, &deleted, &err), PK_OK);
    for (int round = 0; round < 400; round++) {
        struct pk_batch batch = PK_BATCH_INIT;

        for (int i = 0; i < 8; i++) {
            uint64_t number = pk_rng_below(&rng, MODEL_KEYS);
            char key[8], value = (char)(1 + pk_rng_below(&rng, 100));

            snprintf(key, sizeof(key), "%03u", (unsigned)number);
            if (pk_rng_below(&rng, 3) == 0) {
                pk_batch_delete(&batch, pk_slice_cstr(key));
                value = 0;
            } else {
                pk_batch_put(&batch, pk_slice_cstr(key), pk_slice_of(&value, 1));
            }
            model[number] = (uint64_t)value;
        }
        cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
        pk_batch_release(&batch);
        if (round % 100 == 99)
            pk_store_compact(store, pk_range_all());
        check_model_walk(store, model, &rng);
    }
    pk_store_close(store);
}

/* Deleting and sizes ---------------------------------------------------------------------------*/

static void fill(struct pk_store *store, char space, unsigned rows, size_t value_bytes)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_error err = PK_ERROR_INIT;
    char *value = pk_malloc(value_bytes);
    struct pk_rng rng;

    pk_rng_seed(&rng, (uint64_t)space);
    for (unsigned i = 0; i < rows; i++) {
        char key[16];

        for (size_t b = 0; b < value_bytes; b++)
            value[b] = (char)pk_rng_next(&rng);
        snprintf(key, sizeof(key), "%c%06u", space, i);
        pk_batch_put(&batch, pk_slice_cstr(key), pk_slice_of(value, value_bytes));
    }
    cr_assert_eq(pk_store_commit(store, &batch, PK_COMMIT_FAST, &err), PK_OK);
    pk_batch_release(&batch);
    free(value);
}

Test(store, delete_in_portions_and_all)
{
    struct pk_store *store = open_memory();
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_range range = pk_range_prefix(PK_LIT("b"), &upper);
    struct pk_verified seen;
    size_t deleted = 0;

    fill(store, 'a', 10, 10);
    fill(store, 'b', 5000, 100);
    fill(store, 'c', 10, 10);
    cr_assert_eq(pk_store_verify(store, range, &seen, &err), PK_OK);
    cr_assert_eq(seen.rows, 5000);
    cr_assert_eq(seen.bytes, 5000 * (7 + 100));
    cr_assert_eq(pk_store_delete_some(store, range, 1200, &deleted, &err), PK_OK);
    cr_assert_eq(deleted, 1200);
    cr_assert_str_eq(get(pk_store_live(store), "b001199"), "(none)");
    cr_assert_str_neq(get(pk_store_live(store), "b001200"), "(none)");
    pk_store_compact(store, pk_range_all());
    cr_assert_gt(pk_store_disk_size(store, range), 300000);
    cr_assert_eq(pk_store_delete_range(store, range, &err), PK_OK);
    cr_assert_eq(pk_store_disk_size(store, range), 0);
    cr_assert_eq(pk_store_delete_some(store, range, 5, &deleted, &err), PK_OK);
    cr_assert_eq(deleted, 0);
    cr_assert_eq(pk_store_verify(store, range, &seen, &err), PK_OK);
    cr_assert_eq(seen.rows, 0);
    cr_assert_eq(pk_store_verify(store, pk_range_all(), &seen, &err), PK_OK);
    cr_assert_eq(seen.rows, 21, "20 rows and the format version");
    pk_buf_release(&upper);
    pk_store_close(store);
}

Test(store, properties)
{
    struct pk_store *store = open_memory();
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add_cstr(&text, "=");
    cr_assert(pk_store_property(store, "leveldb.num-files-at-level0", &text));
    cr_assert_str_eq(text.data, "=0");
    cr_assert_not(pk_store_property(store, "leveldb.nonsense", &text));
    cr_assert_str_eq(text.data, "=0");
    pk_buf_release(&text);
    pk_store_close(store);
}

/* Threads --------------------------------------------------------------------------------------*/

enum { THREADS = 8, COMMITS = 150 };

struct writer {
    struct pk_store *store;
    unsigned number;
    unsigned acknowledged;
};

static void *write_rows(void *state)
{
    struct writer *writer = state;
    struct pk_error err = PK_ERROR_INIT;
    char value[512] = "v";

    for (unsigned i = 0; i < COMMITS; i++) {
        struct pk_batch batch = PK_BATCH_INIT;
        enum pk_code rc;
        char key[16];

        for (char half = 'x'; half <= 'y'; half++) {
            snprintf(key, sizeof(key), "%c%02u-%04u", half, writer->number, i);
            pk_batch_put(&batch, pk_slice_cstr(key), pk_slice_of(value, sizeof(value)));
        }
        rc = pk_store_commit(writer->store, &batch, i % 16 == 0 ? PK_COMMIT_SYNC : PK_COMMIT_FAST,
                             &err);
        pk_batch_release(&batch);
        if (rc != PK_OK)
            break;
        writer->acknowledged++;
    }
    pk_error_release(&err);
    return NULL;
}

static void run_writers(struct pk_store *store, struct writer writers[THREADS])
{
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){.store = store, .number = i};
        cr_assert_eq(pthread_create(&threads[i], NULL, write_rows, &writers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Every acknowledged commit is there, and every commit is there with both rows or with none. */
static void check_writers(struct pk_store *store, const struct writer writers[THREADS])
{
    const struct pk_snap *live = pk_store_live(store);

    for (unsigned i = 0; i < THREADS; i++) {
        for (unsigned row = 0; row < COMMITS; row++) {
            char key[16];
            bool has_x, has_y;

            snprintf(key, sizeof(key), "x%02u-%04u", i, row);
            has_x = strcmp(get(live, key), "(none)") != 0;
            key[0] = 'y';
            has_y = strcmp(get(live, key), "(none)") != 0;
            cr_assert_eq(has_x, has_y, "thread %u commit %u is torn", i, row);
            cr_assert(has_x || row >= writers[i].acknowledged, "thread %u lost commit %u", i, row);
        }
    }
}

Test(store, commits_of_many_threads)
{
    struct pk_store *store = open_memory();
    struct writer writers[THREADS];

    run_writers(store, writers);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(writers[i].acknowledged, COMMITS);
    check_writers(store, writers);
    pk_store_close(store);
}

/* Failures -------------------------------------------------------------------------------------*/

/* A file size limit fails a write in its middle, as a full disk does. What was acknowledged before
 * must survive, and nothing may be appended behind the torn record. */
Test(store, failed_write_sticks_until_reopened)
{
    char dir[] = "/tmp/pksk-test-XXXXXX";
    struct pk_store_options plain = {0};
    struct rlimit limit, small;
    struct writer writers[THREADS];
    struct pk_error err = PK_ERROR_INIT;
    struct pk_store *store;
    unsigned sum = 0;

    cr_assert_neq(mkdtemp(dir), NULL);
    cr_assert_eq(pk_store_open(dir, &plain, &store, &err), PK_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 500001;
    setrlimit(RLIMIT_FSIZE, &small);
    run_writers(store, writers);
    setrlimit(RLIMIT_FSIZE, &limit);
    for (unsigned i = 0; i < THREADS; i++)
        sum += writers[i].acknowledged;
    cr_assert_gt(sum, 300);
    cr_assert_lt(sum, THREADS * COMMITS);
    cr_assert(pk_store_is_stuck(store));
    cr_assert_eq(pk_store_put(store, PK_LIT("late"), PK_LIT("x"), &err), PK_E_IO);
    cr_assert_neq(strstr(err.message, "File too large; it can be read, but takes no more writes "
                                      "until it is reopened"),
                  NULL, "%s", err.message);
    pk_error_release(&err);
    check_writers(store, writers);
    pk_store_close(store);

    cr_assert_eq(pk_store_open(dir, &plain, &store, &err), PK_OK, "%s", err.message);
    cr_assert_not(pk_store_is_stuck(store));
    check_writers(store, writers);
    cr_assert_str_eq(get(pk_store_live(store), "late"), "(none)");
    put(store, "late", "now");
    pk_store_close(store);
    pk_store_dir_remove(dir);
}

Test(store, fault_fails_the_planned_commit)
{
    struct pk_store *inner = open_memory();
    struct pk_store *store = pk_store_fault_new(inner);
    struct pk_error err = PK_ERROR_INIT;

    pk_store_fault_set(store, &(struct pk_fault_plan){.fail_commit = 2});
    put(store, "one", "1");
    cr_assert_not(pk_store_is_stuck(store));
    cr_assert_eq(pk_store_put(store, PK_LIT("two"), PK_LIT("2"), &err), PK_E_IO);
    cr_assert_str_eq(err.message,
                     "cannot write to the store: simulated full disk; it can be read, but takes no "
                     "more writes until it is reopened");
    cr_assert_eq(pk_store_put(store, PK_LIT("three"), PK_LIT("3"), &err), PK_E_IO);
    cr_assert(pk_store_is_stuck(store));
    cr_assert_eq(pk_store_fault_commits(store), 3);
    cr_assert_str_eq(get(pk_store_live(store), "one"), "1");
    cr_assert_str_eq(get(pk_store_live(store), "two"), "(none)");
    cr_assert_str_eq(get(pk_store_live(store), "three"), "(none)");

    pk_store_fault_set(store, &(struct pk_fault_plan){.fail_commit = 1, .commit_applies = true});
    cr_assert_eq(pk_store_put(store, PK_LIT("two"), PK_LIT("2"), &err), PK_E_IO);
    cr_assert_str_eq(get(pk_store_live(store), "two"), "2");
    cr_assert_eq(pk_store_put(store, PK_LIT("three"), PK_LIT("3"), &err), PK_E_IO);
    cr_assert_str_eq(get(pk_store_live(store), "three"), "(none)");
    pk_error_release(&err);
    pk_store_close(store);
}

Test(store, fault_fails_the_planned_read)
{
    struct pk_store *store = pk_store_fault_new(open_memory());
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf value = PK_BUF_INIT;
    struct pk_iter *iter;
    bool found = true;

    put(store, "a", "1");
    put(store, "b", "2");
    pk_store_fault_set(store, &(struct pk_fault_plan){.fail_read = 2});
    cr_assert_eq(pk_store_get(store, PK_LIT("a"), &value, &found, &err), PK_OK);
    cr_assert_eq(pk_store_get(store, PK_LIT("a"), &value, &found, &err), PK_E_IO);
    cr_assert_str_eq(err.message, "cannot read the store: simulated I/O error");
    cr_assert_not(found);
    pk_error_release(&err);

    pk_store_fault_set(store, &(struct pk_fault_plan){.fail_read = 2});
    iter = pk_iter_new(pk_store_live(store), pk_range_all(), PK_ITER_QUERY);
    pk_iter_seek_first(iter);
    cr_assert(pk_slice_is(pk_iter_key(iter), "a"));
    cr_assert_eq(pk_iter_status(iter, &err), PK_OK);
    pk_iter_next(iter);
    cr_assert_not(pk_iter_valid(iter));
    cr_assert_eq(pk_iter_status(iter, &err), PK_E_IO);
    cr_assert_eq(pk_store_fault_reads(store), 2);
    pk_iter_free(iter);
    pk_error_release(&err);
    pk_buf_release(&value);
    pk_store_close(store);
}
