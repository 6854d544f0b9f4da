#include "commands/workload/traffic_plan.h"

#include <stdlib.h>

#include "commands/api/json_out.h"
#include "commands/transfer/template.h"
#include "commands/workload/traffic_tape.h"
#include "engine/base/base64.h"
#include "engine/base/utf8.h"
#include "engine/num.h"

enum { WHOLE = 1000, HASH_BYTES_MAX = 2048, RANGE_BYTES_MAX = 1024, SHOWN = 40 };

/* Odd, and not the generator's own step, so that the streams of neighbouring requests are apart. */
#define STEP UINT64_C(0xD1B54A32D192ED03)

/* ---- values ---------------------------------------------------------------------------------- */

static const char *type_name(enum pk_kind type)
{
    return type == PK_NUMBER ? "a number" : type == PK_BINARY ? "binary" : "a string";
}

/* Why the text is no value of such an attribute; NULL: it is one. */
static const char *unfit(enum pk_kind type, pk_slice text, size_t bytes_max)
{
    struct pk_num number;

    if (text.len == 0)
        return "is empty";
    if (type == PK_NUMBER)
        return pk_num_parse(text, &number) == PK_NUM_OK ? NULL : "is not a number";
    if (text.len > bytes_max)
        return "is too long";
    return type == PK_STRING && !pk_utf8_valid(text) ? "is not UTF-8" : NULL;
}

/* All of them: a request that cannot be right would fail for ever. */
static enum pk_code check_values(const struct traffic_values *values, size_t bytes_max,
                                 struct pk_span span, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    const char *why = NULL;

    for (uint64_t n = 0; n < values->count && why == NULL; n++) {
        pk_buf_clear(&text);
        cmd_template_nth(values->template, n, &text);
        why = unfit(values->type, pk_buf_slice(&text), bytes_max);
    }
    if (why != NULL)
        pk_fail_at(err, PK_E_USAGE, span, "'%.*s' %s, and %.*s is %s", SHOWN,
                   text.len == 0 ? "" : text.data, why, PK_FMT(values->name),
                   type_name(values->type));
    pk_buf_release(&text);
    return why == NULL ? PK_OK : PK_E_USAGE;
}

static enum pk_code read_values(struct traffic_plan *plan, const struct traffic_text *from,
                                struct traffic_values *values, size_t bytes_max,
                                struct pk_error *err)
{
    enum pk_code rc = cmd_template_parse(&plan->arena, pk_arena_dup(&plan->arena, from->text),
                                         CMD_TEMPLATE_KEYS, &values->template, err);

    if (rc != PK_OK) {
        err->span.start += from->span.start;
        return rc;
    }
    values->count = cmd_template_count(values->template);
    if (values->count > TRAFFIC_KEYS_MAX)
        return pk_fail_at(err, PK_E_USAGE, from->span,
                          "the template has %llu values; a traffic takes up to %d",
                          (unsigned long long)values->count, TRAFFIC_KEYS_MAX);
    return check_values(values, bytes_max, from->span, err);
}

/* Appends the n-th value in typed form; returns its bytes in an item. */
static size_t write_value(const struct traffic_values *values, uint64_t n, struct pk_buf *json)
{
    struct pk_buf text = PK_BUF_INIT;
    char code[PK_NUM_CODE_MAX];
    struct pk_num number;
    size_t bytes;

    cmd_template_nth(values->template, n, &text);
    bytes = text.len;
    if (values->type == PK_NUMBER) {
        pk_buf_printf(json, "{\"N\":\"%s\"}", text.data);
        if (pk_num_parse(pk_buf_slice(&text), &number) == PK_NUM_OK)
            bytes = pk_num_size(pk_slice_of(code, pk_num_encode(&number, code)));
    } else if (values->type == PK_BINARY) {
        pk_buf_add_cstr(json, "{\"B\":\"");
        pk_base64_encode(json, pk_buf_slice(&text));
        pk_buf_add_cstr(json, "\"}");
    } else {
        pk_buf_add_cstr(json, "{\"S\":");
        json_out_string(json, pk_buf_slice(&text));
        pk_buf_add_byte(json, '}');
    }
    pk_buf_release(&text);
    return bytes;
}

static size_t write_member(const struct traffic_values *values, uint64_t n, struct pk_buf *json)
{
    json_out_member_slice(json, values->name);
    return values->name.len + write_value(values, n, json);
}

/* ---- making it ------------------------------------------------------------------------------- */

static enum pk_code read_range(struct traffic_plan *plan, const struct traffic_spec *spec,
                               const struct pk_table *table, struct pk_error *err)
{
    bool given = (spec->given & TRAFFIC_WORD_SK) != 0;
    struct traffic_text from = given ? spec->sk : (struct traffic_text){.text = PK_LIT("PROFILE")};

    plan->has_range = table->key.range_count > 0;
    if (!plan->has_range)
        return given ? pk_fail_at(err, PK_E_USAGE, spec->sk.span, "table '%.*s' has no sort key",
                                  PK_FMT(table->name))
                     : PK_OK;
    plan->range.name = pk_arena_dup(&plan->arena, table->key.range[0].name);
    plan->range.type = table->key.range[0].type;
    if (!given && plan->range.type == PK_NUMBER) {
        pk_fail(err, PK_E_USAGE, "the sort key %.*s is a number; which ones is not said",
                PK_FMT(plan->range.name));
        pk_error_hint(err, "sk={1..1000} gives them in order, over and over");
        return PK_E_USAGE;
    }
    return read_values(plan, &from, &plan->range, RANGE_BYTES_MAX, err);
}

static enum pk_code read_sets(struct traffic_plan *plan, const struct traffic_spec *spec,
                              const struct pk_table *table, struct pk_error *err)
{
    for (size_t i = 0; i < spec->set_count; i++) {
        struct traffic_values *values = &plan->sets[plan->set_count++];
        pk_slice name = spec->sets[i].name;
        enum pk_code rc;

        if (pk_key_schema_has(&table->key, name))
            return pk_fail_at(err, PK_E_USAGE, spec->sets[i].template.span,
                              "%.*s is of the key: keys= and sk= give its values", PK_FMT(name));
        values->name = pk_arena_dup(&plan->arena, name);
        values->type = pk_table_attribute_type(table, name);
        if (values->type == PK_MISSING)
            values->type = PK_STRING;
        rc = read_values(plan, &spec->sets[i].template, values, RANGE_BYTES_MAX, err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static bool is_taken(const struct traffic_plan *plan, const struct pk_table *table, pk_slice name)
{
    for (size_t i = 0; i < plan->set_count; i++) {
        if (pk_slice_equal(plan->sets[i].name, name))
            return true;
    }
    return pk_table_attribute_type(table, name) != PK_MISSING;
}

/* The name, or the first of it with underscores that no key has and nothing sets. */
static pk_slice free_name(struct traffic_plan *plan, const struct pk_table *table, const char *name)
{
    pk_slice free = pk_slice_cstr(name);

    while (is_taken(plan, table, free))
        free = pk_arena_printf(&plan->arena, "%.*s_", PK_FMT(free));
    return free;
}

/* Where the hot key stands in the template. */
static enum pk_code find_hot(const struct traffic_plan *plan, const struct traffic_skew *skew,
                             uint64_t *hot, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    bool found = false;

    for (uint64_t n = 0; n < plan->hash.count && !found; n++) {
        pk_buf_clear(&text);
        cmd_template_nth(plan->hash.template, n, &text);
        found = pk_slice_equal(pk_buf_slice(&text), skew->hot_key.text);
        *hot = n;
    }
    pk_buf_release(&text);
    if (found)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, skew->hot_key.span,
                      "the hot key '%.*s' is none of keys=%.*s", PK_FMT(skew->hot_key.text),
                      PK_FMT(plan->keys_text));
}

enum pk_code traffic_plan_set_skew(struct traffic_plan *plan, const struct traffic_skew *skew,
                                   struct pk_error *err)
{
    struct keygen_spec spec = {.skew = skew->kind,
                               .keys = plan->hash.count,
                               .zipf_milli = skew->zipf_milli,
                               .hot_milli = skew->hot_milli};
    struct keygen keygen;
    enum pk_code rc = PK_OK;

    if (skew->kind == KEYGEN_HOT)
        rc = find_hot(plan, skew, &spec.hot_key, err);
    if (rc == PK_OK)
        rc = keygen_init(&keygen, &spec, err);
    if (rc != PK_OK)
        return rc;
    keygen_release(&plan->keygen);
    plan->keygen = keygen;
    plan->skew_text = pk_arena_dup(&plan->arena, skew->text);
    return PK_OK;
}

static void copy_indexes(struct traffic_plan *plan, const struct pk_table *table)
{
    plan->indexes = PK_NEW_ARRAY(&plan->arena, pk_slice, table->index_count);
    for (size_t i = 0; i < table->index_count; i++)
        plan->indexes[plan->index_count++] = pk_arena_dup(&plan->arena, table->indexes[i].name);
}

static void mix_seed(struct traffic_plan *plan)
{
    struct pk_rng rng;

    pk_rng_seed(&rng, plan->seed);
    plan->seed_mixed = pk_rng_next(&rng);
}

enum pk_code traffic_plan_init(struct traffic_plan *plan, const struct traffic_spec *spec,
                               const struct pk_table *table, struct pk_error *err)
{
    enum pk_code rc;

    *plan = (struct traffic_plan){.walk_random = spec->walk_random,
                                  .seed = spec->seed,
                                  .size = spec->size,
                                  .strong = spec->strong};
    memcpy(plan->share_milli, spec->share_milli, sizeof(plan->share_milli));
    mix_seed(plan);
    copy_indexes(plan, table);
    plan->table = pk_arena_dup(&plan->arena, table->name);
    plan->keys_text = pk_arena_dup(&plan->arena, spec->keys.text);
    plan->hash.name = pk_arena_dup(&plan->arena, table->key.hash[0].name);
    plan->hash.type = table->key.hash[0].type;
    rc = read_values(plan, &spec->keys, &plan->hash, HASH_BYTES_MAX, err);
    if (rc == PK_OK)
        rc = read_range(plan, spec, table, err);
    if (rc == PK_OK)
        rc = read_sets(plan, spec, table, err);
    if (rc == PK_OK)
        rc = traffic_plan_set_skew(plan, &spec->skew, err);
    plan->filler_name = free_name(plan, table, "data");
    plan->counter_name = free_name(plan, table, "hits");
    return rc;
}

void traffic_plan_init_tape(struct traffic_plan *plan, struct traffic_tape *tape_take,
                            const struct pk_table *table)
{
    *plan = (struct traffic_plan){.tape = pk_calloc(1, sizeof(*plan->tape)), .size = 0};
    *plan->tape = *tape_take;
    *tape_take = (struct traffic_tape){.count = 0};
    plan->table = pk_arena_dup(&plan->arena, table->name);
    plan->hash.name = pk_arena_dup(&plan->arena, table->key.hash[0].name);
    plan->filler_name = free_name(plan, table, "data");
    plan->counter_name = free_name(plan, table, "hits");
    copy_indexes(plan, table);
}

uint64_t traffic_plan_count(const struct traffic_plan *plan)
{
    return plan->tape == NULL ? UINT64_MAX : plan->tape->count;
}

void traffic_plan_release(struct traffic_plan *plan)
{
    if (plan->tape != NULL)
        traffic_tape_release(plan->tape);
    free(plan->tape);
    keygen_release(&plan->keygen);
    pk_arena_release(&plan->arena);
    *plan = (struct traffic_plan){.size = 0};
}

/* ---- the n-th request ------------------------------------------------------------------------ */

static enum traffic_op draw_op(const struct traffic_plan *plan, struct pk_rng *rng)
{
    uint64_t drawn = pk_rng_below(rng, WHOLE);
    unsigned op = 0;

    for (unsigned sum = plan->share_milli[0]; drawn >= sum && op + 1 < TRAFFIC_OPS;)
        sum += plan->share_milli[++op];
    return (enum traffic_op)op;
}

void traffic_plan_nth(const struct traffic_plan *plan, uint64_t n, struct traffic_request *request)
{
    struct pk_rng rng;

    if (plan->tape != NULL) {
        *request = (struct traffic_request){.op = plan->tape->entries[n].op, .n = n};
        return;
    }
    pk_rng_seed(&rng, plan->seed_mixed ^ (n * STEP));
    *request = (struct traffic_request){.op = draw_op(plan, &rng), .n = n};
    request->key = keygen_at(&plan->keygen, n, &rng);
    if (plan->has_range)
        request->range =
            plan->walk_random ? pk_rng_below(&rng, plan->range.count) : n % plan->range.count;
}

/* ---- its JSON -------------------------------------------------------------------------------- */

static const struct traffic_tape_entry *entry_of(const struct traffic_plan *plan,
                                                 const struct traffic_request *request)
{
    return plan->tape == NULL ? NULL : &plan->tape->entries[request->n];
}

static void add_taped(const struct traffic_plan *plan, struct pk_span span, struct pk_buf *json)
{
    if (span.len > 0)
        pk_buf_add(json, pk_slice_of(plan->tape->text.data + span.start, span.len));
}

uint64_t traffic_plan_size(const struct traffic_plan *plan, const struct traffic_request *request)
{
    return plan->tape == NULL ? plan->size : entry_of(plan, request)->size;
}

bool traffic_plan_strong(const struct traffic_plan *plan, const struct traffic_request *request)
{
    return plan->tape == NULL ? plan->strong : entry_of(plan, request)->strong;
}

/* Appends the members of the key; returns their bytes in an item. */
static size_t write_key(const struct traffic_plan *plan, const struct traffic_request *request,
                        struct pk_buf *json)
{
    size_t bytes;

    if (plan->tape != NULL) {
        add_taped(plan, entry_of(plan, request)->key, json);
        return 0;
    }
    bytes = write_member(&plan->hash, request->key, json);
    if (plan->has_range)
        bytes += write_member(&plan->range, request->range, json);
    return bytes;
}

/* The same with the attributes that are set. */
static size_t write_attributes(const struct traffic_plan *plan,
                               const struct traffic_request *request, struct pk_buf *json)
{
    size_t bytes = write_key(plan, request, json);

    if (plan->tape != NULL) {
        const struct traffic_tape_entry *entry = entry_of(plan, request);

        if (entry->rest.len > 0)
            pk_buf_add_byte(json, ',');
        add_taped(plan, entry->rest, json);
        return entry->bytes;
    }
    for (size_t i = 0; i < plan->set_count; i++)
        bytes += write_member(&plan->sets[i], request->n % plan->sets[i].count, json);
    return bytes;
}

void traffic_plan_attributes(const struct traffic_plan *plan, const struct traffic_request *request,
                             struct pk_buf *json)
{
    (void)write_attributes(plan, request, json);
}

/* The filler is left out where the rest is as large already. */
void traffic_plan_item(const struct traffic_plan *plan, const struct traffic_request *request,
                       struct pk_buf *json)
{
    uint64_t size = traffic_plan_size(plan, request);
    size_t bytes = write_attributes(plan, request, json);

    bytes += plan->filler_name.len;
    if (bytes >= size)
        return;
    json_out_member_slice(json, plan->filler_name);
    pk_buf_add_cstr(json, "{\"S\":\"");
    memset(pk_buf_reserve(json, size - bytes), 'x', size - bytes);
    json->len += size - bytes;
    pk_buf_add_cstr(json, "\"}");
}

static void write_get(const struct traffic_plan *plan, const struct traffic_request *request,
                      struct pk_buf *json)
{
    pk_buf_add_cstr(json, ",\"Key\":{");
    (void)write_key(plan, request, json);
    pk_buf_add_byte(json, '}');
}

static void write_put(const struct traffic_plan *plan, const struct traffic_request *request,
                      struct pk_buf *json)
{
    pk_buf_add_cstr(json, ",\"Item\":{");
    traffic_plan_item(plan, request, json);
    pk_buf_add_byte(json, '}');
}

static void write_edit(const struct traffic_plan *plan, const struct traffic_request *request,
                       struct pk_buf *json)
{
    write_get(plan, request, json);
    pk_buf_add_cstr(json,
                    ",\"UpdateExpression\":\"ADD #n :n\",\"ExpressionAttributeNames\":{\"#n\":");
    json_out_string(json, plan->counter_name);
    pk_buf_add_cstr(json, "},\"ExpressionAttributeValues\":{\":n\":{\"N\":\"1\"}}");
}

static void write_query(const struct traffic_plan *plan, const struct traffic_request *request,
                        struct pk_buf *json)
{
    pk_buf_add_cstr(
        json, ",\"KeyConditionExpression\":\"#k = :k\",\"ExpressionAttributeNames\":{\"#k\":");
    json_out_string(json, plan->hash.name);
    pk_buf_add_cstr(json, "},\"ExpressionAttributeValues\":{\":k\":");
    if (plan->tape != NULL)
        add_taped(plan, entry_of(plan, request)->hash, json);
    else
        (void)write_value(&plan->hash, request->key, json);
    pk_buf_add_byte(json, '}');
}

typedef void write_body(const struct traffic_plan *plan, const struct traffic_request *request,
                        struct pk_buf *json);
static write_body *const bodies[TRAFFIC_OPS] = {
    [TRAFFIC_GET] = write_get,
    [TRAFFIC_PUT] = write_put,
    [TRAFFIC_EDIT] = write_edit,
    [TRAFFIC_QUERY] = write_query,
};

void traffic_plan_write(const struct traffic_plan *plan, const struct traffic_request *request,
                        struct pk_buf *json, pk_slice *operation)
{
    *operation = pk_slice_cstr(traffic_op_operation(request->op));
    pk_buf_add_cstr(json, "{\"TableName\":");
    json_out_string(json, plan->table);
    bodies[request->op](plan, request, json);
    if (traffic_op_reads(request->op) && traffic_plan_strong(plan, request))
        pk_buf_add_cstr(json, ",\"ConsistentRead\":true");
    if (plan->capacity)
        pk_buf_add_cstr(json, ",\"ReturnConsumedCapacity\":\"TOTAL\"");
    pk_buf_add_byte(json, '}');
}

void traffic_plan_op_text(const struct traffic_plan *plan, struct pk_buf *out)
{
    bool first = true;

    if (plan->tape != NULL)
        pk_buf_add_cstr(out, "replay");
    for (unsigned op = 0; op < TRAFFIC_OPS; op++) {
        unsigned share = plan->share_milli[op];

        if (share == WHOLE)
            pk_buf_add_cstr(out, traffic_op_name((enum traffic_op)op));
        if (share == 0 || share == WHOLE)
            continue;
        pk_buf_printf(out, "%s%s %u", first ? "mix(" : ", ", traffic_op_name((enum traffic_op)op),
                      share / 10);
        if (share % 10 > 0)
            pk_buf_printf(out, ".%u", share % 10);
        pk_buf_add_byte(out, '%');
        first = false;
    }
    if (!first)
        pk_buf_add_byte(out, ')');
}
