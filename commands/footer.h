/*
 * The line that teaches (screens.md): operation, partition, bytes, what was read but not returned,
 * units, time. What is not known (facts of a foreign endpoint) or says nothing is left out.
 */
#ifndef CMD_FOOTER_H
#define CMD_FOOTER_H

#include "commands/send.h"

enum cmd_consistency { CMD_EVENTUAL, CMD_STRONG, CMD_TRANSACT };

struct cmd_footer {
    const char *operation; /* "Query", "put" */
    enum cmd_consistency consistency;
    bool counted;                 /* Select=COUNT: no items were returned */
    bool items;                   /* begins with "4 items" */
    uint64_t shown;               /* items, as many as are shown */
    bool repeated;                /* a write that was done before: its units are read units */
    const char *advice;           /* a second line, NULL: none */
    const struct cJSON *capacity; /* of a write: lists the units of indexes; NULL: none */
};

/* "4 items · Query · partition 1 of 4 · 118 B read · 0.5 RCU eventual · 0.2 ms" */
void cmd_footer_read(struct cmd_context *context, struct cmd_result *result,
                     const struct cmd_usage *usage, const struct cmd_footer *footer);
/* "put · partition 1 of 4 · 36 B · 1 WCU · 0.3 ms" */
void cmd_footer_write(struct cmd_context *context, struct cmd_result *result,
                      const struct cmd_usage *usage, const struct cmd_footer *footer);
/* "cost 1 WCU all the same": of a write whose condition failed. new_bytes: of the item that would
 * have been written, 0 when not known. */
void cmd_failed_cost(size_t new_bytes, const struct pk_error *err, struct cmd_result *result);
/* The attributes a filter compares whole, no paths and no arguments of functions (arena). */
const pk_slice *cmd_whole_names(const struct cmd_expression *filter, struct pk_arena *arena,
                                size_t *count);
/* What it would take to avoid a Scan with that filter (NULL: without one). In the result's arena.
 */
const char *cmd_scan_advice(const struct cmd_request *request, struct cmd_result *result);
/* The same in words for a filter's attribute names. */
const char *cmd_scan_advice_for(const struct cmd_target *target, const pk_slice *names,
                                size_t count, struct cmd_result *result);

#endif
