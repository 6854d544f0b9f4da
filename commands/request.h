/*
 * A data command as the API request it stands for: built here, sent elsewhere (send.h), so that
 * explain can print it and begin can keep it.
 *
 * A request borrows the statement's text and the schema (valid for the statement) and owns the
 * rest.
 */
#ifndef CMD_REQUEST_H
#define CMD_REQUEST_H

#include "commands/args.h"
#include "commands/language/rewrite.h"
#include "commands/schema.h"

enum { CMD_PAGES_ALL = -1, CMD_EXPRESSIONS = PK_EXPR_PROJECTION + 1 };

struct cmd_request {
    const char *operation; /* "Query" */
    const char *verb;      /* "query" */
    struct cJSON *json;    /* owned */
    struct cmd_target target;
    pk_slice text; /* the statement */
    struct pk_arena arena;
    struct cmd_rewriter rewriter;
    struct cmd_expression expressions[CMD_EXPRESSIONS]; /* by enum pk_expr_use */
    struct pk_span condition;                  /* where COND stands; len 0: there is none */
    struct pk_span key_span;                   /* where the key stands */
    struct pk_span item_span;                  /* of put: where the map stands */
    struct pk_span paths, pages_span, segment; /* where select's, pages' and segment's text stand */
    struct pk_span strong_span;                /* of the word `strong`; len 0: it is not there */
    struct pk_span after; /* where the start key stands; len 0: there is none */
    pk_value key;         /* of one item: its key as a map */
    pk_value item;        /* of put: the item */
    pk_slice wildcard;    /* an unquoted key value that looks like a range: ORDER#*, a..b */
    bool wildcard_hash;   /* the partition key's does */
    pk_slice named;       /* of query: a bareword read as the partition key's value though a
                             comparison follows it, as it follows a name */
    bool read;            /* Query or Scan: may have pages */
    bool strong;
    bool count;    /* Select=COUNT, all pages */
    bool limited;  /* `limit` was given: one request unless `pages` says more */
    int64_t pages; /* 0: not given */
    bool returns;  /* the answer's Attributes are to be shown */
};

void cmd_request_init(struct cmd_request *request);
void cmd_request_release(struct cmd_request *request);

/* One builder a command, each in its cmd_*.c. On failure the request holds what was built so far;
 * release it in any case. Nothing is sent but DescribeTable (and ListTables). */
typedef enum pk_code cmd_request_builder(struct cmd_context *context,
                                         const struct cmd_statement *statement,
                                         struct cmd_request *request, struct pk_error *err);
cmd_request_builder cmd_get_request, cmd_put_request, cmd_edit_request, cmd_del_request,
    cmd_query_request, cmd_scan_request, cmd_count_request, cmd_check_request;

/* The builder of the command that begins the text, NULL when it builds no request; *statement is
 * set to the text and its arguments. */
cmd_request_builder *cmd_request_find(const struct cmd_context *context, pk_slice text,
                                      struct cmd_statement *statement);

/* ---- steps the builders share -----------------------------------------------------------------
 */

/* Cuts the arguments, finds the table (from, into, on) and begins the JSON: TableName, IndexName,
 * ReturnConsumedCapacity. */
PK_MUST_CHECK enum pk_code cmd_request_open(struct cmd_context *context,
                                            const struct cmd_statement *statement,
                                            const struct cmd_args_spec *spec, struct cmd_args *args,
                                            struct cmd_request *request, struct pk_error *err);
/* Reads `if COND` or `where COND` into the parameter of that use. */
PK_MUST_CHECK enum pk_code cmd_request_condition(const struct cmd_args *args,
                                                 enum cmd_clause_kind clause, enum pk_expr_use use,
                                                 struct cmd_request *request, struct pk_error *err);
/* Reads `select PATHS`; `*` is no projection. */
PK_MUST_CHECK enum pk_code cmd_request_paths(const struct cmd_args *args,
                                             struct cmd_request *request, struct pk_error *err);
/* Reads `strong`, or takes the setting: ConsistentRead. */
PK_MUST_CHECK enum pk_code cmd_request_strong(struct cmd_context *context,
                                              const struct cmd_args *args,
                                              struct cmd_request *request, struct pk_error *err);
/* Reads `return …` into ReturnValues; `updated` tells whether UpdateItem's four are allowed. */
PK_MUST_CHECK enum pk_code cmd_request_returns(const struct cmd_args *args, bool updated,
                                               struct cmd_request *request, struct pk_error *err);
/* Reads where, select, limit, pages, asc, desc, strong, after: what query and scan share. */
PK_MUST_CHECK enum pk_code cmd_request_read_clauses(struct cmd_context *context,
                                                    const struct cmd_args *args,
                                                    struct cmd_request *request,
                                                    struct pk_error *err);
/* Sets the placeholders; the last step. */
void cmd_request_close(struct cmd_request *request);
/* The same for a write, which asks for the old item should its condition fail. */
void cmd_request_close_write(struct cmd_request *request);

/* ---- keys (key_args.c) ------------------------------------------------------------------------
 */

/* Reads the whole key of one item from the head at *pos: values in the schema's order, or a map.
 * Moves *pos behind it. */
PK_MUST_CHECK enum pk_code cmd_read_key(struct cmd_request *request, const struct cmd_args *args,
                                        size_t *pos, pk_value *key, struct pk_error *err);
/* The whole head is one key: into request->key and the JSON's Key. */
PK_MUST_CHECK enum pk_code cmd_request_key(const struct cmd_args *args, struct cmd_request *request,
                                           struct pk_error *err);
/* Where the value of that member stands in the map of a put, else the key or the whole map. */
struct pk_span cmd_item_member_span(struct cmd_request *request, pk_slice name);
/* "the key of Music is Artist (S), SongTitle (S): …": fails with that beginning. */
enum pk_code cmd_fail_key(const struct cmd_target *target, struct pk_span span,
                          struct pk_error *err, const char *format, ...) PK_PRINTF(4, 5);
/* The same where no key is written at all: points behind the command. */
enum pk_code cmd_fail_no_key(const struct cmd_request *request, const struct cmd_args *args,
                             struct pk_error *err);
/* Reads a partition key value and a sort-key range into KeyConditionExpression (range_args.c). */
PK_MUST_CHECK enum pk_code cmd_request_range(const struct cmd_args *args,
                                             struct cmd_request *request, struct pk_error *err);

#endif
