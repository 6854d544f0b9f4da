/* An item in full, for reading: an attribute a line, values that are long indented over several. */
#ifndef SH_PANEL_ITEM_TEXT_H
#define SH_PANEL_ITEM_TEXT_H

#include "engine/base/buf.h"
#include "engine/value.h"

/* Appends the map's members, each on lines of its own, the last ended by a newline. Texts are not
 * made safe for a terminal, but control characters in them are escaped as literals have them. */
void sh_item_text(struct pk_buf *out, pk_value item);

#endif
