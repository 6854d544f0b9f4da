/* Quoted text: where it ends, and writing it. */
#include "commands/language/lex.h"

#include <ctype.h>

#include "engine/base/buf.h"

static bool starts_at(pk_slice text, size_t pos, const char *prefix)
{
    return pk_slice_starts(pk_slice_skip(text, pos), pk_slice_cstr(prefix));
}

/* The bytes of a quote at pos and its plain form; 0 when there is none. */
static size_t quote_at(pk_slice text, size_t pos, char *plain)
{
    static const struct {
        const char *bytes;
        char plain;
    } quotes[] = {
        {"'", '\''},
        {"\"", '"'},
        {"`", '`'},
        {"\xE2\x80\x98", '\''},
        {"\xE2\x80\x99", '\''},
        {"\xE2\x80\x9C", '"'},
        {"\xE2\x80\x9D", '"'},
        {"\xE2\x80\x9E", '"'},
    };

    /* Nearly every byte is none: imports ask this for each byte of their text. */
    if (pos >= text.len || memchr("'\"`\xE2", text.data[pos], 4) == NULL)
        return 0;
    for (size_t i = 0; i < sizeof(quotes) / sizeof(*quotes); i++) {
        if (starts_at(text, pos, quotes[i].bytes)) {
            *plain = quotes[i].plain;
            return strlen(quotes[i].bytes);
        }
    }
    return 0;
}

/* it’s: a typographic apostrophe between letters closes nothing. */
static bool is_apostrophe(pk_slice text, size_t end)
{
    return end < text.len &&
           (isalnum((unsigned char)text.data[end]) || (unsigned char)text.data[end] >= 0xC3);
}

/* A plain quote closes with itself, a typographic one with any typographic one of its kind (word
 * processors disagree on which) or, since they also leave one of a pair straight, a plain one. */
bool cmd_quoted_at(pk_slice text, size_t pos, struct cmd_quoted *quoted)
{
    size_t len = quote_at(text, pos, &quoted->kind);
    size_t start = pos + len;

    if (len == 0)
        return false;
    quoted->typographic = len > 1;
    quoted->open = false;
    for (size_t at = start; at < text.len; at++) {
        char plain;
        size_t close = quote_at(text, at, &plain);

        if (text.data[at] == '\\' && quoted->kind == '"' && !quoted->typographic) {
            at++;
            continue;
        }
        if (close == 0 || plain != quoted->kind || (close > 1 && !quoted->typographic))
            continue;
        if (close == 1 && plain != '"' && at + 1 < text.len && text.data[at + 1] == plain) {
            at++;
            continue;
        }
        if (close > 1 && plain == '\'' && is_apostrophe(text, at + close))
            continue;
        quoted->end = at + close;
        quoted->content = pk_slice_of(text.data + start, at - start);
        return true;
    }
    quoted->open = true;
    quoted->end = text.len;
    quoted->content = pk_slice_skip(text, start);
    return true;
}

static void add_quoted(struct pk_buf *out, pk_slice text, char quote)
{
    pk_buf_add_byte(out, (unsigned char)quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == quote)
            pk_buf_add_byte(out, (unsigned char)quote);
        pk_buf_add_byte(out, (unsigned char)text.data[i]);
    }
    pk_buf_add_byte(out, (unsigned char)quote);
}

void cmd_quote(struct pk_buf *out, pk_slice text)
{
    add_quoted(out, text, '\'');
}

void cmd_quote_name(struct pk_buf *out, pk_slice name)
{
    add_quoted(out, name, '`');
}
