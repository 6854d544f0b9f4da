#include "commands/footer.h"

#include "commands/settings.h"
#include "commands/wire.h"

#define DOT " \xC2\xB7 "

/* Begins the next part of the line. */
static void part(struct pk_buf *out)
{
    if (out->len > 0)
        pk_buf_add_cstr(out, DOT);
}

static void add_count(struct pk_buf *out, struct pk_arena *arena, uint64_t count)
{
    pk_slice text = cmd_format_count(arena, count);

    pk_buf_printf(out, "%.*s item%s", PK_FMT(text), count == 1 ? "" : "s");
}

static void add_partition(struct pk_buf *out, const struct cmd_usage *usage)
{
    const struct pk_facts *facts = &usage->facts;

    if (!usage->has_facts || facts->partition_count == 0 || facts->partitions_touched == 0)
        return;
    part(out);
    if (facts->partitions_touched == 1)
        pk_buf_printf(out, "partition %u of %u", facts->partition, facts->partition_count);
    else if (facts->partitions_touched >= facts->partition_count)
        pk_buf_printf(out, "all %u partitions", facts->partition_count);
    else
        pk_buf_printf(out, "%u of %u partitions", facts->partitions_touched,
                      facts->partition_count);
}

static void add_time(struct cmd_context *context, struct pk_buf *out, int64_t micros)
{
    if (!context->settings->footer_time)
        return;
    part(out);
    if (micros < 95)
        pk_buf_printf(out, "0.%02lld ms", (long long)((micros + 5) / 10));
    else if (micros < 100000)
        pk_buf_printf(out, "%lld.%lld ms", (long long)((micros + 50) / 1000),
                      (long long)((micros + 50) / 100 % 10));
    else if (micros < 10000000)
        pk_buf_printf(out, "%lld ms", (long long)(micros / 1000));
    else
        pk_buf_printf(out, "%lld.%lld s", (long long)(micros / 1000000),
                      (long long)(micros / 100000 % 10));
}

/* Pauses because of throttling are in the time, and nothing else would explain it. */
static void add_retries(struct pk_buf *out, const struct cmd_usage *usage)
{
    unsigned others = usage->retries > usage->throttled ? usage->retries - usage->throttled : 0;

    if (usage->throttled > 0) {
        part(out);
        pk_buf_printf(out, "throttled %u time%s", usage->throttled,
                      usage->throttled == 1 ? "" : "s");
    }
    if (others > 0) {
        part(out);
        pk_buf_printf(out, "sent again %u time%s", others, others == 1 ? "" : "s");
    }
}

static void finish(struct cmd_context *context, struct cmd_result *result, struct pk_buf *out,
                   const struct cmd_usage *usage, const char *advice)
{
    add_retries(out, usage);
    add_time(context, out, usage->micros);
    if (advice != NULL)
        pk_buf_printf(out, "\n%s", advice);
    cmd_result_text(result, CMD_BLOCK_FOOTER, "%.*s", (int)out->len, out->data);
    pk_buf_release(out);
}

static const char *consistency_name(enum cmd_consistency consistency)
{
    switch (consistency) {
    case CMD_EVENTUAL:
        return "eventual";
    case CMD_STRONG:
        return "strong";
    case CMD_TRANSACT:
        return "transactional";
    }
    pk_bug("no such consistency: %d", (int)consistency);
}

/* "1 item of 6 read", "4 items", "432 items counted" */
static void add_items(struct pk_buf *out, struct pk_arena *arena, const struct cmd_usage *usage,
                      const struct cmd_footer *footer)
{
    if (!footer->items && !footer->counted)
        return;
    add_count(out, arena, footer->counted ? usage->count : footer->shown);
    if (footer->counted)
        pk_buf_add_cstr(out, " counted");
    if (usage->scanned > usage->count) {
        pk_slice scanned = cmd_format_count(arena, usage->scanned);

        pk_buf_printf(out, " of %.*s read", PK_FMT(scanned));
    }
}

void cmd_footer_read(struct cmd_context *context, struct cmd_result *result,
                     const struct cmd_usage *usage, const struct cmd_footer *footer)
{
    struct pk_arena *arena = &result->arena;
    struct pk_buf out = PK_BUF_INIT;

    add_items(&out, arena, usage, footer);
    part(&out);
    pk_buf_add_cstr(&out, footer->operation);
    if (usage->requests > 1)
        pk_buf_printf(&out, DOT "%u pages", usage->requests);
    add_partition(&out, usage);
    if (usage->has_facts && usage->facts.bytes > 0) {
        pk_slice bytes = cmd_format_whole_bytes(arena, usage->facts.bytes);

        pk_buf_printf(&out, DOT "%.*s read", PK_FMT(bytes));
    }
    if (usage->has_units) {
        pk_slice units = cmd_format_units(arena, usage->milli);

        pk_buf_printf(&out, DOT "%.*s RCU %s", PK_FMT(units),
                      consistency_name(footer->consistency));
    }
    finish(context, result, &out, usage, footer->advice);
}

/* " (table 1, by_name 2)" when indexes took a share. */
static void add_shares(struct pk_buf *out, struct pk_arena *arena, const cJSON *capacity)
{
    static const char *const kinds[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"};
    pk_slice table =
        cmd_format_units(arena, cmd_wire_milli(cJSON_GetObjectItemCaseSensitive(capacity, "Table"),
                                               "CapacityUnits"));
    bool any = false;

    for (size_t i = 0; i < 2; i++) {
        const cJSON *index;

        cJSON_ArrayForEach(index, cJSON_GetObjectItemCaseSensitive(capacity, kinds[i]))
        {
            pk_slice units = cmd_format_units(arena, cmd_wire_milli(index, "CapacityUnits"));

            if (!any)
                pk_buf_printf(out, " (table %.*s", PK_FMT(table));
            pk_buf_printf(out, ", %s %.*s", index->string, PK_FMT(units));
            any = true;
        }
    }
    if (any)
        pk_buf_add_byte(out, ')');
}

void cmd_footer_write(struct cmd_context *context, struct cmd_result *result,
                      const struct cmd_usage *usage, const struct cmd_footer *footer)
{
    struct pk_arena *arena = &result->arena;
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add_cstr(&out, footer->operation);
    add_partition(&out, usage);
    if (usage->has_facts && usage->facts.bytes > 0) {
        pk_slice bytes = cmd_format_whole_bytes(arena, usage->facts.bytes);

        pk_buf_printf(&out, DOT "%.*s", PK_FMT(bytes));
    }
    if (usage->has_units) {
        pk_slice units = cmd_format_units(arena, usage->milli);

        pk_buf_printf(&out, DOT "%.*s %s", PK_FMT(units), footer->repeated ? "RCU" : "WCU");
        if (footer->capacity != NULL)
            add_shares(&out, arena, footer->capacity);
    }
    finish(context, result, &out, usage, footer->advice);
}

/* A failed condition is paid for by the larger of the stored and the new item
 * (partitions-capacity.md §2.3); the answer itself carries no ConsumedCapacity. */
void cmd_failed_cost(size_t new_bytes, const struct pk_error *err, struct cmd_result *result)
{
    size_t old_bytes =
        err->item == NULL ? 0 : pk_view_item_size(pk_slice_of(err->item, err->item_len));
    size_t bytes = old_bytes > new_bytes ? old_bytes : new_bytes;
    pk_slice units =
        cmd_format_count(&result->arena, bytes == 0 ? 1 : ((uint64_t)bytes + 1023) / 1024);

    cmd_result_text(result, CMD_BLOCK_FOOTER, "cost %.*s WCU all the same", PK_FMT(units));
}

/* ---- advice ---------------------------------------------------------------------------------- */

/* The index whose only hash attribute that is, or NULL. */
static const struct pk_index *index_by(const struct pk_table *table, pk_slice name)
{
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];

        if (!index->local && index->key.hash_count == 1 &&
            pk_slice_equal(index->key.hash[0].name, name))
            return index;
    }
    return NULL;
}

/* "query <PK>", on the index that is read. */
static const char *advise_query(struct pk_arena *arena, const char *pays,
                                const struct cmd_target *target)
{
    pk_slice hash = cmd_target_key(target)->hash[0].name;
    pk_slice index = target->index == NULL ? PK_LIT("") : target->index->name;

    return pk_arena_printf(arena, "%s With %.*s known: query <%.*s>%s%.*s", pays, PK_FMT(hash),
                           PK_FMT(hash), index.len > 0 ? " on " : "", PK_FMT(index))
        .data;
}

const char *cmd_scan_advice_for(const struct cmd_target *target, const pk_slice *names,
                                size_t count, struct cmd_result *result)
{
    static const char pays[] = "A Scan pays for what it reads, not for what it returns.";
    const struct pk_key_schema *key = cmd_target_key(target);
    struct pk_arena *arena = &result->arena;
    pk_slice first = {NULL, 0};

    for (size_t i = 0; i < count; i++) {
        const struct pk_index *index = index_by(target->table, names[i]);

        if (pk_slice_equal(names[i], key->hash[0].name))
            return advise_query(arena, pays, target);
        if (index != NULL)
            return pk_arena_printf(arena, "%s To ask by %.*s: query <%.*s> on %.*s", pays,
                                   PK_FMT(names[i]), PK_FMT(names[i]), PK_FMT(index->name))
                .data;
        if (first.data == NULL &&
            !(key->range_count > 0 && pk_slice_equal(names[i], key->range[0].name)))
            first = names[i];
    }
    if (first.data == NULL)
        return advise_query(arena, pays, target);
    return pk_arena_printf(arena, "%s To ask by %.*s: a GSI with %.*s as its key.", pays,
                           PK_FMT(first), PK_FMT(first))
        .data;
}

const pk_slice *cmd_whole_names(const struct cmd_expression *filter, struct pk_arena *arena,
                                size_t *count)
{
    pk_slice *names = PK_NEW_ARRAY(arena, pk_slice, filter->mention_count);

    *count = 0;
    for (size_t i = 0; i < filter->mention_count; i++) {
        const struct cmd_mention *mention = &filter->mentions[i];
        bool path = mention->span.len > mention->name.len + 2; /* backticks are two */

        if (!path && !mention->function)
            names[(*count)++] = mention->name;
    }
    return names;
}

const char *cmd_scan_advice(const struct cmd_request *request, struct cmd_result *result)
{
    const struct cmd_expression *filter = &request->expressions[PK_EXPR_FILTER];
    size_t count;
    const pk_slice *names = cmd_whole_names(filter, &result->arena, &count);

    return cmd_scan_advice_for(&request->target, names, count, result);
}
