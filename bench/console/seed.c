#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench/console/seed.h"
#include "bench/console/usage.h"

int
seed_choose(const char *command, uint64_t *seed)
{
	uint32_t chosen;

	if (getentropy(&chosen, sizeof(chosen)) != 0)
		return (run_error(command, "no seed: %s", strerror(errno)));
	*seed = chosen;
	return (0);
}
