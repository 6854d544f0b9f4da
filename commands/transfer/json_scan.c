#include "commands/transfer/json_scan.h"

size_t json_scan_blanks(pk_slice text, size_t pos)
{
    while (pos < text.len && text.data[pos] != '\0' && strchr(" \t\r\n", text.data[pos]) != NULL)
        pos++;
    return pos;
}

/* Behind the string that begins at pos. */
static size_t scan_string(pk_slice text, size_t pos)
{
    for (pos++; pos < text.len; pos++) {
        if (text.data[pos] == '\\')
            pos++;
        else if (text.data[pos] == '"')
            return pos + 1;
    }
    return text.len;
}

static size_t scan_word(pk_slice text, size_t pos)
{
    while (pos < text.len && text.data[pos] != '\0' &&
           strchr(" \t\r\n,:{}[]\"", text.data[pos]) == NULL)
        pos++;
    return pos;
}

size_t json_scan_value(pk_slice text, size_t pos)
{
    size_t depth = 0;

    pos = json_scan_blanks(text, pos);
    while (pos < text.len) {
        char c = text.data[pos];

        if (c == '"') {
            pos = scan_string(text, pos);
        } else if (c == '{' || c == '[') {
            depth++;
            pos++;
        } else if (c == '}' || c == ']') {
            pos++;
            if (depth <= 1)
                return pos;
            depth--;
        } else {
            size_t end = scan_word(text, pos);

            pos = end > pos ? end : pos + 1;
        }
        if (depth == 0)
            return pos;
    }
    return text.len;
}

bool json_walk_open(struct json_walk *walk, pk_slice text, size_t pos)
{
    pos = json_scan_blanks(text, pos);
    if (pos >= text.len || (text.data[pos] != '{' && text.data[pos] != '['))
        return false;
    *walk = (struct json_walk){
        .text = text,
        .pos = pos + 1,
        .object = text.data[pos] == '{',
        .first = true,
    };
    return true;
}

static bool at(const struct json_walk *walk, char c)
{
    return walk->pos < walk->text.len && walk->text.data[walk->pos] == c;
}

static bool take_name(struct json_walk *walk, pk_slice *name)
{
    size_t start = walk->pos;

    if (!at(walk, '"'))
        return false;
    walk->pos = scan_string(walk->text, start);
    if (walk->pos - start < 2)
        return false;
    *name = pk_slice_of(walk->text.data + start + 1, walk->pos - start - 2);
    walk->pos = json_scan_blanks(walk->text, walk->pos);
    if (!at(walk, ':'))
        return false;
    walk->pos = json_scan_blanks(walk->text, walk->pos + 1);
    return true;
}

static bool fail_walk(struct json_walk *walk)
{
    walk->broken = true;
    return false;
}

bool json_walk_next(struct json_walk *walk, pk_slice *name, size_t *value)
{
    pk_slice ignored;

    walk->pos = json_scan_blanks(walk->text, walk->pos);
    if (at(walk, walk->object ? '}' : ']')) {
        walk->pos++;
        return false;
    }
    if (!walk->first) {
        if (!at(walk, ','))
            return fail_walk(walk);
        walk->pos = json_scan_blanks(walk->text, walk->pos + 1);
    }
    walk->first = false;
    if (walk->object && !take_name(walk, name == NULL ? &ignored : name))
        return fail_walk(walk);
    if (walk->pos >= walk->text.len)
        return fail_walk(walk);
    *value = walk->pos;
    walk->pos = json_scan_value(walk->text, walk->pos);
    return true;
}

bool json_scan_member(pk_slice text, size_t pos, const char *name, size_t *value)
{
    struct json_walk walk;
    pk_slice member = {NULL, 0};
    size_t at;

    if (!json_walk_open(&walk, text, pos) || !walk.object)
        return false;
    while (json_walk_next(&walk, &member, &at)) {
        if (pk_slice_is(member, name)) {
            *value = at;
            return true;
        }
    }
    return false;
}
