#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/explore/strategy.h"
#include "lib/base/parse_number.h"

enum { OLDER_ONE_IN = 3 };

const struct strategy_class *const strategy_classes[strategy_count] = {
#define	STRATEGY(name)	&strategy_##name,
#include "bench/explore/strategy.tbl"
#undef STRATEGY
};

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
	if (parse_number(colon + 1, &v) != 0 || v < sy->sy_least ||
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

void
strategy_init(struct strategy *st, const struct strategy_class *class,
    unsigned parameter)
{
	KASSERT(class->sy_means == NULL || (parameter >= class->sy_least &&
	    parameter <= class->sy_most), ("%s:%u", class->sy_name, parameter));
	memset(st, 0, sizeof(*st));
	st->st_class = class;
	st->st_used = st;
	st->st_parameter = parameter;
	st->st_state = xcalloc(1, class->sy_bytes > 0 ? class->sy_bytes : 1);
}

void
strategy_fini(struct strategy *st)
{
	if (st->st_state != NULL && st->st_class->sy_fini != NULL)
		st->st_class->sy_fini(st);
	free(st->st_state);
	memset(st, 0, sizeof(*st));
}

bool
strategy_begin(struct strategy *st, uint64_t seed, uint64_t index)
{
	st->st_random = seed;
	st->st_index = index;
	st->st_steps = 0;
	if (index == 0)
		st->st_most_steps = 0;
	return (st->st_class->sy_begin == NULL || st->st_class->sy_begin(st));
}

void
strategy_end(struct strategy *st)
{
	struct strategy *used = st->st_used;

	if (used->st_steps > used->st_most_steps)
		used->st_most_steps = used->st_steps;
	if (used->st_most_steps == 0)
		used->st_most_steps = 1;
}

unsigned
strategy_choose(void *context, const struct vm_choice *vo)
{
	struct strategy *st = ((struct strategy *)context)->st_used;
	unsigned chosen;

	/* One load in so many may return an older value. */
	if (vo->vo_point == VM_POINT_VALUE && !st->st_class->sy_values)
		return (strategy_below(&st->st_random, OLDER_ONE_IN) > 0 ? 0 :
		    strategy_below(&st->st_random, vo->vo_count));
	chosen = st->st_class->sy_choose(st, vo);
	st->st_steps += vo->vo_count > 1;
	return (chosen);
}

bool
strategy_running(void *context)
{
	struct strategy *st = ((struct strategy *)context)->st_used;

	return (st->st_class->sy_running == NULL ||
	    st->st_class->sy_running(st));
}

unsigned
strategy_draw_steps(struct strategy *st, uint32_t *step, unsigned n)
{
	if (st->st_most_steps == 0)
		return (0);
	for (unsigned i = 0; i < n; i++)
		step[i] = strategy_below(&st->st_random, st->st_most_steps);
	return (n);
}

bool
strategy_toss(struct strategy *st)
{
	return ((splitmix_next(&st->st_random) >> 63) != 0);
}
