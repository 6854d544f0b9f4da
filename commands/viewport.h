/*
 * What the panel shows of items: the collections around one key, and the latest changes. Both are
 * our own operations, read into structs; a view asks for what fits its window and no more, so that
 * a million collections cost no more than ten.
 *
 *   Pksk.Viewport {TableName, IndexName?, From?: key, Backward?: bool, Search?: text, Limit: rows,
 *                  PerCollection?: rows, Whole?: bool}
 *   → {"Hash":[names],"Range":[names],
 *      "Collections":[{"HashKey":key,"Partition":n,"Items":n,"Bytes":n,"More":bool,
 *                      "Rows":[{"Key":key,"Bytes":n,"Item":{…},"Cut":name?,
 *                               "Read":"RETURNED|FILTERED"?}]}],
 *      "Next":key?,"Previous":key?,"LastRead":n,"ReadFrom":key?,"RowsRead":n}
 *     From: the first row (the partition key alone: its first item). Backward: the last Limit rows
 *     before From, or of all; rows always come ascending. Next: the first row after the window, for
 *     a call forward; Previous: the first row of the window when there is one before it, for a call
 *     backward. Search: from the first collection there (backward: the last one before From) whose
 *     partition key contains the text, letters of ASCII in any case; when 2,000 collections were
 *     looked at in vain, no collection comes and Next (backward: Previous) is where to go on.
 *     Items and Bytes of a collection are counted up to 10,000 items, of all in one answer up to
 *     20,000; More: there are others. PerCollection: rows of each at most. Item: the attributes
 *     outside of the key, the first that fit in 400 bytes; Cut: the first that did not fit, or only
 *     its beginning. Whole: one row, with its whole item. Read: how the last read of this table
 *     went over the row, noted while such requests come at least every half a minute. LastRead: its
 *     number, ascending, 0 when it went over no row; ReadFrom: the first row that it went over. Traffic's
 *     reads do not count.
 *   Pksk.Tail {TableName?, After?: number, Limit: n, Newest?: bool, Back?: n}
 *   →
 * {"Last":n,"Lost":n,"Opened":ms,"Records":[{"Number","Sequence"?,"Time","TableName","Event":"INSERT|MODIFY|REMOVE",
 *      "Keys":key,"Old":item?,"New":item?,"Partition":n,"Shard":text?,"Cause":"USER|TTL|TRANSACTION"}]}
 *     A ring in memory that begins with the first such request and ends half a minute after the
 *     last one; it costs the table's writes nothing while nobody looks, and what a slow reader
 *     missed (of whatever table) is counted in Lost. After 0, or a number that was not given yet:
 *     from the oldest that is there. Newest: the latest Limit records instead of the first ones;
 *     those in between are lost. An answer holds 256 KB of images at most, but one record always;
 *     Last is where to go on. Back: before them the table's newest so many changes (at most 200) out
 *     of its change log, with Number 0, if it has one (a stream or an index); some of them may come
 *     with a number, too, then or later: a change of the log has a Sequence. Opened tells openings
 *     of a store apart, each of which numbers its changes from 1.
 *
 * What a request asks for is bounded, what an answer says is not trusted.
 */
#ifndef CMD_VIEWPORT_H
#define CMD_VIEWPORT_H

#include "commands/cmd.h"

enum cmd_row_read { CMD_ROW_UNREAD, CMD_ROW_RETURNED, CMD_ROW_FILTERED };

struct cmd_viewport_row {
    pk_slice key;  /* API JSON of the key: for From */
    pk_slice sort; /* sort key as text; empty without one */
    uint64_t bytes;
    pk_slice item; /* the other attributes as "name value · name value", cut at 200 bytes: then it
                      ends in "…" */
    enum cmd_row_read read;
    pk_slice whole; /* asked for whole: API JSON of the item with its key; else empty */
};
struct cmd_viewport_collection {
    pk_slice hash; /* partition key as text */
    uint32_t partition;
    uint64_t items, bytes;
    bool more;
    struct cmd_viewport_row *rows;
    size_t row_count;
};
struct cmd_viewport {
    struct cmd_viewport_collection *collections;
    size_t count;
    pk_slice next, previous; /* API JSON of a key; empty: none */
    uint64_t last_read;      /* the number of the table's last read; 0: it went over no row */
    pk_slice read_from;      /* API JSON of the key of its first row; empty: not known */
};
struct cmd_viewport_request {
    pk_slice table, index;
    pk_slice from; /* API JSON of a key; empty: the first */
    bool backward;
    pk_slice search;
    uint32_t limit;          /* rows, at most 500; 0: 50 */
    uint32_t per_collection; /* rows of each, 0: all */
    bool whole;              /* one row, with its whole item */
};
PK_MUST_CHECK enum pk_code cmd_viewport_take(struct cmd_context *context, struct pk_arena *arena,
                                             const struct cmd_viewport_request *request,
                                             struct cmd_viewport *viewport, struct pk_error *err);

struct cmd_tail_record {
    uint64_t number;   /* 0: of before, out of the change log */
    uint64_t sequence; /* in the table's change log; 0: none */
    int64_t time_ms;
    pk_slice table, event, cause, shard;
    pk_slice key;     /* as it would be typed: "USER#1 ORDER#7" */
    pk_slice changes; /* "total – → 30 · status 'a' → 'b'", as `stream tail` has it */
    uint32_t partition;
};
struct cmd_tail {
    uint64_t last, lost;
    uint64_t opened;
    struct cmd_tail_record *records; /* oldest first */
    size_t count;
};
/* table empty: of all tables. */
struct cmd_tail_request {
    pk_slice table;
    uint64_t after;
    uint32_t limit; /* at most 500; 0: 100 */
    bool newest;    /* the latest of them, when there are more */
    uint32_t back;  /* and of the change log, so many before them; at most 200 */
};
PK_MUST_CHECK enum pk_code cmd_tail_take(struct cmd_context *context, struct pk_arena *arena,
                                         const struct cmd_tail_request *request,
                                         struct cmd_tail *tail, struct pk_error *err);

#endif
