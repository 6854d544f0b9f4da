/*
 * See the header.
 *
 * The history is a list of calls and answers in the order of their times. An operation is taken by
 * lifting both of its entries out of the list; so the list always begins with what is still to be
 * explained, and whoever is met before the first answer may come next. When that answer is met,
 * its operation had to come before it and could not: the last one taken is put back.
 *
 * Tried is a pair of which operations were taken and what the item held then. Meeting it again
 * cannot end differently.
 */
#include "tests/support/linear.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/hash.h"

struct entry {
    struct entry *prev, *next;
    struct entry *answer; /* of a call; NULL: this is an answer */
    const struct linear_op *op;
    size_t number; /* of the operation */
    int64_t time;
};

struct taken {
    struct entry *call;
    uint64_t before;
};

struct tried {
    struct tried *next;
    uint64_t value;
    unsigned char taken[]; /* a bit an operation */
};

enum { BUCKETS = 1 << 14 };

struct search {
    size_t count, set_bytes;
    struct entry *entries; /* 2 * count, in their first order */
    struct entry head;
    struct taken *stack;
    size_t depth;
    unsigned char *set;
    uint64_t value;
    struct tried *buckets[BUCKETS];
};

/* ---- what an operation does ------------------------------------------------------------------ */

/* Can it happen to an item that holds this? *after: what it holds then. */
static bool step(const struct linear_op *op, uint64_t value, uint64_t *after)
{
    bool is_same = value == op->before;

    *after = value;
    switch (op->kind) {
    case LINEAR_READ:
        return op->answered == LINEAR_NEVER || is_same;
    case LINEAR_REFUSED:
        return op->answered == LINEAR_NEVER || !is_same;
    case LINEAR_WRITE:
        *after = op->after;
        return op->before_unknown || is_same;
    case LINEAR_ADD:
        *after = op->before_unknown ? value + op->after : op->after;
        return op->before_unknown || is_same;
    case LINEAR_WRITE_IF:
        break;
    }
    /* without an answer it may just as well have been refused */
    if (is_same)
        *after = op->after;
    return is_same || op->answered == LINEAR_NEVER;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Calls before answers of the same time: such operations overlap. */
static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->answer == NULL) - (b->answer == NULL);
}

static void link_entries(struct search *search)
{
    struct entry *last = &search->head;
    struct entry **answers = pk_calloc(search->count, sizeof(*answers));

    qsort(search->entries, 2 * search->count, sizeof(*search->entries), compare);
    for (size_t i = 0; i < 2 * search->count; i++) {
        struct entry *entry = &search->entries[i];

        if (entry->answer == NULL)
            answers[entry->number] = entry;
        entry->prev = last;
        last->next = entry;
        last = entry;
    }
    for (size_t i = 0; i < 2 * search->count; i++)
        if (search->entries[i].answer != NULL)
            search->entries[i].answer = answers[search->entries[i].number];
    free(answers);
}

static void fill(struct search *search, const struct linear_op *ops)
{
    for (size_t i = 0; i < search->count; i++) {
        struct entry *call = &search->entries[2 * i], *answer = call + 1;

        *call = (struct entry){.op = &ops[i], .number = i, .time = ops[i].called, .answer = answer};
        *answer = (struct entry){.op = &ops[i], .number = i, .time = ops[i].answered};
    }
    link_entries(search);
}

static void unlink_entry(struct entry *entry)
{
    entry->prev->next = entry->next;
    if (entry->next != NULL)
        entry->next->prev = entry->prev;
}

static void relink_entry(struct entry *entry)
{
    entry->prev->next = entry;
    if (entry->next != NULL)
        entry->next->prev = entry;
}

static void flip(struct search *search, size_t number)
{
    search->set[number / 8] ^= (unsigned char)(1u << number % 8);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Remembers what is taken and held now; false: it was met before. */
static bool remember(struct search *search, uint64_t value)
{
    uint32_t hash =
        pk_hash_crc32((uint32_t)value, pk_slice_of((const char *)search->set, search->set_bytes));
    struct tried **bucket = &search->buckets[hash % BUCKETS];
    struct tried *tried;

    for (tried = *bucket; tried != NULL; tried = tried->next)
        if (tried->value == value && memcmp(tried->taken, search->set, search->set_bytes) == 0)
            return false;
    tried = pk_malloc(sizeof(*tried) + search->set_bytes);
    tried->value = value;
    memcpy(tried->taken, search->set, search->set_bytes);
    tried->next = *bucket;
    *bucket = tried;
    return true;
}

static bool take(struct search *search, struct entry *call)
{
    uint64_t after;

    if (!step(call->op, search->value, &after))
        return false;
    flip(search, call->number);
    if (!remember(search, after)) {
        flip(search, call->number);
        return false;
    }
    search->stack[search->depth++] = (struct taken){call, search->value};
    search->value = after;
    unlink_entry(call);
    unlink_entry(call->answer);
    return true;
}

/* Returns the call that was put back. */
static struct entry *put_back(struct search *search)
{
    const struct taken *last = &search->stack[--search->depth];

    relink_entry(last->call->answer);
    relink_entry(last->call);
    flip(search, last->call->number);
    search->value = last->before;
    return last->call;
}

static bool run(struct search *search)
{
    struct entry *at = search->head.next;

    while (search->depth < search->count) {
        if (at->answer != NULL && take(search, at)) {
            at = search->head.next;
        } else if (at->answer != NULL) {
            at = at->next;
        } else if (search->depth == 0) {
            return false;
        } else {
            at = put_back(search)->next;
        }
    }
    return true;
}

static void release(struct search *search)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (search->buckets[i] != NULL) {
            struct tried *next = search->buckets[i]->next;

            free(search->buckets[i]);
            search->buckets[i] = next;
        }
    free(search->entries);
    free(search->stack);
    free(search->set);
    free(search);
}

bool linear_check(const struct linear_op *ops, size_t count, uint64_t initial)
{
    struct search *search = pk_calloc(1, sizeof(*search));
    bool found;

    search->count = count;
    search->value = initial;
    search->set_bytes = count / 8 + 1;
    search->set = pk_calloc(search->set_bytes, 1);
    search->entries = pk_calloc(2 * count + 1, sizeof(*search->entries));
    search->stack = pk_calloc(count + 1, sizeof(*search->stack));
    fill(search, ops);
    found = run(search);
    release(search);
    return found;
}
