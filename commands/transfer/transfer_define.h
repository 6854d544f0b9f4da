/* Building CreateTable requests for tables whose definition is not given as one. */
#ifndef CMD_TRANSFER_DEFINE_H
#define CMD_TRANSFER_DEFINE_H

#include "engine/schema.h"

struct cJSON;

/* An on-demand table with this key and no name yet; the caller's. */
struct cJSON *transfer_create_new(const struct pk_key_schema *key);
/* Adds a GSI that projects everything; the request owns the answer, to which more can be added. */
struct cJSON *transfer_create_gsi(struct cJSON *create, pk_slice name,
                                  const struct pk_key_schema *key);

#endif
