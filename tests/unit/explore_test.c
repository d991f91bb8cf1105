/*
 * Strategies, schedules and their files, shrinking, campaigns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/explore/campaign.h"
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

/* Runs the toy by the next schedule of a strategy; false: none is left. */
static bool
toy_schedule(struct toy *ty, struct strategy *sg, uint64_t seed)
{
	if (!strategy_begin(sg, seed))
		return (false);
	toy_run(ty, strategy_choose, sg);
	return (true);
}

TEST(strategy__deterministic, "every strategy makes the same choices with the "
    "same seed, and other choices with another")
{
	struct toy a = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS }, b;
	const struct strategy_class *sy = NULL;
	struct strategy sg;
	unsigned differ, k;

	/* The first is none: drawn. */
	for (unsigned i = 0; i == 0 || sy != NULL; sy = strategy_classes[i++]) {
		/* It is told what steps use: dpor_test. */
		if (sy == &strategy_dpor)
			continue;
		differ = 0;
		for (unsigned run = 0; run < 2 * 20; run++) {
			/* A new one has learned nothing from the last run. */
			strategy_init(&sg, sy, sy == NULL ? 0 : sy->sy_usual);
			for (k = 0; k < 12; k++)
				ATF_REQUIRE(toy_schedule(&a, &sg,
				    run / 2 * 100 + k));
			strategy_fini(&sg);
			ATF_CHECK_EQ(TOY_THREADS * TOY_STEPS, a.ty_count);
			k = run > 0 && memcmp(a.ty_trace, b.ty_trace,
			    sizeof(a.ty_trace)) != 0;
			ATF_CHECK_MSG(run % 2 == 0 || k == 0, "%u", i);
			differ += k;
			b = a;
		}
		ATF_CHECK_MSG(differ > 0,
		    "%u: %u of 19", i, differ);
	}
}

TEST(strategy__drawn, "without a name each schedule's strategy is drawn")
{
	unsigned depth[5] = { 0 }, drawn[2] = { 0 };
	struct strategy sg;

	strategy_init(&sg, NULL, 0);
	for (unsigned run = 0; run < 1000; run++) {
		ATF_REQUIRE(strategy_begin(&sg, run));
		drawn[0] += sg.sg_class == &strategy_random;
		drawn[1] += sg.sg_class == &strategy_starve;
		if (sg.sg_class == &strategy_pct) {
			ATF_REQUIRE(sg.sg_parameter < nitems(depth));
			depth[sg.sg_parameter]++;
		}
	}
	strategy_fini(&sg);
	for (unsigned i = 2; i < nitems(depth); i++)
		ATF_CHECK_MSG(depth[i] > 90, "pct:%u: %u", i, depth[i]);
	ATF_CHECK_MSG(drawn[0] > 300 && drawn[1] > 150, "%u random, %u starve",
	    drawn[0], drawn[1]);
	ATF_CHECK_EQ(1000, depth[2] + depth[3] + depth[4] + drawn[0] +
	    drawn[1]);
}

TEST(strategy__starves, "starve makes a thread wait much longer than a random "
    "walk does")
{
	static const struct strategy_class *const class[] = {
	    &strategy_random, &strategy_starve };
	struct toy ty = { .ty_threads = 4, .ty_steps = 60 };
	unsigned c, gap, i, left, longest[2] = { 0, 0 }, run;
	struct strategy sg;

	for (c = 0; c < nitems(class); c++) {
		strategy_init(&sg, class[c], 0);
		for (run = 0; run < 100; run++) {
			ATF_REQUIRE(toy_schedule(&ty, &sg, run));
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
		strategy_fini(&sg);
	}
	ATF_CHECK_MSG(longest[1] > 2 * longest[0], "random %u, starve %u",
	    longest[0], longest[1]);
}

TEST(strategy__names, "names of strategies are read back; other words are "
    "refused")
{
	static const char *const wrong[] = { "", "rand", "random:1", "pct:",
	    "pct:0", "pct:9", "delay", "mix" };
	const struct strategy_class *sy;
	char name[STRATEGY_NAME_SIZE];
	struct strategy sg;
	unsigned i, parameter;

	for (i = 0; (sy = strategy_classes[i]) != NULL; i++) {
		strategy_init(&sg, sy, sy->sy_most);
		ATF_CHECK(sy == strategy_parse(strategy_name(name, &sg),
		    &parameter));
		ATF_CHECK_EQ(sy->sy_most, parameter);
		strategy_fini(&sg);
	}
	for (i = 0; i < nitems(wrong); i++)
		ATF_CHECK_MSG(strategy_parse(wrong[i], &parameter) == NULL,
		    "%s", wrong[i]);
	ATF_CHECK(strategy_parse("pct", &parameter) == &strategy_pct);
	ATF_CHECK_EQ(strategy_pct.sy_usual, parameter);
	ATF_CHECK_STREQ("random, pct:1..8, starve, dpor",
	    strategy_accepted().s);
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

static int
planted_fails(void *context, struct schedule *sd)
{
	struct toy *ty = context;
	struct schedule_follower sf = { .sf_schedule = sd };

	toy_run(ty, schedule_choose, &sf);
	return (planted(ty));
}

/* Tries that are left, and what came after them. */
struct tries {
	struct toy	*tr_toy;
	unsigned	 tr_left, tr_after;
};

static int
planted_fails_so_often(void *context, struct schedule *sd)
{
	struct tries *tr = context;

	if (tr->tr_left > 0) {
		tr->tr_left--;
		return (planted_fails(tr->tr_toy, sd));
	}
	tr->tr_after++;
	return (-1);
}

TEST(shrink__minimal, "a planted fault's schedule becomes as small as "
    "possible; when no more is tried, that ends")
{
	struct tries tries;
	struct toy ty = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS };
	unsigned failed = 0, turns;
	struct schedule sd;
	struct strategy sg;

	memset(&sd, 0, sizeof(sd));
	strategy_init(&sg, &strategy_random, 0);
	for (unsigned run = 0; run < 50; run++) {
		ATF_REQUIRE(toy_schedule(&ty, &sg, run));
		if (!planted(&ty))
			continue;
		failed++;
		sd.sd_choices.sq_count = 0;
		for (unsigned i = 0; i < ty.ty_count; i++)
			schedule_add(&sd.sd_choices, ty.ty_trace[i]);
		ATF_REQUIRE(planted_fails(&ty, &sd));
		tries = (struct tries){ &ty, run % 8, 0 };
		shrink_schedule(&sd, planted_fails_so_often, &tries);
		ATF_CHECK(planted_fails(&ty, &sd));
		ATF_CHECK(tries.tr_after <= 1);
		shrink_schedule(&sd, planted_fails, &ty);
		ATF_CHECK(planted_fails(&ty, &sd));
		/* 1, 3, 1, 2 and what runs then: a turn for each. */
		turns = schedule_turns(&sd.sd_choices);
		ATF_CHECK_MSG(turns <= 5 && sd.sd_choices.sq_count <= 12,
		    "%u turns, %u steps", turns, sd.sd_choices.sq_count);
	}
	ATF_CHECK(failed >= 10);
	strategy_fini(&sg);
	schedule_free(&sd);
}

static struct campaign
campaign_of(const char *lock)
{
	struct campaign cn = { .cn_seed = 7, .cn_end = 2000, .cn_jobs = 1 };
	struct subject *tb = &cn.cn_subject;

	subject_default(tb);
	tb->tb_design = design_find("concurrent");
	tb->tb_lock = virtual_lock_class_find(lock);
	tb->tb_cipher = cipher_find("chacha20");
	campaign_limits(&cn);
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
	ATF_CHECK_MSG(!one.cgr_failed, "%s: %s", one.cgr_outcome.to_word,
	    one.cgr_outcome.to_detail);
	ATF_CHECK_EQ(2000, one.cgr_row.schedules);
	ATF_CHECK_EQ(one.cgr_row.schedules, three.cgr_row.schedules);
	ATF_CHECK_EQ(one.cgr_row.steps, three.cgr_row.steps);
	ATF_CHECK_EQ(one.cgr_row.reads, three.cgr_row.reads);
	ATF_CHECK_EQ(one.cgr_row.blocks, three.cgr_row.blocks);
	ATF_CHECK(one.cgr_row.reseeds > one.cgr_row.schedules);
	cn = campaign_of("none");
	run_both(&cn, &one, &three);
	ATF_REQUIRE(one.cgr_failed && three.cgr_failed);
	ATF_CHECK_EQ(one.cgr_row.schedules, three.cgr_row.schedules);
	ATF_CHECK_EQ(one.cgr_case.cx_number, three.cgr_case.cx_number);
	ATF_CHECK_EQ(one.cgr_case.cx_hash, three.cgr_case.cx_hash);
	/* It fails alone too, without the earlier scenarios. */
	cn.cn_first = one.cgr_case.cx_number;
	cn.cn_end = cn.cn_first + 1;
	counterexample_free(&three.cgr_case);
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &three));
	ATF_REQUIRE(three.cgr_failed);
	ATF_CHECK_EQ(one.cgr_case.cx_hash, three.cgr_case.cx_hash);
	counterexample_free(&one.cgr_case);
	counterexample_free(&three.cgr_case);
}

/* The text of a counterexample. */
static char *
failing_case(struct campaign_result *ce)
{
	struct campaign cn = campaign_of("none");

	ATF_REQUIRE_EQ(0, campaign_run(&cn, ce));
	ATF_REQUIRE(ce->cgr_failed);
	return (counterexample_text(&ce->cgr_case));
}

TEST(case__round_trip, "a schedule file that is read prints the same text, and "
    "its replay has the same outcome")
{
	static struct campaign_result ce;
	char *again, message[LINES_ERROR_SIZE], *text;
	struct counterexample cx;
	struct replay ry;
	struct execution *ex;

	support_crypto();
	text = failing_case(&ce);
	atf_utils_create_file("case", "%s", text);
	ATF_REQUIRE_EQ_MSG(0, counterexample_load(&cx, "case", message), "%s",
	    message);
	again = counterexample_text(&cx);
	ATF_CHECK_STREQ(text, again);
	ex = execution_new();
	ATF_REQUIRE_EQ(0, counterexample_run(ex, &cx, false, &ry));
	ATF_CHECK(ry.ry_exact);
	ATF_CHECK(ry.ry_same);
	/* With a correct lock it cannot be followed, and does not fail. */
	cx.cx_subject.tb_lock = virtual_lock_class_find("mtx");
	ATF_REQUIRE_EQ(0, counterexample_run(ex, &cx, false, &ry));
	ATF_CHECK(!ry.ry_same);
	ATF_CHECK(ry.ry_outcome.to_word == NULL);
	execution_free(ex);
	counterexample_free(&cx);
	counterexample_free(&ce.cgr_case);
	free(again);
	free(text);
}

TEST(find_lost__decides, "from the step on every way of going on fails, and "
    "before it not every one")
{
	static struct campaign_result ce;
	struct counterexample *cx = &ce.cgr_case;
	struct execution *ex = execution_new();
	unsigned choices, steps;
	struct replay ry;

	support_crypto();
	free(failing_case(&ce));
	ATF_REQUIRE_EQ(0, shrink(ex, cx, 20000));
	ATF_REQUIRE_EQ(0, counterexample_run(ex, cx, true, &ry));
	ATF_REQUIRE_EQ(0, ry.ry_trace.et_lost);
	find_lost(ex, cx, &ry);
	steps = (unsigned)ry.ry_trace.et_lost;
	choices = cx->cx_schedule.sd_choices.sq_count;
	ATF_REQUIRE_MSG(steps > 1 && steps < choices, "step %u of %u", steps,
	    choices);
	/* Threads go on in turn where a schedule ends. */
	for (unsigned n = steps; n < choices; n++) {
		cx->cx_schedule.sd_choices.sq_count = n;
		ATF_REQUIRE_EQ(0, counterexample_run(ex, cx, false, &ry));
		ATF_CHECK_MSG(ry.ry_outcome.to_word != NULL, "after %u", n);
	}
	cx->cx_schedule.sd_choices.sq_count = 0;
	ATF_REQUIRE_EQ(0, counterexample_run(ex, cx, false, &ry));
	ATF_CHECK(ry.ry_outcome.to_word == NULL);
	execution_free(ex);
	counterexample_free(cx);
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
		{ "seed 7", "tunable a\nseed 7", "name=value of a" },
		{ "seed 7", "tunable a=b\nseed 7", "name=value of a" },
		{ "seed 7", "tunable kern.random.fortuna.minpoolsize=b\nseed 7",
		    "expected 16..2147483647" },
		{ "seed 7", "failpoint a=off\nseed 7", "no fail point" },
		{ "seed 7", "nonsense 7\nseed 7", "nothing that a" },
		{ "draws ", "draws x", "expected a number" },
		{ "hash ", "hash 0xg", "expected a number" },
		{ "seeded ", "seeded perhaps ", "no, yes" },
		{ "places ", "places 9", "expected 1..4" },
		{ "places ", "#", "no line \"places\"" },
		{ "property ", "#", "no line \"property\"" },
		{ "choices ", "choices 0 ", "a number 1..8 or 49..51," },
		{ "choices ", "choices 9 ", "a number 1..8 or 49..51," },
		{ "choices ", "choices 1*0 ", "expected a number" },
		{ "choices ", "choices 1*4000000000 ", "expected" },
		{ "choices ", "choices 1*3000000 1*3000000 ", "in all" },
		{ "choices ", "answers 2\nchoices ", "expected a number" },
		{ "reader ", "reader 99999999 ", "0..4194304" },
		{ "reader ", "reader 1@x ", "milliseconds" },
		{ "reader ", "reader 1 2 3 4 5 6 7 8 9 ", "more than" },
		{ "reader ", "reader 1\nreader 1\nreader 1\nreader 1\n"
		    "reader 1\nreader 1\nreader ",
		    "more than 6 readers" },
		{ "end\n", "", "cut off" },
		{ "end\n", "end\nmore\n", "behind \"end\"" },
	};
	static struct mthread self;
	static struct campaign_result ce;
	char *text;

	support_machine(&self);
	support_crypto();
	text = failing_case(&ce);
	for (unsigned i = 0; i < nitems(cases); i++)
		refused(text, cases[i].line, cases[i].by, cases[i].words);
	refused("x", "x", "", "empty");
	counterexample_free(&ce.cgr_case);
	free(text);
}

TEST_PROGRAM()
