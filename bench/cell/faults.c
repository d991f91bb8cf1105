#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/cell/faults.h"

enum {
	FIRST_FORTUNA	= LIB_FAILPOINTS,
	FIRST_HARVEST	= LIB_FAILPOINTS + FORTUNA_FAILPOINTS
};

const struct failpoint_def *
fault_def(unsigned i)
{

	KASSERT(i < FAULT_POINTS, ("fail point %u", i));
	if (i < FIRST_FORTUNA)
		return (&lib_failpoints[i]);
	return (i < FIRST_HARVEST ? &fortuna_failpoints[i - FIRST_FORTUNA] :
	    &harvest_failpoints[i - FIRST_HARVEST]);
}

/* Returns: FAULT_POINTS when there is none of that name. */
static unsigned
find(const char *name, size_t n)
{
	unsigned i;

	for (i = 0; i < FAULT_POINTS; i++)
		if (strlen(fault_def(i)->fd_name) == n &&
		    memcmp(fault_def(i)->fd_name, name, n) == 0)
			break;
	return (i);
}

static int
unknown(const char *name, int n, char error[FAULT_ERROR_SIZE])
{
	size_t used;
	unsigned i;

	used = (size_t)snprintf(error, FAULT_ERROR_SIZE, "\"%.*s\" is no fail "
	    "point: expected ", n < 40 ? n : 40, name);
	for (i = 0; i < FAULT_POINTS && used < FAULT_ERROR_SIZE; i++)
		used += (size_t)snprintf(error + used,
		    FAULT_ERROR_SIZE - used, "%s%s", i == 0 ? "" :
		    i + 1 < FAULT_POINTS ? ", " : " or ",
		    fault_def(i)->fd_name);
	return (EINVAL);
}

int
faults_parse(struct fault_list *fl, const char *text,
    char error_text[FAULT_ERROR_SIZE])
{
	const char *spec = strchr(text, '=');
	char why[FAILPOINT_ERROR_SIZE];
	unsigned i;

	if (spec == NULL || spec == text) {
		snprintf(error_text, FAULT_ERROR_SIZE, "\"%.80s\": expected "
		    "NAME=SPEC; \"rngsim list failpoints\" has the names",
		    text);
		return (EINVAL);
	}
	i = find(text, (size_t)(spec - text));
	if (i == FAULT_POINTS)
		return (unknown(text, (int)(spec - text), error_text));
	if (fl->fl_text[i] != NULL) {
		snprintf(error_text, FAULT_ERROR_SIZE, "%s is set twice; "
		    "\"->\" joins terms", fault_def(i)->fd_name);
		return (EINVAL);
	}
	spec++;
	if (failpoint_parse(&fl->fl_spec[i], spec, why) != 0) {
		snprintf(error_text, FAULT_ERROR_SIZE, "%s: %s",
		    fault_def(i)->fd_name, why);
		return (EINVAL);
	}
	fl->fl_text[i] = spec;
	fl->fl_count++;
	return (0);
}

bool
faults_need_queue(const struct fault_list *fl)
{
	unsigned i;

	for (i = FIRST_HARVEST; i < FAULT_POINTS; i++)
		if (fl->fl_text[i] != NULL)
			return (true);
	return (false);
}

void
faults_make(struct faults *fa, const struct fault_list *fl,
    const struct failpoint_machine *fm, uint64_t seed, int64_t pause_ns)
{
	struct failpoint *const lib = fa->fa_point;
	struct failpoint *const fortuna = fa->fa_point + FIRST_FORTUNA;
	unsigned i;

	for (i = 0; i < FAULT_POINTS; i++) {
		failpoint_init(&fa->fa_point[i], fault_def(i),
		    fl->fl_text[i] != NULL ? &fl->fl_spec[i] : NULL, fm, seed);
		fa->fa_point[i].fp_pause_ns = pause_ns;
	}
	fa->fa_lock = (struct lock_faults){
		.lf_acquired = &lib[FAILPOINT_lock_owner_preempt],
		.lf_releasing = &fortuna[FAILPOINT_fortuna_snapshot_pause],
		.lf_released = &fortuna[FAILPOINT_fortuna_unlock_pause],
		.lf_sites = 1u << SITE_READ | 1u << SITE_CHUNK,
	};
	fa->fa_queue_lock = (struct lock_faults){
		.lf_acquired = &lib[FAILPOINT_lock_owner_preempt],
	};
}

void
faults_release(struct faults *fa)
{
	unsigned i;

	for (i = 0; i < FAULT_POINTS; i++)
		failpoint_release(&fa->fa_point[i]);
}

struct failpoint *
faults_generator(struct faults *fa)
{

	return (fa == NULL ? NULL : fa->fa_point + FIRST_FORTUNA);
}

struct failpoint *
faults_harvest(struct faults *fa)
{

	return (fa == NULL ? NULL : fa->fa_point + FIRST_HARVEST);
}

const struct lock_faults *
faults_lock(struct faults *fa)
{

	return (fa == NULL ? NULL : &fa->fa_lock);
}

const struct lock_faults *
faults_queue_lock(struct faults *fa)
{

	return (fa == NULL ? NULL : &fa->fa_queue_lock);
}

void
faults_count(struct faults *fa, struct fault_outcome *fo)
{
	unsigned i;

	for (i = 0; i < FAULT_POINTS; i++) {
		fo->fo_evaluated[i] = atomic_load(
		    &fa->fa_point[i].fp_evaluated);
		fo->fo_executed[i] = atomic_load(&fa->fa_point[i].fp_executed);
	}
}
