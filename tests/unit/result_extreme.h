/*
 * Results as no machine yields them but a file may hold them.
 */
#ifndef TESTS_UNIT_RESULT_EXTREME_H
#define TESTS_UNIT_RESULT_EXTREME_H

#include <atf-c.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/result/result.h"
#include "tests/unit/result_fixture.h"

static const double extreme_values[] = {
	0, 1e-300, 1e-5, 0.123456789, 9.9999, 99.995, 999.95, 12345.6, 999999.5,
	1.23456e8, 9.9e15, 1e300, 1.7e308
};

enum {
	EXTREME_VALUES = sizeof(extreme_values) / sizeof(extreme_values[0])
};

/* Fails the test for each line of text that is too wide or ends in a space. */
static inline void
check_lines(const char *text)
{
	const char *line = text;

	while (*line != '\0') {
		size_t len = strcspn(line, "\n");

		ATF_CHECK_MSG(len <= FORMAT_COLUMNS, "%zu columns: %.*s", len,
		    (int)len, line);
		ATF_CHECK_MSG(len == 0 || line[len - 1] != ' ',
		    "space at the end: %.*s|", (int)len, line);
		ATF_REQUIRE_EQ('\n', line[len]);
		line += len + 1;
	}
}

/* Names and notes as long as they may be, of one long word or of many. */
static inline void
extreme_texts(struct result *r, char letter)
{
	memset(r->host.cpu_model, letter, RESULT_TEXT_SIZE - 1);
	memset(r->host.kernel, 'k', RESULT_TEXT_SIZE - 1);
	for (struct result_cell *c = r->cells; c < r->cells + r->cell_count;
	    c++) {
		bool locked = strcmp(c->design, "locked") == 0;

		if (!locked)
			memset(c->design, letter, RESULT_NAME_SIZE - 1);
		memset(c->lock, letter, RESULT_NAME_SIZE - 1);
		memset(c->workload, letter, RESULT_TEXT_SIZE - 1);
		memset(c->arrivals, letter, RESULT_NAME_SIZE - 1);
		memset(c->cipher, letter, RESULT_NAME_SIZE - 1);
		memset(c->crypto, letter, RESULT_NAME_SIZE - 1);
		memset(c->notes, locked ? letter : 'n', RESULT_TEXT_SIZE - 1);
		if (c->readers > 1)
			memset(c->gate, letter, RESULT_TEXT_SIZE - 1);
		c->health_rows = 1;
		c->health = fixture_alloc(1, sizeof(*c->health));
		memset(c->health->source, letter, RESULT_NAME_SIZE - 1);
		memset(c->lock_profile->site, letter, RESULT_NAME_SIZE - 1);
		memset(c->lock_profile->lock, letter, RESULT_NAME_SIZE - 1);
		memset(c->lock_profile->role, letter, RESULT_NAME_SIZE - 1);
	}
}

static inline void
extreme_row(struct result_row *row, double v)
{
	const struct result_quantiles q = { v, v, v };

	row->count = row->contended = row->cnt_hold = row->yields = v;
	row->hold_total_ns = row->hold_max_ns = v;
	row->wait_total_ns = row->wait_max_ns = v;
	row->spin_total_ns = row->block_total_ns = v;
	row->spin_count = row->block_count = v;
	row->hold_ns = row->spin_ns = row->block_ns = q;
}

/* Every figure of a cell is v. */
static inline void
extreme_figures(struct result_cell *c, double v)
{
	c->total_mb_per_s = v;
	c->total_mb_per_s_ci95[0] = 0;
	c->total_mb_per_s_ci95[1] = v;
	for (unsigned i = 0; i < c->readers; i++)
		c->reader_mb_per_s[i] = v;
	c->profile_cost_percent = v;
	c->latency_ns = (struct result_latency){ v, v, v, v, v };
	c->latency_uncorrected_ns = c->latency_ns;
	c->fairness = (struct result_fairness){ v, v, v, v, v, v, v, v, v, v,
	    v, v };
	c->harvest = (struct result_harvest){ v, v, v, v, v, v, v };
	for (unsigned i = 0; i < c->health_rows; i++)
		c->health[i].discarded = c->health[i].passed =
		    c->health[i].repetitions = c->health[i].proportions = v;
	for (unsigned i = 0; i < c->lock_profile_rows; i++)
		extreme_row(&c->lock_profile[i], v);
	for (unsigned i = 0; i < c->wait_rows; i++)
		c->waits[i].count = c->waits[i].wait_total_ns = v;
	for (unsigned i = 0; i < c->repeats; i++)
		c->samples[i].reads_per_s = c->samples[i].window_s = v;
}

#endif
