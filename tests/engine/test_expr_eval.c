/* Truth of conditions on one item (expressions.md §2 and §4). */
#include <criterion/criterion.h>

#include "tests/support/expr_fixture.h"
#include "tests/support/value_text.h"

static const char item[] =
    "{a: 5, s: 'hello', b: x'010203', bt: true, bf: false, nu: null, ss: <<'a', 'b'>>, "
    "ns: <<1, 2>>, bs: <<x'01', x'02'>>, l: [1, 'two', {x: 3}, <<'q'>>], "
    "m: {x: 1, y: ['q'], z: {w: true}}, e: '', u: '\xc3\xa9\xf0\x9d\x92\xb3', el: [], em: {}, "
    "big: 12345678901234567890123456789012345678}";
static const char values[] =
    "{n: 1, n2: 2, n5: 5, n3: 3, hi: 9, s: 'hello', h: 'h', el: 'el', e: '', t: true, z: null, "
    "l: [9], m: {x: 1, y: ['q'], z: {w: true}}, ss: <<'b', 'a'>>, b: x'0102', b2: x'0203', "
    "tS: 'S', tN: 'N', tSS: 'SS', tNULL: 'NULL', tM: 'M', q: 'q', b1: x'01', qq: <<'q'>>, "
    "map: {x: 3}, big: 12345678901234567890123456789012345678, n0: 0}";

static const struct {
    const char *text;
    bool truth;
} rows[] = {
    {"a = :n5", true},
    {"a = :n", false},
    {"a = :s", false},
    {"zz = :n", false},
    {"zz = yy", false},
    {"a <> :n5", false},
    {"a <> :n", true},
    {"a <> :s", true},
    {"zz <> :n", true},
    {"zz <> yy", true},
    {"ss = :ss", true},
    {"m = :m", true},
    {"l = :l", false},
    {"nu = :z", true},
    {"bt = :t", true},
    {"bf = :t", false},
    {":n = :n", true},
    {":n = :s", false},
    {"big = :big", true},
    {"big < :big", false},
    {"a < :hi", true},
    {"a < :n5", false},
    {"a <= :n5", true},
    {"a > :n5", false},
    {"a >= :n5", true},
    {"a > :s", false},
    {"a < :s", false},
    {"not a < :s", true},
    {"zz < yy", false},
    {"s < b", false},
    {"s > :h", true},
    {"b < :b2", true},
    {"b > :b", true},
    {"ss < a", false},
    {"m.x < a", true},
    {"a between :n and :hi", true},
    {"a between :n5 and :n5", true},
    {"a between :n and :n2", false},
    {":n3 between m.x and a", true},
    {"zz between :n and :hi", false},
    {"a between zz and :hi", false},
    {"s between :h and :s", true},
    {"a in (:n, :n5)", true},
    {"a in (:s, :t)", false},
    {"a in (:s, :n5)", true},
    {"zz in (:n)", false},
    {"l[0] in (a, m.x)", true},
    {"attribute_exists(a)", true},
    {"attribute_exists(nu)", true},
    {"attribute_exists(zz)", false},
    {"attribute_exists(m.z.w)", true},
    {"attribute_exists(m.q.r)", false},
    {"attribute_exists(l[3])", true},
    {"attribute_exists(l[4])", false},
    {"attribute_not_exists(a)", false},
    {"attribute_not_exists(zz)", true},
    {"attribute_not_exists(a.b)", true},
    {"attribute_type(s, :tS)", true},
    {"attribute_type(a, :tN)", true},
    {"attribute_type(a, :tS)", false},
    {"attribute_type(ss, :tSS)", true},
    {"attribute_type(nu, :tNULL)", true},
    {"attribute_type(m.z, :tM)", true},
    {"attribute_type(zz, :tS)", false},
    {"attribute_type(:n, :tN)", true},
    {"begins_with(s, :h)", true},
    {"begins_with(s, :e)", true},
    {"begins_with(s, :el)", false},
    {"begins_with(b, :b)", true},
    {"begins_with(b, :b2)", false},
    {"begins_with(s, :b)", false},
    {"begins_with(:s, s)", true},
    {"begins_with(a, :h)", false},
    {"begins_with(zz, :h)", false},
    {"begins_with(s, zz)", false},
    {"begins_with(ss, :h)", false},
    {"contains(s, :el)", true},
    {"contains(s, :e)", true},
    {"contains(s, :s)", true},
    {"contains(s, :q)", false},
    {"contains(s, :n)", false},
    {"contains(s, a)", false},
    {"contains(e, :e)", true},
    {"contains(e, :q)", false},
    {"contains(b, :b2)", true},
    {"contains(b, :s)", false},
    {"contains(ss, :ss)", false},
    {"contains(ss, :q)", false},
    {"contains(ns, :n2)", true},
    {"contains(ns, :n3)", false},
    {"contains(ns, :s)", false},
    {"contains(bs, :b1)", true},
    {"contains(l, :n)", true},
    {"contains(l, :map)", true},
    {"contains(l, :qq)", true},
    {"contains(l, :s)", false},
    {"contains(m, :q)", false},
    {"contains(m.y, :q)", true},
    {"contains(a, :n5)", false},
    {"contains(zz, :q)", false},
    {"contains(ss, zz)", false},
    {"contains(l, zz)", false},
    {"size(s) = :n5", true},
    {"size(u) = :n3", true},
    {"size(b) = :n3", true},
    {"size(ss) = :n2", true},
    {"size(l) > :n3", true},
    {"size(m) = :n3", true},
    {"size(el) = :n0", true},
    {"size(em) = :n0", true},
    {"size(e) = :n0", true},
    {"size(a) = :n", false},
    {"size(nu) = :n", false},
    {"size(zz) = :n", false},
    {"size(zz) <> :n", true},
    {"size(zz) >= :n0", false},
    {"size(s) = :s", false},
    {"size(s) = a", true},
    {"size(s) between :n and size(b)", false},
    {"size(b) between size(ss) and size(s)", true},
    {"size(b) in (:n2, size(m))", true},
    {"size(:s) = :n5", true},
    {"m.x = :n", true},
    {"l[0] = :n", true},
    {"l[2].x = :n3", true},
    {"m.y[0] = :q", true},
    {"m[0] = :n", false},
    {"l.x = :n", false},
    {"a.b = :n", false},
    {"s[0] = :h", false},
    {"l[999] = :n", false},
    {"#dot = :n", false},
    {"not zz = :n", true},
    {"not a = :n5", false},
    {"not not a = :n5", true},
    {"a = :n5 and s = :s", true},
    {"a = :n5 and s = :h", false},
    {"a = :n or s = :s", true},
    {"a = :n or s = :h", false},
    {"a = :n or a = :n5 and s = :h", false},
    {"a = :n5 or a = :n and s = :h", true},
    {"not a = :n and s = :h", false},
    {"not (a = :n and s = :h)", true},
};

Test(expr_eval, truth_table)
{
    struct expr_fixture fixture;
    pk_view stored;

    expr_fixture_init(&fixture, "#dot=m.x", values);
    stored = value_text_view(&fixture.arena, item);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pk_node *condition = expr_fixture_condition(&fixture, rows[i].text);

        cr_expect_eq(pk_expr_test(condition, stored), rows[i].truth, "%s", rows[i].text);
    }
    expr_fixture_release(&fixture);
}

/* An item that does not exist is tested as an empty one. */
Test(expr_eval, absent_item)
{
    static const struct {
        const char *text;
        bool truth;
    } cases[] = {
        {"attribute_not_exists(p)", true},
        {"attribute_exists(p)", false},
        {"p = :s", false},
        {"p <> :s", true},
        {"not p = :s", true},
        {"size(p) > :n0", false},
        {":n = :n", true},
    };
    struct expr_fixture fixture;

    expr_fixture_init(&fixture, NULL, values);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pk_node *condition = expr_fixture_condition(&fixture, cases[i].text);

        cr_expect_eq(pk_expr_test(condition, PK_VIEW_MISSING), cases[i].truth, "%s", cases[i].text);
    }
    expr_fixture_release(&fixture);
}

/* A path may lead through an attribute whose name holds dots, which no text can spell. */
Test(expr_eval, placeholder_is_one_name)
{
    struct expr_fixture fixture;
    pk_view stored;

    expr_fixture_init(&fixture, "#n=x.y", "{n: 1}");
    stored = value_text_view(&fixture.arena, "{x.y: 1, x: {y: 2}}");
    cr_expect(pk_expr_test(expr_fixture_condition(&fixture, "#n = :n"), stored));
    cr_expect_not(pk_expr_test(expr_fixture_condition(&fixture, "x.y = :n"), stored));
    expr_fixture_release(&fixture);
}

Test(expr_eval, constant)
{
    struct expr_fixture fixture;
    struct pk_node *negation;

    expr_fixture_init(&fixture, NULL, NULL);
    negation = pk_node_new(&fixture.arena, PK_OP_NOT, 1);
    negation->args[0] = pk_node_new(&fixture.arena, PK_OP_TRUE, 0);
    cr_expect(pk_expr_test(negation->args[0], PK_VIEW_MISSING));
    cr_expect_not(pk_expr_test(negation, PK_VIEW_MISSING));
    expr_fixture_release(&fixture);
}
