/*
 * Text typed at the prompt: split into statements, each read by the lexer and the literal parser,
 * then run on a store that has something in it, and what comes of it shown in every mode. What is
 * shown has no byte that a terminal acts upon, and every span lies in its text.
 *
 * Statements that name import or export are not run, because they touch files; nor is stream tail,
 * which waits. The shell's own commands are not there at all.
 */
#include <locale.h>
#include <stdint.h>
#include <strings.h>

#include "commands/cmd.h"
#include "commands/literal.h"
#include "commands/schema.h"
#include "commands/settings.h"
#include "engine/base/utf8.h"
#include "shell/render/render.h"
#include "shell/render/render_diag.h"
#include "shell/render/text_safe.h"
#include "tests/fuzz/fuzz_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATEMENTS_MAX = 16, PAGE_WIDTH = 80 };

/* ---- reading --------------------------------------------------------------------------------- */

/* One byte behind the text stands for its end. */
static void check_span(struct pk_span span, pk_slice text, const char *message)
{
    if (span.start > text.len || span.start + (size_t)span.len > text.len + 1)
        pk_bug("the span %u+%u is not in a text of %zu bytes: %s", span.start, span.len, text.len,
               message);
}

static void lex(pk_slice text, enum cmd_lex_mode mode)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct pk_span all = {0, (uint32_t)text.len};
    struct cmd_lexer lexer;
    struct cmd_token token;
    size_t end = 0;

    cmd_lexer_init(&lexer, text, all, &arena);
    do {
        if (cmd_lex(&lexer, mode, &token, &err) != PK_OK) {
            check_span(err.span, text, err.message);
            break;
        }
        check_span(token.span, text, "a token");
        if (token.span.start < end || (token.kind != CMD_TOKEN_END && token.span.len == 0))
            pk_bug("the token at %u does not go on from %zu", token.span.start, end);
        end = token.span.start + token.span.len;
    } while (token.kind != CMD_TOKEN_END);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

/* A value that was read is written as a literal and read again: it must be the same. Only of text
 * that is UTF-8: other statements are refused before values are read. */
static void read_again(struct pk_arena *arena, pk_value value)
{
    struct pk_error err = PK_ERROR_INIT;
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_literal literal = {.mode = CMD_LITERAL_COMMAND, .arena = arena};
    size_t pos = 0;
    pk_value again;

    cmd_value_text(&text, value);
    literal.source = pk_buf_slice(&text);
    if (cmd_literal_parse(&literal, &pos, &again, &err) != PK_OK)
        pk_bug("a literal we wrote is refused: %s: %s", text.data, err.message);
    if (pos != text.len || !pk_value_equal(value, again))
        pk_bug("a literal we wrote is read as something else: %s", text.data);
    pk_buf_release(&text);
}

static void read_literal(pk_slice text, enum cmd_literal_mode mode)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_literal literal = {.source = text, .mode = mode, .arena = &arena};
    size_t pos = 0;
    pk_value value;

    if (cmd_literal_parse(&literal, &pos, &value, &err) != PK_OK)
        check_span(err.span, text, err.message);
    else if (pk_utf8_valid(text))
        read_again(&arena, value);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void check_shown(const struct pk_buf *shown)
{
    pk_slice rest = pk_buf_slice(shown);
    uint32_t code_point;

    while (rest.len > 0) {
        if (!pk_utf8_take(&rest, &code_point))
            pk_bug("what is shown is not UTF-8: %s", shown->data);
        if (sh_text_unsafe(code_point))
            pk_bug("U+%04X is shown: %s", code_point, shown->data);
    }
}

static void show_block(const struct cmd_block *block, enum cmd_mode mode)
{
    struct pk_buf shown = PK_BUF_INIT;
    struct sh_render render = {.out = &shown, .width = PAGE_WIDTH, .terminal = true};

    sh_render_block(&render, mode, block);
    check_shown(&shown);
    pk_buf_release(&shown);
}

static void show_result(const struct cmd_result *result, pk_slice source)
{
    static const enum cmd_mode modes[] = {CMD_MODE_TABLE, CMD_MODE_LINE, CMD_MODE_JSON,
                                          CMD_MODE_JSONL, CMD_MODE_CSV,  CMD_MODE_MARKDOWN};
    struct sh_diag diag = {.source = source, .width = PAGE_WIDTH};

    for (const struct cmd_block *block = result->first; block != NULL; block = block->next) {
        struct pk_buf shown = PK_BUF_INIT;

        for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
            show_block(block, modes[i]);
        if (block->kind == CMD_BLOCK_HINT) {
            check_span(block->span, source, "a hint");
            sh_diag_hint(&shown, &diag, block->span, block->text);
            check_shown(&shown);
        }
        pk_buf_release(&shown);
    }
}

static void show_error(const struct pk_error *err, pk_slice source)
{
    struct sh_diag diag = {.source = source, .width = PAGE_WIDTH};
    struct pk_buf shown = PK_BUF_INIT;

    if (err->message == NULL || err->code == PK_E_INTERNAL)
        pk_bug("%s without a message", pk_code_name(err->code));
    check_span(err->span, source, err->message);
    sh_diag_render(&shown, &diag, err);
    check_shown(&shown);
    pk_buf_release(&shown);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool mentions(pk_slice text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (strncasecmp(text.data + i, word, len) == 0)
            return true;
    }
    return false;
}

/* explain sends nothing that reads or writes items. */
static void check_explain(const struct cmd_context *context, pk_slice text, unsigned calls)
{
    size_t args;
    const struct cmd_entry *entry = cmd_find(context, text, &args);

    if (calls > 0 && entry != NULL && strcmp(entry->name, "explain") == 0)
        pk_bug("explain calls %u operations", calls);
}

static void run(struct fuzz_store *store, struct cmd_context *context, pk_slice text)
{
    struct pk_error err = PK_ERROR_INIT;
    struct cmd_result result;

    if (mentions(text, "import") || mentions(text, "export") || mentions(text, "tail"))
        return;
    cmd_result_init(&result);
    store->item_calls = 0;
    if (cmd_execute(context, text, &result, &err) != PK_OK)
        show_error(&err, text);
    check_explain(context, text, store->item_calls);
    if (store->dirty)
        fuzz_store_pass(store, 0);
    show_result(&result, text);
    cmd_result_release(&result);
    pk_error_release(&err);
}

/* A statement ends where it ends, whatever follows. */
static void check_prefix(const struct cmd_context *context, pk_slice text,
                         const struct cmd_split *whole)
{
    struct cmd_split split;

    if (cmd_split_next(context, text, true, &split) != CMD_SPLIT_COMPLETE ||
        split.end != whole->end || !pk_slice_equal(split.body, whole->body))
        pk_bug("alone the statement ends elsewhere");
}

static void run_all(struct fuzz_store *store, struct cmd_context *context, pk_slice text)
{
    struct cmd_split split;

    for (unsigned i = 0; i < STATEMENTS_MAX && text.len > 0; i++) {
        enum cmd_split_state state = cmd_split_next(context, text, true, &split);

        if (state == CMD_SPLIT_OPEN) {
            if (split.open == NULL)
                pk_bug("nothing is open");
            return;
        }
        if (split.end == 0 || split.end > text.len)
            pk_bug("a statement of %zu bytes in a text of %zu", split.end, text.len);
        if (state == CMD_SPLIT_COMPLETE) {
            check_prefix(context, pk_slice_of(text.data, split.end), &split);
            run(store, context, split.body);
        }
        text = pk_slice_skip(text, split.end);
    }
}

/* Completion at the end of the text. */
static void complete(struct cmd_context *context, pk_slice text)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_completion completion = {.line = text, .cursor = text.len, .arena = &arena};

    completion.start = text.len;
    while (completion.start > 0 && !cmd_ends_word(text, completion.start - 1))
        completion.start--;
    cmd_complete(context, &completion);
    pk_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store store;
    struct cmd_settings settings;
    struct cmd_context context;
    pk_slice text = pk_slice_of((const char *)data, size);

    if (store.engine == NULL)
        (void)setlocale(LC_CTYPE, "C.UTF-8");
    fuzz_store_ready(&store);
    cmd_settings_init(&settings);
    cmd_context_init(&context, &store.backend, store.engine);
    context.settings = &settings;
    context.yes = true;
    cmd_set_table(&context, PK_LIT("dashboard"));
    lex(text, CMD_LEX_VALUES);
    lex(text, CMD_LEX_MAP_KEY);
    lex(text, CMD_LEX_EXPRESSION);
    read_literal(text, CMD_LITERAL_COMMAND);
    read_literal(text, CMD_LITERAL_JSON);
    complete(&context, text);
    complete(&context, pk_slice_of(text.data, size / 2));
    run_all(&store, &context, text);
    cmd_context_release(&context);
    fuzz_store_reset(&store);
    return 0;
}
