/* The LevelDB calls under a request, in this process, on rows of the same number and size. */
#ifndef TESTS_BENCH_HTTP_RAW_H
#define TESTS_BENCH_HTTP_RAW_H

#include "tests/bench/http/http_requests.h"

struct raw;

/* A store with the options of ours in a directory of its own, removed by raw_close. */
struct raw *raw_open(void);
void raw_close(struct raw *raw);
void raw_load(struct raw *raw, const struct bench_table *table, size_t items);
/* Processor time of one request's calls (compaction included), over so many seconds of them. */
double raw_cpu_us(struct raw *raw, const struct bench_operation *operation, size_t items,
                  double seconds);

#endif
