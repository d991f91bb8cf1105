/* Known-answer scripts of rngsim-kat(1), for the generators run under load. */
#pragma once

#include "lib/base/lines.h"

/*
 * Runs a script of any length in bounded memory.  The caller is a machine
 * thread and has called crypto_init().  Answers go to out.  A design, or NULL,
 * takes the place of those in "mode" lines.  Returns: li_error; EINVAL for a
 * line that is no command, or the error of the generator's set-up.
 */
int kat_run(struct lines *li, const char *design, FILE *out);
