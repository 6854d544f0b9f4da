/* One partition as a row, and the map of its last seconds; drawn by the heat and the split view. */
#ifndef SH_PANEL_HEAT_ROW_H
#define SH_PANEL_HEAT_ROW_H

#include "shell/panel/heat_layout.h"
#include "shell/panel/views.h"

/* What a map shows: `width` columns of `step` seconds each, the last one with the second before
 * `end`. Columns begin at multiples of the step, so that they do not flicker. */
struct sh_heat_span {
    int width, step;
    int64_t end;
};
struct sh_heat_span sh_heat_span(const struct sh_model *model, int width);

struct sh_heat_drawing {
    struct sh_views *views;
    const struct sh_frame *frame;
    const struct sh_area *area;
    struct sh_heat_layout layout;
};

/* The headings over the columns, in their ink. */
void sh_heat_headings(const struct sh_heat_drawing *drawing, int y);
void sh_heat_row(const struct sh_heat_drawing *drawing, int y,
                 const struct cmd_snapshot_partition *partition);
/* The map alone: cells from (y, x) on. */
void sh_heat_map(const struct sh_heat_drawing *drawing, int y, int x,
                 const struct sh_heat_span *span, const struct cmd_snapshot_partition *partition);
/* Those among which the hottest ones are: all that were loaded, or, of more, the hottest of all. */
const struct cmd_snapshot_partition *sh_heat_candidates(const struct cmd_snapshot *snapshot,
                                                        size_t *count);
/* "USER#1 90%"; empty: no key stands out. */
pk_slice sh_heat_key_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition);
/* What happens to it: "splits in 12 s", "no split: single item", "hot 3 s"; empty: nothing. */
pk_slice sh_heat_note(struct pk_arena *arena, const struct cmd_snapshot *snapshot,
                      const struct cmd_snapshot_partition *partition);
/* "0000–3fff", or the key where it begins inside an item collection. */
pk_slice sh_heat_range(struct pk_arena *arena, const struct cmd_snapshot_partition *partition);
/* How close to a limit it is, thousandths: by which partitions are ordered. */
int sh_heat_of(const struct cmd_snapshot_partition *partition);

#endif
