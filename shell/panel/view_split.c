/*
 * Split: heat, collections and stream in one screen. Heat takes the rows its partitions need, up to
 * half of the screen, and has its map as a picture where two fifths hold it; the others stand side
 * by side below, or below each other where that is too narrow; a large screen has the stream at its
 * right, as high as the screen. Tab gives the keys to the next part.
 */
#include "shell/panel/views.h"

enum {
    BESIDE = 64,       /* columns from which collections and stream stand side by side */
    LARGE_WIDTH = 160, /* from which the stream has its own side */
    LARGE_HEIGHT = 30
};

struct parts {
    struct sh_area areas[SH_PANES]; /* height 0: not shown */
    int rule;                       /* column of the line between two parts; 0: none */
    int rule_top;
};

static int heat_rows(const struct sh_area *area, const struct cmd_snapshot *snapshot)
{
    int rows = snapshot->partition_count > 100 ? 101 : (int)snapshot->partition_count + 1;
    int most = area->height / 2 < 2 ? 2 : area->height / 2;
    int picture = sh_heat_picture_rows(snapshot);

    if (picture <= area->height * 2 / 5)
        return picture;
    return rows < 2 ? 2 : rows < most ? rows : most;
}

static void arrange_below(struct parts *parts, const struct sh_area *area, int y)
{
    int height = area->height - y;

    if (area->width >= BESIDE) {
        int left = area->width * 9 / 20;

        parts->areas[SH_PANE_COLLECTIONS] = sh_area_part(area, y, 0, height, left);
        parts->areas[SH_PANE_STREAM] =
            sh_area_part(area, y, left + 1, height, area->width - left - 1);
        parts->rule = left;
        parts->rule_top = y;
        return;
    }
    parts->areas[SH_PANE_COLLECTIONS] =
        sh_area_part(area, y, 0, height >= 8 ? height / 2 : height, area->width);
    if (height >= 8)
        parts->areas[SH_PANE_STREAM] =
            sh_area_part(area, y + height / 2, 0, height - height / 2, area->width);
}

static void arrange(struct parts *parts, const struct sh_area *area,
                    const struct cmd_snapshot *snapshot)
{
    int rows = heat_rows(area, snapshot);

    *parts = (struct parts){.rule = 0};
    if (area->height < rows + 3) {
        parts->areas[SH_PANE_HEAT] = *area;
        return;
    }
    if (area->width >= LARGE_WIDTH && area->height >= LARGE_HEIGHT) {
        int left = area->width * 3 / 5;

        parts->areas[SH_PANE_HEAT] = sh_area_part(area, 0, 0, rows, left);
        parts->areas[SH_PANE_COLLECTIONS] = sh_area_part(area, rows, 0, area->height - rows, left);
        parts->areas[SH_PANE_STREAM] =
            sh_area_part(area, 0, left + 1, area->height, area->width - left - 1);
        parts->rule = left;
        return;
    }
    parts->areas[SH_PANE_HEAT] = sh_area_part(area, 0, 0, rows, area->width);
    arrange_below(parts, area, rows);
}

static void draw_projector(struct sh_views *views, const struct sh_area *area,
                           const struct sh_frame *frame)
{
    int heat = area->height >= 14 ? area->height - 5 : area->height * 2 / 3;
    struct sh_area upper = sh_area_part(area, 0, 0, heat, area->width);
    struct sh_area lower = sh_area_part(area, heat, 0, area->height - heat, area->width);

    sh_projector_heat(views, &upper, frame);
    sh_stream_draw_pane(views, &lower, frame, false);
}

static void draw(struct sh_views *views, const struct sh_area *area, const struct sh_frame *frame)
{
    struct parts parts;

    if (frame->snapshot->table.len == 0) {
        sh_put_nothing(area, PK_LIT("no table yet: create one, or use one"));
        return;
    }
    if (frame->look.projector) {
        draw_projector(views, area, frame);
        return;
    }
    arrange(&parts, area, frame->snapshot);
    if (parts.areas[views->pane].height == 0)
        views->pane = SH_PANE_HEAT;
    sh_heat_draw_rows(views, &parts.areas[SH_PANE_HEAT], frame,
                      frame->focus && views->pane == SH_PANE_HEAT);
    if (parts.areas[SH_PANE_COLLECTIONS].height > 0)
        sh_collections_draw_pane(views, &parts.areas[SH_PANE_COLLECTIONS], frame,
                                 frame->focus && views->pane == SH_PANE_COLLECTIONS);
    if (parts.areas[SH_PANE_STREAM].height > 0)
        sh_stream_draw_pane(views, &parts.areas[SH_PANE_STREAM], frame,
                            frame->focus && views->pane == SH_PANE_STREAM);
    for (int y = parts.rule_top; parts.rule > 0 && y < area->height; y++)
        sh_put_repeat(area, sh_at(y, parts.rule, 1), SH_INK_RULE, y == parts.rule_top ? "┬" : "│");
}

static const struct sh_view *pane_view(enum sh_pane pane)
{
    switch (pane) {
    case SH_PANE_HEAT:
        return &sh_view_heat;
    case SH_PANE_COLLECTIONS:
        return &sh_view_collections;
    case SH_PANE_STREAM:
    case SH_PANES:
        break;
    }
    return &sh_view_stream;
}

static bool key(struct sh_views *views, const struct sh_key *key)
{
    if (key->name == SH_KEY_TAB && !views->collections.typing) {
        views->pane = (enum sh_pane)((views->pane + 1) % SH_PANES);
        return true;
    }
    return pane_view(views->pane)->key(views, key);
}

static void needs(const struct sh_views *views, struct sh_needs *needs)
{
    sh_view_heat.needs(views, needs);
    sh_view_collections.needs(views, needs);
    sh_view_stream.needs(views, needs);
}

const struct sh_view sh_view_split = {
    .name = "split",
    .brief = "split",
    .help = "Tab next part  ↑↓ scroll  Enter open  / search  p pause",
    .draw = draw,
    .key = key,
    .needs = needs,
};
