// AWS SDK for JavaScript v3, the plain client: typed values, waiters, paginators, batches.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
    BatchGetItemCommand,
    BatchWriteItemCommand,
    ConditionalCheckFailedException,
    CreateTableCommand,
    DeleteItemCommand,
    DeleteTableCommand,
    DescribeTableCommand,
    DescribeTimeToLiveCommand,
    DynamoDBClient,
    ExecuteStatementCommand,
    GetItemCommand,
    ListTagsOfResourceCommand,
    PutItemCommand,
    QueryCommand,
    ScanCommand,
    TagResourceCommand,
    TransactGetItemsCommand,
    TransactWriteItemsCommand,
    TransactionCanceledException,
    UpdateItemCommand,
    UpdateTableCommand,
    UpdateTimeToLiveCommand,
    paginateListTables,
    paginateQuery,
    paginateScan,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { client, refused, settings, tableExists, tableIsGone } from './endpoint.mjs';

const TableName = 'Readings';
const key = (sensor, at) => ({ sensor: { S: sensor }, at: { N: String(at) } });

before(async () => {
    const { TableDescription } = await client.send(
        new CreateTableCommand({
            TableName,
            AttributeDefinitions: [
                { AttributeName: 'sensor', AttributeType: 'S' },
                { AttributeName: 'at', AttributeType: 'N' },
                { AttributeName: 'room', AttributeType: 'S' },
                { AttributeName: 'degrees', AttributeType: 'N' },
            ],
            KeySchema: [
                { AttributeName: 'sensor', KeyType: 'HASH' },
                { AttributeName: 'at', KeyType: 'RANGE' },
            ],
            LocalSecondaryIndexes: [
                {
                    IndexName: 'by_degrees',
                    KeySchema: [
                        { AttributeName: 'sensor', KeyType: 'HASH' },
                        { AttributeName: 'degrees', KeyType: 'RANGE' },
                    ],
                    Projection: { ProjectionType: 'KEYS_ONLY' },
                },
            ],
            GlobalSecondaryIndexes: [
                {
                    IndexName: 'by_room',
                    KeySchema: [
                        { AttributeName: 'room', KeyType: 'HASH' },
                        { AttributeName: 'at', KeyType: 'RANGE' },
                    ],
                    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['degrees'] },
                    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
                },
            ],
            ProvisionedThroughput: { ReadCapacityUnits: 1000, WriteCapacityUnits: 1000 },
        }),
    );
    assert.equal(TableDescription.TableStatus, 'CREATING');
    assert.ok(TableDescription.CreationDateTime instanceof Date);
    const { reason } = await tableExists(TableName);
    assert.equal(reason.Table.GlobalSecondaryIndexes[0].IndexStatus, 'ACTIVE');
});

after(async () => {
    await client.send(new DeleteTableCommand({ TableName }));
    assert.equal((await tableIsGone(TableName)).state, 'SUCCESS');
    await assert.rejects(
        client.send(new DescribeTableCommand({ TableName })),
        refused('ResourceNotFoundException', `Requested resource not found: Table: ${TableName} not found`),
    );
    client.destroy();
});

test('every type of value', async () => {
    const item = {
        ...key('types', 1),
        text: { S: 'Grüße ☃ 😀 "\\' },
        number: { N: '12345678901234567890.123456789' },
        raw: { B: new Uint8Array([0, 255, 7]) },
        yes: { BOOL: true },
        nothing: { NULL: true },
        names: { SS: ['x', 'y'] },
        numbers: { NS: ['1', '2.5'] },
        blobs: { BS: [new Uint8Array([1]), new Uint8Array([2, 3])] },
        tree: { M: { list: { L: [{ N: '1' }, { S: '' }, { M: {} }] } } },
    };
    await client.send(new PutItemCommand({ TableName, Item: item }));
    const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: key('types', 1), ConsistentRead: true }),
    );
    for (const name of ['names', 'numbers']) Object.values(Item[name])[0].sort();
    assert.deepEqual(Item, item);
    const wide = unmarshall(Item, { wrapNumbers: true });
    assert.equal(wide.number.value, '12345678901234567890.123456789');
});

test('update, and what it returns', async () => {
    await client.send(
        new PutItemCommand({ TableName, Item: marshall({ sensor: 'u', at: 1, count: 1, log: ['a'] }) }),
    );
    const { Attributes, ConsumedCapacity } = await client.send(
        new UpdateItemCommand({
            TableName,
            Key: key('u', 1),
            UpdateExpression:
                'SET #log = list_append(#log, :more), seen = if_not_exists(seen, :now) ADD #count :one',
            ExpressionAttributeNames: { '#log': 'log', '#count': 'count' },
            ExpressionAttributeValues: marshall({ ':more': ['b', 'c'], ':now': 7, ':one': 1 }),
            ReturnValues: 'UPDATED_NEW',
            ReturnConsumedCapacity: 'INDEXES',
        }),
    );
    assert.deepEqual(unmarshall(Attributes), { log: ['a', 'b', 'c'], seen: 7, count: 2 });
    assert.deepEqual(ConsumedCapacity, { TableName, CapacityUnits: 1, Table: { CapacityUnits: 1 } });
});

test('a condition that fails says what was there', async () => {
    const Item = marshall({ sensor: 'c', at: 1, owner: 'ann' });
    await client.send(new PutItemCommand({ TableName, Item }));
    const again = new PutItemCommand({
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(sensor)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await assert.rejects(
        client.send(again),
        refused('ConditionalCheckFailedException', 'The conditional request failed', { Item }),
    );
    await assert.rejects(client.send(again), (error) => error instanceof ConditionalCheckFailedException);
    const { Attributes } = await client.send(
        new DeleteItemCommand({
            TableName,
            Key: key('c', 1),
            ConditionExpression: 'begins_with(#o, :a)',
            ExpressionAttributeNames: { '#o': 'owner' },
            ExpressionAttributeValues: { ':a': { S: 'an' } },
            ReturnValues: 'ALL_OLD',
        }),
    );
    assert.deepEqual(Attributes, Item);
});

test('batches of writes and reads', async () => {
    const items = Array.from({ length: 75 }, (_, i) => ({
        sensor: 'b',
        at: i,
        room: `R${i % 2}`,
        degrees: 100 - i,
        note: 'n'.repeat(10),
    }));
    for (let i = 0; i < items.length; i += 25) {
        const { UnprocessedItems } = await client.send(
            new BatchWriteItemCommand({
                RequestItems: {
                    [TableName]: items
                        .slice(i, i + 25)
                        .map((item) => ({ PutRequest: { Item: marshall(item) } })),
                },
            }),
        );
        assert.deepEqual(UnprocessedItems, {});
    }
    const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({
            RequestItems: {
                [TableName]: {
                    Keys: [key('b', 0), key('b', 74), key('b', 75)],
                    ProjectionExpression: 'degrees',
                },
            },
        }),
    );
    assert.deepEqual(Responses[TableName].map((i) => unmarshall(i).degrees).sort(), [100, 26]);
    assert.deepEqual(UnprocessedKeys, {});
    const tooMany = Array.from({ length: 101 }, (_, i) => key('b', i));
    await assert.rejects(
        client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: tooMany } } })),
        (error) =>
            error.name === 'ValidationException' && /length less than or equal to 100/.test(error.message),
    );
});

test('queries in pages, on the table and on both kinds of index', async () => {
    const collect = async (input, pageSize) => {
        const found = [];
        let pages = 0;
        for await (const page of paginateQuery({ client, pageSize }, { TableName, ...input })) {
            found.push(...page.Items.map((item) => unmarshall(item)));
            pages++;
        }
        return { found, pages };
    };
    const table = await collect(
        {
            KeyConditionExpression: 'sensor = :s AND #at BETWEEN :a AND :b',
            ExpressionAttributeNames: { '#at': 'at' },
            ExpressionAttributeValues: marshall({ ':s': 'b', ':a': 10, ':b': 29 }),
            ScanIndexForward: false,
        },
        8,
    );
    assert.deepEqual(
        table.found.map((i) => i.at),
        Array.from({ length: 20 }, (_, i) => 29 - i),
    );
    assert.equal(table.pages, 3);
    const local = await collect(
        {
            IndexName: 'by_degrees',
            KeyConditionExpression: 'sensor = :s AND degrees < :d',
            ConsistentRead: true,
            ExpressionAttributeValues: marshall({ ':s': 'b', ':d': 30 }),
            Select: 'ALL_ATTRIBUTES',
        },
        2,
    );
    assert.deepEqual(
        local.found.map((i) => [i.degrees, i.note]),
        [26, 27, 28, 29].map((d) => [d, 'n'.repeat(10)]),
    );
    const global = await collect(
        {
            IndexName: 'by_room',
            KeyConditionExpression: 'room = :r',
            FilterExpression: 'degrees > :d',
            ExpressionAttributeValues: marshall({ ':r': 'R1', ':d': 90 }),
        },
        30,
    );
    assert.deepEqual(global.found[0], { sensor: 'b', at: 1, room: 'R1', degrees: 99 });
    assert.deepEqual(
        global.found.map((i) => i.at),
        [1, 3, 5, 7, 9],
    );
});

test('scan in pages and segments', async () => {
    const sums = await Promise.all(
        [0, 1, 2].map(async (Segment) => {
            let sum = 0;
            const input = {
                TableName,
                Segment,
                TotalSegments: 3,
                FilterExpression: 'sensor = :b',
                ExpressionAttributeValues: { ':b': { S: 'b' } },
            };
            for await (const page of paginateScan({ client, pageSize: 10 }, input)) {
                for (const item of page.Items) sum += Number(item.at.N);
            }
            return sum;
        }),
    );
    assert.equal(
        sums.reduce((a, b) => a + b),
        (74 * 75) / 2,
    );
    const { Count, Items } = await client.send(
        new ScanCommand({ TableName, Select: 'COUNT', IndexName: 'by_room' }),
    );
    assert.deepEqual([Count, Items], [75, undefined]);
});

test('transactions', async () => {
    const move = (amount, token) =>
        client.send(
            new TransactWriteItemsCommand({
                ClientRequestToken: token,
                TransactItems: [
                    ['from', -amount],
                    ['to', amount],
                ].map(([name, by]) => ({
                    Update: {
                        TableName,
                        Key: key(name, 0),
                        UpdateExpression: 'SET balance = balance + :by',
                        ConditionExpression: 'balance >= :least',
                        ExpressionAttributeValues: marshall({ ':by': by, ':least': Math.max(0, -by) }),
                        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
                    },
                })),
            }),
        );
    for (const name of ['from', 'to']) {
        await client.send(
            new PutItemCommand({ TableName, Item: marshall({ sensor: name, at: 0, balance: 10 }) }),
        );
    }
    const once = randomUUID();
    await move(7, once);
    await move(7, once);
    await assert.rejects(move(6, once), (error) => error.name === 'IdempotentParameterMismatchException');
    await assert.rejects(
        move(4),
        refused(
            'TransactionCanceledException',
            'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
            {
                CancellationReasons: [
                    {
                        Code: 'ConditionalCheckFailed',
                        Message: 'The conditional request failed',
                        Item: marshall({ sensor: 'from', at: 0, balance: 3 }),
                    },
                    { Code: 'None' },
                ],
            },
        ),
    );
    await assert.rejects(move(4), (error) => error instanceof TransactionCanceledException);
    const { Responses } = await client.send(
        new TransactGetItemsCommand({
            TransactItems: ['from', 'to', 'nobody'].map((name) => ({
                Get: { TableName, Key: key(name, 0), ProjectionExpression: 'balance' },
            })),
        }),
    );
    assert.deepEqual(
        Responses.map(({ Item }) => Item && unmarshall(Item).balance),
        [3, 17, undefined],
    );
});

test('PartiQL in pages', async () => {
    const degrees = [];
    let NextToken;
    do {
        const page = await client.send(
            new ExecuteStatementCommand({
                Statement: `SELECT degrees FROM "${TableName}"."by_degrees" WHERE sensor = ? ORDER BY degrees DESC`,
                Parameters: [{ S: 'b' }],
                Limit: 40,
                NextToken,
            }),
        );
        degrees.push(...page.Items.map((item) => Number(item.degrees.N)));
        ({ NextToken } = page);
    } while (NextToken);
    assert.deepEqual(
        degrees,
        Array.from({ length: 75 }, (_, i) => 100 - i),
    );
});

test('tables: names, throughput, tags and TTL', async () => {
    const names = [];
    for await (const page of paginateListTables({ client, pageSize: 1 }, {})) names.push(...page.TableNames);
    assert.ok(names.includes(TableName));
    const { TableDescription } = await client.send(
        new UpdateTableCommand({
            TableName,
            ProvisionedThroughput: { ReadCapacityUnits: 900, WriteCapacityUnits: 1000 },
            DeletionProtectionEnabled: true,
        }),
    );
    await tableExists(TableName);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    assert.deepEqual(
        [Table.ProvisionedThroughput.ReadCapacityUnits, Table.DeletionProtectionEnabled],
        [900, true],
    );
    await client.send(
        new TagResourceCommand({
            ResourceArn: TableDescription.TableArn,
            Tags: [{ Key: 'floor', Value: '2' }],
        }),
    );
    const { Tags } = await client.send(
        new ListTagsOfResourceCommand({ ResourceArn: TableDescription.TableArn }),
    );
    assert.deepEqual(Tags, [{ Key: 'floor', Value: '2' }]);
    await client.send(
        new UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
        }),
    );
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    assert.deepEqual(TimeToLiveDescription, { AttributeName: 'until', TimeToLiveStatus: 'ENABLED' });
    await assert.rejects(
        client.send(new DeleteTableCommand({ TableName })),
        refused(
            'ValidationException',
            'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
        ),
    );
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
});

test('the endpoint may come from the environment', async () => {
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB']) {
        process.env[name] = settings.endpoint;
        const { endpoint, ...others } = settings;
        const own = new DynamoDBClient(others);
        const { Table } = await own.send(new DescribeTableCommand({ TableName }));
        assert.equal(Table.TableName, TableName);
        own.destroy();
        delete process.env[name];
    }
});

test('what is refused', async () => {
    await assert.rejects(
        client.send(new QueryCommand({ TableName, KeyConditionExpression: 'sensor = :s' })),
        refused(
            'ValidationException',
            'Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :s',
        ),
    );
    await assert.rejects(
        client.send(new GetItemCommand({ TableName, Key: { sensor: { S: 'x' }, at: { S: 'y' } } })),
        refused('ValidationException', 'The provided key element does not match the schema'),
    );
    await assert.rejects(
        client.send(new PutItemCommand({ TableName, Item: { ...key('x', 1), room: { N: '1' } } })),
        refused(
            'ValidationException',
            'One or more parameter values were invalid: Type mismatch for Index Key room Expected: S Actual: N IndexName: by_room',
        ),
    );
});
