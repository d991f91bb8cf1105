/*
 * Trials of a lock: what threads that use it see.  How long anything takes
 * decides nothing; threads meet at flags.
 */
#ifndef BENCH_ASSURE_LOCK_TRIAL_H
#define BENCH_ASSURE_LOCK_TRIAL_H

#include "lib/lock/lock.h"
#include "lib/vm/vm.h"

enum lock_trial_kind {
	LOCK_TRIAL_CROWD,	/* lt_threads acquire it lt_rounds times each */
	/* lt_threads come one after the other while it is held. */
	LOCK_TRIAL_QUEUE,
	/*
	 * It is held and destroyed while held; with lt_tries another thread
	 * tries it before, free and held.
	 */
	LOCK_TRIAL_MISUSE,
	/*
	 * Its owner acquires it again: for simulated machines, where that ends
	 * with EDEADLK.
	 */
	LOCK_TRIAL_TWICE
};

struct lock_trial {
	enum lock_trial_kind lt_kind;
	const struct lock_class *lt_class;	/* of the machine's flavour */
	struct lock_config lt_config;	/* but its threads */
	unsigned	lt_threads;	/* 1 or more */
	unsigned	lt_rounds;
	bool		lt_tries;	/* CROWD: one in four only tries */
	/* Found; zero before. */
	uint64_t	lt_acquired;	/* CROWD */
	uint64_t	lt_met;		/* times that not only one was inside */
	uint64_t	lt_lost;	/* changes of a number that it guards */
	/* The most acquisitions of others while a thread waited. */
	uint64_t	lt_overtaken;
	bool		lt_certain;	/* QUEUE: all were seen to wait */
	bool		lt_ordered;	/* and were served in order */
	bool		lt_tried_free;	/* MISUSE: another that tried got it */
	bool		lt_tried_held;
	bool		lt_owned_right;	/* lock_owned() */
	bool		lt_fini_asserts;
	bool		lt_twice;	/* TWICE: it got in */
	struct machine_outcome lt_outcome;
};

/*
 * Runs a trial on the flavour's machine.
 *
 *   mc  in  of a simulated machine; else NULL
 *
 * Returns: 0; ENOMEM, EAGAIN; what machine_run() returns.
 */
typedef int	lock_trial_runner(struct lock_trial *lt,
		    const struct machine_config *mc);

lock_trial_runner real_lock_trial, bare_lock_trial, virtual_lock_trial;

#endif
