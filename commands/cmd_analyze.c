/*
 * analyze: runs a statement and puts what explain predicted beside what it took.
 *
 * What it took is counted between the command and its backend, so that every command is measured by
 * the same means, and none has to know.
 */
#include "commands/entries.h"
#include "commands/explain/explain_plan.h"
#include "commands/language/lex.h"
#include "commands/send.h"
#include "commands/wire.h"

/* A backend that counts what goes through it. */
struct meter {
    struct cmd_backend base;
    struct cmd_backend *inner;
    struct cmd_usage usage;
};

static bool is_measured(pk_slice operation)
{
    return !pk_slice_starts(operation, PK_LIT("Pksk.")) &&
           !pk_slice_starts(operation, PK_LIT("Describe")) &&
           !pk_slice_starts(operation, PK_LIT("List"));
}

static void meter_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                       const atomic_bool *cancel, struct cmd_response *response)
{
    struct meter *meter = (struct meter *)(void *)backend;
    cJSON *answer;

    meter->inner->ops->call(meter->inner, operation, request, cancel, response);
    if (!is_measured(operation) || response->http != 200)
        return;
    answer = cmd_wire_parse(pk_buf_slice(&response->body));
    cmd_usage_add(&meter->usage, answer, response);
    cJSON_Delete(answer);
}

/* The meter lives in its caller's frame. */
static void meter_free(struct cmd_backend *backend)
{
    (void)backend;
}

static const struct cmd_backend_ops meter_ops = {.call = meter_call, .free = meter_free};

static enum pk_code run_measured(struct cmd_context *context, pk_slice text,
                                 struct cmd_result *result, struct cmd_usage *usage,
                                 struct pk_error *err)
{
    struct meter meter = {
        .base = {.ops = &meter_ops,
                 .endpoint = context->backend->endpoint,
                 .costs_money = context->backend->costs_money,
                 .extensions = context->backend->extensions},
        .inner = context->backend,
    };
    enum pk_code rc;

    context->backend = &meter.base;
    rc = cmd_execute(context, text, result, err);
    context->backend = meter.inner;
    *usage = meter.usage;
    return rc;
}

/* ---- the comparison -------------------------------------------------------------------------- */

struct comparison {
    struct cmd_result *result;
    struct cmd_grid *grid;
    const struct explain_figures *predicted;
};

static void add_row(struct comparison *comparison, const char *label, pk_slice predicted,
                    pk_slice actual)
{
    const pk_slice cells[] = {pk_slice_cstr(label), predicted, actual};

    cmd_grid_row(comparison->result, comparison->grid, cells);
}

/* "at most 4", "about 29 B"; empty when nothing was predicted. */
static pk_slice guarded(const struct comparison *comparison, bool at_most, bool about,
                        pk_slice text)
{
    if (!comparison->predicted->known)
        return (pk_slice){NULL, 0};
    return pk_arena_printf(&comparison->result->arena, "%s%s%.*s", at_most ? "at most " : "",
                           about ? "about " : "", PK_FMT(text));
}

static pk_slice units_text(struct pk_arena *arena, int64_t low, int64_t high, const char *unit)
{
    pk_slice from = cmd_format_units(arena, low);
    pk_slice to = cmd_format_units(arena, high);

    if (low == high)
        return pk_arena_printf(arena, "%.*s %s", PK_FMT(to), unit);
    return pk_arena_printf(arena, "%.*s to %.*s %s", PK_FMT(from), PK_FMT(to), unit);
}

static void add_inside(struct comparison *comparison, const struct cmd_usage *usage, bool read)
{
    const struct explain_figures *predicted = comparison->predicted;
    struct pk_arena *arena = &comparison->result->arena;
    bool at_most = predicted->at_most;

    if (read)
        add_row(comparison, "items read",
                guarded(comparison, at_most, false, cmd_format_count(arena, predicted->items)),
                cmd_format_count(arena, usage->facts.items_read));
    add_row(comparison, read ? "bytes read" : "bytes",
            guarded(comparison, at_most && !predicted->about, predicted->about,
                    cmd_format_whole_bytes(arena, predicted->bytes)),
            cmd_format_whole_bytes(arena, usage->facts.bytes));
    if (predicted->partitions > 0)
        add_row(comparison, "partitions",
                guarded(comparison, false, false, cmd_format_count(arena, predicted->partitions)),
                cmd_format_count(arena, usage->facts.partitions_touched));
}

static void compare(struct cmd_result *result, const struct explain_figures *predicted, bool read,
                    const struct cmd_usage *usage)
{
    static const char *const columns[] = {"", "predicted", "actual"};
    static const enum cmd_align aligns[] = {CMD_LEFT, CMD_RIGHT, CMD_RIGHT};
    struct comparison comparison = {.result = result, .predicted = predicted};
    struct pk_arena *arena = &result->arena;
    const char *unit = read ? "RCU" : "WCU";

    comparison.grid = cmd_result_grid(result, columns, aligns, 3);
    if (usage->has_facts)
        add_inside(&comparison, usage, read);
    add_row(&comparison, "requests",
            guarded(&comparison, false, false, cmd_format_count(arena, predicted->requests)),
            cmd_format_count(arena, usage->requests));
    add_row(&comparison, "units",
            guarded(&comparison, false, false,
                    units_text(arena, predicted->low, predicted->high, unit)),
            usage->has_units ? units_text(arena, usage->milli, usage->milli, unit)
                             : (pk_slice){NULL, 0});
}

static enum pk_code analyze_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    size_t start = cmd_skip_blanks(statement->text, statement->args);
    pk_slice text = pk_slice_skip(statement->text, start);
    struct explain_figures predicted = {.known = false};
    struct cmd_usage usage = {0};
    struct explain_plan plan;
    bool read = false;
    enum pk_code rc = explain_plan_open(context, text, &result->arena, &plan, err);

    if (rc == PK_OK) {
        explain_plan_predict(context, &plan);
        predicted = plan.figures;
        if (plan.is_partiql) /* one ExecuteStatement a page, whatever it does inside */
            predicted.requests = predicted.requests / plan.requests;
        read = plan.read;
    }
    explain_plan_release(&plan);
    if (rc == PK_OK)
        rc = run_measured(context, text, result, &usage, err);
    if (rc != PK_OK && (err->span.len > 0 || err->span.start > 0))
        err->span.start += (uint32_t)start;
    if (rc == PK_OK && usage.requests > 0)
        compare(result, &predicted, read, &usage);
    return rc;
}

const struct cmd_entry cmd_analyze_entry = {
    .name = "analyze",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "STATEMENT",
    .summary = "run a statement and compare its cost with what explain predicted",
    .detail = "The statement is run: a put writes, and an endpoint counts its units.",
    .flags = CMD_WRAPS | CMD_NO_TXN,
    .complete = explain_complete,
    .run = analyze_run,
};
