/*
 * traffic: load on a table, which goes on while other statements run (workload/traffic.h).
 *
 * The first word after the command says what is to be done; alone it lists what runs.
 */
#include "commands/args.h"
#include "commands/entries.h"
#include "commands/schema.h"
#include "commands/spent.h"
#include "commands/traffic_fill.h"
#include "commands/traffic_show.h"
#include "commands/transfer/transfer_args.h"
#include "commands/wire.h"
#include "commands/workload/traffic.h"
#include "commands/workload/traffic_tape.h"

enum {
    KEY_WORDS = TRAFFIC_WORD_KEYS | TRAFFIC_WORD_SK | TRAFFIC_WORD_SIZE | TRAFFIC_WORD_TABLE |
                TRAFFIC_WORD_SET,
    START_WORDS = KEY_WORDS | TRAFFIC_WORD_OP | TRAFFIC_WORD_RATE | TRAFFIC_WORD_SKEW |
                  TRAFFIC_WORD_STRONG | TRAFFIC_WORD_FOR | TRAFFIC_WORD_SEED | TRAFFIC_WORD_AT |
                  TRAFFIC_WORD_WALK,
    SET_WORDS = TRAFFIC_WORD_RATE | TRAFFIC_WORD_SKEW,
    SPEED_MAX = 1000000
};

struct order {
    struct cmd_context *context;
    struct cmd_result *result;
    pk_slice text; /* the statement */
    size_t pos;    /* what is not read yet */
};

/* ---- arguments ------------------------------------------------------------------------------- */

static struct pk_span rest_span(const struct order *order)
{
    return (struct pk_span){(uint32_t)order->pos, (uint32_t)(order->text.len - order->pos)};
}

/* The next word, up to a blank, or quoted; empty at the end. */
static pk_slice take_word(struct order *order, struct pk_span *span)
{
    size_t start = cmd_skip_blanks(order->text, order->pos), end = start;
    struct cmd_quoted quoted;
    pk_slice word;

    if (cmd_quoted_at(order->text, start, &quoted) && !quoted.open) {
        end = quoted.end;
        word = quoted.content;
    } else {
        while (end < order->text.len && cmd_blank_length(order->text, end) == 0)
            end++;
        word = pk_slice_of(order->text.data + start, end - start);
    }
    *span = (struct pk_span){(uint32_t)start, (uint32_t)(end - start)};
    order->pos = cmd_skip_blanks(order->text, end);
    return word;
}

static enum pk_code need_word(struct order *order, const char *what, pk_slice *word,
                              struct pk_span *span, struct pk_error *err)
{
    *word = take_word(order, span);
    if (word->len > 0)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, *span, "expected %s", what);
}

static enum pk_code need_end(const struct order *order, struct pk_error *err)
{
    if (order->pos >= order->text.len)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, rest_span(order), "expected the end of the statement");
}

static enum pk_code read_words(const struct order *order, unsigned allowed,
                               struct traffic_spec *spec, struct pk_error *err)
{
    const struct traffic_words words = {order->text, order->pos, allowed, &order->result->arena};

    return traffic_spec_parse(&words, spec, err);
}

static enum pk_code need_given(const struct order *order, const struct traffic_spec *spec,
                               unsigned word, const char *text, struct pk_error *err)
{
    if ((spec->given & word) != 0)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, (struct pk_span){(uint32_t)order->text.len, 1},
                      "expected %s", text);
}

/* ---- where it goes --------------------------------------------------------------------------- */

/* Requests cost money on an endpoint that is not local. *go is false after a no, which is no
 * error. */
static enum pk_code guard(struct order *order, bool *go, struct pk_error *err)
{
    const struct cmd_context *context = order->context;
    pk_slice question;
    bool asked = false;

    *go = true;
    if (!context->backend->costs_money || context->yes)
        return PK_OK;
    question =
        pk_arena_printf(&order->result->arena, "send traffic to %s?", context->backend->endpoint);
    *go = context->asker.ask != NULL &&
          context->asker.ask(context->asker.context, question.data, &asked);
    if (*go)
        return PK_OK;
    if (asked) {
        cmd_result_text(order->result, CMD_BLOCK_NOTE, "nothing was sent");
        return PK_OK;
    }
    pk_fail(err, PK_E_USAGE, "traffic to %s may cost money; nothing was sent",
            context->backend->endpoint);
    pk_error_hint(err, "pksk --yes sends it without asking");
    return PK_E_USAGE;
}

static enum pk_code find_table(struct order *order, const struct traffic_text *given,
                               const struct pk_table **table, struct pk_error *err)
{
    pk_slice name = given == NULL ? (pk_slice){NULL, 0} : given->text;
    enum pk_code rc = PK_OK;

    if (name.data == NULL)
        rc = cmd_need_table(order->context, &name, err);
    if (rc == PK_OK)
        rc = cmd_schema_get(order->context, name, table, err);
    if (rc != PK_OK && err->span.len == 0 && given != NULL && given->text.data != NULL)
        err->span = given->span;
    return rc;
}

/* Another pksk's clock may stand still, or be fast. */
static void note_clock(struct cmd_context *context)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request, *answer = NULL;
    int64_t now_ms = 0;

    if (context->engine != NULL || !context->backend->extensions)
        return;
    request = cJSON_CreateObject();
    if (cmd_call(context, "Pksk.Clock", request, &answer, NULL, &ignored) == PK_OK &&
        cmd_parse_count(cmd_wire_text(answer, "Now"), INT64_MAX, &now_ms))
        traffics_note_clock(context->traffics, now_ms, cmd_wire_bool(answer, "Paused"),
                            (uint32_t)cmd_wire_int(answer, "Speed", 1));
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_error_release(&ignored);
}

static enum pk_code launch(struct order *order, const struct traffic_start *start,
                           struct pk_error *err)
{
    struct cmd_context *context = order->context;
    const struct traffic_place place = {.backend = context->backend, .engine = context->engine};

    cmd_traffic_prepare(context);
    note_clock(context);
    return traffics_start(context->traffics, &place, start, err);
}

/* ---- fill, start ----------------------------------------------------------------------------- */

static enum pk_code make_plan(struct order *order, unsigned words, struct traffic_spec *spec,
                              struct traffic_plan *plan, struct pk_error *err)
{
    const struct pk_table *table = NULL;
    enum pk_code rc = read_words(order, words, spec, err);

    *plan = (struct traffic_plan){.size = 0};
    if (rc == PK_OK && (words & TRAFFIC_WORD_OP) != 0)
        rc = need_given(order, spec, TRAFFIC_WORD_OP,
                        "op=get, put, edit, query or mix(get 70%, put 30%)", err);
    if (rc == PK_OK)
        rc = need_given(order, spec, TRAFFIC_WORD_KEYS, "keys=TEMPLATE, such as keys=USER#{1..300}",
                        err);
    if (rc == PK_OK)
        rc = find_table(order, &spec->table, &table, err);
    return rc == PK_OK ? traffic_plan_init(plan, spec, table, err) : rc;
}

static enum pk_code run_fill(struct order *order, struct pk_error *err)
{
    struct traffic_spec spec;
    struct traffic_plan plan;
    bool go = false;
    enum pk_code rc = make_plan(order, KEY_WORDS, &spec, &plan, err);

    if (rc == PK_OK)
        rc = guard(order, &go, err);
    if (rc == PK_OK && go)
        rc = cmd_traffic_fill(order->context, &plan, order->result, err);
    traffic_plan_release(&plan);
    return rc;
}

static void note_start(struct order *order, pk_slice name, const char *what)
{
    cmd_result_text(order->result, CMD_BLOCK_NOTE, "%.*s %s; traffic stop %.*s ends it",
                    PK_FMT(name), what, PK_FMT(name));
}

/* How it will go on is worth a word where nothing seems to happen. */
static bool waits_for_advance(const struct cmd_context *context)
{
    return context->engine != NULL ? pk_clock_save(pk_engine_clock(context->engine)).paused
                                   : traffics_next_step(context->traffics) != INT64_MAX;
}

static const char *how(const struct cmd_context *context)
{
    return waits_for_advance(context) ? "runs when the clock is advanced" : "runs";
}

static enum pk_code run_start(struct order *order, struct pk_error *err)
{
    struct traffic_spec spec;
    struct traffic_plan plan = {.size = 0};
    struct pk_span span;
    pk_slice name;
    bool go = false;
    enum pk_code rc = need_word(order, "a name for the traffic", &name, &span, err);

    if (rc == PK_OK)
        rc = make_plan(order, START_WORDS, &spec, &plan, err);
    if (rc == PK_OK)
        rc = guard(order, &go, err);
    if (rc == PK_OK && go) {
        const struct traffic_start start = {.name = name,
                                            .plan_take = &plan,
                                            .rate = spec.rate,
                                            .burst = spec.burst,
                                            .for_ms = spec.for_ms,
                                            .speed = 1};

        rc = launch(order, &start, err);
        if (rc == PK_OK)
            note_start(order, name, how(order->context));
        else if (err->span.len == 0)
            err->span = span;
    }
    traffic_plan_release(&plan);
    return rc;
}

/* ---- set, stop ------------------------------------------------------------------------------- */

static enum pk_code run_set(struct order *order, struct pk_error *err)
{
    struct traffic_spec spec;
    struct traffic_change change = {NULL, NULL};
    struct pk_span span;
    pk_slice name;
    enum pk_code rc = need_word(order, "the name of a traffic", &name, &span, err);

    if (rc == PK_OK)
        rc = read_words(order, SET_WORDS, &spec, err);
    if (rc == PK_OK)
        rc = need_given(order, &spec, SET_WORDS, "rate=N/s or skew=…", err);
    if (rc != PK_OK)
        return rc;
    if ((spec.given & TRAFFIC_WORD_RATE) != 0)
        change.rate = &spec.rate;
    if ((spec.given & TRAFFIC_WORD_SKEW) != 0)
        change.skew = &spec.skew;
    if (order->context->traffics == NULL)
        return pk_fail_at(err, PK_E_USAGE, span, "no traffic is called '%.*s'", PK_FMT(name));
    rc = traffics_set(order->context->traffics, name, &change, err);
    if (rc != PK_OK && err->span.len == 0)
        err->span = span;
    return rc;
}

/* A recording ends with the last of them. */
static enum pk_code end_record(struct order *order, bool *was, struct pk_error *err)
{
    uint64_t count = 0;
    enum pk_code rc = PK_OK;

    *was = false;
    if (order->context->traffics != NULL)
        rc = traffics_record_end(order->context->traffics, was, &count, err);
    if (rc == PK_OK && *was)
        cmd_result_text(order->result, CMD_BLOCK_NOTE, "%llu request%s recorded",
                        (unsigned long long)count, count == 1 ? "" : "s");
    return rc;
}

/* What it consumed belongs to what the session did. */
static void add_spent(struct cmd_context *context, const struct traffic *traffic)
{
    for (unsigned i = 0; i < TRAFFIC_OPS; i++) {
        enum traffic_op op = (enum traffic_op)i;
        int64_t milli = traffic->tally.milli_of[op];
        const struct cmd_spent_sum sum = {.table = traffic->plan.table.data,
                                          .operation = traffic_op_operation(op),
                                          .requests = traffic->tally.ok_of[op],
                                          .read_milli = traffic_op_reads(op) ? milli : 0,
                                          .write_milli = traffic_op_reads(op) ? 0 : milli};

        if (sum.requests > 0)
            cmd_spent_add_sum(context, &sum);
    }
}

static void stop_one(struct order *order, struct traffic *traffic_take)
{
    add_spent(order->context, traffic_take);
    cmd_traffic_summary(order->context, traffic_take, order->result);
    traffic_free(traffic_take);
}

static enum pk_code stop_all(struct order *order, struct pk_error *err)
{
    struct traffic *traffic;
    bool any = false, was;

    while (order->context->traffics != NULL &&
           (traffic = traffics_take(order->context->traffics, (pk_slice){NULL, 0})) != NULL) {
        stop_one(order, traffic);
        any = true;
    }
    if (!any)
        cmd_result_text(order->result, CMD_BLOCK_NOTE, "no traffic");
    return end_record(order, &was, err);
}

static enum pk_code run_stop(struct order *order, struct pk_error *err)
{
    struct traffics *traffics = order->context->traffics;
    struct traffic *traffic;
    struct pk_span span;
    pk_slice name = take_word(order, &span);
    enum pk_code rc = need_end(order, err);

    if (rc != PK_OK)
        return rc;
    if (name.len == 0)
        return stop_all(order, err);
    traffic = traffics == NULL ? NULL : traffics_take(traffics, name);
    if (traffic == NULL) {
        pk_fail_at(err, PK_E_USAGE, span, "no traffic is called '%.*s'", PK_FMT(name));
        pk_error_hint(err, "traffic lists them");
        return PK_E_USAGE;
    }
    stop_one(order, traffic);
    return PK_OK;
}

/* ---- record, replay -------------------------------------------------------------------------- */

static enum pk_code run_record(struct order *order, struct pk_error *err)
{
    struct cmd_context *context = order->context;
    struct pk_span span;
    pk_slice file;
    bool was = false;
    enum pk_code rc = need_word(order, "a file to record to, or -", &file, &span, err);

    if (rc == PK_OK)
        rc = need_end(order, err);
    if (rc != PK_OK)
        return rc;
    if (pk_slice_is(file, "-")) {
        rc = end_record(order, &was, err);
        if (rc == PK_OK && !was)
            return pk_fail_at(err, PK_E_USAGE, span, "nothing is recorded");
        return rc;
    }
    cmd_traffic_prepare(context);
    rc = traffics_record(context->traffics, transfer_path(&order->result->arena, file), err);
    if (rc == PK_OK)
        cmd_result_text(order->result, CMD_BLOCK_NOTE,
                        "requests of traffics are recorded; traffic record - ends that");
    else
        err->span = span;
    return rc;
}

static enum pk_code read_speed(struct order *order, uint32_t *speed, struct pk_error *err)
{
    struct pk_span span;
    pk_slice word = take_word(order, &span);
    int64_t number = 1;

    if (word.len > 0) {
        if (!cmd_word_is(word, "speed"))
            return pk_fail_at(err, PK_E_USAGE, span, "expected speed N");
        word = take_word(order, &span);
        if (!cmd_parse_count(word, SPEED_MAX, &number))
            return pk_fail_at(err, PK_E_USAGE, span, "a speed is a whole number from 1 to %d",
                              SPEED_MAX);
    }
    *speed = (uint32_t)number;
    return need_end(order, err);
}

static enum pk_code load_tape(struct order *order, pk_slice file, struct traffic_plan *plan,
                              struct pk_error *err)
{
    const struct pk_table *table = NULL;
    struct traffic_tape tape;
    enum pk_code rc = find_table(order, NULL, &table, err);

    if (rc == PK_OK)
        rc = traffic_tape_load(&tape, transfer_path(&order->result->arena, file), table, err);
    if (rc == PK_OK)
        traffic_plan_init_tape(plan, &tape, table);
    return rc;
}

static enum pk_code run_replay(struct order *order, struct pk_error *err)
{
    struct traffic_plan plan = {.size = 0};
    struct traffic_start start = {.name = PK_LIT("replay"), .plan_take = &plan, .rate = 1};
    struct pk_span span;
    pk_slice file;
    bool go = false;
    enum pk_code rc = need_word(order, "a recorded file", &file, &span, err);

    if (rc == PK_OK)
        rc = read_speed(order, &start.speed, err);
    if (rc != PK_OK)
        return rc;
    rc = load_tape(order, file, &plan, err);
    if (rc == PK_OK)
        rc = guard(order, &go, err);
    if (rc == PK_OK && go)
        rc = launch(order, &start, err);
    if (rc == PK_OK && go)
        note_start(order, start.name, how(order->context));
    else if (rc != PK_OK && err->span.len == 0)
        err->span = span;
    traffic_plan_release(&plan);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum pk_code (*run)(struct order *order, struct pk_error *err);
} actions[] = {
    {"fill", run_fill}, {"start", run_start},   {"set", run_set},
    {"stop", run_stop}, {"record", run_record}, {"replay", run_replay},
};

static enum pk_code traffic_run(struct cmd_context *context, const struct cmd_statement *statement,
                                struct cmd_result *result, struct pk_error *err)
{
    struct order order = {
        .context = context, .result = result, .text = statement->text, .pos = statement->args};
    struct pk_span span;
    pk_slice word = take_word(&order, &span);

    if (word.len == 0) {
        cmd_traffic_list(context, result);
        return PK_OK;
    }
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (cmd_word_is(word, actions[i].word))
            return actions[i].run(&order, err);
    }
    return pk_fail_at(err, PK_E_USAGE, span,
                      "expected fill, start, set, stop, record, replay or nothing");
}

static void complete_name(void *context, struct traffic *traffic, int64_t now_ms)
{
    struct cmd_completion *completion = context;

    (void)now_ms;
    cmd_completion_add(completion, pk_arena_dup(completion->arena, pk_slice_cstr(traffic->name)));
}

/* The word after traffic, then a name, then the words that the action has. */
static void complete_traffic(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const words[] = {
        "op=get",     "op=put",         "op=edit",      "op=query",
        "op=mix(get", "keys=",          "sk=",          "rate=",
        "skew=hot(",  "skew=zipf(1.2)", "skew=uniform", "skew=sequential",
        "size=",      "strong",         "for=",         "seed=",
        "table=",     "set=",           "walk=random",  "at=second",
    };
    struct order order = {.text = pk_slice_of(completion->line.data, completion->start)};
    struct pk_span span;
    pk_slice action;
    bool named;

    (void)take_word(&order, &span); /* traffic */
    action = take_word(&order, &span);
    for (size_t i = 0; action.len == 0 && i < sizeof(actions) / sizeof(actions[0]); i++)
        cmd_completion_add(completion, pk_slice_cstr(actions[i].word));
    named =
        (cmd_word_is(action, "set") || cmd_word_is(action, "stop")) && order.pos >= order.text.len;
    if (named && context->traffics != NULL)
        traffics_each(context->traffics, (struct traffic_visitor){complete_name, completion});
    for (size_t i = 0; action.len > 0 && !named && i < sizeof(words) / sizeof(words[0]); i++)
        cmd_completion_add(completion, pk_slice_cstr(words[i]));
}

const struct cmd_entry cmd_traffic_entry = {
    .name = "traffic",
    .group = CMD_GROUP_WORLD,
    .usage = "[fill … | start NAME … | set NAME … | stop [NAME] | record FILE|- | replay FILE "
             "[speed N]]",
    .summary = "load on a table: requests by keys, skew and rate, while other statements run",
    .detail =
        "  traffic fill keys=USER#{1..300}                  writes an item for each key\n"
        "  traffic start viral op=get keys=USER#{1..300} skew=hot(70% USER#1) rate=2000/s "
        "for=30s\n"
        "  traffic                                          what runs\n"
        "  traffic set viral rate=4000/s skew=uniform       while it runs\n"
        "  traffic stop viral                               and what became of its requests\n"
        "Words of start, in any order:\n"
        "  op=get|put|edit|query|mix(get 70%, put 30%)      edit adds 1 to an attribute\n"
        "  keys=TEMPLATE sk=TEMPLATE                        {1..300} {00..09} {a,5..7}; sk is "
        "PROFILE "
        "if not said\n"
        "  walk=order|random                                sort keys are gone through in order, "
        "or "
        "drawn\n"
        "  skew=uniform|zipf(1.2)|hot(80% KEY)|sequential   which keys are asked for\n"
        "  rate=N/s at=even|second                          a second of simulated time; all at its "
        "start\n"
        "  size=400B set=NAME:TEMPLATE                      what is put: so large, with this "
        "attribute\n"
        "  strong for=30s seed=7 table=T\n"
        "Words of fill: keys sk size set table.\n"
        "The same seed gives the same requests. Throttled ones are counted, not repeated. On a "
        "paused clock\n"
        "traffic runs inside clock advance, in simulated order. A recording is replayed on the "
        "current table.",
    .flags = CMD_NO_TXN,
    .complete = complete_traffic,
    .run = traffic_run,
};
