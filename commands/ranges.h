/* Which keys a partition owns, and how busy it is, as text for people. */
#ifndef CMD_RANGES_H
#define CMD_RANGES_H

#include "commands/snapshot.h"

/* Digits of a token that tell every partition's borders apart, four at least. */
int cmd_token_digits(const struct cmd_snapshot *snapshot);
/* "8000–bfff", the first digits of its tokens; where a border lies inside an item collection, "from
 * USER#1 ORDER#7 to bd51". */
pk_slice cmd_range_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition,
                        int digits);
/* Units a second of milli-units: "0.5", "682", "3,000". */
pk_slice cmd_rate_text(struct pk_arena *arena, int64_t milli);
/* A key, cut where a character begins when it is long. */
pk_slice cmd_short_key(struct pk_arena *arena, pk_slice key);

#endif
