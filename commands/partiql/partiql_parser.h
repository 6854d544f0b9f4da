/*
 * What the two halves of the parser share: the cursor over the tokens, and expressions.
 *
 * The first error sticks. It moves the cursor to the final token, where nothing matches any more,
 * so that callers unwind without checks; what they have built is thrown away at the end.
 */
#ifndef PARTIQL_PARSER_H
#define PARTIQL_PARSER_H

#include "commands/partiql/partiql_ast.h"
#include "commands/partiql/partiql_lex.h"

struct partiql_parser {
    struct partiql_tokens tokens;
    size_t pos;
    struct pk_arena *arena;
    struct pk_error *err;
    enum pk_code code; /* of the first error */
    size_t depth;
    size_t param_count;
};

/* The token `ahead` places on; the final one beyond the end. */
const struct partiql_token *partiql_peek(const struct partiql_parser *parser, size_t ahead);
bool partiql_at(const struct partiql_parser *parser, enum partiql_token_kind kind);
bool partiql_at_word(const struct partiql_parser *parser, enum partiql_word word);
/* Nothing, or one ';' and nothing, is left. */
bool partiql_at_end(const struct partiql_parser *parser);
/* Takes the current token; the final token stays. */
const struct partiql_token *partiql_take(struct partiql_parser *parser);
/* Takes the token if it is the one asked for. */
bool partiql_accept(struct partiql_parser *parser, enum partiql_token_kind kind);
bool partiql_accept_word(struct partiql_parser *parser, enum partiql_word word);
/* Takes the token, or fails with this hint. */
void partiql_expect(struct partiql_parser *parser, enum partiql_token_kind kind, const char *hint);
/* Records the first error at the current token. hint may be NULL. */
void partiql_refuse(struct partiql_parser *parser, const char *reason, const char *hint);
/* As partiql_refuse; for a keyword that stands where a name could, the hint is how to quote it. */
void partiql_refuse_word(struct partiql_parser *parser, const char *reason);

/* From the start of `from` to the end of the last token taken. */
struct pk_span partiql_span_from(const struct partiql_parser *parser, struct pk_span from);

/* How tightly the loosest operator of an expression binds. */
enum partiql_power {
    PQ_POWER_OR = 1,
    PQ_POWER_AND,
    PQ_POWER_NOT,
    PQ_POWER_COMPARE,
    PQ_POWER_SUM,
    PQ_POWER_PRODUCT,
    PQ_POWER_TERM
};

/* Never NULL; after an error its content means nothing. */
struct partiql_node *partiql_parse_expr(struct partiql_parser *parser, enum partiql_power power);
/* path = ident { "." ident | "[" step "]" }; the cursor is at a name. */
struct partiql_node *partiql_parse_path(struct partiql_parser *parser);

#endif
