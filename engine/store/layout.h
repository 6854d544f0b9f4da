/*
 * Which keys the store holds, and the record around a stored item.
 *
 * On-disk grammar (do not change; docs/storage-format.md). Every key begins with a space byte;
 * numbers are big endian, so that order by bytes is order by number:
 *   't' table id(4) token(8) enc(PK) enc(SK)                        table row       record
 *   'l' index id(4) token(8) enc(PK) enc(index SK) enc(SK)          LSI row         record
 *   'g' index id(4) token(8) enc(index key)… enc(PK) enc(SK)        GSI row         record
 *   'c' table id(4) shard id(4) sequence(8)                         change record
 *   'x' table id(4) expiry seconds(8) enc(PK) enc(SK)               expiry          empty
 *   'b' backup id(4) token(8) enc(PK) enc(SK)                       backup row      record
 *   'm' kind byte, name                                             metadata
 *   record = version byte 1, varint item size, stored item (item.h)
 * enc(SK) is missing when the table has no sort key. Table and index ids come from one sequence
 * and are never used again, so an id's rows can be deleted long after the table is gone.
 *
 * Builders append to a buffer: clear it first when it should hold the key alone.
 */
#ifndef PK_STORE_LAYOUT_H
#define PK_STORE_LAYOUT_H

#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/item.h"
#include "engine/store/store.h"
#include "engine/value.h"

enum pk_space {
    PK_SPACE_TABLE = 't',
    PK_SPACE_LSI = 'l',
    PK_SPACE_GSI = 'g',
    PK_SPACE_CHANGE = 'c',
    PK_SPACE_EXPIRY = 'x',
    PK_SPACE_BACKUP = 'b',
    PK_SPACE_META = 'm',
};

/* The kinds of metadata. On disk: do not change; a new kind gets a new letter. */
enum pk_meta_kind {
    PK_META_FORMAT = 'f',      /* name empty: format version, as a varint */
    PK_META_NEXT_ID = 'i',     /* name empty: the next table or index id */
    PK_META_TABLE = 't',       /* table name: its definition */
    PK_META_RETIRED = 'r',     /* table or index id(4): rows still to be deleted */
    PK_META_COUNTERS = 'n',    /* table or index id(4): items and bytes, saved at a clean close */
    PK_META_COLLECTION = 'z',  /* table id(4) token(8) enc(PK): size of an item collection */
    PK_META_LOG = 'h',         /* table id(4) 'n': high-water mark of a change log */
    PK_META_CURSOR = 'c',      /* table id(4) reader(4) [shard(4)]: how far a reader has come */
    PK_META_BACKFILL = 'p',    /* index id(4): key of the last row its backfill has copied */
    PK_META_IDEMPOTENCY = 'k', /* client request token: hash and time */
    PK_META_SETTING = 's',     /* setting: its value */
    PK_META_CLOCK = 'w',       /* name empty: the simulated clock, once it was changed */
    PK_META_CLEAN = 'q',       /* name empty: there after a clean close only */
    PK_META_BACKUP = 'b',      /* backup id(4): its name, state, and its table's definition */
    PK_META_DEPARTED = 'd',    /* table id(4): a dropped table's definition, for its streams */
    PK_META_EXPIRY = 'e',      /* table id(4): how far expiry rows of older items are made */
    PK_META_CAPACITY = 'y',    /* table id(4): what is kept of its partitions, at a clean close */
    PK_META_ATTACHMENT = 'a',  /* table id(4): text kept beside the table (an imported model) */
};

/* Keys -----------------------------------------------------------------------------------------*/

/* The primary key of a table's item; sk is PK_MISSING when the table has no sort key. */
struct pk_item_key {
    pk_value pk;
    pk_value sk;
};

enum { PK_INDEX_KEY_MAX = 4 }; /* HASH, and RANGE, attributes of a GSI (data-model.md §9) */

/* The key of a GSI row: borrowed arrays of 1..4 and 0..4 values. */
struct pk_gsi_key {
    const pk_value *hash;
    size_t hash_count;
    const pk_value *range;
    size_t range_count;
};

/* Prefix of all keys of the space, and of a table or index in it. */
void pk_layout_space(struct pk_buf *key, enum pk_space space);
void pk_layout_id(struct pk_buf *key, enum pk_space space, uint32_t id);
/* Prefix of the rows of one token in 't', 'l' or 'g': also the lower bound of a partition, or of
 * a segment, that begins there. */
void pk_layout_token(struct pk_buf *key, enum pk_space space, uint32_t id, uint64_t token);

/* The position (position.h) of a row: what stands behind space and id of its key, or of a prefix of
 * one. A part of the key. */
pk_slice pk_layout_position(pk_slice row);

void pk_layout_row(struct pk_buf *key, uint32_t table_id, const struct pk_item_key *item);
/* Appends the key of the same item under another space and id: of the rows of a table and of a
 * backup, which differ in nothing else. */
void pk_layout_moved(struct pk_buf *key, enum pk_space space, uint32_t id, pk_slice row);
/* Prefix of an item collection in 't' or, with an LSI's id, in 'l'. Sort key conditions go on with
 * pk_key_append_value() or pk_key_append_begin(). */
void pk_layout_collection(struct pk_buf *key, enum pk_space space, uint32_t id, pk_value pk);
void pk_layout_lsi(struct pk_buf *key, uint32_t index_id, const struct pk_item_key *item,
                   pk_value index_sk);
void pk_layout_gsi(struct pk_buf *key, uint32_t index_id, const struct pk_gsi_key *index_key,
                   const struct pk_item_key *item);
/* Prefix of the GSI rows that share the HASH values (and the given leading RANGE values). */
void pk_layout_gsi_collection(struct pk_buf *key, uint32_t index_id,
                              const struct pk_gsi_key *index_key);

void pk_layout_change(struct pk_buf *key, uint32_t table_id, uint32_t shard_id, uint64_t sequence);
/* Prefix of the change records of one shard. */
void pk_layout_shard(struct pk_buf *key, uint32_t table_id, uint32_t shard_id);
void pk_layout_expiry(struct pk_buf *key, uint32_t table_id, uint64_t expires_s,
                      const struct pk_item_key *item);
/* Everything below this key expires before before_s: the upper bound of a sweep. */
void pk_layout_expiry_bound(struct pk_buf *key, uint32_t table_id, uint64_t before_s);

/* A metadata key; with an empty name, the prefix of all of its kind. */
void pk_layout_meta(struct pk_buf *key, enum pk_meta_kind kind, pk_slice name);
/* The same where the name begins with a table's or index' id. */
void pk_layout_meta_id(struct pk_buf *key, enum pk_meta_kind kind, uint32_t id, pk_slice rest);

/* Reading keys ---------------------------------------------------------------------------------*/

enum { PK_LAYOUT_PARTS_MAX = 2 * PK_INDEX_KEY_MAX + 2 };

/* A 't', 'l', 'g', 'x' or 'b' key, taken apart. */
struct pk_layout_parts {
    enum pk_space space;
    uint32_t id;
    uint64_t token;                       /* of 'x': the expiry in seconds */
    pk_value values[PK_LAYOUT_PARTS_MAX]; /* in the order in which they stand in the key */
    size_t count;
};

/* False when the key is malformed or of a space without values. Values live as pk_key_take_value
 * says: in the key's bytes and in the arena. */
bool pk_layout_parse(pk_slice key, struct pk_arena *arena, struct pk_layout_parts *out);

/* A 'c' key, taken apart. */
bool pk_layout_parse_change(pk_slice key, uint32_t *table_id, uint32_t *shard_id,
                            uint64_t *sequence);
/* The name of a metadata key of this kind; false when it is none. */
bool pk_layout_parse_meta(pk_slice key, enum pk_meta_kind kind, pk_slice *name);

/* Records --------------------------------------------------------------------------------------*/

/* Appends the record of an item of item_size bytes by DynamoDB's rules (data-model.md §6). */
void pk_record_wrap(struct pk_buf *out, size_t item_size, pk_view item);
/* Puts the record into a batch without building it first. */
void pk_record_put(struct pk_batch *batch, pk_slice key, size_t item_size, pk_view item);
/* The item inside a record, and its size (may be NULL). False, and nothing changed, when malformed:
 * then the row is corrupt. The item itself is not walked: that is pk_view_check()'s work. */
bool pk_record_open(pk_slice record, pk_view *item, size_t *item_size);

#endif
