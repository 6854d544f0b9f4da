/* begin, commit, rollback, and PartiQL at the prompt. Each row is a statement and all it answers;
 * rows of one test share a store. */
#include <criterion/criterion.h>

#include "tests/support/command_fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Test(commands_txn, transactions)
{
    static const struct command_row rows[] = {
        {"commit", "UsageError: no transaction is open: begin opens one\n"},
        {"rollback", "UsageError: no transaction is open: begin opens one\n"},
        {"begin", ""},
        {"begin", "UsageError: a transaction is open already: commit or rollback ends it\n"},
        {"put T1 A {x: 1}", "note: 1 action; commit sends it\n"},
        {"edit USER#123 PROFILE set seen = 1 if name = 'Alice'",
         "note: 2 actions; commit sends them together\n"},
        {"check USER#999 PROFILE if name = 'Bob'", "note: 3 actions; commit sends them together\n"},
        {"del USER#123 PAYMENT#5", "note: 4 actions; commit sends them together\n"},
        {"get USER#123 PROFILE",
         "UsageError: this transaction holds put, edit, del and check, which cannot be mixed"
         " with get\n"
         "  hint: commit or rollback ends it\n"},
        {"SELECT * FROM dashboard WHERE PK='a' AND SK='b'",
         "UsageError: this transaction holds put, edit, del and check, which cannot be mixed"
         " with PartiQL statements\n"
         "  hint: commit or rollback ends it\n"},
        {"query USER#123", "UsageError: 'query' cannot stand between begin and commit\n"
                           "  hint: commit or rollback ends the transaction\n"},
        {"put T1", "UsageError: the key of dashboard is PK (S), SK (S): SK is missing\n"
                   "  at 'T1'\n"},
        {"put T1 B {x: 1} return old", "UsageError: a transaction returns no old or new items\n"},
        {"check", "UsageError: inside begin, check takes a key and a condition\n"
                  "  hint: check USER#123 PROFILE if attribute_exists(PK)\n"},
        {"check USER#1 A", "UsageError: expected 'if' and a condition after the key\n"
                           "  at 'USER#1 A'\n"},
        {"commit", "footer: 4 actions · TransactWriteItems · 2 of 4 partitions · 44 B · 8 WCU\n"},
        {"get T1 A",
         "{'PK': 'T1', 'SK': 'A', 'x': 1}\n"
         "footer: 1 item · GetItem · partition 0 of 4 · 10 B read · 0.5 RCU eventual\n"},
        {"begin", ""},
        {"put T2 A {x: 1}", "note: 1 action; commit sends it\n"},
        {"check USER#999 PROFILE if name = 'Carol'",
         "note: 2 actions; commit sends them together\n"},
        {"commit",
         "TransactionCanceledException: Transaction cancelled, please refer cancellation"
         " reasons for specific reasons [None, ConditionalCheckFailed]\n"
         "# | statement | reason\n"
         "1 | put T2 A {x: 1} | None\n"
         "2 | check USER#999 PROFILE if name = 'Carol' | ConditionalCheckFailed: the stored"
         " item has name = 'Bob'\n"
         "footer: cancelled, and its write units are used up\n"},
        {"get T2 A", "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"begin", ""},
        {"put T2 A {x: 1}", "note: 1 action; commit sends it\n"},
        {"rollback", "note: rolled back: nothing was sent\n"},
        {"get T2 A", "footer: 0 items · GetItem · partition 1 of 4 · 0.5 RCU eventual\n"},
        {"begin", ""},
        {"commit", "note: the transaction was empty: nothing was sent\n"},
        {"begin", ""},
        {"get USER#123 PROFILE", "note: 1 action; commit sends it\n"},
        {"get USER#999 PROFILE", "note: 2 actions; commit sends them together\n"},
        {"put a b {}",
         "UsageError: this transaction holds get, which cannot be mixed with put, edit, del"
         " and check\n"
         "  hint: commit or rollback ends it\n"},
        {"commit", "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice', 'seen': 1}\n"
                   "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
                   "footer: 2 items · TransactGetItems · 2 of 4 partitions · 60 B read · 4 RCU"
                   " transactional\n"},
        {"begin token 'once'", ""},
        {"INSERT INTO dashboard VALUE {'PK': 'P', 'SK': 'Q'}", "note: 1 action; commit sends it\n"},
        {"UPDATE dashboard SET x = 1 WHERE PK = 'USER#999' AND SK = 'PROFILE'",
         "note: 2 actions; commit sends them together\n"},
        {"put a b {}",
         "UsageError: this transaction holds PartiQL statements, which cannot be mixed with"
         " put, edit, del and check\n"
         "  hint: commit or rollback ends it\n"},
        {"commit", "footer: 2 actions · ExecuteTransaction · 2 of 4 partitions · 35 B · 4 WCU\n"},
        {"begin token", "UsageError: expected the token's text\n"},
        {"begin foo", "UsageError: unexpected 'foo'\n"
                      "  at 'foo'\n"},
        {"begin", ""},
        {"SELECT * FROM dashboard WHERE PK = 'P' AND SK = 'Q'",
         "note: 1 action; commit sends it\n"},
        {"commit", "{'PK': 'P', 'SK': 'Q'}\n"
                   "footer: 1 item · ExecuteTransaction · partition 1 of 4 · 6 B read · 2 RCU"
                   " transactional\n"},
        {"check USER#1 A if x = 1",
         "UsageError: check KEY if COND stands between begin and commit only\n"
         "  at 'USER#1 A if x = 1'\n"
         "  hint: check alone checks the store; get KEY shows the item\n"},
    };

    command_check(rows, COUNT(rows));
}

Test(commands_txn, partiql)
{
    static const struct command_row rows[] = {
        {"SELECT * FROM dashboard WHERE PK = 'USER#123' AND SK = 'PROFILE'",
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "footer: 1 item · GetItem · partition 1 of 4 · 28 B read · 0.5 RCU eventual\n"},
        {"SELECT total FROM dashboard WHERE PK = 'USER#123' AND total > 20",
         "{'total': 45}\n"
         "footer: 1 item of 4 read · Query · partition 1 of 4 · 118 B read · 0.5 RCU"
         " eventual\n"},
        {"SELECT * FROM dashboard WHERE total > 20",
         "{'PK': 'USER#123', 'SK': 'ORDER#1001', 'total': 45}\n"
         "footer: 1 item of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU eventual\n"
         "A Scan pays for what it reads, not for what it returns. To ask by total: a GSI with"
         " total as its key.\n"},
        {"SELECT * FROM dashboard WHERE PK = \"USER#123\"",
         "footer: 0 items of 6 read · Scan · all 4 partitions · 172 B read · 0.5 RCU"
         " eventual\n"
         "hint at '\"USER#123\"': in PartiQL \"…\" names an attribute; a string is written"
         " 'USER#123'\n"},
        {"SELECT * FROM dashboard WHERE PK IN ['USER#123', 'USER#999'] AND SK = 'PROFILE'",
         "{'PK': 'USER#123', 'SK': 'PROFILE', 'name': 'Alice'}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "footer: 2 items · 2 Queries · 2 of 4 partitions · 54 B read · 1 RCU eventual\n"},
        {"INSERT INTO dashboard VALUE {'PK': 'I', 'SK': 'J', 'n': 1}",
         "footer: INSERT · partition 3 of 4 · 9 B · 1 WCU\n"},
        {"INSERT INTO dashboard VALUE {'PK': 'I', 'SK': 'J', 'n': 2}",
         "DuplicateItemException: Duplicate primary key exists in table\n"
         "footer: cost 1 WCU all the same\n"},
        {"UPDATE dashboard SET n = n + 1 WHERE PK = 'I' AND SK = 'J' RETURNING ALL NEW *",
         "{'PK': 'I', 'SK': 'J', 'n': 2}\n"
         "footer: UPDATE · partition 3 of 4 · 9 B · 1 WCU\n"},
        {"UPDATE dashboard SET n = 5 WHERE PK = 'I' AND SK = 'J' AND n = 9",
         "ConditionalCheckFailedException: The conditional request failed\n"
         "  at 'n = 9'\n"
         "  hint: the stored item has n = 2\n"
         "footer: cost 1 WCU all the same\n"},
        {"DELETE FROM dashboard WHERE PK = 'I' AND SK = 'J' RETURNING ALL OLD *",
         "{'PK': 'I', 'SK': 'J', 'n': 2}\n"
         "footer: DELETE · partition 3 of 4 · 1 WCU\n"},
        {"DELETE FROM dashboard WHERE PK = 'I'",
         "ValidationException: Where clause does not contain a mandatory equality on all key"
         " attributes\n"
         "  at 'PK = 'I''\n"
         "  hint: DELETE changes one item: WHERE must say SK = …\n"},
        {"SELECT * FROM Nope", "ResourceNotFoundException: Requested resource not found\n"
                               "  at 'Nope'\n"
                               "  hint: tables lists the tables there are\n"},
        {"SELECT * FROM dashboard LIMIT 5",
         "ValidationException: Unsupported clause: LIMIT at 1:31:1\n"
         "  at '5'\n"
         "  hint: DynamoDB's PartiQL has no LIMIT; it is a parameter of the request: query …"
         " limit n, scan limit n\n"},
        {"SELECT COUNT(*) FROM dashboard",
         "ValidationException: Unexpected path component at 1:8:5\n"
         "  at 'COUNT(*)'\n"
         "  hint: count query … or count scan … counts without returning the items\n"},
        {"SELECT * FROM dashboard WHERE PK LIKE 'U%'",
         "ValidationException: Unsupported operator in Condition Expression. Operator: like\n"
         "  at 'LIKE'\n"
         "  hint: instead of LIKE: begins_with(PK, 'U')\n"},
        {"INSERT INTO dashboard VALUES ('a', 'b')",
         "ValidationException: Statement wasn't well formed, can't be processed: \n"
         "  at 'VALUES'\n"
         "  hint: one item at a time: INSERT INTO table VALUE {'name': value}\n"},
        {"SELECT * FROM dashboard WHERE PK = = 'x'",
         "ValidationException: Statement wasn't well formed, can't be processed: Unexpected"
         " operator\n"
         "  at '='\n"
         "  hint: expected a value or a name\n"},
        {"delete USER#123 PROFILE",
         "ValidationException: Statement wasn't well formed, can't be processed: \n"
         "  at 'USER#123'\n"
         "  hint: an item is named by its key in: del USER#123 PROFILE\n"},
        {"insert USER#1 A {x: 1}",
         "ValidationException: Statement wasn't well formed, can't be processed: \n"
         "  at 'USER#1'\n"
         "  hint: an item is named by its key in: put USER#1 A {x: 1}\n"},
        {"update USER#123 PROFILE set x = 1",
         "ValidationException: Statement wasn't well formed, can't be processed: \n"
         "  at 'USER#123'\n"
         "  hint: an item is named by its key in: edit USER#123 PROFILE set x = 1\n"},
        {"SELECT * FROM dashboard WHERE PK = ‘USER#123’",
         "ValidationException: Statement wasn't well formed, can't be processed: \n"
         "  at '‘'\n"
         "  hint: a typographic quote: strings are written 'text', names \"name\"\n"},
        {"set read strong", ""},
        {"SELECT * FROM dashboard WHERE PK = 'USER#999'",
         "{'PK': 'USER#999', 'SK': 'ORDER#55', 'total': 9.99}\n"
         "{'PK': 'USER#999', 'SK': 'PROFILE', 'name': 'Bob'}\n"
         "footer: 2 items · Query · partition 0 of 4 · 54 B read · 1 RCU strong\n"},
    };

    command_check(rows, COUNT(rows));
}
