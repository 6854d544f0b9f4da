/* See the header. */
#include "shell/panel/reader_rows.h"

#include <stdlib.h>

#include "shell/panel/views.h"

enum {
    ROWS_FROM = 12, /* height of the view from which consumers have rows of their own … */
    SHARE = 4,      /* … which are at most that part of it */
    LINE_FROM = 7,  /* height from which there is a line at all */
    QUIET_MS = 10000,
    NAME_MAX = 20,       /* columns */
    SHARD_FROM = 60,     /* width from which the word has room */
    SEQUENCE_FROM = 100, /* width from which rows say where a reader stands */
    SEQUENCE = 21
};

struct reader {
    pk_slice name, place, sequence;
    pk_slice state;
    uint64_t waiting;
    bool consumer; /* of a shard; else an index */
    bool quiet;
    size_t order; /* whose order holds among equals */
};

static size_t count_indexes(const struct cmd_snapshot *snapshot)
{
    size_t count = 0;

    for (size_t i = 0; i < snapshot->index_count; i++)
        count += !snapshot->indexes[i].local;
    return count;
}

int sh_reader_rows(const struct cmd_snapshot *snapshot, int height)
{
    size_t count = count_indexes(snapshot) + snapshot->reader_count;
    size_t most = (size_t)(height < 0 ? 0 : height) / SHARE;

    if (count == 0 || height < LINE_FROM)
        return 0;
    if (snapshot->reader_count == 0 || height < ROWS_FROM)
        return 1;
    return 1 + (int)(count < most - 1 ? count : most - 1);
}

/* Collecting -----------------------------------------------------------------------------------*/

static pk_slice state_text(struct pk_arena *arena, uint64_t waiting, bool more, int64_t oldest_ms)
{
    if (waiting == 0)
        return PK_LIT("up to date");
    return pk_arena_printf(arena, "%.*s%s behind, %.*s", PK_FMT(sh_short_count(arena, waiting)),
                           more ? "+" : "", PK_FMT(sh_span_text(arena, oldest_ms)));
}

/* The end of a long name: what tells shards apart. */
static pk_slice shard_text(struct pk_arena *arena, pk_slice shard)
{
    if (shard.len <= 8)
        return shard;
    return pk_arena_printf(arena, "…%.*s", 6, shard.data + shard.len - 6);
}

static struct reader consumer(struct pk_arena *arena, const struct cmd_snapshot_reader *reader)
{
    struct reader out = {
        .name = pk_arena_printf(arena, "reader %u", reader->number),
        .place = shard_text(arena, reader->shard),
        .sequence = reader->sequence.len == 0 ? PK_LIT("no record yet") : reader->sequence,
        .state = state_text(arena, reader->waiting, reader->more, reader->oldest_ms),
        .waiting = reader->waiting,
        .consumer = true,
        .quiet = reader->quiet_ms >= QUIET_MS,
    };

    if (out.quiet)
        out.state = pk_arena_printf(arena, "%.*s · quiet %.*s", PK_FMT(out.state),
                                    PK_FMT(sh_span_text(arena, reader->quiet_ms)));
    return out;
}

static int compare(const void *a, const void *b)
{
    const struct reader *first = a;
    const struct reader *second = b;

    if (first->quiet != second->quiet)
        return first->quiet ? 1 : -1;
    if (first->waiting != second->waiting)
        return first->waiting > second->waiting ? -1 : 1;
    return first->order < second->order ? -1 : 1;
}

static struct reader *collect(struct pk_arena *arena, const struct cmd_snapshot *snapshot,
                              size_t *count)
{
    struct reader *readers =
        PK_NEW_ARRAY(arena, struct reader, snapshot->index_count + snapshot->reader_count);

    *count = 0;
    for (size_t i = 0; i < snapshot->index_count; i++) {
        const struct cmd_snapshot_index *index = &snapshot->indexes[i];

        if (!index->local)
            readers[(*count)++] = (struct reader){
                .name = index->name,
                .place = PK_LIT("index"),
                .state = state_text(arena, index->waiting, false, index->oldest_ms),
                .waiting = index->waiting,
            };
    }
    for (size_t i = 0; i < snapshot->reader_count; i++)
        readers[(*count)++] = consumer(arena, &snapshot->readers[i]);
    for (size_t i = 0; i < *count; i++)
        readers[i].order = i;
    return readers;
}

/* Drawing --------------------------------------------------------------------------------------*/

static enum sh_ink name_ink(const struct reader *reader)
{
    return reader->quiet ? SH_INK_DIM : SH_INK_STRONG;
}

static enum sh_ink state_ink(const struct reader *reader)
{
    if (reader->quiet)
        return SH_INK_DIM;
    return reader->waiting == 0 ? SH_INK_GOOD : SH_INK_WARN;
}

static void draw_line(const struct sh_area *area, const struct reader *readers, size_t count)
{
    int x = sh_put(area, 0, 1, SH_INK_RULE, PK_LIT("readers")) + 2;

    for (size_t i = 0; i < count; i++) {
        const struct reader *reader = &readers[i];

        if (x + sh_width(area, reader->name) + 1 + sh_width(area, reader->state) >= area->width) {
            sh_put(area, 0, x, SH_INK_DIM, PK_LIT("…"));
            return;
        }
        x = sh_put(area, 0, x, name_ink(reader), reader->name) + 1;
        x = sh_put(area, 0, x, state_ink(reader), reader->state) + 2;
    }
}

static void draw_row(const struct sh_area *area, int y, int name, const struct reader *reader)
{
    int x = 1;

    sh_put_cut(area, sh_at(y, x, name), name_ink(reader), reader->name);
    x += name + 2;
    if (area->width >= SHARD_FROM) {
        sh_put(area, y, x, SH_INK_DIM, reader->consumer ? PK_LIT("shard") : reader->place);
        x += 6;
    }
    if (reader->consumer || area->width < SHARD_FROM)
        sh_put_cut(area, sh_at(y, x, 8), SH_INK_DIM, reader->place);
    x += 9;
    if (area->width >= SEQUENCE_FROM) {
        sh_put_cut(area, sh_at(y, x, SEQUENCE), SH_INK_DIM, reader->sequence);
        x += SEQUENCE + 2;
    }
    sh_put_cut(area, sh_at(y, x, area->width - x - 1), state_ink(reader), reader->state);
}

static pk_slice title_note(struct pk_arena *arena, size_t hidden)
{
    return hidden == 0 ? PK_LIT("") : pk_arena_printf(arena, "%zu more", hidden);
}

void sh_reader_rows_draw(struct pk_arena *arena, const struct sh_area *area,
                         const struct cmd_snapshot *snapshot)
{
    size_t count;
    struct reader *readers = collect(arena, snapshot, &count);
    size_t rows = area->height < 1 ? 0 : (size_t)area->height - 1;
    int name = 0;

    if (count > 0)
        qsort(readers, count, sizeof(*readers), compare);
    if (rows == 0) {
        draw_line(area, readers, count);
        return;
    }
    if (rows > count)
        rows = count;
    for (size_t i = 0; i < rows; i++) {
        int width = sh_width(area, readers[i].name);

        name = width > name ? width : name;
    }
    sh_put_rule(area, 0, "readers", title_note(arena, count - rows), false);
    for (size_t i = 0; i < rows; i++)
        draw_row(area, (int)i + 1, name < NAME_MAX ? name : NAME_MAX, &readers[i]);
}
