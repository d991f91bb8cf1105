/* From threads' notes to one repeat's figures. */
#include "bench/cell/cell_run.h"
#include "bench/stats/stats.h"

static const char *const roles[CELL_ROLES] = { "reader", "harvest",
    "producer" };

#define	NS(cycles)	((double)machine_cycles_to_ns(cycles))

/* By lock, file, line and role: compilers have sites in orders of their own. */
#define	COMPARE_SITES(x, y)						\
	int order = strcmp((x)->lock, (y)->lock);			\
									\
	if (order == 0)							\
		order = strverscmp((x)->site, (y)->site);		\
	if (order == 0)							\
		order = strcmp((y)->role, (x)->role)

static int
compare_rows(const void *a, const void *b)
{
	const struct cell_row *x = a, *y = b;
	COMPARE_SITES(&x->cr_row, &y->cr_row);

	return (order);
}

static int
compare_waits(const void *a, const void *b)
{
	const struct result_wait *x = a, *y = b;
	COMPARE_SITES(x, y);

	return (order != 0 ? order : strverscmp(x->holder, y->holder));
}

/* Adds the rows that were used, by site and role, and whose holders waited. */
static void
collect_rows(struct cell_run *run, struct cell_measure *cm)
{
	const struct lockprof *lp = &run->run_prof;
	const unsigned harvest = index_harvest(run);
	const unsigned first[CELL_ROLES] = { 0, harvest, harvest + 1 };
	const unsigned last[CELL_ROLES] = { harvest - 1, harvest,
	    index_main(run) };
	struct lockprof_row sum;
	struct result_wait *rw;
	struct result_row *row;
	struct cell_row *cr;
	unsigned role, site;

	for (unsigned i = 0; i < lp->lp_sites * CELL_ROLES; i++) {
		site = i / CELL_ROLES;
		role = i % CELL_ROLES;
		if (role == 0 && harvest == 0)
			continue;
		lockprof_sum(lp, site, first[role], last[role], &sum);
		if (sum.lr_count == 0)
			continue;
		cr = &cm->cm_rows[cm->cm_row_count++];
		row = &cr->cr_row;
		*row = (struct result_row){
			.count = (double)sum.lr_count,
			.contended = (double)sum.lr_contended,
			.yields = (double)sum.lr_yields,
			.hold_total_ns = NS(sum.lr_hold_cycles),
			.hold_max_ns = NS(sum.lr_hold_max_cycles),
			.spin_total_ns = NS(sum.lr_spin_cycles),
			.block_total_ns = NS(sum.lr_block_cycles),
			.wait_max_ns = NS(sum.lr_wait_max_cycles),
		};
		row->wait_total_ns = row->spin_total_ns + row->block_total_ns;
		TEXT_SET(row->site, lp->lp_site_names[site]);
		TEXT_SET(row->lock, lp->lp_site_lock[site]);
		cr->cr_spin_mutex = lp->lp_site_spins[site];
		TEXT_SET(row->role, roles[role]);
		cr->cr_hold = sum.lr_hold;
		cr->cr_spin = sum.lr_spin;
		cr->cr_block = sum.lr_block;
		if (role == 0)
			cm->cm_acquisitions += row->count;
		for (unsigned k = 0; k < lp->lp_sites; k++) {
			if (sum.lr_for[k].lv_count == 0)
				continue;
			rw = &cm->cm_waits[cm->cm_wait_count++];
			memcpy(rw->lock, row->lock, sizeof(rw->lock));
			memcpy(rw->site, row->site, sizeof(rw->site));
			memcpy(rw->role, row->role, sizeof(rw->role));
			TEXT_SET(rw->holder, lp->lp_site_names[k]);
			rw->count = (double)sum.lr_for[k].lv_count;
			rw->wait_total_ns = NS(sum.lr_for[k].lv_cycles);
		}
	}
	qsort(cm->cm_rows, cm->cm_row_count, sizeof(*cm->cm_rows),
	    compare_rows);
	qsort(cm->cm_waits, cm->cm_wait_count, sizeof(*cm->cm_waits),
	    compare_waits);
}

/*
 * The harvest thread's figures; and cnt_hold of each row: its waits, by
 * roles as these acquire there, for the profile has no roles of holders.
 */
static void
collect_holders(struct cell_measure *cm)
{
	struct result_sample *rs = &cm->cm_sample;
	double acquired, hold = 0, hold_harvest = 0, waits;
	const struct result_row *other;
	struct result_row *row;
	unsigned i, k;

	for (i = 0; i < cm->cm_row_count; i++) {
		row = &cm->cm_rows[i].cr_row;
		for (acquired = 0, k = 0; k < cm->cm_row_count; k++) {
			other = &cm->cm_rows[k].cr_row;
			if (strcmp(other->lock, row->lock) == 0 &&
			    strcmp(other->site, row->site) == 0)
				acquired += other->count;
		}
		for (waits = 0, k = 0; k < cm->cm_wait_count; k++)
			if (strcmp(cm->cm_waits[k].lock, row->lock) == 0 &&
			    strcmp(cm->cm_waits[k].holder, row->site) == 0)
				waits += cm->cm_waits[k].count;
		row->cnt_hold = floor(waits * row->count / acquired + 0.5);
		if (!cm->cm_rows[i].cr_spin_mutex)
			hold += row->hold_total_ns;
		if (strcmp(row->role, "harvest") != 0)
			continue;
		rs->harvest.spin_percent += row->spin_total_ns / 1e7 /
		    rs->window_s;
		rs->harvest.block_percent += row->block_total_ns / 1e7 /
		    rs->window_s;
		if (!cm->cm_rows[i].cr_spin_mutex)
			hold_harvest += row->hold_total_ns;
	}
	rs->fairness.hold_share_harvest = hold > 0 ? hold_harvest / hold : 0;
}

/* How the readers shared the time that locks were held. */
static void
collect_hold_shares(struct cell_run *run, struct result_fairness *fairness)
{
	const struct lockprof *lp = &run->run_prof;
	unsigned n = index_harvest(run);
	struct lockprof_thread sum;
	struct lockprof_row row;
	double *hold;

	if (!LOCK_PROFILING || n == 0)
		return;
	hold = xcalloc(n, sizeof(*hold));
	for (unsigned i = 0; i < n; i++)
		for (unsigned site = 0; site < lp->lp_sites; site++) {
			lockprof_sum(lp, site, i, i, &row);
			hold[i] += (double)row.lr_hold_cycles;
		}
	fairness->hold_min_max = stats_min_max(hold, n);
	fairness->hold_cov = stats_cov(hold, n);
	fairness->hold_jain = stats_jain(hold, n);
	fairness->hold_cna = stats_cna(hold, n);
	free(hold);
	lockprof_sum_threads(lp, 0, n - 1, &sum);
	fairness->reacquire_p50 = (double)hist_small_quantile(
	    &sum.lpt_reacquire, 0.5);
	fairness->reacquire_p99 = (double)hist_small_quantile(
	    &sum.lpt_reacquire, 0.99);
}

/* The least mean rate of a node's readers over the largest; 1 for one node. */
static double
node_min_max(const struct cell_run *run, const double *rates)
{
	double sum[LOCK_NODES_MAX] = { 0 }, mean[LOCK_NODES_MAX];
	unsigned count[LOCK_NODES_MAX] = { 0 }, n = 0, node;

	for (unsigned i = 0; i < index_harvest(run); i++) {
		node = run->run_readers[i].r_node % LOCK_NODES_MAX;
		sum[node] += rates[i];
		count[node]++;
	}
	for (unsigned i = 0; i < LOCK_NODES_MAX; i++)
		if (count[i] > 0)
			mean[n++] = sum[i] / count[i];
	return (stats_min_max(mean, n));
}

/* Readers' rates, and the time until the last of them crossed an edge. */
static void
collect_readers(struct cell_run *run, struct cell_measure *cm)
{
	struct result_sample *rs = &cm->cm_sample;
	uint64_t start, started = run->run_open_cycles;
	uint64_t stopped = run->run_close_cycles;
	unsigned n = index_harvest(run);
	double ns = fmax(1, NS(stopped - started)), requests = 0;

	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct reader *r = &run->run_readers[i];

		rs->reader_cpu[i] = r->r_cpu;
		cm->cm_unbound |= r->r_td.mt_cpu != MACHINE_CPU_ANY &&
		    !r->r_td.mt_bound;
		cm->cm_displaced |= r->r_displaced;
		rs->reader_mb_per_s[i] =
		    ((double)machine_note_load_64(&r->r_bytes) +
		    r->r_edge_bytes) * 1e3 / ns;
		rs->total_mb_per_s += rs->reader_mb_per_s[i];
		rs->readers_cpu_percent += 100 * (double)r->r_cpu_ns / ns;
		rs->readers_delayed_percent += 100 * r->r_delayed / n;
		if (rs->reader_blocked_ns != NULL)
			rs->reader_blocked_ns[i] = NS(r->r_blocked_cycles);
		rs->blocked_readers += r->r_blocked_cycles > 0;
		hist_merge(&cm->cm_latency, &r->r_latency);
		hist_merge(&cm->cm_uncorrected, &r->r_uncorrected);
		requests += (double)r->r_latency.hi_count + r->r_edge_requests;
		cm->cm_backlog += r->r_backlog;
		start = r->r_start_cycles != 0 ? r->r_start_cycles :
		    run->run_close_cycles;
		started = MAX(start, started);
		stopped = MAX(r->r_stop_cycles, stopped);
	}
	rs->reads_per_s = requests * 1e9 / ns;
	rs->start_skew_ms = NS(started - run->run_open_cycles) / 1e6;
	rs->stop_skew_ms = NS(stopped - run->run_close_cycles) / 1e6;
	if (run->run_params->cp_cell.ce_lock_loop && requests > 0) {
		rs->acquisition_ns = ns / requests;
		rs->acquisition_thread_ns = n * ns / requests;
		rs->fairness.node_min_max = node_min_max(run,
		    rs->reader_mb_per_s);
	}
	rs->fairness.min_max = stats_min_max(rs->reader_mb_per_s, n);
	rs->fairness.cov = stats_cov(rs->reader_mb_per_s, n);
	rs->fairness.jain = stats_jain(rs->reader_mb_per_s, n);
	rs->fairness.cna = stats_cna(rs->reader_mb_per_s, n);
}

static void
collect_harvest(const struct cell_run *run, struct cell_measure *cm)
{
	const struct harvest_totals *before = &run->run_totals[0];
	const struct harvest_totals *after = &run->run_totals[1];
	struct result_sample *rs = &cm->cm_sample;
	struct source_health hl;
	struct result_health *rh;

	rs->harvest_cpu_os = run->run_harvest_cpu;
	cm->cm_unbound |= run->run_harvest.mt_cpu != MACHINE_CPU_ANY &&
	    !run->run_harvest.mt_bound;
	rs->harvest.events_per_s = (double)(after->ht_delivered -
	    before->ht_delivered) / rs->window_s;
	rs->harvest.dropped = (double)(after->ht_dropped - before->ht_dropped);
	rs->harvest.discarded = (double)(after->ht_discarded -
	    before->ht_discarded);
	hist_merge(&cm->cm_harvest_latency, &run->run_delivery);
	rs->harvest.latency_p99_ns = cell_latency(&FLAVOURED(engine),
	    &cm->cm_harvest_latency).p99;
	for (unsigned i = 0; i < ENTROPYSOURCE; i++) {
		hl = randomdev_health(run->run_dev, i);
		if (hl.shl_discarded == 0)
			continue;
		rh = &cm->cm_health[cm->cm_health_count++];
		TEXT_SET(rh->source, random_source_names[i]);
		rh->discarded = (double)hl.shl_discarded;
		rh->passed = (double)hl.shl_passed;
		rh->repetitions = (double)hl.shl_repetitions;
		rh->proportions = (double)hl.shl_proportions;
		rh->excluded = hl.shl_excluded;
	}
}

void
cell_collect(struct cell_run *run)
{
	struct cell_measure *cm = run->run_measure;
	struct result_sample *rs = &cm->cm_sample;
	uint8_t hash[DIGEST_BYTES];

	collect_rows(run, cm);
	collect_holders(cm);
	collect_readers(run, cm);
	collect_hold_shares(run, &rs->fairness);
	collect_harvest(run, cm);
	cell_producers_collect(run, cm);
	/* Of each reader's output in the whole run. */
	CTASSERT(RESULT_SHA256_SIZE == 2 * DIGEST_BYTES + 1);
	for (unsigned i = 0; rs->output_sha256 != NULL &&
	    i < index_harvest(run); i++) {
		digest_finish(&run->run_readers[i].r_digest, hash);
		for (unsigned k = 0; k < DIGEST_BYTES; k++)
			sprintf(&rs->output_sha256[i][2 * k], "%02x", hash[k]);
	}
	rs->reseeds = run->run_reseeds[1] - run->run_reseeds[0];
	rs->latency_ns = cell_latency(&FLAVOURED(engine), &cm->cm_latency);
	/* In a closed loop a request is due when it begins. */
	rs->latency_uncorrected_ns = cm->cm_uncorrected.hi_count == 0 ?
	    rs->latency_ns : cell_latency(&FLAVOURED(engine),
	    &cm->cm_uncorrected);
}

void
cell_collect_faults(struct cell_run *run, struct failpoint_outcome *fo)
{
	struct device_status ds;

	randomdev_status(run->run_dev, &ds);
	*fo = (struct failpoint_outcome){ .fo_seeded = ds.ds_seeded,
	    .fo_reseeds = ds.ds_reseeds,
	    .fo_totals = randomdev_totals(run->run_dev) };
	for (unsigned i = 0; i < run->run_started; i++) {
		fo->fo_reads += run->run_readers[i].r_latency.hi_count;
		fo->fo_waiting += cell_left_waiting(run, i);
	}
	failpoints_count(run->run_faults, fo);
}
