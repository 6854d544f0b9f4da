#include "commands/heat.h"

#include "commands/ranges.h"

enum { FULL = 1000, KEYS_MAX = 16, SHARE_LEAST = 10, SPLITS_TOLD = 32 };

/* Histories end together: index i of the whole is this one of a partition's; false: it has none. */
static bool own_index(const struct cmd_snapshot_partition *partition, size_t from_end, size_t *i)
{
    if (from_end >= partition->history_count)
        return false;
    *i = partition->history_count - 1 - from_end;
    return true;
}

static bool is_idle(const struct cmd_snapshot *snapshot, size_t from_end)
{
    for (size_t p = 0; p < snapshot->count; p++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[p];
        size_t i;

        if (own_index(partition, from_end, &i) &&
            (partition->read_milli[i] > 0 || partition->write_milli[i] > 0 ||
             partition->refused[i] > 0))
            return false;
    }
    return true;
}

struct cmd_heat cmd_heat_of(const struct cmd_snapshot *snapshot)
{
    size_t longest = 0;

    for (size_t p = 0; p < snapshot->count; p++) {
        if (snapshot->partitions[p].history_count > longest)
            longest = snapshot->partitions[p].history_count;
    }
    while (longest > 0 && is_idle(snapshot, longest - 1))
        longest--;
    return (struct cmd_heat){
        .snapshot = snapshot,
        .seconds = longest,
        .end_ms = snapshot->time_ms < 1000 ? 0 : snapshot->time_ms / 1000 * 1000 - 1000};
}

static unsigned level_of(int64_t milli, int64_t limit)
{
    if (limit <= 0 || milli <= 0)
        return 0;
    /* milli-units of units: thousandths already */
    return milli / limit >= FULL ? FULL : (unsigned)(milli / limit == 0 ? 1 : milli / limit);
}

struct cmd_heat_cell cmd_heat_cell(const struct cmd_heat *heat, size_t partition, size_t second)
{
    const struct cmd_snapshot_partition *one = &heat->snapshot->partitions[partition];
    struct cmd_heat_cell cell = {0};
    unsigned write;
    size_t i;

    if (!own_index(one, heat->seconds - 1 - second, &i))
        return cell;
    cell.read_milli = one->read_milli[i];
    cell.write_milli = one->write_milli[i];
    cell.refused = one->refused[i];
    cell.level = level_of(cell.read_milli, one->read.limit);
    write = level_of(cell.write_milli, one->write.limit);
    if (write > cell.level)
        cell.level = write;
    return cell;
}

/* ---- splits ---------------------------------------------------------------------------------- */

static int64_t begins_ms(const struct cmd_heat *heat, size_t second)
{
    return heat->end_ms - (int64_t)(heat->seconds - 1 - second) * 1000;
}

static const struct cmd_snapshot_split *split_into(const struct cmd_snapshot *snapshot, uint32_t id)
{
    for (size_t i = snapshot->split_count; i-- > 0;) {
        const struct cmd_snapshot_split *split = &snapshot->splits[i];

        if (split->children[0] == id || split->children[1] == id)
            return split;
    }
    return NULL;
}

bool cmd_heat_counts(const struct cmd_heat *heat, size_t partition, size_t second)
{
    uint32_t id = heat->snapshot->partitions[partition].id;

    /* an answer may say that a partition is its own child */
    for (size_t steps = 0; steps <= heat->snapshot->split_count; steps++) {
        const struct cmd_snapshot_split *split = split_into(heat->snapshot, id);

        /* in the second of the split both children have something of their own */
        if (split == NULL || split->time_ms < begins_ms(heat, second) + 1000)
            return true;
        if (split->children[0] != id)
            return false;
        id = split->partition;
    }
    return false;
}

size_t cmd_heat_known(const struct cmd_heat *heat)
{
    size_t second = 0;

    if (heat->snapshot->split_count < SPLITS_TOLD)
        return 0;
    while (second < heat->seconds &&
           begins_ms(heat, second) + 1000 <= heat->snapshot->splits[0].time_ms)
        second++;
    return second;
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct candidate {
    const struct cmd_snapshot_partition *partition;
    const struct cmd_snapshot_key *key;
    double weight;
};

/* Keeps the list in order, the heaviest first. */
static void insert(struct candidate *list, size_t *count, size_t most, struct candidate candidate)
{
    size_t at = *count;

    while (at > 0 && list[at - 1].weight < candidate.weight)
        at--;
    if (at == most)
        return;
    if (*count < most)
        (*count)++;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof(*list));
    list[at] = candidate;
}

pk_slice cmd_heat_keys(const struct cmd_heat *heat, size_t most, struct pk_arena *arena)
{
    struct candidate list[KEYS_MAX];
    size_t count = 0;
    pk_slice text = {NULL, 0};

    most = most > KEYS_MAX ? KEYS_MAX : most;
    for (size_t p = 0; p < heat->snapshot->count; p++) {
        const struct cmd_snapshot_partition *one = &heat->snapshot->partitions[p];
        double offered = (double)one->read.admitted + (double)one->read.refused +
                         (double)one->write.admitted + (double)one->write.refused;

        for (size_t k = 0; k < one->hottest_count; k++) {
            if (one->hottest[k].text.len > 0 && one->hottest[k].share >= SHARE_LEAST)
                insert(list, &count, most,
                       (struct candidate){one, &one->hottest[k],
                                          (1.0 + offered) * one->hottest[k].share});
        }
    }
    for (size_t i = 0; i < count; i++)
        text = pk_arena_printf(arena, "%.*s%s%.*s %u%% of partition %u", PK_FMT(text),
                               i == 0 ? "" : " \xC2\xB7 ",
                               PK_FMT(cmd_short_key(arena, list[i].key->text)),
                               list[i].key->share / 10, list[i].partition->number);
    return text;
}
