/*
 * What hashes cost, for people and in columns.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/hash/hash_bench.h"
#include "bench/result/result.h"
#include "lib/kassert.h"

enum {
	NAME_WIDTH	= 20,
	CELL_WIDTH	= 8,
	SPREAD_WIDTH	= 6,
	BLOCK_FIRST	= 2,	/* sizes beside event and finish */
	BLOCK_OTHER	= 3
};

CTASSERT(NAME_WIDTH + 5 + (2 + 2 * BLOCK_FIRST) * CELL_WIDTH + SPREAD_WIDTH <=
    (int)FIGURE_COLUMNS);
CTASSERT((int)FIGURE_WIDTH < (int)CELL_WIDTH);

/* Columns of one part of the table. */
struct block {
	const unsigned	*bl_size;	/* indices of hb_size */
	unsigned	 bl_sizes;
	bool		 bl_pools;	/* event and finish, too */
};

/* Half of what the middle half of the repeats spans, in percent. */
static double
spread(const struct hash_cost *hc)
{

	return (hc->hc_ns > 0 ? 50 * (hc->hc_p75_ns - hc->hc_p25_ns) /
	    hc->hc_ns : 0);
}

static double
widest(const struct hash_row *hr, const struct block *bl)
{
	double most = 0;
	unsigned i;

	if (bl->bl_pools)
		most = fmax(spread(&hr->hr_cost[HASH_BENCH_EVENT]),
		    spread(&hr->hr_cost[HASH_BENCH_FINISH]));
	for (i = 0; i < bl->bl_sizes; i++)
		most = fmax(most, spread(&hr->hr_cost[HASH_BENCH_MESSAGE +
		    bl->bl_size[i]]));
	return (most);
}

static void
print_cell(FILE *out, double v)
{
	char buf[FIGURE_SIZE];

	fprintf(out, "%*s", CELL_WIDTH, figure_real(buf, v));
}

static void
print_head(FILE *out, const struct hash_bench *hb, const struct block *bl)
{
	char bytes[32];
	unsigned i;

	fprintf(out, "\n%-*s %4s", NAME_WIDTH, "", "");
	if (bl->bl_pools)
		fprintf(out, "%*s%*s", CELL_WIDTH, "event", CELL_WIDTH,
		    "finish");
	for (i = 0; i < bl->bl_sizes; i++) {
		snprintf(bytes, sizeof(bytes), "%u bytes",
		    hb->hb_size[bl->bl_size[i]]);
		fprintf(out, "%*s", 2 * CELL_WIDTH, bytes);
	}
	fprintf(out, "\n%-*s %4s", NAME_WIDTH, "digest", "out");
	if (bl->bl_pools)
		fprintf(out, "%*s%*s", CELL_WIDTH, "ns", CELL_WIDTH, "ns");
	for (i = 0; i < bl->bl_sizes; i++)
		fprintf(out, "%*s%*s", CELL_WIDTH, "ns", CELL_WIDTH, "MB/s");
	fprintf(out, "%*s\n", SPREAD_WIDTH, "+- %");
}

static void
print_block(FILE *out, const struct hash_bench *hb, const struct block *bl)
{
	char percent[FIGURE_SIZE];
	unsigned i, row;

	print_head(out, hb, bl);
	for (row = 0; row < hb->hb_rows; row++) {
		const struct hash_row *hr = &hb->hb_row[row];

		fprintf(out, "%-*s %4u", NAME_WIDTH, hr->hr_hash->ha_name,
		    hr->hr_hash->ha_bytes);
		if (bl->bl_pools) {
			print_cell(out, hr->hr_cost[HASH_BENCH_EVENT].hc_ns);
			print_cell(out, hr->hr_cost[HASH_BENCH_FINISH].hc_ns);
		}
		for (i = 0; i < bl->bl_sizes; i++) {
			unsigned s = bl->bl_size[i];
			double ns = hr->hr_cost[HASH_BENCH_MESSAGE + s].hc_ns;

			print_cell(out, ns);
			print_cell(out, hash_bench_mb_per_s(hb->hb_size[s],
			    ns));
		}
		fprintf(out, "%*s\n", SPREAD_WIDTH, hb->hb_done == 1 ? "?" :
		    figure_percent(percent, widest(hr, bl)));
	}
}

/* Of what, where and when. */
static void
print_claim(FILE *out, const struct hash_bench *hb)
{
	bool complete = hb->hb_done == hb->hb_repeats;
	struct result_host host;
	char text[512];
	unsigned i;
	size_t used;

	memset(&host, 0, sizeof(host));
	result_host_fill(&host);
	used = (size_t)snprintf(text, sizeof(text), "%s, %u CPU%s, %s",
	    host.cpu_model, host.cpus, host.cpus == 1 ? "" : "s",
	    hb->hb_started);
	for (i = 0; i < hash_library_count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "%s %s", i == 0 ? ";" : ",",
		    hash_libraries[i]->hl_version());
	figure_wrap(out, complete ? "measured on" : "INCOMPLETE, measured on",
	    2, text);
	snprintf(text, sizeof(text), "of %u repeat%s of %g s, crypto %s, "
	    "INVARIANTS %s; +- is half of what the middle half spans, of the "
	    "line's widest", hb->hb_done, hb->hb_done == 1 ? "" : "s",
	    hb->hb_time_s, crypto_mode_names[hb->hb_crypto],
	    host.invariants ? "on" : "off");
	figure_wrap(out, "medians", 2, text);
}

void
hash_bench_print_table(FILE *out, const struct hash_bench *hb,
    const unsigned *sizes, unsigned count)
{
	struct block bl = { .bl_size = sizes, .bl_pools = true };

	print_claim(out, hb);
	do {
		bl.bl_sizes = bl.bl_pools ? BLOCK_FIRST : BLOCK_OTHER;
		if (bl.bl_sizes > count)
			bl.bl_sizes = count;
		print_block(out, hb, &bl);
		bl.bl_size += bl.bl_sizes;
		count -= bl.bl_sizes;
		bl.bl_pools = false;
	} while (count > 0);
	if (hb->hb_done == 1)
		figure_wrap(out, "?", 2, "too few repeats: the spread between "
		    "them is not known.");
}

static void
print_row(FILE *out, const struct hash_bench *hb, const struct hash_row *hr,
    unsigned figure)
{
	static const char *const names[HASH_BENCH_MESSAGE] = { "event",
	    "finish" };
	const struct hash_cost *hc = &hr->hr_cost[figure];
	unsigned bytes;

	fprintf(out, "%s,%s,%u,%s,", hr->hr_hash->ha_name,
	    hr->hr_hash->ha_library->hl_name, hr->hr_hash->ha_bytes,
	    figure < HASH_BENCH_MESSAGE ? names[figure] : "message");
	if (figure < HASH_BENCH_MESSAGE) {
		fprintf(out, ",%.6g,%.6g,%.6g,", hc->hc_ns, hc->hc_p25_ns,
		    hc->hc_p75_ns);
	} else {
		bytes = hb->hb_size[figure - HASH_BENCH_MESSAGE];
		fprintf(out, "%u,%.6g,%.6g,%.6g,%.6g", bytes, hc->hc_ns,
		    hc->hc_p25_ns, hc->hc_p75_ns,
		    hash_bench_mb_per_s(bytes, hc->hc_ns));
	}
	fprintf(out, ",%u,%d,%d\n", hb->hb_done, KASSERT_INVARIANTS,
	    hb->hb_done == hb->hb_repeats);
}

void
hash_bench_print_csv(FILE *out, const struct hash_bench *hb)
{
	unsigned figure, row;

	fputs("digest,library,output_bytes,what,message_bytes,ns,ns_p25,"
	    "ns_p75,mb_per_s,repeats,invariants,complete\n", out);
	for (row = 0; row < hb->hb_rows; row++)
		for (figure = 0; figure < HASH_BENCH_MESSAGE + hb->hb_sizes;
		    figure++)
			print_row(out, hb, &hb->hb_row[row], figure);
}
