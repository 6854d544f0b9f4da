/* See the header. */
#include "shell/panel/socket_address.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum pk_code sh_socket_address_init(struct sh_socket_address *address, const char *dir,
                                    struct pk_error *err)
{
    char *path = address->name.sun_path;
    int length;

    *address = (struct sh_socket_address){.name = {.sun_family = AF_UNIX}, .dir_fd = -1};
    length = snprintf(path, sizeof(address->name.sun_path), "%s/%s", dir, SH_SOCKET_NAME);
    if (length < 0 || (size_t)length >= sizeof(address->name.sun_path)) {
        address->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (address->dir_fd < 0)
            return pk_fail(err, PK_E_IO, "cannot open '%s': %s", dir, strerror(errno));
        length = snprintf(path, sizeof(address->name.sun_path), "/proc/self/fd/%d/%s",
                          address->dir_fd, SH_SOCKET_NAME);
    }
    address->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
    return PK_OK;
}

void sh_socket_address_release(struct sh_socket_address *address)
{
    if (address->dir_fd >= 0)
        close(address->dir_fd);
    address->dir_fd = -1;
}
