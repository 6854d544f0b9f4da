/* AttributeValues from JSON and back: forms, order, faults that the vectors cannot carry. */
#include <criterion/criterion.h>

#include "commands/api/api_json.h"
#include "commands/api/api_value.h"
#include "commands/api/json_out.h"

/* One JSON text, parsed and read as an item. */
struct reading {
    struct pk_arena arena;
    struct pk_error err;
    pk_value item;
    enum pk_code rc;
};

static void read_item(struct reading *reading, pk_slice json)
{
    const struct cJSON *root = NULL;

    *reading = (struct reading){.arena = PK_ARENA_INIT, .err = PK_ERROR_INIT};
    cr_assert_eq(api_json_parse(&reading->arena, json, &root, &reading->err), PK_OK);
    reading->rc = api_value_read_item(&reading->arena, root, &reading->item, &reading->err);
}

static void release(struct reading *reading)
{
    pk_error_release(&reading->err);
    pk_arena_release(&reading->arena);
}

static const struct {
    const char *in;
    const char *out;
} forms[] = {
    {"{}", "{}"},
    {"{\"b\":{\"S\":\"x\"},\"a\":{\"S\":\"\"}}", "{\"a\":{\"S\":\"\"},\"b\":{\"S\":\"x\"}}"},
    {"{\"a\":{\"N\":\"-00012.500\"}}", "{\"a\":{\"N\":\"-12.5\"}}"},
    {"{\"a\":{\"N\":\"1e3\",\"S\":null,\"Q\":5}}", "{\"a\":{\"N\":\"1000\"}}"},
    {"{\"a\":{\"B\":\"AQID\"},\"b\":{\"B\":\"\"}}", "{\"a\":{\"B\":\"AQID\"},\"b\":{\"B\":\"\"}}"},
    {"{\"a\":{\"BOOL\":true},\"b\":{\"BOOL\":false},\"c\":{\"NULL\":true}}",
     "{\"a\":{\"BOOL\":true},\"b\":{\"BOOL\":false},\"c\":{\"NULL\":true}}"},
    {"{\"a\":{\"BOOL\":\"no\"},\"c\":{\"NULL\":\"TRUE\"}}",
     "{\"a\":{\"BOOL\":false},\"c\":{\"NULL\":true}}"},
    {"{\"a\":{\"SS\":[\"b\",\"a\",\"\"]}}", "{\"a\":{\"SS\":[\"\",\"a\",\"b\"]}}"},
    {"{\"a\":{\"NS\":[\"10\",\"9\",\"-1\"]}}", "{\"a\":{\"NS\":[\"-1\",\"9\",\"10\"]}}"},
    {"{\"a\":{\"BS\":[\"/w==\",\"AA==\"]}}", "{\"a\":{\"BS\":[\"AA==\",\"/w==\"]}}"},
    {"{\"a\":{\"L\":[]},\"b\":{\"M\":{}}}", "{\"a\":{\"L\":[]},\"b\":{\"M\":{}}}"},
    {"{\"a\":{\"L\":[{\"S\":\"x\"},{\"L\":[{\"N\":\"1\"}]}]}}",
     "{\"a\":{\"L\":[{\"S\":\"x\"},{\"L\":[{\"N\":\"1\"}]}]}}"},
    {"{\"a\":{\"M\":{\"z\":{\"S\":\"1\"},\"y\":{\"NULL\":true}}}}",
     "{\"a\":{\"M\":{\"y\":{\"NULL\":true},\"z\":{\"S\":\"1\"}}}}"},
    {"{\"a\\u0000b\":{\"S\":\"\\u0000\\u0001\\n\\\"\\\\\\u007f\\u00e9\"}}",
     "{\"a\\u0000b\":{\"S\":\"\\u0000\\u0001\\n\\\"\\\\\x7f\xC3\xA9\"}}"},
};

Test(api_value, forms)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct reading reading;
        struct pk_buf out = PK_BUF_INIT;

        read_item(&reading, pk_slice_cstr(forms[i].in));
        cr_expect_eq(reading.rc, PK_OK, "%s: %s", forms[i].in, reading.err.message);
        if (reading.rc == PK_OK) {
            json_out_tree_item(&out, reading.item);
            cr_expect_str_eq(out.data, forms[i].out, "%s became %s", forms[i].in, out.data);
        }
        pk_buf_release(&out);
        release(&reading);
    }
}

/* {"<n times x>":{"S":"v"}} */
static enum pk_code read_long_name(size_t length, struct reading *reading)
{
    struct pk_buf json = PK_BUF_INIT;

    pk_buf_add_cstr(&json, "{\"");
    memset(pk_buf_reserve(&json, length), 'x', length);
    json.len += length;
    pk_buf_add_cstr(&json, "\":{\"S\":\"v\"}}");
    read_item(reading, pk_buf_slice(&json));
    pk_buf_release(&json);
    return reading->rc;
}

Test(api_value, name_length)
{
    struct reading reading;

    cr_expect_eq(read_long_name(65535, &reading), PK_OK);
    release(&reading);
    cr_expect_eq(read_long_name(65536, &reading), PK_E_VALIDATION);
    cr_expect_str_eq(reading.err.message,
                     "Attribute name is too large, must be less than 65536 bytes");
    release(&reading);
}

/* {"a":…} with a scalar under so many lists. */
static enum pk_code read_nested(size_t lists, struct reading *reading)
{
    struct pk_buf json = PK_BUF_INIT;

    pk_buf_add_cstr(&json, "{\"a\":");
    for (size_t i = 0; i < lists; i++)
        pk_buf_add_cstr(&json, "{\"L\":[");
    pk_buf_add_cstr(&json, "{\"S\":\"x\"}");
    for (size_t i = 0; i < lists; i++)
        pk_buf_add_cstr(&json, "]}");
    pk_buf_add_byte(&json, '}');
    read_item(reading, pk_buf_slice(&json));
    pk_buf_release(&json);
    return reading->rc;
}

Test(api_value, nesting)
{
    static const size_t too_deep[] = {32, 33, 400};
    struct reading reading;

    cr_expect_eq(read_nested(31, &reading), PK_OK);
    release(&reading);
    for (size_t i = 0; i < sizeof(too_deep) / sizeof(too_deep[0]); i++) {
        cr_expect_eq(read_nested(too_deep[i], &reading), PK_E_VALIDATION);
        cr_expect_str_eq(reading.err.message,
                         "Nesting Levels have exceeded supported limits: Attributes in the item "
                         "have nested levels beyond supported limit");
        release(&reading);
    }
}

/* ---- the writer --------------------------------------------------------------------------- */

Test(json_out, punctuation_and_numbers)
{
    static const struct {
        int64_t milli;
        const char *text;
    } units[] = {{0, "0.0"},
                 {500, "0.5"},
                 {1000, "1.0"},
                 {134500, "134.5"},
                 {1796086134912, "1796086134.912"},
                 {1050, "1.05"}};
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add_byte(&out, '{');
    json_out_member_text(&out, "a", PK_LIT("{"));
    json_out_member(&out, "b");
    pk_buf_add_byte(&out, '[');
    for (size_t i = 0; i < 2; i++) {
        json_out_element(&out);
        json_out_uint(&out, i);
    }
    pk_buf_add_cstr(&out, "]}");
    cr_expect_str_eq(out.data, "{\"a\":\"{\",\"b\":[0,1]}");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        pk_buf_clear(&out);
        json_out_units(&out, units[i].milli);
        cr_expect_str_eq(out.data, units[i].text);
    }
    pk_buf_release(&out);
}
