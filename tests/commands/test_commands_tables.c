/* Tables, keys, the store, settings and help. Each row is a statement and all it answers; rows of
 * one test share a store. */
#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(commands_tables, tables_and_keys)
{
    static const struct command_row rows[] = {
        {"tables", "table | key | indexes | items | size\n"
                   "Tab | PK (S), N (N) | 1 | 0 | 0 B\n"
                   "dashboard | PK (S), SK (S) | 0 | 6 | 172 B\n"
                   "note: 2 tables\n"},
        {"tables dash", "table | key | indexes | items | size\n"
                        "dashboard | PK (S), SK (S) | 0 | 6 | 172 B\n"
                        "note: 1 table\n"},
        {"tables T*", "table | key | indexes | items | size\n"
                      "Tab | PK (S), N (N) | 1 | 0 | 0 B\n"
                      "note: 1 table\n"},
        {"tables nothing", "table | key | indexes | items | size\n"
                           "note: 0 tables\n"},
        {"tables a b", "UsageError: unexpected 'b'\n"
                       "  at 'b'\n"},
        {"use Tab", ""},
        {"use Nope",
         "ResourceNotFoundException: Requested resource not found: Table: Nope not found\n"
         "  at 'Nope'\n"
         "  hint: tables lists the tables there are\n"},
        {"use", "UsageError: expected a table's name\n"},
        {"use Tab x", "UsageError: unexpected 'x'\n"
                      "  at 'x'\n"},
        {"describe", "table | Tab\n"
                     "key | PK (S), N (N)\n"
                     "status | ACTIVE\n"
                     "billing | on demand\n"
                     "holds | 0 items, 0 B\n"
                     "index | kind | key | projection | items | size\n"
                     "by_g | GSI | G (S) | all | 0 | 0 B\n"},
        {"describe dashboard", "table | dashboard\n"
                               "key | PK (S), SK (S)\n"
                               "status | ACTIVE\n"
                               "billing | on demand\n"
                               "holds | 6 items, 172 B\n"},
        {"describe table Tab", "table | Tab\n"
                               "key | PK (S), N (N)\n"
                               "status | ACTIVE\n"
                               "billing | on demand\n"
                               "holds | 0 items, 0 B\n"
                               "index | kind | key | projection | items | size\n"
                               "by_g | GSI | G (S) | all | 0 | 0 B\n"},
        {"describe by_g", "index | by_g\n"
                          "of table | Tab\n"
                          "kind | GSI: its own partitions and capacity\n"
                          "key | G (S)\n"
                          "projection | all\n"
                          "billing | on demand\n"
                          "holds | 0 items, 0 B\n"},
        {"describe Tab.by_g", "index | by_g\n"
                              "of table | Tab\n"
                              "kind | GSI: its own partitions and capacity\n"
                              "key | G (S)\n"
                              "projection | all\n"
                              "billing | on demand\n"
                              "holds | 0 items, 0 B\n"},
        {"describe Nope", "UsageError: there is no table or index 'Nope'\n"
                          "  at 'Nope'\n"
                          "  hint: tables lists the tables, describe TABLE the indexes of one\n"},
        {"describe a b", "UsageError: unexpected 'b'\n"
                         "  at 'b'\n"},
        {"describe item USER#123 PROFILE from dashboard",
         "attribute | type | bytes | name | value\n"
         "PK | S | 10 | 2 | 8\n"
         "SK | S | 9 | 2 | 7\n"
         "name | S | 9 | 4 | 5\n"
         "footer: 28 bytes · a strong read costs 1 RCU, a write 1 WCU\n"},
        {"describe item a 9", "note: there is no such item\n"},
        {"describe key a",
         "token | e55bb1ae59b6a648    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 3 of 4, tokens c000… to ffff…\n"
         "stored as | t · table 2 · e55bb1ae59b6a648 · S a ␀\n"},
        {"where a 1",
         "token | e55bb1ae59b6a648    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 3 of 4, tokens c000… to ffff…\n"
         "stored as | t · table 2 · e55bb1ae59b6a648 · S a ␀ · N 1\n"},
        {"where USER#123 ORDER#1001 from dashboard",
         "token | 6fecfbdc08fd7241    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 1 of 4, tokens 4000… to 7fff…\n"
         "stored as | t · table 1 · 6fecfbdc08fd7241 · S USER#123 ␀ · S ORDER#1001 ␀\n"},
        {"where", "UsageError: the key of Tab is PK (S), N (N): no value is given\n"},
        {"where a b", "UsageError: key attribute 'N' is a number, 'b' is none\n"
                      "  at 'b'\n"},
        {"where a 1 2", "UsageError: the key of Tab is PK (S), N (N): this is one value too many\n"
                        "  at '2'\n"},
        {"where {PK: a, N: 1}",
         "token | e55bb1ae59b6a648    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 3 of 4, tokens c000… to ffff…\n"
         "stored as | t · table 2 · e55bb1ae59b6a648 · S a ␀ · N 1\n"},
        {"collections dashboard", "PK | items | size | partition\n"
                                  "USER#123 | 4 | 118 B | 1\n"
                                  "USER#999 | 2 | 54 B | 0\n"
                                  "note: 2 collections\n"},
        {"collections dashboard top 1", "PK | items | size | partition\n"
                                        "USER#123 | 4 | 118 B | 1\n"
                                        "note: top 1 of 2 collections\n"},
        {"collections", "PK | items | size | partition\n"
                        "note: 0 collections\n"},
        {"collections top x", "UsageError: expected a whole number from 1 to 10000\n"
                              "  at 'x'\n"},
        {"collections Nope",
         "UsageError: there is no table or index 'Nope'\n"
         "  at 'Nope'\n"
         "  hint: tables lists the tables, describe TABLE the indexes of one\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_tables, store)
{
    static const struct command_row rows[] = {
        {"check", "tables 2, items 6, index entries 0, 172 B read: no faults\n"},
        {"check x", "UsageError: check KEY if COND stands between begin and commit only\n"
                    "  at 'x'\n"
                    "  hint: check alone checks the store; get KEY shows the item\n"},
        {"api list-tables", "{\n"
                            "  \"TableNames\": [\n"
                            "    \"Tab\",\n"
                            "    \"dashboard\"\n"
                            "  ]\n"
                            "}\n"},
        {"api ListTables {\"Limit\": 1}", "{\n"
                                          "  \"TableNames\": [\n"
                                          "    \"Tab\"\n"
                                          "  ],\n"
                                          "  \"LastEvaluatedTableName\": \"Tab\"\n"
                                          "}\n"},
        {"api GetItem {\"TableName\": \"dashboard\"}",
         "ValidationException: 1 validation error detected: Value null at 'key' failed to"
         " satisfy constraint: Member must not be null\n"
         "{\n"
         "  \"__type\": \"com.amazon.coral.validate#ValidationException\",\n"
         "  \"message\": \"1 validation error detected: Value null at 'key' failed to satisfy"
         " constraint: Member must not be null\"\n"
         "}\n"},
        {"api", "UsageError: expected the name of an API operation\n"
                "  hint: api GetItem {\"TableName\": …, \"Key\": …}\n"},
        {"api Nope {}", "UnknownOperationException: there is no operation 'Nope'\n"
                        "{\n"
                        "  \"__type\": \"com.amazon.coral.service#UnknownOperationException\"\n"
                        "}\n"},
        {"api get-item {bad", "SerializationException: \n"
                              "  hint: the request is not JSON\n"
                              "{\n"
                              "  \"__type\": \"com.amazon.coral.service#SerializationException\"\n"
                              "}\n"},
        {"api delete-table {\"TableName\": \"Tab\"}", NULL},
        {"describe Tab", "UsageError: there is no table or index 'Tab'\n"
                         "  at 'Tab'\n"
                         "  hint: tables lists the tables, describe TABLE the indexes of one\n"},
    };

    command_check(rows, COUNT(rows));
}

/* In pieces: a literal has 4095 bytes at most. */
Test(commands_tables, settings)
{
    static const char *const rows[] = {
        "setting | value | takes | default | meaning\n"
        "admission | gac | gac|static|burst|adaptive | gac | how throughput reaches the "
        "partitions: as now, or as in earlier years\n"
        "autoscale.down | 15 min | a duration | 15 min | how long a load is well below the target "
        "before it lowers\n"
        "autoscale.up | 2 min | a duration | 2 min | how long a load is above the target before "
        "auto scaling raises\n"
        "burst.initial | 0 | a share | 0 | how much of it a new table begins with\n"
        "burst.seconds | 300 | a number | 300 | how many seconds of unused throughput are saved\n"
        "color | auto | on|off|auto | auto | colours; auto: at a terminal, unless NO_COLOR is "
        "set\n"
        "decrease.quota | on | off|on | on | whether decreases of throughput are limited, by the "
        "day\n"
        "echo | off | on|off | off | statements of files are shown before they run, with the "
        "comments above them\n"
        "footer.time | off | on|off | on | the footer ends with the time the request took\n"
        "gsi.backpressure | strict | strict|queue | strict | strict: a write needs room in its "
        "GSIs; queue: it is queued\n"
        "gsi.queue_units | 0 | WCU | 0 | how long a GSI's queue may be; 0: 5 s of its write rate\n"
        "history.size | 10000 | 1..1000000 statements | 10000 | how many statements the history "
        "file keeps\n"
        "lag.gsi | 0 | a duration | 0 | how long a change takes to reach a GSI; 0: reads wait for "
        "it\n"
        "lag.gsi_jitter | 0 | a duration | 0 | up to this much is added to lag.gsi by chance\n"
        "lsi.collection_bytes | 10 GB | a size | 10 GB | how large an item collection of a table "
        "with an LSI may become\n"
        "metric.period | 1 min | a duration | 1 min | the minute of auto scaling and on-demand "
        "growth\n",
        "ondemand.growth | 30 min | a duration | 30 min | an on-demand table doubles once in this "
        "time at most\n"
        "ondemand.initial_rcu | 12000 | RCU | 12000 | what a new on-demand table serves at once\n"
        "ondemand.initial_wcu | 4000 | WCU | 4000 | what a new on-demand table serves at once\n"
        "pace | 0 | 0 to 1 h | 0 | how long an echoed statement stands before it runs, at a "
        "terminal\n"
        "pager | auto | on|off|auto | auto | long results go through $PAGER; auto: at a terminal\n"
        "partition.bytes | 10 GB | a size | 10 GB | how much one partition holds\n"
        "partition.count_rule | mode | mode|sum|max | mode | how many partitions a throughput "
        "needs: "
        "by the mode, or always\n"
        "partition.rcu | 3000 | RCU | 3000 | read units one partition serves in a second\n"
        "partition.wcu | 1000 | WCU | 1000 | write units one partition serves in a second\n"
        "price.backup_gb_month | 0.10 | USD | 0.10 | a GB of backups for a month\n"
        "price.cdc_per_million | 0.10 | USD | 0.10 | a million change records for Kinesis\n"
        "price.dax.r5.large_hour | 0.255 | USD | 0.255 | an hour of a dax.r5.large node\n"
        "price.dax.t3.small_hour | 0.04 | USD | 0.04 | an hour of a dax.t3.small node\n"
        "price.date | 2026-08-15 | YYYY-MM-DD | 2026-08-15 | the day of the prices\n"
        "price.export_gb | 0.10 | USD | 0.10 | a GB exported to S3\n"
        "price.free_tier | off | on|off | off | 25 WCU and 25 RCU are free\n"
        "price.hours_per_month | 730 | hours | 730 | how long a month is\n"
        "price.import_gb | 0.15 | USD | 0.15 | a GB imported from S3\n"
        "price.pitr_gb_month | 0.20 | USD | 0.20 | a GB under point-in-time recovery for a month\n"
        "price.rcu_hour | 0.00013 | USD | 0.00013 | a provisioned read unit for an hour\n"
        "price.region | us-east-1 | a region | us-east-1 | where the prices hold\n"
        "price.restore_gb | 0.15 | USD | 0.15 | a GB restored\n"
        "price.rru_per_million | 0.125 | USD | 0.125 | a million on-demand read units\n"
        "price.rwcu_hour | 0.00065 | USD | 0.00065 | a replicated provisioned write unit for an "
        "hour\n"
        "price.rwru_per_million | 0.625 | USD | 0.625 | a million replicated on-demand write "
        "units\n"
        "price.storage_free_gb | 25 | GB | 25 | how much storage is free\n"
        "price.storage_gb_month | 0.25 | USD | 0.25 | a GB stored for a month, above what is free\n"
        "price.streams_free | 2500000 | calls | 2500000 | how many stream reads are free\n"
        "price.streams_per_100k | 0.02 | USD | 0.02 | 100,000 stream reads above what is free\n"
        "price.wcu_hour | 0.00065 | USD | 0.00065 | a provisioned write unit for an hour\n"
        "price.wru_per_million | 0.625 | USD | 0.625 | a million on-demand write units\n",
        "quota.rcu | 40000 | RCU | 40000 | the account's quota of an on-demand table\n"
        "quota.wcu | 40000 | WCU | 40000 | the account's quota of an on-demand table\n"
        "read | eventual | eventual|strong | eventual | consistency of reads that do not say "
        "'strong'\n"
        "read.spread | off | off|on | off | eventual reads are served by all three replicas: half "
        "as "
        "much again\n"
        "rows | 1000 | 1..1000000 items | 1000 | how many items a read shows before 'more'\n"
        "seed | 1 | a number | 1 | the seed of all chance in the simulation\n"
        "split.cooldown | 5 min | a duration | 5 min | how long a new partition is left alone\n"
        "split.duration | 5 min | a duration | 5 min | how long a split takes; the parent serves "
        "on\n"
        "split.heat | on | off|on | on | whether partitions split for heat\n"
        "split.isolate_min | 0.01 | a share | 0.01 | what other items must have for a hot one to "
        "be isolated\n"
        "split.monotonic | 0.90 | a share | 0.90 | of rising or falling sort keys: no split from "
        "there on\n"
        "split.single_item | 0.90 | a share | 0.90 | of requests: from there on one item is "
        "isolated\n"
        "split.size_point | median_bytes | median_bytes|range_mid | median_bytes | where a full "
        "partition is cut\n"
        "split.stream_block | off | off|on | off | provisioned tables with a stream isolate no "
        "item, "
        "as until 2023\n"
        "split.threshold | 0.80 | a share | 0.80 | of a partition's limit: from there on a second "
        "is hot\n"
        "split.window | 1 min | a duration | 1 min | how long a partition is hot before it "
        "splits\n"
        "stream.iterator_ttl | 15 min | a duration | 15 min | how long a shard iterator may be "
        "used\n"
        "stream.retention | 1 d | a duration | 1 d | how long a stream keeps its records\n"
        "stream.rollover | 0 | a duration | 0 | the age at which a shard goes on in a child, a "
        "minute at least; 0: never\n"
        "symbols | auto | utf8|ascii|auto | auto | what bars and maps are drawn with; auto: by "
        "the locale\n"
        "table.create_delay | 0 | a duration | 0 | how long a new table is CREATING\n"
        "table.delete_delay | 0 | a duration | 0 | how long a dropped table is DELETING\n"
        "throttle | observe | off|observe|enforce | observe | observe counts what enforce would "
        "refuse; off counts nothing\n"
        "ttl.delay | 2 d | a duration | 2 d | from an item's expiry to its deletion\n"
        "ttl.jitter | 0 | a duration | 0 | up to this much is added to ttl.delay by chance\n"};
    struct command_fixture fx;
    struct pk_buf expected = PK_BUF_INIT;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        pk_buf_add_cstr(&expected, rows[i]);
    command_open(&fx);
    cr_expect_str_eq(command_run(&fx, "set"), expected.data);
    command_close(&fx);
    pk_buf_release(&expected);
}

Test(commands_tables, settings_and_help)
{
    static const struct command_row rows[] = {
        {"set rows",
         "setting | value | takes | default | meaning\n"
         "rows | 1000 | 1..1000000 items | 1000 | how many items a read shows before 'more'\n"},
        {"set rows 5", ""},
        {"set rows = 7", ""},
        {"set rows",
         "setting | value | takes | default | meaning\n"
         "rows | 7 | 1..1000000 items | 1000 | how many items a read shows before 'more'\n"},
        {"set rows x", "UsageError: 'x' is no value for rows\n"
                       "  at 'x'\n"
                       "  hint: rows takes 1..1000000 items\n"},
        {"set nope 1", "UsageError: no setting is called 'nope'\n"
                       "  at 'nope'\n"
                       "  hint: set alone shows them all\n"},
        {"set nope", "UsageError: no setting is called 'nope'\n"
                     "  at 'nope'\n"
                     "  hint: set alone shows them all\n"},
        {"set rows 1 2", "UsageError: unexpected '2'\n"
                         "  at '2'\n"},
        {"set read strong", ""},
        {"get USER#999 PROFILE",
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "footer: 1 item · GetItem · partition 0 of 4 · 26 B read · 1 RCU strong\n"},
        {"query USER#999 PROFILE",
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "footer: 1 item · Query · partition 0 of 4 · 26 B read · 1 RCU strong\n"},
        {"set footer.time maybe", "UsageError: 'maybe' is no value for footer.time\n"
                                  "  at 'maybe'\n"
                                  "  hint: footer.time takes on|off\n"},
        {"help get",
         "get KEY [from TABLE] [select PATHS] [strong]\n"
         "  read one item by its whole key (GetItem)\n"
         "\n"
         "KEY is the partition key's value and, where the table has one, the sort key's:\n"
         "  get USER#123 PROFILE        get {PK: 'USER#123', SK: PROFILE}\n"
         "select a, b.c[0] shows parts; strong reads what was written last.\n"},
        {"help nope", "UsageError: there is no command 'nope'\n"
                      "  at 'nope'\n"
                      "  hint: help alone lists them\n"},
        {"help qury", "UsageError: there is no command 'qury'\n"
                      "  at 'qury'\n"
                      "  hint: did you mean query?\n"},
        {"help SELECT", "PartiQL, sent as ExecuteStatement; ends with ';'\n"
                        "  SELECT * FROM Music WHERE Artist = 'Acme';\n"
                        "  INSERT INTO Music VALUE {'Artist': 'Acme', 'SongTitle': 'Go'};\n"
                        "  UPDATE Music SET Plays = 1 WHERE Artist = 'Acme' AND SongTitle = 'Go';\n"
                        "  DELETE FROM Music WHERE Artist = 'Acme' AND SongTitle = 'Go';\n"},
        {"version", "pksk 0.1\n"},
        {"qery a", "UsageError: unknown command 'qery'\n"
                   "  at 'qery'\n"
                   "  hint: did you mean query?\n"},
        {"selct", "UsageError: unknown command 'selct'\n"
                  "  at 'selct'\n"
                  "  hint: did you mean select?\n"},
        {"", "UsageError: expected a command\n"
             "  at ''\n"
             "  hint: help lists the commands\n"},
        {"create x", "UsageError: unknown command 'create'\n"
                     "  at 'create'\n"
                     "  hint: create table [if not exists] NAME (PK type [hash] [, SK type "
                     "[range]]) [on demand | provisioned R W] [max R W] [stream VIEW] [ttl ATTR] "
                     "[protect] {gsi … | lsi …}\n"},
        {"(", "UsageError: expected a command\n"
              "  at '('\n"
              "  hint: help lists the commands\n"},
    };

    command_check(rows, COUNT(rows));
}
