// AWS SDK for JavaScript v3 against `throttle enforce`: it knows the reasons, and tries again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { client, settings, tableExists } from './endpoint.mjs';

const TableName = 'throttled';
const put = (sender) => sender.send(new PutItemCommand({ TableName, Item: { PK: { S: 'USER#1' } } }));

async function profile(values) {
    const answer = await fetch(settings.endpoint, {
        method: 'POST',
        headers: {
            'Content-Type': 'application/x-amz-json-1.0',
            'X-Amz-Target': 'Pksk_2026.Settings',
            'X-Amz-Date': '20261201T000000Z',
            Authorization:
                'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261201/us-east-1/dynamodb/aws4_request, ' +
                `SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
        },
        body: JSON.stringify({ Profile: 'workshop', Set: values }),
    });
    assert.equal(answer.status, 200, await answer.text());
}

before(async () => {
    await profile({ 'split.heat': 'off' });
    await client.send(
        new CreateTableCommand({
            TableName,
            AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
        }),
    );
    await tableExists(TableName);
});
after(() => client.send(new DeleteTableCommand({ TableName })));

test('the reasons of an exception', async () => {
    await assert.rejects(
        async () => {
            for (let n = 0; n < 1000; n++) await put(client);
        },
        (error) => {
            assert.equal(error.name, 'ProvisionedThroughputExceededException');
            assert.deepEqual(error.ThrottlingReasons, [
                {
                    reason: 'TableWriteProvisionedThroughputExceeded',
                    resource: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
                },
            ]);
            return true;
        },
    );
});

test('retries back off and succeed', async () => {
    const patient = new DynamoDBClient({ ...settings, maxAttempts: 12 });
    let attempts = 0;
    for (let n = 0; n < 8; n++) attempts += (await put(patient)).$metadata.attempts;
    assert.ok(attempts > 8, `${attempts} attempts for 8 writes at 2 a second`);
    patient.destroy();
});
