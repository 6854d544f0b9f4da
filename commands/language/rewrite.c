#include "commands/language/rewrite.h"

#include "commands/literal.h"

/* ---- rewriting ------------------------------------------------------------------------------- */

/* The state of one expression. Tokens go out one by one; what matters about the past is whether an
 * operand is complete (then [ is an index, - an operator, begins_with infix) and where its text
 * began. */
struct rewrite {
    struct cmd_rewriter *rewriter;
    struct cmd_lexer lexer;
    struct cmd_token token;
    struct cmd_expression_builder out;
    struct pk_error *err;
    enum { CONDITION, UPDATE, PATHS } grammar;
    bool operand;            /* the last thing written completes an operand */
    bool after_dot;          /* a name must follow: a step of a path */
    size_t operand_from;     /* where its text begins in `out` */
    uint32_t operand_source; /* and in the source */
    bool right;              /* an operator came since the last AND, OR, comma or parenthesis */
    bool between;            /* the next AND belongs to a BETWEEN */
    unsigned functions;      /* open parentheses that belong to functions */
    unsigned parentheses;
    bool function_paren[64]; /* for each open one: does it belong to a function? */
};

static void put(struct rewrite *r, pk_slice text, struct pk_span source)
{
    cmd_expression_add(&r->out, r->rewriter->arena, text, source);
}

/* A blank before the next token, unless the text glues there. */
static void space(struct rewrite *r)
{
    char last = r->out.text.len > 0 ? r->out.text.data[r->out.text.len - 1] : '(';

    if (last != '(' && last != '.' && last != '[' && last != ' ')
        pk_buf_add_byte(&r->out.text, ' ');
}

static void begin_operand(struct rewrite *r)
{
    r->operand_from = r->out.text.len;
    r->operand_source = r->token.span.start;
    r->operand = true;
}

static enum pk_code next(struct rewrite *r)
{
    return cmd_lex(&r->lexer, CMD_LEX_EXPRESSION, &r->token, r->err);
}

static enum pk_code peek(struct rewrite *r, struct cmd_token *token)
{
    return cmd_lex_peek(&r->lexer, CMD_LEX_EXPRESSION, token, r->err);
}

static struct cmd_mention *last_mention(struct rewrite *r)
{
    return r->out.mention_count == 0 ? NULL : &r->out.mentions[r->out.mention_count - 1];
}

static void mention(struct rewrite *r, pk_slice name)
{
    struct cmd_expression_builder *out = &r->out;

    if (out->mention_count == out->mention_cap) {
        size_t cap = out->mention_count == 0 ? 8 : out->mention_count * 2;
        struct cmd_mention *more = PK_NEW_ARRAY(r->rewriter->arena, struct cmd_mention, cap);

        if (out->mention_count > 0)
            memcpy(more, out->mentions, out->mention_count * sizeof(*more));
        out->mentions = more;
        out->mention_cap = cap;
    }
    out->mentions[out->mention_count++] = (struct cmd_mention){
        .name = name,
        .span = r->token.span,
        .right = r->right,
        .bare = r->token.kind == CMD_TOKEN_WORD,
        .function = r->functions > 0,
        .value = pk_value_missing(),
    };
}

/* ---- operands -------------------------------------------------------------------------------- */

static void write_value(struct rewrite *r, pk_value value, struct pk_span span)
{
    struct cmd_mention *left = last_mention(r);

    space(r);
    begin_operand(r);
    r->operand_source = span.start;
    put(r, cmd_rewriter_value(r->rewriter, value), span);
    if (left != NULL && left->equals && left->literal.len == 0) {
        left->value = value;
        left->literal = span;
    }
}

/* A list, map or set, a string or a binary: the literal parser reads it whole. */
static enum pk_code write_literal(struct rewrite *r)
{
    struct cmd_literal literal = {
        .source = r->lexer.source, .mode = CMD_LITERAL_COMMAND, .arena = r->rewriter->arena};
    size_t pos = r->token.span.start;
    pk_value value;
    enum pk_code rc = cmd_literal_parse(&literal, &pos, &value, r->err);

    if (rc != PK_OK)
        return rc;
    r->lexer.pos = pos;
    write_value(r, value,
                (struct pk_span){r->token.span.start, (uint32_t)pos - r->token.span.start});
    return PK_OK;
}

/* A number, with the sign that stands before it (len 0: none). */
static enum pk_code write_number(struct rewrite *r, struct pk_span sign)
{
    struct pk_span span = r->token.span;
    pk_value value;
    enum pk_code rc;

    if (sign.len > 0) {
        span.len += span.start - sign.start;
        span.start = sign.start;
    }
    rc = cmd_literal_number(r->rewriter->arena,
                            pk_slice_of(r->lexer.source.data + span.start, span.len), span, &value,
                            r->err);
    if (rc == PK_OK)
        write_value(r, value, span);
    return rc;
}

static void write_name(struct rewrite *r, pk_slice name)
{
    struct cmd_mention *path = last_mention(r);

    if (r->after_dot) {
        if (path != NULL) {
            path->span.len = r->token.span.start + r->token.span.len - path->span.start;
            path->bare = false;
        }
    } else {
        space(r);
        begin_operand(r);
        mention(r, name);
    }
    put(r, cmd_rewriter_name(r->rewriter, name), r->token.span);
    r->after_dot = false;
    r->operand = true;
}

static const char *const functions[] = {
    "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
    "if_not_exists",    "list_append",
};

/* The API's spelling of a function's name; the word itself when it is none of ours. */
static pk_slice function_name(pk_slice word)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (cmd_word_is(word, functions[i]))
            return pk_slice_cstr(functions[i]);
    }
    return word;
}

static enum pk_code push_parenthesis(struct rewrite *r, bool function)
{
    if (r->parentheses == sizeof(r->function_paren))
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span, "too many parentheses");
    r->function_paren[r->parentheses++] = function;
    r->functions += function;
    put(r, PK_LIT("("), r->token.span);
    r->operand = false;
    r->right = false;
    return PK_OK;
}

/* name( : the name now, the parenthesis with its own token. */
static enum pk_code write_function(struct rewrite *r)
{
    enum pk_code rc;

    space(r);
    begin_operand(r);
    put(r, function_name(r->token.text), r->token.span);
    rc = next(r);
    return rc != PK_OK ? rc : push_parenthesis(r, true);
}

/* ---- infix begins_with ----------------------------------------------------------------------- */

/* `path begins_with 'x'` and `path BEGINS_WITH("x")`: the function is put around the path that has
 * already been written. */
static enum pk_code write_infix(struct rewrite *r)
{
    pk_slice word = function_name(r->token.text);
    struct pk_span source = r->token.span;
    struct pk_buf path = PK_BUF_INIT;
    uint32_t shift = (uint32_t)word.len + 1;
    struct cmd_token open;
    enum pk_code rc = peek(r, &open);

    if (rc != PK_OK)
        return rc;
    pk_buf_add(&path, pk_slice_skip(pk_buf_slice(&r->out.text), r->operand_from));
    r->out.text.len = r->operand_from;
    for (size_t i = 0; i < r->out.piece_count; i++) {
        if (r->out.pieces[i].start >= r->operand_from) {
            r->out.pieces[i].start += shift;
            r->out.pieces[i].end += shift;
        }
    }
    put(r, word, source);
    pk_buf_add_byte(&r->out.text, '(');
    pk_buf_add(&r->out.text, pk_buf_slice(&path));
    pk_buf_add_cstr(&r->out.text, ",");
    pk_buf_release(&path);
    r->operand = false;
    r->right = true;
    if (cmd_token_is(&open, "(") && r->parentheses < sizeof(r->function_paren)) {
        r->function_paren[r->parentheses++] = true;
        r->functions++;
        return next(r);
    }
    rc = next(r);
    if (rc == PK_OK && r->token.kind != CMD_TOKEN_STRING && r->token.kind != CMD_TOKEN_BINARY)
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span, "expected a string after %.*s",
                          PK_FMT(word));
    if (rc == PK_OK)
        rc = write_literal(r);
    pk_buf_add_byte(&r->out.text, ')');
    return rc;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_keyword(const struct rewrite *r, pk_slice word)
{
    return r->grammar == CONDITION &&
           (cmd_word_is(word, "and") || cmd_word_is(word, "or") || cmd_word_is(word, "not") ||
            cmd_word_is(word, "between") || cmd_word_is(word, "in"));
}

static void write_keyword(struct rewrite *r)
{
    pk_slice word = r->token.text;

    space(r);
    put(r, word, r->token.span);
    r->operand = false;
    if (cmd_word_is(word, "or") || cmd_word_is(word, "not"))
        r->right = false;
    else if (cmd_word_is(word, "and") && !r->between)
        r->right = false;
    else
        r->right = true;
    r->between = cmd_word_is(word, "between");
    r->out.alternatives |= cmd_word_is(word, "or") || cmd_word_is(word, "not");
}

/* Words of other languages after an operand. */
static enum pk_code foreign_word(struct rewrite *r)
{
    static const struct {
        const char *word;
        const char *hint;
    } words[] = {
        {"is", "here that is attribute_exists(a), attribute_not_exists(a) or a = null"},
        {"like", "here that is begins_with(a, 'x') or contains(a, 'x')"},
        {"contains", "here that is contains(a, 'x')"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (cmd_word_is(r->token.text, words[i].word)) {
            pk_fail_at(r->err, PK_E_USAGE, r->token.span, "there is no operator '%.*s'",
                       PK_FMT(r->token.text));
            pk_error_hint(r->err, "%s", words[i].hint);
            return PK_E_USAGE;
        }
    }
    return PK_OK;
}

static bool spells_constant(pk_slice word, pk_value *value)
{
    if (cmd_word_is(word, "true") || cmd_word_is(word, "false"))
        *value = pk_value_bool(cmd_word_is(word, "true"));
    else if (cmd_word_is(word, "null"))
        *value = pk_value_null();
    else
        return false;
    return true;
}

static enum pk_code rewrite_word(struct rewrite *r)
{
    struct cmd_token after;
    pk_value constant;
    enum pk_code rc;

    if (r->after_dot) {
        write_name(r, r->token.text);
        return PK_OK;
    }
    if (is_keyword(r, r->token.text)) {
        write_keyword(r);
        return PK_OK;
    }
    if (r->operand && r->grammar == CONDITION) {
        if (cmd_word_is(r->token.text, "begins_with"))
            return write_infix(r);
        rc = foreign_word(r);
        if (rc != PK_OK)
            return rc;
    }
    rc = peek(r, &after);
    if (rc != PK_OK)
        return rc;
    if (cmd_token_is(&after, "("))
        return write_function(r);
    if (r->grammar != PATHS && spells_constant(r->token.text, &constant))
        write_value(r, constant, r->token.span);
    else
        write_name(r, r->token.text);
    return PK_OK;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static enum pk_code write_index(struct rewrite *r)
{
    struct cmd_mention *path = last_mention(r);
    enum pk_code rc;

    put(r, PK_LIT("["), r->token.span);
    rc = next(r);
    if (rc == PK_OK && r->token.kind == CMD_TOKEN_STRING) {
        pk_fail_at(r->err, PK_E_USAGE, r->token.span, "a list's index is a number");
        pk_error_hint(r->err, "a map's member is written a.b or a.`b c`");
        return PK_E_USAGE;
    }
    if (rc == PK_OK && r->token.kind != CMD_TOKEN_NUMBER)
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span, "expected a list's index");
    if (rc == PK_OK) {
        put(r, r->token.text, r->token.span);
        rc = next(r);
    }
    if (rc == PK_OK && !cmd_token_is(&r->token, "]"))
        return pk_fail_at(r->err, PK_E_USAGE, r->token.span, "expected ']'");
    if (rc != PK_OK)
        return rc;
    put(r, PK_LIT("]"), r->token.span);
    if (path != NULL) {
        path->span.len = r->token.span.start + r->token.span.len - path->span.start;
        path->bare = false;
    }
    return PK_OK;
}

static enum pk_code write_close(struct rewrite *r)
{
    if (r->parentheses > 0) {
        r->parentheses--;
        r->functions -= r->function_paren[r->parentheses];
    }
    put(r, PK_LIT(")"), r->token.span);
    r->operand = true;
    return PK_OK;
}

/* + or -: a sign where an operand is due and a number is glued to it, else the operator. */
static enum pk_code write_sign(struct rewrite *r)
{
    struct pk_span sign = r->token.span;
    struct cmd_token after;
    enum pk_code rc = peek(r, &after);

    if (rc != PK_OK)
        return rc;
    if (!r->operand && after.kind == CMD_TOKEN_NUMBER && after.glued) {
        rc = next(r);
        return rc != PK_OK ? rc : write_number(r, sign);
    }
    if (r->grammar == CONDITION) {
        pk_fail_at(r->err, PK_E_USAGE, sign, "there is no arithmetic in conditions");
        pk_error_hint(r->err,
                      "an attribute's name with '%.*s' in it is written in backticks: "
                      "`a%.*sb`",
                      PK_FMT(r->token.text), PK_FMT(r->token.text));
        return PK_E_USAGE;
    }
    space(r);
    put(r, r->token.text, sign);
    r->operand = false;
    r->right = true;
    return PK_OK;
}

static enum pk_code write_operator(struct rewrite *r)
{
    pk_slice text = cmd_token_is(&r->token, "!=") ? PK_LIT("<>") : r->token.text;
    struct cmd_mention *left = last_mention(r);

    if (cmd_token_is(&r->token, "==")) {
        pk_fail_at(r->err, PK_E_USAGE, r->token.span, "there is no operator '=='");
        pk_error_hint(r->err, "'=' compares");
        return PK_E_USAGE;
    }
    if (cmd_token_is(&r->token, "=") && left != NULL && r->operand && !left->right &&
        !left->function)
        left->equals = true;
    space(r);
    put(r, text, r->token.span);
    r->operand = false;
    r->right = true;
    return PK_OK;
}

static enum pk_code write_comma(struct rewrite *r)
{
    put(r, PK_LIT(","), r->token.span);
    r->operand = false;
    if (r->grammar == UPDATE && r->parentheses == 0)
        r->right = false;
    return PK_OK;
}

static bool is_operator(const struct cmd_token *token)
{
    static const char *const operators[] = {"=", "<", ">", "<=", ">=", "<>", "!=", "=="};

    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (cmd_token_is(token, operators[i]))
            return true;
    }
    return false;
}

static enum pk_code rewrite_punct(struct rewrite *r)
{
    const struct cmd_token *token = &r->token;

    if (cmd_token_is(token, "[") && r->operand && token->glued)
        return write_index(r);
    if (cmd_token_is(token, "[") || cmd_token_is(token, "{") || cmd_token_is(token, "<<"))
        return write_literal(r);
    if (cmd_token_is(token, ".")) {
        put(r, PK_LIT("."), token->span);
        r->after_dot = true;
        return PK_OK;
    }
    if (cmd_token_is(token, "(")) {
        space(r);
        return push_parenthesis(r, false);
    }
    if (cmd_token_is(token, ")"))
        return write_close(r);
    if (cmd_token_is(token, ","))
        return write_comma(r);
    if (cmd_token_is(token, "+") || cmd_token_is(token, "-"))
        return write_sign(r);
    if (is_operator(token))
        return write_operator(r);
    return pk_fail_at(r->err, PK_E_USAGE, token->span, "unexpected '%.*s'", PK_FMT(token->text));
}

static enum pk_code rewrite_token(struct rewrite *r)
{
    switch (r->token.kind) {
    case CMD_TOKEN_WORD:
        return rewrite_word(r);
    case CMD_TOKEN_NAME:
        write_name(r, r->token.text);
        return PK_OK;
    case CMD_TOKEN_NUMBER:
        return write_number(r, (struct pk_span){0, 0});
    case CMD_TOKEN_STRING:
    case CMD_TOKEN_BINARY:
        return write_literal(r);
    case CMD_TOKEN_PUNCT:
        return rewrite_punct(r);
    case CMD_TOKEN_END:
        break;
    }
    return PK_OK;
}

/* Rewrites one part of the source onto what is there. */
static enum pk_code rewrite_part(struct rewrite *r, struct pk_span part)
{
    enum pk_code rc;

    cmd_lexer_init(&r->lexer, r->rewriter->source, part, r->rewriter->arena);
    r->operand = false;
    r->right = false;
    rc = next(r);
    while (rc == PK_OK && r->token.kind != CMD_TOKEN_END) {
        rc = rewrite_token(r);
        if (rc == PK_OK)
            rc = next(r);
    }
    return rc;
}

static enum pk_code finish(struct rewrite *r, enum pk_code rc, struct cmd_expression *out)
{
    cmd_expression_finish(&r->out, r->rewriter->arena, out);
    return rc;
}

enum pk_code cmd_rewrite_condition(struct cmd_rewriter *rewriter, struct pk_span part,
                                   struct cmd_expression *out, struct pk_error *err)
{
    struct rewrite r = {.rewriter = rewriter, .grammar = CONDITION, .err = err};

    return finish(&r, rewrite_part(&r, part), out);
}

enum pk_code cmd_rewrite_paths(struct cmd_rewriter *rewriter, struct pk_span part,
                               struct cmd_expression *out, struct pk_error *err)
{
    struct rewrite r = {.rewriter = rewriter, .grammar = PATHS, .err = err};

    return finish(&r, rewrite_part(&r, part), out);
}

enum pk_code cmd_rewrite_update(struct cmd_rewriter *rewriter, const struct cmd_section *sections,
                                size_t count, struct cmd_expression *out, struct pk_error *err)
{
    struct rewrite r = {.rewriter = rewriter, .grammar = UPDATE, .err = err};
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < count && rc == PK_OK; i++) {
        space(&r);
        put(&r, pk_slice_cstr(sections[i].word), sections[i].word_span);
        rc = rewrite_part(&r, sections[i].body);
    }
    return finish(&r, rc, out);
}
