/*
 * Who brings indexes forward, and when: reads before they look, ticks when records are due, writes
 * that need room in a queue. How one is brought forward is index_run.h.
 *
 * A reader of an index first asks, without a lock, whether everything below its target is there
 * already: between two writes all reads but the first pass at once.
 */
#include "engine/ops/propagate.h"

#include "engine/ops/capacity.h"
#include "engine/ops/index_run.h"

static bool is_read(const struct pk_index *index)
{
    return !index->local && index->status != PK_STATUS_DELETING;
}

/* Before a read --------------------------------------------------------------------------------*/

enum pk_code pk_propagate_to_end(struct pk_engine *engine, const struct pk_table *table,
                                 const struct pk_index *index, struct pk_error *err)
{
    struct pk_index_run run = pk_index_run_of(engine, table, index);

    run.bound = pk_log_next(&run.log->log);
    pk_log_wait(&run.log->log, run.bound);
    return pk_index_run_apply(&run, err);
}

/* What pk_propagate_all() does, for one index. */
static enum pk_code catch_up(struct pk_engine *engine, const struct pk_table *table,
                             const struct pk_index *index, struct pk_error *err)
{
    struct pk_index_run run = pk_index_run_of(engine, table, index);
    struct pk_error failed = PK_ERROR_INIT;
    struct pk_index_reader *reader;
    enum pk_code rc;

    if (!is_read(index) || pk_index_lags(engine) || pk_capacity_delays(engine) ||
        engine->store == NULL || pk_store_is_stuck(engine->store))
        return PK_OK;
    run.bound = pk_log_next(&run.log->log);
    reader = pk_table_log_reader(run.log, index->id);
    if (reader == NULL || atomic_load(&reader->applied) >= run.bound)
        return PK_OK;
    pk_log_wait(&run.log->log, run.bound);
    pthread_mutex_lock(&run.log->apply);
    rc = pk_index_run_apply(&run, &failed);
    pthread_mutex_unlock(&run.log->apply);
    if (rc == PK_OK || pk_store_is_stuck(engine->store)) {
        pk_error_release(&failed);
        return PK_OK;
    }
    pk_error_move(err, &failed);
    return rc;
}

enum pk_code pk_propagate_snapshot(struct pk_engine *engine,
                                   const struct pk_propagate_source *source,
                                   struct pk_table **table, struct pk_snap **snap,
                                   struct pk_error *err)
{
    for (;;) {
        enum pk_code rc = pk_engine_need_table(engine, source->table, table, err);
        const struct pk_index *index = NULL;

        if (rc != PK_OK)
            return rc;
        if (source->index.data != NULL)
            index = pk_table_index(*table, source->index);
        if (index != NULL)
            rc = catch_up(engine, *table, index, err);
        if (rc == PK_OK) {
            *snap = pk_snap_new(engine->store);
            /* Rows of a dropped table or index go only after the descriptor became stale. */
            if (!pk_table_is_stale(*table))
                return PK_OK;
            pk_snap_free(*snap);
            *snap = NULL;
        }
        pk_table_unref(*table);
        *table = NULL;
        if (rc != PK_OK)
            return rc;
    }
}

enum pk_code pk_propagate_all(struct pk_engine *engine, const struct pk_table *table,
                              struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++)
        rc = catch_up(engine, table, &table->indexes[i], err);
    return rc;
}

/* Ticks ----------------------------------------------------------------------------------------*/

static enum pk_code tick_index(struct pk_index_run *run, int64_t now_ms, size_t max,
                               struct pk_error *err)
{
    enum pk_code rc;

    if (run->index->status != PK_STATUS_CREATING && pk_index_lags(run->engine))
        run->now_ms = now_ms;
    run->left = max;
    pthread_mutex_lock(&run->log->apply);
    run->bound = pk_log_safe(&run->log->log);
    rc = pk_index_run_apply(run, err);
    pthread_mutex_unlock(&run->log->apply);
    return rc;
}

enum pk_code pk_propagate_tick(struct pk_engine *engine, int64_t now_ms, size_t max, bool *more,
                               struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    *more = false;
    for (size_t t = 0; t < count; t++) {
        for (size_t i = tables[t]->local_count; i < tables[t]->index_count; i++) {
            struct pk_index_run run = pk_index_run_of(engine, tables[t], &tables[t]->indexes[i]);
            struct pk_error failed = PK_ERROR_INIT;
            enum pk_code one = PK_OK;

            if (is_read(run.index))
                one = tick_index(&run, now_ms, max, &failed);
            *more = *more || (one == PK_OK && run.more);
            /* A damaged table does not keep the others back. */
            if (one != PK_OK && rc == PK_OK) {
                rc = one;
                pk_error_move(err, &failed);
            }
            pk_error_release(&failed);
        }
    }
    pk_catalog_free_all(tables, count);
    return rc;
}

void pk_propagate_now(struct pk_engine *engine, const struct pk_table *table)
{
    struct pk_table_log *log = pk_table_log(table);

    if (pk_index_lags(engine) || pthread_mutex_trylock(&log->apply) != 0)
        return;
    for (size_t i = table->local_count; i < table->index_count; i++) {
        struct pk_index_run run = pk_index_run_of(engine, table, &table->indexes[i]);
        struct pk_error failed = PK_ERROR_INIT;

        run.bound = pk_log_safe(&log->log);
        if (is_read(run.index) && pk_index_run_apply(&run, &failed) != PK_OK)
            pk_error_release(&failed);
    }
    pthread_mutex_unlock(&log->apply);
}

enum pk_code pk_propagate_next_due(struct pk_engine *engine, int64_t *due_ms, struct pk_error *err)
{
    size_t count = 0;
    struct pk_table **tables = pk_catalog_all(&engine->catalog, &count);
    enum pk_code rc = PK_OK;

    *due_ms = INT64_MAX;
    for (size_t t = 0; pk_index_lags(engine) && t < count && rc == PK_OK; t++) {
        for (size_t i = tables[t]->local_count; i < tables[t]->index_count && rc == PK_OK; i++) {
            struct pk_index_run run = pk_index_run_of(engine, tables[t], &tables[t]->indexes[i]);

            if (is_read(run.index) && run.index->status != PK_STATUS_CREATING)
                rc = pk_index_run_due(&run, due_ms, err);
        }
    }
    pk_catalog_free_all(tables, count);
    return rc;
}
