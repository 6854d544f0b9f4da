/* The planner of PartiQL: which operation runs and why, what is refused before an item is read, and
 * the native requests that explain shows. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "commands/partiql/partiql_parse.h"
#include "commands/partiql/partiql_plan.h"
#include "commands/wire.h"

/* Table "shop" (PK S, SK S), GSI "gsi" (g S, h N; keys only), LSI "lsi" (PK, c S; include x), GSI
 * "multi" (a + b); table "nums" (id N). */
static struct pk_index indexes[] = {
    {.name = {"lsi", 3},
     .local = true,
     .key = {.hash = {{{"PK", 2}, PK_STRING}},
             .range = {{{"c", 1}, PK_STRING}},
             .hash_count = 1,
             .range_count = 1},
     .projection = PK_PROJECT_INCLUDE,
     .include = (pk_slice[]){{"x", 1}},
     .include_count = 1},
    {.name = {"gsi", 3},
     .key = {.hash = {{{"g", 1}, PK_STRING}},
             .range = {{{"h", 1}, PK_NUMBER}},
             .hash_count = 1,
             .range_count = 1},
     .projection = PK_PROJECT_KEYS_ONLY},
    {.name = {"multi", 5},
     .key = {.hash = {{{"a", 1}, PK_STRING}, {{"b", 1}, PK_STRING}}, .hash_count = 2},
     .projection = PK_PROJECT_ALL},
};
static struct pk_key_attr attributes[] = {
    {{"PK", 2}, PK_STRING}, {{"SK", 2}, PK_STRING}, {{"c", 1}, PK_STRING}, {{"g", 1}, PK_STRING},
    {{"h", 1}, PK_NUMBER},  {{"a", 1}, PK_STRING},  {{"b", 1}, PK_STRING},
};
static const struct pk_table shop = {
    .name = {"shop", 4},
    .key = {.hash = {{{"PK", 2}, PK_STRING}},
            .range = {{{"SK", 2}, PK_STRING}},
            .hash_count = 1,
            .range_count = 1},
    .attributes = attributes,
    .attribute_count = sizeof(attributes) / sizeof(attributes[0]),
    .indexes = indexes,
    .index_count = 3,
    .local_count = 1,
};
static struct pk_key_attr nums_attributes[] = {{{"id", 2}, PK_NUMBER}};
static const struct pk_table nums = {
    .name = {"nums", 4},
    .key = {.hash = {{{"id", 2}, PK_NUMBER}}, .hash_count = 1},
    .attributes = nums_attributes,
    .attribute_count = 1,
};

static enum pk_code lookup(void *context, pk_slice name, const struct pk_table **table,
                           struct pk_error *err)
{
    (void)context;
    *table = pk_slice_is(name, "shop") ? &shop : &nums;
    if (pk_slice_is(name, "shop") || pk_slice_is(name, "nums"))
        return PK_OK;
    return pk_fail(err, PK_E_NOT_FOUND, "Requested resource not found");
}
static const struct partiql_schema_source schema = {lookup, NULL};

/* "Query shop.gsi | key | filter | reason", with " xN" after several requests, " desc" and
 * " condition …" where they apply. */
static void summarize(struct pk_buf *out, const struct partiql_explanation *x)
{
    pk_buf_printf(out, "%s %.*s", x->operation, PK_FMT(x->table));
    if (x->index.data != NULL)
        pk_buf_printf(out, ".%.*s", PK_FMT(x->index));
    if (x->requests > 1)
        pk_buf_printf(out, " x%zu", x->requests);
    if (x->backward)
        pk_buf_add_cstr(out, " desc");
    pk_buf_printf(out, " | %.*s | %.*s", PK_FMT(x->key), PK_FMT(x->filter));
    if (x->condition.len > 0)
        pk_buf_printf(out, " | if %.*s", PK_FMT(x->condition));
}

Test(partiql_plan, access_paths)
{
    static const struct {
        const char *text;
        const char *summary;
    } cases[] = {
        {"SELECT * FROM shop", "Scan shop |  | "},
        {"SELECT * FROM shop WHERE x = 1", "Scan shop |  | x = 1"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK = 'b'",
         "GetItem shop | PK = 'a' AND SK = 'b' | "},
        {"SELECT * FROM shop WHERE ('b' = SK) AND (PK = 'a' AND x = 1)",
         "GetItem shop | PK = 'a' AND SK = 'b' | x = 1"},
        {"SELECT * FROM nums WHERE id = 5", "GetItem nums | id = 5 | "},
        {"SELECT * FROM nums WHERE id IN [5, 6]", "Query nums x2 | id = 5 | "},
        {"SELECT * FROM shop WHERE PK = 'a'", "Query shop | PK = 'a' | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK > 'b'", "Query shop | PK = 'a' AND SK > 'b' | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND 'b' > SK", "Query shop | PK = 'a' AND SK < 'b' | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK BETWEEN 'b' AND 'c' AND x = 1 AND y = 2",
         "Query shop | PK = 'a' AND SK BETWEEN 'b' AND 'c' | x = 1 AND y = 2"},
        {"SELECT * FROM shop WHERE PK = 'a' AND begins_with(SK, 'b')",
         "Query shop | PK = 'a' AND begins_with(SK, 'b') | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK > 'b' AND SK < 'c'",
         "Query shop | PK = 'a' AND SK > 'b' | SK < 'c'"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK > 'b' AND SK = 'c'",
         "GetItem shop | PK = 'a' AND SK = 'c' | SK > 'b'"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK <> 'b'", "Query shop | PK = 'a' | SK <> 'b'"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK IN ['b', 'c']",
         "Query shop | PK = 'a' | SK IN ['b', 'c']"},
        {"SELECT * FROM shop WHERE NOT (PK = 'a')", "Scan shop |  | NOT (PK = 'a')"},
        {"SELECT * FROM shop WHERE PK > 'a'", "Scan shop |  | PK > 'a'"},
        {"SELECT * FROM shop WHERE PK = SK", "Scan shop |  | PK = SK"},
        {"SELECT * FROM shop WHERE PK = 'a' AND PK = 'b'", "Query shop | PK = 'a' | PK = 'b'"},
        {"SELECT * FROM shop WHERE PK IN ['b', 'a', 'b']", "Query shop x2 | PK = 'b' | "},
        {"SELECT * FROM shop WHERE PK IN ['b', 'a'] AND SK = 'x' AND y = 1",
         "Query shop x2 | PK = 'b' AND SK = 'x' | y = 1"},
        {"SELECT * FROM shop WHERE PK IN ['b'] AND SK = 'x'",
         "GetItem shop | PK = 'b' AND SK = 'x' | "},
        {"SELECT * FROM shop WHERE PK = 'a' OR PK = 'b' AND SK > 'x'",
         "Query shop x2 | PK = 'a' | "},
        {"SELECT * FROM shop WHERE (PK = 'a' OR PK = 'b') AND SK > 'x'",
         "Query shop x2 | PK = 'a' AND SK > 'x' | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK = 'x' OR PK = 'a' AND SK = 'y'",
         "Query shop | PK = 'a' | SK = 'x' OR SK = 'y'"},
        {"SELECT * FROM shop WHERE PK = 'a' OR PK = 'a' AND SK = 'y'", "Query shop | PK = 'a' | "},
        {"SELECT * FROM shop WHERE PK = 'a' AND NOT SK = 'x' OR PK = 'a' AND SK = 'y' AND z = 1",
         "Query shop | PK = 'a' | NOT SK = 'x' OR (SK = 'y' AND z = 1)"},
        {"SELECT * FROM shop WHERE PK = 'a' OR x = 1", "Scan shop |  | PK = 'a' OR x = 1"},
        {"SELECT * FROM shop.gsi WHERE g = 'a' AND h >= 3",
         "Query shop.gsi | g = 'a' AND h >= 3 | "},
        {"SELECT * FROM shop.gsi WHERE g = 'a' AND h = 3", "Query shop.gsi | g = 'a' AND h = 3 | "},
        {"SELECT PK FROM shop.gsi WHERE PK = 'a'", "Scan shop.gsi |  | PK = 'a'"},
        {"SELECT y FROM shop.lsi WHERE PK = 'a' AND c > 'x'",
         "Query shop.lsi | PK = 'a' AND c > 'x' | "},
        {"SELECT * FROM shop WHERE PK = 'a' ORDER BY SK DESC", "Query shop desc | PK = 'a' | "},
        {"SELECT * FROM shop WHERE PK = 'a' ORDER BY SK", "Query shop | PK = 'a' | "},
        {"SELECT * FROM shop WHERE PK IN ['a', 'c', 'b'] ORDER BY PK DESC, SK DESC",
         "Query shop x3 desc | PK = 'c' | "},
        {"SELECT * FROM shop WHERE PK IN ['b', 'c', 'a'] ORDER BY PK",
         "Query shop x3 | PK = 'a' | "},
        {"INSERT INTO shop VALUE {'PK': 'a', 'SK': 'b', 'n': 1}",
         "PutItem shop | PK = 'a' AND SK = 'b' | "},
        {"UPDATE shop SET n = 1 WHERE SK = 'b' AND PK = 'a'",
         "UpdateItem shop | PK = 'a' AND SK = 'b' | "},
        {"UPDATE shop SET n = 1 WHERE SK = 'b' AND (n = 2 AND PK = 'a') AND m IS MISSING",
         "UpdateItem shop | PK = 'a' AND SK = 'b' |  | if n = 2 AND m IS MISSING"},
        {"DELETE FROM nums WHERE id = -1.50", "DeleteItem nums | id = -1.5 | "},
        {"EXISTS(SELECT * FROM nums WHERE id = 1 AND x = 2)",
         "ConditionCheck nums | id = 1 |  | if x = 2"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_explanation explanation;
        struct pk_buf summary = PK_BUF_INIT;

        cr_assert_eq(
            partiql_explain(&schema, pk_slice_cstr(cases[i].text), &arena, &explanation, &err),
            PK_OK, "%s: %s", cases[i].text, err.message);
        summarize(&summary, &explanation);
        cr_expect_str_eq(summary.data, cases[i].summary, "%s: %s", cases[i].text, summary.data);
        pk_buf_release(&summary);
    }
    pk_arena_release(&arena);
}

Test(partiql_plan, reasons)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {"SELECT * FROM shop", "there is no WHERE"},
        {"SELECT * FROM shop WHERE x = 1", "WHERE fixes no value for PK, the partition key"},
        {"SELECT * FROM shop.gsi WHERE PK = 'a'", "WHERE fixes no value for g, the partition key"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK = 'b'", "WHERE fixes PK and SK, the whole key"},
        {"SELECT * FROM nums WHERE id = 1", "WHERE fixes id, the whole key"},
        {"SELECT * FROM shop WHERE PK = 'a'", "WHERE fixes PK, the partition key"},
        {"SELECT * FROM shop WHERE PK = 'a' AND SK > 'b'",
         "WHERE fixes PK, the partition key, and a range of SK"},
        {"SELECT * FROM shop WHERE PK IN ['a', 'b', 'c']",
         "WHERE allows 3 values for PK, the partition key: one Query each"},
        {"DELETE FROM nums WHERE id = 1", "WHERE fixes the whole key: one item"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_explanation x;

        cr_assert_eq(partiql_explain(&schema, pk_slice_cstr(cases[i].text), &arena, &x, &err),
                     PK_OK);
        cr_expect(pk_slice_is(x.reason, cases[i].reason), "%s: %.*s", cases[i].text,
                  PK_FMT(x.reason));
    }
    pk_arena_release(&arena);
}

#define P "One or more parameter values were invalid: "

static const struct {
    const char *text;
    const char *message;
    const char *where; /* the text the error points to; NULL: any */
} refusals[] = {
    {"SELECT * FROM shop.gsi.z", "A path may contain at most 2 components in the FROM clause",
     "shop.gsi.z"},
    {"SELECT * FROM shop x", "Aliasing is not supported", "x"},
    {"SELECT * FROM shop WHERE PK = ?",
     "Number of parameters in request and statement don't match.", NULL},
    {"SELECT 1 FROM shop", "Unexpected path component at 1:8:1", "1"},
    {"SELECT COUNT(*) FROM nope", "Unexpected path component at 1:8:5", "COUNT(*)"},
    {"SELECT l[-1] FROM shop",
     "List index is not within the allowable range; index: [-1] at 1:11:1", "1"},
    {"SELECT a.x, b.x FROM shop", "Duplicate identifiers in select clause: x", "b.x"},
    {"SELECT m, m.x FROM shop",
     "Two document paths overlap with each other; must remove or rewrite one of these paths; path "
     "one: [m], path two: [m, x]",
     "m.x"},
    {"SELECT * FROM \"\"", "Path component cannot be an empty string", NULL},
    {"SELECT * FROM shop.\"\"", "Path component cannot be an empty string", NULL},
    {"SELECT * FROM \"a b\"",
     "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', "
     "'_', '.'.",
     NULL},
    {"SELECT * FROM nope", "Requested resource not found", "nope"},
    {"SELECT * FROM shop.nope WHERE x < true",
     "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
     "x < true"},
    {"SELECT * FROM shop.nope", "The table does not have the specified index", "shop.nope"},
    {"SELECT * FROM shop.shop", "The table does not have the specified index", NULL},
    {"SELECT COUNT(*) FROM shop.multi WHERE x < true",
     "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
     "multi-attribute RANGE keys.",
     NULL},
    {"SELECT x, v, w FROM shop.gsi WHERE g = 'a'",
     P "Global secondary index gsi does not project [x, v, w]", "x"},
    {"SELECT v, v.x FROM shop.gsi WHERE x = 'a'",
     "Two document paths overlap with each other; must remove or rewrite one of these paths; path "
     "one: [v], path two: [v, x]",
     NULL},
    {"SELECT PK FROM shop.gsi WHERE g = 'a' AND v = 1 AND v = 2",
     P "Secondary index gsi does not project one or more filter attributes: [v]", "v"},
    {"SELECT v FROM shop.lsi WHERE PK = 'a' AND x = 1 AND v = 1",
     P "Secondary index lsi does not project one or more filter attributes: [v]", "v"},
    {"SELECT * FROM shop WHERE PK = 1",
     "Key attribute's data type should match its data type in table's schema: Key PK", "1"},
    {"SELECT * FROM shop WHERE PK = 'a' AND SK > 1",
     "Key attribute's data type should match its data type in table's schema: Key SK", "SK > 1"},
    {"SELECT * FROM shop WHERE PK IN ['a', 1]",
     "Key attribute's data type should match its data type in table's schema: Key PK", "1"},
    {"SELECT * FROM shop WHERE PK IN ['a', '']",
     "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
     "contain an empty string value. Key: PK",
     "''"},
    {"SELECT * FROM shop WHERE PK IN ['a', 'b'] AND SK > ''",
     "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
     "contain an empty string value. Key: SK",
     "SK > ''"},
    {"SELECT * FROM shop WHERE PK = 'a' AND x = '1' OR PK = 'a' AND SK = '2'",
     "Overlapping conditions with range keys are not supported in where clause", "x = '1'"},
    {"SELECT * FROM shop ORDER BY SK",
     "Must have WHERE clause in the statement when using ORDER BY clause.", "ORDER BY SK"},
    {"SELECT * FROM shop WHERE x = 1 ORDER BY SK",
     "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY "
     "clause.",
     "ORDER BY SK"},
    {"SELECT * FROM shop WHERE PK = 'a' ORDER BY v",
     "Variable reference v in ORDER BY clause must be part of the primary key", "v"},
    /* conditions */
    {"SELECT * FROM shop WHERE foo(x) = 1", "Unrecognized function: foo at 1:26:3", "foo"},
    {"SELECT * FROM shop WHERE EXISTS(x)", "Unrecognized function: exists at 1:26:6", "EXISTS"},
    {"SELECT * FROM shop WHERE set_add(x, <<1>>)", "Unrecognized function: set_add at 1:26:7",
     NULL},
    {"SELECT * FROM shop WHERE attribute_exists('x')",
     "Operator or function requires a document path; operator or function: attribute_exists", NULL},
    {"SELECT * FROM shop WHERE contains(x)",
     "Incorrect number of operands for operator or function; operator or function: contains, "
     "number "
     "of operands: 1",
     NULL},
    {"SELECT * FROM shop WHERE begins_with(x, 1)",
     "Incorrect operand type for operator or function; operator or function: begins_with, operand "
     "type: N",
     NULL},
    {"SELECT * FROM shop WHERE begins_with(begins_with(x, 'a'), 'b')",
     "The function is not allowed to be used this way in an expression; function: begins_with",
     NULL},
    {"SELECT * FROM shop WHERE x BETWEEN 2 AND 1",
     "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower "
     "bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
     NULL},
    {"SELECT * FROM shop WHERE x IN []",
     "IN operator must have a left hand argument of type Variable Reference and right hand "
     "argument "
     "of type Seq with at least one member",
     NULL},
    {"SELECT * FROM shop WHERE 1 IN [1]",
     "IN operator must have a left hand argument of type Variable Reference and right hand "
     "argument "
     "of type Seq with at least one member",
     NULL},
    {"SELECT * FROM shop WHERE x = MISSING", "MISSING must be compared using IS operator",
     "MISSING"},
    {"SELECT * FROM shop WHERE x IS INT",
     "Unsupported data type for IS operator: INTEGER. Supported data types are [MISSING, NULL, "
     "BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:28:2",
     NULL},
    {"SELECT * FROM shop WHERE x",
     "WHERE clause must contain an expression that resolves to a boolean", "x"},
    {"SELECT * FROM shop WHERE size(x)",
     "WHERE clause must contain an expression that resolves to a boolean", NULL},
    {"SELECT * FROM shop WHERE x + 1 = 2",
     "Unsupported operator in Condition Expression. Operator: +", "+"},
    {"SELECT * FROM shop WHERE x LIKE 'a'",
     "Unsupported operator in Condition Expression. Operator: like", "LIKE"},
    {"SELECT * FROM shop WHERE x = 1e126",
     "Number overflow. Attempting to store a number with magnitude larger than supported range "
     "under root",
     "1e126"},
    {"SELECT * FROM shop WHERE x = {'x': 1e-131}",
     "Number underflow. Attempting to store a number with magnitude smaller than supported range "
     "under root.x",
     NULL},
    {"SELECT * FROM shop WHERE x = [1, 111111111111111111111111111111111111111]",
     "Attempting to store more than 38 significant digits in a Number under root[1]", NULL},
    {"SELECT * FROM shop WHERE x = [y]",
     "Unsupported data type: VariableReference under key root[0] at 1:31:1", NULL},
    /* INSERT */
    {"INSERT INTO shop.gsi VALUE {'PK':'a'}",
     "FROM clause may only contain a single table name in data manipulation statements", NULL},
    {"INSERT INTO shop VALUE <<{'PK':'a'}>>",
     "Unsupported format in item expression. Please use struct format {...} to express item values "
     "for insert statement. at 1:24:2",
     NULL},
    {"INSERT INTO shop VALUE {\"PK\":'a'}",
     "Tuple keys must be of type String. Actual type: VariableReference under root at 1:25:4",
     "\"PK\""},
    {"INSERT INTO shop VALUE {PK:'a'}",
     "Tuple keys must be of type String. Actual type: VariableReference under root at 1:25:2",
     NULL},
    {"INSERT INTO shop VALUE {'x': v}", "Unsupported data type: v under key root at 1:30:1", "v"},
    {"INSERT INTO shop VALUE {'x': 1+1}", "Unsupported data type: + under key root at 1:31:1",
     NULL},
    {"INSERT INTO shop VALUE {'x': MISSING}",
     "Unsupported data type: MISSING under key root at 1:30:7", NULL},
    {"INSERT INTO shop VALUE {'x': Set_Add(y, <<1>>)}",
     "Unsupported data type: set_add under key root at 1:30:7", NULL},
    {"INSERT INTO shop VALUE {'x': `abc`}",
     "Ion Literals are not supported: SYMBOL under key root at 1:30:5", NULL},
    {"INSERT INTO shop VALUE {'x': 1, 'x': 2}",
     "Duplicate keys in tuple. Key: x under root at 1:33:3", "'x'"},
    {"INSERT INTO shop VALUE {'x': <<>>}", "Empty bags are not supported at 1:30:2", NULL},
    {"INSERT INTO shop VALUE {'x': <<1, 'a'>>}",
     "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
     NULL},
    {"INSERT INTO shop VALUE {'x': <<'x', 'y', 'x'>>}",
     P "Input collection [x, y, x] contains duplicates.", NULL},
    {"INSERT INTO shop VALUE {'x': <<1, 1.0>>}", "Input collection contains duplicates", NULL},
    {"INSERT INTO shop VALUE {'': 1}", "Path component cannot be an empty string", NULL},
    {"INSERT INTO shop VALUE {'PK': 'a'}", "Key attribute should be present in the item: Key SK",
     NULL},
    {"INSERT INTO shop VALUE {'PK': 1, 'SK': 'b'}",
     "Key attribute's data type should match its data type in table's schema: Key PK", NULL},
    {"INSERT INTO shop VALUE {'PK': 'a'} RETURNING ALL OLD *",
     "RETURNING is not supported in INSERT", NULL},
    {"INSERT INTO shop VALUE {'x': "
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
     "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
     "beyond supported limit",
     NULL},
    /* UPDATE, DELETE */
    {"UPDATE shop SET v = 1",
     "Where clause does not contain a mandatory equality on all key attributes", "shop"},
    {"UPDATE shop SET v = 1 WHERE PK = 'a'",
     "Where clause does not contain a mandatory equality on all key attributes", "PK = 'a'"},
    {"UPDATE shop SET v = 1 WHERE PK = 'a' AND SK IN ['b']",
     "Where clause does not contain a mandatory equality on all key attributes", NULL},
    {"UPDATE shop SET v = 1 WHERE PK = 'a' AND SK = 'b' OR v = 1",
     "Where clause does not contain a mandatory equality on all key attributes", NULL},
    {"DELETE FROM shop", "Where clause does not contain a mandatory equality on all key attributes",
     NULL},
    {"DELETE FROM shop WHERE PK = 'a' AND SK > 'b'",
     "Where clause does not contain a mandatory equality on all key attributes", NULL},
    {"DELETE FROM shop WHERE PK = 'a' AND SK = 1",
     "Key attribute's data type should match its data type in table's schema: Key SK", "SK = 1"},
    {"DELETE FROM shop WHERE PK = 'a' RETURNING ALL NEW *",
     "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE "
     "statements.",
     "RETURNING ALL NEW *"},
    {"DELETE FROM shop WHERE PK = 'a' RETURNING MODIFIED OLD *",
     "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in "
     "DELETE statements.",
     NULL},
    {"UPDATE nope.gsi SET v = 1", "This operation is not supported on an index", NULL},
    {"DELETE FROM nope.gsi", "This operation is not supported on an index", NULL},
    {"UPDATE shop SET s = set_add(v, <<1>>)",
     "The first argument to SET_ADD must equal the assignment value at 1:21:7", "v"},
    {"UPDATE shop SET s = set_delete(s, 1)",
     "The second argument to SET_DELETE must be a value with type SET at 1:32:1", "1"},
    {"UPDATE shop SET s = set_add(s)", "SET_ADD must have exactly two arguments at 1:21:7", NULL},
    {"UPDATE shop SET s = set_add(s, <<>>)", "Empty bags are not supported", NULL},
    {"UPDATE shop SET s = {'a': v}",
     "Unsupported data type: VariableReference under key root.a at 1:27:1", NULL},
    {"UPDATE shop SET s = MISSING", "MISSING must be compared using IS operator", NULL},
    {"UPDATE shop SET s = a * 2", "Unsupported operator in Update Expression. Operator: *", "*"},
    {"UPDATE shop SET s = a || 'b'", "Unsupported operator in Update Expression. Operator: ||",
     NULL},
    {"UPDATE shop SET s = size(a)",
     "The function is not allowed in an update expression; function: size", NULL},
    {"UPDATE shop SET s = foo(a)", "Unrecognized function: foo at 1:21:3", NULL},
    {"UPDATE shop SET s = list_append(s, 1)",
     "Incorrect operand type for operator or function; operator or function: list_append, operand "
     "type: N",
     NULL},
    {"UPDATE shop SET v = 1 REMOVE v",
     "Two document paths overlap with each other; must remove or rewrite one of these paths; path "
     "one: [v], path two: [v]",
     NULL},
    {"CREATE TABLE x", "Unsupported operation: CreateTable", NULL},
};

Test(partiql_plan, refusals)
{
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_explanation x;
        pk_slice text = pk_slice_cstr(refusals[i].text);
        enum pk_code rc = partiql_explain(&schema, text, &arena, &x, &err);

        cr_assert_neq(rc, PK_OK, "%s", refusals[i].text);
        cr_expect_str_eq(err.message, refusals[i].message, "%s: %s", refusals[i].text, err.message);
        cr_expect_eq(rc, strcmp(refusals[i].message, "Requested resource not found") == 0
                             ? PK_E_NOT_FOUND
                             : PK_E_VALIDATION);
        cr_expect(refusals[i].where == NULL ||
                      pk_slice_is(pk_slice_of(text.data + err.span.start, err.span.len),
                                  refusals[i].where),
                  "%s: at %u+%u", refusals[i].text, err.span.start, err.span.len);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

Test(partiql_plan, strong_reads_of_a_gsi)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct partiql_statement *statement = NULL;
    struct partiql_plan plan;
    struct partiql_binding binding = {.schema = &schema, .consistent = true, .arena = &arena};

    cr_assert_eq(partiql_parse(PK_LIT("SELECT * FROM shop.lsi"), &arena, &statement, &err), PK_OK);
    cr_expect_eq(partiql_plan(statement, &binding, &plan, &err), PK_OK);
    cr_assert_eq(partiql_parse(PK_LIT("SELECT * FROM shop.gsi"), &arena, &statement, &err), PK_OK);
    cr_expect_eq(partiql_plan(statement, &binding, &plan, &err), PK_E_VALIDATION);
    cr_expect_str_eq(err.message,
                     "Strongly consistent read is not supported on Global Secondary Indexes");
    pk_error_release(&err);
    pk_arena_release(&arena);
}

Test(partiql_plan, hints)
{
    static const struct {
        const char *text;
        const char *hint;
    } cases[] = {
        {"DELETE FROM shop WHERE PK = \"U#1\" AND SK = 'b'",
         "in PartiQL \"…\" names an attribute; a string is written 'U#1'"},
        {"DELETE FROM shop WHERE PK = 'a'", "DELETE changes one item: WHERE must say SK = …"},
        {"UPDATE shop SET v = 1 WHERE SK = 'a'", "UPDATE changes one item: WHERE must say PK = …"},
        {"SELECT * FROM shop LIMIT 5",
         "DynamoDB's PartiQL has no LIMIT; it is a parameter of the request: query … limit n, scan "
         "limit n"},
        {"SELECT COUNT(*) FROM shop",
         "count query … or count scan … counts without returning the items"},
        {"SELECT * FROM shop WHERE x LIKE 'a%'", "instead of LIKE: begins_with(x, 'a')"},
        {"SELECT * FROM 'shop'", "a table name stands in double quotes or in none"},
        {"INSERT INTO shop VALUE {PK: 'a'}", "a key is a string in single quotes: {'PK': …}"},
        {"SELECT * FROM shop WHERE PK = 1", "PK has type S, not N"},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_error err = PK_ERROR_INIT;
        struct partiql_explanation x;

        cr_assert_neq(partiql_explain(&schema, pk_slice_cstr(cases[i].text), &arena, &x, &err),
                      PK_OK);
        cr_assert_neq(err.hint, NULL, "%s", cases[i].text);
        cr_expect_str_eq(err.hint, cases[i].hint, "%s: %s", cases[i].text, err.hint);
        pk_error_release(&err);
    }
    pk_arena_release(&arena);
}

Test(partiql_plan, a_quoted_name_is_suspected_only_when_it_is_no_key)
{
    static const struct {
        const char *text;
        const char *name; /* NULL: no hint */
    } cases[] = {
        {"SELECT * FROM shop WHERE PK = \"USER#1\"", "USER#1"},
        {"SELECT * FROM shop WHERE PK = 'a' AND (x > 1 OR y = \"b c\")", "b c"},
        {"SELECT * FROM shop WHERE x = \"SK\"", NULL},
        {"SELECT * FROM shop WHERE \"x\" = 'a'", NULL},
        {"SELECT * FROM shop WHERE x = y", NULL},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct partiql_explanation x;

        cr_assert_eq(partiql_explain(&schema, pk_slice_cstr(cases[i].text), &arena, &x, &err),
                     PK_OK);
        cr_expect_eq(x.hint == NULL, cases[i].name == NULL, "%s", cases[i].text);
        if (cases[i].name != NULL)
            cr_expect(pk_slice_is(x.hint_name, cases[i].name), "%.*s", PK_FMT(x.hint_name));
    }
    pk_arena_release(&arena);
}

Test(partiql_plan, native_requests)
{
    static const struct {
        const char *text;
        const char *operation;
        const char *json;
    } cases[] = {
        {"SELECT a.b, name FROM shop WHERE PK = 'a' AND SK = 'b'", "GetItem",
         "{\"TableName\":\"shop\",\"Key\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"b\"}},"
         "\"ProjectionExpression\":\"#a.#b, #name\","
         "\"ExpressionAttributeNames\":{\"#a\":\"a\",\"#b\":\"b\",\"#name\":\"name\"}}"},
        {"SELECT * FROM shop.lsi WHERE PK = 'a' AND c BETWEEN 'b' AND 'c' AND x <> 1 "
         "ORDER BY c DESC",
         "Query",
         "{\"TableName\":\"shop\",\"IndexName\":\"lsi\","
         "\"KeyConditionExpression\":\"#PK = :v1 AND #c BETWEEN :v2 AND :v3\","
         "\"FilterExpression\":\"#x <> :v4\",\"ScanIndexForward\":false,"
         "\"ExpressionAttributeNames\":{\"#PK\":\"PK\",\"#c\":\"c\",\"#x\":\"x\"},"
         "\"ExpressionAttributeValues\":{\":v1\":{\"S\":\"a\"},\":v2\":{\"S\":\"b\"},"
         "\":v3\":{\"S\":\"c\"},\":v4\":{\"N\":\"1\"}}}"},
        {"SELECT * FROM nums WHERE (a = 1 OR b IN [2, 3]) AND NOT begins_with(c[0], 'x')", "Scan",
         "{\"TableName\":\"nums\",\"FilterExpression\":"
         "\"(#a = :v1 OR #b IN (:v2, :v3)) AND NOT (begins_with(#c[0], :v4))\","
         "\"ExpressionAttributeNames\":{\"#a\":\"a\",\"#b\":\"b\",\"#c\":\"c\"},"
         "\"ExpressionAttributeValues\":{\":v1\":{\"N\":\"1\"},\":v2\":{\"N\":\"2\"},"
         "\":v3\":{\"N\":\"3\"},\":v4\":{\"S\":\"x\"}}}"},
        {"INSERT INTO nums VALUE {'id': 1, 'x': true}", "PutItem",
         "{\"TableName\":\"nums\",\"Item\":{\"id\":{\"N\":\"1\"},\"x\":{\"BOOL\":true}},"
         "\"ConditionExpression\":\"attribute_not_exists(#id)\","
         "\"ExpressionAttributeNames\":{\"#id\":\"id\"}}"},
        {"UPDATE nums SET a = a + 1 REMOVE b SET c = set_add(c, <<1>>) WHERE id = 1 AND d = 2 "
         "RETURNING MODIFIED NEW *",
         "UpdateItem",
         "{\"TableName\":\"nums\",\"Key\":{\"id\":{\"N\":\"1\"}},"
         "\"UpdateExpression\":\"SET #a = #a + :v1 REMOVE #b ADD #c :v2\","
         "\"ConditionExpression\":\"attribute_exists(#id) AND #d = :v3\","
         "\"ReturnValues\":\"UPDATED_NEW\","
         "\"ExpressionAttributeNames\":{\"#a\":\"a\",\"#b\":\"b\",\"#c\":\"c\",\"#id\":\"id\","
         "\"#d\":\"d\"},"
         "\"ExpressionAttributeValues\":{\":v1\":{\"N\":\"1\"},\":v2\":{\"NS\":[\"1\"]},"
         "\":v3\":{\"N\":\"2\"}}}"},
        {"DELETE FROM nums WHERE id = 1", "DeleteItem",
         "{\"TableName\":\"nums\",\"Key\":{\"id\":{\"N\":\"1\"}}}"},
    };
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct partiql_explanation x;
        struct pk_buf json = PK_BUF_INIT;
        cJSON *request = NULL;

        cr_assert_eq(partiql_explain(&schema, pk_slice_cstr(cases[i].text), &arena, &x, &err),
                     PK_OK, "%s", err.message);
        cr_expect_str_eq(partiql_native_request(&x, 0, &arena, &request), cases[i].operation);
        cmd_wire_print(&json, request);
        cr_expect_str_eq(json.data, cases[i].json, "%s\n%s", cases[i].text, json.data);
        cJSON_Delete(request);
        pk_buf_release(&json);
    }
    pk_arena_release(&arena);
}
