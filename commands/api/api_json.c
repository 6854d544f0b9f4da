/*
 * The pre-pass, the parse, and the accessors that undo the pre-pass's marks (api_json.h).
 *
 * cJSON_InitHooks is process-wide, so it is called once, here and nowhere else. The hooks ask a
 * thread-local which arena to use; it is set only while this file parses. A tree made here is never
 * given to cJSON_Delete; one made elsewhere in the process comes from the heap and is.
 */
#include "commands/api/api_json.h"

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdlib.h>

#include "commands/api/json_out.h"
#include "engine/base/utf8.h"

#define MARK_NUMBER '\xC1' /* first byte of the string that stands for a number */
#define MARK_NUL    "\xC0\x80"

enum { PAIRWISE_MAX = 8 }; /* objects up to this size are compared name by name */

/* ---- allocation --------------------------------------------------------------------------- */

static _Thread_local struct pk_arena *parsing;

static void *hook_malloc(size_t size)
{
    return parsing != NULL ? pk_arena_alloc(parsing, size) : pk_malloc(size);
}

static void hook_free(void *block)
{
    if (parsing == NULL)
        free(block);
}

static void set_hooks(void)
{
    cJSON_Hooks hooks = {.malloc_fn = hook_malloc, .free_fn = hook_free};

    cJSON_InitHooks(&hooks);
}

static pthread_once_t hooks_once = PTHREAD_ONCE_INIT;

/* ---- pre-pass ----------------------------------------------------------------------------- */

struct scan {
    pk_slice in;
    size_t pos;
    struct pk_buf out;
    size_t depth;
    const char *fault; /* NULL: none yet */
};

static unsigned char peek(const struct scan *scan, size_t ahead)
{
    return scan->pos + ahead < scan->in.len ? (unsigned char)scan->in.data[scan->pos + ahead] : 0;
}

static bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static void copy(struct scan *scan, size_t n)
{
    pk_buf_add(&scan->out, (pk_slice){scan->in.data + scan->pos, n});
    scan->pos += n;
}

/* The four hex digits at `ahead`, or -1. */
static int32_t hex4(const struct scan *scan, size_t ahead)
{
    int32_t code = 0;

    for (size_t i = 0; i < 4; i++) {
        unsigned char byte = peek(scan, ahead + i);
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

static void scan_unicode_escape(struct scan *scan)
{
    int32_t code = hex4(scan, 2);

    if (code == 0) {
        pk_buf_add(&scan->out, PK_LIT(MARK_NUL));
        scan->pos += 6;
    } else if (code < 0) {
        scan->fault = "a bad \\u escape";
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        scan->fault = "half of a surrogate pair";
    } else if (code >= 0xD800 && code <= 0xDBFF) {
        int32_t low = peek(scan, 6) == '\\' && peek(scan, 7) == 'u' ? hex4(scan, 8) : -1;

        if (low < 0xDC00 || low > 0xDFFF)
            scan->fault = "half of a surrogate pair";
        else
            copy(scan, 12);
    } else {
        copy(scan, 6);
    }
}

static void scan_escape(struct scan *scan)
{
    unsigned char letter = peek(scan, 1);

    if (letter == 'u')
        scan_unicode_escape(scan);
    else if (letter != 0 && strchr("\"\\/bfnrt", letter) != NULL)
        copy(scan, 2);
    else
        scan->fault = "a bad escape";
}

static void scan_string(struct scan *scan)
{
    copy(scan, 1);
    while (scan->fault == NULL) {
        size_t run = 0;
        unsigned char byte;

        while ((byte = peek(scan, run)) >= 0x20 && byte != '"' && byte != '\\')
            run++;
        copy(scan, run);
        if (byte == '"') {
            copy(scan, 1);
            return;
        }
        if (byte == '\\')
            scan_escape(scan);
        else
            scan->fault =
                scan->pos < scan->in.len ? "a control byte in a string" : "a string without end";
    }
}

/* Digits from `ahead` on; returns how far they reach, `ahead` itself when there are none. */
static size_t digits(const struct scan *scan, size_t ahead)
{
    while (is_digit(peek(scan, ahead)))
        ahead++;
    return ahead;
}

/* number = ["-"] ("0" | 1-9 {digit}) ["." digit {digit}] [("e" | "E") ["+" | "-"] digit {digit}] */
static size_t number_length(const struct scan *scan)
{
    size_t at = peek(scan, 0) == '-' ? 1 : 0;
    size_t end = peek(scan, at) == '0' ? at + 1 : digits(scan, at);

    if (end == at)
        return 0;
    if (peek(scan, end) == '.') {
        at = end + 1;
        end = digits(scan, at);
        if (end == at)
            return 0;
    }
    if (peek(scan, end) == 'e' || peek(scan, end) == 'E') {
        at = end + 1;
        if (peek(scan, at) == '+' || peek(scan, at) == '-')
            at++;
        end = digits(scan, at);
        if (end == at)
            return 0;
    }
    return is_digit(peek(scan, end)) ? 0 : end;
}

static void scan_number(struct scan *scan)
{
    size_t length = number_length(scan);

    if (length == 0) {
        scan->fault = "a malformed number";
        return;
    }
    pk_buf_add_byte(&scan->out, '"');
    pk_buf_add_byte(&scan->out, (unsigned char)MARK_NUMBER);
    copy(scan, length);
    pk_buf_add_byte(&scan->out, '"');
}

static void scan_token(struct scan *scan, unsigned char byte)
{
    switch (byte) {
    case '"':
        scan_string(scan);
        return;
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        pk_buf_add_byte(&scan->out, ' ');
        scan->pos++;
        return;
    case '{':
    case '[':
        if (++scan->depth > API_JSON_DEPTH_MAX)
            scan->fault = "too much nesting";
        copy(scan, 1);
        return;
    case '}':
    case ']':
        scan->depth -= scan->depth > 0;
        copy(scan, 1);
        return;
    case ',':
    case ':':
        copy(scan, 1);
        return;
    default:
        break;
    }
    if (byte == '-' || is_digit(byte))
        scan_number(scan);
    else if (byte >= 'a' && byte <= 'z')
        copy(scan, 1); /* true, false, null: spelt out by cJSON */
    else
        scan->fault = "an unexpected byte";
}

/* ---- after the parse ---------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that occurs twice among the object's members, or NULL. */
static const char *repeated_name(struct pk_arena *arena, const cJSON *object)
{
    size_t count = api_json_count(object);
    const char **names;
    size_t n = 0;

    if (count <= PAIRWISE_MAX) {
        for (const cJSON *a = object->child; a != NULL; a = a->next) {
            for (const cJSON *b = a->next; b != NULL; b = b->next) {
                if (strcmp(a->string, b->string) == 0)
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

/* The message is empty, as AWS's is; what is wrong stands in the hint. */
static enum pk_code refuse(struct pk_error *err)
{
    (void)pk_fail(err, PK_E_SERIALIZATION, "%s", "");
    pk_error_hint(err, "the request is not JSON");
    return PK_E_SERIALIZATION;
}

/* Refuses repeated names (one value would silently win), and numbers in place of names, which the
 * pre-pass made look like strings. */
static enum pk_code check_names(struct pk_arena *arena, const cJSON *node, struct pk_error *err)
{
    if (api_json_kind(node) == API_JSON_OBJECT) {
        const char *name = repeated_name(arena, node);

        if (name != NULL) {
            (void)refuse(err);
            pk_error_hint(err, "the request has the member '%s' twice", name);
            return PK_E_SERIALIZATION;
        }
    }
    for (const cJSON *child = node->child; child != NULL; child = child->next) {
        enum pk_code rc = child->child == NULL ? PK_OK : check_names(arena, child, err);

        if (rc == PK_OK && child->string != NULL && child->string[0] == MARK_NUMBER)
            rc = refuse(err);
        if (rc != PK_OK)
            return rc;
    }
    return PK_OK;
}

static const cJSON *parse(struct pk_arena *arena, const struct pk_buf *text)
{
    const cJSON *root;

    pthread_once(&hooks_once, set_hooks);
    parsing = arena;
    root = cJSON_ParseWithLengthOpts(text->data, text->len + 1, NULL, 1);
    parsing = NULL;
    return root;
}

enum pk_code api_json_parse(struct pk_arena *arena, pk_slice body, const struct cJSON **root,
                            struct pk_error *err)
{
    struct scan scan = {.in = body, .out = PK_BUF_INIT};
    const cJSON *tree = NULL;

    pk_buf_reserve(&scan.out, body.len + 1);
    if (!pk_utf8_valid(body))
        scan.fault = "invalid UTF-8";
    while (scan.fault == NULL && scan.pos < body.len)
        scan_token(&scan, (unsigned char)body.data[scan.pos]);
    if (scan.fault == NULL && scan.out.len > 0)
        tree = parse(arena, &scan.out);
    pk_buf_release(&scan.out);
    if (tree == NULL) {
        (void)refuse(err);
        if (scan.fault != NULL)
            pk_error_hint(err, "the request has %s near byte %zu", scan.fault, scan.pos + 1);
        return PK_E_SERIALIZATION;
    }
    *root = tree;
    return check_names(arena, tree, err);
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
        if (strcmp(node->string, name) == 0)
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
