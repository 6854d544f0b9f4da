/* A backup's definition as bytes (engine/backup.h). */
#ifndef PK_TABLE_BACKUP_FORM_H
#define PK_TABLE_BACKUP_FORM_H

#include "engine/backup.h"
#include "engine/store/layout.h"

/* On-disk form (do not change) under PK_META_BACKUP id(4): version byte 1, then an item (item.h)
 * whose attributes are named in backup_form.c; new ones may be added, an absent one is its zero. */
void pk_backup_stage(const struct pk_backup *backup, struct pk_batch *batch);
/* A row's name and value. Name and label go to the arena. PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_backup_load(pk_slice name, pk_slice bytes, struct pk_arena *arena,
                                          struct pk_backup *backup, struct pk_error *err);
/* "01912852800000-0000002a", in the arena. */
pk_slice pk_backup_label(struct pk_arena *arena, int64_t created_ms, uint32_t id);
/* The id in a label; 0: it is no label. */
uint32_t pk_backup_label_id(pk_slice label);

#endif
