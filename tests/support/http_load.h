/*
 * Clients that write over HTTP, and what the store must hold after any interruption.
 *
 * Each of LOAD_CLIENTS threads has keys of its own, so that it always knows what they hold: the
 * last value that was acknowledged, and at the end of the connection perhaps the write that was
 * under way. Clients meet in item collections (table "Crash", with an LSI, a GSI and a stream), in
 * index keys, and in the log. Kinds of writes: PutItem, UpdateItem and DeleteItem with and without
 * a condition, some of them to be refused, BatchWriteItem over both tables, TransactWriteItems of
 * two items in two tables, some to be cancelled; between them reads of what was written.
 */
#ifndef TESTS_HTTP_LOAD_H
#define TESTS_HTTP_LOAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/rng.h"
#include "tests/support/http_client.h"

enum { LOAD_CLIENTS = 16, LOAD_KEYS = 60, LOAD_TOUCH_MAX = 6, LOAD_TEXT_MAX = 300 };

#define LOAD_TABLE       "Crash"
#define LOAD_OTHER_TABLE "Other"

/* The attributes grp and txt of the item whose val is that. */
struct load_item {
    char group[8];
    char text[LOAD_TEXT_MAX + 1];
};
struct load_item load_item_of(uint64_t value);
const char *load_table_of(unsigned key);

enum load_kind {
    LOAD_PUT,
    LOAD_UPDATE,
    LOAD_DELETE,
    LOAD_BATCH,
    LOAD_TRANSACT,
    LOAD_REFUSED,  /* an update whose condition fails */
    LOAD_CANCELLED /* a transaction of which one condition fails */
};

/* One write: what each of its keys holds afterwards, 0: no item. */
struct load_op {
    enum load_kind kind;
    bool conditional;
    size_t count;
    unsigned keys[LOAD_TOUCH_MAX];
    uint64_t values[LOAD_TOUCH_MAX];
};

struct load_client {
    struct load *load;
    unsigned number;
    pthread_t thread;
    struct pk_rng rng;
    struct http_client http;
    struct pk_buf body, answer;
    uint64_t state[LOAD_KEYS];
    uint64_t next; /* value; each is written once */
    uint64_t answered;
    bool in_flight;
    struct load_op flight; /* got no answer */
};

struct load {
    struct load_client clients[LOAD_CLIENTS];
    uint64_t seed;
    uint64_t answered;   /* requests since load_init */
    uint64_t unanswered; /* writes of the last load_start that got none */
    atomic_bool failed;  /* an answer was wrong; what was is on stderr */
};

void load_init(struct load *load, uint64_t seed);
void load_release(struct load *load);
/* Makes the tables. Like load_verify, says on stderr what failed. */
bool load_create_tables(const char *url);
/* Starts the clients; they end when the server does not answer any more. */
void load_start(struct load *load, const char *url);
/* Waits for their end. False: an answer was wrong. */
bool load_join(struct load *load);
/* Is everything acknowledged there, every write without answer wholly or not at all (a batch: each
 * of its items), nothing else, and does the store's own check find no fault? Takes over what the
 * writes without answer have become. */
bool load_verify(struct load *load, const char *url);
/* Replays the stream of "Crash" from its beginning; is the result what the table holds? To be
 * called after load_verify. */
bool load_verify_stream(const struct load *load, const char *url, uint64_t *records);

#endif
