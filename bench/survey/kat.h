/* Known-answer scripts of rngsim-kat(1), for the generators run under load. */
#pragma once

#include <stdio.h>

/*
 * Runs a script of any length in bounded memory.  The caller is a machine
 * thread and has called crypto_init().  Answers go to out, one message,
 * "NAME:LINE: what is wrong", to err.  A design, or NULL, takes the place of
 * those in "mode" lines.  Returns: 0; EINVAL for a line that is no command; the
 * error of read(2) or of the generator's set-up.
 */
int kat_run(const char *name, FILE *in, const char *design, FILE *out,
    FILE *err);
