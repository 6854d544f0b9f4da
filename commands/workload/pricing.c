#include "commands/workload/pricing.h"

#include "commands/language/lex.h"
#include "commands/result.h"

enum { DECIMALS = 9, MILLI = 1000, MILLION = 1000000, HUNDRED_THOUSAND = 100000, SECONDS = 3600 };
#define NANO      INT64_C(1000000000)
#define GB        (INT64_C(1) << 30)
#define PRICE_MAX (INT64_C(1000000) * NANO) /* a million dollars */
#define WHOLE_MAX INT64_C(1000000000000)

__extension__ typedef __int128 wide;

static const struct {
    const char *key, *initial;
    bool money;
} rows[PRICES] = {
#define XX(name, key, initial, unit, sentence)                                                     \
    [PRICE_##name] = {key, initial, sizeof(unit) == sizeof("USD") && (unit)[0] == 'U'},
    PRICING_MAP(XX)
#undef XX
};

/* ---- values ---------------------------------------------------------------------------------- */

/* "0.625" to 625,000,000; false for what is no such price. */
static bool parse_money(pk_slice text, int64_t *nano)
{
    int64_t whole = 0;
    size_t i = 0, decimals = 0;

    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9' && whole <= PRICE_MAX; i++)
        whole = whole * 10 + (text.data[i] - '0');
    if (i == 0 || whole > PRICE_MAX / NANO)
        return false;
    whole *= NANO;
    if (i < text.len && text.data[i] == '.' && i + 1 < text.len) {
        int64_t unit = NANO / 10;

        for (i++; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++, unit /= 10) {
            if (++decimals > DECIMALS)
                return false;
            whole += (text.data[i] - '0') * unit;
        }
    }
    *nano = whole;
    return i == text.len && whole <= PRICE_MAX;
}

static bool parse_whole(pk_slice text, int64_t *number)
{
    int64_t value = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || value > WHOLE_MAX)
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *number = value;
    return text.len > 0 && value <= WHOLE_MAX;
}

/* "2026-08-15" */
static bool is_date(pk_slice text)
{
    static const char form[] = "0000-00-00";

    if (text.len != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.data[i] >= '0' && text.data[i] <= '9';

        if (form[i] == '0' ? !digit : text.data[i] != form[i])
            return false;
    }
    return true;
}

static bool is_region(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
            return false;
    }
    return text.len > 0 && text.len < PRICING_REGION;
}

static bool set_text(char *to, pk_slice text, bool valid)
{
    if (!valid)
        return false;
    memcpy(to, text.data, text.len);
    to[text.len] = '\0';
    return true;
}

static bool set_free_tier(struct pricing *pricing, pk_slice value)
{
    if (!cmd_word_is(value, "on") && !cmd_word_is(value, "off"))
        return false;
    pricing->free_tier = cmd_word_is(value, "on");
    return true;
}

static bool set_row(struct pricing *pricing, enum price row, pk_slice value)
{
    int64_t number;

    if (row == PRICE_DATE)
        return set_text(pricing->date, value, is_date(value));
    if (row == PRICE_REGION)
        return set_text(pricing->region, value, is_region(value));
    if (row == PRICE_FREE_TIER)
        return set_free_tier(pricing, value);
    if (!(rows[row].money ? parse_money(value, &number) : parse_whole(value, &number)) ||
        (row == PRICE_HOURS && number == 0))
        return false;
    pricing->values[row] = number;
    return true;
}

bool pricing_set(struct pricing *pricing, pk_slice key, pk_slice value, bool *known)
{
    *known = true;
    for (size_t i = 0; i < PRICES; i++) {
        if (cmd_word_is(key, rows[i].key))
            return set_row(pricing, (enum price)i, value);
    }
    *known = false;
    return false;
}

void pricing_init(struct pricing *pricing)
{
    *pricing = (struct pricing){.free_tier = false};
    for (size_t i = 0; i < PRICES; i++) {
        if (!set_row(pricing, (enum price)i, pk_slice_cstr(rows[i].initial)))
            pk_bug("the price '%s' has no value", rows[i].key);
    }
}

/* "0.00065": two decimals at least. */
static pk_slice money_text(struct pk_arena *arena, int64_t nano)
{
    pk_slice text =
        pk_arena_printf(arena, "%lld.%09lld", (long long)(nano / NANO), (long long)(nano % NANO));

    while (text.data[text.len - 1] == '0' && text.data[text.len - 3] != '.')
        text.len--;
    return text;
}

pk_slice pricing_show(const struct pricing *pricing, pk_slice key, struct pk_arena *arena)
{
    for (size_t i = 0; i < PRICES; i++) {
        if (!cmd_word_is(key, rows[i].key))
            continue;
        if (i == PRICE_DATE || i == PRICE_REGION)
            return pk_arena_dup(arena,
                                pk_slice_cstr(i == PRICE_DATE ? pricing->date : pricing->region));
        if (i == PRICE_FREE_TIER)
            return pricing->free_tier ? PK_LIT("on") : PK_LIT("off");
        if (rows[i].money)
            return money_text(arena, pricing->values[i]);
        return pk_arena_printf(arena, "%lld", (long long)pricing->values[i]);
    }
    return (pk_slice){NULL, 0};
}

/* ---- a file ---------------------------------------------------------------------------------- */

static pk_slice trimmed(pk_slice text)
{
    while (text.len > 0 && strchr(" \t\r", text.data[0]) != NULL)
        text = pk_slice_skip(text, 1);
    while (text.len > 0 && strchr(" \t\r", text.data[text.len - 1]) != NULL)
        text.len--;
    return text;
}

static enum pk_code read_line(struct pricing *pricing, pk_slice line, size_t number,
                              struct pk_error *err)
{
    const char *comment = line.len == 0 ? NULL : memchr(line.data, '#', line.len);
    const char *equals;
    pk_slice key, value;
    bool known;

    if (comment != NULL)
        line.len = (size_t)(comment - line.data);
    line = trimmed(line);
    if (line.len == 0)
        return PK_OK;
    equals = memchr(line.data, '=', line.len);
    if (equals == NULL)
        return pk_fail(err, PK_E_USAGE, "line %zu of the prices: expected KEY = VALUE", number);
    key = trimmed(pk_slice_of(line.data, (size_t)(equals - line.data)));
    value = trimmed(pk_slice_skip(line, (size_t)(equals + 1 - line.data)));
    if (cmd_word_is(key, "currency")) {
        if (cmd_word_is(value, "USD"))
            return PK_OK;
        return pk_fail(err, PK_E_USAGE, "line %zu of the prices: sums are in USD alone", number);
    }
    if (pricing_set(pricing, key, value, &known))
        return PK_OK;
    if (!known)
        return pk_fail(err, PK_E_USAGE, "line %zu of the prices: there is no price '%.*s'", number,
                       PK_FMT(key));
    return pk_fail(err, PK_E_USAGE, "line %zu of the prices: '%.*s' is no value of %.*s", number,
                   PK_FMT(value), PK_FMT(key));
}

enum pk_code pricing_read(struct pricing *pricing, pk_slice text, struct pk_error *err)
{
    struct pricing read = *pricing;

    for (size_t number = 1; text.len > 0; number++) {
        const char *newline = memchr(text.data, '\n', text.len);
        pk_slice line = text;
        enum pk_code rc;

        if (newline != NULL)
            line.len = (size_t)(newline - text.data);
        rc = read_line(&read, line, number, err);
        if (rc != PK_OK)
            return rc;
        text = pk_slice_skip(text, line.len + 1);
    }
    *pricing = read;
    return PK_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int64_t narrow(wide sum)
{
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

int64_t pricing_times(const struct pricing *pricing, enum price price, int64_t quantity,
                      int64_t per)
{
    if (quantity <= 0)
        return 0;
    return narrow(((wide)quantity * pricing->values[price] + per / 2) / per);
}

int64_t pricing_write_units(const struct pricing *pricing, int64_t milli)
{
    return pricing_times(pricing, PRICE_WRU, milli, (int64_t)MILLI * MILLION);
}

int64_t pricing_read_units(const struct pricing *pricing, int64_t milli)
{
    return pricing_times(pricing, PRICE_RRU, milli, (int64_t)MILLI * MILLION);
}

int64_t pricing_replicated_units(const struct pricing *pricing, int64_t milli)
{
    return pricing_times(pricing, PRICE_RWRU, milli, (int64_t)MILLI * MILLION);
}

static int64_t capacity(const struct pricing *pricing, enum price price, int64_t units,
                        int64_t hours)
{
    wide sum;

    if (pricing->free_tier)
        units -= PRICING_FREE_UNITS;
    if (units <= 0 || hours <= 0)
        return 0;
    sum = (wide)units * pricing->values[price];
    return narrow(sum > INT64_MAX ? sum : sum * hours);
}

int64_t pricing_write_capacity(const struct pricing *pricing, int64_t units, int64_t hours)
{
    return capacity(pricing, PRICE_WCU, units, hours);
}

int64_t pricing_read_capacity(const struct pricing *pricing, int64_t units, int64_t hours)
{
    return capacity(pricing, PRICE_RCU, units, hours);
}

int64_t pricing_storage(const struct pricing *pricing, int64_t bytes)
{
    wide billed = (wide)bytes - (wide)pricing->values[PRICE_STORAGE_FREE] * GB;

    return billed <= 0 ? 0 : pricing_times(pricing, PRICE_STORAGE, (int64_t)billed, GB);
}

int64_t pricing_recovery(const struct pricing *pricing, int64_t bytes)
{
    return pricing_times(pricing, PRICE_PITR, bytes, GB);
}

int64_t pricing_streams(const struct pricing *pricing, int64_t calls)
{
    return pricing_times(pricing, PRICE_STREAMS, calls - pricing->values[PRICE_STREAMS_FREE],
                         HUNDRED_THOUSAND);
}

int64_t pricing_sum(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* One unit used fully for an hour is 3,600 requests. */
static int64_t break_even(const struct pricing *pricing, enum price hour, enum price million)
{
    wide on_demand = (wide)pricing->values[million] * SECONDS;
    wide provisioned = (wide)pricing->values[hour] * MILLION * MILLI;

    if (on_demand == 0 || provisioned == 0)
        return -1;
    return narrow((provisioned + on_demand / 2) / on_demand);
}

int64_t pricing_break_even_writes(const struct pricing *pricing)
{
    return break_even(pricing, PRICE_WCU, PRICE_WRU);
}

int64_t pricing_break_even_reads(const struct pricing *pricing)
{
    return break_even(pricing, PRICE_RCU, PRICE_RRU);
}

/* ---- text ------------------------------------------------------------------------------------ */

pk_slice pricing_text(struct pk_arena *arena, int64_t nano)
{
    int64_t cent = NANO / 100;
    int64_t cents = nano / cent + (nano % cent >= cent / 2);

    if (nano > 0 && cents == 0)
        return PK_LIT("<$0.01");
    return pk_arena_printf(arena, "$%.*s.%02lld",
                           PK_FMT(cmd_format_count(arena, (uint64_t)cents / 100)),
                           (long long)(cents % 100));
}

pk_slice pricing_price_text(struct pk_arena *arena, int64_t nano)
{
    return pk_arena_printf(arena, "$%.*s", PK_FMT(money_text(arena, nano)));
}
