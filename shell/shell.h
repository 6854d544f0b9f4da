/*
 * The shell's state, and the road from a job to the writer.
 *
 * Two threads share it. While a job runs, context, settings and what is marked (job) belong to the
 * worker's thread; the rest, and everything between jobs, to the main thread. Without a worker
 * (tests) all is done on the calling thread.
 */
#ifndef SH_SHELL_H
#define SH_SHELL_H

#include "commands/cmd.h"
#include "commands/settings.h"
#include "shell/history.h"
#include "shell/options.h"
#include "shell/output.h"

struct sh_endpoint;
struct sh_line;
struct sh_panel;
struct sh_socket_server;
struct sh_worker;

/* Exit codes (docs/man/pksk.1); those of signals are 128 + the signal. */
enum sh_exit {
    SH_EXIT_FINE = 0,
    SH_EXIT_FAILED = 1,
    SH_EXIT_USAGE = 2,
    SH_EXIT_STORE = 3,
    SH_EXIT_CHECK = 4,
    SH_EXIT_SIGNAL = 128
};

/* An endpoint as it was asked for; owned texts, NULL where nothing was said. */
struct sh_asked {
    char *endpoint, *region, *profile;
};

struct sh {
    struct cmd_context context; /* first: sh_of() relies on it */
    struct cmd_settings settings;
    struct pk_engine *engine;        /* NULL: no store is open */
    struct cmd_backend *backend;     /* on the engine, NULL with it */
    struct cmd_backend *remote;      /* the endpoint that statements go to; NULL: the engine */
    struct sh_asked asked;           /* remote, to connect once more */
    unsigned connections;            /* grows when statements go elsewhere */
    struct sh_endpoint *endpoint;    /* NULL: the store is not served */
    struct sh_socket_server *panels; /* answers panels of other processes; NULL: none can ask */
    struct sh_options options;       /* the command line; what it points to is borrowed */
    struct sh_output output;
    struct sh_history history;
    struct sh_worker *worker; /* NULL: none */
    struct sh_line *line;     /* NULL when not interactive */
    struct sh_panel *panel;   /* NULL: it was never on */
    atomic_bool cancel;       /* stops what runs */
    bool keep_going;          /* scripts go on after an error */
    struct pk_buf shown;      /* (job) what the statement that runs has shown, its beginning */
    struct pk_buf shown_last; /* (job) the same of the last one that showed anything */
    bool redirected;          /* (job) results go to a file */
    bool told;                /* (job) the failure of this statement has been shown already */
    bool prompt_follows;      /* after the init file */
    bool quit;                /* a statement said so */
    int depth;                /* (job) of `read` and `watch` inside each other */
    int status;               /* exit code of the first failure */
    int signal;               /* TERM or HUP has come */
    bool interrupted;         /* INT has come since the job was started */
    int64_t running_us;       /* when the job was started; 0: none runs */
};

/* The shell a command's context belongs to; only for the rows of shell_commands.c. */
struct sh *sh_of(struct cmd_context *context);
/* The shell's own rows, NULL-ended (shell_commands.c). */
extern const struct cmd_entry *const sh_entries[];

/* Opens the store that the options name. */
PK_MUST_CHECK enum pk_code sh_open_engine(const struct sh_options *options,
                                          struct pk_engine **engine, struct pk_error *err);
/* Opens the store, or connects to the endpoint, and makes everything ready. On failure nothing is
 * open; `interrupted` says whether Ctrl-C was the reason. */
PK_MUST_CHECK enum pk_code sh_open(struct sh *sh, const struct sh_options *options,
                                   struct sh_output output, struct pk_error *err);
/* Opens the store of the command line, if it is not open. */
PK_MUST_CHECK enum pk_code sh_open_store(struct sh *sh, struct pk_error *err);
/* Closes the store. A transaction that is open is rolled back, and that is said. */
void sh_close(struct sh *sh);

/* (job) Sends bytes, which are safe to show, to the writer. Takes the text; it is empty then. */
void sh_emit_take(struct sh *sh, enum sh_stream stream, struct pk_buf *text);
/* (job) Results go to the file from here on (-1: to standard output). Takes fd. */
void sh_redirect_take(struct sh *sh, int fd, pk_slice name);
/* (job) Returns when everything before has been written. */
void sh_sync(struct sh *sh);
/* (job) Runs act(context) on the main thread and returns what it returns: for what is the main
 * thread's only, like the terminal. */
int sh_on_main(struct sh *sh, int (*act)(void *context), void *context);
/* True at a prompt. */
bool sh_interactive(const struct sh *sh);
/* (job) Sleeps; false when cancelled meanwhile. */
bool sh_sleep(struct sh *sh, int64_t ms);

/* Runs the job on the worker and writes its output until it has ended; listens to signals. */
void sh_run(struct sh *sh, void (*job)(void *context), void *context);

#endif
