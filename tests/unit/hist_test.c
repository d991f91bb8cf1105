#include <inttypes.h>
#include <math.h>

#include "lib/base/hist.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { VALUES = 20000 };

#define	hist_index(v)	hist_index_of(v, HIST_SUB_BITS)

static struct hist histogram, other, both;
static uint64_t values[VALUES];

/* Values of every magnitude: as many of one bit as of sixty-four. */
static void
draw_values(void)
{
	uint64_t draws = 2019;

	for (size_t i = 0; i < VALUES; i++) {
		uint64_t v = support_draw(&draws);

		values[i] = v >> (support_draw(&draws) % 64);
	}
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return ((x > y) - (x < y));
}

TEST(hist_index__monotone, "A greater value is never counted in a lower "
    "bucket, and no bucket is left out or out of range")
{
	unsigned i, last = 0;
	uint64_t v;

	for (v = 0; v < 1 << 17; v++) {
		i = hist_index(v);
		ATF_REQUIRE_MSG(i == last || i == last + 1, "%" PRIu64 " is in "
		    "bucket %u, its predecessor in %u", v, i, last);
		last = i;
	}
	/* Above: both sides of every power of two and of its parts. */
	for (unsigned bit = HIST_SUB_BITS; bit < 64; bit++) {
		uint64_t step = UINT64_C(1) << (bit - HIST_SUB_BITS);
		unsigned part;

		for (part = 0; part < HIST_SUB; part++) {
			v = (UINT64_C(1) << bit) + part * step;
			ATF_CHECK_EQ_MSG(hist_index(v), hist_index(v - 1) + 1,
			    "%#" PRIx64, v);
			ATF_CHECK_EQ_MSG(hist_index(v),
			    hist_index(v + step - 1), "%#" PRIx64, v);
		}
	}
	ATF_CHECK_EQ(HIST_BUCKETS - 1, hist_index(UINT64_MAX));
}

TEST(hist_index__exact_when_small, "Below HIST_SUB each value has its own "
    "bucket and comes back as it is")
{
	for (uint64_t v = 0; v < HIST_SUB; v++) {
		ATF_CHECK_EQ_MSG(v, hist_index(v), "%" PRIu64, v);
		histogram = (struct hist){ .hi_count = 0 };
		hist_add(&histogram, v);
		hist_add(&histogram, HIST_SUB);
		ATF_CHECK_EQ_MSG(v, hist_quantile(&histogram, 0.5),
		    "%" PRIu64, v);
	}
}

TEST(hist_quantile__error_bound, "A quantile is never below the one of the "
    "sorted values and at most 1 / HIST_SUB above it")
{
	static const double shares[] = { 0, 0.0001, 0.001, 0.01, 0.1, 0.25,
	    0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1 };
	uint64_t exact, got, last = 0;
	size_t i, rank;

	draw_values();
	histogram = (struct hist){ .hi_count = 0 };
	for (i = 0; i < VALUES; i++)
		hist_add(&histogram, values[i]);
	qsort(values, VALUES, sizeof(values[0]), by_value);
	ATF_CHECK_EQ(VALUES, histogram.hi_count);
	ATF_CHECK_EQ(values[VALUES - 1], histogram.hi_max);
	for (i = 0; i < nitems(shares); i++) {
		rank = (size_t)ceil(shares[i] * VALUES);
		exact = values[rank == 0 ? 0 : rank - 1];
		got = hist_quantile(&histogram, shares[i]);
		ATF_CHECK_MSG(got >= exact && got - exact <= exact / HIST_SUB,
		    "%g: %" PRIu64 " for %" PRIu64, shares[i], got, exact);
		ATF_CHECK_MSG(got >= last, "%g is below the last", shares[i]);
		last = got;
	}
	ATF_CHECK_EQ(values[VALUES - 1], hist_quantile(&histogram, 1));
}

TEST(hist_add__extremes, "0 and UINT64_MAX are values like others")
{
	histogram = (struct hist){ .hi_count = 0 };
	hist_add(&histogram, 0);
	ATF_CHECK_EQ(1, histogram.hi_count);
	ATF_CHECK_EQ(0, histogram.hi_max);
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 1));
	hist_add(&histogram, UINT64_MAX);
	ATF_CHECK_EQ(2, histogram.hi_count);
	ATF_CHECK_EQ(UINT64_MAX, histogram.hi_max);
	ATF_CHECK_EQ(UINT64_MAX, histogram.hi_total);
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 0));
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 0.5));
	ATF_CHECK_EQ(UINT64_MAX, hist_quantile(&histogram, 0.51));
	ATF_CHECK_EQ(UINT64_MAX, hist_quantile(&histogram, 1));
	/* A quantile is no bucket end beyond the largest value. */
	histogram = (struct hist){ .hi_count = 0 };
	hist_add(&histogram, UINT64_C(1) << 63);
	ATF_CHECK_EQ(UINT64_C(1) << 63, hist_quantile(&histogram, 1));
}

TEST(hist_merge__same_as_adding_all, "Readers' histograms added up are the "
    "histogram of all reads")
{
	draw_values();
	histogram = (struct hist){ .hi_count = 0 };
	other = (struct hist){ .hi_count = 0 };
	both = (struct hist){ .hi_count = 0 };
	for (size_t i = 0; i < VALUES; i++) {
		hist_add(i % 3 == 0 ? &histogram : &other, values[i]);
		hist_add(&both, values[i]);
	}
	hist_merge(&histogram, &other);
	ATF_CHECK_EQ(both.hi_count, histogram.hi_count);
	ATF_CHECK_EQ(both.hi_total, histogram.hi_total);
	ATF_CHECK_EQ(both.hi_max, histogram.hi_max);
	ATF_CHECK_EQ(0, memcmp(both.hi_bucket, histogram.hi_bucket,
	    sizeof(both.hi_bucket)));
	/* An empty one adds nothing, on either side. */
	other = (struct hist){ .hi_count = 0 };
	hist_merge(&histogram, &other);
	ATF_CHECK_EQ(0, memcmp(&both, &histogram, sizeof(both)));
	hist_merge(&other, &histogram);
	ATF_CHECK_EQ(0, memcmp(&both, &other, sizeof(both)));
}

static void
quantile_of(void *arg)
{
	double q;

	memcpy(&q, arg, sizeof(q));
	hist_quantile(&histogram, q);
}

TEST(hist_quantile__empty_and_out_of_range, "An empty histogram answers 0, "
    "also after use; a share outside 0..1 is refused")
{
	double bad;

	histogram = (struct hist){ .hi_count = 0 };
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 0));
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 1));
	hist_add(&histogram, 12345);
	histogram = (struct hist){ .hi_count = 0 };
	ATF_CHECK_EQ(0, hist_quantile(&histogram, 1));
	bad = 1.5;
	ATF_CHECK(support_asserts(quantile_of, &bad));
	bad = -0.5;
	ATF_CHECK(support_asserts(quantile_of, &bad));
	bad = (double)NAN;
	ATF_CHECK(support_asserts(quantile_of, &bad));
}

TEST(hist_small__error_bound, "A small histogram's quantile is the value or "
    "at most one part in HIST_SMALL_SUB above it; the largest values share "
    "the last bucket")
{
	struct hist_small h;
	uint64_t q;

	for (uint64_t v = 0; v < UINT64_C(1) << HIST_SMALL_BITS;
	    v = v < 100 ? v + 1 : v + v / 7) {
		memset(&h, 0, sizeof(h));
		hist_small_add(&h, v, 1);
		q = hist_small_quantile(&h, 0.5);
		ATF_CHECK_MSG(q >= v && q - v <= v / HIST_SMALL_SUB,
		    "%" PRIu64 " gives %" PRIu64, v, q);
	}
	memset(&h, 0, sizeof(h));
	hist_small_add(&h, UINT64_MAX, 1);
	hist_small_add(&h, UINT64_C(1) << HIST_SMALL_BITS, 1);
	ATF_CHECK_EQ(2, h.hsm_bucket[HIST_SMALL_BUCKETS - 1]);
	ATF_CHECK_EQ(2, hist_small_count(&h));
	ATF_CHECK_EQ((UINT64_C(1) << HIST_SMALL_BITS) - 1,
	    hist_small_quantile(&h, 0));
}

TEST(hist_small__quantiles_and_merge, "Quantiles count values, also those of "
    "two histograms added; nothing has quantile 0")
{
	struct hist_small a, b;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	ATF_CHECK_EQ(0, hist_small_quantile(&a, 0.5));
	ATF_CHECK_EQ(0, hist_small_count(&a));
	for (unsigned i = 0; i < 98; i++)
		hist_small_add(&a, 3, 1);
	hist_small_add(&b, 5, 1);
	hist_small_add(&b, 7, 1);
	hist_small_merge(&a, &b);
	ATF_CHECK_EQ(100, hist_small_count(&a));
	ATF_CHECK_EQ(3, hist_small_quantile(&a, 0.98));
	ATF_CHECK_EQ(5, hist_small_quantile(&a, 0.99));
	ATF_CHECK_EQ(7, hist_small_quantile(&a, 1));
}

TEST_PROGRAM()
