/*
 * The family of generators: its table.
 */
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
generator_at(unsigned i)
{
	void (*more)(void) = generator_more;

	if (i >= generator_count && more != NULL) {
		generator_more = NULL;
		more();
	}
	return (i < generator_count ? generators[i] : NULL);
}

const struct random_algorithm *
generator_find(const char *name)
{
	const struct random_algorithm *ra;

	for (unsigned i = 0; (ra = generator_at(i)) != NULL; i++)
		if (strcmp(ra->ra_ident, name) == 0)
			break;
	return (ra);
}
