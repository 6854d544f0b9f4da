/*
 * gather query: reads a key that is spread over shards (USER#1#{0..9}): one Query a key, sent at
 * once, the items merged in the order of the sort key, the units summed.
 *
 * Each key makes a statement of its own, "query KEY rest", which the builder of query reads; an
 * error's place in it is turned into the place in the statement that was typed. Every shard is read
 * until it has as many items as are shown, so that none of these is missed.
 */
#include <stdlib.h>

#include "commands/entries.h"
#include "commands/page.h"
#include "commands/settings.h"
#include "commands/transfer/template.h"
#include "commands/wire.h"

enum { KEYS_MAX = 1000 };

/* One key's Query. */
struct shard {
    pk_slice text;      /* its statement (arena) */
    struct pk_span key; /* where the key stands in it */
    struct pk_value_vec items;
    size_t next; /* of items: the first that is not merged yet */
};

struct gather {
    struct cmd_context *context;
    struct cmd_result *result;
    pk_slice typed;          /* the statement */
    struct pk_span template; /* where the template stands in it */
    const struct cmd_template *keys;
    size_t count;
    struct cmd_request *requests; /* one a key */
    struct shard *shards;
    cJSON **answers;
    uint32_t *partitions;
    bool *done; /* nothing more is to be read */
    struct cmd_usage usage;
    bool cut; /* there is more than was read */
};

/* ---- the statement --------------------------------------------------------------------------- */

/* The template is a word, or quoted. */
static enum pk_code find_template(struct gather *gather, const struct cmd_statement *statement,
                                  struct pk_error *err)
{
    pk_slice text = statement->text, content;
    pk_slice word = cmd_word_at(text, statement->args);
    size_t start = cmd_skip_blanks(text, statement->args + word.len), inner = start;
    struct cmd_quoted quoted = {.end = 0};
    size_t end;
    enum pk_code rc;

    if (!cmd_word_is(word, "query"))
        return pk_fail_at(err, PK_E_USAGE,
                          (struct pk_span){(uint32_t)statement->args, (uint32_t)word.len},
                          "expected 'query' after 'gather'");
    if (cmd_quoted_at(text, start, &quoted) && !quoted.open) {
        end = quoted.end;
        content = quoted.content;
        inner = (size_t)(content.data - text.data);
    } else {
        end = cmd_template_end(text, start);
        content = pk_slice_of(text.data + start, end - start);
    }
    gather->template = (struct pk_span){(uint32_t)start, (uint32_t)(end - start)};
    if (content.len == 0)
        return pk_fail_at(err, PK_E_USAGE, gather->template,
                          "expected a template of partition keys: USER#1#{0..9}");
    rc = cmd_template_parse(&gather->result->arena, content, CMD_TEMPLATE_KEYS, &gather->keys, err);
    if (rc != PK_OK) {
        err->span.start += (uint32_t)inner;
        return rc;
    }
    if (cmd_template_count(gather->keys) > KEYS_MAX)
        return pk_fail_at(err, PK_E_USAGE, gather->template,
                          "the template has %llu keys; gather takes up to %d",
                          (unsigned long long)cmd_template_count(gather->keys), KEYS_MAX);
    gather->count = (size_t)cmd_template_count(gather->keys);
    return PK_OK;
}

static bool is_bareword(pk_slice key)
{
    return key.len > 0 && cmd_word_at(key, 0).len == key.len && key.data[key.len - 1] != '*' &&
           cmd_blank_length(key, 0) == 0;
}

static void make_text(const struct gather *gather, size_t i, struct shard *shard)
{
    static const char command[] = "query ";
    size_t behind = gather->template.start + gather->template.len;
    struct pk_buf text = PK_BUF_INIT, key = PK_BUF_INIT;

    cmd_template_nth(gather->keys, i, &key);
    pk_buf_add_cstr(&text, command);
    if (is_bareword(pk_buf_slice(&key)))
        pk_buf_add(&text, pk_buf_slice(&key));
    else
        cmd_quote(&text, pk_buf_slice(&key));
    shard->key =
        (struct pk_span){sizeof(command) - 1, (uint32_t)(text.len - (sizeof(command) - 1))};
    pk_buf_add(&text, pk_slice_skip(gather->typed, behind));
    shard->text = pk_arena_dup(&gather->result->arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    pk_buf_release(&key);
}

/* A place in the shard's statement as one in what was typed. */
static void move_span(const struct gather *gather, const struct shard *shard, struct pk_span *span)
{
    uint32_t behind = shard->key.start + shard->key.len;

    if (span->len == 0 && span->start == 0)
        return;
    if (span->start < behind)
        *span = gather->template;
    else
        span->start += gather->template.start + gather->template.len - behind;
}

static bool selects(const struct cmd_request *request, pk_slice name)
{
    const struct cmd_expression *paths = &request->expressions[PK_EXPR_PROJECTION];

    for (size_t i = 0; i < paths->mention_count; i++)
        if (paths->mentions[i].bare && pk_slice_equal(paths->mentions[i].name, name))
            return true;
    return paths->text.len == 0;
}

/* What query allows and a merge does not. */
static enum pk_code check_clauses(const struct cmd_request *request, struct pk_error *err)
{
    const struct pk_key_schema *key = cmd_target_key(&request->target);

    if (request->after.len > 0)
        return pk_fail_at(err, PK_E_USAGE, request->after,
                          "gather begins at the start of each key");
    for (size_t i = 0; i < key->range_count; i++)
        if (!selects(request, key->range[i].name))
            return pk_fail_at(err, PK_E_USAGE, request->paths,
                              "select must name %.*s, by which the keys are merged",
                              PK_FMT(key->range[i].name));
    return PK_OK;
}

static enum pk_code build(struct gather *gather, struct pk_error *err)
{
    for (size_t i = 0; i < gather->count; i++) {
        struct shard *shard = &gather->shards[i];
        struct cmd_request *request = &gather->requests[i];
        struct cmd_statement statement;
        enum pk_code rc;

        make_text(gather, i, shard);
        statement = (struct cmd_statement){shard->text, shard->key.start};
        rc = cmd_query_request(gather->context, &statement, request, err);
        if (rc == PK_OK)
            rc = check_clauses(request, err);
        if (rc != PK_OK) {
            move_span(gather, shard, &err->span);
            return rc;
        }
    }
    return PK_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static size_t rows_wanted(const struct gather *gather)
{
    const struct cmd_request *request = &gather->requests[0];

    return request->pages != 0 || request->limited ? SIZE_MAX
                                                   : (size_t)gather->context->settings->rows;
}

static bool is_last_page(const struct gather *gather, size_t round)
{
    const struct cmd_request *request = &gather->requests[0];

    if (request->pages == CMD_PAGES_ALL)
        return false;
    return request->pages > 0 ? round >= (size_t)request->pages : request->limited;
}

static void take_answer(struct gather *gather, size_t i, size_t round)
{
    struct shard *shard = &gather->shards[i];
    const cJSON *last = cJSON_GetObjectItemCaseSensitive(gather->answers[i], "LastEvaluatedKey");
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(gather->answers[i], "Items"))
        pk_value_vec_add(&shard->items, &gather->result->arena,
                         cmd_wire_read_item(&gather->result->arena, node));
    gather->done[i] =
        last == NULL || shard->items.len >= rows_wanted(gather) || is_last_page(gather, round);
    if (last != NULL && gather->done[i])
        gather->cut = true;
    else if (last != NULL)
        cmd_wire_set(gather->requests[i].json, "ExclusiveStartKey", cJSON_Duplicate(last, true));
    cJSON_Delete(gather->answers[i]);
    gather->answers[i] = NULL;
}

/* Sends all that have more to read, again and again. */
static enum pk_code read_all(struct gather *gather, struct pk_error *err)
{
    struct cmd_sending sending = {.requests = gather->requests,
                                  .answers = gather->answers,
                                  .partitions = gather->partitions,
                                  .skip = gather->done,
                                  .count = gather->count,
                                  .usage = &gather->usage};
    bool more = true;

    for (size_t round = 1; more; round++) {
        enum pk_code rc = cmd_send_all(gather->context, &sending, err);

        if (rc != PK_OK) {
            move_span(gather, &gather->shards[sending.failed], &err->span);
            return rc;
        }
        more = false;
        for (size_t i = 0; i < gather->count; i++) {
            if (gather->done[i])
                continue;
            take_answer(gather, i, round);
            more = more || !gather->done[i];
        }
    }
    return PK_OK;
}

/* ---- merging --------------------------------------------------------------------------------- */

static pk_value sort_value(const struct gather *gather, const struct pk_key_schema *key, size_t i,
                           size_t part)
{
    const struct shard *shard = &gather->shards[i];

    return pk_value_get(shard->items.data[shard->next], key->range[part].name);
}

/* Whether shard a's next item comes before shard b's; equal ones stay in the template's order. */
static bool comes_before(const struct gather *gather, size_t a, size_t b)
{
    const struct pk_key_schema *key = cmd_target_key(&gather->requests[0].target);
    bool backward =
        cJSON_GetObjectItemCaseSensitive(gather->requests[0].json, "ScanIndexForward") != NULL;
    int order = 0;

    for (size_t part = 0; part < key->range_count && order == 0; part++)
        (void)!pk_value_compare(sort_value(gather, key, a, part), sort_value(gather, key, b, part),
                                &order);
    return backward ? order > 0 : order < 0;
}

/* The shard whose next item is the first of all; count when nothing is left. */
static size_t next_shard(const struct gather *gather)
{
    size_t best = gather->count;

    for (size_t i = 0; i < gather->count; i++)
        if (gather->shards[i].next < gather->shards[i].items.len &&
            (best == gather->count || comes_before(gather, i, best)))
            best = i;
    return best;
}

static void merge(struct gather *gather, struct pk_value_vec *rows)
{
    size_t cap = rows_wanted(gather), i;

    while (rows->len < cap && (i = next_shard(gather)) < gather->count) {
        struct shard *shard = &gather->shards[i];

        pk_value_vec_add(rows, &gather->result->arena, shard->items.data[shard->next++]);
    }
    if (next_shard(gather) < gather->count)
        gather->cut = true;
}

/* ---- showing --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* The shards of a key may lie anywhere: what counts is how many partitions they are on. */
static void count_partitions(struct gather *gather)
{
    struct pk_facts *facts = &gather->usage.facts;

    qsort(gather->partitions, gather->count, sizeof(gather->partitions[0]), by_number);
    facts->partition = gather->partitions[0];
    facts->partitions_touched = 1;
    for (size_t i = 1; i < gather->count; i++)
        facts->partitions_touched += gather->partitions[i] != gather->partitions[i - 1];
}

static void show(struct gather *gather, int64_t micros)
{
    struct pk_arena *arena = &gather->result->arena;
    const struct cmd_request *request = &gather->requests[0];
    struct cmd_footer footer = {.consistency = request->strong ? CMD_STRONG : CMD_EVENTUAL,
                                .items = true};
    struct pk_value_vec rows = {0};
    pk_slice *keys;
    size_t key_count = cmd_key_names(&request->target, arena, &keys);

    merge(gather, &rows);
    cmd_show_items(gather->result, rows.data, rows.len, keys, key_count);
    footer.shown = rows.len;
    footer.operation = pk_arena_printf(arena, "%u quer%s of %zu key%s", gather->usage.requests,
                                       gather->usage.requests == 1 ? "y" : "ies", gather->count,
                                       gather->count == 1 ? "" : "s")
                           .data;
    count_partitions(gather);
    gather->usage.requests = 1; /* they are told already */
    gather->usage.micros = micros;
    cmd_footer_read(gather->context, gather->result, &gather->usage, &footer);
    if (gather->cut)
        cmd_result_text(gather->result, CMD_BLOCK_NOTE,
                        "there is more: set rows N, or pages all, reads on");
}

static void release(struct gather *gather)
{
    for (size_t i = 0; i < gather->count; i++) {
        cmd_request_release(&gather->requests[i]);
        cJSON_Delete(gather->answers[i]);
    }
    free(gather->requests);
    free(gather->answers);
    free(gather->partitions);
    free(gather->done);
}

static void allocate(struct gather *gather)
{
    gather->requests = pk_calloc(gather->count, sizeof(*gather->requests));
    gather->shards = PK_NEW_ARRAY(&gather->result->arena, struct shard, gather->count);
    gather->answers = pk_calloc(gather->count, sizeof(*gather->answers));
    gather->partitions = pk_calloc(gather->count, sizeof(*gather->partitions));
    gather->done = pk_calloc(gather->count, sizeof(*gather->done));
    for (size_t i = 0; i < gather->count; i++)
        cmd_request_init(&gather->requests[i]);
}

static enum pk_code gather_run(struct cmd_context *context, const struct cmd_statement *statement,
                               struct cmd_result *result, struct pk_error *err)
{
    struct gather gather = {.context = context, .result = result, .typed = statement->text};
    int64_t start = pk_clock_real_us();
    enum pk_code rc = find_template(&gather, statement, err);

    if (rc != PK_OK)
        return rc;
    allocate(&gather);
    rc = build(&gather, err);
    if (rc == PK_OK)
        rc = read_all(&gather, err);
    if (rc == PK_OK)
        show(&gather, pk_clock_real_us() - start);
    release(&gather);
    return rc;
}

const struct cmd_entry cmd_gather_entry = {
    .name = "gather",
    .group = CMD_GROUP_DATA,
    .usage = "query TEMPLATE [RANGE] [clauses]",
    .summary = "read a key that is spread over shards: a Query for each, merged by sort key",
    .detail = "TEMPLATE names the keys: USER#1#{0..9}, LOG#{00..15}, STATUS#{open,held}.\n"
              "RANGE and clauses are those of query; limit N is for each key.\n"
              "  gather query ORDER#2026-08-13#{0..9} desc",
    .flags = CMD_READONLY | CMD_NO_TXN,
    .complete = cmd_complete_data,
    .run = gather_run,
};
