/* CSV: rows, headings, types, templates and mappings; export and back. '@' is a directory. */
#include <criterion/criterion.h>

#include "commands/transfer/csv_cell.h"
#include "tests/support/transfer_fixture.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct row_case {
    const char *text;
    const char *fields; /* joined by '|', rows ended by ';', quoted fields in <> */
} rows[] = {
    {"a,b\n", "a|b;"},
    {"a,b", "a|b;"},
    {"a,b\r\nc,d\r\n", "a|b;c|d;"},
    {",\n", "|;"},
    {"\"\",x\n", "<>|x;"},
    {"\"a,b\",\"c\"\"d\"\n", "<a,b>|<c\"d>;"},
    {"\"two\r\nlines\",x\n", "<two\r\nlines>|x;"},
    {"5\" pipe,x\n", "5\" pipe|x;"},
    {"lone\rreturn,x\n", "lone\rreturn|x;"},
    {" a , b \n", " a | b ;"},
};

Test(transfer_csv, rows)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct pk_error err = PK_ERROR_INIT;
        struct pk_buf out = PK_BUF_INIT;
        pk_slice text = pk_slice_cstr(rows[i].text);
        size_t pos = 0;

        while (pos < text.len) {
            struct csv_field *fields;
            size_t count;

            cr_assert_eq(csv_row(&arena, text, &pos, &fields, &count, &err), PK_OK);
            for (size_t k = 0; k < count; k++)
                pk_buf_printf(&out, fields[k].quoted ? "%s<%.*s>" : "%s%.*s", k == 0 ? "" : "|",
                              PK_FMT(fields[k].text));
            pk_buf_add_byte(&out, ';');
        }
        cr_expect_str_eq(out.data, rows[i].fields, "%s gives %s", rows[i].text, out.data);
        pk_buf_release(&out);
        pk_arena_release(&arena);
    }
}

static const struct number_case {
    const char *text;
    bool canonical;
} numbers[] = {
    {"0", true},
    {"12", true},
    {"-0.5", true},
    {"0.01", true},
    {"007", false},
    {"1.50", false},
    {"1e3", false},
    {"+1", false},
    {"-0", false},
    {"1,000", false},
    {"", false},
    {" 1", false},
    {".5", false},
    {"1.", false},
    {"12345678901234567890123456789012345678", true},
    {"123456789012345678901234567890123456789", false},
};

Test(transfer_csv, canonical_numbers)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        cr_expect_eq(csv_is_canonical_number(pk_slice_cstr(numbers[i].text)), numbers[i].canonical,
                     "%s", numbers[i].text);
}

/* ---- import ---------------------------------------------------------------------------------- */

static const struct fixture_case imports[] = {
    /* a digit-only key stays text, canonical numbers become N, 007 and money stay text */
    {FILE_OF("a.csv", "id,n,code,price\r\n1,10,007,\"$1,200.00 \"\r\n2,-2.5,008,\r\n"),
     "import @/a.csv key id", "note: table a__ created: 2 items, 43 B\n"},
    {NO_FILE, "get 1 from a__", "{'code': '007', 'id': '1', 'n': 10, 'price': '$1,200.00 '}\n"},
    {NO_FILE, "get 2 from a__", "{'code': '008', 'id': '2', 'n': -2.5}\n"},
    /* stated types; a quoted empty field is an empty string only where S is stated */
    {FILE_OF("b.csv", "id,when,on,tags,any,note\n"
                      "7,2024,true,\"[\"\"x\"\",\"\"y\"\"]\",\"{\"\"B\"\":\"\"AAE=\"\"}\",\"\"\n"),
     "import @/b.csv as typed key id types id:N,when:S,on:BOOL,tags:SS,any:JSON,note:S",
     "note: table typed created: 1 item, 30 B\n"},
    {NO_FILE, "get 7 from typed",
     "{'any': b64'AAE=', 'id': 7, 'note': '', 'on': true, 'tags': <<'x', 'y'>>, 'when': '2024'}\n"},
    /* no heading: columns are named, rows may be short */
    {FILE_OF("c.csv", "1,Ann\n2\n"), "import @/c.csv as people columns no,name key no",
     "note: table people created: 2 items, 13 B\n"},
    /* templates: a column, a list in turn, arithmetic, a column that is empty */
    {FILE_OF("d.csv", "id,city,boss\n8,Oslo,\n19,Rome,1\n"),
     "import @/d.csv header as tmpl key PK set PK=e#{id} turn={a,b} shard={id%10+1} "
     "boss2={boss?yes} `a b`='{city} x'",
     "note: table tmpl created: 2 items, 90 B\n"},
    {NO_FILE, "get e#8 from tmpl",
     "{'PK': 'e#8', 'a b': 'Oslo x', 'city': 'Oslo', 'id': 8, 'shard': '9', 'turn': 'a'}\n"},
    {NO_FILE, "get e#19 from tmpl",
     "{'PK': 'e#19', 'a b': 'Rome x', 'boss': 1, 'boss2': 'yes', 'city': 'Rome', 'id': 19, "
     "'shard': '10', 'turn': 'b'}\n"},
    /* an existing table's key decides the types, and the first row is known by it */
    {NO_FILE, "create table Num (n N, s S)",
     "note: table Num created · n (N), s (S) · on demand\n"},
    {FILE_OF("e.csv", "s,n,x\n5,5,5\n"), "import @/e.csv into Num",
     "note: table Num: 1 item, 8 B\n"},
    {NO_FILE, "get 5 5 from Num", "{'n': 5, 's': '5', 'x': 5}\n"},
    /* equal keys: the last row stays */
    {FILE_OF("f.csv", "id,v\na,1\nb,2\na,3\n"), "import @/f.csv as dup key id",
     "note: table dup created: 2 items, 12 B\n"
     "note: table 'dup': keys that come again: 1 (the first in line 4); of each the last record "
     "stays\n"},
    {NO_FILE, "get a from dup", "{'id': 'a', 'v': 3}\n"},
    /* mapping: several items a row, typed templates, an item without its key left out */
    {FILE_OF("m.json", "{\"columns\": [\"id\", \"tag\", \"n\"], \"key\": [\"PK\", \"SK\"],\n"
                       " \"items\": [{\"PK\": \"r#{id}\", \"SK\": \"root\", \"n\": {\"N\": "
                       "\"{n}\"}, \"deep\": {\"tags\": [\"{tag}\", \"x\"]}},\n"
                       "  {\"PK\": \"r#{id}\", \"SK\": \"tag#{tag}\", \"fixed\": 5}]}"),
     NULL, NULL},
    {FILE_OF("g.csv", "1,red,5\n2,,\n"), "import @/g.csv as mapped map @/m.json",
     "note: table mapped created: 3 items, 84 B\n"},
    {NO_FILE, "query r#1 from mapped",
     "{'PK': 'r#1', 'SK': 'root', 'deep': {'tags': ['red', 'x']}, 'n': 5}\n"
     "{'PK': 'r#1', 'SK': 'tag#red', 'fixed': 5}\n"},
};

Test(transfer_csv, imports)
{
    fixture_cases(imports, sizeof(imports) / sizeof(*imports));
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static const struct fixture_case mistakes[] = {
    {FILE_OF("a.csv", "id,n\n1,\"open\n2,x\n"), "import @/a.csv key id",
     "UsageError: @/a.csv:2:3: this \" is never closed\n"},
    {FILE_OF("b.csv", "id,n\n1,\"a\"b\n"), "import @/b.csv key id",
     "UsageError: @/b.csv:2:6: expected a comma or the end of the line after the closing \"\n"},
    {FILE_OF("c.csv", "id,n\n1,2,3\n"), "import @/c.csv key id",
     "UsageError: @/c.csv:2: 3 fields, there are 2 columns\n"},
    {FILE_OF("d.csv", "id,id\n1,2\n"), "import @/d.csv key id",
     "UsageError: @/d.csv: columns 1 and 2 are both named 'id'\n"},
    {FILE_OF("e.csv", "id,\n1,2\n"), "import @/e.csv header key id",
     "UsageError: @/e.csv: column 2 has no name\n"},
    {FILE_OF("f.csv", "1,2\n3,4\n"), "import @/f.csv key id",
     "UsageError: @/f.csv: it is not said what the columns are called\n"
     "  hint: add `header` when the first row names them, else `columns a,b,…`\n"},
    {FILE_OF("g.csv", "id,n\nx,1\ny,two\n,3\n"), "import @/g.csv as ggg key id types n:N",
     "UsageError: 2 records were refused, nothing was imported; the first is @/g.csv:3: column "
     "'n': The parameter cannot be converted to a numeric value: two\n"
     "  hint: `partial` imports the others\n"
     "note: 2 refused records:\n"
     "note:   @/g.csv:3: column 'n': The parameter cannot be converted to a numeric value: two\n"
     "note:   @/g.csv:4: table 'ggg', key {}: key attribute 'id' is missing\n"},
    {NO_FILE, "describe ggg",
     "UsageError: there is no table or index 'ggg'\n  at 'ggg'\n"
     "  hint: tables lists the tables, describe TABLE the indexes of one\n"},
    {NO_FILE, "import @/g.csv as ggg key id types n:N partial",
     "note: table ggg created: 1 item, 6 B\n"
     "note: 2 refused records:\n"
     "note:   @/g.csv:3: column 'n': The parameter cannot be converted to a numeric value: two\n"
     "note:   @/g.csv:4: table 'ggg', key {}: key attribute 'id' is missing\n"},
    {NO_FILE, "import @/f.csv columns a,b key PK set PK={c}",
     "UsageError: @/f.csv: a template names column 'c', which the file does not have\n"},
    {NO_FILE, "import @/f.csv columns a,b key PK set PK={a",
     "UsageError: { is never closed\n  at '{'\n"},
    {NO_FILE, "import @/f.csv columns a,b types a:X",
     "UsageError: a type is S, N, B, BOOL, NULL, M, L, SS, NS, BS or JSON\n  at 'X'\n"},
    {NO_FILE, "import @/f.csv header columns a,b key c",
     "UsageError: @/f.csv: no item has the key attribute 'c'\n  hint: the first item has: a, b\n"},
    {FILE_OF("m.json", "{\"items\": [{\"PK\": \"{id\"}]}"), "import @/f.csv map @/m.json",
     "UsageError: @/m.json: { is never closed\n"},
    {FILE_OF("n.json", "{\"item\": []}"), "import @/f.csv map @/n.json",
     "UsageError: @/n.json: a mapping has columns, key, indexes and items, not 'item'\n"},
    {FILE_OF("o.json", "{\"items\": [{}]}"), "import @/f.csv map @/o.json",
     "UsageError: @/o.json: \"items\" holds maps of attributes\n"},
    {FILE_OF("empty.csv", "id,n\n"), "import @/empty.csv as nothing key id",
     "UsageError: @/empty.csv: no item has the key attribute 'id'\n"},
};

Test(transfer_csv, mistakes)
{
    fixture_cases(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}

/* ---- and back -------------------------------------------------------------------------------- */

static const char *const items[] = {
    "put a 1 {s: 'x', n: 1.5, digits: '42', zip: '0151', no: '42', t: true, nul: null}",
    "put a 2 {s: '', n: -7, digits: '007', m: {a: [1, 'b']}, l: [1, {x: 2}]}",
    "put b 1 {s: 'quote \" comma, line\\nend', ss: <<'a', 'b'>>, ns: <<1, 2.5>>}",
    "put b 2 {mixed: 5, bin: b64'AAEC', bs: <<b64'AA==', b64'/w=='>>}",
    "put b 3 {mixed: 'five', m: {deep: <<'set'>>}, typed: {S: 'looks typed'}}",
    "put b 4 {'odd name, \"x\"': 1, `back`: \"\\u0000 nul\", `emoji`: '😀'}",
};

#define TYPES                                                                                      \
    "key PK,SK types SK:N,ns:NS,s:S,ss:SS,bin:B,bs:BS,mixed:JSON,m:M,typed:M,back:JSON,"           \
    "no:S,nul:NULL,t:BOOL,l:L"

Test(transfer_csv, export_then_import_is_equal)
{
    struct transfer_fixture fx;
    struct pk_buf file;

    fixture_open(&fx);
    fixture_must(&fx, "create table One (PK S, SK N)");
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
        fixture_must(&fx, items[i]);
    cr_expect_str_eq(fixture_run(&fx, "export One @/one.csv"),
                     "note: @/one.csv: 6 items, 244 B, format csv\n"
                     "hint: to import it with the same types add: " TYPES "\n");
    fixture_must(&fx, "import @/one.csv as Two " TYPES);
    fixture_same(&fx, "One", "Two");
    fixture_must(&fx, "create table Empty (PK S)");
    fixture_must(&fx, "export Empty @/empty.csv");
    file = fixture_read(&fx, "empty.csv");
    cr_expect_str_eq(file.data, "PK\r\n");
    pk_buf_release(&file);
    fixture_close(&fx);
}
