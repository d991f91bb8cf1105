/*
 * Known-answer scripts: FreeBSD's Fortuna driven by commands, one per line.
 *
 * The language is that of rngsim(1), KNOWN-ANSWER SCRIPTS.  Scripts drive the
 * generators of fortuna/generator.tbl themselves, so what passes here is what
 * runs under load.
 */
#ifndef BENCH_KAT_H
#define BENCH_KAT_H

#include <stdio.h>

/*
 * Runs one script, of any length, in bounded memory.
 *
 *   name  in  for messages
 *   in    in  the script
 *   out   in  takes the answers
 *   err   in  takes one message, "NAME:LINE: what was wrong, what is right"
 *
 * Returns: 0; EINVAL for a line that is no command; what read(2) said when in
 * could not be read; or what the generator's set-up said.  The calling thread
 * is a machine thread, crypto_init() has been called.
 */
int kat_run(const char *name, FILE *in, FILE *out, FILE *err);

#endif
