/* See tail_ring.h. */
#include "shell/panel/tail_ring.h"

#include <stdlib.h>

static void clear(struct sh_tail_ring *ring)
{
    for (size_t i = 0; i < ring->count; i++)
        free(ring->entries[(ring->start + i) % SH_TAIL_KEPT].text);
    ring->start = ring->count = 0;
    ring->last = 0;
}

void sh_tail_ring_release(struct sh_tail_ring *ring)
{
    clear(ring);
    free(ring->entries);
    *ring = (struct sh_tail_ring){0};
}

/* Appends at most `most` bytes of *text to the buffer, as far as whole characters go. */
static void copy(struct pk_buf *to, const pk_slice *text, size_t most)
{
    size_t len = text->len < most ? text->len : most;

    while (len < text->len && len > 0 && ((unsigned char)text->data[len] & 0xc0) == 0x80)
        len--;
    pk_buf_add(to, pk_slice_of(text->data, len));
}

static void push(struct sh_tail_ring *ring, const struct cmd_tail_record *record)
{
    struct sh_tail_entry *entry = NULL;
    struct pk_buf text = PK_BUF_INIT;
    struct cmd_tail_record kept = *record;
    pk_slice *const parts[] = {&kept.table, &kept.event, &kept.cause,
                               &kept.shard, &kept.key,   &kept.changes};
    size_t ends[sizeof(parts) / sizeof(*parts)];

    if (ring->count == SH_TAIL_KEPT) {
        free(ring->entries[ring->start].text);
        ring->start = (ring->start + 1) % SH_TAIL_KEPT;
        ring->count--;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        copy(&text, parts[i], SH_TAIL_TEXT_MAX);
        ends[i] = text.len;
    }
    entry = &ring->entries[(ring->start + ring->count++) % SH_TAIL_KEPT];
    entry->text = pk_buf_detach(&text);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        size_t start = i == 0 ? 0 : ends[i - 1];

        *parts[i] = pk_slice_of(entry->text + start, ends[i] - start);
    }
    entry->record = kept;
}

void sh_tail_ring_feed(struct sh_tail_ring *ring, const struct cmd_tail_record *records,
                       size_t count)
{
    if (count > 0 && records[count - 1].number < ring->last)
        clear(ring);
    for (size_t i = 0; i < count; i++) {
        if (records[i].number <= ring->last)
            continue;
        if (ring->entries == NULL)
            ring->entries = pk_calloc(SH_TAIL_KEPT, sizeof(*ring->entries));
        push(ring, &records[i]);
        ring->last = records[i].number;
    }
}

const struct cmd_tail_record *sh_tail_ring_at(const struct sh_tail_ring *ring, size_t i)
{
    return &ring->entries[(ring->start + i) % SH_TAIL_KEPT].record;
}
