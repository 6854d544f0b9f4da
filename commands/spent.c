#include "commands/spent.h"

#include <stdlib.h>

#include "commands/language/lex.h"
#include "commands/wire.h"
#include "engine/base/clock.h"

void cmd_spent_free(struct cmd_spent *spent)
{
    if (spent == NULL)
        return;
    for (size_t i = 0; i < spent->count; i++) {
        free(spent->rows[i].table);
        free(spent->rows[i].operation);
    }
    free(spent->rows);
    free(spent);
}

/* ---- what an answer says --------------------------------------------------------------------- */

static bool is_select(pk_slice statement)
{
    return cmd_word_is(cmd_word_at(statement, cmd_skip_blanks(statement, 0)), "select");
}

/* The kind of a statement's units is not in the answer. The statements of one request are of one
 * kind. */
static bool reads(const char *operation, const cJSON *request)
{
    static const char *const statements[] = {"Statements", "TransactStatements"};
    pk_slice statement = cmd_wire_text(request, "Statement");

    for (size_t i = 0; i < 2 && statement.data == NULL; i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(request, statements[i]);

        statement = cmd_wire_text(cJSON_GetArrayItem(list, 0), "Statement");
    }
    if (statement.data != NULL)
        return is_select(statement);
    return strncmp(operation, "Get", 3) == 0 || strcmp(operation, "Query") == 0 ||
           strcmp(operation, "Scan") == 0 || strcmp(operation, "BatchGetItem") == 0 ||
           strcmp(operation, "TransactGetItems") == 0;
}

static char *copy(const char *text)
{
    return pk_memdup_cstr(text, strlen(text));
}

static void begin(struct cmd_context *context)
{
    if (context->spent != NULL)
        return;
    context->spent = pk_calloc(1, sizeof(*context->spent));
    context->spent->since_ms = pk_clock_real_us() / 1000;
}

static int compare(const struct cmd_spent_row *row, const char *table, const char *operation)
{
    int order = strcmp(row->table, table);

    return order != 0 ? order : strcmp(row->operation, operation);
}

static struct cmd_spent_row *row_of(struct cmd_spent *spent, const char *table,
                                    const char *operation)
{
    size_t at = 0;

    while (at < spent->count && compare(&spent->rows[at], table, operation) < 0)
        at++;
    if (at < spent->count && compare(&spent->rows[at], table, operation) == 0)
        return &spent->rows[at];
    spent->rows = pk_realloc(spent->rows, spent->count + 1, sizeof(*spent->rows));
    memmove(&spent->rows[at + 1], &spent->rows[at], (spent->count - at) * sizeof(*spent->rows));
    spent->rows[at] = (struct cmd_spent_row){.table = copy(table), .operation = copy(operation)};
    spent->count++;
    return &spent->rows[at];
}

/* One table's ConsumedCapacity. */
static void add_entry(struct cmd_spent *spent, const char *operation, bool read,
                      const cJSON *capacity)
{
    const char *table =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(capacity, "TableName"));
    int64_t milli = cmd_wire_milli(capacity, "CapacityUnits");
    struct cmd_spent_row *row;

    if (table == NULL)
        return;
    row = row_of(spent, table, operation);
    row->requests++;
    if (read || cmd_wire_is_read(capacity))
        row->read_milli += milli;
    else
        row->write_milli += milli;
}

void cmd_spent_add_sum(struct cmd_context *context, const struct cmd_spent_sum *sum)
{
    struct cmd_spent_row *row;

    begin(context);
    row = row_of(context->spent, sum->table, sum->operation);
    row->requests += sum->requests;
    row->read_milli += sum->read_milli;
    row->write_milli += sum->write_milli;
}

void cmd_spent_add(struct cmd_context *context, const char *operation, const cJSON *request,
                   const cJSON *answer)
{
    const cJSON *capacity = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity");
    bool read = capacity != NULL && reads(operation, request);
    const cJSON *entry;

    if (capacity == NULL)
        return;
    begin(context);
    if (!cJSON_IsArray(capacity))
        add_entry(context->spent, operation, read, capacity);
    else
        cJSON_ArrayForEach(entry, capacity) add_entry(context->spent, operation, read, entry);
}
