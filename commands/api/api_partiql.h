/* What the three PartiQL operations share: tables, parameters, lists of statements. */
#ifndef CMD_API_PARTIQL_H
#define CMD_API_PARTIQL_H

#include "commands/api/api.h"
#include "commands/partiql/partiql_exec.h"

/* The descriptors a request has used: fetched once, so that all its statements see one schema. */
struct api_tables {
    struct pk_engine *engine;
    struct pk_arena *arena;
    struct api_held_table *first;
};
struct partiql_schema_source api_tables_source(struct api_tables *tables);
void api_tables_release(struct api_tables *tables);

/* The request's Parameters into the binding, read with PartiQL's rules for numbers. */
PK_MUST_CHECK enum pk_code api_partiql_parameters(struct pk_arena *arena,
                                                  const struct cJSON *request,
                                                  struct partiql_binding *binding,
                                                  struct pk_error *err);

/* One statement of a batch or transaction. */
struct api_entry {
    size_t index;
    const struct cJSON *request;
    struct partiql_statement *statement; /* NULL: could not be parsed */
    struct partiql_binding binding;
    struct partiql_plan plan;
    bool planned;
    bool ran;            /* it reached the engine */
    struct pk_error err; /* of this statement alone; of a batch */
    struct pk_write_result result;
    pk_view item; /* of a read */
};

struct api_entries {
    struct api_call *call;
    struct pk_arena *arena;
    struct partiql_schema_source schema;
    struct api_tables tables;
    struct api_entry *list;
    size_t count;
    struct pk_cost *costs; /* one a table, in order of first mention */
    size_t cost_count;
};

/* The entries borrow `entries`, which must stay where it is. */
void api_entries_init(struct api_entries *entries, struct api_call *call,
                      const struct cJSON *statements);
void api_entries_release(struct api_entries *entries);
PK_MUST_CHECK enum pk_code api_entry_parse(const struct api_entries *entries,
                                           struct api_entry *entry, struct pk_error *err);

/* SELECT. */
bool api_entry_is_read(const struct api_entry *entry);
/* Its plan reads one item, and no function is tested on it. */
bool api_entry_is_single_item(const struct api_entry *entry);
struct pk_get api_entry_get(const struct api_entry *entry);
struct pk_write api_entry_write(const struct api_entries *entries, const struct api_entry *entry);
/* The item that was read is there and passes the rest of WHERE. */
bool api_entry_has_item(const struct api_entry *entry);

#endif
