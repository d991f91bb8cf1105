#include <math.h>
#include <string.h>

#include "bench/result/quantity.h"
#include "lib/base/hist.h"
#include "lib/base/kassert.h"

/* Quantiles are bucket ends: neighbours differ by one part in HIST_SUB. */
#define	BUCKET	(1.0 / HIST_SUB)

#define	AT(member)	offsetof(struct result_sample, member)
#define	DRAWN(member)	offsetof(struct result_band, member##_samples)
#define	LATENCY(name, title, member, drawn)				\
	{ name, title, QUANTITY_NS, false, false, 10, BUCKET, AT(member), \
	    DRAWN(drawn) }

const struct quantity quantities[QUANTITIES + 1] = {
	[QUANTITY_TOTAL] = { "total_mb_per_s", "total MB/s",
	    QUANTITY_MB_PER_S, true, false, 1e-3, 0, AT(total_mb_per_s),
	    DRAWN(total) },
	{ "reader_mb_per_s_min", "slowest reader's MB/s", QUANTITY_MB_PER_S,
	    true, true, 1e-3, 0, AT(reader_mb_per_s), DRAWN(reader_min) },
	[QUANTITY_P50] = LATENCY("latency_p50_ns", "read p50", latency_ns.p50,
	    latency_p50),
	LATENCY("latency_p99_ns", "read p99", latency_ns.p99, latency_p99),
	[QUANTITY_HARVEST_CPU] = { "harvest_cpu_percent", "harvest CPU",
	    QUANTITY_PERCENT, false, false, 0.1, 0, AT(harvest.cpu_percent),
	    DRAWN(harvest_cpu) },
	[QUANTITY_HARVEST_P99] = LATENCY("harvest_latency_p99_ns",
	    "harvest p99", harvest.latency_p99_ns, harvest_p99),
	{ "fairness_min_max", "fairness min/max", QUANTITY_SHARE, true, true,
	    1e-3, 0, AT(fairness.min_max), DRAWN(fairness_min_max) },
	{ "fairness_jain", "fairness Jain", QUANTITY_SHARE, true, true, 1e-3,
	    0, AT(fairness.jain), DRAWN(fairness_jain) },
	[QUANTITY_EVENTS] = { "harvest_events_per_s", "harvest events",
	    QUANTITY_SHARE, true, false, 1, 0, AT(harvest.events_per_s), 0 }
};

int
quantity_find(const char *name)
{
	for (int i = 0; i < QUANTITIES; i++)
		if (strcmp(quantities[i].qu_name, name) == 0)
			return (i);
	return (-1);
}

double
quantity_raw(const struct quantity *qu, const struct result_sample *s,
    unsigned readers)
{
	double v;

	if (qu->qu_offset != AT(reader_mb_per_s)) {
		memcpy(&v, (const char *)s + qu->qu_offset, sizeof(v));
		return (v);
	}
	v = s->reader_mb_per_s[0];
	for (unsigned i = 1; i < readers; i++)
		v = fmin(v, s->reader_mb_per_s[i]);
	return (v);
}

double
quantity_value(const struct quantity *qu, const struct result_cell *c,
    unsigned repeat)
{
	KASSERT(repeat < c->repeats, ("no repeat %u", repeat));
	return (fmax(qu->qu_floor, quantity_raw(qu, &c->samples[repeat],
	    c->readers)));
}

void
quantity_figure(struct text *t, const struct quantity *qu, double v)
{
	if (v <= qu->qu_floor)
		text_add(t, "<");
	switch (qu->qu_unit) {
	case QUANTITY_NS:
		text_add(t, "%s", FORMAT(ns, v));
		break;
	case QUANTITY_PERCENT:
		text_add(t, "%s %%", FORMAT(percent, v));
		break;
	case QUANTITY_MB_PER_S:
		text_add(t, "%s", FORMAT(real, v));
		break;
	case QUANTITY_SHARE:
		text_add(t, "%.4g", fmin(v, 1e9));
		break;
	}
}
