#include "commands/language/lex.h"

#include <strings.h>

#include "engine/base/base64.h"
#include "engine/base/buf.h"
#include "engine/base/utf8.h"

/* ---- letters and words ----------------------------------------------------------------------- */

static bool starts_at(pk_slice text, size_t pos, const char *prefix)
{
    return pk_slice_starts(pk_slice_skip(text, pos), pk_slice_cstr(prefix));
}

/* The bytes of a line break that a backslash at pos joins, 0 when it joins none. */
static size_t joined_line(pk_slice text, size_t pos)
{
    if (text.data[pos] != '\\')
        return 0;
    if (pos + 1 == text.len)
        return 1;
    if (text.data[pos + 1] == '\n')
        return 2;
    if (starts_at(text, pos + 1, "\r\n"))
        return 3;
    return 0;
}

size_t cmd_blank_length(pk_slice text, size_t pos)
{
    static const char *const wide[] = {
        "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x87", "\xE2\x80\x8B", "\xEF\xBB\xBF",
    };

    if (pos >= text.len)
        return 0;
    if (strchr(" \t\r\n\v\f", text.data[pos]) != NULL && text.data[pos] != '\0')
        return 1;
    if (text.data[pos] == '\\')
        return joined_line(text, pos);
    if ((unsigned char)text.data[pos] < 0x80)
        return 0;
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
        if (starts_at(text, pos, wide[i]))
            return strlen(wide[i]);
    }
    return 0;
}

/* The position behind a comment at pos, or pos. A block that is never closed runs to the end. */
static size_t skip_comment(pk_slice text, size_t pos)
{
    if (starts_at(text, pos, "--")) {
        while (pos < text.len && text.data[pos] != '\n')
            pos++;
        return pos;
    }
    if (!starts_at(text, pos, "/*"))
        return pos;
    for (pos += 2; pos < text.len; pos++) {
        if (starts_at(text, pos, "*/"))
            return pos + 2;
    }
    return text.len;
}

size_t cmd_skip_blanks(pk_slice text, size_t pos)
{
    for (;;) {
        size_t blank = cmd_blank_length(text, pos);
        size_t next = blank != 0 ? pos + blank : skip_comment(text, pos);

        if (next == pos)
            return pos;
        pos = next;
    }
}

bool cmd_ends_word(pk_slice text, size_t pos)
{
    if (pos >= text.len || cmd_blank_length(text, pos) != 0)
        return true;
    return text.data[pos] != '\0' && strchr(",{}[]()<>='\";", text.data[pos]) != NULL;
}

pk_slice cmd_word_at(pk_slice text, size_t pos)
{
    size_t end = pos;

    while (!cmd_ends_word(text, end))
        end++;
    return end == pos ? (pk_slice){NULL, 0} : pk_slice_of(text.data + pos, end - pos);
}

bool cmd_word_is(pk_slice word, const char *other)
{
    return word.len == strlen(other) &&
           (word.len == 0 || strncasecmp(word.data, other, word.len) == 0);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

bool cmd_is_name(pk_slice word)
{
    if (word.len == 0 || is_digit(word.data[0]))
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (!is_name_byte(word.data[i]))
            return false;
    }
    return true;
}

static size_t skip_digits(pk_slice word, size_t pos)
{
    while (pos < word.len && is_digit(word.data[pos]))
        pos++;
    return pos;
}

/* The length of the number at pos: digits, a fraction, an exponent; no sign. 0 when there is none.
 */
static size_t number_length(pk_slice text, size_t start)
{
    size_t pos = skip_digits(text, start);
    size_t digits = pos - start;

    if (pos < text.len && text.data[pos] == '.' && !starts_at(text, pos, "..")) {
        size_t end = skip_digits(text, pos + 1);

        digits += end - pos - 1;
        pos = end;
    }
    if (digits == 0)
        return 0;
    if (pos < text.len && (text.data[pos] == 'e' || text.data[pos] == 'E')) {
        size_t sign = pos + 1;

        if (sign < text.len && (text.data[sign] == '+' || text.data[sign] == '-'))
            sign++;
        if (skip_digits(text, sign) > sign)
            pos = skip_digits(text, sign);
    }
    return pos - start;
}

bool cmd_is_number(pk_slice word)
{
    size_t start = word.len > 0 && (word.data[0] == '-' || word.data[0] == '+') ? 1 : 0;
    size_t len = number_length(word, start);

    return len != 0 && start + len == word.len;
}

/* ---- unescaping ------------------------------------------------------------------------------ */

static bool take_hex4(pk_slice text, size_t pos, uint32_t *unit)
{
    *unit = 0;
    if (pos + 4 > text.len)
        return false;
    for (size_t i = pos; i < pos + 4; i++) {
        char c = text.data[i];
        uint32_t digit;

        if (is_digit(c))
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A' + 10);
        else
            return false;
        *unit = *unit * 16 + digit;
    }
    return true;
}

/* \uXXXX at pos, a surrogate pair included; returns the bytes it takes, 0 when malformed. */
static size_t unescape_unicode(pk_slice text, size_t pos, struct pk_buf *out)
{
    uint32_t unit, low;

    if (!take_hex4(text, pos + 2, &unit))
        return 0;
    if (unit < 0xD800 || unit > 0xDFFF) {
        pk_utf8_add(out, unit);
        return 6;
    }
    if (unit > 0xDBFF || !starts_at(text, pos + 6, "\\u") || !take_hex4(text, pos + 8, &low) ||
        low < 0xDC00 || low > 0xDFFF)
        return 0;
    pk_utf8_add(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
    return 12;
}

/* One backslash escape of a JSON string; returns the bytes it takes, 0 when there is no such. */
static size_t unescape(pk_slice text, size_t pos, struct pk_buf *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    const char *letter;

    if (pos + 1 >= text.len || text.data[pos + 1] == '\0')
        return 0;
    if (text.data[pos + 1] == 'u')
        return unescape_unicode(text, pos, out);
    letter = strchr(letters, text.data[pos + 1]);
    if (letter == NULL)
        return 0;
    pk_buf_add_byte(out, (unsigned char)bytes[letter - letters]);
    return 2;
}

static enum pk_code unescape_json(struct cmd_lexer *lexer, pk_slice content, pk_slice *text,
                                  struct pk_error *err)
{
    struct pk_buf out = PK_BUF_INIT;
    size_t base = (size_t)(content.data - lexer->source.data);
    enum pk_code rc = PK_OK;

    for (size_t i = 0; i < content.len && rc == PK_OK;) {
        size_t len = 1;

        if (content.data[i] != '\\') {
            pk_buf_add_byte(&out, (unsigned char)content.data[i]);
        } else {
            len = unescape(content, i, &out);
            if (len == 0)
                rc = pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)(base + i), 2},
                                "no such escape in a \"…\" string");
        }
        i += len;
    }
    *text = pk_arena_dup(lexer->arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    if (rc != PK_OK)
        pk_error_hint(err, "\"…\" has JSON's escapes; in '…' nothing is special but ''");
    return rc;
}

/* '…' and `…`: a doubled quote stands for one. */
static pk_slice undouble(struct cmd_lexer *lexer, pk_slice content, char quote)
{
    char *data;
    size_t len = 0;

    if (content.len == 0 || memchr(content.data, quote, content.len) == NULL)
        return content;
    data = pk_arena_alloc(lexer->arena, content.len);
    for (size_t i = 0; i < content.len; i++) {
        data[len++] = content.data[i];
        if (content.data[i] == quote && i + 1 < content.len && content.data[i + 1] == quote)
            i++;
    }
    return pk_slice_of(data, len);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

void cmd_lexer_init(struct cmd_lexer *lexer, pk_slice source, struct pk_span part,
                    struct pk_arena *arena)
{
    size_t end = (size_t)part.start + part.len;

    lexer->source = pk_slice_of(source.data, end < source.len ? end : source.len);
    lexer->pos = part.start;
    lexer->end = lexer->source.len;
    lexer->arena = arena;
}

static struct pk_span span_of(size_t start, size_t end)
{
    return (struct pk_span){(uint32_t)start, (uint32_t)(end - start)};
}

static enum pk_code lex_quoted(struct cmd_lexer *lexer, const struct cmd_quoted *quoted,
                               struct cmd_token *token, struct pk_error *err)
{
    size_t start = lexer->pos;

    if (quoted->open)
        return pk_fail_at(err, PK_E_USAGE, span_of(start, start + 1), "%c is never closed",
                          quoted->kind);
    lexer->pos = quoted->end;
    token->span = span_of(start, quoted->end);
    token->kind = quoted->kind == '`' ? CMD_TOKEN_NAME : CMD_TOKEN_STRING;
    if (quoted->kind == '"' && !quoted->typographic)
        return unescape_json(lexer, quoted->content, &token->text, err);
    token->text = undouble(lexer, quoted->content, quoted->kind);
    if (token->kind == CMD_TOKEN_NAME && token->text.len == 0)
        return pk_fail_at(err, PK_E_USAGE, token->span, "an attribute's name cannot be empty");
    return PK_OK;
}

static enum pk_code lex_binary(struct cmd_lexer *lexer, size_t start, struct cmd_token *token,
                               struct pk_error *err)
{
    struct cmd_quoted quoted;
    pk_slice bytes = {NULL, 0};

    (void)cmd_quoted_at(lexer->source, lexer->pos, &quoted);
    if (quoted.open)
        return pk_fail_at(err, PK_E_USAGE, span_of(start, lexer->pos + 1), "b64' is never closed");
    lexer->pos = quoted.end;
    token->kind = CMD_TOKEN_BINARY;
    token->span = span_of(start, quoted.end);
    if (quoted.content.len != 0 &&
        pk_base64_decode(lexer->arena, quoted.content, &bytes) != PK_BASE64_OK)
        return pk_fail_at(err, PK_E_USAGE, token->span, "this is not base64");
    token->text = bytes;
    return PK_OK;
}

/* A symbol; the two-letter ones first. */
static enum pk_code lex_punct(struct cmd_lexer *lexer, struct cmd_token *token)
{
    static const char *const pairs[] = {"<<", ">>", "<=", ">=", "<>", "!=", "=="};
    size_t len = 1;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        if (starts_at(lexer->source, lexer->pos, pairs[i]))
            len = 2;
    }
    token->kind = CMD_TOKEN_PUNCT;
    token->span = span_of(lexer->pos, lexer->pos + len);
    token->text = pk_slice_of(lexer->source.data + lexer->pos, len);
    lexer->pos += len;
    return PK_OK;
}

static size_t value_word_end(const struct cmd_lexer *lexer, enum cmd_lex_mode mode)
{
    size_t end = lexer->pos;

    while (!cmd_ends_word(lexer->source, end) &&
           !(mode == CMD_LEX_MAP_KEY && lexer->source.data[end] == ':'))
        end++;
    return end;
}

/* A word of the kind that stands where values stand. */
static enum pk_code lex_value_word(struct cmd_lexer *lexer, enum cmd_lex_mode mode,
                                   struct cmd_token *token, struct pk_error *err)
{
    size_t start = lexer->pos;
    size_t end = value_word_end(lexer, mode);

    if (end == start || starts_at(lexer->source, start, "!="))
        return lex_punct(lexer, token);
    lexer->pos = end;
    token->kind = CMD_TOKEN_WORD;
    token->span = span_of(start, end);
    token->text = pk_slice_of(lexer->source.data + start, end - start);
    if (cmd_word_is(token->text, "b64") && end < lexer->end && lexer->source.data[end] == '\'')
        return lex_binary(lexer, start, token, err);
    return PK_OK;
}

/* A word of an expression. Where a name runs on into letters that names do not have (USER#123), the
 * whole bareword is shown in the error, because that is what the user thinks of as one word. */
static enum pk_code lex_name(struct cmd_lexer *lexer, struct cmd_token *token, struct pk_error *err)
{
    size_t start = lexer->pos;
    size_t end = start;

    while (end < lexer->end && is_name_byte(lexer->source.data[end]))
        end++;
    lexer->pos = end;
    token->kind = CMD_TOKEN_WORD;
    token->span = span_of(start, end);
    token->text = pk_slice_of(lexer->source.data + start, end - start);
    if (cmd_word_is(token->text, "b64") && end < lexer->end && lexer->source.data[end] == '\'')
        return lex_binary(lexer, start, token, err);
    if (end > start &&
        (cmd_ends_word(lexer->source, end) || strchr(".+-*/:!`,", lexer->source.data[end]) != NULL))
        return PK_OK;
    while (!cmd_ends_word(lexer->source, end))
        end++;
    pk_fail_at(err, PK_E_USAGE, span_of(start, end), "'%.*s' is neither a name nor a value",
               (int)(end - start), lexer->source.data + start);
    if (lexer->source.data[start] == '#')
        pk_error_hint(err, "names are written as they are here, without '#': no word is reserved");
    else
        pk_error_hint(err, "a string is written '%.*s', an attribute's name `%.*s`",
                      (int)(end - start), lexer->source.data + start, (int)(end - start),
                      lexer->source.data + start);
    return PK_E_USAGE;
}

static enum pk_code lex_expression(struct cmd_lexer *lexer, struct cmd_token *token,
                                   struct pk_error *err)
{
    char c = lexer->source.data[lexer->pos];
    size_t number = number_length(lexer->source, lexer->pos);

    if (c == ':' && lexer->pos + 1 < lexer->end &&
        is_name_byte(lexer->source.data[lexer->pos + 1])) {
        pk_slice word = cmd_word_at(lexer->source, lexer->pos);
        struct pk_span span = span_of(lexer->pos, lexer->pos + word.len);

        pk_fail_at(err, PK_E_USAGE, span, "'%.*s' is a placeholder, and there are none here",
                   PK_FMT(word));
        pk_error_hint(err, "write the value itself: 'text', 12.5, true");
        return PK_E_USAGE;
    }
    if (number != 0 &&
        (is_digit(c) || lexer->pos == 0 || !is_name_byte(lexer->source.data[lexer->pos - 1]))) {
        token->kind = CMD_TOKEN_NUMBER;
        token->span = span_of(lexer->pos, lexer->pos + number);
        token->text = pk_slice_of(lexer->source.data + lexer->pos, number);
        lexer->pos += number;
        return PK_OK;
    }
    if (c != '\0' && strchr(",:{}[]()<>=+-*/.!;", c) != NULL)
        return lex_punct(lexer, token);
    return lex_name(lexer, token, err);
}

enum pk_code cmd_lex(struct cmd_lexer *lexer, enum cmd_lex_mode mode, struct cmd_token *token,
                     struct pk_error *err)
{
    size_t before = lexer->pos;
    struct cmd_quoted quoted;

    lexer->pos = cmd_skip_blanks(lexer->source, lexer->pos);
    *token =
        (struct cmd_token){.span = span_of(lexer->pos, lexer->pos), .glued = lexer->pos == before};
    if (lexer->pos >= lexer->end)
        return PK_OK;
    if (cmd_quoted_at(lexer->source, lexer->pos, &quoted))
        return lex_quoted(lexer, &quoted, token, err);
    if (mode == CMD_LEX_EXPRESSION)
        return lex_expression(lexer, token, err);
    return lex_value_word(lexer, mode, token, err);
}

enum pk_code cmd_lex_peek(struct cmd_lexer *lexer, enum cmd_lex_mode mode, struct cmd_token *token,
                          struct pk_error *err)
{
    size_t pos = lexer->pos;
    enum pk_code rc = cmd_lex(lexer, mode, token, err);

    lexer->pos = pos;
    return rc;
}

bool cmd_token_is(const struct cmd_token *token, const char *punct)
{
    return token->kind == CMD_TOKEN_PUNCT && pk_slice_is(token->text, punct);
}
