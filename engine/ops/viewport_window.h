/*
 * The window of one pk_engine_viewport() (looking.h), and the steps by which it moves over the rows
 * of a table or index on a snapshot. Each step counts as a row read, and none fails: the iterator
 * says at the end what went wrong.
 */
#ifndef PK_OPS_VIEWPORT_WINDOW_H
#define PK_OPS_VIEWPORT_WINDOW_H

#include "engine/looking.h"
#include "engine/ops/read_note.h"
#include "engine/ops/read_plan.h"

/* Slices and what the result points to are of the call's arena. */
struct pk_window {
    struct pk_engine *engine;
    struct pk_call *call;
    const struct pk_viewport_request *request;
    struct pk_viewport *result;
    struct pk_read_plan plan; /* its range: everything of the table or index */
    struct pk_iter *iter;
    struct pk_rows_seen seen;
    struct pk_buf scratch;
    pk_slice from;      /* row key, as far as it was given; empty: none */
    pk_slice start;     /* where the window begins; empty: at the first row */
    pk_slice stop;      /* a call backward ends before it; empty: no such end */
    uint64_t shown;     /* rows */
    uint64_t countable; /* rows that may still be counted */
    bool *unseen;       /* by collection: it was not walked whole */
    pk_slice *prefixes; /* by collection: what its rows' keys begin with */
};

/* The row at hand: whether there is one, and its key, valid until the next step. */
bool pk_window_valid(const struct pk_window *window);
pk_slice pk_window_key(const struct pk_window *window);
/* A copy in the call's arena. */
pk_slice pk_window_keep(const struct pk_window *window, pk_slice bytes);

void pk_window_next(struct pk_window *window);
void pk_window_previous(struct pk_window *window);
/* To the first row at or after the key; the first of all when it is empty. */
void pk_window_seek(struct pk_window *window, pk_slice to);
/* To the last row before the key; the last of all when it is empty. */
void pk_window_seek_before(struct pk_window *window, pk_slice to);

/* What the keys of a row's collection begin with: a part of the row's key. */
pk_slice pk_window_collection(const struct pk_window *window, pk_slice row);
/* The coded values of a row's key (key_code.h). */
pk_slice pk_window_codes(pk_slice row);
/* Whether there is a row at hand, and it is of the collection. */
bool pk_window_in(const struct pk_window *window, pk_slice collection);
/* From a row of the collection to the first row behind it, in a few steps however long it is. */
void pk_window_leave(struct pk_window *window, pk_slice collection);

/* The item of the row at hand and its size, as stored; borrowed until the next step. PK_E_CORRUPT.
 */
PK_MUST_CHECK enum pk_code pk_window_open_row(struct pk_window *window, pk_view *item, size_t *size,
                                              struct pk_error *err);
/* Its key, as a request gives it. PK_E_CORRUPT. */
PK_MUST_CHECK enum pk_code pk_window_take_key(struct pk_window *window, pk_value *out,
                                              struct pk_error *err);

/* Finds where the window begins, and writes start and stop. *any: there is something to show from
 * there on; else the result says where to go on. PK_E_CORRUPT, PK_E_CANCELLED. */
PK_MUST_CHECK enum pk_code pk_window_find_start(struct pk_window *window, bool *any,
                                                struct pk_error *err);

#endif
