/*
 * A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing
 * input", IEEE TSE 28(2), 2002: ddmin, over the turns of a schedule.
 */
#include "bench/explore/counterexample.h"
#include "bench/explore/strategy.h"

enum {
	SEARCHES	= 200,	/* short runs for each smaller scenario */
	SEARCH_DEPTH	= 3,	/* of pct */
	ROUNDS		= 8,
	CONTINUED	= 200,	/* short runs from each choice that is tried */
	CONTINUED_LEAST	= 10	/* runs of any length */
};

/* A schedule that is made smaller. */
struct shorter {
	struct schedule	*sx_schedule, sx_try;
	int		(*sx_fails)(void *context, struct schedule *sd);
	void		*sx_context;
	int		 sx_result;	/* of its last call */
};

/*
 * Tries it without the choices from begin to before end; if to is not UINT_MAX,
 * these, one turn, move there.  Whether it fails, is smaller, and replaces it.
 */
static bool
try_without(struct shorter *sx, unsigned begin, unsigned end, unsigned to)
{
	const struct schedule_list *now = &sx->sx_schedule->sd_choices;
	struct schedule_list *try = &sx->sx_try.sd_choices;
	int less;

	schedule_copy(&sx->sx_try, sx->sx_schedule);
	try->sq_count = 0;
	for (unsigned i = 0; i < now->sq_count; i++) {
		for (unsigned k = begin; i == to && k < end; k++)
			schedule_add(try, now->sq_number[begin]);
		if (i < begin || i >= end)
			schedule_add(try, now->sq_number[i]);
	}
	sx->sx_result = sx->sx_fails(sx->sx_context, &sx->sx_try);
	if (sx->sx_result <= 0)
		return (false);
	less = (int)schedule_turns(now) - (int)schedule_turns(try);
	if (less < 0 || (less == 0 && try->sq_count >= now->sq_count))
		return (false);
	schedule_copy(sx->sx_schedule, &sx->sx_try);
	return (true);
}

void
shrink_schedule(struct schedule *sd,
    int (*fails)(void *context, struct schedule *sd), void *context)
{
	struct shorter sx = { .sx_schedule = sd, .sx_fails = fails,
	    .sx_context = context };
	const struct schedule_list *sq = &sd->sd_choices;
	unsigned before = 0, begin, chunk, end, i, next;

	for (unsigned round = 0; round < ROUNDS && sx.sx_result >= 0 &&
	    schedule_turns(sq) != before; round++) {
		before = schedule_turns(sq);
		for (chunk = before / 2; chunk > 0; chunk /= 2)
			for (begin = 0; begin < sq->sq_count &&
			    sx.sx_result >= 0;) {
				end = begin;
				for (i = 0; i < chunk && end < sq->sq_count;
				    i++)
					end = schedule_turn_end(sq, end);
				if (!try_without(&sx, begin, end, UINT_MAX))
					begin = end;
			}
		/* Joins each turn with the next one of the same thread. */
		for (begin = 0; begin < sq->sq_count && sx.sx_result >= 0;) {
			end = next = schedule_turn_end(sq, begin);
			while (next < sq->sq_count &&
			    sq->sq_number[next] != sq->sq_number[begin])
				next++;
			if (next == sq->sq_count ||
			    !try_without(&sx, begin, end, next))
				begin = end;
		}
	}
	schedule_free(&sx.sx_try);
}

struct shrinker {
	struct execution *sz_ex;
	struct counterexample *sz_case;
	struct replay	 sz_replay;	/* of the last run */
	uint64_t	 sz_runs, sz_runs_max;	/* short ones */
	int		 sz_error;
};

static bool
stopped(const struct counterexample *cx)
{
	const volatile sig_atomic_t *stop = cx->cx_subject.tb_stop;

	return (stop != NULL && *stop != 0);
}

static bool
spent(const struct shrinker *sz)
{
	return (sz->sz_error != 0 || sz->sz_runs >= sz->sz_runs_max ||
	    stopped(sz->sz_case));
}

/* Whether the last run, which returned error, broke the same property. */
static bool
broke(struct shrinker *sz, int error)
{
	const char *word = sz->sz_replay.ry_outcome.to_word;

	sz->sz_runs += sz->sz_replay.ry_outcome.to_weight;
	sz->sz_error = error;
	return (error == 0 && word != NULL &&
	    strcmp(word, sz->sz_case->cx_word) == 0);
}

static int
still_fails(void *context, struct schedule *sd)
{
	struct shrinker *sz = context;
	struct counterexample try = *sz->sz_case;

	try.cx_schedule = *sd;
	if (spent(sz) || !broke(sz, counterexample_run(sz->sz_ex, &try, false,
	    &sz->sz_replay)))
		return (spent(sz) ? -1 : 0);
	schedule_copy(sd, sz->sz_replay.ry_outcome.to_made);
	return (1);
}

/* Looks for a failing schedule of a smaller scenario. */
static bool
search(struct shrinker *sz, const struct scenario *smaller)
{
	struct counterexample *cx = sz->sz_case, try = *cx;
	struct strategy pct;
	const struct vm_control vh = { .vh_choose = strategy_choose,
	    .vh_running = strategy_toss, .vh_context = &pct,
	    .vh_polls = (enum vm_polls)cx->cx_schedule.sd_polls };
	uint64_t most;
	bool found;

	try.cx_scenario = *smaller;
	found = broke(sz, counterexample_run(sz->sz_ex, &try, false,
	    &sz->sz_replay));
	/* At least one more run, however long it is. */
	most = sz->sz_runs + SEARCHES;
	strategy_init(&pct, &strategy_pct, SEARCH_DEPTH);
	for (unsigned i = 0; !found && !spent(sz) && sz->sz_runs < most; i++) {
		(void)strategy_begin(&pct, i);
		found = broke(sz, execution_run(sz->sz_ex, &cx->cx_subject,
		    smaller, &vh, cx->cx_draws, NULL,
		    &sz->sz_replay.ry_outcome));
	}
	strategy_fini(&pct);
	if (!found)
		return (false);
	schedule_copy(&cx->cx_schedule, sz->sz_replay.ry_outcome.to_made);
	cx->cx_scenario = *smaller;
	return (true);
}

int
shrink(struct execution *ex, struct counterexample *cx, uint64_t runs_max)
{
	struct shrinker sz = { .sz_ex = ex, .sz_case = cx };
	const volatile sig_atomic_t *stop = cx->cx_subject.tb_stop;
	struct replay *ry = &sz.sz_replay;
	struct scenario smaller;
	bool any = true;
	int error = counterexample_run(ex, cx, false, ry);

	if (error != 0 || !ry->ry_same)
		return (error != 0 ? error : EPROTO);
	/* Half for the scenario, so that some is left for choices. */
	sz.sz_runs_max = runs_max / 2;
	for (unsigned round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (unsigned i = 0; !spent(&sz) &&
		    scenario_reduce(&cx->cx_scenario, i, &smaller); i++)
			/* Unused members are 0. */
			if (memcmp(&smaller, &cx->cx_scenario,
			    sizeof(smaller)) != 0)
				any |= search(&sz, &smaller);
	}
	sz.sz_runs_max = runs_max;
	if (sz.sz_error == 0)
		shrink_schedule(&cx->cx_schedule, still_fails, &sz);
	/* What a signal has left of it is run to its end. */
	cx->cx_subject.tb_stop = NULL;
	if ((sz.sz_error != 0 && sz.sz_error != EINTR) ||
	    !broke(&sz, counterexample_run(ex, cx, false, ry)))
		error = sz.sz_error != 0 ? sz.sz_error : EPROTO;
	cx->cx_subject.tb_stop = stop;
	if (error != 0)
		return (error);
	cx->cx_hash = ry->ry_outcome.to_hash;
	schedule_copy(&cx->cx_schedule, ry->ry_outcome.to_made);
	return (0);
}

/* Of runs that go on at random after n choices: how many pass, up to most. */
static unsigned
end_well(struct execution *ex, const struct counterexample *cx, unsigned n,
    unsigned runs, unsigned most)
{
	struct schedule cut = cx->cx_schedule;
	struct strategy rest;
	struct schedule_follower sf;
	const struct vm_control vh = { .vh_choose = schedule_choose,
	    .vh_running = schedule_answer, .vh_context = &sf,
	    .vh_polls = (enum vm_polls)cut.sd_polls };
	unsigned well = 0;
	struct outcome to;

	cut.sd_choices.sq_count = n;
	strategy_init(&rest, &strategy_random, 0);
	for (unsigned i = 0; i < runs && well < most; i++) {
		sf = (struct schedule_follower){ .sf_schedule = &cut,
		    .sf_choose = strategy_choose, .sf_running = strategy_toss,
		    .sf_context = &rest };
		(void)strategy_begin(&rest, i);
		well += execution_run(ex, &cx->cx_subject, &cx->cx_scenario,
		    &vh, cx->cx_draws, NULL, &to) == 0 && to.to_word == NULL;
	}
	strategy_fini(&rest);
	return (well);
}

void
find_lost(struct execution *ex, const struct counterexample *cx,
    struct replay *ry)
{
	const unsigned runs = MAX(CONTINUED / ry->ry_outcome.to_weight,
	    CONTINUED_LEAST);
	struct event_trace *et = &ry->ry_trace;
	unsigned can = 0, lost = cx->cx_schedule.sd_choices.sq_count, well;

	/* What is lost stays lost. */
	for (unsigned middle = 0; lost > 0 && can + 1 < lost && !stopped(cx);
	    middle = can + (lost - can) / 2)
		if (end_well(ex, cx, middle, runs, 1) > 0)
			can = middle;
		else
			lost = middle;
	well = end_well(ex, cx, can, runs, runs);
	if (stopped(cx))
		return;
	et->et_lost = MAX(lost, 1u);
	snprintf(et->et_lost_text, sizeof(et->et_lost_text), "---- point of no "
	    "return: %u of %u continuations before it end well", well, runs);
}
