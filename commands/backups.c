/* See the header. Everything goes through the backend, so it is the same on a remote endpoint,
 * where a backup takes minutes. */
#include "commands/backups.h"

#include "commands/wire.h"

/* ---- asking ---------------------------------------------------------------------------------- */

enum pk_code cmd_backups_page(struct cmd_context *context, pk_slice after, cJSON **answer,
                              struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    enum pk_code rc;

    if (after.data != NULL)
        cmd_wire_set_text(request, "ExclusiveStartBackupArn", after);
    rc = cmd_call(context, "ListBackups", request, answer, NULL, err);
    cJSON_Delete(request);
    return rc;
}

/* The backups of that name. */
struct search {
    pk_slice name;
    struct pk_arena *arena;
    pk_slice arn; /* of the last one that was found */
    size_t count;
};

static void search_page(struct search *search, const cJSON *answer)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "BackupSummaries"))
    {
        if (!pk_slice_equal(cmd_wire_text(node, "BackupName"), search->name))
            continue;
        search->arn = pk_arena_dup(search->arena, cmd_wire_text(node, "BackupArn"));
        search->count++;
    }
}

static enum pk_code search_all(struct cmd_context *context, struct search *search,
                               struct pk_error *err)
{
    pk_slice after = {NULL, 0};
    enum pk_code rc;

    do {
        cJSON *answer = NULL;

        rc = cmd_backups_page(context, after, &answer, err);
        search_page(search, answer);
        after = cmd_wire_text(answer, "LastEvaluatedBackupArn");
        if (after.data != NULL)
            after = pk_arena_dup(search->arena, after);
        cJSON_Delete(answer);
    } while (rc == PK_OK && after.data != NULL);
    return rc;
}

enum pk_code cmd_backups_find(struct cmd_context *context, pk_slice name, struct pk_arena *arena,
                              pk_slice *arn, struct pk_error *err)
{
    struct search search = {.name = name, .arena = arena};
    enum pk_code rc;

    *arn = name;
    if (pk_slice_starts(name, PK_LIT("arn:")))
        return PK_OK;
    rc = search_all(context, &search, err);
    if (rc != PK_OK)
        return rc;
    *arn = search.arn;
    if (search.count == 0) {
        rc = pk_fail(err, PK_E_USAGE, "there is no backup '%.*s'", PK_FMT(name));
        pk_error_hint(err, "backups lists the backups there are");
    } else if (search.count > 1) {
        rc = pk_fail(err, PK_E_USAGE, "%zu backups are called '%.*s'", search.count, PK_FMT(name));
        pk_error_hint(err, "name it by its ARN, the last one by %.*s", PK_FMT(search.arn));
    }
    return rc;
}

enum pk_code cmd_backups_describe(struct cmd_context *context, pk_slice arn, cJSON **answer,
                                  const cJSON **description, struct pk_error *err)
{
    cJSON *request = cJSON_CreateObject();
    enum pk_code rc;

    cmd_wire_set_text(request, "BackupArn", arn);
    rc = cmd_call(context, "DescribeBackup", request, answer, NULL, err);
    cJSON_Delete(request);
    *description = cJSON_GetObjectItemCaseSensitive(*answer, "BackupDescription");
    return rc;
}

pk_slice cmd_backups_contents(struct pk_arena *arena, const cJSON *description)
{
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(description, "SourceTableDetails");
    int64_t items = cmd_wire_int(source, "ItemCount", 0);
    pk_slice size = cmd_format_bytes(arena, (uint64_t)cmd_wire_int(source, "TableSizeBytes", 0));

    return pk_arena_printf(arena, "%.*s item%s, %.*s",
                           PK_FMT(cmd_format_count(arena, (uint64_t)items)), items == 1 ? "" : "s",
                           PK_FMT(size));
}
