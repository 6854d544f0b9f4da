#include "commands/transfer/yaml_tree.h"

#include <yaml.h>

#include "engine/base/map.h"

/* A template has at most 1 MB, says AWS; what generates one may be less strict.
 * Aliases are for scalars and small maps: what they add to a walk of the tree is bounded. */
enum {
    TEXT_MAX = 16 << 20,
    DEPTH_MAX = 64,
    ALIASES_MAX = 1000,
    ALIAS_BYTES_MAX = 1 << 20,
};

struct tree_reader {
    yaml_parser_t parser;
    pk_slice text;
    struct pk_arena *arena;
    struct pk_map anchors; /* name to pk_value* in the arena */
    size_t aliases, alias_bytes;
    unsigned depth;
    struct pk_error *err;
};

static enum pk_code read_node(struct tree_reader *reader, yaml_event_t *event, pk_value *out);

/* libyaml counts characters, we count bytes. */
static struct pk_span span_of(const struct tree_reader *reader, yaml_mark_t mark)
{
    pk_slice text = reader->text;
    size_t pos = 0;

    for (size_t line = 0; line < mark.line && pos < text.len; pos++)
        line += text.data[pos] == '\n';
    for (size_t i = 0; i < mark.column && pos < text.len; i++) {
        pos++;
        while (pos < text.len && ((unsigned char)text.data[pos] & 0xC0) == 0x80)
            pos++;
    }
    return (struct pk_span){(uint32_t)pos, 1};
}

static enum pk_code fail_at(struct tree_reader *reader, const yaml_event_t *event, const char *what)
{
    return pk_fail_at(reader->err, PK_E_USAGE, span_of(reader, event->start_mark), "%s", what);
}

static enum pk_code next_event(struct tree_reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return PK_OK;
    return pk_fail_at(reader->err, PK_E_USAGE, span_of(reader, reader->parser.problem_mark), "%s",
                      reader->parser.problem == NULL ? "this is not YAML" : reader->parser.problem);
}

static pk_slice copy(struct tree_reader *reader, const yaml_char_t *text, size_t len)
{
    return pk_arena_dup(reader->arena, pk_slice_of((const char *)text, len));
}

/* ---- tags ------------------------------------------------------------------------------------ */

static pk_value one_member(struct tree_reader *reader, pk_slice name, pk_value value)
{
    struct pk_member *member = PK_NEW(reader->arena, struct pk_member);

    *member = (struct pk_member){name, value};
    return pk_value_map(member, 1);
}

/* "A.B.C" is resource A, attribute B.C. */
static pk_value split_attribute(struct tree_reader *reader, pk_value value)
{
    pk_slice text = pk_value_bytes(value);
    const char *dot = text.len == 0 ? NULL : memchr(text.data, '.', text.len);
    pk_value *parts;

    if (dot == NULL)
        return value;
    parts = PK_NEW_ARRAY(reader->arena, pk_value, 2);
    parts[0] = pk_value_string(pk_slice_of(text.data, (size_t)(dot - text.data)));
    parts[1] = pk_value_string(pk_slice_skip(text, (size_t)(dot - text.data) + 1));
    return pk_value_list(parts, 2);
}

/* The value under its tag; tags of YAML itself ("tag:yaml.org,…") mean nothing here. */
static pk_value tagged(struct tree_reader *reader, const yaml_char_t *tag, pk_value value)
{
    pk_slice name = pk_slice_cstr((const char *)tag);

    if (name.len < 2 || name.data[0] != '!' || name.data[1] == '!')
        return value;
    name = pk_arena_dup(reader->arena, pk_slice_skip(name, 1));
    if (pk_slice_is(name, "Ref") || pk_slice_is(name, "Condition"))
        return one_member(reader, name, value);
    if (pk_slice_is(name, "GetAtt") && pk_value_kind(value) == PK_STRING)
        value = split_attribute(reader, value);
    return one_member(reader, pk_arena_printf(reader->arena, "Fn::%.*s", PK_FMT(name)), value);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void remember(struct tree_reader *reader, const yaml_char_t *anchor, pk_value value)
{
    pk_value *kept;

    if (anchor == NULL)
        return;
    kept = PK_NEW(reader->arena, pk_value);
    *kept = value;
    (void)pk_map_put(&reader->anchors, pk_slice_cstr((const char *)anchor), kept);
}

static enum pk_code read_alias(struct tree_reader *reader, const yaml_event_t *event, pk_value *out)
{
    const pk_value *kept =
        pk_map_get(&reader->anchors, pk_slice_cstr((const char *)event->data.alias.anchor));

    if (kept == NULL)
        return fail_at(reader, event, "an alias without its anchor");
    reader->alias_bytes += pk_value_size(*kept);
    if (++reader->aliases > ALIASES_MAX || reader->alias_bytes > ALIAS_BYTES_MAX ||
        pk_value_depth(*kept) + reader->depth > DEPTH_MAX)
        return fail_at(reader, event, "too many aliases");
    *out = *kept;
    return PK_OK;
}

static void read_scalar(struct tree_reader *reader, const yaml_event_t *event, pk_value *out)
{
    pk_slice text = copy(reader, event->data.scalar.value, event->data.scalar.length);
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    if (plain && (text.len == 0 || pk_slice_is(text, "~") || pk_slice_is(text, "null")))
        *out = pk_value_null();
    else
        *out = pk_value_string(text);
    if (event->data.scalar.tag != NULL)
        *out = tagged(reader, event->data.scalar.tag, *out);
    remember(reader, event->data.scalar.anchor, *out);
}

static enum pk_code read_sequence(struct tree_reader *reader, pk_value *out)
{
    struct pk_value_vec vec = {0};

    for (;;) {
        yaml_event_t event;
        pk_value value = pk_value_missing();
        enum pk_code rc = next_event(reader, &event);
        bool end;

        if (rc != PK_OK)
            return rc;
        end = event.type == YAML_SEQUENCE_END_EVENT;
        if (!end)
            rc = read_node(reader, &event, &value);
        yaml_event_delete(&event);
        if (rc != PK_OK)
            return rc;
        if (end)
            break;
        pk_value_vec_add(&vec, reader->arena, value);
    }
    *out = pk_value_list(vec.data, vec.len);
    return PK_OK;
}

/* A mapping being read. */
struct mapping {
    struct pk_member_vec members;
    struct pk_map names; /* of the members; the values say nothing */
    bool end;
};

/* One "name: value", or the end of the mapping. */
static enum pk_code read_member(struct tree_reader *reader, struct mapping *mapping)
{
    yaml_event_t event;
    pk_slice name;
    pk_value value;
    enum pk_code rc = next_event(reader, &event);

    if (rc != PK_OK)
        return rc;
    mapping->end = event.type == YAML_MAPPING_END_EVENT;
    if (mapping->end) {
        yaml_event_delete(&event);
        return PK_OK;
    }
    if (event.type != YAML_SCALAR_EVENT) {
        rc = fail_at(reader, &event, "a key that is no plain text");
        yaml_event_delete(&event);
        return rc;
    }
    name = copy(reader, event.data.scalar.value, event.data.scalar.length);
    if (pk_map_put(&mapping->names, name, reader) != NULL)
        rc = fail_at(reader, &event, "this name is there twice");
    yaml_event_delete(&event);
    if (rc == PK_OK)
        rc = next_event(reader, &event);
    if (rc != PK_OK)
        return rc;
    rc = read_node(reader, &event, &value);
    yaml_event_delete(&event);
    if (rc == PK_OK)
        pk_member_vec_add(&mapping->members, reader->arena, name, value);
    return rc;
}

static enum pk_code read_mapping(struct tree_reader *reader, pk_value *out)
{
    struct mapping mapping = {.end = false};
    enum pk_code rc = PK_OK;

    while (rc == PK_OK && !mapping.end)
        rc = read_member(reader, &mapping);
    pk_map_release(&mapping.names);
    *out = pk_value_map(mapping.members.data, mapping.members.len);
    return rc;
}

static enum pk_code read_container(struct tree_reader *reader, yaml_event_t *event, pk_value *out)
{
    bool sequence = event->type == YAML_SEQUENCE_START_EVENT;
    const yaml_char_t *tag =
        sequence ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    const yaml_char_t *anchor =
        sequence ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    enum pk_code rc;

    if (++reader->depth > DEPTH_MAX)
        return fail_at(reader, event, "nested too deep");
    rc = sequence ? read_sequence(reader, out) : read_mapping(reader, out);
    reader->depth--;
    if (rc != PK_OK)
        return rc;
    if (tag != NULL)
        *out = tagged(reader, tag, *out);
    remember(reader, anchor, *out);
    return PK_OK;
}

static enum pk_code read_node(struct tree_reader *reader, yaml_event_t *event, pk_value *out)
{
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, out);
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
        return read_container(reader, event, out);
    if (event->type != YAML_SCALAR_EVENT)
        return fail_at(reader, event, "expected a value");
    read_scalar(reader, event, out);
    return PK_OK;
}

enum pk_code yaml_tree_read(struct pk_arena *arena, pk_slice text, pk_value *root,
                            struct pk_error *err)
{
    struct tree_reader reader = {.text = text, .arena = arena, .err = err};
    bool found = false;
    enum pk_code rc = PK_OK;

    *root = pk_value_null();
    if (text.len > TEXT_MAX)
        return pk_fail_at(err, PK_E_USAGE, (struct pk_span){TEXT_MAX, 1},
                          "a template has at most %d MB", TEXT_MAX >> 20);
    if (!yaml_parser_initialize(&reader.parser))
        return pk_fail(err, PK_E_INTERNAL, "the YAML reader cannot be started");
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text.data, text.len);
    while (rc == PK_OK && !found) {
        yaml_event_t event;

        rc = next_event(&reader, &event);
        if (rc != PK_OK)
            break;
        if (event.type == YAML_STREAM_END_EVENT) {
            found = true;
        } else if (event.type != YAML_STREAM_START_EVENT &&
                   event.type != YAML_DOCUMENT_START_EVENT) {
            rc = read_node(&reader, &event, root);
            found = true;
        }
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&reader.parser);
    pk_map_release(&reader.anchors);
    return rc;
}
