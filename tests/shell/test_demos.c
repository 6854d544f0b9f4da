/*
 * The scripts of docs/demos, each run by the program as a person would, against what it printed
 * when it was last looked at (tests/demos). They check their own figures as well: a demo that ends
 * with anything but 0 has other ones. UPDATE=1 rewrites the goldens.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buf.h"

TestSuite(demos);

#define DEMOS   "docs/demos"
#define GOLDENS "tests/demos"
enum { PATH_MAX_BYTES = 512 };

static const char *program(void)
{
    static char path[256];
    const char *config = getenv("CONFIG");

    snprintf(path, sizeof(path), "build/%s/pksk", config == NULL ? "release" : config);
    return access(path, X_OK) == 0 ? path : "./pksk";
}

static void read_all(int fd, struct pk_buf *out)
{
    off_t offset = 0;
    ssize_t got;

    pk_buf_add_cstr(out, "");
    while ((got = pread(fd, pk_buf_reserve(out, 65536), 65536, offset)) > 0) {
        out->len += (size_t)got;
        offset += got;
    }
    pk_buf_add_cstr(out, "");
}

/* Both outputs, in the order in which they were written. */
static int run_demo(const char *path, struct pk_buf *out)
{
    extern char **environ;
    char script[PATH_MAX_BYTES];
    char words[5][16] = {"pksk", "--no-init", "--memory", "-f"};
    char *argv[] = {words[0], words[1], words[2], words[3], script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0, fd = memfd_create("demo", MFD_CLOEXEC);

    snprintf(script, sizeof(script), "%s", path);
    cr_assert(fd >= 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
    cr_assert_eq(posix_spawn(&pid, program(), &actions, NULL, argv, environ), 0, "%s", program());
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    posix_spawn_file_actions_destroy(&actions);
    read_all(fd, out);
    close(fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void save(const char *path, const struct pk_buf *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(text->data, 1, text->len, file), text->len);
    cr_assert_eq(fclose(file), 0);
}

static void check(const char *name)
{
    char script[PATH_MAX_BYTES], golden[PATH_MAX_BYTES];
    struct pk_buf shown = PK_BUF_INIT, expected = PK_BUF_INIT;
    int fd, exit_code;

    snprintf(script, sizeof(script), DEMOS "/%s.pksk", name);
    snprintf(golden, sizeof(golden), GOLDENS "/%s.txt", name);
    exit_code = run_demo(script, &shown);
    cr_expect_eq(exit_code, 0, "%s ends with %d:\n%s", script, exit_code, shown.data);
    if (getenv("UPDATE") != NULL)
        save(golden, &shown);
    fd = open(golden, O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0, "%s", golden);
    read_all(fd, &expected);
    close(fd);
    cr_expect_str_eq(shown.data, expected.data, "%s:\n%s\ninstead of\n%s", script, shown.data,
                     expected.data);
    pk_buf_release(&shown);
    pk_buf_release(&expected);
}

Test(demos, goldens)
{
    DIR *dir = opendir(DEMOS);
    const struct dirent *entry;
    size_t count = 0;

    cr_assert_not_null(dir);
    setenv("LC_ALL", "C.UTF-8", 1);
    while ((entry = readdir(dir)) != NULL) {
        char name[256];
        char *end;

        snprintf(name, sizeof(name), "%s", entry->d_name);
        end = strstr(name, ".pksk");
        if (end == NULL)
            continue;
        *end = '\0';
        check(name);
        count++;
    }
    closedir(dir);
    cr_expect_geq(count, 7);
}
