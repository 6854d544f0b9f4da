#include "commands/entries.h"
#include "commands/item_commands.h"
#include "commands/literal.h"
#include "commands/wire.h"

static size_t head_end(const struct cmd_args *args)
{
    return (size_t)args->head.start + args->head.len;
}

static enum pk_code read_map(const struct cmd_args *args, struct cmd_request *request, size_t *pos,
                             pk_value *map, struct pk_error *err)
{
    struct cmd_literal literal = {.source = pk_slice_of(args->text.data, head_end(args)),
                                  .mode = CMD_LITERAL_COMMAND,
                                  .arena = &request->arena,
                                  .table = request->target.table};
    size_t start = cmd_skip_blanks(args->text, *pos);
    struct pk_span rest = {(uint32_t)start, start < head_end(args) ? 1 : 0};
    enum pk_code rc;

    if (start >= head_end(args) || args->text.data[start] != '{') {
        pk_fail_at(err, PK_E_USAGE, rest, "expected the item as a map: {name: value, …}");
        return PK_E_USAGE;
    }
    request->item_span.start = (uint32_t)start;
    rc = cmd_literal_parse(&literal, pos, map, err);
    if (rc == PK_OK)
        request->item_span.len = (uint32_t)(*pos - start);
    return rc;
}

/* The key's attributes into the map; one that is there already must say the same. */
static enum pk_code merge_key(struct cmd_request *request, pk_value *item, struct pk_error *err)
{
    for (uint32_t i = 0; i < request->key.len; i++) {
        const struct pk_member *member = &request->key.u.members[i];
        pk_value there = pk_value_get(*item, member->name);

        if (pk_value_kind(there) != PK_MISSING && !pk_value_equal(there, member->value))
            return pk_fail_at(err, PK_E_USAGE, cmd_item_member_span(request, member->name),
                              "the map has another '%.*s' than the key before it",
                              PK_FMT(member->name));
        *item = pk_value_with(&request->arena, *item, member->name, member->value);
    }
    return PK_OK;
}

static enum pk_code check_key(struct cmd_request *request, struct pk_span span, pk_value item,
                              struct pk_error *err)
{
    const struct pk_key_schema *key = &request->target.table->key;

    for (size_t i = 0; i < (key->range_count == 0 ? 1u : 2u); i++) {
        pk_slice name = i == 0 ? key->hash[0].name : key->range[0].name;

        if (pk_value_kind(pk_value_get(item, name)) == PK_MISSING)
            return cmd_fail_key(&request->target, span, err, "%.*s is missing", PK_FMT(name));
    }
    return PK_OK;
}

/* [KEY] map: a map alone is the item, a map before a map is the key. */
static enum pk_code read_item(const struct cmd_args *args, struct cmd_request *request,
                              struct pk_error *err)
{
    size_t pos = args->head.start;
    pk_value first = pk_value_missing();
    enum pk_code rc;
    bool map_first = args->head.len > 0 && args->text.data[pos] == '{';

    if (map_first) {
        rc = read_map(args, request, &pos, &first, err);
        if (rc != PK_OK)
            return rc;
        if (cmd_skip_blanks(args->text, pos) >= head_end(args)) {
            request->item = first;
            return check_key(request, args->head, first, err);
        }
        pos = args->head.start;
    }
    rc = args->head.len == 0 ? PK_OK : cmd_read_key(request, args, &pos, &request->key, err);
    if (rc == PK_OK)
        rc = read_map(args, request, &pos, &request->item, err);
    if (rc != PK_OK)
        return rc;
    pos = cmd_skip_blanks(args->text, pos);
    if (pos < head_end(args))
        return pk_fail_at(err, PK_E_USAGE,
                          (struct pk_span){(uint32_t)pos, (uint32_t)(head_end(args) - pos)},
                          "unexpected text after the item");
    return merge_key(request, &request->item, err);
}

enum pk_code cmd_put_request(struct cmd_context *context, const struct cmd_statement *statement,
                             struct cmd_request *request, struct pk_error *err)
{
    static const struct cmd_args_spec spec = {
        .command = "put",
        .allowed = CMD_CLAUSE_BIT(CMD_CLAUSE_INTO) | CMD_CLAUSE_BIT(CMD_CLAUSE_IF) |
                   CMD_CLAUSE_BIT(CMD_CLAUSE_RETURN),
        .key_first = true,
    };
    struct cmd_args args;
    enum pk_code rc = cmd_request_open(context, statement, &spec, &args, request, err);

    request->operation = "PutItem";
    if (rc == PK_OK)
        rc = read_item(&args, request, err);
    if (rc != PK_OK)
        return rc;
    cmd_wire_set(request->json, "Item", cmd_wire_item(request->item));
    rc = cmd_request_condition(&args, CMD_CLAUSE_IF, PK_EXPR_CONDITION, request, err);
    if (rc == PK_OK)
        rc = cmd_request_returns(&args, false, request, err);
    if (rc == PK_OK)
        cmd_request_close_write(request);
    return rc;
}

static enum pk_code put_run(struct cmd_context *context, const struct cmd_statement *statement,
                            struct cmd_result *result, struct pk_error *err)
{
    return cmd_run_item(context, statement, cmd_put_request, result, err);
}

const struct cmd_entry cmd_put_entry = {
    .name = "put",
    .group = CMD_GROUP_DATA,
    .usage = "[KEY] {name: value, …} [into TABLE] [if COND] [return old]",
    .summary = "write one item whole (PutItem)",
    .detail = "  put USER#123 ORDER#1 {total: 45, tags: <<'new'>>}\n"
              "  put {PK: USER#123, SK: PROFILE, name: 'Alice'} if attribute_not_exists(PK)\n"
              "Plain JSON and DynamoDB JSON are accepted as the map.",
    .complete = cmd_complete_data,
    .run = put_run,
};
