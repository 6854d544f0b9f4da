/* A record that cannot be read counts as expired: it protects nobody, and the sweep removes it. */
#include "engine/ops/token.h"

#include <string.h>

void pk_tokens_init(struct pk_tokens *tokens)
{
    *tokens = (struct pk_tokens){.running = PK_MAP_INIT};
    pthread_mutex_init(&tokens->lock, NULL);
    atomic_init(&tokens->next_due_ms, 0);
}

/* Under a latch, so without the lock. */
static void lower_due(struct pk_tokens *tokens, int64_t due_ms)
{
    int_least64_t known = atomic_load(&tokens->next_due_ms);

    while (due_ms < known && !atomic_compare_exchange_weak(&tokens->next_due_ms, &known, due_ms))
        ;
}

void pk_tokens_release(struct pk_tokens *tokens)
{
    pk_map_release(&tokens->running);
    pthread_mutex_destroy(&tokens->lock);
}

static bool take_record(pk_slice record, int64_t *time_ms, pk_slice *hash)
{
    uint64_t time = 0;

    if (record.len != 8 + PK_TOKEN_HASH || !pk_take_u64be(&record, &time))
        return false;
    *time_ms = (int64_t)time;
    *hash = record;
    return true;
}

static bool is_expired(int64_t time_ms, int64_t now_ms)
{
    return now_ms - time_ms >= PK_TOKEN_LIFE_MS;
}

/* Looks for a completed transaction under that token. */
static enum pk_code find_completed(struct pk_store *store, const struct pk_token *token,
                                   bool *repeated, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf record = PK_BUF_INIT;
    bool found = false;
    int64_t time_ms = 0;
    pk_slice known;
    enum pk_code rc;

    pk_layout_meta(&key, PK_META_IDEMPOTENCY, token->text);
    rc = pk_store_get(store, pk_buf_slice(&key), &record, &found, err);
    if (rc == PK_OK && found && take_record(pk_buf_slice(&record), &time_ms, &known) &&
        !is_expired(time_ms, token->now_ms)) {
        if (memcmp(known.data, token->hash, PK_TOKEN_HASH) == 0)
            *repeated = true;
        else
            rc = pk_fail(err, PK_E_IDEMPOTENT_MISMATCH, "%s", "");
    }
    pk_buf_release(&key);
    pk_buf_release(&record);
    return rc;
}

enum pk_code pk_tokens_begin(struct pk_tokens *tokens, struct pk_store *store,
                             const struct pk_token *token, bool *repeated, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    *repeated = false;
    pthread_mutex_lock(&tokens->lock);
    if (pk_map_get(&tokens->running, token->text) != NULL)
        rc = pk_fail(err, PK_E_TXN_IN_PROGRESS, "Transaction is in progress");
    else
        pk_map_put(&tokens->running, token->text, tokens);
    pthread_mutex_unlock(&tokens->lock);
    if (rc != PK_OK)
        return rc;

    rc = find_completed(store, token, repeated, err);
    if (rc != PK_OK || *repeated)
        pk_tokens_end(tokens, token->text);
    return rc;
}

void pk_tokens_stage(struct pk_tokens *tokens, struct pk_batch *batch, const struct pk_token *token)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf record = PK_BUF_INIT;

    pk_layout_meta(&key, PK_META_IDEMPOTENCY, token->text);
    pk_buf_add_u64be(&record, (uint64_t)token->now_ms);
    pk_buf_add(&record, pk_slice_of((const char *)token->hash, PK_TOKEN_HASH));
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&record));
    pk_buf_release(&key);
    pk_buf_release(&record);
    lower_due(tokens, token->now_ms + PK_TOKEN_LIFE_MS);
}

void pk_tokens_end(struct pk_tokens *tokens, pk_slice token)
{
    pthread_mutex_lock(&tokens->lock);
    pk_map_remove(&tokens->running, token);
    pthread_mutex_unlock(&tokens->lock);
}

/* Puts the deletion of all expired records into the batch, but for those of tokens in use again;
 * *next_due_ms: when the next expires. */
static void stage_expired(const struct pk_tokens *tokens, struct pk_iter *iter, int64_t now_ms,
                          struct pk_batch *batch, int64_t *next_due_ms)
{
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        int64_t time_ms = 0;
        pk_slice hash;
        pk_slice token;

        if (take_record(pk_iter_value(iter), &time_ms, &hash) && !is_expired(time_ms, now_ms)) {
            if (time_ms + PK_TOKEN_LIFE_MS < *next_due_ms)
                *next_due_ms = time_ms + PK_TOKEN_LIFE_MS;
        } else if (!pk_layout_parse_meta(pk_iter_key(iter), PK_META_IDEMPOTENCY, &token) ||
                   pk_map_get(&tokens->running, token) == NULL) {
            pk_batch_delete(batch, pk_iter_key(iter));
        }
    }
}

/* The caller holds the lock, so that no token comes into use between looking and deleting. */
static enum pk_code sweep(struct pk_tokens *tokens, struct pk_store *store, int64_t now_ms,
                          int64_t *next_due_ms, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc;

    pk_layout_meta(&prefix, PK_META_IDEMPOTENCY, (pk_slice){NULL, 0});
    iter = pk_iter_new(pk_store_live(store), pk_range_prefix(pk_buf_slice(&prefix), &upper),
                       PK_ITER_BULK);
    stage_expired(tokens, iter, now_ms, &batch, next_due_ms);
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    if (rc == PK_OK && batch.count > 0)
        rc = pk_store_commit(store, &batch, PK_COMMIT_FAST, err);
    pk_batch_release(&batch);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

enum pk_code pk_tokens_sweep(struct pk_tokens *tokens, struct pk_store *store, int64_t now_ms,
                             struct pk_error *err)
{
    int64_t next_due_ms = INT64_MAX;
    enum pk_code rc;

    if (atomic_load(&tokens->next_due_ms) > now_ms)
        return PK_OK;
    /* A token staged from here on lowers the time again, so none is forgotten. */
    atomic_store(&tokens->next_due_ms, INT64_MAX);
    pthread_mutex_lock(&tokens->lock);
    rc = sweep(tokens, store, now_ms, &next_due_ms, err);
    pthread_mutex_unlock(&tokens->lock);
    lower_due(tokens, rc == PK_OK ? next_due_ms : now_ms + PK_TOKEN_LIFE_MS);
    return rc;
}
