/* See the header. */
#include "engine/ops/stream_look.h"

#include "engine/log/stream.h"
#include "engine/ops/core.h"
#include "engine/ops/table_log.h"

/* Records that one look counts, of all readers together: a millisecond of work. */
enum { COUNTED_MAX = 1000 };

struct looking {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_table *table;
    uint64_t safe; /* records at or behind it are not shown to readers yet */
    size_t left;   /* that may still be counted */
};

/* A reader and the shard it reads. */
struct place {
    struct pk_stream_reader *reader;
    const struct pk_shard *shard;
    uint64_t bound; /* of what there is for it */
};

static struct pk_iter *records_from(const struct looking *looking, const struct place *place,
                                    uint64_t from)
{
    struct pk_iter *iter = pk_change_iter(pk_store_live(looking->engine->store), looking->table->id,
                                          place->shard->number, from, place->bound);

    pk_iter_seek_first(iter);
    return iter;
}

/* When the first record that waits was written; *found false: none waits. */
static enum pk_code find_first(const struct looking *looking, const struct place *place,
                               struct pk_change *first, bool *found, struct pk_error *err)
{
    struct pk_iter *iter = records_from(looking, place, place->reader->next);
    enum pk_code rc = PK_OK;

    *found = pk_iter_valid(iter);
    if (!*found)
        rc = pk_iter_status(iter, err);
    else if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), first))
        rc = pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                     PK_FMT(looking->table->name));
    pk_iter_free(iter);
    return rc;
}

/* Goes on counting where the last look stopped; *more: not all were counted. */
static enum pk_code count(struct looking *looking, const struct place *place, bool *more,
                          struct pk_error *err)
{
    struct pk_stream_reader *reader = place->reader;
    struct pk_iter *iter = records_from(looking, place, reader->counted_to);
    enum pk_code rc = PK_OK;

    for (; pk_iter_valid(iter) && looking->left > 0; pk_iter_next(iter)) {
        struct pk_change change;

        if (!pk_change_open(pk_iter_key(iter), pk_iter_value(iter), &change)) {
            rc = pk_fail(err, PK_E_CORRUPT, "a change record of table '%.*s' is damaged",
                         PK_FMT(looking->table->name));
            break;
        }
        reader->counted++;
        reader->counted_to = change.sequence + 1;
        looking->left--;
    }
    *more = pk_iter_valid(iter);
    if (rc == PK_OK)
        rc = pk_iter_status(iter, err);
    pk_iter_free(iter);
    return rc;
}

static enum pk_code look_reader(struct looking *looking, const struct place *place,
                                struct pk_reader_look *look, struct pk_error *err)
{
    const struct pk_stream_reader *reader = place->reader;
    struct pk_arena *arena = looking->call->arena;
    struct pk_change first = {0};
    bool found = false;
    enum pk_code rc;

    *look = (struct pk_reader_look){
        .number = reader->number,
        .shard = pk_shard_id(arena, place->shard),
        .records = reader->records,
        .quiet_ms = (pk_clock_real_us() - reader->heard_us) / 1000,
    };
    if (reader->records > 0)
        look->sequence = pk_sequence_text(arena, reader->read_to - 1);
    rc = find_first(looking, place, &first, &found, err);
    if (rc != PK_OK || !found)
        return rc;
    rc = count(looking, place, &look->more, err);
    pk_stream_readers_counted(&looking->engine->stream_readers, reader);
    look->waiting = reader->counted;
    look->oldest_ms = pk_clock_now(&looking->engine->clock) - first.time_ms;
    return rc;
}

static bool find_place(const struct looking *looking, struct pk_stream_reader *reader,
                       struct place *place)
{
    const struct pk_stream *stream = pk_stream_find(looking->table, reader->label_ms);

    *place = (struct place){.reader = reader, .bound = looking->safe};
    if (stream != NULL)
        place->shard = pk_stream_shard(stream, reader->shard);
    if (place->shard == NULL)
        return false;
    if (place->shard->end != 0 && place->shard->end < place->bound)
        place->bound = place->shard->end;
    return true;
}

enum pk_code pk_stream_look(struct pk_engine *engine, struct pk_call *call,
                            struct pk_snapshot *snapshot, struct pk_error *err)
{
    const struct pk_table *table = snapshot->table;
    struct looking looking = {.engine = engine, .call = call, .table = table, .left = COUNTED_MAX};
    struct pk_stream_reader *readers = NULL;
    size_t count = 0;
    enum pk_code rc = pk_engine_need_store(engine, err);

    if (rc != PK_OK || table->stream_count == 0)
        return rc;
    count = pk_stream_readers_get(&engine->stream_readers, call->arena, table->id, &readers);
    looking.safe = pk_log_safe(&pk_table_log(table)->log);
    snapshot->readers = PK_NEW_ARRAY(call->arena, struct pk_reader_look, count);
    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        struct place place;

        if (find_place(&looking, &readers[i], &place))
            rc = look_reader(&looking, &place, &snapshot->readers[snapshot->reader_count++], err);
    }
    return rc;
}
