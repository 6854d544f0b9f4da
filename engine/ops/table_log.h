/*
 * A table's change log and its readers while the engine is open: the companion of the table's
 * descriptors, shared by all versions of them.
 *
 * Whoever applies records to an index, moves its cursor, counts its rows or adds or removes a
 * reader holds `apply`. It is never taken under a latch; latches, and the log's own lock, may be
 * taken under it.
 */
#ifndef PK_OPS_TABLE_LOG_H
#define PK_OPS_TABLE_LOG_H

#include "engine/log/change_log.h"
#include "engine/log/cursor.h"
#include "engine/ops/core.h"
#include "engine/table/descriptor.h"

struct pk_capacity;

/* A GSI as a reader of the log. */
struct pk_index_reader {
    atomic_uint index_id;          /* 0: the slot is free */
    atomic_uint_least64_t applied; /* every record below has been applied */
    struct pk_cursor cursor;       /* under apply */
};

struct pk_table_log {
    struct pk_companion companion; /* first */
    struct pk_capacity *capacity;  /* owned (capacity.h) */
    struct pk_log log;
    pthread_mutex_t apply;
    bool dropped;     /* under apply: the table's rows are being deleted, none may be written */
    atomic_bool left; /* dropped, and the last writer has gone: no record will follow */
    struct pk_index_reader readers[PK_GSI_MAX + 1]; /* one more: created while one goes */
};

/* Gives a table its log, with a reader for each GSI: a new table, which has its ids. */
void pk_table_log_new(struct pk_table *table);
/* The same for all tables of the catalog, which were there before: reads their logs and cursors.
 * PK_E_IO, PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_table_log_open_all(struct pk_engine *engine, struct pk_error *err);
/* Borrowed. */
struct pk_table_log *pk_table_log(const struct pk_table *table);

/* True when somebody durable reads the table: a GSI, or a stream. Else nothing is logged. */
bool pk_table_log_wanted(const struct pk_table *table);

/* The index's reader, or NULL. For more than `applied` hold apply. */
struct pk_index_reader *pk_table_log_reader(struct pk_table_log *log, uint32_t index_id);
/* Under apply. A reader that begins at `begin`; free slots are enough for every GSI. */
struct pk_index_reader *pk_table_log_add_reader(struct pk_table_log *log, uint32_t index_id,
                                                uint64_t begin);
void pk_table_log_remove_reader(struct pk_table_log *log, uint32_t index_id);

#endif
