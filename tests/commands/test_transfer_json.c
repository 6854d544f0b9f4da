/* DynamoDB JSON in its wrappings, plain JSON, bad files; export and back. '@' is a directory. */
#include <criterion/criterion.h>
#include <zlib.h>

#include "tests/support/transfer_fixture.h"

/* ---- wrappings ------------------------------------------------------------------------------- */

static const struct fixture_case wrappings[] = {
    /* lines of a full export */
    {FILE_OF("full.json", "{\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"N\":\"1\"}}}\n"
                          "{\"Item\":{\"PK\":{\"S\":\"b\"},\"SK\":{\"N\":\"2.50\"}}}\n"),
     "import @/full.json", "note: table full created: 2 items, 15 B\n"},
    {NO_FILE, "get b 2.5 from full", "{'PK': 'b', 'SK': 2.5}\n"},
    /* the same pretty-printed, one after the other, CRLF, with a byte order mark */
    {FILE_OF("pretty.json",
             "\xEF\xBB\xBF{\r\n \"Item\": {\r\n  \"PK\": {\"S\": \"a\"},\r\n  \"SK\": "
             "{\"S\": \"1\"}\r\n }\r\n}\r\n{\"Item\": {\"PK\": {\"S\": \"b\"}, \"SK\": "
             "{\"S\": \"2\"}}}"),
     "import @/pretty.json", "note: table pretty created: 2 items, 12 B\n"},
    /* bare items, an array of them, wrapped ones in an array */
    {FILE_OF("bare.json", "{\"id\":{\"S\":\"x\"},\"v\":{\"BOOL\":true}}\n{\"id\":{\"S\":\"y\"}}"),
     "import @/bare.json key id", "note: table bare created: 2 items, 8 B\n"},
    {FILE_OF("array.json", "[{\"id\":{\"S\":\"x\"}},{\"Item\":{\"id\":{\"S\":\"y\"}}}]"),
     "import @/array.json key id", "note: table array created: 2 items, 6 B\n"},
    /* incremental exports: images are items, none is a delete; an insert, then a delete of it */
    {FILE_OF(
         "inc.json",
         "{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"1\"}},\"Keys\":{\"id\":{\"S\":\"x\"}},"
         "\"OldImage\":{\"id\":{\"S\":\"x\"}}}\n"
         "{\"Metadata\":{\"WriteTimestampMicros\":\"2\"},\"Keys\":{\"id\":{\"S\":\"z\"}},"
         "\"NewImage\":{\"id\":{\"S\":\"z\"},\"n\":{\"N\":\"1\"}}}\n"),
     "import @/inc.json into bare",
     "UsageError: table 'bare' has items; nothing was imported\n"
     "  hint: pksk --yes imports without asking\n"},
    {NO_FILE, "import @/inc.json as fresh key id",
     "note: table fresh created: 1 item, 6 B, 1 deleted\n"},
    {NO_FILE, "get z from fresh", "{'id': 'z', 'n': 1}\n"},
    /* batch-write-item, bare and wrapped, two tables, a delete; keys of known samples */
    {FILE_OF("batch.json",
             "{\"Forum\":[{\"PutRequest\":{\"Item\":{\"Name\":{\"S\":\"A\"}}}},{\"PutRequest\":{"
             "\"Item\":{\"Name\":{\"S\":\"B\"}}}}],\n\"Pair\":[{\"PutRequest\":{\"Item\":{\"PK\":{"
             "\"B\":\"AAE=\"},\"SK\":{\"S\":\"s\"}}}}]}"),
     "import @/batch.json",
     "note: table Forum created: 2 items, 10 B\n"
     "note: table Pair created: 1 item, 7 B\n"},
    {FILE_OF("wrapped.json",
             "{\"RequestItems\":{\"Wrap\":[{\"PutRequest\":{\"Item\":{\"PK\":{\"S\":"
             "\"a\"},\"SK\":{\"S\":\"1\"}}}},{\"DeleteRequest\":{\"Key\":{\"PK\":{"
             "\"S\":\"a\"},\"SK\":{\"S\":\"1\"}}}}]}}"),
     "import @/wrapped.json",
     "note: table Wrap created: 0 items, 0 B, 1 deleted\n"
     "note: table 'Wrap': keys that come again: 1 (the first in line 1); of each the last record "
     "stays\n"},
    /* put-item, transactions, the answer of a scan */
    {FILE_OF("put.json",
             "{\"TableName\":\"Put\",\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"1\"}}}"),
     "import @/put.json", "note: table Put created: 1 item, 6 B\n"},
    {FILE_OF("txn.json",
             "{\"TransactItems\":[{\"Put\":{\"TableName\":\"Txn\",\"Item\":{\"PK\":{\"S\":"
             "\"a\"},\"SK\":{\"S\":\"1\"}}}},{\"Delete\":{\"TableName\":\"Txn\",\"Key\":{"
             "\"PK\":{\"S\":\"b\"},\"SK\":{\"S\":\"1\"}}}}]}"),
     "import @/txn.json", "note: table Txn created: 1 item, 6 B, 1 deleted\n"},
    {FILE_OF("scan.json", "{\"Items\":[{\"id\":{\"S\":\"x\"}}],\"Count\":1,\"ScannedCount\":1}"),
     "import @/scan.json key id", "note: table scan created: 1 item, 3 B\n"},
    /* definitions: a description's derived members are left out, zeros are not sent */
    {FILE_OF(
         "describe.json",
         "{\"Table\":{\"TableName\":\"Desc\",\"TableStatus\":\"ACTIVE\",\"ItemCount\":7,"
         "\"KeySchema\":[{\"KeyType\":\"HASH\",\"AttributeName\":\"a\"}],\"AttributeDefinitions\":"
         "[{\"AttributeName\":\"a\",\"AttributeType\":\"S\"},{\"AttributeName\":\"g\","
         "\"AttributeType\":\"N\"}],\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"},"
         "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":0,\"WriteCapacityUnits\":0},"
         "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"byG\",\"KeySchema\":[{\"AttributeName\":"
         "\"g\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"},"
         "\"IndexStatus\":\"ACTIVE\"}]}}"),
     "import @/describe.json", "note: table Desc created: 0 items, 0 B\n"},
    {NO_FILE, "show create table Desc",
     "create table Desc (a S) on demand\n"
     "  gsi byG (g N) projection keys;\n"},
    {FILE_OF("create.json",
             "{\"TableName\":\"Crea\",\"KeySchema\":[{\"AttributeName\":\"a\","
             "\"KeyType\":\"HASH\"}],\"AttributeDefinitions\":[{\"AttributeName\":\"a\","
             "\"AttributeType\":\"N\"}],\"ProvisionedThroughput\":{"
             "\"ReadCapacityUnits\":3,\"WriteCapacityUnits\":4}}"),
     "import @/create.json as Created", "note: table Created created: 0 items, 0 B\n"},
    {NO_FILE, "show create table Created", "create table Created (a N) provisioned 3 4;\n"},
    /* plain rows whose columns are named as wrappings are */
    {FILE_OF("plain.json", "{\"Item\":{\"x\":1},\"Items\":3,\"Table\":\"t\",\"id\":\"q\"}"),
     "import @/plain.json key id", "note: table plain created: 1 item, 27 B\n"},
};

Test(transfer_json, wrappings)
{
    fixture_cases(wrappings, sizeof(wrappings) / sizeof(*wrappings));
}

/* ---- plain JSON ------------------------------------------------------------------------------ */

static const struct fixture_case plain[] = {
    {FILE_OF("a.jsonl",
             "{\"id\": \"x\", \"n\": 12345678901234567890123456789012345678, \"t\": true, "
             "\"z\": null, \"l\": [1, \"a\"], \"m\": {\"k\": 1.50}}\n"
             "{\"id\": \"\\u0000\\ud83d\\ude00\"}\n"),
     "import @/a.jsonl as plain key id", "note: table plain created: 2 items, 53 B\n"},
    {NO_FILE, "get x from plain",
     "{'id': 'x', 'l': [1, 'a'], 'm': {'k': 1.5}, 'n': 12345678901234567890123456789012345678, "
     "'t': "
     "true, 'z': null}\n"},
    {FILE_OF("in.jsonl",
             "{\"id\": \"x\", \"in\": {\"n\": 8.70, \"of\": {\"t\": \"deep\"}}, \"a\": null}\n"
             "{\"id\": \"y\", \"in\": 5}\n"),
     "import @/in.jsonl as inside key id set n={in.n} t={in.of.t} a={a} types n:N",
     "note: table inside created: 2 items, 43 B\n"},
    {NO_FILE, "get x from inside select id, n, t, a",
     "{'a': null, 'id': 'x', 'n': 8.7, 't': 'deep'}\n"},
    {NO_FILE, "get y from inside", "{'id': 'y', 'in': 5}\n"},
    {NO_FILE, "import @/in.jsonl as other key id set n={in.m}",
     "UsageError: @/in.jsonl: a template names column 'in.m', which the file does not have\n"},
    {FILE_OF("b.json", " [ {\"id\": 1, \"city\": \"Oslo\"} ,\n {\"id\": 2} ] "),
     "import @/b.json as array key id set both={id}/{city} shard={id%2}",
     "note: table array created: 2 items, 38 B\n"},
    {NO_FILE, "get 1 from array", "{'both': '1/Oslo', 'city': 'Oslo', 'id': 1, 'shard': '1'}\n"},
    {NO_FILE, "get 2 from array", "{'id': 2, 'shard': '0'}\n"},
    {FILE_OF("c.json", "[]"), "import @/c.json key id",
     "UsageError: @/c.json: there is nothing to import\n"},
};

Test(transfer_json, plain)
{
    fixture_cases(plain, sizeof(plain) / sizeof(*plain));
}

/* ---- bad files ------------------------------------------------------------------------------- */

#define LONG_KEY                                                                                   \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab" \
    "cdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567"

static const struct fixture_case bad[] = {
    {NO_FILE, "import @/none.json",
     "StorageError: cannot open '@/none.json': No such file or directory\n"},
    {NO_FILE, "import @", "StorageError: cannot read '@': Is a directory\n"},
    {NO_FILE, "import", "UsageError: expected a file, found the end\n"},
    {NO_FILE, "import @/x.json wrong",
     "UsageError: expected as, into, format, key, header, columns, types, set, map, dry run, "
     "partial "
     "or strict, found wrong\n  at 'wrong'\n"},
    {NO_FILE, "import @/x.json format xml",
     "UsageError: there is no format 'xml'\n  at 'xml'\n"
     "  hint: formats: workbench, dynamodb, jsonl, csv, cloudformation\n"},
    {FILE_OF("empty.json", ""), "import @/empty.json",
     "UsageError: @/empty.json: the file is empty\n"},
    {FILE_OF("blank.json", " \r\n\n"), "import @/blank.json",
     "UsageError: @/blank.json: the file is empty\n"},
    {FILE_OF("bom.json", "\xEF\xBB\xBF"), "import @/bom.json",
     "UsageError: @/bom.json: the file is empty\n"},
    {FILE_OF("nul.json", "{\"a\":1}\n{\"b\":\0}"), "import @/nul.json",
     "UsageError: @/nul.json:2:6: a NUL byte: this is not a text file\n"},
    {FILE_OF("utf16.json", "\xFF\xFE{\0"), "import @/utf16.json",
     "UsageError: @/utf16.json: is UTF-16 text; save it as UTF-8\n"},
    {FILE_OF("latin.json", "{\"a\":\"x\",\n \"caf\xE9\":1}"), "import @/latin.json",
     "UsageError: @/latin.json:2:6: this is not UTF-8 text\n"},
    {FILE_OF("zst.json", "\x28\xB5\x2F\xFDxxxx"), "import @/zst.json",
     "UsageError: @/zst.json: is compressed with zstd, which is not read here; unpack it first\n"},
    {FILE_OF("ion.json", "$ion_1_0 {Item:{}}"), "import @/ion.json",
     "UsageError: @/ion.json: is Amazon Ion, which is not read here; export DYNAMODB_JSON "
     "instead\n"},
    {FILE_OF("cut.json",
             "{\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"b\"}}}\n{\"Item\":{\"PK\":"),
     "import @/cut.json", "UsageError: @/cut.json:2:15: expected a JSON value, found the end\n"},
    {FILE_OF("cut2.json", "[{\"id\":{\"S\":\"a\"}},\n{\"id\":{\"S\":\"b\"}}"),
     "import @/cut2.json key id", "UsageError: @/cut2.json:2:17: expected ',' or ']'\n"},
    {FILE_OF("cut3.json", "{\"Tab\":[{\"PutRequest\":{\"Item\":{\"id\":{\"S\":\"a\"}}}}"),
     "import @/cut3.json key id", "UsageError: @/cut3.json:1:49: expected a member, ',' or '}'\n"},
    {FILE_OF("junk.json", "{\"Tab\":[{\"PutRequest\":{\"Item\":{\"id\":{\"S\":\"a\"}}} junk}]}"),
     "import @/junk.json key id",
     "UsageError: @/junk.json:1:49: expected ',' or '}', found 'junk'\n"},
    {FILE_OF("after.json", "[{\"id\":{\"S\":\"a\"}}] junk"), "import @/after.json key id",
     "UsageError: @/after.json:1:20: expected a JSON value, found 'junk'\n"},
    {FILE_OF("cut.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56"), "import @/cut.gz",
     "UsageError: @/cut.gz: the gzip data is damaged or cut off (@/cut.gz: unexpected end of "
     "file)\n"},
    {FILE_OF("words.txt", "hello world\n"), "import @/words.txt",
     "UsageError: @/words.txt: this is in none of the formats that can be imported\n"
     "  hint: add `format workbench`, dynamodb, jsonl, csv or cloudformation\n"},
    {FILE_OF("twice.jsonl", "{\"id\":\"a\",\"id\":\"b\"}"), "import @/twice.jsonl key id",
     "UsageError: @/twice.jsonl:1:11: 'id' is there twice\n"},
    {FILE_OF("of_its_own.json", "{\"entities\": {\"User\": {}}, \"patterns\": []}"),
     "import @/of_its_own.json as own",
     "UsageError: @/of_its_own.json does not say what the table's key is\n"
     "  hint: its first item has no string, number or binary to be a key\n"},
    {FILE_OF("no.jsonl", "{\"id\":\"a\"}\n{\"id\":01e}\n"), "import @/no.jsonl key id",
     "UsageError: @/no.jsonl:2:7: expected a JSON value, found '01e'\n"},
    {FILE_OF("digits.jsonl", "{\"id\":\"a\",\"n\":123456789012345678901234567890123456789}"),
     "import @/digits.jsonl key id",
     "UsageError: @/digits.jsonl:1:15: Attempting to store more than 38 significant digits in a "
     "Number\n"},
    {FILE_OF("scalar.jsonl", "{\"id\":\"a\"}\n5\n"), "import @/scalar.jsonl key id",
     "UsageError: @/scalar.jsonl:2:1: expected an object, found a value of type N\n"},
    {FILE_OF("nokey.jsonl", "{\"a\":1,\"b\":\"x\",\"c\":[]}"), "import @/nokey.jsonl",
     "UsageError: @/nokey.jsonl does not say what the table's key is\n"
     "  hint: add `key a` or `key a,b`, of: a, b\n"},
    {NO_FILE, "import @/nokey.jsonl key c",
     "UsageError: @/nokey.jsonl:1: 'c' is of type L, a key is S, N or B\n"},
    {FILE_OF("keys.jsonl", "{\"id\":\"a\"}\n{\"id\":5}\n{\"id\":\"\"}\n{\"x\":1}\n"),
     "import @/keys.jsonl key id partial",
     "note: table keys created: 1 item, 3 B\n"
     "note: 3 refused records:\n"
     "note:   @/keys.jsonl:2: table 'keys', key {'id': 5}: key attribute 'id' is of type N, the "
     "table's is S\n"
     "note:   @/keys.jsonl:3: table 'keys', key {'id': ''}: key attribute 'id' is empty\n"
     "note:   @/keys.jsonl:4: table 'keys', key {}: key attribute 'id' is missing\n"},
    {FILE_OF("typed.json", "{\"Item\":{\"id\":{\"S\":\"a\"},\"n\":{\"N\":\"abc\"}}}"),
     "import @/typed.json key id",
     "UsageError: @/typed.json:1: attribute n: The parameter cannot be converted to a numeric "
     "value: "
     "abc; nothing was imported\n  hint: `partial` imports the others\n"},
    {FILE_OF("set.json", "{\"Item\":{\"id\":{\"S\":\"a\"},\"s\":{\"SS\":[]}}}"),
     "import @/set.json key id",
     "UsageError: @/set.json:1: attribute s: a value of type SS is a list that is not empty; "
     "nothing "
     "was imported\n  hint: `partial` imports the others\n"},
    {FILE_OF("manifest.json", "{\"itemCount\":1,\"dataFileS3Key\":\"data/x.json.gz\"}"),
     "import @/manifest.json",
     "UsageError: @/manifest.json:1:1: this is the manifest of an export; import its data files\n"},
    {FILE_OF("update.json", "[{\"Create\":{\"IndexName\":\"g\"}}]"), "import @/update.json",
     "UsageError: @/update.json:1:1: index updates are no import; write the indexes when the table "
     "is created\n"},
    {FILE_OF("two.json", "{\"TabA\":[{\"PutRequest\":{\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":"
                         "\"a\"}}}}],\"TabB\":[{\"PutRequest\":{\"Item\":{\"PK\":{\"S\":\"a\"},"
                         "\"SK\":{\"S\":\"a\"}}}}]}"),
     "import @/two.json as one",
     "UsageError: the file holds several tables, which cannot all be 'one'\n  at 'one'\n"},
    {FILE_OF("name.json", "{\"a b\":[{\"PutRequest\":{\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":"
                          "\"a\"}}}}]}"),
     "import @/name.json",
     "UsageError: 'a b' is no name for a table: 3 to 255 of the letters a-z A-Z 0-9 _ . -\n"
     "  hint: add `as a_b`\n"},
    {NO_FILE, "import @/keys.jsonl into x",
     "UsageError: 'x' is no name for a table: 3 to 255 of the letters a-z A-Z 0-9 _ . -\n  at "
     "'x'\n"},
    {NO_FILE, "create table Other (id N)", "note: table Other created · id (N) · on demand\n"},
    {FILE_OF("define.json", "{\"TableName\":\"Other\",\"KeySchema\":[{\"AttributeName\":\"id\","
                            "\"KeyType\":\"HASH\"}],\"AttributeDefinitions\":[{\"AttributeName\":"
                            "\"id\",\"AttributeType\":\"S\"}]}"),
     "import @/define.json",
     "UsageError: table 'Other' is there with another key: id (N)\n"
     "  hint: `as NAME` imports into a table of another name\n"},
    {NO_FILE, "import @/keys.jsonl into Other key x,y",
     "UsageError: the key of table 'Other' is id (N)\n"},
    {FILE_OF("both.json", "{\"Tab\":[{\"PutRequest\":{\"Item\":{\"id\":{\"S\":\"a\"}}},"
                          "\"DeleteRequest\":{\"Key\":{\"id\":{\"S\":\"a\"}}}}]}"),
     "import @/both.json key id",
     "UsageError: @/both.json:1:9: expected {\"PutRequest\": {\"Item\": …}} or {\"DeleteRequest\": "
     "{\"Key\": …}}\n"},
    {FILE_OF("again.json", "{\"Tab\":[{\"PutRequest\":{\"Item\":{\"id\":{\"S\":\"a\"}}}}],\n"
                           "\"Tab\":[{\"PutRequest\":{\"Item\":{\"id\":{\"S\":\"b\"}}}}]}"),
     "import @/again.json key id", "UsageError: @/again.json:2:7: this table is there twice\n"},
    {FILE_OF("members.json", "{\"Item\":{\"id\":{\"S\":\"a\",\"N\":\"1\"}}}"),
     "import @/members.json format dynamodb key id",
     "UsageError: @/members.json:1: 'id' is of type M, a key is S, N or B\n"},
    {FILE_OF("nameless.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\",\"m\":[{\"\":1}]}"),
     "import @/nameless.jsonl key id",
     "UsageError: @/nameless.jsonl:2: table 'nameless', key {'id': 'b'}: an attribute's name is "
     "empty; nothing was imported\n  hint: `partial` imports the others\n"},
    /* index keys are held against the table's indexes */
    {NO_FILE, "create table Idx (id S) gsi byG (g N)",
     "note: table Idx created · id (S) · on demand · 1 index\n"},
    {FILE_OF("idx.jsonl", "{\"id\":\"a\",\"g\":\"five\"}"), "import @/idx.jsonl into Idx",
     "UsageError: @/idx.jsonl:1: table 'Idx', key {'id': 'a'}: attribute 'g' is of type S, as a "
     "key "
     "of index 'byG' it is N; nothing was imported\n  hint: `partial` imports the others\n"},
    /* nothing of all this made a table but those that were meant to be */
    {NO_FILE, "tables",
     "table | key | indexes | items | size\n"
     "Idx | id (S) | 1 | 0 | 0 B\nOther | id (N) | 0 | 0 | 0 B\nkeys | id (S) | 0 | 1 | 3 B\n"
     "note: 3 tables\n"},
};

Test(transfer_json, bad_files)
{
    fixture_cases(bad, sizeof(bad) / sizeof(*bad));
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* An item nested as deep as DynamoDB takes, and a level more. */
static void add_deep_item(struct pk_buf *out, const char *id, int levels)
{
    pk_buf_printf(out, "{\"Item\":{\"id\":{\"S\":\"%s\"},\"deep\":", id);
    for (int i = 0; i < levels; i++)
        pk_buf_add_cstr(out, "{\"L\":[");
    pk_buf_add_cstr(out, "{\"N\":\"1\"}");
    for (int i = 0; i < levels; i++)
        pk_buf_add_cstr(out, "]}");
    pk_buf_add_cstr(out, "}}\n");
}

static void add_large_item(struct pk_buf *out, const char *id, size_t bytes)
{
    pk_buf_printf(out, "{\"Item\":{\"id\":{\"S\":\"%s\"},\"v\":{\"S\":\"", id);
    for (size_t i = 0; i < bytes; i++)
        pk_buf_add_byte(out, 'x');
    pk_buf_add_cstr(out, "\"}}}\n");
}

Test(transfer_json, limits)
{
    struct transfer_fixture fx;
    struct pk_buf text = PK_BUF_INIT;

    fixture_open(&fx);
    add_deep_item(&text, "d31", 31);
    add_deep_item(&text, "d32", 32);
    add_large_item(&text, "big", 409600 - 2 - 3 - 1);
    add_large_item(&text, "huge", 409600 - 2 - 4);
    pk_buf_add_cstr(&text, "{\"Item\":{\"id\":{\"S\":\"name\"},\"");
    for (size_t i = 0; i < 65536; i++)
        pk_buf_add_byte(&text, 'x');
    pk_buf_add_cstr(&text, "\":{\"N\":\"1\"}}}\n");
    fixture_write(&fx, "limits.json", pk_buf_slice(&text));
    cr_expect_str_eq(
        fixture_run(&fx, "import @/limits.json key id partial"),
        "note: table limits created: 2 items, 400.1 KB\n"
        "note: 3 refused records:\n"
        "note:   @/limits.json:2: table 'limits', key {'id': 'd32'}: values are nested deeper than "
        "32 levels\n"
        "note:   @/limits.json:4: table 'limits', key {'id': 'huge'}: the item has 409601 bytes, "
        "at "
        "most 409600 fit\n"
        "note:   @/limits.json:5: table 'limits', key {'id': 'name'}: an attribute's name has "
        "65536 "
        "bytes, at most 65535 fit\n");
    fixture_must(&fx, "export limits @/again.json.gz");
    fixture_must(&fx, "import @/again.json.gz as Again key id");
    fixture_same(&fx, "limits", "Again");
    pk_buf_release(&text);
    fixture_close(&fx);
}

/* ---- and back -------------------------------------------------------------------------------- */

static const char *const items[] = {
    "put a 1 {s: 'x', n: 1.5, t: true, nul: null, e: '', bin: b64'AAEC'}",
    "put a 2 {m: {a: [1, 'b', {c: <<'set'>>}]}, ns: <<1, 2.5>>, bs: <<b64'AA=='>>}",
    "put b 1 {q: 'quote \" and \\ back', nul: \"\\u0000 nul\", `😀`: '\x01'}",
    "put b -2 {big: 12345678901234567890123456789012345678, tiny: 1e-130}",
};

Test(transfer_json, export_then_import_is_equal)
{
    struct transfer_fixture fx;
    struct pk_buf file;

    fixture_open(&fx);
    fixture_must(&fx, "create table One (PK S, SK N)");
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
        fixture_must(&fx, items[i]);
    cr_expect_str_eq(fixture_run(&fx, "export One @/one.json"),
                     "note: @/one.json: 4 items, 142 B, format dynamodb\n");
    fixture_must(&fx, "import @/one.json as Two");
    fixture_same(&fx, "One", "Two");
    cr_expect_str_eq(
        fixture_run(&fx, "export One @/one.jsonl"),
        "note: @/one.jsonl: 4 items, 142 B, format jsonl\n"
        "note: plain JSON has no sets and no binaries: in 2 of the items they became arrays and "
        "base64 text\n"
        "hint: `format dynamodb` keeps every type\n");
    /* what plain JSON can hold comes back as it was */
    fixture_must(&fx, "edit a 1 remove bin from One");
    fixture_must(&fx, "del a 2 from One");
    fixture_must(&fx, "export One @/one.jsonl");
    fixture_must(&fx, "import @/one.jsonl as Three");
    fixture_same(&fx, "One", "Three");
    fixture_must(&fx, "del a 1 from One");
    fixture_must(&fx, "del b 1 from One");
    fixture_must(&fx, "edit b -2 remove tiny from One");
    fixture_must(&fx, "export One @/one.json");
    file = fixture_read(&fx, "one.json");
    cr_expect_str_eq(file.data,
                     "{\"Item\":{\"PK\":{\"S\":\"b\"},\"SK\":{\"N\":\"-2\"},\"big\":{\"N\":"
                     "\"12345678901234567890123456789012345678\"}}}\n");
    pk_buf_release(&file);
    fixture_close(&fx);
}

static const struct fixture_case exports[] = {
    {NO_FILE, "export", "UsageError: expected the table's name\n"},
    {NO_FILE, "export None @/x.json",
     "ResourceNotFoundException: Requested resource not found: Table: None not found\n"
     "  at 'None'\n"},
    {NO_FILE, "create table One (PK S)", "note: table One created · PK (S) · on demand\n"},
    {NO_FILE, "export One", "UsageError: expected a file\n"},
    {NO_FILE, "export One @/no/such/dir.json",
     "StorageError: cannot write '@/no/such/dir.json': No such file or directory\n"},
    {NO_FILE, "export One @/x.json format xml",
     "UsageError: there is no format 'xml'\n  at 'xml'\n"
     "  hint: formats: workbench, dynamodb, jsonl, csv, cloudformation\n"},
    {NO_FILE, "export One,One @/x.csv",
     "UsageError: a file of format csv holds one table\n  at 'One'\n"
     "  hint: formats workbench and cloudformation hold several\n"},
    {NO_FILE, "export One @/x.json more", "UsageError: unexpected 'more'\n  at 'more'\n"},
};

Test(transfer_json, export_mistakes)
{
    fixture_cases(exports, sizeof(exports) / sizeof(*exports));
}

/* ---- stopped on the way ---------------------------------------------------------------------- */

/* Cancelled once half of the records are written: the table that was made for them goes again. */
static void cancel_at_half(void *context, const char *text)
{
    if (strstr(text, ": 50 of 100") != NULL)
        atomic_store((atomic_bool *)context, true);
}

Test(transfer_json, a_cancelled_import_leaves_no_table)
{
    struct transfer_fixture fx;
    struct pk_buf text = PK_BUF_INIT;
    atomic_bool cancel = false;

    fixture_open(&fx);
    for (int i = 0; i < 100; i++)
        pk_buf_printf(&text, "{\"id\":\"%d\"}\n", i);
    fixture_write(&fx, "many.jsonl", pk_buf_slice(&text));
    fx.commands.context.cancel = &cancel;
    fx.commands.context.progress = (struct cmd_progress){cancel_at_half, &cancel};
    cr_expect_str_eq(fixture_run(&fx, "import @/many.jsonl key id"), "Cancelled: cancelled\n");
    atomic_store(&cancel, false);
    cr_expect_str_eq(fixture_run(&fx, "tables"),
                     "table | key | indexes | items | size\nnote: 0 tables\n");

    /* of a table that was there, the message says how far it came */
    fixture_must(&fx, "create table many (id S)");
    cr_expect_str_eq(fixture_run(&fx, "import @/many.jsonl"),
                     "Cancelled: table 'many': after 50 of 100 writes: cancelled\n");
    atomic_store(&cancel, false);
    cr_expect_eq(fixture_sum(&fx, "many").items, 50);
    pk_buf_release(&text);
    fixture_close(&fx);
}

/* A definition that the service refuses stands behind one that it takes: neither is made. */
Test(transfer_json, a_refused_definition_leaves_no_table)
{
#define NAMED(name, attribute)                                                                     \
    "{\"TableName\":\"" name "\",\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}]," \
    "\"AttributeDefinitions\":[{\"AttributeName\":\"" attribute "\",\"AttributeType\":\"S\"}]}\n"
    struct transfer_fixture fx;

    fixture_open(&fx);
    fixture_write(&fx, "two.json", PK_LIT(NAMED("Good", "id") NAMED("Wrong", "other")));
    cr_expect_str_eq(fixture_run(&fx, "import @/two.json"),
                     "ValidationException: table 'Wrong': One or more parameter values were "
                     "invalid: Some index key attributes are not defined in AttributeDefinitions. "
                     "Keys: [id], AttributeDefinitions: [other]\n");
    cr_expect_str_eq(fixture_run(&fx, "tables"),
                     "table | key | indexes | items | size\nnote: 0 tables\n");
    fixture_close(&fx);
#undef NAMED
}

/* ---- the guard ------------------------------------------------------------------------------- */

static bool answer_no(void *context, const char *question, bool *asked)
{
    pk_buf_add_cstr(context, question);
    *asked = true;
    return false;
}

Test(transfer_json, errors_point_at_the_file)
{
    struct transfer_fixture fx;
    struct pk_buf expected = PK_BUF_INIT;

    fixture_open(&fx);
    (void)fixture_run(&fx, "import '@/no ne.json' as x");
    pk_buf_printf(&expected,
                  "StorageError: cannot open '%s/no ne.json': No such file or directory\n  at "
                  "''%s/no ne.json''\n",
                  fx.dir.path, fx.dir.path);
    cr_expect_str_eq(fx.commands.text.data, expected.data);
    pk_buf_release(&expected);
    fixture_close(&fx);
}

Test(transfer_json, endless_values_are_refused)
{
    static const char start[] = "{\"id\": \"a\"}\n {\"id\": \"b\", \"x\": [";
    struct transfer_fixture fx;
    size_t len = TRANSFER_ITEM_MAX + (1 << 20);
    char *text = pk_malloc(len);

    memset(text, ' ', len);
    memcpy(text, start, strlen(start));
    fixture_open(&fx);
    fixture_write(&fx, "a.jsonl", pk_slice_of(text, len));
    cr_expect_str_eq(fixture_run(&fx, "import @/a.jsonl as Tab key id"),
                     "UsageError: @/a.jsonl:2:2: a value of more than 16 MB begins here\n");
    memcpy(text + len - 2, "]}", 2);
    memset(text, ' ', len - 100);
    memcpy(text + len - 100, start, strlen(start));
    fixture_write(&fx, "a.jsonl", pk_slice_of(text, len));
    cr_expect_str_eq(fixture_run(&fx, "import @/a.jsonl as Tab key id"),
                     "note: table Tab created: 2 items, 10 B\n");
    free(text);
    fixture_close(&fx);
}

Test(transfer_json, guard)
{
    struct transfer_fixture fx;
    struct pk_buf asked = PK_BUF_INIT;

    fixture_open(&fx);
    fixture_write(&fx, "a.jsonl", PK_LIT("{\"id\":\"a\"}\n"));
    fixture_must(&fx, "import @/a.jsonl as Tab key id");
    fx.commands.context.asker = (struct cmd_asker){answer_no, &asked};
    cr_expect_str_eq(fixture_run(&fx, "import @/a.jsonl into Tab"), "note: nothing was imported\n");
    cr_expect_str_eq(asked.data, "table Tab has items; import 1 more into it?");
    fx.commands.context.yes = true;
    cr_expect_str_eq(fixture_run(&fx, "import @/a.jsonl into Tab"),
                     "note: table Tab: 1 item, 3 B\n");
    pk_buf_release(&asked);
    fixture_close(&fx);
}
