/* Several requests at once: what scatter-gather does to a sharded key. */
#ifndef CMD_PARALLEL_H
#define CMD_PARALLEL_H

#include "commands/cmd.h"

struct cmd_parcel {
    const struct cJSON *request;  /* borrowed */
    struct cmd_response response; /* initialised and empty before; the caller's to release */
};

/* Sends all of them, a few threads at a time, and returns when all are answered. */
void cmd_call_all(struct cmd_context *context, const char *operation, struct cmd_parcel *parcels,
                  size_t count);

#endif
