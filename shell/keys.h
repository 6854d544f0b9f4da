/*
 * The keyboard: bytes of standard input, and the keys among them that are not text.
 *
 * Nobody else reads standard input at a prompt. Bytes are kept until the line editor or the panel
 * takes them, so that what was typed ahead survives a change between the two. What is pasted is
 * never taken for a key.
 */
#ifndef SH_KEYS_H
#define SH_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sh_tty_key {
    SH_TTY_NONE, /* nothing is there */
    SH_TTY_TEXT, /* a character; also a control character, or a byte that is no UTF-8 */
    SH_TTY_ESCAPE,
    SH_TTY_UNKNOWN, /* a sequence of another key */
    SH_TTY_UP,
    SH_TTY_DOWN,
    SH_TTY_LEFT,
    SH_TTY_RIGHT,
    SH_TTY_HOME,
    SH_TTY_END,
    SH_TTY_PAGE_UP,
    SH_TTY_PAGE_DOWN,
    SH_TTY_DELETE,
    SH_TTY_F1,
    SH_TTY_F2,
    SH_TTY_F3,
    SH_TTY_F4,
    SH_TTY_F5,
    SH_TTY_F6,
    SH_TTY_F7,
    SH_TTY_F8,
    SH_TTY_F9,
    SH_TTY_F10
};

enum {
    SH_KEYS_BYTES = 4096,
    SH_KEYS_ESCAPE_MS = 25 /* how long the rest of an escape sequence may take */
};

struct sh_keys {
    char bytes[SH_KEYS_BYTES];
    size_t first, last; /* bytes[first..last) were read and not taken yet */
    int fd;             /* borrowed */
    int also;           /* waiting ends when this can be read, too; -1: nothing; borrowed */
    bool gone;          /* the terminal has ended */
    bool pasting;       /* between the marks that a terminal sets around a paste */
    char mark[6];       /* the latest bytes taken, to see those marks */
};

void sh_keys_init(struct sh_keys *keys, int fd);
/* Waits at most timeout_ms (-1: no limit) for bytes, and reads them where there is room. False:
 * none came (a signal, the time, no room), or the terminal has ended. */
bool sh_keys_wait(struct sh_keys *keys, int timeout_ms);
static inline bool sh_keys_any(const struct sh_keys *keys)
{
    return keys->first < keys->last;
}
/* True when bytes are there or come within that time; no signal is taken meanwhile. */
bool sh_keys_soon(struct sh_keys *keys, int timeout_ms);
/* The next bytes; one must be there. */
static inline const char *sh_keys_front(const struct sh_keys *keys)
{
    return keys->bytes + keys->first;
}
/* The next byte; one must be there. */
unsigned char sh_keys_take(struct sh_keys *keys);
/* Within a paste: as if the terminal had marked its end now. False: there is none to be ended. */
bool sh_keys_end_paste(struct sh_keys *keys);
/* Drops everything that was read. */
void sh_keys_drop(struct sh_keys *keys);
/* The key at the front, and the bytes it takes; code: the character of SH_TTY_TEXT. Waits for the
 * rest of a sequence that has begun. Within a paste all is text, but for the mark that ends it. */
enum sh_tty_key sh_keys_peek(struct sh_keys *keys, size_t *len, uint32_t *code);
/* Takes the bytes of a key that was peeked at. */
void sh_keys_skip(struct sh_keys *keys, size_t len);

#endif
