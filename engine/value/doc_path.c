/* Document paths: where they lead, and their two printed forms. */
#include "engine/item.h"

#include <inttypes.h>

pk_view pk_path_resolve(const struct pk_path *path, pk_view item)
{
    pk_view at = item;

    for (size_t i = 0; i < path->count && at.len != 0; i++) {
        const struct pk_path_step *step = &path->steps[i];
        if (step->name.data != NULL)
            at = pk_view_member(at, step->name);
        else
            at =
                step->index > SIZE_MAX ? PK_VIEW_MISSING : pk_view_element(at, (size_t)step->index);
    }
    return at;
}

static pk_slice to_arena(struct pk_buf *text, struct pk_arena *arena)
{
    pk_slice copy = pk_arena_dup(arena, pk_buf_slice(text));

    pk_buf_release(text);
    return copy;
}

pk_slice pk_path_print(const struct pk_path *path, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;

    pk_buf_add_byte(&out, '[');
    for (size_t i = 0; i < path->count; i++) {
        const struct pk_path_step *step = &path->steps[i];
        if (i > 0)
            pk_buf_add_cstr(&out, ", ");
        if (step->name.data != NULL)
            pk_buf_add(&out, step->name);
        else
            pk_buf_printf(&out, "[%" PRIu64 "]", step->index);
    }
    pk_buf_add_byte(&out, ']');
    return to_arena(&out, arena);
}

/* [A-Za-z_][A-Za-z0-9_]*: can be written without backticks as far as its spelling goes. */
static bool is_plain_name(pk_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.len > 0;
}

pk_slice pk_path_text(const struct pk_path *path, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;

    for (size_t i = 0; i < path->count; i++) {
        const struct pk_path_step *step = &path->steps[i];
        if (step->name.data == NULL) {
            pk_buf_printf(&out, "[%" PRIu64 "]", step->index);
            continue;
        }
        const char *quote = is_plain_name(step->name) ? "" : "`";
        pk_buf_add_cstr(&out, i > 0 ? "." : "");
        pk_buf_add_cstr(&out, quote);
        pk_buf_add(&out, step->name);
        pk_buf_add_cstr(&out, quote);
    }
    return to_arena(&out, arena);
}
