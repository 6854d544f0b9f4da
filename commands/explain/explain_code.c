#include "commands/explain/explain_code.h"

#include "commands/language/lex.h"
#include "commands/wire.h"

bool explain_language_parse(pk_slice word, enum explain_language *language)
{
    static const char *const names[] = {"json", "boto3", "cli"};

    for (int i = 0; i < 3; i++) {
        if (cmd_word_is(word, names[i])) {
            *language = (enum explain_language)i;
            return true;
        }
    }
    return false;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* A word begins at a capital, but in a run of capitals only at the last: SSESpecification. */
void explain_add_words(struct pk_buf *out, pk_slice camel, char between)
{
    for (size_t i = 0; i < camel.len; i++) {
        char c = camel.data[i];
        bool starts = is_upper(c) && i > 0 &&
                      (!is_upper(camel.data[i - 1]) ||
                       (i + 1 < camel.len && camel.data[i + 1] >= 'a' && camel.data[i + 1] <= 'z'));

        if (starts)
            pk_buf_add_byte(out, (unsigned char)between);
        pk_buf_add_byte(out, (unsigned char)(is_upper(c) ? c + 32 : c));
    }
}

static void print_json(struct pk_buf *out, const struct cJSON *request)
{
    struct pk_buf flat = PK_BUF_INIT;

    cmd_wire_print(&flat, request);
    cmd_wire_pretty(out, pk_buf_slice(&flat));
    pk_buf_release(&flat);
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool needs_quotes(pk_slice text)
{
    static const char safe[] = "_./:=@%+-,";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || is_upper(c) || (c >= '0' && c <= '9');

        if (!letter && (c == '\0' || strchr(safe, c) == NULL))
            return true;
    }
    return text.len == 0;
}

/* For a POSIX shell: inside '…' nothing is special, and a quote ends, stands escaped, begins anew.
 */
static void add_argument(struct pk_buf *out, pk_slice text)
{
    if (!needs_quotes(text)) {
        pk_buf_add(out, text);
        return;
    }
    pk_buf_add_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'')
            pk_buf_add_cstr(out, "'\\''");
        else
            pk_buf_add_byte(out, (unsigned char)text.data[i]);
    }
    pk_buf_add_byte(out, '\'');
}

static void add_option(struct pk_buf *out, const struct cJSON *request, const struct cJSON *member)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add_cstr(out, cJSON_IsFalse(member) ? " \\\n    --no-" : " \\\n    --");
    explain_add_words(out, pk_slice_cstr(member->string), '-');
    if (!cJSON_IsBool(member)) {
        pk_buf_add_byte(out, ' ');
        if (cJSON_IsString(member)) {
            add_argument(out, cmd_wire_text(request, member->string));
        } else {
            cmd_wire_print(&text, member);
            add_argument(out, pk_buf_slice(&text));
        }
    }
    pk_buf_release(&text);
}

/* A typed binary: {"B": "…"} or {"BS": […]}. An attribute of that name holds an object. */
static bool has_binary(const struct cJSON *node)
{
    const struct cJSON *child;

    if (cJSON_IsObject(node) && node->child != NULL && node->child->next == NULL &&
        !cJSON_IsObject(node->child) &&
        (strcmp(node->child->string, "B") == 0 || strcmp(node->child->string, "BS") == 0))
        return true;
    cJSON_ArrayForEach(child, node)
    {
        if (has_binary(child))
            return true;
    }
    return false;
}

/* Version 2 reads binaries as base64 by default; version 1 would store the text, and refuses the
 * option instead. */
static void print_cli(struct pk_buf *out, const struct explain_code *code)
{
    const struct cJSON *member;

    pk_buf_add_cstr(out, "aws dynamodb ");
    explain_add_words(out, pk_slice_cstr(code->operation), '-');
    if (code->endpoint != NULL) {
        pk_buf_add_cstr(out, " \\\n    --endpoint-url ");
        add_argument(out, pk_slice_cstr(code->endpoint));
    }
    if (has_binary(code->request))
        pk_buf_add_cstr(out, " \\\n    --cli-binary-format base64");
    cJSON_ArrayForEach(member, code->request) add_option(out, code->request, member);
}

void explain_code_print(struct pk_buf *out, enum explain_language language,
                        const struct explain_code *code, struct pk_arena *arena)
{
    switch (language) {
    case EXPLAIN_JSON:
        print_json(out, code->request);
        return;
    case EXPLAIN_BOTO3:
        explain_python_print(out, code, arena);
        return;
    case EXPLAIN_CLI:
        print_cli(out, code);
        return;
    }
    pk_bug("no such language: %d", (int)language);
}
