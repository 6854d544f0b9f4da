/*
 * For a room: at most seven things, each as large as its share of the screen. Of partitions and of
 * collections the hottest and the largest, in the order they always have, so that a thing stays
 * where it was.
 */
#include "shell/panel/gauge.h"
#include "shell/panel/heat_row.h"

enum { THINGS = 6 /* beside the title */ };

/* Which of n things are among the `most` that weigh most; shown[i] says so of thing i. */
static void choose(const int64_t *weights, size_t n, size_t most, bool *shown)
{
    for (size_t i = 0; i < n; i++) {
        size_t heavier = 0;

        for (size_t k = 0; k < n; k++)
            heavier += weights[k] > weights[i] || (weights[k] == weights[i] && k < i);
        shown[i] = heavier < most;
    }
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
    pk_slice note = sh_throttled(partition) > 0 ? sh_throttle_text(arena, partition)
                                                : sh_heat_note(arena, drawing->snapshot, partition);
    pk_slice text = pk_arena_printf(
        arena, "%u  %.*s of %.*s %s/s%s  %.*s", partition->number,
        PK_FMT(sh_short_count(arena, (uint64_t)(access->consumed / 1000))),
        PK_FMT(sh_short_count(arena, (uint64_t)access->limit)), reads ? "reads" : "writes",
        full ? " !" : "", PK_FMT(sh_heat_key_text(arena, partition)));
    int width = sh_width(area, note);

    sh_put_cut(area, y, 1, area->width - width - 4, full ? SH_INK_ALERT : SH_INK_STRONG, text);
    sh_put_cut(area, y, area->width - width - 1, width, SH_INK_ALERT, note);
    sh_put_thick_bar(area, y + 1, 1, drawing->lines > 3 ? drawing->lines - 2 : 1, area->width - 2,
                     full    ? SH_INK_ALERT
                     : reads ? SH_INK_READ
                             : SH_INK_WRITE,
                     reads ? read : write);
}

void sh_projector_heat(struct sh_views *views, const struct sh_area *area,
                       const struct sh_frame *frame)
{
    const struct cmd_snapshot *snapshot = frame->snapshot;
    int64_t *weights = PK_NEW_ARRAY(&views->arena, int64_t, snapshot->count + 1);
    bool *shown = PK_NEW_ARRAY(&views->arena, bool, snapshot->count + 1);
    size_t most = (size_t)((area->height - 1) / 2);
    size_t things = 0;
    int y = 1;

    most = most < THINGS ? most : THINGS;
    things = snapshot->count < most ? snapshot->count : most;
    for (size_t i = 0; i < snapshot->count; i++)
        weights[i] = sh_heat_of(&snapshot->partitions[i]);
    choose(weights, snapshot->count, most, shown);
    sh_put_rule(area, 0, "partitions",
                snapshot->partition_count <= things
                    ? PK_LIT("")
                    : pk_arena_printf(&views->arena, "the hottest %zu of %u", things,
                                      snapshot->partition_count),
                false);

    struct drawing drawing = {&views->arena, snapshot, area, lines_of(area, things)};

    for (size_t i = 0; i < snapshot->count; i++) {
        if (!shown[i])
            continue;
        put_partition(&drawing, y, &snapshot->partitions[i]);
        y += drawing.lines;
    }
}

void sh_projector_collections(struct sh_views *views, const struct sh_area *area,
                              const struct sh_frame *frame)
{
    const struct cmd_viewport *viewport = frame->viewport;
    size_t count = viewport == NULL ? 0 : viewport->count;
    size_t most = (size_t)((area->height - 1) / 2);
    uint64_t largest = 0;
    int y = 1;

    most = most < THINGS ? most : THINGS;
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        if (viewport->collections[i].bytes > largest)
            largest = viewport->collections[i].bytes;
    sh_put_rule(area, 0, "collections", PK_LIT(""), false);
    for (size_t i = 0; i < count; i++) {
        const struct cmd_viewport_collection *collection = &viewport->collections[i];
        pk_slice growth = sh_growth_text(&views->arena, &views->collections, frame, collection);
        int lines = lines_of(area, count);
        int x = sh_put_cut(area, y, 1, area->width / 2, SH_INK_STRONG, collection->hash);

        x = sh_put(area, y, x + 2, SH_INK_TEXT,
                   pk_arena_printf(&views->arena, "%.*s items  %.*s",
                                   PK_FMT(sh_short_count(&views->arena, collection->items)),
                                   PK_FMT(cmd_format_bytes(&views->arena, collection->bytes))));
        sh_put(area, y, x + 2, SH_INK_GOOD, growth);
        sh_put_thick_bar(area, y + 1, 1, lines > 3 ? lines - 2 : 1, area->width - 2, SH_INK_READ,
                         sh_share((int64_t)collection->bytes, (int64_t)largest));
        y += lines;
    }
}
