/* The strict parse and the accessors of request JSON. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "commands/api/api_json.h"

/* A literal with its length, so that NUL bytes can stand in it. */
#define BODY(text) (text), sizeof(text) - 1

/* ---- what is accepted --------------------------------------------------------------------- */

static const struct good {
    const char *body;
    size_t length;
    const char *canonical;
} good[] = {
    {BODY("{}"), "{}"},
    {BODY(" {\t\"a\" :\r\n1 } "), "{\"a\":1}"},
    {BODY("[true,false,null]"), "[true,false,null]"},
    {BODY("{\"b\":1,\"a\":{\"d\":[],\"c\":{}}}"), "{\"a\":{\"c\":{},\"d\":[]},\"b\":1}"},
    {BODY("{\"n\":12345678901234567890123456789012345678}"),
     "{\"n\":12345678901234567890123456789012345678}"},
    {BODY("[0,-0,1.50e3,1E+5,2e-7]"), "[0,-0,1.50e3,1E+5,2e-7]"},
    {BODY("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"), "[\"\\\"\\\\/\\b\\f\\n\\r\\t\"]"},
    {BODY("[\"\\u0041\\u00e9\\ud835\\udcb3\"]"), "[\"A\xC3\xA9\xF0\x9D\x92\xB3\"]"},
    {BODY("[\"\xC3\xA9\x7F\"]"), "[\"\xC3\xA9\x7F\"]"},
    {BODY("[\"ab\\u0000cd\"]"), "[\"ab\\u0000cd\"]"},
    {BODY("{\"a\\u0000\":1,\"a\":2}"), "{\"a\":2,\"a\\u0000\":1}"},
    {BODY("\"x\""), "\"x\""},
    {BODY("[\"\",\"\\n\",\"a\\n\",\"\\nb\"]"), "[\"\",\"\\n\",\"a\\n\",\"\\nb\"]"},
    {BODY("[\"0123456789abcdef0123456789abcdef\\n0123456789abcdef0123456789abcdef\\u0000\"]"),
     "[\"0123456789abcdef0123456789abcdef\\n0123456789abcdef0123456789abcdef\\u0000\"]"},
    {BODY("[\"\\u00c1\",\"\\u007f\\u0080\"]"), "[\"\xC3\x81\",\"\x7F\xC2\x80\"]"},
    {BODY("-0.5e-3"), "-0.5e-3"},
    {BODY("[[],[[]],{\"\":{}}]"), "[[],[[]],{\"\":{}}]"},
    {BODY("7"), "7"},
};

Test(api_json, accepts)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        const struct cJSON *root = NULL;
        enum pk_code rc =
            api_json_parse(&arena, (pk_slice){good[i].body, good[i].length}, &root, &err);

        cr_expect_eq(rc, PK_OK, "%s: %s", good[i].body, err.hint);
        if (rc == PK_OK) {
            api_json_canonical(&out, root, NULL);
            cr_expect_str_eq(out.data, good[i].canonical, "%s became %s", good[i].body, out.data);
        }
        pk_buf_release(&out);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
}

/* ---- what is refused ---------------------------------------------------------------------- */

#define NOT_JSON "the request is not JSON"

static const struct bad {
    const char *body;
    size_t length;
    const char *hint; /* its beginning */
} bad[] = {
    {BODY(""), NOT_JSON},
    {BODY("  "), NOT_JSON},
    {BODY("{"), NOT_JSON},
    {BODY("]"), NOT_JSON},
    {BODY("[1,]"), NOT_JSON},
    {BODY("[,1]"), NOT_JSON},
    {BODY("[1"), NOT_JSON},
    {BODY("{\"a\":1"), NOT_JSON},
    {BODY("{\"a\":"), NOT_JSON},
    {BODY("{\"a\""), NOT_JSON},
    {BODY("{\"a\":}"), NOT_JSON},
    {BODY("{\"a\":1]"), NOT_JSON},
    {BODY("[1}"), NOT_JSON},
    {BODY("{true:1}"), NOT_JSON},
    {BODY("[nul]"), NOT_JSON},
    {BODY("[\"a\"\"b\"]"), NOT_JSON},
    {BODY("{} !"), "the request has an unexpected byte near byte 4"},
    {BODY("{\"a\":1,}"), NOT_JSON},
    {BODY("{\"a\" 1}"), NOT_JSON},
    {BODY("{a:1}"), NOT_JSON},
    {BODY("{} x"), NOT_JSON},
    {BODY("{}{}"), NOT_JSON},
    {BODY("truefoo"), NOT_JSON},
    {BODY("[tr ue]"), NOT_JSON},
    {BODY("[True]"), "the request has an unexpected byte near byte 2"},
    {BODY("['a']"), "the request has an unexpected byte near byte 2"},
    {BODY("\xEF\xBB\xBF{}"), "the request has an unexpected byte near byte 1"},
    {BODY("{}\0"), "the request has an unexpected byte near byte 3"},
    {BODY("[\"a\0b\"]"), "the request has a control byte in a string near byte 4"},
    {BODY("[\"a\nb\"]"), "the request has a control byte in a string near byte 4"},
    {BODY("[\"\x1f\"]"), "the request has a control byte in a string"},
    {BODY("[\x0b]"), "the request has an unexpected byte near byte 2"},
    {BODY("[\"a"), "the request has a string without end"},
    {BODY("[\"a\\"), "the request has a bad escape"},
    {BODY("[\"a\\nb"), "the request has a string without end near byte 7"},
    {BODY("[\"a\\nb\tc\"]"), "the request has a control byte in a string near byte 7"},
    {BODY("[\"\\x\"]"), "the request has a bad escape"},
    {BODY("[\"\\u12G4\"]"), "the request has a bad \\u escape"},
    {BODY("[\"\\u12"), "the request has a bad \\u escape"},
    {BODY("[\"\\ud83d\"]"), "the request has half of a surrogate pair"},
    {BODY("[\"\\ud83d\\u0041\"]"), "the request has half of a surrogate pair"},
    {BODY("[\"\\udc00\"]"), "the request has half of a surrogate pair"},
    {BODY("[\"\xff\"]"), "the request has invalid UTF-8"},
    {BODY("[\"\xC0\x80\"]"), "the request has invalid UTF-8"},
    {BODY("[\"\xC1"
          "5\"]"),
     "the request has invalid UTF-8"},
    {BODY("[\"\xED\xA0\x80\"]"), "the request has invalid UTF-8"},
    {BODY("[01]"), "the request has a malformed number near byte 2"},
    {BODY("[1.]"), "the request has a malformed number"},
    {BODY("[.5]"), "the request has an unexpected byte"},
    {BODY("[+1]"), "the request has an unexpected byte"},
    {BODY("[-]"), "the request has a malformed number"},
    {BODY("[- 1]"), "the request has a malformed number"},
    {BODY("[1e]"), "the request has a malformed number"},
    {BODY("[1 2]"), NOT_JSON},
    {BODY("[1\"a\"]"), NOT_JSON},
    {BODY("{1:2}"), NOT_JSON},
    {BODY("[NaN]"), "the request has an unexpected byte"},
    {NULL, 0, NOT_JSON},
    {BODY("{\"a\":1,\"a\":2}"), "the request has the member 'a' twice"},
    {BODY("{\"a\":1,\"\\u0061\":2}"), "the request has the member 'a' twice"},
    {BODY("[{\"x\":{\"y\":1,\"z\":2,\"y\":3}}]"), "the request has the member 'y' twice"},
    {BODY("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"c\":2}"),
     "the request has the member 'c' twice"},
};

Test(api_json, refuses)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        const struct cJSON *root = NULL;
        enum pk_code rc =
            api_json_parse(&arena, (pk_slice){bad[i].body, bad[i].length}, &root, &err);

        cr_expect_eq(rc, PK_E_SERIALIZATION, "row %zu, %s: accepted", i, bad[i].body);
        if (rc != PK_OK) {
            cr_expect_str_eq(err.message, "", "row %zu has a message", i);
            cr_expect_eq(strncmp(err.hint, bad[i].hint, strlen(bad[i].hint)), 0, "row %zu, %s: %s",
                         i, bad[i].body, err.hint);
        }
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
}

/* `levels` arrays, one in the other. */
static enum pk_code parse_nested(size_t levels)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf body = PK_BUF_INIT;
    const struct cJSON *root = NULL;
    enum pk_code rc;

    for (size_t i = 0; i < levels; i++)
        pk_buf_add_byte(&body, '[');
    for (size_t i = 0; i < levels; i++)
        pk_buf_add_byte(&body, ']');
    rc = api_json_parse(&arena, pk_buf_slice(&body), &root, &err);
    pk_buf_release(&body);
    pk_error_release(&err);
    pk_arena_release(&arena);
    return rc;
}

Test(api_json, bounds_nesting)
{
    cr_expect_eq(parse_nested(API_JSON_DEPTH_MAX), PK_OK);
    cr_expect_eq(parse_nested(API_JSON_DEPTH_MAX + 1), PK_E_SERIALIZATION);
    cr_expect_eq(parse_nested(400000), PK_E_SERIALIZATION);
}

/* ---- accessors ---------------------------------------------------------------------------- */

static const struct integer {
    const char *text;
    int64_t value;
} integers[] = {
    {"0", 0},
    {"-0.0", 0},
    {"1", 1},
    {"-1", -1},
    {"1.9", 1},
    {"-1.5", -2},
    {"-1.0", -1},
    {"-0.5", -1},
    {"0.999", 0},
    {"1e2", 100},
    {"1.5e1", 15},
    {"12e-1", 1},
    {"-12e-1", -2},
    {"123.456e2", 12345},
    {"9007199254740993", 9007199254740993},
    {"9223372036854775807", INT64_MAX},
    {"9223372036854775808", INT64_MAX},
    {"-99999999999999999999", -INT64_MAX},
    {"1e400", INT64_MAX},
    {"0e999999999999999999999", 0},
    {"1e-999999999999999999999", 0},
    {"-1e-999999999999999999999", -1},
    {"0.00000000000000000001e20", 1},
};

Test(api_json, reads_integers)
{
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        const struct cJSON *root = NULL;

        cr_assert_eq(api_json_parse(&arena, pk_slice_cstr(integers[i].text), &root, &err), PK_OK);
        cr_expect_eq(api_json_kind(root), API_JSON_NUMBER);
        cr_expect_eq(api_json_int(root), integers[i].value, "%s read as %" PRId64, integers[i].text,
                     api_json_int(root));
        pk_arena_release(&arena);
    }
}

Test(api_json, restores_nul_bytes)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct cJSON *root = NULL;
    const struct cJSON *member;

    cr_assert_eq(api_json_parse(&arena, PK_LIT("{\"n\\u0000m\":\"\\u0000ab\\u0000\",\"z\":null}"),
                                &root, &err),
                 PK_OK);
    member = api_json_first(root);
    cr_expect(pk_slice_equal(api_json_name(&arena, member), PK_LIT("n\0m")));
    cr_expect(pk_slice_equal(api_json_text(&arena, member), PK_LIT("\0ab\0")));
    cr_expect_null(api_json_member(root, "z"), "a null member counts as absent");
    cr_expect_eq(api_json_count(root), 2);
    pk_arena_release(&arena);
}

Test(api_json, canonical_form_leaves_out_one_member)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf out = PK_BUF_INIT;
    const struct cJSON *root = NULL;

    cr_assert_eq(api_json_parse(&arena, PK_LIT("{\"c\":{\"a\":1},\"a\":2,\"b\":3}"), &root, &err),
                 PK_OK);
    api_json_canonical(&out, root, "a");
    cr_expect_str_eq(out.data, "{\"b\":3,\"c\":{\"a\":1}}");
    pk_buf_release(&out);
    pk_arena_release(&arena);
}
