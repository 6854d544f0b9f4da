/* Where readline jumps to; see read_char.h. */
#include "shell/read_char.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

/* readline's own, which its headers do not have. */
extern sigjmp_buf _rl_top_level;

static sigjmp_buf here;
static volatile bool reading;

void sh_read_char_draws(void)
{
    if (reading)
        memcpy(&_rl_top_level, &here, sizeof(here));
}

void sh_read_char(void)
{
    if (sigsetjmp(here, 0) == 0) {
        reading = true;
        rl_callback_read_char();
    } else {
        rl_redisplay_function();
    }
    reading = false;
}
