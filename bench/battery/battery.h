/*
 * What "make stat" needs beside the batteries themselves: exact checks of
 * streams, streams that are broken on purpose, and the numbers that say whether
 * a battery's answer is an accident.
 */
#ifndef BENCH_BATTERY_H
#define BENCH_BATTERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATTERY_USAGE = 2 };

/*
 * A command of rngsim-battery.
 *
 *   argc, argv  in  its operands, which are as many as it takes
 *
 * Returns: the exit status.
 */
typedef int battery_command(int argc, char *argv[]);

battery_command battery_band;
battery_command battery_binomial;
battery_command battery_broken;
battery_command battery_chisq;
battery_command battery_count;
battery_command battery_duplicates;
battery_command battery_sidak;
battery_command battery_uniform;
battery_command battery_xor;

/* Says what is wrong on stderr and ends the program with status. */
_Noreturn void battery_die(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Operands, or battery_die(): a size of low to high, with k, m, g; a real
 * number of low to high.
 */
uint64_t battery_size(const char *text, uint64_t low, uint64_t high);
double battery_real(const char *text, double low, double high);

/* Up to n bytes of stdin; fewer at its end. */
size_t battery_read(void *buf, size_t n);

/* Writes to stdout; false when nobody reads any more. */
bool battery_write(const void *buf, size_t n);

#endif
