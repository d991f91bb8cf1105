/*
 * The progress line.
 */
#include <stdio.h>
#include <string.h>

#include "bench/cli/progress.h"
#include "lib/machine/tick.h"
#include "tests/unit/test.h"

/* Draws the line ten minutes after the start. */
static const char *
drawn(uint64_t before, uint64_t done)
{
	static char line[256];

	progress_init(100, before);
	progress_line.prg_out = tmpfile();
	ATF_REQUIRE(progress_line.prg_out != NULL);
	progress_line.prg_start_ns = tick_ns() - 600 * NS_PER_S;
	progress_update(done, "cell");
	rewind(progress_line.prg_out);
	ATF_REQUIRE(fgets(line, sizeof(line), progress_line.prg_out) != NULL);
	fclose(progress_line.prg_out);
	return (line);
}

TEST(progress__resumed, "The line of a resumed run has the part that was "
    "there, and the time left does not count it")
{
	const char *line = drawn(40, 50);

	/* Ten steps took ten minutes, so that fifty take fifty. */
	ATF_CHECK_MSG(strstr(line, " 50 % ") != NULL &&
	    strstr(line, "50:0") != NULL, "%s", line);
	line = drawn(40, 40);
	ATF_CHECK_MSG(strstr(line, "--:--") != NULL, "%s", line);
}

TEST(progress_format__left, "The time left in minutes and hours, up to 1000 of "
    "them")
{
	static const struct {
		double		 at_s;
		const char	*at_text;
	} table[] = {
		{ -1, " --:-- " }, { 0, " 00:00 " }, { 59, " 00:59 " },
		{ 59.5, " 01:00 " }, { 3599, " 59:59 " }, { 3600, " 1:00:00 " },
		{ 86399, " 23:59:59 " }, { 3600000, " 1000:00:00 " },
		{ 3600001, " --:-- " },
	};
	char buf[256];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		progress_format(buf, sizeof(buf), 80, 0.5, table[i].at_s,
		    "cell");
		ATF_CHECK_MSG(strstr(buf, table[i].at_text) != NULL,
		    "%g: %s", table[i].at_s, buf);
	}
}

TEST_PROGRAM()
