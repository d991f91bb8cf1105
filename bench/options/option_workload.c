/*
 * The options that say what readers ask for, and when.
 */
#include <errno.h>
#include <string.h>

#include "bench/options/option_set.h"
#include "lib/number.h"

static const double rate_min_per_s = 0.001;

int
option_workload(struct options *op, const char *name, const char *text)
{
	char why[WORKLOAD_ERROR_SIZE] = "";
	int error;

	error = workload_parse(text, &op->op_workload, why);
	if (error == EINVAL)
		return (usage_error(op->op_command, "%s: %s", name, why));
	if (error != 0)
		return (run_error(op->op_command, "%s: %s", name, why));
	return (0);
}

int
option_rate(struct options *op, const char *name, const char *text)
{

	if (number_parse_real(text, &op->op_rate_per_s) != 0 ||
	    op->op_rate_per_s < rate_min_per_s ||
	    op->op_rate_per_s > WORKLOAD_RATE_MAX_PER_S)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "requests per second of each reader, %g..%d", name, text,
		    rate_min_per_s, WORKLOAD_RATE_MAX_PER_S));
	return (0);
}

int
option_arrivals(struct options *op, const char *name, const char *text)
{
	static const enum workload_arrivals planned[] = { ARRIVALS_CONSTANT,
	    ARRIVALS_POISSON };
	unsigned i;

	for (i = 0; i < 2; i++) {
		op->op_arrivals = planned[i];
		if (strcmp(workload_arrivals_names[planned[i]], text) == 0)
			return (0);
	}
	return (usage_error(op->op_command, "%s: \"%s\": expected %s or %s",
	    name, text, workload_arrivals_names[ARRIVALS_CONSTANT],
	    workload_arrivals_names[ARRIVALS_POISSON]));
}

int
option_workload_finish(struct options *op)
{
	struct workload *wl = &op->op_workload;
	bool recorded = wl->wl_arrivals == ARRIVALS_RECORDED;

	if (op->op_sizes.ol_count > 0 && (recorded || wl->wl_size_count > 0))
		return (usage_error(op->op_command, "-s and --workload %s both "
		    "say how large requests are: drop one of them",
		    wl->wl_text));
	if (op->op_arrivals != ARRIVALS_CLOSED && op->op_rate_per_s <= 0)
		return (usage_error(op->op_command, "--arrivals: expected "
		    "--rate with it"));
	if (op->op_rate_per_s <= 0)
		return (0);
	if (recorded || wl->wl_pause_ns != 0)
		return (usage_error(op->op_command, "--rate and --workload %s "
		    "both say when requests begin: drop one of them",
		    wl->wl_text));
	wl->wl_rate_per_s = op->op_rate_per_s;
	wl->wl_arrivals = op->op_arrivals != ARRIVALS_CLOSED ?
	    op->op_arrivals : ARRIVALS_CONSTANT;
	return (0);
}
