#include "commands/literal.h"

#include "engine/base/utf8.h"

/* A name that is there twice is looked for among that many members as they come; in larger maps it
 * shows only by the final count, so that a hostile one costs no quadratic time. */
enum { TWICE_SEARCHED = 64 };

/* The state of one parse. Bottom-up: scalars, containers, the two entry points. */
struct parser {
    const struct cmd_literal *literal;
    struct cmd_lexer lexer;
    struct pk_error *err;
    unsigned depth;
};

static enum pk_code parse_value(struct parser *p, const struct pk_key_attr *attribute,
                                pk_value *out);

static enum pk_code fail_token(struct parser *p, const struct cmd_token *token,
                               const char *expected)
{
    if (token->kind == CMD_TOKEN_END)
        return pk_fail_at(p->err, PK_E_USAGE, token->span, "expected %s, found the end", expected);
    if (token->kind == CMD_TOKEN_STRING || token->kind == CMD_TOKEN_BINARY)
        return pk_fail_at(p->err, PK_E_USAGE, token->span, "expected %s, found %.*s", expected,
                          (int)token->span.len, p->literal->source.data + token->span.start);
    return pk_fail_at(p->err, PK_E_USAGE, token->span, "expected %s, found '%.*s'", expected,
                      (int)token->span.len, p->literal->source.data + token->span.start);
}

/* ---- scalars --------------------------------------------------------------------------------- */

enum pk_code cmd_literal_number(struct pk_arena *arena, pk_slice text, struct pk_span span,
                                pk_value *out, struct pk_error *err)
{
    struct pk_num num;
    enum pk_num_status status = pk_num_parse(text, &num);
    char message[512];

    if (status != PK_NUM_OK)
        return pk_fail_at(err, PK_E_USAGE, span, "%s",
                          pk_num_status_message(status, text, message, sizeof(message)));
    *out = pk_value_number(arena, &num);
    return PK_OK;
}

static const char *type_word(enum pk_kind kind)
{
    if (kind == PK_NUMBER)
        return "a number";
    return kind == PK_BINARY ? "a binary" : "a string";
}

enum pk_code cmd_literal_check_key(pk_value value, struct pk_span span,
                                   const struct pk_key_attr *attribute, struct pk_error *err)
{
    if (pk_value_kind(value) == attribute->type)
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, span, "key attribute '%.*s' is %s, this is of type %s",
               PK_FMT(attribute->name), type_word(attribute->type),
               pk_kind_tag(pk_value_kind(value)));
    if (attribute->type == PK_NUMBER && pk_value_kind(value) == PK_STRING)
        pk_error_hint(err, "a number is written without quotes");
    else if (attribute->type == PK_STRING && pk_value_kind(value) == PK_NUMBER)
        pk_error_hint(err, "a string is written in quotes: '…'");
    return PK_E_USAGE;
}

enum pk_code cmd_literal_key_word(struct pk_arena *arena, pk_slice word, struct pk_span span,
                                  const struct pk_key_attr *attribute, pk_value *out,
                                  struct pk_error *err)
{
    if (attribute->type == PK_STRING) {
        *out = pk_value_string(word);
        return PK_OK;
    }
    if (attribute->type == PK_NUMBER && cmd_is_number(word))
        return cmd_literal_number(arena, word, span, out, err);
    pk_fail_at(err, PK_E_USAGE, span, "key attribute '%.*s' is %s, '%.*s' is none",
               PK_FMT(attribute->name), type_word(attribute->type), PK_FMT(word));
    if (attribute->type == PK_BINARY)
        pk_error_hint(err, "a binary is written b64'…'");
    return PK_E_USAGE;
}

static enum pk_code plain_word(struct parser *p, const struct cmd_token *token, pk_value *out)
{
    bool json = p->literal->mode == CMD_LITERAL_JSON;
    pk_slice word = token->text;

    if (json ? pk_slice_is(word, "true") : cmd_word_is(word, "true"))
        *out = pk_value_bool(true);
    else if (json ? pk_slice_is(word, "false") : cmd_word_is(word, "false"))
        *out = pk_value_bool(false);
    else if (json ? pk_slice_is(word, "null") : cmd_word_is(word, "null"))
        *out = pk_value_null();
    else if (cmd_is_number(word) && !(json && word.data[0] == '+'))
        return cmd_literal_number(p->literal->arena, word, token->span, out, p->err);
    else if (json)
        return fail_token(p, token, "a JSON value");
    else
        *out = pk_value_string(word);
    return PK_OK;
}

/* JSON has double quotes only, and no raw control characters inside them. */
static enum pk_code check_json_string(struct parser *p, const struct cmd_token *token)
{
    const char *text = p->literal->source.data + token->span.start;

    if (p->literal->mode != CMD_LITERAL_JSON)
        return PK_OK;
    if (text[0] != '"')
        return fail_token(p, token, "a JSON value");
    for (uint32_t i = 0; i < token->span.len; i++) {
        if ((unsigned char)text[i] < 0x20)
            return pk_fail_at(p->err, PK_E_USAGE, (struct pk_span){token->span.start + i, 1},
                              "a control character inside a JSON string");
    }
    return PK_OK;
}

static enum pk_code string_value(struct parser *p, const struct cmd_token *token, pk_value *out)
{
    enum pk_code rc = check_json_string(p, token);

    if (rc != PK_OK)
        return rc;
    if (!pk_utf8_valid(token->text))
        return pk_fail_at(p->err, PK_E_USAGE, token->span, "this string is not UTF-8");
    *out = pk_value_string(token->text);
    return PK_OK;
}

/* ---- containers ------------------------------------------------------------------------------ */

/* True when the closer comes next, and takes it; else demands a comma when one is due. */
static enum pk_code at_close(struct parser *p, const char *closer, bool first, bool *closed)
{
    struct cmd_token token;
    enum cmd_lex_mode mode = closer[0] == '}' ? CMD_LEX_MAP_KEY : CMD_LEX_VALUES;
    enum pk_code rc = cmd_lex_peek(&p->lexer, mode, &token, p->err);

    if (rc != PK_OK)
        return rc;
    *closed = cmd_token_is(&token, closer);
    if (*closed || (!first && cmd_token_is(&token, ",")))
        return cmd_lex(&p->lexer, mode, &token, p->err);
    if (first)
        return PK_OK;
    return fail_token(p, &token,
                      closer[0] == '}'   ? "',' or '}'"
                      : closer[0] == ']' ? "',' or ']'"
                                         : "',' or '>>'");
}

static enum pk_code parse_list(struct parser *p, pk_value *out)
{
    struct pk_value_vec vec = {0};
    bool closed = false;
    enum pk_code rc = at_close(p, "]", true, &closed);

    while (rc == PK_OK && !closed) {
        pk_value value;

        rc = parse_value(p, NULL, &value);
        if (rc == PK_OK) {
            pk_value_vec_add(&vec, p->literal->arena, value);
            rc = at_close(p, "]", false, &closed);
        }
    }
    *out = pk_value_list(vec.data, vec.len);
    return rc;
}

/* The kind of a set that begins with such a member, PK_MISSING when there is none. */
static enum pk_kind set_of(enum pk_kind member)
{
    if (member == PK_STRING)
        return PK_STRING_SET;
    if (member == PK_NUMBER)
        return PK_NUMBER_SET;
    return member == PK_BINARY ? PK_BINARY_SET : PK_MISSING;
}

static enum pk_code parse_set(struct parser *p, struct pk_span opener, pk_value *out)
{
    struct pk_value_vec vec = {0};
    bool closed = false, repeated = false;
    enum pk_code rc = at_close(p, ">>", true, &closed);

    while (rc == PK_OK && !closed) {
        size_t start = cmd_skip_blanks(p->literal->source, p->lexer.pos);
        struct pk_span span;
        pk_value value;

        rc = parse_value(p, NULL, &value);
        if (rc != PK_OK)
            return rc;
        span = (struct pk_span){(uint32_t)start, (uint32_t)(p->lexer.pos - start)};
        if (set_of(pk_value_kind(value)) == PK_MISSING)
            return pk_fail_at(p->err, PK_E_USAGE, span, "a set holds strings, numbers or binaries");
        if (vec.len > 0 && vec.data[0].kind != value.kind)
            return pk_fail_at(p->err, PK_E_USAGE, span,
                              "a set holds values of one type: all strings, numbers or binaries");
        pk_value_vec_add(&vec, p->literal->arena, value);
        rc = at_close(p, ">>", false, &closed);
    }
    if (rc != PK_OK)
        return rc;
    opener.len = (uint32_t)p->lexer.pos - opener.start;
    if (vec.len == 0)
        return pk_fail_at(p->err, PK_E_USAGE, opener, "a set cannot be empty");
    *out = pk_value_set(set_of(pk_value_kind(vec.data[0])), vec.data, vec.len, &repeated);
    if (repeated)
        return pk_fail_at(p->err, PK_E_USAGE, opener, "the set holds a value twice");
    return PK_OK;
}

static const struct pk_key_attr *find_attribute(const struct pk_table *table, pk_slice name)
{
    for (size_t i = 0; table != NULL && i < table->attribute_count; i++) {
        if (pk_slice_equal(table->attributes[i].name, name))
            return &table->attributes[i];
    }
    return NULL;
}

static enum pk_code parse_member_name(struct parser *p, bool first, struct cmd_token *name)
{
    struct cmd_token colon;
    enum pk_code rc = cmd_lex(&p->lexer, CMD_LEX_MAP_KEY, name, p->err);

    if (rc != PK_OK)
        return rc;
    if (name->kind != CMD_TOKEN_STRING && p->literal->mode == CMD_LITERAL_JSON)
        return fail_token(p, name, "a name in double quotes");
    if (name->kind != CMD_TOKEN_WORD && name->kind != CMD_TOKEN_STRING &&
        name->kind != CMD_TOKEN_NAME)
        return fail_token(p, name, first ? "a name or '}'" : "a name");
    if (name->kind == CMD_TOKEN_STRING)
        rc = check_json_string(p, name);
    if (rc != PK_OK)
        return rc;
    if (!pk_utf8_valid(name->text))
        return pk_fail_at(p->err, PK_E_USAGE, name->span, "this name is not UTF-8");
    rc = cmd_lex(&p->lexer, CMD_LEX_MAP_KEY, &colon, p->err);
    if (rc != PK_OK || cmd_token_is(&colon, ":"))
        return rc;
    return fail_token(p, &colon, "':'");
}

static enum pk_code parse_map(struct parser *p, pk_value *out)
{
    struct pk_member_vec vec = {0};
    struct cmd_token name = {0};
    bool closed = false;
    enum pk_code rc = at_close(p, "}", true, &closed);

    while (rc == PK_OK && !closed) {
        const struct pk_key_attr *attribute = NULL;
        pk_value value = pk_value_missing();

        rc = parse_member_name(p, vec.len == 0, &name);
        if (rc != PK_OK)
            return rc;
        for (size_t i = 0; i < vec.len && i < TWICE_SEARCHED; i++) {
            if (pk_slice_equal(vec.data[i].name, name.text))
                return pk_fail_at(p->err, PK_E_USAGE, name.span, "'%.*s' is there twice",
                                  PK_FMT(name.text));
        }
        if (p->depth == 1)
            attribute = find_attribute(p->literal->table, name.text);
        rc = parse_value(p, attribute, &value);
        if (rc == PK_OK) {
            pk_member_vec_add(&vec, p->literal->arena, name.text, value);
            rc = at_close(p, "}", false, &closed);
        }
    }
    if (rc != PK_OK)
        return rc;
    *out = pk_value_map(vec.data, vec.len);
    if (out->len != vec.len)
        return pk_fail_at(p->err, PK_E_USAGE, name.span, "a name is in the map twice");
    return PK_OK;
}

static enum pk_code parse_container(struct parser *p, const struct cmd_token *token, pk_value *out)
{
    enum pk_code rc;

    if (++p->depth > CMD_LITERAL_DEPTH_MAX)
        return pk_fail_at(p->err, PK_E_USAGE, token->span, "nested deeper than %d levels",
                          CMD_LITERAL_DEPTH_MAX);
    if (cmd_token_is(token, "["))
        rc = parse_list(p, out);
    else if (cmd_token_is(token, "{"))
        rc = parse_map(p, out);
    else
        rc = parse_set(p, token->span, out);
    p->depth--;
    return rc;
}

static bool opens_container(const struct parser *p, const struct cmd_token *token)
{
    return cmd_token_is(token, "[") || cmd_token_is(token, "{") ||
           (p->literal->mode == CMD_LITERAL_COMMAND && cmd_token_is(token, "<<"));
}

/* value = string | number | true | false | null | binary | set | list | map | bareword
 * attribute: the key attribute whose value it is, or NULL. Containers and literals of another type
 * are let pass for it: in a map the engine's own message is better (and {"S": …} is a map). */
static enum pk_code parse_value(struct parser *p, const struct pk_key_attr *attribute,
                                pk_value *out)
{
    struct cmd_token token;
    enum pk_code rc = cmd_lex(&p->lexer, CMD_LEX_VALUES, &token, p->err);

    if (rc != PK_OK)
        return rc;
    if (token.kind == CMD_TOKEN_STRING)
        return string_value(p, &token, out);
    if (token.kind == CMD_TOKEN_WORD) {
        if (attribute != NULL && p->literal->mode == CMD_LITERAL_COMMAND)
            return cmd_literal_key_word(p->literal->arena, token.text, token.span, attribute, out,
                                        p->err);
        return plain_word(p, &token, out);
    }
    if (token.kind == CMD_TOKEN_BINARY && p->literal->mode == CMD_LITERAL_COMMAND) {
        *out = pk_value_binary(token.text);
        return PK_OK;
    }
    if (opens_container(p, &token))
        return parse_container(p, &token, out);
    return fail_token(p, &token, p->literal->mode == CMD_LITERAL_JSON ? "a JSON value" : "a value");
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* Every key attribute of the table that the map has, one at least, is itself {"S": …}; a key cannot
 * be a map, so there is no doubt. */
static bool is_typed_item(pk_value map, const struct pk_table *table)
{
    const struct pk_key_schema *key = &table->key;
    pk_value hash = pk_value_get(map, key->hash[0].name);
    pk_value range = key->range_count == 0 ? hash : pk_value_get(map, key->range[0].name);

    if (pk_value_kind(hash) == PK_MISSING)
        return cmd_literal_is_typed(range);
    return cmd_literal_is_typed(hash) &&
           (pk_value_kind(range) == PK_MISSING || cmd_literal_is_typed(range));
}

/* DynamoDB JSON as an item, written from `start` on; an error points at the attribute's value. */
static enum pk_code read_typed_item(const struct parser *p, size_t start, pk_value *item)
{
    struct pk_member_vec vec = {0};

    for (uint32_t i = 0; i < item->len; i++) {
        const struct pk_member *member = &item->u.members[i];
        pk_value value;
        enum pk_code rc = cmd_literal_from_typed(p->literal->arena, member->value, &value, p->err);

        if (rc != PK_OK) {
            cmd_literal_member_span(p->literal, start, member->name, &p->err->span);
            return rc;
        }
        pk_member_vec_add(&vec, p->literal->arena, member->name, value);
    }
    *item = pk_value_map(vec.data, vec.len);
    return PK_OK;
}

static void parser_init(struct parser *p, const struct cmd_literal *literal, size_t pos,
                        struct pk_error *err)
{
    struct pk_span rest = {(uint32_t)pos, (uint32_t)(literal->source.len - pos)};

    *p = (struct parser){.literal = literal, .err = err};
    cmd_lexer_init(&p->lexer, literal->source, rest, literal->arena);
}

enum pk_code cmd_literal_parse(const struct cmd_literal *literal, size_t *pos, pk_value *out,
                               struct pk_error *err)
{
    struct parser p;
    pk_value value = pk_value_missing();
    enum pk_code rc;

    size_t start = cmd_skip_blanks(literal->source, *pos);

    parser_init(&p, literal, *pos, err);
    rc = parse_value(&p, NULL, &value);
    if (rc == PK_OK && literal->table != NULL && pk_value_kind(value) == PK_MAP &&
        is_typed_item(value, literal->table))
        rc = read_typed_item(&p, start, &value);
    if (rc != PK_OK)
        return rc;
    *pos = p.lexer.pos;
    *out = value;
    return PK_OK;
}

bool cmd_literal_member_span(const struct cmd_literal *literal, size_t pos, pk_slice name,
                             struct pk_span *span)
{
    struct pk_error err = PK_ERROR_INIT;
    struct parser p;
    struct cmd_token token;
    bool closed = false, found = false;
    enum pk_code rc;

    parser_init(&p, literal, pos, &err);
    rc = cmd_lex(&p.lexer, CMD_LEX_VALUES, &token, &err);
    if (rc == PK_OK && !cmd_token_is(&token, "{"))
        return false;
    if (rc == PK_OK)
        rc = at_close(&p, "}", true, &closed);
    while (rc == PK_OK && !closed && !found) {
        pk_value ignored;
        size_t start;

        rc = parse_member_name(&p, true, &token);
        start = cmd_skip_blanks(literal->source, p.lexer.pos);
        if (rc == PK_OK)
            rc = parse_value(&p, NULL, &ignored);
        found = rc == PK_OK && pk_slice_equal(token.text, name);
        if (found)
            *span = (struct pk_span){(uint32_t)start, (uint32_t)(p.lexer.pos - start)};
        else if (rc == PK_OK)
            rc = at_close(&p, "}", false, &closed);
    }
    pk_error_release(&err);
    return found;
}

enum pk_code cmd_literal_parse_key(const struct cmd_literal *literal, size_t *pos,
                                   const struct pk_key_attr *attribute, pk_value *out,
                                   struct pk_error *err)
{
    size_t start = cmd_skip_blanks(literal->source, *pos);
    struct parser p;
    pk_value value = pk_value_missing();
    enum pk_code rc;

    parser_init(&p, literal, *pos, err);
    rc = parse_value(&p, attribute, &value);
    if (rc == PK_OK)
        rc = cmd_literal_check_key(
            value, (struct pk_span){(uint32_t)start, (uint32_t)(p.lexer.pos - start)}, attribute,
            err);
    if (rc != PK_OK)
        return rc;
    *pos = p.lexer.pos;
    *out = value;
    return PK_OK;
}
