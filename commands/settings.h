/*
 * Settings: one row each with type, default and a sentence; `set` shows and changes them
 * (grammar.md, "Settings"). Values of the shell live here; those of the simulation are passed on to
 * the engine.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

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

struct cmd_settings {
    enum cmd_mode mode;
    int64_t rows;          /* shown before "more" */
    enum cmd_switch pager; /* auto: on a terminal */
    enum cmd_switch color; /* auto: on a terminal without NO_COLOR */
    bool footer_time;      /* the footer ends with the duration */
    bool read_strong;      /* reads without a word of their own are strongly consistent */
    int64_t history_size;  /* statements */
    bool timer;            /* print the time of each statement */
};

void cmd_settings_init(struct cmd_settings *settings);
/* "table", … ; false when there is no such mode. */
bool cmd_mode_parse(pk_slice word, enum cmd_mode *mode);
const char *cmd_mode_name(enum cmd_mode mode);

#endif
