/*
 * Sources of numbers, timed: how long a number takes, with how many threads,
 * and where more threads give no more numbers.
 *
 * A read gives 32 or 64 bits.  A point is one source, one width of read and one
 * number of threads.  Each repeat visits every point once, in an order drawn
 * anew, and lasts for a window of time rather than for a count of numbers, as
 * sources differ by three orders of magnitude.  Its threads, each bound to a
 * CPU and with a state of its own, read throughout the window.
 *
 * A window in which they had less than SOURCES_CPU_PERCENT of their CPUs is
 * measured again, up to SOURCES_TRIES times, and the one with most CPU time
 * counts: what others do with the CPUs says nothing of a source.
 */
#ifndef BENCH_SOURCES_H
#define BENCH_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/result/result.h"
#include "bench/sources/mitigation.h"
#include "bench/sources/numbers.h"
#include "bench/sources/saturation.h"

#define	SOURCES_SCHEMA	"rngsim-sources/1"

enum {
	SOURCES_MAX		= 16,
	SOURCES_THREADS_MAX	= 1024,
	SOURCES_REPEATS_MAX	= 1000,
	SOURCES_TRIES		= 8,
	SOURCES_CPU_PERCENT	= 95,
	SOURCES_TEXT_SIZE	= 256
};

/* What to time. */
struct sources_options {
	const struct number_source *so_source[SOURCES_MAX];
	unsigned	 so_sources;
	bool		 so_width[NUMBER_WIDTHS];
	unsigned	 so_threads[SOURCES_THREADS_MAX];	/* ascending */
	unsigned	 so_thread_counts;
	unsigned	 so_repeats;
	double		 so_time_s;	/* of a window */
};

/* One repeat of a point, its threads together. */
struct sources_sample {
	unsigned	ss_order;	/* its place among all */
	double		ss_window_s;
	double		ss_cpu_s;	/* CPU time of all threads in it */
	unsigned	ss_tries;	/* windows it was chosen from */
	uint64_t	ss_reads;
	uint64_t	ss_failures;
};

struct sources_point {
	unsigned	 sp_threads;
	bool		 sp_oversubscribed;	/* threads share CPUs */
	bool		 sp_unbound;	/* binding one was refused */
	struct sources_sample *sp_samples;
	unsigned	 sp_count;	/* of these; 0: the rest is not known */
	/* Over repeats; the interval holds the median with 95 % confidence. */
	double		 sp_reads_per_s;
	double		 sp_ci95[2];	/* of reads_per_s */
	double		 sp_failures_percent;	/* of successes */
	double		 sp_cpu_percent;	/* of one CPU for each thread */
};

enum sources_status {
	SOURCES_TIMED,
	SOURCES_ABSENT,		/* this machine has none; nothing was tried */
	SOURCES_WRONG,		/* the first numbers are wrong; not timed */
	SOURCES_DEAD,		/* it gave no number; timed until then */
	SOURCES_STATUSES
};

/* As JSON and CSV have them. */
extern const char *const sources_status_names[SOURCES_STATUSES];

/* One source and width. */
struct sources_curve {
	const struct number_source *sc_source;
	enum number_width sc_width;
	enum sources_status sc_status;
	/* As many as it gave where it is dead. */
	uint64_t	 sc_first[NUMBER_FIRST];
	struct sources_point *sc_points;	/* so_thread_counts of them */
	struct saturation sc_saturation;
};

struct sources {
	struct sources_options sr_options;
	struct result_host sr_host;
	char		 sr_started[RESULT_NAME_SIZE];	/* RFC 3339 */
	struct mitigation sr_mitigation;
	bool		 sr_complete;	/* nothing interrupted it */
	struct sources_curve *sr_curves;
	unsigned	 sr_count;
};

/*
 * Checks every source and times those that this machine has and that give the
 * right numbers.  The caller is a machine thread.
 *
 *   sr   out  for sources_free(), on failure too
 *   why  out  on failure: the reason, for people; SOURCES_TEXT_SIZE bytes
 *
 * Returns: 0; EINTR when a signal ended it, and what is complete is there;
 * else what the system said, and nothing is.
 */
int sources_measure(struct sources *sr, const struct sources_options *so,
    char why[SOURCES_TEXT_SIZE]);

/* Computes the figures of all points and curves from their samples. */
int sources_summarize(struct sources *sr);

void sources_free(struct sources *sr);

/* ns that a number takes, all threads together. */
static inline double
sources_ns(double reads_per_s)
{

	return (1e9 / reads_per_s);
}

/* Gbit/s, 10^9 bits. */
static inline double
sources_gbit_per_s(const struct sources_curve *sc, double reads_per_s)
{

	return (reads_per_s * number_bits[sc->sc_width] / 1e9);
}

/* The curve of a source; NULL when it has none of that width, timed. */
const struct sources_curve *sources_find(const struct sources *sr,
    const char *name, enum number_width width);

/* Whether a curve, or any of them, has a point with known figures. */
bool sources_curve_any(const struct sources *sr,
    const struct sources_curve *sc);
bool sources_any(const struct sources *sr);

/*
 * The points of a curve with known figures: that of one thread, and the most
 * threads that had a CPU each.  NULL where there is none.
 */
const struct sources_point *sources_one(const struct sources_curve *sc);
const struct sources_point *sources_all(const struct sources *sr,
    const struct sources_curve *sc);

#endif
