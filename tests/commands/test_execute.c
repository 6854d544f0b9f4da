/* From a statement to what runs it. */
#include <criterion/criterion.h>

#include "tests/support/session.h"

static const struct {
    const char *statement;
    const char *answer;
} not_utf8[] = {
    {"put a \xFF {N: 1}", "UsageError: byte 0xFF is not UTF-8 @6+1"},
    {"put a 1 {N: \xC3}", "UsageError: byte 0xC3 is not UTF-8 @12+1"},
    {"put a 1 {`\xA0`: 1}", "UsageError: byte 0xA0 is not UTF-8 @10+1"},
    {"SELECT * FROM Tab WHERE PK = '\xED\xA0\x80'", "UsageError: byte 0xED is not UTF-8 @30+1"},
    {"create table \xFFoo (PK S)", "UsageError: byte 0xFF is not UTF-8 @13+1"},
    {"\xFF", "UsageError: byte 0xFF is not UTF-8 @0+1"},
};

Test(execute, names_the_byte_that_is_not_utf8)
{
    struct session session;

    cr_assert(session_open(&session));
    cr_assert_str_eq(session_run(&session, "create table Tab (PK S, SK N)"),
                     "table Tab created · PK (S), SK (N) · on demand");
    for (size_t i = 0; i < sizeof(not_utf8) / sizeof(*not_utf8); i++) {
        const char *answer = session_run(&session, not_utf8[i].statement);

        cr_expect_str_eq(answer, not_utf8[i].answer, "%s: %s", not_utf8[i].statement, answer);
    }
    session_close(&session);
}
