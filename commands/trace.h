/*
 * trace on: the path of each request, told before its result: router, token, partition, admission,
 * units, and what it wrote to indexes. Requests are those that read or write items.
 *
 * What is known comes from the facts beside an answer, from its ConsumedCapacity, and of a key from
 * Pksk.Where; a foreign endpoint tells neither token nor partition, and that is said.
 */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "commands/cmd.h"

/* Begins, or ends: what was not shown yet is forgotten. */
void cmd_trace_set(struct cmd_context *context, bool on);
bool cmd_trace_on(const struct cmd_context *context);
/* Notes a request that has been answered. Nothing when trace is off, or the operation is none on
 * items. Of a statement's requests the first hundred are told. */
void cmd_trace_add(struct cmd_context *context, const char *operation, const struct cJSON *request,
                   const struct cmd_response *response);
/* The same where the request is text. */
void cmd_trace_add_text(struct cmd_context *context, const char *operation, pk_slice request,
                        const struct cmd_response *response);
/* Puts what was noted before everything else in the result. */
void cmd_trace_show(struct cmd_context *context, struct cmd_result *result);
/* Ends it, as the context is released. */
void cmd_trace_free(struct cmd_context *context);

#endif
