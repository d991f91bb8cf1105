#include "bench/result/result.h"
#include "bench/result/result_field.h"

/* Member names are the keys, so that neither can drift from the other. */
#define	MEMBER(type, member, kind, needed)				\
	{ #member, RESULT_FIELD_##kind, needed,				\
	    offsetof(struct type, member), NULL }
#define	OBJECT(type, member, needed, table)				\
	{ #member, RESULT_FIELD_OBJECT, needed,				\
	    offsetof(struct type, member), table }
#define	END		{ NULL, RESULT_FIELD_NAME, false, 0, NULL }

static const struct result_field latency[] = {
	MEMBER(result_latency, p50, REAL, true),
	MEMBER(result_latency, p90, REAL, true),
	MEMBER(result_latency, p99, REAL, true),
	MEMBER(result_latency, p999, REAL, true),
	MEMBER(result_latency, max, REAL, true),
	END
};

static const struct result_field quantiles[] = {
	MEMBER(result_quantiles, p50, REAL, true),
	MEMBER(result_quantiles, p99, REAL, true),
	MEMBER(result_quantiles, p999, REAL, true),
	END
};

static const struct result_field fairness[] = {
	MEMBER(result_fairness, min_max, REAL, true),
	MEMBER(result_fairness, cov, REAL, true),
	MEMBER(result_fairness, jain, REAL, true),
	MEMBER(result_fairness, cna, REAL, false),
	MEMBER(result_fairness, hold_min_max, REAL, false),
	MEMBER(result_fairness, hold_cov, REAL, false),
	MEMBER(result_fairness, hold_jain, REAL, false),
	MEMBER(result_fairness, hold_cna, REAL, false),
	MEMBER(result_fairness, reacquire_p50, REAL, false),
	MEMBER(result_fairness, reacquire_p99, REAL, false),
	MEMBER(result_fairness, hold_share_harvest, REAL, true),
	END
};

static const struct result_field harvest[] = {
	MEMBER(result_harvest, cpu_percent, REAL, true),
	MEMBER(result_harvest, spin_percent, REAL, true),
	MEMBER(result_harvest, block_percent, REAL, true),
	MEMBER(result_harvest, events_per_s, REAL, true),
	MEMBER(result_harvest, dropped, REAL, true),
	MEMBER(result_harvest, discarded, REAL, false),
	MEMBER(result_harvest, latency_p99_ns, REAL, true),
	END
};

const struct result_field result_field_row[] = {
	MEMBER(result_row, site, NAME, true),
	MEMBER(result_row, lock, NAME, false),
	MEMBER(result_row, role, NAME, false),
	MEMBER(result_row, count, REAL, true),
	MEMBER(result_row, contended, REAL, true),
	MEMBER(result_row, hold_total_ns, REAL, true),
	MEMBER(result_row, hold_max_ns, REAL, true),
	MEMBER(result_row, wait_total_ns, REAL, true),
	MEMBER(result_row, wait_max_ns, REAL, true),
	MEMBER(result_row, spin_total_ns, REAL, false),
	MEMBER(result_row, block_total_ns, REAL, false),
	MEMBER(result_row, spin_count, REAL, false),
	MEMBER(result_row, block_count, REAL, false),
	MEMBER(result_row, cnt_hold, REAL, false),
	MEMBER(result_row, yields, REAL, false),
	OBJECT(result_row, hold_ns, false, quantiles),
	OBJECT(result_row, spin_ns, false, quantiles),
	OBJECT(result_row, block_ns, false, quantiles),
	END
};

const struct result_log2 result_log2[] = {
	{ "hold_log2", offsetof(struct result_row, hold_log2) },
	{ "spin_log2", offsetof(struct result_row, spin_log2) },
	{ "block_log2", offsetof(struct result_row, block_log2) },
	{ NULL, 0 }
};

const struct result_field result_field_wait[] = {
	MEMBER(result_wait, lock, NAME, true),
	MEMBER(result_wait, site, NAME, true),
	MEMBER(result_wait, role, NAME, true),
	MEMBER(result_wait, holder, NAME, true),
	MEMBER(result_wait, count, REAL, true),
	MEMBER(result_wait, wait_total_ns, REAL, true),
	END
};

const struct result_field result_field_health[] = {
	MEMBER(result_health, source, NAME, true),
	MEMBER(result_health, discarded, REAL, true),
	MEMBER(result_health, passed, REAL, true),
	MEMBER(result_health, repetitions, REAL, true),
	MEMBER(result_health, proportions, REAL, true),
	MEMBER(result_health, excluded, REAL, true),
	END
};

const struct result_field result_field_sample[] = {
	MEMBER(result_sample, order, COUNT, false),
	MEMBER(result_sample, window_s, REAL, false),
	MEMBER(result_sample, total_mb_per_s, REAL, true),
	MEMBER(result_sample, reads_per_s, REAL, false),
	MEMBER(result_sample, readers_cpu_percent, REAL, false),
	MEMBER(result_sample, start_skew_ms, REAL, false),
	MEMBER(result_sample, stop_skew_ms, REAL, false),
	MEMBER(result_sample, reseeds, REAL, false),
	MEMBER(result_sample, drift_share, REAL, false),
	MEMBER(result_sample, harvest_cpu_os, COUNT, false),
	MEMBER(result_sample, gate, NAME, false),
	OBJECT(result_sample, latency_ns, false, latency),
	OBJECT(result_sample, latency_uncorrected_ns, false, latency),
	OBJECT(result_sample, fairness, false, fairness),
	OBJECT(result_sample, harvest, false, harvest),
	END
};

const struct result_field result_field_cell[] = {
	MEMBER(result_cell, engine, NAME, true),
	MEMBER(result_cell, design, NAME, true),
	MEMBER(result_cell, lock, NAME, true),
	MEMBER(result_cell, cipher, NAME, true),
	MEMBER(result_cell, crypto, NAME, true),
	MEMBER(result_cell, ci95_of, NAME, false),
	MEMBER(result_cell, readers, COUNT, true),
	MEMBER(result_cell, request_bytes, BYTES, true),
	MEMBER(result_cell, workload, TEXT, false),
	MEMBER(result_cell, rate_per_s, REAL, false),
	MEMBER(result_cell, arrivals, NAME, false),
	MEMBER(result_cell, spin_polls, COUNT, false),
	MEMBER(result_cell, repeats, COUNT, true),
	MEMBER(result_cell, oversubscribed, BOOL, true),
	MEMBER(result_cell, profiled, BOOL, false),
	MEMBER(result_cell, total_mb_per_s, REAL, true),
	MEMBER(result_cell, profile_cost_percent, REAL, false),
	OBJECT(result_cell, latency_ns, true, latency),
	OBJECT(result_cell, latency_uncorrected_ns, false, latency),
	OBJECT(result_cell, fairness, true, fairness),
	OBJECT(result_cell, harvest, true, harvest),
	MEMBER(result_cell, gate, TEXT, false),
	MEMBER(result_cell, notes, TEXT, false),
	END
};

const struct result_field result_field_sample_virtual[] = {
	MEMBER(result_sample, virtual_events, REAL, false),
	MEMBER(result_sample, trace_hash, NAME, false),
	END
};

const struct result_field result_field_cell_virtual[] = {
	MEMBER(result_cell, profile, TEXT, false),
	MEMBER(result_cell, guessed_share, REAL, false),
	MEMBER(result_cell, cpus, COUNT, false),
	MEMBER(result_cell, nodes, COUNT, false),
	END
};

const struct result_field result_field_cell_pretended[] = {
	MEMBER(result_cell, pretended_nodes, COUNT, false),
	END
};

const struct result_field result_field_ledger[] = {
	MEMBER(result_ledger, records, REAL, true),
	MEMBER(result_ledger, blocks, REAL, true),
	MEMBER(result_ledger, keys, REAL, true),
	MEMBER(result_ledger, wipes, REAL, true),
	MEMBER(result_ledger, reads, REAL, true),
	MEMBER(result_ledger, reseeds, REAL, true),
	MEMBER(result_ledger, events, REAL, true),
	MEMBER(result_ledger, ranges_max, REAL, true),
	MEMBER(result_ledger, forgotten, REAL, false),
	MEMBER(result_ledger, violations, REAL, true),
	MEMBER(result_ledger, plain_mb_per_s, REAL, false),
	END
};

const struct result_field result_field_cell_ledger[] = {
	OBJECT(result_cell, ledger, false, result_field_ledger),
	END
};

const struct result_field result_field_sample_ledger[] = {
	MEMBER(result_sample, plain_mb_per_s, REAL, false),
	END
};

const struct result_field result_field_host[] = {
	MEMBER(result_host, cpu_model, TEXT, true),
	MEMBER(result_host, cpus, COUNT, true),
	MEMBER(result_host, cpus_machine, COUNT, false),
	MEMBER(result_host, cpu_quota, REAL, false),
	MEMBER(result_host, numa_nodes, COUNT, true),
	MEMBER(result_host, kernel, TEXT, true),
	MEMBER(result_host, compiler, TEXT, true),
	MEMBER(result_host, flags, TEXT, true),
	MEMBER(result_host, libcrypto, TEXT, true),
	MEMBER(result_host, revision, NAME, false),
	MEMBER(result_host, invariants, BOOL, true),
	MEMBER(result_host, clock_ns, REAL, false),
	MEMBER(result_host, profile_ns, REAL, false),
	END
};

const struct result_field result_field_resumed[] = {
	MEMBER(result_resumed, at, NAME, true),
	MEMBER(result_resumed, order, COUNT, true),
	END
};

const struct result_field result_field_top[] = {
	MEMBER(result, complete, BOOL, true),
	MEMBER(result, started, NAME, true),
	MEMBER(result, time_s, REAL, false),
	MEMBER(result, place, TEXT, false),
	OBJECT(result, host, true, result_field_host),
	END
};
