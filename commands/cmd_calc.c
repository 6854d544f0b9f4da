/* calc: capacity by hand, with every rounding shown (partitions-capacity.md §2.1). */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/sim_settings.h"

enum { MILLI = 1000, READ_BLOCK = 4096, WRITE_BLOCK = 1024, DECIMALS = 3 };
#define SIZE_MAX_BYTES (UINT64_C(1) << 40)
#define RATE_MAX       INT64_C(1000000000000)

enum factor { EVENTUAL, STRONG, TRANSACT };

static const struct {
    const char *word;
    int64_t read_milli, write_milli; /* 0: there is no such write */
} factors[] = {
    [EVENTUAL] = {"eventual", 500, 0},
    [STRONG] = {"strong", 1000, 0},
    [TRANSACT] = {"transact", 2000, 2000},
};

struct calc {
    bool write;
    uint64_t bytes;
    bool has_size;
    int64_t rate; /* requests a second; 0: not given */
    enum factor factor;
    bool has_factor;
};

/* ---- arguments ------------------------------------------------------------------------------- */

/* "1.1" to 1100; false for what is no such number. */
static bool parse_thousandths(pk_slice text, uint64_t *number)
{
    size_t decimals = 0, digits = 0;
    bool point = false;

    *number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.' && !point && i > 0) {
            point = true;
            continue;
        }
        if (text.data[i] < '0' || text.data[i] > '9' || ++digits > 15 ||
            (point && ++decimals > DECIMALS))
            return false;
        *number = *number * 10 + (uint64_t)(text.data[i] - '0');
    }
    for (size_t i = decimals; i < DECIMALS; i++)
        *number *= 10;
    return digits > 0 && text.data[text.len - 1] != '.';
}

/* "6KB", "1.1 KB", "512": whole bytes, rounded up. */
static bool parse_size(pk_slice text, uint64_t *bytes)
{
    uint64_t number, unit = 1;
    size_t end = 0;
    pk_slice rest;

    while (end < text.len &&
           (text.data[end] == '.' || (text.data[end] >= '0' && text.data[end] <= '9')))
        end++;
    rest = pk_slice_skip(text, cmd_skip_blanks(text, end));
    if (rest.len > 0) {
        struct pk_buf spelled = PK_BUF_INIT;

        pk_buf_printf(&spelled, "1%.*s", PK_FMT(rest));
        if (!cmd_parse_size(pk_buf_slice(&spelled), &unit))
            unit = 0;
        pk_buf_release(&spelled);
    }
    if (unit == 0 || !parse_thousandths(pk_slice_of(text.data, end), &number) ||
        __builtin_mul_overflow(number, unit, &number))
        return false;
    *bytes = (number + MILLI - 1) / MILLI;
    return *bytes <= SIZE_MAX_BYTES;
}

/* "80/s" or "80". */
static bool parse_rate(pk_slice text, int64_t *rate)
{
    if (text.len > 2 && memcmp(text.data + text.len - 2, "/s", 2) == 0)
        text.len -= 2;
    return cmd_parse_count(text, RATE_MAX, rate);
}

/* The value behind "name =": one word, of a size two ("6 KB"). */
static enum pk_code take_value(struct cmd_words *words, pk_slice *value, struct pk_span *span,
                               struct pk_error *err)
{
    pk_slice source = words->lexer.source;
    enum pk_code rc = cmd_words_next(words, err);

    if (rc != PK_OK)
        return rc;
    if (!cmd_token_is(&words->token, "="))
        return pk_fail_at(err, PK_E_USAGE, words->token.span, "expected '='");
    rc = cmd_words_next(words, err);
    if (rc == PK_OK && words->token.kind != CMD_TOKEN_WORD)
        rc = pk_fail_at(err, PK_E_USAGE, words->token.span, "expected a number");
    if (rc != PK_OK)
        return rc;
    *span = words->token.span;
    rc = cmd_words_next(words, err);
    if (rc == PK_OK && (cmd_words_is(words, "B") || cmd_words_is(words, "KB") ||
                        cmd_words_is(words, "MB") || cmd_words_is(words, "GB"))) {
        span->len = words->token.span.start + words->token.span.len - span->start;
        rc = cmd_words_next(words, err);
    }
    *value = pk_slice_of(source.data + span->start, span->len);
    return rc;
}

static enum pk_code take_factor(struct calc *calc, struct cmd_words *words, struct pk_error *err)
{
    struct pk_span span = words->token.span;

    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        if (!cmd_words_is(words, factors[i].word))
            continue;
        if (calc->has_factor)
            return pk_fail_at(err, PK_E_USAGE, span, "one of strong, eventual, transact");
        if (calc->write && factors[i].write_milli == 0)
            return pk_fail_at(err, PK_E_USAGE, span, "a write is neither strong nor eventual");
        calc->factor = (enum factor)i;
        calc->has_factor = true;
        return cmd_words_next(words, err);
    }
    return pk_fail_at(err, PK_E_USAGE, span, "expected size=, %s=%s",
                      calc->write ? "writes" : "reads",
                      calc->write ? " or transact" : ", strong, eventual or transact");
}

static enum pk_code take_argument(struct calc *calc, struct cmd_words *words, struct pk_error *err)
{
    bool size = cmd_words_is(words, "size");
    bool rate = cmd_words_is(words, calc->write ? "writes" : "reads");
    struct pk_span span;
    pk_slice value = {NULL, 0};
    enum pk_code rc;

    if (!size && !rate)
        return take_factor(calc, words, err);
    if (size ? calc->has_size : calc->rate > 0)
        return pk_fail_at(err, PK_E_USAGE, words->token.span, "given twice");
    rc = take_value(words, &value, &span, err);
    if (rc != PK_OK)
        return rc;
    if (size && !parse_size(value, &calc->bytes))
        return pk_fail_at(err, PK_E_USAGE, span, "expected a size: 512 B, 6KB, 1.1 KB, up to 1 TB");
    if (rate && !parse_rate(value, &calc->rate))
        return pk_fail_at(err, PK_E_USAGE, span, "expected a rate from 1/s: 80/s");
    calc->has_size = calc->has_size || size;
    return PK_OK;
}

static enum pk_code parse(const struct cmd_statement *statement, struct calc *calc,
                          struct pk_arena *arena, struct pk_error *err)
{
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    if (rc != PK_OK)
        return rc;
    calc->write = cmd_words_is(&words, "wcu");
    if (!calc->write && !cmd_words_is(&words, "rcu"))
        return pk_fail_at(err, PK_E_USAGE, words.token.span, "expected rcu or wcu");
    rc = cmd_words_next(&words, err);
    while (rc == PK_OK && !cmd_words_at_end(&words))
        rc = take_argument(calc, &words, err);
    if (rc == PK_OK && !calc->has_size) {
        rc = pk_fail_at(err, PK_E_USAGE, words.token.span, "the size of an item is missing");
        pk_error_hint(err, "calc %s size=6KB %s=80/s", calc->write ? "wcu" : "rcu",
                      calc->write ? "writes" : "reads");
    }
    return rc;
}

/* ---- the sum, step by step ------------------------------------------------------------------- */

/* 500 is "0.5", 2000 is "2". */
static pk_slice units_text(struct pk_arena *arena, int64_t milli)
{
    if (milli % MILLI == 0)
        return pk_arena_printf(arena, "%lld", (long long)(milli / MILLI));
    return pk_arena_printf(arena, "%lld.%lld", (long long)(milli / MILLI),
                           (long long)(milli % MILLI / 100));
}

static int64_t factor_of(const struct calc *calc)
{
    if (calc->write)
        return calc->has_factor ? factors[calc->factor].write_milli : MILLI;
    return factors[calc->factor].read_milli;
}

/* What one partition serves in a second: the setting, or AWS's where there is none. */
static int64_t partition_limit(struct cmd_context *context, const struct calc *calc,
                               struct pk_arena *arena)
{
    int64_t limit = calc->write ? 1000 : 3000;
    struct cmd_sim_walk walk;

    cmd_sim_begin(context, &walk);
    while (cmd_sim_peek(&walk) != NULL) {
        pk_slice cells[5];

        cmd_sim_next(&walk, arena, cells);
        if (pk_slice_is(cells[0], calc->write ? "partition.wcu" : "partition.rcu"))
            (void)cmd_parse_count(cells[1], RATE_MAX, &limit);
    }
    cmd_sim_end(&walk);
    return limit;
}

struct sheet {
    struct cmd_result *result;
    struct cmd_grid *grid;
    const char *unit, *name; /* "RCU", "read" */
};

static void add_row(struct sheet *sheet, pk_slice what, pk_slice value, pk_slice why)
{
    pk_slice cells[3] = {what, value, why};

    cmd_grid_row(sheet->result, sheet->grid, cells);
}

static void add_blocks(struct sheet *sheet, const struct calc *calc, uint64_t blocks)
{
    struct pk_arena *arena = &sheet->result->arena;
    const char *block = calc->write ? "1 KB" : "4 KB";
    uint64_t counted = blocks * (calc->write ? WRITE_BLOCK : READ_BLOCK);

    add_row(sheet, PK_LIT("item"), cmd_size_text(arena, calc->bytes),
            calc->bytes == counted
                ? pk_arena_printf(arena, "%llu \xC3\x97 %s", (unsigned long long)blocks, block)
                : pk_arena_printf(arena, "counts as %.*s: rounded up to %llu \xC3\x97 %s",
                                  PK_FMT(cmd_size_text(arena, counted)), (unsigned long long)blocks,
                                  block));
}

static void add_one(struct sheet *sheet, const struct calc *calc, uint64_t blocks, int64_t milli)
{
    struct pk_arena *arena = &sheet->result->arena;
    bool plain = calc->write && !calc->has_factor;

    add_row(sheet, pk_arena_printf(arena, "a %s", sheet->name),
            pk_arena_printf(arena, "%.*s %s", PK_FMT(units_text(arena, milli)), sheet->unit),
            pk_arena_printf(arena, "%llu \xC3\x97 %.*s%s%s", (unsigned long long)blocks,
                            PK_FMT(units_text(arena, factor_of(calc))), plain ? "" : ", ",
                            plain ? "" : factors[calc->factor].word));
}

/* Whether one item, which no split divides, could carry the load (§1.2). */
static void add_partitions(struct sheet *sheet, int64_t milli, int64_t limit)
{
    struct pk_arena *arena = &sheet->result->arena;
    int64_t needed = (milli + limit * MILLI - 1) / (limit * MILLI);
    int64_t tenths = (milli * 10 / MILLI + limit / 2) / limit;
    pk_slice exactly = {NULL, 0};

    if (tenths != needed * 10)
        exactly = pk_arena_printf(arena, " (%lld.%lld)", (long long)(tenths / 10),
                                  (long long)(tenths % 10));
    add_row(sheet, PK_LIT("one key"), needed <= 1 ? PK_LIT("fits") : PK_LIT("too hot"),
            needed <= 1 ? pk_arena_printf(arena, "a partition serves %lld %s a second",
                                          (long long)limit, sheet->unit)
                        : pk_arena_printf(
                              arena,
                              "a partition, and so one item, serves %lld %s a second: it takes "
                              "%lld%.*s",
                              (long long)limit, sheet->unit, (long long)needed, PK_FMT(exactly)));
}

static enum pk_code calc_run(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[] = {"", "", ""};
    struct calc calc = {.factor = EVENTUAL};
    struct sheet sheet = {.result = result};
    uint64_t block, blocks;
    int64_t milli, total;
    enum pk_code rc = parse(statement, &calc, &result->arena, err);

    if (rc != PK_OK)
        return rc;
    sheet.unit = calc.write ? "WCU" : "RCU";
    sheet.name = calc.write ? "write" : "read";
    sheet.grid = cmd_result_grid(result, columns, NULL, 3);
    sheet.grid->headless = true;
    block = calc.write ? WRITE_BLOCK : READ_BLOCK;
    blocks = calc.bytes == 0 ? 1 : (calc.bytes + block - 1) / block;
    milli = (int64_t)blocks * factor_of(&calc);
    add_blocks(&sheet, &calc, blocks);
    add_one(&sheet, &calc, blocks, milli);
    if (calc.rate == 0)
        return PK_OK;
    if (__builtin_mul_overflow(milli, calc.rate, &total) || total > INT64_MAX / 20)
        return pk_fail(err, PK_E_USAGE, "that many units cannot be counted");
    add_row(&sheet, pk_arena_printf(&result->arena, "%lld %ss/s", (long long)calc.rate, sheet.name),
            pk_arena_printf(&result->arena, "%.*s %s", PK_FMT(units_text(&result->arena, total)),
                            sheet.unit),
            pk_arena_printf(&result->arena, "%lld \xC3\x97 %.*s", (long long)calc.rate,
                            PK_FMT(units_text(&result->arena, milli))));
    add_partitions(&sheet, total, partition_limit(context, &calc, &result->arena));
    return PK_OK;
}

static void complete_calc(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const words[] = {
        "rcu", "wcu", "size=", "reads=", "writes=", "strong", "eventual", "transact"};

    (void)context;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        cmd_completion_add(completion, pk_slice_cstr(words[i]));
}

const struct cmd_entry cmd_calc_entry = {
    .name = "calc",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "rcu size=SIZE [reads=N/s] [strong | eventual | transact]  |  calc wcu size=SIZE "
             "[writes=N/s] [transact]",
    .summary = "capacity units of a request or a load, with the rounding shown",
    .detail = "  calc rcu size=6KB reads=80/s strong\n"
              "  calc wcu size=1.1KB writes=1000/s\n"
              "Reads count whole 4 KB and are eventual unless you say otherwise; writes count\n"
              "whole 1 KB. The last line asks whether one key could carry the load.",
    .flags = CMD_READONLY,
    .complete = complete_calc,
    .run = calc_run,
};
