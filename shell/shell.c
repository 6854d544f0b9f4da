/* Opening, closing, and the road from a job to the writer; see shell.h. */
#include "shell/shell.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "commands/schema.h"
#include "commands/traffic_show.h"
#include "shell/connect.h"
#include "shell/line.h"
#include "shell/panel/panel.h"
#include "shell/panel/socket_server.h"
#include "shell/paths.h"
#include "shell/serve.h"
#include "shell/show.h"
#include "shell/signals.h"
#include "shell/worker.h"

enum {
    SLEEP_SLICE_MS = 20,
    MESSAGES_MAX = 64,   /* handled in a row before keys are looked at */
    SHOWN_KEPT = 1 << 16 /* of what a statement has shown */
};

struct sh *sh_of(struct cmd_context *context)
{
    return (struct sh *)(void *)context;
}

bool sh_interactive(const struct sh *sh)
{
    return sh->line != NULL;
}

/* ---- what a job sends ------------------------------------------------------------------------ */

/* The main thread writes itself, when nothing runs. */
static bool direct(const struct sh *sh)
{
    return sh->worker == NULL || !sh_worker_current(sh->worker);
}

/* For `expect`. */
static void keep_shown(struct sh *sh, enum sh_stream stream, const struct pk_buf *text)
{
    if (stream != SH_PROGRESS && sh->shown.len < SHOWN_KEPT)
        pk_buf_add(&sh->shown, pk_buf_slice(text));
}

void sh_emit_take(struct sh *sh, enum sh_stream stream, struct pk_buf *text)
{
    keep_shown(sh, stream, text);
    if (text->len == 0 && stream != SH_PROGRESS) {
        pk_buf_release(text);
    } else if (direct(sh)) {
        sh_output_write(&sh->output, stream, pk_buf_slice(text));
        pk_buf_release(text);
    } else {
        sh_worker_post(sh->worker,
                       (struct sh_message){
                           .kind = SH_MESSAGE_TEXT, .stream = stream, .fd = -1, .text = *text});
        *text = (struct pk_buf)PK_BUF_INIT;
    }
}

void sh_redirect_take(struct sh *sh, int fd, pk_slice name)
{
    struct pk_buf text = PK_BUF_INIT;

    sh->redirected = fd >= 0;
    if (direct(sh)) {
        sh_output_redirect_take(&sh->output, fd, name);
        return;
    }
    pk_buf_add(&text, name);
    sh_worker_post(sh->worker,
                   (struct sh_message){.kind = SH_MESSAGE_REDIRECT, .fd = fd, .text = text});
}

int sh_on_main(struct sh *sh, int (*act)(void *context), void *context)
{
    if (direct(sh))
        return act(context);
    return sh_worker_ask(
        sh->worker,
        (struct sh_message){.kind = SH_MESSAGE_CALL, .fd = -1, .act = act, .context = context});
}

void sh_sync(struct sh *sh)
{
    if (!direct(sh))
        sh_worker_ask(sh->worker, (struct sh_message){.kind = SH_MESSAGE_SYNC, .fd = -1});
}

bool sh_sleep(struct sh *sh, int64_t ms)
{
    int64_t end = pk_clock_real_us() + ms * 1000;

    while (!atomic_load(&sh->cancel) && pk_clock_real_us() < end) {
        struct timespec slice = {0, SLEEP_SLICE_MS * 1000000L};

        nanosleep(&slice, NULL);
    }
    return !atomic_load(&sh->cancel);
}

/* The commands' asker: a question for the person at the prompt. */
static bool ask(void *context, const char *question, bool *asked)
{
    struct sh *sh = context;
    struct pk_buf text = PK_BUF_INIT;

    *asked = sh_interactive(sh) && !direct(sh);
    if (!*asked)
        return false;
    pk_buf_add_cstr(&text, question);
    return sh_worker_ask(sh->worker,
                         (struct sh_message){.kind = SH_MESSAGE_ASK, .fd = -1, .text = text}) == 1;
}

static void show_progress(void *context, const char *line)
{
    struct sh *sh = context;
    struct pk_buf text = PK_BUF_INIT;

    if (!sh->output.err_tty)
        return;
    pk_buf_add_cstr(&text, line);
    sh_emit_take(sh, SH_PROGRESS, &text);
}

/* Parts of results of commands that go on. */
static void show_part(void *context, const struct cmd_result *part)
{
    sh_show(context, part, (pk_slice){NULL, 0}, NULL);
}

/* ---- the main thread's side ------------------------------------------------------------------ */

/* Handles one message; false: the job has ended. */
static bool handle(struct sh *sh, const struct sh_message *message)
{
    switch (message->kind) {
    case SH_MESSAGE_TEXT:
        sh_output_write(&sh->output, message->stream, pk_buf_slice(&message->text));
        if (sh->output.broken)
            atomic_store(&sh->cancel, true);
        return true;
    case SH_MESSAGE_REDIRECT:
        sh_output_redirect_take(&sh->output, message->fd, pk_buf_slice(&message->text));
        return true;
    case SH_MESSAGE_ASK:
        sh_worker_answer(sh->worker, sh_line_ask(sh->line, message->text.data) ? 1 : 0);
        return true;
    case SH_MESSAGE_CALL:
        sh_worker_answer(sh->worker, message->act(message->context));
        return true;
    case SH_MESSAGE_SYNC:
        sh_worker_answer(sh->worker, 0);
        return true;
    case SH_MESSAGE_DONE:
        return false;
    }
    return true;
}

/* INT cancels what runs; TERM and HUP do so on their way out. */
static void obey_signals(struct sh *sh)
{
    if (sh_signals_take(SIGINT)) {
        sh->interrupted = true;
        atomic_store(&sh->cancel, true);
        if (sh_panel_is_on(sh))
            sh_line_forget(sh->line); /* as the terminal's driver forgets what was typed ahead */
        if (sh_interactive(sh))       /* the terminal has echoed ^C */
            sh_output_write(&sh->output, SH_CHATTER,
                            sh_panel_is_on(sh) ? PK_LIT("^C\n") : PK_LIT("\n"));
    }
    if (sh_signals_pending(SIGTERM) || sh_signals_pending(SIGHUP)) {
        sh->signal = sh_signals_pending(SIGTERM) ? SIGTERM : SIGHUP;
        sh->quit = true;
        atomic_store(&sh->cancel, true);
    }
    if (sh_signals_take(SIGTSTP))
        sh_panel_suspend(sh);
}

/* A write that failed is found out after the statement that made the text. */
static void report_failure(struct sh *sh)
{
    char *failure = sh_output_failure(&sh->output);
    struct pk_buf text = PK_BUF_INIT;

    if (failure == NULL)
        return;
    pk_buf_printf(&text, "%s: %s\n", pk_code_name(PK_E_IO), failure);
    sh_output_write(&sh->output, SH_ERROR, pk_buf_slice(&text));
    sh->redirected = sh->output.file_fd >= 0;
    if (sh->status == SH_EXIT_FINE)
        sh->status = SH_EXIT_FAILED;
    pk_buf_release(&text);
    free(failure);
}

/* Handles what waits, but not so much that keys would have to; false: the job has ended. */
static bool handle_messages(struct sh *sh)
{
    struct sh_message message;
    bool running = true;

    for (int i = 0; i < MESSAGES_MAX && running && sh_worker_take(sh->worker, &message); i++) {
        running = handle(sh, &message);
        pk_buf_release(&message.text);
    }
    return running;
}

void sh_run(struct sh *sh, void (*job)(void *context), void *context)
{
    bool running = true;

    atomic_store(&sh->cancel, sh->signal != 0);
    sh->interrupted = false;
    if (sh->worker == NULL) {
        job(context);
        report_failure(sh);
        return;
    }
    sh->running_us = pk_clock_real_us();
    sh_worker_start(sh->worker, job, context);
    while (running) {
        int timeout_ms = sh_panel_draw(sh);
        struct pollfd ready[3] = {{.fd = sh_worker_fd(sh->worker), .events = POLLIN}};

        sh_panel_fds(sh, &ready[1]);
        sh_signals_wait(ready, 3, timeout_ms);
        obey_signals(sh);
        sh_panel_pump(sh);
        running = handle_messages(sh);
    }
    sh->running_us = 0;
    sh_output_write(&sh->output, SH_PROGRESS, (pk_slice){NULL, 0});
    report_failure(sh);
}

/* ---- open and close -------------------------------------------------------------------------- */

enum pk_code sh_open_engine(const struct sh_options *options, struct pk_engine **out,
                            struct pk_error *err)
{
    struct pk_buf path = PK_BUF_INIT;
    struct pk_engine_options engine = {
        .dir = options->dir, .memory = options->memory, .durable = options->durable};
    enum pk_code rc = PK_OK;

    if (options->dir == NULL && !options->memory) {
        int failure = 0;

        if (!sh_path_of(&path, SH_PLACE_STORE))
            return pk_fail(err, PK_E_IO, "no home directory; name a store, or use --memory");
        failure = sh_path_make_parents(path.data);
        if (failure != 0)
            rc = pk_fail(err, PK_E_IO, "cannot make '%s': %s", path.data, strerror(failure));
        engine.dir = path.data;
    }
    if (rc == PK_OK)
        rc = pk_engine_open(&engine, out, err);
    pk_buf_release(&path);
    return rc;
}

/* A store without the socket (on a file system that has none) works all the same: `pksk panel` then
 * says that nobody answers. */
static void listen_to_panels(struct sh *sh)
{
    struct pk_error err = PK_ERROR_INIT;

    (void)!sh_socket_server_start(sh->backend, pk_engine_dir(sh->engine), &sh->panels, &err);
    pk_error_release(&err);
}

enum pk_code sh_open_store(struct sh *sh, struct pk_error *err)
{
    enum pk_code rc = sh->engine != NULL ? PK_OK : sh_open_engine(&sh->options, &sh->engine, err);

    if (rc == PK_OK && sh->backend == NULL) {
        sh->backend = cmd_backend_local_new(sh->engine);
        cmd_backend_local_set_traffics(sh->backend, sh->context.traffics);
        listen_to_panels(sh);
    }
    return rc;
}

struct connecting {
    struct sh *sh;
    enum pk_code rc;
    struct pk_error *err;
};

static void connect_job(void *context)
{
    struct connecting *connecting = context;
    struct sh *sh = connecting->sh;

    connecting->rc = sh_connect(sh, &sh->options.remote, connecting->err);
}

/* On a worker, so that Ctrl-C is heard while nobody answers. */
static enum pk_code connect_first(struct sh *sh, struct pk_error *err)
{
    struct connecting connecting = {.sh = sh, .rc = PK_OK, .err = err};

    sh->worker = sh_worker_new();
    sh_run(sh, connect_job, &connecting);
    sh_worker_free(sh->worker);
    sh->worker = NULL;
    return connecting.rc;
}

static void init_context(struct sh *sh)
{
    cmd_settings_init(&sh->settings);
    if (sh->options.mode_given)
        sh->settings.mode = sh->options.mode;
    cmd_context_init(&sh->context, NULL, NULL);
    sh->context.settings = &sh->settings;
    sh->context.cancel = &sh->cancel;
    sh->context.yes = sh->options.yes;
    sh->context.asker = (struct cmd_asker){ask, sh};
    sh->context.progress = (struct cmd_progress){show_progress, sh};
    sh->context.emitter = (struct cmd_emitter){show_part, sh};
    sh->context.shell_entries = sh_entries;
    cmd_traffic_prepare(&sh->context); /* a panel elsewhere asks for them by the backend */
}

enum pk_code sh_open(struct sh *sh, const struct sh_options *options, struct sh_output output,
                     struct pk_error *err)
{
    enum pk_code rc;

    *sh = (struct sh){.output = output, .keep_going = options->keep_going, .options = *options};
    init_context(sh);
    rc = sh_options_remote(options) ? connect_first(sh, err) : sh_connect_local(sh, err);
    if (rc != PK_OK) {
        cmd_context_release(&sh->context);
        return rc;
    }
    sh->context.backend->hurried = true; /* nobody listens to Ctrl-C yet */
    cmd_current_table(&sh->context);     /* the only table, if there is one only */
    sh->context.backend->hurried = false;
    sh_history_init(&sh->history, NULL);
    return PK_OK;
}

void sh_close(struct sh *sh)
{
    sh_worker_free(sh->worker);
    sh->worker = NULL;
    if (sh->context.txn != NULL)
        sh_note(sh, "the open transaction is rolled back; nothing of it was sent");
    sh_endpoint_close(sh->endpoint);
    sh_connect_forget(sh);
    sh_socket_server_stop(sh->panels);
    cmd_context_release(&sh->context);
    cmd_backend_free(sh->remote);
    cmd_backend_free(sh->backend);
    pk_engine_close(sh->engine);
    sh_history_release(&sh->history);
    sh_output_release(&sh->output);
    pk_buf_release(&sh->shown);
    pk_buf_release(&sh->shown_last);
}
