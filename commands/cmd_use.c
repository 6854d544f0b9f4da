#include "commands/args.h"
#include "commands/entries.h"
#include "commands/names.h"
#include "commands/schema.h"

static enum pk_code use_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    const struct pk_table *table = NULL;
    struct cmd_words words;
    struct pk_span span;
    pk_slice name;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    span = words.token.span;
    rc = cmd_words_take(&words, "a table's name", &name, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    rc = cmd_schema_get(context, name, &table, err);
    if (rc != PK_OK) {
        err->span = span;
        cmd_hint_tables(context, name, err);
        return rc;
    }
    cmd_set_table(context, name);
    return PK_OK;
}

const struct cmd_entry cmd_use_entry = {
    .name = "use",
    .group = CMD_GROUP_TABLES,
    .usage = "TABLE",
    .summary = "make a table the current one",
    .flags = CMD_READONLY,
    .complete = cmd_complete_table,
    .run = use_run,
};
