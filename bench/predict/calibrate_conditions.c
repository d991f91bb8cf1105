/* Whether a machine is fit to be calibrated: what else uses its CPUs. */
#include <sys/resource.h>

#include "bench/cli/format.h"
#include "bench/predict/calibrate.h"

enum { LOOK_NS = 250 * 1000 * 1000 };	/* at the machine at rest */

/* Limit of the wait for a machine to come to rest. */
#define	REST_NS	(5 * NS_PER_S)

/* Above these a machine is not fit to be measured. */
static const double others_most = 0.3, steal_most = 0.01, disturbed_most = 0.05;
static const double drift_most = 0.05;

/* CPU time of all CPUs together, until the latest calibrate_watch(). */
static struct usage {
	double		ut_busy_s, ut_steal_s;
	double		ut_total_s;	/* 0: unknown */
	double		ut_own_s;	/* of this process and its children */
} then;

/*
 * The first line of Linux's /proc/stat, in ticks of all CPUs: user, nice,
 * system, idle, iowait, irq, softirq, steal.
 */
static struct usage
usage_now(void)
{
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK), t[8];
	struct usage ut = { .ut_own_s = 0 };
	struct rusage ru;
	FILE *f;
	int n;

	for (int i = 0; i < 2; i++) {
		getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &ru);
		ut.ut_own_s += (double)(ru.ru_utime.tv_sec +
		    ru.ru_stime.tv_sec) + (double)(ru.ru_utime.tv_usec +
		    ru.ru_stime.tv_usec) / 1e6;
	}
	if ((f = fopen("/proc/stat", "re")) == NULL)
		return (ut);
	n = fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1],
	    &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
	fclose(f);
	if (n != 8)
		return (ut);
	ut.ut_busy_s = (t[0] + t[1] + t[2] + t[5] + t[6]) * tick_s;
	ut.ut_steal_s = t[7] * tick_s;
	ut.ut_total_s = ut.ut_busy_s + ut.ut_steal_s + (t[3] + t[4]) * tick_s;
	return (ut);
}

void
calibrate_watch(struct calibrate_conditions *cc)
{
	const struct usage now = usage_now(), old = then;
	const double total_s = now.ut_total_s - old.ut_total_s;

	then = now;
	if (old.ut_total_s == 0 || total_s <= 0) {
		/* The load is all there is, without this program's part. */
		cc->cc_others = cc->cc_load;
		return;
	}
	/* Ticks are coarser than a process's own clock. */
	cc->cc_others = fmin(1, fmax(0, (now.ut_busy_s - old.ut_busy_s -
	    (now.ut_own_s - old.ut_own_s)) / total_s));
	cc->cc_steal = (now.ut_steal_s - old.ut_steal_s) / total_s;
}

unsigned
calibrate_objections(const struct calibrate_conditions *cc, char *text,
    size_t size)
{
	struct text t = { .s = "" };
	unsigned n = 0;

#define	OBJECT(wrong, ...)						\
	if (wrong) {							\
		text_add(&t, "%s", n++ > 0 ? "; " : "");		\
		text_add(&t, __VA_ARGS__);				\
	}
	OBJECT(cc->cc_others > others_most, "other programs use %.2f of each "
	    "CPU (at most %.2f): stop them", cc->cc_others, others_most)
	OBJECT(cc->cc_steal > steal_most, "the hypervisor gave %.1f %% of the "
	    "time to others (at most %.0f %%): try at a quieter time",
	    cc->cc_steal * 100, steal_most * 100)
	OBJECT(cc->cc_disturbed > disturbed_most, "%.1f %% of the batches lost "
	    "their CPU (at most %.0f %%): stop other programs",
	    cc->cc_disturbed * 100, disturbed_most * 100)
	OBJECT(cc->cc_quota > 0, "a cgroup allows only %.3g CPUs' worth of "
	    "time: lift its quota", cc->cc_quota)
	OBJECT(fabs(cc->cc_drift) > drift_most, "the CPU became %.1f %% %s on "
	    "the way (at most %.0f %%): fix its frequency, or try again",
	    fabs(cc->cc_drift) * 100, cc->cc_drift > 0 ? "slower" : "faster",
	    drift_most * 100)
	OBJECT(cc->cc_unbound, "threads may not be bound to CPUs: allow that")
#undef OBJECT
	snprintf(text, size, "%s", t.s);
	return (n);
}

void
calibrate_await_rest(struct calibrate_conditions *cc, bool wait)
{
	int64_t end_ns = tick_ns() + REST_NS;
	char text[CALIBRATE_TEXT_SIZE];
	double load;

	cc->cc_quota = cpu_quota();
	cc->cc_load = getloadavg(&load, 1) == 1 ? load / cpu_count_machine() :
	    0;
	then = usage_now();
	do {
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
		calibrate_watch(cc);
	} while (wait && calibrate_objections(cc, text, sizeof(text)) > 0 &&
	    cc->cc_quota == 0 && tick_ns() < end_ns && !stop_asked());
}
