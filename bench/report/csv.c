#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/csv.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"
#include "lib/kassert.h"

/* RFC 4180: what holds a separator is quoted, quotes are doubled. */
static void
print_text(FILE *out, const char *text)
{

	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, out);
		return;
	}
	figure_quoted(out, text);
}

/* As many digits as anything that was measured has. */
static void
print_real(FILE *out, double v)
{

	KASSERT(isfinite(v), ("%g in a column", v));
	fprintf(out, ",%.9g", v);
}

/* Columns of predictions; empty but for the first where one was measured. */
static void
print_predicted(FILE *out, const struct result_cell *c)
{
	unsigned i;

	fprintf(out, ",%s,", group_claim(c));
	print_text(out, c->profile);
	if (c->profile[0] == '\0') {
		fputs(",,,,,,,,", out);
		return;
	}
	print_real(out, c->guessed_share);
	fprintf(out, ",%u,%u,%u", c->cpus, c->nodes, c->uncertainty.samples);
	if (c->uncertainty.samples == 0) {
		fputs(",,,,", out);
		return;
	}
	for (i = 0; i < 2; i++)
		print_real(out, c->uncertainty.total_mb_per_s[i]);
	for (i = 0; i < 2; i++)
		print_real(out, c->uncertainty.harvest_cpu_percent[i]);
}

static void
print_cell(FILE *out, const struct result *r, const struct result_cell *c)
{
	const double figures[] = {
		c->total_mb_per_s,
		c->total_mb_per_s_ci95[0], c->total_mb_per_s_ci95[1],
		c->total_mb_per_s / c->readers,
		c->latency_ns.p50, c->latency_ns.p90, c->latency_ns.p99,
		c->latency_ns.p999, c->latency_ns.max,
		c->fairness.min_max, c->fairness.cov, c->fairness.jain,
		c->fairness.hold_share_harvest,
		c->harvest.cpu_percent, c->harvest.spin_percent,
		c->harvest.block_percent, c->harvest.events_per_s,
		c->harvest.dropped, c->harvest.latency_p99_ns,
		c->profile_cost_percent
	};
	const double uncorrected[] = {
		c->latency_uncorrected_ns.p50, c->latency_uncorrected_ns.p90,
		c->latency_uncorrected_ns.p99, c->latency_uncorrected_ns.p999,
		c->latency_uncorrected_ns.max
	};
	const char *const names[] = {
		c->engine, c->design, c->lock, c->cipher, c->crypto
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (i > 0)
			fputc(',', out);
		print_text(out, names[i]);
	}
	fprintf(out, ",%u,%" PRIu64 ",%u,%d,%d", c->readers, c->request_bytes,
	    c->repeats, c->oversubscribed, c->profiled);
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		print_real(out, figures[i]);
	fprintf(out, ",%d,%d,", r->host.invariants, r->complete);
	print_text(out, c->notes);
	fputc(',', out);
	print_text(out, c->workload);
	print_real(out, c->rate_per_s);
	fputc(',', out);
	print_text(out, c->arrivals);
	for (i = 0; i < sizeof(uncorrected) / sizeof(uncorrected[0]); i++)
		print_real(out, uncorrected[i]);
	print_predicted(out, c);
	fprintf(out, ",%u,%d\n", c->pretended_nodes, c->ledger.records > 0);
}

void
csv_print(FILE *out, const struct result *r)
{
	unsigned i;

	fputs("engine,design,lock,cipher,crypto,readers,request_bytes,repeats,"
	    "oversubscribed,profiled,total_mb_per_s,total_mb_per_s_ci95_low,"
	    "total_mb_per_s_ci95_high,reader_mb_per_s_mean,latency_p50_ns,"
	    "latency_p90_ns,latency_p99_ns,latency_p999_ns,latency_max_ns,"
	    "fairness_min_max,fairness_cov,fairness_jain,"
	    "fairness_hold_share_harvest,harvest_cpu_percent,"
	    "harvest_spin_percent,harvest_block_percent,harvest_events_per_s,"
	    "harvest_dropped,harvest_latency_p99_ns,profile_cost_percent,"
	    "invariants,complete,notes,workload,rate_per_s,arrivals,"
	    "latency_uncorrected_p50_ns,latency_uncorrected_p90_ns,"
	    "latency_uncorrected_p99_ns,latency_uncorrected_p999_ns,"
	    "latency_uncorrected_max_ns,claim,profile,guessed_share,cpus,"
	    "nodes,uncertainty_samples,total_mb_per_s_p10,total_mb_per_s_p90,"
	    "harvest_cpu_percent_p10,harvest_cpu_percent_p90,pretended_nodes,"
	    "ledger\n", out);
	for (i = 0; i < r->cell_count; i++)
		print_cell(out, r, &r->cells[i]);
}

/* A column's name: no space, which separates columns. */
static void
print_column_name(FILE *out, const struct result_cell *c)
{
	const char *const names[] = {
		c->engine, c->design, c->lock, c->cipher, c->crypto
	};
	const char *n;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fputc(i == 0 ? ' ' : '/', out);
		for (n = names[i]; *n != '\0'; n++)
			fputc(*n == ' ' ? '_' : *n, out);
	}
	fprintf(out, "/%ur/%" PRIu64 "B", c->readers, c->request_bytes);
}

void
csv_print_ministat(FILE *out, const struct result *r)
{
	char machine[CLAIM_SIZE];
	unsigned i, k, max = 0, min = 0;

	for (i = 0; i < r->cell_count; i++) {
		unsigned n = r->cells[i].repeats;

		max = n > max ? n : max;
		min = i == 0 || n < min ? n : min;
	}
	fputs("# total MB/s of", out);
	for (i = 0; i < r->cell_count; i++)
		print_column_name(out, &r->cells[i]);
	fputc('\n', out);
	if (claim_of(r) != CLAIM_MEASURED)
		fprintf(out, "# %s: %s\n", claim_word(r),
		    claim_machine(r, machine));
	if (min != max)
		fprintf(out, "# repeats %u to %u left out: not every cell has "
		    "them\n", min + 1, max);
	for (k = 0; k < min; k++) {
		for (i = 0; i < r->cell_count; i++)
			fprintf(out, "%s%.9g", i == 0 ? "" : " ",
			    r->cells[i].samples[k].total_mb_per_s);
		fputc('\n', out);
	}
}
