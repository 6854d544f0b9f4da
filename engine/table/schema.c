/* Lookups in descriptors, and their life. The public struct is the head of a box that holds what
 * only the engine needs. */
#include "engine/schema.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "engine/table/descriptor.h"
#include "engine/table/table_spec.h"

struct box {
    struct pk_table table; /* first: a pointer to it is a pointer to the box */
    struct pk_arena arena;
    struct pk_counters *counters;
    struct pk_companion *companion;
    atomic_uint refs;
    atomic_bool stale;
};

static struct box *box_of(struct pk_table *table)
{
    return (struct box *)table;
}

static const struct box *const_box_of(const struct pk_table *table)
{
    return (const struct box *)table;
}

struct pk_table *pk_table_new(void)
{
    struct box *box = pk_calloc(1, sizeof(*box));

    atomic_init(&box->refs, 1);
    atomic_init(&box->stale, false);
    return &box->table;
}

struct pk_arena *pk_table_arena(struct pk_table *table)
{
    return &box_of(table)->arena;
}

struct pk_table *pk_table_ref(struct pk_table *table)
{
    atomic_fetch_add_explicit(&box_of(table)->refs, 1, memory_order_relaxed);
    return table;
}

static void companion_unref(struct pk_companion *companion)
{
    if (companion != NULL &&
        atomic_fetch_sub_explicit(&companion->refs, 1, memory_order_acq_rel) == 1)
        companion->free(companion);
}

void pk_table_unref(struct pk_table *table)
{
    struct box *box = box_of(table);

    if (box == NULL || atomic_fetch_sub_explicit(&box->refs, 1, memory_order_acq_rel) > 1)
        return;
    pk_arena_release(&box->arena);
    pk_counters_unref(box->counters);
    companion_unref(box->companion);
    free(box);
}

struct pk_counted_index pk_index_counted(const struct pk_index *index)
{
    return (struct pk_counted_index){index->id, index->local ? 0 : index->partitions.next_id};
}

void pk_table_count(struct pk_table *table)
{
    struct pk_counted_index indexes[PK_GSI_MAX + PK_LSI_MAX];
    size_t count = 0;

    for (size_t i = 0; i < table->index_count && count < PK_GSI_MAX + PK_LSI_MAX; i++)
        indexes[count++] = pk_index_counted(&table->indexes[i]);
    pk_counters_unref(box_of(table)->counters);
    box_of(table)->counters = pk_counters_new(table->partitions.next_id, indexes, count);
}

struct pk_counters *pk_table_counters(const struct pk_table *table)
{
    return const_box_of(table)->counters;
}

void pk_table_set_companion(struct pk_table *table, struct pk_companion *companion_take)
{
    companion_unref(box_of(table)->companion);
    box_of(table)->companion = companion_take;
}

struct pk_companion *pk_table_companion(const struct pk_table *table)
{
    return const_box_of(table)->companion;
}

bool pk_table_is_stale(const struct pk_table *table)
{
    return atomic_load_explicit(&const_box_of(table)->stale, memory_order_acquire);
}

void pk_table_set_stale(struct pk_table *table)
{
    atomic_store_explicit(&box_of(table)->stale, true, memory_order_release);
}

struct pk_table *pk_table_copy(const struct pk_table *table)
{
    struct pk_buf bytes = PK_BUF_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_table *copy = NULL;

    pk_table_store(table, &bytes);
    if (pk_table_load(pk_buf_slice(&bytes), &copy, &err) != PK_OK)
        pk_bug("a descriptor does not read back: %s", err.message);
    pk_buf_release(&bytes);
    pk_counters_unref(box_of(copy)->counters);
    box_of(copy)->counters = pk_counters_ref(const_box_of(table)->counters);
    box_of(copy)->companion = const_box_of(table)->companion;
    if (box_of(copy)->companion != NULL)
        atomic_fetch_add_explicit(&box_of(copy)->companion->refs, 1, memory_order_relaxed);
    return copy;
}

/* Lookups --------------------------------------------------------------------------------------*/

bool pk_scaling_valid(const struct pk_scaling *scaling)
{
    return scaling->min >= 1 && scaling->min <= scaling->max && scaling->max <= PK_THROUGHPUT_MAX &&
           scaling->target_percent >= PK_SCALING_TARGET_LEAST &&
           scaling->target_percent <= PK_SCALING_TARGET_MOST;
}

bool pk_table_serves(const struct pk_table *table)
{
    return table->status == PK_STATUS_ACTIVE || table->status == PK_STATUS_UPDATING;
}

const struct pk_index *pk_table_index(const struct pk_table *table, pk_slice name)
{
    for (size_t i = 0; i < table->index_count; i++) {
        if (pk_slice_equal(table->indexes[i].name, name))
            return &table->indexes[i];
    }
    return NULL;
}

enum pk_kind pk_table_attribute_type(const struct pk_table *table, pk_slice name)
{
    for (size_t i = 0; i < table->attribute_count; i++) {
        if (pk_slice_equal(table->attributes[i].name, name))
            return table->attributes[i].type;
    }
    return PK_MISSING;
}

const char *pk_projection_name(enum pk_projection_type type)
{
    switch (type) {
    case PK_PROJECT_ALL:
        return "ALL";
    case PK_PROJECT_KEYS_ONLY:
        return "KEYS_ONLY";
    case PK_PROJECT_INCLUDE:
        return "INCLUDE";
    }
    return "";
}

const char *pk_stream_view_name(enum pk_stream_view view)
{
    switch (view) {
    case PK_STREAM_OFF:
        break;
    case PK_STREAM_KEYS_ONLY:
        return "KEYS_ONLY";
    case PK_STREAM_NEW_IMAGE:
        return "NEW_IMAGE";
    case PK_STREAM_OLD_IMAGE:
        return "OLD_IMAGE";
    case PK_STREAM_NEW_AND_OLD:
        return "NEW_AND_OLD_IMAGES";
    }
    return "";
}

bool pk_key_schema_has(const struct pk_key_schema *key, pk_slice name)
{
    for (size_t i = 0; i < key->hash_count; i++) {
        if (pk_slice_equal(key->hash[i].name, name))
            return true;
    }
    for (size_t i = 0; i < key->range_count; i++) {
        if (pk_slice_equal(key->range[i].name, name))
            return true;
    }
    return false;
}

bool pk_index_projects(const struct pk_table *table, const struct pk_index *index, pk_slice name)
{
    if (index->projection == PK_PROJECT_ALL || pk_key_schema_has(&table->key, name) ||
        pk_key_schema_has(&index->key, name))
        return true;
    for (size_t i = 0; i < index->include_count; i++) {
        if (pk_slice_equal(index->include[i], name))
            return true;
    }
    return false;
}

/* Tags -----------------------------------------------------------------------------------------*/

static int compare_tags(const void *a, const void *b)
{
    const struct pk_tag *first = a;
    const struct pk_tag *second = b;

    return pk_slice_compare(first->key, second->key);
}

void pk_table_set_tags(struct pk_table *table, const struct pk_tag *tags, size_t count)
{
    struct pk_arena *arena = pk_table_arena(table);
    struct pk_tag *all = PK_NEW_ARRAY(arena, struct pk_tag, table->tag_count + count);
    size_t n = table->tag_count;

    for (size_t i = 0; i < n; i++)
        all[i] = table->tags[i];
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < n && !pk_slice_equal(all[at].key, tags[i].key))
            at++;
        if (at == n)
            all[n++].key = pk_arena_dup(arena, tags[i].key);
        all[at].value = pk_arena_dup(arena, tags[i].value);
    }
    if (n > 0)
        qsort(all, n, sizeof(*all), compare_tags);
    table->tags = all;
    table->tag_count = n;
}

void pk_table_remove_tags(struct pk_table *table, const pk_slice *keys, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->tag_count; i++) {
        bool gone = false;

        for (size_t k = 0; k < count && !gone; k++)
            gone = pk_slice_equal(table->tags[i].key, keys[k]);
        if (!gone)
            table->tags[kept++] = table->tags[i];
    }
    table->tag_count = kept;
}
