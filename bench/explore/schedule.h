/*
 * Schedules: the thread that ran at each choice of an execution, in order; with
 * weak memory also whose store was committed, and what a load returned, as
 * vo_thread numbers them.
 */
#ifndef BENCH_EXPLORE_SCHEDULE_H
#define BENCH_EXPLORE_SCHEDULE_H

#include "lib/vm/vm.h"

/* The same choice several times in a row. */
struct schedule_piece {
	uint16_t	sp_thread;	/* a thread's number; or an answer */
	uint32_t	sp_count;
};

struct schedule_list {
	struct schedule_piece *sl_piece;
	unsigned	 sl_count;
	unsigned	 sl_room;
	uint64_t	 sl_steps;	/* choices of all pieces */
};

struct schedule {
	struct schedule_list sd_choices;
	/* What machine_running() returned, 0 or 1. */
	struct schedule_list sd_answers;
	unsigned	 sd_polls;	/* vh_polls; 0 or 1 */
};

/* Empty a list, and both lists; the memory is kept. */
void schedule_list_clear(struct schedule_list *sl);
void schedule_clear(struct schedule *sd);
void schedule_free(struct schedule *sd);

void schedule_copy(struct schedule *to, const struct schedule *from);

/*
 * Adds count choices of one thread, to the last piece if that has the same
 * thread.  sl_no_memory is set when there is no memory.
 */
void schedule_append(struct schedule_list *sl, unsigned thread, uint32_t count);

/* Prints a list after a word, in as many lines as it takes. */
void schedule_list_print(FILE *out, const char *key,
    const struct schedule_list *sl);

/* Where a follower is in a list. */
struct schedule_place {
	unsigned	 sp_piece;
	uint32_t	 sp_used;	/* of the piece */
};

/*
 * Follows a schedule.  After its end, and where it names a thread that cannot
 * run, the current thread continues, then the others in turn, awake ones first.
 */
struct schedule_follower {
	const struct schedule *sf_schedule;
	struct schedule_place sf_choice;
	struct schedule_place sf_answer;
	unsigned	 sf_last;	/* the thread chosen last */
	bool		 sf_strayed;	/* it was not followed exactly */
};

void schedule_follow(struct schedule_follower *sf, const struct schedule *sd);

/* vh_choose and vh_running of a follower, which is their context. */
unsigned schedule_choose(void *sf, const struct vm_choice *vo);
bool schedule_answer(void *sf);

/* Whether all of it was used, and nothing else. */
bool schedule_exact(const struct schedule_follower *sf);

/* Whether the i-th thread of a choice is not asleep. */
static inline bool
choice_awake(const struct vm_choice *vo, unsigned i)
{
	return ((vo->vo_asleep >> i & 1) == 0);
}

/* How many threads of a choice are not asleep. */
static inline unsigned
choice_awake_count(const struct vm_choice *vo)
{
	return (vo->vo_count - (unsigned)__builtin_popcountll(vo->vo_asleep));
}

/* Whether the current thread can continue and does not wait. */
static inline bool
choice_continues(const struct vm_choice *vo)
{
	return (vo->vo_self >= 0 && (vo->vo_point == VM_POINT_ACCESS ||
	    vo->vo_point == VM_POINT_CHARGE || vo->vo_point == VM_POINT_VALUE));
}

/*
 * The next after a thread, round-robin; sleeping ones only if none is awake,
 * and the thread itself only if there is no other.
 */
unsigned choice_next(const struct vm_choice *vo, unsigned thread);

#endif
