/* See heat_row.h. */
#include "shell/panel/heat_row.h"

#include "shell/panel/gauge.h"

enum {
    SPAN_SECONDS = 60, /* that a map shows at least */
    HOT = 850          /* thousandths of a limit: what the alert ink is for */
};

int sh_heat_of(const struct cmd_snapshot_partition *partition)
{
    int read = sh_share(partition->read.consumed / 1000, partition->read.limit);
    int write = sh_share(partition->write.consumed / 1000, partition->write.limit);
    bool refused = partition->read.refused + partition->write.refused > 0;

    return (read > write ? read : write) + (refused ? 1 : 0);
}

const struct cmd_snapshot_partition *sh_heat_candidates(const struct cmd_snapshot *snapshot,
                                                        size_t *count)
{
    bool hot = snapshot->count < snapshot->partition_count && snapshot->hot_count > 0;

    *count = hot ? snapshot->hot_count : snapshot->count;
    return hot ? snapshot->hot : snapshot->partitions;
}

pk_slice sh_heat_range(struct pk_arena *arena, const struct cmd_snapshot_partition *partition)
{
    if (partition->first_key.len > 0)
        return pk_arena_printf(arena, "≥%.*s", PK_FMT(partition->first_key));
    return pk_arena_printf(arena, "%04x–%04x", (unsigned)(partition->first_token >> 48),
                           (unsigned)(partition->last_token >> 48));
}

pk_slice sh_heat_key_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition)
{
    if (partition->hottest_count == 0)
        return PK_LIT("");
    return pk_arena_printf(arena, "%.*s %u%%", PK_FMT(partition->hottest[0].text),
                           (partition->hottest[0].share + 5) / 10);
}

pk_slice sh_heat_note(struct pk_arena *arena, const struct cmd_snapshot *snapshot,
                      const struct cmd_snapshot_partition *partition)
{
    if (partition->splitting)
        return pk_arena_printf(
            arena, "splits in %.*s",
            PK_FMT(sh_span_text(arena, partition->split_due_ms - snapshot->time_ms)));
    if (partition->refusal.len > 0) {
        pk_slice words = pk_arena_printf(arena, "no split: %.*s", PK_FMT(partition->refusal));
        char *text = pk_arena_alloc(arena, words.len + 1);

        for (size_t i = 0; i < words.len; i++)
            text[i] = words.data[i] == '_' ? ' '
                      : words.data[i] >= 'A' && words.data[i] <= 'Z'
                          ? (char)(words.data[i] - 'A' + 'a')
                          : words.data[i];
        return pk_slice_of(text, words.len);
    }
    if (partition->hot_seconds > 0)
        return pk_arena_printf(arena, "hot for %u s", partition->hot_seconds);
    if (partition->cool_until_ms > snapshot->time_ms)
        return pk_arena_printf(
            arena, "rests %.*s",
            PK_FMT(sh_span_text(arena, partition->cool_until_ms - snapshot->time_ms)));
    return PK_LIT("");
}

/* ---- the map --------------------------------------------------------------------------------- */

struct sh_heat_span sh_heat_span(const struct sh_model *model, int width)
{
    struct sh_heat_span span = {.width = width > SH_MODEL_SECONDS ? SH_MODEL_SECONDS : width};
    int64_t now = sh_model_now(model);

    span.step = width > 0 ? (SPAN_SECONDS + width - 1) / width : 1;
    span.end = (now + span.step - 1) / span.step * span.step;
    return span;
}

/* The hottest of the seconds from `second` on that one column stands for. */
static struct sh_model_second column_heat(const struct sh_model *model, uint32_t id, int64_t second,
                                          int step)
{
    struct sh_model_second most = {false, false, 0};

    for (int i = 0; i < step; i++) {
        struct sh_model_second one = sh_model_at(model, id, second + i);

        most.known = most.known || one.known;
        most.refused = most.refused || one.refused;
        most.share = one.share > most.share ? one.share : most.share;
    }
    return most;
}

void sh_heat_map(const struct sh_heat_drawing *drawing, int y, int x,
                 const struct sh_heat_span *span, const struct cmd_snapshot_partition *partition)
{
    const struct sh_model *model = drawing->views->model;
    int64_t born = sh_model_born(model, partition->id);
    bool heir = sh_model_is_heir(model, partition->id);

    for (int i = 0; i < span->width; i++) {
        int64_t second = span->end - (int64_t)(span->width - i) * span->step;

        if (!heir && born >= second + span->step)
            continue; /* the row begins with its split */
        if (!heir && born >= second) {
            sh_put_repeat(drawing->area, sh_at(y, x + i, 1), SH_INK_RULE, "└");
            continue;
        }

        struct sh_model_second heat = column_heat(model, partition->id, second, span->step);
        struct sh_shade shade = sh_shade(heat.share, heat.refused, drawing->frame->look.utf8);

        if (heat.known)
            sh_put_repeat(drawing->area, sh_at(y, x + i, 1), shade.ink, shade.symbol);
    }
}

/* ---- the row --------------------------------------------------------------------------------- */

static int x_of(const struct sh_heat_drawing *drawing, enum sh_heat_column column)
{
    return drawing->layout.columns[column].x;
}

static int width_of(const struct sh_heat_drawing *drawing, enum sh_heat_column column)
{
    return drawing->layout.columns[column].width;
}

static void put_right(const struct sh_heat_drawing *drawing, int y, enum sh_heat_column column,
                      enum sh_ink ink, pk_slice text)
{
    if (width_of(drawing, column) > 0)
        sh_put_right(drawing->area, sh_at(y, x_of(drawing, column), width_of(drawing, column)), ink,
                     text);
}

static void put_left(const struct sh_heat_drawing *drawing, int y, enum sh_heat_column column,
                     enum sh_ink ink, pk_slice text)
{
    if (width_of(drawing, column) > 0)
        sh_put_cut(drawing->area, sh_at(y, x_of(drawing, column), width_of(drawing, column)), ink,
                   text);
}

/* A bar, and beside it the figure with a mark when the limit is reached: "███ 3,000 !". */
static void put_access(const struct sh_heat_drawing *drawing, int y, enum sh_heat_column bar,
                       enum sh_ink ink, const struct cmd_snapshot_access *access)
{
    enum sh_heat_column figure = (enum sh_heat_column)(bar + 1);
    struct pk_arena *arena = &drawing->views->arena;
    int64_t units = access->consumed / 1000;
    bool full = access->refused > 0 || (access->limit > 0 && units >= access->limit);

    if (width_of(drawing, bar) > 0)
        sh_put_bar(drawing->area, sh_at(y, x_of(drawing, bar), width_of(drawing, bar)), ink,
                   access->limit > 0 ? sh_share(access->consumed, access->limit * 1000) : 0);
    put_right(drawing, y, figure, full ? SH_INK_ALERT : SH_INK_TEXT,
              pk_arena_printf(arena, "%.*s %s",
                              PK_FMT(sh_short_count(arena, (uint64_t)(units < 0 ? 0 : units))),
                              full ? "!" : " "));
}

/* What is left of the burst, of the access that has less. */
static pk_slice burst_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition)
{
    const struct cmd_snapshot_access *read = &partition->read;
    const struct cmd_snapshot_access *write = &partition->write;
    int left = 1001;

    if (read->burst_max_milli > 0)
        left = sh_share(read->burst_milli, read->burst_max_milli);
    if (write->burst_max_milli > 0 && sh_share(write->burst_milli, write->burst_max_milli) < left)
        left = sh_share(write->burst_milli, write->burst_max_milli);
    return left > 1000 ? PK_LIT("–") : pk_arena_printf(arena, "%d%%", left / 10);
}

/* The hottest key and its share, which stays when the key is cut. */
static void put_key(const struct sh_heat_drawing *drawing, int y,
                    const struct cmd_snapshot_partition *partition)
{
    enum sh_ink ink = sh_heat_of(partition) >= HOT ? SH_INK_ALERT : SH_INK_DIM;
    int x = x_of(drawing, SH_HEAT_KEY);
    int width = width_of(drawing, SH_HEAT_KEY);

    if (width == 0 || partition->hottest_count == 0)
        return;

    pk_slice share =
        pk_arena_printf(&drawing->views->arena, " %u%%", (partition->hottest[0].share + 5) / 10);

    x = sh_put_cut(drawing->area, sh_at(y, x, width - (int)share.len), ink,
                   partition->hottest[0].text);
    sh_put(drawing->area, y, x, ink, share);
}

void sh_heat_row(const struct sh_heat_drawing *drawing, int y,
                 const struct cmd_snapshot_partition *partition)
{
    struct pk_arena *arena = &drawing->views->arena;
    char leader[2] = {partition->leader, '\0'};
    pk_slice throttled = sh_throttle_text(arena, partition);

    put_right(drawing, y, SH_HEAT_NUMBER, SH_INK_STRONG,
              pk_arena_printf(arena, "%u", partition->number));
    put_left(drawing, y, SH_HEAT_TOKENS, SH_INK_DIM, sh_heat_range(arena, partition));
    put_left(drawing, y, SH_HEAT_LEADER, SH_INK_DIM, pk_arena_printf(arena, " %s", leader));
    put_right(drawing, y, SH_HEAT_ITEMS, SH_INK_TEXT, sh_short_count(arena, partition->items));
    put_right(drawing, y, SH_HEAT_SIZE, SH_INK_TEXT, sh_short_bytes(arena, partition->bytes));
    put_access(drawing, y, SH_HEAT_READ_BAR, SH_INK_READ, &partition->read);
    put_access(drawing, y, SH_HEAT_WRITE_BAR, SH_INK_WRITE, &partition->write);
    put_right(drawing, y, SH_HEAT_BURST, SH_INK_BURST, burst_text(arena, partition));
    put_left(drawing, y, SH_HEAT_THROTTLED, SH_INK_ALERT, throttled);
    put_key(drawing, y, partition);
    if (width_of(drawing, SH_HEAT_MAP) > 0) {
        struct sh_heat_span span =
            sh_heat_span(drawing->views->model, width_of(drawing, SH_HEAT_MAP));

        sh_heat_map(drawing, y, x_of(drawing, SH_HEAT_MAP), &span, partition);
    }
}

/* "reads/s of 3,000" over bar and figure where every partition has the same limit. */
static void put_access_heading(const struct sh_heat_drawing *drawing, int y,
                               enum sh_heat_column bar, const char *word, int64_t limit)
{
    struct pk_arena *arena = &drawing->views->arena;
    enum sh_heat_column figure = (enum sh_heat_column)(bar + 1);
    int x = width_of(drawing, bar) > 0 ? x_of(drawing, bar) : x_of(drawing, figure);
    int width = x_of(drawing, figure) + width_of(drawing, figure) - x;
    pk_slice text = pk_slice_cstr(word);

    if (width_of(drawing, figure) == 0)
        return;
    if (limit > 0) {
        pk_slice of = pk_arena_printf(arena, "%s/s of %.*s", word,
                                      PK_FMT(sh_short_count(arena, (uint64_t)limit)));

        if (sh_width(drawing->area, of) <= width)
            text = of;
    }
    sh_put_cut(drawing->area, sh_at(y, x, width), SH_INK_RULE, text);
}

/* The limit that all partitions share; 0: they differ, or there is none. */
static int64_t common_limit(const struct cmd_snapshot *snapshot, bool read)
{
    int64_t limit = 0;

    for (size_t i = 0; i < snapshot->count; i++) {
        int64_t one =
            read ? snapshot->partitions[i].read.limit : snapshot->partitions[i].write.limit;

        if (i > 0 && one != limit)
            return 0;
        limit = one;
    }
    return limit;
}

void sh_heat_headings(const struct sh_heat_drawing *drawing, int y)
{
    const struct cmd_snapshot *snapshot = drawing->frame->snapshot;
    struct pk_arena *arena = &drawing->views->arena;

    put_right(drawing, y, SH_HEAT_NUMBER, SH_INK_RULE, PK_LIT("#"));
    put_left(drawing, y, SH_HEAT_TOKENS, SH_INK_RULE, PK_LIT("tokens"));
    put_left(drawing, y, SH_HEAT_LEADER, SH_INK_RULE, PK_LIT("lead"));
    put_right(drawing, y, SH_HEAT_ITEMS, SH_INK_RULE, PK_LIT("items"));
    put_right(drawing, y, SH_HEAT_SIZE, SH_INK_RULE, PK_LIT("size"));
    put_access_heading(drawing, y, SH_HEAT_READ_BAR, "reads", common_limit(snapshot, true));
    put_access_heading(drawing, y, SH_HEAT_WRITE_BAR, "writes", common_limit(snapshot, false));
    put_right(drawing, y, SH_HEAT_BURST, SH_INK_RULE, PK_LIT("burst"));
    put_left(drawing, y, SH_HEAT_THROTTLED, SH_INK_RULE, pk_slice_cstr(sh_throttle_word(snapshot)));
    put_left(drawing, y, SH_HEAT_KEY, SH_INK_RULE, PK_LIT("hottest key"));
    if (width_of(drawing, SH_HEAT_MAP) > 0) {
        struct sh_heat_span span =
            sh_heat_span(drawing->views->model, width_of(drawing, SH_HEAT_MAP));

        put_left(drawing, y, SH_HEAT_MAP, SH_INK_RULE,
                 pk_arena_printf(arena, "last %d s", span.width * span.step));
    }
}
