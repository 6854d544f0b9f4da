/* The log is read by itself; whether the indexes agree with it is seen where their rows are. */
#include "engine/ops/log_check.h"

#include <stdlib.h>

#include "engine/ops/row_check.h"
#include "engine/table/index.h"
#include "engine/table/partition_map.h"

static bool is_item(const struct pk_table *table, pk_view image)
{
    return image.len == 0 || (pk_view_check(image) && pk_row_has_key(table, image));
}

static uint32_t *numbers_of(const struct pk_partitions *partitions)
{
    uint32_t *numbers = pk_calloc(partitions->next_id, sizeof(*numbers));

    for (uint32_t i = 0; i < partitions->count; i++)
        numbers[partitions->list[i].id] = i + 1;
    return numbers;
}

struct pk_log_judge pk_log_judge_new(const struct pk_table *table)
{
    return (struct pk_log_judge){
        .table = table,
        .next = pk_log_next(&pk_table_log(table)->log),
        .numbers = numbers_of(&table->partitions),
    };
}

void pk_log_judge_release(struct pk_log_judge *judge)
{
    free(judge->numbers);
    judge->numbers = NULL;
}

/* A record of a partition that there is speaks of an item of that one. */
static const char *shard_fault(const struct pk_log_judge *judge, const struct pk_change *change)
{
    const struct pk_partitions *partitions = &judge->table->partitions;
    pk_view image = change->after.len > 0 ? change->after : change->before;
    struct pk_arena scratch = PK_ARENA_INIT;
    struct pk_buf row = PK_BUF_INIT;
    struct pk_item_key item;
    uint32_t number;

    if (change->shard >= partitions->next_id)
        return "lies in the shard of no partition";
    if (judge->numbers[change->shard] == 0)
        return NULL;
    item = pk_index_item_key(judge->table, image, &scratch);
    pk_layout_row(&row, judge->table->id, &item);
    number = pk_partitions_find(partitions, pk_layout_position(pk_buf_slice(&row)));
    pk_buf_release(&row);
    pk_arena_release(&scratch);
    return number + 1 == judge->numbers[change->shard] ? NULL
                                                       : "lies in the shard of another partition";
}

const char *pk_log_fault(const struct pk_log_judge *judge, pk_slice key, pk_slice value)
{
    struct pk_change change;

    if (!pk_change_open(key, value, &change))
        return "is no record";
    if (change.sequence >= judge->next)
        return "has a number that was not drawn";
    if (!is_item(judge->table, change.before) || !is_item(judge->table, change.after))
        return "holds no item of the table";
    return shard_fault(judge, &change);
}

/* The partition of an open shard: 1 + its number, 0 when there is none. */
static uint32_t number_of(const struct pk_log_judge *judge, const struct pk_shard *shard)
{
    return shard->number < judge->table->partitions.next_id ? judge->numbers[shard->number] : 0;
}

/* An enabled stream has one open shard a partition. */
static void check_shards(const struct pk_log_judge *judge, struct pk_faults *faults)
{
    const struct pk_table *table = judge->table;
    bool *has_shard = pk_calloc(table->partitions.count, sizeof(*has_shard));
    uint32_t missing = table->stream == PK_STREAM_OFF ? 0 : table->partitions.count;
    const struct pk_stream *stream = missing == 0 ? NULL : &table->streams[table->stream_count - 1];
    bool strange = false;

    for (size_t i = 0; stream != NULL && i < stream->shard_count; i++) {
        uint32_t number = number_of(judge, &stream->shards[i]);

        if (stream->shards[i].end != 0)
            continue;
        if (number == 0 || has_shard[number - 1]) {
            strange = true;
        } else {
            has_shard[number - 1] = true;
            missing--;
        }
    }
    if (strange || missing > 0)
        pk_fault(faults, "table '%.*s': the open shards of its stream are not its partitions",
                 PK_FMT(table->name));
    free(has_shard);
}

static enum pk_code check_records(const struct pk_table *table, const struct pk_snap *snap,
                                  struct pk_faults *faults, struct pk_error *err)
{
    struct pk_log_judge judge = pk_log_judge_new(table);
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    enum pk_code rc;

    check_shards(&judge, faults);
    pk_layout_id(&prefix, PK_SPACE_CHANGE, table->id);
    iter = pk_iter_new(snap, pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_BULK);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter)) {
        const char *fault = pk_log_fault(&judge, pk_iter_key(iter), pk_iter_value(iter));

        if (fault != NULL)
            pk_fault(faults, "table '%.*s': a change record %s", PK_FMT(table->name), fault);
    }
    rc = pk_iter_status(iter, err);
    pk_log_judge_release(&judge);
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    return rc;
}

static enum pk_code check_cursors(const struct pk_table *table, const struct pk_snap *snap,
                                  struct pk_faults *faults, struct pk_error *err)
{
    uint64_t next = pk_log_next(&pk_table_log(table)->log);
    enum pk_code rc = PK_OK;

    for (size_t i = table->local_count; i < table->index_count && rc == PK_OK; i++) {
        struct pk_cursor cursor = {.table_id = table->id, .reader = table->indexes[i].id};

        rc = pk_cursor_load(&cursor, snap, err);
        if (rc == PK_OK && pk_cursor_max(&cursor) > next)
            pk_fault(faults, "table '%.*s': index '%.*s' has read beyond the end of the change log",
                     PK_FMT(table->name), PK_FMT(table->indexes[i].name));
        pk_cursor_release(&cursor);
    }
    return rc;
}

/* What cannot be read is a fault, not the end of the check. */
static enum pk_code tell(const struct pk_table *table, enum pk_code rc, struct pk_faults *faults,
                         struct pk_error *failed, struct pk_error *err)
{
    if (rc == PK_E_CORRUPT) {
        pk_fault(faults, "table '%.*s': %s", PK_FMT(table->name), failed->message);
        pk_error_release(failed);
        return PK_OK;
    }
    if (rc != PK_OK)
        pk_error_move(err, failed);
    return rc;
}

enum pk_code pk_log_check(const struct pk_table *table, const struct pk_snap *snap,
                          struct pk_faults *faults, struct pk_error *err)
{
    struct pk_error failed = PK_ERROR_INIT;
    enum pk_code rc = check_records(table, snap, faults, &failed);

    rc = tell(table, rc, faults, &failed, err);
    if (rc == PK_OK) {
        rc = check_cursors(table, snap, faults, &failed);
        rc = tell(table, rc, faults, &failed, err);
    }
    return rc;
}
