#include "commands/language/scan.h"

void cmd_scan_init(struct cmd_scan *scan, pk_slice text, size_t pos, bool lines)
{
    *scan = (struct cmd_scan){.text = text, .pos = pos, .lines = lines};
}

const char *cmd_scan_bracket(const struct cmd_scan *scan)
{
    if (scan->depth == 0)
        return NULL;
    switch (scan->stack[scan->depth - 1]) {
    case '{':
        return "{";
    case '(':
        return "(";
    case '[':
        return "[";
    default:
        return "<<";
    }
}

static bool at(const struct cmd_scan *scan, const char *text)
{
    return pk_slice_starts(pk_slice_skip(scan->text, scan->pos), pk_slice_cstr(text));
}

static bool at_line_end(const struct cmd_scan *scan)
{
    return scan->lines && scan->depth == 0 && at(scan, "\n");
}

static void skip_block_comment(struct cmd_scan *scan)
{
    for (scan->pos += 2; scan->pos < scan->text.len; scan->pos++) {
        if (at(scan, "*/")) {
            scan->pos += 2;
            return;
        }
    }
    scan->open = "/*";
}

/* Blanks and comments; a newline that ends the statement is left. */
static void skip(struct cmd_scan *scan)
{
    while (scan->pos < scan->text.len && !at_line_end(scan)) {
        size_t blank = cmd_blank_length(scan->text, scan->pos);

        if (blank != 0) {
            scan->pos += blank;
        } else if (at(scan, "--")) {
            while (scan->pos < scan->text.len && scan->text.data[scan->pos] != '\n')
                scan->pos++;
        } else if (at(scan, "/*")) {
            skip_block_comment(scan);
        } else {
            return;
        }
    }
}

static char closer_of(char opener)
{
    switch (opener) {
    case '{':
        return '}';
    case '(':
        return ')';
    case '[':
        return ']';
    default:
        return '>';
    }
}

static void open_bracket(struct cmd_scan *scan, struct cmd_unit *unit, char opener)
{
    unit->kind = CMD_UNIT_OPEN;
    scan->pos += opener == '<' ? 2 : 1;
    if (scan->depth < CMD_SCAN_DEPTH_MAX)
        scan->stack[scan->depth++] = opener;
}

/* A closer that does not fit its opener makes the text malformed: nothing counts as open then, so
 * that the statement ends with its line and the parser can say what is wrong. */
static void close_bracket(struct cmd_scan *scan, struct cmd_unit *unit, char closer)
{
    bool fits = scan->depth > 0 && closer_of(scan->stack[scan->depth - 1]) == closer;

    if (closer == '>' && !fits) {
        unit->kind = CMD_UNIT_OTHER;
        scan->pos += 1;
        return;
    }
    unit->kind = CMD_UNIT_CLOSE;
    scan->pos += closer == '>' ? 2 : 1;
    scan->depth = fits ? scan->depth - 1 : 0;
}

/* A word ends before a backtick that follows a dot: a.`b c`.d */
static void scan_word(struct cmd_scan *scan, struct cmd_unit *unit)
{
    unit->kind = CMD_UNIT_WORD;
    while (!cmd_ends_word(scan->text, scan->pos)) {
        if (scan->text.data[scan->pos] == '`' && scan->pos > unit->start &&
            scan->text.data[scan->pos - 1] == '.')
            return;
        scan->pos++;
    }
}

static void scan_symbol(struct cmd_scan *scan, struct cmd_unit *unit)
{
    char c = scan->text.data[scan->pos];

    if (c == '{' || c == '(' || c == '[' || at(scan, "<<")) {
        open_bracket(scan, unit, c);
    } else if (c == '}' || c == ')' || c == ']' || at(scan, ">>")) {
        close_bracket(scan, unit, c);
    } else {
        unit->kind = c == ';' && scan->depth == 0 ? CMD_UNIT_SEMICOLON : CMD_UNIT_OTHER;
        scan->pos++;
    }
}

void cmd_scan_next(struct cmd_scan *scan, struct cmd_unit *unit)
{
    size_t before = scan->pos;
    struct cmd_quoted quoted;

    skip(scan);
    *unit = (struct cmd_unit){.start = scan->pos, .glued = scan->pos == before};
    if (scan->pos >= scan->text.len) {
        unit->kind = CMD_UNIT_END;
    } else if (at_line_end(scan)) {
        unit->kind = CMD_UNIT_NEWLINE;
        scan->pos++;
    } else if (cmd_quoted_at(scan->text, scan->pos, &quoted)) {
        unit->kind = CMD_UNIT_QUOTED;
        unit->typographic = quoted.typographic;
        scan->pos = quoted.end;
        if (quoted.open)
            scan->open = quoted.kind == '\'' ? "'" : quoted.kind == '"' ? "\"" : "`";
    } else if (cmd_ends_word(scan->text, scan->pos)) {
        scan_symbol(scan, unit);
    } else {
        scan_word(scan, unit);
    }
    unit->end = scan->pos;
}
