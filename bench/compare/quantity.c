#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/compare/quantity.h"
#include "lib/hist.h"

/* Quantiles are bucket ends: neighbours differ by one part in HIST_SUB. */
#define	BUCKET	(1.0 / HIST_SUB)

static double
total(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->total_mb_per_s);
}

static double
slowest_reader(const struct result_sample *s, unsigned readers)
{
	double least = s->reader_mb_per_s[0];
	unsigned i;

	for (i = 1; i < readers; i++)
		least = fmin(least, s->reader_mb_per_s[i]);
	return (least);
}

static double
latency_p50(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->latency_ns.p50);
}

static double
latency_p99(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->latency_ns.p99);
}

static double
harvest_cpu(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->harvest.cpu_percent);
}

static double
harvest_p99(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->harvest.latency_p99_ns);
}

static double
harvest_events(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->harvest.events_per_s);
}

static double
min_max(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->fairness.min_max);
}

static double
jain(const struct result_sample *s, unsigned readers)
{

	(void)readers;
	return (s->fairness.jain);
}

#define	MORE(name, title, unit, several, floor, get)			\
	{ name, title, unit, true, several, false, floor, 0, get }
#define	LATENCY(name, title, get)					\
	{ name, title, QUANTITY_NS, false, false, false, 10, BUCKET, get }

const struct quantity quantities[QUANTITIES] = {
	MORE("total_mb_per_s", "total MB/s", QUANTITY_MB_PER_S, false, 1e-3,
	    total),
	MORE("reader_mb_per_s_min", "slowest reader's MB/s",
	    QUANTITY_MB_PER_S, true, 1e-3, slowest_reader),
	LATENCY("latency_p50_ns", "read p50", latency_p50),
	LATENCY("latency_p99_ns", "read p99", latency_p99),
	{ "harvest_cpu_percent", "harvest CPU", QUANTITY_PERCENT, false, false,
	    true, 0.1, 0, harvest_cpu },
	LATENCY("harvest_latency_p99_ns", "harvest p99", harvest_p99),
	MORE("fairness_min_max", "fairness min/max", QUANTITY_SHARE, true,
	    1e-3, min_max),
	MORE("fairness_jain", "fairness Jain", QUANTITY_SHARE, true, 1e-3,
	    jain),
};

const struct quantity quantity_harvest_events = {
	"harvest_events_per_s", "harvest events", QUANTITY_SHARE, true, false,
	false, 1, 0, harvest_events
};

int
quantity_find(const char *name)
{
	int i;

	for (i = 0; i < QUANTITIES; i++)
		if (strcmp(quantities[i].qu_name, name) == 0)
			return (i);
	return (-1);
}

double
quantity_value(const struct quantity *qu, const struct result_sample *s,
    unsigned readers)
{

	return (fmax(qu->qu_floor, qu->qu_get(s, readers)));
}

const char *
quantity_figure(const struct quantity *qu, char buf[QUANTITY_SIZE], double v)
{
	char figure[FIGURE_SIZE];
	const char *below = v <= qu->qu_floor ? "<" : "";

	switch (qu->qu_unit) {
	case QUANTITY_NS:
		figure_ns(figure, v);
		break;
	case QUANTITY_SHARE:
		snprintf(figure, sizeof(figure), "%.4g", fmin(v, 1e9));
		break;
	case QUANTITY_PERCENT:
		figure_percent(figure, v);
		break;
	case QUANTITY_MB_PER_S:
		figure_real(figure, v);
		break;
	}
	snprintf(buf, QUANTITY_SIZE, "%s%s%s", below, figure,
	    qu->qu_unit == QUANTITY_PERCENT ? " %" : "");
	return (buf);
}
