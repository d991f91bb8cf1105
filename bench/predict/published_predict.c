/* Chooses the rows of a file that a machine can be asked for; predicts them. */
#include <gsl/gsl_cdf.h>

#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/predict/published.h"
#include "bench/stats/stats.h"
#include "bench/sweep/pool.h"

enum {
	/* Acquisitions of a window, of each thread: it is longer if need be. */
	LEAST_EACH	= 6,
	LEAST		= 400
};

static const double warmup_share = 0.25;	/* of the window */
static const double alike = 0.01;	/* rates of queues that do the same */

/* Takes an entry of --map: simulated kinds of locks, of a ratio A/B both. */
static int
map_lock(struct published *pb, const char *name, const char *text)
{
	const unsigned ratio = pb->pb_unit != NULL && pb->pb_unit->ub_ratio;
	char kind[PUBLISHED_NAME_SIZE];
	const struct lock_class *lc[2] = { NULL };
	char *over = kind, *one;

	TEXT_SET(kind, text);
	for (unsigned i = 0; over != NULL; i++) {
		one = strsep(&over, "/");
		if (i == 1 + ratio || (over == NULL && i < ratio))
			return (usage_error("--map: \"%s=%s\": expected %s",
			    name, text, ratio ? "A/B, as values are ratios" :
			    "one lock, as values are no ratios"));
		if ((lc[i] = ENGINE(virtual).en_lock_find(one)) == NULL)
			return (usage_error("--map: \"%s\": expected one of %s",
			    one, TEXT_OF(family_join, &family_simulated_locks,
			    0, NULL)));
	}
	for (unsigned i = 0; i < pb->pb_locks.nm_count; i++)
		if (strcmp(pb->pb_locks.nm_name[i], name) == 0) {
			if (pb->pb_kind[i][0] != NULL)
				return (usage_error("--map: \"%s\" is named "
				    "twice", name));
			memcpy(pb->pb_kind[i], lc, sizeof(lc));
			TEXT_SET(pb->pb_simulated[i], text);
		}
	return (0);
}

/* Takes --map, of PUBLISHED=LOCK or PUBLISHED=LOCK/LOCK. */
static int
map_locks(struct published *pb)
{
	char *copy = xstrdup(pb->pb_op->op_map), *at = copy, *kind, *name;
	struct text mapped = { .s = "" }, rest = { .s = "" };
	int error = 0;

	/* The last entry may be empty. */
	while (error == 0 && (kind = strsep(&at, ",")) != NULL &&
	    (*kind != '\0' || at != NULL)) {
		name = strsep(&kind, "=");
		error = kind == NULL || *name == '\0' ? usage_error("--map: "
		    "\"%s%s%s\": expected PUBLISHED=LOCK,...", name,
		    kind != NULL ? "=" : "", kind != NULL ? kind : "") :
		    map_lock(pb, name, kind);
	}
	free(copy);
	for (unsigned i = 0; i < pb->pb_locks.nm_count; i++)
		text_list(pb->pb_kind[i][0] != NULL ? &mapped : &rest, "%s",
		    pb->pb_locks.nm_name[i]);
	if (error == 0 && mapped.s[0] == '\0')
		error = usage_error("--map: \"%.200s\" names no lock of the "
		    "file: expected one or more of %.600s",
		    pb->pb_op->op_map, rest.s);
	if (rest.s[0] != '\0')
		snprintf(pb->pb_skipped, sizeof(pb->pb_skipped),
		    "locks that --map does not name: %s; ", rest.s);
	return (error);
}

/* A published value as ns between acquisitions, or as a ratio. */
static double
value_ns(const struct published *pb, const struct published_row *rb)
{
	const struct published_unit *ub = pb->pb_unit;
	const double groups = ub->ub_groups ? MAX(1, floor((double)pb->
	    pb_machine.vi_topology.tp_cpus / rb->rb_threads)) : 1;

	return (ub->ub_ratio ? rb->rb_value : rb->rb_loop == NULL ? 0 :
	    groups * (ub->ub_ns > 0 ? ub->ub_ns / rb->rb_value : rb->rb_value) /
	    (ub->ub_thread ? rb->rb_contenders : 1) / (rb->rb_acquisitions > 0 ?
	    rb->rb_acquisitions : 1 + rb->rb_loop->lb_twice));
}

/* Completes what the request and the file's header say. */
static int
settle(struct published *pb)
{
	const struct options *op = pb->pb_op;
	char why[PINNING_ERROR_SIZE];
	struct published_row *rb;
	bool valued = false;
	const char *place;

	/* What is only predicted is in ns, if no value is in another unit. */
	for (rb = pb->pb_rows; rb < pb->pb_rows + pb->pb_row_count; rb++)
		valued |= !isnan(rb->rb_value);
	if (pb->pb_unit == NULL && op->op_predict && !valued)
		pb->pb_unit = &published_units[family_find(
		    &family_published_units, "ns")];
	if (pb->pb_unit == NULL)
		return (usage_error("%.200s: no \"# UNITS:\" line names a "
		    "unit: expected --units with %s", op->op_published,
		    TEXT_OF(family_join, &family_published_units, 0, NULL)));
	for (rb = pb->pb_rows; rb < pb->pb_rows + pb->pb_row_count; rb++) {
		rb->rb_ns = value_ns(pb, rb);
		if (pb->pb_kind[rb->rb_lock][0] == NULL)
			continue;
		if (rb->rb_loop == NULL)
			return (usage_error("%.200s: no \"# benchmark:\" line "
			    "or column names a loop: expected --loop with %s",
			    op->op_published, TEXT_OF(family_join,
			    &family_published_loops, 0, NULL)));
		if (strstr(pb->pb_loops.s, rb->rb_loop->lb_name) == NULL)
			text_list(&pb->pb_loops, "%s", rb->rb_loop->lb_name);
		/* Its place is that of all. */
		if (pb->pb_loop == NULL)
			pb->pb_loop = rb->rb_loop;
	}
	place = op->op_place_text != NULL ? op->op_place_text :
	    pb->pb_loop->lb_place;
	return (pinning_parse(&pb->pb_place, place, &pb->pb_machine.vi_topology,
	    why) == 0 ? 0 : usage_error("--place: \"%s\": %s", place, why));
}

static unsigned
usable_cpus(const struct published *pb)
{
	return (pb->pb_place.pl_ranks != NULL ? pb->pb_place.pl_count :
	    pb->pb_machine.vi_topology.tp_cpus);
}

/* Whether threads are asked for; more than CPUs are noted. */
static bool
asked(struct published *pb, const struct published_row *rb, struct text *above)
{
	const struct options *op = pb->pb_op;
	const struct option_list *threads = &op->op_readers;
	bool take = threads->ol_count == 0 &&
	    (op->op_predict || rb->rb_threads > 1);

	for (unsigned i = 0; i < threads->ol_count; i++)
		take |= threads->ol_value[i] == rb->rb_threads;
	if (!take || rb->rb_contenders <= usable_cpus(pb))
		return (take);
	if (strstr(above->s, FORMATF(" %u,", rb->rb_threads)) == NULL)
		text_add(above, " %u,", rb->rb_threads);
	return (false);
}

static int
choose(struct published *pb)
{
	struct text above = { .s = "" };
	struct critical_section se;
	unsigned read;

	pb->pb_chosen = xcalloc(pb->pb_row_count, sizeof(*pb->pb_chosen));
	for (struct published_row *rb = pb->pb_rows; rb < pb->pb_rows +
	    pb->pb_row_count; rb++) {
		if (pb->pb_kind[rb->rb_lock][0] == NULL ||
		    isnan(rb->rb_value) != pb->pb_op->op_predict ||
		    !asked(pb, rb, &above))
			continue;
		read = pb->pb_kind[rb->rb_lock][0]->lc_knobs;
		if (pb->pb_kind[rb->rb_lock][1] != NULL)
			read |= pb->pb_kind[rb->rb_lock][1]->lc_knobs;
		if ((rb->rb_knobs & ~read) != 0)
			return (usage_error("%s: a tunable of the row has no "
			    "effect on %s: expected none in its column",
			    pb->pb_groups.nm_name[rb->rb_group],
			    pb->pb_simulated[rb->rb_lock]));
		if (!published_section(pb, rb, &se))
			return (usage_error("loop %s, %u threads: expected "
			    "one_ns, or a row of 1 thread that is alike",
			    rb->rb_loop->lb_name, rb->rb_threads));
		pb->pb_chosen[pb->pb_chosen_count++] = rb;
	}
	if (above.s[0] != '\0')
		APPEND(pb->pb_skipped, sizeof(pb->pb_skipped),
		    "threads above the %u CPUs of %s:%.*s; ",
		    usable_cpus(pb), pb->pb_machine.vi_profile.pr_name,
		    (int)strlen(above.s) - 1, above.s);
	if (pb->pb_left_out > 0)
		APPEND(pb->pb_skipped, sizeof(pb->pb_skipped), "%u row%s of "
		    "value 0 or of an earlier row's group, lock and threads; ",
		    pb->pb_left_out, PLURAL(pb->pb_left_out));
	if (pb->pb_chosen_count == 0)
		return (usage_error("%.200s has no row to predict; skipped: %s"
		    "expected %sother --threads, or a profile of a larger "
		    "machine", pb->pb_op->op_published,
		    pb->pb_skipped[0] != '\0' ? pb->pb_skipped :
		    pb->pb_op->op_predict ? "rows with a value, or of other "
		    "threads; " : "rows of 1 thread, or of other threads; ",
		    pb->pb_op->op_predict ? "empty values, " : ""));
	return (0);
}

/* Rows without a file: one lock over another. */
static void
ask(struct published *pb, const struct options *op)
{
	const struct option_list *threads = &op->op_readers;
	struct published_row *rb;

	pb->pb_unit = &published_units[family_find(&family_published_units,
	    "ratio")];
	for (unsigned i = 0; i < 2; i++)
		pb->pb_kind[0][i] = ENGINE(virtual).en_lock_find(
		    family_simulated_locks.fa_name(
		    (unsigned)op->op_locks.ol_value[1 - i]));
	pb->pb_locks.nm_count = pb->pb_groups.nm_count = 1;
	snprintf(pb->pb_locks.nm_name[0], PUBLISHED_NAME_SIZE, "%s/%s",
	    pb->pb_kind[0][0]->lc_name, pb->pb_kind[0][1]->lc_name);
	pb->pb_rows = xcalloc(threads->ol_count, sizeof(*pb->pb_rows));
	for (unsigned i = 0; i < threads->ol_count; i++) {
		rb = &pb->pb_rows[pb->pb_row_count++];
		*rb = published_row(pb, &published_loops[op->op_loop]);
		rb->rb_threads = (unsigned)threads->ol_value[i];
		rb->rb_contenders = rb->rb_threads;
	}
}

int
published_open(struct published *pb, const struct options *op)
{
	int status = 0;

	pb->pb_op = op;
	if (op->op_published == NULL)
		ask(pb, op);
	else if ((status = published_read(pb)) == 0)
		status = map_locks(pb);
	if (status == 0)
		status = settle(pb);
	return (status != 0 ? status : choose(pb));
}

void
published_free(struct published *pb)
{
	pinning_free(&pb->pb_place);
	free(pb->pb_rows);
	free(pb->pb_chosen);
}

/* Predictions under way: of each chosen row, with each profile. */
struct predicting {
	struct published *pp_pb;
	struct profile	*pp_profiles;	/* the machine's, then drawn ones */
	unsigned	 pp_count;	/* of them */
	double		*pp_ns;		/* [row][profile] */
	char		 pp_error[PUBLISHED_NAME_SIZE + CELL_ERROR_SIZE + 32];
	struct predicting_slot {
		int	error;
		char	why[CELL_ERROR_SIZE];
	}		*pp_slot;
};

static void
work(void *context, unsigned task, unsigned slot)
{
	struct predicting *pp = context;
	const struct published *pb = pp->pp_pb;
	const struct published_row *rb = pb->pb_chosen[task / pp->pp_count];
	struct machine_config mc = { .mc_stop = &stop_signal,
	    .mc_topology = pb->pb_machine.vi_topology,
	    /* It depends on the row, not on those chosen beside it. */
	    .mc_seed = splitmix(splitmix(splitmix(pb->pb_op->op_seed) ^
	    rb->rb_lock) ^ ((uint64_t)rb->rb_group << 32 | rb->rb_threads)) };
	const struct lock_class *const *lc = pb->pb_kind[rb->rb_lock];
	struct predicting_slot *ps = &pp->pp_slot[slot];
	struct critical_section_outcome so;
	struct critical_section se;

	(void)published_section(pb, rb, &se);
	se.se_cpus = pb->pb_place.pl_ranks;
	/* All start at one barrier. */
	se.se_shuffled = true;
	se.se_warmup_s = warmup_share * pb->pb_op->op_time_s;
	se.se_time_s = pb->pb_op->op_time_s;
	se.se_least = LEAST + (uint64_t)LEAST_EACH * se.se_threads;
	se.se_seed = mc.mc_seed;
	vm_costs(&pp->pp_profiles[task % pp->pp_count], "chacha20", false,
	    &mc.mc_costs);
	pp->pp_ns[task] = 1e9;
	for (unsigned i = 0; i == 0 || (i == 1 && ps->error == 0 &&
	    lc[i] != NULL); i++) {
		se.se_lock = lc[i]->lc_name;
		ps->error = virtual_critical_section_run(&se, &mc, &so);
		snprintf(ps->why, CELL_ERROR_SIZE, "%s", ps->error == EDEADLK ?
		    so.so_machine.mo_stuck : strerror(ps->error));
		/* Of a ratio the rate of A, over that of B. */
		pp->pp_ns[task] = i == 0 && lc[1] != NULL ? so.so_rate_per_s :
		    pp->pp_ns[task] / so.so_rate_per_s;
		free(so.so_thread);
	}
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct predicting *pp = context;
	const struct published_row *rb =
	    pp->pp_pb->pb_chosen[task / pp->pp_count];
	const char *lock = pp->pp_pb->pb_locks.nm_name[rb->rb_lock];
	const int error = pp->pp_slot[slot].error;

	progress_update(task, lock);
	if (error == 0 && isnormal(pp->pp_ns[task]))
		return (0);
	snprintf(pp->pp_error, sizeof(pp->pp_error), "%s, %u threads: %s",
	    lock, rb->rb_threads, error == 0 ? "no acquisition in the window" :
	    pp->pp_slot[slot].why);
	return (error == 0 ? EDOM : error);
}

/*
 * What 80 % of the model's errors of a row lie within: of a lock, or a ratio of
 * two, where they cancel more if both queue, and most if these do the same.
 */
static enum profile_key
error_key(const struct published *pb, const struct published_row *rb)
{
	const struct lock_class *const *lc = pb->pb_kind[rb->rb_lock];
	const unsigned flags = lc[0]->lc_flags;

	if (lc[1] != NULL && (flags & lc[1]->lc_flags & LC_QUEUE) != LC_QUEUE)
		return (PROFILE_MODEL_PAIR);
	if (lc[1] != NULL)
		return (fabs(rb->rb_predicted_ns - 1) < alike ?
		    PROFILE_MODEL_ALIKE : PROFILE_MODEL_QUEUES);
	return ((flags & LC_SLEEPS) != 0 ? PROFILE_MODEL_SLEEP :
	    (flags & LC_FIFO) != 0 ? PROFILE_MODEL_FIFO : PROFILE_MODEL_OTHER);
}

/* The chance and the band of a row, by its predictions with each profile. */
static void
judge(const struct predicting *pp, struct published_row *rb, double *ns)
{
	const struct options *op = pp->pp_pb->pb_op;
	const enum profile_key key = error_key(pp->pp_pb, rb);
	/* Errors are lognormal. */
	const double error = log1p(pp->pp_profiles[0].pr_value[key]) /
	    gsl_cdf_ugaussian_Pinv(STATS_ROBUST);
	const unsigned n = op->op_uncertainty;
	double place;

	for (unsigned k = 0; k < n; k++) {
		rb->rb_chance += gsl_cdf_gaussian_P(log(ns[k] /
		    (1 + op->op_margin)), error) / n;
		/* The middle of its unit is above 0 and below 1. */
		place = (double)profile_place(op->op_seed, key, k, n) + 0.5;
		ns[k] *= exp(error * gsl_cdf_ugaussian_Pinv(place * 0x1p-32));
	}
	stats_band(ns, n, rb->rb_band_ns);
}

/* The predictions of all rows, their bands, and the scales of groups. */
static void
gather(struct predicting *pp)
{
	struct published *pb = pp->pp_pb;
	const unsigned n = pp->pp_count, rows = pb->pb_chosen_count;
	double *ns = pp->pp_ns, *ratios = xcalloc(rows, sizeof(*ratios));
	struct published_row *rb;
	unsigned found;

	for (unsigned i = 0; i < rows; i++, ns += n) {
		rb = pb->pb_chosen[i];
		rb->rb_predicted_ns = ns[0];
		if (n > 1)
			judge(pp, rb, ns + 1);
	}
	/* A scale is the median of predicted over published. */
	for (unsigned g = 0; pb->pb_unit->ub_scaled &&
	    g < pb->pb_groups.nm_count; g++) {
		found = 0;
		for (unsigned i = 0; i < rows; i++)
			if ((rb = pb->pb_chosen[i])->rb_group == g)
				ratios[found++] = rb->rb_predicted_ns /
				    rb->rb_ns;
		pb->pb_scale[g] = found > 0 ? stats_median(ratios, found) : 1;
		for (unsigned i = 0; i < rows; i++)
			if (pb->pb_chosen[i]->rb_group == g)
				pb->pb_chosen[i]->rb_ns *= pb->pb_scale[g];
	}
	free(ratios);
}

int
published_predict(struct published *pb)
{
	const struct options *op = pb->pb_op;
	const unsigned n = 1 + op->op_uncertainty;
	struct predicting pp = { .pp_pb = pb, .pp_count = n };
	const struct pool_job pj = { .pj_tasks = pb->pb_chosen_count * n,
	    .pj_work = work, .pj_take = take, .pj_context = &pp };
	int error;

	pp.pp_profiles = xcalloc(n, sizeof(*pp.pp_profiles));
	pp.pp_ns = xcalloc(pj.pj_tasks, sizeof(*pp.pp_ns));
	pp.pp_slot = xcalloc(POOL_AHEAD * cpu_count(), sizeof(*pp.pp_slot));
	pp.pp_profiles[0] = pb->pb_machine.vi_profile;
	for (unsigned i = 1; i < n; i++)
		profile_sample(&pp.pp_profiles[0], i - 1, n - 1, op->op_seed,
		    &pp.pp_profiles[i]);
	progress_init(pj.pj_tasks, 0);
	error = pool_run(&pj, cpu_count());
	progress_fini();
	if (error == 0)
		gather(&pp);
	free(pp.pp_profiles);
	free(pp.pp_ns);
	free(pp.pp_slot);
	return (error == 0 ? 0 : run_error("%s", error == EINTR ?
	    "interrupted" : pp.pp_error[0] != '\0' ? pp.pp_error :
	    strerror(error)));
}
