/*
 * A backend on a served store, for tests that ask the same of the engine in this process and of the
 * endpoint: one connection, no retries, one call at a time. It shares no code with the backend that
 * the shell has for remote endpoints.
 */
#ifndef TESTS_HTTP_BACKEND_H
#define TESTS_HTTP_BACKEND_H

#include "commands/backend.h"

/* Of "http://127.0.0.1:8000". Freed by cmd_backend_free(). Responses have status and body only. */
struct cmd_backend *http_backend_new(const char *url);

#endif
