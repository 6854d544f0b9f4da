/* Tables as a CloudFormation template: definitions without items. */
#ifndef CMD_TRANSFER_CFN_WRITE_H
#define CMD_TRANSFER_CFN_WRITE_H

#include "commands/transfer/transfer_export.h"

/* Writes the export's table as a resource: YAML, or JSON when the file's name ends so. */
PK_MUST_CHECK enum pk_code cfn_write(struct transfer_export *export, struct pk_error *err);

#endif
