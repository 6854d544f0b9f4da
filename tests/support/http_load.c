/* The clients; what they left behind is looked at in http_verify.c. */
#include "tests/support/http_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLLECTIONS = 8 }; /* that all clients share */

/* ---- items ----------------------------------------------------------------------------------- */

const char *load_table_of(unsigned key)
{
    return key % 4 == 3 ? LOAD_OTHER_TABLE : LOAD_TABLE;
}

struct load_item load_item_of(uint64_t value)
{
    struct load_item item;
    size_t len = (size_t)(value * 31 % (LOAD_TEXT_MAX + 1));

    snprintf(item.group, sizeof(item.group), "G#%u", (unsigned)(value % 7));
    memset(item.text, 'a' + (int)(value % 26), len);
    item.text[len] = '\0';
    return item;
}

static void add_key(struct pk_buf *out, unsigned client, unsigned key)
{
    if (strcmp(load_table_of(key), LOAD_TABLE) == 0)
        pk_buf_printf(out, "\"PK\":{\"S\":\"C#%u\"},\"SK\":{\"S\":\"%02u#%03u\"}",
                      key % COLLECTIONS, client, key);
    else
        pk_buf_printf(out, "\"PK\":{\"S\":\"%02u#%03u\"}", client, key);
}

static void add_item(struct pk_buf *out, unsigned client, unsigned key, uint64_t value)
{
    struct load_item item = load_item_of(value);

    pk_buf_add_byte(out, '{');
    add_key(out, client, key);
    pk_buf_printf(out,
                  ",\"val\":{\"N\":\"%" PRIu64 "\"},\"grp\":{\"S\":\"%s\"},"
                  "\"txt\":{\"S\":\"%s\"}}",
                  value, item.group, item.text);
}

/* ---- what to do next ------------------------------------------------------------------------- */

static enum load_kind draw_kind(struct pk_rng *rng)
{
    uint64_t dice = pk_rng_below(rng, 100);

    return dice < 30   ? LOAD_PUT
           : dice < 50 ? LOAD_UPDATE
           : dice < 62 ? LOAD_DELETE
           : dice < 72 ? LOAD_BATCH
           : dice < 92 ? LOAD_TRANSACT
           : dice < 96 ? LOAD_REFUSED
                       : LOAD_CANCELLED;
}

static struct load_op draw_op(struct load_client *client)
{
    struct load_op op = {.kind = draw_kind(&client->rng), .count = 1};
    enum { STRIDE = LOAD_KEYS / LOAD_TOUCH_MAX };
    unsigned first = (unsigned)pk_rng_below(&client->rng, LOAD_KEYS);

    op.conditional = pk_rng_below(&client->rng, 2) == 0;
    if (op.kind == LOAD_BATCH)
        op.count = LOAD_TOUCH_MAX;
    else if (op.kind == LOAD_TRANSACT || op.kind == LOAD_CANCELLED)
        op.count = 2;
    for (size_t i = 0; i < op.count; i++) { /* distinct, and not all in one table */
        bool deletes = op.kind == LOAD_DELETE ||
                       (op.kind != LOAD_PUT && op.kind != LOAD_UPDATE && op.kind != LOAD_REFUSED &&
                        pk_rng_below(&client->rng, 4) == 0);

        op.keys[i] = (first + (unsigned)i * (STRIDE + 1)) % LOAD_KEYS;
        op.values[i] = deletes ? 0 : client->next++;
    }
    return op;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_update(struct pk_buf *out, uint64_t value)
{
    struct load_item item = load_item_of(value);

    pk_buf_printf(out,
                  "\"UpdateExpression\":\"SET val = :v, grp = :g, txt = :t\","
                  "\"ExpressionAttributeValues\":{\":v\":{\"N\":\"%" PRIu64
                  "\"},\":g\":{\"S\":\"%s\"},"
                  "\":t\":{\"S\":\"%s\"}",
                  value, item.group, item.text);
}

/* The condition that the key holds `old`. After add_update its values go on in the same map. */
static void add_condition(struct pk_buf *out, uint64_t old, bool values_open)
{
    if (old != 0)
        pk_buf_printf(out,
                      "%s\":old\":{\"N\":\"%" PRIu64 "\"}},\"ConditionExpression\":\"val = :old\"",
                      values_open ? "," : ",\"ExpressionAttributeValues\":{", old);
    else
        pk_buf_printf(out, "%s,\"ConditionExpression\":\"attribute_not_exists(PK)\"",
                      values_open ? "}" : "");
}

enum write_form { FORM_PUT, FORM_UPDATE, FORM_DELETE };

static const char *const form_names[] = {"Put", "Update", "Delete"};

/* The members of the request, which are those of a transaction's entry too. expected: what the key
 * must hold, or NULL. */
static void add_members(struct load_client *client, enum write_form form, unsigned key,
                        uint64_t value, const uint64_t *expected)
{
    struct pk_buf *out = &client->body;

    pk_buf_printf(out, "\"TableName\":\"%s\",", load_table_of(key));
    if (form == FORM_PUT) {
        pk_buf_add_cstr(out, "\"Item\":");
        add_item(out, client->number, key, value);
    } else {
        pk_buf_add_cstr(out, "\"Key\":{");
        add_key(out, client->number, key);
        pk_buf_add_cstr(out, form == FORM_UPDATE ? "}," : "}");
    }
    if (form == FORM_UPDATE)
        add_update(out, value);
    if (expected != NULL)
        add_condition(out, *expected, form == FORM_UPDATE);
    else if (form == FORM_UPDATE)
        pk_buf_add_byte(out, '}');
}

static const char *make_single(struct load_client *client, const struct load_op *op)
{
    enum write_form form = op->kind == LOAD_PUT      ? FORM_PUT
                           : op->kind == LOAD_DELETE ? FORM_DELETE
                                                     : FORM_UPDATE;
    uint64_t expected = client->state[op->keys[0]];
    bool conditional = op->conditional;

    if (op->kind == LOAD_REFUSED) {
        expected = client->next; /* never written */
        conditional = true;
    }
    add_members(client, form, op->keys[0], op->values[0], conditional ? &expected : NULL);
    return form == FORM_PUT ? "PutItem" : form == FORM_UPDATE ? "UpdateItem" : "DeleteItem";
}

static const char *make_transaction(struct load_client *client, const struct load_op *op)
{
    struct pk_buf *out = &client->body;

    pk_buf_add_cstr(out, "\"TransactItems\":[");
    for (size_t i = 0; i < op->count; i++) {
        bool wrong = op->kind == LOAD_CANCELLED && i == op->count - 1;
        uint64_t expected = wrong ? client->next : client->state[op->keys[i]];
        enum write_form form = op->values[i] == 0 ? FORM_DELETE
                               : op->keys[i] % 2  ? FORM_PUT
                                                  : FORM_UPDATE;

        pk_buf_printf(out, "%s{\"%s\":{", i == 0 ? "" : ",", form_names[form]);
        add_members(client, form, op->keys[i], op->values[i],
                    wrong || op->conditional ? &expected : NULL);
        pk_buf_add_cstr(out, "}}");
    }
    pk_buf_add_byte(out, ']');
    return "TransactWriteItems";
}

static void add_batch_of(struct load_client *client, const struct load_op *op, const char *table)
{
    struct pk_buf *out = &client->body;
    size_t found = 0;

    for (size_t i = 0; i < op->count; i++) {
        if (strcmp(load_table_of(op->keys[i]), table) != 0)
            continue;
        if (found++ == 0)
            pk_buf_printf(out, "%s\"%s\":[", out->data[out->len - 1] == '{' ? "" : ",", table);
        else
            pk_buf_add_byte(out, ',');
        if (op->values[i] != 0) {
            pk_buf_add_cstr(out, "{\"PutRequest\":{\"Item\":");
            add_item(out, client->number, op->keys[i], op->values[i]);
        } else {
            pk_buf_add_cstr(out, "{\"DeleteRequest\":{\"Key\":{");
            add_key(out, client->number, op->keys[i]);
            pk_buf_add_byte(out, '}');
        }
        pk_buf_add_cstr(out, "}}");
    }
    if (found > 0)
        pk_buf_add_byte(out, ']');
}

static const char *make_batch(struct load_client *client, const struct load_op *op)
{
    pk_buf_add_cstr(&client->body, "\"RequestItems\":{");
    add_batch_of(client, op, LOAD_TABLE);
    add_batch_of(client, op, LOAD_OTHER_TABLE);
    pk_buf_add_byte(&client->body, '}');
    return "BatchWriteItem";
}

/* ---- a client -------------------------------------------------------------------------------- */

static void complain(struct load_client *client, const char *what, int status)
{
    fprintf(stderr, "client %u: %s: %d %s\n  for %s\n", client->number, what, status,
            client->answer.len == 0 ? "" : client->answer.data, client->body.data);
    atomic_store(&client->load->failed, true);
}

static bool is_expected(const struct load_client *client, enum load_kind kind, int status)
{
    switch (kind) {
    case LOAD_REFUSED:
        return status == 400 &&
               http_answer_is_error(&client->answer, "ConditionalCheckFailedException");
    case LOAD_CANCELLED:
        return status == 400 &&
               strstr(client->answer.data, "[None, ConditionalCheckFailed]") != NULL;
    case LOAD_BATCH:
        return status == 200 && strstr(client->answer.data, "\"UnprocessedItems\":{}") != NULL;
    case LOAD_PUT:
    case LOAD_UPDATE:
    case LOAD_DELETE:
    case LOAD_TRANSACT:
        break;
    }
    return status == 200;
}

static bool has_effect(enum load_kind kind)
{
    return kind != LOAD_REFUSED && kind != LOAD_CANCELLED;
}

/* False when it got no answer, or a wrong one. */
static bool write_once(struct load_client *client)
{
    struct load_op op = draw_op(client);
    const char *operation;
    int status;

    pk_buf_clear(&client->body);
    pk_buf_add_byte(&client->body, '{');
    operation = op.kind == LOAD_BATCH ? make_batch(client, &op)
                : op.kind == LOAD_TRANSACT || op.kind == LOAD_CANCELLED
                    ? make_transaction(client, &op)
                    : make_single(client, &op);
    pk_buf_add_byte(&client->body, '}');
    status = http_client_call(&client->http, operation, client->body.data, &client->answer);
    client->in_flight = status == HTTP_NO_ANSWER && has_effect(op.kind);
    client->flight = op;
    if (status <= 0)
        return false;
    if (!is_expected(client, op.kind, status)) {
        complain(client, operation, status);
        return false;
    }
    for (size_t i = 0; has_effect(op.kind) && i < op.count; i++)
        client->state[op.keys[i]] = op.values[i];
    return true;
}

static bool read_once(struct load_client *client)
{
    unsigned key = (unsigned)pk_rng_below(&client->rng, LOAD_KEYS);
    int status;

    pk_buf_clear(&client->body);
    pk_buf_printf(&client->body, "{\"TableName\":\"%s\",\"ConsistentRead\":true,\"Key\":{",
                  load_table_of(key));
    add_key(&client->body, client->number, key);
    pk_buf_add_cstr(&client->body, "}}");
    status = http_client_call(&client->http, "GetItem", client->body.data, &client->answer);
    if (status <= 0)
        return false;
    if (status == 200 &&
        http_answer_number(&client->answer, "val", 0) == (int64_t)client->state[key])
        return true;
    complain(client, "a read differs from the last write", status);
    return false;
}

static void *client_main(void *context)
{
    struct load_client *client = context;
    bool goes_on = true;

    while (goes_on && !atomic_load(&client->load->failed)) {
        goes_on = pk_rng_below(&client->rng, 8) == 0 ? read_once(client) : write_once(client);
        client->answered += goes_on;
    }
    http_client_release(&client->http);
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

void load_init(struct load *load, uint64_t seed)
{
    *load = (struct load){.seed = seed};
    for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
        struct load_client *client = &load->clients[i];

        client->load = load;
        client->number = i;
        client->next = 1;
        pk_rng_seed(&client->rng, seed * LOAD_CLIENTS + i);
    }
}

void load_release(struct load *load)
{
    for (size_t i = 0; i < LOAD_CLIENTS; i++) {
        pk_buf_release(&load->clients[i].body);
        pk_buf_release(&load->clients[i].answer);
    }
}

bool load_create_tables(const char *url)
{
    static const char *const tables[] = {
        "{\"TableName\":\"" LOAD_TABLE "\",\"BillingMode\":\"PAY_PER_REQUEST\","
        "\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"grp\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"val\",\"AttributeType\":\"N\"}],"
        "\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},"
        "{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by_group\",\"KeySchema\":["
        "{\"AttributeName\":\"grp\",\"KeyType\":\"HASH\"},"
        "{\"AttributeName\":\"val\",\"KeyType\":\"RANGE\"}],"
        "\"Projection\":{\"ProjectionType\":\"ALL\"}}],"
        "\"LocalSecondaryIndexes\":[{\"IndexName\":\"by_value\",\"KeySchema\":["
        "{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},"
        "{\"AttributeName\":\"val\",\"KeyType\":\"RANGE\"}],"
        "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],"
        "\"StreamSpecification\":{\"StreamEnabled\":true,"
        "\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"}}",
        "{\"TableName\":\"" LOAD_OTHER_TABLE "\",\"BillingMode\":\"PAY_PER_REQUEST\","
        "\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"}],"
        "\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"}]}"};
    struct http_client http;
    struct pk_buf answer = PK_BUF_INIT;
    int status = 200;

    http_client_init(&http, url);
    for (size_t i = 0; status == 200 && i < sizeof(tables) / sizeof(*tables); i++)
        status = http_client_call(&http, "CreateTable", tables[i], &answer);
    if (status != 200)
        fprintf(stderr, "a table cannot be made: %d %s\n", status, answer.data);
    http_client_release(&http);
    pk_buf_release(&answer);
    return status == 200;
}

void load_start(struct load *load, const char *url)
{
    for (size_t i = 0; i < LOAD_CLIENTS; i++) {
        struct load_client *client = &load->clients[i];

        http_client_init(&client->http, url);
        client->in_flight = false;
        if (pthread_create(&client->thread, NULL, client_main, client) != 0)
            abort();
    }
}

bool load_join(struct load *load)
{
    load->answered = load->unanswered = 0;
    for (size_t i = 0; i < LOAD_CLIENTS; i++) {
        pthread_join(load->clients[i].thread, NULL);
        load->answered += load->clients[i].answered;
        load->unanswered += load->clients[i].in_flight;
    }
    return !atomic_load(&load->failed);
}
