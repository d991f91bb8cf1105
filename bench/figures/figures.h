/*
 * Parts of rngsim-figures.
 */
#ifndef BENCH_FIGURES_FIGURES_H
#define BENCH_FIGURES_FIGURES_H

#include <stdint.h>

/* The number that an operand is. */
uint64_t figures_number(const char *text);

/* Prints what failed and ends the program. */
_Noreturn void figures_fail(const char *what);

/* Of the virtual machine; argv has the operands. */
void figures_events(char *argv[]);
void figures_memory(char *argv[]);
void figures_queue(char *argv[]);

#endif
