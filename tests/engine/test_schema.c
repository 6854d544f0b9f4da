/* CreateTable's checks (operations.md §8, 3 to 8), the descriptor they lead to, and its stored
 * form. */
#include <criterion/criterion.h>

#include "engine/table/descriptor.h"
#include "engine/table/partition_map.h"
#include "engine/table/table_spec.h"
#include "tests/support/engine_fixture.h"

#define P "One or more parameter values were invalid: "

/* A definition in the fixture's notation and DynamoDB's answer, "" when it is accepted. */
static const struct row {
    const char *text;
    const char *want;
} rows[] = {
    {"T a:S", ""},
    {"T a:S b:N", ""},
    {"T a:S b:S; lsi l1 c:S keys; gsi g1 d:N all", ""},
    {"T a:S; gsi g1 a:S+b:S c:S+d:N include=x,y", ""},
    {"T a:S provisioned=1000000000001/5",
     "Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
    {"T a:S provisioned=5/1000000000001",
     "Given value 1000000000001 for WriteCapacityUnits is out of bounds"},
    {"T a:S a:S", "Invalid KeySchema: Some index key attribute have no definition"},
    {"T a:S; lsi l1 c:S keys",
     P "Table KeySchema does not have a range key, which is required when specifying a "
       "LocalSecondaryIndex"},
    {"T a:S b:S; lsi l1 keys", P "Index KeySchema does not have a range key for index: l1"},
    {"T a:S b:S; lsi l1 a:S keys",
     "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
    {"T a:S b:S; lsi l1 c:S keys; gsi l1 c:S keys", P "Duplicate index name: l1"},
    {"T a:S b:S; lsi l1 c:S keys; lsi l1 c:S keys", P "Duplicate index name: l1"},
    {"T a:S b:S; lsi l1 c:S keys; lsi l2 c:S keys; lsi l3 c:S keys; lsi l4 c:S keys; "
     "lsi l5 c:S keys; lsi l6 c:S keys",
     P "Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
    {"T a:S; gsi g1 b:S keys provisioned=1/1",
     P "ProvisionedThroughput should not be specified for index: g1 when BillingMode is "
       "PAY_PER_REQUEST"},
    {"T a:S provisioned=1/1; gsi g1 b:S keys",
     P "ProvisionedThroughput must be specified for index: g1"},
    {"T a:S; gsi g1 b:S b:S keys",
     "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
    {"T a:S; gsi g1 b:S+c:S+b:S keys",
     "Invalid KeySchema: duplicate attribute b for index: g1"},
    {"T a:S; gsi g1 b:S+c:S+d:S+e:S+f:S keys",
     "Invalid KeySchema: at most 4 HASH and 4 RANGE elements are allowed for index: g1"},
    {"T a:S; gsi g1 b:S include=x,y,x", P "Duplicate value in NonKeyAttributes: x for index: g1"},
};

Test(schema, definitions)
{
    struct engine_fixture fx;

    engine_open(&fx);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pk_table_spec spec = engine_spec(&fx, rows[i].text);
        enum pk_code rc = pk_table_spec_check(&spec, &fx.err);

        cr_expect_eq(rc, *rows[i].want == '\0' ? PK_OK : PK_E_VALIDATION, "%s", rows[i].text);
        cr_expect_str_eq(engine_message(&fx), rows[i].want, "%s", rows[i].text);
        pk_error_release(&fx.err);
    }
    engine_close(&fx);
}

/* Definitions that the notation cannot express. */
struct change {
    const char *text;
    void (*change)(struct pk_table_spec *spec);
    const char *want;
};

static struct pk_index_spec broken;
static struct pk_key_element keys[2];
static struct pk_key_attr attrs[3];

static void on_demand_with_throughput(struct pk_table_spec *spec)
{
    spec->billing = PK_ON_DEMAND;
}

static void provisioned_without(struct pk_table_spec *spec)
{
    spec->billing = PK_PROVISIONED;
}

static void undefined_key(struct pk_table_spec *spec)
{
    keys[0] = (struct pk_key_element){PK_LIT("a"), false};
    keys[1] = (struct pk_key_element){PK_LIT("z"), true};
    spec->keys = keys;
    spec->key_count = 2;
}

static void range_first(struct pk_table_spec *spec)
{
    keys[0] = (struct pk_key_element){PK_LIT("a"), true};
    spec->keys = keys;
}

static void hash_second(struct pk_table_spec *spec)
{
    keys[0] = (struct pk_key_element){PK_LIT("a"), false};
    keys[1] = (struct pk_key_element){PK_LIT("b"), false};
    spec->keys = keys;
}

static void more_definitions(struct pk_table_spec *spec)
{
    attrs[0] = (struct pk_key_attr){PK_LIT("a"), PK_STRING};
    attrs[1] = (struct pk_key_attr){PK_LIT("b"), PK_STRING};
    attrs[2] = (struct pk_key_attr){PK_LIT("z"), PK_STRING};
    spec->attributes = attrs;
    spec->attribute_count = 3;
}

static void same_definition_twice(struct pk_table_spec *spec)
{
    more_definitions(spec);
    attrs[1].name = PK_LIT("a");
    spec->attribute_count = 2;
}

static void empty_locals(struct pk_table_spec *spec)
{
    spec->locals_given = true;
}

static void empty_globals(struct pk_table_spec *spec)
{
    spec->globals_given = true;
}

static void other_hash(struct pk_table_spec *spec)
{
    broken = spec->locals[0];
    keys[0] = (struct pk_key_element){PK_LIT("b"), false};
    keys[1] = broken.keys[1];
    broken.keys = keys;
    spec->locals = &broken;
}

static void no_projection_type(struct pk_table_spec *spec)
{
    broken = spec->globals[0];
    broken.projection_type_given = false;
    spec->globals = &broken;
}

static void all_with_names(struct pk_table_spec *spec)
{
    broken = spec->globals[0];
    broken.projection = PK_PROJECT_ALL;
    spec->globals = &broken;
}

static void include_without_names(struct pk_table_spec *spec)
{
    broken = spec->globals[0];
    broken.projection = PK_PROJECT_INCLUDE;
    broken.include_given = false;
    spec->globals = &broken;
}

static void range_before_hash(struct pk_table_spec *spec)
{
    static struct pk_key_element mixed[3];

    broken = spec->globals[0];
    mixed[0] = broken.keys[0];
    mixed[1] = (struct pk_key_element){broken.keys[1].name, true};
    mixed[2] = (struct pk_key_element){broken.keys[2].name, false};
    broken.keys = mixed;
    spec->globals = &broken;
}

static const struct change changes[] = {
    {"T a:S provisioned=1/1", on_demand_with_throughput,
     P "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
       "PAY_PER_REQUEST"},
    {"T a:S", provisioned_without,
     P "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
       "PROVISIONED"},
    {"T a:S b:S", undefined_key,
     P "Some index key attributes are not defined in AttributeDefinitions. Keys: [a, z], "
       "AttributeDefinitions: [a, b]"},
    {"T a:S", range_first, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
    {"T a:S b:S", hash_second,
     "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
    {"T a:S b:S", more_definitions,
     P "Number of attributes in KeySchema does not exactly match number of attributes defined in "
       "AttributeDefinitions"},
    {"T a:S; gsi g b:S keys", more_definitions,
     P "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, z], keys used: [a, "
       "b]"},
    {"T a:S b:S", same_definition_twice, P "Duplicate AttributeName in AttributeDefinitions: a"},
    {"T a:S", empty_locals, P "List of LocalSecondaryIndexes is empty"},
    {"T a:S", empty_globals, P "List of GlobalSecondaryIndexes is empty"},
    {"T a:S b:S; lsi l1 c:S keys", other_hash,
     P "Index KeySchema does not have the same leading hash key as table KeySchema for index: l1. "
       "index hash key: b, table hash key: a"},
    {"T a:S; gsi g1 b:S keys", no_projection_type, P "Unknown ProjectionType: null"},
    {"T a:S; gsi g1 b:S include=x", all_with_names,
     P "ProjectionType is ALL, but NonKeyAttributes is specified"},
    {"T a:S; gsi g1 b:S all", include_without_names,
     P "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
    {"T a:S; gsi g1 b:S+c:S+d:S keys", range_before_hash,
     "Invalid KeySchema: HASH elements must precede RANGE elements for index: g1"},
};

Test(schema, odd_definitions)
{
    struct engine_fixture fx;

    engine_open(&fx);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct pk_table_spec spec = engine_spec(&fx, changes[i].text);

        changes[i].change(&spec);
        cr_expect_eq(pk_table_spec_check(&spec, &fx.err), PK_E_VALIDATION, "row %zu", i);
        cr_expect_str_eq(engine_message(&fx), changes[i].want, "row %zu", i);
        pk_error_release(&fx.err);
    }
    engine_close(&fx);
}

Test(schema, projected_names_count_over_all_indexes)
{
    struct engine_fixture fx;
    struct pk_table_spec spec;
    struct pk_buf text = PK_BUF_INIT;

    engine_open(&fx);
    pk_buf_add_cstr(&text, "T a:S; gsi g1 b:S include=n0");
    for (int i = 1; i < 50; i++)
        pk_buf_printf(&text, ",n%d", i);
    pk_buf_add_cstr(&text, "; gsi g2 b:S include=n0");
    for (int i = 1; i < 50; i++)
        pk_buf_printf(&text, ",n%d", i);
    spec = engine_spec(&fx, text.data);
    cr_expect_eq(pk_table_spec_check(&spec, &fx.err), PK_OK, "100 names: %s", engine_message(&fx));
    pk_buf_add_cstr(&text, ",n50");
    spec = engine_spec(&fx, text.data);
    cr_expect_eq(pk_table_spec_check(&spec, &fx.err), PK_E_VALIDATION);
    cr_expect_str_eq(engine_message(&fx),
                     P "Number of projected NonKeyAttributes exceeds the per-table limit of 100");
    pk_buf_release(&text);
    engine_close(&fx);
}

Test(schema, stored_form_reads_back)
{
    struct engine_fixture fx;
    struct pk_table_spec spec;
    struct pk_table *table;
    struct pk_table *copy = NULL;
    struct pk_buf first = PK_BUF_INIT;
    struct pk_buf second = PK_BUF_INIT;
    const struct pk_tag tags[] = {
        {PK_LIT("b"), PK_LIT("2")}, {PK_LIT("a"), PK_LIT("1")}, {PK_LIT("b"), PK_LIT("3")}};

    engine_open(&fx);
    spec = engine_spec(&fx, "Orders PK:S SK:N provisioned=7/9; lsi l A:B include=x,y; "
                            "gsi g c:S+d:N e:B+f:S keys provisioned=3/4");
    spec.tags = tags;
    spec.tag_count = 3;
    spec.stream = PK_STREAM_NEW_AND_OLD;
    spec.deletion_protection = true;
    spec.class_given = true;
    spec.infrequent_access = true;
    table = pk_table_spec_build(&spec);
    table->id = 41;
    table->uuid = PK_LIT("6b2effaf-fa0e-8a16-ba3a-403c6fa779e9");
    pk_partitions_even(&table->partitions, 3, pk_table_arena(table));
    table->indexes[0].id = 42;
    table->indexes[0].partitions = table->partitions;
    table->indexes[1].id = 43;
    pk_partitions_even(&table->indexes[1].partitions, 1, pk_table_arena(table));
    pk_table_store(table, &first);
    cr_assert_eq(pk_table_load(pk_buf_slice(&first), &copy, &fx.err), PK_OK, "%s",
                 engine_message(&fx));
    pk_table_store(copy, &second);
    cr_expect(pk_slice_equal(pk_buf_slice(&first), pk_buf_slice(&second)));
    cr_expect(pk_slice_is(copy->name, "Orders"));
    cr_expect_eq(copy->local_count, 1);
    cr_expect_eq(copy->index_count, 2);
    cr_expect_eq(copy->indexes[1].key.hash_count, 2);
    cr_expect_eq(copy->indexes[1].key.range[0].type, PK_BINARY);
    cr_expect(pk_slice_is(copy->indexes[0].include[1], "y"));
    cr_expect_eq(copy->tag_count, 2);
    cr_expect(pk_slice_is(copy->tags[0].key, "a"));
    cr_expect(pk_slice_is(copy->tags[1].value, "3"));
    cr_expect_eq(copy->throughput.write, 9);
    cr_expect(copy->infrequent_access && copy->deletion_protection);
    cr_expect_eq(pk_table_attribute_type(copy, PK_LIT("A")), PK_BINARY);
    cr_expect_eq(pk_table_attribute_type(copy, PK_LIT("x")), PK_MISSING);
    cr_expect(pk_index_projects(copy, &copy->indexes[0], PK_LIT("x")));
    cr_expect(pk_index_projects(copy, &copy->indexes[1], PK_LIT("SK")));
    cr_expect_not(pk_index_projects(copy, &copy->indexes[1], PK_LIT("x")));

    /* Any cut is noticed. */
    for (size_t n = 0; n < first.len; n++) {
        struct pk_table *cut = NULL;

        cr_assert_eq(pk_table_load(pk_slice_of(first.data, n), &cut, &fx.err), PK_E_CORRUPT);
        pk_error_release(&fx.err);
    }
    pk_table_unref(table);
    pk_table_unref(copy);
    pk_buf_release(&first);
    pk_buf_release(&second);
    engine_close(&fx);
}
