/*
 * Expressions of the shell (COND, UPDATE-EXPR, PATHS, key conditions) into those of the API: names
 * become #placeholders, literals :placeholders, != becomes <>, and infix `a begins_with 'x'` the
 * function. The grammar itself is the API's, and so are its errors: a map of spans leads from the
 * API's text back to the statement, so that they get carets all the same.
 */
#ifndef CMD_REWRITE_H
#define CMD_REWRITE_H

#include "commands/language/lex.h"
#include "engine/expr.h"
#include "engine/schema.h"

struct cJSON;

/* One placeholder or symbol of the API's text and where it comes from. */
struct cmd_piece {
    uint32_t start, end; /* in the API's text */
    struct pk_span source;
};

/* A path an expression mentions, by its first name; for hints, and for saying what an item has. */
struct cmd_mention {
    pk_slice name;
    struct pk_span span;    /* of the whole path */
    bool right;             /* it stands right of an operator, where a value is more usual */
    bool bare;              /* one plain name: could be a string whose quotes were forgotten */
    bool function;          /* inside a function's parentheses */
    bool equals;            /* followed by = and a literal … */
    pk_value value;         /* … which is this; missing otherwise */
    struct pk_span literal; /* … and stands here */
};

struct cmd_expression {
    pk_slice text; /* the API's */
    struct cmd_piece *pieces;
    size_t piece_count;
    struct cmd_mention *mentions;
    size_t mention_count;
    bool alternatives; /* it has OR or NOT: what it mentions need not hold */
};

/* The placeholders of one request, shared by its expressions. */
struct cmd_rewriter {
    pk_slice source;
    struct pk_arena *arena;
    struct cmd_placeholder {
        pk_slice key;  /* "#total", ":v1" */
        pk_slice name; /* names */
        pk_value value;
    } * names, *values;
    size_t name_count, name_cap, value_count, value_cap;
};

void cmd_rewriter_init(struct cmd_rewriter *rewriter, pk_slice source, struct pk_arena *arena);
/* The placeholder of a name (one each), of a value (a new one each time). */
pk_slice cmd_rewriter_name(struct cmd_rewriter *rewriter, pk_slice name);
pk_slice cmd_rewriter_value(struct cmd_rewriter *rewriter, pk_value value);
/* Sets ExpressionAttributeNames and -Values, when there are any. */
void cmd_rewriter_attach(const struct cmd_rewriter *rewriter, struct cJSON *request);

/* A condition, filter or key condition. */
PK_MUST_CHECK enum pk_code cmd_rewrite_condition(struct cmd_rewriter *rewriter, struct pk_span part,
                                                 struct cmd_expression *out, struct pk_error *err);
/* A list of paths. */
PK_MUST_CHECK enum pk_code cmd_rewrite_paths(struct cmd_rewriter *rewriter, struct pk_span part,
                                             struct cmd_expression *out, struct pk_error *err);
/* Sections of an update, each a word (SET …) and its body. */
struct cmd_section {
    const char *word;
    struct pk_span word_span;
    struct pk_span body;
};
PK_MUST_CHECK enum pk_code cmd_rewrite_update(struct cmd_rewriter *rewriter,
                                              const struct cmd_section *sections, size_t count,
                                              struct cmd_expression *out, struct pk_error *err);
/* An expression made by hand, piece by piece; source len 0: comes from nowhere. */
struct cmd_expression_builder {
    struct pk_buf text;
    struct cmd_piece *pieces;
    size_t piece_count, piece_cap;
    struct cmd_mention *mentions;
    size_t mention_count, mention_cap;
    bool alternatives;
};
void cmd_expression_add(struct cmd_expression_builder *builder, struct pk_arena *arena,
                        pk_slice text, struct pk_span source);
/* Moves what was built into *out (arena) and releases the builder. */
void cmd_expression_finish(struct cmd_expression_builder *builder, struct pk_arena *arena,
                           struct cmd_expression *out);

/* The place in the statement of a span in the API's text; len 0 when there is none. */
struct pk_span cmd_expression_source(const struct cmd_expression *expression, struct pk_span span);

#endif
