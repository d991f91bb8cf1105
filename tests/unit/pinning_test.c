/*
 * Placing threads on made-up machines: hwloc takes a topology from its
 * environment, so two nodes and hardware threads need no such host.
 */
#include <errno.h>
#include <stdlib.h>

#include "bench/cell/cell.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* Two nodes of two cores of two threads: cores 0,1,2,3 are CPUs 0-1 .. 6-7. */
static void
two_nodes(void)
{
	ATF_REQUIRE_EQ(0, setenv("HWLOC_SYNTHETIC", "node:2 core:2 pu:2", 1));
	ATF_REQUIRE_EQ(0, setenv("HWLOC_THISSYSTEM", "0", 1));
	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ_MSG(8, cpu_count(), "%u CPUs", cpu_count());
}

static struct pinning
parsed(const char *text)
{
	char why[PINNING_ERROR_SIZE] = "";
	struct pinning pl;

	ATF_REQUIRE_MSG(pinning_parse(&pl, text, NULL, why) == 0, "%s: %s",
	    text, why);
	return (pl);
}

static void
check_order(const char *text, const unsigned *os, unsigned count)
{
	struct pinning pl = parsed(text);

	for (unsigned i = 0; i < 2 * count; i++)
		ATF_CHECK_EQ_MSG(os[i % count], cpu_os_index(
		    (unsigned)pinning_reader(&pl, i)), "%s: reader %u on %u",
		    text, i, cpu_os_index((unsigned)pinning_reader(&pl, i)));
	pinning_free(&pl);
}

TEST(pinning_parse__orders, "the three orders")
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

TEST(pinning_parse__lists, "lists with ranges, and the harvest thread")
{
	static const unsigned list[] = { 3, 0, 1 };
	struct pinning pl;

	two_nodes();
	check_order("3,0-1", list, nitems(list));
	check_order("3,0-1/7", list, nitems(list));
	pl = parsed("3,0-1/7");
	ATF_CHECK_EQ(7, cpu_os_index((unsigned)pinning_harvest(&pl, 1)));
	ATF_CHECK_EQ(7, cpu_os_index((unsigned)pinning_harvest(&pl, 99)));
	pinning_free(&pl);
	cpu_fini();
}

TEST(pinning_harvest__apart, "a CPU that no reader has")
{
	struct pinning pl;

	two_nodes();
	pl = parsed("compact");
	for (unsigned n = 1; n < 8; n++)
		ATF_CHECK_EQ_MSG((int)n, pinning_harvest(&pl, n), "%u readers",
		    n);
	ATF_CHECK_EQ(MACHINE_CPU_ANY, pinning_harvest(&pl, 8));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, pinning_harvest(&pl, 9));
	pinning_free(&pl);
	/* With all of a list's CPUs taken, one that is not in it. */
	pl = parsed("0,2");
	ATF_CHECK_EQ(4, cpu_os_index((unsigned)pinning_harvest(&pl, 2)));
	ATF_CHECK_EQ(2, cpu_os_index((unsigned)pinning_harvest(&pl, 1)));
	pinning_free(&pl);
	pl = parsed("none");
	ATF_CHECK_EQ(MACHINE_CPU_ANY, pinning_reader(&pl, 0));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, pinning_harvest(&pl, 1));
	pinning_free(&pl);
	cpu_fini();
}

TEST(pinning_parse__refuses, "each message says what was expected")
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
		{ "2-1", "expected compact" },
	};
	char why[PINNING_ERROR_SIZE];
	struct pinning pl;

	two_nodes();
	for (size_t i = 0; i < nitems(bad); i++) {
		why[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, pinning_parse(&pl, bad[i].text, NULL,
		    why), "\"%s\" was taken", bad[i].text);
		ATF_CHECK_MSG(strstr(why, bad[i].why) != NULL, "\"%s\": %s",
		    bad[i].text, why);
	}
	cpu_fini();
}

TEST(cpu_node__of_each, "the node of each CPU")
{
	two_nodes();
	ATF_CHECK_EQ(2, cpu_nodes());
	for (unsigned os = 0; os < 8; os++)
		ATF_CHECK_EQ_MSG(os / 4, cpu_node(os), "CPU %u", os);
	/* A number that no CPU has. */
	ATF_CHECK_EQ(0, cpu_node(4096));
	cpu_fini();
}

TEST(pinning_parse__simulated, "a simulated machine, whatever the host has")
{
	/* Two nodes of two cores of two threads, whatever the host has. */
	static const struct vm_topology vt = { .tp_cpus = 8, .tp_cores = 4,
	    .tp_nodes = 2, .tp_ccx_cores = 2 };
	static const unsigned scatter[] = { 0, 2, 1, 3, 4, 6, 5, 7 };
	char why[PINNING_ERROR_SIZE] = "";
	struct pinning pl;
	unsigned i;

	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ(0, pinning_parse(&pl, "compact", &vt, why));
	for (i = 0; i < 16; i++)
		ATF_CHECK_EQ((int)(i % 8), pinning_reader(&pl, i));
	ATF_CHECK_EQ(7, pinning_harvest(&pl, 7));
	ATF_CHECK_EQ(MACHINE_CPU_ANY, pinning_harvest(&pl, 8));
	pinning_free(&pl);
	ATF_REQUIRE_EQ(0, pinning_parse(&pl, "scatter", &vt, why));
	for (i = 0; i < 8; i++)
		ATF_CHECK_EQ_MSG((int)scatter[i], pinning_reader(&pl, i),
		    "reader %u", i);
	pinning_free(&pl);
	ATF_REQUIRE_EQ_MSG(0, pinning_parse(&pl, "1,4-6/7", &vt, why),
	    "%s", why);
	ATF_CHECK_EQ(5, pinning_reader(&pl, 2));
	ATF_CHECK_EQ(7, pinning_harvest(&pl, 1));
	pinning_free(&pl);
	ATF_CHECK_EQ(EINVAL, pinning_parse(&pl, "0-8", &vt, why));
	ATF_CHECK_MSG(strstr(why, "CPU 8") != NULL &&
	    strstr(why, "0..7") != NULL, "%s", why);
	ATF_CHECK_EQ(EINVAL, pinning_parse(&pl, "3,2-4", &vt, why));
	ATF_CHECK_MSG(strstr(why, "CPU 3 is named twice") != NULL, "%s", why);
	cpu_fini();
}

TEST_PROGRAM()
