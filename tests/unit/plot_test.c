#include <sys/stat.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench/report/plot.h"
#include "bench/cli/progress.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

enum { MANY_POINTS = 5 };	/* of each curve */

static struct result r;
static char why[RESULT_TEXT_SIZE], *text;

static void
script_png(FILE *out, const struct result *res)
{
	plot_print(out, res, false);
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
draw(const char *path)
{
	int status;

	status = plot_write(&r, path, why);
	if (status == ENOENT)
		atf_tc_skip("%s", why);
	ATF_REQUIRE_MSG(status == 0, "%s: %s", path, why);
}

static void
require_magic(const char *path, const char *magic, size_t len)
{
	char head[16] = "";
	FILE *in;

	in = fopen(path, "r");
	ATF_REQUIRE(in != NULL);
	ATF_REQUIRE_EQ(len, fread(head, 1, len, in));
	fclose(in);
	ATF_CHECK(memcmp(head, magic, len) == 0);
}

TEST(plot_write__draws_what_the_name_says, "A .png is a PNG and a .svg an SVG")
{
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	draw("a.png");
	require_magic("a.png", "\x89PNG\r\n\x1a\n", 8);
	draw("a.svg");
	require_magic("a.svg", "<?xml", 5);
	result_free(&r);
}

TEST(plot_write__draws_any_grid, "One cell, cells of 0, a range of readers "
    "that takes a logarithmic axis, and two ciphers")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes",		1, 5, 0, 0, true },
		{ "locked",	"aes",		1024, 1, 1e6, 0, true },
		{ "concurrent",	"chacha20",	2, 5, 1, 1, false },
	};

	for (unsigned n = 1; n <= nitems(grid); n++) {
		fixture_result(&r, grid, n);
		r.cells[0].harvest.cpu_percent = n == 1 ? 0 : 0.001;
		draw("a.svg");
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

	for (unsigned lock = 0; lock < locks; lock++)
		for (unsigned cipher = 0; cipher < nitems(ciphers); cipher++)
			for (design = 0; design < nitems(designs); design++)
				for (unsigned i = 1; i <= MANY_POINTS; i++)
					grid[n++] = (struct fixture_cell){
					    designs[design], ciphers[cipher], i,
					    5, 100 + 10 * (i + lock), 2,
					    i == MANY_POINTS };
	fixture_result(&r, grid, n);
	for (unsigned i = 0; i < n; i++)
		snprintf(r.cells[i].lock, RESULT_NAME_SIZE, "m_%u-x",
		    i / (n / locks));
}

static struct result_wait
make_wait(const char *site, const char *holder, double ns)
{
	struct result_wait w = { .count = 3, .wait_total_ns = ns };

	snprintf(w.lock, sizeof(w.lock), "reseed mutex");
	snprintf(w.site, sizeof(w.site), "%s", site);
	snprintf(w.role, sizeof(w.role), "reader");
	snprintf(w.holder, sizeof(w.holder), "%s", holder);
	return (w);
}

/* Gives a cell two waits, 80 % and 20 % of what it waited. */
static void
add_waits(struct result_cell *c, double ns)
{
	c->wait_rows = 2;
	c->waits = fixture_alloc(2, sizeof(*c->waits));
	c->waits[0] = make_wait("pre_read", "read_chunk", 0.8 * ns);
	c->waits[1] = make_wait("read%schunk", "read_chunk", 0.2 * ns);
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
	make_many(14, grid);
	script();
	ATF_CHECK_EQ(10, count_text(text, "$D << EOD\n"));
	ATF_CHECK_EQ(1, count_text(text, "'chacha20, curves 25 to 28 of 28'"));
	ATF_CHECK_EQ(2, count_text(text, "'concurrent, m_13-x'"));
	ATF_CHECK(strstr(text, "left out") == NULL);
	draw("many.png");
	result_free(&r);
	/* Without the last curve: no row for one alone. */
	make_many(7, grid);
	r.cell_count -= MANY_POINTS;
	script();
	ATF_CHECK_EQ(1, count_text(text, "'chacha20, curves 11 to 13 of 13'"));
	r.cell_count += MANY_POINTS;
	result_free(&r);
	make_many(LOCKS, grid);
	script();
	ATF_CHECK_EQ(1, count_text(text, "; 48 curves are left out"));
	result_free(&r);
	free(grid);
}

TEST(plot_print__marks_what_does_not_hold, "A cell that failed a gate is on "
    "no line and under no law, but can be seen; a law that is far off its "
    "curve is not drawn")
{
	struct fixture_cell grid[4 * MANY_POINTS];

	make_many(1, grid);
	script();
	ATF_CHECK(strstr(text, "a gate failed") == NULL);
	ATF_CHECK(strstr(text, "\n1 1 ") == NULL);
	ATF_CHECK_EQ(4, count_text(text, " 1 4\n"));
	snprintf(r.cells[1].gate, RESULT_TEXT_SIZE, "drift");
	script();
	ATF_CHECK(strstr(text, "open markers: a gate failed") != NULL);
	ATF_CHECK(strstr(text, "\n1 1 2 120 118 122 ") != NULL);
	draw("gated.svg");
	r.cells[1].gate[0] = '\0';
	r.cells[1].total_mb_per_s *= 3;
	script();
	ATF_CHECK(strstr(text, "$LAW << EOD\n \n") != NULL);
	ATF_CHECK_EQ(3, count_text(text, " 1 4\n"));
	draw("poor.svg");
	result_free(&r);
}

TEST(plot_print__draws_harvest_bands, "The harvest thread's CPU has a band "
    "where profiles were drawn, and only there")
{
	struct fixture_cell grid[4 * MANY_POINTS];

	make_many(1, grid);
	script();
	ATF_CHECK(strstr(text, " 3.25 3.25 3.25 ") != NULL);
	r.cells[0].uncertainty = (struct result_band){ .samples = 10,
	    .total_mb_per_s = { 1, 2 }, .harvest_cpu_percent = { 0, 900 } };
	script();
	ATF_CHECK(strstr(text, "\n1 0 1 110 1 2 3.25 0 900 ") != NULL);
	draw("bands.svg");
	result_free(&r);
}

TEST(plot_print__draws_waits, "The matrix is of the cell that waited most of "
    "each design, its numbers are shares")
{
	struct fixture_cell grid[4 * MANY_POINTS];

	make_many(1, grid);
	add_waits(&r.cells[1], 2e9);
	add_waits(&r.cells[2], 1e9);
	script();
	ATF_CHECK_EQ(1, count_text(text, "$M << EOD"));
	ATF_CHECK_EQ(1, count_text(text, "2 readers: % of 2.00s waited"));
	ATF_CHECK(strstr(text, "\n0 0 0.8\n0 1 0.2\n") != NULL);
	/* A tic's text is a format. */
	ATF_CHECK(strstr(text, "'read%%schunk (reader)'") != NULL);
	draw("waits.svg");
	result_free(&r);
}

TEST(plot_write__escapes_for_svg, "Names that mean something in XML, and to "
    "gnuplot's enhanced mode, stand in the picture as they are")
{
	static char svg[1 << 20];
	size_t n;
	FILE *in;

	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "a_b^{c}<&-d");
	draw("a.svg");
	in = fopen("a.svg", "r");
	ATF_REQUIRE(in != NULL);
	n = fread(svg, 1, sizeof(svg) - 1, in);
	fclose(in);
	svg[n] = '\0';
	ATF_CHECK(strstr(svg, "a_b^{c}&lt;&amp;-d") != NULL);
	ATF_CHECK(strstr(svg, "</svg>") != NULL);
	result_free(&r);
}

TEST(plot_write__refuses, "Other formats, and results without cells, are "
    "refused and leave nothing behind")
{
	static const char *const paths[] = {
		"a", "a.pdf", "png", ".png", "a.png.gz", ""
	};

	fixture_result(&r, fixture_grid, 1);
	for (size_t i = 0; i < nitems(paths); i++) {
		ATF_CHECK(!gnuplot_path_ok(paths[i]));
		ATF_CHECK_EQ_MSG(EINVAL, plot_write(&r, paths[i],
		    why),
		    "%s", paths[i]);
		ATF_CHECK(strstr(why, ".png or .svg") != NULL);
		ATF_CHECK(access(paths[i], F_OK) != 0);
	}
	result_free(&r);
	fixture_result(&r, fixture_grid, 0);
	ATF_CHECK_EQ(EINVAL, plot_write(&r, "a.png", why));
	result_free(&r);
}

TEST(plot_write__names_the_package, "Without gnuplot the message says what to "
    "install, and an older picture stays")
{
	atf_utils_create_file("a.png", "older");
	ATF_REQUIRE(setenv("PATH", "/nonexistent", 1) == 0);
	fixture_result(&r, fixture_grid, 1);
	ATF_CHECK_EQ(ENOENT, plot_write(&r, "a.png", why));
	ATF_CHECK(strstr(why, "gnuplot-nox") != NULL);
	require_magic("a.png", "older", 5);
	result_free(&r);
}

TEST(plot_write__reports_a_failing_gnuplot, "A gnuplot that fails or is "
    "killed is an error with its message")
{
	atf_utils_create_file("gnuplot", "#! /bin/sh\necho half a picture\n"
	    "printf '\\n  it broke\\n\\n' >&2\nexit 3\n");
	ATF_REQUIRE(chmod("gnuplot", 0755) == 0);
	ATF_REQUIRE(setenv("PATH", ".", 1) == 0);
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", why));
	ATF_CHECK_STREQ("gnuplot: it broke", why);
	ATF_CHECK(access("a.png", F_OK) != 0);
	/* As the terminal's interrupt ends it. */
	atf_utils_create_file("gnuplot", "#! /bin/sh\nkill -INT $$\n");
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", why));
	ATF_CHECK_STREQ("gnuplot was ended by a signal: Interrupt", why);
	ATF_CHECK(access("a.png", F_OK) != 0);
	/* It reports no error of writing. */
	atf_utils_create_file("gnuplot", "#! /bin/sh\necho half a picture\n");
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", why));
	ATF_CHECK_STREQ("gnuplot wrote a part of the picture only", why);
	ATF_CHECK(access("a.png", F_OK) != 0);
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
	draw("a.png");
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
