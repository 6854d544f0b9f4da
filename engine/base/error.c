/* Errors: filling and moving struct pk_error, and what the table of kinds says about a code. */
#include "engine/error.h"

#include <stdlib.h>

#include "engine/base/buf.h"

/* The namespaces of errors.md §1. */
#define NAMESPACE_V "com.amazon.coral.validate"
#define NAMESPACE_C "com.amazon.coral.service"
#define NAMESPACE_D "com.amazonaws.dynamodb.v20120810"
#define NAMESPACE_P "pksk"

struct kind {
    const char *name;
    const char *name_space;
    int http;
    bool retryable;
};

#define KIND(code, name, ns, http, retry) [PK_E_##code] = {name, NAMESPACE_##ns, http, retry},
static const struct kind kinds[] = {[PK_OK] = {"None", "", 200, false}, PK_ERROR_MAP(KIND)};
#undef KIND

static const struct kind *kind_of(enum pk_code code)
{
    if ((size_t)code >= sizeof(kinds) / sizeof(kinds[0]))
        pk_bug("error code %d", (int)code);
    return &kinds[code];
}

const char *pk_code_name(enum pk_code code)
{
    return kind_of(code)->name;
}

const char *pk_code_namespace(enum pk_code code)
{
    return kind_of(code)->name_space;
}

enum pk_code pk_code_named(pk_slice name)
{
    for (size_t i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (pk_slice_is(name, kinds[i].name))
            return (enum pk_code)i;
    }
    return PK_OK;
}

int pk_code_http(enum pk_code code)
{
    return kind_of(code)->http;
}

bool pk_code_retryable(enum pk_code code)
{
    return kind_of(code)->retryable;
}

void pk_error_release(struct pk_error *err)
{
    for (size_t i = 0; i < err->reason_count; i++) {
        free(err->reasons[i].message);
        free(err->reasons[i].item);
    }
    for (size_t i = 0; i < err->throttling_count; i++) {
        free(err->throttling[i].table);
        free(err->throttling[i].index);
    }
    free(err->throttling);
    free(err->reasons);
    free(err->message);
    free(err->hint);
    free(err->item);
    free(err->name);
    *err = (struct pk_error)PK_ERROR_INIT;
}

void pk_error_move(struct pk_error *to, struct pk_error *from)
{
    if (to == from)
        return;
    pk_error_release(to);
    *to = *from;
    *from = (struct pk_error)PK_ERROR_INIT;
}

PK_PRINTF(4, 0)
static enum pk_code fail(struct pk_error *err, enum pk_code code, struct pk_span span,
                         const char *format, va_list args)
{
    struct pk_buf message = PK_BUF_INIT;

    /* formatted before the release: the arguments may point into the old error */
    pk_buf_vprintf(&message, format, args);
    pk_error_release(err);
    err->code = code;
    err->span = span;
    err->message = pk_buf_detach(&message);
    return code;
}

enum pk_code pk_fail(struct pk_error *err, enum pk_code code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(err, code, (struct pk_span){0, 0}, format, args);
    va_end(args);
    return code;
}

enum pk_code pk_fail_at(struct pk_error *err, enum pk_code code, struct pk_span span,
                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(err, code, span, format, args);
    va_end(args);
    return code;
}

void pk_error_hint(struct pk_error *err, const char *format, ...)
{
    struct pk_buf hint = PK_BUF_INIT;
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(&hint, format, args);
    va_end(args);
    free(err->hint);
    err->hint = pk_buf_detach(&hint);
}

void pk_error_set_item(struct pk_error *err, pk_slice item)
{
    char *copy = pk_memdup_cstr(item.data, item.len);

    free(err->item);
    err->item = copy;
    err->item_len = item.len;
}

void pk_error_add_throttling(struct pk_error *err, const struct pk_throttling_reason *reason,
                             pk_slice table, pk_slice index)
{
    struct pk_throttling_reason *added;

    err->throttling =
        pk_realloc(err->throttling, err->throttling_count + 1, sizeof(*err->throttling));
    added = &err->throttling[err->throttling_count++];
    *added = *reason;
    added->table = pk_memdup_cstr(table.data, table.len);
    added->index = index.data == NULL ? NULL : pk_memdup_cstr(index.data, index.len);
}

void pk_error_prefix(struct pk_error *err, const char *prefix)
{
    struct pk_buf message = PK_BUF_INIT;

    pk_buf_add_cstr(&message, prefix);
    pk_buf_add_cstr(&message, err->message);
    free(err->message);
    err->message = pk_buf_detach(&message);
}

void pk_error_set_name(struct pk_error *err, pk_slice name)
{
    char *copy = pk_memdup_cstr(name.data, name.len);

    free(err->name);
    err->name = copy;
}

const char *pk_error_name(const struct pk_error *err)
{
    return err->name != NULL ? err->name : pk_code_name(err->code);
}
