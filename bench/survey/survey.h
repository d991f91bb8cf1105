/*
 * The common part of "rngsim sources" and "rngsim hash": subjects that are
 * timed in several ways, in random order, some repeats of each, and output.
 */
#pragma once

#include "bench/options/options.h"

enum {
	SURVEY_NAME_SIZE = 64,
	SURVEY_SEED	= 1,	/* of the order of visits and of resampling */
	SURVEY_REPEATS_MAX = 1000
};

/* What a thread's operations work on. */
struct window_state {
	uint32_t	 wn_word[4];
	void		*wn_object;
};

struct window_batch {
	uint64_t	wb_count;	/* in: operations to do, at least 1 */
	uint64_t	wb_last;	/* out: the last number, of sources */
	uint64_t	wb_failures;	/* failed attempts are added */
};

/* Does the operations of a batch.  Returns: 0, or EIO: no more can be done. */
typedef int window_batcher(struct window_state *wn, struct window_batch *wb);

struct window_task {
	window_batcher	*wtk_batch;
	struct window_state wtk_state;	/* each thread begins with a copy */
	unsigned	 wtk_threads;	/* bound to CPUs, in turn */
};

/* All threads together. */
struct window_sample {
	double		wm_window_s;
	double		wm_cpu_s;	/* CPU time in the window */
	uint64_t	wm_count;	/* of operations */
	uint64_t	wm_failures;
	bool		wm_unbound;	/* binding a thread was refused */
};

/*
 * Starts threads that work for warmup_ns, then all together for window_ns, or
 * until a signal.  Returns: 0; EIO when no more could be done; or another.
 */
int window_measure(const struct window_task *wt, int64_t warmup_ns,
    int64_t window_ns, struct window_sample *wm);

/* One way to time a subject: a number of threads, or an operation. */
struct survey_point {
	struct window_task pt_task;
	struct window_sample *pt_samples;	/* of repeats */
	unsigned	 pt_count;	/* of samples; 0: no figures */
	/* Median of operations per second, its 95 % interval, quartiles. */
	double		 pt_per_s, pt_ci95[2], pt_quartiles[2];
	/* Medians. */
	double		 pt_failures_percent;	/* of operations */
	double		 pt_cpu_percent;	/* of one CPU per thread */
};

struct survey_subject {
	char		 su_name[SURVEY_NAME_SIZE];	/* for progress */
	void		*su_of;		/* the command's own */
	/* ENOTSUP: there is none; EILSEQ: wrong answers; EIO: none any more. */
	int		 su_error;
	struct survey_point *su_points;	/* sv_ways of them */
};

struct survey;

/* How a command prints what it measured. */
struct survey_kind {
	int64_t		knd_warmup_ns;	/* before each window; above 0 */
	/* Rates are per second of CPU time, which others cannot disturb. */
	bool		knd_cpu_time;
	json_t		*(*sk_json)(const struct survey *sv);
	void		(*sk_csv)(FILE *out, const struct survey *sv);
	void		(*sk_table)(FILE *out, const struct survey *sv);
};

struct survey {
	const struct survey_kind *sv_kind;
	unsigned	 sv_repeats;	/* asked for, 1 or more */
	double		 sv_time_s;	/* of a repeat of a point */
	/* Made by survey_make(). */
	struct survey_subject *sv_subjects;
	unsigned	 sv_count;	/* of subjects */
	unsigned	 sv_ways;	/* points of a subject */
	/* Measured. */
	unsigned	 sv_done;	/* complete repeats */
	struct result_host sv_host;
	char		 sv_started[RESULT_NAME_SIZE];	/* RFC 3339 */
};

/* Makes subjects with own_size zeroed bytes each, and points of one thread. */
void survey_make(struct survey *sv, unsigned subjects, unsigned ways,
    size_t own_size);
void survey_free(struct survey *sv);

/*
 * Measures each point once in each repeat, in an order drawn anew; the second
 * then computes the figures of all.  Returns: 0; EINTR after a signal, with the
 * figures that there are; after a message EIO, of crypto_failed(), or another.
 */
int survey_measure(struct survey *sv);
void survey_summarize(struct survey *sv);

/* Measures, and prints to -o and stdout.  Returns: the exit status. */
int survey_command(struct survey *sv, const struct options *op);

/* Prints where and when it was measured and "where", how often and "how". */
void survey_print_head(FILE *out, const struct survey *sv, const char *where,
    const char *how);

/*
 * Half the interval of a point's median, in percent of that; as text, "?" where
 * it is not known; and what that means.
 */
double survey_spread(const struct survey_point *pt);
const char *format_spread(char buf[32], const struct survey_point *pt);
void survey_print_unknown(FILE *out);

static inline bool
survey_complete(const struct survey *sv)
{
	return (sv->sv_done == sv->sv_repeats);
}
