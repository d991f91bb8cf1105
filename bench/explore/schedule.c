#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/explore/schedule.h"

enum { PIECES_AT_FIRST = 256, ITEM_SIZE = 32 };

void
schedule_list_clear(struct schedule_list *sl)
{
	sl->sl_count = 0;
	sl->sl_steps = 0;
}

void
schedule_clear(struct schedule *sd)
{
	schedule_list_clear(&sd->sd_choices);
	schedule_list_clear(&sd->sd_answers);
}

void
schedule_free(struct schedule *sd)
{
	free(sd->sd_choices.sl_piece);
	free(sd->sd_answers.sl_piece);
	memset(sd, 0, sizeof(*sd));
}

void
schedule_append(struct schedule_list *sl, unsigned thread, uint32_t count)
{
	struct schedule_piece *last;

	if (count == 0)
		return;
	last = sl->sl_count == 0 ? NULL : &sl->sl_piece[sl->sl_count - 1];
	if (last != NULL && last->sp_thread == thread &&
	    last->sp_count <= UINT32_MAX - count) {
		last->sp_count += count;
		sl->sl_steps += count;
		return;
	}
	if (sl->sl_count == sl->sl_room) {
		sl->sl_room = sl->sl_room == 0 ? PIECES_AT_FIRST :
		    sl->sl_room * 2;
		sl->sl_piece = xreallocarray(sl->sl_piece, sl->sl_room,
		    sizeof(*sl->sl_piece));
	}
	sl->sl_piece[sl->sl_count++] = (struct schedule_piece){
	    .sp_thread = (uint16_t)thread, .sp_count = count };
	sl->sl_steps += count;
}

void
schedule_list_print(FILE *out, const char *key, const struct schedule_list *sl)
{
	char item[ITEM_SIZE];
	const struct schedule_piece *sp;
	int len, used = 0;

	for (unsigned i = 0; i < sl->sl_count; i++) {
		sp = &sl->sl_piece[i];
		len = sp->sp_count == 1 ? snprintf(item, sizeof(item), " %u",
		    sp->sp_thread) : snprintf(item, sizeof(item),
		    " %u*%" PRIu32, sp->sp_thread, sp->sp_count);
		if (used == 0 || used + len > FORMAT_COLUMNS - 2)
			used = fprintf(out, "%s%s", used > 0 ? "\n" : "", key) -
			    (used > 0);
		used += fprintf(out, "%s", item);
	}
	if (used > 0)
		fputc('\n', out);
}

static void
copy_list(struct schedule_list *to, const struct schedule_list *from)
{
	schedule_list_clear(to);
	for (unsigned i = 0; i < from->sl_count; i++)
		schedule_append(to, from->sl_piece[i].sp_thread,
		    from->sl_piece[i].sp_count);
}

void
schedule_copy(struct schedule *to, const struct schedule *from)
{
	copy_list(&to->sd_choices, &from->sd_choices);
	copy_list(&to->sd_answers, &from->sd_answers);
	to->sd_polls = from->sd_polls;
}

unsigned
choice_next(const struct vm_choice *vo, unsigned thread)
{
	const bool any_awake = choice_awake_count(vo) > 0;
	unsigned first = vo->vo_count, self = vo->vo_count;

	for (unsigned i = 0; i < vo->vo_count; i++) {
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

/* The piece to follow now, or NULL at the end. */
static const struct schedule_piece *
piece_now(const struct schedule_list *sl, struct schedule_place *place)
{
	for (; place->sp_piece < sl->sl_count; place->sp_piece++,
	    place->sp_used = 0)
		if (place->sp_used < sl->sl_piece[place->sp_piece].sp_count)
			return (&sl->sl_piece[place->sp_piece]);
	return (NULL);
}

unsigned
schedule_choose(void *context, const struct vm_choice *vo)
{
	struct schedule_follower *sf = context;
	const struct schedule_piece *sp;
	unsigned i;

	while ((sp = piece_now(&sf->sf_schedule->sd_choices,
	    &sf->sf_choice)) != NULL) {
		for (i = 0; i < vo->vo_count; i++)
			if (vo->vo_thread[i] == sp->sp_thread) {
				sf->sf_choice.sp_used++;
				sf->sf_last = sp->sp_thread;
				return (i);
			}
		/* What a load returns stands for no change of threads. */
		if (vo->vo_point == VM_POINT_VALUE)
			break;
		sf->sf_choice.sp_used = sp->sp_count;
		sf->sf_strayed = true;
	}
	sf->sf_strayed = true;
	i = choice_continues(vo) ? (unsigned)vo->vo_self :
	    choice_next(vo, sf->sf_last);
	sf->sf_last = vo->vo_thread[i];
	return (i);
}

bool
schedule_answer(void *context)
{
	struct schedule_follower *sf = context;
	const struct schedule_piece *sp;

	sp = piece_now(&sf->sf_schedule->sd_answers, &sf->sf_answer);
	if (sp != NULL)
		sf->sf_answer.sp_used++;
	else
		sf->sf_strayed = true;
	return (sp == NULL || sp->sp_thread != 0);
}

bool
schedule_exact(const struct schedule_follower *sf)
{
	struct schedule_follower end = *sf;

	return (!sf->sf_strayed &&
	    piece_now(&sf->sf_schedule->sd_choices, &end.sf_choice) == NULL &&
	    piece_now(&sf->sf_schedule->sd_answers, &end.sf_answer) == NULL);
}
