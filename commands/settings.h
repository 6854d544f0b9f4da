/*
 * Settings: one row each with type, default and a sentence; `set` shows and changes them
 * (grammar.md, "Settings"). Values of the shell live here; those of the simulation are passed on to
 * the engine.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "commands/workload/pricing.h"
#include "engine/base/arena.h"
#include "engine/error.h"

enum cmd_mode {
    CMD_MODE_TABLE,
    CMD_MODE_LINE,
    CMD_MODE_JSON,
    CMD_MODE_JSONL,
    CMD_MODE_CSV,
    CMD_MODE_MARKDOWN
};
enum cmd_switch { CMD_OFF, CMD_ON, CMD_AUTO };
enum cmd_symbols { CMD_SYMBOLS_AUTO, CMD_SYMBOLS_UTF8, CMD_SYMBOLS_ASCII };

struct cmd_settings {
    enum cmd_mode mode;
    int64_t rows;             /* shown before "more" */
    enum cmd_switch pager;    /* auto: on a terminal */
    enum cmd_switch color;    /* auto: on a terminal without NO_COLOR */
    bool footer_time;         /* the footer ends with the duration */
    bool read_strong;         /* reads without a word of their own are strongly consistent */
    int64_t history_size;     /* statements */
    enum cmd_symbols symbols; /* of bars and maps; auto: by the locale */
    struct pricing pricing;   /* what `cost` reckons with: price.… */
    bool timer;               /* print the time of each statement */
    bool echo;                /* statements of files are shown before they run */
    int64_t pace_ms;          /* and stand for so long, at a terminal */
};

void cmd_settings_init(struct cmd_settings *settings);
/* One setting as `set` shows it. */
struct cmd_setting {
    const char *name;
    const char *unit;    /* "statements", "on|off", …: what may be written */
    const char *initial; /* the default */
    const char *sentence;
};
/* The rows, ordered by name, ended by one whose name is NULL. */
extern const struct cmd_setting cmd_setting_rows[];
/* The setting's value as text, in the arena. `name` is one of the rows' names. */
pk_slice cmd_settings_show(const struct cmd_settings *settings, const char *name,
                           struct pk_arena *arena);
/* PK_E_USAGE for an unknown name or a value that is none; nothing is changed then. */
PK_MUST_CHECK enum pk_code cmd_settings_set(struct cmd_settings *settings, pk_slice name,
                                            pk_slice value, struct pk_error *err);

/* "table", … ; false when there is no such mode. */
bool cmd_mode_parse(pk_slice word, enum cmd_mode *mode);
const char *cmd_mode_name(enum cmd_mode mode);

#endif
