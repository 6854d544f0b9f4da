/*
 * A descriptor as bytes: a version byte and an item, so that the same walker reads it as reads
 * everything else, and a later version adds attributes without breaking older stores.
 *
 * When you add a field to struct pk_table or pk_index, add a line to its writer and its reader.
 */
#include "engine/table/descriptor.h"

#include "engine/item.h"
#include "engine/store/token_part.h"
#include "engine/table/partition_map.h"

/* A descriptor with borders is one that an older program must not take for an even one. */
enum { FORM_VERSION = 1, FORM_VERSION_BORDERS = 2 };

/* Writing --------------------------------------------------------------------------------------*/

struct writer {
    struct pk_member_vec members;
    struct pk_arena *arena;
};

static void put(struct writer *to, const char *name, pk_value value)
{
    pk_member_vec_add(&to->members, to->arena, pk_slice_cstr(name), value);
}

static void put_int(struct writer *to, const char *name, int64_t number)
{
    if (number != 0)
        put(to, name, pk_value_int(to->arena, number));
}

static void put_text(struct writer *to, const char *name, pk_slice text)
{
    if (text.data != NULL)
        put(to, name, pk_value_string(text));
}

static void put_texts(struct writer *to, const char *name, const pk_slice *texts, size_t count)
{
    struct pk_value_vec list = {0};

    for (size_t i = 0; i < count; i++)
        pk_value_vec_add(&list, to->arena, pk_value_string(texts[i]));
    put(to, name, pk_value_list(list.data, list.len));
}

/* Attributes and their types: ["PK", "S", "SK", "S"]. */
static void put_attrs(struct writer *to, const char *name, const struct pk_key_attr *attrs,
                      size_t count)
{
    struct pk_value_vec list = {0};

    for (size_t i = 0; i < count; i++) {
        pk_slice tag = pk_slice_cstr(pk_kind_tag(attrs[i].type));

        pk_value_vec_add(&list, to->arena, pk_value_string(attrs[i].name));
        pk_value_vec_add(&list, to->arena, pk_value_string(tag));
    }
    put(to, name, pk_value_list(list.data, list.len));
}

static void put_key(struct writer *to, const struct pk_key_schema *key)
{
    put_attrs(to, "hash", key->hash, key->hash_count);
    put_attrs(to, "range", key->range, key->range_count);
}

static void put_scaling(struct writer *to, const char *const names[3],
                        const struct pk_scaling *scaling)
{
    put_int(to, names[0], scaling->min);
    put_int(to, names[1], scaling->max);
    put_int(to, names[2], scaling->target_percent);
}

static const char *const scale_read[] = {"scale_read_min", "scale_read_max", "scale_read_target"};
static const char *const scale_write[] = {"scale_write_min", "scale_write_max",
                                          "scale_write_target"};

static void put_throughput(struct writer *to, const struct pk_throughput *throughput,
                           const struct pk_max_throughput *max)
{
    put_int(to, "read", throughput->read);
    put_int(to, "write", throughput->write);
    put_int(to, "increased", throughput->increased_ms);
    put_int(to, "decreased", throughput->decreased_ms);
    put_int(to, "first_decrease", throughput->first_decrease_ms);
    put_int(to, "decreases", throughput->decreases_today);
    put_scaling(to, scale_read, &throughput->scale_read);
    put_scaling(to, scale_write, &throughput->scale_write);
    put_int(to, "max_read", max->read);
    put_int(to, "max_write", max->write);
}

/* Their number alone says all of even ones. */
static void put_partitions(struct writer *to, const struct pk_partitions *partitions)
{
    struct pk_value_vec list = {0};

    put_int(to, "partitions", partitions->count);
    if (partitions->even)
        return;
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct pk_partition_entry *one = &partitions->list[i];

        pk_value_vec_add(&list, to->arena, pk_value_int(to->arena, one->id));
        pk_value_vec_add(&list, to->arena, pk_value_int(to->arena, one->parent));
        pk_value_vec_add(&list, to->arena, pk_value_binary(one->first));
    }
    put(to, "borders", pk_value_list(list.data, list.len));
    put_int(to, "next_partition", partitions->next_id);
}

static pk_value finish(const struct writer *to)
{
    return pk_value_map(to->members.data, to->members.len);
}

static pk_value index_value(const struct pk_index *index, struct pk_arena *arena)
{
    struct writer to = {.arena = arena};

    put_int(&to, "id", index->id);
    put_text(&to, "name", index->name);
    put_int(&to, "local", index->local);
    put_key(&to, &index->key);
    put_int(&to, "projection", (int64_t)index->projection);
    put_texts(&to, "include", index->include, index->include_count);
    put_int(&to, "status", (int64_t)index->status);
    put_int(&to, "backfilling", index->backfilling);
    put_throughput(&to, &index->throughput, &index->max);
    if (index->local)
        put_int(&to, "partitions", index->partitions.count);
    else
        put_partitions(&to, &index->partitions);
    return finish(&to);
}

static void put_indexes(struct writer *to, const struct pk_table *table)
{
    struct pk_value_vec list = {0};

    for (size_t i = 0; i < table->index_count; i++)
        pk_value_vec_add(&list, to->arena, index_value(&table->indexes[i], to->arena));
    put(to, "indexes", pk_value_list(list.data, list.len));
}

static pk_value shard_value(const struct pk_shard *shard, struct pk_arena *arena)
{
    struct writer to = {.arena = arena};

    put_int(&to, "serial", shard->serial);
    put_int(&to, "parent", shard->parent);
    put_int(&to, "number", shard->number);
    put_int(&to, "opened", shard->opened_ms);
    put_int(&to, "first", (int64_t)shard->first);
    put_int(&to, "end", (int64_t)shard->end);
    return finish(&to);
}

static pk_value stream_value(const struct pk_stream *stream, struct pk_arena *arena)
{
    struct writer to = {.arena = arena};
    struct pk_value_vec shards = {0};

    for (size_t i = 0; i < stream->shard_count; i++)
        pk_value_vec_add(&shards, arena, shard_value(&stream->shards[i], arena));
    put_int(&to, "label", stream->label_ms);
    put_int(&to, "closed", stream->closed_ms);
    put_int(&to, "view", (int64_t)stream->view);
    put(&to, "shards", pk_value_list(shards.data, shards.len));
    return finish(&to);
}

static void put_streams(struct writer *to, const struct pk_table *table)
{
    struct pk_value_vec list = {0};

    for (size_t i = 0; i < table->stream_count; i++)
        pk_value_vec_add(&list, to->arena, stream_value(&table->streams[i], to->arena));
    if (list.len > 0)
        put(to, "streams", pk_value_list(list.data, list.len));
}

static void put_tags(struct writer *to, const struct pk_table *table)
{
    struct pk_value_vec list = {0};

    for (size_t i = 0; i < table->tag_count; i++) {
        pk_value_vec_add(&list, to->arena, pk_value_string(table->tags[i].key));
        pk_value_vec_add(&list, to->arena, pk_value_string(table->tags[i].value));
    }
    put(to, "tags", pk_value_list(list.data, list.len));
}

static void put_restore(struct writer *to, const struct pk_restore *restore)
{
    put_text(to, "restored_from", restore->source);
    put_text(to, "restored_label", restore->label);
    put_int(to, "restored", restore->at_ms);
    put_int(to, "restoring", restore->copying);
}

static bool has_borders(const struct pk_table *table)
{
    bool any = !table->partitions.even;

    for (size_t i = 0; i < table->index_count; i++)
        any = any || !table->indexes[i].partitions.even;
    return any;
}

void pk_table_store(const struct pk_table *table, struct pk_buf *out)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct writer to = {.arena = &arena};

    put_int(&to, "id", table->id);
    put_text(&to, "name", table->name);
    put_text(&to, "uuid", table->uuid);
    put_int(&to, "status", (int64_t)table->status);
    put_int(&to, "until", table->until_ms);
    put_int(&to, "created", table->created_ms);
    put_key(&to, &table->key);
    put_attrs(&to, "attributes", table->attributes, table->attribute_count);
    put_indexes(&to, table);
    put_int(&to, "billing", (int64_t)table->billing);
    put_int(&to, "on_demand_since", table->on_demand_since_ms);
    put_throughput(&to, &table->throughput, &table->max);
    put_int(&to, "warm_read", table->warm_read);
    put_int(&to, "warm_write", table->warm_write);
    put_int(&to, "stream", (int64_t)table->stream);
    put_streams(&to, table);
    put_int(&to, "ttl", (int64_t)table->ttl);
    put_text(&to, "ttl_attribute", table->ttl_attribute);
    put_int(&to, "ttl_changed", table->ttl_changed_ms);
    put_int(&to, "protected", table->deletion_protection);
    put_int(&to, "infrequent", table->infrequent_access);
    put_int(&to, "class_given", table->class_given);
    put_int(&to, "class_changed", table->class_changed_ms);
    put_tags(&to, table);
    put_restore(&to, &table->restore);
    put_partitions(&to, &table->partitions);
    pk_buf_add_byte(out, has_borders(table) ? FORM_VERSION_BORDERS : FORM_VERSION);
    pk_view_encode(out, finish(&to));
    pk_arena_release(&arena);
}

/* Reading --------------------------------------------------------------------------------------*/

/* What is read lives in the descriptor's arena; `bad` sticks. */
struct reader {
    pk_value map;
    struct pk_arena *arena;
    bool bad;
};

static pk_value get(const struct reader *from, const char *name)
{
    return pk_value_get(from->map, pk_slice_cstr(name));
}

static int64_t int_of(struct reader *from, pk_value value)
{
    int64_t number = 0;

    if (pk_value_kind(value) == PK_NUMBER) {
        struct pk_num num = pk_value_num(value);

        if (pk_num_to_int(&num, &number))
            return number;
    }
    from->bad = true;
    return 0;
}

static int64_t get_int(struct reader *from, const char *name)
{
    pk_value value = get(from, name);

    return pk_value_kind(value) == PK_MISSING ? 0 : int_of(from, value);
}

static uint32_t u32_of(struct reader *from, pk_value value)
{
    int64_t number = int_of(from, value);

    if (number < 0 || number > UINT32_MAX)
        from->bad = true;
    return (uint32_t)number;
}

static uint32_t get_u32(struct reader *from, const char *name)
{
    pk_value value = get(from, name);

    return pk_value_kind(value) == PK_MISSING ? 0 : u32_of(from, value);
}

/* An enum of `count` values that begins at 0. */
static int get_enum(struct reader *from, const char *name, int count)
{
    int64_t number = get_int(from, name);

    if (number < 0 || number >= count) {
        from->bad = true;
        return 0;
    }
    return (int)number;
}

static pk_slice text_of(struct reader *from, pk_value value)
{
    if (pk_value_kind(value) != PK_STRING) {
        from->bad = true;
        return (pk_slice){NULL, 0};
    }
    return pk_arena_dup(from->arena, pk_value_bytes(value));
}

/* The named list; an absent one is empty. */
static pk_value get_list(struct reader *from, const char *name)
{
    pk_value list = get(from, name);

    if (pk_value_kind(list) == PK_LIST)
        return list;
    if (pk_value_kind(list) != PK_MISSING)
        from->bad = true;
    return pk_value_list(NULL, 0);
}

static size_t get_attrs(struct reader *from, const char *name, struct pk_key_attr *attrs,
                        size_t max)
{
    pk_value list = get_list(from, name);
    size_t count = list.len / 2;

    if (list.len % 2 != 0 || count > max) {
        from->bad = true;
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        attrs[i].name = text_of(from, list.u.items[2 * i]);
        attrs[i].type = pk_kind_from_tag(text_of(from, list.u.items[2 * i + 1]));
        if (attrs[i].type != PK_STRING && attrs[i].type != PK_NUMBER && attrs[i].type != PK_BINARY)
            from->bad = true;
    }
    return count;
}

static void get_key(struct reader *from, struct pk_key_schema *key)
{
    key->hash_count = (uint8_t)get_attrs(from, "hash", key->hash, PK_KEY_PARTS_MAX);
    key->range_count = (uint8_t)get_attrs(from, "range", key->range, PK_KEY_PARTS_MAX);
    if (key->hash_count == 0)
        from->bad = true;
}

/* Off, or within what pk_engine_set_scaling accepts. */
static void get_scaling(struct reader *from, const char *const names[3], struct pk_scaling *scaling)
{
    scaling->min = get_int(from, names[0]);
    scaling->max = get_int(from, names[1]);
    scaling->target_percent = get_int(from, names[2]);
    if (scaling->max != 0 && !pk_scaling_valid(scaling))
        from->bad = true;
}

static void get_throughput(struct reader *from, struct pk_throughput *throughput,
                           struct pk_max_throughput *max)
{
    throughput->read = get_int(from, "read");
    throughput->write = get_int(from, "write");
    throughput->increased_ms = get_int(from, "increased");
    throughput->decreased_ms = get_int(from, "decreased");
    throughput->first_decrease_ms = get_int(from, "first_decrease");
    throughput->decreases_today = get_int(from, "decreases");
    get_scaling(from, scale_read, &throughput->scale_read);
    get_scaling(from, scale_write, &throughput->scale_write);
    max->read = get_int(from, "max_read");
    max->write = get_int(from, "max_write");
}

static void get_borders(struct reader *from, pk_value list, struct pk_partitions *to)
{
    if (list.len != 3 * (size_t)to->count) {
        from->bad = true;
        return;
    }
    to->list = PK_NEW_ARRAY(from->arena, struct pk_partition_entry, to->count);
    for (uint32_t i = 0; i < to->count; i++) {
        pk_value first = list.u.items[3 * i + 2];

        to->list[i].id = u32_of(from, list.u.items[3 * i]);
        to->list[i].parent = u32_of(from, list.u.items[3 * i + 1]);
        if (pk_value_kind(first) == PK_BINARY)
            to->list[i].first = pk_arena_dup(from->arena, pk_value_bytes(first));
        else
            from->bad = true;
    }
    from->bad = from->bad || !pk_partitions_check(to);
}

/* Without borders they are even. */
static void get_partitions(struct reader *from, struct pk_partitions *to)
{
    uint32_t count = get_u32(from, "partitions");
    pk_value borders = get(from, "borders");

    if (count == 0 || count > PK_PARTITIONS_MAX) {
        from->bad = true;
    } else if (pk_value_kind(borders) == PK_MISSING) {
        pk_partitions_even(to, count, from->arena);
    } else {
        *to = (struct pk_partitions){.count = count, .next_id = get_u32(from, "next_partition")};
        get_borders(from, get_list(from, "borders"), to);
    }
}

static void get_index(struct reader *from, struct pk_index *index)
{
    pk_value include = get_list(from, "include");

    index->id = get_u32(from, "id");
    index->name = text_of(from, get(from, "name"));
    index->local = get_int(from, "local") != 0;
    get_key(from, &index->key);
    index->projection =
        (enum pk_projection_type)get_enum(from, "projection", PK_PROJECT_INCLUDE + 1);
    index->include_count = include.len;
    index->include = PK_NEW_ARRAY(from->arena, pk_slice, include.len);
    for (size_t i = 0; i < include.len; i++)
        index->include[i] = text_of(from, include.u.items[i]);
    index->status = (enum pk_status)get_enum(from, "status", PK_STATUS_DELETING + 1);
    index->backfilling = get_int(from, "backfilling") != 0;
    get_throughput(from, &index->throughput, &index->max);
    get_partitions(from, &index->partitions);
}

static void get_indexes(struct reader *from, struct pk_table *table)
{
    pk_value list = get_list(from, "indexes");

    if (list.len > PK_GSI_MAX + PK_LSI_MAX) {
        from->bad = true;
        return;
    }
    table->indexes = PK_NEW_ARRAY(from->arena, struct pk_index, list.len);
    table->index_count = list.len;
    for (size_t i = 0; i < list.len; i++) {
        struct reader one = {.map = list.u.items[i], .arena = from->arena};

        get_index(&one, &table->indexes[i]);
        if (table->indexes[i].local)
            table->local_count++;
        from->bad = from->bad || one.bad;
    }
}

static uint64_t get_u64(struct reader *from, const char *name)
{
    int64_t number = get_int(from, name);

    if (number < 0)
        from->bad = true;
    return (uint64_t)number;
}

static bool get_stream(pk_value map, struct pk_arena *arena, struct pk_stream *stream)
{
    struct reader from = {.map = map, .arena = arena};
    pk_value list = get_list(&from, "shards");

    stream->label_ms = get_int(&from, "label");
    stream->closed_ms = get_int(&from, "closed");
    stream->view = (enum pk_stream_view)get_enum(&from, "view", PK_STREAM_NEW_AND_OLD + 1);
    stream->shard_count = list.len;
    stream->shards = PK_NEW_ARRAY(arena, struct pk_shard, list.len);
    for (size_t i = 0; i < list.len; i++) {
        struct reader one = {.map = list.u.items[i], .arena = arena};

        stream->shards[i] = (struct pk_shard){
            .serial = get_u32(&one, "serial"),
            .parent = get_u32(&one, "parent"),
            .number = get_u32(&one, "number"),
            .opened_ms = get_int(&one, "opened"),
            .first = get_u64(&one, "first"),
            .end = get_u64(&one, "end"),
        };
        from.bad = from.bad || one.bad;
    }
    return !from.bad;
}

static void get_streams(struct reader *from, struct pk_table *table)
{
    pk_value list = get_list(from, "streams");

    table->stream_count = list.len;
    table->streams = PK_NEW_ARRAY(from->arena, struct pk_stream, list.len);
    for (size_t i = 0; i < list.len; i++) {
        if (!get_stream(list.u.items[i], from->arena, &table->streams[i]))
            from->bad = true;
    }
}

static void get_tags(struct reader *from, struct pk_table *table)
{
    pk_value list = get_list(from, "tags");

    table->tag_count = list.len / 2;
    table->tags = PK_NEW_ARRAY(from->arena, struct pk_tag, table->tag_count);
    for (size_t i = 0; i < table->tag_count; i++) {
        table->tags[i].key = text_of(from, list.u.items[2 * i]);
        table->tags[i].value = text_of(from, list.u.items[2 * i + 1]);
    }
}

/* data NULL when it is absent. */
static pk_slice get_text(struct reader *from, const char *name)
{
    pk_value value = get(from, name);

    return pk_value_kind(value) == PK_MISSING ? (pk_slice){NULL, 0} : text_of(from, value);
}

static void get_table(struct reader *from, struct pk_table *table)
{
    size_t attribute_max = get_list(from, "attributes").len / 2;

    table->id = get_u32(from, "id");
    table->name = text_of(from, get(from, "name"));
    table->uuid = text_of(from, get(from, "uuid"));
    table->status = (enum pk_status)get_enum(from, "status", PK_STATUS_DELETING + 1);
    table->until_ms = get_int(from, "until");
    table->created_ms = get_int(from, "created");
    get_key(from, &table->key);
    table->attributes = PK_NEW_ARRAY(from->arena, struct pk_key_attr, attribute_max);
    table->attribute_count = get_attrs(from, "attributes", table->attributes, attribute_max);
    get_indexes(from, table);
    table->billing = (enum pk_billing)get_enum(from, "billing", PK_ON_DEMAND + 1);
    table->on_demand_since_ms = get_int(from, "on_demand_since");
    get_throughput(from, &table->throughput, &table->max);
    table->warm_read = get_int(from, "warm_read");
    table->warm_write = get_int(from, "warm_write");
    table->stream = (enum pk_stream_view)get_enum(from, "stream", PK_STREAM_NEW_AND_OLD + 1);
    get_streams(from, table);
    table->ttl = (enum pk_ttl_state)get_enum(from, "ttl", PK_TTL_CLEARING + 1);
    table->ttl_attribute = get_text(from, "ttl_attribute");
    table->ttl_changed_ms = get_int(from, "ttl_changed");
    table->deletion_protection = get_int(from, "protected") != 0;
    table->infrequent_access = get_int(from, "infrequent") != 0;
    table->class_given = get_int(from, "class_given") != 0;
    table->class_changed_ms = get_int(from, "class_changed");
    get_tags(from, table);
    table->restore = (struct pk_restore){
        .source = get_text(from, "restored_from"),
        .label = get_text(from, "restored_label"),
        .at_ms = get_int(from, "restored"),
        .copying = get_u32(from, "restoring"),
    };
    get_partitions(from, &table->partitions);
    for (size_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].local)
            table->indexes[i].partitions = table->partitions;
    }
}

enum pk_code pk_table_load(pk_slice bytes, struct pk_table **out, struct pk_error *err)
{
    struct pk_arena scratch = PK_ARENA_INIT;
    struct pk_table *table = pk_table_new();
    struct reader from = {.arena = pk_table_arena(table)};
    unsigned char version = 0;

    if (!pk_take_byte(&bytes, &version) ||
        (version != FORM_VERSION && version != FORM_VERSION_BORDERS) || !pk_view_check(bytes)) {
        from.bad = true;
    } else {
        from.map = pk_view_decode(&scratch, bytes);
        get_table(&from, table);
    }
    pk_arena_release(&scratch);
    if (from.bad) {
        pk_table_unref(table);
        return pk_fail(err, PK_E_CORRUPT, "the definition of a table is damaged");
    }
    pk_table_count(table);
    *out = table;
    return PK_OK;
}
