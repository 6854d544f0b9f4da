/* One statement to the command it names, or to PartiQL. */
#include <stdlib.h>

#include "commands/cmd_partiql.h"
#include "commands/language/scan.h"
#include "commands/page.h"
#include "commands/registry.h"
#include "commands/spent.h"
#include "commands/trace.h"
#include "commands/traffic_show.h"
#include "commands/workload/traffic.h"
#include "commands/txn.h"
#include "engine/base/utf8.h"

void cmd_context_init(struct cmd_context *context, struct cmd_backend *backend,
                      struct pk_engine *engine)
{
    *context = (struct cmd_context){.backend = backend, .engine = engine};
}

void cmd_context_release(struct cmd_context *context)
{
    traffics_free(context->traffics);
    cmd_schema_drop(context);
    cmd_page_free(context->page);
    cmd_txn_free(context->txn);
    cmd_spent_free(context->spent);
    cmd_trace_free(context);
    free(context->table);
    *context = (struct cmd_context){.backend = NULL};
}

void cmd_context_connect(struct cmd_context *context, struct cmd_backend *backend,
                         struct pk_engine *engine)
{
    if (context->traffics != NULL)
        traffics_leave(context->traffics);
    cmd_schema_drop(context);
    cmd_page_free(context->page);
    context->page = NULL;
    cmd_spent_free(context->spent);
    context->spent = NULL;
    free(context->table);
    context->table = NULL;
    context->backend = backend;
    context->engine = engine;
}

/* ---- words that are no command --------------------------------------------------------------- */

/* Commands of two words whose first one it is: "create table". */
static const struct cmd_entry *same_first_word(const struct cmd_context *context, pk_slice word)
{
    struct cmd_walk walk = {0};
    const struct cmd_entry *entry;

    while ((entry = cmd_walk_next(context, &walk)) != NULL) {
        pk_slice name = pk_slice_of(entry->name, strcspn(entry->name, " "));

        if (name.len == word.len && strncasecmp(name.data, word.data, word.len) == 0)
            return entry;
    }
    return NULL;
}

static enum pk_code unknown(const struct cmd_context *context, pk_slice text, struct pk_error *err)
{
    struct pk_arena arena = PK_ARENA_INIT;
    size_t start = cmd_skip_blanks(text, 0);
    pk_slice word = cmd_word_at(text, start);
    const struct cmd_entry *sibling = same_first_word(context, word);
    pk_slice nearest = cmd_nearest(context, word, &arena);
    struct pk_span span = {(uint32_t)start, word.len == 0 ? 1 : (uint32_t)word.len};

    if (word.len == 0)
        pk_fail_at(err, PK_E_USAGE, span, "expected a command");
    else
        pk_fail_at(err, PK_E_USAGE, span, "unknown command '%.*s'", PK_FMT(word));
    if (sibling != NULL)
        pk_error_hint(err, "%s %s", sibling->name, sibling->usage);
    else if (nearest.len > 0)
        pk_error_hint(err, "did you mean %.*s?", PK_FMT(nearest));
    else
        pk_error_hint(err, "help lists the commands");
    pk_arena_release(&arena);
    return PK_E_USAGE;
}

/* ---- text from slides ------------------------------------------------------------------------ */

static bool has_wide_blank(pk_slice text, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++) {
        if ((unsigned char)text.data[i] >= 0x80 && cmd_blank_length(text, i) > 1)
            return true;
    }
    return false;
}

static void note_pasted(pk_slice text, struct cmd_result *result)
{
    struct cmd_scan scan;
    struct cmd_unit unit;
    bool quotes = false, blanks = false;
    size_t end = 0;

    cmd_scan_init(&scan, text, 0, false);
    do {
        cmd_scan_next(&scan, &unit);
        quotes = quotes || (unit.kind == CMD_UNIT_QUOTED && unit.typographic);
        blanks = blanks || has_wide_blank(text, end, unit.start);
        end = unit.end;
    } while (unit.kind != CMD_UNIT_END);
    if (quotes)
        cmd_result_text(result, CMD_BLOCK_NOTE, "typographic quotes were read as plain ones");
    if (blanks)
        cmd_result_text(result, CMD_BLOCK_NOTE, "no-break spaces were read as plain ones");
}

/* What becomes a request must be UTF-8; in JSON there would be no place left to point at. Names of
 * files and programs may be anything. */
static enum pk_code check_utf8(pk_slice text, const struct cmd_entry *entry, struct pk_error *err)
{
    pk_slice rest = text;
    uint32_t code_point;

    if (entry != NULL && (entry->group == CMD_GROUP_WORLD || entry->group == CMD_GROUP_SHELL))
        return PK_OK;
    while (pk_utf8_take(&rest, &code_point))
        continue;
    if (rest.len == 0)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)(text.len - rest.len), 1},
                      "byte 0x%02X is not UTF-8", (unsigned char)rest.data[0]);
}

/* ---- running --------------------------------------------------------------------------------- */

static enum pk_code check_allowed(const struct cmd_context *context, const struct cmd_entry *entry,
                                  struct pk_error *err)
{
    if (context->txn != NULL && (entry->flags & CMD_NO_TXN) != 0) {
        pk_fail(err, PK_E_USAGE, "'%s' cannot stand between begin and commit", entry->name);
        pk_error_hint(err, "commit or rollback ends the transaction");
        return PK_E_USAGE;
    }
    if (!context->backend->extensions && (entry->flags & CMD_PKSK_ONLY) != 0)
        return cmd_fail_foreign(context, entry->name, err);
    return PK_OK;
}

/* After DDL, and when somebody else's DDL may be why it failed. */
static bool may_be_stale(const struct cmd_entry *entry, enum pk_code rc)
{
    return (entry != NULL && (entry->flags & CMD_DDL) != 0) || rc == PK_E_NOT_FOUND ||
           rc == PK_E_VALIDATION;
}

enum pk_code cmd_execute(struct cmd_context *context, pk_slice text, struct cmd_result *result,
                         struct pk_error *err)
{
    struct cmd_statement statement = {text, 0};
    bool partiql = cmd_is_partiql(text);
    const struct cmd_entry *entry = partiql ? NULL : cmd_find(context, text, &statement.args);
    enum pk_code rc = check_utf8(text, entry, err);

    if (rc != PK_OK)
        return rc;
    if (!context->backend->costs_money)
        cmd_schema_drop(context);
    if (entry == NULL && !partiql)
        return unknown(context, text, err);
    if (partiql) {
        rc = cmd_partiql_run(context, text, result, err);
    } else {
        rc = check_allowed(context, entry, err);
        if (rc != PK_OK)
            return rc;
        note_pasted(text, result);
        rc = entry->run(context, &statement, result, err);
    }
    if (may_be_stale(entry, rc))
        cmd_schema_drop(context);
    cmd_traffic_news(context, result);
    cmd_trace_show(context, result);
    return rc;
}
