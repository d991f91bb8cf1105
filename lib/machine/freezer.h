/*
 * Threads of the real machine that stop and go on together, as a hypervisor
 * pauses a guest.  The machine's clocks stand still meanwhile, so that the
 * threads cannot measure a pause.  A thread stops wherever it is, also while it
 * holds a lock, but not between hold_begin() and hold_end() of lib/base/base.h:
 * threads that run on must wait for nothing else that it may hold, and handlers
 * of signals, which run also on stopped threads, for no lock at all.
 * machine_thread_cpu_ns() leaves out what stopping costs a thread: the signal's
 * handler and, in machine_sleep(), everything after the first stop, because a
 * thread that is not stopped wakes once.
 *
 * Threads of two freezers must not run at once while both use the clocks: these
 * are those of the freezer that went on last.
 */
#pragma once

#include <sys/queue.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "lib/machine/flavour.h"

struct mthread;

struct freezer {
	pthread_mutex_t	 fz_mutex;	/* guards the list */
	LIST_HEAD(, freezer_member) fz_members;
	unsigned	 fz_count;
	_Atomic uint32_t fz_round;	/* odd while stopped */
	_Atomic uint32_t fz_stopped;	/* members, in this round */
	uint64_t	 fz_stop_cycles;
	int64_t		 fz_stop_ns;
	uint64_t	 fz_lost_cycles;	/* in all pauses */
	int64_t		 fz_lost_ns;
};

/* A thread's place in the list; its own storage until freezer_leave(). */
struct freezer_member {
	struct freezer	*fzm_freezer;
	LIST_ENTRY(freezer_member) fzm_all;
	pthread_t	 fzm_thread;
};

/*
 * What the machine's clocks leave out; 0 where no freezer is used.  It changes
 * only while the threads that read it are stopped, at any instruction.
 */
extern struct freezer_lost {
	_Alignas(MACHINE_CACHE_LINE) volatile uint64_t fzl_cycles;
	volatile int64_t fzl_ns;
} freezer_lost;

/* Uses SIGUSR2.  Clocks begin at the host's. */
void freezer_init(struct freezer *fz);

/*
 * Makes the calling thread a member; fz may be NULL.  While fz is stopped this
 * waits.  Threads that a member starts with machine_spawn() become members.
 */
void freezer_enter(struct freezer *fz, struct freezer_member *fm);
void freezer_leave(struct freezer_member *fm);

/* The caller's; NULL: it is no member. */
extern _Thread_local struct freezer *freezer_self;

/* Around a sleep, whose pauses cost the caller no CPU time. */
void freezer_sleep_begins(struct mthread *td);
void freezer_sleep_ends(struct mthread *td);

/* From a thread that is no member: returns when all members have stopped. */
void freezer_stop(struct freezer *fz);

/* Sets the clocks and lets the members go on. */
void freezer_go(struct freezer *fz);
