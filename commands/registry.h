/* Looking up commands, and what the words of the language are. */
#ifndef CMD_REGISTRY_H
#define CMD_REGISTRY_H

#include "commands/cmd.h"

/* True when the text begins with a word of PartiQL's statements: SELECT INSERT UPDATE DELETE EXISTS
 * FROM. */
bool cmd_is_partiql(pk_slice text);
/* True when the text begins with create, alter or drop: it ends at ';' as PartiQL does. */
bool cmd_is_ddl(pk_slice text);
/* Names of up to `max` commands that resemble the word, best first, as "get, put"; empty when none
 * does. In the arena. */
pk_slice cmd_nearest(const struct cmd_context *context, pk_slice word, struct pk_arena *arena);
/* Visits this layer's rows and the shell's, ordered by name; false at the end. Cursors start at 0.
 */
struct cmd_walk {
    size_t own, shell;
};
const struct cmd_entry *cmd_walk_next(const struct cmd_context *context, struct cmd_walk *walk);
/* "data", "tables", …: heading of a group. */
const char *cmd_group_name(enum cmd_group group);

#endif
