// AWS SDK for JavaScript v3, the streams client: a reader that keeps up, comes back, and starts late.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
    CreateTableCommand,
    DeleteTableCommand,
    UpdateTableCommand,
    UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
    DescribeStreamCommand,
    DynamoDBStreamsClient,
    GetRecordsCommand,
    GetShardIteratorCommand,
    ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { advanceClock, client, documents, refused, settings, tableExists, tableIsGone } from './endpoint.mjs';

const TableName = 'carts';
const streams = new DynamoDBStreamsClient(settings);
let StreamArn;

before(async () => {
    const { TableDescription } = await client.send(
        new CreateTableCommand({
            TableName,
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
            BillingMode: 'PAY_PER_REQUEST',
            StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
    );
    StreamArn = TableDescription.LatestStreamArn;
    assert.equal(StreamArn, `${TableDescription.TableArn}/stream/${TableDescription.LatestStreamLabel}`);
    await tableExists(TableName);
});

after(async () => {
    await client.send(new DeleteTableCommand({ TableName }));
    await tableIsGone(TableName);
    client.destroy();
    streams.destroy();
});

async function shards() {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    assert.deepEqual(StreamDescription.KeySchema, [{ AttributeName: 'id', KeyType: 'HASH' }]);
    return StreamDescription.Shards.map(({ ShardId }) => ShardId);
}

// Reads on from the iterators until each shard has nothing new; the iterators then stand behind that.
async function readOn(iterators) {
    const records = [];
    for (const [shard, first] of iterators) {
        let page,
            ShardIterator = first;
        do {
            page = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
            records.push(...page.Records.map((record) => ({ ...record, shard })));
            ShardIterator = page.NextShardIterator;
        } while (page.Records.length > 0);
        iterators.set(shard, ShardIterator);
    }
    return records.sort((a, b) =>
        BigInt(a.dynamodb.SequenceNumber) < BigInt(b.dynamodb.SequenceNumber) ? -1 : 1,
    );
}

async function iteratorsAt(ShardIteratorType) {
    const pairs = (await shards()).map(async (ShardId) => {
        const { ShardIterator } = await streams.send(
            new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType }),
        );
        return [ShardId, ShardIterator];
    });
    return new Map(await Promise.all(pairs));
}

const summary = (records) =>
    records.map(({ eventName, dynamodb }) => [
        eventName,
        unmarshall(dynamodb.Keys).id,
        dynamodb.OldImage && unmarshall(dynamodb.OldImage).n,
        dynamodb.NewImage && unmarshall(dynamodb.NewImage).n,
    ]);

test('a reader follows, another begins late', async () => {
    const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
    assert.ok(Streams.some((s) => s.StreamArn === StreamArn));
    const reader = await iteratorsAt('TRIM_HORIZON');
    assert.deepEqual(await readOn(reader), []);
    await documents.send(new PutCommand({ TableName, Item: { id: 'a', n: 1 } }));
    await documents.send(new PutCommand({ TableName, Item: { id: 'a', n: 2 } }));
    await documents.send(new PutCommand({ TableName, Item: { id: 'a', n: 2 } }));
    assert.deepEqual(summary(await readOn(reader)), [
        ['INSERT', 'a', undefined, 1],
        ['MODIFY', 'a', 1, 2],
    ]);
    const late = await iteratorsAt('LATEST');
    await documents.send(
        new TransactWriteCommand({
            TransactItems: [
                { Put: { TableName, Item: { id: 'b', n: 3 } } },
                { Delete: { TableName, Key: { id: 'a' } } },
            ],
        }),
    );
    const wanted = [
        ['INSERT', 'b', undefined, 3],
        ['REMOVE', 'a', 2, undefined],
    ];
    for (const iterators of [reader, late]) {
        assert.deepEqual(new Set(summary(await readOn(iterators))), new Set(wanted));
    }
});

test('a reader comes back where it stopped', async () => {
    const all = await readOn(await iteratorsAt('TRIM_HORIZON'));
    assert.equal(all.length, 4);
    const [{ shard, dynamodb, eventSource, eventVersion, awsRegion, eventID }] = all;
    assert.deepEqual([eventSource, eventVersion, awsRegion], ['aws:dynamodb', '1.1', 'us-east-1']);
    assert.match(eventID, /^[0-9a-f]{32}$/);
    assert.ok(dynamodb.ApproximateCreationDateTime instanceof Date);
    const own = all.filter((record) => record.shard === shard);
    for (const [ShardIteratorType, skipped] of [
        ['AT_SEQUENCE_NUMBER', 0],
        ['AFTER_SEQUENCE_NUMBER', 1],
    ]) {
        const { ShardIterator } = await streams.send(
            new GetShardIteratorCommand({
                StreamArn,
                ShardId: shard,
                ShardIteratorType,
                SequenceNumber: dynamodb.SequenceNumber,
            }),
        );
        assert.deepEqual(
            summary(await readOn(new Map([[shard, ShardIterator]]))),
            summary(own.slice(skipped)),
        );
    }
});

test('what time removes is told apart', async () => {
    await client.send(
        new UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
        }),
    );
    const reader = await iteratorsAt('LATEST');
    const now = await advanceClock(0);
    await documents.send(
        new PutCommand({ TableName, Item: { id: 'short', until: Math.floor(now / 1000) + 1 } }),
    );
    await documents.send(new PutCommand({ TableName, Item: { id: 'user', until: 4102444800 } }));
    await documents.send(new DeleteCommand({ TableName, Key: { id: 'user' } }));
    const early = await readOn(reader);
    await advanceClock(49 * 3600 * 1000);
    // an iterator lives for 15 minutes
    await assert.rejects(
        streams.send(new GetRecordsCommand({ ShardIterator: [...reader.values()][0] })),
        (error) => error.name === 'ExpiredIteratorException',
    );
    const late = (await readOn(await iteratorsAt('TRIM_HORIZON'))).filter(
        ({ eventName }) => eventName === 'REMOVE',
    );
    assert.deepEqual(
        early.filter((r) => r.eventName === 'REMOVE').map((r) => r.userIdentity),
        [undefined],
    );
    assert.deepEqual(
        late.map((r) => [unmarshall(r.dynamodb.Keys).id, r.userIdentity]),
        [['short', { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' }]],
    );
});

test('a stream ends when it is disabled, and stays readable', async () => {
    await documents.send(new PutCommand({ TableName, Item: { id: 'last', n: 9 } }));
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
    await tableExists(TableName);
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    assert.equal(StreamDescription.StreamStatus, 'DISABLED');
    assert.ok(StreamDescription.Shards.every((s) => s.SequenceNumberRange.EndingSequenceNumber));
    let last;
    for (const [, first] of await iteratorsAt('TRIM_HORIZON')) {
        let ShardIterator = first;
        while (ShardIterator) {
            const page = await streams.send(new GetRecordsCommand({ ShardIterator }));
            for (const record of page.Records)
                if (record.eventName === 'INSERT') last = unmarshall(record.dynamodb.Keys).id;
            ShardIterator = page.NextShardIterator;
        }
    }
    assert.equal(last, 'last');
});

test('what is refused', async () => {
    const unknown = StreamArn.replace(/\d{3}$/, '000');
    await assert.rejects(
        streams.send(new DescribeStreamCommand({ StreamArn: unknown })),
        refused('ResourceNotFoundException', `Requested resource not found: Stream: ${unknown} not found`),
    );
    await assert.rejects(
        streams.send(
            new GetShardIteratorCommand({
                StreamArn,
                ShardId: (await shards())[0],
                ShardIteratorType: 'AT_SEQUENCE_NUMBER',
            }),
        ),
        (error) => error.name === 'ValidationException',
    );
});
