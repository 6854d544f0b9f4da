/*
 * The store on LevelDB: the only file that knows it.
 *
 * Commits are ordered here and not left to LevelDB's own queue. LevelDB goes on writing after an
 * append to its log has failed, behind what may be half a record; replaying that log later drops
 * the rest of the block, or refuses to open. A full disk could so take back commits that were
 * acknowledged. Here one write is under way at a time and the first failure ends all writing, so
 * that nothing is ever appended behind a torn record.
 *
 * A fast commit is written at once under write_lock. A synced one joins the open group, or opens
 * one and leads it: the leader waits for its turn, closes the group and writes it with one sync,
 * while the next group gathers. Members wait for their leader's result.
 *
 * Invariants: once `failure` is set nothing is written any more; at most one group is open.
 * Locks: write_lock before group_lock; both are leaves for the rest of the engine.
 */
#include "engine/store/store_leveldb.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <leveldb/c.h>

#include "engine/store/store_dir.h"

enum {
    /* 10 bits a key: 1 % false positives, 2 microseconds for a missing key instead of 9. */
    BLOOM_BITS = 10,
    /* Two of these may be in memory, and one is replayed at open. 4 MB (LevelDB's own) costs 1.4
     * times the time for 1 KB rows by more compaction; beyond 32 MB nothing is gained. */
    WRITE_BUFFER_BYTES = 16 * 1024 * 1024,
    /* A group that is this large takes no more commits, so that its members are not kept waiting.
     */
    GROUP_BYTES_MAX = 1024 * 1024,
};

/* Above all keys: they begin with a space's letter (layout.h). */
static const char END_OF_KEYS[] = "\xff\xff\xff\xff";

struct commit_group {
    leveldb_writebatch_t *rows;
    size_t bytes;
    size_t members; /* who still have to read the result; the last one frees the group */
    /* Of its own: members of the next group, which gathers meanwhile, must not be woken by it. */
    pthread_cond_t is_done;
    bool done;
    enum pk_code rc;
};

/* A snapshot, and the read options that name it. */
struct ldb_snap {
    struct pk_snap base;
    const leveldb_snapshot_t *snapshot; /* NULL: the newest state */
    leveldb_readoptions_t *read;
};

struct ldb_store {
    struct pk_store base;
    struct pk_store_home home;
    leveldb_t *db;
    leveldb_cache_t *cache;
    leveldb_filterpolicy_t *bloom;
    leveldb_options_t *options;
    leveldb_writeoptions_t *write_fast, *write_sync;
    struct ldb_snap live;
    bool durable;

    pthread_mutex_t write_lock; /* held while LevelDB writes; guards failure */
    char *failure;              /* LevelDB's reason why a commit failed; NULL: none did */

    pthread_mutex_t group_lock;
    pthread_cond_t group_closed;
    struct commit_group *open_group;
};

struct ldb_iter {
    struct pk_iter base;
    leveldb_iterator_t *it;
    struct pk_buf lower, upper; /* upper empty: no bound */
};

/* Every struct pk_store (pk_snap, pk_iter) that comes in here is the head of one of ours. */
static struct ldb_store *store_of(struct pk_store *store)
{
    return (struct ldb_store *)store;
}

static const struct ldb_snap *snap_of(const struct pk_snap *snap)
{
    return (const struct ldb_snap *)snap;
}

static struct ldb_iter *iter_of(struct pk_iter *iter)
{
    return (struct ldb_iter *)iter;
}

/* A table file that is shorter than LevelDB knows it to be fails as an argument of mmap. */
static enum pk_code code_of(const char *reason)
{
    bool cut = strstr(reason, ".ldb: Invalid argument") != NULL ||
               strstr(reason, ".sst: Invalid argument") != NULL;

    return cut || strncmp(reason, "Corruption", 10) == 0 ? PK_E_CORRUPT : PK_E_IO;
}

/* Turns LevelDB's error text into ours and frees it. */
static enum pk_code fail_take(struct pk_error *err, const char *path, const char *what,
                              char *reason)
{
    enum pk_code rc = pk_fail(err, code_of(reason), "cannot %s store '%s': %s", what, path, reason);

    if (rc == PK_E_CORRUPT)
        pk_error_hint(err, "pksk repair '%s' saves what can be read", path);
    else if (strstr(reason, "No space left") != NULL)
        pk_error_hint(err, "free some space on that disk first");
    leveldb_free(reason);
    return rc;
}

/* Commits --------------------------------------------------------------------------------------*/

static void add_rows(leveldb_writebatch_t *rows, const struct pk_batch *batch)
{
    struct pk_batch_op op;
    size_t cursor = 0;

    while (pk_batch_next(batch, &cursor, &op)) {
        if (op.is_delete)
            leveldb_writebatch_delete(rows, op.key.data, op.key.len);
        else
            leveldb_writebatch_put(rows, op.key.data, op.key.len, op.value.data, op.value.len);
    }
}

/* Under write_lock. */
static enum pk_code write_rows(struct ldb_store *store, const leveldb_writeoptions_t *how,
                               leveldb_writebatch_t *rows)
{
    char *reason = NULL;

    if (store->failure == NULL)
        leveldb_write(store->db, how, rows, &reason);
    if (reason != NULL) {
        store->failure = pk_memdup_cstr(reason, strlen(reason));
        leveldb_free(reason);
    }
    return store->failure == NULL ? PK_OK : code_of(store->failure);
}

static enum pk_code commit_fast(struct ldb_store *store, const struct pk_batch *batch)
{
    leveldb_writebatch_t *rows = leveldb_writebatch_create();
    enum pk_code rc;

    add_rows(rows, batch);
    pthread_mutex_lock(&store->write_lock);
    rc = write_rows(store, store->write_fast, rows);
    pthread_mutex_unlock(&store->write_lock);
    leveldb_writebatch_destroy(rows);
    return rc;
}

/* The group to join, made when there is none. Under group_lock. */
static struct commit_group *join_group(struct ldb_store *store, bool *is_leader)
{
    struct commit_group *group;

    while (store->open_group != NULL && store->open_group->bytes >= GROUP_BYTES_MAX)
        pthread_cond_wait(&store->group_closed, &store->group_lock);
    *is_leader = store->open_group == NULL;
    if (!*is_leader)
        return store->open_group;
    group = pk_calloc(1, sizeof(*group));
    group->rows = leveldb_writebatch_create();
    pthread_cond_init(&group->is_done, NULL);
    store->open_group = group;
    return group;
}

/* Closes the group when its turn has come, and writes it. Under no lock. */
static void lead_group(struct ldb_store *store, struct commit_group *group)
{
    enum pk_code rc;

    pthread_mutex_lock(&store->write_lock);
    pthread_mutex_lock(&store->group_lock);
    store->open_group = NULL;
    pthread_cond_broadcast(&store->group_closed); /* who found it full can open the next one */
    pthread_mutex_unlock(&store->group_lock);
    rc = write_rows(store, store->write_sync, group->rows);
    pthread_mutex_unlock(&store->write_lock);

    pthread_mutex_lock(&store->group_lock);
    group->rc = rc;
    group->done = true;
    pthread_cond_broadcast(&group->is_done);
    pthread_mutex_unlock(&store->group_lock);
}

static enum pk_code commit_sync(struct ldb_store *store, const struct pk_batch *batch)
{
    struct commit_group *group;
    bool is_leader;
    enum pk_code rc;

    pthread_mutex_lock(&store->group_lock);
    group = join_group(store, &is_leader);
    add_rows(group->rows, batch);
    group->bytes += batch->bytes.len;
    group->members++;
    if (is_leader) {
        pthread_mutex_unlock(&store->group_lock);
        lead_group(store, group);
        pthread_mutex_lock(&store->group_lock);
    }
    while (!group->done)
        pthread_cond_wait(&group->is_done, &store->group_lock);
    rc = group->rc;
    if (--group->members == 0) {
        leveldb_writebatch_destroy(group->rows);
        pthread_cond_destroy(&group->is_done);
        free(group);
    }
    pthread_mutex_unlock(&store->group_lock);
    return rc;
}

static enum pk_code fail_stuck(struct ldb_store *store, struct pk_error *err)
{
    enum pk_code rc;
    bool is_full;

    pthread_mutex_lock(&store->write_lock);
    is_full = strstr(store->failure, "No space left") != NULL;
    rc = pk_fail(err, code_of(store->failure),
                 "cannot write to store '%s': %s; it can be read, but takes no more writes until "
                 "it is reopened%s",
                 store->base.path, store->failure, is_full ? " once there is space" : "");
    pthread_mutex_unlock(&store->write_lock);
    return rc;
}

static enum pk_code ldb_commit(struct pk_store *base, const struct pk_batch *batch,
                               enum pk_durability durability, struct pk_error *err)
{
    struct ldb_store *store = store_of(base);
    bool is_sync = store->durable || durability == PK_COMMIT_SYNC;
    enum pk_code rc = is_sync ? commit_sync(store, batch) : commit_fast(store, batch);

    return rc == PK_OK ? PK_OK : fail_stuck(store, err);
}

static bool ldb_is_stuck(struct pk_store *base)
{
    struct ldb_store *store = store_of(base);
    bool is_stuck;

    pthread_mutex_lock(&store->write_lock);
    is_stuck = store->failure != NULL;
    pthread_mutex_unlock(&store->write_lock);
    return is_stuck;
}

/* Reads ----------------------------------------------------------------------------------------*/

static leveldb_readoptions_t *read_options(const leveldb_snapshot_t *snapshot)
{
    leveldb_readoptions_t *read = leveldb_readoptions_create();

    leveldb_readoptions_set_verify_checksums(read, 1);
    leveldb_readoptions_set_snapshot(read, snapshot);
    return read;
}

static enum pk_code ldb_get(const struct pk_snap *base, pk_slice key, struct pk_buf *value,
                            bool *found, struct pk_error *err)
{
    const struct ldb_snap *snap = snap_of(base);
    struct ldb_store *store = store_of(base->store);
    char *reason = NULL;
    size_t length = 0;
    char *bytes = leveldb_get(store->db, snap->read, key.data, key.len, &length, &reason);

    pk_buf_clear(value);
    *found = bytes != NULL;
    if (reason != NULL)
        return fail_take(err, store->base.path, "read", reason);
    if (bytes != NULL) {
        pk_buf_add(value, pk_slice_of(bytes, length));
        leveldb_free(bytes);
    }
    return PK_OK;
}

static struct pk_snap *ldb_snap_new(struct pk_store *base)
{
    struct ldb_snap *snap = pk_malloc(sizeof(*snap));

    snap->base.store = base;
    snap->snapshot = leveldb_create_snapshot(store_of(base)->db);
    snap->read = read_options(snap->snapshot);
    return &snap->base;
}

static void ldb_snap_free(struct pk_snap *base)
{
    struct ldb_snap *snap = (struct ldb_snap *)base;

    leveldb_readoptions_destroy(snap->read);
    leveldb_release_snapshot(store_of(base->store)->db, snap->snapshot);
    free(snap);
}

/* Iterators ------------------------------------------------------------------------------------*/

static struct pk_iter *ldb_iter_new(const struct pk_snap *base, struct pk_range range,
                                    enum pk_iter_use use)
{
    const struct ldb_snap *snap = snap_of(base);
    leveldb_t *db = store_of(base->store)->db;
    struct ldb_iter *iter = pk_calloc(1, sizeof(*iter));

    iter->base.store = base->store;
    pk_buf_add(&iter->lower, range.lower);
    pk_buf_add(&iter->upper, range.upper);
    if (use == PK_ITER_QUERY) {
        iter->it = leveldb_create_iterator(db, snap->read);
    } else {
        leveldb_readoptions_t *bulk = read_options(snap->snapshot);

        leveldb_readoptions_set_fill_cache(bulk, 0);
        iter->it = leveldb_create_iterator(db, bulk);
        leveldb_readoptions_destroy(bulk); /* LevelDB has made its copy */
    }
    return &iter->base;
}

static void ldb_iter_free(struct pk_iter *base)
{
    struct ldb_iter *iter = iter_of(base);

    leveldb_iter_destroy(iter->it);
    pk_buf_release(&iter->lower);
    pk_buf_release(&iter->upper);
    free(iter);
}

/* Takes over where LevelDB's iterator stands; false when that is nowhere. */
static bool load(struct ldb_iter *iter)
{
    iter->base.valid = leveldb_iter_valid(iter->it) != 0;
    if (iter->base.valid) {
        iter->base.key.data = leveldb_iter_key(iter->it, &iter->base.key.len);
        iter->base.value.data = leveldb_iter_value(iter->it, &iter->base.value.len);
    }
    return iter->base.valid;
}

/* After a move towards larger keys only the upper bound can have been passed. */
static void load_forward(struct ldb_iter *iter)
{
    if (load(iter) && iter->upper.len > 0 &&
        pk_slice_compare(iter->base.key, pk_buf_slice(&iter->upper)) >= 0)
        iter->base.valid = false;
}

static void load_backward(struct ldb_iter *iter)
{
    if (load(iter) && pk_slice_compare(iter->base.key, pk_buf_slice(&iter->lower)) < 0)
        iter->base.valid = false;
}

static void ldb_iter_seek(struct pk_iter *base, pk_slice key)
{
    struct ldb_iter *iter = iter_of(base);
    pk_slice lower = pk_buf_slice(&iter->lower);

    if (pk_slice_compare(key, lower) < 0)
        key = lower;
    leveldb_iter_seek(iter->it, key.data, key.len);
    load_forward(iter);
}

/* To the last row below key. */
static void seek_below(struct ldb_iter *iter, pk_slice key)
{
    leveldb_iter_seek(iter->it, key.data, key.len);
    if (leveldb_iter_valid(iter->it))
        leveldb_iter_prev(iter->it);
    else
        leveldb_iter_seek_to_last(iter->it);
    load_backward(iter);
}

static void ldb_iter_seek_last(struct pk_iter *base)
{
    struct ldb_iter *iter = iter_of(base);

    if (iter->upper.len > 0) {
        seek_below(iter, pk_buf_slice(&iter->upper));
        return;
    }
    leveldb_iter_seek_to_last(iter->it);
    load_backward(iter);
}

static void ldb_iter_seek_for_prev(struct pk_iter *base, pk_slice key)
{
    struct ldb_iter *iter = iter_of(base);
    pk_slice upper = pk_buf_slice(&iter->upper);

    if (upper.len > 0 && pk_slice_compare(key, upper) >= 0) {
        seek_below(iter, upper);
        return;
    }
    leveldb_iter_seek(iter->it, key.data, key.len);
    if (load(iter) && pk_slice_equal(iter->base.key, key))
        load_backward(iter);
    else
        seek_below(iter, key);
}

static void ldb_iter_next(struct pk_iter *base)
{
    leveldb_iter_next(iter_of(base)->it);
    load_forward(iter_of(base));
}

static void ldb_iter_prev(struct pk_iter *base)
{
    leveldb_iter_prev(iter_of(base)->it);
    load_backward(iter_of(base));
}

static enum pk_code ldb_iter_status(const struct pk_iter *base, struct pk_error *err)
{
    const struct ldb_iter *iter = (const struct ldb_iter *)base;
    char *reason = NULL;

    leveldb_iter_get_error(iter->it, &reason);
    if (reason == NULL)
        return PK_OK;
    return fail_take(err, base->store->path, "read", reason);
}

/* The rest -------------------------------------------------------------------------------------*/

static void ldb_compact(struct pk_store *base, struct pk_range range)
{
    const char *limit = range.upper.len > 0 ? range.upper.data : NULL;

    leveldb_compact_range(store_of(base)->db, range.lower.data, range.lower.len, limit,
                          range.upper.len);
}

static uint64_t ldb_disk_size(struct pk_store *base, struct pk_range range)
{
    pk_slice limit = range.upper.len > 0 ? range.upper : PK_LIT(END_OF_KEYS);
    const char *start = range.lower.len > 0 ? range.lower.data : "";
    uint64_t size = 0;

    leveldb_approximate_sizes(store_of(base)->db, 1, &start, &range.lower.len, &limit.data,
                              &limit.len, &size);
    return size;
}

static bool ldb_property(struct pk_store *base, const char *name, struct pk_buf *out)
{
    char *text = leveldb_property_value(store_of(base)->db, name);

    if (text == NULL)
        return false;
    pk_buf_add_cstr(out, text);
    leveldb_free(text);
    return true;
}

static void ldb_set_url(struct pk_store *base, const char *url)
{
    struct ldb_store *store = store_of(base);

    pthread_mutex_lock(&store->group_lock); /* only one writes the file at a time */
    pk_store_lock_set_url(store->home.lock, url);
    pthread_mutex_unlock(&store->group_lock);
}

/* Frees all but the home. */
static void destroy(struct ldb_store *store)
{
    if (store->db != NULL)
        leveldb_close(store->db);
    leveldb_options_destroy(store->options);
    leveldb_filterpolicy_destroy(store->bloom);
    leveldb_cache_destroy(store->cache);
    leveldb_writeoptions_destroy(store->write_fast);
    leveldb_writeoptions_destroy(store->write_sync);
    leveldb_readoptions_destroy(store->live.read);
    pthread_cond_destroy(&store->group_closed);
    pthread_mutex_destroy(&store->group_lock);
    pthread_mutex_destroy(&store->write_lock);
    free(store->failure);
    free(store->base.path);
    free(store);
}

static void ldb_close(struct pk_store *base)
{
    struct pk_store_home home = store_of(base)->home;

    destroy(store_of(base)); /* before the lock goes */
    pk_store_home_release(&home);
}

static const struct pk_store_ops LEVELDB_OPS = {
    .get = ldb_get,
    .commit = ldb_commit,
    .snap_new = ldb_snap_new,
    .snap_free = ldb_snap_free,
    .iter_new = ldb_iter_new,
    .iter_free = ldb_iter_free,
    .iter_seek = ldb_iter_seek,
    .iter_seek_for_prev = ldb_iter_seek_for_prev,
    .iter_seek_last = ldb_iter_seek_last,
    .iter_next = ldb_iter_next,
    .iter_prev = ldb_iter_prev,
    .iter_status = ldb_iter_status,
    .compact = ldb_compact,
    .disk_size = ldb_disk_size,
    .property = ldb_property,
    .set_url = ldb_set_url,
    .is_stuck = ldb_is_stuck,
    .close = ldb_close,
};

/* Opening --------------------------------------------------------------------------------------*/

void pk_store_home_release(struct pk_store_home *home)
{
    pk_store_lock_free(home->lock);
    if (home->remove_at_close)
        pk_store_dir_remove(home->path);
    free(home->path);
    *home = (struct pk_store_home){0};
}

static void set_options(struct ldb_store *store, size_t cache_bytes)
{
    store->options = leveldb_options_create();
    store->bloom = leveldb_filterpolicy_create_bloom(BLOOM_BITS);
    store->cache = leveldb_cache_create_lru(cache_bytes != 0 ? cache_bytes : PK_STORE_CACHE_BYTES);
    leveldb_options_set_create_if_missing(store->options, 1);
    leveldb_options_set_paranoid_checks(store->options, 1);
    leveldb_options_set_filter_policy(store->options, store->bloom);
    leveldb_options_set_cache(store->options, store->cache);
    leveldb_options_set_compression(store->options, leveldb_snappy_compression);
    leveldb_options_set_write_buffer_size(store->options, WRITE_BUFFER_BYTES);
    store->write_fast = leveldb_writeoptions_create();
    store->write_sync = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(store->write_sync, 1);
}

enum pk_code pk_store_leveldb_open(struct pk_store_home *home,
                                   const struct pk_store_options *options, struct pk_store **out,
                                   struct pk_error *err)
{
    struct ldb_store *store = pk_calloc(1, sizeof(*store));
    char *reason = NULL;

    store->base.ops = &LEVELDB_OPS;
    store->base.path = pk_memdup_cstr(home->path, strlen(home->path));
    store->base.live = &store->live.base;
    store->live = (struct ldb_snap){{&store->base}, NULL, read_options(NULL)};
    store->durable = options->durable;
    pthread_mutex_init(&store->write_lock, NULL);
    pthread_mutex_init(&store->group_lock, NULL);
    pthread_cond_init(&store->group_closed, NULL);
    set_options(store, options->cache_bytes);
    store->db = leveldb_open(store->options, home->path, &reason);
    if (reason != NULL) {
        destroy(store);
        return fail_take(err, home->path, "open", reason);
    }
    store->home = *home;
    *home = (struct pk_store_home){0};
    *out = &store->base;
    return PK_OK;
}

enum pk_code pk_store_leveldb_repair(const char *path, struct pk_error *err)
{
    leveldb_options_t *options = leveldb_options_create();
    char *reason = NULL;

    /* else it would copy rows without looking at their checksums */
    leveldb_options_set_paranoid_checks(options, 1);
    leveldb_repair_db(options, path, &reason);
    leveldb_options_destroy(options);
    return reason == NULL ? PK_OK : fail_take(err, path, "repair", reason);
}
