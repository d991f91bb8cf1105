/*
 * The seed of a command that was given none.
 */
#ifndef BENCH_SEED_H
#define BENCH_SEED_H

#include <stdint.h>

/* What --help says of an option --seed that need not be given. */
#define	SEED_DESCR	"seed of all that is drawn (chosen)"

/*
 * Chooses one, with the host's generator, short enough to be typed in again.
 *
 * Returns: 0, or an exit status after saying why there is none.
 */
int seed_choose(const char *command, uint64_t *seed);

#endif
