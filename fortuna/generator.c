/*
 * The family of generators: its table.
 */
#include <string.h>

#include "fortuna/generator.h"

enum {
#define	GENERATOR(name)	INDEX_##name,
#include "fortuna/generator.tbl"
#undef GENERATOR
	MEMBERS,
	GENERATORS_MAX	= MEMBERS + 64
};

const struct random_algorithm *generators[GENERATORS_MAX] = {
#define	GENERATOR(name)	&FLAVOURED(gen_##name),
#include "fortuna/generator.tbl"
#undef GENERATOR
};

unsigned generator_count = MEMBERS;

bool
generator_add(const struct random_algorithm *ra)
{
	if (generator_count == GENERATORS_MAX)
		return (false);
	generators[generator_count++] = ra;
	return (true);
}

const struct random_algorithm *
generator_find(const char *name)
{
	for (unsigned i = 0; i < generator_count; i++)
		if (strcmp(generators[i]->ra_ident, name) == 0)
			return (generators[i]);
	return (NULL);
}
