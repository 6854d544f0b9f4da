/*
 * What those see who look at a store without being its clients: the rows around a key, and the
 * latest changes. Looking costs no capacity, changes nothing that is stored, and a call does a
 * bounded amount of work however large the table is.
 *
 * Changes, and how reads went over the rows, are noted only while somebody looks: each call here is
 * a lease of half a minute of real time. Without one a write or read pays for an atomic load.
 */
#ifndef PK_LOOKING_H
#define PK_LOOKING_H

#include "engine/ops.h"

/* ---- rows ------------------------------------------------------------------------------------ */

enum {
    PK_VIEWPORT_ROWS_MAX = 500,
    PK_VIEWPORT_COUNT_MAX = 10000,      /* items counted of one collection */
    PK_VIEWPORT_COUNT_CALL_MAX = 20000, /* and of all in one call */
    PK_VIEWPORT_SEARCH_MAX = 2000,      /* collections a search looks at in one call */
    PK_VIEWPORT_ITEM_MAX = 400          /* bytes of a row's item that are shown of it */
};

struct pk_viewport_request {
    pk_slice table;
    pk_slice index; /* data NULL: the table itself */
    /* Forward: the first row to show, or what comes after it when it is gone; the partition key
     * alone (or with leading sort key values) is the first of its rows. Backward: the last rows
     * before it. Missing: from the first row, backward the last ones. */
    pk_value from;
    bool backward;
    /* Not empty: from the first collection at or after `from` (backward: the last one before it)
     * whose partition key contains the text, ASCII letters in any case. */
    pk_slice search;
    uint64_t limit;          /* rows; 1 to PK_VIEWPORT_ROWS_MAX */
    uint64_t per_collection; /* rows shown of one collection; 0: all */
    bool whole;              /* items come whole: then one row only is shown */
};

/* How the last read of the table went over a row. */
enum pk_row_read { PK_ROW_UNREAD, PK_ROW_RETURNED, PK_ROW_FILTERED };

struct pk_viewport_row {
    pk_value key; /* a map: of an index row with the table's key */
    uint64_t bytes;
    pk_view item; /* the attributes outside of the key, the first that fit; or the whole item */
    pk_slice cut; /* the attribute that did not fit, or only in part; data NULL: all are there */
    enum pk_row_read read;
};
struct pk_viewport_collection {
    pk_value hash; /* a map of the partition key's attributes */
    uint32_t partition;
    uint64_t items, bytes;
    bool more; /* there are others that were not counted */
    struct pk_viewport_row *rows;
    size_t row_count;
};
struct pk_viewport {
    struct pk_viewport_collection *collections; /* ascending, also of a call backward */
    size_t count;
    /* Where to go on: the first row after those shown, and the first of those shown when there is
     * one before it (for a call backward); else missing. A search that found nothing yet has one of
     * them and no collections: it goes on from there. */
    pk_value next, previous;
    struct pk_key_schema schema; /* the key that rows are grouped and sorted by */
    uint64_t last_read; /* the number of the last read, ascending; 0: it went over no row */
    pk_value read_from; /* its first row, if that is still there; else missing */
    uint64_t rows_read; /* what the call cost, for tests */
};
/* PK_E_NOT_FOUND, PK_E_VALIDATION (no such index, a key that does not fit), PK_E_IO, PK_E_CORRUPT.
 */
PK_MUST_CHECK enum pk_code pk_engine_viewport(struct pk_engine *engine, struct pk_call *call,
                                              const struct pk_viewport_request *request,
                                              struct pk_viewport *result, struct pk_error *err);

/* ---- changes --------------------------------------------------------------------------------- */

enum {
    PK_TAIL_RECORDS_MAX = 500,      /* in one answer */
    PK_TAIL_BACK_MAX = 200,         /* of those looked back on */
    PK_TAIL_ANSWER_BYTES = 1 << 18, /* of images in one answer; one record always fits */
    PK_TAIL_KEPT = 4096,            /* records kept for readers */
    PK_TAIL_KEPT_BYTES = 8 << 20    /* and bytes of them */
};

struct pk_tail_record {
    uint64_t number;   /* ascending without gaps over all tables, from 1 since the store was opened;
                          0: of before, out of the change log */
    uint64_t sequence; /* in the table's change log; 0: it has none */
    int64_t time_ms;   /* simulated */
    pk_slice table;
    const struct pk_key_schema *key;
    int event; /* enum pk_event of the log: 1 INSERT, 2 MODIFY, 3 REMOVE */
    int cause; /* enum pk_cause of the log: 1 user, 2 TTL, 3 transaction */
    uint32_t partition;
    pk_slice shard; /* the shard of the table's stream that has it; data NULL: no stream */
    pk_view before; /* missing for INSERT */
    pk_view after;  /* missing for REMOVE */
};
struct pk_tail_request {
    pk_slice table; /* data NULL: of all tables */
    uint64_t after; /* records above this number; one that was not given yet counts as 0 */
    uint64_t limit; /* records; 1 to PK_TAIL_RECORDS_MAX */
    bool newest;    /* when there are more than limit, the newest of them, else the oldest */
    /* Of one table: begin with its newest so many changes out of its change log, ascending. The
     * same change may come once more, then or later, with its number: its sequence tells. */
    uint64_t back; /* at most PK_TAIL_BACK_MAX */
    enum pk_code (*record)(void *context, const struct pk_tail_record *record,
                           struct pk_error *err); /* ascending; valid during the call only */
    void *context;
};
struct pk_tail_result {
    int64_t opened_ms; /* real time: tells openings of a store apart, each of which counts from 1 */
    uint64_t last;     /* where to go on */
    /* Records above `after`, of whatever table, that the reader will not see: overwritten, or
     * passed over for newer ones. 0 when it asked from 0. */
    uint64_t lost;
};
/* A ring in memory, of all changes that were committed since the first such call while calls come
 * at least every half a minute; a change that was committed before the first one is found by
 * looking back, where the table has a change log, and so none is missed between the two. Fails by
 * what the callback returns; PK_E_IO, PK_E_CORRUPT of the change log. */
PK_MUST_CHECK enum pk_code pk_engine_tail(struct pk_engine *engine, struct pk_call *call,
                                          const struct pk_tail_request *request,
                                          struct pk_tail_result *result, struct pk_error *err);

#endif
