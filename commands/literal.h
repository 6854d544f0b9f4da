/*
 * Literals: the values of grammar.md, and plain JSON. Numbers keep all their digits; nothing passes
 * through a double.
 *
 * Barewords (COMMAND only): for a key attribute a bareword takes the type of the schema, elsewhere
 * it is a number, true, false or null if it spells one, else a string. A top-level map whose key
 * attributes are written {"S": …} is DynamoDB JSON and is converted.
 */
#ifndef CMD_LITERAL_H
#define CMD_LITERAL_H

#include "commands/language/lex.h"
#include "engine/schema.h"

enum cmd_literal_mode {
    CMD_LITERAL_COMMAND, /* the shell's values; plain JSON is a subset */
    CMD_LITERAL_JSON     /* JSON and nothing else (JSON lines) */
};

/* Nesting that the parser follows; DynamoDB's own limit (32) is lower and has its own message. */
enum { CMD_LITERAL_DEPTH_MAX = 96 };

struct cmd_literal {
    pk_slice source;
    enum cmd_literal_mode mode;
    struct pk_arena *arena;
    const struct pk_table *table; /* its key attributes type the barewords of a top-level map and
                                     show DynamoDB JSON; NULL: no schema */
};

/* Reads one value of source[*pos…] and moves *pos behind it; what follows is the caller's.
 * PK_E_USAGE with a span in the source. Strings may point into the source. */
PK_MUST_CHECK enum pk_code cmd_literal_parse(const struct cmd_literal *literal, size_t *pos,
                                             pk_value *out, struct pk_error *err);
/* Where the value of that member stands in the map at source[pos…]; false when it is not there. */
bool cmd_literal_member_span(const struct cmd_literal *literal, size_t pos, pk_slice name,
                             struct pk_span *span);
/* As above for the value of a key attribute: a bareword takes the attribute's type, and a value of
 * another type is an error that names it. */
PK_MUST_CHECK enum pk_code cmd_literal_parse_key(const struct cmd_literal *literal, size_t *pos,
                                                 const struct pk_key_attr *attribute, pk_value *out,
                                                 struct pk_error *err);
/* A bareword as the value of a key attribute. */
PK_MUST_CHECK enum pk_code cmd_literal_key_word(struct pk_arena *arena, pk_slice word,
                                                struct pk_span span,
                                                const struct pk_key_attr *attribute, pk_value *out,
                                                struct pk_error *err);
/* A value already read, checked against the key attribute's type. */
PK_MUST_CHECK enum pk_code cmd_literal_check_key(pk_value value, struct pk_span span,
                                                 const struct pk_key_attr *attribute,
                                                 struct pk_error *err);
/* Number text to a value; DynamoDB's message when it has no such number. */
PK_MUST_CHECK enum pk_code cmd_literal_number(struct pk_arena *arena, pk_slice text,
                                              struct pk_span span, pk_value *out,
                                              struct pk_error *err);

/* True for a map with one member named as a type: {"S": "x"}, {"NULL": true}. */
bool cmd_literal_is_typed(pk_value value);
/* DynamoDB JSON, read as a plain tree, into the value it stands for. PK_E_USAGE without a span. */
PK_MUST_CHECK enum pk_code cmd_literal_from_typed(struct pk_arena *arena, pk_value typed,
                                                  pk_value *out, struct pk_error *err);
/* The same for an item: every member is typed. */
PK_MUST_CHECK enum pk_code cmd_literal_item_from_typed(struct pk_arena *arena, pk_value typed,
                                                       pk_value *out, struct pk_error *err);

#endif
