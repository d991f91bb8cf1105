/*
 * What happened in one run, for its timeline.
 */
#ifndef BENCH_MOMENTS_H
#define BENCH_MOMENTS_H

#include <stdint.h>
#include <stdio.h>

enum {
	MOMENTS_TEXT_SIZE	= 28,
	MOMENTS_THREADS_MAX	= 16,
	MOMENTS_NAME_SIZE	= 16,
	MOMENTS_LOCKS_MAX	= 32
};

struct moment {
	uint64_t	mm_step;
	uint16_t	mm_thread;	/* 0: the one that sets all up */
	char		mm_text[MOMENTS_TEXT_SIZE];
};

struct moments {
	struct moment	*mo_moment;
	unsigned	 mo_count;
	unsigned	 mo_room;
	unsigned	 mo_lost;	/* for want of memory */
	char		 mo_name[MOMENTS_THREADS_MAX][MOMENTS_NAME_SIZE];
	unsigned	 mo_threads;	/* highest number there was */
	const char	*mo_lock[MOMENTS_LOCKS_MAX];	/* their names */
	unsigned	 mo_locks;
};

void moments_clear(struct moments *mo);
void moments_free(struct moments *mo);

void moments_add(struct moments *mo, uint64_t step, unsigned thread,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Takes over what a ledger wrote to its log, a line each.
 *
 *   text  in  as many lines as are complete
 *
 * Returns: bytes that were lines.
 */
size_t moments_add_ledger(struct moments *mo, uint64_t step, const char *text,
    size_t n);

/*
 * Prints the last of them, a column for each thread, no line longer than
 * FIGURE_COLUMNS.
 */
void moments_print(FILE *out, const struct moments *mo, unsigned last);

#endif
