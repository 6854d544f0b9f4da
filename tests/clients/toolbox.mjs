// dynamodb-toolbox: a table, entities with schemas, and actions built on both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { Entity, boolean, item, list, map, number, record, set, string } from 'dynamodb-toolbox';
import { BatchDeleteRequest } from 'dynamodb-toolbox/entity/actions/batchDelete';
import { BatchGetRequest } from 'dynamodb-toolbox/entity/actions/batchGet';
import { BatchPutRequest } from 'dynamodb-toolbox/entity/actions/batchPut';
import { DeleteItemCommand } from 'dynamodb-toolbox/entity/actions/delete';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { ConditionCheck } from 'dynamodb-toolbox/entity/actions/transactCheck';
import { GetTransaction, execute as executeGet } from 'dynamodb-toolbox/entity/actions/transactGet';
import { PutTransaction } from 'dynamodb-toolbox/entity/actions/transactPut';
import { UpdateTransaction } from 'dynamodb-toolbox/entity/actions/transactUpdate';
import { execute as executeWrite } from 'dynamodb-toolbox/entity/actions/transactWrite';
import {
    $add,
    $append,
    $delete,
    $get,
    $remove,
    UpdateItemCommand,
} from 'dynamodb-toolbox/entity/actions/update';
import { Table } from 'dynamodb-toolbox/table';
import { BatchGetCommand, execute as executeBatchGet } from 'dynamodb-toolbox/table/actions/batchGet';
import { BatchWriteCommand, execute as executeBatchWrite } from 'dynamodb-toolbox/table/actions/batchWrite';
import { QueryCommand } from 'dynamodb-toolbox/table/actions/query';
import { ScanCommand } from 'dynamodb-toolbox/table/actions/scan';
import { client, documents, refused, tableExists, tableIsGone } from './endpoint.mjs';

const Shop = new Table({
    documentClient: documents,
    name: 'Toolbox',
    partitionKey: { name: 'pk', type: 'string' },
    sortKey: { name: 'sk', type: 'string' },
    indexes: {
        byPrice: {
            type: 'global',
            partitionKey: { name: 'kind', type: 'string' },
            sortKey: { name: 'price', type: 'number' },
        },
    },
});
const Product = new Entity({
    name: 'PRODUCT',
    table: Shop,
    schema: item({
        shop: string().key(),
        sku: string().key(),
        kind: string().enum('book', 'tool'),
        price: number(),
        stock: number().default(0),
        tags: set(string()).optional(),
        sizes: list(number()).optional(),
        maker: map({ name: string(), town: string().optional() }).optional(),
        labels: record(string(), string()).optional(),
        hidden: boolean().default(false),
    }),
    computeKey: ({ shop, sku }) => ({ pk: `SHOP#${shop}`, sk: `PRODUCT#${sku}` }),
});
const put = (product) => Product.build(PutItemCommand).item(product);
const product = (n, more = {}) => ({
    shop: 's',
    sku: String(n).padStart(3, '0'),
    kind: 'book',
    price: n,
    ...more,
});

before(async () => {
    const types = { pk: 'S', sk: 'S', kind: 'S', price: 'N' };
    await client.send(
        new CreateTableCommand({
            TableName: 'Toolbox',
            AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
                AttributeName,
                AttributeType,
            })),
            KeySchema: [
                { AttributeName: 'pk', KeyType: 'HASH' },
                { AttributeName: 'sk', KeyType: 'RANGE' },
            ],
            GlobalSecondaryIndexes: [
                {
                    IndexName: 'byPrice',
                    KeySchema: [
                        { AttributeName: 'kind', KeyType: 'HASH' },
                        { AttributeName: 'price', KeyType: 'RANGE' },
                    ],
                    Projection: { ProjectionType: 'ALL' },
                },
            ],
            BillingMode: 'PAY_PER_REQUEST',
        }),
    );
    await tableExists('Toolbox');
});

after(async () => {
    await client.send(new DeleteTableCommand({ TableName: 'Toolbox' }));
    await tableIsGone('Toolbox');
    client.destroy();
});

test('put, get, update, delete', async () => {
    const key = { shop: 's', sku: '001' };
    await put(
        product(1, {
            tags: new Set(['a', 'b']),
            sizes: [1],
            maker: { name: 'M', town: 'T' },
            labels: { x: 'y' },
        }),
    ).send();
    await assert.rejects(
        put(product(1))
            .options({ condition: { attr: 'sku', exists: false } })
            .send(),
        refused('ConditionalCheckFailedException', 'The conditional request failed'),
    );
    const { Attributes, ConsumedCapacity } = await Product.build(UpdateItemCommand)
        .item({
            ...key,
            stock: $add(5),
            tags: $delete(new Set(['a'])),
            sizes: $append([2, 3]),
            maker: { town: $remove() },
            labels: { z: 'w' },
            price: $get('stock', 7),
        })
        .options({ returnValues: 'ALL_NEW', capacity: 'TOTAL', condition: { attr: 'price', lte: 1 } })
        .send();
    const { created, modified, ...rest } = Attributes;
    assert.deepEqual(rest, {
        ...product(1),
        stock: 5,
        price: 0,
        tags: new Set(['b']),
        sizes: [1, 2, 3],
        maker: { name: 'M' },
        labels: { x: 'y', z: 'w' },
        hidden: false,
    });
    assert.ok(modified >= created);
    assert.equal(ConsumedCapacity.CapacityUnits, 3);
    const { Item } = await Product.build(GetItemCommand)
        .key(key)
        .options({ consistent: true, attributes: ['sku', 'maker.name'] })
        .send();
    assert.deepEqual(Item, { sku: '001', maker: { name: 'M' } });
    const deleted = await Product.build(DeleteItemCommand)
        .key(key)
        .options({ returnValues: 'ALL_OLD' })
        .send();
    assert.equal(deleted.Attributes.stock, 5);
    assert.equal((await Product.build(GetItemCommand).key(key).send()).Item, undefined);
});

test('batches, and the pages of queries and scans', async () => {
    const products = Array.from({ length: 25 }, (_, n) => product(n, n % 5 ? {} : { kind: 'tool' }));
    await executeBatchWrite(
        Shop.build(BatchWriteCommand).requests(
            ...products.map((p) => Product.build(BatchPutRequest).item(p)),
        ),
    );
    await executeBatchWrite(
        Shop.build(BatchWriteCommand).requests(
            Product.build(BatchDeleteRequest).key({ shop: 's', sku: '024' }),
        ),
    );
    const query = Shop.build(QueryCommand)
        .entities(Product)
        .query({ partition: 'SHOP#s', range: { beginsWith: 'PRODUCT#' } });
    const skus = [];
    let exclusiveStartKey,
        pages = 0;
    do {
        const page = await query
            .options({ limit: 10, ...(exclusiveStartKey && { exclusiveStartKey }) })
            .send();
        skus.push(...page.Items.map(({ sku }) => sku));
        exclusiveStartKey = page.LastEvaluatedKey;
        pages++;
    } while (exclusiveStartKey);
    assert.deepEqual([skus, pages], [products.slice(0, 24).map(({ sku }) => sku), 3]);
    const tools = await Shop.build(QueryCommand)
        .entities(Product)
        .query({ index: 'byPrice', partition: 'tool', range: { gte: 5 } })
        .options({
            reverse: true,
            maxPages: Infinity,
            limit: 2,
            filters: { PRODUCT: { attr: 'sku', ne: '015' } },
        })
        .send();
    assert.deepEqual(
        tools.Items.map(({ price }) => price),
        [20, 10, 5],
    );
    const all = await Shop.build(ScanCommand)
        .entities(Product)
        .options({ maxPages: Infinity, limit: 7 })
        .send();
    assert.equal(all.Items.length, 24);
    const {
        Responses: [found],
    } = await executeBatchGet(
        Shop.build(BatchGetCommand).requests(
            ...['003', '024', '010'].map((sku) => Product.build(BatchGetRequest).key({ shop: 's', sku })),
        ),
    );
    assert.deepEqual(
        found.map((p) => p && p.price),
        [3, undefined, 10],
    );
});

test('transactions', async () => {
    const sell = (sku, sale) =>
        executeWrite(
            Product.build(UpdateTransaction)
                .item({ shop: 's', sku, stock: $add(-1) })
                .options({ condition: { attr: 'stock', gte: 1 } }),
            Product.build(PutTransaction)
                .item(product(sale))
                .options({ condition: { attr: 'sku', exists: false } }),
            Product.build(ConditionCheck)
                .key({ shop: 's', sku: '002' })
                .condition({ attr: 'sku', exists: true }),
        );
    await put(product(1, { stock: 1 })).send();
    await sell('001', 501);
    await assert.rejects(
        sell('001', 501),
        refused(
            'TransactionCanceledException',
            'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, ConditionalCheckFailed, None]',
        ),
    );
    const { Responses } = await executeGet(
        Product.build(GetTransaction).key({ shop: 's', sku: '001' }),
        Product.build(GetTransaction).key({ shop: 's', sku: '502' }),
    );
    assert.deepEqual(
        Responses.map(({ Item }) => Item?.stock),
        [0, undefined],
    );
});
