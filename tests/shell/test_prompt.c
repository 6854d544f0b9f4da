/* The prompt says where one is and what is open. */
#include <criterion/criterion.h>

#include "shell/prompt.h"

TestSuite(prompt);

Test(prompt, texts)
{
    static char dashboard[] = "dashboard";
    /* only whether there is one matters */
    struct cmd_transaction *open_transaction = (struct cmd_transaction *)(void *)dashboard;
    const struct {
        char *table;
        const char *endpoint;
        struct cmd_transaction *txn;
        const char *open;
        const char *expected;
    } rows[] = {
        {NULL, NULL, NULL, NULL, "pksk> "},
        {dashboard, NULL, NULL, NULL, "pksk dashboard> "},
        {dashboard, NULL, open_transaction, NULL, "pksk dashboard*> "},
        {NULL, "http://localhost:8000/", NULL, NULL, "pksk localhost:8000> "},
        {dashboard, "https://dynamodb.eu-west-1.amazonaws.com", NULL, NULL,
         "pksk dynamodb.eu-west-1.amazonaws.com dashboard> "},
        {NULL, NULL, NULL, ";", "   ;> "},
        {NULL, NULL, NULL, "'", "   '> "},
        {NULL, NULL, NULL, "", "    > "},
        {dashboard, NULL, NULL, "{", "             {> "},
        {dashboard, NULL, open_transaction, "/*", "             /*> "},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cmd_backend backend = {.endpoint = rows[i].endpoint};
        struct cmd_context context = {
            .backend = &backend, .table = rows[i].table, .txn = rows[i].txn};
        struct pk_buf out = PK_BUF_INIT;

        sh_prompt(&out, &context, rows[i].open);
        cr_expect_str_eq(out.data, rows[i].expected, "row %zu: '%s'", i, out.data);
        pk_buf_release(&out);
    }
}
