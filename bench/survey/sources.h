/*
 * Times sources of numbers: the cost of a number, and the number of threads at
 * which throughput stops growing.
 *
 * A subject is one source and width of read, its ways are numbers of threads;
 * each thread has a CPU and a state of its own.
 */
#ifndef BENCH_SURVEY_SOURCES_H
#define BENCH_SURVEY_SOURCES_H

#include "bench/survey/numbers.h"
#include "bench/survey/survey.h"

#define	SOURCES_SCHEMA	"rngsim-sources/1"

enum {
	SOURCES_THREADS_MAX = 1024,
	SOURCES_CPU_PERCENT = 95	/* less is said to be disturbed */
};

/* What a subject reads. */
struct source_reads {
	const struct number_source *nu_source;
	enum number_width nu_width;
	uint64_t	 nu_first[NUMBER_FIRST];	/* as far as read */
};

extern const struct survey_kind sources_kind;

/*
 * Makes a subject for each source and width that exists, and checks its first
 * numbers.
 *
 *   threads  in  n numbers of threads, ascending
 */
void sources_make(struct survey *sv, const struct number_source *const *list,
    unsigned count, const bool width[NUMBER_WIDTHS], const unsigned *threads,
    unsigned n);

static inline const struct source_reads *
sources_reads(const struct survey_subject *su)
{
	return (su->su_of);
}

/*
 * Throughput stops growing at the fewest threads whose median is at least 95 %
 * of the greatest.  Threads that share CPUs do not count.
 *
 *   most  out  the most threads that were measured; 0: none
 *
 * Returns: that number of threads; 0 if fewer than two were measured.
 */
unsigned sources_enough(const struct survey *sv,
    const struct survey_subject *su, unsigned *most);

#endif
