#include <math.h>
#include <stdlib.h>

#include "bench/cell/cell.h"
#include "bench/predict/validate.h"

/* A lock is saturated when readers hold it for this share of the time. */
static const double saturated_share = 0.5;

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
	return (strcmp(name, "none") != 0 && generator_find(name) != NULL);
}

bool
validate_takes(const struct result_cell *rc)
{
	return (strcmp(rc->engine, ENGINE(real).en_name) == 0 &&
	    rc->workload[0] == '\0' && rc->rate_per_s == 0 &&
	    rc->total_mb_per_s > 0 && validate_takes_design(rc->design) &&
	    validate_takes_lock(rc->lock));
}

/* Whether they differ at most in readers. */
static bool
same_curve(const struct result_cell *a, const struct result_cell *b)
{
	return (strcmp(a->design, b->design) == 0 &&
	    strcmp(a->lock, b->lock) == 0 && validate_same_table(a, b));
}

bool
validate_same_table(const struct result_cell *a, const struct result_cell *b)
{
	return (strcmp(a->cipher, b->cipher) == 0 &&
	    strcmp(a->crypto, b->crypto) == 0 &&
	    a->request_bytes == b->request_bytes);
}

static const struct result_cell *
partner(const struct result *r, const struct result_cell *like)
{
	for (unsigned i = 0; i < r->cell_count; i++)
		if (same_curve(&r->cells[i], like) &&
		    r->cells[i].readers == like->readers)
			return (&r->cells[i]);
	return (NULL);
}

/* Hold times are known only where locks were profiled. */
static bool
profiled(const struct result_cell *rc)
{
	return (rc->lock_profile_rows > 0);
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
	return (window > 0 ? fmin(1, held / window) : 0);
}

/*
 * Predicts a cell by each law from the cells with fewer readers.
 *
 *   points  in  room for as many as the result has cells
 */
static void
apply_laws(const struct result *r, struct usl_point *points,
    struct validate_cell *vc)
{
	const struct result_cell *mc = vc->vc_measured, *one = NULL, *rc;
	struct usl_law law;
	unsigned n = 0;

	for (unsigned i = VALIDATE_LINEAR; i < VALIDATORS; i++)
		vc->vc_total[i] = NAN;
	for (rc = r->cells; rc < r->cells + r->cell_count; rc++) {
		if (!validate_takes(rc) || !same_curve(rc, mc) ||
		    rc->readers >= mc->readers)
			continue;
		if (rc->readers == 1)
			one = rc;
		points[n++] = (struct usl_point){ .up_readers = rc->readers,
		    .up_mb_per_s = rc->total_mb_per_s };
	}
	if (one == NULL)
		return;
	law = (struct usl_law){ .ul_gamma = one->total_mb_per_s };
	vc->vc_total[VALIDATE_LINEAR] = usl_at(&law, mc->readers);
	law.ul_sigma = hold_share(one);
	if (profiled(one))
		vc->vc_total[VALIDATE_AMDAHL] = usl_at(&law, mc->readers);
	vc->vc_fitted = usl_fit(points, n, &law) == 0;
	if (vc->vc_fitted || profiled(one))
		vc->vc_total[VALIDATE_USL] = usl_at(&law, mc->readers);
}

static void
pair_cells(const struct result *measured, const struct result *predicted,
    struct usl_point *points, struct validation *va)
{
	const struct result_cell *mc, *pc;
	struct validate_cell *vc;

	for (unsigned i = 0; i < measured->cell_count; i++) {
		mc = &measured->cells[i];
		pc = validate_takes(mc) ? partner(predicted, mc) : NULL;
		if (pc == NULL) {
			va->va_left_out++;
			continue;
		}
		vc = &va->va_cells[va->va_count++];
		vc->vc_measured = mc;
		vc->vc_predicted = pc;
		vc->vc_total[VALIDATE_VIRTUAL] = pc->total_mb_per_s;
		vc->vc_profiled = profiled(mc);
		vc->vc_saturated = hold_share(mc) >= saturated_share;
		vc->vc_judged = mc->readers >= 2 && mc->gate[0] == '\0' &&
		    !mc->oversubscribed;
		va->va_judged += vc->vc_judged;
		va->va_gated += mc->gate[0] != '\0';
		va->va_unprofiled += !vc->vc_profiled;
		apply_laws(measured, points, vc);
	}
}

static void
compare_cell(struct validation *va, const struct validate_cell *vc)
{
	const struct result_cell *mc = vc->vc_measured, *pc = vc->vc_predicted;
	struct agreement *ag = va->va_figure;

	if (mc->readers == 1 && mc->gate[0] == '\0')
		agreement_add(&ag[VALIDATE_ALONE], mc->total_mb_per_s,
		    pc->total_mb_per_s, true, vc);
	if (!vc->vc_judged)
		return;
	for (unsigned by = 0; by < VALIDATORS; by++)
		if (!isnan(vc->vc_total[by]))
			agreement_add(&ag[by], mc->total_mb_per_s,
			    vc->vc_total[by], true, vc);
	if (vc->vc_profiled)
		agreement_add(&ag[vc->vc_saturated ? VALIDATE_SATURATED :
		    VALIDATE_IDLE], mc->harvest.cpu_percent,
		    pc->harvest.cpu_percent, false, vc);
}

static struct agreement_value
value_of(const struct result_cell *rc)
{
	return ((struct agreement_value){ rc->total_mb_per_s_ci95[0],
	    rc->total_mb_per_s, rc->total_mb_per_s_ci95[1] });
}

static struct agreement_item
item_of(const struct validate_cell *vc, unsigned by)
{
	const double v = vc->vc_total[by];

	return ((struct agreement_item){ value_of(vc->vc_measured),
	    by == VALIDATE_VIRTUAL ? value_of(vc->vc_predicted) :
	    (struct agreement_value){ v, v, v } });
}

/* Ranks two cells, if they differ only in design and lock. */
static void
rank_pair(struct validation *va, const struct validate_cell *a,
    const struct validate_cell *b)
{
	struct agreement_item ia, ib;

	if (!a->vc_judged || !b->vc_judged ||
	    a->vc_measured->readers != b->vc_measured->readers ||
	    !validate_same_table(a->vc_measured, b->vc_measured))
		return;
	for (unsigned by = 0; by < VALIDATORS; by++) {
		if (isnan(a->vc_total[by]) || isnan(b->vc_total[by]))
			continue;
		ia = item_of(a, by);
		ib = item_of(b, by);
		agreement_rank(&ia, &ib, &va->va_ranks[by]);
	}
}

static void
check_targets(struct validation *va)
{
	const struct agreement_ranks *all = &va->va_ranks[VALIDATE_VIRTUAL];
	const struct agreement *ag = va->va_figure;
	const struct validate_check targets[VALIDATE_TARGETS] = {
		{ "throughput: mean error, %", 15, false,
		    100 * agreement_mean(&ag[VALIDATE_VIRTUAL]),
		    ag[VALIDATE_VIRTUAL].ag_count > 0, false },
		{ "ranks of designs and locks: tau", 0.8, true,
		    agreement_tau(all), all->ar_told > 0, false },
		{ "harvest CPU, saturated: mean error, points", 10, false,
		    agreement_mean(&ag[VALIDATE_SATURATED]),
		    ag[VALIDATE_SATURATED].ag_count > 0, false },
		{ "harvest CPU, idle: mean error, points", 1, false,
		    agreement_mean(&ag[VALIDATE_IDLE]),
		    ag[VALIDATE_IDLE].ag_count > 0, false },
	};

	va->va_met = va->va_judged > 0;
	memcpy(va->va_check, targets, sizeof(targets));
	for (struct validate_check *vk = va->va_check;
	    vk < va->va_check + VALIDATE_TARGETS; vk++) {
		vk->vk_met = !vk->vk_judged || (vk->vk_least ?
		    vk->vk_found >= vk->vk_limit :
		    vk->vk_found <= vk->vk_limit);
		va->va_met &= vk->vk_met;
	}
}

int
validate_make(const struct result *measured, const struct result *predicted,
    struct validation *va)
{
	const unsigned n = measured->cell_count + 1;
	struct usl_point *points = calloc(n, sizeof(*points));
	int error = ENOMEM;

	memset(va, 0, sizeof(*va));
	va->va_cells = calloc(n, sizeof(*va->va_cells));
	if (points != NULL && va->va_cells != NULL) {
		pair_cells(measured, predicted, points, va);
		for (unsigned a = 0; a < va->va_count; a++) {
			compare_cell(va, &va->va_cells[a]);
			for (unsigned b = a + 1; b < va->va_count; b++)
				rank_pair(va, &va->va_cells[a],
				    &va->va_cells[b]);
		}
		check_targets(va);
		error = va->va_count == 0 ? ENOENT : 0;
	}
	free(points);
	if (error != 0)
		validate_free(va);
	return (error);
}

void
validate_free(struct validation *va)
{
	free(va->va_cells);
	memset(va, 0, sizeof(*va));
}
