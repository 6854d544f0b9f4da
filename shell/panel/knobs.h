/* What the keys + - and s make of a traffic's rate and skew. */
#ifndef SH_PANEL_KNOBS_H
#define SH_PANEL_KNOBS_H

#include "commands/snapshot.h"

/* The next of 1, 2, 5, 10, 20, 50 …, upwards or downwards. */
int64_t sh_knob_rate(int64_t rate, bool up);
/* Appends the skew that comes after this one. Skews go round: uniform, zipf(1.2), and where the
 * snapshot (or NULL) tells a hottest key hot(80% KEY). */
void sh_knob_skew(struct pk_buf *out, const struct cmd_snapshot *snapshot, pk_slice skew);

/* What to look at after this index (empty: the table itself): the table's indexes in their order,
 * then the table again. Belongs to the snapshot, which may be NULL. */
pk_slice sh_knob_index(const struct cmd_snapshot *snapshot, pk_slice index);

#endif
