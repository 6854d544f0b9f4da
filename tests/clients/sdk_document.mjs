// AWS SDK for JavaScript v3, the document client: an application's single-table design.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DynamoDBClient, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import {
    BatchExecuteStatementCommand,
    BatchGetCommand,
    BatchWriteCommand,
    DeleteCommand,
    DynamoDBDocument,
    ExecuteTransactionCommand,
    GetCommand,
    NumberValue,
    PutCommand,
    QueryCommand,
    TransactGetCommand,
    TransactWriteCommand,
    UpdateCommand,
    paginateQuery,
    paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { client, documents, refused, settings, tableExists, tableIsGone } from './endpoint.mjs';

const TableName = 'dashboard';

before(async () => {
    await client.send(
        new CreateTableCommand({
            TableName,
            AttributeDefinitions: ['PK', 'SK', 'email'].map((AttributeName) => ({
                AttributeName,
                AttributeType: 'S',
            })),
            KeySchema: [
                { AttributeName: 'PK', KeyType: 'HASH' },
                { AttributeName: 'SK', KeyType: 'RANGE' },
            ],
            GlobalSecondaryIndexes: [
                {
                    IndexName: 'by_email',
                    KeySchema: [{ AttributeName: 'email', KeyType: 'HASH' }],
                    Projection: { ProjectionType: 'KEYS_ONLY' },
                },
            ],
            BillingMode: 'PAY_PER_REQUEST',
        }),
    );
    await tableExists(TableName);
});

after(async () => {
    await client.send(new DeleteTableCommand({ TableName }));
    await tableIsGone(TableName);
    client.destroy();
});

test('a document comes back as it went', async () => {
    const Item = {
        PK: 'USER#1',
        SK: 'PROFILE',
        name: 'Ann',
        tags: new Set(['a', 'b']),
        photo: new Uint8Array([1, 2]),
        gone: null,
        address: { lines: ['x', ''], zip: 4051, here: true },
        big: NumberValue.from('98765432109876543210987654321098765432'),
    };
    await documents.send(new PutCommand({ TableName, Item }));
    const exact = DynamoDBDocument.from(new DynamoDBClient(settings), {
        unmarshallOptions: { wrapNumbers: true },
    });
    const got = await exact.get({ TableName, Key: { PK: 'USER#1', SK: 'PROFILE' }, ConsistentRead: true });
    exact.destroy();
    assert.deepEqual(got.Item, { ...Item, address: { ...Item.address, zip: NumberValue.from('4051') } });
    const nobody = await documents.send(new GetCommand({ TableName, Key: { PK: 'USER#1', SK: 'NOTHING' } }));
    assert.equal(nobody.Item, undefined);
});

test('a page of orders at a time', async () => {
    const orders = Array.from({ length: 42 }, (_, i) => ({
        PK: 'USER#2',
        SK: `ORDER#${1000 + i}`,
        amount: i / 2,
    }));
    for (let i = 0; i < orders.length; i += 25) {
        await documents.send(
            new BatchWriteCommand({
                RequestItems: {
                    [TableName]: orders.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } })),
                },
            }),
        );
    }
    await documents.send(new PutCommand({ TableName, Item: { PK: 'USER#2', SK: 'PROFILE' } }));
    const pages = [];
    const query = {
        TableName,
        KeyConditionExpression: 'PK = :u AND begins_with(SK, :o)',
        ExpressionAttributeValues: { ':u': 'USER#2', ':o': 'ORDER#' },
    };
    for await (const page of paginateQuery({ client: documents, pageSize: 20 }, { ...query }))
        pages.push(page.Items);
    assert.deepEqual(
        pages.map((page) => page.length),
        [20, 20, 2],
    );
    assert.deepEqual(pages.flat(), orders);
    const last = await documents.send(
        new QueryCommand({ ...query, ScanIndexForward: false, Limit: 1, ProjectionExpression: 'amount' }),
    );
    assert.deepEqual(
        [last.Items, last.LastEvaluatedKey],
        [[{ amount: 20.5 }], { PK: 'USER#2', SK: 'ORDER#1041' }],
    );
    let scanned = 0;
    for await (const page of paginateScan(
        { client: documents, pageSize: 9 },
        { TableName, FilterExpression: 'amount >= :t', ExpressionAttributeValues: { ':t': 20 } },
    )) {
        scanned += page.Count;
    }
    assert.equal(scanned, 2);
});

test('optimistic locking', async () => {
    const Key = { PK: 'USER#3', SK: 'PROFILE' };
    await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 1 } }));
    const write = (seen) =>
        documents.send(
            new UpdateCommand({
                TableName,
                Key,
                UpdateExpression: 'SET version = version + :one, #n.x = :seen',
                ConditionExpression: 'version = :seen',
                ExpressionAttributeNames: { '#n': 'nested' },
                ExpressionAttributeValues: { ':one': 1, ':seen': seen },
                ReturnValues: 'ALL_NEW',
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
        );
    await assert.rejects(
        write(1),
        refused(
            'ValidationException',
            'The document path provided in the update expression is invalid for update',
        ),
    );
    await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 1, nested: {} } }));
    assert.deepEqual((await write(1)).Attributes, { ...Key, version: 2, nested: { x: 1 } });
    await assert.rejects(
        write(1),
        refused('ConditionalCheckFailedException', 'The conditional request failed', {
            Item: {
                PK: { S: 'USER#3' },
                SK: { S: 'PROFILE' },
                version: { N: '2' },
                nested: { M: { x: { N: '1' } } },
            },
        }),
    );
    const writers = await Promise.allSettled(Array.from({ length: 8 }, () => write(2)));
    assert.deepEqual(writers.map((w) => w.status).sort(), ['fulfilled', ...Array(7).fill('rejected')]);
    await documents.send(new DeleteCommand({ TableName, Key, ConditionExpression: 'attribute_exists(PK)' }));
});

test('an address is taken by one user only', async () => {
    const register = (user, email) =>
        documents.send(
            new TransactWriteCommand({
                TransactItems: [
                    {
                        Put: {
                            TableName,
                            Item: { PK: `EMAIL#${email}`, SK: 'EMAIL' },
                            ConditionExpression: 'attribute_not_exists(PK)',
                        },
                    },
                    { Put: { TableName, Item: { PK: `USER#${user}`, SK: 'PROFILE', email } } },
                ],
            }),
        );
    await register(10, 'ann@example.com');
    await assert.rejects(
        register(11, 'ann@example.com'),
        refused(
            'TransactionCanceledException',
            'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
            {
                CancellationReasons: [
                    { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
                    { Code: 'None' },
                ],
            },
        ),
    );
    const { Items } = await documents.send(
        new QueryCommand({
            TableName,
            IndexName: 'by_email',
            KeyConditionExpression: 'email = :e',
            ExpressionAttributeValues: { ':e': 'ann@example.com' },
        }),
    );
    assert.deepEqual(Items, [{ PK: 'USER#10', SK: 'PROFILE', email: 'ann@example.com' }]);
    const { Responses } = await documents.send(
        new TransactGetCommand({
            TransactItems: [10, 11].map((user) => ({
                Get: { TableName, Key: { PK: `USER#${user}`, SK: 'PROFILE' } },
            })),
        }),
    );
    assert.deepEqual(Responses, [{ Item: Items[0] }, {}]);
});

test('what is left of a batch is asked for again', async () => {
    for (let i = 0; i < 44; i++) {
        await documents.send(
            new PutCommand({
                TableName,
                Item: { PK: 'BIG', SK: String(i).padStart(2, '0'), body: 'x'.repeat(390000) },
            }),
        );
    }
    let RequestItems = {
        [TableName]: {
            Keys: Array.from({ length: 44 }, (_, i) => ({ PK: 'BIG', SK: String(i).padStart(2, '0') })),
        },
    };
    const counts = [];
    while (RequestItems[TableName]) {
        const answer = await documents.send(new BatchGetCommand({ RequestItems }));
        counts.push(answer.Responses[TableName].length);
        RequestItems = answer.UnprocessedKeys;
    }
    assert.deepEqual(counts, [43, 1]);
});

test('PartiQL with parameters', async () => {
    await documents.send(
        new ExecuteTransactionCommand({
            TransactStatements: [
                {
                    Statement: `INSERT INTO ${TableName} VALUE {'PK': ?, 'SK': ?, 'list': ?}`,
                    Parameters: ['Q', '1', [1, { a: 'b' }]],
                },
                { Statement: `INSERT INTO ${TableName} VALUE {'PK': ?, 'SK': ?}`, Parameters: ['Q', '2'] },
            ],
        }),
    );
    const { Responses } = await documents.send(
        new BatchExecuteStatementCommand({
            Statements: [
                {
                    Statement: `UPDATE ${TableName} SET n = ? WHERE PK = ? AND SK = ?`,
                    Parameters: [1, 'Q', 'nothing'],
                },
                {
                    Statement: `UPDATE ${TableName} SET "list"[1].a = ? WHERE PK = ? AND SK = ? RETURNING ALL NEW *`,
                    Parameters: ['c', 'Q', '1'],
                },
            ],
        }),
    );
    assert.equal(Responses[0].Error.Code, 'ConditionalCheckFailed');
    assert.deepEqual(Responses[1].Item, { PK: 'Q', SK: '1', list: [1, { a: 'c' }] });
});
