/*
 * Heat: what each partition does against its limit, and a map of its last seconds.
 *
 * With room for it the map is a picture of its own below the table, its rows up to three lines
 * high; with many partitions a row holds both, the hottest stay on top and the rest scrolls. Below,
 * as far as there is room: the hottest keys and the latest splits.
 */
#include <limits.h>
#include <stdlib.h>

#include "shell/panel/gauge.h"
#include "shell/panel/heat_row.h"

enum {
    LOADED = 256,     /* partitions a snapshot is asked for */
    KEYS_SHOWN = 8,   /* hottest keys */
    KEYS_LEAST = 5,   /* lines that are left to them before the map grows */
    SPLITS_SHOWN = 4, /* latest splits */
    HALF = 500,       /* thousandths of a partition's requests */
    HOT = 8,          /* hottest partitions that are asked for where there are more than LOADED */
    PINNED = 5,       /* hottest partitions that stay while the others scroll */
    LIST_LEAST = 6,   /* lines from which a list below them pays */
    MAP_ROW_MAX = 3
};

static struct sh_heat_drawing start(struct sh_views *views, const struct sh_area *area,
                                    const struct sh_frame *frame, enum sh_heat_kind kind)
{
    struct sh_heat_drawing drawing = {.views = views, .frame = frame, .area = area};
    struct sh_heat_figures figures = {.digits = 1};

    for (uint32_t n = frame->snapshot->partition_count; n > 10; n = (n + 9) / 10)
        figures.digits++;
    for (size_t i = 0; i < frame->snapshot->count; i++)
        figures.burst = figures.burst || frame->snapshot->partitions[i].read.burst_max_milli > 0 ||
                        frame->snapshot->partitions[i].write.burst_max_milli > 0;
    sh_heat_layout(&drawing.layout, kind, &figures, area->width);
    return drawing;
}

static pk_slice summary(struct pk_arena *arena, const struct cmd_snapshot *snapshot)
{
    return pk_arena_printf(arena, "%.*s partition%s · %.*s item%s%s · %.*s",
                           PK_FMT(cmd_format_count(arena, snapshot->partition_count)),
                           snapshot->partition_count == 1 ? "" : "s",
                           PK_FMT(cmd_format_count(arena, snapshot->items)),
                           snapshot->items == 1 ? "" : "s", snapshot->counting ? " (counting)" : "",
                           PK_FMT(cmd_format_bytes(arena, snapshot->bytes)));
}

/* ---- the picture ----------------------------------------------------------------------------- */

static pk_slice joined(struct pk_arena *arena, pk_slice a, pk_slice b)
{
    if (a.len == 0 || b.len == 0)
        return a.len == 0 ? b : a;
    return pk_arena_printf(arena, "%.*s · %.*s", PK_FMT(a), PK_FMT(b));
}

/* What stands beside a map row: its key and what becomes of the partition, then what was refused;
 * all of it on one line where there is only one. */
static pk_slice map_label(const struct sh_heat_drawing *drawing, int line, int lines,
                          const struct cmd_snapshot_partition *partition)
{
    struct pk_arena *arena = &drawing->views->arena;
    pk_slice hot = sh_heat_key_text(arena, partition);
    pk_slice throttled = sh_throttle_text(arena, partition);
    pk_slice note = sh_heat_note(arena, drawing->frame->snapshot, partition);

    if (lines == 1)
        return joined(arena, joined(arena, hot, throttled), note);
    if (line == 0)
        return joined(arena, hot, note);
    return line == 1 ? throttled : PK_LIT("");
}

static void draw_axis(const struct sh_heat_drawing *drawing, int y, int x,
                      const struct sh_heat_span *span)
{
    struct pk_arena *arena = &drawing->views->arena;
    const struct sh_area *area = drawing->area;
    int seconds = span->width * span->step;
    int middle = x + span->width / 2;

    sh_put(area, y, x, SH_INK_RULE, pk_arena_printf(arena, "%d s ago", seconds));
    if (span->width > 40)
        sh_put(area, y, middle, SH_INK_RULE, pk_arena_printf(arena, "%d s", seconds / 2));
    if (span->width > 14)
        sh_put_right(area, sh_at(y, x + span->width - 3, 3), SH_INK_RULE, PK_LIT("now"));
    sh_put_cut(area, sh_at(y, x + span->width + 2, area->width - x - span->width - 2), SH_INK_DIM,
               area->width < 100 ? PK_LIT("░▒▓█ to limit  ╳ over")
                                 : PK_LIT("░▒▓█ up to the limit  ╳ throttled"));
}

/* The map below the table: rows of `height` lines. Returns the line behind it. */
static int draw_picture(const struct sh_heat_drawing *drawing, int y, int height)
{
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;
    const struct sh_area *area = drawing->area;
    int label = area->width / 3 < 26 ? 26 : area->width / 3 > 48 ? 48 : area->width / 3;
    int width = area->width - 4 - label - 2;
    struct sh_heat_span span = sh_heat_span(drawing->views->model, width > 1 ? width : 1);
    struct pk_arena *arena = &drawing->views->arena;
    pk_slice step = span.step == 1
                        ? PK_LIT("a column is a second")
                        : pk_arena_printf(arena, "a column is the peak of %d s", span.step);

    sh_put_rule(area, y++, "map", step, false);
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];

        sh_put_right(area, sh_at(y, 0, 3), SH_INK_STRONG,
                     pk_arena_printf(arena, "%u", partition->number));
        for (int line = 0; line < height; line++) {
            sh_heat_map(drawing, y + line, 4, &span, partition);
            sh_put_cut(area, sh_at(y + line, 4 + span.width + 2, label - 1),
                       sh_heat_of(partition) >= 850 ? SH_INK_ALERT : SH_INK_DIM,
                       map_label(drawing, line, height, partition));
        }
        y += height;
    }
    draw_axis(drawing, y++, 4, &span);
    return y;
}

/* ---- hottest keys and splits ----------------------------------------------------------------- */

struct hot_key {
    const struct cmd_snapshot_partition *partition;
    const struct cmd_snapshot_key *key;
    uint64_t rate; /* requests in the last second, estimated from its share */
};

/* The keys asked most, at most `most`, hottest first. */
static size_t hottest_keys(const struct cmd_snapshot *snapshot, struct hot_key *keys, size_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];
        uint64_t requests = partition->read.admitted + partition->read.refused +
                            partition->write.admitted + partition->write.refused;

        for (size_t k = 0; k < partition->hottest_count; k++) {
            struct hot_key key = {partition, &partition->hottest[k], 0};
            size_t at = count;

            key.rate = requests / 1000 * key.key->share + requests % 1000 * key.key->share / 1000;
            while (at > 0 && keys[at - 1].rate < key.rate)
                at--;
            if (at >= most)
                continue;
            if (count < most)
                count++;
            memmove(&keys[at + 1], &keys[at], (count - 1 - at) * sizeof(*keys));
            keys[at] = key;
        }
    }
    return count;
}

/* What a key at a partition's limit teaches: no split helps it. */
static int draw_lesson(const struct sh_heat_drawing *drawing, int y, const struct hot_key *key)
{
    const struct cmd_snapshot_access *read = &key->partition->read;
    const struct cmd_snapshot_access *write = &key->partition->write;
    bool reads = sh_share(read->consumed, read->limit) >= sh_share(write->consumed, write->limit);
    const struct cmd_snapshot_access *access = reads ? read : write;

    if (key->key->share < HALF || access->limit <= 0 || access->consumed / 1000 < access->limit)
        return y;
    sh_put_cut(
        drawing->area, sh_at(y, 1, drawing->area->width - 1), SH_INK_WARN,
        pk_arena_printf(&drawing->views->arena,
                        "%.*s alone can never pass %.*s %s/s: a key lives on one partition",
                        PK_FMT(key->key->text),
                        PK_FMT(sh_short_count(&drawing->views->arena, (uint64_t)access->limit)),
                        reads ? "reads" : "writes"));
    return y + 1;
}

/* Returns the line behind. */
static int draw_keys(const struct sh_heat_drawing *drawing, int y, int rows)
{
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    struct hot_key keys[KEYS_SHOWN];
    size_t most = rows - 1 < KEYS_SHOWN ? (size_t)(rows - 1) : KEYS_SHOWN;
    size_t count = rows < 2 ? 0 : hottest_keys(drawing->frame->snapshot, keys, most);
    int name = area->width / 3;
    int bar = area->width / 4;

    if (count == 0)
        return y;
    sh_put_rule(area, y++, "hottest keys", PK_LIT("share of the partition's requests"), false);
    for (size_t i = 0; i < count; i++, y++) {
        const struct hot_key *key = &keys[i];
        int x = 1 + name + 1;

        sh_put_cut(area, sh_at(y, 1, name), SH_INK_STRONG, key->key->text);
        sh_put_bar(area, sh_at(y, x, bar), SH_INK_BURST, (int)key->key->share);
        sh_put_cut(area, sh_at(y, x + bar + 1, area->width - x - bar - 2), SH_INK_TEXT,
                   pk_arena_printf(arena, "%3u%% of partition %u  %.*s/s",
                                   (key->key->share + 5) / 10, key->partition->number,
                                   PK_FMT(cmd_format_count(arena, key->rate))));
    }
    return (int)count + 1 < rows ? draw_lesson(drawing, y, &keys[0]) : y;
}

static pk_slice child_text(struct pk_arena *arena, const struct cmd_snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->count; i++)
        if (snapshot->partitions[i].id == id)
            return pk_arena_printf(arena, "%u (%.*s)", snapshot->partitions[i].number,
                                   PK_FMT(sh_heat_range(arena, &snapshot->partitions[i])));
    return PK_LIT("one that split again");
}

static const char *cause_text(pk_slice cause)
{
    if (pk_slice_is(cause, "HEAT"))
        return "for heat";
    if (pk_slice_is(cause, "SIZE"))
        return "for size";
    return pk_slice_is(cause, "THROUGHPUT") ? "for throughput" : "split";
}

static void draw_splits(const struct sh_heat_drawing *drawing, int y, int rows)
{
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;
    struct pk_arena *arena = &drawing->views->arena;
    int most = rows - 1 < SPLITS_SHOWN ? rows - 1 : SPLITS_SHOWN;

    if (most < 1 || snapshot->split_count == 0)
        return;
    sh_put_rule(drawing->area, y++, "splits", PK_LIT("latest first"), false);
    for (int i = 0; i < most && (size_t)i < snapshot->split_count; i++) {
        const struct cmd_snapshot_split *split =
            &snapshot->splits[snapshot->split_count - 1 - (size_t)i];

        sh_put_cut(drawing->area, sh_at(y++, 1, drawing->area->width - 1), SH_INK_TEXT,
                   pk_arena_printf(arena, "%.*s  %s  one became two: %.*s and %.*s",
                                   PK_FMT(sh_clock_text(arena, split->time_ms)),
                                   cause_text(split->cause),
                                   PK_FMT(child_text(arena, snapshot, split->children[0])),
                                   PK_FMT(child_text(arena, snapshot, split->children[1]))));
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The partition of that number, as far as it was loaded. */
static const struct cmd_snapshot_partition *by_number(const struct cmd_snapshot *snapshot,
                                                      uint32_t number)
{
    if (snapshot->count == 0 || number < snapshot->partitions[0].number ||
        number - snapshot->partitions[0].number >= snapshot->count)
        return NULL;
    return &snapshot->partitions[number - snapshot->partitions[0].number];
}

static void draw_list(const struct sh_heat_drawing *drawing, int y, int rows)
{
    struct sh_heat *heat = &drawing->views->heat;
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;

    heat->rows = rows;
    heat->count = snapshot->partition_count;
    if (heat->count <= (uint32_t)rows)
        heat->first = 0;
    else if (heat->first > heat->count - (uint32_t)rows)
        heat->first = heat->count - (uint32_t)rows;
    for (int i = 0; i < rows && heat->first + (uint32_t)i < heat->count; i++) {
        uint32_t number = heat->first + (uint32_t)i;
        const struct cmd_snapshot_partition *partition = by_number(snapshot, number);

        if (partition != NULL)
            sh_heat_row(drawing, y + i, partition);
        else
            sh_put_right(drawing->area, sh_at(y + i, 0, 5), SH_INK_DIM,
                         pk_arena_printf(&drawing->views->arena, "%u …", number));
    }
}

/* The hottest partitions, hottest first; how many there are with any heat at all. */
static int hottest(const struct cmd_snapshot *snapshot, const struct cmd_snapshot_partition **hot,
                   int most)
{
    size_t candidates;
    const struct cmd_snapshot_partition *among = sh_heat_candidates(snapshot, &candidates);
    int count = 0;

    for (size_t i = 0; i < candidates; i++) {
        const struct cmd_snapshot_partition *partition = &among[i];
        int at = count;

        while (at > 0 && sh_heat_of(hot[at - 1]) < sh_heat_of(partition))
            at--;
        if (at >= most || sh_heat_of(partition) == 0)
            continue;
        if (count < most)
            count++;
        for (int k = count - 1; k > at; k--)
            hot[k] = hot[k - 1];
        hot[at] = partition;
    }
    return count;
}

static int by_place(const void *a, const void *b)
{
    const struct cmd_snapshot_partition *const *one = a;
    const struct cmd_snapshot_partition *const *other = b;

    return (*one)->number < (*other)->number ? -1 : 1;
}

/* More partitions than lines: the hottest on top, in the order of their keys so that they stand
 * still; a line of rest, and a list that scrolls where there is room for one. */
static void draw_many(const struct sh_heat_drawing *drawing, int y)
{
    const struct cmd_snapshot_partition *hot[PINNED];
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;
    const struct sh_area *area = drawing->area;
    int room = area->height - y;
    int most = room < LIST_LEAST ? room : room / 3;
    int pinned = hottest(snapshot, hot, most < PINNED ? most : PINNED);
    int rows = room - pinned - (pinned > 0 ? 1 : 0);
    struct pk_arena *arena = &drawing->views->arena;

    qsort(hot, (size_t)pinned, sizeof(*hot), by_place);
    for (int i = 0; i < pinned; i++)
        sh_heat_row(drawing, y++, hot[i]);
    draw_list(drawing, pinned > 0 ? y + 1 : y, rows > 0 ? rows : 0);
    if (pinned == 0 || rows <= 0)
        return;

    uint32_t last = drawing->views->heat.first + (uint32_t)(rows < 0 ? 0 : rows);

    sh_put_rule(area, y, "by key",
                pk_arena_printf(arena, "%u to %u of %.*s · ↑↓ scrolls", drawing->views->heat.first,
                                last > 0 ? last - 1 : 0,
                                PK_FMT(cmd_format_count(arena, snapshot->partition_count))),
                false);
    if (snapshot->count < snapshot->partition_count && snapshot->hot_count == 0)
        sh_put_cut(area, sh_at(y, 10, 30), SH_INK_DIM,
                   pk_arena_printf(arena, " hottest of %zu loaded ", snapshot->count));
}

/* "heat", and of how many where not all are there, over the first two columns. */
static void put_title(const struct sh_heat_drawing *drawing, bool keys)
{
    const struct sh_area *area = drawing->area;
    struct pk_arena *arena = &drawing->views->arena;
    int end = drawing->layout.columns[SH_HEAT_TOKENS].x + 9;
    uint32_t count = drawing->frame->snapshot->partition_count;
    pk_slice of = pk_arena_printf(arena, " of %.*s", PK_FMT(sh_short_count(arena, count)));

    sh_put_repeat(area, sh_at(0, 0, end), SH_INK_RULE, " ");
    sh_put(area, 0, 2, keys ? SH_INK_STRONG : SH_INK_RULE, PK_LIT("heat"));
    if (count + 1 <= (uint32_t)area->height)
        return;
    if (6 + sh_width(area, of) > end)
        of = pk_slice_skip(of, 3);
    sh_put(area, 0, 6, SH_INK_DIM, of);
}

void sh_heat_draw_rows(struct sh_views *views, const struct sh_area *area,
                       const struct sh_frame *frame, bool keys)
{
    bool picture = area->height >= sh_heat_picture_rows(frame->snapshot);
    struct sh_heat_drawing drawing =
        start(views, area, frame, picture ? SH_HEAT_TABLE : SH_HEAT_ROWS);

    sh_heat_headings(&drawing, 0);
    put_title(&drawing, keys);
    sh_fill_rule(area, 0);
    if (keys)
        sh_put_repeat(area, sh_at(0, 0, 1), SH_INK_STRONG, "›");
    if (frame->snapshot->partition_count + 1 <= (uint32_t)area->height)
        draw_list(&drawing, 1, area->height - 1);
    else
        draw_many(&drawing, 1);
    if (picture)
        draw_picture(&drawing, 1 + (int)frame->snapshot->partition_count, 1);
}

int sh_heat_picture_rows(const struct cmd_snapshot *snapshot)
{
    /* headings, table; rule, map, axis */
    return snapshot->count < snapshot->partition_count ? INT_MAX : 3 + 2 * (int)snapshot->count;
}

/* ---- the view -------------------------------------------------------------------------------- */

/* Lines of a map row that leave room for the keys; 0: no picture fits. */
static int picture_height(const struct sh_area *area, const struct cmd_snapshot *snapshot)
{
    int n = snapshot->partition_count > 1000 ? 1000 : (int)snapshot->partition_count;
    int room = area->height - 2 - n - 2; /* title, headings, table; rule, axis */
    int height = n > 0 && room >= n ? room / n : 0;

    if ((size_t)n > snapshot->count)
        return 0;
    while (height > 1 && (height > MAP_ROW_MAX || room - height * n < KEYS_LEAST))
        height--;
    return height;
}

static void draw(struct sh_views *views, const struct sh_area *area, const struct sh_frame *frame)
{
    const struct cmd_snapshot *snapshot = frame->snapshot;
    int height = picture_height(area, snapshot);
    bool many = snapshot->partition_count + 2 > (uint32_t)area->height;
    struct sh_heat_drawing drawing =
        start(views, area, frame, height > 0 ? SH_HEAT_TABLE : SH_HEAT_ROWS);
    int y = 2;

    if (snapshot->table.len == 0) {
        sh_put_nothing(area, PK_LIT("no table yet: create one, or use one"));
        return;
    }
    if (frame->look.projector) {
        sh_projector_heat(views, area, frame);
        return;
    }
    sh_put_rule(area, 0, "heat", summary(&views->arena, snapshot), frame->focus);
    sh_heat_headings(&drawing, 1);
    if (many) {
        draw_many(&drawing, y);
        return;
    }
    draw_list(&drawing, y, area->height - y);
    y += (int)snapshot->partition_count;
    if (height > 0)
        y = draw_picture(&drawing, y, height);
    y = draw_keys(&drawing, y, area->height - y);
    draw_splits(&drawing, y, area->height - y);
}

static bool key(struct sh_views *views, const struct sh_key *key)
{
    struct sh_heat *heat = &views->heat;
    uint32_t rows = heat->rows > 0 ? (uint32_t)heat->rows : 1;
    uint32_t last = heat->count > rows ? heat->count - rows : 0;
    uint32_t by = key->name == SH_KEY_PAGE_UP || key->name == SH_KEY_PAGE_DOWN ? rows : 1;

    switch (key->name) {
    case SH_KEY_UP:
    case SH_KEY_PAGE_UP:
        heat->first -= heat->first < by ? heat->first : by;
        return true;
    case SH_KEY_DOWN:
    case SH_KEY_PAGE_DOWN:
        heat->first = last - heat->first < by || heat->first > last ? last : heat->first + by;
        return true;
    case SH_KEY_HOME:
        heat->first = 0;
        return true;
    case SH_KEY_END:
        heat->first = last;
        return true;
    case SH_KEY_CHAR:
    case SH_KEY_LEFT:
    case SH_KEY_RIGHT:
    case SH_KEY_ENTER:
    case SH_KEY_BACKSPACE:
    case SH_KEY_TAB:
    case SH_KEY_ESCAPE:
        return false;
    }
    return false;
}

static void needs(const struct sh_views *views, struct sh_needs *needs)
{
    const struct sh_heat *heat = &views->heat;

    needs->limit = LOADED;
    needs->hot = HOT;
    needs->first = heat->count > LOADED && heat->first > LOADED / 2 ? heat->first - LOADED / 2 : 0;
}

const struct sh_view sh_view_heat = {
    .name = "heat",
    .brief = "heat",
    .help = "↑↓ PgUp PgDn scroll",
    .draw = draw,
    .key = key,
    .needs = needs,
};
