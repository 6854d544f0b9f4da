/* where KEY once partitions were split inside a token. */
#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"
#include "tests/support/split_fixture.h"

Test(where, borders_inside_a_collection)
{
    static const struct {
        const char *statement;
        const char *text;
    } rows[] = {
        {"where USER#1 ORDER#1 from Split",
         "token | bd518ac7afbb7608    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 2 of 6, tokens 8000\xE2\x80\xA6 to bd51\xE2\x80\xA6\n"
         "ends before | 'USER#1' \xC2\xB7 'ORDER#5'\n"
         "stored as | t \xC2\xB7 table 1 \xC2\xB7 bd518ac7afbb7608 \xC2\xB7 S USER#1 "
         "\xE2\x90\x80 \xC2\xB7 S ORDER#1 \xE2\x90\x80\n"},
        {"where USER#1 ORDER#5 from Split",
         "token | bd518ac7afbb7608    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 3 of 6, tokens bd51\xE2\x80\xA6 to bd51\xE2\x80\xA6\n"
         "begins with | 'USER#1' \xC2\xB7 'ORDER#5'\n"
         "ends before | 'USER#1' \xC2\xB7 'ORDER#7'\n"
         "stored as | t \xC2\xB7 table 1 \xC2\xB7 bd518ac7afbb7608 \xC2\xB7 S USER#1 "
         "\xE2\x90\x80 \xC2\xB7 S ORDER#5 \xE2\x90\x80\n"},
        /* The partition key alone: all that have something of its collection. */
        {"where USER#1 from Split",
         "token | bd518ac7afbb7608    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 2 to 4 of 6, tokens 8000\xE2\x80\xA6 to bfff\xE2\x80\xA6\n"
         "stored as | t \xC2\xB7 table 1 \xC2\xB7 bd518ac7afbb7608 \xC2\xB7 S USER#1 "
         "\xE2\x90\x80\n"},
        {"where USER#999 from Split",
         "token | 2010f92c13f20a36    simulated hash (MD5; AWS keeps its own to itself)\n"
         "partition | 0 of 6, tokens 0000\xE2\x80\xA6 to 3fff\xE2\x80\xA6\n"
         "stored as | t \xC2\xB7 table 1 \xC2\xB7 2010f92c13f20a36 \xC2\xB7 S USER#999 "
         "\xE2\x90\x80\n"},
    };
    /* explain speaks of the same places, and of what is in them. */
    static const struct {
        const char *statement;
        const char *text;
    } explained[] = {
        {"explain query USER#1 from Split", "partitions 2 to 4 of 6"},
        {"explain query USER#1 from Split", "9 items"},
        {"explain get USER#1 ORDER#6 from Split", "partition 3 of 6"},
        {"explain query USER#1 ORDER#8 from Split", "partition 4 of 6"},
    };
    struct command_fixture fx;
    struct engine_fixture engine;

    command_open(&fx);
    command_must(&fx, "create table Split (PK string, SK string)");
    engine_share(&engine, fx.engine);
    split_one(&engine, "Split", "{PK: 'USER#1', SK: 'ORDER#5'}");
    split_one(&engine, "Split", "{PK: 'USER#1', SK: 'ORDER#7'}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect_str_eq(command_run(&fx, rows[i].statement), rows[i].text, "%s", fx.text.data);
    for (int i = 0; i < 9; i++)
        command_must(&fx, engine_format(&engine, "put USER#1 ORDER#%d {a: 1} into Split", i));
    for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++)
        cr_expect(strstr(command_run(&fx, explained[i].statement), explained[i].text) != NULL, "%s",
                  fx.text.data);
    engine_unshare(&engine);
    command_close(&fx);
}
