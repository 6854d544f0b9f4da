/* Heat over time: which seconds there are, and whose they are after splits. */
#include <criterion/criterion.h>

#include "commands/heat.h"
#include "commands/wire.h"

static struct cmd_heat heat_of(struct pk_arena *arena, const char *json)
{
    struct cmd_snapshot *snapshot = PK_NEW(arena, struct cmd_snapshot);
    cJSON *answer = cmd_wire_parse(pk_slice_cstr(json));

    cmd_snapshot_read(arena, answer, snapshot);
    cJSON_Delete(answer);
    return cmd_heat_of(snapshot);
}

#define HISTORY(reads, writes, refused)                                                            \
    "\"History\":{\"Read\":[" reads "],\"Write\":[" writes "],\"Refused\":[" refused "]}"

Test(heat, begins_where_anything_happened)
{
    static const struct {
        const char *json;
        size_t seconds;
        int64_t end_ms;
    } cases[] = {
        {"{}", 0, 0},
        {"{\"Time\":999,\"Partitions\":[{}]}", 0, 0},
        {"{\"Time\":10500,\"Partitions\":[{" HISTORY("0,0,5", "0,0,0", "0,0,0") "}]}", 1, 9000},
        {"{\"Time\":10500,\"Partitions\":[{" HISTORY("0,0,5", "0,0,0", "0,0,0") "},{" HISTORY(
             "0", "1", "0") "},{" HISTORY("0,0,0,0,0", "0,0,0,0,0", "0,3,0,0,0") "}]}",
         4, 9000},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pk_arena arena = PK_ARENA_INIT;
        struct cmd_heat heat = heat_of(&arena, cases[i].json);

        cr_expect_eq(heat.seconds, cases[i].seconds, "%zu: %zu", i, heat.seconds);
        cr_expect_eq(heat.end_ms, cases[i].end_ms, "%zu", i);
        pk_arena_release(&arena);
    }
}

Test(heat, cells_are_shares_of_the_nearer_limit)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_heat heat =
        heat_of(&arena, "{\"Time\":10500,\"Partitions\":[{\"Read\":{\"Limit\":3000},\"Write\":{"
                        "\"Limit\":1000}," HISTORY("1,1500000,9000000,0", "1,900000,0,1",
                                                   "0,0,7,0") "},{" HISTORY("5", "5", "5") "}]}");
    static const unsigned levels[] = {1, 900, 1000, 1};

    cr_assert_eq(heat.seconds, 4U);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(cmd_heat_cell(&heat, 0, i).level, levels[i], "%zu", i);
    cr_expect_eq(cmd_heat_cell(&heat, 0, 2).refused, 7U);
    cr_expect_eq(cmd_heat_cell(&heat, 1, 2).read_milli, 0); /* no history that long */
    cr_expect_eq(cmd_heat_cell(&heat, 1, 3).read_milli, 5);
    cr_expect_eq(cmd_heat_cell(&heat, 1, 3).level, 0U); /* no limit */
    pk_arena_release(&arena);
}

/* Partition 0 split at 7.5 s into 3 and 4, 4 at 8.0 s into 5 and 6; seconds are 6 to 9. */
#define SPLIT                                                                                      \
    "{\"Time\":10500,\"Partitions\":[{\"Id\":3," HISTORY(                                          \
        "1,1,1,1", "",                                                                             \
        "") "},{\"Id\":5," HISTORY("1,1,1,1", "",                                                  \
                                   "") "},{\"Id\":6," HISTORY("1,1,1,1", "",                       \
                                                              "") "},{\"Id\":9," HISTORY("1", "",  \
                                                                                         "") "}]," \
                                                                                             "\"S" \
                                                                                             "pli" \
                                                                                             "ts"  \
                                                                                             "\":" \
                                                                                             "[{"  \
                                                                                             "\"T" \
                                                                                             "ime" \
                                                                                             "\":" \
                                                                                             "750" \
                                                                                             "0,"  \
                                                                                             "\"P" \
                                                                                             "art" \
                                                                                             "iti" \
                                                                                             "on"  \
                                                                                             "\":" \
                                                                                             "0,"  \
                                                                                             "\"C" \
                                                                                             "hil" \
                                                                                             "dre" \
                                                                                             "n\"" \
                                                                                             ":["  \
                                                                                             "3,"  \
                                                                                             "4]}" \
                                                                                             ","   \
                                                                                             "{\"" \
                                                                                             "Tim" \
                                                                                             "e\"" \
                                                                                             ":80" \
                                                                                             "00," \
                                                                                             "\"P" \
                                                                                             "art" \
                                                                                             "iti" \
                                                                                             "on"  \
                                                                                             "\":" \
                                                                                             "4,"  \
                                                                                             "\"C" \
                                                                                             "hil" \
                                                                                             "dre" \
                                                                                             "n\"" \
                                                                                             ":["  \
                                                                                             "5,"  \
                                                                                             "6]}" \
                                                                                             ","   \
                                                                                             "{\"" \
                                                                                             "Tim" \
                                                                                             "e\"" \
                                                                                             ":99" \
                                                                                             "000" \
                                                                                             ",\"" \
                                                                                             "Par" \
                                                                                             "tit" \
                                                                                             "ion" \
                                                                                             "\":" \
                                                                                             "9,"  \
                                                                                             "\"C" \
                                                                                             "hil" \
                                                                                             "dre" \
                                                                                             "n\"" \
                                                                                             ":["  \
                                                                                             "9,"  \
                                                                                             "9]}" \
                                                                                             "]}"

Test(heat, a_second_counts_once)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_heat heat = heat_of(&arena, SPLIT);
    static const char *const counts[] = {"yyyy", "nyyy", "nnyy", "nnnn"};

    cr_assert_eq(heat.seconds, 4U);
    cr_expect_eq(cmd_heat_known(&heat), 0U);
    for (size_t p = 0; p < 4; p++) {
        for (size_t s = 0; s < 4; s++)
            cr_expect_eq(cmd_heat_counts(&heat, p, s), counts[p][s] == 'y', "%zu in %zu", p, s);
    }
    pk_arena_release(&arena);
}

Test(heat, of_many_splits_the_latest_are_known)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_buf json = PK_BUF_INIT;
    struct cmd_heat heat;

    pk_buf_add_cstr(&json, "{\"Time\":10500,\"Partitions\":[{" HISTORY(
                               "1,1,1,1", "", "") "}],"
                                                  "\"Splits\":[{\"Time\":8200}");
    for (int i = 0; i < 31; i++)
        pk_buf_add_cstr(&json, ",{\"Time\":9000}");
    pk_buf_add_cstr(&json, "]}");
    heat = heat_of(&arena, json.data);
    cr_expect_eq(cmd_heat_known(&heat), 2U);
    pk_buf_release(&json);
    pk_arena_release(&arena);
}

Test(heat, keys_by_their_requests)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct cmd_heat heat = heat_of(
        &arena, "{\"Partitions\":["
                "{\"Number\":0,\"Read\":{\"Admitted\":10},\"Hottest\":[{\"Key\":{\"PK\":{\"S\":"
                "\"cold\"}},\"Share\":1000},{\"Key\":{\"PK\":{\"S\":\"rare\"}},\"Share\":9}]},"
                "{\"Number\":1,\"Write\":{\"Admitted\":50,\"Refused\":50},\"Hottest\":[{\"Key\":{"
                "\"PK\":{\"S\":\"hot\"}},\"Share\":505},{\"Key\":{},\"Share\":900}]}]}");

    cr_expect(pk_slice_is(cmd_heat_keys(&heat, 3, &arena),
                          "hot 50% of partition 1 \xC2\xB7 cold 100% of partition 0"));
    cr_expect(pk_slice_is(cmd_heat_keys(&heat, 1, &arena), "hot 50% of partition 1"));
    cr_expect_eq(cmd_heat_keys(&heat, 0, &arena).len, 0U);
    pk_arena_release(&arena);
}
