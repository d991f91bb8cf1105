#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/explore/strategy.h"
#include "lib/number.h"

const struct strategy_class *const strategy_classes[] = {
#define	STRATEGY(name)	&strategy_##name,
#include "bench/explore/strategy.tbl"
#undef STRATEGY
};

const unsigned strategy_count = sizeof(strategy_classes) /
    sizeof(strategy_classes[0]);

int
strategy_parse(const char *text, const struct strategy_class **class,
    unsigned *parameter)
{
	const char *colon = strchr(text, ':');
	size_t n = colon == NULL ? strlen(text) : (size_t)(colon - text);
	const struct strategy_class *sy;
	uint64_t v;
	unsigned i;

	for (i = 0; i < strategy_count; i++) {
		sy = strategy_classes[i];
		if (strlen(sy->sy_name) == n &&
		    strncmp(sy->sy_name, text, n) == 0)
			break;
	}
	if (i == strategy_count)
		return (ENOENT);
	*class = sy;
	*parameter = sy->sy_usual;
	if (colon == NULL)
		return (0);
	if (sy->sy_means == NULL)
		return (EINVAL);
	if (number_parse(colon + 1, &v) != 0 || v < sy->sy_least ||
	    v > sy->sy_most)
		return (ERANGE);
	*parameter = (unsigned)v;
	return (0);
}

const char *
strategy_name(char buf[STRATEGY_NAME_SIZE], const struct strategy_class *class,
    unsigned parameter)
{

	if (class->sy_means == NULL)
		snprintf(buf, STRATEGY_NAME_SIZE, "%s", class->sy_name);
	else
		snprintf(buf, STRATEGY_NAME_SIZE, "%.7s:%u", class->sy_name,
		    parameter % 10000000);
	return (buf);
}

unsigned
strategy_index(const struct strategy_class *class)
{
	unsigned i;

	for (i = 0; strategy_classes[i] != class; i++)
		KASSERT(i + 1 < strategy_count, ("not in the table"));
	return (i);
}

int
strategy_init(struct strategy *st, const struct strategy_class *class,
    unsigned parameter)
{

	KASSERT(class->sy_means == NULL || (parameter >= class->sy_least &&
	    parameter <= class->sy_most), ("%s:%u", class->sy_name,
	    parameter));
	memset(st, 0, sizeof(*st));
	st->st_class = class;
	st->st_used = st;
	st->st_parameter = parameter;
	st->st_state = calloc(1, class->sy_bytes > 0 ? class->sy_bytes : 1);
	return (st->st_state == NULL ? ENOMEM : 0);
}

void
strategy_fini(struct strategy *st)
{

	if (st->st_state != NULL && st->st_class->sy_fini != NULL)
		st->st_class->sy_fini(st);
	free(st->st_state);
	memset(st, 0, sizeof(*st));
}

void
strategy_scenario(struct strategy *st)
{

	if (st->st_class->sy_scenario != NULL)
		st->st_class->sy_scenario(st);
}

bool
strategy_begin(struct strategy *st, uint64_t seed, unsigned index)
{

	st->st_random = seed;
	return (st->st_class->sy_begin(st, index));
}

void
strategy_end(struct strategy *st)
{

	if (st->st_class->sy_end != NULL)
		st->st_class->sy_end(st);
}

bool
strategy_toss(struct strategy *st)
{

	return ((splitmix_next(&st->st_random) >> 63) != 0);
}

bool
strategy_always(struct strategy *st)
{

	(void)st;
	return (true);
}

unsigned
strategy_ith_awake(const struct vm_choice *vo, unsigned i)
{
	unsigned k;

	if (vo->vo_asleep == 0 || choice_awake_count(vo) == 0)
		return (i);
	for (k = 0; !choice_awake(vo, k) || i-- > 0; k++)
		MPASS(k + 1 < vo->vo_count);
	return (k);
}
