/* See the header. */
#include "shell/panel/view_keys.h"

enum { BACKSPACE = 0x7f, BLANK = 0x20 };

static const struct {
    enum sh_tty_key key;
    enum sh_key_name name;
} NAMES[] = {
    {SH_TTY_UP, SH_KEY_UP},           {SH_TTY_DOWN, SH_KEY_DOWN},
    {SH_TTY_LEFT, SH_KEY_LEFT},       {SH_TTY_RIGHT, SH_KEY_RIGHT},
    {SH_TTY_PAGE_UP, SH_KEY_PAGE_UP}, {SH_TTY_PAGE_DOWN, SH_KEY_PAGE_DOWN},
    {SH_TTY_HOME, SH_KEY_HOME},       {SH_TTY_END, SH_KEY_END},
    {SH_TTY_ESCAPE, SH_KEY_ESCAPE},
};

bool sh_view_key_of(enum sh_tty_key key, uint32_t code, struct sh_key *out)
{
    *out = (struct sh_key){.name = SH_KEY_CHAR, .code = code};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (NAMES[i].key == key) {
            out->name = NAMES[i].name;
            return true;
        }
    }
    if (key != SH_TTY_TEXT)
        return false;
    if (code == '\r' || code == '\n')
        out->name = SH_KEY_ENTER;
    else if (code == '\t')
        out->name = SH_KEY_TAB;
    else if (code == BACKSPACE || code == '\b')
        out->name = SH_KEY_BACKSPACE;
    return out->name != SH_KEY_CHAR || code >= BLANK;
}

bool sh_view_of_key(enum sh_tty_key key, enum sh_view_id *id)
{
    if (key < SH_TTY_F1 || key > SH_TTY_F10)
        return false;
    for (int i = 0; i < SH_VIEWS; i++) {
        *id = (enum sh_view_id)i;
        if (sh_view_function_key(*id) == (int)(key - SH_TTY_F1) + 1)
            return true;
    }
    return false;
}
