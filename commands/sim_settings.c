#include "commands/sim_settings.h"

#include "commands/args.h"
#include "commands/wire.h"

/* What pk_sim_fields does not say. */
static const struct {
    const char *name;
    const char *unit; /* NULL: one of the setting's words */
    const char *sentence;
} rows[] = {
    {"admission", NULL, "how throughput reaches the partitions: as now, or as in earlier years"},
    {"autoscale.down", "a duration", "how long a load is well below the target before it lowers"},
    {"autoscale.up", "a duration",
     "how long a load is above the target before auto scaling raises"},
    {"burst.initial", "a share", "how much of it a new table begins with"},
    {"burst.seconds", "a number", "how many seconds of unused throughput are saved"},
    {"decrease.quota", NULL, "whether decreases of throughput are limited, by the day"},
    {"gsi.backpressure", NULL, "strict: a write needs room in its GSIs; queue: it is queued"},
    {"gsi.queue_units", "WCU", "how long a GSI's queue may be; 0: 5 s of its write rate"},
    {"lag.gsi", "a duration", "how long a change takes to reach a GSI; 0: reads wait for it"},
    {"lag.gsi_jitter", "a duration", "up to this much is added to lag.gsi by chance"},
    {"lsi.collection_bytes", "a size",
     "how large an item collection of a table with an LSI may become"},
    {"metric.period", "a duration", "the minute of auto scaling and on-demand growth"},
    {"ondemand.growth", "a duration", "an on-demand table doubles once in this time at most"},
    {"ondemand.initial_rcu", "RCU", "what a new on-demand table serves at once"},
    {"ondemand.initial_wcu", "WCU", "what a new on-demand table serves at once"},
    {"partition.bytes", "a size", "how much one partition holds"},
    {"partition.count_rule", NULL,
     "how many partitions a throughput needs: by the mode, or always"},
    {"partition.rcu", "RCU", "read units one partition serves in a second"},
    {"partition.wcu", "WCU", "write units one partition serves in a second"},
    {"quota.rcu", "RCU", "the account's quota of an on-demand table"},
    {"quota.wcu", "WCU", "the account's quota of an on-demand table"},
    {"read.spread", NULL, "eventual reads are served by all three replicas: half as much again"},
    {"seed", "a number", "the seed of all chance in the simulation"},
    {"split.cooldown", "a duration", "how long a new partition is left alone"},
    {"split.duration", "a duration", "how long a split takes; the parent serves on"},
    {"split.heat", NULL, "whether partitions split for heat"},
    {"split.isolate_min", "a share", "what other items must have for a hot one to be isolated"},
    {"split.monotonic", "a share", "of rising or falling sort keys: no split from there on"},
    {"split.single_item", "a share", "of requests: from there on one item is isolated"},
    {"split.size_point", NULL, "where a full partition is cut"},
    {"split.stream_block", NULL, "provisioned tables with a stream isolate no item, as until 2023"},
    {"split.threshold", "a share", "of a partition's limit: from there on a second is hot"},
    {"split.window", "a duration", "how long a partition is hot before it splits"},
    {"stream.iterator_ttl", "a duration", "how long a shard iterator may be used"},
    {"stream.retention", "a duration", "how long a stream keeps its records"},
    {"stream.rollover", "a duration",
     "the age at which a shard goes on in a child, a minute at least; 0: never"},
    {"table.create_delay", "a duration", "how long a new table is CREATING"},
    {"table.delete_delay", "a duration", "how long a dropped table is DELETING"},
    {"throttle", NULL, "observe counts what enforce would refuse; off counts nothing"},
    {"ttl.delay", "a duration", "from an item's expiry to its deletion"},
    {"ttl.jitter", "a duration", "up to this much is added to ttl.delay by chance"},
};

static const struct pk_sim_field *find_field(pk_slice name)
{
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        if (cmd_word_is(name, field->name))
            return field;
    }
    return NULL;
}

bool cmd_sim_is(pk_slice name)
{
    return find_field(name) != NULL;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned shift;
} units[] = {{"GB", 30}, {"MB", 20}, {"KB", 10}, {"B", 0}};

bool cmd_parse_size(pk_slice text, uint64_t *bytes)
{
    size_t digits = 0;
    int64_t number;
    pk_slice unit;

    while (digits < text.len && text.data[digits] >= '0' && text.data[digits] <= '9')
        digits++;
    if (!cmd_parse_count(pk_slice_of(text.data, digits), INT32_MAX * INT64_C(1024), &number))
        return false;
    unit = pk_slice_skip(text, cmd_skip_blanks(text, digits));
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (!cmd_word_is(unit, units[i].name) && !(unit.len == 0 && units[i].shift == 0))
            continue;
        *bytes = (uint64_t)number << units[i].shift;
        return (*bytes >> units[i].shift) == (uint64_t)number;
    }
    return false;
}

pk_slice cmd_size_text(struct pk_arena *arena, uint64_t bytes)
{
    size_t i = 0;

    while (units[i].shift > 0 && (bytes == 0 || bytes % (UINT64_C(1) << units[i].shift) != 0))
        i++;
    return pk_arena_printf(arena, "%llu %s", (unsigned long long)(bytes >> units[i].shift),
                           units[i].name);
}

/* ---- durations ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint64_t ms;
} spans[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};

bool cmd_parse_duration(pk_slice text, uint64_t *ms)
{
    size_t digits = 0;
    int64_t number = 0;
    pk_slice unit;

    while (digits < text.len && text.data[digits] >= '0' && text.data[digits] <= '9')
        digits++;
    unit = pk_slice_skip(text, cmd_skip_blanks(text, digits));
    if (digits == 1 && text.data[0] == '0' && unit.len == 0) {
        *ms = 0;
        return true;
    }
    if (!cmd_parse_count(pk_slice_of(text.data, digits), INT32_MAX * INT64_C(1000), &number) &&
        !(digits == 1 && text.data[0] == '0'))
        return false;
    for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
        if (cmd_word_is(unit, spans[i].name))
            return !__builtin_mul_overflow((uint64_t)number, spans[i].ms, ms) && *ms < INT64_MAX;
    }
    return false;
}

pk_slice cmd_duration_text(struct pk_arena *arena, uint64_t ms)
{
    size_t i = 0;

    if (ms == 0)
        return PK_LIT("0");
    while (ms % spans[i].ms != 0)
        i++;
    return pk_arena_printf(arena, "%llu %s", (unsigned long long)(ms / spans[i].ms), spans[i].name);
}

static bool is_digits(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return text.len > 0;
}

enum pk_code cmd_words_duration(struct cmd_words *words, uint64_t *ms, struct pk_error *err)
{
    struct pk_span span = words->token.span;
    pk_slice source = words->lexer.source;
    pk_slice number;
    enum pk_code rc = cmd_words_take(words, "a duration", &number, err);

    if (rc == PK_OK && is_digits(number) && words->token.kind == CMD_TOKEN_WORD) {
        struct pk_span unit = words->token.span;
        pk_slice both = pk_slice_of(source.data + span.start, unit.start + unit.len - span.start);

        if (cmd_parse_duration(both, ms))
            return cmd_words_next(words, err);
    }
    if (rc == PK_OK && !cmd_parse_duration(number, ms)) {
        rc = pk_fail_at(err, PK_E_USAGE, span, "expected a duration");
        pk_error_hint(err, "durations: 500ms, 2s, 15min, 48h, 30d");
    }
    return rc;
}

/* ---- showing --------------------------------------------------------------------------------- */

void cmd_sim_begin(struct cmd_context *context, struct cmd_sim_walk *walk)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();

    *walk = (struct cmd_sim_walk){NULL, NULL};
    if (cmd_call(context, "Pksk.Settings", request, &walk->answer, NULL, &ignored) == PK_OK) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(walk->answer, "Settings");

        walk->next = list == NULL ? NULL : list->child;
    }
    cJSON_Delete(request);
    pk_error_release(&ignored);
}

const char *cmd_sim_peek(const struct cmd_sim_walk *walk)
{
    return walk->next == NULL ? NULL : cmd_wire_text(walk->next, "Name").data;
}

/* "0.80", "1.00"; three digits where it needs them. */
static pk_slice share_text(struct pk_arena *arena, uint64_t thousandths)
{
    bool two = thousandths % 10 == 0;

    return pk_arena_printf(arena, two ? "%llu.%02llu" : "%llu.%03llu",
                           (unsigned long long)(thousandths / 1000),
                           (unsigned long long)(thousandths % 1000 / (two ? 10 : 1)));
}

static pk_slice value_text(struct pk_arena *arena, const cJSON *node, const char *member)
{
    pk_slice text = cmd_wire_text(node, member);
    pk_slice kind = cmd_wire_text(node, "Kind");
    uint64_t bytes;
    int64_t ms;

    if (pk_slice_is(kind, "BYTES") && cmd_parse_size(text, &bytes))
        return cmd_size_text(arena, bytes);
    if (pk_slice_is(kind, "MILLISECONDS"))
        return cmd_duration_text(arena, cmd_parse_count(text, INT64_MAX, &ms) ? (uint64_t)ms : 0);
    if (pk_slice_is(kind, "THOUSANDTHS") && cmd_parse_count(text, 1000, &ms))
        return share_text(arena, (uint64_t)ms);
    return pk_arena_dup(arena, text);
}

/* "off|on" */
static pk_slice words_text(struct pk_arena *arena, const cJSON *node)
{
    pk_slice text = PK_LIT("");
    const cJSON *word;

    cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(node, "Words"))
    {
        if (cJSON_IsString(word))
            text = pk_arena_printf(arena, "%.*s%s%s", PK_FMT(text), text.len > 0 ? "|" : "",
                                   word->valuestring);
    }
    return text;
}

void cmd_sim_next(struct cmd_sim_walk *walk, struct pk_arena *arena, pk_slice cells[5])
{
    const cJSON *node = walk->next;

    cells[0] = pk_arena_dup(arena, cmd_wire_text(node, "Name"));
    cells[1] = value_text(arena, node, "Value");
    cells[2] = (pk_slice){NULL, 0};
    cells[3] = value_text(arena, node, "Default");
    cells[4] = (pk_slice){NULL, 0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (!pk_slice_is(cells[0], rows[i].name))
            continue;
        cells[2] = rows[i].unit == NULL ? words_text(arena, node) : pk_slice_cstr(rows[i].unit);
        cells[4] = pk_slice_cstr(rows[i].sentence);
    }
    walk->next = node->next;
}

void cmd_sim_end(struct cmd_sim_walk *walk)
{
    cJSON_Delete(walk->answer);
    *walk = (struct cmd_sim_walk){NULL, NULL};
}

enum pk_code cmd_sim_get(struct cmd_context *context, struct pk_arena *arena, const char *name,
                         pk_slice *value, struct pk_error *err)
{
    struct cmd_sim_walk walk;

    *value = (pk_slice){NULL, 0};
    if (!context->backend->extensions)
        return cmd_fail_foreign(context, name, err);
    cmd_sim_begin(context, &walk);
    while (cmd_sim_peek(&walk) != NULL) {
        pk_slice cells[5];

        cmd_sim_next(&walk, arena, cells);
        if (pk_slice_is(cells[0], name))
            *value = cells[1];
    }
    cmd_sim_end(&walk);
    if (value->data == NULL)
        return pk_fail(err, PK_E_UNKNOWN_OPERATION, "the endpoint has no setting %s", name);
    return PK_OK;
}

/* ---- changing -------------------------------------------------------------------------------- */

/* "0.8", "0.80", "1", "80%". */
static bool parse_share(pk_slice text, uint64_t *thousandths)
{
    uint64_t value = 0, unit = 1000;
    size_t i = 0;

    if (text.len > 1 && text.data[text.len - 1] == '%') {
        int64_t percent;

        if (!cmd_parse_count(pk_slice_of(text.data, text.len - 1), 100, &percent))
            return false;
        *thousandths = (uint64_t)percent * 10;
        return true;
    }
    for (bool point = false; i < text.len; i++) {
        if (text.data[i] == '.' && !point && i + 1 < text.len) {
            point = true;
            continue;
        }
        if (text.data[i] < '0' || text.data[i] > '9' || (point && unit == 1))
            return false;
        if (point)
            unit /= 10;
        value += (uint64_t)(text.data[i] - '0') * unit;
        if (!point && i > 0)
            return false;
    }
    *thousandths = value;
    return text.len > 0;
}

static bool parse_word(const struct pk_sim_field *field, pk_slice text, uint64_t *value)
{
    for (uint64_t i = 0; i <= field->max; i++) {
        if (cmd_word_is(text, field->words[i])) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool parse_number(const struct pk_sim_field *field, pk_slice text, uint64_t *value)
{
    int64_t number;

    if (field->least == 0 && pk_slice_is(text, "0")) {
        *value = 0;
        return true;
    }
    if (!cmd_parse_count(text, (int64_t)field->max, &number))
        return false;
    *value = (uint64_t)number;
    return true;
}

static bool parse_value(const struct pk_sim_field *field, pk_slice text, uint64_t *value)
{
    bool read = false;

    switch (field->kind) {
    case PK_SIM_BYTES:
        read = cmd_parse_size(text, value);
        break;
    case PK_SIM_DURATION:
        read = cmd_parse_duration(text, value);
        break;
    case PK_SIM_SHARE:
        read = parse_share(text, value);
        break;
    case PK_SIM_WORD:
        read = parse_word(field, text, value);
        break;
    case PK_SIM_COUNT:
        read = parse_number(field, text, value);
        break;
    }
    return read && *value >= field->least && *value <= field->max;
}

static void hint_takes(const struct pk_sim_field *field, struct pk_error *err)
{
    struct pk_buf words = PK_BUF_INIT;

    switch (field->kind) {
    case PK_SIM_BYTES:
        pk_buf_add_cstr(&words, "a size: 64 KB, 10 GB");
        break;
    case PK_SIM_DURATION:
        pk_buf_printf(&words, "a duration%s: 500ms, 2s, 15min, 48h, 30d",
                      field->least == 0 ? "" : " of a second at least");
        break;
    case PK_SIM_SHARE:
        pk_buf_add_cstr(&words, "a share: 0.8, 80%");
        break;
    case PK_SIM_WORD:
        for (uint64_t i = 0; i <= field->max; i++)
            pk_buf_printf(&words, "%s%s",
                          i == 0           ? ""
                          : i < field->max ? ", "
                                           : " or ",
                          field->words[i]);
        break;
    case PK_SIM_COUNT:
        pk_buf_printf(&words, "a whole number from %llu", (unsigned long long)field->least);
        break;
    }
    pk_error_hint(err, "%s takes %.*s", field->name, PK_FMT(pk_buf_slice(&words)));
    pk_buf_release(&words);
}

static pk_slice sent_text(struct pk_arena *arena, const struct pk_sim_field *field, uint64_t value)
{
    if (field->kind == PK_SIM_WORD)
        return pk_slice_cstr(field->words[value]);
    return pk_arena_printf(arena, "%llu", (unsigned long long)value);
}

enum pk_code cmd_sim_set(struct cmd_context *context, pk_slice name, pk_slice value,
                         struct pk_error *err)
{
    const struct pk_sim_field *field = find_field(name);
    struct pk_arena arena = PK_ARENA_INIT;
    cJSON *request, *answer = NULL;
    uint64_t number = 0;
    enum pk_code rc;

    if (field == NULL)
        return pk_fail(err, PK_E_USAGE, "no setting is called '%.*s'", PK_FMT(name));
    if (!parse_value(field, value, &number)) {
        pk_fail(err, PK_E_USAGE, "'%.*s' is no value for %s", PK_FMT(value), field->name);
        hint_takes(field, err);
        return PK_E_USAGE;
    }
    request = cJSON_CreateObject();
    cmd_wire_set_text(cmd_wire_object(request, "Set"), field->name,
                      sent_text(&arena, field, number));
    rc = cmd_call(context, "Pksk.Settings", request, &answer, NULL, err);
    if (rc == PK_E_UNKNOWN_OPERATION)
        rc = cmd_fail_foreign(context, field->name, err);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    pk_arena_release(&arena);
    return rc;
}
