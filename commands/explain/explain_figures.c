/*
 * Predicting what a request costs from the statistics of its table: exact for a Scan, a bound for a
 * Query (all of the partition its key is in), an average for one item.
 *
 * Units by partitions-capacity.md §2: 4 KB a read unit, half of one when eventually consistent, and
 * a page's bytes are rounded up once; 1 KB a write unit.
 */
#include "commands/explain/explain_plan.h"
#include "commands/wire.h"

enum { READ_BYTES = 4096, WRITE_BYTES = 1024 };

struct statistics {
    cJSON *answer;         /* owned */
    uint64_t items, bytes; /* of the table or index that is read */
    const cJSON *partitions;
};

static uint64_t number_of(const cJSON *node, const char *name)
{
    int64_t number = cmd_wire_int(node, name, 0);

    return number > 0 ? (uint64_t)number : 0;
}

static int64_t read_milli(uint64_t bytes, bool strong)
{
    uint64_t units = bytes == 0 ? 1 : (bytes + READ_BYTES - 1) / READ_BYTES;

    return (int64_t)units * (strong ? 1000 : 500);
}

static int64_t write_milli(uint64_t bytes)
{
    uint64_t units = bytes == 0 ? 1 : (bytes + WRITE_BYTES - 1) / WRITE_BYTES;

    return (int64_t)units * 1000;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool ask(struct cmd_context *context, const char *operation, cJSON *request, cJSON **answer)
{
    struct pk_error ignored = PK_ERROR_INIT;
    bool known = context->backend->extensions &&
                 cmd_call(context, operation, request, answer, NULL, &ignored) == PK_OK;

    pk_error_release(&ignored);
    cJSON_Delete(request);
    return known;
}

static bool ask_statistics(struct cmd_context *context, const struct explain_plan *plan,
                           struct statistics *statistics)
{
    const cJSON *counted, *node;
    cJSON *request = cJSON_CreateObject();

    *statistics = (struct statistics){.answer = NULL};
    cmd_wire_set_text(request, "TableName", plan->target.table->name);
    if (!ask(context, "Pksk.TableStats", request, &statistics->answer))
        return false;
    counted = statistics->answer;
    statistics->partitions = cJSON_GetObjectItemCaseSensitive(statistics->answer, "Partitions");
    if (plan->target.index != NULL) {
        statistics->partitions = NULL;
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(statistics->answer, "Indexes"))
        {
            if (pk_slice_equal(cmd_wire_text(node, "IndexName"), plan->target.index->name))
                counted = node;
        }
    }
    statistics->items = number_of(counted, "Items");
    statistics->bytes = number_of(counted, "Bytes");
    return !cmd_wire_bool(statistics->answer, "Counting");
}

/* What the request says the attribute is: in its key or item, or by a key term; missing: nothing.
 */
static pk_value fixed_value(const struct explain_plan *plan, pk_slice attribute)
{
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(plan->native.json, "Key");
    pk_value value;

    if (key == NULL)
        key = cJSON_GetObjectItemCaseSensitive(plan->native.json, "Item");
    value = pk_value_get(cmd_wire_read_item(plan->native.arena, key), attribute);
    for (size_t t = 0; t < plan->native.key_terms.count; t++) {
        const struct pk_key_term *term = &plan->native.key_terms.terms[t];

        if (term->op == PK_OP_EQ && pk_slice_equal(term->attribute, attribute))
            value = pk_view_decode(plan->native.arena, term->values[0]);
    }
    return value;
}

/* Those of the attributes that are fixed, up to the first that is not; how many. */
static size_t add_fixed(const struct explain_plan *plan, const struct pk_key_attr *attributes,
                        size_t count, cJSON *out)
{
    size_t found = 0;

    while (found < count) {
        pk_value value = fixed_value(plan, attributes[found].name);

        if (pk_value_kind(value) != attributes[found].type)
            break;
        cmd_wire_set_named(out, attributes[found].name, cmd_wire_value(value));
        found++;
    }
    return found;
}

/* The key of the request as far as it is fixed, as the Key of Pksk.Where; NULL when the partition
 * key is not. */
static cJSON *place_key(const struct explain_plan *plan)
{
    const struct pk_key_schema *schema = cmd_target_key(&plan->target);
    cJSON *out = cJSON_CreateObject();

    if (add_fixed(plan, schema->hash, schema->hash_count, out) == schema->hash_count) {
        (void)add_fixed(plan, schema->range, schema->range_count, out);
        return out;
    }
    cJSON_Delete(out);
    return NULL;
}

static void find_place(struct cmd_context *context, struct explain_plan *plan)
{
    cJSON *key = place_key(plan);
    cJSON *request, *answer = NULL;

    if (key == NULL)
        return;
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "TableName", plan->target.table->name);
    if (plan->target.index != NULL)
        cmd_wire_set_text(request, "IndexName", plan->target.index->name);
    cmd_wire_set(request, "Key", key);
    if (ask(context, "Pksk.Where", request, &answer)) {
        plan->has_place = true;
        plan->place = (uint32_t)number_of(answer, "Partition");
        plan->places = (uint32_t)number_of(answer, "Partitions");
        if (plan->places == 0)
            plan->places = 1; /* of a server that did not say */
        plan->figures.partition_count = (uint32_t)number_of(answer, "PartitionCount");
    }
    cJSON_Delete(answer);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static uint64_t average_of(const struct statistics *statistics)
{
    return statistics->items == 0 ? 0
                                  : (statistics->bytes + statistics->items - 1) / statistics->items;
}

static void at_most_items(struct explain_figures *figures, uint64_t limit,
                          const struct statistics *statistics)
{
    if (limit == 0 || limit >= figures->items)
        return;
    figures->items = limit;
    figures->about = true;
    figures->bytes = limit * average_of(statistics);
}

static void cost_read(struct explain_plan *plan)
{
    struct explain_figures *figures = &plan->figures;

    figures->requests =
        figures->bytes <= PK_PAGE_BYTES ? 1 : (figures->bytes + PK_PAGE_BYTES - 1) / PK_PAGE_BYTES;
    figures->high = read_milli(figures->bytes, plan->strong);
    figures->low = figures->at_most ? read_milli(0, plan->strong) : figures->high;
}

/* True when the key terms fix the sort key too, or there is none: at most one item of a table. */
static bool fixes_item(const struct explain_plan *plan)
{
    const struct pk_key_schema *key = cmd_target_key(&plan->target);
    size_t fixed = 0;

    for (size_t i = 0; i < plan->native.key_terms.count; i++)
        fixed += plan->native.key_terms.terms[i].op == PK_OP_EQ;
    return plan->target.index == NULL && fixed == 1u + key->range_count;
}

/* What is in the partitions of the key's collection. */
static void take_partitions(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;

    figures->items = 0;
    figures->bytes = 0;
    for (uint32_t i = 0; i < plan->places; i++) {
        const cJSON *one = cJSON_GetArrayItem(statistics->partitions, (int)(plan->place + i));

        figures->items += number_of(one, "Items");
        figures->bytes += number_of(one, "Bytes");
    }
}

static void predict_query(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;

    figures->at_most = true;
    figures->partitions = plan->places > 1 ? 0 : 1;
    figures->items = statistics->items;
    figures->bytes = statistics->bytes;
    if (plan->has_place && statistics->partitions != NULL)
        take_partitions(plan, statistics);
    if (fixes_item(plan))
        at_most_items(figures, 1, statistics);
    at_most_items(figures, number_of(plan->native.json, "Limit"), statistics);
    cost_read(plan);
    figures->items *= plan->requests;
    figures->bytes *= plan->requests;
    figures->low *= (int64_t)plan->requests;
    figures->high *= (int64_t)plan->requests;
    figures->requests *= plan->requests;
    if (plan->requests > 1)
        figures->partitions = 0;
}

static void predict_scan(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;
    uint64_t segments = number_of(plan->native.json, "TotalSegments");

    figures->items = statistics->items;
    figures->bytes = statistics->bytes;
    figures->partition_count = (uint32_t)cJSON_GetArraySize(statistics->partitions);
    if (segments > 1) {
        figures->about = true;
        figures->items = (statistics->items + segments - 1) / segments;
        figures->bytes = (statistics->bytes + segments - 1) / segments;
    } else {
        figures->partitions = figures->partition_count;
    }
    at_most_items(figures, number_of(plan->native.json, "Limit"), statistics);
    if (figures->items < statistics->items)
        figures->partitions = 0;
    cost_read(plan);
}

static void predict_get(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;

    figures->at_most = true;
    figures->about = true;
    figures->items = statistics->items > 0 ? 1 : 0;
    figures->bytes = average_of(statistics);
    figures->partitions = 1;
    cost_read(plan);
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* The bytes of the item's entry in the index; 0 when it has none. */
static uint64_t entry_bytes(const struct explain_plan *plan, const struct pk_index *index,
                            pk_value item)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < index->key.hash_count; i++) {
        if (pk_value_kind(pk_value_get(item, index->key.hash[i].name)) == PK_MISSING)
            return 0;
    }
    for (size_t i = 0; i < index->key.range_count; i++) {
        if (pk_value_kind(pk_value_get(item, index->key.range[i].name)) == PK_MISSING)
            return 0;
    }
    for (uint32_t i = 0; i < item.len; i++) {
        const struct pk_member *member = &item.u.members[i];

        if (pk_index_projects(plan->target.table, index, member->name))
            bytes += member->name.len + pk_value_size(member->value);
    }
    return bytes;
}

/* A new item: the table's units and those of every index it enters. */
static void predict_put(struct explain_plan *plan)
{
    const struct pk_table *table = plan->target.table;
    struct explain_figures *figures = &plan->figures;
    pk_value item = cmd_wire_read_item(plan->native.arena,
                                       cJSON_GetObjectItemCaseSensitive(plan->native.json, "Item"));

    figures->bytes = pk_item_size(item);
    figures->low = figures->high = write_milli(figures->bytes);
    plan->shares = PK_NEW_ARRAY(plan->native.arena, struct explain_share, table->index_count);
    for (size_t i = 0; i < table->index_count; i++) {
        uint64_t bytes = entry_bytes(plan, &table->indexes[i], item);

        if (bytes == 0)
            continue;
        plan->shares[plan->share_count++] =
            (struct explain_share){table->indexes[i].name, write_milli(bytes)};
        figures->low += write_milli(bytes);
        figures->high += write_milli(bytes);
    }
}

static void predict_write(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;

    figures->partitions = 1;
    figures->requests = 1;
    figures->items = 1;
    if (strcmp(plan->native.operation, "PutItem") == 0) {
        predict_put(plan);
        return;
    }
    figures->about = true;
    figures->bytes = average_of(statistics);
    figures->low = write_milli(figures->bytes);
    figures->high = figures->low + (int64_t)plan->target.table->index_count * figures->low *
                                       (strcmp(plan->native.operation, "UpdateItem") == 0 ? 2 : 1);
}

/* Twice the units of a write of the stored item, like all that is in a transaction. */
static void predict_check(struct explain_plan *plan, const struct statistics *statistics)
{
    struct explain_figures *figures = &plan->figures;

    figures->about = true;
    figures->items = 1;
    figures->requests = 1;
    figures->partitions = 1;
    figures->bytes = average_of(statistics);
    figures->low = figures->high = 2 * write_milli(figures->bytes);
}

/* ---- all ------------------------------------------------------------------------------------- */

void explain_plan_predict(struct cmd_context *context, struct explain_plan *plan)
{
    struct statistics statistics;
    const char *operation = plan->native.operation;
    bool known = ask_statistics(context, plan, &statistics);

    find_place(context, plan);
    plan->figures.known = known || strcmp(operation, "PutItem") == 0;
    if (plan->write)
        predict_write(plan, &statistics);
    else if (plan->check)
        predict_check(plan, &statistics);
    else if (known && strcmp(operation, "Query") == 0)
        predict_query(plan, &statistics);
    else if (known && strcmp(operation, "Scan") == 0)
        predict_scan(plan, &statistics);
    else if (known)
        predict_get(plan, &statistics);
    cJSON_Delete(statistics.answer);
}
