/* The command `panel`. */
#ifndef SH_PANEL_PANEL_COMMAND_H
#define SH_PANEL_PANEL_COMMAND_H

#include "commands/cmd.h"

extern const struct cmd_entry sh_panel_entry;

#endif
