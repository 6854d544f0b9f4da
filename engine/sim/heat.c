/*
 * A decision sorts copies of the sample's positions; 256 of them, once in a window.
 *
 * Where item collections stay whole, every position counts as its collection's first.
 */
#include "engine/sim/heat.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

enum { MILLI = 1000 };

struct pk_heat_rules pk_heat_rules_aws(void)
{
    return (struct pk_heat_rules){.threshold_milli = 800,
                                  .window_s = 60,
                                  .single_item_milli = 900,
                                  .isolate_min_milli = 10,
                                  .monotonic_milli = 900,
                                  .sequential_milli = 900};
}

const char *pk_split_verdict_name(enum pk_split_verdict verdict)
{
    switch (verdict) {
    case PK_SPLIT_AT:
        return "";
    case PK_SPLIT_SINGLE_ITEM:
        return "SINGLE_ITEM";
    case PK_SPLIT_LSI_COLLECTION:
        return "LSI_COLLECTION";
    case PK_SPLIT_MONOTONIC:
        return "MONOTONIC";
    case PK_SPLIT_SEQUENTIAL:
        return "SEQUENTIAL";
    }
    return "";
}

/* ---- the window ------------------------------------------------------------------------------ */

void pk_heat_clear(struct pk_heat *heat)
{
    struct pk_heat_sample *samples = heat->before;

    heat->before = heat->samples;
    heat->before_count = heat->count;
    heat->samples = samples;
    heat->count = 0;
    heat->offered = 0;
    heat->hot_run = 0;
    heat->read = heat->write = 0;
    heat->refused = false;
}

static void release_samples(struct pk_heat_sample *samples)
{
    for (size_t i = 0; samples != NULL && i < PK_HEAT_SAMPLES; i++)
        free(samples[i].position);
    free(samples);
}

void pk_heat_release(struct pk_heat *heat)
{
    release_samples(heat->samples);
    release_samples(heat->before);
    *heat = (struct pk_heat){.samples = NULL};
}

/* The slot of the next request, by reservoir sampling; NULL: it is not kept. */
static struct pk_heat_sample *next_slot(struct pk_heat *heat, struct pk_rng *rng)
{
    uint64_t drawn;

    if (heat->samples == NULL)
        heat->samples = pk_calloc(PK_HEAT_SAMPLES, sizeof(*heat->samples));
    if (heat->count < PK_HEAT_SAMPLES)
        return &heat->samples[heat->count++];
    drawn = pk_rng_below(rng, heat->offered + 1);
    if (drawn >= PK_HEAT_SAMPLES)
        return NULL;
    return &heat->samples[drawn];
}

struct pk_heat_sample *pk_heat_offer(struct pk_heat *heat, struct pk_rng *rng, pk_slice position)
{
    struct pk_heat_sample *slot = next_slot(heat, rng);

    if (slot != NULL) {
        if (slot->cap < position.len) {
            slot->cap = (uint32_t)position.len;
            slot->position = pk_realloc(slot->position, slot->cap, 1);
        }
        if (position.len > 0) /* a scan has no position, and a slot that is new no bytes */
            memcpy(slot->position, position.data, position.len);
        slot->len = (uint32_t)position.len;
        slot->number = heat->offered;
    }
    heat->offered++;
    return slot;
}

bool pk_heat_second(struct pk_heat *heat, const struct pk_heat_rules *rules, int64_t read,
                    int64_t write)
{
    bool hot = heat->refused || heat->read >= read * rules->threshold_milli ||
               heat->write >= write * rules->threshold_milli;

    if (!hot) {
        pk_heat_clear(heat);
        return false;
    }
    heat->hot_run++;
    heat->read = heat->write = 0;
    heat->refused = false;
    return heat->hot_run >= rules->window_s && heat->count > 0;
}

/* ---- deciding -------------------------------------------------------------------------------- */

/* The sample in order of arrival, and its positions in order of keys. */
struct view {
    const struct pk_heat_sample *arrived[PK_HEAT_SAMPLES];
    pk_slice sorted[PK_HEAT_SAMPLES];
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    const struct pk_heat_sample *const *left = a;
    const struct pk_heat_sample *const *right = b;

    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

static int by_position(const void *a, const void *b)
{
    return pk_slice_compare(*(const pk_slice *)a, *(const pk_slice *)b);
}

static pk_slice collection_of(const struct pk_heat_sample *sample)
{
    return (pk_slice){sample->position, sample->hash_len};
}

static pk_slice position_of(const struct pk_heat_sample *sample)
{
    return (pk_slice){sample->position, sample->len};
}

static void view_sample(const struct pk_heat_sample *samples, size_t count,
                        enum pk_cutting collections, struct view *view)
{
    view->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct pk_heat_sample *sample = &samples[i];

        view->arrived[i] = sample;
        view->sorted[i] =
            collections == PK_COLLECTIONS_WHOLE ? collection_of(sample) : position_of(sample);
    }
    qsort(view->arrived, view->count, sizeof(view->arrived[0]), by_number);
    qsort(view->sorted, view->count, sizeof(view->sorted[0]), by_position);
}

/* Runs of equal positions, the longest first; a run that comes later in the order of keys stands
 * behind one of the same length. */
size_t pk_heat_hottest(const struct pk_heat *heat, struct pk_heat_top *top, size_t max)
{
    struct view view;
    size_t count = 0;

    if (heat->before_count > heat->count)
        view_sample(heat->before, heat->before_count, PK_COLLECTIONS_CUT, &view);
    else
        view_sample(heat->samples, heat->count, PK_COLLECTIONS_CUT, &view);
    for (size_t i = 0, next; i < view.count; i = next) {
        size_t at;
        uint32_t share;

        next = i + 1;
        while (next < view.count && pk_slice_equal(view.sorted[next], view.sorted[i]))
            next++;
        share = (uint32_t)((next - i) * MILLI / view.count);
        for (at = count; at > 0 && top[at - 1].share_milli < share; at--)
            if (at < max)
                top[at] = top[at - 1];
        if (at < max)
            top[at] = (struct pk_heat_top){view.sorted[i], share};
        if (at < max && count < max)
            count++;
    }
    return count;
}

/* The most frequent position: sorted[*first .. *end). */
static void find_top(const struct view *view, size_t *first, size_t *end)
{
    *first = *end = 0;
    for (size_t i = 0, next; i < view->count; i = next) {
        next = i + 1;
        while (next < view->count && pk_slice_equal(view->sorted[next], view->sorted[i]))
            next++;
        if (next - i > *end - *first) {
            *first = i;
            *end = next;
        }
    }
}

static bool is_share(size_t part, size_t whole, int64_t milli)
{
    return (int64_t)part * MILLI >= (int64_t)whole * milli;
}

/* Whether one item has the heat, whatever stays whole. */
static bool is_single_item(const struct pk_heat *heat, const struct pk_heat_rules *rules)
{
    struct view view;
    size_t first, end;

    view_sample(heat->samples, heat->count, PK_COLLECTIONS_CUT, &view);
    find_top(&view, &first, &end);
    return is_share(end - first, view.count, rules->single_item_milli);
}

/* Rule 1: cuts on the side of the hot position where more of the others' heat lies. */
static enum pk_split_verdict isolate(const struct view *view, const struct pk_heat_rules *rules,
                                     pk_slice *boundary)
{
    size_t first, end, below, above;

    find_top(view, &first, &end);
    below = first;
    above = view->count - end;
    if (rules->no_isolation || below + above == 0 ||
        !is_share(below + above, view->count, rules->isolate_min_milli))
        return PK_SPLIT_SINGLE_ITEM;
    *boundary = above >= below ? view->sorted[end] : view->sorted[first];
    return PK_SPLIT_AT;
}

/* Rule 4: the weighted median stays on the left, unless nothing is greater. */
static void cut_at_median(const struct view *view, pk_slice *boundary)
{
    size_t median = (view->count - 1) / 2;

    *boundary = view->sorted[median];
    for (size_t i = median + 1; i < view->count; i++) {
        if (pk_slice_compare(view->sorted[i], view->sorted[median]) > 0) {
            *boundary = view->sorted[i];
            return;
        }
    }
}

static bool is_one_collection(const struct view *view)
{
    for (size_t i = 1; i < view->count; i++)
        if (!pk_slice_equal(collection_of(view->arrived[i]), collection_of(view->arrived[0])))
            return false;
    return true;
}

/* Nearly every key lies beyond all before it, on the same side. */
static bool is_monotonic(const struct view *view, const struct pk_heat_rules *rules)
{
    pk_slice least = position_of(view->arrived[0]), greatest = least;
    size_t below = 0, above = 0;

    for (size_t i = 1; i < view->count; i++) {
        pk_slice position = position_of(view->arrived[i]);

        if (pk_slice_compare(position, greatest) > 0) {
            greatest = position;
            above++;
        } else if (pk_slice_compare(position, least) < 0) {
            least = position;
            below++;
        }
    }
    return is_share(above, view->count - 1, rules->monotonic_milli) ||
           is_share(below, view->count - 1, rules->monotonic_milli);
}

static bool is_sequential(const struct view *view, const struct pk_heat_rules *rules)
{
    size_t up = 0, down = 0;

    for (size_t i = 1; i < view->count; i++) {
        int order =
            pk_slice_compare(position_of(view->arrived[i]), position_of(view->arrived[i - 1]));

        up += order > 0;
        down += order < 0;
    }
    return is_share(up, view->count - 1, rules->sequential_milli) ||
           is_share(down, view->count - 1, rules->sequential_milli);
}

enum pk_split_verdict pk_heat_decide(const struct pk_heat *heat, const struct pk_heat_rules *rules,
                                     enum pk_cutting collections, pk_slice *boundary)
{
    struct view view;

    if (heat->count == 0)
        pk_bug("a split is decided without a request");
    view_sample(heat->samples, heat->count, collections, &view);
    if (heat->count == 1)
        return PK_SPLIT_SINGLE_ITEM;
    if (is_single_item(heat, rules))
        return isolate(&view, rules, boundary);
    if (is_one_collection(&view)) {
        if (collections == PK_COLLECTIONS_WHOLE)
            return PK_SPLIT_LSI_COLLECTION;
        if (is_monotonic(&view, rules))
            return PK_SPLIT_MONOTONIC;
    } else if (is_sequential(&view, rules)) {
        return PK_SPLIT_SEQUENTIAL;
    }
    cut_at_median(&view, boundary);
    return PK_SPLIT_AT;
}
