/*
 * ClientRequestTokens of transactions (operations.md §7): for ten minutes after one has completed,
 * the same token with the same content is answered without doing it again.
 *
 * A token's record is part of the transaction's own commit, so it is there exactly when the writes
 * are. While a transaction runs its token is held in memory.
 *
 * Stored under PK_META_IDEMPOTENCY (do not change): time of completion in ms(8), SHA-256 of the
 * content(32).
 */
#ifndef PK_OPS_TOKEN_H
#define PK_OPS_TOKEN_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/map.h"
#include "engine/store/layout.h"

enum { PK_TOKEN_LIFE_MS = 10 * 60 * 1000, PK_TOKEN_HASH = 32 };

struct pk_tokens {
    pthread_mutex_t lock;             /* guards running */
    struct pk_map running;            /* tokens of transactions under way */
    atomic_int_least64_t next_due_ms; /* no stored token expires before; 0: not known yet */
};

void pk_tokens_init(struct pk_tokens *tokens);
void pk_tokens_release(struct pk_tokens *tokens);

/* What a transaction comes with. */
struct pk_token {
    pk_slice text;
    const unsigned char *hash; /* PK_TOKEN_HASH bytes */
    int64_t now_ms;
};

/* Claims the token for a transaction. *repeated: one of this content has completed, nothing was
 * claimed. PK_E_TXN_IN_PROGRESS, PK_E_IDEMPOTENT_MISMATCH. */
PK_MUST_CHECK enum pk_code pk_tokens_begin(struct pk_tokens *tokens, struct pk_store *store,
                                           const struct pk_token *token, bool *repeated,
                                           struct pk_error *err);
/* Puts the token's record into the transaction's batch. */
void pk_tokens_stage(struct pk_tokens *tokens, struct pk_batch *batch,
                     const struct pk_token *token);
/* Gives the claim up, after the commit or without one. */
void pk_tokens_end(struct pk_tokens *tokens, pk_slice token);

/* Deletes what has expired. Cheap when nothing has. */
PK_MUST_CHECK enum pk_code pk_tokens_sweep(struct pk_tokens *tokens, struct pk_store *store,
                                           int64_t now_ms, struct pk_error *err);

#endif
