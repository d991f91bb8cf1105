/*
 * Tunables: named numbers, as loader.conf(5) and sysctl(8) set them.
 *
 * Each layer describes the fields of its own configuration structure in one
 * table; the program joins the tables.  FreeBSD's knobs carry FreeBSD's names,
 * ours begin with "rngsim.".
 */
#ifndef LIB_TUNABLE_H
#define LIB_TUNABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tunable_type {
	TUNABLE_BOOL,		/* bool, written 0 or 1 */
	TUNABLE_UINT,		/* unsigned */
	TUNABLE_CHOICE,		/* unsigned, index into tn_choices */
	TUNABLE_STRING		/* char[TUNABLE_STRING_SIZE] */
};

enum { TUNABLE_STRING_SIZE = 256 };

struct tunable {
	const char	*tn_name;
	const char	*tn_descr;
	enum tunable_type tn_type;
	size_t		 tn_offset;	/* in the configuration structure */
	uint64_t	 tn_min;	/* UINT: smallest and largest value */
	uint64_t	 tn_max;
	const char *const *tn_choices;	/* CHOICE: names, NULL-terminated */
};

/* A layer's table; base is its configuration structure. */
struct tunable_set {
	const struct tunable *ts_table;
	unsigned	 ts_count;
	void		*ts_base;
};

/*
 * The tunable called name among sets.
 *
 *   set  out  the one it is in
 *
 * Returns: NULL when there is none.
 */
const struct tunable *tunable_find(const struct tunable_set *sets,
    unsigned count, const char *name, const struct tunable_set **set);

/*
 * Sets a tunable from text.
 *
 * Returns: 0, or EINVAL for text that is no value of its type or out of its
 * range; nothing has changed then.
 */
int tunable_set_text(const struct tunable *tn, void *base, const char *text);

/* The current value as text that tunable_set_text() takes. */
void tunable_format(const struct tunable *tn, const void *base, char *buf,
    size_t size);

/* What values it takes: "0 or 1", "16..2147483647", "a, b". */
void tunable_range(const struct tunable *tn, char *buf, size_t size);

#endif
