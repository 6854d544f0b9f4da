/*
 * The terminal in full-screen mode: a canvas goes to it through curses, which writes only what
 * differs from what is there. Output only: keys are read by shell/keys.h.
 *
 * curses has one terminal a process, so there is one screen; it runs on the main thread only.
 * However the process ends by a signal of its own making (abort), the terminal is put back first;
 * after kill -9 nobody can do that: `reset` does.
 */
#ifndef SH_PANEL_SCREEN_H
#define SH_PANEL_SCREEN_H

#include "engine/error.h"
#include "shell/panel/canvas.h"

struct sh_screen;

/* Takes the terminal at standard input and output. PK_E_USAGE with a clear message when it is none,
 * or one that cannot be drawn on; nothing has been changed then. */
PK_MUST_CHECK enum pk_code sh_screen_open(struct sh_screen **screen, struct pk_error *err);
/* Gives the terminal back as it was. NULL is accepted. */
void sh_screen_close(struct sh_screen *screen);

/* As long as another program, or the person, has the terminal: what was there before is back.
 * sh_screen_return draws everything anew. */
void sh_screen_leave(struct sh_screen *screen);
void sh_screen_return(struct sh_screen *screen);

/* Looks how large the terminal is now (after WINCH); a size of 0 is not believed. */
void sh_screen_resize(struct sh_screen *screen);
int sh_screen_height(const struct sh_screen *screen);
int sh_screen_width(const struct sh_screen *screen);
/* 0, 8 or 256. */
int sh_screen_colours(const struct sh_screen *screen);

/* The next sh_screen_show draws everything anew, whatever is there. */
void sh_screen_redraw(struct sh_screen *screen);
/* Shows the canvas, with the cursor at (y, x), or without one where y is -1. */
void sh_screen_show(struct sh_screen *screen, const struct sh_canvas *canvas,
                    const struct sh_look *look, int y, int x);

#endif
