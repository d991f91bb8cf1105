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
	struct progress p;

	progress_init(&p, 100, before);
	p.pr_out = tmpfile();
	ATF_REQUIRE(p.pr_out != NULL);
	p.pr_start_ns = tick_ns() - 600 * NS_PER_S;
	progress_update(&p, done, "cell");
	rewind(p.pr_out);
	ATF_REQUIRE(fgets(line, sizeof(line), p.pr_out) != NULL);
	fclose(p.pr_out);
	return (line);
}

TEST(progress__resumed, "The line of a resumed run has the part that was "
    "there, and the time left does not count it")
{
	const char *line = drawn(40, 50);

	/* Ten steps took ten minutes, so that fifty take fifty. */
	ATF_CHECK_MSG(strstr(line, " 50 % ") != NULL &&
	    strstr(line, "50:0") != NULL &&
	    strstr(line, "cell (40 % were there)") != NULL, "%s", line);
	line = drawn(40, 40);
	ATF_CHECK_MSG(strstr(line, "--:--") != NULL, "%s", line);
	line = drawn(0, 50);
	ATF_CHECK_MSG(strstr(line, "there") == NULL, "%s", line);
}

TEST_PROGRAM()
