/*
 * What a table or index looks like inside, at one moment: for `partitions`, `heat`, `snapshot` and
 * the panel. It is the answer of Pksk.Snapshot, read into structs; in-process and over HTTP it is
 * the same JSON, so that local and remote views are the same code.
 *
 *   Pksk.Snapshot {TableName?, IndexName?, History?: seconds, First?: number, Limit?: partitions,
 *                  Hot?: partitions}
 *   → {"Time":ms,"Paused":bool,"Speed":n,"Throttle":"off|observe|enforce",
 *      "Tables":[{"TableName","Items","Bytes"}],          at most 100, by name
 *      "TableName","IndexName"?,"OnDemand":bool,"Counting":bool,"Items","Bytes",
 *      "Read":ACCESS,"Write":ACCESS,
 *      "PartitionCount":n,"Partitions":[PARTITION],       from First on, at most Limit (default 64)
 *      "Hot":[PARTITION],      where those are not all: the hottest of all, at most Hot (and 16), by
 *                              the share of their limit and what was refused; by number
 *      "Indexes":[{"IndexName","Local","Status","Items","Bytes","Waiting","OldestMs",
 *                  "QueueMilli","QueueLimitMilli","Read":ACCESS?,"Write":ACCESS?,"Throttled":n}],
 *      "Splits":[{"Time","Partition":id,"Children":[id,id],"Cause":"HEAT|SIZE|THROUGHPUT"}],
 *      "Readers":[{"Number","ShardId","SequenceNumber"?,"Records","Waiting","More":bool,"OldestMs",
 *                  "QuietMs"}]}                          of the streams, in the last five minutes
 *   ACCESS    = {"Limit":units/s,"LevelMilli","BurstMilli","BurstMaxMilli","Consumed":milli,
 *                "Admitted":n,"Refused":n,"Warm":units/s,"Max":units/s}
 *   PARTITION = {"Number","Id","Parent","FirstToken":hex,"LastToken":hex,"FirstKey":text,
 *                "Items","Bytes","Splitting":bool,"SplitDue":ms,"CooldownUntil":ms,"HotSeconds":n,
 *                "Refusal":"SINGLE_ITEM|…|","Leader":"a|b|c",
 *                "Read":PACCESS,"Write":PACCESS,
 *                "Hottest":[{"Key":{attribute values of the key, API form},"Share":thousandths}],
 *                "History":{"Read":[milli],"Write":[milli],"Refused":[n]}}  oldest first, last
 * second last PACCESS   =
 * {"Limit":units/s,"Consumed":milli,"LevelMilli","BurstMilli","BurstMaxMilli",
 *                "Admitted":n,"Refused":n,"Throttled":{"KeyRange":n,"Provisioned":n,
 *                "MaxOnDemand":n,"Account":n}}
 *
 * Consumed, Admitted and Refused are those of the last whole second of simulated time; Throttled
 * counts since the partition began (under observe: what would have been refused). Amounts called
 * Milli or Consumed are milli-units (1 unit = 1000). Without TableName only the first line comes.
 */
#ifndef CMD_SNAPSHOT_H
#define CMD_SNAPSHOT_H

#include "commands/cmd.h"

enum cmd_throttle { CMD_THROTTLE_OFF, CMD_THROTTLE_OBSERVE, CMD_THROTTLE_ENFORCE };

/* Limits that refuse, as in PACCESS's Throttled. */
enum cmd_limit {
    CMD_LIMIT_KEY_RANGE,
    CMD_LIMIT_PROVISIONED,
    CMD_LIMIT_MAX_ON_DEMAND,
    CMD_LIMIT_ACCOUNT,
    CMD_LIMITS
};
/* "KeyRange" and so on. */
const char *cmd_limit_name(enum cmd_limit limit);

struct cmd_snapshot_access {
    int64_t limit;    /* units a second; 0: none */
    int64_t consumed; /* milli-units in the last whole second */
    int64_t level_milli, burst_milli, burst_max_milli;
    uint64_t admitted, refused; /* requests in the last whole second */
    uint64_t throttled[CMD_LIMITS];
    int64_t warm, max; /* of a whole table or index; 0: does not apply */
};

struct cmd_snapshot_key {
    pk_slice text;  /* "USER#1", "USER#1 ORDER#7": as it would be typed */
    uint32_t share; /* thousandths of the partition's requests */
};

struct cmd_snapshot_partition {
    uint32_t number; /* its place in the order of keys */
    uint32_t id, parent;
    uint64_t first_token, last_token;
    pk_slice first_key; /* text; empty unless a boundary lies inside an item collection */
    uint64_t items, bytes;
    bool splitting;
    int64_t split_due_ms, cool_until_ms;
    uint32_t hot_seconds;
    pk_slice refusal; /* "SINGLE_ITEM"; empty: none */
    char leader;      /* 'a', 'b' or 'c' */
    struct cmd_snapshot_access read, write;
    struct cmd_snapshot_key *hottest;
    size_t hottest_count;
    /* A second each, oldest first; all three of the same length. */
    int64_t *read_milli, *write_milli;
    uint32_t *refused;
    size_t history_count;
};

struct cmd_snapshot_index {
    pk_slice name;
    bool local;
    pk_slice status; /* "ACTIVE" */
    uint64_t items, bytes;
    uint64_t waiting; /* change records not applied yet */
    int64_t oldest_ms;
    int64_t queue_milli, queue_limit_milli;
    struct cmd_snapshot_access read, write;
    uint64_t throttled; /* writes of the table that it refused */
};

struct cmd_snapshot_split {
    int64_t time_ms;
    uint32_t partition, children[2]; /* ids */
    pk_slice cause;
};

/* A reader of a stream by GetRecords: a chain of iterators on one shard. */
struct cmd_snapshot_reader {
    uint32_t number;
    pk_slice shard;    /* its id */
    pk_slice sequence; /* of the last record it got; empty: none yet */
    uint64_t records;  /* that it got */
    uint64_t waiting;  /* records behind that one … */
    bool more;         /* … at least */
    int64_t oldest_ms; /* how long the first of them has been waiting */
    int64_t quiet_ms;  /* real time since its last call */
};

struct cmd_snapshot_table {
    pk_slice name;
    uint64_t items, bytes;
};

struct cmd_snapshot {
    int64_t time_ms;
    bool paused;
    uint32_t speed;
    enum cmd_throttle throttle;
    struct cmd_snapshot_table *tables;
    size_t table_count;
    pk_slice table; /* empty: none was asked for */
    pk_slice index; /* empty: the table itself */
    bool on_demand, counting;
    uint64_t items, bytes;
    struct cmd_snapshot_access read, write;
    uint32_t partition_count;
    struct cmd_snapshot_partition *partitions;
    size_t count;
    struct cmd_snapshot_partition *hot; /* of all, by number; where `partitions` are not all */
    size_t hot_count;
    struct cmd_snapshot_index *indexes;
    size_t index_count;
    struct cmd_snapshot_split *splits; /* latest last */
    size_t split_count;
    struct cmd_snapshot_reader *readers;
    size_t reader_count;
};

struct cmd_snapshot_request {
    pk_slice table, index; /* empty: none */
    uint32_t history;      /* seconds, at most 300 */
    uint32_t first, limit; /* of partitions; limit 0: 64 */
    uint32_t hot;          /* and so many of the hottest of all, at most 16 */
};

/* Reads an answer, which is not trusted: members that are missing or of a wrong type are zero.
 * Everything lives in the arena. */
struct cJSON;
void cmd_snapshot_read(struct pk_arena *arena, const struct cJSON *answer,
                       struct cmd_snapshot *snapshot);
/* Asks and reads. PK_E_NOT_FOUND; on an endpoint without our operations PK_E_UNKNOWN_OPERATION. */
PK_MUST_CHECK enum pk_code cmd_snapshot_take(struct cmd_context *context, struct pk_arena *arena,
                                             const struct cmd_snapshot_request *request,
                                             struct cmd_snapshot *snapshot, struct pk_error *err);
/* The same with up to request->limit partitions, whatever number an answer holds. The figures of
 * the table are those of the first answer. */
PK_MUST_CHECK enum pk_code cmd_snapshot_take_all(struct cmd_context *context,
                                                 struct pk_arena *arena,
                                                 const struct cmd_snapshot_request *request,
                                                 struct cmd_snapshot *snapshot,
                                                 struct pk_error *err);

#endif
