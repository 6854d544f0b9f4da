/* See the header. */
#include "engine/ops/tail.h"

#include <stdlib.h>
#include <string.h>

#include "engine/log/stream.h"
#include "engine/ops/tail_back.h"
#include "engine/ops/write.h"

struct pk_tail_entry {
    atomic_uint refs;
    uint64_t number;
    uint64_t sequence; /* of its change record; 0: there is none */
    int64_t time_ms;
    struct pk_table *table; /* a reference: name, key and shards as they were then */
    enum pk_event event;
    enum pk_cause cause;
    uint32_t partition; /* its number then */
    uint32_t shard;     /* the number of its shard: the partition's id */
    size_t before_len, after_len;
    char bytes[]; /* both images */
};

/* Entries --------------------------------------------------------------------------------------*/

static struct pk_tail_entry *entry_new(struct pk_engine *engine, const struct pk_write_step *step)
{
    struct pk_tail_entry *entry = pk_malloc(sizeof(*entry) + step->before.len + step->after.len);

    atomic_init(&entry->refs, 1);
    entry->sequence = step->sequence;
    entry->time_ms = pk_clock_now(&engine->clock);
    entry->table = pk_table_ref(step->table);
    entry->event = pk_change_event(step->before, step->after);
    entry->cause = pk_write_cause(step);
    entry->partition = step->partition;
    entry->shard = step->partition_id;
    entry->before_len = step->before.len;
    entry->after_len = step->after.len;
    if (step->before.len > 0)
        memcpy(entry->bytes, step->before.data, step->before.len);
    if (step->after.len > 0)
        memcpy(entry->bytes + step->before.len, step->after.data, step->after.len);
    return entry;
}

static void entry_unref(struct pk_tail_entry *entry)
{
    if (atomic_fetch_sub(&entry->refs, 1) != 1)
        return;
    pk_table_unref(entry->table);
    free(entry);
}

static size_t entry_bytes(const struct pk_tail_entry *entry)
{
    return sizeof(*entry) + entry->before_len + entry->after_len;
}

/* The ring -------------------------------------------------------------------------------------*/

void pk_tail_init(struct pk_tail *tail)
{
    *tail = (struct pk_tail){.opened_ms = pk_clock_real_ms(), .next = 1};
    pthread_mutex_init(&tail->lock, NULL);
}

static uint64_t oldest(const struct pk_tail *tail)
{
    return tail->next - tail->count;
}

static struct pk_tail_entry **slot(const struct pk_tail *tail, uint64_t number)
{
    return &tail->slots[number % PK_TAIL_KEPT];
}

static void drop_oldest(struct pk_tail *tail)
{
    struct pk_tail_entry **place = slot(tail, oldest(tail));

    tail->bytes -= entry_bytes(*place);
    tail->count--;
    entry_unref(*place);
    *place = NULL;
}

static void clear(struct pk_tail *tail)
{
    while (tail->count > 0)
        drop_oldest(tail);
    free(tail->slots);
    tail->slots = NULL;
    pk_lease_end(&tail->lease);
}

void pk_tail_release(struct pk_tail *tail)
{
    clear(tail);
    pthread_mutex_destroy(&tail->lock);
}

void pk_tail_tick(struct pk_tail *tail)
{
    if (!pk_lease_is_over(&tail->lease))
        return;
    pthread_mutex_lock(&tail->lock);
    if (pk_lease_is_over(&tail->lease))
        clear(tail);
    pthread_mutex_unlock(&tail->lock);
}

void pk_tail_add(struct pk_engine *engine, struct pk_tail *tail, const struct pk_write_step *step)
{
    struct pk_tail_entry *entry;

    if (pk_slice_equal(step->before, step->after))
        return;
    entry = entry_new(engine, step);
    pthread_mutex_lock(&tail->lock);
    if (pk_lease_is_over(&tail->lease))
        clear(tail);
    if (tail->slots == NULL) {
        pthread_mutex_unlock(&tail->lock);
        entry_unref(entry);
        return;
    }
    while (tail->count > 0 &&
           (tail->count == PK_TAIL_KEPT || tail->bytes + entry_bytes(entry) > PK_TAIL_KEPT_BYTES))
        drop_oldest(tail);
    entry->number = tail->next++;
    tail->count++;
    tail->bytes += entry_bytes(entry);
    *slot(tail, entry->number) = entry;
    pthread_mutex_unlock(&tail->lock);
}

/* Reading --------------------------------------------------------------------------------------*/

struct taking {
    struct pk_tail *tail;
    const struct pk_tail_request *request;
    struct pk_tail_result *result;
    struct pk_tail_entry **taken; /* references */
    size_t count, bytes;
};

/* False when the answer is full without it. */
static bool take(struct taking *taking, struct pk_tail_entry *entry)
{
    pk_slice table = taking->request->table;

    if (table.data != NULL && !pk_slice_equal(entry->table->name, table))
        return true;
    if (taking->count == taking->request->limit ||
        (taking->count > 0 && taking->bytes + entry_bytes(entry) > PK_TAIL_ANSWER_BYTES))
        return false;
    atomic_fetch_add(&entry->refs, 1);
    taking->bytes += entry_bytes(entry);
    taking->taken[taking->count++] = entry;
    return true;
}

static void take_oldest(struct taking *taking, uint64_t from)
{
    struct pk_tail *tail = taking->tail;

    taking->result->last = tail->next - 1;
    for (uint64_t number = from; number < tail->next; number++) {
        if (take(taking, *slot(tail, number)))
            continue;
        taking->result->last = number - 1;
        return;
    }
}

/* Backward from the newest one, then turned round. */
static void take_newest(struct taking *taking, uint64_t from)
{
    struct pk_tail *tail = taking->tail;
    uint64_t number = tail->next;

    taking->result->last = tail->next - 1;
    while (number > from && take(taking, *slot(tail, number - 1)))
        number--;
    if (taking->request->after > 0)
        taking->result->lost += number - from;
    for (size_t i = 0; i < taking->count / 2; i++) {
        struct pk_tail_entry *entry = taking->taken[i];

        taking->taken[i] = taking->taken[taking->count - 1 - i];
        taking->taken[taking->count - 1 - i] = entry;
    }
}

static void take_records(struct taking *taking)
{
    struct pk_tail *tail = taking->tail;
    uint64_t after = taking->request->after;
    uint64_t from;

    pthread_mutex_lock(&tail->lock);
    pk_lease_renew(&tail->lease);
    if (tail->slots == NULL)
        tail->slots = pk_calloc(PK_TAIL_KEPT, sizeof(*tail->slots));
    from = oldest(tail);
    if (after > 0 && after < tail->next) {
        taking->result->lost = after + 1 < from ? from - after - 1 : 0;
        from = after + 1 > from ? after + 1 : from;
    }
    if (taking->request->newest)
        take_newest(taking, from);
    else
        take_oldest(taking, from);
    pthread_mutex_unlock(&tail->lock);
}

/* The open shard of the partition, as it was when the write was made. */
static pk_slice shard_of(struct pk_arena *arena, const struct pk_tail_entry *entry)
{
    const struct pk_table *table = entry->table;
    const struct pk_stream *stream;

    if (table->stream == PK_STREAM_OFF || table->stream_count == 0)
        return (pk_slice){NULL, 0};
    stream = &table->streams[table->stream_count - 1];
    for (size_t i = stream->shard_count; i-- > 0;) {
        if (stream->shards[i].end == 0 && stream->shards[i].number == entry->shard)
            return pk_shard_id(arena, &stream->shards[i]);
    }
    return (pk_slice){NULL, 0};
}

static enum pk_code hand_out(const struct taking *taking, struct pk_call *call,
                             const struct pk_tail_entry *entry, struct pk_error *err)
{
    const struct pk_tail_record record = {
        .number = entry->number,
        .sequence = entry->sequence,
        .time_ms = entry->time_ms,
        .table = entry->table->name,
        .key = &entry->table->key,
        .event = (int)entry->event,
        .cause = (int)entry->cause,
        .partition = entry->partition,
        .shard = shard_of(call->arena, entry),
        .before = pk_slice_of(entry->bytes, entry->before_len),
        .after = pk_slice_of(entry->bytes + entry->before_len, entry->after_len),
    };

    return taking->request->record(taking->request->context, &record, err);
}

enum pk_code pk_engine_tail(struct pk_engine *engine, struct pk_call *call,
                            const struct pk_tail_request *request, struct pk_tail_result *result,
                            struct pk_error *err)
{
    struct taking taking = {
        .tail = &engine->tail,
        .request = request,
        .result = result,
        .taken = PK_NEW_ARRAY(call->arena, struct pk_tail_entry *, request->limit),
    };
    enum pk_code rc = PK_OK;

    *result = (struct pk_tail_result){.opened_ms = engine->tail.opened_ms};
    take_records(&taking);
    if (request->back > 0 && request->table.data != NULL)
        rc = pk_tail_back(engine, call, request, err);
    for (size_t i = 0; i < taking.count; i++) {
        if (rc == PK_OK)
            rc = hand_out(&taking, call, taking.taken[i], err);
        entry_unref(taking.taken[i]);
    }
    return rc;
}
