/* Numbers: the tables of data-model.md §2 and §6, and tests/vectors/numbers.tsv, which
 * tests/support/num_oracle.py writes with Python's decimal. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/num.h"

#define ONES_38  "11111111111111111111111111111111111111"
#define ZEROS_25 "0000000000000000000000000"

static const char *const status_names[] = {"ok", "syntax", "precision", "overflow", "underflow"};

static struct pk_num parsed(const char *text)
{
    struct pk_num num = {0};

    cr_assert_eq(pk_num_parse(pk_slice_cstr(text), &num), PK_NUM_OK, "%s is a number", text);
    return num;
}

static pk_slice encoded(const struct pk_num *num, char out[PK_NUM_CODE_MAX])
{
    return pk_slice_of(out, pk_num_encode(num, out));
}

struct text_case {
    const char *text;
    enum pk_num_status status;
    const char *result;
};

Test(num, text_is_normalised)
{
    static const struct text_case cases[] = {
        {"01", PK_NUM_OK, "1"},
        {"1.0", PK_NUM_OK, "1"},
        {"1.0000000000000000000000000000000000000000000000000", PK_NUM_OK, "1"},
        {"+1", PK_NUM_OK, "1"},
        {"-0", PK_NUM_OK, "0"},
        {"0.0", PK_NUM_OK, "0"},
        {"-0.0", PK_NUM_OK, "0"},
        {"1e5", PK_NUM_OK, "100000"},
        {"1E+5", PK_NUM_OK, "100000"},
        {"1.5e3", PK_NUM_OK, "1500"},
        {"1e-5", PK_NUM_OK, "0.00001"},
        {"123e-10", PK_NUM_OK, "0.0000000123"},
        {".5", PK_NUM_OK, "0.5"},
        {"5.", PK_NUM_OK, "5"},
        {"-00012.500", PK_NUM_OK, "-12.5"},
        {"1e21", PK_NUM_OK, "1000000000000000000000"},
        {ONES_38 "00", PK_NUM_OK, ONES_38 "00"},
        {ONES_38 "1", PK_NUM_PRECISION, NULL},
        {"1e125", PK_NUM_OK, "1" ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25},
        {"1e-130", PK_NUM_OK, "0." ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25 "00001"},
        {"12345678901234567890.1234567890123456789", PK_NUM_PRECISION, NULL},
        {"0.1e126", PK_NUM_OK, "1" ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25 ZEROS_25},
        {"1e126", PK_NUM_OVERFLOW, NULL},
        {"1e-131", PK_NUM_UNDERFLOW, NULL},
        {"0e126", PK_NUM_OVERFLOW, NULL},
        {"0e-131", PK_NUM_UNDERFLOW, NULL},
        {"0e125", PK_NUM_OK, "0"},
        {"0.0e126", PK_NUM_OK, "0"},
        {"1e99999999999", PK_NUM_OVERFLOW, NULL},
        {"1e2147483648", PK_NUM_OVERFLOW, NULL},
        {"1e-99999999999", PK_NUM_UNDERFLOW, NULL},
        {"1e9223372036854775807", PK_NUM_OVERFLOW, NULL},
        {"1e9223372036854775808", PK_NUM_SYNTAX, NULL},
        {"1.0e100000000", PK_NUM_OVERFLOW, NULL},
        {"", PK_NUM_SYNTAX, NULL},
        {".", PK_NUM_SYNTAX, NULL},
        {" 1", PK_NUM_SYNTAX, NULL},
        {"1 ", PK_NUM_SYNTAX, NULL},
        {"NaN", PK_NUM_SYNTAX, NULL},
        {"Infinity", PK_NUM_SYNTAX, NULL},
        {"0x10", PK_NUM_SYNTAX, NULL},
        {"1_000", PK_NUM_SYNTAX, NULL},
        {"1,000", PK_NUM_SYNTAX, NULL},
        {"1d", PK_NUM_SYNTAX, NULL},
        {"--5", PK_NUM_SYNTAX, NULL},
        {"e5", PK_NUM_SYNTAX, NULL},
        {"1e", PK_NUM_SYNTAX, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_num num = {.sign = 77};
        char text[PK_NUM_TEXT_MAX];
        enum pk_num_status status = pk_num_parse(pk_slice_cstr(cases[i].text), &num);
        cr_expect_eq(status, cases[i].status, "'%s' is %s", cases[i].text, status_names[status]);
        if (status != PK_NUM_OK) {
            cr_expect_eq(num.sign, 77, "'%s' leaves the result alone", cases[i].text);
            continue;
        }
        size_t len = pk_num_format(&num, text);
        cr_expect_str_eq(text, cases[i].result, "'%s' became %s", cases[i].text, text);
        cr_expect_eq(len, strlen(text));
    }
}

Test(num, long_text_is_read_without_memory)
{
    static char zeros[400001];
    struct pk_num num;
    char text[PK_NUM_TEXT_MAX];

    memset(zeros, '0', sizeof(zeros));
    zeros[sizeof(zeros) - 1] = '7';
    cr_assert_eq(pk_num_parse(pk_slice_of(zeros, sizeof(zeros)), &num), PK_NUM_OK);
    pk_num_format(&num, text);
    cr_expect_str_eq(text, "7");

    zeros[0] = '7';
    cr_expect_eq(pk_num_parse(pk_slice_of(zeros, sizeof(zeros)), &num), PK_NUM_OVERFLOW);
    memcpy(zeros, "0.", 2);
    cr_expect_eq(pk_num_parse(pk_slice_of(zeros, sizeof(zeros)), &num), PK_NUM_UNDERFLOW);
}

struct size_case {
    const char *text;
    size_t size;
};

Test(num, sizes_by_the_item_size_rule)
{
    static const struct size_case cases[] = {
        {"0", 1},          {"-0", 1},     {"1", 2},       {"9", 2},         {"10", 2},
        {"12", 2},         {"42", 2},     {"99", 2},      {"100", 2},       {"1e10", 2},
        {"1e11", 2},       {"1e100", 2},  {"1E125", 2},   {"0.0000001", 2}, {"-1", 3},
        {"-12", 3},        {"-42", 3},    {"123", 3},     {"1234", 3},      {"1010", 3},
        {"1.5", 3},        {"1.200", 3},  {"0.012", 3},   {"-123", 4},      {"100.5", 4},
        {"12345", 4},      {"123456", 4}, {"3.14159", 5}, {"1000001", 5},   {ONES_38, 20},
        {"-" ONES_38, 21},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_num num = parsed(cases[i].text);
        char code[PK_NUM_CODE_MAX];
        size_t size = pk_num_size(encoded(&num, code));
        cr_expect_eq(size, cases[i].size, "%s takes %zu", cases[i].text, size);
    }
}

struct code_case {
    const char *text;
    const char *code;
    size_t len;
};

/* On disk: these bytes may never change. */
Test(num, stored_bytes)
{
    static const struct code_case cases[] = {
        {"0", "\x80", 1},
        {"1", "\xC1\x43\x02\x00", 4},
        {"10", "\xC1\x43\x0B\x00", 4},
        {"1.5", "\xC1\x43\x02\x33\x00", 5},
        {"100", "\xC1\x44\x02\x00", 4},
        {"0.01", "\xC1\x42\x02\x00", 4},
        {"-1", "\x3E\xBC\xFD\xFF", 4},
        {"-123", "\x3E\xBB\xFD\xE7\xFF", 5},
        {"1e-130", "\xC1\x02\x02\x00", 4},
        {"1e125", "\xC1\x81\x0B\x00", 4},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_num num = parsed(cases[i].text);
        char code[PK_NUM_CODE_MAX];
        pk_slice bytes = encoded(&num, code);
        cr_expect(pk_slice_equal(bytes, pk_slice_of(cases[i].code, cases[i].len)), "code of %s",
                  cases[i].text);
    }
}

Test(num, what_is_not_canonical_is_refused)
{
    static const struct code_case cases[] = {
        {"nothing", "", 0},
        {"unknown sign", "\x81\x43\x02\x00", 4},
        {"no end", "\xC1\x43\x02", 3},
        {"no digits", "\xC1\x43\x00\x00", 4},
        {"leading zero", "\xC1\x43\x01\x02\x00", 5},
        {"trailing zero", "\xC1\x43\x02\x01\x00", 5},
        {"digit of 100", "\xC1\x43\x66\x00", 4},
        {"exponent too large", "\xC1\x82\x02\x00", 4},
        {"exponent too small", "\xC1\x01\x02\x00", 4},
        {"39 digits",
         "\xC1\x43\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0B"
         "\x00",
         23},
        {"21 base-100 digits",
         "\xC1\x43\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
         "\x02\x00",
         24},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pk_slice in = pk_slice_of(cases[i].code, cases[i].len);
        struct pk_num num;
        cr_expect_not(pk_num_decode(&in, &num), "%s", cases[i].text);
        cr_expect_eq(in.len, cases[i].len, "%s", cases[i].text);
    }
}

Test(num, integers)
{
    static const int64_t values[] = {0,         1,         -1,           9,         10,
                                     -10,       100,       99999999,     INT32_MIN, INT32_MAX,
                                     INT64_MIN, INT64_MAX, INT64_MAX - 1};
    static const char *const misfits[] = {
        "0.5", "-1.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e125", "1e-130"};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct pk_num num;
        char text[PK_NUM_TEXT_MAX], expected[32];
        int64_t back = 0;
        pk_num_from_int(values[i], &num);
        pk_num_format(&num, text);
        snprintf(expected, sizeof(expected), "%lld", (long long)values[i]);
        cr_expect_str_eq(text, expected);
        cr_expect(pk_num_to_int(&num, &back) && back == values[i], "%s", expected);
    }
    for (size_t i = 0; i < sizeof(misfits) / sizeof(misfits[0]); i++) {
        struct pk_num num = parsed(misfits[i]);
        int64_t back = 5;
        cr_expect_not(pk_num_to_int(&num, &back), "%s", misfits[i]);
        cr_expect_eq(back, 5);
    }
}

Test(num, messages_are_dynamodbs)
{
    char out[200];
    char small[12];

    cr_expect_str_eq(pk_num_status_message(PK_NUM_SYNTAX, PK_LIT("abc"), out, sizeof(out)),
                     "The parameter cannot be converted to a numeric value: abc");
    cr_expect_str_eq(pk_num_status_message(PK_NUM_SYNTAX, PK_LIT(""), out, sizeof(out)),
                     "The parameter cannot be converted to a numeric value");
    cr_expect_str_eq(pk_num_status_message(PK_NUM_PRECISION, PK_LIT("1"), out, sizeof(out)),
                     "Attempting to store more than 38 significant digits in a Number");
    cr_expect_str_eq(pk_num_status_message(PK_NUM_OVERFLOW, PK_LIT("1"), out, sizeof(out)),
                     "Number overflow. Attempting to store a number with magnitude larger than "
                     "supported range");
    cr_expect_str_eq(pk_num_status_message(PK_NUM_UNDERFLOW, PK_LIT("1"), out, sizeof(out)),
                     "Number underflow. Attempting to store a number with magnitude smaller than "
                     "supported range");
    cr_expect_str_eq(pk_num_status_message(PK_NUM_SYNTAX, PK_LIT("x"), small, sizeof(small)),
                     "The paramet");
}

/* --- the oracle's table ---------------------------------------------------------------------- */

enum { CELLS = 5 };

/* Splits a line at its tabs; returns the number of cells. */
static int split(char *line, char *cells[CELLS])
{
    int n = 0;

    line[strcspn(line, "\n")] = '\0';
    while (line != NULL && n < CELLS)
        cells[n++] = strsep(&line, "\t");
    return n;
}

static void check_status(int line, enum pk_num_status status, const struct pk_num *num,
                         const char *expected, const char *result)
{
    char text[PK_NUM_TEXT_MAX] = "";

    if (status == PK_NUM_OK)
        pk_num_format(num, text);
    cr_expect_str_eq(status_names[status], expected, "line %d: %s", line, status_names[status]);
    cr_expect_str_eq(text, result, "line %d: %s instead of %s", line, text, result);
}

static void check_parse(int line, char *cells[CELLS])
{
    struct pk_num num = {0}, back;
    char code[PK_NUM_CODE_MAX];
    enum pk_num_status status = pk_num_parse(pk_slice_cstr(cells[1]), &num);

    check_status(line, status, &num, cells[2], cells[3]);
    if (status != PK_NUM_OK)
        return;
    pk_slice bytes = encoded(&num, code);
    cr_expect_eq(pk_num_size(bytes), (size_t)atoi(cells[4]), "line %d: size", line);
    cr_expect(pk_num_decode(&bytes, &back) && bytes.len == 0, "line %d: code", line);
    cr_expect_eq(memcmp(&num, &back, sizeof(num)), 0, "line %d: code and back", line);
}

static void check_pair(int line, char *cells[CELLS])
{
    struct pk_num a = parsed(cells[1]), b = parsed(cells[2]), result = {0};
    char code_a[PK_NUM_CODE_MAX], code_b[PK_NUM_CODE_MAX];

    if (strcmp(cells[0], "cmp") == 0) {
        int expected = atoi(cells[3]);
        int bytes = pk_slice_compare(encoded(&a, code_a), encoded(&b, code_b));
        cr_expect_eq(pk_num_compare(&a, &b), expected, "line %d: compare", line);
        cr_expect_eq((bytes > 0) - (bytes < 0), expected, "line %d: order of the codes", line);
    } else if (strcmp(cells[0], "add") == 0) {
        check_status(line, pk_num_add(&a, &b, &result), &result, cells[3], cells[4]);
    } else {
        check_status(line, pk_num_subtract(&a, &b, &result), &result, cells[3], cells[4]);
    }
}

Test(num, agrees_with_python)
{
    FILE *table = fopen("tests/vectors/numbers.tsv", "r");
    char text[2048];
    int line = 0;

    cr_assert_not_null(table, "run from the root of the tree");
    while (fgets(text, sizeof(text), table) != NULL) {
        char *cells[CELLS] = {NULL};
        line++;
        int n = split(text, cells);
        cr_assert(n >= 4, "line %d has %d cells", line, n);
        if (strcmp(cells[0], "parse") == 0)
            check_parse(line, cells);
        else
            check_pair(line, cells);
    }
    fclose(table);
    cr_assert_gt(line, 3000);
}

/* A code is either refused or the code of what it decodes to; a few bytes are changed at random. */
Test(num, damaged_codes_stay_canonical)
{
    struct pk_rng rng;
    const uint64_t seed = 42;

    pk_rng_seed(&rng, seed);
    for (int round = 0; round < 20000; round++) {
        struct pk_num num;
        char code[PK_NUM_CODE_MAX], again[PK_NUM_CODE_MAX];
        pk_num_from_int((int64_t)(pk_rng_next(&rng) >> pk_rng_below(&rng, 64)), &num);
        pk_slice bytes = encoded(&num, code);
        code[pk_rng_below(&rng, bytes.len)] = (char)(unsigned char)pk_rng_below(&rng, 256);
        pk_slice rest = bytes;
        if (!pk_num_decode(&rest, &num))
            continue;
        pk_slice used = pk_slice_of(code, bytes.len - rest.len);
        cr_assert(pk_slice_equal(encoded(&num, again), used), "seed %llu, round %d",
                  (unsigned long long)seed, round);
    }
}
