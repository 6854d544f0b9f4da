/* export: a table into a file (commands/transfer/transfer_export.h). */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/transfer/transfer_args.h"
#include "commands/transfer/transfer_export.h"
#include "commands/wire.h"

enum { TABLES_MAX = 64 };

struct export_args {
    pk_slice tables[TABLES_MAX];
    struct pk_span spans[TABLES_MAX]; /* of their names */
    size_t table_count;
    const char *file;
    struct pk_span file_span;
    const struct transfer_format *format; /* NULL: by the file's name */
};

/* ---- arguments ------------------------------------------------------------------------------- */

/* TABLE[,TABLE…] FILE [format F] */
static enum pk_code parse(const struct cmd_statement *statement, struct pk_arena *arena,
                          struct export_args *args, struct pk_error *err)
{
    struct cmd_words words;
    pk_slice file;
    bool more = true;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    while (rc == PK_OK && more) {
        if (args->table_count == TABLES_MAX)
            return pk_fail_at(err, PK_E_USAGE, words.token.span, "at most %d tables", TABLES_MAX);
        args->spans[args->table_count] = words.token.span;
        rc = cmd_words_take(&words, "the table's name", &args->tables[args->table_count++], err);
        more = rc == PK_OK && cmd_token_is(&words.token, ",");
        if (more)
            rc = cmd_words_next(&words, err);
    }
    args->file_span = words.token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(&words, "a file", &file, err);
    if (rc != PK_OK)
        return rc;
    args->file = transfer_path(arena, file);
    if (cmd_words_is(&words, "format")) {
        rc = cmd_words_next(&words, err);
        if (rc == PK_OK)
            rc = transfer_args_format(&words.token, TRANSFER_WRITE, &args->format, err);
        if (rc == PK_OK)
            rc = cmd_words_next(&words, err);
    }
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* Models and templates hold several tables, files of items one. */
static enum pk_code check_tables(const struct export_args *args, struct pk_error *err)
{
    if (args->table_count == 1 || args->format == &transfer_workbench ||
        args->format == &transfer_cloudformation)
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, args->spans[1], "a file of format %s holds one table",
               args->format->name);
    pk_error_hint(err, "formats workbench and cloudformation hold several");
    return PK_E_USAGE;
}

/* ---- one table ------------------------------------------------------------------------------- */

static cJSON *table_request(pk_slice name)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", name);
    return request;
}

/* What import kept beside the table; nothing on a foreign endpoint. */
static pk_slice get_attachment(struct cmd_context *context, struct pk_arena *arena, pk_slice name)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = table_request(name);
    cJSON *answer = NULL;
    pk_slice text = {NULL, 0};

    if (context->backend->extensions &&
        cmd_call(context, "Pksk.GetAttachment", request, &answer, NULL, &ignored) == PK_OK)
        text = pk_arena_dup(arena, cmd_wire_text(answer, "Attachment"));
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
    return text;
}

/* The time of the store, else of this machine. */
static int64_t now_ms(struct cmd_context *context)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    int64_t now = pk_clock_real_ms();

    if (context->backend->extensions &&
        cmd_call(context, "Pksk.Clock", request, &answer, NULL, &ignored) == PK_OK)
        (void)cmd_parse_count(cmd_wire_text(answer, "Now"), INT64_MAX, &now);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
    return now;
}

static enum pk_code export_table(struct transfer_export *export, const struct export_args *args,
                                 struct pk_error *err)
{
    struct cmd_schema *schema;
    cJSON *request = table_request(args->tables[export->index]);
    cJSON *answer = NULL;
    enum pk_code rc = cmd_call(export->context, "DescribeTable", request, &answer, NULL, err);

    cJSON_Delete(request);
    if (rc != PK_OK) {
        err->span = args->spans[export->index];
        return rc;
    }
    schema = cmd_schema_read(cJSON_GetObjectItemCaseSensitive(answer, "Table"));
    cJSON_Delete(answer);
    export->name = args->tables[export->index];
    export->table = cmd_schema_table(schema);
    export->attachment = get_attachment(export->context, &export->arena, export->name);
    transfer_export_rewind(export);
    rc = args->format->write(export, err);
    cmd_schema_free(schema);
    return rc;
}

static void report(struct cmd_result *result, const struct transfer_export *export,
                   const struct export_args *args)
{
    struct pk_arena *arena = &result->arena;

    if (args->format != &transfer_cloudformation)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s: %.*s item%s, %.*s, format %s", args->file,
                        PK_FMT(cmd_format_count(arena, export->total_written)),
                        export->total_written == 1 ? "" : "s",
                        PK_FMT(cmd_format_bytes(arena, export->total_bytes)), args->format->name);
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "%s: %zu table definition%s", args->file,
                        args->table_count, args->table_count == 1 ? "" : "s");
    for (size_t i = 0; i < export->notes.count && i < TRANSFER_LINES_MAX; i++)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%.*s", PK_FMT(export->notes.text[i]));
    for (size_t i = 0; i < export->hints.count && i < TRANSFER_LINES_MAX; i++)
        cmd_result_text(result, CMD_BLOCK_HINT, "%.*s", PK_FMT(export->hints.text[i]));
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum pk_code export_tables(struct transfer_export *export, const struct export_args *args,
                                  struct pk_error *err)
{
    enum pk_code rc = transfer_output_open(export, args->file, err);

    export->count = args->table_count;
    for (export->index = 0; export->index < export->count && rc == PK_OK; export->index++) {
        rc = export_table(export, args, err);
        export->total_written += export->written;
        export->total_bytes += export->bytes;
    }
    return rc == PK_OK ? transfer_output_finish(export, err) : rc;
}

static enum pk_code export_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct transfer_export export = {.context = context};
    struct export_args args = {.table_count = 0};
    enum pk_code rc = parse(statement, &result->arena, &args, err);

    if (rc != PK_OK)
        return rc;
    if (args.format == NULL)
        args.format = transfer_format_for_file(pk_slice_cstr(args.file));
    rc = check_tables(&args, err);
    if (rc != PK_OK)
        return rc;
    export.now_ms = now_ms(context);
    export.as_json = transfer_has_word("json", transfer_extension(pk_slice_cstr(args.file)));
    rc = export_tables(&export, &args, err);
    if (rc != PK_OK && err->span.len == 0)
        err->span = args.file_span;
    if (rc == PK_OK)
        report(result, &export, &args);
    transfer_export_release(&export);
    return rc;
}

const struct cmd_entry cmd_export_entry = {
    .name = "export",
    .group = CMD_GROUP_WORLD,
    .usage = "TABLE[,TABLE…] FILE [format F]",
    .summary = "write a table into a file",
    .detail = "Formats: dynamodb (the default), jsonl, csv, workbench, cloudformation; by the "
              "file's name when not given.\n"
              "A name that ends in .gz is compressed. Several tables fit into a model or a "
              "template.",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = export_run,
};
