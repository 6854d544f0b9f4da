/*
 * The heat of partitions over time: which share of its limit each used in each of the last seconds,
 * and where it throttled. For the map of `heat` and its picture.
 */
#ifndef CMD_HEAT_H
#define CMD_HEAT_H

#include "commands/snapshot.h"

struct cmd_heat {
    const struct cmd_snapshot *snapshot;
    size_t seconds; /* columns: from the first second in which anything happened */
    int64_t end_ms; /* the beginning of the last one */
};

/* The snapshot must have a history. It is borrowed. */
struct cmd_heat cmd_heat_of(const struct cmd_snapshot *snapshot);

/* A second of a partition; zero where it has no history. */
struct cmd_heat_cell {
    int64_t read_milli, write_milli;
    uint32_t refused;
    unsigned level; /* thousandths of the limit that was nearer, up to 1000 */
};
struct cmd_heat_cell cmd_heat_cell(const struct cmd_heat *heat, size_t partition, size_t second);

/* A partition that came out of a split shows what its parent did before it. True when a second of
 * its history is its own, or its parent's and it is the first child: so that sums over partitions
 * count each request once. */
bool cmd_heat_counts(const struct cmd_heat *heat, size_t partition, size_t second);
/* The first second for which that is known: of many splits only the latest are told. */
size_t cmd_heat_known(const struct cmd_heat *heat);

/* The hottest keys of all partitions, at most `most`, hottest first: "USER#1 90% of partition 2".
 * In the arena; empty: none is known. */
pk_slice cmd_heat_keys(const struct cmd_heat *heat, size_t most, struct pk_arena *arena);

/* A drawing of it: partitions as rows, seconds as columns, with axes, title and legend. */
void cmd_heat_svg(struct pk_buf *out, const struct cmd_heat *heat);

#endif
