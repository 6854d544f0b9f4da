/*
 * Showing results. Results go to standard output, footers, hints and notes to standard error; where
 * a person sees both in one place they stay together, in the order the command gave them, so that
 * one pager shows all. Of a statement that failed: first what was found, then the error, then the
 * footer.
 */
#include "shell/show.h"

#include <stdlib.h>

#include "shell/demo.h"
#include "shell/panel/panel.h"
#include "shell/render/render.h"
#include "shell/render/render_diag.h"
#include "shell/render/text_safe.h"

/* True where colour is wanted on a descriptor that is a terminal or not. */
static bool wants_color(const struct sh *sh, bool terminal)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    switch (sh->settings.color) {
    case CMD_ON:
        return true;
    case CMD_OFF:
        return false;
    case CMD_AUTO:
        return terminal && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
               strcmp(term, "dumb") != 0;
    }
    return false;
}

bool sh_ascii(const struct sh *sh)
{
    switch (sh->settings.symbols) {
    case CMD_SYMBOLS_UTF8:
        return false;
    case CMD_SYMBOLS_ASCII:
        return true;
    case CMD_SYMBOLS_AUTO:
        return sh->options.ascii;
    }
    return false;
}

static bool is_primary(const struct cmd_block *block)
{
    switch (block->kind) {
    case CMD_BLOCK_ITEMS:
    case CMD_BLOCK_GRID:
    case CMD_BLOCK_TEXT:
        return true;
    case CMD_BLOCK_FOOTER:
    case CMD_BLOCK_HINT:
    case CMD_BLOCK_NOTE:
        return false;
    }
    return false;
}

static size_t terminal_width(const struct sh *sh)
{
    size_t rows = 0;
    size_t columns = 0;

    if (sh->output.out_tty)
        sh_output_size(&sh->output, &rows, &columns);
    return columns;
}

static bool wants_pager(const struct sh *sh, pk_slice text)
{
    size_t rows = 0;
    size_t columns = 0;
    size_t lines = 0;

    if (!sh_interactive(sh) || sh->redirected || sh->settings.pager == CMD_OFF)
        return false;
    if (sh->settings.pager == CMD_ON)
        return true;
    sh_output_size(&sh->output, &rows, &columns);
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    return lines + 1 > rows;
}

/* Text of one stream that is being put together. */
struct page {
    struct sh *sh;
    enum sh_stream stream;
    struct pk_buf text;
};

static void page_flush(struct page *page)
{
    enum sh_stream stream = page->stream;

    if (stream == SH_RESULT && wants_pager(page->sh, pk_buf_slice(&page->text)))
        stream = SH_PAGED;
    sh_emit_take(page->sh, stream, &page->text);
}

static void add_hint(struct pk_buf *out, const struct sh_render *render,
                     const struct cmd_block *block, pk_slice source)
{
    struct sh_diag diag = {.source = source, .width = render->width, .color = render->color};

    sh_diag_hint(out, &diag, block->span, block->text);
}

static void page_block(struct page *page, const struct cmd_block *block, pk_slice source)
{
    struct sh *sh = page->sh;
    bool together = sh->output.out_tty && !sh->redirected;
    bool terminal = is_primary(block) ? together : sh->output.out_tty || sh->output.err_tty;
    enum sh_stream stream = is_primary(block) || together ? SH_RESULT : SH_CHATTER;
    struct sh_render render = {.out = &page->text,
                               .width = terminal ? terminal_width(sh) : 0,
                               .color = wants_color(sh, terminal),
                               .terminal = terminal,
                               .ascii = sh_ascii(sh)};

    if (stream != page->stream)
        page_flush(page);
    page->stream = stream;
    if (block->kind == CMD_BLOCK_HINT)
        add_hint(&page->text, &render, block, source);
    else
        sh_render_block(&render, sh->settings.mode, block);
}

enum which { ALL, PRIMARY, CHATTER };

static void show_blocks(struct sh *sh, const struct cmd_result *result, pk_slice source,
                        enum which which)
{
    struct page page = {.sh = sh, .stream = SH_RESULT};
    bool items = false;

    for (const struct cmd_block *block = result->first; block != NULL; block = block->next) {
        if (which != ALL && is_primary(block) != (which == PRIMARY))
            continue;
        page_block(&page, block, source);
        items = items || (block->kind == CMD_BLOCK_ITEMS && block->items.count > 0);
    }
    /* at a prompt a blank line sets a table off from what is typed next */
    if (items && which == ALL && page.stream == SH_RESULT && sh_interactive(sh))
        pk_buf_add_byte(&page.text, '\n');
    page_flush(&page);
}

/* A command that runs transactions lists their actions in a grid of its own. */
static bool has_grid(const struct cmd_result *result)
{
    for (const struct cmd_block *block = result->first; block != NULL; block = block->next)
        if (block->kind == CMD_BLOCK_GRID)
            return true;
    return false;
}

static void show_failure(struct sh *sh, const struct cmd_result *result, pk_slice source,
                         const struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    struct sh_diag diag = {.source = source,
                           .width = terminal_width(sh),
                           .color = wants_color(sh, sh->output.err_tty),
                           .no_reasons = has_grid(result)};

    sh_diag_render(&text, &diag, err);
    sh_emit_take(sh, SH_ERROR, &text);
}

void sh_show(struct sh *sh, const struct cmd_result *result, pk_slice source,
             const struct pk_error *err)
{
    if (err == NULL) {
        show_blocks(sh, result, source, ALL);
        return;
    }
    show_blocks(sh, result, source, PRIMARY);
    show_failure(sh, result, source, err);
    show_blocks(sh, result, source, CHATTER);
}

void sh_show_error(struct sh *sh, const struct pk_error *err)
{
    show_failure(sh, &(struct cmd_result){.first = NULL}, (pk_slice){NULL, 0}, err);
}

void sh_note(struct sh *sh, const char *format, ...)
{
    struct pk_buf text = PK_BUF_INIT;
    struct pk_buf safe = PK_BUF_INIT;
    va_list args;

    va_start(args, format);
    pk_buf_vprintf(&text, format, args);
    va_end(args);
    pk_buf_add_byte(&safe, ' ');
    sh_text_safe(&safe, pk_buf_slice(&text), SH_TEXT_LINES);
    pk_buf_add_byte(&safe, '\n');
    sh_emit_take(sh, SH_CHATTER, &safe);
    pk_buf_release(&text);
}

static void clear_screen(struct sh *sh)
{
    const char *term = getenv("TERM");
    struct pk_buf text = PK_BUF_INIT;

    if (!sh_interactive(sh) || term == NULL || strcmp(term, "dumb") == 0)
        return;
    pk_buf_add_cstr(&text, "\033[H\033[2J\033[3J");
    sh_emit_take(sh, SH_CHATTER, &text);
}

static void follow(struct sh *sh, enum cmd_next next)
{
    switch (next) {
    case CMD_NEXT_PROMPT:
        return;
    case CMD_NEXT_QUIT:
        sh->quit = true;
        return;
    case CMD_NEXT_CLEAR:
        clear_screen(sh);
        return;
    }
}

/* With an output file, a write that fails is the statement's failure: found out before the next. */
static bool file_failed(struct sh *sh)
{
    struct pk_error err = PK_ERROR_INIT;
    char *failure = NULL;

    if (!sh->redirected)
        return false;
    sh_sync(sh);
    failure = sh_output_failure(&sh->output);
    if (failure == NULL)
        return false;
    sh->redirected = sh->output.file_fd >= 0;
    pk_fail(&err, PK_E_IO, "%s", failure);
    sh_show_error(sh, &err);
    pk_error_release(&err);
    free(failure);
    return true;
}

static int status_of(enum pk_code rc, const struct cmd_result *result)
{
    if (rc != PK_OK)
        return SH_EXIT_FAILED;
    return result->check_failed ? SH_EXIT_CHECK : SH_EXIT_FINE;
}

struct footer {
    struct sh *sh;
    pk_slice text;
};

static int tell_panel(void *context)
{
    const struct footer *footer = context;

    sh_panel_last(footer->sh, footer->text);
    return 0;
}

/* The panel's status line has what the last command did. */
static void pass_footer_on(struct sh *sh, const struct cmd_result *result)
{
    struct footer footer = {.sh = sh, .text = {NULL, 0}};

    for (const struct cmd_block *block = result->first; block != NULL; block = block->next)
        if (block->kind == CMD_BLOCK_FOOTER)
            footer.text = block->text;
    if (footer.text.len > 0 && sh_interactive(sh))
        sh_on_main(sh, tell_panel, &footer);
}

int sh_execute(struct sh *sh, pk_slice text)
{
    struct cmd_result result;
    struct pk_error err = PK_ERROR_INIT;
    int64_t start_us = pk_clock_real_us();

    sh->told = false;
    sh_demo_begin(sh);
    cmd_result_init(&result);

    enum pk_code rc = cmd_execute(&sh->context, text, &result, &err);
    int64_t micros = pk_clock_real_us() - start_us;
    int status = status_of(rc, &result);

    if (!sh->told)
        sh_show(sh, &result, text, rc == PK_OK ? NULL : &err);
    if (sh->settings.timer)
        sh_note(sh, "time %lld.%03lld ms", (long long)(micros / 1000), (long long)(micros % 1000));
    pass_footer_on(sh, &result);
    follow(sh, result.next);
    if (file_failed(sh))
        status = SH_EXIT_FAILED;
    if (sh->status == SH_EXIT_FINE)
        sh->status = status;
    sh->told = false;
    cmd_result_release(&result);
    pk_error_release(&err);
    return status;
}
