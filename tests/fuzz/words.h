/*
 * A command line: one word for each line of the input.
 */
#ifndef TESTS_FUZZ_WORDS_H
#define TESTS_FUZZ_WORDS_H

#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 100 };

/*
 * Splits text, in place.
 *
 *   argv  out  ends in NULL
 *
 * Returns: how many words there are.
 */
static inline int
words_split(char *text, char *argv[WORDS_MAX + 1])
{
	char *at = text;
	int n = 0;

	while (at != NULL && n < WORDS_MAX)
		argv[n++] = strsep(&at, "\n");
	argv[n] = NULL;
	return (n);
}

#endif
