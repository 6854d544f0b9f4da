/*
 * cost: what the session has consumed, in dollars; cost per month: what the current table's load
 * would cost if it went on, on demand beside provisioned, with the arithmetic (pricing.md §2).
 *
 * The load is the mean of what the table and its GSIs consumed in the last minutes of simulated
 * time, from the first second in which anything happened.
 */
#include <errno.h>
#include <stdio.h>

#include "commands/args.h"
#include "commands/entries.h"
#include "commands/heat.h"
#include "commands/ranges.h"
#include "commands/schema.h"
#include "commands/settings.h"
#include "commands/spent.h"
#include "commands/wire.h"
#include "engine/base/clock.h"

#define DOT   " \xC2\xB7 "
#define TIMES " \xC3\x97 "

enum {
    MILLI = 1000,
    SECONDS = 300,
    HOUR = 3600,
    TARGET = 70,        /* percent of what is provisioned that auto scaling aims at */
    ITEM_OVERHEAD = 100 /* bytes of storage that are billed beside an item's own */
};

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

struct sheet {
    struct cmd_result *result;
    struct pk_arena *arena; /* the result's */
    const struct pricing *pricing;
    struct cmd_grid *grid;
};

static void add_prices_note(const struct sheet *sheet)
{
    cmd_result_text(sheet->result, CMD_BLOCK_FOOTER,
                    "prices of %s, %s, in USD without taxes%s; set price.\xE2\x80\xA6 changes them",
                    sheet->pricing->region, sheet->pricing->date,
                    sheet->pricing->free_tier ? ", free tier on" : "");
}

/* ---- the session ----------------------------------------------------------------------------- */

static void show_session(const struct sheet *sheet, const struct cmd_spent *spent)
{
    enum { CELLS = 5 };
    static const char *const columns[CELLS] = {"table", "operation", "RCU", "WCU", "USD"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT, CMD_LEFT, CMD_RIGHT, CMD_RIGHT,
                                                 CMD_RIGHT};
    struct cmd_grid *grid = cmd_result_grid(sheet->result, columns, aligns, CELLS);
    int64_t total = 0;

    for (size_t i = 0; i < spent->count; i++) {
        const struct cmd_spent_row *row = &spent->rows[i];
        int64_t nano = pricing_sum(pricing_read_units(sheet->pricing, row->read_milli),
                                   pricing_write_units(sheet->pricing, row->write_milli));
        pk_slice cells[CELLS] = {pk_arena_dup(sheet->arena, pk_slice_cstr(row->table)),
                                 pk_arena_dup(sheet->arena, pk_slice_cstr(row->operation)),
                                 cmd_format_units(sheet->arena, row->read_milli),
                                 cmd_format_units(sheet->arena, row->write_milli),
                                 pricing_price_text(sheet->arena, nano)};

        cmd_grid_row(sheet->result, grid, cells);
        total = pricing_sum(total, nano);
    }
    cmd_result_text(sheet->result, CMD_BLOCK_FOOTER,
                    "%.*s for this session on demand; cost per month says what the load would cost",
                    PK_FMT(pricing_price_text(sheet->arena, total)));
}

/* ---- the load -------------------------------------------------------------------------------- */

/* Of the table or of one GSI, thousandths of units. */
struct load {
    int64_t read_sum, write_sum;
    int64_t read, write; /* a second, in the mean */
};

struct month {
    struct sheet sheet;
    const struct pk_table *table;
    struct load *loads; /* the table's, then those of the GSIs */
    size_t count;
    size_t seconds; /* how long it was looked at; 0: nothing happened, or it is not known */
    uint32_t partitions;
    int64_t stored; /* bytes, with what is billed beside them */
};

static void add_second(struct load *load, const struct cmd_heat *heat, size_t partition,
                       size_t second)
{
    struct cmd_heat_cell cell = cmd_heat_cell(heat, partition, second);

    if (!cmd_heat_counts(heat, partition, second))
        return;
    load->read_sum = pricing_sum(load->read_sum, cell.read_milli);
    load->write_sum = pricing_sum(load->write_sum, cell.write_milli);
}

static enum pk_code look_at(struct cmd_context *context, struct month *month, size_t i,
                            struct pk_error *err)
{
    struct cmd_snapshot_request request = {
        .table = month->table->name, .history = SECONDS, .limit = 10000};
    struct cmd_snapshot snapshot;
    struct cmd_heat heat;
    size_t known;
    enum pk_code rc;

    if (i > 0)
        request.index = month->table->indexes[month->table->local_count + i - 1].name;
    rc = cmd_snapshot_take_all(context, month->sheet.arena, &request, &snapshot, err);
    if (rc != PK_OK)
        return rc;
    heat = cmd_heat_of(&snapshot);
    known = cmd_heat_known(&heat);
    for (size_t p = 0; p < snapshot.count; p++) {
        for (size_t s = known; s < heat.seconds; s++)
            add_second(&month->loads[i], &heat, p, s);
    }
    if (heat.seconds - known > month->seconds)
        month->seconds = heat.seconds - known;
    if (i == 0)
        month->partitions = snapshot.partition_count;
    return PK_OK;
}

static enum pk_code look_at_all(struct cmd_context *context, struct month *month,
                                struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    month->count = 1 + month->table->index_count - month->table->local_count;
    month->loads = PK_NEW_ARRAY(month->sheet.arena, struct load, month->count);
    for (size_t i = 0; i < month->count && rc == PK_OK; i++)
        rc = look_at(context, month, i, err);
    for (size_t i = 0; i < month->count && month->seconds > 0; i++) {
        month->loads[i].read = month->loads[i].read_sum / (int64_t)month->seconds;
        month->loads[i].write = month->loads[i].write_sum / (int64_t)month->seconds;
    }
    return rc;
}

/* Where our own operations are not: what the session consumed of the table. */
static void take_session(const struct cmd_context *context, struct month *month)
{
    const struct cmd_spent *spent = context->spent;
    struct load *load = PK_NEW(month->sheet.arena, struct load);

    month->loads = load;
    month->count = 1;
    for (size_t i = 0; spent != NULL && i < spent->count; i++) {
        if (!pk_slice_is(month->table->name, spent->rows[i].table))
            continue;
        load->read_sum = pricing_sum(load->read_sum, spent->rows[i].read_milli);
        load->write_sum = pricing_sum(load->write_sum, spent->rows[i].write_milli);
    }
    if (load->read_sum + load->write_sum == 0)
        return;
    month->seconds = (size_t)((pk_clock_real_us() / MILLI - spent->since_ms) / MILLI) + 1;
    load->read = load->read_sum / (int64_t)month->seconds;
    load->write = load->write_sum / (int64_t)month->seconds;
}

static int64_t bytes_of(const cJSON *node, const char *bytes)
{
    int64_t own = cmd_wire_int(node, bytes, 0);
    int64_t items = cmd_wire_int(node, "ItemCount", 0);

    return own < 0 || items < 0 ? 0 : pricing_sum(own, items * ITEM_OVERHEAD);
}

/* Table and indexes, as DescribeTable counts them. */
static enum pk_code count_storage(struct cmd_context *context, struct month *month,
                                  struct pk_error *err)
{
    static const char *const kinds[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"};
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *table, *node;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", month->table->name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    table = cJSON_GetObjectItemCaseSensitive(answer, "Table");
    month->stored = bytes_of(table, "TableSizeBytes");
    for (size_t i = 0; i < 2; i++) {
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(table, kinds[i])) month->stored =
            pricing_sum(month->stored, bytes_of(node, "IndexSizeBytes"));
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

/* ---- the month ------------------------------------------------------------------------------- */

static int64_t month_seconds(const struct month *month)
{
    int64_t seconds;

    return __builtin_mul_overflow(month->sheet.pricing->values[PRICE_HOURS], HOUR, &seconds)
               ? INT64_MAX
               : seconds;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

enum { PART, WHAT, HOW, AMOUNT, CELLS };

static void add_row(const struct month *month, const char *part, const char *what, pk_slice how,
                    int64_t nano)
{
    pk_slice cells[CELLS] = {
        [PART] = part[0] == '\0' ? (pk_slice){NULL, 0} : pk_slice_cstr(part),
        [WHAT] = pk_slice_cstr(what),
        [HOW] = how,
        [AMOUNT] = nano < 0 ? (pk_slice){NULL, 0} : pricing_text(month->sheet.arena, nano),
    };

    cmd_grid_row(month->sheet.result, month->sheet.grid, cells);
}

static int64_t total_load(const struct month *month, bool write)
{
    int64_t sum = 0;

    for (size_t i = 0; i < month->count; i++)
        sum = pricing_sum(sum, write ? month->loads[i].write : month->loads[i].read);
    return sum;
}

static const char *of_indexes(const struct month *month)
{
    size_t indexes = month->count - 1;

    return indexes == 0 ? ""
                        : pk_arena_printf(month->sheet.arena, ", %zu gsi%s among them", indexes,
                                          indexes == 1 ? "" : "s")
                              .data;
}

static void add_load(const struct month *month)
{
    struct pk_arena *arena = month->sheet.arena;

    add_row(month, "load", "reads",
            pk_arena_printf(arena, "%.*s RCU/s, mean of %zu s%s",
                            PK_FMT(cmd_rate_text(arena, total_load(month, false))), month->seconds,
                            of_indexes(month)),
            -1);
    add_row(
        month, "", "writes",
        pk_arena_printf(arena, "%.*s WCU/s", PK_FMT(cmd_rate_text(arena, total_load(month, true)))),
        -1);
}

/* "120 /s × 2,628,000 s × $0.625 a million" */
static int64_t add_on_demand(const struct month *month, bool write)
{
    struct pk_arena *arena = month->sheet.arena;
    const struct pricing *pricing = month->sheet.pricing;
    int64_t load = total_load(month, write);
    int64_t milli = times(load, month_seconds(month));
    int64_t nano = write ? pricing_write_units(pricing, milli) : pricing_read_units(pricing, milli);

    add_row(month, write ? "" : "on demand", write ? "writes" : "reads",
            pk_arena_printf(
                arena, "%.*s/s" TIMES "%.*s s" TIMES "%.*s a million",
                PK_FMT(cmd_rate_text(arena, load)),
                PK_FMT(cmd_format_count(arena, (uint64_t)month_seconds(month))),
                PK_FMT(pricing_price_text(arena, pricing->values[write ? PRICE_WRU : PRICE_RRU]))),
            nano);
    return nano;
}

/* What auto scaling would provide for the load: at least one unit. */
static int64_t provided(int64_t milli)
{
    int64_t units = milli > INT64_MAX / 100 ? milli / (MILLI * TARGET) * 100
                                            : (milli * 100 + MILLI * TARGET - 1) / (MILLI * TARGET);

    return units < 1 ? 1 : units;
}

static int64_t add_provisioned(const struct month *month, bool write)
{
    struct pk_arena *arena = month->sheet.arena;
    const struct pricing *pricing = month->sheet.pricing;
    int64_t hours = pricing->values[PRICE_HOURS];
    int64_t units = 0, nano;

    for (size_t i = 0; i < month->count; i++)
        units = pricing_sum(units, provided(write ? month->loads[i].write : month->loads[i].read));
    nano = write ? pricing_write_capacity(pricing, units, hours)
                 : pricing_read_capacity(pricing, units, hours);
    add_row(month, write ? "" : "provisioned", write ? "writes" : "reads",
            pk_arena_printf(
                arena, "%.*s %s (load / %d%%)" TIMES "%lld h" TIMES "%.*s",
                PK_FMT(cmd_format_count(arena, (uint64_t)units)), write ? "WCU" : "RCU", TARGET,
                (long long)hours,
                PK_FMT(pricing_price_text(arena, pricing->values[write ? PRICE_WCU : PRICE_RCU]))),
            nano);
    return nano;
}

static int64_t add_storage(const struct month *month)
{
    struct pk_arena *arena = month->sheet.arena;
    const struct pricing *pricing = month->sheet.pricing;
    int64_t nano = pricing_storage(pricing, month->stored);

    add_row(month, "storage", "",
            pk_arena_printf(arena, "%.*s, %lld GB free, then %.*s a GB",
                            PK_FMT(cmd_format_bytes(arena, (uint64_t)month->stored)),
                            (long long)pricing->values[PRICE_STORAGE_FREE],
                            PK_FMT(pricing_price_text(arena, pricing->values[PRICE_STORAGE]))),
            nano);
    return nano;
}

/* A reader of one's own that asks each shard once a second; Lambda's calls are free. */
static void add_stream(const struct month *month)
{
    struct pk_arena *arena = month->sheet.arena;
    int64_t calls = times(month->partitions, month_seconds(month));

    if (month->table->stream == PK_STREAM_OFF || month->partitions == 0)
        return;
    add_row(month, "stream", "",
            pk_arena_printf(
                arena,
                "Lambda reads it free; another reader, %u shard%s" TIMES "1 call/s, adds %.*s",
                month->partitions, month->partitions == 1 ? "" : "s",
                PK_FMT(pricing_text(arena, pricing_streams(month->sheet.pricing, calls)))),
            -1);
}

/* ---- what follows from it -------------------------------------------------------------------- */

static pk_slice percent(struct pk_arena *arena, int64_t thousandths)
{
    if (thousandths < 0)
        return PK_LIT("no");
    return pk_arena_printf(arena, "%lld.%lld%%", (long long)(thousandths / 10),
                           (long long)(thousandths % 10));
}

static void add_verdict(const struct month *month, int64_t on_demand, int64_t provisioned)
{
    struct pk_arena *arena = month->sheet.arena;
    const struct pricing *pricing = month->sheet.pricing;
    const char *cheaper = on_demand == provisioned  ? "the same"
                          : on_demand < provisioned ? "on demand is cheaper"
                                                    : "provisioned is cheaper";

    cmd_result_text(
        month->sheet.result, CMD_BLOCK_FOOTER, "a month: %.*s on demand, %.*s provisioned; %s",
        PK_FMT(pricing_text(arena, on_demand)), PK_FMT(pricing_text(arena, provisioned)), cheaper);
    cmd_result_text(month->sheet.result, CMD_BLOCK_FOOTER,
                    "break-even: a provisioned unit pays off from %.*s use (writes), %.*s (reads)",
                    PK_FMT(percent(arena, pricing_break_even_writes(pricing))),
                    PK_FMT(percent(arena, pricing_break_even_reads(pricing))));
}

/* Units of use, of those that are there, in percent. */
static int64_t use_of(int64_t milli, int64_t units)
{
    return units == 0 ? 0 : milli > INT64_MAX / 100 ? 0 : milli / 10 / units;
}

/* What it costs as it is set up. */
static void add_configured(const struct month *month)
{
    struct pk_arena *arena = month->sheet.arena;
    const struct pricing *pricing = month->sheet.pricing;
    const struct pk_table *table = month->table;
    int64_t read = table->throughput.read, write = table->throughput.write;
    int64_t hours = pricing->values[PRICE_HOURS];

    if (table->billing == PK_ON_DEMAND) {
        cmd_result_text(month->sheet.result, CMD_BLOCK_FOOTER, "%.*s is on demand",
                        PK_FMT(table->name));
        return;
    }
    for (size_t i = table->local_count; i < table->index_count; i++) {
        read = pricing_sum(read, table->indexes[i].throughput.read);
        write = pricing_sum(write, table->indexes[i].throughput.write);
    }
    cmd_result_text(
        month->sheet.result, CMD_BLOCK_FOOTER,
        "%.*s has %.*s RCU and %.*s WCU%s: %.*s a month\n"
        "in use are %lld%% of reads, %lld%% of writes",
        PK_FMT(table->name), PK_FMT(cmd_format_count(arena, (uint64_t)read)),
        PK_FMT(cmd_format_count(arena, (uint64_t)write)),
        table->index_count > table->local_count ? " with its gsis" : "",
        PK_FMT(pricing_text(arena, pricing_sum(pricing_read_capacity(pricing, read, hours),
                                               pricing_write_capacity(pricing, write, hours)))),
        (long long)use_of(total_load(month, false), read),
        (long long)use_of(total_load(month, true), write));
}

static void show_month(struct month *month)
{
    static const char *const columns[CELLS] = {"part", "what", "how", "USD a month"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT, CMD_LEFT, CMD_LEFT, CMD_RIGHT};
    struct sheet *sheet = &month->sheet;
    int64_t on_demand = 0, provisioned = 0, storage;

    sheet->grid = cmd_result_grid(sheet->result, columns, aligns, CELLS);
    for (size_t i = 0; i < HOW + 1; i++)
        cmd_grid_heading(sheet->result, sheet->grid, i, "");
    if (month->seconds > 0) {
        add_load(month);
        on_demand = add_on_demand(month, false);
        on_demand = pricing_sum(on_demand, add_on_demand(month, true));
        provisioned = add_provisioned(month, false);
        provisioned = pricing_sum(provisioned, add_provisioned(month, true));
    }
    storage = add_storage(month);
    add_stream(month);
    if (month->seconds > 0)
        add_verdict(month, pricing_sum(on_demand, storage), pricing_sum(provisioned, storage));
    else
        cmd_result_text(sheet->result, CMD_BLOCK_FOOTER,
                        "no load in the last %d s: read or write, or traffic start, and ask again",
                        SECONDS);
    add_configured(month);
    add_prices_note(sheet);
}

static enum pk_code per_month(struct cmd_context *context, struct cmd_words *words,
                              const struct sheet *sheet, struct pk_error *err)
{
    struct month month = {.sheet = *sheet};
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
        rc = cmd_schema_get(context, name, &month.table, err);
    if (rc == PK_OK)
        rc = count_storage(context, &month, err);
    if (rc == PK_OK && context->backend->extensions)
        rc = look_at_all(context, &month, err);
    else if (rc == PK_OK)
        take_session(context, &month);
    if (rc == PK_OK)
        show_month(&month);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum pk_code cost_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    struct sheet sheet = {
        .result = result, .arena = &result->arena, .pricing = &context->settings->pricing};
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    if (cmd_words_is(&words, "per"))
        return per_month(context, &words, &sheet, err);
    if (cmd_words_is(&words, "prices"))
        return read_prices(context, &words, result, err);
    if (!cmd_words_at_end(&words))
        return pk_fail_at(err, PK_E_USAGE, words.token.span,
                          "expected 'per month', 'prices FILE' or nothing");
    if (context->spent == NULL) {
        cmd_result_text(result, CMD_BLOCK_NOTE, "nothing has been consumed in this session");
        return PK_OK;
    }
    show_session(&sheet, context->spent);
    add_prices_note(&sheet);
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
