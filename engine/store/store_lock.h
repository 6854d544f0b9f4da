/*
 * Our own lock of a store directory: the file PKSK.LOCK, held by flock() as long as the store is
 * open, with the holder's process id, and its URL when it serves, for whoever finds it taken.
 *
 * LevelDB has a lock as well, but a POSIX one: it vanishes when any descriptor of its file is
 * closed, and it says nothing about its holder. So ours is taken first, and nothing else ever
 * opens LevelDB's.
 *
 * The file also marks a directory as a store of ours, and holds the version of its format, which
 * so can be read without LevelDB changing anything. It is never removed.
 *   PKSK.LOCK = "pksk " version LF [ "pid " number LF [ "url " text LF ] ]
 */
#ifndef PK_STORE_STORE_LOCK_H
#define PK_STORE_STORE_LOCK_H

#include "engine/error.h"

#define PK_STORE_LOCK_NAME "PKSK.LOCK"

struct pk_store_lock;

/* Takes the lock of an existing directory, and makes its file. The caller frees *out. The lock is
 * one of open file descriptions, so that it also keeps this process from taking it twice.
 *   PK_E_LOCKED         taken; the message names the holder
 *   PK_E_STORE_VERSION  the file names a version above `format`; nothing was changed
 *   PK_E_IO             the file cannot be made or opened for writing */
PK_MUST_CHECK enum pk_code pk_store_lock_take(const char *dir, unsigned format,
                                              struct pk_store_lock **out, struct pk_error *err);
/* The version that the file named when it was taken, 0 when it was new. */
unsigned pk_store_lock_format(const struct pk_store_lock *lock);
/* Shows the URL to whoever finds the lock taken; NULL: no longer. */
void pk_store_lock_set_url(struct pk_store_lock *lock, const char *url);
/* Gives the lock up. NULL is allowed. */
void pk_store_lock_free(struct pk_store_lock *lock);
/* True when the directory has a lock file of which a process has died: what a killed
 * pksk --memory leaves behind. */
bool pk_store_lock_is_stale(const char *dir);

#endif
