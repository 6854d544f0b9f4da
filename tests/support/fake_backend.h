/* A backend that answers some operations with a text of the test's and passes the rest on. */
#ifndef TESTS_FAKE_BACKEND_H
#define TESTS_FAKE_BACKEND_H

#include "commands/backend.h"

struct fake_answer {
    const char *operation;
    const char *body; /* an error when its code is one */
    enum pk_code code;
    struct pk_facts facts; /* partition_count 0: there are none */
};

struct fake_backend {
    struct cmd_backend base;
    struct cmd_backend *inner; /* NULL: what has no answer is an unknown operation */
    const struct fake_answer *answers;
    size_t count;
    struct pk_buf request; /* of the last one answered here */
    unsigned calls;        /* answered here */
};

/* Stands before `inner`, with its properties; fake_release ends its use. */
void fake_init(struct fake_backend *fake, struct cmd_backend *inner,
               const struct fake_answer *answers, size_t count);
void fake_release(struct fake_backend *fake);

#endif
