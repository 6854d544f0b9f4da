/* Tags of a request (api_tags.h). Lengths are the constraint list's (api_shapes.c). */
#include "commands/api/api_tags.h"

#include <string.h>

#include "commands/api/api_check.h"
#include "commands/api/api_json.h"

#define INVALID "One or more parameter values were invalid: "

static bool is_tag_text(pk_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c >= 0x80; /* letters of all alphabets */

        if (!letter && (c == '\0' || strchr(" +-=._:/@", c) == NULL))
            return false;
    }
    return true;
}

static enum pk_code read_tag(struct pk_arena *arena, const struct cJSON *node, struct pk_tag *out,
                             struct pk_error *err)
{
    out->key = api_get_text(arena, node, "Key");
    out->value = api_get_text(arena, node, "Value");
    if (pk_slice_starts(out->key, PK_LIT("aws:")))
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID "Tag keys that begin with aws: are reserved: %.*s",
                       PK_FMT(out->key));
    if (!is_tag_text(out->key) || !is_tag_text(out->value))
        return pk_fail(err, PK_E_VALIDATION,
                       INVALID "Tag contains characters that are not allowed: %.*s",
                       PK_FMT(out->key));
    return PK_OK;
}

enum pk_code api_tags_read(struct pk_arena *arena, const struct cJSON *list,
                           const struct pk_tag **tags, size_t *count, struct pk_error *err)
{
    struct pk_tag *out = PK_NEW_ARRAY(arena, struct pk_tag, api_json_count(list));
    size_t n = 0;

    if (api_json_count(list) > PK_TAGS_MAX)
        return pk_fail(err, PK_E_VALIDATION, INVALID "Too many tags: a table has at most %d",
                       PK_TAGS_MAX);
    for (const struct cJSON *node = api_json_first(list); node != NULL;
         node = api_json_next(node)) {
        enum pk_code rc = read_tag(arena, node, &out[n++], err);

        if (rc != PK_OK)
            return rc;
    }
    *tags = out;
    *count = n;
    return PK_OK;
}
