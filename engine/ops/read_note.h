/*
 * How the last read of each table went over its rows: which it returned, and which it read and left
 * out. For the viewport (looking.h), and noted only while somebody has one open.
 *
 * A read notes itself by the key of each row, hashed, up to a bound; a read that goes on from a
 * start key in the same table or index adds to the note. Tables beyond the bound push out the one
 * that was noted longest ago.
 */
#ifndef PK_OPS_READ_NOTE_H
#define PK_OPS_READ_NOTE_H

#include <pthread.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/looking.h"
#include "engine/ops/lease.h"

enum { PK_READ_NOTE_ROWS = 4096, PK_READ_NOTE_TABLES = 32 };

struct pk_read_note {
    uint32_t table_id;  /* 0: free */
    uint32_t source_id; /* of the table or of the index that was read */
    uint64_t serial;    /* the larger the later */
    uint64_t *rows;     /* hash of the key, its lowest bit: returned */
    size_t count, cap;
    char *low; /* the smallest of the keys; NULL: no row was read */
    size_t low_len;
};
struct pk_read_notes {
    struct pk_lease lease;
    pthread_mutex_t lock; /* guards the rest; held for a moment, nothing is taken under it */
    uint64_t serial;
    struct pk_read_note notes[PK_READ_NOTE_TABLES];
};

void pk_read_notes_init(struct pk_read_notes *notes);
void pk_read_notes_release(struct pk_read_notes *notes);
/* Forgets everything when the lease is over: called by the tick. */
void pk_read_notes_tick(struct pk_read_notes *notes);

/* What one read collects; {0} with nothing wanted. */
struct pk_reading {
    bool wanted;
    bool goes_on; /* from where an earlier page ended */
    uint64_t *rows;
    size_t count, cap;
    pk_slice low; /* the smallest of the keys, in the arena */
};
void pk_reading_add(struct pk_reading *reading, struct pk_arena *arena, pk_slice key,
                    bool returned);
void pk_read_notes_put(struct pk_read_notes *notes, uint32_t table_id, uint32_t source_id,
                       const struct pk_reading *reading);

/* The note of that table when its last read was of that source: a sorted copy in the arena. */
struct pk_rows_seen {
    const uint64_t *rows;
    size_t count;
    uint64_t serial; /* of the read; 0: there was none */
    pk_slice low;    /* the smallest of the keys, in the arena; empty: no row was read */
};
void pk_read_notes_get(struct pk_read_notes *notes, uint32_t table_id, uint32_t source_id,
                       struct pk_arena *arena, struct pk_rows_seen *seen);
enum pk_row_read pk_rows_seen_find(const struct pk_rows_seen *seen, pk_slice key);

#endif
