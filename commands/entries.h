/*
 * This layer's commands, one line each, in the order of their names: adding a command means one
 * file and one line here. Each cmd_*.c defines its own row.
 */
#ifndef CMD_ENTRIES_H
#define CMD_ENTRIES_H

#include "commands/cmd.h"

#define CMD_ENTRIES(XX)                                                                            \
    XX(alter)                                                                                      \
    XX(analyze)                                                                                    \
    XX(api)                                                                                        \
    XX(backup)                                                                                     \
    XX(backups)                                                                                    \
    XX(begin)                                                                                      \
    XX(calc)                                                                                       \
    XX(capacity)                                                                                   \
    XX(check)                                                                                      \
    XX(clock)                                                                                      \
    XX(collections)                                                                                \
    XX(commit)                                                                                     \
    XX(cost)                                                                                       \
    XX(count)                                                                                      \
    XX(create)                                                                                     \
    XX(del)                                                                                        \
    XX(describe)                                                                                   \
    XX(drop)                                                                                       \
    XX(edit)                                                                                       \
    XX(explain)                                                                                    \
    XX(export)                                                                                     \
    XX(gather)                                                                                     \
    XX(get)                                                                                        \
    XX(heat)                                                                                       \
    XX(help)                                                                                       \
    XX(import)                                                                                     \
    XX(indexes)                                                                                    \
    XX(lag)                                                                                        \
    XX(more)                                                                                       \
    XX(partitions)                                                                                 \
    XX(profile)                                                                                    \
    XX(put)                                                                                        \
    XX(query)                                                                                      \
    XX(restore)                                                                                    \
    XX(rollback)                                                                                   \
    XX(scan)                                                                                       \
    XX(set)                                                                                        \
    XX(show_create)                                                                                \
    XX(stream)                                                                                     \
    XX(tables)                                                                                     \
    XX(throttle)                                                                                   \
    XX(trace)                                                                                      \
    XX(traffic)                                                                                    \
    XX(ttl)                                                                                        \
    XX(use)                                                                                        \
    XX(version)                                                                                    \
    XX(where)

#define XX(name) extern const struct cmd_entry cmd_##name##_entry;
CMD_ENTRIES(XX)
#undef XX

/* Completion several commands share (complete.c): a table; a table or index; a key, clauses and
 * attributes; a command's name. */
void cmd_complete_table(struct cmd_context *context, struct cmd_completion *completion);
void cmd_complete_target(struct cmd_context *context, struct cmd_completion *completion);
void cmd_complete_data(struct cmd_context *context, struct cmd_completion *completion);
void cmd_complete_command(struct cmd_context *context, struct cmd_completion *completion);

#endif
