/* The parser of PartiQL: every reason of partiql.md §1, hints, trees, limits. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "commands/partiql/partiql_parse.h"

#define MALFORMED "Statement wasn't well formed, can't be processed: "

static const struct {
    const char *text;
    const char *reason;
    const char *where; /* the text the error points to */
} faults[] = {
    /* the table of partiql.md §1 */
    {"SELECT * FROM t WHERE pk = 1 foo", "Unexpected token after expression", "foo"},
    {"SELECT * FROM t WHERE pk = 1 e5", "Unexpected token after expression", "e5"},
    {"SELECT * FROM t WHERE pk = 1)", "Unexpected token after expression", ")"},
    {"INSERT INTO t AS x VALUE {'pk':1}", "Unexpected token after expression", "AS"},
    {"INSERT INTO t x VALUE {'pk':1}", "Unexpected token after expression", "x"},
    {"INSERT INTO t VALUE {'pk':1} AS x", "Unexpected token after expression", "AS"},
    {"DELETE FROM t WHERE pk=1 ORDER BY pk", "Unexpected token after expression", "ORDER"},
    {"SELECT * FROM t ORDER BY pk WHERE pk=1", "Unexpected token after expression", "WHERE"},
    {"FROM t SET a=1 WHERE pk=1", "Unexpected token after expression", "WHERE"},
    {"SELECT * FROM t; SELECT", "Unexpected token after expression", "SELECT"},
    {"SELECT * FROM t WHERE", "Unexpected term", "WHERE"},
    {"UPDATE t SET a=1 WHERE", "Unexpected term", "WHERE"},
    {"DELETE FROM t WHERE", "Unexpected term", "WHERE"},
    {"SELECT * FROM t WHERE;", "Unexpected term", ";"},
    {"SELECT * FROM t WHERE NOT", "Unexpected term", "NOT"},
    {"SELECT * FROM t WHERE (", "Unexpected term", "("},
    {"SELECT * FROM", "Unexpected term", "FROM"},
    {"SELECT * FROM t WHERE a=1 AND", "Missing right-hand side expression of infix operator",
     "AND"},
    {"SELECT * FROM t WHERE a=1 OR", "Missing right-hand side expression of infix operator", "OR"},
    {"SELECT * FROM t WHERE ORDER BY pk", "Unexpected keyword", "ORDER"},
    {"SELECT * FROM t WHERE IS NULL", "Unexpected operator", "IS"},
    {"SELECT * FROM t WHERE pk = LIKE", "Unexpected operator", "LIKE"},
    {"SELECT * FROM t WHERE x IS FOO", "Expected type name", "FOO"},
    {"DELETE FROM", "Expected identifier for simple path", "FROM"},
    {"DELETE FROM;", "Expected identifier for simple path", ";"},
    {"DELETE FROM WHERE pk=1", "Expected identifier for simple path", "WHERE"},
    {"SELECT m.inner FROM t", "Invalid path dot component", "inner"},
    {"SLECT * FROM t", "Expected data manipulation", "SLECT"},
    {"FROM t WHERE pk=1", "Expected data manipulation", "1"},
    /* no reason given */
    {"SELECT *", "", "*"},
    {"SELECT a b c FROM t", "", "c"},
    {"INSERT INTO t VALUES {'p':'n'}", "", "VALUES"},
    {"INSERT INTO t", "", "t"},
    {"INSERT t VALUE {}", "", "t"},
    {"UPDATE t ADD v 1 WHERE p='k'", "", "ADD"},
    {"UPDATE t SET 'v' = 3 WHERE p='k'", "", "'v'"},
    {"UPDATE t SET v WHERE p='k'", "", "WHERE"},
    {"UPDATE t REMOVE s, v WHERE p='k'", "Unexpected token after expression", ","},
    {"UPDATE t SET v=1 WHERE p='k' RETURNING NEW *", "", "NEW"},
    {"DELETE t WHERE p='k'", "", "t"},
    {"SELECT * FROM t WHERE (a = 1", "", "1"},
    {"SELECT * FROM t WHERE a IN [1, 2", "", "2"},
    {"SELECT * FROM t WHERE a BETWEEN 1", "", "1"},
    {"SELECT l[x] FROM t", "", "x"},
    {"SELECT l[1.5] FROM t", "", "1.5"},
    {"SELECT l[0 FROM t", "", "FROM"},
    {"INSERT INTO t VALUE {'a' 1}", "", "1"},
    {"INSERT INTO t VALUE {'a': }", "Unexpected term", "}"},
    {"SELECT date FROM t", "Unexpected keyword", "date"},
    {"SELECT a, FROM t", "Unexpected keyword", "FROM"},
    {"SELECT * FROM t WHERE a = = 1", "Unexpected operator", "="},
    {"SELECT * FROM t WHERE a = ", "Missing right-hand side expression of infix operator", "="},
    {"SELECT * FROM table", "Unexpected keyword", "table"},
    {"INSERT INTO t VALUE {} IF NOT EXISTS", "Unexpected token after expression", "IF"},
    {"", "Unexpected term", ""},
    {";", "Unexpected term", ";"},
};

Test(partiql_parse, faults)
{
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_statement *statement = NULL;
        pk_slice text = pk_slice_cstr(faults[i].text);
        char message[200];

        snprintf(message, sizeof(message), MALFORMED "%s", faults[i].reason);
        cr_assert_eq(partiql_parse(text, &arena, &statement, &err), PK_E_VALIDATION, "%s",
                     faults[i].text);
        cr_expect_str_eq(err.message, message, "%s: %s", faults[i].text, err.message);
        cr_expect(
            pk_slice_is(pk_slice_of(text.data + err.span.start, err.span.len), faults[i].where),
            "%s: at %u+%u", faults[i].text, err.span.start, err.span.len);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

Test(partiql_parse, returning_without_star)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct partiql_statement *statement = NULL;

    cr_assert_eq(partiql_parse(PK_LIT("DELETE FROM t WHERE a=1 RETURNING ALL OLD a"), &arena,
                               &statement, &err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(err.message,
                     "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause");
    pk_error_release(&err);
    pk_arena_release(&arena);
}

Test(partiql_parse, hints)
{
    static const struct {
        const char *text;
        const char *hint;
    } cases[] = {
        {"SELECT date FROM t",
         "date is a keyword; an attribute or table of that name is written \"date\""},
        {"UPDATE t SET date = 1 WHERE a=1",
         "date is a keyword; an attribute or table of that name is written \"date\""},
        {"INSERT INTO t VALUES {'a':1}",
         "one item at a time: INSERT INTO table VALUE {'name': value}"},
        {"SELECT * FROM t WHERE name = = 'x'", "expected a value or a name"},
        {"SLECT", NULL},
        {"SLECT * FROM t", "a statement begins with SELECT, INSERT, UPDATE or DELETE"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_statement *statement = NULL;
        enum pk_code rc = partiql_parse(pk_slice_cstr(cases[i].text), &arena, &statement, &err);

        if (cases[i].hint == NULL)
            cr_expect_eq(rc, PK_OK, "%s", cases[i].text);
        else
            cr_expect_str_eq(err.hint, cases[i].hint, "%s: %s", cases[i].text, err.hint);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

/* --- trees ----------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [PQ_PATH] = "path", [PQ_STRING] = "str",      [PQ_NUMBER] = "num",
    [PQ_BOOL] = "bool", [PQ_NULL] = "null",       [PQ_MISSING] = "missing",
    [PQ_PARAM] = "?",   [PQ_ION] = "ion",         [PQ_LIST] = "list",
    [PQ_BAG] = "bag",   [PQ_STRUCT] = "map",      [PQ_CALL] = "call",
    [PQ_STAR] = "*",    [PQ_NOT] = "not",         [PQ_AND] = "and",
    [PQ_OR] = "or",     [PQ_COMPARE] = "cmp",     [PQ_ARITHMETIC] = "arith",
    [PQ_LIKE] = "like", [PQ_BETWEEN] = "between", [PQ_IN] = "in",
    [PQ_IS] = "is",
};

static void print_tree(struct pk_buf *out, const struct partiql_node *node)
{
    if (node->negated)
        pk_buf_add_byte(out, '!');
    pk_buf_add_cstr(out, kind_names[node->kind]);
    if (node->kind == PQ_NUMBER || node->kind == PQ_STRING || node->kind == PQ_CALL ||
        node->kind == PQ_IS)
        pk_buf_printf(out, ":%.*s", PK_FMT(node->text));
    for (size_t i = 0; i < node->step_count; i++) {
        const struct partiql_step *step = &node->steps[i];

        if (step->name.data == NULL)
            pk_buf_printf(out, "[%s%.*s]", step->negative ? "-" : "", PK_FMT(step->index));
        else
            pk_buf_printf(out, "%c%.*s", i == 0 ? ':' : '.', PK_FMT(step->name));
    }
    if (node->count == 0)
        return;
    pk_buf_add_byte(out, '(');
    for (size_t i = 0; i < node->count; i++) {
        if (i > 0)
            pk_buf_add_byte(out, ' ');
        print_tree(out, node->args[i]);
    }
    pk_buf_add_byte(out, ')');
}

Test(partiql_parse, conditions)
{
    static const struct {
        const char *text;
        const char *tree;
    } cases[] = {
        {"a = 1", "cmp(path:a num:1)"},
        {"a = -1", "cmp(path:a num:-1)"},
        {"a = +1", "cmp(path:a num:1)"},
        {"a = 1 AND b = 2 AND c = 3", "and(cmp(path:a num:1) cmp(path:b num:2) cmp(path:c num:3))"},
        {"a = 1 OR b = 2 AND c = 3",
         "or(cmp(path:a num:1) and(cmp(path:b num:2) cmp(path:c num:3)))"},
        {"(a = 1 OR b = 2) AND c = 3",
         "and(or(cmp(path:a num:1) cmp(path:b num:2)) cmp(path:c num:3))"},
        {"NOT a = 1 AND b = 2", "and(not(cmp(path:a num:1)) cmp(path:b num:2))"},
        {"NOT NOT a = 1", "not(not(cmp(path:a num:1)))"},
        {"a BETWEEN 1 AND 2 AND b = 3", "and(between(path:a num:1 num:2) cmp(path:b num:3))"},
        {"a NOT BETWEEN 1 AND 2", "!between(path:a num:1 num:2)"},
        {"a IN [1, 2]", "in(path:a list(num:1 num:2))"},
        {"a IN (1)", "in(path:a list(num:1))"},
        {"a IN ()", "in(path:a list)"},
        {"a NOT IN <<'x'>>", "!in(path:a bag(str:x))"},
        {"a IS MISSING", "is:MISSING(path:a)"},
        {"a IS NOT NULL", "!is:NULL(path:a)"},
        {"a IS INT4", "is:INTEGER4(path:a)"},
        {"a IS DOUBLE PRECISION", "is:DOUBLE_PRECISION(path:a)"},
        {"a IS CHARACTER VARYING", "is:CHARACTER_VARYING(path:a)"},
        {"a = ? AND b = ?", "and(cmp(path:a ?) cmp(path:b ?))"},
        {"Begins_With(a.b[0], 'x')", "call:begins_with(path:a.b[0] str:x)"},
        {"attribute_exists(a) = true", "cmp(call:attribute_exists(path:a) bool)"},
        {"size(a) > 3", "cmp(call:size(path:a) num:3)"},
        {"a = 1 + 2 * 3", "cmp(path:a arith(num:1 arith(num:2 num:3)))"},
        {"a - 1 = 2", "cmp(arith(path:a num:1) num:2)"},
        {"a LIKE 'x'", "like(path:a str:x)"},
        {"a = (1, 2)", "cmp(path:a list(num:1 num:2))"},
        {"a = ((1))", "cmp(path:a num:1)"},
        {"a = {'k': [true, NULL], 'l': <<1>>}",
         "cmp(path:a map(str:k list(bool null) str:l bag(num:1)))"},
        {"m['k.d'].x[\"y\"] = 1", "cmp(path:m.k.d.x.y num:1)"},
        {"l[-1] = 1", "cmp(path:l[-1] num:1)"},
        {"foo() = 1", "cmp(call:foo num:1)"},
        {"EXISTS(a)", "call:exists(path:a)"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_statement *statement = NULL;
        struct pk_buf tree = PK_BUF_INIT;
        pk_slice text = pk_arena_printf(&arena, "SELECT * FROM t WHERE %s;", cases[i].text);

        cr_assert_eq(partiql_parse(text, &arena, &statement, &err), PK_OK, "%s: %s", cases[i].text,
                     err.message);
        print_tree(&tree, statement->where);
        cr_expect_str_eq(tree.data, cases[i].tree, "%s: %s", cases[i].text, tree.data);
        cr_expect_eq(statement->where->span.start, 22, "%s", cases[i].text);
        cr_expect_eq(statement->where->span.len, strlen(cases[i].text), "%s: %u", cases[i].text,
                     statement->where->span.len);
        pk_buf_release(&tree);
    }
    pk_arena_release(&arena);
}

/* One line about a statement. */
static void print_statement(struct pk_buf *out, const struct partiql_statement *statement)
{
    static const char *const kinds[] = {"select", "insert",     "update", "delete",
                                        "exists", "not exists", "other"};

    pk_buf_printf(out, "%s %.*s", kinds[statement->kind], PK_FMT(statement->source.table));
    if (statement->source.index.data != NULL)
        pk_buf_printf(out, ".%.*s", PK_FMT(statement->source.index));
    for (size_t i = 0; i < statement->item_count; i++) {
        pk_buf_add_byte(out, ' ');
        print_tree(out, statement->items[i]);
    }
    for (size_t i = 0; i < statement->clause_count; i++) {
        const struct partiql_clause *clause = &statement->clauses[i];

        pk_buf_add_cstr(out, clause->value == NULL ? " remove " : " set ");
        print_tree(out, clause->path);
        if (clause->value != NULL) {
            pk_buf_add_byte(out, '=');
            print_tree(out, clause->value);
        }
    }
    if (statement->value != NULL) {
        pk_buf_add_byte(out, ' ');
        print_tree(out, statement->value);
    }
    if (statement->where != NULL)
        pk_buf_add_cstr(out, " where");
    for (size_t i = 0; i < statement->order_count; i++) {
        pk_buf_add_cstr(out, statement->orders[i].descending ? " desc " : " asc ");
        print_tree(out, statement->orders[i].path);
    }
    if (statement->returning.given)
        pk_buf_printf(out, " %s %s", statement->returning.all ? "all" : "modified",
                      statement->returning.fresh ? "new" : "old");
    if (statement->unsupported.message.data != NULL)
        pk_buf_printf(out, " [%.*s]", PK_FMT(statement->unsupported.message));
}

Test(partiql_parse, statements)
{
    static const struct {
        const char *text;
        const char *summary;
    } cases[] = {
        {"SELECT * FROM t", "select t"},
        {"select a, (b.c) from \"T-1\".\"i.x\" ;", "select T-1.i.x path:a path:b.c"},
        {"SELECT * FROM tbl.idx WHERE a=1 ORDER BY b DESC, c ASC, d",
         "select tbl.idx where desc path:b asc path:c asc path:d"},
        {"INSERT INTO t VALUE {'pk':'n'}", "insert t map(str:pk str:n)"},
        {"UPDATE t SET a = b + 1 SET c = list_append(c, [1]), d = 'x' REMOVE e[0] REMOVE f WHERE "
         "p=1 RETURNING MODIFIED NEW *",
         "update t set path:a=arith(path:b num:1) set path:c=call:list_append(path:c list(num:1)) "
         "set path:d=str:x remove path:e[0] remove path:f where modified new"},
        {"FROM t WHERE p=1 SET a=1 REMOVE b RETURNING ALL OLD *",
         "update t set path:a=num:1 remove path:b where all old"},
        {"DELETE FROM t WHERE p=1 RETURNING ALL OLD *", "delete t where all old"},
        {"EXISTS(SELECT * FROM t WHERE p=1)", "exists t where"},
        {"NOT EXISTS(SELECT * FROM t WHERE p=1)", "not exists t where"},
        /* understood and refused later */
        {"SELECT a AS b FROM t", "select t path:a [Aliasing is not supported]"},
        {"SELECT a b FROM t", "select t path:a [Aliasing is not supported]"},
        {"SELECT * FROM t AS x WHERE a=1", "select t where [Aliasing is not supported]"},
        {"SELECT * FROM t x", "select t [Aliasing is not supported]"},
        {"UPDATE t x SET a=1 WHERE p=1", "update t set path:a=num:1 where [Aliasing is not "
                                         "supported]"},
        {"DELETE FROM t x WHERE p=1", "delete t where [Aliasing is not supported]"},
        {"SELECT * FROM t WHERE a=1 LIMIT 5",
         "select t where [Unsupported clause: LIMIT at 1:33:1]"},
        {"SELECT * FROM t WHERE a=1 GROUP BY b", "select t where [Unsupported clause: GROUP BY]"},
        {"SELECT * FROM t WHERE a=1 HAVING b = 1",
         "select t where [Unsupported clause: HAVING at 1:36:1]"},
        {"SELECT DISTINCT a FROM t", "select t path:a [Unsupported token in expression: DISTINCT]"},
        {"SELECT VALUE a FROM t",
         "select t path:a [Select projection doesn't support value or pivot keywords]"},
        {"SELECT * FROM a, b", "select a [Only select from a single table or index is supported.]"},
        {"SELECT * FROM a JOIN b ON a.x = b.x",
         "select a [Only select from a single table or index is supported.]"},
        {"SELECT * FROM a LEFT OUTER JOIN b ON a.x = b.x",
         "select a [Only select from a single table or index is supported.]"},
        {"SELECT * FROM 'tbl'", "select  [Unexpected from source]"},
        {"INSERT INTO t VALUE {} RETURNING ALL OLD *",
         "insert t map all old [RETURNING is not supported in INSERT]"},
        {"CREATE TABLE x", "other  [Unsupported operation: CreateTable]"},
        {"DROP TABLE x", "other  [Unsupported operation: DropTable]"},
        {"EXEC x", "other  [Unsupported operation: Exec]"},
        {"hello", "other  [Unsupported operation: VariableReference]"},
        {"x IS INT4", "other  [Unsupported operation: IsType]"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_statement *statement = NULL;
        struct pk_buf summary = PK_BUF_INIT;

        cr_assert_eq(partiql_parse(pk_slice_cstr(cases[i].text), &arena, &statement, &err), PK_OK,
                     "%s: %s", cases[i].text, err.message);
        print_statement(&summary, statement);
        cr_expect_str_eq(summary.data, cases[i].summary, "%s: %s", cases[i].text, summary.data);
        pk_buf_release(&summary);
    }
    pk_arena_release(&arena);
}

/* Opens n times, holds 1, closes n times. */
static pk_slice nest(struct pk_arena *arena, const char *open, size_t n, const char *close)
{
    struct pk_buf text = PK_BUF_INIT;
    pk_slice copy;

    pk_buf_add_cstr(&text, "SELECT * FROM t WHERE a = ");
    for (size_t i = 0; i < n; i++)
        pk_buf_add_cstr(&text, open);
    pk_buf_add_byte(&text, '1');
    for (size_t i = 0; i < n; i++)
        pk_buf_add_cstr(&text, close);
    copy = pk_arena_dup(arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    return copy;
}

Test(partiql_parse, depth_is_limited)
{
    static const struct {
        const char *open, *close;
        size_t good, bad;
    } cases[] = {
        {"(", ")", 200, 4000}, {"[", "]", 200, 4000},     {"NOT ", "", 200, 1000},
        {"- ", "", 200, 3000}, {"{'a':", "}", 100, 1000}, {"f(", ")", 200, 2000},
        {"1+", "", 200, 3000}, {"1=", "", 200, 3000},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_statement *statement = NULL;
        pk_slice good = nest(&arena, cases[i].open, cases[i].good, cases[i].close);
        pk_slice bad = nest(&arena, cases[i].open, cases[i].bad, cases[i].close);

        if (cases[i].open[0] != 'N')
            cr_expect_eq(partiql_parse(good, &arena, &statement, &err), PK_OK, "%s", cases[i].open);
        cr_expect_eq(partiql_parse(bad, &arena, &statement, &err), PK_E_VALIDATION, "%s",
                     cases[i].open);
        cr_expect_str_eq(err.message, MALFORMED);
        cr_expect_str_eq(err.hint, "the statement is nested too deeply", "%s: %s", cases[i].open,
                         err.hint);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

/* Any prefix of a statement, and any statement with one byte changed, gives an answer. */
Test(partiql_parse, damaged_statements_end)
{
    static const char text[] = "SELECT a.b[0], \"c\" FROM \"t\".\"i\" WHERE pk IN ['x', ?] AND NOT "
                               "(b BETWEEN -1 AND 2.5e3) OR size(c) >= <<1>> ORDER BY d DESC;";
    static const char bytes[] = "'\"`?()[]{}<>,.;:=-+*/#1aA \n\x80";

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        for (size_t b = 0; b < sizeof(bytes); b++) {
            struct pk_arena arena = PK_ARENA_INIT;
            struct pk_error err = PK_ERROR_INIT;
            struct partiql_statement *statement = NULL;
            char copy[sizeof(text)];
            size_t len = b == 0 ? i : sizeof(text) - 1;
            enum pk_code rc;

            memcpy(copy, text, sizeof(text));
            copy[i] = bytes[b];
            rc = partiql_parse(pk_slice_of(copy, len), &arena, &statement, &err);
            cr_assert(rc == PK_OK ? statement != NULL
                                  : err.message != NULL && err.span.start <= sizeof(text));
            pk_error_release(&err);
            pk_arena_release(&arena);
        }
    }
}
