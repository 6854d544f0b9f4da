/*
 * For a room: at most seven things, each as large as its share of the screen. Of partitions and of
 * collections the hottest and the largest, in the order they always have, so that a thing stays
 * where it was.
 */
#include "shell/panel/gauge.h"
#include "shell/panel/heat_row.h"

enum {
    THINGS = 6,       /* beside the title */
    THINGS_BESIDE = 4 /* of one kind, where two share the screen */
};

/* Which partitions are among the `most` hottest: their places, ascending. */
static size_t choose(const struct cmd_snapshot_partition *among, size_t candidates, size_t most,
                     size_t *places)
{
    size_t count = 0;

    for (size_t i = 0; i < candidates; i++) {
        size_t coolest = 0;

        if (count < most) {
            places[count++] = i;
            continue;
        }
        for (size_t k = 1; k < count; k++)
            if (sh_heat_of(&among[places[k]]) <= sh_heat_of(&among[places[coolest]]))
                coolest = k;
        if (count == 0 || sh_heat_of(&among[i]) <= sh_heat_of(&among[places[coolest]]))
            continue;
        memmove(&places[coolest], &places[coolest + 1], (count - 1 - coolest) * sizeof(*places));
        places[count - 1] = i;
    }
    return count;
}

/* Lines a thing has: its text, and bars as thick as there is room. */
static int lines_of(const struct sh_area *area, size_t things)
{
    int lines = things == 0 ? 0 : (area->height - 1) / (int)things;

    return lines < 2 ? 2 : lines > 6 ? 6 : lines;
}

struct drawing {
    struct pk_arena *arena;
    const struct cmd_snapshot *snapshot;
    const struct sh_area *area;
    int lines; /* of a thing */
};

static void put_partition(const struct drawing *drawing, int y,
                          const struct cmd_snapshot_partition *partition)
{
    struct pk_arena *arena = drawing->arena;
    const struct sh_area *area = drawing->area;
    int read = sh_share(partition->read.consumed, partition->read.limit * 1000);
    int write = sh_share(partition->write.consumed, partition->write.limit * 1000);
    bool reads = read >= write;
    const struct cmd_snapshot_access *access = reads ? &partition->read : &partition->write;
    bool full = sh_heat_of(partition) >= 1000;
    bool throttled = sh_throttled(partition) > 0;
    pk_slice note = throttled ? sh_throttle_text(arena, partition)
                              : sh_heat_note(arena, drawing->snapshot, partition);
    pk_slice text = pk_arena_printf(
        arena, "%u  %.*s of %.*s %s/s%s  %.*s", partition->number,
        PK_FMT(sh_short_count(arena, (uint64_t)(access->consumed / 1000))),
        PK_FMT(sh_short_count(arena, (uint64_t)access->limit)), reads ? "reads" : "writes",
        full ? " !" : "", PK_FMT(sh_heat_key_text(arena, partition)));
    int width = sh_width(area, note);

    sh_put_cut(area, sh_at(y, 1, area->width - width - 4), full ? SH_INK_ALERT : SH_INK_STRONG,
               text);
    sh_put_cut(area, sh_at(y, area->width - width - 1, width),
               throttled ? SH_INK_ALERT : SH_INK_DIM, note);
    sh_put_thick_bar(area, sh_at(y + 1, 1, area->width - 2),
                     drawing->lines > 3 ? drawing->lines - 2 : 1,
                     full    ? SH_INK_ALERT
                     : reads ? SH_INK_READ
                             : SH_INK_WRITE,
                     reads ? read : write);
}

static size_t most_things(const struct sh_area *area, int most)
{
    int fit = (area->height - 1) / 2;

    return fit < 0 ? 0 : fit < most ? (size_t)fit : (size_t)most;
}

void sh_projector_heat(struct sh_views *views, const struct sh_area *area,
                       const struct sh_frame *frame)
{
    const struct cmd_snapshot *snapshot = frame->snapshot;
    size_t places[THINGS];
    bool beside = views->front == SH_VIEW_SPLIT;
    size_t candidates;
    const struct cmd_snapshot_partition *among = sh_heat_candidates(snapshot, &candidates);
    size_t count =
        choose(among, candidates, most_things(area, beside ? THINGS_BESIDE : THINGS), places);
    struct drawing drawing = {&views->arena, snapshot, area, lines_of(area, count)};

    sh_put_rule(
        area, 0, "partitions",
        snapshot->partition_count <= count
            ? PK_LIT("")
            : pk_arena_printf(&views->arena, "the hottest %zu of %.*s", count,
                              PK_FMT(cmd_format_count(&views->arena, snapshot->partition_count))),
        false);
    for (size_t i = 0; i < count; i++)
        put_partition(&drawing, 1 + (int)i * drawing.lines, &among[places[i]]);
}

void sh_projector_collections(struct sh_views *views, const struct sh_area *area,
                              const struct sh_frame *frame)
{
    const struct cmd_viewport *viewport = frame->viewport;
    size_t count = viewport == NULL ? 0 : viewport->count;
    size_t most = most_things(area, THINGS);
    uint64_t largest = 0;
    int y = 1;

    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        if (viewport->collections[i].bytes > largest)
            largest = viewport->collections[i].bytes;
    sh_put_rule(area, 0, "collections", PK_LIT(""), false);
    if (viewport != NULL)
        sh_growth_see(&views->collections, frame);
    for (size_t i = 0; i < count; i++) {
        const struct cmd_viewport_collection *collection = &viewport->collections[i];
        pk_slice growth = sh_growth_text(&views->arena, &views->collections, collection);
        int lines = lines_of(area, count);
        int x = sh_put_cut(area, sh_at(y, 1, area->width / 2), SH_INK_STRONG, collection->hash);

        x = sh_put(area, y, x + 2, SH_INK_TEXT,
                   pk_arena_printf(&views->arena, "%.*s item%s  %.*s",
                                   PK_FMT(sh_short_count(&views->arena, collection->items)),
                                   collection->items == 1 ? "" : "s",
                                   PK_FMT(cmd_format_bytes(&views->arena, collection->bytes))));
        sh_put(area, y, x + 2, SH_INK_GOOD, growth);
        sh_put_thick_bar(area, sh_at(y + 1, 1, area->width - 2), lines > 3 ? lines - 2 : 1,
                         SH_INK_READ, sh_share((int64_t)collection->bytes, (int64_t)largest));
        y += lines;
    }
}
