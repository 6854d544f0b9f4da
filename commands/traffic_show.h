/* Traffics as the person at the prompt sees them: the list, a summary, the news that one has ended.
 */
#ifndef CMD_TRAFFIC_SHOW_H
#define CMD_TRAFFIC_SHOW_H

#include "commands/cmd.h"
struct traffic;

/* Makes the list, empty, where a statement has not: a backend is to tell of it from the beginning.
 */
void cmd_traffic_prepare(struct cmd_context *context);
/* How many have not ended. */
size_t cmd_traffic_running(struct cmd_context *context);
/* All there are, or that there are none. */
void cmd_traffic_list(struct cmd_context *context, struct cmd_result *result);
/* What became of one that was stopped. */
void cmd_traffic_summary(struct cmd_context *context, const struct traffic *traffic,
                         struct cmd_result *result);
/* A note for each that has ended by itself and was not told of. */
void cmd_traffic_news(struct cmd_context *context, struct cmd_result *result);

#endif
