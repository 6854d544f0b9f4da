/*
 * Facts beside a response, as they travel over HTTP.
 *
 * A client that wants them sends the request header X-Pksk-Facts: 1; the server answers with a
 * response header of that name. Its value is one line of JSON in printable ASCII:
 *
 *   {"Partition":n,"Touched":n,"Partitions":n,"Bytes":n,"Read":n,"Returned":n,
 *    "Verdict":"ADMITTED","Limit":"KeyRange","LimitIndex":n,
 *    "Span":[start,length],"Use":"FilterExpression","Hint":"text"}
 *
 * The first six are struct pk_facts and always there; the next three are admission's, as far as
 * they apply; the rest belongs to an error and is there when it is known. The time of a call does
 * not travel: each end measures its own.
 */
#ifndef CMD_FACTS_H
#define CMD_FACTS_H

#include "commands/backend.h"

#define CMD_FACTS_HEADER "X-Pksk-Facts"

/* The longest line that is written, and the longest that is read; a longer hint is cut. */
enum { CMD_FACTS_MAX = 2048 };

/* Appends the line: facts, and of an error its span, `use` and hint. */
void cmd_facts_write(struct pk_buf *out, const struct cmd_response *response);

/* "KeyRange" and so on; "" for PK_LIMIT_NONE. */
const char *cmd_facts_limit_name(enum pk_limit limit);

/* Reads such a line into has_facts, facts, has_span, span, use and hint (replaced). The text is not
 * trusted: anything that cmd_facts_write does not write, members unknown to us apart, gives false
 * and changes nothing. */
bool cmd_facts_read(pk_slice text, struct cmd_response *response);

#endif
