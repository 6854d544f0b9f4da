/*
 * cost: what the session has consumed, in dollars; cost per month: what the current table's load
 * would cost if it went on (cost_load.h, cost_month.h); cost prices: other prices.
 */
#include <errno.h>
#include <stdio.h>

#include "commands/args.h"
#include "commands/cost_month.h"
#include "commands/entries.h"
#include "commands/ranges.h"
#include "commands/schema.h"
#include "commands/settings.h"
#include "commands/spent.h"

/* ---- files of prices ------------------------------------------------------------------------- */

enum { FILE_BYTES_MAX = 65536 };

static enum pk_code read_file(const char *path, struct pk_buf *text, struct pk_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t got = 0;

    if (file == NULL)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    do {
        text->len += got;
        got = fread(pk_buf_reserve(text, 4096), 1, 4096, file);
    } while (got > 0 && text->len <= FILE_BYTES_MAX);
    if (ferror(file))
        pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    else if (text->len > FILE_BYTES_MAX)
        pk_fail(err, PK_E_USAGE, "'%s' is too long for a file of prices", path);
    fclose(file);
    return err->code;
}

static enum pk_code read_prices(struct cmd_context *context, struct cmd_words *words,
                                struct cmd_result *result, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    struct pk_span span;
    pk_slice path;
    enum pk_code rc = cmd_words_next(words, err);

    span = words->token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(words, "the file of prices", &path, err);
    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc != PK_OK)
        return rc;
    rc = read_file(pk_arena_dup(&result->arena, path).data, &text, err);
    if (rc == PK_OK)
        rc = pricing_read(&context->settings->pricing, pk_buf_slice(&text), err);
    if (rc != PK_OK)
        err->span = span;
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "prices of %s, %s",
                        context->settings->pricing.region, context->settings->pricing.date);
    pk_buf_release(&text);
    return rc;
}

/* ---- what both forms show -------------------------------------------------------------------- */

static void add_prices_note(struct cmd_result *result, const struct pricing *pricing)
{
    cmd_result_text(result, CMD_BLOCK_FOOTER,
                    "prices of %s, %s, in USD without taxes%s; set price.\xE2\x80\xA6 changes them",
                    pricing->region, pricing->date, pricing->free_tier ? ", free tier on" : "");
}

/* ---- the session ----------------------------------------------------------------------------- */

static void show_session(struct cmd_result *result, const struct pricing *pricing,
                         const struct cmd_spent *spent)
{
    enum { CELLS = 5 };
    static const char *const columns[CELLS] = {"table", "operation", "RCU", "WCU", "USD"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT, CMD_LEFT, CMD_RIGHT, CMD_RIGHT,
                                                 CMD_RIGHT};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, CELLS);
    int64_t total = 0;

    for (size_t i = 0; i < spent->count; i++) {
        const struct cmd_spent_row *row = &spent->rows[i];
        int64_t nano = pricing_sum(pricing_read_units(pricing, row->read_milli),
                                   pricing_write_units(pricing, row->write_milli));
        pk_slice cells[CELLS] = {pk_arena_dup(arena, pk_slice_cstr(row->table)),
                                 pk_arena_dup(arena, pk_slice_cstr(row->operation)),
                                 cmd_format_units(arena, row->read_milli),
                                 cmd_format_units(arena, row->write_milli),
                                 pricing_price_text(arena, nano)};

        cmd_grid_row(result, grid, cells);
        total = pricing_sum(total, nano);
    }
    cmd_result_text(result, CMD_BLOCK_FOOTER,
                    "%.*s for this session on demand; cost per month says what the load would cost",
                    PK_FMT(pricing_price_text(arena, total)));
}

/* ---- a month --------------------------------------------------------------------------------- */

static enum pk_code per_month(struct cmd_context *context, struct cmd_words *words,
                              struct cmd_result *result, struct pk_error *err)
{
    const struct pricing *pricing = &context->settings->pricing;
    struct cmd_cost_load load;
    pk_slice name;
    enum pk_code rc = cmd_words_next(words, err);

    if (rc == PK_OK && !cmd_words_is(words, "month"))
        rc = pk_fail_at(err, PK_E_USAGE, words->token.span, "expected 'month' after 'per'");
    if (rc == PK_OK)
        rc = cmd_words_next(words, err);
    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc == PK_OK)
        rc = cmd_need_table(context, &name, err);
    if (rc == PK_OK)
        rc = cmd_cost_load_take(context, &result->arena, name, &load, err);
    if (rc != PK_OK)
        return rc;
    cmd_cost_month_show(result, pricing, &load);
    add_prices_note(result, pricing);
    return PK_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum pk_code cost_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    const struct pricing *pricing = &context->settings->pricing;
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    if (cmd_words_is(&words, "per"))
        return per_month(context, &words, result, err);
    if (cmd_words_is(&words, "prices"))
        return read_prices(context, &words, result, err);
    if (!cmd_words_at_end(&words))
        return pk_fail_at(err, PK_E_USAGE, words.token.span,
                          "expected 'per month', 'prices FILE' or nothing");
    if (context->spent == NULL) {
        cmd_result_text(result, CMD_BLOCK_NOTE, "nothing has been consumed in this session");
        return PK_OK;
    }
    show_session(result, pricing, context->spent);
    add_prices_note(result, pricing);
    return PK_OK;
}

static void complete_cost(struct cmd_context *context, struct cmd_completion *completion)
{
    (void)context;
    cmd_completion_add(completion, PK_LIT("per month"));
    cmd_completion_add(completion, PK_LIT("prices"));
}

const struct cmd_entry cmd_cost_entry = {
    .name = "cost",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[per month | prices FILE]",
    .summary = "what the session cost, or the table's load would a month, by list prices",
    .detail = "  cost              units of this session at on-demand prices\n"
              "  cost per month    the load of the last minutes, if it went on: on demand beside\n"
              "                    provisioned at 70 percent use, with the arithmetic\n"
              "  cost prices FILE  other prices: KEY = VALUE lines; set price.KEY changes one\n"
              "Storage counts 100 B more for each item and index entry, as AWS bills it.",
    .flags = CMD_READONLY,
    .complete = complete_cost,
    .run = cost_run,
};
