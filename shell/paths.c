/* XDG directories; see paths.h. */
#include "shell/paths.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *variable;
    const char *below_home;
    const char *tail;
} PLACES[] = {
    [SH_PLACE_STORE] = {"XDG_DATA_HOME", ".local/share", "pksk/default"},
    [SH_PLACE_HISTORY] = {"XDG_STATE_HOME", ".local/state", "pksk/history"},
    [SH_PLACE_INIT] = {"XDG_CONFIG_HOME", ".config", "pksk/init"},
};

static const char *home(void)
{
    const char *path = getenv("HOME");

    if (path == NULL || path[0] != '/') {
        const struct passwd *user = getpwuid(getuid());

        path = user == NULL ? NULL : user->pw_dir;
    }
    return path != NULL && path[0] == '/' ? path : NULL;
}

bool sh_path_of(struct pk_buf *out, enum sh_place place)
{
    const char *base = getenv(PLACES[place].variable);

    if (base != NULL && base[0] == '/') { /* relative ones are to be ignored, says the standard */
        pk_buf_printf(out, "%s/%s", base, PLACES[place].tail);
        return true;
    }
    base = home();
    if (base == NULL)
        return false;
    pk_buf_printf(out, "%s/%s/%s", base, PLACES[place].below_home, PLACES[place].tail);
    return true;
}

int sh_path_make_parents(const char *path)
{
    char *copy = pk_memdup_cstr(path, strlen(path));
    int failure = 0;

    for (char *slash = strchr(copy + 1, '/'); slash != NULL && failure == 0;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            failure = errno;
        *slash = '/';
    }
    free(copy);
    return failure;
}

void sh_path_short(struct pk_buf *out, const char *path)
{
    const char *base = home();
    size_t len = base == NULL ? 0 : strlen(base);

    if (len > 1 && strncmp(path, base, len) == 0 && (path[len] == '/' || path[len] == '\0'))
        pk_buf_printf(out, "~%s", path + len);
    else
        pk_buf_add_cstr(out, path);
}

void sh_path_expand(struct pk_buf *out, pk_slice typed)
{
    const char *base = home();

    if (base != NULL && pk_slice_starts(typed, PK_LIT("~/"))) {
        pk_buf_add_cstr(out, base);
        typed = pk_slice_skip(typed, 1);
    }
    pk_buf_add(out, typed);
}
