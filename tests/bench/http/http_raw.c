#include "tests/bench/http/http_raw.h"

#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/rng.h"
#include "tests/bench/http/http_load.h"

enum { KEY_MAX = 64, VALUE_MAX = 1024 };

struct raw {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *bloom;
    leveldb_cache_t *cache;
    leveldb_writeoptions_t *write;
    leveldb_readoptions_t *read;
    struct pk_rng rng;
    char dir[64];
    char value[VALUE_MAX];
};

static void check(const char *error)
{
    if (error != NULL) {
        fprintf(stderr, "bench-http: leveldb: %s\n", error);
        exit(1);
    }
}

struct raw *raw_open(void)
{
    struct raw *raw = pk_calloc(1, sizeof(*raw));
    char *error = NULL;

    snprintf(raw->dir, sizeof(raw->dir), "/tmp/pksk-bench-XXXXXX");
    if (mkdtemp(raw->dir) == NULL)
        check("no directory");
    raw->options = leveldb_options_create();
    raw->bloom = leveldb_filterpolicy_create_bloom(10);
    raw->cache = leveldb_cache_create_lru(64u << 20);
    leveldb_options_set_create_if_missing(raw->options, 1);
    leveldb_options_set_filter_policy(raw->options, raw->bloom);
    leveldb_options_set_cache(raw->options, raw->cache);
    leveldb_options_set_write_buffer_size(raw->options, 16u << 20);
    raw->write = leveldb_writeoptions_create();
    raw->read = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(raw->read, 1);
    raw->db = leveldb_open(raw->options, raw->dir, &error);
    check(error);
    pk_rng_seed(&raw->rng, 2);
    bench_payload(raw->value, VALUE_MAX);
    return raw;
}

void raw_close(struct raw *raw)
{
    char *error = NULL;

    leveldb_close(raw->db);
    leveldb_destroy_db(raw->options, raw->dir, &error);
    leveldb_free(error);
    rmdir(raw->dir);
    leveldb_options_destroy(raw->options);
    leveldb_readoptions_destroy(raw->read);
    leveldb_writeoptions_destroy(raw->write);
    leveldb_filterpolicy_destroy(raw->bloom);
    leveldb_cache_destroy(raw->cache);
    free(raw);
}

/* As long as ours: space, table, hash of the partition key, both keys. */
static size_t raw_key(char key[KEY_MAX], const struct bench_table *table, size_t item)
{
    size_t collection = item / table->collection;

    return (size_t)snprintf(key, KEY_MAX, "%c0001%08zxUSER#%07zu_ORDER#%04zu_", table->letter,
                            collection * 2654435761u % 0xffffffffu, collection,
                            item % table->collection);
}

static void put(struct raw *raw, const struct bench_table *table, size_t item)
{
    char key[KEY_MAX], *error = NULL;
    size_t len = raw_key(key, table, item);

    leveldb_put(raw->db, raw->write, key, len, raw->value, table->item_bytes, &error);
    check(error);
}

static void put_batch(struct raw *raw, const struct bench_table *table, size_t item, unsigned count)
{
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    char key[KEY_MAX], *error = NULL;

    for (unsigned i = 0; i < count; i++) {
        size_t len = raw_key(key, table, item + i);

        leveldb_writebatch_put(batch, key, len, raw->value, table->item_bytes);
    }
    leveldb_write(raw->db, raw->write, batch, &error);
    check(error);
    leveldb_writebatch_destroy(batch);
}

static void get(struct raw *raw, const struct bench_table *table, size_t item)
{
    char key[KEY_MAX], *error = NULL;
    size_t len = raw_key(key, table, item), value_len;

    leveldb_free(leveldb_get(raw->db, raw->read, key, len, &value_len, &error));
    check(error);
}

/* From the first of the item's collection on. */
static void read_rows(struct raw *raw, const struct bench_table *table, size_t item, unsigned rows)
{
    leveldb_iterator_t *it = leveldb_create_iterator(raw->db, raw->read);
    char key[KEY_MAX];
    size_t len = raw_key(key, table, item / table->collection * table->collection);

    leveldb_iter_seek(it, key, len);
    for (unsigned i = 0; i < rows && leveldb_iter_valid(it); i++, leveldb_iter_next(it)) {
        leveldb_iter_key(it, &len);
        leveldb_iter_value(it, &len);
    }
    leveldb_iter_destroy(it);
}

static void work(struct raw *raw, const struct bench_operation *operation, size_t item)
{
    const struct raw_work *calls = &operation->raw;

    for (unsigned i = 0; i < calls->gets; i++)
        get(raw, operation->table, item + i);
    if (calls->one_batch)
        put_batch(raw, operation->table, item, calls->puts);
    for (unsigned i = 0; i < calls->puts && !calls->one_batch; i++)
        put(raw, operation->table, item + i);
    if (calls->rows > 0)
        read_rows(raw, operation->table, item, calls->rows);
}

void raw_load(struct raw *raw, const struct bench_table *table, size_t items)
{
    for (size_t i = 0; i < items; i++)
        put(raw, table, i);
}

static double cpu_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

double raw_cpu_us(struct raw *raw, const struct bench_operation *operation, size_t items,
                  double seconds)
{
    double start = load_now_us(), before = cpu_us();
    size_t rows = operation->raw.rows, requests = 0;
    size_t last = items - (rows > REQUESTS_BATCH ? rows : REQUESTS_BATCH);

    do {
        work(raw, operation, pk_rng_below(&raw->rng, last));
        requests++;
    } while (load_now_us() - start < seconds * 1e6);
    return (cpu_us() - before) / (double)requests;
}
