/* get, put, edit, del: one item at a time. Each row is a statement and all it answers; rows of one
 * test share a store. */
#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(commands_items, get)
{
    static const struct command_row rows[] = {
        {"get USER#123 PROFILE",
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 1 item · GetItem · partition 1 of 4 · 28 B read · 0.5 RCU eventual\n"},
        {"get 'USER#123' \"PROFILE\" strong",
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 1 item · GetItem · partition 1 of 4 · 28 B read · 1 RCU strong\n"},
        {"get {PK: USER#123, SK: PROFILE} select name",
         "{'name': 'Alice'}\n"
         "footer: 1 item · GetItem · partition 1 of 4 · 28 B read · 0.5 RCU eventual\n"},
        {"get USER#123 NOPE", "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"get USER#123 ORDER#*",
         "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"
         "hint: here 'ORDER#*' is the key itself; query reads ranges: query USER#123 ORDER#*\n"},
        {"get USER#123", "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
                         "  at 'USER#123'\n"},
        {"get", "UsageError: the key of dashboard is PK (S), SK (S): no value is given\n"},
        {"get USER#123 A B",
         "UsageError: the key of dashboard is PK (S), SK (S): this is one value too many\n"
         "  at 'B'\n"},
        {"get {PK: USER#123}", "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
                               "  at '{PK: USER#123}'\n"},
        {"get {PK: USER#123, SK: A, x: 1}",
         "UsageError: the key of dashboard is PK (S), SK (S): the map has other attributes as"
         " well\n"
         "  at '{PK: USER#123, SK: A, x: 1}'\n"},
        {"get 5 PROFILE", "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"get <<1>> PROFILE", "UsageError: key attribute 'PK' is a string, this is of type NS\n"
                              "  at '<<1>>'\n"},
        {"get USER#123 PROFILE from Nope",
         "ResourceNotFoundException: Requested resource not found: Table: Nope not found\n"
         "  at 'Nope'\n"
         "  hint: tables lists the tables there are\n"},
        {"get a 1 from Tab", "footer: 0 items · GetItem · partition 3 of 4 · 0.5 RCU eventual\n"},
        {"get a x from Tab", "UsageError: key attribute 'N' is a number, 'x' is none\n"
                             "  at 'x'\n"},
        {"get USER#123 PROFILE limit 3",
         "UsageError: get has no clause 'limit'\n"
         "  at 'limit'\n"
         "  hint: a key spelled like that is quoted, 'limit', an attribute too, `limit`\n"},
        {"get USER#123 PROFILE strong x", "UsageError: unexpected 'x'\n"
                                          "  at 'x'\n"},
        {"get USER#123 PROFILE select",
         "UsageError: expected something after 'select'\n"
         "  at 'select'\n"
         "  hint: an attribute spelled like a word of the language is written `select`\n"},
        {"get USER#123 PROFILE select name, name",
         "ValidationException: Invalid ProjectionExpression: Two document paths overlap with"
         " each other; must remove or rewrite one of these paths; path one: [name], path two:"
         " [name]\n"
         "  at 'name'\n"},
        {"get USER#123 PROFILE from", "UsageError: expected a name after 'from'\n"
                                      "  at 'from'\n"
                                      "  hint: a key spelled like that is quoted: 'from'\n"},
        {"get USER#123 limit",
         "UsageError: get has no clause 'limit'\n"
         "  at 'limit'\n"
         "  hint: a key spelled like that is quoted, 'limit', an attribute too, `limit`\n"},
        {"get USER#123 'limit'",
         "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"get USER#123 PROFILE from dashboard from Tab",
         "UsageError: 'from' is there twice\n"
         "  at 'from'\n"
         "  hint: a key spelled like that is quoted, 'from', an attribute too, `from`\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_items, put)
{
    static const struct command_row rows[] = {
        {"put USER#1 A {total: 30.00, tags: <<'new'>>}",
         "footer: put · partition 2 of 4 · 25 B · 1 WCU\n"},
        {"put {PK: USER#1, SK: B}", "footer: put · partition 2 of 4 · 11 B · 1 WCU\n"},
        {"put {PK: USER#1, SK: C} {x: 1}", "footer: put · partition 2 of 4 · 14 B · 1 WCU\n"},
        {"put USER#1 A {x: 2} return old",
         "{'PK': 'USER#1', 'SK': 'A', 'tags': <<'new'>>, 'total': 30}\n"
         "footer: put · partition 2 of 4 · 14 B · 1 WCU\n"},
        {"put USER#1 A {x: 3} if attribute_not_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_not_exists(PK)'\n"
         "  hint: the stored item has PK = 'USER#1'\n"
         "footer: cost 1 WCU all the same\n"},
        {"put USER#2 A {x: 3} if attribute_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_exists(PK)'\n"
         "  hint: there is no such item\n"
         "footer: cost 1 WCU all the same\n"},
        {"put USER#1 A {x: 3} if x = 2 and y = 'b'",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'x = 2 and y = 'b''\n"
         "  hint: the stored item has x = 2 and no y\n"
         "footer: cost 1 WCU all the same\n"},
        {"put USER#1 A {x: 3} if x = 2", "footer: put · partition 2 of 4 · 14 B · 1 WCU\n"},
        {"put USER#1 A", "UsageError: expected the item as a map: {name: value, …}\n"},
        {"put USER#1 {x: 1}", "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
                              "  at 'USER#1 {x: 1}'\n"},
        {"put {SK: A}", "UsageError: the key of dashboard is PK (S), SK (S): PK is missing\n"
                        "  at '{SK: A}'\n"},
        {"put", "UsageError: expected the item as a map: {name: value, …}\n"},
        {"put USER#1 A {PK: other}", "UsageError: the map has another 'PK' than the key before it\n"
                                     "  at 'other'\n"},
        {"put USER#1 A {PK: USER#1} junk", "UsageError: unexpected text after the item\n"
                                           "  at 'junk'\n"},
        {"put USER#1 A {x: 1} return new", "UsageError: expected old after 'return'\n"
                                           "  at 'new'\n"},
        {"put USER#1 A {x: 1} into Nope",
         "ResourceNotFoundException: Requested resource not found: Table: Nope not found\n"
         "  at 'Nope'\n"
         "  hint: tables lists the tables there are\n"},
        {"put a 1 {G: x} into Tab",
         "footer: put · partition 3 of 4 · 8 B · 2 WCU (table 1, by_g 1)\n"},
        {"put {PK: a, N: ten} into Tab",
         "UsageError: key attribute 'N' is a number, 'ten' is none\n"
         "  at 'ten'\n"},
        {"put {PK: a, N: '10'} into Tab", "ValidationException: One or more parameter values were "
                                          "invalid: Type mismatch for key N expected: N actual: S\n"
                                          "  at ''10''\n"},
        {"put a 1 {G: 5} into Tab",
         "footer: put · partition 3 of 4 · 8 B · 3 WCU (table 1, by_g 2)\n"},
        {"put a 2 {G: [1]} into Tab",
         "ValidationException: One or more parameter values were invalid: Type mismatch for Index "
         "Key G Expected: S Actual: L IndexName: by_g\n"
         "  at '[1]'\n"},
        {"put {\"PK\": {\"S\": \"j\"}, \"SK\": {\"S\": \"k\"}, \"n\": {\"N\": \"1.50\"}}",
         "footer: put · partition 3 of 4 · 10 B · 1 WCU\n"},
        {"get j k", "{'PK': 'j', 'SK': 'k', 'n': 1.5}\n"
                    "footer: 1 item · GetItem · partition 3 of 4 · 10 B read · 0.5 RCU eventual\n"},
        {"put USER#1 A {x: '}", "UsageError: ' is never closed\n"
                                "  at '''\n"},
        {"put ‘USER#1’ A {x: “it’s”}", "note: typographic quotes were read as plain ones\n"
                                       "footer: put · partition 2 of 4 · 18 B · 1 WCU\n"},
        {"put USER#1 A {x: <<>>}", "UsageError: a set cannot be empty\n"
                                   "  at '<<>>'\n"},
        {"put USER#1 '' {x: 1}",
         "ValidationException: One or more parameter values are not valid. The AttributeValue"
         " for a key attribute cannot contain an empty string value. Key: SK\n"
         "  at 'USER#1 '''\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_items, edit)
{
    static const struct command_row rows[] = {
        {"edit USER#123 PROFILE set visits = if_not_exists(visits, 0) + 1, address = {city: "
         "'Rome'} return new",
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'address': {'city': 'Rome'}, 'name': 'Alice',"
         " 'visits': 1}\n"
         "footer: edit · partition 1 of 4 · 55 B · 1 WCU\n"},
        {"edit USER#123 PROFILE set visits = visits + 1, address.city = 'Oslo' remove name return "
         "updated old",
         "{'address': {'city': 'Rome'}, 'name': 'Alice', 'visits': 1}\n"
         "footer: edit · partition 1 of 4 · 46 B · 1 WCU\n"},
        {"edit USER#123 PROFILE add tags <<'a', 'b'>> delete tags <<'c'>>",
         "ValidationException: Invalid UpdateExpression: Two document paths overlap with each"
         " other; must remove or rewrite one of these paths; path one: [tags], path two:"
         " [tags]\n"
         "  at 'tags'\n"},
        {"edit USER#123 PROFILE add tags <<'a', 'b'>> return updated new",
         "{'tags': <<'a', 'b'>>}\n"
         "footer: edit · partition 1 of 4 · 52 B · 1 WCU\n"},
        {"edit USER#123 PROFILE delete tags <<'b'>> return updated new",
         "{'tags': <<'a'>>}\n"
         "footer: edit · partition 1 of 4 · 51 B · 1 WCU\n"},
        {"edit USER#123 PROFILE set status = paid",
         "ValidationException: The provided expression refers to an attribute that does not"
         " exist in the item\n"
         "  at 'paid'\n"
         "  hint: a string is written 'paid'\n"},
        {"edit USER#123 PROFILE set total = total + 1",
         "ValidationException: The provided expression refers to an attribute that does not"
         " exist in the item\n"
         "  at 'total'\n"
         "  hint: if_not_exists(total, 0) stands in for what is not there\n"},
        {"edit USER#123 PROFILE set PK = 'x'",
         "ValidationException: One or more parameter values were invalid: Cannot update"
         " attribute PK. This attribute is part of the key\n"
         "  at 'PK'\n"},
        {"edit USER#123 PROFILE set visits = 'x' if visits > 5",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'visits > 5'\n"
         "  hint: the stored item has visits = 2\n"
         "footer: cost 1 WCU all the same\n"},
        {"edit NEW NEW set a = 1 if attribute_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_exists(PK)'\n"
         "  hint: there is no such item\n"
         "footer: cost 1 WCU all the same\n"},
        {"edit USER#123 PROFILE", "UsageError: expected what to change after the key\n"
                                  "  at 'USER#123 PROFILE'\n"
                                  "  hint: after the key: set a = a + 1, b.c = 'x'   remove d   "
                                  "add e <<1>>   delete f <<2>>\n"},
        {"edit USER#123 set a = 1",
         "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
         "  at 'USER#123'\n"},
        {"edit USER#123 PROFILE set", "UsageError: expected what to set after 'set'\n"
                                      "  at 'set'\n"},
        {"edit USER#123 PROFILE set a = = 1",
         "ValidationException: Invalid UpdateExpression: Syntax error; token: \"=\", near:"
         " \"= = 1\"\n"
         "  at '='\n"},
        {"edit USER#123 PROFILE set visits = visits + 'x'",
         "ValidationException: Invalid UpdateExpression: Incorrect operand type for operator"
         " or function; operator or function: +, operand type: S\n"
         "  at 'visits + 'x''\n"},
        {"edit USER#123 PROFILE set a = 1 return all",
         "UsageError: expected old, new, updated old or updated new after 'return'\n"
         "  at 'all'\n"},
        {"edit USER#123 PROFILE set a = 1, a.b = 2",
         "ValidationException: Invalid UpdateExpression: Two document paths overlap with each"
         " other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]\n"
         "  at 'a.b'\n"},
        {"edit USER#123 PROFILE set a = #b",
         "UsageError: '#b' is neither a name nor a value\n"
         "  at '#b'\n"
         "  hint: names are written as they are here, without '#': no word is reserved\n"},
        {"edit USER#123 PROFILE set a = :b",
         "UsageError: ':b' is a placeholder, and there are none here\n"
         "  at ':b'\n"
         "  hint: write the value itself: 'text', 12.5, true\n"},
        {"edit a 1 set G = 'k' from Tab",
         "footer: edit · partition 3 of 4 · 8 B · 2 WCU (table 1, by_g 1)\n"},
        {"edit a 1 set G = 'm' from Tab",
         "footer: edit · partition 3 of 4 · 8 B · 3 WCU (table 1, by_g 2)\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_items, del)
{
    static const struct command_row rows[] = {
        {"del USER#123 ORDER#1001 if total > 100",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'total > 100'\n"
         "  hint: the stored item has total = 45\n"
         "footer: cost 1 WCU all the same\n"},
        {"del USER#123 ORDER#1001 return old",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: del · partition 1 of 4 · 1 WCU\n"},
        {"del USER#123 ORDER#1001", "footer: del · partition 1 of 4 · 1 WCU\n"},
        {"del USER#123 ORDER#1001 if attribute_exists(PK)",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'attribute_exists(PK)'\n"
         "  hint: there is no such item\n"
         "footer: cost 1 WCU all the same\n"},
        {"del USER#123 ORDER#*",
         "footer: del · partition 1 of 4 · 1 WCU\n"
         "hint: here 'ORDER#*' is the key itself; query reads ranges: query USER#123 ORDER#*\n"},
        {"del USER#123", "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
                         "  at 'USER#123'\n"},
        {"del USER#123 A if",
         "UsageError: expected something after 'if'\n"
         "  at 'if'\n"
         "  hint: an attribute spelled like a word of the language is written `if`\n"},
        {"del USER#123 A return new", "UsageError: expected old after 'return'\n"
                                      "  at 'new'\n"},
        {"del USER#123 A where x = 1",
         "UsageError: del has no clause 'where'\n"
         "  at 'where'\n"
         "  hint: a key spelled like that is quoted, 'where', an attribute too, `where`\n"},
    };

    command_check(rows, COUNT(rows));
}
