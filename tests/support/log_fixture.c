#include "tests/support/log_fixture.h"

#include "engine/ops/core.h"
#include "engine/store/layout.h"

static enum pk_code update(struct engine_fixture *fx, const struct pk_table_change *change)
{
    struct pk_table *table = NULL;
    enum pk_code rc;

    pk_error_release(&fx->err);
    rc = pk_engine_update_table(fx->engine, change, &table, &fx->err);
    pk_table_unref(table);
    return rc;
}

enum pk_code log_create_index(struct engine_fixture *fx, const char *table, const char *index)
{
    struct pk_table_spec spec = engine_spec(fx, engine_format(fx, "X pk_unused:S; %s", index));
    struct pk_index_change change = {.kind = PK_INDEX_CREATE, .spec = spec.globals[0]};

    return update(fx, &(struct pk_table_change){.name = pk_slice_cstr(table),
                                                .attributes = spec.attributes,
                                                .attribute_count = spec.attribute_count,
                                                .indexes = &change,
                                                .index_count = 1});
}

enum pk_code log_delete_index(struct engine_fixture *fx, const char *table, const char *index)
{
    struct pk_index_change change = {.kind = PK_INDEX_DELETE,
                                     .spec = {.name = pk_slice_cstr(index)}};

    return update(fx, &(struct pk_table_change){
                          .name = pk_slice_cstr(table), .indexes = &change, .index_count = 1});
}

static const char *status_text(const struct pk_index *index)
{
    switch (index->status) {
    case PK_STATUS_CREATING:
        return index->backfilling ? "BACKFILLING" : "CREATING";
    case PK_STATUS_ACTIVE:
        return "ACTIVE";
    case PK_STATUS_UPDATING:
        return "UPDATING";
    case PK_STATUS_DELETING:
        return "DELETING";
    }
    return "";
}

const char *log_index_status(struct engine_fixture *fx, const char *table, const char *index)
{
    struct pk_table *found = pk_engine_table(fx->engine, pk_slice_cstr(table));
    const struct pk_index *at = found == NULL ? NULL : pk_table_index(found, pk_slice_cstr(index));
    const char *text = at == NULL ? "" : status_text(at);

    pk_table_unref(found);
    return text;
}

bool log_tick(struct engine_fixture *fx)
{
    return pk_engine_tick(fx->engine, pk_clock_now(pk_engine_clock(fx->engine)));
}

void log_settle(struct engine_fixture *fx)
{
    while (log_tick(fx))
        ;
}

void log_set_lag(struct engine_fixture *fx, uint64_t lag_ms, uint64_t jitter_ms)
{
    struct pk_sim_settings settings;

    pk_engine_settings(fx->engine, &settings);
    settings.gsi_lag_ms = lag_ms;
    settings.gsi_lag_jitter_ms = jitter_ms;
    if (pk_engine_set_settings(fx->engine, &settings, &fx->err) != PK_OK)
        pk_bug("log fixture: %s", fx->err.message);
}

uint64_t log_records(struct engine_fixture *fx, const char *table)
{
    struct pk_table *found = pk_engine_table(fx->engine, pk_slice_cstr(table));
    struct pk_buf prefix = PK_BUF_INIT;
    struct pk_buf upper = PK_BUF_INIT;
    struct pk_iter *iter;
    uint64_t count = 0;

    pk_layout_id(&prefix, PK_SPACE_CHANGE, found->id);
    iter = pk_iter_new(pk_store_live(fx->engine->store),
                       pk_range_prefix(pk_buf_slice(&prefix), &upper), PK_ITER_QUERY);
    for (pk_iter_seek_first(iter); pk_iter_valid(iter); pk_iter_next(iter))
        count++;
    pk_iter_free(iter);
    pk_buf_release(&prefix);
    pk_buf_release(&upper);
    pk_table_unref(found);
    return count;
}

const char *log_query(struct engine_fixture *fx, const char *from, const char *key,
                      const char *values)
{
    if (engine_read(fx, &(struct read_text){.from = from, .key = key, .values = values}) != PK_OK)
        return fx->err.message;
    return engine_items(fx);
}
