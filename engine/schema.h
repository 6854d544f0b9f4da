/*
 * Tables and indexes as the catalog describes them.
 *
 * A struct pk_table is immutable and reference-counted: DDL publishes a new one in its place, and
 * whoever holds the old one goes on with what it saw. All it points to lives in its own arena.
 */
#ifndef PK_SCHEMA_H
#define PK_SCHEMA_H

#include "engine/value.h"

/* Limits (data-model.md §5, §8, §9, §10). */
enum {
    PK_HASH_KEY_MAX = 2048,
    PK_RANGE_KEY_MAX = 1024,
    PK_ITEM_MAX = 409600,
    PK_NESTING_MAX = 32,
    PK_NAME_MAX = 65535,
    PK_KEY_NAME_MAX = 255,
    PK_GSI_MAX = 20,
    PK_LSI_MAX = 5,
    PK_KEY_PARTS_MAX = 4, /* HASH, and RANGE, attributes of a GSI */
    PK_PROJECTED_MAX = 100,
    PK_TAGS_MAX = 50,
    PK_PAGE_BYTES = 1048576
};

struct pk_key_attr {
    pk_slice name;
    enum pk_kind type; /* S, N or B */
};

/* Tables and LSIs: one hash and at most one range attribute. GSIs: up to four of each. */
struct pk_key_schema {
    struct pk_key_attr hash[PK_KEY_PARTS_MAX];
    struct pk_key_attr range[PK_KEY_PARTS_MAX];
    uint8_t hash_count;
    uint8_t range_count;
};

enum pk_projection_type { PK_PROJECT_ALL, PK_PROJECT_KEYS_ONLY, PK_PROJECT_INCLUDE };
enum pk_billing { PK_PROVISIONED, PK_ON_DEMAND };
enum pk_status { PK_STATUS_CREATING, PK_STATUS_ACTIVE, PK_STATUS_UPDATING, PK_STATUS_DELETING };
enum pk_stream_view {
    PK_STREAM_OFF,
    PK_STREAM_KEYS_ONLY,
    PK_STREAM_NEW_IMAGE,
    PK_STREAM_OLD_IMAGE,
    PK_STREAM_NEW_AND_OLD
};

/* Target tracking of reads or writes (partitions-capacity.md §5.2). */
struct pk_scaling {
    int64_t min, max; /* units a second; max 0: off */
    int64_t target_percent;
};
enum { PK_SCALING_TARGET_LEAST = 20, PK_SCALING_TARGET_MOST = 90 };
/* 1 <= min <= max <= PK_THROUGHPUT_MAX, and a target in its range. */
bool pk_scaling_valid(const struct pk_scaling *scaling);
/* Units per second. */
struct pk_throughput {
    int64_t read;
    int64_t write;
    int64_t increased_ms; /* 0: never */
    int64_t decreased_ms;
    int64_t first_decrease_ms; /* of the day of the last one */
    int64_t decreases_today;   /* on that day */
    struct pk_scaling scale_read, scale_write;
};
/* On-demand ceilings, -1: none. */
struct pk_max_throughput {
    int64_t read;
    int64_t write;
};

/* A partition owns the rows from its first position up to the next one's first. A position is what
 * stands in a row's key behind the space byte and the id: token, encoded key values. */
struct pk_partition_entry {
    uint32_t id;     /* never used again in the table or index; in the keys of its change records */
    uint32_t parent; /* the id of the one it came out of; its own: none */
    pk_slice first;  /* at least a token; empty: all that is before the second */
};

/* How a table's or index' rows are cut (table/partition_map.h). A partition's number is its place
 * here, from 0. */
struct pk_partitions {
    struct pk_partition_entry *list; /* in the order of keys */
    uint32_t count;
    uint32_t next_id;
    bool even; /* as they were made: number and id of a token's partition are its share */
};

struct pk_index {
    uint32_t id;
    pk_slice name;
    bool local;
    struct pk_key_schema key;
    enum pk_projection_type projection;
    pk_slice *include; /* PK_PROJECT_INCLUDE: the names, as given */
    size_t include_count;
    enum pk_status status;
    bool backfilling;                /* GSI, CREATING: items are being copied */
    struct pk_throughput throughput; /* GSI */
    struct pk_max_throughput max;    /* GSI */
    struct pk_partitions partitions; /* GSI: of its own; LSI: the table's, the same list */
};

struct pk_tag {
    pk_slice key;
    pk_slice value;
};

/* A shard of a stream: the records of one partition while it had those borders. */
struct pk_shard {
    uint32_t serial;   /* of the stream, from 1: in its id */
    uint32_t parent;   /* the serial of the shard it came out of, 0: none */
    uint32_t number;   /* the shard id in the keys of its records */
    int64_t opened_ms; /* in its id, too */
    uint64_t first;    /* its sequences are first <= s < end */
    uint64_t end;      /* 0: open */
};

/* One enabling of a table's stream. Shards stand in the order of their serials. */
struct pk_stream {
    int64_t label_ms;  /* creation, and what tells the streams of a table apart */
    int64_t closed_ms; /* 0: enabled */
    enum pk_stream_view view;
    struct pk_shard *shards;
    size_t shard_count;
};

/* What a table was restored from. */
struct pk_restore {
    pk_slice source; /* the table that was backed up; data NULL: the table was not restored */
    pk_slice label;  /* tells the backups of that table apart */
    int64_t at_ms;
    uint32_t copying; /* the backup's id while its items are being copied, else 0 */
};

/* PK_TTL_FILLING: on, and rows for the items that were there before are still being made. */
enum pk_ttl_state { PK_TTL_OFF, PK_TTL_FILLING, PK_TTL_ON, PK_TTL_CLEARING };

struct pk_table {
    uint32_t id;
    pk_slice name;
    pk_slice uuid; /* TableId */
    enum pk_status status;
    int64_t until_ms; /* CREATING, DELETING: as long as the clock is before it */
    int64_t created_ms;
    struct pk_key_schema key;
    struct pk_key_attr *attributes; /* AttributeDefinitions, order as given */
    size_t attribute_count;
    struct pk_index *indexes; /* LSIs and GSIs, order as given: LSIs first */
    size_t index_count;
    size_t local_count;
    enum pk_billing billing;
    int64_t on_demand_since_ms; /* LastUpdateToPayPerRequestDateTime, 0: never was on demand */
    struct pk_throughput throughput;
    struct pk_max_throughput max;
    int64_t warm_read, warm_write; /* WarmThroughput */
    enum pk_stream_view stream;    /* of the last of the streams, while that is enabled */
    struct pk_stream *streams;     /* oldest first; disabled ones stay for the retention */
    size_t stream_count;
    enum pk_ttl_state ttl;
    pk_slice ttl_attribute; /* data NULL when off */
    int64_t ttl_changed_ms; /* 0: never */
    bool deletion_protection;
    bool infrequent_access;   /* TableClass STANDARD_INFREQUENT_ACCESS */
    bool class_given;         /* TableClassSummary is shown once a class was named */
    int64_t class_changed_ms; /* by UpdateTable; 0: never */
    struct pk_tag *tags;      /* sorted by key */
    size_t tag_count;
    struct pk_restore restore;
    struct pk_partitions partitions;
};

struct pk_table *pk_table_ref(struct pk_table *table);
/* NULL is accepted. */
void pk_table_unref(struct pk_table *table);
/* True when its items can be read and written: neither CREATING nor DELETING (operations.md §4). */
bool pk_table_serves(const struct pk_table *table);
/* The index of that name, or NULL. */
const struct pk_index *pk_table_index(const struct pk_table *table, pk_slice name);
/* The type of a defined attribute, PK_MISSING when it is not in AttributeDefinitions. */
enum pk_kind pk_table_attribute_type(const struct pk_table *table, pk_slice name);
/* The API's words: "KEYS_ONLY", "NEW_AND_OLD_IMAGES"; "" for PK_STREAM_OFF. */
const char *pk_projection_name(enum pk_projection_type type);
const char *pk_stream_view_name(enum pk_stream_view view);
/* True when the name is one of the schema's key attributes. */
bool pk_key_schema_has(const struct pk_key_schema *key, pk_slice name);
/* True when the index's entries carry the attribute. */
bool pk_index_projects(const struct pk_table *table, const struct pk_index *index, pk_slice name);

#endif
