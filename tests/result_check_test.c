#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <atf-c.h>

#include "bench/result/result_check.h"
#include "tests/result_fixture.h"
#include "tests/support.h"

enum { CELLS = 3, REPEATS = 5 };

/* Two of a design, and one more as a control would be. */
static const struct fixture_cell grid[CELLS] = {
	{ "locked", "aes", 2, REPEATS, 400, 2, false },
	{ "concurrent", "aes", 2, REPEATS, 800, 2, false },
	{ "locked", "aes", 4, REPEATS, 420, 2, false },
};

static void
set_total(struct result_sample *s, unsigned readers, double mb_per_s)
{
	unsigned i;

	s->total_mb_per_s = mb_per_s;
	for (i = 0; i < readers; i++)
		s->reader_mb_per_s[i] = mb_per_s / readers;
}

/* Repeats that go up and down around the cell's figures. */
static void
make(struct result *r)
{
	static const double around[REPEATS] = { 2, -1, 0, 1, -2 };
	struct result_cell *c;
	unsigned i, k;

	fixture_result(r, grid, CELLS);
	for (i = 0; i < CELLS; i++) {
		c = &r->cells[i];
		for (k = 0; k < REPEATS; k++) {
			set_total(&c->samples[k], c->readers,
			    grid[i].fc_mb_per_s + around[k]);
			c->samples[k].harvest.cpu_percent +=
			    around[k] / 10;
			c->samples[k].fairness.min_max += around[k] / 100;
		}
	}
}

/* The result is refused, and the message begins with where. */
static void
refused(struct result *r, const char *where)
{
	char why[RESULT_TEXT_SIZE] = "";

	ATF_CHECK_EQ_MSG(EINVAL, result_check(r, why), "%s", where);
	ATF_CHECK_MSG(strncmp(why, where, strlen(where)) == 0,
	    "\"%s\", expected \"%s\"", why, where);
	result_free(r);
	make(r);
	ATF_REQUIRE_EQ_MSG(0, result_check(r, why), "%s", why);
}

ATF_TC(result_check__edited);
ATF_TC_HEAD(result_check__edited, tc)
{

	atf_tc_set_md_var(tc, "descr", "A median that is not its samples', a "
	    "sum that is not its readers', and a cell that stands twice are "
	    "named, in cells and in controls");
}
ATF_TC_BODY(result_check__edited, tc)
{
	struct result r;
	unsigned k;

	(void)tc;
	make(&r);
	r.cells[2].total_mb_per_s *= 3;
	refused(&r, "cells[2].total_mb_per_s: 1260 is not the median of its "
	    "samples, 420");
	r.cells[1].samples[3].total_mb_per_s *= 1.001;
	refused(&r, "cells[1].samples[3].total_mb_per_s: ");
	for (k = 0; k < REPEATS; k++)
		set_total(&r.cells[0].samples[k], 2, 410);
	refused(&r, "cells[0].total_mb_per_s: ");
	r.cells[0].reader_mb_per_s[1] = 100;
	refused(&r, "cells[0].reader_mb_per_s[1]: ");
	r.cells[0].harvest.cpu_percent = 0;
	refused(&r, "cells[0].harvest.cpu_percent: ");
	r.cells[0].harvest.events_per_s *= 2;
	refused(&r, "cells[0].harvest.events_per_s: ");
	r.cells[0].fairness.min_max = 1;
	refused(&r, "cells[0].fairness.min_max: ");
	r.cells[0].fairness.jain = 1;
	refused(&r, "cells[0].fairness.jain: ");
	strcpy(r.cells[1].design, "locked");
	refused(&r, "cells[0] and cells[1] are the same cell");
	r.controls = r.cells + 2;
	r.control_count = 1;
	r.cell_count = 2;
	r.controls[0].total_mb_per_s *= 3;
	r.controls[0].notes[0] = '\0';
	{
		char why[RESULT_TEXT_SIZE] = "";

		ATF_CHECK_EQ(EINVAL, result_check(&r, why));
		ATF_CHECK_MSG(strncmp(why, "controls[0].total_mb_per_s", 26) ==
		    0, "%s", why);
	}
	r.controls = NULL;
	r.control_count = 0;
	r.cell_count = CELLS;
	result_free(&r);
}

ATF_TC(result_check__as_measured);
ATF_TC_HEAD(result_check__as_measured, tc)
{

	atf_tc_set_md_var(tc, "descr", "What is no edit passes: decimals that "
	    "were rounded, samples without objects, a repeat that failed its "
	    "gate and was left out, one repeat, other polls, no cell");
}
ATF_TC_BODY(result_check__as_measured, tc)
{
	char why[RESULT_TEXT_SIZE] = "";
	struct result r;
	unsigned k;

	(void)tc;
	make(&r);
	r.cells[0].total_mb_per_s *= 1 + 1e-9;
	r.cells[0].samples[1].total_mb_per_s *= 1 - 1e-9;
	/* The others have medians -0.5 and 1 from 800. */
	strcpy(r.cells[1].samples[2].gate, "drift");
	strcpy(r.cells[1].samples[3].gate, "drift");
	r.cells[1].total_mb_per_s = 799;
	r.cells[1].reader_mb_per_s[0] = r.cells[1].reader_mb_per_s[1] = 399.5;
	r.cells[1].harvest.cpu_percent -= 0.1;
	r.cells[1].fairness.min_max -= 0.01;
	for (k = 0; k < REPEATS; k++) {
		r.cells[2].samples[k].harvest =
		    (struct result_harvest){ .dropped = 0 };
		r.cells[2].samples[k].fairness =
		    (struct result_fairness){ .cov = 0 };
	}
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	strcpy(r.cells[1].samples[2].gate, "");
	strcpy(r.cells[1].samples[3].gate, "");
	ATF_CHECK_EQ(EINVAL, result_check(&r, why));
	result_free(&r);

	make(&r);
	strcpy(r.cells[0].lock, "tas");
	strcpy(r.cells[1].lock, "tas");
	strcpy(r.cells[1].design, "locked");
	r.cells[1].spin_polls = 64;
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	result_free(&r);

	fixture_result(&r, grid, 0);
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	result_free(&r);
	fixture_result(&r, &(struct fixture_cell){ "locked", "aes", 2, 1, 400,
	    2, false }, 1);
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	result_free(&r);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, result_check__edited);
	ATF_TP_ADD_TC(tp, result_check__as_measured);
	return (atf_no_error());
}
