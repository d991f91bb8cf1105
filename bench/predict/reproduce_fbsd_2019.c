/*
 * FreeBSD's Fortuna before and after generation moved out of the mutex that
 * all readers share: r349154 (D20313), June 2019.
 *
 * A debug kernel, a virtual machine of 4 CPUs, 3 readers.  The cost of one hold
 * of the mutex is fitted to the rate of AES under the lock.
 */
#include <gsl/gsl_roots.h>

#include "bench/predict/reproduce.h"
#include "bench/stats/stats.h"

enum {
	READERS		= 3,
	REQUEST_BYTES	= 128 * 1024,
	CELLS		= REPRODUCE_CELLS,
	ROWS		= REPRODUCE_ROWS,
	FITTED		= PROFILE_OP_LOCK_PAIR,	/* to row 0 */
	FIT_STEPS_MAX	= 40
};

static const double fit_high = 20000;
/* A share of the published number. */
static const double fit_tolerance = 0.0005;

/*
 * How a row was used; JSON names it.  A number was fitted to it; the profile
 * took something from it; it is a test of the model.
 */
static const char fitted[] = "fitted", input[] = "input";
static const char predicted[] = "predicted";

/* A published number. */
struct reproduce_row {
	const char	*rr_name, *rr_role;
	double		 rr_published;
	double		 rr_published_high;	/* 0, or where a range ends */
	/* Predictions from low to high are accepted. */
	double		 rr_low, rr_high;
};

/* The design and the cipher of each. */
static const char *const cells[CELLS][2] = { { "locked", "aes" }, { "locked",
    "chacha20" }, { "concurrent", "aes" }, { "concurrent", "chacha20" } };

/* Runs of each cell: for the rates, the variation, and the fit. */
static const double windows_s[] = { 0.5, 0.1, 0.2 };

static const char *const units[REPRODUCE_FIGURES] = { "MB/s", "% CPU",
    "% between readers in 100 ms" };

static const struct reproduce_row rows[ROWS] = {
	/* 55 MiB/s. */
	{ "aes locked: each reader", fitted, 57.67, 0, 55, 59 },
	{ "chacha20 locked: each reader", predicted, 113, 0, 108, 118 },
	{ "aes concurrent: each reader", input, 197, 0, 190, 200 },
	{ "chacha20 concurrent: each reader", input, 430, 0, 415, 435 },
	/* "Double digits", and "basically zero". */
	{ "aes locked: rand_harvestq", predicted, 10, 99, 10, 99 },
	{ "chacha20 locked: rand_harvestq", predicted, 10, 99, 10, 99 },
	{ "aes concurrent: rand_harvestq", predicted, 0, 0, 0, 1 },
	{ "chacha20 concurrent: rand_harvestq", predicted, 0, 0, 0, 1 },
};

/* What is shown beside the variation of each cell: two of each design. */
static const char *const words[CELLS / 2] = {
	"high variance in latency and throughput, depending on who got lucky "
	    "and won the lock",
	"much more responsive"
};

#define	CELL_NAME(i)	FORMATF("%s %s", cells[i][1], cells[i][0])

static const char *const remarks[] = {
	"Not published and so guessed: requests of 128 KiB, what else the "
	    "machine did (100 events a second are harvested beside rdrand), "
	    "and the CPU; see the profile.",
	"The concurrent rates gave the profile what a byte costs, so their "
	    "rows test only that the lock costs nothing there.",
	"Published as 55 MiB/s and 113 MB/s; the harvest thread's CPU time as "
	    "\"double digits\" before and \"basically zero\" after, for "
	    "no cipher in particular.",
	"The harvest thread's time under the lock depends on which thread "
	    "polls when the lock is free: with cpu.pause from 1 to 40 ns, that "
	    "of chacha20 is anything between 10 and 33 %.",
};

int
reproduce_run(const struct profile *pr, unsigned number, uint64_t seed,
    double *figures, char why[CELL_ERROR_SIZE])
{
	/* Others have FreeBSD's defaults. */
	static const char *const settings[] = { "rngsim.harvest.model=2019",
	    "rngsim.harvest.sources=rdrand,interrupt",
	    "rngsim.source.interrupt.rate_hz=100" };
	const struct tunable *tn;
	const char *value;
	struct bench_config bc;
	struct cell_measure cm = { .cm_row_count = 0 };
	struct cell_params cp = {
		.cp_cell = { .ce_design = cells[number % CELLS][0],
		    .ce_lock = "mtx",
		    .ce_cipher = cipher_find(cells[number % CELLS][1]),
		    .ce_readers = READERS, .ce_request_bytes = REQUEST_BYTES },
		.cp_config = &bc, .cp_time_s = windows_s[number / CELLS],
		.cp_seed = seed
	};
	int error;

	bench_config_default(&bc, (unsigned)pr->pr_value[PROFILE_TOPO_CPUS]);
	/* A kernel thread that holds a mutex keeps its CPU. */
	bc.bc_lock.spin_polls = 0;
	for (unsigned i = 0; i < nitems(settings); i++) {
		tn = bench_config_set(&bc, settings[i], &value, &error);
		KASSERT(tn != NULL && error == 0, ("%s", settings[i]));
	}
	error = reproduce_cell(pr, 0, &cp, &cm, why);
	figures[REPRODUCE_RATE] = cm.cm_sample.total_mb_per_s / READERS;
	figures[REPRODUCE_HARVEST] = cm.cm_sample.harvest.cpu_percent;
	figures[REPRODUCE_VARIATION] = 100 * cm.cm_sample.fairness.cov;
	cell_measure_free(&cm);
	return (error);
}

/* Sets a run's figures: the medians over seeds. */
static int
medians(struct reproducing *ri, unsigned run)
{
	double figures[REPRODUCE_FIGURES], values[REPRODUCE_FIGURES][
	    REPRODUCE_SEEDS];
	int error = 0;

	for (unsigned i = 0; error == 0 && i < REPRODUCE_SEEDS; i++) {
		error = ri->ri_run(&ri->ri_profile, run, ri->ri_seed + i,
		    figures, ri->ri_error);
		for (unsigned k = 0; error == 0 && k < REPRODUCE_FIGURES; k++)
			values[k][i] = figures[k];
	}
	for (unsigned k = 0; error == 0 && k < REPRODUCE_FIGURES; k++)
		ri->ri_figures[run][k] = stats_median(values[k],
		    REPRODUCE_SEEDS);
	return (error);
}

/* What is predicted of a row, or of the words behind all rows. */
static double
value(const struct reproducing *ri, unsigned row)
{
	return (ri->ri_figures[row < ROWS ? row % CELLS : row - CELLS][row /
	    CELLS]);
}

/*
 * How far the fitted figure is off: the inverse of a rate is a sum of costs, so
 * published / figure is nearly linear in a cost.  NaN: a run has failed.
 */
static double
off(double tried, void *context)
{
	struct reproducing *ri = context;
	const double *v = &ri->ri_figures[REPRODUCE_FIT][REPRODUCE_RATE];

	ri->ri_profile.pr_value[FITTED] = tried;
	if (ri->ri_failed == 0)
		ri->ri_failed = medians(ri, REPRODUCE_FIT);
	KASSERT(ri->ri_failed != 0 || *v > 0, ("a figure of %g", *v));
	return (ri->ri_off = ri->ri_failed != 0 ? GSL_NAN :
	    rows->rr_published / *v - 1);
}

/* The root, or the nearer end of the range if both are on one side of it. */
static int
fit(struct reproducing *ri)
{
	gsl_function f = { .function = off, .params = ri };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver =
	    gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	double *value = &ri->ri_profile.pr_value[FITTED];
	const double below = off(0, ri), above = off(fit_high, ri);

	if (solver == NULL)
		no_memory();
	if (gsl_root_fsolver_set(solver, &f, 0, fit_high) != GSL_SUCCESS)
		*value = fabs(below) < fabs(above) ? 0 : fit_high;
	else
		for (unsigned i = 0; i < FIT_STEPS_MAX &&
		    fabs(ri->ri_off) > fit_tolerance &&
		    gsl_root_fsolver_iterate(solver) == GSL_SUCCESS; i++)
			continue;
	gsl_root_fsolver_free(solver);
	gsl_set_error_handler(handler);
	/* More than four digits are noise. */
	*value = strtod(FORMATF("%.4g", *value), NULL);
	ri->ri_profile.pr_from[FITTED] = PROVENANCE_FITTED;
	return (ri->ri_failed);
}

int
reproduce(struct reproducing *ri, reproduce_runner *run,
    const struct profile *pr, uint64_t seed)
{
	int error;

	*ri = (struct reproducing){ .ri_run = run, .ri_profile = *pr,
	    .ri_given = pr->pr_value[FITTED], .ri_seed = seed };
	error = fit(ri);
	for (unsigned i = 0; error == 0 && i < REPRODUCE_FIT; i++)
		error = medians(ri, i);
	if (error != 0 && ri->ri_error[0] == '\0')
		TEXT_SET(ri->ri_error, strerror(error));
	return (error);
}

bool
reproduce_within(const struct reproducing *ri, unsigned row)
{
	const double v = value(ri, row);

	return (v >= rows[row].rr_low && v <= rows[row].rr_high);
}

unsigned
reproduce_missed(const struct reproducing *ri)
{
	unsigned missed = 0;

	for (unsigned i = 0; i < ROWS; i++)
		missed += !reproduce_within(ri, i);
	return (missed);
}

#define	ROW_FORMAT	"s:s, s:f, s:f, s:s, s:b, s:s, s:[f, f]"

static const struct column columns[] = {
	{ "", -34 }, { "publ.", 7 }, { "accepted", 11 }, { "pred.", 7 },
	{ "", -5 }, { " within", 0 }
};

void
reproduce_print(FILE *out, const void *of)
{
	const struct reproducing *ri = of;
	const struct reproduce_row *rr = rows;

	fprintf(out, "%s: %s\n", reproductions->rn_name,
	    reproductions->rn_descr);
	format_wrapf(out, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; medians of %d runs, seeds from %" PRIu64,
	    ri->ri_profile.pr_name, FORMAT(percent, 100 *
	    profile_share(&ri->ri_profile, PROVENANCE_GUESSED)),
	    REPRODUCE_SEEDS, ri->ri_seed);
	format_wrapf(out, "fitted   ", 2, "%s = %.4g ns; the profile has %.4g",
	    profile_fields[FITTED].pf_key, ri->ri_profile.pr_value[FITTED],
	    ri->ri_given);
	putc('\n', out);
	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < ROWS; i++, rr++)
		COLUMNS_ROW(out, columns, rr->rr_name,
		    rr->rr_published_high > 0 ? FORMATF("%.4g-%.4g",
		    rr->rr_published, rr->rr_published_high) :
		    FORMATF("%.4g", rr->rr_published),
		    FORMATF("%.4g-%.4g", rr->rr_low, rr->rr_high),
		    FORMAT(real, value(ri, i)), units[i / CELLS],
		    FORMATF(" %s", !reproduce_within(ri, i) ? "NO" :
		    rr->rr_role == predicted ? "yes" : rr->rr_role));
	fputs("\nin words\n", out);
	for (unsigned i = 0; i < CELLS; i++)
		format_wrapf(out, " ", 4, "%s: \"%s\": %s %s", CELL_NAME(i),
		    words[i / 2], FORMAT(real, value(ri, ROWS + i)),
		    units[REPRODUCE_VARIATION]);
	putc('\n', out);
	for (unsigned i = 0; i < nitems(remarks); i++)
		format_wrap(out, "*", 2, remarks[i]);
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct reproducing *ri = of;
	const struct reproduce_row *rr = &rows[i];

	/* Arguments that the format does not name are not read. */
	return (json_pack(rr->rr_published_high > 0 ?
	    "{" ROW_FORMAT ", s:f, s:f}" : "{" ROW_FORMAT "}",
	    "name", rr->rr_name, "published", rr->rr_published,
	    "predicted", value(ri, i), "unit", units[i / CELLS],
	    "within", reproduce_within(ri, i),
	    "role", rr->rr_role, "accepted", rr->rr_low, rr->rr_high,
	    "published_low", rr->rr_published,
	    "published_high", rr->rr_published_high));
}

static json_t *
json_remark(const void *of __unused, unsigned i)
{
	return (json_string(remarks[i]));
}

static json_t *
json_words(const void *of, unsigned i)
{
	return (json_pack("{s:s, s:s, s:f, s:s}", "name", CELL_NAME(i),
	    "published", words[i / 2], "predicted", value(of, ROWS + i),
	    "unit", units[REPRODUCE_VARIATION]));
}

void
reproduce_print_json(FILE *out, const void *of)
{
	const struct reproducing *ri = of;

	json_print(out, json_pack("{s:s, s:s, s:s, s:f, s:{s:s, "
	    "s:f, s:s, s:f}, s:I, s:b, s:o, s:o, s:o}", "reproduction",
	    reproductions->rn_name, "claim", "predicted", "profile",
	    ri->ri_profile.pr_name, "guessed_share",
	    profile_share(&ri->ri_profile, PROVENANCE_GUESSED), "fitted",
	    "key", profile_fields[FITTED].pf_key, "value",
	    ri->ri_profile.pr_value[FITTED], "unit", "ns", "profile_value",
	    ri->ri_given, "seed", (json_int_t)ri->ri_seed, "holds",
	    reproduce_missed(ri) == 0, "rows", json_list(ROWS, json_row, ri),
	    "words", json_list(CELLS, json_words, ri),
	    "remarks", json_list(nitems(remarks), json_remark, ri)));
}
