/* Changes joined to one row: each once, in order, over looks back and openings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/panel/tail_join.h"

/* What an answer holds: "number/sequence …", 0 for none. */
struct answer {
    uint64_t opened, last;
    const char *records;
};

static size_t read_records(const char *text, struct cmd_tail_record *records)
{
    size_t count = 0;
    char *end = NULL;

    while (*text != '\0') {
        records[count] = (struct cmd_tail_record){.number = strtoull(text, &end, 10)};
        records[count++].sequence = strtoull(end + 1, &end, 10);
        text = *end == ' ' ? end + 1 : end;
    }
    return count;
}

/* Takes the answer, checks that numbers ascend above *last, and gives the sequences. */
static const char *take(struct sh_tail_join *join, uint64_t *last, const struct answer *answer)
{
    static char text[400];
    struct cmd_tail_record records[64];
    struct cmd_tail tail = {.last = answer->last, .opened = answer->opened, .records = records};
    size_t length = 0;

    tail.count = read_records(answer->records, records);
    text[0] = '\0';
    if (!sh_tail_join_take(join, &tail))
        return "again";
    for (size_t i = 0; i < tail.count; i++) {
        cr_assert_gt(records[i].number, *last, "%s", answer->records);
        *last = records[i].number;
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%llu ",
                                   (unsigned long long)records[i].sequence);
    }
    return text;
}

static void expect(struct sh_tail_join *join, uint64_t *last, struct answer answer,
                   const char *sequences)
{
    const char *text = take(join, last, &answer);

    cr_expect_str_eq(text, sequences, "%s: %s instead of %s", answer.records, text, sequences);
}

Test(tail_join, each_change_once)
{
    struct sh_tail_join join = {0};
    uint64_t last = 0;

    cr_expect_eq(sh_tail_join_request(&join, PK_LIT("T")).back, 100U);
    expect(&join, &last, (struct answer){7, 0, "0/5 0/6 0/9"}, "5 6 9 ");
    cr_expect_eq(sh_tail_join_request(&join, PK_LIT("T")).back, 0U);
    expect(&join, &last, (struct answer){7, 0, ""}, "");
    expect(&join, &last, (struct answer){7, 3, "1/9 2/8 3/10"}, "8 10 "); /* 8 was in flight */
    cr_expect_eq(sh_tail_join_request(&join, PK_LIT("T")).after, 3U);
    expect(&join, &last, (struct answer){7, 5, "4/0 5/0"}, "0 0 "); /* the log ended */
}

Test(tail_join, what_is_noted_already_comes_in_its_order)
{
    struct sh_tail_join join = {0};
    uint64_t last = 0;

    expect(&join, &last, (struct answer){7, 12, "0/3 0/4 0/5 11/4 12/5"}, "3 4 5 ");
    expect(&join, &last, (struct answer){7, 13, "13/6"}, "6 ");
}

Test(tail_join, looks_back_again_after_a_pause)
{
    struct sh_tail_join join = {0};
    uint64_t last = 0;

    expect(&join, &last, (struct answer){7, 2, "0/1 1/2 2/3"}, "1 2 3 ");
    sh_tail_join_pause(&join);
    sh_tail_join_pause(&join);
    cr_expect_eq(sh_tail_join_request(&join, PK_LIT("T")).back, 100U);
    expect(&join, &last, (struct answer){7, 3, "0/2 0/3 0/4 0/5 3/6"}, "4 5 6 ");
    expect(&join, &last, (struct answer){7, 4, "4/7"}, "7 ");
}

Test(tail_join, another_opening_and_another_table)
{
    struct sh_tail_join join = {0};
    uint64_t last = 0;

    expect(&join, &last, (struct answer){7, 900, "899/40 900/41"}, "40 41 ");
    expect(&join, &last, (struct answer){8, 0, ""}, "again");
    expect(&join, &last, (struct answer){8, 1, "0/40 0/41 0/42 0/43 1/43"}, "42 43 ");
    sh_tail_join_turn(&join);
    expect(&join, &last, (struct answer){8, 2, "0/1 0/2 2/3"}, "1 2 3 ");
}

/* An endpoint that says anything: bounds hold. */
Test(tail_join, an_answer_that_lies)
{
    struct sh_tail_join join = {0};
    struct cmd_tail_record records[300];
    struct cmd_tail tail = {.records = records, .count = 300, .last = 5, .opened = 1};

    for (size_t i = 0; i < 300; i++)
        records[i] = (struct cmd_tail_record){.sequence = 1000 - i};
    cr_assert(sh_tail_join_take(&join, &tail));
    cr_expect_eq(tail.count, 100U);
    cr_expect_eq(join.back_count, 100U);
}
