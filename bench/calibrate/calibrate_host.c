#include <sys/resource.h>
#include <sys/time.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/calibrate/calibrate_host.h"
#include "lib/cpu.h"

static double
seconds(struct timeval tv)
{

	return ((double)tv.tv_sec + (double)tv.tv_usec / 1e6);
}

static double
own_s(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (seconds(ru.ru_utime) + seconds(ru.ru_stime));
}

/*
 * The first line of Linux's /proc/stat, in ticks of all CPUs: user, nice,
 * system, idle, iowait, irq, softirq, steal.
 */
void
calibrate_usage(struct calibrate_usage *us)
{
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK), t[8];
	FILE *f;
	int n = 0;

	memset(us, 0, sizeof(*us));
	us->us_own_s = own_s(RUSAGE_SELF) + own_s(RUSAGE_CHILDREN);
	f = fopen("/proc/stat", "re");
	if (f == NULL)
		return;
	n = fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1],
	    &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
	fclose(f);
	if (n != 8)
		return;
	us->us_busy_s = (t[0] + t[1] + t[2] + t[5] + t[6]) * tick_s;
	us->us_steal_s = t[7] * tick_s;
	us->us_total_s = us->us_busy_s + us->us_steal_s + (t[3] + t[4]) *
	    tick_s;
}

void
calibrate_usage_since(const struct calibrate_usage *then,
    struct calibrate_conditions *cc)
{
	struct calibrate_usage now;
	double total_s;

	calibrate_usage(&now);
	total_s = now.us_total_s - then->us_total_s;
	if (then->us_total_s == 0 || total_s <= 0) {
		/* Nothing better is known; of before, so not of this. */
		cc->cc_others = cc->cc_load;
		return;
	}
	cc->cc_others = calibrate_others(now.us_busy_s - then->us_busy_s,
	    now.us_own_s - then->us_own_s, total_s);
	cc->cc_steal = (now.us_steal_s - then->us_steal_s) / total_s;
}

double
calibrate_load(void)
{
	double load;

	return (getloadavg(&load, 1) == 1 ? load / cpu_count_machine() : 0);
}
