#include "commands/transfer/transfer_export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "commands/wire.h"

enum { FLUSH_BYTES = 1 << 20 };

/* ---- the scan -------------------------------------------------------------------------------- */

static cJSON *scan_request(const struct transfer_export *export)
{
    cJSON *request = cJSON_CreateObject();

    cmd_wire_set_text(request, "TableName", export->name);
    cmd_wire_set_bool(request, "ConsistentRead", true);
    if (pk_value_kind(export->start_key) == PK_MAP)
        cmd_wire_set(request, "ExclusiveStartKey", cmd_wire_item(export->start_key));
    cmd_wire_set_text(request, "ReturnConsumedCapacity", PK_LIT("TOTAL"));
    return request;
}

static enum pk_code take_page(struct transfer_export *export, const cJSON *answer,
                              struct pk_error *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer, "Items");
    const cJSON *node;

    export->items = PK_NEW_ARRAY(&export->page, pk_view, (size_t)cJSON_GetArraySize(list) + 1);
    export->item_count = export->item_next = 0;
    cJSON_ArrayForEach(node, list)
    {
        struct pk_arena arena = PK_ARENA_INIT;
        pk_value item = cmd_wire_read_item(&arena, node);
        bool whole = pk_value_kind(item) == PK_MAP && cmd_wire_is_whole(item);

        if (whole)
            export->items[export->item_count++] = pk_view_of(&export->page, item);
        pk_arena_release(&arena);
        if (!whole)
            return pk_fail(err, PK_E_INTERNAL, "the endpoint sent an item that cannot be read");
    }
    export->start_key = cmd_wire_read_item(
        &export->page, cJSON_GetObjectItemCaseSensitive(answer, "LastEvaluatedKey"));
    export->last_page = pk_value_kind(export->start_key) != PK_MAP;
    return PK_OK;
}

static enum pk_code next_page(struct transfer_export *export, struct pk_error *err)
{
    cJSON *request = scan_request(export);
    cJSON *answer = NULL;
    enum pk_code rc = cmd_call(export->context, "Scan", request, &answer, NULL, err);

    cJSON_Delete(request);
    if (rc != PK_OK)
        return rc;
    pk_arena_clear(&export->page); /* the start key was in it; it is sent */
    rc = take_page(export, answer, err);
    cJSON_Delete(answer);
    return rc;
}

static void show_progress(const struct transfer_export *export)
{
    char text[400];

    if (export->context == NULL || export->context->progress.show == NULL ||
        export->written % 1000 != 0)
        return;
    (void)snprintf(text, sizeof(text), "export %.*s: %llu items", PK_FMT(export->name),
                   (unsigned long long)export->written);
    export->context->progress.show(export->context->progress.context, text);
}

enum pk_code transfer_export_next(struct transfer_export *export, pk_view *item,
                                  struct pk_error *err)
{
    while (export->item_next == export->item_count && !export->last_page) {
        enum pk_code rc = next_page(export, err);

        if (rc != PK_OK)
            return rc;
    }
    *item = PK_VIEW_MISSING;
    if (export->item_next == export->item_count)
        return PK_OK;
    *item = export->items[export->item_next++];
    export->written++;
    export->bytes += pk_view_item_size(*item);
    show_progress(export);
    return PK_OK;
}

void transfer_export_rewind(struct transfer_export *export)
{
    export->item_next = 0;
    export->written = 0;
    export->bytes = 0;
    if (export->context == NULL)
        return;
    export->item_count = 0;
    export->start_key = pk_value_missing();
    export->last_page = false;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void add_line(struct transfer_export *export, struct transfer_lines *lines,
                     const char *format, va_list args) PK_PRINTF(3, 0);

static void add_line(struct transfer_export *export, struct transfer_lines *lines,
                     const char *format, va_list args)
{
    if (lines->count < TRANSFER_LINES_MAX)
        lines->text[lines->count] = pk_arena_vprintf(&export->arena, format, args);
    lines->count++;
}

void transfer_export_note(struct transfer_export *export, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(export, &export->notes, format, args);
    va_end(args);
}

void transfer_export_hint(struct transfer_export *export, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(export, &export->hints, format, args);
    va_end(args);
}

/* ---- the file -------------------------------------------------------------------------------- */

struct transfer_output {
    const char *path; /* borrowed */
    char *temporary;
    FILE *plain; /* one of the two is open */
    gzFile packed;
};

enum pk_code transfer_output_open(struct transfer_export *export, const char *path,
                                  struct pk_error *err)
{
    struct transfer_output *output = pk_calloc(1, sizeof(*output));
    struct pk_buf name = PK_BUF_INIT;
    size_t len = strlen(path);
    bool packed = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    struct stat info;

    output->path = path;
    /* a pipe or a device is written to as it is */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        pk_buf_add_cstr(&name, path);
    else
        pk_buf_printf(&name, "%s.%ld.part", path, (long)getpid());
    output->temporary = pk_buf_detach(&name);
    errno = 0;
    if (packed)
        output->packed = gzopen(output->temporary, "wb");
    else
        output->plain = fopen(output->temporary, "wb");
    if (output->packed == NULL && output->plain == NULL) {
        pk_fail(err, PK_E_IO, "cannot write '%s': %s", path, strerror(errno));
        free(output->temporary);
        free(output);
        return err->code;
    }
    export->file = output;
    return PK_OK;
}

static enum pk_code fail_write(const struct transfer_output *output, struct pk_error *err)
{
    return pk_fail(err, PK_E_IO, "cannot write '%s': %s", output->path,
                   errno == 0 ? "no reason is given" : strerror(errno));
}

static enum pk_code write_out(struct transfer_export *export, struct pk_error *err)
{
    struct transfer_output *output = export->file;
    size_t len = export->out.len;

    errno = 0;
    if (len == 0)
        return PK_OK;
    if (output->packed != NULL && gzfwrite(export->out.data, 1, len, output->packed) != len)
        return fail_write(output, err);
    if (output->plain != NULL && fwrite(export->out.data, 1, len, output->plain) != len)
        return fail_write(output, err);
    pk_buf_clear(&export->out);
    return PK_OK;
}

enum pk_code transfer_export_flush(struct transfer_export *export, struct pk_error *err)
{
    if (export->file == NULL || export->out.len < FLUSH_BYTES)
        return PK_OK;
    return write_out(export, err);
}

static bool close_file(struct transfer_output *output)
{
    bool fine = true;

    errno = 0;
    if (output->packed != NULL)
        fine = gzclose(output->packed) == Z_OK;
    if (output->plain != NULL)
        fine = fclose(output->plain) == 0;
    output->packed = NULL;
    output->plain = NULL;
    return fine;
}

static bool is_beside(const struct transfer_output *output)
{
    return strcmp(output->temporary, output->path) != 0;
}

enum pk_code transfer_output_finish(struct transfer_export *export, struct pk_error *err)
{
    struct transfer_output *output = export->file;
    enum pk_code rc = write_out(export, err);

    if (rc == PK_OK && !close_file(output))
        rc = fail_write(output, err);
    if (rc == PK_OK && is_beside(output) && rename(output->temporary, output->path) != 0)
        rc = fail_write(output, err);
    return rc;
}

/* Closes the file; one that was not finished goes. */
static void close_output(struct transfer_export *export)
{
    struct transfer_output *output = export->file;

    if (output == NULL)
        return;
    (void)close_file(output);
    if (is_beside(output))
        (void)unlink(output->temporary); /* gone already when it was finished */
    free(output->temporary);
    free(output);
    export->file = NULL;
}

void transfer_export_release(struct transfer_export *export)
{
    close_output(export);
    pk_buf_release(&export->out);
    pk_arena_release(&export->page);
    pk_arena_release(&export->arena);
}
