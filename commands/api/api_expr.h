/*
 * The expression parameters of one request or action: which may be given together, the placeholder
 * maps, and the parse, in DynamoDB's order (expressions.md §3, §10).
 *
 * The steps are separate because values, ReturnValues and legacy parameters are checked between
 * them.
 */
#ifndef CMD_API_EXPR_H
#define CMD_API_EXPR_H

#include "commands/api/api.h"

/* What an operation has of each sort, in the order of the messages. */
struct api_expr_rules {
    const char *legacy[4]; /* NULL-ended when shorter */
    enum pk_expr_use uses[3];
    size_t use_count;
    bool idle_maps; /* placeholder maps without an expression are accepted */
};
extern const struct api_expr_rules api_expr_get, api_expr_put, api_expr_update, api_expr_query,
    api_expr_scan;
/* Of a transaction's actions; the first also serves Put, Delete and ConditionCheck. */
extern const struct api_expr_rules api_expr_action, api_expr_update_action, api_expr_get_action;

struct api_exprs {
    struct pk_placeholders placeholders;
    struct pk_update *update; /* NULL: not given, as for all that follow */
    struct pk_node *condition;
    struct pk_key_terms *key_terms;
    struct pk_node *filter;
    struct pk_projection *projection;
};

/* Old and new parameters together, ConditionalOperator, and maps without an expression. */
PK_MUST_CHECK enum pk_code api_expr_check_mix(const struct api_expr_rules *rules,
                                              const struct cJSON *request, struct pk_error *err);
/* Reads the maps, parses the expressions, refuses unused placeholders. On failure the response's
 * `use` says in which expression. */
PK_MUST_CHECK enum pk_code api_expr_parse(struct api_call *call, const struct api_expr_rules *rules,
                                          const struct cJSON *request, struct api_exprs *out,
                                          struct pk_error *err);
/* The message about mixed parameters, for callers that find them in different entries. */
PK_MUST_CHECK enum pk_code api_expr_fail_mixed(const char *legacy, const char *expressions,
                                               struct pk_error *err);

#endif
