#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/compare/compare.h"
#include "bench/page/page.h"
#include "bench/result/comparable.h"
#include "bench/stats/stats.h"
#include "bench/sweep/sweep.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	MANY_CELLS	= 200,
	MANY_REPEATS	= 20,
	ALL_QUANTITIES	= (1 << QUANTITIES) - 1
};

static struct result a, b;
static struct compare co;
static char why[COMPARE_TEXT_SIZE];

/* From a normal distribution of mean 1. */
static double
noise(uint64_t *state, double sd)
{
	/* 2^53 steps, from above 0 to 1, and from 0 to below 1. */
	double u = ((double)(support_draw(state) >> 11) + 1) * 0x1p-53;
	double v = (double)(support_draw(state) >> 11) * 0x1p-53;

	return (1 + sd * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

/* The cell's median, as a run would have it. */
static void
settle(struct result_cell *c)
{
	double *v = fixture_alloc(c->repeats + 1, sizeof(*v));

	for (unsigned i = 0; i < c->repeats; i++)
		v[i] = c->samples[i].total_mb_per_s;
	c->total_mb_per_s = stats_median(v, c->repeats);
	free(v);
}

static void
set_total(struct result_cell *c, unsigned repeat, double mb_per_s)
{
	struct result_sample *s = &c->samples[repeat];

	s->total_mb_per_s = mb_per_s;
	for (unsigned i = 0; i < c->readers; i++)
		s->reader_mb_per_s[i] = mb_per_s / c->readers;
}

/* Every quantity of every repeat varies by itself. */
static void
vary(struct result *r, uint64_t seed, double sd)
{
	uint64_t state = seed * 2 + 1;

	for (unsigned i = 0; i < 16; i++)
		support_draw(&state);
	for (unsigned i = 0; i < r->cell_count; i++) {
		for (unsigned k = 0; k < r->cells[i].repeats; k++) {
			struct result_sample *s = &r->cells[i].samples[k];

			s->order = k * r->cell_count + i;
			set_total(&r->cells[i], k,
			    (400 + i) * noise(&state, sd));
			s->latency_ns.p50 = 1e5 * noise(&state, sd);
			s->latency_ns.p99 = 3e5 * noise(&state, sd);
			s->harvest.cpu_percent = 30 * noise(&state, sd);
			s->harvest.latency_p99_ns = 500 * noise(&state, sd);
			s->fairness.min_max = 0.8 * noise(&state, sd);
			s->fairness.jain = 0.9 * noise(&state, sd);
		}
		settle(&r->cells[i]);
	}
}

static void
scale_total(struct result_cell *c, double factor)
{
	for (unsigned i = 0; i < c->repeats; i++)
		set_total(c, i, c->samples[i].total_mb_per_s * factor);
	settle(c);
}

/* Two designs, two ciphers, 2, 3, 4, ... readers. */
static void
make(struct result *r, unsigned cells, unsigned repeats, uint64_t seed)
{
	struct fixture_cell *grid = fixture_alloc(cells, sizeof(*grid));

	for (unsigned i = 0; i < cells; i++)
		grid[i] = (struct fixture_cell){
			.fc_design = i % 2 == 0 ? "locked" : "concurrent",
			.fc_cipher = i / 2 % 2 == 0 ? "aes" : "chacha20",
			.fc_readers = 2 + i / 4, .fc_repeats = repeats,
			.fc_mb_per_s = 400
		};
	fixture_result(r, grid, cells);
	vary(r, seed, 0.01);
	free(grid);
}

/* Two results of one distribution. */
static void
make_two(unsigned cells, unsigned repeats, uint64_t seed)
{
	make(&a, cells, repeats, 2 * seed + 1);
	make(&b, cells, repeats, 2 * seed + 2);
}

/* Begins to compare the first result with itself or the second. */
static void
begin(enum compare_by by)
{
	compare_free(&co);
	why[0] = '\0';
	co = (struct compare){
		.co_result = { &a, by == COMPARE_RESULTS ? &b : &a },
		.co_path = { "a", "b" }, .co_by = by,
		.co_wanted = ALL_QUANTITIES, .co_margin = 0.01
	};
}

static void
judge(enum compare_by by)
{
	begin(by);
	ATF_REQUIRE_EQ_MSG(0, compare_conditions(&co, false, why), "%s", why);
	ATF_REQUIRE_EQ_MSG(0, compare_match(&co, NULL, why), "%s", why);
	compare_judge(&co);
}

/* Compares the results whatever their conditions. */
static void
judge_rows(unsigned wanted, double margin, double moved)
{
	begin(COMPARE_RESULTS);
	co.co_wanted = wanted;
	co.co_margin = margin;
	co.co_noise = moved;
	ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
	compare_judge(&co);
}

/* Whether a flag contains the text. */
static bool
flagged(const char *text)
{
	for (unsigned i = 0; i < co.co_flag_count; i++)
		if (strstr(co.co_flags[i], text) != NULL)
			return (true);
	return (false);
}

static enum compare_verdict
total_verdict(unsigned pair)
{
	return (co.co_pairs[pair].pa_row[0].cmr_verdict);
}

static void
done(void)
{
	compare_free(&co);
	result_free(&a);
	result_free(&b);
}

/* Cells that are better or worse in anything. */
static unsigned
claims(void)
{
	unsigned claimed = 0, q;

	for (unsigned i = 0; i < co.co_pair_count; i++) {
		for (q = 0; q < QUANTITIES; q++) {
			enum compare_verdict v =
			    co.co_pairs[i].pa_row[q].cmr_verdict;

			if (v == COMPARE_BETTER || v == COMPARE_WORSE)
				break;
		}
		claimed += q < QUANTITIES;
	}
	return (claimed);
}

TEST(compare_judge__same_program_twice, "200 cells drawn twice from one "
    "distribution: no difference shown in at least 95 % of them, for several "
    "seeds; at most one comparison in four claims anything")
{
	unsigned any = 0, claimed, seed;

	for (seed = 0; seed < 8; seed++) {
		make_two(MANY_CELLS, MANY_REPEATS, seed);
		judge(COMPARE_RESULTS);
		ATF_CHECK_EQ(MANY_CELLS, co.co_pair_count);
		claimed = claims();
		any += claimed > 0;
		ATF_CHECK_MSG(claimed + co.co_rows[COMPARE_REFUSED] /
		    QUANTITIES <= MANY_CELLS / 20, "%u claimed, %u rows "
		    "refused", claimed, co.co_rows[COMPARE_REFUSED]);
		done();
	}
	ATF_CHECK_MSG(any <= 2, "%u of %u claim something", any, seed);
}

TEST(compare_judge__planted_slowdown, "3 % taken from one of 200 cells that "
    "vary by 1 %: it is found in each of several seeds, with a change that "
    "the interval holds, and at most two others in all of them")
{
	const struct compare_row *row;
	unsigned others = 0;

	for (unsigned seed = 0; seed < 8; seed++) {
		make_two(MANY_CELLS, MANY_REPEATS, seed);
		scale_total(&b.cells[77], 0.97);
		judge(COMPARE_RESULTS);
		row = &co.co_pairs[77].pa_row[0];
		ATF_CHECK_EQ(COMPARE_WORSE, row->cmr_verdict);
		ATF_CHECK(row->cmr_change > -0.045 && row->cmr_change < -0.015);
		ATF_CHECK(row->cmr_change_ci95[0] < -0.02 &&
		    row->cmr_change_ci95[1] < 0);
		for (unsigned i = 0; i < MANY_CELLS; i++)
			others += i != 77 && total_verdict(i) != COMPARE_NONE;
		done();
	}
	ATF_CHECK_MSG(others <= 2, "%u others", others);
}

/* Readers of all cells had no CPU for a share of the time. */
static void
delay(struct result *r, double percent)
{
	for (unsigned i = 0; i < r->cell_count; i++)
		for (unsigned k = 0; k < r->cells[i].repeats; k++)
			r->cells[i].samples[k].readers_delayed_percent =
			    percent;
}

TEST(compare_judge__readers_without_cpus, "One program beside two busy loops "
    "is refused and no fault of the code, beside less the difference is noise; "
    "within one result, and where both were at rest, rows are judged")
{
	static const struct {
		double		 a, b, slower;
		enum compare_verdict verdict;
	} cases[] = {
		{ 1, 60, 0.38, COMPARE_REFUSED },
		{ 60, 1, 2, COMPARE_REFUSED },
		{ 40, 41, 0.38, COMPARE_REFUSED },
		{ 1, 5, 0.97, COMPARE_NONE },
		{ 1, 1.5, 0.97, COMPARE_WORSE },
		{ 0, 0, 0.97, COMPARE_WORSE },
	};
	struct compare_gate cg;

	for (unsigned i = 0; i < nitems(cases); i++) {
		make_two(4, 10, 3);
		delay(&a, cases[i].a);
		delay(&b, cases[i].b);
		for (unsigned k = 0; k < 4; k++)
			scale_total(&b.cells[k], cases[i].slower);
		judge(COMPARE_RESULTS);
		ATF_CHECK_EQ_MSG(cases[i].verdict, total_verdict(0), "case %u",
		    i);
		ATF_CHECK_EQ(0, compare_gate_parse(&cg, "total_mb_per_s<-5%",
		    why));
		ATF_CHECK_EQ(cases[i].verdict == COMPARE_REFUSED ? EXIT_UNFIT :
		    0, compare_fail_if(&co, &cg, false));
		if (cases[i].verdict == COMPARE_REFUSED)
			ATF_CHECK(strstr(co.co_pairs[0].pa_refused,
			    "of their CPU time to other work in A, ") != NULL);
		begin(COMPARE_DESIGN);
		ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
		compare_judge(&co);
		ATF_CHECK_EQ(0, co.co_rows[COMPARE_REFUSED]);
		done();
	}
}

TEST(comparable_lost__of_readers, "Delays, less those that more readers than "
    "CPUs and the harvest thread cause; without delays the CPU time of one "
    "reader or of locks that spin; nothing is known of a simulated machine")
{
	static const struct {
		unsigned	 readers;
		const char	*lock, *engine;
		double		 delayed, cpu, harvest, lost;
	} cases[] = {
		{ 1, "mtx", "real", 25, 75, 0, 0.25 },
		{ 4, "mtx", "real", 25, 40, 0, 0.25 },
		{ 4, "mtx", "real", 25, 40, 100, 0 },
		{ 8, "mtx", "real", 50, 400, 0, 0 },
		{ 8, "mtx", "real", 75, 200, 0, 0.5 },
		{ 1, "mtx", "real", 0, 60, 0, 0.4 },
		{ 2, "mtx", "real", 0, 60, 0, 0 },
		{ 2, "mcs", "real", 0, 60, 0, 0.7 },
		{ 2, "mcs", "real", 0, 0, 0, 0 },
		{ 1, "mtx", "virtual", 25, 75, 0, 0 },
	};
	const struct result_host host = { .cpus = 4 };

	for (unsigned i = 0; i < nitems(cases); i++) {
		fixture_result(&a, &(struct fixture_cell){ "locked", "aes",
		    cases[i].readers, 3, 100, 1, false }, 1);
		strcpy(a.cells->lock, cases[i].lock);
		strcpy(a.cells->engine, cases[i].engine);
		a.cells->harvest.cpu_percent = cases[i].harvest;
		delay(&a, cases[i].delayed);
		for (unsigned k = 0; k < 3; k++)
			a.cells->samples[k].readers_cpu_percent = cases[i].cpu;
		ATF_CHECK_MSG(fabs(comparable_lost(a.cells, &host) -
		    cases[i].lost) < 1e-9, "case %u: %g", i,
		    comparable_lost(a.cells, &host));
		result_free(&a);
	}
}

TEST(compare_judge__short_windows, "With fewer than three passes of the "
    "harvest thread in a window its figures are neither ranked nor excluded, "
    "so that no condition passes")
{
	const struct compare_row *row;
	struct compare_gate cg;

	for (unsigned few = 0; few < 2; few++) {
		make_two(4, 10, 3);
		a.time_s = b.time_s = few ? 0.2 : 0.3;
		for (unsigned k = 0; k < 10; k++)
			b.cells->samples[k].harvest.cpu_percent *= 3;
		judge(COMPARE_RESULTS);
		row = &co.co_pairs[0].pa_row[QUANTITY_HARVEST_CPU];
		ATF_CHECK_EQ(few ? COMPARE_NONE : COMPARE_WORSE,
		    row->cmr_verdict);
		ATF_CHECK_EQ(few, row->cmr_stop == COMPARE_STOP_PASSES);
		ATF_CHECK_EQ(few ? 48 : 64, co.co_tests);
		for (unsigned k = 0; k < 2; k++) {
			ATF_REQUIRE_EQ(0, compare_gate_parse(&cg, k == 0 ?
			    "harvest_cpu_percent < -50%" :
			    "harvest_cpu_percent < -50% possible", why));
			ATF_CHECK_EQ(few, compare_gate_met(&co, &cg,
			    co.co_pairs));
		}
		done();
	}
}

TEST(compare_repeats__that_would_do, "Few repeats that are far apart say how "
    "many would decide; with as many p is small enough, with one less not")
{
	char *out;
	unsigned n;

	for (unsigned k = 3; k <= 7; k++) {
		make_two(1, k, 3);
		/* Of one an outlier, so that only ranks decide. */
		for (unsigned i = 0; i < k; i++) {
			set_total(&a.cells[0], i, 100 + i * 3 % k);
			set_total(&b.cells[0], i, i == 0 ? 1e6 :
			    200 + i * 3 % k);
		}
		settle(a.cells);
		settle(b.cells);
		judge_rows(1, 0.01, 0);
		n = co.co_pairs->pa_row->cmr_stop == COMPARE_STOP_REPEATS ?
		    compare_repeats(&co) : 0;
		ATF_CHECK_EQ_MSG(k < 5 ? 5 : 0, n, "%u: %u", k, n);
		ATF_CHECK_EQ(k < 5 ? COMPARE_NONE : COMPARE_BETTER,
		    total_verdict(0));
		out = fixture_printed(verdict_print, (const void *)&co);
		if (k < 5)
			check_has(out, "5 as far");
		free(out);
		done();
	}
}

TEST(verdict_print__first_things_first, "The counts are the first line, rows "
    "without a difference are left out, but for -v; of pairs that are "
    "refused for one reason one is shown")
{
	const char *first = FORMATF("8 pairs: 2 rows better, 0 worse, %d no ",
	    8 * QUANTITY_PRODUCED - 2);
	char *out;

	make_two(8, 10, 3);
	scale_total(&b.cells[2], 1.2);
	judge(COMPARE_RESULTS);
	/* Of the total and of the slowest reader. */
	out = fixture_printed(verdict_print, (const void *)&co);
	ATF_CHECK_MSG(strncmp(out, first, strlen(first)) == 0, "%s", out);
	ATF_CHECK_EQ(1, count_text(out, "readers of 64 KiB:\n"));
	check_has_not(out, "no difference shown\n");
	check_has(out, "; -v");
	free(out);
	co.co_verbose = true;
	out = fixture_printed(verdict_print, (const void *)&co);
	ATF_CHECK_EQ(8, count_text(out, "readers of 64 KiB:\n"));
	check_has(out, "no difference shown\n");
	free(out);
	delay(&b, 50);
	judge(COMPARE_RESULTS);
	out = fixture_printed(verdict_print, (const void *)&co);
	ATF_CHECK_EQ(1, count_text(out, "refused: readers"));
	ATF_CHECK_EQ(1, count_text(out, "7 more"));
	free(out);
	co.co_verbose = true;
	out = fixture_printed(verdict_print, (const void *)&co);
	ATF_CHECK_EQ(8, count_text(out, "refused: readers"));
	free(out);
	done();
}

TEST(page_results__names_few_cells, "A page says of which cells a minority is, "
    "and has a colour for most of them only")
{
	struct page_results pr = { .pgr_result = &a, .pgr_path = { "a", NULL },
	    .pgr_count = 1 };
	char *out;

	for (unsigned better = 1; better <= 3; better++) {
		make(&a, 8, 10, 3);
		for (unsigned i = 1; i < 2 * better; i += 2)
			scale_total(&a.cells[i], 1.5);
		out = fixture_printed(page_results, (const void *)&pr);
		ATF_CHECK_EQ(better == 3, strstr(out,
		    "<p class=\"better\">") != NULL);
		if (better == 3) {
			check_has(out, "total MB/s: better in 3 of 4 (+");
			check_has_not(out, " %: aes");
		} else if (better == 2) {
			check_has(out, " in 2 of 4.</span>");
		} else {
			check_has(out, "total MB/s: better in 1 of 4 (+");
			check_has(out, " %: aes, 2 readers of 64 KiB), no ");
			check_has(out, " in 3 of 4.</span>");
		}
		free(out);
		done();
	}
}

/*
 * Cells measured side by side: slices of one block share a load of up to 9/10
 * of the machine, a third of them differs by itself, and concurrent is faster.
 */
static void
slice_up(struct result *r, unsigned slices, double change, uint64_t seed)
{
	uint64_t state = seed;
	double load[64], made;
	unsigned s;

	for (unsigned k = 0; k < r->cells[0].repeats; k++) {
		for (s = 0; s < slices; s++)
			load[s] = 0.1 + 0.9 *
			    (double)(support_draw(&state) % 1000) / 1000;
		for (unsigned i = 0; i < r->cell_count; i++) {
			struct result_sample *rs = &r->cells[i].samples[k];

			rs->together = 1 + 2 * k;
			rs->slices = slices;
			rs->slice_mb_per_s = fixture_reals(slices, 0);
			for (made = s = 0; s < slices; s++) {
				rs->slice_mb_per_s[s] = 400 * load[s] *
				    (i % 2 == 1 ? 1 + change : 1) *
				    noise(&state, 0.01) *
				    (support_draw(&state) % 3 == 0 ? 0.5 + 0.5 *
				    (double)(support_draw(&state) % 1000) /
				    1000 : 1);
				made += rs->slice_mb_per_s[s] / slices;
			}
			set_total(&r->cells[i], k, made);
		}
	}
	for (unsigned i = 0; i < r->cell_count; i++)
		settle(&r->cells[i]);
}

TEST(compare_judge__side_by_side, "Under a load that takes up to nine tenths: "
    "3 % are found in slices, with their sign and within the interval; the "
    "same design twice differs in at most 5 % of comparisons; none is refused")
{
	const struct compare_row *row;
	unsigned claimed = 0;
	char *out;

	for (unsigned seed = 1; seed <= 100; seed++) {
		make(&a, 2, seed % 2 == 0 ? 5 : 30, seed);
		slice_up(&a, 30, seed <= 20 ? 0.03 : 0, seed);
		begin(COMPARE_DESIGN);
		co.co_wanted = 1;
		compare_noise(&co, true);
		ATF_CHECK_EQ(0, co.co_flag_count);
		ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
		compare_judge(&co);
		row = co.co_pairs[0].pa_row;
		ATF_CHECK_EQ(COMPARE_BY_PAIRS, row->cmr_basis);
		ATF_CHECK_EQ(0, co.co_rows[COMPARE_REFUSED]);
		if (seed > 20) {
			claimed += row->cmr_verdict != COMPARE_NONE;
		} else {
			ATF_CHECK_EQ_MSG(COMPARE_BETTER, row->cmr_verdict,
			    "seed %u: %g, %g..%g", seed, row->cmr_change,
			    row->cmr_change_ci95[0], row->cmr_change_ci95[1]);
			ATF_CHECK(row->cmr_change > 0.015 &&
			    row->cmr_change < 0.045);
			out = fixture_printed(verdict_print, (const void *)&co);
			check_has(out, "measured side by side");
			free(out);
		}
		done();
	}
	ATF_CHECK_MSG(claimed <= 4, "%u of 80", claimed);
}

TEST(compare_judge__pairs_that_drift, "A difference that grows over the run is "
    "refused by name, one that both cells share is not; repeats that do not "
    "belong together are no pairs")
{
	struct result_sample *rs;

	for (unsigned how = 0; how < 3; how++) {
		make(&a, 2, 10, 1);
		slice_up(&a, 30, 0.5, 1);
		for (unsigned k = 0; k < 10; k++) {
			rs = &a.cells[1].samples[k];
			for (unsigned s = 0; s < 30; s++) {
				if (how < 2)
					rs->slice_mb_per_s[s] *= 1 + 0.1 * k;
				if (how == 1)
					a.cells[0].samples[k].
					    slice_mb_per_s[s] *= 1 + 0.1 * k;
			}
			rs->together += how == 2;
		}
		begin(COMPARE_DESIGN);
		ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
		compare_judge(&co);
		ATF_CHECK_EQ(how == 0, strstr(co.co_pairs[0].pa_refused,
		    "the difference drifted over the run") != NULL);
		if (how > 0)
			ATF_CHECK_EQ(how == 1 ? COMPARE_BY_PAIRS :
			    COMPARE_BY_REPEATS,
			    co.co_pairs[0].pa_row[0].cmr_basis);
		done();
	}
}

TEST(compare_judge__never_ranks_overlaps, "Changes of 0 to 5 %: what is "
    "ranked has intervals apart, a corrected p below 0.05 and a change above "
    "the margin, and the direction is the quantity's; some are ranked and "
    "some are not")
{
	const struct compare_row *row;

	make_two(100, 10, 0);
	for (unsigned i = 0; i < 100; i++) {
		scale_total(&b.cells[i], 1 + 0.0005 * i);
		for (unsigned q = 0; q < 10; q++)
			b.cells[i].samples[q].latency_ns.p99 *= 1 + 0.002 * i;
	}
	judge(COMPARE_RESULTS);
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned q = 0; q < QUANTITIES; q++) {
			row = &co.co_pairs[i].pa_row[q];
			if (row->cmr_verdict != COMPARE_BETTER &&
			    row->cmr_verdict != COMPARE_WORSE)
				continue;
			ATF_CHECK(row->cmr_ci95[0][1] < row->cmr_ci95[1][0] ||
			    row->cmr_ci95[1][1] < row->cmr_ci95[0][0]);
			ATF_CHECK(row->cmr_change_ci95[0] > 0 ||
			    row->cmr_change_ci95[1] < 0);
			ATF_CHECK(fmin(row->cmr_p[0], row->cmr_p[1]) < 0.05);
			ATF_CHECK(fabs(row->cmr_change) > fmax(0.01,
			    quantities[q].qu_resolution));
			ATF_CHECK_EQ(quantities[q].qu_more_is_better ==
			    (row->cmr_change > 0),
			    row->cmr_verdict == COMPARE_BETTER);
		}
	}
	ATF_CHECK(co.co_rows[COMPARE_BETTER] >= 20);
	ATF_CHECK(co.co_rows[COMPARE_WORSE] >= 20);
	ATF_CHECK(co.co_rows[COMPARE_NONE] >= 400);
	ATF_CHECK_EQ(100 * QUANTITY_PRODUCED, co.co_rows[COMPARE_BETTER] +
	    co.co_rows[COMPARE_WORSE] + co.co_rows[COMPARE_NONE] +
	    co.co_rows[COMPARE_REFUSED]);
	done();
}

TEST(compare_judge__significant_but_overlapping, "One row alone, 0.9 % apart: "
    "p is often below 0.05 while the intervals overlap, and then it is not "
    "ranked")
{
	const struct compare_row *row;
	unsigned overlaps = 0, ranked = 0;

	for (unsigned seed = 0; seed < 50; seed++) {
		make_two(1, 20, seed);
		scale_total(&b.cells[0], 1.009);
		judge_rows(1, 0, 0);
		row = &co.co_pairs[0].pa_row[0];
		if (row->cmr_verdict == COMPARE_BETTER) {
			ranked++;
			ATF_CHECK(row->cmr_ci95[0][1] < row->cmr_ci95[1][0]);
		} else {
			overlaps += fmin(row->cmr_p[0], row->cmr_p[1]) <
			    0.05 && row->cmr_ci95[0][1] >= row->cmr_ci95[1][0];
		}
		done();
	}
	ATF_CHECK_MSG(overlaps >= 5 && ranked >= 5, "%u overlaps, %u ranked",
	    overlaps, ranked);
}

TEST(compare_judge__tiny_values, "Harvest CPU of 0.04 and 0.08 % is the same; "
    "from 0.04 to 12 % is worse, with a finite change; latencies one bucket "
    "apart are the same, two apart are not")
{
	make_two(2, 20, 0);
	for (unsigned i = 0; i < 20; i++) {
		double more = 0.0001 * i;

		a.cells[0].samples[i].harvest.cpu_percent = 0.04 + more;
		b.cells[0].samples[i].harvest.cpu_percent = 0.08 + more;
		a.cells[1].samples[i].harvest.cpu_percent = 0.04 + more;
		b.cells[1].samples[i].harvest.cpu_percent = 12 + more;
		/* Ends of neighbouring buckets of lib/base/hist.h. */
		a.cells[0].samples[i].latency_ns.p50 = 32768;
		b.cells[0].samples[i].latency_ns.p50 = 33792;
		a.cells[1].samples[i].latency_ns.p50 = 32768;
		b.cells[1].samples[i].latency_ns.p50 = 34816;
	}
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(COMPARE_NONE, co.co_pairs[0].pa_row[4].cmr_verdict);
	ATF_CHECK_EQ(0, co.co_pairs[0].pa_row[4].cmr_change);
	ATF_CHECK_EQ(COMPARE_WORSE, co.co_pairs[1].pa_row[4].cmr_verdict);
	ATF_CHECK(isfinite(co.co_pairs[1].pa_row[4].cmr_change));
	ATF_CHECK_EQ(COMPARE_NONE, co.co_pairs[0].pa_row[2].cmr_verdict);
	ATF_CHECK_EQ(COMPARE_WORSE, co.co_pairs[1].pa_row[2].cmr_verdict);
	done();
}

/* Leaves a cell its first repeats only. */
static void
drop_repeats(struct result_cell *c, unsigned left)
{
	for (; c->repeats > left; c->repeats--) {
		free(c->samples[c->repeats - 1].reader_mb_per_s);
		free(c->samples[c->repeats - 1].reader_cpu);
		free(c->samples[c->repeats - 1].interval_mb_per_s);
	}
	settle(c);
}

TEST(compare_judge__refuses_by_name, "Too few repeats, a gate, and drift are "
    "said and not ranked; few repeats are said to be few")
{
	make_two(5, 20, 0);
	/* Two repeats; four; a gate; a drift of 20 %. */
	drop_repeats(&a.cells[0], 2);
	drop_repeats(&b.cells[1], 4);
	for (unsigned i = 0; i < 4; i++)
		set_total(&b.cells[1], i, 300);
	settle(&b.cells[1]);
	strcpy(b.cells[2].gate, "starvation");
	for (unsigned i = 0; i < 20; i++)
		set_total(&b.cells[3], i, 400 + 4 * i);
	settle(&b.cells[3]);
	judge(COMPARE_RESULTS);
	ATF_CHECK(strstr(co.co_pairs[0].pa_refused, "too few repeats: A has 2, "
	    "B has 20") != NULL);
	ATF_CHECK_STREQ("", co.co_pairs[1].pa_refused);
	for (unsigned i = 0; i < 5; i++) {
		struct text t = { .s = "" };

		verdict_pair(&t, &co, &co.co_pairs[i], NULL);
		ATF_CHECK_EQ(i == 1, strstr(t.s, ", few repeats (20 and 4)") !=
		    NULL);
	}
	ATF_CHECK_EQ(300, co.co_pairs[1].pa_row[0].cmr_median[1]);
	ATF_CHECK_EQ(COMPARE_WORSE, total_verdict(1));
	ATF_CHECK(strstr(co.co_pairs[2].pa_refused, "starvation") != NULL);
	ATF_CHECK(strstr(co.co_pairs[3].pa_refused, "drift over the run") !=
	    NULL && strstr(co.co_pairs[3].pa_refused, "of B") != NULL);
	ATF_CHECK_EQ(COMPARE_REFUSED, total_verdict(3));
	ATF_CHECK_EQ(3 * QUANTITY_PRODUCED, co.co_rows[COMPARE_REFUSED]);
	done();
}

TEST(compare_conditions__other_machine, "Another host, time or INVARIANTS, or "
    "a ledger, is refused by name, or flagged when asked; flags of the "
    "compiler and others are flagged; like and like is neither")
{
	static const char *const named[] = {
		"CPU (A \"Example", "usable CPUs (A 4, B 2)",
		"kernel (A \"FreeBSD", "INVARIANTS (A false, B true)",
		"measured seconds of a repeat (A 1.5, B 2)",
		"ledger (on in B)", "flags (A \"-O2\", B \"-O3\")", ""
	};

	make(&a, 4, 5, 1);
	for (unsigned i = 0; i < nitems(named); i++) {
		make(&b, 4, 5, 2);
		if (i == 0)
			strcpy(b.host.cpu_model, "Other 1");
		if (i == 1)
			b.host.cpus = 2;
		if (i == 2)
			strcpy(b.host.kernel, "Linux");
		b.host.invariants = i == 3;
		if (i == 4)
			b.time_s = 2;
		b.cells[1].ledger.records = i == 5;
		if (i == 6)
			strcpy(b.host.flags, "-O3");
		begin(COMPARE_RESULTS);
		ATF_CHECK_EQ(i < 6 ? EINVAL : 0,
		    compare_conditions(&co, false, why));
		ATF_CHECK_MSG(i >= 6 || strstr(why, named[i]) != NULL,
		    "%s: %s", named[i], why);
		begin(COMPARE_RESULTS);
		ATF_CHECK_EQ(0, compare_conditions(&co, true, why));
		ATF_CHECK_EQ(i < 7, co.co_flag_count);
		ATF_CHECK_EQ(i < 7, flagged(named[i]));
		result_free(&b);
	}
	result_free(&a);
}

TEST(compare_conditions__machine_moved, "All cells together slow down by 4 % "
    "over B, which fails none of them: flagged, and no change of the medians "
    "by 2 % is ranked; one of 12 % is")
{
	make_two(40, 8, 0);
	for (unsigned i = 0; i < 40; i++) {
		for (unsigned k = 0; k < 8; k++)
			set_total(&b.cells[i], k, b.cells[i].samples[k]
			    .total_mb_per_s * (1 - 0.04 * k / 7));
		settle(&b.cells[i]);
	}
	scale_total(&b.cells[7], 0.88);
	judge(COMPARE_RESULTS);
	ATF_CHECK(flagged("drift over the run of B"));
	ATF_CHECK(co.co_noise > 0.02 && co.co_noise < 0.06);
	ATF_CHECK_EQ(1, claims());
	ATF_CHECK_EQ(COMPARE_WORSE, total_verdict(7));
	done();
}

/* Takes 15 % from all cells in each third block. */
static void
disturb(struct result *r)
{
	struct result_cell *c;

	for (unsigned i = 0; i < r->cell_count; i++) {
		c = &r->cells[i];
		for (unsigned k = 0; k < c->repeats; k += 3)
			set_total(c, k, 0.85 * c->samples[k].total_mb_per_s);
		settle(c);
	}
}

static struct result controls[2];

/* Gives both results a control, B's 10 % slower. */
static void
add_controls(void)
{
	static const struct fixture_cell control =
	    { "none", "aes", 1, 5, 1000, 2, false };
	struct result_cell *slow;

	fixture_result(&controls[0], &control, 1);
	fixture_result(&controls[1], &control, 1);
	slow = &controls[1].cells[0];
	slow->total_mb_per_s = 900;
	slow->total_mb_per_s_ci95[0] = 898;
	slow->total_mb_per_s_ci95[1] = 902;
	a.controls = controls[0].cells;
	b.controls = slow;
	a.control_count = b.control_count = 1;
}

static void
drop_controls(void)
{
	a.controls = b.controls = NULL;
	a.control_count = b.control_count = 0;
	result_free(&controls[0]);
	result_free(&controls[1]);
}

TEST(compare_conditions__not_quiet, "Something takes 15 % from all cells of "
    "every third block of B: flagged, and 5 % is not ranked; a control that "
    "is 10 % slower is flagged, and 5 % is not ranked either")
{
	make_two(20, 12, 0);
	scale_total(&b.cells[7], 0.95);
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(0, co.co_flag_count);
	ATF_CHECK_EQ(COMPARE_WORSE, total_verdict(7));
	add_controls();
	judge(COMPARE_RESULTS);
	ATF_CHECK(co.co_flag_count == 2 && flagged("control design none"));
	ATF_CHECK_EQ(COMPARE_NONE, total_verdict(7));
	/* Another program may have moved the control itself. */
	strcpy(b.host.revision, "fedcba0");
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(2, co.co_flag_count);
	ATF_CHECK_EQ(COMPARE_WORSE, total_verdict(7));
	strcpy(b.host.revision, a.host.revision);
	drop_controls();
	disturb(&b);
	judge(COMPARE_RESULTS);
	ATF_CHECK(co.co_flag_count == 2 && flagged("not quiet during B"));
	ATF_CHECK(co.co_noise > 0.08 && co.co_noise < 0.25);
	ATF_CHECK_EQ(COMPARE_NONE, total_verdict(7));
	done();
}

TEST(compare_noise__few_cells, "2 and 4 cells of 5 repeats: blocks that "
    "something took 15 % from are flagged in most seeds, and blocks that "
    "nothing disturbed in few")
{
	unsigned calm, stirred;

	for (unsigned cells = 2; cells <= 4; cells += 2) {
		calm = stirred = 0;
		for (unsigned seed = 0; seed < 100; seed++) {
			make_two(cells, 5, seed);
			begin(COMPARE_RESULTS);
			compare_noise(&co, true);
			calm += co.co_flag_count > 0;
			disturb(&b);
			begin(COMPARE_RESULTS);
			compare_noise(&co, true);
			stirred += co.co_noise > 0.08 && co.co_noise < 0.25;
			done();
		}
		/* Two runs and two tests with p below 0.01 each. */
		ATF_CHECK_MSG(calm <= 10, "%u cells: %u calm", cells, calm);
		ATF_CHECK_MSG(stirred >= 90, "%u cells: %u stirred", cells,
		    stirred);
	}
}

TEST(compare_noise__gated_cells, "Cells and controls that failed a gate say "
    "nothing of the machine, and mute no change of others")
{
	make_two(8, 12, 0);
	disturb(&b);
	begin(COMPARE_RESULTS);
	compare_noise(&co, true);
	ATF_CHECK(co.co_noise > 0.08);
	for (unsigned i = 0; i < 8; i++)
		strcpy(b.cells[i].gate, "drift");
	add_controls();
	for (unsigned i = 0; i < 3; i++) {
		strcpy(a.controls[0].gate, i == 0 ? "drift" : "");
		strcpy(b.controls[0].gate, i == 1 ? "drift" : "");
		begin(COMPARE_RESULTS);
		compare_noise(&co, true);
		ATF_CHECK_EQ(i == 2, co.co_flag_count > 0);
		ATF_CHECK_EQ(i == 2, co.co_noise > 0);
	}
	drop_controls();
	done();
}

TEST(compare_judge__five_repeats_drift, "Five repeats that only fall, by 8 %, "
    "are refused among many other cells, by the rule that gates a cell of a "
    "run; by 4 %, four repeats, or two in another order are not")
{
	static const double falls[4][5] = {
		{ 408, 404, 400, 396, 376 }, { 408, 404, 400, 396, 392 },
		{ 420, 410, 400, 380, 0 }, { 408, 404, 396, 400, 376 }
	};

	make_two(40, 5, 0);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			drop_repeats(&b.cells[i], 4);
		for (unsigned k = 0; k < b.cells[i].repeats; k++)
			set_total(&b.cells[i], k, falls[i][k]);
		settle(&b.cells[i]);
	}
	judge(COMPARE_RESULTS);
	for (unsigned i = 0; i < 4; i++)
		ATF_CHECK_EQ_MSG(i == 0, co.co_pairs[i].pa_refused[0] != '\0',
		    "%u: %s", i, co.co_pairs[i].pa_refused);
	for (unsigned i = 0; i < 40; i++) {
		summary_gate_trend(&b.cells[i]);
		ATF_CHECK_EQ(co.co_pairs[i].pa_refused[0] != '\0',
		    b.cells[i].gate[0] != '\0');
	}
	done();
}

TEST(compare_match__pairs, "By design each cell meets the locked one of its "
    "cipher and readers; by cipher the first; a base may be named; a cell "
    "without partner is kept apart")
{
	/* locked, concurrent x aes, chacha20 x 2, 3 readers, and a half. */
	make(&a, 9, 5, 1);
	begin(COMPARE_DESIGN);
	ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
	ATF_REQUIRE_EQ(4, co.co_pair_count);
	for (unsigned i = 0; i < 4; i++) {
		ATF_CHECK_EQ(&a.cells[2 * i], co.co_pairs[i].pa_cell[0]);
		ATF_CHECK_EQ(&a.cells[2 * i + 1], co.co_pairs[i].pa_cell[1]);
	}
	ATF_REQUIRE_EQ(1, co.co_alone_count[0]);
	ATF_CHECK_EQ(&a.cells[8], co.co_alone[0]);
	begin(COMPARE_CIPHER);
	ATF_REQUIRE_EQ(0, compare_match(&co, "chacha20", why));
	ATF_REQUIRE_EQ(4, co.co_pair_count);
	ATF_CHECK_STREQ("aes", co.co_pairs[0].pa_cell[1]->cipher);
	ATF_CHECK_STREQ("chacha20", co.co_pairs[0].pa_cell[0]->cipher);
	begin(COMPARE_LOCK);
	ATF_CHECK_EQ(EINVAL, compare_match(&co, NULL, why));
	ATF_CHECK(strstr(why, "lock mtx") != NULL);
	begin(COMPARE_LOCK);
	ATF_CHECK_EQ(ENOENT, compare_match(&co, "mcs", why));
	done();
}

TEST(compare_match__one_side_only, "Cells that only one result has are "
    "listed; results that share none are refused")
{
	make(&a, 8, 5, 1);
	make(&b, 6, 5, 2);
	b.cells[0].request_bytes = 512;
	begin(COMPARE_RESULTS);
	ATF_REQUIRE_EQ(0, compare_match(&co, NULL, why));
	ATF_CHECK_EQ(5, co.co_pair_count);
	ATF_CHECK_EQ(3, co.co_alone_count[0]);
	ATF_CHECK_EQ(1, co.co_alone_count[1]);
	ATF_CHECK_EQ(&b.cells[0], co.co_alone[1]);
	for (unsigned i = 0; i < 6; i++)
		strcpy(b.cells[i].crypto, "native");
	begin(COMPARE_RESULTS);
	ATF_CHECK_EQ(EINVAL, compare_match(&co, NULL, why));
	ATF_CHECK(strstr(why, "no cell is in both") != NULL);
	done();
}

TEST(compare_gate__expressions, "Conditions with and without blanks; what is "
    "none is refused; only ranked rows meet one")
{
	static const char *const bad[] = {
		"", "<", "< 5%", "total_mb_per_s", "total_mb_per_s 5%",
		"total_mb_per_s <", "total_mb_per_s < 5", "total < 5%",
		"total_mb_per_s < %", "total_mb_per_s < -%",
		"total_mb_per_s < nan%", "total_mb_per_s < 0x5%",
		"total_mb_per_s < 1e3%", "total_mb_per_s < 5% x",
		"total_mb_per_s << 5%", "total_mb_per_s < 1.2.3%",
		"total_mb_per_s < 12345678901234567890%",
		"total_mb_per_s < -100%", "total_mb_per_s < 5% possibly",
		"total_mb_per_s < possible"
	};
	struct compare_pair pa = { .pa_refused = "" };
	struct compare_gate cg;

	for (size_t i = 0; i < nitems(bad); i++)
		ATF_CHECK_EQ_MSG(EINVAL, compare_gate_parse(&cg, bad[i], why),
		    "\"%s\"", bad[i]);
	ATF_REQUIRE_EQ(0, compare_gate_parse(&cg, " latency_p99_ns>10 % ",
	    why));
	ATF_CHECK(cg.cg_quantity == 3 && !cg.cg_below && cg.cg_share == 0.1);
	ATF_REQUIRE_EQ(0, compare_gate_parse(&cg, "total_mb_per_s < -5%", why));
	ATF_CHECK(cg.cg_quantity == 0 && cg.cg_below && cg.cg_share == -0.05);
	pa.pa_row[0].cmr_verdict = COMPARE_WORSE;
	pa.pa_row[0].cmr_change = -0.06;
	ATF_CHECK(compare_gate_met(&co, &cg, &pa));
	pa.pa_row[0].cmr_change = -0.04;
	ATF_CHECK(!compare_gate_met(&co, &cg, &pa));
	pa.pa_row[0].cmr_change = -0.06;
	pa.pa_row[0].cmr_verdict = COMPARE_NONE;
	ATF_CHECK(!compare_gate_met(&co, &cg, &pa));
	/* Only its interval counts, and how far the machine moved. */
	ATF_REQUIRE_EQ(0, compare_gate_parse(&cg, "total_mb_per_s<-5% possible",
	    why));
	pa.pa_row[0].cmr_quantity = &quantities[0];
	pa.pa_row[0].cmr_change = 0;
	pa.pa_row[0].cmr_change_ci95[0] = -0.04;
	ATF_CHECK(!compare_gate_met(&co, &cg, &pa));
	co.co_noise = 0.02;
	ATF_CHECK(compare_gate_met(&co, &cg, &pa));
	co.co_noise = 0;
	pa.pa_row[0].cmr_change_ci95[0] = -0.051;
	ATF_CHECK(compare_gate_met(&co, &cg, &pa));
	pa.pa_row[0].cmr_verdict = COMPARE_REFUSED;
	ATF_CHECK(!compare_gate_met(&co, &cg, &pa));
}

TEST(compare_judge__rules_by_name, "A clear change that is not ranked has the "
    "rule that stopped it: margin, bucket, machine, Holm, overlap; a ranked "
    "one and an unclear one have none")
{
	/* The total of B over A's, p50 likewise, and the rule of each. */
	static const struct {
		double	total;
		double	p50;
		double	margin;
		double	noise;
		enum compare_stop total_stop;
		enum compare_stop p50_stop;
	} cases[] = {
		{ 0.8, 0.8, 0.01, 0, COMPARE_STOP_NONE, COMPARE_STOP_NONE },
		{ 0.94, 0.98, 0.01, 0, COMPARE_STOP_NONE,
		    COMPARE_STOP_RESOLUTION },
		{ 0.94, 0.94, 0.1, 0, COMPARE_STOP_MARGIN,
		    COMPARE_STOP_MARGIN },
		{ 0.94, 0.94, 0.01, 0.1, COMPARE_STOP_NOISE,
		    COMPARE_STOP_NOISE },
	};
	const struct compare_row *row;

	for (unsigned i = 0; i < nitems(cases); i++) {
		make(&a, 1, 20, 1);
		make(&b, 1, 20, 1);
		scale_total(&b.cells[0], cases[i].total);
		for (unsigned k = 0; k < 20; k++) {
			/* Hardly any spread, as the shift may be small. */
			a.cells[0].samples[k].latency_ns.p50 = 1e5 + k;
			b.cells[0].samples[k].latency_ns.p50 =
			    cases[i].p50 * (1e5 + k);
		}
		judge_rows(ALL_QUANTITIES, cases[i].margin, cases[i].noise);
		row = co.co_pairs[0].pa_row;
		ATF_CHECK_EQ_MSG(cases[i].total_stop, row[0].cmr_stop, "%u", i);
		ATF_CHECK_EQ_MSG(cases[i].p50_stop, row[2].cmr_stop, "%u", i);
		ATF_CHECK_EQ(row[0].cmr_stop == COMPARE_STOP_NONE,
		    row[0].cmr_verdict == COMPARE_WORSE);
		/* Nothing there to stop. */
		ATF_CHECK(row[3].cmr_stop == COMPARE_STOP_NONE &&
		    row[3].cmr_verdict == COMPARE_NONE);
		done();
	}
	/* Three repeats cannot have a small p of ranks; t is overwhelmed. */
	make_two(40, 3, 0);
	scale_total(&b.cells[7], 0.95);
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(COMPARE_STOP_REPEATS, co.co_pairs[7].pa_row[0].cmr_stop);
	ATF_CHECK_EQ(COMPARE_NONE, total_verdict(7));
	done();
}

TEST(compare_judge__slowest_reader, "The slowest reader is not the total: one "
    "that loses what the others gain is worse; a cell of one reader has "
    "neither it nor fairness, and pays for no such test")
{
	struct result_sample *s;
	unsigned tests;

	make_two(2, 20, 0);
	for (unsigned k = 0; k < 20; k++) {
		s = &b.cells[1].samples[k];
		s->reader_mb_per_s[0] *= 1.2;
		s->reader_mb_per_s[1] *= 0.8;
	}
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(COMPARE_NONE, total_verdict(1));
	ATF_CHECK_EQ(COMPARE_WORSE, co.co_pairs[1].pa_row[
	    family_find(&compare_quantities, "reader_mb_per_s_min")]
	    .cmr_verdict);
	tests = co.co_tests;
	a.cells[0].readers = b.cells[0].readers = 1;
	judge(COMPARE_RESULTS);
	for (unsigned q = 0; q < QUANTITY_PRODUCED; q++) {
		ATF_CHECK_EQ(!quantities[q].qu_of_several,
		    co.co_pairs[0].pa_row[q].cmr_wanted);
		ATF_CHECK(co.co_pairs[1].pa_row[q].cmr_wanted);
	}
	ATF_CHECK_EQ(tests - 6, co.co_tests);
	ATF_CHECK_EQ(2 * QUANTITY_PRODUCED - 3, co.co_rows[COMPARE_NONE] +
	    co.co_rows[COMPARE_WORSE]);
	done();
}

TEST(compare_judge__harvest_work, "A third of the harvest thread's CPU is "
    "better, unless it delivered fewer events or later; more CPU is worse, "
    "and p99 need not be asked for")
{
	static const struct {
		double	cpu;
		double	events;
		double	p99;
		enum compare_verdict verdict;
		enum compare_stop stop;
	} cases[] = {
		{ 0.3, 1, 1, COMPARE_BETTER, COMPARE_STOP_NONE },
		{ 0.3, 0.4, 1, COMPARE_NONE, COMPARE_STOP_HARVEST },
		{ 0.3, 1, 1.5, COMPARE_NONE, COMPARE_STOP_HARVEST },
		{ 0.3, 1.5, 0.5, COMPARE_BETTER, COMPARE_STOP_NONE },
		{ 3, 1.5, 0.5, COMPARE_WORSE, COMPARE_STOP_NONE },
	};
	const unsigned cpu = QUANTITY_HARVEST_CPU;
	const struct compare_row *row;
	unsigned wanted;

	for (unsigned i = 0; i < 2 * nitems(cases); i++) {
		const unsigned n = i / 2;

		make_two(1, 20, 0);
		for (unsigned k = 0; k < 20; k++) {
			/* Bursts: the medians differ by chance. */
			a.cells[0].samples[k].harvest.events_per_s =
			    k % 2 == 0 ? 1800 : 3600;
			b.cells[0].samples[k].harvest.events_per_s =
			    cases[n].events * (k == 0 || k % 2 == 1 ? 1800 :
			    3600);
			b.cells[0].samples[k].harvest.cpu_percent *=
			    cases[n].cpu;
			b.cells[0].samples[k].harvest.latency_p99_ns *=
			    cases[n].p99;
		}
		wanted = i % 2 == 0 ? ALL_QUANTITIES : 1u << cpu;
		judge_rows(wanted, 0.01, 0);
		row = &co.co_pairs[0].pa_row[cpu];
		ATF_CHECK_EQ_MSG(cases[n].verdict, row->cmr_verdict, "%u", i);
		ATF_CHECK_EQ_MSG(cases[n].stop, row->cmr_stop, "%u", i);
		done();
	}
}

/* Draws of every quantity around 1, B's times factor in all but a few. */
static void
draw(struct result_cell *c, double factor, unsigned contrary)
{
	double *v;

	snprintf(c->engine, sizeof(c->engine), "virtual");
	c->uncertainty.samples = 20;
	for (unsigned q = 0; q < QUANTITIES; q++) {
		v = fixture_reals(20, 0);
		for (unsigned i = 0; i < 20; i++)
			v[i] = (100 + i) * (i < contrary ? 2 - factor :
			    factor);
		memcpy((char *)&c->uncertainty + quantities[q].qu_drawn, &v,
		    sizeof(v));
	}
}

TEST(compare_judge__drawn_profiles, "Cells with drawn profiles are ranked by "
    "these: not where more than one in ten disagrees, nor where the profile "
    "itself does; draws of another seed or number, or of a part of the "
    "quantities, are refused")
{
	static const struct {
		double	point;
		double	drawn;
		unsigned contrary;
		enum compare_verdict verdict;
		enum compare_stop stop;
	} cases[] = {
		{ 0.8, 0.9, 2, COMPARE_WORSE, COMPARE_STOP_NONE },
		{ 0.8, 0.9, 3, COMPARE_NONE, COMPARE_STOP_DRAWS },
		{ 0.8, 1.1, 0, COMPARE_NONE, COMPARE_STOP_DRAWS },
		{ 0.8, 0.97, 0, COMPARE_NONE, COMPARE_STOP_MARGIN },
		{ 1.2, 1.1, 1, COMPARE_BETTER, COMPARE_STOP_NONE },
		/* Repeats that show nothing, and draws that do. */
		{ 0.999, 0.9, 0, COMPARE_WORSE, COMPARE_STOP_NONE },
	};
	struct compare_gate cg;
	struct text t = { .s = "" };
	const struct compare_row *row;

	for (unsigned i = 0; i < nitems(cases); i++) {
		make(&a, 1, 5, 1);
		make(&b, 1, 5, 1);
		scale_total(&b.cells[0], cases[i].point);
		draw(&a.cells[0], 1, 0);
		draw(&b.cells[0], cases[i].drawn, cases[i].contrary);
		judge_rows(1, 0.05, 0);
		row = co.co_pairs[0].pa_row;
		ATF_CHECK_EQ_MSG(cases[i].verdict, row->cmr_verdict, "%u", i);
		ATF_CHECK_EQ_MSG(cases[i].stop, row->cmr_stop, "%u", i);
		ATF_CHECK_EQ(0, co.co_tests);
		if (i == 1) {
			verdict_sentence(&t, &co, row);
			check_has(t.s, "-20.0 % (the profile itself, outside "
			    "the band; with 20 drawn profiles -10.0 %, 10 to "
			    "90 % of them -10.0 to +10.0 %, less in 85.0 %): "
			    "no difference shown (not robust over the drawn "
			    "profiles)");
			ATF_REQUIRE_EQ(0, compare_gate_parse(&cg,
			    "total_mb_per_s < -15% possible", why));
			ATF_CHECK(compare_gate_met(&co, &cg, co.co_pairs));
		}
		if (i + 1 < nitems(cases))
			done();
	}
	b.seed++;
	judge_rows(1, 0.05, 0);
	check_has(co.co_pairs[0].pa_refused, "the same --uncertainty");
	b.seed--;
	free(b.cells[0].uncertainty.latency_p99_samples);
	b.cells[0].uncertainty.latency_p99_samples = NULL;
	judge_rows(1, 0.05, 0);
	ATF_CHECK_EQ(COMPARE_WORSE, total_verdict(0));
	judge_rows(ALL_QUANTITIES, 0.05, 0);
	check_has(co.co_pairs[0].pa_refused, "-q leaves it out");
	b.cells[0].uncertainty.samples = 19;
	judge_rows(1, 0.05, 0);
	check_has(co.co_pairs[0].pa_refused, "A has 20, B has 19");
	done();
}

TEST(compare_match__polls, "Cells of A and B whose spinners poll differently "
    "often are paired and flagged by name; two of one result that only differ "
    "so are refused")
{
	make_two(4, 5, 0);
	b.cells[1].spin_polls = b.cells[2].spin_polls = 64;
	judge(COMPARE_RESULTS);
	ATF_CHECK_EQ(4, co.co_pair_count);
	ATF_REQUIRE_EQ(1, co.co_flag_count);
	ATF_CHECK_STREQ("different: rngsim.lock.spin_polls of 2 pairs, such as "
	    "lock mtx (A 0, B 64)", co.co_flags[0]);
	/* Within one result locks may differ so. */
	a.cells[1].spin_polls = a.cells[2].spin_polls = 64;
	judge(COMPARE_DESIGN);
	ATF_CHECK_EQ(0, co.co_flag_count);
	strcpy(b.cells[1].design, "locked");
	begin(COMPARE_RESULTS);
	ATF_CHECK_EQ(EINVAL, compare_match(&co, NULL, why));
	ATF_CHECK_MSG(strstr(why, "cells[1]") != NULL &&
	    strstr(why, "spin_polls alone") != NULL, "%s", why);
	done();
}

TEST(group_few_repeats__unsaid, "Where a document does not say what an "
    "interval is of, as many repeats are needed as for one over them")
{
	struct result_cell c = { .repeats = 2 };

	ATF_CHECK(comparable_few_repeats(&c));
	c.repeats = RESULT_CI95_REPEATS_MIN;
	ATF_CHECK(!comparable_few_repeats(&c));
	strcpy(c.ci95_of, RESULT_CI95_PARTS);
	ATF_CHECK(comparable_few_repeats(&c));
	strcpy(c.ci95_of, RESULT_CI95_REPEATS);
	ATF_CHECK(!comparable_few_repeats(&c));
}

TEST(clip_utf8__characters, "A text cut within a character of two, three or "
    "four bytes loses its beginning; whole ones and what is no UTF-8 stay")
{
	static const char *const cut[][2] = {
		{ "", "" }, { "ab", "ab" }, { "a\xc3", "a" },
		{ "a\xc3\xa9", "a\xc3\xa9" }, { "a\xe2\x82", "a" },
		{ "a\xe2", "a" }, { "a\xe2\x82\xac", "a\xe2\x82\xac" },
		{ "\xf0\x9f\x98", "" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "a\x80", "a\x80" },
		{ "\x80\x80\x80\x80", "\x80\x80\x80\x80" },
		{ "a\xff", "a\xff" }
	};
	char text[8];

	for (size_t i = 0; i < nitems(cut); i++) {
		strcpy(text, cut[i][0]);
		utf8_truncate(text);
		ATF_CHECK_STREQ(cut[i][1], text);
	}
}

TEST(verdict_sentence__quotable, "A row as a sentence: cell, quantity, both "
    "medians, change, interval, both p, verdict")
{
	struct result_cell ca = { .design = "locked", .lock = "mtx",
	    .cipher = "aes", .crypto = "kernel", .readers = 2,
	    .request_bytes = 65536 };
	struct result_cell cb = ca;
	struct compare_pair pa = { .pa_cell = { &ca, &cb } };
	struct text t = { .s = "" };

	co.co_by = COMPARE_DESIGN;
	strcpy(cb.design, "concurrent");
	pa.pa_row[0] = (struct compare_row){
		.cmr_pair = &pa, .cmr_quantity = &quantities[0],
		.cmr_verdict = COMPARE_BETTER, .cmr_median = { 500, 1030 },
		.cmr_change = 1.06, .cmr_change_ci95 = { 0.98, 1.13 },
		.cmr_p = { 0.0003, 0.0021 }
	};
	verdict_sentence(&t, &co, &pa.pa_row[0]);
	ATF_CHECK_STREQ("concurrent instead of locked, mtx, aes, 2 readers of "
	    "64 KiB: total MB/s 500.0 to 1030.0, +106 % (95 % interval +98.0 "
	    "to +113 %), Holm p 0.0003 (Welch) and 0.0021 (Mann-Whitney): "
	    "better", t.s);
	strcpy(cb.crypto, "native");
	cb.oversubscribed = true;
	co.co_by = COMPARE_RESULTS;
	ca.repeats = 3;
	cb.repeats = 4;
	pa.pa_row[4] = (struct compare_row){
		.cmr_pair = &pa, .cmr_quantity = &quantities[4],
		.cmr_verdict = COMPARE_NONE, .cmr_median = { 0.1, 79 },
		.cmr_change = -0.0304, .cmr_change_ci95 = { -0.0399, 0.001 },
		.cmr_p = { 1, 0.0496 }
	};
	t.s[0] = '\0';
	verdict_sentence(&t, &co, &pa.pa_row[4]);
	ATF_CHECK_STREQ("concurrent, mtx, aes, 2 readers of 64 KiB, native "
	    "crypto, oversubscribed, few repeats (3 and 4): harvest CPU <0.10 "
	    "% to 79.0 %, at least -3.0 % (95 % interval -4.0 to +0.10 %), "
	    "Holm p 1 (Welch) and 0.0496 (Mann-Whitney): no difference shown",
	    t.s);
	pa.pa_row[4].cmr_stop = COMPARE_STOP_P;
	t.s[0] = '\0';
	verdict_sentence(&t, &co, &pa.pa_row[4]);
	ATF_CHECK(strstr(t.s, ": no difference shown (no p below 0.05 after "
	    "Holm)") != NULL);
}

TEST_PROGRAM()
