/* Threads that commit, read, snapshot and iterate at the same time, for ThreadSanitizer: a plain
 * program, because criterion does not run under it. Prints nothing and exits 0 when all is well. */
#include "engine/store/store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 6, ROUNDS = 300 };

struct worker {
    struct pk_store *store;
    unsigned number;
};

static void must(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "race_store: %s\n", what);
    exit(1);
}

static void commit_pair(struct pk_store *store, const char *key, unsigned round)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_error err = PK_ERROR_INIT;
    enum pk_durability how = round % 5 == 0 ? PK_COMMIT_SYNC : PK_COMMIT_FAST;

    pk_batch_put(&batch, pk_slice_cstr(key), PK_LIT("v"));
    pk_batch_put(&batch, PK_LIT("shared"), pk_slice_cstr(key));
    must(pk_store_commit(store, &batch, how, &err) == PK_OK, "commit failed");
    pk_batch_release(&batch);
}

static void walk_snapshot(struct pk_store *store, unsigned round)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_snap *snap = pk_snap_new(store);
    struct pk_iter *iter =
        pk_iter_new(snap, pk_range_all(), round % 2 == 0 ? PK_ITER_QUERY : PK_ITER_BULK);

    pk_iter_seek_last(iter);
    must(pk_iter_valid(iter) && pk_slice_is(pk_iter_key(iter), "shared"), "last row is missing");
    must(pk_iter_status(iter, &err) == PK_OK, "iterator failed");
    pk_iter_free(iter);
    pk_snap_free(snap);
}

static void *work(void *state)
{
    const struct worker *worker = state;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf value = PK_BUF_INIT;

    for (unsigned round = 0; round < ROUNDS; round++) {
        char key[16];
        bool found = false;

        snprintf(key, sizeof(key), "%u-%u", worker->number, round);
        commit_pair(worker->store, key, round);
        must(pk_store_get(worker->store, pk_slice_cstr(key), &value, &found, &err) == PK_OK,
             "get failed");
        must(found, "an acknowledged row is missing");
        walk_snapshot(worker->store, round);
        pk_store_set_url(worker->store, round % 2 == 0 ? "http://127.0.0.1:8000" : NULL);
        must(!pk_store_is_stuck(worker->store), "store is stuck");
    }
    pk_buf_release(&value);
    return NULL;
}

int main(void)
{
    struct pk_store_options memory = {.in_memory = true};
    struct pk_error err = PK_ERROR_INIT;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct pk_store *store;

    must(pk_store_open("", &memory, &store, &err) == PK_OK, "open failed");
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){store, i};
        must(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "no thread");
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pk_store_close(store);
    return 0;
}
