"""boto3 against `throttle enforce`: it sees the exceptions, and its retries back off and succeed."""
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import endpoint

TABLE = "throttled"
MESSAGE = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table "
    "or index so please try again shortly. If exceptions persist, check if you have a hot key."
)


def client(attempts):
    config = Config(retries={"max_attempts": attempts, "mode": "standard"})
    return boto3.client("dynamodb", endpoint_url=endpoint.URL, config=config)


def settings(**values):
    named = {name.replace("_", "."): text for name, text in values.items()}
    status, answer = endpoint.post("Settings", {"Profile": "workshop", "Set": named}, "Pksk_2026")
    assert status == 200, answer


def key(n):
    return {"PK": {"S": f"USER#{n}"}}


class Throttled(unittest.TestCase):
    def setUp(self):
        settings(split_heat="off")
        self.once = client(1)
        self.once.create_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )

    def tearDown(self):
        self.once.delete_table(TableName=TABLE)

    def drain(self):
        """Writes one key until it is refused; the refusal."""
        for _ in range(1000):
            try:
                self.once.put_item(TableName=TABLE, Item=key(1))
            except ClientError as error:
                return error.response
        self.fail("never refused")

    def test_the_exception(self):
        answer = self.drain()
        self.assertEqual((answer["Error"]["Code"], answer["Error"]["Message"]), ("ThrottlingException", MESSAGE))
        self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 400)

    def test_the_reasons(self):
        """Newer SDKs model them; this one's answer is read as it is."""
        self.drain()
        for _ in range(50):
            status, answer = endpoint.post("PutItem", {"TableName": TABLE, "Item": key(1)})
            if status != 200:
                break
        self.assertEqual(status, 400)
        self.assertEqual(
            answer,
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException",
                "throttlingReasons": [
                    {
                        "reason": "TableWriteKeyRangeThroughputExceeded",
                        "resource": f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}",
                    }
                ],
                "message": MESSAGE,
            },
        )

    def test_retries_back_off_and_succeed(self):
        patient = client(12)
        retries = 0
        for _ in range(25):
            answer = patient.put_item(TableName=TABLE, Item=key(1))
            retries += answer["ResponseMetadata"]["RetryAttempts"]
        self.assertGreater(retries, 0, "25 writes of one key at 10 a second")

    def test_batches_leave_items_unprocessed(self):
        self.drain()
        requests = [{"PutRequest": {"Item": key(n)}} for n in (1, 123)]
        for _ in range(50):
            left = self.once.batch_write_item(RequestItems={TABLE: requests})["UnprocessedItems"]
            if left:
                break
            self.drain()
        self.assertEqual(left, {TABLE: requests[:1]})
        # the other one, alone, is written; a batch of nothing but the hot one fails
        with boto3.resource("dynamodb", endpoint_url=endpoint.URL).Table(TABLE).batch_writer() as batch:
            for n in range(40):
                batch.put_item(Item={"PK": f"USER#{n}"})
        self.assertEqual(self.once.scan(TableName=TABLE, Select="COUNT")["Count"], 41)

    def test_a_transaction_is_cancelled(self):
        self.drain()
        actions = [{"Put": {"TableName": TABLE, "Item": key(n)}} for n in (123, 1)]
        with self.assertRaises(self.once.exceptions.TransactionCanceledException) as caught:
            for _ in range(50):
                self.once.transact_write_items(TransactItems=actions)
        codes = [reason["Code"] for reason in caught.exception.response["CancellationReasons"]]
        self.assertEqual(codes, ["None", "ThrottlingError"])


if __name__ == "__main__":
    unittest.main()
