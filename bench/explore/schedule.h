/*
 * Schedules: who went on at each choice of a run, in order.
 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vm.h"

/* The same choice several times in a row. */
struct schedule_piece {
	uint16_t	sp_thread;	/* a thread's number; or an answer */
	uint32_t	sp_count;
};

struct schedule_list {
	struct schedule_piece *sl_piece;
	unsigned	 sl_count;
	unsigned	 sl_room;
};

struct schedule {
	struct schedule_list sd_choices;
	/* What machine_running() was made to say, 0 or 1. */
	struct schedule_list sd_answers;
	bool		 sd_no_memory;	/* something is missing */
};

/* Empties it and keeps the memory. */
void schedule_clear(struct schedule *sd);
void schedule_free(struct schedule *sd);

/* Returns: 0 or ENOMEM; to is then empty. */
int schedule_copy(struct schedule *to, const struct schedule *from);

/* Choices of a list. */
uint64_t schedule_steps(const struct schedule_list *sl);

/* Adds count times the same; joined with the last piece where it can be. */
void schedule_append(struct schedule *sd, struct schedule_list *sl,
    unsigned thread, uint32_t count);

static inline void
schedule_add(struct schedule *sd, struct schedule_list *sl, unsigned thread)
{
	struct schedule_piece *last;

	if (sl->sl_count > 0) {
		last = &sl->sl_piece[sl->sl_count - 1];
		if (last->sp_thread == thread && last->sp_count < UINT32_MAX) {
			last->sp_count++;
			return;
		}
	}
	schedule_append(sd, sl, thread, 1);
}

/*
 * Follows a schedule.  Where that is over, or names a thread that cannot go on,
 * who runs keeps running and then the others have their turns, the awake ones
 * first.
 */
struct schedule_follower {
	const struct schedule *sf_schedule;
	unsigned	 sf_piece;
	uint32_t	 sf_used;	/* of the piece */
	unsigned	 sf_answer;
	uint32_t	 sf_answer_used;
	unsigned	 sf_last;	/* who went on last */
	bool		 sf_strayed;	/* it was not followed to the letter */
};

void schedule_follow(struct schedule_follower *sf, const struct schedule *sd);
unsigned schedule_choose(struct schedule_follower *sf,
    const struct vm_choice *vo);
bool schedule_answer(struct schedule_follower *sf);

/* Whether all of it was used, and nothing else. */
bool schedule_exact(const struct schedule_follower *sf);

/* For those who choose.  Whether the i-th of them is not asleep. */
static inline bool
choice_awake(const struct vm_choice *vo, unsigned i)
{

	return ((vo->vo_asleep >> i & 1) == 0);
}

/* How many are not. */
static inline unsigned
choice_awake_count(const struct vm_choice *vo)
{

	return (vo->vo_count - (unsigned)__builtin_popcountll(vo->vo_asleep));
}

/* Whether the thread that is asked could usefully go on itself. */
static inline bool
choice_continues(const struct vm_choice *vo)
{

	return (vo->vo_self >= 0 && (vo->vo_point == VM_POINT_ACCESS ||
	    vo->vo_point == VM_POINT_CHARGE));
}

/*
 * The next in turn behind a thread, round and round; those asleep only where
 * nobody is awake, and the thread itself only where there is no other.
 */
unsigned choice_next(const struct vm_choice *vo, unsigned thread);

#endif
