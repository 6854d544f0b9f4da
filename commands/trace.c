#include "commands/trace.h"

#include <stdlib.h>

#include "commands/facts.h"
#include "commands/language/lex.h"
#include "commands/schema.h"
#include "commands/wire.h"

#define ARROW " \xE2\x86\x92 "

enum { REQUESTS_MAX = 100, NAMES_MAX = 200 };

struct cmd_trace {
    struct pk_buf text;
    size_t requests; /* of the statement that runs */
};

void cmd_trace_set(struct cmd_context *context, bool on)
{
    if (!on)
        cmd_trace_free(context);
    else if (context->trace == NULL)
        context->trace = pk_calloc(1, sizeof(*context->trace));
}

bool cmd_trace_on(const struct cmd_context *context)
{
    return context->trace != NULL;
}

void cmd_trace_free(struct cmd_context *context)
{
    if (context->trace != NULL)
        pk_buf_release(&context->trace->text);
    free(context->trace);
    context->trace = NULL;
}

/* ---- operations ------------------------------------------------------------------------------ */

enum keys { ONE_KEY, ONE_ITEM, CONDITION, NO_KEY };

static const struct operation {
    const char *name;
    bool write; /* PartiQL: by its statement */
    enum keys keys;
} operations[] = {
    {"GetItem", false, ONE_KEY},           {"PutItem", true, ONE_ITEM},
    {"UpdateItem", true, ONE_KEY},         {"DeleteItem", true, ONE_KEY},
    {"Query", false, CONDITION},           {"Scan", false, NO_KEY},
    {"BatchGetItem", false, NO_KEY},       {"BatchWriteItem", true, NO_KEY},
    {"TransactGetItems", false, NO_KEY},   {"TransactWriteItems", true, NO_KEY},
    {"ExecuteStatement", false, NO_KEY},   {"BatchExecuteStatement", false, NO_KEY},
    {"ExecuteTransaction", false, NO_KEY},
};

static const struct operation *find(const char *name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(name, operations[i].name) == 0)
            return &operations[i];
    }
    return NULL;
}

struct tracing {
    struct cmd_context *context;
    const struct operation *operation;
    const cJSON *request, *answer;
    const struct cmd_response *response;
    const struct pk_table *table; /* NULL: not known, or several */
    struct pk_arena arena;
    struct pk_buf *out;
};

static bool is_write(const struct tracing *tracing)
{
    static const char *const lists[] = {"Statements", "TransactStatements"};
    pk_slice statement = cmd_wire_text(tracing->request, "Statement");

    for (size_t i = 0; i < 2 && statement.data == NULL; i++)
        statement = cmd_wire_text(
            cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(tracing->request, lists[i]), 0),
            "Statement");
    if (statement.data == NULL)
        return tracing->operation->write;
    return !cmd_word_is(cmd_word_at(statement, cmd_skip_blanks(statement, 0)), "select");
}

/* ---- the key --------------------------------------------------------------------------------- */

/* The name or placeholder before a '=', resolved. */
static pk_slice resolved_name(const struct tracing *tracing, pk_slice word)
{
    const cJSON *names =
        cJSON_GetObjectItemCaseSensitive(tracing->request, "ExpressionAttributeNames");
    char name[NAMES_MAX];

    if (word.len == 0 || word.data[0] != '#' || word.len >= sizeof(name))
        return word;
    memcpy(name, word.data, word.len);
    name[word.len] = '\0';
    return cmd_wire_text(names, name);
}

/* A word of an expression at pos, behind blanks and brackets; *pos moves behind it. */
static pk_slice next_word(pk_slice text, size_t *pos)
{
    size_t start;

    while (*pos < text.len && strchr(" ()\t\n", text.data[*pos]) != NULL)
        (*pos)++;
    start = *pos;
    while (*pos < text.len && strchr(" ()=\t\n", text.data[*pos]) == NULL)
        (*pos)++;
    if (*pos == start && *pos < text.len)
        (*pos)++; /* the '=' itself */
    return pk_slice_of(text.data + start, *pos - start);
}

/* The value that a KeyConditionExpression demands of the attribute, or NULL. */
static const cJSON *condition_value(const struct tracing *tracing, pk_slice attribute)
{
    pk_slice text = cmd_wire_text(tracing->request, "KeyConditionExpression");
    const cJSON *values =
        cJSON_GetObjectItemCaseSensitive(tracing->request, "ExpressionAttributeValues");
    pk_slice before = {NULL, 0};
    size_t pos = 0;

    while (pos < text.len) {
        pk_slice word = next_word(text, &pos);

        if (pk_slice_is(word, "=") && pk_slice_equal(resolved_name(tracing, before), attribute)) {
            char name[NAMES_MAX];

            word = next_word(text, &pos);
            if (word.len == 0 || word.len >= sizeof(name))
                return NULL;
            memcpy(name, word.data, word.len);
            name[word.len] = '\0';
            return cJSON_GetObjectItemCaseSensitive(values, name);
        }
        before = word;
    }
    return NULL;
}

static const struct pk_key_schema *key_schema(const struct tracing *tracing)
{
    pk_slice name = cmd_wire_text(tracing->request, "IndexName");
    const struct pk_index *index = NULL;

    if (tracing->table == NULL)
        return NULL;
    if (name.len == 0)
        return &tracing->table->key;
    index = pk_table_index(tracing->table, name);
    return index == NULL ? NULL : &index->key;
}

static void copy_member(cJSON *key, const cJSON *value, pk_slice name)
{
    if (value != NULL)
        cmd_wire_set_named(key, name, cJSON_Duplicate(value, true));
}

/* The key of the request's item, or of the collection it reads; the caller's, NULL: none. */
static cJSON *key_of(const struct tracing *tracing)
{
    const struct pk_key_schema *schema = key_schema(tracing);
    const char *member = tracing->operation->keys == ONE_ITEM ? "Item" : "Key";
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(tracing->request, member);
    cJSON *key = cJSON_CreateObject();

    for (size_t i = 0; schema != NULL && i < schema->hash_count; i++) {
        pk_slice name = schema->hash[i].name;
        const char *text = name.data; /* the schema's texts end with a NUL */

        copy_member(key,
                    tracing->operation->keys == CONDITION
                        ? condition_value(tracing, name)
                        : cJSON_GetObjectItemCaseSensitive(from, text),
                    name);
    }
    for (size_t i = 0;
         schema != NULL && tracing->operation->keys != CONDITION && i < schema->range_count; i++)
        copy_member(key, cJSON_GetObjectItemCaseSensitive(from, schema->range[i].name.data),
                    schema->range[i].name);
    if (key->child == NULL) {
        cJSON_Delete(key);
        return NULL;
    }
    return key;
}

/* "token 6fecfbdc08fd7241 (simulated hash of USER#123)" */
static void add_token(struct tracing *tracing)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *key = tracing->operation->keys == NO_KEY ? NULL : key_of(tracing);
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;

    if (key != NULL) {
        pk_value hash = cmd_wire_read_value(&tracing->arena, key->child);

        cmd_wire_set_text(request, "TableName", tracing->table->name);
        if (cmd_wire_text(tracing->request, "IndexName").len > 0)
            cmd_wire_set_text(request, "IndexName", cmd_wire_text(tracing->request, "IndexName"));
        cmd_wire_set(request, "Key", key);
        if (cmd_call(tracing->context, "Pksk.Where", request, &answer, NULL, &ignored) == PK_OK) {
            pk_buf_printf(tracing->out, ARROW "token %.*s (simulated hash of ",
                          PK_FMT(cmd_wire_text(answer, "Token")));
            cmd_key_value_text(tracing->out, hash);
            pk_buf_add_byte(tracing->out, ')');
        }
    }
    pk_error_release(&ignored);
    cJSON_Delete(answer);
    cJSON_Delete(request);
}

/* ---- partitions and admission ---------------------------------------------------------------- */

static void add_partition(struct tracing *tracing)
{
    const struct pk_facts *facts = &tracing->response->facts;
    bool strong = cmd_wire_bool(tracing->request, "ConsistentRead");
    bool transaction = strstr(tracing->operation->name, "Transact") != NULL;

    if (facts->partitions_touched == 0)
        return; /* refused before it came that far */
    if (facts->partitions_touched == 1)
        pk_buf_printf(tracing->out, ARROW "partition %u", facts->partition);
    else
        pk_buf_printf(tracing->out, ARROW "%u partitions", facts->partitions_touched);
    if (facts->partition_count > 0)
        pk_buf_printf(tracing->out, " of %u", facts->partition_count);
    if (is_write(tracing) || strong || transaction)
        pk_buf_add_cstr(tracing->out,
                        facts->partitions_touched == 1 ? ", its leader" : ", their leaders");
    else
        pk_buf_add_cstr(tracing->out, ", any replica");
}

/* Whose limit it is: that of the n-th index, or nothing where it is the request's own. */
static void add_owner(struct tracing *tracing, uint32_t limit_index)
{
    if (limit_index > 0 && tracing->table != NULL && limit_index <= tracing->table->index_count)
        pk_buf_printf(tracing->out, " of index %.*s",
                      PK_FMT(tracing->table->indexes[limit_index - 1].name));
}

/* The reasons an error gives: "TableReadKeyRangeThroughputExceeded (table/shop)". */
static bool add_reasons(struct tracing *tracing)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(tracing->answer, "ThrottlingReasons");
    const cJSON *node;
    bool any = false;

    if (list == NULL)
        list = cJSON_GetObjectItemCaseSensitive(tracing->answer, "throttlingReasons");
    cJSON_ArrayForEach(node, list)
    {
        pk_slice resource = cmd_wire_text(node, "resource");
        const char *table = resource.len == 0 ? NULL : strstr(resource.data, ":table/");

        pk_buf_printf(tracing->out, "%s%.*s", any ? ", " : ARROW "refused by ",
                      PK_FMT(cmd_wire_text(node, "reason")));
        if (table != NULL)
            pk_buf_printf(tracing->out, " (%s)", table + 1);
        any = true;
    }
    return any;
}

static void add_admission(struct tracing *tracing)
{
    const struct pk_facts *facts = &tracing->response->facts;
    const char *limit = cmd_facts_limit_name(facts->limit);

    if (add_reasons(tracing))
        return;
    switch (facts->verdict) {
    case PK_VERDICT_NONE:
        if (tracing->response->code == PK_OK)
            pk_buf_add_cstr(tracing->out, ARROW "admission not asked");
        return;
    case PK_VERDICT_ADMITTED:
        pk_buf_add_cstr(tracing->out, ARROW "admitted");
        return;
    case PK_VERDICT_WOULD_REFUSE:
        pk_buf_printf(tracing->out, ARROW "would be refused by %s", limit);
        add_owner(tracing, facts->limit_index);
        return;
    case PK_VERDICT_REFUSED:
        pk_buf_printf(tracing->out, ARROW "refused by %s", limit);
        add_owner(tracing, facts->limit_index);
        return;
    }
}

/* ---- what it cost ---------------------------------------------------------------------------- */

/* " → index by_name 1 WCU, by_day 2 WCU" */
static void add_indexes(struct tracing *tracing, const cJSON *capacity, const char *unit)
{
    static const char *const kinds[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"};
    bool any = false;

    for (size_t i = 0; i < 2; i++) {
        const cJSON *index;

        cJSON_ArrayForEach(index, cJSON_GetObjectItemCaseSensitive(capacity, kinds[i]))
        {
            pk_slice units =
                cmd_format_units(&tracing->arena, cmd_wire_milli(index, "CapacityUnits"));

            pk_buf_printf(tracing->out, "%s%s %.*s %s", any ? ", " : ARROW "index ", index->string,
                          PK_FMT(units), unit);
            any = true;
        }
    }
}

/* The table's share where it is told apart, else everything. */
static void add_units(struct tracing *tracing, const cJSON *capacity)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(capacity, "Table");
    const char *unit = is_write(tracing) && !cmd_wire_is_read(capacity) ? "WCU" : "RCU";
    int64_t milli = cmd_wire_milli(own != NULL ? own : capacity, "CapacityUnits");

    if (capacity == NULL)
        return;
    if (own == NULL || milli > 0) /* a read of an index costs the table nothing */
        pk_buf_printf(tracing->out, ARROW "%.*s %s",
                      PK_FMT(cmd_format_units(&tracing->arena, milli)), unit);
    add_indexes(tracing, capacity, unit);
}

static void add_cost(struct tracing *tracing)
{
    const cJSON *capacity = cJSON_GetObjectItemCaseSensitive(tracing->answer, "ConsumedCapacity");
    const struct pk_facts *facts = &tracing->response->facts;
    const cJSON *entry;

    if (tracing->response->code != PK_OK) {
        pk_buf_printf(tracing->out, ARROW "%s", pk_code_name(tracing->response->code));
        return;
    }
    if (tracing->response->has_facts && facts->bytes > 0)
        pk_buf_printf(tracing->out, ARROW "%.*s %s",
                      PK_FMT(cmd_format_whole_bytes(&tracing->arena, facts->bytes)),
                      is_write(tracing) ? "stored" : "read");
    if (cJSON_IsArray(capacity))
        cJSON_ArrayForEach(entry, capacity) add_units(tracing, entry);
    else
        add_units(tracing, capacity);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* "GetItem shop.by_day → router" */
static void add_head(struct tracing *tracing)
{
    pk_slice index = cmd_wire_text(tracing->request, "IndexName");
    struct pk_buf text = PK_BUF_INIT, tables = PK_BUF_INIT;
    const struct cmd_backend *backend = tracing->context->backend;
    const char *endpoint = backend->extensions ? NULL : backend->endpoint;

    cmd_wire_print(&text, tracing->request);
    cmd_wire_tables(&tables, pk_buf_slice(&text));
    pk_buf_printf(tracing->out, "%s%s%.*s%s%.*s" ARROW "router%s%s", tracing->operation->name,
                  tables.len > 0 ? " " : "", (int)tables.len, tables.len > 0 ? tables.data : "",
                  index.len > 0 ? "." : "", PK_FMT(index), endpoint == NULL ? "" : " ",
                  endpoint == NULL ? "" : endpoint);
    pk_buf_release(&tables);
    pk_buf_release(&text);
}

static void tell(struct tracing *tracing)
{
    struct pk_error ignored = PK_ERROR_INIT;
    pk_slice table = cmd_wire_text(tracing->request, "TableName");

    add_head(tracing);
    if (tracing->context->backend->extensions) {
        if (table.len > 0)
            (void)!cmd_schema_get(tracing->context, table, &tracing->table, &ignored);
        add_token(tracing);
        add_partition(tracing);
        add_admission(tracing);
    } else {
        pk_buf_add_cstr(tracing->out, ARROW "token, partition and admission are not told");
        (void)add_reasons(tracing);
    }
    add_cost(tracing);
    pk_error_release(&ignored);
}

void cmd_trace_add(struct cmd_context *context, const char *operation, const cJSON *request,
                   const struct cmd_response *response)
{
    struct cmd_trace *trace = context->trace;
    struct tracing tracing = {.context = context, .request = request, .response = response};
    cJSON *answer;

    tracing.operation = trace == NULL ? NULL : find(operation);
    if (tracing.operation == NULL || request == NULL || trace->requests++ >= REQUESTS_MAX)
        return;
    answer = cmd_wire_parse(pk_buf_slice(&response->body));
    tracing.answer = answer;
    tracing.out = &trace->text;
    if (trace->text.len > 0)
        pk_buf_add_byte(&trace->text, '\n');
    tell(&tracing);
    cJSON_Delete(answer);
    pk_arena_release(&tracing.arena);
}

void cmd_trace_add_text(struct cmd_context *context, const char *operation, pk_slice request,
                        const struct cmd_response *response)
{
    cJSON *tree;

    if (context->trace == NULL)
        return;
    tree = cmd_wire_parse(request);
    cmd_trace_add(context, operation, tree, response);
    cJSON_Delete(tree);
}

void cmd_trace_show(struct cmd_context *context, struct cmd_result *result)
{
    struct cmd_trace *trace = context->trace;

    if (trace == NULL || trace->requests == 0)
        return;
    if (trace->requests > REQUESTS_MAX)
        pk_buf_printf(&trace->text, "\nand %zu requests more", trace->requests - REQUESTS_MAX);
    cmd_result_prepend_note(result, pk_buf_slice(&trace->text));
    pk_buf_clear(&trace->text);
    trace->requests = 0;
}
