/*
 * Which cells of a result to show: those that lists of ciphers, designs, locks,
 * numbers of readers and request sizes name.
 */
#ifndef BENCH_SELECT_H
#define BENCH_SELECT_H

#include "bench/result/result.h"

enum select_key {
	SELECT_CIPHER,
	SELECT_DESIGN,
	SELECT_LOCK,
	SELECT_READERS,
	SELECT_SIZE,
	SELECT_KEYS
};

enum { SELECT_TEXT_SIZE = 512 };

/* Items with commas between; NULL takes whatever there is. */
struct select {
	const char	*sl_list[SELECT_KEYS];
};

/*
 * Whether text is a list that key takes: names, of whatever a file may have;
 * numbers and ranges of readers such as "1,3-4"; sizes such as "4k,1m".
 *
 *   why  out  on failure: what is wrong and what would be right
 *
 * Returns: 0 or EINVAL.
 */
int select_check(enum select_key key, const char *text,
    char why[SELECT_TEXT_SIZE]);

/*
 * Takes from r the cells that some list does not name, and the controls whose
 * number of readers is not named: a control has but the design or the lock in
 * common with the cells beside it.
 *
 *   sl  in  lists that passed select_check()
 *
 * Returns: 0; ENOENT, with r as it was, when no cell would be left.
 */
int select_cells(const struct select *sl, struct result *r);

/* What lists could name in r: "-c aes -d locked,concurrent -l mtx ...". */
void select_describe(const struct result *r, char text[SELECT_TEXT_SIZE]);

#endif
