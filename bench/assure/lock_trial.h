/*
 * Trials of a lock: what threads that use it see.  How long anything takes
 * decides nothing; threads meet at flags.
 */
#pragma once

#include "lib/lock/lock.h"

enum {
	LOCK_TRIAL_CPUS	= 8,	/* of the simulated machine */
	LOCK_TRIAL_NODES = 2,
	LOCK_TRIAL_PASS_LIMIT = 4
};

enum lock_trial_kind {
	LOCK_TRIAL_CROWD,	/* threads acquire it again and again */
	LOCK_TRIAL_HELD,	/* they come one by one while it is held */
	LOCK_TRIAL_RUSH,	/* all come while it is held */
	LOCK_TRIAL_FINI,	/* its owner destroys it */
	/* Or acquires it again: EDEADLK is right, on simulated machines. */
	LOCK_TRIAL_TWICE
};

struct lock_trial {
	enum lock_trial_kind lt_kind;
	const struct lock_class *lt_class;	/* of the machine's flavour */
	unsigned	lt_threads;
	unsigned	lt_rounds;	/* of each thread */
	bool		lt_brief;	/* it is held a moment */
	/* Whether it is late, which ends it, by tick_ns(); NULL: all rounds. */
	bool		(*lt_late)(const struct lock_trial *lt);
	int64_t		lt_until_ns;
	unsigned	lt_try_every;	/* so many-th only tries; 0: none */
	/* Found; zero before. */
	uint64_t	lt_acquired;
	uint64_t	lt_met;		/* times that not only one was inside */
	uint64_t	lt_lost;	/* changes of a number that it guards */
	/* The most acquisitions of others while a thread waited. */
	uint64_t	lt_overtaken;
	bool		lt_certain;	/* HELD: all were seen to wait */
	bool		lt_ordered;	/* and were served in order */
	bool		lt_owned_right;	/* FINI: lock_owned() */
	bool		lt_permitted;	/* FINI, TWICE: it was possible */
	struct machine_outcome lt_outcome;
};

/* Runs it on the flavour's machine; mc: a simulated one.  As machine_run(). */
typedef int	lock_trial_runner(struct lock_trial *lt,
		    const struct machine_config *mc);

lock_trial_runner real_lock_trial, bare_lock_trial, virtual_lock_trial;
