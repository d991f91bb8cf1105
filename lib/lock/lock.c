/* The family's table, and what kinds share: parts of sys/kern/subr_lock.c. */
#include "lib/lock/spin.h"

const struct lock_class *const lock_classes[] = {
#define	LOCK(kind)	&FLAVOURED(lock_##kind),
#define	LOCK_HOST(kind)	LOCK_ON_HOST(kind)
#include "lib/lock/lock.tbl"
};

const unsigned lock_class_count = nitems(lock_classes);

const struct lock_class *
lock_class_find(const char *name)
{
	for (unsigned i = 0; i < lock_class_count; i++)
		if (strcmp(lock_classes[i]->lc_name, name) == 0)
			return (lock_classes[i]);
	return (NULL);
}

void
lock_init(struct lock *l, const struct lock_class *class, const char *name,
    const struct lock_config *config, struct lockprof *prof)
{
	KASSERT(config->threads > 0 && config->threads <= LOCK_THREADS_MAX,
	    ("%s for %u threads", name, config->threads));
	KASSERT(config->delay_base >= 1 &&
	    config->delay_base <= config->delay_max,
	    ("delays of %u to %u", config->delay_base, config->delay_max));
	memset(l, 0, sizeof(*l));
	l->lo_class = class;
	l->lo_name = name;
	l->lo_config = *config;
	l->lo_prof = prof;
	atomic_init_64(&l->lo_owner.lpo_acquisitions, 0);
	atomic_init_32(&l->lo_owner.lpo_site, LOCKPROF_NO_SITE);
	if (class->lc_node_bytes > 0)
		lock_lines_init(l, config->nodes == 0 ? machine_nodes() :
		    config->nodes, class->lc_node_bytes);
	if (class->lc_thread_bytes > 0)
		lock_lines_init(l, config->threads, class->lc_thread_bytes);
	if (class->lc_init != NULL)
		class->lc_init(l);
}

void
lock_lines_init(struct lock *l, size_t n, size_t size)
{
	MPASS(n > 0 && size % MACHINE_CACHE_LINE == 0 && l->lo_lines == NULL);
	l->lo_lines = xaligned(MACHINE_CACHE_LINE, n * size);
}

void
lock_fini(struct lock *l)
{
	if (l->lo_class == NULL)
		return;
	if (l->lo_class->lc_fini != NULL)
		l->lo_class->lc_fini(l);
	else
		KASSERT((l->lo_class->lc_flags & LC_EXCLUDES) == 0 ||
		    !l->lo_class->lc_owned(l), ("%s is owned", l->lo_name));
	xfree(l->lo_lines);
	memset(l, 0, sizeof(*l));
}

void
lock_await(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	uint64_t wait;

	*w = lock_wait_init(l);
	if (LOCK_PROFILING) {
		w->lw_holder = machine_note_load_32(&l->lo_owner.lpo_site);
		w->lw_start_cycles = machine_cycles();
	}
	l->lo_class->lc_wait(l, n, w);
	if (!LOCK_PROFILING)
		return;
	wait = machine_cycles_since(w->lw_start_cycles, machine_cycles());
	w->lw_block_cycles = MIN(w->lw_block_cycles, wait);
	w->lw_spin_cycles = wait - w->lw_block_cycles;
}

void
lock_fault(struct failpoint *fp, unsigned first, unsigned count)
{
	if (fp != NULL && machine_curthread()->mt_index - first < count)
		(void)failpoint_eval(fp);
}

static void __attribute__((noinline))
record_wait(struct lockprof_row *r, const struct lock_wait *w)
{
	uint64_t wait = w->lw_spin_cycles + w->lw_block_cycles;

	r->lr_contended++;
	r->lr_spin_cycles += w->lw_spin_cycles;
	r->lr_block_cycles += w->lw_block_cycles;
	r->lr_yields += w->lw_yields;
	r->lr_wait_max_cycles = MAX(r->lr_wait_max_cycles, wait);
	if (w->lw_spin_cycles > 0)
		hist_small_add(&r->lr_spin, w->lw_spin_cycles, 1);
	if (w->lw_block_cycles > 0)
		hist_small_add(&r->lr_block, w->lw_block_cycles, 1);
	if (w->lw_holder < LOCKPROF_SITES_MAX) {
		r->lr_for[w->lw_holder].lv_count++;
		r->lr_for[w->lw_holder].lv_cycles += wait;
	}
}

void
lockprof_record(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles)
{
	unsigned thread = machine_curthread()->mt_index;
	struct lockprof_thread *lt;
	struct lockprof_row *r;
	uint64_t hold;

	if (atomic_load_32(&lp->lp_open) == 0)
		return;
	MPASS(thread < lp->lp_threads);
	MPASS(lh->lh_site < lp->lp_sites);
	lt = &lp->lp_thread[thread];
	/* Not where the thread used another lock of the profile in between. */
	if (lt->lpt_owner == lh->lh_owner)
		hist_small_add(&lt->lpt_reacquire, lh->lh_acquisition -
		    lt->lpt_last, 1);
	lt->lpt_owner = lh->lh_owner;
	lt->lpt_last = lh->lh_acquisition;
	r = &lp->lp_rows[(size_t)thread * lp->lp_sites + lh->lh_site];
	r->lr_count++;
	if (lh->lh_weight != 0) {
		hold = machine_cycles_since(lh->lh_start_cycles, end_cycles);
		r->lr_hold_cycles += hold * lh->lh_weight;
		r->lr_hold_max_cycles = MAX(r->lr_hold_max_cycles, hold);
		hist_small_add(&r->lr_hold, hold, lh->lh_weight);
	}
	if (lh->lh_contended)
		record_wait(r, &lh->lh_wait);
}
