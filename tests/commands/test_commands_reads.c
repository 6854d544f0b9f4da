/* query, scan, count and more. Each row is a statement and all it answers; rows of one test share a
 * store. */
#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(commands_reads, query)
{
    static const struct command_row rows[] = {
        {"query USER#123",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 4 items · Query · partition 1 of 4 · 118 B read · 0.5 RCU eventual\n"},
        {"query USER#123 ORDER#*",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 ORDER#1001",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item · Query · partition 1 of 4 · 29 B read · 0.5 RCU eventual\n"},
        {"query USER#123 ORDER#1001..ORDER#1002 desc",
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 PAYMENT#5..",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 ..ORDER#1001",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item · Query · partition 1 of 4 · 29 B read · 0.5 RCU eventual\n"},
        {"query USER#123 'ORDER#'*",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 'ORDER#*'",
         "footer: 0 items · Query · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"query USER#123 'A'..'ORDER#1001'",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item · Query · partition 1 of 4 · 29 B read · 0.5 RCU eventual\n"},
        {"query USER#123 >= PAYMENT#5",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 begins_with ORDER#",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 begins_with('PAY')",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "footer: 1 item · Query · partition 1 of 4 · 31 B read · 0.5 RCU eventual\n"},
        {"query USER#123 between ORDER#1001 and ORDER#1002",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 *",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 4 items · Query · partition 1 of 4 · 118 B read · 0.5 RCU eventual\n"},
        {"query PK = 'USER#123' and begins_with(SK, 'ORDER#') where total > 20",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item of 2 read · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query PK = 'USER#123' and SK BEGINS_WITH(\"PAY\")",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "footer: 1 item · Query · partition 1 of 4 · 31 B read · 0.5 RCU eventual\n"},
        {"query 'PK'", "footer: 0 items · Query · partition 2 of 4 · 0.5 RCU eventual\n"},
        {"query USER#123 select total limit 1",
         "{'total': 45}\n"
         "footer: 1 item · Query · partition 1 of 4 · 29 B read · 0.5 RCU eventual\n"
         "note: there is more: type more\n"},
        {"more", "{'total': 12.5}\n"
                 "footer: 1 item · Query · partition 1 of 4 · 30 B read · 0.5 RCU eventual\n"
                 "note: there is more: type more\n"},
        {"query USER#123 limit 2 pages all",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 4 items · Query · 3 pages · partition 1 of 4 · 118 B read · 1.5 RCU"
         " eventual\n"},
        {"query USER#123 after USER#123 ORDER#1002",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 2 items · Query · partition 1 of 4 · 59 B read · 0.5 RCU eventual\n"},
        {"query USER#123 where total > 20 strong",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item of 4 read · Query · partition 1 of 4 · 118 B read · 1 RCU strong\n"},
        {"query USER#*",
         "UsageError: the partition key 'PK' must be whole: '*' acts on the sort key only\n"
         "  at 'USER#*'\n"
         "  hint: scan where begins_with(PK, 'USER#') reads everything to find them; in quotes '*' "
         "is text\n"},
        {"query USER#123 A B",
         "UsageError: the key of dashboard is PK (S), SK (S): this is one value too many\n"
         "  at 'B'\n"},
        {"query USER#123 ORDER#1001 between",
         "UsageError: the key of dashboard is PK (S), SK (S): this is one value too many\n"
         "  at 'between'\n"},
        {"query USER#123 between A B",
         "UsageError: expected 'and' after the lower bound of 'between'\n"
         "  at 'B'\n"},
        {"query USER#123 limit 0", "UsageError: expected a whole number from 1 after 'limit'\n"
                                   "  at '0'\n"},
        {"query USER#123 limit x", "UsageError: expected a whole number from 1 after 'limit'\n"
                                   "  at 'x'\n"},
        {"query PK = abc",
         "ValidationException: Invalid condition in KeyConditionExpression: Multiple"
         " attribute names used in one condition\n"
         "  at 'abc'\n"
         "  hint: a string is written 'abc'\n"},
        {"query PK = 5", "UsageError: key attribute 'PK' is a string, this is of type N\n"
                         "  at '5'\n"
                         "  hint: a string is written in quotes: '…'\n"},
        {"query SK = 'a'", "ValidationException: Query condition missed key schema element: PK\n"
                           "  at 'SK = 'a''\n"},
        {"query PK > 'a'",
         "ValidationException: Query key condition not supported\n"
         "  at 'PK > 'a''\n"
         "  hint: the partition key takes = alone, the sort key one of = < <= > >= between "
         "begins_with; conditions on other attributes follow 'where'\n"},
        {"query USER#123 asc desc", "UsageError: asc and desc exclude each other\n"
                                    "  at 'desc'\n"},
        {"query USER#123 where",
         "UsageError: expected something after 'where'\n"
         "  at 'where'\n"
         "  hint: an attribute spelled like a word of the language is written `where`\n"},
        {"query USER#123 where totl = 1",
         "footer: 0 items of 4 read · Query · partition 1 of 4 · 118 B read · 0.5 RCU"
         " eventual\n"
         "hint at 'totl': no item has an attribute totl; there is total\n"},
        {"query USER#123 where name = Alice",
         "footer: 0 items of 4 read · Query · partition 1 of 4 · 118 B read · 0.5 RCU"
         " eventual\n"
         "hint at 'Alice': no item has an attribute Alice; a string is written 'Alice'\n"},
        {"query USER#123 where name = = 'x'",
         "ValidationException: Invalid FilterExpression: Syntax error; token: \"=\", near:"
         " \"= = 'x'\"\n"
         "  at '='\n"},
        {"query USER#123 on nope", "UsageError: table 'dashboard' has no index 'nope'\n"
                                   "  at 'nope'\n"
                                   "  hint: it has no indexes\n"},
        {"query", "UsageError: the key of dashboard is PK (S), SK (S): no value is given\n"},
        {"query USER#123 segment 0/2",
         "UsageError: query has no clause 'segment'\n"
         "  at 'segment'\n"
         "  hint: a key spelled like that is quoted, 'segment', an attribute too, `segment`\n"},
        {"query a 1..10 from Tab",
         "footer: 0 items · Query · partition 3 of 4 · 0.5 RCU eventual\n"},
        {"query a 1* from Tab", "UsageError: 'N' is a number: it has no beginning to match\n"
                                "  at '1*'\n"
                                "  hint: a range of numbers is written 1..5\n"},
        {"query a x.. from Tab", "UsageError: key attribute 'N' is a number, 'x' is none\n"
                                 "  at 'x'\n"},
        {"query x on Tab.by_g", "footer: 0 items · Query · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"query x y on Tab.by_g",
         "UsageError: the key of by_g is G (S): this is one value too many\n"
         "  at 'y'\n"},
        {"query x on Tab.by_g strong",
         "ValidationException: Consistent reads are not supported on global secondary indexes\n"
         "  at 'strong'\n"
         "  hint: an index is a copy that follows the table: only the table is read strongly\n"},
        {"query x on by_g from Tab after {G: x}",
         "ValidationException: The provided starting key is invalid\n"
         "  at '{G: x}'\n"},
        {"query x on by_g from Tab after a 1",
         "UsageError: on an index, 'after' takes the whole map of LastEvaluatedKey\n"
         "  at 'a 1'\n"},
        {"query USER#123 ..", "UsageError: expected a value beside '..'\n"
                              "  at '..'\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_reads, scan)
{
    static const struct command_row rows[] = {
        {"scan",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 6 items · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"},
        {"scan where total > 20 select total",
         "{'total': 45}\n"
         "footer: 1 item of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. To ask by total: a GSI with"
         " total as its key.\n"},
        {"scan limit 1",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "footer: 1 item · Scan · partition 0 of 4 · 28 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"
         "note: there is more: type more\n"},
        {"more", "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
                 "footer: 1 item · Scan · partition 0 of 4 · 26 B read · 0.5 RCU eventual\n"
                 "note: there is more: type more\n"},
        {"scan pages 2 limit 2",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 4 items · Scan · 2 pages · 2 of 4 partitions · 113 B read · 1 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"
         "note: there is more: type more\n"},
        {"scan segment 0/2",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 6 items · Scan · 2 of 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"},
        {"scan segment 1/2",
         "footer: 0 items · Scan · 2 of 4 partitions · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"},
        {"scan from Tab",
         "footer: 0 items · Scan · all 4 partitions · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"},
        {"scan on Tab.by_g",
         "footer: 0 items · Scan · all 4 partitions · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With G known: query <G> on"
         " by_g\n"},
        {"scan strong where status = 'paid'",
         "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
         "footer: 1 item of 6 read · Scan · all 4 partitions · 172 B read · 1 RCU strong\n"
         "A Scan pays for what it reads, not for what it returns. To ask by status: a GSI"
         " with status as its key.\n"},
        {"scan where status = paid",
         "footer: 0 items of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU"
         " eventual\n"
         "hint at 'paid': no item has an attribute paid; a string is written 'paid'\n"},
        {"scan foo", "UsageError: scan takes no key: it reads everything\n"
                     "  at 'foo'\n"
                     "  hint: query foo reads by key; scan from foo names a table\n"},
        {"scan segment 2/2",
         "ValidationException: The Segment parameter is zero-based and must be less than parameter "
         "TotalSegments: Segment: 2 is not less than TotalSegments: 2\n"
         "  at '2/2'\n"},
        {"scan segment x", "UsageError: expected a segment as 0/4: the first of four\n"
                           "  at 'x'\n"},
        {"scan where a == 1", "UsageError: there is no operator '=='\n"
                              "  at '=='\n"
                              "  hint: '=' compares\n"},
        {"scan where x is null",
         "UsageError: there is no operator 'is'\n"
         "  at 'is'\n"
         "  hint: here that is attribute_exists(a), attribute_not_exists(a) or a = null\n"},
        {"scan where #x = 1",
         "UsageError: '#x' is neither a name nor a value\n"
         "  at '#x'\n"
         "  hint: names are written as they are here, without '#': no word is reserved\n"},
        {"scan where USER#1 = 1",
         "UsageError: 'USER#1' is neither a name nor a value\n"
         "  at 'USER#1'\n"
         "  hint: a string is written 'USER#1', an attribute's name `USER#1`\n"},
        {"scan desc",
         "UsageError: scan has no clause 'desc'\n"
         "  at 'desc'\n"
         "  hint: a key spelled like that is quoted, 'desc', an attribute too, `desc`\n"},
        {"scan limit 1 limit 2",
         "UsageError: 'limit' is there twice\n"
         "  at 'limit'\n"
         "  hint: a key spelled like that is quoted, 'limit', an attribute too, `limit`\n"},
        {"scan where `State#Date` = 1 and total > 0",
         "footer: 0 items of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU"
         " eventual\n"
         "hint at '`State#Date`': no item has an attribute State#Date\n"},
        {"scan where size(total) > 1",
         "footer: 0 items of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_reads, count)
{
    static const struct command_row rows[] = {
        {"count query USER#123",
         "4\n"
         "footer: 4 items counted · Query · partition 1 of 4 · 118 B read · 0.5 RCU eventual\n"},
        {"count scan where total > 20",
         "1\n"
         "footer: 1 item counted of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU"
         " eventual\n"
         "A Scan pays for what it reads, not for what it returns. To ask by total: a GSI with"
         " total as its key.\n"},
        {"count scan where total > 20 select total",
         "UsageError: a count has no attributes to select\n"
         "  at 'total'\n"},
        {"count", "UsageError: expected 'query' or 'scan' after 'count'\n"
                  "  hint: count query USER#123 ORDER#*     count scan from TABLE\n"},
        {"count get a", "UsageError: expected 'query' or 'scan' after 'count'\n"
                        "  at 'get'\n"
                        "  hint: count query USER#123 ORDER#*     count scan from TABLE\n"},
        {"count query", "UsageError: the key of dashboard is PK (S), SK (S): no value is given\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_reads, more)
{
    static const struct command_row rows[] = {
        {"more", "UsageError: the last result was complete: there is no more\n"},
        {"set rows 4", ""},
        {"scan",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
         "footer: 4 items · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"
         "note: there is more: type more\n"},
        {"more", "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
                 "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
                 "footer: 2 items · from the page already read\n"},
        {"more", "UsageError: the last result was complete: there is no more\n"},
        {"set rows 2", ""},
        {"SELECT * FROM dashboard",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "footer: 2 items · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. With PK known: query <PK>\n"
         "note: there is more: type more\n"},
        {"more", "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
                 "{'PK': 'USER#123', 'SK': 'ORDER#1002', 'total': 12.5}\n"
                 "footer: 2 items · from the page already read\n"
                 "note: there is more: type more\n"},
        {"more", "{'PK': 'USER#123', 'SK': 'PAYMENT#5', 'status': 'paid'}\n"
                 "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
                 "footer: 2 items · from the page already read\n"},
        {"more", "UsageError: the last result was complete: there is no more\n"},
        {"more x", "UsageError: unexpected 'x'\n"
                   "  at 'x'\n"},
    };

    command_check(rows, COUNT(rows));
}
