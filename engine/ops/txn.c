/* The reasons' codes and the message that lists them. */
#include "engine/ops/txn.h"

#include <stddef.h>

#include "engine/base/buf.h"
#include "engine/ops/capacity.h"

static const struct reason {
    enum pk_code code;
    const char *name;
} reasons[] = {
    {PK_E_CONDITION_FAILED, "ConditionalCheckFailed"},
    {PK_E_VALIDATION, "ValidationError"},
    {PK_E_COLLECTION_SIZE, "ItemCollectionSizeLimitExceeded"},
    {PK_E_TXN_CONFLICT, "TransactionConflict"},
    {PK_E_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceeded"},
    {PK_E_THROTTLED, "ThrottlingError"},
    {PK_E_DUPLICATE_ITEM, "DuplicateItem"},
};

/* NULL when the code is no reason. */
static const char *reason_name(enum pk_code code)
{
    if (code == PK_OK)
        return "None";
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].code == code)
            return reasons[i].name;
    }
    return NULL;
}

bool pk_txn_is_reason(enum pk_code code)
{
    return code != PK_OK && reason_name(code) != NULL;
}

enum pk_code pk_txn_cancel(struct pk_error *err, struct pk_error *actions, size_t count)
{
    struct pk_cancel_reason *list = pk_calloc(count, sizeof(*list));
    struct pk_buf names = PK_BUF_INIT;

    for (size_t i = 0; i < count; i++) {
        list[i].code = reason_name(actions[i].code);
        pk_buf_add_cstr(&names, i == 0 ? "" : ", ");
        pk_buf_add_cstr(&names, list[i].code);
        list[i].message = actions[i].message;
        list[i].item = actions[i].item;
        list[i].item_len = actions[i].item_len;
        actions[i].message = NULL;
        actions[i].item = NULL;
        pk_error_release(&actions[i]);
    }
    (void)pk_fail(err, PK_E_TXN_CANCELED,
                  "Transaction cancelled, please refer cancellation reasons for specific reasons "
                  "[%s]",
                  names.data == NULL ? "" : names.data);
    err->reasons = list;
    err->reason_count = count;
    pk_buf_release(&names);
    return PK_E_TXN_CANCELED;
}

enum pk_code pk_txn_refuse(struct pk_call *call, const struct pk_demand *demands, size_t count,
                           struct pk_error *err)
{
    struct pk_error *actions = PK_NEW_ARRAY(call->arena, struct pk_error, count);

    for (size_t i = 0; i < count; i++)
        (void)pk_capacity_fail(&demands[i], 1, &actions[i]);
    return pk_txn_cancel(err, actions, count);
}
