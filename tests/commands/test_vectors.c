/* What AWS answers (tests/support/vectors.h), asked of an engine in this process. */
#include <criterion/criterion.h>

#include "tests/support/vectors.h"

static void run(const char *path)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_open(&options, &engine, &err), PK_OK, "%s", err.message);
    backend = cmd_backend_local_new(engine);
    vectors_run(backend, path);
    cmd_backend_free(backend);
    pk_engine_close(engine);
}

Test(vectors, backups)
{
    run("tests/vectors/backups.jsonl");
}

Test(vectors, expressions)
{
    run("tests/vectors/expressions.jsonl");
}

Test(vectors, messages)
{
    run("tests/vectors/messages.jsonl");
}

Test(vectors, partiql)
{
    run("tests/vectors/partiql.jsonl");
}

Test(vectors, streams)
{
    run("tests/vectors/streams.jsonl");
}
