/*
 * What is made of samples whose origin is known, and its way through a
 * document.
 */
#include <errno.h>
#include <math.h>

#include "bench/report/report.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/cpu.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { SAMPLES = 40, CELLS = 3 };

/* Two locks and two designs, one combination of them missing. */
static const struct fixture_cell grid[CELLS] = {
	{ "locked", "aes", 2, 5, 400, 2, false },
	{ "concurrent", "aes", 2, 5, 800, 2, false },
	{ "locked", "aes", 2, 5, 410, 2, false },
};

static struct profile base, drawn[SAMPLES];

/*
 * The total falls with one value and rises, less surely, with another; the two
 * locks win in turn, the designs never do.
 */
/* In sliver the third cell wins always, by less than is worth it. */
static void
make(struct result *r, bool sliver)
{
	char why[PROFILE_ERROR_SIZE];
	struct result_cell *rc;

	ATF_REQUIRE_EQ_MSG(0, profile_load(&base, "epyc-9654-2s", why), "%s",
	    why);
	fixture_result(r, grid, CELLS);
	snprintf(r->cells[2].lock, sizeof(r->cells[2].lock), "mcs");
	for (unsigned i = 0; i < SAMPLES; i++) {
		drawn[i] = base;
		drawn[i].pr_value[PROFILE_AES_KERNEL_BYTE] = 100 - i;
		drawn[i].pr_value[PROFILE_LAT_REMOTE] = i % 2 * 100 + i;
	}
	for (unsigned c = 0; c < CELLS; c++) {
		rc = &r->cells[c];
		snprintf(rc->engine, sizeof(rc->engine), "virtual");
		snprintf(rc->profile, sizeof(rc->profile), "epyc-9654-2s");
		rc->cpus = 192;
		rc->nodes = 2;
		rc->guessed_share = 0.5;
		rc->uncertainty.samples = SAMPLES;
		rc->uncertainty.total_samples = fixture_reals(SAMPLES, 0);
		rc->uncertainty.harvest_cpu_samples = fixture_reals(SAMPLES, 0);
		rc->uncertainty.latency_p99_samples = fixture_reals(SAMPLES, 0);
		for (unsigned i = 0; i < SAMPLES; i++) {
			rc->uncertainty.total_samples[i] = 100 + i +
			    (c == 1 ? 1000 : 0) + (c != 2 ? 0 : sliver ?
			    0.03 * (100 + i) : i % 4 == 0 ? -0.5 : 0.5);
			rc->uncertainty.harvest_cpu_samples[i] =
			    10 * c + i / 100.0;
			rc->uncertainty.latency_p99_samples[i] = 3e5 + 1e3 * i;
		}
	}
	uncertainty_analyse(r, drawn, &base);
}

TEST(uncertainty__sliver,
    "A lock that always wins, by less than what compare ranks, is no robust "
    "choice")
{
	const struct result_ranking *rr;
	struct result r;

	make(&r, true);
	ATF_REQUIRE_EQ(2, r.uncertainty.ranking_count);
	rr = &r.uncertainty.rankings[1];
	ATF_CHECK_STREQ("mcs", rr->better);
	ATF_CHECK_EQ(1, rr->share);
	ATF_CHECK(!rr->robust);
	ATF_CHECK(r.uncertainty.rankings[0].robust);
	result_free(&r);
}

TEST(uncertainty__planted,
    "The value that decides comes first, with its sign; a lock that wins three "
    "times in four is not robust, a design that always wins is")
{
	const struct result_uncertainty *ru;
	const struct result_ranking *rr;
	struct result r;

	make(&r, false);
	ru = &r.uncertainty;
	ATF_CHECK_EQ(SAMPLES, ru->samples);
	ATF_REQUIRE(ru->parameter_count > 3);
	ATF_CHECK_STREQ("aes.kernel.byte", ru->parameters[0].key);
	ATF_CHECK_STREQ("guessed", ru->parameters[0].provenance);
	ATF_CHECK(fabs(ru->parameters[0].effect + 1) < 0.01);
	ATF_CHECK_STREQ("lat.remote", ru->parameters[1].key);
	ATF_CHECK_STREQ("published", ru->parameters[1].provenance);
	ATF_CHECK(ru->parameters[1].effect > 0.3 &&
	    ru->parameters[1].effect < 0.8);
	for (unsigned i = 2; i < ru->parameter_count; i++)
		ATF_CHECK_EQ_MSG(0, ru->parameters[i].effect, "%s",
		    ru->parameters[i].key);
	for (unsigned i = 0; i < ru->parameter_count; i++)
		ATF_CHECK(strncmp(ru->parameters[i].key, "topo.", 5) != 0 &&
		    strncmp(ru->parameters[i].key, "chacha20.", 9) != 0 &&
		    strncmp(ru->parameters[i].key, "aes.native", 10) != 0);
	ATF_REQUIRE_EQ(2, ru->ranking_count);
	rr = &ru->rankings[0];
	ATF_CHECK_STREQ("design", rr->by);
	ATF_CHECK_STREQ("concurrent", rr->better);
	ATF_CHECK_STREQ("locked", rr->worse);
	ATF_CHECK_STREQ("mtx", rr->like);
	ATF_CHECK_EQ(1, rr->share);
	ATF_CHECK(rr->robust);
	rr = &ru->rankings[1];
	ATF_CHECK_STREQ("lock", rr->by);
	ATF_CHECK_STREQ("mcs", rr->better);
	ATF_CHECK_STREQ("mtx", rr->worse);
	ATF_CHECK_STREQ("locked", rr->like);
	ATF_CHECK_EQ(0.75, rr->share);
	ATF_CHECK(!rr->robust);
	/* 10 % and 90 % of 40 evenly spaced values. */
	ATF_CHECK(fabs(r.cells[0].uncertainty.total_mb_per_s[0] - 103.9) <
	    1e-6);
	ATF_CHECK(fabs(r.cells[0].uncertainty.total_mb_per_s[1] - 135.1) <
	    1e-6);
	ATF_CHECK(fabs(r.cells[2].uncertainty.harvest_cpu_percent[0] -
	    20.039) < 1e-6);
	ATF_CHECK(fabs(r.cells[1].uncertainty.latency_p99_ns[1] - 335100) <
	    1e-6);
	result_free(&r);
}

TEST(uncertainty__printed,
    "The table has bands, bars and rankings, in 80 columns; figures outside "
    "their bands are marked")
{
	static const char *const parts[] = {
		"predicted", "epyc-9654-2s, 192 CPUs in 2 nodes",
		/* The total and harvest CPU lie outside, p99 does not. */
		"      2   locked           [52.0..67.5]^     [0.04..0.35]^   "
		    "[304us..335us]\n",
		"^: the figure above,",
		"aes.kernel.byte        guessed   -1.00  ####################|",
		"concurrent over locked, mtx, aes, 2 readers of 64 KiB: 100 %, "
		    "robust",
		"mcs over mtx, locked, aes, 2 readers of 64 KiB: 75.0 %, not "
		    "robust",
		"they hold: 1 of 2",
	};
	char *rest, *text;
	struct result r;

	make(&r, false);
	text = fixture_printed(table_print, &r);
	for (unsigned i = 0; i < nitems(parts); i++)
		ATF_CHECK_MSG(strstr(text, parts[i]) != NULL, "no \"%s\" in "
		    "%s", parts[i], text);
	ATF_CHECK(strstr(text, "measured") == NULL);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	    line = strtok_r(NULL, "\n", &rest))
		ATF_CHECK_MSG(strlen(line) <= 80, "\"%s\"", line);
	free(text);
	result_free(&r);
}

TEST(uncertainty__document,
    "What is written is read again; what cannot be is refused by its place")
{
	static const struct {
		const char	*old, *new, *where;
	} edits[] = {
		{ "\"guessed_share\": 0.5", "\"guessed_share\": 1.5",
		    "cells[0].guessed_share" },
		{ "\"cpus\": 192", "\"cpus\": 1", "cells[0].nodes" },
		{ "\"nodes\": 2", "\"nodes\": 0", "cells[0].nodes" },
		{ "\"effect\": -", "\"effect\": -3",
		    "uncertainty.parameters[0].effect" },
		{ "\"share\": 0.75", "\"share\": 1.75",
		    "uncertainty.rankings[1].share" },
		{ "\"robust\": true", "\"robust\": 1",
		    "uncertainty.rankings[0].robust" },
		{ "\"total_samples\": [", "\"total_samples\": [7,",
		    "cells[0].uncertainty.total_samples" },
		{ "0123456789abcdef", "0123456789abcdeg",
		    "cells[0].samples[0].trace_hash" },
		{ "\"output_sha256\": [", "\"output_sha256\": [\"x\",",
		    "cells[0].samples[0].output_sha256" },
	};
	char *again, *text, why[RESULT_TEXT_SIZE];
	struct result r, read;

	make(&r, false);
	snprintf(r.cells[0].samples[0].trace_hash, RESULT_NAME_SIZE,
	    "0123456789abcdef");
	r.cells[0].samples[0].virtual_events = 12345;
	r.cells[0].samples[0].output_sha256 = fixture_alloc(2,
	    RESULT_SHA256_SIZE);
	for (unsigned k = 0; k < 2; k++)
		memset(r.cells[0].samples[0].output_sha256[k], 'a' + (int)k,
		    RESULT_SHA256_SIZE - 1);
	text = result_format_json(&r);
	ATF_REQUIRE(text != NULL);
	ATF_REQUIRE_EQ_MSG(0, fixture_load(text, strlen(text), &read, why),
	    "%s", why);
	again = result_format_json(&read);
	ATF_CHECK_STREQ(text, again);
	ATF_CHECK_EQ(12345, read.cells[0].samples[0].virtual_events);
	ATF_CHECK_EQ(-1, (int)floor(read.uncertainty.parameters[0].effect));
	free(again);
	result_free(&read);
	for (unsigned i = 0; i < nitems(edits); i++) {
		ATF_CHECK_EQ_MSG(EINVAL, fixture_load_edited(text, edits[i].old,
		    edits[i].new, &read, why), "%s", edits[i].new);
		ATF_CHECK_MSG(strstr(why, edits[i].where) != NULL,
		    "\"%s\", expected \"%s\"", why, edits[i].where);
	}
	free(text);
	result_free(&r);
}

TEST(replicate_threads__mappings, "As many machines run at a time as their "
    "stacks' mappings fit the host's limit, with room for others")
{
	static char arguments[][40] = { "sweep", "--engine=virtual",
	    "--profile=epyc-9654-2s", "--cpus=1024", "--readers=1024",
	    "--size=32", "--design=locked",
	    "--set=rngsim.virtual.threads=256" };
	char *argv[nitems(arguments) + 1] = { NULL };
	static struct options op;
	uint64_t needed;
	unsigned i, n;
	double most;
	FILE *f;

	f = fopen("/proc/sys/vm/max_map_count", "r");
	if (f == NULL || fscanf(f, "%lf", &most) != 1)
		atf_tc_skip("the host names no limit");
	fclose(f);
	ATF_REQUIRE_EQ(0, cpu_init());
	for (i = 0; i < nitems(arguments); i++)
		argv[i] = arguments[i];
	ATF_REQUIRE_EQ(0, options_parse(&op, COMMAND_sweep, argv));
	n = replicate_threads(&op, &needed);
	ATF_CHECK(n > 0);
	/* A stack and its guard each. */
	ATF_CHECK_MSG(n * 2 * 1024 < most * 0.9, "%u machines", n);
	options_free(&op);
}

TEST_PROGRAM()
