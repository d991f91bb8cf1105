/*
 * Dynamic partial-order reduction: which steps happen before which, and which
 * races are to be tried the other way.
 */
#include "bench/explore/dpor.h"

static const struct awaited nothing;

static struct word *
word_of(struct dpor *dp, uint64_t word)
{
	uint32_t i = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	struct word *wd;

	while ((wd = &dp->dp_word[i++ % WORDS_ROOM])->wd_run == dp->dp_run)
		if (wd->wd_word == word)
			return (wd);
	memset(wd, 0xff, sizeof(*wd));
	wd->wd_store = 0;
	wd->wd_word = word;
	wd->wd_run = dp->dp_run;
	dp->dp_words++;
	return (wd);
}

/*
 * Of the steps after the i-th that do not happen after it, last the j-th, which
 * is given as if the i-th had not been: the threads whose first one can be
 * first of all.
 */
static uint64_t
initials(const struct dpor *dp, uint32_t i, uint32_t j, const struct step *last)
{
	uint64_t set = 0, threads = 0;
	uint32_t first[THREADS];
	const struct step *st;
	bool can;

	for (uint32_t k = i + 1; k <= j; k++) {
		st = k == j ? last : &dp->dp_step[k];
		if (dpor_before(dp, i, st) ||
		    (threads & BIT(st->dst_thread)) != 0)
			continue;
		can = true;
		for (uint64_t left = threads; left != 0; left &= left - 1)
			can &= !dpor_before(dp, first[__builtin_ctzll(left)],
			    st);
		first[st->dst_thread] = k;
		threads |= BIT(st->dst_thread);
		set |= can ? BIT(st->dst_thread) : 0;
	}
	return (set);
}

/* Steps i and j conflict, and nothing else orders them: try j first. */
static void
race(struct dpor *dp, uint32_t i, uint32_t j, const struct step *last)
{
	const uint32_t n = dp->dp_step[i].dst_node;
	const uint64_t bit = BIT(last->dst_thread);
	struct node *nd;
	uint64_t set;

	if (n == NONE)
		return;
	nd = &dp->dp_node[n];
	set = initials(dp, i, j, last);
	if ((set & (nd->nd_todo | nd->nd_asleep)) != 0)
		return;
	/* None: the j-th step could not be earlier. */
	set &= nd->nd_enabled;
	nd->nd_todo |= (set & bit) != 0 ? bit : set & -set;
}

static void
join(struct step *st, const struct step *earlier)
{
	for (unsigned t = 0; t < THREADS; t++)
		st->dst_clock[t] = MAX(st->dst_clock[t], earlier->dst_clock[t]);
}

/* Notes the last step of a thread that conflicts with a step. */
static void
add_rival(const struct dpor *dp, uint32_t rival[THREADS], uint32_t i,
    const struct step *st)
{
	const unsigned t = i == NONE ? 0 : dp->dp_step[i].dst_thread;

	if (i != NONE && t != st->dst_thread && !dpor_before(dp, i, st) &&
	    (rival[t] == NONE || rival[t] < i))
		rival[t] = i;
}

/*
 * The last steps that conflict with a step's uses up to the end-th, but for the
 * stores to some words.  A thread sees its own stores at once, so its loads are
 * not before their commits.
 */
static void
find_rivals(struct dpor *dp, const struct step *st, uint32_t end,
    struct awaited but, uint32_t rival[THREADS])
{
	struct word *wd;

	memset(rival, 0xff, THREADS * sizeof(*rival));
	for (uint32_t u = st->dst_first; u < end; u++) {
		wd = word_of(dp, dp->dp_use[u] >> USE_SHIFT);
		if (wd->wd_store != 0 &&
		    wd->wd_word - but.aw_word >= but.aw_count)
			add_rival(dp, rival,
			    dp->dp_store[wd->wd_store].dss_step, st);
		for (unsigned t = 0; (dp->dp_use[u] & VM_USE_STORE) != 0 &&
		    t < dp->dp_threads; t++)
			if (!dpor_own(dp, t, st->dst_thread))
				add_rival(dp, rival, wd->wd_load[t], st);
	}
}

/* Orders a step after those that were found. */
static void
join_all(const struct dpor *dp, struct step *st, const uint32_t rival[THREADS],
    unsigned but)
{
	for (unsigned r = 0; r < dp->dp_threads; r++)
		if (r != but && rival[r] != NONE)
			join(st, &dp->dp_step[rival[r]]);
}

/* Notes the value that a step has left in a word, if threads await it. */
static void
note_value(const struct dpor *dp, uint64_t word, struct store *dss)
{
	const struct awaited *aw = dp->dp_await;
	const void *p = (const void *)(uintptr_t)(word << WORD_SHIFT);

	while (aw < &dp->dp_await[dp->dp_awaited] && aw->aw_word != word)
		aw++;
	dss->dss_known = aw < &dp->dp_await[dp->dp_awaited] && !dp->dp_over;
	if (dss->dss_known)
		dss->dss_value = aw->aw_count == 1 ? *(const uint32_t *)p :
		    *(const uint64_t *)p;
}

/* A step becomes the last one that uses its words. */
static void
note_uses(struct dpor *dp, const struct step *st, uint32_t j)
{
	struct word *wd;
	unsigned use;

	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++) {
		wd = word_of(dp, dp->dp_use[u] >> USE_SHIFT);
		use = USE_OF(dp->dp_use[u]);
		if (use == VM_USE_LOAD)
			wd->wd_load[st->dst_thread] = j;
		if ((use & VM_USE_STORE) == 0)
			continue;
		dp->dp_store[++dp->dp_stores] = (struct store){ j,
		    wd->wd_store, false, 0 };
		note_value(dp, wd->wd_word, &dp->dp_store[dp->dp_stores]);
		wd->wd_store = dp->dp_stores;
		for (unsigned t = 0; t < dp->dp_threads; t++)
			if (t == st->dst_thread ||
			    !dpor_own(dp, t, st->dst_thread))
				wd->wd_load[t] = NONE;
		if (use == VM_USE_VALUE) {
			memmove(wd->wd_value + 1, wd->wd_value,
			    (VALUES - 1) * sizeof(wd->wd_value[0]));
			wd->wd_value[0] = j;
		}
	}
}

/*
 * A step that waited for a word races with the stores before which it could
 * have been chosen: not with the one that it waited for.  Where its thread was
 * not there yet this is not known.
 */
static void
race_awaited(struct dpor *dp, uint32_t j, const struct step *last)
{
	const uint64_t bit = BIT(last->dst_thread);
	const uint32_t before_it = dp->dp_last[last->dst_thread];
	uint32_t at = word_of(dp, last->dst_awaited.aw_word)->wd_store, i, n;
	const struct awaited *aw = &last->dst_awaited;
	const struct store *dss;
	bool there;

	for (; at != 0; at = dp->dp_store[at].dss_before) {
		i = dp->dp_store[at].dss_step;
		n = dp->dp_step[i].dst_node;
		if (dpor_before(dp, i, last))
			return;
		dss = &dp->dp_store[dp->dp_store[at].dss_before];
		there = before_it == NONE || before_it < i;
		if (there ? n == NONE || (dp->dp_node[n].nd_enabled & bit) == 0
		    : dss->dss_known && (dss->dss_value == aw->aw_value) !=
		    aw->aw_is)
			continue;
		race(dp, i, j, last);
		if (there || dss->dss_known)
			return;
	}
}

void
dpor_order(struct dpor *dp, uint32_t j, bool fresh)
{
	struct step *st = &dp->dp_step[j], last;
	uint32_t rival[THREADS];

	find_rivals(dp, st, dp->dp_uses, st->dst_awaited, rival);
	for (unsigned r = 0; r < dp->dp_threads && fresh; r++) {
		if (rival[r] == NONE || dpor_own(dp, r, st->dst_thread))
			continue;
		last = *st;
		join_all(dp, &last, rival, r);
		if (!dpor_before(dp, rival[r], &last))
			race(dp, rival[r], j, &last);
	}
	if (st->dst_awaited.aw_count > 0) {
		join_all(dp, st, rival, THREADS);
		if (fresh)
			race_awaited(dp, j, st);
		find_rivals(dp, st, dp->dp_uses, nothing, rival);
	}
	join_all(dp, st, rival, THREADS);
	note_uses(dp, st, j);
}

bool
dpor_conflicts(const struct dpor *dp, const struct step *st,
    const struct known *kn)
{
	const use_t *kept = &dp->dp_kept[kn->kn_first];

	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++)
		for (uint32_t k = 0; k < kn->kn_uses; k++)
			if (dp->dp_use[u] >> USE_SHIFT ==
			    kept[k] >> USE_SHIFT && ((dp->dp_use[u] | kept[k]) &
			    VM_USE_STORE) != 0)
				return (true);
	return (false);
}

void
dpor_step_init(struct dpor *dp, struct step *st, unsigned thread, uint32_t node)
{
	const uint32_t last = dp->dp_last[thread];

	*st = (struct step){ .dst_first = dp->dp_uses, .dst_node = node,
	    .dst_thread = thread, .dst_awaited = dp->dp_awaits[thread] };
	dp->dp_awaits[thread] = nothing;
	if (last != NONE)
		join(st, &dp->dp_step[last]);
	st->dst_clock[thread]++;
}

void
dpor_order_pending(struct dpor *dp, unsigned thread)
{
	struct step last;

	if (dp->dp_awaits[thread].aw_count == 0)
		return;
	dpor_step_init(dp, &last, thread, NONE);
	race_awaited(dp, dp->dp_steps, &last);
}

unsigned
dpor_values(struct dpor *dp, unsigned ways)
{
	struct step past = dp->dp_step[dp->dp_steps - 1];
	const uint32_t end = dp->dp_access;
	const struct word *wd = word_of(dp, dp->dp_use[end] >> USE_SHIFT);
	uint32_t rival[THREADS];
	unsigned known = 0;

	find_rivals(dp, &past, end, nothing, rival);
	join_all(dp, &past, rival, THREADS);
	while (known < ways - 1 && wd->wd_value[known] != NONE &&
	    !dpor_before(dp, wd->wd_value[known], &past))
		known++;
	return (known);
}
