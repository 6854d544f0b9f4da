/* The command line. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "shell/options.h"

TestSuite(options);

enum { WORDS = 10 };

static enum pk_code parse(struct sh_options *options, const char *const *words,
                          struct pk_error *err)
{
    static char name[] = "pksk";
    static char copies[WORDS][64];
    static char *argv[WORDS + 2];
    int argc = 1;

    argv[0] = name;
    for (; words[argc - 1] != NULL; argc++) {
        snprintf(copies[argc - 1], sizeof(copies[0]), "%s", words[argc - 1]);
        argv[argc] = copies[argc - 1];
    }
    argv[argc] = NULL;
    return sh_options_parse(options, argc, argv, err);
}

Test(options, refused)
{
    static const struct {
        const char *words[WORDS];
        const char *message;
    } rows[] = {
        {{"--memory", "store"}, "--memory and a directory ('store') exclude each other"},
        {{"a", "b"}, "one store at a time: 'a' and 'b'"},
        {{""}, "the store's directory has an empty name"},
        {{"--nothing"}, "no option '--nothing'"},
        {{"-x"}, "no option '-x'"},
        {{"-c"}, "option '-c' needs TEXT"},
        {{"-qf"}, "option '-f' needs FILE"},
        {{"--mode"}, "option '--mode' needs M"},
        {{"--mode", "html"}, "no mode 'html': table, line, json, jsonl, csv or markdown"},
        {{"--memory=1"}, "option '--memory' takes no argument"},
        {{"repair"}, "usage: pksk repair DIR"},
        {{"repair", "a", "-c", "x"}, "usage: pksk repair DIR"},
        {{"--port", "80"}, "option '--port' is for pksk serve only"},
        {{"-v"}, "option '-v' is for pksk serve only"},
        {{"serve", "-q"}, "option '-q' is none of pksk serve"},
        {{"serve", "--yes"}, "option '--yes' is none of pksk serve"},
        {{"serve", "--port", "65536"}, "no port '65536': 0 to 65535"},
        {{"serve", "--port="}, "no port '': 0 to 65535"},
        {{"serve", "--log", "xml"}, "no log 'xml': text or json"},
        {{"serve", "--memory", "dir"}, "--memory and a directory ('dir') exclude each other"},
        {{"--endpoint", "x", "dir"}, "--endpoint and a store (dir) exclude each other"},
        {{"--region", "x", "--memory"}, "--region and a store (--memory) exclude each other"},
        {{"--profile", "x", "--durable"}, "--profile and a store (--durable) exclude each other"},
        {{"--endpoint"}, "option '--endpoint' needs URL"},
        {{"serve", "--endpoint", "x"}, "option '--endpoint' is none of pksk serve"},
        {{"repair", "dir", "--endpoint", "x"}, "--endpoint is for the shell"},
        {{"panel", "--view", "map"}, "no view 'map': heat, collections, stream, indexes or split"},
        {{"panel", "--theme", "blue"}, "no theme 'blue': light or dark"},
        {{"panel", "--memory"}, "option '--memory' is none of pksk panel"},
        {{"panel", "-c", "x"}, "option '-c' is none of pksk panel"},
        {{"panel", "dir", "--endpoint", "x"}, "--endpoint and a store (dir) exclude each other"},
        {{"--projector"}, "option '--projector' is for pksk panel only"},
        {{"serve", "--view", "heat"}, "option '--view' is none of pksk serve"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sh_options options;
        struct pk_error err = PK_ERROR_INIT;

        cr_expect_eq(parse(&options, rows[i].words, &err), PK_E_USAGE, "row %zu", i);
        cr_expect_str_eq(err.message, rows[i].message, "row %zu: %s", i, err.message);
        sh_options_release(&options);
        pk_error_release(&err);
    }
}

Test(options, of_serve)
{
    static const char *const words[] = {"serve",        "--port=0",          "--host", "::1", "-v",
                                        "--allow-host", "--allow-host=host", "dir",    NULL};
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(parse(&options, words, &err), PK_OK);
    cr_expect_eq(options.action, SH_SERVE);
    cr_expect_str_eq(options.dir, "dir");
    cr_expect(options.serve.port_given && options.serve.port == 0);
    cr_expect_str_eq(options.serve.host, "::1");
    cr_assert_eq(options.serve.allowed_count, 1); /* the option's argument may look like one */
    cr_expect_str_eq(options.serve.allowed[0], "--allow-host=host");
    cr_expect_eq(options.serve.log, SH_LOG_TEXT);
    cr_expect_null(options.serve.auth);
    sh_options_release(&options);
}

Test(options, of_an_endpoint)
{
    static const char *const words[] = {"--endpoint", "http://x:1", "--region=r-1",
                                        "--profile",  "dev",        NULL};
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(parse(&options, words, &err), PK_OK);
    cr_expect_str_eq(options.remote.endpoint, "http://x:1");
    cr_expect_str_eq(options.remote.region, "r-1");
    cr_expect_str_eq(options.remote.profile, "dev");
    cr_expect(sh_options_remote(&options));
    sh_options_release(&options);
    cr_assert_eq(parse(&options, words + 5, &err), PK_OK);
    cr_expect_not(sh_options_remote(&options));
    sh_options_release(&options);
}

Test(options, accepted)
{
    static const char *const words[] = {"-qc",  "a; b",         "--mode=JSONL", "-f",
                                        "file", "--keep-going", "./serve",      NULL};
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(parse(&options, words, &err), PK_OK);
    cr_expect_eq(options.action, SH_RUN);
    cr_expect_str_eq(options.dir, "./serve");
    cr_expect(options.quiet && options.keep_going);
    cr_expect(!options.memory && !options.durable && !options.yes && !options.no_init);
    cr_expect(options.mode_given && options.mode == CMD_MODE_JSONL);
    cr_assert_eq(options.input_count, 2);
    cr_expect_eq(options.inputs[0].kind, SH_INPUT_TEXT);
    cr_expect_str_eq(options.inputs[0].text, "a; b");
    cr_expect_eq(options.inputs[1].kind, SH_INPUT_FILE);
    cr_expect_str_eq(options.inputs[1].text, "file");
    sh_options_release(&options);
}

Test(options, subcommands_and_the_end_of_options)
{
    static const char *const repair[] = {"repair", "dir", NULL};
    static const char *const named[] = {"--", "--memory", NULL};
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(parse(&options, repair, &err), PK_OK);
    cr_expect_eq(options.action, SH_REPAIR);
    cr_expect_str_eq(options.dir, "dir");
    sh_options_release(&options);
    cr_assert_eq(parse(&options, named, &err), PK_OK);
    cr_expect_str_eq(options.dir, "--memory");
    cr_expect(!options.memory);
    sh_options_release(&options);
}

Test(options, help_names_every_option)
{
    static const char *const names[] = {
        "--memory",       "--durable",  "-c TEXT",     "-f FILE",   "--mode M",
        "--endpoint URL", "--region R", "--profile P", "-q",        "--no-init",
        "--keep-going",   "--yes",      "--version",   "-h, --help"};
    struct pk_buf out = PK_BUF_INIT;

    sh_options_help(&out);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        cr_expect_not_null(strstr(out.data, names[i]), "%s is missing in\n%s", names[i], out.data);
    pk_buf_release(&out);
}

Test(options, of_panel)
{
    static const char *const words[] = {"panel",       "dir",     "--projector", "--theme=light",
                                        "--view=heat", "--table", "Tab",         NULL};
    static const char *const none[] = {"panel", "--endpoint", "localhost:8000", NULL};
    struct sh_options options;
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(parse(&options, words, &err), PK_OK, "%s", err.message);
    cr_expect_eq(options.action, SH_PANEL);
    cr_expect_str_eq(options.dir, "dir");
    cr_expect(options.panel.projector);
    cr_expect_eq(options.panel.theme, SH_THEME_LIGHT);
    cr_expect_eq(options.panel.view, SH_VIEW_HEAT);
    cr_expect_str_eq(options.panel.table, "Tab");
    sh_options_release(&options);
    cr_assert_eq(parse(&options, none, &err), PK_OK, "%s", err.message);
    cr_expect_eq(options.panel.view, SH_VIEW_SPLIT);
    cr_expect_eq(options.panel.theme, SH_THEME_AUTO);
    cr_expect(sh_options_remote(&options));
    sh_options_release(&options);
}
