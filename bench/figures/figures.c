/*
 * The figures that README states: "make bench".
 *
 * A program of its own, because its rivals are libraries that rngsim does not
 * need.  Each part compares what it compares in turn within one process, and
 * prints medians with the spread of the middle half.  Timings decide nothing
 * here; a figure that is not reached is printed as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cell/place.h"
#include "bench/figures/figures.h"
#include "bench/statistics/stats.h"
#include "lib/crypto.h"

static volatile sig_atomic_t stop;	/* never set */

double
figures_median(const double *v, unsigned n)
{
	double copy[FIGURES_ROUNDS_MAX];

	memcpy(copy, v, n * sizeof(*v));
	return (stats_median(copy, n));
}

const char *
figures_spread(const double *v, unsigned n, const char *fmt, char buf[64])
{
	double copy[FIGURES_ROUNDS_MAX];
	char high[16], low[16], mid[16];

	memcpy(copy, v, n * sizeof(*v));
	snprintf(mid, sizeof(mid), fmt, figures_median(v, n));
	snprintf(low, sizeof(low), fmt, stats_quantile(copy, n, 0.25));
	memcpy(copy, v, n * sizeof(*v));
	snprintf(high, sizeof(high), fmt, stats_quantile(copy, n, 0.75));
	snprintf(buf, 64, "%s (%s..%s)", mid, low, high);
	return (buf);
}

void
figures_heading(const char *what)
{
	struct result_host host;
	time_t now = time(NULL);
	char date[32];

	memset(&host, 0, sizeof(host));
	result_host_fill(&host);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("\n%s\n  %s, %u of %u CPUs, %s, %s; %s\n", what,
	    host.cpu_model, host.cpus, host.cpus_machine, host.kernel,
	    host.libcrypto, date);
}

static void
run_cell(const struct engine *engine, const struct cell *ce, double time_s,
    unsigned skipcount, bool ledger, struct result_sample *rs)
{
	static struct cell_measure cm;
	struct bench_config config;
	struct place place;
	struct cell_params cp = { .cp_cell = *ce, .cp_config = &config,
	    .cp_place = &place, .cp_time_s = time_s, .cp_stop = &stop,
	    .cp_ledger = ledger };
	char why[CELL_ERROR_SIZE];

	CTASSERT(PLACE_ERROR_SIZE <= (int)CELL_ERROR_SIZE);
	bench_config_default(&config, cpu_count());
	config.bc_lock.prof_skipcount = skipcount;
	if (place_parse(&place, "compact", why) != 0 ||
	    engine->en_run(&cp, &cm, why) != 0) {
		fprintf(stderr, "rngsim-figures: %s\n", why);
		exit(EXIT_FAILURE);
	}
	*rs = cm.cm_sample;
	cell_measure_free(&cm);
	place_free(&place);
}

void
figures_run_cell(const struct engine *engine, const struct cell *ce,
    double time_s, unsigned skipcount, struct result_sample *rs)
{

	run_cell(engine, ce, time_s, skipcount, false, rs);
}

void
figures_run_ledgered(const struct engine *engine, const struct cell *ce,
    double time_s, struct result_sample *rs)
{

	run_cell(engine, ce, time_s, 0, true, rs);
}

static const struct {
	const char	*name;
	enum crypto_mode mode;
	bool		attach;		/* run() wants a machine thread */
	int		(*run)(void);
} parts[] = {
	{ "effect", CRYPTO_KERNEL, false, figures_effect },
	{ "limit", CRYPTO_NATIVE, true, figures_limit },
	{ "rivals", CRYPTO_NATIVE, true, figures_rivals },
	{ "profiling", CRYPTO_NATIVE, false, figures_profiling },
	{ "locks", CRYPTO_NATIVE, true, figures_locks },
	{ "designs", CRYPTO_KERNEL, false, figures_designs },
	{ "hash", CRYPTO_NATIVE, false, figures_hash },
	{ "virtual", CRYPTO_NATIVE, false, figures_virtual },
	{ "explore", CRYPTO_NATIVE, false, figures_explore },
	{ "cat", CRYPTO_NATIVE, false, figures_cat },
	{ "ledger", CRYPTO_KERNEL, false, figures_ledger },
	{ "ledger-native", CRYPTO_NATIVE, false, figures_ledger },
};

int
main(int argc, char *argv[])
{
	struct mthread self;
	const char *missing;
	unsigned i;
	int status;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (argc == 2 && strcmp(parts[i].name, argv[1]) == 0)
			break;
	if (i == sizeof(parts) / sizeof(parts[0])) {
		fprintf(stderr, "Usage: rngsim-figures effect|limit|rivals|"
		    "profiling|locks|designs|hash|virtual|explore|cat|ledger|"
		    "ledger-native\n");
		return (2);
	}
	if (crypto_mode_enter(parts[i].mode, argv) != 0 || cpu_init() != 0 ||
	    crypto_init(&missing) != 0) {
		fprintf(stderr, "rngsim-figures: cannot start\n");
		return (EXIT_FAILURE);
	}
	tick_calibrate();
	if (parts[i].attach)
		machine_attach(&self, "figures");
	status = parts[i].run();
	crypto_fini();
	cpu_fini();
	return (status);
}
