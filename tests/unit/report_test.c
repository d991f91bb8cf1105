#include <errno.h>

#include "bench/options/family.h"
#include "bench/report/report.h"
#include "tests/unit/result_extreme.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static void
check_profile(const char *part, const struct result *r)
{
	char *text = fixture_printed(lock_profile_print, r);

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

TEST(report__extremes, "Neither figures that no machine yields nor long names "
    "break the columns of a lock profile")
{
	struct result r;
	char *text;

	for (size_t v = 0; v < 2 * EXTREME_VALUES; v++) {
		fixture_result(&r, fixture_grid, FIXTURE_CELLS);
		if (v % 2 != 0)
			extreme_texts(&r, 'x');
		for (size_t i = 0; i < FIXTURE_CELLS; i++) {
			add_rows(&r.cells[i]);
			if (v % 2 != 0)
				stretch_rows(&r.cells[i]);
			extreme_figures(&r.cells[i], extreme_values[v / 2]);
		}
		text = fixture_printed(lock_profile_print, &r);
		check_lines(text);
		check_finite(text);
		fixture_free(text, &r);
	}
}

TEST(report__nothing_measured, "What was not measured is not 0: no quantiles, "
    "no profile")
{
	struct result r;
	char *text;

	fixture_result(&r, fixture_grid, 1);
	/* The fixture has waited, but not what older programs lack. */
	check_profile("\ngenbytes (reader)                 123.5M   1250s  "
	    "10.1us       -       -  80.0us\n"
	    "  waited                            4321    250s  57.9ms       -"
	    "       -  3.50ms\n", &r);
	text = fixture_printed(lock_profile_print, &r);
	check_has_not(text, "\n    ");
	free(text);
	r.cells[0].lock_profile_rows = 0;
	check_profile("\nno lock was taken\n", &r);
	r.cells[0].profiled = false;
	check_profile("\nlocks were not profiled\n", &r);
	result_free(&r);
}

TEST(report__waits_by_holder, "Each wait stands below the site and role that "
    "waited, of the same lock")
{
	struct result r;
	char *text;

	fixture_result(&r, fixture_grid, 1);
	add_rows(&r.cells[0]);
	extreme_figures(&r.cells[0], 1);
	text = fixture_printed(lock_profile_print, &r);
	ATF_CHECK_EQ(16, count_text(text, "\n    for "));
	ATF_CHECK_EQ(1, count_text(text, "\nreseed mutex\n"));
	ATF_CHECK_EQ(1, count_text(text, "\nentropy harvest mutex\n"));
	check_has(text, "\npre_read (harvest) ");
	check_has(text, "\n    for read_chunk                     1     1ns"
	    "     1ns       -       -       -\n");
	fixture_free(text, &r);
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
	text = fixture_printed(report_printers[FORMAT_CSV], &r);
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
	text = fixture_printed(report_printers[FORMAT_CSV], &r);
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
	text = fixture_printed(report_printers[FORMAT_MINISTAT], &r);
	ATF_CHECK_STREQ("# total MB/s of real/locked/mtx/aes/kernel/1r/65536B "
	    "real/concurrent/mtx/aes/kernel/2r/65536B\n"
	    "# repeats 3 to 3 left out: not every cell has them\n"
	    "99.5 199.5\n100.5 200.5\n", text);
	fixture_free(text, &r);
}

TEST_PROGRAM()
