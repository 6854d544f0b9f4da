#include "commands/ddl.h"

#include "commands/wire.h"

/* More than DynamoDB accepts; its own limit has its own message. */
static const int64_t UNITS_MAX = 1000000000000;

enum clause_bit {
    CLAUSE_BILLING = 1,
    CLAUSE_MAX = 2,
    CLAUSE_STREAM = 4,
    CLAUSE_PROTECT = 8,
    CLAUSE_PROJECTION = 16,
    CLAUSE_THROUGHPUT = 32,
    CLAUSE_TTL = 64
};

struct parser {
    struct cmd_words words;
    struct pk_arena *arena;
    struct pk_table *table;
    size_t attribute_cap, index_cap;
    unsigned seen; /* clauses of the table */
};

/* An array of the arena with room for one more than count. */
static void *with_room(struct pk_arena *arena, void *list, size_t count, size_t *cap, size_t size)
{
    void *grown;

    if (count < *cap)
        return list;
    *cap = *cap == 0 ? 8 : *cap * 2;
    grown = pk_arena_calloc(arena, *cap, size);
    if (count > 0)
        memcpy(grown, list, count * size);
    return grown;
}

/* ---- words ----------------------------------------------------------------------------------- */

static enum pk_code fail_here(struct parser *parser, const char *expected, struct pk_error *err)
{
    struct pk_span span = parser->words.token.span;

    if (cmd_words_at_end(&parser->words))
        return pk_fail_at(err, PK_E_USAGE, span, "expected %s", expected);
    return pk_fail_at(err, PK_E_USAGE, span, "expected %s, found '%.*s'", expected, (int)span.len,
                      parser->words.lexer.source.data + span.start);
}

static enum pk_code next(struct parser *parser, struct pk_error *err)
{
    return cmd_words_next(&parser->words, err);
}

static bool at_punct(const struct parser *parser, const char *punct)
{
    return cmd_token_is(&parser->words.token, punct);
}

static enum pk_code expect_punct(struct parser *parser, const char *punct, const char *expected,
                                 struct pk_error *err)
{
    if (!at_punct(parser, punct))
        return fail_here(parser, expected, err);
    return next(parser, err);
}

static enum pk_code take_name(struct parser *parser, const char *what, pk_slice *name,
                              struct pk_error *err)
{
    if (cmd_words_at_end(&parser->words) || parser->words.token.kind == CMD_TOKEN_PUNCT ||
        parser->words.token.text.len == 0)
        return fail_here(parser, what, err);
    return cmd_words_take(&parser->words, what, name, err);
}

/* Marks a clause as seen; twice is an error at the current word. */
static enum pk_code once(struct parser *parser, unsigned *seen, enum clause_bit bit,
                         const char *what, struct pk_error *err)
{
    if ((*seen & (unsigned)bit) != 0)
        return pk_fail_at(err, PK_E_USAGE, parser->words.token.span, "%s is there twice", what);
    *seen |= (unsigned)bit;
    return next(parser, err);
}

enum pk_code cmd_ddl_units(struct cmd_words *words, int64_t *read, int64_t *write,
                           struct pk_error *err)
{
    enum pk_code rc = cmd_words_number(words, UNITS_MAX, read, err);

    return rc != PK_OK ? rc : cmd_words_number(words, UNITS_MAX, write, err);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* part = ATTRIBUTE type [ hash | range ] */
struct part {
    struct pk_key_attr attribute;
    struct pk_span span;
    bool hash, range; /* the word was there */
};

/* The '+' between attributes may touch its neighbours: the word is cut there. */
static enum pk_code take_type(struct parser *parser, enum pk_kind *kind, struct pk_error *err)
{
    static const struct {
        const char *word;
        enum pk_kind kind;
    } types[] = {
        {"S", PK_STRING},      {"string", PK_STRING}, {"N", PK_NUMBER},
        {"number", PK_NUMBER}, {"B", PK_BINARY},      {"binary", PK_BINARY},
    };
    struct cmd_token *token = &parser->words.token;
    const char *plus;

    if (token->kind == CMD_TOKEN_WORD) {
        plus = memchr(token->text.data, '+', token->text.len);
        if (plus != NULL && plus != token->text.data) {
            token->text.len = (size_t)(plus - token->text.data);
            token->span.len = (uint32_t)token->text.len;
            parser->words.lexer.pos = (size_t)token->span.start + token->span.len;
        }
        for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
            if (!cmd_word_is(token->text, types[i].word))
                continue;
            *kind = types[i].kind;
            return next(parser, err);
        }
    }
    fail_here(parser, "the attribute's type", err);
    pk_error_hint(err, "a key attribute is S (string), N (number) or B (binary)");
    return PK_E_USAGE;
}

/* Steps over a '+', glued to what follows or not. */
static enum pk_code skip_plus(struct parser *parser, bool *found, struct pk_error *err)
{
    const struct cmd_token *token = &parser->words.token;

    *found = token->kind == CMD_TOKEN_WORD && token->text.len > 0 && token->text.data[0] == '+';
    if (!*found)
        return PK_OK;
    parser->words.lexer.pos = (size_t)token->span.start + 1;
    return next(parser, err);
}

/* Notes the attribute among the table's definitions. */
static enum pk_code define(struct parser *parser, const struct part *part, struct pk_error *err)
{
    struct pk_table *table = parser->table;
    enum pk_kind known = pk_table_attribute_type(table, part->attribute.name);

    if (known != PK_MISSING && known != part->attribute.type)
        return pk_fail_at(
            err, PK_E_USAGE, part->span, "attribute '%.*s' is %s here and %s further up",
            PK_FMT(part->attribute.name), pk_kind_tag(part->attribute.type), pk_kind_tag(known));
    if (known != PK_MISSING)
        return PK_OK;
    table->attributes = with_room(parser->arena, table->attributes, table->attribute_count,
                                  &parser->attribute_cap, sizeof(*table->attributes));
    table->attributes[table->attribute_count++] = part->attribute;
    return PK_OK;
}

static enum pk_code parse_part(struct parser *parser, struct part *part, struct pk_error *err)
{
    enum pk_code rc;

    *part = (struct part){.span = parser->words.token.span};
    rc = take_name(parser, "the name of a key attribute", &part->attribute.name, err);
    if (rc == PK_OK)
        rc = take_type(parser, &part->attribute.type, err);
    if (rc != PK_OK)
        return rc;
    part->hash = cmd_words_is(&parser->words, "hash");
    part->range = cmd_words_is(&parser->words, "range");
    if (part->hash || part->range)
        rc = next(parser, err);
    return rc == PK_OK ? define(parser, part, err) : rc;
}

/* One side of the comma: attributes joined by '+'. */
static enum pk_code parse_side(struct parser *parser, struct part *parts, size_t *count,
                               struct pk_error *err)
{
    bool more = true;

    *count = 0;
    while (more) {
        struct pk_span span = parser->words.token.span;
        enum pk_code rc;

        if (*count == PK_KEY_PARTS_MAX)
            return pk_fail_at(err, PK_E_USAGE, span, "a key has at most %d attributes on a side",
                              PK_KEY_PARTS_MAX);
        rc = parse_part(parser, &parts[*count], err);
        if (rc == PK_OK)
            rc = skip_plus(parser, &more, err);
        if (rc != PK_OK)
            return rc;
        (*count)++;
    }
    return PK_OK;
}

static void put_side(struct pk_key_attr *to, uint8_t *to_count, const struct part *parts,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = parts[i].attribute;
    *to_count = (uint8_t)count;
}

/* The words hash and range, where given, must agree with the order, or turn it round. */
static enum pk_code check_roles(const struct part *first, size_t first_count,
                                const struct part *second, size_t second_count, bool *swapped,
                                struct pk_error *err)
{
    *swapped = first[0].range && second_count > 0 && !second[0].range;
    for (size_t i = 0; i < first_count; i++) {
        if (first[i].range != *swapped && (first[i].range || first[i].hash))
            return pk_fail_at(err, PK_E_USAGE, first[i].span,
                              "the key has no hash attribute: the partition key comes first");
    }
    for (size_t i = 0; i < second_count; i++) {
        if (second[i].hash && !*swapped)
            return pk_fail_at(err, PK_E_USAGE, second[i].span,
                              "the key has two hash attributes: the second is its sort key");
    }
    return PK_OK;
}

/* key = part { "+" part } [ "," part { "+" part } ], with its parentheses. */
static enum pk_code parse_key(struct parser *parser, struct pk_key_schema *key,
                              struct pk_error *err)
{
    struct part first[PK_KEY_PARTS_MAX], second[PK_KEY_PARTS_MAX];
    size_t first_count, second_count = 0;
    bool swapped;
    enum pk_code rc = expect_punct(parser, "(", "'(' and the key's attributes", err);

    if (rc == PK_OK)
        rc = parse_side(parser, first, &first_count, err);
    if (rc == PK_OK && at_punct(parser, ",")) {
        rc = next(parser, err);
        if (rc == PK_OK)
            rc = parse_side(parser, second, &second_count, err);
    }
    if (rc == PK_OK && at_punct(parser, ",")) {
        fail_here(parser, "')'", err);
        pk_error_hint(err, "only key attributes are declared; items have any others they like");
        return PK_E_USAGE;
    }
    if (rc == PK_OK)
        rc = expect_punct(parser, ")", "',' or ')'", err);
    if (rc == PK_OK)
        rc = check_roles(first, first_count, second, second_count, &swapped, err);
    if (rc != PK_OK)
        return rc;
    put_side(swapped ? key->range : key->hash, swapped ? &key->range_count : &key->hash_count,
             first, first_count);
    put_side(swapped ? key->hash : key->range, swapped ? &key->hash_count : &key->range_count,
             second, second_count);
    return PK_OK;
}

/* ---- indexes --------------------------------------------------------------------------------- */

static enum pk_code parse_include(struct parser *parser, struct pk_index *index,
                                  struct pk_error *err)
{
    size_t cap = 0;
    enum pk_code rc = expect_punct(parser, "(", "'(' and the attributes", err);

    while (rc == PK_OK) {
        index->include = with_room(parser->arena, index->include, index->include_count, &cap,
                                   sizeof(*index->include));
        rc = take_name(parser, "an attribute's name", &index->include[index->include_count], err);
        if (rc != PK_OK)
            return rc;
        index->include_count++;
        if (!at_punct(parser, ","))
            return expect_punct(parser, ")", "',' or ')'", err);
        rc = next(parser, err);
    }
    return rc;
}

static enum pk_code parse_projection(struct parser *parser, struct pk_index *index,
                                     struct pk_error *err)
{
    const struct cmd_words *words = &parser->words;

    if (cmd_words_is(words, "include")) {
        enum pk_code rc = next(parser, err);

        index->projection = PK_PROJECT_INCLUDE;
        return rc != PK_OK ? rc : parse_include(parser, index, err);
    }
    if (cmd_words_is(words, "all"))
        index->projection = PK_PROJECT_ALL;
    else if (cmd_words_is(words, "keys") || cmd_words_is(words, "keys_only"))
        index->projection = PK_PROJECT_KEYS_ONLY;
    else
        return fail_here(parser, "all, keys or include (…)", err);
    return next(parser, err);
}

/* The options that stand directly behind an index; what it has already is the table's. */
static enum pk_code parse_options(struct parser *parser, struct pk_index *index,
                                  struct pk_error *err)
{
    unsigned seen = 0;
    enum pk_code rc = PK_OK;

    while (rc == PK_OK) {
        const struct cmd_words *words = &parser->words;
        bool throughput = !index->local && (seen & CLAUSE_THROUGHPUT) == 0;
        bool max = !index->local && (seen & CLAUSE_MAX) == 0;

        if (cmd_words_is(words, "projection")) {
            rc = once(parser, &seen, CLAUSE_PROJECTION, "the index's projection", err);
            if (rc == PK_OK)
                rc = parse_projection(parser, index, err);
        } else if (throughput && cmd_words_is(words, "provisioned")) {
            rc = once(parser, &seen, CLAUSE_THROUGHPUT, "the index's throughput", err);
            if (rc == PK_OK)
                rc = cmd_ddl_units(&parser->words, &index->throughput.read,
                                   &index->throughput.write, err);
        } else if (max && cmd_words_is(words, "max")) {
            rc = once(parser, &seen, CLAUSE_MAX, "the index's maximum", err);
            if (rc == PK_OK)
                rc = cmd_ddl_units(&parser->words, &index->max.read, &index->max.write, err);
        } else {
            return PK_OK;
        }
    }
    return rc;
}

/* An LSI is written with its sort key alone; its partition key is the table's. */
static enum pk_code local_key(struct parser *parser, struct pk_index *index, struct pk_span span,
                              struct pk_error *err)
{
    struct pk_key_schema *key = &index->key;

    if (key->hash_count != 1 || key->range_count != 0) {
        pk_fail_at(err, PK_E_USAGE, span, "an lsi names one attribute, its sort key");
        pk_error_hint(err, "its partition key is the table's; an index with its own is a gsi");
        return PK_E_USAGE;
    }
    key->range[0] = key->hash[0];
    key->range_count = 1;
    key->hash[0] = parser->table->key.hash[0];
    return PK_OK;
}

static enum pk_code parse_index(struct parser *parser, bool local, struct pk_error *err)
{
    struct pk_table *table = parser->table;
    struct pk_index index = {.local = local, .max = {-1, -1}};
    struct pk_span span;
    enum pk_code rc = next(parser, err);

    if (rc == PK_OK)
        rc = take_name(parser, "the index's name", &index.name, err);
    span = parser->words.token.span;
    if (rc == PK_OK)
        rc = parse_key(parser, &index.key, err);
    if (rc == PK_OK && local)
        rc = local_key(parser, &index, span, err);
    if (rc == PK_OK)
        rc = parse_options(parser, &index, err);
    if (rc != PK_OK)
        return rc;
    table->indexes = with_room(parser->arena, table->indexes, table->index_count,
                               &parser->index_cap, sizeof(*table->indexes));
    table->indexes[table->index_count++] = index;
    return PK_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static enum pk_code parse_stream(struct parser *parser, struct pk_error *err)
{
    if (!cmd_words_at_end(&parser->words) &&
        cmd_ddl_read_view(parser->words.token.text, &parser->table->stream))
        return next(parser, err);
    return fail_here(parser, "keys_only, new_image, old_image or new_and_old", err);
}

static enum pk_code parse_billing(struct parser *parser, struct pk_error *err)
{
    struct pk_table *table = parser->table;
    bool on_demand = cmd_words_is(&parser->words, "on");
    enum pk_code rc =
        once(parser, &parser->seen, CLAUSE_BILLING, "how the table's capacity is billed", err);

    if (rc != PK_OK)
        return rc;
    if (on_demand) {
        if (!cmd_words_is(&parser->words, "demand"))
            return fail_here(parser, "'demand'", err);
        return next(parser, err);
    }
    table->billing = PK_PROVISIONED;
    return cmd_ddl_units(&parser->words, &table->throughput.read, &table->throughput.write, err);
}

static enum pk_code unknown_clause(struct parser *parser, struct pk_error *err)
{
    fail_here(parser, "a clause of the table or ';'", err);
    pk_error_hint(err, "clauses: on demand, provisioned R W, max R W, stream VIEW, ttl ATTR, "
                       "protect, gsi NAME (…), lsi NAME (…)");
    return PK_E_USAGE;
}

static enum pk_code parse_clause(struct parser *parser, struct pk_error *err)
{
    const struct cmd_words *words = &parser->words;
    struct pk_table *table = parser->table;
    enum pk_code rc;

    if (cmd_words_is(words, "on") || cmd_words_is(words, "provisioned"))
        return parse_billing(parser, err);
    if (cmd_words_is(words, "gsi") || cmd_words_is(words, "lsi"))
        return parse_index(parser, cmd_words_is(words, "lsi"), err);
    if (cmd_words_is(words, "max")) {
        rc = once(parser, &parser->seen, CLAUSE_MAX, "the table's maximum", err);
        return rc != PK_OK
                   ? rc
                   : cmd_ddl_units(&parser->words, &table->max.read, &table->max.write, err);
    }
    if (cmd_words_is(words, "stream")) {
        rc = once(parser, &parser->seen, CLAUSE_STREAM, "the stream", err);
        return rc != PK_OK ? rc : parse_stream(parser, err);
    }
    if (cmd_words_is(words, "ttl")) {
        table->ttl = PK_TTL_ON;
        rc = once(parser, &parser->seen, CLAUSE_TTL, "the time to live", err);
        return rc != PK_OK ? rc
                           : take_name(parser, "the attribute that says when an item expires",
                                       &table->ttl_attribute, err);
    }
    if (cmd_words_is(words, "protect")) {
        table->deletion_protection = true;
        return once(parser, &parser->seen, CLAUSE_PROTECT, "'protect'", err);
    }
    return unknown_clause(parser, err);
}

static enum pk_code parse_name(struct parser *parser, struct cmd_ddl_create *out,
                               struct pk_error *err)
{
    enum pk_code rc = PK_OK;

    if (cmd_words_is(&parser->words, "if")) {
        static const char *const rest[] = {"not", "exists"};

        out->if_not_exists = true;
        rc = next(parser, err);
        for (size_t i = 0; i < 2 && rc == PK_OK; i++) {
            if (!cmd_words_is(&parser->words, rest[i]))
                return fail_here(parser, "'if not exists'", err);
            rc = next(parser, err);
        }
    }
    if (rc != PK_OK)
        return rc;
    out->name_span = parser->words.token.span;
    return take_name(parser, "the table's name", &out->table.name, err);
}

static enum pk_code parse_table_key(struct parser *parser, struct pk_error *err)
{
    struct pk_span span = parser->words.token.span;
    struct pk_key_schema *key = &parser->table->key;
    bool ends = cmd_words_at_end(&parser->words);
    enum pk_code rc = parse_key(parser, key, err);

    if (rc != PK_OK && ends)
        pk_error_hint(err, "create table NAME (PK type [, SK type]) …;");
    if (rc == PK_OK && (key->hash_count > 1 || key->range_count > 1))
        return pk_fail_at(err, PK_E_USAGE, span,
                          "only the key of a gsi may join several attributes by '+'");
    return rc;
}

/* LSIs first, as everywhere; an index without throughput gets the table's. */
static void settle_indexes(struct parser *parser)
{
    struct pk_table *table = parser->table;
    struct pk_index *sorted = PK_NEW_ARRAY(parser->arena, struct pk_index, table->index_count);
    size_t count = 0;

    for (int local = 1; local >= 0; local--) {
        for (size_t i = 0; i < table->index_count; i++) {
            if (table->indexes[i].local == (local == 1))
                sorted[count++] = table->indexes[i];
        }
        if (local == 1)
            table->local_count = count;
    }
    for (size_t i = table->local_count; i < count; i++) {
        if (table->billing == PK_PROVISIONED && sorted[i].throughput.read == 0)
            sorted[i].throughput = table->throughput;
    }
    table->indexes = sorted;
}

enum pk_code cmd_ddl_parse(const struct cmd_statement *statement, struct pk_arena *arena,
                           struct cmd_ddl_create *out, struct pk_error *err)
{
    struct parser parser = {.arena = arena, .table = &out->table};
    enum pk_code rc;

    *out = (struct cmd_ddl_create){.table = {.billing = PK_ON_DEMAND, .max = {-1, -1}}};
    rc = cmd_words_init(&parser.words, statement, arena, err);
    if (rc == PK_OK)
        rc = parse_name(&parser, out, err);
    if (rc == PK_OK)
        rc = parse_table_key(&parser, err);
    while (rc == PK_OK && !cmd_words_at_end(&parser.words))
        rc = parse_clause(&parser, err);
    if (rc == PK_OK)
        settle_indexes(&parser);
    return rc;
}

/* "… at 'globalSecondaryIndexes.2.member.indexName' …": the second of its kind. */
static const struct pk_index *find_member(const struct pk_table *table, const char *message)
{
    static const char *const lists[] = {"globalSecondaryIndexes.", "localSecondaryIndexes."};

    for (size_t local = 0; local < 2; local++) {
        const char *at = strstr(message, lists[local]);
        size_t first = local == 1 ? 0 : table->local_count;
        size_t count = local == 1 ? table->local_count : table->index_count - table->local_count;
        size_t number = 0;

        if (at == NULL)
            continue;
        for (at += strlen(lists[local]); *at >= '0' && *at <= '9' && number < count; at++)
            number = number * 10 + (size_t)(*at - '0');
        return number >= 1 && number <= count ? &table->indexes[first + number - 1] : NULL;
    }
    return NULL;
}

/* "… index name: ggg": the last one of that name, for two of one name are an error. */
static const struct pk_index *find_named(const struct pk_table *table, const char *message)
{
    const char *colon = strrchr(message, ':');

    for (size_t i = table->index_count; i > 0 && colon != NULL && colon[1] == ' '; i--) {
        if (pk_slice_is(table->indexes[i - 1].name, colon + 2))
            return &table->indexes[i - 1];
    }
    return NULL;
}

void cmd_ddl_place(const struct cmd_ddl_create *create, pk_slice text, struct pk_error *err)
{
    const struct pk_index *index = find_member(&create->table, err->message);

    if (index == NULL)
        index = find_named(&create->table, err->message);
    if (index != NULL)
        cmd_point_at(err, text, index->name);
    if (err->span.len == 0)
        err->span = create->name_span;
}

enum pk_code cmd_ddl_parse_gsi(struct cmd_words *words, struct pk_arena *arena,
                               struct pk_table *table, struct pk_error *err)
{
    struct parser parser = {.words = *words, .arena = arena, .table = table};
    enum pk_code rc;

    parser.attribute_cap = table->attribute_count;
    parser.index_cap = table->index_count;
    rc = parse_index(&parser, false, err);
    *words = parser.words;
    if (rc == PK_OK && table->billing == PK_PROVISIONED &&
        table->indexes[table->index_count - 1].throughput.read == 0)
        table->indexes[table->index_count - 1].throughput = table->throughput;
    return rc;
}
