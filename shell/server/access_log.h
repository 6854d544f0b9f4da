/* One line a request, for whoever watches the endpoint. Never what is in an item. */
#ifndef SH_SERVER_ACCESS_LOG_H
#define SH_SERVER_ACCESS_LOG_H

#include "shell/server/service.h"

enum sh_log_form { SH_LOG_NONE, SH_LOG_TEXT, SH_LOG_JSON };

/* Appends the line of the request: operation, table, status (with the error's name), units,
 * microseconds. `request` is read for the table's name. */
void sh_access_log_line(struct pk_buf *out, enum sh_log_form form,
                        const struct sh_http_request *request, const struct sh_request_note *note);

#endif
