/*
 * The endpoint as a person starts it: `pksk serve` on the command line, `serve` at the prompt.
 */
#ifndef SH_SERVE_H
#define SH_SERVE_H

#include "commands/cmd.h"
#include "shell/options.h"

enum { SH_SERVE_PORT = 8000 };
#define SH_SERVE_HOST "127.0.0.1"

struct sh_endpoint;

/* Serves the engine, which must outlive it, until it is closed; whoever finds the store in use is
 * told its URL. `serve` is borrowed for the call only. PK_E_IO, PK_E_USAGE (the key file). */
PK_MUST_CHECK enum pk_code sh_endpoint_open(struct pk_engine *engine,
                                            const struct sh_serve_options *serve,
                                            struct sh_endpoint **endpoint, struct pk_error *err);
/* Lets the requests under way come to their end. NULL is accepted. */
void sh_endpoint_close(struct sh_endpoint *endpoint);
const char *sh_endpoint_url(const struct sh_endpoint *endpoint);
/* Appends what to paste into a program so that it talks to the endpoint, a line each. */
void sh_endpoint_lines(const struct sh_endpoint *endpoint, struct pk_buf *out);

/* pksk serve: serves until INT, TERM or HUP comes. Returns the exit code. */
int sh_serve(const struct sh_options *options);

/* The row of `serve` (shell_commands.c). */
extern const struct cmd_entry sh_serve_entry;

#endif
