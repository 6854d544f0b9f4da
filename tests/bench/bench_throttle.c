/*
 * What accounting costs: GetItem and PutItem through the API's JSON, with `throttle` off, observe
 * and enforce, in turns of one run. Limits are so high that all is admitted; a last row shows
 * observe where nearly all would be refused. What counts is the ratio of CPU times to off: of the
 * thread that asks, because compaction comes when it likes.
 *
 * BENCH_SECONDS scales the work (default 3; CI uses 1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "commands/backend.h"

enum { ROUNDS = 12, KEYS = 5000 };

struct bench {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    size_t requests; /* a round */
};

static double cpu_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void set(struct bench *bench, enum pk_throttling throttling, uint64_t limit)
{
    struct pk_sim_settings settings;
    struct pk_error err = PK_ERROR_INIT;

    pk_engine_settings(bench->engine, &settings);
    settings.throttle = throttling;
    settings.partition_read = settings.partition_write = limit;
    settings.quota_read = settings.quota_write = limit;
    if (pk_engine_set_settings(bench->engine, &settings, &err) != PK_OK) {
        fprintf(stderr, "bench_throttle: %s\n", err.message);
        exit(1);
    }
    /* what a raised limit gives comes with time */
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void call(struct bench *bench, const char *operation, const char *request)
{
    struct cmd_response response = CMD_RESPONSE_INIT;

    bench->backend->ops->call(bench->backend, pk_slice_cstr(operation), pk_slice_cstr(request),
                              NULL, &response);
    if (response.code != PK_OK) {
        fprintf(stderr, "bench_throttle: %.*s\n", (int)response.body.len, response.body.data);
        exit(1);
    }
    cmd_response_release(&response);
}

/* CPU microseconds a request. */
static double run_round(struct bench *bench, bool write)
{
    double begin = cpu_us();
    char request[256];

    for (size_t i = 0; i < bench->requests; i++) {
        size_t key = i * 7919 % KEYS;

        if (write)
            snprintf(request, sizeof(request),
                     "{\"TableName\":\"bench\",\"Item\":{\"PK\":{\"S\":\"USER#%zu\"},\"v\":"
                     "{\"N\":\"%zu\"},\"t\":{\"S\":\"some text that an item has\"}}}",
                     key, i);
        else
            snprintf(request, sizeof(request),
                     "{\"TableName\":\"bench\",\"Key\":{\"PK\":{\"S\":\"USER#%zu\"}}}", key);
        call(bench, write ? "PutItem" : "GetItem", request);
    }
    return (cpu_us() - begin) / (double)bench->requests;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), by_size);
    return (values[ROUNDS / 2 - 1] + values[ROUNDS / 2]) / 2;
}

static void compare(struct bench *bench, bool write)
{
    enum { MODES = 4 };
    static const char *const names[MODES] = {"off", "observe", "enforce", "observe, at the limit"};
    static const enum pk_throttling modes[MODES] = {PK_THROTTLING_OFF, PK_THROTTLING_OBSERVE,
                                                    PK_THROTTLING_ENFORCE, PK_THROTTLING_OBSERVE};
    double times[MODES][ROUNDS], off;

    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t mode = 0; mode < MODES; mode++) {
            set(bench, modes[mode], mode == MODES - 1 ? 10 : 1000000000);
            times[mode][round] = run_round(bench, write);
        }
    }
    off = median(times[0]);
    for (size_t mode = 0; mode < MODES; mode++) {
        double time = median(times[mode]);

        printf("%-8s %-22s %6.2f us a request   %.3f of off\n", write ? "PutItem" : "GetItem",
               names[mode], time, time / off);
    }
}

int main(void)
{
    const char *seconds = getenv("BENCH_SECONDS");
    const struct pk_engine_options options = {.memory = true};
    struct pk_error err = PK_ERROR_INIT;
    struct bench bench = {.requests = 4000};

    if (seconds != NULL)
        bench.requests = (size_t)(1300.0 * strtod(seconds, NULL)) + 200;
    if (pk_engine_open(&options, &bench.engine, &err) != PK_OK) {
        fprintf(stderr, "bench_throttle: %s\n", err.message);
        return 1;
    }
    bench.backend = cmd_backend_local_new(bench.engine);
    call(&bench, "CreateTable",
         "{\"TableName\":\"bench\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
         "[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"}],\"KeySchema\":"
         "[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"}]}");
    (void)run_round(&bench, true);
    compare(&bench, false);
    compare(&bench, true);
    cmd_backend_free(bench.backend);
    pk_engine_close(bench.engine);
    return 0;
}
