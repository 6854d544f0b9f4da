/* See the header. */
#include "shell/panel/feed_ask.h"

#include <stdlib.h>

#include "commands/wire.h"
#include "engine/base/clock.h"
#include "shell/panel/item_text.h"

enum {
    TRAFFIC_MAX = 32,
    NAME_MAX_BYTES = 255,
    HISTORY_US = 250000, /* between two histories at least; they change once a second */
    ITEM_US = 1000000,
    TRAFFIC_US = 500000
};

/* Parts and orders -----------------------------------------------------------------------------*/

static struct sh_feed_part *part_new(void)
{
    struct sh_feed_part *part = pk_calloc(1, sizeof(*part));

    atomic_init(&part->refs, 1);
    return part;
}

struct sh_feed_part *sh_feed_part_ref(struct sh_feed_part *part)
{
    atomic_fetch_add(&part->refs, 1);
    return part;
}

void sh_feed_part_unref(struct sh_feed_part *part)
{
    if (part == NULL || atomic_fetch_sub(&part->refs, 1) != 1)
        return;
    pk_arena_release(&part->arena);
    free(part);
}

/* Takes the new one. */
static void replace(struct sh_feed_part **place, struct sh_feed_part *part)
{
    sh_feed_part_unref(*place);
    *place = part;
}

static pk_slice keep(struct pk_arena *arena, pk_slice text)
{
    return text.len == 0 ? (pk_slice){NULL, 0} : pk_arena_dup(arena, text);
}

void sh_feed_order_set(struct sh_feed_order *order, pk_slice table, pk_slice index,
                       const struct sh_needs *needs)
{
    struct pk_arena *arena = &order->arena;

    pk_arena_clear(arena);
    order->table = keep(arena, table);
    order->index = keep(arena, index);
    order->needs = *needs;
    order->needs.rows.table = (pk_slice){NULL, 0};
    order->needs.rows.index = (pk_slice){NULL, 0};
    order->needs.rows.from = keep(arena, needs->rows.from);
    order->needs.rows.search = keep(arena, needs->rows.search);
    order->needs.item = keep(arena, needs->item);
}

static bool same_rows(const struct cmd_viewport_request *a, const struct cmd_viewport_request *b)
{
    return pk_slice_equal(a->from, b->from) && pk_slice_equal(a->search, b->search) &&
           a->backward == b->backward && a->limit == b->limit &&
           a->per_collection == b->per_collection && a->whole == b->whole;
}

bool sh_feed_order_is(const struct sh_feed_order *order, pk_slice table, pk_slice index,
                      const struct sh_needs *needs)
{
    const struct sh_needs *own = &order->needs;

    return pk_slice_equal(order->table, table) && pk_slice_equal(order->index, index) &&
           own->history == needs->history && own->first == needs->first &&
           own->limit == needs->limit && own->hot == needs->hot &&
           own->viewport == needs->viewport && own->ticket == needs->ticket &&
           own->tail == needs->tail && pk_slice_equal(own->item, needs->item) &&
           same_rows(&own->rows, &needs->rows);
}

void sh_feed_order_release(struct sh_feed_order *order)
{
    pk_arena_release(&order->arena);
}

/* Answers --------------------------------------------------------------------------------------*/

static void drop_tails(struct sh_feed_answers *answers)
{
    for (size_t i = 0; i < answers->tail_count; i++)
        sh_feed_part_unref(answers->tails[i]);
    answers->tail_count = 0;
    sh_tail_join_turn(&answers->join);
}

static void drop_all(struct sh_feed_answers *answers)
{
    replace(&answers->snapshot, NULL);
    replace(&answers->history, NULL);
    replace(&answers->viewport, NULL);
    replace(&answers->item, NULL);
    drop_tails(answers);
    answers->history_us = answers->item_us = 0;
}

void sh_feed_answers_release(struct sh_feed_answers *answers)
{
    drop_all(answers);
    replace(&answers->traffic, NULL);
    pk_buf_release(&answers->table);
    pk_buf_release(&answers->index);
    pk_buf_release(&answers->trouble);
}

void sh_feed_answers_restart(struct sh_feed_answers *answers)
{
    answers->history_us = answers->item_us = answers->traffic_us = 0;
}

/* Asking ---------------------------------------------------------------------------------------*/

struct round {
    struct cmd_context *context;
    const struct sh_feed_order *order;
    struct sh_feed_answers *answers;
    bool lost; /* the backend could not be reached */
    bool told; /* the first failure of the round is the trouble */
};

/* A part that did not come: what is told of it, and whether to go on asking at all. */
static void note_failure(struct round *round, struct pk_error *err)
{
    struct pk_buf *trouble = &round->answers->trouble;

    round->lost = err->code == PK_E_UNREACHABLE || err->code == PK_E_CANCELLED;
    /* the first table was dropped: another one is looked for */
    if (err->code == PK_E_NOT_FOUND && round->order->table.len == 0)
        round->told = true;
    if (!round->told && err->code != PK_E_CANCELLED) {
        pk_buf_clear(trouble);
        if (err->code == PK_E_UNKNOWN_OPERATION)
            pk_buf_add_cstr(trouble, "no pksk answers there: it does not show what is inside");
        else if (err->code == PK_E_NOT_FOUND)
            pk_buf_printf(trouble, "there is no table '%.*s'", PK_FMT(round->order->table));
        else
            pk_buf_printf(trouble, "%s%s", round->lost ? "reconnecting: " : "", err->message);
        round->told = true;
    }
    pk_error_release(err);
}

/* The table's name changed: what was shown is another one's. */
static void turn_to(struct sh_feed_answers *answers, pk_slice table, pk_slice index)
{
    if (pk_slice_equal(pk_buf_slice(&answers->table), table) &&
        pk_slice_equal(pk_buf_slice(&answers->index), index))
        return;
    drop_all(answers);
    pk_buf_clear(&answers->table);
    pk_buf_add(&answers->table, table);
    pk_buf_clear(&answers->index);
    pk_buf_add(&answers->index, index);
}

/* A frame needs a history of each partition it shows, but that is large and changes once a second:
 * the latest snapshot borrows it from one of the same second. (Of another one it would be taken for
 * a second that it is not.) */
static const struct cmd_snapshot_partition *find_partition(const struct cmd_snapshot *in,
                                                           uint32_t id)
{
    for (size_t i = 0; i < in->count; i++) {
        if (in->partitions[i].id == id && in->partitions[i].history_count > 0)
            return &in->partitions[i];
    }
    for (size_t i = 0; i < in->hot_count; i++) {
        if (in->hot[i].id == id && in->hot[i].history_count > 0)
            return &in->hot[i];
    }
    return NULL;
}

static void lend_to(struct cmd_snapshot_partition *to, size_t count,
                    const struct cmd_snapshot *from)
{
    for (size_t i = 0; i < count; i++) {
        const struct cmd_snapshot_partition *other = find_partition(from, to[i].id);

        if (other == NULL)
            continue;
        to[i].read_milli = other->read_milli;
        to[i].write_milli = other->write_milli;
        to[i].refused = other->refused;
        to[i].history_count = other->history_count;
    }
}

static void lend_history(struct cmd_snapshot *to, const struct cmd_snapshot *from)
{
    if (to->time_ms / 1000 != from->time_ms / 1000)
        return;
    lend_to(to->partitions, to->count, from);
    lend_to(to->hot, to->hot_count, from);
}

/* A second of simulated time has passed, or other partitions are looked at. */
static bool wants_history(const struct round *round, int64_t now_us)
{
    const struct sh_feed_answers *answers = round->answers;

    if (round->order->needs.history == 0 || now_us - answers->history_us < HISTORY_US)
        return false;
    return answers->history == NULL || answers->snapshot == NULL ||
           answers->history->snapshot.time_ms / 1000 !=
               answers->snapshot->snapshot.time_ms / 1000 ||
           answers->history->snapshot.count != answers->snapshot->snapshot.count ||
           (answers->snapshot->snapshot.count > 0 &&
            answers->history->snapshot.partitions[0].id !=
                answers->snapshot->snapshot.partitions[0].id);
}

static struct sh_feed_part *take_snapshot(struct round *round, pk_slice table, uint32_t history)
{
    const struct cmd_snapshot_request request = {
        .table = table,
        .index = table.len == 0 ? (pk_slice){NULL, 0} : round->order->index,
        .history = history,
        .first = round->order->needs.first,
        .limit = round->order->needs.limit,
        .hot = round->order->needs.hot,
    };
    struct sh_feed_part *part = part_new();
    struct pk_error err = PK_ERROR_INIT;

    if (cmd_snapshot_take(round->context, &part->arena, &request, &part->snapshot, &err) == PK_OK)
        return part;
    note_failure(round, &err);
    sh_feed_part_unref(part);
    return NULL;
}

/* Without a table's name: the first one there is, and then that one as long as it is there. */
static bool find_table(struct round *round, pk_slice *table)
{
    struct sh_feed_answers *answers = round->answers;
    struct sh_feed_part *part;

    *table = round->order->table;
    if (table->len == 0 && answers->snapshot != NULL)
        *table = pk_buf_slice(&answers->table);
    if (table->len > 0)
        return true;
    part = take_snapshot(round, (pk_slice){NULL, 0}, 0);
    if (part == NULL)
        return false;
    if (part->snapshot.table_count == 0) {
        turn_to(answers, (pk_slice){NULL, 0}, (pk_slice){NULL, 0});
        replace(&answers->snapshot, part);
        return false;
    }
    turn_to(answers, part->snapshot.tables[0].name, round->order->index);
    *table = pk_buf_slice(&answers->table);
    sh_feed_part_unref(part);
    return true;
}

static void ask_snapshot(struct round *round, pk_slice table)
{
    struct sh_feed_answers *answers = round->answers;
    int64_t now_us = pk_clock_real_us();
    bool history = wants_history(round, now_us);
    struct sh_feed_part *part =
        take_snapshot(round, table, history ? round->order->needs.history : 0);

    if (part == NULL) {
        if (round->order->table.len == 0 && !round->lost)
            turn_to(answers, (pk_slice){NULL, 0}, (pk_slice){NULL, 0}); /* look for another one */
        return;
    }
    if (history) {
        replace(&answers->history, sh_feed_part_ref(part));
        answers->history_us = now_us;
    } else if (answers->history != NULL && round->order->needs.history > 0) {
        lend_history(&part->snapshot, &answers->history->snapshot);
    }
    replace(&answers->snapshot, part);
}

static void ask_viewport(struct round *round, pk_slice table)
{
    struct cmd_viewport_request request = round->order->needs.rows;
    struct sh_feed_part *part;
    struct pk_error err = PK_ERROR_INIT;

    if (!round->order->needs.viewport || round->lost)
        return;
    request.table = table;
    request.index = round->order->index;
    part = part_new();
    part->ticket = round->order->needs.ticket;
    if (cmd_viewport_take(round->context, &part->arena, &request, &part->viewport, &err) == PK_OK) {
        replace(&round->answers->viewport, part);
        return;
    }
    note_failure(round, &err);
    sh_feed_part_unref(part);
}

static void add_tail(struct sh_feed_answers *answers, struct sh_feed_part *part)
{
    size_t records = part->tail.count;

    answers->lost += part->tail.lost;
    if (part->tail.count == 0) {
        sh_feed_part_unref(part);
        return;
    }
    for (size_t i = answers->tail_count; i > 0; i--)
        records += answers->tails[i - 1]->tail.count;
    while (
        answers->tail_count == SH_FEED_TAILS ||
        (answers->tail_count > 0 && records - answers->tails[0]->tail.count >= SH_FRAME_RECORDS)) {
        records -= answers->tails[0]->tail.count;
        sh_feed_part_unref(answers->tails[0]);
        answers->tail_count--;
        memmove(answers->tails, answers->tails + 1,
                answers->tail_count * sizeof(answers->tails[0]));
    }
    answers->tails[answers->tail_count++] = part;
}

static void ask_tail(struct round *round, pk_slice table)
{
    const struct cmd_tail_request request = sh_tail_join_request(&round->answers->join, table);
    struct sh_feed_part *part;
    struct pk_error err = PK_ERROR_INIT;

    if (!round->order->needs.tail)
        sh_tail_join_pause(&round->answers->join);
    if (!round->order->needs.tail || round->lost)
        return;
    part = part_new();
    if (cmd_tail_take(round->context, &part->arena, &request, &part->tail, &err) == PK_OK) {
        if (sh_tail_join_take(&round->answers->join, &part->tail))
            add_tail(round->answers, part);
        else
            sh_feed_part_unref(part); /* the next round asks from the first one */
        return;
    }
    note_failure(round, &err);
    sh_feed_part_unref(part);
}

static void print_item(struct sh_feed_part *part, const struct cmd_viewport_row *row)
{
    cJSON *tree = cmd_wire_parse(row->whole);
    struct pk_arena scratch = PK_ARENA_INIT;
    struct pk_buf text = PK_BUF_INIT;

    sh_item_text(&text, cmd_wire_read_item(&scratch, tree));
    part->item.text = keep(&part->arena, pk_buf_slice(&text));
    part->item.found = true;
    pk_buf_release(&text);
    pk_arena_release(&scratch);
    cJSON_Delete(tree);
}

/* Are these the same key? As values: the texts may have been written by different hands. */
static bool same_key(pk_slice a, pk_slice b)
{
    cJSON *first = cmd_wire_parse(a);
    cJSON *second = cmd_wire_parse(b);
    bool same = first != NULL && second != NULL && cJSON_Compare(first, second, true) != 0;

    cJSON_Delete(first);
    cJSON_Delete(second);
    return same;
}

static bool wants_item(const struct round *round, int64_t now_us)
{
    const struct sh_feed_part *item = round->answers->item;

    return item == NULL || !pk_slice_equal(item->item.key, round->order->needs.item) ||
           now_us - round->answers->item_us >= ITEM_US;
}

static void ask_item(struct round *round, pk_slice table)
{
    const struct cmd_viewport_request request = {
        .table = table,
        .index = round->order->index,
        .from = round->order->needs.item,
        .limit = 1,
        .whole = true,
    };
    int64_t now_us = pk_clock_real_us();
    struct cmd_viewport found;
    struct sh_feed_part *part;
    struct pk_error err = PK_ERROR_INIT;

    if (request.from.len == 0 || round->lost || !wants_item(round, now_us))
        return;
    part = part_new();
    part->item.key = keep(&part->arena, request.from);
    if (cmd_viewport_take(round->context, &part->arena, &request, &found, &err) != PK_OK)
        note_failure(round, &err);
    else if (found.count > 0 && found.collections[0].row_count > 0 &&
             same_key(found.collections[0].rows[0].key, request.from))
        print_item(part, &found.collections[0].rows[0]);
    replace(&round->answers->item, part);
    round->answers->item_us = now_us;
}

static void read_traffic(struct sh_feed_part *part, const cJSON *answer)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(answer, "Traffic");
    const cJSON *node;

    part->traffic = PK_NEW_ARRAY(&part->arena, struct sh_traffic, TRAFFIC_MAX);
    cJSON_ArrayForEach(node, list)
    {
        struct sh_traffic *one = &part->traffic[part->traffic_count];
        pk_slice name = cmd_wire_text(node, "Name");
        pk_slice skew = cmd_wire_text(node, "Skew");

        if (pk_slice_is(cmd_wire_text(node, "State"), "ENDED"))
            continue;
        if (part->traffic_count == TRAFFIC_MAX || name.len > NAME_MAX_BYTES ||
            skew.len > NAME_MAX_BYTES)
            continue;
        one->name = keep(&part->arena, name);
        one->rate = cmd_wire_int(node, "Rate", 0);
        one->skew = keep(&part->arena, skew);
        part->traffic_count++;
    }
}

/* Traffic that this process, or the one that answers, makes; who has none may not know the word. */
static void ask_traffic(struct round *round)
{
    int64_t now_us = pk_clock_real_us();
    struct pk_error err = PK_ERROR_INIT;
    cJSON *request;
    cJSON *answer = NULL;

    if (round->lost || now_us - round->answers->traffic_us < TRAFFIC_US)
        return;
    request = cJSON_CreateObject();
    if (cmd_call(round->context, "Pksk.Traffic", request, &answer, NULL, &err) == PK_OK) {
        struct sh_feed_part *part = part_new();

        read_traffic(part, answer);
        replace(&round->answers->traffic, part);
    }
    round->lost = err.code == PK_E_UNREACHABLE || err.code == PK_E_CANCELLED;
    round->answers->traffic_us = now_us;
    pk_error_release(&err);
    cJSON_Delete(answer);
    cJSON_Delete(request);
}

bool sh_feed_ask(struct cmd_context *context, const struct sh_feed_order *order,
                 struct sh_feed_answers *answers)
{
    struct round round = {.context = context, .order = order, .answers = answers};
    pk_slice table;

    if (find_table(&round, &table)) {
        turn_to(answers, table, order->index);
        ask_snapshot(&round, pk_buf_slice(&answers->table));
        table = pk_buf_slice(&answers->table); /* gone when the table is */
    }
    if (table.len > 0) {
        ask_viewport(&round, table);
        ask_tail(&round, table);
        ask_item(&round, table);
    }
    ask_traffic(&round);
    if (!round.told)
        pk_buf_clear(&answers->trouble);
    answers->connected = !round.lost;
    return !round.lost;
}

void sh_feed_ask_other(struct cmd_context *context, const char *operation, pk_slice request,
                       struct pk_error *err)
{
    cJSON *body = cmd_wire_parse(request);
    cJSON *answer = NULL;

    if (body == NULL)
        pk_bug("a request of the panel is no JSON");
    (void)!cmd_call(context, operation, body, &answer, NULL, err);
    cJSON_Delete(answer);
    cJSON_Delete(body);
}
