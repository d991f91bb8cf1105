/*
 * Strategies, schedules and their files, shrinking, campaigns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/explore/campaign.h"
#include "bench/explore/hyperloglog.h"
#include "bench/explore/shrink.h"
#include "lib/machine/cpu.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	TOY_THREADS	= 3,
	TOY_STEPS	= 6,	/* of each */
	TOY_TRACE	= 256
};

/* A program to schedule: threads that take the same number of steps each. */
struct toy {
	unsigned	ty_threads;
	unsigned	ty_steps;
	unsigned	ty_left[8];
	uint16_t	ty_trace[TOY_TRACE];	/* threads, in order */
	unsigned	ty_count;
};

typedef unsigned toy_choose(void *context, const struct vm_choice *vo);

static void
toy_run(struct toy *ty, toy_choose *choose, void *context)
{
	uint16_t thread[8];
	struct vm_choice vo = { .vo_thread = thread };
	unsigned i, last = 0;

	ty->ty_count = 0;
	for (i = 0; i < ty->ty_threads; i++)
		ty->ty_left[i] = ty->ty_steps;
	for (;;) {
		vo.vo_count = 0;
		vo.vo_self = -1;
		for (i = 0; i < ty->ty_threads; i++) {
			if (ty->ty_left[i] == 0)
				continue;
			if (i + 1 == last)
				vo.vo_self = (int)vo.vo_count;
			thread[vo.vo_count++] = (uint16_t)(i + 1);
		}
		if (vo.vo_count == 0)
			return;
		vo.vo_point = vo.vo_self < 0 ? VM_POINT_BLOCKED :
		    VM_POINT_ACCESS;
		i = vo.vo_count == 1 ? 0 : choose(context, &vo);
		ATF_REQUIRE(i < vo.vo_count);
		last = thread[i];
		ty->ty_left[last - 1]--;
		ATF_REQUIRE(ty->ty_count < TOY_TRACE);
		ty->ty_trace[ty->ty_count++] = (uint16_t)last;
	}
}

/* Runs the toy by the index-th schedule of a strategy; false: none is left. */
static bool
toy_schedule(struct toy *ty, struct strategy *st, uint64_t seed,
    uint64_t index)
{
	if (!strategy_begin(st, seed, index))
		return (false);
	toy_run(ty, strategy_choose, st);
	strategy_end(st);
	return (true);
}

TEST(strategy__deterministic, "every strategy makes the same choices with the "
    "same seed, and other choices with another, but for dfs")
{
	struct toy a = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS }, b;
	struct strategy st;
	const struct strategy_class *sy;
	unsigned differ, k;

	for (unsigned i = 0; i < strategy_count; i++) {
		sy = strategy_classes[i];
		differ = 0;
		for (unsigned run = 0; run < 2 * 20; run++) {
			/* A new one has learned nothing from the last run. */
			strategy_init(&st, sy, sy->sy_usual);
			for (k = 0; k < 12; k++)
				ATF_REQUIRE(toy_schedule(&a, &st,
				    run / 2 * 100 + k, k));
			strategy_fini(&st);
			ATF_CHECK_EQ(TOY_THREADS * TOY_STEPS, a.ty_count);
			k = run > 0 && memcmp(a.ty_trace, b.ty_trace,
			    sizeof(a.ty_trace)) != 0;
			ATF_CHECK_MSG(run % 2 == 0 || k == 0, "%s",
			    sy->sy_name);
			differ += k;
			b = a;
		}
		ATF_CHECK_MSG((differ > 0) == (sy != &strategy_dfs),
		    "%s: %u of 19", sy->sy_name, differ);
	}
}

/* n over k. */
static unsigned
choose_of(unsigned n, unsigned k)
{
	return (k == 0 ? 1 : choose_of(n - 1, k - 1) * n / k);
}

static unsigned
dfs_count(struct toy *ty, unsigned bound, struct hyperloglog *di)
{
	struct strategy st;
	unsigned runs = 0;
	uint64_t hash;

	strategy_init(&st, &strategy_dfs, bound);
	while (toy_schedule(ty, &st, 0, runs)) {
		hash = 1;
		for (unsigned i = 0; i < ty->ty_count; i++) {
			hash += ty->ty_trace[i];
			hash = splitmix_next(&hash);
		}
		hyperloglog_add(di, hash);
		runs++;
		ATF_REQUIRE(runs < 1000000);
	}
	strategy_fini(&st);
	return (runs);
}

TEST(strategy__dfs_counts, "dfs runs each schedule once: their number is the "
    "computed one")
{
	static struct hyperloglog all, none, one;
	struct toy ty = { .ty_threads = 2, .ty_steps = 4 };
	unsigned n;

	/* No preemption: one thread runs to its end, then the other. */
	ATF_CHECK_EQ(2, dfs_count(&ty, 0, &none));
	/* One: the first is preempted after 1..3 steps, or not. */
	ATF_CHECK_EQ(2 + 2 * 3, dfs_count(&ty, 1, &one));
	/* More than possible: all ways to merge two rows of four. */
	n = choose_of(8, 4);
	ATF_CHECK_EQ(n, dfs_count(&ty, 8, &all));
	/* So few are counted exactly. */
	ATF_CHECK_MSG((unsigned)(hyperloglog_estimate(&all) + 0.5) == n, "%g",
	    hyperloglog_estimate(&all));
	ty.ty_threads = 3;
	ATF_CHECK_EQ(6, dfs_count(&ty, 0, &none));
}

TEST(strategy__delay_bounded, "delay switches threads only at the end of a "
    "turn and at a delay")
{
	struct toy ty = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS };
	unsigned most, switches;
	struct strategy st;

	for (unsigned bound = 0; bound <= 3; bound++) {
		strategy_init(&st, &strategy_delay, bound);
		most = 0;
		for (unsigned run = 0; run < 200; run++) {
			ATF_REQUIRE(toy_schedule(&ty, &st, run, run));
			switches = 0;
			for (unsigned i = 1; i < ty.ty_count; i++)
				switches += ty.ty_trace[i] !=
				    ty.ty_trace[i - 1];
			if (switches > most)
				most = switches;
		}
		strategy_fini(&st);
		ATF_CHECK_MSG(most <= TOY_THREADS - 1 + bound, "%u with %u",
		    most, bound);
		ATF_CHECK_EQ(bound == 0, most == TOY_THREADS - 1);
	}
}

TEST(strategy__starves, "starve makes a thread wait much longer than a random "
    "walk does")
{
	static const struct strategy_class *const class[] = {
	    &strategy_random, &strategy_starve };
	struct toy ty = { .ty_threads = 4, .ty_steps = 60 };
	unsigned c, gap, i, left, longest[2] = { 0, 0 }, run;
	struct strategy st;

	for (c = 0; c < nitems(class); c++) {
		strategy_init(&st, class[c], 0);
		for (run = 0; run < 100; run++) {
			ATF_REQUIRE(toy_schedule(&ty, &st, run, run));
			/* Steps of others while the last thread waits. */
			left = ty.ty_steps;
			for (gap = i = 0; left > 0; i++, gap++) {
				if (ty.ty_trace[i] != ty.ty_threads)
					continue;
				longest[c] = gap > longest[c] ? gap :
				    longest[c];
				gap = 0;
				left--;
			}
		}
		strategy_fini(&st);
	}
	ATF_CHECK_MSG(longest[1] > 2 * longest[0], "random %u, starve %u",
	    longest[0], longest[1]);
}

TEST(strategy__names, "names of strategies are read back; other words are "
    "refused")
{
	static const struct {
		const char	*text;
		int		 error;
	} wrong[] = { { "", ENOENT }, { "rand", ENOENT },
	    { "random:1", EINVAL }, { "pct:", ERANGE }, { "pct:0", ERANGE },
	    { "pct:9", ERANGE } };
	const struct strategy_class *sy;
	char buf[STRATEGY_NAME_SIZE];
	unsigned i, parameter;

	for (i = 0; i < strategy_count; i++) {
		strategy_name(buf, strategy_classes[i],
		    strategy_classes[i]->sy_most);
		ATF_CHECK_EQ(0, strategy_parse(buf, &sy, &parameter));
		ATF_CHECK(sy == strategy_classes[i]);
		ATF_CHECK_EQ(strategy_classes[i]->sy_most, parameter);
	}
	for (i = 0; i < nitems(wrong); i++)
		ATF_CHECK_EQ_MSG(wrong[i].error, strategy_parse(wrong[i].text,
		    &sy, &parameter), "%s", wrong[i].text);
	ATF_CHECK_EQ(0, strategy_parse("pct", &sy, &parameter));
	ATF_CHECK_EQ(sy->sy_usual, parameter);
}

/* Fails when 3 comes between two steps of 1, and then 2 before 1 again. */
static bool
planted(const struct toy *ty)
{
	unsigned at = 0;
	static const uint16_t want[] = { 1, 3, 1, 2, 1 };

	for (unsigned i = 0; i < ty->ty_count && at < nitems(want); i++)
		at += ty->ty_trace[i] == want[at];
	return (at == nitems(want));
}

static bool
planted_fails(void *context, struct schedule *sd)
{
	struct toy *ty = context;
	struct schedule_follower sf;

	schedule_follow(&sf, sd);
	toy_run(ty, schedule_choose, &sf);
	return (planted(ty));
}

TEST(shrink__minimal, "a planted fault's schedule becomes as small as "
    "possible")
{
	struct toy ty = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS };
	unsigned failed = 0;
	struct schedule sd;
	struct strategy st;

	memset(&sd, 0, sizeof(sd));
	strategy_init(&st, &strategy_random, 0);
	for (unsigned run = 0; run < 50; run++) {
		ATF_REQUIRE(toy_schedule(&ty, &st, run, run));
		if (!planted(&ty))
			continue;
		failed++;
		schedule_clear(&sd);
		for (unsigned i = 0; i < ty.ty_count; i++)
			schedule_append(&sd.sd_choices, ty.ty_trace[i], 1);
		ATF_REQUIRE(planted_fails(&ty, &sd));
		shrink_schedule(&sd, planted_fails, &ty);
		ATF_CHECK(planted_fails(&ty, &sd));
		/* 1, 3, 1, 2 and what runs then: a piece for each. */
		ATF_CHECK_MSG(sd.sd_choices.sl_count <= 5 &&
		    sd.sd_choices.sl_steps <= 12, "%u pieces, %ju "
		    "steps", sd.sd_choices.sl_count,
		    (uintmax_t)sd.sd_choices.sl_steps);
	}
	ATF_CHECK(failed >= 10);
	strategy_fini(&st);
	schedule_free(&sd);
}

static struct campaign
campaign_of(const char *lock)
{
	struct campaign cn = { .cn_strategy = &strategy_mix, .cn_seed = 7,
	    .cn_end = 2000, .cn_jobs = 1 };
	struct subject *tb = &cn.cn_subject;

	subject_default(tb);
	tb->tb_design = simulated_design("concurrent");
	tb->tb_lock = simulated_lock(lock);
	tb->tb_cipher = cipher_find("chacha20");
	campaign_limits(tb, &cn.cn_limits);
	return (cn);
}

/* Runs a campaign on one host thread, and on three. */
static void
run_both(struct campaign *cn, struct campaign_result *one,
    struct campaign_result *three)
{
	ATF_REQUIRE_EQ(0, campaign_run(cn, one));
	cn->cn_jobs = 3;
	ATF_REQUIRE_EQ(0, campaign_run(cn, three));
}

TEST(campaign__deterministic, "a campaign has the same counts and the same "
    "failure with one host thread and with three")
{
	static struct campaign_result one, three;
	struct campaign cn = campaign_of("mtx");

	support_crypto();
	run_both(&cn, &one, &three);
	ATF_CHECK_MSG(!one.ce_failed, "%s: %s", one.ce_outcome.to_word,
	    one.ce_outcome.to_detail);
	ATF_CHECK_EQ(2000, one.ce_schedules);
	ATF_CHECK_EQ(one.ce_schedules, three.ce_schedules);
	ATF_CHECK_EQ(one.ce_steps, three.ce_steps);
	ATF_CHECK_EQ(one.ce_reads, three.ce_reads);
	ATF_CHECK_EQ(one.ce_blocks, three.ce_blocks);
	ATF_CHECK_EQ(one.ce_distinct, three.ce_distinct);
	ATF_CHECK(one.ce_reseeds > one.ce_schedules);
	ATF_CHECK_EQ(800, one.ce_by[strategy_index(&strategy_random)]);
	ATF_CHECK_EQ(800, one.ce_by[strategy_index(&strategy_pct)]);
	ATF_CHECK_EQ(200, one.ce_by[strategy_index(&strategy_starve)]);
	ATF_CHECK_EQ(200, one.ce_by[strategy_index(&strategy_delay)]);
	cn = campaign_of("none");
	run_both(&cn, &one, &three);
	ATF_REQUIRE(one.ce_failed && three.ce_failed);
	ATF_CHECK_EQ(one.ce_case.cx_number, three.ce_case.cx_number);
	ATF_CHECK_EQ(one.ce_case.cx_hash, three.ce_case.cx_hash);
	/* It fails alone too, without the earlier scenarios. */
	cn.cn_first = one.ce_case.cx_number;
	cn.cn_end = cn.cn_first + 1;
	counterexample_free(&three.ce_case);
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &three));
	ATF_REQUIRE(three.ce_failed);
	ATF_CHECK_EQ(one.ce_case.cx_hash, three.ce_case.cx_hash);
	counterexample_free(&one.ce_case);
	counterexample_free(&three.ce_case);
}

TEST(campaign__exhausts, "dfs ends, with more schedules where more preemptions "
    "are allowed")
{
	static struct campaign_result ce;
	struct campaign cn = campaign_of("ticket");
	uint64_t before = 0;

	support_crypto();
	cn.cn_strategy = &strategy_dfs;
	cn.cn_limits.sm_small = true;
	cn.cn_limits.sm_readers_most = 2;
	cn.cn_end = 1000000;
	for (unsigned bound = 0; bound <= 1; bound++) {
		cn.cn_parameter = bound;
		ATF_REQUIRE_EQ(0, campaign_run(&cn, &ce));
		ATF_CHECK_MSG(!ce.ce_failed, "%s: %s", ce.ce_outcome.to_word,
		    ce.ce_outcome.to_detail);
		ATF_CHECK(ce.ce_exhausted);
		printf("%u preemptions: %ju\n", bound,
		    (uintmax_t)ce.ce_schedules);
		ATF_CHECK(ce.ce_schedules > 2 * before);
		before = ce.ce_schedules;
	}
}

/* The text of a counterexample. */
static char *
failing_case(struct campaign_result *ce)
{
	struct campaign cn = campaign_of("none");
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	ATF_REQUIRE_EQ(0, campaign_run(&cn, ce));
	ATF_REQUIRE(ce->ce_failed);
	out = open_memstream(&text, &len);
	ATF_REQUIRE(out != NULL);
	counterexample_print(out, &ce->ce_case);
	fclose(out);
	return (text);
}

TEST(case__round_trip, "a schedule file that is read prints the same text, and "
    "its replay has the same outcome")
{
	static struct campaign_result ce;
	char *again = NULL, message[LINES_ERROR_SIZE], *text;
	struct counterexample cx;
	struct replay_result cr;
	struct execution *ex;
	size_t len = 0;
	FILE *out;

	support_crypto();
	text = failing_case(&ce);
	atf_utils_create_file("case", "%s", text);
	ATF_REQUIRE_EQ_MSG(0, counterexample_load(&cx, "case", message), "%s",
	    message);
	out = open_memstream(&again, &len);
	counterexample_print(out, &cx);
	fclose(out);
	ATF_CHECK_STREQ(text, again);
	ex = execution_new();
	ATF_REQUIRE_EQ(0, counterexample_run(ex, &cx, NULL, &cr));
	ATF_CHECK(cr.cr_exact);
	ATF_CHECK(cr.cr_same);
	/* With a correct lock it cannot be followed, and does not fail. */
	cx.cx_subject.tb_lock = simulated_lock("mtx");
	ATF_REQUIRE_EQ(0, counterexample_run(ex, &cx, NULL, &cr));
	ATF_CHECK(!cr.cr_same);
	ATF_CHECK(cr.cr_outcome.to_word == NULL);
	execution_free(ex);
	counterexample_free(&cx);
	counterexample_free(&ce.ce_case);
	free(again);
	free(text);
}

/* A file with line replaced by another is refused with these words. */
static void
refused(const char *text, const char *line, const char *by, const char *words)
{
	char message[LINES_ERROR_SIZE] = "", *changed;
	const char *at = strstr(text, line);
	struct counterexample cx;

	ATF_REQUIRE_MSG(at != NULL, "no \"%s\"", line);
	changed = malloc(strlen(text) + strlen(by) + 1);
	ATF_REQUIRE(changed != NULL);
	sprintf(changed, "%.*s%s%s", (int)(at - text), text, by,
	    at + strlen(line));
	atf_utils_create_file("changed", "%s", changed);
	ATF_CHECK_MSG(counterexample_load(&cx, "changed", message) != 0,
	    "\"%s\" is "
	    "taken", by);
	ATF_CHECK_MSG(strstr(message, "changed") != NULL &&
	    strstr(message, words) != NULL, "\"%s\": no \"%s\" in %s", by,
	    words, message);
	counterexample_free(&cx);
	free(changed);
}

TEST(case__malformed, "wrong schedule files are refused, with file and line")
{
	static const struct {
		const char	*line, *by, *words;
	} cases[] = {
		{ "rngsim-schedule/1", "rngsim-schedule/2", "changed:1:" },
		{ "design concurrent", "design nonsense", "changed:2:" },
		{ "lock none", "lock pthread", "3: \"pthread\" is no lock of" },
		{ "cipher chacha20", "cipher des", "changed:4:" },
		{ "seed 7", "seed", "changed:5:" },
		{ "seed 7", "seed 7\nseed 7", "a second \"seed\"" },
		{ "seed 7", "tunable a=b\nseed 7", "no tunable" },
		{ "seed 7", "failpoint a=off\nseed 7", "no fail point" },
		{ "seed 7", "nonsense 7\nseed 7", "nothing that a" },
		{ "draws ", "draws x", "expected a number" },
		{ "hash 0x", "hash 0xg", "expected a number" },
		{ "seeded ", "seeded perhaps ", "yes or no" },
		{ "places ", "places 9", "expected 1..4" },
		{ "places ", "#", "no line \"places\"" },
		{ "property ", "#", "no line \"property\"" },
		{ "choices ", "choices 0 ", "expected a number 1..8" },
		{ "choices ", "choices 9 ", "expected a number 1..8" },
		{ "choices ", "choices 1*0 ", "expected a number" },
		{ "choices ", "choices 1*4000000000 ", "expected" },
		{ "choices ", "choices 1*300000 1*300000 ", "in all" },
		{ "choices ", "answers 2\nchoices ", "expected a number" },
		{ "reader ", "reader 99999999 ", "up to" },
		{ "reader ", "reader 1@x ", "up to" },
		{ "reader ", "reader 1 2 3 4 5 6 7 8 9 ", "more than" },
		{ "reader ", "reader 1\nreader 1\nreader 1\nreader 1\n"
		    "reader 1\nreader 1\nreader ",
		    "more than 6 readers" },
		{ "reader ", "reader\nreader ", "reads nothing" },
		{ "end\n", "", "cut off" },
		{ "end\n", "end\nmore\n", "behind \"end\"" },
	};
	static struct campaign_result ce;
	char *text;

	support_crypto();
	text = failing_case(&ce);
	for (unsigned i = 0; i < nitems(cases); i++)
		refused(text, cases[i].line, cases[i].by, cases[i].words);
	refused("x", "x", "", "empty");
	counterexample_free(&ce.ce_case);
	free(text);
}

TEST_PROGRAM()
