/*
 * Which cells of a result to show: those that lists of ciphers, designs, locks,
 * numbers of readers and request sizes name.
 */
#ifndef BENCH_RESULT_FILTER_H
#define BENCH_RESULT_FILTER_H

#include "bench/result/result.h"

enum filter_key {
	FILTER_CIPHER,
	FILTER_DESIGN,
	FILTER_LOCK,
	FILTER_READERS,
	FILTER_SIZE,
	FILTER_KEYS
};

enum { FILTER_TEXT_SIZE = 512 };

/* Items with commas between; NULL takes every cell. */
struct filter {
	const char	*fi_list[FILTER_KEYS];
};

/*
 * Checks a list: names, which a file may or may not have; numbers and ranges of
 * readers such as "1,3-4"; sizes such as "4k,1m".
 *
 *   why  out  on failure: what is wrong and what is expected
 *
 * Returns: 0 or EINVAL.
 */
int filter_check(enum filter_key key, const char *text,
    char why[FILTER_TEXT_SIZE]);

/*
 * Removes from r the cells that some list does not name, and the controls whose
 * number of readers is not named.
 *
 *   fi        in   lists that passed filter_check()
 *   expected  out  on failure: what lists could name in r, such as
 *                  "-c aes -d locked,concurrent -l mtx"
 *
 * Returns: 0; ENOENT, with r as it was, when no cell would be left.
 */
int filter_cells(const struct filter *fi, struct result *r,
    char expected[FILTER_TEXT_SIZE]);

#endif
