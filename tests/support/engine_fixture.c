/* See the header. A fixture that cannot do its part aborts: that is a mistake of the test. */
#include "tests/support/engine_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/ops/core.h"
#include "tests/support/value_text.h"

static PK_NORETURN void die(const char *what, const char *detail)
{
    fprintf(stderr, "engine fixture: %s: %s\n", what, detail == NULL ? "" : detail);
    abort();
}

/* Opening and closing --------------------------------------------------------------------------*/

void engine_share(struct engine_fixture *fx, struct pk_engine *engine)
{
    *fx = (struct engine_fixture){.engine = engine, .items = PK_BUF_INIT};
    fx->call.arena = &fx->arena;
}

void engine_adopt(struct engine_fixture *fx, struct pk_engine *engine_take)
{
    engine_share(fx, engine_take);
    pk_clock_pause(pk_engine_clock(fx->engine));
}

static void open_with(struct engine_fixture *fx, const struct pk_engine_options *options)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_engine *engine = NULL;

    if (pk_engine_open(options, &engine, &err) != PK_OK)
        die("cannot open", err.message);
    engine_adopt(fx, engine);
}

void engine_open(struct engine_fixture *fx)
{
    open_with(fx, &(struct pk_engine_options){.memory = true, .no_ticker = true});
}

void engine_open_dir(struct engine_fixture *fx, const char *dir)
{
    open_with(fx, &(struct pk_engine_options){.dir = dir, .no_ticker = true});
}

void engine_reset(struct engine_fixture *fx)
{
    for (size_t i = 0; i < fx->expression_count; i++) {
        expr_fixture_release(fx->expressions[i]);
        free(fx->expressions[i]);
    }
    free(fx->expressions);
    fx->expressions = NULL;
    fx->expression_count = 0;
    pk_error_release(&fx->err);
    pk_buf_clear(&fx->items);
    pk_arena_clear(&fx->arena);
}

void engine_unshare(struct engine_fixture *fx)
{
    engine_reset(fx);
    pk_buf_release(&fx->items);
    pk_arena_release(&fx->arena);
}

void engine_close_unchecked(struct engine_fixture *fx)
{
    pk_engine_close(fx->engine);
    engine_unshare(fx);
}

void engine_close(struct engine_fixture *fx)
{
    engine_assert_clean(fx);
    engine_close_unchecked(fx);
}

struct first_line {
    struct pk_arena *arena;
    const char *text;
};

static void keep_first(void *context, const char *text)
{
    struct first_line *first = context;

    if (*first->text == '\0')
        first->text = pk_arena_dup(first->arena, pk_slice_cstr(text)).data;
}

uint64_t engine_faults(struct engine_fixture *fx, const char **first)
{
    struct first_line line = {&fx->arena, ""};
    struct pk_check_result result;

    pk_error_release(&fx->err);
    if (pk_engine_check(fx->engine, &fx->call, (struct pk_check_report){keep_first, &line}, &result,
                        &fx->err) != PK_OK)
        die("the check fails", fx->err.message);
    *first = line.text;
    return result.faults;
}

void engine_assert_clean(struct engine_fixture *fx)
{
    const char *first;

    if (engine_faults(fx, &first) != 0)
        die("the check finds", first);
}

void engine_throttle_off(struct engine_fixture *fx)
{
    struct pk_sim_settings settings;

    pk_engine_settings(fx->engine, &settings);
    settings.throttle = PK_THROTTLING_OFF;
    if (pk_engine_set_settings(fx->engine, &settings, &fx->err) != PK_OK)
        pk_bug("throttle: %s", fx->err.message);
}

void engine_set_collection_limit(struct engine_fixture *fx, uint64_t bytes)
{
    fx->engine->collection_bytes_max = bytes;
}

/* Tables ---------------------------------------------------------------------------------------*/

/* The next word of a statement; false at its end. */
static bool next_word(pk_slice *text, pk_slice *word)
{
    while (text->len > 0 && *text->data == ' ')
        *text = pk_slice_skip(*text, 1);
    word->data = text->data;
    word->len = 0;
    while (word->len < text->len && text->data[word->len] != ' ')
        word->len++;
    *text = pk_slice_skip(*text, word->len);
    return word->len > 0;
}

static pk_slice cut(pk_slice *text, char at)
{
    pk_slice head = {text->data, 0};

    while (head.len < text->len && text->data[head.len] != at)
        head.len++;
    *text = pk_slice_skip(*text, head.len + 1);
    return head;
}

/* What is being built; arrays with room enough. */
struct defining {
    struct pk_table_spec *spec;
    struct pk_arena *arena;
    struct pk_key_attr *attributes;
    struct pk_index_spec *locals;
    struct pk_index_spec *globals;
};

enum { ROOM = 32 };

/* "a:S+b:N" as key elements of one kind. */
static void add_keys(struct defining *to, pk_slice word, bool range, struct pk_key_element *keys,
                     size_t *count)
{
    while (word.len > 0) {
        pk_slice one = cut(&word, '+');
        pk_slice name = cut(&one, ':');
        bool known = false;

        keys[*count].name = name;
        keys[(*count)++].range = range;
        for (size_t i = 0; i < to->spec->attribute_count; i++)
            known = known || pk_slice_equal(to->attributes[i].name, name);
        if (!known)
            to->attributes[to->spec->attribute_count++] =
                (struct pk_key_attr){name, pk_kind_from_tag(one)};
    }
}

static bool take_throughput(pk_slice word, struct pk_throughput *throughput)
{
    if (!pk_slice_starts(word, PK_LIT("provisioned=")))
        return false;
    word = pk_slice_skip(word, 12);
    throughput->read = strtoll(word.data, NULL, 10);
    cut(&word, '/');
    throughput->write = strtoll(word.data, NULL, 10);
    return true;
}

static void take_include(struct defining *to, pk_slice names, struct pk_index_spec *index)
{
    pk_slice *include = PK_NEW_ARRAY(to->arena, pk_slice, 128);

    index->projection = PK_PROJECT_INCLUDE;
    index->include_given = true;
    while (names.len > 0)
        include[index->include_count++] = cut(&names, ',');
    index->include = include;
}

static void define_index(struct defining *to, pk_slice text, bool local)
{
    struct pk_index_spec *index =
        local ? &to->locals[to->spec->local_count++] : &to->globals[to->spec->global_count++];
    struct pk_key_element *keys = PK_NEW_ARRAY(to->arena, struct pk_key_element, ROOM);
    pk_slice word;

    index->local = local;
    index->max = (struct pk_max_throughput){-1, -1};
    next_word(&text, &index->name);
    if (local)
        keys[index->key_count++].name = to->spec->keys[0].name;
    index->keys = keys;
    index->projection_given = true;
    index->projection_type_given = true;
    while (next_word(&text, &word)) {
        if (take_throughput(word, &index->throughput))
            index->throughput_given = true;
        else if (pk_slice_is(word, "all"))
            index->projection = PK_PROJECT_ALL;
        else if (pk_slice_is(word, "keys"))
            index->projection = PK_PROJECT_KEYS_ONLY;
        else if (pk_slice_starts(word, PK_LIT("include=")))
            take_include(to, pk_slice_skip(word, 8), index);
        else
            add_keys(to, word, index->key_count > 0, keys, &index->key_count);
    }
}

static void define_table(struct defining *to, pk_slice name, pk_slice text)
{
    struct pk_key_element *keys = PK_NEW_ARRAY(to->arena, struct pk_key_element, ROOM);
    pk_slice word;

    to->spec->name = name;
    to->spec->keys = keys;
    while (next_word(&text, &word)) {
        if (take_throughput(word, &to->spec->throughput)) {
            to->spec->throughput_given = true;
            to->spec->billing = PK_PROVISIONED;
        } else {
            add_keys(to, word, to->spec->key_count > 0, keys, &to->spec->key_count);
        }
    }
}

struct pk_table_spec engine_spec(struct engine_fixture *fx, const char *text)
{
    struct pk_table_spec spec = {.billing = PK_ON_DEMAND, .max = {-1, -1}};
    struct defining to = {
        .spec = &spec,
        .arena = &fx->arena,
        .attributes = PK_NEW_ARRAY(&fx->arena, struct pk_key_attr, ROOM),
        .locals = PK_NEW_ARRAY(&fx->arena, struct pk_index_spec, ROOM),
        .globals = PK_NEW_ARRAY(&fx->arena, struct pk_index_spec, ROOM),
    };
    pk_slice rest = pk_arena_dup(&fx->arena, pk_slice_cstr(text));

    spec.attributes = to.attributes;
    spec.locals = to.locals;
    spec.globals = to.globals;
    while (rest.len > 0) {
        pk_slice statement = cut(&rest, ';');
        pk_slice word;

        if (!next_word(&statement, &word))
            continue;
        if (pk_slice_is(word, "lsi") || pk_slice_is(word, "gsi"))
            define_index(&to, statement, pk_slice_is(word, "lsi"));
        else
            define_table(&to, word, statement);
    }
    spec.locals_given = spec.local_count > 0;
    spec.globals_given = spec.global_count > 0;
    return spec;
}

void engine_table(struct engine_fixture *fx, const char *text)
{
    struct pk_table_spec spec = engine_spec(fx, text);
    struct pk_table *table = NULL;

    pk_error_release(&fx->err);
    if (pk_engine_create_table(fx->engine, &spec, &table, &fx->err) != PK_OK)
        die(text, fx->err.message);
    pk_table_unref(table);
}

/* Writes ---------------------------------------------------------------------------------------*/

/* The expressions of a call share one set of placeholders; they live as long as the fixture. */
static struct expr_fixture *expressions(struct engine_fixture *fx, const char *values)
{
    struct expr_fixture *expr = pk_malloc(sizeof(*expr));

    expr_fixture_init(expr, NULL, values);
    fx->expressions =
        pk_realloc(fx->expressions, fx->expression_count + 1, sizeof(struct expr_fixture *));
    fx->expressions[fx->expression_count++] = expr;
    return expr;
}

struct pk_write engine_write_of(struct engine_fixture *fx, const struct write_text *text)
{
    struct pk_write write = {
        .kind = text->kind,
        .table = pk_slice_cstr(text->table),
        .item = value_text_parse(&fx->arena, text->item),
        .insert = text->insert,
        .item_on_failure = text->item_on_failure,
    };
    struct expr_fixture *expr;

    if (text->update == NULL && text->condition == NULL)
        return write;
    expr = expressions(fx, text->values);
    if (text->update != NULL) {
        struct pk_update *update = PK_NEW(&fx->arena, struct pk_update);

        *update = expr_fixture_update(expr, text->update);
        write.update = update;
    }
    if (text->condition != NULL)
        write.condition = expr_fixture_condition(expr, text->condition);
    return write;
}

enum pk_code engine_write(struct engine_fixture *fx, const struct write_text *text)
{
    struct pk_write write = engine_write_of(fx, text);

    pk_error_release(&fx->err);
    return pk_engine_write(fx->engine, &fx->call, &write, &fx->write, &fx->err);
}

enum pk_code engine_put(struct engine_fixture *fx, const char *table, const char *item)
{
    return engine_write(fx,
                        &(struct write_text){.kind = PK_WRITE_PUT, .table = table, .item = item});
}

enum pk_code engine_delete(struct engine_fixture *fx, const char *table, const char *key)
{
    return engine_write(fx,
                        &(struct write_text){.kind = PK_WRITE_DELETE, .table = table, .item = key});
}

enum pk_code engine_update(struct engine_fixture *fx, const char *table, const char *key,
                           const char *update, const char *values)
{
    return engine_write(fx, &(struct write_text){.kind = PK_WRITE_UPDATE,
                                                 .table = table,
                                                 .item = key,
                                                 .update = update,
                                                 .values = values});
}

/* Reads ----------------------------------------------------------------------------------------*/

enum pk_code engine_get(struct engine_fixture *fx, const char *table, const char *key)
{
    struct pk_get get = {.table = pk_slice_cstr(table),
                         .key = value_text_parse(&fx->arena, key),
                         .consistent = true};

    pk_error_release(&fx->err);
    fx->get = (struct pk_get_result){0};
    return pk_engine_get(fx->engine, &fx->call, &get, &fx->get, &fx->err);
}

static enum pk_code collect(void *context, pk_view item, struct pk_error *err)
{
    struct engine_fixture *fx = context;

    (void)err;
    pk_buf_add_cstr(&fx->items, value_text_print_view(&fx->arena, item));
    pk_buf_add_byte(&fx->items, '\n');
    return PK_OK;
}

static void parse_read(struct engine_fixture *fx, const struct read_text *text,
                       struct pk_read *read)
{
    struct expr_fixture *expr = expressions(fx, text->values);

    if (text->key != NULL) {
        struct pk_key_terms *terms = PK_NEW(&fx->arena, struct pk_key_terms);

        *terms = expr_fixture_key_terms(expr, text->key);
        read->key_terms = terms;
    }
    if (text->filter != NULL)
        read->filter = expr_fixture_condition(expr, text->filter);
    if (text->projection != NULL) {
        struct pk_projection *projection = PK_NEW(&fx->arena, struct pk_projection);

        *projection = expr_fixture_projection(expr, text->projection);
        read->projection = projection;
    }
}

enum pk_code engine_read(struct engine_fixture *fx, const struct read_text *text)
{
    pk_slice index = pk_slice_cstr(text->from);
    struct pk_read read = {
        .table = cut(&index, '.'),
        .select = text->select,
        .limit = text->limit,
        .backward = text->backward,
        .consistent = text->consistent,
        .segment = text->segment,
        .total_segments = text->total_segments,
        .sink = {collect, fx},
    };

    if (index.len > 0)
        read.index = index;
    if (text->start != NULL)
        read.start_key = value_text_parse(&fx->arena, text->start);
    parse_read(fx, text, &read);
    pk_error_release(&fx->err);
    pk_buf_clear(&fx->items);
    return text->key != NULL ? pk_engine_query(fx->engine, &fx->call, &read, &fx->read, &fx->err)
                             : pk_engine_scan(fx->engine, &fx->call, &read, &fx->read, &fx->err);
}

/* Looking at results ---------------------------------------------------------------------------*/

const char *engine_message(const struct engine_fixture *fx)
{
    return fx->err.message == NULL ? "" : fx->err.message;
}

int64_t engine_write_cost(const struct engine_fixture *fx)
{
    return pk_cost_total(&fx->write.cost);
}

int64_t engine_read_cost(const struct engine_fixture *fx)
{
    return pk_cost_total(&fx->read.cost);
}

int64_t engine_index_cost(const struct pk_cost *cost, const char *index)
{
    for (size_t i = 0; i < cost->index_count; i++) {
        if (pk_slice_is(cost->indexes[i].name, index))
            return cost->indexes[i].milli;
    }
    return 0;
}

pk_value engine_value(struct engine_fixture *fx, const char *text)
{
    return value_text_parse(&fx->arena, text);
}

const char *engine_item(struct engine_fixture *fx)
{
    return value_text_print_view(&fx->arena, fx->get.item);
}

const char *engine_items(const struct engine_fixture *fx)
{
    return fx->items.data == NULL ? "" : fx->items.data;
}

const char *engine_text(struct engine_fixture *fx, size_t n)
{
    char *text = pk_arena_alloc(&fx->arena, n + 3);

    memset(text, 'a', n + 2);
    text[0] = '\'';
    text[n + 1] = '\'';
    text[n + 2] = '\0';
    return text;
}

const char *engine_format(struct engine_fixture *fx, const char *format, ...)
{
    va_list args;
    pk_slice text;

    va_start(args, format);
    text = pk_arena_vprintf(&fx->arena, format, args);
    va_end(args);
    return text.data;
}
