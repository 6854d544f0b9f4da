/* The words after `import`, read (grammar.md, "Running the world"). */
#ifndef CMD_TRANSFER_ARGS_H
#define CMD_TRANSFER_ARGS_H

#include "commands/language/lex.h"
#include "commands/transfer/transfer.h"

struct transfer_args {
    const char *file; /* in the arena, `~` expanded */
    struct pk_span file_span;
    struct pk_span table_span;            /* of the name after as or into */
    const struct transfer_format *format; /* NULL: to be found out */
    const char *map;                      /* the mapping's file, or NULL */
    struct pk_span map_span;
    bool dry_run, partial;
    struct transfer_options options; /* all but the mapping */
};

/* PK_E_USAGE with a span in the statement. What args points to lives in the arena and in the
 * statement. */
PK_MUST_CHECK enum pk_code transfer_args_parse(const struct cmd_statement *statement,
                                               struct pk_arena *arena, struct transfer_args *args,
                                               struct pk_error *err);
/* A file's name as it is opened: `~/` is $HOME. NUL-ended, in the arena. */
const char *transfer_path(struct pk_arena *arena, pk_slice text);
/* The format of that name or PK_E_USAGE, which lists them; to_write: one that can be written. */
enum transfer_direction { TRANSFER_READ, TRANSFER_WRITE };
PK_MUST_CHECK enum pk_code transfer_args_format(const struct cmd_token *word,
                                                enum transfer_direction direction,
                                                const struct transfer_format **format,
                                                struct pk_error *err);

#endif
