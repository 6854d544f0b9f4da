#include <criterion/criterion.h>

#include "commands/language/lex.h"
#include "engine/base/buf.h"

static const char *kind_letter(enum cmd_token_kind kind)
{
    switch (kind) {
    case CMD_TOKEN_END:
        return "end";
    case CMD_TOKEN_WORD:
        return "w";
    case CMD_TOKEN_STRING:
        return "s";
    case CMD_TOKEN_BINARY:
        return "b";
    case CMD_TOKEN_NAME:
        return "n";
    case CMD_TOKEN_NUMBER:
        return "#";
    case CMD_TOKEN_PUNCT:
        return "p";
    }
    return "?";
}

/* "w:get s:a b" — or the error and its place */
static void lex_all(const char *input, enum cmd_lex_mode mode, struct pk_buf *out)
{
    pk_slice text = pk_slice_cstr(input);
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_lexer lexer;
    struct cmd_token token = {.kind = CMD_TOKEN_WORD};

    pk_buf_clear(out);
    cmd_lexer_init(&lexer, text, (struct pk_span){0, (uint32_t)text.len}, &arena);
    while (token.kind != CMD_TOKEN_END) {
        if (cmd_lex(&lexer, mode, &token, &err) != PK_OK) {
            pk_buf_printf(out, "! %s @%u+%u", err.message, err.span.start, err.span.len);
            break;
        }
        if (token.kind != CMD_TOKEN_END)
            pk_buf_printf(out, "%s%s:%.*s", out->len > 0 ? " " : "", kind_letter(token.kind),
                          PK_FMT(token.text));
    }
    pk_buf_add_byte(out, '\0');
    pk_error_release(&err);
    pk_arena_release(&arena);
}

struct row {
    const char *input;
    const char *expected;
};

static void check(const struct row *rows, size_t count, enum cmd_lex_mode mode)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        lex_all(rows[i].input, mode, &out);
        cr_expect_str_eq(out.data, rows[i].expected, "%s\n  gives %s\n  not   %s", rows[i].input,
                         out.data, rows[i].expected);
    }
    pk_buf_release(&out);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(lex, values)
{
    static const struct row rows[] = {
        {"USER#123 ORDER#1", "w:USER#123 w:ORDER#1"},
        {"a--b c/*d*/", "w:a--b w:c/*d*/"},
        {"a -- b", "w:a"},
        {"a /* b */ c", "w:a w:c"},
        {"a /* b", "w:a"},
        {"http://x.y/z:8", "w:http://x.y/z:8"},
        {"-5 1e3 a..b a*", "w:-5 w:1e3 w:a..b w:a*"},
        {"'it''s'", "s:it's"},
        {"'a\\nb'", "s:a\\nb"},
        {"\"a\\n\\u00e9\\\"\"", "s:a\n\xC3\xA9\""},
        {"\"\\ud83d\\ude00\"", "s:\xF0\x9F\x98\x80"},
        {"\"\\ud83d\"", "! no such escape in a \"…\" string @1+2"},
        {"\"\\q\"", "! no such escape in a \"…\" string @1+2"},
        {"'a", "! ' is never closed @0+1"},
        {"\"a\\\"", "! \" is never closed @0+1"},
        {"b64'AAE='", "b:"},
        {"b64'YWJj'", "b:abc"},
        {"b64''", "b:"},
        {"b64'A'", "! this is not base64 @0+6"},
        {"b64'AA", "! b64' is never closed @0+4"},
        {"`a b`", "n:a b"},
        {"``", "! an attribute's name cannot be empty @0+2"},
        {"<<1,2>>{a:[b]}", "p:<< w:1 p:, w:2 p:>> p:{ w:a: p:[ w:b p:] p:}"},
        {"<= >= <> != = < > ( )", "p:<= p:>= p:<> p:!= p:= p:< p:> p:( p:)"},
        {"a\\\nb", "w:a w:b"},
        {"a\xC2\xA0"
         "b",
         "w:a w:b"},
        {"\xE2\x80\x98"
         "Acme\xE2\x80\x99",
         "s:Acme"},
        {"\xE2\x80\x98it\xE2\x80\x99s\xE2\x80\x99", "s:it\xE2\x80\x99s"},
        {"\xE2\x80\x9C"
         "Acme\xE2\x80\x9D x",
         "s:Acme w:x"},
        {"O\xE2\x80\x99"
         "Brien",
         "w:O\xE2\x80\x99"
         "Brien"},
        {"", ""},
    };

    check(rows, COUNT(rows), CMD_LEX_VALUES);
}

Test(lex, map_keys_end_at_a_colon)
{
    static const struct row rows[] = {
        {"a: b", "w:a p:: w:b"},
        {"a:b:c", "w:a p:: w:b p:: w:c"},
        {"'x:y': 1", "s:x:y p:: w:1"},
        {"`a b`: 1", "n:a b p:: w:1"},
    };

    check(rows, COUNT(rows), CMD_LEX_MAP_KEY);
}

Test(lex, expressions)
{
    static const struct row rows[] = {
        {"a.b[0] = 'x'", "w:a p:. w:b p:[ #:0 p:] p:= s:x"},
        {"a+1", "w:a p:+ #:1"},
        {"a-b - 1.5e3", "w:a p:- w:b p:- #:1.5e3"},
        {"x<>1 and y != .5", "w:x p:<> #:1 w:and w:y p:!= #:.5"},
        {"a.1", "w:a p:. #:1"},
        {"_x9", "w:_x9"},
        {"`State#Date` > 5.", "n:State#Date p:> #:5."},
        {"size(a)", "w:size p:( w:a p:)"},
        {"USER#1 = 2", "! 'USER#1' is neither a name nor a value @0+6"},
        {"#a = 2", "! '#a' is neither a name nor a value @0+2"},
        {"a = :v", "! ':v' is a placeholder, and there are none here @4+2"},
        {"\xC3\xA9t = 1", "! '\xC3\xA9t' is neither a name nor a value @0+3"},
        {"a @ b", "w:a ! '@' is neither a name nor a value @2+1"},
    };
    struct pk_buf out = PK_BUF_INIT;

    /* what came before an error is shown as well */
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *expected = rows[i].expected;
        const char *bang;

        lex_all(rows[i].input, CMD_LEX_EXPRESSION, &out);
        bang = strchr(expected, '!');
        if (bang != NULL && strncmp(bang, "! ", 2) == 0)
            cr_expect(strstr(out.data, bang) != NULL, "%s gives %s", rows[i].input, out.data);
        else
            cr_expect_str_eq(out.data, expected, "%s gives %s", rows[i].input, out.data);
    }
    pk_buf_release(&out);
}

Test(lex, numbers)
{
    static const char *const numbers[] = {"0", "-5", "+5", "1.5", ".5", "5.", "1e3", "1E-3", "007"};
    static const char *const words[] = {"",     "-",     ".",   "1e",  "e3",  "1.2.3",
                                        "0x10", "1_000", "NaN", "--5", "1e+", "5a"};

    for (size_t i = 0; i < COUNT(numbers); i++)
        cr_expect(cmd_is_number(pk_slice_cstr(numbers[i])), "%s", numbers[i]);
    for (size_t i = 0; i < COUNT(words); i++)
        cr_expect_not(cmd_is_number(pk_slice_cstr(words[i])), "%s", words[i]);
}
