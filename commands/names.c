#include "commands/names.h"

#include <string.h>
#include <strings.h>

#include "commands/wire.h"

enum { SAMPLE_ITEMS = 500, NEAR_NAME_MAX = 32 };

static bool same_but_for_case(pk_slice a, pk_slice b)
{
    return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

/* Near: equal but for case, or one letter more, less or different. */
static bool near_name(pk_slice a, pk_slice b)
{
    size_t front = 0, back = 0;
    size_t shorter = a.len < b.len ? a.len : b.len;
    size_t longer = a.len < b.len ? b.len : a.len;

    if (same_but_for_case(a, b))
        return true;
    if (longer > NEAR_NAME_MAX || shorter < 3)
        return false;
    while (front < shorter && a.data[front] == b.data[front])
        front++;
    while (back < shorter - front && a.data[a.len - 1 - back] == b.data[b.len - 1 - back])
        back++;
    return front + back + 1 >= longer || (longer == shorter && front + back + 2 >= longer);
}

bool cmd_attribute_known(struct cmd_context *context, const struct pk_table *table, pk_slice name,
                         struct pk_arena *arena, pk_slice *nearest)
{
    struct cmd_sample sample;

    *nearest = (pk_slice){NULL, 0};
    if (pk_table_attribute_type(table, name) != PK_MISSING)
        return true;
    cmd_sample_items(context, table->name, pk_value_missing(), SAMPLE_ITEMS, arena, &sample);
    for (size_t i = 0; i < sample.count; i++) {
        if (pk_value_kind(pk_value_get(sample.items[i], name)) != PK_MISSING)
            return true;
        for (uint32_t m = 0; m < sample.items[i].len && nearest->data == NULL; m++) {
            if (near_name(sample.items[i].u.members[m].name, name))
                *nearest = sample.items[i].u.members[m].name;
        }
    }
    for (size_t i = 0; i < table->attribute_count && nearest->data == NULL; i++) {
        if (near_name(table->attributes[i].name, name))
            *nearest = table->attributes[i].name;
    }
    return sample.count == 0;
}

static pk_slice unknown_text(const struct cmd_mention *mention, pk_slice nearest,
                             struct pk_arena *arena)
{
    if (mention->right && mention->bare)
        return pk_arena_printf(arena, "no item has an attribute %.*s; a string is written '%.*s'",
                               PK_FMT(mention->name), PK_FMT(mention->name));
    if (nearest.data != NULL)
        return pk_arena_printf(arena, "no item has an attribute %.*s; there is %.*s",
                               PK_FMT(mention->name), PK_FMT(nearest));
    return pk_arena_printf(arena, "no item has an attribute %.*s", PK_FMT(mention->name));
}

/* An attribute compared with a value of a type that no item has in it: nothing can match. */
static bool other_type(struct cmd_context *context, const struct cmd_request *request,
                       const struct cmd_mention *mention, struct pk_arena *arena,
                       struct cmd_unknown *unknown)
{
    enum pk_kind type = PK_MISSING;
    struct cmd_sample sample;

    if (mention->span.len > mention->name.len + 2) /* a path leads elsewhere */
        return false;
    cmd_sample_items(context, request->target.table->name, pk_value_missing(), SAMPLE_ITEMS, arena,
                     &sample);
    for (size_t i = 0; i < sample.count; i++) {
        enum pk_kind found = pk_value_kind(pk_value_get(sample.items[i], mention->name));

        if (found == pk_value_kind(mention->value))
            return false;
        if (found != PK_MISSING)
            type = found;
    }
    if (type == PK_MISSING)
        return false;
    unknown->span = mention->literal;
    unknown->text = pk_arena_printf(arena, "%.*s is of type %s in the items, this is of type %s",
                                    PK_FMT(mention->name), pk_kind_tag(type),
                                    pk_kind_tag(pk_value_kind(mention->value)));
    return true;
}

void cmd_find_unknown(struct cmd_context *context, const struct cmd_request *request,
                      struct pk_arena *arena, struct cmd_unknown *unknown)
{
    const struct cmd_expression *filter = &request->expressions[PK_EXPR_FILTER];

    *unknown = (struct cmd_unknown){.span = {0, 0}};
    for (size_t i = 0; i < filter->mention_count; i++) {
        const struct cmd_mention *mention = &filter->mentions[i];
        pk_slice nearest;

        if (cmd_attribute_known(context, request->target.table, mention->name, arena, &nearest)) {
            if (mention->literal.len == 0 || !other_type(context, request, mention, arena, unknown))
                continue;
            return;
        }
        unknown->span = mention->span;
        unknown->text = unknown_text(mention, nearest, arena);
        return;
    }
    if (filter->text.len > 0 && filter->mention_count == 0) {
        unknown->span = request->condition;
        unknown->text = PK_LIT("no attribute is named here: a string stands in quotes, a name not");
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

bool cmd_hint_near_table(struct cmd_context *context, pk_slice name, struct pk_error *err)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *node;
    const char *nearest = NULL;
    bool exact = false;
    bool found;

    if (cmd_call(context, "ListTables", request, &answer, NULL, &ignored) == PK_OK) {
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "TableNames"))
        {
            if (nearest == NULL && cJSON_IsString(node) &&
                near_name(pk_slice_cstr(node->valuestring), name))
                nearest = node->valuestring;
            exact = exact || (cJSON_IsString(node) && pk_slice_is(name, node->valuestring));
        }
    }
    found = exact || nearest != NULL;
    if (exact)
        pk_error_hint(err, "table %.*s is being created or deleted; describe %.*s shows its state",
                      PK_FMT(name), PK_FMT(name));
    else if (found)
        pk_error_hint(err, "there is a table %s; tables lists them all", nearest);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    pk_error_release(&ignored);
    return found;
}

void cmd_hint_tables(struct cmd_context *context, pk_slice name, struct pk_error *err)
{
    if (!cmd_hint_near_table(context, name, err))
        pk_error_hint(err, "tables lists the tables there are");
}
