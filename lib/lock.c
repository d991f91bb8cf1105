/*
 * The lock family: its table, and what all kinds share.
 *
 * Stands for the class-independent part of sys/kern/subr_lock.c.
 */
#include <string.h>

#include "lib/lock.h"

const struct lock_class *const lock_classes[] = {
#define	LOCK(kind)	&FLAVOURED(lock_##kind),
#include "lib/lock.tbl"
#undef LOCK
};

const unsigned lock_class_count = sizeof(lock_classes) /
    sizeof(lock_classes[0]);

const struct lock_class *
lock_class_find(const char *name)
{
	unsigned i;

	for (i = 0; i < lock_class_count; i++)
		if (strcmp(lock_classes[i]->lc_name, name) == 0)
			return (lock_classes[i]);
	return (NULL);
}

int
lock_init(struct lock *l, const struct lock_class *class, const char *name,
    const struct lock_config *config, struct lockprof *prof)
{

	KASSERT(config->delay_base >= 1 &&
	    config->delay_base <= config->delay_max,
	    ("delays of %u to %u", config->delay_base, config->delay_max));
	memset(l, 0, sizeof(*l));
	l->lo_class = class;
	l->lo_name = name;
	l->lo_config = *config;
	l->lo_prof = prof;
	return (class->lc_init(l));
}

void
lock_fini(struct lock *l)
{

	l->lo_class->lc_fini(l);
	memset(l, 0, sizeof(*l));
}

void
lockprof_record(struct lockprof *lp, const struct lockprof_hold *lh,
    uint64_t end_cycles)
{
	struct lockprof_row *r;
	uint64_t hold, wait;
	uint32_t window;

	window = atomic_load_32(&lp->lp_window);
	if (window == 0)
		return;
	MPASS(machine_curthread()->mt_index < lp->lp_threads);
	MPASS(lh->lh_site < lp->lp_sites);
	r = &lp->lp_rows[(size_t)machine_curthread()->mt_index * lp->lp_sites +
	    lh->lh_site];
	if (r->lr_window != window) {
		memset(r, 0, sizeof(*r));
		r->lr_window = window;
	}
	hold = end_cycles - lh->lh_start_cycles;
	r->lr_count++;
	r->lr_hold_cycles += hold;
	if (hold > r->lr_hold_max_cycles)
		r->lr_hold_max_cycles = hold;
	if (!lh->lh_contended)
		return;
	wait = lh->lh_wait.lw_spin_cycles + lh->lh_wait.lw_block_cycles;
	r->lr_contended++;
	r->lr_spin_cycles += lh->lh_wait.lw_spin_cycles;
	r->lr_block_cycles += lh->lh_wait.lw_block_cycles;
	if (wait > r->lr_wait_max_cycles)
		r->lr_wait_max_cycles = wait;
}
