#!/bin/sh
# The AWS CLI, as one would type it. Each check compares what it prints, or how it fails.
set -u
: "${PKSK_ENDPOINT:?}"
AWS=${AWS:-/usr/bin/aws}
export AWS_PAGER=
passed=0 failed=0
aws() { service=$1 && shift && "$AWS" --endpoint-url "$PKSK_ENDPOINT" "$service" "$@" 2>&1; }
# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
    fi
}
# refused NAME OPERATION ERROR MESSAGE ARGUMENTS…: the service's error, and the CLI's exit for it
refused() {
    name=$1 operation=$2 error=$3 message=$4
    shift 4
    out=$(aws "$@")
    check "$name: exit" 254 $?
    check "$name" "An error occurred ($error) when calling the $operation operation: $message" "$(echo "$out" | sed '/^$/d')"
}

check 'create-table' CREATING "$(aws dynamodb create-table --table-name Music --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=Artist,AttributeType=S AttributeName=Song,AttributeType=S AttributeName=Plays,AttributeType=N \
    --key-schema AttributeName=Artist,KeyType=HASH AttributeName=Song,KeyType=RANGE \
    --global-secondary-indexes 'IndexName=by_plays,KeySchema=[{AttributeName=Artist,KeyType=HASH},{AttributeName=Plays,KeyType=RANGE}],Projection={ProjectionType=ALL}' \
    --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE \
    --query TableDescription.TableStatus --output text)"
check 'wait table-exists' '' "$(aws dynamodb wait table-exists --table-name Music)"
check 'batch-write-item' '' "$(python3 -c '
import json
print(json.dumps({"Music": [{"PutRequest": {"Item": {"Artist": {"S": "Acme"}, "Song": {"S": "S%02d" % n}, "Plays": {"N": str(n)}}}} for n in range(20)]}))' |
    aws dynamodb batch-write-item --request-items file:///dev/stdin --query UnprocessedItems --output json)"
check 'query, all pages' '20' "$(aws dynamodb query --table-name Music --key-condition-expression 'Artist = :a' \
    --expression-attribute-values '{":a":{"S":"Acme"}}' --page-size 7 --query 'length(Items)' --output json)"
token=$(aws dynamodb query --table-name Music --key-condition-expression 'Artist = :a' \
    --expression-attribute-values '{":a":{"S":"Acme"}}' --max-items 5 --query NextToken --output json | tr -d '"')
check 'query, from where it stopped' 'S05	S06' "$(aws dynamodb query --table-name Music --key-condition-expression 'Artist = :a' \
    --expression-attribute-values '{":a":{"S":"Acme"}}' --max-items 2 --starting-token "$token" --query 'Items[].Song.S' --output text | head -n 1)"
check 'query on an index' 'S19	S18' "$(aws dynamodb query --table-name Music --index-name by_plays --no-scan-index-forward --limit 2 --no-paginate \
    --key-condition-expression 'Artist = :a' --expression-attribute-values '{":a":{"S":"Acme"}}' --query 'Items[].Song.S' --output text)"
check 'update-item' '8	gold' "$(aws dynamodb update-item --table-name Music \
    --key '{"Artist":{"S":"Acme"},"Song":{"S":"S07"}}' --update-expression 'ADD Plays :one, Awards :gold' \
    --expression-attribute-values '{":one":{"N":"1"},":gold":{"SS":["gold"]}}' --return-values UPDATED_NEW \
    --query 'Attributes.[Plays.N, Awards.SS[0]]' --output text)"
refused 'a condition' PutItem ConditionalCheckFailedException 'The conditional request failed' \
    dynamodb put-item --table-name Music --item '{"Artist":{"S":"Acme"},"Song":{"S":"S07"}}' --condition-expression 'attribute_not_exists(Song)'
refused 'a transaction' TransactWriteItems TransactionCanceledException \
    'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]' \
    dynamodb transact-write-items --transact-items '[
      {"Put": {"TableName": "Music", "Item": {"Artist": {"S": "New"}, "Song": {"S": "1"}}}},
      {"Delete": {"TableName": "Music", "Key": {"Artist": {"S": "No"}, "Song": {"S": "2"}}, "ConditionExpression": "attribute_exists(Song)"}}]'
check 'execute-statement' '1' "$(aws dynamodb execute-statement --statement "SELECT * FROM Music WHERE Artist = 'Acme' AND Song = ?" \
    --parameters '[{"S":"S03"}]' --query 'length(Items)' --output text)"
check 'update-time-to-live' 'True' "$(aws dynamodb update-time-to-live --table-name Music --time-to-live-specification Enabled=true,AttributeName=Until \
    --query TimeToLiveSpecification.Enabled --output text)"
stream=$(aws dynamodbstreams list-streams --table-name Music --query 'Streams[-1].StreamArn' --output text)
check 'describe-stream' 'NEW_IMAGE' "$(aws dynamodbstreams describe-stream --stream-arn "$stream" --query StreamDescription.StreamViewType --output text)"
check 'delete-table' DELETING "$(aws dynamodb delete-table --table-name Music --query TableDescription.TableStatus --output text)"
check 'wait table-not-exists' '' "$(aws dynamodb wait table-not-exists --table-name Music)"
refused 'a table that is gone' DescribeTable ResourceNotFoundException 'Requested resource not found: Table: Music not found' \
    dynamodb describe-table --table-name Music
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
