/*
 * A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing
 * input", IEEE TSE 28(2), 2002: ddmin, over the pieces of a schedule.
 */
#include <errno.h>
#include <string.h>

#include "bench/explore/shrink.h"
#include "bench/explore/strategy.h"

enum {
	SEARCHES	= 200,	/* schedules for each smaller scenario */
	SEARCH_PARAMETER = 3,	/* of pct */
	ROUNDS		= 8
};

struct shrinker {
	struct trial	*sh_trial;
	struct explore_case *sh_case;
	struct strategy	 sh_pct;
	struct schedule	 sh_made;
	struct case_result sh_result;
	uint64_t	 sh_runs;
	uint64_t	 sh_runs_max;
	int		 sh_error;
};

/* Without the pieces from first on, so many. */
static int
without(struct schedule *to, const struct schedule *from, unsigned first,
    unsigned count)
{
	const struct schedule_list *sl = &from->sd_choices;
	unsigned i;

	if (schedule_copy(to, from) != 0)
		return (ENOMEM);
	to->sd_choices.sl_count = 0;
	for (i = 0; i < sl->sl_count; i++)
		if (i < first || i >= first + count)
			schedule_append(to, &to->sd_choices,
			    sl->sl_piece[i].sp_thread,
			    sl->sl_piece[i].sp_count);
	return (to->sd_no_memory ? ENOMEM : 0);
}

/* With a piece moved to the next of the same thread; false: there is none. */
static bool
joined(struct schedule *to, const struct schedule *from, unsigned piece)
{
	const struct schedule_list *sl = &from->sd_choices;
	const struct schedule_piece *moved = &sl->sl_piece[piece];
	unsigned i, next;

	for (next = piece + 1; next < sl->sl_count; next++)
		if (sl->sl_piece[next].sp_thread == moved->sp_thread)
			break;
	if (next >= sl->sl_count || schedule_copy(to, from) != 0)
		return (false);
	to->sd_choices.sl_count = 0;
	for (i = 0; i < sl->sl_count; i++) {
		if (i == next)
			schedule_append(to, &to->sd_choices,
			    moved->sp_thread, moved->sp_count);
		if (i != piece)
			schedule_append(to, &to->sd_choices,
			    sl->sl_piece[i].sp_thread,
			    sl->sl_piece[i].sp_count);
	}
	return (!to->sd_no_memory);
}

/* Takes a try over if it fails and is smaller. */
static bool
accept(struct schedule *sd, struct schedule *try,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	struct schedule old;

	if (!fails(context, try) ||
	    try->sd_choices.sl_count > sd->sd_choices.sl_count ||
	    (try->sd_choices.sl_count == sd->sd_choices.sl_count &&
	    schedule_steps(&try->sd_choices) >=
	    schedule_steps(&sd->sd_choices)))
		return (false);
	old = *sd;
	*sd = *try;
	*try = old;
	return (true);
}

/* The shortest beginning, the rest being left to whoever's turn it is. */
static int
shorten(struct schedule *sd, struct schedule *try,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	unsigned high = sd->sd_choices.sl_count, low = 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (without(try, sd, middle, UINT32_MAX - middle) != 0)
			return (ENOMEM);
		if (accept(sd, try, fails, context)) {
			if (middle == 0)
				break;
			high = middle < sd->sd_choices.sl_count ? middle :
			    sd->sd_choices.sl_count;
		} else {
			low = middle + 1;
		}
	}
	return (0);
}

static int
ddmin(struct schedule *sd, struct schedule *try,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	unsigned chunk, first;

	for (chunk = sd->sd_choices.sl_count / 2; chunk > 0; chunk /= 2) {
		first = 0;
		while (first < sd->sd_choices.sl_count) {
			if (without(try, sd, first, chunk) != 0)
				return (ENOMEM);
			if (!accept(sd, try, fails, context))
				first += chunk;
		}
	}
	return (0);
}

static void
join(struct schedule *sd, struct schedule *try,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	unsigned piece = 0;

	while (piece < sd->sd_choices.sl_count)
		if (!joined(try, sd, piece) ||
		    !accept(sd, try, fails, context))
			piece++;
}

int
shrink_schedule(struct schedule *sd,
    bool (*fails)(void *context, struct schedule *sd), void *context)
{
	struct schedule try;
	unsigned before, round;
	int error = 0;

	memset(&try, 0, sizeof(try));
	for (round = 0; error == 0 && round < ROUNDS; round++) {
		before = sd->sd_choices.sl_count;
		error = shorten(sd, &try, fails, context);
		if (error == 0)
			error = ddmin(sd, &try, fails, context);
		if (error == 0)
			join(sd, &try, fails, context);
		if (sd->sd_choices.sl_count == before)
			break;
	}
	schedule_free(&try);
	return (error);
}

static bool
spent(struct shrinker *sh)
{

	return (sh->sh_error != 0 || sh->sh_runs >= sh->sh_runs_max);
}

/* Whether what was run just now breaks the property; it is then the case. */
static bool
broke(struct shrinker *sh, int error)
{
	const struct trial_outcome *to = &sh->sh_result.cr_outcome;

	sh->sh_runs++;
	if (error != 0) {
		sh->sh_error = error;
		return (false);
	}
	return (to->to_word != NULL &&
	    strcmp(to->to_word, sh->sh_case->ca_word) == 0);
}

/* Replaces the tried schedule by what was made of it. */
static bool
still_fails(void *context, struct schedule *sd)
{
	struct shrinker *sh = context;
	struct explore_case try = *sh->sh_case;

	if (spent(sh))
		return (false);
	try.ca_schedule = *sd;
	if (!broke(sh, case_run(sh->sh_trial, &try, &sh->sh_made, NULL,
	    &sh->sh_result)))
		return (false);
	if (schedule_copy(sd, &sh->sh_made) != 0)
		sh->sh_error = ENOMEM;
	return (sh->sh_error == 0);
}

/* Looks for a failing schedule of a smaller scenario. */
static bool
search(struct shrinker *sh, const struct scenario *smaller)
{
	struct explore_case *ca = sh->sh_case, try = *ca;
	const struct trial_chooser tc = trial_chooser_of(&sh->sh_pct);
	unsigned i;
	bool found;

	try.ca_scenario = *smaller;
	found = broke(sh, case_run(sh->sh_trial, &try, &sh->sh_made, NULL,
	    &sh->sh_result));
	strategy_scenario(&sh->sh_pct);
	for (i = 0; !found && !spent(sh) && i < SEARCHES; i++) {
		(void)strategy_begin(&sh->sh_pct, i, i);
		found = broke(sh, trial_run(sh->sh_trial, &ca->ca_subject,
		    smaller, &tc, ca->ca_draws, &sh->sh_made, NULL,
		    &sh->sh_result.cr_outcome));
		strategy_end(&sh->sh_pct);
	}
	if (!found)
		return (false);
	if (schedule_copy(&ca->ca_schedule, &sh->sh_made) != 0) {
		sh->sh_error = ENOMEM;
		return (false);
	}
	ca->ca_scenario = *smaller;
	return (true);
}

static void
shrink_scenario(struct shrinker *sh)
{
	struct scenario smaller;
	bool any = true;
	unsigned i, round;

	for (round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (i = 0; !spent(sh) && scenario_reduce(
		    &sh->sh_case->ca_scenario, i, &smaller); i++)
			if (!scenario_equals(&smaller,
			    &sh->sh_case->ca_scenario))
				any |= search(sh, &smaller);
	}
}

int
shrink(struct trial *tr, struct explore_case *ca, uint64_t runs_max,
    struct shrink_result *si)
{
	struct shrinker sh = { .sh_trial = tr, .sh_case = ca,
	    .sh_runs_max = runs_max };
	int error;

	memset(si, 0, sizeof(*si));
	si->si_steps_before = schedule_steps(&ca->ca_schedule.sd_choices);
	si->si_switches_before = ca->ca_schedule.sd_choices.sl_count;
	error = strategy_init(&sh.sh_pct, &strategy_pct, SEARCH_PARAMETER);
	if (error != 0)
		return (error);
	error = case_run(tr, ca, NULL, NULL, &sh.sh_result);
	if (error == 0 && !sh.sh_result.cr_same)
		error = EPROTO;
	if (error == 0) {
		/* Half for what is run, so that some is left for how. */
		sh.sh_runs_max = runs_max / 2;
		shrink_scenario(&sh);
		sh.sh_runs_max = runs_max;
		if (sh.sh_error == 0)
			sh.sh_error = shrink_schedule(&ca->ca_schedule,
			    still_fails, &sh);
		error = sh.sh_error;
	}
	if (error == 0)
		error = case_run(tr, ca, &sh.sh_made, NULL, &sh.sh_result);
	if (error == 0 && !broke(&sh, 0))
		error = EPROTO;
	if (error == 0) {
		ca->ca_hash = sh.sh_result.cr_outcome.to_hash;
		error = schedule_copy(&ca->ca_schedule, &sh.sh_made);
	}
	si->si_runs = sh.sh_runs;
	si->si_steps = schedule_steps(&ca->ca_schedule.sd_choices);
	si->si_switches = ca->ca_schedule.sd_choices.sl_count;
	schedule_free(&sh.sh_made);
	strategy_fini(&sh.sh_pct);
	return (error);
}
