/* What views have in common; see views.h. */
#include "shell/panel/views.h"

#include <time.h>

void sh_put_rule(const struct sh_area *area, int y, const char *title, pk_slice note, bool strong)
{
    int width = sh_width(area, note);
    int from = 0;

    sh_put_repeat(area, sh_at(y, 0, area->width), SH_INK_RULE, "─");
    if (title[0] != '\0') {
        sh_put(area, y, 1, SH_INK_RULE, PK_LIT(" "));
        from = sh_put(area, y, 2, strong ? SH_INK_STRONG : SH_INK_RULE, pk_slice_cstr(title));
        sh_put(area, y, from++, SH_INK_RULE, PK_LIT(" "));
        if (strong) {
            sh_put_repeat(area, sh_at(y, 0, 1), SH_INK_STRONG, "›");
        }
    }
    if (width == 0 || width + 2 + from + 2 > area->width)
        return;
    sh_put(area, y, area->width - width - 3, SH_INK_RULE, PK_LIT(" "));
    sh_put(area, y, area->width - width - 2, SH_INK_DIM, note);
    sh_put(area, y, area->width - 2, SH_INK_RULE, PK_LIT(" "));
}

static bool is_blank(const struct sh_area *area, int y, int x)
{
    const struct sh_cell *cell = sh_canvas_at(area->canvas, area->y + y, area->x + x);

    return x >= 0 && x < area->width && cell != NULL && strcmp(cell->text, " ") == 0;
}

void sh_fill_rule(const struct sh_area *area, int y)
{
    int start = 0;

    for (int x = 0; x <= area->width; x++) {
        if (x < area->width && is_blank(area, y, x))
            continue;

        /* a blank stays beside a word */
        int from = start == 0 ? 0 : start + 1;
        int to = x == area->width ? x : x - 1;

        if (to > from)
            sh_put_repeat(area, sh_at(y, from, to - from), SH_INK_RULE, "─");
        start = x + 1;
    }
}

void sh_put_nothing(const struct sh_area *area, pk_slice text)
{
    int width = sh_width(area, text);
    int x = width < area->width ? (area->width - width) / 2 : 0;

    sh_put_cut(area, sh_at(area->height / 3, x, area->width - x), SH_INK_DIM, text);
}

/* n / divisor to a tenth below 100, whole above. */
static pk_slice short_figure(struct pk_arena *arena, uint64_t n, uint64_t divisor, char unit)
{
    uint64_t whole = n / divisor;
    uint64_t tenths = whole * 10 + n % divisor * 10 / divisor;

    if (whole < 100)
        return pk_arena_printf(arena, "%u.%u%c", (unsigned)(tenths / 10), (unsigned)(tenths % 10),
                               unit);
    return pk_arena_printf(arena, "%llu%c", (unsigned long long)whole, unit);
}

pk_slice sh_short_bytes(struct pk_arena *arena, uint64_t bytes)
{
    static const char units[] = "KMGT";
    uint64_t divisor = 1024;
    size_t unit = 0;

    if (bytes < 1000)
        return pk_arena_printf(arena, "%u", (unsigned)bytes);
    while (unit < 3 && bytes / divisor >= 1000) {
        divisor *= 1024;
        unit++;
    }
    return short_figure(arena, bytes, divisor, units[unit]);
}

pk_slice sh_short_count(struct pk_arena *arena, uint64_t n)
{
    if (n < 100000)
        return cmd_format_count(arena, n);
    if (n < 1000000)
        return pk_arena_printf(arena, "%uk", (unsigned)(n / 1000));
    return n < 1000000000 ? short_figure(arena, n, 1000000, 'M')
                          : short_figure(arena, n, 1000000000, 'G');
}

pk_slice sh_clock_text(struct pk_arena *arena, int64_t time_ms)
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm;

    if (time_ms < 0 || gmtime_r(&seconds, &tm) == NULL)
        return PK_LIT("--:--:--");
    return pk_arena_printf(arena, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

pk_slice sh_span_text(struct pk_arena *arena, int64_t ms)
{
    if (ms < 0)
        ms = 0;
    if (ms < 1000)
        return pk_arena_printf(arena, "%d ms", (int)ms);
    if (ms < 120000)
        return pk_arena_printf(arena, "%d s", (int)(ms / 1000));
    if (ms < INT64_C(7200000))
        return pk_arena_printf(arena, "%d min", (int)(ms / 60000));
    return pk_arena_printf(arena, "%lld h", (long long)(ms / 3600000));
}

static uint64_t throttled_by(const struct cmd_snapshot_partition *partition, int limit)
{
    return partition->read.throttled[limit] + partition->write.throttled[limit];
}

uint64_t sh_throttled(const struct cmd_snapshot_partition *partition)
{
    uint64_t sum = 0;

    for (int limit = 0; limit < CMD_LIMITS; limit++)
        sum += throttled_by(partition, limit);
    return sum;
}

pk_slice sh_throttle_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition)
{
    struct pk_buf text = PK_BUF_INIT;

    for (int limit = 0; limit < CMD_LIMITS; limit++) {
        uint64_t n = throttled_by(partition, limit);

        if (n > 0)
            pk_buf_printf(&text, "%s%.*s %s", text.len > 0 ? " · " : "",
                          PK_FMT(sh_short_count(arena, n)), cmd_limit_name((enum cmd_limit)limit));
    }

    pk_slice kept = pk_arena_dup(arena, pk_buf_slice(&text));

    pk_buf_release(&text);
    return kept;
}

const char *sh_throttle_word(const struct cmd_snapshot *snapshot)
{
    return snapshot->throttle == CMD_THROTTLE_OBSERVE ? "would throttle" : "throttled";
}
