/* Bytes and keys; see keys.h. */
#include "shell/keys.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "shell/signals.h"

static const char PASTE_BEGINS[] = "\033[200~";
static const char PASTE_ENDS[] = "\033[201~";

/* What terminals send: xterm and tmux, the Linux console, rxvt, and application cursor keys. */
static const struct {
    const char *bytes;
    enum sh_tty_key key;
} SEQUENCES[] = {
    {"\033OP", SH_TTY_F1},       {"\033OQ", SH_TTY_F2},         {"\033OR", SH_TTY_F3},
    {"\033OS", SH_TTY_F4},       {"\033[[A", SH_TTY_F1},        {"\033[[B", SH_TTY_F2},
    {"\033[[C", SH_TTY_F3},      {"\033[[D", SH_TTY_F4},        {"\033[[E", SH_TTY_F5},
    {"\033[11~", SH_TTY_F1},     {"\033[12~", SH_TTY_F2},       {"\033[13~", SH_TTY_F3},
    {"\033[14~", SH_TTY_F4},     {"\033[15~", SH_TTY_F5},       {"\033[17~", SH_TTY_F6},
    {"\033[18~", SH_TTY_F7},     {"\033[19~", SH_TTY_F8},       {"\033[20~", SH_TTY_F9},
    {"\033[21~", SH_TTY_F10},    {"\033[A", SH_TTY_UP},         {"\033[B", SH_TTY_DOWN},
    {"\033[C", SH_TTY_RIGHT},    {"\033[D", SH_TTY_LEFT},       {"\033OA", SH_TTY_UP},
    {"\033OB", SH_TTY_DOWN},     {"\033OC", SH_TTY_RIGHT},      {"\033OD", SH_TTY_LEFT},
    {"\033[H", SH_TTY_HOME},     {"\033[F", SH_TTY_END},        {"\033OH", SH_TTY_HOME},
    {"\033OF", SH_TTY_END},      {"\033[1~", SH_TTY_HOME},      {"\033[4~", SH_TTY_END},
    {"\033[7~", SH_TTY_HOME},    {"\033[8~", SH_TTY_END},       {"\033[3~", SH_TTY_DELETE},
    {"\033[5~", SH_TTY_PAGE_UP}, {"\033[6~", SH_TTY_PAGE_DOWN},
};

void sh_keys_init(struct sh_keys *keys, int fd)
{
    *keys = (struct sh_keys){.fd = fd, .also = -1};
}

static void make_room(struct sh_keys *keys)
{
    if (keys->first == 0)
        return;
    memmove(keys->bytes, keys->bytes + keys->first, keys->last - keys->first);
    keys->last -= keys->first;
    keys->first = 0;
}

/* Reads what there is room for. */
static bool read_bytes(struct sh_keys *keys)
{
    make_room(keys);
    if (keys->last == SH_KEYS_BYTES)
        return false;

    ssize_t got = read(keys->fd, keys->bytes + keys->last, SH_KEYS_BYTES - keys->last);

    if (got > 0) {
        keys->last += (size_t)got;
        return true;
    }
    if (got == 0 || (errno != EINTR && errno != EAGAIN))
        keys->gone = true;
    return false;
}

bool sh_keys_wait(struct sh_keys *keys, int timeout_ms)
{
    struct pollfd ready[2] = {{.fd = keys->fd, .events = POLLIN},
                              {.fd = keys->also, .events = POLLIN}};

    return !keys->gone && sh_signals_wait(ready, 2, timeout_ms) > 0 && ready[0].revents != 0 &&
           read_bytes(keys);
}

/* More bytes within that time. */
static bool read_more(struct sh_keys *keys, int timeout_ms)
{
    struct pollfd ready = {.fd = keys->fd, .events = POLLIN};

    return !keys->gone && poll(&ready, 1, timeout_ms) > 0 && read_bytes(keys);
}

bool sh_keys_soon(struct sh_keys *keys, int timeout_ms)
{
    return sh_keys_any(keys) || read_more(keys, timeout_ms);
}

unsigned char sh_keys_take(struct sh_keys *keys)
{
    char byte = keys->bytes[keys->first++];

    memmove(keys->mark, keys->mark + 1, sizeof(keys->mark) - 1);
    keys->mark[sizeof(keys->mark) - 1] = byte;
    if (memcmp(keys->mark, PASTE_BEGINS, sizeof(keys->mark)) == 0)
        keys->pasting = true;
    else if (memcmp(keys->mark, PASTE_ENDS, sizeof(keys->mark)) == 0)
        keys->pasting = false;
    return (unsigned char)byte;
}

bool sh_keys_end_paste(struct sh_keys *keys)
{
    size_t len = sizeof(PASTE_ENDS) - 1;

    make_room(keys);
    if (!keys->pasting || keys->last + len > SH_KEYS_BYTES)
        return false;
    memcpy(keys->bytes + keys->last, PASTE_ENDS, len);
    keys->last += len;
    return true;
}

void sh_keys_drop(struct sh_keys *keys)
{
    keys->first = keys->last = 0;
    keys->pasting = false;
}

void sh_keys_skip(struct sh_keys *keys, size_t len)
{
    while (len-- > 0)
        sh_keys_take(keys);
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* Bytes of the sequence at the front: ESC [ … final, ESC [ [ x, ESC O x, ESC x. 0: it goes on. */
static size_t sequence_length(const char *bytes, size_t len)
{
    size_t pos = 2;

    if (len < 2)
        return 0;
    if (bytes[1] == 'O')
        return len < 3 ? 0 : 3;
    if (bytes[1] != '[')
        return 2;
    if (len > 2 && bytes[2] == '[')
        return len < 4 ? 0 : 4;
    while (pos < len && bytes[pos] >= 0x20 && bytes[pos] < 0x40)
        pos++;
    return pos < len ? pos + 1 : 0;
}

static enum sh_tty_key find_sequence(const char *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(SEQUENCES) / sizeof(SEQUENCES[0]); i++)
        if (strlen(SEQUENCES[i].bytes) == len && memcmp(SEQUENCES[i].bytes, bytes, len) == 0)
            return SEQUENCES[i].key;
    return SH_TTY_UNKNOWN;
}

/* More of what has begun at the front; false: nothing came in time. */
static bool wait_for_rest(struct sh_keys *keys)
{
    return read_more(keys, SH_KEYS_ESCAPE_MS);
}

static enum sh_tty_key peek_sequence(struct sh_keys *keys, size_t *len)
{
    do {
        const char *bytes = keys->bytes + keys->first;
        size_t there = keys->last - keys->first;

        *len = sequence_length(bytes, there);
        if (*len > 2)
            return find_sequence(bytes, *len);
        if (*len == 2) /* Meta and a character, or a key after a lone Escape */
            break;
    } while (wait_for_rest(keys));
    *len = 1;
    return SH_TTY_ESCAPE;
}

static bool ends_paste(struct sh_keys *keys)
{
    size_t len = sizeof(PASTE_ENDS) - 1;

    if (keys->bytes[keys->first] != '\033')
        return false;
    while (keys->last - keys->first < len && wait_for_rest(keys))
        ;
    return keys->last - keys->first >= len &&
           memcmp(keys->bytes + keys->first, PASTE_ENDS, len) == 0;
}

static size_t character_length(unsigned char lead)
{
    if (lead < 0xc2 || lead > 0xf4)
        return 1;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

enum sh_tty_key sh_keys_peek(struct sh_keys *keys, size_t *len, uint32_t *code)
{
    *len = 0;
    *code = 0;
    if (!sh_keys_any(keys))
        return SH_TTY_NONE;
    if (keys->bytes[keys->first] == '\033' && !keys->pasting)
        return peek_sequence(keys, len);
    if (ends_paste(keys)) {
        *len = sizeof(PASTE_ENDS) - 1;
        return SH_TTY_UNKNOWN;
    }

    size_t wanted = character_length((unsigned char)keys->bytes[keys->first]);

    while (keys->last - keys->first < wanted && wait_for_rest(keys))
        ;

    pk_slice rest = {keys->bytes + keys->first, keys->last - keys->first};

    *len = 1;
    if (pk_utf8_take(&rest, code))
        *len = keys->last - keys->first - rest.len;
    else
        *code = (unsigned char)keys->bytes[keys->first];
    return SH_TTY_TEXT;
}
