/*
 * Prices, and what units, hours and bytes cost by them (pricing.md). They are data for teaching, no
 * quotation: list prices of one region and one date, without taxes, that anybody can change (`set
 * price.…`) or read from a file.
 *
 * Sums are nano-dollars (1e-9), exact but for the last one; only what is shown is rounded to cents.
 * A sum that would not fit is INT64_MAX.
 */
#ifndef CMD_WORKLOAD_PRICING_H
#define CMD_WORKLOAD_PRICING_H

#include "engine/base/arena.h"
#include "engine/error.h"

/* Key of the price file and, behind "price.", name of the setting; initial value; unit; meaning.
 * By key. Amounts of money have the unit USD. */
#define PRICING_MAP(XX)                                                                            \
    XX(BACKUP, "backup_gb_month", "0.10", "USD", "a GB of backups for a month")                    \
    XX(CDC, "cdc_per_million", "0.10", "USD", "a million change records for Kinesis")              \
    XX(DAX_LARGE, "dax.r5.large_hour", "0.255", "USD", "an hour of a dax.r5.large node")           \
    XX(DAX_SMALL, "dax.t3.small_hour", "0.04", "USD", "an hour of a dax.t3.small node")            \
    XX(DATE, "date", "2026-08-15", "YYYY-MM-DD", "the day of the prices")                          \
    XX(EXPORT, "export_gb", "0.10", "USD", "a GB exported to S3")                                  \
    XX(FREE_TIER, "free_tier", "off", "on|off", "25 WCU and 25 RCU are free")                      \
    XX(HOURS, "hours_per_month", "730", "hours", "how long a month is")                            \
    XX(IMPORT, "import_gb", "0.15", "USD", "a GB imported from S3")                                \
    XX(PITR, "pitr_gb_month", "0.20", "USD", "a GB under point-in-time recovery for a month")      \
    XX(RCU, "rcu_hour", "0.00013", "USD", "a provisioned read unit for an hour")                   \
    XX(REGION, "region", "us-east-1", "a region", "where the prices hold")                         \
    XX(RESTORE, "restore_gb", "0.15", "USD", "a GB restored")                                      \
    XX(RRU, "rru_per_million", "0.125", "USD", "a million on-demand read units")                   \
    XX(RWCU, "rwcu_hour", "0.00065", "USD", "a replicated provisioned write unit for an hour")     \
    XX(RWRU, "rwru_per_million", "0.625", "USD", "a million replicated on-demand write units")     \
    XX(STORAGE_FREE, "storage_free_gb", "25", "GB", "how much storage is free")                    \
    XX(STORAGE, "storage_gb_month", "0.25", "USD", "a GB stored for a month, above what is free")  \
    XX(STREAMS_FREE, "streams_free", "2500000", "calls", "how many stream reads are free")         \
    XX(STREAMS, "streams_per_100k", "0.02", "USD", "100,000 stream reads above what is free")      \
    XX(WCU, "wcu_hour", "0.00065", "USD", "a provisioned write unit for an hour")                  \
    XX(WRU, "wru_per_million", "0.625", "USD", "a million on-demand write units")

#define XX(name, key, initial, unit, sentence) PRICE_##name,
enum price { PRICING_MAP(XX) PRICES };
#undef XX

enum { PRICING_DATE = 11, PRICING_REGION = 33, PRICING_FREE_UNITS = 25 };

struct pricing {
    char date[PRICING_DATE];     /* of the prices: "2026-08-15" */
    char region[PRICING_REGION]; /* "us-east-1" */
    bool free_tier;              /* 25 WCU and 25 RCU are free; request units never are */
    int64_t values[PRICES];      /* nano-dollars; hours, GB and calls as they are; 0 of texts */
};

/* us-east-1, 2026-08-15. */
void pricing_init(struct pricing *pricing);
/* Sets what has that key: a price, "date", "region" or "free_tier". False for a value that is none;
 * nothing is changed then. *known: whether there is such a key. */
bool pricing_set(struct pricing *pricing, pk_slice key, pk_slice value, bool *known);
/* The value as it would be written, in the arena; data NULL: there is no such key. */
pk_slice pricing_show(const struct pricing *pricing, pk_slice key, struct pk_arena *arena);
/* Reads a price file's text: KEY = VALUE a line, # begins a comment. PK_E_USAGE names the line;
 * nothing is changed then. */
PK_MUST_CHECK enum pk_code pricing_read(struct pricing *pricing, pk_slice text,
                                        struct pk_error *err);

/* ---- sums ------------------------------------------------------------------------------------ */

/* quantity / per of what costs so much; rounded half up. */
int64_t pricing_times(const struct pricing *pricing, enum price price, int64_t quantity,
                      int64_t per);
/* Milli-units. */
int64_t pricing_write_units(const struct pricing *pricing, int64_t milli);
int64_t pricing_read_units(const struct pricing *pricing, int64_t milli);
int64_t pricing_replicated_units(const struct pricing *pricing, int64_t milli);
/* Units that are provisioned for so many hours, the free ones taken off. */
int64_t pricing_write_capacity(const struct pricing *pricing, int64_t units, int64_t hours);
int64_t pricing_read_capacity(const struct pricing *pricing, int64_t units, int64_t hours);
/* Bytes for a month; a GB is 2^30. */
int64_t pricing_storage(const struct pricing *pricing, int64_t bytes);
int64_t pricing_recovery(const struct pricing *pricing, int64_t bytes);
int64_t pricing_streams(const struct pricing *pricing, int64_t calls);
/* Adds sums; INT64_MAX stays. */
int64_t pricing_sum(int64_t a, int64_t b);
/* The utilisation, in thousandths, from which on provisioned throughput is cheaper than on demand;
 * -1 where a price is 0. */
int64_t pricing_break_even_writes(const struct pricing *pricing);
int64_t pricing_break_even_reads(const struct pricing *pricing);

/* "$1,713.78"; "<$0.01" for what is less than a cent. */
pk_slice pricing_text(struct pk_arena *arena, int64_t nano);
/* A price without its end's zeros: "$0.00065". */
pk_slice pricing_price_text(struct pk_arena *arena, int64_t nano);

#endif
