/*
 * Import and export: what all formats share.
 *
 * An import is three steps. A format's reader turns the file into a struct transfer: tables, each
 * with its definition (if the file has one) and its records in the order of the file.
 * transfer_check() (transfer_check.h) holds the records against the table's keys and DynamoDB's
 * limits, and makes one of those with equal keys. transfer_send() (transfer_send.h) creates what is
 * missing and writes. Nothing is written before everything is checked, so that a bad file changes
 * nothing.
 *
 * Adding a format: one file with its row, one line in transfer.c.
 */
#ifndef CMD_TRANSFER_H
#define CMD_TRANSFER_H

#include "commands/cmd.h"
#include "commands/schema.h"
#include "commands/transfer/transfer_file.h"

struct cJSON;
struct transfer;
struct transfer_export;
struct transfer_map;

/* ---- formats --------------------------------------------------------------------------------- */

struct transfer_format {
    const char *name;       /* as `format` takes it */
    const char *also;       /* further spellings, blank-separated, or NULL */
    const char *extensions; /* of files, without the dot, blank-separated */
    /* True when the text is of this format; extension: of the file, "" when it has none. */
    bool (*detect)(pk_slice text, pk_slice extension);
    enum pk_code (*read)(struct transfer *transfer, struct pk_error *err);
    enum pk_code (*write)(struct transfer_export *export, struct pk_error *err); /* or NULL */
};

extern const struct transfer_format transfer_workbench;
extern const struct transfer_format transfer_cloudformation;
extern const struct transfer_format transfer_dynamodb_json;
extern const struct transfer_format transfer_csv;
extern const struct transfer_format transfer_jsonl;

/* By name; NULL when there is none. */
const struct transfer_format *transfer_format_find(pk_slice name);
/* For an export: by the file's name; DynamoDB JSON when that says nothing. */
const struct transfer_format *transfer_format_for_file(pk_slice file);
/* For an import: by name and content; NULL when it is nothing we know. */
const struct transfer_format *transfer_format_detect(pk_slice file, pk_slice text);
/* The extension of a file's name, ".gz" aside. */
pk_slice transfer_extension(pk_slice file);
/* True when the blank-separated words have this one, in any case. */
bool transfer_has_word(const char *words, pk_slice word);

/* ---- what the user asked for ----------------------------------------------------------------- */

/* `types a:S,b:N`; json: the cell is JSON text, typed or plain, of any type. */
struct transfer_type {
    pk_slice name;
    enum pk_kind kind;
    bool json;
};
/* `set ATTR=TEMPLATE` */
struct transfer_set {
    pk_slice name;
    const struct cmd_template *text;
};

struct transfer_options {
    pk_slice table; /* of `as` and `into`; data NULL: the file's own names */
    pk_slice key[2];
    size_t key_count;
    bool header;
    pk_slice *columns;
    size_t column_count;
    struct transfer_type *types;
    size_t type_count;
    struct transfer_set *sets;
    size_t set_count;
    const struct transfer_map *map; /* or NULL */
    bool strict;                    /* what would be repaired is refused */
};

/* The stated type of an attribute; NULL when none was stated. */
const struct transfer_type *transfer_type_of(const struct transfer_options *options, pk_slice name);

/* ---- what a file holds ----------------------------------------------------------------------- */

/* One write. view: the item, or the key of a delete; encoded, in the transfer's arena. */
struct transfer_record {
    pk_view view;
    size_t pos; /* in the file */
    bool remove;
    bool facet; /* a part of an item: what other facets say of the same key is merged */
};

struct transfer_table {
    pk_slice name;             /* in the file; empty when the file does not say */
    pk_slice target;           /* here; set between reading and checking */
    struct cJSON *create;      /* the CreateTable request, owned; NULL: no definition */
    struct cmd_schema *schema; /* owned; of the existing table, else of the definition; or NULL */
    bool exists;
    struct transfer_record *records; /* heap */
    size_t count, cap;
    pk_slice attachment; /* what the table itself cannot hold, as JSON; empty: nothing */
    /* Set by transfer_check. */
    size_t puts, deletes, repeated;
    uint64_t bytes;  /* of the puts, by the item-size rules */
    uint64_t digest; /* of the puts in any order: transfer_digest of each, added */
    struct transfer_table *next;
};

/* Lines of a report: only the first ones are kept, all are counted. */
enum { TRANSFER_LINES_MAX = 50 };
struct transfer_lines {
    pk_slice text[TRANSFER_LINES_MAX];
    size_t count;
};

struct transfer {
    struct pk_arena arena;   /* records, names, lines */
    struct pk_arena scratch; /* a reader's, cleared between records */
    struct transfer_file file;
    const struct transfer_options *options;
    const struct pk_table *target; /* the existing table of `as` or `into`, or NULL */
    struct transfer_table *first, *last;
    struct transfer_lines repairs, refusals, notes, hints;
};

void transfer_init(struct transfer *transfer, const struct transfer_options *options);
void transfer_release(struct transfer *transfer);

/* The table of that name in the file, made when it is not there. The name is copied. */
struct transfer_table *transfer_table_get(struct transfer *transfer, pk_slice name);
/* Gives the table its definition (taken) and the schema that follows from it. */
void transfer_define(struct transfer_table *table, struct cJSON *create);
/* Adds a record; the value is encoded at once and may live in scratch. */
void transfer_put(struct transfer *transfer, struct transfer_table *table, pk_value item,
                  size_t pos);
void transfer_delete(struct transfer *transfer, struct transfer_table *table, pk_value key,
                     size_t pos);

/* "FILE:LINE: …" */
void transfer_refuse(struct transfer *transfer, size_t pos, const char *format, ...)
    PK_PRINTF(3, 4);
/* Without a place. */
void transfer_note(struct transfer *transfer, const char *format, ...) PK_PRINTF(2, 3);
void transfer_hint(struct transfer *transfer, const char *format, ...) PK_PRINTF(2, 3);

/* Bytes of JSON text that are read into one value: an item of 400 KB, however it is written, and a
 * whole model or template. */
enum { TRANSFER_ITEM_MAX = 16 << 20, TRANSFER_DOCUMENT_MAX = 128 << 20 };

/* Reads the JSON value at *pos of the file into scratch (an item) or arena (a document). On failure
 * err has a place. */
PK_MUST_CHECK enum pk_code transfer_parse(struct transfer *transfer, struct pk_arena *arena,
                                          size_t *pos, pk_value *value, struct pk_error *err);
/* An item or one of its values in DynamoDB JSON, where need be repaired (spec §1.6): maps wrapped
 * twice are unwrapped, plain JSON is marshalled, and each repair is noted with `where`, which ends
 * in "attribute ". A false
 * answer means that the item was refused. */
bool transfer_typed_item(struct transfer *transfer, pk_value typed, size_t pos, pk_slice where,
                         pk_value *item);

/* ---- JSON of plain values -------------------------------------------------------------------- */

/* Plain JSON: sets become arrays, binaries base64 text. */
void transfer_plain_json(struct pk_buf *out, pk_value value);
/* A number for the content of an item, stable across versions. */
uint64_t transfer_digest(pk_view item);
/* True when plain JSON gives the value back: there are no sets and no binaries in it. */
bool transfer_is_plain(pk_value value);
/* The plain tree as a cJSON tree; the caller's. */
struct cJSON *transfer_cjson(pk_value plain);

#endif
