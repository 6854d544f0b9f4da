/* See the header. The table's definition is kept as it is stored itself (descriptor.h). */
#include "engine/table/backup_form.h"

#include <inttypes.h>

#include "engine/item.h"
#include "engine/table/descriptor.h"

enum { FORM_VERSION = 1, ID_DIGITS = 8, TIME_DIGITS_MIN = 13, TIME_DIGITS_MAX = 15 };

/* Labels ---------------------------------------------------------------------------------------*/

/* Digits of the time, "-", eight hex digits, as AWS has it (operations.md §11). */
pk_slice pk_backup_label(struct pk_arena *arena, int64_t created_ms, uint32_t id)
{
    return pk_arena_printf(arena, "%014" PRId64 "-%08" PRIx32, created_ms, id);
}

uint32_t pk_backup_label_id(pk_slice label)
{
    static const char digits[] = "0123456789abcdef";
    size_t time = 0;
    uint32_t id = 0;

    while (time < label.len && label.data[time] >= '0' && label.data[time] <= '9')
        time++;
    if (time < TIME_DIGITS_MIN || time > TIME_DIGITS_MAX || label.len != time + 1 + ID_DIGITS ||
        label.data[time] != '-')
        return 0;
    for (size_t i = time + 1; i < label.len; i++) {
        const char *digit = memchr(digits, label.data[i], sizeof(digits) - 1);

        if (digit == NULL)
            return 0;
        id = id << 4 | (uint32_t)(digit - digits);
    }
    return id;
}

/* Writing --------------------------------------------------------------------------------------*/

static pk_value form_of(const struct pk_backup *backup, pk_slice table, struct pk_arena *arena)
{
    struct pk_member_vec members = {0};

    pk_member_vec_add(&members, arena, PK_LIT("name"), pk_value_string(backup->name));
    pk_member_vec_add(&members, arena, PK_LIT("available"),
                      pk_value_int(arena, backup->status == PK_BACKUP_AVAILABLE));
    pk_member_vec_add(&members, arena, PK_LIT("created"), pk_value_int(arena, backup->created_ms));
    pk_member_vec_add(&members, arena, PK_LIT("items"),
                      pk_value_int(arena, (int64_t)backup->items));
    pk_member_vec_add(&members, arena, PK_LIT("bytes"),
                      pk_value_int(arena, (int64_t)backup->bytes));
    pk_member_vec_add(&members, arena, PK_LIT("table"), pk_value_binary(table));
    return pk_value_map(members.data, members.len);
}

void pk_backup_stage(const struct pk_backup *backup, struct pk_batch *batch)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf table = PK_BUF_INIT;
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf value = PK_BUF_INIT;

    pk_table_store(backup->table, &table);
    pk_layout_meta_id(&key, PK_META_BACKUP, backup->id, (pk_slice){NULL, 0});
    pk_buf_add_byte(&value, FORM_VERSION);
    pk_view_encode(&value, form_of(backup, pk_buf_slice(&table), &arena));
    pk_batch_put(batch, pk_buf_slice(&key), pk_buf_slice(&value));
    pk_buf_release(&table);
    pk_buf_release(&key);
    pk_buf_release(&value);
    pk_arena_release(&arena);
}

/* Reading --------------------------------------------------------------------------------------*/

/* False when it is no whole number from 0. */
static bool get_count(pk_value map, const char *name, int64_t *number)
{
    pk_value value = pk_value_get(map, pk_slice_cstr(name));
    struct pk_num num;

    *number = 0;
    if (pk_value_kind(value) == PK_MISSING)
        return true;
    if (pk_value_kind(value) != PK_NUMBER)
        return false;
    num = pk_value_num(value);
    return pk_num_to_int(&num, number) && *number >= 0;
}

static bool read_form(pk_value map, struct pk_arena *arena, struct pk_backup *backup)
{
    pk_value name = pk_value_get(map, PK_LIT("name"));
    pk_value table = pk_value_get(map, PK_LIT("table"));
    struct pk_error ignored = PK_ERROR_INIT;
    int64_t available, items, bytes;

    if (pk_value_kind(name) != PK_STRING || pk_value_kind(table) != PK_BINARY ||
        !get_count(map, "available", &available) ||
        !get_count(map, "created", &backup->created_ms) || !get_count(map, "items", &items) ||
        !get_count(map, "bytes", &bytes))
        return false;
    backup->name = pk_arena_dup(arena, pk_value_bytes(name));
    backup->status = available != 0 ? PK_BACKUP_AVAILABLE : PK_BACKUP_CREATING;
    backup->items = (uint64_t)items;
    backup->bytes = (uint64_t)bytes;
    backup->label = pk_backup_label(arena, backup->created_ms, backup->id);
    if (pk_table_load(pk_value_bytes(table), &backup->table, &ignored) == PK_OK)
        return true;
    pk_error_release(&ignored);
    return false;
}

enum pk_code pk_backup_load(pk_slice name, pk_slice bytes, struct pk_arena *arena,
                            struct pk_backup *backup, struct pk_error *err)
{
    unsigned char version = 0;

    *backup = (struct pk_backup){.id = 0};
    if (!pk_take_u32be(&name, &backup->id) || name.len != 0 || !pk_take_byte(&bytes, &version) ||
        version != FORM_VERSION || !pk_view_check(bytes) || pk_view_kind(bytes) != PK_MAP ||
        !read_form(pk_view_decode(arena, bytes), arena, backup))
        return pk_fail(err, PK_E_CORRUPT, "the definition of backup %u is damaged", backup->id);
    return PK_OK;
}

void pk_backup_release(struct pk_backup *backup)
{
    pk_table_unref(backup->table);
    backup->table = NULL;
}

void pk_backup_release_all(struct pk_backup *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pk_backup_release(&list[i]);
}
