/* stream on, off, tail and shards. tail is a consumer of the API like any other: it reads every
 * shard from where it was told to, and asks again. */
#include <stdlib.h>
#include <time.h>

#include "commands/args.h"
#include "commands/ddl.h"
#include "commands/entries.h"
#include "commands/reader_grid.h"
#include "commands/schema.h"
#include "commands/sim_settings.h"
#include "commands/stream_lines.h"
#include "commands/transfer/template.h"
#include "commands/wire.h"

enum { POLL_MS = 200, SLICE_MS = 20 };

/* ---- on, off --------------------------------------------------------------------------------- */

/* Sends UpdateTable with the specification. */
static enum pk_code change_stream(struct cmd_context *context, pk_slice table, const char *view,
                                  struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *stream = cmd_wire_object(request, "StreamSpecification");
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", table);
    cmd_wire_set_bool(stream, "StreamEnabled", view != NULL);
    if (view != NULL)
        cmd_wire_set_text(stream, "StreamViewType", pk_slice_cstr(view));
    rc = cmd_call(context, "UpdateTable", request, &answer, NULL, err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_schema_drop(context);
    return rc;
}

static enum pk_code stream_on(struct cmd_context *context, struct cmd_words *words,
                              struct cmd_result *result, struct pk_error *err)
{
    pk_slice table;
    struct pk_span span;
    enum pk_stream_view view;
    pk_slice word;
    enum pk_code rc = cmd_words_take(words, "the table's name", &table, err);

    span = words->token.span;
    if (rc == PK_OK)
        rc = cmd_words_take(words,
                            "what records show: keys_only, new_image, old_image or "
                            "new_and_old",
                            &word, err);
    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc != PK_OK)
        return rc;
    if (!cmd_ddl_read_view(word, &view)) {
        pk_fail_at(err, PK_E_USAGE, span, "'%.*s' is no view of a stream", PK_FMT(word));
        pk_error_hint(err, "views: keys_only, new_image, old_image, new_and_old");
        return PK_E_USAGE;
    }
    rc = change_stream(context, table, pk_stream_view_name(view), err);
    if (rc != PK_OK)
        cmd_point_at(err, words->lexer.source, table);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "table %.*s: stream on, %.*s", PK_FMT(table),
                        PK_FMT(word));
    return rc;
}

static enum pk_code stream_off(struct cmd_context *context, struct cmd_words *words,
                               struct cmd_result *result, struct pk_error *err)
{
    pk_slice table;
    enum pk_code rc = cmd_words_take(words, "the table's name", &table, err);

    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc == PK_OK)
        rc = change_stream(context, table, NULL, err);
    if (rc != PK_OK)
        cmd_point_at(err, words->lexer.source, table);
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE,
                        "table %.*s: stream off; what it holds can be read for its retention",
                        PK_FMT(table));
    return rc;
}

/* ---- the stream of a table ------------------------------------------------------------------- */

static cJSON *stream_of(const cJSON *answer)
{
    return cJSON_GetObjectItemCaseSensitive(answer, "StreamDescription");
}

static void move_shards(const cJSON *from, const cJSON *to)
{
    cJSON *shards = cJSON_GetObjectItemCaseSensitive(stream_of(from), "Shards");
    cJSON *all = cJSON_GetObjectItemCaseSensitive(stream_of(to), "Shards");
    cJSON *shard;

    while ((shard = cJSON_DetachItemFromArray(shards, 0)) != NULL)
        cJSON_AddItemToArray(all, shard);
}

/* Page after page of DescribeStream: *answer is the first one, with the shards of all. The caller
 * frees it, after a fault too. */
static enum pk_code describe_pages(struct cmd_context *context, pk_slice arn, cJSON **answer,
                                   struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *page = NULL;
    pk_slice last = {NULL, 0};
    enum pk_code rc;

    cmd_wire_set_text(request, "StreamArn", arn);
    rc = cmd_call(context, "DescribeStream", request, answer, NULL, err);
    if (rc == PK_OK)
        last = cmd_wire_text(stream_of(*answer), "LastEvaluatedShardId");
    while (rc == PK_OK && last.data != NULL) {
        cJSON *next = NULL;

        cJSON_DeleteItemFromObjectCaseSensitive(request, "ExclusiveStartShardId");
        cmd_wire_set_text(request, "ExclusiveStartShardId", last);
        rc = cmd_call(context, "DescribeStream", request, &next, NULL, err);
        if (rc == PK_OK)
            move_shards(next, *answer);
        cJSON_Delete(page);
        page = next;
        last = cmd_wire_text(stream_of(page), "LastEvaluatedShardId");
    }
    cJSON_Delete(page);
    cJSON_Delete(request);
    return rc;
}

/* Asks for the latest stream of the table: DescribeStream's answer, all shards, the caller's. */
static enum pk_code describe(struct cmd_context *context, pk_slice table, cJSON **answer,
                             struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *described = NULL;
    pk_slice arn = {NULL, 0};
    enum pk_code rc;

    cmd_wire_set_text(request, "TableName", table);
    rc = cmd_call(context, "DescribeTable", request, &described, NULL, err);
    if (rc == PK_OK)
        arn =
            cmd_wire_text(cJSON_GetObjectItemCaseSensitive(described, "Table"), "LatestStreamArn");
    if (rc == PK_OK && arn.data == NULL) {
        rc = pk_fail(err, PK_E_USAGE, "table '%.*s' has no stream", PK_FMT(table));
        pk_error_hint(err, "stream on %.*s new_and_old", PK_FMT(table));
    }
    if (rc == PK_OK)
        rc = describe_pages(context, arn, answer, err);
    cJSON_Delete(request);
    cJSON_Delete(described);
    return rc;
}

/* ---- shards ---------------------------------------------------------------------------------- */

static void add_shard(struct cmd_result *result, struct cmd_grid *grid, const cJSON *node,
                      size_t number)
{
    const cJSON *range = cJSON_GetObjectItemCaseSensitive(node, "SequenceNumberRange");
    pk_slice last = cmd_wire_text(range, "EndingSequenceNumber");
    struct pk_arena *arena = &result->arena;
    pk_slice cells[6] = {
        cmd_format_count(arena, number),
        pk_arena_dup(arena, cmd_wire_text(node, "ShardId")),
        pk_arena_dup(arena, cmd_wire_text(node, "ParentShardId")),
        pk_arena_dup(arena, cmd_wire_text(range, "StartingSequenceNumber")),
        pk_arena_dup(arena, last),
        last.data == NULL ? PK_LIT("open") : PK_LIT("closed"),
    };

    cmd_grid_row(result, grid, cells);
}

static enum pk_code stream_shards(struct cmd_context *context, struct cmd_words *words,
                                  struct cmd_result *result, struct pk_error *err)
{
    static const char *const columns[] = {"#", "shard", "parent", "from", "to", "state"};
    static const enum cmd_align aligns[] = {CMD_RIGHT, CMD_LEFT, CMD_LEFT,
                                            CMD_LEFT,  CMD_LEFT, CMD_LEFT};
    struct cmd_grid *grid;
    cJSON *answer = NULL;
    const cJSON *node;
    size_t number = 0;
    pk_slice table = {NULL, 0};
    enum pk_code rc = PK_OK;

    if (!cmd_words_at_end(words))
        rc = cmd_words_take(words, "the table's name", &table, err);
    if (rc == PK_OK)
        rc = cmd_words_done(words, err);
    if (rc == PK_OK && table.data == NULL)
        rc = cmd_need_table(context, &table, err);
    if (rc == PK_OK)
        rc = describe(context, table, &answer, err);
    if (rc != PK_OK)
        cmd_point_at(err, words->lexer.source, table);
    if (rc == PK_OK) {
        grid = cmd_result_grid(result, columns, aligns, 6);
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(stream_of(answer), "Shards"))
            add_shard(result, grid, node, number++);
        rc = cmd_reader_grid(context, table,
                             cJSON_GetObjectItemCaseSensitive(stream_of(answer), "Shards"), result,
                             err);
    }
    if (rc == PK_OK)
        cmd_result_text(result, CMD_BLOCK_NOTE, "%.*s",
                        PK_FMT(cmd_wire_text(stream_of(answer), "StreamArn")));
    cJSON_Delete(answer);
    return rc;
}

/* ---- tail ------------------------------------------------------------------------------------ */

struct tail {
    struct cmd_context *context;
    struct cmd_result *result;
    struct cmd_stream_lines lines;
    pk_slice table;
    bool from_start;
    bool limited; /* for DURATION: */
    uint64_t duration_ms;
    pk_slice keys; /* a template; data NULL: all */
    pk_slice arn;
    struct tail_shard {
        pk_slice id;
        pk_slice parent;
        char *iterator; /* owned; NULL: not begun, or read to its end */
        bool begun, ended;
        uint64_t records;
    } * shards;
    size_t shard_count;
    size_t known; /* of shard_count: those there were at the start */
};

/* A template runs to the next blank outside braces: for the lexer it is several words. */
static enum pk_code take_template(struct cmd_words *words, pk_slice *text, struct pk_error *err)
{
    pk_slice source = words->lexer.source;
    size_t end = cmd_template_end(source, words->token.span.start);

    if (words->token.kind == CMD_TOKEN_STRING)
        return cmd_words_take(words, "a template of partition keys", text, err);
    *text = pk_slice_of(source.data + words->token.span.start, end - words->token.span.start);
    if (text->len == 0)
        return pk_fail_at(err, PK_E_USAGE, words->token.span,
                          "expected a template of partition keys");
    words->lexer.pos = end;
    return cmd_words_next(words, err);
}

static enum pk_code parse_tail(struct tail *tail, struct cmd_words *words, struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && !cmd_words_at_end(words)) {
        struct pk_span span = words->token.span;
        pk_slice word;

        rc = cmd_words_take(words, "a table's name, from, keys or for", &word, err);
        if (rc != PK_OK)
            return rc;
        if (cmd_word_is(word, "from")) {
            tail->from_start = cmd_words_is(words, "start");
            if (!tail->from_start && !cmd_words_is(words, "now"))
                return pk_fail_at(err, PK_E_USAGE, words->token.span, "expected start or now");
            rc = cmd_words_next(words, err);
        } else if (cmd_word_is(word, "keys")) {
            rc = take_template(words, &tail->keys, err);
        } else if (cmd_word_is(word, "for")) {
            span = words->token.span;
            rc = cmd_words_duration(words, &tail->duration_ms, err);
            tail->limited = true;
        } else if (tail->table.data == NULL) {
            tail->table = word;
        } else {
            return pk_fail_at(err, PK_E_USAGE, span, "expected from, keys or for");
        }
    }
    return rc;
}

/* Notes the shards of the answer that are not known yet. */
static void add_shards(struct tail *tail, const cJSON *answer)
{
    struct pk_arena *arena = &tail->result->arena;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(stream_of(answer), "Shards");
    size_t count = (size_t)cJSON_GetArraySize(list);
    struct tail_shard *shards = PK_NEW_ARRAY(arena, struct tail_shard, count);
    const cJSON *node;
    size_t n = 0;

    cJSON_ArrayForEach(node, list)
    {
        pk_slice id = cmd_wire_text(node, "ShardId");

        shards[n].id = pk_arena_dup(arena, id);
        shards[n].parent = pk_arena_dup(arena, cmd_wire_text(node, "ParentShardId"));
        for (size_t i = 0; i < tail->shard_count; i++) {
            if (pk_slice_equal(tail->shards[i].id, id))
                shards[n] = tail->shards[i];
        }
        n++;
    }
    tail->shards = shards;
    tail->shard_count = n;
}

static bool is_ready(const struct tail *tail, const struct tail_shard *shard)
{
    for (size_t i = 0; i < tail->shard_count; i++) {
        if (pk_slice_equal(tail->shards[i].id, shard->parent))
            return tail->shards[i].ended;
    }
    return true;
}

static void set_iterator(struct tail_shard *shard, const cJSON *answer, const char *member)
{
    pk_slice text = cmd_wire_text(answer, member);

    free(shard->iterator);
    shard->iterator = text.data == NULL ? NULL : pk_memdup_cstr(text.data, text.len);
    shard->ended = text.data == NULL;
}

/* A shard that opened while tail ran is read from its beginning. */
static enum pk_code begin_shard(struct tail *tail, struct tail_shard *shard, bool from_start,
                                struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    cmd_wire_set_text(request, "StreamArn", tail->arn);
    cmd_wire_set_text(request, "ShardId", shard->id);
    cmd_wire_set_text(request, "ShardIteratorType",
                      from_start ? PK_LIT("TRIM_HORIZON") : PK_LIT("LATEST"));
    rc = cmd_call(tail->context, "GetShardIterator", request, &answer, NULL, err);
    if (rc == PK_OK)
        set_iterator(shard, answer, "ShardIterator");
    shard->begun = true;
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

/* One call; *any: there may be more at once. A foreign endpoint tells whole seconds only. */
static enum pk_code read_shard(struct tail *tail, size_t i, bool *any, struct pk_error *err)
{
    struct tail_shard *shard = &tail->shards[i];
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *record;
    enum pk_code rc;

    cmd_wire_set_text(request, "ShardIterator", pk_slice_cstr(shard->iterator));
    rc = cmd_call(tail->context, tail->lines.millis ? "Pksk.Records" : "GetRecords", request,
                  &answer, NULL, err);
    if (rc == PK_OK) {
        set_iterator(shard, answer, "NextShardIterator");
        cJSON_ArrayForEach(record, cJSON_GetObjectItemCaseSensitive(answer, "Records"))
        {
            *any = true;
            if (cmd_stream_lines_add(&tail->lines, record, i))
                shard->records++;
        }
    }
    cJSON_Delete(request);
    cJSON_Delete(answer);
    return rc;
}

/* Reads each shard once, parents to their end before children. */
static enum pk_code read_all(struct tail *tail, bool *any, struct pk_error *err)
{
    enum pk_code rc = PK_OK;
    bool ended = false;

    *any = false;
    for (size_t i = 0; i < tail->shard_count && rc == PK_OK; i++) {
        struct tail_shard *shard = &tail->shards[i];

        if (!shard->begun && is_ready(tail, shard))
            rc = begin_shard(tail, shard, tail->from_start || i >= tail->known, err);
        if (rc == PK_OK && shard->iterator != NULL)
            rc = read_shard(tail, i, any, err);
        ended = ended || shard->ended;
    }
    cmd_stream_lines_flush(&tail->lines, tail->result, &tail->context->emitter);
    if (rc == PK_OK && ended) {
        cJSON *answer = NULL;

        rc = describe(tail->context, tail->table, &answer, err);
        if (rc == PK_OK && pk_slice_equal(cmd_wire_text(stream_of(answer), "StreamArn"), tail->arn))
            add_shards(tail, answer);
        cJSON_Delete(answer);
    }
    return rc;
}

static bool all_ended(const struct tail *tail)
{
    for (size_t i = 0; i < tail->shard_count; i++) {
        if (!tail->shards[i].ended)
            return false;
    }
    return true;
}

static bool cancelled(const struct tail *tail)
{
    const atomic_bool *cancel = tail->context->cancel;

    return cancel != NULL && atomic_load(cancel);
}

/* Waits for the next poll; false when cancelled, or the time is over. */
static bool wait_poll(const struct tail *tail, int64_t end_us)
{
    int64_t until_us = pk_clock_real_us() + POLL_MS * INT64_C(1000);

    while (!cancelled(tail) && pk_clock_real_us() < until_us) {
        struct timespec slice = {0, SLICE_MS * 1000000L};

        if (tail->limited && pk_clock_real_us() >= end_us)
            return false;
        nanosleep(&slice, NULL);
    }
    return !cancelled(tail);
}

static enum pk_code follow(struct tail *tail, struct pk_error *err)
{
    int64_t end_us = pk_clock_real_us() + (int64_t)tail->duration_ms * 1000;
    bool any = true;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK) {
        rc = read_all(tail, &any, err);
        if (rc != PK_OK || all_ended(tail) || cancelled(tail))
            break;
        if (!any && !wait_poll(tail, end_us))
            break;
    }
    if (rc == PK_E_CANCELLED) {
        pk_error_release(err);
        rc = PK_OK;
    }
    return rc;
}

/* Says that tail reads no more, also after Ctrl-C. A courtesy: without it a reader is shown for some
 * minutes, so what fails is of no interest. */
static void leave_all(struct tail *tail)
{
    const atomic_bool *cancel = tail->context->cancel;

    tail->context->cancel = NULL;
    for (size_t i = 0; i < tail->shard_count && tail->lines.millis; i++) {
        struct pk_error err = PK_ERROR_INIT;
        cJSON *request;
        cJSON *answer = NULL;

        if (tail->shards[i].iterator == NULL)
            continue;
        request = cJSON_CreateObject();
        cmd_wire_set_text(request, "ShardIterator", pk_slice_cstr(tail->shards[i].iterator));
        if (cmd_call(tail->context, "Pksk.LeaveShard", request, &answer, NULL, &err) != PK_OK)
            i = tail->shard_count - 1; /* the others would fail, too */
        pk_error_release(&err);
        cJSON_Delete(request);
        cJSON_Delete(answer);
    }
    tail->context->cancel = cancel;
}

static void note_end(const struct tail *tail)
{
    uint64_t records = 0;
    size_t with = 0;

    for (size_t i = 0; i < tail->shard_count; i++) {
        records += tail->shards[i].records;
        with += tail->shards[i].records > 0;
    }
    cmd_result_text(tail->result, CMD_BLOCK_NOTE, "%.*s record%s, %zu shard%s of %zu had any",
                    PK_FMT(cmd_format_count(&tail->result->arena, records)),
                    records == 1 ? "" : "s", with, with == 1 ? "" : "s", tail->shard_count);
}

static enum pk_code begin_tail(struct tail *tail, struct pk_error *err)
{
    const struct pk_table *table = NULL;
    cJSON *answer = NULL;
    enum pk_code rc = PK_OK;

    if (tail->table.data == NULL)
        rc = cmd_need_table(tail->context, &tail->table, err);
    if (rc == PK_OK)
        rc = describe(tail->context, tail->table, &answer, err);
    if (rc == PK_OK)
        rc = cmd_schema_get(tail->context, tail->table, &table, err);
    if (rc == PK_OK)
        rc =
            cmd_stream_lines_init(&tail->lines, &table->key, tail->keys, &tail->result->arena, err);
    if (rc == PK_OK) {
        tail->lines.millis = tail->context->backend->extensions;
        tail->arn =
            pk_arena_dup(&tail->result->arena, cmd_wire_text(stream_of(answer), "StreamArn"));
        add_shards(tail, answer);
        tail->known = tail->shard_count;
    }
    cJSON_Delete(answer);
    return rc;
}

static enum pk_code stream_tail(struct cmd_context *context, struct cmd_words *words,
                                struct cmd_result *result, struct pk_error *err)
{
    struct tail tail = {.context = context, .result = result};
    enum pk_code rc = parse_tail(&tail, words, err);

    if (rc == PK_OK)
        rc = begin_tail(&tail, err);
    if (rc != PK_OK)
        cmd_point_at(err, words->lexer.source, tail.table);
    if (rc == PK_OK)
        rc = follow(&tail, err);
    leave_all(&tail);
    if (rc == PK_OK)
        note_end(&tail);
    for (size_t i = 0; i < tail.shard_count; i++)
        free(tail.shards[i].iterator);
    cmd_stream_lines_release(&tail.lines);
    return rc;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static enum pk_code stream_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    static const struct {
        const char *word;
        enum pk_code (*run)(struct cmd_context *context, struct cmd_words *words,
                            struct cmd_result *result, struct pk_error *err);
    } actions[] = {
        {"on", stream_on}, {"off", stream_off}, {"tail", stream_tail}, {"shards", stream_shards}};
    struct cmd_words words;
    enum pk_code rc = cmd_words_init(&words, statement, &result->arena, err);

    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions) && rc == PK_OK; i++) {
        if (!cmd_words_is(&words, actions[i].word))
            continue;
        rc = cmd_words_next(&words, err);
        return rc != PK_OK ? rc : actions[i].run(context, &words, result, err);
    }
    if (rc == PK_OK)
        rc = pk_fail_at(err, PK_E_USAGE, words.token.span, "expected on, off, tail or shards");
    return rc;
}

const struct cmd_entry cmd_stream_entry = {
    .name = "stream",
    .group = CMD_GROUP_TABLES,
    .usage = "on TABLE VIEW | off TABLE | tail [TABLE] [from start|now] [keys TEMPLATE] [for "
             "DURATION] | shards [TABLE]",
    .summary = "a table's stream of changes: turn it on or off, follow it",
    .detail = "  stream on shop new_and_old     VIEW: keys_only, new_image, old_image, "
              "new_and_old\n"
              "  stream tail from start         what it holds, then what comes, until Ctrl-C\n"
              "  stream tail keys USER#{1..9}   only of these partition keys\n"
              "  stream shards                  its shards, and who read them in the last minutes: "
              "how far\n"
              "                                 a reader has come, and how far it is behind\n"
              "tail shows what changed between the old and the new image, and marks what was "
              "deleted because it expired.",
    .flags = CMD_NO_TXN,
    .complete = cmd_complete_table,
    .run = stream_run,
};
