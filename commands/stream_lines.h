/*
 * Stream records as lines: when, what, which item, and the difference between the two images.
 *
 *   12:00:05.112  MODIFY  CUST#1 ORDER#9   shard 3   Status 'PENDING' → 'SHIPPED'
 */
#ifndef CMD_STREAM_LINES_H
#define CMD_STREAM_LINES_H

#include "commands/cmd.h"
#include "engine/schema.h"

struct cmd_template;
struct cJSON;

struct cmd_stream_line {
    pk_slice sequence; /* as digits of one length */
    pk_slice text;
};

struct cmd_stream_lines {
    const struct pk_key_schema *key;
    bool millis;    /* times have them: the records are those of Pksk.Records */
    pk_slice *only; /* partition keys that are shown; NULL: all */
    size_t only_count;
    struct pk_arena arena; /* of the lines that have not been shown yet */
    struct cmd_stream_line *lines;
    size_t count, cap;
};

/* keys: a template of partition keys, data NULL for all. */
PK_MUST_CHECK enum pk_code cmd_stream_lines_init(struct cmd_stream_lines *lines,
                                                 const struct pk_key_schema *key, pk_slice keys,
                                                 struct pk_arena *arena, struct pk_error *err);
void cmd_stream_lines_release(struct cmd_stream_lines *lines);
/* A record of GetRecords, of the shard of that number. False when its key is not asked for. */
bool cmd_stream_lines_add(struct cmd_stream_lines *lines, const struct cJSON *record, size_t shard);
/* Shows the lines in the order of their sequences, or adds them to the result when nothing shows
 * parts. */
void cmd_stream_lines_flush(struct cmd_stream_lines *lines, struct cmd_result *result,
                            const struct cmd_emitter *emitter);

#endif
