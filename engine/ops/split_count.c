/* See the header. The children of one split are counted in the order of keys. */
#include "engine/ops/split_count.h"

#include <stdlib.h>

#include "engine/ops/table_log.h"
#include "engine/store/key_code.h"
#include "engine/table/partition_map.h"

struct pk_split_count {
    struct pk_split_count *next;
    struct pk_table *table; /* a reference */
    struct pk_snap *snap;   /* owned */
    uint32_t index_id;      /* 0: the table itself */
    const struct pk_partitions *map;
    uint32_t first_id; /* children have ids from it on */
    uint32_t at;       /* number of the partition under way */
    struct pk_buf row; /* the key from which to go on in it; empty: its first */
};

void pk_split_counts_init(struct pk_split_counts *counts)
{
    *counts = (struct pk_split_counts){.first = NULL};
    if (pthread_mutex_init(&counts->lock, NULL) != 0)
        pk_bug("a lock cannot be made");
}

/* The caller holds the lock in the following. */

static void drop_first(struct pk_split_counts *counts)
{
    struct pk_split_count *job = counts->first;

    counts->first = job->next;
    pk_counters_end_move(pk_table_counters(job->table));
    pk_snap_free(job->snap);
    pk_table_unref(job->table);
    pk_buf_release(&job->row);
    free(job);
}

void pk_split_counts_abandon(struct pk_split_counts *counts)
{
    pthread_mutex_lock(&counts->lock);
    while (counts->first != NULL)
        drop_first(counts);
    pthread_mutex_unlock(&counts->lock);
}

void pk_split_counts_release(struct pk_split_counts *counts)
{
    pk_split_counts_abandon(counts);
    pthread_mutex_destroy(&counts->lock);
}

bool pk_split_counts_any(struct pk_split_counts *counts)
{
    bool any;

    pthread_mutex_lock(&counts->lock);
    any = counts->first != NULL;
    pthread_mutex_unlock(&counts->lock);
    return any;
}

void pk_split_counts_add(struct pk_split_counts *counts, struct pk_table *table, uint32_t index_id,
                         uint32_t first_id, struct pk_snap *snap_take)
{
    struct pk_split_count *job = pk_calloc(1, sizeof(*job));
    struct pk_split_count **last = &counts->first;

    *job = (struct pk_split_count){.table = pk_table_ref(table),
                                   .snap = snap_take,
                                   .index_id = index_id,
                                   .map = &table->partitions,
                                   .first_id = first_id,
                                   .row = PK_BUF_INIT};
    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].id == index_id)
            job->map = &table->indexes[i].partitions;
    }
    pk_counters_begin_move(pk_table_counters(table));
    pthread_mutex_lock(&counts->lock);
    while (*last != NULL)
        last = &(*last)->next;
    *last = job;
    pthread_mutex_unlock(&counts->lock);
}

/* Counting -------------------------------------------------------------------------------------*/

static struct pk_iter *rows_of(const struct pk_split_count *job)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;

    if (job->index_id == 0)
        pk_layout_id(&lower, PK_SPACE_TABLE, job->table->id);
    else
        pk_layout_id(&lower, PK_SPACE_GSI, job->index_id);
    pk_buf_add(&upper, pk_buf_slice(&lower));
    pk_buf_add(&lower, job->map->list[job->at].first);
    if (job->at + 1 < job->map->count)
        pk_buf_add(&upper, job->map->list[job->at + 1].first);
    else
        pk_key_successor(&upper);
    iter = pk_iter_new(job->snap, (struct pk_range){pk_buf_slice(&lower), pk_buf_slice(&upper)},
                       PK_ITER_BULK);
    if (job->row.len > 0)
        pk_iter_seek(iter, pk_buf_slice(&job->row));
    else
        pk_iter_seek_first(iter);
    pk_buf_release(&lower);
    pk_buf_release(&upper);
    return iter;
}

static void move(const struct pk_split_count *job, struct pk_tally tally)
{
    const struct pk_partition_entry *child = &job->map->list[job->at];
    struct pk_counters *counters = pk_table_counters(job->table);

    pk_counters_add_index(counters, job->index_id, child->id, tally);
    tally.items = -tally.items;
    tally.bytes = -tally.bytes;
    pk_counters_add_index(counters, job->index_id, child->parent, tally);
}

/* Goes on in the partition under way; *left of the rows are left to others. */
static enum pk_code count_partition(struct pk_split_count *job, size_t *left, struct pk_error *err)
{
    struct pk_iter *iter = rows_of(job);
    struct pk_tally tally = {0, 0};
    enum pk_code rc;

    for (; pk_iter_valid(iter) && *left > 0; pk_iter_next(iter), (*left)--) {
        pk_view item;
        size_t size = 0;

        if (!pk_record_open(pk_iter_value(iter), &item, &size))
            continue;
        tally.items++;
        tally.bytes += (int64_t)size;
    }
    rc = pk_iter_status(iter, err);
    if (rc == PK_OK) {
        move(job, tally);
        pk_buf_clear(&job->row);
        if (pk_iter_valid(iter))
            pk_buf_add(&job->row, pk_iter_key(iter));
        else
            job->at++;
    }
    pk_iter_free(iter);
    return rc;
}

/* Counts on; *done: there is no more. */
static enum pk_code count_on(struct pk_split_count *job, size_t *left, bool *done,
                             struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && *left > 0 && job->at < job->map->count) {
        if (job->map->list[job->at].id < job->first_id)
            job->at++;
        else
            rc = count_partition(job, left, err);
    }
    *done = job->at == job->map->count;
    return rc;
}

enum pk_code pk_split_counts_step(struct pk_split_counts *counts, size_t max_rows, bool *more,
                                  struct pk_error *err)
{
    size_t left = max_rows;
    enum pk_code rc = PK_OK;

    pthread_mutex_lock(&counts->lock);
    while (rc == PK_OK && left > 0 && counts->first != NULL) {
        bool done = atomic_load(&pk_table_log(counts->first->table)->left); /* dropped */

        if (!done)
            rc = count_on(counts->first, &left, &done, err);
        if (rc == PK_OK && done)
            drop_first(counts);
    }
    *more = rc == PK_OK && counts->first != NULL;
    pthread_mutex_unlock(&counts->lock);
    return rc;
}
