/*
 * A shell session without a shell, for tests of commands: a memory engine, its backend and a
 * context. What a statement answers comes back as one text.
 *
 * In a header, because the support library is linked behind the commands.
 */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include <stdlib.h>

#include "commands/cmd.h"
#include "commands/settings.h"

struct session {
    struct pk_engine *engine;
    struct cmd_backend *backend;
    struct cmd_settings settings;
    struct cmd_context context;
    char *last; /* the last answer */
};

static inline bool session_open(struct session *session)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;
    bool opened;

    *session = (struct session){.last = NULL};
    opened = pk_engine_open(&options, &session->engine, &err) == PK_OK;
    pk_error_release(&err);
    if (!opened)
        return false;
    session->backend = cmd_backend_local_new(session->engine);
    cmd_settings_init(&session->settings);
    session->settings.footer_time = false;
    cmd_context_init(&session->context, session->backend, session->engine);
    session->context.settings = &session->settings;
    return true;
}

static inline void session_close(struct session *session)
{
    cmd_context_release(&session->context);
    cmd_backend_free(session->backend);
    pk_engine_close(session->engine);
    free(session->last);
}

static inline void session_add_grid(struct pk_buf *out, const struct cmd_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++)
        pk_buf_printf(out, "%s%s", i == 0 ? "" : "|", grid->columns[i]);
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        pk_buf_printf(out, "%s%.*s", i % grid->column_count == 0 ? "\n" : "|",
                      PK_FMT(grid->cells[i]));
}

/* Blocks in order, a newline between two: texts as they are, grids with '|' between the cells,
 * items as "N items"; a failure as "Name: message" with "@start+len" and "hint: …". */
static inline const char *session_run(struct session *session, const char *text)
{
    struct pk_buf out = PK_BUF_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_result result;

    cmd_result_init(&result);
    (void)cmd_execute(&session->context, pk_slice_cstr(text), &result, &err);
    for (const struct cmd_block *block = result.first; block != NULL; block = block->next) {
        pk_buf_add_cstr(&out, out.len > 0 ? "\n" : "");
        if (block->kind == CMD_BLOCK_ITEMS)
            pk_buf_printf(&out, "%zu items", block->items.count);
        else if (block->kind == CMD_BLOCK_GRID)
            session_add_grid(&out, &block->grid);
        else
            pk_buf_printf(&out, "%s%.*s", block->kind == CMD_BLOCK_HINT ? "hint: " : "",
                          PK_FMT(block->text));
    }
    if (err.code != PK_OK) {
        pk_buf_printf(&out, "%s%s: %s", out.len > 0 ? "\n" : "", pk_code_name(err.code),
                      err.message);
        if (err.span.len > 0 || err.span.start > 0)
            pk_buf_printf(&out, " @%u+%u", err.span.start, err.span.len);
        if (err.hint != NULL)
            pk_buf_printf(&out, "\nhint: %s", err.hint);
    }
    free(session->last);
    session->last = pk_buf_detach(&out);
    cmd_result_release(&result);
    pk_error_release(&err);
    return session->last;
}

#endif
