/*
 * The command registry and what a command is given to work with.
 *
 * A command is a file and a row: help, completion, usage errors and docs/commands.md read the row.
 * PartiQL statements are not in the registry: cmd_execute sends them as ExecuteStatement.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "commands/backend.h"
#include "commands/result.h"

struct cmd_context;
struct cmd_settings;
struct cmd_completion;

enum cmd_group {
    CMD_GROUP_DATA,
    CMD_GROUP_TABLES,
    CMD_GROUP_UNDERSTAND,
    CMD_GROUP_WORLD,
    CMD_GROUP_SHELL
};

enum {
    CMD_READONLY = 1,  /* changes nothing that is stored */
    CMD_DDL = 2,       /* ends at ';' like PartiQL */
    CMD_WRAPS = 4,     /* the rest is a statement and ends as that ends: explain, watch, count */
    CMD_NO_TXN = 8,    /* refused between begin and commit */
    CMD_PKSK_ONLY = 16 /* needs our own operations: the embedded engine, or another pksk */
};

/* One statement: its text without the terminator, and where the arguments start in it. */
struct cmd_statement {
    pk_slice text;
    size_t args; /* offset of the first byte after the command word(s) and blanks */
};

struct cmd_entry {
    const char *name;  /* "put"; of two words for "create table", "show create" */
    const char *alias; /* further spellings, blank-separated, or NULL; '_' stands for a blank */
    enum cmd_group group;
    const char *usage;   /* arguments as help shows them */
    const char *summary; /* one line */
    const char *detail;  /* more for `help WORD`, may be NULL; lines separated by \n */
    unsigned flags;
    /* Adds candidates for the word being typed; NULL: none. */
    void (*complete)(struct cmd_context *context, struct cmd_completion *completion);
    /* Fills result or err (with a span in statement->text). Never prints. */
    enum pk_code (*run)(struct cmd_context *context, const struct cmd_statement *statement,
                        struct cmd_result *result, struct pk_error *err);
};

/* Asks the person a yes/no question; false also when nobody can answer (then *asked is false). */
struct cmd_asker {
    bool (*ask)(void *context, const char *question, bool *asked);
    void *context;
};
/* Shows progress of something long on a terminal (import, export); may be a no-op. */
struct cmd_progress {
    void (*show)(void *context, const char *text);
    void *context;
};

/* Shows what a command that goes on until it is cancelled has found so far (stream tail); the
 * blocks are then no part of its result. show NULL: nowhere, they come with the result. */
struct cmd_emitter {
    void (*show)(void *context, const struct cmd_result *part);
    void *context;
};

struct traffics;
struct cmd_context {
    struct cmd_backend *backend; /* borrowed */
    struct pk_engine *engine;    /* the embedded engine, or NULL when connected elsewhere */
    struct cmd_settings *settings;
    char *table; /* the current table's name, owned, or NULL */
    const atomic_bool *cancel;
    bool yes; /* --yes: guards do not ask */
    struct cmd_asker asker;
    struct cmd_progress progress;
    struct cmd_emitter emitter;
    struct cmd_page *page;            /* what `more` goes on with, or NULL (data.h) */
    struct cmd_transaction *txn;      /* between begin and commit, or NULL (cmd_begin.c) */
    struct cmd_spent *spent;          /* what was consumed, or NULL: nothing yet (spent.h) */
    struct traffics *traffics;        /* that run (workload/traffic.h), or NULL: none yet; owned */
    struct cmd_trace *trace;          /* of requests, or NULL: off (trace.h) */
    struct cmd_schema_cache *schemas; /* DescribeTable answers, dropped by DDL (schema.h) */
    const struct cmd_entry *const *shell_entries; /* the shell's own rows, NULL-ended */
};

void cmd_context_init(struct cmd_context *context, struct cmd_backend *backend,
                      struct pk_engine *engine);
void cmd_context_release(struct cmd_context *context);
/* Goes on with another backend: what belongs to the old one (current table, schemas, the next page)
 * is forgotten, its traffics are stopped. Not within a transaction. */
void cmd_context_connect(struct cmd_context *context, struct cmd_backend *backend,
                         struct pk_engine *engine);

/* Runs one complete statement (command, DDL or PartiQL). On failure err has a span in `text` where
 * one is known, and what was found out before stays in result (a footer, say). */
enum pk_code cmd_execute(struct cmd_context *context, pk_slice text, struct cmd_result *result,
                         struct pk_error *err);

/* The row whose name or alias begins the text, whole words, any case; *args is set to where its
 * arguments start. NULL when there is none. */
const struct cmd_entry *cmd_find(const struct cmd_context *context, pk_slice text, size_t *args);
/* This layer's rows, ordered by name, NULL-ended. */
extern const struct cmd_entry *const cmd_entries[];

/* ---- splitting input into statements (grammar.md, "Ending a statement") --------------------- */

enum cmd_split_state {
    CMD_SPLIT_COMPLETE, /* text[0..*end) is a statement with its terminator */
    CMD_SPLIT_OPEN,     /* more lines are needed */
    CMD_SPLIT_EMPTY     /* nothing but blanks, comments and terminators; *end of them */
};
struct cmd_split {
    size_t end;    /* COMPLETE, EMPTY: bytes to take off the front */
    pk_slice body; /* COMPLETE: the statement without terminator and outer blanks/comments */
    /* OPEN: what is open, for the prompt: "'", "\"", "{", "(", "[", ";", "/ *". Else what the end
     * of the input leaves open, or NULL. */
    const char *open;
};
/* at_end: nothing follows (end of file or of a -c text): PartiQL and DDL end there too. */
enum cmd_split_state cmd_split_next(const struct cmd_context *context, pk_slice text, bool at_end,
                                    struct cmd_split *split);

/* ---- completion ------------------------------------------------------------------------------ */

struct cmd_completion {
    pk_slice line; /* the whole input so far */
    size_t start;  /* the word being completed: line[start..cursor) */
    size_t cursor;
    struct pk_arena *arena;
    pk_slice *candidates; /* arena: replacements for the word */
    size_t count, cap;
};
void cmd_complete(struct cmd_context *context, struct cmd_completion *completion);
void cmd_completion_add(struct cmd_completion *completion, pk_slice candidate);

/* ---- calling the API from a command ---------------------------------------------------------- */

struct cJSON;
/* What an error answer to that operation says, as an error: code, name, message, hint. */
enum pk_code cmd_take_error(const struct cmd_context *context, const char *operation,
                            const struct cmd_response *response, struct pk_error *err);
/* The failure of a command that needs our own operations on an endpoint that has none. */
enum pk_code cmd_fail_foreign(const struct cmd_context *context, const char *command,
                              struct pk_error *err);
/* Sends the request (not consumed) and parses the answer into *answer (the caller's, cJSON_Delete).
 * An error answer becomes err (code, message, hint; old item of a failed condition in err->item).
 * facts and raw response (may be NULL) are filled in both cases; release raw with
 * cmd_response_release. Where our own operations (Pksk.*) are not, none is sent:
 * PK_E_UNKNOWN_OPERATION. */
enum pk_code cmd_call(struct cmd_context *context, const char *operation,
                      const struct cJSON *request, struct cJSON **answer, struct cmd_response *raw,
                      struct pk_error *err);
/* The part after sending: parses a response that came. */
enum pk_code cmd_read_answer(const struct cmd_context *context, const char *operation,
                             const struct cmd_response *response, struct cJSON **answer,
                             struct pk_error *err);

#endif
