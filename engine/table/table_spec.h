/*
 * CreateTable's definition, checked and turned into a descriptor (operations.md §8, checks 3 to 8).
 *
 * The shapes and enums of the request (checks 1 and 2) are the API's work; whether the name is free
 * (check 9) is the catalog's.
 */
#ifndef PK_TABLE_TABLE_SPEC_H
#define PK_TABLE_TABLE_SPEC_H

#include "engine/ops.h"

/* The units of throughput that may be asked for. */
#define PK_THROUGHPUT_MAX INT64_C(1000000000000)

/* PK_E_VALIDATION with DynamoDB's message, in its order. */
PK_MUST_CHECK enum pk_code pk_table_spec_check(const struct pk_table_spec *spec,
                                               struct pk_error *err);
/* The descriptor of a checked definition: no ids, UUID, times, partitions or counters yet; its
 * status and its indexes' is ACTIVE. */
struct pk_table *pk_table_spec_build(const struct pk_table_spec *spec);

/* One index definition against the definitions of attributes (also UpdateTable's Create). */
PK_MUST_CHECK enum pk_code pk_index_spec_check_keys(const struct pk_index_spec *spec,
                                                    const struct pk_key_attr *attributes,
                                                    size_t attribute_count, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_index_spec_check_projection(const struct pk_index_spec *spec,
                                                          struct pk_error *err);
/* A GSI's throughput on a table of that billing mode. */
PK_MUST_CHECK enum pk_code pk_index_spec_check_throughput(const struct pk_index_spec *spec,
                                                          enum pk_billing billing,
                                                          struct pk_error *err);
/* Fills a zeroed index from its checked definition; what it points to goes to the arena. ACTIVE, no
 * id, no partitions. */
void pk_index_spec_build(const struct pk_index_spec *spec, const struct pk_key_attr *attributes,
                         size_t attribute_count, struct pk_arena *arena, struct pk_index *index);
/* PK_E_VALIDATION when either figure is above the maximum; index data NULL: the table's. */
PK_MUST_CHECK enum pk_code pk_throughput_check(const struct pk_throughput *throughput,
                                               pk_slice index, struct pk_error *err);

#endif
