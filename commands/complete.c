/*
 * Candidates for the word being typed. What stands before it decides: commands at the start, then
 * tables, indexes, attributes, keys. Key values and attributes come from a bounded sample, on the
 * embedded engine and a local pksk only: elsewhere reading costs money, or time.
 */
#include <strings.h>

#include "commands/entries.h"
#include "commands/language/lex.h"
#include "commands/registry.h"
#include "commands/schema.h"
#include "commands/wire.h"

enum { SAMPLE_ITEMS = 200, CANDIDATES_MAX = 500, KEY_CANDIDATES_MAX = 50 };

static pk_slice typed_word(const struct cmd_completion *c)
{
    return pk_slice_of(c->line.data + c->start, c->cursor - c->start);
}

/* Candidates that do not begin as the word does, or are there already, are dropped. */
void cmd_completion_add(struct cmd_completion *completion, pk_slice candidate)
{
    pk_slice word = typed_word(completion);

    if (candidate.len < word.len || completion->count >= CANDIDATES_MAX ||
        (word.len > 0 && strncasecmp(candidate.data, word.data, word.len) != 0))
        return;
    for (size_t i = 0; i < completion->count; i++) {
        if (pk_slice_equal(completion->candidates[i], candidate))
            return;
    }
    if (completion->count == completion->cap) {
        size_t cap = completion->cap == 0 ? 16 : completion->cap * 2;
        pk_slice *grown = PK_NEW_ARRAY(completion->arena, pk_slice, cap);

        if (completion->count > 0)
            memcpy(grown, completion->candidates, completion->count * sizeof(*grown));
        completion->candidates = grown;
        completion->cap = cap;
    }
    completion->candidates[completion->count++] = pk_arena_dup(completion->arena, candidate);
}

static void add_words(struct cmd_completion *completion, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        cmd_completion_add(completion, pk_slice_cstr(words[i]));
}

/* ---- where the statement begins ---------------------------------------------------------------
 */

/* The unfinished statement before the word. */
static pk_slice statement_before(struct cmd_context *context, const struct cmd_completion *c)
{
    pk_slice text = pk_slice_of(c->line.data, c->start);
    struct cmd_split split;

    while (cmd_split_next(context, text, false, &split) == CMD_SPLIT_COMPLETE)
        text = pk_slice_skip(text, split.end);
    return pk_slice_skip(text, cmd_skip_blanks(text, 0));
}

/* The last word of the text, quotes and all. */
static pk_slice last_word(pk_slice text)
{
    size_t end = text.len, start;

    while (end > 0 && strchr(" \t\r\n", text.data[end - 1]) != NULL)
        end--;
    start = end;
    while (start > 0 && strchr(" \t\r\n", text.data[start - 1]) == NULL)
        start--;
    return pk_slice_of(text.data + start, end - start);
}

/* The table the statement names by from or into, else the current one; NULL when there is none. */
static const struct pk_table *table_of(struct cmd_context *context, pk_slice before)
{
    struct pk_error ignored = PK_ERROR_INIT;
    const struct pk_table *table = NULL;
    pk_slice name = {NULL, 0};

    for (size_t pos = 0; pos < before.len;) {
        pk_slice word;

        pos = cmd_skip_blanks(before, pos);
        word = cmd_word_at(before, pos);
        pos += word.len == 0 ? 1 : word.len;
        if (cmd_word_is(word, "from") || cmd_word_is(word, "into"))
            name = cmd_word_at(before, cmd_skip_blanks(before, pos));
    }
    if (name.len == 0)
        name = pk_slice_cstr(cmd_current_table(context));
    if (name.len == 0 || cmd_schema_get(context, name, &table, &ignored) != PK_OK)
        table = NULL;
    pk_error_release(&ignored);
    return table;
}

/* ---- tables and indexes -----------------------------------------------------------------------
 */

void cmd_complete_table(struct cmd_context *context, struct cmd_completion *completion)
{
    struct pk_error ignored = PK_ERROR_INIT;
    cJSON *request = cJSON_CreateObject();
    cJSON *answer = NULL;
    const cJSON *node;

    if (cmd_call(context, "ListTables", request, &answer, NULL, &ignored) == PK_OK) {
        cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(answer, "TableNames"))
        {
            if (cJSON_IsString(node))
                cmd_completion_add(completion, pk_slice_cstr(node->valuestring));
        }
    }
    cJSON_Delete(answer);
    cJSON_Delete(request);
    pk_error_release(&ignored);
}

static void add_indexes(const struct pk_table *table, struct cmd_completion *completion)
{
    for (size_t i = 0; table != NULL && i < table->index_count; i++)
        cmd_completion_add(completion, table->indexes[i].name);
}

void cmd_complete_target(struct cmd_context *context, struct cmd_completion *completion)
{
    cmd_complete_table(context, completion);
    add_indexes(table_of(context, (pk_slice){NULL, 0}), completion);
}

/* ---- attributes and keys ----------------------------------------------------------------------
 */

/* An attribute's name as it is typed. */
static pk_slice attribute_text(pk_slice name, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    if (cmd_is_name(name))
        return name;
    cmd_quote_name(&out, name);
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

static void add_attributes(struct cmd_context *context, const struct pk_table *table,
                           struct cmd_completion *completion)
{
    struct cmd_sample sample;

    if (table == NULL)
        return;
    for (size_t i = 0; i < table->attribute_count; i++)
        cmd_completion_add(completion, table->attributes[i].name);
    cmd_sample_items(context, table->name, pk_value_missing(), SAMPLE_ITEMS, completion->arena,
                     &sample);
    for (size_t i = 0; i < sample.count; i++) {
        for (uint32_t m = 0; m < sample.items[i].len; m++) {
            pk_slice name = sample.items[i].u.members[m].name;

            cmd_completion_add(completion, attribute_text(name, completion->arena));
        }
    }
}

static pk_slice key_text(pk_value value, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    pk_slice text;

    cmd_key_value_text(&out, value);
    text = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return text;
}

/* Values of the partition key, or of the sort key below the one that is given. */
static void add_keys(struct cmd_context *context, const struct pk_table *table, pk_slice hash_word,
                     struct cmd_completion *completion)
{
    pk_value hash = pk_value_missing();
    pk_slice name = table->key.hash[0].name;
    struct cmd_sample sample;

    if (hash_word.len > 0) {
        if (table->key.range_count == 0 || table->key.hash[0].type != PK_STRING)
            return;
        hash = pk_value_string(hash_word);
        name = table->key.range[0].name;
    }
    cmd_sample_items(context, table->name, hash, SAMPLE_ITEMS, completion->arena, &sample);
    for (size_t i = 0; i < sample.count && completion->count < KEY_CANDIDATES_MAX; i++)
        cmd_completion_add(completion,
                           key_text(pk_value_get(sample.items[i], name), completion->arena));
}

/* ---- data commands ----------------------------------------------------------------------------
 */

static bool expects_attribute(pk_slice word)
{
    static const char *const words[] = {"where",  "if",  "select", "set", "remove", "add",
                                        "delete", "and", "or",     "not", NULL};
    char last = word.len > 0 ? word.data[word.len - 1] : '\0';

    for (size_t i = 0; words[i] != NULL; i++) {
        if (cmd_word_is(word, words[i]))
            return true;
    }
    return last == ',' || last == '(';
}

/* How many words stand between the command and the word typed; *first is the first of them. */
static size_t words_before(struct cmd_context *context, pk_slice before, pk_slice *first)
{
    size_t pos = 0, count = 0;

    *first = (pk_slice){NULL, 0};
    if (cmd_find(context, before, &pos) == NULL)
        return 0;
    for (pos = cmd_skip_blanks(before, pos); pos < before.len; count++) {
        pk_slice word = cmd_word_at(before, pos);

        if (count == 0)
            *first = word;
        pos = cmd_skip_blanks(before, pos + (word.len == 0 ? 1 : word.len));
    }
    return count;
}

void cmd_complete_data(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const clauses[] = {"from",  "into",   "on",  "where",  "if",     "select",
                                          "limit", "pages",  "asc", "desc",   "strong", "after",
                                          "set",   "remove", "add", "delete", "return", NULL};
    static const char *const functions[] = {
        "attribute_exists(", "attribute_not_exists(", "begins_with(", "contains(", "size(", NULL};
    pk_slice before = statement_before(context, completion);
    pk_slice word = last_word(before), first;
    size_t count = words_before(context, before, &first);
    const struct pk_table *table;

    if (cmd_word_is(word, "from") || cmd_word_is(word, "into")) {
        cmd_complete_table(context, completion);
        return;
    }
    table = table_of(context, before);
    if (cmd_word_is(word, "on")) {
        add_indexes(table, completion);
        return;
    }
    if (expects_attribute(word)) {
        add_attributes(context, table, completion);
        add_words(completion, functions);
        return;
    }
    if (table != NULL && count < 2)
        add_keys(context, table, count == 0 ? (pk_slice){NULL, 0} : first, completion);
    if (count > 0)
        add_words(completion, clauses);
}

/* ---- commands ---------------------------------------------------------------------------------
 */

void cmd_complete_command(struct cmd_context *context, struct cmd_completion *completion)
{
    struct cmd_walk walk = {0};
    const struct cmd_entry *entry;

    while ((entry = cmd_walk_next(context, &walk)) != NULL)
        cmd_completion_add(completion, pk_slice_cstr(entry->name));
}

static void complete_partiql(struct cmd_context *context, pk_slice before,
                             struct cmd_completion *completion)
{
    static const char *const words[] = {"FROM",  "WHERE", "AND", "OR",     "NOT",       "ORDER BY",
                                        "VALUE", "INTO",  "SET", "REMOVE", "RETURNING", NULL};
    pk_slice word = last_word(before);

    if (cmd_word_is(word, "from") || cmd_word_is(word, "into") || cmd_word_is(word, "update")) {
        cmd_complete_table(context, completion);
        return;
    }
    add_attributes(context, table_of(context, before), completion);
    add_words(completion, words);
}

static void complete(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const partiql[] = {"SELECT", "INSERT INTO", "UPDATE", "DELETE FROM", NULL};
    pk_slice before = statement_before(context, completion);
    const struct cmd_entry *entry;
    size_t args = 0;

    if (before.len == 0) {
        cmd_complete_command(context, completion);
        add_words(completion, partiql);
        return;
    }
    if (cmd_is_partiql(before)) {
        complete_partiql(context, before, completion);
        return;
    }
    entry = cmd_find(context, before, &args);
    if (entry != NULL && (entry->flags & CMD_WRAPS) != 0 && args >= before.len) {
        cmd_complete_command(context, completion);
        return;
    }
    if (entry != NULL && entry->complete != NULL)
        entry->complete(context, completion);
}

/* Whoever pressed the key waits and cannot cancel. */
void cmd_complete(struct cmd_context *context, struct cmd_completion *completion)
{
    context->backend->hurried = true;
    complete(context, completion);
    context->backend->hurried = false;
}
