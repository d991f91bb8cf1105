#include <gsl/gsl_randist.h>

#include "bench/cell/slices.h"

enum {
	/*
	 * Stopping and going on takes 0.25 ms.  Beside other programs intervals
	 * of ratios are nearly twice as wide with 20 ms.
	 */
	SLICE_MIN_NS	= 10 * 1000 * 1000,
	SLICE_MAX_NS	= 100 * 1000 * 1000,
	SLICE_REQUESTS	= 1000,		/* of all readers, if it may be */
	SLICES_LEAST	= 50,		/* of a window */
	WARM_NS		= 1000 * 1000
};

/* A cell. */
struct slice_arm {
	struct slices	*sa_slices;
	struct cell_params sa_params;
	struct cell_measure *sa_measure;
	pthread_t	 sa_thread;
	bool		 sa_started;
	bool		 sa_stopped;	/* its freezer is */
	int		 sa_error;
	char		 sa_why[CELL_ERROR_SIZE];
	uint64_t	(*sa_bytes)(void *run);
	void		*sa_run;
	struct m32	 sa_state;	/* set by its thread */
	struct m32	 sa_go;		/* it may go on from these states */
	double		*sa_mb_per_s;	/* by block */
	struct freezer	 sa_freezer;
};

/* Cells side by side. */
struct slices {
	const struct engine *sl_engine;
	struct slice_arm *sl_arms;
	unsigned	 sl_count;
	unsigned	*sl_order;
	gsl_rng		*sl_rng;
	const volatile sig_atomic_t *sl_asked;	/* to end, by a signal */
	volatile sig_atomic_t sl_end;	/* what the cells see */
	int64_t		 sl_slice_ns;
	unsigned	 sl_blocks;
	unsigned	 sl_room;	/* blocks */
};

int
slice_report(struct slice_arm *sa, enum slice_state state,
    uint64_t (*bytes)(void *run), void *run)
{
	uint32_t go;

	if (sa == NULL)
		return (0);
	if (state == SLICE_READY) {
		sa->sa_bytes = bytes;
		sa->sa_run = run;
	}
	machine_set_32(&sa->sa_state, state);
	while ((go = atomic_load_acq_32(&sa->sa_go)) < (uint32_t)state &&
	    sa->sa_slices->sl_end == 0)
		machine_wait_32(&sa->sa_go, go, -1);
	return (sa->sa_slices->sl_end == 0 ? 0 : EINTR);
}

static void *
arm_main(void *arg)
{
	struct slice_arm *sa = arg;
	struct freezer_member member;

	freezer_enter(&sa->sa_freezer, &member);
	sa->sa_error = sa->sa_slices->sl_engine->en_run(&sa->sa_params,
	    sa->sa_measure, sa->sa_why);
	freezer_leave(&member);
	machine_set_32(&sa->sa_state, SLICE_ENDED);
	return (NULL);
}

/*
 * Waits for at least that state or, unless -1, for ns or a signal.  With -1 it
 * passes a signal on: from then on the cell may end at any time.
 */
static enum slice_state
wait_state(struct slices *sl, struct slice_arm *sa, enum slice_state least,
    int64_t ns)
{
	const int64_t end_ns = tick_ns() + ns;
	int64_t left_ns = SLICE_MAX_NS;
	uint32_t state;

	while ((state = atomic_load_acq_32(&sa->sa_state)) < (uint32_t)least) {
		if (ns < 0 && *sl->sl_asked != 0)
			sl->sl_end = 1;
		if (ns >= 0 && ((left_ns = end_ns - tick_ns()) <= 0 ||
		    *sl->sl_asked != 0))
			break;
		machine_wait_32(&sa->sa_state, state, left_ns);
	}
	return ((enum slice_state)state);
}

static void
go(struct slice_arm *sa)
{
	if (sa->sa_stopped)
		freezer_go(&sa->sa_freezer);
	sa->sa_stopped = false;
}

static void
stop(struct slice_arm *sa)
{
	freezer_stop(&sa->sa_freezer);
	sa->sa_stopped = true;
}

/* Makes all cells, stops them, and lets each in turn open its window. */
static bool
open_all(struct slices *sl)
{
	struct slice_arm *sa;
	int error;

	gsl_ran_shuffle(sl->sl_rng, sl->sl_order, sl->sl_count,
	    sizeof(*sl->sl_order));
	for (unsigned i = 0; i < sl->sl_count; i++) {
		sa = &sl->sl_arms[sl->sl_order[i]];
		error = pthread_create(&sa->sa_thread, NULL, arm_main, sa);
		sa->sa_started = error == 0;
		if (error != 0) {
			sa->sa_error = error;
			snprintf(sa->sa_why, sizeof(sa->sa_why), "the host "
			    "refused to start a cell's thread: %s",
			    strerror(error));
		}
		if (!sa->sa_started ||
		    wait_state(sl, sa, SLICE_READY, -1) != SLICE_READY)
			return (false);
	}
	for (unsigned i = 0; i < sl->sl_count; i++)
		stop(&sl->sl_arms[i]);
	for (unsigned i = 0; i < sl->sl_count; i++) {
		sa = &sl->sl_arms[sl->sl_order[i]];
		machine_set_32(&sa->sa_go, SLICE_OPEN);
		go(sa);
		(void)wait_state(sl, sa, SLICE_OPEN, -1);
		if (sl->sl_end != 0)
			return (false);
		stop(sa);
	}
	return (true);
}

/* One slice, its rate and requests; whether the window was open all along. */
static bool
slice(struct slices *sl, struct slice_arm *sa, double *mb_per_s,
    double *requests)
{
	uint64_t bytes;
	int64_t ns;
	bool open;

	go(sa);
	(void)wait_state(sl, sa, SLICE_CLOSING, WARM_NS);
	bytes = sa->sa_bytes(sa->sa_run);
	ns = tick_ns();
	open = wait_state(sl, sa, SLICE_CLOSING, sl->sl_slice_ns) ==
	    SLICE_OPEN && *sl->sl_asked == 0;
	ns = tick_ns() - ns;
	bytes = sa->sa_bytes(sa->sa_run) - bytes;
	if (open) {
		stop(sa);
	} else {
		/* Not stopped any more, as threads that end take locks. */
		machine_set_32(&sa->sa_go, SLICE_CLOSING);
		(void)wait_state(sl, sa, SLICE_CLOSED, -1);
	}
	*mb_per_s = (double)bytes * 1e3 / (double)ns;
	*requests = (double)bytes /
	    (double)sa->sa_params.cp_cell.ce_request_bytes;
	return (open);
}

/* A slice of each cell that is open; false: none is, or all is to end. */
static bool
block(struct slices *sl, double *fewest)
{
	bool some = false, whole = sl->sl_blocks < sl->sl_room;
	double mb_per_s = 0, requests = 0;
	struct slice_arm *sa;

	*fewest = HUGE_VAL;
	gsl_ran_shuffle(sl->sl_rng, sl->sl_order, sl->sl_count,
	    sizeof(*sl->sl_order));
	for (unsigned i = 0; i < sl->sl_count && sl->sl_end == 0; i++) {
		sa = &sl->sl_arms[sl->sl_order[i]];
		if (!sa->sa_stopped) {
			whole = false;
			continue;
		}
		some = true;
		whole = slice(sl, sa, &mb_per_s, &requests) && whole;
		*fewest = fmin(*fewest, requests);
		if (sl->sl_blocks < sl->sl_room)
			sa->sa_mb_per_s[sl->sl_blocks] = mb_per_s;
	}
	sl->sl_blocks += whole && some && sl->sl_end == 0;
	return (some && sl->sl_end == 0);
}

/* The first block shows how long slices must be, and does not count. */
static void
alternate(struct slices *sl)
{
	const double time_ns = sl->sl_arms->sa_params.cp_time_s * 1e9;
	double fewest;

	sl->sl_slice_ns = SLICE_MIN_NS;
	if (!block(sl, &fewest))
		return;
	sl->sl_blocks = 0;
	sl->sl_slice_ns = (int64_t)fmax(SLICE_MIN_NS, fmin(fmin(SLICE_MAX_NS,
	    time_ns / SLICES_LEAST), SLICE_MIN_NS / fmax(1, fewest) *
	    SLICE_REQUESTS));
	while (block(sl, &fewest))
		continue;
}

/* Lets all cells end, and takes what they measured. */
static int
finish(struct slices *sl, struct cell_measure *cm, char error_text[])
{
	struct slice_arm *sa;
	int error = 0;

	for (unsigned i = 0; i < sl->sl_count; i++) {
		machine_set_32(&sl->sl_arms[i].sa_go, SLICE_CLOSED);
		go(&sl->sl_arms[i]);
	}
	for (unsigned i = 0; i < sl->sl_count; i++) {
		sa = &sl->sl_arms[i];
		if (sa->sa_started)
			pthread_join(sa->sa_thread, NULL);
		/* One failed and made the others end. */
		if (sa->sa_error != 0 && (error == 0 || error == EINTR)) {
			error = sa->sa_error;
			memcpy(error_text, sa->sa_why, CELL_ERROR_SIZE);
		}
	}
	for (unsigned i = 0; i < sl->sl_count; i++) {
		sa = &sl->sl_arms[i];
		if (error == 0) {
			cm[i].cm_sample.slices = sl->sl_blocks;
			cm[i].cm_sample.slice_mb_per_s = sa->sa_mb_per_s;
			sa->sa_mb_per_s = NULL;
		} else if (sa->sa_started && sa->sa_error == 0)
			cell_measure_free(&cm[i]);
	}
	return (error);
}

int
slices_run(const struct engine *en, const struct cell_params *cp,
    unsigned count, gsl_rng *rng, struct cell_measure *cm,
    char error_text[CELL_ERROR_SIZE])
{
	struct slices sl = { .sl_engine = en, .sl_count = count,
	    .sl_rng = rng, .sl_asked = cp->cp_stop };
	struct slice_arm *sa;
	struct mthread self;
	int error;

	sl.sl_room = (unsigned)(cp->cp_time_s * 1e9 / SLICE_MIN_NS) + 1;
	sl.sl_arms = xcalloc(count, sizeof(*sl.sl_arms));
	sl.sl_order = xcalloc(count, sizeof(*sl.sl_order));
	for (unsigned i = 0; i < count; i++) {
		sa = &sl.sl_arms[i];
		sl.sl_order[i] = i;
		*sa = (struct slice_arm){ .sa_slices = &sl,
		    .sa_params = cp[i], .sa_measure = &cm[i],
		    .sa_mb_per_s = xcalloc(sl.sl_room, sizeof(double)) };
		sa->sa_params.cp_arm = sa;
		sa->sa_params.cp_stop = &sl.sl_end;
		freezer_init(&sa->sa_freezer);
	}
	machine_attach(&self, "rngsim");
	if (open_all(&sl))
		alternate(&sl);
	else
		sl.sl_end = 1;
	error = finish(&sl, cm, error_text);
	machine_detach();
	for (unsigned i = 0; i < count; i++)
		free(sl.sl_arms[i].sa_mb_per_s);
	free(sl.sl_arms);
	free(sl.sl_order);
	return (error);
}
