/* See the header. */
#include "engine/ops/read_note.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

void pk_read_notes_init(struct pk_read_notes *notes)
{
    *notes = (struct pk_read_notes){0};
    pthread_mutex_init(&notes->lock, NULL);
}

static void clear(struct pk_read_notes *notes)
{
    for (size_t i = 0; i < PK_READ_NOTE_TABLES; i++) {
        free(notes->notes[i].rows);
        free(notes->notes[i].low);
        notes->notes[i] = (struct pk_read_note){0};
    }
    pk_lease_end(&notes->lease);
}

void pk_read_notes_release(struct pk_read_notes *notes)
{
    clear(notes);
    pthread_mutex_destroy(&notes->lock);
}

void pk_read_notes_tick(struct pk_read_notes *notes)
{
    if (!pk_lease_is_over(&notes->lease))
        return;
    pthread_mutex_lock(&notes->lock);
    if (pk_lease_is_over(&notes->lease))
        clear(notes);
    pthread_mutex_unlock(&notes->lock);
}

/* Noting ---------------------------------------------------------------------------------------*/

static uint64_t row_hash(pk_slice key)
{
    return pk_hash_fast(key) & ~UINT64_C(1);
}

void pk_reading_add(struct pk_reading *reading, struct pk_arena *arena, pk_slice key, bool returned)
{
    if (!reading->wanted || reading->count == PK_READ_NOTE_ROWS)
        return;
    if (reading->count == reading->cap) {
        size_t cap = reading->cap == 0 ? 16 : 4 * reading->cap;
        uint64_t *rows = PK_NEW_ARRAY(arena, uint64_t, cap);

        if (reading->count > 0)
            memcpy(rows, reading->rows, reading->count * sizeof(*rows));
        reading->rows = rows;
        reading->cap = cap;
    }
    reading->rows[reading->count++] = row_hash(key) | (returned ? 1 : 0);
    if (reading->low.len == 0 || pk_slice_compare(key, reading->low) < 0)
        reading->low = pk_arena_dup(arena, key);
}

/* The table's place; else a free one, else the one that was written longest ago. */
static struct pk_read_note *place_of(struct pk_read_notes *notes, uint32_t table_id)
{
    struct pk_read_note *place = &notes->notes[0];

    for (size_t i = 0; i < PK_READ_NOTE_TABLES; i++) {
        struct pk_read_note *note = &notes->notes[i];

        if (note->table_id == table_id)
            return note;
        if (note->serial < place->serial)
            place = note;
    }
    return place;
}

void pk_read_notes_put(struct pk_read_notes *notes, uint32_t table_id, uint32_t source_id,
                       const struct pk_reading *reading)
{
    struct pk_read_note *note;
    size_t count = reading->count;

    if (!reading->wanted)
        return;
    pthread_mutex_lock(&notes->lock);
    note = place_of(notes, table_id);
    if (note->table_id != table_id || note->source_id != source_id || !reading->goes_on)
        note->count = 0;
    note->table_id = table_id;
    note->source_id = source_id;
    note->serial = ++notes->serial;
    if (count > PK_READ_NOTE_ROWS - note->count)
        count = PK_READ_NOTE_ROWS - note->count;
    if (note->count + count > note->cap) {
        note->cap = note->count + count;
        note->rows = pk_realloc(note->rows, note->cap, sizeof(*note->rows));
    }
    if (count > 0)
        memcpy(note->rows + note->count, reading->rows, count * sizeof(*note->rows));
    note->count += count;
    if (reading->low.len > 0) {
        note->low = pk_realloc(note->low, reading->low.len, 1);
        memcpy(note->low, reading->low.data, reading->low.len);
    }
    note->low_len = reading->low.len;
    pthread_mutex_unlock(&notes->lock);
}

/* Asking ---------------------------------------------------------------------------------------*/

static int compare_rows(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;

    return first < second ? -1 : first > second;
}

void pk_read_notes_get(struct pk_read_notes *notes, uint32_t table_id, uint32_t source_id,
                       struct pk_arena *arena, struct pk_rows_seen *seen)
{
    uint64_t *rows = NULL;

    *seen = (struct pk_rows_seen){0};
    pthread_mutex_lock(&notes->lock);
    pk_lease_renew(&notes->lease);
    for (size_t i = 0; i < PK_READ_NOTE_TABLES; i++) {
        const struct pk_read_note *note = &notes->notes[i];

        if (note->table_id != table_id || note->source_id != source_id || note->count == 0)
            continue;
        seen->serial = note->serial;
        seen->low = pk_arena_dup(arena, pk_slice_of(note->low, note->low_len));
        rows = PK_NEW_ARRAY(arena, uint64_t, note->count);
        memcpy(rows, note->rows, note->count * sizeof(*rows));
        seen->count = note->count;
    }
    pthread_mutex_unlock(&notes->lock);
    if (seen->count > 0)
        qsort(rows, seen->count, sizeof(*rows), compare_rows);
    seen->rows = rows;
}

enum pk_row_read pk_rows_seen_find(const struct pk_rows_seen *seen, pk_slice key)
{
    uint64_t hash = row_hash(key);
    uint64_t returned = hash | 1;

    if (seen->count == 0)
        return PK_ROW_UNREAD;
    if (bsearch(&returned, seen->rows, seen->count, sizeof(hash), compare_rows) != NULL)
        return PK_ROW_RETURNED;
    if (bsearch(&hash, seen->rows, seen->count, sizeof(hash), compare_rows) != NULL)
        return PK_ROW_FILTERED;
    return PK_ROW_UNREAD;
}
