/* See the header. */
#include "shell/panel/tail_join.h"

enum {
    FIRST = 500, /* records of the first answer … */
    NEXT = 100 /* … and of the others: nobody reads more in a tenth of a second, the newest do */
};

void sh_tail_join_turn(struct sh_tail_join *join)
{
    join->base += join->last + SH_TAIL_BACK;
    join->last = join->highest = 0;
    join->begun = false;
}

void sh_tail_join_pause(struct sh_tail_join *join)
{
    if (join->begun)
        join->base += SH_TAIL_BACK; /* room for what will be looked back on */
    join->begun = false;
}

struct cmd_tail_request sh_tail_join_request(const struct sh_tail_join *join, pk_slice table)
{
    return (struct cmd_tail_request){
        .table = table,
        .after = join->last,
        .limit = join->last == 0 ? FIRST : NEXT,
        .newest = true,
        .back = join->begun ? 0 : SH_TAIL_BACK,
    };
}

/* The store was opened again, perhaps by another process. */
static bool is_same_opening(struct sh_tail_join *join, const struct cmd_tail *tail)
{
    bool same = tail->opened == join->opened || join->last == 0;

    join->opened = tail->opened;
    if (same)
        return true;
    join->base += join->last + SH_TAIL_BACK;
    join->last = 0;
    join->begun = false;
    return false;
}

/* Out of the log, and with a number in the same answer. */
static bool is_numbered(const struct cmd_tail *tail, uint64_t sequence)
{
    for (size_t i = 0; i < tail->count; i++) {
        if (tail->records[i].number != 0 && tail->records[i].sequence == sequence)
            return true;
    }
    return false;
}

static bool was_looked_back_on(const struct sh_tail_join *join, uint64_t sequence)
{
    size_t low = 0;
    size_t high = join->back_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (join->back[middle] < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return sequence != 0 && low < join->back_count && join->back[low] == sequence;
}

/* The number of the first record that has one, or the one that the next will have. */
static uint64_t first_number(const struct cmd_tail *tail)
{
    for (size_t i = 0; i < tail->count; i++) {
        if (tail->records[i].number != 0)
            return tail->records[i].number;
    }
    return tail->last + 1;
}

/* Notes those of before, whose numbers then end below the first one; drops what came already. */
static void keep_new(struct sh_tail_join *join, struct cmd_tail *tail)
{
    uint64_t first = join->base + first_number(tail) + SH_TAIL_BACK;
    size_t before = 0;
    size_t kept = 0;

    for (size_t i = 0; i < tail->count; i++) {
        struct cmd_tail_record record = tail->records[i];

        if (record.number == 0) {
            if (join->begun || before == SH_TAIL_BACK || record.sequence <= join->highest ||
                is_numbered(tail, record.sequence))
                continue;
            join->back[before++] = record.sequence;
        } else if (was_looked_back_on(join, record.sequence)) {
            continue;
        } else {
            record.number += join->base + SH_TAIL_BACK;
        }
        tail->records[kept++] = record;
    }
    for (size_t i = 0; i < before; i++)
        tail->records[i].number = first - before + i;
    for (size_t i = 0; i < kept; i++) {
        if (tail->records[i].sequence > join->highest)
            join->highest = tail->records[i].sequence;
    }
    tail->count = kept;
    if (!join->begun)
        join->back_count = before;
}

bool sh_tail_join_take(struct sh_tail_join *join, struct cmd_tail *tail)
{
    if (!is_same_opening(join, tail))
        return false;
    keep_new(join, tail);
    join->last = tail->last;
    join->begun = true;
    return true;
}
