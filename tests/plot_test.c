#include <sys/stat.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench/console/gnuplot.h"
#include "bench/console/progress.h"
#include "bench/report/plot.h"
#include "bench/report/plot_script.h"
#include "tests/result_fixture.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

enum { MANY_POINTS = 5 };	/* of each curve */

static void
script_png(FILE *out, const struct result *r)
{

	ATF_REQUIRE_EQ(0, plot_script_print(out, r, PLOT_ALL, false));
}

/* Draws, or skips where there is nothing to draw with. */
static void
draw(const struct result *r, const char *path)
{
	char error[RESULT_TEXT_SIZE];
	int status;

	status = plot_write(r, path, PLOT_ALL, error);
	if (status == ENOENT)
		atf_tc_skip("%s", error);
	ATF_REQUIRE_MSG(status == 0, "%s: %s", path, error);
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

ATF_TC(plot_write__draws_what_the_name_says);
ATF_TC_HEAD(plot_write__draws_what_the_name_says, tc)
{

	atf_tc_set_md_var(tc, "descr", "A .png is a PNG and a .svg an SVG");
}
ATF_TC_BODY(plot_write__draws_what_the_name_says, tc)
{
	struct result r;

	(void)tc;
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	draw(&r, "a.png");
	require_magic("a.png", "\x89PNG\r\n\x1a\n", 8);
	draw(&r, "a.svg");
	require_magic("a.svg", "<?xml", 5);
	result_free(&r);
}

ATF_TC(plot_write__draws_any_grid);
ATF_TC_HEAD(plot_write__draws_any_grid, tc)
{

	atf_tc_set_md_var(tc, "descr", "One cell, cells of 0, a range of "
	    "readers that takes a logarithmic axis, and two ciphers");
}
ATF_TC_BODY(plot_write__draws_any_grid, tc)
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes",		1, 5, 0, 0, true },
		{ "locked",	"aes",		1024, 1, 1e6, 0, true },
		{ "concurrent",	"chacha20",	2, 5, 1, 1, false },
	};
	struct result r;
	unsigned n;

	(void)tc;
	for (n = 1; n <= nitems(grid); n++) {
		fixture_result(&r, grid, n);
		r.cells[0].harvest.cpu_percent = n == 1 ? 0 : 0.001;
		draw(&r, "a.svg");
		result_free(&r);
	}
}

/* A result of curves in two ciphers, each of a few cells. */
static void
make_many(struct result *r, unsigned locks, struct fixture_cell *grid)
{
	static const char *const ciphers[] = { "aes", "chacha20" };
	static const char *const designs[] = { "locked", "concurrent" };
	unsigned cipher, design, i, lock, n = 0;

	for (lock = 0; lock < locks; lock++)
		for (cipher = 0; cipher < nitems(ciphers); cipher++)
			for (design = 0; design < nitems(designs); design++)
				for (i = 1; i <= MANY_POINTS; i++)
					grid[n++] = (struct fixture_cell){
					    designs[design], ciphers[cipher], i,
					    5, 100 + 10 * (i + lock), 2,
					    i == MANY_POINTS };
	fixture_result(r, grid, n);
	for (i = 0; i < n; i++)
		snprintf(r->cells[i].lock, RESULT_NAME_SIZE, "m_%u-x",
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

static unsigned
count_text(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return (n);
}

ATF_TC(plot_script_print__makes_room);
ATF_TC_HEAD(plot_script_print__makes_room, tc)
{

	atf_tc_set_md_var(tc, "descr", "Many curves make more panels, not "
	    "fuller ones, in a column for each cipher; too many are counted");
}
ATF_TC_BODY(plot_script_print__makes_room, tc)
{
	enum { LOCKS = 30 };
	struct fixture_cell *grid;
	struct result r;
	char *text;

	(void)tc;
	grid = fixture_alloc(4 * MANY_POINTS * LOCKS, sizeof(*grid));
	make_many(&r, 1, grid);
	text = fixture_printed(script_png, &r);
	ATF_CHECK_EQ(2, count_text(text, "set title 'total MB/s'"));
	ATF_CHECK_EQ(1, count_text(text, "'aes'"));
	ATF_CHECK_EQ(4, count_text(text, "with filledcurves linestyle ") / 2);
	free(text);
	result_free(&r);
	make_many(&r, 14, grid);
	text = fixture_printed(script_png, &r);
	ATF_CHECK_EQ(10, count_text(text, "set title 'total MB/s'"));
	ATF_CHECK_EQ(1, count_text(text, "'chacha20, curves 25 to 28 of 28'"));
	ATF_CHECK_EQ(2, count_text(text, "'concurrent, m_13-x'"));
	ATF_CHECK(strstr(text, "left out") == NULL);
	free(text);
	draw(&r, "many.png");
	result_free(&r);
	make_many(&r, LOCKS, grid);
	text = fixture_printed(script_png, &r);
	ATF_CHECK_EQ(1, count_text(text, "; 24 curves are left out"));
	free(text);
	result_free(&r);
	free(grid);
}

ATF_TC(plot_script_print__marks_gated_cells);
ATF_TC_HEAD(plot_script_print__marks_gated_cells, tc)
{

	atf_tc_set_md_var(tc, "descr", "A cell that failed a gate is on no "
	    "line and under no law, but is to be seen");
}
ATF_TC_BODY(plot_script_print__marks_gated_cells, tc)
{
	struct fixture_cell grid[4 * MANY_POINTS];
	struct result r;
	char *text;

	(void)tc;
	make_many(&r, 1, grid);
	text = fixture_printed(script_png, &r);
	ATF_CHECK(strstr(text, "hollow") == NULL);
	ATF_CHECK(strstr(text, ", $g0 ") == NULL);
	ATF_CHECK_EQ(2, count_text(text, ", $w0 "));
	free(text);
	snprintf(r.cells[1].gate, RESULT_TEXT_SIZE, "drift");
	text = fixture_printed(script_png, &r);
	ATF_CHECK(strstr(text, "hollow: a gate was not passed") != NULL);
	ATF_CHECK(strstr(text, "$g0 << EOD\n2 120 118 122 ") != NULL);
	ATF_CHECK_EQ(3, count_text(text, ", $g0 "));
	ATF_CHECK_EQ(3, count_text(text, ", $h0 "));
	free(text);
	draw(&r, "gated.svg");
	result_free(&r);
}

ATF_TC(plot_script_print__draws_no_poor_law);
ATF_TC_HEAD(plot_script_print__draws_no_poor_law, tc)
{

	atf_tc_set_md_var(tc, "descr", "A law that is far off its curve is not "
	    "drawn");
}
ATF_TC_BODY(plot_script_print__draws_no_poor_law, tc)
{
	struct fixture_cell grid[4 * MANY_POINTS];
	struct result r;
	char *text;

	(void)tc;
	make_many(&r, 1, grid);
	r.cells[1].total_mb_per_s *= 3;
	text = fixture_printed(script_png, &r);
	ATF_CHECK(strstr(text, "$c0") != NULL);
	ATF_CHECK(strstr(text, "$w0") == NULL);
	ATF_CHECK(strstr(text, "$x0") == NULL);
	free(text);
	result_free(&r);
}

/* Whether the first panel has room for the end of the first curve's law. */
static void __attribute__((noinline))
check_frame(const char *text)
{
	double end = 0, most = 0, n, total;
	const char *line, *range;
	unsigned points = 0;

	line = strstr(text, "$x0 << EOD\n");
	range = strstr(text, "set yrange [0:");
	ATF_REQUIRE(line != NULL && range != NULL);
	ATF_REQUIRE_EQ(1, sscanf(range, "set yrange [0:%lf]", &most));
	while ((line = strchr(line, '\n')) != NULL &&
	    sscanf(++line, "%lf %lf", &n, &total) == 2) {
		end = fmax(end, total);
		points++;
	}
	ATF_CHECK(points > 2);
	ATF_CHECK_MSG(end <= most, "%g beyond %g", end, most);
}

ATF_TC(plot_script_print__keeps_laws_in_the_frame);
ATF_TC_HEAD(plot_script_print__keeps_laws_in_the_frame, tc)
{

	atf_tc_set_md_var(tc, "descr", "The axes reach as far as the law of a "
	    "curve that still rises at its end");
}
ATF_TC_BODY(plot_script_print__keeps_laws_in_the_frame, tc)
{
	struct fixture_cell grid[4 * MANY_POINTS];
	struct result r;
	double total;
	unsigned i;
	char *text;

	(void)tc;
	make_many(&r, 1, grid);
	for (i = 0; i < r.cell_count; i++) {
		total = 100.0 * r.cells[i].readers;
		r.cells[i].total_mb_per_s = total;
		r.cells[i].total_mb_per_s_ci95[0] = total;
		r.cells[i].total_mb_per_s_ci95[1] = total;
	}
	text = fixture_printed(script_png, &r);
	check_frame(text);
	free(text);
	result_free(&r);
}

ATF_TC(plot_script_print__draws_harvest_bands);
ATF_TC_HEAD(plot_script_print__draws_harvest_bands, tc)
{

	atf_tc_set_md_var(tc, "descr", "The harvest thread's CPU has a band "
	    "where profiles were drawn, and only there, within the axis");
}
ATF_TC_BODY(plot_script_print__draws_harvest_bands, tc)
{
	struct fixture_cell grid[4 * MANY_POINTS];
	struct result r;
	char *text;

	(void)tc;
	make_many(&r, 1, grid);
	text = fixture_printed(script_png, &r);
	ATF_CHECK(strstr(text, " using 1:6:7 ") == NULL);
	free(text);
	r.cells[0].uncertainty = (struct result_band){ .samples = 10,
	    .total_mb_per_s = { 1, 2 }, .harvest_cpu_percent = { 0, 900 } };
	text = fixture_printed(script_png, &r);
	ATF_CHECK_EQ(1, count_text(text, ", $c0 using 1:6:7 with "
	    "filledcurves linestyle 1"));
	ATF_CHECK_EQ(1, count_text(text, ", $c0 using 1:5:6:7 with "
	    "yerrorbars linestyle 1"));
	ATF_CHECK(strstr(text, " 0 900\n") != NULL);
	ATF_CHECK_EQ(1, count_text(text, "set yrange [0:972]"));
	free(text);
	draw(&r, "bands.svg");
	result_free(&r);
}

ATF_TC(plot_script_print__draws_waits);
ATF_TC_HEAD(plot_script_print__draws_waits, tc)
{

	atf_tc_set_md_var(tc, "descr", "The matrix is of the cell that waited "
	    "most of each design, its numbers are shares");
}
ATF_TC_BODY(plot_script_print__draws_waits, tc)
{
	struct fixture_cell grid[4 * MANY_POINTS];
	struct result r;
	char *text;

	(void)tc;
	make_many(&r, 1, grid);
	add_waits(&r.cells[1], 2e9);
	add_waits(&r.cells[2], 1e9);
	text = fixture_printed(script_png, &r);
	ATF_CHECK_EQ(1, count_text(text, "boxxyerror"));
	ATF_CHECK_EQ(1, count_text(text, "2 readers: % of 2.00s waited"));
	ATF_CHECK(strstr(text, "\n0 0 ") != NULL);
	ATF_CHECK(strstr(text, " 80 16777215\n") != NULL);
	ATF_CHECK(strstr(text, " 20 0\n") != NULL);
	/* A tic's text is a format. */
	ATF_CHECK(strstr(text, "'read%%schunk (reader)'") != NULL);
	free(text);
	draw(&r, "waits.svg");
	result_free(&r);
}

ATF_TC(plot_write__draws_one_part);
ATF_TC_HEAD(plot_write__draws_one_part, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every part by itself, with waits and "
	    "without any");
}
ATF_TC_BODY(plot_write__draws_one_part, tc)
{
	char error[RESULT_TEXT_SIZE];
	struct result r;
	unsigned part, round;
	int status;

	(void)tc;
	for (round = 0; round < 2; round++) {
		fixture_result(&r, fixture_grid, FIXTURE_CELLS);
		if (round == 1)
			add_waits(&r.cells[2], 5e6);
		for (part = PLOT_ALL + 1; part < PLOT_PARTS; part++) {
			ATF_CHECK(plot_part_names[part] != NULL);
			status = plot_write(&r, "part.svg",
			    (enum plot_part)part, error);
			if (status == ENOENT)
				atf_tc_skip("%s", error);
			ATF_CHECK_EQ_MSG(0, status, "%s: %s",
			    plot_part_names[part], error);
		}
		result_free(&r);
	}
}

ATF_TC(plot_write__escapes_for_svg);
ATF_TC_HEAD(plot_write__escapes_for_svg, tc)
{

	atf_tc_set_md_var(tc, "descr", "Names that mean something in XML, and "
	    "to gnuplot's enhanced mode, stand in the picture as they are");
}
ATF_TC_BODY(plot_write__escapes_for_svg, tc)
{
	static char text[1 << 20];
	struct result r;
	size_t n;
	FILE *in;

	(void)tc;
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "a_b^{c}<&-d");
	draw(&r, "a.svg");
	in = fopen("a.svg", "r");
	ATF_REQUIRE(in != NULL);
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	ATF_CHECK(strstr(text, "a_b^{c}&lt;&amp;-d") != NULL);
	ATF_CHECK(strstr(text, "</svg>") != NULL);
	result_free(&r);
}

ATF_TC(plot_write__refuses);
ATF_TC_HEAD(plot_write__refuses, tc)
{

	atf_tc_set_md_var(tc, "descr", "Other formats, and results without "
	    "cells, are refused and leave nothing behind");
}
ATF_TC_BODY(plot_write__refuses, tc)
{
	static const char *const paths[] = {
		"a", "a.pdf", "png", ".png", "a.png.gz", ""
	};
	char error[RESULT_TEXT_SIZE];
	struct result r;
	size_t i;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	for (i = 0; i < nitems(paths); i++) {
		ATF_CHECK(!gnuplot_path_ok(paths[i]));
		ATF_CHECK_EQ_MSG(EINVAL, plot_write(&r, paths[i],
		    PLOT_ALL, error),
		    "%s", paths[i]);
		ATF_CHECK(strstr(error, ".png or .svg") != NULL);
		ATF_CHECK(access(paths[i], F_OK) != 0);
	}
	result_free(&r);
	fixture_result(&r, fixture_grid, 0);
	ATF_CHECK_EQ(EINVAL, plot_write(&r, "a.png", PLOT_ALL, error));
	result_free(&r);
}

ATF_TC(plot_write__names_the_package);
ATF_TC_HEAD(plot_write__names_the_package, tc)
{

	atf_tc_set_md_var(tc, "descr", "Without gnuplot the message says what "
	    "to install, and an older picture stays");
}
ATF_TC_BODY(plot_write__names_the_package, tc)
{
	char error[RESULT_TEXT_SIZE];
	struct result r;
	FILE *out;

	(void)tc;
	out = fopen("a.png", "w");
	ATF_REQUIRE(out != NULL);
	fputs("older", out);
	ATF_REQUIRE(fclose(out) == 0);
	ATF_REQUIRE(setenv("PATH", "/nonexistent", 1) == 0);
	fixture_result(&r, fixture_grid, 1);
	ATF_CHECK_EQ(ENOENT, plot_write(&r, "a.png", PLOT_ALL, error));
	ATF_CHECK(strstr(error, "gnuplot-nox") != NULL);
	require_magic("a.png", "older", 5);
	result_free(&r);
}

ATF_TC(plot_write__reports_a_failing_gnuplot);
ATF_TC_HEAD(plot_write__reports_a_failing_gnuplot, tc)
{

	atf_tc_set_md_var(tc, "descr", "A gnuplot that fails or is killed "
	    "is an error that tells its message");
}
ATF_TC_BODY(plot_write__reports_a_failing_gnuplot, tc)
{
	char error[RESULT_TEXT_SIZE];
	struct result r;
	FILE *out;

	(void)tc;
	out = fopen("gnuplot", "w");
	ATF_REQUIRE(out != NULL);
	fputs("#! /bin/sh\necho half a picture\n"
	    "printf '\\n  it broke\\n\\n' >&2\nexit 3\n", out);
	ATF_REQUIRE(fclose(out) == 0);
	ATF_REQUIRE(chmod("gnuplot", 0755) == 0);
	ATF_REQUIRE(setenv("PATH", ".", 1) == 0);
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", PLOT_ALL, error));
	ATF_CHECK_STREQ("gnuplot: it broke", error);
	ATF_CHECK(access("a.png", F_OK) != 0);
	/* As the terminal's interrupt ends it. */
	out = fopen("gnuplot", "w");
	ATF_REQUIRE(out != NULL);
	fputs("#! /bin/sh\nkill -INT $$\n", out);
	ATF_REQUIRE(fclose(out) == 0);
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", PLOT_ALL, error));
	ATF_CHECK_STREQ("gnuplot was ended by a signal: Interrupt", error);
	ATF_CHECK(access("a.png", F_OK) != 0);
	result_free(&r);
}

ATF_TC(plot_script_print__text_is_no_command);
ATF_TC_HEAD(plot_script_print__text_is_no_command, tc)
{

	atf_tc_set_md_var(tc, "descr", "A result file from elsewhere must not "
	    "make gnuplot run anything");
}
ATF_TC_BODY(plot_script_print__text_is_no_command, tc)
{
	struct result r;
	char *text;

	(void)tc;
	fixture_result(&r, fixture_grid, FIXTURE_CELLS);
	snprintf(r.host.cpu_model, RESULT_TEXT_SIZE,
	    "x'; system 'touch made'; y = '\n!touch made\n`touch made`");
	snprintf(r.cells[0].design, RESULT_NAME_SIZE, "'.system('touch made')");
	snprintf(r.cells[0].lock, RESULT_NAME_SIZE, "EOD");
	text = fixture_printed(script_png, &r);
	ATF_CHECK(strstr(text, "x ; system  touch made ; y =  ") != NULL);
	ATF_CHECK(strstr(text, "\n!") == NULL);
	ATF_CHECK(strchr(text, '`') == NULL);
	free(text);
	draw(&r, "a.png");
	ATF_CHECK(access("made", F_OK) != 0);
	result_free(&r);
}

ATF_TC(progress_format__fits_the_line);
ATF_TC_HEAD(progress_format__fits_the_line, tc)
{

	atf_tc_set_md_var(tc, "descr", "A line wider than the terminal could "
	    "not be drawn over");
}
ATF_TC_BODY(progress_format__fits_the_line, tc)
{
	char line[128];

	(void)tc;
	progress_format(line, sizeof(line), 79, 0.5, 61.2, "locked, 4");
	ATF_CHECK_STREQ("[##########..........]  50 % 01:02 left  locked, 4",
	    line);
	progress_format(line, sizeof(line), 79, 2, 7300, "x");
	ATF_CHECK_STREQ("[####################] 100 % 2:01:40 left  x", line);
	progress_format(line, sizeof(line), 30, 0, -1, "x");
	ATF_CHECK_STREQ("[....................]   0 % -", line);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, plot_write__draws_what_the_name_says);
	ATF_TP_ADD_TC(tp, plot_write__draws_any_grid);
	ATF_TP_ADD_TC(tp, plot_script_print__makes_room);
	ATF_TP_ADD_TC(tp, plot_script_print__marks_gated_cells);
	ATF_TP_ADD_TC(tp, plot_script_print__draws_no_poor_law);
	ATF_TP_ADD_TC(tp, plot_script_print__keeps_laws_in_the_frame);
	ATF_TP_ADD_TC(tp, plot_script_print__draws_harvest_bands);
	ATF_TP_ADD_TC(tp, plot_script_print__draws_waits);
	ATF_TP_ADD_TC(tp, plot_write__draws_one_part);
	ATF_TP_ADD_TC(tp, plot_write__escapes_for_svg);
	ATF_TP_ADD_TC(tp, plot_write__refuses);
	ATF_TP_ADD_TC(tp, plot_write__names_the_package);
	ATF_TP_ADD_TC(tp, plot_write__reports_a_failing_gnuplot);
	ATF_TP_ADD_TC(tp, plot_script_print__text_is_no_command);
	ATF_TP_ADD_TC(tp, progress_format__fits_the_line);
	return (atf_no_error());
}
