/*
 * The lexer of the command language (grammar.md, "Values").
 *
 * Three readings of one text, because a word means different things in different places:
 *   VALUES      keys and literals: a bareword runs to a blank or one of , { } [ ] ( ) < > = ' " ;
 *   MAP_KEY     the same, and it ends at the first ':' as well
 *   EXPRESSION  conditions, updates, paths: names, numbers and operators
 * The parser says which one it wants for the next token. Tokens are spans into the source; only
 * text that had to be unescaped is copied into the arena.
 *
 * Blanks are also no-break spaces, a BOM, comments where a word may start, and a backslash at the
 * end of a line. Typographic quotes open and close a string where a word may start, so that text
 * pasted from slides works; cmd_quoted.typographic tells, for the note.
 */
#ifndef CMD_LEX_H
#define CMD_LEX_H

#include "engine/base/arena.h"
#include "engine/error.h"

enum cmd_lex_mode { CMD_LEX_VALUES, CMD_LEX_MAP_KEY, CMD_LEX_EXPRESSION };

enum cmd_token_kind {
    CMD_TOKEN_END,
    CMD_TOKEN_WORD,   /* bareword; in expressions a name or keyword */
    CMD_TOKEN_STRING, /* '…' or "…", unescaped */
    CMD_TOKEN_BINARY, /* b64'…', decoded */
    CMD_TOKEN_NAME,   /* `…`, an attribute's name */
    CMD_TOKEN_NUMBER, /* expressions only, unsigned */
    CMD_TOKEN_PUNCT   /* text holds the symbol: , : { } [ ] ( ) < > = << >> <= >= <> != … */
};

struct cmd_token {
    enum cmd_token_kind kind;
    struct pk_span span;
    pk_slice text;
    bool glued; /* nothing stands between it and the token before */
};

struct cmd_lexer {
    pk_slice source;
    size_t pos;
    size_t end; /* the lexer reads source[pos..end) */
    struct pk_arena *arena;
};

/* Reads source[start..end); spans stay relative to the source. */
void cmd_lexer_init(struct cmd_lexer *lexer, pk_slice source, struct pk_span part,
                    struct pk_arena *arena);
/* The next token. PK_E_USAGE with a span for an open quote, a bad escape, bad base64. */
PK_MUST_CHECK enum pk_code cmd_lex(struct cmd_lexer *lexer, enum cmd_lex_mode mode,
                                   struct cmd_token *token, struct pk_error *err);
/* As cmd_lex, but the token is not consumed. */
PK_MUST_CHECK enum pk_code cmd_lex_peek(struct cmd_lexer *lexer, enum cmd_lex_mode mode,
                                        struct cmd_token *token, struct pk_error *err);

bool cmd_token_is(const struct cmd_token *token, const char *punct);

/* ---- letters and words ----------------------------------------------------------------------- */

/* Bytes of the blank at pos (a no-break space has two or three), 0 when there is none. */
size_t cmd_blank_length(pk_slice text, size_t pos);
/* The position after blanks and comments. */
size_t cmd_skip_blanks(pk_slice text, size_t pos);
/* True at the end of the text, at a blank and at , { } [ ] ( ) < > = ' " ; */
bool cmd_ends_word(pk_slice text, size_t pos);
/* The bareword at pos, empty when there is none. */
pk_slice cmd_word_at(pk_slice text, size_t pos);
/* Equal but for the case of ASCII letters. */
bool cmd_word_is(pk_slice word, const char *other);
/* [A-Za-z_][A-Za-z0-9_]* */
bool cmd_is_name(pk_slice word);
/* True when the word spells a number (not: has a value that DynamoDB can hold). */
bool cmd_is_number(pk_slice word);

/* One quoted text at pos: its closing quote's end, 0 when it is not closed, and the content with
 * its escapes. `kind` is the plain form of the opening quote: ' " or `. */
struct cmd_quoted {
    char kind;
    bool typographic;
    bool open;        /* it is never closed; content runs to the end of the text */
    size_t end;       /* the position behind it */
    pk_slice content; /* between the quotes, escapes as written */
};
/* False when no quote begins at pos. */
bool cmd_quoted_at(pk_slice text, size_t pos, struct cmd_quoted *quoted);

struct pk_buf;
/* 'text' with quotes doubled: how a string is written in commands and PartiQL. */
void cmd_quote(struct pk_buf *out, pk_slice text);
/* `name` with backticks doubled: how an attribute's name is written that is no plain one. */
void cmd_quote_name(struct pk_buf *out, pk_slice name);

#endif
