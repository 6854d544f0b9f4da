/* Which traffic the keys turn, and what they make of it. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "shell/panel/traffic_knob.h"

static struct sh_traffic traffics[] = {
    {{"viral", 5}, 1000, {NULL, 0}},
    {{"burst", 5}, 20, {"zipf(1.2)", 9}},
    {{"calm", 4}, 1, {NULL, 0}},
};

/* "name value" of a turn; valid until the next. */
static const char *turn(struct sh_traffic_knob *knob, const struct sh_feed_data *data, uint32_t key)
{
    static char text[100];
    struct pk_buf value = PK_BUF_INIT;

    sh_traffic_knob_turn(knob, data, key, &value);
    snprintf(text, sizeof(text), "%.*s %s", PK_FMT(pk_buf_slice(&knob->name)), value.data);
    pk_buf_release(&value);
    return text;
}

Test(traffic_knob, turns_the_one_that_is_chosen)
{
    struct sh_feed_data data = {.traffic = traffics, .traffic_count = 3};
    struct sh_traffic_knob knob = {.name = PK_BUF_INIT};

    cr_expect_eq(sh_traffic_knob_place(&knob, &data), 0U);
    cr_expect_str_eq(turn(&knob, &data, '+'), "viral 2000/s");
    cr_expect_str_eq(turn(&knob, &data, '+'), "viral 5000/s"); /* before the data says so */
    sh_traffic_knob_next(&knob, &data);
    cr_expect_eq(sh_traffic_knob_place(&knob, &data), 1U);
    cr_expect_str_eq(turn(&knob, &data, '-'), "burst 10/s");
    cr_expect_str_eq(turn(&knob, &data, 's'), "burst uniform");
    cr_expect_str_eq(turn(&knob, &data, 's'), "burst zipf(1.2)");
    sh_traffic_knob_next(&knob, &data);
    cr_expect_str_eq(turn(&knob, &data, '-'), "calm 1/s");
    sh_traffic_knob_next(&knob, &data);
    cr_expect_eq(sh_traffic_knob_place(&knob, &data), 0U);
    cr_expect_str_eq(turn(&knob, &data, '-'), "viral 500/s"); /* it was left a while ago */
    sh_traffic_knob_release(&knob);
}

/* Others come and go; the chosen one stays chosen, and the first takes its place. */
Test(traffic_knob, goes_by_name)
{
    struct sh_feed_data data = {.traffic = traffics, .traffic_count = 3};
    struct sh_feed_data later = {.traffic = traffics + 1, .traffic_count = 2};
    struct sh_feed_data none = {.traffic_count = 0};
    struct sh_traffic_knob knob = {.name = PK_BUF_INIT};

    sh_traffic_knob_next(&knob, &none);
    cr_expect_eq(sh_traffic_knob_place(&knob, &none), 0U);
    sh_traffic_knob_next(&knob, &data);
    cr_expect_str_eq(turn(&knob, &later, '+'), "burst 50/s");
    sh_traffic_knob_release(&knob);
    knob = (struct sh_traffic_knob){.name = PK_BUF_INIT};
    cr_expect_str_eq(turn(&knob, &data, '+'), "viral 2000/s");
    cr_expect_str_eq(turn(&knob, &later, '+'), "burst 50/s"); /* the first has ended */
    sh_traffic_knob_release(&knob);
}
