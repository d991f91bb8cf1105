#include <errno.h>

#include "bench/options/family.h"
#include "bench/report/report.h"
#include "tests/unit/result_extreme.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

enum {
	SHOWN	= 13,	/* of a holder's name, at the top of a column */
	NAME	= 89	/* where LOCK_PROFILING(9) has its last column */
};

static void
check_view(const char *part, report_printer *view, const struct result *r)
{
	char *text = fixture_printed(view, r);

	check_has(text, part);
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
	for (unsigned i = 0; i < cell->lock_profile_rows; i++) {
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

	for (unsigned word = 0; word < 9; word++) {
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
			ATF_CHECK_MSG(len <= FORMAT_COLUMNS, "%.*s", (int)len,
			    line);
		else
			ATF_CHECK_EQ_MSG(NAME, name_column(line, len), "%.*s",
			    (int)len, line);
	}
}

TEST(report__extremes, "Neither figures that no machine yields nor long names "
    "break the columns of any view")
{
	report_printer *const views[] = { report_lockstat,
	    report_lockstat_histogram, report_waits };
	struct result r;
	size_t i, v, view;
	char *text;

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
			text = fixture_printed(views[view], &r);
			check_lines(text);
			check_finite(text);
			free(text);
		}
		text = fixture_printed(report_lockprof, &r);
		check_lockprof(text);
		check_finite(text);
		fixture_free(text, &r);
	}
}

TEST(report__nothing_measured, "What was not measured is not 0: no profile, "
    "no waits, no distributions")
{
	report_printer *const views[] = { report_lockprof, report_lockstat,
	    report_lockstat_histogram, report_waits };
	struct result r;
	size_t view;

	fixture_result(&r, fixture_grid, 1);
	/* The fixture has waited, but not what came with cnt_hold. */
	check_view("      2        -     4321 fortuna.c:genbytes (sleep "
	    "mutex:reseed mutex)\n", report_lockprof, &r);
	check_view("\n  hold     123456789       10125          -          -"
	    "          -      80000\n", report_lockprof, &r);
	check_view("does not count spins and blocks", report_lockstat, &r);
	check_view("no distribution", report_lockstat_histogram, &r);
	check_view("has waits, but not their holders", report_waits, &r);
	r.cells[0].lock_profile[0].contended = 0;
	check_view("no thread waited", report_waits, &r);
	r.cells[0].lock_profile_rows = 0;
	for (view = 0; view < nitems(views); view++)
		check_view("  no lock was taken\n", views[view], &r);
	r.cells[0].profiled = false;
	for (view = 0; view < nitems(views); view++)
		check_view("  not profiled", views[view], &r);
	result_free(&r);
}

TEST(report__kinds_of_lock, "The kernel's words for the kernel's kinds, their "
    "own for others; the queue's lock is a spin mutex")
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

	fixture_result(&r, fixture_grid, 1);
	add_rows(&r.cells[0]);
	extreme_figures(&r.cells[0], 1);
	for (size_t i = 0; i < nitems(kinds); i++) {
		snprintf(r.cells[0].lock, RESULT_NAME_SIZE, "%s",
		    kinds[i].lock);
		snprintf(text, sizeof(text), " fortuna.c:pre_read (%s:reseed "
		    "mutex)\n", kinds[i].class);
		check_view(text, report_lockprof, &r);
		check_view(" random_harvestq.c:pre_read (spin mutex:entropy "
		    "harvest mutex)\n", report_lockprof, &r);
		snprintf(text, sizeof(text), "\n%s spin: ", kinds[i].event);
		check_view(text, report_lockstat, &r);
		snprintf(text, sizeof(text), "\n%s block: ", kinds[i].event);
		check_view(text, report_lockstat, &r);
		snprintf(text, sizeof(text), "\n%s hold: ", kinds[i].event);
		check_view(text, report_lockstat, &r);
		check_view("\nSpin lock hold: ", report_lockstat, &r);
	}
	result_free(&r);
}

static unsigned
count_char(const char *text, size_t len, char c)
{
	unsigned n = 0;

	while (len-- > 0)
		n += *text++ == c;
	return (n);
}

TEST(csv_print__one_row_a_cell, "Every row has as many columns as the line of "
    "names")
{
	char *text;
	struct result r;
	unsigned columns, rows = 0;

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	text = fixture_printed(csv_print, &r);
	columns = count_char(text, strcspn(text, "\n"), ',');
	for (const char *line = text; *line != '\0';
	    line += strcspn(line, "\n") + 1) {
		ATF_CHECK_EQ(columns, count_char(line, strcspn(line, "\n"),
		    ','));
		rows++;
	}
	ATF_CHECK_EQ(1 + FIXTURE_CELLS, rows);
	ATF_CHECK(strncmp(text, "engine,design,lock,cipher,crypto,readers,",
	    41) == 0);
	ATF_CHECK(strstr(text, "\nreal,locked,mtx,chacha20,kernel,5,65536,5,1,"
	    "1,430,426,434,86,152000,161000,310000.5,") != NULL);
	fixture_free(text, &r);
}

TEST(csv_print__quotes_text, "RFC 4180, 2.6 and 2.7: separators and quotes in "
    "text stay in their column")
{
	struct result r;
	char *text;

	fixture_result(&r, fixture_grid, 1);
	snprintf(r.cells[0].notes, RESULT_TEXT_SIZE, "so-called \"drift\", 2");
	text = fixture_printed(csv_print, &r);
	ATF_CHECK(strstr(text, ",\"so-called \"\"drift\"\", 2\",") != NULL);
	fixture_free(text, &r);
}

TEST(csv_print_ministat__columns_of_repeats, "A column for each cell, a line "
    "for each repeat that all cells have, and a word on the others")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 3, 100.5, 1, false },
		{ "concurrent",	"aes", 2, 2, 200, 1, false },
	};
	struct result r;
	char *text;

	fixture_result(&r, grid, nitems(grid));
	text = fixture_printed(csv_print_ministat, &r);
	ATF_CHECK_STREQ("# total MB/s of real/locked/mtx/aes/kernel/1r/65536B "
	    "real/concurrent/mtx/aes/kernel/2r/65536B\n"
	    "# repeats 3 to 3 left out: not every cell has them\n"
	    "99.5 199.5\n100.5 200.5\n", text);
	fixture_free(text, &r);
}

TEST(report_emit__says_when_it_cannot_write, "A full disk is an error in "
    "every form")
{
	struct result r;
	FILE *out;

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	for (unsigned format = 0; format < REPORT_FORMATS; format++) {
		out = fopen("/dev/full", "w");
		if (out == NULL)
			atf_tc_skip("no /dev/full");
		ATF_CHECK_EQ_MSG(ENOSPC, report_emit(out, &r,
		    (enum report)format), "%s",
		    family_formats.fa_name(format));
		fclose(out);
		out = fopen("out", "w");
		ATF_REQUIRE(out != NULL);
		ATF_CHECK_EQ(0, report_emit(out, &r,
		    (enum report)format));
		ATF_CHECK(ftell(out) > 0);
		fclose(out);
	}
	result_free(&r);
}

TEST_PROGRAM()
