/*
 * A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing
 * input", IEEE TSE 28(2), 2002: ddmin, over the pieces of a schedule.
 */
#include "bench/explore/shrink.h"
#include "bench/explore/strategy.h"

enum {
	SEARCHES	= 200,	/* schedules for each smaller scenario */
	SEARCH_PARAMETER = 3,	/* of pct */
	ROUNDS		= 8
};

/* A schedule that is made smaller. */
struct shorter {
	struct schedule	*sr_schedule;
	struct schedule	 sr_try;
	bool		(*sr_fails)(void *context, struct schedule *sd);
	void		*sr_context;
};

/*
 * Tries it without the count pieces from first on; but if there is a piece
 * next, piece first moves before it.
 *
 * Returns: whether that fails, and is smaller, and is now the schedule.
 */
static bool
try_without(struct shorter *sr, unsigned first, unsigned count, unsigned next)
{
	const struct schedule_list *from = &sr->sr_schedule->sd_choices;
	struct schedule_list *to = &sr->sr_try.sd_choices;
	const struct schedule_piece *sp = from->sl_piece;
	struct schedule old;

	schedule_copy(&sr->sr_try, sr->sr_schedule);
	schedule_list_clear(to);
	for (unsigned i = 0; i < from->sl_count; i++) {
		if (i == next)
			schedule_append(to, sp[first].sp_thread,
			    sp[first].sp_count);
		if (i < first || i >= first + count)
			schedule_append(to, sp[i].sp_thread, sp[i].sp_count);
	}
	if (!sr->sr_fails(sr->sr_context, &sr->sr_try) ||
	    to->sl_count > from->sl_count || (to->sl_count == from->sl_count &&
	    to->sl_steps >= from->sl_steps))
		return (false);
	old = *sr->sr_schedule;
	*sr->sr_schedule = sr->sr_try;
	sr->sr_try = old;
	return (true);
}

/* The shortest prefix that fails; what follows runs in turn. */
static void
shorten(struct shorter *sr)
{
	const struct schedule_list *sl = &sr->sr_schedule->sd_choices;
	unsigned high = sl->sl_count, low = 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (!try_without(sr, middle, UINT32_MAX - middle, UINT32_MAX))
			low = middle + 1;
		else
			high = middle < sl->sl_count ? middle : sl->sl_count;
	}
}

static void
ddmin(struct shorter *sr)
{
	const struct schedule_list *sl = &sr->sr_schedule->sd_choices;

	for (unsigned chunk = sl->sl_count / 2; chunk > 0; chunk /= 2)
		for (unsigned first = 0; first < sl->sl_count;)
			if (!try_without(sr, first, chunk, UINT32_MAX))
				first += chunk;
}

/* Joins each piece with the next one of the same thread. */
static void
join(struct shorter *sr)
{
	const struct schedule_list *sl = &sr->sr_schedule->sd_choices;
	unsigned next, piece = 0;

	while (piece < sl->sl_count) {
		for (next = piece + 1; next < sl->sl_count; next++)
			if (sl->sl_piece[next].sp_thread ==
			    sl->sl_piece[piece].sp_thread)
				break;
		if (next >= sl->sl_count || !try_without(sr, piece, 1, next))
			piece++;
	}
}

void
shrink_schedule(struct schedule *sd,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	struct shorter sr = { .sr_schedule = sd, .sr_fails = fails,
	    .sr_context = context };
	unsigned before, round;

	for (round = 0; round < ROUNDS; round++) {
		before = sd->sd_choices.sl_count;
		shorten(&sr);
		ddmin(&sr);
		join(&sr);
		if (sd->sd_choices.sl_count == before)
			break;
	}
	schedule_free(&sr.sr_try);
}

struct shrinker {
	struct execution *sh_ex;
	struct counterexample *sh_case;
	struct strategy	 sh_pct;
	struct replay_result sh_result;	/* of the last run */
	uint64_t	 sh_runs;
	uint64_t	 sh_runs_max;
	int		 sh_error;
};

static bool
spent(const struct shrinker *sh)
{
	return (sh->sh_error != 0 || sh->sh_runs >= sh->sh_runs_max);
}

/* Whether the last run, which returned error, broke the same property. */
static bool
broke(struct shrinker *sh, int error)
{
	const char *word = sh->sh_result.cr_outcome.to_word;

	sh->sh_runs++;
	if (error != 0)
		sh->sh_error = error;
	return (error == 0 && word != NULL &&
	    strcmp(word, sh->sh_case->cx_word) == 0);
}

static bool
still_fails(void *context, struct schedule *sd)
{
	struct shrinker *sh = context;
	struct counterexample try = *sh->sh_case;

	try.cx_schedule = *sd;
	if (spent(sh) || !broke(sh, counterexample_run(sh->sh_ex, &try, NULL,
	    &sh->sh_result)))
		return (false);
	schedule_copy(sd, sh->sh_result.cr_outcome.to_made);
	return (true);
}

/* Looks for a failing schedule of a smaller scenario. */
static bool
search(struct shrinker *sh, const struct scenario *smaller)
{
	struct counterexample *cx = sh->sh_case, try = *cx;
	const struct vm_control vh = { .vh_choose = strategy_choose,
	    .vh_running = strategy_running, .vh_context = &sh->sh_pct,
	    .vh_polls = cx->cx_schedule.sd_polls != 0 };
	unsigned i;
	bool found;

	try.cx_scenario = *smaller;
	found = broke(sh, counterexample_run(sh->sh_ex, &try, NULL,
	    &sh->sh_result));
	for (i = 0; !found && !spent(sh) && i < SEARCHES; i++) {
		(void)strategy_begin(&sh->sh_pct, i, i);
		found = broke(sh, execution_run(sh->sh_ex, &cx->cx_subject,
		    smaller, &vh, cx->cx_draws, NULL,
		    &sh->sh_result.cr_outcome));
		strategy_end(&sh->sh_pct);
	}
	if (!found)
		return (false);
	schedule_copy(&cx->cx_schedule, sh->sh_result.cr_outcome.to_made);
	cx->cx_scenario = *smaller;
	return (true);
}

static void
shrink_scenario(struct shrinker *sh)
{
	struct scenario smaller;
	bool any = true;

	for (unsigned round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (unsigned i = 0; !spent(sh) && scenario_reduce(
		    &sh->sh_case->cx_scenario, i, &smaller); i++)
			/* Unused members are 0. */
			if (memcmp(&smaller, &sh->sh_case->cx_scenario,
			    sizeof(smaller)) != 0)
				any |= search(sh, &smaller);
	}
}

int
shrink(struct execution *ex, struct counterexample *cx, uint64_t runs_max)
{
	struct shrinker sh = { .sh_ex = ex, .sh_case = cx };
	int error;

	strategy_init(&sh.sh_pct, &strategy_pct, SEARCH_PARAMETER);
	error = counterexample_run(ex, cx, NULL, &sh.sh_result);
	if (error == 0 && !sh.sh_result.cr_same)
		error = EPROTO;
	if (error == 0) {
		/* Half for the scenario, so that some is left for choices. */
		sh.sh_runs_max = runs_max / 2;
		shrink_scenario(&sh);
		sh.sh_runs_max = runs_max;
		if (sh.sh_error == 0)
			shrink_schedule(&cx->cx_schedule, still_fails, &sh);
		error = sh.sh_error;
	}
	if (error == 0)
		error = counterexample_run(ex, cx, NULL, &sh.sh_result);
	if (error == 0 && !broke(&sh, 0))
		error = EPROTO;
	if (error == 0) {
		cx->cx_hash = sh.sh_result.cr_outcome.to_hash;
		schedule_copy(&cx->cx_schedule,
		    sh.sh_result.cr_outcome.to_made);
	}
	strategy_fini(&sh.sh_pct);
	return (error);
}
