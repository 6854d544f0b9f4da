/*
 * Clients that read and write a few items of one table over HTTP and record what they were told, so
 * that the history of each item can be checked (linear.h). Kinds of operations: GetItem with a
 * strong read, PutItem and DeleteItem with and without the old item, UpdateItem and DeleteItem
 * under the condition that the item is as last seen, and ADD.
 */
#ifndef TESTS_HISTORY_H
#define TESTS_HISTORY_H

#include "engine/base/rng.h"
#include "tests/support/http_client.h"
#include "tests/support/linear.h"

enum { HISTORY_ITEMS = 4 };

#define HISTORY_TABLE "Histories" /* its key: id, a string */

struct history {
    struct linear_op *ops;
    size_t count, cap;
};

struct history_client {
    unsigned number, round; /* each round has items of its own */
    struct pk_rng rng;
    struct http_client http;
    struct pk_buf body, answer;
    uint64_t next;                /* value; each is written once */
    uint64_t seen[HISTORY_ITEMS]; /* by this client, last */
    struct history items[HISTORY_ITEMS];
};

enum history_outcome {
    HISTORY_ANSWERED,
    HISTORY_GONE, /* no connection, or it ended; what was sent is recorded */
    HISTORY_WRONG /* an answer that cannot be; it is shown on stderr */
};

/* CreateTable's body for HISTORY_TABLE. */
extern const char history_table[];

void history_client_init(struct history_client *client, unsigned number, uint64_t seed);
void history_client_release(struct history_client *client);
/* From now on at that URL. */
void history_client_connect(struct history_client *client, const char *url);
enum history_outcome history_step(struct history_client *client);
/* Are the histories of all items linearizable that these clients have recorded? One that is not is
 * shown on stderr. */
bool history_verify(const struct history_client *clients, size_t count);
/* Recorded operations that got no answer. */
size_t history_unanswered(const struct history_client *client);
/* Begins a round with new items, and forgets what was recorded. */
void history_next_round(struct history_client *client);

#endif
