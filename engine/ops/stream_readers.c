/* See the header. */
#include "engine/ops/stream_readers.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/mem.h"

/* Ids are even, or odd for who resumes; later ones are larger, also over openings of a store: an
 * iterator outlives one. */
enum { RESUMES = 1, ID_STEP = 2 };

void pk_stream_readers_init(struct pk_stream_readers *readers)
{
    *readers = (struct pk_stream_readers){.last_id = (uint64_t)pk_clock_real_ms() << 20};
    pthread_mutex_init(&readers->lock, NULL);
}

void pk_stream_readers_release(struct pk_stream_readers *readers)
{
    free(readers->list);
    readers->list = NULL;
    readers->count = readers->cap = 0;
    pthread_mutex_destroy(&readers->lock);
}

uint64_t pk_stream_readers_id(struct pk_stream_readers *readers, bool resumes)
{
    uint64_t id;

    pthread_mutex_lock(&readers->lock);
    readers->last_id += ID_STEP;
    id = readers->last_id | (resumes ? RESUMES : 0);
    pthread_mutex_unlock(&readers->lock);
    return id;
}

/* Under the lock -------------------------------------------------------------------------------*/

static bool is_of_stream(const struct pk_stream_reader *a, const struct pk_stream_reader *b)
{
    return a->table_id == b->table_id && a->label_ms == b->label_ms;
}

/* Those that stay keep their order. */
static void remove_at(struct pk_stream_readers *readers, size_t i)
{
    readers->count--;
    memmove(&readers->list[i], &readers->list[i + 1],
            (readers->count - i) * sizeof(readers->list[0]));
}

static void forget_gone(struct pk_stream_readers *readers, int64_t now_us)
{
    for (size_t i = readers->count; i-- > 0;) {
        if (now_us - readers->list[i].heard_us >= PK_STREAM_READER_GONE_US)
            remove_at(readers, i);
    }
}

/* The one not heard of for the longest time, of those of the stream or (NULL) of all; `count` is
 * set to how many there are. */
static size_t quietest(const struct pk_stream_readers *readers,
                       const struct pk_stream_reader *of_stream, size_t *count)
{
    size_t found = 0;

    *count = 0;
    for (size_t i = 0; i < readers->count; i++) {
        if (of_stream != NULL && !is_of_stream(&readers->list[i], of_stream))
            continue;
        if ((*count)++ == 0 || readers->list[i].heard_us < readers->list[found].heard_us)
            found = i;
    }
    return found;
}

static void make_room(struct pk_stream_readers *readers, const struct pk_stream_reader *newcomer)
{
    size_t count;
    size_t least = quietest(readers, newcomer, &count);

    if (count >= PK_STREAM_READERS_MAX)
        remove_at(readers, least);
    least = quietest(readers, NULL, &count);
    if (count >= PK_STREAM_READERS_ALL)
        remove_at(readers, least);
    if (readers->count == readers->cap) {
        readers->cap = 2 * readers->cap + 16;
        readers->list = pk_realloc(readers->list, readers->cap, sizeof(readers->list[0]));
    }
}

/* An older reader that stopped where this one begins. */
static bool is_resumed(const struct pk_stream_reader *older,
                       const struct pk_stream_reading *reading)
{
    const struct pk_stream_reader *reader = &reading->reader;

    return (reader->id & RESUMES) != 0 && is_of_stream(older, reader) &&
           older->shard == reader->shard && older->id < reader->id &&
           older->read_to == reading->begun;
}

static struct pk_stream_reader *find(struct pk_stream_readers *readers,
                                     const struct pk_stream_reading *reading)
{
    const struct pk_stream_reader *reader = &reading->reader;

    for (size_t i = 0; i < readers->count; i++) {
        struct pk_stream_reader *known = &readers->list[i];

        if (known->id == reader->id && known->shard == reader->shard && is_of_stream(known, reader))
            return known;
    }
    for (size_t i = 0; i < readers->count; i++) {
        if (is_resumed(&readers->list[i], reading))
            return &readers->list[i];
    }
    return NULL;
}

/* Of what was counted it has got the first ones. */
static void count_down(struct pk_stream_reader *known, const struct pk_stream_reading *reading)
{
    const struct pk_stream_reader *reader = &reading->reader;

    if (reading->begun == known->next && reader->next < known->counted_to &&
        known->counted >= reader->records)
        known->counted -= reader->records;
    else
        known->counted = known->counted_to = 0;
    if (known->counted_to < reader->next)
        known->counted_to = reader->next;
}

static void move(struct pk_stream_reader *known, const struct pk_stream_reading *reading)
{
    const struct pk_stream_reader *reader = &reading->reader;

    count_down(known, reading);
    known->id = reader->id;
    known->next = reader->next;
    if (reader->records > 0 || reading->begun < known->read_to)
        known->read_to = reader->read_to;
    known->records += reader->records;
    known->heard_us = reader->heard_us;
}

static uint32_t next_number(const struct pk_stream_readers *readers,
                            const struct pk_stream_reader *of_stream)
{
    uint32_t last = 0;

    for (size_t i = 0; i < readers->count; i++) {
        if (is_of_stream(&readers->list[i], of_stream) && readers->list[i].number > last)
            last = readers->list[i].number;
    }
    return last + 1;
}

static void add(struct pk_stream_readers *readers, const struct pk_stream_reading *reading)
{
    struct pk_stream_reader *added;

    make_room(readers, &reading->reader);
    added = &readers->list[readers->count];
    *added = reading->reader;
    added->number = next_number(readers, added);
    readers->count++;
    added->counted = 0;
    added->counted_to = added->next;
}

/* Noting and looking ---------------------------------------------------------------------------*/

void pk_stream_readers_note(struct pk_stream_readers *readers,
                            const struct pk_stream_reading *reading)
{
    struct pk_stream_reader *known;

    pthread_mutex_lock(&readers->lock);
    known = find(readers, reading);
    if (known != NULL && reading->ended)
        remove_at(readers, (size_t)(known - readers->list));
    else if (known != NULL)
        move(known, reading);
    else if (!reading->ended)
        add(readers, reading);
    pthread_mutex_unlock(&readers->lock);
}

void pk_stream_readers_leave(struct pk_stream_readers *readers, uint64_t id, uint32_t shard)
{
    pthread_mutex_lock(&readers->lock);
    for (size_t i = readers->count; i-- > 0;) {
        if (readers->list[i].id == id && readers->list[i].shard == shard)
            remove_at(readers, i);
    }
    pthread_mutex_unlock(&readers->lock);
}

void pk_stream_readers_tick(struct pk_stream_readers *readers, int64_t now_us)
{
    pthread_mutex_lock(&readers->lock);
    forget_gone(readers, now_us);
    pthread_mutex_unlock(&readers->lock);
}

size_t pk_stream_readers_get(struct pk_stream_readers *readers, struct pk_arena *arena,
                             uint32_t table_id, struct pk_stream_reader **list)
{
    size_t count = 0;

    pthread_mutex_lock(&readers->lock);
    *list = PK_NEW_ARRAY(arena, struct pk_stream_reader, readers->count);
    for (size_t i = 0; i < readers->count; i++) {
        if (readers->list[i].table_id == table_id)
            (*list)[count++] = readers->list[i];
    }
    pthread_mutex_unlock(&readers->lock);
    return count;
}

void pk_stream_readers_counted(struct pk_stream_readers *readers,
                               const struct pk_stream_reader *reader)
{
    pthread_mutex_lock(&readers->lock);
    for (size_t i = 0; i < readers->count; i++) {
        struct pk_stream_reader *known = &readers->list[i];

        if (known->id != reader->id || known->shard != reader->shard ||
            known->next != reader->next || known->counted_to > reader->counted_to)
            continue;
        known->counted = reader->counted;
        known->counted_to = reader->counted_to;
    }
    pthread_mutex_unlock(&readers->lock);
}
