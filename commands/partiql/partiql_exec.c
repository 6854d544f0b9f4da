/*
 * A page of several groups runs one Query after another until the limit, 1 MB or the end is
 * reached. All filters may mention key attributes: what could not become a key condition is one.
 */
#include "commands/partiql/partiql_exec.h"

#include "commands/api/json_out.h"
#include "commands/partiql/partiql_access.h"

/* --- rows ------------------------------------------------------------------------------------ */

/* A value inside the containers of a column's tail: {"M":{"q":…}}, {"L":[…]} */
static void write_wrapped(const struct partiql_column *column, pk_view value, struct pk_buf *out)
{
    const struct pk_path *path = column->path;

    for (size_t i = column->tail; i < path->count; i++) {
        bool named = path->steps[i].name.data != NULL;

        pk_buf_add_cstr(out, named ? "{\"M\":{" : "{\"L\":[");
        if (named)
            json_out_member_slice(out, path->steps[i].name);
    }
    json_out_value(out, value);
    for (size_t i = path->count; i > column->tail; i--)
        pk_buf_add_cstr(out, path->steps[i - 1].name.data != NULL ? "}}" : "]}");
}

void partiql_row(const struct partiql_plan *plan, pk_view item, struct pk_buf *out)
{
    if (plan->columns.count == 0) {
        json_out_item(out, item);
        return;
    }
    pk_buf_add_byte(out, '{');
    for (size_t i = 0; i < plan->columns.count; i++) {
        const struct partiql_column *column = &plan->columns.list[i];
        pk_view value = pk_path_resolve(column->path, item);

        if (pk_view_kind(value) == PK_MISSING)
            continue;
        json_out_member_slice(out, column->name);
        write_wrapped(column, value, out);
    }
    pk_buf_add_byte(out, '}');
}

/* --- sums ------------------------------------------------------------------------------------ */

void partiql_add_cost(struct pk_cost *sum, const struct pk_cost *cost, struct pk_arena *arena)
{
    sum->table = cost->table;
    sum->write = cost->write;
    sum->table_milli += cost->table_milli;
    for (size_t i = 0; i < cost->index_count; i++) {
        size_t at = 0;

        while (at < sum->index_count &&
               !pk_slice_equal(sum->indexes[at].name, cost->indexes[i].name))
            at++;
        if (at < sum->index_count) {
            sum->indexes[at].milli += cost->indexes[i].milli;
            continue;
        }

        struct pk_index_cost *indexes = PK_NEW_ARRAY(arena, struct pk_index_cost, at + 1);
        if (at > 0)
            memcpy(indexes, sum->indexes, at * sizeof(*indexes));
        indexes[at] = cost->indexes[i];
        sum->indexes = indexes;
        sum->index_count = at + 1;
    }
}

void partiql_add_facts(struct pk_facts *sum, const struct pk_facts *facts)
{
    if (sum->partition_count == 0) {
        sum->partition = facts->partition;
        sum->partition_count = facts->partition_count;
    }
    sum->partitions_touched += facts->partitions_touched;
    if (sum->partitions_touched > sum->partition_count)
        sum->partitions_touched = sum->partition_count;
    sum->bytes += facts->bytes;
    sum->items_read += facts->items_read;
    sum->items_returned += facts->items_returned;
    pk_facts_add_verdict(sum, facts);
}

/* --- reads ----------------------------------------------------------------------------------- */

struct reader {
    const struct partiql_page *page;
    struct pk_engine *engine;
    struct pk_call *call;
    struct partiql_page_result *result;
};

static enum pk_code add_row(void *context, pk_view item, struct pk_error *err)
{
    const struct reader *reader = context;

    (void)err;
    json_out_element(reader->page->out);
    partiql_row(reader->page->plan, item, reader->page->out);
    return PK_OK;
}

static enum pk_code read_item(struct reader *reader, struct pk_error *err)
{
    const struct partiql_plan *plan = reader->page->plan;
    struct pk_get get = {
        .table = plan->table->name, .key = plan->key, .consistent = reader->page->consistent};
    struct pk_get_result got = {0};
    enum pk_code rc = pk_engine_get(reader->engine, reader->call, &get, &got, err);

    if (rc != PK_OK)
        return rc;
    reader->result->cost = got.cost;
    reader->result->facts = got.facts;
    if (pk_view_kind(got.item) == PK_MISSING)
        return PK_OK;
    if (plan->filter != NULL && !pk_expr_test(plan->filter, got.item)) {
        reader->result->facts.items_returned = 0;
        return PK_OK;
    }
    return add_row(reader, got.item, err);
}

static struct pk_read start_read(struct reader *reader)
{
    const struct partiql_plan *plan = reader->page->plan;
    bool all = plan->columns.count == 0;

    return (struct pk_read){.table = plan->table->name,
                            .index = plan->index != NULL ? plan->index->name : (pk_slice){NULL, 0},
                            .key_filter_allowed = true,
                            .projection = all ? NULL : &plan->columns.projection,
                            .select = all ? PK_SELECT_DEFAULT : PK_SELECT_SPECIFIC,
                            .backward = plan->backward,
                            .consistent = reader->page->consistent,
                            .start_key = pk_value_missing(),
                            .sink = {add_row, reader}};
}

static void add_page(struct reader *reader, const struct pk_read_result *page)
{
    partiql_add_cost(&reader->result->cost, &page->cost, reader->call->arena);
    partiql_add_facts(&reader->result->facts, &page->facts);
    reader->result->last_key = page->last_key;
}

static enum pk_code read_scan(struct reader *reader, struct pk_error *err)
{
    struct pk_read read = start_read(reader);
    struct pk_read_result page = {0};
    enum pk_code rc;

    read.filter = reader->page->plan->filter;
    read.limit = reader->page->limit;
    read.start_key = reader->page->start.last_key;
    rc = pk_engine_scan(reader->engine, reader->call, &read, &page, err);
    if (rc != PK_OK)
        return rc;
    add_page(reader, &page);
    reader->result->more = pk_value_kind(page.last_key) != PK_MISSING;
    reader->result->next.last_key = page.last_key;
    return PK_OK;
}

/* A Query of at most one item cannot be restarted after it (operations.md §6). */
static bool is_one_item(const struct partiql_plan *plan, const struct partiql_group *group)
{
    const struct pk_key_schema *key = partiql_key_schema(plan);

    return plan->index == NULL && (key->range_count == 0 || (group->terms.count == 2 &&
                                                             group->terms.terms[1].op == PK_OP_EQ));
}

/* Notes where the next page begins. */
static void stop_at(struct reader *reader, size_t group, pk_value last_key)
{
    reader->result->more = true;
    reader->result->next.group = group;
    reader->result->next.last_key = last_key;
    if (pk_value_kind(last_key) != PK_MISSING &&
        is_one_item(reader->page->plan, &reader->page->plan->groups[group]))
        reader->result->next = (struct partiql_cursor){.group = group + 1};
}

static enum pk_code read_groups(struct reader *reader, struct pk_error *err)
{
    const struct partiql_plan *plan = reader->page->plan;
    const struct partiql_page *page = reader->page;
    struct pk_read read = start_read(reader);
    uint64_t left = page->limit;

    read.start_key = page->start.last_key;
    for (size_t i = page->start.group; i < plan->group_count; i++) {
        struct pk_read_result group = {0};
        enum pk_code rc;

        read.key_terms = &plan->groups[i].terms;
        read.filter = plan->groups[i].filter;
        read.limit = left;
        rc = pk_engine_query(reader->engine, reader->call, &read, &group, err);
        if (rc != PK_OK)
            return rc;
        add_page(reader, &group);
        if (pk_value_kind(group.last_key) != PK_MISSING) {
            stop_at(reader, i, group.last_key);
            return PK_OK;
        }
        left -= group.scanned < left ? group.scanned : left;
        read.start_key = pk_value_missing();
        if (reader->result->facts.bytes >= PK_PAGE_BYTES && i + 1 < plan->group_count) {
            stop_at(reader, i + 1, pk_value_missing());
            return PK_OK;
        }
    }
    return PK_OK;
}

enum pk_code partiql_read(struct pk_engine *engine, struct pk_call *call,
                          const struct partiql_page *page, struct partiql_page_result *result,
                          struct pk_error *err)
{
    struct reader reader = {page, engine, call, result};

    *result = (struct partiql_page_result){0};
    if (page->plan->operation == PARTIQL_GET)
        return read_item(&reader, err);
    return page->plan->operation == PARTIQL_QUERY ? read_groups(&reader, err)
                                                  : read_scan(&reader, err);
}

/* --- writes ---------------------------------------------------------------------------------- */

/* attribute_exists(hash key) AND condition: a DELETE with a condition fails on an absent item,
 * whatever the condition says of one (partiql.md §6). */
static const struct pk_node *and_exists(const struct partiql_plan *plan, struct pk_arena *arena)
{
    struct pk_node *exists = pk_node_new(arena, PK_OP_EXISTS, 1);

    exists->args[0] = pk_node_path(arena, pk_path_name(arena, plan->table->key.hash[0].name));
    return pk_node_and(arena, exists, plan->condition);
}

struct pk_write partiql_write(const struct partiql_plan *plan, struct pk_arena *arena)
{
    struct pk_write write = {
        .table = plan->table->name, .item = plan->key, .condition = plan->condition};

    switch (plan->operation) {
    case PARTIQL_INSERT:
        write.kind = PK_WRITE_PUT;
        write.item = plan->item;
        write.insert = true;
        break;
    case PARTIQL_UPDATE:
        write.kind = PK_WRITE_UPDATE;
        write.update = &plan->update;
        write.must_exist = true;
        break;
    case PARTIQL_DELETE:
        write.kind = PK_WRITE_DELETE;
        if (plan->condition != NULL)
            write.condition = and_exists(plan, arena);
        break;
    case PARTIQL_GET:
    case PARTIQL_QUERY:
    case PARTIQL_SCAN:
        write.kind = PK_WRITE_CHECK;
        write.condition = plan->filter;
        break;
    }
    return write;
}

bool partiql_returned_row(const struct partiql_plan *plan, const struct pk_write_result *result,
                          struct pk_buf *out)
{
    const struct partiql_returning *returning = &plan->statement->returning;
    pk_view item = returning->fresh ? result->new_item : result->old_item;
    struct pk_buf part = PK_BUF_INIT;
    bool found;

    if (!returning->given || pk_view_kind(item) == PK_MISSING)
        return false;
    if (returning->all) {
        json_out_item(out, item);
        return true;
    }
    pk_expr_project_targets(&plan->update, item, &part);
    found = pk_view_count(pk_buf_slice(&part)) > 0;
    if (found)
        json_out_item(out, pk_buf_slice(&part));
    pk_buf_release(&part);
    return found;
}
