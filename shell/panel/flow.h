/*
 * Text wrapped as a terminal wraps it: the lines of the output, and the line being typed. What is
 * drawn and what is only measured go through the same steps, so they cannot disagree.
 *
 * The text is safe (text_safe.h) but for tabs, which go to the next multiple of eight, and SGR
 * sequences (ESC [ … m), which change the ink: bold, dim, and the colours of errors and hints.
 */
#ifndef SH_PANEL_FLOW_H
#define SH_PANEL_FLOW_H

#include "shell/panel/canvas.h"

struct sh_flow {
    int columns;                /* at least 1 */
    bool ascii;                 /* of the canvas: every character takes one column at most */
    const struct sh_area *area; /* NULL: nothing is drawn */
    int skip;                   /* rows of the text that lie above the area */
    enum sh_ink ink;            /* of plain text */
    size_t mark; /* a byte of the text whose place is wanted, its length for the end … */
    int mark_row, mark_column; /* … found here */
};

/* Returns the rows the text takes, at least 1. */
int sh_flow(struct sh_flow *flow, pk_slice text);

#endif
