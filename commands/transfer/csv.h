/* What reading (csv.c) and writing (csv_write.c) of CSV files share. */
#ifndef CMD_TRANSFER_CSV_H
#define CMD_TRANSFER_CSV_H

#include "commands/transfer/transfer_export.h"

enum { CSV_COLUMNS_MAX = 10000 };

/* Writes the export's table. */
PK_MUST_CHECK enum pk_code csv_write(struct transfer_export *export, struct pk_error *err);

#endif
