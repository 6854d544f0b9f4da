/* Settings of the simulation: their defaults, that they act, and that the store keeps them. */
#include <criterion/criterion.h>

#include "engine/engine.h"
#include "tests/support/temp_dir.h"

static struct pk_engine *open_at(const char *dir)
{
    struct pk_engine_options options = {.dir = dir, .memory = dir == NULL, .no_ticker = true};
    struct pk_error err = PK_ERROR_INIT;
    struct pk_engine *engine = NULL;

    cr_assert_eq(pk_engine_open(&options, &engine, &err), PK_OK, "%s", err.message);
    return engine;
}

/* The workshop's figures (grammar.md, "Settings"). */
static struct pk_sim_settings workshop(void)
{
    struct pk_sim_settings settings = pk_sim_settings_workshop();

    settings.on_demand_write = 50;
    settings.seed = 7;
    return settings;
}

static void set(struct pk_engine *engine, struct pk_sim_settings settings)
{
    struct pk_error err = PK_ERROR_INIT;

    cr_assert_eq(pk_engine_set_settings(engine, &settings, &err), PK_OK, "%s", err.message);
}

static uint32_t partitions_of_new(struct pk_engine *engine, const char *name)
{
    const struct pk_key_element key = {.name = PK_LIT("PK")};
    const struct pk_key_attr attribute = {PK_LIT("PK"), PK_STRING};
    struct pk_table_spec spec = {
        .name = pk_slice_cstr(name),
        .keys = &key,
        .key_count = 1,
        .attributes = &attribute,
        .attribute_count = 1,
        .billing = PK_ON_DEMAND,
        .max = {-1, -1},
    };
    struct pk_error err = PK_ERROR_INIT;
    struct pk_table *table = NULL;
    uint32_t count;

    cr_assert_eq(pk_engine_create_table(engine, &spec, &table, &err), PK_OK, "%s", err.message);
    count = table->partitions.count;
    pk_table_unref(table);
    return count;
}

Test(sim_settings, defaults)
{
    struct pk_engine *engine = open_at(NULL);
    struct pk_sim_settings settings;

    pk_engine_settings(engine, &settings);
    cr_expect_eq(settings.partition_read, 3000);
    cr_expect_eq(settings.partition_write, 1000);
    cr_expect_eq(settings.partition_bytes, UINT64_C(10) << 30);
    cr_expect_eq(settings.on_demand_read, 12000);
    cr_expect_eq(settings.on_demand_write, 4000);
    cr_expect_eq(settings.collection_bytes, UINT64_C(10) << 30);
    cr_expect_eq(settings.seed, 1);
    for (const struct pk_sim_field *field = pk_sim_fields + 1; field->name != NULL; field++)
        cr_expect_lt(strcmp(field[-1].name, field->name), 0, "%s", field->name);
    pk_engine_close(engine);
}

Test(sim_settings, act)
{
    struct pk_engine *engine = open_at(NULL);

    cr_expect_eq(partitions_of_new(engine, "before"), 4);
    set(engine, workshop());
    cr_expect_eq(partitions_of_new(engine, "after"), 5); /* 50 WCU of 10 each */
    pk_engine_close(engine);
}

Test(sim_settings, refused)
{
    struct pk_engine *engine = open_at(NULL);
    struct pk_sim_settings settings = workshop();
    struct pk_error err = PK_ERROR_INIT;

    settings.partition_write = 0;
    cr_expect_eq(pk_engine_set_settings(engine, &settings, &err), PK_E_USAGE);
    cr_expect_str_eq(err.message, "partition.wcu is a number from 1 to 1000000000");
    pk_error_release(&err);
    pk_engine_settings(engine, &settings);
    cr_expect_eq(settings.seed, 1, "nothing was changed");
    pk_engine_close(engine);
}

Test(sim_settings, kept)
{
    struct temp_dir dir;
    struct pk_engine *engine;
    struct pk_sim_settings settings;

    temp_dir_make(&dir);
    engine = open_at(dir.path);
    set(engine, workshop());
    pk_engine_close(engine);
    engine = open_at(dir.path);
    pk_engine_settings(engine, &settings);
    cr_expect_eq(settings.partition_read, 30);
    cr_expect_eq(settings.partition_write, 10);
    cr_expect_eq(settings.partition_bytes, 65536);
    cr_expect_eq(settings.on_demand_read, 120);
    cr_expect_eq(settings.on_demand_write, 50);
    cr_expect_eq(settings.collection_bytes, 65536);
    cr_expect_eq(settings.seed, 7);
    pk_engine_close(engine);
    temp_dir_remove(&dir);
}
