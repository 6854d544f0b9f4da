#include "tests/support/fake_backend.h"

static const struct fake_answer *find(const struct fake_backend *fake, pk_slice operation)
{
    for (size_t i = 0; i < fake->count; i++) {
        if (pk_slice_is(operation, fake->answers[i].operation))
            return &fake->answers[i];
    }
    return NULL;
}

static void fake_call(struct cmd_backend *backend, pk_slice operation, pk_slice request,
                      const atomic_bool *cancel, struct cmd_response *response)
{
    static const struct fake_answer unknown = {
        "", "{\"__type\":\"UnknownOperationException\"}", PK_E_UNKNOWN_OPERATION, {0}};
    struct fake_backend *fake = (struct fake_backend *)(void *)backend;
    const struct fake_answer *answer = find(fake, operation);

    if (answer == NULL && fake->inner != NULL) {
        fake->inner->ops->call(fake->inner, operation, request, cancel, response);
        return;
    }
    fake->calls++;
    pk_buf_clear(&fake->request);
    pk_buf_add(&fake->request, request);
    if (answer == NULL)
        answer = &unknown;
    response->http = answer->code == PK_OK ? 200 : 400;
    response->code = answer->code;
    response->has_facts = answer->facts.partition_count > 0;
    response->facts = answer->facts;
    pk_buf_add_cstr(&response->body, answer->body);
}

static void fake_free(struct cmd_backend *backend)
{
    (void)backend;
}

void fake_init(struct fake_backend *fake, struct cmd_backend *inner,
               const struct fake_answer *answers, size_t count)
{
    static const struct cmd_backend_ops ops = {.call = fake_call, .free = fake_free};

    *fake = (struct fake_backend){.inner = inner, .answers = answers, .count = count};
    if (inner != NULL)
        fake->base = *inner;
    else
        fake->base.extensions = true;
    fake->base.ops = &ops;
}

void fake_release(struct fake_backend *fake)
{
    pk_buf_release(&fake->request);
}
