/*
 * Tables as the commands know them: DescribeTable's answer as a struct pk_table, so that key values
 * take the types of the schema.
 *
 * Kept for one statement on the embedded engine and on local endpoints (asking again costs little),
 * until DDL, `use` or ResourceNotFoundException elsewhere. A table handed out is valid until
 * cmd_schema_drop. Only what DescribeTable says is filled in; id and tags are not.
 */
#ifndef CMD_SCHEMA_H
#define CMD_SCHEMA_H

#include "commands/cmd.h"
#include "engine/schema.h"

/* The table, or DynamoDB's error. */
PK_MUST_CHECK enum pk_code cmd_schema_get(struct cmd_context *context, pk_slice name,
                                          const struct pk_table **table, struct pk_error *err);
/* The same from an answer's TableDescription; the caller's, freed by cmd_schema_free. */
struct cJSON;
struct cmd_schema;
struct cmd_schema *cmd_schema_read(const struct cJSON *description);
const struct pk_table *cmd_schema_table(const struct cmd_schema *schema);
void cmd_schema_free(struct cmd_schema *schema);
/* Forgets every table. */
void cmd_schema_drop(struct cmd_context *context);

/* The current table's name: that of `use`, else the only table there is (which becomes current).
 * NULL when there is none. */
const char *cmd_current_table(struct cmd_context *context);
/* How many tables there are, by one request: *more when there are others. False when the endpoint
 * does not tell. */
bool cmd_count_tables(struct cmd_context *context, size_t *count, bool *more);
/* Makes the table the current one. */
void cmd_set_table(struct cmd_context *context, pk_slice name);
/* The current table or PK_E_USAGE, which says how to name one. */
PK_MUST_CHECK enum pk_code cmd_need_table(struct cmd_context *context, pk_slice *name,
                                          struct pk_error *err);
/* Arguments that are one table's name, or none: the current table. The name may live in the arena.
 */
PK_MUST_CHECK enum pk_code cmd_read_table(struct cmd_context *context,
                                          const struct cmd_statement *statement,
                                          struct pk_arena *arena, pk_slice *name,
                                          struct pk_error *err);

/* A table, or one of its indexes. */
struct cmd_target {
    const struct pk_table *table;
    const struct pk_index *index; /* NULL: the table itself */
};
/* The key schema that is read. */
const struct pk_key_schema *cmd_target_key(const struct cmd_target *target);
/* Finds what `on NAME` means: an index of `table` (NULL: of the current one), or TABLE.INDEX. */
PK_MUST_CHECK enum pk_code cmd_find_index(struct cmd_context *context, pk_slice table,
                                          pk_slice name, struct cmd_target *target,
                                          struct pk_error *err);
/* Finds what [TABLE | INDEX] means; a table of that name wins. */
PK_MUST_CHECK enum pk_code cmd_find_target(struct cmd_context *context, pk_slice name,
                                           struct cmd_target *target, struct pk_error *err);
/* Takes the current word as such a name; at the end the current table is meant. */
struct cmd_words;
PK_MUST_CHECK enum pk_code cmd_words_target(struct cmd_context *context, struct cmd_words *words,
                                            struct cmd_target *target, struct pk_error *err);
/* "PK (S), SK (S)" */
pk_slice cmd_key_text(const struct pk_key_schema *key, struct pk_arena *arena);

/* Up to `limit` items of the table (of one collection when hash_key is not missing), read without
 * cost; count 0 on a foreign endpoint, where reading costs money. Values live in the arena. */
struct cmd_sample {
    pk_value *items;
    size_t count;
};
void cmd_sample_items(struct cmd_context *context, pk_slice table, pk_value hash_key, size_t limit,
                      struct pk_arena *arena, struct cmd_sample *sample);

#endif
