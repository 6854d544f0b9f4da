/* Splits for tests, on an engine fixture: borders are given as keys. */
#ifndef TESTS_SPLIT_FIXTURE_H
#define TESTS_SPLIT_FIXTURE_H

#include "tests/support/engine_fixture.h"

/* The position of a key, whole or its first attributes, of "T" or "T.index"; in the arena. */
pk_slice split_position(struct engine_fixture *fx, const char *of, const char *key);
/* Splits before the positions; the code is also in fx->err. */
enum pk_code split_before(struct engine_fixture *fx, const char *of, const pk_slice *positions,
                          size_t count);
/* Splits before the keys, at most eight, ended by NULL. */
enum pk_code split_at(struct engine_fixture *fx, const char *of, const char *const *keys);
/* Splits before one key, and asserts that that works. */
void split_one(struct engine_fixture *fx, const char *of, const char *key);
/* The table's latest stream, all of it: parents before children, a few records at a time. Returns
 * how many there were; aborts when a shard does not end as it should. */
size_t split_read_stream(struct engine_fixture *fx, const char *table,
                         const struct pk_records_request *to);
/* The partitions of "T" or "T.index" and their items: "id<parent:items id<parent:items", with "?"
 * when they are being counted. In the arena. */
const char *split_text(struct engine_fixture *fx, const char *of);

#endif
