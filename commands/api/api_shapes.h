/* The input shape of every operation (api_check.h); rows of the operation table point here. */
#ifndef CMD_API_SHAPES_H
#define CMD_API_SHAPES_H

#include "commands/api/api_check.h"

extern const struct api_type api_shape_get_item, api_shape_put_item, api_shape_update_item,
    api_shape_delete_item;
extern const struct api_type api_shape_query, api_shape_scan;
extern const struct api_type api_shape_batch_get_item, api_shape_batch_write_item;
extern const struct api_type api_shape_transact_get_items, api_shape_transact_write_items;
extern const struct api_type api_shape_execute_statement, api_shape_batch_execute_statement,
    api_shape_execute_transaction;
extern const struct api_type api_shape_create_table, api_shape_update_table,
    api_shape_describe_table, api_shape_list_tables;
extern const struct api_type api_shape_tag_resource, api_shape_untag_resource,
    api_shape_list_tags_of_resource;
extern const struct api_type api_shape_update_time_to_live;
extern const struct api_type api_shape_list_streams, api_shape_describe_stream,
    api_shape_get_shard_iterator, api_shape_get_records;
extern const struct api_type api_shape_create_backup, api_shape_describe_backup,
    api_shape_list_backups, api_shape_restore_from_backup, api_shape_update_continuous_backups,
    api_shape_restore_to_point_in_time;
extern const struct api_type api_shape_list_exports, api_shape_list_imports,
    api_shape_list_global_tables, api_shape_list_contributor_insights, api_shape_describe_export,
    api_shape_describe_import, api_shape_export_table, api_shape_describe_global_table,
    api_shape_describe_contributor_insights, api_shape_get_resource_policy,
    api_shape_delete_resource_policy, api_shape_describe_kinesis, api_shape_kinesis;
/* No member is looked at. */
extern const struct api_type api_shape_empty;
extern const struct api_type api_shape_pksk_where, api_shape_pksk_collections,
    api_shape_pksk_sample, api_shape_pksk_table, api_shape_pksk_attachment,
    api_shape_pksk_autoscale, api_shape_pksk_viewport, api_shape_pksk_tail, api_shape_pksk_snapshot,
    api_shape_pksk_set_traffic, api_shape_pksk_stop_traffic;

#endif
