/*
 * Errors. A fallible function returns enum pk_code and takes struct pk_error *err last, never NULL;
 * on failure it fills err completely, on success it leaves it untouched.
 *
 * The X-macro below is the only list of error kinds: code, wire name, namespace, HTTP status and
 * whether an SDK retries it all come from its rows (spec: errors.md §1).
 */
#ifndef PK_ERROR_H
#define PK_ERROR_H

#include <stdint.h>

#include "engine/base/mem.h"
#include "engine/base/slice.h"

/*  code                    wire name                                   ns  HTTP retry */
#define PK_ERROR_MAP(XX)                                                                           \
    XX(VALIDATION, "ValidationException", V, 400, false)                                           \
    XX(SERIALIZATION, "SerializationException", C, 400, false)                                     \
    XX(UNKNOWN_OPERATION, "UnknownOperationException", C, 400, false)                              \
    XX(CONDITION_FAILED, "ConditionalCheckFailedException", D, 400, false)                         \
    XX(NOT_FOUND, "ResourceNotFoundException", D, 400, false)                                      \
    XX(IN_USE, "ResourceInUseException", D, 400, false)                                            \
    XX(LIMIT_EXCEEDED, "LimitExceededException", D, 400, true)                                     \
    XX(TXN_CANCELED, "TransactionCanceledException", D, 400, false)                                \
    XX(TXN_CONFLICT, "TransactionConflictException", D, 400, false)                                \
    XX(TXN_IN_PROGRESS, "TransactionInProgressException", D, 400, true)                            \
    XX(IDEMPOTENT_MISMATCH, "IdempotentParameterMismatchException", D, 400, false)                 \
    XX(DUPLICATE_ITEM, "DuplicateItemException", D, 400, false)                                    \
    XX(THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceededException", D, 400, true)                \
    XX(THROTTLED, "ThrottlingException", D, 400, true)                                             \
    XX(REQUEST_LIMIT, "RequestLimitExceeded", D, 400, true)                                        \
    XX(COLLECTION_SIZE, "ItemCollectionSizeLimitExceededException", D, 400, true)                  \
    XX(EXPIRED_ITERATOR, "ExpiredIteratorException", D, 400, false)                                \
    XX(TRIMMED, "TrimmedDataAccessException", D, 400, false)                                       \
    XX(BACKUP_IN_USE, "BackupInUseException", D, 400, false)                                       \
    XX(BACKUP_NOT_FOUND, "BackupNotFoundException", D, 400, false)                                 \
    XX(BACKUPS_UNAVAILABLE, "ContinuousBackupsUnavailableException", D, 400, false)                \
    XX(PITR_UNAVAILABLE, "PointInTimeRecoveryUnavailableException", D, 400, false)                 \
    XX(EXPORT_NOT_FOUND, "ExportNotFoundException", D, 400, false)                                 \
    XX(IMPORT_NOT_FOUND, "ImportNotFoundException", D, 400, false)                                 \
    XX(POLICY_NOT_FOUND, "PolicyNotFoundException", D, 400, false)                                 \
    XX(GLOBAL_TABLE_NOT_FOUND, "GlobalTableNotFoundException", D, 400, false)                      \
    XX(TABLE_EXISTS, "TableAlreadyExistsException", D, 400, false)                                 \
    XX(TABLE_IN_USE, "TableInUseException", D, 400, false)                                         \
    XX(TABLE_NOT_FOUND, "TableNotFoundException", D, 400, false)                                   \
    XX(ACCESS_DENIED, "AccessDeniedException", C, 400, false)                                      \
    XX(MISSING_TOKEN, "MissingAuthenticationTokenException", C, 400, false)                        \
    XX(INCOMPLETE_SIGNATURE, "IncompleteSignatureException", C, 400, false)                        \
    XX(INVALID_SIGNATURE, "InvalidSignatureException", C, 400, false)                              \
    XX(UNRECOGNIZED_CLIENT, "UnrecognizedClientException", C, 400, true)                           \
    XX(INTERNAL, "InternalServerError", D, 500, true)                                              \
    XX(UNAVAILABLE, "ServiceUnavailable", C, 503, true)                                            \
    /* pksk's own: no DynamoDB counterpart, met only by the shell */                               \
    XX(IO, "StorageError", P, 500, false)                                                          \
    XX(CORRUPT, "StorageCorrupt", P, 500, false)                                                   \
    XX(LOCKED, "StoreInUse", P, 500, false)                                                        \
    XX(STORE_VERSION, "StoreVersion", P, 500, false)                                               \
    XX(USAGE, "UsageError", P, 400, false)                                                         \
    XX(CANCELLED, "Cancelled", P, 400, false)                                                      \
    XX(UNREACHABLE, "EndpointUnreachable", P, 503, false)                                          \
    /* an endpoint's error that is none of these; its name is in struct pk_error */                \
    XX(FOREIGN, "EndpointError", P, 400, false)

enum pk_code {
    PK_OK = 0,
#define XX(code, name, ns, http, retry) PK_E_##code,
    PK_ERROR_MAP(XX)
#undef XX
};

/* A byte range of the text the user gave (statement or expression). len 0 with start 0: none. */
struct pk_span {
    uint32_t start;
    uint32_t len;
};

/* One action's verdict inside a cancelled transaction (operations.md §7). */
struct pk_cancel_reason {
    const char *code; /* static text: "None", "ConditionalCheckFailed", "ValidationError", … */
    char *message;    /* owned, NULL when there is none */
    char *item; /* owned stored form of the old item (engine/item.h), NULL when not asked for */
    size_t item_len;
};

/* Why a request was throttled: one resource's limit (partitions-capacity.md §6.1). */
struct pk_throttling_reason {
    bool write;
    const char *name;      /* static text: "KeyRangeThroughputExceeded", … */
    char *table;           /* owned */
    char *index;           /* owned, or NULL: the table itself */
    unsigned limit;        /* enum pk_limit (ops.h) */
    uint32_t index_number; /* from 1, of the table's indexes; 0: the table */
    uint32_t partition;    /* where it was refused: its number, of so many */
    uint32_t partition_count;
};

struct pk_error {
    enum pk_code code;
    char *message; /* owned; complete, without the wire name; "" is possible, NULL before failure */
    struct pk_span span;
    char *hint; /* owned, may be NULL: what was probably meant; only for the shell */
    char *item; /* owned stored form of the old item of a failed condition, or NULL */
    size_t item_len;
    struct pk_cancel_reason *reasons; /* owned; PK_E_TXN_CANCELED only */
    size_t reason_count;
    struct pk_throttling_reason *throttling; /* owned; of throttled requests only */
    size_t throttling_count;
    char *name; /* owned, may be NULL; PK_E_FOREIGN only: the wire name */
};

#define PK_ERROR_INIT                                                                              \
    {                                                                                              \
        .code = PK_OK                                                                              \
    }

/* Frees what err owns and makes it PK_ERROR_INIT again. */
void pk_error_release(struct pk_error *err);
/* Moves *from into *to (released first); *from is PK_ERROR_INIT afterwards. */
void pk_error_move(struct pk_error *to, struct pk_error *from);

/* Fills err (anything it held is released) and returns code, so that a caller can write
 * `return pk_fail(err, PK_E_VALIDATION, "…");`. */
enum pk_code pk_fail(struct pk_error *err, enum pk_code code, const char *format, ...)
    PK_PRINTF(3, 4);
/* As pk_fail with the place in the source text. */
enum pk_code pk_fail_at(struct pk_error *err, enum pk_code code, struct pk_span span,
                        const char *format, ...) PK_PRINTF(4, 5);
/* Adds or replaces the hint. */
void pk_error_hint(struct pk_error *err, const char *format, ...) PK_PRINTF(2, 3);
/* Keeps a copy of the old item's stored form (ReturnValuesOnConditionCheckFailure). */
void pk_error_set_item(struct pk_error *err, pk_slice item);
/* Adds a copy of the reason, with copies of the names (index data NULL: the table itself). */
void pk_error_add_throttling(struct pk_error *err, const struct pk_throttling_reason *reason,
                             pk_slice table, pk_slice index);
/* Keeps the wire name of an error that the table does not have. */
void pk_error_set_name(struct pk_error *err, pk_slice name);
/* The wire name: the one kept, else that of the code. */
const char *pk_error_name(const struct pk_error *err);
/* Puts `prefix` before the message. */
void pk_error_prefix(struct pk_error *err, const char *prefix);

/* "ValidationException"; "None" for PK_OK. */
const char *pk_code_name(enum pk_code code);
/* "com.amazon.coral.validate" and so on; "pksk" for our own kinds. */
const char *pk_code_namespace(enum pk_code code);
/* The code of that name; PK_OK when the table has none. */
enum pk_code pk_code_named(pk_slice name);
int pk_code_http(enum pk_code code);
bool pk_code_retryable(enum pk_code code);

#endif
