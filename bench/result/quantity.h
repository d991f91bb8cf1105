/*
 * Figures of a repeat that are compared, and drawn with other profiles.
 */
#ifndef BENCH_RESULT_QUANTITY_H
#define BENCH_RESULT_QUANTITY_H

#include "bench/cli/format.h"
#include "bench/result/result.h"

/* Places in quantities[]. */
enum {
	QUANTITY_TOTAL,
	QUANTITY_P50		= 2,
	QUANTITY_P99,
	QUANTITY_HARVEST_CPU,
	QUANTITY_HARVEST_P99,
	QUANTITIES		= 8,
	/* Events that the harvest thread delivered: not compared itself. */
	QUANTITY_EVENTS		= QUANTITIES
};

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
	/* With one reader it equals the total or is constant. */
	bool		 qu_of_several;
	/* Smaller values count as this: their ratio means nothing. */
	double		 qu_floor;
	/* The least relative change that is more than its error. */
	double		 qu_resolution;
	/* Where a sample has it; of reader_mb_per_s: the least. */
	size_t		 qu_offset;
	/* Where the pointer to its draws is in struct result_band. */
	size_t		 qu_drawn;
};

extern const struct quantity quantities[QUANTITIES + 1];

/* The quantity of that name; -1: there is none. */
int quantity_find(const char *name);

/* A repeat's value, and the same but at least the floor. */
double quantity_raw(const struct quantity *qu, const struct result_sample *s,
    unsigned readers);
double quantity_value(const struct quantity *qu, const struct result_cell *c,
    unsigned repeat);

/* Adds a value with its unit: "431.5", "12.3us", "79.0 %", "<0.10 %". */
void quantity_figure(struct text *t, const struct quantity *qu, double v);

#endif
