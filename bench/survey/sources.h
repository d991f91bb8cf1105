/*
 * Times sources of numbers: the cost of a number, and the number of threads at
 * which throughput stops growing.
 *
 * A point is one source, one width of read and one number of threads; each
 * thread has a CPU and a state of its own.  A repeat of a point is a window of
 * time, as sources differ by three orders of magnitude.
 */
#ifndef BENCH_SURVEY_SOURCES_H
#define BENCH_SURVEY_SOURCES_H

#include "bench/survey/numbers.h"
#include "bench/survey/survey.h"

#define	SOURCES_SCHEMA	"rngsim-sources/1"

enum {
	SOURCES_MAX		= 16,
	SOURCES_THREADS_MAX	= 1024,
	SOURCES_CPU_PERCENT	= 95,	/* less is said to be disturbed */
	MITIGATION_TEXT_SIZE	= 128
};

/* One repeat of a point, all threads together. */
struct sources_sample {
	double		ss_window_s;
	double		ss_cpu_s;	/* CPU time in the window */
	uint64_t	ss_reads;
	uint64_t	ss_failures;
};

struct sources_point {
	unsigned	 sp_threads;
	bool		 sp_oversubscribed;	/* threads share CPUs */
	bool		 sp_unbound;	/* binding a thread was refused */
	struct sources_sample *sp_samples;
	unsigned	 sp_count;	/* of samples; 0: no figures */
	/* Medians over repeats, and the 95 % interval of the first. */
	double		 sp_reads_per_s;
	double		 sp_ci95[2];
	double		 sp_failures_percent;	/* of successful reads */
	double		 sp_cpu_percent;	/* of one CPU per thread */
};

enum sources_status {
	SOURCES_TIMED,
	SOURCES_ABSENT,		/* this machine has none; nothing was tried */
	SOURCES_WRONG,		/* the first numbers are wrong; not timed */
	SOURCES_DEAD,		/* it gave no number; timed until then */
	SOURCES_STATUSES
};

/* One source and width. */
struct sources_curve {
	const struct number_source *sc_source;
	enum number_width sc_width;
	enum sources_status sc_status;
	uint64_t	 sc_first[NUMBER_FIRST];
	struct sources_point *sc_points;	/* sr_thread_counts of them */
	/*
	 * Throughput stops growing: the fewest threads whose median is at
	 * least 95 % of the greatest; 0: fewer than two were measured.
	 */
	unsigned	 sc_enough;
	unsigned	 sc_most;	/* threads with a CPU each */
};

/* The caller, a machine thread, sets what is asked for; the rest is zero. */
struct sources {
	struct survey	 sr_survey;	/* of sources_kind */
	const struct number_source *sr_source[SOURCES_MAX];
	unsigned	 sr_sources;
	bool		 sr_width[NUMBER_WIDTHS];
	unsigned	 sr_threads[SOURCES_THREADS_MAX];	/* ascending */
	unsigned	 sr_thread_counts;
	/* Measured.  The curves' points are one array, their samples too. */
	char		 sr_srbds[MITIGATION_TEXT_SIZE];
	struct sources_curve *sr_curves;
	unsigned	 sr_count;	/* of curves */
	struct sources_point *sr_points;
	struct sources_sample *sr_samples;
};

extern const struct survey_kind sources_kind;

/* The names in JSON and CSV. */
extern const char *const sources_status_names[SOURCES_STATUSES];

/*
 * Makes sr_count curves' points and samples, without figures.
 */
void sources_make_points(struct sources *sr);

/* Computes the figures of all points and curves. */
void sources_summarize(struct sources *sr);

/* Also after a failure. */
void sources_free(struct sources *sr);

/*
 * Starts threads that read for warmup_ns and then, all together, for window_ns.
 * A signal shortens it.
 *
 *   unbound  out  set, never cleared, when binding a thread was refused
 *
 * Returns: 0; EIO when the source gives no more numbers; else the system's
 * error.
 */
int window_measure(const struct number_source *ns, enum number_width width,
    unsigned threads, int64_t warmup_ns, int64_t window_ns,
    struct sources_sample *sm, bool *unbound);

/*
 * Reads the kernel's report on SRBDS, CVE-2020-0543, which slows RDRAND.
 *
 *   path  in   a file in place of the kernel's, or NULL
 *   text  out  its first line, or why there is none
 */
void mitigation_read(const char *path, char text[MITIGATION_TEXT_SIZE]);

/* Whether a curve, or any curve for NULL, has a point with figures. */
bool sources_any(const struct sources *sr, const struct sources_curve *sc);

/* The curve of a point. */
static inline const struct sources_curve *
sources_curve(const struct sources *sr, unsigned point)
{
	return (&sr->sr_curves[point / sr->sr_thread_counts]);
}

static inline double
sources_ns(double reads_per_s)
{
	return (1e9 / reads_per_s);
}

/* In 10^9 bits. */
static inline double
sources_gbit_per_s(const struct sources_curve *sc, double reads_per_s)
{
	return (reads_per_s * number_bits[sc->sc_width] / 1e9);
}

/*
 * Published figures: ns per 32-bit number of one thread and of all together,
 * and RDSEED's failures per success in percent.
 */
enum { PUBLISHED_SOURCES = 4, PUBLISHED_MACHINES = 4 };

struct published_machine {
	const char	*pm_machine;
	double		 pm_ns[PUBLISHED_SOURCES][2];
	double		 pm_failures_percent[2];
};

extern const char *const published_sources[PUBLISHED_SOURCES];
extern const struct published_machine published_machines[PUBLISHED_MACHINES];

/* RDRAND on Ivy Bridge, 64-bit reads: the peak that more threads kept. */
#define	PUBLISHED_PEAK_READS_PER_S	99.6e6
#define	PUBLISHED_PEAK_GBIT_PER_S	6.374
extern const char published_peak_from[];

/* Of sources_kind: a table, CSV, JSON, a script of a struct sources. */
void sources_table(FILE *out, const struct survey *sy);
void sources_csv(FILE *out, const struct survey *sy);
json_t *sources_json(const struct survey *sy);
gnuplot_printer sources_plot;

#endif
