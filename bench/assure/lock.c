/*
 * The rows of a lock: trials on a simulated machine, and on this one.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bench/assure/evidence.h"
#include "bench/assure/lock_trial.h"
#include "bench/cell/virtual.h"
#include "lib/machine/cpu.h"

#define	TRIAL_PROFILE	"epyc-9654-2s"

enum {
	CPUS		= 8,	/* of the simulated machine */
	NODES		= 2,
	ROUNDS		= 500,
	ROUNDS_SLOW	= 12,	/* where each may take a time slice */
	WAITERS		= 6,
	PASS_LIMIT	= 4,
	FEW_POLLS	= 16,
	OVER		= 4,	/* threads for each CPU, and one more */
	STUCK_LINES	= 4
};

/* Virtual time in which a trial ends, and within which one cannot. */
static const uint64_t limit_ps = UINT64_C(1000) * 1000 * 1000 * 1000;
static const uint64_t twice_ps = UINT64_C(10) * 1000 * 1000 * 1000;

enum machine { SIMULATED, THIS, MACHINES };

static const char *const machine_names[MACHINES] = {
	[SIMULATED] = "a simulated machine", [THIS] = "this machine"
};

/* NULL: the lock has no such flavour. */
static const struct lock_class *
class_on(const struct assure_params *ap, enum machine m)
{

	return (m == SIMULATED ? ap->ap_simulated_lock : ap->ap_lock);
}

static const struct lock_class *
class_of(const struct assure_params *ap)
{

	return (ap->ap_lock != NULL ? ap->ap_lock : ap->ap_simulated_lock);
}

static bool
claims(const struct assure_params *ap, unsigned flag)
{

	return ((class_of(ap)->lc_flags & flag) != 0);
}

static void
none(struct evidence_row *row, const char *text)
{

	row->er_state = EVIDENCE_NONE;
	evidence_say(row->er_text, "%s ", text);
}

static void
fails(struct evidence_row *row, enum machine m, const char *text)
{

	row->er_state = EVIDENCE_FAILS;
	evidence_say(row->er_text, "On %s %s. ", machine_names[m], text);
}

static unsigned
cpus_of(enum machine m)
{

	return (m == SIMULATED ? CPUS : cpu_count());
}

/* Of each thread: spinners that never yield take a time slice each. */
static unsigned
rounds_of(const struct assure_params *ap, enum machine m)
{

	return (m == THIS && claims(ap, LC_SPIN) && (class_of(ap)->lc_knobs &
	    LK_SPIN_POLLS) == 0 ? ROUNDS_SLOW : ROUNDS);
}

static struct lock_trial
trial_of(enum lock_trial_kind kind, unsigned threads, unsigned rounds)
{
	struct lock_trial lt = { .lt_kind = kind, .lt_threads = threads,
	    .lt_rounds = rounds, .lt_config = lock_config_default(CPUS) };

	/* Waiters look often, so that they meet. */
	lt.lt_config.delay_max = 1;
	lt.lt_config.spin_polls = FEW_POLLS;
	lt.lt_config.pass_limit = PASS_LIMIT;
	lt.lt_config.nodes = NODES;
	return (lt);
}

static int
simulate(const struct assure_params *ap, struct lock_trial *lt)
{
	struct machine_config mc = { .mc_seed = ap->ap_seed,
	    .mc_limit_ps = lt->lt_kind == LOCK_TRIAL_TWICE ? twice_ps :
	    limit_ps };
	static char why[PROFILE_ERROR_SIZE];
	static struct virtual_machine vi;
	int error;

	error = virtual_make(&vi, TRIAL_PROFILE, CPUS, NODES, why);
	if (error != 0)
		return (error);
	mc.mc_topology = vi.vi_topology;
	vm_costs(&vi.vi_profile, "chacha20", true, &mc.mc_costs);
	return (virtual_lock_trial(lt, &mc));
}

/* The beginning of a report that has a line for each thread. */
static void
say_stuck(const struct lock_trial *lt, struct evidence_row *row)
{
	const char *s = lt->lt_outcome.mo_stuck;
	size_t n = 0;
	unsigned i;

	for (i = 0; i < STUCK_LINES && s[n] != '\0'; i++)
		n += strcspn(s + n, "\n") + (s[n] == '\n');
	for (; n > 0 && s[n - 1] == '\n'; n--)
		continue;
	evidence_say(row->er_text, "With %u threads on %u simulated CPUs: "
	    "%.*s. ", lt->lt_threads, CPUS, (int)n, s);
}

/*
 * Runs a trial, if the lock has that flavour; whether it came to its end.  One
 * that did not is a failure of the rows about that, stops is set.
 */
static bool
ran(const struct assure_params *ap, enum machine m, bool stops,
    struct lock_trial *lt, struct evidence_row *row)
{
	int error;

	lt->lt_class = class_on(ap, m);
	if (lt->lt_class == NULL)
		return (false);
	error = m == SIMULATED ? simulate(ap, lt) : real_lock_trial(lt, NULL);
	if (error == EDEADLK && stops) {
		row->er_state = EVIDENCE_FAILS;
		say_stuck(lt, row);
	} else if (error != 0 && row->er_state == EVIDENCE_HOLDS) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row->er_text, "%s. ", error == EDEADLK ? "A trial "
		    "did not end; see Starvation" : strerror(error));
	}
	return (error == 0);
}

/* Threads that use the lock; one at a time, and nothing is lost. */
static void
try_crowd(const struct assure_params *ap, enum machine m, bool tries,
    struct evidence_row *row)
{
	struct lock_trial lt = trial_of(LOCK_TRIAL_CROWD, cpus_of(m),
	    rounds_of(ap, m));
	bool apart;

	lt.lt_tries = tries;
	if (!ran(ap, m, false, &lt, row))
		return;
	apart = lt.lt_met == 0 && lt.lt_lost == 0;
	evidence_say(row->er_text, "On %s %u threads acquired it %" PRIu64
	    " times", machine_names[m], lt.lt_threads, lt.lt_acquired);
	if (apart)
		evidence_say(row->er_text, ", one at a time. ");
	else
		evidence_say(row->er_text, "; %" PRIu64 " times another was "
		    "inside, and %" PRIu64 " changes were lost. ", lt.lt_met,
		    lt.lt_lost);
	if (apart != claims(ap, LC_EXCLUDES))
		row->er_state = EVIDENCE_FAILS;
}

void
exclusion_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt = trial_of(LOCK_TRIAL_TWICE, 1, 1);

	if (!claims(ap, LC_EXCLUDES)) {
		none(row, "It claims no exclusion.");
		evidence_say(row->er_unshown, "that two threads are not inside "
		    "at once.");
		try_crowd(ap, SIMULATED, false, row);
		return;
	}
	lock_explore(ap, &strategy_mix, false, row);
	try_crowd(ap, SIMULATED, false, row);
	try_crowd(ap, THIS, false, row);
	/* Such a trial has no end otherwise. */
	lt.lt_class = ap->ap_simulated_lock;
	if (row->er_state == EVIDENCE_HOLDS && lt.lt_class != NULL &&
	    simulate(ap, &lt) == 0 && lt.lt_twice)
		fails(row, SIMULATED, "its owner acquired it again");
}

void
order_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt;
	enum machine m;

	if (!claims(ap, LC_FIFO)) {
		none(row, "It claims no order.");
		evidence_say(row->er_unshown, "that waiters are served in "
		    "order.");
		return;
	}
	for (m = 0; m < MACHINES; m++) {
		lt = trial_of(LOCK_TRIAL_QUEUE, WAITERS, 1);
		if (!ran(ap, m, false, &lt, row))
			continue;
		if (!lt.lt_certain)
			fails(row, m, "a thread that came later did not wait");
		else if (!lt.lt_ordered)
			fails(row, m, "waiters were not served in the order "
			    "in which they came");
		else
			evidence_say(row->er_text, "On %s %d waiters were "
			    "served in the order in which they came. ",
			    machine_names[m], WAITERS);
	}
}

/*
 * The most acquisitions that a waiter must let pass; 0: no bound is claimed.
 * Others may come between its look at their number and its place in the queue.
 */
static unsigned
bound_of(const struct assure_params *ap)
{

	if (claims(ap, LC_FIFO))
		return (2 * (CPUS - 1));
	if ((class_of(ap)->lc_knobs & LK_PASS_LIMIT) != 0)
		return (2 * (CPUS + NODES * (PASS_LIMIT + 1)));
	return (0);
}

void
fairness_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt = trial_of(LOCK_TRIAL_CROWD, CPUS, ROUNDS);
	const unsigned bound = bound_of(ap);

	if (class_on(ap, SIMULATED) == NULL) {
		none(row, "It has no simulated flavour, and here the "
		    "scheduler decides too.");
		evidence_say(row->er_unshown, "how many pass a waiter.");
		return;
	}
	if (bound == 0)
		none(row, "It claims no bound.");
	if (!ran(ap, SIMULATED, false, &lt, row))
		return;
	evidence_say(row->er_text, "With %d threads on as many simulated CPUs "
	    "up to %" PRIu64 " acquisitions of others passed a waiter", CPUS,
	    lt.lt_overtaken);
	if (bound > 0)
		evidence_say(row->er_text, "; %u may", bound);
	evidence_say(row->er_text, ". ");
	if (bound > 0 && lt.lt_overtaken > bound)
		row->er_state = EVIDENCE_FAILS;
}

/* A trial of one thread, and of another that tries if tries is set. */
static bool
held(const struct assure_params *ap, enum machine m, bool tries,
    struct lock_trial *lt, struct evidence_row *row)
{

	*lt = trial_of(LOCK_TRIAL_MISUSE, 1, 1);
	lt->lt_tries = tries;
	return (ran(ap, m, false, lt, row));
}

void
trylock_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt;
	enum machine m;

	if (class_of(ap)->lc_trylock == NULL) {
		none(row, "It has no trylock.");
		return;
	}
	for (m = 0; m < MACHINES; m++) {
		if (!held(ap, m, true, &lt, row))
			continue;
		if (!lt.lt_tried_free)
			fails(row, m, "trying did not get a free lock");
		else if (lt.lt_tried_held == claims(ap, LC_EXCLUDES))
			fails(row, m, "trying got a lock that another held");
		else
			try_crowd(ap, m, true, row);
	}
	if (row->er_state == EVIDENCE_HOLDS)
		evidence_say(row->er_text, "Trying gets a free lock%s.",
		    claims(ap, LC_EXCLUDES) ? " and no held one" : "");
}

void
misuse_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt;
	enum machine m;

	if (!claims(ap, LC_EXCLUDES)) {
		none(row, "It has no owner.");
		return;
	}
	for (m = 0; m < MACHINES; m++) {
		if (!held(ap, m, false, &lt, row))
			continue;
		if (!lt.lt_owned_right)
			fails(row, m, "lock_owned() is wrong, so assertions "
			    "see no misuse");
		if (!lt.lt_fini_asserts)
			fails(row, m, "a held lock was destroyed without a "
			    "failed assertion");
	}
	if (row->er_state == EVIDENCE_HOLDS)
		evidence_say(row->er_text, "Ownership is reported, and a held "
		    "lock cannot be destroyed. ");
	evidence_say(row->er_unshown, "a release by a thread that is not the "
	    "owner, which only builds with INVARIANTS refuse.");
}

/* A crowd that comes to its end; the time of that if it is virtual. */
static void
try_end(const struct assure_params *ap, enum machine m, unsigned threads,
    unsigned rounds, struct evidence_row *row)
{
	struct lock_trial lt = trial_of(LOCK_TRIAL_CROWD, threads, rounds);

	if (!ran(ap, m, true, &lt, row))
		return;
	evidence_say(row->er_text, "On %s all of %u threads on %u CPUs came to "
	    "the end of %u acquisitions", machine_names[m], threads,
	    cpus_of(m), rounds);
	if (m == SIMULATED)
		evidence_say(row->er_text, ", in %.3g ms of virtual time",
		    (double)lt.lt_outcome.mo_time_ps / 1e9);
	evidence_say(row->er_text, ". ");
}

void
starvation_gather(const struct assure_params *ap, struct evidence_row *row)
{
	enum machine m;

	lock_explore(ap, &strategy_starve, true, row);
	for (m = 0; m < MACHINES; m++)
		try_end(ap, m, cpus_of(m), rounds_of(ap, m), row);
}

void
oversubscription_gather(const struct assure_params *ap,
    struct evidence_row *row)
{
	struct lock_trial lt = trial_of(LOCK_TRIAL_CROWD, CPUS, ROUNDS);
	enum machine m;

	/* A lock that gets stuck anyway. */
	if (ap->ap_simulated_lock != NULL && !ran(ap, SIMULATED, false, &lt,
	    row))
		return;
	for (m = 0; m < MACHINES; m++)
		try_end(ap, m, OVER * cpus_of(m) + 1, rounds_of(ap, m) / OVER,
		    row);
}
