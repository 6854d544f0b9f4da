/* Key conditions: shape, binding to a schema, and what each check says (expressions.md §6,
 * data-model.md §9). */
#include <criterion/criterion.h>

#include "engine/expr/expr_keycond.h"
#include "tests/support/expr_fixture.h"
#include "tests/support/value_text.h"

#define SHAPE "Invalid condition in KeyConditionExpression: "

static const char values[] = "{k: 'k', n: 1, n3: 3, sa: 'a', t: true, e: '', b: x'01', eb: x''}";

Test(expr_keycond, shape)
{
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"p = :k", ""},
        {":k = p AND :n < r", ""},
        {"(p = :k) AND (begins_with(r, :sa))", ""},
        {"r BETWEEN :n AND :n3 AND p = :k", ""},
        {"p = :k OR r = :n", "Invalid operator used in KeyConditionExpression: OR"},
        {"NOT p = :k", "Invalid operator used in KeyConditionExpression: NOT"},
        {"p = :k AND NOT r = :n", "Invalid operator used in KeyConditionExpression: NOT"},
        {"p = :k AND r IN (:n)", "Invalid operator used in KeyConditionExpression: IN"},
        {"p <> :k", "Invalid operator used in KeyConditionExpression: <>"},
        {"p = :k AND contains(r, :n)", "Invalid operator used in KeyConditionExpression: contains"},
        {"p = :k AND attribute_exists(r)",
         "Invalid operator used in KeyConditionExpression: attribute_exists"},
        {"p = :k AND attribute_not_exists(r)",
         "Invalid operator used in KeyConditionExpression: attribute_not_exists"},
        {"p = :k AND size(r) = :n", "KeyConditionExpressions cannot contain nested operations"},
        {":n BETWEEN r AND r AND p = :k",
         SHAPE "BETWEEN operator must have the key attribute as its first operand"},
        {"begins_with(:sa, r) AND p = :k",
         SHAPE "begins_with operator must have the key attribute as its first operand"},
        {"p = r", SHAPE "Multiple attribute names used in one condition"},
        {"p = :k AND r BETWEEN :n AND q", SHAPE "Multiple attribute names used in one condition"},
        {":k = :k", SHAPE "No key attribute specified"},
        {"p = :k AND m.x = :n",
         "KeyConditionExpressions cannot have conditions on nested attributes"},
        {"p = :k AND p = :k",
         "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition "
         "per key"},
        {"p = :k AND r > :n AND r < :n3",
         "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition "
         "per key"},
        {"p = :undef",
         "Invalid KeyConditionExpression: An expression attribute value used in expression is not "
         "defined; attribute value: :undef"},
        {"p = :k AND r < :t",
         "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
         "operator or function: <, operand type: BOOL"},
        {"p = :k AND r BETWEEN :n3 AND :n",
         "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater "
         "than or equal to lower bound; lower bound operand: AttributeValue: {N:3}, upper bound "
         "operand: AttributeValue: {N:1}"},
        {"((p = :k))", "Invalid KeyConditionExpression: The expression has redundant parentheses;"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        const char *message;

        expr_fixture_init(&fixture, NULL, values);
        message = expr_fixture_message(&fixture, PK_EXPR_KEY_CONDITION, rows[i].text);
        cr_expect_str_eq(message, rows[i].message, "%s: %s", rows[i].text, message);
        expr_fixture_release(&fixture);
    }
}

static const struct pk_key_schema hash_only = {.hash = {{{"p", 1}, PK_STRING}}, .hash_count = 1};
static const struct pk_key_schema simple = {.hash = {{{"p", 1}, PK_STRING}},
                                            .range = {{{"r", 1}, PK_NUMBER}},
                                            .hash_count = 1,
                                            .range_count = 1};
static const struct pk_key_schema strings = {.hash = {{{"p", 1}, PK_STRING}},
                                             .range = {{{"r", 1}, PK_STRING}},
                                             .hash_count = 1,
                                             .range_count = 1};
static const struct pk_key_schema binaries = {.hash = {{{"p", 1}, PK_BINARY}},
                                              .range = {{{"r", 1}, PK_BINARY}},
                                              .hash_count = 1,
                                              .range_count = 1};
static const struct pk_key_schema multi = {
    .hash = {{{"h", 1}, PK_STRING}, {{"i", 1}, PK_NUMBER}},
    .range = {{{"a", 1}, PK_STRING}, {{"b", 1}, PK_STRING}, {{"c", 1}, PK_NUMBER}},
    .hash_count = 2,
    .range_count = 3};

/* "hash… | equal… | op values", or the message. */
static const char *bind(struct expr_fixture *fixture, const struct pk_key_schema *key,
                        const char *text, bool legacy)
{
    struct pk_key_terms terms = expr_fixture_key_terms(fixture, text);
    struct pk_arena *arena = &fixture->arena;
    struct pk_buf out = PK_BUF_INIT;
    struct pk_key_range range;
    pk_slice copy;

    if (pk_keycond_bind(&terms, key, legacy, arena, &range, &fixture->err) != PK_OK)
        return fixture->err.message;
    for (size_t i = 0; i < key->hash_count; i++)
        pk_buf_printf(&out, "%s ", value_text_print(arena, range.hash[i]));
    pk_buf_add_cstr(&out, "|");
    for (size_t i = 0; i < range.equal_count; i++)
        pk_buf_printf(&out, " %s", value_text_print(arena, range.equal[i]));
    if (range.bounded)
        pk_buf_printf(&out, " | %s %s", pk_op_name(range.op),
                      value_text_print(arena, range.values[0]));
    if (range.bounded && range.op == PK_OP_BETWEEN)
        pk_buf_printf(&out, " %s", value_text_print(arena, range.values[1]));
    copy = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return copy.data;
}

#define MISSED(name) "Query condition missed key schema element: " name
#define UNSUPPORTED  "Query key condition not supported"
#define TYPE_MISMATCH                                                                              \
    "One or more parameter values were invalid: Condition parameter type does not match schema "   \
    "type"
#define EMPTY(what, name)                                                                          \
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "   \
    "contain an empty " what " value. Key: " name
#define GAP(missing, present)                                                                      \
    "RANGE key attributes " missing " must have equality conditions specified in the query "       \
    "because a condition is present on key attribute " present

Test(expr_keycond, binding)
{
    static const struct {
        const struct pk_key_schema *key;
        const char *text;
        const char *result;
    } rows[] = {
        {&hash_only, "p = :k", "'k' |"},
        {&simple, "p = :k", "'k' |"},
        {&simple, "r = :n AND p = :k", "'k' | 1"},
        {&simple, "p = :k AND r < :n", "'k' | | < 1"},
        {&simple, "p = :k AND :n > r", "'k' | | < 1"},
        {&simple, "p = :k AND :n <= r", "'k' | | >= 1"},
        {&simple, "p = :k AND :n < r", "'k' | | > 1"},
        {&simple, "p = :k AND :n >= r", "'k' | | <= 1"},
        {&simple, "p = :k AND r BETWEEN :n AND :n3", "'k' | | BETWEEN 1 3"},
        {&strings, "p = :k AND begins_with(r, :sa)", "'k' | | begins_with 'a'"},
        {&simple, "p > :k", UNSUPPORTED},
        {&simple, "begins_with(p, :k)", UNSUPPORTED},
        {&simple, "p BETWEEN :k AND :k", UNSUPPORTED},
        {&hash_only, "p = :k AND r = :n", UNSUPPORTED},
        {&simple, "r = :n", MISSED("p")},
        {&hash_only, "q = :k", MISSED("p")},
        {&simple, "p = :k AND q = :n", MISSED("r")},
        {&simple, "p = :k AND r = :n AND q = :n",
         "The number of query conditions (3) exceeds the number of key attributes defined in the "
         "schema (2)"},
        {&simple, "p = :n", TYPE_MISMATCH},
        {&simple, "p = :k AND r = :sa", TYPE_MISMATCH},
        {&simple, "p = :k AND r = :t", TYPE_MISMATCH},
        {&simple, "p = :k AND begins_with(r, :sa)", TYPE_MISMATCH},
        {&strings, "p = :e", EMPTY("string", "p")},
        {&strings, "p = :k AND r >= :e", EMPTY("string", "r")},
        {&strings, "p = :k AND r BETWEEN :e AND :k", EMPTY("string", "r")},
        {&binaries, "p = :eb", EMPTY("binary", "p")},
        {&binaries, "p = :b AND r = :eb", EMPTY("binary", "r")},
        {&multi, "h = :k AND i = :n", "'k' 1 |"},
        {&multi, "b = :sa AND a = :k AND i = :n AND h = :k", "'k' 1 | 'k' 'a'"},
        {&multi, "h = :k AND i = :n AND a = :k AND b = :sa AND c >= :n", "'k' 1 | 'k' 'a' | >= 1"},
        {&multi, "h = :k AND i = :n AND begins_with(a, :sa)", "'k' 1 | | begins_with 'a'"},
        {&multi, "h = :k", MISSED("i")},
        {&multi, "h = :k AND i > :n", UNSUPPORTED},
        {&multi, "h = :k AND i = :n AND b = :sa", GAP("a", "b")},
        {&multi, "h = :k AND i = :n AND a = :k AND c = :n", GAP("b", "c")},
        {&multi, "h = :k AND i = :n AND c = :n", GAP("a, b", "c")},
        {&multi, "h = :k AND i = :n AND a > :k AND b = :sa", GAP("a", "b")},
        {&multi, "h = :k AND i = :n AND a = :n", TYPE_MISMATCH},
        {&multi, "h = :k AND i = :n AND q = :n", MISSED("a")},
        {&multi, "h = :k AND i = :n AND a = :k AND b = :sa AND c = :n AND q = :n",
         "The number of query conditions (6) exceeds the number of key attributes defined in the "
         "schema (5)"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        const char *result;

        expr_fixture_init(&fixture, NULL, values);
        result = bind(&fixture, rows[i].key, rows[i].text, false);
        cr_expect_str_eq(result, rows[i].result, "%s: %s", rows[i].text, result);
        expr_fixture_release(&fixture);
    }
}

Test(expr_keycond, legacy)
{
    struct expr_fixture fixture;
    struct pk_key_terms none = {NULL, 0};
    struct pk_key_terms terms;
    struct pk_key_range range;

    expr_fixture_init(&fixture, NULL, values);
    cr_expect_str_eq(bind(&fixture, &simple, "p = :k AND r = :n AND q = :n", true),
                     "Conditions can be of length 1 or 2 only");
    cr_expect_str_eq(bind(&fixture, &multi, "h = :k AND i = :n AND a = :k", true), "'k' 1 | 'k'");
    cr_assert_eq(pk_keycond_bind(&none, &simple, true, &fixture.arena, &range, &fixture.err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message, "Conditions can be of length 1 or 2 only");
    terms = expr_fixture_key_terms(&fixture, "p = :k AND r = :n");
    terms.terms[1].op = PK_OP_NE;
    cr_assert_eq(pk_keycond_bind(&terms, &simple, true, &fixture.arena, &range, &fixture.err),
                 PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message,
                     "Attempted conditional constraint is not an indexable operation");
    expr_fixture_release(&fixture);
}

/* A string of `len` bytes in place of a term's value. */
static enum pk_code bind_sized(struct expr_fixture *fixture, size_t term, size_t len)
{
    struct pk_key_terms terms = expr_fixture_key_terms(fixture, "p = :k AND r = :sa");
    struct pk_key_range range;
    char *bytes = pk_arena_calloc(&fixture->arena, len, 1);

    memset(bytes, 'x', len);
    terms.terms[term].values[0] =
        pk_view_of(&fixture->arena, pk_value_string(pk_slice_of(bytes, len)));
    return pk_keycond_bind(&terms, &strings, false, &fixture->arena, &range, &fixture->err);
}

Test(expr_keycond, sizes)
{
    struct expr_fixture fixture;

    expr_fixture_init(&fixture, NULL, values);
    cr_expect_eq(bind_sized(&fixture, 0, 2048), PK_OK);
    cr_expect_eq(bind_sized(&fixture, 1, 1024), PK_OK);
    cr_assert_eq(bind_sized(&fixture, 0, 2049), PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message,
                     "One or more parameter values were invalid: Size of hashkey has exceeded the "
                     "maximum size limit of2048 bytes");
    cr_assert_eq(bind_sized(&fixture, 1, 1025), PK_E_VALIDATION);
    cr_expect_str_eq(fixture.err.message,
                     "One or more parameter values were invalid: Aggregated size of all range "
                     "keys has exceeded the size limit of 1024 bytes");
    expr_fixture_release(&fixture);
}
