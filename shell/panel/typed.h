/* The line being typed, wrapped over as many rows as it needs: prompt, text, and where the cursor
 * is. Control characters in it are shown as ^X. */
#ifndef SH_PANEL_TYPED_H
#define SH_PANEL_TYPED_H

#include "shell/line.h"
#include "shell/panel/canvas.h"

struct sh_typed {
    struct pk_buf text; /* as it is shown */
    size_t point;       /* offset of the cursor in it */
    int columns;
    bool ascii;
    int rows;        /* the cursor's row included */
    int row, column; /* of the cursor */
};

#define SH_TYPED_INIT                                                                              \
    {                                                                                              \
        PK_BUF_INIT, 0, 0, false, 0, 0, 0                                                          \
    }

void sh_typed_release(struct sh_typed *typed);
/* Takes what is being typed and measures it. */
void sh_typed_set(struct sh_typed *typed, const struct sh_line_view *view, int columns, bool ascii);
/* Draws as much as fits the area, the cursor's row among it; (y, x) is the cursor's place there. */
void sh_typed_draw(const struct sh_typed *typed, const struct sh_area *area, int *y, int *x);

#endif
