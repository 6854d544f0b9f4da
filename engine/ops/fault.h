/* How check and repair say what they find: one line of text a fault, and their number. */
#ifndef PK_OPS_FAULT_H
#define PK_OPS_FAULT_H

#include "engine/engine.h"

enum { PK_FAULT_LINES_MAX = 200 }; /* of one report; further faults are only counted */

struct pk_faults {
    struct pk_check_report report;
    uint64_t count;
};

/* Counts a fault and says it. */
void pk_fault(struct pk_faults *faults, const char *format, ...) PK_PRINTF(2, 3);
/* Says something that is no fault. */
void pk_fault_note(struct pk_faults *faults, const char *format, ...) PK_PRINTF(2, 3);
/* Says how many faults were not said. */
void pk_fault_finish(struct pk_faults *faults);
/* The values in a stored key as a person writes them: "'USER#1', 5". In the arena. */
const char *pk_fault_key(struct pk_arena *arena, pk_slice key);

#endif
