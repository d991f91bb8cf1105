#include <sys/stat.h>

#include <errno.h>
#include <unistd.h>

#include "bench/plot.h"
#include "bench/plot_script.h"
#include "bench/progress.h"
#include "tests/result_fixture.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

static void
script_png(FILE *out, const struct result *r)
{

	plot_script_print(out, r, false);
}

/* Draws, or skips where there is nothing to draw with. */
static void
draw(const struct result *r, const char *path)
{
	char error[RESULT_TEXT_SIZE];
	int status;

	status = plot_write(r, path, error);
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
		ATF_CHECK(!plot_path_ok(paths[i]));
		ATF_CHECK_EQ_MSG(EINVAL, plot_write(&r, paths[i], error),
		    "%s", paths[i]);
		ATF_CHECK(strstr(error, ".png or .svg") != NULL);
		ATF_CHECK(access(paths[i], F_OK) != 0);
	}
	result_free(&r);
	fixture_result(&r, fixture_grid, 0);
	ATF_CHECK_EQ(EINVAL, plot_write(&r, "a.png", error));
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
	ATF_CHECK_EQ(ENOENT, plot_write(&r, "a.png", error));
	ATF_CHECK(strstr(error, "gnuplot-nox") != NULL);
	require_magic("a.png", "older", 5);
	result_free(&r);
}

ATF_TC(plot_write__reports_a_failing_gnuplot);
ATF_TC_HEAD(plot_write__reports_a_failing_gnuplot, tc)
{

	atf_tc_set_md_var(tc, "descr", "A gnuplot that fails, before it reads "
	    "or after, is an error that tells its message");
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
	ATF_CHECK_EQ(EIO, plot_write(&r, "a.png", error));
	ATF_CHECK_STREQ("gnuplot: it broke", error);
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
	ATF_TP_ADD_TC(tp, plot_write__refuses);
	ATF_TP_ADD_TC(tp, plot_write__names_the_package);
	ATF_TP_ADD_TC(tp, plot_write__reports_a_failing_gnuplot);
	ATF_TP_ADD_TC(tp, plot_script_print__text_is_no_command);
	ATF_TP_ADD_TC(tp, progress_format__fits_the_line);
	return (atf_no_error());
}
