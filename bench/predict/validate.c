/* Compares predictions with measurements of the same cells. */
#include "bench/cell/cell.h"
#include "bench/cli/command.h"
#include "bench/predict/validate.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

/* A lock is saturated when readers hold it for this share of the time. */
static const double saturated_share = 0.5;

struct pair {
	const struct result_cell *vd_measured, *vd_predicted;
	bool		 vd_judged;
};

struct validation {
	struct pair	*va_pairs;
	unsigned	 va_count;
	unsigned	 va_judged;	/* of va_count, as the rest */
	unsigned	 va_gated, va_unprofiled, va_oversubscribed;
	unsigned	 va_left_out;	/* measured, without a prediction */
	/* Of struct pair; shares of totals, points of harvest CPU. */
	struct agreement va_total, va_saturated, va_idle;
	struct agreement_ranks va_ranks;	/* of designs and locks */
};

bool
validate_takes_lock(const char *name)
{
	const struct lock_class *lc = ENGINE(virtual).en_lock_find(name);

	return (lc != NULL && (lc->lc_flags & LC_EXCLUDES) != 0 &&
	    ENGINE(real).en_lock_find(name) != NULL);
}

bool
validate_takes_design(const char *name)
{
	return (strcmp(name, "none") != 0 && design_find(name) != NULL);
}

bool
validate_takes(const struct result_cell *rc)
{
	return (strcmp(rc->engine, ENGINE(real).en_name) == 0 &&
	    rc->workload[0] == '\0' && rc->rate_per_s == 0 &&
	    rc->producers == 0 && rc->total_mb_per_s > 0 &&
	    validate_takes_design(rc->design) && validate_takes_lock(rc->lock));
}

/* What cells of one table may differ in, beside their readers. */
enum { APART = 1 << PART_ENGINE | 1 << PART_HOST | 1 << PART_DESIGN |
    1 << PART_LOCK };

static const struct result_cell *
partner(const struct result *r, const struct result_cell *like)
{
	const struct result_cell *rc = r->cells;

	for (; rc < r->cells + r->cell_count; rc++)
		if (strcmp(rc->design, like->design) == 0 &&
		    strcmp(rc->lock, like->lock) == 0 &&
		    rc->readers == like->readers &&
		    cells_alike(rc, like, APART))
			return (rc);
	return (NULL);
}

/* The share of the time that readers hold the lock. */
static double
hold_share(const struct result_cell *rc)
{
	double held = 0, window = 0;

	for (unsigned i = 0; i < rc->lock_profile_rows; i++)
		if (strcmp(rc->lock_profile[i].role, "reader") == 0)
			held += rc->lock_profile[i].hold_total_ns;
	for (unsigned i = 0; i < rc->repeats; i++)
		window += rc->samples[i].window_s * 1e9;
	return (window > 0 ? held / window : 0);
}

static void
compare_pair(struct validation *va, struct pair *vd)
{
	const struct result_cell *mc = vd->vd_measured, *pc = vd->vd_predicted;
	const bool profiled = mc->lock_profile_rows > 0;
	const bool gated = mc->gate[0] != '\0';

	vd->vd_judged = mc->readers >= 2 && !gated && !mc->oversubscribed;
	va->va_judged += vd->vd_judged;
	va->va_gated += gated;
	va->va_unprofiled += !profiled;
	va->va_oversubscribed += mc->oversubscribed;
	if (vd->vd_judged)
		agreement_add(&va->va_total, mc->total_mb_per_s,
		    pc->total_mb_per_s, true, vd);
	/* Hold times are known only where locks were profiled. */
	if (vd->vd_judged && profiled)
		agreement_add(hold_share(mc) >= saturated_share ?
		    &va->va_saturated : &va->va_idle, mc->harvest.cpu_percent,
		    pc->harvest.cpu_percent, false, vd);
}

static struct agreement_item
item(const struct pair *vd)
{
	const struct result_cell *mc = vd->vd_measured, *pc = vd->vd_predicted;

	return ((struct agreement_item){ { mc->total_mb_per_s_ci95[0],
	    mc->total_mb_per_s, mc->total_mb_per_s_ci95[1] },
	    { pc->total_mb_per_s_ci95[0], pc->total_mb_per_s,
	    pc->total_mb_per_s_ci95[1] } });
}

static void
make(const struct result *measured, const struct result *predicted,
    struct validation *va)
{
	const struct result_cell *mc = measured->cells, *pc;
	const struct pair *a, *b;

	va->va_pairs = xcalloc(measured->cell_count + 1, sizeof(*va->va_pairs));
	for (; mc < measured->cells + measured->cell_count; mc++) {
		pc = validate_takes(mc) ? partner(predicted, mc) : NULL;
		if (pc == NULL)
			va->va_left_out++;
		else
			va->va_pairs[va->va_count++] = (struct pair){
			    .vd_measured = mc, .vd_predicted = pc };
	}
	for (unsigned i = 0; i < va->va_count; i++)
		compare_pair(va, &va->va_pairs[i]);
	for (a = va->va_pairs; a < va->va_pairs + va->va_count; a++)
		for (b = a + 1; b < va->va_pairs + va->va_count; b++)
			/* They differ only in design and lock. */
			if (a->vd_judged && b->vd_judged &&
			    a->vd_measured->readers ==
			    b->vd_measured->readers &&
			    cells_alike(a->vd_measured, b->vd_measured, APART))
				agreement_rank(item(a), item(b), &va->va_ranks);
}

static const struct column cell_columns[] = {
	{ "design", -12 }, { "lock", -12 }, { "N ", 5 }, { "MB/s", 8 },
	{ "+-%", 6 }, { "virtual", 8 }, { "error%", 7 }
};

static const struct column target_columns[] = {
	{ "target", -44 }, { "", 5 }, { "", 4 }, { "found", 8 }, { "of", 5 },
	{ " met", 0 }
};

static void
print_pair(FILE *out, const struct pair *vd)
{
	const struct result_cell *mc = vd->vd_measured;
	const double predicted = vd->vd_predicted->total_mb_per_s;
	char spread[FORMAT_SIZE];

	COLUMNS_ROW(out, cell_columns, mc->design, mc->lock,
	    FORMATF("%u%s", mc->readers, mc->gate[0] != '\0' ? "!" :
	    mc->oversubscribed ? "o" : " "), FORMAT(real, mc->total_mb_per_s),
	    comparable_spread(mc, spread), FORMAT(real, predicted),
	    FORMAT(change, predicted / mc->total_mb_per_s - 1));
}

/* The largest error of a figure, and its cell: "locked ticket aes 2". */
static void
add_worst(struct text *t, const char *figure, const char *worst,
    const struct agreement *ag)
{
	const struct pair *vd = ag->ag_worst_of;

	if (vd != NULL)
		text_list(t, "%s %s (%s %s %s %u)", figure, worst,
		    vd->vd_measured->design, vd->vd_measured->lock,
		    vd->vd_measured->cipher, vd->vd_measured->readers);
}

/* Returns: whether all targets are met, as one without any pair is. */
static bool
print_targets(FILE *out, const struct validation *va)
{
	const struct {
		const char	*descr;
		double		 limit;
		bool		 least;
		double		 found;
		unsigned	 count;
	} targets[] = {
		{ "throughput: mean error, %", 15, false,
		    100 * agreement_mean(&va->va_total),
		    va->va_total.ag_count },
		{ "ranks of designs and locks: tau", 0.8, true,
		    agreement_tau(&va->va_ranks), va->va_ranks.agr_told },
		{ "harvest CPU, saturated: mean error, points", 10, false,
		    agreement_mean(&va->va_saturated),
		    va->va_saturated.ag_count },
		{ "harvest CPU, idle: mean error, points", 1, false,
		    agreement_mean(&va->va_idle), va->va_idle.ag_count },
	}, *vf = targets;
	struct text worst = { .s = "" };
	bool all = true, met;

	fputc('\n', out);
	COLUMNS_TITLES(out, target_columns);
	for (; vf < targets + nitems(targets); vf++) {
		met = vf->count == 0 || (vf->least ? vf->found >= vf->limit :
		    vf->found <= vf->limit);
		all &= met;
		COLUMNS_ROW(out, target_columns, vf->descr, vf->least ?
		    "least" : "most", FORMATF("%g", vf->limit),
		    vf->count > 0 ? FORMATF("%.2f", vf->found) : NULL,
		    FORMATF("%u", vf->count), vf->count == 0 ?
		    " nothing to judge" : met ? " yes" : " NO");
	}
	add_worst(&worst, "throughput", FORMATF("%s %%", FORMAT(change,
	    va->va_total.ag_worst)), &va->va_total);
	add_worst(&worst, "harvest CPU, saturated", FORMATF("%+.2f",
	    va->va_saturated.ag_worst), &va->va_saturated);
	add_worst(&worst, "idle", FORMATF("%+.2f", va->va_idle.ag_worst),
	    &va->va_idle);
	if (worst.s[0] != '\0')
		format_wrap(out, "worst:", 2, worst.s);
	if (va->va_total.ag_count > 0)
		fprintf(out, "bias, predicted / measured: %.3f\n",
		    agreement_bias(&va->va_total));
	return (all);
}

static void
print_notes(FILE *out, const struct validation *va)
{
	putc('\n', out);
	if (va->va_gated > 0)
		fprintf(out, "!: %u cell%s failed a gate, such as drift: not "
		    "judged\n", va->va_gated, PLURAL(va->va_gated));
	if (va->va_oversubscribed > 0)
		fprintf(out, "o: more readers than CPUs: not judged\n");
	if (va->va_unprofiled > 0)
		format_wrap(out, "no lock profile:", 2, "hold times were not "
		    "measured (debug.lock.prof.enable=0), so no cell is "
		    "saturated or idle.  Predictions include the cost of "
		    "profiling.");
	if (va->va_left_out > 0)
		fprintf(out, "left out: %u cell%s, because the simulated "
		    "machine lacks the lock or load\n", va->va_left_out,
		    PLURAL(va->va_left_out));
	format_wrap(out, "tau:", 2, "(pairs predicted in the measured order - "
	    "pairs predicted in the other order) / pairs.  Pairs have the "
	    "same cipher, size and readers, 95 % intervals that do not "
	    "overlap, and differ by more than 1 %.");
}

/* Returns: as print_targets(). */
static bool
print(FILE *out, const struct validation *va, const struct result *measured,
    const struct result *predicted)
{
	const struct result_cell *last = NULL, *mc;
	bool met;

	format_wrapf(out, "", 2, "measured on %s, %u CPUs; predicted for %s",
	    measured->host.cpu_model, measured->host.cpus,
	    TEXT_OF(provenance_machine, predicted));
	if (measured->unfit[0] != '\0')
		format_wrap(out, "not fit to measure:", 2, measured->unfit);
	for (unsigned i = 0; i < va->va_count; i++, last = mc) {
		mc = va->va_pairs[i].vd_measured;
		if (last == NULL || !cells_alike(last, mc, APART)) {
			fprintf(out, "\n%s\n", TEXT_OF(describe_parts, mc,
			    ~(unsigned)APART));
			COLUMNS_TITLES(out, cell_columns);
		}
		print_pair(out, &va->va_pairs[i]);
	}
	met = print_targets(out, va);
	print_notes(out, va);
	return (met);
}

int
validate_print(FILE *out, const struct result *measured,
    const struct result *predicted)
{
	struct validation va = { .va_count = 0 };
	int status;

	make(measured, predicted, &va);
	status = va.va_count == 0 ? run_error("no cell was both measured and "
	    "predicted") : print(out, &va, measured, predicted) ?
	    EXIT_SUCCESS : EXIT_FAILURE;
	if (va.va_count > 0 && va.va_judged == 0)
		status = run_error("nothing to judge: of %u cells none has 2 "
		    "or more readers with a CPU each and passed its gates",
		    va.va_count);
	free(va.va_pairs);
	return (status);
}
