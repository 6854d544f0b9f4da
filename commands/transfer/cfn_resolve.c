#include "commands/transfer/cfn_resolve.h"

#include "engine/base/buf.h"

/* REFERENCES_MAX ends what refers to itself twice at each level. */
enum { DEPTH_MAX = 128, REFERENCES_MAX = 10000, UNRESOLVED_MAX = 32 };

static pk_value member(pk_value map, const char *name)
{
    return pk_value_get(map, pk_slice_cstr(name));
}

static pk_value string_of(struct cfn_template *template, struct pk_buf *text)
{
    pk_value value = pk_value_string(pk_arena_dup(template->arena, pk_buf_slice(text)));

    pk_buf_release(text);
    return value;
}

/* ---- placeholders ---------------------------------------------------------------------------- */

static void note_unresolved(struct cfn_template *template, pk_slice what)
{
    if (template->unresolved == NULL)
        template->unresolved = PK_NEW_ARRAY(template->arena, pk_slice, UNRESOLVED_MAX);
    for (size_t i = 0; i < template->unresolved_count; i++) {
        if (pk_slice_equal(template->unresolved[i], what))
            return;
    }
    if (template->unresolved_count < UNRESOLVED_MAX)
        template->unresolved[template->unresolved_count++] = pk_arena_dup(template->arena, what);
}

/* "opt:stage" gives opt_stage: letters that table names have. */
static pk_value placeholder(struct cfn_template *template, pk_slice what)
{
    struct pk_buf text = PK_BUF_INIT;

    note_unresolved(template, what);
    for (size_t i = 0; i < what.len; i++) {
        unsigned char c = (unsigned char)what.data[i];
        bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        pk_buf_add_byte(&text, letter ? c : '_');
    }
    return string_of(template, &text);
}

/* ---- references ------------------------------------------------------------------------------ */

static const struct {
    const char *name, *value;
} pseudo[] = {
    {"AWS::Region", "us-east-1"}, {"AWS::AccountId", "000000000000"},
    {"AWS::Partition", "aws"},    {"AWS::URLSuffix", "amazonaws.com"},
    {"AWS::StackName", "local"},  {"AWS::StackId", "local"},
};

/* What a resource is referred to by: a table by its name. */
static pk_value resource_name(struct cfn_template *template, pk_slice id)
{
    pk_value resource = pk_value_get(template->resources, id);
    pk_value name = member(member(resource, "Properties"), "TableName");

    if (pk_value_kind(name) == PK_MISSING)
        return pk_value_string(id);
    return cfn_resolve(template, name);
}

static pk_value resolve_ref(struct cfn_template *template, pk_slice name)
{
    pk_value parameter = pk_value_get(template->parameters, name);
    pk_value value = member(parameter, "Default");

    template->references++;
    if (pk_slice_is(name, "AWS::NoValue"))
        return pk_value_missing();
    for (size_t i = 0; i < sizeof(pseudo) / sizeof(*pseudo); i++) {
        if (pk_slice_is(name, pseudo[i].name))
            return pk_value_string(pk_slice_cstr(pseudo[i].value));
    }
    if (pk_value_kind(value) != PK_MISSING)
        return value;
    if (pk_value_kind(pk_value_get(template->resources, name)) == PK_MAP)
        return resource_name(template, name);
    return placeholder(template, name);
}

/* ---- ${…} ------------------------------------------------------------------------------------ */

static pk_slice trim(pk_slice text)
{
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\'' || text.data[0] == '"'))
        text = pk_slice_skip(text, 1);
    while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\'' ||
                            text.data[text.len - 1] == '"'))
        text.len--;
    return text;
}

/* self:a.b.c in the file itself; missing when it leads nowhere. */
static pk_value lookup_self(struct cfn_template *template, pk_slice path)
{
    pk_value value = template->root;

    template->references++;
    while (path.len > 0 && pk_value_kind(value) == PK_MAP) {
        const char *dot = memchr(path.data, '.', path.len);
        size_t len = dot == NULL ? path.len : (size_t)(dot - path.data);

        value = pk_value_get(value, pk_slice_of(path.data, len));
        path = pk_slice_skip(path, dot == NULL ? len : len + 1);
    }
    return cfn_resolve(template, value);
}

/* A variable of the Serverless Framework: "source:address, default". */
static pk_value lookup_variable(struct cfn_template *template, pk_slice body)
{
    const char *comma = memchr(body.data, ',', body.len);
    pk_slice address =
        trim(comma == NULL ? body : pk_slice_of(body.data, (size_t)(comma - body.data)));
    pk_value value = pk_value_missing();

    if (pk_slice_starts(address, PK_LIT("self:")))
        value = lookup_self(template, pk_slice_skip(address, 5));
    if (pk_value_kind(value) == PK_STRING || pk_value_kind(value) == PK_NUMBER)
        return value;
    if (comma != NULL)
        return pk_value_string(trim(pk_slice_skip(body, (size_t)(comma - body.data) + 1)));
    return placeholder(template, address);
}

/* The value of ${body}; variables: of the Fn::Sub, or missing. */
static pk_value lookup(struct cfn_template *template, pk_slice body, pk_value variables)
{
    pk_value value = pk_value_get(variables, body);
    bool pseudo_name = pk_slice_starts(body, PK_LIT("AWS::"));

    if (pk_value_kind(value) != PK_MISSING)
        return cfn_resolve(template, value);
    if (!pseudo_name && body.len > 0 && memchr(body.data, ':', body.len) != NULL)
        return lookup_variable(template, body);
    if (!pseudo_name && body.len > 0 && memchr(body.data, '.', body.len) != NULL)
        return placeholder(template, body);
    return resolve_ref(template, body);
}

static void add_text(struct pk_buf *out, pk_value value)
{
    char digits[PK_NUM_TEXT_MAX];
    struct pk_num num;

    if (pk_value_kind(value) == PK_STRING)
        pk_buf_add(out, pk_value_bytes(value));
    if (pk_value_kind(value) == PK_BOOL)
        pk_buf_add_cstr(out, value.boolean != 0 ? "true" : "false");
    if (pk_value_kind(value) != PK_NUMBER)
        return;
    num = pk_value_num(value);
    pk_buf_add(out, pk_slice_of(digits, pk_num_format(&num, digits)));
}

/* Text with ${…} replaced; ${!x} is ${x} itself. */
static pk_value substitute(struct cfn_template *template, pk_slice text, pk_value variables)
{
    struct pk_buf out = PK_BUF_INIT;

    while (text.len > 0) {
        const char *open = memmem(text.data, text.len, "${", 2);
        const char *close =
            open == NULL ? NULL : memchr(open, '}', text.len - (size_t)(open - text.data));
        pk_slice body;

        if (open == NULL || close == NULL)
            break;
        pk_buf_add(&out, pk_slice_of(text.data, (size_t)(open - text.data)));
        body = pk_slice_of(open + 2, (size_t)(close - open) - 2);
        if (pk_slice_starts(body, PK_LIT("!")))
            pk_buf_printf(&out, "${%.*s}", PK_FMT(pk_slice_skip(body, 1)));
        else
            add_text(&out, lookup(template, trim(body), variables));
        text = pk_slice_skip(text, (size_t)(close - text.data) + 1);
    }
    pk_buf_add(&out, text);
    return string_of(template, &out);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool is_true(struct cfn_template *template, pk_value condition);

static bool texts_equal(struct cfn_template *template, pk_value pair)
{
    if (pk_value_kind(pair) != PK_LIST || pair.len != 2)
        return false;
    return pk_slice_equal(cfn_text(template, pair.u.items[0], PK_LIT("")),
                          cfn_text(template, pair.u.items[1], PK_LIT("")));
}

static bool count_true(struct cfn_template *template, pk_value list, uint32_t *count)
{
    *count = 0;
    if (pk_value_kind(list) != PK_LIST)
        return false;
    for (uint32_t i = 0; i < list.len; i++)
        *count += is_true(template, list.u.items[i]);
    return true;
}

static bool named_condition(struct cfn_template *template, pk_value name)
{
    if (pk_value_kind(name) != PK_STRING)
        return false;
    return is_true(template, pk_value_get(template->conditions, pk_value_bytes(name)));
}

static bool is_true(struct cfn_template *template, pk_value condition)
{
    pk_value equals = member(condition, "Fn::Equals");
    uint32_t count;
    bool answer = false;

    if (++template->depth > DEPTH_MAX) {
        template->depth--;
        return false;
    }
    if (pk_value_kind(equals) != PK_MISSING)
        answer = texts_equal(template, equals);
    else if (count_true(template, member(condition, "Fn::Not"), &count))
        answer = count == 0;
    else if (count_true(template, member(condition, "Fn::And"), &count))
        answer = count == member(condition, "Fn::And").len;
    else if (count_true(template, member(condition, "Fn::Or"), &count))
        answer = count > 0;
    else
        answer = named_condition(template, member(condition, "Condition"));
    template->depth--;
    return answer;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The list's element, missing when there is none. */
static pk_value element(pk_value list, uint32_t i)
{
    return pk_value_kind(list) == PK_LIST && i < list.len ? list.u.items[i] : pk_value_missing();
}

static pk_value fn_sub(struct cfn_template *template, pk_value argument)
{
    pk_value text = pk_value_kind(argument) == PK_LIST ? element(argument, 0) : argument;

    if (pk_value_kind(text) != PK_STRING)
        return placeholder(template, PK_LIT("Sub"));
    return substitute(template, pk_value_bytes(text), element(argument, 1));
}

static pk_value fn_join(struct cfn_template *template, pk_value argument)
{
    pk_value list = cfn_resolve(template, element(argument, 1));
    struct pk_buf out = PK_BUF_INIT;

    if (pk_value_kind(list) != PK_LIST)
        return placeholder(template, PK_LIT("Join"));
    for (uint32_t i = 0; i < list.len; i++) {
        if (i > 0)
            add_text(&out, element(argument, 0));
        add_text(&out, list.u.items[i]);
    }
    return string_of(template, &out);
}

static pk_value fn_get_att(struct cfn_template *template, pk_value argument)
{
    pk_slice resource = pk_value_kind(argument) == PK_STRING
                            ? pk_value_bytes(argument)
                            : cfn_text(template, element(argument, 0), PK_LIT("GetAtt"));
    pk_slice attribute = cfn_text(template, element(argument, 1), PK_LIT(""));

    return placeholder(template, attribute.len == 0
                                     ? resource
                                     : pk_arena_printf(template->arena, "%.*s.%.*s",
                                                       PK_FMT(resource), PK_FMT(attribute)));
}

static pk_value fn_if(struct cfn_template *template, pk_value argument)
{
    return cfn_resolve(template,
                       element(argument, named_condition(template, element(argument, 0)) ? 1 : 2));
}

static pk_value fn_find_in_map(struct cfn_template *template, pk_value argument)
{
    pk_value value = template->mappings;

    for (uint32_t i = 0; i < 3; i++)
        value = pk_value_get(value, cfn_text(template, element(argument, i), PK_LIT("")));
    if (pk_value_kind(value) == PK_MISSING)
        return placeholder(template, PK_LIT("FindInMap"));
    return cfn_resolve(template, value);
}

static pk_value fn_select(struct cfn_template *template, pk_value argument)
{
    pk_slice index = cfn_text(template, element(argument, 0), PK_LIT(""));
    pk_value list = cfn_resolve(template, element(argument, 1));
    pk_value value = pk_value_missing();

    if (index.len == 1 && index.data[0] >= '0' && index.data[0] <= '9')
        value = element(list, (uint32_t)(index.data[0] - '0'));
    return pk_value_kind(value) == PK_MISSING ? placeholder(template, PK_LIT("Select")) : value;
}

static const struct {
    const char *name;
    pk_value (*run)(struct cfn_template *template, pk_value argument);
} functions[] = {
    {"Fn::Sub", fn_sub},
    {"Fn::Join", fn_join},
    {"Fn::GetAtt", fn_get_att},
    {"Fn::If", fn_if},
    {"Fn::FindInMap", fn_find_in_map},
    {"Fn::Select", fn_select},
};

static pk_value resolve_function(struct cfn_template *template, const struct pk_member *function)
{
    if (pk_slice_is(function->name, "Ref"))
        return resolve_ref(template, cfn_text(template, function->value, PK_LIT("Ref")));
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (pk_slice_is(function->name, functions[i].name))
            return functions[i].run(template, function->value);
    }
    return placeholder(template, function->name);
}

static bool is_function(pk_value value)
{
    return value.len == 1 && (pk_slice_is(value.u.members[0].name, "Ref") ||
                              pk_slice_starts(value.u.members[0].name, PK_LIT("Fn::")));
}

static pk_value resolve_list(struct cfn_template *template, pk_value list)
{
    struct pk_value_vec vec = {0};

    for (uint32_t i = 0; i < list.len; i++) {
        pk_value value = cfn_resolve(template, list.u.items[i]);

        if (pk_value_kind(value) != PK_MISSING)
            pk_value_vec_add(&vec, template->arena, value);
    }
    return pk_value_list(vec.data, vec.len);
}

static pk_value resolve_map(struct cfn_template *template, pk_value map)
{
    struct pk_member_vec vec = {0};

    for (uint32_t i = 0; i < map.len; i++) {
        pk_value value = cfn_resolve(template, map.u.members[i].value);

        if (pk_value_kind(value) != PK_MISSING)
            pk_member_vec_add(&vec, template->arena, map.u.members[i].name, value);
    }
    return pk_value_map(vec.data, vec.len);
}

pk_value cfn_resolve(struct cfn_template *template, pk_value value)
{
    pk_value out = value;

    if (++template->depth > DEPTH_MAX || template->references > REFERENCES_MAX)
        out = placeholder(template, PK_LIT("circular reference"));
    else if (pk_value_kind(value) == PK_LIST)
        out = resolve_list(template, value);
    else if (pk_value_kind(value) == PK_MAP && is_function(value))
        out = resolve_function(template, &value.u.members[0]);
    else if (pk_value_kind(value) == PK_MAP)
        out = resolve_map(template, value);
    else if (pk_value_kind(value) == PK_STRING && value.len > 0 &&
             memmem(value.u.bytes, value.len, "${", 2) != NULL)
        out = substitute(template, pk_value_bytes(value), pk_value_missing());
    template->depth--;
    return out;
}

pk_slice cfn_text(struct cfn_template *template, pk_value value, pk_slice other)
{
    pk_value resolved = cfn_resolve(template, value);
    struct pk_buf out = PK_BUF_INIT;

    if (pk_value_kind(resolved) == PK_STRING)
        return pk_value_bytes(resolved);
    if (pk_value_kind(resolved) != PK_NUMBER && pk_value_kind(resolved) != PK_BOOL)
        return other;
    add_text(&out, resolved);
    return pk_value_bytes(string_of(template, &out));
}
