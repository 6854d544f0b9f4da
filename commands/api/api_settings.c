/*
 * Settings of the simulation: an operation of ours.
 *
 *   Pksk.Settings  {Set?: {name: number text}} → Settings [{Name, Value, Default, Max, Kind}]
 *
 * Numbers are text, because a JSON number would lose digits of a seed. Set changes all that are
 * named, or none.
 */
#include <string.h>

#include "commands/api/api.h"
#include "commands/api/api_json.h"
#include "commands/api/json_out.h"

static uint64_t *member_of(struct pk_sim_settings *settings, const struct pk_sim_field *field)
{
    return (uint64_t *)(void *)((char *)settings + field->offset);
}

static const struct pk_sim_field *find_field(pk_slice name)
{
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        if (pk_slice_is(name, field->name))
            return field;
    }
    return NULL;
}

static bool read_number(pk_slice text, uint64_t *number)
{
    *number = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        *number = *number * 10 + (uint64_t)(text.data[i] - '0');
    }
    return true;
}

static enum pk_code read_set(struct pk_arena *arena, const struct cJSON *set,
                             struct pk_sim_settings *settings, struct pk_error *err)
{
    for (const struct cJSON *node = api_json_first(set); node != NULL; node = api_json_next(node)) {
        pk_slice name = api_json_name(arena, node);
        const struct pk_sim_field *field = find_field(name);
        uint64_t number;

        if (field == NULL)
            return pk_fail(err, PK_E_USAGE, "no setting of the simulation is called '%.*s'",
                           PK_FMT(name));
        if (!read_number(api_json_text(arena, node), &number))
            return pk_fail(err, PK_E_USAGE, "%s is a whole number up to %llu", field->name,
                           (unsigned long long)field->max);
        *member_of(settings, field) = number;
    }
    return PK_OK;
}

static void add_number(struct pk_buf *out, const char *name, uint64_t number)
{
    json_out_member(out, name);
    pk_buf_printf(out, "\"%llu\"", (unsigned long long)number);
}

static const char *kind_name(enum pk_sim_kind kind)
{
    switch (kind) {
    case PK_SIM_COUNT:
        break;
    case PK_SIM_BYTES:
        return "BYTES";
    case PK_SIM_DURATION:
        return "MILLISECONDS";
    }
    return "COUNT";
}

static void add_settings(struct pk_buf *out, struct pk_sim_settings *settings)
{
    struct pk_sim_settings initial = pk_sim_settings_aws();

    json_out_member(out, "Settings");
    pk_buf_add_byte(out, '[');
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        json_out_element(out);
        pk_buf_add_byte(out, '{');
        json_out_member_text(out, "Name", pk_slice_cstr(field->name));
        add_number(out, "Value", *member_of(settings, field));
        add_number(out, "Default", *member_of(&initial, field));
        add_number(out, "Max", field->max);
        json_out_member_text(out, "Kind", pk_slice_cstr(kind_name(field->kind)));
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

enum pk_code api_pksk_settings(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    const struct cJSON *set = api_json_member(request, "Set");
    struct pk_sim_settings settings;
    enum pk_code rc = PK_OK;

    pk_engine_settings(call->engine, &settings);
    if (set != NULL) {
        rc = read_set(call->call.arena, set, &settings, err);
        if (rc == PK_OK)
            rc = pk_engine_set_settings(call->engine, &settings, err);
    }
    if (rc == PK_OK)
        add_settings(out, &settings);
    return rc;
}
