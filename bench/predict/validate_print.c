/*
 * A validation as a table.
 */
#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/predict/validate.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

/* A larger bias of single readers is a change of the machine's speed. */
static const double speed_changed = 0.05;

static const struct column cell_columns[] = {
	{ "design", -12 }, { "lock", -12 }, { "N ", 5 }, { "MB/s", 8 },
	{ "+-%", 6 }, { "virtual", 8 }, { "error%", 7 }
};

static const struct column target_columns[] = {
	{ "target", -44 }, { "", 5 }, { "", 4 }, { "found", 8 }, { "of", 5 },
	{ " met", 0 }
};

static void
print_cell(FILE *out, const struct validate_cell *vd)
{
	const struct result_cell *mc = vd->vd_measured;
	const double predicted = vd->vd_predicted->total_mb_per_s;
	char spread[FORMAT_SIZE];

	COLUMNS_ROW(out, cell_columns, mc->design, mc->lock,
	    FORMATF("%u%s", mc->readers, comparable_gated(mc) ? "!" :
	    mc->oversubscribed ? "o" : " "),
	    FORMAT(real, mc->total_mb_per_s), comparable_spread(mc, spread),
	    FORMAT(real, predicted),
	    FORMAT(change, predicted / mc->total_mb_per_s - 1));
}

/* The largest error of a figure, and its cell: "locked ticket aes 2". */
static void
add_worst(struct text *t, const char *figure, const char *worst,
    const struct agreement *ag)
{
	const struct validate_cell *vd = ag->ag_worst_of;
	const struct result_cell *mc;

	if (vd == NULL)
		return;
	mc = vd->vd_measured;
	text_list(t, "%s %s (%s %s %s %u)", figure, worst, mc->design,
	    mc->lock, mc->cipher, mc->readers);
}

static void
print_targets(FILE *out, const struct validation *va)
{
	const struct agreement *alone = &va->va_alone;
	struct text worst = { .s = "" };

	fputc('\n', out);
	COLUMNS_TITLES(out, target_columns);
	for (const struct validate_target *vf = va->va_target;
	    vf < va->va_target + VALIDATE_TARGETS; vf++)
		COLUMNS_ROW(out, target_columns, vf->vf_descr, vf->vf_least ?
		    "least" : "most", FORMATF("%g", vf->vf_limit),
		    vf->vf_count > 0 ? FORMATF("%.2f", vf->vf_found) : NULL,
		    FORMATF("%u", vf->vf_count), vf->vf_count == 0 ?
		    " nothing to judge" : vf->vf_met ? " yes" : " NO");
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
	if (alone->ag_count > 0)
		fprintf(out, "one reader, not judged: %u cells, mean error "
		    "%.1f %%, bias %.3f\n", alone->ag_count,
		    100 * agreement_mean(alone), agreement_bias(alone));
}

static void
print_notes(FILE *out, const struct validation *va)
{
	const struct agreement *alone = &va->va_alone;
	unsigned over = 0;

	for (unsigned i = 0; i < va->va_count; i++)
		over += va->va_cells[i].vd_measured->oversubscribed;
	putc('\n', out);
	if (va->va_gated > 0)
		fprintf(out, "!: %u cell%s failed a gate, such as drift: not "
		    "judged\n", va->va_gated, PLURAL(va->va_gated));
	if (over > 0)
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
	if (alone->ag_count > 0 &&
	    fabs(agreement_bias(alone) - 1) > speed_changed)
		format_wrap(out, "speed:", 2, "one reader waits for no lock "
		    "and is wrong too: the machine's speed changed since it "
		    "was calibrated.  Calibrate anew.");
	format_wrap(out, "tau:", 2, "(pairs predicted in the measured order - "
	    "pairs predicted in the other order) / pairs.  Pairs have the "
	    "same cipher, size and readers, 95 % intervals that do not "
	    "overlap, and differ by more than 1 %.");
}

void
validate_print(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	const struct result_cell *last = NULL, *mc;
	struct text head = { .s = "" };

	text_add(&head, "measured on %s, %u CPUs; predicted for ",
	    measured->host.cpu_model, measured->host.cpus);
	provenance_machine(&head, predicted);
	format_wrap(out, "", 2, head.s);
	for (unsigned i = 0; i < va->va_count; i++, last = mc) {
		mc = va->va_cells[i].vd_measured;
		if (last == NULL || !validate_same_table(last, mc)) {
			head.s[0] = '\0';
			describe_part(&head, mc, PART_CIPHER);
			describe_part(&head, mc, PART_CRYPTO);
			describe_part(&head, mc, PART_LOAD);
			fprintf(out, "\n%s\n", head.s);
			COLUMNS_TITLES(out, cell_columns);
		}
		print_cell(out, &va->va_cells[i]);
	}
	print_targets(out, va);
	print_notes(out, va);
}
