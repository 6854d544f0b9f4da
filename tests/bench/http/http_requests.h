/*
 * What the HTTP bench asks for: two tables, the requests that fill them, and the operations that
 * are measured, each with the LevelDB calls that it stands for.
 */
#ifndef TESTS_BENCH_HTTP_REQUESTS_H
#define TESTS_BENCH_HTTP_REQUESTS_H

#include "engine/base/buf.h"

enum { REQUESTS_BATCH = 25 };

/* Items of one size, so many of them with one partition key. */
struct bench_table {
    const char *name;
    char letter; /* of its keys in raw LevelDB */
    size_t item_bytes, collection;
};

extern const struct bench_table bench_small; /* 200 bytes, by the hundred */
extern const struct bench_table bench_large; /* 1 KB, so many that a Query fills its page */

/* LevelDB's calls under one request. */
struct raw_work {
    unsigned gets, puts;
    bool one_batch; /* the puts are one write */
    unsigned rows;  /* read with an iterator */
};

struct bench_operation {
    const char *label;
    const char *target; /* X-Amz-Target without its prefix */
    const struct bench_table *table;
    void (*add_body)(struct pk_buf *out, const struct bench_table *table);
    struct raw_work raw;
    double aim;          /* CPU over (echo + raw); 0: none */
    double dynalite_aim; /* requests/s over dynalite's; 0: not compared */
};

extern const struct bench_operation bench_operations[];
extern const size_t bench_operation_count;

/* Writes len letters, about half compressible, as real text is; a longer text begins as a shorter.
 */
void bench_payload(char *to, size_t len);
/* The whole request with the markers of http_load.h; the caller frees it. */
char *bench_request(const struct bench_operation *operation);
char *bench_request_create(const struct bench_table *table);
/* A BatchWriteItem of the next items. */
char *bench_request_load(const struct bench_table *table);

#endif
