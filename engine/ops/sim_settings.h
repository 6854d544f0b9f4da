/*
 * The settings of the simulation in the store: under PK_META_SETTING, by the setting's name, its
 * value as a varint (on disk: do not change). What is not there has its default.
 */
#ifndef PK_OPS_SIM_SETTINGS_H
#define PK_OPS_SIM_SETTINGS_H

#include "engine/ops/core.h"

/* Takes over what the store says; the engine is not in use yet. */
PK_MUST_CHECK enum pk_code pk_sim_settings_load(struct pk_engine *engine, struct pk_error *err);

#endif
