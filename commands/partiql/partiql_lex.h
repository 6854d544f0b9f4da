/*
 * Words, literals and symbols of a PartiQL statement (partiql.md §1).
 *
 * A statement is read into an array of tokens first, so that a lexical fault anywhere in it comes
 * before a fault of grammar, as with DynamoDB, and so that the parser can look ahead. A token is a
 * kind and a span of the statement; its content is decoded on demand.
 */
#ifndef PARTIQL_LEX_H
#define PARTIQL_LEX_H

#include "engine/base/arena.h"
#include "engine/error.h"
#include "engine/num.h"

enum { PARTIQL_TEXT_MAX = 8192 /* the API's limit on Statement, in bytes here */ };

/* Words that cannot be used as names unless quoted, in byte order. */
/* clang-format off */
#define PARTIQL_WORDS(XX)                                                                          \
    XX(ABSOLUTE) XX(ACTION) XX(ADD) XX(ALL) XX(ALLOCATE) XX(ALTER) XX(AND) XX(ANY) XX(ARE)         \
    XX(AS) XX(ASC) XX(ASSERTION) XX(AT) XX(AUTHORIZATION) XX(AVG) XX(BAG) XX(BEGIN)                \
    XX(BETWEEN) XX(BIT) XX(BIT_LENGTH) XX(BLOB) XX(BOOL) XX(BOOLEAN) XX(BY) XX(CASCADE)            \
    XX(CASCADED) XX(CASE) XX(CAST) XX(CATALOG) XX(CHAR) XX(CHARACTER) XX(CHARACTER_LENGTH)         \
    XX(CHAR_LENGTH) XX(CHECK) XX(CLOB) XX(CLOSE) XX(COALESCE) XX(COLLATE) XX(COLLATION)            \
    XX(COLUMN) XX(COMMIT) XX(CONFLICT) XX(CONNECT) XX(CONNECTION) XX(CONSTRAINT)                   \
    XX(CONSTRAINTS) XX(CONTINUE) XX(CONVERT) XX(CORRESPONDING) XX(COUNT) XX(CREATE)                \
    XX(CROSS) XX(CURRENT) XX(CURRENT_DATE) XX(CURRENT_TIME) XX(CURRENT_TIMESTAMP)                  \
    XX(CURRENT_USER) XX(CURSOR) XX(DATE) XX(DATE_ADD) XX(DATE_DIFF) XX(DEALLOCATE) XX(DEC)         \
    XX(DECIMAL) XX(DECLARE) XX(DEFAULT) XX(DEFERRABLE) XX(DEFERRED) XX(DELETE) XX(DESC)            \
    XX(DESCRIBE) XX(DESCRIPTOR) XX(DIAGNOSTICS) XX(DISCONNECT) XX(DISTINCT) XX(DO)                 \
    XX(DOMAIN) XX(DOUBLE) XX(DROP) XX(ELSE) XX(END) XX(ESCAPE) XX(EXCEPT) XX(EXCEPTION)            \
    XX(EXEC) XX(EXECUTE) XX(EXISTS) XX(EXTERNAL) XX(EXTRACT) XX(FALSE) XX(FETCH) XX(FIRST)         \
    XX(FLOAT) XX(FOR) XX(FOREIGN) XX(FOUND) XX(FROM) XX(FULL) XX(GET) XX(GLOBAL) XX(GO)            \
    XX(GOTO) XX(GRANT) XX(GROUP) XX(HAVING) XX(IDENTITY) XX(IMMEDIATE) XX(IN) XX(INDEX)            \
    XX(INDICATOR) XX(INITIALLY) XX(INNER) XX(INPUT) XX(INSENSITIVE) XX(INSERT) XX(INT)             \
    XX(INTEGER) XX(INTERSECT) XX(INTERVAL) XX(INTO) XX(IS) XX(ISOLATION) XX(JOIN) XX(KEY)          \
    XX(LANGUAGE) XX(LAST) XX(LEFT) XX(LET) XX(LEVEL) XX(LIKE) XX(LIMIT) XX(LIST) XX(LOCAL)         \
    XX(LOWER) XX(MATCH) XX(MAX) XX(MIN) XX(MISSING) XX(MODIFIED) XX(MODULE) XX(NAMES)              \
    XX(NATIONAL) XX(NATURAL) XX(NCHAR) XX(NEW) XX(NEXT) XX(NO) XX(NOT) XX(NOTHING) XX(NULL)        \
    XX(NULLIF) XX(NUMERIC) XX(OCTET_LENGTH) XX(OF) XX(OLD) XX(ON) XX(ONLY) XX(OPEN)                \
    XX(OPTION) XX(OR) XX(ORDER) XX(OUTER) XX(OUTPUT) XX(OVERLAPS) XX(PAD) XX(PARTIAL)              \
    XX(PIVOT) XX(POSITION) XX(PRECISION) XX(PREPARE) XX(PRESERVE) XX(PRIMARY) XX(PRIOR)            \
    XX(PRIVILEGES) XX(PROCEDURE) XX(PUBLIC) XX(READ) XX(REAL) XX(REFERENCES) XX(RELATIVE)          \
    XX(REMOVE) XX(RESTRICT) XX(RETURNING) XX(REVOKE) XX(RIGHT) XX(ROLLBACK) XX(ROWS)               \
    XX(SCHEMA) XX(SCROLL) XX(SECTION) XX(SELECT) XX(SESSION) XX(SESSION_USER) XX(SET)              \
    XX(SEXP) XX(SIZE) XX(SMALLINT) XX(SOME) XX(SPACE) XX(SQL) XX(SQLCODE) XX(SQLERROR)             \
    XX(SQLSTATE) XX(STRING) XX(STRUCT) XX(SUBSTRING) XX(SUM) XX(SYMBOL) XX(SYSTEM_USER)            \
    XX(TABLE) XX(TEMPORARY) XX(THEN) XX(TIME) XX(TIMESTAMP) XX(TO) XX(TRANSACTION)                 \
    XX(TRANSLATE) XX(TRANSLATION) XX(TRIM) XX(TRUE) XX(TUPLE) XX(UNION) XX(UNIQUE)                 \
    XX(UNKNOWN) XX(UNPIVOT) XX(UPDATE) XX(UPPER) XX(USAGE) XX(USER) XX(USING) XX(VALUE)            \
    XX(VALUES) XX(VARCHAR) XX(VARYING) XX(VIEW) XX(WHEN) XX(WHENEVER) XX(WHERE) XX(WITH)           \
    XX(WORK) XX(WRITE) XX(ZONE)
/* clang-format on */

enum partiql_word {
    PQ_NO_WORD = 0,
#define XX(word) PQ_WORD_##word,
    PARTIQL_WORDS(XX)
#undef XX
};

enum partiql_token_kind {
    PQ_TOK_END,
    PQ_TOK_NAME,   /* unquoted, no keyword */
    PQ_TOK_QUOTED, /* "…" */
    PQ_TOK_WORD,   /* keyword, any case */
    PQ_TOK_STRING, /* '…' */
    PQ_TOK_NUMBER, /* unsigned */
    PQ_TOK_ION,    /* `…` */
    PQ_TOK_PARAM,  /* ? */
    PQ_TOK_EQ,
    PQ_TOK_NE, /* <> or != */
    PQ_TOK_LT,
    PQ_TOK_LE,
    PQ_TOK_GT,
    PQ_TOK_GE,
    PQ_TOK_PLUS,
    PQ_TOK_MINUS,
    PQ_TOK_STAR,
    PQ_TOK_SLASH,
    PQ_TOK_PERCENT,
    PQ_TOK_CONCAT,
    PQ_TOK_LPAREN,
    PQ_TOK_RPAREN,
    PQ_TOK_LBRACKET,
    PQ_TOK_RBRACKET,
    PQ_TOK_LBRACE,
    PQ_TOK_RBRACE,
    PQ_TOK_LBAG, /* << */
    PQ_TOK_RBAG, /* >> */
    PQ_TOK_COMMA,
    PQ_TOK_DOT,
    PQ_TOK_COLON,
    PQ_TOK_SEMICOLON
};

struct partiql_token {
    enum partiql_token_kind kind;
    enum partiql_word word; /* PQ_TOK_WORD */
    struct pk_span span;
};

/* The last token is always PQ_TOK_END. */
struct partiql_tokens {
    pk_slice text; /* the statement, borrowed */
    struct partiql_token *list;
    size_t count;
};

/* PK_E_VALIDATION "Statement wasn't well formed, …" with the place and a hint. */
PK_MUST_CHECK enum pk_code partiql_lex(pk_slice text, struct pk_arena *arena,
                                       struct partiql_tokens *out, struct pk_error *err);

/* The span's bytes. */
pk_slice partiql_text_at(pk_slice text, struct pk_span span);
/* What a name, string or quoted name stands for: quotes off, doubled quotes single. */
pk_slice partiql_token_content(pk_slice text, const struct partiql_token *token,
                               struct pk_arena *arena);
/* "line:column:length" of the span, counted in characters from 1: the place in messages. */
pk_slice partiql_position(pk_slice text, struct pk_span span, struct pk_arena *arena);

/* "Statement wasn't well formed, can't be processed: <reason>". hint may be NULL. */
enum pk_code partiql_malformed(struct pk_error *err, struct pk_span span, const char *reason,
                               const char *hint);

/* The keyword's number, PQ_NO_WORD when the name is none. */
enum partiql_word partiql_word_find(pk_slice name);

/* Number text as PartiQL reads it: with a 32-bit exponent (partiql.md §7). PK_NUM_SYNTAX when the
 * exponent does not fit, PK_NUM_UNDERFLOW where the service's arithmetic wraps around. */
enum pk_num_status partiql_number_parse(pk_slice text, struct pk_num *out);

#endif
