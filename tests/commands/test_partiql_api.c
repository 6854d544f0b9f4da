/* The PartiQL operations where one request is not enough: paging with NextToken, and sizes. What
 * one request shows is in tests/vectors/partiql.jsonl. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/backend.h"

struct fixture {
    struct pk_engine *engine;
    struct cmd_backend *backend;
};

static void open_fixture(struct fixture *fixture)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_open(&options, &fixture->engine, &err), PK_OK, "%s", err.message);
    fixture->backend = cmd_backend_local_new(fixture->engine);
}

static void close_fixture(struct fixture *fixture)
{
    cmd_backend_free(fixture->backend);
    pk_engine_close(fixture->engine);
}

/* The answer, to be deleted by the caller. *http (may be NULL) is its status. */
static cJSON *call(struct fixture *fixture, const char *operation, const char *request, int *http)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    cJSON *answer;

    fixture->backend->ops->call(fixture->backend, pk_slice_cstr(operation), pk_slice_cstr(request),
                                NULL, &response);
    if (http != NULL)
        *http = response.http;
    else
        cr_assert_eq(response.http, 200, "%s: %s", request, response.body.data);
    answer = cJSON_ParseWithLength(response.body.data, response.body.len);
    cr_assert_neq(answer, NULL);
    cmd_response_release(&response);
    return answer;
}

static void run(struct fixture *fixture, const char *operation, const char *request)
{
    cJSON_Delete(call(fixture, operation, request, NULL));
}

/* Table "grp" (pk S, sk N): 4 items of each of a, b, c, d; table "one" (id N): 1 to 6. */
static void make_tables(struct fixture *fixture)
{
    char request[256];

    run(fixture, "CreateTable",
        "{\"TableName\":\"grp\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
        "{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"sk\",\"AttributeType\":\"N\"}],\"KeySchema\":["
        "{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},"
        "{\"AttributeName\":\"sk\",\"KeyType\":\"RANGE\"}]}");
    run(fixture, "CreateTable",
        "{\"TableName\":\"one\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
        "{\"AttributeName\":\"id\",\"AttributeType\":\"N\"}],\"KeySchema\":["
        "{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"}]}");
    for (int i = 0; i < 16; i++) {
        snprintf(request, sizeof(request),
                 "{\"Statement\":\"INSERT INTO grp VALUE {'pk':'%c','sk':%d,'x':%d}\"}",
                 'a' + i / 4, i % 4, i % 2);
        run(fixture, "ExecuteStatement", request);
    }
    for (int i = 1; i <= 6; i++) {
        snprintf(request, sizeof(request), "{\"Statement\":\"INSERT INTO one VALUE {'id':%d}\"}",
                 i);
        run(fixture, "ExecuteStatement", request);
    }
}

/* The items of all pages as text, one after another; the number of pages in *pages. */
static char *read_all(struct fixture *fixture, const char *statement, int limit, size_t *pages)
{
    char *token = NULL;
    struct pk_buf all = PK_BUF_INIT;

    *pages = 0;
    do {
        struct pk_buf request = PK_BUF_INIT;
        cJSON *answer;
        const cJSON *item, *next;

        pk_buf_printf(&request, "{\"Statement\":\"%s\"", statement);
        if (limit > 0)
            pk_buf_printf(&request, ",\"Limit\":%d", limit);
        if (token != NULL)
            pk_buf_printf(&request, ",\"NextToken\":\"%s\"", token);
        pk_buf_add_byte(&request, '}');
        answer = call(fixture, "ExecuteStatement", request.data, NULL);
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(answer, "Items"))
        {
            char *text = cJSON_PrintUnformatted(item);

            pk_buf_add_cstr(&all, text);
            cJSON_free(text);
        }
        free(token);
        next = cJSON_GetObjectItem(answer, "NextToken");
        token = next == NULL ? NULL : pk_memdup_cstr(next->valuestring, strlen(next->valuestring));
        cJSON_Delete(answer);
        pk_buf_release(&request);
        cr_assert_lt(++*pages, 100, "%s", statement);
    } while (token != NULL);
    return pk_buf_detach(&all);
}

/* Pages of any size, put together, are the unpaged answer. */
Test(partiql_api, pages_join_without_gap_or_repeat)
{
    static const struct {
        const char *statement;
        size_t evaluated;
    } cases[] = {
        {"SELECT * FROM grp", 16},
        {"SELECT sk FROM grp WHERE x = 1", 16},
        {"SELECT * FROM grp WHERE pk = 'b'", 4},
        {"SELECT * FROM grp WHERE pk = 'b' ORDER BY sk DESC", 4},
        {"SELECT * FROM grp WHERE pk IN ['c','a','d']", 12},
        {"SELECT * FROM grp WHERE pk IN ['c','a','zz','d'] AND sk > 1", 6},
        {"SELECT * FROM grp WHERE pk IN ['c','a','d'] AND sk = 2", 3},
        {"SELECT * FROM grp WHERE pk IN ['c','a'] AND x = 1 ORDER BY pk DESC, sk DESC", 8},
        {"SELECT * FROM grp WHERE pk = 'a' AND sk = 1 OR pk = 'a' AND sk <> 3 OR pk = 'd'", 8},
        {"SELECT * FROM one", 6},
        {"SELECT * FROM one WHERE id IN [5, 1, 3, 99]", 3},
        {"SELECT * FROM grp WHERE pk = 'a' AND sk = 1", 1},
    };
    struct fixture fixture;

    open_fixture(&fixture);
    make_tables(&fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t pages;
        char *whole = read_all(&fixture, cases[i].statement, 0, &pages);

        cr_expect_eq(pages, 1, "%s", cases[i].statement);
        for (int limit = 1; limit <= 17; limit++) {
            char *paged = read_all(&fixture, cases[i].statement, limit, &pages);

            cr_expect_str_eq(paged, whole, "%s by %d", cases[i].statement, limit);
            cr_expect_leq(pages, cases[i].evaluated / (size_t)limit + 1, "%s by %d: %zu pages",
                          cases[i].statement, limit, pages);
            free(paged);
        }
        free(whole);
    }
    close_fixture(&fixture);
}

static char *first_token(struct fixture *fixture)
{
    cJSON *answer = call(fixture, "ExecuteStatement",
                         "{\"Statement\":\"SELECT * FROM grp WHERE x = ?\","
                         "\"Parameters\":[{\"N\":\"1\"}],\"Limit\":3}",
                         NULL);
    const char *text = cJSON_GetObjectItem(answer, "NextToken")->valuestring;
    char *token = pk_memdup_cstr(text, strlen(text));

    cr_expect_neq(cJSON_GetObjectItem(answer, "LastEvaluatedKey"), NULL);
    cJSON_Delete(answer);
    return token;
}

/* The message a token gets with this request. */
static void expect_message(struct fixture *fixture, const char *token, const char *statement,
                           const char *parameter, const char *message)
{
    struct pk_buf request = PK_BUF_INIT;
    int http = 0;
    cJSON *answer;

    pk_buf_printf(&request,
                  "{\"Statement\":\"%s\",\"Parameters\":[{\"N\":\"%s\"}],"
                  "\"NextToken\":\"%s\"}",
                  statement, parameter, token);
    answer = call(fixture, "ExecuteStatement", request.data, &http);
    cr_expect_eq(http, 400, "%s", request.data);
    cr_expect_str_eq(cJSON_GetObjectItem(answer, "message")->valuestring, message);
    cJSON_Delete(answer);
    pk_buf_release(&request);
}

Test(partiql_api, tokens_are_bound_to_their_request)
{
    static const char statement[] = "SELECT * FROM grp WHERE x = ?";
    static const char mismatch[] = "NextToken does not match request";
    struct fixture fixture;
    char *token;

    open_fixture(&fixture);
    make_tables(&fixture);
    token = first_token(&fixture);
    expect_message(&fixture, token, "SELECT * FROM grp WHERE x > ?", "1", mismatch);
    expect_message(&fixture, token, "SELECT * FROM one WHERE x = ?", "1", mismatch);
    expect_message(&fixture, token, statement, "0", mismatch);
    for (size_t i = 0; token[i] != '\0' && token[i] != '='; i++) {
        char kept = token[i];

        token[i] = kept == 'A' ? 'B' : 'A';
        expect_message(&fixture, token, statement, "1", "Invalid NextToken");
        token[i] = kept;
    }
    expect_message(&fixture, "AAAA", statement, "1", "Invalid NextToken");

    /* a table of the same name is another table */
    run(&fixture, "DeleteTable", "{\"TableName\":\"grp\"}");
    run(&fixture, "DeleteTable", "{\"TableName\":\"one\"}");
    make_tables(&fixture);
    expect_message(&fixture, token, statement, "1", mismatch);
    free(token);
    close_fixture(&fixture);
}

/* A page ends at 1 MB also when it holds several partition keys. */
Test(partiql_api, a_page_of_groups_ends_at_one_megabyte)
{
    enum { BIG = 300000 };
    struct fixture fixture;
    struct pk_buf request = PK_BUF_INIT;
    size_t pages;
    char *all;

    open_fixture(&fixture);
    make_tables(&fixture);
    for (int i = 0; i < 6; i++) {
        pk_buf_clear(&request);
        pk_buf_printf(&request,
                      "{\"Statement\":\"UPDATE grp SET big = ? WHERE pk = '%c' AND "
                      "sk = 0\",\"Parameters\":[{\"S\":\"",
                      'a' + i % 4);
        memset(pk_buf_reserve(&request, BIG), 'x', BIG);
        request.len += BIG;
        pk_buf_add_cstr(&request, "\"}]}");
        run(&fixture, "ExecuteStatement", request.data);
    }
    all = read_all(&fixture, "SELECT sk FROM grp WHERE pk IN ['a','b','c','d']", 0, &pages);
    cr_expect_eq(pages, 1, "%zu", pages); /* 1.2 MB, but the fourth read crosses the border */
    free(all);
    all =
        read_all(&fixture, "SELECT pk FROM grp WHERE pk IN ['a','b','c','d','zz','a1']", 0, &pages);
    cr_expect_eq(pages, 2, "%zu", pages);
    free(all);
    pk_buf_release(&request);
    close_fixture(&fixture);
}

Test(partiql_api, an_item_too_large_is_refused)
{
    enum { BIG = 409600 };
    struct fixture fixture;
    struct pk_buf request = PK_BUF_INIT;
    int http = 0;
    cJSON *answer;

    open_fixture(&fixture);
    make_tables(&fixture);
    pk_buf_add_cstr(&request, "{\"Statement\":\"INSERT INTO one VALUE {'id':9,'x':?}\","
                              "\"Parameters\":[{\"S\":\"");
    memset(pk_buf_reserve(&request, BIG), 'x', BIG);
    request.len += BIG;
    pk_buf_add_cstr(&request, "\"}]}");
    answer = call(&fixture, "ExecuteStatement", request.data, &http);
    cr_expect_str_eq(cJSON_GetObjectItem(answer, "message")->valuestring,
                     "Item size has exceeded the maximum allowed size");
    cJSON_Delete(answer);
    pk_buf_release(&request);
    close_fixture(&fixture);
}

/* Where in the statement, and what was meant: for the shell. */
Test(partiql_api, errors_carry_span_and_hint)
{
    struct fixture fixture;
    struct cmd_response response = CMD_RESPONSE_INIT;

    open_fixture(&fixture);
    make_tables(&fixture);
    fixture.backend->ops->call(fixture.backend, PK_LIT("ExecuteStatement"),
                               PK_LIT("{\"Statement\":\"DELETE FROM grp WHERE pk = 'a'\"}"), NULL,
                               &response);
    cr_expect_eq(response.code, PK_E_VALIDATION);
    cr_expect(response.has_span);
    cr_expect_eq(response.span.start, 22);
    cr_expect_eq(response.span.len, 8);
    cr_assert_neq(response.hint, NULL);
    cr_expect_str_eq(response.hint, "DELETE changes one item: WHERE must say sk = …");
    cmd_response_release(&response);
    close_fixture(&fixture);
}
