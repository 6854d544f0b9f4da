"""boto3, as an application would use it: the resource, the client, paginators and waiters.

boto3 1.26 does not know every member of today's API; those go as raw requests (endpoint.py).
"""
import contextlib
import io
import unittest
import uuid
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.config import Config
from botocore.exceptions import ClientError

import endpoint
import shapes

CONFIG = Config(retries={"max_attempts": 1})
CLIENT = boto3.client("dynamodb", endpoint_url=endpoint.URL, config=CONFIG)
RESOURCE = boto3.resource("dynamodb", endpoint_url=endpoint.URL, config=CONFIG)
STREAMS = boto3.client("dynamodbstreams", endpoint_url=endpoint.URL, config=CONFIG)
DIFFERENCES = []  # of answers from the service's model
for watched in (CLIENT, RESOURCE.meta.client, STREAMS):
    shapes.watch(watched, DIFFERENCES)
TABLE = "ECommerceSingleTable"
INDEX = "GSI1-Status-Date-Index"
REFUSED = "The conditional request failed"


def keys(hash_name, range_name=None):
    schema = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    if range_name:
        schema.append({"AttributeName": range_name, "KeyType": "RANGE"})
    return schema


def create_orders_table():
    CLIENT.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1_PK", "GSI1_SK")
        ],
        KeySchema=keys("PK", "SK"),
        GlobalSecondaryIndexes=[
            {"IndexName": INDEX, "KeySchema": keys("GSI1_PK", "GSI1_SK"), "Projection": {"ProjectionType": "ALL"}}
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    CLIENT.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1, "MaxAttempts": 20})


def order(customer, day, number, status, total):
    return {
        "PK": f"CUST#{customer}",
        "SK": f"ORDER#{day}#{number}",
        "Type": "Order",
        "Total": Decimal(total),
        "Status": status,
        "GSI1_PK": f"STATUS#{status}",
        "GSI1_SK": f"{day}#{number}",
    }


class Case(unittest.TestCase):
    maxDiff = None

    @contextlib.contextmanager
    def refused(self, code, message):
        """The block ends in exactly this error of the service."""
        with self.assertRaises(ClientError) as caught:
            yield caught
        error = caught.exception.response["Error"]
        self.assertEqual((error["Code"], error["Message"]), (code, message))
        self.assertEqual(caught.exception.response["ResponseMetadata"]["HTTPStatusCode"], 400)

    def tearDown(self):
        self.assertEqual(sorted(set(DIFFERENCES)), [])


class OrdersCase(Case):
    """Each test begins with an empty table of orders."""

    def setUp(self):
        create_orders_table()
        self.table = RESOURCE.Table(TABLE)

    def tearDown(self):
        self.table.delete()
        self.table.wait_until_not_exists()
        super().tearDown()


class StudyGuide(OrdersCase):
    def test_example_runs_with_nothing_but_the_endpoint_added(self):
        import study_guide_example as example

        with self.table.batch_writer() as batch:
            batch.put_item(Item={"PK": "CUST#1001", "SK": "METADATA", "Name": "Jane Doe"})
            batch.put_item(Item=order(1001, "2026-08-13", 9901, "SHIPPED", "149.50"))
            batch.put_item(Item=order(1001, "2026-08-13", 9902, "PENDING", "89.00"))
            batch.put_item(Item=order(1001, "2026-09-01", 9910, "PENDING", "5"))
            batch.put_item(Item=order(1002, "2026-08-14", 9903, "PENDING", "12"))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            orders = example.query_customer_orders("1001", "2026-08")
            pending = example.query_gsi_by_order_status("PENDING")
        self.assertEqual(printed.getvalue(), "Retrieved 2 order records for customer 1001\n")
        self.assertEqual([o["SK"] for o in orders], ["ORDER#2026-08-13#9901", "ORDER#2026-08-13#9902"])
        self.assertEqual(orders[0]["Total"], Decimal("149.5"))
        self.assertEqual(
            [(o["PK"], o["GSI1_SK"]) for o in pending],
            [("CUST#1001", "2026-08-13#9902"), ("CUST#1002", "2026-08-14#9903"), ("CUST#1001", "2026-09-01#9910")],
        )


class Tables(Case):
    def test_life_of_a_table(self):
        made = CLIENT.create_table(
            TableName="life",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=keys("id"),
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
            Tags=[{"Key": "team", "Value": "orders"}],
        )["TableDescription"]
        self.assertEqual(made["TableStatus"], "CREATING")
        with self.refused("ResourceInUseException", "Table already exists: life"):
            CLIENT.create_table(
                TableName="life",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=keys("id"),
                BillingMode="PAY_PER_REQUEST",
            )
        CLIENT.get_waiter("table_exists").wait(TableName="life", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        table = RESOURCE.Table("life")
        self.assertEqual(table.table_status, "ACTIVE")
        self.assertEqual(table.key_schema, keys("id"))
        self.assertEqual(table.provisioned_throughput["WriteCapacityUnits"], 6)
        self.assertEqual(table.creation_date_time, made["CreationDateTime"])
        arn = table.table_arn
        self.assertEqual(arn, "arn:aws:dynamodb:us-east-1:000000000000:table/life")
        CLIENT.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "test"}])
        CLIENT.untag_resource(ResourceArn=arn, TagKeys=["team"])
        self.assertEqual(CLIENT.list_tags_of_resource(ResourceArn=arn)["Tags"], [{"Key": "stage", "Value": "test"}])
        self.assertEqual(CLIENT.delete_table(TableName="life")["TableDescription"]["TableStatus"], "DELETING")
        CLIENT.get_waiter("table_not_exists").wait(TableName="life", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        with self.refused("ResourceNotFoundException", "Requested resource not found: Table: life not found"):
            CLIENT.describe_table(TableName="life")
        with self.refused("ResourceNotFoundException", "Requested resource not found"):
            CLIENT.get_item(TableName="life", Key={"id": {"S": "x"}})

    def test_names_come_in_pages(self):
        names = [f"page-{i:03d}" for i in range(12)]
        for name in names:
            CLIENT.create_table(
                TableName=name,
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=keys("id"),
                BillingMode="PAY_PER_REQUEST",
            )
        pages = list(CLIENT.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 5}))
        self.assertEqual([len(page["TableNames"]) for page in pages], [5, 5, 2])
        self.assertEqual([name for page in pages for name in page["TableNames"]], names)
        for name in names:
            CLIENT.delete_table(TableName=name)

    def test_an_index_is_added_filled_and_dropped(self):
        create_orders_table()
        table = RESOURCE.Table(TABLE)
        table.put_item(Item=order(1, "2026-01-01", 1, "PENDING", "10"))
        CLIENT.update_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": "Status", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[
                {
                    "Create": {
                        "IndexName": "by-status",
                        "KeySchema": keys("Status"),
                        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Total"]},
                    }
                }
            ],
        )
        for _ in range(100):
            indexes = {i["IndexName"]: i for i in RESOURCE.Table(TABLE).global_secondary_indexes}
            if indexes["by-status"]["IndexStatus"] == "ACTIVE":
                break
        found = table.query(IndexName="by-status", KeyConditionExpression=Key("Status").eq("PENDING"))
        self.assertEqual(
            found["Items"],
            [{"PK": "CUST#1", "SK": "ORDER#2026-01-01#1", "Status": "PENDING", "Total": Decimal("10")}],
        )
        CLIENT.update_table(
            TableName=TABLE, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-status"}}]
        )
        with self.refused("ValidationException", "The table does not have the specified index: by-status"):
            table.query(IndexName="by-status", KeyConditionExpression=Key("Status").eq("PENDING"))
        table.delete()

    def test_what_boto3_1_26_does_not_know(self):
        definition = {
            "TableName": "kept",
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": keys("id"),
            "BillingMode": "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": True,
        }
        status, made = endpoint.post("CreateTable", definition)
        self.assertEqual((status, made["TableDescription"]["DeletionProtectionEnabled"]), (200, True))
        with self.refused(
            "ValidationException",
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first.",
        ):
            CLIENT.delete_table(TableName="kept")
        item = {"TableName": "kept", "Item": {"id": {"S": "a"}, "n": {"N": "1"}}}
        self.assertEqual(endpoint.post("PutItem", item), (200, {}))
        again = dict(item, ConditionExpression="attribute_not_exists(id)", ReturnValuesOnConditionCheckFailure="ALL_OLD")
        self.assertEqual(
            endpoint.post("PutItem", again),
            (
                400,
                {
                    "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                    "message": REFUSED,
                    "Item": item["Item"],
                },
            ),
        )
        status, _ = endpoint.post("UpdateTable", {"TableName": "kept", "DeletionProtectionEnabled": False})
        self.assertEqual(status, 200)
        CLIENT.delete_table(TableName="kept")

    def test_account(self):
        limits = CLIENT.describe_limits()
        self.assertEqual((limits["AccountMaxReadCapacityUnits"], limits["TableMaxWriteCapacityUnits"]), (80000, 40000))
        self.assertEqual(CLIENT.describe_endpoints()["Endpoints"][0]["CachePeriodInMinutes"], 1440)


class Items(OrdersCase):
    KEY = {"PK": "CUST#7", "SK": "METADATA"}

    def test_every_type_comes_back_as_it_went(self):
        item = dict(
            self.KEY,
            text="Zoë \u2603 \U0001f600 \"quoted\" \\ \n",
            number=Decimal("-123456789012345678901234567890.12345678"),
            tiny=Decimal("1E-130"),
            yes=True,
            nothing=None,
            raw=Binary(bytes(range(256))),
            names={"a", "b"},
            numbers={Decimal("1"), Decimal("2.5")},
            blobs={Binary(b"\x00"), Binary(b"\xff")},
            tree={"list": [1, "two", {"three": [None, False]}], "empty": {}},
            empty_text="",
            empty_list=[],
        )
        self.table.put_item(Item=item)
        self.assertEqual(self.table.get_item(Key=self.KEY, ConsistentRead=True)["Item"], item)

    def test_what_is_absent(self):
        self.assertNotIn("Item", self.table.get_item(Key=self.KEY))
        self.assertNotIn("Attributes", self.table.delete_item(Key=self.KEY, ReturnValues="ALL_OLD"))

    def test_update_and_what_it_returns(self):
        self.table.put_item(Item=dict(self.KEY, visits=1, tags={"new"}, address={"city": "Bern"}, list=[1, 2, 3]))
        updated = self.table.update_item(
            Key=self.KEY,
            UpdateExpression="SET address.#c = :c, #l[1] = :v, seen = if_not_exists(seen, :v), "
            "#l[9] = :v REMOVE #l[0] ADD visits :one, tags :t",
            ExpressionAttributeNames={"#c": "city", "#l": "list"},
            ExpressionAttributeValues={":c": "Basel", ":v": 20, ":one": 1, ":t": {"vip"}},
            ReturnValues="ALL_NEW",
            ReturnConsumedCapacity="TOTAL",
        )
        self.assertEqual(
            updated["Attributes"],
            dict(self.KEY, visits=2, tags={"new", "vip"}, address={"city": "Basel"}, list=[20, 3, 20], seen=20),
        )
        self.assertEqual(updated["ConsumedCapacity"], {"TableName": TABLE, "CapacityUnits": 1.0})
        old = self.table.update_item(
            Key=self.KEY,
            UpdateExpression="SET visits = visits + :n",
            ExpressionAttributeValues={":n": Decimal("0.5")},
            ReturnValues="UPDATED_OLD",
        )
        self.assertEqual(old["Attributes"], {"visits": 2})

    def test_conditions(self):
        self.table.put_item(Item=dict(self.KEY, version=1), ConditionExpression=Attr("PK").not_exists())
        with self.refused("ConditionalCheckFailedException", REFUSED):
            self.table.put_item(Item=dict(self.KEY, version=9), ConditionExpression=Attr("PK").not_exists())
        for version in (1, 2, 3):
            self.table.update_item(
                Key=self.KEY,
                UpdateExpression="SET version = :next",
                ConditionExpression=Attr("version").eq(version) & Attr("version").between(0, 10),
                ExpressionAttributeValues={":next": version + 1},
            )
        with self.refused("ConditionalCheckFailedException", REFUSED):
            self.table.delete_item(Key=self.KEY, ConditionExpression=Attr("version").is_in([1, 2, 3]))
        with self.assertRaises(CLIENT.exceptions.ConditionalCheckFailedException):
            CLIENT.delete_item(
                TableName=TABLE,
                Key={"PK": {"S": "CUST#7"}, "SK": {"S": "METADATA"}},
                ConditionExpression="size(PK) > :n",
                ExpressionAttributeValues={":n": {"N": "100"}},
            )
        gone = self.table.delete_item(Key=self.KEY, ReturnValues="ALL_OLD")
        self.assertEqual(gone["Attributes"], dict(self.KEY, version=4))

    def test_what_is_refused(self):
        with self.refused(
            "ValidationException",
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: SK",
        ):
            self.table.put_item(Item={"PK": "x", "SK": ""})
        with self.refused("ValidationException", "Item size has exceeded the maximum allowed size"):
            self.table.put_item(Item=dict(self.KEY, big="x" * 409600))
        with self.refused("ValidationException", "The provided key element does not match the schema"):
            self.table.get_item(Key={"PK": "x"})
        with self.refused(
            "ValidationException",
            "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: Status",
        ):
            self.table.update_item(
                Key=self.KEY, UpdateExpression="SET Status = :s", ExpressionAttributeValues={":s": "x"}
            )


class Reads(OrdersCase):
    def setUp(self):
        super().setUp()
        with self.table.batch_writer() as batch:
            for number in range(57):
                batch.put_item(Item=order(1, "2026-03-01", 100 + number, "OPEN" if number % 3 else "DONE", number))
            batch.put_item(Item=order(2, "2026-03-02", 900, "DONE", 1))

    def test_query_in_pages(self):
        numbers, request, pages = [], {"Limit": 10}, 0
        while True:
            page = self.table.query(
                KeyConditionExpression=Key("PK").eq("CUST#1") & Key("SK").begins_with("ORDER#"), **request
            )
            numbers += [int(item["SK"][-3:]) for item in page["Items"]]
            pages += 1
            if "LastEvaluatedKey" not in page:
                break
            self.assertEqual(sorted(page["LastEvaluatedKey"]), ["PK", "SK"])
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        self.assertEqual((numbers, pages), (list(range(100, 157)), 6))

    def test_index_in_pages_backward(self):
        paginator = CLIENT.get_paginator("query")
        pages = list(
            paginator.paginate(
                TableName=TABLE,
                IndexName=INDEX,
                KeyConditionExpression="GSI1_PK = :s",
                ExpressionAttributeValues={":s": {"S": "STATUS#DONE"}},
                ScanIndexForward=False,
                PaginationConfig={"PageSize": 8},
            )
        )
        # 20 entries: the third page stops at its end, not at its limit
        self.assertEqual([page["Count"] for page in pages], [8, 8, 4])
        self.assertEqual(sorted(pages[0]["LastEvaluatedKey"]), ["GSI1_PK", "GSI1_SK", "PK", "SK"])
        numbers = [item["GSI1_SK"]["S"][-3:] for page in pages for item in page["Items"]]
        self.assertEqual(numbers, ["900"] + [str(100 + n) for n in range(54, -1, -3)])

    def test_filter_projection_and_count(self):
        found = self.table.query(
            KeyConditionExpression=Key("PK").eq("CUST#1") & Key("SK").between("ORDER#2026-03-01#110", "ORDER#2026-03-01#119"),
            FilterExpression=Attr("Status").eq("DONE") & ~Attr("Total").gt(15),
            ProjectionExpression="SK, #t",
            ExpressionAttributeNames={"#t": "Total"},
            ReturnConsumedCapacity="INDEXES",
        )
        self.assertEqual((found["Count"], found["ScannedCount"]), (2, 10))
        self.assertEqual(
            found["Items"],
            [{"SK": "ORDER#2026-03-01#112", "Total": 12}, {"SK": "ORDER#2026-03-01#115", "Total": 15}],
        )
        self.assertEqual(found["ConsumedCapacity"]["Table"], {"CapacityUnits": 0.5})
        count = self.table.scan(Select="COUNT")
        self.assertEqual((count["Count"], "Items" in count), (58, False))

    def test_segments_meet_each_item_once(self):
        keys_seen = []
        for segment in range(4):
            for page in CLIENT.get_paginator("scan").paginate(
                TableName=TABLE, Segment=segment, TotalSegments=4, PaginationConfig={"PageSize": 7}
            ):
                keys_seen += [item["SK"]["S"] for item in page["Items"]]
        self.assertEqual((len(keys_seen), len(set(keys_seen))), (58, 58))

    def test_a_page_ends_at_one_megabyte(self):
        with self.table.batch_writer() as batch:
            for number in range(20):
                batch.put_item(Item={"PK": "BIG", "SK": f"{number:02d}", "body": "x" * 100000})
        first = self.table.query(KeyConditionExpression=Key("PK").eq("BIG"))
        self.assertEqual((first["Count"], first["LastEvaluatedKey"]), (11, {"PK": "BIG", "SK": "10"}))
        rest = self.table.query(
            KeyConditionExpression=Key("PK").eq("BIG"), ExclusiveStartKey=first["LastEvaluatedKey"]
        )
        self.assertEqual((rest["Count"], "LastEvaluatedKey" in rest), (9, False))
        self.assertEqual(rest["Items"][8]["body"], "x" * 100000)

    def test_what_is_refused(self):
        with self.refused("ValidationException", "Query condition missed key schema element: PK"):
            self.table.query(KeyConditionExpression=Key("SK").eq("x"))
        with self.refused("ValidationException", "Consistent reads are not supported on global secondary indexes"):
            self.table.query(IndexName=INDEX, KeyConditionExpression=Key("GSI1_PK").eq("x"), ConsistentRead=True)


class Batches(OrdersCase):
    def test_writer_overwrites_and_deletes(self):
        with self.table.batch_writer(overwrite_by_pkeys=["PK", "SK"]) as batch:
            for number in range(60):
                batch.put_item(Item={"PK": "B", "SK": f"{number % 50:02d}", "n": number})
            batch.delete_item(Key={"PK": "B", "SK": "07"})
        found = self.table.query(KeyConditionExpression=Key("PK").eq("B"))["Items"]
        self.assertEqual(len(found), 49)
        self.assertEqual({int(i["SK"]): int(i["n"]) for i in found}[3], 53)

    def test_get_of_a_hundred(self):
        with self.table.batch_writer() as batch:
            for number in range(0, 100, 2):
                batch.put_item(Item={"PK": "B", "SK": f"{number:02d}", "n": number})
        wanted = [{"PK": "B", "SK": f"{number:02d}"} for number in range(100)]
        found = RESOURCE.batch_get_item(
            RequestItems={TABLE: {"Keys": wanted, "ConsistentRead": True, "ProjectionExpression": "n"}},
            ReturnConsumedCapacity="TOTAL",
        )
        self.assertEqual(sorted(i["n"] for i in found["Responses"][TABLE]), list(range(0, 100, 2)))
        self.assertEqual(found["UnprocessedKeys"], {})
        self.assertEqual(found["ConsumedCapacity"], [{"TableName": TABLE, "CapacityUnits": 100.0}])

    def test_what_does_not_fit_is_handed_back(self):
        for number in range(50):
            self.table.put_item(Item={"PK": "B", "SK": f"{number:02d}", "body": "x" * 390000})
        request = {TABLE: {"Keys": [{"PK": "B", "SK": f"{number:02d}"} for number in range(50)]}}
        counts = []
        while request:
            answer = RESOURCE.batch_get_item(RequestItems=request)
            counts.append(len(answer["Responses"][TABLE]))
            request = answer["UnprocessedKeys"]
        self.assertEqual(counts, [43, 7])

    def test_what_is_refused(self):
        put = {"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}}
        with self.refused("ValidationException", "Provided list of item keys contains duplicates"):
            CLIENT.batch_write_item(RequestItems={TABLE: [put, put]})
        with self.refused("ResourceNotFoundException", "Requested resource not found"):
            CLIENT.batch_write_item(RequestItems={"nowhere": [put]})


class Transactions(OrdersCase):
    def place(self, stock_left, token=None):
        """An order, and its piece of stock, together."""
        actions = [
            {
                "Update": {
                    "TableName": TABLE,
                    "Key": {"PK": {"S": "SKU#1"}, "SK": {"S": "STOCK"}},
                    "UpdateExpression": "SET #left = #left - :one",
                    "ConditionExpression": "#left >= :one",
                    "ExpressionAttributeNames": {"#left": "left"},
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            },
            {
                "Put": {
                    "TableName": TABLE,
                    "Item": {"PK": {"S": "CUST#1"}, "SK": {"S": f"ORDER#{stock_left}"}},
                    "ConditionExpression": "attribute_not_exists(PK)",
                }
            },
            {
                "ConditionCheck": {
                    "TableName": TABLE,
                    "Key": {"PK": {"S": "CUST#1"}, "SK": {"S": "METADATA"}},
                    "ConditionExpression": "attribute_exists(PK)",
                }
            },
        ]
        extra = {"ClientRequestToken": token} if token else {}
        return CLIENT.transact_write_items(TransactItems=actions, ReturnConsumedCapacity="TOTAL", **extra)

    def setUp(self):
        super().setUp()
        self.table.put_item(Item={"PK": "SKU#1", "SK": "STOCK", "left": 2})
        self.table.put_item(Item={"PK": "CUST#1", "SK": "METADATA"})

    def left(self):
        return self.table.get_item(Key={"PK": "SKU#1", "SK": "STOCK"}, ConsistentRead=True)["Item"]["left"]

    def test_all_or_nothing(self):
        self.assertEqual(
            self.place(2)["ConsumedCapacity"],
            [{"TableName": TABLE, "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0}],
        )
        self.place(1)
        with self.assertRaises(CLIENT.exceptions.TransactionCanceledException) as caught:
            self.place(0)
        answer = caught.exception.response
        self.assertEqual(
            answer["Error"]["Message"],
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[ConditionalCheckFailed, None, None]",
        )
        self.assertEqual(
            answer["CancellationReasons"],
            [
                {
                    "Code": "ConditionalCheckFailed",
                    "Message": REFUSED,
                    "Item": {"PK": {"S": "SKU#1"}, "SK": {"S": "STOCK"}, "left": {"N": "0"}},
                },
                {"Code": "None"},
                {"Code": "None"},
            ],
        )
        self.assertEqual(self.left(), 0)
        self.assertNotIn("Item", self.table.get_item(Key={"PK": "CUST#1", "SK": "ORDER#0"}))

    def test_a_token_is_taken_once(self):
        token = uuid.uuid4().hex
        self.place(2, token)
        again = self.place(2, token)
        self.assertEqual(self.left(), 1)
        self.assertEqual(again["ConsumedCapacity"][0]["CapacityUnits"], 6.0)
        with self.assertRaises(CLIENT.exceptions.IdempotentParameterMismatchException):
            self.place(1, token)

    def test_reading_together(self):
        answer = CLIENT.transact_get_items(
            TransactItems=[
                {"Get": {"TableName": TABLE, "Key": {"PK": {"S": "SKU#1"}, "SK": {"S": sort}}}}
                for sort in ("STOCK", "NOWHERE")
            ]
        )
        self.assertEqual(answer["Responses"][0]["Item"]["left"], {"N": "2"})
        self.assertEqual(answer["Responses"][1], {})

    def test_one_item_twice(self):
        put = {"Put": {"TableName": TABLE, "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}}
        with self.refused(
            "ValidationException", "Transaction request cannot include multiple operations on one item"
        ):
            CLIENT.transact_write_items(TransactItems=[put, put])


class PartiQL(OrdersCase):
    def run_statement(self, statement, *parameters, **more):
        given = {"Parameters": list(parameters)} if parameters else {}
        return CLIENT.execute_statement(Statement=statement, **given, **more)

    def test_statements(self):
        for number in range(12):
            self.run_statement(
                f"INSERT INTO \"{TABLE}\" VALUE {{'PK': ?, 'SK': ?, 'n': {number}}}", {"S": "P"}, {"S": f"{number:02d}"}
            )
        with self.refused("DuplicateItemException", "Duplicate primary key exists in table"):
            self.run_statement(f"INSERT INTO \"{TABLE}\" VALUE {{'PK': 'P', 'SK': '00'}}")
        self.run_statement(f"UPDATE \"{TABLE}\" SET n = n + 100 WHERE PK = 'P' AND SK = '03'")
        self.run_statement(f"DELETE FROM \"{TABLE}\" WHERE PK = 'P' AND SK = '04'")
        numbers, token = [], {}
        while True:
            page = self.run_statement(f"SELECT n FROM \"{TABLE}\" WHERE PK = ?", {"S": "P"}, Limit=5, **token)
            numbers += [int(item["n"]["N"]) for item in page["Items"]]
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        self.assertEqual(numbers, [0, 1, 2, 103, 5, 6, 7, 8, 9, 10, 11])

    def test_batch_and_transaction(self):
        statement = f"INSERT INTO \"{TABLE}\" VALUE {{'PK': 'P', 'SK': ?}}"
        CLIENT.execute_transaction(
            TransactStatements=[{"Statement": statement, "Parameters": [{"S": s}]} for s in ("a", "b")]
        )
        answers = CLIENT.batch_execute_statement(
            Statements=[
                {"Statement": f"SELECT SK FROM \"{TABLE}\" WHERE PK = 'P' AND SK = ?", "Parameters": [{"S": s}]}
                for s in ("a", "nowhere")
            ]
        )["Responses"]
        self.assertEqual(answers, [{"TableName": TABLE, "Item": {"SK": {"S": "a"}}}, {"TableName": TABLE}])
        with self.assertRaises(CLIENT.exceptions.TransactionCanceledException) as caught:
            CLIENT.execute_transaction(
                TransactStatements=[{"Statement": statement, "Parameters": [{"S": s}]} for s in ("c", "a")]
            )
        self.assertEqual(
            [reason["Code"] for reason in caught.exception.response["CancellationReasons"]], ["None", "DuplicateItem"]
        )
        self.assertNotIn("Item", self.table.get_item(Key={"PK": "P", "SK": "c"}))


def read_stream(arn):
    """Every record there is, shard after shard, until a shard has nothing more to give."""
    records = []
    for shard in STREAMS.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = STREAMS.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        while iterator:
            page = STREAMS.get_records(ShardIterator=iterator, Limit=3)
            records += page["Records"]
            iterator = page.get("NextShardIterator") if page["Records"] else None
    return sorted(records, key=lambda record: int(record["dynamodb"]["SequenceNumber"]))


class Streams(OrdersCase):
    def test_changes_come_in_order(self):
        for number in range(5):
            self.table.put_item(Item={"PK": "S", "SK": "1", "n": number})
        self.table.put_item(Item={"PK": "S", "SK": "1", "n": 4})
        self.table.delete_item(Key={"PK": "S", "SK": "1"})
        arn = self.table.latest_stream_arn
        self.assertEqual(
            [s["StreamArn"] for s in STREAMS.list_streams(TableName=TABLE)["Streams"]][-1:], [arn]
        )
        records = read_stream(arn)
        self.assertEqual(
            [r["eventName"] for r in records], ["INSERT", "MODIFY", "MODIFY", "MODIFY", "MODIFY", "REMOVE"]
        )
        key = {"PK": {"S": "S"}, "SK": {"S": "1"}}
        change = records[1]["dynamodb"]
        self.assertEqual(
            (change["Keys"], change["OldImage"], change["NewImage"]),
            (key, dict(key, n={"N": "0"}), dict(key, n={"N": "1"})),
        )
        # names and values: the keys 3 + 3, the old image with n 0 (1 + 1), the new one with n 1 (1 + 2)
        self.assertEqual(change["SizeBytes"], 6 + (6 + 2) + (6 + 3))
        self.assertNotIn("NewImage", records[5]["dynamodb"])
        self.assertNotIn("userIdentity", records[5])

    def test_what_is_refused(self):
        arn = self.table.latest_stream_arn[:-3] + "000"
        with self.refused(
            "ResourceNotFoundException", f"Requested resource not found: Stream: {arn} not found"
        ):
            STREAMS.describe_stream(StreamArn=arn)


class TimeToLive(OrdersCase):
    def test_an_expired_item_goes_and_the_stream_tells(self):
        self.assertEqual(
            CLIENT.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"], {"TimeToLiveStatus": "DISABLED"}
        )
        CLIENT.update_time_to_live(
            TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
        )
        self.assertEqual(
            CLIENT.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"],
            {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"},
        )
        with self.refused("ValidationException", "TimeToLive is already enabled"):
            CLIENT.update_time_to_live(
                TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
            )
        status, clock = endpoint.post("Clock", {}, prefix="Pksk_2026")
        self.assertEqual(status, 200)
        now = int(clock["Now"]) // 1000
        self.table.put_item(Item={"PK": "T", "SK": "short", "expires": now + 60})
        self.table.put_item(Item={"PK": "T", "SK": "long", "expires": now + 9_000_000})
        three_days = {"Action": "ADVANCE", "Value": str(3 * 86400 * 1000)}
        self.assertEqual(endpoint.post("Clock", three_days, prefix="Pksk_2026")[0], 200)
        left = self.table.query(KeyConditionExpression=Key("PK").eq("T"))["Items"]
        self.assertEqual([item["SK"] for item in left], ["long"])
        removed = [r for r in read_stream(self.table.latest_stream_arn) if r["eventName"] == "REMOVE"]
        self.assertEqual([r["dynamodb"]["Keys"]["SK"]["S"] for r in removed], ["short"])
        self.assertEqual(removed[0]["userIdentity"], {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"})


class Backups(OrdersCase):
    def test_a_table_comes_back_under_another_name(self):
        items = [order(1, "2026-05-05", number, "OPEN", number) for number in range(100, 130)]
        with self.table.batch_writer() as batch:
            for item in items:
                batch.put_item(Item=item)
        made = CLIENT.create_backup(TableName=TABLE, BackupName="before-migration")["BackupDetails"]
        self.assertEqual((made["BackupStatus"], made["BackupType"]), ("CREATING", "USER"))
        for _ in range(100):
            described = CLIENT.describe_backup(BackupArn=made["BackupArn"])["BackupDescription"]
            if described["BackupDetails"]["BackupStatus"] == "AVAILABLE":
                break
        self.assertEqual(described["SourceTableDetails"]["ItemCount"], 30)
        with self.table.batch_writer() as batch:
            for item in items:
                batch.delete_item(Key={"PK": item["PK"], "SK": item["SK"]})
        listed = CLIENT.list_backups(TableName=TABLE)["BackupSummaries"]
        self.assertEqual([(b["BackupName"], b["BackupArn"]) for b in listed], [("before-migration", made["BackupArn"])])
        restored = CLIENT.restore_table_from_backup(TargetTableName="restored", BackupArn=made["BackupArn"])
        self.assertTrue(restored["TableDescription"]["RestoreSummary"]["RestoreInProgress"])
        CLIENT.get_waiter("table_exists").wait(TableName="restored", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        copy = RESOURCE.Table("restored")
        self.assertEqual(copy.query(KeyConditionExpression=Key("PK").eq("CUST#1"))["Items"], items)
        found = copy.query(IndexName=INDEX, KeyConditionExpression=Key("GSI1_PK").eq("STATUS#OPEN"))
        self.assertEqual(found["Count"], 30)
        self.assertEqual(self.table.scan()["Count"], 0)
        copy.delete()
        CLIENT.delete_backup(BackupArn=made["BackupArn"])
        with self.refused("BackupNotFoundException", f"Backup not found: {made['BackupArn']}"):
            CLIENT.describe_backup(BackupArn=made["BackupArn"])

    def test_there_is_no_recovery_to_a_point_in_time(self):
        state = CLIENT.describe_continuous_backups(TableName=TABLE)["ContinuousBackupsDescription"]
        self.assertEqual(state["ContinuousBackupsStatus"], "ENABLED")
        self.assertEqual(state["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "DISABLED")


if __name__ == "__main__":
    unittest.main()
