#include "bench/report/report_fairness.h"
#include "bench/report/report_lockprof.h"
#include "bench/report/report_lockstat.h"
#include "bench/report/report_waits.h"
#include "tests/result_extreme.h"
#include "tests/result_fixture.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

enum {
	SHOWN	= 13,	/* of a holder's name, at the top of a column */
	NAME	= 89	/* where LOCK_PROFILING(9) has its last column */
};

/* What a view prints, as text to be freed. */
static char *
printed(view_printer *view, const struct result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	out = open_memstream(&text, &len);
	ATF_REQUIRE(out != NULL);
	ATF_REQUIRE_EQ(0, view(out, r));
	ATF_REQUIRE(fclose(out) == 0);
	return (text);
}

static void
check_has(const char *part, view_printer *view, const struct result *r)
{
	char *text = printed(view, r);

	ATF_CHECK_MSG(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part,
	    text);
	free(text);
}

/* Fails the test if a figure is none. */
static void
check_finite(const char *text)
{

	ATF_CHECK_MSG(strstr(text, "nan") == NULL && strstr(text, "inf") ==
	    NULL, "no figure: %s", text);
}

/*
 * Gives a cell rows of two locks and waits for both, so that sums have more
 * than one member.
 */
static void
add_rows(struct result_cell *cell)
{
	static const char *const locks[] = { "reseed mutex",
	    "entropy harvest mutex" };
	static const char *const sites[] = { "pre_read", "read_chunk",
	    "process_event", "a_site_of_a_later_program" };
	struct result_row *row;
	struct result_wait *w;
	unsigned i;

	free(cell->lock_profile);
	cell->lock_profile_rows = cell->wait_rows = 16;
	cell->lock_profile = fixture_alloc(16, sizeof(*cell->lock_profile));
	cell->waits = fixture_alloc(16, sizeof(*cell->waits));
	for (i = 0; i < 16; i++) {
		row = &cell->lock_profile[i];
		w = &cell->waits[i];
		snprintf(row->lock, sizeof(row->lock), "%s", locks[i / 8]);
		snprintf(row->site, sizeof(row->site), "%s", sites[i % 4]);
		snprintf(row->role, sizeof(row->role), "%s",
		    i / 4 % 2 == 0 ? "reader" : "harvest");
		memcpy(w->lock, row->lock, sizeof(w->lock));
		memcpy(w->site, row->site, sizeof(w->site));
		memcpy(w->role, row->role, sizeof(w->role));
		snprintf(w->holder, sizeof(w->holder), "%s",
		    sites[(i + i / 4) % 4]);
	}
}

/* Every text of the rows as long as it may be, and each different. */
static void
stretch_rows(struct result_cell *cell)
{
	unsigned i;

	for (i = 0; i < cell->lock_profile_rows; i++) {
		memset(cell->lock_profile[i].site, 'a' + (int)i,
		    RESULT_NAME_SIZE - 1);
		memset(cell->lock_profile[i].role, 'r', RESULT_NAME_SIZE - 1);
		if (i >= 8)
			memset(cell->lock_profile[i].lock, 'l',
			    RESULT_NAME_SIZE - 1);
		memset(cell->waits[i].site, 'a' + (int)i, RESULT_NAME_SIZE - 1);
		memset(cell->waits[i].role, 'r', RESULT_NAME_SIZE - 1);
		memset(cell->waits[i].holder, 'A' + (int)i,
		    RESULT_NAME_SIZE - 1);
	}
}

/* The column at which the name begins in a line of the kernel's block. */
static size_t
name_column(const char *line, size_t len)
{
	size_t at = 0;
	unsigned word;

	for (word = 0; word < 9; word++) {
		while (at < len && line[at] == ' ')
			at++;
		while (at < len && line[at] != ' ')
			at++;
	}
	return (at + 1);
}

/*
 * The kernel's block is wider than 80 columns by design, but its numbers stand
 * below their headers; all else is within 80.
 */
static void
check_lockprof(const char *text)
{
	const char *line = text;
	bool kernel = false;
	size_t len;

	for (; *line != '\0'; line += len + 1) {
		len = strcspn(line, "\n");
		if (strncmp(line, "     max  wait_max ", 19) == 0)
			kernel = true;
		if (len == 0)
			kernel = false;
		if (!kernel)
			ATF_CHECK_MSG(len <= FIGURE_COLUMNS, "%.*s", (int)len,
			    line);
		else
			ATF_CHECK_EQ_MSG(NAME, name_column(line, len), "%.*s",
			    (int)len, line);
	}
}

ATF_TC(report__extremes);
ATF_TC_HEAD(report__extremes, tc)
{

	atf_tc_set_md_var(tc, "descr", "Neither figures that no machine yields "
	    "nor long names break the columns of any view");
}
ATF_TC_BODY(report__extremes, tc)
{
	view_printer *const views[] = { report_fairness, report_lockstat,
	    report_lockstat_histogram, report_waits };
	struct result r;
	size_t i, v, view;
	char *text;

	(void)tc;
	for (v = 0; v < 2 * EXTREME_VALUES; v++) {
		fixture_result(&r, fixture_grid, FIXTURE_CELLS);
		if (v % 2 != 0)
			extreme_texts(&r, 'x');
		for (i = 0; i < FIXTURE_CELLS; i++) {
			add_rows(&r.cells[i]);
			if (v % 2 != 0)
				stretch_rows(&r.cells[i]);
			extreme_figures(&r.cells[i], extreme_values[v / 2]);
		}
		for (view = 0; view < nitems(views); view++) {
			text = printed(views[view], &r);
			check_lines(text);
			check_finite(text);
			free(text);
		}
		text = printed(report_lockprof, &r);
		check_lockprof(text);
		check_finite(text);
		free(text);
		result_free(&r);
	}
}

ATF_TC(report__nothing_measured);
ATF_TC_HEAD(report__nothing_measured, tc)
{

	atf_tc_set_md_var(tc, "descr", "What was not measured is not 0: no "
	    "profile, no waits, no distributions");
}
ATF_TC_BODY(report__nothing_measured, tc)
{
	view_printer *const views[] = { report_lockprof, report_lockstat,
	    report_lockstat_histogram, report_waits };
	struct result r;
	size_t view;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	/* The fixture has waited, but not what came with cnt_hold. */
	check_has("      2        -     4321 fortuna.c:genbytes (sleep "
	    "mutex:reseed mutex)\n", report_lockprof, &r);
	check_has("\n  hold     123456789       10125          -          -"
	    "          -      80000\n", report_lockprof, &r);
	check_has("does not count spins and blocks", report_lockstat, &r);
	check_has("no distribution", report_lockstat_histogram, &r);
	check_has("does not say who waited", report_waits, &r);
	check_has("cna - | hold-share harvest 2.0 %\n"
	    "hold  cov - jain - min/max - cna - | reacquire p50 - p99 -"
	    "\n", report_fairness, &r);
	r.cells[0].lock_profile[0].contended = 0;
	check_has("nobody waited", report_waits, &r);
	r.cells[0].lock_profile_rows = 0;
	for (view = 0; view < nitems(views); view++)
		check_has("  no lock was taken\n", views[view], &r);
	r.cells[0].profiled = false;
	for (view = 0; view < nitems(views); view++)
		check_has("  not profiled", views[view], &r);
	check_has("hold-share harvest -\n", report_fairness, &r);
	result_free(&r);
}

ATF_TC(report__kinds_of_lock);
ATF_TC_HEAD(report__kinds_of_lock, tc)
{

	atf_tc_set_md_var(tc, "descr", "The kernel's words for the kernel's "
	    "kinds, their own for others; the queue's lock is a spin mutex");
}
ATF_TC_BODY(report__kinds_of_lock, tc)
{
	static const struct {
		const char	*lock, *class, *event;
	} kinds[] = {
		{ "mtx", "sleep mutex", "Adaptive mutex" },
		{ "mtx-spin", "spin mutex", "Spin lock" },
		{ "pthread", "host mutex", "pthread" },
		{ "of_a_later_program", "of_a_later_program",
		    "of_a_later_program" },
	};
	struct result r;
	char text[128];
	size_t i;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	add_rows(&r.cells[0]);
	extreme_figures(&r.cells[0], 1);
	for (i = 0; i < nitems(kinds); i++) {
		snprintf(r.cells[0].lock, RESULT_NAME_SIZE, "%s",
		    kinds[i].lock);
		snprintf(text, sizeof(text), " fortuna.c:pre_read (%s:reseed "
		    "mutex)\n", kinds[i].class);
		check_has(text, report_lockprof, &r);
		check_has(" random_harvestq.c:pre_read (spin mutex:entropy "
		    "harvest mutex)\n", report_lockprof, &r);
		snprintf(text, sizeof(text), "\n%s spin: ", kinds[i].event);
		check_has(text, report_lockstat, &r);
		snprintf(text, sizeof(text), "\n%s block: ", kinds[i].event);
		check_has(text, report_lockstat, &r);
		snprintf(text, sizeof(text), "\n%s hold: ", kinds[i].event);
		check_has(text, report_lockstat, &r);
		check_has("\nSpin lock hold: ", report_lockstat, &r);
	}
	result_free(&r);
}

ATF_TC(report__wide_matrix);
ATF_TC_HEAD(report__wide_matrix, tc)
{

	atf_tc_set_md_var(tc, "descr", "A matrix that is too wide goes on "
	    "below, each holder and the sum once");
}
ATF_TC_BODY(report__wide_matrix, tc)
{
	char name[SHOWN + 1] = "", *p, *text;
	struct result r;
	unsigned count, i, sums;

	(void)tc;
	for (count = 1; count <= 16; count++) {
		fixture_result(&r, fixture_grid, 1);
		add_rows(&r.cells[0]);
		r.cells[0].wait_rows = count;
		for (i = 0; i < count; i++) {
			snprintf(r.cells[0].waits[i].lock, RESULT_NAME_SIZE,
			    "m");
			memset(r.cells[0].waits[i].holder, 'A' + (int)i,
			    RESULT_NAME_SIZE - 1);
		}
		extreme_figures(&r.cells[0], 1);
		text = printed(report_waits, &r);
		check_lines(text);
		for (i = 0; i < count; i++) {
			memset(name, 'A' + (int)i, SHOWN);
			p = strstr(text, name);
			ATF_CHECK_MSG(p != NULL &&
			    strstr(p + SHOWN, name) == NULL, "%s in:\n%s",
			    name, text);
		}
		sums = 0;
		for (p = text; (p = strstr(p, "      all\n")) != NULL; p++)
			sums++;
		ATF_CHECK_EQ(1, sums);
		free(text);
		result_free(&r);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, report__extremes);
	ATF_TP_ADD_TC(tp, report__nothing_measured);
	ATF_TP_ADD_TC(tp, report__kinds_of_lock);
	ATF_TP_ADD_TC(tp, report__wide_matrix);
	return (atf_no_error());
}
