/*
 * Settings of the simulation: an operation of ours.
 *
 *   Pksk.Settings  {Profile?: "aws" | "workshop", Set?: {name: text}}
 *   → Settings [{Name, Value, Default, Max, Kind, Words?}]
 *
 * Values are text: a number, because a JSON number would lose digits of a seed, or one of Words.
 * Profile sets all but the seed at once, then Set what it names; all or none of it.
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

static bool read_word(pk_slice text, const struct pk_sim_field *field, uint64_t *number)
{
    for (uint64_t i = 0; i <= field->max; i++) {
        if (pk_slice_is(text, field->words[i])) {
            *number = i;
            return true;
        }
    }
    return false;
}

static enum pk_code read_value(pk_slice text, const struct pk_sim_field *field, uint64_t *number,
                               struct pk_error *err)
{
    if (field->kind == PK_SIM_WORD) {
        if (read_word(text, field, number))
            return PK_OK;
        return pk_fail(err, PK_E_USAGE, "'%.*s' is no value for %s", PK_FMT(text), field->name);
    }
    if (read_number(text, number))
        return PK_OK;
    return pk_fail(err, PK_E_USAGE, "%s is a whole number up to %llu", field->name,
                   (unsigned long long)field->max);
}

static enum pk_code read_set(struct pk_arena *arena, const struct cJSON *set,
                             struct pk_sim_settings *settings, struct pk_error *err)
{
    for (const struct cJSON *node = api_json_first(set); node != NULL; node = api_json_next(node)) {
        pk_slice name = api_json_name(arena, node);
        const struct pk_sim_field *field = find_field(name);
        uint64_t number = 0;
        enum pk_code rc;

        if (field == NULL)
            return pk_fail(err, PK_E_USAGE, "no setting of the simulation is called '%.*s'",
                           PK_FMT(name));
        rc = read_value(api_json_text(arena, node), field, &number, err);
        if (rc != PK_OK)
            return rc;
        *member_of(settings, field) = number;
    }
    return PK_OK;
}

static enum pk_code read_profile(pk_slice name, struct pk_sim_settings *settings,
                                 struct pk_error *err)
{
    uint64_t seed = settings->seed;

    if (pk_slice_is(name, "aws"))
        *settings = pk_sim_settings_aws();
    else if (pk_slice_is(name, "workshop"))
        *settings = pk_sim_settings_workshop();
    else
        return pk_fail(err, PK_E_USAGE, "the profiles are aws and workshop");
    settings->seed = seed;
    return PK_OK;
}

static void add_value(struct pk_buf *out, const char *name, const struct pk_sim_field *field,
                      uint64_t value)
{
    json_out_member(out, name);
    if (field->kind == PK_SIM_WORD)
        json_out_cstr(out, field->words[value]);
    else
        pk_buf_printf(out, "\"%llu\"", (unsigned long long)value);
}

static void add_words(struct pk_buf *out, const struct pk_sim_field *field)
{
    if (field->kind != PK_SIM_WORD)
        return;
    json_out_member(out, "Words");
    pk_buf_add_byte(out, '[');
    for (uint64_t i = 0; i <= field->max; i++) {
        json_out_element(out);
        json_out_cstr(out, field->words[i]);
    }
    pk_buf_add_byte(out, ']');
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
    case PK_SIM_SHARE:
        return "THOUSANDTHS";
    case PK_SIM_WORD:
        return "WORD";
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
        add_value(out, "Value", field, *member_of(settings, field));
        add_value(out, "Default", field, *member_of(&initial, field));
        json_out_member(out, "Max");
        pk_buf_printf(out, "\"%llu\"", (unsigned long long)field->max);
        json_out_member_text(out, "Kind", pk_slice_cstr(kind_name(field->kind)));
        add_words(out, field);
        pk_buf_add_byte(out, '}');
    }
    pk_buf_add_byte(out, ']');
}

enum pk_code api_pksk_settings(struct api_call *call, const struct cJSON *request,
                               struct pk_buf *out, struct pk_error *err)
{
    struct pk_arena *arena = call->call.arena;
    const struct cJSON *set = api_json_member(request, "Set");
    const struct cJSON *profile = api_json_member(request, "Profile");
    struct pk_sim_settings settings;
    enum pk_code rc = PK_OK;

    pk_engine_settings(call->engine, &settings);
    if (profile != NULL)
        rc = read_profile(api_json_text(arena, profile), &settings, err);
    if (rc == PK_OK && set != NULL)
        rc = read_set(arena, set, &settings, err);
    if (rc == PK_OK && (set != NULL || profile != NULL))
        rc = pk_engine_set_settings(call->engine, &settings, err);
    if (rc == PK_OK)
        add_settings(out, &settings);
    return rc;
}
