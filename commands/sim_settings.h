/*
 * Settings of the simulation as `set` shows and changes them. They belong to the store, not to this
 * shell: their values come and go by Pksk.Settings. An endpoint that is not pksk has none.
 */
#ifndef CMD_SIM_SETTINGS_H
#define CMD_SIM_SETTINGS_H

#include "commands/cmd.h"

struct cJSON;

/* Walks them by name. */
struct cmd_sim_walk {
    struct cJSON *answer;     /* owned; NULL when there are none */
    const struct cJSON *next; /* NULL at the end */
};
void cmd_sim_begin(struct cmd_context *context, struct cmd_sim_walk *walk);
/* The name of the next one, borrowed; NULL at the end. */
const char *cmd_sim_peek(const struct cmd_sim_walk *walk);
/* Its name, value, what it takes, default and meaning (in the arena); steps to the next. Not at the
 * end. */
void cmd_sim_next(struct cmd_sim_walk *walk, struct pk_arena *arena, pk_slice cells[5]);
void cmd_sim_end(struct cmd_sim_walk *walk);

/* The value of one as `set` shows it, in the arena. On an endpoint that has none: its failure. */
PK_MUST_CHECK enum pk_code cmd_sim_get(struct cmd_context *context, struct pk_arena *arena,
                                       const char *name, pk_slice *value, struct pk_error *err);

/* True when a setting of the simulation has that name, in any case. */
bool cmd_sim_is(pk_slice name);
/* PK_E_USAGE for a value that is none; nothing is changed then. */
PK_MUST_CHECK enum pk_code cmd_sim_set(struct cmd_context *context, pk_slice name, pk_slice value,
                                       struct pk_error *err);

/* "500ms", "2 s", "15min", "48h", "30d", "0": DURATION of the language, in milliseconds; false for
 * anything else. */
bool cmd_parse_duration(pk_slice text, uint64_t *ms);
/* The largest unit that leaves no fraction: "15 min"; "0" for none. */
pk_slice cmd_duration_text(struct pk_arena *arena, uint64_t ms);
/* Takes the current word, or two of them ("2 s"), as a DURATION. */
struct cmd_words;
PK_MUST_CHECK enum pk_code cmd_words_duration(struct cmd_words *words, uint64_t *ms,
                                              struct pk_error *err);
/* "64 KB", "10GB", "5": SIZE of the language, 1024 based; false for anything else. */
bool cmd_parse_size(pk_slice text, uint64_t *bytes);
/* The largest unit that leaves no fraction: "64 KB", "10 GB", "1000 B". */
pk_slice cmd_size_text(struct pk_arena *arena, uint64_t bytes);

#endif
