/*
 * What all stores share: ranges, batches, and the functions that are made of an implementation's
 * own (ops). Nothing in this file knows LevelDB.
 */
#include "engine/store/store.h"

#include <stdlib.h>

#include "engine/store/table_file.h"

/* Rows and bytes of one commit of a long delete: large enough to be quick, small enough that other
 * writers wait a few milliseconds at most. */
enum { DELETE_BATCH_ROWS = 1000, DELETE_BATCH_BYTES = 256 * 1024 };

enum { BATCH_PUT = 1, BATCH_DELETE = 2 };

void pk_key_successor(struct pk_buf *key)
{
    while (key->len > 0 && (unsigned char)key->data[key->len - 1] == 0xFF)
        key->len--;
    if (key->data == NULL)
        return;
    key->data[key->len] = '\0';
    if (key->len > 0)
        key->data[key->len - 1] = (char)((unsigned char)key->data[key->len - 1] + 1);
}

struct pk_range pk_range_prefix(pk_slice prefix, struct pk_buf *scratch)
{
    pk_buf_clear(scratch);
    pk_buf_add(scratch, prefix);
    pk_key_successor(scratch);
    return (struct pk_range){prefix, pk_buf_slice(scratch)};
}

/* Batches --------------------------------------------------------------------------------------*/

void pk_batch_release(struct pk_batch *batch)
{
    pk_buf_release(&batch->bytes);
    batch->count = 0;
}

void pk_batch_clear(struct pk_batch *batch)
{
    pk_buf_clear(&batch->bytes);
    batch->count = 0;
}

static void add_key(struct pk_batch *batch, unsigned char kind, pk_slice key)
{
    pk_buf_add_byte(&batch->bytes, kind);
    pk_buf_add_varint(&batch->bytes, key.len);
    pk_buf_add(&batch->bytes, key);
    batch->count++;
}

void pk_batch_put(struct pk_batch *batch, pk_slice key, pk_slice value)
{
    pk_batch_put_two(batch, key, value, pk_slice_of(NULL, 0));
}

void pk_batch_put_two(struct pk_batch *batch, pk_slice key, pk_slice head, pk_slice tail)
{
    add_key(batch, BATCH_PUT, key);
    pk_buf_add_varint(&batch->bytes, head.len + tail.len);
    pk_buf_add(&batch->bytes, head);
    pk_buf_add(&batch->bytes, tail);
}

void pk_batch_delete(struct pk_batch *batch, pk_slice key)
{
    add_key(batch, BATCH_DELETE, key);
}

void pk_batch_add(struct pk_batch *batch, const struct pk_batch *more)
{
    pk_buf_add(&batch->bytes, pk_buf_slice(&more->bytes));
    batch->count += more->count;
}

static bool take_counted(pk_slice *in, pk_slice *bytes)
{
    uint64_t length;

    return pk_take_varint(in, &length) && length <= in->len &&
           pk_take_bytes(in, (size_t)length, bytes);
}

bool pk_batch_next(const struct pk_batch *batch, size_t *cursor, struct pk_batch_op *op)
{
    pk_slice rest = pk_slice_skip(pk_buf_slice(&batch->bytes), *cursor);
    unsigned char kind;

    if (!pk_take_byte(&rest, &kind))
        return false;
    *op = (struct pk_batch_op){.is_delete = kind == BATCH_DELETE};
    if (!take_counted(&rest, &op->key))
        pk_bug("a batch ends within a key");
    if (!op->is_delete && !take_counted(&rest, &op->value))
        pk_bug("a batch ends within a value");
    *cursor = batch->bytes.len - rest.len;
    return true;
}

/* Thin wrappers --------------------------------------------------------------------------------*/

void pk_store_close(struct pk_store *store)
{
    if (store != NULL)
        store->ops->close(store);
}

const char *pk_store_path(const struct pk_store *store)
{
    return store->path;
}

void pk_store_set_url(struct pk_store *store, const char *url)
{
    store->ops->set_url(store, url);
}

bool pk_store_is_stuck(struct pk_store *store)
{
    return store->ops->is_stuck(store);
}

enum pk_code pk_store_commit(struct pk_store *store, const struct pk_batch *batch,
                             enum pk_durability durability, struct pk_error *err)
{
    if (batch->count == 0)
        return PK_OK;
    return store->ops->commit(store, batch, durability, err);
}

enum pk_code pk_store_put(struct pk_store *store, pk_slice key, pk_slice value,
                          struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    enum pk_code rc;

    pk_batch_put(&batch, key, value);
    rc = pk_store_commit(store, &batch, PK_COMMIT_FAST, err);
    pk_batch_release(&batch);
    return rc;
}

void pk_store_compact(struct pk_store *store, struct pk_range range)
{
    store->ops->compact(store, range);
}

struct pk_snap *pk_snap_new(struct pk_store *store)
{
    return store->ops->snap_new(store);
}

void pk_snap_free(struct pk_snap *snap)
{
    if (snap != NULL)
        snap->store->ops->snap_free(snap);
}

const struct pk_snap *pk_store_live(const struct pk_store *store)
{
    return store->live;
}

enum pk_code pk_snap_get(const struct pk_snap *snap, pk_slice key, struct pk_buf *value,
                         bool *found, struct pk_error *err)
{
    return snap->store->ops->get(snap, key, value, found, err);
}

enum pk_code pk_store_get(struct pk_store *store, pk_slice key, struct pk_buf *value, bool *found,
                          struct pk_error *err)
{
    return store->ops->get(store->live, key, value, found, err);
}

struct pk_iter *pk_iter_new(const struct pk_snap *snap, struct pk_range range, enum pk_iter_use use)
{
    return snap->store->ops->iter_new(snap, range, use);
}

void pk_iter_free(struct pk_iter *iter)
{
    if (iter != NULL)
        iter->store->ops->iter_free(iter);
}

void pk_iter_seek_first(struct pk_iter *iter)
{
    iter->store->ops->iter_seek(iter, pk_slice_of(NULL, 0));
}

void pk_iter_seek_last(struct pk_iter *iter)
{
    iter->store->ops->iter_seek_last(iter);
}

void pk_iter_seek(struct pk_iter *iter, pk_slice key)
{
    iter->store->ops->iter_seek(iter, key);
}

void pk_iter_seek_for_prev(struct pk_iter *iter, pk_slice key)
{
    iter->store->ops->iter_seek_for_prev(iter, key);
}

void pk_iter_next(struct pk_iter *iter)
{
    if (!iter->valid)
        pk_bug("next on an iterator that stands nowhere");
    iter->store->ops->iter_next(iter);
}

void pk_iter_prev(struct pk_iter *iter)
{
    if (!iter->valid)
        pk_bug("prev on an iterator that stands nowhere");
    iter->store->ops->iter_prev(iter);
}

enum pk_code pk_iter_status(const struct pk_iter *iter, struct pk_error *err)
{
    return iter->store->ops->iter_status(iter, err);
}

uint64_t pk_store_disk_size(struct pk_store *store, struct pk_range range)
{
    return store->ops->disk_size(store, range);
}

bool pk_store_property(struct pk_store *store, const char *name, struct pk_buf *out)
{
    return store->ops->property(store, name, out);
}

/* Made of the others ---------------------------------------------------------------------------*/

/* Fills the batch with deletes of what the iterator yields, at most rows of them. */
static void collect_deletes(struct pk_iter *iter, struct pk_batch *batch, size_t rows)
{
    if (rows > DELETE_BATCH_ROWS)
        rows = DELETE_BATCH_ROWS;
    for (; pk_iter_valid(iter); pk_iter_next(iter)) {
        if (batch->count == rows || batch->bytes.len >= DELETE_BATCH_BYTES)
            return;
        pk_batch_delete(batch, pk_iter_key(iter));
    }
}

enum pk_code pk_store_delete_some(struct pk_store *store, struct pk_range range, size_t max_rows,
                                  size_t *deleted, struct pk_error *err)
{
    struct pk_iter *iter = pk_iter_new(pk_store_live(store), range, PK_ITER_BULK);
    struct pk_batch batch = PK_BATCH_INIT;
    size_t done = 0;
    enum pk_code rc = PK_OK;

    pk_iter_seek_first(iter);
    while (done < max_rows && pk_iter_valid(iter)) {
        pk_batch_clear(&batch);
        collect_deletes(iter, &batch, max_rows - done);
        rc = pk_store_commit(store, &batch, PK_COMMIT_FAST, err);
        if (rc != PK_OK)
            goto out;
        done += batch.count;
    }
    rc = pk_iter_status(iter, err);
out:
    *deleted = done;
    pk_batch_release(&batch);
    pk_iter_free(iter);
    return rc;
}

enum pk_code pk_store_delete_range(struct pk_store *store, struct pk_range range,
                                   struct pk_error *err)
{
    size_t deleted;
    enum pk_code rc = pk_store_delete_some(store, range, SIZE_MAX, &deleted, err);

    if (rc == PK_OK)
        pk_store_compact(store, range);
    return rc;
}

static void add_line(void *state, const char *line)
{
    struct pk_buf *lines = state;

    pk_buf_printf(lines, "%s%s", lines->len == 0 ? "" : "; ", line);
}

/* LevelDB's reason names no file; the files themselves are asked. */
static void name_files(const struct pk_store *store, struct pk_error *err)
{
    struct pk_buf lines = PK_BUF_INIT;

    pk_table_files_check(store->path, add_line, &lines);
    if (lines.len > 0) {
        pk_buf_add(&lines, PK_LIT(": "));
        pk_error_prefix(err, lines.data);
    }
    pk_buf_release(&lines);
}

enum pk_code pk_store_verify(struct pk_store *store, struct pk_range range, struct pk_verified *out,
                             struct pk_error *err)
{
    struct pk_iter *iter = pk_iter_new(pk_store_live(store), range, PK_ITER_BULK);
    enum pk_code rc;

    *out = (struct pk_verified){0, 0};
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        out->rows++;
        out->bytes += pk_iter_key(iter).len + pk_iter_value(iter).len;
    }
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    if (rc == PK_E_CORRUPT)
        name_files(store, err);
    return rc;
}
