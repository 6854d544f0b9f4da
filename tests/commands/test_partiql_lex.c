/* The lexer of PartiQL: tokens, contents, places, numbers with 32-bit exponents. */
#include <criterion/criterion.h>

#include "commands/partiql/partiql_lex.h"

#define MALFORMED "Statement wasn't well formed, can't be processed: "

/* One letter a token: n name, q quoted, w keyword, s string, 9 number, i ion, ? parameter, . end,
 * others their symbol's first character. */
static char letter_of(const struct partiql_tokens *tokens, size_t i)
{
    const struct partiql_token *token = &tokens->list[i];

    switch (token->kind) {
    case PQ_TOK_END:
        return '.';
    case PQ_TOK_NAME:
        return 'n';
    case PQ_TOK_QUOTED:
        return 'q';
    case PQ_TOK_WORD:
        return 'w';
    case PQ_TOK_STRING:
        return 's';
    case PQ_TOK_NUMBER:
        return '9';
    case PQ_TOK_ION:
        return 'i';
    case PQ_TOK_PARAM:
        return '?';
    case PQ_TOK_DOT:
        return 'd';
    case PQ_TOK_LBAG:
        return 'B';
    case PQ_TOK_RBAG:
        return 'b';
    case PQ_TOK_NE:
        return '!';
    case PQ_TOK_LE:
        return 'l';
    case PQ_TOK_GE:
        return 'g';
    case PQ_TOK_EQ:
    case PQ_TOK_LT:
    case PQ_TOK_GT:
    case PQ_TOK_PLUS:
    case PQ_TOK_MINUS:
    case PQ_TOK_STAR:
    case PQ_TOK_SLASH:
    case PQ_TOK_PERCENT:
    case PQ_TOK_CONCAT:
    case PQ_TOK_LPAREN:
    case PQ_TOK_RPAREN:
    case PQ_TOK_LBRACKET:
    case PQ_TOK_RBRACKET:
    case PQ_TOK_LBRACE:
    case PQ_TOK_RBRACE:
    case PQ_TOK_COMMA:
    case PQ_TOK_COLON:
    case PQ_TOK_SEMICOLON:
        break;
    }
    return partiql_text_at(tokens->text, token->span).data[0];
}

Test(partiql_lex, tokens)
{
    static const struct {
        const char *text;
        const char *kinds;
    } cases[] = {
        {"", "."},
        {" \t\r\n", "."},
        {"select SELECT SeLeCt", "www."},
        {"data name status year type id object", "nnnnnnn."},
        {"inner date LIMIT", "www."},
        {"_a $b a1_$ a", "nnnn."},
        {"\"select\" \"a.b\" \"\" \"x\"\"y\"", "qqqq."},
        {"'it''s' '' 'a\\nb'", "sss."},
        {"12 1.5 .5 5. 1e3 1.5E-3 1E+2", "9999999."},
        {"-5 +5", "-9+9."},
        {"a.b[0].c", "ndn[9]dn."},
        {"l[1].x", "n[9]dn."},
        {"= <> != < <= > >=", "=!!<l>g."},
        {"+ - * / % ||", "+-*/%|."},
        {"( ) [ ] { } , : ; ?", "()[]{},:;?."},
        {"<<1,2>>", "B9,9b."},
        {"<<<<1>>>>", "BB9bb."},
        {"[<<1>>]", "[B9b]."},
        {"a=1--b\nc", "n=9n."},
        {"a /* x * / ' */ b", "nn."},
        {"a-b", "n-n."},
        {"`x`", "i."},
        {"'?' ?", "s?."},
        {"'-- no comment'", "s."},
        {"x<-1", "n<-9."},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct partiql_tokens tokens;
        char kinds[64] = {0};

        cr_assert_eq(partiql_lex(pk_slice_cstr(cases[i].text), &arena, &tokens, &err), PK_OK, "%s",
                     cases[i].text);
        for (size_t t = 0; t < tokens.count; t++)
            kinds[t] = letter_of(&tokens, t);
        cr_expect_str_eq(kinds, cases[i].kinds, "%s: %s", cases[i].text, kinds);
    }
    pk_arena_release(&arena);
}

Test(partiql_lex, contents)
{
    static const struct {
        const char *text;
        const char *content;
    } cases[] = {
        {"'it''s'", "it's"},  {"''", ""},         {"''''", "'"},
        {"'a\\nb'", "a\\nb"}, {"\"a.b\"", "a.b"}, {"\"a\"\"b\"", "a\"b"},
        {"\"\"", ""},         {"abc", "abc"},     {"'\xC3\xA9\"'", "\xC3\xA9\""},
        {"`a`", "a"},         {"12.50", "12.50"},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct partiql_tokens tokens;
        pk_slice content;

        cr_assert_eq(partiql_lex(pk_slice_cstr(cases[i].text), &arena, &tokens, &err), PK_OK);
        content = partiql_token_content(tokens.text, &tokens.list[0], &arena);
        cr_expect(pk_slice_is(content, cases[i].content), "%s: %.*s", cases[i].text,
                  PK_FMT(content));
    }
    pk_arena_release(&arena);
}

Test(partiql_lex, faults)
{
    static const struct {
        const char *text;
        uint32_t start, len;
        const char *hint;
    } cases[] = {
        {"select # x", 7, 1, "comments start with --"},
        {"a /* b", 2, 2, "this comment has no */"},
        {"a 'b", 2, 1, "the closing quote is missing"},
        {"a \"b''", 2, 1, "the closing quote is missing"},
        {"1e2147483648", 0, 12, "the exponent is out of range"},
        {"1.5e-2147483647", 0, 15, "the exponent is out of range"},
        {"1e", 0, 2, "the exponent has no digits"},
        {"12ab", 0, 3, "a letter follows the number"},
        {"x = \xE2\x80\x98"
         "a",
         4, 3, "a typographic quote: strings are written 'text', names \"name\""},
        {"x\xC2\xA0= 1", 1, 2, "a no-break space: type a plain blank"},
        {"caf\xC3\xA9", 3, 2,
         "this character has no meaning here; a name with it is written in double quotes"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_tokens tokens;

        cr_assert_eq(partiql_lex(pk_slice_cstr(cases[i].text), &arena, &tokens, &err),
                     PK_E_VALIDATION, "%s", cases[i].text);
        cr_expect_str_eq(err.message, MALFORMED);
        cr_expect_str_eq(err.hint, cases[i].hint);
        cr_expect_eq(err.span.start, cases[i].start, "%s: %u", cases[i].text, err.span.start);
        cr_expect_eq(err.span.len, cases[i].len, "%s: %u", cases[i].text, err.span.len);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

Test(partiql_lex, length_limit)
{
    static char text[PARTIQL_TEXT_MAX + 1];
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct partiql_tokens tokens;

    memset(text, ' ', sizeof(text));
    cr_expect_eq(partiql_lex(pk_slice_of(text, PARTIQL_TEXT_MAX), &arena, &tokens, &err), PK_OK);
    cr_expect_eq(partiql_lex(pk_slice_of(text, sizeof(text)), &arena, &tokens, &err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(err.message, "Statement is longer than 8192 bytes");
    pk_error_release(&err);
    pk_arena_release(&arena);
}

Test(partiql_lex, positions)
{
    static const struct {
        const char *text;
        struct pk_span span;
        const char *at;
    } cases[] = {
        {"SELECT 1 FROM x", {7, 1}, "1:8:1"},
        {"a\nbc", {3, 1}, "2:2:1"},
        {"\xC3\xA9 x", {3, 1}, "1:3:1"},
        {"x \xC3\xA9\xF0\x9D\x92\xB3", {2, 6}, "1:3:2"},
        {"ab", {2, 0}, "1:3:0"},
        {"a\n\n", {3, 0}, "3:1:0"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pk_slice at = partiql_position(pk_slice_cstr(cases[i].text), cases[i].span, &arena);

        cr_expect(pk_slice_is(at, cases[i].at), "%zu: %.*s", i, PK_FMT(at));
    }
    pk_arena_release(&arena);
}

Test(partiql_lex, every_keyword_is_found_in_any_case)
{
    static const char *const words[] = {
#define XX(word) #word,
        PARTIQL_WORDS(XX)
#undef XX
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char lower[32] = {0};

        for (size_t c = 0; words[i][c] != '\0'; c++)
            lower[c] = words[i][c] == '_' ? '_' : (char)(words[i][c] | 0x20);
        cr_expect_eq(partiql_word_find(pk_slice_cstr(lower)), (enum partiql_word)(i + 1), "%s",
                     lower);
    }
    cr_expect_eq(partiql_word_find(PK_LIT("")), PQ_NO_WORD);
    cr_expect_eq(partiql_word_find(PK_LIT("SELECTED")), PQ_NO_WORD);
    cr_expect_eq(partiql_word_find(PK_LIT("a_very_long_name_that_is_no_keyword")), PQ_NO_WORD);
}

Test(partiql_lex, numbers_have_32_bit_exponents)
{
    static const struct {
        const char *text;
        enum pk_num_status status;
    } cases[] = {
        {"1", PK_NUM_OK},
        {"1e125", PK_NUM_OK},
        {"1e126", PK_NUM_OVERFLOW},
        {"1e-131", PK_NUM_UNDERFLOW},
        {"1e2147483646", PK_NUM_OVERFLOW},
        {"1e2147483647", PK_NUM_UNDERFLOW},
        {"12e2147483646", PK_NUM_UNDERFLOW},
        {"1e2147483648", PK_NUM_SYNTAX},
        {"1e99999999999", PK_NUM_SYNTAX},
        {"1e0000000000005", PK_NUM_OK},
        {"1.5e-2147483646", PK_NUM_UNDERFLOW},
        {"1.5e-2147483647", PK_NUM_SYNTAX},
        {"1e", PK_NUM_SYNTAX},
        {"", PK_NUM_SYNTAX},
        {"111111111111111111111111111111111111111", PK_NUM_PRECISION},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_num number;
        enum pk_num_status status = partiql_number_parse(pk_slice_cstr(cases[i].text), &number);

        cr_expect_eq(status, cases[i].status, "%s: %d", cases[i].text, (int)status);
    }
}
