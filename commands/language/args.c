#include "commands/args.h"

#include "commands/language/scan.h"

/* The words that begin clauses, in the order of the enum. */
static const char *const clause_words[CMD_CLAUSE_COUNT] = {
    "from", "into",   "on",    "where",   "if",  "select", "limit", "pages",  "asc",
    "desc", "strong", "after", "segment", "set", "remove", "add",   "delete", "return",
};

static bool clause_word(pk_slice word, enum cmd_clause_kind *kind)
{
    for (int i = 0; i < CMD_CLAUSE_COUNT; i++) {
        if (cmd_word_is(word, clause_words[i])) {
            *kind = (enum cmd_clause_kind)i;
            return true;
        }
    }
    return false;
}

static struct pk_span span_of(size_t start, size_t end)
{
    return (struct pk_span){(uint32_t)start, (uint32_t)(end > start ? end - start : 0)};
}

/* ---- cutting --------------------------------------------------------------------------------- */

static enum pk_code refuse_clause(const struct cmd_args_spec *spec, const struct cmd_clause *clause,
                                  bool twice, struct pk_error *err)
{
    const char *word = clause_words[clause->kind];

    if (twice)
        pk_fail_at(err, PK_E_USAGE, clause->word, "'%s' is there twice", word);
    else
        pk_fail_at(err, PK_E_USAGE, clause->word, "%s has no clause '%s'", spec->command, word);
    if (twice && clause->kind >= CMD_CLAUSE_SET && clause->kind <= CMD_CLAUSE_DELETE)
        pk_error_hint(err, "one '%s' holds them all, with commas between", word);
    else if (!twice && clause->kind == CMD_CLAUSE_ON)
        pk_error_hint(err, "an index is read by query and scan: its keys need not be unique, so "
                           "none names one item; a key spelled 'on' is quoted");
    else
        pk_error_hint(err, "a key spelled like that is quoted, '%s', an attribute too, `%s`", word,
                      word);
    return PK_E_USAGE;
}

static enum pk_code begin_clause(const struct cmd_args_spec *spec, struct cmd_args *args,
                                 enum cmd_clause_kind kind, struct pk_span word,
                                 struct pk_error *err)
{
    struct cmd_clause clause = {.kind = kind, .word = word, .body = {word.start + word.len, 0}};
    bool twice = cmd_args_get(args, kind) != NULL;

    if (twice || (spec->allowed & CMD_CLAUSE_BIT(kind)) == 0)
        return refuse_clause(spec, &clause, twice, err);
    args->clauses[args->count++] = clause;
    return PK_OK;
}

/* Units up to the end of the statement go to the head or to the newest clause. */
enum pk_code cmd_args_parse(const struct cmd_statement *statement, const struct cmd_args_spec *spec,
                            struct cmd_args *args, struct pk_error *err)
{
    struct cmd_scan scan;
    struct cmd_unit unit;
    bool key_next = spec->key_first;

    *args = (struct cmd_args){.text = statement->text};
    args->head.start = (uint32_t)statement->args;
    cmd_scan_init(&scan, statement->text, statement->args, false);
    for (;;) {
        bool outside = scan.depth == 0;
        struct pk_span *part;
        enum cmd_clause_kind kind;
        pk_slice word;

        cmd_scan_next(&scan, &unit);
        if (unit.kind == CMD_UNIT_END)
            return PK_OK;
        word = pk_slice_of(statement->text.data + unit.start, unit.end - unit.start);
        if (unit.kind == CMD_UNIT_WORD && outside && !key_next && clause_word(word, &kind)) {
            enum pk_code rc = begin_clause(spec, args, kind, span_of(unit.start, unit.end), err);

            if (rc != PK_OK)
                return rc;
            continue;
        }
        key_next = false;
        part = args->count == 0 ? &args->head : &args->clauses[args->count - 1].body;
        if (part->len == 0)
            part->start = (uint32_t)unit.start;
        part->len = (uint32_t)unit.end - part->start;
    }
}

const struct cmd_clause *cmd_args_get(const struct cmd_args *args, enum cmd_clause_kind kind)
{
    for (size_t i = 0; i < args->count; i++) {
        if (args->clauses[i].kind == kind)
            return &args->clauses[i];
    }
    return NULL;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static enum pk_code expected(struct pk_span span, const char *what, enum cmd_clause_kind kind,
                             struct pk_error *err)
{
    return pk_fail_at(err, PK_E_USAGE, span, "expected %s after '%s'", what, clause_words[kind]);
}

enum pk_code cmd_args_body(const struct cmd_args *args, enum cmd_clause_kind kind,
                           struct pk_span *body, struct pk_error *err)
{
    const struct cmd_clause *clause = cmd_args_get(args, kind);

    *body = (struct pk_span){0, 0};
    if (clause == NULL)
        return PK_OK;
    if (clause->body.len == 0) {
        expected(clause->word, "something", kind, err);
        pk_error_hint(err, "an attribute spelled like a word of the language is written `%s`",
                      clause_words[kind]);
        return PK_E_USAGE;
    }
    *body = clause->body;
    return PK_OK;
}

static enum pk_code unexpected(pk_slice text, struct pk_span span, struct pk_error *err)
{
    return pk_fail_at(err, PK_E_USAGE, span, "unexpected '%.*s'", (int)span.len,
                      text.data + span.start);
}

enum pk_code cmd_args_name(const struct cmd_args *args, enum cmd_clause_kind kind,
                           struct pk_arena *arena, pk_slice *name, struct pk_error *err)
{
    const struct cmd_clause *clause = cmd_args_get(args, kind);
    struct cmd_lexer lexer;
    struct cmd_token token, next;
    enum pk_code rc;

    *name = (pk_slice){NULL, 0};
    if (clause == NULL)
        return PK_OK;
    cmd_lexer_init(&lexer, args->text, clause->body, arena);
    rc = cmd_lex(&lexer, CMD_LEX_VALUES, &token, err);
    if (rc == PK_OK && token.kind == CMD_TOKEN_END) {
        expected(clause->word, "a name", kind, err);
        pk_error_hint(err, "a key spelled like that is quoted: '%s'", clause_words[kind]);
        return PK_E_USAGE;
    }
    if (rc == PK_OK && token.kind == CMD_TOKEN_PUNCT)
        return expected(token.span, "a name", kind, err);
    if (rc == PK_OK)
        rc = cmd_lex(&lexer, CMD_LEX_VALUES, &next, err);
    if (rc != PK_OK)
        return rc;
    if (next.kind != CMD_TOKEN_END)
        return unexpected(args->text, next.span, err);
    *name = token.text;
    return PK_OK;
}

bool cmd_parse_count(pk_slice text, int64_t max, int64_t *number)
{
    int64_t value = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        if (value > (max - (text.data[i] - '0')) / 10)
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *number = value;
    return text.len > 0 && value >= 1;
}

enum pk_code cmd_args_number(const struct cmd_args *args, enum cmd_clause_kind kind,
                             int64_t *number, struct pk_error *err)
{
    const struct cmd_clause *clause = cmd_args_get(args, kind);
    pk_slice text;

    *number = 0;
    if (clause == NULL)
        return PK_OK;
    text = pk_slice_of(args->text.data + clause->body.start, clause->body.len);
    if (!cmd_parse_count(text, INT32_MAX, number))
        return expected(clause->body.len > 0 ? clause->body : clause->word, "a whole number from 1",
                        kind, err);
    return PK_OK;
}

enum pk_code cmd_args_flag(const struct cmd_args *args, enum cmd_clause_kind kind, bool *given,
                           struct pk_error *err)
{
    const struct cmd_clause *clause = cmd_args_get(args, kind);

    *given = clause != NULL;
    if (clause == NULL || clause->body.len == 0)
        return PK_OK;
    return unexpected(args->text, clause->body, err);
}

/* ---- word by word ---------------------------------------------------------------------------- */

enum pk_code cmd_words_init(struct cmd_words *words, const struct cmd_statement *statement,
                            struct pk_arena *arena, struct pk_error *err)
{
    cmd_lexer_init(&words->lexer, statement->text, span_of(statement->args, statement->text.len),
                   arena);
    return cmd_words_next(words, err);
}

enum pk_code cmd_words_next(struct cmd_words *words, struct pk_error *err)
{
    return cmd_lex(&words->lexer, CMD_LEX_VALUES, &words->token, err);
}

bool cmd_words_at_end(const struct cmd_words *words)
{
    return words->token.kind == CMD_TOKEN_END;
}

bool cmd_words_is(const struct cmd_words *words, const char *word)
{
    return words->token.kind == CMD_TOKEN_WORD && cmd_word_is(words->token.text, word);
}

enum pk_code cmd_words_take(struct cmd_words *words, const char *what, pk_slice *name,
                            struct pk_error *err)
{
    if (words->token.kind == CMD_TOKEN_END || words->token.kind == CMD_TOKEN_PUNCT)
        return pk_fail_at(err, PK_E_USAGE, words->token.span, "expected %s", what);
    *name = words->token.text;
    return cmd_words_next(words, err);
}

enum pk_code cmd_words_number(struct cmd_words *words, int64_t max, int64_t *number,
                              struct pk_error *err)
{
    if (words->token.kind != CMD_TOKEN_WORD || !cmd_parse_count(words->token.text, max, number))
        return pk_fail_at(err, PK_E_USAGE, words->token.span,
                          "expected a whole number from 1 to %lld", (long long)max);
    return cmd_words_next(words, err);
}

enum pk_code cmd_words_done(const struct cmd_words *words, struct pk_error *err)
{
    if (cmd_words_at_end(words))
        return PK_OK;
    return unexpected(words->lexer.source, words->token.span, err);
}

void cmd_point_at(struct pk_error *err, pk_slice text, pk_slice part)
{
    if (err->span.len > 0 || err->span.start > 0 || part.data == NULL || part.data < text.data ||
        part.data + part.len > text.data + text.len)
        return;
    err->span = (struct pk_span){(uint32_t)(part.data - text.data), (uint32_t)part.len};
}
