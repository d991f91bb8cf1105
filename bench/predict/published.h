/*
 * Files of published figures of contended locks, beside what simulated machines
 * predict of them.
 *
 * A file is CSV.  Lines that begin with "#" are its header: "# benchmark:"
 * names the loop that each thread ran, "# UNITS:" what a value is.  The columns
 * threads, lock and value must be there; crit_ns, par_ns and contenders are
 * used where they are; rows that differ in another column of published_read.c,
 * such as version, are different groups.
 */
#ifndef BENCH_PREDICT_PUBLISHED_H
#define BENCH_PREDICT_PUBLISHED_H

#include "bench/cell/critical_section.h"
#include "bench/cell/virtual.h"
#include "bench/options/family.h"

enum {
	PUBLISHED_NAMES_MAX	= 512,	/* locks, or groups */
	PUBLISHED_NAME_SIZE	= 96,
	PUBLISHED_ERROR_SIZE	= 1024
};

/* How values become ns between acquisitions of the whole system. */
struct published_unit {
	const char	*un_name;	/* as --units takes it */
	const char	*un_sign[2];	/* either, in a "# UNITS:" line */
	double		 un_ns;		/* above 0: a rate, per un_ns */
	bool		 un_thread;	/* divide by the threads */
	bool		 un_scaled;	/* a constant of each group is fitted */
};

/* What each thread repeats. */
struct published_loop {
	const char	*pl_name;	/* as --loop takes it */
	const char	*pl_sign;	/* of it in a "# benchmark:" line */
	const char	*pl_descr;
	const char	*pl_place;	/* as --place, unless that is given */
	double		 pl_hold_ns;	/* beside crit_ns */
	double		 pl_hold_shared_ns;	/* over the number of threads */
	double		 pl_pause_ns;	/* beside par_ns */
	unsigned	 pl_lines;	/* written in the hold */
	unsigned	 pl_takes;	/* acquisitions of one operation */
	/* Before Linux 5.7, a word of all threads: written twice, once held. */
	bool		 pl_shared_random;
	/* Pauses are what the value of one thread leaves. */
	bool		 pl_pause_of_one;
};

struct published_row {
	unsigned	 pr_threads;	/* as published */
	unsigned	 pr_contenders;	/* of one lock */
	unsigned	 pr_lock;	/* into pb_locks */
	unsigned	 pr_group;	/* into pb_groups */
	double		 pr_crit_ns;
	double		 pr_par_ns;
	double		 pr_value;
	double		 pr_ns;		/* published: between acquisitions */
	double		 pr_predicted_ns;
	/* The 10 and 90 % quantiles over drawn profiles. */
	double		 pr_band_ns[2];
};

struct published_names {
	unsigned	 pn_count;
	char		 pn_name[PUBLISHED_NAMES_MAX][PUBLISHED_NAME_SIZE];
};

/* What is asked of a file. */
struct published_request {
	const char	*pq_path;
	const char	*pq_map;	/* "published=kind,..." */
	const char	*pq_where;	/* "column=value,...", or NULL */
	int		 pq_loop;	/* -1: as the file says */
	int		 pq_units;
	const char	*pq_place;	/* NULL: the loop's */
	const uint64_t	*pq_threads;	/* NULL: all from 2 on */
	unsigned	 pq_thread_count;
	double		 pq_time_s;	/* of each window */
	uint64_t	 pq_seed;
	unsigned	 pq_samples;	/* profiles to draw */
};

struct published {
	const struct published_request *pb_request;
	struct virtual_machine pb_machine;
	const struct published_loop *pb_loop;
	const struct published_unit *pb_unit;
	struct pinning	 pb_place;
	struct published_names pb_locks;
	struct published_names pb_groups;
	/* The simulated kind of a lock; NULL: the map has none. */
	const struct lock_class *pb_kind[PUBLISHED_NAMES_MAX];
	double		 pb_scale[PUBLISHED_NAMES_MAX];	/* of each group */
	struct published_row *pb_rows;	/* the file's, in its order */
	unsigned	 pb_row_count;
	unsigned	*pb_chosen;	/* rows that are predicted */
	unsigned	 pb_chosen_count;
	char		 pb_kernels[PUBLISHED_ERROR_SIZE];
	char		 pb_skipped[PUBLISHED_ERROR_SIZE];	/* in words */
	char		 pb_error[PUBLISHED_ERROR_SIZE];
};

extern const struct published_unit published_units[];
extern const struct published_loop published_loops[];
extern const struct family family_published_units;
extern const struct family family_published_loops;

/*
 * Reads the file, and chooses what of it is predicted, on pb_machine.
 *
 *   pb  in/out  zeros but for pb_machine; for published_free(), also after a
 *               failure
 *
 * Returns: 0; EINVAL for a request or a file that is wrong; another errno
 * value; with pb_error written.
 */
int published_open(struct published *pb, const struct published_request *pq);
void published_free(struct published *pb);

/* Reads the rows, for published_open(). */
int published_read(struct published *pb);

/* What each thread of a row does, but for se_seed, se_cpus and windows. */
void published_section(const struct published *pb,
    const struct published_row *pr, struct critical_section *se);

/*
 * Predicts the chosen rows.
 *
 * Returns: 0, or an errno value with pb_error written.
 */
int published_predict(struct published *pb);

/* The published value in ns, scaled where a scale was fitted; and the error. */
double published_ns(const struct published *pb, const struct published_row *pr);
double published_off(const struct published *pb,
    const struct published_row *pr);

void published_print(FILE *out, const struct published *pb);
void published_print_csv(FILE *out, const struct published *pb);
int published_print_json(FILE *out, const struct published *pb); /* ENOMEM */

#endif
