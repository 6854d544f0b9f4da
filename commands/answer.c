#include "commands/answer.h"

#include "commands/wire.h"

/* "com.amazon.coral.service#ThrottlingException:http://…" is ThrottlingException. */
static pk_slice type_name(pk_slice type)
{
    const char *hash = memrchr(type.data, '#', type.len);
    const char *colon;

    if (hash != NULL)
        type = pk_slice_skip(type, (size_t)(hash + 1 - type.data));
    colon = memchr(type.data, ':', type.len);
    return colon == NULL ? type : pk_slice_of(type.data, (size_t)(colon - type.data));
}

pk_slice cmd_answer_type(const struct cJSON *body)
{
    pk_slice type = cmd_wire_text(body, "__type");

    return type.len == 0 ? (pk_slice){NULL, 0} : type_name(type);
}

enum pk_code cmd_answer_code(pk_slice body)
{
    cJSON *tree = cmd_wire_parse(body);
    pk_slice type = cmd_answer_type(tree);
    enum pk_code code = type.len == 0 ? PK_OK : pk_code_named(type);

    if (type.len > 0 && code == PK_OK)
        code = PK_E_FOREIGN;
    cJSON_Delete(tree);
    return code;
}

bool cmd_answer_has(pk_slice body, const char *member)
{
    cJSON *tree = cmd_wire_parse(body);
    bool found = cJSON_GetObjectItemCaseSensitive(tree, member) != NULL;

    cJSON_Delete(tree);
    return found;
}
