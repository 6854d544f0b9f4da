#include <criterion/criterion.h>
#include <stdio.h>

#include "commands/registry.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(registry, rows_are_ordered_and_complete)
{
    for (size_t i = 0; cmd_entries[i] != NULL; i++) {
        const struct cmd_entry *entry = cmd_entries[i];

        cr_expect(i == 0 || strcmp(cmd_entries[i - 1]->name, entry->name) < 0,
                  "%s stands before %s", i == 0 ? "" : cmd_entries[i - 1]->name, entry->name);
        cr_expect(entry->summary != NULL && entry->summary[0] != '\0', "%s has no summary",
                  entry->name);
        cr_expect(entry->summary != NULL && strlen(entry->summary) <= 80, "%s is long-winded",
                  entry->name);
        cr_expect_not_null(entry->usage, "%s has no usage", entry->name);
        cr_expect(entry->run != NULL, "%s does not run", entry->name);
    }
}

/* Each spelling leads to its own row. */
Test(registry, spellings_are_unique)
{
    for (size_t i = 0; cmd_entries[i] != NULL; i++) {
        const struct cmd_entry *entry = cmd_entries[i];
        char aliases[256];
        size_t args = 0;

        cr_expect_eq(cmd_find(NULL, pk_slice_cstr(entry->name), &args), entry, "%s", entry->name);
        snprintf(aliases, sizeof(aliases), "%s", entry->alias == NULL ? "" : entry->alias);
        for (char *word = strtok(aliases, " "); word != NULL; word = strtok(NULL, " ")) {
            for (char *c = word; *c != '\0'; c++)
                *c = *c == '_' ? ' ' : *c;
            cr_expect_eq(cmd_find(NULL, pk_slice_cstr(word), &args), entry, "%s", word);
        }
    }
}

Test(registry, find)
{
    static const struct {
        const char *text;
        const char *name; /* NULL: none */
        size_t args;
    } rows[] = {
        {"get a", "get", 4},
        {"GET a", "get", 4},
        {"  get\ta", "get", 6},
        {"get", "get", 3},
        {"get{PK: 1}", "get", 3},
        {"gets a", NULL, 0},
        {"ge", NULL, 0},
        {"show tables x", "tables", 12},
        {"show  TABLES", "tables", 12},
        {"show", NULL, 0},
        {"\\dt", "tables", 3},
        {"\\d Music", "describe", 3},
        {"desc Music", "describe", 5},
        {".tables", "tables", 7},
        {"create table T", "create table", 13},
        {"create /* a */ table T", "create table", 21},
        {"create index", NULL, 0},
        {"select", NULL, 0},
        {"", NULL, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t args = 0;
        const struct cmd_entry *entry = cmd_find(NULL, pk_slice_cstr(rows[i].text), &args);

        if (rows[i].name == NULL) {
            cr_expect_null(entry, "%s is %s", rows[i].text, entry == NULL ? "" : entry->name);
            continue;
        }
        cr_expect(entry != NULL && strcmp(entry->name, rows[i].name) == 0, "%s is %s", rows[i].text,
                  entry == NULL ? "nothing" : entry->name);
        cr_expect_eq(args, rows[i].args, "%s: arguments at %zu", rows[i].text, args);
    }
}

Test(registry, nearest)
{
    static const struct {
        const char *word;
        const char *names;
    } rows[] = {
        {"qery", "query"},
        {"quer", "query"},
        {"gte", "get"},
        {"slect", "select"},
        {"descrbie", "describe"},
        {"scna", "scan"},
        {"xyzzy", ""},
        {"nope", ""},
        {"", ""},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < COUNT(rows); i++) {
        pk_slice names = cmd_nearest(NULL, pk_slice_cstr(rows[i].word), &arena);

        cr_expect(pk_slice_starts(names, pk_slice_cstr(rows[i].names)) &&
                      (names.len == 0) == (rows[i].names[0] == '\0'),
                  "%s gives %.*s", rows[i].word, PK_FMT(names));
    }
    pk_arena_release(&arena);
}
