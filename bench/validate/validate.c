#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/cell.h"
#include "bench/statistics/usl_fit.h"
#include "bench/validate/validate.h"
#include "fortuna/generator.h"
#include "lib/kassert.h"

/* From this share on, held by readers, a lock makes others wait. */
static const double saturated_share = 0.5;

const char *const validate_names[VALIDATORS] = {
	[VALIDATE_VIRTUAL] = "virtual",
	[VALIDATE_LINEAR] = "linear",
	[VALIDATE_AMDAHL] = "amdahl",
	[VALIDATE_USL] = "usl",
};

static const struct validate_check targets[VALIDATE_TARGETS] = {
	[VALIDATE_MAPE] = { .vk_name = "mape_percent",
	    .vk_descr = "throughput: mean error, %", .vk_limit = 15 },
	[VALIDATE_TAU] = { .vk_name = "tau",
	    .vk_descr = "ranks of designs and locks: tau", .vk_limit = 0.8,
	    .vk_least = true },
	[VALIDATE_SATURATED] = { .vk_name = "harvest_saturated_points",
	    .vk_descr = "harvest CPU, saturated: mean error, points",
	    .vk_limit = 10 },
	[VALIDATE_IDLE] = { .vk_name = "harvest_idle_points",
	    .vk_descr = "harvest CPU, idle: mean error, points",
	    .vk_limit = 1 },
};

bool
validate_takes_lock(const char *name)
{

	return (strcmp(name, "none") != 0 &&
	    ENGINE(real).en_lock_find(name) != NULL &&
	    ENGINE(virtual).en_lock_find(name) != NULL);
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

/* The same but for the readers. */
static bool
same_curve(const struct result_cell *a, const struct result_cell *b)
{

	return (strcmp(a->design, b->design) == 0 &&
	    strcmp(a->lock, b->lock) == 0 &&
	    strcmp(a->cipher, b->cipher) == 0 &&
	    strcmp(a->crypto, b->crypto) == 0 &&
	    a->request_bytes == b->request_bytes);
}

static const struct result_cell *
partner(const struct result *r, const struct result_cell *like)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++)
		if (same_curve(&r->cells[i], like) &&
		    r->cells[i].readers == like->readers)
			return (&r->cells[i]);
	return (NULL);
}

/* Without a profile of locks nothing is known of how long they were held. */
static bool
profiled(const struct result_cell *rc)
{

	return (rc->lock_profile_rows > 0);
}

/*
 * The share of the time that readers hold the lock that all of a design's
 * requests take.
 */
static double
hold_share(const struct result_cell *rc)
{
	double held = 0, window = 0;
	unsigned i;

	for (i = 0; i < rc->lock_profile_rows; i++)
		if (strcmp(rc->lock_profile[i].role, "reader") == 0)
			held += rc->lock_profile[i].hold_total_ns;
	for (i = 0; i < rc->repeats; i++)
		window += rc->samples[i].window_s * 1e9;
	return (window > 0 ? fmin(1, held / window) : 0);
}

/* What the laws make of the cells with fewer readers. */
static int
apply_laws(const struct result *r, struct validate_cell *vc)
{
	const struct result_cell *mc = vc->vc_measured, *one = NULL, *rc;
	struct usl_point *points;
	struct usl_law law;
	double *scratch;
	unsigned i, n = 0;

	points = calloc(r->cell_count, sizeof(*points));
	scratch = calloc((size_t)r->cell_count * USL_COLUMNS, sizeof(*scratch));
	if (points == NULL || scratch == NULL) {
		free(points);
		free(scratch);
		return (ENOMEM);
	}
	for (i = 0; i < r->cell_count; i++) {
		rc = &r->cells[i];
		if (!validate_takes(rc) || !same_curve(rc, mc) ||
		    rc->readers >= mc->readers)
			continue;
		if (rc->readers == 1)
			one = rc;
		points[n++] = (struct usl_point){ .up_readers = rc->readers,
		    .up_mb_per_s = rc->total_mb_per_s, .up_weight = 1 };
	}
	if (one != NULL) {
		law = (struct usl_law){ .ul_gamma = one->total_mb_per_s };
		vc->vc_has[VALIDATE_LINEAR] = true;
		vc->vc_total[VALIDATE_LINEAR] = usl_at(&law, mc->readers);
		law.ul_sigma = hold_share(one);
		vc->vc_has[VALIDATE_AMDAHL] = profiled(one);
		vc->vc_total[VALIDATE_AMDAHL] = usl_at(&law, mc->readers);
		vc->vc_fitted = usl_fit(points, n, scratch, &law) == 0;
		vc->vc_has[VALIDATE_USL] = vc->vc_fitted || profiled(one);
		vc->vc_total[VALIDATE_USL] = usl_at(&law, mc->readers);
	}
	free(points);
	free(scratch);
	return (0);
}

static int
pair_cells(const struct result *measured, const struct result *predicted,
    struct validation *va)
{
	const struct result_cell *mc, *pc;
	struct validate_cell *vc;
	unsigned i;
	int error = 0;

	for (i = 0; i < measured->cell_count && error == 0; i++) {
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
		vc->vc_has[VALIDATE_VIRTUAL] = true;
		vc->vc_profiled = profiled(mc);
		vc->vc_busy = hold_share(mc);
		vc->vc_saturated = vc->vc_busy >= saturated_share;
		vc->vc_judged = mc->readers >= 2 && mc->gate[0] == '\0' &&
		    !mc->oversubscribed;
		va->va_judged += vc->vc_judged;
		va->va_gated += mc->gate[0] != '\0';
		va->va_unprofiled += !vc->vc_profiled;
		error = apply_laws(measured, vc);
	}
	return (error != 0 ? error : va->va_count == 0 ? ENOENT : 0);
}

/* Room for one number of each cell, for two sides. */
struct columns {
	double		*co_measured;
	double		*co_predicted;
	const struct validate_cell **co_cell;
	unsigned	 co_count;
};

static void
put(struct columns *co, const struct validate_cell *vc, double measured,
    double predicted)
{

	co->co_measured[co->co_count] = measured;
	co->co_predicted[co->co_count] = predicted;
	co->co_cell[co->co_count++] = vc;
}

static void
judge_totals(struct validation *va, struct columns *co)
{
	const struct validate_cell *vc;
	unsigned by, i;

	for (by = 0; by < VALIDATORS; by++) {
		co->co_count = 0;
		for (i = 0; i < va->va_count; i++) {
			vc = &va->va_cells[i];
			if (vc->vc_judged && vc->vc_has[by])
				put(co, vc, vc->vc_measured->total_mb_per_s,
				    vc->vc_total[by]);
		}
		agreement_of(co->co_measured, co->co_predicted, co->co_count,
		    &va->va_error[by]);
		va->va_worst[by] = co->co_count == 0 ? NULL :
		    co->co_cell[va->va_error[by].ag_worst_at];
	}
	co->co_count = 0;
	for (i = 0; i < va->va_count; i++) {
		vc = &va->va_cells[i];
		if (vc->vc_measured->readers == 1 &&
		    vc->vc_measured->gate[0] == '\0')
			put(co, vc, vc->vc_measured->total_mb_per_s,
			    vc->vc_total[VALIDATE_VIRTUAL]);
	}
	agreement_of(co->co_measured, co->co_predicted, co->co_count,
	    &va->va_alone);
}

static void
judge_off(const struct columns *co, struct validate_off *vo)
{

	agreement_distance(co->co_measured, co->co_predicted, co->co_count,
	    &vo->vo_distance);
	vo->vo_worst = co->co_count == 0 ? NULL :
	    co->co_cell[vo->vo_distance.ad_worst_at];
}

static void
judge_harvest(struct validation *va, struct columns *co, bool saturated,
    struct validate_off *vo)
{
	const struct validate_cell *vc;
	unsigned i;

	co->co_count = 0;
	for (i = 0; i < va->va_count; i++) {
		vc = &va->va_cells[i];
		if (vc->vc_judged && vc->vc_profiled &&
		    vc->vc_saturated == saturated)
			put(co, vc, vc->vc_measured->harvest.cpu_percent,
			    vc->vc_predicted->harvest.cpu_percent);
	}
	judge_off(co, vo);
}

/* Of latencies below a ns nothing is known. */
static double
octaves(double ns)
{

	return (log2(fmax(1, ns)));
}

static void
judge_latency(struct validation *va, struct columns *co)
{
	const struct result_latency *m, *p;
	const struct validate_cell *vc;
	unsigned i, tail;

	for (tail = 0; tail < 2; tail++) {
		co->co_count = 0;
		for (i = 0; i < va->va_count; i++) {
			vc = &va->va_cells[i];
			m = &vc->vc_measured->latency_ns;
			p = &vc->vc_predicted->latency_ns;
			if (vc->vc_judged)
				put(co, vc, octaves(tail ? m->p99 : m->p50),
				    octaves(tail ? p->p99 : p->p50));
		}
		judge_off(co, tail ? &va->va_p99 : &va->va_p50);
	}
}

static struct agreement_value
value_of(const struct result_cell *rc)
{

	return ((struct agreement_value){ rc->total_mb_per_s_ci95[0],
	    rc->total_mb_per_s, rc->total_mb_per_s_ci95[1] });
}

/* Cells like the first but for design and lock. */
static void
rank_group(struct validation *va, const struct validate_cell *first,
    struct agreement_item *items, struct validate_ranks *vr)
{
	const struct result_cell *fc = first->vc_measured, *mc;
	const struct validate_cell *vc;
	unsigned by, i, n, seen;

	for (by = 0; by < VALIDATORS; by++) {
		n = 0;
		seen = 0;
		for (i = 0; i < va->va_count; i++) {
			vc = &va->va_cells[i];
			mc = vc->vc_measured;
			if (!vc->vc_judged || mc->readers != fc->readers ||
			    mc->request_bytes != fc->request_bytes ||
			    strcmp(mc->cipher, fc->cipher) != 0 ||
			    strcmp(mc->crypto, fc->crypto) != 0)
				continue;
			/* The group's first stands for it. */
			if (seen++ == 0 && vc != first)
				return;
			if (!vc->vc_has[by])
				continue;
			items[n].ai_measured = value_of(mc);
			items[n].ai_predicted = (struct agreement_value){
			    vc->vc_total[by], vc->vc_total[by],
			    vc->vc_total[by] };
			if (by == VALIDATE_VIRTUAL)
				items[n].ai_predicted =
				    value_of(vc->vc_predicted);
			n++;
		}
		agreement_rank(items, n, &vr->vr_by[by]);
		agreement_rank(items, n, &va->va_all[by]);
	}
}

static struct validate_ranks *
ranks_for(struct validation *va, unsigned readers)
{
	struct validate_ranks *vr = va->va_ranks;
	unsigned at, i;

	for (at = 0; at < va->va_rank_count && vr[at].vr_readers < readers;
	    at++)
		;
	if (at == va->va_rank_count || vr[at].vr_readers != readers) {
		for (i = va->va_rank_count++; i > at; i--)
			vr[i] = vr[i - 1];
		vr[at] = (struct validate_ranks){ .vr_readers = readers };
	}
	return (&vr[at]);
}

static int
judge_ranks(struct validation *va)
{
	struct agreement_item *items = calloc(va->va_count, sizeof(*items));
	const struct validate_cell *vc;
	unsigned i;

	va->va_ranks = calloc(va->va_count, sizeof(*va->va_ranks));
	if (items == NULL || va->va_ranks == NULL) {
		free(items);
		return (ENOMEM);
	}
	for (i = 0; i < va->va_count; i++) {
		vc = &va->va_cells[i];
		if (vc->vc_judged)
			rank_group(va, vc, items, ranks_for(va,
			    vc->vc_measured->readers));
	}
	free(items);
	return (0);
}

static void
check(struct validation *va, enum validate_target which, bool judged,
    double found)
{
	struct validate_check *vk = &va->va_check[which];

	*vk = targets[which];
	vk->vk_judged = judged;
	vk->vk_found = found;
	vk->vk_met = !judged || (vk->vk_least ? found >= vk->vk_limit :
	    found <= vk->vk_limit);
	va->va_met &= vk->vk_met;
}

static void
check_targets(struct validation *va)
{
	const struct agreement_ranks *all = &va->va_all[VALIDATE_VIRTUAL];

	va->va_met = va->va_judged > 0;
	check(va, VALIDATE_MAPE, va->va_error[VALIDATE_VIRTUAL].ag_count > 0,
	    100 * va->va_error[VALIDATE_VIRTUAL].ag_mape);
	check(va, VALIDATE_TAU, all->ar_told > 0, agreement_tau(all));
	check(va, VALIDATE_SATURATED,
	    va->va_saturated.vo_distance.ad_count > 0,
	    va->va_saturated.vo_distance.ad_mean);
	check(va, VALIDATE_IDLE, va->va_idle.vo_distance.ad_count > 0,
	    va->va_idle.vo_distance.ad_mean);
}

int
validate_make(const struct result *measured, const struct result *predicted,
    struct validation *va)
{
	unsigned n = measured->cell_count + 1;
	struct columns co;
	int error;

	memset(va, 0, sizeof(*va));
	va->va_cells = calloc(n, sizeof(*va->va_cells));
	co.co_measured = calloc(n, sizeof(*co.co_measured));
	co.co_predicted = calloc(n, sizeof(*co.co_predicted));
	co.co_cell = calloc(n, sizeof(*co.co_cell));
	error = va->va_cells == NULL || co.co_measured == NULL ||
	    co.co_predicted == NULL || co.co_cell == NULL ? ENOMEM :
	    pair_cells(measured, predicted, va);
	if (error == 0)
		error = judge_ranks(va);
	if (error == 0) {
		judge_totals(va, &co);
		judge_harvest(va, &co, true, &va->va_saturated);
		judge_harvest(va, &co, false, &va->va_idle);
		judge_latency(va, &co);
		check_targets(va);
	}
	free(co.co_measured);
	free(co.co_predicted);
	free(co.co_cell);
	if (error != 0)
		validate_free(va);
	return (error);
}

void
validate_free(struct validation *va)
{

	free(va->va_cells);
	free(va->va_ranks);
	memset(va, 0, sizeof(*va));
}
