/*
 * The rows of a profile, kept and added up.  Shared by all flavours but for
 * lockprof_record(), which runs on the machine's threads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kassert.h"
#include "lib/lockprof.h"

int
lockprof_init(struct lockprof *lp, unsigned threads, unsigned sites,
    const char *const *site_names)
{

	KASSERT(threads > 0 && sites > 0, ("%u threads, %u sites", threads,
	    sites));
	memset(lp, 0, sizeof(*lp));
	lp->lp_rows = calloc((size_t)threads * sites, sizeof(*lp->lp_rows));
	if (lp->lp_rows == NULL)
		return (ENOMEM);
	lp->lp_threads = threads;
	lp->lp_sites = sites;
	lp->lp_site_names = site_names;
	atomic_init_32(&lp->lp_window, 0);
	return (0);
}

void
lockprof_fini(struct lockprof *lp)
{

	free(lp->lp_rows);
	memset(lp, 0, sizeof(*lp));
}

void
lockprof_open(struct lockprof *lp, uint32_t window)
{

	KASSERT(window != 0, ("window 0 means closed"));
	atomic_store_32(&lp->lp_window, window);
}

void
lockprof_close(struct lockprof *lp)
{

	atomic_store_32(&lp->lp_window, 0);
}

struct lockprof_row
lockprof_sum(const struct lockprof *lp, uint32_t window, unsigned site,
    unsigned first, unsigned last)
{
	struct lockprof_row sum = { .lr_window = window };
	const struct lockprof_row *r;
	unsigned t;

	KASSERT(site < lp->lp_sites && last < lp->lp_threads,
	    ("site %u, thread %u", site, last));
	for (t = first; t <= last; t++) {
		r = &lp->lp_rows[(size_t)t * lp->lp_sites + site];
		if (r->lr_window != window)
			continue;
		sum.lr_count += r->lr_count;
		sum.lr_contended += r->lr_contended;
		sum.lr_hold_cycles += r->lr_hold_cycles;
		sum.lr_spin_cycles += r->lr_spin_cycles;
		sum.lr_block_cycles += r->lr_block_cycles;
		if (r->lr_hold_max_cycles > sum.lr_hold_max_cycles)
			sum.lr_hold_max_cycles = r->lr_hold_max_cycles;
		if (r->lr_wait_max_cycles > sum.lr_wait_max_cycles)
			sum.lr_wait_max_cycles = r->lr_wait_max_cycles;
	}
	return (sum);
}
