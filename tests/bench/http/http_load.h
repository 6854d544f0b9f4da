/*
 * The client of the HTTP bench: one thread, some keep-alive connections, a prepared request whose
 * keys are written anew each time. One thread costs the server the least of a small machine.
 *
 * Markers in a request's text are runs of one length, replaced by numbers of that length:
 *
 *   @@@@@@@  takes the next item and writes the number of its collection
 *   ^^^^     writes the number of the item just taken within its collection
 *   ~~~~     a random number: what is written is never what was there, which would write nothing
 *
 * The first item of a request is random (or the next one, when loading), the others follow it.
 */
#ifndef TESTS_BENCH_HTTP_LOAD_H
#define TESTS_BENCH_HTTP_LOAD_H

#include <stdint.h>

#include "engine/base/buf.h"

enum { LOAD_CONNECTIONS_MAX = 16 };

struct load {
    const char *who; /* for messages */
    uint16_t port;
    const char *request; /* the whole of it, head and body, with markers */
    unsigned connections;
    size_t items; /* numbers are below this */
    size_t collection;
    double seconds; /* how long; 0: `requests` of them, one item after the other */
    size_t requests;
};

struct load_result {
    size_t requests;
    size_t refused;      /* answers other than 200 */
    size_t answer_bytes; /* the body of the last one */
    double wall_us;
    double p50_us; /* from the first byte sent to the last one read */
};

/* Ends the process when the server cannot be reached or refuses more than one in a hundred. */
struct load_result load_run(const struct load *load);
/* One GET, for "does it answer": false when nobody listens. */
bool load_ping(uint16_t port);
double load_now_us(void);

#endif
