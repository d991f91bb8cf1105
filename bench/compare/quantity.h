/*
 * What two cells are compared in: a family, one line in quantity.c each.
 */
#ifndef BENCH_QUANTITY_H
#define BENCH_QUANTITY_H

#include <stdbool.h>

#include "bench/console/figure.h"
#include "bench/result/result.h"

enum quantity_unit {
	QUANTITY_MB_PER_S,
	QUANTITY_NS,
	QUANTITY_PERCENT,	/* of one CPU */
	QUANTITY_SHARE		/* 0..1 */
};

struct quantity {
	const char	*qu_name;	/* its column in CSV */
	const char	*qu_title;	/* in a sentence */
	enum quantity_unit qu_unit;
	bool		 qu_more_is_better;
	/* Of one reader it says what the total says, or nothing. */
	bool		 qu_of_several;
	/* Less is better only if no fewer events were delivered, no later. */
	bool		 qu_of_harvest_work;
	/*
	 * Values below the floor count as the floor: a ratio of two of them
	 * would be large and mean nothing.
	 */
	double		 qu_floor;
	/* The least relative change that it can tell from none. */
	double		 qu_resolution;
	double		(*qu_get)(const struct result_sample *s,
			    unsigned readers);
};

enum {
	QUANTITIES	= 8,
	QUANTITY_SIZE	= FIGURE_SIZE + 4	/* of a buffer for a value */
};

extern const struct quantity quantities[QUANTITIES];

/* The work that harvest CPU is spent on; not compared by itself. */
extern const struct quantity quantity_harvest_events;

/* The quantity of that name; -1: there is none. */
int quantity_find(const char *name);

/* The value that a repeat counts with, the floor applied. */
double quantity_value(const struct quantity *qu, const struct result_sample *s,
    unsigned readers);

/* A value with its unit: "431.5", "12.3us", "79.0 %", "<0.10 %". */
const char *quantity_figure(const struct quantity *qu, char buf[QUANTITY_SIZE],
    double v);

#endif
