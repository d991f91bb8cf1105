/*
 * Chooses the rows of a file that a machine can be asked for, and predicts
 * them.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "bench/cli/format.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/predict/published.h"
#include "bench/stats/stats.h"
#include "bench/sweep/pool.h"
#include "lib/base/splitmix.h"
#include "lib/machine/cpu.h"

enum {
	/* Acquisitions of a window, of each thread: it is longer if need be. */
	LEAST_EACH	= 6,
	LEAST		= 400
};

static const double warmup_share = 0.25;	/* of the window */

static int __attribute__((format(printf, 2, 3)))
refuse(struct published *pb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(pb->pb_error, sizeof(pb->pb_error), fmt, ap);
	va_end(ap);
	return (EINVAL);
}

/* Finds the simulated kind that the map gives a lock, and the map's end. */
static int
map_lock(struct published *pb, const char *at, size_t n)
{
	const char *equals = memchr(at, '=', n);
	const struct lock_class *kind;
	char name[PUBLISHED_NAME_SIZE];
	struct text known = { .s = "" };

	if (equals == NULL || equals == at)
		return (refuse(pb, "--map: \"%.*s\": expected "
		    "PUBLISHED=LOCK,...", (int)n, at));
	snprintf(name, sizeof(name), "%.*s", (int)(at + n - equals - 1),
	    equals + 1);
	kind = ENGINE(virtual).en_lock_find(name);
	for (unsigned i = 0; kind == NULL && i < lock_class_count; i++)
		if (ENGINE(virtual).en_lock_find(lock_classes[i]->lc_name) !=
		    NULL)
			text_list(&known, "%s", lock_classes[i]->lc_name);
	if (kind == NULL)
		return (refuse(pb, "--map: \"%s\": expected one of %s", name,
		    known.s));
	snprintf(name, sizeof(name), "%.*s", (int)(equals - at), at);
	for (unsigned lock = 0; lock < pb->pb_locks.pn_count; lock++)
		if (strcmp(pb->pb_locks.pn_name[lock], name) == 0)
			pb->pb_kind[lock] = kind;
	return (0);
}

static int
map_locks(struct published *pb)
{
	struct text mapped = { .s = "" }, rest = { .s = "" };
	size_t n;
	int error = 0;

	for (const char *at = pb->pb_request->pq_map; error == 0 && *at != '\0';
	    at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		error = map_lock(pb, at, n);
	}
	for (unsigned i = 0; i < pb->pb_locks.pn_count; i++)
		text_list(pb->pb_kind[i] != NULL ? &mapped : &rest, "%s",
		    pb->pb_locks.pn_name[i]);
	if (error == 0 && mapped.s[0] == '\0')
		error = refuse(pb, "--map: \"%.200s\" names no lock of the "
		    "file: expected one or more of %.600s",
		    pb->pb_request->pq_map, rest.s);
	if (rest.s[0] != '\0')
		snprintf(pb->pb_skipped, sizeof(pb->pb_skipped),
		    "locks that --map does not name: %s; ", rest.s);
	return (error);
}

/* What the request says, or else the file's header. */
static int
settle(struct published *pb)
{
	const struct published_request *pq = pb->pb_request;
	char names[256], why[PINNING_ERROR_SIZE];
	struct published_row *pr;
	int error;

	if (pq->pq_loop >= 0)
		pb->pb_loop = &published_loops[pq->pq_loop];
	if (pq->pq_units >= 0)
		pb->pb_unit = &published_units[pq->pq_units];
	if (pb->pb_loop == NULL) {
		family_join(&family_published_loops, 0, NULL, names,
		    sizeof(names));
		return (refuse(pb, "%.200s: no \"# benchmark:\" line names a "
		    "loop: expected --loop with %s", pq->pq_path, names));
	}
	if (pb->pb_unit == NULL)
		return (refuse(pb, "%.200s: no \"# UNITS:\" line names a unit: "
		    "expected --units with ns, ns-per-thread, ops-per-us, "
		    "ops-per-s or count", pq->pq_path));
	for (unsigned i = 0; i < pb->pb_row_count; i++) {
		pr = &pb->pb_rows[i];
		pr->pr_ns = pb->pb_unit->un_ns > 0 ?
		    pb->pb_unit->un_ns / pr->pr_value : pr->pr_value;
		if (pb->pb_unit->un_thread)
			pr->pr_ns /= pr->pr_contenders;
		pr->pr_ns /= pb->pb_loop->pl_takes;
	}
	error = pinning_parse(&pb->pb_place, pq->pq_place != NULL ?
	    pq->pq_place : pb->pb_loop->pl_place,
	    &pb->pb_machine.vi_topology, why);
	return (error != EINVAL ? error : refuse(pb, "--place: \"%s\": %s",
	    pq->pq_place, why));
}

static unsigned
usable_cpus(const struct published *pb)
{
	return (pb->pb_place.pl_ranks != NULL ? pb->pb_place.pl_count :
	    pb->pb_machine.vi_topology.vt_cpus);
}

/* Whether threads are asked for; more than CPUs are noted. */
static bool
asked(struct published *pb, const struct published_row *pr, struct text *above)
{
	const struct published_request *pq = pb->pb_request;
	bool take = pq->pq_threads == NULL && pr->pr_threads > 1;
	char number[16], *at;

	for (unsigned i = 0; i < pq->pq_thread_count; i++)
		take |= pq->pq_threads[i] == pr->pr_threads;
	if (!take || pr->pr_contenders <= usable_cpus(pb))
		return (take);
	snprintf(number, sizeof(number), " %u,", pr->pr_threads);
	at = strstr(above->s, number);
	if (at == NULL)
		text_add(above, "%s", number);
	return (false);
}

static int
choose(struct published *pb)
{
	const size_t used = strlen(pb->pb_skipped);
	struct text above = { .s = "" };

	pb->pb_chosen = calloc(pb->pb_row_count, sizeof(*pb->pb_chosen));
	if (pb->pb_chosen == NULL)
		return (ENOMEM);
	for (unsigned i = 0; i < pb->pb_row_count; i++)
		if (pb->pb_kind[pb->pb_rows[i].pr_lock] != NULL &&
		    asked(pb, &pb->pb_rows[i], &above))
			pb->pb_chosen[pb->pb_chosen_count++] = i;
	if (above.s[0] != '\0')
		snprintf(pb->pb_skipped + used, sizeof(pb->pb_skipped) - used,
		    "threads above the %u CPUs of %s:%.*s; ",
		    usable_cpus(pb), pb->pb_machine.vi_profile.pr_name,
		    (int)strlen(above.s) - 1, above.s);
	if (pb->pb_chosen_count == 0)
		return (refuse(pb, "%.200s has no row to predict; skipped: %s"
		    "expected other --threads, or a profile of a larger "
		    "machine", pb->pb_request->pq_path,
		    pb->pb_skipped[0] != '\0' ? pb->pb_skipped : "nothing; "));
	return (0);
}

int
published_open(struct published *pb, const struct published_request *pq)
{
	int error;

	pb->pb_request = pq;
	error = published_read(pb);
	if (error == 0)
		error = map_locks(pb);
	if (error == 0)
		error = settle(pb);
	if (error == 0)
		error = choose(pb);
	if (error != 0 && pb->pb_error[0] == '\0')
		snprintf(pb->pb_error, sizeof(pb->pb_error), "%s",
		    strerror(error));
	return (error);
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
	struct published *pd_pb;
	struct profile	*pd_profiles;	/* the machine's, then drawn ones */
	double		*pd_ns;		/* [row][profile] */
	struct progress	 pd_progress;
	struct {
		int	error;
		char	why[CELL_ERROR_SIZE];
	}		*pd_slot;
};

static unsigned
profiles(const struct predicting *pd)
{
	return (1 + pd->pd_pb->pb_request->pq_samples);
}

/*
 * Seeds depend on what a row is, not on which rows are chosen beside it.
 */
static uint64_t
seed_of(const struct published *pb, const struct published_row *pr)
{
	return (splitmix(splitmix(splitmix(pb->pb_request->pq_seed) ^
	    pr->pr_lock) ^ ((uint64_t)pr->pr_group << 32 | pr->pr_threads)));
}

static void
work(void *context, unsigned task, unsigned slot)
{
	struct predicting *pd = context;
	const struct published *pb = pd->pd_pb;
	const struct published_request *pq = pb->pb_request;
	const struct profile *profile =
	    &pd->pd_profiles[task % profiles(pd)];
	const struct published_row *pr =
	    &pb->pb_rows[pb->pb_chosen[task / profiles(pd)]];
	struct machine_config mc = { .mc_stop = &stop_signal,
	    .mc_topology = pb->pb_machine.vi_topology,
	    .mc_seed = seed_of(pb, pr) };
	struct critical_section_outcome so;
	struct critical_section se;

	published_section(pb, pr, &se);
	se.se_lock_config = lock_config_default(mc.mc_topology.vt_cpus);
	/* Each thread has its CPU to itself. */
	se.se_lock_config.spin_polls = 0;
	se.se_cpus = pb->pb_place.pl_ranks;
	/* All start at one barrier. */
	se.se_shuffled = true;
	se.se_warmup_s = warmup_share * pq->pq_time_s;
	se.se_time_s = pq->pq_time_s;
	se.se_least = LEAST + (uint64_t)LEAST_EACH * se.se_threads;
	se.se_seed = mc.mc_seed;
	vm_costs(profile, "chacha20", false, &mc.mc_costs);
	pd->pd_slot[slot].error = virtual_critical_section_run(&se, &mc, &so);
	snprintf(pd->pd_slot[slot].why, CELL_ERROR_SIZE, "%s",
	    pd->pd_slot[slot].error == EDEADLK ? so.so_machine.mo_stuck : "");
	if (pd->pd_slot[slot].error != 0)
		return;
	pd->pd_ns[task] = so.so_rate_per_s > 0 ? 1e9 / so.so_rate_per_s :
	    INFINITY;
	free(so.so_thread);
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct predicting *pd = context;
	struct published *pb = pd->pd_pb;
	const struct published_row *pr =
	    &pb->pb_rows[pb->pb_chosen[task / profiles(pd)]];
	const char *lock = pb->pb_locks.pn_name[pr->pr_lock];
	const int error = pd->pd_slot[slot].error;

	progress_update(&pd->pd_progress, task, lock);
	if (error == 0 && isfinite(pd->pd_ns[task]))
		return (0);
	snprintf(pb->pb_error, sizeof(pb->pb_error), "%s, %u threads: %.800s",
	    lock, pr->pr_threads, error == 0 ? "no acquisition in the window" :
	    pd->pd_slot[slot].why[0] != '\0' ? pd->pd_slot[slot].why :
	    strerror(error));
	return (error == 0 ? EDOM : error);
}

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x < y ? -1 : x > y);
}

/* Fits the scale of a group: the median of predicted over published. */
static int
fit_scale(struct published *pb, unsigned group)
{
	double *ratios = calloc(pb->pb_chosen_count, sizeof(*ratios));
	const struct published_row *pr;
	unsigned n = 0;

	if (ratios == NULL)
		return (ENOMEM);
	for (unsigned i = 0; i < pb->pb_chosen_count; i++) {
		pr = &pb->pb_rows[pb->pb_chosen[i]];
		if (pr->pr_group == group)
			ratios[n++] = pr->pr_predicted_ns / pr->pr_ns;
	}
	pb->pb_scale[group] = n > 0 && pb->pb_unit->un_scaled ?
	    stats_median(ratios, n) : 1;
	free(ratios);
	return (0);
}

/* The error of the model in sample i, of a row's lock; lognormal. */
static double
model_error(const struct published *pb, const struct published_row *pr,
    unsigned i)
{
	const struct published_request *pq = pb->pb_request;
	const enum profile_key key = (pb->pb_kind[pr->pr_lock]->lc_flags &
	    LC_FIFO) != 0 ? PROFILE_MODEL_FIFO : PROFILE_MODEL_OTHER;
	const double place = profile_place(pq->pq_seed, key, i,
	    pq->pq_samples);

	return (pow(1 + pb->pb_machine.vi_profile.pr_value[key],
	    gsl_cdf_ugaussian_Pinv(place) /
	    gsl_cdf_ugaussian_Pinv(STATS_ROBUST)));
}

/* The predictions of all rows, and their bands. */
static int
gather(struct predicting *pd)
{
	struct published *pb = pd->pd_pb;
	const unsigned n = profiles(pd);
	struct published_row *pr;
	int error = 0;

	for (unsigned i = 0; i < pb->pb_chosen_count; i++) {
		double *ns = &pd->pd_ns[(size_t)i * n];

		pr = &pb->pb_rows[pb->pb_chosen[i]];
		pr->pr_predicted_ns = ns[0];
		if (n == 1)
			continue;
		for (unsigned k = 1; k < n; k++)
			ns[k] *= model_error(pb, pr, k - 1);
		qsort(ns + 1, n - 1, sizeof(*ns), by_value);
		pr->pr_band_ns[0] = stats_quantile(ns + 1, n - 1,
		    STATS_BAND_LOW);
		pr->pr_band_ns[1] = stats_quantile(ns + 1, n - 1,
		    STATS_ROBUST);
	}
	for (unsigned i = 0; error == 0 && i < pb->pb_groups.pn_count; i++)
		error = fit_scale(pb, i);
	return (error);
}

int
published_predict(struct published *pb)
{
	const struct published_request *pq = pb->pb_request;
	const unsigned threads = cpu_count();
	struct predicting pd = { .pd_pb = pb };
	const unsigned n = profiles(&pd);
	const struct pool_job pj = { .pj_tasks = pb->pb_chosen_count * n,
	    .pj_work = work, .pj_take = take, .pj_context = &pd };
	unsigned i;
	int error = ENOMEM;

	pd.pd_profiles = calloc(n, sizeof(*pd.pd_profiles));
	pd.pd_ns = calloc((size_t)pj.pj_tasks, sizeof(*pd.pd_ns));
	pd.pd_slot = calloc(pool_slots(threads), sizeof(*pd.pd_slot));
	if (pd.pd_profiles != NULL && pd.pd_ns != NULL && pd.pd_slot != NULL) {
		pd.pd_profiles[0] = pb->pb_machine.vi_profile;
		for (i = 1; i < n; i++)
			profile_sample(&pd.pd_profiles[0], i - 1, n - 1,
			    pq->pq_seed, &pd.pd_profiles[i]);
		progress_init(&pd.pd_progress, pj.pj_tasks, 0);
		error = pool_run(&pj, threads);
		progress_fini(&pd.pd_progress);
	}
	if (error == 0)
		error = gather(&pd);
	if (error != 0 && pb->pb_error[0] == '\0')
		snprintf(pb->pb_error, sizeof(pb->pb_error), "%s",
		    strerror(error));
	free(pd.pd_profiles);
	free(pd.pd_ns);
	free(pd.pd_slot);
	return (error);
}

double
published_ns(const struct published *pb, const struct published_row *pr)
{
	return (pr->pr_ns * pb->pb_scale[pr->pr_group]);
}

double
published_off(const struct published *pb, const struct published_row *pr)
{
	return (pr->pr_predicted_ns / published_ns(pb, pr) - 1);
}
