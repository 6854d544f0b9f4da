/*
 * Pksk.Viewport and Pksk.Tail, asked and read (viewport.h).
 *
 * The answer may come from any endpoint: lists are read as far as the engine could have filled
 * them, texts are cut, and what is missing or of a wrong type is empty.
 */
#include "commands/viewport.h"

#include "commands/changes.h"
#include "commands/wire.h"
#include "engine/looking.h"

enum {
    KEY_TEXT_MAX = 4096, /* a key of 2,048 and 1,024 bytes fits */
    ITEM_TEXT_MAX = 200,
    CHANGES_TEXT_MAX = 4096,
    NAME_TEXT_MAX = 255,
    NAMES_MAX = 2 * PK_KEY_PARTS_MAX /* of a key */
};
/* JSON's numbers are exact up to there. */
#define NUMBER_MAX 9007199254740992.0

/* ---- members --------------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static uint64_t number_of(const cJSON *object, const char *name)
{
    const cJSON *node = member(object, name);
    double number = cJSON_IsNumber(node) ? node->valuedouble : 0.0;

    if (!(number > 0.0)) /* a NaN, too */
        return 0;
    return (uint64_t)(number >= NUMBER_MAX ? NUMBER_MAX : number);
}

static uint32_t u32_of(const cJSON *object, const char *name)
{
    uint64_t number = number_of(object, name);

    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* A copy of at most `most` bytes, cut where a character begins; with "…" when told. */
static pk_slice cut_copy(struct pk_arena *arena, pk_slice text, size_t most, const char *end)
{
    if (text.len <= most)
        return text.len == 0 ? (pk_slice){NULL, 0} : pk_arena_dup(arena, text);
    while (most > 0 && ((unsigned char)text.data[most] & 0xc0) == 0x80)
        most--;
    return pk_arena_printf(arena, "%.*s%s", (int)most, text.data, end);
}

static pk_slice text_of(struct pk_arena *arena, const cJSON *object, const char *name)
{
    return cut_copy(arena, cmd_wire_text(object, name), NAME_TEXT_MAX, "");
}

static pk_slice json_of(struct pk_arena *arena, const cJSON *node)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice copy;

    if (!cJSON_IsObject(node))
        return (pk_slice){NULL, 0};
    cmd_wire_print(&out, node);
    copy = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return copy;
}

/* An object's list, and how many of it are read: not more than `most`, and objects only. */
static const cJSON *list_of(const cJSON *object, const char *name, size_t most, size_t *count)
{
    const cJSON *list = member(object, name);
    const cJSON *node;
    size_t n = 0;

    *count = 0;
    if (!cJSON_IsArray(list))
        return NULL;
    for (node = list->child; node != NULL && n < most && cJSON_IsObject(node); node = node->next)
        n++;
    *count = n;
    return list->child;
}

/* ---- keys and items as text ------------------------------------------------------------------ */

static void add_key_value(struct pk_buf *out, pk_value value)
{
    switch (pk_value_kind(value)) {
    case PK_STRING:
    case PK_NUMBER:
    case PK_BINARY:
        pk_buf_add_cstr(out, out->len > 0 ? " " : "");
        cmd_key_value_text(out, value);
        break;
    case PK_MISSING:
    case PK_NULL:
    case PK_BOOL:
    case PK_STRING_SET:
    case PK_NUMBER_SET:
    case PK_BINARY_SET:
    case PK_LIST:
    case PK_MAP:
        break; /* no key */
    }
}

static pk_slice take_text(struct pk_arena *arena, struct pk_buf *text, size_t most)
{
    pk_slice copy = cut_copy(arena, pk_buf_slice(text), most, "…");

    pk_buf_release(text);
    return copy;
}

/* The values of these names, as they would be typed. */
static pk_slice key_text(struct pk_arena *arena, pk_value key, const cJSON *names)
{
    struct pk_buf text = PK_BUF_INIT;
    const cJSON *name = cJSON_IsArray(names) ? names->child : NULL;

    for (int i = 0; name != NULL && i < NAMES_MAX; i++, name = name->next) {
        if (cJSON_IsString(name))
            add_key_value(&text, pk_value_get(key, pk_slice_cstr(name->valuestring)));
    }
    return take_text(arena, &text, KEY_TEXT_MAX);
}

static bool is_named(const cJSON *names, pk_slice name)
{
    const cJSON *node = cJSON_IsArray(names) ? names->child : NULL;

    for (; node != NULL; node = node->next) {
        if (cJSON_IsString(node) && pk_slice_is(name, node->valuestring))
            return true;
    }
    return false;
}

/* A malformed value is none. */
static void add_attribute(struct pk_buf *text, pk_slice name, pk_value value)
{
    if (pk_value_kind(value) == PK_MISSING)
        return;
    pk_buf_add_cstr(text, text->len > 0 ? " · " : "");
    pk_buf_add(text, name);
    pk_buf_add_byte(text, ' ');
    cmd_value_text(text, value);
}

/* What of the key is not shown as such (of an index row: the table's key), then the item. */
static pk_slice item_text(struct pk_arena *arena, const cJSON *answer, const cJSON *node,
                          pk_value key)
{
    pk_value item = cmd_wire_read_item(arena, member(node, "Item"));
    pk_slice cut = cmd_wire_text(node, "Cut");
    struct pk_buf text = PK_BUF_INIT;
    bool cut_shown = false;

    for (size_t i = 0; pk_value_kind(key) == PK_MAP && i < key.len; i++) {
        pk_slice name = key.u.members[i].name;

        if (!is_named(member(answer, "Hash"), name) && !is_named(member(answer, "Range"), name))
            add_attribute(&text, name, key.u.members[i].value);
    }
    for (size_t i = 0; pk_value_kind(item) == PK_MAP && i < item.len; i++) {
        if (text.len > ITEM_TEXT_MAX)
            break;
        cut_shown = cut_shown || pk_slice_equal(item.u.members[i].name, cut);
        add_attribute(&text, item.u.members[i].name, item.u.members[i].value);
    }
    if (cut.len > 0 && text.len <= ITEM_TEXT_MAX)
        pk_buf_printf(&text, "%s%.*s%s", cut_shown || text.len == 0 ? "" : " · ",
                      cut_shown ? 0 : (int)cut.len, cut.data, cut_shown ? "…" : " …");
    return take_text(arena, &text, ITEM_TEXT_MAX);
}

/* ---- Viewport -------------------------------------------------------------------------------- */

struct reading {
    struct pk_arena *arena;
    const cJSON *answer;
    size_t rows_left;
    bool whole;
};

static void read_row(const struct reading *reading, const cJSON *node, struct cmd_viewport_row *row)
{
    struct pk_arena *arena = reading->arena;
    const cJSON *key_node = member(node, "Key");
    pk_value key = cmd_wire_read_item(arena, key_node);
    pk_slice read = cmd_wire_text(node, "Read");

    *row = (struct cmd_viewport_row){
        .key = json_of(arena, key_node),
        .sort = key_text(arena, key, member(reading->answer, "Range")),
        .bytes = number_of(node, "Bytes"),
        .item = item_text(arena, reading->answer, node, key),
    };
    if (pk_slice_is(read, "RETURNED"))
        row->read = CMD_ROW_RETURNED;
    else if (pk_slice_is(read, "FILTERED"))
        row->read = CMD_ROW_FILTERED;
    if (reading->whole)
        row->whole = json_of(arena, member(node, "Item"));
}

static void read_collection(struct reading *reading, const cJSON *node,
                            struct cmd_viewport_collection *collection)
{
    struct pk_arena *arena = reading->arena;
    pk_value key = cmd_wire_read_item(arena, member(node, "HashKey"));
    const cJSON *row;

    *collection = (struct cmd_viewport_collection){
        .hash = key_text(arena, key, member(reading->answer, "Hash")),
        .partition = u32_of(node, "Partition"),
        .items = number_of(node, "Items"),
        .bytes = number_of(node, "Bytes"),
        .more = cmd_wire_bool(node, "More"),
    };
    row = list_of(node, "Rows", reading->rows_left, &collection->row_count);
    reading->rows_left -= collection->row_count;
    collection->rows = PK_NEW_ARRAY(arena, struct cmd_viewport_row, collection->row_count);
    for (size_t i = 0; i < collection->row_count; i++, row = row->next)
        read_row(reading, row, &collection->rows[i]);
}

static void read_viewport(struct reading *reading, struct cmd_viewport *viewport)
{
    const cJSON *node =
        list_of(reading->answer, "Collections", PK_VIEWPORT_ROWS_MAX, &viewport->count);

    viewport->collections =
        PK_NEW_ARRAY(reading->arena, struct cmd_viewport_collection, viewport->count);
    for (size_t i = 0; i < viewport->count; i++, node = node->next)
        read_collection(reading, node, &viewport->collections[i]);
    viewport->next = json_of(reading->arena, member(reading->answer, "Next"));
    viewport->previous = json_of(reading->arena, member(reading->answer, "Previous"));
    viewport->last_read = number_of(reading->answer, "LastRead");
    viewport->read_from = json_of(reading->arena, member(reading->answer, "ReadFrom"));
}

static enum pk_code add_from(cJSON *request, pk_slice from, struct pk_error *err)
{
    cJSON *key;

    if (from.len == 0)
        return PK_OK;
    key = cmd_wire_parse(from);
    if (!cJSON_IsObject(key)) {
        cJSON_Delete(key);
        return pk_fail(err, PK_E_USAGE, "the key to show from is no JSON object");
    }
    cmd_wire_set(request, "From", key);
    return PK_OK;
}

static enum pk_code ask_viewport(cJSON *request, const struct cmd_viewport_request *wanted,
                                 struct pk_error *err)
{
    cmd_wire_set_text(request, "TableName", wanted->table);
    if (wanted->index.len > 0)
        cmd_wire_set_text(request, "IndexName", wanted->index);
    if (wanted->backward)
        cmd_wire_set_bool(request, "Backward", true);
    if (wanted->search.len > 0)
        cmd_wire_set_text(request, "Search", wanted->search);
    if (wanted->limit > 0)
        cmd_wire_set_int(request, "Limit", wanted->limit);
    if (wanted->per_collection > 0)
        cmd_wire_set_int(request, "PerCollection", wanted->per_collection);
    if (wanted->whole)
        cmd_wire_set_bool(request, "Whole", true);
    return add_from(request, wanted->from, err);
}

enum pk_code cmd_viewport_take(struct cmd_context *context, struct pk_arena *arena,
                               const struct cmd_viewport_request *request,
                               struct cmd_viewport *viewport, struct pk_error *err)
{
    cJSON *body = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc = ask_viewport(body, request, err);

    *viewport = (struct cmd_viewport){0};
    if (rc == PK_OK)
        rc = cmd_call(context, "Pksk.Viewport", body, &answer, NULL, err);
    if (rc == PK_OK) {
        struct reading reading = {arena, answer, PK_VIEWPORT_ROWS_MAX, request->whole};

        read_viewport(&reading, viewport);
    }
    cJSON_Delete(answer);
    cJSON_Delete(body);
    return rc;
}

/* ---- Tail ------------------------------------------------------------------------------------ */

static pk_value image_of(struct pk_arena *arena, const cJSON *node, const char *name)
{
    pk_value image = cmd_wire_read_item(arena, member(node, name));

    return pk_value_kind(image) == PK_MAP ? image : pk_value_map(NULL, 0);
}

static bool is_key(const void *context, pk_slice name)
{
    const pk_value *keys = context;

    return pk_value_kind(pk_value_get(*keys, name)) != PK_MISSING;
}

/* Images, which may be large, go to the scratch arena. */
static pk_slice changes_text(struct pk_arena *arena, struct pk_arena *scratch, const cJSON *node,
                             pk_value keys)
{
    const struct cmd_changes changes = {
        .before = image_of(scratch, node, "Old"),
        .after = image_of(scratch, node, "New"),
        .skip = is_key,
        .context = &keys,
        .first = "",
    };
    struct pk_buf text = PK_BUF_INIT;

    cmd_changes_add(&text, &changes);
    return take_text(arena, &text, CHANGES_TEXT_MAX);
}

/* In the order in which they were sent: the partition key first. */
static pk_slice keys_text(struct pk_arena *arena, const cJSON *node, pk_value keys)
{
    const cJSON *attribute = member(node, "Keys");
    struct pk_buf text = PK_BUF_INIT;

    attribute = cJSON_IsObject(attribute) ? attribute->child : NULL;
    for (int i = 0; attribute != NULL && i < NAMES_MAX; i++, attribute = attribute->next)
        add_key_value(&text, pk_value_get(keys, pk_slice_cstr(attribute->string)));
    return take_text(arena, &text, KEY_TEXT_MAX);
}

static void read_record(struct pk_arena *arena, const cJSON *node, struct cmd_tail_record *record)
{
    struct pk_arena scratch = PK_ARENA_INIT;
    pk_value keys = image_of(&scratch, node, "Keys");
    struct cmd_tail_record read = {
        .number = number_of(node, "Number"),
        .sequence = number_of(node, "Sequence"),
        .time_ms = (int64_t)number_of(node, "Time"),
        .table = text_of(arena, node, "TableName"),
        .event = text_of(arena, node, "Event"),
        .cause = text_of(arena, node, "Cause"),
        .shard = text_of(arena, node, "Shard"),
        .partition = u32_of(node, "Partition"),
    };

    read.key = keys_text(arena, node, keys);
    read.changes = changes_text(arena, &scratch, node, keys);
    *record = read;
    pk_arena_release(&scratch);
}

static void read_tail(struct pk_arena *arena, const cJSON *answer, struct cmd_tail *tail)
{
    const cJSON *node = list_of(answer, "Records", PK_TAIL_BACK_MAX + PK_TAIL_RECORDS_MAX, &tail->count);

    tail->last = number_of(answer, "Last");
    tail->lost = number_of(answer, "Lost");
    tail->opened = number_of(answer, "Opened");
    tail->records = PK_NEW_ARRAY(arena, struct cmd_tail_record, tail->count);
    for (size_t i = 0; i < tail->count; i++, node = node->next)
        read_record(arena, node, &tail->records[i]);
}

enum pk_code cmd_tail_take(struct cmd_context *context, struct pk_arena *arena,
                           const struct cmd_tail_request *request, struct cmd_tail *tail,
                           struct pk_error *err)
{
    cJSON *body = cJSON_CreateObject();
    cJSON *answer = NULL;
    enum pk_code rc;

    *tail = (struct cmd_tail){0};
    if (request->table.len > 0)
        cmd_wire_set_text(body, "TableName", request->table);
    cmd_wire_set_int(body, "After", (int64_t)request->after);
    if (request->limit > 0)
        cmd_wire_set_int(body, "Limit", request->limit);
    if (request->newest)
        cmd_wire_set_bool(body, "Newest", true);
    if (request->back > 0)
        cmd_wire_set_int(body, "Back", request->back);
    rc = cmd_call(context, "Pksk.Tail", body, &answer, NULL, err);
    if (rc == PK_OK)
        read_tail(arena, answer, tail);
    cJSON_Delete(answer);
    cJSON_Delete(body);
    return rc;
}
