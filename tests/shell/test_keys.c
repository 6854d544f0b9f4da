/* Bytes of a terminal as keys: sequences, characters, pastes. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "shell/keys.h"

TestSuite(keys);

/* What a terminal has sent so far. */
static struct sh_keys keys_of(const char *bytes, size_t len, int ends[2])
{
    struct sh_keys keys;

    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    cr_assert_eq(write(ends[1], bytes, len), (ssize_t)len);
    sh_keys_init(&keys, ends[0]);
    cr_assert(sh_keys_soon(&keys, 0));
    return keys;
}

static const struct {
    const char *bytes;
    enum sh_tty_key key;
    size_t len;
    uint32_t code;
} CASES[] = {
    {"a", SH_TTY_TEXT, 1, 'a'},
    {"\r", SH_TTY_TEXT, 1, '\r'},
    {"\x7f", SH_TTY_TEXT, 1, 0x7f},
    {"\xe6\x97\xa5", SH_TTY_TEXT, 3, 0x65e5},
    {"\xf0\x9f\x98\x80", SH_TTY_TEXT, 4, 0x1f600},
    /* no UTF-8: byte by byte */
    {"\xff", SH_TTY_TEXT, 1, 0xff},
    {"\xe6\x97", SH_TTY_TEXT, 1, 0xe6},
    {"\xc0\x80", SH_TTY_TEXT, 1, 0xc0},
    {"\xed\xa0\x80", SH_TTY_TEXT, 1, 0xed},
    /* xterm and tmux */
    {"\033OQ", SH_TTY_F2, 3, 0},
    {"\033[15~", SH_TTY_F5, 5, 0},
    {"\033[17~", SH_TTY_F6, 5, 0},
    {"\033[18~", SH_TTY_F7, 5, 0},
    {"\033[20~", SH_TTY_F9, 5, 0},
    {"\033[5~", SH_TTY_PAGE_UP, 4, 0},
    {"\033[6~", SH_TTY_PAGE_DOWN, 4, 0},
    {"\033[A", SH_TTY_UP, 3, 0},
    {"\033OA", SH_TTY_UP, 3, 0},
    {"\033[H", SH_TTY_HOME, 3, 0},
    {"\033[4~", SH_TTY_END, 4, 0},
    {"\033[3~", SH_TTY_DELETE, 4, 0},
    /* the Linux console and rxvt */
    {"\033[[B", SH_TTY_F2, 4, 0},
    {"\033[[E", SH_TTY_F5, 4, 0},
    {"\033[12~", SH_TTY_F2, 5, 0},
    /* others, as wholes */
    {"\033[1;5C", SH_TTY_UNKNOWN, 6, 0},
    {"\033[200~", SH_TTY_UNKNOWN, 6, 0},
    {"\033OZ", SH_TTY_UNKNOWN, 3, 0},
    /* alone, with Meta, and what never ends */
    {"\033", SH_TTY_ESCAPE, 1, 0},
    {"\033x", SH_TTY_ESCAPE, 1, 0},
    {"\033\033[5~", SH_TTY_ESCAPE, 1, 0},
    {"\033[", SH_TTY_ESCAPE, 1, 0},
    {"\033[12", SH_TTY_ESCAPE, 1, 0},
};

Test(keys, are_what_terminals_send)
{
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        int ends[2];
        struct sh_keys keys = keys_of(CASES[i].bytes, strlen(CASES[i].bytes), ends);
        size_t len = 0;
        uint32_t code = 0;
        enum sh_tty_key key = sh_keys_peek(&keys, &len, &code);

        cr_expect_eq(key, CASES[i].key, "row %zu: key %d", i, (int)key);
        cr_expect_eq(len, CASES[i].len, "row %zu: %zu bytes", i, len);
        cr_expect_eq(code, CASES[i].code, "row %zu: code %x", i, code);
        close(ends[0]);
        close(ends[1]);
    }
}

/* A sequence and a character that arrive in pieces are waited for. */
Test(keys, wait_for_their_rest)
{
    static const struct {
        const char *first, *rest;
        enum sh_tty_key key;
        size_t len;
    } cases[] = {
        {"\033", "[18~", SH_TTY_F7, 5},
        {"\033[1", "8~", SH_TTY_F7, 5},
        {"\xe6", "\x97\xa5", SH_TTY_TEXT, 3},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int ends[2];
        struct sh_keys keys = keys_of(cases[i].first, strlen(cases[i].first), ends);
        size_t len = 0;
        uint32_t code = 0;

        cr_assert_gt(write(ends[1], cases[i].rest, strlen(cases[i].rest)), 0);
        cr_expect_eq(sh_keys_peek(&keys, &len, &code), cases[i].key, "row %zu", i);
        cr_expect_eq(len, cases[i].len, "row %zu: %zu bytes", i, len);
        close(ends[0]);
        close(ends[1]);
    }
}

/* Keys and how many of them: "t" text, "?" unknown, "7" F7, "e" Escape. */
static void spell(const char *bytes, char *out)
{
    int ends[2];
    struct sh_keys keys = keys_of(bytes, strlen(bytes), ends);
    size_t len = 0;
    uint32_t code = 0;
    enum sh_tty_key key;

    while ((key = sh_keys_peek(&keys, &len, &code)) != SH_TTY_NONE) {
        *out++ = (char)(key == SH_TTY_TEXT      ? 't'
                        : key == SH_TTY_UNKNOWN ? '?'
                        : key == SH_TTY_F7      ? '7'
                                                : 'e');
        sh_keys_skip(&keys, len);
    }
    *out = '\0';
    close(ends[0]);
    close(ends[1]);
}

Test(keys, of_a_paste_are_text)
{
    static const struct {
        const char *bytes, *keys;
    } cases[] = {
        {"a\033[18~b", "t7t"},
        {"\033[200~\033[18~\033[201~\033[18~", "?ttttt?7"},
        {"\033[200~R\nR\033[201~R", "?ttt?t"},
        {"\033[200~\033\033[201~x", "?t?t"},
        /* an end without a beginning */
        {"\033[201~x", "?t"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char spelt[64];

        spell(cases[i].bytes, spelt);
        cr_expect_str_eq(spelt, cases[i].keys, "row %zu: %s", i, spelt);
    }
}

Test(keys, can_end_a_paste_that_does_not)
{
    int ends[2];
    struct sh_keys keys = keys_of("\033[200~ab", 8, ends);
    char spelt[16] = "";

    cr_expect_not(sh_keys_end_paste(&keys), "no paste has begun");
    sh_keys_skip(&keys, 8);
    cr_expect(sh_keys_end_paste(&keys));
    for (size_t i = 0; sh_keys_any(&keys); i++)
        spelt[i] = (char)sh_keys_take(&keys);
    cr_expect_str_eq(spelt, "\033[201~");
    cr_expect_not(keys.pasting);
    close(ends[0]);
    close(ends[1]);
}

Test(keys, are_kept_while_nobody_takes_them)
{
    int ends[2];
    char much[2 * SH_KEYS_BYTES];
    struct sh_keys keys;
    size_t taken = 0;

    memset(much, 'x', sizeof(much));
    keys = keys_of(much, sizeof(much), ends);
    cr_assert_eq(keys.last - keys.first, SH_KEYS_BYTES);
    cr_expect_not(sh_keys_wait(&keys, 0), "there is no room for more");
    cr_expect_eq(keys.last - keys.first, SH_KEYS_BYTES);
    close(ends[1]);
    while (sh_keys_soon(&keys, 0)) {
        cr_assert_eq(sh_keys_take(&keys), 'x');
        taken++;
    }
    cr_expect_eq(taken, sizeof(much));
    cr_expect(keys.gone, "the terminal has ended");
    close(ends[0]);
}
