/* Start-up: options, the store, and which input is read. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shell/panel/watch.h"
#include "shell/paths.h"
#include "shell/render/render_diag.h"
#include "shell/render/text_safe.h"
#include "shell/repl.h"
#include "shell/script.h"
#include "shell/serve.h"
#include "shell/show.h"
#include "shell/signals.h"
#include "shell/worker.h"

/* Everything here is UTF-8; where the environment says nothing useful, the terminal still is. It is
 * told so in the environment as well: readline and the pager look there. False when the environment
 * names another charset: then bars and maps are drawn with ASCII. */
static bool set_locale(void)
{
    const char *all = getenv("LC_ALL");
    bool other;

    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        return true;
    other =
        strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") != 0; /* the C locale: nothing was said */
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv(all != NULL && all[0] != '\0' ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
    return !other;
}

/* A standard descriptor that is closed would become the next file that is opened, and results
 * would be written into the store. What is put in its place fails when it is used. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            exit(SH_EXIT_USAGE);
}

static void complain(const struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_diag_render(&text, &(struct sh_diag){.width = 0}, err);
    fputs(text.data, stderr);
    pk_buf_release(&text);
}

/* What was typed on the command line is in it. */
static void say_usage(const char *message)
{
    struct pk_buf text = PK_BUF_INIT;

    sh_text_safe(&text, pk_slice_cstr(message), SH_TEXT_ONE_LINE);
    fprintf(stderr, "pksk: %s\ntry pksk --help\n", text.data);
    pk_buf_release(&text);
}

/* ---- repair ---------------------------------------------------------------------------------- */

static void print_line(void *context, const char *line)
{
    struct pk_buf text = PK_BUF_INIT;

    (void)context;
    sh_text_safe(&text, pk_slice_cstr(line), SH_TEXT_ONE_LINE);
    printf(" %s\n", text.data == NULL ? "" : text.data);
    pk_buf_release(&text);
}

static int repair(const struct sh_options *options)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_check_result result = {0};
    struct pk_check_report report = {.line = print_line};
    int status = SH_EXIT_FINE;

    if (pk_engine_repair(options->dir, report, &result, &err) != PK_OK) {
        complain(&err);
        status = SH_EXIT_STORE;
    } else {
        printf(" %llu tables, %llu items, %llu index entries, %llu bytes: ",
               (unsigned long long)result.tables, (unsigned long long)result.items,
               (unsigned long long)result.index_entries, (unsigned long long)result.bytes);
        if (result.faults == 0)
            puts("no faults");
        else
            printf("%llu faults\n", (unsigned long long)result.faults);
        status = result.faults == 0 ? SH_EXIT_FINE : SH_EXIT_CHECK;
    }
    pk_error_release(&err);
    return status;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

struct input_job {
    struct sh *sh;
    struct sh_input input;
    bool standard_input; /* instead of input */
};

static void run_input(void *context)
{
    const struct input_job *job = context;
    struct pk_error err = PK_ERROR_INIT;
    int status = SH_EXIT_FINE;

    if (job->standard_input) {
        status = sh_script_fd(job->sh, STDIN_FILENO, "standard input");
    } else if (job->input.kind == SH_INPUT_TEXT) {
        status = sh_script_text(job->sh, pk_slice_cstr(job->input.text), NULL);
    } else if (sh_script_file(job->sh, job->input.text, &status, &err) != PK_OK) {
        sh_show_error(job->sh, &err);
        status = SH_EXIT_FAILED;
    }
    if (job->sh->status == SH_EXIT_FINE)
        job->sh->status = status;
    pk_error_release(&err);
}

static bool finished(const struct sh *sh)
{
    return sh->quit || sh->interrupted || sh->signal != 0 || sh->output.broken;
}

static void run_inputs(struct sh *sh, const struct sh_options *options)
{
    for (size_t i = 0; i < options->input_count && !finished(sh); i++) {
        struct input_job job = {.sh = sh, .input = options->inputs[i]};

        sh_run(sh, run_input, &job);
        if (sh->status != SH_EXIT_FINE && !options->keep_going)
            return;
    }
}

/* What fails in the init file is shown, and does not keep anybody from working. */
static void run_init(struct sh *sh)
{
    struct pk_buf path = PK_BUF_INIT;

    if (sh_path_of(&path, SH_PLACE_INIT) && access(path.data, F_OK) == 0) {
        struct input_job job = {.sh = sh, .input = {SH_INPUT_FILE, path.data}};

        sh_run(sh, run_input, &job);
        sh->status = SH_EXIT_FINE;
    }
    pk_buf_release(&path);
}

static int exit_status(const struct sh *sh)
{
    if (sh->signal != 0)
        return SH_EXIT_SIGNAL + sh->signal;
    if (sh->interrupted)
        return SH_EXIT_SIGNAL + SIGINT;
    if (sh->output.broken && sh->status == SH_EXIT_FINE)
        return SH_EXIT_SIGNAL + SIGPIPE;
    return sh->status;
}

static int run_shell(struct sh *sh, const struct sh_options *options)
{
    bool prompt = options->input_count == 0 && isatty(STDIN_FILENO) == 1 && sh->output.out_tty;

    sh->worker = sh_worker_new();
    sh->prompt_follows = prompt;
    if (!options->no_init)
        run_init(sh);
    if (finished(sh))
        return exit_status(sh);
    if (options->input_count > 0) {
        run_inputs(sh, options);
    } else if (prompt) {
        int status = sh_repl(sh, options->quiet);

        return sh->signal == 0 ? status : exit_status(sh);
    } else {
        struct input_job job = {.sh = sh, .standard_input = true};

        sh_run(sh, run_input, &job);
    }
    return exit_status(sh);
}

static int run(const struct sh_options *options)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_output output;
    struct sh sh;
    int status = SH_EXIT_STORE;

    sh_output_init(&output, STDOUT_FILENO, STDERR_FILENO);
    if (sh_open(&sh, options, output, &err) == PK_OK) {
        status = run_shell(&sh, options);
        sh_close(&sh);
    } else {
        complain(&err);
        if (sh.interrupted)
            status = SH_EXIT_SIGNAL + SIGINT;
    }
    pk_error_release(&err);
    return status;
}

static int act(const struct sh_options *options)
{
    struct pk_buf text = PK_BUF_INIT;

    switch (options->action) {
    case SH_RUN:
        return run(options);
    case SH_REPAIR:
        return repair(options);
    case SH_SERVE:
        return sh_serve(options);
    case SH_PANEL:
        return sh_watch(options);
    case SH_VERSION:
        puts("pksk " PKSK_VERSION);
        return SH_EXIT_FINE;
    case SH_HELP:
        sh_options_help(&text);
        fputs(text.data, stdout);
        pk_buf_release(&text);
        return SH_EXIT_FINE;
    }
    return SH_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct pk_error err = PK_ERROR_INIT;
    struct sh_options options;
    int status = SH_EXIT_USAGE;
    bool ascii;

    hold_standard_descriptors();
    ascii = !set_locale();
    sh_signals_install();
    if (sh_options_parse(&options, argc, argv, &err) == PK_OK) {
        options.ascii = ascii;
        status = act(&options);
    } else {
        say_usage(err.message);
    }
    sh_options_release(&options);
    pk_error_release(&err);
    if (fflush(stdout) != 0 && status == SH_EXIT_FINE) {
        fprintf(stderr, "pksk: cannot write standard output: %s\n", strerror(errno));
        status = SH_EXIT_FAILED;
    }
    return status;
}
