/*
 * The expression parsers on arbitrary text. The first byte picks the parameter; what parses is then
 * evaluated on an item, so that the evaluators see every shape of tree too. There is a placeholder
 * for a value of each type, named by its tag: :n, :ss. An error's span lies in the text.
 */
#include <stdint.h>

#include "engine/expr.h"
#include "engine/expr/expr_update.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VALUES = 10 };

static pk_value set_of(struct pk_arena *arena, enum pk_kind kind, pk_value a, pk_value b)
{
    pk_value *items = PK_NEW_ARRAY(arena, pk_value, 2);
    bool repeated;

    items[0] = a;
    items[1] = b;
    return pk_value_set(kind, items, 2, &repeated);
}

/* A value of each type; the item has them all, under their tags. */
static void sample_values(struct pk_arena *arena, struct pk_member *out)
{
    pk_value *list = PK_NEW_ARRAY(arena, pk_value, 2);
    struct pk_member *map = PK_NEW_ARRAY(arena, struct pk_member, 2);
    pk_value text = pk_value_string(PK_LIT("text")), five = pk_value_int(arena, 5);
    pk_value bytes = pk_value_binary(PK_LIT("\x00\xff"));

    list[0] = five;
    list[1] = pk_value_list(NULL, 0);
    map[0] = (struct pk_member){PK_LIT("a"), text};
    map[1] = (struct pk_member){PK_LIT("b"), pk_value_list(list, 2)};
    out[0] = (struct pk_member){PK_LIT("b"), bytes};
    out[1] = (struct pk_member){PK_LIT("bool"), pk_value_bool(true)};
    out[2] = (struct pk_member){PK_LIT("bs"),
                                set_of(arena, PK_BINARY_SET, bytes, pk_value_binary(PK_LIT("x")))};
    out[3] = (struct pk_member){PK_LIT("l"), pk_value_list(list, 2)};
    out[4] = (struct pk_member){PK_LIT("m"), pk_value_map(map, 2)};
    out[5] = (struct pk_member){PK_LIT("n"), five};
    out[6] = (struct pk_member){PK_LIT("ns"),
                                set_of(arena, PK_NUMBER_SET, five, pk_value_int(arena, -1))};
    out[7] = (struct pk_member){PK_LIT("null"), pk_value_null()};
    out[8] = (struct pk_member){PK_LIT("s"), text};
    out[9] = (struct pk_member){PK_LIT("ss"),
                                set_of(arena, PK_STRING_SET, text, pk_value_string(PK_LIT("t")))};
}

/* An update is applied, and what it makes must be an item again. */
static void apply(const struct pk_update *update, pk_view item, struct pk_arena *arena,
                  struct pk_buf *out)
{
    struct pk_error err = PK_ERROR_INIT;
    pk_value updated;

    pk_expr_project_targets(update, item, out);
    if (pk_expr_apply_update(update, arena, pk_value_map(NULL, 0), item, &updated, &err) == PK_OK &&
        !pk_view_check(pk_view_of(arena, updated)))
        pk_bug("an update makes a bad item");
    pk_error_release(&err);
}

static enum pk_code parse(const struct pk_expr_source *source, pk_view item, struct pk_buf *out,
                          struct pk_error *err)
{
    struct pk_node *condition;
    struct pk_key_terms terms;
    struct pk_update update;
    struct pk_projection projection;
    enum pk_code rc = PK_OK;

    switch (source->use) {
    case PK_EXPR_CONDITION:
    case PK_EXPR_FILTER:
        rc = pk_expr_parse_condition(source, &condition, err);
        if (rc == PK_OK)
            (void)pk_expr_test(condition, item);
        return rc;
    case PK_EXPR_KEY_CONDITION:
        rc = pk_expr_parse_key_condition(source, &terms, err);
        if (rc == PK_OK && terms.count == 0)
            pk_bug("a key condition without a term");
        return rc;
    case PK_EXPR_UPDATE:
        rc = pk_expr_parse_update(source, &update, err);
        if (rc == PK_OK)
            apply(&update, item, source->arena, out);
        return rc;
    case PK_EXPR_PROJECTION:
        rc = pk_expr_parse_projection(source, &projection, err);
        if (rc == PK_OK)
            pk_expr_project(&projection, item, out);
        return rc;
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct pk_member members[VALUES];
    struct pk_placeholder names[] = {{.key = PK_LIT("#n"), .name = PK_LIT("a.b")}};
    struct pk_placeholder values[VALUES];
    struct pk_placeholders placeholders = {names, 1, values, VALUES};
    struct pk_expr_source source = {.placeholders = &placeholders, .arena = &arena};

    if (size == 0)
        return 0;
    sample_values(&arena, members);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct pk_placeholder){
            .key = pk_arena_printf(&arena, ":%.*s", PK_FMT(members[i].name)),
            .value = pk_view_of(&arena, members[i].value)};
    source.text = pk_slice_of((const char *)data + 1, size - 1);
    source.use = (enum pk_expr_use)(data[0] % 5);
    if (parse(&source, pk_view_of(&arena, pk_value_map(members, VALUES)), &out, &err) != PK_OK &&
        (err.message == NULL || err.span.start + (size_t)err.span.len > source.text.len))
        pk_bug("a failure says what and where: %s at %u+%u", err.message, err.span.start,
               err.span.len);
    pk_buf_release(&out);
    pk_error_release(&err);
    pk_arena_release(&arena);
    return 0;
}
