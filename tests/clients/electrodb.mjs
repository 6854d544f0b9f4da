// electrodb: entities of a single table, a service over them, collections and transactions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { Entity, Service } from 'electrodb';
import { client, documents, tableExists, tableIsGone } from './endpoint.mjs';

const table = 'electro';
const key = (field, composite) => ({ field, composite });

const Employee = new Entity(
    {
        model: { entity: 'employee', service: 'office', version: '1' },
        attributes: {
            id: { type: 'string', required: true },
            team: { type: 'string', required: true },
            office: { type: 'string', required: true },
            title: { type: ['engineer', 'lead', 'intern'], required: true },
            salary: { type: 'number', required: true },
            skills: { type: 'set', items: 'string' },
            address: {
                type: 'map',
                properties: { city: { type: 'string' }, lines: { type: 'list', items: { type: 'string' } } },
            },
            joined: { type: 'string', default: () => '2026-01-01', readOnly: true },
        },
        indexes: {
            employee: { pk: key('pk', ['id']), sk: key('sk', []) },
            inOffice: {
                index: 'gsi1',
                collection: 'workplace',
                pk: key('gsi1pk', ['office']),
                sk: key('gsi1sk', ['team', 'id']),
            },
            bySalary: {
                index: 'gsi2',
                pk: key('gsi2pk', ['team']),
                sk: key('gsi2sk', ['title', 'salary', 'id']),
            },
        },
    },
    { table, client: documents },
);

const Task = new Entity(
    {
        model: { entity: 'task', service: 'office', version: '1' },
        attributes: {
            task: { type: 'string', required: true },
            office: { type: 'string', required: true },
            points: { type: 'number' },
            done: { type: 'boolean', default: false },
        },
        indexes: {
            task: { pk: key('pk', ['task']), sk: key('sk', []) },
            inOffice: {
                index: 'gsi1',
                collection: 'workplace',
                pk: key('gsi1pk', ['office']),
                sk: key('gsi1sk', ['task']),
            },
        },
    },
    { table, client: documents },
);

const office = new Service({ employee: Employee, task: Task });
const person = (n, more = {}) => ({
    id: `e${String(n).padStart(2, '0')}`,
    team: n % 2 ? 'red' : 'blue',
    office: 'bern',
    title: 'engineer',
    salary: 1000 + n,
    ...more,
});

before(async () => {
    const names = ['pk', 'sk', 'gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk'];
    const schema = (prefix) => [
        { AttributeName: `${prefix}pk`, KeyType: 'HASH' },
        { AttributeName: `${prefix}sk`, KeyType: 'RANGE' },
    ];
    await client.send(
        new CreateTableCommand({
            TableName: table,
            AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
            KeySchema: schema(''),
            GlobalSecondaryIndexes: ['gsi1', 'gsi2'].map((IndexName) => ({
                IndexName,
                KeySchema: schema(IndexName),
                Projection: { ProjectionType: 'ALL' },
            })),
            BillingMode: 'PAY_PER_REQUEST',
        }),
    );
    await tableExists(table);
});

after(async () => {
    await client.send(new DeleteTableCommand({ TableName: table }));
    await tableIsGone(table);
    client.destroy();
});

test('create, get, patch, upsert, remove', async () => {
    const made = await Employee.create(
        person(1, { skills: ['c', 'sql'], address: { city: 'Bern', lines: ['x'] } }),
    ).go();
    assert.deepEqual(made.data.skills, ['c', 'sql']);
    await assert.rejects(Employee.create(person(1)).go(), /The conditional request failed/);
    const patched = await Employee.patch({ id: 'e01' })
        .composite({ team: 'red' })
        .add({ skills: ['go'], salary: 5 })
        .set({ title: 'lead' })
        .append({ 'address.lines': ['y'] })
        .data((a, o) => o.set(a.address.city, 'Basel'))
        .where(({ salary }, { eq }) => eq(salary, 1001))
        .go({ response: 'all_new' });
    assert.deepEqual(patched.data, {
        ...person(1),
        salary: 1006,
        title: 'lead',
        skills: ['c', 'go', 'sql'],
        joined: '2026-01-01',
        address: { city: 'Basel', lines: ['x', 'y'] },
    });
    await assert.rejects(
        Employee.patch({ id: 'nobody' }).set({ office: 'rome', team: 'red' }).go(),
        /The conditional request failed/,
    );
    await Task.upsert({ task: 't0', office: 'rome', points: 1 }).go();
    await Task.upsert({ task: 't0', office: 'bern', points: 2 }).go();
    assert.deepEqual((await Task.get({ task: 't0' }).go({ consistent: true })).data, {
        task: 't0',
        office: 'bern',
        points: 2,
        done: false,
    });
    const removed = await Task.remove({ task: 't0' }).go({ response: 'all_old' });
    assert.equal(removed.data.points, 2);
    assert.equal((await Task.get({ task: 't0' }).go()).data, null);
});

test('a batch, and the pages of a query', async () => {
    const put = await Employee.put(Array.from({ length: 40 }, (_, n) => person(n))).go();
    assert.deepEqual(put.unprocessed, []);
    const ids = [];
    let cursor = null,
        pages = 0;
    do {
        const page = await Employee.query
            .bySalary({ team: 'red', title: 'engineer' })
            .go({ limit: 6, cursor, order: 'desc' });
        ids.push(...page.data.map((e) => e.id));
        ({ cursor } = page);
        pages++;
    } while (cursor);
    assert.deepEqual(
        ids,
        Array.from({ length: 20 }, (_, i) => person(39 - 2 * i).id),
    );
    assert.equal(pages, 4);
    const rich = await Employee.query
        .bySalary({ team: 'blue' })
        .gte({ title: 'engineer', salary: 1034 })
        .where(({ id }, { ne }) => ne(id, 'e36'))
        .go({ attributes: ['id', 'salary'] });
    assert.deepEqual(rich.data, [
        { id: 'e34', salary: 1034 },
        { id: 'e38', salary: 1038 },
    ]);
    const some = await Employee.get([{ id: 'e05' }, { id: 'nobody' }, { id: 'e06' }]).go({
        preserveBatchOrder: true,
    });
    assert.deepEqual(
        some.data.map((e) => e && e.salary),
        [1005, null, 1006],
    );
});

test('a collection is one query', async () => {
    await Task.put([1, 2, 3].map((n) => ({ task: `t${n}`, office: 'oslo', points: n }))).go();
    await Employee.put(person(90, { office: 'oslo' })).go();
    const { data } = await office.collections
        .workplace({ office: 'oslo' })
        .where(({ points }, { notExists, gt }) => `${notExists(points)} OR ${gt(points, 1)}`)
        .go();
    assert.deepEqual([data.employee.map((e) => e.id), data.task.map((t) => t.task)], [['e90'], ['t2', 't3']]);
    const scanned = await Task.scan.where(({ done }, { eq }) => eq(done, false)).go({ pages: 'all' });
    assert.deepEqual(scanned.data.map((t) => t.task).sort(), ['t1', 't2', 't3']);
});

test('transactions', async () => {
    const hire = (id, task) =>
        office.transaction
            .write(({ employee, task: tasks }) => [
                employee.create(person(0, { id })).commit(),
                tasks
                    .patch({ task })
                    .set({ done: true })
                    .where(({ done }, { eq }) => eq(done, false))
                    .commit({ response: 'all_old' }),
            ])
            .go();
    assert.equal((await hire('n1', 't1')).canceled, false);
    const again = await hire('n2', 't1');
    assert.equal(again.canceled, true);
    assert.deepEqual(
        again.data.map((r) => [r.rejected, r.code]),
        [
            [false, 'None'],
            [true, 'ConditionalCheckFailed'],
        ],
    );
    assert.equal(again.data[1].item.done, true);
    const read = await office.transaction
        .get(({ employee, task }) => [
            employee.get({ id: 'n1' }).commit(),
            employee.get({ id: 'n2' }).commit(),
            task.get({ task: 't1' }).commit(),
        ])
        .go();
    assert.deepEqual(
        read.data.map(({ item }) => item && (item.id ?? item.done)),
        ['n1', null, true],
    );
});
