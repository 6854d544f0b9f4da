/*
 * Rows of a file as items: attributes computed from columns (`set`), and mapping files (`map FILE`)
 * that make several items of a row. docs/import.md describes the file.
 */
#ifndef CMD_TRANSFER_MAPPING_H
#define CMD_TRANSFER_MAPPING_H

#include "commands/transfer/template.h"
#include "commands/transfer/transfer.h"

struct transfer_map;

/* Reads a mapping file; what it points to lives in the arena. Errors name the file and the place.
 */
PK_MUST_CHECK enum pk_code transfer_map_load(const char *path, struct pk_arena *arena,
                                             const struct transfer_map **map, struct pk_error *err);
/* The names it gives to the columns; count 0: none. */
const pk_slice *transfer_map_columns(const struct transfer_map *map, size_t *count);
/* Gives the table the key and indexes that the mapping states, if it states a key. */
void transfer_map_define(const struct transfer_map *map, struct transfer_table *table);

/* One row. `texts` holds every column as text, for templates; `item` the attributes as they are
 * typed (not used with a mapping). */
struct transfer_row {
    pk_value texts;
    pk_value item;
    uint64_t number; /* from 0 */
    size_t pos;
};
/* Adds the row's items, by the mapping or else by `set`. Values may live in scratch. */
void transfer_row_add(struct transfer *transfer, struct transfer_table *table,
                      const struct transfer_row *row);

/* The names of the columns that templates of `set` or of the mapping have, each once (arena). */
pk_slice *transfer_columns_used(const struct transfer *transfer, struct pk_arena *arena,
                                size_t *count);
/* PK_E_USAGE: a template names a column that is not in the file. */
enum pk_code transfer_no_column(const struct transfer *transfer, pk_slice name,
                                struct pk_error *err);
/* Fails when a template of `set` or of the mapping names a column that is not among these. */
PK_MUST_CHECK enum pk_code transfer_check_columns(const struct transfer *transfer,
                                                  const pk_slice *columns, size_t count,
                                                  struct pk_error *err);

#endif
