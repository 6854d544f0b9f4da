#include "commands/transfer/transfer_define.h"

#include "commands/wire.h"

static cJSON *array_of(cJSON *object, const char *name)
{
    cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name);

    if (array == NULL) {
        array = cJSON_CreateArray();
        cmd_wire_set(object, name, array);
    }
    return array;
}

/* AttributeDefinitions lists an attribute once; two types for one name are left to the engine,
 * which says so. */
static void define(cJSON *create, const struct pk_key_attr *attribute)
{
    cJSON *list = array_of(create, "AttributeDefinitions");
    pk_slice type = pk_slice_cstr(pk_kind_tag(attribute->type));
    cJSON *node;

    cJSON_ArrayForEach(node, list)
    {
        if (pk_slice_equal(cmd_wire_text(node, "AttributeName"), attribute->name) &&
            pk_slice_equal(cmd_wire_text(node, "AttributeType"), type))
            return;
    }
    node = cJSON_CreateObject();
    cmd_wire_set_text(node, "AttributeName", attribute->name);
    cmd_wire_set_text(node, "AttributeType", type);
    cJSON_AddItemToArray(list, node);
}

static void add_key(cJSON *create, cJSON *object, const struct pk_key_attr *attribute,
                    const char *type)
{
    cJSON *node = cJSON_CreateObject();

    cmd_wire_set_text(node, "AttributeName", attribute->name);
    cmd_wire_set_text(node, "KeyType", pk_slice_cstr(type));
    cJSON_AddItemToArray(array_of(object, "KeySchema"), node);
    define(create, attribute);
}

static void add_keys(cJSON *create, cJSON *object, const struct pk_key_schema *key)
{
    for (size_t i = 0; i < key->hash_count; i++)
        add_key(create, object, &key->hash[i], "HASH");
    for (size_t i = 0; i < key->range_count; i++)
        add_key(create, object, &key->range[i], "RANGE");
}

struct cJSON *transfer_create_new(const struct pk_key_schema *key)
{
    cJSON *create = cJSON_CreateObject();

    add_keys(create, create, key);
    cmd_wire_set_text(create, "BillingMode", PK_LIT("PAY_PER_REQUEST"));
    return create;
}

struct cJSON *transfer_create_gsi(struct cJSON *create, pk_slice name,
                                  const struct pk_key_schema *key)
{
    cJSON *index = cJSON_CreateObject();

    cmd_wire_set_text(index, "IndexName", name);
    add_keys(create, index, key);
    cmd_wire_set_text(cmd_wire_object(index, "Projection"), "ProjectionType", PK_LIT("ALL"));
    cJSON_AddItemToArray(array_of(create, "GlobalSecondaryIndexes"), index);
    return index;
}
