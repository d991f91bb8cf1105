/*
 * A result: what was measured, on what, by which command.
 *
 * The in-memory form of one rngsim-result(5) document.  Measuring fills it,
 * result.c writes it, result_load.c reads it, and tables, CSV and plots are
 * made from it, so a report of a file shows what the run showed.
 *
 * Units end the names: MB is 10^6 bytes, percent is of one CPU.
 */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define	RESULT_SCHEMA	"rngsim-result/1"

/* What an interval was computed over. */
#define	RESULT_CI95_REPEATS	"repeats"
#define	RESULT_CI95_PARTS	"window parts"	/* too few repeats */

enum {
	RESULT_NAME_SIZE	= 32,
	RESULT_TEXT_SIZE	= 256,
	/* Below, RESULT_CI95_PARTS: repeats do not tell their spread. */
	RESULT_CI95_REPEATS_MIN	= 3,
	RESULT_LOG2_BINS	= 48,	/* of durations, as lockstat(1) */
	RESULT_SHA256_SIZE	= 2 * 32 + 1,	/* in hex */
	RESULT_FILE_MAX		= 256 << 20
};

/* Of one duration's distribution, ns. */
struct result_latency {
	double	p50;
	double	p90;
	double	p99;
	double	p999;
	double	max;
};

/* Of durations too many for a maximum to mean much, ns. */
struct result_quantiles {
	double	p50;
	double	p99;
	double	p999;
};

/*
 * How evenly readers were served.  Of the readers' rates: min_max is the
 * smallest over the largest, cov the standard deviation over the mean, jain
 * Jain's index, cna the share of the busier half of them.  The hold_ members
 * say the same of the time that each reader held Fortuna's lock.
 *
 * reacquire counts acquisitions, by anybody, from one of a thread's to its
 * next: as many as there are threads if they take turns, 1 if it got the lock
 * back at once.  hold_share_harvest is the harvest thread's part, 0..1, of the
 * time the lock was held.
 */
struct result_fairness {
	double	min_max;
	double	cov;
	double	jain;
	double	cna;
	double	hold_min_max;
	double	hold_cov;
	double	hold_jain;
	double	hold_cna;
	double	reacquire_p50;
	double	reacquire_p99;
	double	hold_share_harvest;
};

/* The harvest thread. */
struct result_harvest {
	double	cpu_percent;	/* of its CPU clock */
	double	spin_percent;	/* of the window, waiting for locks awake */
	double	block_percent;	/* and asleep */
	double	events_per_s;	/* delivered to the generator */
	double	dropped;	/* events lost to a full queue, in the window */
	double	discarded;	/* delivered, but refused by health tests */
	double	latency_p99_ns;	/* of one event's delivery, lock included */
};

/* What health tests said of one source; all repeats together, each whole. */
struct result_health {
	char	source[RESULT_NAME_SIZE];	/* "PURE_RDRAND" */
	double	discarded;	/* events, those of starts included */
	double	passed;		/* starts that ended well */
	double	repetitions;	/* failures of the repetition count test */
	double	proportions;	/* and of the adaptive proportion test */
	double	excluded;	/* repeats that ended without the source */
};

/*
 * One place that takes one lock; all repeats together.
 *
 * An acquisition that waited may have spun, blocked or both; the spin_ and
 * block_ figures are of those that did.  Bin i of a histogram counts durations
 * of 2^i to 2^(i+1) - 1 ns, bin 0 those below too.
 */
struct result_row {
	char	site[RESULT_NAME_SIZE];
	char	lock[RESULT_NAME_SIZE];		/* its name: "reseed mutex" */
	char	role[RESULT_NAME_SIZE];		/* reader, harvest, producer */
	double	count;
	double	contended;
	double	hold_total_ns;
	double	hold_max_ns;
	double	wait_total_ns;
	double	wait_max_ns;
	double	spin_total_ns;
	double	block_total_ns;
	double	spin_count;
	double	block_count;
	double	cnt_hold;	/* waits by others that began during a hold */
	double	yields;		/* of the CPU, by a waiter that spins */
	struct result_quantiles hold_ns;
	struct result_quantiles spin_ns;
	struct result_quantiles block_ns;
	double	hold_log2[RESULT_LOG2_BINS];
	double	spin_log2[RESULT_LOG2_BINS];
	double	block_log2[RESULT_LOG2_BINS];
};

/*
 * Who waited for whom, all repeats together: waits that began at one site while
 * another held the lock, or had it last.
 */
struct result_wait {
	char	lock[RESULT_NAME_SIZE];
	char	site[RESULT_NAME_SIZE];		/* the waiter's */
	char	role[RESULT_NAME_SIZE];		/* and its role */
	char	holder[RESULT_NAME_SIZE];	/* the holder's site */
	double	count;
	double	wait_total_ns;
};

/* One repeat, as measured. */
struct result_sample {
	unsigned	order;		/* its place among all of the run */
	double		window_s;	/* measured time */
	double		total_mb_per_s;
	double		*reader_mb_per_s;	/* one for each reader */
	unsigned	*reader_cpu;	/* where each ended, OS numbering */
	double		*interval_mb_per_s;	/* the window in parts */
	unsigned	intervals;
	double		drift_share;	/* of rate, half to half */
	double		reads_per_s;
	double		readers_cpu_percent;	/* all readers' CPU time */
	/*
	 * How long after the window opened and closed the last reader ended a
	 * request: one that waits across an edge shows here.
	 */
	double		start_skew_ms;
	double		stop_skew_ms;
	double		reseeds;
	unsigned	harvest_cpu_os;	/* where it ended, OS numbering */
	/* Which gate it did not pass; else empty. */
	char		gate[RESULT_NAME_SIZE];
	struct result_latency latency_ns;
	struct result_latency latency_uncorrected_ns;
	struct result_fairness fairness;
	struct result_harvest harvest;
	/* Of a simulated machine: its steps, and what tells two runs apart. */
	double		virtual_events;
	char		trace_hash[RESULT_NAME_SIZE];	/* or empty */
	/* Under a ledger: the rate of the repeat without, just before; or 0. */
	double		plain_mb_per_s;
	/* Where bytes were made: SHA-256 of each reader's, in hex; or NULL. */
	char		(*output_sha256)[RESULT_SHA256_SIZE];
};

/*
 * What was checked while it was done, all repeats together.  A cell of which
 * something was wrong is no result.
 */
struct result_ledger {
	double	records;	/* 0: nothing was checked */
	double	blocks;		/* of keystream */
	double	keys;
	double	wipes;		/* of keys' last objects */
	double	reads;
	double	reseeds;
	double	events;		/* into pools */
	double	ranges_max;	/* under one key */
	double	forgotten;	/* keys whose return would go unnoticed */
	double	violations;
	/* The same cell without a ledger: the median; 0: was not measured. */
	double	plain_mb_per_s;
};

/*
 * A prediction with profiles drawn around its own: what lies between the 10 %
 * and the 90 % quantile, and what each draw gave.
 */
struct result_band {
	unsigned	samples;	/* 0: none were drawn */
	double		total_mb_per_s[2];
	double		harvest_cpu_percent[2];
	double		*total_samples;
};

/* A value of the profile that was drawn. */
struct result_parameter {
	char	key[RESULT_NAME_SIZE];
	char	provenance[RESULT_NAME_SIZE];
	/* Rank correlation with the total, the mean over cells: -1..1. */
	double	effect;
};

/* Which of two cells that differ in one thing won. */
struct result_ranking {
	char		by[RESULT_NAME_SIZE];	/* "design" or "lock" */
	char		better[RESULT_NAME_SIZE];	/* in the median */
	char		worse[RESULT_NAME_SIZE];
	char		like[RESULT_NAME_SIZE];	/* both have: the other one */
	char		cipher[RESULT_NAME_SIZE];
	unsigned	readers;
	uint64_t	request_bytes;
	double		share;		/* of the samples in which it won */
	bool		robust;
};

/* What all cells' samples say together. */
struct result_uncertainty {
	char		profile[RESULT_TEXT_SIZE];
	unsigned	samples;	/* 0: none were drawn */
	struct result_parameter *parameters;	/* by effect, largest first */
	unsigned	parameter_count;
	struct result_ranking *rankings;
	unsigned	ranking_count;
};

/*
 * One cell.  Everything above samples is computed from them: medians over
 * repeats, but for latencies, which are quantiles of all repeats' requests, and
 * lock_profile and waits, which are sums.
 *
 * In open loop a request's latency counts from when it was due; the
 * uncorrected one from when it began, and leaves out that it began late.
 */
struct result_cell {
	char		engine[RESULT_NAME_SIZE];
	char		design[RESULT_NAME_SIZE];
	char		lock[RESULT_NAME_SIZE];
	char		cipher[RESULT_NAME_SIZE];
	char		crypto[RESULT_NAME_SIZE];
	unsigned	readers;
	uint64_t	request_bytes;	/* of a mix: the mean */
	char		workload[RESULT_TEXT_SIZE];	/* empty: fixed size */
	double		rate_per_s;	/* of each reader; 0: closed loop */
	char		arrivals[RESULT_NAME_SIZE];	/* or empty: likewise */
	unsigned	spin_polls;	/* before a spinner yields; 0: never */
	unsigned	repeats;	/* samples taken */
	bool		oversubscribed;	/* more readers than CPUs */
	bool		profiled;	/* lock profiling was compiled in */
	double		total_mb_per_s;
	double		total_mb_per_s_ci95[2];
	char		ci95_of[RESULT_NAME_SIZE]; /* RESULT_CI95_... */
	double		*reader_mb_per_s;
	double		profile_cost_percent;	/* of the readers' time */
	struct result_latency latency_ns;
	struct result_latency latency_uncorrected_ns;
	struct result_fairness fairness;
	struct result_harvest harvest;
	struct result_row *lock_profile;
	unsigned	lock_profile_rows;
	struct result_wait *waits;
	unsigned	wait_rows;
	struct result_health *health;	/* sources that were tested */
	unsigned	health_rows;
	struct result_sample *samples;
	/* Why the figures must be neither ranked nor averaged; else empty. */
	char		gate[RESULT_TEXT_SIZE];
	/* Limits met and oddities seen, "; " between; else empty. */
	char		notes[RESULT_TEXT_SIZE];
	/*
	 * Of a simulated machine: its profile, the share of values in that
	 * which nobody measured or published, 0..1, and its shape.
	 */
	char		profile[RESULT_TEXT_SIZE];	/* or empty */
	double		guessed_share;
	unsigned	cpus;
	unsigned	nodes;
	/* NUMA nodes that the cell was told of; 0: it saw the machine's. */
	unsigned	pretended_nodes;
	struct result_band uncertainty;
	struct result_ledger ledger;
};

/* Where it was measured. */
struct result_host {
	char		cpu_model[RESULT_TEXT_SIZE];
	unsigned	cpus;		/* usable: the affinity mask */
	unsigned	cpus_machine;
	double		cpu_quota;	/* cgroup's, in CPUs; 0: none */
	unsigned	numa_nodes;
	char		kernel[RESULT_TEXT_SIZE];
	char		compiler[RESULT_TEXT_SIZE];
	char		flags[RESULT_TEXT_SIZE];
	char		libcrypto[RESULT_TEXT_SIZE];
	char		revision[RESULT_NAME_SIZE];
	bool		invariants;
	double		clock_ns;	/* cost of one time stamp */
	double		profile_ns;	/* of profiling one acquisition */
};

/* A run that went on with what an earlier one had measured. */
struct result_resumed {
	char		at[RESULT_NAME_SIZE];	/* RFC 3339 */
	unsigned	order;	/* of the first repeat from then on */
};

struct result {
	bool		complete;
	char		**argv;		/* NULL-terminated */
	uint64_t	seed;
	char		started[RESULT_NAME_SIZE];	/* RFC 3339 */
	struct result_resumed *resumed;
	unsigned	resumed_count;
	double		time_s;		/* asked for, per repeat */
	char		place[RESULT_TEXT_SIZE];	/* as --place took it */
	char		**tunables;	/* "name=value" set; NULL-terminated */
	char		**sources;	/* in use; NULL-terminated */
	char		**sources_skipped;	/* absent here; likewise */
	struct result_host host;
	struct result_cell *cells;
	unsigned	cell_count;
	/*
	 * Measured in the same blocks, to show what is not Fortuna's: design
	 * "none" is the lock around nothing, lock "none" is no sharing at all.
	 */
	struct result_cell *controls;
	unsigned	control_count;
	struct result_uncertainty uncertainty;
};

/*
 * Writes r as JSON text, ending in a newline, into a malloc(3)ed string.
 *
 * Returns: NULL when there is no memory.
 */
char *result_format_json(const struct result *r);

/*
 * Reads a result.
 *
 *   path   in   a file, or "-" for stdin
 *   r      out  freed by result_free()
 *   error  out  on failure: what was wrong and where, RESULT_TEXT_SIZE bytes
 *
 * Returns: 0; EINVAL for a file that is no whole document of this schema, or
 * does not pass result_check(); EFBIG for one above RESULT_FILE_MAX bytes;
 * ENOMEM; else what open(2) or read(2) said.  *r is untouched on failure.
 * Names and texts in *r hold no control characters, but for argv, tunables and
 * sources; numbers are finite and not negative, arrays as long as counts say.
 */
int result_load(const char *path, struct result *r,
    char error[RESULT_TEXT_SIZE]);

/* Frees everything r points to, which result_load() or a run allocated. */
void result_free(struct result *r);

/* The same for one cell. */
void result_cell_free(struct result_cell *cell);

/* Fills in the host; clock_ns and profile_ns are left alone. */
void result_host_fill(struct result_host *host);

/* Date and time, RFC 3339. */
void result_now(char text[RESULT_NAME_SIZE]);

#endif
