/* KEY of the data commands: values in the schema's order, or a map of them. */
#include "commands/literal.h"
#include "commands/request.h"
#include "commands/wire.h"

enum pk_code cmd_fail_key(const struct cmd_target *target, struct pk_span span,
                          struct pk_error *err, const char *format, ...)
{
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice key = cmd_key_text(cmd_target_key(target), &arena);
    pk_slice name = target->index != NULL ? target->index->name : target->table->name;
    pk_slice text;
    va_list args;

    va_start(args, format);
    text = pk_arena_vprintf(&arena, format, args);
    va_end(args);
    pk_fail_at(err, PK_E_USAGE, span, "the key of %.*s is %.*s: %.*s", PK_FMT(name), PK_FMT(key),
               PK_FMT(text));
    pk_arena_release(&arena);
    return PK_E_USAGE;
}

static size_t head_end(const struct cmd_args *args)
{
    return (size_t)args->head.start + args->head.len;
}

/* An unquoted word that query would read as a range, were it the sort key's. */
static void note_wildcard(struct cmd_request *request, const struct cmd_args *args, size_t pos,
                          bool hash)
{
    pk_slice word = cmd_word_at(args->text, pos);

    if (word.len == 0 || args->text.data[pos] == '`')
        return;
    if (word.data[word.len - 1] != '*' && memmem(word.data, word.len, "..", 2) == NULL)
        return;
    if (request->wildcard.len == 0)
        request->wildcard_hash = hash;
    request->wildcard = word;
}

static enum pk_code check_key_map(struct cmd_request *request, const struct cmd_literal *literal,
                                  struct pk_span span, pk_value map, struct pk_error *err)
{
    const struct pk_table *table = request->target.table;
    const struct pk_key_attr *parts[2] = {&table->key.hash[0], &table->key.range[0]};
    size_t count = table->key.range_count == 0 ? 1 : 2;

    for (size_t i = 0; i < count; i++) {
        pk_value value = pk_value_get(map, parts[i]->name);
        struct pk_span place = span;
        enum pk_code rc;

        if (pk_value_kind(value) == PK_MISSING)
            return cmd_fail_key(&request->target, span, err, "%.*s is missing",
                                PK_FMT(parts[i]->name));
        cmd_literal_member_span(literal, span.start, parts[i]->name, &place);
        rc = cmd_literal_check_key(value, place, parts[i], err);
        if (rc != PK_OK)
            return rc;
    }
    if (map.len != count)
        return cmd_fail_key(&request->target, span, err, "the map has other attributes as well");
    return PK_OK;
}

/* A key with a word of the language in it ends early: the clause that follows is the suspect. */
static enum pk_code fail_missing(struct cmd_request *request, const struct cmd_args *args,
                                 pk_slice name, struct pk_error *err)
{
    cmd_fail_key(&request->target, args->head, err, "%.*s is missing", PK_FMT(name));
    if (args->count > 0 && args->clauses[0].body.len == 0) {
        struct pk_span word = args->clauses[0].word;

        pk_error_hint(err, "a key spelled like a word of the language is quoted: '%.*s'",
                      (int)word.len, args->text.data + word.start);
    }
    return PK_E_USAGE;
}

/* A value that breaks off at a comma, bracket or the like, which a bareword cannot hold. */
static void hint_broken_word(const struct cmd_args *args, size_t first, size_t pos,
                             struct pk_error *err)
{
    if (pos > first && pos < head_end(args) && strchr(",()[]<>=}", args->text.data[pos]) != NULL &&
        strchr("'\"`", args->text.data[first]) == NULL)
        pk_error_hint(err, "a key with '%c' in it is quoted: '%.*s%c…'", args->text.data[pos],
                      (int)(pos - first), args->text.data + first, args->text.data[pos]);
}

static enum pk_code read_key_map(struct cmd_request *request, const struct cmd_literal *literal,
                                 size_t *pos, pk_value *key, struct pk_error *err)
{
    size_t start = *pos;
    enum pk_code rc = cmd_literal_parse(literal, pos, key, err);

    if (rc != PK_OK)
        return rc;
    return check_key_map(request, literal,
                         (struct pk_span){(uint32_t)start, (uint32_t)(*pos - start)}, *key, err);
}

/* Values by position; the map a put has behind its key ends them. */
static enum pk_code read_key_values(struct cmd_request *request, const struct cmd_args *args,
                                    const struct cmd_literal *literal, size_t *pos, pk_value *key,
                                    struct pk_error *err)
{
    const struct pk_table *table = request->target.table;
    const struct pk_key_attr *parts[2] = {&table->key.hash[0], &table->key.range[0]};
    struct pk_member_vec members = {0};
    size_t count = table->key.range_count == 0 ? 1 : 2;
    size_t before = *pos;

    for (size_t i = 0; i < count; i++) {
        pk_value value;
        size_t start = cmd_skip_blanks(args->text, *pos);
        enum pk_code rc;

        if (start >= head_end(args) || args->text.data[start] == '{')
            return fail_missing(request, args, parts[i]->name, err);
        note_wildcard(request, args, start, i == 0);
        rc = cmd_literal_parse_key(literal, pos, parts[i], &value, err);
        if (rc != PK_OK) {
            hint_broken_word(args, before, *pos, err);
            return rc;
        }
        before = start;
        pk_member_vec_add(&members, &request->arena, parts[i]->name, value);
    }
    *key = pk_value_map(members.data, members.len);
    return PK_OK;
}

enum pk_code cmd_read_key(struct cmd_request *request, const struct cmd_args *args, size_t *pos,
                          pk_value *key, struct pk_error *err)
{
    struct cmd_literal literal = {.source = pk_slice_of(args->text.data, head_end(args)),
                                  .mode = CMD_LITERAL_COMMAND,
                                  .arena = &request->arena,
                                  .table = request->target.table};
    size_t start = cmd_skip_blanks(args->text, *pos);
    enum pk_code rc;

    *pos = start;
    if (start < head_end(args) && args->text.data[start] == '{')
        rc = read_key_map(request, &literal, pos, key, err);
    else
        rc = read_key_values(request, args, &literal, pos, key, err);
    if (rc == PK_OK)
        request->key_span = (struct pk_span){(uint32_t)start, (uint32_t)(*pos - start)};
    return rc;
}

enum pk_code cmd_fail_no_key(const struct cmd_request *request, const struct cmd_args *args,
                             struct pk_error *err)
{
    size_t end = args->head.start; /* behind the command's word */

    while (end > 0 && strchr(" \t\r\n", args->text.data[end - 1]) != NULL)
        end--;
    return cmd_fail_key(&request->target, (struct pk_span){(uint32_t)end, 0}, err,
                        "no value is given");
}

enum pk_code cmd_request_key(const struct cmd_args *args, struct cmd_request *request,
                             struct pk_error *err)
{
    struct cmd_args whole = *args;
    size_t pos = args->head.start;
    enum pk_code rc;

    if (whole.head.len == 0)
        return cmd_fail_no_key(request, args, err);
    rc = cmd_read_key(request, &whole, &pos, &request->key, err);
    if (rc != PK_OK)
        return rc;
    pos = cmd_skip_blanks(args->text, pos);
    if (pos < head_end(args))
        return cmd_fail_key(&request->target,
                            (struct pk_span){(uint32_t)pos, (uint32_t)(head_end(args) - pos)}, err,
                            "this is one value too many");
    cmd_wire_set(request->json, "Key", cmd_wire_item(request->key));
    return PK_OK;
}

struct pk_span cmd_item_member_span(struct cmd_request *request, pk_slice name)
{
    struct cmd_literal literal = {
        .source = request->text, .mode = CMD_LITERAL_COMMAND, .arena = &request->arena};
    struct pk_span span = request->item_span;

    if (span.len > 0 && !cmd_literal_member_span(&literal, span.start, name, &span) &&
        request->key_span.len > 0)
        return request->key_span;
    return span;
}
