#include "tests/support/command_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

void command_open(struct command_fixture *fx)
{
    struct pk_engine_options options = {.memory = true, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;

    *fx = (struct command_fixture){.engine = NULL};
    if (pk_engine_open(&options, &fx->engine, &err) != PK_OK) {
        fprintf(stderr, "the engine does not open: %s\n", err.message);
        abort();
    }
    cmd_settings_init(&fx->settings);
    fx->settings.footer_time = false;
    cmd_context_init(&fx->context, cmd_backend_local_new(fx->engine), fx->engine);
    fx->context.settings = &fx->settings;
}

void command_close(struct command_fixture *fx)
{
    struct cmd_backend *backend = fx->context.backend;

    if (fx->context.txn == NULL) {
        command_must(fx, "check");
        if (fx->check_failed) {
            fprintf(stderr, "check finds faults:\n%s\n", fx->text.data);
            abort();
        }
    }
    cmd_context_release(&fx->context);
    cmd_backend_free(backend);
    pk_engine_close(fx->engine);
    pk_buf_release(&fx->text);
}

static void add_items(struct pk_buf *out, const struct cmd_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        cmd_value_text(out, items->rows[i]);
        pk_buf_add_byte(out, '\n');
    }
}

static void add_cells(struct pk_buf *out, const struct cmd_grid *grid, size_t row)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        pk_slice cell = grid->cells[row * grid->column_count + i];

        pk_buf_add_cstr(out, i == 0 ? "" : " | ");
        pk_buf_add(out, cell);
    }
    pk_buf_add_byte(out, '\n');
}

static void add_grid(struct pk_buf *out, const struct cmd_grid *grid)
{
    for (size_t i = 0; !grid->headless && i < grid->column_count; i++)
        pk_buf_printf(out, "%s%s", i == 0 ? "" : " | ", grid->columns[i]);
    if (!grid->headless)
        pk_buf_add_byte(out, '\n');
    for (size_t row = 0; row < grid->row_count; row++)
        add_cells(out, grid, row);
}

static void add_hint(struct pk_buf *out, const struct cmd_block *block, const char *statement)
{
    pk_buf_add_cstr(out, "hint");
    if (block->span.len > 0)
        pk_buf_printf(out, " at '%.*s'", (int)block->span.len, statement + block->span.start);
    pk_buf_printf(out, ": %.*s\n", PK_FMT(block->text));
}

static void add_block(struct pk_buf *out, const struct cmd_block *block, const char *statement)
{
    switch (block->kind) {
    case CMD_BLOCK_ITEMS:
        add_items(out, &block->items);
        return;
    case CMD_BLOCK_GRID:
        add_grid(out, &block->grid);
        return;
    case CMD_BLOCK_TEXT:
        pk_buf_printf(out, "%.*s\n", PK_FMT(block->text));
        return;
    case CMD_BLOCK_FOOTER:
        pk_buf_printf(out, "footer: %.*s\n", PK_FMT(block->text));
        return;
    case CMD_BLOCK_HINT:
        add_hint(out, block, statement);
        return;
    case CMD_BLOCK_NOTE:
        pk_buf_printf(out, "note: %.*s\n", PK_FMT(block->text));
        return;
    }
}

static void add_error(struct pk_buf *out, const struct pk_error *err, const char *statement)
{
    pk_buf_printf(out, "%s: %s\n", pk_code_name(err->code), err->message);
    if (err->span.len > 0)
        pk_buf_printf(out, "  at '%.*s'\n", (int)err->span.len, statement + err->span.start);
    if (err->hint != NULL)
        pk_buf_printf(out, "  hint: %s\n", err->hint);
}

const char *command_run(struct command_fixture *fx, const char *statement)
{
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_result result;

    cmd_result_init(&result);
    pk_buf_clear(&fx->text);
    fx->code = cmd_execute(&fx->context, pk_slice_cstr(statement), &result, &err);
    if (fx->code != PK_OK)
        add_error(&fx->text, &err, statement);
    for (const struct cmd_block *block = result.first; block != NULL; block = block->next)
        add_block(&fx->text, block, statement);
    fx->check_failed = result.check_failed;
    cmd_result_release(&result);
    pk_error_release(&err);
    return fx->text.data == NULL ? "" : fx->text.data;
}

void command_must(struct command_fixture *fx, const char *statement)
{
    const char *text = command_run(fx, statement);

    if (fx->code == PK_OK)
        return;
    fprintf(stderr, "%s\n%s", statement, text);
    abort();
}

void command_seed(struct command_fixture *fx)
{
    static const char *const statements[] = {
        "api create-table {\"TableName\": \"dashboard\", \"BillingMode\": \"PAY_PER_REQUEST\","
        " \"AttributeDefinitions\": [{\"AttributeName\": \"PK\", \"AttributeType\": \"S\"},"
        " {\"AttributeName\": \"SK\", \"AttributeType\": \"S\"}],"
        " \"KeySchema\": [{\"AttributeName\": \"PK\", \"KeyType\": \"HASH\"},"
        " {\"AttributeName\": \"SK\", \"KeyType\": \"RANGE\"}]}",
        "api create-table {\"TableName\": \"Tab\", \"BillingMode\": \"PAY_PER_REQUEST\","
        " \"AttributeDefinitions\": [{\"AttributeName\": \"PK\", \"AttributeType\": \"S\"},"
        " {\"AttributeName\": \"N\", \"AttributeType\": \"N\"},"
        " {\"AttributeName\": \"G\", \"AttributeType\": \"S\"}],"
        " \"KeySchema\": [{\"AttributeName\": \"PK\", \"KeyType\": \"HASH\"},"
        " {\"AttributeName\": \"N\", \"KeyType\": \"RANGE\"}],"
        " \"GlobalSecondaryIndexes\": [{\"IndexName\": \"by_g\","
        " \"KeySchema\": [{\"AttributeName\": \"G\", \"KeyType\": \"HASH\"}],"
        " \"Projection\": {\"ProjectionType\": \"ALL\"}}]}",
        "use dashboard",
        "put USER#123 PROFILE {name: Alice}",
        "put USER#123 ORDER#1001 {total: 45}",
        "put USER#123 ORDER#1002 {total: 12.5}",
        "put USER#123 PAYMENT#5 {status: 'paid'}",
        "put USER#999 PROFILE {name: Bob}",
        "put USER#999 ORDER#55 {total: 9.99}",
    };

    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
        command_must(fx, statements[i]);
}

void command_check(const struct command_row *rows, size_t count)
{
    struct command_fixture fx;

    command_open(&fx);
    command_seed(&fx);
    for (size_t i = 0; i < count; i++) {
        const char *text = command_run(&fx, rows[i].statement);

        if (rows[i].text == NULL)
            cr_expect_eq(fx.code, PK_OK, "%s\n%s", rows[i].statement, text);
        else
            cr_expect_str_eq(text, rows[i].text, "%s\n--- answers\n%s--- not\n%s",
                             rows[i].statement, text, rows[i].text);
    }
    command_close(&fx);
}
