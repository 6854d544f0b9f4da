/* PartiQL text to tree (partiql.md §2). */
#ifndef PARTIQL_PARSE_H
#define PARTIQL_PARSE_H

#include "commands/partiql/partiql_ast.h"

enum {
    PARTIQL_DEPTH_MAX = 256 /* expressions inside expressions; bounds the parser's stack and that of
                               every walk over the tree */
};

/* *out lives in the arena and borrows the text. PK_E_VALIDATION "Statement wasn't well formed, …"
 * with the place and, where we know more than DynamoDB says, a hint. */
PK_MUST_CHECK enum pk_code partiql_parse(pk_slice text, struct pk_arena *arena,
                                         struct partiql_statement **out, struct pk_error *err);

#endif
