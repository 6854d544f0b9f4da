#include "commands/send.h"

#include <stdlib.h>

#include "commands/names.h"
#include "commands/parallel.h"
#include "commands/spent.h"
#include "commands/wire.h"

/* ---- usage ----------------------------------------------------------------------------------- */

/* Pages of one read walk the partitions in order, so together they touch what lies between the
 * first page's first and the last page's last. */
static void add_facts(struct cmd_usage *usage, const struct pk_facts *facts)
{
    struct pk_facts *sum = &usage->facts;
    uint32_t first, last;

    if (usage->requests == 1) {
        *sum = *facts;
        return;
    }
    first = facts->partition < sum->partition ? facts->partition : sum->partition;
    last = facts->partition + facts->partitions_touched;
    if (sum->partition + sum->partitions_touched > last)
        last = sum->partition + sum->partitions_touched;
    sum->partition = first;
    sum->partitions_touched = last - first;
    sum->bytes += facts->bytes;
    sum->items_read += facts->items_read;
    sum->items_returned += facts->items_returned;
    pk_facts_add_verdict(sum, facts);
}

static int64_t units_of(const cJSON *capacity)
{
    const cJSON *entry;
    int64_t milli = 0;

    if (!cJSON_IsArray(capacity))
        return cmd_wire_milli(capacity, "CapacityUnits");
    cJSON_ArrayForEach(entry, capacity) milli += cmd_wire_milli(entry, "CapacityUnits");
    return milli;
}

void cmd_usage_add(struct cmd_usage *usage, const struct cJSON *answer,
                   const struct cmd_response *raw)
{
    const cJSON *capacity = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity");

    usage->requests++;
    usage->has_facts = raw->has_facts && (usage->requests == 1 || usage->has_facts);
    if (usage->has_facts)
        add_facts(usage, &raw->facts);
    usage->has_units = usage->has_units || capacity != NULL;
    usage->milli += units_of(capacity);
    usage->micros += raw->micros;
    usage->retries += raw->retries;
    usage->throttled += raw->throttled;
    usage->count += (uint64_t)cmd_wire_int(answer, "Count", 0);
    usage->scanned += (uint64_t)cmd_wire_int(answer, "ScannedCount", 0);
}

/* ---- placeholders in messages ---------------------------------------------------------------- */

static bool is_placeholder_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What the user wrote for the placeholder, empty when it is none of the request's. */
static pk_slice placeholder_source(const struct cmd_request *request, pk_slice key)
{
    for (int use = 0; use < CMD_EXPRESSIONS; use++) {
        const struct cmd_expression *expression = &request->expressions[use];

        for (size_t i = 0; i < expression->piece_count; i++) {
            const struct cmd_piece *piece = &expression->pieces[i];

            if (piece->end > expression->text.len)
                continue;
            if (pk_slice_equal(
                    pk_slice_of(expression->text.data + piece->start, piece->end - piece->start),
                    key))
                return pk_slice_of(request->text.data + piece->source.start, piece->source.len);
        }
    }
    return (pk_slice){NULL, 0};
}

static void replace_placeholders(const struct cmd_request *request, struct pk_error *err)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice message = pk_slice_cstr(err->message);

    for (size_t pos = 0; pos < message.len;) {
        size_t end = pos + 1;
        pk_slice word, source = {NULL, 0};

        while (end < message.len && is_placeholder_byte(message.data[end]))
            end++;
        word = pk_slice_of(message.data + pos, end - pos);
        if ((word.data[0] == '#' || word.data[0] == ':') && word.len > 1)
            source = placeholder_source(request, word);
        pk_buf_add(&out, source.len > 0 ? source : word);
        pos = end;
    }
    free(err->message);
    err->message = pk_buf_detach(&out);
}

/* ---- what the stored item has ---------------------------------------------------------------- */

static bool mentioned_before(const struct cmd_expression *condition, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (pk_slice_equal(condition->mentions[k].name, condition->mentions[i].name))
            return true;
    }
    return false;
}

pk_slice cmd_stored_item_text(const struct cmd_context *context,
                              const struct cmd_expression *condition, pk_view item,
                              struct pk_arena *arena)
{
    struct pk_buf has = PK_BUF_INIT, lacks = PK_BUF_INIT;
    pk_slice text, unquoted = {NULL, 0};

    if (item.len == 0 && !context->backend->extensions)
        return PK_LIT("no stored item came back");
    if (item.len == 0)
        return PK_LIT("there is no such item");
    if (condition->mention_count == 0) {
        cmd_value_text(&has, pk_view_decode(arena, item));
        text = pk_arena_printf(arena, "the stored item is %.*s", (int)has.len, has.data);
        pk_buf_release(&has);
        return text;
    }
    for (size_t i = 0; i < condition->mention_count; i++) {
        pk_slice name = condition->mentions[i].name;
        pk_view value = pk_view_member(item, name);

        if (mentioned_before(condition, i))
            continue;
        if (value.len == 0) {
            pk_buf_printf(&lacks, "%s%.*s", lacks.len == 0 ? "no " : ", ", PK_FMT(name));
            if (condition->mentions[i].right && condition->mentions[i].bare)
                unquoted = name;
            continue;
        }
        pk_buf_printf(&has, "%s%.*s = ", has.len == 0 ? "" : ", ", PK_FMT(name));
        cmd_value_text(&has, pk_view_decode(arena, value));
    }
    text =
        pk_arena_printf(arena, "the stored item has %.*s%s%.*s", (int)has.len,
                        has.len == 0 ? "" : has.data, has.len > 0 && lacks.len > 0 ? " and " : "",
                        (int)lacks.len, lacks.len == 0 ? "" : lacks.data);
    if (unquoted.len > 0)
        text = pk_arena_printf(arena, "%.*s; a string is written '%.*s'", PK_FMT(text),
                               PK_FMT(unquoted));
    pk_buf_release(&has);
    pk_buf_release(&lacks);
    return text;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void explain_condition(const struct cmd_context *context, const struct cmd_request *request,
                              struct pk_error *err)
{
    const struct cmd_expression *condition = &request->expressions[PK_EXPR_CONDITION];
    struct pk_arena arena = PK_ARENA_INIT;
    pk_slice text =
        cmd_stored_item_text(context, condition, pk_slice_of(err->item, err->item_len), &arena);

    pk_error_hint(err, "%.*s", PK_FMT(text));
    if (request->condition.len > 0)
        err->span = request->condition;
    pk_arena_release(&arena);
}

static bool contains(const char *message, const char *part)
{
    return strstr(message, part) != NULL;
}

/* Is a + or - the text's neighbour? */
static bool in_arithmetic(pk_slice text, struct pk_span span)
{
    size_t after = cmd_skip_blanks(text, (size_t)span.start + span.len);
    size_t before = span.start;

    while (before > 0 && text.data[before - 1] == ' ')
        before--;
    return (after < text.len && strchr("+-", text.data[after]) != NULL) ||
           (before > 0 && strchr("+-", text.data[before - 1]) != NULL);
}

/* The right-hand name of an update that the item does not have. */
static void hint_absent(struct cmd_context *context, const struct cmd_request *request,
                        struct pk_error *err)
{
    const struct cmd_expression *update = &request->expressions[PK_EXPR_UPDATE];
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < update->mention_count; i++) {
        const struct cmd_mention *mention = &update->mentions[i];
        pk_slice nearest;

        if (!mention->right || mention->function)
            continue;
        err->span = mention->span;
        if (mention->bare && !in_arithmetic(request->text, mention->span) &&
            !cmd_attribute_known(context, request->target.table, mention->name, &arena, &nearest)) {
            pk_error_hint(err, "a string is written '%.*s'", PK_FMT(mention->name));
            break;
        }
        pk_error_hint(err, "if_not_exists(%.*s, 0) stands in for what is not there",
                      (int)mention->span.len, request->text.data + mention->span.start);
    }
    pk_arena_release(&arena);
}

/* What a message of AWS's leaves open, by a part of it. */
static void hint_reading(struct pk_error *err)
{
    static const char keys[] =
        "the partition key takes = alone, the sort key one of = < <= > >= between begins_with; "
        "conditions on other attributes follow 'where'";
    static const struct {
        const char *part, *hint;
    } rows[] = {
        {"only contain one condition per key",
         "a range is one condition: SK between 'a' and 'b', or short: query KEY a..b"},
        {"Query key condition not supported", keys},
        {"Invalid operator used in KeyConditionExpression", keys},
        {"backfilling global secondary index", "indexes shows how far it is; while the clock is "
                                               "paused, clock advance 1s goes on with it"},
        {"does not project",
         "the index has its own attributes only: get the others by the table's key, or make the "
         "index with projection include (…)"},
        {"onsistent reads are not supported on global",
         "an index is a copy that follows the table: only the table is read strongly"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && err->hint == NULL; i++) {
        if (contains(err->message, rows[i].part))
            pk_error_hint(err, "%s", rows[i].hint);
    }
}

static bool is_key(const struct cmd_request *request, pk_slice name)
{
    const struct pk_key_schema *key =
        request->target.table == NULL ? NULL : cmd_target_key(&request->target);

    for (size_t i = 0; key != NULL && i < key->range_count; i++) {
        if (pk_slice_equal(key->range[i].name, name))
            return true;
    }
    return false;
}

/* A name where a key's value belongs: query PK = abc. Where the text cannot be read and the name is
 * the sort key's, an 'and' is missing before it. */
static void hint_key_condition(const struct cmd_request *request, struct pk_error *err)
{
    const struct cmd_expression *keys = &request->expressions[PK_EXPR_KEY_CONDITION];

    for (size_t i = 0; i < keys->mention_count; i++) {
        const struct cmd_mention *mention = &keys->mentions[i];

        if (!mention->right || !mention->bare)
            continue;
        err->span = mention->span;
        if (contains(err->message, "Syntax error") && is_key(request, mention->name))
            pk_error_hint(err, "'and' stands between two conditions");
        else
            pk_error_hint(err, "a string is written '%.*s'", PK_FMT(mention->name));
        return;
    }
    if (err->span.len == 0 && contains(err->message, "missed key schema element"))
        pk_error_hint(err, "the index or table that is read has the key shown by describe");
}

/* The key attribute the message names, where put's map has it. */
static void blame_member(struct cmd_request *request, struct pk_error *err)
{
    const struct pk_table *table = request->target.table;

    for (size_t i = 0; table != NULL && i < table->attribute_count && err->span.len == 0; i++) {
        pk_slice name = table->attributes[i].name;
        pk_slice before = pk_arena_printf(&request->arena, "ey %.*s ", PK_FMT(name));
        pk_slice after = pk_arena_printf(&request->arena, "ey: %.*s", PK_FMT(name));

        if (contains(err->message, before.data) || contains(err->message, after.data))
            err->span = cmd_item_member_span(request, name);
    }
}

static bool mention_is(const struct cmd_mention *mention, const char *message, const char *before)
{
    const char *at = strstr(message, before);
    size_t skip = strlen(before);

    return at != NULL && strlen(at) >= skip + mention->name.len &&
           memcmp(at + skip, mention->name.data, mention->name.len) == 0;
}

/* A key attribute in a filter: it belongs into the key condition. */
static void hint_filter(const struct cmd_request *request, struct pk_error *err)
{
    const struct cmd_expression *filter = &request->expressions[PK_EXPR_FILTER];

    for (size_t i = 0; i < filter->mention_count; i++) {
        if (!mention_is(&filter->mentions[i], err->message, "key attribute: "))
            continue;
        err->span = filter->mentions[i].span;
        pk_error_hint(err, "the sort key is asked for before 'where': query KEY ORDER#*, KEY a..b "
                           "or KEY > a");
        return;
    }
}

/* Messages that name no attribute of the update: the one they can mean. */
static void blame_update(const struct cmd_request *request, struct pk_error *err)
{
    const struct cmd_expression *update = &request->expressions[PK_EXPR_UPDATE];
    bool path = contains(err->message, "document path");
    bool index = contains(err->message, "secondary index key");

    for (size_t i = 0; i < update->mention_count && (path || index); i++) {
        const struct cmd_mention *mention = &update->mentions[i];

        if (mention->right || mention->function ||
            (path ? mention->bare
                  : pk_table_attribute_type(request->target.table, mention->name) == PK_MISSING))
            continue;
        err->span = mention->span;
        if (path)
            pk_error_hint(err, "what a path leads through must be there: set %.*s = {} first",
                          PK_FMT(mention->name));
        return;
    }
    if (update->mention_count == 1 && contains(err->message, "operand"))
        err->span = update->mentions[0].span;
}

static void explain_failure(struct cmd_context *context, struct cmd_request *request,
                            const struct cmd_response *raw, struct pk_error *err)
{
    if (err->code == PK_E_CONDITION_FAILED) {
        explain_condition(context, request, err);
        return;
    }
    if (err->code == PK_E_NOT_FOUND)
        cmd_schema_drop(context);
    if (err->code != PK_E_VALIDATION)
        return;
    if (raw->has_span && strcmp(request->operation, "ExecuteStatement") == 0) {
        err->span = raw->span; /* the text is the statement itself */
        return;
    }
    if (raw->has_span && (int)raw->use < CMD_EXPRESSIONS)
        err->span = cmd_expression_source(&request->expressions[raw->use], raw->span);
    replace_placeholders(request, err);
    if (err->hint == NULL && contains(err->message, "attribute that does not exist in the item"))
        hint_absent(context, request, err);
    else if (err->hint == NULL && contains(err->message, "KeyCondition"))
        hint_key_condition(request, err);
    if (err->hint == NULL && contains(err->message, "Filter Expression can only contain"))
        hint_filter(request, err);
    hint_reading(err);
    if (err->span.len == 0)
        blame_update(request, err);
    if (err->span.len == 0 && contains(err->message, "onsistent reads are not supported"))
        err->span = request->strong_span;
    if (err->span.len == 0 && contains(err->message, "Segment"))
        err->span = request->segment;
    if (err->span.len == 0 && request->item_span.len > 0)
        blame_member(request, err);
    if (err->span.len == 0 && contains(err->message, "starting key"))
        err->span = request->after;
    else if (err->span.len == 0 && contains(err->message, "key"))
        err->span = request->key_span;
}

enum pk_code cmd_send(struct cmd_context *context, struct cmd_request *request,
                      struct cJSON **answer, struct cmd_usage *usage, struct pk_error *err)
{
    struct cmd_response raw = CMD_RESPONSE_INIT;
    enum pk_code rc = cmd_call(context, request->operation, request->json, answer, &raw, err);

    if (rc == PK_OK)
        cmd_usage_add(usage, *answer, &raw);
    else
        explain_failure(context, request, &raw, err);
    cmd_response_release(&raw);
    return rc;
}

/* Errors are told of the first request that has one; what the others cost is counted all the same.
 */
static enum pk_code take_answers(struct cmd_context *context, struct cmd_sending *sending,
                                 struct cmd_parcel *parcels, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    for (size_t i = 0, n = 0; i < sending->count; i++) {
        struct cmd_response *response;
        struct pk_error failure = PK_ERROR_INIT;

        if (sending->skip[i])
            continue;
        response = &parcels[n++].response;
        if (cmd_read_answer(context, sending->requests[i].operation, response, &sending->answers[i],
                            &failure) == PK_OK) {
            cmd_usage_add(sending->usage, sending->answers[i], response);
            cmd_spent_add(context, sending->requests[i].operation, sending->requests[i].json,
                          sending->answers[i]);
            sending->partitions[i] = response->facts.partition;
        } else if (rc == PK_OK) {
            rc = failure.code;
            explain_failure(context, &sending->requests[i], response, &failure);
            pk_error_move(err, &failure);
            sending->failed = i;
        }
        pk_error_release(&failure);
        cmd_response_release(response);
    }
    return rc;
}

enum pk_code cmd_send_all(struct cmd_context *context, struct cmd_sending *sending,
                          struct pk_error *err)
{
    struct cmd_parcel *parcels = pk_calloc(sending->count, sizeof(*parcels));
    size_t count = 0;
    enum pk_code rc;

    for (size_t i = 0; i < sending->count; i++)
        if (!sending->skip[i])
            parcels[count++] = (struct cmd_parcel){sending->requests[i].json, CMD_RESPONSE_INIT};
    cmd_call_all(context, sending->requests[0].operation, parcels, count);
    rc = take_answers(context, sending, parcels, err);
    free(parcels);
    return rc;
}
