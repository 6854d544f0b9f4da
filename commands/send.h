/*
 * Sending a built request: what it cost, and its errors told in the words of the statement.
 *
 * The API's errors speak of an expression with placeholders. Here they get their place in the
 * statement, the user's own words instead of #n and :v, and a hint where we know what was meant.
 */
#ifndef CMD_SEND_H
#define CMD_SEND_H

#include "commands/request.h"

/* What requests cost, summed. Units in milli-units. */
struct cmd_usage {
    unsigned requests;
    uint64_t count, scanned; /* of Query and Scan */
    int64_t milli;
    bool has_units;
    bool has_facts; /* false as soon as one answer had none */
    struct pk_facts facts;
    int64_t micros;
    unsigned retries, throttled; /* of struct cmd_response */
};
void cmd_usage_add(struct cmd_usage *usage, const struct cJSON *answer,
                   const struct cmd_response *raw);

/* Sends request->json as request->operation. *answer is the caller's (cJSON_Delete). */
PK_MUST_CHECK enum pk_code cmd_send(struct cmd_context *context, struct cmd_request *request,
                                    struct cJSON **answer, struct cmd_usage *usage,
                                    struct pk_error *err);

/* Several requests of one operation, sent at once (parallel.h). */
struct cmd_sending {
    struct cmd_request *requests; /* borrowed, as what follows */
    struct cJSON **answers;       /* out, one a request, the caller's; NULL: not this time */
    uint32_t *partitions;         /* out: the one that each was answered by, where that is known */
    const bool *skip;             /* requests that are not sent; answers stay as they are */
    size_t count;
    struct cmd_usage *usage;
    size_t failed; /* out: the request whose error is told */
};
PK_MUST_CHECK enum pk_code cmd_send_all(struct cmd_context *context, struct cmd_sending *sending,
                                        struct pk_error *err);

/* "the stored item has total = 30 and no status", by what the condition mentions; "there is no such
 * item" when item is missing, unless it is an endpoint's, which may keep it to itself. In the
 * arena. */
pk_slice cmd_stored_item_text(const struct cmd_context *context,
                              const struct cmd_expression *condition, pk_view item,
                              struct pk_arena *arena);

#endif
