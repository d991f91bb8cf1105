#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/arguments.h"
#include "bench/console/choice.h"
#include "bench/console/figure.h"
#include "bench/console/seed.h"
#include "bench/console/usage.h"
#include "bench/explore/request.h"
#include "lib/cpu.h"
#include "lib/kassert.h"
#include "lib/number.h"

enum {
	WHY_SIZE	= 256,
	ITEM_SIZE	= 64
};

#define	SCHEDULES_DEFAULT	UINT64_C(100000)
#define	SCHEDULES_MAX		UINT64_C(1000000000000)

enum { OPTION_DESIGN, OPTION_LOCK, OPTION_CIPHER, OPTION_READERS, OPTION_SIZE,
	OPTION_SCHEDULES, OPTION_STRATEGY, OPTION_SEED, OPTION_ONLY,
	OPTION_JOBS, OPTION_TUNABLE, OPTION_FAILPOINT, OPTION_OUTPUT,
	OPTION_REPLAY, OPTION_HELP, OPTIONS };

static const struct argument options[OPTIONS] = {
	[OPTION_DESIGN] = { 'd', "design", "LIST", "designs, or all "
	    "(concurrent)", false },
	[OPTION_LOCK] = { 'l', "lock", "LIST", "locks of simulated machines, "
	    "or all (mtx)", false },
	[OPTION_CIPHER] = { 'c', "cipher", "LIST", "ciphers, or all "
	    "(chacha20)", false },
	[OPTION_READERS] = { 'r', "readers", "N", "reader threads, 1..6, or a "
	    "range to draw from, as 2-4 (2-4; dfs: 2)", false },
	[OPTION_SIZE] = { 's', "size", "LIST", "bytes of reads to draw from, "
	    "0..4m (what ciphers and designs make odd)", false },
	[OPTION_SCHEDULES] = { '\0', "schedules", "N", "schedules of each "
	    "design, lock and cipher (100000)", false },
	[OPTION_STRATEGY] = { '\0', "strategy", "NAME", "who goes on: mix, or "
	    "one that is listed below (mix)", false },
	[OPTION_SEED] = { '\0', "seed", "N", SEED_DESCR, false },
	[OPTION_ONLY] = { '\0', "only", "N", "run schedule N, from 0; "
	    "strategies learn from those ahead of it", false },
	[OPTION_JOBS] = { 'j', "jobs", "N", "threads of this machine that "
	    "share the work (as many as CPUs)", false },
	[OPTION_TUNABLE] = { 'S', "set", "NAME=VALUE", "set a tunable of "
	    "generators and locks", true },
	[OPTION_FAILPOINT] = { '\0', "failpoint", "NAME=SPEC", "a fail point "
	    "and what it does, fail(9); \"rngsim list failpoints\" has them",
	    true },
	[OPTION_OUTPUT] = { 'o', "output", "FILE", "where a failing schedule "
	    "goes (rngsim-explore-SEED.schedule)", false },
	[OPTION_REPLAY] = { '\0', "replay", "FILE", "run the schedule of a "
	    "file instead", false },
	[OPTION_HELP] = { 'h', "help", NULL, "this text", false },
};

static const char all[] = "all";

static const char *
design_name(unsigned i)
{

	return (i < generator_count ? generators[i]->ra_ident : all);
}

static const char *
lock_name(unsigned i)
{
	const struct lock_class *lc = trial_lock_at(i);

	return (lc != NULL ? lc->lc_name : all);
}

static const char *
cipher_name(unsigned i)
{

	return (i < cipher_count ? ciphers[i]->ci_name : all);
}

static const char *
strategy_name_at(unsigned i)
{

	return (strategy_classes[i]->sy_name);
}

static unsigned
lock_count(void)
{
	unsigned n = 0;

	while (trial_lock_at(n) != NULL)
		n++;
	return (n);
}

/* Of count members, behind which name() has "all". */
static int
find_member(const char *label, const char *item, unsigned count,
    choice_name *name, unsigned *i)
{
	int error = choice_find("explore", label, item, count + 1, name, i);

	return (error == 0 && *i == count ? usage_error("explore", "%s: "
	    "\"all\" among others: expected it alone", label) : error);
}

/* Adds member i to a list of pointers, once; all of them are alike. */
static int
add_member(const void **list, unsigned *count, const void *member,
    const char *label, const char *item)
{
	unsigned i;

	for (i = 0; i < *count; i++)
		if (list[i] == member)
			return (usage_error("explore", "%s: \"%s\" is named "
			    "twice", label, item));
	KASSERT(*count < REQUEST_FAMILY_MAX, ("a family of more than %d",
	    REQUEST_FAMILY_MAX));
	list[(*count)++] = member;
	return (0);
}

static int
add_design(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	unsigned i = 0;
	int error;

	error = find_member(label, item, generator_count, design_name, &i);
	return (error != 0 ? error : add_member((const void **)rq->rq_design,
	    &rq->rq_designs, trial_design(generators[i]->ra_ident), label,
	    item));
}

static int
add_lock(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	unsigned i = 0;
	int error;

	error = find_member(label, item, lock_count(), lock_name, &i);
	return (error != 0 ? error : add_member((const void **)rq->rq_lock,
	    &rq->rq_locks, trial_lock_at(i), label, item));
}

static int
add_cipher(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	const struct cipher *ci = cipher_find(item);
	unsigned i = 0;
	int error;

	if (ci == NULL) {
		error = find_member(label, item, cipher_count, cipher_name,
		    &i);
		if (error != 0)
			return (error);
		ci = ciphers[i];
	}
	return (add_member((const void **)rq->rq_cipher, &rq->rq_ciphers, ci,
	    label, item));
}

/*
 * All that there are.  Designs and locks that promise nothing are left out:
 * they are for being named.
 */
static void
take_all(struct request *rq, unsigned option)
{
	unsigned i;

	switch (option) {
	case OPTION_DESIGN:
		for (i = 0; i < generator_count; i++)
			if ((generators[i]->ra_flags & RA_NULL) == 0)
				rq->rq_design[rq->rq_designs++] =
				    trial_design(generators[i]->ra_ident);
		break;
	case OPTION_LOCK:
		for (i = 0; i < lock_count(); i++)
			if ((trial_lock_at(i)->lc_flags & LC_EXCLUDES) != 0)
				rq->rq_lock[rq->rq_locks++] =
				    trial_lock_at(i);
		break;
	default:
		for (i = 0; i < cipher_count; i++)
			rq->rq_cipher[rq->rq_ciphers++] = ciphers[i];
	}
}

static int
set_family(struct request *rq, unsigned option, const char *label,
    const char *value)
{

	if (strcmp(value, all) == 0) {
		take_all(rq, option);
		return (0);
	}
	return (choice_each("explore", label, value, option == OPTION_DESIGN ?
	    add_design : option == OPTION_LOCK ? add_lock : add_cipher, rq));
}

static int
set_readers(struct request *rq, const char *label, const char *value)
{
	char low[ITEM_SIZE], *dash;
	uint64_t least, most = 0;

	snprintf(low, sizeof(low), "%s", value);
	dash = strchr(low, '-');
	if (dash != NULL)
		*dash++ = '\0';
	if (number_parse(low, &least) != 0 || (dash != NULL &&
	    number_parse(dash, &most) != 0))
		least = 0;
	if (dash == NULL)
		most = least;
	if (least < 1 || most < least || most > SCENARIO_READERS_MAX)
		return (usage_error("explore", "%s: \"%s\": expected 1..%d, "
		    "or a range such as 2-4", label, value,
		    SCENARIO_READERS_MAX));
	rq->rq_readers_least = (unsigned)least;
	rq->rq_readers_most = (unsigned)most;
	return (0);
}

static int
add_size(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	uint64_t v;

	if (number_parse_size(item, &v) != 0 || v > SCENARIO_BYTES_MAX)
		return (usage_error("explore", "%s: \"%s\": expected bytes, "
		    "0..4m, with k or m for 2^10, 2^20", label, item));
	if (rq->rq_sizes == SCENARIO_SIZES_MAX)
		return (usage_error("explore", "%s: more than %d members",
		    label, SCENARIO_SIZES_MAX));
	rq->rq_size[rq->rq_sizes++] = (uint32_t)v;
	return (0);
}

static int
set_number(const char *label, const char *value, const char *what,
    uint64_t least, uint64_t most, uint64_t *v)
{

	if (number_parse(value, v) == 0 && *v >= least && *v <= most)
		return (0);
	return (usage_error("explore", "%s: \"%s\": expected %s, %" PRIu64
	    "..%" PRIu64, label, value, what, least, most));
}

static int
set_strategy(struct request *rq, const char *label, const char *value)
{
	char names[WHY_SIZE];

	switch (strategy_parse(value, &rq->rq_strategy, &rq->rq_parameter)) {
	case 0:
		return (0);
	case ENOENT:
		choice_join(names, sizeof(names), strategy_count,
		    strategy_name_at);
		return (usage_error("explore", "%s: \"%s\": expected %s",
		    label, value, names));
	case ERANGE:
		return (usage_error("explore", "%s: \"%s\": expected %s:%u..%u"
		    ", its %s", label, value, rq->rq_strategy->sy_name,
		    rq->rq_strategy->sy_least, rq->rq_strategy->sy_most,
		    rq->rq_strategy->sy_means));
	default:
		return (usage_error("explore", "%s: \"%s\": %s takes no number",
		    label, value, rq->rq_strategy->sy_name));
	}
}

static int
add_tunable(struct request *rq, const char *label, const char *value)
{
	const size_t name = strcspn(value, "=") + 1;
	char why[WHY_SIZE];
	unsigned i;

	if (case_set_tunable(&rq->rq_subject, value, why, sizeof(why)) != 0)
		return (usage_error("explore", "%s: %s", label, why));
	for (i = 0; i < rq->rq_tunables; i++)
		if (strncmp(rq->rq_tunable[i], value, name) == 0)
			return (usage_error("explore", "%s: %.*s is set twice",
			    label, (int)name - 1, value));
	if (rq->rq_tunables == CASE_TUNABLES_MAX)
		return (usage_error("explore", "%s: more than %d", label,
		    CASE_TUNABLES_MAX));
	rq->rq_tunable[rq->rq_tunables] = strdup(value);
	if (rq->rq_tunable[rq->rq_tunables] == NULL)
		return (run_error("explore", "no memory"));
	rq->rq_tunables++;
	return (0);
}

static int
set_file(const char **file, const char *label, const char *value)
{

	*file = value;
	return (value[0] != '\0' ? 0 : usage_error("explore", "%s: \"\": "
	    "expected a file name", label));
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	char why[FAULT_ERROR_SIZE];
	struct request *rq = context;
	uint64_t v = 0;
	int error;

	rq->rq_other |= i != OPTION_REPLAY;
	switch (i) {
	case OPTION_DESIGN:
	case OPTION_LOCK:
	case OPTION_CIPHER:
		return (set_family(rq, i, label, value));
	case OPTION_READERS:
		return (set_readers(rq, label, value));
	case OPTION_SIZE:
		return (choice_each("explore", label, value, add_size, rq));
	case OPTION_SCHEDULES:
		return (set_number(label, value, "schedules", 1,
		    SCHEDULES_MAX, &rq->rq_schedules));
	case OPTION_STRATEGY:
		return (set_strategy(rq, label, value));
	case OPTION_SEED:
		rq->rq_seed_given = true;
		return (set_number(label, value, "a number", 0, UINT64_MAX,
		    &rq->rq_seed));
	case OPTION_ONLY:
		rq->rq_only_given = true;
		return (set_number(label, value, "a schedule's number", 0,
		    SCHEDULES_MAX - 1, &rq->rq_only));
	case OPTION_JOBS:
		error = set_number(label, value, "threads", 1,
		    CAMPAIGN_JOBS_MAX, &v);
		rq->rq_jobs = (unsigned)v;
		return (error);
	case OPTION_TUNABLE:
		return (add_tunable(rq, label, value));
	case OPTION_FAILPOINT:
		return (faults_parse(&rq->rq_faults, value, why) == 0 ? 0 :
		    usage_error("explore", "%s: %s", label, why));
	case OPTION_OUTPUT:
		return (set_file(&rq->rq_output, label, value));
	default:
		return (set_file(&rq->rq_replay, label, value));
	}
}

/* What was not said. */
static int
defaults(struct request *rq)
{
	unsigned cpus = cpu_count();

	if (rq->rq_designs == 0)
		rq->rq_design[rq->rq_designs++] = trial_design("concurrent");
	if (rq->rq_locks == 0)
		rq->rq_lock[rq->rq_locks++] = trial_lock("mtx");
	if (rq->rq_ciphers == 0)
		rq->rq_cipher[rq->rq_ciphers++] = cipher_find("chacha20");
	if (rq->rq_schedules == 0)
		rq->rq_schedules = SCHEDULES_DEFAULT;
	if (rq->rq_jobs == 0)
		rq->rq_jobs = cpus < 1 ? 1 : cpus < CAMPAIGN_JOBS_MAX ? cpus :
		    CAMPAIGN_JOBS_MAX;
	if (rq->rq_replay != NULL && rq->rq_other)
		return (usage_error("explore", "--replay: the file says what "
		    "to run: expected no other option"));
	return (rq->rq_seed_given ? 0 : seed_choose("explore",
	    &rq->rq_seed));
}

static void
help_text(const struct arguments *as)
{
	char name[STRATEGY_NAME_SIZE];
	const struct strategy_class *sy;
	unsigned i;

	puts("Usage: rngsim explore [OPTIONS]\n\nRuns designs in orders that "
	    "time alone would not give, and checks all that\nthey do with "
	    "keys.  What fails is made small, shown, and can be had again.\n");
	arguments_help(as);
	puts("\nStrategies:");
	for (i = 0; i < strategy_count; i++) {
		sy = strategy_classes[i];
		snprintf(name, sizeof(name), "%s%s%.1s", sy->sy_name,
		    sy->sy_means != NULL ? ":" : "", sy->sy_means != NULL ?
		    strrchr(sy->sy_means, ' ') + 1 : "");
		printf("  %-9s %s", name, sy->sy_descr);
		if (sy->sy_means != NULL)
			printf(", %u..%u (%u)", sy->sy_least, sy->sy_most,
			    sy->sy_usual);
		putchar('\n');
	}
}

int
request_parse(struct request *rq, int argc, char *argv[], bool *help)
{
	const struct arguments as = { .as_command = "explore",
	    .as_table = options, .as_options = OPTIONS, .as_set = set,
	    .as_context = rq };
	int status;

	memset(rq, 0, sizeof(*rq));
	trial_subject_default(&rq->rq_subject);
	rq->rq_strategy = &strategy_mix;
	status = arguments_parse(&as, &argc, argv, help);
	if (status == 0 && *help)
		help_text(&as);
	else if (status == 0)
		status = defaults(rq);
	return (status);
}

void
request_free(struct request *rq)
{
	unsigned i;

	for (i = 0; i < rq->rq_tunables; i++)
		free(rq->rq_tunable[i]);
	rq->rq_tunables = 0;
}
