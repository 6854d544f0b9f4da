/* The key spaces, and the record around an item. The grammar is in the header. */
#include "engine/store/layout.h"

#include "engine/store/key_code.h"

/* On disk: do not change. */
enum { RECORD_VERSION = 1, ID_LEN = 5 }; /* space byte and id */

enum { RECORD_HEAD_MAX = 11 }; /* version byte, varint */

/* Keys -----------------------------------------------------------------------------------------*/

void pk_layout_space(struct pk_buf *key, enum pk_space space)
{
    pk_buf_add_byte(key, (unsigned char)space);
}

void pk_layout_id(struct pk_buf *key, enum pk_space space, uint32_t id)
{
    pk_layout_space(key, space);
    pk_buf_add_u32be(key, id);
}

void pk_layout_token(struct pk_buf *key, enum pk_space space, uint32_t id, uint64_t token)
{
    pk_layout_id(key, space, id);
    pk_key_append_token(key, token);
}

static void append_sort_key(struct pk_buf *key, pk_value sk)
{
    if (pk_value_kind(sk) != PK_MISSING)
        pk_key_append_value(key, sk);
}

static void append_item_key(struct pk_buf *key, const struct pk_item_key *item)
{
    pk_key_append_value(key, item->pk);
    append_sort_key(key, item->sk);
}

void pk_layout_collection(struct pk_buf *key, enum pk_space space, uint32_t id, pk_value pk)
{
    pk_layout_token(key, space, id, pk_key_token(pk));
    pk_key_append_value(key, pk);
}

pk_slice pk_layout_position(pk_slice row)
{
    return pk_slice_skip(row, ID_LEN);
}

void pk_layout_row(struct pk_buf *key, uint32_t table_id, const struct pk_item_key *item)
{
    pk_layout_collection(key, PK_SPACE_TABLE, table_id, item->pk);
    append_sort_key(key, item->sk);
}

void pk_layout_moved(struct pk_buf *key, enum pk_space space, uint32_t id, pk_slice row)
{
    pk_layout_id(key, space, id);
    pk_buf_add(key, pk_slice_skip(row, 1 + sizeof(id)));
}

void pk_layout_lsi(struct pk_buf *key, uint32_t index_id, const struct pk_item_key *item,
                   pk_value index_sk)
{
    pk_layout_collection(key, PK_SPACE_LSI, index_id, item->pk);
    pk_key_append_value(key, index_sk);
    append_sort_key(key, item->sk);
}

void pk_layout_gsi_collection(struct pk_buf *key, uint32_t index_id,
                              const struct pk_gsi_key *index_key)
{
    pk_layout_token(key, PK_SPACE_GSI, index_id,
                    pk_key_token_many(index_key->hash, index_key->hash_count));
    for (size_t i = 0; i < index_key->hash_count; i++)
        pk_key_append_value(key, index_key->hash[i]);
    for (size_t i = 0; i < index_key->range_count; i++)
        pk_key_append_value(key, index_key->range[i]);
}

void pk_layout_gsi(struct pk_buf *key, uint32_t index_id, const struct pk_gsi_key *index_key,
                   const struct pk_item_key *item)
{
    pk_layout_gsi_collection(key, index_id, index_key);
    append_item_key(key, item);
}

void pk_layout_shard(struct pk_buf *key, uint32_t table_id, uint32_t shard_id)
{
    pk_layout_id(key, PK_SPACE_CHANGE, table_id);
    pk_buf_add_u32be(key, shard_id);
}

void pk_layout_change(struct pk_buf *key, uint32_t table_id, uint32_t shard_id, uint64_t sequence)
{
    pk_layout_shard(key, table_id, shard_id);
    pk_buf_add_u64be(key, sequence);
}

void pk_layout_expiry_bound(struct pk_buf *key, uint32_t table_id, uint64_t before_s)
{
    pk_layout_id(key, PK_SPACE_EXPIRY, table_id);
    pk_buf_add_u64be(key, before_s);
}

void pk_layout_expiry(struct pk_buf *key, uint32_t table_id, uint64_t expires_s,
                      const struct pk_item_key *item)
{
    pk_layout_expiry_bound(key, table_id, expires_s);
    append_item_key(key, item);
}

void pk_layout_meta(struct pk_buf *key, enum pk_meta_kind kind, pk_slice name)
{
    pk_layout_space(key, PK_SPACE_META);
    pk_buf_add_byte(key, (unsigned char)kind);
    pk_buf_add(key, name);
}

void pk_layout_meta_id(struct pk_buf *key, enum pk_meta_kind kind, uint32_t id, pk_slice rest)
{
    pk_layout_meta(key, kind, pk_slice_of(NULL, 0));
    pk_buf_add_u32be(key, id);
    pk_buf_add(key, rest);
}

/* Reading keys ---------------------------------------------------------------------------------*/

static bool has_values(unsigned char space)
{
    return space == PK_SPACE_TABLE || space == PK_SPACE_LSI || space == PK_SPACE_GSI ||
           space == PK_SPACE_EXPIRY || space == PK_SPACE_BACKUP;
}

bool pk_layout_parse(pk_slice key, struct pk_arena *arena, struct pk_layout_parts *out)
{
    unsigned char space;

    out->count = 0;
    if (!pk_take_byte(&key, &space) || !has_values(space) || !pk_take_u32be(&key, &out->id) ||
        !pk_take_u64be(&key, &out->token))
        return false;
    out->space = (enum pk_space)space;
    while (key.len > 0) {
        if (out->count == PK_LAYOUT_PARTS_MAX ||
            !pk_key_take_value(&key, arena, &out->values[out->count]))
            return false;
        out->count++;
    }
    return out->count > 0;
}

bool pk_layout_parse_change(pk_slice key, uint32_t *table_id, uint32_t *shard_id,
                            uint64_t *sequence)
{
    unsigned char space;

    return pk_take_byte(&key, &space) && space == PK_SPACE_CHANGE &&
           pk_take_u32be(&key, table_id) && pk_take_u32be(&key, shard_id) &&
           pk_take_u64be(&key, sequence) && key.len == 0;
}

bool pk_layout_parse_meta(pk_slice key, enum pk_meta_kind kind, pk_slice *name)
{
    unsigned char space, letter;

    if (!pk_take_byte(&key, &space) || space != PK_SPACE_META || !pk_take_byte(&key, &letter) ||
        letter != (unsigned char)kind)
        return false;
    *name = key;
    return true;
}

/* Records --------------------------------------------------------------------------------------*/

static size_t make_head(char head[RECORD_HEAD_MAX], size_t item_size)
{
    size_t length = 0;

    head[length++] = RECORD_VERSION;
    for (; item_size >= 0x80; item_size >>= 7)
        head[length++] = (char)((item_size & 0x7F) | 0x80);
    head[length++] = (char)item_size;
    return length;
}

void pk_record_wrap(struct pk_buf *out, size_t item_size, pk_view item)
{
    char head[RECORD_HEAD_MAX];

    pk_buf_add(out, pk_slice_of(head, make_head(head, item_size)));
    pk_buf_add(out, item);
}

void pk_record_put(struct pk_batch *batch, pk_slice key, size_t item_size, pk_view item)
{
    char head[RECORD_HEAD_MAX];

    pk_batch_put_two(batch, key, pk_slice_of(head, make_head(head, item_size)), item);
}

bool pk_record_open(pk_slice record, pk_view *item, size_t *item_size)
{
    unsigned char version;
    uint64_t size;

    if (!pk_take_byte(&record, &version) || version != RECORD_VERSION ||
        !pk_take_varint(&record, &size) || pk_view_kind(record) != PK_MAP)
        return false;
    *item = record;
    if (item_size != NULL)
        *item_size = (size_t)size;
    return true;
}
