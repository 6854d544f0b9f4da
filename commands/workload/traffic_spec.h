/*
 * The words of `traffic start`, `set` and `fill`: name=value and `strong`, in any order, each once.
 *
 *   op=get|put|edit|query|mix(get 70%, put 30%)   rate=N[/s]   for=DURATION   seed=N   table=T
 *   keys=TEMPLATE  sk=TEMPLATE  walk=order|random  set=NAME:TEMPLATE  size=SIZE  strong
 *   skew=uniform|zipf(s)|hot(p% KEY)|sequential    at=even|second
 *
 * A value runs to the next blank outside ( ) { } and quotes. Nothing is looked up here: whether the
 * table has such keys is the plan's business (traffic_plan.h).
 */
#ifndef CMD_WORKLOAD_TRAFFIC_SPEC_H
#define CMD_WORKLOAD_TRAFFIC_SPEC_H

#include "commands/workload/keygen.h"
#include "engine/base/arena.h"

enum {
    TRAFFIC_RATE_MAX = 1000000,
    TRAFFIC_RATE_DEFAULT = 100,
    TRAFFIC_SIZE_MAX = 400 * 1024, /* of an item (operations.md §4) */
    TRAFFIC_SIZE_DEFAULT = 400,
    TRAFFIC_SETS_MAX = 8
};

enum traffic_op { TRAFFIC_GET, TRAFFIC_PUT, TRAFFIC_EDIT, TRAFFIC_QUERY, TRAFFIC_OPS };
/* "get" */
const char *traffic_op_name(enum traffic_op op);
/* "GetItem" */
const char *traffic_op_operation(enum traffic_op op);
bool traffic_op_reads(enum traffic_op op);
/* The operation of that name in any case; false when there is none. */
bool traffic_op_parse(pk_slice word, enum traffic_op *op);

/* The words, as bits: which are allowed, which were given. */
enum traffic_word {
    TRAFFIC_WORD_OP = 1,
    TRAFFIC_WORD_KEYS = 2,
    TRAFFIC_WORD_SK = 4,
    TRAFFIC_WORD_RATE = 8,
    TRAFFIC_WORD_SKEW = 16,
    TRAFFIC_WORD_SIZE = 32,
    TRAFFIC_WORD_STRONG = 64,
    TRAFFIC_WORD_FOR = 128,
    TRAFFIC_WORD_SEED = 256,
    TRAFFIC_WORD_TABLE = 512,
    TRAFFIC_WORD_AT = 1024,
    TRAFFIC_WORD_WALK = 2048,
    TRAFFIC_WORD_SET = 4096 /* may be given several times */
};

/* A value with its place in the text. */
struct traffic_text {
    pk_slice text;
    struct pk_span span;
};

struct traffic_skew {
    pk_slice text; /* as it was written */
    enum keygen_skew kind;
    unsigned zipf_milli, hot_milli;
    struct traffic_text hot_key;
};

struct traffic_set {
    pk_slice name;
    struct traffic_text template;
};

struct traffic_spec {
    unsigned given;
    unsigned share_milli[TRAFFIC_OPS]; /* of each operation; 1000 together */
    struct traffic_text keys, sk;
    bool walk_random; /* sort keys are drawn, not gone through in order */
    struct traffic_set sets[TRAFFIC_SETS_MAX];
    size_t set_count;
    int64_t rate; /* requests a simulated second */
    struct traffic_skew skew;
    uint64_t size;
    bool strong;
    uint64_t for_ms; /* 0: until it is stopped */
    uint64_t seed;
    struct traffic_text table; /* text.data NULL: not given */
    bool burst;                /* at=second: a second's requests in its first millisecond */
};

/* Where the words stand. */
struct traffic_words {
    pk_slice text; /* text[start…) is read */
    size_t start;
    unsigned allowed; /* enum traffic_word */
    struct pk_arena *arena;
};
/* Reads all words. Spans are places in the text, values point into it or into the arena. What is
 * not given has its default. PK_E_USAGE with a span. */
PK_MUST_CHECK enum pk_code traffic_spec_parse(const struct traffic_words *from,
                                              struct traffic_spec *spec, struct pk_error *err);
/* "2000/s" and "hot(80% USER#1)", as one value each; spans are places in it. */
PK_MUST_CHECK enum pk_code traffic_rate_parse(pk_slice text, int64_t *rate, struct pk_error *err);
PK_MUST_CHECK enum pk_code traffic_skew_parse(pk_slice text, struct pk_arena *arena,
                                              struct traffic_skew *skew, struct pk_error *err);

#endif
