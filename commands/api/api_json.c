/*
 * The parser, and the accessors that undo its marks (api_json.h).
 *
 * One pass over the bytes checks them and makes the nodes, in the arena. Requests are the hot path:
 * a pre-pass with cJSON's own parse behind it took three times as long.
 *
 * A byte that could be part of JSON elsewhere is no fault with a place: the request is just not
 * JSON.
 */
#include "commands/api/api_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "commands/api/json_out.h"
#include "engine/base/utf8.h"

#define MARK_NUMBER '\xC1' /* first byte of the string that stands for a number */
#define MARK_NUL    "\xC0\x80"

enum { PAIRWISE_MAX = 8 }; /* objects up to this size are compared name by name */

struct parser {
    struct pk_arena *arena;
    const char *start, *at, *end;
    size_t depth;
    const char *fault;    /* found at `at`; NULL: none, or none that has a name */
    const char *repeated; /* a member's name that an object has twice; NULL: none */
};

static bool fail(struct parser *parser, const char *fault)
{
    parser->fault = fault;
    return false;
}

static unsigned char peek(const struct parser *parser, size_t ahead)
{
    return ahead < (size_t)(parser->end - parser->at) ? (unsigned char)parser->at[ahead] : 0;
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The byte there, or the end, is not what the grammar has in this place. */
static bool unexpected(struct parser *parser)
{
    unsigned char byte = peek(parser, 0);

    if (parser->at == parser->end || is_digit(byte) || (byte >= 'a' && byte <= 'z') ||
        (byte != 0 && strchr("{}[],:\"-", byte) != NULL))
        return false;
    return fail(parser, "an unexpected byte");
}

/* The byte that follows blanks, 0 at the end. */
static unsigned char next_byte(struct parser *parser)
{
    unsigned char byte;

    while ((byte = peek(parser, 0)) == ' ' || byte == '\n' || byte == '\r' || byte == '\t')
        parser->at++;
    return byte;
}

/* ---- strings ------------------------------------------------------------------------------ */

/* The four hex digits at `ahead`, or -1. */
static int32_t hex4(const struct parser *parser, size_t ahead)
{
    int32_t code = 0;

    for (size_t i = 0; i < 4; i++) {
        unsigned char byte = peek(parser, ahead + i);
        int digit = is_digit(byte)               ? byte - '0'
                    : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                    : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                 : -1;

        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static bool read_unicode_escape(struct parser *parser, struct pk_buf *out)
{
    int32_t code = hex4(parser, 2);
    size_t len = 6;

    if (code < 0)
        return fail(parser, "a bad \\u escape");
    if (code >= 0xD800 && code <= 0xDBFF) {
        int32_t low = peek(parser, 6) == '\\' && peek(parser, 7) == 'u' ? hex4(parser, 8) : -1;

        if (low < 0xDC00 || low > 0xDFFF)
            return fail(parser, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        len = 12;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return fail(parser, "half of a surrogate pair");
    }
    if (code == 0)
        pk_buf_add(out, PK_LIT(MARK_NUL));
    else
        pk_utf8_add(out, (uint32_t)code);
    parser->at += len;
    return true;
}

static bool read_escape(struct parser *parser, struct pk_buf *out)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    unsigned char letter = peek(parser, 1);
    const char *found = letter == 0 ? NULL : strchr(letters, letter);

    if (letter == 'u')
        return read_unicode_escape(parser, out);
    if (found == NULL)
        return fail(parser, "a bad escape");
    pk_buf_add_byte(out, (unsigned char)bytes[found - letters]);
    parser->at += 2;
    return true;
}

static pk_slice rest_of(const struct parser *parser)
{
    return pk_slice_of(parser->at, (size_t)(parser->end - parser->at));
}

/* The rest of a string of which `out` has the beginning. */
static bool read_escaped(struct parser *parser, struct pk_buf *out)
{
    while (peek(parser, 0) != '"') {
        size_t plain;

        if (peek(parser, 0) != '\\')
            return fail(parser, parser->at < parser->end ? "a control byte in a string"
                                                         : "a string without end");
        if (!read_escape(parser, out))
            return false;
        plain = json_out_plain_length(rest_of(parser));
        pk_buf_add(out, pk_slice_of(parser->at, plain));
        parser->at += plain;
    }
    return true;
}

/* string = '"' {byte | escape} '"'; the parser is at the first quote. */
static bool read_string(struct parser *parser, char **text)
{
    struct pk_buf escaped = PK_BUF_INIT;
    pk_slice plain;
    bool good;

    parser->at++;
    plain = rest_of(parser);
    plain.len = json_out_plain_length(plain);
    parser->at += plain.len;
    good = peek(parser, 0) == '"';
    if (!good) {
        pk_buf_add(&escaped, plain);
        good = read_escaped(parser, &escaped);
        plain = pk_buf_slice(&escaped);
    }
    if (good) {
        *text = pk_arena_alloc(parser->arena, plain.len + 1);
        if (plain.len > 0)
            memcpy(*text, plain.data, plain.len);
        (*text)[plain.len] = '\0';
        parser->at++;
    }
    pk_buf_release(&escaped);
    return good;
}

/* ---- numbers and words -------------------------------------------------------------------- */

/* Digits from `ahead` on; returns how far they reach, `ahead` itself when there are none. */
static size_t digits(const struct parser *parser, size_t ahead)
{
    while (is_digit(peek(parser, ahead)))
        ahead++;
    return ahead;
}

/* number = ["-"] ("0" | 1-9 {digit}) ["." digit {digit}] [("e" | "E") ["+" | "-"] digit {digit}] */
static size_t number_length(const struct parser *parser)
{
    size_t at = peek(parser, 0) == '-' ? 1 : 0;
    size_t end = peek(parser, at) == '0' ? at + 1 : digits(parser, at);

    if (end == at)
        return 0;
    if (peek(parser, end) == '.') {
        at = end + 1;
        end = digits(parser, at);
        if (end == at)
            return 0;
    }
    if (peek(parser, end) == 'e' || peek(parser, end) == 'E') {
        at = end + 1;
        if (peek(parser, at) == '+' || peek(parser, at) == '-')
            at++;
        end = digits(parser, at);
        if (end == at)
            return 0;
    }
    return is_digit(peek(parser, end)) ? 0 : end;
}

static bool read_number(struct parser *parser, cJSON *node)
{
    size_t length = number_length(parser);

    if (length == 0)
        return fail(parser, "a malformed number");
    node->type = cJSON_String;
    node->valuestring = pk_arena_alloc(parser->arena, length + 2);
    node->valuestring[0] = MARK_NUMBER;
    memcpy(node->valuestring + 1, parser->at, length);
    node->valuestring[length + 1] = '\0';
    parser->at += length;
    return true;
}

static bool read_word(struct parser *parser, cJSON *node)
{
    static const struct {
        pk_slice text;
        int type;
    } words[] = {{{"true", 4}, cJSON_True}, {{"false", 5}, cJSON_False}, {{"null", 4}, cJSON_NULL}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (pk_slice_starts(rest_of(parser), words[i].text)) {
            node->type = words[i].type;
            parser->at += words[i].text.len;
            return true;
        }
    }
    return unexpected(parser);
}

/* ---- objects and arrays ------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that occurs twice among the object's members, or NULL. */
static const char *repeated_name(struct pk_arena *arena, const cJSON *object, size_t count)
{
    const char **names;
    size_t n = 0;

    if (count <= PAIRWISE_MAX) {
        for (const cJSON *a = object->child; a != NULL; a = a->next) {
            for (const cJSON *b = a->next; b != NULL; b = b->next) {
                if (a->string[0] == b->string[0] && strcmp(a->string, b->string) == 0)
                    return a->string;
            }
        }
        return NULL;
    }
    names = PK_NEW_ARRAY(arena, const char *, count);
    for (const cJSON *a = object->child; a != NULL; a = a->next)
        names[n++] = a->string;
    qsort(names, count, sizeof(*names), compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    }
    return NULL;
}

static bool read_value(struct parser *parser, cJSON *node);

/* string ":", in front of a member's value. */
static bool read_name(struct parser *parser, cJSON *member)
{
    if (next_byte(parser) != '"')
        return unexpected(parser);
    if (!read_string(parser, &member->string))
        return false;
    if (next_byte(parser) != ':')
        return unexpected(parser);
    parser->at++;
    return true;
}

/* [child {"," child}] close; *count is how many there were. */
static bool read_children(struct parser *parser, cJSON *node, char close, size_t *count)
{
    cJSON **link = &node->child;

    *count = 0;
    if (next_byte(parser) != close) {
        for (;;) {
            cJSON *child = PK_NEW(parser->arena, cJSON);

            if (close == '}' && !read_name(parser, child))
                return false;
            if (!read_value(parser, child))
                return false;
            *link = child;
            link = &child->next;
            ++*count;
            if (next_byte(parser) != ',')
                break;
            parser->at++;
        }
    }
    if (next_byte(parser) != close)
        return unexpected(parser);
    parser->at++;
    return true;
}

static bool read_container(struct parser *parser, cJSON *node, char close)
{
    size_t count;

    if (++parser->depth > API_JSON_DEPTH_MAX)
        return fail(parser, "too much nesting");
    node->type = close == '}' ? cJSON_Object : cJSON_Array;
    parser->at++;
    if (!read_children(parser, node, close, &count))
        return false;
    if (close == '}' && parser->repeated == NULL)
        parser->repeated = repeated_name(parser->arena, node, count);
    parser->depth--;
    return true;
}

/* value = object | array | string | number | word. Depth is bounded by API_JSON_DEPTH_MAX. */
static bool read_value(struct parser *parser, cJSON *node)
{
    unsigned char byte = next_byte(parser);

    switch (byte) {
    case '{':
        return read_container(parser, node, '}');
    case '[':
        return read_container(parser, node, ']');
    case '"':
        node->type = cJSON_String;
        return read_string(parser, &node->valuestring);
    default:
        break;
    }
    if (byte == '-' || is_digit(byte))
        return read_number(parser, node);
    return read_word(parser, node);
}

/* ---- a request ---------------------------------------------------------------------------- */

static bool parse(struct parser *parser, pk_slice body, cJSON *root)
{
    if (!pk_utf8_valid(body))
        return fail(parser, "invalid UTF-8");
    if (!read_value(parser, root))
        return false;
    next_byte(parser);
    return parser->at == parser->end || unexpected(parser);
}

/* The message is empty, as AWS's is; what is wrong stands in the hint. A repeated name would let
 * one value silently win. */
enum pk_code api_json_parse(struct pk_arena *arena, pk_slice body, const struct cJSON **root,
                            struct pk_error *err)
{
    const char *start = body.len == 0 ? "" : body.data; /* no body has no bytes to point into */
    struct parser parser = {.arena = arena, .start = start, .at = start, .end = start + body.len};
    cJSON *tree = PK_NEW(arena, cJSON);

    if (body.len > 0 && parse(&parser, body, tree) && parser.repeated == NULL) {
        *root = tree;
        return PK_OK;
    }
    (void)pk_fail(err, PK_E_SERIALIZATION, "%s", "");
    if (parser.fault != NULL)
        pk_error_hint(err, "the request has %s near byte %zu", parser.fault,
                      (size_t)(parser.at - parser.start) + 1);
    else if (parser.repeated != NULL)
        pk_error_hint(err, "the request has the member '%s' twice", parser.repeated);
    else
        pk_error_hint(err, "the request is not JSON");
    return PK_E_SERIALIZATION;
}

/* ---- accessors ---------------------------------------------------------------------------- */

enum api_json_kind api_json_kind(const struct cJSON *node)
{
    switch (node->type & 0xFF) {
    case cJSON_False:
        return API_JSON_FALSE;
    case cJSON_True:
        return API_JSON_TRUE;
    case cJSON_String:
        return node->valuestring[0] == MARK_NUMBER ? API_JSON_NUMBER : API_JSON_STRING;
    case cJSON_Array:
        return API_JSON_ARRAY;
    case cJSON_Object:
        return API_JSON_OBJECT;
    default:
        return API_JSON_NULL;
    }
}

/* The text with C0 80 turned back into NUL. */
static pk_slice restore(struct pk_arena *arena, const char *marked)
{
    size_t len = strlen(marked);
    char *copy_of;
    size_t n = 0;

    if (memchr(marked, MARK_NUL[0], len) == NULL)
        return (pk_slice){marked, len};
    copy_of = pk_arena_alloc(arena, len + 1);
    for (size_t i = 0; i < len; i++) {
        if (marked[i] == MARK_NUL[0]) {
            copy_of[n++] = '\0';
            i++;
        } else {
            copy_of[n++] = marked[i];
        }
    }
    copy_of[n] = '\0';
    return (pk_slice){copy_of, n};
}

pk_slice api_json_text(struct pk_arena *arena, const struct cJSON *node)
{
    if (node == NULL || (node->type & 0xFF) != cJSON_String)
        return PK_LIT("");
    if (node->valuestring[0] == MARK_NUMBER)
        return pk_slice_cstr(node->valuestring + 1);
    return restore(arena, node->valuestring);
}

pk_slice api_json_name(struct pk_arena *arena, const struct cJSON *node)
{
    return node->string == NULL ? PK_LIT("") : restore(arena, node->string);
}

/* Adds a decimal digit, saturating. */
static int64_t add_digit(int64_t value, int digit)
{
    return value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
}

/* Of "[-]digits[.digits][e±digits]": how many digits stand before the point, the exponent
 * applied; and where the exponent begins. */
static int64_t integer_places(const char *text, const char **end)
{
    size_t mantissa = strcspn(text, "eE");
    const char *point = memchr(text, '.', mantissa);
    int64_t places = point == NULL ? (int64_t)mantissa : point - text;
    int64_t exponent = 0;
    const char *at = text + mantissa;
    bool negative;

    *end = at;
    if (*at == '\0')
        return places;
    negative = at[1] == '-';
    for (at += at[1] == '-' || at[1] == '+' ? 2 : 1; *at != '\0'; at++)
        exponent = add_digit(exponent, *at - '0');
    if (exponent > INT32_MAX)
        exponent = INT32_MAX; /* bodies, and so places, are far shorter */
    return negative ? places - exponent : places + exponent;
}

int64_t api_json_int(const struct cJSON *node)
{
    const char *text = node->valuestring + 1;
    bool negative = *text == '-';
    bool fraction = false;
    int64_t value = 0;
    const char *end;
    int64_t places;

    text += negative;
    places = integer_places(text, &end);
    for (; text < end; text++) {
        if (*text == '.')
            continue;
        if (places > 0)
            value = add_digit(value, *text - '0');
        else
            fraction = fraction || *text != '0';
        places--;
    }
    for (; places > 0 && value != 0 && value != INT64_MAX; places--)
        value = add_digit(value, 0);
    if (fraction && negative && value != INT64_MAX)
        value++;
    return negative ? -value : value;
}

const struct cJSON *api_json_member(const struct cJSON *object, const char *name)
{
    const cJSON *node;

    if (object == NULL || (object->type & 0xFF) != cJSON_Object)
        return NULL;
    for (node = object->child; node != NULL; node = node->next) {
        if (node->string[0] == name[0] && strcmp(node->string, name) == 0)
            return (node->type & 0xFF) == cJSON_NULL ? NULL : node;
    }
    return NULL;
}

const struct cJSON *api_json_first(const struct cJSON *node)
{
    return node == NULL ? NULL : node->child;
}

const struct cJSON *api_json_next(const struct cJSON *node)
{
    return node->next;
}

size_t api_json_count(const struct cJSON *node)
{
    size_t count = 0;

    for (const cJSON *child = api_json_first(node); child != NULL; child = child->next)
        count++;
    return count;
}

/* ---- canonical form ----------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* A string of the tree, NULs restored. */
static void add_restored(struct pk_buf *out, const char *marked)
{
    struct pk_arena arena = PK_ARENA_INIT;

    json_out_string(out, restore(&arena, marked));
    pk_arena_release(&arena);
}

static void canonical_object(struct pk_buf *out, const cJSON *object, const char *skip)
{
    size_t count = api_json_count(object);
    const cJSON **members = pk_calloc(count, sizeof(const cJSON *));
    size_t n = 0;

    for (const cJSON *child = object->child; child != NULL; child = child->next)
        members[n++] = child;
    qsort(members, n, sizeof(*members), compare_nodes);
    pk_buf_add_byte(out, '{');
    for (size_t i = 0; i < n; i++) {
        if (skip != NULL && strcmp(members[i]->string, skip) == 0)
            continue;
        json_out_element(out);
        add_restored(out, members[i]->string);
        pk_buf_add_byte(out, ':');
        api_json_canonical(out, members[i], NULL);
    }
    pk_buf_add_byte(out, '}');
    free(members);
}

void api_json_canonical(struct pk_buf *out, const struct cJSON *node, const char *skip)
{
    switch (api_json_kind(node)) {
    case API_JSON_NULL:
        pk_buf_add_cstr(out, "null");
        return;
    case API_JSON_FALSE:
        pk_buf_add_cstr(out, "false");
        return;
    case API_JSON_TRUE:
        pk_buf_add_cstr(out, "true");
        return;
    case API_JSON_NUMBER:
        pk_buf_add_cstr(out, node->valuestring + 1);
        return;
    case API_JSON_STRING:
        add_restored(out, node->valuestring);
        return;
    case API_JSON_ARRAY:
        pk_buf_add_byte(out, '[');
        for (const cJSON *child = node->child; child != NULL; child = child->next) {
            json_out_element(out);
            api_json_canonical(out, child, NULL);
        }
        pk_buf_add_byte(out, ']');
        return;
    case API_JSON_OBJECT:
        canonical_object(out, node, skip);
        return;
    }
}
