#include "commands/cost_month.h"

#include "commands/ranges.h"

#define TIMES " \xC3\x97 "

enum {
    MILLI = 1000,
    HOUR = 3600,
    TARGET = 70 /* percent of what is provisioned that auto scaling aims at */
};

struct month {
    struct cmd_result *result;
    struct pk_arena *arena; /* the result's */
    const struct pricing *pricing;
    const struct cmd_cost_load *load;
    struct cmd_grid *grid;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static int64_t month_seconds(const struct month *month)
{
    int64_t seconds;

    return __builtin_mul_overflow(month->pricing->values[PRICE_HOURS], HOUR, &seconds) ? INT64_MAX
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
        [AMOUNT] = nano < 0 ? (pk_slice){NULL, 0} : pricing_text(month->arena, nano),
    };

    cmd_grid_row(month->result, month->grid, cells);
}

static const char *of_indexes(const struct month *month)
{
    size_t indexes = month->load->count - 1;

    return indexes == 0 ? ""
                        : pk_arena_printf(month->arena, ", %zu gsi%s among them", indexes,
                                          indexes == 1 ? "" : "s")
                              .data;
}

static void add_load(const struct month *month)
{
    struct pk_arena *arena = month->arena;

    add_row(month, "load", "reads",
            pk_arena_printf(arena, "%.*s RCU/s, mean of %zu s%s",
                            PK_FMT(cmd_rate_text(arena, cmd_cost_load_all(month->load, false))),
                            month->load->seconds, of_indexes(month)),
            -1);
    add_row(month, "", "writes",
            pk_arena_printf(arena, "%.*s WCU/s",
                            PK_FMT(cmd_rate_text(arena, cmd_cost_load_all(month->load, true)))),
            -1);
}

/* "120 /s × 2,628,000 s × $0.625 a million" */
static int64_t add_on_demand(const struct month *month, bool write)
{
    struct pk_arena *arena = month->arena;
    const struct pricing *pricing = month->pricing;
    int64_t load = cmd_cost_load_all(month->load, write);
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
    struct pk_arena *arena = month->arena;
    const struct pricing *pricing = month->pricing;
    int64_t hours = pricing->values[PRICE_HOURS];
    int64_t units = 0, nano;

    for (size_t i = 0; i < month->load->count; i++)
        units = pricing_sum(
            units, provided(write ? month->load->sides[i].write : month->load->sides[i].read));
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
    struct pk_arena *arena = month->arena;
    const struct pricing *pricing = month->pricing;
    int64_t nano = pricing_storage(pricing, month->load->stored);

    add_row(month, "storage", "",
            pk_arena_printf(arena, "%.*s, %lld GB free, then %.*s a GB",
                            PK_FMT(cmd_format_bytes(arena, (uint64_t)month->load->stored)),
                            (long long)pricing->values[PRICE_STORAGE_FREE],
                            PK_FMT(pricing_price_text(arena, pricing->values[PRICE_STORAGE]))),
            nano);
    return nano;
}

/* A reader of one's own that asks each shard once a second; Lambda's calls are free. */
static void add_stream(const struct month *month)
{
    struct pk_arena *arena = month->arena;
    int64_t calls = times(month->load->partitions, month_seconds(month));

    if (month->load->table->stream == PK_STREAM_OFF || month->load->partitions == 0)
        return;
    add_row(month, "stream", "",
            pk_arena_printf(arena,
                            "Lambda reads it free; another reader, %u shard%s" TIMES
                            "1 call/s, adds %.*s",
                            month->load->partitions, month->load->partitions == 1 ? "" : "s",
                            PK_FMT(pricing_text(arena, pricing_streams(month->pricing, calls)))),
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
    struct pk_arena *arena = month->arena;
    const struct pricing *pricing = month->pricing;
    const char *cheaper = on_demand == provisioned  ? "the same"
                          : on_demand < provisioned ? "on demand is cheaper"
                                                    : "provisioned is cheaper";

    cmd_result_text(
        month->result, CMD_BLOCK_FOOTER, "a month: %.*s on demand, %.*s provisioned; %s",
        PK_FMT(pricing_text(arena, on_demand)), PK_FMT(pricing_text(arena, provisioned)), cheaper);
    cmd_result_text(month->result, CMD_BLOCK_FOOTER,
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
    struct pk_arena *arena = month->arena;
    const struct pricing *pricing = month->pricing;
    const struct pk_table *table = month->load->table;
    int64_t read = table->throughput.read, write = table->throughput.write;
    int64_t hours = pricing->values[PRICE_HOURS];

    if (table->billing == PK_ON_DEMAND) {
        cmd_result_text(month->result, CMD_BLOCK_FOOTER, "%.*s is on demand", PK_FMT(table->name));
        return;
    }
    for (size_t i = table->local_count; i < table->index_count; i++) {
        read = pricing_sum(read, table->indexes[i].throughput.read);
        write = pricing_sum(write, table->indexes[i].throughput.write);
    }
    cmd_result_text(
        month->result, CMD_BLOCK_FOOTER,
        "%.*s has %.*s RCU and %.*s WCU%s: %.*s a month\n"
        "in use are %lld%% of reads, %lld%% of writes",
        PK_FMT(table->name), PK_FMT(cmd_format_count(arena, (uint64_t)read)),
        PK_FMT(cmd_format_count(arena, (uint64_t)write)),
        table->index_count > table->local_count ? " with its gsis" : "",
        PK_FMT(pricing_text(arena, pricing_sum(pricing_read_capacity(pricing, read, hours),
                                               pricing_write_capacity(pricing, write, hours)))),
        (long long)use_of(cmd_cost_load_all(month->load, false), read),
        (long long)use_of(cmd_cost_load_all(month->load, true), write));
}

void cmd_cost_month_show(struct cmd_result *result, const struct pricing *pricing,
                         const struct cmd_cost_load *load)
{
    static const char *const columns[CELLS] = {"part", "what", "how", "USD a month"};
    static const enum cmd_align aligns[CELLS] = {CMD_LEFT, CMD_LEFT, CMD_LEFT, CMD_RIGHT};
    struct month month = {
        .result = result, .arena = &result->arena, .pricing = pricing, .load = load};
    int64_t on_demand = 0, provisioned = 0, storage;

    month.grid = cmd_result_grid(result, columns, aligns, CELLS);
    for (size_t i = 0; i < HOW + 1; i++)
        cmd_grid_heading(result, month.grid, i, "");
    if (load->seconds > 0) {
        add_load(&month);
        on_demand = add_on_demand(&month, false);
        on_demand = pricing_sum(on_demand, add_on_demand(&month, true));
        provisioned = add_provisioned(&month, false);
        provisioned = pricing_sum(provisioned, add_provisioned(&month, true));
    }
    storage = add_storage(&month);
    add_stream(&month);
    if (load->seconds > 0)
        add_verdict(&month, pricing_sum(on_demand, storage), pricing_sum(provisioned, storage));
    else
        cmd_result_text(result, CMD_BLOCK_FOOTER,
                        "no load in the last %d s: read or write, or traffic start, and ask again",
                        CMD_COST_SECONDS);
    add_configured(&month);
}
