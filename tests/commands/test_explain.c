/*
 * explain and analyze, as a person sees them. The prices are those of the lesson's dashboard
 * (screens.md): six items, 172 bytes, four partitions.
 */
#include <criterion/criterion.h>

#include "commands/explain/explain_code.h"
#include "tests/support/session.h"

static const char *const setup[] = {
    "create table dashboard (PK S, SK S)",
    "put USER#123 PROFILE {name: Alice}",
    "put USER#123 ORDER#1001 {total: 45}",
    "put USER#123 ORDER#1002 {total: 12.5}",
    "put USER#123 PAYMENT#5 {status: paid}",
    "put USER#999 PROFILE {name: Bob}",
    "put USER#999 ORDER#55 {total: 9.99}",
    "create table Shop (Id S) gsi byName (name S, price N) gsi byKind (kind S + size N, at S) "
    "projection keys",
    "create table Music (Artist S, Song S) gsi byYear (Year N) projection keys lsi byPlays (Plays "
    "N)",
};

struct line {
    const char *statement;
    const char *answer;
};

static void run_lines(const struct line *lines, size_t count)
{
    struct session session;

    cr_assert(session_open(&session));
    for (size_t i = 0; i < sizeof(setup) / sizeof(*setup); i++)
        (void)session_run(&session, setup[i]);
    (void)session_run(&session, "use dashboard");
    for (size_t i = 0; i < count; i++) {
        const char *answer = session_run(&session, lines[i].statement);

        cr_expect_str_eq(answer, lines[i].answer, "%s\n  gives\n%s\n  expected\n%s",
                         lines[i].statement, answer, lines[i].answer);
    }
    session_close(&session);
}

static const struct line sheets[] = {
    {"explain query USER#123 ORDER#*",
     " operation  Query                                 one value of PK, in the order of SK\n"
     " key        PK = 'USER#123' AND begins_with(SK, 'ORDER#')   partition 1 of 4\n"
     " reads      at most 4 items, 118 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain query USER#123 ORDER#1001 desc strong",
     " operation  Query   one value of PK, in the order of SK, backwards\n"
     " key        PK = 'USER#123' AND SK = 'ORDER#1001'   partition 1 of 4\n"
     " reads      at most 1 item, about 29 B, 1 partition   1 RCU strong, 0.5 RCU eventual"},
    {"explain query USER#123 where total > 20 select total limit 2",
     " operation  Query             one value of PK, in the order of SK\n"
     " key        PK = 'USER#123'   partition 1 of 4\n"
     " filter     total > 20        applied after the read; paid for all the same\n"
     " select     total             cut out after the read; whole items are paid for\n"
     " reads      at most 2 items, about 58 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain query 2001 on byYear from Music",
     " operation  Query                               one value of Year\n"
     " index      byYear                              a GSI: its own partitions, eventually "
     "consistent\n"
     " key        Year = 2001                         partition 1 of 4\n"
     " reads      at most 0 items, 0 B, 1 partition   0.5 RCU eventual"},
    {"explain query Acme on byPlays from Music",
     " operation  Query                               one value of Artist, in the order of Plays\n"
     " index      byPlays                             an LSI: attributes it does not project are "
     "fetched from the table, for the price of each item\n"
     " key        Artist = 'Acme'                     partition 1 of 4\n"
     " reads      at most 0 items, 0 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain get USER#123 PROFILE",
     " operation  GetItem                              the whole key is given: one item\n"
     " key        PK = 'USER#123' AND SK = 'PROFILE'   partition 1 of 4\n"
     " reads      at most 1 item, about 29 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain get USER#999 PROFILE strong",
     " operation  GetItem                              the whole key is given: one item\n"
     " key        PK = 'USER#999' AND SK = 'PROFILE'   partition 0 of 4\n"
     " reads      at most 1 item, about 29 B, 1 partition   1 RCU strong, 0.5 RCU eventual"},
    {"explain put Acme Blue {Year: 2001, Plays: 5, Text: 'x'} into Music if "
     "attribute_not_exists(Artist)",
     " operation  PutItem                             replaces an item of that key\n"
     " key        Artist = 'Acme' AND Song = 'Blue'   partition 1 of 4\n"
     " condition  attribute_not_exists(Artist)        on the stored item; when it fails the write "
     "is paid for all the same\n"
     " writes     1 item, 37 B                        3 WCU, more if it replaces a larger item\n"
     " indexes    byPlays                             1 WCU of them\n"
     "            byYear                              1 WCU of them"},
    {"explain edit USER#123 PROFILE set name = 'Ann'",
     " operation  UpdateItem                           the whole key is given: one item\n"
     " key        PK = 'USER#123' AND SK = 'PROFILE'   partition 1 of 4\n"
     " writes     1 item, about 29 B                   1 WCU, more if the item is larger than the "
     "table's average"},
    {"explain del Acme Blue from Music",
     " operation  DeleteItem                          the whole key is given: one item\n"
     " key        Artist = 'Acme' AND Song = 'Blue'   partition 1 of 4\n"
     " writes     1 item                              1 WCU for each KB of the larger of old and "
     "new item"},
    {"explain scan",
     " operation  Scan                                   reads everything; no value for PK, the "
     "partition key\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong"},
    {"explain scan where total > 20",
     " operation  Scan                                   reads everything; where fixes no value "
     "for PK, the partition key\n"
     " filter     total > 20                             applied after the read; paid for all the "
     "same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with PK known:  query <PK>             Query, 1 partition\n"
     "            by total:       alter table dashboard add gsi by_total (<A> S, total N);   Query "
     "on the index; A: what is known for sure"},
    {"explain scan where PK = 'USER#123' and begins_with(SK, 'ORDER#')",
     " operation  Scan                                   reads everything; a Scan does not use PK, "
     "the partition key\n"
     " filter     PK = 'USER#123' and begins_with(SK, 'ORDER#')   applied after the read; paid for "
     "all the same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    PK is known:  query USER#123 ORDER#*   Query, 1 partition"},
    {"explain scan where SK between 'ORDER#1' and 'limit'",
     " operation  Scan                                   reads everything; where fixes no value "
     "for PK, the partition key\n"
     " filter     SK between 'ORDER#1' and 'limit'       applied after the read; paid for all the "
     "same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with PK known:  query <PK> ORDER#1..'limit'   Query, 1 partition"},
    {"explain scan where name = 'Bob' and price > 5 from Shop",
     " operation  Scan                                 reads everything; where fixes no value for "
     "Id, the partition key\n"
     " filter     name = 'Bob' and price > 5           applied after the read; paid for all the "
     "same\n"
     " reads      0 items, 0 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with Id known:  get <Id>             GetItem, 1 partition\n"
     "            by name:        query Bob > 5 on byName   Query on the index"},
    {"explain scan where kind = 'a' and size = 5 from Shop",
     " operation  Scan                                 reads everything; where fixes no value for "
     "Id, the partition key\n"
     " filter     kind = 'a' and size = 5              applied after the read; paid for all the "
     "same\n"
     " reads      0 items, 0 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with Id known:  get <Id>             GetItem, 1 partition\n"
     "            by kind:        query kind = 'a' and size = 5 on byKind   Query on the index"},
    {"explain scan on byName where price > 5 from Shop",
     " operation  Scan           reads everything; where fixes no value for name, the partition "
     "key\n"
     " index      byName         a GSI: its own partitions, eventually consistent\n"
     " filter     price > 5      applied after the read; paid for all the same\n"
     " reads      0 items, 0 B   0.5 RCU eventual\n"
     " instead    with name known:  query <name> > 5 on byName   Query, 1 partition\n"
     "            by price:         alter table Shop add gsi by_price (<A> S, price N);   Query on "
     "the index; A: what is known for sure"},
    {"explain scan where Id = 'set' from Shop",
     " operation  Scan                                 reads everything; a Scan does not use Id, "
     "the partition key\n"
     " filter     Id = 'set'                           applied after the read; paid for all the "
     "same\n"
     " reads      0 items, 0 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    Id is known:  get 'set'              GetItem, 1 partition"},
    {"explain scan segment 0/2",
     " operation  Scan                  reads everything; no value for PK, the partition key\n"
     " reads      3 items, about 86 B   0.5 RCU eventual, 1 RCU strong"},
    {"explain scan limit 3",
     " operation  Scan                  reads everything; no value for PK, the partition key\n"
     " reads      3 items, about 87 B   0.5 RCU eventual, 1 RCU strong"},
    {"explain count scan where name = 'Bob'",
     " operation  Scan                                   reads everything; where fixes no value "
     "for PK, the partition key\n"
     " filter     name = 'Bob'                           applied after the read; paid for all the "
     "same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with PK known:  query <PK>             Query, 1 partition\n"
     "            by name:        alter table dashboard add gsi by_name (name S);   Query on the "
     "index"},
    {"explain SELECT * FROM dashboard WHERE SK = 'PROFILE' AND name = 'Bob'",
     " operation  Scan                                   WHERE fixes no value for PK, the "
     "partition key\n"
     " filter     SK = 'PROFILE' AND name = 'Bob'        applied after the read; paid for all the "
     "same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with PK known:  get <PK> PROFILE       GetItem, 1 partition\n"
     "            by name:        alter table dashboard add gsi by_name (name S, SK S);   Query on "
     "the index"},
    {"explain SELECT * FROM dashboard WHERE PK = 'USER#123' AND total > 20 ORDER BY SK DESC",
     " operation  Query                                 WHERE fixes PK, the partition key; read "
     "backwards\n"
     " key        PK = 'USER#123'                       partition 1 of 4\n"
     " filter     total > 20                            applied after the read; paid for all the "
     "same\n"
     " reads      at most 4 items, 118 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain SELECT name FROM dashboard WHERE PK = 'USER#123' AND SK = 'PROFILE'",
     " operation  GetItem                              WHERE fixes PK and SK, the whole key\n"
     " key        PK = 'USER#123' AND SK = 'PROFILE'   partition 1 of 4\n"
     " select     name                                 cut out after the read; whole items are "
     "paid for\n"
     " reads      at most 1 item, about 29 B, 1 partition   0.5 RCU eventual, 1 RCU strong"},
    {"explain SELECT * FROM dashboard WHERE PK IN ['USER#123', 'USER#999']",
     " operation  Query                                WHERE allows 2 values for PK, the partition "
     "key: one Query each\n"
     " key        PK = 'USER#123'                      the first of 2 requests, one a partition "
     "key\n"
     " reads      at most 8 items, 236 B, 2 requests   1 RCU eventual, 2 RCU strong"},
    {"explain UPDATE dashboard SET name = 'Ann' WHERE PK = 'USER#123' AND SK = 'PROFILE'",
     " operation  UpdateItem                           WHERE fixes the whole key: one item\n"
     " key        PK = 'USER#123' AND SK = 'PROFILE'   partition 1 of 4\n"
     " writes     1 item, about 29 B                   1 WCU, more if the item is larger than the "
     "table's average"},
    {"explain SELECT * FROM dashboard WHERE PK = \"USER#123\"",
     " operation  Scan                                   WHERE fixes no value for PK, the "
     "partition key\n"
     " filter     PK = \"USER#123\"                        applied after the read; paid for all "
     "the same\n"
     " reads      6 items, 172 B, 4 partitions, 1 page   0.5 RCU eventual, 1 RCU strong\n"
     " instead    with PK known:  query <PK>             Query, 1 partition\n"
     "hint: in PartiQL \"…\" names an attribute; a string is written 'USER#123'"},
    {"explain check Acme Blue if Plays = 1 from Music",
     " operation  ConditionCheck                      the whole key is given: one item\n"
     " key        Artist = 'Acme' AND Song = 'Blue'   partition 1 of 4\n"
     " condition  Plays = 1                           on the stored item; when it fails, so does "
     "the transaction\n"
     " checks     1 item                              2 WCU for each KB, as all writes of a "
     "transaction"},
    {"explain EXISTS(SELECT * FROM dashboard WHERE PK = 'USER#123' AND SK = 'PROFILE' AND name = "
     "'Ann')",
     " operation  ConditionCheck                       WHERE fixes PK and SK, the whole key\n"
     " key        PK = 'USER#123' AND SK = 'PROFILE'   partition 1 of 4\n"
     " condition  name = 'Ann'                         on the stored item; when it fails, so does "
     "the transaction\n"
     " checks     1 item, about 29 B                   2 WCU, twice a write, as all in a "
     "transaction"},
    {"explain tables", "UsageError: 'tables' reads and writes no items @8+6\n"
                       "hint: explain takes get, put, edit, del, query, scan, count and PartiQL"},
    {"explain nothing", "UsageError: no command is called 'nothing' @8+7\n"
                        "hint: explain takes get, put, edit, del, query, scan, count and PartiQL"},
    {"explain", "UsageError: expected a statement\n"
                "hint: explain takes get, put, edit, del, query, scan, count and PartiQL"},
    {"explain as perl get a b", "UsageError: expected json, boto3 or cli after 'as' @11+4"},
    {"explain get USER#123",
     "UsageError: the key of dashboard is PK (S), SK (S): SK is missing @12+8"},
    {"explain SELECT * FROM nope",
     "ResourceNotFoundException: Requested resource not found: Table: nope not found @22+4"},
    {"explain query USER#123 where total >", "ValidationException: Invalid FilterExpression: "
                                             "Syntax error; token: \"<EOF>\", near: \">\" @36+1"},
};

Test(explain, sheets)
{
    run_lines(sheets, sizeof(sheets) / sizeof(*sheets));
}

static const struct line comparisons[] = {
    {"analyze query USER#123 ORDER#*",
     "2 items\n"
     "2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"
     "|predicted|actual\n"
     "items read|at most 4|2\n"
     "bytes read|at most 118 B|59 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|0.5 RCU|0.5 RCU"},
    {"analyze scan where total > 20",
     "1 items\n"
     "1 item of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
     "A Scan pays for what it reads, not for what it returns. To ask by total: a GSI with total as "
     "its key.\n"
     "|predicted|actual\n"
     "items read|6|6\n"
     "bytes read|172 B|172 B\n"
     "partitions|4|4\n"
     "requests|1|1\n"
     "units|0.5 RCU|0.5 RCU"},
    {"analyze get USER#123 PROFILE",
     "1 items\n"
     "1 item · GetItem · partition 1 of 4 · 28 B read · 0.5 RCU eventual\n"
     "|predicted|actual\n"
     "items read|at most 1|1\n"
     "bytes read|about 29 B|28 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|0.5 RCU|0.5 RCU"},
    {"analyze SELECT * FROM dashboard WHERE PK = 'USER#123'",
     "4 items\n"
     "4 items · Query · partition 1 of 4 · 118 B read · 0.5 RCU eventual\n"
     "|predicted|actual\n"
     "items read|at most 4|4\n"
     "bytes read|at most 118 B|118 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|0.5 RCU|0.5 RCU"},
    {"analyze put Acme Blue {Year: 2001, Plays: 5} into Music",
     "put · partition 1 of 4 · 32 B · 3 WCU (table 1, byPlays 1, byYear 1)\n"
     "|predicted|actual\n"
     "bytes|32 B|32 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|3 WCU|3 WCU"},
    {"analyze SELECT * FROM dashboard WHERE PK IN ['USER#123', 'USER#999']",
     "6 items\n"
     "6 items · 2 Queries · 2 of 4 partitions · 172 B read · 1 RCU eventual\n"
     "|predicted|actual\n"
     "items read|at most 8|6\n"
     "bytes read|at most 236 B|172 B\n"
     "requests|1|1\n"
     "units|1 RCU|1 RCU"},
    {"analyze UPDATE dashboard SET name = 'Ann' WHERE PK = 'USER#123' AND SK = 'PROFILE'",
     "UPDATE · partition 1 of 4 · 26 B · 1 WCU\n"
     "|predicted|actual\n"
     "bytes|about 29 B|26 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|1 WCU|1 WCU"},
    {"analyze edit Acme Blue set Year = 2002 from Music",
     "edit · partition 1 of 4 · 32 B · 4 WCU (table 1, byPlays 1, byYear 2)\n"
     "|predicted|actual\n"
     "bytes|about 32 B|32 B\n"
     "partitions|1|1\n"
     "requests|1|1\n"
     "units|1 to 5 WCU|4 WCU"},
    {"analyze count scan",
     "6\n"
     "6 items counted · Scan · all 4 partitions · 170 B read · 0.5 RCU eventual\n"
     "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"
     "|predicted|actual\n"
     "items read|6|6\n"
     "bytes read|170 B|170 B\n"
     "partitions|4|4\n"
     "requests|1|1\n"
     "units|0.5 RCU|0.5 RCU"},
    {"analyze get USER#123",
     "UsageError: the key of dashboard is PK (S), SK (S): SK is missing @12+8"},
    {"analyze put USER#123 PROFILE {} if attribute_not_exists(PK)",
     "cost 1 WCU all the same\n"
     "ConditionalCheckFailedException: The conditional request failed @35+24\n"
     "hint: the stored item has PK = 'USER#123'"},
};

Test(explain, comparisons)
{
    run_lines(comparisons, sizeof(comparisons) / sizeof(*comparisons));
}

static const struct line codes[] = {
    {"explain as boto3 query USER#123 ORDER#1001..ORDER#1002 desc",
     "import boto3\n"
     "from boto3.dynamodb.conditions import Key\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.query(\n"
     "    KeyConditionExpression=Key(\"PK\").eq(\"USER#123\") & "
     "Key(\"SK\").between(\"ORDER#1001\", \"ORDER#1002\"),\n"
     "    ScanIndexForward=False,\n"
     ")"},
    {"explain as boto3 scan where (total > 20 or name = 'Bob') and not contains(tags, 'x') select "
     "name",
     "import boto3\n"
     "from boto3.dynamodb.conditions import Attr\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.scan(\n"
     "    FilterExpression=(Attr(\"total\").gt(20) | Attr(\"name\").eq(\"Bob\")) & "
     "~(Attr(\"tags\").contains(\"x\")),\n"
     "    ProjectionExpression=\"#name\",\n"
     "    ExpressionAttributeNames={\"#name\": \"name\"},\n"
     ")"},
    {"explain as boto3 get \"a\\\"\\n\\u0001é\" 'b' strong",
     "import boto3\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.get_item(\n"
     "    Key={\"PK\": \"a\\\"\\n\\x01é\", \"SK\": \"b\"},\n"
     "    ConsistentRead=True,\n"
     ")"},
    {"explain as boto3 put a b {n: 5.25, i: -7, s: <<1, 2>>, b: b64'AAE=', l: [null, true], m: {`x "
     "y`: 'z'}} if attribute_not_exists(PK)",
     "from decimal import Decimal\n"
     "import boto3\n"
     "from boto3.dynamodb.conditions import Attr\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.put_item(\n"
     "    Item={\"PK\": \"a\", \"SK\": \"b\", \"b\": b\"\\x00\\x01\", \"i\": -7, \"l\": [None, "
     "True], \"m\": {\"x y\": \"z\"}, \"n\": Decimal(\"5.25\"), \"s\": {1, 2}},\n"
     "    ConditionExpression=Attr(\"PK\").not_exists(),\n"
     ")"},
    {"explain as boto3 edit a b set n = n + 1 if n < 5",
     "import boto3\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.update_item(\n"
     "    Key={\"PK\": \"a\", \"SK\": \"b\"},\n"
     "    UpdateExpression=\"SET #n = #n + :v1\",\n"
     "    ConditionExpression=\"#n < :v2\",\n"
     "    ExpressionAttributeNames={\"#n\": \"n\"},\n"
     "    ExpressionAttributeValues={\":v1\": 1, \":v2\": 5},\n"
     ")"},
    {"explain as boto3 scan where `a.b` = 5",
     "import boto3\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.scan(\n"
     "    FilterExpression=\"#n1 = :v1\",\n"
     "    ExpressionAttributeNames={\"#n1\": \"a.b\"},\n"
     "    ExpressionAttributeValues={\":v1\": 5},\n"
     ")"},
    {"explain as boto3 scan where n0 = 5 select n0, total",
     "import boto3\n"
     "table = boto3.resource(\"dynamodb\").Table(\"dashboard\")\n"
     "response = table.scan(\n"
     "    FilterExpression=\"#n0 = :v1\",\n"
     "    ProjectionExpression=\"#n0, #total\",\n"
     "    ExpressionAttributeNames={\"#n0\": \"n0\", \"#total\": \"total\"},\n"
     "    ExpressionAttributeValues={\":v1\": 5},\n"
     ")"},
    {"explain as boto3 query kind = 'a' and size = 5 on byKind from Shop",
     "import boto3\n"
     "from boto3.dynamodb.conditions import Key\n"
     "table = boto3.resource(\"dynamodb\").Table(\"Shop\")\n"
     "response = table.query(\n"
     "    IndexName=\"byKind\",\n"
     "    KeyConditionExpression=Key(\"kind\").eq(\"a\") & Key(\"size\").eq(5),\n"
     ")"},
    {"explain as boto3 query kind = 'a' and size = 5 and at > 'x' on byKind from Shop",
     "import boto3\n"
     "table = boto3.resource(\"dynamodb\").Table(\"Shop\")\n"
     "response = table.query(\n"
     "    IndexName=\"byKind\",\n"
     "    KeyConditionExpression=\"#kind = :v1 and #size = :v2 and #at > :v3\",\n"
     "    ExpressionAttributeNames={\"#kind\": \"kind\", \"#size\": \"size\", \"#at\": \"at\"},\n"
     "    ExpressionAttributeValues={\":v1\": \"a\", \":v2\": 5, \":v3\": \"x\"},\n"
     ")"},
    {"explain as boto3 SELECT * FROM dashboard WHERE PK = 'a' AND SK > 'b' AND SK < 'c'",
     "import boto3\n"
     "client = boto3.client(\"dynamodb\")\n"
     "response = client.execute_statement(\n"
     "    Statement=\"SELECT * FROM dashboard WHERE PK = 'a' AND SK > 'b' AND SK < 'c'\",\n"
     ")\n"
     "as it is sent: Query refuses key attributes in its FilterExpression; PartiQL allows them"},
    {"explain as boto3 SELECT name, a.b FROM dashboard WHERE PK = 'a'",
     "import boto3\n"
     "client = boto3.client(\"dynamodb\")\n"
     "response = client.execute_statement(\n"
     "    Statement=\"SELECT name, a.b FROM dashboard WHERE PK = 'a'\",\n"
     ")\n"
     "as it is sent: a ProjectionExpression leaves a nested value where it is; PartiQL makes it a "
     "column"},
    {"explain as boto3 create table New (a S) provisioned 1 2",
     "import boto3\n"
     "client = boto3.client(\"dynamodb\")\n"
     "response = client.create_table(\n"
     "    TableName=\"New\",\n"
     "    AttributeDefinitions=[{\"AttributeName\": \"a\", \"AttributeType\": \"S\"}],\n"
     "    KeySchema=[{\"AttributeName\": \"a\", \"KeyType\": \"HASH\"}],\n"
     "    BillingMode=\"PROVISIONED\",\n"
     "    ProvisionedThroughput={\"ReadCapacityUnits\": 1, \"WriteCapacityUnits\": 2},\n"
     ")"},
    {"explain as cli query USER#123 ORDER#* desc where name = 'it''s'",
     "aws dynamodb query \\\n"
     "    --table-name dashboard \\\n"
     "    --key-condition-expression '#PK = :v1 AND begins_with(#SK, :v2)' \\\n"
     "    --filter-expression '#name = :v3' \\\n"
     "    --no-scan-index-forward \\\n"
     "    --expression-attribute-names '{\"#PK\":\"PK\",\"#SK\":\"SK\",\"#name\":\"name\"}' \\\n"
     "    --expression-attribute-values "
     "'{\":v1\":{\"S\":\"USER#123\"},\":v2\":{\"S\":\"ORDER#\"},\":v3\":{\"S\":\"it'\\''s\"}}'"},
    {"explain as cli get a b strong", "aws dynamodb get-item \\\n"
                                      "    --table-name dashboard \\\n"
                                      "    --key '{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"b\"}}' \\\n"
                                      "    --consistent-read"},
    {"explain as cli put a b {x: b64'AAE='}",
     "aws dynamodb put-item \\\n"
     "    --cli-binary-format base64 \\\n"
     "    --table-name dashboard \\\n"
     "    --item '{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"b\"},\"x\":{\"B\":\"AAE=\"}}'"},
    {"explain as boto3 check a b if n = 5",
     "import boto3\n"
     "client = boto3.client(\"dynamodb\")\n"
     "response = client.transact_write_items(\n"
     "    TransactItems=[{\"ConditionCheck\": {\"TableName\": \"dashboard\", \"Key\": {\"PK\": "
     "{\"S\": \"a\"}, \"SK\": {\"S\": \"b\"}}, \"ConditionExpression\": \"#n = :v1\", "
     "\"ExpressionAttributeNames\": {\"#n\": \"n\"}, \"ExpressionAttributeValues\": {\":v1\": "
     "{\"N\": \"5\"}}}}],\n"
     ")"},
    {"explain as json del a b if n = 5 return old", "{\n"
                                                    "  \"TableName\": \"dashboard\",\n"
                                                    "  \"Key\": {\n"
                                                    "    \"PK\": {\n"
                                                    "      \"S\": \"a\"\n"
                                                    "    },\n"
                                                    "    \"SK\": {\n"
                                                    "      \"S\": \"b\"\n"
                                                    "    }\n"
                                                    "  },\n"
                                                    "  \"ConditionExpression\": \"#n = :v1\",\n"
                                                    "  \"ReturnValues\": \"ALL_OLD\",\n"
                                                    "  \"ExpressionAttributeNames\": {\n"
                                                    "    \"#n\": \"n\"\n"
                                                    "  },\n"
                                                    "  \"ExpressionAttributeValues\": {\n"
                                                    "    \":v1\": {\n"
                                                    "      \"N\": \"5\"\n"
                                                    "    }\n"
                                                    "  }\n"
                                                    "}\n"
                                                    "DeleteItem"},
    {"explain as json SELECT * FROM dashboard WHERE PK = 'a' AND SK = 'b'",
     "{\n"
     "  \"TableName\": \"dashboard\",\n"
     "  \"Key\": {\n"
     "    \"PK\": {\n"
     "      \"S\": \"a\"\n"
     "    },\n"
     "    \"SK\": {\n"
     "      \"S\": \"b\"\n"
     "    }\n"
     "  }\n"
     "}\n"
     "GetItem, which the statement stands for"},
    {"explain as json SELECT * FROM dashboard WHERE PK IN ['a', 'b']",
     "{\n"
     "  \"Statement\": \"SELECT * FROM dashboard WHERE PK IN ['a', 'b']\"\n"
     "}\n"
     "ExecuteStatement"},
};

Test(explain, codes)
{
    run_lines(codes, sizeof(codes) / sizeof(*codes));
}

/* "GetItem" by words, as boto3 and the AWS CLI spell it. */
Test(explain, names)
{
    static const struct {
        const char *camel;
        const char *words;
    } names[] = {
        {"GetItem", "get-item"},
        {"SSESpecification", "sse-specification"},
        {"ReturnValuesOnConditionCheckFailure", "return-values-on-condition-check-failure"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct pk_buf out = PK_BUF_INIT;

        explain_add_words(&out, pk_slice_cstr(names[i].camel), '-');
        cr_expect_str_eq(out.data, names[i].words);
        pk_buf_release(&out);
    }
}

/* What is typed behind explain completes as if it stood alone. */
Test(explain, completion)
{
    static const struct {
        const char *line;
        const char *has;
        const char *has_not;
    } rows[] = {
        {"explain ", "query", "USER#123"},
        {"explain que", "query", "USER#123"},
        {"explain get ", "USER#123", "query"},
        {"get a b\nexplain as boto3 get USER#123 ", "PROFILE", "query"},
        {"analyze scan from ", "dashboard", "query"},
        {"drop table ", "dashboard", "query"},
    };
    struct session session;

    cr_assert(session_open(&session));
    (void)session_run(&session, setup[0]);
    (void)session_run(&session, setup[1]);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        size_t end = strlen(rows[i].line);
        struct cmd_completion completion = {
            .line = pk_slice_cstr(rows[i].line),
            .start = rows[i].line[end - 1] == ' ' ? end : end - 3,
            .cursor = end,
            .arena = &arena,
        };
        bool has = false, has_not = true;

        cmd_complete(&session.context, &completion);
        for (size_t k = 0; k < completion.count; k++) {
            has = has || pk_slice_is(completion.candidates[k], rows[i].has);
            has_not = has_not && !pk_slice_is(completion.candidates[k], rows[i].has_not);
        }
        cr_expect(has, "%s offers no %s", rows[i].line, rows[i].has);
        cr_expect(has_not, "%s offers %s", rows[i].line, rows[i].has_not);
        pk_arena_release(&arena);
    }
    session_close(&session);
}
