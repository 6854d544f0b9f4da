#include "commands/batch_send.h"

#include "commands/wait.h"

enum {
    PAUSE_MIN_MS = 50,
    TRIES_MAX = 30 /* without any progress */
};

/* Requests in a RequestItems or UnprocessedItems object. */
static uint64_t requests_in(const cJSON *items)
{
    const cJSON *table;
    uint64_t count = 0;

    cJSON_ArrayForEach(table, items) count += (uint64_t)cJSON_GetArraySize(table);
    return count;
}

static void add_units(struct cmd_batch_sender *sender, const cJSON *answer)
{
    const cJSON *entry;

    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity"))
        sender->milli += cmd_wire_milli(entry, "CapacityUnits");
}

static bool is_throttled(enum pk_code rc)
{
    return rc == PK_E_THROUGHPUT_EXCEEDED || rc == PK_E_THROTTLED || rc == PK_E_REQUEST_LIMIT;
}

/* Sends it once; *items becomes what was left unprocessed, NULL when nothing was. All of it
 * throttled is no failure. */
static enum pk_code send_once(struct cmd_batch_sender *sender, cJSON **items, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject(), *answer = NULL;
    uint64_t sent = requests_in(*items);
    enum pk_code rc;

    cmd_wire_set(request, "RequestItems", *items);
    cmd_wire_set_text(request, "ReturnConsumedCapacity", PK_LIT("TOTAL")); /* for `capacity` */
    rc = cmd_call(sender->context, "BatchWriteItem", request, &answer, NULL, err);
    sender->calls++;
    if (rc == PK_OK) {
        add_units(sender, answer);
        *items = cJSON_DetachItemFromObjectCaseSensitive(answer, "UnprocessedItems");
        sender->written += sent - requests_in(*items);
    } else {
        *items = cJSON_DetachItemFromObjectCaseSensitive(request, "RequestItems");
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    if (!is_throttled(rc))
        return rc;
    pk_error_release(err);
    return PK_OK;
}

enum pk_code cmd_batch_send(struct cmd_batch_sender *sender, cJSON *items_take, uint64_t *left,
                            struct pk_error *err)
{
    int pause = PAUSE_MIN_MS, tries = 0;
    enum pk_code rc;

    *left = 0;
    for (;;) {
        uint64_t before = sender->written;

        rc = send_once(sender, &items_take, err);
        if (rc != PK_OK || requests_in(items_take) == 0)
            break;
        tries = sender->written > before ? 0 : tries + 1;
        if (tries > (sender->waits_never ? 0 : TRIES_MAX)) {
            *left = requests_in(items_take);
            break;
        }
        if (!cmd_pause_ms(sender->context, pause)) {
            rc = pk_fail(err, PK_E_CANCELLED, "cancelled");
            break;
        }
        pause = pause * 2 > sender->pause_max_ms ? sender->pause_max_ms : pause * 2;
    }
    cJSON_Delete(items_take);
    return rc;
}
