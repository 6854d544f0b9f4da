/* where KEY: the token, the partition and the stored bytes of a key; nothing is read. */
#include "commands/where.h"

#include <stdlib.h>

#include "commands/entries.h"
#include "commands/literal.h"
#include "commands/request.h"
#include "commands/wire.h"

#define DOT " \xC2\xB7 "

/* The key as far as it is given: the partition key, or the whole key. */
static enum pk_code read_partial_key(const struct cmd_args *args, struct cmd_request *request,
                                     struct pk_error *err)
{
    const struct pk_key_schema *key = &request->target.table->key;
    struct cmd_literal literal = {
        .source = pk_slice_of(args->text.data, (size_t)args->head.start + args->head.len),
        .mode = CMD_LITERAL_COMMAND,
        .arena = &request->arena};
    size_t pos = args->head.start;
    struct pk_member *member;
    pk_value value;
    enum pk_code rc;

    if (args->head.len > 0 && args->text.data[pos] != '{') {
        rc = cmd_literal_parse_key(&literal, &pos, &key->hash[0], &value, err);
        if (rc != PK_OK)
            return rc;
        if (cmd_skip_blanks(args->text, pos) >= literal.source.len) {
            member = PK_NEW(&request->arena, struct pk_member);
            *member = (struct pk_member){key->hash[0].name, value};
            request->key = pk_value_map(member, 1);
            cmd_wire_set(request->json, "Key", cmd_wire_item(request->key));
            return PK_OK;
        }
    }
    return cmd_request_key(args, request, err);
}

static uint64_t hex_number(pk_slice hex)
{
    char digits[17];
    size_t len = hex.len < 16 ? hex.len : 16;

    if (len == 0)
        return 0;
    memcpy(digits, hex.data, len);
    digits[len] = '\0';
    return strtoull(digits, NULL, 16);
}

static pk_slice part_hex(const cJSON *answer, const char *name)
{
    const cJSON *part;

    cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(answer, "Parts"))
    {
        if (pk_slice_is(cmd_wire_text(part, "Name"), name))
            return cmd_wire_text(part, "Hex");
    }
    return (pk_slice){NULL, 0};
}

/* S USER#123 ␀: tag, value, and the end mark that texts have. */
static void add_key_part(struct pk_buf *out, pk_value value)
{
    pk_buf_printf(out, DOT "%s ", pk_kind_tag(pk_value_kind(value)));
    if (pk_value_kind(value) == PK_STRING)
        pk_buf_add(out, pk_value_bytes(value));
    else
        cmd_value_text(out, value);
    if (pk_value_kind(value) != PK_NUMBER)
        pk_buf_add_cstr(out, " \xE2\x90\x80");
}

/* t · table 1 · 6fecfbdc08fd7241 · S USER#123 ␀ · S ORDER#1001 ␀ */
static pk_slice stored_text(const struct cmd_request *request, const cJSON *answer,
                            struct pk_arena *arena)
{
    const struct pk_key_schema *key = &request->target.table->key;
    struct pk_buf out = PK_BUF_INIT;
    pk_slice token = cmd_wire_text(answer, "Token");
    pk_value range =
        key->range_count == 0 ? pk_value_missing() : pk_value_get(request->key, key->range[0].name);
    pk_slice text;

    pk_buf_printf(&out, "%c" DOT "table %llu" DOT "%.*s",
                  (char)hex_number(part_hex(answer, "space")),
                  (unsigned long long)hex_number(part_hex(answer, "id")), PK_FMT(token));
    add_key_part(&out, pk_value_get(request->key, key->hash[0].name));
    if (pk_value_kind(range) != PK_MISSING)
        add_key_part(&out, range);
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* 2 of 4, or 2 to 3 of 4 */
static pk_slice partition_text(const cJSON *answer, struct pk_arena *arena)
{
    long long first = cmd_wire_int(answer, "Partition", 0);
    long long more = cmd_wire_int(answer, "Partitions", 1) - 1;
    long long count = cmd_wire_int(answer, "PartitionCount", 0);

    return more <= 0 ? pk_arena_printf(arena, "%lld of %lld", first, count)
                     : pk_arena_printf(arena, "%lld to %lld of %lld", first, first + more, count);
}

/* USER#1 · 4: a border that lies inside a token; empty: it does not. */
static pk_slice border_text(const cJSON *answer, const char *name, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    const cJSON *value;
    pk_slice text;

    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(answer, name))
    {
        if (out.len > 0)
            pk_buf_add_cstr(&out, DOT);
        cmd_value_text(&out, cmd_wire_read_value(arena, value));
    }
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

static void show_borders(const cJSON *answer, struct cmd_result *result, struct cmd_grid *grid)
{
    static const char *const rows[][2] = {{"begins with", "FirstKey"}, {"ends before", "EndKey"}};

    for (size_t i = 0; i < 2; i++) {
        pk_slice row[2] = {pk_slice_cstr(rows[i][0]),
                           border_text(answer, rows[i][1], &result->arena)};

        if (row[1].len > 0)
            cmd_grid_row(result, grid, row);
    }
}

static void show_place(const struct cmd_request *request, const cJSON *answer,
                       struct cmd_result *result)
{
    static const char *const columns[] = {"", ""};
    struct pk_arena *arena = &result->arena;
    struct cmd_grid *grid = cmd_result_grid(result, columns, NULL, 2);
    pk_slice first = cmd_wire_text(answer, "FirstToken");
    pk_slice last = cmd_wire_text(answer, "LastToken");
    pk_slice token = cmd_wire_text(answer, "Token");
    pk_slice rows[3][2] = {
        {PK_LIT("token"),
         pk_arena_printf(arena, "%.*s    simulated hash (MD5; AWS keeps its own to itself)",
                         PK_FMT(token))},
        {PK_LIT("partition"),
         pk_arena_printf(arena, "%.*s, tokens %.4s\xE2\x80\xA6 to %.4s\xE2\x80\xA6",
                         PK_FMT(partition_text(answer, arena)), first.data, last.data)},
        {PK_LIT("stored as"), stored_text(request, answer, arena)},
    };

    grid->headless = true;
    for (size_t i = 0; i < 2; i++)
        cmd_grid_row(result, grid, rows[i]);
    show_borders(answer, result, grid);
    cmd_grid_row(result, grid, rows[2]);
}

enum pk_code cmd_where_run(struct cmd_context *context, const struct cmd_statement *statement,
                           struct cmd_result *result, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "where", .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_FROM), .key_first = true};
    struct cmd_request request;
    struct cmd_args args;
    cJSON *answer = NULL;
    enum pk_code rc;

    if (!context->backend->extensions) /* describe key comes here, too */
        return cmd_fail_foreign(context, "where", err);
    cmd_request_init(&request);
    rc = cmd_request_open(context, statement, &spec, &args, &request, err);
    if (rc == PK_OK)
        rc = read_partial_key(&args, &request, err);
    if (rc == PK_OK)
        rc = cmd_call(context, "Pksk.Where", request.json, &answer, NULL, err);
    if (rc == PK_OK)
        show_place(&request, answer, result);
    cJSON_Delete(answer);
    cmd_request_release(&request);
    return rc;
}

const struct cmd_entry cmd_where_entry = {
    .name = "where",
    .group = CMD_GROUP_UNDERSTAND,
    .usage = "KEY [from TABLE]",
    .summary = "where a key lives: its token, partition and stored bytes",
    .detail = "The partition key alone is enough. describe key KEY is the same.",
    .flags = CMD_READONLY,
    .complete = cmd_complete_data,
    .run = cmd_where_run,
};
