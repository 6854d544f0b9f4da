/*
 * How hot each partition was, second by second, as the panel saw it.
 *
 * A snapshot tells a partition's last seconds; the model keeps them, so that a view asks for a few
 * seconds at a time, and keeps those of partitions that have split, so that a child's row goes on
 * where its parent's ended: one row becoming two.
 *
 * A second is one of simulated time. Not thread-safe.
 */
#ifndef SH_PANEL_MODEL_H
#define SH_PANEL_MODEL_H

#include "commands/snapshot.h"

enum {
    SH_MODEL_SECONDS = 300,    /* that are kept */
    SH_MODEL_PARTITIONS = 2048 /* that are kept; beyond, those not seen for longest are forgotten */
};

struct sh_model;
struct sh_model *sh_model_new(void);
void sh_model_free(struct sh_model *model);
/* Forgets everything. */
void sh_model_clear(struct sh_model *model);

/* Takes in a snapshot. Another table, or a clock that went back, begins anew. */
void sh_model_feed(struct sh_model *model, const struct cmd_snapshot *snapshot);

/* The second after the last one that is known: what is "now" on a map. */
int64_t sh_model_now(const struct sh_model *model);
/* Seconds of history that a snapshot should bring, so that no gap stays. */
uint32_t sh_model_wants(const struct sh_model *model);

struct sh_model_second {
    bool known;   /* false: before the partition, or not seen */
    bool refused; /* a request was refused (under observe: would have been) */
    int share;    /* of the limit, thousandths: of reads or of writes, whichever is more */
};
/* That second of that partition, or of the one it came from. */
struct sh_model_second sh_model_at(const struct sh_model *model, uint32_t id, int64_t second);
/* The second in which the partition began by a split; -1: not within what is kept. */
int64_t sh_model_born(const struct sh_model *model, uint32_t id);
/* True when the partition holds the first keys of what it was split from: it continues that row. */
bool sh_model_is_heir(const struct sh_model *model, uint32_t id);

#endif
