/*
 * The family of generators: its table.
 */
#include <string.h>

#include "fortuna/generator.h"

const struct random_algorithm *const generators[] = {
#define	GENERATOR(name)	&FLAVOURED(gen_##name),
#include "fortuna/generator.tbl"
#undef GENERATOR
};

const unsigned generator_count = sizeof(generators) / sizeof(generators[0]);

const struct random_algorithm *
generator_find(const char *name)
{
	unsigned i;

	for (i = 0; i < generator_count; i++)
		if (strcmp(generators[i]->ra_ident, name) == 0)
			return (generators[i]);
	return (NULL);
}
