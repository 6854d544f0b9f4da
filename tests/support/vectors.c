/* See the header. */
#include "tests/support/vectors.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define PREFIX "1 validation error detected: "

/* ---- comparing ---------------------------------------------------------------------------- */

static bool same(const cJSON *a, const cJSON *b, const cJSON *unordered);

static bool is_set_name(const char *name)
{
    return name != NULL &&
           (strcmp(name, "SS") == 0 || strcmp(name, "NS") == 0 || strcmp(name, "BS") == 0);
}

static bool is_unordered(const char *name, const cJSON *unordered)
{
    const cJSON *word;

    cJSON_ArrayForEach(word, unordered)
    {
        if (name != NULL && strcmp(name, word->valuestring) == 0)
            return true;
    }
    return is_set_name(name);
}

/* Every element of a has its own partner in b. */
static bool same_multiset(const cJSON *a, const cJSON *b, const cJSON *unordered)
{
    size_t count = (size_t)cJSON_GetArraySize(b);
    bool *taken = calloc(count + 1, sizeof(bool));
    bool found = taken != NULL && (size_t)cJSON_GetArraySize(a) == count;

    for (const cJSON *x = a->child; x != NULL && found; x = x->next) {
        size_t i = 0;

        found = false;
        for (const cJSON *y = b->child; y != NULL && !found; y = y->next, i++) {
            found = !taken[i] && same(x, y, unordered);
            if (found)
                taken[i] = true;
        }
    }
    free(taken);
    return found;
}

static bool same_array(const cJSON *a, const cJSON *b, const cJSON *unordered)
{
    const cJSON *y = b->child;

    for (const cJSON *x = a->child; x != NULL; x = x->next, y = y->next) {
        if (y == NULL || !same(x, y, unordered))
            return false;
    }
    return y == NULL;
}

static bool same_object(const cJSON *a, const cJSON *b, const cJSON *unordered)
{
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
        return false;
    for (const cJSON *x = a->child; x != NULL; x = x->next) {
        const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, x->string);

        if (y == NULL)
            return false;
        if (cJSON_IsArray(x) && cJSON_IsArray(y) && is_unordered(x->string, unordered)) {
            if (!same_multiset(x, y, unordered))
                return false;
        } else if (!same(x, y, unordered)) {
            return false;
        }
    }
    return true;
}

static bool same(const cJSON *a, const cJSON *b, const cJSON *unordered)
{
    if (cJSON_IsObject(a) && cJSON_IsObject(b))
        return same_object(a, b, unordered);
    if (cJSON_IsArray(a) && cJSON_IsArray(b))
        return same_array(a, b, unordered);
    return cJSON_Compare(a, b, 1);
}

/* The n faults of "n validation errors detected: e1; e2" hold all of the other message's. */
static bool same_faults(const char *a, const char *b)
{
    const char *head = strstr(a, " detected: ");
    size_t head_length = head == NULL ? 0 : (size_t)(head - a) + strlen(" detected: ");

    if (head == NULL || strlen(a) != strlen(b) || strncmp(a, b, head_length) != 0)
        return false;
    for (const char *fault = a + head_length; *fault != '\0';) {
        const char *end = strstr(fault, "; Value ");
        size_t length = end == NULL ? strlen(fault) : (size_t)(end - fault);

        if (memmem(b, strlen(b), fault, length) == NULL)
            return false;
        fault += length + (end == NULL ? 0 : 2);
    }
    return true;
}

static const char *without_prefix(const char *message)
{
    size_t length = strlen(PREFIX);

    return strncmp(message, PREFIX, length) == 0 ? message + length : message;
}

static bool same_message(const char *wanted, const char *got)
{
    return strcmp(without_prefix(wanted), without_prefix(got)) == 0 || same_faults(wanted, got);
}

/* ---- running ------------------------------------------------------------------------------ */

struct runner {
    struct cmd_backend *backend;
    const char *vector; /* name of the one that runs */
    cJSON *disputed;    /* array of {"name", "expect", "why"} */
    size_t failures;
};

static void complain(struct runner *runner, const char *what, const cJSON *request,
                     const char *wanted, const char *got)
{
    char *text = cJSON_PrintUnformatted(request);

    runner->failures++;
    cr_log_error("%s: %s\n  request %.600s\n  wanted  %.600s\n  got     %.600s", runner->vector,
                 what, text, wanted, got);
    free(text);
}

/* Puts long strings in place of their short notation. */
static void expand(cJSON *node)
{
    for (cJSON *child = node->child; child != NULL; child = child->next) {
        const cJSON *repeat = cJSON_GetObjectItemCaseSensitive(child, "$repeat");

        if (repeat != NULL) {
            size_t count = (size_t)cJSON_GetArrayItem(repeat, 1)->valueint;
            char *text = pk_malloc(count + 1);

            memset(text, cJSON_GetArrayItem(repeat, 0)->valuestring[0], count);
            text[count] = '\0';
            cJSON_Delete(child->child);
            child->child = NULL;
            child->type = cJSON_String;
            child->valuestring = text;
        } else {
            expand(child);
        }
    }
}

/* The caller releases *response. */
static void call(struct runner *runner, const cJSON *request, struct cmd_response *response)
{
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(request, "op");
    const cJSON *raw = cJSON_GetObjectItemCaseSensitive(request, "raw");
    cJSON *body = cJSON_Duplicate(request, 1);
    char *text;

    cJSON_DeleteItemFromObjectCaseSensitive(body, "op");
    text = cJSON_PrintUnformatted(body);
    runner->backend->ops->call(runner->backend, pk_slice_cstr(op->valuestring),
                               pk_slice_cstr(cJSON_IsString(raw) ? raw->valuestring : text), NULL,
                               response);
    free(text);
    cJSON_Delete(body);
}

static bool error_matches(const cJSON *wanted, const cJSON *got)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(got, "__type");
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(got, "message");
    const cJSON *want_message = cJSON_GetObjectItemCaseSensitive(wanted, "message");
    static const char *const members[] = {"Item", "CancellationReasons"};
    const cJSON *word;
    const char *name = cJSON_IsString(type) ? strchr(type->valuestring, '#') : NULL;

    if (message == NULL)
        message = cJSON_GetObjectItemCaseSensitive(got, "Message");
    if (name == NULL ||
        strcmp(name + 1, cJSON_GetObjectItemCaseSensitive(wanted, "type")->valuestring) != 0)
        return false;
    if (cJSON_IsNull(want_message))
        return message == NULL;
    if (want_message != NULL &&
        (message == NULL || !same_message(want_message->valuestring, message->valuestring)))
        return false;
    cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(wanted, "contains"))
    {
        if (message == NULL || strstr(message->valuestring, word->valuestring) == NULL)
            return false;
    }
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(wanted, members[i]);
        const cJSON *actual = cJSON_GetObjectItemCaseSensitive(got, members[i]);

        if (member != NULL && (actual == NULL || !same(member, actual, NULL)))
            return false;
    }
    return true;
}

static void expect(struct runner *runner, const cJSON *request, const cJSON *wanted,
                   const cJSON *unordered)
{
    const cJSON *response_wanted = cJSON_GetObjectItemCaseSensitive(wanted, "response");
    const cJSON *error_wanted = cJSON_GetObjectItemCaseSensitive(wanted, "error");
    struct cmd_response response = CMD_RESPONSE_INIT;
    char *text = cJSON_PrintUnformatted(wanted);
    cJSON *got;
    bool good;

    call(runner, request, &response);
    /* over HTTP two operations have no body */
    got = response.body.len == 0 ? cJSON_CreateObject() : cJSON_Parse(response.body.data);
    if (response_wanted == NULL && error_wanted == NULL)
        good = response.http == 200;
    else if (response_wanted != NULL)
        good = response.http == 200 && got != NULL && same(response_wanted, got, unordered);
    else
        good = response.http >= 400 && got != NULL && error_matches(error_wanted, got);
    if (!good)
        complain(runner, "unexpected answer", request, text, response.body.data);
    free(text);
    cJSON_Delete(got);
    cmd_response_release(&response);
}

static void delete_tables(struct runner *runner)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    cJSON *list;
    const cJSON *name;

    runner->backend->ops->call(runner->backend, PK_LIT("ListTables"), PK_LIT("{}"), NULL,
                               &response);
    list = cJSON_Parse(response.body.data);
    cmd_response_release(&response);
    cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(list, "TableNames"))
    {
        cJSON *request = cJSON_CreateObject();

        cJSON_AddStringToObject(request, "op", "DeleteTable");
        cJSON_AddStringToObject(request, "TableName", name->valuestring);
        call(runner, request, &response);
        cr_assert_eq(response.http, 200, "cannot delete %s: %s", name->valuestring,
                     response.body.data);
        cmd_response_release(&response);
        cJSON_Delete(request);
    }
    cJSON_Delete(list);
}

static const cJSON *expected_of(const struct runner *runner, const cJSON *vector)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, runner->disputed)
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(row, "name")->valuestring, runner->vector) == 0)
            return cJSON_GetObjectItemCaseSensitive(row, "expect");
    }
    return cJSON_GetObjectItemCaseSensitive(vector, "expect");
}

static void run_vector(struct runner *runner, const cJSON *vector)
{
    const cJSON *unordered = cJSON_GetObjectItemCaseSensitive(vector, "unordered");
    const cJSON *step;

    runner->vector = cJSON_GetObjectItemCaseSensitive(vector, "name")->valuestring;
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(vector, "setup"))
    {
        struct cmd_response response = CMD_RESPONSE_INIT;

        call(runner, step, &response);
        if (response.http != 200)
            complain(runner, "the setup failed", step, "success", response.body.data);
        cmd_response_release(&response);
    }
    expect(runner, cJSON_GetObjectItemCaseSensitive(vector, "request"), expected_of(runner, vector),
           unordered);
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(vector, "after"))
    {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(step, "unordered");

        expect(runner, cJSON_GetObjectItemCaseSensitive(step, "request"),
               cJSON_GetObjectItemCaseSensitive(step, "expect"), own != NULL ? own : unordered);
    }
    delete_tables(runner);
}

static void check_store(struct runner *runner)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    cJSON *answer;
    const cJSON *faults;

    runner->backend->ops->call(runner->backend, PK_LIT("Pksk.Check"), PK_LIT("{}"), NULL,
                               &response);
    answer = cJSON_Parse(response.body.data);
    faults = cJSON_GetObjectItemCaseSensitive(answer, "Faults");
    cr_expect(response.http == 200 && cJSON_IsNumber(faults) && faults->valueint == 0, "check: %s",
              response.body.data);
    cJSON_Delete(answer);
    cmd_response_release(&response);
}

static cJSON *read_disputed(void)
{
    FILE *file = fopen("tests/vectors/disputed.jsonl", "r");
    cJSON *rows = cJSON_CreateArray();
    char *line = NULL;
    size_t size = 0;

    cr_assert_not_null(file);
    while (getline(&line, &size, file) > 0)
        cJSON_AddItemToArray(rows, cJSON_Parse(line));
    free(line);
    (void)fclose(file);
    return rows;
}

void vectors_run(struct cmd_backend *backend, const char *path)
{
    struct runner runner = {.backend = backend, .disputed = read_disputed()};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    size_t count = 0;

    cr_assert_not_null(file, "cannot open %s", path);
    while (getline(&line, &size, file) > 0) {
        cJSON *vector = cJSON_Parse(line);

        cr_assert_not_null(vector, "%s: line %zu is not JSON", path, count + 1);
        expand(vector);
        run_vector(&runner, vector);
        cJSON_Delete(vector);
        count++;
    }
    free(line);
    (void)fclose(file);
    check_store(&runner);
    cJSON_Delete(runner.disputed);
    cr_assert_gt(count, 0);
    cr_expect_eq(runner.failures, 0, "%zu of %zu vectors of %s differ", runner.failures, count,
                 path);
}
