/*
 * The engine against raw LevelDB, in one run: the same number of rows of the same bytes, written
 * and read through pk_engine_* and through leveldb_*. What counts is the ratio of CPU times
 * (compaction threads included); wall time is printed beside it, and on a shared machine means
 * little.
 *
 * BENCH_SECONDS scales the work (default 3; CI uses 1).
 */
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "commands/backend.h"
#include "engine/base/rng.h"
#include "engine/engine.h"

enum { COLLECTION = 100, ITEMS_PER_SECOND = 20000 };

struct span {
    double cpu_us;
    double wall_us;
};

struct bench {
    size_t items;
    size_t item_bytes;
    struct pk_engine *engine;
    leveldb_t *raw;
    leveldb_options_t *raw_options;
    leveldb_writeoptions_t *raw_write;
    leveldb_readoptions_t *raw_read;
    char raw_dir[64];
    char *payload;
};

static double now_us(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static struct span span_begin(void)
{
    return (struct span){now_us(CLOCK_PROCESS_CPUTIME_ID), now_us(CLOCK_MONOTONIC)};
}

static struct span span_end(struct span begin)
{
    return (struct span){now_us(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu_us,
                         now_us(CLOCK_MONOTONIC) - begin.wall_us};
}

static void report(const char *what, size_t rows, struct span ours, struct span raw)
{
    double n = (double)rows;

    printf("  %-26s %8.2f us cpu  %8.2f us wall   raw %7.2f us cpu  %7.2f us wall   ratio %.2f\n",
           what, ours.cpu_us / n, ours.wall_us / n, raw.cpu_us / n, raw.wall_us / n,
           ours.cpu_us / raw.cpu_us);
}

static long rss_anon_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = -1;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return kb;
}

static void die(const char *what, struct pk_error *err)
{
    fprintf(stderr, "bench: %s: %s\n", what, err->message == NULL ? "?" : err->message);
    exit(1);
}

/* Items are visited in an order that is neither sorted nor costly to compute. */
static size_t shuffled(const struct bench *bench, size_t i)
{
    return (i * 7919 + 13) % bench->items;
}

static pk_value key_of(struct pk_arena *arena, size_t n)
{
    struct pk_member *key = PK_NEW_ARRAY(arena, struct pk_member, 2);

    key[0].name = PK_LIT("PK");
    key[0].value = pk_value_string(pk_arena_printf(arena, "USER#%06zu", n / COLLECTION));
    key[1].name = PK_LIT("SK");
    key[1].value = pk_value_string(pk_arena_printf(arena, "ORDER#%06zu", n % COLLECTION));
    return pk_value_map(key, 2);
}

static pk_value item_of(const struct bench *bench, struct pk_arena *arena, size_t n)
{
    struct pk_member *item = PK_NEW_ARRAY(arena, struct pk_member, 4);
    pk_value key = key_of(arena, n);

    item[0] = key.u.members[0];
    item[1] = key.u.members[1];
    item[2].name = PK_LIT("total");
    item[2].value = pk_value_int(arena, (int64_t)n);
    item[3].name = PK_LIT("body");
    item[3].value = pk_value_string(pk_slice_of(bench->payload, bench->item_bytes - 45));
    return pk_value_map(item, 4);
}

/* The same bytes for LevelDB: a key as long as ours, a value as long as the stored item. */
static size_t raw_key(char key[64], size_t n)
{
    return (size_t)snprintf(key, 64, "t%04d%08zx_USER#%06zu__ORDER#%06zu", 1,
                            (n / COLLECTION) * 2654435761u % 0xffffffffu, n / COLLECTION,
                            n % COLLECTION);
}

static void raw_fail(char *error)
{
    if (error != NULL) {
        fprintf(stderr, "bench: leveldb: %s\n", error);
        exit(1);
    }
}

static void raw_open(struct bench *bench)
{
    char *error = NULL;

    snprintf(bench->raw_dir, sizeof bench->raw_dir, "/tmp/pksk-bench-XXXXXX");
    if (mkdtemp(bench->raw_dir) == NULL)
        exit(1);
    bench->raw_options = leveldb_options_create();
    leveldb_options_set_create_if_missing(bench->raw_options, 1);
    leveldb_options_set_filter_policy(bench->raw_options, leveldb_filterpolicy_create_bloom(10));
    leveldb_options_set_cache(bench->raw_options, leveldb_cache_create_lru(64u << 20));
    leveldb_options_set_write_buffer_size(bench->raw_options, 16u << 20);
    bench->raw_write = leveldb_writeoptions_create();
    bench->raw_read = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(bench->raw_read, 1);
    bench->raw = leveldb_open(bench->raw_options, bench->raw_dir, &error);
    raw_fail(error);
}

static void raw_close(struct bench *bench)
{
    char *error = NULL;

    leveldb_close(bench->raw);
    leveldb_destroy_db(bench->raw_options, bench->raw_dir, &error);
    leveldb_free(error);
    rmdir(bench->raw_dir);
    leveldb_readoptions_destroy(bench->raw_read);
    leveldb_writeoptions_destroy(bench->raw_write);
    leveldb_options_destroy(bench->raw_options);
}

static void engine_open(struct bench *bench)
{
    const struct pk_engine_options options = {.memory = true, .no_ticker = true};
    const struct pk_key_element keys[] = {{PK_LIT("PK"), false}, {PK_LIT("SK"), true}};
    const struct pk_key_attr attributes[] = {{PK_LIT("PK"), PK_STRING}, {PK_LIT("SK"), PK_STRING}};
    const struct pk_table_spec spec = {
        .name = PK_LIT("bench"),
        .keys = keys,
        .key_count = 2,
        .attributes = attributes,
        .attribute_count = 2,
        .billing = PK_ON_DEMAND,
        .max = {-1, -1},
    };
    struct pk_error err = PK_ERROR_INIT;
    struct pk_table *table = NULL;

    if (pk_engine_open(&options, &bench->engine, &err) != PK_OK)
        die("open", &err);
    if (pk_engine_create_table(bench->engine, &spec, &table, &err) != PK_OK)
        die("create table", &err);
    pk_table_unref(table);
}

static void bench_put(struct bench *bench)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct span ours = span_begin();
    struct span raw;

    for (size_t i = 0; i < bench->items; i++) {
        struct pk_call call = {.arena = &arena};
        struct pk_write write = {.kind = PK_WRITE_PUT, .table = PK_LIT("bench")};
        struct pk_write_result result;

        write.item = item_of(bench, &arena, shuffled(bench, i));
        if (pk_engine_write(bench->engine, &call, &write, &result, &err) != PK_OK)
            die("put", &err);
        pk_arena_clear(&arena);
    }
    ours = span_end(ours);

    raw = span_begin();
    for (size_t i = 0; i < bench->items; i++) {
        char key[64], *error = NULL;
        size_t len = raw_key(key, shuffled(bench, i));

        leveldb_put(bench->raw, bench->raw_write, key, len, bench->payload, bench->item_bytes,
                    &error);
        raw_fail(error);
    }
    report("put", bench->items, ours, span_end(raw));
    pk_arena_release(&arena);
}

static void bench_get(struct bench *bench)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct span ours = span_begin();
    struct span raw;

    for (size_t i = 0; i < bench->items; i++) {
        struct pk_call call = {.arena = &arena};
        struct pk_get get = {.table = PK_LIT("bench")};
        struct pk_get_result result;

        get.key = key_of(&arena, shuffled(bench, i));
        if (pk_engine_get(bench->engine, &call, &get, &result, &err) != PK_OK)
            die("get", &err);
        if (result.item.len == 0) {
            fprintf(stderr, "bench: get: item %zu is missing\n", i);
            exit(1);
        }
        pk_arena_clear(&arena);
    }
    ours = span_end(ours);

    raw = span_begin();
    for (size_t i = 0; i < bench->items; i++) {
        char key[64], *error = NULL;
        size_t len = raw_key(key, shuffled(bench, i)), value_len;
        char *value = leveldb_get(bench->raw, bench->raw_read, key, len, &value_len, &error);

        raw_fail(error);
        leveldb_free(value);
    }
    report("get", bench->items, ours, span_end(raw));
    pk_arena_release(&arena);
}

static enum pk_code count_item(void *context, pk_view item, struct pk_error *err)
{
    size_t *bytes = context;

    (void)err;
    *bytes += item.len;
    return PK_OK;
}

/* Rows rows from `from` on, one after the other, as the raw side of query and scan. */
static void raw_rows(struct bench *bench, size_t from, size_t rows, size_t *bytes)
{
    leveldb_iterator_t *it = leveldb_create_iterator(bench->raw, bench->raw_read);
    char key[64];
    size_t len = raw_key(key, from);

    if (rows == bench->items)
        leveldb_iter_seek_to_first(it);
    else
        leveldb_iter_seek(it, key, len);
    for (size_t i = 0; i < rows && leveldb_iter_valid(it); i++, leveldb_iter_next(it)) {
        size_t value_len;

        leveldb_iter_key(it, &len);
        leveldb_iter_value(it, &value_len);
        *bytes += value_len;
    }
    leveldb_iter_destroy(it);
}

static void bench_query(struct bench *bench)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    size_t collections = bench->items / COLLECTION, bytes = 0;
    struct span ours = span_begin();
    struct span raw;

    for (size_t i = 0; i < collections; i++) {
        struct pk_call call = {.arena = &arena};
        struct pk_key_term term = {.attribute = PK_LIT("PK"), .op = PK_OP_EQ};
        struct pk_key_terms terms = {&term, 1};
        struct pk_read read = {.table = PK_LIT("bench"), .key_terms = &terms};
        struct pk_read_result result;

        read.sink = (struct pk_sink){count_item, &bytes};
        term.values[0] = pk_view_of(
            &arena, pk_value_string(pk_arena_printf(&arena, "USER#%06zu", (i * 31) % collections)));
        if (pk_engine_query(bench->engine, &call, &read, &result, &err) != PK_OK)
            die("query", &err);
        if (result.count != COLLECTION) {
            fprintf(stderr, "bench: query: %zu items\n", (size_t)result.count);
            exit(1);
        }
        pk_arena_clear(&arena);
    }
    ours = span_end(ours);

    raw = span_begin();
    for (size_t i = 0; i < collections; i++)
        raw_rows(bench, (i * 31) % collections * COLLECTION, COLLECTION, &bytes);
    report("query 100 items, a row", collections * COLLECTION, ours, span_end(raw));
    pk_arena_release(&arena);
}

static void bench_scan(struct bench *bench)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_call call = {.arena = &arena};
    struct pk_read read = {.table = PK_LIT("bench")};
    struct pk_read_result result = {.count = 0};
    size_t bytes = 0, rows = 0, raw_bytes = 0;
    struct span ours = span_begin();
    struct span raw;

    read.sink = (struct pk_sink){count_item, &bytes};
    do {
        if (pk_engine_scan(bench->engine, &call, &read, &result, &err) != PK_OK)
            die("scan", &err);
        rows += result.count;
        read.start_key = result.last_key;
    } while (pk_value_kind(result.last_key) != PK_MISSING);
    ours = span_end(ours);
    raw = span_begin();
    raw_rows(bench, 0, bench->items, &raw_bytes);
    report("scan, a row", rows, ours, span_end(raw));
    pk_arena_release(&arena);
}

/* One Scan page of 1 MB through the API: request JSON in, response JSON out. */
static void bench_json_page(struct bench *bench)
{
    struct cmd_backend *backend = cmd_backend_local_new(bench->engine);
    const size_t pages = 50;
    size_t body = 0;
    struct span ours = span_begin();

    for (size_t i = 0; i < pages; i++) {
        struct cmd_response response = CMD_RESPONSE_INIT;

        backend->ops->call(backend, PK_LIT("Scan"), PK_LIT("{\"TableName\":\"bench\"}"), NULL,
                           &response);
        if (response.http != 200) {
            fprintf(stderr, "bench: scan: %.*s\n", PK_FMT(pk_buf_slice(&response.body)));
            exit(1);
        }
        body = response.body.len;
        cmd_response_release(&response);
    }
    ours = span_end(ours);
    printf("  %-26s %8.2f ms cpu  %8.2f ms wall   %zu bytes of JSON\n", "1 MB page as JSON",
           ours.cpu_us / 1e3 / (double)pages, ours.wall_us / 1e3 / (double)pages, body);
    cmd_backend_free(backend);
}

static void run(size_t item_bytes, double seconds)
{
    struct bench bench = {.item_bytes = item_bytes};
    struct pk_rng rng;

    bench.items = (size_t)(seconds * ITEMS_PER_SECOND) / COLLECTION * COLLECTION;
    bench.payload = pk_malloc(item_bytes);
    pk_rng_seed(&rng, 1);
    for (size_t i = 0; i < item_bytes; i++) /* about half compressible, as real text is */
        bench.payload[i] = (char)('a' + (i % 2 == 0 ? pk_rng_below(&rng, 26) : 0));
    printf("%zu items of %zu bytes, collections of %d\n", bench.items, item_bytes, COLLECTION);
    engine_open(&bench);
    raw_open(&bench);
    bench_put(&bench);
    bench_get(&bench);
    bench_query(&bench);
    bench_scan(&bench);
    if (item_bytes >= 1024)
        bench_json_page(&bench);
    printf("  %-26s %8.1f MB\n", "RssAnon", (double)rss_anon_kb() / 1024);
    raw_close(&bench);
    pk_engine_close(bench.engine);
    free(bench.payload);
}

int main(void)
{
    const char *text = getenv("BENCH_SECONDS");
    double seconds = text == NULL ? 3 : atof(text);

    if (seconds < 0.1)
        seconds = 0.1;
    run(200, seconds);
    run(1024, seconds);
    return 0;
}
