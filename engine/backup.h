/*
 * Backups: copies of a table inside the store (operations.md §11).
 *
 * A backup holds the items of one moment, and the table's definition as it was then; it outlives
 * the table. It is copied from a snapshot, so that nobody has to wait for it: what is small before
 * the call returns, the rest by ticks, and until then the backup is CREATING. A snapshot does not
 * outlive the process: a backup that is CREATING when the store is closed is gone when it is opened
 * again. One that is AVAILABLE stays until it is deleted.
 *
 * Restoring makes a new table, which is CREATING until its items and index entries are there; that
 * goes on after a restart.
 */
#ifndef PK_BACKUP_H
#define PK_BACKUP_H

#include "engine/ops.h"

enum pk_backup_status { PK_BACKUP_CREATING, PK_BACKUP_AVAILABLE, PK_BACKUP_DELETED };

struct pk_backup {
    uint32_t id;
    pk_slice name;  /* the caller's choice; several may have the same */
    pk_slice label; /* "01912852800000-0000002a": ends its ARN, and tells it from all others */
    enum pk_backup_status status;
    int64_t created_ms;
    uint64_t items; /* while it is CREATING: of the table */
    uint64_t bytes;
    struct pk_table *table; /* as it was; a reference */
};
/* Gives the reference back; the rest is the arena's. A zeroed one is accepted. */
void pk_backup_release(struct pk_backup *backup);

/* What an ARN says. */
struct pk_backup_name {
    pk_slice table;
    pk_slice label;
};

/* *backup, and those of the functions below: in the call's arena, the caller releases it.
 * PK_E_TABLE_NOT_FOUND, PK_E_TABLE_IN_USE while the table is being created or deleted. */
PK_MUST_CHECK enum pk_code pk_engine_create_backup(struct pk_engine *engine, struct pk_call *call,
                                                   pk_slice table, pk_slice name,
                                                   struct pk_backup *backup, struct pk_error *err);
/* PK_E_BACKUP_NOT_FOUND with an empty message, here and below: the caller knows the ARN. */
PK_MUST_CHECK enum pk_code pk_engine_backup(struct pk_engine *engine, struct pk_call *call,
                                            const struct pk_backup_name *name,
                                            struct pk_backup *backup, struct pk_error *err);
/* All of them, oldest first. */
PK_MUST_CHECK enum pk_code pk_engine_list_backups(struct pk_engine *engine, struct pk_call *call,
                                                  struct pk_backup **list, size_t *count,
                                                  struct pk_error *err);
void pk_backup_release_all(struct pk_backup *list, size_t count);
/* *backup: as it was. Its rows go in the background. PK_E_BACKUP_IN_USE while it is being created
 * or a table restored from it. */
PK_MUST_CHECK enum pk_code pk_engine_delete_backup(struct pk_engine *engine, struct pk_call *call,
                                                   const struct pk_backup_name *name,
                                                   struct pk_backup *backup, struct pk_error *err);

/* A new table out of a backup. Tags, TTL, stream and deletion protection are not restored. */
struct pk_restore_request {
    struct pk_backup_name backup;
    pk_slice target;
    bool billing_given;
    enum pk_billing billing;
    bool throughput_given;
    struct pk_throughput throughput;
    bool max_given;
    struct pk_max_throughput max;
    /* The indexes to restore, each one of the backup's, and a GSI's throughput may be another; not
     * given: all of them. */
    bool locals_given;
    const struct pk_index_spec *locals;
    size_t local_count;
    bool globals_given;
    const struct pk_index_spec *globals;
    size_t global_count;
};
/* *table is a reference. PK_E_BACKUP_IN_USE while the backup is being created; PK_E_TABLE_EXISTS,
 * or PK_E_TABLE_IN_USE while the target is being created or deleted; PK_E_VALIDATION as for a table
 * that is created, and for an index that the backup has not. */
PK_MUST_CHECK enum pk_code pk_engine_restore_backup(struct pk_engine *engine, struct pk_call *call,
                                                    const struct pk_restore_request *request,
                                                    struct pk_table **table, struct pk_error *err);

#endif
