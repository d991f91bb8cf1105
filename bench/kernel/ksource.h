/*
 * Kernel sources as designs: "kernel:PATH" and "kernel:PATH@REVISION" in lists
 * of designs.  PATH is a sys directory, the directory above one, a folder of
 * files, or a file.  The source is compiled into a cache, by contents, and
 * added to the designs under a short name.
 */
#pragma once

#include "bench/result/result.h"

#define	KSOURCE_PREFIX	"kernel:"

enum { KSOURCE_SPEC_SIZE = 4096, KSOURCE_WHY_SIZE = 1024 };

/* Whether a name is that of a kernel source. */
bool ksource_named(const char *text);

/*
 * Makes a design of a source, as above or only PATH, the first time; call
 * before threads start.  ciphers: with its tree's ciphers, but on simulated
 * machines.  Returns: 0, and the design's name as results have it; EXIT_USAGE
 * or EXIT_FAILURE, with a message in why.
 */
int ksource_open(const char *spec, bool ciphers, const char **name,
    char why[KSOURCE_WHY_SIZE]);

/* A kernel's option, for all sources that are opened; false: it is none. */
bool ksource_define(const char *text);

/* A design as -d takes it, and " -D NAME" of each behind a kernel source. */
const char *ksource_words(const char *design);

/*
 * Says what was compiled for a design, and what of it was replaced by rngsim's;
 * nothing, if it is no kernel source.  Either may be NULL.
 */
void ksource_say(const char *design, FILE *compiled, FILE *replaced);

/* What -d takes for a design in another process: a short name is not enough. */
const char *ksource_spec(const char *design);

/* Fills in what each source opened is. */
void ksource_describe(struct result *r);

/*
 * Runs "check SPEC", "list" or "clean" of source.sh, which prints.  Returns: as
 * ksource_open(); EXIT_FAILURE without why where interfaces lack.
 */
int ksource_command(const char *action, const char *spec, FILE *out,
    char why[KSOURCE_WHY_SIZE]);
