/*
 * Walking a command's text unit by unit without understanding it: words, quoted text, brackets.
 * Shared by the splitter (where does the statement end?) and by the clause reader (which word at
 * depth 0 begins a clause?), so that both always agree about quotes and brackets.
 */
#ifndef CMD_SCAN_H
#define CMD_SCAN_H

#include "commands/language/lex.h"

enum { CMD_SCAN_DEPTH_MAX = 128 }; /* deeper brackets are not counted; the parser refuses them */

enum cmd_unit_kind {
    CMD_UNIT_END,
    CMD_UNIT_NEWLINE, /* at depth 0, only when lines are wanted */
    CMD_UNIT_WORD,
    CMD_UNIT_QUOTED,
    CMD_UNIT_OPEN,  /* ( [ { << */
    CMD_UNIT_CLOSE, /* ) ] } >> */
    CMD_UNIT_SEMICOLON,
    CMD_UNIT_OTHER /* , < > = */
};

struct cmd_unit {
    enum cmd_unit_kind kind;
    size_t start, end;
    bool glued;       /* no blank before it */
    bool typographic; /* a quoted text in typographic quotes */
};

struct cmd_scan {
    pk_slice text;
    size_t pos;
    bool lines;       /* report newlines at depth 0 */
    const char *open; /* set with END: the quote or comment that is never closed, else NULL */
    size_t depth;
    char stack[CMD_SCAN_DEPTH_MAX]; /* the opening brackets; '<' for << */
};

void cmd_scan_init(struct cmd_scan *scan, pk_slice text, size_t pos, bool lines);
void cmd_scan_next(struct cmd_scan *scan, struct cmd_unit *unit);
/* The bracket that is open, as the prompt names it: "{", "(", "[", "<<"; NULL when none is. */
const char *cmd_scan_bracket(const struct cmd_scan *scan);

#endif
