/*
 * describe [TABLE | INDEX], describe table X, describe key KEY, describe item KEY. The words key,
 * item and table act only when something follows them, so a table of such a name can be described.
 */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/page.h"
#include "commands/where.h"
#include "commands/wire.h"

struct sheet {
    struct cmd_result *result;
    struct cmd_grid *grid;
};

static void add(struct sheet *sheet, const char *name, pk_slice value)
{
    pk_slice cells[2] = {pk_slice_cstr(name), value};

    cmd_grid_row(sheet->result, sheet->grid, cells);
}

static struct sheet new_sheet(struct cmd_result *result)
{
    static const char *const columns[] = {"", ""};
    struct sheet sheet = {result, cmd_result_grid(result, columns, NULL, 2)};

    sheet.grid->headless = true;
    return sheet;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static pk_slice size_text(struct pk_arena *arena, int64_t items, int64_t bytes)
{
    pk_slice count = cmd_format_count(arena, (uint64_t)items);
    pk_slice size = cmd_format_whole_bytes(arena, (uint64_t)bytes);

    return pk_arena_printf(arena, "%.*s item%s, %.*s", PK_FMT(count), items == 1 ? "" : "s",
                           PK_FMT(size));
}

static pk_slice projection_text(struct pk_arena *arena, const struct pk_index *index)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    if (index->projection == PK_PROJECT_ALL)
        return PK_LIT("all");
    if (index->projection == PK_PROJECT_KEYS_ONLY)
        return PK_LIT("keys");
    for (size_t i = 0; i < index->include_count; i++)
        pk_buf_printf(&out, "%s%.*s", i == 0 ? "include (" : ", ", PK_FMT(index->include[i]));
    pk_buf_add_byte(&out, ')');
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* A gsi is billed as its table is, with throughput of its own. index NULL: the table. */
static pk_slice billing_text(struct pk_arena *arena, const struct pk_table *table,
                             const struct pk_index *index)
{
    const struct pk_throughput *throughput =
        index == NULL ? &table->throughput : &index->throughput;
    const struct pk_max_throughput *max = index == NULL ? &table->max : &index->max;

    if (table->billing == PK_ON_DEMAND && max->read < 0 && max->write < 0)
        return PK_LIT("on demand");
    if (table->billing == PK_ON_DEMAND)
        return pk_arena_printf(arena, "on demand, max %lld RRU/s, %lld WRU/s", (long long)max->read,
                               (long long)max->write);
    return pk_arena_printf(arena, "provisioned %lld RCU/s, %lld WCU/s", (long long)throughput->read,
                           (long long)throughput->write);
}

static const char *stream_text(enum pk_stream_view view)
{
    switch (view) {
    case PK_STREAM_OFF:
        return "off";
    case PK_STREAM_KEYS_ONLY:
        return "keys_only";
    case PK_STREAM_NEW_IMAGE:
        return "new_image";
    case PK_STREAM_OLD_IMAGE:
        return "old_image";
    case PK_STREAM_NEW_AND_OLD:
        return "new_and_old";
    }
    pk_bug("no such view: %d", (int)view);
}

/* What an index's own description says about its size, by name. */
static const cJSON *index_description(const cJSON *table, pk_slice name)
{
    static const char *const kinds[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"};

    for (size_t i = 0; i < 2; i++) {
        const cJSON *node;

        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(table, kinds[i]))
        {
            if (pk_slice_equal(cmd_wire_text(node, "IndexName"), name))
                return node;
        }
    }
    return NULL;
}

static void show_index_rows(const struct pk_table *table, const cJSON *description,
                            struct cmd_result *result)
{
    enum { PROJECTION = 3 };
    static const char *const columns[] = {"index", "kind", "key", "projection", "items", "size"};
    static const enum cmd_align aligns[] = {CMD_LEFT, CMD_LEFT,  CMD_LEFT,
                                            CMD_LEFT, CMD_RIGHT, CMD_RIGHT};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid;

    if (table->index_count == 0)
        return;
    grid = cmd_result_grid(result, columns, aligns, 6);
    cmd_grid_cut(grid, PROJECTION);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct pk_index *index = &table->indexes[i];
        const cJSON *node = index_description(description, index->name);
        pk_slice cells[6] = {
            pk_arena_dup(arena, index->name),
            pk_slice_cstr(index->local ? "LSI" : "GSI"),
            cmd_key_text(&index->key, arena),
            projection_text(arena, index),
            cmd_format_count(arena, (uint64_t)cmd_wire_int(node, "ItemCount", 0)),
            cmd_format_whole_bytes(arena, (uint64_t)cmd_wire_int(node, "IndexSizeBytes", 0)),
        };

        cmd_grid_row(result, grid, cells);
    }
}

/* The attribute items expire at, when they do. An endpoint may refuse to tell. */
static void add_ttl(struct cmd_context *context, const struct pk_table *table, struct sheet *sheet)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;

    cmd_wire_set_text(request, "TableName", table->name);
    if (cmd_call(context, "DescribeTimeToLive", request, &answer, NULL, &ignored) == PK_OK) {
        const cJSON *node = cJSON_GetObjectItemCaseSensitive(answer, "TimeToLiveDescription");
        pk_slice attribute = cmd_wire_text(node, "AttributeName");

        if (attribute.len > 0 && !pk_slice_is(cmd_wire_text(node, "TimeToLiveStatus"), "DISABLED"))
            add(sheet, "ttl", pk_arena_dup(&sheet->result->arena, attribute));
    }
    pk_error_release(&ignored);
    cJSON_Delete(answer);
    cJSON_Delete(request);
}

/* One page of tags; the token of the next, or data NULL. */
static pk_slice tags_page(struct cmd_context *context, const cJSON *request, struct pk_arena *arena,
                          struct pk_buf *out)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *answer = NULL;
    const cJSON *tag;
    pk_slice next = {NULL, 0};

    if (cmd_call(context, "ListTagsOfResource", request, &answer, NULL, &ignored) == PK_OK) {
        cJSON_ArrayForEach(tag, cJSON_GetObjectItemCaseSensitive(answer, "Tags"))
        {
            pk_buf_printf(out, "%s%.*s=%.*s", out->len == 0 ? "" : ", ",
                          PK_FMT(cmd_wire_text(tag, "Key")), PK_FMT(cmd_wire_text(tag, "Value")));
        }
        next = cmd_wire_text(answer, "NextToken");
        if (next.data != NULL)
            next = pk_arena_dup(arena, next);
    }
    pk_error_release(&ignored);
    cJSON_Delete(answer);
    return next;
}

static void add_tags(struct cmd_context *context, const cJSON *description, struct sheet *sheet)
{
    struct pk_arena *arena = &sheet->result->arena;
    struct pk_buf text = PK_BUF_INIT;
    cJSON *request = cJSON_CreateObject();
    pk_slice next;

    cmd_wire_set_text(request, "ResourceArn", cmd_wire_text(description, "TableArn"));
    while ((next = tags_page(context, request, arena, &text)).data != NULL) {
        cJSON_DeleteItemFromObjectCaseSensitive(request, "NextToken");
        cmd_wire_set_text(request, "NextToken", next);
    }
    if (text.len > 0)
        add(sheet, "tags", pk_arena_dup(arena, pk_buf_slice(&text)));
    pk_buf_release(&text);
    cJSON_Delete(request);
}

static void add_target(struct pk_buf *out, const char *unit, const cJSON *target)
{
    if (target != NULL)
        pk_buf_printf(out, "%s%s %lld to %lld at %lld%%", out->len > 0 ? ", " : "", unit,
                      (long long)cmd_wire_int(target, "Min", 0),
                      (long long)cmd_wire_int(target, "Max", 0),
                      (long long)cmd_wire_int(target, "Target", 0));
}

/* What auto scaling aims at, of the table or the index; nothing where it is off or not known. */
static void add_autoscale(struct cmd_context *context, const struct cmd_target *target,
                          struct sheet *sheet)
{
    struct pk_error ignored = PK_ERROR_INIT;
    struct pk_buf text = PK_BUF_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *node = NULL, *index;

    cmd_wire_set_text(request, "TableName", target->table->name);
    if (target->table->billing == PK_PROVISIONED &&
        cmd_call(context, "Pksk.AutoScale", request, &answer, NULL, &ignored) == PK_OK) {
        node = target->index == NULL ? answer : NULL;
        cJSON_ArrayForEach(index, cJSON_GetObjectItemCaseSensitive(answer, "Indexes"))
        {
            if (target->index != NULL &&
                pk_slice_equal(cmd_wire_text(index, "IndexName"), target->index->name))
                node = index;
        }
        add_target(&text, "RCU", cJSON_GetObjectItemCaseSensitive(node, "Read"));
        add_target(&text, "WCU", cJSON_GetObjectItemCaseSensitive(node, "Write"));
    }
    if (text.len > 0)
        add(sheet, "autoscale", pk_arena_dup(&sheet->result->arena, pk_buf_slice(&text)));
    pk_buf_release(&text);
    pk_error_release(&ignored);
    cJSON_Delete(answer);
    cJSON_Delete(request);
}

static void show_table(struct cmd_context *context, const struct pk_table *table,
                       const cJSON *description, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    struct sheet sheet = new_sheet(result);

    add(&sheet, "table", pk_arena_dup(arena, table->name));
    add(&sheet, "key", cmd_key_text(&table->key, arena));
    add(&sheet, "status", pk_arena_dup(arena, cmd_wire_text(description, "TableStatus")));
    add(&sheet, "billing", billing_text(arena, table, NULL));
    add_autoscale(context, &(struct cmd_target){table, NULL}, &sheet);
    add(&sheet, "holds",
        size_text(arena, cmd_wire_int(description, "ItemCount", 0),
                  cmd_wire_int(description, "TableSizeBytes", 0)));
    if (table->stream != PK_STREAM_OFF)
        add(&sheet, "stream", pk_slice_cstr(stream_text(table->stream)));
    add_ttl(context, table, &sheet);
    if (table->deletion_protection)
        add(&sheet, "protect", PK_LIT("on"));
    add_tags(context, description, &sheet);
    show_index_rows(table, description, result);
}

static void show_index(struct cmd_context *context, const struct cmd_target *target,
                       const cJSON *description, struct cmd_result *result)
{
    struct pk_arena *arena = &result->arena;
    const struct pk_index *index = target->index;
    const cJSON *node = index_description(description, index->name);
    struct sheet sheet = new_sheet(result);

    add(&sheet, "index", pk_arena_dup(arena, index->name));
    add(&sheet, "of table", pk_arena_dup(arena, target->table->name));
    add(&sheet, "kind",
        pk_slice_cstr(index->local ? "LSI: shares the table's partitions and capacity"
                                   : "GSI: its own partitions and capacity"));
    add(&sheet, "key", cmd_key_text(&index->key, arena));
    add(&sheet, "projection", projection_text(arena, index));
    if (!index->local) {
        add(&sheet, "billing", billing_text(arena, target->table, index));
        add_autoscale(context, target, &sheet);
    }
    add(&sheet, "holds",
        size_text(arena, cmd_wire_int(node, "ItemCount", 0),
                  cmd_wire_int(node, "IndexSizeBytes", 0)));
}

static enum pk_code describe_target(struct cmd_context *context, pk_slice name,
                                    struct cmd_result *result, struct pk_error *err)
{
    struct cmd_target target;
    cJSON *request, *answer = NULL;
    enum pk_code rc = cmd_find_target(context, name, &target, err);

    if (rc != PK_OK)
        return rc;
    request = cJSON_CreateObject();
    cmd_wire_set_text(request, "TableName", target.table->name);
    rc = cmd_call(context, "DescribeTable", request, &answer, NULL, err);
    if (rc == PK_OK) {
        const cJSON *description = cJSON_GetObjectItemCaseSensitive(answer, "Table");

        if (target.index != NULL)
            show_index(context, &target, description, result);
        else
            show_table(context, target.table, description, result);
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return rc;
}

/* ---- items ----------------------------------------------------------------------------------- */

static void show_sizes(pk_value item, struct cmd_result *result)
{
    static const char *const columns[] = {"attribute", "type", "bytes", "name", "value"};
    static const enum cmd_align aligns[] = {CMD_LEFT, CMD_LEFT, CMD_RIGHT, CMD_RIGHT, CMD_RIGHT};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid = cmd_result_grid(result, columns, aligns, 5);
    uint64_t total = pk_item_size(item);
    pk_slice text = cmd_format_count(arena, total);
    pk_slice read = cmd_format_count(arena, total <= 4096 ? 1 : (total + 4095) / 4096);
    pk_slice write = cmd_format_count(arena, total <= 1024 ? 1 : (total + 1023) / 1024);

    for (uint32_t i = 0; i < item.len; i++) {
        const struct pk_member *member = &item.u.members[i];
        uint64_t value = pk_value_size(member->value);
        pk_slice cells[5] = {member->name, pk_slice_cstr(pk_kind_tag(pk_value_kind(member->value))),
                             cmd_format_count(arena, member->name.len + value),
                             cmd_format_count(arena, member->name.len),
                             cmd_format_count(arena, value)};

        cmd_grid_row(result, grid, cells);
    }
    cmd_result_text(result, CMD_BLOCK_FOOTER,
                    "%.*s bytes \xC2\xB7 a strong read costs %.*s RCU, a write %.*s WCU",
                    PK_FMT(text), PK_FMT(read), PK_FMT(write));
}

static enum pk_code describe_item(struct cmd_context *context,
                                  const struct cmd_statement *statement, struct cmd_result *result,
                                  struct pk_error *err)
{
    struct cmd_request request;
    struct cmd_usage usage = {0};
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_request_init(&request);
    rc = cmd_get_request(context, statement, &request, err);
    if (rc == PK_OK)
        rc = cmd_send(context, &request, &answer, &usage, err);
    if (rc == PK_OK) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(answer, "Item");

        if (item != NULL)
            show_sizes(cmd_wire_read_item(&result->arena, item), result);
        else
            cmd_result_text(result, CMD_BLOCK_NOTE, "there is no such item");
    }
    cJSON_Delete(answer);
    cmd_request_release(&request);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* describe WORD …: the statement that begins behind the word. */
static struct cmd_statement behind(const struct cmd_statement *statement, const struct cmd_words *w)
{
    return (struct cmd_statement){statement->text, w->token.span.start};
}

static enum pk_code describe_run(struct cmd_context *context, const struct cmd_statement *statement,
                                 struct cmd_result *result, struct pk_error *err)
{
    struct cmd_words words;
    struct cmd_token first = {0};
    struct cmd_statement rest;
    pk_slice name = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    if (rc == PK_OK && cmd_words_at_end(&words))
        rc = cmd_need_table(context, &name, err);
    if (rc != PK_OK)
        return rc;
    first = words.token;
    if (name.data != NULL)
        return describe_target(context, name, result, err);
    rc = cmd_words_take(&words, "the name of a table or index", &name, err);
    if (rc != PK_OK)
        return rc;
    rest = behind(statement, &words);
    if (!cmd_words_at_end(&words) && first.kind == CMD_TOKEN_WORD) {
        if (cmd_word_is(name, "key"))
            return cmd_where_run(context, &rest, result, err);
        if (cmd_word_is(name, "item"))
            return describe_item(context, &rest, result, err);
        if (cmd_word_is(name, "table")) {
            first = words.token;
            rc = cmd_words_take(&words, "a table's name", &name, err);
        }
    }
    if (rc == PK_OK)
        rc = cmd_words_done(&words, err);
    if (rc == PK_OK)
        rc = describe_target(context, name, result, err);
    if (rc != PK_OK && err->span.len == 0)
        err->span = first.span;
    return rc;
}

const struct cmd_entry cmd_describe_entry = {
    .name = "describe",
    .alias = "desc \\d",
    .group = CMD_GROUP_TABLES,
    .usage = "[TABLE | INDEX] | table X | key KEY | item KEY",
    .summary = "show keys, indexes and sizes; where a key lives; an item's bytes",
    .detail = "  describe Music               describe Music.by_genre\n"
              "  describe key USER#123        as where\n"
              "  describe item USER#123 PROFILE   bytes of each attribute",
    .flags = CMD_READONLY,
    .complete = cmd_complete_target,
    .run = describe_run,
};
