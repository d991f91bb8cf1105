#include "bench/cell/failpoints.h"
#include "bench/cli/format.h"

int
failpoints_parse(struct failpoint_list *fl, const char *text,
    char error[FAILPOINTS_ERROR_SIZE])
{
	const size_t n = strcspn(text, "=");
	char why[FAILPOINT_ERROR_SIZE];
	struct text names = { .s = "" };
	unsigned i;

	if (n == 0 || text[n] == '\0')
		return (format_wrong(error, FAILPOINTS_ERROR_SIZE, "\"%.80s\": "
		    "expected NAME=SPEC; \"rngsim list failpoints\" has the "
		    "names", text));
	for (i = 0; i < FAILPOINTS; i++)
		if (strlen(failpoint_defs[i].fd_name) == n &&
		    memcmp(failpoint_defs[i].fd_name, text, n) == 0)
			break;
	if (i == FAILPOINTS) {
		for (unsigned k = 0; k < FAILPOINTS; k++)
			text_list(&names, "%s%s", k + 1 < FAILPOINTS ? "" :
			    "or ", failpoint_defs[k].fd_name);
		return (format_wrong(error, FAILPOINTS_ERROR_SIZE, "\"%.*s\" "
		    "is no fail point: expected %.*s", n < 40 ? (int)n : 40,
		    text, FAILPOINT_ERROR_SIZE, names.s));
	}
	if (fl->fl_text[i] != NULL)
		return (format_wrong(error, FAILPOINTS_ERROR_SIZE, "%s is set "
		    "twice; \"->\" joins terms", failpoint_defs[i].fd_name));
	if (failpoint_parse(&fl->fl_spec[i], text + n + 1, why) != 0)
		return (format_wrong(error, FAILPOINTS_ERROR_SIZE, "%s: %s",
		    failpoint_defs[i].fd_name, why));
	fl->fl_text[i] = text + n + 1;
	fl->fl_count++;
	return (0);
}

void
failpoints_make(struct failpoints *fa, const struct failpoint_list *fl,
    const struct failpoint_machine *fm, uint64_t seed, int64_t pause_ns,
    unsigned first, unsigned readers)
{
	struct failpoint *const fp = fa->fa_point;

	for (unsigned i = 0; i < FAILPOINTS; i++) {
		failpoint_init(&fp[i], &failpoint_defs[i],
		    fl->fl_text[i] != NULL ? &fl->fl_spec[i] : NULL, fm, seed);
		fp[i].fp_pause_ns = pause_ns;
	}
	fa->fa_lock = (struct lock_faults){
		.lf_acquired = &fp[FAILPOINT_lock_owner_preempt],
		.lf_releasing = &fp[FAILPOINT_fortuna_snapshot_pause],
		.lf_released = &fp[FAILPOINT_fortuna_unlock_pause],
		.lf_first = first, .lf_count = readers,
	};
	fa->fa_spin = (struct lock_faults){
		.lf_acquired = &fp[FAILPOINT_lock_owner_preempt],
	};
}

void
failpoints_set(struct failpoints *fa, struct randomdev_params *rp)
{
	rp->rp_failpoints = fa->fa_point;
	rp->rp_kernel.kp_lock_config.faults = &fa->fa_lock;
	rp->rp_kernel.kp_spin_faults = &fa->fa_spin;
}

void
failpoints_count(struct failpoints *fa, struct failpoint_outcome *fo)
{
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		fo->fo_evaluated[i] = atomic_load(
		    &fa->fa_point[i].fp_evaluated);
		fo->fo_executed[i] = atomic_load(&fa->fa_point[i].fp_executed);
	}
}
