/*
 * The endpoint under load, in one run beside three others: a server on the same library that only
 * echoes, the LevelDB calls that a request stands for, and dynalite. What counts is the processor
 * time of the server a request, over that of the echo and the calls together; requests/s stand
 * beside it, and on a small or shared machine mean little. Figures are medians of five rounds, in
 * which the sides take turns.
 *
 *   bench_http PKSK            everything
 *   bench_http echo BYTES      the echo server, which this program starts itself
 *
 * BENCH_SECONDS  for each operation and side (default 1)
 * BENCH_ITEMS    of the large store (default 1000000; 0 leaves that part out)
 * BENCH_ONLY     only the operations whose label begins so, and no other part
 * DYNALITE       dynalite's cli.js (default tests/clients/node_modules/dynalite/cli.js)
 *
 * Nothing here fails because it is slow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/bench/http/http_echo.h"
#include "tests/bench/http/http_load.h"
#include "tests/bench/http/http_process.h"
#include "tests/bench/http/http_raw.h"
#include "tests/support/temp_dir.h"

enum {
    ROUNDS = 5,
    CONNECTIONS = LOAD_CONNECTIONS_MAX,
    SMALL_ITEMS = 100000, /* more than stays in memory: most rows are in tables */
    FEW_ITEMS = 10000,
    LARGE_ITEMS = 44000,
    DYNALITE_TABLE_MS = 1000
};

struct bench {
    const char *self, *pksk;
    double seconds;   /* of a round */
    size_t many;      /* items of the large store */
    const char *only; /* NULL: all */
    struct process server;
    struct raw *raw;
};

/* Of one side: medians. */
struct figures {
    double rate, cpu_us, p50_us;
    size_t answer_bytes, refused;
};

/* ---- sides ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(const double of[ROUNDS])
{
    double sorted[ROUNDS];

    memcpy(sorted, of, sizeof(sorted));
    qsort(sorted, ROUNDS, sizeof(sorted[0]), compare);
    return sorted[ROUNDS / 2];
}

static size_t items_of(const struct bench_table *table)
{
    return table == &bench_small ? SMALL_ITEMS : LARGE_ITEMS;
}

static void start_pksk(const struct bench *bench, struct process *process, const char *durable_dir)
{
    const char *argv[] = {bench->pksk, "serve", "--port", "0", NULL, NULL, NULL};

    argv[4] = durable_dir == NULL ? "--memory" : "--durable";
    argv[5] = durable_dir;
    process_start(process, argv, 0);
}

static void load_table(uint16_t port, const struct bench_table *table, size_t items)
{
    char *create = bench_request_create(table), *batch = bench_request_load(table);
    struct load load = {.who = "creating a table",
                        .port = port,
                        .request = create,
                        .connections = 1,
                        .items = items,
                        .collection = table->collection,
                        .requests = 1};

    load_run(&load);
    usleep(DYNALITE_TABLE_MS * 1000);
    load.who = "loading";
    load.request = batch;
    load.connections = CONNECTIONS;
    load.requests = items / REQUESTS_BATCH;
    load_run(&load);
    free(create);
    free(batch);
}

struct round {
    double rate[ROUNDS], cpu_us[ROUNDS], p50_us[ROUNDS];
    size_t answer_bytes, refused;
};

static void measure(const struct process *process, const struct load *load, size_t round,
                    struct round *out)
{
    double cpu_us = process_cpu_us(process);
    struct load_result result = load_run(load);

    out->cpu_us[round] = (process_cpu_us(process) - cpu_us) / (double)result.requests;
    out->rate[round] = (double)result.requests / result.wall_us * 1e6;
    out->p50_us[round] = result.p50_us;
    out->answer_bytes = result.answer_bytes;
    out->refused += result.refused;
}

static struct figures figures_of(const struct round *round)
{
    return (struct figures){.rate = median(round->rate),
                            .cpu_us = median(round->cpu_us),
                            .p50_us = median(round->p50_us),
                            .answer_bytes = round->answer_bytes,
                            .refused = round->refused};
}

static struct load load_of(const struct bench *bench, const struct process *process,
                           const struct bench_operation *operation, const char *request)
{
    return (struct load){.who = operation->label,
                         .port = process->port,
                         .request = request,
                         .connections = 1,
                         .items = items_of(operation->table),
                         .collection = operation->table->collection,
                         .seconds = bench->seconds};
}

/* ---- beside an echo and LevelDB -------------------------------------------------------------- */

static void start_echo(const struct bench *bench, struct process *process, size_t answer_bytes)
{
    char size[32];
    const char *argv[] = {bench->self, "echo", size, NULL};

    snprintf(size, sizeof(size), "%zu", answer_bytes);
    process_start(process, argv, 0);
}

static void print_operation(const struct bench_operation *operation, unsigned connections,
                            const struct figures *ours, const struct figures *echo, double raw_us)
{
    printf("  %-21s %2u  %8.0f/s %9.1f us cpu %9.1f us p50   echo %8.0f/s %8.1f us   raw %7.1f us"
           "   ratio %5.2f",
           operation->label, connections, ours->rate, ours->cpu_us, ours->p50_us, echo->rate,
           echo->cpu_us, raw_us, ours->cpu_us / (echo->cpu_us + raw_us));
    if (operation->aim > 0)
        printf("  (aim %.1f)", operation->aim);
    if (ours->refused > 0)
        printf("  %zu refused", ours->refused);
    printf("\n");
    fflush(stdout);
}

static void bench_operation(struct bench *bench, const struct bench_operation *operation)
{
    char *request = bench_request(operation);
    struct load load = load_of(bench, &bench->server, operation, request), echoed = load;
    struct process echo;

    load.seconds = bench->seconds / 2; /* warm */
    start_echo(bench, &echo, load_run(&load).answer_bytes);
    load.seconds = bench->seconds;
    echoed.port = echo.port;
    for (unsigned connections = 1; connections <= CONNECTIONS; connections *= CONNECTIONS) {
        struct round ours = {.refused = 0}, theirs = {.refused = 0};
        struct figures of_ours, of_echo;
        double raw_us[ROUNDS];

        load.connections = echoed.connections = connections;
        for (size_t i = 0; i < ROUNDS; i++) {
            measure(&bench->server, &load, i, &ours);
            measure(&echo, &echoed, i, &theirs);
            raw_us[i] = raw_cpu_us(bench->raw, operation, load.items, bench->seconds / 2);
        }
        of_ours = figures_of(&ours);
        of_echo = figures_of(&theirs);
        print_operation(operation, connections, &of_ours, &of_echo, median(raw_us));
    }
    process_stop(&echo);
    free(request);
}

static void bench_operations_all(struct bench *bench)
{
    printf("\nserver's processor time a request, beside an echo server and LevelDB's calls;\n"
           "1 and %d connections, %d items of 200 bytes, %d of 1 KB\n",
           CONNECTIONS, SMALL_ITEMS, LARGE_ITEMS);
    bench->raw = raw_open();
    raw_load(bench->raw, &bench_small, SMALL_ITEMS);
    raw_load(bench->raw, &bench_large, LARGE_ITEMS);
    for (size_t i = 0; i < bench_operation_count; i++)
        if (bench->only == NULL ||
            strncmp(bench_operations[i].label, bench->only, strlen(bench->only)) == 0)
            bench_operation(bench, &bench_operations[i]);
    raw_close(bench->raw);
}

/* ---- start and memory ------------------------------------------------------------------------ */

static void bench_start(struct bench *bench)
{
    double ms[ROUNDS], mb[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        start_pksk(bench, &bench->server, NULL);
        ms[i] = bench->server.first_answer_ms;
        mb[i] = process_status_mb(&bench->server, "RssAnon");
        if (i + 1 < ROUNDS)
            process_stop(&bench->server);
    }
    printf("start to first answer %.1f ms (aim < 50), RssAnon idle %.1f MB (aim < 8)\n", median(ms),
           median(mb));
}

/* ---- many items ------------------------------------------------------------------------------ */

static const struct bench_operation *operation_named(const char *label)
{
    for (size_t i = 0; i < bench_operation_count; i++)
        if (strcmp(bench_operations[i].label, label) == 0)
            return &bench_operations[i];
    pk_bug("no operation '%s'", label);
}

static void compare_latency(const struct bench *bench, const struct process *small,
                            const struct process *large, const char *label)
{
    const struct bench_operation *operation = operation_named(label);
    char *request = bench_request(operation);
    struct load few = load_of(bench, small, operation, request);
    struct load many = load_of(bench, large, operation, request);
    struct round of_few = {.refused = 0}, of_many = {.refused = 0};
    double few_us, many_us;

    few.items = FEW_ITEMS;
    many.items = bench->many;
    for (size_t i = 0; i < ROUNDS; i++) {
        measure(small, &few, i, &of_few);
        measure(large, &many, i, &of_many);
    }
    few_us = median(of_few.p50_us);
    many_us = median(of_many.p50_us);
    printf("  %-21s p50 %.1f us of %d items, %.1f us of %zu: %.2f times (aim 2); "
           "cpu %.1f and %.1f us\n",
           label, few_us, FEW_ITEMS, many_us, bench->many, many_us / few_us, median(of_few.cpu_us),
           median(of_many.cpu_us));
    free(request);
}

static void bench_many(const struct bench *bench)
{
    const struct bench_operation *get = operation_named("GetItem");
    char *request = bench_request(get);
    struct process small, large;
    struct load load;
    double start;

    if (bench->many == 0)
        return;
    start_pksk(bench, &large, NULL);
    start = load_now_us();
    load_table(large.port, &bench_small, bench->many);
    printf("\n%zu items of 200 bytes, loaded in %.1f s; RssAnon %.1f MB", bench->many,
           (load_now_us() - start) / 1e6, process_status_mb(&large, "RssAnon"));
    load = load_of(bench, &large, get, request);
    load.items = bench->many;
    load.connections = CONNECTIONS;
    load.seconds = bench->seconds * 15;
    load_run(&load);
    printf(", after random reads %.1f MB (aim < 120)\n", process_status_mb(&large, "RssAnon"));
    start_pksk(bench, &small, NULL);
    load_table(small.port, &bench_small, FEW_ITEMS);
    compare_latency(bench, &small, &large, "GetItem");
    compare_latency(bench, &small, &large, "Query 100 items");
    process_stop(&small);
    process_stop(&large);
    free(request);
}

/* ---- durable writes -------------------------------------------------------------------------- */

static void bench_durable(const struct bench *bench)
{
    const struct bench_operation *put = operation_named("PutItem 200 B");
    char *request = bench_request(put);
    struct round one = {.refused = 0}, all = {.refused = 0};
    struct process process;
    struct temp_dir dir;
    struct load load;

    temp_dir_make(&dir);
    start_pksk(bench, &process, dir.path);
    load_table(process.port, &bench_small, FEW_ITEMS);
    load = load_of(bench, &process, put, request);
    load.items = FEW_ITEMS;
    for (size_t i = 0; i < ROUNDS; i++) {
        load.connections = 1;
        measure(&process, &load, i, &one);
        load.connections = CONNECTIONS;
        measure(&process, &load, i, &all);
    }
    printf("\n--durable, PutItem 200 B: 1 writer %.0f/s, %d writers %.0f/s: %.2f times (aim 4)\n",
           median(one.rate), CONNECTIONS, median(all.rate), median(all.rate) / median(one.rate));
    process_stop(&process);
    temp_dir_remove(&dir);
    free(request);
}

/* ---- beside dynalite ------------------------------------------------------------------------- */

static const char *dynalite_path(void)
{
    const char *path = getenv("DYNALITE");

    if (path == NULL || path[0] == '\0')
        path = "tests/clients/node_modules/dynalite/cli.js";
    return access(path, R_OK) == 0 ? path : NULL;
}

static void compare_dynalite(const struct bench *bench, const struct process *pksk,
                             const struct process *dynalite,
                             const struct bench_operation *operation)
{
    char *request = bench_request(operation);
    struct load load = load_of(bench, pksk, operation, request);
    struct load theirs = load_of(bench, dynalite, operation, request);
    struct round of_ours = {.refused = 0}, of_theirs = {.refused = 0};
    double ours, other;

    load.connections = theirs.connections = CONNECTIONS;
    load.items = theirs.items = FEW_ITEMS;
    for (size_t i = 0; i < ROUNDS; i++) {
        measure(pksk, &load, i, &of_ours);
        measure(dynalite, &theirs, i, &of_theirs);
    }
    ours = median(of_ours.rate);
    other = median(of_theirs.rate);
    printf("  %-21s %8.0f/s, dynalite %7.0f/s: %5.1f times (aim %.0f)\n", operation->label, ours,
           other, ours / other, operation->dynalite_aim);
    fflush(stdout);
    free(request);
}

static void bench_dynalite(const struct bench *bench)
{
    const char *path = dynalite_path();
    struct process pksk, dynalite;
    struct temp_dir dir;
    char port[16];
    uint16_t number = process_free_port();
    const char *argv[] = {"node", path, "--port", port, "--path", NULL, "--createTableMs",
                          "0",    NULL};

    if (path == NULL) {
        printf("\ndynalite is absent (DYNALITE=…/dynalite/cli.js)\n");
        return;
    }
    temp_dir_make(&dir);
    argv[5] = dir.path;
    snprintf(port, sizeof(port), "%u", number);
    process_start(&dynalite, argv, number);
    load_table(dynalite.port, &bench_small, FEW_ITEMS);
    start_pksk(bench, &pksk, NULL);
    load_table(pksk.port, &bench_small, FEW_ITEMS);
    printf("\nbeside dynalite, %d connections\n", CONNECTIONS);
    for (size_t i = 0; i < bench_operation_count; i++)
        if (bench_operations[i].dynalite_aim > 0)
            compare_dynalite(bench, &pksk, &dynalite, &bench_operations[i]);
    process_stop(&pksk);
    process_stop(&dynalite);
    temp_dir_remove(&dir);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);

    return text == NULL || text[0] == '\0' ? otherwise : strtod(text, NULL);
}

int main(int argc, char **argv)
{
    struct bench bench = {.self = argv[0]};

    if (argc == 3 && strcmp(argv[1], "echo") == 0)
        return echo_main(strtoul(argv[2], NULL, 10));
    if (argc != 2) {
        fprintf(stderr, "usage: bench_http PKSK\n");
        return 2;
    }
    bench.pksk = argv[1];
    bench.only = getenv("BENCH_ONLY");
    bench.seconds = number_of("BENCH_SECONDS", 1) / ROUNDS;
    bench.many = (size_t)number_of("BENCH_ITEMS", 1000000);
    bench_start(&bench);
    load_table(bench.server.port, &bench_small, SMALL_ITEMS);
    load_table(bench.server.port, &bench_large, LARGE_ITEMS);
    bench_operations_all(&bench);
    process_stop(&bench.server);
    if (bench.only != NULL)
        return 0;
    bench_many(&bench);
    bench_durable(&bench);
    bench_dynalite(&bench);
    return 0;
}
