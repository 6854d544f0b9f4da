/*
 * What the n-th request of a traffic is, and its JSON.
 *
 * The n-th request is a function of the seed and n alone, so that it is the same on any number of
 * threads. Which key: by the skew. Which sort key: the n-th of its template, over and over, or
 * (with walk=random) one drawn evenly.
 *
 * Requests are written by pieces, without a tree, because there may be a hundred thousand a second.
 * An edit adds 1 to an attribute, so that it may be repeated for ever.
 *
 * The requests may also come from a recorded traffic (traffic_tape.h).
 */
#ifndef CMD_WORKLOAD_TRAFFIC_PLAN_H
#define CMD_WORKLOAD_TRAFFIC_PLAN_H

#include "commands/workload/traffic_spec.h"
#include "engine/base/buf.h"
#include "engine/schema.h"

enum { TRAFFIC_KEYS_MAX = 1000000 };

struct cmd_template;
struct traffic_tape;

/* A template and the attribute whose values it gives. */
struct traffic_values {
    pk_slice name;
    enum pk_kind type; /* S, N or B */
    const struct cmd_template *template;
    uint64_t count;
};

/* Everything points into the arena. Between traffic_plan_init and _release nothing changes but by
 * traffic_plan_set_skew. */
struct traffic_plan {
    struct pk_arena arena;
    pk_slice table;            /* NUL-ended */
    struct traffic_tape *tape; /* owned; NULL: what follows says what the requests are */
    struct traffic_values hash, range;
    bool has_range;
    bool walk_random;
    struct traffic_values sets[TRAFFIC_SETS_MAX];
    size_t set_count;
    unsigned share_milli[TRAFFIC_OPS];
    pk_slice keys_text, skew_text; /* as they were written */
    struct keygen keygen;
    uint64_t seed, seed_mixed;
    uint64_t size;
    bool strong;
    bool capacity;     /* answers are to tell their ConsumedCapacity (an endpoint) */
    pk_slice *indexes; /* names, in the table's order */
    size_t index_count;
    pk_slice filler_name;  /* of the attribute that makes an item as large as it should be */
    pk_slice counter_name; /* of the one that an edit counts in */
};

/* Reads the templates by the table's key. PK_E_USAGE with a span where one does not fit: no value
 * of the attribute's type, too long, too many. Release it in any case. */
PK_MUST_CHECK enum pk_code traffic_plan_init(struct traffic_plan *plan,
                                             const struct traffic_spec *spec,
                                             const struct pk_table *table, struct pk_error *err);
/* The requests of a tape that was read for that table. Takes the tape. */
void traffic_plan_init_tape(struct traffic_plan *plan, struct traffic_tape *tape_take,
                            const struct pk_table *table);
void traffic_plan_release(struct traffic_plan *plan);
/* How many requests there are; UINT64_MAX: no end. */
uint64_t traffic_plan_count(const struct traffic_plan *plan);
/* PK_E_USAGE when the hot key is none of the template's, with its span; nothing is changed then. */
PK_MUST_CHECK enum pk_code traffic_plan_set_skew(struct traffic_plan *plan,
                                                 const struct traffic_skew *skew,
                                                 struct pk_error *err);

struct traffic_request {
    enum traffic_op op;
    uint64_t n, key, range; /* key and range: numbers in their templates */
};
void traffic_plan_nth(const struct traffic_plan *plan, uint64_t n, struct traffic_request *request);

/* What the request is about, without what makes an item large: the members of its key, and the
 * attributes that are set: "PK":{"S":"USER#1"},"SK":{"S":"PROFILE"} */
void traffic_plan_attributes(const struct traffic_plan *plan, const struct traffic_request *request,
                             struct pk_buf *json);
/* The members of a whole item. */
void traffic_plan_item(const struct traffic_plan *plan, const struct traffic_request *request,
                       struct pk_buf *json);
uint64_t traffic_plan_size(const struct traffic_plan *plan, const struct traffic_request *request);
bool traffic_plan_strong(const struct traffic_plan *plan, const struct traffic_request *request);
/* Appends the request's JSON; *operation is its name. */
void traffic_plan_write(const struct traffic_plan *plan, const struct traffic_request *request,
                        struct pk_buf *json, pk_slice *operation);

/* "get", or "mix(get 70%, put 30%)". */
void traffic_plan_op_text(const struct traffic_plan *plan, struct pk_buf *out);

#endif
