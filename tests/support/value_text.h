/*
 * Values in a short notation, so that tables of test cases can be read:
 *
 *   5 -1.5 1e3    N         true false null    BOOL, NULL
 *   'text'        S         x'00ff'            B, in hex
 *   [1, 'a']      L         {a: 1, b.c: 'x'}   M; a name ends at ':', blanks around it do not count
 *   <<1, 2>>      NS, SS, BS by the kind of the first member
 *
 * Printing gives the same notation back, with members in stored order and without blanks.
 */
#ifndef TESTS_VALUE_TEXT_H
#define TESTS_VALUE_TEXT_H

#include "engine/item.h"

/* Bad notation is a mistake of the test: aborts. */
pk_value value_text_parse(struct pk_arena *arena, const char *text);
pk_view value_text_view(struct pk_arena *arena, const char *text);
/* NUL-ended, in the arena; "MISSING" for none. */
const char *value_text_print(struct pk_arena *arena, pk_value value);
const char *value_text_print_view(struct pk_arena *arena, pk_view view);

#endif
