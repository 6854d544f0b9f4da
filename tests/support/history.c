/* See the header. */
#include "tests/support/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char history_table[] =
    "{\"TableName\":\"" HISTORY_TABLE "\",\"BillingMode\":\"PAY_PER_REQUEST\","
    "\"AttributeDefinitions\":[{\"AttributeName\":\"id\",\"AttributeType\":\"S\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}]}";

enum { VALUES_PER_CLIENT = 1000000, VALUE_STEP = 1000 };

void history_client_init(struct history_client *client, unsigned number, uint64_t seed)
{
    *client = (struct history_client){.number = number, .http = {.fd = -1}};
    client->next = (uint64_t)(number + 1) * VALUES_PER_CLIENT;
    pk_rng_seed(&client->rng, seed * 1000 + number);
}

void history_client_release(struct history_client *client)
{
    http_client_release(&client->http);
    pk_buf_release(&client->body);
    pk_buf_release(&client->answer);
    for (size_t i = 0; i < HISTORY_ITEMS; i++)
        free(client->items[i].ops);
}

void history_client_connect(struct history_client *client, const char *url)
{
    http_client_release(&client->http);
    http_client_init(&client->http, url);
}

void history_next_round(struct history_client *client)
{
    client->round++;
    for (size_t i = 0; i < HISTORY_ITEMS; i++) {
        client->items[i].count = 0;
        client->seen[i] = 0;
    }
}

size_t history_unanswered(const struct history_client *client)
{
    size_t count = 0;

    for (size_t item = 0; item < HISTORY_ITEMS; item++)
        for (size_t i = 0; i < client->items[item].count; i++)
            count += client->items[item].ops[i].answered == LINEAR_NEVER;
    return count;
}

/* ---- operations ------------------------------------------------------------------------------ */

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_id(struct history_client *client, unsigned item)
{
    pk_buf_printf(&client->body, "\"id\":{\"S\":\"%u-%u\"}", client->round, item);
}

static void add_value(struct history_client *client, const char *name, uint64_t value)
{
    pk_buf_printf(&client->body, "\"%s\":{\"N\":\"%" PRIu64 "\"}", name, value);
}

/* The condition that the item is as last seen; `value`: the :v of an update, 0: there is none. */
static void add_condition(struct history_client *client, uint64_t seen, uint64_t value)
{
    pk_buf_printf(&client->body, ",\"ConditionExpression\":\"%s\"",
                  seen == 0 ? "attribute_not_exists(id)" : "v = :seen");
    if (seen == 0 && value == 0)
        return;
    pk_buf_add_cstr(&client->body, ",\"ExpressionAttributeValues\":{");
    if (value != 0)
        add_value(client, ":v", value);
    if (value != 0 && seen != 0)
        pk_buf_add_byte(&client->body, ',');
    if (seen != 0)
        add_value(client, ":seen", seen);
    pk_buf_add_byte(&client->body, '}');
}

static const char *make_put(struct history_client *client, unsigned item, bool tells,
                            struct linear_op *op)
{
    op->before_unknown = !tells;
    pk_buf_add_cstr(&client->body, ",\"Item\":{");
    add_id(client, item);
    pk_buf_add_byte(&client->body, ',');
    add_value(client, "v", op->after);
    pk_buf_printf(&client->body, "}%s}", tells ? ",\"ReturnValues\":\"ALL_OLD\"" : "");
    return "PutItem";
}

static const char *make_conditional(struct history_client *client, uint64_t seen,
                                    struct linear_op *op)
{
    op->kind = LINEAR_WRITE_IF;
    op->before = seen;
    if (op->after != 0)
        pk_buf_add_cstr(&client->body, ",\"UpdateExpression\":\"SET v = :v\"");
    add_condition(client, seen, op->after);
    pk_buf_add_byte(&client->body, '}');
    return op->after == 0 ? "DeleteItem" : "UpdateItem";
}

/* Writes a request, fills *op as far as it is known, and names the operation. */
static const char *draw(struct history_client *client, unsigned item, struct linear_op *op)
{
    uint64_t dice = pk_rng_below(&client->rng, 10);

    *op = (struct linear_op){.kind = LINEAR_WRITE, .after = client->next};
    client->next += VALUE_STEP; /* additions stay between */
    pk_buf_clear(&client->body);
    pk_buf_add_cstr(&client->body, "{\"TableName\":\"" HISTORY_TABLE "\"");
    if (dice < 2)
        return make_put(client, item, dice == 0, op);
    pk_buf_add_cstr(&client->body, ",\"Key\":{");
    add_id(client, item);
    pk_buf_add_byte(&client->body, '}');
    if (dice < 5) {
        op->kind = LINEAR_READ;
        pk_buf_add_cstr(&client->body, ",\"ConsistentRead\":true}");
        return "GetItem";
    }
    if (dice == 5) {
        op->kind = LINEAR_ADD;
        op->after = 1; /* what is added, until the answer says what it made */
        pk_buf_add_cstr(&client->body,
                        ",\"UpdateExpression\":\"ADD v :v\",\"ReturnValues\":\"UPDATED_NEW\","
                        "\"ExpressionAttributeValues\":{\":v\":{\"N\":\"1\"}}}");
        return "UpdateItem";
    }
    if (dice < 8)
        op->after = 0;
    if (dice > 6)
        return make_conditional(client, client->seen[item], op);
    pk_buf_add_cstr(&client->body, ",\"ReturnValues\":\"ALL_OLD\"}");
    return "DeleteItem";
}

/* What the answer says about the operation; false: nothing that could be. */
static bool learn(struct history_client *client, int status, struct linear_op *op)
{
    uint64_t told = (uint64_t)http_answer_number(&client->answer, "v", 0);

    if (status == 400 && op->kind == LINEAR_WRITE_IF &&
        http_answer_is_error(&client->answer, "ConditionalCheckFailedException")) {
        op->kind = LINEAR_REFUSED;
        return true;
    }
    if (status != 200)
        return false;
    if (op->kind == LINEAR_ADD) {
        op->after = told;
        op->before = told - 1;
    } else if (op->kind != LINEAR_WRITE_IF && !op->before_unknown) {
        op->before = told;
    }
    return true;
}

static struct linear_op *add_op(struct history *history)
{
    if (history->count == history->cap) {
        history->cap = history->cap == 0 ? 64 : history->cap * 2;
        history->ops = pk_realloc(history->ops, history->cap, sizeof(*history->ops));
    }
    return &history->ops[history->count++];
}

enum history_outcome history_step(struct history_client *client)
{
    unsigned item = (unsigned)pk_rng_below(&client->rng, HISTORY_ITEMS);
    struct linear_op *op = add_op(&client->items[item]);
    const char *operation = draw(client, item, op);
    int status;

    op->called = now_ns();
    status = http_client_call(&client->http, operation, client->body.data, &client->answer);
    op->answered = status > 0 ? now_ns() : LINEAR_NEVER;
    if (status == HTTP_NOT_SENT)
        client->items[item].count--;
    if (status <= 0) {
        op->before_unknown = op->kind == LINEAR_WRITE || op->kind == LINEAR_ADD;
        return HISTORY_GONE;
    }
    if (!learn(client, status, op)) {
        fprintf(stderr, "history: client %u: %s: %d %s\n  for %s\n", client->number, operation,
                status, client->answer.data, client->body.data);
        return HISTORY_WRONG;
    }
    if (op->kind != LINEAR_REFUSED)
        client->seen[item] = op->kind == LINEAR_READ ? op->before : op->after;
    return HISTORY_ANSWERED;
}

/* ---- verifying ------------------------------------------------------------------------------- */

static void show(const struct history *history)
{
    static const char *const kinds[] = {"read", "write", "write if", "refused", "add"};

    for (size_t i = 0; i < history->count; i++) {
        const struct linear_op *op = &history->ops[i];

        fprintf(stderr, "  %" PRId64 " to %" PRId64 ": %s, %s%" PRIu64 " -> %" PRIu64 "\n",
                op->called, op->answered, kinds[op->kind], op->before_unknown ? "unknown " : "",
                op->before, op->after);
    }
}

static bool verify_item(const struct history_client *clients, size_t count, size_t item)
{
    struct history all = {.ops = NULL};
    bool good;

    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < clients[c].items[item].count; i++)
            *add_op(&all) = clients[c].items[item].ops[i];
    good = linear_check(all.ops, all.count, 0);
    if (!good) {
        show(&all);
        fprintf(stderr, "history: item %zu, %zu operations: not linearizable\n", item, all.count);
    }
    free(all.ops);
    return good;
}

bool history_verify(const struct history_client *clients, size_t count)
{
    bool good = true;

    for (size_t item = 0; item < HISTORY_ITEMS; item++)
        good = verify_item(clients, count, item) && good;
    return good;
}
