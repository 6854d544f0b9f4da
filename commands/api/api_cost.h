/* ConsumedCapacity and ItemCollectionMetrics of responses (operations.md §3). */
#ifndef CMD_API_COST_H
#define CMD_API_COST_H

#include "engine/ops.h"

struct cJSON;

enum api_cost_mode { API_COST_NONE, API_COST_TOTAL, API_COST_INDEXES };

/* The request's ReturnConsumedCapacity. */
enum api_cost_mode api_cost_mode(const struct cJSON *request);
/* Appends the member "ConsumedCapacity" with one object; nothing for API_COST_NONE. */
void api_cost_add(struct pk_buf *out, enum api_cost_mode mode, const struct pk_cost *cost);
/* Appends it with an array, an entry a table; a transaction's entries also say Read- or
 * WriteCapacityUnits at each level. */
enum api_cost_kind { API_COST_PLAIN, API_COST_TRANSACTION };
void api_costs_add(struct pk_buf *out, enum api_cost_mode mode, enum api_cost_kind kind,
                   const struct pk_cost *costs, size_t count);

/* Appends "ItemCollectionMetrics" of one write when the request asked for it and the table has
 * item collections of known size. */
void api_metrics_add(struct pk_buf *out, const struct cJSON *request,
                     const struct pk_write_result *result);
/* The map table → list of metrics, of batch and transactional writes; tables without an LSI are
 * left out. Only when the request asked for it. */
void api_metrics_add_all(struct pk_buf *out, const struct cJSON *request,
                         const struct pk_write *writes, const struct pk_write_result *results,
                         size_t count);

#endif
