/*
 * The status line: which table, in what mode, at what time, how much goes through; and what the
 * last command did, where there is room. Trouble takes the right end.
 */
#include "shell/panel/views.h"

static pk_slice mode_text(struct pk_arena *arena, const struct cmd_snapshot *snapshot, bool brief)
{
    if (snapshot->on_demand)
        return PK_LIT("on demand");
    return pk_arena_printf(arena, "%s%.*s R %.*s W", brief ? "" : "provisioned ",
                           PK_FMT(cmd_format_count(arena, (uint64_t)snapshot->read.limit)),
                           PK_FMT(cmd_format_count(arena, (uint64_t)snapshot->write.limit)));
}

static const char *throttle_text(enum cmd_throttle throttle)
{
    switch (throttle) {
    case CMD_THROTTLE_OFF:
        return "throttle off";
    case CMD_THROTTLE_OBSERVE:
        return "observe";
    case CMD_THROTTLE_ENFORCE:
        return "enforce";
    }
    return "";
}

static pk_slice clock_text(struct pk_arena *arena, const struct cmd_snapshot *snapshot)
{
    pk_slice time = sh_clock_text(arena, snapshot->time_ms);

    if (snapshot->paused)
        return pk_arena_printf(arena, "%.*s paused", PK_FMT(time));
    if (snapshot->speed > 1)
        return pk_arena_printf(arena, "%.*s ×%u", PK_FMT(time), snapshot->speed);
    return time;
}

static pk_slice left_text(struct pk_arena *arena, const struct sh_frame *frame, bool brief)
{
    const struct cmd_snapshot *snapshot = frame->snapshot;

    if (snapshot == NULL)
        return PK_LIT("pksk");
    if (snapshot->table.len == 0)
        return pk_arena_printf(arena, "no table · %s · %.*s", throttle_text(snapshot->throttle),
                               PK_FMT(clock_text(arena, snapshot)));
    return pk_arena_printf(arena, "%.*s%s%.*s · %.*s · %s · %.*s", PK_FMT(snapshot->table),
                           snapshot->index.len > 0 ? "." : "", PK_FMT(snapshot->index),
                           PK_FMT(mode_text(arena, snapshot, brief)),
                           throttle_text(snapshot->throttle), PK_FMT(clock_text(arena, snapshot)));
}

/* "5,217/s ok  4,783/s throttled"; *alert: something is refused. */
static pk_slice right_text(struct pk_arena *arena, const struct sh_frame *frame, bool brief,
                           bool *alert)
{
    const struct cmd_snapshot *snapshot = frame->snapshot;

    *alert = frame->trouble.len > 0;
    if (*alert || snapshot == NULL || snapshot->table.len == 0)
        return frame->trouble;

    uint64_t refused = snapshot->read.refused + snapshot->write.refused;
    uint64_t admitted = snapshot->read.admitted + snapshot->write.admitted;
    pk_slice ok = cmd_format_count(arena, admitted);

    if (refused == 0)
        return pk_arena_printf(arena, "%.*s/s", PK_FMT(ok));
    *alert = snapshot->throttle == CMD_THROTTLE_ENFORCE;
    return pk_arena_printf(
        arena, "%.*s/s ok  %.*s/s %s", PK_FMT(ok), PK_FMT(cmd_format_count(arena, refused)),
        brief && snapshot->throttle == CMD_THROTTLE_OBSERVE ? "over" : sh_throttle_word(snapshot));
}

void sh_status_draw(struct pk_arena *arena, const struct sh_area *area,
                    const struct sh_frame *frame)
{
    bool alert = false;
    bool brief = area->width < 90;
    pk_slice left = left_text(arena, frame, brief);
    pk_slice right = right_text(arena, frame, brief, &alert);
    const char *held = frame->frozen ? "FROZEN" : frame->prompt && frame->focus ? "KEYS HERE" : "";
    int right_width = sh_width(area, right);
    int right_at = area->width - right_width - 1;

    sh_put_repeat(area, sh_at(0, 0, area->width), SH_INK_STATUS, " ");
    if (right_at < area->width / 3 && frame->trouble.len > 0) {
        right_at = area->width / 3; /* cut, but said */
        right_width = area->width - right_at - 1;
    } else if (right_at < area->width / 3) {
        right_at = area->width; /* no room: the left end says more */
        right_width = 0;
    }

    int end = sh_put_cut(area, sh_at(0, 1, right_at - 2), SH_INK_STATUS, left);

    if (frame->snapshot != NULL)
        sh_put_ink(area, sh_at(0, 1, sh_width(area, frame->snapshot->table)), SH_INK_STATUS_STRONG);
    if (held[0] != '\0' && end + 2 + (int)strlen(held) < right_at)
        end = sh_put(area, 0, end + 2, SH_INK_STATUS_STRONG, pk_slice_cstr(held));
    if (frame->last.len > 0 && end + 4 + sh_width(area, frame->last) + 3 < right_at)
        sh_put(area, 0, end + 4, SH_INK_STATUS, frame->last);
    if (right_width > 0)
        sh_put_cut(area, sh_at(0, right_at, right_width),
                   alert ? SH_INK_STATUS_ALERT : SH_INK_STATUS_STRONG, right);
}
