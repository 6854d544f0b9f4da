/* The API's operations on an engine in memory, as tests call them: JSON in, JSON out. */
#ifndef TESTS_API_FIXTURE_H
#define TESTS_API_FIXTURE_H

#include "commands/backend.h"

/* 2100-01-01T12:00:00Z, where the clock stands. */
#define API_NOON_MS INT64_C(4102488000000)

struct api_fixture {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct cmd_response response; /* of the last call */
};

/* Opens an empty engine without a ticker. What fails fails the test. */
void api_open(struct api_fixture *fx);
void api_close(struct api_fixture *fx);
/* The answer, valid until the next call. */
const char *api_ask(struct api_fixture *fx, const char *operation, const char *request);
/* The same; another answer than 200 fails the test. */
const char *api_must(struct api_fixture *fx, const char *operation, const char *request);

#endif
