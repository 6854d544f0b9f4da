#include "engine/log/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/base64.h"
#include "engine/base/buf.h"
#include "engine/base/hash.h"

/* Names ----------------------------------------------------------------------------------------*/

enum { LABEL_LEN = 23 };

pk_slice pk_stream_label(struct pk_arena *arena, int64_t label_ms)
{
    time_t seconds = (time_t)(label_ms / 1000);
    struct tm tm = {0};

    gmtime_r(&seconds, &tm);
    return pk_arena_printf(arena, "%04d-%02d-%02dT%02d:%02d:%02d.%03d", tm.tm_year + 1900,
                           tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                           (int)(label_ms % 1000));
}

/* The digits of text[at .. at + n), -1 when there are others. */
static int digits(pk_slice text, size_t at, size_t n)
{
    int number = 0;

    for (size_t i = at; i < at + n; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        number = number * 10 + (text.data[i] - '0');
    }
    return number;
}

bool pk_stream_parse_label(pk_slice text, int64_t *label_ms)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddd";
    struct tm tm = {0};

    if (text.len != LABEL_LEN)
        return false;
    for (size_t i = 0; i < LABEL_LEN; i++) {
        bool digit = text.data[i] >= '0' && text.data[i] <= '9';

        if (shape[i] == 'd' ? !digit : text.data[i] != shape[i])
            return false;
    }
    tm.tm_year = digits(text, 0, 4) - 1900;
    tm.tm_mon = digits(text, 5, 2) - 1;
    tm.tm_mday = digits(text, 8, 2);
    tm.tm_hour = digits(text, 11, 2);
    tm.tm_min = digits(text, 14, 2);
    tm.tm_sec = digits(text, 17, 2);
    *label_ms = (int64_t)timegm(&tm) * 1000 + digits(text, 20, 3);
    return true;
}

pk_slice pk_shard_id(struct pk_arena *arena, const struct pk_shard *shard)
{
    return pk_arena_printf(arena, "shardId-%020" PRId64 "-%08" PRIx32, shard->opened_ms,
                           shard->serial);
}

pk_slice pk_sequence_text(struct pk_arena *arena, uint64_t sequence)
{
    return pk_arena_printf(arena, "1%020" PRIu64, sequence);
}

bool pk_sequence_parse(pk_slice text, uint64_t *sequence)
{
    bool above = false;
    uint64_t number = 0;

    if (text.len < PK_SEQUENCE_DIGITS || text.len > PK_SEQUENCE_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        if (i + 20 < text.len)
            above = above || text.data[i] > (i + 21 == text.len ? '1' : '0');
        else
            above = above || __builtin_mul_overflow(number, UINT64_C(10), &number) ||
                    __builtin_add_overflow(number, (uint64_t)(text.data[i] - '0'), &number);
    }
    if (above)
        *sequence = UINT64_MAX;
    else
        *sequence = text.data[text.len - 21] == '0' ? 0 : number;
    return true;
}

/* Lookups --------------------------------------------------------------------------------------*/

bool pk_stream_has_old(enum pk_stream_view view)
{
    return view == PK_STREAM_OLD_IMAGE || view == PK_STREAM_NEW_AND_OLD;
}

bool pk_stream_has_new(enum pk_stream_view view)
{
    return view == PK_STREAM_NEW_IMAGE || view == PK_STREAM_NEW_AND_OLD;
}

bool pk_stream_is_over(const struct pk_stream *stream, int64_t now_ms, uint64_t retention_ms)
{
    return stream->closed_ms != 0 && stream->closed_ms + (int64_t)retention_ms < now_ms;
}

uint64_t pk_stream_next_sequence(const struct pk_table *table)
{
    uint64_t next = 0;

    for (size_t i = 0; i < table->stream_count; i++) {
        for (size_t k = 0; k < table->streams[i].shard_count; k++) {
            const struct pk_shard *shard = &table->streams[i].shards[k];

            if (shard->first > next)
                next = shard->first;
            if (shard->end > next)
                next = shard->end;
        }
    }
    return next;
}

const struct pk_stream *pk_stream_find(const struct pk_table *table, int64_t label_ms)
{
    for (size_t i = 0; i < table->stream_count; i++) {
        if (table->streams[i].label_ms == label_ms)
            return &table->streams[i];
    }
    return NULL;
}

const struct pk_shard *pk_stream_shard(const struct pk_stream *stream, uint32_t serial)
{
    for (size_t i = 0; i < stream->shard_count; i++) {
        if (stream->shards[i].serial == serial)
            return &stream->shards[i];
    }
    return NULL;
}

const struct pk_shard *pk_stream_shard_by_id(const struct pk_stream *stream, pk_slice id)
{
    char text[PK_SHARD_ID_LEN + 8];

    for (size_t i = 0; i < stream->shard_count; i++) {
        const struct pk_shard *shard = &stream->shards[i];

        snprintf(text, sizeof(text), "shardId-%020" PRId64 "-%08" PRIx32, shard->opened_ms,
                 shard->serial);
        if (pk_slice_is(id, text))
            return shard;
    }
    return NULL;
}

/* Changes --------------------------------------------------------------------------------------*/

void pk_stream_open(struct pk_table *table, struct pk_arena *arena, int64_t now_ms, uint64_t first)
{
    struct pk_stream *streams = PK_NEW_ARRAY(arena, struct pk_stream, table->stream_count + 1);
    struct pk_stream *made = &streams[table->stream_count];
    int64_t label_ms = now_ms;

    for (size_t i = 0; i < table->stream_count; i++) {
        streams[i] = table->streams[i];
        if (streams[i].label_ms >= label_ms)
            label_ms = streams[i].label_ms + 1;
    }
    *made = (struct pk_stream){
        .label_ms = label_ms,
        .view = table->stream,
        .shards = PK_NEW_ARRAY(arena, struct pk_shard, table->partitions.count),
        .shard_count = table->partitions.count,
    };
    for (uint32_t i = 0; i < table->partitions.count; i++)
        made->shards[i] = (struct pk_shard){.serial = i + 1,
                                            .number = table->partitions.list[i].id,
                                            .opened_ms = label_ms,
                                            .first = first};
    table->streams = streams;
    table->stream_count++;
}

/* An empty shard ends where it began; 0 would say that it is open. */
static void close_shard(struct pk_shard *shard, uint64_t end)
{
    if (shard->end == 0)
        shard->end = end > shard->first ? end : shard->first;
}

void pk_stream_close(struct pk_table *table, int64_t now_ms, uint64_t end)
{
    struct pk_stream *last = &table->streams[table->stream_count - 1];

    table->stream = PK_STREAM_OFF;
    last->closed_ms = now_ms;
    for (size_t i = 0; i < last->shard_count; i++)
        close_shard(&last->shards[i], end);
}

static bool is_child(const struct pk_partition_entry *partition, const struct pk_shard_split *split)
{
    return partition->id >= split->first_id;
}

/* By partition id: the open shard of a partition that was split. NULL for others. */
static struct pk_shard **parents_of(struct pk_shard *shards, size_t count,
                                    const struct pk_shard_split *split)
{
    const struct pk_partitions *partitions = split->partitions;
    struct pk_shard **parents = pk_calloc(partitions->next_id, sizeof(struct pk_shard *));

    for (size_t i = 0; i < count; i++) {
        if (shards[i].end == 0 && shards[i].number < split->first_id)
            parents[shards[i].number] = &shards[i];
    }
    for (uint32_t i = 0; i < partitions->count; i++) {
        if (!is_child(&partitions->list[i], split))
            parents[partitions->list[i].id] = NULL;
    }
    return parents;
}

void pk_stream_split(struct pk_stream *stream, struct pk_arena *arena,
                     const struct pk_shard_split *split)
{
    const struct pk_partitions *partitions = split->partitions;
    size_t count = stream->shard_count;
    struct pk_shard *shards = PK_NEW_ARRAY(arena, struct pk_shard, count + partitions->count);
    uint32_t serial = stream->shards[count - 1].serial;
    struct pk_shard **parents;

    memcpy(shards, stream->shards, count * sizeof(*shards));
    parents = parents_of(shards, count, split);
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct pk_partition_entry *partition = &partitions->list[i];
        struct pk_shard *parent = is_child(partition, split) ? parents[partition->parent] : NULL;

        if (parent == NULL)
            continue;
        close_shard(parent, split->end);
        shards[stream->shard_count++] = (struct pk_shard){.serial = ++serial,
                                                          .parent = parent->serial,
                                                          .number = partition->id,
                                                          .opened_ms = split->now_ms,
                                                          .first = parent->end};
    }
    free(parents);
    stream->shards = shards;
}

/* A shard closes when its children open. */
static bool is_behind(const struct pk_stream *stream, const struct pk_shard *shard,
                      int64_t oldest_ms)
{
    if (shard->end == 0)
        return false;
    for (size_t i = 0; i < stream->shard_count; i++) {
        if (stream->shards[i].parent == shard->serial)
            return stream->shards[i].opened_ms < oldest_ms;
    }
    return false;
}

bool pk_stream_roll_over(struct pk_stream *stream, struct pk_arena *arena,
                         const struct pk_rollover *rollover)
{
    int64_t oldest_ms = rollover->now_ms - (int64_t)rollover->retention_ms;
    struct pk_shard *shards = PK_NEW_ARRAY(arena, struct pk_shard, 2 * stream->shard_count);
    uint32_t serial = stream->shards[stream->shard_count - 1].serial;
    size_t kept = 0;
    size_t made;

    for (size_t i = 0; i < stream->shard_count; i++) {
        if (!is_behind(stream, &stream->shards[i], oldest_ms))
            shards[kept++] = stream->shards[i];
    }
    made = kept;
    for (size_t i = 0; i < kept; i++) {
        if (shards[i].end != 0 ||
            shards[i].opened_ms + (int64_t)rollover->age_ms > rollover->now_ms)
            continue;
        close_shard(&shards[i], rollover->end);
        shards[made++] = (struct pk_shard){.serial = ++serial,
                                           .parent = shards[i].serial,
                                           .number = shards[i].number,
                                           .opened_ms = rollover->now_ms,
                                           .first = shards[i].end};
    }
    if (made == stream->shard_count && kept == made)
        return false;
    stream->shards = shards;
    stream->shard_count = made;
    return true;
}

int64_t pk_stream_rollover_due(const struct pk_stream *stream, uint64_t age_ms)
{
    int64_t due_ms = INT64_MAX;

    for (size_t i = 0; i < stream->shard_count && stream->closed_ms == 0; i++) {
        const struct pk_shard *shard = &stream->shards[i];

        if (shard->end == 0 && shard->opened_ms + (int64_t)age_ms < due_ms)
            due_ms = shard->opened_ms + (int64_t)age_ms;
    }
    return due_ms;
}

bool pk_stream_forget(struct pk_table *table, int64_t now_ms, uint64_t retention_ms)
{
    size_t kept = 0;
    bool any;

    for (size_t i = 0; i < table->stream_count; i++) {
        if (!pk_stream_is_over(&table->streams[i], now_ms, retention_ms))
            table->streams[kept++] = table->streams[i];
    }
    any = kept < table->stream_count;
    table->stream_count = kept;
    return any;
}

/* Iterators ------------------------------------------------------------------------------------*/

/* version byte, label(8), shard(4), next(8), issued(8), reader(8), table's name, checksum(8) */
enum { ITERATOR_VERSION = 2, CHECKSUM = 8, HASH = 32 };

static void checksum(pk_slice bytes, uint64_t secret, unsigned char hash[HASH])
{
    struct pk_buf keyed = PK_BUF_INIT;

    pk_buf_add_u64be(&keyed, secret);
    pk_buf_add(&keyed, bytes);
    pk_hash_sha256(pk_buf_slice(&keyed), hash);
    pk_buf_release(&keyed);
}

pk_slice pk_iterator_text(struct pk_arena *arena, const struct pk_iterator *iterator,
                          uint64_t secret)
{
    struct pk_buf bytes = PK_BUF_INIT;
    struct pk_buf text = PK_BUF_INIT;
    unsigned char hash[HASH];
    pk_slice result;

    pk_buf_add_byte(&bytes, ITERATOR_VERSION);
    pk_buf_add_u64be(&bytes, (uint64_t)iterator->label_ms);
    pk_buf_add_u32be(&bytes, iterator->shard);
    pk_buf_add_u64be(&bytes, iterator->next);
    pk_buf_add_u64be(&bytes, (uint64_t)iterator->issued_ms);
    pk_buf_add_u64be(&bytes, iterator->reader);
    pk_buf_add(&bytes, iterator->table);
    checksum(pk_buf_slice(&bytes), secret, hash);
    pk_buf_add(&bytes, pk_slice_of((const char *)hash, CHECKSUM));
    pk_base64_encode(&text, pk_buf_slice(&bytes));
    result = pk_arena_dup(arena, pk_buf_slice(&text));
    pk_buf_release(&bytes);
    pk_buf_release(&text);
    return result;
}

bool pk_iterator_parse(struct pk_arena *arena, pk_slice text, uint64_t secret,
                       struct pk_iterator *iterator)
{
    unsigned char hash[HASH];
    unsigned char version = 0;
    uint64_t label = 0;
    uint64_t issued = 0;
    pk_slice bytes;
    pk_slice sum;

    if (pk_base64_decode(arena, text, &bytes) != PK_BASE64_OK || bytes.len <= CHECKSUM)
        return false;
    sum = pk_slice_skip(bytes, bytes.len - CHECKSUM);
    bytes.len -= CHECKSUM;
    checksum(bytes, secret, hash);
    if (memcmp(hash, sum.data, CHECKSUM) != 0 || !pk_take_byte(&bytes, &version) ||
        version != ITERATOR_VERSION || !pk_take_u64be(&bytes, &label) ||
        !pk_take_u32be(&bytes, &iterator->shard) || !pk_take_u64be(&bytes, &iterator->next) ||
        !pk_take_u64be(&bytes, &issued) || !pk_take_u64be(&bytes, &iterator->reader))
        return false;
    iterator->label_ms = (int64_t)label;
    iterator->issued_ms = (int64_t)issued;
    iterator->table = bytes;
    return true;
}
