/*
 * Table definitions as text: `create table …` (grammar.md, "Tables") to a struct pk_table, that to
 * a CreateTable request, and back to text for `show create table`. Parsing what was printed gives
 * the same table.
 *
 *   definition = NAME "(" key ")" { clause }
 *   key        = part { "+" part } [ "," part { "+" part } ]
 *   part       = ATTRIBUTE type [ hash | range ]
 *   clause     = on demand | provisioned R W | max R W | stream VIEW | ttl ATTRIBUTE | protect |
 * index index      = gsi NAME "(" key ")" { option } | lsi NAME "(" part ")" { option } option =
 * projection (all | keys | include "(" ATTRIBUTE { "," ATTRIBUTE } ")") | provisioned R W | max R W
 *
 * Clauses come in any order, each once, and an index's options directly behind it. The text is read
 * with the lexer of the command language, so names are quoted here as everywhere.
 */
#ifndef CMD_DDL_H
#define CMD_DDL_H

#include "commands/args.h"
#include "engine/schema.h"

struct cJSON;

struct cmd_ddl_create {
    bool if_not_exists;
    struct pk_span name_span;
    struct pk_table table; /* what the text says, the rest zero; all of it in the arena */
};

/* Parses what follows `create table`. An index of a provisioned table that names no throughput
 * gets the table's. PK_E_USAGE with a span in the statement. Limits and rules of DynamoDB are left
 * to the API, except those the text cannot express. */
PK_MUST_CHECK enum pk_code cmd_ddl_parse(const struct cmd_statement *statement,
                                         struct pk_arena *arena, struct cmd_ddl_create *out,
                                         struct pk_error *err);
/* Points an error of CreateTable at the name in `text`, the statement, that it is about: an index's
 * where it speaks of one, else the table's. */
void cmd_ddl_place(const struct cmd_ddl_create *create, pk_slice text, struct pk_error *err);
/* Takes `R W` of provisioned and max. */
PK_MUST_CHECK enum pk_code cmd_ddl_units(struct cmd_words *words, int64_t *read, int64_t *write,
                                         struct pk_error *err);
/* The CreateTable request that makes the table; the caller's (cJSON_Delete). */
struct cJSON *cmd_ddl_request(const struct pk_table *table);

/* Takes `gsi NAME (key) {option}` (the current word is gsi) and adds it to the table, which is a
 * copy: its attributes are those the index may not define otherwise. */
PK_MUST_CHECK enum pk_code cmd_ddl_parse_gsi(struct cmd_words *words, struct pk_arena *arena,
                                             struct pk_table *table, struct pk_error *err);
/* The UpdateTable request that creates the table's last index; the caller's. */
struct cJSON *cmd_ddl_gsi_request(const struct pk_table *table);

/* The statement that makes the table, without the ';'. */
void cmd_ddl_print(struct pk_buf *out, const struct pk_table *table);
/* A name as the language reads it back: plain, or in backticks. */
void cmd_ddl_print_name(struct pk_buf *out, pk_slice name);
/* "new_and_old", or as the API spells it; false when it is no view. */
bool cmd_ddl_read_view(pk_slice word, enum pk_stream_view *view);

#endif
