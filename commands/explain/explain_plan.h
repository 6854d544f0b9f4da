/*
 * What a statement would do, found out without reading an item: the native request it stands for,
 * why it is that one, and what it should cost by the table's statistics.
 *
 * Commands and PartiQL meet in the native request: everything below it is the same for both.
 */
#ifndef CMD_EXPLAIN_PLAN_H
#define CMD_EXPLAIN_PLAN_H

#include "commands/explain/explain_request.h"
#include "commands/partiql.h"
#include "commands/request.h"

/* Predicted, or counted. Units are milli-units, of reads or of writes. */
struct explain_figures {
    bool known;
    bool at_most; /* items, bytes and high are bounds, not expectations */
    bool about;   /* bytes is taken from the table's average */
    uint64_t items, bytes;
    uint64_t requests; /* pages included */
    uint32_t partitions, partition_count;
    int64_t low, high;
};

/* One index that a put enters, and what that costs. */
struct explain_share {
    pk_slice index;
    int64_t milli;
};

struct explain_plan {
    struct explain_request native; /* the first, when there are several */
    struct cmd_target target;
    pk_slice reason, key, filter, condition, projection;
    bool read, write, check; /* one of them; check: a ConditionCheck of a transaction */
    bool strong;             /* ConsistentRead */
    bool has_place;          /* the partition of the key is known … */
    uint32_t place;          /* … and this … */
    uint32_t places;         /* … with those behind it, when the collection was cut: so many */
    struct explain_figures figures;
    struct explain_share *shares;
    size_t share_count;
    size_t requests;          /* native requests: several for PartiQL's IN and OR */
    bool is_partiql;          /* sent as ExecuteStatement */
    const char *hint;         /* NULL: none … */
    struct pk_span hint_span; /* … about this place in the explained text */
    /* owned */
    struct cmd_request request;           /* of a command */
    struct partiql_explanation statement; /* of PartiQL */
    struct cJSON *json;                   /* of PartiQL: the native request */
};

/* Understands the statement. On failure err has a place in `text` where one is known; PK_E_USAGE
 * for a command that stands for no request. Release in any case. */
PK_MUST_CHECK enum pk_code explain_plan_open(struct cmd_context *context, pk_slice text,
                                             struct pk_arena *arena, struct explain_plan *plan,
                                             struct pk_error *err);
void explain_plan_release(struct explain_plan *plan);
/* Fills in place, figures and shares (explain_figures.c). Sends only operations that cost nothing
 * and read no item; on an endpoint none. */
void explain_plan_predict(struct cmd_context *context, struct explain_plan *plan);

/* Completion of the statement that explain or analyze is given (cmd_explain.c). */
void explain_complete(struct cmd_context *context, struct cmd_completion *completion);

/* A line of advice: "by name", the ready statement, what it would be. */
struct explain_advice {
    pk_slice label, statement, remark;
};
/* What would avoid a Scan (explain_instead.c); 0 for anything else. In the arena. */
size_t explain_instead(const struct explain_plan *plan, struct explain_advice **out);

#endif
