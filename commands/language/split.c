/*
 * Where a statement ends (grammar.md, "Ending a statement").
 *
 * The first word decides: PartiQL and DDL end at ';' outside quotes and comments, commands at the
 * newline unless a bracket or a quote is open. Commands that are given a statement (explain, watch)
 * end as that one does, so they are looked through.
 */
#include "commands/language/scan.h"
#include "commands/registry.h"

enum ending {
    ENDS_AT_LINE,
    ENDS_AT_SEMICOLON,         /* DDL: the command language's quotes */
    ENDS_AT_SEMICOLON_PARTIQL, /* PartiQL's quotes: no escapes, comments anywhere */
    ENDS_RAW                   /* \! COMMAND: nothing in it is ours */
};

enum { WRAP_WORDS_MAX = 8 }; /* words of options a wrapping command may have: watch 2 times 3 … */

static enum ending simple_ending(pk_slice text)
{
    if (cmd_is_partiql(text))
        return ENDS_AT_SEMICOLON_PARTIQL;
    return cmd_is_ddl(text) ? ENDS_AT_SEMICOLON : ENDS_AT_LINE;
}

/* The words at the front of the first line, lines joined by a backslash included: all that says how
 * a statement ends. No further, because a line may be long and hold many statements. */
static pk_slice first_words(pk_slice text)
{
    size_t pos = 0;

    while (pos < text.len && text.data[pos] != '\n') {
        size_t blank = cmd_blank_length(text, pos);
        size_t next = blank > 0 ? pos + blank : cmd_skip_blanks(text, pos); /* a comment */

        if (blank == 0 && next > pos && memchr(text.data + pos, '\n', next - pos) != NULL)
            break;
        if (next == pos)
            next = pos + cmd_word_at(text, pos).len;
        if (next == pos)
            break;
        pos = next;
    }
    return pk_slice_of(text.data, pos);
}

static enum ending ending_of(const struct cmd_context *context, pk_slice text)
{
    size_t args = 0;
    const struct cmd_entry *entry;

    text = first_words(text);
    entry = cmd_find(context, text, &args);
    if (pk_slice_starts(text, PK_LIT("\\!")))
        return ENDS_RAW;
    for (int words = 0; entry == NULL || (entry->flags & CMD_WRAPS) != 0; words++) {
        enum ending ending = simple_ending(text);
        pk_slice word;

        if (ending != ENDS_AT_LINE || (entry == NULL && words == 0) || words > WRAP_WORDS_MAX)
            return ending;
        /* past the wrapping command, or past one word of its options */
        word = cmd_word_at(text, 0);
        if (entry != NULL)
            text = pk_slice_skip(text, args);
        else if (word.len == 0)
            return ENDS_AT_LINE;
        else
            text = pk_slice_skip(text, cmd_skip_blanks(text, word.len));
        entry = cmd_find(context, text, &args);
    }
    return (entry->flags & CMD_DDL) != 0 ? ENDS_AT_SEMICOLON : ENDS_AT_LINE;
}

/* ---- PartiQL --------------------------------------------------------------------------------- */

/* The position behind a quoted text or comment at pos; pos when there is none; *open is set when
 * it is not closed. */
static size_t skip_partiql_unit(pk_slice text, size_t pos, const char **open)
{
    pk_slice rest = pk_slice_skip(text, pos);
    const char *found;

    if (rest.data[0] == '\'' || rest.data[0] == '"') {
        found = memchr(rest.data + 1, rest.data[0], rest.len - 1);
        if (found != NULL)
            return (size_t)(found + 1 - text.data);
        *open = rest.data[0] == '\'' ? "'" : "\"";
        return text.len;
    }
    if (pk_slice_starts(rest, PK_LIT("--"))) {
        found = memchr(rest.data, '\n', rest.len);
        return found == NULL ? text.len : (size_t)(found - text.data);
    }
    if (pk_slice_starts(rest, PK_LIT("/*"))) {
        found = memmem(rest.data + 2, rest.len - 2, "*/", 2);
        if (found != NULL)
            return (size_t)(found + 2 - text.data);
        *open = "/*";
        return text.len;
    }
    return pos;
}

/* A doubled quote needs no care here: it closes one text and opens the next at once. */
static enum cmd_split_state split_partiql(pk_slice text, size_t start, bool at_end,
                                          struct cmd_split *split)
{
    size_t pos = start;
    size_t last = start;
    const char *open = NULL;

    while (pos < text.len && text.data[pos] != ';') {
        size_t next = skip_partiql_unit(text, pos, &open);
        bool comment = next > pos && (text.data[pos] == '-' || text.data[pos] == '/');

        if (next == pos)
            next = pos + 1;
        if (!comment && cmd_blank_length(text, pos) == 0)
            last = next;
        pos = next;
    }
    split->body = pk_slice_of(text.data + start, last - start);
    split->end = pos < text.len ? pos + 1 : pos;
    split->open = open != NULL ? open : ";";
    return pos < text.len || at_end ? CMD_SPLIT_COMPLETE : CMD_SPLIT_OPEN;
}

/* ---- commands and DDL ------------------------------------------------------------------------ */

static bool ends_in_backslash(pk_slice text)
{
    while (text.len > 0 && text.data[text.len - 1] == '\n')
        text.len--;
    return text.len > 0 && text.data[text.len - 1] == '\\';
}

static enum cmd_split_state split_command(pk_slice text, size_t start, bool at_end, bool lines,
                                          struct cmd_split *split)
{
    struct cmd_scan scan;
    struct cmd_unit unit;
    size_t last = start;
    const char *open;

    cmd_scan_init(&scan, text, start, lines);
    cmd_scan_next(&scan, &unit);
    while (unit.kind != CMD_UNIT_END && unit.kind != CMD_UNIT_NEWLINE &&
           unit.kind != CMD_UNIT_SEMICOLON) {
        last = unit.end;
        cmd_scan_next(&scan, &unit);
    }
    split->body = pk_slice_of(text.data + start, last - start);
    split->end = unit.end;
    split->open = scan.open;
    if (unit.kind != CMD_UNIT_END || at_end)
        return CMD_SPLIT_COMPLETE;
    open = scan.open != NULL ? scan.open : cmd_scan_bracket(&scan);
    split->open = open != NULL ? open : lines || ends_in_backslash(text) ? "" : ";";
    return CMD_SPLIT_OPEN;
}

static enum cmd_split_state split_raw(pk_slice text, size_t start, bool at_end,
                                      struct cmd_split *split)
{
    const char *newline = memchr(text.data + start, '\n', text.len - start);
    size_t end = newline == NULL ? text.len : (size_t)(newline - text.data);

    split->body = pk_slice_of(text.data + start, end - start);
    split->end = newline == NULL ? end : end + 1;
    split->open = "";
    return newline != NULL || at_end ? CMD_SPLIT_COMPLETE : CMD_SPLIT_OPEN;
}

/* Blanks, comments and terminators before a statement. *open is set for a comment that is not
 * closed. */
static size_t skip_between(pk_slice text, const char **open)
{
    struct cmd_scan scan;
    struct cmd_unit unit;

    cmd_scan_init(&scan, text, 0, true);
    do
        cmd_scan_next(&scan, &unit);
    while (unit.kind == CMD_UNIT_NEWLINE || unit.kind == CMD_UNIT_SEMICOLON);
    *open = unit.kind == CMD_UNIT_END ? scan.open : NULL;
    return unit.start;
}

enum cmd_split_state cmd_split_next(const struct cmd_context *context, pk_slice text, bool at_end,
                                    struct cmd_split *split)
{
    const char *open = NULL;
    size_t start = skip_between(text, &open);

    *split = (struct cmd_split){.end = start, .open = open};
    if (start >= text.len)
        return open != NULL && !at_end ? CMD_SPLIT_OPEN : CMD_SPLIT_EMPTY;
    switch (ending_of(context, pk_slice_skip(text, start))) {
    case ENDS_AT_LINE:
        return split_command(text, start, at_end, true, split);
    case ENDS_AT_SEMICOLON:
        return split_command(text, start, at_end, false, split);
    case ENDS_AT_SEMICOLON_PARTIQL:
        return split_partiql(text, start, at_end, split);
    case ENDS_RAW:
        return split_raw(text, start, at_end, split);
    }
    pk_bug("no such ending");
}
