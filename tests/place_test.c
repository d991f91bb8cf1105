/*
 * Placing threads on made-up machines: hwloc takes a topology from its
 * environment, so two nodes and hardware threads need no such host.
 */
#include <errno.h>
#include <stdlib.h>

#include "bench/cell/place.h"
#include "tests/support.h"

/* Two nodes of two cores of two threads: cores 0,1,2,3 are CPUs 0-1 .. 6-7. */
static void
two_nodes(void)
{

	ATF_REQUIRE_EQ(0, setenv("HWLOC_SYNTHETIC", "node:2 core:2 pu:2", 1));
	ATF_REQUIRE_EQ(0, setenv("HWLOC_THISSYSTEM", "0", 1));
	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ_MSG(8, cpu_count(), "%u CPUs", cpu_count());
}

static struct place
parsed(const char *text)
{
	char why[PLACE_ERROR_SIZE] = "";
	struct place pl;

	ATF_REQUIRE_MSG(place_parse(&pl, text, why) == 0, "%s: %s", text, why);
	return (pl);
}

static void
check_order(const char *text, const unsigned *os, unsigned count)
{
	struct place pl = parsed(text);
	unsigned i;

	for (i = 0; i < 2 * count; i++)
		ATF_CHECK_EQ_MSG(os[i % count], cpu_os_index(
		    (unsigned)place_reader(&pl, i)), "%s: reader %u on %u",
		    text, i, cpu_os_index((unsigned)place_reader(&pl, i)));
	place_free(&pl);
}

ATF_TC_WITHOUT_HEAD(place_parse__orders);
ATF_TC_BODY(place_parse__orders, tc)
{
	static const unsigned compact[] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	static const unsigned scatter[] = { 0, 4, 2, 6, 1, 5, 3, 7 };
	static const unsigned smt_first[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	two_nodes();
	check_order("compact", compact, nitems(compact));
	check_order("scatter", scatter, nitems(scatter));
	check_order("smt-first", smt_first, nitems(smt_first));
	cpu_fini();
}

ATF_TC_WITHOUT_HEAD(place_parse__lists);
ATF_TC_BODY(place_parse__lists, tc)
{
	static const unsigned list[] = { 3, 0, 1 };
	struct place pl;

	two_nodes();
	check_order("3,0-1", list, nitems(list));
	check_order("3,0-1/7", list, nitems(list));
	pl = parsed("3,0-1/7");
	ATF_CHECK_EQ(7, cpu_os_index((unsigned)place_harvest(&pl, 1)));
	ATF_CHECK_EQ(7, cpu_os_index((unsigned)place_harvest(&pl, 99)));
	place_free(&pl);
	cpu_fini();
}

ATF_TC_WITHOUT_HEAD(place_harvest__apart);
ATF_TC_BODY(place_harvest__apart, tc)
{
	struct place pl;
	unsigned n;

	two_nodes();
	pl = parsed("compact");
	for (n = 1; n < 8; n++)
		ATF_CHECK_EQ_MSG((int)n, place_harvest(&pl, n), "%u readers",
		    n);
	ATF_CHECK_EQ(MACHINE_CPU_ANY, place_harvest(&pl, 8));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, place_harvest(&pl, 9));
	place_free(&pl);
	/* With all of a list's CPUs taken, one that is not in it. */
	pl = parsed("0,2");
	ATF_CHECK_EQ(4, cpu_os_index((unsigned)place_harvest(&pl, 2)));
	ATF_CHECK_EQ(2, cpu_os_index((unsigned)place_harvest(&pl, 1)));
	place_free(&pl);
	pl = parsed("none");
	ATF_CHECK(!place_binds(&pl));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, place_reader(&pl, 0));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, place_harvest(&pl, 1));
	place_free(&pl);
	cpu_fini();
}

ATF_TC_WITHOUT_HEAD(place_parse__refuses);
ATF_TC_BODY(place_parse__refuses, tc)
{
	static const struct {
		const char	*text;
		const char	*why;
	} bad[] = {
		{ "", "expected compact" },
		{ "Compact", "expected compact" },
		{ "0,", "expected compact" },
		{ "0,,1", "expected compact" },
		{ "0-", "expected compact" },
		{ "-1", "expected compact" },
		{ "0 1", "expected compact" },
		{ "0/", "expected compact" },
		{ "/1", "expected compact" },
		{ "0/1/2", "expected compact" },
		{ "0/1-2", "expected compact" },
		{ "0/1,2", "expected compact" },
		{ "8", "not among the 8" },
		{ "6-8", "not among the 8" },
		{ "99999999999", "not among the 8" },
		{ "0/8", "not among the 8" },
		{ "0,1,0", "twice" },
		{ "0-2,1", "twice" },
		{ "2-1", "descends" },
	};
	char why[PLACE_ERROR_SIZE];
	struct place pl;
	size_t i;

	two_nodes();
	for (i = 0; i < nitems(bad); i++) {
		why[0] = '\0';
		ATF_CHECK_MSG(place_parse(&pl, bad[i].text, why) == EINVAL,
		    "\"%s\" was taken", bad[i].text);
		ATF_CHECK_MSG(strstr(why, bad[i].why) != NULL, "\"%s\": %s",
		    bad[i].text, why);
	}
	cpu_fini();
}

ATF_TC_WITHOUT_HEAD(cpu_node__of_each);
ATF_TC_BODY(cpu_node__of_each, tc)
{
	unsigned os;

	two_nodes();
	ATF_CHECK_EQ(2, cpu_nodes());
	for (os = 0; os < 8; os++)
		ATF_CHECK_EQ_MSG(os / 4, cpu_node(os), "CPU %u", os);
	/* A number that no CPU has. */
	ATF_CHECK_EQ(0, cpu_node(4096));
	cpu_fini();
}

ATF_TC_WITHOUT_HEAD(place_parse__simulated);
ATF_TC_BODY(place_parse__simulated, tc)
{
	/* Two nodes of two cores of two threads, whatever the host has. */
	static const struct vm_topology vt = { .vt_cpus = 8, .vt_cores = 4,
	    .vt_nodes = 2, .vt_ccx_cores = 2 };
	static const unsigned scatter[] = { 0, 2, 1, 3, 4, 6, 5, 7 };
	char why[PLACE_ERROR_SIZE] = "";
	struct place pl;
	unsigned i;

	(void)tc;
	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ(0, place_parse_virtual(&pl, "compact", &vt, why));
	for (i = 0; i < 16; i++)
		ATF_CHECK_EQ((int)(i % 8), place_reader(&pl, i));
	ATF_CHECK_EQ(7, place_harvest(&pl, 7));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, place_harvest(&pl, 8));
	place_free(&pl);
	ATF_REQUIRE_EQ(0, place_parse_virtual(&pl, "scatter", &vt, why));
	for (i = 0; i < 8; i++)
		ATF_CHECK_EQ_MSG((int)scatter[i], place_reader(&pl, i),
		    "reader %u", i);
	place_free(&pl);
	ATF_REQUIRE_EQ_MSG(0, place_parse_virtual(&pl, "1,4-6/7", &vt, why),
	    "%s", why);
	ATF_CHECK_EQ(5, place_reader(&pl, 2));
	ATF_CHECK_EQ(7, place_harvest(&pl, 1));
	place_free(&pl);
	ATF_CHECK_EQ(EINVAL, place_parse_virtual(&pl, "0-8", &vt, why));
	ATF_CHECK_MSG(strstr(why, "CPU 8") != NULL &&
	    strstr(why, "0..7") != NULL, "%s", why);
	ATF_CHECK_EQ(EINVAL, place_parse_virtual(&pl, "3,2-4", &vt, why));
	ATF_CHECK_MSG(strstr(why, "CPU 3 is named twice") != NULL, "%s", why);
	cpu_fini();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, place_parse__orders);
	ATF_TP_ADD_TC(tp, place_parse__lists);
	ATF_TP_ADD_TC(tp, place_parse__refuses);
	ATF_TP_ADD_TC(tp, place_harvest__apart);
	ATF_TP_ADD_TC(tp, cpu_node__of_each);
	ATF_TP_ADD_TC(tp, place_parse__simulated);
	return (atf_no_error());
}
