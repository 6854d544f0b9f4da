/* The command line: one table of options, from which parsing and --help come. */
#ifndef SH_OPTIONS_H
#define SH_OPTIONS_H

#include "commands/settings.h"
#include "engine/base/buf.h"
#include "shell/client/aws_profile.h"
#include "shell/panel/view.h"
#include "shell/server/access_log.h"

enum sh_action {
    SH_RUN, /* open the store; run the inputs, or the prompt, or standard input */
    SH_HELP,
    SH_VERSION,
    SH_REPAIR, /* pksk repair DIR */
    SH_SERVE,  /* pksk serve [DIR] */
    SH_PANEL   /* pksk panel [DIR] */
};

/* How a store is served. Texts are borrowed from argv. */
struct traffics;
struct sh_serve_options {
    const char *host; /* NULL: 127.0.0.1 */
    uint16_t port;
    bool port_given;
    bool durable;         /* commits are synced: more threads, so that they share syncs */
    const char *auth;     /* file of key ids and secrets; NULL: any credentials */
    const char **allowed; /* further names of this server; owned array */
    size_t allowed_count;
    const char *cors; /* the origin whose pages may read answers; NULL: none */
    enum sh_log_form log;    struct traffics *traffics; /* of the shell that serves; borrowed, NULL: there are none */
};

/* How a panel of its own looks. Texts are borrowed from argv. */
struct sh_panel_options {
    bool projector;
    enum sh_theme theme;
    enum sh_view_id view;
    const char *table; /* NULL: the first one there is */
};

struct sh_input {
    enum { SH_INPUT_TEXT, SH_INPUT_FILE } kind;
    const char *text; /* the statements, or the file's name; borrowed from argv */
};

struct sh_options {
    enum sh_action action;
    const char *dir;              /* NULL: the default store */
    struct sh_aws_request remote; /* --endpoint, --region, --profile; all NULL: a store */
    bool memory, durable, quiet, no_init, keep_going, yes;
    bool ascii; /* the locale has another charset than UTF-8 */
    bool mode_given;
    enum cmd_mode mode;
    struct sh_serve_options serve;
    struct sh_panel_options panel;
    struct sh_input *inputs; /* owned, in the order given */
    size_t input_count;
};

void sh_options_release(struct sh_options *options);
/* PK_E_USAGE with a message. Borrows argv. */
PK_MUST_CHECK enum pk_code sh_options_parse(struct sh_options *options, int argc, char **argv,
                                            struct pk_error *err);
/* True when an endpoint is asked for, not a store. */
bool sh_options_remote(const struct sh_options *options);
void sh_options_help(struct pk_buf *out);
/* 0 to 65535; false for any other text. */
bool sh_port_parse(pk_slice text, uint16_t *port);

#endif
