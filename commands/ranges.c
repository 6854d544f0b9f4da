#include "commands/ranges.h"

#define ELLIPSIS "\xE2\x80\xA6"
#define DASH     "\xE2\x80\x93"

enum { MILLI = 1000, KEY_BYTES = 32, DIGITS_LEAST = 4, DIGITS = 16 };

int cmd_token_digits(const struct cmd_snapshot *snapshot)
{
    int digits = DIGITS_LEAST;

    for (size_t i = 0; i < snapshot->count; i++) {
        const struct cmd_snapshot_partition *partition = &snapshot->partitions[i];
        uint64_t differ = partition->first_token ^ partition->last_token;

        while (digits < DIGITS && differ != 0 && differ >> (64 - 4 * digits) == 0)
            digits++;
    }
    return digits;
}

pk_slice cmd_rate_text(struct pk_arena *arena, int64_t milli)
{
    if (milli < 10 * MILLI)
        return cmd_format_units(arena, milli);
    return cmd_format_count(arena, (uint64_t)(milli + MILLI / 2) / MILLI);
}

pk_slice cmd_short_key(struct pk_arena *arena, pk_slice key)
{
    size_t len = KEY_BYTES;

    if (key.len <= KEY_BYTES)
        return key;
    while (len > 0 && ((unsigned char)key.data[len] & 0xc0) == 0x80)
        len--;
    return pk_arena_printf(arena, "%.*s" ELLIPSIS, (int)len, key.data);
}

/* The first digits. */
static pk_slice token_text(struct pk_arena *arena, uint64_t token, int digits)
{
    return pk_arena_printf(arena, "%0*llx", digits,
                           (unsigned long long)(token >> (64 - 4 * digits)));
}

pk_slice cmd_range_text(struct pk_arena *arena, const struct cmd_snapshot_partition *partition,
                        int digits)
{
    pk_slice last = token_text(arena, partition->last_token, digits);

    if (partition->first_key.len > 0)
        return pk_arena_printf(arena, "from %.*s to %.*s",
                               PK_FMT(cmd_short_key(arena, partition->first_key)), PK_FMT(last));
    return pk_arena_printf(arena, "%.*s" DASH "%.*s",
                           PK_FMT(token_text(arena, partition->first_token, digits)), PK_FMT(last));
}
