/*
 * Fields of a CSV file: cutting text into fields (RFC 4180), and one field as an attribute's value
 * and back.
 *
 * A field of a stated type holds: S the text, N digits, B base64, BOOL true or false, NULL null;
 * SS, NS, BS, L and M JSON text, plain where that loses nothing, else typed. A column stated as
 * JSON holds typed JSON ({"S": "x"}) of any type.
 */
#ifndef CMD_TRANSFER_CSV_CELL_H
#define CMD_TRANSFER_CSV_CELL_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/error.h"
#include "engine/value.h"

struct csv_field {
    pk_slice text; /* unquoted; in the source or the arena */
    bool quoted;
};

/* Reads one row of text from *pos on and moves it behind its line end. *fields is an arena array.
 * PK_E_USAGE with a span in the text. */
PK_MUST_CHECK enum pk_code csv_row(struct pk_arena *arena, pk_slice text, size_t *pos,
                                   struct csv_field **fields, size_t *count, struct pk_error *err);
/* True when number text is written as we write it: 12, -0.5; not 007, 1.50, 1e3, +1. */
bool csv_is_canonical_number(pk_slice text);

/* What a column holds. PK_MISSING with json. */
struct csv_kind {
    enum pk_kind kind;
    bool json;
};
PK_MUST_CHECK enum pk_code csv_cell_read(struct pk_arena *arena, struct csv_kind kind,
                                         pk_slice text, pk_value *value, struct pk_error *err);
/* Appends the field, quoted where needed. */
void csv_cell_write(struct pk_buf *out, struct csv_kind kind, pk_value value);
/* Appends text as a field. */
void csv_text_write(struct pk_buf *out, pk_slice text);

#endif
