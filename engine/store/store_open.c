/*
 * Opening and repairing a store: look at the directory, take the lock, open LevelDB, check the
 * format; in this order, so that what is not ours, in use, or newer stays as it was.
 *
 * The format version stands in two places: in the metadata, where it counts, and in the lock file,
 * where a newer one is seen before LevelDB touches anything, and from where it comes back when the
 * metadata was lost. A change of anything on disk (layout.h, key_code.h, item.h, num.h) adds one to
 * PK_STORE_FORMAT, a row to UPGRADES, a fixture store to the tests and a paragraph to
 * docs/storage-format.md.
 */
#include "engine/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/store/layout.h"
#include "engine/store/store_dir.h"
#include "engine/store/store_leveldb.h"
#include "engine/store/store_lock.h"
#include "engine/store/table_file.h"

/* Brings a store from one version to the next; may be run again after a crash within it. */
typedef enum pk_code upgrade_step(struct pk_store *store, struct pk_error *err);

/* UPGRADES[v] leads from version v to v + 1. Version 1 is the first. */
static upgrade_step *const UPGRADES[PK_STORE_FORMAT] = {NULL};

/* Format ---------------------------------------------------------------------------------------*/

static enum pk_code write_format(struct pk_store *store, uint64_t version, struct pk_error *err)
{
    struct pk_batch batch = PK_BATCH_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    enum pk_code rc;

    pk_layout_meta(&key, PK_META_FORMAT, pk_slice_of(NULL, 0));
    pk_buf_add_varint(&value, version);
    pk_batch_put(&batch, pk_buf_slice(&key), pk_buf_slice(&value));
    rc = pk_store_commit(store, &batch, PK_COMMIT_SYNC, err);
    pk_batch_release(&batch);
    pk_buf_release(&value);
    pk_buf_release(&key);
    return rc;
}

/* *version is 0 when there is no such row. */
static enum pk_code read_format(struct pk_store *store, uint64_t *version, struct pk_error *err)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;
    bool found;
    enum pk_code rc;

    pk_layout_meta(&key, PK_META_FORMAT, pk_slice_of(NULL, 0));
    rc = pk_store_get(store, pk_buf_slice(&key), &value, &found, err);
    *version = 0;
    if (rc == PK_OK && found) {
        pk_slice in = pk_buf_slice(&value);

        if (!pk_take_varint(&in, version) || in.len != 0 || *version == 0) {
            rc = pk_fail(err, PK_E_CORRUPT, "store '%s' has a malformed format version",
                         pk_store_path(store));
        }
    }
    pk_buf_release(&value);
    pk_buf_release(&key);
    return rc;
}

static enum pk_code is_empty(struct pk_store *store, bool *empty, struct pk_error *err)
{
    struct pk_iter *iter = pk_iter_new(pk_store_live(store), pk_range_all(), PK_ITER_QUERY);
    enum pk_code rc;

    pk_iter_seek_first(iter);
    *empty = !pk_iter_valid(iter);
    rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    return rc;
}

/* The version when the metadata has none: a new store gets ours, a repaired one that of its lock
 * file; rows without either are not ours to guess at. */
static enum pk_code supply_format(struct pk_store *store, unsigned lock_format, uint64_t *version,
                                  struct pk_error *err)
{
    bool empty;
    enum pk_code rc = is_empty(store, &empty, err);

    if (rc != PK_OK)
        return rc;
    *version = empty ? PK_STORE_FORMAT : lock_format;
    if (*version == 0) {
        return pk_fail(err, PK_E_CORRUPT, "store '%s' has rows but no format version",
                       pk_store_path(store));
    }
    return write_format(store, *version, err);
}

static enum pk_code check_format(struct pk_store *store, unsigned lock_format, struct pk_error *err)
{
    uint64_t version;
    enum pk_code rc = read_format(store, &version, err);

    if (rc == PK_OK && version == 0)
        rc = supply_format(store, lock_format, &version, err);
    if (rc == PK_OK && version > PK_STORE_FORMAT) {
        return pk_fail(err, PK_E_STORE_VERSION,
                       "store '%s' has format %llu of a newer pksk, this one knows format %d",
                       pk_store_path(store), (unsigned long long)version, PK_STORE_FORMAT);
    }
    for (; rc == PK_OK && version < PK_STORE_FORMAT; version++) {
        rc = UPGRADES[version](store, err);
        if (rc == PK_OK)
            rc = write_format(store, version + 1, err);
    }
    return rc;
}

/* Opening --------------------------------------------------------------------------------------*/

static enum pk_code fail_headless(const char *path, struct pk_error *err)
{
    pk_fail(err, PK_E_CORRUPT, "store '%s' has lost its file CURRENT", path);
    pk_error_hint(err, "pksk repair '%s' saves what can be read", path);
    return PK_E_CORRUPT;
}

static enum pk_code prepare(const char *path, const struct pk_store_options *options,
                            struct pk_error *err)
{
    enum pk_store_dir_state state;
    enum pk_code rc;

    if (*path == '\0')
        return pk_fail(err, PK_E_USAGE, "the store's directory has an empty name");
    rc = pk_store_dir_look(path, &state, err);
    if (rc != PK_OK)
        return rc;
    switch (state) {
    case PK_STORE_DIR_STORE:
        return PK_OK;
    case PK_STORE_DIR_HEADLESS:
        return fail_headless(path, err);
    case PK_STORE_DIR_FOREIGN:
        return pk_fail(err, PK_E_IO, "directory '%s' is not empty and holds no store (no file %s)",
                       path, PK_STORE_LOCK_NAME);
    case PK_STORE_DIR_MISSING:
    case PK_STORE_DIR_EMPTY:
        break;
    }
    if (options->must_exist)
        return pk_fail(err, PK_E_IO, "no store in '%s'", path);
    return pk_store_dir_make(path, err);
}

/* Locks and opens the directory home->path; home is empty afterwards. */
static enum pk_code open_home_take(struct pk_store_home *home,
                                   const struct pk_store_options *options, struct pk_store **out,
                                   struct pk_error *err)
{
    struct pk_store *store;
    unsigned lock_format;
    enum pk_code rc = pk_store_lock_take(home->path, PK_STORE_FORMAT, &home->lock, err);

    if (rc != PK_OK)
        goto out;
    lock_format = pk_store_lock_format(home->lock);
    rc = pk_store_leveldb_open(home, options, &store, err);
    if (rc != PK_OK)
        goto out;
    rc = check_format(store, lock_format, err);
    if (rc == PK_OK)
        *out = store;
    else
        pk_store_close(store);
out:
    pk_store_home_release(home);
    return rc;
}

enum pk_code pk_store_open(const char *path, const struct pk_store_options *options,
                           struct pk_store **out, struct pk_error *err)
{
    struct pk_store_home home = {.remove_at_close = options->in_memory};
    enum pk_code rc;

    if (options->in_memory) {
        rc = pk_store_dir_make_temp(&home.path, err);
    } else {
        rc = prepare(path, options, err);
        home.path = pk_memdup_cstr(path, strlen(path));
    }
    if (rc == PK_OK)
        return open_home_take(&home, options, out, err);
    free(home.path);
    return rc;
}

/* Repair ---------------------------------------------------------------------------------------*/

struct repair {
    const char *path;
    bool headless; /* not to be opened: LevelDB would begin anew */
    void (*report)(void *state, const char *line);
    void *state;
};

static void say(const struct repair *repair, const char *line)
{
    if (repair->report != NULL)
        repair->report(repair->state, line);
}

/* LevelDB tells in its log what became of each file; rows it salvaged, and what it dropped. A line
 * is a time, a thread, and the text from "Table #" or "Log #" on. */
static void report_line(const struct repair *repair, char *line)
{
    char *text = strstr(line, "Table #");

    if (text == NULL)
        text = strstr(line, "Log #");
    if (text == NULL)
        return;
    text[strcspn(text, "\n")] = '\0';
    if (strstr(text, "Corruption") != NULL || strstr(text, "dropp") != NULL ||
        strstr(text, "ignoring") != NULL || strstr(text, "entries repaired") != NULL)
        say(repair, text);
}

static void report_losses(const struct repair *repair)
{
    struct pk_buf name = PK_BUF_INIT;
    char *line = NULL;
    size_t size = 0;
    FILE *log;

    pk_buf_printf(&name, "%s/LOG", repair->path);
    log = fopen(name.data, "re");
    while (log != NULL && getline(&line, &size, log) >= 0)
        report_line(repair, line);
    if (log != NULL)
        fclose(log);
    free(line);
    pk_buf_release(&name);
}

/* Repair leaves all tables in level 0 under numbers that say nothing about their age, and a get
 * there believes the highest number. Merged into level 1 the sequence numbers decide again. */
static enum pk_code settle(struct pk_store_home *home, unsigned lock_format, struct pk_error *err)
{
    static const struct pk_store_options PLAIN = {.durable = true};
    struct pk_store *store;
    enum pk_code rc = pk_store_leveldb_open(home, &PLAIN, &store, err);

    if (rc != PK_OK)
        return rc;
    pk_store_compact(store, pk_range_all());
    rc = check_format(store, lock_format, err);
    pk_store_close(store);
    return rc;
}

static enum pk_code lock_home(struct pk_store_home *home, const char *path, struct pk_error *err)
{
    enum pk_code rc = pk_store_lock_take(path, PK_STORE_FORMAT, &home->lock, err);

    if (rc == PK_OK)
        home->path = pk_memdup_cstr(path, strlen(path));
    return rc;
}

/* LevelDB's repair goes by the files it finds, and would lose a good table that something has been
 * added to: a store that opens and can be read to its end is left as it is. Of one that does not
 * open, files that are gone are named; the others are looked at one by one. */
static bool is_whole(const struct repair *repair, struct pk_store_home *home, unsigned lock_format)
{
    static const struct pk_store_options PLAIN = {.durable = true};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_verified seen;
    struct pk_store *store;
    enum pk_code rc = pk_store_leveldb_open(home, &PLAIN, &store, &err);

    if (rc == PK_OK) {
        rc = pk_store_verify(store, pk_range_all(), &seen, &err);
        if (rc == PK_OK)
            rc = check_format(store, lock_format, &err);
        pk_store_close(store);
    } else if (strstr(err.message, "missing files") != NULL) {
        say(repair, err.message);
    }
    pk_error_release(&err);
    return rc == PK_OK;
}

static enum pk_code repair_locked(const struct repair *repair, struct pk_store_home *home,
                                  struct pk_error *err)
{
    unsigned lock_format = pk_store_lock_format(home->lock);
    enum pk_code rc;

    if (!repair->headless && is_whole(repair, home, lock_format))
        return PK_OK;
    if (home->lock == NULL) { /* the store that was opened took it along */
        rc = lock_home(home, repair->path, err);
        if (rc != PK_OK)
            return rc;
    }
    if (repair->report != NULL) /* while the files still have their names */
        pk_table_files_check(repair->path, repair->report, repair->state);
    rc = pk_store_leveldb_repair(repair->path, err);
    if (rc != PK_OK)
        return rc;
    report_losses(repair);
    return settle(home, lock_format, err);
}

enum pk_code pk_store_repair(const char *path, void (*report)(void *state, const char *line),
                             void *state, struct pk_error *err)
{
    struct repair repair = {.path = path, .report = report, .state = state};
    struct pk_store_home home = {0};
    enum pk_store_dir_state dir;
    enum pk_code rc = pk_store_dir_look(path, &dir, err);

    if (rc != PK_OK)
        return rc;
    if (dir != PK_STORE_DIR_STORE && dir != PK_STORE_DIR_HEADLESS)
        return pk_fail(err, PK_E_IO, "no store in '%s'", path);
    repair.headless = dir == PK_STORE_DIR_HEADLESS;
    rc = lock_home(&home, path, err);
    if (rc != PK_OK)
        return rc;
    rc = repair_locked(&repair, &home, err);
    pk_store_home_release(&home);
    return rc;
}
