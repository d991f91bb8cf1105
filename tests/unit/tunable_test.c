#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "bench/cell/cell.h"
#include "lib/base/tunable.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { TEXT = 512, CONFIG = 1024, CANARY = 0x5a };

/* A field of each type, with something behind each that must not change. */
struct knobs {
	bool		k_bool;
	unsigned char	k_after_bool;
	unsigned	k_uint;
	unsigned	k_after_uint;
	unsigned	k_choice;
	unsigned	k_after_choice;
	char		k_string[TUNABLE_STRING_SIZE];
	unsigned char	k_after_string;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

enum { T_BOOL, T_UINT, T_CHOICE, T_STRING };

static const struct tunable table[] = {
	[T_BOOL] = TUNABLE(knobs, k_bool, BOOL, "test.bool", NULL,
	    TUNABLE_LIMITS(0, 1)),
	[T_UINT] = TUNABLE(knobs, k_uint, UINT, "test.uint", NULL,
	    TUNABLE_LIMITS(16, INT32_MAX)),
	[T_CHOICE] = TUNABLE(knobs, k_choice, CHOICE, "test.choice", NULL,
	    .tn_choices = colours),
	[T_STRING] = TUNABLE(knobs, k_string, STRING, "test.string", NULL,
	    TUNABLE_LIMITS(0, TUNABLE_STRING_SIZE - 1)),
};

static struct knobs knobs;

static void
knobs_reset(void)
{
	memset(&knobs, CANARY, sizeof(knobs));
	knobs.k_bool = false;
	knobs.k_uint = 64;
	knobs.k_choice = 1;
	strcpy(knobs.k_string, "initial");
}

/* Sets, and checks that reading back gives the same text. */
static void
check_takes(unsigned i, const char *text)
{
	char buf[TEXT];
	int error;

	error = tunable_set_text(&table[i], &knobs, text);
	ATF_CHECK_MSG(error == 0, "%s=%s: error %d", table[i].tn_name, text,
	    error);
	tunable_format(&table[i], &knobs, buf, sizeof(buf));
	ATF_CHECK_STREQ_MSG(text, buf, "%s", table[i].tn_name);
}

static void
check_refuses(unsigned i, const char *text)
{
	struct knobs before = knobs;
	int error;

	error = tunable_set_text(&table[i], &knobs, text);
	ATF_CHECK_MSG(error == EINVAL, "%s=%s: error %d", table[i].tn_name,
	    text, error);
	ATF_CHECK_MSG(memcmp(&before, &knobs, sizeof(knobs)) == 0,
	    "%s=%s was refused and changed something", table[i].tn_name, text);
}

TEST(tunable_bool__values, "A boolean is 0 or 1, as a sysctl")
{
	static const char *const bad[] = { "", "2", "-1", "true", "yes", "01",
	    " 1", "1 ", "10" };
	size_t i;

	knobs_reset();
	check_takes(T_BOOL, "1");
	ATF_CHECK_EQ(true, knobs.k_bool);
	check_takes(T_BOOL, "0");
	ATF_CHECK_EQ(false, knobs.k_bool);
	ATF_CHECK_EQ(CANARY, knobs.k_after_bool);
	for (i = 0; i < nitems(bad); i++)
		check_refuses(T_BOOL, bad[i]);
}

TEST(tunable_uint__range, "Both ends of a range are in it, their neighbours "
    "are not, and no large number is cut to a small one")
{
	static const char *const bad[] = { "", "0", "15", "2147483648",
	    /* 64 and 16, had the upper half been lost. */
	    "4294967360", "18446744073709551632", "-64", "+64", " 64", "64 ",
	    "64k", "064", "1e2", "x" };
	unsigned after;
	size_t i;

	knobs_reset();
	after = knobs.k_after_uint;
	check_takes(T_UINT, "16");
	ATF_CHECK_EQ(16, knobs.k_uint);
	check_takes(T_UINT, "2147483647");
	ATF_CHECK_EQ(INT32_MAX, knobs.k_uint);
	check_takes(T_UINT, "128");
	ATF_CHECK_EQ(0, tunable_set_text(&table[T_UINT], &knobs, "0x80"));
	ATF_CHECK_EQ(128, knobs.k_uint);
	ATF_CHECK_EQ(after, knobs.k_after_uint);
	for (i = 0; i < nitems(bad); i++)
		check_refuses(T_UINT, bad[i]);
}

TEST(tunable_choice__values, "A choice is stored as its index and named in "
    "full")
{
	static const char *const bad[] = { "", "r", "RED", "redd", "0", "1",
	    "red,green" };
	unsigned after, c;
	size_t i;

	knobs_reset();
	after = knobs.k_after_choice;
	for (c = 0; colours[c] != NULL; c++) {
		check_takes(T_CHOICE, colours[c]);
		ATF_CHECK_EQ_MSG(c, knobs.k_choice, "%s", colours[c]);
	}
	ATF_CHECK_EQ(after, knobs.k_after_choice);
	for (i = 0; i < nitems(bad); i++)
		check_refuses(T_CHOICE, bad[i]);
}

TEST(tunable_string__length, "The longest string fits with its NUL, one more "
    "is refused and not truncated")
{
	char text[TUNABLE_STRING_SIZE + 1];

	knobs_reset();
	check_takes(T_STRING, "");
	check_takes(T_STRING, "INTERRUPT,RDRAND");
	memset(text, 'x', sizeof(text));
	text[TUNABLE_STRING_SIZE - 1] = '\0';
	check_takes(T_STRING, text);
	ATF_CHECK_EQ(CANARY, knobs.k_after_string);
	text[TUNABLE_STRING_SIZE - 1] = 'x';
	text[TUNABLE_STRING_SIZE] = '\0';
	check_refuses(T_STRING, text);
}

TEST(tunable_range__text, "Accepted values are named as the header says, and "
    "never beyond the buffer")
{
	char buf[TEXT];

	tunable_range(&table[T_BOOL], buf, sizeof(buf));
	ATF_CHECK_STREQ("0 or 1", buf);
	tunable_range(&table[T_UINT], buf, sizeof(buf));
	ATF_CHECK_STREQ("16..2147483647", buf);
	tunable_range(&table[T_CHOICE], buf, sizeof(buf));
	ATF_CHECK_STREQ("red, green, blue", buf);
	tunable_range(&table[T_STRING], buf, sizeof(buf));
	ATF_CHECK(strstr(buf, "255") != NULL);
	for (size_t i = 0; i < nitems(table); i++) {
		for (size_t size = 1; size < 24; size++) {
			memset(buf, CANARY, sizeof(buf));
			tunable_range(&table[i], buf, size);
			ATF_CHECK_MSG(memchr(buf, '\0', size) != NULL &&
			    support_all((uint8_t *)buf + size, 24 - size,
			    CANARY), "%s into %zu bytes", table[i].tn_name,
			    size);
		}
	}
}

TEST(bench_tunable__finds, "A name is found in whichever table has it, with "
    "the place of that table's structure")
{
	const struct bench_tunables *bt = bench_tunables;
	struct bench_config config;
	const struct tunable *tn;
	size_t base;

	for (; bt->btu_table != NULL; bt++)
		for (tn = bt->btu_table; tn->tn_name != NULL; tn++) {
			base = SIZE_MAX;
			ATF_CHECK_MSG(bench_tunable(tn->tn_name, &base) == tn &&
			    base == bt->btu_base, "%s", tn->tn_name);
		}
	ATF_CHECK_EQ(NULL, bench_tunable("rngsim.warmup", &base));
	ATF_CHECK_EQ(NULL, bench_tunable("", &base));
	bench_config_default(&config, 4);
	tn = bench_tunable("rngsim.source.interrupt.rate_hz", &base);
	ATF_REQUIRE(tn != NULL);
	ATF_CHECK_EQ(0, tunable_set_text(tn, (char *)&config + base, "128"));
	ATF_CHECK_EQ(128, config.bc_harvest.interrupt_rate_hz);
	ATF_CHECK_EQ(EINVAL, tunable_set_text(tn, (char *)&config + base, "0"));
	ATF_CHECK_EQ(128, config.bc_harvest.interrupt_rate_hz);
}

/* The last value that a tunable takes, and the one beyond it. */
static void
check_end(const struct tunable *tn, void *base, size_t size, uint64_t last,
    uint64_t beyond)
{
	char again[TEXT], text[TEXT];
	unsigned char before[CONFIG];

	memcpy(before, base, size);
	snprintf(text, sizeof(text), "%" PRId64, (int64_t)beyond);
	ATF_CHECK_MSG(tunable_set_text(tn, base, text) == EINVAL &&
	    memcmp(before, base, size) == 0, "%s=%s", tn->tn_name, text);
	snprintf(text, sizeof(text), "%" PRIu64, last);
	ATF_CHECK_MSG(tunable_set_text(tn, base, text) == 0, "%s=%s",
	    tn->tn_name, text);
	tunable_format(tn, base, again, sizeof(again));
	ATF_CHECK_STREQ_MSG(text, again, "%s", tn->tn_name);
}

/*
 * Walks one layer's real table: what a person reads can be typed in, and what
 * lies outside the range leaves the configuration as it was.
 */
static void
check_table(const struct tunable *tunables, void *base, size_t size)
{
	char range[TEXT], text[TEXT];
	unsigned char before[CONFIG];
	const struct tunable *tn;

	ATF_REQUIRE(tunables->tn_name != NULL && size <= sizeof(before));
	for (tn = tunables; tn->tn_name != NULL; tn++) {
		ATF_CHECK_MSG(tn->tn_descr != NULL &&
		    strlen(tn->tn_descr) > 0, "%s", tn->tn_name);
		ATF_CHECK_MSG(tn->tn_offset < size, "%s", tn->tn_name);
		ATF_CHECK_EQ_MSG(tn, tunable_find(tunables, tn->tn_name),
		    "%s is there twice", tn->tn_name);
		/* The default, as it stands. */
		memcpy(before, base, size);
		tunable_format(tn, base, text, sizeof(text));
		ATF_CHECK_MSG(tunable_set_text(tn, base, text) == 0,
		    "%s does not take its default %s", tn->tn_name, text);
		ATF_CHECK_MSG(memcmp(before, base, size) == 0,
		    "%s=%s changed it", tn->tn_name, text);
		tunable_range(tn, range, sizeof(range));
		ATF_CHECK_MSG(range[0] != '\0', "%s has no range",
		    tn->tn_name);
		ATF_CHECK_MSG(tunable_set_text(tn, base, "\n") == EINVAL ||
		    tn->tn_type == TUNABLE_STRING, "%s", tn->tn_name);
		if (tn->tn_type != TUNABLE_UINT)
			continue;
		ATF_CHECK_MSG(tn->tn_min <= tn->tn_max &&
		    tn->tn_max <= UINT32_MAX, "%s", tn->tn_name);
		check_end(tn, base, size, tn->tn_max, tn->tn_max + 1);
		/* Less than 0 is no number. */
		check_end(tn, base, size, tn->tn_min, tn->tn_min - 1);
	}
}

TEST(tunable__tables, "Every tunable takes what it prints and both ends of its "
    "range")
{
	static struct bench_config config;
	const size_t sizes[] = { sizeof(config.bc_lock),
	    sizeof(config.bc_harvest), sizeof(config.bc_program) };

	bench_config_default(&config, 4);
	for (unsigned i = 0; bench_tunables[i].btu_table != NULL; i++)
		check_table(bench_tunables[i].btu_table, (char *)&config +
		    bench_tunables[i].btu_base, sizes[i]);
}

TEST_PROGRAM()
