#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "bench/sources/numbers.h"

const unsigned number_bits[NUMBER_WIDTHS] = {
	[NUMBER_32] = 32,
	[NUMBER_64] = 64
};

const struct number_source *const number_sources[] = {
#define	NUMBERS(name)	&number_##name,
#include "bench/sources/numbers.tbl"
#undef NUMBERS
};

const unsigned number_source_count = sizeof(number_sources) /
    sizeof(number_sources[0]);

const struct number_source *
number_source_find(const char *name)
{
	unsigned i;

	for (i = 0; i < number_source_count; i++)
		if (strcmp(number_sources[i]->ns_name, name) == 0)
			return (number_sources[i]);
	return (NULL);
}

bool
number_source_has(const struct number_source *ns)
{

	return (ns->ns_has == NULL || ns->ns_has());
}

int
number_source_check(const struct number_source *ns, enum number_width width,
    uint64_t first[NUMBER_FIRST])
{
	struct number_state st = { { 0 } };
	unsigned i, same = 0, wrong = 0;
	int error;

	if (!number_source_has(ns) || ns->ns_batch[width] == NULL)
		return (ENOTSUP);
	if (ns->ns_init != NULL)
		ns->ns_init(&st);
	for (i = 0; i < NUMBER_FIRST; i++) {
		struct number_batch nb = { .nb_reads = 1 };

		error = ns->ns_batch[width](&st, &nb);
		if (error != 0)
			return (error);
		first[i] = nb.nb_last;
		same += first[i] == first[0];
		wrong += ns->ns_known != NULL && first[i] != ns->ns_known[i];
	}
	/* A CPU whose generator is stuck says so by what it repeats. */
	return (wrong > 0 || same == NUMBER_FIRST ? EILSEQ : 0);
}
