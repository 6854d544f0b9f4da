/*
 * The lexer: one pass, longest match. Everything it refuses has the same message, because
 * DynamoDB's gives no reason for lexical faults; the hint says what is wrong.
 */
#include "commands/partiql/partiql_lex.h"

#include <strings.h>

#include "engine/base/utf8.h"

static const char *const words[] = {
#define XX(word) #word,
    PARTIQL_WORDS(XX)
#undef XX
};

enum { WORD_COUNT = sizeof(words) / sizeof(words[0]), WORD_MAX = 20 };

enum partiql_word partiql_word_find(pk_slice name)
{
    char upper[WORD_MAX + 1];
    size_t low = 0, high = WORD_COUNT;

    if (name.len > WORD_MAX)
        return PQ_NO_WORD;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    upper[name.len] = '\0';
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(upper, words[middle]);

        if (order == 0)
            return (enum partiql_word)(middle + 1);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PQ_NO_WORD;
}

/* --- places ---------------------------------------------------------------------------------- */

pk_slice partiql_text_at(pk_slice text, struct pk_span span)
{
    pk_slice rest = pk_slice_skip(text, span.start);

    return pk_slice_of(rest.data, span.len < rest.len ? span.len : rest.len);
}

static size_t count_characters(pk_slice text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return n;
}

pk_slice partiql_position(pk_slice text, struct pk_span span, struct pk_arena *arena)
{
    size_t line = 1, line_start = 0;
    size_t start = span.start < text.len ? span.start : text.len;

    for (size_t i = 0; i < start; i++) {
        if (text.data[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    size_t column = 1 + count_characters(pk_slice_of(text.data + line_start, start - line_start));
    return pk_arena_printf(arena, "%zu:%zu:%zu", line, column,
                           count_characters(partiql_text_at(text, span)));
}

enum pk_code partiql_malformed(struct pk_error *err, struct pk_span span, const char *reason,
                               const char *hint)
{
    enum pk_code rc = pk_fail_at(err, PK_E_VALIDATION, span,
                                 "Statement wasn't well formed, can't be processed: %s", reason);

    if (hint != NULL)
        pk_error_hint(err, "%s", hint);
    return rc;
}

/* --- numbers --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exponent text after the "e", by the rules of java.math.BigDecimal: at most ten digits after
 * leading zeros, and 32 bits. */
static bool exponent_parse(pk_slice text, int64_t *out)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    int64_t value = 0;
    size_t digits = 0;

    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+'))
        text = pk_slice_skip(text, 1);
    if (text.len == 0)
        return false;
    while (text.len > 1 && text.data[0] == '0')
        text = pk_slice_skip(text, 1);
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i]) || ++digits > 10)
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    *out = negative ? -value : value;
    return *out >= INT32_MIN && *out <= INT32_MAX;
}

enum pk_num_status partiql_number_parse(pk_slice text, struct pk_num *out)
{
    int64_t precision = 0, fraction = 0, exponent = 0;
    bool point = false, significant = false;
    size_t i;

    for (i = 0; i < text.len && text.data[i] != 'e' && text.data[i] != 'E'; i++) {
        if (text.data[i] == '.')
            point = true;
        if (!is_digit(text.data[i]))
            continue;
        significant = significant || text.data[i] != '0';
        precision += significant;
        fraction += point;
    }
    if (i == text.len)
        return pk_num_parse(text, out);
    if (!exponent_parse(pk_slice_skip(text, i + 1), &exponent))
        return PK_NUM_SYNTAX;

    int64_t scale = fraction - exponent;
    if (scale < INT32_MIN || scale > INT32_MAX)
        return PK_NUM_SYNTAX;
    enum pk_num_status status = pk_num_parse(text, out);
    if (status == PK_NUM_SYNTAX)
        return status;
    /* precision - scale is computed in 32 bits there and turns negative */
    if ((precision == 0 ? 1 : precision) - scale > INT32_MAX)
        return PK_NUM_UNDERFLOW;
    return status;
}

/* --- tokens ---------------------------------------------------------------------------------- */

struct lexer {
    pk_slice text;
    size_t pos;
    struct pk_arena *arena;
    struct partiql_tokens *out;
    size_t cap;
};

static char peek(const struct lexer *lexer, size_t ahead)
{
    size_t at = lexer->pos + ahead;

    return at < lexer->text.len ? lexer->text.data[at] : '\0';
}

static bool is_name_start(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

static struct pk_span span_of(size_t start, size_t end)
{
    return (struct pk_span){(uint32_t)start, (uint32_t)(end - start)};
}

static enum pk_code refuse(const struct lexer *lexer, size_t end, struct pk_error *err,
                           const char *hint)
{
    return partiql_malformed(err, span_of(lexer->pos, end), "", hint);
}

static void add(struct lexer *lexer, enum partiql_token_kind kind, size_t end)
{
    struct partiql_tokens *out = lexer->out;

    if (out->count == lexer->cap) {
        size_t cap = lexer->cap == 0 ? 64 : lexer->cap * 2;
        struct partiql_token *list = PK_NEW_ARRAY(lexer->arena, struct partiql_token, cap);

        if (out->count > 0)
            memcpy(list, out->list, out->count * sizeof(*list));
        out->list = list;
        lexer->cap = cap;
    }
    out->list[out->count++] = (struct partiql_token){kind, PQ_NO_WORD, span_of(lexer->pos, end)};
    lexer->pos = end;
}

/* Blanks and comments. */
static enum pk_code skip_blanks(struct lexer *lexer, struct pk_error *err)
{
    pk_slice text = lexer->text;

    for (;;) {
        char c = peek(lexer, 0);

        if (lexer->pos < text.len && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            lexer->pos++;
        } else if (c == '-' && peek(lexer, 1) == '-') {
            while (lexer->pos < text.len && text.data[lexer->pos] != '\n')
                lexer->pos++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            const char *from = text.data + lexer->pos + 2;
            const char *end = memmem(from, text.len - lexer->pos - 2, "*/", 2);

            if (end == NULL)
                return refuse(lexer, lexer->pos + 2, err, "this comment has no */");
            lexer->pos = (size_t)(end - text.data) + 2;
        } else {
            return PK_OK;
        }
    }
}

/* From one quote to its partner; a doubled quote stands for one. */
static enum pk_code lex_quoted(struct lexer *lexer, enum partiql_token_kind kind,
                               struct pk_error *err)
{
    char quote = peek(lexer, 0);
    size_t end = lexer->pos + 1;

    for (; end < lexer->text.len; end++) {
        if (lexer->text.data[end] != quote)
            continue;
        if (quote == '`' || end + 1 >= lexer->text.len || lexer->text.data[end + 1] != quote) {
            add(lexer, kind, end + 1);
            return PK_OK;
        }
        end++;
    }
    return refuse(lexer, lexer->pos + 1, err, "the closing quote is missing");
}

static enum pk_code lex_number(struct lexer *lexer, struct pk_error *err)
{
    const char *data = lexer->text.data;
    size_t n = lexer->text.len, end = lexer->pos;
    struct pk_num number;

    while (end < n && is_digit(data[end]))
        end++;
    if (end < n && data[end] == '.')
        end++;
    while (end < n && is_digit(data[end]))
        end++;
    if (end < n && (data[end] == 'e' || data[end] == 'E')) {
        size_t digits = end + 1;

        if (digits < n && (data[digits] == '+' || data[digits] == '-'))
            digits++;
        if (digits >= n || !is_digit(data[digits]))
            return refuse(lexer, digits, err, "the exponent has no digits");
        while (digits < n && is_digit(data[digits]))
            digits++;
        end = digits;
    }
    if (end < n && is_name_start(data[end]))
        return refuse(lexer, end + 1, err, "a letter follows the number");
    if (partiql_number_parse(pk_slice_of(data + lexer->pos, end - lexer->pos), &number) ==
        PK_NUM_SYNTAX)
        return refuse(lexer, end, err, "the exponent is out of range");
    add(lexer, PQ_TOK_NUMBER, end);
    return PK_OK;
}

static void lex_name(struct lexer *lexer)
{
    size_t start = lexer->pos, end = start;

    while (end < lexer->text.len &&
           (is_name_start(lexer->text.data[end]) || is_digit(lexer->text.data[end])))
        end++;

    enum partiql_word word = partiql_word_find(pk_slice_of(lexer->text.data + start, end - start));
    add(lexer, word == PQ_NO_WORD ? PQ_TOK_NAME : PQ_TOK_WORD, end);
    lexer->out->list[lexer->out->count - 1].word = word;
}

/* Longer symbols stand before their prefixes. */
static const struct {
    const char *text;
    enum partiql_token_kind kind;
} symbols[] = {
    {"<>", PQ_TOK_NE},       {"!=", PQ_TOK_NE},      {"<=", PQ_TOK_LE},      {">=", PQ_TOK_GE},
    {"<<", PQ_TOK_LBAG},     {">>", PQ_TOK_RBAG},    {"||", PQ_TOK_CONCAT},  {"=", PQ_TOK_EQ},
    {"<", PQ_TOK_LT},        {">", PQ_TOK_GT},       {"+", PQ_TOK_PLUS},     {"-", PQ_TOK_MINUS},
    {"*", PQ_TOK_STAR},      {"/", PQ_TOK_SLASH},    {"%", PQ_TOK_PERCENT},  {"(", PQ_TOK_LPAREN},
    {")", PQ_TOK_RPAREN},    {"[", PQ_TOK_LBRACKET}, {"]", PQ_TOK_RBRACKET}, {"{", PQ_TOK_LBRACE},
    {"}", PQ_TOK_RBRACE},    {",", PQ_TOK_COMMA},    {".", PQ_TOK_DOT},      {":", PQ_TOK_COLON},
    {";", PQ_TOK_SEMICOLON}, {"?", PQ_TOK_PARAM},
};

/* Quotes and blanks as slides and word processors write them. */
static const char *typographic_hint(pk_slice rest)
{
    static const char *const quotes[] = {"\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9C",
                                         "\xE2\x80\x9D", "\xC2\xAB",     "\xC2\xBB"};

    for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++) {
        if (pk_slice_starts(rest, pk_slice_cstr(quotes[i])))
            return "a typographic quote: strings are written 'text', names \"name\"";
    }
    if (pk_slice_starts(rest, PK_LIT("\xC2\xA0")))
        return "a no-break space: type a plain blank";
    return "this character has no meaning here; a name with it is written in double quotes";
}

/* # inside a word: a key whose quotes were forgotten. */
static enum pk_code refuse_hash(const struct lexer *lexer, struct pk_error *err)
{
    const char *text = lexer->text.data;
    size_t start = lexer->pos, end = lexer->pos;
    enum pk_code rc;

    while (start > 0 && strchr(" \t\r\n'\"(,=<>[", text[start - 1]) == NULL)
        start--;
    while (end < lexer->text.len && strchr(" \t\r\n'\"),;]}", text[end]) == NULL)
        end++;
    if (start == lexer->pos)
        return refuse(lexer, lexer->pos + 1, err, "comments start with --");
    rc = partiql_malformed(err, span_of(start, end), "", NULL);
    pk_error_hint(err, "a string is written '%.*s'", (int)(end - start), text + start);
    return rc;
}

static enum pk_code lex_symbol(struct lexer *lexer, struct pk_error *err)
{
    pk_slice rest = pk_slice_skip(lexer->text, lexer->pos), after = rest;
    uint32_t code_point;

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        pk_slice symbol = pk_slice_cstr(symbols[i].text);

        if (pk_slice_starts(rest, symbol)) {
            add(lexer, symbols[i].kind, lexer->pos + symbol.len);
            return PK_OK;
        }
    }
    if (rest.data[0] == '#')
        return refuse_hash(lexer, err);
    size_t len = pk_utf8_take(&after, &code_point) ? rest.len - after.len : 1;
    return refuse(lexer, lexer->pos + len, err, typographic_hint(rest));
}

static enum pk_code lex_one(struct lexer *lexer, struct pk_error *err)
{
    char c = peek(lexer, 0);

    if (c == '\'')
        return lex_quoted(lexer, PQ_TOK_STRING, err);
    if (c == '"')
        return lex_quoted(lexer, PQ_TOK_QUOTED, err);
    if (c == '`')
        return lex_quoted(lexer, PQ_TOK_ION, err);
    if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1))))
        return lex_number(lexer, err);
    if (is_name_start(c)) {
        lex_name(lexer);
        return PK_OK;
    }
    return lex_symbol(lexer, err);
}

enum pk_code partiql_lex(pk_slice text, struct pk_arena *arena, struct partiql_tokens *out,
                         struct pk_error *err)
{
    struct lexer lexer = {.text = text, .arena = arena, .out = out};

    *out = (struct partiql_tokens){.text = text};
    if (text.len > PARTIQL_TEXT_MAX)
        return pk_fail(err, PK_E_VALIDATION, "Statement is longer than %d bytes", PARTIQL_TEXT_MAX);
    for (;;) {
        enum pk_code rc = skip_blanks(&lexer, err);

        if (rc != PK_OK)
            return rc;
        if (lexer.pos == text.len)
            break;
        rc = lex_one(&lexer, err);
        if (rc != PK_OK)
            return rc;
    }
    add(&lexer, PQ_TOK_END, text.len);
    return PK_OK;
}

pk_slice partiql_token_content(pk_slice text, const struct partiql_token *token,
                               struct pk_arena *arena)
{
    pk_slice raw = partiql_text_at(text, token->span);

    if (token->kind != PQ_TOK_STRING && token->kind != PQ_TOK_QUOTED && token->kind != PQ_TOK_ION)
        return raw;

    char quote = raw.data[0];
    raw = pk_slice_of(raw.data + 1, raw.len - 2);
    if (quote == '`' || raw.len == 0 || memchr(raw.data, quote, raw.len) == NULL)
        return raw;

    char *copy = pk_arena_alloc(arena, raw.len);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        copy[len++] = raw.data[i];
        if (raw.data[i] == quote)
            i++; /* its double */
    }
    return pk_slice_of(copy, len);
}
