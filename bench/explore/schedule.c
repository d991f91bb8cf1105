#include "bench/explore/schedule.h"

enum {
	ROOM_AT_FIRST	= 1024,
	TURNS_OF_LINE	= 12	/* in a file, about 80 columns */
};

CTASSERT(VM_NUMBERS - 1 <= UINT8_MAX);

void
schedule_free(struct schedule *sd)
{
	free(sd->sd_choices.sq_number);
	free(sd->sd_answers.sq_number);
	memset(sd, 0, sizeof(*sd));
}

void
schedule_room(struct schedule_list *sq, unsigned count)
{
	const unsigned end = sq->sq_count + count;

	if (end > sq->sq_room) {
		sq->sq_room = end > ROOM_AT_FIRST ? 2 * end : ROOM_AT_FIRST;
		sq->sq_number = xreallocarray(sq->sq_number, sq->sq_room, 1);
	}
}

static void
copy_list(struct schedule_list *to, const struct schedule_list *from)
{
	to->sq_count = 0;
	schedule_room(to, from->sq_count);
	to->sq_count = from->sq_count;
	if (from->sq_count > 0)
		memcpy(to->sq_number, from->sq_number, from->sq_count);
}

void
schedule_copy(struct schedule *to, const struct schedule *from)
{
	copy_list(&to->sd_choices, &from->sd_choices);
	copy_list(&to->sd_answers, &from->sd_answers);
	to->sd_polls = from->sd_polls;
}

unsigned
schedule_turn_end(const struct schedule_list *sq, unsigned begin)
{
	unsigned end = begin;

	while (end < sq->sq_count && sq->sq_number[end] == sq->sq_number[begin])
		end++;
	return (end);
}

unsigned
schedule_turns(const struct schedule_list *sq)
{
	unsigned turns = 0;

	for (unsigned at = 0; at < sq->sq_count; turns++)
		at = schedule_turn_end(sq, at);
	return (turns);
}

void
schedule_list_print(FILE *out, const char *key, const struct schedule_list *sq)
{
	unsigned end, turns = 0;

	for (unsigned at = 0; at < sq->sq_count; at = end, turns++) {
		end = schedule_turn_end(sq, at);
		if (turns % TURNS_OF_LINE == 0)
			fprintf(out, "%s%s", turns == 0 ? "" : "\n", key);
		fprintf(out, " %u", sq->sq_number[at]);
		if (end - at > 1)
			fprintf(out, "*%u", end - at);
	}
	if (turns > 0)
		fputc('\n', out);
}

/*
 * The next after a thread, round-robin; sleeping ones only if none is awake,
 * and the thread itself only if there is no other.
 */
static unsigned
next_in_turn(const struct vm_choice *vo, unsigned thread)
{
	unsigned best = UINT_MAX, chosen = 0, turn;

	for (unsigned i = 0; i < vo->vo_count; i++) {
		turn = (vo->vo_thread[i] - thread - 1) % VM_NUMBERS;
		if ((choice_awake(vo) >> i & 1) == 0)
			turn += VM_NUMBERS;
		if (turn < best) {
			best = turn;
			chosen = i;
		}
	}
	return (chosen);
}

unsigned
schedule_choose(void *context, const struct vm_choice *vo)
{
	struct schedule_follower *sf = context;
	const struct schedule_list *sq = &sf->sf_schedule->sd_choices;
	unsigned i;

	if (sf->sf_choice == sq->sq_count && sf->sf_choose != NULL)
		return (sf->sf_choose(sf->sf_context, vo));
	while (sf->sf_choice < sq->sq_count) {
		for (i = 0; i < vo->vo_count; i++)
			if (vo->vo_thread[i] == sq->sq_number[sf->sf_choice]) {
				sf->sf_choice++;
				sf->sf_last = vo->vo_thread[i];
				return (i);
			}
		/* What a load returns, or a CPU, is no change of threads. */
		if (choice_is_own(vo))
			break;
		sf->sf_choice = schedule_turn_end(sq, sf->sf_choice);
		sf->sf_strayed = true;
	}
	sf->sf_strayed = true;
	i = choice_continues(vo) ? (unsigned)vo->vo_self :
	    next_in_turn(vo, sf->sf_last);
	sf->sf_last = vo->vo_thread[i];
	return (i);
}

bool
schedule_answer(void *context)
{
	struct schedule_follower *sf = context;
	const struct schedule_list *sq = &sf->sf_schedule->sd_answers;

	if (sf->sf_choice == sf->sf_schedule->sd_choices.sq_count &&
	    sf->sf_running != NULL)
		return (sf->sf_running(sf->sf_context));
	if (sf->sf_answer < sq->sq_count)
		return (sq->sq_number[sf->sf_answer++] != 0);
	sf->sf_strayed = true;
	return (true);
}
