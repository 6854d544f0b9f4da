/* The store on LevelDB, as pk_store_open() and pk_store_repair() put it together. */
#ifndef PK_STORE_STORE_LEVELDB_H
#define PK_STORE_STORE_LEVELDB_H

#include "engine/store/store.h"
#include "engine/store/store_lock.h"

/* Where the database is, and what to give up after it was closed. */
struct pk_store_home {
    char *path;                 /* owned */
    struct pk_store_lock *lock; /* owned */
    bool remove_at_close;       /* the directory of --memory */
};

/* Gives up the lock and removes a temporary directory; home is empty afterwards. */
void pk_store_home_release(struct pk_store_home *home);

/* Opens the database in home->path, whose lock is held; takes *home over on success (it is empty
 * afterwards) and leaves it alone on failure. */
PK_MUST_CHECK enum pk_code pk_store_leveldb_open(struct pk_store_home *home,
                                                 const struct pk_store_options *options,
                                                 struct pk_store **out, struct pk_error *err);
/* LevelDB's own repair of the files in the directory path. What it did is in path/LOG. */
PK_MUST_CHECK enum pk_code pk_store_leveldb_repair(const char *path, struct pk_error *err);

#endif
