/* TableDescription: a table as the API shows it (operations.md §8). */
#ifndef CMD_API_DESCRIBE_H
#define CMD_API_DESCRIBE_H

#include "commands/api/api.h"

/* What a table's ARN begins with: one account and region, whatever the client's credentials say. */
#define API_TABLE_ARN "arn:aws:dynamodb:us-east-1:000000000000:table/"

/* Appends the object. `status` is told in place of the table's own, and CREATING also in place of
 * its indexes': what a DDL operation answers although the table is ready by then. NULL: the
 * table's own. */
void api_describe(struct pk_buf *out, struct api_call *call, const struct pk_table *table,
                  const char *status);
/* What DeleteTable answers: as above, without schema, indexes and time of creation. */
void api_describe_deleted(struct pk_buf *out, struct api_call *call, const struct pk_table *table);
/* "ACTIVE": TableStatus and IndexStatus (a static text). */
const char *api_status_name(enum pk_status status);
/* "CREATING" or "DELETING" while the table is: its indexes are so, too. Else NULL. */
const char *api_passing_status(const struct pk_table *table);
/* "arn:aws:dynamodb:…:table/<name>/stream/<label>", in the arena. */
pk_slice api_stream_arn(struct pk_arena *arena, const struct pk_stream_name *stream);
/* "arn:aws:dynamodb:…:table/<name>", and with "/backup/<label>"; in the arena. */
pk_slice api_table_arn(struct pk_arena *arena, pk_slice table);
pk_slice api_backup_arn(struct pk_arena *arena, pk_slice table, pk_slice label);
/* Takes the ARN of something of a table apart: part is "/stream/" or "/backup/". False when it is
 * no such ARN. */
bool api_arn_parts(pk_slice arn, const char *part, pk_slice *table, pk_slice *rest);
/* The member KeySchema. */
void api_add_key_schema(struct pk_buf *out, const struct pk_key_schema *key);
/* The member Projection: its type, and of INCLUDE the names as given. */
void api_add_projection(struct pk_buf *out, const struct pk_index *index);

#endif
