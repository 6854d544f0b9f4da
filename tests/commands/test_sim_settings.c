/* set and the simulation: sizes, what is shown, what is refused, and that it acts. */
#include <criterion/criterion.h>

#include "commands/sim_settings.h"
#include "tests/support/session.h"

Test(sim_settings, sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: is none */
        const char *shown;
    } sizes[] = {
        {"64 KB", 65536, "64 KB"},
        {"64kb", 65536, "64 KB"},
        {"10GB", UINT64_C(10) << 30, "10 GB"},
        {"1 MB", 1048576, "1 MB"},
        {"1025", 1025, "1025 B"},
        {"7 B", 7, "7 B"},
        {"2048 MB", UINT64_C(2) << 30, "2 GB"},
        {"", 0, ""},
        {"KB", 0, ""},
        {"0", 0, ""},
        {"-1 KB", 0, ""},
        {"1.5 KB", 0, ""},
        {"1 XB", 0, ""},
        {"99999999999999999999", 0, ""},
    };
    struct pk_arena arena = PK_ARENA_INIT;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        uint64_t bytes = 0;
        bool is_size = cmd_parse_size(pk_slice_cstr(sizes[i].text), &bytes);

        cr_expect_eq(is_size, sizes[i].bytes != 0, "%s", sizes[i].text);
        cr_expect_eq(bytes, sizes[i].bytes, "%s", sizes[i].text);
        if (is_size)
            cr_expect(pk_slice_is(cmd_size_text(&arena, bytes), sizes[i].shown), "%s",
                      sizes[i].text);
    }
    pk_arena_release(&arena);
}

static const struct {
    const char *statement;
    const char *answer;
} lines[] = {
    {"set partition.bytes", "setting|value|takes|default|meaning\n"
                            "partition.bytes|10 GB|a size|10 GB|how much one partition holds"},
    {"set partition.bytes 64 KB", ""},
    {"set Partition.Bytes", "setting|value|takes|default|meaning\n"
                            "partition.bytes|64 KB|a size|10 GB|how much one partition holds"},
    {"set lsi.collection_bytes = 97 B", ""},
    {"set ondemand.initial_wcu 50", ""},
    {"set partition.wcu = 10", ""},
    {"set seed 9007199254740991", ""},
    {"set seed 9007199254740992", "UsageError: '9007199254740992' is no value for seed @9+16\n"
                                  "hint: seed takes a whole number from 1"},
    {"set partition.wcu 0", "UsageError: '0' is no value for partition.wcu @18+1\n"
                            "hint: partition.wcu takes a whole number from 1"},
    {"set partition.bytes 64 XB", "UsageError: '64 XB' is no value for partition.bytes @20+5\n"
                                  "hint: partition.bytes takes a size: 64 KB, 10 GB"},
    {"set ttl.delay 2 s", ""},
    {"set ttl.delay", "setting|value|takes|default|meaning\n"
                      "ttl.delay|2 s|a duration|2 d|from an item's expiry to its deletion"},
    {"set lag.gsi 90m", ""},
    {"set lag.gsi", "setting|value|takes|default|meaning\n"
                    "lag.gsi|90 min|a duration|0|how long a change takes to reach a GSI; 0: reads "
                    "wait for it"},
    {"set lag.gsi 0", ""},
    {"set ttl.jitter 1 week", "UsageError: '1 week' is no value for ttl.jitter @15+6\n"
                              "hint: ttl.jitter takes a duration: 500ms, 2s, 15min, 48h, 30d"},
    {"set partition.speed 1",
     "UsageError: no setting is called 'partition.speed' @4+15\nhint: set alone shows them all"},
    {"create table Music (Artist S, Song S) lsi byPlays (Plays N)",
     "table Music created · Artist (S), Song (S) · on demand · 1 index"},
    /* 50 units of 10 each */
    {"put Acme Blue {Plays: 1}", "put · partition 2 of 5 · 25 B · 2 WCU (table 1, byPlays 1)"},
    /* 25 B and 24 B, each as much again in the LSI: 98 B */
    {"put Acme Red {Plays: 2}",
     "ItemCollectionSizeLimitExceededException: Collection size exceeded."},
};

Test(sim_settings, statements)
{
    struct session session;

    cr_assert(session_open(&session));
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        const char *answer = session_run(&session, lines[i].statement);

        cr_expect_str_eq(answer, lines[i].answer, "%s\n  gives    %s\n  expected %s",
                         lines[i].statement, answer, lines[i].answer);
    }
    session_close(&session);
}

/* Each setting of the engine has its line, between the shell's own, by name. */
Test(sim_settings, all)
{
    struct session session;
    const char *at;

    cr_assert(session_open(&session));
    at = session_run(&session, "set");
    for (const struct pk_sim_field *field = pk_sim_fields; field->name != NULL; field++) {
        const char *line = strstr(at, field->name);

        cr_assert_not_null(line, "%s", field->name);
        cr_expect_null(strstr(line, "||"), "%s says nothing", field->name);
    }
    cr_expect_lt(strstr(at, "\nhistory.size"), strstr(at, "\nlsi.collection_bytes"));
    cr_expect_lt(strstr(at, "\npartition.wcu"), strstr(at, "\nread"));
    cr_expect_lt(strstr(at, "\nrows"), strstr(at, "\nseed"));
    session_close(&session);
}
