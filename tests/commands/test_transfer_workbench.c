/* NoSQL Workbench models: definitions, facets, repairs, what is kept, what is written. */
#include <criterion/criterion.h>

#include "tests/support/transfer_fixture.h"

#define META(version)                                                                              \
    "\"ModelMetadata\":{\"Author\":\"me\",\"DateCreated\":\"c\",\"DateLastModified\":\"m\","       \
    "\"Description\":\"two\\nlines\",\"AWSService\":\"Amazon DynamoDB\",\"Version\":\"" version    \
    "\"}"
#define KEYS                                                                                       \
    "\"KeyAttributes\":{\"PartitionKey\":{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"      \
    "\"SortKey\":{\"AttributeName\":\"SK\",\"AttributeType\":\"N\"}}"
#define ATTRIBUTE(name, type) "{\"AttributeName\":\"" name "\",\"AttributeType\":\"" type "\"}"

/* Everything a model can hold, in two facets that share an item. */
static const char whole[] = "{\"ModelName\":\"My Model\"," META(
    "3.0") ",\"DataModel\":[{\"TableName\":\"Tab\"," KEYS
           ",\"NonKeyAttributes\":[" ATTRIBUTE("GPK", "S") "," ATTRIBUTE("a", "S") "," ATTRIBUTE(
               "b", "N") "],\"TableFacets\":[{\"FacetName\":\"one\",\"KeyAttributeAlias\":{"
                         "\"PartitionKeyAlias\":"
                         "\"A#<id>\",\"SortKeyAlias\":\"SK\"},\"NonKeyAttributes\":[\"a\"],"
                         "\"TableData\":[{\"PK\":{\"S\":"
                         "\"A#1\"},\"SK\":{\"N\":\"1\"},\"a\":{\"S\":\"x\"},\"GPK\":{\"S\":\"g\"}}]"
                         ",\"DataAccess\":{"
                         "\"MySql\":{}}},{\"FacetName\":\"two\",\"KeyAttributeAlias\":{"
                         "\"PartitionKeyAlias\":\"B#<id>\","
                         "\"SortKeyAlias\":\"SK\"},\"NonKeyAttributes\":[\"b\"],\"TableData\":[{"
                         "\"PK\":{\"S\":\"B#1\"},"
                         "\"SK\":{\"N\":\"2\"},\"b\":{\"N\":\"7\"}},{\"PK\":{\"S\":\"A#1\"},\"SK\":"
                         "{\"N\":\"1\"},\"a\":{"
                         "\"S\":\"x\"},\"GPK\":{\"S\":\"g\"}}],\"DataAccess\":{\"MySql\":{}}}],"
                         "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"byG\",\"KeyAttributes\":{"
                         "\"PartitionKey\":" ATTRIBUTE(
                             "GPK", "S") "},\"Projection\":{\"ProjectionType\":\"INCLUDE\","
                                         "\"NonKeyAttributes\":["
                                         "\"PK\",\"b\"]}}],\"DataAccess\":{\"MySql\":{\"kept\":1}},"
                                         "\"SampleDataFormats\":{\"a\":["
                                         "\"identifiers\",\"Email\"]},\"BillingMode\":"
                                         "\"PROVISIONED\",\"ProvisionedCapacitySettings\":{"
                                         "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":3,"
                                         "\"WriteCapacityUnits\":4},"
                                         "\"AutoScalingRead\":{\"x\":1}},\"AccessPatterns\":[{"
                                         "\"new\":true}]}],\"Future\":[1,2.50]}";

Test(transfer_workbench, comes_back_whole)
{
    struct transfer_fixture fx;
    struct pk_buf source = PK_BUF_INIT, back;

    fixture_open(&fx);
    pk_buf_add_cstr(&source, whole);
    fixture_write(&fx, "m.json", pk_buf_slice(&source));
    cr_expect_str_eq(fixture_run(&fx, "import @/m.json"),
                     "note: table Tab created: 2 items, 27 B\n"
                     "note: table 'Tab': its auto scaling is kept for export, capacity stays as it "
                     "is\n");
    cr_expect_str_eq(fixture_run(&fx, "show create table Tab"),
                     "create table Tab (PK S, SK N) provisioned 3 4\n"
                     "  gsi byG (GPK S) projection include (b) provisioned 3 4;\n");
    fixture_must(&fx, "export Tab @/back.json format workbench");
    back = fixture_read(&fx, "back.json");
    fixture_same_json(&source, &back, "unchanged");
    cr_expect_eq(strstr(back.data, "{\n  \"ModelName\": \"My Model\",\n  \"ModelMetadata\": {\n"),
                 back.data, "%s", back.data);
    pk_buf_release(&back);

    /* a new item goes to the facet whose alias fits; a real change changes the date */
    fixture_must(&fx, "put B#9 9 {b: 1} into Tab");
    fixture_must(&fx, "del B#1 2 from Tab");
    fixture_must(&fx, "export Tab @/back.json format workbench");
    back = fixture_read(&fx, "back.json");
    cr_expect(strstr(back.data, "\"DateLastModified\": \"m\"") == NULL, "%s", back.data);
    cr_expect(strstr(back.data, "\"DateCreated\": \"c\"") != NULL, "%s", back.data);
    cr_expect(strstr(strstr(back.data, "\"FacetName\": \"two\""), "B#9") != NULL, "%s", back.data);
    cr_expect(strstr(back.data, "B#1\"") == NULL, "%s", back.data);
    pk_buf_release(&back);

    /* a table that is dropped takes it along */
    fx.commands.context.yes = true;
    fixture_must(&fx, "drop table Tab");
    fixture_must(&fx, "create table Tab (PK S)");
    fixture_must(&fx, "export Tab @/back.json format workbench");
    back = fixture_read(&fx, "back.json");
    cr_expect(strstr(back.data, "My Model") == NULL, "%s", back.data);
    pk_buf_release(&back);
    pk_buf_release(&source);
    fixture_close(&fx);
}

static const char fresh[] =
    "{\n  \"ModelName\": \"Tab\",\n  \"ModelMetadata\": {\n    \"Author\": \"\",\n"
    "    \"DateCreated\": \"@\",\n    \"DateLastModified\": \"@\",\n    \"Description\": \"\",\n"
    "    \"AWSService\": \"Amazon DynamoDB\",\n    \"Version\": \"3.0\"\n  },\n  \"DataModel\": [\n"
    "    {\n      \"TableName\": \"Tab\",\n      \"KeyAttributes\": {\n        \"PartitionKey\": "
    "{\n"
    "          \"AttributeName\": \"PK\",\n          \"AttributeType\": \"S\"\n        },\n"
    "        \"SortKey\": {\n          \"AttributeName\": \"SK\",\n          \"AttributeType\": "
    "\"S\"\n"
    "        }\n      },\n      \"NonKeyAttributes\": [\n        {\n          \"AttributeName\": "
    "\"n\",\n          \"AttributeType\": \"N\"\n        },\n        {\n          "
    "\"AttributeName\": "
    "\"at\",\n          \"AttributeType\": \"S\"\n        }\n      ],\n"
    "      \"GlobalSecondaryIndexes\": [\n        {\n          \"IndexName\": \"byAt\",\n"
    "          \"KeyAttributes\": {\n            \"PartitionKey\": {\n              "
    "\"AttributeName\": \"PK\",\n              \"AttributeType\": \"S\"\n            },\n"
    "            \"SortKey\": {\n              \"AttributeName\": \"at\",\n              "
    "\"AttributeType\": \"S\"\n            }\n          },\n          \"Projection\": {\n"
    "            \"ProjectionType\": \"ALL\"\n          }\n        }\n      ],\n"
    "      \"TableData\": [\n        {\n          \"PK\": {\n            \"S\": \"a\"\n          "
    "},\n"
    "          \"SK\": {\n            \"S\": \"b\"\n          },\n          \"n\": {\n            "
    "\"N\": \"1.5\"\n          }\n        }\n      ],\n      \"DataAccess\": {\n        \"MySql\": "
    "{}\n      },\n      \"BillingMode\": \"PAY_PER_REQUEST\"\n    }\n  ]\n}\n";

Test(transfer_workbench, writes_a_table_that_came_from_no_model)
{
    struct transfer_fixture fx;
    struct pk_buf back, dated = PK_BUF_INIT;
    char now[64];

    fixture_open(&fx);
    pk_clock_pause(pk_engine_clock(fx.commands.engine));
    fixture_must(&fx, "create table Tab (PK S, SK S) lsi byAt (at S)");
    fixture_must(&fx, "put a b {n: 1.5}");
    cr_expect_str_eq(
        fixture_run(&fx, "export Tab @/fresh.json format workbench"),
        "note: @/fresh.json: 1 item, 10 B, format workbench\n"
        "note: local index 'byAt' is written as a global one with the table's partition "
        "key: a model has no others\n");
    back = fixture_read(&fx, "fresh.json");
    (void)snprintf(now, sizeof(now), "%.20s", strstr(back.data, "\"DateCreated\": \"") + 16);
    fixture_replace(&dated, back.data, now, "@");
    cr_expect_str_eq(dated.data, fresh, "%s", dated.data);
    fixture_must(&fx, "import @/fresh.json as Copy");
    fixture_same(&fx, "Tab", "Copy");
    pk_buf_release(&back);
    pk_buf_release(&dated);
    fixture_close(&fx);
}

/* ---- repairs and refusals -------------------------------------------------------------------- */

#define TABLE(name, rest)                                                                          \
    "{\"ModelName\":\"M\"," META("3.0") ",\"DataModel\":[{\"TableName\":\"" name "\"," KEYS        \
                                        ",\"NonKeyAttributes\":[]," rest "}]}"
#define ITEM(rest) "{\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}" rest "}"

static const struct fixture_case cases[] = {
    {FILE_OF("mend.json",
             TABLE("Mend", "\n\"TableData\":[\n" ITEM(
                               ",\"m\":{\"M\":{\"M\":{\"HP\":{\"N\":\"5\"}}}},\"age\":42,"
                               "\"in\":{\"M\":{\"ok\":{\"S\":\"x\"},\"pos\":{\"x\":1}}},"
                               "\"l\":{\"L\":[{\"S\":\"y\"},7]}") "]")),
     "import @/mend.json",
     "note: table Mend created: 1 item, 50 B\n"
     "note: 4 repairs:\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "age: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "in.pos: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "l[1]: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "m: a map wrapped twice, unwrapped\n"},
    {NO_FILE, "get a 1 from Mend",
     "{'PK': 'a', 'SK': 1, 'age': 42, 'in': {'ok': 'x', 'pos': {'x': 1}}, 'l': ['y', 7], 'm': "
     "{'HP': "
     "5}}\n"},
    {NO_FILE, "import @/mend.json as Strict strict",
     "UsageError: 4 records were refused, nothing was imported; the first is @/mend.json:3: table "
     "'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, attribute age: plain JSON, "
     "marshalled\n"
     "  hint: `partial` imports the others\n"
     "note: 4 refused records:\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "age: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "in.pos: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "l[1]: plain JSON, marshalled\n"
     "note:   @/mend.json:3: table 'Mend', key {\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}, "
     "attribute "
     "m: a map wrapped twice, unwrapped\n"},
    /* two facets that disagree about an item */
    {FILE_OF("conflict.json",
             TABLE("Conf", "\"TableFacets\":[{\"FacetName\":\"x\",\"TableData\":[" ITEM(
                               ",\"v\":{\"S\":\"1\"}") "]},\n{\"FacetName\":\"y\",\"TableData\":"
                                                       "[" ITEM(",\"v\":{\"S\":\"2\"}") "]}]")),
     "import @/conflict.json",
     "UsageError: @/conflict.json:2: table 'Conf', key {'PK': 'a', 'SK': 1}: attribute 'v' is not "
     "what it is in another facet, in line 1; nothing was imported\n"
     "  hint: `partial` imports the others\n"},
    /* facets without data, items beside them; parts of an item are merged */
    {FILE_OF("beside.json",
             TABLE("Beside",
                   "\"TableFacets\":[{\"FacetName\":\"x\"},{\"FacetName\":\"y\","
                   "\"TableData\":[" ITEM(",\"w\":{\"S\":\"2\"}") "]}],\"TableData\":[" ITEM(
                       ",\"v\":{\"S\":\"1\"}") "]")),
     "import @/beside.json", "note: table Beside created: 1 item, 11 B\n"},
    {NO_FILE, "get a 1 from Beside", "{'PK': 'a', 'SK': 1, 'v': '1', 'w': '2'}\n"},
    /* dry run changes nothing */
    {FILE_OF("dry.json", TABLE("Dry", "\"TableData\":[" ITEM("") "]")), "import @/dry.json dry run",
     "note: table Dry would be created: 1 item, 7 B\nnote: dry run: nothing was changed\n"},
    {NO_FILE, "export Dry @/x.json",
     "ResourceNotFoundException: Requested resource not found: Table: Dry not found\n"
     "  at 'Dry'\n"},
    /* other models, other versions, other mistakes */
    {FILE_OF("v4.json",
             "{\"ModelName\":\"M\",\"ModelMetadata\":{\"Version\":\"4.1\"},\"DataModel\":["
             "{\"TableName\":\"Four\"," KEYS "}]}"),
     "import @/v4.json",
     "note: table Four created: 0 items, 0 B\n"
     "note: the model's version 4.1 is not known here; read as 3.0\n"},
    {FILE_OF("keyspaces.json", "{\"ModelMetadata\":{\"AWSService\":\"Amazon Keyspaces\"},"
                               "\"DataModel\":[{}]}"),
     "import @/keyspaces.json",
     "UsageError: @/keyspaces.json: this is a model for Amazon Keyspaces, not for DynamoDB\n"},
    {FILE_OF("none.json", "{\"DataModel\":[]}"), "import @/none.json",
     "UsageError: @/none.json:1:14: the model has no table: DataModel is empty\n"},
    {FILE_OF("key.json", "{\"DataModel\":[{\"TableName\":\"Key\",\"KeyAttributes\":{}}]}"),
     "import @/key.json", "UsageError: @/key.json:1:15: this table has no proper KeyAttributes\n"},
    {FILE_OF("name.json", "{\"DataModel\":[{\"TableName\":\"My Table!\"," KEYS "}]}"),
     "import @/name.json",
     "UsageError: 'My Table!' is no name for a table: 3 to 255 of the letters a-z A-Z 0-9 _ . -\n"
     "  hint: add `as My_Table_`\n"},
    {FILE_OF("indexes.json",
             "{\"DataModel\":[{\"TableName\":\"Inde\"," KEYS ",\"GlobalSecondaryIndexes\":5}]}"),
     "import @/indexes.json",
     "UsageError: @/indexes.json:1:15: the GlobalSecondaryIndexes of this table are no array\n"},
    {FILE_OF("facets.json",
             "{\"DataModel\":[{\"TableName\":\"Face\"," KEYS ",\"TableFacets\":5}]}"),
     "import @/facets.json",
     "UsageError: @/facets.json:1:15: the TableFacets of this table are no array\n"},
    {FILE_OF("scalar.json",
             "{\"DataModel\":[{\"TableName\":\"Scal\"," KEYS ",\"TableData\":[1]}]}"),
     "import @/scalar.json",
     "UsageError: @/scalar.json:1: table 'Scal', key {}, the item is no object; nothing was "
     "imported\n  hint: `partial` imports the others\n"},
    {FILE_OF("more.json", "{\"DataModel\":[{\"TableName\":\"More\"," KEYS "}]} {}"),
     "import @/more.json", "UsageError: @/more.json:1:167: more text after the model\n"},
    {FILE_OF("query.json",
             "{\"DataModel\":[{\"TableName\":\"Quer\"," KEYS ",\"SavedQuery\":{\"it's\":{\"view\":"
             "\"byG\",\"PK\":\"x'y\",\"SK\":{\"condition\":\"begins_with\",\"values\":[\"A\"]},"
             "\"filter\":[1]}}}]}"),
     "import @/query.json",
     "note: table Quer created: 0 items, 0 B\n"
     "hint: saved query 'it's': query 'x''y' begins_with 'A' on byG (its filter left out)\n"},
    {FILE_OF("types.json",
             "{\"DataModel\":[{\"TableName\":\"Type\"," KEYS ",\"NonKeyAttributes\":[" ATTRIBUTE(
                 "v", "N") "],\"TableData\":[" ITEM(",\"v\":{\"S\":\"1\"}") "]}]}"),
     "import @/types.json",
     "note: table Type created: 1 item, 9 B\n"
     "note: table 'Type': items differ from the declared types, which Workbench may not take: v "
     "(N, "
     "found S)\n"},
};

Test(transfer_workbench, repairs_and_refusals)
{
    fixture_cases(cases, sizeof(cases) / sizeof(*cases));
}
