/*
 * What query reads: a partition key value and a range of the sort key, or a key condition
 * (grammar.md, "Data commands"). Both become a KeyConditionExpression.
 *
 * A trailing * and .. act only unquoted; glued to a quoted value they still do: 'A*'* begins with
 * A*, 'a'..'b' is a range.
 */
#include "commands/literal.h"
#include "commands/request.h"
#include "commands/wire.h"

/* The condition on the sort key. */
struct range {
    enum pk_op op; /* EQ LT LE GT GE BETWEEN BEGINS_WITH */
    pk_value values[2];
    struct pk_span spans[2];
    size_t count; /* 0: no condition */
};

struct reader {
    struct cmd_request *request;
    const struct cmd_args *args;
    struct cmd_lexer lexer;
    struct cmd_token token; /* the current one */
    const struct pk_key_attr *hash;
    const struct pk_key_attr *sort; /* NULL: there is none */
    struct range range;
    struct pk_error *err;
};

static enum pk_code next(struct reader *r)
{
    return cmd_lex(&r->lexer, CMD_LEX_VALUES, &r->token, r->err);
}

static bool at_word(const struct reader *r, const char *word)
{
    return r->token.kind == CMD_TOKEN_WORD && cmd_word_is(r->token.text, word);
}

static enum pk_code add_bound(struct reader *r, pk_value value, struct pk_span span)
{
    r->range.values[r->range.count] = value;
    r->range.spans[r->range.count] = span;
    r->range.count++;
    return PK_OK;
}

/* A part of a bareword as a bound. */
static enum pk_code add_word(struct reader *r, pk_slice word, struct pk_span span)
{
    pk_value value;
    enum pk_code rc = cmd_literal_key_word(&r->request->arena, word, span, r->sort, &value, r->err);

    return rc != PK_OK ? rc : add_bound(r, value, span);
}

/* The current token as a bound; the next one becomes current. */
static enum pk_code add_token(struct reader *r)
{
    struct cmd_literal literal = {
        .source = pk_slice_of(r->args->text.data, r->lexer.end),
        .mode = CMD_LITERAL_COMMAND,
        .arena = &r->request->arena,
    };
    size_t pos = r->token.span.start;
    pk_value value;
    enum pk_code rc;

    if (r->token.kind == CMD_TOKEN_END)
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span, "expected a value of %.*s",
                          PK_FMT(r->sort->name));
    rc = cmd_literal_parse_key(&literal, &pos, r->sort, &value, r->err);
    if (rc != PK_OK)
        return rc;
    add_bound(r, value, (struct pk_span){r->token.span.start, (uint32_t)pos - r->token.span.start});
    r->lexer.pos = pos;
    return next(r);
}

/* ---- forms of the range ---------------------------------------------------------------------- */

/* a..b: the part of the word behind the dots, or the quoted text glued to them. */
static enum pk_code read_upper(struct reader *r, pk_slice rest, struct pk_span span)
{
    size_t lower = r->range.count;
    bool loose = lower == 0 || (rest.len == 0 && pk_slice_is(r->token.text, "..") &&
                                !r->token.glued); /* a .. b */
    enum pk_code rc = next(r);

    r->range.op = lower == 0 ? PK_OP_LE : PK_OP_GE;
    if (rc != PK_OK)
        return rc;
    if (rest.len > 0)
        rc = add_word(r, rest, span);
    else if (r->token.kind != CMD_TOKEN_END && (r->token.glued || loose))
        rc = add_token(r);
    if (rc == PK_OK && lower == 0 && r->range.count == 0)
        return pk_fail_at(r->err, PK_E_USAGE, (struct pk_span){span.start - 2, 2},
                          "expected a value beside '..'");
    if (lower == 1 && r->range.count == 2)
        r->range.op = PK_OP_BETWEEN;
    return rc;
}

static struct pk_span part_of(const struct cmd_token *token, size_t from, size_t to)
{
    return (struct pk_span){token->span.start + (uint32_t)from, (uint32_t)(to - from)};
}

static enum pk_code read_prefix(struct reader *r, pk_slice word)
{
    if (r->sort->type == PK_NUMBER) {
        pk_fail_at(r->err, PK_E_USAGE, r->token.span,
                   "'%.*s' is a number: it has no beginning to match", PK_FMT(r->sort->name));
        pk_error_hint(r->err, "a range of numbers is written 1..5");
        return PK_E_USAGE;
    }
    r->range.op = PK_OP_BEGINS_WITH;
    if (word.len > 0) {
        enum pk_code rc = add_word(r, word, part_of(&r->token, 0, word.len));

        if (rc != PK_OK)
            return rc;
    }
    return next(r);
}

/* A bareword: a, a*, a..b, a.., ..b */
static enum pk_code read_word(struct reader *r)
{
    struct cmd_token token = r->token;
    pk_slice word = token.text;
    const char *dots = memmem(word.data, word.len, "..", 2);
    enum pk_code rc;

    if (dots != NULL) {
        size_t before = (size_t)(dots - word.data);

        if (before > 0) {
            rc = add_word(r, pk_slice_of(word.data, before), part_of(&token, 0, before));
            if (rc != PK_OK)
                return rc;
        }
        return read_upper(r, pk_slice_skip(word, before + 2),
                          part_of(&token, before == 0 ? 2 : before + 2, word.len));
    }
    if (word.data[word.len - 1] == '*')
        return read_prefix(r, pk_slice_of(word.data, word.len - 1));
    return add_token(r);
}

/* What may follow a value: * glued to a quoted one, or .. and an upper bound. */
static enum pk_code read_tail(struct reader *r)
{
    if (r->token.kind != CMD_TOKEN_WORD)
        return PK_OK;
    if (pk_slice_is(r->token.text, "*") && r->token.glued && r->range.op == PK_OP_EQ)
        return read_prefix(r, (pk_slice){NULL, 0});
    if (pk_slice_starts(r->token.text, PK_LIT("..")) && r->range.op == PK_OP_EQ)
        return read_upper(r, pk_slice_skip(r->token.text, 2),
                          part_of(&r->token, 2, r->token.text.len));
    return PK_OK;
}

static enum pk_code read_between(struct reader *r)
{
    enum pk_code rc = next(r);

    r->range.op = PK_OP_BETWEEN;
    if (rc == PK_OK)
        rc = add_token(r);
    if (rc != PK_OK)
        return rc;
    if (!at_word(r, "and"))
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span,
                          "expected 'and' after the lower bound of 'between'");
    rc = next(r);
    return rc != PK_OK ? rc : add_token(r);
}

static enum pk_code read_begins_with(struct reader *r)
{
    bool parenthesis;
    enum pk_code rc = next(r);

    if (rc != PK_OK)
        return rc;
    r->range.op = PK_OP_BEGINS_WITH;
    parenthesis = cmd_token_is(&r->token, "(");
    if (parenthesis)
        rc = next(r);
    if (rc == PK_OK)
        rc = add_token(r);
    if (rc == PK_OK && parenthesis)
        rc = cmd_token_is(&r->token, ")")
                 ? next(r)
                 : pk_fail_at(r->err, PK_E_USAGE, r->token.span, "expected ')'");
    return rc;
}

static bool comparison(const struct cmd_token *token, enum pk_op *op)
{
    static const struct {
        const char *text;
        enum pk_op op;
    } operators[] = {
        {"=", PK_OP_EQ}, {"<", PK_OP_LT}, {"<=", PK_OP_LE}, {">", PK_OP_GT}, {">=", PK_OP_GE},
    };

    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (cmd_token_is(token, operators[i].text)) {
            *op = operators[i].op;
            return true;
        }
    }
    return false;
}

/* range = value | prefix* | value..value | value.. | ..value | (< <= > >=) value
 *       | begins_with value | between value and value */
static enum pk_code read_range(struct reader *r)
{
    enum pk_code rc;

    r->range.op = PK_OP_EQ;
    if (comparison(&r->token, &r->range.op)) {
        rc = next(r);
        return rc != PK_OK ? rc : add_token(r);
    }
    if (at_word(r, "between"))
        return read_between(r);
    if (at_word(r, "begins_with"))
        return read_begins_with(r);
    rc = r->token.kind == CMD_TOKEN_WORD ? read_word(r) : add_token(r);
    return rc != PK_OK ? rc : read_tail(r);
}

/* ---- the key condition ----------------------------------------------------------------------- */

static void add(struct reader *r, struct cmd_expression_builder *out, pk_slice text,
                struct pk_span source)
{
    cmd_expression_add(out, &r->request->arena, text, source);
}

static void add_value(struct reader *r, struct cmd_expression_builder *out, size_t i)
{
    add(r, out, cmd_rewriter_value(&r->request->rewriter, r->range.values[i]), r->range.spans[i]);
}

static void write_range(struct reader *r, struct cmd_expression_builder *out)
{
    pk_slice name = cmd_rewriter_name(&r->request->rewriter, r->sort->name);
    struct pk_span all = r->range.spans[0];

    if (r->range.count == 2)
        all.len = r->range.spans[1].start + r->range.spans[1].len - all.start;
    pk_buf_add_cstr(&out->text, " AND ");
    if (r->range.op == PK_OP_BEGINS_WITH) {
        add(r, out, PK_LIT("begins_with("), all);
        add(r, out, name, all);
        pk_buf_add_cstr(&out->text, ", ");
        add_value(r, out, 0);
        pk_buf_add_byte(&out->text, ')');
        return;
    }
    add(r, out, name, all);
    pk_buf_printf(&out->text, " %s ", pk_op_name(r->range.op));
    add_value(r, out, 0);
    if (r->range.op == PK_OP_BETWEEN) {
        pk_buf_add_cstr(&out->text, " AND ");
        add_value(r, out, 1);
    }
}

static void write_condition(struct reader *r, pk_value hash, struct pk_span span)
{
    struct cmd_expression_builder out = {.text = PK_BUF_INIT};
    struct cmd_rewriter *rewriter = &r->request->rewriter;

    add(r, &out, cmd_rewriter_name(rewriter, r->hash->name), span);
    pk_buf_add_cstr(&out.text, " = ");
    add(r, &out, cmd_rewriter_value(rewriter, hash), span);
    if (r->range.count > 0)
        write_range(r, &out);
    cmd_expression_finish(&out, &r->request->arena,
                          &r->request->expressions[PK_EXPR_KEY_CONDITION]);
}

/* ---- value form ------------------------------------------------------------------------------ */

static enum pk_code read_hash(struct reader *r, pk_value *hash, struct pk_span *span)
{
    struct cmd_literal literal = {
        .source = pk_slice_of(r->args->text.data, r->lexer.end),
        .mode = CMD_LITERAL_COMMAND,
        .arena = &r->request->arena,
    };
    size_t pos = r->token.span.start;
    bool bare = r->token.kind == CMD_TOKEN_WORD;
    struct cmd_token token = r->token;
    enum pk_op ignored;
    enum pk_code rc;

    if (bare && r->token.text.data[r->token.text.len - 1] == '*') {
        pk_fail_at(r->err, PK_E_USAGE, r->token.span,
                   "the partition key '%.*s' must be whole: '*' acts on the sort key only",
                   PK_FMT(r->hash->name));
        pk_error_hint(r->err,
                      "scan where begins_with(%.*s, '%.*s') reads everything to find them; in "
                      "quotes '*' is text",
                      PK_FMT(r->hash->name), (int)r->token.text.len - 1, r->token.text.data);
        return PK_E_USAGE;
    }
    rc = cmd_literal_parse_key(&literal, &pos, r->hash, hash, r->err);
    if (rc != PK_OK)
        return rc;
    *span = (struct pk_span){r->token.span.start, (uint32_t)pos - r->token.span.start};
    r->lexer.pos = pos;
    if (bare && memmem(token.text.data, token.text.len, "..", 2) != NULL) {
        r->request->wildcard = token.text;
        r->request->wildcard_hash = true;
    }
    rc = next(r);
    if (rc == PK_OK && bare && comparison(&r->token, &ignored))
        r->request->named = token.text;
    return rc;
}

/* What stands too much. After a key value the range names no attribute: said where one is named. */
static enum pk_code fail_rest(struct reader *r, struct cmd_token after_hash)
{
    struct pk_span rest = {r->token.span.start, (uint32_t)r->lexer.end - r->token.span.start};
    const char *text = r->args->text.data;
    size_t tail;

    if (r->sort == NULL || after_hash.kind != CMD_TOKEN_WORD ||
        !pk_slice_equal(after_hash.text, r->sort->name))
        return cmd_fail_key(&r->request->target, rest, r->err, "this is one value too many");
    tail = cmd_skip_blanks(r->args->text, after_hash.span.start + after_hash.span.len);
    pk_fail_at(r->err, PK_E_USAGE, after_hash.span,
               "after a key value the range of %.*s stands without its name",
               PK_FMT(r->sort->name));
    pk_error_hint(r->err, "query %.*s %.*s", (int)(after_hash.span.start - r->args->head.start - 1),
                  text + r->args->head.start, (int)(r->lexer.end - tail), text + tail);
    return PK_E_USAGE;
}

static enum pk_code read_values(struct reader *r)
{
    struct pk_span span = {0, 0};
    pk_value hash = pk_value_missing();
    enum pk_code rc = read_hash(r, &hash, &span);
    struct cmd_token after_hash = r->token;

    if (rc == PK_OK && r->token.kind != CMD_TOKEN_END && r->sort != NULL)
        rc = read_range(r);
    if (rc != PK_OK)
        return rc;
    if (r->token.kind != CMD_TOKEN_END)
        return fail_rest(r, after_hash);
    write_condition(r, hash, span);
    return PK_OK;
}

/* ---- expression form ------------------------------------------------------------------------- */

static bool is_key_name(const struct reader *r, pk_slice word)
{
    return pk_key_schema_has(cmd_target_key(&r->request->target), word);
}

/* True when the head is an expression: it begins with a key attribute's name and an operator, or
 * with begins_with( or a parenthesis. */
static enum pk_code is_expression(struct reader *r, bool *expression)
{
    struct cmd_token after;
    enum pk_op ignored;
    enum pk_code rc;

    *expression = r->token.kind == CMD_TOKEN_NAME || cmd_token_is(&r->token, "(");
    if (*expression || r->token.kind != CMD_TOKEN_WORD)
        return PK_OK;
    rc = cmd_lex_peek(&r->lexer, CMD_LEX_VALUES, &after, r->err);
    if (rc != PK_OK)
        return rc;
    if (at_word(r, "begins_with"))
        *expression = cmd_token_is(&after, "(");
    else if (is_key_name(r, r->token.text))
        *expression = comparison(&after, &ignored) || cmd_token_is(&after, "<>") ||
                      cmd_token_is(&after, "!=") ||
                      (after.kind == CMD_TOKEN_WORD && (cmd_word_is(after.text, "between") ||
                                                        cmd_word_is(after.text, "begins_with")));
    return PK_OK;
}

/* A literal of the wrong type beside a key attribute gets its caret here. */
static enum pk_code check_types(struct reader *r, const struct cmd_expression *expression)
{
    const struct pk_key_schema *key = cmd_target_key(&r->request->target);

    for (size_t i = 0; i < expression->mention_count; i++) {
        const struct cmd_mention *mention = &expression->mentions[i];

        for (size_t k = 0; k < key->hash_count + key->range_count; k++) {
            const struct pk_key_attr *attribute =
                k < key->hash_count ? &key->hash[k] : &key->range[k - key->hash_count];
            enum pk_code rc = PK_OK;

            if (mention->literal.len > 0 && pk_slice_equal(attribute->name, mention->name))
                rc = cmd_literal_check_key(mention->value, mention->literal, attribute, r->err);
            if (rc != PK_OK)
                return rc;
        }
    }
    return PK_OK;
}

static enum pk_code read_expression(struct reader *r)
{
    struct cmd_expression *expression = &r->request->expressions[PK_EXPR_KEY_CONDITION];
    enum pk_code rc =
        cmd_rewrite_condition(&r->request->rewriter, r->args->head, expression, r->err);

    return rc != PK_OK ? rc : check_types(r, expression);
}

enum pk_code cmd_request_range(const struct cmd_args *args, struct cmd_request *request,
                               struct pk_error *err)
{
    const struct pk_key_schema *key = cmd_target_key(&request->target);
    struct reader r = {.request = request, .args = args, .hash = &key->hash[0], .err = err};
    bool expression = false;
    enum pk_code rc;

    r.sort = key->range_count == 0 ? NULL : &key->range[0];
    if (args->head.len == 0)
        return cmd_fail_no_key(request, args, err);
    request->key_span = args->head;
    cmd_lexer_init(&r.lexer, args->text, args->head, &request->arena);
    rc = next(&r);
    if (rc == PK_OK)
        rc = is_expression(&r, &expression);
    if (rc != PK_OK)
        return rc;
    if (!expression && (key->hash_count > 1 || key->range_count > 1)) {
        pk_fail_at(err, PK_E_USAGE, args->head, "the index's key has several attributes");
        pk_error_hint(err, "write a condition: %.*s = 'x' and …", PK_FMT(key->hash[0].name));
        return PK_E_USAGE;
    }
    rc = expression ? read_expression(&r) : read_values(&r);
    if (rc == PK_OK)
        cmd_wire_set_text(request->json, pk_expr_use_name(PK_EXPR_KEY_CONDITION),
                          request->expressions[PK_EXPR_KEY_CONDITION].text);
    return rc;
}
