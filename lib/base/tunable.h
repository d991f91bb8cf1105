/*
 * Tunables: named values, as in loader.conf(5) and sysctl(8).  Each layer has a
 * table of the fields of its configuration structure.  FreeBSD's tunables have
 * FreeBSD's names; ours begin with "rngsim.".  A row without a name ends it.
 */
#pragma once

#include "lib/base/base.h"

enum tunable_type {
	TUNABLE_BOOL,		/* bool, written 0 or 1 */
	TUNABLE_UINT,		/* unsigned */
	TUNABLE_CHOICE,		/* unsigned, index into tn_choices */
	TUNABLE_STRING		/* char[TUNABLE_STRING_SIZE] */
};

enum { TUNABLE_STRING_SIZE = 256 };

struct tunable {
	const char	*tn_name, *tn_descr;
	enum tunable_type tn_type;
	size_t		 tn_offset;	/* in the configuration structure */
	uint64_t	 tn_min;	/* UINT: smallest and largest value */
	uint64_t	 tn_max;
	const char *const *tn_choices;	/* CHOICE: names, NULL-terminated */
	unsigned	 tn_knob;	/* bits of what reads it; 0: all do */
};

/* A row for a member of a structure: its text, and members of the row. */
#define	TUNABLE(config, member, type, name, ...)			\
	{ .tn_name = name, .tn_type = TUNABLE_##type,			\
	    .tn_offset = offsetof(struct config, member),		\
	    .tn_descr = __VA_ARGS__ }
#define	TUNABLE_LIMITS(least, most)	.tn_min = least, .tn_max = most

/* By name; NULL: there is none. */
const struct tunable *tunable_find(const struct tunable *table,
    const char *name);

/* Sets a value in the structure base: 0; EINVAL, unchanged, for a wrong one. */
int tunable_set_text(const struct tunable *tn, void *base, const char *text);

/* The value as tunable_set_text() takes it. */
void tunable_format(const struct tunable *tn, const void *base, char *buf,
    size_t size);

/* Accepted values: "0 or 1", "16..2147483647", "a, b". */
void tunable_range(const struct tunable *tn, char *buf, size_t size);
