/*
 * The common part of "rngsim sources" and "rngsim hash": points that are
 * measured in random order, some repeats of each, and output.
 */
#ifndef BENCH_SURVEY_SURVEY_H
#define BENCH_SURVEY_SURVEY_H

#include "bench/options/options.h"
#include "bench/report/plot.h"

enum {
	SURVEY_LABEL_SIZE = 64,
	SURVEY_WHY_SIZE	= 256,
	SURVEY_SEED	= 1,	/* of the order of visits and of resampling */
	SURVEY_REPEATS_MAX = 1000
};

struct survey;

/* What a command measures, and how it prints that. */
struct survey_kind {
	/*
	 * Makes the points, calls survey_visit() and computes the figures.
	 *
	 * Returns: 0; EINTR after a signal, with the figures that there are;
	 * or an errno value, with the reason in sy_why, or its own if empty.
	 */
	int		(*sk_measure)(struct survey *sy);
	/* Measures a point once. */
	int		(*sk_visit)(struct survey *sy, unsigned point);
	/* Names a point for the progress line. */
	void		(*sk_label)(const struct survey *sy, unsigned point,
			    char label[SURVEY_LABEL_SIZE]);
	/* The document; NULL without memory. */
	json_t		*(*sk_json)(const struct survey *sy);
	void		(*sk_csv)(FILE *out, const struct survey *sy);
	/* At most 80 columns. */
	void		(*sk_table)(FILE *out, const struct survey *sy);
	/* Of a survey where sk_drawn() returns true; or both NULL. */
	gnuplot_printer	*sk_plot;
	bool		(*sk_drawn)(const struct survey *sy);
};

/* The first member of each survey. */
struct survey {
	const struct survey_kind *sy_kind;
	unsigned	sy_repeats;	/* asked for, 1 or more */
	double		sy_time_s;	/* of a repeat of a point */
	unsigned	sy_points;	/* set by sk_measure() */
	unsigned	sy_done;	/* complete repeats */
	struct result_host sy_host;
	char		sy_started[RESULT_NAME_SIZE];	/* RFC 3339 */
	char		sy_why[SURVEY_WHY_SIZE];
};

/* Fills sy_host and sy_started and calls sk_measure().  Returns: as that. */
int survey_measure(struct survey *sy);

/*
 * Visits each point once in each repeat, in an order drawn anew.
 *
 * Returns: 0; EINTR after a signal; EIO after crypto_failed(), with sy_done 0;
 * ENOMEM; or what sk_visit() returned.
 */
int survey_visit(struct survey *sy);

/*
 * Opens the files that -o and --plot name, measures, and prints to them and, in
 * the format of --format, to standard output.  Nothing is measured when a file
 * cannot be written or gnuplot(1) cannot be run.
 *
 * Returns: the exit status; EXIT_FAILURE after a message, also after a signal.
 */
int survey_command(struct survey *sy, const struct options *op);

/*
 * Prints "measured on MODEL, N CPUs, STARTED" and the text "more"; "INCOMPLETE"
 * before it if repeats are missing.
 */
void survey_print_host(FILE *out, const struct survey *sy, const char *more);

/* Adds "MODEL, N CPUs, STARTED". */
void survey_add_host(struct text *t, const struct survey *sy);

/* Adds "of N repeats of T s"; "at most" N when it is not complete. */
void survey_add_repeats(struct text *t, const struct survey *sy);

static inline bool
survey_complete(const struct survey *sy)
{
	return (sy->sy_done == sy->sy_repeats);
}

/* JSON text and a newline, for free(); NULL without memory. */
char *survey_json(const struct survey *sy);

#endif
