// dynamodb-onetable: it makes the table from its schema, and keeps entities in it by templates.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
    DescribeStreamCommand,
    DynamoDBStreamsClient,
    GetRecordsCommand,
    GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { Table } from 'dynamodb-onetable';
import { advanceClock, client, settings } from './endpoint.mjs';

const schema = {
    format: 'onetable:1.1.0',
    version: '0.0.1',
    indexes: {
        primary: { hash: 'pk', sort: 'sk' },
        gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all' },
        ls1: { sort: 'score', type: 'local', project: ['pk', 'sk', 'name'] },
    },
    models: {
        Account: {
            pk: { type: String, value: 'account:${id}' },
            sk: { type: String, value: 'account:' },
            id: { type: String, required: true },
            name: { type: String, required: true },
        },
        Device: {
            pk: { type: String, value: 'device:${id}' },
            sk: { type: String, value: 'device:' },
            id: { type: String, required: true },
            serial: { type: String, unique: true },
        },
        User: {
            pk: { type: String, value: 'account:${accountId}' },
            sk: { type: String, value: 'user:${email}' },
            accountId: { type: String, required: true },
            email: { type: String, required: true },
            name: { type: String },
            role: { type: String, enum: ['user', 'admin'], default: 'user' },
            score: { type: String },
            logins: { type: Number, default: 0 },
            address: { type: Object, schema: { city: { type: String }, zip: { type: String } } },
            groups: { type: Array, items: { type: String } },
            expires: { type: Date, ttl: true },
            gs1pk: { type: String, value: 'role:${role}' },
            gs1sk: { type: String, value: 'user:${accountId}#${email}' },
        },
    },
    params: { isoDates: true, timestamps: true },
};
const table = new Table({ client, name: 'OneTable', schema, partial: true });
const User = table.getModel('User');
const Device = table.getModel('Device');
const Account = table.getModel('Account');

before(async () => {
    assert.equal(await table.exists(), false);
    await table.createTable({
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    });
    assert.equal(await table.exists(), true);
    const {
        Table: {
            TableStatus,
            LocalSecondaryIndexes: [{ Projection }],
        },
    } = await table.describeTable();
    assert.equal(TableStatus, 'ACTIVE');
    assert.deepEqual(Projection, { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] });
});

after(async () => {
    await table.deleteTable('DeleteTableForever');
    client.destroy();
});

test('create, get, update, remove', async () => {
    await Account.create({ id: 'a1', name: 'Acme' });
    const user = await User.create({
        accountId: 'a1',
        email: 'ann@acme.org',
        name: 'Ann',
        address: { city: 'Bern', zip: '3000' },
        groups: ['x'],
    });
    assert.deepEqual([user.role, user.logins, typeof user.created], ['user', 0, 'object']);
    await assert.rejects(Account.create({ id: 'a1', name: 'Other' }), {
        name: 'OneTableError',
        message: /Conditional create failed/,
    });
    const updated = await User.update(
        { accountId: 'a1', email: 'ann@acme.org', role: 'admin', address: { city: 'Basel' } },
        { add: { logins: 2 }, push: { groups: ['y'] }, where: '${role} = {user}', return: 'get' },
    );
    assert.deepEqual(
        [updated.role, updated.logins, updated.address, updated.groups],
        ['admin', 2, { city: 'Basel', zip: '3000' }, ['x', 'y']],
    );
    assert.ok(updated.updated >= updated.created);
    await assert.rejects(
        User.update({ accountId: 'a1', email: 'ann@acme.org', name: 'Q' }, { where: '${role} = {user}' }),
        (error) => error.name === 'OneTableError' && /The conditional request failed/.test(error.message),
    );
    await User.remove({ accountId: 'a1', email: 'ann@acme.org' });
    assert.equal(await User.get({ accountId: 'a1', email: 'ann@acme.org' }), undefined);
});

test('a unique attribute is kept by a transaction', async () => {
    await Device.create({ id: 'd1', serial: 'S1' });
    await assert.rejects(Device.create({ id: 'd2', serial: 'S1' }), {
        name: 'OneTableError',
        code: 'UniqueError',
    });
    assert.equal(await Device.get({ id: 'd2' }), undefined);
    await Device.update({ id: 'd1', serial: 'S2' });
    await Device.create({ id: 'd2', serial: 'S1' });
    await Device.remove({ id: 'd1' });
    await Device.create({ id: 'd3', serial: 'S2' });
});

test('batches, and the pages of a query', async () => {
    const batch = {};
    for (let i = 0; i < 24; i++) {
        await User.create(
            {
                accountId: 'p',
                email: `u${String(i).padStart(2, '0')}`,
                name: `n${i}`,
                role: i % 4 ? 'user' : 'admin',
                score: String(99 - i),
            },
            { batch, exists: null },
        );
    }
    assert.equal(await table.batchWrite(batch), true);
    const emails = [];
    let next;
    do {
        const page = await User.find({ accountId: 'p' }, { limit: 10, next });
        emails.push(...page.map((user) => user.email));
        ({ next } = page);
    } while (next);
    assert.deepEqual(
        emails,
        Array.from({ length: 24 }, (_, i) => `u${String(i).padStart(2, '0')}`),
    );
    const admins = await User.find(
        { role: 'admin', gs1sk: { begins: 'user:p#' } },
        { index: 'gs1', reverse: true },
    );
    assert.deepEqual(
        admins.map((user) => user.email),
        ['u20', 'u16', 'u12', 'u08', 'u04', 'u00'],
    );
    const worst = await User.find(
        { pk: 'account:p', score: { between: ['76', '78'] } },
        { index: 'ls1', parse: false, hidden: true },
    );
    assert.deepEqual(
        worst.map((item) => item.name.S),
        ['n23', 'n22', 'n21'],
    );
    const some = await User.find(
        { accountId: 'p', sk: { between: ['user:u05', 'user:u09'] } },
        { where: '(${role} = {admin}) or (${name} = {n6})' },
    );
    assert.deepEqual(
        some.map((user) => user.email),
        ['u06', 'u08'],
    );
    const read = {};
    for (const email of ['u01', 'u03', 'nobody']) await User.get({ accountId: 'p', email }, { batch: read });
    const got = await table.batchGet(read, { parse: true, hidden: false });
    assert.deepEqual(got.map((user) => user.name).sort(), ['n1', 'n3']);
    assert.equal(await table.scan('User', { accountId: 'p' }, { count: true }).then((r) => r.count), 24);
});

test('transactions', async () => {
    const transaction = {};
    await Account.create({ id: 't', name: 'T' }, { transaction });
    await User.update({ accountId: 'p', email: 'u00' }, { transaction, add: { logins: 1 } });
    await table.transact('write', transaction);
    const refused = {};
    await Account.create({ id: 't', name: 'again' }, { transaction: refused });
    await User.update({ accountId: 'p', email: 'u00' }, { transaction: refused, add: { logins: 1 } });
    await assert.rejects(
        table.transact('write', refused),
        (error) =>
            error.name === 'OneTableError' &&
            error.code === 'TransactionCanceledException' &&
            error.context.err.message.endsWith(
                'cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
            ),
    );
    const read = {};
    await Account.get({ id: 't' }, { transaction: read });
    await User.get({ accountId: 'p', email: 'u00' }, { transaction: read });
    const [account, user] = await table.transact('get', read, { parse: true });
    assert.deepEqual([account.name, user.logins], ['T', 1]);
    const groups = await table.fetch(['User', 'Account'], { pk: 'account:t' });
    assert.deepEqual(
        groups.Account.map((a) => a.name),
        ['T'],
    );
});

test('records of the stream become entities', async () => {
    const streams = new DynamoDBStreamsClient(settings);
    const {
        Table: { LatestStreamArn: StreamArn },
    } = await table.describeTable();
    const {
        StreamDescription: { Shards },
    } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    const iterators = await Promise.all(
        Shards.map(({ ShardId }) =>
            streams.send(new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'LATEST' })),
        ),
    );
    await Account.create({ id: 's', name: 'before' });
    await Account.update({ id: 's', name: 'after' });
    await User.create({ accountId: 's', email: 'ann' });
    const pages = await Promise.all(
        iterators.map(({ ShardIterator }) => streams.send(new GetRecordsCommand({ ShardIterator }))),
    );
    const { Account: accounts, User: users } = table.stream(pages.flatMap((page) => page.Records));
    assert.deepEqual(
        accounts.map((c) => [c.type, c.old?.name, c.new.name]),
        [
            ['INSERT', undefined, 'before'],
            ['MODIFY', 'before', 'after'],
        ],
    );
    assert.deepEqual(
        users.map((c) => [c.type, c.new.email, c.new.logins]),
        [['INSERT', 'ann', 0]],
    );
    streams.destroy();
});

test('time to live', async () => {
    const now = await advanceClock(0);
    await User.create({ accountId: 'ttl', email: 'soon', expires: new Date(now + 5000) });
    await User.create({ accountId: 'ttl', email: 'never' });
    await advanceClock(49 * 3600 * 1000);
    assert.deepEqual(
        (await User.find({ accountId: 'ttl' })).map((user) => user.email),
        ['never'],
    );
});
