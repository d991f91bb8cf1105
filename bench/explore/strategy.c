#include "bench/explore/strategy.h"

/* Loads that may return an older value; threads that may be elsewhere. */
enum { OLDER_ONE_IN = 3 };

const struct strategy_class *const strategy_classes[] = {
#define	STRATEGY(name)	&strategy_##name,
#include "bench/explore/strategy.tbl"
	NULL
};

static const char *
descr(unsigned i)
{
	const struct strategy_class *sy = strategy_classes[i];
	static char text[FORMAT_CELL];

	return (sy->sy_letter == '\0' ? sy->sy_descr : format_cell(text,
	    "%s; %s:%c is %u..%u (%u)", sy->sy_descr, sy->sy_name,
	    sy->sy_letter, sy->sy_least, sy->sy_most, sy->sy_usual));
}

FAMILY(explore_strategies, sizeof(strategy_classes) / sizeof(void *) - 1,
    strategy_classes[i]->sy_name, .fa_descr = descr, .fam_title = "Strategies");

const struct strategy_class *
strategy_parse(const char *text, unsigned *parameter)
{
	const size_t n = strcspn(text, ":");
	const struct strategy_class *sy;
	uint64_t v;

	for (unsigned i = 0; (sy = strategy_classes[i]) != NULL; i++) {
		if (strlen(sy->sy_name) != n ||
		    strncmp(sy->sy_name, text, n) != 0)
			continue;
		v = sy->sy_usual;
		if (text[n] != '\0' && (sy->sy_letter == '\0' ||
		    parse_number(text + n + 1, &v) != 0 ||
		    v < sy->sy_least || v > sy->sy_most))
			break;
		*parameter = (unsigned)v;
		return (sy);
	}
	return (NULL);
}

struct text
strategy_accepted(void)
{
	struct text list = { .s = "" };
	const struct strategy_class *sy;

	for (unsigned i = 0; (sy = strategy_classes[i]) != NULL; i++)
		text_list(&list, "%s%s", sy->sy_name, sy->sy_letter == '\0' ?
		    "" : FORMATF(":%u..%u", sy->sy_least, sy->sy_most));
	return (list);
}

const char *
strategy_name(char buf[STRATEGY_NAME_SIZE], const struct strategy *sg)
{
	const struct strategy_class *sy = sg->sg_class;

	snprintf(buf, STRATEGY_NAME_SIZE, "%s%s", sy->sy_name,
	    sy->sy_letter == '\0' ? "" : FORMATF(":%u", sg->sg_parameter));
	return (buf);
}

void
strategy_init(struct strategy *sg, const struct strategy_class *class,
    unsigned parameter)
{
	*sg = (struct strategy){ .sg_class = class, .sg_parameter = parameter,
	    .sg_drawn = class == NULL };
}

void
strategy_fini(struct strategy *sg)
{
	free(sg->sg_memory);
}

bool
strategy_begin(struct strategy *sg, uint64_t seed)
{
	unsigned n;

	if (sg->sg_begun)
		sg->sg_most_steps = MAX(MAX(sg->sg_most_steps, sg->sg_steps),
		    1);
	sg->sg_begun = true;
	sg->sg_random = seed;
	sg->sg_steps = 0;
	/* Of ten schedules 4 are random, 4 pct:2 to pct:4, 2 starve. */
	if (sg->sg_drawn) {
		n = strategy_below(&sg->sg_random, 10);
		sg->sg_class = n < 4 ? &strategy_random : n < 8 ?
		    &strategy_pct : &strategy_starve;
		sg->sg_parameter = 2 + strategy_below(&sg->sg_random, 3);
	}
	return (sg->sg_class->sy_begin == NULL || sg->sg_class->sy_begin(sg));
}

unsigned
strategy_choose(void *context, const struct vm_choice *vo)
{
	struct strategy *sg = context;
	unsigned chosen;

	if (choice_is_own(vo) && !sg->sg_class->sy_all)
		return (strategy_below(&sg->sg_random, OLDER_ONE_IN) > 0 ? 0 :
		    strategy_below(&sg->sg_random, vo->vo_count));
	chosen = sg->sg_class->sy_choose(sg, vo);
	sg->sg_steps += vo->vo_count > 1;
	return (chosen);
}

unsigned
strategy_draw(struct strategy *sg, uint64_t set)
{
	unsigned n = strategy_below(&sg->sg_random,
	    (unsigned)__builtin_popcountll(set));

	for (; n > 0; n--)
		set &= set - 1;
	return ((unsigned)__builtin_ctzll(set));
}

bool
strategy_toss(void *context)
{
	struct strategy *sg = context;

	return ((splitmix_next(&sg->sg_random) >> 63) != 0);
}
