/*
 * What a command answers: blocks in the order they are shown. A command never prints; the shell
 * renders blocks in the mode of the day (table, line, json, jsonl, csv, markdown), so that output
 * is the same everywhere.
 *
 * A result owns an arena; all its text and values live there.
 */
#ifndef CMD_RESULT_H
#define CMD_RESULT_H

#include "engine/item.h"

enum cmd_block_kind {
    CMD_BLOCK_ITEMS,  /* items of a table: columns chosen by the renderer, primary output */
    CMD_BLOCK_GRID,   /* named columns of text: tables, settings, collections. Primary output */
    CMD_BLOCK_TEXT,   /* lines as they are: DDL, code, JSON answers, help. Primary output */
    CMD_BLOCK_FOOTER, /* the line that teaches: stderr when not at a terminal */
    CMD_BLOCK_HINT,   /* "hint: …": stderr when not at a terminal */
    CMD_BLOCK_NOTE    /* chatter ("2 items imported"): stderr when not at a terminal */
};

struct cmd_items {
    pk_value *rows; /* maps */
    size_t count;
    pk_slice *keys; /* names of key attributes: the first columns, in this order */
    size_t key_count;
};

/* What a grid is shown as instead where people read: rows of cells, each a second. */
struct cmd_map {
    pk_slice head; /* a line above it; empty: none */
    size_t rows, columns;
    pk_slice *labels; /* of rows, at the left */
    pk_slice *notes;  /* at the right; empty: none */
    uint16_t *levels; /* row by row: thousandths of what is full */
    bool *marks;      /* row by row */
    int64_t end_ms;   /* the time of the last column */
    const char *full; /* what a full cell is: "a partition's limit" */
    const char *mark; /* what a mark means: "throttled" */
};

enum cmd_align { CMD_LEFT, CMD_RIGHT };
struct cmd_grid {
    const char **columns; /* an empty name: a column without heading */
    /* What stands above a column where people read, instead of its name; an entry NULL: the name.
     * NULL: the names. */
    const char **headings;
    enum cmd_align *aligns;
    size_t column_count;
    pk_slice *cells; /* row by row; data NULL: blank */
    size_t row_count;
    /* A cell's bar, in thousandths of a full one, plus 1; 0: it has none. Shown before its text
     * where people read. NULL: no cell has one. */
    uint16_t *bars;
    const struct cmd_map *map; /* NULL: none */
    bool headless;             /* no heading line in table mode: name and value pairs */
    size_t cut; /* plus 1: the column that is cut where the terminal is too narrow; 0: none */
};

struct cmd_block {
    enum cmd_block_kind kind;
    struct cmd_items items;
    struct cmd_grid grid;
    pk_slice text;       /* TEXT FOOTER HINT NOTE; may hold several lines, no newline at the end */
    struct pk_span span; /* HINT: the place in the statement that it is about; len 0: none */
    struct cmd_block *next;
};

/* What the loop does after the result is shown. */
enum cmd_next { CMD_NEXT_PROMPT, CMD_NEXT_QUIT, CMD_NEXT_CLEAR };

struct cmd_result {
    struct pk_arena arena;
    struct cmd_block *first, *last;
    enum cmd_next next;
    bool check_failed; /* exit code 4 */
};

void cmd_result_init(struct cmd_result *result);
void cmd_result_release(struct cmd_result *result);

/* rows must live in the result's arena (use pk_value_dup or decode into it). */
struct cmd_items *cmd_result_items(struct cmd_result *result);
/* A grid with these headings; aligns NULL: all left. cells are added row by row. */
struct cmd_grid *cmd_result_grid(struct cmd_result *result, const char *const *columns,
                                 const enum cmd_align *aligns, size_t count);
void cmd_grid_row(struct cmd_result *result, struct cmd_grid *grid, const pk_slice *cells);
/* Another heading for a column than its name. The text is borrowed. */
void cmd_grid_heading(struct cmd_result *result, struct cmd_grid *grid, size_t column,
                      const char *heading);
/* The column that gives way where the terminal is too narrow for the row. */
void cmd_grid_cut(struct cmd_grid *grid, size_t column);
/* A bar for a cell of the last row: part of whole, full when it is more. whole 0: an empty bar. */
void cmd_grid_bar(struct cmd_result *result, struct cmd_grid *grid, size_t column, uint64_t part,
                  uint64_t whole);
void cmd_result_text(struct cmd_result *result, enum cmd_block_kind kind, const char *format, ...)
    PK_PRINTF(3, 4);
/* A note before all that is there already. The text is copied. */
void cmd_result_prepend_note(struct cmd_result *result, pk_slice text);
/* A hint about a place in the statement: the shell shows the source line with carets above it. */
void cmd_result_hint_at(struct cmd_result *result, struct pk_span span, const char *format, ...)
    PK_PRINTF(3, 4);

/* A value as a PartiQL literal ('text', 12.5, <<'a'>>, {'k': 1}); item cells show a top-level
 * string without its quotes. */
void cmd_value_text(struct pk_buf *out, pk_value value);
/* A key's value as it is typed: a string bare where that is enough. */
void cmd_key_value_text(struct pk_buf *out, pk_value value);
/* "1,234", "118 B", "26.6 KB", "0.5" (units from milli-units). */
pk_slice cmd_format_count(struct pk_arena *arena, uint64_t n);
pk_slice cmd_format_bytes(struct pk_arena *arena, uint64_t bytes);
/* Whole bytes below 1 MB, "2,305 B": for sizes that units are made of, where "1 KB" could be
 * one write unit or two. */
pk_slice cmd_format_whole_bytes(struct pk_arena *arena, uint64_t bytes);
pk_slice cmd_format_units(struct pk_arena *arena, int64_t milli);

#endif
