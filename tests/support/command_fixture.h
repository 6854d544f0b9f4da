/*
 * The commands on an engine in memory, for tests: run a statement, get everything it answered as
 * plain text.
 *
 *   an item      {'PK': 'a', 'N': 1}
 *   a grid       heading | heading, then its rows (headless: rows only)
 *   the rest     "footer: …", "hint: …", "hint at 'word': …", "note: …", text as it is
 *   an error     "Name: message", then "  at 'source'", then "  hint: …"
 */
#ifndef TESTS_COMMAND_FIXTURE_H
#define TESTS_COMMAND_FIXTURE_H

#include "commands/cmd.h"
#include "commands/settings.h"

struct command_fixture {
    struct pk_engine *engine;
    struct cmd_settings settings;
    struct cmd_context context;
    struct pk_buf text; /* of the last statement */
    enum pk_code code;
    bool check_failed;
};

/* An empty store; footer.time is off. */
void command_open(struct command_fixture *fx);
/* Checks the store before it closes it. */
void command_close(struct command_fixture *fx);
/* Runs one statement; the text is valid until the next. */
const char *command_run(struct command_fixture *fx, const char *statement);
/* The same, which must succeed; aborts with the text when it does not. */
void command_must(struct command_fixture *fx, const char *statement);
/* The table of the seeds: dashboard (PK S, SK S) with six items; and Tab (PK S, N N) with index
 * by_g (G S), empty. */
void command_seed(struct command_fixture *fx);

/* A statement and its text (NULL: it succeeds, whatever it says). */
struct command_row {
    const char *statement;
    const char *text;
};
/* Runs the rows, in order, on one seeded store; a test assertion for each. */
void command_check(const struct command_row *rows, size_t count);

#endif
