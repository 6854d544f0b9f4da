/* Backups as the commands see them: found by name, and described. */
#ifndef CMD_BACKUPS_H
#define CMD_BACKUPS_H

#include "commands/cmd.h"

/* One page of ListBackups, from `after` on (data NULL: the first); the answer is the caller's. */
PK_MUST_CHECK enum pk_code cmd_backups_page(struct cmd_context *context, pk_slice after,
                                            struct cJSON **answer, struct pk_error *err);
/* The ARN of the one backup of that name (or ARN), in the arena. PK_E_USAGE when there is none, or
 * several. */
PK_MUST_CHECK enum pk_code cmd_backups_find(struct cmd_context *context, pk_slice name,
                                            struct pk_arena *arena, pk_slice *arn,
                                            struct pk_error *err);
/* DescribeBackup's BackupDescription, in *answer, which is the caller's. */
PK_MUST_CHECK enum pk_code cmd_backups_describe(struct cmd_context *context, pk_slice arn,
                                                struct cJSON **answer,
                                                const struct cJSON **description,
                                                struct pk_error *err);
/* "3 items, 118 B" of a description, in the arena. */
pk_slice cmd_backups_contents(struct pk_arena *arena, const struct cJSON *description);

#endif
