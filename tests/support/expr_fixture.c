/* Rows of expression tests: placeholders from text, parses that must or may fail. */
#include "tests/support/expr_fixture.h"

#include "tests/support/value_text.h"

static void read_names(struct expr_fixture *fixture, const char *names)
{
    struct pk_placeholders *all = &fixture->placeholders;

    all->names = PK_NEW_ARRAY(&fixture->arena, struct pk_placeholder, strlen(names) + 1);
    while (*names != '\0') {
        struct pk_placeholder *entry = &all->names[all->name_count++];

        entry->key = pk_slice_of(names, strcspn(names, "="));
        names += entry->key.len + 1;
        entry->name = pk_slice_of(names, strcspn(names, " "));
        names += entry->name.len;
        names += *names == ' ';
    }
}

/* Keys are written without their colon, which ends a name in the notation. */
static void read_values(struct expr_fixture *fixture, const char *values)
{
    struct pk_placeholders *all = &fixture->placeholders;
    pk_value map = value_text_parse(&fixture->arena, values);

    all->values = PK_NEW_ARRAY(&fixture->arena, struct pk_placeholder, map.len);
    for (uint32_t i = 0; i < map.len; i++) {
        struct pk_placeholder *entry = &all->values[all->value_count++];

        entry->key = pk_arena_printf(&fixture->arena, ":%.*s", PK_FMT(map.u.members[i].name));
        entry->value = pk_view_of(&fixture->arena, map.u.members[i].value);
    }
}

void expr_fixture_init(struct expr_fixture *fixture, const char *names, const char *values)
{
    memset(fixture, 0, sizeof(*fixture));
    if (names != NULL)
        read_names(fixture, names);
    if (values != NULL)
        read_values(fixture, values);
}

void expr_fixture_release(struct expr_fixture *fixture)
{
    pk_arena_release(&fixture->arena);
    pk_error_release(&fixture->err);
}

struct pk_expr_source expr_fixture_source(struct expr_fixture *fixture, enum pk_expr_use use,
                                          const char *text)
{
    return (struct pk_expr_source){use, pk_slice_cstr(text), &fixture->placeholders,
                                   &fixture->arena};
}

static void must(struct expr_fixture *fixture, enum pk_code rc, const char *text)
{
    if (rc != PK_OK)
        pk_bug("%s: %s", text, fixture->err.message);
}

struct pk_node *expr_fixture_condition(struct expr_fixture *fixture, const char *text)
{
    struct pk_expr_source source = expr_fixture_source(fixture, PK_EXPR_CONDITION, text);
    struct pk_node *node = NULL;

    must(fixture, pk_expr_parse_condition(&source, &node, &fixture->err), text);
    return node;
}

struct pk_update expr_fixture_update(struct expr_fixture *fixture, const char *text)
{
    struct pk_expr_source source = expr_fixture_source(fixture, PK_EXPR_UPDATE, text);
    struct pk_update update = {NULL, 0, false};

    must(fixture, pk_expr_parse_update(&source, &update, &fixture->err), text);
    return update;
}

struct pk_projection expr_fixture_projection(struct expr_fixture *fixture, const char *text)
{
    struct pk_expr_source source = expr_fixture_source(fixture, PK_EXPR_PROJECTION, text);
    struct pk_projection projection = {NULL, 0};

    must(fixture, pk_expr_parse_projection(&source, &projection, &fixture->err), text);
    return projection;
}

struct pk_key_terms expr_fixture_key_terms(struct expr_fixture *fixture, const char *text)
{
    struct pk_expr_source source = expr_fixture_source(fixture, PK_EXPR_KEY_CONDITION, text);
    struct pk_key_terms terms = {NULL, 0};

    must(fixture, pk_expr_parse_key_condition(&source, &terms, &fixture->err), text);
    return terms;
}

const char *expr_fixture_message(struct expr_fixture *fixture, enum pk_expr_use use,
                                 const char *text)
{
    struct pk_expr_source source = expr_fixture_source(fixture, use, text);
    struct pk_projection projection;
    struct pk_key_terms terms;
    struct pk_update update;
    struct pk_node *node;
    enum pk_code rc = PK_OK;

    switch (use) {
    case PK_EXPR_UPDATE:
        rc = pk_expr_parse_update(&source, &update, &fixture->err);
        break;
    case PK_EXPR_KEY_CONDITION:
        rc = pk_expr_parse_key_condition(&source, &terms, &fixture->err);
        break;
    case PK_EXPR_CONDITION:
    case PK_EXPR_FILTER:
        rc = pk_expr_parse_condition(&source, &node, &fixture->err);
        break;
    case PK_EXPR_PROJECTION:
        rc = pk_expr_parse_projection(&source, &projection, &fixture->err);
        break;
    }
    return rc == PK_OK ? "" : fixture->err.message;
}
