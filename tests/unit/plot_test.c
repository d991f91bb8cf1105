#include <sys/stat.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench/report/report.h"
#include "bench/cli/progress.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

enum { MANY_POINTS = 5 };	/* of each curve */

static struct plot pl = { .plt_panels = PLOT_USUAL, .plt_width = 828 };
static struct result r;
static char why[RESULT_TEXT_SIZE], *picture, *text;
static size_t size;

static void
script_png(FILE *out, const void *res)
{
	plot_print(out, res, &pl);
}

/* Prints the script anew. */
static void
script(void)
{
	free(text);
	text = fixture_printed(script_png, &r);
}

/* Draws, or skips where there is nothing to draw with. */
static void
draw(unsigned form)
{
	int status;

	free(picture);
	pl.plt_form = form;
	status = plot_draw(&r, &pl, &picture, &size, why);
	if (status == ENOENT)
		atf_tc_skip("%s", why);
	ATF_REQUIRE_MSG(status == 0, "%s", why);
}

TEST(plot_draw__formats, "A PNG, an SVG or a PDF")
{
	pl.plt_panels = 1u << PLOT_TOTAL | 1u << PLOT_P99;
	pl.plt_width = 400;
	pl.plt_title = "For a paper";
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	draw(PLOT_PDF);
	ATF_CHECK(memcmp(picture, "%PDF", 4) == 0);
	script();
	ATF_CHECK(strstr(text, "RUN = 'For a paper (measured)'") != NULL);
	ATF_CHECK(strstr(text, "\nPANELS = 'total p99 '\n") != NULL);
	draw(PLOT_SVG);
	ATF_CHECK(memmem(picture, size, "ticks p90", 9) == NULL);
	pl = (struct plot){ .plt_panels = PLOT_USUAL, .plt_width = 828 };
	result_free(&r);
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	draw(PLOT_PNG);
	ATF_CHECK(memcmp(picture, "\x89PNG\r\n\x1a\n", 8) == 0);
	draw(PLOT_SVG);
	ATF_CHECK(memcmp(picture, "<?xml", 5) == 0);
	result_free(&r);
}

TEST(plot_draw__page, "Figures of a page: a drawing for each panel, with its "
    "text, and a point's values; no name is HTML")
{
	const char *title;

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "<b>&'x");
	r.cells[0].latency_ns.p50 = 0;
	draw(PLOT_PAGE);
	ATF_CHECK_EQ(4 * count_text(picture, "<figcaption>"),
	    count_text(picture, "<svg viewBox=\"0 0 828 "));
	ATF_CHECK(strstr(picture, "<b>&") == NULL);
	ATF_CHECK(strstr(picture, " b   x</span>") != NULL);
	title = strstr(picture, "</circle>");
	ATF_REQUIRE(title != NULL);
	ATF_CHECK(memcmp(title - 8, "</title>", 8) == 0);
	result_free(&r);
}

/* Where the legend has a name, in pixels from the left of an SVG. */
static double
legend_at(const char *name)
{
	const char *at;
	double x = 0;

	draw(PLOT_SVG);
	at = strstr(picture, name);
	ATF_REQUIRE_MSG(at != NULL, "no %s", name);
	while (at > picture && sscanf(at, "translate(%lf,", &x) != 1)
		at--;
	return (x);
}

TEST(plot_draw__legend, "A legend is to the right of its row, but long names "
    "are above it")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	ATF_CHECK(legend_at("<text>locked") > 650);
	snprintf(r.cells[0].design, RESULT_NAME_SIZE,
	    "locked-with-a-very-long-name");
	ATF_CHECK(legend_at("<text>locked-with") < 100);
	/* Four panels in a row. */
	pl.plt_width = 1600;
	ATF_CHECK(legend_at("<text>locked-with") > 1200);
	pl.plt_width = 828;
	result_free(&r);
}

TEST(plot_draw__any_grid, "One cell, cells of 0, a range of readers that takes "
    "a logarithmic axis, and two ciphers")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes",		1, 5, 0, 0, true },
		{ "locked",	"aes",		1024, 1, 1e6, 0, true },
		{ "concurrent",	"chacha20",	2, 5, 1, 1, false },
	};

	for (unsigned n = 1; n <= nitems(grid); n++) {
		fixture_result(&r, grid, n);
		r.cells[0].harvest.cpu_percent = n == 1 ? 0 : 9e-5;
		draw(PLOT_SVG);
		result_free(&r);
	}
}

/* A result of curves in two ciphers, each of a few cells. */
static void
make_many(unsigned locks, struct fixture_cell *grid)
{
	static const char *const ciphers[] = { "aes", "chacha20" };
	static const char *const designs[] = { "locked", "concurrent" };
	unsigned design, n = 0;

	for (unsigned cipher = 0; cipher < nitems(ciphers); cipher++)
		for (unsigned lock = 0; lock < locks; lock++)
			for (design = 0; design < nitems(designs); design++)
				for (unsigned i = 1; i <= MANY_POINTS; i++)
					grid[n++] = (struct fixture_cell){
					    designs[design], ciphers[cipher], i,
					    5, 100 + 10 * (i + lock), 2,
					    i == MANY_POINTS };
	fixture_result(&r, grid, n);
	for (unsigned i = 0; i < n; i++)
		snprintf(r.cells[i].lock, RESULT_NAME_SIZE, "m_%u-x",
		    i / (2 * MANY_POINTS) % locks);
}

TEST(plot_print__makes_room, "Many curves make more rows, not fuller panels, "
    "for each cipher; too many are counted")
{
	enum { LOCKS = 60 };
	struct fixture_cell *grid;

	grid = fixture_alloc(4 * MANY_POINTS * LOCKS, sizeof(*grid));
	make_many(1, grid);
	script();
	ATF_CHECK_EQ(2, count_text(text, "$D << EOD\n"));
	ATF_CHECK_EQ(1, count_text(text, "HEADING = 'aes'"));
	ATF_CHECK_EQ(2, count_text(text, "\nN = 2\n"));
	result_free(&r);
	make_many(4, grid);
	/* Of one design locks are beside each other; not six and two. */
	for (unsigned i = 0; i < r.cell_count; i++) {
		snprintf(r.cells[i].design, RESULT_NAME_SIZE, "locked");
		snprintf(r.cells[i].lock, RESULT_NAME_SIZE, "m_%u",
		    i / MANY_POINTS % 8);
	}
	script();
	ATF_CHECK_EQ(4, count_text(text, "\nN = 4\n"));
	ATF_CHECK_EQ(1, count_text(text, "'chacha20, curves 5 to 8 of 8'"));
	ATF_CHECK_EQ(2, count_text(text, "'locked, lock m_7'"));
	ATF_CHECK(strstr(text, "\nLONGEST = 28\n") != NULL);
	result_free(&r);
	/* Else those that differ in the design alone. */
	make_many(14, grid);
	script();
	ATF_CHECK_EQ(28, count_text(text, "\nN = 2\n"));
	ATF_CHECK_EQ(1, count_text(text, "'chacha20, lock m_13-x'"));
	ATF_CHECK_EQ(28, count_text(text, "= 'concurrent'"));
	ATF_CHECK(strstr(text, "\nLEFT_OUT = 0\n") != NULL);
	draw(PLOT_PNG);
	result_free(&r);
	make_many(LOCKS, grid);
	script();
	ATF_CHECK_EQ(1, count_text(text, "\nLEFT_OUT = 176\n"));
	result_free(&r);
	free(grid);
}

TEST(plot_print__marks_gates, "A cell that failed a gate is on no line, but "
    "can be seen")
{
	struct fixture_cell grid[4 * MANY_POINTS];

	make_many(1, grid);
	script();
	ATF_CHECK(strstr(text, "\nGATED = 0\n") != NULL);
	ATF_CHECK(strstr(text, "\n1 1 ") == NULL);
	snprintf(r.cells[1].gate, RESULT_TEXT_SIZE, "drift");
	script();
	ATF_CHECK(strstr(text, "\nGATED = 1\n") != NULL);
	ATF_CHECK(strstr(text, "\n1 1 2 120.000000 118.000000 122.000000 ") !=
	    NULL);
	draw(PLOT_SVG);
	result_free(&r);
}

TEST(plot_print__draws_harvest_bands, "The harvest thread's CPU has a band "
    "where profiles were drawn, and only there")
{
	struct fixture_cell grid[4 * MANY_POINTS];

	make_many(1, grid);
	script();
	ATF_CHECK(strstr(text, " 3.25000000 3.25000000 3.25000000 ") != NULL);
	r.cells[0].uncertainty = (struct result_band){ .samples = 10,
	    .total_mb_per_s = { 1, 2 }, .harvest_cpu_percent = { 0, 900 } };
	script();
	ATF_CHECK(strstr(text, "\n1 0 1 110.000000 1.00000000 "
	    "2.00000000 3.25000000 0.00000000 900.000000 ") != NULL);
	draw(PLOT_SVG);
	/* Or where repeats varied. */
	r.cells[1].harvest_cpu_percent_ci95[0] = 3;
	r.cells[1].harvest_cpu_percent_ci95[1] = 4;
	script();
	ATF_CHECK(strstr(text, " 3.25000000 3.00000000 4.00000000 ") != NULL);
	ATF_CHECK(strstr(text, "\nFEW = 0\n") != NULL);
	r.time_s = 0.2;
	draw(PLOT_SVG);
	ATF_CHECK(memmem(picture, size, "thread ?", 8) != NULL);
	ATF_CHECK(memmem(picture, size, "; ?: windows", 12) != NULL);
	result_free(&r);
}

TEST(plot_draw__escapes_for_svg, "Names that mean something in XML, and to "
    "gnuplot's enhanced mode, stand in the picture as they are")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "a_b^{c}<&-d");
	draw(PLOT_SVG);
	ATF_CHECK(memmem(picture, size, "a_b^{c}&lt;&amp;-d", 18) != NULL);
	result_free(&r);
}

TEST(plot_draw__refuses, "Other formats, and results without cells")
{
	static const char *const paths[] = {
		"a", "a.pdfx", "png", ".png", "a.png.gz", ""
	};

	for (size_t i = 0; i < nitems(paths); i++)
		ATF_CHECK_EQ(-1, plot_form(paths[i]));
	ATF_CHECK_EQ(PLOT_PNG, plot_form("a.png"));
	ATF_CHECK_EQ(PLOT_SVG, plot_form("b.png.svg"));
	ATF_CHECK_EQ(PLOT_PDF, plot_form("a.pdf"));
	fixture_result(&r, fixture_grid, 0);
	ATF_CHECK_EQ(EINVAL, plot_draw(&r, &pl, &picture, &size, why));
	ATF_CHECK_STREQ("no cells to draw", why);
	result_free(&r);
}

TEST(plot_draw__failing_gnuplot, "A gnuplot that is not there, fails or is "
    "killed is an error with its message")
{
	static const struct {
		const char	*program, *error;
		int		status;
	} failing[] = {
		{ "echo half a picture\nprintf '\\n  it broke\\n\\n' >&2\n"
		    "exit 3\n", "gnuplot: it broke", EIO },
		/* As the terminal's interrupt ends it. */
		{ "kill -INT $$\n",
		    "gnuplot was ended by a signal: Interrupt", EIO },
		{ "exit 0\n", "gnuplot drew nothing", EIO },
	};
	char program[128];

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	ATF_REQUIRE(setenv("PATH", "/nonexistent", 1) == 0);
	ATF_CHECK_EQ(ENOENT, plot_draw(&r, &pl, &picture, &size, why));
	ATF_CHECK(strstr(why, "gnuplot-nox") != NULL);
	ATF_REQUIRE(setenv("PATH", ".", 1) == 0);
	for (size_t i = 0; i < nitems(failing); i++) {
		snprintf(program, sizeof(program), "#! /bin/sh\n%s",
		    failing[i].program);
		atf_utils_create_file("gnuplot", "%s", program);
		ATF_REQUIRE(chmod("gnuplot", 0755) == 0);
		free(picture);
		ATF_CHECK_EQ(failing[i].status, plot_draw(&r, &pl, &picture,
		    &size, why));
		ATF_CHECK_STREQ(failing[i].error, why);
	}
	result_free(&r);
}

TEST(plot_print__text_is_no_command, "A result file from elsewhere must not "
    "make gnuplot run anything")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.host.cpu_model, RESULT_TEXT_SIZE,
	    "x'; system 'touch made'; y = '\n!touch made\n`touch made`");
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "'.system('touch made')");
	snprintf(r.cells[0].lock, RESULT_NAME_SIZE, "EOD");
	script();
	ATF_CHECK(strstr(text, "x ; system  touch made ; y =  ") != NULL);
	ATF_CHECK(strstr(text, "\n!") == NULL);
	ATF_CHECK(strchr(text, '`') == NULL);
	draw(PLOT_PNG);
	ATF_CHECK(access("made", F_OK) != 0);
	result_free(&r);
}

TEST(progress_format__fits_the_line, "A line wider than the terminal could "
    "not be drawn over")
{
	char line[128];

	progress_format(line, sizeof(line), 79, 0.5, 61.2, "locked, 4");
	ATF_CHECK_STREQ("[##########..........]  50 % 01:02 left  locked, 4",
	    line);
	progress_format(line, sizeof(line), 79, 2, 7300, "x");
	ATF_CHECK_STREQ("[####################] 100 % 2:01:40 left  x", line);
	progress_format(line, sizeof(line), 30, 0, -1, "x");
	ATF_CHECK_STREQ("[....................]   0 % -", line);
}

TEST_PROGRAM()
