/*
 * import: a file's tables and items into the store (commands/transfer/transfer.h).
 *
 * Everything is read and checked first; only then is anybody asked and anything written. So a file
 * with a mistake changes nothing, unless `partial` says that the rest is wanted.
 */
#include "commands/entries.h"
#include "commands/transfer/mapping.h"
#include "commands/transfer/transfer_args.h"
#include "commands/transfer/transfer_check.h"
#include "commands/transfer/transfer_infer.h"
#include "commands/transfer/transfer_send.h"
#include "commands/wire.h"

enum { LISTED_MAX = 20 }; /* repairs and refusals that are shown */

struct import {
    struct cmd_context *context;
    struct cmd_result *result;
    struct transfer_args args;
    struct transfer transfer;
    struct cmd_schema *target; /* of transfer.target, owned */
};

/* ---- which tables ---------------------------------------------------------------------------- */

/* The table's schema, NULL when there is no such table. */
static enum pk_code describe(struct import *import, pk_slice name, struct cmd_schema **schema,
                             struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    *schema = NULL;
    cmd_wire_set_text(request, "TableName", name);
    rc = cmd_call(import->context, "DescribeTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    if (rc == PK_E_NOT_FOUND || rc == PK_E_VALIDATION) {
        pk_error_release(err);
        return PK_OK;
    }
    if (rc == PK_OK)
        *schema = cmd_schema_read(cJSON_GetObjectItemCaseSensitive(answer, "Table"));
    cJSON_Delete(answer);
    return rc;
}

/* The existing table that rows without a table of their own will go to: types of its keys are
 * needed while reading. */
static enum pk_code find_target(struct import *import, struct pk_error *err)
{
    struct transfer *transfer = &import->transfer;
    pk_slice name = transfer->options->table;
    enum pk_code rc;

    if (name.data == NULL)
        name = transfer_table_name(transfer, pk_slice_cstr(import->args.file));
    rc = describe(import, name, &import->target, err);
    if (rc == PK_OK && import->target != NULL)
        transfer->target = cmd_schema_table(import->target);
    return rc;
}

static bool is_table_name(pk_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' &&
            c != '-' && c != '.')
            return false;
    }
    return name.len >= 3 && name.len <= 255;
}

static enum pk_code name_table(struct import *import, struct transfer_table *table,
                               struct pk_error *err)
{
    struct transfer *transfer = &import->transfer;

    table->target = table->name;
    if (transfer->options->table.data != NULL)
        table->target = transfer->options->table;
    else if (table->name.len == 0)
        table->target = transfer_table_name(transfer, pk_slice_cstr(import->args.file));
    if (is_table_name(table->target))
        return PK_OK;
    pk_fail(err, PK_E_USAGE,
            "'%.*s' is no name for a table: 3 to 255 of the letters a-z A-Z 0-9 _ . -",
            PK_FMT(table->target));
    if (transfer->options->table.data != NULL)
        err->span = import->args.table_span;
    else
        pk_error_hint(err, "add `as %.*s`", PK_FMT(transfer_table_name(transfer, table->target)));
    return PK_E_USAGE;
}

static bool attributes_equal(const struct pk_key_attr *a, const struct pk_key_attr *b)
{
    return a->type == b->type && pk_slice_equal(a->name, b->name);
}

static bool keys_equal(const struct pk_key_schema *a, const struct pk_key_schema *b)
{
    return attributes_equal(&a->hash[0], &b->hash[0]) && a->range_count == b->range_count &&
           (a->range_count == 0 || attributes_equal(&a->range[0], &b->range[0]));
}

/* `key a,b` of a table whose key is known says the same. */
static enum pk_code check_stated_key(struct import *import, const struct transfer_table *table,
                                     struct pk_error *err)
{
    const struct transfer_options *options = import->transfer.options;
    const struct pk_key_schema *key = &cmd_schema_table(table->schema)->key;
    bool same = options->key_count == 1U + key->range_count &&
                pk_slice_equal(options->key[0], key->hash[0].name) &&
                (key->range_count == 0 || pk_slice_equal(options->key[1], key->range[0].name));

    if (options->key_count == 0 || same)
        return PK_OK;
    return pk_fail(err, PK_E_USAGE, "the key of table '%.*s' is %.*s", PK_FMT(table->target),
                   PK_FMT(cmd_key_text(key, &import->result->arena)));
}

/* Gives the table its schema: of the table that is there, of the file, or found out. */
static enum pk_code find_schema(struct import *import, struct transfer_table *table,
                                struct pk_error *err)
{
    struct cmd_schema *existing;
    enum pk_code rc = describe(import, table->target, &existing, err);

    if (rc != PK_OK)
        return rc;
    if (existing == NULL) {
        rc = table->schema == NULL ? transfer_infer(&import->transfer, table, err) : PK_OK;
        return rc == PK_OK ? check_stated_key(import, table, err) : rc;
    }
    if (table->schema != NULL &&
        !keys_equal(&cmd_schema_table(existing)->key, &cmd_schema_table(table->schema)->key)) {
        pk_fail(err, PK_E_USAGE, "table '%.*s' is there with another key: %.*s",
                PK_FMT(table->target),
                PK_FMT(cmd_key_text(&cmd_schema_table(existing)->key, &import->result->arena)));
        pk_error_hint(err, "`as NAME` imports into a table of another name");
        cmd_schema_free(existing);
        return PK_E_USAGE;
    }
    cmd_schema_free(table->schema);
    table->schema = existing;
    table->exists = true;
    return check_stated_key(import, table, err);
}

static enum pk_code one_table(struct import *import, struct pk_error *err)
{
    const struct transfer *transfer = &import->transfer;

    if (transfer->first == NULL)
        return pk_fail(err, PK_E_USAGE, "%s: there is nothing to import", transfer->file.name);
    if (transfer->options->table.data == NULL || transfer->first->next == NULL)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, import->args.table_span,
                      "the file holds several tables, which cannot all be '%.*s'",
                      PK_FMT(transfer->options->table));
}

static enum pk_code resolve(struct import *import, struct pk_error *err)
{
    enum pk_code rc = one_table(import, err);

    for (struct transfer_table *t = import->transfer.first; t != NULL && rc == PK_OK; t = t->next) {
        rc = name_table(import, t, err);
        if (rc == PK_OK)
            rc = find_schema(import, t, err);
        if (rc == PK_OK)
            transfer_check(&import->transfer, t);
    }
    return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum pk_code read_file(struct import *import, struct pk_error *err)
{
    struct transfer *transfer = &import->transfer;
    const struct transfer_format *format = import->args.format;
    enum pk_code rc = transfer_file_load(&transfer->file, import->args.file, err);

    if (rc == PK_OK)
        rc = find_target(import, err);
    if (rc != PK_OK)
        return rc;
    if (format == NULL)
        format = transfer_format_detect(pk_slice_cstr(import->args.file), transfer->file.text);
    if (format == NULL) {
        pk_fail(err, PK_E_USAGE, "%s: this is in none of the formats that can be imported",
                import->args.file);
        pk_error_hint(err, "add `format workbench`, dynamodb, jsonl, csv or cloudformation");
        return PK_E_USAGE;
    }
    return format->read(transfer, err);
}

/* ---- the guard ------------------------------------------------------------------------------- */

static enum pk_code holds_items(struct import *import, pk_slice name, bool *holds,
                                struct pk_error *err)
{
    cJSON *request, *answer = NULL;
    enum pk_code rc;

    if (import->context->backend->extensions) {
        struct cmd_sample sample;

        cmd_sample_items(import->context, name, pk_value_missing(), 1, &import->result->arena,
                         &sample);
        *holds = sample.count > 0;
        return PK_OK;
    }
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "TableName", name);
    cmd_wire_set_int(request, "Limit", 1);
    rc = cmd_call(import->context, "Scan", request, &answer, NULL, err);
    *holds = rc == PK_OK && cmd_wire_int(answer, "Count", 0) > 0;
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

/* What is asked before anything is written; both texts without data: nothing. */
struct question {
    pk_slice text;
    pk_slice reason; /* for the error when nobody can answer */
};

static enum pk_code find_question(struct import *import, struct question *question,
                                  struct pk_error *err)
{
    struct pk_arena *arena = &import->result->arena;

    *question = (struct question){{NULL, 0}, {NULL, 0}};
    for (struct transfer_table *t = import->transfer.first; t != NULL; t = t->next) {
        bool holds = false;
        enum pk_code rc = t->exists ? holds_items(import, t->target, &holds, err) : PK_OK;

        if (rc != PK_OK)
            return rc;
        if (holds) {
            question->text =
                pk_arena_printf(arena, "table %.*s has items; import %zu more into it?",
                                PK_FMT(t->target), t->count);
            question->reason = pk_arena_printf(arena, "table '%.*s' has items", PK_FMT(t->target));
            return PK_OK;
        }
    }
    if (import->context->backend->costs_money) {
        const char *endpoint = import->context->backend->endpoint;

        question->text = pk_arena_printf(arena, "import into %s?", endpoint);
        question->reason = pk_arena_printf(arena, "an import into %s may cost money", endpoint);
    }
    return PK_OK;
}

/* *go is false after a no, which is no error. */
static enum pk_code guard(struct import *import, bool *go, struct pk_error *err)
{
    const struct cmd_asker *asker = &import->context->asker;
    struct question question;
    bool asked = false;
    enum pk_code rc = find_question(import, &question, err);

    *go = true;
    if (rc != PK_OK || question.text.data == NULL || import->context->yes)
        return rc;
    *go = asker->ask != NULL && asker->ask(asker->context, question.text.data, &asked);
    if (*go)
        return PK_OK;
    if (asked) {
        cmd_result_text(import->result, CMD_BLOCK_NOTE, "nothing was imported");
        return PK_OK;
    }
    pk_fail(err, PK_E_USAGE, "%.*s; nothing was imported", PK_FMT(question.reason));
    pk_error_hint(err, "pksk --yes imports without asking");
    return PK_E_USAGE;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void list_lines(struct import *import, const struct transfer_lines *lines, const char *what)
{
    if (lines->count == 0)
        return;
    cmd_result_text(import->result, CMD_BLOCK_NOTE, "%zu %s%s:", lines->count, what,
                    lines->count == 1 ? "" : "s");
    for (size_t i = 0; i < lines->count && i < LISTED_MAX; i++)
        cmd_result_text(import->result, CMD_BLOCK_NOTE, "  %.*s", PK_FMT(lines->text[i]));
    if (lines->count > LISTED_MAX)
        cmd_result_text(import->result, CMD_BLOCK_NOTE, "  and %zu more",
                        lines->count - LISTED_MAX);
}

/* "table T created: 19 items, 4.1 KB" */
static void report_table(struct import *import, const struct transfer_table *table)
{
    struct pk_arena *arena = &import->result->arena;
    const char *verb = table->exists ? "" : import->args.dry_run ? " would be created" : " created";
    pk_slice deletes = PK_LIT("");

    if (table->deletes > 0)
        deletes = pk_arena_printf(arena, ", %.*s deleted",
                                  PK_FMT(cmd_format_count(arena, table->deletes)));
    cmd_result_text(import->result, CMD_BLOCK_NOTE, "table %.*s%s: %.*s item%s, %.*s%.*s%s",
                    PK_FMT(table->target), verb, PK_FMT(cmd_format_count(arena, table->puts)),
                    table->puts == 1 ? "" : "s", PK_FMT(cmd_format_bytes(arena, table->bytes)),
                    PK_FMT(deletes),
                    table->exists && import->args.dry_run ? " would be written" : "");
}

static void report(struct import *import)
{
    const struct transfer *transfer = &import->transfer;
    size_t shown =
        transfer->notes.count < TRANSFER_LINES_MAX ? transfer->notes.count : TRANSFER_LINES_MAX;
    size_t hints =
        transfer->hints.count < TRANSFER_LINES_MAX ? transfer->hints.count : TRANSFER_LINES_MAX;

    for (const struct transfer_table *t = transfer->first; t != NULL; t = t->next)
        report_table(import, t);
    for (size_t i = 0; i < shown; i++)
        cmd_result_text(import->result, CMD_BLOCK_NOTE, "%.*s", PK_FMT(transfer->notes.text[i]));
    list_lines(import, &transfer->repairs, "repair");
    list_lines(import, &transfer->refusals, "refused record");
    if (import->args.dry_run)
        cmd_result_text(import->result, CMD_BLOCK_NOTE, "dry run: nothing was changed");
    for (size_t i = 0; i < hints; i++)
        cmd_result_text(import->result, CMD_BLOCK_HINT, "%.*s", PK_FMT(transfer->hints.text[i]));
}

static enum pk_code fail_refused(struct import *import, struct pk_error *err)
{
    const struct transfer_lines *refusals = &import->transfer.refusals;

    if (refusals->count == 1) {
        pk_fail(err, PK_E_USAGE, "%.*s; nothing was imported", PK_FMT(refusals->text[0]));
    } else {
        list_lines(import, refusals, "refused record");
        pk_fail(err, PK_E_USAGE,
                "%zu records were refused, nothing was imported; the first is %.*s",
                refusals->count, PK_FMT(refusals->text[0]));
    }
    pk_error_hint(err, "`partial` imports the others");
    return PK_E_USAGE;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum pk_code import_file(struct import *import, struct pk_error *err)
{
    bool go = true;
    enum pk_code rc = read_file(import, err);

    if (rc != PK_OK)
        return rc;
    rc = resolve(import, err);
    /* refused records come first: without them nothing may be left to find a key in */
    if (import->transfer.refusals.count > 0 && !import->args.partial)
        return fail_refused(import, err);
    if (rc != PK_OK)
        return rc;
    if (!import->args.dry_run) {
        rc = guard(import, &go, err);
        if (rc != PK_OK || !go)
            return rc;
        rc = transfer_send(import->context, &import->transfer, err);
        cmd_schema_drop(import->context);
        if (rc != PK_OK)
            return rc;
        if (import->context->table == NULL && import->transfer.first != NULL)
            cmd_set_table(import->context, import->transfer.first->target);
    }
    report(import);
    return PK_OK;
}

static enum pk_code import_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct import import = {.context = context, .result = result};
    struct pk_arena *arena = &result->arena;
    enum pk_code rc = transfer_args_parse(statement, arena, &import.args, err);

    if (rc != PK_OK)
        return rc;
    if (import.args.map != NULL) {
        rc = transfer_map_load(import.args.map, arena, &import.args.options.map, err);
        if (rc != PK_OK) {
            err->span = import.args.map_span;
            return rc;
        }
    }
    transfer_init(&import.transfer, &import.args.options);
    rc = import_file(&import, err);
    if (rc != PK_OK && rc != PK_E_CANCELLED && err->span.len == 0)
        err->span = import.args.file_span; /* the place inside the file is in the message */
    transfer_release(&import.transfer);
    cmd_schema_free(import.target);
    return rc;
}

const struct cmd_entry cmd_import_entry = {
    .name = "import",
    .group = CMD_GROUP_WORLD,
    .usage = "FILE [as NAME | into TABLE] [format F] [key a[,b]] [header | columns a,b,…] "
             "[types a:S,b:N] [set ATTR=TEMPLATE …] [map FILE] [dry run] [partial] [strict]",
    .summary = "read tables and items from a file",
    .detail = "Formats: workbench, dynamodb, jsonl, csv, cloudformation; found out when not given. "
              "Files may be gzipped.\n"
              "Everything is checked before anything is written; partial takes what is right and "
              "lists the rest.\n"
              "A missing table is created. strict refuses what would be repaired.\n"
              "docs/import.md describes templates and mapping files.",
    .flags = CMD_NO_TXN,
    .run = import_run,
};
