/* Where the shell keeps its files (XDG base directories), and paths as a person writes them. */
#ifndef SH_PATHS_H
#define SH_PATHS_H

#include "engine/base/buf.h"

enum sh_place {
    SH_PLACE_STORE,   /* $XDG_DATA_HOME/pksk/default */
    SH_PLACE_HISTORY, /* $XDG_STATE_HOME/pksk/history */
    SH_PLACE_INIT     /* $XDG_CONFIG_HOME/pksk/init */
};

/* Appends the path. False when there is neither the variable nor a home directory. */
bool sh_path_of(struct pk_buf *out, enum sh_place place);
/* Makes the directories above the path, for this user only. Returns 0 or an errno. */
int sh_path_make_parents(const char *path);
/* Appends the path with the home directory as "~". */
void sh_path_short(struct pk_buf *out, const char *path);
/* Appends what was typed with a leading "~/" replaced. */
void sh_path_expand(struct pk_buf *out, pk_slice typed);

#endif
