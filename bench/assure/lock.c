/* The rows of a lock: trials on a simulated machine, and on this one. */
#include "bench/assure/evidence.h"
#include "bench/assure/lock_trial.h"
#include "bench/cell/virtual.h"

#define	TRIAL_PROFILE	"epyc-9654-2s"

enum {
	ROUNDS		= 500,
	ROUNDS_SLOW	= 12,	/* where each may take a time slice */
	TRY_EVERY	= 4,
	TRIES		= 1 << 14,
	WAITERS		= 6,
	RUSH_THREADS	= 256,
	MANY		= 10 * 1000 * 1000,
	OVER		= 4,	/* threads for each CPU, and one more */
	STUCK_LINES	= 4
};

/* Virtual time in which a trial ends. */
static const uint64_t limit_ps = UINT64_C(100) * 1000 * 1000 * 1000;

enum machine { SIMULATED, THIS, MACHINES };

static const char *const machine_names[MACHINES] = { "a simulated machine",
	"this machine" };

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

static unsigned
cpus_of(enum machine m)
{
	return (m == SIMULATED ? LOCK_TRIAL_CPUS : cpu_count());
}

/* Whether spinners never yield, and take a time slice of this machine each. */
static bool
is_slow(const struct assure_params *ap, enum machine m)
{
	return (m == THIS && claims(ap, LC_SPIN) &&
	    (class_of(ap)->lc_knobs & LK_SPIN_POLLS) == 0);
}

/* A thread for each CPU, or over times as many and one. */
static struct lock_trial
crowd(const struct assure_params *ap, enum machine m, unsigned over)
{
	return ((struct lock_trial){ .lt_kind = LOCK_TRIAL_CROWD,
	    .lt_threads = over * cpus_of(m) + (over > 1),
	    .lt_rounds = (is_slow(ap, m) ? ROUNDS_SLOW : ROUNDS) / over });
}

/*
 * Runs a trial, if the lock has that flavour; whether it came to its end.  One
 * that did not is a failure, but right for LOCK_TRIAL_TWICE.
 */
static bool
ran(const struct assure_params *ap, enum machine m, struct lock_trial *lt,
    struct evidence_row *row)
{
	const unsigned cpus = LOCK_TRIAL_CPUS + (lt->lt_kind ==
	    LOCK_TRIAL_RUSH ? lt->lt_threads : 0);
	const char *s = lt->lt_outcome.mo_stuck, *end = s;
	struct machine_config mc = { .mc_seed = ap->ap_seed,
	    .mc_limit_ps = lt->lt_late != NULL ? 1000 * limit_ps :
	    lt->lt_kind == LOCK_TRIAL_RUSH ? limit_ps / 10 : limit_ps };
	static char why[PROFILE_ERROR_SIZE];
	static struct virtual_machine vi;
	int error;

	lt->lt_class = m == SIMULATED ? ap->ap_simulated_lock : ap->ap_lock;
	if (lt->lt_class == NULL)
		return (false);
	if (m == SIMULATED) {
		error = virtual_make(&vi, TRIAL_PROFILE, cpus,
		    LOCK_TRIAL_NODES, why);
		if (error == 0) {
			mc.mc_topology = vi.vi_topology;
			vm_costs(&vi.vi_profile, "chacha20", true,
			    &mc.mc_costs);
			error = virtual_lock_trial(lt, &mc);
		}
	} else
		error = real_lock_trial(lt, NULL);
	if (error == 0 || (error == EDEADLK && lt->lt_kind == LOCK_TRIAL_TWICE))
		return (error == 0);
	if (error == EDEADLK) {
		/* The beginning of a report with a line for each thread. */
		for (unsigned i = 0; i < STUCK_LINES && *end != '\0'; i++)
			end += strcspn(end + (i > 0), "\n") + (i > 0);
		row_fails(row, "With %u threads on %u simulated CPUs: %.*s. ",
		    lt->lt_threads, cpus, (int)(end - s), s);
		row_lines(row);
	} else if (row->er_state == EVIDENCE_HOLDS)
		row_missing(row, "%s. ", strerror(error));
	return (false);
}

/* Threads that use the lock; one at a time, and nothing is lost. */
static void
try_trial(const struct assure_params *ap, enum machine m, struct lock_trial lt,
    struct evidence_row *row)
{
	bool apart;

	if (!ran(ap, m, &lt, row))
		return;
	apart = lt.lt_met == 0 && lt.lt_lost == 0;
	row_says(row, "On %s %u threads acquired it %" PRIu64 " times%s. ",
	    machine_names[m], lt.lt_threads, lt.lt_acquired, apart ?
	    ", one at a time" : FORMATF("; %" PRIu64 " times another was "
	    "inside, and %" PRIu64 " changes were lost", lt.lt_met,
	    lt.lt_lost));
	/* On this machine threads may happen not to meet. */
	if (apart != claims(ap, LC_EXCLUDES) && !(apart && m == THIS))
		row->er_state = EVIDENCE_FAILS;
}

/* All at once, as many as lists of waiters may not have room for. */
static const struct lock_trial rush = { .lt_kind = LOCK_TRIAL_RUSH,
    .lt_rounds = 2, .lt_brief = true, .lt_threads = RUSH_THREADS };

/* Not in the trial: a simulated machine's objects use no clock of the host. */
static bool
is_late(const struct lock_trial *lt)
{
	return (tick_ns() >= lt->lt_until_ns);
}

/* So many that a wait that excludes none shows, if one in a million does. */
static struct lock_trial
many(const struct assure_params *ap, enum machine m, double time_s)
{
	struct lock_trial lt = crowd(ap, m, 1);

	lt.lt_late = is_late;
	lt.lt_until_ns = tick_ns() + (int64_t)(time_s * (double)NS_PER_S);
	lt.lt_rounds = MANY / lt.lt_threads;
	lt.lt_brief = true;
	return (lt);
}

void
exclusion_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt = { .lt_kind = LOCK_TRIAL_TWICE };
	struct assure_params part = *ap;

	if (!claims(ap, LC_EXCLUDES)) {
		row_none(row, "It claims no exclusion. ");
		evidence_say(row->er_unshown, "that two threads are not inside "
		    "at once.");
		try_trial(ap, SIMULATED, crowd(ap, SIMULATED, 1), row);
		return;
	}
	part.ap_budget_s /= 4;
	lock_explore(&part, NULL, row);
	for (enum machine m = 0; m < MACHINES; m++)
		try_trial(ap, m, crowd(ap, m, 1), row);
	for (enum machine m = 0; m < MACHINES; m++) {
		/* One is enough; those that never yield take too long. */
		if (row->er_state == EVIDENCE_HOLDS && (m == SIMULATED ||
		    (ap->ap_simulated_lock == NULL && !is_slow(ap, m))))
			try_trial(ap, m, rush, row);
		if (row->er_state == EVIDENCE_HOLDS)
			try_trial(ap, m, many(ap, m, part.ap_budget_s *
			    (m == THIS ? 0.6 : 2.4)), row);
	}
	if (row->er_state == EVIDENCE_HOLDS &&
	    ran(ap, SIMULATED, &lt, row) && lt.lt_permitted)
		row_fails(row, "On a simulated machine its owner acquired it "
		    "again. ");
}

void
order_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt;

	if (!claims(ap, LC_FIFO)) {
		row_none(row, "It claims no order. ");
		evidence_say(row->er_unshown, "that waiters are served in "
		    "order.");
		return;
	}
	for (enum machine m = 0; m < MACHINES; m++) {
		lt = (struct lock_trial){ .lt_kind = LOCK_TRIAL_HELD,
		    .lt_threads = WAITERS, .lt_rounds = 1 };
		if (!ran(ap, m, &lt, row))
			continue;
		if (!lt.lt_certain)
			row_fails(row, "On %s a thread that came later did "
			    "not wait. ", machine_names[m]);
		else if (!lt.lt_ordered)
			row_fails(row, "On %s waiters were not served in the "
			    "order in which they came. ", machine_names[m]);
		else
			row_says(row, "On %s %d waiters were "
			    "served in the order in which they came. ",
			    machine_names[m], WAITERS);
	}
}

void
fairness_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt = crowd(ap, SIMULATED, 1);
	const unsigned others = (lt.lt_threads - 1) * lt.lt_rounds;
	unsigned bound = 0;

	/* How many may pass a waiter; some do before it has its place. */
	if (claims(ap, LC_FIFO))
		bound = 2 * (LOCK_TRIAL_CPUS - 1);
	else if ((class_of(ap)->lc_knobs & LK_LIMITS) != 0)
		bound = 2 * (LOCK_TRIAL_CPUS + LOCK_TRIAL_NODES *
		    (LOCK_TRIAL_PASS_LIMIT + 1));
	if (ap->ap_simulated_lock == NULL) {
		row_none(row, "It has no simulated flavour, and here the "
		    "scheduler decides too. ");
		evidence_say(row->er_unshown, "how many pass a waiter.");
	} else if (bound == 0)
		row_none(row, "It claims no bound. ");
	if (!ran(ap, SIMULATED, &lt, row))
		return;
	row_says(row, "With %u threads on as many simulated CPUs up to %" PRIu64
	    " acquisitions of others passed a waiter%s. ", lt.lt_threads,
	    lt.lt_overtaken, bound > 0 ? FORMATF("; %u may", bound) : "");
	if (bound > 0 && lt.lt_overtaken > bound)
		row->er_state = EVIDENCE_FAILS;
	/* Those of chance are a small part of all. */
	if (bound > 0 || lt.lt_overtaken <= others / 2 ||
	    !claims(ap, LC_EXCLUDES))
		return;
	if (!claims(ap, LC_STARVES))
		row->er_state = EVIDENCE_FAILS;
	row_says(row, "These are most of their %u: it starves a waiter, %s. ",
	    others, claims(ap, LC_STARVES) ? "as it declares" :
	    "and does not declare that");
}

void
trylock_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial open, held;

	if (class_of(ap)->lc_trylock == NULL) {
		row_none(row, "It has no trylock. ");
		return;
	}
	for (enum machine m = 0; m < MACHINES; m++) {
		open = held = (struct lock_trial){ .lt_threads = 1,
		    .lt_rounds = TRIES, .lt_try_every = 1, .lt_brief = true };
		held.lt_kind = LOCK_TRIAL_HELD;
		if (!ran(ap, m, &open, row) || !ran(ap, m, &held, row))
			continue;
		if (open.lt_acquired < open.lt_rounds)
			row_fails(row, "On %s %" PRIu64 " of %u tries did not "
			    "get a free lock. ", machine_names[m],
			    open.lt_rounds - open.lt_acquired, open.lt_rounds);
		else if ((held.lt_acquired > 0) == claims(ap, LC_EXCLUDES))
			row_fails(row, "On %s trying got a lock that another "
			    "held. ", machine_names[m]);
		else {
			open = crowd(ap, m, 1);
			open.lt_try_every = TRY_EVERY;
			try_trial(ap, m, open, row);
		}
	}
	if (row->er_state == EVIDENCE_HOLDS)
		row_says(row, "Trying acquires a free lock%s.",
		    claims(ap, LC_EXCLUDES) ? " and fails on a held one" : "");
}

void
misuse_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt;

	if (!claims(ap, LC_EXCLUDES)) {
		row_none(row, "It has no owner. ");
		return;
	}
	for (enum machine m = 0; m < MACHINES; m++) {
		lt = (struct lock_trial){ .lt_kind = LOCK_TRIAL_FINI };
		if (!ran(ap, m, &lt, row))
			continue;
		if (!lt.lt_owned_right)
			row_fails(row, "On %s lock_owned() is wrong, so "
			    "assertions see no misuse. ", machine_names[m]);
		if (lt.lt_permitted)
			row_fails(row, "On %s a held lock was destroyed "
			    "without a failed assertion. ", machine_names[m]);
	}
	if (row->er_state == EVIDENCE_HOLDS)
		row_says(row, "Ownership is reported, and a held "
		    "lock cannot be destroyed. ");
	evidence_say(row->er_unshown, "a release by a thread that is not the "
	    "owner, which only builds with INVARIANTS refuse.");
}

/* Crowds that come to their end. */
static void
try_ends(const struct assure_params *ap, unsigned over,
    struct evidence_row *row)
{
	struct lock_trial lt;

	for (enum machine m = 0; m < MACHINES; m++) {
		lt = crowd(ap, m, over);
		if (!ran(ap, m, &lt, row))
			continue;
		row_says(row, "On %s all of %u threads on %u CPUs came to the "
		    "end of %u acquisitions%s. ", machine_names[m],
		    lt.lt_threads, cpus_of(m), lt.lt_rounds, m == THIS ? "" :
		    FORMATF(", in %.3g ms of virtual time",
		    (double)lt.lt_outcome.mo_time_ps / 1e9));
	}
}

void
starvation_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct lock_trial lt = rush;

	if (claims(ap, LC_EXCLUDES))
		lock_explore(ap, &strategy_starve, row);
	else
		evidence_say(row->er_unshown, "orders of threads: a design "
		    "fails without exclusion.");
	try_ends(ap, 1, row);
	if (row->er_state == EVIDENCE_HOLDS)
		(void)ran(ap, SIMULATED, &lt, row);
}

void
oversubscription_gather(const struct assure_params *ap,
    struct evidence_row *row)
{
	struct lock_trial lt = crowd(ap, SIMULATED, 1);

	/* One that gets stuck anyway has no second report here. */
	if (ran(ap, SIMULATED, &lt, row) || row->er_state == EVIDENCE_HOLDS)
		try_ends(ap, OVER, row);
}
