#include "tests/support/api_fixture.h"

#include <criterion/criterion.h>

void api_open(struct api_fixture *fx)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true, .seed = 7};
    struct pk_error err = PK_ERROR_INIT;

    *fx = (struct api_fixture){.response = CMD_RESPONSE_INIT};
    cr_assert_eq(pk_engine_open(&options, &fx->engine, &err), PK_OK, "%s", err.message);
    pk_clock_pause(pk_engine_clock(fx->engine));
    cr_assert(pk_clock_set(pk_engine_clock(fx->engine), API_NOON_MS));
    while (pk_engine_tick(fx->engine, API_NOON_MS)) {
        /* until the counters of the new store are known */
    }
    fx->backend = cmd_backend_local_new(fx->engine);
}

void api_close(struct api_fixture *fx)
{
    cmd_response_release(&fx->response);
    cmd_backend_free(fx->backend);
    pk_engine_close(fx->engine);
}

const char *api_ask(struct api_fixture *fx, const char *operation, const char *request)
{
    cmd_response_release(&fx->response);
    fx->response = (struct cmd_response)CMD_RESPONSE_INIT;
    fx->backend->ops->call(fx->backend, pk_slice_cstr(operation), pk_slice_cstr(request), NULL,
                           &fx->response);
    return fx->response.body.data;
}

const char *api_must(struct api_fixture *fx, const char *operation, const char *request)
{
    const char *body = api_ask(fx, operation, request);

    cr_assert_eq(fx->response.http, 200, "%s: %s", operation, body);
    return body;
}
