/*
 * The load that a month's costs are reckoned from: the mean of what a table and its GSIs consumed
 * in the last minutes of simulated time, from the first second in which anything happened, and what
 * is stored. An endpoint without our own operations tells neither: there it is what this session
 * consumed of the table, in real time.
 */
#ifndef CMD_COST_LOAD_H
#define CMD_COST_LOAD_H

#include "commands/cmd.h"

enum { CMD_COST_SECONDS = 300 }; /* that are looked at */

/* Of the table or of one GSI, thousandths of units. */
struct cmd_cost_side {
    int64_t read_sum, write_sum;
    int64_t read, write; /* a second, in the mean */
};

struct cmd_cost_load {
    struct pk_arena *arena;
    const struct pk_table *table; /* the schema's */
    struct cmd_cost_side *sides;  /* the table's, then those of the GSIs */
    size_t count;
    size_t seconds; /* how long it was looked at; 0: nothing happened, or it is not known */
    uint32_t partitions;
    int64_t stored; /* bytes, with what is billed beside them (pricing.md §1) */
};

/* Asks DescribeTable, and for each side Pksk.Snapshot. What it fills is the arena's; the table is
 * borrowed from the context until its schema is asked for again. Fails as those calls do. */
PK_MUST_CHECK enum pk_code cmd_cost_load_take(struct cmd_context *context, struct pk_arena *arena,
                                              pk_slice table, struct cmd_cost_load *load,
                                              struct pk_error *err);
/* Reads or writes of all sides together: thousandths of units a second. */
int64_t cmd_cost_load_all(const struct cmd_cost_load *load, bool write);

#endif
