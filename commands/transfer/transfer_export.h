/*
 * An export: the table is scanned page by page through the API, and a format's writer turns items
 * into the file's bytes.
 *
 * The file is written beside its final name and takes that name when it is complete, so that a
 * failed export leaves what was there before. A name that ends in .gz is compressed.
 */
#ifndef CMD_TRANSFER_EXPORT_H
#define CMD_TRANSFER_EXPORT_H

#include "commands/transfer/transfer.h"

struct transfer_output;

struct transfer_export {
    struct cmd_context *context; /* NULL in tests: then the items come from `items` */
    struct pk_arena arena;       /* lives until the end */
    struct pk_buf out;           /* written, not yet in the file */
    struct transfer_output *file;
    /* The table being written. */
    pk_slice name;
    const struct pk_table *table;
    pk_slice attachment; /* what import kept for it, as JSON; empty: nothing */
    size_t index, count; /* several tables of one file (models): the position among them */
    int64_t now_ms;      /* for dates in the file */
    bool as_json;        /* the file's name says JSON where a format has two forms */
    /* The scan. */
    struct pk_arena page; /* the page's items and the key where the next begins */
    pk_view *items;
    size_t item_count, item_next;
    pk_value start_key;
    bool last_page;
    /* What was found. */
    uint64_t written, bytes;             /* of this table */
    uint64_t total_written, total_bytes; /* of all */
    struct transfer_lines notes, hints;
};

/* The table's next item, valid until the call after; len 0 at the end. */
PK_MUST_CHECK enum pk_code transfer_export_next(struct transfer_export *export, pk_view *item,
                                                struct pk_error *err);
/* Begins again with the table's first item. */
void transfer_export_rewind(struct transfer_export *export);
/* Hands what is in `out` to the file once there is enough of it. */
PK_MUST_CHECK enum pk_code transfer_export_flush(struct transfer_export *export,
                                                 struct pk_error *err);

/* Opens the file that `path` (borrowed until the end) will be. */
PK_MUST_CHECK enum pk_code transfer_output_open(struct transfer_export *export, const char *path,
                                                struct pk_error *err);
/* Writes the rest and gives the file its name. */
PK_MUST_CHECK enum pk_code transfer_output_finish(struct transfer_export *export,
                                                  struct pk_error *err);
/* Frees all that the export holds. */
void transfer_export_release(struct transfer_export *export);

void transfer_export_note(struct transfer_export *export, const char *format, ...) PK_PRINTF(2, 3);
void transfer_export_hint(struct transfer_export *export, const char *format, ...) PK_PRINTF(2, 3);

#endif
