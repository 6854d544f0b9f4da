/*
 * Results as text. One ops row for each mode; adding a mode means one file and one row.
 *
 * Renderers append to a buffer and know nothing of files or terminals but their width. What must
 * hold for each: no byte of an item reaches the buffer without passing text_safe or the escaping of
 * the format (CSV that does not go to a terminal is the exception: its bytes are the item's).
 */
#ifndef SH_RENDER_RENDER_H
#define SH_RENDER_RENDER_H

#include "commands/result.h"
#include "commands/settings.h"

struct sh_render {
    struct pk_buf *out;
    size_t width;  /* columns of the terminal; 0: no limit */
    bool color;    /* keys bold, footer dim, hints yellow */
    bool terminal; /* a person may be looking at it */
    bool ascii;    /* bars are drawn with ASCII alone */
};

struct sh_render_ops {
    void (*items)(struct sh_render *render, const struct cmd_items *items);
    void (*grid)(struct sh_render *render, const struct cmd_grid *grid);
};

extern const struct sh_render_ops sh_render_table;
extern const struct sh_render_ops sh_render_line;
extern const struct sh_render_ops sh_render_json;
extern const struct sh_render_ops sh_render_jsonl;
extern const struct sh_render_ops sh_render_csv;
extern const struct sh_render_ops sh_render_markdown;

/* Appends one block. Texts, footers, hints and notes look the same in every mode. */
void sh_render_block(struct sh_render *render, enum cmd_mode mode, const struct cmd_block *block);

/* ---- shared by the renderers ------------------------------------------------------------------
 */

/* A column of an items block. */
struct sh_column {
    pk_slice name;
    bool key;
    bool right; /* every value in it is a number or NULL, and one is a number */
    size_t rows;
};
/* Keys first, then attributes by how many rows have them, ties by name. Arena array. */
struct sh_column *sh_render_columns(struct pk_arena *arena, const struct cmd_items *items,
                                    size_t *count);
/* True for the name of a key attribute. */
bool sh_render_is_key(const struct cmd_items *items, pk_slice name);
/* The members of one row in the order they are shown: keys first, then by name. Arena array of
 * row.len members. */
const struct pk_member **sh_render_members(struct pk_arena *arena, const struct cmd_items *items,
                                           pk_value row);
/* What a cell shows, made safe: a top-level string without quotes, else a PartiQL literal. */
void sh_render_cell(struct pk_buf *out, pk_value value);
/* What people read above a grid's column; may be empty. */
const char *sh_grid_heading(const struct cmd_grid *grid, size_t column);
/* The heading of a grid's column; "columnN" for one without, where a format needs a name. */
void sh_render_heading(struct pk_buf *out, const struct cmd_grid *grid, size_t column);
/* A plain JSON value: numbers with all digits, sets as arrays, binary as base64. */
void sh_json_value(struct pk_buf *out, pk_value value);
/* One item, one row of a grid, as a JSON object on one line. */
void sh_json_item(struct pk_buf *out, const struct cmd_items *items, pk_value row);
void sh_json_row(struct pk_buf *out, const struct cmd_grid *grid, size_t row);

/* A bar of `width` columns, filled with blanks: eighths of a block, or half a '#' in ASCII. An
 * empty one is a dot. */
void sh_bar(struct pk_buf *out, unsigned thousandths, size_t width, bool ascii);

/* Draws the map that stands for a grid where people read. */
void sh_render_map(struct sh_render *render, const struct cmd_map *map);

enum sh_style { SH_STYLE_KEY, SH_STYLE_DIM, SH_STYLE_HINT, SH_STYLE_ERROR };
/* Switch colour on and off; nothing when colour is off. */
void sh_style_begin(struct pk_buf *out, bool color, enum sh_style style);
void sh_style_end(struct pk_buf *out, bool color);

#endif
