// The endpoint that run.sh serves, and what the JavaScript clients share.
import assert from 'node:assert/strict';
import { DynamoDBClient, waitUntilTableExists, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export const settings = {
    endpoint: process.env.PKSK_ENDPOINT,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
};
export const client = new DynamoDBClient(settings);
export const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
});

// Tables are there at once, but an application cannot know that.
export const until = { client, minDelay: 1, maxDelay: 2, maxWaitTime: 20 };
export const tableExists = (TableName) => waitUntilTableExists(until, { TableName });
export const tableIsGone = (TableName) => waitUntilTableNotExists(until, { TableName });

// What a rejected call must be: the service's error, word for word.
export const refused =
    (name, message, more = {}) =>
    (error) => {
        const got = { name: error.name, message: error.message, status: error.$metadata?.httpStatusCode };
        const wanted = { name, message, status: 400 };
        for (const key of Object.keys(more)) got[key] = error[key];
        assert.deepEqual(got, { ...wanted, ...more });
        return true;
    };

// Our clock's operation (docs/commands.md, clock): no SDK knows it.
export async function advanceClock(milliseconds) {
    const answer = await fetch(settings.endpoint, {
        method: 'POST',
        headers: {
            'Content-Type': 'application/x-amz-json-1.0',
            'X-Amz-Target': 'Pksk_2026.Clock',
            'X-Amz-Date': '20261201T000000Z',
            Authorization:
                'AWS4-HMAC-SHA256 Credential=local/20261201/us-east-1/dynamodb/aws4_request, ' +
                `SignedHeaders=host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
        },
        body: JSON.stringify(milliseconds === 0 ? {} : { Action: 'ADVANCE', Value: String(milliseconds) }),
    });
    assert.equal(answer.status, 200);
    return Number((await answer.json()).Now);
}
