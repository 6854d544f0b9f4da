/*
 * Key templates (grammar.md): text with {1..300} ({00..09} keeps its width) or {a,b,c}, whose
 * elements may be ranges: {1,1000..1299}.
 *
 * For generated keys every list is gone through: the last one varies fastest, so that
 * USER#{1..2}#{a,b} is USER#1#a, USER#1#b, USER#2#a, USER#2#b.
 * For rows of a file there are columns as well, and a list gives its elements in turn, row after
 * row:
 *   {col}          the column's text; when it is empty the whole template is
 *   {col%10+1}     the column, a whole number, modulo 10, plus 1
 *   {col?text}     the text when the column is not empty
 *   {{             a brace
 */
#ifndef CMD_TRANSFER_TEMPLATE_H
#define CMD_TRANSFER_TEMPLATE_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/error.h"

enum cmd_template_use {
    CMD_TEMPLATE_KEYS, /* lists only: traffic, gather, stream tail */
    CMD_TEMPLATE_ROWS  /* lists and columns: import */
};

struct cmd_template;

/* Reads a template; what it points to lives in the arena, the text is borrowed. PK_E_USAGE with a
 * span in the text. */
PK_MUST_CHECK enum pk_code cmd_template_parse(struct pk_arena *arena, pk_slice text,
                                              enum cmd_template_use use,
                                              const struct cmd_template **out,
                                              struct pk_error *err);

/* Where a template that begins at `start` in a statement ends: at the next blank outside braces. */
size_t cmd_template_end(pk_slice text, size_t start);

/* How many keys there are: the product of the lists' lengths, at least 1; saturates. */
uint64_t cmd_template_count(const struct cmd_template *template);
/* Appends the n-th key, n < count. */
void cmd_template_nth(const struct cmd_template *template, uint64_t n, struct pk_buf *out);

/* A column's text in the current row; data NULL when there is no such column. */
struct cmd_template_row {
    pk_slice (*column)(const void *context, pk_slice name);
    const void *context;
    uint64_t number; /* of the row, from 0: which element of a list */
};
/* Appends the template's text for the row. *empty: a column in it is empty, the text means
 * nothing. Fails where arithmetic meets a column that is no whole number. */
PK_MUST_CHECK enum pk_code cmd_template_fill(const struct cmd_template *template,
                                             const struct cmd_template_row *row, struct pk_buf *out,
                                             bool *empty, struct pk_error *err);
/* The i-th column that the template names; data NULL past the last. */
pk_slice cmd_template_column(const struct cmd_template *template, size_t i);

#endif
