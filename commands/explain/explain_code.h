/*
 * A request as something to run elsewhere: JSON, Python with boto3, or the AWS CLI. What is printed
 * runs as it stands, against the endpoint that this shell is connected to, or AWS.
 */
#ifndef CMD_EXPLAIN_CODE_H
#define CMD_EXPLAIN_CODE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/error.h"

struct cJSON;

enum explain_language { EXPLAIN_JSON, EXPLAIN_BOTO3, EXPLAIN_CLI };

struct explain_code {
    const char *operation; /* the API's name */
    const struct cJSON *request;
    const char *endpoint; /* URL, NULL: AWS */
};

/* "json", "boto3", "cli"; false for another word. */
bool explain_language_parse(pk_slice word, enum explain_language *language);
/* Appends the code, no newline at its end. The request is printed whole. */
void explain_code_print(struct pk_buf *out, enum explain_language language,
                        const struct explain_code *code, struct pk_arena *arena);
/* The Python printer (explain_python.c). */
void explain_python_print(struct pk_buf *out, const struct explain_code *code,
                          struct pk_arena *arena);
/* "get_item" of "GetItem" with '_', "get-item" with '-'. */
void explain_add_words(struct pk_buf *out, pk_slice camel, char between);

#endif
