/*
 * What a load would cost in a month, on demand beside provisioned, each sum with its arithmetic
 * (pricing.md §2). Auto scaling is taken to aim at 70 percent use, and each side to need a unit at
 * least.
 */
#ifndef CMD_COST_MONTH_H
#define CMD_COST_MONTH_H

#include "commands/cost_load.h"
#include "commands/workload/pricing.h"

/* Adds the rows, what follows from them and what the table as it is set up costs. Prices are in
 * nano-dollars; a sum that would not fit is shown as the greatest that does. */
void cmd_cost_month_show(struct cmd_result *result, const struct pricing *pricing,
                         const struct cmd_cost_load *load);

#endif
