#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/stats/stats.h"
#include "bench/survey/hash_survey.h"
#include "lib/crypto/digest.h"
#include "lib/machine/tick.h"

enum {
	EVENT_COUNTER	= 4,
	EVENT_ENTROPY	= 8,
	CALLS_MAX	= 1 << 30,	/* of a batch */
	BATCHES		= 25,		/* of a repeat */
	BATCHES_LEAST	= 5
};

static void
absorb(struct digest *dg, unsigned n)
{
	static const uint8_t entropy[EVENT_ENTROPY] = { 1, 2, 3, 4, 5, 6, 7 };

	for (; n > 0; n--) {
		CTASSERT(sizeof(n) == EVENT_COUNTER);
		digest_update(dg, &n, EVENT_COUNTER);
		digest_update(dg, entropy, EVENT_ENTROPY);
	}
}

static void
drain(struct digest *dg, unsigned n)
{
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
message(const struct hash *ha, const uint8_t *bytes, size_t size, unsigned n)
{
	uint8_t out[HASH_BYTES_MAX];
	union hash_context hc;

	for (; n > 0; n--) {
		if (hash_init(ha, &hc) != 0) {
			crypto_fail(ha->ha_name);
			break;
		}
		hash_update(ha, &hc, bytes, size);
		hash_finish(ha, &hc, out);
		hash_fini(ha, &hc);
	}
}

/* Times one batch: ns of a call. */
static double
batch(const struct hash_survey *hv, unsigned point, unsigned calls)
{
	const unsigned row = point / hv->hv_figures;
	const unsigned figure = point % hv->hv_figures;
	int64_t start_ns = tick_ns();

	if (figure == HASH_EVENT)
		absorb(&hv->hv_digest[row], calls);
	else if (figure == HASH_FINISH)
		drain(&hv->hv_digest[row], calls);
	else
		message(hv->hv_row[row].hr_hash, hv->hv_message,
		    hv->hv_size[figure - HASH_MESSAGE], calls);
	return ((double)(tick_ns() - start_ns) / calls);
}

/* The calls of a batch that takes its share of a repeat's time. */
static unsigned
size_batch(const struct hash_survey *hv, unsigned point)
{
	double ns, want_ns = hv->hv_survey.sy_time_s * NS_PER_S / BATCHES;
	unsigned calls = 1;

	for (;; calls *= 2) {
		ns = batch(hv, point, calls);
		if (ns * calls >= want_ns / 4 || calls >= CALLS_MAX / 2)
			break;
	}
	ns = want_ns / ns;
	return (ns < 1 ? 1 : ns > CALLS_MAX ? CALLS_MAX : (unsigned)ns);
}

/* The median of short batches: interruptions of a few do not count. */
static int
visit(struct survey *sy, unsigned point)
{
	struct hash_survey *hv = (struct hash_survey *)sy;
	double ns[BATCHES];
	unsigned count = 0;
	int64_t end_ns;

	if (hv->hv_calls[point] == 0)
		hv->hv_calls[point] = size_batch(hv, point);
	end_ns = tick_ns() + (int64_t)(sy->sy_time_s * NS_PER_S);
	do {
		ns[count++] = batch(hv, point, hv->hv_calls[point]);
	} while (count < BATCHES && !stop_asked() &&
	    (count < BATCHES_LEAST || tick_ns() < end_ns));
	hv->hv_ns[point * sy->sy_repeats + sy->sy_done] =
	    stats_median(ns, count);
	return (0);
}

static void
label(const struct survey *sy, unsigned point, char text[SURVEY_LABEL_SIZE])
{
	const struct hash_survey *hv = (const struct hash_survey *)sy;

	snprintf(text, SURVEY_LABEL_SIZE, "%s", hv->hv_row[point /
	    hv->hv_figures].hr_hash->ha_name);
}

static void
summarize(struct hash_survey *hv)
{
	unsigned n = hv->hv_survey.sy_done, point;

	for (point = 0; point < hv->hv_survey.sy_points && n > 0; point++) {
		double *ns = &hv->hv_ns[point * hv->hv_survey.sy_repeats];

		hv->hv_row[point / hv->hv_figures].hr_cost[point %
		    hv->hv_figures] = (struct hash_cost){
			.hc_ns = stats_median(ns, n),
			.hc_p25_ns = stats_quantile(ns, n, 0.25),
			.hc_p75_ns = stats_quantile(ns, n, 0.75),
		};
	}
}

static int sorted_by;

static int
compare(const void *va, const void *vb)
{
	const struct hash_row *a = va, *b = vb;
	double x, y;

	if (sorted_by != HASH_BY_NAME) {
		x = a->hr_cost[sorted_by].hc_ns;
		y = b->hr_cost[sorted_by].hc_ns;
		if (x < y || y < x)
			return (x < y ? -1 : 1);
	}
	return (strcmp(a->hr_hash->ha_name, b->hr_hash->ha_name));
}

static int
prepare(struct hash_survey *hv)
{
	struct survey *sy = &hv->hv_survey;
	unsigned bytes = 1;
	int error = 0;

	KASSERT(hv->hv_rows > 0 && sy->sy_repeats > 0, ("nothing to time"));
	hv->hv_figures = HASH_MESSAGE + hv->hv_sizes;
	sy->sy_points = hv->hv_rows * hv->hv_figures;
	for (unsigned i = 0; i < hv->hv_sizes; i++)
		if (hv->hv_size[i] > bytes)
			bytes = hv->hv_size[i];
	hv->hv_digest = xcalloc(hv->hv_rows, sizeof(*hv->hv_digest));
	hv->hv_calls = xcalloc(sy->sy_points, sizeof(*hv->hv_calls));
	hv->hv_ns = xcalloc((size_t)sy->sy_points * sy->sy_repeats,
	    sizeof(*hv->hv_ns));
	hv->hv_message = xmalloc(bytes);
	for (unsigned i = 0; i < bytes; i++)
		hv->hv_message[i] = (uint8_t)(i * i + i / 256);
	for (unsigned i = 0; i < hv->hv_rows && error == 0; i++)
		error = digest_init_as(&hv->hv_digest[i],
		    hv->hv_row[i].hr_hash);
	return (error);
}

static int
measure(struct survey *sy)
{
	struct hash_survey *hv = (struct hash_survey *)sy;
	int error;

	error = prepare(hv);
	if (error == 0) {
		error = survey_visit(sy);
		summarize(hv);
		sorted_by = hv->hv_by;
		qsort(hv->hv_row, hv->hv_rows, sizeof(*hv->hv_row), compare);
	}
	for (unsigned i = 0; hv->hv_digest != NULL && i < hv->hv_rows; i++)
		digest_fini(&hv->hv_digest[i]);
	free(hv->hv_digest);
	free(hv->hv_calls);
	free(hv->hv_ns);
	free(hv->hv_message);
	return (error);
}

const struct survey_kind hash_kind = {
	.sk_measure	= measure,
	.sk_visit	= visit,
	.sk_label	= label,
	.sk_json	= hash_json,
	.sk_csv		= hash_csv,
	.sk_table	= hash_table,
};
