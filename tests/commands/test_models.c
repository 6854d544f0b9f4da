/*
 * The published models and data sets: every file imports, and the checks that their authors and
 * MODELS.md state hold. The files are not part of this repository: they are looked for in
 * ../shared/models or where PKSK_MODELS says, and without them the tests say "skipped" (under
 * CI=true they fail).
 *
 * In statements '$' stands for the models' directory, '@' for a temporary one.
 */
#include <criterion/criterion.h>
#include <unistd.h>

#include "commands/wire.h"
#include "engine/base/map.h"
#include "tests/support/transfer_fixture.h"

static const char *models_dir(void)
{
    const char *dir = getenv("PKSK_MODELS");
    const char *ci = getenv("CI");

    if (dir == NULL)
        dir = "../shared/models";
    if (access(dir, R_OK) == 0)
        return dir;
    printf("skipped: there are no models in %s\n", dir);
    cr_assert(ci == NULL || strcmp(ci, "true") != 0, "no models in %s", dir);
    return NULL;
}

/* Runs a statement; '$' is the models' directory. */
static const char *run(struct transfer_fixture *fx, const char *statement)
{
    struct pk_buf real = PK_BUF_INIT;

    fixture_replace(&real, statement, "$", models_dir());
    (void)fixture_run(fx, real.data);
    pk_buf_release(&real);
    return fx->commands.text.data; /* with its footers */
}

/* ---- every file ------------------------------------------------------------------------------ */

struct import_row {
    const char *statement;
    const char *first_line; /* of the answer */
    const char *table;
    const char *collections; /* the last line of `collections TABLE` */
};

#define INVOICE_SET "import $/invoice-data.csv map tests/maps/invoices.json"
#define LOG_COLUMNS "columns id,host,date,hour,zone,method,url,code,bytes,agent"

static const struct import_row imports[] = {
    {"import $/AnOnlineShop_14.json", "note: table OnlineShop created: 19 items, 2.1 KB",
     "OnlineShop", " of 8 collections"},
    {"import $/AnOnlineShop_facets.json as shop", "note: table shop created: 20 items, 2.2 KB",
     "shop", " of 8 collections"},
    {"import $/DeviceStateLog_7.json", "note: table DeviceStateLog created: 11 items, 1.1 KB",
     "DeviceStateLog", " of 3 collections"},
    {"import $/ChatSystemSchema.json", "note: table Chat created: 8 items, 600 B", "Chat",
     " of 6 collections"},
    {"import $/GamePlayerProfilesSchema.json",
     "note: table game-player-profiles created: 14 items, 2.1 KB", "game-player-profiles", NULL},
    {"import $/SessionManagementSchema.json", "note: table session_store created: 6 items, 524 B",
     "session_store", " of 3 collections"},
    {"import $/SocialNetworkSchema.json", "note: table SNS created: 17 items, 707 B", "SNS",
     " of 7 collections"},
    {"import $/RecurringPaymentsSchema.json",
     "note: table ReoccuringPayments created: 2 items, 467 B", "ReoccuringPayments", NULL},
    {"import $/BankModel.json", "note: table PaymentScheduler created: 4 items, 492 B",
     "PaymentScheduler", NULL},
    {"import $/CartModel.json", "note: table CartTable created: 5 items, 448 B", "CartTable",
     " of 3 collections"},
    {"import $/FlightsFares.json as flights", "note: table flights created: 22 items, 3.8 KB",
     "flights", " of 5 collections"},
    {"import $/Hospital.json as hospital", "note: table hospital created: 8 items, 654 B",
     "hospital", " of 4 collections"},
    {"import $/battle-royale-items.jsonl as games",
     "note: table games created: 835 items, 114.6 KB", "games", " of 315 collections"},
    {"import $/globalflix-sample-data.json",
     "note: table global-serverless created: 13 items, 2.4 KB", "global-serverless",
     " of 2 collections"},
    {"import $/ProductCatalog.json", "note: table ProductCatalog created: 8 items, 1 KB",
     "ProductCatalog", NULL},
    {"import $/Forum.json", "note: table Forum created: 2 items, 112 B", "Forum", NULL},
    {"import $/Thread.json", "note: table Thread created: 3 items, 573 B", "Thread", NULL},
    {"import $/Reply.json", "note: table Reply created: 4 items, 492 B", "Reply", NULL},
    {"import $/movies-2005on.jsonl as movies key year,title",
     "note: table movies created: 2,513 items, 520.1 KB", "movies", " of 13 collections"},
    {"import $/employees.csv map tests/maps/employees.json",
     "note: table employees created: 4,000 items, 753 KB", "employees", " of 1,000 collections"},
    {INVOICE_SET, "note: table invoice-data created: 4,350 items, 321.8 KB", "invoice-data", NULL},
    {"import $/logfile_small1.csv as logfile key PK " LOG_COLUMNS " set PK=request#{id}",
     "note: table logfile created: 500 items, 112.3 KB", "logfile", NULL},
    {"import $/instagram-serverless.yml", "note: table InstagramTable created: 0 items, 0 B",
     "InstagramTable", NULL},
};

static void expect_collections(struct transfer_fixture *fx, const struct import_row *row)
{
    char statement[200];
    const char *answer;

    if (row->collections == NULL)
        return;
    (void)snprintf(statement, sizeof(statement), "collections %s top 1", row->table);
    answer = run(fx, statement);
    cr_expect(strstr(answer, row->collections) != NULL, "%s gives\n%s", statement, answer);
}

Test(models, every_file_imports)
{
    struct transfer_fixture fx;

    if (models_dir() == NULL)
        return;
    fixture_open(&fx);
    for (size_t i = 0; i < sizeof(imports) / sizeof(*imports); i++) {
        const struct import_row *row = &imports[i];
        const char *answer = run(&fx, row->statement);
        size_t len = strlen(row->first_line);

        cr_expect(strncmp(answer, row->first_line, len) == 0 && answer[len] == '\n', "%s gives\n%s",
                  row->statement, answer);
        expect_collections(&fx, row);
    }
    fixture_close(&fx);
}

/* ---- what the authors document --------------------------------------------------------------- */

static const char *const setup[] = {
    "import $/AnOnlineShop_14.json as shop",
    "import $/DeviceStateLog_7.json as devices",
    "import $/FlightsFares.json as flights",
    "import $/CartModel.json as cart",
    "import $/BankModel.json",
    "import $/SessionManagementSchema.json as sessions",
    "import $/GamePlayerProfilesSchema.json as players",
    "import $/SocialNetworkSchema.json as sns",
    "import $/RecurringPaymentsSchema.json as payments",
    "import $/ChatSystemSchema.json as chat",
    "import $/Hospital.json as hospital",
    "create table games (PK S, SK S) gsi open (map S, open_timestamp S) gsi inverted (SK S, PK S)",
    "import $/battle-royale-items.jsonl into games",
    "create table Reply (Id S, ReplyDateTime S) gsi posted (PostedBy S, ReplyDateTime S)",
    "import $/Reply.json",
    "import $/Thread.json",
    "import $/globalflix-sample-data.json as flix",
    "import $/movies-2005on.jsonl as movies key year,title",
    "import $/employees.csv map tests/maps/employees.json",
    INVOICE_SET " as invoices",
    "create table logfile (PK S) gsi hosts (G1 S) gsi codes (G2 S, G2SK S)",
    "import $/logfile_small1.csv into logfile " LOG_COLUMNS
    " set PK=request#{id} G1=host#{host} G2=shard#{id%10+1} G2SK={code}#{date}#{hour}",
};

/* `count STATEMENT` answers this number; units: the footer's price, or NULL. */
static const struct count_row {
    const char *statement;
    unsigned count;
    const char *units;
} counts[] = {
    {"query o#12345 from shop", 9, " 0.5 RCU"},
    {"query o#12345 p#* from shop", 2, NULL},
    {"query o#12345 i#* from shop", 1, NULL},
    {"query o#12345 sh#* from shop", 2, NULL},
    {"query c#12345 on shop.GSI2", 3, NULL},
    {"query c#12345 2020-06-01..2020-06-15 on shop.GSI2", 0, NULL},
    {"query w#12345 p#* on shop.GSI2", 2, NULL},
    {"query d#12345 WARNING1#* desc from devices", 3, NULL},
    {"query Sara on devices.GSI2", 1, NULL},
    {"query SFO between JFK#2021-08-01 and JFK#2021-08-02 from flights", 4, NULL},
    {"scan from games", 835, " 14.5 RCU"},
    {"scan on games.open", 9, NULL},
    {"query 'Green Grasslands' on games.open", 4, NULL},
    {"query 'Dirty Desert' on games.open", 3, NULL},
    {"query 'Juicy Jungle' on games.open", 1, NULL},
    {"query 'Urban Underground' on games.open", 1, NULL},
    {"query 'User A' on Reply.posted", 3, NULL},
    {"query 'Amazon DynamoDB' from Thread", 2, NULL},
    {"query library from flix", 12, NULL},
    {"query user100 from flix", 1, NULL},
    {"query 2013 from movies", 432, " 11 RCU"},
    {"query 2013 'The '* from movies", 85, NULL},
    {"query state#WA on employees.GSI_3", 46, NULL},
    {"query state#TX on employees.GSI_3", 197, NULL},
    {"query state#TX Dallas* on employees.GSI_3", 47, NULL},
    {"query state#TX Dallas#Op* on employees.GSI_3", 9, NULL},
    {"query 'current_title#Software Engineer' on employees.GSI_1", 18, NULL},
    {"query root 'Dale Marlin' on employees.GSI_1", 1, NULL},
    {"scan on employees.GSI_2", 84, NULL},
    {"query I#1420 from invoices", 4, NULL},
    {"query C#1249 on invoices.GSI_1", 2, NULL},
    {"query B#3392 on invoices.GSI_1", 3, NULL},
    {"query root on invoices.GSI_1", 780, NULL},
    {"query host#192.0.2.1 on logfile.hosts", 134, NULL},
    {"scan on logfile.hosts", 500, NULL},
};

static void expect_count(struct transfer_fixture *fx, const struct count_row *row)
{
    char statement[200];
    const char *answer;

    (void)snprintf(statement, sizeof(statement), "count %s", row->statement);
    answer = run(fx, statement);
    cr_expect_eq(strtoul(answer, NULL, 10), row->count, "%s gives\n%s", statement, answer);
    cr_expect(row->units == NULL || strstr(answer, row->units) != NULL, "%s gives\n%s", statement,
              answer);
}

/* Items and bytes, by the item-size rules, of one Query or Scan. */
struct sum {
    unsigned items, bytes;
    double units;
    int64_t start_key; /* 1: there is another page */
};

static struct sum read_sum(struct transfer_fixture *fx, const char *operation, const char *request)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_arena arena = PK_ARENA_INIT;
    cJSON *tree = cJSON_Parse(request);
    cJSON *answer = NULL;
    const cJSON *node, *cost;
    struct sum sum = {0, 0, 0, 0};

    cr_assert_not_null(tree, "%s", request);
    cr_assert_eq(cmd_call(&fx->commands.context, operation, tree, &answer, NULL, &err), PK_OK,
                 "%s: %s", request, err.message);
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "Items"))
    {
        sum.items++;
        sum.bytes += (unsigned)pk_item_size(cmd_wire_read_item(&arena, node));
    }
    cost = cJSON_GetObjectItemCaseSensitive(answer, "ConsumedCapacity");
    sum.units = cJSON_GetObjectItemCaseSensitive(cost, "CapacityUnits")->valuedouble;
    sum.start_key = cJSON_GetObjectItemCaseSensitive(answer, "LastEvaluatedKey") != NULL;
    cJSON_Delete(answer);
    cJSON_Delete(tree);
    pk_arena_release(&arena);
    return sum;
}

static const struct sum_row {
    const char *operation;
    const char *request;
    struct sum sum;
} sums[] = {
    {"Scan",
     "{\"TableName\":\"games\",\"ReturnConsumedCapacity\":\"TOTAL\"}",
     {835, 117366, 14.5, 0}},
    {"Query",
     "{\"TableName\":\"movies\",\"ReturnConsumedCapacity\":\"TOTAL\",\"KeyConditionExpression\":"
     "\"#y = :y\",\"ExpressionAttributeNames\":{\"#y\":\"year\"},\"ExpressionAttributeValues\":{"
     "\":y\":{\"N\":\"2013\"}}}",
     {432, 89000, 11.0, 0}},
    {"Query",
     "{\"TableName\":\"shop\",\"ReturnConsumedCapacity\":\"TOTAL\",\"KeyConditionExpression\":"
     "\"PK = :p\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"o#12345\"}}}",
     {9, 1286, 0.5, 0}},
    {"Scan",
     "{\"TableName\":\"employees\",\"IndexName\":\"GSI_2\",\"ReturnConsumedCapacity\":\"TOTAL\"}",
     {84, 28327, 3.5, 0}},
};

/* Rows of a response code over the ten shards of the log's index. */
static unsigned shard_count(struct transfer_fixture *fx, const char *code)
{
    unsigned count = 0;

    for (int shard = 1; shard <= 10; shard++) {
        char statement[100];

        (void)snprintf(statement, sizeof(statement), "count query shard#%d %s#* on logfile.codes",
                       shard, code);
        count += (unsigned)strtoul(run(fx, statement), NULL, 10);
    }
    return count;
}

static unsigned distinct_hosts(struct transfer_fixture *fx)
{
    const char *answer = run(fx, "scan on logfile.hosts select G1 limit 1000");
    struct pk_map hosts = PK_MAP_INIT;
    unsigned count;

    for (const char *at = strstr(answer, "host#"); at != NULL; at = strstr(at + 1, "host#"))
        (void)pk_map_put(&hosts, pk_slice_of(at, strcspn(at, "'")), &hosts);
    count = (unsigned)hosts.used;
    pk_map_release(&hosts);
    return count;
}

Test(models, documented_checks_hold)
{
    struct transfer_fixture fx;

    if (models_dir() == NULL)
        return;
    fixture_open(&fx);
    for (size_t i = 0; i < sizeof(setup) / sizeof(*setup); i++) {
        const char *answer = run(&fx, setup[i]);

        cr_assert_eq(fx.commands.code, PK_OK, "%s\n%s", setup[i], answer);
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
        expect_count(&fx, &counts[i]);
    for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
        struct sum sum = read_sum(&fx, sums[i].operation, sums[i].request);

        cr_expect_eq(sum.items, sums[i].sum.items, "%s: %u items", sums[i].request, sum.items);
        cr_expect_eq(sum.bytes, sums[i].sum.bytes, "%s: %u bytes", sums[i].request, sum.bytes);
        cr_expect_float_eq(sum.units, sums[i].sum.units, 0.01, "%s: %g", sums[i].request,
                           sum.units);
        cr_expect_eq(sum.start_key, 0);
    }
    cr_expect_eq(shard_count(&fx, "200"), 420);
    cr_expect_eq(shard_count(&fx, "302"), 66);
    cr_expect_eq(shard_count(&fx, "404"), 8);
    cr_expect_eq(shard_count(&fx, "304"), 6);
    cr_expect_eq(distinct_hosts(&fx), 80);
    fixture_close(&fx);
}

/* ---- and back -------------------------------------------------------------------------------- */

/* Each table goes through each format and comes back with equal items. */
static const struct trip_row {
    const char *export, *import;
} trips[] = {
    {"export games @/g.json", "import @/g.json as games2"},
    {"export games @/g.jsonl.gz", "import @/g.jsonl.gz as games3"},
    {"export games @/g.csv", "import @/g.csv as games4 key PK,SK"},
    {"export games @/g.model format workbench", "import @/g.model as games5"},
};

Test(models, export_then_import_is_equal)
{
    struct transfer_fixture fx;

    if (models_dir() == NULL)
        return;
    fixture_open(&fx);
    (void)run(&fx, "import $/battle-royale-items.jsonl as games");
    for (size_t i = 0; i < sizeof(trips) / sizeof(*trips); i++) {
        char copy[16];

        (void)snprintf(copy, sizeof(copy), "games%zu", i + 2);
        fixture_must(&fx, trips[i].export);
        fixture_must(&fx, trips[i].import);
        fixture_same(&fx, "games", copy);
    }
    fixture_close(&fx);
}

/* Models come back as they were: equal as JSON values but for repaired defects. */
static const struct model_row {
    const char *file;
    const char *tables; /* of the export */
    bool repaired;      /* the source has defects: only tables and items are compared */
} models[] = {
    {"AnOnlineShop_14.json", "OnlineShop", false},
    {"AnOnlineShop_facets.json", "OnlineShop", false},
    {"DeviceStateLog_7.json", "DeviceStateLog", false},
    {"ChatSystemSchema.json", "Chat", false},
    {"GamePlayerProfilesSchema.json", "game-player-profiles", true},
    {"SessionManagementSchema.json", "session_store", false},
    {"SocialNetworkSchema.json", "SNS", false},
    {"RecurringPaymentsSchema.json", "ReoccuringPayments", false},
    {"BankModel.json", "PaymentScheduler,TransactionHistory", false},
    {"CartModel.json", "CartTable", false},
    {"FlightsFares.json", "data", false},
    {"Hospital.json", "data", false},
};

static struct pk_buf read_model(const char *name)
{
    struct transfer_file file;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf text = PK_BUF_INIT;
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/%s", models_dir(), name);
    cr_assert_eq(transfer_file_load(&file, path, &err), PK_OK, "%s", err.message);
    pk_buf_add(&text, file.text);
    transfer_file_release(&file);
    return text;
}

static void round_trip(const struct model_row *row)
{
    struct transfer_fixture fx;
    struct pk_buf source = read_model(row->file);
    struct pk_buf once, twice;
    char statement[200];

    fixture_open(&fx);
    (void)snprintf(statement, sizeof(statement), "import $/%s", row->file);
    (void)run(&fx, statement);
    (void)snprintf(statement, sizeof(statement), "export %s @/once.json format workbench",
                   row->tables);
    fixture_must(&fx, statement);
    once = fixture_read(&fx, "once.json");
    if (!row->repaired)
        fixture_same_json(&once, &source, row->file);
    command_close(&fx.commands);
    command_open(&fx.commands);
    fixture_must(&fx, "import @/once.json");
    (void)snprintf(statement, sizeof(statement), "export %s @/twice.json format workbench",
                   row->tables);
    fixture_must(&fx, statement);
    twice = fixture_read(&fx, "twice.json");
    cr_expect_str_eq(twice.data, once.data, "%s changes on its second trip", row->file);
    pk_buf_release(&source);
    pk_buf_release(&once);
    pk_buf_release(&twice);
    fixture_close(&fx);
}

Test(models, models_come_back_as_they_were)
{
    if (models_dir() == NULL)
        return;
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
        round_trip(&models[i]);
}
