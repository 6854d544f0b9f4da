/*
 * Every operation of the engine: request and result structs, one function each.
 *
 * Requests borrow everything they point to. Results live in the arena of the call. Expressions
 * arrive parsed (expr.h); request-only validation (shapes, enums, constraint lists, values) is the
 * API layer's work, everything that needs the table, the schema or the item is done here, with
 * DynamoDB's messages and in its order (operations.md §4-§8).
 *
 * Capacity is counted in milli-units: 1 unit = 1000 (partitions-capacity.md §2, §10.1).
 */
#ifndef PK_OPS_H
#define PK_OPS_H

#include <stdatomic.h>

#include "engine/expr.h"
#include "engine/schema.h"

struct pk_engine;

/* What every call has: where results go, and a flag that makes a long read stop with
 * PK_E_CANCELLED (NULL: cannot be cancelled). */
struct pk_call {
    struct pk_arena *arena;
    const atomic_bool *cancel;
    bool unnoted; /* its reads are not shown to those who look (looking.h): it is traffic */
};

/* ConsumedCapacity of one table (operations.md §3). Only touched indexes are listed. */
struct pk_index_cost {
    pk_slice name;
    bool local;
    int64_t milli;
};
struct pk_cost {
    pk_slice table;
    int64_t table_milli;
    struct pk_index_cost *indexes;
    size_t index_count;
    bool write; /* write units; else read units */
};
int64_t pk_cost_total(const struct pk_cost *cost);

/* What admission said of a request, the worse later. */
enum pk_verdict {
    PK_VERDICT_NONE,         /* it was not asked: throttle off */
    PK_VERDICT_ADMITTED,     /* all limits had room */
    PK_VERDICT_WOULD_REFUSE, /* throttle observe: executed all the same */
    PK_VERDICT_REFUSED       /* throttle enforce */
};
/* The limit that refuses (partitions-capacity.md §6.1). */
enum pk_limit {
    PK_LIMIT_NONE,
    PK_LIMIT_KEY_RANGE,
    PK_LIMIT_PROVISIONED,
    PK_LIMIT_MAX_ON_DEMAND,
    PK_LIMIT_ACCOUNT
};

/* What the footer shows and the API lacks. Partitions are those of the table or index read. */
struct pk_facts {
    uint32_t partition; /* the first one touched */
    uint32_t partitions_touched;
    uint32_t partition_count; /* 0: does not apply */
    uint64_t bytes;           /* read, or stored by a write */
    uint64_t items_read;
    uint64_t items_returned;
    enum pk_verdict verdict; /* of several items or pages: the worst */
    enum pk_limit limit;     /* the one that refused, or would have */
    uint32_t limit_index;    /* whose limit: 0: what the request names; n: the table's n-th index */
};
/* Makes the worse verdict that of both. */
static inline void pk_facts_add_verdict(struct pk_facts *sum, const struct pk_facts *one)
{
    if (one->verdict <= sum->verdict)
        return;
    sum->verdict = one->verdict;
    sum->limit = one->limit;
    sum->limit_index = one->limit_index;
}

/* ---- single items ------------------------------------------------------------------------- */

struct pk_get {
    pk_slice table;
    pk_value key; /* M */
    bool consistent;
    const struct pk_projection *projection; /* NULL: none. Used for checks only */
};
struct pk_get_result {
    pk_view item; /* missing when there is none */
    struct pk_cost cost;
    struct pk_facts facts;
};
PK_MUST_CHECK enum pk_code pk_engine_get(struct pk_engine *engine, struct pk_call *call,
                                         const struct pk_get *request, struct pk_get_result *result,
                                         struct pk_error *err);

enum pk_write_kind { PK_WRITE_PUT, PK_WRITE_UPDATE, PK_WRITE_DELETE, PK_WRITE_CHECK };

/* One write: by itself, in a batch (PUT, DELETE, no condition) or in a transaction. */
struct pk_write {
    enum pk_write_kind kind;
    pk_slice table;
    pk_value item;                   /* PUT: the item; else the key. M */
    const struct pk_node *condition; /* NULL: none */
    const struct pk_update *update;  /* UPDATE; NULL: none given (creates the bare item) */
    bool insert;                     /* PartiQL INSERT: an existing item is DUPLICATE_ITEM */
    bool must_exist;                 /* PartiQL UPDATE: an absent item fails the condition */
    bool item_on_failure;            /* ReturnValuesOnConditionCheckFailure=ALL_OLD */
};
struct pk_write_result {
    pk_view old_item;        /* missing when there was none */
    pk_view new_item;        /* missing after DELETE and CHECK */
    pk_value collection_key; /* tables with an LSI: the hash key as a map; else missing */
    uint64_t collection_bytes;
    struct pk_cost cost;
    struct pk_facts facts;
};
/* PK_E_CONDITION_FAILED (with the old item in err when asked for), PK_E_DUPLICATE_ITEM,
 * PK_E_TXN_CONFLICT, PK_E_NOT_FOUND, PK_E_VALIDATION, PK_E_IO. */
PK_MUST_CHECK enum pk_code pk_engine_write(struct pk_engine *engine, struct pk_call *call,
                                           const struct pk_write *request,
                                           struct pk_write_result *result, struct pk_error *err);

/* ---- query and scan ----------------------------------------------------------------------- */

enum pk_select {
    PK_SELECT_DEFAULT, /* by projection and source, operations.md §6 */
    PK_SELECT_ALL,
    PK_SELECT_PROJECTED,
    PK_SELECT_SPECIFIC,
    PK_SELECT_COUNT
};

/* Receives the items of a page, unprojected, in order. Returning anything but PK_OK ends the read
 * with that code (err filled by the sink). The view is valid during the call only. */
struct pk_sink {
    enum pk_code (*item)(void *context, pk_view item, struct pk_error *err);
    void *context;
};

struct pk_read {
    pk_slice table;
    pk_slice index;                         /* data NULL: the table itself */
    const struct pk_key_terms *key_terms;   /* query; NULL for a scan */
    const struct pk_node *filter;           /* NULL: none */
    bool legacy_filter;                     /* QueryFilter/ScanFilter: its messages */
    bool legacy_keys;                       /* KeyConditions: its messages */
    bool key_filter_allowed;                /* PartiQL: a filter may mention key attributes */
    const struct pk_projection *projection; /* NULL: none. Used for checks and LSI fetches only */
    enum pk_select select;
    uint64_t limit; /* 0: none */
    bool backward;
    bool consistent;
    pk_value start_key; /* ExclusiveStartKey as a map; missing: none */
    uint32_t segment;
    uint32_t total_segments; /* 0: not a parallel scan */
    struct pk_sink sink;     /* not called for COUNT */
};
struct pk_read_result {
    uint64_t count;
    uint64_t scanned;
    pk_value last_key; /* LastEvaluatedKey, missing at the end */
    struct pk_cost cost;
    struct pk_facts facts;
};
PK_MUST_CHECK enum pk_code pk_engine_query(struct pk_engine *engine, struct pk_call *call,
                                           const struct pk_read *request,
                                           struct pk_read_result *result, struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_engine_scan(struct pk_engine *engine, struct pk_call *call,
                                          const struct pk_read *request,
                                          struct pk_read_result *result, struct pk_error *err);

/* ---- batches ------------------------------------------------------------------------------ */

/* BatchGetItem: results in request order; an item beyond the 16 MB reply is unprocessed, and one
 * that was throttled. */
struct pk_batch_get_entry {
    pk_view item; /* missing: absent (or unprocessed) */
    bool unprocessed;
};
struct pk_batch_get_result {
    struct pk_batch_get_entry *entries;
    struct pk_cost *costs; /* one a table, in order of first mention */
    size_t cost_count;
    struct pk_facts facts;
};
PK_MUST_CHECK enum pk_code pk_engine_batch_get(struct pk_engine *engine, struct pk_call *call,
                                               const struct pk_get *requests, size_t count,
                                               struct pk_batch_get_result *result,
                                               struct pk_error *err);

/* BatchWriteItem: validated as a whole before anything is written, then written one by one. */
struct pk_batch_write_result {
    struct pk_write_result *writes; /* in request order */
    bool *unprocessed;              /* throttled, in request order; not all of them */
    struct pk_cost *costs;          /* one a table, in order of first mention */
    size_t cost_count;
    struct pk_facts facts;
};
PK_MUST_CHECK enum pk_code pk_engine_batch_write(struct pk_engine *engine, struct pk_call *call,
                                                 const struct pk_write *requests, size_t count,
                                                 struct pk_batch_write_result *result,
                                                 struct pk_error *err);

/* ---- transactions ------------------------------------------------------------------------- */

struct pk_transact_get_result {
    pk_view *items; /* in request order, missing where there is none */
    struct pk_cost *costs;
    size_t cost_count;
    struct pk_facts facts;
};
PK_MUST_CHECK enum pk_code pk_engine_transact_get(struct pk_engine *engine, struct pk_call *call,
                                                  const struct pk_get *requests, size_t count,
                                                  struct pk_transact_get_result *result,
                                                  struct pk_error *err);

struct pk_transact_write {
    const struct pk_write *writes;
    size_t count;
    pk_slice token;         /* ClientRequestToken; data NULL: none */
    unsigned char hash[32]; /* SHA-256 of the content that must be the same under one token */
};
struct pk_transact_write_result {
    bool repeated; /* the token was known: nothing was done, read units were charged */
    struct pk_write_result *writes;
    struct pk_cost *costs;
    size_t cost_count;
    struct pk_facts facts;
};
/* PK_E_TXN_CANCELED carries one reason an action in err. */
PK_MUST_CHECK enum pk_code pk_engine_transact_write(struct pk_engine *engine, struct pk_call *call,
                                                    const struct pk_transact_write *request,
                                                    struct pk_transact_write_result *result,
                                                    struct pk_error *err);

/* ---- tables ------------------------------------------------------------------------------- */

struct pk_index_spec {
    pk_slice name;
    bool local;
    const struct pk_key_element {
        pk_slice name;
        bool range; /* KeyType RANGE */
    } * keys;
    size_t key_count;
    bool projection_given;
    bool projection_type_given;
    enum pk_projection_type projection;
    const pk_slice *include;
    size_t include_count;
    bool include_given;
    bool throughput_given;
    struct pk_throughput throughput;
    struct pk_max_throughput max; /* -1: not given */
};
struct pk_table_spec {
    pk_slice name;
    const struct pk_key_element *keys;
    size_t key_count;
    const struct pk_key_attr *attributes;
    size_t attribute_count;
    const struct pk_index_spec *locals;
    size_t local_count;
    bool locals_given; /* the member was there, even if empty */
    const struct pk_index_spec *globals;
    size_t global_count;
    bool globals_given;
    enum pk_billing billing;
    bool throughput_given;
    struct pk_throughput throughput;
    struct pk_max_throughput max;  /* -1: not given */
    int64_t warm_read, warm_write; /* 0: not given */
    enum pk_stream_view stream;
    bool deletion_protection;
    bool class_given, infrequent_access;
    const struct pk_tag *tags;
    size_t tag_count;
};
/* Checks 3 to 9 of operations.md §8, then creates. *table is a reference (pk_table_unref). */
PK_MUST_CHECK enum pk_code pk_engine_create_table(struct pk_engine *engine,
                                                  const struct pk_table_spec *spec,
                                                  struct pk_table **table, struct pk_error *err);

/* How often that throughput was lowered on this day of simulated time: NumberOfDecreasesToday. */
int64_t pk_engine_decreases_today(struct pk_engine *engine, const struct pk_throughput *throughput);

/* Auto scaling of a provisioned table or GSI (partitions-capacity.md §5.2). */
struct pk_autoscale_change {
    pk_slice table;
    pk_slice index;                        /* data NULL: the table itself */
    const struct pk_scaling *read, *write; /* NULL: as it is; max 0: off */
};
/* PK_E_NOT_FOUND; PK_E_VALIDATION for limits that are none, for a table that is on demand (off is
 * accepted) and for an index that has no throughput. *table is a reference (pk_table_unref). */
PK_MUST_CHECK enum pk_code pk_engine_set_autoscale(struct pk_engine *engine,
                                                   const struct pk_autoscale_change *change,
                                                   struct pk_table **table, struct pk_error *err);

struct pk_table_change {
    pk_slice name;
    const struct pk_key_attr *attributes; /* as given; for index creation (a later version) */
    size_t attribute_count;
    bool billing_given;
    enum pk_billing billing;
    bool throughput_given;
    struct pk_throughput throughput;
    bool max_given;
    struct pk_max_throughput max;
    bool protection_given, deletion_protection;
    bool class_given, infrequent_access;
    bool encryption_given; /* a change, of nothing: what is stored is not encrypted */
    bool stream_given;
    enum pk_stream_view stream;
    int64_t warm_read, warm_write; /* 0: not given */
    struct pk_index_change {       /* GlobalSecondaryIndexUpdates */
        enum { PK_INDEX_CREATE, PK_INDEX_UPDATE, PK_INDEX_DELETE, PK_INDEX_NOTHING } kind;
        struct pk_index_spec spec;
    } * indexes;
    size_t index_count;
};
PK_MUST_CHECK enum pk_code pk_engine_update_table(struct pk_engine *engine,
                                                  const struct pk_table_change *change,
                                                  struct pk_table **table, struct pk_error *err);
/* *table: the description at deletion, status DELETING. Rows go in the background. */
PK_MUST_CHECK enum pk_code pk_engine_delete_table(struct pk_engine *engine, pk_slice name,
                                                  struct pk_table **table, struct pk_error *err);
/* A reference, or NULL when there is no such table. */
struct pk_table *pk_engine_table(struct pk_engine *engine, pk_slice name);
/* Names after `after` (data NULL: from the start) in byte order, at most limit; *more tells whether
 * others follow. Returns how many were written to names (arena copies). */
size_t pk_engine_list_tables(struct pk_engine *engine, struct pk_call *call, pk_slice after,
                             size_t limit, pk_slice *names, bool *more);
/* Replaces tags of equal key. */
PK_MUST_CHECK enum pk_code pk_engine_tag(struct pk_engine *engine, pk_slice table,
                                         const struct pk_tag *tags, size_t count,
                                         struct pk_error *err);
PK_MUST_CHECK enum pk_code pk_engine_untag(struct pk_engine *engine, pk_slice table,
                                           const pk_slice *keys, size_t count,
                                           struct pk_error *err);

/* Text kept beside a table that it has no place for itself (an imported model); it goes with the
 * table. Empty: none. */
PK_MUST_CHECK enum pk_code pk_engine_set_attachment(struct pk_engine *engine, pk_slice table,
                                                    pk_slice text, struct pk_error *err);
/* In the call's arena. */
PK_MUST_CHECK enum pk_code pk_engine_attachment(struct pk_engine *engine, struct pk_call *call,
                                                pk_slice table, pk_slice *text,
                                                struct pk_error *err);

/* ---- streams (streams-ttl.md §1-§3) -------------------------------------------------------- */

/* A stream by its table and label; the table may have been dropped. */
struct pk_stream_name {
    pk_slice table;
    pk_slice label; /* "2015-05-11T21:21:33.291" */
};
/* All streams that can be read, in the arena, by table and label; table data NULL: of all tables.
 */
void pk_engine_list_streams(struct pk_engine *engine, struct pk_call *call, pk_slice table,
                            struct pk_stream_name **list, size_t *count);

/* The label of the table's latest stream, in the arena; data NULL: it never had one. */
pk_slice pk_engine_stream_label(struct pk_arena *arena, const struct pk_table *table);

struct pk_shard_info {
    pk_slice id;
    pk_slice parent; /* data NULL: none */
    pk_slice first;  /* digits of sequences; of an empty open shard where it will begin */
    pk_slice last;   /* data NULL: open */
};
struct pk_stream_info {
    pk_slice label;
    int64_t created_ms;
    bool enabled;
    enum pk_stream_view view;
    struct pk_key_schema key;
    struct pk_shard_info *shards; /* parents before children */
    size_t shard_count;
};
/* In the arena. PK_E_NOT_FOUND with an empty message: the caller knows the stream's ARN. */
PK_MUST_CHECK enum pk_code pk_engine_describe_stream(struct pk_engine *engine, struct pk_call *call,
                                                     const struct pk_stream_name *name,
                                                     struct pk_stream_info *info,
                                                     struct pk_error *err);

enum pk_stream_start {
    PK_STREAM_TRIM_HORIZON,
    PK_STREAM_LATEST,
    PK_STREAM_AT_SEQUENCE,
    PK_STREAM_AFTER_SEQUENCE
};
struct pk_iterator_request {
    struct pk_stream_name stream;
    pk_slice shard_id;
    enum pk_stream_start start;
    pk_slice sequence; /* AT and AFTER: its digits */
};
/* The iterator's text, in the arena. PK_E_NOT_FOUND with an empty message: no such stream;
 * "Shard does not exist". PK_E_VALIDATION: the sequence. PK_E_TRIMMED: it is out of retention. */
PK_MUST_CHECK enum pk_code pk_engine_shard_iterator(struct pk_engine *engine, struct pk_call *call,
                                                    const struct pk_iterator_request *request,
                                                    pk_slice *iterator, struct pk_error *err);

struct pk_stream_record {
    struct pk_stream_name stream;
    enum pk_stream_view view;
    const struct pk_key_schema *key;
    pk_slice sequence; /* its digits */
    int64_t time_ms;
    int event;      /* enum pk_event of the log: 1 INSERT, 2 MODIFY, 3 REMOVE */
    bool ttl;       /* removed because it expired */
    pk_view item;   /* the image to take the key from */
    pk_view before; /* missing also when the view has it not */
    pk_view after;
    uint64_t size; /* SizeBytes */
};
struct pk_records_request {
    pk_slice iterator;
    uint64_t limit; /* at most 1000 */
    enum pk_code (*record)(void *context, const struct pk_stream_record *record,
                           struct pk_error *err); /* in order; valid during the call only */
    void *context;
};
/* *next: data NULL when the shard is closed and has been read to its end; else the next iterator,
 * in the arena. PK_E_VALIDATION: not an iterator. PK_E_EXPIRED_ITERATOR, PK_E_TRIMMED. */
PK_MUST_CHECK enum pk_code pk_engine_stream_records(struct pk_engine *engine, struct pk_call *call,
                                                    const struct pk_records_request *request,
                                                    pk_slice *next, struct pk_error *err);
/* Whoever has that iterator reads no more: it is not shown any longer (snapshot.h). Nothing when
 * the text is no iterator, or its reader is not known. */
void pk_engine_stream_leave(struct pk_engine *engine, struct pk_call *call, pk_slice iterator);

/* ---- TTL (streams-ttl.md §5) --------------------------------------------------------------- */

/* Turns the deletion of expired items on for an attribute, or off. */
struct pk_ttl_change {
    pk_slice table;
    pk_slice attribute;
    bool enabled;
};
PK_MUST_CHECK enum pk_code pk_engine_update_ttl(struct pk_engine *engine,
                                                const struct pk_ttl_change *change,
                                                struct pk_error *err);

/* ---- looking inside ----------------------------------------------------------------------- */

struct pk_counts {
    uint64_t items;
    uint64_t bytes;
};
struct pk_table_stats {
    bool counting; /* a count after an unclean close, or of partitions that were split, has not
                      finished: figures are partial */
    struct pk_counts table;
    struct pk_counts *indexes;           /* arena, in the table's order */
    struct pk_counts **index_partitions; /* of each GSI, as `partitions`; NULL for an LSI */
    struct pk_counts *partitions;        /* arena, in the order of the table's */
};
void pk_engine_table_stats(struct pk_engine *engine, struct pk_call *call,
                           const struct pk_table *table, struct pk_table_stats *stats);

/* What a global index has not applied yet. */
enum { PK_INDEX_LAG_MAX = 10000 }; /* more are not counted */
struct pk_index_lag {
    uint64_t waiting;  /* change records */
    int64_t oldest_ms; /* how long the first of them has been waiting; 0: none waits */
};
PK_MUST_CHECK enum pk_code pk_engine_index_lag(struct pk_engine *engine, struct pk_call *call,
                                               const struct pk_table *table,
                                               const struct pk_index *index,
                                               struct pk_index_lag *lag, struct pk_error *err);

/* Where a key lives: `where KEY`. */
struct pk_place {
    uint64_t token;
    uint32_t partition;
    uint32_t partition_id;
    uint32_t partitions; /* that own something of the key's, from that one on: 1, unless the key is
                            not whole and its collection was cut. What follows is of all of them */
    uint32_t partition_count; /* of the table or index */
    uint64_t partition_first; /* first and last token of which they own something */
    uint64_t partition_last;
    /* arena: the first position (schema.h), and that of the partition behind them, empty at the
     * ends. One longer than a token lies inside it, and inside an item collection when it ends in a
     * sort key. */
    pk_slice first_position, end_position;
    pk_slice stored_key; /* arena: the row's key bytes as far as the given key determines them */
};
/* The key values of a position, in the arena, in the order in which they stand in it: at most max,
 * and as far as they are whole. Returns how many. */
enum { PK_POSITION_VALUES_MAX = 10 }; /* a GSI's key, and the table's */
size_t pk_engine_position_values(struct pk_arena *arena, pk_slice position, pk_value *values,
                                 size_t max);
struct pk_where {
    pk_slice table;
    pk_slice index; /* data NULL: the table itself */
    pk_value key;   /* the whole key, or its hash attribute alone */
};
PK_MUST_CHECK enum pk_code pk_engine_where(struct pk_engine *engine, struct pk_call *call,
                                           const struct pk_where *request, struct pk_place *place,
                                           struct pk_error *err);

/* Item collections of a table or an index (data NULL: the table itself): the `top` largest by
 * items, then by bytes, then in key order. Reads all of it, without cost. An index that is being
 * made is refused as a read of it is. */
struct pk_collections_request {
    pk_slice table;
    pk_slice index;
    size_t top;
};
struct pk_collection {
    pk_value hash[PK_KEY_PARTS_MAX]; /* the values of the hash attributes, hash_count of them */
    struct pk_counts counts;
    uint32_t partition; /* in which it begins */
};
struct pk_collections {
    struct pk_collection *list;
    size_t count;
    size_t hash_count; /* more than one in an index only */
    uint64_t total;    /* collections there are */
};
PK_MUST_CHECK enum pk_code pk_engine_collections(struct pk_engine *engine, struct pk_call *call,
                                                 const struct pk_collections_request *request,
                                                 struct pk_collections *result,
                                                 struct pk_error *err);

/* Items from the start of the table, or of one collection, without cost: for completion and hints.
 */
struct pk_sample {
    pk_slice table;
    pk_value hash_key; /* of the collection; missing: the table */
    size_t limit;      /* items */
    struct pk_sink sink;
};
PK_MUST_CHECK enum pk_code pk_engine_sample(struct pk_engine *engine, struct pk_call *call,
                                            const struct pk_sample *request, struct pk_error *err);

#endif
