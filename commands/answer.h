/* Answers as they come over HTTP: what a backend without JSON of its own has to know of them. */
#ifndef CMD_ANSWER_H
#define CMD_ANSWER_H

#include "commands/backend.h"

/* The code of the error in the body: by its __type, PK_E_FOREIGN when our table does not have that;
 * PK_OK when the body is no error as DynamoDB writes them. */
enum pk_code cmd_answer_code(pk_slice body);
/* The same type by name, without its namespace; len 0: none. Borrowed from the tree. */
struct cJSON;
pk_slice cmd_answer_type(const struct cJSON *body);
/* Is the body a JSON object with that member? */
bool cmd_answer_has(pk_slice body, const char *member);

#endif
