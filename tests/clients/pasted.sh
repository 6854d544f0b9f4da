#!/bin/sh
# The lines that `pksk serve` prints for pasting, run as they are: pasted.sh WHAT-IT-PRINTED
set -u
printed=$1
passed=0 failed=0
# check NAME COMMAND…: prints that there is no table yet
check() {
    name=$1 && shift
    got=$("$@" 2>&1 | tr -d ' \n')
    if [ "$got" = '{"TableNames":[]}' ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok - $name: $got"
    fi
}
line() { sed -n "s/^$1  *//p" "$printed"; }
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_DEFAULT_REGION AWS_REGION

check boto3 /usr/bin/python3 -c "import boto3, json
dynamodb = $(line boto3)
print(json.dumps({'TableNames': [table.name for table in dynamodb.tables.all()]}))"
check 'AWS CLI' env PATH="/usr/bin:$PATH" sh -c "$(line 'AWS CLI')"
check JavaScript env NODE_NO_WARNINGS=1 node --input-type=module -e "import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
const client = $(line JavaScript);
console.log(JSON.stringify({ TableNames: (await client.send(new ListTablesCommand({}))).TableNames }));"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
