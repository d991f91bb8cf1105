/*
 * A validation as a table.
 */
#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/predict/validate.h"
#include "bench/report/comparable.h"

/* A larger bias of single readers is a change of the machine's speed. */
static const double speed_changed = 0.05;

static const struct column cell_columns[] = {
	{ "design", -10 }, { "lock", -11 }, { "N ", 4 }, { "MB/s", 7 },
	{ "+-%", 6 }, { "virtual", 8 }, { "error%", 7 }, { "linear", 6 },
	{ "Amdahl", 6 }, { "USL", 6 }
};

static const struct column law_columns[] = {
	{ "", -44 }, { "virtual", 8 }, { "linear", 8 }, { "Amdahl", 8 },
	{ "USL", 8 }
};

static const struct column off_columns[] = {
	{ "virtual", -23 }, { "cells", 5 }, { "mean", 7 }, { "worst", 7 },
	{ " where", 0 }
};

static const struct column check_columns[] = {
	{ "target", -44 }, { "", 5 }, { "", 4 }, { "found", 8 }, { " met", 0 }
};

/* "+3.4", "-12", "+>999": a share in percent. */
static const char *
format_signed(char buf[32], double share)
{
	double v = 100 * share;

	if (fabs(v) >= 999.5)
		snprintf(buf, 32, "%c>999", v < 0 ? '-' : '+');
	else
		snprintf(buf, 32, fabs(v) >= 99.95 ? "%+.0f" : "%+.1f", v);
	return (buf);
}

/* What format makes of each predictor, in buffers as FORMAT()'s. */
#define	EACH(format, ...)						\
	format((char[32]){ 0 }, __VA_ARGS__, VALIDATE_VIRTUAL),		\
	format((char[32]){ 0 }, __VA_ARGS__, VALIDATE_LINEAR),		\
	format((char[32]){ 0 }, __VA_ARGS__, VALIDATE_AMDAHL),		\
	format((char[32]){ 0 }, __VA_ARGS__, VALIDATE_USL)

/* The error of a prediction; NULL: none. */
static const char *
error_of(char buf[32], const struct validate_cell *vc, enum validate_by by)
{
	const struct result_cell *mc = vc->vc_measured;

	return (isnan(vc->vc_total[by]) ? NULL : format_signed(buf,
	    vc->vc_total[by] / mc->total_mb_per_s - 1));
}

static void
print_cell(FILE *out, const struct validate_cell *vc)
{
	const struct result_cell *mc = vc->vc_measured;
	char spread[FORMAT_SIZE];

	COLUMNS_ROW(out, cell_columns, mc->design, mc->lock,
	    FORMATF("%u%s", mc->readers, comparable_gated(mc) ? "!" :
	    mc->oversubscribed ? "o" : " "),
	    FORMAT(real, mc->total_mb_per_s), comparable_spread(mc, spread),
	    FORMAT(real, vc->vc_total[VALIDATE_VIRTUAL]),
	    EACH(error_of, vc));
}

/* A figure of a predictor's row; NULL where nothing was predicted. */
static const char *
figure_of(char buf[32], const struct validation *va, unsigned row,
    enum validate_by by)
{
	const struct agreement *ag = &va->va_figure[by];

	if (ag->ag_count == 0)
		return (NULL);
	switch (row) {
	case 0:
		return (format_percent(buf, 100 * agreement_mean(ag)));
	case 1:
		return (format_signed(buf, ag->ag_worst));
	case 2:
		snprintf(buf, 32, "%.3f", agreement_bias(ag));
		return (buf);
	default:
		if (va->va_ranks[by].ar_told == 0)
			return (NULL);
		snprintf(buf, 32, "%+.2f", agreement_tau(&va->va_ranks[by]));
		return (buf);
	}
}

static void
print_laws(FILE *out, const struct validation *va)
{
	static const char *const titles[] = { "mean error (MAPE), %",
	    "worst error, %", "bias, predicted / measured",
	    "tau of designs and locks" };
	unsigned i;

	fputc('\n', out);
	COLUMNS_ROW(out, law_columns, FORMATF("%u cells of 2 or more readers",
	    va->va_figure[VALIDATE_VIRTUAL].ag_count), "virtual", "linear",
	    "Amdahl", "USL");
	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		COLUMNS_ROW(out, law_columns, titles[i],
		    EACH(figure_of, va, i));
}

/* "locked ticket aes 2". */
static const char *
name_of(char buf[FORMAT_CELL], const struct agreement *ag)
{
	const struct validate_cell *vc = ag->ag_worst_of;
	const struct result_cell *mc;

	if (vc == NULL)
		return ("-");
	mc = vc->vc_measured;
	return (format_cell(buf, "%s %s %s %u", mc->design, mc->lock,
	    mc->cipher, mc->readers));
}

static void
print_others(FILE *out, const struct validation *va)
{
	const struct agreement *ag;
	char name[FORMAT_CELL];
	const char *title;

	fputc('\n', out);
	COLUMNS_TITLES(out, off_columns);
	for (unsigned i = VALIDATE_SATURATED; i <= VALIDATE_IDLE; i++) {
		ag = &va->va_figure[i];
		title = i == VALIDATE_IDLE ? "harvest CPU, idle" :
		    "harvest CPU, saturated";
		if (ag->ag_count == 0)
			COLUMNS_ROW(out, off_columns, title, "0", NULL, NULL,
			    "");
		else
			COLUMNS_ROW(out, off_columns, title,
			    FORMATF("%u", ag->ag_count),
			    FORMATF("%.2f", agreement_mean(ag)),
			    FORMATF("%+.2f", ag->ag_worst),
			    FORMATF(" %s", name_of(name, ag)));
	}
}

static void
print_summary(FILE *out, const struct validation *va)
{
	const struct agreement *alone = &va->va_figure[VALIDATE_ALONE];
	char name[FORMAT_CELL];

	print_laws(out, va);
	fprintf(out, "worst: %s\n", name_of(name,
	    &va->va_figure[VALIDATE_VIRTUAL]));
	if (alone->ag_count > 0)
		fprintf(out, "one reader, not judged: %u cells, mean error "
		    "%.1f %%, bias %.3f\n", alone->ag_count,
		    100 * agreement_mean(alone), agreement_bias(alone));
	print_others(out, va);
	fputc('\n', out);
	COLUMNS_TITLES(out, check_columns);
	for (const struct validate_check *vk = va->va_check;
	    vk < va->va_check + VALIDATE_TARGETS; vk++)
		COLUMNS_ROW(out, check_columns, vk->vk_descr, vk->vk_least ?
		    "least" : "most", FORMATF("%g", vk->vk_limit),
		    vk->vk_judged ? FORMATF("%.2f", vk->vk_found) : NULL,
		    !vk->vk_judged ? " nothing to judge" :
		    vk->vk_met ? " yes" : " NO");
}

static void
print_notes(FILE *out, const struct validation *va)
{
	const struct agreement *alone = &va->va_figure[VALIDATE_ALONE];
	unsigned fitted = 0, over = 0;

	for (unsigned i = 0; i < va->va_count; i++) {
		fitted += va->va_cells[i].vc_fitted;
		over += va->va_cells[i].vc_measured->oversubscribed;
	}
	putc('\n', out);
	if (va->va_gated > 0)
		fprintf(out, "!: %u cell%s failed a gate, such as drift: not "
		    "judged\n", va->va_gated, PLURAL(va->va_gated));
	if (over > 0)
		fprintf(out, "o: more readers than CPUs: not judged\n");
	if (va->va_unprofiled > 0)
		format_wrap(out, "no lock profile:", 2, "hold times were not "
		    "measured (debug.lock.prof.enable=0), so there is no "
		    "Amdahl, and no cell is saturated or idle.  Predictions "
		    "include the cost of profiling.");
	if (va->va_left_out > 0)
		fprintf(out, "left out: %u cell%s, because the simulated "
		    "machine lacks the lock or load\n", va->va_left_out,
		    PLURAL(va->va_left_out));
	if (alone->ag_count > 0 &&
	    fabs(agreement_bias(alone) - 1) > speed_changed)
		format_wrap(out, "speed:", 2, "one reader waits for no lock "
		    "and is wrong too: the machine's speed changed since it "
		    "was calibrated.  Calibrate anew.");
	format_wrap(out, "linear, Amdahl and USL:", 2, "predicted from the "
	    "cells with fewer readers.  linear: N times the total of one "
	    "reader.  Amdahl: the serial share is the share of time that one "
	    "reader holds locks.  USL: fitted to three or more numbers of "
	    "readers; with fewer it is the same as Amdahl.");
	if (fitted == 0 && va->va_unprofiled == 0)
		fprintf(out, "USL was not fitted in any cell: it is Amdahl's "
		    "law.\n");
	format_wrap(out, "tau:", 2, "(pairs predicted in the measured order - "
	    "pairs predicted in the other order) / pairs.  Pairs have the "
	    "same cipher, size and readers, 95 % intervals that do not "
	    "overlap, and differ by more than 1 %.");
}

void
validate_print(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	char machine[COMPARABLE_SIZE], workload[COMPARABLE_SIZE];
	const struct result_cell *last = NULL, *mc;

	format_wrapf(out, "", 2, "measured on %s, %u CPUs; predicted for %s",
	    measured->host.cpu_model, measured->host.cpus,
	    provenance_machine(predicted, machine));
	for (unsigned i = 0; i < va->va_count; i++, last = mc) {
		mc = va->va_cells[i].vc_measured;
		if (last == NULL || !validate_same_table(last, mc)) {
			fprintf(out, "\n%s, %s, %s\n", mc->cipher,
			    comparable_crypto(mc),
			    comparable_workload(mc, workload));
			COLUMNS_TITLES(out, cell_columns);
		}
		print_cell(out, &va->va_cells[i]);
	}
	print_summary(out, va);
	print_notes(out, va);
}
