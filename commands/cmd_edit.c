#include "commands/entries.h"
#include "commands/item_commands.h"
#include "commands/wire.h"

#define FORM "after the key: set a = a + 1, b.c = 'x'   remove d   add e <<1>>   delete f <<2>>"

static bool has_section(const struct cmd_args *args)
{
    return cmd_args_get(args, CMD_CLAUSE_SET) != NULL ||
           cmd_args_get(args, CMD_CLAUSE_REMOVE) != NULL ||
           cmd_args_get(args, CMD_CLAUSE_ADD) != NULL ||
           cmd_args_get(args, CMD_CLAUSE_DELETE) != NULL;
}

/* The sections in the order written. */
static enum pk_code read_sections(const struct cmd_args *args, struct cmd_request *request,
                                  struct pk_error *err)
{
    static const struct {
        enum cmd_clause_kind kind;
        const char *word;
    } words[] = {
        {CMD_CLAUSE_SET, "SET"},
        {CMD_CLAUSE_REMOVE, "REMOVE"},
        {CMD_CLAUSE_ADD, "ADD"},
        {CMD_CLAUSE_DELETE, "DELETE"},
    };
    struct cmd_section sections[4];
    struct cmd_expression *update = &request->expressions[PK_EXPR_UPDATE];
    size_t count = 0;
    enum pk_code rc;

    for (size_t i = 0; i < args->count; i++) {
        const struct cmd_clause *clause = &args->clauses[i];

        for (size_t w = 0; w < 4; w++) {
            if (clause->kind != words[w].kind)
                continue;
            if (clause->body.len == 0)
                return pk_fail_at(err, PK_E_USAGE, clause->word,
                                  "expected what to %.*s after '%.*s'", (int)clause->word.len,
                                  args->text.data + clause->word.start, (int)clause->word.len,
                                  args->text.data + clause->word.start);
            sections[count++] = (struct cmd_section){words[w].word, clause->word, clause->body};
        }
    }
    if (count == 0) {
        pk_fail_at(err, PK_E_USAGE, args->head, "expected what to change after the key");
        pk_error_hint(err, FORM);
        return PK_E_USAGE;
    }
    rc = cmd_rewrite_update(&request->rewriter, sections, count, update, err);
    if (rc == PK_OK)
        cmd_wire_set_text(request->json, pk_expr_use_name(PK_EXPR_UPDATE), update->text);
    return rc;
}

enum pk_code cmd_edit_request(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "edit",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM) | CMD_CLAUSE_BIT(CMD_CLAUSE_IF) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_RETURN) | CMD_CLAUSE_BIT(CMD_CLAUSE_SET) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_REMOVE) | CMD_CLAUSE_BIT(CMD_CLAUSE_ADD) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_DELETE),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "UpdateItem";
    if (rc == PK_OK) {
        rc = cmd_request_key(&args, request, err);
        if (rc != PK_OK && err->hint == NULL && !has_section(&args))
            pk_error_hint(err, FORM);
    }
    if (rc == PK_OK)
        rc = read_sections(&args, request, err);
    if (rc == PK_OK)
        rc = cmd_request_condition(&args, CMD_CLAUSE_IF, PK_EXPR_CONDITION, request, err);
    if (rc == PK_OK)
        rc = cmd_request_returns(&args, true, request, err);
    if (rc == PK_OK)
        cmd_request_close_write(request);
    return rc;
}

static enum pk_code edit_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_item(context, statement, cmd_edit_request, result, err);
}

const struct cmd_entry cmd_edit_entry = {
    .name = "edit",
    .group = CMD_GROUP_DATA,
    .usage = "KEY set|remove|add|delete … [from TABLE] [if COND] "
             "[return old|new|updated old|updated new]",
    .summary = "change attributes of one item (UpdateItem)",
    .detail = "  edit USER#123 PROFILE set visits = visits + 1, address.city = 'Rome' remove old\n"
              "  edit USER#123 PROFILE add tags <<'vip'>> return new\n"
              "add counts numbers up and puts into sets, delete takes out of sets.",
    .complete = cmd_complete_data,
    .run = edit_run,
};
