/*
 * A validation for people.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"
#include "bench/validate/validate.h"

enum { NAME_SIZE = 128, SIGNED_SIZE = 16 };

/* A bias of single readers above this is no error of the model. */
static const double speed_changed = 0.05;

/* "+3.4", "-12", "+>999": a share in percent. */
static const char *
percent(char buf[SIGNED_SIZE], double share)
{
	double v = 100 * share;

	if (fabs(v) >= 999.5)
		snprintf(buf, SIGNED_SIZE, "%c>999", v < 0 ? '-' : '+');
	else
		snprintf(buf, SIGNED_SIZE, fabs(v) >= 99.95 ? "%+.0f" :
		    "%+.1f", v);
	return (buf);
}

static const char *
error_of(const struct validate_cell *vc, enum validate_by by,
    char buf[SIGNED_SIZE])
{

	if (!vc->vc_has[by] || (by != VALIDATE_VIRTUAL &&
	    vc->vc_measured->readers < 2))
		return ("-");
	return (percent(buf, vc->vc_total[by] /
	    vc->vc_measured->total_mb_per_s - 1));
}

static void
print_cell(FILE *out, const struct validate_cell *vc)
{
	char measured[FIGURE_SIZE], predicted[FIGURE_SIZE], mark[8] = "";
	char error[VALIDATORS][SIGNED_SIZE], spread[FIGURE_SIZE];
	const struct result_cell *mc = vc->vc_measured;

	if (group_gated(mc))
		snprintf(mark, sizeof(mark), "!");
	else if (mc->oversubscribed)
		snprintf(mark, sizeof(mark), "o");
	fprintf(out, "%-11s%-12s%3u%1s%8s %6s %8s %7s %6s %6s %6s\n",
	    mc->design, mc->lock, mc->readers, mark,
	    figure_real(measured, mc->total_mb_per_s),
	    group_spread(mc, spread),
	    figure_real(predicted, vc->vc_total[VALIDATE_VIRTUAL]),
	    error_of(vc, VALIDATE_VIRTUAL, error[VALIDATE_VIRTUAL]),
	    error_of(vc, VALIDATE_LINEAR, error[VALIDATE_LINEAR]),
	    error_of(vc, VALIDATE_AMDAHL, error[VALIDATE_AMDAHL]),
	    error_of(vc, VALIDATE_USL, error[VALIDATE_USL]));
}

/* Whether two cells are of one table. */
static bool
same_table(const struct result_cell *a, const struct result_cell *b)
{

	return (strcmp(a->cipher, b->cipher) == 0 &&
	    strcmp(a->crypto, b->crypto) == 0 &&
	    a->request_bytes == b->request_bytes);
}

/* The cells of one table, those of a design and lock together. */
static void
print_table(FILE *out, const struct validation *va, unsigned first)
{
	const struct result_cell *fc = va->va_cells[first].vc_measured, *a, *b;
	char workload[GROUP_WORKLOAD_SIZE];
	unsigned i, k;

	fprintf(out, "\n%s, %s, %s\n", fc->cipher, group_crypto(fc),
	    group_workload(fc, workload));
	fprintf(out, "%-11s%-12s%3s %8s %6s %8s %7s %6s %6s %6s\n", "design",
	    "lock", "N", "MB/s", "+-%", "virtual", "error%", "linear",
	    "Amdahl", "USL");
	for (i = first; i < va->va_count; i++) {
		a = va->va_cells[i].vc_measured;
		if (!same_table(fc, a))
			continue;
		for (k = first; k < i; k++) {
			b = va->va_cells[k].vc_measured;
			if (same_table(a, b) && strcmp(a->lock, b->lock) ==
			    0 && strcmp(a->design, b->design) == 0)
				break;
		}
		if (k < i)
			continue;
		for (; k < va->va_count; k++) {
			b = va->va_cells[k].vc_measured;
			if (same_table(a, b) && strcmp(a->lock, b->lock) ==
			    0 && strcmp(a->design, b->design) == 0)
				print_cell(out, &va->va_cells[k]);
		}
	}
}

static void
print_tables(FILE *out, const struct validation *va)
{
	unsigned i, k;

	for (i = 0; i < va->va_count; i++) {
		for (k = 0; k < i; k++)
			if (same_table(va->va_cells[k].vc_measured,
			    va->va_cells[i].vc_measured))
				break;
		if (k == i)
			print_table(out, va, i);
	}
}

/* "locked ticket aes 2". */
static const char *
name_of(const struct validate_cell *vc, char buf[NAME_SIZE])
{
	const struct result_cell *mc;

	if (vc == NULL)
		return ("-");
	mc = vc->vc_measured;
	snprintf(buf, NAME_SIZE, "%s %s %s %u", mc->design, mc->lock,
	    mc->cipher, mc->readers);
	return (buf);
}

static void
print_row(FILE *out, const char *head, const struct validation *va,
    const char *(*figure)(const struct validation *va, enum validate_by by,
    char buf[SIGNED_SIZE]))
{
	char buf[SIGNED_SIZE];
	unsigned by;

	fprintf(out, "%-44s", head);
	for (by = 0; by < VALIDATORS; by++)
		fprintf(out, " %8s", va->va_error[by].ag_count == 0 ? "-" :
		    figure(va, (enum validate_by)by, buf));
	putc('\n', out);
}

static const char *
mape(const struct validation *va, enum validate_by by, char buf[SIGNED_SIZE])
{

	return (figure_percent(buf, 100 * va->va_error[by].ag_mape));
}

static const char *
worst(const struct validation *va, enum validate_by by, char buf[SIGNED_SIZE])
{

	return (percent(buf, va->va_error[by].ag_worst));
}

static const char *
bias(const struct validation *va, enum validate_by by, char buf[SIGNED_SIZE])
{

	snprintf(buf, SIGNED_SIZE, "%.3f", va->va_error[by].ag_bias);
	return (buf);
}

static const char *
tau_of(const struct agreement_ranks *ar, char buf[SIGNED_SIZE])
{

	if (ar->ar_told == 0)
		return ("-");
	snprintf(buf, SIGNED_SIZE, "%+.2f", agreement_tau(ar));
	return (buf);
}

static const char *
tau(const struct validation *va, enum validate_by by, char buf[SIGNED_SIZE])
{

	return (tau_of(&va->va_all[by], buf));
}

static void
print_ranks(FILE *out, const struct validation *va)
{
	const struct validate_ranks *vr;
	char buf[SIGNED_SIZE], head[NAME_SIZE];
	unsigned by, i;

	for (i = 0; i < va->va_rank_count; i++) {
		vr = &va->va_ranks[i];
		snprintf(head, sizeof(head), "  %u readers, %u of %u pairs "
		    "told apart", vr->vr_readers,
		    vr->vr_by[VALIDATE_VIRTUAL].ar_told,
		    vr->vr_by[VALIDATE_VIRTUAL].ar_pairs);
		fprintf(out, "%-44s", head);
		for (by = 0; by < VALIDATORS; by++)
			fprintf(out, " %8s", tau_of(&vr->vr_by[by], buf));
		putc('\n', out);
	}
}

static void
print_off(FILE *out, const char *head, const struct validate_off *vo)
{
	char name[NAME_SIZE];

	fprintf(out, "%-23s%6u", head, vo->vo_distance.ad_count);
	if (vo->vo_distance.ad_count == 0)
		fprintf(out, "%8s%8s\n", "-", "-");
	else
		fprintf(out, "%8.2f%+8.2f  %s\n", vo->vo_distance.ad_mean,
		    vo->vo_distance.ad_worst, name_of(vo->vo_worst, name));
}

static void
print_summary(FILE *out, const struct validation *va)
{
	char head[NAME_SIZE], name[NAME_SIZE];

	snprintf(head, sizeof(head), "%u cells of 2 or more readers",
	    va->va_error[VALIDATE_VIRTUAL].ag_count);
	fprintf(out, "\n%-44s %8s %8s %8s %8s\n", head, "virtual", "linear",
	    "Amdahl", "USL");
	print_row(out, "mean error (MAPE), %", va, mape);
	print_row(out, "worst error, %", va, worst);
	print_row(out, "bias, predicted / measured", va, bias);
	print_row(out, "tau of designs and locks", va, tau);
	print_ranks(out, va);
	fprintf(out, "worst: %s\n", name_of(va->va_worst[VALIDATE_VIRTUAL],
	    name));
	if (va->va_alone.ag_count > 0)
		fprintf(out, "one reader, not judged: %u cells, mean error "
		    "%.1f %%, bias %.3f\n", va->va_alone.ag_count,
		    100 * va->va_alone.ag_mape, va->va_alone.ag_bias);
	fprintf(out, "\n%-23s%6s%8s%8s  %s\n", "virtual", "cells", "mean",
	    "worst", "where");
	print_off(out, "harvest CPU, saturated", &va->va_saturated);
	print_off(out, "harvest CPU, idle", &va->va_idle);
	print_off(out, "p50 latency, octaves", &va->va_p50);
	print_off(out, "p99 latency, octaves", &va->va_p99);
}

static void
print_checks(FILE *out, const struct validation *va)
{
	const struct validate_check *vk;
	unsigned i;

	fprintf(out, "\n%-44s %10s %8s  %s\n", "target", "", "found", "met");
	for (i = 0; i < VALIDATE_TARGETS; i++) {
		vk = &va->va_check[i];
		fprintf(out, "%-44s %5s %4g ", vk->vk_descr, vk->vk_least ?
		    "least" : "most", vk->vk_limit);
		if (vk->vk_judged)
			fprintf(out, "%8.2f  %s\n", vk->vk_found,
			    vk->vk_met ? "yes" : "NO");
		else
			fprintf(out, "%8s  %s\n", "-", "nothing to judge");
	}
}

static void
print_notes(FILE *out, const struct validation *va)
{
	unsigned fitted = 0, i, over = 0;

	for (i = 0; i < va->va_count; i++) {
		fitted += va->va_cells[i].vc_fitted;
		over += va->va_cells[i].vc_measured->oversubscribed;
	}
	putc('\n', out);
	if (va->va_gated > 0)
		fprintf(out, "!: %u cell%s failed a gate, as drift, and %s "
		    "not judged\n", va->va_gated, va->va_gated == 1 ? "" :
		    "s", va->va_gated == 1 ? "is" : "are");
	if (over > 0)
		fprintf(out, "o: more readers than CPUs: not judged\n");
	if (va->va_unprofiled > 0)
		figure_wrap(out, "no lock profile:", 2, "how long locks were "
		    "held was not measured (debug.lock.prof.enable=0): no "
		    "Amdahl, no saturated or idle cells; predictions have "
		    "what profiling costs.");
	if (va->va_left_out > 0)
		fprintf(out, "left out, as the simulated machine lacks their "
		    "lock or load: %u cell%s\n", va->va_left_out,
		    va->va_left_out == 1 ? "" : "s");
	if (va->va_alone.ag_count > 0 &&
	    fabs(va->va_alone.ag_bias - 1) > speed_changed)
		figure_wrap(out, "speed:", 2, "one reader alone, who waits for "
		    "nobody, is off already: this machine runs at another "
		    "speed than when it was calibrated. Calibrate anew.");
	figure_wrap(out, "linear, Amdahl and USL:", 2, "predicted from the "
	    "cells with fewer readers: N times one reader's total; with the "
	    "time that reader holds locks as the serial share; the law fitted "
	    "where three numbers of readers are there, else as Amdahl's.");
	if (fitted == 0 && va->va_unprofiled == 0)
		fprintf(out, "USL was fitted nowhere here: it is Amdahl's "
		    "law.\n");
	figure_wrap(out, "tau:", 2, "over pairs of one cipher, size and "
	    "number of readers whose 95 % intervals do not overlap and that "
	    "differ by more than 1 %: predicted in the order measured, less "
	    "in the other, over all.");
}

void
validate_print_table(FILE *out, const struct validation *va,
    const struct result *measured, const struct result *predicted)
{
	char machine[CLAIM_SIZE], text[3 * CLAIM_SIZE];

	snprintf(text, sizeof(text), "measured on %s, %u CPUs; predicted for "
	    "%s", measured->host.cpu_model, measured->host.cpus,
	    claim_machine(predicted, machine));
	figure_wrap(out, "", 2, text);
	print_tables(out, va);
	print_summary(out, va);
	print_checks(out, va);
	print_notes(out, va);
}
