/*
 * A recorded traffic: a text file, a request a line, in the order in which they were sent.
 *
 *   pksk traffic 1
 *   25 get 400 strong {"PK":{"S":"USER#1"},"SK":{"S":"PROFILE"}}
 *   75 put 400 eventual {"PK":{"S":"USER#7"},"SK":{"S":"PROFILE"},"status":{"S":"open"}}
 *
 * A line is: milliseconds since the recording began, operation, size of an item in bytes, strong or
 * eventual, then the key and the attributes that were set, in typed JSON by their names. Replayed,
 * each attribute that the table's key names is taken for the key, so that a run can be repeated on
 * a table with another key, as long as it is made of the same attributes.
 */
#ifndef CMD_WORKLOAD_TRAFFIC_TAPE_H
#define CMD_WORKLOAD_TRAFFIC_TAPE_H

#include "commands/workload/traffic_plan.h"

enum { TRAFFIC_TAPE_MAX = 1000000, TRAFFIC_TAPE_BYTES_MAX = 512 << 20 };

struct traffic_tape_entry {
    int64_t at_ms; /* never less than the one before */
    enum traffic_op op;
    bool strong;
    uint32_t size;
    uint32_t bytes; /* of the item's attributes as they are on the tape */
    /* In text: the partition key's value; the members of the key; the other members, or empty. */
    struct pk_span hash, key, rest;
};

struct traffic_tape {
    struct traffic_tape_entry *entries; /* owned */
    size_t count;
    struct pk_buf text;
};

/* Reads a file for that table. PK_E_IO; PK_E_USAGE names the line: it is no recorded traffic, or
 * the table's key cannot be taken from it. */
PK_MUST_CHECK enum pk_code traffic_tape_load(struct traffic_tape *tape, const char *path,
                                             const struct pk_table *table, struct pk_error *err);
void traffic_tape_release(struct traffic_tape *tape);

/* The first line, and the line of a request. */
void traffic_tape_write_head(struct pk_buf *out);
void traffic_tape_write(const struct traffic_plan *plan, const struct traffic_request *request,
                        int64_t at_ms, struct pk_buf *out);

#endif
