/* Backups in check and repair. */
#ifndef PK_OPS_BACKUP_CHECK_H
#define PK_OPS_BACKUP_CHECK_H

#include "engine/ops/core.h"
#include "engine/ops/fault.h"

/* What a check of the backups needs. */
struct pk_backup_check {
    const struct pk_snap *snap;
    const struct pk_call *call;
    const struct pk_retired *retired; /* ids whose rows are still to be deleted */
    size_t retired_count;
    struct pk_faults *faults;
    struct pk_check_result *result;
};
/* Reads each backup: its rows decode and sit under their own keys; one that is AVAILABLE has as
 * many as it says. Rows of no backup are faults. */
PK_MUST_CHECK enum pk_code pk_backup_check(const struct pk_backup_check *check,
                                           struct pk_error *err);
/* Takes away rows that are no items, says how many are left, and drops backups whose definition is
 * damaged. Nobody else is using the engine. */
PK_MUST_CHECK enum pk_code pk_backup_rebuild(struct pk_engine *engine, struct pk_faults *lost,
                                             struct pk_error *err);

#endif
