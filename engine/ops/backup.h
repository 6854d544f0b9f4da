/*
 * Backups, inside the engine (engine/backup.h has their contract).
 *
 *   CreateBackup  takes a snapshot, and commits the definition, CREATING, with its id
 *   ticks         copy the snapshot's rows from 't' to 'b', in key order, in batches
 *   last one      commits the definition again, AVAILABLE, with the last rows
 *   DeleteBackup  takes the definition away and retires the id: the sweep deletes the rows
 *
 * A definition changes under catalog.ddl, but for the last step, which concerns one that nobody
 * else may change. What is copied when is one thread's business at a time: the one that made it,
 * then the one that ticks.
 */
#ifndef PK_OPS_BACKUP_H
#define PK_OPS_BACKUP_H

#include "engine/backup.h"
#include "engine/ops/core.h"

/* How much a step of copying may do: it ends when either is used up. */
struct pk_copy_budget {
    size_t rows;
    size_t bytes;
};
/* What is copied before the call returns. */
enum { PK_COPY_ROWS_AT_ONCE = 2000, PK_COPY_BYTES_AT_ONCE = 4 << 20 };
/* One commit of copied rows ends there. */
enum { PK_COPY_COMMIT_ROWS = 256, PK_COPY_COMMIT_BYTES = 1 << 20 };

void pk_backup_jobs_init(struct pk_backup_jobs *jobs);
/* Gives up what is being copied: its snapshots are of a store that is about to be closed. */
void pk_backup_jobs_clear(struct pk_backup_jobs *jobs);
void pk_backup_jobs_release(struct pk_backup_jobs *jobs);

/* Takes away the backups that were CREATING when the process ended. */
PK_MUST_CHECK enum pk_code pk_backup_open_all(struct pk_engine *engine, struct pk_error *err);
/* Copies on. *more: another call would go on. One caller at a time. */
PK_MUST_CHECK enum pk_code pk_backup_tick(struct pk_engine *engine, struct pk_copy_budget budget,
                                          bool *more, struct pk_error *err);

/* The backup of that name; PK_E_BACKUP_NOT_FOUND with an empty message. */
PK_MUST_CHECK enum pk_code pk_backup_find(struct pk_engine *engine, struct pk_arena *arena,
                                          const struct pk_backup_name *name,
                                          struct pk_backup *backup, struct pk_error *err);
/* All definitions of a state, oldest first (arena); damaged ones are told apart (NULL: left out).
 */
struct pk_backup_damaged {
    void (*tell)(void *context, uint32_t id); /* 0: the id is not known either */
    void *context;
};
PK_MUST_CHECK enum pk_code pk_backup_read_all(const struct pk_snap *snap, struct pk_arena *arena,
                                              struct pk_backup **list, size_t *count,
                                              const struct pk_backup_damaged *damaged,
                                              struct pk_error *err);

#endif
