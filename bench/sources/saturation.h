/*
 * Where throughput stops growing with threads.
 *
 * It has stopped at the smallest number of threads whose median is at least
 * 95 % of the greatest median.  How sure that is, the intervals say: at the
 * earliest it stopped where an interval reaches up to 95 % of the lower end of
 * the best one's, at the latest where one lies above 95 % of its upper end.
 * What was not measured between two numbers of threads may be the place, too.
 */
#ifndef BENCH_SATURATION_H
#define BENCH_SATURATION_H

struct saturation_point {
	unsigned	sp_threads;
	double		sp_median;	/* of throughput, any unit, above 0 */
	double		sp_low;		/* its interval */
	double		sp_high;
};

enum saturation_verdict {
	SATURATION_UNKNOWN,	/* fewer than two numbers of threads */
	SATURATION_NOT_REACHED,	/* it grew to the last of them */
	SATURATION_REACHED,
	SATURATION_UNCLEAR,	/* one of the two: intervals are too wide */
	SATURATION_VERDICTS
};

/* As JSON has them. */
extern const char *const saturation_names[SATURATION_VERDICTS];

struct saturation {
	enum saturation_verdict sa_verdict;
	unsigned	sa_threads;	/* by the medians */
	unsigned	sa_least;	/* where it is for certain: least.. */
	unsigned	sa_most;	/* ..most; 0: beyond all */
};

/*
 *   points  in   by ascending threads, with a CPU for each thread: where CPUs
 *                are shared the scheduler is what throughput is limited by
 *   n       in   may be 0
 *   sa      out  numbers are 0 where they are unknown
 */
void saturation_find(const struct saturation_point *points, unsigned n,
    struct saturation *sa);

#endif
