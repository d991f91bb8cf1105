/*
 * Files of published figures of contended locks, beside what simulated machines
 * predict of them.  A file is CSV.  Lines that begin with "#" are its header:
 * "# benchmark:" names the loop of each thread, "# UNITS:" what a value is.
 * The columns threads, lock and value must be there; others of published.c and
 * those with the name of a lock's tunable are used where they are.  Rows that
 * differ in what a thread does, or in a word such as version, are of different
 * groups.
 */
#pragma once

#include "bench/cell/critical_section.h"
#include "bench/options/options.h"
#include "bench/predict/reproduce.h"

enum {
	PUBLISHED_NAMES_MAX	= 512,	/* locks, or groups */
	PUBLISHED_NAME_SIZE	= 160,
	PUBLISHED_TEXT_SIZE	= 1024
};

/* How values become ns between acquisitions of the whole system. */
struct published_unit {
	const char	*ub_name;	/* as --units takes it */
	const char	*ub_sign[2];	/* either, in a "# UNITS:" line */
	double		 ub_ns;		/* above 0: a rate, per ub_ns */
	bool		 ub_thread;	/* divide by the threads */
	bool		 ub_scaled;	/* a constant of each group is fitted */
	bool		 ub_groups;	/* of as many locks as the CPUs fill */
	bool		 ub_ratio;	/* a lock's rate over another's */
	bool		 ub_gain;	/* the same less 1, in percent */
};

/* What each thread repeats. */
struct published_loop {
	const char	*lb_name;	/* as --loop takes it */
	const char	*lb_sign;	/* of it in a "# benchmark:" line */
	const char	*lb_place;	/* as --place, unless that is given */
	const char	*lb_descr;
	double		 lb_hold_ns;	/* beside crit_ns */
	double		 lb_hold_shared_ns;	/* over the number of threads */
	double		 lb_pause_ns;	/* beside par_ns */
	unsigned	 lb_lines;	/* written in the hold */
	bool		 lb_twice;	/* two acquisitions an operation */
	/* Before Linux 5.7, a word of all threads: written twice, once held. */
	bool		 lb_shared_random;
	/*
	 * The pause is what one thread's value leaves; without one, this leaves
	 * it.  0: the loop does not do that; below 0: no such time is known.
	 */
	double		 lb_one_ns;
};

struct published_row {
	unsigned	 rb_threads;	/* as published */
	unsigned	 rb_contenders;	/* of one lock */
	unsigned	 rb_lock;	/* into pb_locks */
	unsigned	 rb_group;	/* into pb_groups */
	const struct published_loop *rb_loop;	/* or NULL */
	double		 rb_crit_ns, rb_par_ns;
	double		 rb_one_ns;	/* for lb_one_ns; 0: not given */
	double		 rb_burn_ns;	/* an iteration of folly's burn() */
	double		 rb_acquisitions;	/* an operation; 0: lb_twice */
	double		 rb_lines;	/* for lb_lines; NaN: not given */
	struct lock_config rb_lock_config;
	unsigned	 rb_knobs;	/* of tunables that the row sets */
	double		 rb_value;	/* NaN: empty */
	/* Between acquisitions, scaled if fitted; the same of ratios. */
	double		 rb_ns, rb_predicted_ns;
	double		 rb_band_ns[2];	/* 10 and 90 % of drawn profiles */
	double		 rb_chance;	/* of a ratio above 1 + op_margin */
};

struct published_names {
	unsigned	 nm_count;
	char		 nm_name[PUBLISHED_NAMES_MAX][PUBLISHED_NAME_SIZE];
};

struct published {
	const struct options *pb_op;	/* --published, --map and so on */
	struct virtual_machine pb_machine;
	const struct published_loop *pb_loop;
	const struct published_unit *pb_unit;
	struct pinning	 pb_place;
	struct published_names pb_locks, pb_groups;
	const struct lock_class *pb_kind[PUBLISHED_NAMES_MAX][2]; /* A, B */
	char		 pb_simulated[PUBLISHED_NAMES_MAX][PUBLISHED_NAME_SIZE];
	double		 pb_scale[PUBLISHED_NAMES_MAX];	/* of each group */
	struct published_row *pb_rows;	/* the file's, in its order */
	unsigned	 pb_row_count, pb_left_out;
	struct published_row **pb_chosen;	/* are predicted */
	unsigned	 pb_chosen_count;
	char		 pb_kernels[PUBLISHED_TEXT_SIZE];
	char		 pb_skipped[PUBLISHED_TEXT_SIZE];	/* in words */
	struct text	 pb_loops;	/* the names of the rows' loops */
};

extern const struct published_unit published_units[];
extern const struct published_loop published_loops[];
extern const struct family family_published_units, family_published_loops;

/*
 * Reads the file, and chooses what of it is predicted; without a file, asks for
 * the ratio of the rates of op_locks, the second's over the first's, at each of
 * op_readers.  pb is zeros but for pb_machine, and for published_free(), also
 * after a failure.  Returns: as the two below 0, or an exit status after a
 * message.
 */
int published_open(struct published *pb, const struct options *op);
void published_free(struct published *pb);

int published_read(struct published *pb);
/* A row as it is without other columns; lb may be NULL; pb_machine is set. */
struct published_row published_row(const struct published *pb,
    const struct published_loop *lb);
/*
 * What each thread of a row does, but for lock, se_seed, se_cpus, windows.
 * Returns: false if the loop needs one thread's time and there is none.
 */
bool published_section(const struct published *pb,
    const struct published_row *rb, struct critical_section *se);

int published_predict(struct published *pb);

reproduce_printer published_print, published_print_csv, published_print_json;

/* The same of what FreeBSD's routers lose to the harvest; of a file only. */
int forwarding_open(const struct options *op, const char *path);
int forwarding_predict(void);
reproduce_printer forwarding_print, forwarding_print_csv, forwarding_print_json;
