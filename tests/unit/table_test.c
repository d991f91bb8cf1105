#include "bench/cli/format.h"
#include "bench/report/report.h"
#include "bench/result/comparable.h"
#include "lib/lock/lock.h"
#include "tests/unit/result_extreme.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

TEST(figure__three_or_four_digits, "Figures of every magnitude fit their "
    "columns, those just below a change of form too")
{
	static const struct {
		double		 value;
		const char	*real, *ns, *percent;
	} figures[] = {
		{ 0, "0", "0ns", "0" },
		{ 1e-300, "0", "0ns", "0.00" },
		{ 0.0005, "5.0e-04", "0ns", "0.00" },
		{ 0.0123, "0.0123", "0ns", "0.01" },
		{ 0.99, "0.99", "1ns", "0.99" },
		{ 9.994, "9.99", "10ns", "10.0" },
		{ 9.996, "10.0", "10ns", "10.0" },
		{ 99.96, "100.0", "100ns", "100" },
		{ 431.55, "431.6", "432ns", "432" },
		{ 999.6, "999.6", "1.00us", "1000" },
		{ 9999.6, "10000", "10.0us", ">9999" },
		{ 999999.6, "1.0M", "1.00ms", ">9999" },
		{ 12345678, "12.3M", "12.3ms", ">9999" },
		{ 1.5e9, "1.5G", "1.50s", ">9999" },
		{ 3e18, "3e+03P", "3e+09s", ">9999" },
		{ 1e300, "1e+85P", "1e+291s", ">9999" },
	};
	char buf[FORMAT_SIZE];

	for (size_t i = 0; i < nitems(figures); i++) {
		double v = figures[i].value;

		ATF_CHECK_STREQ(figures[i].real, format_real(buf, v));
		ATF_CHECK(strlen(buf) <= FORMAT_WIDTH);
		ATF_CHECK_STREQ(figures[i].ns, format_ns(buf, v));
		ATF_CHECK(strlen(buf) <= FORMAT_WIDTH);
		ATF_CHECK_STREQ(figures[i].percent, format_percent(buf, v));
		ATF_CHECK(strlen(buf) <= 5);
	}
}

TEST(figure_bytes__whole_units, "A size is never rounded")
{
	ATF_CHECK_STREQ("100 B", FORMAT(bytes, 100));
	ATF_CHECK_STREQ("64 KiB", FORMAT(bytes, 65536));
	ATF_CHECK_STREQ("1025 KiB", FORMAT(bytes, 1025 * 1024));
	ATF_CHECK_STREQ("2048 GiB", FORMAT(bytes, UINT64_C(1) << 41));
	ATF_CHECK_STREQ("18446744073709551615 B", FORMAT(bytes, UINT64_MAX));
}

static struct result r;
static char *text;

/* Prints the result anew; what is printed fits the screen. */
static void
print_by(void (*print)(FILE *, const void *))
{
	free(text);
	text = fixture_printed(print, &r);
	check_lines(text);
}

static void
print_grid(const struct fixture_cell *grid, unsigned n)
{
	fixture_result(&r, grid, n);
	print_by(table_print);
}

static void
done(void)
{
	fixture_free(text, &r);
	text = NULL;
}

/* One is twice as fast as the other, with one reader and with two. */
static const struct fixture_cell twice[] = {
	{ "locked",	"aes", 1, 5, 100, 1, false },
	{ "concurrent",	"aes", 1, 5, 200, 1, false },
	{ "locked",	"aes", 2, 5, 100, 1, false },
	{ "concurrent",	"aes", 2, 5, 200, 1, false },
};

TEST(table_print__compares_designs, "Each reader's share and the ratio; in "
    "parentheses where intervals overlap, starred where threads outnumber CPUs")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.cells[3].notes, RESULT_TEXT_SIZE, "pinning refused");
	print_by(table_print);
	ATF_CHECK(strncmp(text, "measured on Example 9000", 24) == 0);
	check_has(text, "INVARIANTS off, 5 x 1.5 s");
	check_has(text, "\nchacha20, kernel-style crypto, lock mtx, "
	    "requests of 64 KiB, measured\n");
	check_has(text,
	    "\nreaders design                MB/s    +-% harv%     p99      "
	    "ratio\n"
	    "     1  locked               440.0   0.45   3.2   310us\n"
	    "     1  concurrent           441.0   0.45   3.2   310us      "
	    "(1.00)\n"
	    "     5* locked                86.0   0.93   3.2   310us\n"
	    "     5* concurrent           344.0    1.7   3.2   310us       "
	    "4.00  [a]\n[a] pinning refused\n");
	check_has(text, "\n* more readers than CPUs");
	check_has(text, "\n( ) not tested: fewer than 5 repeats, or intervals "
	    "overlap");
	check_has(text, "at most 0.75 % of the readers' time, 31.2 ns");
	check_has(text, "a time stamp costs 20.5 ns");
	check_has_not(text, "INCOMPLETE");
	check_has_not(text, "predicted");
	done();
}

TEST(table_print__doubts, "A ? at harvest CPU in short windows, what was wrong "
    "with the machine, the interval of a lone cell's harvest CPU, one figure "
    "for one repeat's cost of a ledger, and no cipher in a benchmark of locks")
{
	fixture_result(&r, twice, nitems(twice));
	r.time_s = 0.2;
	snprintf(r.unfit, sizeof(r.unfit), "other programs use 0.95 of it");
	print_by(table_print);
	ATF_CHECK_EQ(4, count_text(text, " 3.2?   310us"));
	check_has(text, "\nWindows of 0.2 s have fewer than 3 passes");
	check_has(text, "\nnot fit to measure: other programs use 0.95");
	done();
	fixture_result(&r, twice, 1);
	r.cells[0].harvest_cpu_percent_ci95[0] = 3;
	r.cells[0].harvest_cpu_percent_ci95[1] = 4.5;
	print_by(table_print);
	check_has(text, "CPU 3.2 %, 95 % interval 3.0 to 4.5 %; waiting");
	check_has_not(text, "Windows of");
	r.time_s = 0.2;
	print_by(table_print);
	check_has(text, "CPU 3.2? %, 95 % interval 3.0? to 4.5? %; waiting");
	check_has(text, "marked ?, need a larger -t.");
	r.time_s = 1.5;
	r.cells[0].ledger = (struct result_ledger){ .records = 1,
	    .plain_mb_per_s = 125 };
	for (unsigned i = 0; i < 5; i++) {
		r.cells[0].samples[i].plain_mb_per_s =
		    r.cells[0].samples[i].total_mb_per_s / 0.8;
		r.cells[0].samples[i].latency_ns.p99 = 0;
		r.cells[0].latency_ns.p99 = 0;
	}
	print_by(table_print);
	check_has(text, "one read       none ended in the window\n");
	check_has(text, "cost 20.0 %\n");
	r.cells[0].samples[0].plain_mb_per_s *= 2;
	print_by(table_print);
	check_has(text, "(20.0..60.0)");
	done();
	fixture_result(&r, twice, nitems(twice));
	for (unsigned i = 0; i < nitems(twice); i++)
		r.cells[i].acquisition_ns = 5;
	print_by(table_print);
	check_has(text, "\n\nlock mtx, measured\n");
	check_has_not(text, "aes");
	check_has_not(text, "KiB");
	done();
}

TEST(table_print__legend_only_for_what_is_there, "Marks that no row bears are "
    "not explained")
{
	print_grid(twice, 2);
	check_has(text, " 2.00\n");
	check_has_not(text, "(2.00)");
	check_has_not(text, "\n*");
	check_has_not(text, "( )");
	check_has_not(text, "once");
	done();
}

TEST(table_print__one_repeat_ranks_nothing, "With one repeat the spread is "
    "not known, however far apart the figures are")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 1, 100, 0, false },
		{ "concurrent",	"aes", 1, 1, 400, 0, false },
	};

	print_grid(grid, nitems(grid));
	check_has(text, " 100.0      ? ");
	check_has(text, "(4.00)");
	check_has(text, "\n? in +-%: too few repeats");
	done();
}

TEST(table_print__few_repeats_rank_nothing, "The interval of few repeats "
    "covers less than it says, so that no ratio stands on it")
{
	struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 5, 100, 1, false },
		{ "concurrent",	"aes", 1, 5, 400, 1, false },
	};

	for (unsigned few = 3; few <= COMPARABLE_REPEATS; few++) {
		for (unsigned which = 0; which < nitems(grid); which++) {
			grid[which].fc_repeats = few;
			grid[1 - which].fc_repeats = COMPARABLE_REPEATS;
			print_grid(grid, nitems(grid));
			check_has(text, few < COMPARABLE_REPEATS ? "(4.00)" :
			    "   4.00\n");
			if (few < COMPARABLE_REPEATS)
				check_has(text, "( ) not tested: fewer than 5 "
				    "repeats, or intervals overlap");
			else
				check_has_not(text, "( )");
			done();
		}
	}
}

TEST(table_print__baseline_first, "What is there today is the baseline "
    "wherever it stands, and equal footnotes stand once")
{
	static const struct fixture_cell grid[] = {
		{ "none",	"aes", 2, 5, 900, 1, false },
		{ "concurrent",	"aes", 1, 5, 200, 1, false },
		{ "locked",	"aes", 1, 5, 100, 1, false },
		{ "percpu",	"aes", 1, 5, 300, 1, true },
	};

	print_grid(grid, 3);
	check_has(text,
	    "     1  locked               100.0    1.0   3.2   310us\n"
	    "     1  concurrent           200.0   0.50   3.2   310us       "
	    "2.00\n"
	    "     2  none                 450.0   0.11   3.2   310us\n\n");
	done();
	fixture_result(&r, grid, nitems(grid));
	snprintf(r.cells[1].notes, RESULT_TEXT_SIZE, "pinning refused");
	snprintf(r.cells[3].notes, RESULT_TEXT_SIZE, "pinning refused");
	print_by(table_print);
	check_has(text, "       2.00  [a]\n");
	check_has(text, "     1* percpu ");
	check_has(text, "       3.00  [a]\n");
	ATF_CHECK_EQ(1, count_text(text, "pinning refused\n"));
	done();
}

TEST(table_print__one_cell_at_length, "A single cell shows each reader, the "
    "latencies and the locks")
{
	fixture_result(&r, &fixture_grid[2], 1);
	r.complete = false;
	print_by(table_print);
	ATF_CHECK(strncmp(text, "INCOMPLETE: ", 12) == 0);
	check_has(text, "430.0 MB/s, 95 % interval 426.0 to 434.0, 5 repeats");
	check_has(text, "86.0    86.0    86.0    86.0    86.0    MB/s");
	check_has(text, "p50 152us, p90 161us, p99 310us, p99.9 1.50ms "
	    "(medians of\n               repeats), max 9.25ms");
	check_has(text, "\nreseed mutex\n"
	    "genbytes (reader)                 123.5M ");
	done();
}

TEST(table_print__repeats_p99, "p99 is the median of the repeats', as compare "
    "has it, and not that of all requests together, which one repeat decides")
{
	static const double p99[] = { 2e6, 9e6, 1e6, 9e6, 3e6 };

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	for (unsigned i = 0; i < FIXTURE_CELLS; i++) {
		r.cells[i].latency_ns.p99 = 9e6;
		r.cells[i].harvest.latency_p99_ns = 9e6;
		for (unsigned k = 0; k < nitems(p99); k++) {
			r.cells[i].samples[k].latency_ns.p99 = p99[k];
			r.cells[i].samples[k].harvest.latency_p99_ns = p99[k];
		}
	}
	print_by(table_print);
	check_has_not(text, "9.00ms");
	ATF_CHECK_EQ(FIXTURE_CELLS, count_text(text, "3.00ms"));
	check_has(text, "one read request, the median of the repeats'\n  p99");
	r.cell_count = 1;
	print_by(table_print);
	check_has(text, "p99 3.00ms");
	check_has(text, "p99 of one 3.00ms");
	r.cell_count = FIXTURE_CELLS;
	done();
}

TEST(table_print__predictions_say_so, "What the virtual engine prints is "
    "never called measured")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	for (unsigned i = 0; i < FIXTURE_CELLS; i++)
		snprintf(r.cells[i].engine, RESULT_NAME_SIZE, "virtual");
	print_by(table_print);
	ATF_CHECK(strncmp(text, "predicted", 9) == 0);
	check_has_not(text, "measured");
	/* Interrupted before its first repeat. */
	r.cell_count = 0;
	print_by(table_print);
	r.cell_count = FIXTURE_CELLS;
	check_has(text, "no cells; on Example 9000");
	check_has_not(text, "measured");
	done();
}

TEST(table_print__open_loop, "Cells of another load stand apart; in open loop "
    "both latencies are shown and no ratio")
{
	struct result_cell before;

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	for (unsigned i = 2; i < FIXTURE_CELLS; i++) {
		snprintf(r.cells[i].workload, RESULT_TEXT_SIZE, "16:1,64k:2");
		snprintf(r.cells[i].arrivals, RESULT_NAME_SIZE, "poisson");
		r.cells[i].rate_per_s = 2000;
		for (unsigned k = 0; k < r.cells[i].repeats; k++)
			r.cells[i].samples[k].latency_uncorrected_ns.p99 = 4242;
	}
	print_by(table_print);
	check_has(text, "requests of 64 KiB, measured");
	check_has(text, "   ratio");
	check_has(text, "requests of 16:1,64k:2 (mean 64 KiB) at\n  2000/s "
	    "each, poisson arrivals, measured\n");
	check_has(text, "req/s    +-%     p99   begun\n");
	check_has(text, "   310us  4.24us\n");
	check_has(text, "Open loop: req/s");
	/* Nothing but open loop. */
	for (unsigned i = 0; i < 2; i++) {
		before = r.cells[i];
		r.cells[i] = r.cells[i + 2];
		r.cells[i + 2] = before;
	}
	r.cell_count = 2;
	print_by(table_print);
	check_has_not(text, "ratio");
	check_has_not(text, "harv%");
	/* One cell at length. */
	r.cell_count = 1;
	print_by(table_print);
	check_has(text, "due to end     p50 152us");
	check_has(text, " requests/s, 95 % interval");
	check_has_not(text, "MB/s");
	check_has(text, "begin to end   p50 0ns, p90 0ns, p99 4.24us");
	r.cell_count = FIXTURE_CELLS;
	done();
}

TEST(table_print__gates_rank_nothing, "A cell that failed a gate is marked, "
    "says why, and has no ratio however far apart the figures are")
{
	fixture_result(&r, twice, nitems(twice));
	snprintf(r.cells[0].gate, RESULT_TEXT_SIZE, "drift");
	snprintf(r.cells[3].gate, RESULT_TEXT_SIZE, "drift");
	snprintf(r.cells[3].notes, RESULT_TEXT_SIZE, "pinning refused");
	print_by(table_print);
	check_has(text,
	    "\n     1  locked               100.0!   1.0   3.2   310us        "
	    "     [a]\n"
	    "     1  concurrent           200.0   0.50   3.2   310us          "
	    "-\n"
	    "     2  locked                50.0    1.0   3.2   310us\n"
	    "     2  concurrent           100.0!  0.50   3.2   310us          "
	    "-  [b]\n"
	    "[a] ! drift\n[b] ! drift; pinning refused\n");
	check_has(text, "\n! failed a gate: ");
	done();
	fixture_result(&r, twice, 1);
	snprintf(r.cells[0].gate, RESULT_TEXT_SIZE, "drift");
	print_by(table_print);
	check_has(text, "\n! gate         drift\n");
	done();
}

/* Control cells, to be freed with r. */
static void
add_controls(const struct fixture_cell *grid, unsigned n)
{
	r.control_count = n;
	r.controls = fixture_alloc(n, sizeof(*r.controls));
	for (unsigned i = 0; i < n; i++)
		fixture_cell(&r.controls[i], &grid[i]);
}

TEST(table_print__controls, "What an empty critical section costs, by the "
    "repeats that passed, and what readers get unshared")
{
	static const struct fixture_cell grid[] = {
		{ "none",	"aes", 2, 4, 0, 0, false },
		{ "concurrent",	"aes", 2, 2, 3000, 0, false },
		{ "none",	"aes", 1, 3, 0, 0, false },
		{ "none",	"aes", 3, 1, 0, 0, false },
	};
	static const double rates[] = { 4e7, 1e3, 6e7, 6e7 };

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	add_controls(grid, nitems(grid));
	for (unsigned i = 0; i < nitems(rates); i++)
		r.controls[0].samples[i].reads_per_s = rates[i];
	snprintf(r.controls[1].lock, RESULT_NAME_SIZE, "none");
	snprintf(r.controls[1].ci95_of, sizeof(r.controls[1].ci95_of),
	    RESULT_CI95_PARTS);
	r.controls[2].samples[0].reads_per_s = 3e7;
	r.controls[2].samples[1].reads_per_s = 2e7;
	r.controls[2].samples[2].reads_per_s = 1e7;
	snprintf(r.controls[2].gate, RESULT_TEXT_SIZE, "drift");
	r.controls[3].samples[0].reads_per_s = 0;
	print_by(table_print);
	check_has(text,
	    "\ncontrol: lock mtx around nothing, 2 readers: 20.0 ns an "
	    "acquisition\n"
	    "control: no sharing, concurrent, aes, 2 readers of 64 KiB: "
	    "1500.0 MB/s each\n"
	    "control: lock mtx around nothing, 1 reader: 50.0 ns an "
	    "acquisition (! drift)\n"
	    "control: lock mtx around nothing, 3 readers: no acquisition\n"
	    "Cost of lock profiling: ");
	done();
}

TEST(table_print__says_what_is_unusual, "Where readers were placed, and when "
    "spinners yield, if not as by default")
{
	const unsigned usual = lock_config_default(1).spin_polls;

	for (unsigned cells = 1; cells <= 2; cells++) {
		fixture_result(&r, twice, cells);
		for (unsigned i = 0; i < cells; i++) {
			snprintf(r.cells[i].lock, RESULT_NAME_SIZE, "tas");
			r.cells[i].spin_polls = usual;
		}
		snprintf(r.place, sizeof(r.place), "compact");
		print_by(table_print);
		check_has_not(text, "place");
		check_has_not(text, "polls");
		for (unsigned i = 0; i < cells; i++)
			r.cells[i].spin_polls = usual + 1;
		snprintf(r.place, sizeof(r.place), "0-2/3");
		print_by(table_print);
		check_has(text, "42, place 0-2/3\n");
		check_has(text, "tas, 65 polls, ");
		print_by(lock_profile_print);
		check_has(text, ", place 0-2/3\n");
		check_has(text, "tas, 65 polls, aes, ");
		done();
	}
}

TEST(table_print__fairness_at_length, "A single cell shows how evenly bytes "
    "and the lock were shared, as far as the document says")
{
	print_grid(fixture_grid, 1);
	check_has(text, "Jain's index 1.000\nharvest ");
	check_has_not(text, "holding");
	check_has_not(text, "lock again");
	r.cells[0].fairness.cna = 0.5;
	r.cells[0].fairness.hold_cna = 0.75;
	r.cells[0].fairness.reacquire_p50 = 4;
	r.cells[0].fairness.reacquire_p99 = 61;
	r.cells[0].lock_profile[0].cnt_hold = 17;
	print_by(table_print);
	check_has(text, "Jain's index 1.000, busier half 50.0 %\n"
	    "  of holding   min/max 0.000, cov 0, Jain's index 0.000, busier "
	    "half 75.0 %\n"
	    "               lock again after p50 4, p99 61 acquisitions by any "
	    "thread\nharvest ");
	check_has(text, "\n  delayed others                      17\n");
	done();
}

TEST(table_print__never_wider_than_80, "Neither figures that no machine "
    "yields nor names as long as they may be widen the table")
{
	char letter;

	for (size_t v = 0; v < EXTREME_VALUES; v++) {
		for (unsigned cells = 0; cells <= FIXTURE_CELLS; cells++) {
			letter = v % 2 == 0 ? 'x' : ' ';
			fixture_result(&r, fixture_grid, cells);
			extreme_texts(&r, letter);
			for (unsigned i = 0; i < cells; i++) {
				extreme_figures(&r.cells[i],
				    extreme_values[i % 2 == 0 ? v :
				    EXTREME_VALUES - 1 - v]);
				r.cells[i].rate_per_s = cells % 2 == 0 ? 0 :
				    extreme_values[v];
			}
			add_controls(fixture_grid, cells);
			for (unsigned i = 0; i < cells; i++)
				extreme_figures(&r.controls[i],
				    extreme_values[v]);
			r.seed = UINT64_MAX;
			r.host.cpu_quota = extreme_values[v];
			r.host.clock_ns = r.host.profile_ns = extreme_values[v];
			text = fixture_printed(table_print, &r);
			/* A name of blanks ends lines in blanks. */
			if (letter != ' ')
				check_lines(text);
			done();
		}
	}
}

TEST_PROGRAM()
