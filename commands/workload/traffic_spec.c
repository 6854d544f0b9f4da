#include "commands/workload/traffic_spec.h"

#include <string.h>

#include "commands/language/lex.h"
#include "commands/sim_settings.h"
#include "engine/base/utf8.h"

enum { WHOLE = 1000, ZIPF_MAX_MILLI = 10000 };

static const char *const op_names[TRAFFIC_OPS] = {"get", "put", "edit", "query"};

const char *traffic_op_name(enum traffic_op op)
{
    return op_names[op];
}

const char *traffic_op_operation(enum traffic_op op)
{
    static const char *const operations[TRAFFIC_OPS] = {"GetItem", "PutItem", "UpdateItem",
                                                        "Query"};

    return operations[op];
}

bool traffic_op_reads(enum traffic_op op)
{
    return op == TRAFFIC_GET || op == TRAFFIC_QUERY;
}

bool traffic_op_parse(pk_slice word, enum traffic_op *op)
{
    for (unsigned i = 0; i < TRAFFIC_OPS; i++) {
        if (cmd_word_is(word, op_names[i])) {
            *op = (enum traffic_op)i;
            return true;
        }
    }
    return false;
}

/* ---- pieces of values ------------------------------------------------------------------------ */

static pk_slice trim(pk_slice text)
{
    size_t blank;

    while (text.len > 0 && (blank = cmd_blank_length(text, 0)) > 0)
        text = pk_slice_skip(text, blank);
    while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
        text.len--;
    return text;
}

/* Digits up to the first byte that is none. */
static bool take_number(pk_slice *text, uint64_t max, uint64_t *number)
{
    size_t digits = 0;

    *number = 0;
    while (digits < text->len && text->data[digits] >= '0' && text->data[digits] <= '9') {
        *number = *number * 10 + (uint64_t)(text->data[digits++] - '0');
        if (*number > max)
            return false;
    }
    *text = pk_slice_skip(*text, digits);
    return digits > 0;
}

/* "1.25" as 1250; at most three decimals. */
static bool take_milli(pk_slice *text, unsigned *milli)
{
    uint64_t whole, scale = WHOLE / 10;

    if (!take_number(text, WHOLE * WHOLE, &whole))
        return false;
    *milli = (unsigned)(whole * WHOLE);
    if (text->len == 0 || text->data[0] != '.')
        return true;
    *text = pk_slice_skip(*text, 1);
    while (text->len > 0 && text->data[0] >= '0' && text->data[0] <= '9' && scale > 0) {
        *milli += (unsigned)(text->data[0] - '0') * (unsigned)scale;
        scale /= 10;
        *text = pk_slice_skip(*text, 1);
    }
    return true;
}

/* "70%" as thousandths: 700; false beyond 100%, for 0% and for what is no percentage. */
static bool take_share(pk_slice *text, unsigned *milli)
{
    if (!take_milli(text, milli) || text->len == 0 || text->data[0] != '%')
        return false;
    *text = pk_slice_skip(*text, 1);
    *milli /= 100;
    return *milli > 0 && *milli * 100 <= 100 * WHOLE;
}

/* NAME(body): false when the text is not of that form. */
static bool take_call(pk_slice text, const char *name, pk_slice *body)
{
    size_t len = strlen(name);

    if (text.len < len + 2 || text.data[len] != '(' || text.data[text.len - 1] != ')' ||
        !cmd_word_is(pk_slice_of(text.data, len), name))
        return false;
    *body = trim(pk_slice_of(text.data + len + 1, text.len - len - 2));
    return true;
}

static struct pk_span span_in(pk_slice whole, pk_slice part)
{
    return (struct pk_span){(uint32_t)(part.data - whole.data), (uint32_t)part.len};
}

static struct pk_span all_of(pk_slice text)
{
    return (struct pk_span){0, (uint32_t)text.len};
}

/* The content of a quoted text that is all of it; else the text. */
static pk_slice unquote(pk_slice text, struct pk_arena *arena)
{
    struct cmd_quoted quoted;
    struct pk_buf plain = PK_BUF_INIT;
    pk_slice copy;

    if (!cmd_quoted_at(text, 0, &quoted) || quoted.open || quoted.end != text.len ||
        quoted.kind == '`')
        return text;
    for (size_t i = 0; i < quoted.content.len; i++) {
        pk_buf_add_byte(&plain, (unsigned char)quoted.content.data[i]);
        if (quoted.content.data[i] == quoted.kind)
            i++; /* a doubled quote */
    }
    copy = pk_arena_dup(arena, pk_buf_slice(&plain));
    pk_buf_release(&plain);
    return copy;
}

/* ---- values ---------------------------------------------------------------------------------- */

enum pk_code traffic_rate_parse(pk_slice text, int64_t *rate, struct pk_error *err)
{
    pk_slice rest = text;
    uint64_t number = 0;

    if (take_number(&rest, TRAFFIC_RATE_MAX, &number) && number > 0 &&
        (rest.len == 0 || cmd_word_is(rest, "/s"))) {
        *rate = (int64_t)number;
        return PK_OK;
    }
    return pk_fail_at(err, PK_E_USAGE, all_of(text),
                      "a rate is 1/s to %d/s: requests a second of simulated time",
                      TRAFFIC_RATE_MAX);
}

static enum pk_code parse_hot(pk_slice text, pk_slice body, struct pk_arena *arena,
                              struct traffic_skew *skew, struct pk_error *err)
{
    pk_slice rest = body;
    pk_slice key;

    if (!take_share(&rest, &skew->hot_milli))
        return pk_fail_at(err, PK_E_USAGE, span_in(text, body),
                          "hot(p%% KEY): p%% is the key's share, up to 100%%");
    key = trim(rest);
    if (key.len == 0)
        return pk_fail_at(err, PK_E_USAGE, span_in(text, body),
                          "hot(p%% KEY): which of the keys is hot is not said");
    skew->kind = KEYGEN_HOT;
    skew->hot_key = (struct traffic_text){unquote(key, arena), span_in(text, key)};
    return PK_OK;
}

enum pk_code traffic_skew_parse(pk_slice text, struct pk_arena *arena, struct traffic_skew *skew,
                                struct pk_error *err)
{
    pk_slice body;

    *skew = (struct traffic_skew){.text = text, .kind = KEYGEN_UNIFORM};
    if (cmd_word_is(text, "uniform"))
        return PK_OK;
    if (cmd_word_is(text, "sequential")) {
        skew->kind = KEYGEN_SEQUENTIAL;
        return PK_OK;
    }
    if (take_call(text, "hot", &body))
        return parse_hot(text, body, arena, skew, err);
    if (take_call(text, "zipf", &body)) {
        pk_slice rest = body;

        skew->kind = KEYGEN_ZIPF;
        if (take_milli(&rest, &skew->zipf_milli) && rest.len == 0 &&
            skew->zipf_milli <= ZIPF_MAX_MILLI)
            return PK_OK;
        return pk_fail_at(err, PK_E_USAGE, span_in(text, body),
                          "zipf(s): s is a number from 0 to 10, such as 1.2");
    }
    return pk_fail_at(err, PK_E_USAGE, all_of(text),
                      "expected uniform, zipf(s), hot(p%% KEY) or sequential");
}

/* One part of a mix: "get 70%". */
static bool read_part(pk_slice part, unsigned *shares)
{
    pk_slice word = cmd_word_at(part, 0), rest = trim(pk_slice_skip(part, word.len));
    enum traffic_op op;
    unsigned share;

    if (!traffic_op_parse(word, &op) || !take_share(&rest, &share) || rest.len > 0 ||
        shares[op] > 0)
        return false;
    shares[op] = share;
    return true;
}

static enum pk_code parse_mix(pk_slice text, pk_slice body, unsigned *shares, struct pk_error *err)
{
    unsigned sum = 0;

    while (body.len > 0) {
        const char *comma = memchr(body.data, ',', body.len);
        size_t len = comma == NULL ? body.len : (size_t)(comma - body.data);
        pk_slice part = trim(pk_slice_of(body.data, len));

        if (!read_part(part, shares))
            return pk_fail_at(err, PK_E_USAGE, span_in(text, part),
                              "a part of mix(…) is get, put, edit or query with its share, each "
                              "once: mix(get 70%%, put 30%%)");
        body = trim(pk_slice_skip(body, comma == NULL ? len : len + 1));
    }
    for (unsigned i = 0; i < TRAFFIC_OPS; i++)
        sum += shares[i];
    if (sum == WHOLE)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, all_of(text), "the shares of mix(…) make %u.%u%%, not 100%%",
                      sum / 10, sum % 10);
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef enum pk_code take_value(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                                struct pk_error *err);

static enum pk_code take_op(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                            struct pk_error *err)
{
    enum traffic_op op;
    pk_slice body;

    (void)arena;
    memset(spec->share_milli, 0, sizeof(spec->share_milli));
    if (take_call(value, "mix", &body))
        return parse_mix(value, body, spec->share_milli, err);
    if (!traffic_op_parse(value, &op))
        return pk_fail_at(err, PK_E_USAGE, all_of(value),
                          "expected get, put, edit, query or mix(get 70%%, put 30%%)");
    spec->share_milli[op] = WHOLE;
    return PK_OK;
}

static enum pk_code take_keys(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    (void)err;
    spec->keys = (struct traffic_text){unquote(value, arena), all_of(value)};
    return PK_OK;
}

static enum pk_code take_sk(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                            struct pk_error *err)
{
    (void)err;
    spec->sk = (struct traffic_text){unquote(value, arena), all_of(value)};
    return PK_OK;
}

static enum pk_code take_rate(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    (void)arena;
    return traffic_rate_parse(value, &spec->rate, err);
}

static enum pk_code take_skew(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    return traffic_skew_parse(value, arena, &spec->skew, err);
}

static enum pk_code take_size(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    (void)arena;
    if (cmd_parse_size(value, &spec->size) && spec->size <= TRAFFIC_SIZE_MAX)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, all_of(value),
                      "an item's size is 1B to 400KB, such as 400B or 6KB");
}

static enum pk_code take_for(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                             struct pk_error *err)
{
    (void)arena;
    if (cmd_parse_duration(value, &spec->for_ms) && spec->for_ms > 0 &&
        spec->for_ms <= (uint64_t)PK_CLOCK_MAX_MS)
        return PK_OK;
    pk_fail_at(err, PK_E_USAGE, all_of(value), "expected a duration");
    pk_error_hint(err, "durations: 500ms, 2s, 15min, 48h, 30d");
    return PK_E_USAGE;
}

static enum pk_code take_seed(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    pk_slice rest = value;

    (void)arena;
    if (take_number(&rest, INT64_MAX / 10, &spec->seed) && rest.len == 0)
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, all_of(value), "a seed is a whole number");
}

static enum pk_code take_table(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                               struct pk_error *err)
{
    (void)err;
    spec->table = (struct traffic_text){unquote(value, arena), all_of(value)};
    return PK_OK;
}

static enum pk_code take_at(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                            struct pk_error *err)
{
    (void)arena;
    spec->burst = cmd_word_is(value, "second");
    if (spec->burst || cmd_word_is(value, "even"))
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, all_of(value),
                      "expected even, or second: all requests of a second at its start");
}

static enum pk_code take_walk(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                              struct pk_error *err)
{
    (void)arena;
    spec->walk_random = cmd_word_is(value, "random");
    if (spec->walk_random || cmd_word_is(value, "order"))
        return PK_OK;
    return pk_fail_at(err, PK_E_USAGE, all_of(value), "expected order or random");
}

static enum pk_code take_set(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                             struct pk_error *err)
{
    const char *colon = memchr(value.data, ':', value.len);
    struct traffic_set *set = &spec->sets[spec->set_count];

    (void)arena;
    if (spec->set_count == TRAFFIC_SETS_MAX)
        return pk_fail_at(err, PK_E_USAGE, all_of(value), "at most %d attributes can be set",
                          TRAFFIC_SETS_MAX);
    if (colon == NULL || colon == value.data)
        return pk_fail_at(err, PK_E_USAGE, all_of(value),
                          "an attribute is set by NAME:TEMPLATE, such as status:{open,held}");
    set->name = pk_slice_of(value.data, (size_t)(colon - value.data));
    if (!pk_utf8_valid(set->name))
        return pk_fail_at(err, PK_E_USAGE, span_in(value, set->name),
                          "an attribute's name is UTF-8");
    for (size_t i = 0; i < spec->set_count; i++)
        if (pk_slice_equal(spec->sets[i].name, set->name))
            return pk_fail_at(err, PK_E_USAGE, span_in(value, set->name),
                              "attribute '%.*s' is set twice", PK_FMT(set->name));
    set->template.text = pk_slice_skip(value, set->name.len + 1);
    set->template.span = span_in(value, set->template.text);
    spec->set_count++;
    return PK_OK;
}

static enum pk_code take_strong(pk_slice value, struct pk_arena *arena, struct traffic_spec *spec,
                                struct pk_error *err)
{
    (void)value;
    (void)arena;
    (void)err;
    spec->strong = true;
    return PK_OK;
}

static const struct word {
    const char *name;
    enum traffic_word bit;
    take_value *take;
} words[] = {
    {"op", TRAFFIC_WORD_OP, take_op},          {"keys", TRAFFIC_WORD_KEYS, take_keys},
    {"sk", TRAFFIC_WORD_SK, take_sk},          {"rate", TRAFFIC_WORD_RATE, take_rate},
    {"skew", TRAFFIC_WORD_SKEW, take_skew},    {"size", TRAFFIC_WORD_SIZE, take_size},
    {"for", TRAFFIC_WORD_FOR, take_for},       {"seed", TRAFFIC_WORD_SEED, take_seed},
    {"table", TRAFFIC_WORD_TABLE, take_table}, {"strong", TRAFFIC_WORD_STRONG, take_strong},
    {"walk", TRAFFIC_WORD_WALK, take_walk},    {"at", TRAFFIC_WORD_AT, take_at},
    {"set", TRAFFIC_WORD_SET, take_set},
};

static const struct word *find_word(pk_slice name, unsigned allowed)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (cmd_word_is(name, words[i].name) && (allowed & words[i].bit) != 0)
            return &words[i];
    }
    return NULL;
}

/* Where the word that begins at start ends: at the next blank outside ( ) { } and quotes. */
static size_t word_end(pk_slice text, size_t start)
{
    struct cmd_quoted quoted;
    size_t depth = 0, end = start;
    bool may_quote = true; /* where a value begins; inside, ' is a letter */

    while (end < text.len && (depth > 0 || cmd_blank_length(text, end) == 0)) {
        char c = text.data[end];

        if (may_quote && cmd_quoted_at(text, end, &quoted) && !quoted.open) {
            end = quoted.end;
            may_quote = false;
            continue;
        }
        depth += c == '(' || c == '{';
        depth -= depth > 0 && (c == ')' || c == '}');
        may_quote = c == '=' || c == '(' || c == ' ';
        end++;
    }
    return end;
}

static enum pk_code fail_word(pk_slice name, struct pk_span span, unsigned allowed,
                              struct pk_error *err)
{
    struct pk_buf list = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        bool bare = words[i].bit == TRAFFIC_WORD_STRONG;

        if ((allowed & words[i].bit) != 0)
            pk_buf_printf(&list, "%s%s%s", list.len == 0 ? "" : " ", words[i].name,
                          bare ? "" : "=");
    }
    pk_fail_at(err, PK_E_USAGE, span, "'%.*s' is no word of a traffic here", PK_FMT(name));
    pk_error_hint(err, "words: %s", list.data);
    pk_buf_release(&list);
    return PK_E_USAGE;
}

static void move_span(struct pk_span *span, size_t by)
{
    span->start += (uint32_t)by;
}

/* Values know their place in themselves only. */
static void place_values(struct traffic_spec *spec, enum traffic_word bit, size_t at)
{
    if (bit == TRAFFIC_WORD_KEYS)
        move_span(&spec->keys.span, at);
    if (bit == TRAFFIC_WORD_SK)
        move_span(&spec->sk.span, at);
    if (bit == TRAFFIC_WORD_TABLE)
        move_span(&spec->table.span, at);
    if (bit == TRAFFIC_WORD_SKEW)
        move_span(&spec->skew.hot_key.span, at);
    if (bit == TRAFFIC_WORD_SET)
        move_span(&spec->sets[spec->set_count - 1].template.span, at);
}

static enum pk_code take_word(const struct traffic_words *from, struct pk_span span,
                              struct traffic_spec *spec, struct pk_error *err)
{
    pk_slice text = from->text, whole = pk_slice_of(text.data + span.start, span.len);
    const char *equals = memchr(whole.data, '=', whole.len);
    pk_slice name = equals == NULL ? whole : pk_slice_of(whole.data, (size_t)(equals - whole.data));
    const struct word *word = find_word(name, from->allowed);
    bool bare = word != NULL && word->bit == TRAFFIC_WORD_STRONG;
    pk_slice value = pk_slice_skip(whole, name.len + (equals == NULL ? 0 : 1));
    enum pk_code rc;

    if (word == NULL || bare != (equals == NULL))
        return fail_word(name, (struct pk_span){span.start, (uint32_t)name.len}, from->allowed,
                         err);
    if ((spec->given & word->bit) != 0 && word->bit != TRAFFIC_WORD_SET)
        return pk_fail_at(err, PK_E_USAGE, span, "%s is given twice", word->name);
    if (!bare && value.len == 0)
        return pk_fail_at(err, PK_E_USAGE, span, "%s= has no value", word->name);
    spec->given |= word->bit;
    rc = word->take(value, from->arena, spec, err);
    if (rc == PK_OK)
        place_values(spec, word->bit, (size_t)(value.data - text.data));
    else
        move_span(&err->span, (size_t)(value.data - text.data));
    return rc;
}

enum pk_code traffic_spec_parse(const struct traffic_words *from, struct traffic_spec *spec,
                                struct pk_error *err)
{
    size_t pos = cmd_skip_blanks(from->text, from->start);

    *spec = (struct traffic_spec){.rate = TRAFFIC_RATE_DEFAULT,
                                  .size = TRAFFIC_SIZE_DEFAULT,
                                  .seed = 1,
                                  .skew = {.text = PK_LIT("uniform"), .kind = KEYGEN_UNIFORM}};
    while (pos < from->text.len) {
        size_t end = word_end(from->text, pos);
        struct pk_span span = {(uint32_t)pos, (uint32_t)(end - pos)};
        enum pk_code rc = take_word(from, span, spec, err);

        if (rc != PK_OK)
            return rc;
        pos = cmd_skip_blanks(from->text, end);
    }
    return PK_OK;
}
