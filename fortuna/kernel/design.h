/*
 * Kernel sources as designs: random_algorithm (fortuna/generator.h) over an
 * object of fortuna/kernel/abi.h.
 */
#ifndef FORTUNA_KERNEL_DESIGN_H
#define FORTUNA_KERNEL_DESIGN_H

#include <stdbool.h>

enum {
	KERNEL_NAME_SIZE	= 64,
	KERNEL_ERROR_SIZE	= 1024
};

/* Which object a machine needs. */
enum kernel_flavour {
	KERNEL_REAL,		/* as compiled */
	KERNEL_SIMULATED,	/* reports its memory accesses */
	KERNEL_FLAVOURS
};

/*
 * Adds a design to generators[] of every machine.
 *
 *   name    in   as -d and results have it: "kernel:WORD"; copied
 *   object  in   files with shared objects; copied
 *   error   out  what is wrong with an object
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int kernel_design_add(const char *name, const char *const
    object[KERNEL_FLAVOURS], char error[KERNEL_ERROR_SIZE]);

/*
 * Adds the sources that are part of the program, for generator_more; once,
 * before threads start.
 *
 * Returns: 0; EFBIG if the limit on the size of files, which holds in memory
 * too, is below theirs; or another errno value; and what is wrong.
 */
int kernel_built_in(char error[KERNEL_ERROR_SIZE]);

/*
 * Sets a sysctl of each added source that has it, for all generators made from
 * now on.
 *
 *   name  in   in full
 *
 * Returns: 0; ENOENT when no source has it; EINVAL and what is wrong.
 */
int kernel_design_set(const char *name, const char *value,
    char error[KERNEL_ERROR_SIZE]);

/*
 * A source's i-th sysctl that can be set.
 *
 *   name, descr, value  out  texts of KERNEL_NAME_SIZE
 *
 * Returns: false when there are no more, or design is no kernel source.
 */
bool kernel_design_sysctl(const char *design, unsigned i, char *name,
    char *descr, char *value);

#endif
