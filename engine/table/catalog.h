/*
 * Which tables there are.
 *
 * The catalog maps names to the newest descriptors. A definition changes in three steps: the new
 * descriptor is committed to the store, published here, and the old one marked stale. The caller
 * (ops/ddl.c) holds `ddl` over all of it, so that definitions change one after the other; `lock` is
 * held for a moment only, to look up or to swap.
 *
 * Ids of tables, indexes and backups come from one sequence and are never used again. A dropped
 * table's ids are retired in the commit that drops it; pk_catalog_sweep() deletes their rows bit by
 * bit.
 */
#ifndef PK_TABLE_CATALOG_H
#define PK_TABLE_CATALOG_H

#include <pthread.h>

#include "engine/base/map.h"
#include "engine/schema.h"
#include "engine/store/layout.h"

struct pk_retired {
    uint32_t id;
    enum pk_space space; /* of the rows that are left */
    bool awaited;        /* writers may still be on their way: not yet swept */
};

struct pk_catalog {
    pthread_mutex_t ddl;
    pthread_mutex_t lock; /* guards the rest */
    struct pk_map tables; /* name to struct pk_table, one reference each */
    uint32_t next_id;     /* written under ddl and lock */
    struct pk_retired *retired;
    size_t retired_count;
    struct pk_table **departed; /* dropped tables whose streams can still be read */
    size_t departed_count;
};

void pk_catalog_init(struct pk_catalog *catalog);
void pk_catalog_release(struct pk_catalog *catalog);
/* Drops what it holds and reads all definitions from the store. PK_E_CORRUPT, PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_catalog_load(struct pk_catalog *catalog, struct pk_store *store,
                                           struct pk_error *err);

/* A reference, or NULL. */
struct pk_table *pk_catalog_get(struct pk_catalog *catalog, pk_slice name);
/* All tables in byte order of their names: a heap array of references, the caller's. */
struct pk_table **pk_catalog_all(struct pk_catalog *catalog, size_t *count);
void pk_catalog_free_all(struct pk_table **tables, size_t count);
/* Names after `after` in byte order (arena copies), at most limit; *more: others follow. */
size_t pk_catalog_names(struct pk_catalog *catalog, struct pk_arena *arena, pk_slice after,
                        size_t limit, pk_slice *names, bool *more);
/* Dropped tables whose streams can still be read: as pk_catalog_all, oldest first. */
struct pk_table **pk_catalog_departed(struct pk_catalog *catalog, size_t *count);
/* A heap copy of the retired ids, the caller's; NULL when there are none. */
struct pk_retired *pk_catalog_retired(struct pk_catalog *catalog, size_t *count);

/* The caller holds ddl in the following. */

/* Whether no table was ever made. */
bool pk_catalog_is_unused(const struct pk_catalog *catalog);

/* Gives the table, or those of its indexes that have none, their ids, and a new table counters; a
 * new index is counted, too. Ids of a table that is not committed afterwards are given again. */
void pk_catalog_number(struct pk_catalog *catalog, struct pk_table *table);
/* A new id, for a backup: staged, and taken by pk_catalog_took_id() when that is committed. */
uint32_t pk_catalog_next_id(struct pk_catalog *catalog, struct pk_batch *batch);
void pk_catalog_took_id(struct pk_catalog *catalog, uint32_t id);
/* Commits and publishes a numbered table. The catalog takes a reference of its own. */
PK_MUST_CHECK enum pk_code pk_catalog_add(struct pk_catalog *catalog, struct pk_store *store,
                                          struct pk_table *table, struct pk_error *err);
/* Commits and publishes a changed copy, whose indexes are numbered, in the old one's place. more:
 * what else belongs into the commit; NULL: nothing. */
PK_MUST_CHECK enum pk_code pk_catalog_replace(struct pk_catalog *catalog, struct pk_store *store,
                                              struct pk_table *table, const struct pk_batch *more,
                                              struct pk_error *err);
/* The same for a copy that lacks a GSI the old one has: its id is retired. */
PK_MUST_CHECK enum pk_code pk_catalog_drop_index(struct pk_catalog *catalog, struct pk_store *store,
                                                 struct pk_table *table, uint32_t index_id,
                                                 const struct pk_batch *more, struct pk_error *err);
/* Commits the drop, takes the table out and retires its ids. departed (NULL: none) is its last
 * description: kept, with the change records, until pk_catalog_forget(). The rows are deleted from
 * pk_catalog_written() on, as a writer that found the table may commit until then. */
PK_MUST_CHECK enum pk_code pk_catalog_drop(struct pk_catalog *catalog, struct pk_store *store,
                                           struct pk_table *table, struct pk_table *departed,
                                           struct pk_error *err);
/* Nobody writes a dropped table's rows any more. */
void pk_catalog_written(struct pk_catalog *catalog, const struct pk_table *table);
/* Lets the change records of a departed table go, and itself. One caller at a time, never during a
 * sweep. */
PK_MUST_CHECK enum pk_code pk_catalog_forget(struct pk_catalog *catalog, struct pk_store *store,
                                             struct pk_table *departed, struct pk_error *err);

/* Forgets a backup's definition and retires its id, in one commit. */
PK_MUST_CHECK enum pk_code pk_catalog_drop_backup(struct pk_catalog *catalog,
                                                  struct pk_store *store, uint32_t id,
                                                  struct pk_error *err);

/* Never gives out that id, or a smaller one, any more: for rows whose table is not known. */
PK_MUST_CHECK enum pk_code pk_catalog_reserve(struct pk_catalog *catalog, struct pk_store *store,
                                              uint32_t id, struct pk_error *err);

/* Deletes up to max_rows rows of retired ids; *more: there is more to delete now. One caller at a
 * time. */
PK_MUST_CHECK enum pk_code pk_catalog_sweep(struct pk_catalog *catalog, struct pk_store *store,
                                            size_t max_rows, bool *more, struct pk_error *err);

#endif
