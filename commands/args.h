/*
 * A data command's text, cut into its head (the key) and its clauses, each a span of the statement
 * (grammar.md, "Data commands").
 *
 * Clauses are found before anything is understood, because the table they name decides how the key
 * is read. A clause begins at an unquoted word of the language at bracket depth 0 and runs to the
 * next one; the first word of a command that takes a key is always a key value.
 */
#ifndef CMD_ARGS_H
#define CMD_ARGS_H

#include "commands/cmd.h"
#include "commands/language/lex.h"

enum cmd_clause_kind {
    CMD_CLAUSE_FROM,
    CMD_CLAUSE_INTO,
    CMD_CLAUSE_ON,
    CMD_CLAUSE_WHERE,
    CMD_CLAUSE_IF,
    CMD_CLAUSE_SELECT,
    CMD_CLAUSE_LIMIT,
    CMD_CLAUSE_PAGES,
    CMD_CLAUSE_ASC,
    CMD_CLAUSE_DESC,
    CMD_CLAUSE_STRONG,
    CMD_CLAUSE_AFTER,
    CMD_CLAUSE_SEGMENT,
    CMD_CLAUSE_SET,
    CMD_CLAUSE_REMOVE,
    CMD_CLAUSE_ADD,
    CMD_CLAUSE_DELETE,
    CMD_CLAUSE_RETURN,
    CMD_CLAUSE_COUNT
};
#define CMD_CLAUSE_BIT(kind) (1u << (kind))

struct cmd_clause {
    enum cmd_clause_kind kind;
    struct pk_span word;
    struct pk_span body; /* without outer blanks; len 0 when empty */
};

struct cmd_args {
    pk_slice text;       /* the statement */
    struct pk_span head; /* before the first clause; len 0 when empty */
    struct cmd_clause clauses[CMD_CLAUSE_COUNT];
    size_t count;
};

/* What a command takes. */
struct cmd_args_spec {
    const char *command;
    unsigned allowed; /* CMD_CLAUSE_BITs */
    bool key_first;   /* the first word is a key value, whatever it spells */
};

/* Cuts the arguments. PK_E_USAGE for a clause the command does not have, or has twice. */
PK_MUST_CHECK enum pk_code cmd_args_parse(const struct cmd_statement *statement,
                                          const struct cmd_args_spec *spec, struct cmd_args *args,
                                          struct pk_error *err);
/* The clause, or NULL. */
const struct cmd_clause *cmd_args_get(const struct cmd_args *args, enum cmd_clause_kind kind);

/* One word or quoted text as a name, data NULL when the clause is absent. PK_E_USAGE when it is
 * empty or more than one word. The text may live in the arena. */
PK_MUST_CHECK enum pk_code cmd_args_name(const struct cmd_args *args, enum cmd_clause_kind kind,
                                         struct pk_arena *arena, pk_slice *name,
                                         struct pk_error *err);
/* A whole number from 1; 0 when the clause is absent. */
PK_MUST_CHECK enum pk_code cmd_args_number(const struct cmd_args *args, enum cmd_clause_kind kind,
                                           int64_t *number, struct pk_error *err);
/* Fails when asc, desc or strong are followed by something. */
PK_MUST_CHECK enum pk_code cmd_args_flag(const struct cmd_args *args, enum cmd_clause_kind kind,
                                         bool *given, struct pk_error *err);
/* The clause's body, which may not be empty; len 0 when the clause is absent. */
PK_MUST_CHECK enum pk_code cmd_args_body(const struct cmd_args *args, enum cmd_clause_kind kind,
                                         struct pk_span *body, struct pk_error *err);

/* ---- arguments of commands without clauses ----------------------------------------------------
 */

/* Reads word by word: `describe key X`, `collections T top 5`. A quoted word is unquoted. */
struct cmd_words {
    struct cmd_lexer lexer;
    struct cmd_token token; /* the current word; CMD_TOKEN_END at the end */
};
PK_MUST_CHECK enum pk_code cmd_words_init(struct cmd_words *words,
                                          const struct cmd_statement *statement,
                                          struct pk_arena *arena, struct pk_error *err);
PK_MUST_CHECK enum pk_code cmd_words_next(struct cmd_words *words, struct pk_error *err);
bool cmd_words_at_end(const struct cmd_words *words);
/* The current word is this one, unquoted, in any case. */
bool cmd_words_is(const struct cmd_words *words, const char *word);
/* Takes the current word as a name. `what` completes "expected ". */
PK_MUST_CHECK enum pk_code cmd_words_take(struct cmd_words *words, const char *what, pk_slice *name,
                                          struct pk_error *err);
/* Takes the current word as a whole number from 1 to max. */
PK_MUST_CHECK enum pk_code cmd_words_number(struct cmd_words *words, int64_t max, int64_t *number,
                                            struct pk_error *err);
/* PK_E_USAGE unless at the end. */
PK_MUST_CHECK enum pk_code cmd_words_done(const struct cmd_words *words, struct pk_error *err);

/* An error without a place is pointed at `part`, where that is a piece of the statement's text. */
void cmd_point_at(struct pk_error *err, pk_slice text, pk_slice part);

/* "12" to 12; false unless all of it is a number from 1 to max. */
bool cmd_parse_count(pk_slice text, int64_t max, int64_t *number);

#endif
