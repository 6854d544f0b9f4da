/* See the header. */
#include "shell/panel/knobs.h"

#include "shell/panel/heat_row.h"

int64_t sh_knob_rate(int64_t rate, bool up)
{
    static const int64_t steps[] = {1, 2, 5, 10};
    int64_t unit = 1;

    while (rate > 10 * unit || (up && rate == 10 * unit))
        unit *= 10;
    if (up) {
        for (size_t i = 0; i < 4; i++)
            if (steps[i] * unit > rate)
                return steps[i] * unit;
    } else {
        for (size_t i = 4; i-- > 0;)
            if (steps[i] * unit < rate)
                return steps[i] * unit;
    }
    return up ? rate : 1;
}

/* The key that most requests go to, as it would be typed; empty: none is known. */
static pk_slice hottest_key(const struct cmd_snapshot *snapshot)
{
    pk_slice hottest = {NULL, 0};
    size_t count = 0;
    const struct cmd_snapshot_partition *among =
        snapshot == NULL ? NULL : sh_heat_candidates(snapshot, &count);
    int64_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cmd_snapshot_partition *partition = &among[i];
        int64_t units = partition->read.consumed + partition->write.consumed;

        if (partition->hottest_count > 0 && units > most) {
            most = units;
            hottest = partition->hottest[0].text;
        }
    }
    return hottest;
}

void sh_knob_skew(struct pk_buf *out, const struct cmd_snapshot *snapshot, pk_slice skew)
{
    pk_slice hot = hottest_key(snapshot);

    if (skew.len == 0 || pk_slice_starts(skew, PK_LIT("uniform")))
        pk_buf_add_cstr(out, "zipf(1.2)");
    else if (pk_slice_starts(skew, PK_LIT("zipf")) && hot.len > 0)
        pk_buf_printf(out, "hot(80%% %.*s)", PK_FMT(hot));
    else
        pk_buf_add_cstr(out, "uniform");
}

pk_slice sh_knob_index(const struct cmd_snapshot *snapshot, pk_slice index)
{
    size_t count = snapshot == NULL ? 0 : snapshot->index_count;
    size_t next = 0;

    for (size_t i = 0; i < count && index.len > 0; i++)
        if (pk_slice_equal(snapshot->indexes[i].name, index))
            next = i + 1;
    return next < count ? snapshot->indexes[next].name : (pk_slice){NULL, 0};
}
