/*
 * Seconds of partitions; see panel_model.h.
 *
 * Invariants: entries are ordered by id. A cell of the ring belongs to the second that is its index
 * modulo SH_MODEL_SECONDS, as long as that second is among the last SH_MODEL_SECONDS of its entry.
 */
#include "shell/panel/panel_model.h"

#include <stdlib.h>

#include "shell/panel/gauge.h"

enum {
    REFUSED = 0x80, /* in a cell: refused; the rest is 0 for unknown, or 1 + share / 10 */
    FULL_FEEDS = 3, /* snapshots with all of the history after something new was seen */
    MARGIN = 4      /* seconds that are asked for again and again */
};

struct entry {
    uint32_t id, parent, number;
    uint64_t first_token;
    int64_t born;      /* -1: not known */
    int64_t newest;    /* the last second in the ring; -1: none */
    int64_t last_seen; /* the second of the snapshot that had it */
    uint8_t cells[SH_MODEL_SECONDS];
};

struct sh_model {
    struct entry **entries;
    size_t count;
    char *table; /* "table" or "table.index", owned */
    int64_t now; /* -1: nothing was fed */
    uint32_t speed;
    int full_feeds;
};

struct sh_model *sh_model_new(void)
{
    struct sh_model *model = pk_calloc(1, sizeof(*model));

    model->entries = pk_calloc(SH_MODEL_PARTITIONS, sizeof(struct entry *));
    model->now = -1;
    model->full_feeds = FULL_FEEDS;
    return model;
}

void sh_model_clear(struct sh_model *model)
{
    for (size_t i = 0; i < model->count; i++)
        free(model->entries[i]);
    model->count = 0;
    free(model->table);
    model->table = NULL;
    model->now = -1;
    model->full_feeds = FULL_FEEDS;
}

void sh_model_free(struct sh_model *model)
{
    if (model == NULL)
        return;
    sh_model_clear(model);
    free(model->entries);
    free(model);
}

/* Where the id is, or belongs. */
static size_t place_of(const struct sh_model *model, uint32_t id)
{
    size_t low = 0;
    size_t high = model->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (model->entries[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct entry *find(const struct sh_model *model, uint32_t id)
{
    size_t at = place_of(model, id);

    return at < model->count && model->entries[at]->id == id ? model->entries[at] : NULL;
}

static void forget_one(struct sh_model *model)
{
    size_t oldest = 0;

    for (size_t i = 1; i < model->count; i++)
        if (model->entries[i]->last_seen < model->entries[oldest]->last_seen)
            oldest = i;
    free(model->entries[oldest]);
    model->count--;
    memmove(&model->entries[oldest], &model->entries[oldest + 1],
            (model->count - oldest) * sizeof(struct entry *));
}

static struct entry *find_or_add(struct sh_model *model, uint32_t id)
{
    struct entry *entry = find(model, id);

    if (entry != NULL)
        return entry;
    if (model->count == SH_MODEL_PARTITIONS)
        forget_one(model);

    size_t at = place_of(model, id);

    memmove(&model->entries[at + 1], &model->entries[at],
            (model->count - at) * sizeof(struct entry *));
    entry = pk_calloc(1, sizeof(*entry));
    entry->id = id;
    entry->born = -1;
    entry->newest = -1;
    model->entries[at] = entry;
    model->count++;
    model->full_feeds = FULL_FEEDS;
    return entry;
}

static uint8_t *cell_of(struct entry *entry, int64_t second)
{
    return &entry->cells[second % SH_MODEL_SECONDS];
}

static void set_second(struct entry *entry, int64_t second, uint8_t cell)
{
    if (second < 0 || second <= entry->newest - SH_MODEL_SECONDS)
        return;
    if (second >= entry->newest + SH_MODEL_SECONDS)
        memset(entry->cells, 0, sizeof(entry->cells));
    else
        for (int64_t s = entry->newest + 1; s < second; s++)
            *cell_of(entry, s) = 0;
    /* a second that is over stays as it was against the limit of its time */
    if (second >= entry->newest || *cell_of(entry, second) == 0)
        *cell_of(entry, second) = cell;
    if (second > entry->newest)
        entry->newest = second;
}

static uint8_t make_cell(const struct cmd_snapshot_partition *partition, size_t i)
{
    int read = sh_share(partition->read_milli[i] / 1000, partition->read.limit);
    int write = sh_share(partition->write_milli[i] / 1000, partition->write.limit);
    int share = read > write ? read : write;
    bool some = partition->read_milli[i] > 0 || partition->write_milli[i] > 0;

    if (share == 0 && some)
        share = 1; /* less than a unit, or no limit to hold it against */
    return (uint8_t)(1 + (share + 9) / 10 + (partition->refused[i] > 0 ? REFUSED : 0));
}

static void feed_partition(struct sh_model *model, const struct cmd_snapshot_partition *partition)
{
    struct entry *entry = find_or_add(model, partition->id);
    size_t skip = partition->history_count > SH_MODEL_SECONDS
                      ? partition->history_count - SH_MODEL_SECONDS
                      : 0;
    int64_t first = model->now - (int64_t)partition->history_count;

    if (entry->newest >= 0 && entry->newest + 1 < first)
        model->full_feeds = FULL_FEEDS; /* a gap: ask for more than the last seconds */
    entry->parent = partition->parent;
    entry->number = partition->number;
    entry->first_token = partition->first_token;
    entry->last_seen = model->now;
    for (size_t i = skip; i < partition->history_count; i++)
        set_second(entry, first + (int64_t)i, make_cell(partition, i));
}

static void feed_splits(const struct sh_model *model, const struct cmd_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->split_count; i++)
        for (int c = 0; c < 2; c++) {
            struct entry *child = find(model, snapshot->splits[i].children[c]);

            if (child != NULL)
                child->born = snapshot->splits[i].time_ms / 1000;
        }
}

/* True when the snapshot is of the table that is known already. */
static bool same_table(const struct sh_model *model, const struct cmd_snapshot *snapshot)
{
    size_t table = snapshot->table.len;

    return model->table != NULL && strlen(model->table) == table + 1 + snapshot->index.len &&
           pk_slice_starts(pk_slice_cstr(model->table), snapshot->table) &&
           pk_slice_equal(pk_slice_cstr(model->table + table + 1), snapshot->index);
}

void sh_model_feed(struct sh_model *model, const struct cmd_snapshot *snapshot)
{
    int64_t now = snapshot->time_ms / 1000;

    if (!same_table(model, snapshot) || now < model->now) {
        struct pk_buf name = PK_BUF_INIT;

        sh_model_clear(model);
        pk_buf_printf(&name, "%.*s.%.*s", PK_FMT(snapshot->table), PK_FMT(snapshot->index));
        model->table = pk_buf_detach(&name);
    }
    if (model->full_feeds > 0)
        model->full_feeds--;
    model->now = now;
    model->speed = snapshot->speed;
    for (size_t i = 0; i < snapshot->hot_count; i++)
        feed_partition(model, &snapshot->hot[i]);
    for (size_t i = 0; i < snapshot->count && i + snapshot->hot_count < SH_MODEL_PARTITIONS; i++)
        feed_partition(model, &snapshot->partitions[i]);
    feed_splits(model, snapshot);
}

int64_t sh_model_now(const struct sh_model *model)
{
    return model->now < 0 ? 0 : model->now;
}

uint32_t sh_model_wants(const struct sh_model *model)
{
    uint64_t few = MARGIN + (uint64_t)MARGIN * (model->speed > 0 ? model->speed : 1);

    if (model->full_feeds > 0 || few > SH_MODEL_SECONDS)
        return SH_MODEL_SECONDS;
    return (uint32_t)few;
}

struct sh_model_second sh_model_at(const struct sh_model *model, uint32_t id, int64_t second)
{
    const struct entry *entry = find(model, id);

    /* no family is longer than what is kept */
    for (size_t i = 0; entry != NULL && i < SH_MODEL_PARTITIONS; i++) {
        bool kept =
            second >= 0 && second <= entry->newest && second > entry->newest - SH_MODEL_SECONDS;
        uint8_t cell = kept ? entry->cells[second % SH_MODEL_SECONDS] : 0;

        if (cell != 0 && second >= entry->born)
            return (struct sh_model_second){true, (cell & REFUSED) != 0,
                                            ((cell & ~REFUSED) - 1) * 10};
        if (entry->parent == entry->id)
            break;
        entry = find(model, entry->parent);
    }
    return (struct sh_model_second){false, false, 0};
}

int64_t sh_model_born(const struct sh_model *model, uint32_t id)
{
    const struct entry *entry = find(model, id);

    return entry == NULL ? -1 : entry->born;
}

bool sh_model_is_heir(const struct sh_model *model, uint32_t id)
{
    const struct entry *entry = find(model, id);
    const struct entry *parent = entry == NULL ? NULL : find(model, entry->parent);

    if (parent == NULL || parent == entry)
        return true;
    if (entry->first_token != parent->first_token)
        return false;
    /* a boundary inside an item collection: two children begin with the same token */
    for (size_t i = 0; i < model->count; i++) {
        const struct entry *other = model->entries[i];

        if (other != entry && other->parent == entry->parent && other->id != entry->parent &&
            other->first_token == entry->first_token && other->number < entry->number)
            return false;
    }
    return true;
}
