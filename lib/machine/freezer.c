#include "lib/machine/freezer.h"
#include "lib/machine/real.h"

/* mt_stopped_ns, if it is not the CPU time after the last stop of a sleep. */
enum { AWAKE, ASLEEP };

struct freezer_lost freezer_lost;

_Thread_local struct freezer *freezer_self;

static uint64_t
own_cpu_ns(void)
{
	return ((uint64_t)tick_read_ns(CLOCK_THREAD_CPUTIME_ID));
}

void
freezer_sleep_begins(struct mthread *td)
{
	if (freezer_self != NULL)
		atomic_store_64(&td->mt_stopped_ns, ASLEEP);
}

void
freezer_sleep_ends(struct mthread *td)
{
	uint64_t now_ns, stopped_ns;

	if (freezer_self == NULL)
		return;
	now_ns = own_cpu_ns();
	/* A stop from here on counts by itself. */
	stopped_ns = atomic_swap_acq_rel_64(&td->mt_stopped_ns, AWAKE);
	if (stopped_ns != ASLEEP)
		atomic_fetchadd_64(&td->mt_stopping_ns, now_ns - stopped_ns);
}

/* The handler began when the thread had used so much. */
static void
leave_out(struct mthread *td, uint64_t began_ns)
{
	const uint64_t stopped_ns = atomic_load_64(&td->mt_stopped_ns);
	const uint64_t now_ns = own_cpu_ns();

	atomic_fetchadd_64(&td->mt_stopping_ns, now_ns -
	    (stopped_ns > ASLEEP ? stopped_ns : began_ns));
	if (stopped_ns != AWAKE)
		atomic_store_64(&td->mt_stopped_ns, now_ns);
}

/* Runs on a member that is to stop; errno is of what it interrupted. */
static void
on_stop(int sig)
{
	struct freezer *fz = freezer_self;
	const uint32_t round = fz == NULL ? 0 : atomic_load(&fz->fz_round);
	const uint64_t began_ns = own_cpu_ns();
	const int saved = errno;

	/* The signal is another program's. */
	if (round % 2 == 0)
		return;
	/* Then hold_end() raises it again. */
	if (hold_self.ho_depth > 0) {
		hold_self.ho_signal = sig;
		return;
	}
	atomic_fetch_add(&fz->fz_stopped, 1);
	real_wake(&fz->fz_stopped, 1);
	while (atomic_load(&fz->fz_round) == round)
		real_wait(&fz->fz_round, round, -1);
	if (machine_self != NULL)
		leave_out(machine_self, began_ns);
	errno = saved;
}

void
freezer_init(struct freezer *fz)
{
	const struct sigaction sa = { .sa_handler = on_stop,
	    .sa_flags = SA_RESTART };

	*fz = (struct freezer){ .fz_mutex = PTHREAD_MUTEX_INITIALIZER };
	sigaction(SIGUSR2, &sa, NULL);
}

void
freezer_enter(struct freezer *fz, struct freezer_member *fm)
{
	sigset_t set;
	uint32_t round;

	MPASS(freezer_self == NULL);
	*fm = (struct freezer_member){ .fzm_freezer = fz,
	    .fzm_thread = pthread_self() };
	if (fz == NULL)
		return;
	freezer_self = fz;
	/* The program may have been started with the signal blocked. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_mutex_lock(&fz->fz_mutex);
	LIST_INSERT_HEAD(&fz->fz_members, fm, fzm_all);
	fz->fz_count++;
	round = atomic_load(&fz->fz_round);
	pthread_mutex_unlock(&fz->fz_mutex);
	while (round % 2 != 0 && atomic_load(&fz->fz_round) == round)
		real_wait(&fz->fz_round, round, -1);
}

void
freezer_leave(struct freezer_member *fm)
{
	struct freezer *fz = fm->fzm_freezer;

	if (fz == NULL)
		return;
	pthread_mutex_lock(&fz->fz_mutex);
	LIST_REMOVE(fm, fzm_all);
	fz->fz_count--;
	pthread_mutex_unlock(&fz->fz_mutex);
	freezer_self = NULL;
}

void
freezer_stop(struct freezer *fz)
{
	struct freezer_member *fm;
	uint32_t stopped;

	MPASS(freezer_self != fz && atomic_load(&fz->fz_round) % 2 == 0);
	pthread_mutex_lock(&fz->fz_mutex);
	atomic_store(&fz->fz_stopped, 0);
	atomic_fetch_add(&fz->fz_round, 1);
	LIST_FOREACH(fm, &fz->fz_members, fzm_all)
		pthread_kill(fm->fzm_thread, SIGUSR2);
	while ((stopped = atomic_load(&fz->fz_stopped)) < fz->fz_count)
		real_wait(&fz->fz_stopped, stopped, -1);
	pthread_mutex_unlock(&fz->fz_mutex);
	fz->fz_stop_ns = tick_ns();
	fz->fz_stop_cycles = tick_cycles();
}

void
freezer_go(struct freezer *fz)
{
	MPASS(atomic_load(&fz->fz_round) % 2 != 0);
	fz->fz_lost_cycles += tick_cycles() - fz->fz_stop_cycles;
	fz->fz_lost_ns += tick_ns() - fz->fz_stop_ns;
	freezer_lost.fzl_cycles = fz->fz_lost_cycles;
	freezer_lost.fzl_ns = fz->fz_lost_ns;
	atomic_fetch_add(&fz->fz_round, 1);
	real_wake(&fz->fz_round, INT32_MAX);
}
