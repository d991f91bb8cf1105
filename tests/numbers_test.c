/*
 * bench/sources/numbers.h, checked on every line of numbers.tbl and on sources
 * that misbehave.
 */
#include <atf-c.h>
#include <string.h>

#include "bench/sources/numbers.h"

enum {
	BATCH_MOST	= 5,
	BROKEN_CALLS	= 3	/* failures before each number of "shy" */
};

/* RFC 8682, figure 2: TinyMT32 with seed 1. */
static const uint32_t tinymt_published[] = {
	2545341989, 981918433, 3715302833, 2387538352, 3591001365,
	3820442102, 2114400566, 2196103051, 2783359912, 764534509,
	643179475, 1822416315, 881558334, 4207026366, 3690273640,
	3240535687, 2921447122, 3984931427, 4092394160, 44209675
};

/* The first of x = 1103515245 x + 12345 mod 2^32 from 12345. */
static const uint32_t lcg_published[] = {
	0xd3dc167e, 0xa70427df, 0xd6651c2c, 0x0daa96f5
};

static bool
has_not(void)
{

	return (false);
}

static inline bool
count_step(struct number_state *st, uint32_t *v)
{

	*v = ++st->st_word[0];
	return (true);
}
NUMBER_LOOP(count_32, uint32_t, count_step)

static inline bool
same_step(struct number_state *st, uint64_t *v)
{

	(void)st;
	*v = UINT64_MAX;
	return (true);
}
NUMBER_LOOP(same_64, uint64_t, same_step)

static inline bool
shy_step(struct number_state *st, uint32_t *v)
{

	if (++st->st_word[0] % (BROKEN_CALLS + 1) != 0)
		return (false);
	*v = st->st_word[0];
	return (true);
}
NUMBER_LOOP(shy_32, uint32_t, shy_step)

static inline bool
dead_step(struct number_state *st, uint32_t *v)
{

	(void)v;
	st->st_word[0]++;
	return (false);
}
NUMBER_LOOP(dead_32, uint32_t, dead_step)

static int
never(struct number_state *st, struct number_batch *nb)
{

	(void)st;
	(void)nb;
	atf_tc_fail("an absent source was tried");
}

ATF_TC(numbers__describe_themselves);
ATF_TC_HEAD(numbers__describe_themselves, tc)
{

	atf_tc_set_md_var(tc, "descr", "listings and -s rely on it; what is "
	    "computed has published numbers");
}
ATF_TC_BODY(numbers__describe_themselves, tc)
{
	const struct number_source *ns;
	unsigned i, w, widths;

	(void)tc;
	ATF_CHECK(number_source_count >= 2);
	for (i = 0; i < number_source_count; i++) {
		ns = number_sources[i];
		ATF_CHECK_EQ_MSG(ns, number_source_find(ns->ns_name),
		    "%s is there twice", ns->ns_name);
		ATF_CHECK_EQ(strlen(ns->ns_name), strspn(ns->ns_name,
		    "abcdefghijklmnopqrstuvwxyz0123456789"));
		/* What a column of the table has room for. */
		ATF_CHECK(strlen(ns->ns_name) <= 8);
		ATF_CHECK(ns->ns_descr[0] != '\0');
		for (w = widths = 0; w < NUMBER_WIDTHS; w++)
			widths += ns->ns_batch[w] != NULL;
		ATF_CHECK_MSG(widths > 0, "%s gives nothing", ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_known == NULL, "%s",
		    ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_has != NULL, "%s",
		    ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_init == NULL, "%s",
		    ns->ns_name);
	}
	ATF_CHECK_EQ(NULL, number_source_find("LCG"));
	ATF_CHECK_EQ(NULL, number_source_find(""));
}

ATF_TC(numbers__first_are_right);
ATF_TC_HEAD(numbers__first_are_right, tc)
{

	atf_tc_set_md_var(tc, "descr", "each source gives its published "
	    "numbers, or is absent and gives none");
}
ATF_TC_BODY(numbers__first_are_right, tc)
{
	uint64_t first[NUMBER_FIRST];
	const struct number_source *ns;
	unsigned i, k, w;

	(void)tc;
	for (i = 0; i < number_source_count; i++) {
		ns = number_sources[i];
		for (w = 0; w < NUMBER_WIDTHS; w++) {
			memset(first, 0, sizeof(first));
			if (!number_source_has(ns) || ns->ns_batch[w] == NULL) {
				ATF_CHECK_EQ(ENOTSUP, number_source_check(ns,
				    (enum number_width)w, first));
				continue;
			}
			ATF_CHECK_EQ_MSG(0, number_source_check(ns,
			    (enum number_width)w, first), "%s, %u bits",
			    ns->ns_name, number_bits[w]);
			for (k = 0; k < NUMBER_FIRST && ns->ns_known != NULL;
			    k++)
				ATF_CHECK_EQ(ns->ns_known[k], first[k]);
		}
	}
}

/* Reads as many numbers as want has, in batches of all sizes. */
static void
require_numbers(const char *name, const uint32_t *want, unsigned count)
{
	const struct number_source *ns = number_source_find(name);
	struct number_state st;
	unsigned at, size;

	ATF_REQUIRE(ns != NULL);
	for (size = 1; size <= BATCH_MOST; size++) {
		memset(&st, 0, sizeof(st));
		ns->ns_init(&st);
		for (at = size; at <= count; at += size) {
			struct number_batch nb = { .nb_reads = size };

			ATF_REQUIRE_EQ(0, ns->ns_batch[NUMBER_32](&st, &nb));
			ATF_CHECK_EQ_MSG(want[at - 1], nb.nb_last,
			    "%s, number %u in batches of %u", name, at, size);
			ATF_CHECK_EQ(0, nb.nb_failures);
		}
	}
}

ATF_TC(numbers__as_published);
ATF_TC_HEAD(numbers__as_published, tc)
{

	atf_tc_set_md_var(tc, "descr", "TinyMT32 and the LCG meet what is "
	    "published, however many numbers a batch has");
}
ATF_TC_BODY(numbers__as_published, tc)
{

	(void)tc;
	require_numbers("tinymt32", tinymt_published,
	    sizeof(tinymt_published) / sizeof(tinymt_published[0]));
	require_numbers("lcg", lcg_published, sizeof(lcg_published) /
	    sizeof(lcg_published[0]));
}

ATF_TC(number_source_check__refuses_others);
ATF_TC_HEAD(number_source_check__refuses_others, tc)
{

	atf_tc_set_md_var(tc, "descr", "One wrong number of those published, "
	    "or the same one again and again, is noticed");
}
ATF_TC_BODY(number_source_check__refuses_others, tc)
{
	uint32_t known[NUMBER_FIRST] = { 1, 2, 3, 4 };
	const struct number_source count = { .ns_name = "count",
	    .ns_batch = { [NUMBER_32] = count_32 }, .ns_known = known };
	const struct number_source unknown = { .ns_name = "unknown",
	    .ns_batch = { [NUMBER_32] = count_32 } };
	const struct number_source same = { .ns_name = "same",
	    .ns_hardware = true, .ns_batch = { [NUMBER_64] = same_64 } };
	uint64_t first[NUMBER_FIRST];
	unsigned i;

	(void)tc;
	ATF_CHECK_EQ(0, number_source_check(&count, NUMBER_32, first));
	ATF_CHECK_EQ(0, number_source_check(&unknown, NUMBER_32, first));
	for (i = 0; i < NUMBER_FIRST; i++) {
		known[i]++;
		ATF_CHECK_EQ_MSG(EILSEQ, number_source_check(&count, NUMBER_32,
		    first), "number %u", i);
		/* They are shown all the same. */
		ATF_CHECK_EQ(NUMBER_FIRST, first[NUMBER_FIRST - 1]);
		known[i]--;
	}
	ATF_CHECK_EQ(EILSEQ, number_source_check(&same, NUMBER_64, first));
	ATF_CHECK_EQ(UINT64_MAX, first[0]);
}

ATF_TC(number_source_check__absent);
ATF_TC_HEAD(number_source_check__absent, tc)
{

	atf_tc_set_md_var(tc, "descr", "A source that this machine has not, or "
	    "not of that width, is not tried");
}
ATF_TC_BODY(number_source_check__absent, tc)
{
	const struct number_source absent = { .ns_name = "absent",
	    .ns_hardware = true, .ns_has = has_not,
	    .ns_batch = { never, never } };
	const struct number_source narrow = { .ns_name = "narrow",
	    .ns_batch = { [NUMBER_32] = never } };
	uint64_t first[NUMBER_FIRST];

	(void)tc;
	ATF_CHECK(!number_source_has(&absent));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_32, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_64, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&narrow, NUMBER_64, first));
}

ATF_TC(number_batch__counts_failures);
ATF_TC_HEAD(number_batch__counts_failures, tc)
{

	atf_tc_set_md_var(tc, "descr", "A failed read is repeated and counted; "
	    "a source without numbers is given up");
}
ATF_TC_BODY(number_batch__counts_failures, tc)
{
	struct number_state st = { { 0 } };
	struct number_batch nb = { .nb_reads = 10 };
	const struct number_source dead = { .ns_name = "dead",
	    .ns_batch = { [NUMBER_32] = dead_32 } };
	uint64_t first[NUMBER_FIRST];

	(void)tc;
	ATF_CHECK_EQ(0, shy_32(&st, &nb));
	ATF_CHECK_EQ(10 * BROKEN_CALLS, nb.nb_failures);
	ATF_CHECK_EQ(10 * (BROKEN_CALLS + 1), nb.nb_last);
	/* They add up over batches. */
	nb.nb_reads = 1;
	ATF_CHECK_EQ(0, shy_32(&st, &nb));
	ATF_CHECK_EQ(11 * BROKEN_CALLS, nb.nb_failures);
	memset(&st, 0, sizeof(st));
	memset(&nb, 0, sizeof(nb));
	nb.nb_reads = 2;
	ATF_CHECK_EQ(EIO, dead_32(&st, &nb));
	ATF_CHECK_EQ(NUMBER_TRIES, nb.nb_failures);
	ATF_CHECK_EQ(NUMBER_TRIES, st.st_word[0]);
	ATF_CHECK_EQ(EIO, number_source_check(&dead, NUMBER_32, first));
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, numbers__describe_themselves);
	ATF_TP_ADD_TC(tp, numbers__first_are_right);
	ATF_TP_ADD_TC(tp, numbers__as_published);
	ATF_TP_ADD_TC(tp, number_source_check__refuses_others);
	ATF_TP_ADD_TC(tp, number_source_check__absent);
	ATF_TP_ADD_TC(tp, number_batch__counts_failures);
	return (atf_no_error());
}
