/*
 * A pksk that serves a store, as a process of its own: `pksk serve`, or a shell that was told
 * `serve` and stays at its prompt.
 */
#ifndef TESTS_SERVED_H
#define TESTS_SERVED_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct served {
    pid_t pid;
    char url[64];
    FILE *in;  /* what it reads as standard input */
    FILE *out; /* what it prints, on both streams */
};

/* The program under test: build/$CONFIG/pksk, or what $PKSK names. A path of static storage. */
const char *served_program(void);
/* Starts it (arguments end with NULL; argv[0] is set here) and waits for its URL, which `first` may
 * bring about: text for its standard input, or NULL. False, with a word on stderr, when none comes.
 */
bool served_start(struct served *served, const char *argv[], const char *first);
/* Gives it a line of input and reads what it prints until that has `text`; false: it never has. */
bool served_say(struct served *served, const char *line, const char *text);
/* Sends a signal, or ends its input (0), and waits for its end; what it has printed is shown on
 * stderr when that is not as asked for. Returns what waitpid says. The milliseconds that it took go
 * to *millis, if not NULL. */
int served_end(struct served *served, int signal, double *millis);

#endif
