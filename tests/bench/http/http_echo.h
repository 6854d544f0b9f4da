/*
 * The least that a server on libmicrohttpd does: reads a request and its body, answers with as many
 * bytes as it was told at its start. Started with the options of shell/server/server.c, so that
 * what is left between the two is ours.
 */
#ifndef TESTS_BENCH_HTTP_ECHO_H
#define TESTS_BENCH_HTTP_ECHO_H

#include <stddef.h>

/* Prints its URL and answers until the process is killed. */
int echo_main(size_t answer_bytes);

#endif
