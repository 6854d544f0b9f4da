/* The sequences in flight are few, one for each thread that writes, and drawn in order: an array
 * whose first element is the smallest. */
#include "engine/log/change_log.h"

#include <stdlib.h>
#include <string.h>

/* On disk: do not change. */
enum { RECORD_VERSION = 1 };

/* Life -----------------------------------------------------------------------------------------*/

void pk_log_init(struct pk_log *log, uint32_t table_id, uint64_t next)
{
    *log = (struct pk_log){.table_id = table_id, .next = next};
    if (pthread_mutex_init(&log->lock, NULL) != 0 || pthread_cond_init(&log->moved, NULL) != 0)
        pk_bug("a lock cannot be made");
}

void pk_log_release(struct pk_log *log)
{
    free(log->flight);
    free(log->spans);
    pthread_cond_destroy(&log->moved);
    pthread_mutex_destroy(&log->lock);
}

/* Sequences ------------------------------------------------------------------------------------*/

/* The lock is held in the following. */

static struct pk_log_span *span_of(struct pk_log *log, uint32_t shard)
{
    if (shard >= log->span_count) {
        log->spans = pk_realloc(log->spans, (size_t)shard + 1, sizeof(*log->spans));
        memset(log->spans + log->span_count, 0,
               ((size_t)shard + 1 - log->span_count) * sizeof(*log->spans));
        log->span_count = shard + 1;
    }
    return &log->spans[shard];
}

static void add_to_flight(struct pk_log *log, uint64_t sequence)
{
    if (log->flight_count == log->flight_cap) {
        log->flight_cap = log->flight_cap == 0 ? 16 : 2 * log->flight_cap;
        log->flight = pk_realloc(log->flight, log->flight_cap, sizeof(*log->flight));
    }
    log->flight[log->flight_count++] = sequence;
}

static uint64_t safe_locked(const struct pk_log *log)
{
    return log->flight_count > 0 ? log->flight[0] : log->next;
}

uint64_t pk_log_draw(struct pk_log *log, uint32_t shard)
{
    uint64_t sequence;

    pthread_mutex_lock(&log->lock);
    sequence = log->next++;
    span_of(log, shard)->last = sequence;
    add_to_flight(log, sequence);
    pthread_mutex_unlock(&log->lock);
    return sequence;
}

void pk_log_settle(struct pk_log *log, uint64_t sequence)
{
    size_t at = 0;

    pthread_mutex_lock(&log->lock);
    while (at < log->flight_count && log->flight[at] != sequence)
        at++;
    if (at == log->flight_count)
        pk_bug("a sequence that was not drawn is settled");
    log->flight_count--;
    memmove(log->flight + at, log->flight + at + 1,
            (log->flight_count - at) * sizeof(*log->flight));
    if (log->waiting > 0)
        pthread_cond_broadcast(&log->moved);
    pthread_mutex_unlock(&log->lock);
}

uint64_t pk_log_safe(struct pk_log *log)
{
    uint64_t safe;

    pthread_mutex_lock(&log->lock);
    safe = safe_locked(log);
    pthread_mutex_unlock(&log->lock);
    return safe;
}

uint64_t pk_log_next(struct pk_log *log)
{
    uint64_t next;

    pthread_mutex_lock(&log->lock);
    next = log->next;
    pthread_mutex_unlock(&log->lock);
    return next;
}

void pk_log_raise(struct pk_log *log, uint64_t next)
{
    pthread_mutex_lock(&log->lock);
    if (log->next < next)
        log->next = next;
    pthread_mutex_unlock(&log->lock);
}

void pk_log_wait(struct pk_log *log, uint64_t sequence)
{
    pthread_mutex_lock(&log->lock);
    log->waiting++;
    while (safe_locked(log) < sequence)
        pthread_cond_wait(&log->moved, &log->lock);
    log->waiting--;
    pthread_mutex_unlock(&log->lock);
}

uint32_t pk_log_shards(struct pk_log *log)
{
    uint32_t count;

    pthread_mutex_lock(&log->lock);
    count = log->span_count;
    pthread_mutex_unlock(&log->lock);
    return count;
}

struct pk_log_span pk_log_span(struct pk_log *log, uint32_t shard)
{
    struct pk_log_span span = {0, 0};

    pthread_mutex_lock(&log->lock);
    if (shard < log->span_count)
        span = log->spans[shard];
    pthread_mutex_unlock(&log->lock);
    return span;
}

/* The high-water mark --------------------------------------------------------------------------*/

static void mark_key(const struct pk_log *log, struct pk_buf *key)
{
    pk_layout_meta_id(key, PK_META_LOG, log->table_id, PK_LIT("n"));
}

void pk_log_stage_mark(struct pk_log *log, struct pk_batch *batch)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    mark_key(log, &key);
    pk_buf_add_u64be(&value, pk_log_next(log));
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&key);
    pk_buf_release(&value);
}

static enum pk_code open_mark(struct pk_log *log, struct pk_store *store, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool found = false;
    enum pk_code rc;

    mark_key(log, &key);
    rc = pk_store_get(store, pk_buf_slice(&key), &value, &found, err);
    if (rc == PK_OK && found) {
        pk_slice rest = pk_buf_slice(&value);
        uint64_t next = 0;

        if (pk_take_u64be(&rest, &next) && rest.len == 0)
            pk_log_raise(log, next);
        else
            rc = pk_fail(err, PK_E_CORRUPT, "the high-water mark of a change log is damaged");
    }
    pk_buf_release(&key);
    pk_buf_release(&value);
    return rc;
}

/* Opening --------------------------------------------------------------------------------------*/

/* A sequence, or a shard, beyond these is no number that was ever drawn. */
#define SEQUENCE_MAX (UINT64_MAX / 2)
enum { SHARD_MAX = 1 << 20 };

/* Finds the first shard that has records at or after `from`, and where they end; false when there
 * is none. */
static bool open_span(struct pk_log *log, struct pk_iter *iter, uint32_t *from, bool *damaged)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_log_span span = {0, 0};
    uint32_t table_id = 0;
    uint32_t shard = 0;
    bool found;

    pk_layout_shard(&key, log->table_id, *from);
    pk_iter_seek(iter, pk_buf_slice(&key));
    found = pk_iter_valid(iter);
    if (found) {
        if (!pk_layout_parse_change(pk_iter_key(iter), &table_id, &shard, &span.first))
            *damaged = true;
        pk_buf_clear(&key);
        pk_layout_change(&key, log->table_id, shard, UINT64_MAX);
        pk_iter_seek_for_prev(iter, pk_buf_slice(&key));
        if (!pk_iter_valid(iter) ||
            !pk_layout_parse_change(pk_iter_key(iter), &table_id, &shard, &span.last) ||
            span.last > SEQUENCE_MAX || shard >= SHARD_MAX)
            *damaged = true;
    }
    if (found && !*damaged) {
        pthread_mutex_lock(&log->lock);
        *span_of(log, shard) = span;
        pthread_mutex_unlock(&log->lock);
        pk_log_raise(log, span.last + 1);
        *from = shard + 1;
    }
    pk_buf_release(&key);
    return found && !*damaged;
}

enum pk_code pk_log_open(struct pk_log *log, struct pk_store *store, struct pk_error *err)
{
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint32_t shard = 0;
    bool damaged = false;
    enum pk_code rc = open_mark(log, store, err);

    pk_layout_id(&prefix, PK_SPACE_CHANGE, log->table_id);
    iter = pk_iter_new(pk_store_live(store), pk_range_prefix(pk_buf_slice(&prefix), &upper),
                       PK_ITER_BULK);
    while (rc == PK_OK && open_span(log, iter, &shard, &damaged))
        ;
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    if (rc == PK_OK && damaged)
        rc = pk_fail(err, PK_E_CORRUPT, "a change log has a malformed key");
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

/* Trimming -------------------------------------------------------------------------------------*/

static void set_first(struct pk_log *log, uint32_t shard, uint64_t first)
{
    pthread_mutex_lock(&log->lock);
    if (span_of(log, shard)->first < first)
        span_of(log, shard)->first = first;
    pthread_mutex_unlock(&log->lock);
}

enum pk_code pk_log_trim(struct pk_log *log, struct pk_store *store, const struct pk_log_cut *cut,
                         size_t *deleted, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_log_span span = pk_log_span(log, cut->shard);
    struct pk_iter *iter;
    uint64_t first = cut->keep;
    enum pk_code rc;

    *deleted = 0;
    if (span.last < span.first || cut->keep <= span.first)
        return PK_OK;
    iter = pk_change_iter(pk_store_live(store), log->table_id, cut->shard, span.first, cut->keep);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        pk_slice rest = pk_slice_skip(pk_iter_key(iter), 9); /* space, table, shard */

        if (*deleted == cut->max) {
            if (!pk_take_u64be(&rest, &first))
                first = span.first;
            break;
        }
        pk_batch_delete(&batch, pk_iter_key(iter));
        ++*deleted;
    }
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    if (rc == PK_OK && batch.count > 0) {
        pk_log_stage_mark(log, &batch);
        rc = pk_store_commit(store, &batch, PK_COMMIT_FAST, err);
    }
    if (rc == PK_OK)
        set_first(log, cut->shard, first);
    pk_batch_release(&batch);
    return rc;
}

/* Records --------------------------------------------------------------------------------------*/

void pk_change_stage(struct pk_batch *batch, uint32_t table_id, const struct pk_change *change)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf head = PK_BUF_INIT;

    pk_layout_change(&key, table_id, change->shard, change->sequence);
    pk_buf_add_byte(&head, RECORD_VERSION);
    pk_buf_add_byte(&head, (unsigned char)change->event);
    pk_buf_add_byte(&head, (unsigned char)change->cause);
    pk_buf_add_u64be(&head, (uint64_t)change->time_ms);
    pk_buf_add_varint(&head, change->before_size);
    pk_buf_add_varint(&head, change->after_size);
    pk_buf_add_varint(&head, change->before.len);
    pk_buf_add(&head, change->before);
    pk_buf_add_varint(&head, change->after.len);
    pk_batch_put_two(batch, pk_buf_slice(&key), pk_buf_slice(&head), change->after);
    pk_buf_release(&key);
    pk_buf_release(&head);
}

/* An image that is there is an item; the length said which of them are. */
static bool take_image(pk_slice *in, pk_view *image)
{
    uint64_t len = 0;

    *image = PK_VIEW_MISSING;
    if (!pk_take_varint(in, &len) || len > in->len)
        return false;
    if (len == 0)
        return true;
    return pk_take_bytes(in, (size_t)len, image) && pk_view_kind(*image) == PK_MAP;
}

static bool take_images(pk_slice value, struct pk_change *change)
{
    return pk_take_varint(&value, &change->before_size) &&
           pk_take_varint(&value, &change->after_size) && take_image(&value, &change->before) &&
           take_image(&value, &change->after) && value.len == 0;
}

/* INSERT has no old image, REMOVE no new one, MODIFY both. */
static bool fits_event(const struct pk_change *change)
{
    return (change->before.len == 0) == (change->event == PK_EVENT_INSERT) &&
           (change->after.len == 0) == (change->event == PK_EVENT_REMOVE);
}

struct pk_iter *pk_change_iter(const struct pk_snap *snap, uint32_t table_id, uint32_t shard,
                               uint64_t from, uint64_t below)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;

    pk_layout_change(&lower, table_id, shard, from);
    pk_layout_change(&upper, table_id, shard, below);
    iter = pk_iter_new(snap, (struct pk_range){pk_buf_slice(&lower), pk_buf_slice(&upper)},
                       PK_ITER_BULK);
    pk_buf_release(&lower);
    pk_buf_release(&upper);
    return iter;
}

bool pk_change_open(pk_slice key, pk_slice value, struct pk_change *change)
{
    unsigned char version = 0;
    unsigned char event = 0;
    unsigned char cause = 0;
    uint64_t time_ms = 0;
    uint32_t table_id = 0;

    if (!pk_layout_parse_change(key, &table_id, &change->shard, &change->sequence) ||
        !pk_take_byte(&value, &version) || version != RECORD_VERSION ||
        !pk_take_byte(&value, &event) || !pk_take_byte(&value, &cause) ||
        !pk_take_u64be(&value, &time_ms))
        return false;
    if (event < PK_EVENT_INSERT || event > PK_EVENT_REMOVE || cause < PK_CAUSE_USER ||
        cause > PK_CAUSE_TRANSACTION)
        return false;
    change->event = (enum pk_event)event;
    change->cause = (enum pk_cause)cause;
    change->time_ms = (int64_t)time_ms;
    return take_images(value, change) && fits_event(change);
}

enum pk_event pk_change_event(pk_view before, pk_view after)
{
    if (before.len == 0)
        return PK_EVENT_INSERT;
    return after.len == 0 ? PK_EVENT_REMOVE : PK_EVENT_MODIFY;
}
