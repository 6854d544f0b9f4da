/*
 * Who may ask: the authentication checks of operations.md §1 step 7, in their order and with the
 * texts of errors.md §3, for a signature in the Authorization header and for one in the query.
 *
 * Without keys (the default) anybody with well-formed credentials may: every check of form is made
 * (parts missing, form of the date, Host signed, algorithm, shape of the credential, its service,
 * terminator and date against the request's own), and none that needs a clock or a secret, so that
 * a wrong or simulated clock locks nobody out.
 *
 * With keys the rest is checked too: the date lies within 15 minutes of now, both ways; the key id
 * is in the file; the signature is right (auth_sign.h). Any region is a valid one, X-Amz-Expires
 * and X-Amz-Security-Token are not looked at (docs/fidelity.md).
 */
#ifndef SH_SERVER_AUTH_H
#define SH_SERVER_AUTH_H

#include "engine/error.h"
#include "shell/server/http.h"

struct sh_auth_keys;

/*
 * Reads the file of `--auth`: "KEYID SECRET" a line; empty lines and lines that begin with '#' are
 * skipped. *keys is the caller's (sh_auth_keys_free), untouched on failure.
 *
 * PK_E_IO: cannot be read. PK_E_USAGE: others can read or write it, a bad line (named by its
 * number, never quoted), a key id twice, no key at all.
 */
PK_MUST_CHECK enum pk_code sh_auth_keys_load(const char *path, struct sh_auth_keys **keys,
                                             struct pk_error *err);
/* NULL is accepted. */
void sh_auth_keys_free(struct sh_auth_keys *keys);

/*
 * PK_OK when the request may be answered. keys NULL: form only, see above. The body must be as it
 * came, before any Content-Encoding is undone: that is what clients sign. now_ms is the real
 * clock's time (pk_clock_real_ms). Thread-safe, with the same keys too.
 *
 * PK_E_MISSING_TOKEN, PK_E_INCOMPLETE_SIGNATURE, PK_E_INVALID_SIGNATURE, PK_E_UNRECOGNIZED_CLIENT.
 * Messages are UTF-8 whatever the headers hold.
 */
PK_MUST_CHECK enum pk_code sh_auth_check(const struct sh_auth_keys *keys,
                                         const struct sh_http_request *request, int64_t now_ms,
                                         struct pk_error *err);

#endif
