#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/workload/workload.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { DRAWS = 100000 };

static char why[WORKLOAD_ERROR_SIZE];

static void
parse(struct workload *wl, const char *text)
{
	int error;

	why[0] = '\0';
	error = workload_parse(text, wl, why);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", text, why);
}

/* An open loop of requests of 64 bytes. */
static void
plan(struct workload *wl, enum workload_arrivals arrivals, double rate)
{
	workload_init(wl);
	wl->wl_arrivals = arrivals;
	wl->wl_rate_per_s = rate;
}

TEST(workload_parse__canonical, "Two spellings of a workload are one text")
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{ "16:70,32:20,4k:10", "16:70,32:20,4k:10" },
		{ "1024:1,1048576:2,1g:3", "1k:1,1m:2,1g:3" },
		{ "1:1", "1:1" },
		{ "16", "16:1" },
		{ "4k/think=1us", "4k:1/think=1us" },
		{ "think=1000us", "think=1ms" },
		{ "think~0.5ms", "think~500us" },
		{ "think=1ns", "think=1ns" },
		{ "think=3600s", "think=3600s" },
		{ "burst=10:1.5s", "burst=10:1500ms" },
		{ "think=5ms/16:1,32:1", "16:1,32:1/think=5ms" },
		{ "16:1/burst=2:7us", "16:1/burst=2:7us" },
	};
	struct workload wl;

	for (unsigned i = 0; i < nitems(rows); i++) {
		parse(&wl, rows[i].text);
		ATF_CHECK_STREQ(rows[i].canonical, wl.wl_text);
		ATF_CHECK(!workload_is_plain(&wl) &&
		    wl.wl_arrivals == ARRIVALS_CLOSED);
		workload_free(&wl);
		ATF_CHECK(workload_is_plain(&wl));
	}
}

TEST(workload_parse__refuses, "What is malformed is named, with what is right")
{
	static const struct {
		const char *text, *say;
	} rows[] = {
		{ "", "expected sizes such as" },
		{ "/", "expected sizes such as" },
		{ "nonesuch", "\"nonesuch\": expected sizes" },
		{ "@-", "\"@-\": expected a file, not stdin" },
		{ "@-/speed=2", "\"@-\": expected a file" },
		{ "16x", "\"16x\": expected sizes" },
		{ "a:1", "\"a:1\": expected sizes" },
		{ "16:0", "weight \"0\": expected 1..1000000" },
		{ "16:1000001", "weight \"1000001\"" },
		{ "16:-1", "weight \"-1\"" },
		{ "16:1.5", "weight \"1.5\"" },
		{ "16:", "weight \"\"" },
		{ "0:1", "size \"0\": expected bytes, 1..1g" },
		{ "2g:1", "size \"2g\"" },
		{ "16k5:1", "size \"16k5\"" },
		{ "16:1,", "\"\": expected SIZE:WEIGHT" },
		{ "16:1,,32:1", "\"\": expected SIZE:WEIGHT" },
		{ "16:1,32", "\"32\": expected SIZE:WEIGHT" },
		{ "1k:1,1024:2", "size \"1024\" is there twice" },
		{ "16:1/32:1", "two size mixes" },
		{ "16:1/", "\"\": expected sizes" },
		{ "think=5", "think: \"5\": expected a time with its unit" },
		{ "think=ms", "think: \"ms\"" },
		{ "think=0ms", "think: \"0ms\"" },
		{ "think=-1ms", "think: \"-1ms\"" },
		{ "think=0.5ns", "think: \"0.5ns\"" },
		{ "think=3601s", "think: \"3601s\"" },
		{ "think=1e3s", "think: \"1e3s\"" },
		{ "think~1h", "think: \"1h\"" },
		{ "burst=10", "burst: \"10\": expected N:TIME" },
		{ "burst=0:1ms", "burst: \"0\": expected requests" },
		{ "burst=x:1ms", "burst: \"x\"" },
		{ "burst=10:1", "burst: \"1\": expected a time" },
		{ "think=1ms/think~2ms", "expected one of them" },
		{ "think=1ms/burst=2:1ms", "expected one of them" },
		{ "16:1/speed=2", "only that has a speed" },
		{ "@", "expected a file name" },
		{ "@file/speed=0", "expected a speed" },
		{ "@file/speed=x", "expected a speed" },
		{ "@file/speed=1000001", "expected a speed" },
	};
	struct workload wl;

	for (unsigned i = 0; i < nitems(rows); i++) {
		why[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, workload_parse(rows[i].text, &wl, why),
		    "%s", rows[i].text);
		ATF_CHECK_MSG(strstr(why, rows[i].say) != NULL,
		    "%s: \"%s\" does not say \"%s\"", rows[i].text, why,
		    rows[i].say);
		ATF_CHECK(workload_is_plain(&wl));
	}
	ATF_CHECK_EQ(ENOENT, workload_parse("@nonesuch", &wl, why));
	ATF_CHECK(strstr(why, "nonesuch: ") != NULL);
	ATF_CHECK_EQ(EBADMSG, workload_parse("@.", &wl, why));
	ATF_CHECK(strstr(why, "expected a regular file") != NULL);
}

TEST(workload_parse__limits, "The largest mix, and one member more")
{
	char text[1024] = "";
	struct workload wl;

	for (unsigned i = 1; i <= WORKLOAD_SIZES_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s%u:1", i == 1 ? "" : ",", i);
	parse(&wl, text);
	ATF_CHECK_STREQ(text, wl.wl_text);
	strcat(text, ",99:1");
	ATF_CHECK_EQ(EINVAL, workload_parse(text, &wl, why));
	ATF_CHECK(strstr(why, "more than 32 sizes") != NULL);
	/* Few members, but of many digits. */
	text[0] = '\0';
	for (unsigned i = 0; i < 20; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s%u:100000", i == 0 ? "" : ",", 1000000001 + i);
	ATF_CHECK_EQ(EINVAL, workload_parse(text, &wl, why));
	ATF_CHECK(strstr(why, "too long") != NULL);
}

/* Chi-square, so that one seed's luck does not decide. */
TEST(workload_next__mix_follows_weights, "Sizes are drawn as often as weighted")
{
	static const char *const mixes[] = { "16:70,32:20,4k:10", "1:1,2:1,3:1",
	    "1:1,2:1000000", "5:3", "1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9" };
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	unsigned i, k, m;

	for (m = 0; m < nitems(mixes); m++) {
		double count[WORKLOAD_SIZES_MAX] = { 0 }, sum = 0, square = 0;

		parse(&wl, mixes[m]);
		workload_begin(&wp, &wl, 99, 1, 0);
		for (i = 0; i < DRAWS; i++) {
			workload_next(&wp, &st);
			ATF_CHECK_EQ(START_NOW, st.st_start);
			for (k = 0; k < wl.wl_size_count; k++)
				if (wl.wl_sizes[k].ws_bytes == st.st_bytes)
					break;
			ATF_REQUIRE(k < wl.wl_size_count);
			count[k]++;
		}
		for (k = 0; k < wl.wl_size_count; k++)
			sum += wl.wl_sizes[k].ws_weight;
		for (k = 0; k < wl.wl_size_count; k++) {
			double want = DRAWS / sum * wl.wl_sizes[k].ws_weight;

			square += (count[k] - want) * (count[k] - want) / want;
		}
		/* With 8 degrees of freedom, above by chance once in 10^5. */
		ATF_CHECK_MSG(square < 37, "%s: %g", mixes[m], square);
		workload_free(&wl);
	}
}

TEST(workload_next__same_seed_same_load, "The seed and the reader decide all")
{
	static const char *const texts[] = { "16:1,32:1,64:1", "think~1ms",
	    "16:1,32:1/think~1ms" };
	struct workload wl;
	struct workload_player wp[4];
	struct workload_step st[4];
	unsigned differ[2], i, k, t;

	for (t = 0; t < nitems(texts); t++) {
		parse(&wl, texts[t]);
		workload_begin(&wp[0], &wl, 64, 7, 0);
		workload_begin(&wp[1], &wl, 64, 7, 0);
		workload_begin(&wp[2], &wl, 64, 8, 0);
		workload_begin(&wp[3], &wl, 64, 7, 1);
		differ[0] = differ[1] = 0;
		for (i = 0; i < 100; i++) {
			memset(st, 0, sizeof(st));
			for (k = 0; k < 4; k++)
				workload_next(&wp[k], &st[k]);
			ATF_CHECK(memcmp(&st[0], &st[1], sizeof(st[0])) == 0);
			differ[0] += memcmp(&st[0], &st[2], sizeof(st[0])) != 0;
			differ[1] += memcmp(&st[0], &st[3], sizeof(st[0])) != 0;
		}
		ATF_CHECK_MSG(differ[0] > 30 && differ[1] > 30, "%s: %u %u",
		    texts[t], differ[0], differ[1]);
		workload_free(&wl);
	}
}

TEST(workload_next__known_draws, "The same load on every machine")
{
	static const uint64_t want[] = { 1901282, 2697172, 3669460,
	    3951271 };
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	unsigned i;

	plan(&wl, ARRIVALS_POISSON, 1000);
	workload_begin(&wp, &wl, 64, 42, 3);
	for (i = 0; i < nitems(want); i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ_MSG(want[i], st.st_ns, "%ju",
		    (uintmax_t)st.st_ns);
	}
}

TEST(workload_next__think_and_bursts, "Where a closed loop pauses, how long")
{
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	double sum = 0;

	parse(&wl, "think=2ms");
	workload_begin(&wp, &wl, 64, 1, 0);
	for (unsigned i = 0; i < 10; i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(64, st.st_bytes);
		ATF_CHECK_EQ(START_AFTER, st.st_start);
		/* The first is a part of it: readers are not in step. */
		ATF_CHECK(i == 0 ? st.st_ns < 2000000 : st.st_ns == 2000000);
	}
	parse(&wl, "burst=3:5us");
	workload_begin(&wp, &wl, 64, 1, 0);
	for (unsigned i = 0; i < 10; i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(i % 3 == 0 ? START_AFTER : START_NOW, st.st_start);
		if (i > 0 && i % 3 == 0)
			ATF_CHECK_EQ(5000, st.st_ns);
	}
	/* The mean of n exponential draws is off by 1/sqrt(n). */
	parse(&wl, "think~1ms");
	workload_begin(&wp, &wl, 64, 1, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(START_AFTER, st.st_start);
		sum += (double)st.st_ns;
	}
	ATF_CHECK_MSG(fabs(sum / DRAWS / 1e6 - 1) < 5 / sqrt(DRAWS), "%g",
	    sum / DRAWS);
}

TEST(workload_next__constant_plan, "Equal distances from a phase within one")
{
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	uint64_t first_ns = 0, phase_ns[2] = { 0, 0 };

	plan(&wl, ARRIVALS_CONSTANT, 250);
	for (unsigned reader = 0; reader < 2; reader++) {
		workload_begin(&wp, &wl, 64, 9, reader);
		for (unsigned i = 0; i < 1000; i++) {
			workload_next(&wp, &st);
			if (i == 0)
				first_ns = phase_ns[reader] = st.st_ns;
			ATF_CHECK_EQ(START_AT, st.st_start);
			ATF_CHECK(st.st_ns - first_ns - i * 4000000 + 1 <= 2);
		}
		ATF_CHECK(first_ns < 4000000);
	}
	ATF_CHECK(phase_ns[0] != phase_ns[1]);
}

TEST(workload_next__poisson_plan, "Mean, variance and order of arrivals")
{
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	double gap, last = 0, mean, square = 0, sum = 0;
	unsigned below = 0;

	plan(&wl, ARRIVALS_POISSON, 1000);
	workload_begin(&wp, &wl, 64, 5, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		workload_next(&wp, &st);
		gap = (double)st.st_ns - last;
		ATF_REQUIRE(gap >= 0);
		last = (double)st.st_ns;
		sum += gap;
		square += gap * gap;
		below += gap < 1e6 * log(2);
	}
	mean = sum / DRAWS;
	ATF_CHECK_MSG(fabs(mean / 1e6 - 1) < 5 / sqrt(DRAWS), "%g", mean);
	/* Deviation equals mean; half lies below log 2 of it. */
	ATF_CHECK_MSG(fabs(sqrt(square / DRAWS - mean * mean) / mean - 1) <
	    0.03, "%g", square);
	ATF_CHECK_MSG(fabs(below / (double)DRAWS - 0.5) < 2.5 / sqrt(DRAWS),
	    "%u", below);
}

static const char recorded[] = "rngsim-workload/1\n"
    "# Two streams of 100 ns.\n"
    "length 100\n"
    "stream a\n10 16\n0 32\n50 1\n"
    "stream\tb  \n\n 90 1073741824\r\n";

TEST(workload_next__recorded, "Streams in turn, again, faster or slower")
{
	static const uint64_t at[] = { 10, 10, 60, 110, 110, 160, 210 };
	static const uint64_t bytes[] = { 16, 32, 1, 16, 32, 1, 16 };
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	uint64_t first_ns, last_ns = 0;

	atf_utils_create_file("two.workload", "%s", recorded);
	parse(&wl, "@two.workload");
	ATF_CHECK_EQ(ARRIVALS_RECORDED, wl.wl_arrivals);
	ATF_CHECK(strncmp(wl.wl_text, "two#", 4) == 0);
	ATF_CHECK_EQ(12, strlen(wl.wl_text));
	ATF_CHECK_EQ(1 << 30, workload_max_bytes(&wl, 5));
	ATF_CHECK_EQ((49 + 1073741824.) / 4, workload_mean_bytes(&wl, 5));
	/* Four in 100 ns, by two readers. */
	ATF_CHECK(fabs(workload_rate(&wl) / 2e7 - 1) < 1e-12);
	workload_begin(&wp, &wl, 64, 1, 0);
	for (unsigned i = 0; i < nitems(at); i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(START_AT, st.st_start);
		ATF_CHECK_EQ(at[i], st.st_ns);
		ATF_CHECK_EQ(bytes[i], st.st_bytes);
	}
	workload_begin(&wp, &wl, 64, 1, 1);
	for (unsigned i = 0; i < 3; i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(90 + 100 * i, st.st_ns);
		ATF_CHECK_EQ(1 << 30, st.st_bytes);
	}
	/* Further readers of a stream begin somewhere in it, at once. */
	for (unsigned reader = 2; reader < 20; reader++) {
		workload_begin(&wp, &wl, 64, 1, reader);
		workload_next(&wp, &st);
		first_ns = st.st_ns;
		ATF_CHECK_EQ(0, first_ns);
		for (unsigned i = 0; i < 6; i++) {
			ATF_CHECK(st.st_ns >= last_ns || i == 0);
			last_ns = st.st_ns;
			workload_next(&wp, &st);
		}
		ATF_CHECK_EQ(reader % 2 == 0 ? 200 : 600, st.st_ns);
	}
	workload_free(&wl);
	parse(&wl, "@two.workload/speed=0.5");
	ATF_CHECK(strstr(wl.wl_text, "/speed=0.5") != NULL);
	workload_begin(&wp, &wl, 64, 1, 0);
	for (unsigned i = 0; i < nitems(at); i++) {
		workload_next(&wp, &st);
		ATF_CHECK_EQ(2 * at[i], st.st_ns);
	}
	workload_free(&wl);
}

TEST(workload_due__counts, "What is left of a plan, exactly for few requests, "
    "by their rate for many")
{
	/* Of stream a of "recorded": 10, 10, 60, then 100 later each. */
	static const struct {
		uint64_t	at_ns;
		double		due;
	} rows[] = { { 0, 0 }, { 9, 0 }, { 10, 2 }, { 59, 2 }, { 60, 3 },
	    { 109, 3 }, { 110, 5 }, { 160, 6 }, { 12345, 371 } };
	struct workload wl;
	struct workload_player wp;
	struct workload_step st;
	double n;

	atf_utils_create_file("two.workload", "%s", recorded);
	parse(&wl, "@two.workload");
	for (unsigned played = 0; played < 4; played++) {
		workload_begin(&wp, &wl, 64, 1, 0);
		for (unsigned i = 0; i < played; i++)
			workload_next(&wp, &st);
		for (unsigned i = 0; i < nitems(rows); i++)
			ATF_CHECK_EQ(fmax(0, rows[i].due - played),
			    workload_due(&wp, rows[i].at_ns));
	}
	workload_free(&wl);
	for (enum workload_arrivals a = ARRIVALS_CONSTANT;
	    a <= ARRIVALS_POISSON; a++) {
		plan(&wl, a, 1e6);
		workload_begin(&wp, &wl, 64, 1, 0);
		for (double s = 0.01; s < 1000; s *= 10) {
			n = workload_due(&wp, (uint64_t)(s * 1e9));
			ATF_CHECK_MSG(fabs(n / (s * 1e6) - 1) < 5e-2, "%g s: "
			    "%g", s, n);
		}
	}
	parse(&wl, "think=1ms");
	workload_begin(&wp, &wl, 64, 1, 0);
	ATF_CHECK_EQ(0, workload_due(&wp, 1000000000));
}

TEST(recording__round_trip, "What is written is read again")
{
	char message[LINES_ERROR_SIZE] = "";
	struct recording a, b;
	FILE *out;

	atf_utils_create_file("two.workload", "%s", recorded);
	ATF_REQUIRE_EQ_MSG(0, recording_load("two.workload", &a, message), "%s",
	    message);
	ATF_CHECK_EQ(2, a.rec_count);
	ATF_CHECK_EQ(100, a.rec_length_ns);
	ATF_CHECK_STREQ("b", a.rec_streams[1].rcs_name);
	out = fopen("again.workload", "w");
	ATF_REQUIRE(out != NULL);
	recording_print(out, &a, "# A comment.\n");
	ATF_REQUIRE(fclose(out) == 0);
	ATF_REQUIRE_EQ(0, recording_load("again.workload", &b, message));
	ATF_CHECK_EQ(recording_hash(&a), recording_hash(&b));
	ATF_CHECK_EQ(4, recording_requests(&b));
	ATF_CHECK_EQ(60, b.rec_streams[0].rcs_requests[2].rq_at_ns);
	b.rec_streams[0].rcs_requests[2].rq_bytes++;
	ATF_CHECK(recording_hash(&a) != recording_hash(&b));
	recording_free(&a);
	recording_free(&b);
}

TEST(recording_load__refuses, "File and line of what is wrong")
{
#define	H	"rngsim-workload/1\n"
	static const struct {
		const char *text, *say;
	} rows[] = {
		{ "", "bad: empty" },
		{ "rngsim-workload/2\n", "bad:1: no workload file" },
		{ " " H, "bad:1: no workload file" },
		{ H, "bad: no stream" },
		{ H "# only words\n", "bad: no stream" },
		{ H "1 2\n", "bad:2: a request before the first stream" },
		{ H "stream a\n", "bad:2: stream \"a\" ends without" },
		{ H "stream a\n\nstream b\n1 1\n", "bad:4: stream \"a\" ends" },
		{ H "stream a\n5 0\n", "bad:3: \"5 0\": expected nanoseconds" },
		{ H "stream a\n5 1073741825\n", "bad:3: \"5 1073741825\"" },
		{ H "stream a\n5 1k\n", "bad:3: \"5 1k\"" },
		{ H "stream a\n5 -1\n", "bad:3: \"5 -1\"" },
		{ H "stream a\n5x 1\n", "bad:3: \"5x 1\": expected nano" },
		{ H "stream a\n604800000000001 1\n", "bad:3: \"604800000" },
		{ H "stream a\n604800000000000 1\n1 1\n", "bad:4: the stream's "
		    "gaps come to 604800000000001 ns" },
		{ H "stream a\n5\n", "bad:3: \"5\": expected \"GAP_NS" },
		{ H "stream a\n5 1 2\n", "bad:3: \"5\" and what follows" },
		{ H "stream\n", "bad:2: \"stream\": expected" },
		{ H "stream a b\n", "bad:2: \"stream\" and what follows" },
		{ H "frob a\n", "bad:2: \"frob\" and what follows" },
		{ H "-5 1\n", "bad:2: \"-5\" and what follows" },
		{ H "length 0\n", "bad:2: length \"0\": expected" },
		{ H "length x\n", "bad:2: length \"x\"" },
		{ H "length 5\nlength 5\n", "bad:3: a second length" },
		{ H "length 5\nstream a\n6 1\n", "bad: length 5: expected at "
		    "least 6" },
		{ H "stream a\n0 1\n", "bad: it takes no time" },
	};
#undef H
	char message[LINES_ERROR_SIZE];
	struct recording rec;
	FILE *out;
	unsigned i;

	for (i = 0; i < nitems(rows); i++) {
		atf_utils_create_file("bad", "%s", rows[i].text);
		message[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, recording_load("bad", &rec, message),
		    "%s", rows[i].text);
		ATF_CHECK_MSG(strncmp(message, rows[i].say,
		    strlen(rows[i].say)) == 0, "%s: %s", rows[i].text, message);
		ATF_CHECK_EQ(0, rec.rec_count);
	}
	/* What no text editor writes. */
	out = fopen("bad", "w");
	ATF_REQUIRE(out != NULL);
	ATF_REQUIRE(fwrite("rngsim-workload/1\nstr\0eam", 1, 25, out) == 25 &&
	    fclose(out) == 0);
	ATF_CHECK_EQ(EINVAL, recording_load("bad", &rec, message));
	ATF_CHECK_STREQ("bad:2: a NUL byte: expected text", message);
	ATF_CHECK_EQ(ENOENT, recording_load("nonesuch", &rec, message));
	ATF_CHECK_EQ(EISDIR, recording_load(".", &rec, message));
	ATF_CHECK_EQ(EINVAL, recording_load("/dev/zero", &rec, message));
}

/* The shipped ones are good, and small enough to be read by people. */
TEST(recording_load__shipped, "Every recorded workload that comes along")
{
	static const char *const names[] = { "shell", "tls-server" };
	char message[LINES_ERROR_SIZE] = "", path[1024];
	struct recording rec;

	for (unsigned i = 0; i < nitems(names); i++) {
		snprintf(path, sizeof(path), "%s/bench/workload/%s.workload",
		    atf_tc_get_config_var_wd(tc, "source", "."), names[i]);
		if (access(path, F_OK) != 0)
			atf_tc_skip("%s is not there", path);
		ATF_CHECK_EQ_MSG(0, recording_load(path, &rec, message), "%s",
		    message);
		ATF_CHECK(recording_requests(&rec) > 300);
		ATF_CHECK(recording_requests(&rec) < 10000);
		recording_free(&rec);
	}
}

TEST_PROGRAM()
