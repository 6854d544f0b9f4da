/*
 * Reading streams: ListStreams, DescribeStream, GetShardIterator, GetRecords.
 *
 * An iterator is text that says all, so nothing is needed between two calls; how far its reader has
 * come is noted for those who look (stream_readers.h). A reader never goes
 * beyond the smallest sequence in flight: a change that is committed later there would be missed.
 *
 * A position is trimmed when the first record at or behind it is out of retention. The log's
 * trimmer leaves the newest such record in its place (log/stream_keep.h), so this can be seen
 * without remembering what was deleted.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/log/stream.h"
#include "engine/ops/core.h"
#include "engine/ops/table_log.h"

enum { RECORDS_BYTES = 1048576 };

/* What goes into the checksum of iterators: it guards against mistakes, not against malice. */
#define ITERATOR_SECRET UINT64_C(0x706b736b20697431)

/* A shard of a stream being read. */
struct reading {
    struct pk_table *table;
    const struct pk_stream *stream;
    const struct pk_shard *shard;
    uint64_t bound; /* records at or behind it are not read yet, or not the shard's */
    struct pk_iter *iter;
    struct pk_change change;                  /* the current record, when there is one */
    const struct pk_records_request *request; /* GetRecords */
    const struct pk_iterator *at;             /* and its iterator */
    uint64_t position;                        /* GetRecords: the sequence to go on with */
    uint64_t handed;                          /* and how many records it has handed over, */
    uint64_t read_to;                         /* the last of them below this sequence */
};

/* Finding --------------------------------------------------------------------------------------*/

static int64_t oldest_ms(struct pk_engine *engine)
{
    return pk_clock_now(&engine->clock) - (int64_t)atomic_load(&engine->stream_retention_ms);
}

static bool is_over(struct pk_engine *engine, const struct pk_stream *stream)
{
    return pk_stream_is_over(stream, pk_clock_now(&engine->clock),
                             atomic_load(&engine->stream_retention_ms));
}

/* The table, or what is kept of a dropped one, that has the stream: a reference; NULL: none has. */
static struct pk_table *find_table(struct pk_engine *engine, pk_slice name, int64_t label_ms)
{
    struct pk_table *table = pk_catalog_get(&engine->catalog, name);
    struct pk_table **departed;
    size_t count = 0;

    if (table != NULL && pk_stream_find(table, label_ms) != NULL)
        return table;
    pk_table_unref(table);
    table = NULL;
    departed = pk_catalog_departed(&engine->catalog, &count);
    for (size_t i = 0; i < count && table == NULL; i++) {
        if (pk_slice_equal(departed[i]->name, name) &&
            pk_stream_find(departed[i], label_ms) != NULL)
            table = pk_table_ref(departed[i]);
    }
    pk_catalog_free_all(departed, count);
    return table;
}

/* reading->table is a reference then. */
static enum pk_code need_stream(struct pk_engine *engine, pk_slice name, int64_t label_ms,
                                struct reading *reading, struct pk_error *err)
{
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK)
        return rc;
    reading->table = find_table(engine, name, label_ms);
    if (reading->table != NULL) {
        reading->stream = pk_stream_find(reading->table, label_ms);
        if (!is_over(engine, reading->stream))
            return PK_OK;
        pk_table_unref(reading->table);
        reading->table = NULL;
    }
    return pk_fail(err, PK_E_NOT_FOUND, "%s", "");
}

/* Every record below it that will ever exist is there. */
static uint64_t safe_of(const struct pk_table *table)
{
    struct pk_table_log *log = pk_table_log(table);

    return log == NULL || atomic_load(&log->left) ? UINT64_MAX : pk_log_safe(&log->log);
}

/* Listing --------------------------------------------------------------------------------------*/

struct listing {
    struct pk_engine *engine;
    struct pk_arena *arena;
    pk_slice only;
    struct pk_stream_name *list;
    size_t count, cap;
};

static void list_table(struct listing *listing, const struct pk_table *table)
{
    if (listing->only.data != NULL && !pk_slice_equal(listing->only, table->name))
        return;
    for (size_t i = 0; i < table->stream_count; i++) {
        if (is_over(listing->engine, &table->streams[i]))
            continue;
        if (listing->count == listing->cap) {
            size_t cap = 2 * listing->cap + 16;
            struct pk_stream_name *more = PK_NEW_ARRAY(listing->arena, struct pk_stream_name, cap);

            if (listing->count > 0)
                memcpy(more, listing->list, listing->count * sizeof(*more));
            listing->list = more;
            listing->cap = cap;
        }
        listing->list[listing->count++] =
            (struct pk_stream_name){pk_arena_dup(listing->arena, table->name),
                                    pk_stream_label(listing->arena, table->streams[i].label_ms)};
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct pk_stream_name *first = a;
    const struct pk_stream_name *second = b;
    int order = pk_slice_compare(first->table, second->table);

    return order != 0 ? order : pk_slice_compare(first->label, second->label);
}

void pk_engine_list_streams(struct pk_engine *engine, struct pk_call *call, pk_slice table,
                            struct pk_stream_name **list, size_t *count)
{
    struct listing listing = {.engine = engine, .arena = call->arena, .only = table};
    size_t tables = 0;
    struct pk_table **all = pk_catalog_all(&engine->catalog, &tables);

    for (size_t i = 0; i < tables; i++)
        list_table(&listing, all[i]);
    pk_catalog_free_all(all, tables);
    all = pk_catalog_departed(&engine->catalog, &tables);
    for (size_t i = 0; i < tables; i++)
        list_table(&listing, all[i]);
    pk_catalog_free_all(all, tables);
    if (listing.count > 0)
        qsort(listing.list, listing.count, sizeof(*listing.list), compare_names);
    *list = listing.list;
    *count = listing.count;
}

pk_slice pk_engine_stream_label(struct pk_arena *arena, const struct pk_table *table)
{
    if (table->stream_count == 0)
        return (pk_slice){NULL, 0};
    return pk_stream_label(arena, table->streams[table->stream_count - 1].label_ms);
}

/* Records of a shard ---------------------------------------------------------------------------*/

static void reading_begin(struct pk_engine *engine, struct reading *reading)
{
    struct pk_buf lower = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_range range;
    uint64_t safe = safe_of(reading->table);

    reading->bound = safe;
    if (reading->shard->end != 0 && reading->shard->end < safe)
        reading->bound = reading->shard->end;
    pk_layout_shard(&lower, reading->table->id, reading->shard->number);
    range = pk_range_prefix(pk_buf_slice(&lower), &upper);
    reading->iter = pk_iter_new(pk_store_live(engine->store), range, PK_ITER_QUERY);
    pk_buf_release(&lower);
    pk_buf_release(&upper);
}

/* Opens the record the iterator stands on; *found false when that is beyond the bound. */
static enum pk_code reading_open(struct reading *reading, bool *found, struct pk_error *err)
{
    *found = false;
    if (!pk_iter_valid(reading->iter))
        return pk_iter_status(reading->iter, err);
    if (!pk_change_open(pk_iter_key(reading->iter), pk_iter_value(reading->iter), &reading->change))
        return pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                       PK_FMT(reading->table->name));
    *found = reading->change.sequence < reading->bound;
    return PK_OK;
}

static enum pk_code reading_seek(struct reading *reading, uint64_t sequence, bool *found,
                                 struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;

    pk_layout_change(&key, reading->table->id, reading->shard->number, sequence);
    pk_iter_seek(reading->iter, pk_buf_slice(&key));
    pk_buf_release(&key);
    return reading_open(reading, found, err);
}

static enum pk_code reading_next(struct reading *reading, bool *found, struct pk_error *err)
{
    pk_iter_next(reading->iter);
    return reading_open(reading, found, err);
}

/* The last record below the bound. */
static enum pk_code reading_last(struct reading *reading, uint64_t *sequence, bool *found,
                                 struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    enum pk_code rc;

    pk_layout_change(&key, reading->table->id, reading->shard->number, reading->bound - 1);
    pk_iter_seek_for_prev(reading->iter, pk_buf_slice(&key));
    pk_buf_release(&key);
    rc = reading_open(reading, found, err);
    *found = *found && reading->change.sequence >= reading->shard->first;
    *sequence = reading->change.sequence;
    return rc;
}

/* The first record that is not out of retention, or else the place behind the last that is. */
static enum pk_code reading_horizon(struct reading *reading, int64_t oldest, uint64_t *sequence,
                                    struct pk_error *err)
{
    bool found = false;
    enum pk_code rc = reading_seek(reading, reading->shard->first, &found, err);

    *sequence = reading->shard->first;
    while (rc == PK_OK && found && reading->change.time_ms < oldest) {
        *sequence = reading->change.sequence + 1;
        rc = reading_next(reading, &found, err);
    }
    if (rc == PK_OK && found)
        *sequence = reading->change.sequence;
    return rc;
}

/* Describing -----------------------------------------------------------------------------------*/

static enum pk_code describe_shard(struct pk_engine *engine, struct pk_call *call,
                                   struct reading *reading, struct pk_shard_info *out,
                                   struct pk_error *err)
{
    const struct pk_shard *shard = reading->shard;
    const struct pk_shard *parent = pk_stream_shard(reading->stream, shard->parent);
    uint64_t first = shard->first;
    uint64_t last = 0;
    bool found = false;
    enum pk_code rc;

    *out = (struct pk_shard_info){.id = pk_shard_id(call->arena, shard)};
    if (parent != NULL)
        out->parent = pk_shard_id(call->arena, parent);
    reading_begin(engine, reading);
    rc = reading_seek(reading, shard->first, &found, err);
    if (rc == PK_OK && found)
        first = reading->change.sequence;
    if (rc == PK_OK && shard->end != 0) {
        rc = reading_last(reading, &last, &found, err);
        out->last = pk_sequence_text(call->arena, found ? last : first);
    }
    out->first = pk_sequence_text(call->arena, first);
    pk_iter_free(reading->iter);
    return rc;
}

enum pk_code pk_engine_describe_stream(struct pk_engine *engine, struct pk_call *call,
                                       const struct pk_stream_name *name,
                                       struct pk_stream_info *info, struct pk_error *err)
{
    struct reading reading = {0};
    int64_t label_ms = 0;
    enum pk_code rc = PK_OK;

    (void)pk_stream_parse_label(name->label, &label_ms);
    rc = need_stream(engine, name->table, label_ms, &reading, err);
    if (rc != PK_OK)
        return rc;
    *info = (struct pk_stream_info){
        .label = pk_stream_label(call->arena, reading.stream->label_ms),
        .created_ms = reading.stream->label_ms,
        .enabled = reading.stream->closed_ms == 0,
        .view = reading.stream->view,
        .key = reading.table->key,
        .shards = PK_NEW_ARRAY(call->arena, struct pk_shard_info, reading.stream->shard_count),
        .shard_count = reading.stream->shard_count,
    };
    info->key.hash[0].name = pk_arena_dup(call->arena, info->key.hash[0].name);
    if (info->key.range_count > 0)
        info->key.range[0].name = pk_arena_dup(call->arena, info->key.range[0].name);
    for (size_t i = 0; i < info->shard_count && rc == PK_OK; i++) {
        reading.shard = &reading.stream->shards[i];
        rc = describe_shard(engine, call, &reading, &info->shards[i], err);
    }
    pk_table_unref(reading.table);
    return rc;
}

/* Iterators ------------------------------------------------------------------------------------*/

static enum pk_code fail_trimmed(struct pk_error *err)
{
    return pk_fail(err, PK_E_TRIMMED,
                   "The operation attempted to read past the oldest stream record in a shard.");
}

/* The position of AT and AFTER. The sequence a shard begins with is good also when no record has it
 * yet: DescribeStream names it. Nothing is after it then, so that the first record is not missed.
 */
static enum pk_code at_sequence(struct reading *reading, const struct pk_iterator_request *request,
                                int64_t oldest, uint64_t *position, struct pk_error *err)
{
    uint64_t sequence = 0;
    bool found = false;
    enum pk_code rc;

    if (!pk_sequence_parse(request->sequence, &sequence) || sequence < reading->shard->first ||
        (sequence >= reading->bound && sequence != reading->shard->first))
        return pk_fail(err, PK_E_VALIDATION,
                       "One or more parameter values were invalid: Invalid SequenceNumber");
    *position = sequence;
    if (request->start == PK_STREAM_AFTER_SEQUENCE && sequence < reading->bound)
        *position = sequence + 1;
    rc = reading_seek(reading, *position, &found, err);
    if (rc == PK_OK && found && reading->change.time_ms < oldest)
        rc = fail_trimmed(err);
    return rc;
}

static enum pk_code position_of(struct pk_engine *engine, struct reading *reading,
                                const struct pk_iterator_request *request, uint64_t *position,
                                struct pk_error *err)
{
    struct pk_table_log *log = pk_table_log(reading->table);

    switch (request->start) {
    case PK_STREAM_TRIM_HORIZON:
        return reading_horizon(reading, oldest_ms(engine), position, err);
    case PK_STREAM_LATEST:
        if (reading->shard->end != 0)
            *position = reading->shard->end;
        else
            *position = log == NULL ? UINT64_MAX : pk_log_next(&log->log);
        return PK_OK;
    case PK_STREAM_AT_SEQUENCE:
    case PK_STREAM_AFTER_SEQUENCE:
        break;
    }
    return at_sequence(reading, request, oldest_ms(engine), position, err);
}

static pk_slice iterator_at(struct pk_engine *engine, struct pk_call *call,
                            const struct reading *reading, uint64_t reader)
{
    struct pk_iterator iterator = {
        .table = reading->table->name,
        .label_ms = reading->stream->label_ms,
        .shard = reading->shard->serial,
        .next = reading->position,
        .issued_ms = pk_clock_now(&engine->clock),
        .reader = reader,
    };

    return pk_iterator_text(call->arena, &iterator, ITERATOR_SECRET);
}

enum pk_code pk_engine_shard_iterator(struct pk_engine *engine, struct pk_call *call,
                                      const struct pk_iterator_request *request, pk_slice *iterator,
                                      struct pk_error *err)
{
    struct reading reading = {0};
    bool resumes =
        request->start == PK_STREAM_AT_SEQUENCE || request->start == PK_STREAM_AFTER_SEQUENCE;
    int64_t label_ms = 0;
    enum pk_code rc;

    (void)pk_stream_parse_label(request->stream.label, &label_ms);
    rc = need_stream(engine, request->stream.table, label_ms, &reading, err);
    if (rc != PK_OK)
        return rc;
    reading.shard = pk_stream_shard_by_id(reading.stream, request->shard_id);
    if (reading.shard == NULL) {
        rc = pk_fail(err, PK_E_NOT_FOUND, "Shard does not exist");
    } else {
        reading_begin(engine, &reading);
        rc = position_of(engine, &reading, request, &reading.position, err);
        pk_iter_free(reading.iter);
    }
    if (rc == PK_OK)
        *iterator = iterator_at(engine, call, &reading,
                                pk_stream_readers_id(&engine->stream_readers, resumes));
    pk_table_unref(reading.table);
    return rc;
}

/* Records --------------------------------------------------------------------------------------*/

/* The key attributes' share of SizeBytes. */
static uint64_t key_size(const struct pk_key_schema *key, pk_view item)
{
    uint64_t size = key->hash[0].name.len + pk_view_size(pk_view_member(item, key->hash[0].name));

    if (key->range_count > 0)
        size += key->range[0].name.len + pk_view_size(pk_view_member(item, key->range[0].name));
    return size;
}

static void describe_record(struct pk_call *call, const struct reading *reading,
                            struct pk_stream_record *out)
{
    const struct pk_change *change = &reading->change;
    enum pk_stream_view view = reading->stream->view;

    *out = (struct pk_stream_record){
        .stream = {reading->table->name, pk_stream_label(call->arena, reading->stream->label_ms)},
        .view = view,
        .key = &reading->table->key,
        .sequence = pk_sequence_text(call->arena, change->sequence),
        .time_ms = change->time_ms,
        .event = (int)change->event,
        .ttl = change->cause == PK_CAUSE_TTL,
        .item = change->after.len > 0 ? change->after : change->before,
    };
    out->size = key_size(out->key, out->item);
    if (pk_stream_has_old(view) && change->before.len > 0) {
        out->before = change->before;
        out->size += change->before_size;
    }
    if (pk_stream_has_new(view) && change->after.len > 0) {
        out->after = change->after;
        out->size += change->after_size;
    }
}

/* Hands over records from the position on, which moves behind them; *ended: there are no more below
 * the bound. */
static enum pk_code hand_over(struct pk_call *call, struct reading *reading, bool *ended,
                              struct pk_error *err)
{
    const struct pk_records_request *request = reading->request;
    uint64_t bytes = 0;
    bool found = reading->change.sequence != 0;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && found && reading->handed < request->limit) {
        struct pk_stream_record record;

        describe_record(call, reading, &record);
        if (reading->handed > 0 && bytes + record.size > RECORDS_BYTES)
            break;
        bytes += record.size;
        reading->handed++;
        reading->position = reading->read_to = reading->change.sequence + 1;
        rc = request->record(request->context, &record, err);
        if (rc == PK_OK)
            rc = reading_next(reading, &found, err);
    }
    *ended = !found;
    return rc;
}

/* *over: the shard is closed, and nothing of it is left to read. */
static enum pk_code read_records(struct pk_engine *engine, struct pk_call *call,
                                 struct reading *reading, bool *over, struct pk_error *err)
{
    bool ended = true;
    bool found = false;
    enum pk_code rc = reading_seek(reading, reading->position, &found, err);

    if (rc == PK_OK && found && reading->change.time_ms < oldest_ms(engine))
        rc = fail_trimmed(err);
    if (!found)
        reading->change.sequence = 0;
    if (rc == PK_OK)
        rc = hand_over(call, reading, &ended, err);
    if (ended && reading->position < reading->bound)
        reading->position = reading->bound;
    *over = ended && reading->shard->end != 0 && reading->bound == reading->shard->end;
    return rc;
}

static void note_reader(struct pk_engine *engine, const struct reading *reading, bool over)
{
    const struct pk_iterator *at = reading->at;
    const struct pk_stream_reading noted = {
        .reader = {.id = at->reader,
                   .table_id = reading->table->id,
                   .label_ms = at->label_ms,
                   .shard = at->shard,
                   .next = reading->position,
                   .read_to = reading->read_to,
                   .records = reading->handed,
                   .heard_us = pk_clock_real_us()},
        .begun = at->next,
        .ended = over,
    };

    pk_stream_readers_note(&engine->stream_readers, &noted);
}

/* On from the reading's position; *next: the iterator that goes on, data NULL: the shard is over.
 */
static enum pk_code read_shard(struct pk_engine *engine, struct pk_call *call,
                               struct reading *reading, pk_slice *next, struct pk_error *err)
{
    const struct pk_iterator *at = reading->at;
    bool over = false;
    enum pk_code rc;

    reading->position = reading->read_to = at->next;
    reading_begin(engine, reading);
    rc = read_records(engine, call, reading, &over, err);
    pk_iter_free(reading->iter);
    if (rc != PK_OK)
        return rc;
    *next = over ? (pk_slice){NULL, 0} : iterator_at(engine, call, reading, at->reader);
    note_reader(engine, reading, over);
    return PK_OK;
}

enum pk_code pk_engine_stream_records(struct pk_engine *engine, struct pk_call *call,
                                      const struct pk_records_request *request, pk_slice *next,
                                      struct pk_error *err)
{
    struct pk_iterator at;
    struct reading reading = {.request = request, .at = &at};
    enum pk_code rc;

    if (!pk_iterator_parse(call->arena, request->iterator, ITERATOR_SECRET, &at))
        return pk_fail(err, PK_E_VALIDATION, "Invalid ShardIterator");
    if (at.issued_ms + (int64_t)atomic_load(&engine->stream_iterator_ms) <
        pk_clock_now(&engine->clock))
        return pk_fail(err, PK_E_EXPIRED_ITERATOR,
                       "The provided iterator exceeds the maximum age allowed.");
    rc = need_stream(engine, at.table, at.label_ms, &reading, err);
    if (rc != PK_OK)
        return rc == PK_E_NOT_FOUND ? fail_trimmed(err) : rc;
    reading.shard = pk_stream_shard(reading.stream, at.shard);
    if (reading.shard == NULL)
        rc = fail_trimmed(err);
    else
        rc = read_shard(engine, call, &reading, next, err);
    pk_table_unref(reading.table);
    return rc;
}

void pk_engine_stream_leave(struct pk_engine *engine, struct pk_call *call, pk_slice iterator)
{
    struct pk_iterator at;

    if (pk_iterator_parse(call->arena, iterator, ITERATOR_SECRET, &at))
        pk_stream_readers_leave(&engine->stream_readers, at.reader, at.shard);
}
