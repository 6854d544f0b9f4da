/* A server of the HTTP bench as a process of its own: started, measured, ended. */
#ifndef TESTS_BENCH_HTTP_PROCESS_H
#define TESTS_BENCH_HTTP_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid;
    uint16_t port;
    double first_answer_ms; /* from its start to the answer of a GET */
    int out;                /* its standard output */
};

/* Starts argv (NULL at the end) and waits until it answers on `port`; port 0: it prints a URL with
 * its port in the first line. Ends this process when it does not come up. */
void process_start(struct process *process, const char *const *argv, uint16_t port);
/* SIGTERM, and waits. */
void process_stop(struct process *process);
/* Processor time of all its threads so far. */
double process_cpu_us(const struct process *process);
/* A field of /proc/PID/status in MB. */
double process_status_mb(const struct process *process, const char *field);
/* A port that was free a moment ago. */
uint16_t process_free_port(void);

#endif
