/* See the header. */
#include "shell/panel/traffic_knob.h"

#include "engine/base/clock.h"
#include "shell/panel/knobs.h"

enum { WISH_US = 1000000 };

void sh_traffic_knob_release(struct sh_traffic_knob *knob)
{
    pk_buf_release(&knob->name);
    pk_buf_release(&knob->skew);
}

size_t sh_traffic_knob_place(const struct sh_traffic_knob *knob, const struct sh_feed_data *data)
{
    for (size_t i = 0; i < data->traffic_count && knob->name.len > 0; i++) {
        if (pk_slice_equal(data->traffic[i].name, pk_buf_slice(&knob->name)))
            return i;
    }
    return 0;
}

void sh_traffic_knob_next(struct sh_traffic_knob *knob, const struct sh_feed_data *data)
{
    size_t place = sh_traffic_knob_place(knob, data);

    if (data->traffic_count == 0)
        return;
    place = place + 1 < data->traffic_count ? place + 1 : 0;
    pk_buf_clear(&knob->name);
    pk_buf_add(&knob->name, data->traffic[place].name);
    knob->wished_us = 0;
}

void sh_traffic_knob_turn(struct sh_traffic_knob *knob, const struct sh_feed_data *data,
                          uint32_t key, struct pk_buf *out)
{
    const struct sh_traffic *traffic = &data->traffic[sh_traffic_knob_place(knob, data)];
    int64_t now_us = pk_clock_real_us();
    struct pk_buf skew = PK_BUF_INIT;

    /* another one, where the one that was chosen, or the first, has ended */
    if (!pk_slice_equal(traffic->name, pk_buf_slice(&knob->name))) {
        pk_buf_clear(&knob->name);
        pk_buf_add(&knob->name, traffic->name);
        knob->wished_us = 0;
    }
    if (now_us - knob->wished_us > WISH_US) {
        knob->rate = traffic->rate;
        pk_buf_clear(&knob->skew);
        pk_buf_add(&knob->skew, traffic->skew);
    }
    knob->wished_us = now_us;
    if (key == 's') {
        sh_knob_skew(&skew, data->snapshot, pk_buf_slice(&knob->skew));
        pk_buf_clear(&knob->skew);
        pk_buf_add(&knob->skew, pk_buf_slice(&skew));
        pk_buf_add(out, pk_buf_slice(&skew));
    } else {
        knob->rate = sh_knob_rate(knob->rate, key == '+');
        pk_buf_printf(out, "%lld/s", (long long)knob->rate);
    }
    pk_buf_release(&skew);
}
