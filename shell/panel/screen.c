/*
 * Curses, output only; see screen.h. Rows that have not changed since the last frame are not even
 * handed to it.
 *
 * The terminal's modes for the abort handler are the one piece of mutable global state here: a
 * handler has no other way to reach anything.
 */
#define NCURSES_WIDECHAR 1
#include "shell/panel/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <ncurses.h>
#include <term.h>

struct sh_screen {
    SCREEN *curses;
    int height, width;
    int colours;
    bool cursor; /* it is visible */
    struct sh_canvas shown;
    struct sh_look look; /* of what is shown */
    short pairs[SH_INKS];
};

/* ---- aborts ---------------------------------------------------------------------------------- */

static const int FATAL[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static struct termios modes_before;

static void write_bytes(const char *bytes)
{
    /* a terminal that does not take them is gone */
    if (write(STDOUT_FILENO, bytes, strlen(bytes)) < 0)
        return;
}

static void on_fatal(int signal)
{
    write_bytes("\033[?2004l\033[?25h\033[0m\033[?1049l\r\n");
    tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
    raise(signal); /* by default: SA_RESETHAND */
}

static void set_fatal(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler,
                               .sa_flags = handler == SIG_DFL ? 0 : (int)SA_RESETHAND};
    struct sigaction before;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(FATAL) / sizeof(FATAL[0]); i++)
        /* not those of a sanitizer */
        if (sigaction(FATAL[i], NULL, &before) == 0 &&
            (before.sa_handler == SIG_DFL || before.sa_handler == on_fatal))
            sigaction(FATAL[i], &action, NULL);
}

/* ---- the terminal's modes -------------------------------------------------------------------- */

/* Without these the keys Ctrl-V, Ctrl-O, Ctrl-S and Ctrl-Q would never arrive. */
static void set_modes(void)
{
    struct termios modes;

    cbreak();
    noecho();
    if (tcgetattr(STDIN_FILENO, &modes) == 0) {
        modes.c_lflag &= ~(tcflag_t)IEXTEN;
        modes.c_iflag &= ~(tcflag_t)IXON;
        modes.c_iflag |= ICRNL; /* who types `reset` after a kill -9 presses Enter */
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    }
    def_prog_mode();
}

static bool ask_size(int *height, int *width)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        return false;
    *height = size.ws_row < SH_CANVAS_ROWS_MAX ? size.ws_row : SH_CANVAS_ROWS_MAX;
    *width = size.ws_col < SH_CANVAS_COLUMNS_MAX ? size.ws_col : SH_CANVAS_COLUMNS_MAX;
    return true;
}

/* ---- open and close -------------------------------------------------------------------------- */

static enum pk_code fail_terminal(const char *term, const char *why, struct pk_error *err)
{
    return pk_fail(err, PK_E_USAGE, "the panel cannot be drawn here: %s%s%s%s",
                   term == NULL ? "" : "the terminal '", term == NULL ? "" : term,
                   term == NULL ? "" : "' ", why);
}

static bool has_string(const char *name)
{
    const char *value = tigetstr(name);

    return value != NULL && (intptr_t)value != -1;
}

/* What can be said before curses is asked: it would print, or exit. */
static enum pk_code check_terminal(struct pk_error *err)
{
    const char *term = getenv("TERM");
    int found = 0;

    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
        return fail_terminal(NULL, "standard input and output are no terminal", err);
    if (term == NULL || term[0] == '\0')
        return fail_terminal(NULL, "TERM does not say which terminal this is", err);
    TERMINAL *before = cur_term;
    bool known = setupterm(term, STDOUT_FILENO, &found) != ERR;
    bool able = known && has_string("cup") && has_string("clear");
    TERMINAL *asked = cur_term;

    /* readline goes on with what it has */
    set_curterm(before);
    if (asked != before)
        del_curterm(asked);
    if (!known)
        return fail_terminal(term, "(TERM) is not known", err);
    if (!able)
        return fail_terminal(term, "(TERM) cannot move its cursor", err);
    return PK_OK;
}

enum pk_code sh_screen_open(struct sh_screen **screen, struct pk_error *err)
{
    enum pk_code rc = check_terminal(err);

    if (rc != PK_OK)
        return rc;
    tcgetattr(STDIN_FILENO, &modes_before);

    SCREEN *curses = newterm(NULL, stdout, stdin);

    if (curses == NULL)
        return fail_terminal(getenv("TERM"), "is not known", err);
    *screen = pk_calloc(1, sizeof(**screen));
    (*screen)->curses = curses;
    (*screen)->cursor = true;
    set_modes();
    if (has_colors() && start_color() == OK) {
        use_default_colors();
        (*screen)->colours = COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
    }
    sh_screen_return(*screen);
    return PK_OK;
}

void sh_screen_close(struct sh_screen *screen)
{
    if (screen == NULL)
        return;
    sh_screen_leave(screen);
    delscreen(screen->curses);
    sh_canvas_release(&screen->shown);
    free(screen);
}

void sh_screen_leave(struct sh_screen *screen)
{
    write_bytes("\033[?2004l"); /* pastes are marked by whoever comes next */
    if (!screen->cursor)
        curs_set(1);
    screen->cursor = true;
    endwin();
    set_fatal(SIG_DFL);
}

void sh_screen_return(struct sh_screen *screen)
{
    set_fatal(on_fatal);
    reset_prog_mode();
    sh_screen_resize(screen);
    refresh(); /* to full-screen mode */
    write_bytes("\033[?2004h");
    sh_screen_redraw(screen);
}

/* ---- size ------------------------------------------------------------------------------------ */

void sh_screen_resize(struct sh_screen *screen)
{
    int height = LINES;
    int width = COLS;

    ask_size(&height, &width);
    if (height != LINES || width != COLS)
        resizeterm(height, width);
    screen->height = height;
    screen->width = width;
    sh_screen_redraw(screen);
}

int sh_screen_height(const struct sh_screen *screen)
{
    return screen->height;
}

int sh_screen_width(const struct sh_screen *screen)
{
    return screen->width;
}

int sh_screen_colours(const struct sh_screen *screen)
{
    return screen->colours;
}

/* ---- drawing --------------------------------------------------------------------------------- */

void sh_screen_redraw(struct sh_screen *screen)
{
    sh_canvas_release(&screen->shown);
    clearok(curscr, TRUE);
}

static bool same_look(const struct sh_look *a, const struct sh_look *b)
{
    return a->colours == b->colours && a->utf8 == b->utf8 && a->theme == b->theme;
}

/* Colour pairs belong to the look; pair 0 is the terminal's own. */
static void set_look(struct sh_screen *screen, const struct sh_look *look)
{
    screen->look = *look;
    for (unsigned ink = 0; ink < SH_INKS; ink++) {
        struct sh_ink_style style = sh_ink_style(look, ink);
        int pair = look->colours == 0 || (style.fg < 0 && style.bg < 0)
                       ? 0
                       : alloc_pair(style.fg, style.bg);

        screen->pairs[ink] = (short)(pair < 0 ? 0 : pair);
    }
}

static attr_t attributes_of(const struct sh_look *look, unsigned ink)
{
    struct sh_ink_style style = sh_ink_style(look, ink);

    return (style.bold ? A_BOLD : A_NORMAL) | (style.dim ? A_DIM : A_NORMAL) |
           (style.reverse ? A_REVERSE : A_NORMAL) | (style.underline ? A_UNDERLINE : A_NORMAL);
}

static void put_cell(const struct sh_screen *screen, int y, int x, const struct sh_cell *cell)
{
    wchar_t wide[CCHARW_MAX + 1] = {L' '};
    const char *text = cell->text;
    mbstate_t state = {0};
    cchar_t glyph;
    size_t count = mbsrtowcs(wide, &text, CCHARW_MAX, &state);

    if (count == 0 || count == (size_t)-1)
        wcscpy(wide, L" ");
    if (setcchar(&glyph, wide, attributes_of(&screen->look, cell->ink), screen->pairs[cell->ink],
                 NULL) == OK)
        mvadd_wch(y, x, &glyph); /* in the last corner it says ERR, and has drawn */
}

/* Nothing is there yet that could be compared with. */
static void start_anew(struct sh_screen *screen, const struct sh_canvas *canvas,
                       const struct sh_look *look)
{
    erase();
    set_look(screen, look);
    sh_canvas_reset(&screen->shown, look, canvas->height, canvas->width);
    memset(screen->shown.cells, 0,
           (size_t)canvas->height * (size_t)canvas->width * sizeof(*canvas->cells));
}

static void put_row(struct sh_screen *screen, const struct sh_canvas *canvas, int y)
{
    const struct sh_cell *cells = sh_canvas_at(canvas, y, 0);
    const struct sh_cell *shown = sh_canvas_at(&screen->shown, y, 0);

    if (cells == NULL || memcmp(cells, shown, (size_t)canvas->width * sizeof(*cells)) == 0)
        return;
    for (int x = 0; x < canvas->width; x++)
        if (cells[x].width > 0)
            put_cell(screen, y, x, &cells[x]);
}

void sh_screen_show(struct sh_screen *screen, const struct sh_canvas *canvas,
                    const struct sh_look *look, int y, int x)
{
    if (!same_look(look, &screen->look))
        sh_screen_redraw(screen);
    if (screen->shown.cells == NULL || screen->shown.height != canvas->height ||
        screen->shown.width != canvas->width)
        start_anew(screen, canvas, look);
    for (int row = 0; row < canvas->height; row++)
        put_row(screen, canvas, row);
    memcpy(screen->shown.cells, canvas->cells,
           (size_t)canvas->height * (size_t)canvas->width * sizeof(*canvas->cells));
    if (screen->cursor != (y >= 0)) {
        screen->cursor = y >= 0;
        curs_set(screen->cursor);
    }
    leaveok(stdscr, !screen->cursor);
    if (y >= 0)
        move(y, x);
    refresh();
}
