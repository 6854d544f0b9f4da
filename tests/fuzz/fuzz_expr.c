/* The expression parsers on arbitrary text. The first byte picks the parameter; what parses is then
 * evaluated on an item, so that the evaluators see every shape of tree too. */
#include <stdint.h>

#include "engine/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pk_view sample_item(struct pk_arena *arena)
{
    struct pk_member members[] = {
        {PK_LIT("a"),         pk_value_int(arena,              5)},
        {PK_LIT("b"),         pk_value_string(PK_LIT("text"))},
        {PK_LIT("l"), pk_value_list(NULL,                              0)  },
        {PK_LIT("m"),  pk_value_map(NULL,                              0)},
    };

    return pk_view_of(arena, pk_value_map(members, 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct pk_placeholder names[] = {
        {.key = PK_LIT("#n"), .name = PK_LIT("a.b")}
    };
    struct pk_placeholder values[] = {{.key = PK_LIT(":v")}, {.key = PK_LIT(":s")}};
    struct pk_placeholders placeholders = {names, 1, values, 2};
    struct pk_expr_source source = {.placeholders = &placeholders, .arena = &arena};
    struct pk_node *condition;
    struct pk_key_terms terms;
    struct pk_update update;
    struct pk_projection projection;
    pk_view item = sample_item(&arena);

    if (size == 0)
        return 0;
    values[0].value = pk_view_of(&arena, pk_value_int(&arena, 1));
    values[1].value = pk_view_of(&arena, pk_value_string(PK_LIT("x")));
    source.text = pk_slice_of((const char *)data + 1, size - 1);
    source.use = (enum pk_expr_use)(data[0] % 5);
    switch (source.use) {
    case PK_EXPR_CONDITION:
    case PK_EXPR_FILTER:
        if (pk_expr_parse_condition(&source, &condition, &err) == PK_OK)
            (void)pk_expr_test(condition, item);
        break;
    case PK_EXPR_KEY_CONDITION:
        if (pk_expr_parse_key_condition(&source, &terms, &err) == PK_OK && terms.count == 0)
            pk_bug("a key condition without a term");
        break;
    case PK_EXPR_UPDATE:
        if (pk_expr_parse_update(&source, &update, &err) == PK_OK)
            pk_expr_project_targets(&update, item, &out);
        break;
    case PK_EXPR_PROJECTION:
        if (pk_expr_parse_projection(&source, &projection, &err) == PK_OK)
            pk_expr_project(&projection, item, &out);
        break;
    }
    pk_buf_release(&out);
    pk_error_release(&err);
    pk_arena_release(&arena);
    return 0;
}
