/*
 * Values are built bottom-up. On the way down a chain of struct place on the stack remembers where
 * in the value we are, for messages that end in "under root.x[1]".
 */
#include "commands/partiql/partiql_value.h"

#include "commands/partiql/partiql_lex.h"
#include "engine/base/buf.h"
#include "engine/schema.h"

struct place {
    const struct place *up; /* NULL: the root */
    pk_slice name;          /* data NULL: an index */
    size_t index;
};

struct reader {
    const struct partiql_scope *scope;
    enum partiql_value_style style;
    struct pk_error *err;
};

static pk_slice place_text(const struct place *place, struct pk_arena *arena)
{
    if (place->up == NULL)
        return PK_LIT("root");

    pk_slice up = place_text(place->up, arena);
    if (place->name.data == NULL)
        return pk_arena_printf(arena, "%.*s[%zu]", PK_FMT(up), place->index);
    return pk_arena_printf(arena, "%.*s.%.*s", PK_FMT(up), PK_FMT(place->name));
}

/* As messages call it. */
static const char *kind_name(const struct partiql_node *node)
{
    switch (node->kind) {
    case PQ_PATH:
        return node->step_count == 1 ? "VariableReference" : "Path";
    case PQ_STRING:
        return "String";
    case PQ_NUMBER:
        return "Number";
    case PQ_BOOL:
        return "Boolean";
    case PQ_NULL:
        return "Null";
    case PQ_MISSING:
        return "MISSING";
    case PQ_PARAM:
        return "Parameter";
    case PQ_ION:
        return "Ion";
    case PQ_LIST:
        return "List";
    case PQ_BAG:
        return "Bag";
    case PQ_STRUCT:
        return "Struct";
    case PQ_CALL:
        return "CallFunction";
    case PQ_IS:
        return "IsType";
    case PQ_STAR:
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_ARITHMETIC:
    case PQ_LIKE:
    case PQ_BETWEEN:
    case PQ_IN:
        break;
    }
    return "Operator";
}

static enum pk_code read_value(const struct reader *reader, const struct partiql_node *node,
                               const struct place *place, pk_value *out);

/* "Unsupported data type: v under key root at 1:49:1" */
static enum pk_code refuse(const struct reader *reader, const struct partiql_node *node,
                           const struct place *place)
{
    const struct partiql_scope *scope = reader->scope;
    pk_slice where = place_text(place, scope->arena);
    pk_slice at = partiql_position(scope->text, node->mark, scope->arena);
    pk_slice what = partiql_text_at(scope->text, node->mark);

    if (node->kind == PQ_MISSING && reader->style == PQ_VALUE_OTHER)
        return pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                          "MISSING must be compared using IS operator");
    if (node->kind == PQ_ION)
        return pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                          "Ion Literals are not supported: SYMBOL under key %.*s at %.*s",
                          PK_FMT(where), PK_FMT(at));
    if (node->kind == PQ_CALL)
        what = node->text;
    else if (node->kind == PQ_PATH && reader->style == PQ_VALUE_INSERT && place->up == NULL)
        what = node->steps[node->step_count - 1].name.data == NULL
                   ? partiql_text_at(scope->text, node->span)
                   : node->steps[node->step_count - 1].name;
    else if (node->kind == PQ_PATH)
        what = pk_slice_cstr(kind_name(node));
    enum pk_code rc = pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                                 "Unsupported data type: %.*s under key %.*s at %.*s", PK_FMT(what),
                                 PK_FMT(where), PK_FMT(at));
    if (node->kind == PQ_PATH) {
        pk_slice name = node->steps[node->step_count - 1].name;

        pk_error_hint(reader->err, "only literals stand here; a string is written '%.*s'",
                      PK_FMT(name));
    }
    return rc;
}

static enum pk_code read_number(const struct reader *reader, const struct partiql_node *node,
                                const struct place *place, pk_value *out)
{
    struct pk_num number;
    enum pk_num_status status = partiql_number_parse(node->text, &number);

    if (status != PK_NUM_OK) {
        size_t size = node->text.len + 200;
        char *buffer = pk_arena_alloc(reader->scope->arena, size);
        pk_slice where = place_text(place, reader->scope->arena);

        return pk_fail_at(reader->err, PK_E_VALIDATION, node->span, "%s under %.*s",
                          pk_num_status_message(status, node->text, buffer, size), PK_FMT(where));
    }
    *out = pk_value_number(reader->scope->arena, &number);
    return PK_OK;
}

static enum pk_code read_members(const struct reader *reader, const struct partiql_node *node,
                                 const struct place *place, pk_value *items)
{
    for (size_t i = 0; i < node->count; i++) {
        struct place inner = {.up = place, .index = i};
        enum pk_code rc = read_value(reader, node->args[i], &inner, &items[i]);

        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static enum pk_code read_list(const struct reader *reader, const struct partiql_node *node,
                              const struct place *place, pk_value *out)
{
    pk_value *items = PK_NEW_ARRAY(reader->scope->arena, pk_value, node->count);
    enum pk_code rc = read_members(reader, node, place, items);

    if (rc == PK_OK)
        *out = pk_value_list(items, node->count);
    return rc;
}

/* The members of a string set as they were written, for the message about repeats. */
static pk_slice print_strings(struct pk_arena *arena, const pk_value *items, size_t count)
{
    struct pk_buf text = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            pk_buf_add_cstr(&text, ", ");
        pk_buf_add(&text, pk_value_bytes(items[i]));
    }
    pk_slice copy = pk_arena_dup(arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    return copy;
}

static enum pk_code refuse_empty_bag(const struct reader *reader, const struct partiql_node *node)
{
    pk_slice at = partiql_position(reader->scope->text, node->mark, reader->scope->arena);

    if (reader->style == PQ_VALUE_OTHER)
        return pk_fail_at(reader->err, PK_E_VALIDATION, node->span, "Empty bags are not supported");
    return pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                      "Empty bags are not supported at %.*s", PK_FMT(at));
}

static enum pk_code read_set(const struct reader *reader, const struct partiql_node *node,
                             const struct place *place, pk_value *out)
{
    struct pk_arena *arena = reader->scope->arena;
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, node->count + 1);
    bool repeated = false;

    if (node->count == 0)
        return refuse_empty_bag(reader, node);
    enum pk_code rc = read_members(reader, node, place, items);
    if (rc != PK_OK)
        return rc;

    enum pk_kind kind = pk_value_kind(items[0]);
    for (size_t i = 0; i < node->count; i++) {
        if (pk_value_kind(items[i]) != kind || (kind != PK_STRING && kind != PK_NUMBER))
            return pk_fail_at(reader->err, PK_E_VALIDATION, node->args[i]->span,
                              "Unsupported data type in Bag. DynamoDB only supports either "
                              "numbers or strings in bags");
    }
    pk_slice written = kind == PK_STRING ? print_strings(arena, items, node->count) : PK_LIT("");
    *out = pk_value_set(kind == PK_STRING ? PK_STRING_SET : PK_NUMBER_SET, items, node->count,
                        &repeated);
    if (!repeated)
        return PK_OK;
    if (kind == PK_NUMBER)
        return pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                          "Input collection contains duplicates");
    return pk_fail_at(reader->err, PK_E_VALIDATION, node->span,
                      "One or more parameter values were invalid: Input collection [%.*s] "
                      "contains duplicates.",
                      PK_FMT(written));
}

/* The key at args[i] of a struct, checked against those before it. */
static enum pk_code read_key(const struct reader *reader, const struct partiql_node *node, size_t i,
                             const struct place *place)
{
    const struct partiql_scope *scope = reader->scope;
    const struct partiql_node *key = node->args[i];
    pk_slice where = place_text(place, scope->arena);
    pk_slice at = partiql_position(scope->text, key->mark, scope->arena);

    if (key->kind != PQ_STRING) {
        enum pk_code rc = pk_fail_at(reader->err, PK_E_VALIDATION, key->span,
                                     "Tuple keys must be of type String. Actual type: %s under "
                                     "%.*s at %.*s",
                                     kind_name(key), PK_FMT(where), PK_FMT(at));

        if (key->kind == PQ_PATH)
            pk_error_hint(reader->err, "a key is a string in single quotes: {'%.*s': …}",
                          PK_FMT(key->steps[0].name));
        return rc;
    }
    if (key->text.len == 0)
        return pk_fail_at(reader->err, PK_E_VALIDATION, key->span,
                          "Path component cannot be an empty string");
    for (size_t before = 0; before < i; before += 2) {
        if (pk_slice_equal(node->args[before]->text, key->text))
            return pk_fail_at(reader->err, PK_E_VALIDATION, key->span,
                              "Duplicate keys in tuple. Key: %.*s under %.*s at %.*s",
                              PK_FMT(key->text), PK_FMT(where), PK_FMT(at));
    }
    return PK_OK;
}

/* place: where the struct stands; fresh: its members are roots of their own (the item of INSERT) */
static enum pk_code read_struct(const struct reader *reader, const struct partiql_node *node,
                                const struct place *place, bool fresh, pk_value *out)
{
    size_t count = node->count / 2;
    struct pk_member *members = PK_NEW_ARRAY(reader->scope->arena, struct pk_member, count);

    for (size_t i = 0; i < count; i++) {
        const struct partiql_node *value = node->args[2 * i + 1];
        enum pk_code rc = read_key(reader, node, 2 * i, place);

        if (rc != PK_OK)
            return rc;
        members[i].name = node->args[2 * i]->text;
        struct place inner = {.up = place, .name = members[i].name};
        rc = read_value(reader, value, fresh ? place : &inner, &members[i].value);
        if (rc != PK_OK)
            return rc;
    }
    *out = pk_value_map(members, count);
    return PK_OK;
}

static enum pk_code read_value(const struct reader *reader, const struct partiql_node *node,
                               const struct place *place, pk_value *out)
{
    switch (node->kind) {
    case PQ_STRING:
        *out = pk_value_string(node->text);
        return PK_OK;
    case PQ_NUMBER:
        return read_number(reader, node, place, out);
    case PQ_BOOL:
        *out = pk_value_bool(node->boolean);
        return PK_OK;
    case PQ_NULL:
        *out = pk_value_null();
        return PK_OK;
    case PQ_PARAM:
        *out = reader->scope->params[node->param];
        return PK_OK;
    case PQ_LIST:
        return read_list(reader, node, place, out);
    case PQ_BAG:
        return read_set(reader, node, place, out);
    case PQ_STRUCT:
        return read_struct(reader, node, place, false, out);
    case PQ_PATH:
    case PQ_MISSING:
    case PQ_ION:
    case PQ_CALL:
    case PQ_STAR:
    case PQ_NOT:
    case PQ_AND:
    case PQ_OR:
    case PQ_COMPARE:
    case PQ_ARITHMETIC:
    case PQ_LIKE:
    case PQ_BETWEEN:
    case PQ_IN:
    case PQ_IS:
        break;
    }
    return refuse(reader, node, place);
}

static enum pk_code check_depth(const struct partiql_node *node, size_t levels,
                                struct pk_error *err)
{
    if (levels <= PK_NESTING_MAX)
        return PK_OK;
    return pk_fail_at(err, PK_E_VALIDATION, node->span,
                      "Nesting Levels have exceeded supported limits: Attributes in the item have "
                      "nested levels beyond supported limit");
}

enum pk_code partiql_value(const struct partiql_scope *scope, const struct partiql_node *node,
                           enum partiql_value_style style, pk_value *out, struct pk_error *err)
{
    struct reader reader = {scope, style, err};
    struct place root = {0};
    enum pk_code rc = read_value(&reader, node, &root, out);

    if (rc != PK_OK)
        return rc;
    return check_depth(node, pk_value_depth(*out), err);
}

enum pk_code partiql_item(const struct partiql_scope *scope, const struct partiql_node *node,
                          pk_value *out, struct pk_error *err)
{
    struct reader reader = {scope, PQ_VALUE_INSERT, err};
    struct place root = {0};

    if (node->kind != PQ_STRUCT) {
        pk_slice at = partiql_position(scope->text, node->mark, scope->arena);

        return pk_fail_at(err, PK_E_VALIDATION, node->span,
                          "Unsupported format in item expression. Please use struct format {...} "
                          "to express item values for insert statement. at %.*s",
                          PK_FMT(at));
    }
    enum pk_code rc = read_struct(&reader, node, &root, true, out);
    if (rc != PK_OK)
        return rc;
    return check_depth(node, pk_value_depth(*out) - 1, err);
}
