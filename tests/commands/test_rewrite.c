#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "commands/language/rewrite.h"

enum grammar { CONDITION, PATHS, UPDATE };

struct row {
    const char *input;
    const char *text;   /* the API's expression, or "! message @start+len" */
    const char *values; /* of the placeholders, as JSON; NULL: none */
};

/* An update is written with its word first: set … */
static enum pk_code rewrite(struct cmd_rewriter *rewriter, enum grammar grammar, const char *input,
                            struct cmd_expression *out, struct pk_error *err)
{
    struct pk_span all = {0, (uint32_t)strlen(input)};
    struct cmd_section section = {"SET", {0, 3}, {4, all.len - 4}};

    if (grammar == CONDITION)
        return cmd_rewrite_condition(rewriter, all, out, err);
    if (grammar == PATHS)
        return cmd_rewrite_paths(rewriter, all, out, err);
    return cmd_rewrite_update(rewriter, &section, 1, out, err);
}

static void check_row(const struct row *row, enum grammar grammar)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    struct cmd_expression expression;
    struct cmd_rewriter rewriter;
    cJSON *request = cJSON_CreateObject();

    cmd_rewriter_init(&rewriter, pk_slice_cstr(row->input), &arena);
    if (rewrite(&rewriter, grammar, row->input, &expression, &err) != PK_OK)
        pk_buf_printf(&out, "! %s @%u+%u", err.message, err.span.start, err.span.len);
    else
        pk_buf_add(&out, expression.text);
    pk_buf_add_byte(&out, '\0');
    cr_expect_str_eq(out.data, row->text, "%s\n  gives %s\n  not   %s", row->input, out.data,
                     row->text);
    if (row->values != NULL) {
        char *json;

        cmd_rewriter_attach(&rewriter, request);
        json = cJSON_PrintUnformatted(
            cJSON_GetObjectItemCaseSensitive(request, "ExpressionAttributeValues"));
        cr_expect_str_eq(json, row->values, "%s: %s", row->input, json);
        cJSON_free(json);
    }
    cJSON_Delete(request);
    pk_buf_release(&out);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

static void check(const struct row *rows, size_t count, enum grammar grammar)
{
    for (size_t i = 0; i < count; i++)
        check_row(&rows[i], grammar);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(rewrite, conditions)
{
    static const struct row rows[] = {
        {"total > 20", "#total > :v1", "{\":v1\":{\"N\":\"20\"}}"},
        {"a = 'x' and b != \"y\"", "#a = :v1 and #b <> :v2",
         "{\":v1\":{\"S\":\"x\"},\":v2\":{\"S\":\"y\"}}"},
        {"a=-5 OR NOT(b<>+1)", "#a = :v1 OR NOT (#b <> :v2)",
         "{\":v1\":{\"N\":\"-5\"},\":v2\":{\"N\":\"1\"}}"},
        {"a between 1 and 2 and b in (1,2)", "#a between :v1 and :v2 and #b in (:v3, :v4)", NULL},
        {"m.x[0].`y z` = true", "#m.#x[0].#n3 = :v1", "{\":v1\":{\"BOOL\":true}}"},
        {"a = null", "#a = :v1", "{\":v1\":{\"NULL\":true}}"},
        {"a = <<1,2>>", "#a = :v1", "{\":v1\":{\"NS\":[\"1\",\"2\"]}}"},
        {"a = {b: [c, 1]}", "#a = :v1",
         "{\":v1\":{\"M\":{\"b\":{\"L\":[{\"S\":\"c\"},{\"N\":\"1\"}]}}}}"},
        {"a = [1]", "#a = :v1", "{\":v1\":{\"L\":[{\"N\":\"1\"}]}}"},
        {"a = b64'AAE='", "#a = :v1", "{\":v1\":{\"B\":\"AAE=\"}}"},
        {"ATTRIBUTE_EXISTS(a) and size(b) > 1", "attribute_exists(#a) and size(#b) > :v1", NULL},
        {"begins_with(SK, 'O#')", "begins_with(#SK, :v1)", "{\":v1\":{\"S\":\"O#\"}}"},
        {"PK = 'a' and SK BEGINS_WITH(\"x\")", "#PK = :v1 and begins_with(#SK, :v2)",
         "{\":v1\":{\"S\":\"a\"},\":v2\":{\"S\":\"x\"}}"},
        {"SK begins_with 'x' and a = 1", "begins_with(#SK, :v1) and #a = :v2", NULL},
        {"a.b begins_with 'x'", "begins_with(#a.#b, :v1)", NULL},
        {"a = b", "#a = #b", NULL},
        {"((a = 1))", "((#a = :v1))", NULL},
        {"status = 'x' and status = 'y'", "#status = :v1 and #status = :v2", NULL},
        {"a = =", "#a = =", NULL},
        {"foo(a)", "foo(#a)", NULL},
        /* errors of our own */
        {"a == 1", "! there is no operator '==' @2+2", NULL},
        {"a is null", "! there is no operator 'is' @2+2", NULL},
        {"a like 'x%'", "! there is no operator 'like' @2+4", NULL},
        {"a contains 'x'", "! there is no operator 'contains' @2+8", NULL},
        {"GSI1-PK = 1", "! there is no arithmetic in conditions @4+1", NULL},
        {"a['b'] = 1", "! a list's index is a number @2+3", NULL},
        {"a[x] = 1", "! expected a list's index @2+1", NULL},
        {"a[0 = 1", "! expected ']' @4+1", NULL},
        {"a = 'x", "! ' is never closed @4+1", NULL},
        {"a begins_with 5", "! expected a string after begins_with @14+1", NULL},
        {"a = {b: 1", "! expected ',' or '}', found the end @9+0", NULL},
        {"a ; b", "! unexpected ';' @2+1", NULL},
    };

    check(rows, COUNT(rows), CONDITION);
}

Test(rewrite, paths)
{
    static const struct row rows[] = {
        {"a, b.c[0], `d e`", "#a, #b.#c[0], #n4", NULL},
        {"true, null", "#true, #null", NULL},
        {"a.`b.c`", "#a.#n2", NULL},
    };

    check(rows, COUNT(rows), PATHS);
}

Test(rewrite, updates)
{
    static const struct row rows[] = {
        {"set a = a + 1, b.c = 'x'", "SET #a = #a + :v1, #b.#c = :v2", NULL},
        {"set a = if_not_exists(a, 0) - -1", "SET #a = if_not_exists(#a, :v1) - :v2",
         "{\":v1\":{\"N\":\"0\"},\":v2\":{\"N\":\"-1\"}}"},
        {"set l = list_append(l, [1, 'a'])", "SET #l = list_append(#l, :v1)", NULL},
        {"set a-1", "SET #a - :v1", NULL},
        {"set l[3] = {a: 1}", "SET #l[3] = :v1", NULL},
        {"set a = -5", "SET #a = :v1", "{\":v1\":{\"N\":\"-5\"}}"},
    };

    check(rows, COUNT(rows), UPDATE);
}

Test(rewrite, spans_lead_back)
{
    static const char input[] = "total  >  20 and `a b` = 'x' and SK begins_with 'y'";
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_rewriter rewriter;
    struct cmd_expression e;
    static const struct {
        const char *api;
        const char *source;
    } rows[] = {
        {"#total", "total"}, {":v1", "20"},
        {"> :v1", ">  20"},  {"#n2", "`a b`"},
        {":v2", "'x'"},      {"#n2 = :v2", "`a b` = 'x'"},
        {"#SK", "SK"},       {"begins_with", "begins_with"},
        {":v3", "'y'"},
    };

    cmd_rewriter_init(&rewriter, pk_slice_cstr(input), &arena);
    cr_assert_eq(cmd_rewrite_condition(&rewriter, (struct pk_span){0, sizeof(input) - 1}, &e, &err),
                 PK_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *found = strstr(e.text.data, rows[i].api);
        struct pk_span source;

        cr_assert(found != NULL, "%s is not in %s", rows[i].api, e.text.data);
        source = cmd_expression_source(
            &e, (struct pk_span){(uint32_t)(found - e.text.data), (uint32_t)strlen(rows[i].api)});
        cr_expect_eq(source.len, strlen(rows[i].source), "%s: %.*s", rows[i].api, (int)source.len,
                     input + source.start);
        cr_expect(strncmp(input + source.start, rows[i].source, source.len) == 0, "%s: %.*s",
                  rows[i].api, (int)source.len, input + source.start);
    }
    pk_arena_release(&arena);
}

Test(rewrite, mentions)
{
    static const char input[] = "a = 'x' and b.c = d and contains(e, f)";
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_rewriter rewriter;
    struct cmd_expression e;

    cmd_rewriter_init(&rewriter, pk_slice_cstr(input), &arena);
    cr_assert_eq(cmd_rewrite_condition(&rewriter, (struct pk_span){0, sizeof(input) - 1}, &e, &err),
                 PK_OK);
    cr_assert_eq(e.mention_count, 5);
    cr_expect(e.mentions[0].equals && e.mentions[0].literal.start == 4);
    cr_expect(!e.mentions[0].right && e.mentions[0].bare);
    cr_expect(!e.mentions[1].bare && e.mentions[1].span.len == 3);
    cr_expect(e.mentions[2].right && e.mentions[2].bare && !e.mentions[2].function);
    cr_expect(e.mentions[3].function && e.mentions[4].function);
    pk_arena_release(&arena);
}

Test(rewrite, readable_placeholders_never_clash)
{
    static const char input[] = "`a b` = 1 and n1 = 2 and n2 = 3 and `c d` = 4";
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_rewriter rewriter;
    struct cmd_expression e;

    cmd_rewriter_init(&rewriter, pk_slice_cstr(input), &arena);
    cr_assert_eq(cmd_rewrite_condition(&rewriter, (struct pk_span){0, sizeof(input) - 1}, &e, &err),
                 PK_OK);
    cr_assert_eq(rewriter.name_count, 4);
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < i; k++)
            cr_expect_not(pk_slice_equal(rewriter.names[i].key, rewriter.names[k].key), "%.*s",
                          PK_FMT(rewriter.names[i].key));
    }
    pk_arena_release(&arena);
}
