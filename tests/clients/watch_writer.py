"""Writes what tests/clients/watch.sh looks for: create, many, or a number."""
import os
import sys

import boto3

resource = boto3.resource("dynamodb", endpoint_url=os.environ["PKSK_ENDPOINT"])
table = resource.Table("Watched")
what = sys.argv[1]

if what == "create":
    resource.create_table(
        TableName="Watched",
        KeySchema=[
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    ).wait_until_exists()
elif what == "many":
    with table.batch_writer() as batch:
        for i in range(1000):
            batch.put_item(Item={"PK": f"USER#{i % 50}", "SK": f"VISIT#{i}", "page": "home"})
else:
    n = int(what)
    table.put_item(Item={"PK": "USER#7", "SK": f"ORDER#{n}", "total": 10 * n})
