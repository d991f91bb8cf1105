/*
 * What pools hash with: rngsim.pool_hash.
 */
#include <string.h>

#include "bench/options/option_set.h"
#include "lib/hash.h"
#include "lib/kassert.h"

static const char tunable[] = "rngsim.pool_hash";

int
option_check_hash(const struct options *op)
{
	const char *name = op->op_config.bc_generator.pool_hash;

	if (!option_tunable_seen(op, tunable))
		return (0);
	if (hash_find(name) == NULL)
		return (usage_error(op->op_command, "-S: %s: \"%s\": expected "
		    "a digest such as %s; \"rngsim list hashes\" has them",
		    tunable, name, GENERATOR_POOL_HASH));
	if (op->op_simulated && strcmp(name, GENERATOR_POOL_HASH) != 0)
		return (usage_error(op->op_command, "-S: %s=%s: profiles, and "
		    "so the simulated machine, know what %s costs, and of no "
		    "other digest: leave it out", tunable, name,
		    GENERATOR_POOL_HASH));
	return (0);
}

int
options_load_hash(const struct options *op)
{
	struct hash *ha = hash_find(op->op_config.bc_generator.pool_hash);

	KASSERT(ha != NULL, ("the options were not checked"));
	if (hash_load(ha) == HASH_READY)
		return (0);
	return (run_error(op->op_command, "-S: %s=%s: it cannot be used: %s",
	    tunable, ha->ha_name, ha->ha_why));
}
