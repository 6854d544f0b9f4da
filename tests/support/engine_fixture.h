/*
 * An engine on a temporary store, for tests: no ticker, a clock that stands still, short ways to
 * define tables and to run operations. Values are written in the notation of value_text.h,
 * expressions in that of expr_fixture.h.
 *
 * Closing a fixture asserts a clean pk_engine_check(): a test that leaves rows, indexes, collection
 * sizes or counters at odds fails, whatever it asserts itself.
 */
#ifndef TESTS_ENGINE_FIXTURE_H
#define TESTS_ENGINE_FIXTURE_H

#include "engine/engine.h"
#include "tests/support/expr_fixture.h"

struct engine_fixture {
    struct pk_engine *engine;
    struct pk_arena arena; /* of everything the calls below make */
    struct pk_call call;
    struct pk_error err; /* of the last call */
    struct pk_buf items; /* what the last query or scan yielded: items, each and a newline */
    struct pk_read_result read;
    struct pk_write_result write;
    struct pk_get_result get;
    struct expr_fixture **expressions; /* parsed for the calls; freed with the fixture */
    size_t expression_count;
};

enum { FIXTURE_NOW_MS = 1000000 }; /* the clock stands here, after whole days */

/* In memory. Aborts when it cannot be opened. */
void engine_open(struct engine_fixture *fx);
/* In the directory, with or without a ticker. */
void engine_open_dir(struct engine_fixture *fx, const char *dir);
/* Takes an engine that is open. */
void engine_adopt(struct engine_fixture *fx, struct pk_engine *engine_take);
/* For a thread of its own: a fixture with an arena and errors of its own on an engine that another
 * one owns. */
void engine_share(struct engine_fixture *fx, struct pk_engine *engine);
void engine_unshare(struct engine_fixture *fx);
/* Frees all that was made so far: texts, expressions, results. */
void engine_reset(struct engine_fixture *fx);
/* Asserts a clean check, closes, frees. */
void engine_close(struct engine_fixture *fx);
/* Closes without a check. */
void engine_close_unchecked(struct engine_fixture *fx);
/* Faults that a check finds; the first one's line in *first (arena; "" when there is none). */
uint64_t engine_faults(struct engine_fixture *fx, const char **first);
/* Asserts that there are none. */
void engine_assert_clean(struct engine_fixture *fx);

/* No accounting: for tests in which nothing but what they look at may be due. */
void engine_throttle_off(struct engine_fixture *fx);

/* The limit of item collections on tables with an LSI. */
void engine_set_collection_limit(struct engine_fixture *fx, uint64_t bytes);

/*
 * A definition, statements separated by ';':
 *   T PK:S SK:N [provisioned=5/5]      the table, its key; on demand without "provisioned"
 *   lsi L A:S all|keys|include=x,y     sort key of the LSI
 *   gsi G a:S[+b:N] [c:S[+d:S]] all|keys|include=x,y [provisioned=5/5]
 */
struct pk_table_spec engine_spec(struct engine_fixture *fx, const char *text);
/* Creates it; aborts with the message when that fails. */
void engine_table(struct engine_fixture *fx, const char *text);

/* Each runs one operation, with its result in fx and its error in fx->err; returns the code. NULL
 * for what is not given. values: a map for the expressions' placeholders. */
enum pk_code engine_put(struct engine_fixture *fx, const char *table, const char *item);
enum pk_code engine_delete(struct engine_fixture *fx, const char *table, const char *key);
enum pk_code engine_get(struct engine_fixture *fx, const char *table, const char *key);
enum pk_code engine_update(struct engine_fixture *fx, const char *table, const char *key,
                           const char *update, const char *values);

/* A write with all its parts. */
struct write_text {
    enum pk_write_kind kind;
    const char *table;
    const char *item; /* or key */
    const char *update;
    const char *condition;
    const char *values;
    bool item_on_failure;
    bool insert;
};
struct pk_write engine_write_of(struct engine_fixture *fx, const struct write_text *text);
enum pk_code engine_write(struct engine_fixture *fx, const struct write_text *text);

/* A query (key given) or scan with all its parts; where: "T" or "T.index". */
struct read_text {
    const char *from;
    const char *key;
    const char *filter;
    const char *values;
    const char *projection;
    const char *start; /* ExclusiveStartKey */
    enum pk_select select;
    uint64_t limit;
    bool backward;
    bool consistent;
    uint32_t segment;
    uint32_t total_segments;
};
enum pk_code engine_read(struct engine_fixture *fx, const struct read_text *text);

/* The message of the last error, "" when there is none. */
const char *engine_message(const struct engine_fixture *fx);
/* Total cost of the last write, get or read in milli-units. */
int64_t engine_write_cost(const struct engine_fixture *fx);
int64_t engine_read_cost(const struct engine_fixture *fx);
/* The share of an index in a cost, 0 when it is not listed. */
int64_t engine_index_cost(const struct pk_cost *cost, const char *index);

pk_value engine_value(struct engine_fixture *fx, const char *text);
/* The item of the last get; "MISSING" when there is none. */
const char *engine_item(struct engine_fixture *fx);
const char *engine_items(const struct engine_fixture *fx);
/* A string of n letters, as a value's text: 'aaa'. In the arena. */
const char *engine_text(struct engine_fixture *fx, size_t n);
const char *engine_format(struct engine_fixture *fx, const char *format, ...) PK_PRINTF(2, 3);

#endif
