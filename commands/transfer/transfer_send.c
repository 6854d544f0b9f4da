/*
 * BatchWriteItem takes 25 requests and 16 MB of JSON. A byte of an item can become six of JSON
 * (\u0001), so a batch holds at most BATCH_BYTES of stored form.
 */
#include "commands/transfer/transfer_send.h"

#include <stdio.h>

#include "commands/batch_send.h"
#include "commands/wait.h"
#include "commands/wire.h"

enum { BATCH_BYTES = 2 * 1024 * 1024, PAUSE_MAX_MS = 5000, ATTACHMENT_MAX = 4 * 1024 * 1024 };

struct sender {
    struct cmd_context *context;
    struct transfer *transfer;
    struct transfer_table *table;
    struct cmd_batch_sender batches; /* of this table's records */
    struct pk_error *err;
};

static void show_progress(const struct sender *sender)
{
    const struct cmd_progress *progress = &sender->context->progress;
    char text[400];

    if (progress->show == NULL)
        return;
    (void)snprintf(text, sizeof(text), "import into %.*s: %llu of %zu",
                   PK_FMT(sender->table->target), (unsigned long long)sender->batches.written,
                   sender->table->count);
    progress->show(progress->context, text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* One call whose answer is not needed. */
static enum pk_code call(struct sender *sender, const char *operation, cJSON *request_take)
{
    cJSON *answer = NULL;
    enum pk_code rc =
        cmd_call(sender->context, operation, request_take, &answer, NULL, sender->err);

    cJSON_Delete(request_take);
    cJSON_Delete(answer);
    return rc;
}

static cJSON *table_request(const struct sender *sender)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", sender->table->target);
    return request;
}

/* Undoes create_table; sender->err keeps why. */
static void drop_table(struct sender *sender)
{
    struct pk_error why = PK_ERROR_INIT;

    pk_error_move(&why, sender->err);
    (void)call(sender, "DeleteTable", table_request(sender));
    pk_error_release(sender->err);
    pk_error_move(sender->err, &why);
    cmd_schema_drop(sender->context);
}

static enum pk_code create_table(struct sender *sender)
{
    cJSON *request = cJSON_Duplicate(sender->table->create, true);
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", sender->table->target);
    rc = call(sender, "CreateTable", request);
    cmd_schema_drop(sender->context);
    if (rc != PK_OK)
        return rc;
    rc = cmd_wait_table(sender->context, sender->table->target, CMD_WAIT_ACTIVE, sender->err);
    if (rc != PK_OK)
        drop_table(sender);
    return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

static cJSON *request_of(const struct transfer_record *record)
{
    struct pk_arena arena = PK_ARENA_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *inner = cmd_wire_object(request, record->remove ? "DeleteRequest" : "PutRequest");

    cmd_wire_set(inner, record->remove ? "Key" : "Item",
                 cmd_wire_item(pk_view_decode(&arena, record->view)));
    pk_arena_release(&arena);
    return request;
}

/* Takes records from *at on as a RequestItems object. */
static cJSON *next_batch(const struct sender *sender, size_t *at)
{
    const struct transfer_table *table = sender->table;
    cJSON *list = cJSON_CreateArray();
    cJSON *items = cJSON_CreateObject();
    size_t count = 0, bytes = 0;

    while (*at < table->count && count < CMD_BATCH_ITEMS &&
           (count == 0 || bytes + table->records[*at].view.len <= BATCH_BYTES)) {
        bytes += table->records[*at].view.len;
        cJSON_AddItemToArray(list, request_of(&table->records[*at]));
        *at += 1;
        count++;
    }
    cmd_wire_set_named(items, table->target, list);
    return items;
}

static enum pk_code send_batch(struct sender *sender, cJSON *items_take)
{
    uint64_t left = 0;
    enum pk_code rc = cmd_batch_send(&sender->batches, items_take, &left, sender->err);

    if (rc != PK_OK || left == 0)
        return rc;
    return pk_fail(sender->err, PK_E_THROUGHPUT_EXCEEDED,
                   "the table takes no more writes: %llu stay unprocessed",
                   (unsigned long long)left);
}

static enum pk_code send_records(struct sender *sender)
{
    size_t at = 0;

    while (at < sender->table->count) {
        enum pk_code rc;

        if (cmd_is_cancelled(sender->context))
            return pk_fail(sender->err, PK_E_CANCELLED, "cancelled");
        rc = send_batch(sender, next_batch(sender, &at));
        if (rc != PK_OK)
            return rc;
        show_progress(sender);
    }
    return PK_OK;
}

/* ---- what the table cannot hold -------------------------------------------------------------- */

/* Kept for an export; a foreign endpoint has no place for it, which is no failure. */
static void send_attachment(struct sender *sender)
{
    struct transfer_table *table = sender->table;
    cJSON *request;
    char digest[24];
    pk_slice text;

    if (table->attachment.len == 0)
        return;
    (void)snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)table->digest);
    text = pk_arena_printf(&sender->transfer->arena, "{\"model\":%.*s,\"digest\":\"%s\"}",
                           PK_FMT(table->attachment), digest);
    request = table_request(sender);
    cmd_wire_set_text(request, "Attachment", text);
    if (text.len <= ATTACHMENT_MAX && call(sender, "Pksk.PutAttachment", request) == PK_OK)
        return;
    if (text.len > ATTACHMENT_MAX)
        cJSON_Delete(request);
    pk_error_release(sender->err);
    transfer_note(sender->transfer,
                  "table '%.*s': what only the model holds (facets, descriptions) is not kept here",
                  PK_FMT(table->target));
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Drops the tables that this import has made, up to the one before `end`; sender->err keeps why. */
static void drop_tables(struct sender *sender, const struct transfer_table *end)
{
    for (struct transfer_table *t = sender->transfer->first; t != end; t = t->next) {
        sender->table = t;
        if (!t->exists)
            drop_table(sender);
    }
}

/* All of them before the first write: a definition that is refused leaves nothing behind. */
static enum pk_code create_tables(struct sender *sender)
{
    for (struct transfer_table *t = sender->transfer->first; t != NULL; t = t->next) {
        char prefix[400];
        enum pk_code rc;

        sender->table = t;
        rc = t->exists ? PK_OK : create_table(sender);
        if (rc == PK_OK)
            continue;
        (void)snprintf(prefix, sizeof(prefix), "table '%.*s': ", PK_FMT(t->target));
        pk_error_prefix(sender->err, prefix);
        drop_tables(sender, t);
        return rc;
    }
    return PK_OK;
}

static enum pk_code send_table(struct sender *sender)
{
    struct transfer_table *table = sender->table;
    enum pk_code rc = send_records(sender);

    if (rc == PK_OK) {
        send_attachment(sender);
        return PK_OK;
    }
    if (table->exists && sender->batches.written > 0) {
        char prefix[400];

        (void)snprintf(prefix, sizeof(prefix),
                       "table '%.*s': after %llu of %zu writes: ", PK_FMT(table->target),
                       (unsigned long long)sender->batches.written, table->count);
        pk_error_prefix(sender->err, prefix);
    }
    return rc;
}

enum pk_code transfer_send(struct cmd_context *context, struct transfer *transfer,
                           struct pk_error *err)
{
    struct sender sender = {.context = context, .transfer = transfer, .err = err};
    enum pk_code rc = create_tables(&sender);

    if (rc != PK_OK)
        return rc;
    for (struct transfer_table *table = transfer->first; table != NULL; table = table->next) {
        sender.table = table;
        sender.batches =
            (struct cmd_batch_sender){.context = context, .pause_max_ms = PAUSE_MAX_MS};
        rc = send_table(&sender);
        if (rc != PK_OK) {
            drop_tables(&sender, NULL);
            return rc;
        }
    }
    return PK_OK;
}
