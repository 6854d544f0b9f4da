/* Every message of expressions.md §1-§8 that needs neither table nor item, and what wins when
 * several things are wrong. */
#include <criterion/criterion.h>

#include "tests/support/expr_fixture.h"
#include "tests/support/value_text.h"

#define SYNTAX(token, near) "Syntax error; token: \"" token "\", near: \"" near "\""
#define RESERVED(word)      "Attribute name is a reserved keyword; reserved keyword: " word
#define NO_NAME(name)                                                                              \
    "An expression attribute name used in the document path is not defined; attribute name: " name
#define NO_VALUE(value)                                                                            \
    "An expression attribute value used in expression is not defined; attribute value: " value
#define MISUSE(function)                                                                           \
    "The function is not allowed to be used this way in an expression; function: " function
#define UNKNOWN(function) "Invalid function name; function: " function
#define TYPE(op, type)                                                                             \
    "Incorrect operand type for operator or function; operator or function: " op                   \
    ", operand type: " type
#define COUNT(op, n)                                                                               \
    "Incorrect number of operands for operator or function; operator or function: " op             \
    ", number of operands: " n
#define PATH(op) "Operator or function requires a document path; operator or function: " op
#define PARENS   "The expression has redundant parentheses;"
#define EMPTY    "The expression can not be empty;"
#define LEVELS   "The document path has too many nesting levels; nesting levels: 33"
#define PATHS(how)                                                                                 \
    "Two document paths " how " with each other; must remove or rewrite one of "                   \
    "these paths; path one: "
#define DISTINCT(op, path)                                                                         \
    "The first operand must be distinct from the remaining operands for this operator or "         \
    "function; operator: " op ", first operand: " path
#define PATH_32 "q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q"

/* For each row: S 's', N 'n' and 'hi', BOOL 't', NULL 'z', L 'l', M 'm', sets 'ss', 'ns', B 'b'. */
static const char values[] = "{n: 1, hi: 9, s: 'hello', t: true, z: null, l: [9], m: {}, "
                             "ss: <<'a'>>, ns: <<1>>, b: x'0102', n5: 5, n5AND: 6, "
                             "S: 'S', Q: 'Q'}";
static const char names[] = "#a=a #b=a #x=x.y #n=name";

struct row {
    enum pk_expr_use use;
    const char *text;
    const char *message; /* without the prefix; "" parses */
};

static void run(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct expr_fixture fixture;
        const char *message;
        pk_slice expected = PK_LIT("");

        expr_fixture_init(&fixture, names, values);
        message = expr_fixture_message(&fixture, rows[i].use, rows[i].text);
        if (rows[i].message[0] != '\0')
            expected = pk_arena_printf(&fixture.arena, "Invalid %s: %s",
                                       pk_expr_use_name(rows[i].use), rows[i].message);
        cr_expect_str_eq(message, expected.data, "%s\n  got  %s\n  want %s", rows[i].text, message,
                         expected.data);
        expr_fixture_release(&fixture);
    }
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows[0]))

Test(expr_parse, syntax)
{
    static const struct row rows[] = {
        {PK_EXPR_CONDITION, "a = 5", SYNTAX("5", "= 5")},
        {PK_EXPR_CONDITION, "a  =   5  ", SYNTAX("5", "=   5  ")},
        {PK_EXPR_CONDITION, "a = :n and", SYNTAX("<EOF>", "and")},
        {PK_EXPR_CONDITION, "a = :n and ", SYNTAX("<EOF>", "and ")},
        {PK_EXPR_CONDITION, "a == :n", SYNTAX("=", "== :n")},
        {PK_EXPR_CONDITION, "a != :n", SYNTAX("!", "a !=")},
        {PK_EXPR_CONDITION, "a = :n b", SYNTAX("b", ":n b")},
        {PK_EXPR_CONDITION, "a", SYNTAX("<EOF>", "a")},
        {PK_EXPR_CONDITION, ":n", SYNTAX("<EOF>", ":n")},
        {PK_EXPR_CONDITION, "(a)", SYNTAX("<EOF>", ")")},
        {PK_EXPR_CONDITION, "and", SYNTAX("and", "and")},
        {PK_EXPR_CONDITION, "a.or = :n", SYNTAX("or", ".or =")},
        {PK_EXPR_CONDITION, "a = \"x\"", SYNTAX("\"", "= \"x")},
        {PK_EXPR_CONDITION, "(a = :n", SYNTAX("<EOF>", ":n")},
        {PK_EXPR_CONDITION, "a = :n)", SYNTAX(")", ":n)")},
        {PK_EXPR_CONDITION, "a in ()", SYNTAX(")", "()")},
        {PK_EXPR_CONDITION, "size() = :n", SYNTAX(")", "() =")},
        {PK_EXPR_CONDITION, "a not in (:n)", SYNTAX("not", "a not in")},
        {PK_EXPR_CONDITION, "l[-1] = :n", SYNTAX("-", "[-1")},
        {PK_EXPR_CONDITION, "l[01] = :n", SYNTAX("1", "01]")},
        {PK_EXPR_CONDITION, "l[1.5] = :n", SYNTAX(".", "1.5")},
        {PK_EXPR_CONDITION, "l[:n] = :n", SYNTAX(":n", "[:n]")},
        {PK_EXPR_CONDITION, "l[#a] = :n", SYNTAX("#a", "[#a]")},
        {PK_EXPR_CONDITION, "_a = :n", SYNTAX("_", "_a")},
        {PK_EXPR_CONDITION, "a-b = :n", SYNTAX("-", "a-b")},
        {PK_EXPR_CONDITION, "a.1 = :n", SYNTAX("1", ".1 =")},
        {PK_EXPR_CONDITION, "a = :n[0]", SYNTAX("[", ":n[0")},
        {PK_EXPR_CONDITION, "a = :n5AND s = :s", SYNTAX("s", ":n5AND s =")},
        {PK_EXPR_CONDITION, "\xc3\xa9 = :n", SYNTAX("\xc3\xa9", "\xc3\xa9 =")},
        {PK_EXPR_CONDITION, "a = # ", SYNTAX("#", "= # ")},
        {PK_EXPR_CONDITION, "a = (s = :s)", SYNTAX("=", "s = :s")},
        {PK_EXPR_CONDITION, "(a = :n and s)", SYNTAX(")", "s)")},
        {PK_EXPR_CONDITION, "(a = :n) = :t", SYNTAX("=", ") = :t")},
        {PK_EXPR_CONDITION, "(a and s = :s)", SYNTAX("and", "a and s")},
        {PK_EXPR_CONDITION, "not (a)", SYNTAX("<EOF>", ")")},
        {PK_EXPR_CONDITION, "a + :n = :n", SYNTAX("+", "a + :n")},
        {PK_EXPR_CONDITION, " ", SYNTAX("<EOF>", " ")},
        {PK_EXPR_CONDITION, " !", SYNTAX("!", "!")},
        {PK_EXPR_UPDATE, "INVALID SYNTAX HERE", SYNTAX("INVALID", "INVALID SYNTAX")},
        {PK_EXPR_UPDATE, "SET", SYNTAX("<EOF>", "SET")},
        {PK_EXPR_UPDATE, "SET a", SYNTAX("<EOF>", "a")},
        {PK_EXPR_UPDATE, "SET a = :n,", SYNTAX("<EOF>", ",")},
        {PK_EXPR_UPDATE, "SET a = :n s = :s", SYNTAX("s", ":n s =")},
        {PK_EXPR_UPDATE, "SET set = :n", SYNTAX("set", "SET set =")},
        {PK_EXPR_UPDATE, "SET a = a + :n + :n", SYNTAX("+", ":n + :n")},
        {PK_EXPR_UPDATE, "SET a = (a + :n) - :n", SYNTAX("-", ") - :n")},
        {PK_EXPR_UPDATE, "SET a = a + (s + :n)", SYNTAX("+", "s + :n")},
        {PK_EXPR_UPDATE, "SET a = if_not_exists(a, a + :n)", SYNTAX("+", "a + :n")},
        {PK_EXPR_UPDATE, "ADD a b", SYNTAX("b", "a b")},
        {PK_EXPR_UPDATE, "ADD a (:n)", SYNTAX("(", "a (:n")},
        {PK_EXPR_UPDATE, "REMOVE a = :n", SYNTAX("=", "a = :n")},
        {PK_EXPR_PROJECTION, "!!! INVALID !!!", SYNTAX("!", "!!")},
        {PK_EXPR_PROJECTION, "a,", SYNTAX("<EOF>", ",")},
        {PK_EXPR_PROJECTION, "(a)", SYNTAX("(", "(a")},
        {PK_EXPR_PROJECTION, ":n", SYNTAX(":n", ":n")},
        {PK_EXPR_PROJECTION, "size(a)", SYNTAX("(", "size(a")},
        {PK_EXPR_FILTER, "", EMPTY},
        {PK_EXPR_UPDATE, "", EMPTY},
    };

    RUN(rows);
}

Test(expr_parse, names_and_paths)
{
    static const struct row rows[] = {
        {PK_EXPR_CONDITION, "name = :n", RESERVED("name")},
        {PK_EXPR_CONDITION, "m.Name = :n", RESERVED("Name")},
        {PK_EXPR_CONDITION, "status = :n", RESERVED("status")},
        {PK_EXPR_CONDITION, "size = :n", RESERVED("size")},
        {PK_EXPR_CONDITION, "set = :n", RESERVED("set")},
        {PK_EXPR_CONDITION, "remove = :n", ""},
        {PK_EXPR_UPDATE, "SET convert = :n", RESERVED("convert")},
        {PK_EXPR_UPDATE, "SET and = :n", RESERVED("and")},
        {PK_EXPR_PROJECTION, "name", RESERVED("name")},
        {PK_EXPR_PROJECTION, "m.name", RESERVED("name")},
        {PK_EXPR_CONDITION, "#n = :n", ""},
        {PK_EXPR_CONDITION, "#u = :n5", NO_NAME("#u")},
        {PK_EXPR_CONDITION, "a.#y = :n", NO_NAME("#y")},
        {PK_EXPR_CONDITION, "a = :undefined", NO_VALUE(":undefined")},
        {PK_EXPR_UPDATE, "SET #u = :n", NO_NAME("#u")},
        {PK_EXPR_UPDATE, "SET a = :undef", NO_VALUE(":undef")},
        {PK_EXPR_PROJECTION, "#u", NO_NAME("#u")},
        {PK_EXPR_CONDITION, "attribute_exists(" PATH_32 ")", ""},
        {PK_EXPR_CONDITION, "attribute_exists(" PATH_32 ".q)", LEVELS},
        {PK_EXPR_PROJECTION, PATH_32 ".q", LEVELS},
        {PK_EXPR_PROJECTION, PATH_32 "[0]", LEVELS},
        {PK_EXPR_PROJECTION, "l[2147483647]", ""},
        {PK_EXPR_PROJECTION, "l[99999999999]",
         "List index is not within the allowable range; index: [99999999999]"},
        {PK_EXPR_PROJECTION, "l[99999999999999999999999999999999]",
         "List index is not within the allowable range; "
         "index: [99999999999999999999999999999999]"},
        {PK_EXPR_PROJECTION, " m . x [ 1 ] ", ""},
        {PK_EXPR_CONDITION, "a=:n5 AND(s=:s)", ""},
        {PK_EXPR_CONDITION, "a\t=\r\n:n", ""},
    };

    RUN(rows);
}

Test(expr_parse, conditions)
{
    static const struct row rows[] = {
        {PK_EXPR_CONDITION, "a = a", DISTINCT("=", "[a]")},
        {PK_EXPR_CONDITION, "a <> a", DISTINCT("<>", "[a]")},
        {PK_EXPR_CONDITION, "#a < #b", DISTINCT("<", "[a]")},
        {PK_EXPR_CONDITION, "begins_with(s, s)", DISTINCT("begins_with", "[s]")},
        {PK_EXPR_CONDITION, "contains(#n, #n)", DISTINCT("contains", "[name]")},
        {PK_EXPR_CONDITION, "a in (:n, a)", DISTINCT("IN", "[a]")},
        {PK_EXPR_CONDITION, "m.x = m.x", DISTINCT("=", "[m, x]")},
        {PK_EXPR_CONDITION, "l[0].x = l[0].x", DISTINCT("=", "[l, [0], x]")},
        {PK_EXPR_CONDITION, "m = m.x", ""},
        {PK_EXPR_CONDITION, ":n = :n", ""},
        {PK_EXPR_CONDITION, "attribute_exists(:n)", PATH("attribute_exists")},
        {PK_EXPR_CONDITION, "attribute_not_exists(:n)", PATH("attribute_not_exists")},
        {PK_EXPR_CONDITION, "attribute_exists(size(a))", PATH("attribute_exists")},
        {PK_EXPR_CONDITION, "attribute_exists(a, s)", COUNT("attribute_exists", "2")},
        {PK_EXPR_CONDITION, "attribute_type(s)", COUNT("attribute_type", "1")},
        {PK_EXPR_CONDITION, "begins_with(s)", COUNT("begins_with", "1")},
        {PK_EXPR_CONDITION, "contains(s, :s, :n)", COUNT("contains", "3")},
        {PK_EXPR_CONDITION, "size(s, a) = :n", COUNT("size", "2")},
        {PK_EXPR_CONDITION, "attribute_type(s, :n)", TYPE("attribute_type", "N")},
        {PK_EXPR_CONDITION, "attribute_type(s, a)",
         TYPE("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")},
        {PK_EXPR_CONDITION, "attribute_type(s, :S)", ""},
        {PK_EXPR_CONDITION, "attribute_type(:n, :S)", ""},
        {PK_EXPR_CONDITION, "attribute_type(s, :Q)",
         "Invalid attribute type name found; type: Q, valid types: "
         "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
        {PK_EXPR_CONDITION, "begins_with(s, :n)", TYPE("begins_with", "N")},
        {PK_EXPR_CONDITION, "begins_with(:t, s)", TYPE("begins_with", "BOOL")},
        {PK_EXPR_CONDITION, "begins_with(s, :b)", ""},
        {PK_EXPR_CONDITION, "size(:n) = :n5", TYPE("size", "N")},
        {PK_EXPR_CONDITION, "size(:t) = :n5", TYPE("size", "BOOL")},
        {PK_EXPR_CONDITION, "size(:z) = :n5", TYPE("size", "NULL")},
        {PK_EXPR_CONDITION, "size(size(a)) = :n5", TYPE("size", "N")},
        {PK_EXPR_CONDITION, "size(:ss) = :n5", ""},
        {PK_EXPR_CONDITION, "a < :t", TYPE("<", "BOOL")},
        {PK_EXPR_CONDITION, ":l >= a", TYPE(">=", "L")},
        {PK_EXPR_CONDITION, "a between :t and :t", TYPE("BETWEEN", "BOOL")},
        {PK_EXPR_CONDITION, "a = :t", ""},
        {PK_EXPR_CONDITION, "a between :hi and :n",
         "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
         "lower bound operand: AttributeValue: {N:9}, "
         "upper bound operand: AttributeValue: {N:1}"},
        {PK_EXPR_CONDITION, "a between :n and :s",
         "The BETWEEN operator requires same data type for lower and upper bounds; "
         "lower bound operand: AttributeValue: {N:1}, "
         "upper bound operand: AttributeValue: {S:hello}"},
        {PK_EXPR_CONDITION, "a between :s and :b",
         "The BETWEEN operator requires same data type for lower and upper bounds; "
         "lower bound operand: AttributeValue: {S:hello}, "
         "upper bound operand: AttributeValue: {B:AQI=}"},
        {PK_EXPR_CONDITION, "a between :n and :n", ""},
        {PK_EXPR_CONDITION, "a between s and :n", ""},
        {PK_EXPR_CONDITION, "begins_with(s, :s) = :t", MISUSE("begins_with")},
        {PK_EXPR_CONDITION, ":t = begins_with(s, :s)", MISUSE("begins_with")},
        {PK_EXPR_CONDITION, "contains(s, contains(s, :s))", MISUSE("contains")},
        {PK_EXPR_CONDITION, "size(s)", MISUSE("size")},
        {PK_EXPR_CONDITION, "not (size(s)) and a = :n", MISUSE("size")},
        {PK_EXPR_CONDITION, "(size(s)) = :n", ""},
        {PK_EXPR_CONDITION, "(attribute_exists(s))", ""},
        {PK_EXPR_CONDITION, "foo(a)", UNKNOWN("foo")},
        {PK_EXPR_CONDITION, "foo(a) = :n", UNKNOWN("foo")},
        {PK_EXPR_CONDITION, "a = foo(a)", UNKNOWN("foo")},
        {PK_EXPR_CONDITION, "ATTRIBUTE_EXISTS(a)", UNKNOWN("ATTRIBUTE_EXISTS")},
        {PK_EXPR_CONDITION, "if_not_exists(a, :n) = :n",
         "The function is not allowed in a condition expression; function: if_not_exists"},
        {PK_EXPR_CONDITION, "((a = :n5))", PARENS},
        {PK_EXPR_CONDITION, "(((a = :n5)))", PARENS},
        {PK_EXPR_CONDITION, "((a)) = :n5", PARENS},
        {PK_EXPR_CONDITION, "a = ((:n5))", PARENS},
        {PK_EXPR_CONDITION, "((attribute_exists(a)))", PARENS},
        {PK_EXPR_CONDITION, "(a = :n5) and ((s = :s))", PARENS},
        {PK_EXPR_CONDITION, "(a) = :n", ""},
        {PK_EXPR_CONDITION, "((a) = (:n))", ""},
        {PK_EXPR_CONDITION, "((a = :n) and (b = :n))", ""},
        {PK_EXPR_CONDITION, "(not (a = :n))", ""},
    };

    RUN(rows);
}

/* expressions.md §4 and §8 "priority", errors.md §8. */
Test(expr_parse, which_fault_wins)
{
    static const struct row rows[] = {
        {PK_EXPR_CONDITION, "((a = :undef)) !", SYNTAX("!", ") !")},
        {PK_EXPR_CONDITION, "foo(a) and ((a = :undef))", PARENS},
        {PK_EXPR_CONDITION, "size(a) and foo(name)", UNKNOWN("foo")},
        {PK_EXPR_CONDITION, "name = :n and size(a)", MISUSE("size")},
        {PK_EXPR_CONDITION, "a = :undef and name = :n", RESERVED("name")},
        {PK_EXPR_CONDITION, "a = a and b = :undef", DISTINCT("=", "[a]")},
        {PK_EXPR_CONDITION, "b = :undef and a = a", NO_VALUE(":undef")},
        {PK_EXPR_CONDITION, "#u = #u", NO_NAME("#u")},
        {PK_EXPR_CONDITION, "begins_with(:n, :undef)", NO_VALUE(":undef")},
        {PK_EXPR_CONDITION, "attribute_type(s, s, s)", COUNT("attribute_type", "3")},
        {PK_EXPR_CONDITION, "attribute_type(s, s)", DISTINCT("attribute_type", "[s]")},
        {PK_EXPR_KEY_CONDITION, "p = :missing AND begins_with(r, :n)", NO_VALUE(":missing")},
        {PK_EXPR_KEY_CONDITION, "begins_with(r, :n) AND p = :missing", TYPE("begins_with", "N")},
        {PK_EXPR_UPDATE, "SET a = ((:n)) !", SYNTAX("!", ") !")},
        {PK_EXPR_UPDATE, "SET name = foo(a), b = ((:n))", PARENS},
        {PK_EXPR_UPDATE, "SET name = foo(a)", RESERVED("name")},
        {PK_EXPR_UPDATE, "SET a = foo(name)", UNKNOWN("foo")},
        {PK_EXPR_UPDATE, "SET a = list_append(name, :l) + :n", MISUSE("list_append")},
        {PK_EXPR_UPDATE, "SET a = :n SET name = :n", RESERVED("name")},
        {PK_EXPR_UPDATE, "SET a = foo(a) SET b = :n", UNKNOWN("foo")},
        {PK_EXPR_UPDATE, "SET a = :undef SET #u = :n",
         "The \"SET\" section can only be used once in an update expression;"},
        {PK_EXPR_UPDATE, "SET a = :undef, #u = :n", NO_NAME("#u")},
        {PK_EXPR_UPDATE, "SET a = :n, a = :undef", NO_VALUE(":undef")},
        {PK_EXPR_UPDATE, "SET m.x = :n, m[0] = :n, a = :n, a = :n",
         PATHS("overlap") "[a], path two: [a]"},
        {PK_EXPR_UPDATE, "SET a = a + :s, m.x = :n, m[0] = :n",
         PATHS("conflict") "[m, x], path two: [m, [0]]"},
        {PK_EXPR_PROJECTION, "a, a, name", RESERVED("name")},
        {PK_EXPR_PROJECTION, "a, a, #u", NO_NAME("#u")},
        {PK_EXPR_PROJECTION, "m.x, m[0], a, a", PATHS("overlap") "[a], path two: [a]"},
    };

    RUN(rows);
}

Test(expr_parse, updates)
{
    static const struct row rows[] = {
        {PK_EXPR_UPDATE, "SET a = a + :s", TYPE("+", "S")},
        {PK_EXPR_UPDATE, "SET a = :ns - a", TYPE("-", "NS")},
        {PK_EXPR_UPDATE, "SET a = if_not_exists(a, :s) + :n", ""},
        {PK_EXPR_UPDATE, "SET l = list_append(l, :n)", TYPE("list_append", "N")},
        {PK_EXPR_UPDATE, "SET l = list_append(l)", COUNT("list_append", "1")},
        {PK_EXPR_UPDATE, "SET zz = if_not_exists(zz)", COUNT("if_not_exists", "1")},
        {PK_EXPR_UPDATE, "SET zz = if_not_exists(:n, :n)", PATH("if_not_exists")},
        {PK_EXPR_UPDATE, "SET zz = foo(a)", UNKNOWN("foo")},
        {PK_EXPR_UPDATE, "SET zz = size(a)",
         "The function is not allowed in an update expression; function: size"},
        {PK_EXPR_UPDATE, "SET a = list_append(l, :l) + :n", MISUSE("list_append")},
        {PK_EXPR_UPDATE, "SET a = :n + list_append(l, :l)", MISUSE("list_append")},
        {PK_EXPR_UPDATE, "SET a = list_append(list_append(l, :l), :l)", MISUSE("list_append")},
        {PK_EXPR_UPDATE, "SET a = if_not_exists(a, list_append(l, :l))", MISUSE("list_append")},
        {PK_EXPR_UPDATE, "SET a = list_append(if_not_exists(a, :l), :l)", ""},
        {PK_EXPR_UPDATE, "SET a = if_not_exists(a, if_not_exists(b, :n)) - :n", ""},
        {PK_EXPR_UPDATE, "SET a = (a + :n)", ""},
        {PK_EXPR_UPDATE, "SET a = (a) + (:n)", ""},
        {PK_EXPR_UPDATE, "SET a = ((a) + :n)", ""},
        {PK_EXPR_UPDATE, "SET a = ((a + :n))", PARENS},
        {PK_EXPR_UPDATE, "SET a = ((:n))", PARENS},
        {PK_EXPR_UPDATE, "ADD a :s",
         "Incorrect operand type for operator or function; operator: ADD, operand type: STRING"},
        {PK_EXPR_UPDATE, "ADD a :l",
         "Incorrect operand type for operator or function; operator: ADD, operand type: LIST"},
        {PK_EXPR_UPDATE, "ADD a :t",
         "Incorrect operand type for operator or function; operator: ADD, operand type: BOOLEAN"},
        {PK_EXPR_UPDATE, "DELETE a :n",
         "Incorrect operand type for operator or function; operator: DELETE, "
         "operand type: NUMBER"},
        {PK_EXPR_UPDATE, "ADD a :n, m.q :ss DELETE b :ns", ""},
        {PK_EXPR_UPDATE, "REMOVE a REMOVE s",
         "The \"REMOVE\" section can only be used once in an update expression;"},
        {PK_EXPR_UPDATE, "add a :n Set b = :n add c :n",
         "The \"ADD\" section can only be used once in an update expression;"},
        {PK_EXPR_UPDATE, "SET a = :n, a = :n5", PATHS("overlap") "[a], path two: [a]"},
        {PK_EXPR_UPDATE, "SET m = :m, m.x = :n", PATHS("overlap") "[m], path two: [m, x]"},
        {PK_EXPR_UPDATE, "SET l[0] = :n REMOVE l", PATHS("overlap") "[l, [0]], path two: [l]"},
        {PK_EXPR_UPDATE, "SET a = :n ADD a :n", PATHS("overlap") "[a], path two: [a]"},
        {PK_EXPR_UPDATE, "SET m.x = :n, m[0] = :n", PATHS("conflict") "[m, x], path two: [m, [0]]"},
        {PK_EXPR_UPDATE, "SET a = b, b = a REMOVE l[0], l[1]", ""},
        {PK_EXPR_PROJECTION, "a,a", PATHS("overlap") "[a], path two: [a]"},
        {PK_EXPR_PROJECTION, "#a, a", PATHS("overlap") "[a], path two: [a]"},
        {PK_EXPR_PROJECTION, "m.x,m", PATHS("overlap") "[m, x], path two: [m]"},
        {PK_EXPR_PROJECTION, "l,l[0]", PATHS("overlap") "[l], path two: [l, [0]]"},
        {PK_EXPR_PROJECTION, "l[0],l.x", PATHS("conflict") "[l, [0]], path two: [l, x]"},
        {PK_EXPR_PROJECTION, "l[0].x, l[1][0], m.x, #x", ""},
    };

    RUN(rows);
}

/* Texts too long for a table: `unit` repeated, `rest` behind it. */
static void repeat(struct pk_buf *text, const char *unit, size_t times, const char *rest)
{
    pk_buf_clear(text);
    for (size_t i = 0; i < times; i++)
        pk_buf_add_cstr(text, unit);
    pk_buf_add_cstr(text, rest);
}

static void expect_message(enum pk_expr_use use, const struct pk_buf *text, const char *expected)
{
    struct expr_fixture fixture;
    const char *message;

    expr_fixture_init(&fixture, names, values);
    message = expr_fixture_message(&fixture, use, text->data);
    cr_expect_str_eq(message, expected, "%.40s…: %s", text->data, message);
    expr_fixture_release(&fixture);
}

Test(expr_parse, limits)
{
    static const char too_many[] = "Invalid ConditionExpression: The expression contains too many "
                                   "operators; operator count: 301";
    struct pk_buf text = PK_BUF_INIT;

    repeat(&text, " ", 4096 - 19, "attribute_exists(a)");
    expect_message(PK_EXPR_CONDITION, &text, "");
    repeat(&text, " ", 4097 - 19, "attribute_exists(a)");
    expect_message(PK_EXPR_CONDITION, &text,
                   "Invalid ConditionExpression: Expression size has exceeded the maximum allowed "
                   "size; expression size: 4097");
    repeat(&text, " ", 4097 - 8, "REMOVE a");
    expect_message(PK_EXPR_UPDATE, &text,
                   "Invalid UpdateExpression: Expression size has exceeded the maximum allowed "
                   "size;");
    repeat(&text, "a=:n or ", 149, "not a=:n");
    expect_message(PK_EXPR_CONDITION, &text, "");
    repeat(&text, "a=:n or ", 150, "a=:n");
    expect_message(PK_EXPR_CONDITION, &text, too_many);
    repeat(&text, "not ", 1000, "a=:n");
    expect_message(PK_EXPR_CONDITION, &text, too_many);
    repeat(&text, "a=:n or ", 150, "a=a");
    expect_message(PK_EXPR_CONDITION, &text, "Invalid ConditionExpression: " DISTINCT("=", "[a]"));
    repeat(&text, "", 0, "a in (:s");
    for (int i = 0; i < 99; i++)
        pk_buf_add_cstr(&text, ",:n");
    pk_buf_add_cstr(&text, ")");
    expect_message(PK_EXPR_CONDITION, &text, "");
    text.len--;
    pk_buf_add_cstr(&text, ",:n)");
    expect_message(PK_EXPR_CONDITION, &text,
                   "Invalid ConditionExpression: The IN operator is provided with too many "
                   "operands; number of operands: 101");
    pk_buf_release(&text);
}

/* Nesting that no stack should have to follow is a syntax error where it becomes too deep. */
Test(expr_parse, depth)
{
    struct pk_buf text = PK_BUF_INIT;

    repeat(&text, "(", 4000, "a");
    expect_message(PK_EXPR_CONDITION, &text, "Invalid ConditionExpression: " SYNTAX("(", "((("));
    repeat(&text, "size(", 800, "a");
    expect_message(PK_EXPR_CONDITION, &text,
                   "Invalid ConditionExpression: " SYNTAX("size", "(size("));
    pk_buf_clear(&text);
    pk_buf_add_cstr(&text, "SET a = ");
    for (int i = 0; i < 4000; i++)
        pk_buf_add_byte(&text, '(');
    expect_message(PK_EXPR_UPDATE, &text, "Invalid UpdateExpression: " SYNTAX("(", "((("));
    pk_buf_release(&text);
}

Test(expr_parse, spans_point_at_the_fault)
{
    static const struct {
        enum pk_expr_use use;
        const char *text;
        const char *fault;
    } rows[] = {
        {PK_EXPR_CONDITION, "a = :n and name = :n", "name"},
        {PK_EXPR_CONDITION, "a = :n and s = :nope", ":nope"},
        {PK_EXPR_CONDITION, "a = :n and m.x = m.x", "m.x = m.x"},
        {PK_EXPR_CONDITION, "a = :n and begins_with(s, :n)", "begins_with(s, :n)"},
        {PK_EXPR_CONDITION, "a = :n and ! b", "!"},
        {PK_EXPR_UPDATE, "SET a = :n, m.x = :n, m [ 0 ] = :n", "m [ 0 ]"},
        {PK_EXPR_UPDATE, "SET a = b + :s", "b + :s"},
        {PK_EXPR_KEY_CONDITION, "p = :s AND r <> :s", "r <> :s"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        pk_slice marked;

        expr_fixture_init(&fixture, names, values);
        expr_fixture_message(&fixture, rows[i].use, rows[i].text);
        marked = pk_slice_of(rows[i].text + fixture.err.span.start, fixture.err.span.len);
        cr_expect(pk_slice_is(marked, rows[i].fault), "%s: %.*s", rows[i].text, PK_FMT(marked));
        expr_fixture_release(&fixture);
    }
}

Test(expr_parse, unused_placeholders)
{
    static const struct {
        const char *text;
        const char *names;
        const char *values;
        const char *message;
    } rows[] = {
        {"#a = :n", "#a=a", "{n: 1}", ""},
        {"a = :n", "#u=x", "{n: 1}",
         "Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}"},
        {"a = :n", NULL, "{n: 1, u: 1}",
         "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"},
        {"a = :n", NULL, "{n: 1, u: 1, v: 1}",
         "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u, :v}"},
        {"a = :n", "#u=x #v=y", "{n: 1, u: 1}",
         "Value provided in ExpressionAttributeNames unused in expressions: keys: {#u, #v}"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        enum pk_code rc;

        expr_fixture_init(&fixture, rows[i].names, rows[i].values);
        expr_fixture_condition(&fixture, rows[i].text);
        rc = pk_expr_check_unused(&fixture.placeholders, &fixture.err);
        cr_expect_str_eq(rc == PK_OK ? "" : fixture.err.message, rows[i].message);
        expr_fixture_release(&fixture);
    }
}

/* NOT takes the nearest primary, AND binds tighter than OR, BETWEEN keeps its own AND. */
static void print_tree(struct pk_buf *out, const struct pk_node *node)
{
    if (node->op == PK_OP_PATH)
        pk_buf_add(out, node->path->steps[0].name);
    else if (node->op == PK_OP_VALUE)
        pk_buf_add_byte(out, ':');
    else
        pk_buf_printf(out, "(%s", pk_op_name(node->op));
    for (size_t i = 0; i < node->count; i++) {
        pk_buf_add_byte(out, ' ');
        print_tree(out, node->args[i]);
    }
    if (node->op != PK_OP_PATH && node->op != PK_OP_VALUE)
        pk_buf_add_byte(out, ')');
}

Test(expr_parse, trees)
{
    static const struct {
        const char *text;
        const char *tree;
    } rows[] = {
        {"not a = :n and s = :s", "(AND (NOT (= a :)) (= s :))"},
        {"a = :n or b = :n and c = :n", "(OR (= a :) (AND (= b :) (= c :)))"},
        {"(a = :n or b = :n) and c = :n", "(AND (OR (= a :) (= b :)) (= c :))"},
        {"a = :n and b = :n and c = :n", "(AND (= a :) (= b :) (= c :))"},
        {"a between :n and :hi and b = :n", "(AND (BETWEEN a : :) (= b :))"},
        {"not not contains(a, :n)", "(NOT (NOT (contains a :)))"},
        {"size(a) in (:n, b)", "(IN (size a) : b)"},
        {"(size(a)) >= (:n)", "(>= (size a) :)"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        struct pk_buf tree = PK_BUF_INIT;

        expr_fixture_init(&fixture, names, values);
        print_tree(&tree, expr_fixture_condition(&fixture, rows[i].text));
        cr_expect_str_eq(tree.data, rows[i].tree, "%s: %s", rows[i].text, tree.data);
        pk_buf_release(&tree);
        expr_fixture_release(&fixture);
    }
}

/* Trees built by hand get the same checks, without a prefix. */
Test(expr_parse, checks_of_built_trees)
{
    struct expr_fixture fixture;
    struct pk_arena *arena = &fixture.arena;
    struct pk_node *less;
    struct pk_node *both;
    struct pk_action actions[2];
    struct pk_update update = {actions, 2, false};

    expr_fixture_init(&fixture, NULL, NULL);
    less = pk_node_new(arena, PK_OP_LT, 2);
    less->args[0] = pk_node_path(arena, pk_path_name(arena, PK_LIT("x")));
    less->args[1] = pk_node_value(arena, value_text_view(arena, "true"));
    both = pk_node_and(arena, pk_node_new(arena, PK_OP_TRUE, 0), less);
    cr_assert_eq(pk_expr_check_condition(both, arena, &fixture.err), PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message, TYPE("<", "BOOL"));
    cr_expect_eq(pk_node_and(arena, NULL, less), less);
    cr_expect_eq(pk_node_and(arena, less, NULL), less);

    actions[0] = (struct pk_action){PK_ACTION_REMOVE, pk_path_name(arena, PK_LIT("a.b")), NULL};
    actions[1] = actions[0];
    cr_assert_eq(pk_expr_check_update(&update, arena, &fixture.err), PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message, PATHS("overlap") "[a.b], path two: [a.b]");
    expr_fixture_release(&fixture);
}

Test(expr_parse, reserved_words)
{
    static const char *const reserved[] = {"ABORT", "abort", "Zone", "YEAR",
                                           "name",  "size",  "SET",  "status"};
    static const char *const free_words[] = {
        "", "A", "ZZ", "remove", "artist", "pk", "sk", "AVERYLONGNAMETHATISNORESERVEDWORD"};

    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        cr_expect(pk_expr_reserved(pk_slice_cstr(reserved[i])), "%s", reserved[i]);
    for (size_t i = 0; i < sizeof(free_words) / sizeof(free_words[0]); i++)
        cr_expect_not(pk_expr_reserved(pk_slice_cstr(free_words[i])), "%s", free_words[i]);
}
