/*
 * A validation as a table and as JSON.
 */
#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/predict/validate.h"
#include "bench/report/comparable.h"
#include "bench/result/json_text.h"

enum { JSON_DIGITS = 12 };

/* A larger bias of single readers is a change of the machine's speed. */
static const double speed_changed = 0.05;

static const char *const names[VALIDATORS] = {
	[VALIDATE_VIRTUAL] = "virtual",
	[VALIDATE_LINEAR] = "linear",
	[VALIDATE_AMDAHL] = "amdahl",
	[VALIDATE_USL] = "usl",
};

/* Figures other than totals: in the table, and the key in the document. */
static const struct {
	enum validate_figure figure;
	const char	*title;
	const char	*key;
} others[] = {
	{ VALIDATE_SATURATED, "harvest CPU, saturated",
	    "harvest_saturated_points" },
	{ VALIDATE_IDLE, "harvest CPU, idle", "harvest_idle_points" },
	{ VALIDATE_P50, "p50 latency, octaves", "latency_p50_octaves" },
	{ VALIDATE_P99, "p99 latency, octaves", "latency_p99_octaves" },
};

enum { OTHERS = sizeof(others) / sizeof(others[0]) };

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

/* Whether no earlier cell is the same in that respect. */
static bool
is_first(const struct validation *va, unsigned i,
    bool (*same)(const struct result_cell *a, const struct result_cell *b))
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (same(va->va_cells[k].vc_measured,
		    va->va_cells[i].vc_measured))
			return (false);
	return (true);
}

/* One table, the cells of a design and lock together. */
static void
print_table(FILE *out, const struct validation *va, unsigned first)
{
	const struct result_cell *fc = va->va_cells[first].vc_measured, *rc;
	char workload[COMPARABLE_SIZE];
	unsigned i, k;

	fprintf(out, "\n%s, %s, %s\n", fc->cipher, comparable_crypto(fc),
	    comparable_workload(fc, workload));
	COLUMNS_TITLES(out, cell_columns);
	for (i = first; i < va->va_count; i++) {
		rc = va->va_cells[i].vc_measured;
		if (!validate_same_table(rc, fc) ||
		    !is_first(va, i, validate_same_curve))
			continue;
		for (k = i; k < va->va_count; k++)
			if (validate_same_curve(va->va_cells[k].vc_measured,
			    rc))
				print_cell(out, &va->va_cells[k]);
	}
}

static const char *
tau_of(char buf[32], const struct agreement_ranks *ranks, enum validate_by by)
{

	if (ranks[by].ar_told == 0)
		return (NULL);
	snprintf(buf, 32, "%+.2f", agreement_tau(&ranks[by]));
	return (buf);
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
		return (tau_of(buf, va->va_all, by));
	}
}

static void
print_laws(FILE *out, const struct validation *va)
{
	static const char *const titles[] = { "mean error (MAPE), %",
	    "worst error, %", "bias, predicted / measured",
	    "tau of designs and locks" };
	const struct validate_ranks *vr;
	unsigned i;

	fputc('\n', out);
	COLUMNS_ROW(out, law_columns, FORMATF("%u cells of 2 or more readers",
	    va->va_figure[VALIDATE_VIRTUAL].ag_count), "virtual", "linear",
	    "Amdahl", "USL");
	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		COLUMNS_ROW(out, law_columns, titles[i],
		    EACH(figure_of, va, i));
	for (i = 0; i < va->va_rank_count; i++) {
		vr = &va->va_ranks[i];
		COLUMNS_ROW(out, law_columns,
		    FORMATF("  %u readers, %u of %u pairs ordered",
		    vr->vr_readers, vr->vr_by[VALIDATE_VIRTUAL].ar_told,
		    vr->vr_by[VALIDATE_VIRTUAL].ar_pairs),
		    EACH(tau_of, vr->vr_by));
	}
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
	unsigned i;

	fputc('\n', out);
	COLUMNS_TITLES(out, off_columns);
	for (i = 0; i < OTHERS; i++) {
		ag = &va->va_figure[others[i].figure];
		if (ag->ag_count == 0)
			COLUMNS_ROW(out, off_columns, others[i].title, "0",
			    NULL, NULL, "");
		else
			COLUMNS_ROW(out, off_columns, others[i].title,
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
	const struct validate_check *vk;
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
	for (vk = va->va_check; vk < va->va_check + VALIDATE_TARGETS; vk++)
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
	unsigned fitted = 0, i, over = 0;

	for (i = 0; i < va->va_count; i++) {
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
validate_print_table(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	char machine[COMPARABLE_SIZE];
	unsigned i;

	format_wrapf(out, "", 2, "measured on %s, %u CPUs; predicted for %s",
	    measured->host.cpu_model, measured->host.cpus,
	    provenance_machine(predicted, machine));
	for (i = 0; i < va->va_count; i++)
		if (is_first(va, i, validate_same_table))
			print_table(out, va, i);
	print_summary(out, va);
	print_notes(out, va);
}

/* The compared figures of a cell. */
static json_t *
side_json(const struct result_cell *rc)
{

	return (json_pack("{s:f, s:[f, f], s:f, s:f, s:f}",
	    "total_mb_per_s", rc->total_mb_per_s, "total_mb_per_s_ci95",
	    rc->total_mb_per_s_ci95[0], rc->total_mb_per_s_ci95[1],
	    "harvest_cpu_percent", rc->harvest.cpu_percent,
	    "latency_p50_ns", rc->latency_ns.p50,
	    "latency_p99_ns", rc->latency_ns.p99));
}

static json_t *
cell_json(const void *of, unsigned i)
{
	const struct validate_cell *vc = (const struct validate_cell *)of + i;
	const struct result_cell *mc = vc->vc_measured;
	json_t *laws = json_object();
	unsigned by;

	for (by = VALIDATE_LINEAR; by < VALIDATORS; by++)
		if (!isnan(vc->vc_total[by]))
			json_object_set_new(laws, names[by],
			    json_real(vc->vc_total[by]));
	return (json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:b, s:b, s:o, "
	    "s:o, s:o, s:o, s:f, s:o, s:b}",
	    "design", mc->design, "lock", mc->lock, "cipher", mc->cipher,
	    "crypto", mc->crypto, "readers", (int)mc->readers,
	    "request_bytes", (json_int_t)mc->request_bytes,
	    "gate", mc->gate, "oversubscribed", mc->oversubscribed,
	    "judged", vc->vc_judged, "hold_share", vc->vc_profiled ?
	    json_real(vc->vc_busy) : json_null(),
	    "saturated", vc->vc_profiled ? json_boolean(vc->vc_saturated) :
	    json_null(),
	    "measured", side_json(mc), "predicted", side_json(vc->vc_predicted),
	    "error", vc->vc_total[VALIDATE_VIRTUAL] / mc->total_mb_per_s - 1,
	    "laws_mb_per_s", laws, "usl_fitted", vc->vc_fitted));
}

static json_t *
worst_json(const struct agreement *ag)
{
	const struct validate_cell *vc = ag->ag_worst_of;
	const struct result_cell *mc;

	if (vc == NULL)
		return (json_null());
	mc = vc->vc_measured;
	return (json_pack("{s:s, s:s, s:s, s:i, s:I}", "design", mc->design,
	    "lock", mc->lock, "cipher", mc->cipher, "readers",
	    (int)mc->readers, "request_bytes", (json_int_t)mc->request_bytes));
}

static json_t *
ranks_json(const struct agreement_ranks *ar)
{

	return (json_pack("{s:i, s:i, s:o}", "pairs", (int)ar->ar_pairs,
	    "told_apart", (int)ar->ar_told, "tau", ar->ar_told == 0 ?
	    json_null() : json_real(agreement_tau(ar))));
}

static json_t *
readers_json(const void *of, unsigned i)
{
	const struct validate_ranks *vr = (const struct validate_ranks *)of + i;
	json_t *row = json_pack("{s:i}", "readers", (int)vr->vr_readers);
	unsigned by;

	for (by = 0; by < VALIDATORS; by++)
		json_object_set_new(row, names[by],
		    ranks_json(&vr->vr_by[by]));
	return (row);
}

static json_t *
check_json(const void *of, unsigned i)
{
	const struct validate_check *vk = (const struct validate_check *)of + i;

	return (json_pack("{s:s, s:f, s:b, s:o, s:o}", "name", vk->vk_name,
	    "limit", vk->vk_limit, "least", vk->vk_least,
	    "found", vk->vk_judged ? json_real(vk->vk_found) : json_null(),
	    "met", vk->vk_judged ? json_boolean(vk->vk_met) : json_null()));
}

static json_t *
summary_json(const struct validation *va)
{
	const struct agreement *ag, *alone = &va->va_figure[VALIDATE_ALONE];
	json_t *root = json_object();
	unsigned by, i;

	for (by = 0; by < VALIDATORS; by++) {
		ag = &va->va_figure[by];
		json_object_set_new(root, names[by],
		    json_pack("{s:i, s:f, s:f, s:o, s:f, s:o}",
		    "cells", (int)ag->ag_count,
		    "mape_percent", 100 * agreement_mean(ag),
		    "worst_percent", 100 * ag->ag_worst,
		    "worst_cell", worst_json(ag), "bias", agreement_bias(ag),
		    "ranks", ranks_json(&va->va_all[by])));
	}
	for (i = 0; i < OTHERS; i++) {
		ag = &va->va_figure[others[i].figure];
		json_object_set_new(root, others[i].key,
		    json_pack("{s:i, s:f, s:f, s:o}",
		    "cells", (int)ag->ag_count, "mean", agreement_mean(ag),
		    "worst", ag->ag_worst, "worst_cell", worst_json(ag)));
	}
	json_object_update_new(root, json_pack("{s:{s:i, s:f, s:f}, s:o, s:i, "
	    "s:i, s:i, s:o, s:b}",
	    "one_reader", "cells", (int)alone->ag_count,
	    "mape_percent", 100 * agreement_mean(alone),
	    "bias", agreement_bias(alone),
	    "ranks", json_list(va->va_rank_count, readers_json,
	    va->va_ranks),
	    "judged", (int)va->va_judged, "gated", (int)va->va_gated,
	    "left_out", (int)va->va_left_out,
	    "targets", json_list(VALIDATE_TARGETS, check_json,
	    va->va_check),
	    "met", va->va_met));
	return (root);
}

char *
validate_format_json(const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	const struct result_cell *pc = &predicted->cells[0];

	return (json_document(json_pack("{s:s, s:s, s:s, s:s, s:f, s:I, s:o, "
	    "s:o}", "schema", "rngsim-validate/1",
	    "host", measured->host.cpu_model, "measured", measured->started,
	    "profile", pc->profile, "guessed_share", pc->guessed_share,
	    "seed", (json_int_t)predicted->seed,
	    "summary", summary_json(va), "cells", json_list(va->va_count,
	    cell_json, va->va_cells)), JSON_INDENT(1) |
	    JSON_REAL_PRECISION(JSON_DIGITS)));
}
