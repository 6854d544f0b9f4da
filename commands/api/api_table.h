/* Parts of a table's definition in a request: what CreateTable and the restores share. */
#ifndef CMD_API_TABLE_H
#define CMD_API_TABLE_H

#include "commands/api/api.h"

/* A list of index definitions (NULL: none), in the arena. */
const struct pk_index_spec *api_read_indexes(struct pk_arena *arena, const struct cJSON *list,
                                             bool local, size_t *count);
/* The member of that name: ReadCapacityUnits and WriteCapacityUnits. False, and *out unchanged,
 * when it is absent. */
bool api_read_throughput(const struct cJSON *object, const char *name, struct pk_throughput *out);
/* MaxReadRequestUnits and MaxWriteRequestUnits, -1 for what is absent. False when all is. */
bool api_read_max(const struct cJSON *object, const char *name, struct pk_max_throughput *out);

#endif
