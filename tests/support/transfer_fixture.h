/*
 * Importing and exporting in tests: the commands on an engine in memory, beside a directory for
 * files. In statements and in what they answer '@' stands for the directory.
 *
 * In a header, because the support library is linked behind the commands.
 */
#ifndef TESTS_TRANSFER_FIXTURE_H
#define TESTS_TRANSFER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "commands/literal.h"
#include "commands/transfer/transfer_export.h"
#include "tests/support/command_fixture.h"
#include "tests/support/temp_dir.h"

struct transfer_fixture {
    struct command_fixture commands;
    struct temp_dir dir;
    struct pk_buf text; /* of the last statement */
};

static inline void fixture_open(struct transfer_fixture *fx)
{
    *fx = (struct transfer_fixture){.text = PK_BUF_INIT};
    command_open(&fx->commands);
    temp_dir_make(&fx->dir);
}

static inline void fixture_close(struct transfer_fixture *fx)
{
    command_close(&fx->commands);
    temp_dir_remove(&fx->dir);
    pk_buf_release(&fx->text);
}

/* `text` with every `from` as `to`. */
static inline void fixture_replace(struct pk_buf *out, const char *text, const char *from,
                                   const char *to)
{
    const char *hit;

    while ((hit = strstr(text, from)) != NULL) {
        pk_buf_add(out, pk_slice_of(text, (size_t)(hit - text)));
        pk_buf_add_cstr(out, to);
        text = hit + strlen(from);
    }
    pk_buf_add_cstr(out, text);
}

/* Left out: footers, which say where keys hash to and what a read costs, and that an error points
 * at the file's name, as every error about a file does. */
static inline void fixture_drop_lines(struct pk_buf *text)
{
    struct pk_buf out = PK_BUF_INIT;
    const char *line = text->data == NULL ? "" : text->data;

    while (*line != '\0') {
        size_t len = strcspn(line, "\n");

        len += line[len] == '\n';
        if (strncmp(line, "footer: ", 8) != 0 && strncmp(line, "  at '@", 7) != 0)
            pk_buf_add(&out, pk_slice_of(line, len));
        line += len;
    }
    pk_buf_release(text);
    *text = out;
}

/* What the statement answers. */
static inline const char *fixture_run(struct transfer_fixture *fx, const char *statement)
{
    struct pk_buf real = PK_BUF_INIT;
    const char *answer;

    fixture_replace(&real, statement, "@", fx->dir.path);
    answer = command_run(&fx->commands, real.data);
    pk_buf_clear(&fx->text);
    fixture_replace(&fx->text, answer, fx->dir.path, "@");
    fixture_drop_lines(&fx->text);
    pk_buf_release(&real);
    return fx->text.data == NULL ? "" : fx->text.data;
}

static inline void fixture_must(struct transfer_fixture *fx, const char *statement)
{
    const char *answer = fixture_run(fx, statement);

    cr_assert_eq(fx->commands.code, PK_OK, "%s\n%s", statement, answer);
}

static inline FILE *fixture_fopen(const struct transfer_fixture *fx, const char *name,
                                  const char *mode)
{
    char path[256];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", fx->dir.path, name);
    file = fopen(path, mode);
    cr_assert_not_null(file, "%s", path);
    return file;
}

static inline void fixture_write(const struct transfer_fixture *fx, const char *name,
                                 pk_slice bytes)
{
    FILE *file = fixture_fopen(fx, name, "wb");

    cr_assert_eq(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    cr_assert_eq(fclose(file), 0);
}

/* The file's bytes; release them. */
static inline struct pk_buf fixture_read(const struct transfer_fixture *fx, const char *name)
{
    FILE *file = fixture_fopen(fx, name, "rb");
    struct pk_buf bytes = PK_BUF_INIT;
    size_t got;

    while ((got = fread(pk_buf_reserve(&bytes, 4096), 1, 4096, file)) > 0)
        bytes.len += got;
    bytes.data[bytes.len] = '\0';
    cr_assert_eq(fclose(file), 0);
    return bytes;
}

/* All items of a table, whatever their order. */
struct fixture_sum {
    uint64_t items, bytes, digest;
};
static inline struct fixture_sum fixture_sum(struct transfer_fixture *fx, const char *table)
{
    struct transfer_export export = {
        .context = &fx->commands.context,
        .name = pk_slice_cstr(table),
    };
    struct pk_error err = PK_ERROR_INIT;
    struct fixture_sum sum = {0, 0, 0};
    pk_view item;

    transfer_export_rewind(&export);
    while (transfer_export_next(&export, &item, &err) == PK_OK && item.len > 0)
        sum.digest += transfer_digest(item);
    cr_assert_eq(err.code, PK_OK, "%s: %s", table, err.message);
    sum.items = export.written;
    sum.bytes = export.bytes;
    transfer_export_release(&export);
    return sum;
}

static inline void fixture_same(struct transfer_fixture *fx, const char *a, const char *b)
{
    struct fixture_sum left = fixture_sum(fx, a);
    struct fixture_sum right = fixture_sum(fx, b);

    cr_expect_eq(left.items, right.items, "%s and %s", a, b);
    cr_expect_eq(left.bytes, right.bytes, "%s and %s", a, b);
    cr_expect_eq(left.digest, right.digest, "%s and %s differ", a, b);
}

/* The JSON text as a value in which the order of items (of every "TableData") means nothing. */
static inline pk_value fixture_normal(struct pk_arena *arena, pk_value value, bool sort)
{
    struct pk_member_vec members = {0};
    struct pk_value_vec items = {0};

    if (pk_value_kind(value) == PK_MAP) {
        for (uint32_t i = 0; i < value.len; i++) {
            const struct pk_member *member = &value.u.members[i];

            pk_member_vec_add(
                &members, arena, member->name,
                fixture_normal(arena, member->value, pk_slice_is(member->name, "TableData")));
        }
        return pk_value_map(members.data, members.len);
    }
    if (pk_value_kind(value) != PK_LIST)
        return value;
    for (uint32_t i = 0; i < value.len; i++)
        pk_value_vec_add(&items, arena, fixture_normal(arena, value.u.items[i], false));
    for (size_t i = 1; sort && i < items.len; i++) {
        for (size_t k = i; k > 0; k--) {
            pk_value held = items.data[k];

            if (pk_slice_compare(pk_view_of(arena, items.data[k - 1]), pk_view_of(arena, held)) <=
                0)
                break;
            items.data[k] = items.data[k - 1];
            items.data[k - 1] = held;
        }
    }
    return pk_value_list(items.data, items.len);
}

static inline pk_value fixture_json(struct pk_arena *arena, const struct pk_buf *text)
{
    struct cmd_literal literal = {
        .source = pk_buf_slice(text),
        .mode = CMD_LITERAL_JSON,
        .arena = arena,
    };
    struct pk_error err = PK_ERROR_INIT;
    pk_value value = pk_value_missing();
    size_t pos = 0;

    cr_assert_eq(cmd_literal_parse(&literal, &pos, &value, &err), PK_OK, "%s", err.message);
    return fixture_normal(arena, value, false);
}

/* Asserts that two JSON texts are the same model. */
static inline void fixture_same_json(const struct pk_buf *left, const struct pk_buf *right,
                                     const char *what)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf a = PK_BUF_INIT, b = PK_BUF_INIT;

    transfer_plain_json(&a, fixture_json(&arena, left));
    transfer_plain_json(&b, fixture_json(&arena, right));
    cr_expect_str_eq(a.data, b.data, "%s:\n%s\n--- and\n%s", what, a.data, b.data);
    pk_buf_release(&a);
    pk_buf_release(&b);
    pk_arena_release(&arena);
}

/* One case: a file, what is done with it, what that answers. */
struct fixture_case {
    const char *file; /* NULL: none is written */
    pk_slice bytes;
    const char *statement; /* NULL: nothing, the file is for later */
    const char *answer;
};

#define FILE_OF(name, text)                                                                        \
    (name),                                                                                        \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }
#define NO_FILE                                                                                    \
    NULL,                                                                                          \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Each case in the same store, in order. */
static inline void fixture_cases(const struct fixture_case *cases, size_t count)
{
    struct transfer_fixture fx;

    fixture_open(&fx);
    for (size_t i = 0; i < count; i++) {
        const char *answer;

        if (cases[i].file != NULL)
            fixture_write(&fx, cases[i].file, cases[i].bytes);
        if (cases[i].statement == NULL)
            continue;
        answer = fixture_run(&fx, cases[i].statement);
        cr_expect_str_eq(answer, cases[i].answer, "%s\n--- gives\n%s\n--- expected\n%s",
                         cases[i].statement, answer, cases[i].answer);
    }
    fixture_close(&fx);
}

#endif
