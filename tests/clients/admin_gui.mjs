// dynamodb-admin in a browser: what a person clicks. Chromium is Debian's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { DescribeTableCommand, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { client, settings } from './endpoint.mjs';

const program = createRequire(import.meta.url)
    .resolve('dynamodb-admin')
    .replace('backend.js', 'dynamodb-admin.js');
let admin, browser, page, root;

const freePort = () =>
    new Promise((resolve) => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });

before(async () => {
    const port = await freePort();
    root = `http://127.0.0.1:${port}`;
    admin = spawn(
        process.execPath,
        [program, '--host', '127.0.0.1', '--port', String(port), '--dynamo-endpoint', settings.endpoint],
        { stdio: 'inherit' },
    );
    process.on('exit', () => admin.kill());
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-gpu'],
    });
    page = await browser.newPage();
    page.setDefaultTimeout(60000);
    page.on('dialog', (dialog) => dialog.accept());
    for (let tries = 0; ; tries++) {
        try {
            await page.goto(root);
            break;
        } catch (error) {
            if (tries === 100) throw error;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }
});

after(async () => {
    await browser?.close();
    admin?.kill();
    client.destroy();
});

const rows = async () =>
    (await page.locator('#items-container tr').allInnerTexts()).map((row) =>
        row.split(/\s+/).slice(1).join(' '),
    );
const stored = async (TableName) =>
    (await client.send(new ScanCommand({ TableName }))).Items.map((item) => unmarshall(item));
async function type(item) {
    await page.waitForSelector('.ace_editor');
    await page.evaluate(
        (text) => globalThis.ace.edit('documentTextarea').setValue(text),
        JSON.stringify(item),
    );
}

// dynamodb-admin sends the capacity units of its form as text, which the service refuses (its issue
// 518): the page must show that; then the same form makes the table when the text is made numbers.
test('a table is created, with an index', async () => {
    await page.click('text=Create table');
    await page.fill('#TableName', 'Songs');
    await page.fill('#HashAttributeName', 'artist');
    await page.fill('#RangeAttributeName', 'title');
    await page.selectOption('[name=RangeAttributeType]', 'S');
    await page.click('#new-index');
    await page.fill('[name=secondary-index-1-IndexName]', 'by_year');
    await page.fill('[name=secondary-index-1-HashAttributeName]', 'artist');
    await page.selectOption('[name=secondary-index-1-HashAttributeType]', 'S');
    await page.fill('[name=secondary-index-1-RangeAttributeName]', 'year');
    await page.selectOption('[name=secondary-index-1-RangeAttributeType]', 'N');
    await page.click('#saveButton');
    await page.waitForSelector('text=STRING_VALUE cannot be converted to Long');
    await page.route('**/create-table', (route) =>
        route.continue({
            postData: route
                .request()
                .postData()
                ?.replace(/(CapacityUnits":)"(\d+)"/g, '$1$2'),
        }),
    );
    await page.click('#saveButton');
    await page.waitForSelector('#table-list li');
    assert.deepEqual(
        await page.locator('#table-list li').evaluateAll((all) => all.map((row) => row.dataset.tableName)),
        ['Songs'],
    );
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Songs' }));
    assert.deepEqual(Table.KeySchema, [
        { AttributeName: 'artist', KeyType: 'HASH' },
        { AttributeName: 'title', KeyType: 'RANGE' },
    ]);
    assert.deepEqual(
        Table.GlobalSecondaryIndexes.map((i) => i.IndexName),
        ['by_year'],
    );
});

test('items are written, shown and edited', async () => {
    for (let n = 1; n <= 3; n++) {
        await page.goto(`${root}/tables/Songs`);
        await page.click('text=Create item');
        await type({ artist: 'Acme', title: `T${n}`, year: 2000 + n, tags: ['x'] });
        await page.click('#saveButton');
        await page.waitForURL(/\/items\//);
    }
    await type({ artist: 'Acme', title: 'T3', year: 1999 });
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.click('#saveButton');
    assert.equal((await saved).status(), 200);
    assert.deepEqual(
        (await stored('Songs')).find((song) => song.title === 'T3'),
        { artist: 'Acme', title: 'T3', year: 1999 },
    );
    await page.goto(`${root}/tables/Songs`);
    await page.waitForSelector('#items-container tr');
    assert.equal((await rows()).length, 3);
});

test('a query on the table and on the index', async () => {
    const search = async (queried, filters) => {
        await page.goto(`${root}/tables/Songs`);
        await page.selectOption('[name=operationType]', 'query');
        await page.selectOption('[name=queryableSelection]', queried);
        for (const [key, kind, operator, value] of filters) {
            const keys = await page
                .locator('.filter-row-key')
                .evaluateAll((all) => all.map((input) => input.value));
            const row = page.locator('#filters-table tr').nth(keys.indexOf(key));
            await row.locator('.filter-row-type').selectOption(kind);
            if (operator !== '=') await row.locator('.filter-row-operator').selectOption(operator);
            await row.locator('.filter-row-value').fill(value);
        }
        await page.click('text=Search');
        await page.waitForURL(/filters=/);
        await page.waitForSelector('#items-container tr');
        return (await rows()).map((row) => row.replaceAll('"', '').split(' ')[1]);
    };
    assert.deepEqual(
        await search('table', [
            ['artist', 'S', '=', 'Acme'],
            ['title', 'S', '>', 'T1'],
        ]),
        ['T2', 'T3'],
    );
    assert.deepEqual(
        await search('by_year', [
            ['artist', 'S', '=', 'Acme'],
            ['year', 'N', '>', '2000'],
        ]),
        ['T1', 'T2'],
    );
});

test('an item is deleted, the rest purged, the table dropped', async () => {
    await page.goto(`${root}/tables/Songs/items/${encodeURIComponent('Acme,T2')}`);
    await page.click('button.btn-danger');
    await page.waitForURL(/\/tables\/Songs$/);
    assert.deepEqual((await stored('Songs')).map((song) => song.title).sort(), ['T1', 'T3']);
    await page.goto(root);
    for (const [label, left] of [
        ['Purge', 1],
        ['Delete', 0],
    ]) {
        const reloaded = page.waitForEvent('load');
        await page.click(`#table-list >> text=${label}`);
        await reloaded;
        assert.equal(await page.locator('#table-list li').count(), left);
        if (left > 0) assert.deepEqual(await stored('Songs'), []);
    }
    assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
});
