/* docs/commands.md says what the registry says; UPDATE=1 writes it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/registry.h"
#include "shell/shell.h"

static const char path[] = "docs/commands.md";

static void add_aliases(struct pk_buf *out, const char *alias)
{
    pk_buf_add_cstr(out, "\nAlso: `");
    for (; *alias != '\0'; alias++) {
        if (*alias == ' ')
            pk_buf_add_cstr(out, "`, `");
        else
            pk_buf_add_byte(out, *alias == '_' ? ' ' : (unsigned char)*alias);
    }
    pk_buf_add_cstr(out, "`\n");
}

static void add_entry(struct pk_buf *out, const struct cmd_entry *entry)
{
    pk_buf_printf(out, "\n### %s\n\n```\n%s%s%s%s\n```\n\n%c%s.\n", entry->name, entry->name,
                  entry->usage[0] == '\0' ? "" : " ", entry->usage,
                  (entry->flags & CMD_DDL) != 0 ? ";" : "",
                  entry->summary[0] >= 'a' && entry->summary[0] <= 'z' ? entry->summary[0] - 32
                                                                       : entry->summary[0],
                  entry->summary + 1);
    if (entry->detail != NULL)
        pk_buf_printf(out, "\n```\n%s\n```\n", entry->detail);
    if (entry->alias != NULL)
        add_aliases(out, entry->alias);
}

static void generate(struct pk_buf *out)
{
    struct cmd_context context = {.shell_entries = sh_entries};

    pk_buf_add_cstr(out, "# Commands\n\n"
                         "This file is made from the command registry by `make test UPDATE=1`.\n"
                         "At the prompt, `help` lists the same and `help WORD` explains one.\n\n"
                         "Commands end with the line, DDL and PartiQL with `;`.\n"
                         "PartiQL (`SELECT`, `INSERT`, `UPDATE`, `DELETE`) is sent as "
                         "`ExecuteStatement`.\n");
    for (int group = CMD_GROUP_DATA; group <= CMD_GROUP_SHELL; group++) {
        const char *name = cmd_group_name((enum cmd_group)group);
        struct cmd_walk walk = {0};
        const struct cmd_entry *entry;

        pk_buf_printf(out, "\n## %c%s\n", name[0] - 32, name + 1);
        while ((entry = cmd_walk_next(&context, &walk)) != NULL) {
            if ((int)entry->group == group)
                add_entry(out, entry);
        }
    }
}

static void read_file(struct pk_buf *out)
{
    FILE *file = fopen(path, "rb");
    char block[4096];
    size_t n;

    if (file == NULL)
        return;
    while ((n = fread(block, 1, sizeof(block), file)) > 0)
        pk_buf_add(out, pk_slice_of(block, n));
    fclose(file);
}

Test(command_docs, are_current)
{
    struct pk_buf made = PK_BUF_INIT, there = PK_BUF_INIT;
    const char *update = getenv("UPDATE");

    generate(&made);
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE *file = fopen(path, "wb");

        cr_assert_not_null(file);
        cr_assert_eq(fwrite(made.data, 1, made.len, file), made.len);
        cr_assert_eq(fclose(file), 0);
    }
    read_file(&there);
    cr_assert(pk_slice_equal(pk_buf_slice(&made), pk_buf_slice(&there)),
              "docs/commands.md is not what the registry says: run with UPDATE=1");
    pk_buf_release(&made);
    pk_buf_release(&there);
}

Test(command_docs, rows_of_the_shell_are_ordered_and_clash_with_none)
{
    for (size_t i = 0; sh_entries[i] != NULL; i++) {
        size_t args = 0;

        cr_expect(i == 0 || strcmp(sh_entries[i - 1]->name, sh_entries[i]->name) < 0, "%s",
                  sh_entries[i]->name);
        cr_expect_null(cmd_find(NULL, pk_slice_cstr(sh_entries[i]->name), &args), "%s is twice",
                       sh_entries[i]->name);
        cr_expect(sh_entries[i]->summary != NULL && sh_entries[i]->summary[0] != '\0', "%s",
                  sh_entries[i]->name);
    }
}
