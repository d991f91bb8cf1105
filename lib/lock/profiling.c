/* The rows of a profile.  Only lockprof_record() differs among flavours. */
#include "lib/lock/profiling.h"

void
lockprof_init(struct lockprof *lp, unsigned threads, unsigned sites,
    const char *const *site_names)
{
	KASSERT(threads > 0 && sites > 0 && sites <= LOCKPROF_SITES_MAX,
	    ("%u threads, %u sites", threads, sites));
	memset(lp, 0, sizeof(*lp));
	lp->lp_rows = xaligned(MACHINE_CACHE_LINE, (size_t)threads * sites *
	    sizeof(*lp->lp_rows));
	lp->lp_thread = xaligned(MACHINE_CACHE_LINE, threads *
	    sizeof(*lp->lp_thread));
	lp->lp_threads = threads;
	lp->lp_sites = sites;
	lp->lp_site_names = site_names;
	atomic_init_32(&lp->lp_open, 0);
}

void
lockprof_fini(struct lockprof *lp)
{
	free(lp->lp_rows);
	free(lp->lp_thread);
	memset(lp, 0, sizeof(*lp));
}

void
lockprof_open(struct lockprof *lp, bool open)
{
	atomic_store_32(&lp->lp_open, open);
}

static void
add_row(struct lockprof_row *sum, const struct lockprof_row *r)
{
	sum->lr_count += r->lr_count;
	sum->lr_contended += r->lr_contended;
	sum->lr_hold_cycles += r->lr_hold_cycles;
	sum->lr_spin_cycles += r->lr_spin_cycles;
	sum->lr_block_cycles += r->lr_block_cycles;
	sum->lr_yields += r->lr_yields;
	sum->lr_hold_max_cycles = MAX(sum->lr_hold_max_cycles,
	    r->lr_hold_max_cycles);
	sum->lr_wait_max_cycles = MAX(sum->lr_wait_max_cycles,
	    r->lr_wait_max_cycles);
	for (unsigned i = 0; i < LOCKPROF_SITES_MAX; i++) {
		sum->lr_for[i].lv_count += r->lr_for[i].lv_count;
		sum->lr_for[i].lv_cycles += r->lr_for[i].lv_cycles;
	}
	hist_small_merge(&sum->lr_hold, &r->lr_hold);
	hist_small_merge(&sum->lr_spin, &r->lr_spin);
	hist_small_merge(&sum->lr_block, &r->lr_block);
}

void
lockprof_sum(const struct lockprof *lp, unsigned site, unsigned first,
    unsigned last, struct lockprof_row *sum)
{
	KASSERT(site < lp->lp_sites && last < lp->lp_threads,
	    ("site %u, thread %u", site, last));
	memset(sum, 0, sizeof(*sum));
	for (unsigned t = first; t <= last; t++)
		add_row(sum, &lp->lp_rows[(size_t)t * lp->lp_sites + site]);
}

void
lockprof_sum_threads(const struct lockprof *lp, unsigned first,
    unsigned last, struct lockprof_thread *sum)
{
	KASSERT(last < lp->lp_threads, ("thread %u", last));
	memset(sum, 0, sizeof(*sum));
	for (unsigned t = first; t <= last; t++)
		hist_small_merge(&sum->lpt_reacquire,
		    &lp->lp_thread[t].lpt_reacquire);
}
