/*
 * See the header. The newest n records lie in n shards at most: those in which the log has the
 * newest last records. Each has an iterator that walks backward, and the largest sequence of all is
 * taken again and again.
 */
#include "engine/ops/tail_back.h"

#include <stdlib.h>

#include "engine/log/stream.h"
#include "engine/ops/core.h"
#include "engine/ops/table_log.h"
#include "engine/table/partition_map.h"

/* A shard and its newest record that was not taken yet. */
struct strand {
    uint32_t shard;
    uint64_t last; /* the highest sequence drawn for it */
    struct pk_iter *iter;
    bool valid;
    struct pk_change change;
};

struct look {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_table *table;
    int64_t oldest_ms; /* records of before are out of retention */
    struct strand *strands;
    size_t strand_count;
    struct pk_change *taken; /* newest first */
    size_t taken_count, bytes;
};

static int newest_first(const void *a, const void *b)
{
    const struct strand *first = a;
    const struct strand *second = b;

    return first->last < second->last ? 1 : first->last > second->last ? -1 : 0;
}

/* The strand stands on a record, or is at its end. */
static enum pk_code open_strand(const struct look *look, struct strand *strand,
                                struct pk_error *err)
{
    strand->valid = pk_iter_valid(strand->iter);
    if (!strand->valid)
        return pk_iter_status(strand->iter, err);
    if (!pk_change_open(pk_iter_key(strand->iter), pk_iter_value(strand->iter), &strand->change))
        return pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                       PK_FMT(look->table->name));
    strand->valid = strand->change.time_ms >= look->oldest_ms;
    return PK_OK;
}

static enum pk_code begin(struct look *look, uint64_t most, struct pk_error *err)
{
    struct pk_log *log = &pk_table_log(look->table)->log;
    uint32_t shards = pk_log_shards(log);
    size_t count = 0;
    enum pk_code rc = PK_OK;

    look->strands = PK_NEW_ARRAY(look->call->arena, struct strand, shards);
    for (uint32_t i = 0; i < shards; i++) {
        struct pk_log_span span = pk_log_span(log, i);

        if (span.last != 0 && span.last >= span.first)
            look->strands[count++] = (struct strand){.shard = i, .last = span.last};
    }
    if (count > 0)
        qsort(look->strands, count, sizeof(*look->strands), newest_first);
    look->strand_count = count < most ? count : (size_t)most;
    for (size_t i = 0; i < look->strand_count && rc == PK_OK; i++) {
        struct strand *strand = &look->strands[i];

        strand->iter = pk_change_iter(pk_store_live(look->engine->store), look->table->id,
                                      strand->shard, 0, UINT64_MAX);
        pk_iter_seek_last(strand->iter);
        rc = open_strand(look, strand, err);
    }
    return rc;
}

static struct strand *newest(const struct look *look)
{
    struct strand *found = NULL;

    for (size_t i = 0; i < look->strand_count; i++) {
        struct strand *strand = &look->strands[i];

        if (strand->valid && (found == NULL || strand->change.sequence > found->change.sequence))
            found = strand;
    }
    return found;
}

/* Takes records until there are `most`, or as many as fit; one always does. */
static enum pk_code take(struct look *look, uint64_t most, struct pk_error *err)
{
    struct pk_arena *arena = look->call->arena;
    enum pk_code rc = PK_OK;

    look->taken = PK_NEW_ARRAY(arena, struct pk_change, most);
    while (rc == PK_OK && look->taken_count < most) {
        struct strand *strand = newest(look);
        struct pk_change change;

        if (strand == NULL)
            return PK_OK;
        change = strand->change;
        look->bytes += change.before.len + change.after.len;
        if (look->taken_count > 0 && look->bytes > PK_TAIL_ANSWER_BYTES)
            return PK_OK;
        if (change.before.len > 0)
            change.before = pk_arena_dup(arena, change.before);
        if (change.after.len > 0)
            change.after = pk_arena_dup(arena, change.after);
        look->taken[look->taken_count++] = change;
        pk_iter_prev(strand->iter);
        rc = open_strand(look, strand, err);
    }
    return rc;
}

/* The shard of a stream that has the record. */
static pk_slice shard_of(struct pk_arena *arena, const struct pk_table *table,
                         const struct pk_change *change)
{
    for (size_t i = table->stream_count; i-- > 0;) {
        const struct pk_stream *stream = &table->streams[i];

        for (size_t k = 0; k < stream->shard_count; k++) {
            const struct pk_shard *shard = &stream->shards[k];

            if (shard->number == change->shard && shard->first <= change->sequence &&
                (shard->end == 0 || change->sequence < shard->end))
                return pk_shard_id(arena, shard);
        }
    }
    return (pk_slice){NULL, 0};
}

/* The number of the partition with that id; 0 when it was split since. */
static uint32_t partition_of(const struct pk_table *table, uint32_t id)
{
    for (uint32_t i = 0; i < table->partitions.count; i++) {
        if (table->partitions.list[i].id == id)
            return i;
    }
    return 0;
}

static enum pk_code hand_out(const struct look *look, const struct pk_tail_request *request,
                             struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = look->taken_count; i-- > 0 && rc == PK_OK;) {
        const struct pk_change *change = &look->taken[i];
        const struct pk_tail_record record = {
            .sequence = change->sequence,
            .time_ms = change->time_ms,
            .table = look->table->name,
            .key = &look->table->key,
            .event = (int)change->event,
            .cause = (int)change->cause,
            .partition = partition_of(look->table, change->shard),
            .shard = shard_of(look->call->arena, look->table, change),
            .before = change->before,
            .after = change->after,
        };

        rc = request->record(request->context, &record, err);
    }
    return rc;
}

enum pk_code pk_tail_back(struct pk_engine *engine, struct pk_call *call,
                          const struct pk_tail_request *request, struct pk_error *err)
{
    struct pk_table *table = pk_catalog_get(&engine->catalog, request->table);
    struct look look = {.engine = engine, .call = call, .table = table};
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (table == NULL || rc != PK_OK || !pk_table_log_wanted(table)) {
        pk_table_unref(table);
        return rc;
    }
    look.oldest_ms =
        pk_clock_now(&engine->clock) - (int64_t)atomic_load(&engine->stream_retention_ms);
    rc = begin(&look, request->back, err);
    if (rc == PK_OK)
        rc = take(&look, request->back, err);
    for (size_t i = 0; i < look.strand_count; i++)
        pk_iter_free(look.strands[i].iter);
    if (rc == PK_OK)
        rc = hand_out(&look, request, err);
    pk_table_unref(table);
    return rc;
}
