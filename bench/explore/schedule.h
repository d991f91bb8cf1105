/*
 * Schedules: the thread that ran at each choice of an execution, in order, and
 * where it was in its kernel; with weak memory also whose store was committed,
 * and what a load returned, as vo_thread numbers them.
 */
#pragma once

#include "lib/vm/vm.h"

struct schedule_list {
	uint8_t		*sq_number;	/* a thread's, or an answer */
	unsigned	 sq_count, sq_room;
};

struct schedule {
	struct schedule_list sd_choices;
	/* What machine_running() returned, 0 or 1. */
	struct schedule_list sd_answers;
	unsigned	 sd_polls;	/* vh_polls */
};

void schedule_free(struct schedule *sd);

void schedule_copy(struct schedule *to, const struct schedule *from);

/* Makes room for so many more numbers; adds one. */
void schedule_room(struct schedule_list *sq, unsigned count);

static inline void
schedule_add(struct schedule_list *sq, unsigned number)
{
	if (sq->sq_count == sq->sq_room)
		schedule_room(sq, 1);
	sq->sq_number[sq->sq_count++] = (uint8_t)number;
}

/* The end of a turn, which is of equal numbers; and the number of turns. */
unsigned schedule_turn_end(const struct schedule_list *sq, unsigned begin);
unsigned schedule_turns(const struct schedule_list *sq);

/* Prints a list after a word, in as many lines as it takes. */
void schedule_list_print(FILE *out, const char *key,
    const struct schedule_list *sq);

/*
 * Follows a schedule; all else is 0 at first.  After its end, unless sf_choose
 * and sf_running are called then, or where it names a thread that cannot run,
 * the current one continues, then others in turn.
 */
struct schedule_follower {
	const struct schedule *sf_schedule;
	unsigned	 sf_choice;	/* the next */
	unsigned	 sf_answer;
	unsigned	 sf_last;	/* the thread chosen last */
	bool		 sf_strayed;	/* it was not followed exactly */
	unsigned	(*sf_choose)(void *context, const struct vm_choice *vo);
	bool		(*sf_running)(void *context);
	void		*sf_context;
};

/* vh_choose and vh_running of a follower, which is their context. */
unsigned schedule_choose(void *sf, const struct vm_choice *vo);
bool schedule_answer(void *sf);

/* The choices that are not asleep: bit i is vo_thread[i]. */
static inline uint64_t
choice_awake(const struct vm_choice *vo)
{
	return (~vo->vo_asleep & UINT64_MAX >> (64 - vo->vo_count));
}

/* Whether it is among ways of one thread. */
static inline bool
choice_is_own(const struct vm_choice *vo)
{
	return (vo->vo_point == VM_POINT_VALUE ||
	    vo->vo_point == VM_POINT_CPU || vo->vo_point == VM_POINT_LIMIT);
}

/* Whether the current thread can continue and does not wait. */
static inline bool
choice_continues(const struct vm_choice *vo)
{
	return (vo->vo_self >= 0 && vo->vo_point != VM_POINT_YIELD &&
	    vo->vo_point != VM_POINT_BLOCKED);
}
