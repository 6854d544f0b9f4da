/* What creating and updating tables share. */
#ifndef PK_OPS_DDL_H
#define PK_OPS_DDL_H

#include "engine/ops/core.h"

/* A reference, or NULL and err filled in the words of a control operation. */
struct pk_table *pk_ddl_need_table(struct pk_engine *engine, pk_slice name, struct pk_error *err);
/* PK_E_IN_USE while the table is being created or deleted. */
PK_MUST_CHECK enum pk_code pk_ddl_check_idle(const struct pk_table *table, struct pk_error *err);
/* The formula for the number of partitions (partitions-capacity.md §3.1). */
enum pk_partition_rule pk_ddl_rule(enum pk_count_rule rule, enum pk_billing billing);
/* How many partitions a new table or index gets by the table's billing mode. */
uint32_t pk_ddl_partitions(const struct pk_engine *engine, const struct pk_table *table,
                           const struct pk_throughput *throughput);
/* Gives new indexes their ids and places in the log, commits and publishes a changed copy and waits
 * for the writers of the old one. Under ddl. */
PK_MUST_CHECK enum pk_code pk_ddl_publish(struct pk_engine *engine, struct pk_table *table,
                                          struct pk_error *err);
/* Drops the table, whatever its state, and waits for its writers. Under ddl. */
PK_MUST_CHECK enum pk_code pk_ddl_drop(struct pk_engine *engine, struct pk_table *table,
                                       struct pk_error *err);
/* The descriptor of a checked definition, with ids, times, partitions and a log, not committed yet.
 * Under ddl. */
struct pk_table *pk_ddl_make(struct pk_engine *engine, const struct pk_table_spec *spec);
/* A request's warm throughput, 0 where it says nothing, against what the table has: it never falls
 * (partitions-capacity.md §5.4). */
PK_MUST_CHECK enum pk_code pk_ddl_check_warm(const struct pk_table *table, int64_t read,
                                             int64_t write, struct pk_error *err);
/* A copy that shows the given state (of the indexes, too, unless it is UPDATING). */
struct pk_table *pk_ddl_answer(const struct pk_table *table, enum pk_status status);

#endif
