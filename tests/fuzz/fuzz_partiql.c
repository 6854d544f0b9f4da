/* PartiQL on arbitrary text: lexer, parser, planner, explanation and native request, against a
 * table with an index. */
#include <cjson/cJSON.h>
#include <stdint.h>

#include "commands/partiql.h"
#include "commands/partiql/partiql_exec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pk_index indexes[] = {
    {.name = {"gsi", 3},
     .key = {.hash = {{{"g", 1}, PK_STRING}}, .hash_count = 1},
     .projection = PK_PROJECT_KEYS_ONLY},
};
static struct pk_key_attr attributes[] = {
    {{"p", 1}, PK_STRING},
    {{"r", 1}, PK_NUMBER},
    {{"g", 1}, PK_STRING},
};
static const struct pk_table table = {
    .name = {"tbl", 3},
    .key = {.hash = {{{"p", 1}, PK_STRING}},
            .range = {{{"r", 1}, PK_NUMBER}},
            .hash_count = 1,
            .range_count = 1},
    .attributes = attributes,
    .attribute_count = 3,
    .indexes = indexes,
    .index_count = 1,
};

/* Every name is a table. */
static enum pk_code lookup(void *context, pk_slice name, const struct pk_table **out,
                           struct pk_error *err)
{
    (void)context;
    (void)name;
    (void)err;
    *out = &table;
    return PK_OK;
}

/* Conditions of the plan are tested on an item, so that evaluation sees every shape of tree. */
static void test_item(const struct partiql_plan *plan, struct pk_arena *arena)
{
    struct pk_member members[] = {
        {{"p", 1}, pk_value_string(PK_LIT("a"))},
        {{"r", 1}, pk_value_int(arena, 1)},
        {{"l", 1}, pk_value_list(NULL, 0)},
    };
    pk_view item = pk_view_of(arena, pk_value_map(members, 3));
    struct pk_buf out = PK_BUF_INIT;

    if (plan->filter != NULL)
        (void)pk_expr_test(plan->filter, item);
    if (plan->condition != NULL)
        (void)pk_expr_test(plan->condition, item);
    for (size_t i = 0; i < plan->group_count; i++) {
        if (plan->groups[i].filter != NULL)
            (void)pk_expr_test(plan->groups[i].filter, item);
    }
    partiql_row(plan, item, &out);
    pk_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct partiql_schema_source schema = {lookup, NULL};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct partiql_explanation explanation;
    pk_slice text = pk_slice_of((const char *)data, size);

    if (partiql_explain(&schema, text, &arena, &explanation, &err) == PK_OK) {
        for (size_t i = 0; i < explanation.requests; i++) {
            cJSON *request = NULL;

            (void)partiql_native_request(&explanation, i, &arena, &request);
            cJSON_Delete(request);
        }
        test_item(explanation.plan, &arena);
    } else if (err.message == NULL || err.span.start > size || err.span.len > size) {
        __builtin_trap(); /* every failure says what and where */
    }
    pk_error_release(&err);
    pk_arena_release(&arena);
    return 0;
}
