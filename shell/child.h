/*
 * Other programs: the pager and `\! COMMAND`. They are spawned with signals as a program expects
 * them; LevelDB is open here, so nothing may go on in a forked child.
 */
#ifndef SH_CHILD_H
#define SH_CHILD_H

#include <sys/types.h>

struct sh_child {
    pid_t pid;
    int input; /* writing end of its standard input, or -1 */
};

enum sh_child_input { SH_CHILD_TERMINAL, SH_CHILD_PIPE };

/* Starts `sh -c command`. Returns 0, or an errno. */
int sh_child_start(struct sh_child *child, const char *command, enum sh_child_input input);
/* Closes its input, waits for its end; returns its exit status (128 + n when signal n ended it). */
int sh_child_wait(struct sh_child *child);

#endif
