/* What tests of the change log and its readers share: indexes that come and go, ticks, and what an
 * index holds compared with what it should. Works on an engine fixture. */
#ifndef TESTS_LOG_FIXTURE_H
#define TESTS_LOG_FIXTURE_H

#include "tests/support/engine_fixture.h"

/* UpdateTable with one Create; index: "gsi G a:S [c:S] all|keys|include=x,y". */
enum pk_code log_create_index(struct engine_fixture *fx, const char *table, const char *index);
enum pk_code log_delete_index(struct engine_fixture *fx, const char *table, const char *index);
/* "CREATING", "BACKFILLING", "ACTIVE", "UPDATING", "DELETING", or "" when there is no such index.
 */
const char *log_index_status(struct engine_fixture *fx, const char *table, const char *index);

/* One tick at the clock's time; true when something is left. */
bool log_tick(struct engine_fixture *fx);
/* Ticks until nothing is left. */
void log_settle(struct engine_fixture *fx);
void log_set_lag(struct engine_fixture *fx, uint64_t lag_ms, uint64_t jitter_ms);
/* Change records the store holds of the table. */
uint64_t log_records(struct engine_fixture *fx, const char *table);
/* What a query of the index with that key yields: items and newlines (engine_items). */
const char *log_query(struct engine_fixture *fx, const char *from, const char *key,
                      const char *values);

#endif
