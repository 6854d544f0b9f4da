"""boto3 against a server that checks signatures (`serve --auth`): who has the secret may ask."""
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import endpoint


def ask(key, secret, token=None, name="dynamodb"):
    session = boto3.Session(key, secret, token)
    return session.client(name, endpoint_url=endpoint.URL, config=Config(retries={"max_attempts": 1}))


class Signed(unittest.TestCase):
    def refused(self, code, message, call):
        with self.assertRaises(ClientError) as caught:
            call()
        answer = caught.exception.response
        self.assertEqual((answer["Error"]["Code"], answer["Error"]["Message"]), (code, message))
        self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 400)

    def test_the_secret_opens(self):
        client = ask("local", "local")
        self.assertEqual(client.list_tables()["TableNames"], [])
        self.assertEqual(ask("second", "other/secret+with=signs", None, "dynamodbstreams").list_streams()["Streams"], [])

    def test_what_is_signed_may_be_long_and_in_any_script(self):
        client = ask("local", "local")
        client.create_table(
            TableName="signed",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        item = {"id": {"S": "ü"}, "text": {"S": "Grüße ☃ 😀 " * 15000}}
        client.put_item(TableName="signed", Item=item)
        self.assertEqual(client.get_item(TableName="signed", Key={"id": {"S": "ü"}})["Item"], item)
        client.delete_table(TableName="signed")

    def test_others_are_refused(self):
        self.refused(
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
            "Access Key and signing method. Consult the service documentation for details.",
            ask("local", "wrong").list_tables,
        )
        self.refused(
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
            ask("nobody", "local").list_tables,
        )
        status, answer = endpoint.post("ListTables", {})
        self.assertEqual((status, answer["__type"].split("#")[1]), (400, "InvalidSignatureException"))


if __name__ == "__main__":
    unittest.main()
