/*
 * The files of tests/transcripts, each run four ways: inside this process, as a script with -f,
 * through standard input, and as a script of a client (--endpoint) whose store is served. All four
 * must show the same. UPDATE=1 rewrites the files from the first.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <locale.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/script.h"
#include "shell/serve.h"
#include "shell/show.h"
#include "tests/support/transcript.h"

TestSuite(transcripts);

#define TRANSCRIPTS "tests/transcripts"

enum { WORDS = 24 };

/* An empty home with an init file that leaves times out of footers, for the other two ways. */
struct home {
    char dir[64];
    char script[96];
};

static void write_text(const char *path, pk_slice text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(text.data, 1, text.len, file), text.len);
    cr_assert_eq(fclose(file), 0);
}

static void make_home(struct home *home)
{
    char path[128];

    snprintf(home->dir, sizeof(home->dir), "/tmp/pksk-transcripts-XXXXXX");
    cr_assert_not_null(mkdtemp(home->dir));
    snprintf(home->script, sizeof(home->script), "%s/script", home->dir);
    snprintf(path, sizeof(path), "%s/pksk", home->dir);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/pksk/init", home->dir);
    write_text(path, PK_LIT("set footer.time off\n"));
    setenv("XDG_CONFIG_HOME", home->dir, 1);
    setenv("XDG_STATE_HOME", home->dir, 1);
    setenv("XDG_DATA_HOME", home->dir, 1);
}

static void remove_home(const struct home *home)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", home->dir);
    cr_expect_eq(system(command), 0);
}

/* "pksk --memory" or another store, and the transcript's own options, as an argument vector. */
struct command_line {
    char text[512];
    char *argv[WORDS];
    int argc;
};

static void make_command_line(struct command_line *line, const char *store,
                              const struct transcript *transcript, const char *script)
{
    char *word;
    char *rest = line->text;

    snprintf(line->text, sizeof(line->text), "pksk %s %.*s%s%s", store, PK_FMT(transcript->options),
             script == NULL ? "" : " -f ", script == NULL ? "" : script);
    line->argc = 0;
    while ((word = strsep(&rest, " ")) != NULL && line->argc < WORDS - 1)
        if (word[0] != '\0')
            line->argv[line->argc++] = word;
    line->argv[line->argc] = NULL;
}

static int new_memfd(void)
{
    int fd = memfd_create("transcript", MFD_CLOEXEC);

    cr_assert(fd >= 0);
    return fd;
}

/* Everything in the file behind the offset. */
static void read_from(int fd, off_t offset, struct pk_buf *out)
{
    ssize_t got = 0;

    pk_buf_add_cstr(out, "");
    while ((got = pread(fd, pk_buf_reserve(out, 65536), 65536, offset)) > 0) {
        out->len += (size_t)got;
        offset += got;
    }
}

/* ---- inside this process --------------------------------------------------------------------- */

static void run_steps(struct sh *sh, const struct transcript *transcript, int fd,
                      struct pk_buf *outputs)
{
    struct sh_script script;

    sh_script_init(&script, sh, NULL);
    for (size_t i = 0; i < transcript->count; i++) {
        off_t before = lseek(fd, 0, SEEK_END);

        sh_script_feed(&script, transcript->steps[i].input);
        sh_script_feed(&script, PK_LIT("\n"));
        if (i + 1 == transcript->count)
            sh_script_end(&script);
        read_from(fd, before, &outputs[i]);
    }
    sh_script_release(&script);
}

static int run_inside(const struct transcript *transcript, struct pk_buf *outputs)
{
    struct command_line line;
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;
    struct sh_output output;
    struct sh sh;
    int fd = new_memfd();

    make_command_line(&line, "--memory", transcript, NULL);
    cr_assert_eq(sh_options_parse(&options, line.argc, line.argv, &err), PK_OK, "%s: %s",
                 transcript->path, err.message);
    sh_output_init(&output, fd, fd);
    cr_assert_eq(sh_open(&sh, &options, output, &err), PK_OK, "%s", err.message);
    sh.settings.footer_time = false;
    run_steps(&sh, transcript, fd, outputs);

    int status = sh.status;
    off_t before = lseek(fd, 0, SEEK_END);

    sh_close(&sh);
    read_from(fd, before, &outputs[transcript->count - 1]);
    close(fd);
    sh_options_release(&options);
    return status;
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char *program(void)
{
    static char path[256];
    const char *config = getenv("CONFIG");

    snprintf(path, sizeof(path), "build/%s/pksk", config == NULL ? "release" : config);
    return access(path, X_OK) == 0 ? path : "./pksk";
}

/* Runs the program with this standard input; both its outputs are appended to out. */
static int run_program(char **argv, const char *input, struct pk_buf *out)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0;
    int fd = new_memfd();

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
    cr_assert_eq(posix_spawn(&pid, program(), &actions, NULL, argv, environ), 0, "%s", program());
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    posix_spawn_file_actions_destroy(&actions);
    read_from(fd, 0, out);
    close(fd);
    cr_expect(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* The program says where it stopped; that may name a temporary file. */
static void drop_stopped_line(struct pk_buf *out, const char *script)
{
    char line[128];
    char *found;

    snprintf(line, sizeof(line), " stopped at %s line ", script);
    while ((found = strstr(out->data, line)) != NULL) {
        char *end = strchr(found, '\n');
        size_t len = end == NULL ? strlen(found) : (size_t)(end + 1 - found);

        memmove(found, found + len, strlen(found + len) + 1);
        out->len -= len;
    }
}

static void expect_same(const struct transcript *transcript, const char *way,
                        const struct pk_buf *out, int status)
{
    struct pk_buf expected = PK_BUF_INIT;

    pk_buf_add_cstr(&expected, "");
    transcript_expected(transcript, &expected);
    cr_expect(pk_slice_equal(pk_buf_slice(out), pk_buf_slice(&expected)),
              "%s, %s:\n%s\ninstead of\n%s", transcript->path, way, out->data, expected.data);
    cr_expect_eq(status, transcript->exit, "%s, %s: exit %d instead of %d", transcript->path, way,
                 status, transcript->exit);
    pk_buf_release(&expected);
}

static void run_outside(const struct transcript *transcript, const struct home *home)
{
    struct command_line line;
    struct pk_buf input = PK_BUF_INIT;
    struct pk_buf out = PK_BUF_INIT;
    int status;

    transcript_input(transcript, &input);
    write_text(home->script, pk_buf_slice(&input));
    make_command_line(&line, "--memory", transcript, home->script);
    status = run_program(line.argv, "/dev/null", &out);
    drop_stopped_line(&out, home->script);
    expect_same(transcript, "-f", &out, status);
    pk_buf_clear(&out);
    make_command_line(&line, "--memory", transcript, NULL);
    status = run_program(line.argv, home->script, &out);
    drop_stopped_line(&out, "standard input");
    expect_same(transcript, "standard input", &out, status);
    pk_buf_release(&input);
    pk_buf_release(&out);
}

/* ---- a client of a served store -------------------------------------------------------------- */

/* `explain as boto3|cli` names the endpoint, which the other ways do not have. */
static void drop_endpoint(struct pk_buf *out, const char *before, const char *url,
                          const char *after)
{
    char part[160];
    char *found;

    snprintf(part, sizeof(part), "%s%s%s", before, url, after);
    while ((found = strstr(out->data, part)) != NULL) {
        size_t len = strlen(part);

        memmove(found, found + len, strlen(found + len) + 1);
        out->len -= len;
    }
}

static void run_client(const struct transcript *transcript, const struct home *home,
                       const char *url)
{
    struct command_line line;
    struct pk_buf out = PK_BUF_INIT;
    char store[96];
    int status;

    snprintf(store, sizeof(store), "--endpoint %s", url);
    make_command_line(&line, store, transcript, home->script);
    status = run_program(line.argv, "/dev/null", &out);
    drop_stopped_line(&out, home->script);
    drop_endpoint(&out, ", endpoint_url=\"", url, "\"");
    drop_endpoint(&out, " \\\n    --endpoint-url ", url, "");
    expect_same(transcript, "--endpoint", &out, status);
    pk_buf_release(&out);
}

static void run_served(const struct transcript *transcript, const struct home *home)
{
    struct pk_engine_options options = {.memory = true};
    struct sh_serve_options serve = {.port_given = true}; /* port 0: any */
    struct pk_engine *engine = NULL;
    struct sh_endpoint *endpoint = NULL;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_open(&options, &engine, &err), PK_OK, "%s", err.message);
    cr_assert_eq(sh_endpoint_open(engine, &serve, &endpoint, &err), PK_OK, "%s", err.message);
    run_client(transcript, home, sh_endpoint_url(endpoint));
    sh_endpoint_close(endpoint);
    pk_engine_close(engine);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void check_inside(struct transcript *transcript)
{
    struct pk_buf *outputs = pk_calloc(transcript->count, sizeof(*outputs));
    int status = run_inside(transcript, outputs);

    if (getenv("UPDATE") != NULL) {
        const char *path = transcript->path;

        cr_assert(transcript_save(transcript, outputs, status), "%s", path);
    }
    for (size_t i = 0; i < transcript->count && getenv("UPDATE") == NULL; i++) {
        const struct transcript_step *step = &transcript->steps[i];

        cr_expect(pk_slice_equal(pk_buf_slice(&outputs[i]), step->expected),
                  "%s: > %.*s\n%s\ninstead of\n%.*s", transcript->path, PK_FMT(step->input),
                  outputs[i].data, PK_FMT(step->expected));
    }
    if (getenv("UPDATE") == NULL)
        cr_expect_eq(status, transcript->exit, "%s: exit %d instead of %d", transcript->path,
                     status, transcript->exit);
    for (size_t i = 0; i < transcript->count; i++)
        pk_buf_release(&outputs[i]);
    free(outputs);
}

Test(transcripts, four_ways)
{
    struct home home;
    size_t count = 0;
    char **paths = transcript_list(TRANSCRIPTS, &count);

    cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
    make_home(&home);
    for (size_t i = 0; i < count; i++) {
        struct transcript transcript;

        cr_assert(transcript_load(&transcript, paths[i]), "%s", paths[i]);
        check_inside(&transcript);
        transcript_release(&transcript);
        cr_assert(transcript_load(&transcript, paths[i]), "%s", paths[i]);
        run_outside(&transcript, &home);
        run_served(&transcript, &home);
        transcript_release(&transcript);
        free(paths[i]);
    }
    free(paths);
    remove_home(&home);
    cr_expect(count > 0, "no transcripts in " TRANSCRIPTS);
}
