/* Times since 1970 as people read them, in UTC. One that no calendar reaches is in 1900. */
#ifndef CMD_TIME_TEXT_H
#define CMD_TIME_TEXT_H

#include <stdint.h>

/* A value: what is kept longer than the expression is copied. */
struct cmd_time_text {
    char text[40];
};

/* "14:03:07" */
struct cmd_time_text cmd_time_of_day(int64_t ms);
/* "2026-08-15T14:03:07Z" */
struct cmd_time_text cmd_time_to_second(int64_t seconds);
/* "2026-08-15T14:03:07.250Z" */
struct cmd_time_text cmd_time_to_ms(int64_t ms);

#endif
