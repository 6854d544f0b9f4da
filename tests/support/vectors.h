/*
 * Requests and what AWS answers, from tests/vectors/<name>.jsonl, sent to any backend.
 *
 * A line is {"name", "setup": [request…], "request", "expect", "unordered"?, "after"?}; a request
 * is {"op", …members…} or {"op", "raw": body text}. An expectation is {"response"} or {"error":
 * {"type", "message"? (null: none), "contains"?: [text…], "CancellationReasons"?, "Item"?}}, or
 * {"success": true} for any answer but an error. {"$repeat": [text, n]} stands for a long string.
 * Each vector starts from an empty database: one store serves a file, and tables are deleted
 * between vectors.
 *
 * Objects compare unordered, sets as sets, members named in "unordered" as multisets. A message
 * that lists constraint faults compares as a set of faults; the prefix of the service's newer layer
 * is ignored (it words the same fault both ways, region by region).
 *
 * tests/vectors/disputed.jsonl holds, by name, what we answer instead where a vector contradicts
 * the service (docs/fidelity.md says why); the vectors themselves stay as they were published.
 */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include "commands/backend.h"

/* Runs every vector of the file on an empty store, and then the store's own check. Each difference
 * is logged and fails the criterion test that calls. */
void vectors_run(struct cmd_backend *backend, const char *path);

#endif
