#include <criterion/criterion.h>

#include "commands/cmd.h"

/* input → bodies joined by '|', then "…" and what is open, or "." at the end */
struct row {
    const char *input;
    const char *expected;
};

static void split_all(const char *input, bool at_end, struct pk_buf *out)
{
    pk_slice text = pk_slice_cstr(input);
    struct cmd_split split;
    enum cmd_split_state state;

    pk_buf_clear(out);
    while ((state = cmd_split_next(NULL, text, at_end, &split)) == CMD_SPLIT_COMPLETE) {
        pk_buf_printf(out, "%s%.*s", out->len > 0 ? "|" : "", PK_FMT(split.body));
        text = pk_slice_skip(text, split.end);
    }
    if (state == CMD_SPLIT_OPEN)
        pk_buf_printf(out, "%s…%s", out->len > 0 ? "|" : "", split.open);
    else
        pk_buf_printf(out, ".%s", split.end == text.len ? "" : " but text is left");
}

static void check(const struct row *rows, size_t count, bool at_end)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        split_all(rows[i].input, at_end, &out);
        cr_expect_str_eq(out.data, rows[i].expected, "%s\n  gives %s\n  not   %s", rows[i].input,
                         out.data, rows[i].expected);
    }
    pk_buf_release(&out);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(split, typed)
{
    static const struct row rows[] = {
        /* commands end at the newline or at ';' */
        {"get a\n", "get a."},
        {"get a; get b\n", "get a|get b."},
        {"get a\nget b\n", "get a|get b."},
        {"get a\r\nget b\r\n", "get a|get b."},
        {"\xEF\xBB\xBFget a\n", "get a."},
        {"  get a  \n\n  ;;\n", "get a."},
        {"get a", "…"},
        {"get 'a;b' ; get c\n", "get 'a;b'|get c."},
        {"get 'it''s'\n", "get 'it''s'."},
        {"get \"a\\\";b\"\n", "get \"a\\\";b\"."},
        {"get `a;b`\n", "get `a;b`."},
        {"scan where a.`b;c` = 1\n", "scan where a.`b;c` = 1."},
        {"put a {x: 1;y: 2}\n", "put a {x: 1;y: 2}."},
        /* open brackets and quotes go on */
        {"put a {x: 1,\n", "…{"},
        {"put a {x: 1,\n y: [\n", "…["},
        {"put a {x: <<1,\n", "…<<"},
        {"scan where (a\n", "…("},
        {"get 'a\n", "…'"},
        {"get \"a\n", "…\""},
        {"get `a\n", "…`"},
        {"put a {x: 1,\n y: 2}\nget b\n", "put a {x: 1,\n y: 2}|get b."},
        {"get 'a\nb'\n", "get 'a\nb'."},
        {"get a \\\n b\n", "get a \\\n b."},
        {"get a \\\r\n b\n", "get a \\\r\n b."},
        {"get a \\\n", "…"},
        /* a closer that does not fit leaves nothing open */
        {"put a {x: (1}\nget b\n", "put a {x: (1}|get b."},
        {"get a]\nget b\n", "get a]|get b."},
        {"scan where a >> b\nget b\n", "scan where a >> b|get b."},
        /* comments where a word may start; in a bareword they are text */
        {"get a -- b\n", "get a."},
        {"get a--b\n", "get a--b."},
        {"get a/*b*/\n", "get a/*b*/."},
        {"get /* b;\n */ a\n", "get /* b;\n */ a."},
        {"-- nothing\n/* at all */\n", "."},
        {"/* open\n", "…/*"},
        {"get a /* open\n", "…/*"},
        /* PartiQL and DDL end at ';' */
        {"SELECT *\nFROM a;\nget b\n", "SELECT *\nFROM a|get b."},
        {"select * from a\n", "…;"},
        {"SELECT ';' FROM a;", "SELECT ';' FROM a."},
        {"SELECT \"a;b\" FROM a;", "SELECT \"a;b\" FROM a."},
        {"SELECT 'a\n", "…'"},
        {"SELECT \"a\n", "…\""},
        {"SELECT a--b;\nFROM t;", "SELECT a--b;\nFROM t."},
        {"SELECT a /* ; */ FROM t;", "SELECT a /* ; */ FROM t."},
        {"SELECT a /* ;", "…/*"},
        {"SELECT 'it''s;' FROM t;", "SELECT 'it''s;' FROM t."},
        {"SELECT * FROM t; -- done\n", "SELECT * FROM t."},
        {"SELECT * FROM t -- done\n ;", "SELECT * FROM t."},
        {"INSERT INTO t VALUE {'a':1};", "INSERT INTO t VALUE {'a':1}."},
        {"EXISTS(SELECT * FROM t);", "EXISTS(SELECT * FROM t)."},
        {"create table T\n (PK S);", "create table T\n (PK S)."},
        {"drop table T\n", "…;"},
        {"alter table T tag a='x;y';", "alter table T tag a='x;y'."},
        {"update a set b = 1\n", "…;"},
        /* what wraps a statement ends as that does */
        {"count query a\nget b\n", "count query a|get b."},
        {"count\nSELECT * FROM t;", "count|SELECT * FROM t."},
        {"explain SELECT 'a;b'\nFROM t;", "explain SELECT 'a;b'\nFROM t."},
        {"explain /* don't; */ SELECT *\nFROM t;", "explain /* don't; */ SELECT *\nFROM t."},
        {"explain /* a\n b */ get a\nget b\n", "explain /* a\n b */ get a|get b."},
        {"explain -- nothing\nSELECT * FROM t;", "explain|SELECT * FROM t."},
        {"explain \\\n SELECT *\nFROM t;", "explain \\\n SELECT *\nFROM t."},
        {"explain;SELECT *\nFROM t;", "explain|SELECT *\nFROM t."},
        /* raw */
        {"\\! echo 'a; b\nget b\n", "\\! echo 'a; b|get b."},
        {"nonsense (\n", "…("},
    };

    check(rows, COUNT(rows), false);
}

Test(split, end_of_input_ends_everything)
{
    static const struct row rows[] = {
        {"get a", "get a."},
        {"SELECT * FROM a", "SELECT * FROM a."},
        {"drop table T", "drop table T."},
        {"get 'a", "get 'a."},
        {"put a {x: 1", "put a {x: 1."},
        {"get a \\", "get a."},
        {"SELECT 'a", "SELECT 'a."},
        {"get a;", "get a."},
        {"/* open", "."},
        {"", "."},
        {"get a\nSELECT 1", "get a|SELECT 1."},
    };

    check(rows, COUNT(rows), true);
}
