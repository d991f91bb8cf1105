#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/progress.h"
#include "bench/console/stop.h"
#include "bench/hash/hash_bench.h"
#include "bench/statistics/stats.h"
#include "lib/crypto.h"
#include "lib/digest.h"
#include "lib/kassert.h"
#include "lib/tick.h"
#include "lib/wipe.h"

enum {
	EVENT_COUNTER	= 4,
	EVENT_ENTROPY	= 8,
	CALLS_MAX	= 1 << 30,	/* of a batch */
	BATCHES		= 25,		/* of a repeat's time */
	BATCHES_LEAST	= 5
};

/* What one batch calls again and again. */
struct task {
	const struct hash *ta_hash;
	struct digest	*ta_digest;
	const uint8_t	*ta_message;
	unsigned	 ta_bytes;	/* of the message */
};

/* A run's own: tables of rows by figures, and by repeats. */
struct bench {
	struct hash_bench *be_bench;
	unsigned	 be_figures;	/* of a row */
	struct digest	*be_digest;	/* rows */
	unsigned	*be_calls;	/* rows, figures */
	double		*be_ns;		/* rows, figures, repeats */
	uint8_t		*be_message;
	struct progress	 be_progress;
	uint64_t	 be_steps;
};

static void
absorb(const struct task *ta, unsigned n)
{
	static const uint8_t entropy[EVENT_ENTROPY] = { 1, 2, 3, 4, 5, 6, 7 };

	for (; n > 0; n--) {
		CTASSERT(sizeof(n) == EVENT_COUNTER);
		digest_update(ta->ta_digest, &n, EVENT_COUNTER);
		digest_update(ta->ta_digest, entropy, EVENT_ENTROPY);
	}
}

static void
drain(const struct task *ta, unsigned n)
{
	struct digest *dg = ta->ta_digest;
	uint8_t s[HASH_BYTES_MAX], temp[HASH_BYTES_MAX];

	for (; n > 0; n--) {
		digest_finish(dg, temp);
		digest_reset(dg);
		digest_update(dg, temp, digest_bytes(dg));
		digest_finish(dg, s);
		digest_reset(dg);
		wipe(temp, digest_bytes(dg));
		digest_prepare(dg);
	}
}

static void
message(const struct task *ta, unsigned n)
{
	uint8_t out[HASH_BYTES_MAX];
	union hash_context hc;

	for (; n > 0; n--) {
		if (hash_init(ta->ta_hash, &hc) != 0) {
			crypto_fail(ta->ta_hash->ha_name);
			break;
		}
		hash_update(ta->ta_hash, &hc, ta->ta_message, ta->ta_bytes);
		hash_finish(ta->ta_hash, &hc, out);
		hash_fini(ta->ta_hash, &hc);
	}
}

/* Times one batch: ns a call. */
static double
batch(const struct bench *be, unsigned row, unsigned figure, unsigned calls)
{
	const struct hash_bench *hb = be->be_bench;
	const struct task ta = {
		.ta_hash = hb->hb_row[row].hr_hash,
		.ta_digest = &be->be_digest[row],
		.ta_message = be->be_message,
		.ta_bytes = figure < HASH_BENCH_MESSAGE ? 0 :
		    hb->hb_size[figure - HASH_BENCH_MESSAGE],
	};
	int64_t start_ns = tick_ns();

	if (figure == HASH_BENCH_EVENT)
		absorb(&ta, calls);
	else if (figure == HASH_BENCH_FINISH)
		drain(&ta, calls);
	else
		message(&ta, calls);
	return ((double)(tick_ns() - start_ns) / calls);
}

/* How many calls take as long as a batch should. */
static unsigned
size_batch(const struct bench *be, unsigned row, unsigned figure)
{
	double ns, want_ns = be->be_bench->hb_time_s * NS_PER_S / BATCHES;
	unsigned calls = 1;

	for (;; calls *= 2) {
		ns = batch(be, row, figure, calls);
		if (ns * calls >= want_ns / 4 || calls >= CALLS_MAX / 2)
			break;
	}
	ns = want_ns / ns;
	return (ns < 1 ? 1 : ns > CALLS_MAX ? CALLS_MAX : (unsigned)ns);
}

/*
 * One repeat of a figure: the median of short batches, so that what interrupts
 * a few of them does not count.
 */
static double
measure(const struct bench *be, unsigned row, unsigned figure, unsigned calls)
{
	int64_t end_ns = tick_ns() + (int64_t)(be->be_bench->hb_time_s *
	    NS_PER_S);
	double ns[BATCHES];
	unsigned count = 0;

	do {
		ns[count++] = batch(be, row, figure, calls);
	} while (count < BATCHES && !stop_asked() &&
	    (count < BATCHES_LEAST || tick_ns() < end_ns));
	return (stats_median(ns, count));
}

/* One round over all; false when it was stopped. */
static bool
round_of(struct bench *be, unsigned repeat, bool sizing)
{
	const struct hash_bench *hb = be->be_bench;
	unsigned figure, k, row;

	for (figure = 0; figure < be->be_figures; figure++) {
		for (row = 0; row < hb->hb_rows; row++) {
			progress_update(&be->be_progress, be->be_steps++,
			    hb->hb_row[row].hr_hash->ha_name);
			k = row * be->be_figures + figure;
			if (sizing)
				be->be_calls[k] = size_batch(be, row, figure);
			else
				be->be_ns[k * hb->hb_repeats + repeat] =
				    measure(be, row, figure,
				    be->be_calls[k]);
			/* What it cut short does not count. */
			if (stop_asked())
				return (false);
		}
	}
	return (true);
}

static void
settle(const struct bench *be)
{
	struct hash_bench *hb = be->be_bench;
	unsigned figure, n = hb->hb_done, row;

	for (row = 0; row < hb->hb_rows; row++) {
		for (figure = 0; figure < be->be_figures; figure++) {
			double *ns = &be->be_ns[(row * be->be_figures +
			    figure) * hb->hb_repeats];

			hb->hb_row[row].hr_cost[figure] = (struct hash_cost){
				.hc_ns = stats_median(ns, n),
				.hc_p25_ns = stats_quantile(ns, n, 0.25),
				.hc_p75_ns = stats_quantile(ns, n, 0.75),
			};
		}
	}
}

static int
prepare(struct bench *be)
{
	const struct hash_bench *hb = be->be_bench;
	size_t cells = (size_t)hb->hb_rows * be->be_figures;
	unsigned bytes = 1, i;
	int error = 0;

	for (i = 0; i < hb->hb_sizes; i++)
		if (hb->hb_size[i] > bytes)
			bytes = hb->hb_size[i];
	be->be_digest = calloc(hb->hb_rows, sizeof(*be->be_digest));
	be->be_calls = calloc(cells, sizeof(*be->be_calls));
	be->be_ns = calloc(cells * hb->hb_repeats, sizeof(*be->be_ns));
	be->be_message = malloc(bytes);
	if (be->be_digest == NULL || be->be_calls == NULL ||
	    be->be_ns == NULL || be->be_message == NULL)
		return (ENOMEM);
	for (i = 0; i < bytes; i++)
		be->be_message[i] = (uint8_t)(i * i + i / 256);
	for (i = 0; i < hb->hb_rows && error == 0; i++)
		error = digest_init_as(&be->be_digest[i],
		    hb->hb_row[i].hr_hash);
	return (error);
}

int
hash_bench_run(struct hash_bench *hb)
{
	struct bench be = { .be_bench = hb,
	    .be_figures = HASH_BENCH_MESSAGE + hb->hb_sizes };
	unsigned i;
	int error;

	KASSERT(hb->hb_rows > 0 && hb->hb_repeats > 0, ("nothing to time"));
	hb->hb_done = 0;
	result_now(hb->hb_started);
	error = prepare(&be);
	if (error == 0) {
		progress_init(&be.be_progress, (uint64_t)be.be_figures *
		    hb->hb_rows * (hb->hb_repeats + 1));
		if (!round_of(&be, 0, true))
			error = EINTR;
		while (error == 0 && hb->hb_done < hb->hb_repeats) {
			if (round_of(&be, hb->hb_done, false))
				hb->hb_done++;
			else
				error = EINTR;
		}
		progress_fini(&be.be_progress);
		/* What was timed is not what it takes. */
		if (crypto_failed() != NULL) {
			hb->hb_done = 0;
			error = EIO;
		}
		if (hb->hb_done > 0)
			settle(&be);
	}
	for (i = 0; be.be_digest != NULL && i < hb->hb_rows; i++)
		digest_fini(&be.be_digest[i]);
	free(be.be_digest);
	free(be.be_calls);
	free(be.be_ns);
	free(be.be_message);
	return (error);
}

static int sorted_by;

static int
order(const void *va, const void *vb)
{
	const struct hash_row *a = va, *b = vb;
	double x, y;

	if (sorted_by >= 0) {
		x = a->hr_cost[sorted_by].hc_ns;
		y = b->hr_cost[sorted_by].hc_ns;
		if (x < y || y < x)
			return (x < y ? -1 : 1);
	}
	return (strcmp(a->hr_hash->ha_name, b->hr_hash->ha_name));
}

void
hash_bench_sort(struct hash_bench *hb, int by)
{

	sorted_by = by;
	qsort(hb->hb_row, hb->hb_rows, sizeof(*hb->hb_row), order);
}

void
hash_bench_free(struct hash_bench *hb)
{

	free(hb->hb_row);
	free(hb->hb_skip);
	hb->hb_row = NULL;
	hb->hb_skip = NULL;
	hb->hb_rows = hb->hb_skips = 0;
}
