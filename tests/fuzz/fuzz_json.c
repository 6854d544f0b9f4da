/*
 * Requests as bytes, through the API's pre-pass, its checks and the operations, on a store that has
 * something in it. An input is requests with the byte FF between them; the first byte of each picks
 * the operation. Answers must be JSON with a code that an input can cause, and what was written
 * must pass the store's check.
 */
#include <stdint.h>

#include "tests/fuzz/fuzz_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In a fixed order, so that kept inputs keep their meaning: add at the end. */
static const char *const operations[] = {
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
    "CreateTable",
    "UpdateTable",
    "DescribeTable",
    "DeleteTable",
    "ListTables",
    "TagResource",
    "UntagResource",
    "ListTagsOfResource",
    "DescribeTimeToLive",
    "DescribeContinuousBackups",
    "DescribeLimits",
    "Pksk.Where",
    "Pksk.Collections",
    "Pksk.Sample",
    "Pksk.Check",
    "Pksk.TableStats",
    "Pksk.PutAttachment",
    "Pksk.GetAttachment",
    "NoSuchOperation",
    "Pksk.Settings",
    "UpdateTimeToLive",
    "ListStreams",
    "DescribeStream",
    "GetShardIterator",
    "GetRecords",
    "Pksk.IndexLag",
    "Pksk.Clock",
};
enum { OPERATION_COUNT = sizeof(operations) / sizeof(*operations), REQUESTS_MAX = 16 };

static void run(struct fuzz_store *store, pk_slice request)
{
    const char *operation = operations[(unsigned char)request.data[0] % OPERATION_COUNT];

    fuzz_store_run(store, pk_slice_cstr(operation), pk_slice_skip(request, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store store;
    pk_slice rest = pk_slice_of((const char *)data, size);

    fuzz_store_ready(&store);
    for (unsigned i = 0; i < REQUESTS_MAX && rest.len > 0; i++) {
        const char *end = memchr(rest.data, 0xFF, rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.data);

        if (len > 0)
            run(&store, pk_slice_of(rest.data, len));
        rest = pk_slice_skip(rest, len + 1);
    }
    fuzz_store_reset(&store);
    return 0;
}
