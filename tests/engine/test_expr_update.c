/* Updates applied to items: results, and the errors that need the item (expressions.md §8). */
#include <criterion/criterion.h>

#include "engine/base/rng.h"
#include "engine/expr/expr_update.h"
#include "tests/support/expr_fixture.h"
#include "tests/support/value_text.h"

#define NO_ATTRIBUTE                                                                               \
    "The provided expression refers to an attribute that does not exist in the item"
#define BAD_TYPE "An operand in the update expression has an incorrect data type"
#define BAD_PATH "The document path provided in the update expression is invalid for update"
#define OVERFLOW                                                                                   \
    "Number overflow. Attempting to store a number with magnitude larger than supported range"

static const char values[] =
    "{n: 1, hi: 9, s: 'x', l: [8, 9], m: {q: 1}, ss: <<'b', 'c'>>, sab: <<'a', 'b'>>, "
    "ns: <<2, 3>>, max: 9.9999999999999999999999999999999999999e125, "
    "tiny: 1e-130, tiny2: 1.5e-130, d38: 12345678901234567890123456789012345678, tenth: 0.1, "
    "empty: [], bs: <<x'02', x'03'>>}";

struct row {
    const char *item; /* NULL: there is none */
    const char *update;
    const char *result; /* without the key; or the message, which holds no brace */
};

/* Applies to the item plus {p: 'k'}; the result, or the message. */
static const char *apply(struct expr_fixture *fixture, const char *item, struct pk_update *update)
{
    struct pk_arena *arena = &fixture->arena;
    pk_value key = value_text_parse(arena, "{p: 'k'}");
    pk_view old = PK_VIEW_MISSING;
    pk_value result;

    if (item != NULL)
        old = pk_view_of(arena, pk_value_with(arena, value_text_parse(arena, item), PK_LIT("p"),
                                              pk_value_string(PK_LIT("k"))));
    if (pk_expr_apply_update(update, arena, key, old, &result, &fixture->err) != PK_OK)
        return fixture->err.message;
    if (pk_value_kind(result) == PK_MISSING)
        return "MISSING";
    cr_expect(pk_view_check(pk_view_of(arena, result)), "not canonical");
    return value_text_print(arena, pk_value_with(arena, result, PK_LIT("p"), pk_value_missing()));
}

static void run(const struct row *rows, size_t count, bool attribute_updates)
{
    for (size_t i = 0; i < count; i++) {
        struct expr_fixture fixture;
        struct pk_update update;
        const char *result;

        expr_fixture_init(&fixture, "#d=a.b", values);
        update = expr_fixture_update(&fixture, rows[i].update);
        update.attribute_updates = attribute_updates;
        result = apply(&fixture, rows[i].item, &update);
        cr_expect_str_eq(result, rows[i].result, "%s on %s\n  got  %s\n  want %s", rows[i].update,
                         rows[i].item == NULL ? "nothing" : rows[i].item, result, rows[i].result);
        expr_fixture_release(&fixture);
    }
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows[0]), false)

Test(expr_update, set)
{
    static const struct row rows[] = {
        {"{a:5}", "SET a = :n", "{a:1}"},
        {"{a:5}", "SET b = a", "{a:5,b:5}"},
        {"{a:5,s:'x'}", "SET a = s, s = a", "{a:'x',s:5}"},
        {"{a:5}", "SET a = a + :n", "{a:6}"},
        {"{a:5}", "SET a = :n - a", "{a:-4}"},
        {"{a:5}", "SET b = (a) + (a)", "{a:5,b:10}"},
        {"{a:5}", "SET #d = :n", "{a:5,a.b:1}"},
        {"{m:{x:1}}", "SET m.y = :s", "{m:{x:1,y:'x'}}"},
        {"{m:{x:1}}", "SET m.x = m, z = m.x", "{m:{x:{x:1}},z:1}"},
        {"{m:{x:{}}}", "SET m.x.y = :n", "{m:{x:{y:1}}}"},
        {"{l:[1,2]}", "SET l[0] = l[1], l[1] = l[0]", "{l:[2,1]}"},
        {"{l:[1,2]}", "SET l[2] = :s", "{l:[1,2,'x']}"},
        {"{l:[0,1,2]}", "SET l[10] = :n, l[5] = :s", "{l:[0,1,2,'x',1]}"},
        {"{l:[{x:3}]}", "SET l[0].x = :n, l[0].q = :s", "{l:[{q:'x',x:1}]}"},
        {"{l:[[1]]}", "SET l[0][1] = :n", "{l:[[1,1]]}"},
        {"{l:[]}", "SET l[2147483647] = :n", "{l:[1]}"},
        {"{a:5}", "SET a = if_not_exists(a, :n)", "{a:5}"},
        {"{a:5}", "SET z = if_not_exists(z, a)", "{a:5,z:5}"},
        {"{a:5}", "SET z = if_not_exists(a, zz)", "{a:5,z:5}"},
        {"{a:5}", "SET z = if_not_exists(a.b, if_not_exists(zz, :n)) + :hi", "{a:5,z:10}"},
        {"{l:[1]}", "SET l = list_append(l, :l)", "{l:[1,8,9]}"},
        {"{l:[1]}", "SET l = list_append(:l, l)", "{l:[8,9,1]}"},
        {"{}", "SET l = list_append(if_not_exists(l, :empty), :l)", "{l:[8,9]}"},
        {"{}", "SET l = list_append(:empty, :empty)", "{l:[]}"},
        {"{}", "SET z = p", "{z:'k'}"},
        {NULL, "SET z = :n", "{z:1}"},
        {NULL, "SET z = if_not_exists(z, :n)", "{z:1}"},
        {"{a:5}", "SET z = zz", NO_ATTRIBUTE},
        {"{a:5}", "SET z = a.b", NO_ATTRIBUTE},
        {"{l:[1]}", "SET z = l[1]", NO_ATTRIBUTE},
        {"{a:5}", "SET a = zz + :n", NO_ATTRIBUTE},
        {"{a:5}", "SET a = list_append(zz, :l)", NO_ATTRIBUTE},
        {"{a:5}", "SET a = if_not_exists(zz, yy)", NO_ATTRIBUTE},
        {NULL, "SET a = a + :n", NO_ATTRIBUTE},
        {"{a:5,s:'x'}", "SET a = a + s", BAD_TYPE},
        {"{a:5,s:'x'}", "SET a = if_not_exists(s, :n) - :n", BAD_TYPE},
        {"{a:5}", "SET a = list_append(a, :l)", BAD_TYPE},
        {"{a:5}", "SET a = list_append(:l, a)", BAD_TYPE},
        {"{a:5}", "SET x.y = :n", BAD_PATH},
        {"{a:5}", "SET a.b = :n", BAD_PATH},
        {"{a:5}", "SET a[0] = :n", BAD_PATH},
        {"{m:{x:1}}", "SET m.q.r = :n", BAD_PATH},
        {"{m:{x:1}}", "SET m[0] = :n", BAD_PATH},
        {"{l:[1]}", "SET l.x = :n", BAD_PATH},
        {"{l:[1]}", "SET l[9].q = :n", BAD_PATH},
        {NULL, "SET x.y = :n", BAD_PATH},
        {"{a:5}", "SET x.y = zz", NO_ATTRIBUTE},
    };

    RUN(rows);
}

Test(expr_update, numbers)
{
    static const struct row rows[] = {
        {"{}", "SET a = :max + :max", OVERFLOW},
        {"{}", "SET a = :d38 + :tenth", OVERFLOW},
        {"{}", "SET a = :tiny2 - :tiny",
         "Number underflow. Attempting to store a number with magnitude smaller than supported "
         "range"},
        {"{}", "SET a = :tiny - :tiny", "{a:0}"},
        {"{a:12345678901234567890123456789012345678}", "ADD a :n",
         "{a:12345678901234567890123456789012345679}"},
        {"{a:0.1}", "ADD a :d38", OVERFLOW},
    };

    RUN(rows);
}

Test(expr_update, remove)
{
    static const struct row rows[] = {
        {"{a:5,b:6}", "REMOVE a", "{b:6}"},
        {"{a:5}", "REMOVE zz", "{a:5}"},
        {"{m:{x:1}}", "REMOVE m.x", "{m:{}}"},
        {"{m:{x:1}}", "REMOVE m.q", "{m:{x:1}}"},
        {"{l:[0,1,2]}", "REMOVE l[0]", "{l:[1,2]}"},
        {"{l:[0,1,2]}", "REMOVE l[0], l[1]", "{l:[2]}"},
        {"{l:[0,1,2]}", "REMOVE l[2], l[0], l[1]", "{l:[]}"},
        {"{l:[0]}", "REMOVE l[9]", "{l:[0]}"},
        {"{l:[[0,1],2]}", "REMOVE l[0][0], l[1]", "{l:[[1]]}"},
        {"{l:[0,1,2,3,4,5]}", "REMOVE l[1], l[3], l[9] SET l[0] = :n, l[20] = :n",
         "{l:[1,2,4,5,1]}"},
        {"{l:[0,1,2]}", "SET l[1] = :hi, l[10] = :s REMOVE l[0]", "{l:[9,2,'x']}"},
        {"{a:5}", "REMOVE a.b", BAD_PATH},
        {"{a:5}", "REMOVE zz.q", BAD_PATH},
        {"{m:{}}", "REMOVE m.q.r", BAD_PATH},
        {"{m:{}}", "REMOVE m[0]", BAD_PATH},
        {"{l:[]}", "REMOVE l[0].q", BAD_PATH},
        {NULL, "REMOVE a", "MISSING"},
        {NULL, "REMOVE x.y", "MISSING"},
        {NULL, "REMOVE a DELETE ss :ss", "MISSING"},
        {NULL, "REMOVE a SET b = :n", "{b:1}"},
        {NULL, "REMOVE x.y SET b = :n", BAD_PATH},
    };

    RUN(rows);
}

Test(expr_update, add_and_delete)
{
    static const struct row rows[] = {
        {"{a:5}", "ADD a :n", "{a:6}"},
        {"{}", "ADD a :n", "{a:1}"},
        {NULL, "ADD a :n", "{a:1}"},
        {"{ss:<<'a','b'>>}", "ADD ss :ss", "{ss:<<'a','b','c'>>}"},
        {"{ns:<<1,2>>}", "ADD ns :ns", "{ns:<<1,2,3>>}"},
        {"{b:<<x'01',x'02'>>}", "ADD b :bs", "{b:<<x'01',x'02',x'03'>>}"},
        {"{}", "ADD ss :ss", "{ss:<<'b','c'>>}"},
        {"{m:{}}", "ADD m.q :n", "{m:{q:1}}"},
        {"{l:[1]}", "ADD l[0] :n, l[9] :hi", "{l:[2,9]}"},
        {"{ss:<<'a','b'>>}", "DELETE ss :ss", "{ss:<<'a'>>}"},
        {"{ss:<<'a','b'>>}", "DELETE ss :sab", "{}"},
        {"{ns:<<1,2,3,4>>}", "DELETE ns :ns", "{ns:<<1,4>>}"},
        {"{b:<<x'01',x'02'>>}", "DELETE b :bs", "{b:<<x'01'>>}"},
        {"{ss:<<'y','z'>>}", "DELETE ss :ss", "{ss:<<'y','z'>>}"},
        {"{a:5}", "DELETE zz :ss", "{a:5}"},
        {"{m:{s:<<'b'>>}}", "DELETE m.s :ss", "{m:{}}"},
        {"{a:5,s:'x',ss:<<'b'>>}", "SET a = :n REMOVE s ADD z :n DELETE ss :ss", "{a:1,z:1}"},
        {NULL, "DELETE ss :ss", "MISSING"},
        {NULL, "DELETE ss :ss ADD a :n", "{a:1}"},
        {"{ss:<<'a'>>}", "ADD ss :ns", BAD_TYPE},
        {"{ss:<<'a'>>}", "ADD ss :n", BAD_TYPE},
        {"{a:5}", "ADD a :ss", BAD_TYPE},
        {"{s:'x'}", "ADD s :n", BAD_TYPE},
        {"{ss:<<'a'>>}", "DELETE ss :ns", BAD_TYPE},
        {"{s:'x'}", "DELETE s :ss", BAD_TYPE},
        {"{a:5}", "ADD a.b :n", BAD_PATH},
        {"{a:5}", "DELETE q.s :ss", BAD_PATH},
    };

    RUN(rows);
}

/* The old AttributeUpdates: another message, and ADD takes lists. */
Test(expr_update, attribute_updates)
{
    static const struct row rows[] = {
        {"{s:'x'}", "ADD s :n", "Type mismatch for attribute to update"},
        {"{ss:<<'a'>>}", "DELETE ss :ns", "Type mismatch for attribute to update"},
        {"{ss:<<'a'>>}", "ADD ss :ss", "{ss:<<'a','b','c'>>}"},
    };
    struct expr_fixture fixture;
    struct pk_action add;
    struct pk_update update = {&add, 1, true};

    run(rows, sizeof(rows) / sizeof(rows[0]), true);
    expr_fixture_init(&fixture, NULL, NULL);
    add.kind = PK_ACTION_ADD;
    add.path = pk_path_name(&fixture.arena, PK_LIT("l"));
    add.value = pk_node_value(&fixture.arena, value_text_view(&fixture.arena, "[2]"));
    cr_expect_eq(pk_expr_check_update(&update, &fixture.arena, &fixture.err), PK_OK);
    cr_expect_str_eq(apply(&fixture, "{l:[1]}", &update), "{l:[1,2]}");
    cr_expect_str_eq(apply(&fixture, NULL, &update), "{l:[2]}");
    cr_expect_str_eq(apply(&fixture, "{l:1}", &update), "Type mismatch for attribute to update");
    update.count = 0;
    cr_expect_str_eq(apply(&fixture, NULL, &update), "{}", "an empty update makes the bare item");
    cr_expect_str_eq(apply(&fixture, "{a:1}", &update), "{a:1}");
    expr_fixture_release(&fixture);
}

/* PartiQL may chain what the text grammar allows once. */
Test(expr_update, chains)
{
    struct expr_fixture fixture;
    struct pk_update update;
    struct pk_node *chain;

    expr_fixture_init(&fixture, NULL, values);
    update = expr_fixture_update(&fixture, "SET a = a + :hi");
    chain = pk_node_new(&fixture.arena, PK_OP_MINUS, 2);
    chain->args[0] = pk_node_path(&fixture.arena, update.actions[0].path);
    chain->args[1] = pk_node_value(&fixture.arena, value_text_view(&fixture.arena, "2"));
    for (int i = 0; i < 2; i++) {
        struct pk_node *longer = pk_node_new(&fixture.arena, PK_OP_PLUS, 2);

        longer->args[0] = chain;
        longer->args[1] = pk_node_path(&fixture.arena, update.actions[0].path);
        chain = longer;
    }
    update.actions[0].value = chain;
    cr_expect_eq(pk_expr_check_update(&update, &fixture.arena, &fixture.err), PK_OK);
    cr_expect_str_eq(apply(&fixture, "{a:5}", &update), "{a:13}", "a - 2 + a + a");
    expr_fixture_release(&fixture);
}

Test(expr_update, key_attributes)
{
    static const struct {
        const char *update;
        const char *message;
    } rows[] = {
        {"SET a = :n", ""},
        {"SET a.p = :n", ""},
        {"SET p = :s", "One or more parameter values were invalid: Cannot update attribute p. "
                       "This attribute is part of the key"},
        {"SET a = :n REMOVE r[0]",
         "One or more parameter values were invalid: Cannot update attribute r. "
         "This attribute is part of the key"},
    };
    const pk_slice keys[] = {PK_LIT("p"), PK_LIT("r")};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct expr_fixture fixture;
        struct pk_update update;
        enum pk_code rc;

        expr_fixture_init(&fixture, NULL, values);
        update = expr_fixture_update(&fixture, rows[i].update);
        rc = pk_expr_check_update_keys(&update, keys, 2, &fixture.err);
        cr_expect_str_eq(rc == PK_OK ? "" : fixture.err.message, rows[i].message);
        expr_fixture_release(&fixture);
    }
}

/* A list under random SETs and REMOVEs against the rule as it is written: set in place, append by
 * index, then delete by original index. */
enum { MODEL_MAX = 24 };

static void model_apply(const int *old, size_t count, const int *edits, struct pk_buf *text)
{
    const char *separator = "";

    pk_buf_add_cstr(text, "{l:[");
    for (size_t i = 0; i < MODEL_MAX; i++) {
        if (edits[i] > 0)
            pk_buf_printf(text, "%s%d", separator, edits[i]);
        else if (i < count && edits[i] == 0)
            pk_buf_printf(text, "%s%d", separator, old[i]);
        else
            continue;
        separator = ",";
    }
    pk_buf_add_cstr(text, "]}");
}

/* Fills edits (0 none, -1 remove, else the value) and writes them as actions in random order. */
static void random_actions(struct pk_rng *rng, struct pk_arena *arena, int *edits,
                           struct pk_update *update)
{
    memset(edits, 0, MODEL_MAX * sizeof(*edits));
    for (size_t i = 0; i < 1 + pk_rng_below(rng, 8); i++) {
        size_t index = pk_rng_below(rng, MODEL_MAX);
        struct pk_path *path = PK_NEW(arena, struct pk_path);
        struct pk_action *action = &update->actions[update->count];

        if (edits[index] != 0)
            continue;
        edits[index] = pk_rng_below(rng, 2) == 0 ? -1 : 1000 + (int)index;
        path->steps = PK_NEW_ARRAY(arena, struct pk_path_step, 2);
        path->steps[0].name = PK_LIT("l");
        path->steps[1].index = index;
        path->count = 2;
        action->kind = edits[index] < 0 ? PK_ACTION_REMOVE : PK_ACTION_SET;
        action->path = path;
        action->value = pk_node_value(arena, pk_view_of(arena, pk_value_int(arena, edits[index])));
        update->count++;
    }
}

Test(expr_update, lists_against_a_model)
{
    uint64_t seed = 20240611;
    struct pk_rng rng;

    pk_rng_seed(&rng, seed);
    for (int round = 0; round < 2000; round++) {
        struct expr_fixture fixture;
        struct pk_action actions[16];
        struct pk_update update = {actions, 0, false};
        struct pk_buf item = PK_BUF_INIT;
        struct pk_buf expected = PK_BUF_INIT;
        int old[MODEL_MAX];
        int edits[MODEL_MAX] = {0};
        size_t count = pk_rng_below(&rng, 12);

        for (size_t i = 0; i < MODEL_MAX; i++)
            old[i] = (int)i;
        expr_fixture_init(&fixture, NULL, NULL);
        model_apply(old, count, edits, &item);
        random_actions(&rng, &fixture.arena, edits, &update);
        model_apply(old, count, edits, &expected);
        cr_assert_str_eq(apply(&fixture, item.data, &update), expected.data, "seed %llu round %d",
                         (unsigned long long)seed, round);
        pk_buf_release(&item);
        pk_buf_release(&expected);
        expr_fixture_release(&fixture);
    }
}
