/* `panel`: parsed on the worker's thread, done on the main thread, whose the terminal is. */
#include "shell/panel/panel_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/args.h"
#include "shell/panel/panel.h"
#include "shell/paths.h"

enum wish { ON, OFF, SHOW, SAVE };

struct order {
    struct sh *sh;
    enum wish wish;
    enum sh_view_id view; /* SHOW */
    pk_slice path;        /* SAVE: as typed */
    struct pk_buf text;   /* SAVE: the screen */
    struct pk_error *err;
};

static enum pk_code parse(const struct cmd_statement *statement, struct pk_arena *arena,
                          struct order *order, struct pk_error *err)
{
    struct cmd_words words;
    pk_slice word = {NULL, 0};
    enum pk_code rc = cmd_words_init(&words, statement, arena, err);

    order->wish = ON;
    if (rc != PK_OK || cmd_words_at_end(&words))
        return rc;

    struct pk_span span = words.token.span;

    rc = cmd_words_take(&words, "on, off, a view, or save", &word, err);
    if (rc != PK_OK)
        return rc;
    if (cmd_word_is(word, "off")) {
        order->wish = OFF;
    } else if (cmd_word_is(word, "save")) {
        order->wish = SAVE;
        rc = cmd_words_take(&words, "a file for the screen", &order->path, err);
    } else if (sh_view_named(word, &order->view)) {
        order->wish = SHOW;
    } else if (!cmd_word_is(word, "on")) {
        return pk_fail_at(err, PK_E_USAGE, span,
                          "expected on, off, heat, collections, stream, indexes, split or save");
    }
    return rc == PK_OK ? cmd_words_done(&words, err) : rc;
}

/* On the main thread. */
static int obey(void *context)
{
    struct order *order = context;
    struct sh *sh = order->sh;
    enum pk_code rc = PK_OK;

    switch (order->wish) {
    case OFF:
        sh_panel_off(sh);
        return PK_OK;
    case ON:
    case SHOW:
        rc = sh_panel_on(sh, order->err);
        if (rc == PK_OK && order->wish == SHOW)
            sh_panel_show(sh, order->view);
        return (int)rc;
    case SAVE:
        if (sh_panel_text(sh, &order->text))
            return PK_OK;
        return (int)pk_fail(order->err, PK_E_USAGE,
                            "the panel is not on, so there is no screen to save");
    }
    return PK_OK;
}

static enum pk_code save(const struct order *order, struct cmd_result *result, struct pk_error *err)
{
    struct pk_buf path = PK_BUF_INIT;
    enum pk_code rc = PK_OK;

    sh_path_expand(&path, order->path);

    int fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;

    while (fd >= 0 && done < order->text.len) {
        ssize_t wrote = write(fd, order->text.data + done, order->text.len - done);

        if (wrote < 0 && errno != EINTR)
            break;
        done += wrote < 0 ? 0 : (size_t)wrote;
    }
    if (fd < 0 || done < order->text.len)
        rc = pk_fail(err, PK_E_IO, "cannot write '%.*s': %s", PK_FMT(order->path), strerror(errno));
    else
        cmd_result_text(result, CMD_BLOCK_NOTE, "the screen is in %.*s", PK_FMT(order->path));
    if (fd >= 0)
        close(fd);
    pk_buf_release(&path);
    return rc;
}

static enum pk_code panel_run(struct cmd_context *context, const struct cmd_statement *statement,
                              struct cmd_result *result, struct pk_error *err)
{
    struct order order = {.sh = sh_of(context), .text = PK_BUF_INIT, .err = err};
    enum pk_code rc = parse(statement, &result->arena, &order, err);

    if (rc == PK_OK)
        rc = (enum pk_code)sh_on_main(order.sh, obey, &order);
    if (rc == PK_OK && order.wish == SAVE)
        rc = save(&order, result, err);
    pk_buf_release(&order.text);
    return rc;
}

static void complete(struct cmd_context *context, struct cmd_completion *completion)
{
    static const char *const words[] = {"on", "off", "save"};

    (void)context;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        cmd_completion_add(completion, pk_slice_cstr(words[i]));
    for (int i = 0; i < SH_VIEWS; i++)
        cmd_completion_add(completion, pk_slice_cstr(sh_view_name((enum sh_view_id)i)));
}

const struct cmd_entry sh_panel_entry = {
    .name = "panel",
    .group = CMD_GROUP_SHELL,
    .usage = "[on | off | heat | collections | stream | indexes | split] | save FILE.txt",
    .summary = "split the terminal: live views above, output and prompt below",
    .detail = "  F9          on and off, whatever is half typed; what runs goes on\n"
              "  F2 to F6    heat, collections, stream, indexes, split\n"
              "  PgUp, PgDn  scroll the output: the last 10,000 lines or 4 MB are kept\n"
              "  Ctrl-L      clear the output and draw everything anew\n"
              "  F7          put the keys into the view, F7 or Esc back to the prompt\n"
              "There: arrows, PgUp, PgDn, Home, End scroll, / searches, Enter opens an item,\n"
              "i looks at the next index of the table, f or space freezes the view, + and -\n"
              "change a traffic's rate, s its skew, T chooses the next traffic, R resets after\n"
              "asking: stops all traffic and begins the pictures anew (no item is touched).\n"
              "Of a view: n finds the next, c shows collections only, p pauses the stream,\n"
              "Tab goes to the next part of split. The collections go where the last read\n"
              "began, until a key moves them; Home lets them follow again.\n"
              "panel save writes the screen as text. If pksk was killed while the panel was\n"
              "on, type reset. In the init file it begins with the prompt.",
    .flags = CMD_READONLY,
    .complete = complete,
    .run = panel_run,
};
