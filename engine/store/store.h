/*
 * The store: an ordered map from byte strings to byte strings, with atomic commits, snapshots and
 * iterators. What the bytes mean is not known here (layout.h, key_code.h).
 *
 * Two implementations stand behind one table of functions: LevelDB (store_leveldb.c) and one that
 * wraps another store and fails on demand (store_fault.c).
 *
 * Invariants
 *   - A commit happens as a whole or not at all, also when the process is killed within it.
 *   - Commits are seen by reads that begin after pk_store_commit() returned.
 *   - After a commit failed, the store takes no more writes until it is opened again: LevelDB may
 *     have left half a record in its log, and what is appended behind that would be lost. Reads go
 *     on. The failed commit itself may turn out to have happened when only its sync failed.
 *   - Every function is safe to call from several threads at a time, except that one iterator
 *     belongs to one thread. Iterators and snapshots are freed before the store is closed.
 *   - No fork() that goes on in the child once a store was opened (LevelDB's threads are not
 * there).
 *
 * Errors: PK_E_IO, or PK_E_CORRUPT when bytes on disk are not what was written; the message holds
 * LevelDB's reason. Opening adds PK_E_LOCKED and PK_E_STORE_VERSION.
 */
#ifndef PK_STORE_STORE_H
#define PK_STORE_STORE_H

#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/slice.h"
#include "engine/error.h"

/* Ranges ---------------------------------------------------------------------------------------*/

/* The keys lower <= key < upper. An empty upper means: no upper bound; {0} is everything. */
struct pk_range {
    pk_slice lower;
    pk_slice upper;
};

static inline struct pk_range pk_range_all(void)
{
    struct pk_range all = {{NULL, 0}, {NULL, 0}};

    return all;
}

/* The keys that begin with prefix. The upper bound is written into scratch (cleared first), the
 * lower bound borrows prefix. prefix may not lie in scratch. */
struct pk_range pk_range_prefix(pk_slice prefix, struct pk_buf *scratch);
/* Turns key into the smallest byte string above every string that begins with key. A key of FF
 * bytes only has none and becomes empty, which a range takes for "no bound". */
void pk_key_successor(struct pk_buf *key);

/* Batches --------------------------------------------------------------------------------------*/

/* A list of puts and deletes in the order they take effect, in memory of its own. */
struct pk_batch {
    struct pk_buf bytes; /* kind byte, varint key length, key, varint value length, value; … */
    size_t count;
};

#define PK_BATCH_INIT                                                                              \
    {                                                                                              \
        PK_BUF_INIT, 0                                                                             \
    }

void pk_batch_release(struct pk_batch *batch);
/* Empties the batch and keeps its memory. */
void pk_batch_clear(struct pk_batch *batch);
/* Key and value are copied. */
void pk_batch_put(struct pk_batch *batch, pk_slice key, pk_slice value);
/* As put, with the value head followed by tail: saves gluing them first. */
void pk_batch_put_two(struct pk_batch *batch, pk_slice key, pk_slice head, pk_slice tail);
void pk_batch_delete(struct pk_batch *batch, pk_slice key);
/* Appends what `more` holds. */
void pk_batch_add(struct pk_batch *batch, const struct pk_batch *more);

struct pk_batch_op {
    bool is_delete;
    pk_slice key;
    pk_slice value; /* empty for a delete */
};
/* Walks a batch through a cursor that starts at 0; false at the end. The slices lie in the batch.
 */
bool pk_batch_next(const struct pk_batch *batch, size_t *cursor, struct pk_batch_op *op);

/* Opening --------------------------------------------------------------------------------------*/

struct pk_store;

struct pk_store_options {
    size_t cache_bytes; /* cache of decompressed blocks; 0: PK_STORE_CACHE_BYTES */
    bool in_memory;     /* a private temporary directory, removed at close; the path is ignored */
    bool durable;       /* every commit is synced to the disk before it returns */
    bool must_exist;    /* never create a store: PK_E_IO when there is none */
};

enum { PK_STORE_CACHE_BYTES = 64 * 1024 * 1024 };

/* The version of everything on disk: of layout.h, key_code.h, item.h and num.h together. */
enum { PK_STORE_FORMAT = 1 };

/*
 * Opens the store in the directory path and makes the directory (0700, parents too) when it is
 * missing. The caller closes *out.
 *   PK_E_LOCKED         another process, or this one, has it open; the message names the process
 *                       and the URL it serves
 *   PK_E_STORE_VERSION  written by a newer pksk; nothing was changed
 *   PK_E_IO             not a directory, not writable, or not empty and no store; nothing was
 *                       changed
 *   PK_E_CORRUPT        LevelDB cannot make sense of it: `pksk repair`
 */
PK_MUST_CHECK enum pk_code pk_store_open(const char *path, const struct pk_store_options *options,
                                         struct pk_store **out, struct pk_error *err);
/* Closes the store and gives up its lock. NULL is allowed. */
void pk_store_close(struct pk_store *store);

/* The store's directory as it was opened. */
const char *pk_store_path(const struct pk_store *store);
/* Writes into the lock file at which URL this process serves the store, so that who finds it in
 * use learns where to attach. NULL: no longer served. Not being able to is no error. */
void pk_store_set_url(struct pk_store *store, const char *url);
/* True once a write has failed: only closing and opening again makes the store writable. */
bool pk_store_is_stuck(struct pk_store *store);

/*
 * Salvages a damaged store in the directory path, which nobody may have open: LevelDB rebuilds its
 * list of files from the files it finds, and copies what can be read out of damaged ones. report
 * is called with one line for each file that could not be read, before anything is changed, and
 * for each file that lost rows, afterwards; it may be NULL. Damaged originals stay in path/lost.
 * A row deleted shortly before the damage may come back; so run the engine's check afterwards.
 */
PK_MUST_CHECK enum pk_code pk_store_repair(const char *path,
                                           void (*report)(void *state, const char *line),
                                           void *state, struct pk_error *err);

/* Writing --------------------------------------------------------------------------------------*/

enum pk_durability {
    PK_COMMIT_FAST = 0, /* survives a killed process; a power cut may lose the last moments */
    PK_COMMIT_SYNC,     /* on the disk when the call returns */
};

/* Applies the batch as a whole. Commits that meet are written, and synced, together. */
PK_MUST_CHECK enum pk_code pk_store_commit(struct pk_store *store, const struct pk_batch *batch,
                                           enum pk_durability durability, struct pk_error *err);
/* One commit with one row. */
PK_MUST_CHECK enum pk_code pk_store_put(struct pk_store *store, pk_slice key, pk_slice value,
                                        struct pk_error *err);

/* Deletes at most max_rows rows of the range in batches of bounded size; *deleted tells how many
 * (fewer than max_rows: the range is empty now). Not atomic, and not for rows that others write at
 * the same time: what they put meanwhile may be deleted too. */
PK_MUST_CHECK enum pk_code pk_store_delete_some(struct pk_store *store, struct pk_range range,
                                                size_t max_rows, size_t *deleted,
                                                struct pk_error *err);
/* Deletes every row of the range and compacts it, so that its space is free again. Not atomic. */
PK_MUST_CHECK enum pk_code pk_store_delete_range(struct pk_store *store, struct pk_range range,
                                                 struct pk_error *err);
/* Rewrites the range without what was deleted or overwritten. Slow: reads all of it. */
void pk_store_compact(struct pk_store *store, struct pk_range range);

/* Reading --------------------------------------------------------------------------------------*/

/* A state of the store that no later commit changes. */
struct pk_snap {
    struct pk_store *store;
};

/* The caller frees it. Cheap (under 0.1 microseconds). */
struct pk_snap *pk_snap_new(struct pk_store *store);
/* NULL is allowed. */
void pk_snap_free(struct pk_snap *snap);
/* Not a state but the newest one at each call; lives as long as the store, never freed. An iterator
 * on it stays at the state in which it was made. */
const struct pk_snap *pk_store_live(const struct pk_store *store);

/* The row's value into *value (cleared first); *found false and *value empty when there is none. */
PK_MUST_CHECK enum pk_code pk_snap_get(const struct pk_snap *snap, pk_slice key,
                                       struct pk_buf *value, bool *found, struct pk_error *err);
/* The same from the newest state. */
PK_MUST_CHECK enum pk_code pk_store_get(struct pk_store *store, pk_slice key, struct pk_buf *value,
                                        bool *found, struct pk_error *err);

enum pk_iter_use {
    PK_ITER_QUERY = 0, /* blocks it reads are kept in the cache */
    PK_ITER_BULK,      /* reads much once (check, export, backfill): leaves the cache alone */
};

/*
 * Walks the rows of a range in key order, both ways. Before a seek, and after running off either
 * end, it is not valid; then only a seek moves it, and pk_iter_status() tells whether the end was
 * an error. key and value are valid until the next move. The fields are for the functions below.
 */
struct pk_iter {
    struct pk_store *store;
    bool valid;
    pk_slice key;
    pk_slice value;
};

/* The bounds are copied. The caller frees it. 0.3 to 0.6 microseconds, a seek 5 to 15. */
struct pk_iter *pk_iter_new(const struct pk_snap *snap, struct pk_range range,
                            enum pk_iter_use use);
/* NULL is allowed. */
void pk_iter_free(struct pk_iter *iter);

/* The first row of the range. */
void pk_iter_seek_first(struct pk_iter *iter);
/* The last row of the range. */
void pk_iter_seek_last(struct pk_iter *iter);
/* The first row at or after key, within the range. */
void pk_iter_seek(struct pk_iter *iter, pk_slice key);
/* The last row at or before key, within the range. */
void pk_iter_seek_for_prev(struct pk_iter *iter, pk_slice key);
/* Need a valid iterator. */
void pk_iter_next(struct pk_iter *iter);
void pk_iter_prev(struct pk_iter *iter);

/* PK_OK as long as everything could be read. A block that cannot be read is skipped, so ask after
 * the loop, and before its result is believed. */
PK_MUST_CHECK enum pk_code pk_iter_status(const struct pk_iter *iter, struct pk_error *err);

static inline bool pk_iter_valid(const struct pk_iter *iter)
{
    return iter->valid;
}

static inline pk_slice pk_iter_key(const struct pk_iter *iter)
{
    return iter->key;
}

static inline pk_slice pk_iter_value(const struct pk_iter *iter)
{
    return iter->value;
}

struct pk_verified {
    uint64_t rows;
    uint64_t bytes; /* of keys and values */
};
/* Reads every row of the range with its checksum. *out is filled also on failure, with what could
 * be read. PK_E_CORRUPT names the damaged files and whose rows are in their damaged blocks. */
PK_MUST_CHECK enum pk_code pk_store_verify(struct pk_store *store, struct pk_range range,
                                           struct pk_verified *out, struct pk_error *err);

/* Bytes on disk, compressed, of the range's rows: of table files only, so fresh rows and deleted
 * ones make it wrong until LevelDB compacts. 13 microseconds. */
uint64_t pk_store_disk_size(struct pk_store *store, struct pk_range range);
/* Appends LevelDB's text for a property ("leveldb.stats", "leveldb.sstables", …); false, and
 * nothing, when there is no such property. */
bool pk_store_property(struct pk_store *store, const char *name, struct pk_buf *out);

/* Implementations ------------------------------------------------------------------------------*/

/* What an implementation does; the functions above are thin wrappers around it. */
struct pk_store_ops {
    enum pk_code (*get)(const struct pk_snap *snap, pk_slice key, struct pk_buf *value, bool *found,
                        struct pk_error *err);
    enum pk_code (*commit)(struct pk_store *store, const struct pk_batch *batch,
                           enum pk_durability durability, struct pk_error *err);
    struct pk_snap *(*snap_new)(struct pk_store *store);
    void (*snap_free)(struct pk_snap *snap);
    struct pk_iter *(*iter_new)(const struct pk_snap *snap, struct pk_range range,
                                enum pk_iter_use use);
    void (*iter_free)(struct pk_iter *iter);
    void (*iter_seek)(struct pk_iter *iter, pk_slice key);
    void (*iter_seek_for_prev)(struct pk_iter *iter, pk_slice key);
    void (*iter_seek_last)(struct pk_iter *iter);
    void (*iter_next)(struct pk_iter *iter);
    void (*iter_prev)(struct pk_iter *iter);
    enum pk_code (*iter_status)(const struct pk_iter *iter, struct pk_error *err);
    void (*compact)(struct pk_store *store, struct pk_range range);
    uint64_t (*disk_size)(struct pk_store *store, struct pk_range range);
    bool (*property)(struct pk_store *store, const char *name, struct pk_buf *out);
    void (*set_url)(struct pk_store *store, const char *url);
    bool (*is_stuck)(struct pk_store *store);
    void (*close)(struct pk_store *store);
};

/* The head of every implementation's own struct. */
struct pk_store {
    const struct pk_store_ops *ops;
    const struct pk_snap *live;
    char *path; /* owned */
};

/* The store that fails ------------------------------------------------------------------------ */

/* What fails; counted from the moment it is set. 0: never. */
struct pk_fault_plan {
    uint64_t fail_commit; /* the n-th commit fails, and all after it as on a full disk */
    uint64_t fail_read;   /* the n-th get or iterator move fails, and all after it */
    bool commit_applies;  /* the failing commit is applied all the same: its sync failed */
};

/* Wraps inner, which it owns from now on. Behaves as inner until a plan is set. */
struct pk_store *pk_store_fault_new(struct pk_store *inner_take);
/* Only for a store of pk_store_fault_new. Not while other threads use the store. */
void pk_store_fault_set(struct pk_store *fault, const struct pk_fault_plan *plan);
/* Commits and reads since the plan was set. */
uint64_t pk_store_fault_commits(struct pk_store *fault);
uint64_t pk_store_fault_reads(struct pk_store *fault);

#endif
