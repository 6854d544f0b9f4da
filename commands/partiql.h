/*
 * What the rest of the commands may ask about a PartiQL statement without running it: which
 * operation it stands for and why, in words for `explain` and as the native request.
 */
#ifndef CMD_PARTIQL_H
#define CMD_PARTIQL_H

#include "engine/expr.h"
#include "engine/schema.h"

struct cJSON;
struct partiql_plan;

/* Where table descriptors come from: the engine's catalog, or answers of DescribeTable. *table must
 * stay valid as long as what is made from it. PK_E_NOT_FOUND when there is no such table. */
struct partiql_schema_source {
    enum pk_code (*lookup)(void *context, pk_slice name, const struct pk_table **table,
                           struct pk_error *err);
    void *context;
};

struct partiql_explanation {
    const char *operation; /* "GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem",
                              "ConditionCheck" */
    pk_slice table;
    pk_slice index;     /* data NULL: the table itself */
    pk_slice reason;    /* why this operation, one line */
    pk_slice key;       /* the key condition or key in PartiQL, of the first request */
    pk_slice filter;    /* what is applied after the read, as written; empty: nothing */
    pk_slice condition; /* of a write, as written; empty: none */
    size_t requests;    /* native requests: more than one for several partition key values */
    bool fixes_hash;    /* the partition key is known */
    bool ordered;       /* items come in sort key order */
    bool backward;      /* … descending */
    bool writes;
    struct pk_span hint_span; /* of something that was probably meant otherwise */
    const char *hint;         /* NULL: nothing */
    const char *native_note;  /* what the native operation cannot do, NULL: nothing */
    pk_slice hint_name;       /* the attribute name the hint is about, empty: none */
    const struct partiql_plan *plan;
};

/* Plans the statement (which has no parameters). Everything lives in the arena. Errors are those
 * ExecuteStatement would give before it reads an item, with spans in the statement. */
PK_MUST_CHECK enum pk_code partiql_explain(const struct partiql_schema_source *schema,
                                           pk_slice statement, struct pk_arena *arena,
                                           struct partiql_explanation *out, struct pk_error *err);

/* The native request number `which` (from 0, below explanation->requests): returns the operation's
 * name and the request, which is the caller's (cJSON_Delete). A ConditionCheck is one entry of
 * TransactWriteItems. */
const char *partiql_native_request(const struct partiql_explanation *explanation, size_t which,
                                   struct pk_arena *arena, struct cJSON **request);

#endif
