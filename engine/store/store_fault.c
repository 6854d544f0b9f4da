/*
 * The store that fails on demand: tests count its commits and reads, make the n-th one fail, and
 * look at what is left. It wraps a real store, so that what was written before can be read.
 *
 * After the failing commit all later ones fail too, as after a full disk (store.h). A failing read
 * leaves the iterator invalid with an error status, as an unreadable block does.
 */
#include "engine/store/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct fault_store {
    struct pk_store base;
    struct pk_store *inner;
    struct pk_snap live;
    struct pk_fault_plan plan;

    pthread_mutex_t lock; /* guards the counters; a leaf */
    uint64_t commits;
    uint64_t reads;
};

struct fault_snap {
    struct pk_snap base;
    struct pk_snap *inner;
};

struct fault_iter {
    struct pk_iter base;
    struct pk_iter *inner;
    bool failed;
};

static struct fault_store *fault_of(struct pk_store *store)
{
    return (struct fault_store *)store;
}

static struct fault_iter *iter_of(struct pk_iter *iter)
{
    return (struct fault_iter *)iter;
}

static const struct pk_snap *inner_snap(const struct pk_snap *snap)
{
    const struct fault_store *fault = fault_of(snap->store);

    if (snap == &fault->live)
        return fault->inner->live;
    return ((const struct fault_snap *)snap)->inner;
}

static uint64_t count(struct fault_store *fault, uint64_t *counter)
{
    uint64_t now;

    pthread_mutex_lock(&fault->lock);
    now = ++*counter;
    pthread_mutex_unlock(&fault->lock);
    return now;
}

static bool read_fails(struct fault_store *fault)
{
    uint64_t now = count(fault, &fault->reads);

    return fault->plan.fail_read != 0 && now >= fault->plan.fail_read;
}

static enum pk_code fail_read(struct pk_error *err)
{
    return pk_fail(err, PK_E_IO, "cannot read the store: simulated I/O error");
}

static enum pk_code fault_get(const struct pk_snap *snap, pk_slice key, struct pk_buf *value,
                              bool *found, struct pk_error *err)
{
    pk_buf_clear(value);
    *found = false;
    if (read_fails(fault_of(snap->store)))
        return fail_read(err);
    return pk_snap_get(inner_snap(snap), key, value, found, err);
}

static enum pk_code fault_commit(struct pk_store *store, const struct pk_batch *batch,
                                 enum pk_durability durability, struct pk_error *err)
{
    struct fault_store *fault = fault_of(store);
    uint64_t now = count(fault, &fault->commits);
    uint64_t limit = fault->plan.fail_commit;
    enum pk_code rc = PK_OK;

    if (limit == 0 || now < limit || (now == limit && fault->plan.commit_applies))
        rc = pk_store_commit(fault->inner, batch, durability, err);
    if (rc != PK_OK || limit == 0 || now < limit)
        return rc;
    return pk_fail(err, PK_E_IO,
                   "cannot write to the store: simulated full disk; it can be read, but takes no "
                   "more writes until it is reopened");
}

static bool fault_is_stuck(struct pk_store *store)
{
    struct fault_store *fault = fault_of(store);

    if (fault->plan.fail_commit != 0 && pk_store_fault_commits(store) >= fault->plan.fail_commit)
        return true;
    return pk_store_is_stuck(fault->inner);
}

static struct pk_snap *fault_snap_new(struct pk_store *store)
{
    struct fault_snap *snap = pk_malloc(sizeof(*snap));

    snap->base.store = store;
    snap->inner = pk_snap_new(fault_of(store)->inner);
    return &snap->base;
}

static void fault_snap_free(struct pk_snap *base)
{
    struct fault_snap *snap = (struct fault_snap *)base;

    pk_snap_free(snap->inner);
    free(snap);
}

static struct pk_iter *fault_iter_new(const struct pk_snap *snap, struct pk_range range,
                                      enum pk_iter_use use)
{
    struct fault_iter *iter = pk_calloc(1, sizeof(*iter));

    iter->base.store = snap->store;
    iter->inner = pk_iter_new(inner_snap(snap), range, use);
    return &iter->base;
}

static void fault_iter_free(struct pk_iter *base)
{
    pk_iter_free(iter_of(base)->inner);
    free(iter_of(base));
}

/* True when the move may happen; else the iterator has failed. */
static bool may_move(struct fault_iter *iter)
{
    iter->failed = iter->failed || read_fails(fault_of(iter->base.store));
    if (iter->failed)
        iter->base.valid = false;
    return !iter->failed;
}

static void load(struct fault_iter *iter)
{
    iter->base.valid = iter->inner->valid;
    iter->base.key = iter->inner->key;
    iter->base.value = iter->inner->value;
}

static void fault_iter_seek(struct pk_iter *base, pk_slice key)
{
    struct fault_iter *iter = iter_of(base);

    if (!may_move(iter))
        return;
    pk_iter_seek(iter->inner, key);
    load(iter);
}

static void fault_iter_seek_for_prev(struct pk_iter *base, pk_slice key)
{
    struct fault_iter *iter = iter_of(base);

    if (!may_move(iter))
        return;
    pk_iter_seek_for_prev(iter->inner, key);
    load(iter);
}

static void fault_iter_seek_last(struct pk_iter *base)
{
    struct fault_iter *iter = iter_of(base);

    if (!may_move(iter))
        return;
    pk_iter_seek_last(iter->inner);
    load(iter);
}

static void fault_iter_next(struct pk_iter *base)
{
    struct fault_iter *iter = iter_of(base);

    if (!may_move(iter))
        return;
    pk_iter_next(iter->inner);
    load(iter);
}

static void fault_iter_prev(struct pk_iter *base)
{
    struct fault_iter *iter = iter_of(base);

    if (!may_move(iter))
        return;
    pk_iter_prev(iter->inner);
    load(iter);
}

static enum pk_code fault_iter_status(const struct pk_iter *base, struct pk_error *err)
{
    const struct fault_iter *iter = (const struct fault_iter *)base;

    return iter->failed ? fail_read(err) : pk_iter_status(iter->inner, err);
}

static void fault_compact(struct pk_store *store, struct pk_range range)
{
    pk_store_compact(fault_of(store)->inner, range);
}

static uint64_t fault_disk_size(struct pk_store *store, struct pk_range range)
{
    return pk_store_disk_size(fault_of(store)->inner, range);
}

static bool fault_property(struct pk_store *store, const char *name, struct pk_buf *out)
{
    return pk_store_property(fault_of(store)->inner, name, out);
}

static void fault_set_url(struct pk_store *store, const char *url)
{
    pk_store_set_url(fault_of(store)->inner, url);
}

static void fault_close(struct pk_store *store)
{
    struct fault_store *fault = fault_of(store);

    pk_store_close(fault->inner);
    pthread_mutex_destroy(&fault->lock);
    free(fault->base.path);
    free(fault);
}

static const struct pk_store_ops FAULT_OPS = {
    .get = fault_get,
    .commit = fault_commit,
    .snap_new = fault_snap_new,
    .snap_free = fault_snap_free,
    .iter_new = fault_iter_new,
    .iter_free = fault_iter_free,
    .iter_seek = fault_iter_seek,
    .iter_seek_for_prev = fault_iter_seek_for_prev,
    .iter_seek_last = fault_iter_seek_last,
    .iter_next = fault_iter_next,
    .iter_prev = fault_iter_prev,
    .iter_status = fault_iter_status,
    .compact = fault_compact,
    .disk_size = fault_disk_size,
    .property = fault_property,
    .set_url = fault_set_url,
    .is_stuck = fault_is_stuck,
    .close = fault_close,
};

struct pk_store *pk_store_fault_new(struct pk_store *inner_take)
{
    struct fault_store *fault = pk_calloc(1, sizeof(*fault));

    fault->base.ops = &FAULT_OPS;
    fault->base.path = pk_memdup_cstr(inner_take->path, strlen(inner_take->path));
    fault->base.live = &fault->live;
    fault->live.store = &fault->base;
    fault->inner = inner_take;
    pthread_mutex_init(&fault->lock, NULL);
    return &fault->base;
}

void pk_store_fault_set(struct pk_store *store, const struct pk_fault_plan *plan)
{
    struct fault_store *fault = fault_of(store);

    pthread_mutex_lock(&fault->lock);
    fault->plan = *plan;
    fault->commits = 0;
    fault->reads = 0;
    pthread_mutex_unlock(&fault->lock);
}

static uint64_t read_counter(struct fault_store *fault, const uint64_t *counter)
{
    uint64_t now;

    pthread_mutex_lock(&fault->lock);
    now = *counter;
    pthread_mutex_unlock(&fault->lock);
    return now;
}

uint64_t pk_store_fault_commits(struct pk_store *store)
{
    return read_counter(fault_of(store), &fault_of(store)->commits);
}

uint64_t pk_store_fault_reads(struct pk_store *store)
{
    return read_counter(fault_of(store), &fault_of(store)->reads);
}
