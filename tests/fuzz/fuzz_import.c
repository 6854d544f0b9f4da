/*
 * import and export. An input is the words after `import FILE`, a newline, and the file; after a
 * byte FF may follow a mapping file. The words begin with the extension of the file's name.
 *
 * The first table that an import has made is exported in every format, and its DynamoDB JSON is
 * imported again: that must give the same items.
 */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdint.h>
#include <strings.h>
#include <unistd.h>

#include "commands/cmd.h"
#include "commands/settings.h"
#include "tests/fuzz/fuzz_store.h"
#include "tests/support/temp_dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EXTENSION_MAX = 8 };

static struct temp_dir dir;

static void remove_dir(void)
{
    temp_dir_remove(&dir);
}

/* Writes dir/name; *path is the caller's. */
static void write_file(const char *name, pk_slice bytes, struct pk_buf *path)
{
    int fd;

    pk_buf_printf(path, "%s/%s", dir.path, name);
    fd = open(path->data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || (bytes.len > 0 && write(fd, bytes.data, bytes.len) != (ssize_t)bytes.len))
        pk_bug("%s is not written", path->data);
    close(fd);
}

static enum pk_code run(struct cmd_context *context, const char *format, ...) PK_PRINTF(2, 3);
static enum pk_code run(struct cmd_context *context, const char *format, ...)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_result result;
    enum pk_code rc;
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(&text, format, args);
    va_end(args);
    cmd_result_init(&result);
    rc = cmd_execute(context, pk_buf_slice(&text), &result, &err);
    if (rc != PK_OK && (err.message == NULL || rc == PK_E_INTERNAL ||
                        err.span.start + (size_t)err.span.len > text.len))
        pk_bug("a failure says what and where: %s: %s at %u+%u", pk_code_name(rc), err.message,
               err.span.start, err.span.len);
    cmd_result_release(&result);
    pk_error_release(&err);
    pk_buf_release(&text);
    return rc;
}

/* ---- and back -------------------------------------------------------------------------------- */

static bool is_key(const cJSON *schema, const cJSON *definition)
{
    const char *name = cJSON_GetObjectItem(definition, "AttributeName")->valuestring;
    const cJSON *part;

    cJSON_ArrayForEach(part, schema)
    {
        if (strcmp(cJSON_GetObjectItem(part, "AttributeName")->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* Makes table `again` with the key of the other. */
static void make_again(struct fuzz_store *store, pk_slice name)
{
    struct cmd_response response = CMD_RESPONSE_INIT;
    struct pk_buf body = PK_BUF_INIT;
    cJSON *answer, *table, *request = cJSON_CreateObject();
    cJSON *definitions, *schema, *definition;
    char *text;

    pk_buf_printf(&body, "{\"TableName\":\"%.*s\"}", PK_FMT(name));
    fuzz_store_call(&store->backend, PK_LIT("DescribeTable"), pk_buf_slice(&body), NULL, &response);
    answer = cJSON_Parse(response.body.data);
    table = cJSON_GetObjectItem(answer, "Table");
    schema = cJSON_DetachItemFromObject(table, "KeySchema");
    definitions = cJSON_AddArrayToObject(request, "AttributeDefinitions");
    cJSON_ArrayForEach(definition, cJSON_GetObjectItem(table, "AttributeDefinitions"))
    {
        if (is_key(schema, definition))
            cJSON_AddItemToArray(definitions, cJSON_Duplicate(definition, true));
    }
    cJSON_AddItemToObject(request, "KeySchema", schema);
    cJSON_AddStringToObject(request, "TableName", "again");
    cJSON_AddStringToObject(request, "BillingMode", "PAY_PER_REQUEST");
    text = cJSON_PrintUnformatted(request);
    fuzz_store_must(store, PK_LIT("CreateTable"), pk_slice_cstr(text));
    cJSON_free(text);
    cJSON_Delete(request);
    cJSON_Delete(answer);
    cmd_response_release(&response);
    pk_buf_release(&body);
}

static void same_items(struct fuzz_store *store, pk_slice name, struct pk_arena *arena)
{
    struct pk_value_vec before = fuzz_store_items(store, name, arena);
    struct pk_value_vec after = fuzz_store_items(store, PK_LIT("again"), arena);

    if (before.len != after.len)
        pk_bug("%zu items are exported, %zu imported again", before.len, after.len);
    for (size_t i = 0; i < before.len; i++) {
        if (!pk_value_equal(before.data[i], after.data[i]))
            pk_bug("item %zu comes back as another", i);
    }
}

static void export(struct fuzz_store *store, struct cmd_context *context, pk_slice name)
{
    static const char *const formats[] = {"jsonl", "csv", "workbench", "cloudformation",
                                          "dynamodb"};
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        enum pk_code rc =
            run(context, "export %.*s '%s/out' format %s", PK_FMT(name), dir.path, formats[i]);

        if (rc != PK_OK && i == 4)
            pk_bug("%.*s is not exported", PK_FMT(name));
    }
    if (fuzz_store_items(store, name, &arena).len > 0) {
        make_again(store, name);
        if (run(context, "import '%s/out' into again format dynamodb", dir.path) != PK_OK)
            pk_bug("what was exported is not imported");
        same_items(store, name, &arena);
    }
    pk_arena_release(&arena);
}

/* The first table that is not one of the seeds; data NULL: none. */
static pk_slice made(struct fuzz_store *store, struct pk_arena *arena)
{
    struct pk_value_vec names = fuzz_store_names(store, arena);

    for (size_t i = 0; i < names.len; i++) {
        if (!fuzz_store_is_seeded(pk_value_bytes(names.data[i])))
            return pk_value_bytes(names.data[i]);
    }
    return (pk_slice){NULL, 0};
}

/* ---- there ----------------------------------------------------------------------------------- */

/* Takes what stands before the byte off the front of the text, and the byte. */
static pk_slice take_until(pk_slice *text, int byte)
{
    const char *end = text->len == 0 ? NULL : memchr(text->data, byte, text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->data);
    pk_slice taken = pk_slice_of(text->data, len);

    *text = pk_slice_skip(*text, len + 1);
    return taken;
}

/* Letters only: the name is part of a path. */
static const char *file_name(pk_slice word, struct pk_buf *out)
{
    pk_buf_add_cstr(out, "file.");
    for (size_t i = 0; i < word.len && i < EXTENSION_MAX; i++) {
        char c = word.data[i];

        if ((c >= 'a' && c <= 'z') || c == '.')
            pk_buf_add_byte(out, (unsigned char)c);
    }
    return out->data;
}

/* `map FILE` in the words would name a file of this machine. */
static bool names_file(pk_slice words)
{
    for (size_t i = 0; i + 3 <= words.len; i++) {
        if (strncasecmp(words.data + i, "map", 3) == 0)
            return true;
    }
    return false;
}

static void import(struct cmd_context *context, pk_slice input)
{
    struct pk_buf name = PK_BUF_INIT, path = PK_BUF_INIT, map = PK_BUF_INIT;
    pk_slice words = take_until(&input, '\n');
    pk_slice extension = take_until(&words, ' ');
    pk_slice file = take_until(&input, 0xFF);

    if (!names_file(words)) {
        write_file(file_name(extension, &name), file, &path);
        write_file("map", input, &map);
        (void)run(context, "import '%s' %.*s %s%s%s", path.data, PK_FMT(words),
                  input.len == 0 ? "" : " map '", input.len == 0 ? "" : map.data,
                  input.len == 0 ? "" : "'");
        (void)unlink(path.data);
    }
    pk_buf_release(&name);
    pk_buf_release(&path);
    pk_buf_release(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store store;
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_settings settings;
    struct cmd_context context;
    pk_slice table;

    if (store.engine == NULL) {
        temp_dir_make(&dir);
        atexit(remove_dir);
    }
    fuzz_store_ready(&store);
    cmd_settings_init(&settings);
    cmd_context_init(&context, &store.backend, store.engine);
    context.settings = &settings;
    context.yes = true;
    import(&context, pk_slice_of((const char *)data, size));
    table = made(&store, &arena);
    if (table.data != NULL && !pk_slice_is(table, "again"))
        export(&store, &context, table);
    cmd_context_release(&context);
    pk_arena_release(&arena);
    fuzz_store_reset(&store);
    return 0;
}
