/*
 * The API: every operation as a function from a JSON request to a JSON response.
 *
 * api_call() finds the operation's row, parses the body, checks member types and constraints by the
 * row's input shape (api_check.h), runs the row's function and writes either its output or the
 * error. A run function thus sees a request whose members have the right JSON types, whose required
 * members are there, and whose enums and lengths are legal; it makes the remaining checks in
 * DynamoDB's order, calls the engine and appends the response's members to `out`.
 *
 * Adding an operation: one row in api.c, its shape in api_shapes.c, one function.
 */
#ifndef CMD_API_H
#define CMD_API_H

#include "commands/backend.h"

struct cJSON;

/* What operations work on. */
struct traffics;
struct api_host {
    struct pk_engine *engine;
    struct traffics *traffics; /* of the shell that holds the store; NULL: there is none */
    bool unnoted;              /* reads are not shown to those who look */
};

struct api_call {
    struct pk_engine *engine;
    struct traffics *traffics;
    struct pk_call call;           /* arena and cancel flag */
    struct cmd_response *response; /* facts and `use` are set by the run function */
};

/* `out` holds "{" and stays so on failure: what was appended is dropped by the caller, who also
 * closes the object. */
typedef enum pk_code api_run(struct api_call *call, const struct cJSON *request, struct pk_buf *out,
                             struct pk_error *err);

/* Runs one operation; fails only through *response, which must be initialised and empty. */
void api_call(const struct api_host *host, pk_slice operation, pk_slice request,
              const atomic_bool *cancel, struct cmd_response *response);

/* Notes the facts of a result, and what it consumed of each of its tables. */
void api_facts(struct api_call *call, const struct pk_facts *facts, const struct pk_cost *costs,
               size_t count);

/* api_item.c */
api_run api_get_item, api_put_item, api_update_item, api_delete_item;
/* api_query.c */
api_run api_query, api_scan;
/* api_batch.c */
api_run api_batch_get_item, api_batch_write_item;
/* api_txn.c */
api_run api_transact_get_items, api_transact_write_items;
/* api_partiql.c */
api_run api_execute_statement, api_batch_execute_statement, api_execute_transaction;
/* api_table.c */
api_run api_create_table, api_update_table, api_describe_table, api_delete_table, api_list_tables;
/* api_account.c */
api_run api_tag_resource, api_untag_resource, api_list_tags_of_resource;
/* api_backup.c */
api_run api_create_backup, api_describe_backup, api_list_backups, api_delete_backup,
    api_restore_table_from_backup, api_describe_continuous_backups, api_update_continuous_backups,
    api_restore_table_to_point_in_time;
/* api_absent.c */
api_run api_describe_export, api_describe_import, api_export_table, api_describe_global_table,
    api_describe_contributor_insights, api_get_resource_policy, api_delete_resource_policy,
    api_describe_kinesis, api_enable_kinesis, api_disable_kinesis;
/* api_ttl.c */
api_run api_update_time_to_live, api_describe_time_to_live;
/* api_stream.c */
api_run api_list_streams, api_describe_stream, api_get_shard_iterator, api_get_records,
    api_pksk_records, api_pksk_leave_shard;
/* api_index_lag.c */
api_run api_pksk_index_lag;
/* api_snapshot.c */
api_run api_pksk_snapshot;
/* api_viewport.c */
api_run api_pksk_viewport, api_pksk_tail;
/* api_clock.c */
api_run api_pksk_clock;
/* api_autoscale.c */
api_run api_pksk_autoscale;
/* api_settings.c */
api_run api_pksk_settings;
/* api_pksk.c */
api_run api_pksk_where, api_pksk_collections, api_pksk_sample, api_pksk_check, api_pksk_table_stats;
/* api_traffic.c */
api_run api_pksk_traffic, api_pksk_set_traffic, api_pksk_stop_traffic;
/* api_attachment.c */
api_run api_pksk_put_attachment, api_pksk_get_attachment;

#endif
