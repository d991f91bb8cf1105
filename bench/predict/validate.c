#include <math.h>
#include <stdlib.h>

#include "bench/cell/cell.h"
#include "bench/cli/memory.h"
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
	return (strcmp(name, "none") != 0 && design_find(name) != NULL);
}

bool
validate_takes(const struct result_cell *rc)
{
	return (strcmp(rc->engine, ENGINE(real).en_name) == 0 &&
	    rc->workload[0] == '\0' && rc->rate_per_s == 0 &&
	    rc->total_mb_per_s > 0 && validate_takes_design(rc->design) &&
	    validate_takes_lock(rc->lock));
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
	const struct result_cell *rc = r->cells;

	for (; rc < r->cells + r->cell_count; rc++)
		if (strcmp(rc->design, like->design) == 0 &&
		    strcmp(rc->lock, like->lock) == 0 &&
		    rc->readers == like->readers &&
		    validate_same_table(rc, like))
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
compare_cell(struct validation *va, struct validate_cell *vd)
{
	const struct result_cell *mc = vd->vd_measured, *pc = vd->vd_predicted;
	const bool profiled = mc->lock_profile_rows > 0;
	const bool gated = mc->gate[0] != '\0';

	vd->vd_judged = mc->readers >= 2 && !gated && !mc->oversubscribed;
	va->va_judged += vd->vd_judged;
	va->va_gated += gated;
	va->va_unprofiled += !profiled;
	if (vd->vd_judged || (mc->readers == 1 && !gated))
		agreement_add(vd->vd_judged ? &va->va_total : &va->va_alone,
		    mc->total_mb_per_s, pc->total_mb_per_s, true, vd);
	/* Hold times are known only where locks were profiled. */
	if (vd->vd_judged && profiled)
		agreement_add(hold_share(mc) >= saturated_share ?
		    &va->va_saturated : &va->va_idle, mc->harvest.cpu_percent,
		    pc->harvest.cpu_percent, false, vd);
}

static struct agreement_value
value_of(const struct result_cell *rc)
{
	return ((struct agreement_value){ rc->total_mb_per_s_ci95[0],
	    rc->total_mb_per_s, rc->total_mb_per_s_ci95[1] });
}

static struct agreement_item
item_of(const struct validate_cell *vd)
{
	return ((struct agreement_item){ value_of(vd->vd_measured),
	    value_of(vd->vd_predicted) });
}

/* Ranks two cells, if they differ only in design and lock. */
static void
rank_pair(struct validation *va, const struct validate_cell *a,
    const struct validate_cell *b)
{
	const struct agreement_item ia = item_of(a), ib = item_of(b);

	if (a->vd_judged && b->vd_judged &&
	    a->vd_measured->readers == b->vd_measured->readers &&
	    validate_same_table(a->vd_measured, b->vd_measured))
		agreement_rank(&ia, &ib, &va->va_ranks);
}

static void
check_targets(struct validation *va)
{
	const struct agreement_ranks *ar = &va->va_ranks;
	const struct validate_target targets[VALIDATE_TARGETS] = {
		{ "throughput: mean error, %", 15, false,
		    100 * agreement_mean(&va->va_total),
		    va->va_total.ag_count, false },
		{ "ranks of designs and locks: tau", 0.8, true,
		    agreement_tau(ar), ar->ar_told, false },
		{ "harvest CPU, saturated: mean error, points", 10, false,
		    agreement_mean(&va->va_saturated),
		    va->va_saturated.ag_count, false },
		{ "harvest CPU, idle: mean error, points", 1, false,
		    agreement_mean(&va->va_idle), va->va_idle.ag_count, false },
	};

	va->va_met = va->va_judged > 0;
	memcpy(va->va_target, targets, sizeof(targets));
	for (struct validate_target *vf = va->va_target;
	    vf < va->va_target + VALIDATE_TARGETS; vf++) {
		vf->vf_met = vf->vf_count == 0 || (vf->vf_least ?
		    vf->vf_found >= vf->vf_limit :
		    vf->vf_found <= vf->vf_limit);
		va->va_met &= vf->vf_met;
	}
}

void
validate_make(const struct result *measured, const struct result *predicted,
    struct validation *va)
{
	const struct result_cell *mc = measured->cells, *pc;
	unsigned a, b;

	memset(va, 0, sizeof(*va));
	va->va_cells = xcalloc(measured->cell_count + 1,
	    sizeof(*va->va_cells));
	for (; mc < measured->cells + measured->cell_count; mc++) {
		pc = validate_takes(mc) ? partner(predicted, mc) : NULL;
		if (pc == NULL)
			va->va_left_out++;
		else
			va->va_cells[va->va_count++] = (struct validate_cell){
			    .vd_measured = mc, .vd_predicted = pc };
	}
	for (a = 0; a < va->va_count; a++)
		compare_cell(va, &va->va_cells[a]);
	for (a = 0; a < va->va_count; a++)
		for (b = a + 1; b < va->va_count; b++)
			rank_pair(va, &va->va_cells[a], &va->va_cells[b]);
	check_targets(va);
}

void
validate_free(struct validation *va)
{
	free(va->va_cells);
	memset(va, 0, sizeof(*va));
}
