/* What could be undone is forgotten before the history is entered; see history_keys.h. */
#include "shell/history_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include <readline/history.h>
#include <readline/readline.h>

/* A command has no context to keep the function in that it stands for: each has its own. */
#define EACH_COMMAND(DO)                                                                           \
    DO(rl_get_previous_history)                                                                    \
    DO(rl_get_next_history)                                                                        \
    DO(rl_beginning_of_history)                                                                    \
    DO(rl_end_of_history)                                                                          \
    DO(rl_fetch_history)                                                                           \
    DO(rl_arrow_keys)                                                                              \
    DO(rl_re_read_init_file)                                                                       \
    DO(rl_operate_and_get_next)                                                                    \
    DO(rl_reverse_search_history)                                                                  \
    DO(rl_forward_search_history)                                                                  \
    DO(rl_noninc_reverse_search)                                                                   \
    DO(rl_noninc_forward_search)                                                                   \
    DO(rl_noninc_reverse_search_again)                                                             \
    DO(rl_noninc_forward_search_again)                                                             \
    DO(rl_history_search_backward)                                                                 \
    DO(rl_history_search_forward)                                                                  \
    DO(rl_history_substr_search_backward)                                                          \
    DO(rl_history_substr_search_forward)                                                           \
    DO(rl_vi_fetch_history)                                                                        \
    DO(rl_vi_search)                                                                               \
    DO(rl_vi_search_again)

#define DECLARE(command) static int forgetful_##command(int count, int key);
EACH_COMMAND(DECLARE)

/* Some commands go on with a search when the last one was of their kind. */
static void use_readline_name(void)
{
#define USE(command)                                                                               \
    if (rl_last_func == forgetful_##command)                                                       \
        rl_last_func = command;
    EACH_COMMAND(USE)
}

void sh_history_stay_inside(void)
{
    if (where_history() > history_length)
        using_history();
}

#define DEFINE(command)                                                                            \
    static int forgetful_##command(int count, int key)                                             \
    {                                                                                              \
        int status;                                                                                \
                                                                                                   \
        use_readline_name();                                                                       \
        rl_free_undo_list();                                                                       \
        status = command(count, key);                                                              \
        sh_history_stay_inside();                                                                  \
        return status;                                                                             \
    }
EACH_COMMAND(DEFINE)

static void replace(Keymap map, rl_command_func_t *theirs, rl_command_func_t *ours)
{
    char **sequences = rl_invoking_keyseqs_in_map(theirs, map);

    for (char **next = sequences; next != NULL && *next != NULL; next++) {
        rl_bind_keyseq_in_map(*next, ours, map);
        free(*next);
    }
    free(sequences);
}

/* What an inputrc that is read later calls so. */
static void rename_to(rl_command_func_t *theirs, rl_command_func_t *ours)
{
    for (FUNMAP **next = funmap; *next != NULL; next++)
        if ((*next)->function == theirs)
            (*next)->function = ours;
}

void sh_history_keys_bind(void)
{
    static const char *const maps[] = {"emacs-standard", "vi-insert", "vi-command"};

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        Keymap map = rl_get_keymap_by_name(maps[i]);

#define REPLACE(command) replace(map, command, forgetful_##command);
        EACH_COMMAND(REPLACE)
    }
#define RENAME(command) rename_to(command, forgetful_##command);
    EACH_COMMAND(RENAME)
}
