#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/kernel/ksource.h"
#include "bench/stats/stats.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/tick.h"

enum {
	CALIBRATION_ROUNDS	= 9,
	CALIBRATION_PAIRS	= 20000
};

static char **
copy_strings(char *const *from)
{
	unsigned n = 0;
	char **to;

	while (from != NULL && from[n] != NULL)
		n++;
	to = xcalloc(n + 1, sizeof(*to));
	for (unsigned i = 0; i < n; i++)
		to[i] = xstrdup(from[i]);
	return (to);
}

static char **
source_names(const struct random_source *const *sources, unsigned count)
{
	char *names[RANDOM_SOURCES + 1] = { NULL };

	for (unsigned i = 0; i < count; i++)
		names[i] = (char *)(uintptr_t)sources[i]->rs_ident;
	return (copy_strings(names));
}

/* The lines of the simulated machine's profile, and their hash. */
static int
describe_profile(const struct profile *pr, struct result *r)
{
	char *lines[PROFILE_VALUES + 3] = { NULL }, *text = NULL;
	unsigned char hash[EVP_MAX_MD_SIZE];
	size_t size = 0;
	FILE *out = xmemstream(&text, &size);
	int error = profile_write(pr, out);
	unsigned len, n = 0;

	xmemclose(out);
	if (error == 0 &&
	    EVP_Digest(text, size, hash, &len, EVP_sha256(), NULL) != 1)
		error = ENOMEM;
	if (error == 0) {
		for (unsigned i = 0; i < len; i++)
			snprintf(r->profile_sha256 + 2 * i, 3, "%02x", hash[i]);
		for (char *line = strtok(text, "\n"); line != NULL;
		    line = strtok(NULL, "\n"))
			lines[n++] = line;
		r->profile = copy_strings(lines);
	}
	free(text);
	return (error);
}

/* Measures the costs of a time stamp and of profiling an acquisition. */
static int
host_calibrate(struct result_host *host)
{
	double cost[CALIBRATION_ROUNDS], stamp[CALIBRATION_ROUNDS];
	double bare, real;
	volatile uint64_t sink;
	int64_t start_ns;

	for (unsigned i = 0; i < CALIBRATION_ROUNDS; i++) {
		real = ENGINE(real).en_lock_pairs(CALIBRATION_PAIRS);
		bare = ENGINE(bare).en_lock_pairs(CALIBRATION_PAIRS);
		if (real < 0 || bare < 0)
			return (ENOMEM);
		cost[i] = (real - bare) / CALIBRATION_PAIRS;
		start_ns = tick_ns();
		for (unsigned k = 0; k < CALIBRATION_PAIRS; k++)
			sink = tick_cycles();
		stamp[i] = (double)(tick_ns() - start_ns) / CALIBRATION_PAIRS;
	}
	(void)sink;
	host->profile_ns = fmax(0, stats_median(cost, CALIBRATION_ROUNDS));
	host->clock_ns = stats_median(stamp, CALIBRATION_ROUNDS);
	return (0);
}

int
describe_run(const struct options *op, char *const argv[], unsigned cells,
    unsigned controls, struct result *r)
{
	struct random_source_list sl;
	struct harvest_error why;

	r->argv = copy_strings(argv);
	r->tunables = copy_strings(op->op_tunables);
	if (random_source_list_parse(&sl, op->op_config.bc_harvest.sources,
	    &why) != 0)
		memset(&sl, 0, sizeof(sl));
	/* A simulated machine has every source. */
	for (unsigned i = 0; op->op_simulated && i < sl.sl_skipped_count; i++)
		sl.sl_source[sl.sl_count++] = sl.sl_skipped[i];
	if (op->op_simulated)
		sl.sl_skipped_count = 0;
	r->sources = source_names(sl.sl_source, sl.sl_count);
	r->sources_skipped = source_names(sl.sl_skipped, sl.sl_skipped_count);
	r->cells = xcalloc(cells, sizeof(*r->cells));
	r->controls = xcalloc(controls, sizeof(*r->controls));
	ksource_describe(r);
	r->seed = op->op_seed;
	r->time_s = op->op_time_s;
	snprintf(r->place, sizeof(r->place), "%s", op->op_place_text);
	snprintf(r->harvest_model, sizeof(r->harvest_model), "%s",
	    design_queue_names[op->op_config.bc_harvest.queue]);
	result_now(r->started);
	result_host_fill(&r->host);
	return (op->op_simulated ? describe_profile(&op->op_machine.vi_profile,
	    r) : host_calibrate(&r->host));
}
