#include "commands/transfer/transfer_args.h"

#include <stdlib.h>

#include "commands/transfer/template.h"

enum { LIST_MAX = 10000 };

struct args_reader {
    struct cmd_lexer lexer;
    struct pk_arena *arena;
    struct transfer_args *args;
    struct pk_error *err;
};

static enum pk_code fail(struct args_reader *reader, const struct cmd_token *token,
                         const char *expected)
{
    if (token->kind == CMD_TOKEN_END)
        return pk_fail_at(reader->err, PK_E_USAGE, token->span, "expected %s, found the end",
                          expected);
    return pk_fail_at(reader->err, PK_E_USAGE, token->span, "expected %s, found %.*s", expected,
                      (int)token->span.len, reader->lexer.source.data + token->span.start);
}

static enum pk_code next(struct args_reader *reader, enum cmd_lex_mode mode,
                         struct cmd_token *token)
{
    return cmd_lex(&reader->lexer, mode, token, reader->err);
}

static bool is_text(const struct cmd_token *token)
{
    return (token->kind == CMD_TOKEN_WORD || token->kind == CMD_TOKEN_STRING ||
            token->kind == CMD_TOKEN_NAME) &&
           token->text.len > 0;
}

static enum pk_code take_text(struct args_reader *reader, enum cmd_lex_mode mode, const char *what,
                              struct cmd_token *token)
{
    enum pk_code rc = next(reader, mode, token);

    if (rc == PK_OK && !is_text(token))
        return fail(reader, token, what);
    return rc;
}

const char *transfer_path(struct pk_arena *arena, pk_slice text)
{
    const char *home = getenv("HOME");

    if (home != NULL && pk_slice_starts(text, PK_LIT("~/")))
        return pk_arena_printf(arena, "%s%.*s", home, PK_FMT(pk_slice_skip(text, 1))).data;
    return pk_arena_dup(arena, text).data;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* True when a comma comes next, and takes it. */
static bool take_comma(struct args_reader *reader)
{
    struct pk_error ignored = PK_ERROR_INIT;
    struct cmd_token token;
    bool comma = cmd_lex_peek(&reader->lexer, CMD_LEX_VALUES, &token, &ignored) == PK_OK &&
                 cmd_token_is(&token, ",");

    if (comma)
        reader->lexer.pos = token.span.start + token.span.len;
    pk_error_release(&ignored);
    return comma;
}

static enum pk_code read_names(struct args_reader *reader, const char *what, size_t max,
                               pk_slice *names, size_t *count)
{
    struct cmd_token token;
    enum pk_code rc;

    *count = 0;
    do {
        rc = take_text(reader, CMD_LEX_VALUES, what, &token);
        if (rc != PK_OK)
            return rc;
        if (*count == max)
            return pk_fail_at(reader->err, PK_E_USAGE, token.span, "at most %zu names", max);
        names[(*count)++] = token.text;
    } while (take_comma(reader));
    return PK_OK;
}

static enum pk_code read_columns(struct args_reader *reader)
{
    struct transfer_options *options = &reader->args->options;
    pk_slice *names = PK_NEW_ARRAY(reader->arena, pk_slice, LIST_MAX);

    options->columns = names;
    return read_names(reader, "the name of a column", LIST_MAX, names, &options->column_count);
}

/* S, N, BOOL, … as DynamoDB writes them, or string, number, binary, or json for any. */
static bool read_type(pk_slice word, struct transfer_type *type)
{
    static const struct {
        const char *word;
        enum pk_kind kind;
    } words[] = {
        {"string", PK_STRING}, {"number", PK_NUMBER}, {"binary", PK_BINARY}, {"S", PK_STRING},
        {"N", PK_NUMBER},      {"B", PK_BINARY},      {"BOOL", PK_BOOL},     {"NULL", PK_NULL},
        {"M", PK_MAP},         {"L", PK_LIST},        {"SS", PK_STRING_SET}, {"NS", PK_NUMBER_SET},
        {"BS", PK_BINARY_SET},
    };

    type->json = cmd_word_is(word, "json");
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (cmd_word_is(word, words[i].word)) {
            type->kind = words[i].kind;
            return true;
        }
    }
    return type->json;
}

static enum pk_code read_types(struct args_reader *reader)
{
    struct transfer_options *options = &reader->args->options;
    struct transfer_type *types = PK_NEW_ARRAY(reader->arena, struct transfer_type, LIST_MAX);

    options->types = types;
    do {
        struct cmd_token name, colon, type;
        enum pk_code rc = take_text(reader, CMD_LEX_MAP_KEY, "NAME:TYPE", &name);

        if (rc == PK_OK)
            rc = next(reader, CMD_LEX_MAP_KEY, &colon);
        if (rc == PK_OK && !cmd_token_is(&colon, ":"))
            rc = fail(reader, &colon, "':' and a type");
        if (rc == PK_OK)
            rc = take_text(reader, CMD_LEX_VALUES, "a type", &type);
        if (rc != PK_OK)
            return rc;
        if (options->type_count == LIST_MAX || !read_type(type.text, &types[options->type_count]))
            return pk_fail_at(reader->err, PK_E_USAGE, type.span,
                              "a type is S, N, B, BOOL, NULL, M, L, SS, NS, BS or JSON");
        types[options->type_count++].name = name.text;
    } while (take_comma(reader));
    return PK_OK;
}

/* ---- set ATTR=TEMPLATE ----------------------------------------------------------------------- */

/* The end of a template at pos: the next blank outside of brackets and quotes. */
static size_t template_end(pk_slice text, size_t pos)
{
    size_t depth = 0;

    while (pos < text.len && (depth > 0 || cmd_blank_length(text, pos) == 0)) {
        struct cmd_quoted quoted;

        if (cmd_quoted_at(text, pos, &quoted)) {
            pos = quoted.end;
            continue;
        }
        if (text.data[pos] == '{' || text.data[pos] == '(')
            depth++;
        if ((text.data[pos] == '}' || text.data[pos] == ')') && depth > 0)
            depth--;
        pos++;
    }
    return pos;
}

/* The template's text at the lexer's place: a quoted text alone is unquoted. */
static enum pk_code take_template(struct args_reader *reader, struct transfer_set *set)
{
    pk_slice source = reader->lexer.source;
    size_t start = cmd_skip_blanks(source, reader->lexer.pos);
    size_t end = template_end(source, start);
    pk_slice text = pk_slice_of(source.data + start, end - start);
    struct cmd_quoted quoted;
    enum pk_code rc;

    if (cmd_quoted_at(source, start, &quoted) && quoted.end == end && !quoted.open) {
        struct cmd_token token;

        rc = next(reader, CMD_LEX_VALUES, &token);
        if (rc != PK_OK)
            return rc;
        text = token.text;
    }
    reader->lexer.pos = end;
    if (end == start)
        return pk_fail_at(reader->err, PK_E_USAGE, (struct pk_span){(uint32_t)start, 0},
                          "expected a template after '='");
    rc = cmd_template_parse(reader->arena, text, CMD_TEMPLATE_ROWS, &set->text, reader->err);
    if (rc != PK_OK) {
        struct pk_span span = reader->err->span;

        /* exact unless there were escapes in it */
        reader->err->span = (struct pk_span){(uint32_t)start, (uint32_t)(end - start)};
        if (text.data == source.data + start)
            reader->err->span = (struct pk_span){(uint32_t)start + span.start, span.len};
    }
    return rc;
}

/* True when NAME= comes next: another attribute, not a clause. */
static bool is_pair(struct args_reader *reader)
{
    struct pk_error ignored = PK_ERROR_INIT;
    struct cmd_lexer ahead = reader->lexer;
    struct cmd_token name, equals;
    bool pair = cmd_lex(&ahead, CMD_LEX_VALUES, &name, &ignored) == PK_OK && is_text(&name) &&
                cmd_lex(&ahead, CMD_LEX_VALUES, &equals, &ignored) == PK_OK &&
                equals.kind == CMD_TOKEN_PUNCT && equals.text.data[0] == '=';

    pk_error_release(&ignored);
    return pair;
}

static enum pk_code read_sets(struct args_reader *reader)
{
    struct transfer_options *options = &reader->args->options;

    if (options->sets == NULL)
        options->sets = PK_NEW_ARRAY(reader->arena, struct transfer_set, LIST_MAX);
    do {
        struct transfer_set *set = &options->sets[options->set_count];
        struct cmd_token token;
        enum pk_code rc = take_text(reader, CMD_LEX_VALUES, "ATTRIBUTE=TEMPLATE", &token);

        if (rc != PK_OK)
            return rc;
        set->name = token.text;
        rc = next(reader, CMD_LEX_VALUES, &token);
        if (rc == PK_OK && (token.kind != CMD_TOKEN_PUNCT || token.text.data[0] != '='))
            return fail(reader, &token, "'=' and a template");
        reader->lexer.pos = (size_t)token.span.start + 1; /* "==" is not one of ours */
        if (rc == PK_OK)
            rc = take_template(reader, set);
        if (rc != PK_OK)
            return rc;
        options->set_count++;
    } while (options->set_count < LIST_MAX && is_pair(reader));
    return PK_OK;
}

/* ---- clauses --------------------------------------------------------------------------------- */

enum pk_code transfer_args_format(const struct cmd_token *word, enum transfer_direction direction,
                                  const struct transfer_format **format, struct pk_error *err)
{
    *format = transfer_format_find(word->text);
    if (*format != NULL && (direction == TRANSFER_READ || (*format)->write != NULL))
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, word->span, "there is no format '%.*s'", PK_FMT(word->text));
    pk_error_hint(err, "formats: workbench, dynamodb, jsonl, csv, cloudformation");
    return PK_E_USAGE;
}

static enum pk_code read_table(struct args_reader *reader, const struct cmd_token *clause)
{
    struct cmd_token token;
    enum pk_code rc;

    if (reader->args->options.table.data != NULL)
        return pk_fail_at(reader->err, PK_E_USAGE, clause->span, "a second table");
    rc = take_text(reader, CMD_LEX_VALUES, "the table's name", &token);
    reader->args->options.table = token.text;
    reader->args->table_span = token.span;
    return rc;
}

static enum pk_code read_map(struct args_reader *reader)
{
    struct cmd_token token;
    enum pk_code rc = take_text(reader, CMD_LEX_VALUES, "the mapping's file", &token);

    if (rc != PK_OK)
        return rc;
    reader->args->map = transfer_path(reader->arena, token.text);
    reader->args->map_span = token.span;
    return PK_OK;
}

static enum pk_code read_format(struct args_reader *reader)
{
    struct cmd_token token;
    enum pk_code rc = take_text(reader, CMD_LEX_VALUES, "a format", &token);

    return rc == PK_OK
               ? transfer_args_format(&token, TRANSFER_READ, &reader->args->format, reader->err)
               : rc;
}

static enum pk_code read_dry_run(struct args_reader *reader)
{
    struct cmd_token token;
    enum pk_code rc = next(reader, CMD_LEX_VALUES, &token);

    if (rc == PK_OK && (token.kind != CMD_TOKEN_WORD || !cmd_word_is(token.text, "run")))
        return fail(reader, &token, "'dry run'");
    reader->args->dry_run = true;
    return rc;
}

static enum pk_code read_clause(struct args_reader *reader, const struct cmd_token *word)
{
    struct transfer_options *options = &reader->args->options;

    if (cmd_word_is(word->text, "as") || cmd_word_is(word->text, "into"))
        return read_table(reader, word);
    if (cmd_word_is(word->text, "format"))
        return read_format(reader);
    if (cmd_word_is(word->text, "key"))
        return read_names(reader, "a key attribute", 2, options->key, &options->key_count);
    if (cmd_word_is(word->text, "columns"))
        return read_columns(reader);
    if (cmd_word_is(word->text, "types"))
        return read_types(reader);
    if (cmd_word_is(word->text, "set"))
        return read_sets(reader);
    if (cmd_word_is(word->text, "map"))
        return read_map(reader);
    if (cmd_word_is(word->text, "dry"))
        return read_dry_run(reader);
    if (cmd_word_is(word->text, "header"))
        options->header = true;
    else if (cmd_word_is(word->text, "partial"))
        reader->args->partial = true;
    else if (cmd_word_is(word->text, "strict"))
        options->strict = true;
    else
        return fail(reader, word,
                    "as, into, format, key, header, columns, types, set, map, dry run, partial or "
                    "strict");
    return PK_OK;
}

enum pk_code transfer_args_parse(const struct cmd_statement *statement, struct pk_arena *arena,
                                 struct transfer_args *args, struct pk_error *err)
{
    struct pk_span rest = {(uint32_t)statement->args,
                           (uint32_t)(statement->text.len - statement->args)};
    struct args_reader reader = {.arena = arena, .args = args, .err = err};
    struct cmd_token token;
    enum pk_code rc;

    *args = (struct transfer_args){.file = NULL};
    cmd_lexer_init(&reader.lexer, statement->text, rest, arena);
    rc = take_text(&reader, CMD_LEX_VALUES, "a file", &token);
    if (rc != PK_OK)
        return rc;
    args->file = transfer_path(arena, token.text);
    args->file_span = token.span;
    for (;;) {
        rc = next(&reader, CMD_LEX_VALUES, &token);
        if (rc != PK_OK || token.kind == CMD_TOKEN_END)
            return rc;
        if (token.kind != CMD_TOKEN_WORD)
            return fail(&reader, &token, "a word of import");
        rc = read_clause(&reader, &token);
        if (rc != PK_OK)
            return rc;
    }
}
