/* See the header. */
#include "commands/changes.h"

#include "commands/result.h"

enum { VALUE_MAX = 40 };

/* Cut where a character begins. */
static void add_value(struct pk_buf *out, pk_value value)
{
    struct pk_buf text = PK_BUF_INIT;
    size_t len;

    if (pk_value_kind(value) == PK_MISSING) {
        pk_buf_add_cstr(out, "–");
        return;
    }
    cmd_value_text(&text, value);
    len = text.len;
    if (len > VALUE_MAX) {
        len = VALUE_MAX;
        while (len > 0 && ((unsigned char)text.data[len] & 0xc0) == 0x80)
            len--;
    }
    pk_buf_add(out, pk_slice_of(text.data, len));
    if (len < text.len)
        pk_buf_add_cstr(out, "…");
    pk_buf_release(&text);
}

struct diff {
    struct pk_buf *out;
    const struct cmd_changes *changes;
    bool any;
};

static void add_difference(struct diff *diff, pk_slice name, pk_value before, pk_value after)
{
    if (diff->changes->skip(diff->changes->context, name) || pk_value_equal(before, after))
        return;
    pk_buf_add_cstr(diff->out, diff->any ? " · " : diff->changes->first);
    diff->any = true;
    pk_buf_add(diff->out, name);
    pk_buf_add_byte(diff->out, ' ');
    add_value(diff->out, before);
    pk_buf_add_cstr(diff->out, " → ");
    add_value(diff->out, after);
}

/* Both maps are in the order of their names. */
void cmd_changes_add(struct pk_buf *out, const struct cmd_changes *changes)
{
    struct diff diff = {out, changes, false};
    pk_value before = changes->before;
    pk_value after = changes->after;
    size_t i = 0;
    size_t k = 0;

    while (i < before.len || k < after.len) {
        int order = i == before.len ? 1 : -1;

        if (i < before.len && k < after.len)
            order = pk_slice_compare(before.u.members[i].name, after.u.members[k].name);
        if (order == 0) {
            add_difference(&diff, before.u.members[i].name, before.u.members[i].value,
                           after.u.members[k].value);
            i++;
            k++;
        } else if (order < 0) {
            add_difference(&diff, before.u.members[i].name, before.u.members[i].value,
                           pk_value_missing());
            i++;
        } else {
            add_difference(&diff, after.u.members[k].name, pk_value_missing(),
                           after.u.members[k].value);
            k++;
        }
    }
}
