/*
 * Strategies, schedules and their files, shrinking, campaigns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/explore/campaign.h"
#include "bench/explore/distinct.h"
#include "bench/explore/shrink.h"
#include "lib/cpu.h"
#include "tests/support.h"

enum {
	TOY_THREADS	= 3,
	TOY_STEPS	= 6,	/* of each */
	TOY_TRACE	= 256
};

/*
 * A program for choosers: threads that take so many steps each, of which
 * yield_at is a yield, and who went on when.
 */
struct toy {
	unsigned	ty_threads;
	unsigned	ty_steps;
	unsigned	ty_left[8];
	uint16_t	ty_trace[TOY_TRACE];
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

static unsigned
by_strategy(void *context, const struct vm_choice *vo)
{

	return (strategy_choose(context, vo));
}

static unsigned
by_schedule(void *context, const struct vm_choice *vo)
{

	return (schedule_choose(context, vo));
}

ATF_TC(strategy__deterministic);
ATF_TC_HEAD(strategy__deterministic, tc)
{
	atf_tc_set_md_var(tc, "descr", "every strategy makes the same choices "
	    "of the same seed, and all but the fixed ones others of others");
}
ATF_TC_BODY(strategy__deterministic, tc)
{
	struct toy a = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS }, b;
	struct strategy st;
	unsigned differ, i, k, run;

	for (i = 0; i < strategy_count; i++) {
		differ = 0;
		for (run = 0; run < 2 * 20; run++) {
			/* What was learned does not come from another run. */
			ATF_REQUIRE_EQ(0, strategy_init(&st,
			    strategy_classes[i],
			    strategy_classes[i]->sy_usual));
			for (k = 0; k < 12; k++) {
				ATF_REQUIRE(strategy_begin(&st,
				    run / 2 * 100 + k, k));
				toy_run(&a, by_strategy, &st);
				strategy_end(&st);
			}
			strategy_fini(&st);
			ATF_CHECK_EQ(TOY_THREADS * TOY_STEPS, a.ty_count);
			if (run % 2 == 1)
				ATF_CHECK_MSG(memcmp(a.ty_trace, b.ty_trace,
				    sizeof(a.ty_trace)) == 0, "%s",
				    strategy_classes[i]->sy_name);
			else if (run > 0)
				differ += memcmp(a.ty_trace, b.ty_trace,
				    sizeof(a.ty_trace)) != 0;
			b = a;
		}
		ATF_CHECK_MSG((differ > 0) ==
		    (strategy_classes[i] != &strategy_dfs), "%s: %u of 19",
		    strategy_classes[i]->sy_name, differ);
	}
}

/* n over k. */
static unsigned
choose_of(unsigned n, unsigned k)
{

	return (k == 0 ? 1 : choose_of(n - 1, k - 1) * n / k);
}

static unsigned
dfs_count(struct toy *ty, unsigned bound, struct distinct *di)
{
	struct strategy st;
	unsigned i, runs = 0;
	uint64_t hash;

	ATF_REQUIRE_EQ(0, strategy_init(&st, &strategy_dfs, bound));
	while (strategy_begin(&st, 0, runs)) {
		toy_run(ty, by_strategy, &st);
		strategy_end(&st);
		hash = 1;
		for (i = 0; i < ty->ty_count; i++) {
			hash += ty->ty_trace[i];
			hash = splitmix_next(&hash);
		}
		distinct_add(di, hash);
		runs++;
		ATF_REQUIRE(runs < 1000000);
	}
	strategy_fini(&st);
	return (runs);
}

ATF_TC(strategy__dfs_counts);
ATF_TC_HEAD(strategy__dfs_counts, tc)
{
	atf_tc_set_md_var(tc, "descr", "dfs runs each schedule once: as many "
	    "as arithmetic says");
}
ATF_TC_BODY(strategy__dfs_counts, tc)
{
	static struct distinct all, none, one;
	struct toy ty = { .ty_threads = 2, .ty_steps = 4 };
	unsigned n;

	/* No preemption: who begins, and who goes on when that has ended. */
	ATF_CHECK_EQ(2, dfs_count(&ty, 0, &none));
	/* One: the first is left after 1..3 steps, the other not. */
	ATF_CHECK_EQ(2 + 2 * 3, dfs_count(&ty, 1, &one));
	/* More than there can be: all ways to merge two rows of four. */
	n = choose_of(8, 4);
	ATF_CHECK_EQ(n, dfs_count(&ty, 8, &all));
	/* Counting them by hashes: with so few, to the unit. */
	ATF_CHECK_MSG((unsigned)(distinct_estimate(&all) + 0.5) == n, "%g",
	    distinct_estimate(&all));
	ty.ty_threads = 3;
	ATF_CHECK_EQ(6, dfs_count(&ty, 0, &none));
}

ATF_TC(strategy__delay_bounded);
ATF_TC_HEAD(strategy__delay_bounded, tc)
{
	atf_tc_set_md_var(tc, "descr", "delay changes thread no oftener than "
	    "turns and delays make it");
}
ATF_TC_BODY(strategy__delay_bounded, tc)
{
	struct toy ty = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS };
	unsigned bound, i, most, run, switches;
	struct strategy st;

	for (bound = 0; bound <= 3; bound++) {
		ATF_REQUIRE_EQ(0, strategy_init(&st, &strategy_delay, bound));
		most = 0;
		for (run = 0; run < 200; run++) {
			ATF_REQUIRE(strategy_begin(&st, run, run));
			toy_run(&ty, by_strategy, &st);
			strategy_end(&st);
			switches = 0;
			for (i = 1; i < ty.ty_count; i++)
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

ATF_TC(strategy__starves);
ATF_TC_HEAD(strategy__starves, tc)
{
	atf_tc_set_md_var(tc, "descr", "starve lets somebody wait much longer "
	    "than a random walk does");
}
ATF_TC_BODY(strategy__starves, tc)
{
	static const struct strategy_class *const class[] = {
	    &strategy_random, &strategy_starve };
	struct toy ty = { .ty_threads = 4, .ty_steps = 60 };
	unsigned c, gap, i, left, longest[2] = { 0, 0 }, run;
	struct strategy st;

	for (c = 0; c < nitems(class); c++) {
		ATF_REQUIRE_EQ(0, strategy_init(&st, class[c], 0));
		for (run = 0; run < 100; run++) {
			ATF_REQUIRE(strategy_begin(&st, run, run));
			toy_run(&ty, by_strategy, &st);
			/* Steps of others while the last thread waits. */
			left = ty.ty_steps;
			for (gap = i = 0; left > 0; i++, gap++) {
				if (ty.ty_trace[i] != ty.ty_threads)
					continue;
				if (gap > longest[c])
					longest[c] = gap;
				gap = 0;
				left--;
			}
		}
		strategy_fini(&st);
	}
	for (i = 0; i < 2; i++)
		printf("%s: %u\n", class[i]->sy_name, longest[i]);
	ATF_CHECK(longest[1] > 2 * longest[0]);
}

ATF_TC(strategy__names);
ATF_TC_HEAD(strategy__names, tc)
{
	atf_tc_set_md_var(tc, "descr", "names of strategies are read back, and "
	    "what is none is not");
}
ATF_TC_BODY(strategy__names, tc)
{
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
	ATF_CHECK_EQ(ENOENT, strategy_parse("", &sy, &parameter));
	ATF_CHECK_EQ(ENOENT, strategy_parse("rand", &sy, &parameter));
	ATF_CHECK_EQ(EINVAL, strategy_parse("random:1", &sy, &parameter));
	ATF_CHECK_EQ(ERANGE, strategy_parse("pct:", &sy, &parameter));
	ATF_CHECK_EQ(ERANGE, strategy_parse("pct:0", &sy, &parameter));
	ATF_CHECK_EQ(ERANGE, strategy_parse("pct:9", &sy, &parameter));
	ATF_CHECK_EQ(0, strategy_parse("pct", &sy, &parameter));
	ATF_CHECK_EQ(sy->sy_usual, parameter);
}

/* Fails when 3 comes between two steps of 1, and then 2 before 1 again. */
static bool
planted(const struct toy *ty)
{
	unsigned at = 0, i;
	static const uint16_t want[] = { 1, 3, 1, 2, 1 };

	for (i = 0; i < ty->ty_count && at < nitems(want); i++)
		at += ty->ty_trace[i] == want[at];
	return (at == nitems(want));
}

static bool
planted_fails(void *context, struct schedule *sd)
{
	struct toy *ty = context;
	struct schedule_follower sf;

	schedule_follow(&sf, sd);
	toy_run(ty, by_schedule, &sf);
	return (planted(ty));
}

ATF_TC(shrink__minimal);
ATF_TC_HEAD(shrink__minimal, tc)
{
	atf_tc_set_md_var(tc, "descr", "a planted fault's schedule becomes as "
	    "small as it can be");
}
ATF_TC_BODY(shrink__minimal, tc)
{
	struct toy ty = { .ty_threads = TOY_THREADS, .ty_steps = TOY_STEPS };
	unsigned failed = 0, i, run;
	struct schedule sd;
	struct strategy st;

	memset(&sd, 0, sizeof(sd));
	ATF_REQUIRE_EQ(0, strategy_init(&st, &strategy_random, 0));
	for (run = 0; run < 50; run++) {
		ATF_REQUIRE(strategy_begin(&st, run, run));
		toy_run(&ty, by_strategy, &st);
		if (!planted(&ty))
			continue;
		failed++;
		schedule_clear(&sd);
		for (i = 0; i < ty.ty_count; i++)
			schedule_add(&sd, &sd.sd_choices, ty.ty_trace[i]);
		ATF_REQUIRE(planted_fails(&ty, &sd));
		ATF_CHECK_EQ(0, shrink_schedule(&sd, planted_fails, &ty));
		ATF_CHECK(planted_fails(&ty, &sd));
		/*
		 * 1, 3, 1, 2, and whoever comes then: a piece for each, and one
		 * step where who goes on is not who went on before.
		 */
		ATF_CHECK_MSG(sd.sd_choices.sl_count <= 5 &&
		    schedule_steps(&sd.sd_choices) <= 12, "%u pieces, %ju "
		    "steps", sd.sd_choices.sl_count,
		    (uintmax_t)schedule_steps(&sd.sd_choices));
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
	struct trial_subject *tb = &cn.cn_subject;

	trial_subject_default(tb);
	tb->tb_design = trial_design("concurrent");
	tb->tb_lock = trial_lock(lock);
	tb->tb_cipher = cipher_find("chacha20");
	campaign_limits(tb, &cn.cn_limits);
	return (cn);
}

ATF_TC(campaign__deterministic);
ATF_TC_HEAD(campaign__deterministic, tc)
{
	atf_tc_set_md_var(tc, "descr", "a campaign counts the same, and fails "
	    "the same, with one host thread and with three");
}
ATF_TC_BODY(campaign__deterministic, tc)
{
	static struct campaign_result one, three;
	struct campaign cn = campaign_of("mtx");

	support_crypto();
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &one));
	cn.cn_jobs = 3;
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &three));
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
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &one));
	cn.cn_jobs = 3;
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &three));
	ATF_REQUIRE(one.ce_failed && three.ce_failed);
	ATF_CHECK_EQ(one.ce_case.ca_number, three.ce_case.ca_number);
	ATF_CHECK_EQ(one.ce_case.ca_hash, three.ce_case.ca_hash);
	/* The same alone, without those before its scenario. */
	cn.cn_first = one.ce_case.ca_number;
	cn.cn_end = cn.cn_first + 1;
	case_free(&three.ce_case);
	ATF_REQUIRE_EQ(0, campaign_run(&cn, &three));
	ATF_REQUIRE(three.ce_failed);
	ATF_CHECK_EQ(one.ce_case.ca_hash, three.ce_case.ca_hash);
	case_free(&one.ce_case);
	case_free(&three.ce_case);
}

ATF_TC(campaign__exhausts);
ATF_TC_HEAD(campaign__exhausts, tc)
{
	atf_tc_set_md_var(tc, "descr", "dfs comes to an end, with more "
	    "schedules where more preemptions are allowed");
}
ATF_TC_BODY(campaign__exhausts, tc)
{
	static struct campaign_result ce;
	struct campaign cn = campaign_of("ticket");
	uint64_t before = 0;
	unsigned bound;

	support_crypto();
	cn.cn_strategy = &strategy_dfs;
	cn.cn_limits.sm_small = true;
	cn.cn_limits.sm_readers_most = 2;
	cn.cn_end = 1000000;
	for (bound = 0; bound <= 1; bound++) {
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

/* The text of a case that fails. */
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
	case_print(out, &ce->ce_case);
	fclose(out);
	return (text);
}

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ATF_REQUIRE(f != NULL);
	fputs(text, f);
	ATF_REQUIRE_EQ(0, fclose(f));
}

ATF_TC(case__round_trip);
ATF_TC_HEAD(case__round_trip, tc)
{
	atf_tc_set_md_var(tc, "descr", "a schedule file that is read is the "
	    "one that was written, and is run to the same end");
}
ATF_TC_BODY(case__round_trip, tc)
{
	static struct campaign_result ce;
	char *again = NULL, message[LINES_ERROR_SIZE], *text;
	struct explore_case ca;
	struct case_result cr;
	struct trial *tr;
	size_t len = 0;
	FILE *out;

	support_crypto();
	text = failing_case(&ce);
	write_file("case", text);
	ATF_REQUIRE_EQ_MSG(0, case_load(&ca, "case", message), "%s", message);
	out = open_memstream(&again, &len);
	case_print(out, &ca);
	fclose(out);
	ATF_CHECK_STREQ(text, again);
	ATF_REQUIRE_EQ(0, trial_new(&tr));
	ATF_REQUIRE_EQ(0, case_run(tr, &ca, NULL, NULL, &cr));
	ATF_CHECK(cr.cr_exact);
	ATF_CHECK(cr.cr_same);
	/* Another lock: it can no longer be followed, and does not fail. */
	ca.ca_subject.tb_lock = trial_lock("mtx");
	ATF_REQUIRE_EQ(0, case_run(tr, &ca, NULL, NULL, &cr));
	ATF_CHECK(!cr.cr_same);
	ATF_CHECK(cr.cr_outcome.to_word == NULL);
	trial_free(tr);
	case_free(&ca);
	case_free(&ce.ce_case);
	free(again);
	free(text);
}

/* A file with a line replaced is refused with those words. */
static void
refused(const char *text, const char *line, const char *by, const char *words)
{
	char message[LINES_ERROR_SIZE] = "", *changed;
	const char *at = strstr(text, line);
	struct explore_case ca;

	ATF_REQUIRE_MSG(at != NULL, "no \"%s\"", line);
	changed = malloc(strlen(text) + strlen(by) + 1);
	ATF_REQUIRE(changed != NULL);
	sprintf(changed, "%.*s%s%s", (int)(at - text), text, by,
	    at + strlen(line));
	write_file("changed", changed);
	ATF_CHECK_MSG(case_load(&ca, "changed", message) != 0, "\"%s\" is "
	    "taken", by);
	ATF_CHECK_MSG(strstr(message, "changed") != NULL &&
	    strstr(message, words) != NULL, "\"%s\": no \"%s\" in %s", by,
	    words, message);
	case_free(&ca);
	free(changed);
}

ATF_TC(case__malformed);
ATF_TC_HEAD(case__malformed, tc)
{
	atf_tc_set_md_var(tc, "descr", "schedule files that are wrong are "
	    "refused, with file and line");
}
ATF_TC_BODY(case__malformed, tc)
{
	static struct campaign_result ce;
	char *text;

	support_crypto();
	text = failing_case(&ce);
	refused(text, "rngsim-schedule/1", "rngsim-schedule/2", "changed:1:");
	refused(text, "design concurrent", "design nonsense", "changed:2:");
	refused(text, "lock none", "lock pthread", "changed:3:");
	refused(text, "cipher chacha20", "cipher des", "changed:4:");
	refused(text, "seed 7", "seed", "changed:5:");
	refused(text, "seed 7", "seed 7\nseed 7", "a second \"seed\"");
	refused(text, "seed 7", "tunable a=b\nseed 7", "no tunable");
	refused(text, "seed 7", "failpoint a=off\nseed 7", "no fail point");
	refused(text, "seed 7", "nonsense 7\nseed 7", "nothing that a");
	refused(text, "draws ", "draws x", "expected a number");
	refused(text, "hash 0x", "hash 0xg", "expected a number");
	refused(text, "seeded ", "seeded perhaps ", "yes or no");
	refused(text, "places ", "places 9", "expected 1..4");
	refused(text, "places ", "#", "no line \"places\"");
	refused(text, "property ", "#", "no line \"property\"");
	refused(text, "choices ", "choices 0 ", "expected a number 1..8");
	refused(text, "choices ", "choices 9 ", "expected a number 1..8");
	refused(text, "choices ", "choices 1*0 ", "expected a number");
	refused(text, "choices ", "choices 1*4000000000 ", "expected");
	refused(text, "choices ", "choices 1*300000 1*300000 ", "in all");
	refused(text, "choices ", "answers 2\nchoices ", "expected a number");
	refused(text, "reader ", "reader 99999999 ", "up to");
	refused(text, "reader ", "reader 1@x ", "up to");
	refused(text, "reader ", "reader 1 2 3 4 5 6 7 8 9 ", "more than");
	refused(text, "reader ", "reader 1\nreader 1\nreader 1\nreader 1\n"
	    "reader 1\nreader 1\nreader ", "more than 6 readers");
	refused(text, "reader ", "reader\nreader ", "reads nothing");
	refused(text, "end\n", "", "cut off");
	refused(text, "end\n", "end\nmore\n", "behind \"end\"");
	write_file("empty", "");
	refused("x", "x", "", "empty");
	case_free(&ce.ce_case);
	free(text);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, strategy__deterministic);
	ATF_TP_ADD_TC(tp, strategy__dfs_counts);
	ATF_TP_ADD_TC(tp, strategy__delay_bounded);
	ATF_TP_ADD_TC(tp, strategy__starves);
	ATF_TP_ADD_TC(tp, strategy__names);
	ATF_TP_ADD_TC(tp, shrink__minimal);
	ATF_TP_ADD_TC(tp, campaign__deterministic);
	ATF_TP_ADD_TC(tp, campaign__exhausts);
	ATF_TP_ADD_TC(tp, case__round_trip);
	ATF_TP_ADD_TC(tp, case__malformed);
	return (atf_no_error());
}
