/*
 * What commands say when they cannot do what they were asked.
 */
#ifndef BENCH_USAGE_H
#define BENCH_USAGE_H

enum { EXIT_USAGE = 2 };

/*
 * Says what is wrong with an argument.
 *
 *   command  in  or NULL outside any
 *
 * Returns: EXIT_USAGE.
 */
int usage_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Says why a command failed, likewise.
 *
 * Returns: EXIT_FAILURE.
 */
int run_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
