#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/explore/schedule.h"

enum { PIECES_AT_FIRST = 256 };

void
schedule_clear(struct schedule *sd)
{

	sd->sd_choices.sl_count = 0;
	sd->sd_answers.sl_count = 0;
	sd->sd_no_memory = false;
}

void
schedule_free(struct schedule *sd)
{

	free(sd->sd_choices.sl_piece);
	free(sd->sd_answers.sl_piece);
	memset(sd, 0, sizeof(*sd));
}

void
schedule_append(struct schedule *sd, struct schedule_list *sl, unsigned thread,
    uint32_t count)
{
	struct schedule_piece *last, *grown;
	unsigned room;

	if (count == 0)
		return;
	last = sl->sl_count == 0 ? NULL : &sl->sl_piece[sl->sl_count - 1];
	if (last != NULL && last->sp_thread == thread &&
	    last->sp_count <= UINT32_MAX - count) {
		last->sp_count += count;
		return;
	}
	if (sl->sl_count == sl->sl_room) {
		room = sl->sl_room == 0 ? PIECES_AT_FIRST : sl->sl_room * 2;
		grown = realloc(sl->sl_piece, room * sizeof(*grown));
		if (grown == NULL) {
			sd->sd_no_memory = true;
			return;
		}
		sl->sl_piece = grown;
		sl->sl_room = room;
	}
	sl->sl_piece[sl->sl_count++] = (struct schedule_piece){
	    .sp_thread = (uint16_t)thread, .sp_count = count };
}

static void
copy_list(struct schedule *to, struct schedule_list *list,
    const struct schedule_list *from)
{
	unsigned i;

	for (i = 0; i < from->sl_count; i++)
		schedule_append(to, list, from->sl_piece[i].sp_thread,
		    from->sl_piece[i].sp_count);
}

int
schedule_copy(struct schedule *to, const struct schedule *from)
{

	schedule_clear(to);
	copy_list(to, &to->sd_choices, &from->sd_choices);
	copy_list(to, &to->sd_answers, &from->sd_answers);
	if (!to->sd_no_memory)
		return (0);
	schedule_clear(to);
	return (ENOMEM);
}

uint64_t
schedule_steps(const struct schedule_list *sl)
{
	uint64_t steps = 0;
	unsigned i;

	for (i = 0; i < sl->sl_count; i++)
		steps += sl->sl_piece[i].sp_count;
	return (steps);
}

unsigned
choice_next(const struct vm_choice *vo, unsigned thread)
{
	const bool any_awake = choice_awake_count(vo) > 0;
	unsigned first = vo->vo_count, i, self = vo->vo_count;

	for (i = 0; i < vo->vo_count; i++) {
		if (any_awake && !choice_awake(vo, i))
			continue;
		if (vo->vo_thread[i] == thread)
			self = i;
		else if (vo->vo_thread[i] > thread)
			return (i);
		else if (first == vo->vo_count)
			first = i;
	}
	return (first < vo->vo_count ? first : self);
}

void
schedule_follow(struct schedule_follower *sf, const struct schedule *sd)
{

	memset(sf, 0, sizeof(*sf));
	sf->sf_schedule = sd;
}

/* Where thread is among those who could go on; or -1. */
static int
index_of(const struct vm_choice *vo, unsigned thread)
{
	unsigned i;

	for (i = 0; i < vo->vo_count; i++)
		if (vo->vo_thread[i] == thread)
			return ((int)i);
	return (-1);
}

unsigned
schedule_choose(struct schedule_follower *sf, const struct vm_choice *vo)
{
	const struct schedule_list *sl = &sf->sf_schedule->sd_choices;
	const struct schedule_piece *sp;
	int i;

	for (; sf->sf_piece < sl->sl_count; sf->sf_piece++, sf->sf_used = 0) {
		sp = &sl->sl_piece[sf->sf_piece];
		if (sf->sf_used == sp->sp_count)
			continue;
		i = index_of(vo, sp->sp_thread);
		if (i >= 0) {
			sf->sf_used++;
			sf->sf_last = sp->sp_thread;
			return ((unsigned)i);
		}
		sf->sf_strayed = true;
	}
	sf->sf_strayed = true;
	i = choice_continues(vo) ? vo->vo_self :
	    (int)choice_next(vo, sf->sf_last);
	sf->sf_last = vo->vo_thread[i];
	return ((unsigned)i);
}

bool
schedule_answer(struct schedule_follower *sf)
{
	const struct schedule_list *sl = &sf->sf_schedule->sd_answers;
	const struct schedule_piece *sp;

	while (sf->sf_answer < sl->sl_count) {
		sp = &sl->sl_piece[sf->sf_answer];
		if (sf->sf_answer_used < sp->sp_count) {
			sf->sf_answer_used++;
			return (sp->sp_thread != 0);
		}
		sf->sf_answer++;
		sf->sf_answer_used = 0;
	}
	sf->sf_strayed = true;
	return (true);
}

/* Whether a list was used up to there. */
static bool
used_up(const struct schedule_list *sl, unsigned piece, uint32_t used)
{

	return (piece >= sl->sl_count || (piece + 1 == sl->sl_count &&
	    used == sl->sl_piece[piece].sp_count));
}

bool
schedule_exact(const struct schedule_follower *sf)
{

	return (!sf->sf_strayed &&
	    used_up(&sf->sf_schedule->sd_choices, sf->sf_piece,
	    sf->sf_used) &&
	    used_up(&sf->sf_schedule->sd_answers, sf->sf_answer,
	    sf->sf_answer_used));
}
