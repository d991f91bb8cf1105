/*
 * The line that says how far a run is.
 */
#include <stdio.h>
#include <string.h>

#include <atf-c.h>

#include "bench/console/progress.h"
#include "lib/tick.h"

ATF_TC(progress__says_what_was_there);
ATF_TC_HEAD(progress__says_what_was_there, tc)
{

	atf_tc_set_md_var(tc, "descr", "Of a run that goes on the line has the "
	    "part that was there, and reckons the time left without it");
}
ATF_TC_BODY(progress__says_what_was_there, tc)
{
	char line[256] = "";
	struct progress p;

	(void)tc;
	progress_resume(&p, 100, 40);
	p.pr_out = tmpfile();
	ATF_REQUIRE(p.pr_out != NULL);
	/* Ten steps took ten minutes, so that fifty take fifty. */
	p.pr_start_ns = tick_ns() - 600 * NS_PER_S;
	progress_update(&p, 50, "cell");
	rewind(p.pr_out);
	ATF_REQUIRE(fgets(line, sizeof(line), p.pr_out) != NULL);
	ATF_CHECK_MSG(strstr(line, " 50 % ") != NULL &&
	    strstr(line, "50:0") != NULL &&
	    strstr(line, "cell (40 % were there)") != NULL, "%s", line);
	/* Before the first step nothing is known. */
	rewind(p.pr_out);
	progress_update(&p, 40, "cell");
	rewind(p.pr_out);
	ATF_REQUIRE(fgets(line, sizeof(line), p.pr_out) != NULL);
	ATF_CHECK_MSG(strstr(line, "--:--") != NULL, "%s", line);
	fclose(p.pr_out);
	progress_init(&p, 100);
	p.pr_out = tmpfile();
	ATF_REQUIRE(p.pr_out != NULL);
	progress_update(&p, 50, "cell");
	rewind(p.pr_out);
	ATF_REQUIRE(fgets(line, sizeof(line), p.pr_out) != NULL);
	ATF_CHECK_MSG(strstr(line, "there") == NULL, "%s", line);
	fclose(p.pr_out);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, progress__says_what_was_there);
	return (atf_no_error());
}
