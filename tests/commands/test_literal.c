#include <criterion/criterion.h>

#include "commands/literal.h"
#include "commands/result.h"

struct row {
    const char *input;
    const char *expected; /* the value as a literal, or "! message @start+len" */
};

static void parse_into(const char *input, enum cmd_literal_mode mode, const struct pk_table *table,
                       struct pk_buf *out)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_literal literal = {pk_slice_cstr(input), mode, &arena, table};
    size_t pos = 0;
    pk_value value;

    pk_buf_clear(out);
    if (cmd_literal_parse(&literal, &pos, &value, &err) != PK_OK) {
        pk_buf_printf(out, "! %s @%u+%u", err.message, err.span.start, err.span.len);
    } else {
        cmd_value_text(out, value);
        if (input[pos] != '\0')
            pk_buf_printf(out, " then %s", input + pos);
    }
    pk_error_release(&err);
    pk_arena_release(&arena);
}

static void check(const struct row *rows, size_t count, enum cmd_literal_mode mode,
                  const struct pk_table *table)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        parse_into(rows[i].input, mode, table, &out);
        cr_expect_str_eq(out.data, rows[i].expected, "%s\n  gives %s\n  not   %s", rows[i].input,
                         out.data, rows[i].expected);
    }
    pk_buf_release(&out);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(literal, commands)
{
    static const struct row rows[] = {
        {"'a'", "'a'"},
        {"abc", "'abc'"},
        {"USER#1 rest", "'USER#1' then  rest"},
        {"12.50", "12.5"},
        {"-5", "-5"},
        {"1e3", "1000"},
        {"12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
        {"true", "true"},
        {"FALSE", "false"},
        {"Null", "null"},
        {"nullable", "'nullable'"},
        {"b64'AAE='", "b64'AAE='"},
        {"<<3, 1, 2>>", "<<1, 2, 3>>"},
        {"<<b, 'a'>>", "<<'a', 'b'>>"},
        {"<<b64'AQ==', b64'AA=='>>", "<<b64'AA==', b64'AQ=='>>"},
        {"[1, a, [true], {}]", "[1, 'a', [true], {}]"},
        {"[]", "[]"},
        {"{}", "{}"},
        {"{total: 30.00, tags: <<'new'>>}", "{'tags': <<'new'>>, 'total': 30}"},
        {"{'a b': 1, `c d`: 2, \"e\": 3}", "{'a b': 1, 'c d': 2, 'e': 3}"},
        {"{url: http://x.y:8/z, t: 10:30}", "{'t': '10:30', 'url': 'http://x.y:8/z'}"},
        {"{a:b:c}", "{'a': 'b:c'}"},
        {"{\"a\": \"x\\u0041\", \"b\": [1.0, null, false]}", "{'a': 'xA', 'b': [1, null, false]}"},
        {"{a: 1, -- one\n b: 2 /* two */}", "{'a': 1, 'b': 2}"},
        {"{a: 1,}", "! expected a name, found '}' @6+1"},
        /* errors */
        {"", "! expected a value, found the end @0+0"},
        {"{a: 1", "! expected ',' or '}', found the end @5+0"},
        {"{a: 1 b: 2}", "! expected ',' or '}', found 'b' @6+1"},
        {"{a 1}", "! expected ':', found '1' @3+1"},
        {"{: 1}", "! expected a name or '}', found ':' @1+1"},
        {"{a: }", "! expected a value, found '}' @4+1"},
        {"{a: 1, a: 2}", "! 'a' is there twice @7+1"},
        {"[1, 2", "! expected ',' or ']', found the end @5+0"},
        {"[1, ']'}", "! expected ',' or ']', found '}' @7+1"},
        {"<<>>", "! a set cannot be empty @0+4"},
        {"<<1, 'a'>>", "! a set holds values of one type: all strings, numbers or binaries @5+3"},
        {"<<[1]>>", "! a set holds strings, numbers or binaries @2+3"},
        {"<<1, 1.0>>", "! the set holds a value twice @0+10"},
        {"<<1, 2", "! expected ',' or '>>', found the end @6+0"},
        {")", "! expected a value, found ')' @0+1"},
        {"'a", "! ' is never closed @0+1"},
        {"1e999",
         "! Number overflow. Attempting to store a number with magnitude larger than supported "
         "range @0+5"},
        {"123456789012345678901234567890123456789",
         "! Attempting to store more than 38 significant digits in a Number @0+39"},
        {"'\xFF'", "! this string is not UTF-8 @0+3"},
    };

    check(rows, COUNT(rows), CMD_LITERAL_COMMAND, NULL);
}

Test(literal, json)
{
    static const struct row rows[] = {
        {"{\"a\": 1.50, \"b\": [true, false, null], \"c\": {\"d\": \"x\"}} next",
         "{'a': 1.5, 'b': [true, false, null], 'c': {'d': 'x'}} then  next"},
        {"12345678901234567890.123456789", "12345678901234567890.123456789"},
        {"\"\\u0000\"", "'"},
        {"abc", "! expected a JSON value, found 'abc' @0+3"},
        {"True", "! expected a JSON value, found 'True' @0+4"},
        {"'a'", "! expected a JSON value, found 'a' @0+3"},
        {"+1", "! expected a JSON value, found '+1' @0+2"},
        {"{a: 1}", "! expected a name in double quotes, found 'a' @1+1"},
        {"{'a': 1}", "! expected a JSON value, found 'a' @1+3"},
        {"<<1>>", "! expected a JSON value, found '<<' @0+2"},
        {"b64'AA=='", "! expected a JSON value, found b64'AA==' @0+9"},
        {"\"a\nb\"", "! a control character inside a JSON string @2+1"},
        {"{\"a\": 1, \"a\": 2}", "! 'a' is there twice @9+3"},
    };

    check(rows, COUNT(rows), CMD_LITERAL_JSON, NULL);
}

static struct pk_key_attr attributes[] = {
    {{"PK", 2}, PK_STRING},
    {{"SK", 2}, PK_NUMBER},
    {{"B", 1}, PK_BINARY},
};
static const struct pk_table table = {
    .key = {.hash = {{{"PK", 2}, PK_STRING}},
            .range = {{{"SK", 2}, PK_NUMBER}},
            .hash_count = 1,
            .range_count = 1},
    .attributes = attributes,
    .attribute_count = 3,
};

Test(literal, key_attributes_take_the_schemas_type)
{
    static const struct row rows[] = {
        {"{PK: 123, SK: 5, x: 123}", "{'PK': '123', 'SK': 5, 'x': 123}"},
        {"{PK: true, SK: -5}", "{'PK': 'true', 'SK': -5}"},
        {"{a: {PK: 123}}", "{'a': {'PK': 123}}"},
        {"{SK: ten}", "! key attribute 'SK' is a number, 'ten' is none @5+3"},
        {"{B: abc}", "! key attribute 'B' is a binary, 'abc' is none @4+3"},
        {"{B: b64'AA=='}", "{'B': b64'AA=='}"},
        /* DynamoDB JSON: the key attributes are typed */
        {"{\"PK\": {\"S\": \"a\"}, \"SK\": {\"N\": \"1.0\"}, \"x\": {\"L\": [{\"BOOL\": true}]}}",
         "{'PK': 'a', 'SK': 1, 'x': [true]}"},
        {"{\"PK\": {\"S\": \"a\"}, \"SK\": {\"N\": \"1\"}, \"x\": {\"NS\": [\"2\", \"1\"]},"
         " \"y\": {\"M\": {\"z\": {\"NULL\": true}}}, \"b\": {\"B\": \"AAE=\"}}",
         "{'PK': 'a', 'SK': 1, 'b': b64'AAE=', 'x': <<1, 2>>, 'y': {'z': null}}"},
        {"{\"PK\": {\"S\": \"a\"}, \"SK\": {\"N\": \"1\"}, \"x\": 5}",
         "! not DynamoDB JSON: a value is a map with one type, {\"S\": …} @42+1"},
        /* one typed key attribute of two is a plain map */
        {"{\"PK\": {\"S\": \"a\"}, \"SK\": 1}", "{'PK': {'S': 'a'}, 'SK': 1}"},
    };

    check(rows, COUNT(rows), CMD_LITERAL_COMMAND, &table);
}

Test(literal, depth_is_limited)
{
    struct pk_buf text = PK_BUF_INIT, out = PK_BUF_INIT;

    for (int i = 0; i < CMD_LITERAL_DEPTH_MAX + 1; i++)
        pk_buf_add_byte(&text, '[');
    parse_into(text.data, CMD_LITERAL_COMMAND, NULL, &out);
    cr_assert_str_eq(out.data, "! nested deeper than 96 levels @96+1");
    pk_buf_release(&text);
    pk_buf_release(&out);
}

Test(literal, names_given_twice_are_found_in_large_maps)
{
    struct pk_buf text = PK_BUF_INIT, out = PK_BUF_INIT;

    pk_buf_add_byte(&text, '{');
    for (int i = 0; i < 5000; i++)
        pk_buf_printf(&text, "a%d: %d, ", i, i);
    pk_buf_add_cstr(&text, "a4000: 1}");
    parse_into(text.data, CMD_LITERAL_COMMAND, NULL, &out);
    cr_assert(strstr(out.data, "! a name is in the map twice") != NULL, "%s", out.data);
    pk_buf_release(&text);
    pk_buf_release(&out);
}

Test(literal, key_values)
{
    static const struct {
        const char *input;
        size_t attribute;
        const char *expected;
    } rows[] = {
        {"123", 0, "'123'"},
        {"'123'", 0, "'123'"},
        {"-5", 1, "-5"},
        {"'5'", 1, "key attribute 'SK' is a number, this is of type S"},
        {"[1]", 0, "key attribute 'PK' is a string, this is of type L"},
        {"b64'AA=='", 2, "b64'AA=='"},
        {"b64'AA=='", 0, "key attribute 'PK' is a string, this is of type B"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cmd_literal literal = {pk_slice_cstr(rows[i].input), CMD_LITERAL_COMMAND, &arena,
                                      NULL};
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        size_t pos = 0;
        pk_value value;

        if (cmd_literal_parse_key(&literal, &pos, &attributes[rows[i].attribute], &value, &err) ==
            PK_OK)
            cmd_value_text(&out, value);
        else
            pk_buf_add_cstr(&out, err.message);
        cr_expect_str_eq(out.data, rows[i].expected, "%s gives %s", rows[i].input, out.data);
        pk_buf_release(&out);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}
