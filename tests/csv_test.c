#include <errno.h>

#include "bench/report/csv.h"
#include "bench/report/report.h"
#include "tests/result_fixture.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

/* fixture_printed() takes what cannot fail. */
static void
print_will_it_scale(FILE *out, const struct result *r)
{

	ATF_REQUIRE_EQ(0, csv_print_will_it_scale(out, r));
}

static unsigned
count_char(const char *text, size_t len, char c)
{
	unsigned n = 0;

	while (len-- > 0)
		n += *text++ == c;
	return (n);
}

ATF_TC(csv_print__one_row_a_cell);
ATF_TC_HEAD(csv_print__one_row_a_cell, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every row has as many columns as the "
	    "line of names");
}
ATF_TC_BODY(csv_print__one_row_a_cell, tc)
{
	const char *line;
	char *text;
	struct result r;
	unsigned columns, rows = 0;

	(void)tc;
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	text = fixture_printed(csv_print, &r);
	columns = count_char(text, strcspn(text, "\n"), ',');
	for (line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
		ATF_CHECK_EQ(columns, count_char(line, strcspn(line, "\n"),
		    ','));
		rows++;
	}
	ATF_CHECK_EQ(1 + FIXTURE_CELLS, rows);
	ATF_CHECK(strncmp(text, "engine,design,lock,cipher,crypto,readers,",
	    41) == 0);
	ATF_CHECK(strstr(text, "\nreal,locked,mtx,chacha20,kernel,5,65536,5,1,"
	    "1,430,426,434,86,152000,161000,310000.5,") != NULL);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print__quotes_text);
ATF_TC_HEAD(csv_print__quotes_text, tc)
{

	atf_tc_set_md_var(tc, "descr", "RFC 4180, 2.6 and 2.7: separators and "
	    "quotes in text stay in their column");
}
ATF_TC_BODY(csv_print__quotes_text, tc)
{
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	snprintf(r.cells[0].notes, RESULT_TEXT_SIZE, "so-called \"drift\", 2");
	text = fixture_printed(csv_print, &r);
	ATF_CHECK(strstr(text, ",\"so-called \"\"drift\"\", 2\",") != NULL);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print_ministat__columns_of_repeats);
ATF_TC_HEAD(csv_print_ministat__columns_of_repeats, tc)
{

	atf_tc_set_md_var(tc, "descr", "A column for each cell, a line for "
	    "each repeat that all cells have, and a word on the others");
}
ATF_TC_BODY(csv_print_ministat__columns_of_repeats, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 3, 100.5, 1, false },
		{ "concurrent",	"aes", 2, 2, 200, 1, false },
	};
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, grid, nitems(grid));
	text = fixture_printed(csv_print_ministat, &r);
	ATF_CHECK_STREQ("# total MB/s of real/locked/mtx/aes/kernel/1r/65536B "
	    "real/concurrent/mtx/aes/kernel/2r/65536B\n"
	    "# repeats 3 to 3 left out: not every cell has them\n"
	    "99.5 199.5\n100.5 200.5\n", text);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print_will_it_scale__one_curve);
ATF_TC_HEAD(csv_print_will_it_scale__one_curve, tc)
{

	atf_tc_set_md_var(tc, "descr", "One curve has will-it-scale's own "
	    "columns, the synthetic first row included");
}
ATF_TC_BODY(csv_print_will_it_scale__one_curve, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 4, 2, 65.536, 1, false },
		{ "locked",	"aes", 2, 2, 32.768, 1, false },
	};
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, grid, nitems(grid));
	text = fixture_printed(print_will_it_scale, &r);
	/* Idle: of 4 CPUs the readers used 90 %, the harvest thread 3.25. */
	ATF_CHECK_STREQ("tasks,processes,processes_idle,threads,threads_idle,"
	    "linear\n0,0,100,0,100,0\n2,0,100,500,76.69,500\n"
	    "4,0,100,1000,76.69,1000\n", text);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print_will_it_scale__several_curves);
ATF_TC_HEAD(csv_print_will_it_scale__several_curves, tc)
{

	atf_tc_set_md_var(tc, "descr", "Several curves are named by what "
	    "tells them apart; points not measured stay empty");
}
ATF_TC_BODY(csv_print_will_it_scale__several_curves, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 2, 65.536, 1, false },
		{ "concurrent",	"aes", 1, 2, 32.768, 1, false },
		{ "concurrent",	"aes", 3, 2, 98.304, 1, false },
	};
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, grid, nitems(grid));
	text = fixture_printed(print_will_it_scale, &r);
	ATF_CHECK_STREQ("tasks,locked,locked_idle,concurrent,concurrent_idle,"
	    "linear\n0,0,100,0,100,0\n1,1000,76.69,500,76.69,1000\n"
	    "3,,,1500,76.69,3000\n", text);
	free(text);
	snprintf(r.cells[0].cipher, RESULT_NAME_SIZE, "chacha20");
	text = fixture_printed(print_will_it_scale, &r);
	ATF_CHECK(strncmp(text, "tasks,locked-chacha20,locked-chacha20_idle,"
	    "concurrent-aes,", 58) == 0);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print_will_it_scale__names_are_distinct);
ATF_TC_HEAD(csv_print_will_it_scale__names_are_distinct, tc)
{

	atf_tc_set_md_var(tc, "descr", "Parts that run together alike, and "
	    "names that are another column's, still make different columns");
}
ATF_TC_BODY(csv_print_will_it_scale__names_are_distinct, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 1, 1, 1, false },
		{ "locked",	"aes", 1, 1, 2, 1, false },
		{ "locked",	"aes", 1, 1, 3, 1, false },
		{ "locked",	"aes", 1, 1, 4, 1, false },
	};
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, grid, nitems(grid));
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "locked-mtx");
	snprintf(r.cells[0].lock, RESULT_NAME_SIZE, "spin");
	snprintf(r.cells[1].lock, RESULT_NAME_SIZE, "mtx-spin");
	snprintf(r.cells[2].lock, RESULT_NAME_SIZE, "mtx-spin_idle");
	snprintf(r.cells[3].lock, RESULT_NAME_SIZE, "a,b\"c");
	text = fixture_printed(print_will_it_scale, &r);
	ATF_CHECK(strncmp(text, "tasks,locked-mtx-spin,locked-mtx-spin_idle,"
	    "locked-mtx-spin#2,locked-mtx-spin#2_idle,locked-mtx-spin_idle#3,"
	    "locked-mtx-spin_idle#3_idle,locked-a_b_c,locked-a_b_c_idle,"
	    "linear\n", 154) == 0);
	free(text);
	result_free(&r);
}

ATF_TC(csv_print_will_it_scale__every_property_tells_apart);
ATF_TC_HEAD(csv_print_will_it_scale__every_property_tells_apart, tc)
{

	atf_tc_set_md_var(tc, "descr", "Cells that differ in workload, rate or "
	    "polls alone are different curves");
}
ATF_TC_BODY(csv_print_will_it_scale__every_property_tells_apart, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 1, 1, 1, false },
		{ "locked",	"aes", 1, 1, 2, 1, false },
		{ "locked",	"aes", 1, 1, 3, 1, false },
		{ "locked",	"aes", 1, 1, 4, 1, false },
	};
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, grid, nitems(grid));
	snprintf(r.cells[1].workload, RESULT_TEXT_SIZE, "16:9,4k:1");
	r.cells[2].rate_per_s = 1000;
	snprintf(r.cells[2].arrivals, RESULT_NAME_SIZE, "poisson");
	r.cells[3].spin_polls = 7;
	text = fixture_printed(print_will_it_scale, &r);
	ATF_CHECK(strncmp(text, "tasks,locked-fixed-closed-0,", 28) == 0);
	ATF_CHECK(strstr(text, ",locked-16:9_4k:1-closed-0,") != NULL);
	ATF_CHECK(strstr(text, ",locked-fixed-1000-poisson-0,") != NULL);
	ATF_CHECK(strstr(text, ",locked-fixed-closed-7,") != NULL);
	free(text);
	result_free(&r);
}

ATF_TC(report_emit__says_when_it_cannot_write);
ATF_TC_HEAD(report_emit__says_when_it_cannot_write, tc)
{

	atf_tc_set_md_var(tc, "descr", "A full disk is an error in every form");
}
ATF_TC_BODY(report_emit__says_when_it_cannot_write, tc)
{
	struct result r;
	unsigned format;
	FILE *out;

	(void)tc;
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	for (format = 0; format < REPORT_FORMATS; format++) {
		ATF_CHECK(report_format_names[format] != NULL);
		out = fopen("/dev/full", "w");
		if (out == NULL)
			atf_tc_skip("no /dev/full");
		ATF_CHECK_EQ_MSG(ENOSPC, report_emit(out, &r,
		    (enum report_format)format), "%s",
		    report_format_names[format]);
		fclose(out);
		out = fopen("out", "w");
		ATF_REQUIRE(out != NULL);
		ATF_CHECK_EQ(0, report_emit(out, &r,
		    (enum report_format)format));
		ATF_CHECK(ftell(out) > 0);
		fclose(out);
	}
	result_free(&r);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, csv_print__one_row_a_cell);
	ATF_TP_ADD_TC(tp, csv_print__quotes_text);
	ATF_TP_ADD_TC(tp, csv_print_ministat__columns_of_repeats);
	ATF_TP_ADD_TC(tp, csv_print_will_it_scale__one_curve);
	ATF_TP_ADD_TC(tp, csv_print_will_it_scale__several_curves);
	ATF_TP_ADD_TC(tp, csv_print_will_it_scale__names_are_distinct);
	ATF_TP_ADD_TC(tp,
	    csv_print_will_it_scale__every_property_tells_apart);
	ATF_TP_ADD_TC(tp, report_emit__says_when_it_cannot_write);
	return (atf_no_error());
}
