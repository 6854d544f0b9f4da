#include "commands/registry.h"

#include <strings.h>

#include "commands/entries.h"
#include "commands/language/lex.h"
#include "engine/base/buf.h"

#define XX(name) &cmd_##name##_entry,
const struct cmd_entry *const cmd_entries[] = {CMD_ENTRIES(XX) NULL};
#undef XX

static const struct cmd_entry *const no_entries[] = {NULL};

static const struct cmd_entry *const *shell_entries(const struct cmd_context *context)
{
    return context == NULL || context->shell_entries == NULL ? no_entries : context->shell_entries;
}

/* The end of the spelling at the front of the text, blanks skipped between words; 0 when the text
 * begins otherwise. In an alias '_' stands for the blank ("show_tables"). */
static size_t match_spelling(pk_slice spelling, pk_slice text)
{
    size_t pos = 0;

    for (size_t at = 0; at < spelling.len;) {
        size_t len = strcspn(spelling.data + at, " _");

        if (at + len > spelling.len)
            len = spelling.len - at;
        /* the letters first: the text's word may be endless */
        if (text.len - pos < len || strncasecmp(text.data + pos, spelling.data + at, len) != 0 ||
            !cmd_ends_word(text, pos + len))
            return 0;
        pos += len;
        at += len;
        if (at < spelling.len) {
            at++;
            pos = cmd_skip_blanks(text, pos);
        }
    }
    return pos;
}

/* \! needs no blank after it. */
static size_t match_word(pk_slice spelling, pk_slice text)
{
    if (pk_slice_is(spelling, "\\!"))
        return pk_slice_starts(text, spelling) ? spelling.len : 0;
    return match_spelling(spelling, text);
}

static size_t match_entry(const struct cmd_entry *entry, pk_slice text)
{
    pk_slice name = pk_slice_cstr(entry->name);
    size_t best = match_word(name, text);
    const char *alias = entry->alias == NULL ? "" : entry->alias;

    while (*alias != '\0') {
        size_t len = strcspn(alias, " ");
        size_t end = match_word(pk_slice_of(alias, len), text);

        if (end > best)
            best = end;
        alias += len;
        alias += strspn(alias, " ");
    }
    return best;
}

const struct cmd_entry *cmd_find(const struct cmd_context *context, pk_slice text, size_t *args)
{
    const struct cmd_entry *found = NULL;
    const struct cmd_entry *entry;
    struct cmd_walk walk = {0};
    size_t start = cmd_skip_blanks(text, 0);
    size_t best = 0;

    while ((entry = cmd_walk_next(context, &walk)) != NULL) {
        size_t end = match_entry(entry, pk_slice_skip(text, start));

        if (end > best) {
            best = end;
            found = entry;
        }
    }
    if (found != NULL)
        *args = cmd_skip_blanks(text, start + best);
    return found;
}

const struct cmd_entry *cmd_walk_next(const struct cmd_context *context, struct cmd_walk *walk)
{
    const struct cmd_entry *const *shell = shell_entries(context);
    const struct cmd_entry *a = cmd_entries[walk->own];
    const struct cmd_entry *b = shell[walk->shell];

    if (a != NULL && (b == NULL || strcmp(a->name, b->name) <= 0)) {
        walk->own++;
        return a;
    }
    if (b != NULL)
        walk->shell++;
    return b;
}

static const char *const partiql_words[] = {"select", "insert", "update", "delete",
                                            "exists", "from",   NULL};

static bool begins_with_any(pk_slice text, const char *const *words)
{
    pk_slice word = cmd_word_at(text, cmd_skip_blanks(text, 0));

    for (size_t i = 0; words[i] != NULL; i++) {
        if (cmd_word_is(word, words[i]))
            return true;
    }
    return false;
}

bool cmd_is_partiql(pk_slice text)
{
    return begins_with_any(text, partiql_words);
}

bool cmd_is_ddl(pk_slice text)
{
    static const char *const words[] = {"create", "alter", "drop", NULL};

    return begins_with_any(text, words);
}

/* ---- nearest --------------------------------------------------------------------------------- */

enum { NEAREST_MAX = 3, NEAREST_WORD_MAX = 24 };

/* Edits (letters changed, added, dropped, neighbours swapped) between two short words. */
static unsigned edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    unsigned rows[NEAREST_WORD_MAX + 1][NEAREST_WORD_MAX + 1];

    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            unsigned best;

            if (i == 0 || j == 0) {
                rows[i][j] = (unsigned)(i + j);
                continue;
            }
            best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (rows[i - 1][j] + 1 < best)
                best = rows[i - 1][j] + 1;
            if (rows[i][j - 1] + 1 < best)
                best = rows[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                rows[i - 2][j - 2] + 1 < best)
                best = rows[i - 2][j - 2] + 1;
            rows[i][j] = best;
        }
    }
    return rows[m][n];
}

/* How far the word is from the first word of the name; above 2: not near. A beginning is near. */
static unsigned distance_to(pk_slice word, const char *name)
{
    char lower[NEAREST_WORD_MAX];
    size_t len = strcspn(name, " ");

    if (word.len == 0 || word.len > NEAREST_WORD_MAX || len > NEAREST_WORD_MAX)
        return 99;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];

        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    if (word.len > 1 && word.len < len && memcmp(lower, name, word.len) == 0)
        return 1;
    return edit_distance(lower, word.len, name, len);
}

pk_slice cmd_nearest(const struct cmd_context *context, pk_slice word, struct pk_arena *arena)
{
    struct pk_buf out = PK_BUF_INIT;
    size_t found = 0;
    pk_slice result;

    for (unsigned distance = 1; distance <= 2; distance++) {
        struct cmd_walk walk = {0};
        const struct cmd_entry *entry;

        while ((entry = cmd_walk_next(context, &walk)) != NULL && found < NEAREST_MAX) {
            if (distance_to(word, entry->name) != distance ||
                strcspn(entry->name, " ") < (distance == 1 ? 3u : 5u))
                continue;
            pk_buf_printf(&out, "%s%s", found++ == 0 ? "" : ", ", entry->name);
        }
        for (size_t i = 0; partiql_words[i] != NULL && found < NEAREST_MAX; i++) {
            if (distance_to(word, partiql_words[i]) == distance && strlen(partiql_words[i]) >= 5)
                pk_buf_printf(&out, "%s%s", found++ == 0 ? "" : ", ", partiql_words[i]);
        }
    }
    result = pk_arena_dup(arena, pk_buf_slice(&out));
    pk_buf_release(&out);
    return result;
}

const char *cmd_group_name(enum cmd_group group)
{
    switch (group) {
    case CMD_GROUP_DATA:
        return "data";
    case CMD_GROUP_TABLES:
        return "tables";
    case CMD_GROUP_UNDERSTAND:
        return "understanding";
    case CMD_GROUP_WORLD:
        return "running the world";
    case CMD_GROUP_SHELL:
        return "the shell";
    }
    pk_bug("no such group: %d", (int)group);
}
