/*
 * Who reads a table's changes, and how far behind: its global indexes, and the consumers of its
 * streams. A part of the stream view, at its bottom: a line for all of them where there is little
 * room or nobody but indexes reads, else a row each.
 */
#ifndef SH_PANEL_READER_ROWS_H
#define SH_PANEL_READER_ROWS_H

#include "shell/panel/canvas.h"

struct cmd_snapshot;
struct pk_arena;

/* Rows that they take of an area of that height; 0: there are none, or no room for them. */
int sh_reader_rows(const struct cmd_snapshot *snapshot, int height);
/* Fills the area, which has so many rows. Who is farthest behind comes first; who has not been
 * heard of for ten seconds comes last, dimmed. Scratch text goes to the arena. */
void sh_reader_rows_draw(struct pk_arena *arena, const struct sh_area *area,
                         const struct cmd_snapshot *snapshot);

#endif
