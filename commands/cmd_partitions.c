/*
 * partitions [TABLE | INDEX]: what each partition holds, what it is asked to do beside what it can,
 * and what it refused; below it the hottest key, with what that heat will lead to.
 *
 * Rates are those of the last whole second of simulated time.
 */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/ranges.h"
#include "commands/schema.h"
#include "commands/settings.h"
#include "commands/sim_settings.h"
#include "commands/snapshot.h"

#define DOT  " \xC2\xB7 "
#define NEXT "\n         " /* below the hottest key */

enum { MILLI = 1000, HALF = 500, PERCENT = 10 }; /* shares are thousandths */

enum column {
    NUMBER,
    TOKENS,
    ITEMS,
    SIZE,
    READS,
    READS_AT_LIMIT,
    READ_BURST,
    WRITES,
    WRITES_AT_LIMIT,
    WRITE_BURST,
    THROTTLED,
    REASON,
    SPLITS,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "partition", "tokens",      "items",       "size",      "reads/s", "read state", "read burst",
    "writes/s",  "write state", "write burst", "throttled", "reason",  "splits",
};

struct sheet {
    struct cmd_result *result;
    struct pk_arena *arena; /* the result's */
    const struct cmd_snapshot *snapshot;
    struct cmd_grid *grid;
    int digits; /* of a token, as many as tell the partitions apart */
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool at_limit(const struct cmd_snapshot_access *access)
{
    return access->limit > 0 && (access->refused > 0 || access->consumed >= access->limit * MILLI);
}

/* A table's own throughput may refuse what its partition could still serve. */
static pk_slice state_text(const struct cmd_snapshot_access *access)
{
    if (access->limit > 0 && access->consumed >= access->limit * MILLI)
        return PK_LIT("at limit");
    return access->refused > 0 ? PK_LIT("throttles") : (pk_slice){NULL, 0};
}

static pk_slice burst_text(struct pk_arena *arena, const struct cmd_snapshot_access *access)
{
    if (access->burst_max_milli == 0)
        return (pk_slice){NULL, 0};
    return pk_arena_printf(
        arena, "%.*s of %.*s",
        PK_FMT(cmd_format_count(arena, (uint64_t)access->burst_milli / MILLI)),
        PK_FMT(cmd_format_count(arena, (uint64_t)access->burst_max_milli / MILLI)));
}

static uint64_t throttles(const struct cmd_snapshot_access *access)
{
    uint64_t sum = 0;

    for (int i = 0; i < CMD_LIMITS; i++)
        sum += access->throttled[i];
    return sum;
}

/* Which limits have refused: "KeyRange"; of several each with its number. */
static pk_slice reason_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition)
{
    const struct cmd_snapshot_access *accesses[2] = {&partition->read, &partition->write};
    static const char *const kinds[2] = {"reads", "writes"};
    uint64_t total = throttles(&partition->read) + throttles(&partition->write);
    pk_slice text = {NULL, 0};

    for (size_t k = 0; k < 2; k++) {
        for (int i = 0; i < CMD_LIMITS; i++) {
            uint64_t count = accesses[k]->throttled[i];
            const char *name = cmd_limit_name((enum cmd_limit)i);

            if (count == 0)
                continue;
            if (count == total)
                return pk_slice_cstr(name);
            text =
                pk_arena_printf(arena, "%.*s%s%s %s %.*s", PK_FMT(text), text.len > 0 ? ", " : "",
                                kinds[k], name, PK_FMT(cmd_format_count(arena, count)));
        }
    }
    return text;
}

/* "12 s", "4 min": the largest unit there is a whole one of. */
static pk_slice span_text(struct pk_arena *arena, int64_t ms)
{
    int64_t seconds = ms <= 0 ? 0 : (ms + MILLI - 1) / MILLI;

    if (seconds < 120)
        return pk_arena_printf(arena, "%lld s", (long long)seconds);
    if (seconds < 7200)
        return pk_arena_printf(arena, "%lld min", (long long)(seconds / 60));
    return pk_arena_printf(arena, "%lld h", (long long)(seconds / 3600));
}

static const struct cmd_snapshot_split *split_of(const struct cmd_snapshot *snapshot, uint32_t id)
{
    for (size_t i = snapshot->split_count; i-- > 0;) {
        const struct cmd_snapshot_split *split = &snapshot->splits[i];

        if (split->children[0] == id || split->children[1] == id)
            return split;
    }
    return NULL;
}

static const char *cause_text(pk_slice cause)
{
    if (pk_slice_is(cause, "HEAT"))
        return "for heat";
    return pk_slice_is(cause, "SIZE") ? "by size" : "for throughput";
}

/* The last thing that happened to its borders, or is about to. */
static pk_slice splits_text(const struct sheet *sheet,
                            const struct cmd_snapshot_partition *partition)
{
    int64_t now_ms = sheet->snapshot->time_ms;
    const struct cmd_snapshot_split *split = split_of(sheet->snapshot, partition->id);

    if (partition->splitting)
        return pk_arena_printf(sheet->arena, "splitting, %.*s left",
                               PK_FMT(span_text(sheet->arena, partition->split_due_ms - now_ms)));
    if (partition->refusal.len > 0)
        return pk_arena_printf(sheet->arena, "no split: %.*s", PK_FMT(partition->refusal));
    if (split != NULL)
        return pk_arena_printf(sheet->arena, "split %s %.*s ago", cause_text(split->cause),
                               PK_FMT(span_text(sheet->arena, now_ms - split->time_ms)));
    return (pk_slice){NULL, 0};
}

/* ---- the table of partitions ----------------------------------------------------------------- */

static void add_partition(struct sheet *sheet, const struct cmd_snapshot_partition *partition)
{
    struct pk_arena *arena = sheet->arena;
    const struct cmd_snapshot_access *read = &partition->read;
    const struct cmd_snapshot_access *write = &partition->write;
    pk_slice cells[COLUMNS] = {
        [NUMBER] = pk_arena_printf(arena, "%u", partition->number),
        [TOKENS] = cmd_range_text(arena, partition, sheet->digits),
        [ITEMS] = cmd_format_count(arena, partition->items),
        [SIZE] = cmd_format_bytes(arena, partition->bytes),
        [READS] = cmd_rate_text(arena, read->consumed),
        [READS_AT_LIMIT] = state_text(read),
        [READ_BURST] = burst_text(arena, read),
        [WRITES] = cmd_rate_text(arena, write->consumed),
        [WRITES_AT_LIMIT] = state_text(write),
        [WRITE_BURST] = burst_text(arena, write),
        [THROTTLED] = cmd_format_count(arena, throttles(read) + throttles(write)),
        [REASON] = reason_text(arena, partition),
        [SPLITS] = splits_text(sheet, partition),
    };

    cmd_grid_row(sheet->result, sheet->grid, cells);
    cmd_grid_bar(sheet->result, sheet->grid, READS, (uint64_t)read->consumed,
                 (uint64_t)read->limit * MILLI);
    cmd_grid_bar(sheet->result, sheet->grid, WRITES, (uint64_t)write->consumed,
                 (uint64_t)write->limit * MILLI);
}

/* "reads/s of 3000", when all partitions have one limit. */
static const char *rate_heading(const struct sheet *sheet, enum column column)
{
    int64_t limit = 0;

    for (size_t i = 0; i < sheet->snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &sheet->snapshot->partitions[i];
        int64_t own = column == READS ? partition->read.limit : partition->write.limit;

        if (own == 0 || (limit != 0 && own != limit))
            return NULL;
        limit = own;
    }
    if (limit == 0)
        return NULL;
    return pk_arena_printf(sheet->arena, "%s of %lld", names[column], (long long)limit).data;
}

static bool has_splits(const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->snapshot->count; i++)
        if (splits_text(sheet, &sheet->snapshot->partitions[i]).len > 0)
            return true;
    return false;
}

static bool has_burst(const struct cmd_snapshot *snapshot, enum column column)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];

        if ((column == READ_BURST ? partition->read : partition->write).burst_max_milli > 0)
            return true;
    }
    return false;
}

static void set_headings(struct sheet *sheet)
{
    static const enum column silent[] = {READS_AT_LIMIT, WRITES_AT_LIMIT, REASON};
    struct cmd_grid *grid = sheet->grid;

    cmd_grid_heading(sheet->result, grid, NUMBER, "#");
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
        cmd_grid_heading(sheet->result, grid, silent[i], "");
    cmd_grid_heading(sheet->result, grid, READS, rate_heading(sheet, READS));
    cmd_grid_heading(sheet->result, grid, WRITES, rate_heading(sheet, WRITES));
    if (!has_splits(sheet))
        cmd_grid_heading(sheet->result, grid, SPLITS, "");
    if (!has_burst(sheet->snapshot, READ_BURST))
        cmd_grid_heading(sheet->result, grid, READ_BURST, "");
    if (!has_burst(sheet->snapshot, WRITE_BURST))
        cmd_grid_heading(sheet->result, grid, WRITE_BURST, "");
    if (sheet->snapshot->throttle == CMD_THROTTLE_OBSERVE)
        cmd_grid_heading(sheet->result, grid, THROTTLED, "would throttle");
}

/* ---- the table itself ------------------------------------------------------------------------ */

static const char *throttle_text(enum cmd_throttle throttle)
{
    switch (throttle) {
    case CMD_THROTTLE_OFF:
        return "throttle off: no limit is looked at";
    case CMD_THROTTLE_OBSERVE:
        return "observe";
    case CMD_THROTTLE_ENFORCE:
        return "enforce";
    }
    pk_bug("no such throttle: %d", (int)throttle);
}

/* "reads 5,217 of 6,000/s, burst 12,000 of 1,800,000" */
static void add_access(struct pk_buf *out, struct pk_arena *arena, const char *before,
                       const char *kind, const struct cmd_snapshot_access *access)
{
    pk_buf_printf(out, "%s%s %.*s", before, kind, PK_FMT(cmd_rate_text(arena, access->consumed)));
    if (access->limit > 0)
        pk_buf_printf(out, " of %.*s", PK_FMT(cmd_format_count(arena, (uint64_t)access->limit)));
    pk_buf_add_cstr(out, "/s");
    if (access->max > 0)
        pk_buf_printf(out, ", max %.*s", PK_FMT(cmd_format_count(arena, (uint64_t)access->max)));
    if (access->burst_max_milli > 0)
        pk_buf_printf(out, ", burst left %.*s", PK_FMT(burst_text(arena, access)));
    if (access->warm > 0)
        pk_buf_printf(out, ", warm %.*s", PK_FMT(cmd_format_count(arena, (uint64_t)access->warm)));
}

static void add_totals(struct sheet *sheet)
{
    const struct cmd_snapshot *snapshot = sheet->snapshot;
    struct pk_buf out = PK_BUF_INIT;

    if (snapshot->count < snapshot->partition_count)
        pk_buf_printf(&out, "%zu of ", snapshot->count);
    pk_buf_printf(&out, "%u partition%s" DOT "%s" DOT "%s", snapshot->partition_count,
                  snapshot->partition_count == 1 ? "" : "s",
                  snapshot->on_demand ? "on demand" : "provisioned",
                  throttle_text(snapshot->throttle));
    if (snapshot->counting)
        pk_buf_add_cstr(&out, DOT "items and sizes are being counted");
    add_access(&out, sheet->arena, "\n", "reads", &snapshot->read);
    add_access(&out, sheet->arena, DOT, "writes", &snapshot->write);
    cmd_result_text(sheet->result, CMD_BLOCK_FOOTER, "%.*s", (int)out.len, out.data);
    pk_buf_release(&out);
}

/* ---- the hottest key ------------------------------------------------------------------------- */

struct hottest {
    const struct cmd_snapshot_partition *partition; /* NULL: nothing is hot */
    const struct cmd_snapshot_access *access;
    const char *unit;
    double share; /* of the limit */
};

static void consider(struct hottest *hottest, const struct cmd_snapshot_partition *partition,
                     const struct cmd_snapshot_access *access, const char *unit)
{
    double share =
        access->limit == 0
            ? 0.0
            : ((double)access->consumed + (double)access->refused * MILLI) / (double)access->limit;

    if (partition->hottest_count == 0 || partition->hottest[0].text.len == 0 ||
        share <= hottest->share)
        return;
    *hottest = (struct hottest){partition, access, unit, share};
}

static struct hottest find_hottest(const struct cmd_snapshot *snapshot)
{
    struct hottest hottest = {NULL, NULL, NULL, 0.0};

    for (size_t i = 0; i < snapshot->count; i++) {
        consider(&hottest, &snapshot->partitions[i], &snapshot->partitions[i].read, "RCU");
        consider(&hottest, &snapshot->partitions[i], &snapshot->partitions[i].write, "WCU");
    }
    return hottest;
}

/* What the partition's refusal means (partitions-capacity.md §4.3). */
static const char *refusal_text(pk_slice refusal)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"SINGLE_ITEM", "one item has the heat, and an item cannot be divided"},
        {"LSI_COLLECTION", "one item collection has the heat, and an LSI keeps it together"},
        {"MONOTONIC", "sort keys only rise or fall: the new range would be as hot"},
        {"SEQUENTIAL", "the heat sweeps through the keys and would have moved on"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (pk_slice_is(refusal, rows[i].name))
            return rows[i].text;
    }
    return "refused";
}

/* "2 s of the 60 s before a heat split" */
static void add_countdown(struct cmd_context *context, struct pk_buf *out,
                          const struct sheet *sheet, const struct hottest *hottest)
{
    struct pk_error ignored = PK_ERROR_INIT;
    const struct cmd_snapshot_partition *partition = hottest->partition;
    const char *where = at_limit(hottest->access) ? "at its limit" : "near its limit";
    pk_slice on = {NULL, 0}, window = {NULL, 0};
    uint64_t ms = 0;

    if (cmd_sim_get(context, sheet->arena, "split.heat", &on, &ignored) == PK_OK &&
        pk_slice_is(on, "off")) {
        pk_buf_printf(out, NEXT "%s %u s; split.heat is off", where, partition->hot_seconds);
    } else if (cmd_sim_get(context, sheet->arena, "split.window", &window, &ignored) == PK_OK &&
               cmd_parse_duration(window, &ms)) {
        pk_buf_printf(out, NEXT "%s %u s of the %llu s before a heat split", where,
                      partition->hot_seconds, (unsigned long long)ms / MILLI);
    } else {
        pk_buf_printf(out, NEXT "%s %u s", where, partition->hot_seconds);
    }
    pk_error_release(&ignored);
}

static void add_prospect(struct cmd_context *context, struct pk_buf *out, const struct sheet *sheet,
                         const struct hottest *hottest)
{
    const struct cmd_snapshot_partition *partition = hottest->partition;
    int64_t cooling = partition->cool_until_ms - sheet->snapshot->time_ms;

    if (partition->splitting)
        pk_buf_printf(
            out, DOT "splits in %.*s",
            PK_FMT(span_text(sheet->arena, partition->split_due_ms - sheet->snapshot->time_ms)));
    else if (partition->refusal.len > 0)
        pk_buf_printf(out, NEXT "no split: %s", refusal_text(partition->refusal));
    else if (partition->hot_seconds > 0)
        add_countdown(context, out, sheet, hottest);
    if (!partition->splitting && cooling > 0 && partition->hot_seconds > 0)
        pk_buf_printf(out, ", and not in the next %.*s", PK_FMT(span_text(sheet->arena, cooling)));
}

static void add_hottest(struct cmd_context *context, struct sheet *sheet)
{
    struct hottest hottest = find_hottest(sheet->snapshot);
    struct pk_buf out = PK_BUF_INIT;
    const struct cmd_snapshot_key *key;
    pk_slice text;

    if (hottest.partition == NULL)
        return;
    key = &hottest.partition->hottest[0];
    text = cmd_short_key(sheet->arena, key->text);
    if (key->share < PERCENT)
        pk_buf_printf(&out, "hottest  partition %u; no key has 1%% of it",
                      hottest.partition->number);
    else
        pk_buf_printf(&out, "hottest  %.*s %u%% of partition %u", PK_FMT(text),
                      key->share / PERCENT, hottest.partition->number);
    if (at_limit(hottest.access) && key->share >= HALF)
        pk_buf_printf(&out, "; alone it can never pass %lld %s/s", (long long)hottest.access->limit,
                      hottest.unit);
    add_prospect(context, &out, sheet, &hottest);
    cmd_result_text(sheet->result, CMD_BLOCK_FOOTER, "%.*s", (int)out.len, out.data);
    pk_buf_release(&out);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void show(struct cmd_context *context, const struct cmd_snapshot *snapshot,
                 struct cmd_result *result)
{
    static const enum cmd_align aligns[COLUMNS] = {
        [NUMBER] = CMD_RIGHT,      [ITEMS] = CMD_RIGHT,     [SIZE] = CMD_RIGHT,
        [READS] = CMD_RIGHT,       [WRITES] = CMD_RIGHT,    [READ_BURST] = CMD_RIGHT,
        [WRITE_BURST] = CMD_RIGHT, [THROTTLED] = CMD_RIGHT,
    };
    struct sheet sheet = {.result = result, .arena = &result->arena, .snapshot = snapshot};

    sheet.digits = cmd_token_digits(snapshot);
    sheet.grid = cmd_result_grid(result, names, aligns, COLUMNS);
    set_headings(&sheet);
    for (size_t i = 0; i < snapshot->count; i++)
        add_partition(&sheet, &snapshot->partitions[i]);
    add_hottest(context, &sheet);
    add_totals(&sheet);
}

static enum pk_code partitions_run(struct cmd_context *context,
                                   const struct cmd_statement *statement, struct cmd_result *result,
                                   struct pk_error *err)
{
    struct cmd_snapshot_request request = {.limit = (uint32_t)context->settings->rows};
    struct cmd_snapshot snapshot;
    struct cmd_target target;
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK)
        rc = cmd_words_target(context, &words, &target, err);
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc != PK_OK)
        return rc;
    request.table = target.table->name;
    if (target.index != NULL)
        request.index = target.index->name;
    rc = cmd_snapshot_take_all(context, &result->arena, &request, &snapshot, err);
    if (rc == PK_OK)
        show(context, &snapshot, result);
    return rc;
}

const struct cmd_entry cmd_partitions_entry = {
    .name = "partitions",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "[TABLE | INDEX]",
    .summary = "each partition: keys, size, load beside its limits, throttles, splits",
    .detail =
        "  partitions              partitions Music.by_genre\n"
        "Tokens are those of a simulated hash. Rates are of the last whole second; throttled\n"
        "counts since the partition began, under throttle observe what would have been.\n"
        "A border inside an item collection is shown by the key it begins with.",
    .flags = CMD_READONLY | CMD_PKSK_ONLY,
    .complete = cmd_complete_target,
    .run = partitions_run,
};
