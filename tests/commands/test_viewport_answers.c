/* Pksk.Viewport and Pksk.Tail as commands read them: from the engine, and from an endpoint that
 * means no good. */
#include <criterion/criterion.h>

#include "commands/viewport.h"
#include "tests/support/command_fixture.h"

/* As PK_LIT, in tables. */
#define TEXT(text)                                                                                 \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

/* Collections as "hash[items/bytes+]@partition: sort(bytes)mark item | …". */
static const char *viewport_text(struct pk_arena *arena, const struct cmd_viewport *viewport)
{
    static const char *const marks[] = {"", "+", "-"};
    struct pk_buf out = PK_BUF_INIT;
    const char *text;

    for (size_t i = 0; i < viewport->count; i++) {
        const struct cmd_viewport_collection *one = &viewport->collections[i];

        pk_buf_printf(&out, "%.*s[%llu/%llu%s]@%u:", PK_FMT(one->hash),
                      (unsigned long long)one->items, (unsigned long long)one->bytes,
                      one->more ? "+" : "", one->partition);
        for (size_t k = 0; k < one->row_count; k++)
            pk_buf_printf(&out, " %.*s(%llu)%s %.*s |", PK_FMT(one->rows[k].sort),
                          (unsigned long long)one->rows[k].bytes, marks[one->rows[k].read],
                          PK_FMT(one->rows[k].item));
        pk_buf_add_byte(&out, '\n');
    }
    if (viewport->next.len > 0)
        pk_buf_printf(&out, "next %.*s\n", PK_FMT(viewport->next));
    if (viewport->previous.len > 0)
        pk_buf_printf(&out, "previous %.*s\n", PK_FMT(viewport->previous));
    text = pk_arena_dup(arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return text;
}

static const char *tail_text(struct pk_arena *arena, const struct cmd_tail *tail)
{
    struct pk_buf out = PK_BUF_INIT;
    const char *text;

    for (size_t i = 0; i < tail->count; i++) {
        const struct cmd_tail_record *one = &tail->records[i];

        pk_buf_printf(&out, "%llu %.*s %.*s %.*s: %.*s @%u %.*s\n", (unsigned long long)one->number,
                      PK_FMT(one->table), PK_FMT(one->event), PK_FMT(one->key),
                      PK_FMT(one->changes), one->partition, PK_FMT(one->cause));
    }
    pk_buf_printf(&out, "%llu/%llu", (unsigned long long)tail->last,
                  (unsigned long long)tail->lost);
    text = pk_arena_dup(arena, pk_buf_slice(&out)).data;
    pk_buf_release(&out);
    return text;
}

/* Rows of one session: a statement, then what the viewport of the table shows. */
static const struct {
    const char *statement;
    struct cmd_viewport_request request;
    const char *text;
} views[] = {
    {NULL,
     {.table = TEXT("dashboard"), .limit = 3},
     "USER#999[2/54]@0: ORDER#55(28) total 9.99 | PROFILE(26) name 'Bob' |\n"
     "USER#123[4/118]@1: ORDER#1001(29) total 45 |\n"
     "next {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"ORDER#1002\"}}\n"},
    {"query USER#123 ORDER#* where total > 20",
     {.table = TEXT("dashboard"), .limit = 3, .from = TEXT("{\"PK\":{\"S\":\"USER#123\"}}")},
     "USER#123[4/118]@1: ORDER#1001(29)+ total 45 | ORDER#1002(30)- total 12.5 | "
     "PAYMENT#5(31) status 'paid' |\n"
     "next {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PROFILE\"}}\n"
     "previous {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"ORDER#1001\"}}\n"},
    {"get USER#999 PROFILE",
     {.table = TEXT("dashboard"), .limit = 1, .backward = true},
     "USER#123[4/118]@1: PROFILE(28) name 'Alice' |\n"
     "previous {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PROFILE\"}}\n"},
    {"SELECT * FROM dashboard WHERE PK = 'USER#999';",
     {.table = TEXT("dashboard"), .limit = 9, .per_collection = 1},
     "USER#999[2/54]@0: ORDER#55(28)+ total 9.99 |\n"
     "USER#123[4/118]@1: ORDER#1001(29) total 45 |\n"},
    {NULL,
     {.table = TEXT("dashboard"), .limit = 1, .search = TEXT("user#1")},
     "USER#123[4/118]@1: ORDER#1001(29) total 45 |\n"
     "next {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"ORDER#1002\"}}\n"
     "previous {\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"ORDER#1001\"}}\n"},
    {"use Tab", {.table = TEXT("Tab"), .limit = 9}, ""},
    {"put x 5 {G: 'g', `odd name`: [1, 'a']}",
     {.table = TEXT("Tab"), .index = TEXT("by_g"), .limit = 9},
     "g[1/24]@2: (24) N 5 · PK 'x' · odd name [1, 'a'] |\n"},
};

Test(viewport_answers, of_the_engine)
{
    struct command_fixture fx;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "use dashboard");
    /* Somebody begins to look. */
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_viewport viewport;
        const char *text;

        if (views[i].statement != NULL)
            command_must(&fx, views[i].statement);
        cr_assert_eq(cmd_viewport_take(&fx.context, &arena, &views[i].request, &viewport, &err),
                     PK_OK, "row %zu: %s", i, err.message);
        text = viewport_text(&arena, &viewport);
        cr_expect_str_eq(text, views[i].text, "row %zu: %s", i, text);
        pk_arena_release(&arena);
    }
    command_close(&fx);
}

/* What a view goes to when something was read: the first row in the order of keys. */
Test(viewport_answers, where_reads_began)
{
    static const struct {
        const char *statement, *from;
        bool row; /* it went over one */
    } reads[] = {
        {"query USER#123 ORDER#*", "{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"ORDER#1001\"}}",
         true},
        {"get USER#999 PROFILE", "{\"PK\":{\"S\":\"USER#999\"},\"SK\":{\"S\":\"PROFILE\"}}", true},
        {"query USER#123 desc limit 2",
         "{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PAYMENT#5\"}}", true},
        {"scan where total > 1000", "{\"PK\":{\"S\":\"USER#999\"},\"SK\":{\"S\":\"ORDER#55\"}}",
         true},
        {"get USER#999 nothing", "", false},
        {"get USER#123 PAYMENT#5", "{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PAYMENT#5\"}}",
         true},
        {"del USER#123 PAYMENT#5", "", true}, /* the row is gone */
    };
    const struct cmd_viewport_request request = {.table = PK_LIT("dashboard"), .limit = 1};
    struct command_fixture fx;
    uint64_t last = 0;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "use dashboard");
    command_must(&fx, "get USER#999 PROFILE"); /* nobody looks */
    for (size_t i = 0; i <= sizeof(reads) / sizeof(*reads); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_viewport viewport;

        if (i > 0)
            command_must(&fx, reads[i - 1].statement);
        cr_assert_eq(cmd_viewport_take(&fx.context, &arena, &request, &viewport, &err), PK_OK,
                     "row %zu: %s", i, err.message);
        cr_expect(pk_slice_is(viewport.read_from, i == 0 ? "" : reads[i - 1].from), "row %zu: %.*s",
                  i, PK_FMT(viewport.read_from));
        cr_expect_eq(viewport.last_read > 0, i > 0 && reads[i - 1].row, "row %zu", i);
        if (viewport.last_read > 0) {
            cr_expect_geq(viewport.last_read, last + (i < 7 ? 1 : 0), "row %zu", i);
            last = viewport.last_read;
        }
        pk_arena_release(&arena);
    }
    command_close(&fx);
}

/* What traffic reads is not what somebody read. */
Test(viewport_answers, traffic_is_not_noted)
{
    const struct cmd_viewport_request request = {.table = PK_LIT("dashboard"), .limit = 9};
    struct command_fixture fx;

    command_open(&fx);
    command_seed(&fx);
    command_must(&fx, "use dashboard");
    for (int i = 0; i < 2; i++) {
        struct cmd_response response = CMD_RESPONSE_INIT;
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_viewport viewport;

        cr_assert_eq(cmd_viewport_take(&fx.context, &arena, &request, &viewport, &err), PK_OK);
        cr_expect_eq(viewport.last_read > 0, i == 1, "turn %d", i);
        cr_expect(i == 0 ||
                  pk_slice_is(viewport.read_from,
                              "{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PROFILE\"}}"));
        command_must(&fx, "get USER#123 PROFILE");
        cmd_backend_call_once(fx.context.backend, PK_LIT("GetItem"),
                              PK_LIT("{\"TableName\":\"dashboard\",\"Key\":{\"PK\":{\"S\":"
                                     "\"USER#999\"},\"SK\":{\"S\":\"PROFILE\"}}}"),
                              NULL, &response);
        cr_expect_eq(response.code, PK_OK);
        cmd_response_release(&response);
        cmd_backend_call_once(fx.context.backend, PK_LIT("Scan"),
                              PK_LIT("{\"TableName\":\"dashboard\"}"), NULL, &response);
        cr_expect_eq(response.code, PK_OK);
        cmd_response_release(&response);
        pk_arena_release(&arena);
    }
    command_close(&fx);
}

Test(viewport_answers, refused)
{
    static const struct cmd_viewport_request requests[] = {
        {.table = TEXT("nobody")},
        {.table = TEXT("dashboard"), .from = TEXT("nonsense")},
        {.table = TEXT("dashboard"), .from = TEXT("[]")},
        {.table = TEXT("dashboard"), .from = TEXT("{\"PK\":{\"S\":\"x\"},\"Z\":{\"N\":\"1\"}}")},
    };
    static const struct {
        enum pk_code code;
        const char *message;
    } errors[] = {
        {PK_E_NOT_FOUND, "Requested resource not found"},
        {PK_E_USAGE, "the key to show from is no JSON object"},
        {PK_E_USAGE, "the key to show from is no JSON object"},
        {PK_E_VALIDATION, "The provided key element does not match the schema"},
    };
    struct command_fixture fx;

    command_open(&fx);
    command_seed(&fx);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_viewport viewport;

        cr_expect_eq(cmd_viewport_take(&fx.context, &arena, &requests[i], &viewport, &err),
                     errors[i].code, "row %zu", i);
        cr_expect_str_eq(err.message, errors[i].message, "row %zu: %s", i, err.message);
        pk_error_release(&err);
        pk_arena_release(&arena);
    }
    command_close(&fx);
}

/* An item in full has its attributes as JSON. */
Test(viewport_answers, whole)
{
    const struct cmd_viewport_request request = {
        .table = PK_LIT("dashboard"),
        .from = PK_LIT("{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PAYMENT#5\"}}"),
        .limit = 9,
        .whole = true};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct command_fixture fx;
    struct cmd_viewport viewport;

    command_open(&fx);
    command_seed(&fx);
    cr_assert_eq(cmd_viewport_take(&fx.context, &arena, &request, &viewport, &err), PK_OK);
    cr_assert_eq(viewport.count, 1);
    cr_assert_eq(viewport.collections[0].row_count, 1);
    cr_expect_str_eq(viewport.collections[0].rows[0].whole.data,
                     "{\"PK\":{\"S\":\"USER#123\"},\"SK\":{\"S\":\"PAYMENT#5\"},"
                     "\"status\":{\"S\":\"paid\"}}");
    pk_arena_release(&arena);
    command_close(&fx);
}

Test(viewport_answers, tail)
{
    const struct cmd_tail_request all = {.limit = 9};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct command_fixture fx;
    struct cmd_tail tail;
    const char *text;

    command_open(&fx);
    command_seed(&fx);
    cr_assert_eq(cmd_tail_take(&fx.context, &arena, &all, &tail, &err), PK_OK);
    cr_expect_str_eq(tail_text(&arena, &tail), "0/0");
    command_must(&fx, "use dashboard");
    command_must(&fx, "put 'a b' ORDER#7 {total: 1, tags: <<'new'>>}");
    command_must(&fx, "edit 'a b' ORDER#7 set total = 2 remove tags");
    command_must(&fx, "del 'a b' ORDER#7");
    cr_assert_eq(cmd_tail_take(&fx.context, &arena, &all, &tail, &err), PK_OK);
    text = tail_text(&arena, &tail);
    cr_expect_str_eq(text,
                     "1 dashboard INSERT 'a b' ORDER#7: tags – → <<'new'>> · total – → 1 @0 USER\n"
                     "2 dashboard MODIFY 'a b' ORDER#7: tags <<'new'>> → – · total 1 → 2 @0 USER\n"
                     "3 dashboard REMOVE 'a b' ORDER#7: total 2 → – @0 USER\n"
                     "3/0",
                     "%s", text);
    pk_arena_release(&arena);
    command_close(&fx);
}

/* ---- answers that mean no good --------------------------------------------------------------- */

struct canned {
    struct cmd_backend backend; /* first */
    const char *answer;
};

static void canned_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                        const atomic_bool *cancel, struct cmd_response *response)
{
    (void)operation;
    (void)request;
    (void)cancel;
    response->http = 200;
    pk_buf_add_cstr(&response->body, ((struct canned *)backend)->answer);
}

static const struct cmd_backend_ops canned_ops = {.call = canned_call};

static const struct {
    const char *answer, *viewport, *tail;
} answers[] = {
    {"{}", "", "0/0"},
    {"[]", "", "0/0"},
    {"7", "", "0/0"},
    {"{\"Collections\":{},\"Next\":[],\"Previous\":\"x\",\"Records\":7,\"Last\":-3,\"Lost\":\"9\"}",
     "", "0/0"},
    {"{\"Collections\":[7],\"Records\":[7]}", "", "0/0"},
    {"{\"Last\":1e300,\"Lost\":9007199254740993}", "", "9007199254740992/9007199254740992"},
    {"{\"Hash\":[\"a\",7,{}],\"Range\":\"b\",\"Collections\":[{},{\"HashKey\":{\"a\":{\"M\":{}}},"
     "\"Items\":-1,\"Bytes\":\"x\",\"More\":7,\"Partition\":1e20,\"Rows\":[{},{\"Key\":7,"
     "\"Item\":{\"x\":7,\"y\":{\"N\":\"abc\"}},\"Read\":\"SOMETIMES\",\"Cut\":5}]}]}",
     "[0/0]@0:\n[0/0]@4294967295: (0)  | (0)  |\n", "0/0"},
    {"{\"Records\":[{},{\"Keys\":{\"a\":{\"S\":\"k\"},\"b\":{\"L\":[]}},\"Old\":7,"
     "\"New\":{\"v\":{\"N\":\"1\"}},\"Time\":1e300,\"Partition\":-1,\"Event\":7}]}",
     "", "0   :  @0 \n0   k: v – → 1 @0 \n0/0"},
};

Test(viewport_answers, hostile)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        const struct cmd_viewport_request request = {.table = PK_LIT("T")};
        const struct cmd_tail_request of_tail = {.limit = 9};
        struct canned canned = {.backend = {.ops = &canned_ops, .extensions = true},
                                .answer = answers[i].answer};
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct cmd_context context;
        struct cmd_viewport viewport;
        struct cmd_tail tail;
        const char *text;

        cmd_context_init(&context, &canned.backend, NULL);
        cr_assert_eq(cmd_viewport_take(&context, &arena, &request, &viewport, &err), PK_OK);
        text = viewport_text(&arena, &viewport);
        cr_expect_str_eq(text, answers[i].viewport, "row %zu: %s", i, text);
        cr_assert_eq(cmd_tail_take(&context, &arena, &of_tail, &tail, &err), PK_OK);
        text = tail_text(&arena, &tail);
        cr_expect_str_eq(text, answers[i].tail, "row %zu: %s", i, text);
        cmd_context_release(&context);
        pk_arena_release(&arena);
    }
}

/* More rows and records than were asked for, texts without end. */
Test(viewport_answers, too_much)
{
    const struct cmd_viewport_request request = {.table = PK_LIT("T")};
    const struct cmd_tail_request of_tail = {.limit = 9};
    struct canned canned = {.backend = {.ops = &canned_ops, .extensions = true}};
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf answer = PK_BUF_INIT;
    struct cmd_context context;
    struct cmd_viewport viewport;
    struct cmd_tail tail;
    size_t rows = 0;

    pk_buf_add_cstr(&answer, "{\"Hash\":[\"a\"],\"Records\":[");
    for (int i = 0; i < 1000; i++)
        pk_buf_printf(&answer, "%s{}", i == 0 ? "" : ",");
    pk_buf_add_cstr(&answer, "],\"Collections\":[");
    for (int i = 0; i < 700; i++)
        pk_buf_printf(&answer,
                      "%s{\"HashKey\":{\"a\":{\"S\":\"%09000d\"}},\"Rows\":[{\"Item\":{\"t\":"
                      "{\"S\":\"%0900d\"}}},{}]}",
                      i == 0 ? "" : ",", i, i);
    pk_buf_add_cstr(&answer, "]}");
    canned.answer = answer.data;
    cmd_context_init(&context, &canned.backend, NULL);
    cr_assert_eq(cmd_viewport_take(&context, &arena, &request, &viewport, &err), PK_OK);
    cr_expect_eq(viewport.count, 500);
    for (size_t i = 0; i < viewport.count; i++) {
        rows += viewport.collections[i].row_count;
        cr_assert_leq(viewport.collections[i].hash.len, 4096 + 3);
        for (size_t k = 0; k < viewport.collections[i].row_count; k++)
            cr_assert_leq(viewport.collections[i].rows[k].item.len, 200 + 3);
    }
    cr_expect_eq(rows, 500);
    cr_assert_eq(cmd_tail_take(&context, &arena, &of_tail, &tail, &err), PK_OK);
    cr_expect_eq(tail.count, 700);
    cmd_context_release(&context);
    pk_arena_release(&arena);
    pk_buf_release(&answer);
}
