/*
 * What others published of the same sources on their machines, to stand beside
 * what is measured.
 */
#ifndef BENCH_PUBLISHED_H
#define BENCH_PUBLISHED_H

enum { PUBLISHED_SOURCES = 4 };

/* ns per 32-bit number, of one thread and of all together. */
struct published_time {
	double		pt_one_ns;
	double		pt_all_ns;
};

/* hrng: hardware against software generators. */
struct published_machine {
	const char	*pm_machine;
	struct published_time pm_time[PUBLISHED_SOURCES];
	/* Failures per success of rdseed, one thread and all. */
	double		pm_failures_percent[2];
};

extern const struct published_machine published_machines[];
extern const unsigned published_machine_count;

/* The sources that pm_time is of, by their names in this program. */
extern const char *const published_sources[PUBLISHED_SOURCES];

/* Where these figures are from. */
extern const char published_machines_from[];

/*
 * RDRAND on Ivy Bridge, October 2012: reads of 64 bits a second at the peak,
 * which more threads did not raise.
 */
extern const double published_peak_reads_per_s;
extern const double published_peak_gbit_per_s;
extern const char published_peak_from[];

#endif
