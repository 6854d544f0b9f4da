/* Answers of Pksk.Snapshot as tests write them, for the table dashboard of the seeds. */
#ifndef TESTS_LOOK_FIXTURE_H
#define TESTS_LOOK_FIXTURE_H

/* Milliseconds of 2026-01-01T12:00:07Z. */
#define LOOK_NOW "1767268807000"

/* A partition of an even four: 0 to 3. access: members of Read and Write; more: ",…" or "". */
#define LOOK_PARTITION(n, first, last, items, bytes, reads, more)                                  \
    "{\"Number\":" n ",\"Id\":" n ",\"Parent\":" n ",\"FirstToken\":\"" first                       \
    "000000000000000\",\"LastToken\":\"" last "fffffffffffffff\",\"Items\":" items                 \
    ",\"Bytes\":" bytes ",\"Leader\":\"a\",\"Read\":{\"Limit\":3000," reads                         \
    "},\"Write\":{\"Limit\":1000}" more "}"

#define LOOK_HEAD(throttle)                                                                        \
    "{\"Time\":" LOOK_NOW ",\"Paused\":true,\"Speed\":1,\"Throttle\":\"" throttle                   \
    "\",\"Tables\":[],\"TableName\":\"dashboard\",\"OnDemand\":true,\"Items\":306,"                  \
    "\"Bytes\":120000,\"Read\":{\"Warm\":12000,\"Consumed\":5217000,\"Admitted\":5217,"              \
    "\"Refused\":4783},\"Write\":{\"Warm\":4000},\"PartitionCount\":4,\"Partitions\":["

#define LOOK_HISTORY_HOT                                                                           \
    "\"History\":{\"Read\":[0,0,900000,1500000,2400000,3000000,3000000,3000000],"                   \
    "\"Write\":[0,0,0,0,0,0,0,0],\"Refused\":[0,0,0,0,0,120,4702,4744]}"
#define LOOK_HISTORY_COOL                                                                          \
    "\"History\":{\"Read\":[0,0,120000,300000,650000,690000,682000,682000],"                        \
    "\"Write\":[0,0,0,0,0,0,0,0],\"Refused\":[0,0,0,0,0,0,0,0]}"

/* The hot run of the screens: 70 % of 10,000 strong reads a second on USER#1. */
#define LOOK_HOT(throttle)                                                                         \
    LOOK_HEAD(throttle)                                                                            \
    LOOK_PARTITION("0", "0", "3", "70", "27238", "\"Consumed\":682000,\"Admitted\":682",             \
                   ",\"Hottest\":[{\"Key\":{\"PK\":{\"S\":\"USER#30\"}},\"Share\":15}],"             \
                   LOOK_HISTORY_COOL)                                                              \
    ","                                                                                            \
    LOOK_PARTITION("1", "4", "7", "84", "32154", "\"Consumed\":803000,\"Admitted\":803",             \
                   "," LOOK_HISTORY_COOL)                                                          \
    ","                                                                                            \
    LOOK_PARTITION("2", "8", "b", "79", "31642",                                                   \
                   "\"Consumed\":3000000,\"Admitted\":3000,\"Refused\":4744,"                       \
                   "\"Throttled\":{\"KeyRange\":9566}",                                             \
                   ",\"HotSeconds\":2,\"Hottest\":[{\"Key\":{\"PK\":{\"S\":\"USER#1\"}},"            \
                   "\"Share\":904},{\"Key\":{\"PK\":{\"S\":\"USER#77\"}},\"Share\":3}],"             \
                   LOOK_HISTORY_HOT)                                                               \
    ","                                                                                            \
    LOOK_PARTITION("3", "c", "f", "73", "29184", "\"Consumed\":732000,\"Admitted\":732",             \
                   "," LOOK_HISTORY_COOL)                                                          \
    "],\"Indexes\":[],\"Splits\":[]}"

/* A provisioned table: bursts, several reasons, a split, a border inside a collection. */
#define LOOK_PROVISIONED                                                                           \
    "{\"Time\":" LOOK_NOW ",\"Throttle\":\"enforce\",\"TableName\":\"dashboard\",\"OnDemand\":false," \
    "\"Counting\":true,\"Read\":{\"Limit\":400,\"Consumed\":150500,\"BurstMilli\":12000000,"          \
    "\"BurstMaxMilli\":120000000},\"Write\":{\"Limit\":100,\"Consumed\":100000,"                      \
    "\"BurstMilli\":0,\"BurstMaxMilli\":30000000},\"PartitionCount\":3,\"Partitions\":["             \
    "{\"Number\":0,\"Id\":0,\"FirstToken\":\"0000000000000000\","                                   \
    "\"LastToken\":\"bd518ac7afbb7608\",\"Items\":1234567,\"Bytes\":5368709120,"                     \
    "\"Read\":{\"Limit\":200,\"Consumed\":500,\"BurstMilli\":6000000,\"BurstMaxMilli\":60000000},"    \
    "\"Write\":{\"Limit\":50,\"Consumed\":9500,\"BurstMilli\":0,\"BurstMaxMilli\":15000000,"          \
    "\"Throttled\":{\"KeyRange\":7,\"Provisioned\":1200}},\"Refusal\":\"MONOTONIC\"},"               \
    "{\"Number\":1,\"Id\":3,\"Parent\":1,\"FirstToken\":\"bd518ac7afbb7608\","                       \
    "\"LastToken\":\"bd518ac7afbb7608\",\"FirstKey\":\"USER#1 ORDER#2026-08-13#0007-and-more-of-it\"," \
    "\"Read\":{\"Limit\":200,\"Consumed\":150000},\"Write\":{\"Limit\":50,\"Consumed\":50000},"       \
    "\"Splitting\":true,\"SplitDue\":1767268867000,\"HotSeconds\":61,"                              \
    "\"Hottest\":[{\"Key\":{\"PK\":{\"S\":\"USER#1\"},\"SK\":{\"S\":\"a b\"}},\"Share\":400}]},"        \
    "{\"Number\":2,\"Id\":4,\"Parent\":1,\"FirstToken\":\"bd518ac7afbb7609\","                       \
    "\"LastToken\":\"ffffffffffffffff\",\"Read\":{\"Limit\":200},\"Write\":{\"Limit\":50}}],"          \
    "\"Splits\":[{\"Time\":1767268000000,\"Partition\":1,\"Children\":[3,4],\"Cause\":\"HEAT\"}]}"

#endif
