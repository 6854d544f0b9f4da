/* Lines of a label, a value and a remark, aligned: how explain shows what it found out. */
#ifndef CMD_EXPLAIN_SHEET_H
#define CMD_EXPLAIN_SHEET_H

#include "commands/result.h"

struct explain_line {
    const char *label;
    pk_slice value;
    pk_slice remark; /* may be empty */
};

struct explain_sheet {
    struct pk_arena *arena;
    struct explain_line *lines;
    size_t count, cap;
};

void explain_sheet_add(struct explain_sheet *sheet, const char *label, pk_slice value,
                       pk_slice remark);
/* As one text block. */
void explain_sheet_show(const struct explain_sheet *sheet, struct cmd_result *result);

#endif
