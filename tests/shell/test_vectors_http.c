/* What AWS answers (tests/support/vectors.h), asked of a store that is served. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/http_backend.h"
#include "tests/support/served.h"
#include "tests/support/vectors.h"

static void run(const char *path)
{
    const char *argv[] = {NULL, "serve", "--memory", "--port", "0", NULL};
    struct served served = {0};
    struct cmd_backend *backend;
    int status;

    cr_assert(served_start(&served, argv, NULL));
    backend = http_backend_new(served.url);
    vectors_run(backend, path);
    cmd_backend_free(backend);
    status = served_end(&served, SIGTERM, NULL);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(vectors_http, backups)
{
    run("tests/vectors/backups.jsonl");
}

Test(vectors_http, expressions)
{
    run("tests/vectors/expressions.jsonl");
}

Test(vectors_http, messages)
{
    run("tests/vectors/messages.jsonl");
}

Test(vectors_http, partiql)
{
    run("tests/vectors/partiql.jsonl");
}

Test(vectors_http, streams)
{
    run("tests/vectors/streams.jsonl");
}
